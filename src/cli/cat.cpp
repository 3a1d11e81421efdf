// `mechane cat`: layers as text, in another encoding, flattened or packed; the counterpart of usdcat.
// Inputs: layers or any file that opens as a stage. Output: text on standard output, or a file by its extension.
// Nothing is composed unless --flatten or --flattenLayerStack asks for it, so a layer with missing references can be
// printed.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/flatten.h"
#include "mechane/usd/foreign.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/layer_files.h"

namespace mechane::cli {
namespace {

struct CatArgs {
    std::vector<std::string> files, mask;
    std::string              output, format;
    std::vector<std::string> roots;
    files::Outside           outside = files::Outside::warn;
    bool                     flatten = false, flatten_stack = false, keep_assets = false;
};

bool is_layer_or_package(const std::string& file) { return file == "-" || usd::is_stage_name(file); }

Result<usd::Layer> read_layer(const std::string& file, const CatArgs& args, const usd::OpenOptions& options,
                              const Io& io)
{
    if (!args.flatten && !args.flatten_stack && !usd::is_foreign(file)) {
        auto layer = usd::Layer::open(file, options.limits);
        // Relative asset paths mean the folder that the layer was in.
        const auto folder = [](const std::string& path) { return std::filesystem::absolute(path).parent_path(); };
        if (layer && !args.output.empty() && args.output != "-" && !usd::is_package_name(args.output) &&
            !args.keep_assets && folder(args.output) != folder(file))
            layer->make_assets_absolute();
        return layer;
    }
    const auto stage = usd::Stage::open(file, options);
    if (!stage) return stage.error();
    io.report((*stage)->diagnostics());
    return args.flatten ? usd::flatten(**stage, {.absolute_assets = !args.keep_assets})
                        : usd::flatten_layer_stack(**stage);
}

ExitCode write(const usd::Layer& layer, const CatArgs& args, const usd::OpenOptions& options, const Io& io)
{
    if (args.output.empty() || args.output == "-") {
        io.data(layer.to_text());
        return kExitClean;
    }
    if (usd::is_package_name(args.output)) {
        Diagnostics found;
        const auto  done = usd::write_package_within(
            layer, args.output,
            {.search_paths = options.search_paths, .packages = options.packages, .limits = options.limits},
            usd::roots_of(args.roots, args.outside, options), found);
        io.report(found);
        return done ? kExitClean : io.fail(done.error());
    }
    usd::SaveOptions save;
    if (!args.format.empty())
        save.format = args.format == "usda" ? usd::SaveOptions::Format::text : usd::SaveOptions::Format::binary;
    const auto done = layer.save(args.output, save);
    return done ? kExitClean : io.fail(done.error());
}

int run_cat(const CatArgs& args, Context& context)
{
    const Io& io      = context.io;
    auto      options = scene_options(context);
    if (!options) return kExitUsage;
    if (args.files.size() > 1 && !args.output.empty() && args.output != "-") {
        io.say_error("-o takes one file\n");
        return kExitUsage;
    }
    if (!args.mask.empty() && !args.flatten) {
        io.say_error("--mask needs --flatten\n");
        return kExitUsage;
    }
    // Standard output gets text. Of files the name decides, and one that says another encoding is refused when it is
    // saved.
    if (args.format == "usdc" && (args.output.empty() || args.output == "-")) {
        io.say_error("--usdFormat usdc needs -o FILE.usd: standard output gets text\n");
        return kExitUsage;
    }
    const auto mask = prim_paths(args.mask, "--mask", io);
    if (!mask) return kExitUsage;
    options->open.mask = *mask;
    if (!are_selected(args.files, options->open, context)) return kExitUsage;
    for (const std::string& file : args.files)
        if (!are_prims(file, *mask, "--mask", options->open, context)) return kExitUsage;
    for (const std::string& file : args.files) {
        const auto layer = read_layer(file, args, options->open, io);
        if (!layer) return io.fail(layer.error());
        if (const ExitCode done = write(*layer, args, options->open, io); done != kExitClean) return done;
    }
    return kExitClean;
}

}  // namespace

void add_cat(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<CatArgs>();
    CLI::App* verb = app.add_subcommand("cat", "Print layers as text, convert between formats, flatten, pack");
    verb->add_option("files", args->files, "Layers")->required();
    verb->add_flag("--flatten,-f", args->flatten, "Write one layer with everything that the stage composes");
    verb->add_flag("--flattenLayerStack", args->flatten_stack,
                   "Join the root layer and its sublayers into one; keep the arcs");
    verb->add_option("--mask", args->mask, "With --flatten: only these prims, separated by commas")->delimiter(',');
    verb->add_option("--usdFormat", args->format, "Encoding of a .usd file: usda or usdc")
        ->check(CLI::IsMember({"usda", "usdc"}));
    verb->add_flag("--keep-asset-paths", args->keep_assets, "Do not make asset paths absolute");
    is_output_file(verb->add_option("-o,--out,--output", args->output,
                                    "Output file: .usda, .usdc, .usd or .usdz; stdout by default"),
                   is_layer_or_package, ".usda .usdc .usd .usdz");
    verb->add_option("--root", args->roots, "For packages: further folder whose files may be packed; may repeat");
    verb->add_option("--outside", args->outside, "For packages: files from elsewhere: warn, refuse, allow")
        ->transform(CLI::CheckedTransformer(outside_words()))
        ->option_text("TEXT");
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_cat(*args, context); });
}

}  // namespace mechane::cli
