// Options that all verbs share, and what they mean for opening and importing.
// Inputs: the parsed options. Outputs: limits, search paths, variant selections and import options as the inner rooms
// want them. Mistakes are printed here, with the option's name.
// Before a verb runs: interrupted transactions of its files are finished, files that cannot be trusted are read by a
// child, and outputs are checked.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/caching.h"
#include "cli/command.h"
#include "cli/output_options.h"
#include "cli/watch.h"
#include "mechane/core/nearest.h"
#include "mechane/files/transaction.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/foreign.h"
#include "mechane/usd/schemas.h"
#include "mechane/usd/selections.h"
#include "mechane/usd/threads.h"

namespace mechane::cli {
namespace {

/// Ends the program where an option has the empty text as its value, as `--select "$RULES"` has where the variable is
/// not set. Most options would take it for "all" or for "none".
void refuse_empty_values(const CLI::App& verb, const Io& io)
{
    constexpr std::string_view kMayBeEmpty = "sdf-ros-plugin";  // no plug-in
    for (const CLI::Option* option : verb.get_options()) {
        // An option that needs no value has the empty text where none is given.
        if (option->get_positional() || option->get_items_expected_min() == 0 ||
            option->check_lname(std::string(kMayBeEmpty)))
            continue;
        const auto& values = option->results();
        if (std::none_of(values.begin(), values.end(), [](const std::string& value) { return value.empty(); })) continue;
        io.say_error(fmt::format("{} has an empty value\n  Leave the option out, or give it a value.\n",
                                 option->get_name()));
        throw CLI::RuntimeError(kExitUsage);
    }
}

}  // namespace

namespace {

/// Folders that are searched must be there: in one with a misspelt name nothing is found, and nothing tells.
bool are_folders(const GlobalOptions& g, const Io& io)
{
    std::vector<std::pair<const char*, std::string>> named;
    for (const std::string& path : g.search_paths) named.emplace_back("--search-path", path);
    for (const std::string& package : g.packages)
        // What has no "=" is told with the form that it should have.
        if (const std::size_t equals = package.find('='); equals != std::string::npos)
            named.emplace_back("--package", package.substr(equals + 1));
    for (const auto& [option, folder] : named)
        if (const std::string wrong = missing_folder(folder); !wrong.empty()) {
            io.say_error(fmt::format("{}: {}\n", option, wrong));
            return false;
        }
    return true;
}

}  // namespace

std::string missing_folder(const std::string& folder)
{
    std::error_code failed;
    return std::filesystem::is_directory(folder, failed) ? std::string()
                                                         : fmt::format("there is no folder '{}'", folder);
}

// Called for each verb by itself, so that options may stand behind it.
void add_global_options(CLI::App& verb, Context& context)
{
    GlobalOptions& g     = context.global;
    const char*    group = "Global";
    verb.add_flag("-q,--quiet", context.io.quiet, "Print only errors on stderr")->group(group);
    verb.add_flag("-v,--verbose", context.io.verbose, "Print more (-vv: even more)")->group(group);
    for (const auto& [name, when, about] :
         {std::tuple("--color", &context.io.color, "Colours: auto (on terminals), always, never"),
          std::tuple("--progress", &context.io.show_progress, "Progress: auto (on terminals), always, never")})
        verb.add_option_function<std::string>(
                name,
                [to = when](const std::string& text) {
                    *to = text == "always" ? When::always : text == "never" ? When::never : When::automatic;
                },
                about)
            ->check(CLI::IsMember({"auto", "always", "never"}))
            ->group(group);
    verb.add_flag("--json", g.json, "Print one JSON object on stdout")->group(group);
    verb.add_flag("--reproducible", g.reproducible, "Leave out values that differ between runs (wall times)")
        ->group(group);
    verb.add_option("--threads", g.threads, "Worker threads, 0 for all cores")
        ->check(CLI::Range(0, 1024))
        ->group(group);
    verb.add_option("--variant", g.variants, "Select a variant: SET=NAME or /Prim{SET=NAME}; may repeat")->group(group);
    // Repeated options are lists; with a delimiter also one text with commas.
    verb.add_option(
            "--resolvers", g.resolvers,
            "Experimental: vendors whose attributes are read, by priority: newton, physx, mjc, table files; auto "
            "(default): newton, then physx and mjc if the stage uses them")
        ->delimiter(',')
        ->group(group);
    verb.add_option("--package,--package-path", g.packages, "NAME=FOLDER for package://NAME addresses; may repeat")
        ->group(group);
    verb.add_option("--search-path", g.search_paths, "Folder to search for asset paths without a folder; may repeat")
        ->group(group);
    verb.add_option("--schema-path", g.schema_paths,
                    "Folder or plugInfo.json of a codeless schema plug-in, besides PXR_PLUGINPATH_NAME; may repeat")
        ->group(group);
    verb.add_flag("--unloaded", g.unloaded, "Do not load payloads")->group(group);
    verb.add_flag("--strict", g.strict, "Warnings count as findings (exit status 1)")->group(group);
    verb.add_flag("--timings", g.timings, "Print the wall time of each phase on stderr")->group(group);
    verb.add_option("--isolate", g.isolate,
                    "Parse files in a child process first: auto (files that cannot be checked beforehand, and "
                    "folders), always, never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->group(group);
    add_cache_options(verb, group);
    verb.add_option("--stage-limit", g.stage_limits,
                    "NAME=NUMBER: limit for reading: prims (5 million), memory (8 GiB), time, depth, layer, nesting, "
                    "sites, sublayers, unpacked, expressions; may repeat")
        ->group(group);
    // Before the verb runs: a file that it names may have to be read by a child process first.
    verb.parse_complete_callback([&verb, &context] {
        refuse_empty_values(verb, context.io);
        usd::Limits limits;
        if (!set_limits(context.global, context.io, limits) || !are_folders(context.global, context.io))
            throw CLI::RuntimeError(kExitUsage);
        // The reading of another program that is compared with; nothing else takes it.
        if (context.global.compat == "openusd-26" && verb.get_name() != "dump") {
            context.io.say_error("--compat openusd-26 is for 'mechane dump physics' alone\n  leave it out here\n");
            throw CLI::RuntimeError(kExitUsage);
        }
        watch_reading(context.io);
        std::vector<std::string> files;
        // Positional arguments name files or folders; what is no file is left alone by both calls below.
        for (const CLI::Option* option : verb.get_options())
            if (option->get_positional()) files.insert(files.end(), option->results().begin(), option->results().end());
        context.io.foreign =
            std::ranges::any_of(files, usd::is_foreign) &&
            std::ranges::none_of(files, [](const std::string& file) { return usd::is_stage_name(file); });
        Diagnostics interrupted;
        for (const std::string& file : files)
            // A transaction that was cut off is finished or taken back before anybody reads the file.
            if (const auto whole = files::recover(file, interrupted); !whole) {
                context.io.report(interrupted);
                throw CLI::RuntimeError(context.io.fail(whole.error()));
            }
        context.io.report(interrupted);
        isolate_named(files, context);
        if (const auto refused = check_outputs(verb, context)) throw CLI::RuntimeError(*refused);
    });
    verb.add_option("--compat", g.compat, "Import as another program does: newton-1.8, or openusd-26 for dump physics")
        ->check(CLI::IsMember({"newton-1.8", "openusd-26"}))
        ->group(group);
    verb.add_option("--units", g.units,
                    "si: convert to metres, kilograms, radians (default); stage: keep the file's lengths and masses")
        ->check(CLI::IsMember({"si", "stage"}))
        ->group(group);
    verb.add_option("--unauthored-units", g.unauthored_units,
                    "Unit of a stage without metersPerUnit: one (1 m, default) or usd (0.01 m)")
        ->check(CLI::IsMember({"one", "usd"}))
        ->group(group);
}

void add_import_options(CLI::App& verb, Context& context)
{
    verb.add_option("--option", context.global.options,
                    "Import option NAME=VALUE, listed by 'mechane schema options'; may repeat")
        ->group("Global");
    auto& options = context.global.options;
    verb.add_flag_callback(
            "--lenient-names", [&options] { options.emplace_back("lenient_names=true"); },
            "Accept misspelt names that occur in documentation")
        ->group("Global");
    verb.add_option_function<std::string>(
            "--legacy", [&options](const std::string& rules) { options.push_back("legacy=" + rules); },
            "Enable rules of older importers, by name, separated by commas")
        ->group("Global");
    verb.add_option_function<bool>(
            "--enable-self-collisions",
            [&options](bool on) { options.push_back(fmt::format("enable_self_collisions={}", on)); },
            "true or false: self-collision of articulations that do not author it")
        ->group("Global");
}

// Opens and reports. Selections that no prim has are mistakes of the command line.
Result<std::shared_ptr<const usd::Stage>> open_stage(const std::string& file, const usd::OpenOptions& options,
                                                     const Context& context)
{
    auto stage = usd::Stage::open(file, options);
    if (!stage) return stage;
    context.io.report((*stage)->diagnostics());
    const Diagnostics wrong = usd::check_selections(**stage, options.variant_selections);
    if (!wrong.empty()) return *wrong.begin();
    return stage;
}

/// Input outweighs findings: a stage that is composed incompletely proves nothing about the rest.
ExitCode exit_after(const Diagnostics& found, const Context& context)
{
    if (std::any_of(found.begin(), found.end(), [](const Diagnostic& one) {
            return one.severity == Severity::error && usd::is_composition_finding(one.id);
        }))
        return kExitInput;
    // Notes never count.
    const bool strict = context.global.strict && found.count(Severity::warning) > 0;
    return found.count(Severity::error) > 0 || strict ? kExitFindings : kExitClean;
}

namespace {

/// Sets what --option names.
/// @return false if one of them is invalid, with a message printed
bool set_options(const GlobalOptions& g, importer::ImportOptions& options, const Io& io)
{
    for (const std::string& text : g.options) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) {
            io.say_error(fmt::format("--option '{}' is not of the form NAME=VALUE\n", text));
            return false;
        }
        if (const auto set = importer::set_option(options, text.substr(0, equals), text.substr(equals + 1)); !set) {
            io.report(set.error());
            return false;
        }
    }
    return true;
}

/// Whether --option sets the list of resolvers, even to an empty one.
bool resolvers_given(const GlobalOptions& g)
{
    return std::any_of(g.options.begin(), g.options.end(),
                       [](const std::string& text) { return text.starts_with("schema_resolvers="); });
}

}  // namespace

