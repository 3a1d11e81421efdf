#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <thread>

#include <unistd.h>

#include "cli/behaviour.h"
#include "cli/check_config.h"
#include "cli/check_page.h"
#include "cli/command.h"
#include "cli/isolate.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/registry.h"
#include "mechane/conformance/check.h"
#include "mechane/conformance/codes.h"
#include "mechane/conformance/formats.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/usd/inspect.h"
#include "mechane/usd/selections.h"

/// mechane check: checks assets against REP-0158.
namespace mechane::cli {
namespace {

struct CheckArgs {
    std::vector<std::string> assets;
    std::string              profile, format = "text", severity = "info", fail_on, config, variants = "default";
    std::vector<std::string> select, ignore, sections, interfaces;
    std::string              baseline, write_baseline, output, pictures, registry;
    std::size_t              max_per_rule = 20;
    std::size_t              max_states   = 64;
    bool statistics = false, list_rules = false, exit_zero = false, all_variants = false, strict_payloads = false,
         ros_env = false, behaviour = false, manual = false;
};

Severity severity_named(const std::string& name)
{ return name == "error" ? Severity::error : name == "warning" ? Severity::warning : Severity::info; }

/// Files as given; for a folder every USD file below it, sorted.
std::vector<std::string> files_of(const std::vector<std::string>& assets)
{
    static const std::set<std::string> kExtensions{".usd", ".usda", ".usdc", ".usdz"};
    std::vector<std::string>           files;
    for (const std::string& asset : assets) {
        std::error_code error;
        if (!std::filesystem::is_directory(asset, error)) {
            files.push_back(asset);
            continue;
        }
        std::vector<std::string> found;
        for (auto at = std::filesystem::recursive_directory_iterator(
                 asset, std::filesystem::directory_options::skip_permission_denied, error);
             !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error))
            if (at->is_regular_file(error) && kExtensions.count(at->path().extension().string()) != 0)
                found.push_back(at->path().string());
        std::sort(found.begin(), found.end());
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

std::vector<std::string> read_lines(const std::string& file)
{
    std::vector<std::string> lines;
    constexpr std::uint64_t  kMost = std::uint64_t{64} << 20;
    const auto               text  = files::read(file, kMost);
    std::istringstream       in(text ? *text : std::string());
    for (std::string line; std::getline(in, line);)
        if (!line.empty() && line[0] != '#') lines.push_back(line.substr(0, line.find(' ')));
    return lines;
}

std::string statistics(const std::vector<conformance::Report>& reports)
{
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> counts;
    for (const conformance::Report& report : reports)
        for (const conformance::Finding& finding : report.findings) ++counts[{finding.rule->id, finding.rule->slug}];
    std::string out;
    for (const auto& [rule, count] : counts) out += fmt::format("{:6}  {:12} {}\n", count, rule.first, rule.second);
    return out;
}

std::string list_rules()
{
    std::string out;
    for (const conformance::Rule* rule : conformance::rules())
        out += fmt::format("{:12} {:10} {:8} {:1} {:28} {}\n", rule->id, to_string(rule->keyword),
                           to_string(rule->severity),
                           rule->fixable  ? "*"
                           : rule->manual ? "?"
                                          : "",
                           rule->slug, rule->summary);
    return out + fmt::format(
                     "* repairable: the repair follows from the asset alone\n? only people can judge it (--manual)\n"
                     "profiles: {}\n",
                     fmt::join(conformance::profiles(), ", "));
}

std::string formatted(const CheckArgs& args, const std::vector<conformance::Report>& reports,
                      std::vector<Diagnostic> unopened, Context& context)
{
    const bool terminal = args.output.empty() && context.io.colored(STDOUT_FILENO);
    conformance::FormatOptions options{MECHANE_VERSION, terminal, args.max_per_rule, std::move(unopened), {}};
    if (args.format == "json") return conformance::to_json(reports, options);
    if (args.format == "sarif") return conformance::to_sarif(reports, options);
    if (args.format == "junit") return conformance::to_junit(reports, severity_named(args.fail_on));
    if (args.format == "html") {
        options.pictures = page_pictures(reports, context);
        return conformance::to_html(reports, options);
    }
    if (args.format == "github") return conformance::to_github(reports);
    std::string out;
    for (const conformance::Report& report : reports) out += conformance::to_text(report, options);
    return out;
}

std::string canonical(const std::string& file)
{
    std::error_code unknown;
    return std::filesystem::weakly_canonical(file, unknown).string();
}

/// The result for one file. Results are printed in the order of the files, whichever worker finished first.
struct Judged {
    std::string                        file;   ///< canonical
    bool                               given;  ///< named by the user; otherwise found in a folder
    std::set<std::string>              uses;   ///< canonical names of its layers
    std::optional<conformance::Report> report;
    Diagnostics                        found;
    ExitCode                           exit = kExitClean;
    std::optional<Diagnostic>          lacks = {};  ///< a selection of --variant that it does not have
};

/// The exit status for a file that could not be checked.
ExitCode exit_of_failure(const Diagnostic& error)
{
    if (error.id == conformance::codes::kOption.id) return kExitUsage;
    return error.id == conformance::codes::kRuleFailed.id ? kExitBug : kExitInput;
}

Judged judge(const std::string& file, bool given, const usd::OpenOptions& open,
             const conformance::CheckOptions& options, const CheckArgs& args, const Context& context)
{
    Judged     out{canonical(file), given, {}, {}, {}, kExitClean};
    const auto fail = [&](const Diagnostic& error, ExitCode exit) {
        out.found.add(error);
        out.exit = exit;
    };
    if (const auto died = given ? std::nullopt : try_in_child(file, context))  // one file of a folder
        return fail(*died, kExitInput), out;
    const auto stage = usd::Stage::open(file, open);
    if (!stage) return fail(stage.error(), kExitInput), out;
    if (options.pool != nullptr) {  // the only file: the process ends soon, and destroying the stage takes a while
        static std::shared_ptr<const usd::Stage> left;
        left = *stage;
    }
    for (const std::string& layer : (*stage)->used_layers()) out.uses.insert(canonical(layer));
    if (const Diagnostics wrong = usd::check_selections(**stage, open.variant_selections); !wrong.empty())
        out.lacks = *wrong.begin();
    usd::inspect(**stage, out.found);  // authored values that are not read, or are read in an unexpected way
    const bool variants = args.all_variants || args.variants != "default";
    auto       report   = variants ? conformance::check_variants(**stage, file, open, options,
                                                                 {args.variants == "product", args.max_states})
                                   : conformance::check(**stage, options);
    if (!report) return fail(report.error(), exit_of_failure(report.error())), out;
    for (const Diagnostic& found : (*stage)->diagnostics())
        if (found.severity == Severity::error) fail(found, kExitInput);
    out.report = std::move(*report);
    return out;
}

/// Calls `body` for each number below `count`, by as many workers as there are cores or --threads asks for.
void for_each_on_cores(std::size_t count, const Context& context, const std::function<void(std::size_t)>& body)
{
    std::atomic<std::size_t> next{0};
    const auto               work = [&] {
        for (std::size_t i = next++; i < count; i = next++) body(i);
    };
    const std::size_t        cores = context.global.threads > 0 ? static_cast<std::size_t>(context.global.threads)
                                                                : std::thread::hardware_concurrency();
    std::vector<std::thread> helpers;
    for (std::size_t n = 1; n < std::min(cores, count); ++n) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
}

/// Every file.
std::vector<Judged> judge_all(const std::vector<std::string>& files, const usd::OpenOptions& open,
                              const conformance::CheckOptions& options, const CheckArgs& args, Context& context)
{
    std::vector<Judged> all(files.size(), Judged{{}, false, {}, {}, {}, kExitClean});
    std::size_t         done = 0;
    std::mutex          talking;
    const auto          is_given = [&](const std::string& file) {
        return std::find(args.assets.begin(), args.assets.end(), file) != args.assets.end();
    };
    // Untrusted files are read by a child process first. Starting one takes longer than reading a small file.
    constexpr std::size_t    kTogether = 64;
    std::vector<std::string> strangers;
    std::copy_if(files.begin(), files.end(), std::back_inserter(strangers),
                 [&](const std::string& file) { return !is_given(file); });
    for_each_on_cores((strangers.size() + kTogether - 1) / kTogether, context, [&](std::size_t batch) {
        const auto rest = std::span(strangers).subspan(batch * kTogether);
        try_together(rest.first(std::min(kTogether, rest.size())), context);
    });
    for_each_on_cores(files.size(), context, [&](std::size_t i) {
        all[i] = judge(files[i], is_given(files[i]), open, options, args, context);
        const std::scoped_lock lock(talking);
        if (files.size() > 1)
            context.io.progress("check", static_cast<std::int64_t>(++done), static_cast<std::int64_t>(files.size()));
    });
    if (files.size() > 1) context.io.end_progress();
    return all;
}

/// Removes those files found in folders that another file there includes as a layer: they are checked as parts of it.
void drop_parts(std::vector<Judged>& all)
{
    std::map<std::string, std::vector<const Judged*>> users;
    for (const Judged& one : all)
        for (const std::string& layer : one.uses)
            if (layer != one.file) users[layer].push_back(&one);
    std::set<std::string> parts;
    for (const Judged& one : all) {
        const auto used = users.find(one.file);
        if (one.given || used == users.end()) continue;
        // Files that include each other are both kept.
        if (std::any_of(used->second.begin(), used->second.end(),
                        [&](const Judged* user) { return one.uses.count(user->file) == 0; }))
            parts.insert(one.file);
    }
    std::erase_if(all, [&](const Judged& one) { return parts.count(one.file) != 0; });
}

int run_check(CheckArgs args, Context& context)
{
    Io& io = context.io;
    if (args.list_rules)
        return io.out(args.format == "json" || context.global.json ? conformance::rules_json() : list_rules()), kExitClean;
    if (args.assets.empty()) return io.say_error("no asset given\n  mechane check ASSET...\n"), kExitUsage;
    if (files_of(args.assets).empty()) {
        io.say_error(fmt::format("there is no USD file in {}\n", fmt::join(args.assets, ", ")));
        return kExitInput;
    }
    if (args.behaviour) return run_behaviour(files_of(args.assets), args.pictures, context);
    const auto scene = scene_options(context);
    if (!scene) return kExitUsage;
    if (!context.global.options.empty() && args.format != "html")
        io.say("--option sets the import: it has an effect only with --behaviour and --format html\n");
    const auto config = read_check_config(args.config, io);
    if (!config) return kExitUsage;
    if (args.profile.empty()) args.profile = config->profile.empty() ? "distributed" : config->profile;
    if (args.fail_on.empty()) args.fail_on = config->fail_on.empty() ? "error" : config->fail_on;
    conformance::CheckOptions options{.profile = args.profile, .select = args.select, .ignore = args.ignore};
    options.strict_payloads   = args.strict_payloads;
    options.manual            = args.manual;
    options.interface_folders = args.interfaces;
    if (const char* prefixes = std::getenv("AMENT_PREFIX_PATH"); args.ros_env && prefixes != nullptr)
        for (std::istringstream list(prefixes); !list.eof();)
            std::getline(list, options.interface_folders.emplace_back(), ':');
    options.select.insert(options.select.end(), args.sections.begin(), args.sections.end());
    if (options.select.empty()) options.select = config->select;
    options.ignore.insert(options.ignore.end(), config->ignore.begin(), config->ignore.end());
    for (const auto& [rule, severity] : config->severities) options.severities[rule] = severity;
    if (!args.baseline.empty()) {
        if (!std::filesystem::is_regular_file(args.baseline))
            return io.say_error(fmt::format("there is no baseline {}\n  --write-baseline makes one.\n", args.baseline)),
                   kExitUsage;
        options.baseline = read_lines(args.baseline);
    }
    // A single file uses all cores; of several files each uses one.
    std::vector<std::string>   files = files_of(args.assets);
    std::optional<tasks::Pool> pool;
    if (files.size() == 1) options.pool = &pool.emplace(context.global.threads);
    std::vector<conformance::Report> reports;
    int                              exit   = kExitClean;
    const Severity                   wanted = severity_named(args.severity), fatal = severity_named(args.fail_on);
    std::string                      known;
    const std::string                day = today();
    std::vector<Diagnostic>          unopened;
    std::vector<Judged>              all = judge_all(files, scene->open, options, args, context);
    drop_parts(all);
    std::vector<Diagnostic> lacking;
    for (const Judged& judged : all)
        if (judged.lacks) lacking.push_back(*judged.lacks);
    if (!report_lacking(lacking, all.size(), context)) return kExitUsage;
    for (Judged& judged : all) {
        io.report(judged.found);
        if (judged.exit == kExitUsage) return kExitUsage;
        if (judged.exit != kExitClean)
            for (const Diagnostic& problem : judged.found)
                if (problem.severity == Severity::error) unopened.push_back(problem);
        exit = std::max<int>(exit, judged.exit);  // findings, then input, then a bug
        if (!judged.report) continue;
        conformance::Report& report = *judged.report;
        for (const conformance::RuleOutcome& outcome : report.outcomes) {
            if (!outcome.failed) continue;
            exit = kExitBug;  // it outweighs every other status of the asset
            io.report(make_diagnostic(conformance::codes::kRuleFailed, {.layer = report.asset},
                                      fmt::format("{}: {}", outcome.rule->id, outcome.reason)));
        }
        suppress(report, config->suppressions, day);
        for (const conformance::Finding& finding : report.findings) {
            if (finding.severity >= fatal && exit == kExitClean && !args.exit_zero) exit = kExitFindings;
            known += fmt::format("{} {} {}\n", finding.fingerprint, finding.rule->id, finding.site.prim);
        }
        std::erase_if(report.findings, [&](const conformance::Finding& finding) { return finding.severity < wanted; });
        reports.push_back(std::move(report));
    }
    report_unused(config->suppressions, day, io);
    if (!args.write_baseline.empty()) {
        const std::string text    = "# mechane check --baseline: fingerprint, rule, prim\n" + known;
        const bool again = !args.baseline.empty() && files::real_place(args.baseline) == files::real_place(args.write_baseline);
        const int  written = write_text(args.write_baseline, text, io, {.may_be_input = again});
        return written != kExitClean ? written : exit == kExitFindings ? kExitClean : exit;
    }
    const std::string text =
        args.statistics ? statistics(reports) : formatted(args, reports, std::move(unopened), context);
    // Line formats have escaped names already, and contain colours and commands on purpose.
    const bool lines = !args.statistics && (args.format == "text" || args.format == "github");
    if (lines && (args.output.empty() || args.output == "-")) return io.lines(text), exit;
    const int written = write_text(args.output, text, io);
    return written != kExitClean ? written : exit;
}

}  // namespace

void add_check(CLI::App& app, Context& context)
{
    const auto args = std::make_shared<CheckArgs>();
    CLI::App*  verb = app.add_subcommand("check", "Check assets against REP-0158");
    verb->footer(
        "Examples:\n  mechane check robot.usda\n  mechane check robots/ --format sarif -o findings.sarif\n  mechane "
        "check robot.usda --select 1.3,REP-2.4-d --severity warning\n"
        "  mechane explain REP-1.3-l");
    verb->add_option("assets", args->assets, "Stages, or folders of stages");
    verb->add_option("--profile", args->profile,
                     "Set of rules: distributed (default), core, export, source, scene, ros-only, tidy, usdphysics");
    verb->add_option("--select,--rules,--rule", args->select, "Only these rules, by id, slug or section (1.3, REP-2)")
        ->delimiter(',');
    verb->add_option("--ignore,--disable-rule", args->ignore,
                     "Rules to skip (same syntax as --select)")->delimiter(',');
    verb->add_option("--sections", args->sections, "Only these sections of the standard")->delimiter(',');
    verb->add_option("--severity", args->severity, "Minimum severity to print")
        ->check(CLI::IsMember({"info", "warning", "error"}))
        ->capture_default_str();
    verb->add_option("--fail-on", args->fail_on, "Minimum severity for exit status 1")
        ->check(CLI::IsMember({"info", "warning", "error"}));
    const CLI::Option* format =
        verb->add_option("--format,--output-format", args->format,
                         "Report format: text, json, sarif, junit, github or html")
        ->check(CLI::IsMember({"text", "json", "sarif", "junit", "github", "html"}))
        ->capture_default_str();
    is_output_file(verb->add_option("-o,--output", args->output, "Output file; stdout by default"));
    verb->add_option("--baseline", args->baseline, "Skip findings listed in this file");
    is_output_file(
        verb->add_option("--write-baseline", args->write_baseline, "Write the findings to a baseline file and exit"));
    verb->add_option("--max-per-rule", args->max_per_rule, "Show at most N findings per rule (text)")
        ->capture_default_str();
    verb->add_option("--variants", args->variants,
                     "Variant selections to check: default, each (one other variant at a time), product (all combinations)")
        ->check(CLI::IsMember({"default", "each", "product"}))
        ->capture_default_str();
    verb->add_option("--interfaces", args->interfaces,
                     "Folder of ROS packages, installed or as sources, with further message types; may repeat");
    verb->add_flag("--ros-env", args->ros_env, "Also use the message types of AMENT_PREFIX_PATH");
    verb->add_flag("--strict-payloads", args->strict_payloads,
                   "Report links behind the entry's payload as errors, not warnings");
    verb->add_flag("--manual", args->manual, "Also list rules that only people can judge");
    verb->add_flag("--all-variants", args->all_variants, "Same as --variants each");
    verb->add_option("--max-states", args->max_states, "Check at most N further variant selections")
        ->capture_default_str();
    verb->add_option("--registry", args->registry,
                     "Check submissions to a schema registry instead: every folder at or below this one with a "
                     "schema.usda");
    verb->add_flag("--behaviour", args->behaviour,
                   "Simulate instead: drop, hold, joint limits, mimic joints, overlaps of the start pose");
    is_output_folder(
        verb->add_option("--pictures", args->pictures, "With --behaviour: folder for a picture of each failure"));
    verb->add_option("--config", args->config, "Configuration file; default mechane.toml of the working folder");
    verb->add_flag("--statistics", args->statistics, "Print only the number of findings per rule");
    verb->add_flag("--list-rules,--dumpRules", args->list_rules, "Print all rules and profiles");
    verb->add_flag("--exit-zero", args->exit_zero, "Exit with status 0 even if there are findings");
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, format, &context] {
        if (context.global.json && format->count() > 0 && args->format != "json") {
            context.io.say_error(fmt::format("--json and --format {} exclude each other\n", args->format));
            context.exit = kExitUsage;
            return;
        }
        if (context.global.json) args->format = "json";
        if (args->behaviour && args->format == "json") context.global.json = true;
        if (context.global.strict && args->fail_on.empty()) args->fail_on = "warning";
        if (!args->registry.empty() && !args->assets.empty()) {
            context.io.say_error("--registry cannot be combined with assets\n");
            context.exit = kExitUsage;
            return;
        }
        context.exit = args->registry.empty() ? run_check(*args, context) : check_registry(args->registry, context);
    });
}

}  // namespace mechane::cli
