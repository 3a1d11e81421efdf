#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "mechane/importer/dump.h"
#include "mechane/physics/dump.h"
#include "mechane/physics/parse.h"
#include "mechane/resolve/mass_rules.h"
#include "mechane/usd/dump.h"

namespace mechane::cli {
namespace {

struct DumpArgs {
    std::string  kind, file, output;
    std::int64_t limit = -1;  ///< -1: the default
};

/// With --compat openusd-26 read as OpenUSD's own parser and mass computer do.
std::string dump_physics(const usd::Stage& stage, bool strict, const importer::ImportOptions& import, const Io& io)
{
    Diagnostics           found;
    physics::ParseOptions parsing;
    parsing.strict_reference = strict;
    // OpenUSD does not know that a prim with NewtonCollisionAPI alone is a collider.
    parsing.newton_schemas_imply_base = !strict;
    parsing.threads                   = import.threads;
    parsing.lenient_names             = import.lenient_names;
    parsing.nested_bodies             = import.nested_bodies;
    parsing.reset_stack               = import.reset_stack;
    if (import.root_path != "/") parsing.roots.emplace_back(import.root_path);
    const auto        model           = physics::parse(stage, parsing, found);
    const std::string text            = physics::dump_physics(
        model, [&](const physics::Collider& collider) { return resolve::mass_info(collider, strict, found); });
    io.report(found);
    return text;
}

int run_dump(const DumpArgs& args, Context& context)
{
    // A stage is read and not imported: one option of its own says how.
    const auto stage_only = std::erase(context.global.options, "schemas=openusd") > 0;
    if (args.kind == "stage" && !context.global.options.empty()) {
        context.io.say_error(fmt::format("--option '{}': a stage knows schemas=openusd only\n",
                                         context.global.options.front()));
        return kExitUsage;
    }
    if (stage_only && args.kind != "stage") {
        context.io.say_error("--option 'schemas=openusd' belongs to dump stage\n");
        return kExitUsage;
    }
    auto options = scene_options(context);
    if (!options) return kExitUsage;
    options->open.openusd_schemas_only = stage_only;
    const bool as_openusd = args.kind == "physics" && context.global.compat == "openusd-26";
    if (as_openusd) options->open.openusd_schemas_only = true;
    const auto stage = open_stage(args.file, options->open, context);
    if (!stage) return context.io.fail(stage.error());
    if (args.kind == "stage")
        return write_text(args.output,
                          usd::dump_stage(**stage, args.limit < 0 ? 64 : static_cast<std::size_t>(args.limit)),
                          context.io);
    if (args.kind == "physics")
        return write_text(args.output, dump_physics(**stage, as_openusd, options->import, context.io),
                          context.io);
    const auto text =
        importer::dump_model(**stage, options->import, args.limit < 0 ? 4096 : static_cast<std::size_t>(args.limit));
    if (!text) return context.io.fail(text.error());
    return write_text(args.output, *text, context.io);
}

}  // namespace

void add_dump(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<DumpArgs>();
    CLI::App* verb = app.add_subcommand(
        "dump", "Everything of a stage, its physics, or the model made of it, as JSON, for tools and tests");
    verb->add_option("kind", args->kind, "stage, physics or model")
        ->required()
        ->check(CLI::IsMember({"stage", "physics", "model"}));
    verb->add_option("file", args->file, "Stage")->required();
    verb->footer("Of a stage there is one --option, schemas=openusd: without the schemas of vendors.");
    verb->add_option("--limit", args->limit, "Arrays of a stage or model longer than this become a hash; 0 prints all");
    is_output_file(verb->add_option("-o,--output", args->output, "File, .gz compresses; stdout by default"));
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_dump(*args, context); });
}

}  // namespace mechane::cli
