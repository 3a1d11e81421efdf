// `mechane check --behaviour`: simulates assets and judges how they behave (drop, hold, limits, mimics, overlaps).
// Inputs: files and import options. Outputs: a line or JSON object for each rule, a picture of each failure if a folder
// is given. The rules themselves are in run/behaviour.
// Exit status: findings if a rule failed, input if a file cannot be opened; the worst of all files.
// Called by check.cpp.

#include "cli/behaviour.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/outputs.h"
#include "mechane/run/behaviour.h"
#include "mechane/usd/codes.h"
#include "mechane/viewer/render.h"

namespace mechane::cli {
namespace {

constexpr std::string_view kAll = "BEH";  ///< what the ids of all questions begin with

/// Draws the end of the run with its colliders.
Result<std::string> draw(const std::string& file, const run::Behaviour& behaviour, const std::string& folder,
                         const Context& context)
{
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    const std::string name =
        fmt::format("{}-{}.png", std::filesystem::path(file).stem().string(), behaviour.rule->name);
    const std::string     path = (std::filesystem::path(folder) / name).string();
    viewer::RenderOptions picture{.width = 960, .height = 600, .threads = context.global.threads};
    picture.colliders = true;
    if (const auto done = viewer::render_png(behaviour.model, behaviour.recording,
                                             behaviour.recording.frames.size() - 1, picture, path);
        !done)
        return done.error();
    return path;
}

/// Whether a name of the command line means the question: "BEH-drop", "drop", or all of them, "BEH".
bool means(const std::string& name, const run::BehaviourRule& rule)
{ return name == rule.id || name == rule.name || name == kAll; }

/// @return the first name that means no question; empty for none
std::string unknown_of(const std::vector<std::string>& names)
{
    const auto rules = run::behaviour_rules();
    for (const std::string& name : names)
        if (std::none_of(rules.begin(), rules.end(), [&](const run::BehaviourRule& rule) { return means(name, rule); }))
            return name;
    return {};
}

/// Whether the command line asks for the answer to a question.
bool is_asked(const run::BehaviourRule& rule, const CheckArgs& args)
{
    const auto means_it = [&rule](const std::string& name) { return means(name, rule); };
    const bool chosen =
        args.select.empty() || std::any_of(args.select.begin(), args.select.end(), means_it);
    return chosen && std::none_of(args.ignore.begin(), args.ignore.end(), means_it);
}

std::string_view word_of(run::Verdict verdict)
{
    switch (verdict) {
        case run::Verdict::ok: return "ok";
        case run::Verdict::failed: return "failed";
        case run::Verdict::not_applicable: break;
    }
    return "notApplicable";
}

/// Collects what is told of all files.
class Telling {
  public:
    Telling(const CheckArgs& args, Context& context) : args_(args), context_(context) {}

    void file(const std::string& name, bool among_others)
    {
        file_ = name;
        if (among_others) text_ += name + "\n";
    }
    Result<void> add(const run::Behaviour& b)
    {
        std::string picture;
        if (b.verdict == run::Verdict::failed) {
            failed_ = true;
            if (!args_.pictures.empty() && !b.recording.frames.empty()) {
                auto drawn = draw(file_, b, args_.pictures, context_);
                if (!drawn) return drawn.error();
                picture = *std::move(drawn);
            }
        }
        all_.push_back({{"asset", file_},
                        {"rule", b.rule->id},
                        {"verdict", word_of(b.verdict)},
                        {"message", b.message},
                        {"path", b.path},
                        {"picture", picture.empty() ? nlohmann::json() : nlohmann::json(picture)}});
        text_ += fmt::format("{:<10}{:<8}{}{}{}\n", b.rule->name, to_string(b.verdict), b.message,
                             b.path.empty() ? "" : "   " + b.path, picture.empty() ? "" : "   " + picture);
        return {};
    }
    ExitCode end()
    {
        const std::string json = nlohmann::json{{"schema", "mechane.behaviour/1"}, {"behaviours", all_}}.dump(
                                     1, ' ', false, nlohmann::json::error_handler_t::replace) +
                                 "\n";
        return write_text(args_.output, context_.global.json ? json : text_, context_.io);
    }
    [[nodiscard]] bool failed() const { return failed_; }

  private:
    const CheckArgs& args_;
    Context&         context_;
    std::string      file_, text_;
    nlohmann::json   all_    = nlohmann::json::array();
    bool             failed_ = false;
};

}  // namespace

std::string option_without_behaviour(const CLI::App& verb)
{
    for (const char* option :
         {"--profile", "--sections", "--severity", "--fail-on", "--batch", "--baseline", "--write-baseline",
          "--max-per-rule", "--variants", "--interfaces", "--ros-env", "--strict-payloads", "--list-assets", "--manual",
          "--all-variants", "--max-states", "--registry", "--config", "--reread", "--statistics"})
        if (verb.count(option) > 0) return option;
    return {};
}

int run_behaviour(const std::vector<std::string>& files, const CheckArgs& args, Context& context)
{
    Io& io = context.io;
    if (args.format != "text" && args.format != "json")
        return io.say_error(fmt::format("--behaviour reports text or json, not {}\n", args.format)), kExitUsage;
    for (const auto* names : {&args.select, &args.ignore})
        if (const std::string unknown = unknown_of(*names); !unknown.empty()) {
            io.say_error(
                fmt::format("'{}' is not a rule of --behaviour\n  drop, hold, limits, mimic, overlap\n", unknown));
            return kExitUsage;
        }
    const auto options = scene_options(context);
    if (!options) return kExitUsage;
    if (!are_selected(files, options->open, context)) return kExitUsage;
    int     exit = kExitClean;
    Telling telling(args, context);
    for (const std::string& file : files) {
        Diagnostics found;
        auto        seen = run::check_behaviour(file, *options, context.global.threads, found);
        io.report(found);
        if (!seen) {
            if (seen.error().id != usd::kVariantUnknown.id) exit = io.fail(seen.error());
            continue;
        }
        if (exit == kExitClean) exit = exit_after(found, context);
        telling.file(file, files.size() > 1);
        for (const run::Behaviour& b : *seen)
            if (is_asked(*b.rule, args))
                if (const auto told = telling.add(b); !told) return io.fail(told.error());
    }
    if (const ExitCode written = telling.end(); written != kExitClean) return written;
    if (exit == kExitClean && telling.failed()) exit = kExitFindings;
    return exit == kExitFindings && args.exit_zero ? int(kExitClean) : exit;
}

}  // namespace mechane::cli
