#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/outputs.h"
#include "mechane/importer/dump.h"
#include "mechane/physics/dump.h"
#include "mechane/physics/parse.h"
#include "mechane/resolve/mass_rules.h"
#include "mechane/usd/dump.h"

namespace mechane::cli {
namespace {

struct DumpArgs {
    std::string              kind, file, output;
    std::vector<std::string> options;
    std::int64_t             limit = -1;  ///< -1: the default
};

/// With --compat openusd-26 read as OpenUSD's own parser and mass computer do.
std::string dump_physics(const usd::Stage& stage, bool strict, int threads, const Io& io)
{
    Diagnostics           found;
    physics::ParseOptions parsing;
    parsing.strict_reference = strict;
    // OpenUSD does not know that a prim with NewtonCollisionAPI alone is a collider.
    parsing.newton_schemas_imply_base = !strict;
    parsing.threads                   = threads;
    const auto        model           = physics::parse(stage, parsing, found);
    const std::string text            = physics::dump_physics(
        model, [&](const physics::Collider& collider) { return resolve::mass_info(collider, strict, found); });
    io.report(found);
    return text;
}

int run_dump(const DumpArgs& args, Context& context)
{
    auto options = scene_options(context);
    if (!options) return kExitUsage;
    for (const std::string& text : args.options) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) {
            context.io.say_error(fmt::format("--option '{}' is not of the form KEY=VALUE\n", text));
            return kExitUsage;
        }
        if (args.kind == "stage") {  // nothing is imported, so options of the import mean nothing
            if (text != "schemas=openusd") {
                context.io.say_error(fmt::format("--option '{}': a stage knows schemas=openusd only\n", text));
                return kExitUsage;
            }
            options->open.openusd_schemas_only = true;
            continue;
        }
        if (const auto set = importer::set_option(options->import, text.substr(0, equals), text.substr(equals + 1));
            !set)
            return context.io.fail(set.error());
    }
    const bool as_openusd = args.kind == "physics" && context.global.compat == "openusd-26";
    if (as_openusd) options->open.openusd_schemas_only = true;
    const auto stage = usd::Stage::open(args.file, options->open);
    if (!stage) return context.io.fail(stage.error());
    if (args.kind == "stage")
        return write_text(args.output,
                          usd::dump_stage(**stage, args.limit < 0 ? 64 : static_cast<std::size_t>(args.limit)),
                          context.io);
    if (args.kind == "physics")
        return write_text(args.output, dump_physics(**stage, as_openusd, options->open.threads, context.io),
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
    verb->add_option("--option", args->options,
                     "KEY=VALUE of the import, e.g. schema_resolvers=newton,physx, or schemas=openusd for a stage "
                     "without vendors' schemas; may repeat");
    verb->add_option("--limit", args->limit, "Arrays of a stage or model longer than this become a hash; 0 prints all");
    verb->add_option("-o,--output", args->output, "File, .gz compresses; stdout by default");
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_dump(*args, context); });
}

}  // namespace mechane::cli