std::optional<run::SceneOptions> scene_options(const Context& context)
{
    const GlobalOptions& g = context.global;
    // Meshes that are prepared are kept for the next stage of the same run.
    keep_geometry();
    run::SceneOptions options;
    if (!set_limits(g, context.io, options.open.limits)) return std::nullopt;
    options.open.search_paths  = g.search_paths;
    options.open.load_payloads = !g.unloaded;
    options.open.threads       = g.threads;
    // Before OpenUSD has started its threads.
    if (g.threads > 0) usd::limit_threads(g.threads);
    for (const std::string& package : g.packages) {
        const std::size_t equals = package.find('=');
        if (equals == std::string::npos || equals == 0) {
            context.io.say_error(fmt::format("--package '{}' is not of the form NAME=FOLDER\n", package));
            return std::nullopt;
        }
        // Absolute, as relative folders would depend on who asks.
        options.open.packages[package.substr(0, equals)] =
            std::filesystem::absolute(package.substr(equals + 1)).string();
    }
    for (const std::string& variant : g.variants) {
        // The last sign: paths of prims may hold none, but names of variants may.
        const std::size_t equals = variant.rfind('=');
        if (equals == std::string::npos || equals == 0) {
            context.io.say_error(
                fmt::format("--variant '{}' is not of the form SET=NAME or /Prim{{SET=NAME}}\n", variant));
            return std::nullopt;
        }
        std::string target = variant.substr(0, equals), name = variant.substr(equals + 1);
        if (target.find('{') != std::string::npos) {  // /Prim{SET=NAME} -> /Prim{SET}, NAME
            target += '}';
            if (name.ends_with('}')) name.pop_back();
        }
        options.open.variant_selections.emplace_back(target, name);
    }
    for (const std::string& path : g.schema_paths)
        if (const auto added = usd::add_schemas(path); !added) {
            context.io.report(added.error());
            return std::nullopt;
        }
    // Findings of plug-ins are told where somebody asked for some.
    if (!g.schema_paths.empty() || std::getenv("PXR_PLUGINPATH_NAME") != nullptr)
        context.io.report(usd::schema_findings());
    options.import.threads = g.threads;
    // Under --strict a value without effect is a finding of every verb that imports.
    options.import.ledger = options.tell_ignored = g.strict;
    if (g.compat == "newton-1.8") options.import.compat = importer::Compat::newton_1_8;
    if (g.units == "stage") options.import.units = importer::Units::stage;
    if (g.unauthored_units == "usd") options.import.unauthored_units = importer::UnauthoredUnits::usd;
    // Not the same as "newton", which a user may have chosen.
    options.import.schema_resolvers = g.resolvers;
    // --option comes after the options with names of their own, so it has the last word.
    if (!set_options(g, options.import, context.io)) return std::nullopt;
    const bool newton = options.import.compat == importer::Compat::newton_1_8;
    if (options.import.schema_resolvers.empty() && !resolvers_given(g))
        options.import.schema_resolvers = {newton ? "newton" : std::string(resolve::kAutomatic)};
    return options;
}

