// `mechane check`: checks assets against REP-0158 and writes the findings.
// Inputs: files and folders, a configuration, a baseline. Outputs: reports in seven formats.
// The rules are in conformance/, the judging of many files in check_judge.cpp, the writing in check_output.cpp.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>

#include "cli/behaviour.h"
#include "cli/caching.h"
#include "cli/check_config.h"
#include "cli/check_files.h"
#include "cli/check_judge.h"
#include "cli/check_output.h"
#include "cli/command.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/registry.h"
#include "mechane/conformance/check.h"
#include "mechane/conformance/codes.h"
#include "mechane/conformance/formats.h"
#include "mechane/files/cache_folder.h"
#include "mechane/files/kept_results.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/usd/packages.h"

/// mechane check: checks assets against REP-0158.
/// The whole command: options, configuration, cache, judging, output and exit status. The rules are in conformance/.
/// Verdicts are computed by many threads in any order and told in the order of the files, so that the output does not
/// depend on the number of cores.
/// Exit status: a bug in a rule outweighs everything, then input that cannot be opened, then findings.
namespace mechane::cli {
namespace {

/// The fingerprints of a baseline; nothing if the file is none, with a message printed.
std::optional<std::vector<std::string>> read_baseline(const std::string& file, const Io& io)
{
    std::vector<std::string> known;
    constexpr std::uint64_t  kMost = std::uint64_t{64} << 20;
    const auto               text  = files::read(file, kMost);
    if (!text) return io.report(text.error()), std::nullopt;
    std::istringstream in(*text);
    std::size_t        number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty() || line[0] == '#') continue;
        const std::string word = line.substr(0, line.find(' '));
        // A file that is no baseline, or a cut one, would let everything through as new.
        if (word.size() != 16 || word.find_first_not_of("0123456789abcdef") != std::string::npos) {
            io.say_error(
                fmt::format("--baseline {}:{}: '{}' is not the fingerprint of a finding\n  --write-baseline "
                            "makes the file anew.\n",
                            file, number, word));
            return std::nullopt;
        }
        known.push_back(word);
    }
    return known;
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

/// The cache of verdicts; nothing where none is wanted, or nothing can be kept.
std::unique_ptr<files::KeptResults> cache_of(const CheckArgs& args, const usd::OpenOptions& open,
                                             const conformance::CheckOptions& options, const Context& context)
{
    const std::string folder = cache_folder("verdicts");
    if (folder.empty()) return nullptr;
    std::string configuration = check_configuration(args, options, context);
    if (configuration.empty()) return nullptr;
    usd::answer_for_packages(open.packages);
    return std::make_unique<files::KeptResults>(files::CacheFolder(folder, ".verdict", cache_bytes()),
                                                std::move(configuration), args.reread);
}

/// Exit statuses by weight: findings, then input, then a bug.
struct Worst {
    int  exit = kExitClean;
    void met(int other) { exit = std::max(exit, other); }
};

/// Prints the verdicts, in the order of the files.
int tell(const CheckArgs& args, const CheckConfig& config, Verdicts& verdicts, Context& context)
{
    Io&                     io = context.io;
    std::vector<Diagnostic> lacking;
    // A selection that no file has is a mistake of the user; one that only some lack is not. So all files are looked at
    // before anything is told.
    if (!context.global.variants.empty())
        for (std::size_t i = 0; i < verdicts.size(); ++i) {
            const auto judged = verdicts.at(i);
            if (!judged) return io.fail(judged.error());
            if (judged->lacks) lacking.push_back(*judged->lacks);
        }
    if (!report_lacking(lacking, verdicts.size(), context)) return kExitUsage;
    const bool        writes_baseline = !args.write_baseline.empty();
    const auto        output          = writes_baseline ? nullptr : check_output(args, verdicts.parts(), context);
    const Severity    wanted = severity_named(args.severity), fatal = severity_named(args.fail_on);
    std::string       known;
    const std::string day = today();
    Worst             worst;
    if (!writes_baseline && output == nullptr) return kExitUsage;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        auto judged = verdicts.at(i);
        if (!judged) return io.fail(judged.error());
        Diagnostics beside = judged->found;
        if (judged->report)
            for (const Diagnostic& note : judged->report->notes) beside.add(note);
        io.report(beside);
        if (judged->exit == kExitUsage) return kExitUsage;
        if (judged->exit != kExitClean && output != nullptr)
            for (const Diagnostic& problem : judged->found)
                if (problem.severity == Severity::error) output->add_unopened(problem);
        worst.met(judged->exit);
        if (!judged->report) continue;
        if (context.global.strict && !judged->report->notes.empty() && worst.exit == kExitClean && !args.exit_zero)
            worst.exit = kExitFindings;
        conformance::Report& report = *judged->report;
        for (const conformance::RuleOutcome& outcome : report.outcomes) {
            if (!outcome.failed) continue;
            worst.exit = kExitBug;  // it outweighs every other status of the asset
            io.report(make_diagnostic(conformance::codes::kRuleFailed, {.layer = report.asset},
                                      fmt::format("{}: {}", outcome.rule->id, outcome.reason)));
        }
        suppress(report, config.suppressions, day);
        for (const conformance::Finding& finding : report.findings) {
            // The exit status counts all findings; --severity hides lines only.
            if (finding.severity >= fatal && worst.exit == kExitClean && !args.exit_zero) worst.exit = kExitFindings;
            if (writes_baseline)
                known += fmt::format("{} {} {}\n", finding.fingerprint, finding.rule->id, finding.site.prim);
        }
        std::erase_if(report.findings, [&](const conformance::Finding& finding) { return finding.severity < wanted; });
        if (output != nullptr) output->add(std::move(report));
    }
    report_unused(config.suppressions, day, io);
    if (writes_baseline) {
        const std::string text = "# mechane check --baseline: fingerprint, rule, prim\n" + known;
        // The baseline that was read may be written again: that is how it is brought up to date.
        const bool again =
            !args.baseline.empty() && files::real_place(args.baseline) == files::real_place(args.write_baseline);
        const int written = write_text(args.write_baseline, text, io, {.may_be_input = again});
        return written != kExitClean ? written : worst.exit == kExitFindings ? kExitClean : worst.exit;
    }
    const int written = output->end();
    return written != kExitClean ? written : worst.exit;
}

