// `mechane check --behaviour`: simulates assets and judges how they behave (drop, hold, limits, mimics, overlaps).
// Inputs: files and import options. Outputs: a line or JSON object for each rule, a picture of each failure if a folder
// is given. The rules themselves are in run/behaviour.
// Exit status: findings if a rule failed, input if a file cannot be opened; the worst of all files.
// Called by check.cpp.

#include "cli/behaviour.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "mechane/run/behaviour.h"
#include "mechane/usd/codes.h"
#include "mechane/viewer/render.h"

namespace mechane::cli {
namespace {

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

}  // namespace

int run_behaviour(const std::vector<std::string>& files, const std::string& pictures, Context& context)
{
    Io&        io      = context.io;
    const auto options = scene_options(context);
    if (!options) return kExitUsage;
    if (!are_selected(files, options->open, context)) return kExitUsage;
    int            exit = kExitClean;
    nlohmann::json all  = nlohmann::json::array();
    for (const std::string& file : files) {
        Diagnostics found;
        auto        seen = run::check_behaviour(file, *options, context.global.threads, found);
        io.report(found);
        if (!seen) {
            if (seen.error().id != usd::kVariantUnknown.id) exit = io.fail(seen.error());
            continue;
        }
        if (exit == kExitClean) exit = exit_after(found, context);
        if (files.size() > 1 && !context.global.json) io.out(file + "\n");
        for (const run::Behaviour& b : *seen) {
            std::string picture;
            if (b.verdict == run::Verdict::failed) {
                if (exit == kExitClean) exit = kExitFindings;
                if (!pictures.empty() && !b.recording.frames.empty()) {
                    const auto drawn = draw(file, b, pictures, context);
                    if (!drawn) return io.fail(drawn.error());
                    picture = *drawn;
                }
            }
            all.push_back({{"asset", file},
                           {"rule", b.rule->id},
                           {"verdict", b.verdict == run::Verdict::ok       ? "ok"
                                       : b.verdict == run::Verdict::failed ? "failed"
                                                                           : "notApplicable"},
                           {"message", b.message},
                           {"path", b.path},
                           {"picture", picture.empty() ? nlohmann::json() : nlohmann::json(picture)}});
            if (context.global.json) continue;
            io.out(fmt::format("{:<10}{:<8}{}{}{}\n", b.rule->name, to_string(b.verdict), b.message,
                               b.path.empty() ? "" : "   " + b.path, picture.empty() ? "" : "   " + picture));
        }
    }
    if (context.global.json)
        io.out(nlohmann::json{{"schema", "mechane.behaviour/1"}, {"behaviours", all}}.dump(
                   1, ' ', false, nlohmann::json::error_handler_t::replace) +
               "\n");
    return exit;
}

}  // namespace mechane::cli
