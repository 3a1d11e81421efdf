// `mechane dump`: a stage, its physics or its model as JSON, for tools and for comparisons with other programs.
// With --compat openusd-26 physics are read as OpenUSD's own parser reads them: without this program's leniencies and
// without vendors' schemas. Long arrays are printed as a hash.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "mechane/core/nearest.h"
#include "mechane/importer/dump.h"
#include "mechane/physics/dump.h"
#include "mechane/physics/parse.h"
#include "mechane/resolve/mass_rules.h"
#include "mechane/run/codes.h"
#include "mechane/run/scene.h"
#include "mechane/usd/dump.h"

namespace mechane::cli {
namespace {

struct DumpArgs {
    std::string              kind, file, output;
    std::int64_t             limit = -1;  ///< -1: the default
    std::vector<std::string> only;        ///< entries of the document that are printed; empty for all
};

/// The document with the entries of these names alone, at its top or one level below; "schema" stays.
/// @error RUN_ARGUMENT  a name that is nowhere; the hint has the nearest ones
Result<std::string> only_entries(const std::string& text, const std::vector<std::string>& names)
{
    using Document                    = nlohmann::ordered_json;
    const Document           document = Document::parse(text);
    std::vector<std::string> known;
    for (const auto& [key, value] : document.items()) {
        known.push_back(key);
        if (value.is_object())
            for (const auto& [inner, unused] : value.items()) known.push_back(inner);
    }
    for (const std::string& name : names)
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            std::sort(known.begin(), known.end());
            known.erase(std::unique(known.begin(), known.end()), known.end());
            const auto near = nearest(name, known);
            return make_diagnostic(run::kArgument, {}, fmt::format("the document has no entry '{}'", name),
                                   near.empty() ? fmt::format("Its entries: {}.", fmt::join(known, ", "))
                                                : fmt::format("Nearest names: {}.", fmt::join(near, ", ")));
        }
    const auto wanted = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    Document out = Document::object();
    for (const auto& [key, value] : document.items()) {
        if (key == "schema" || wanted(key)) out[key] = value;
        if (value.is_object() && !wanted(key))
            for (const auto& [inner, content] : value.items())
                if (wanted(inner)) out[key][inner] = content;
    }
    return out.dump(1) + "\n";
}

/// With --compat openusd-26, reads as OpenUSD's own parser and mass computer do.
std::string dump_physics(const usd::Stage& stage, bool strict, const importer::ImportOptions& import,
                         Diagnostics& found)
{
    physics::ParseOptions parsing;
    if (strict) parsing.conventions = physics::kOpenUsd26;
    // OpenUSD does not know that a prim with NewtonCollisionAPI alone is a collider.
    parsing.newton_schemas_imply_base = !strict;
    parsing.threads                   = import.threads;
    parsing.lenient_names             = import.lenient_names;
    parsing.nested_bodies             = import.nested_bodies;
    parsing.reset_stack               = import.reset_stack;
    if (import.root_path != "/") parsing.roots.emplace_back(import.root_path);
    const auto model = physics::parse(stage, parsing, found);
    return physics::dump_physics(
        model, [&](const physics::Collider& collider) { return resolve::mass_info(collider, strict, found); });
}

int run_dump(const DumpArgs& args, Context& context)
{
    // A stage is read and not imported: one option of its own says how.
    const auto stage_only = std::erase(context.global.options, "schemas=openusd") > 0;
    if (args.kind == "stage" && !context.global.options.empty()) {
        context.io.say_error(fmt::format("--option '{}': a stage has only the option schemas=openusd\n",
                                         context.global.options.front()));
        return kExitUsage;
    }
    if (stage_only && args.kind != "stage") {
        context.io.say_error("--option 'schemas=openusd' is for dump stage\n");
        return kExitUsage;
    }
    if (args.kind != "physics" && context.global.compat == "openusd-26") {
        context.io.say_error("--compat openusd-26 is for dump physics\n");
        return kExitUsage;
    }
    auto options = scene_options(context);
    if (!options) return kExitUsage;
    options->open.openusd_schemas_only = stage_only;
    const bool as_openusd              = args.kind == "physics" && context.global.compat == "openusd-26";
    if (as_openusd) options->open.openusd_schemas_only = true;
    const auto stage = open_stage(args.file, options->open, context);
    if (!stage) return context.io.fail(stage.error());
    const auto print = [&](const std::string& document) {
        if (args.only.empty()) return write_text(args.output, document, context.io);
        const auto part = only_entries(document, args.only);
        return part ? write_text(args.output, *part, context.io) : context.io.fail(part.error());
    };
    if (args.kind == "stage")
        return print(usd::dump_stage(**stage, args.limit < 0 ? 64 : static_cast<std::size_t>(args.limit)));
    Diagnostics found;
    // What was found decides the exit status of a document that could be printed.
    const auto print_found = [&](const std::string& document) {
        context.io.report(found);
        const int printed = print(document);
        return printed == kExitClean ? int(exit_after(found, context)) : printed;
    };
    if (args.kind == "physics") return print_found(dump_physics(**stage, as_openusd, options->import, found));
    const auto text =
        importer::dump_model(**stage, options->import, args.limit < 0 ? 4096 : static_cast<std::size_t>(args.limit));
    if (!text) return context.io.fail(text.error());
    if (!context.global.strict) return print(*text);
    // The document holds the model alone; what an import finds besides is known to the scene.
    const auto scene = run::load_scene(args.file, *options, found);
    return scene ? print_found(*text) : int(context.io.fail(scene.error()));
}

}  // namespace

void add_dump(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<DumpArgs>();
    CLI::App* verb = app.add_subcommand(
        "dump", "Print a stage, its physics, or the model made from it as JSON, for tools and tests");
    verb->add_option("kind", args->kind, "stage, physics or model")
        ->required()
        ->check(CLI::IsMember({"stage", "physics", "model"}));
    verb->add_option("file", args->file, "Stage")->required();
    verb->footer("For a stage there is one --option, schemas=openusd: without the vendors' schemas.");
    verb->add_option("--limit", args->limit, "Print a hash instead of arrays longer than this; 0 prints all");
    verb->add_option("--only", args->only,
                     "Print only these entries of the document, at its top or one level below; may repeat")
        ->delimiter(',');
    is_output_file(verb->add_option("-o,--output", args->output, "Output file, .gz compresses; stdout by default"));
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_dump(*args, context); });
}

}  // namespace mechane::cli