/// The files that are assets: of folders without those that are parts of another one.
Result<std::vector<std::string>> assets_of(std::vector<std::string> files, const CheckArgs& args,
                                           const usd::OpenOptions& open, Context& context)
{
    if (files == args.assets && !args.by_asset) return files;
    // One cheap rule: what uses what is a question to all of them.
    const conformance::CheckOptions options{.profile = "distributed", .select = {"REP-1.1-a"}, .ignore = {}};
    Verdicts                        verdicts(std::move(files), args, open, options, context);
    if (auto done = verdicts.judge(nullptr); !done) return done.error();
    std::vector<std::string> assets;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        auto judged = verdicts.at(i);
        if (!judged) return judged.error();
        assets.push_back(judged->file);
    }
    return assets;
}

int run_check(CheckArgs args, Context& context)
{
    Io& io = context.io;
    if (args.list_rules)
        return write_text(args.output,
                          args.format == "json" || context.global.json ? conformance::rules_json() : list_rules(), io);
    if (args.assets.empty()) return io.say_error("no asset given\n  mechane check ASSET...\n"), kExitUsage;
    tell_other_robots(args.assets, io);
    std::vector<std::string> files = files_of(args.assets, args.by_asset);
    if (files.empty()) {
        io.say_error(fmt::format("there is no USD file in {}\n", fmt::join(args.assets, ", ")));
        return kExitInput;
    }
    const auto scene = scene_options(context);
    if (!scene) return kExitUsage;
    if (args.behaviour) {
        const auto assets = assets_of(std::move(files), args, scene->open, context);
        return assets ? run_behaviour(*assets, args, context) : io.fail(assets.error());
    }
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
        auto known = read_baseline(args.baseline, io);
        if (!known) return kExitUsage;
        options.baseline = *std::move(known);
    }
    // A single file uses all cores; of several files each uses one.
    std::optional<tasks::Pool> pool;
    if (files.size() == 1) options.pool = &pool.emplace(context.global.threads);
    const std::size_t count = files.size();
    const auto        cache = cache_of(args, scene->open, options, context);
    Verdicts          verdicts(std::move(files), args, scene->open, options, context);
    if (const auto done = verdicts.judge(cache.get()); !done) return io.fail(done.error());
    if (io.verbose > 0)
        io.say(fmt::format("{} of {} files checked, {} verdicts from the cache\n", verdicts.judged(), count,
                           count - verdicts.judged()));
    if (args.list_assets) {
        std::string names;
        for (std::size_t i = 0; i < verdicts.size(); ++i) {
            const auto judged = verdicts.at(i);
            if (!judged) return io.fail(judged.error());
            names += judged->file + '\n';
        }
        return write_text(args.output, names, io);
    }
    return tell(args, *config, verdicts, context);
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
    verb->add_option("--ignore,--disable-rule", args->ignore, "Rules to skip (same syntax as --select)")
        ->delimiter(',');
    verb->add_option("--sections", args->sections, "Only these sections of the standard")->delimiter(',');
    verb->add_option("--severity", args->severity, "Minimum severity to print")
        ->check(CLI::IsMember({"info", "warning", "error"}))
        ->capture_default_str();
    verb->add_option("--fail-on", args->fail_on, "Minimum severity for exit status 1")
        ->check(CLI::IsMember({"info", "warning", "error"}));
    const CLI::Option* format =
        verb->add_option("--format,--output-format", args->format,
                         "Report format: text, json, ndjson, sarif, junit, github or html")
            ->check(CLI::IsMember({"text", "json", "ndjson", "sarif", "junit", "github", "html"}))
            ->capture_default_str();
    is_output_file(verb->add_option("-o,--output", args->output, "Output file; stdout by default"));
    verb->add_option("--batch", args->batch,
                     "Write a SARIF file for every N assets, and print its name: -o findings-%04d.sarif")
        ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 32));
    verb->add_option("--baseline", args->baseline, "Skip findings listed in this file");
    is_output_file(
        verb->add_option("--write-baseline", args->write_baseline, "Write the findings to a baseline file and exit"));
    verb->add_option("--max-per-rule", args->max_per_rule, "Show at most N findings per rule (text)")
        ->capture_default_str();
    verb->add_option(
            "--variants", args->variants,
            "Variant selections to check: default, each (one other variant at a time), product (all combinations)")
        ->check(CLI::IsMember({"default", "each", "product"}))
        ->capture_default_str();
    verb->add_option("--interfaces", args->interfaces,
                     "Folder of ROS packages, installed or as sources, with further message types; may repeat")
        ->check(missing_folder);
    verb->add_flag("--ros-env", args->ros_env, "Also use the message types of AMENT_PREFIX_PATH");
    verb->add_flag("--strict-payloads", args->strict_payloads,
                   "Report links behind the entry's payload as errors, not warnings");
    verb->add_flag("--by-asset", args->by_asset,
                   "Check the assets that the given layers are part of: files of their folders that use them");
    verb->add_flag("--list-assets", args->list_assets,
                   "Print the names of the files that are checked, and no verdicts");
    verb->add_flag("--manual", args->manual, "Also list rules that only people can check");
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
    verb->add_flag("--reread", args->reread,
                   "Read every file again to detect changes; by default its size and times decide");
    verb->add_flag("--statistics", args->statistics, "Print only the number of findings per rule");
    verb->add_flag("--list-rules,--dumpRules", args->list_rules, "Print all rules and profiles");
    verb->add_flag("--exit-zero", args->exit_zero, "Exit with status 0 even if there are findings");
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, verb, format, &context] {
        const std::string idle = args->behaviour ? option_without_behaviour(*verb) : std::string();
        if (!idle.empty() || (!args->behaviour && !args->pictures.empty())) {
            context.io.say_error(idle.empty() ? "--pictures shows what fails with --behaviour\n"
                                              : fmt::format("{} says nothing about --behaviour\n", idle));
            context.exit = kExitUsage;
            return;
        }
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