bool are_prims(const std::string& file, const std::vector<usd::Path>& paths, const char* option, usd::OpenOptions open,
               const Context& context)
{
    if (paths.empty()) return true;
    // Looked for in the whole stage: a mask with a wrong path shows nothing.
    open.mask.clear();
    const auto stage = usd::Stage::open(file, open);
    if (!stage) return true;  // reported by the code that opens it next
    for (const usd::Path& path : paths) {
        if ((*stage)->prim_at(path)) continue;
        std::vector<std::string> known;
        for (const usd::Prim& prim : (*stage)->traverse({.all = true, .instance_proxies = true}))
            known.push_back(prim.path().text());
        const std::string near = did_you_mean(path.text(), known);
        context.io.say_error(fmt::format("{}: there is no prim '{}'\n{}", option, path.text(),
                                         near.empty() ? "" : fmt::format("  {}\n", near)));
        return false;
    }
    return true;
}

bool report_lacking(const std::vector<Diagnostic>& lacking, std::size_t files, const Context& context)
{
    // With several files a selection has to fit one of them; the others are told as warnings.
    const bool none_has_it = !lacking.empty() && lacking.size() >= files;
    for (Diagnostic one : lacking) {
        if (!none_has_it) one.severity = Severity::warning;
        context.io.report(one);
    }
    return !none_has_it;
}

bool are_selected(const std::vector<std::string>& files, const usd::OpenOptions& open, const Context& context)
{
    if (open.variant_selections.empty()) return true;
    std::vector<Diagnostic> lacking;
    for (const std::string& file : files) {
        const auto stage = usd::Stage::open(file, open);
        if (!stage) continue;  // reported by the code that opens it next
        if (const Diagnostics wrong = usd::check_selections(**stage, open.variant_selections); !wrong.empty())
            lacking.push_back(*wrong.begin());
    }
    return report_lacking(lacking, files.size(), context);
}

// Properties and relative paths are refused, as they would select nothing.
std::optional<std::vector<usd::Path>> prim_paths(const std::vector<std::string>& texts, const char* option,
                                                 const Io& io)
{
    std::vector<usd::Path> paths;
    for (const std::string& text : texts) {
        const usd::Path path{text};
        if (path.empty() || path.is_property() || !text.starts_with('/')) {
            io.say_error(fmt::format("{} '{}' is not the path of a prim\n", option, text));
            return std::nullopt;
        }
        paths.push_back(path);
    }
    return paths;
}

}  // namespace mechane::cli
