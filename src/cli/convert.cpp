// `mechane convert`: robots and scenes from one format to another, with a report of what was lost.
// Inputs: URDF, xacro, MJCF, SDFormat, glTF or OpenUSD. Outputs: any of them but xacro, chosen by the name of the
// result.

#include "cli/convert.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/counted.h"
#include "cli/gltf_options.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "mechane/conversion/convert.h"
#include "mechane/conversion/layout.h"
#include "mechane/exporter/codes.h"
#include "mechane/files/read.h"
#include "mechane/files/suffix.h"

/// mechane convert: robots of other formats as OpenUSD.
/// Reads any format, writes any format, and tells what was lost. Robots go through the robot tree, scenes to glTF from
/// the stage, and OpenUSD to OpenUSD by another layout.
/// Exit status: findings if the loss report holds an entry as grave as --fail-on-loss, or --verify found a difference
/// that no entry announces.
namespace mechane::cli {
namespace {

namespace sf = sourceformats;

struct ConvertArgs {
    std::string                            input, output, loss, fail_on_loss = "error", base = "auto", name, layout;
    std::vector<std::string>               arguments;
    double                                 default_mass = 0, mesh_unit = 1;
    bool                                   visuals_collide = false, verify = false;
    exporter::WriteOptions                 write;
    std::shared_ptr<exporter::GltfOptions> gltf = std::make_shared<exporter::GltfOptions>();
    std::string                            entry;  ///< the file that is read: the input, or what a folder stands for
    // The option is accepted, so that scripts that use it fail with a status of its own and not as a wrong command
    // line.
    std::string absent;  ///< an option that asks for a library that no build has yet
};

// The names of files decide; nothing is opened to find out a format.
int check_formats(const ConvertArgs& args, const Io& io)
{
    if (args.output == "-")
        return io.say_error("convert writes files, and cannot write to standard output: name one\n"), kExitUsage;
    conversion::Options asked;
    asked.verify    = args.verify;
    asked.read.name = args.name;
    if (const auto known = conversion::check_formats(args.entry, args.output, asked); !known)
        return io.say_error(fmt::format("{}\n  {}\n", known.error().message, known.error().hint)), kExitUsage;
    if (args.layout.empty()) return kExitClean;
    // --layout must agree with the name of the result: it picks nothing, but makes a script say what it means.
    const auto wanted = conversion::layout_of_word(args.layout), named = conversion::layout_of_file(args.output);
    if (wanted != named)
        return io.say_error(fmt::format(
                   "--layout {} does not fit '{}'\n  rep0158: a folder; flat: .usda .usdc .usd; usdz: .usdz\n",
                   args.layout, args.output)),
               kExitUsage;
    return kExitClean;
}

/// The options of the reader; nothing if one of them is invalid, with a message printed.
std::optional<sf::ReadOptions> read_options(const ConvertArgs& args, const run::SceneOptions& scene, const Io& io)
{
    sf::ReadOptions options;
    options.packages        = scene.open.packages;
    options.search_paths    = scene.open.search_paths;
    options.base            = args.base == "floating" ? sf::Base::floating
                              : args.base == "fixed"  ? sf::Base::fixed
                                                      : sf::Base::automatic;
    options.visuals_collide = args.visuals_collide;
    options.name            = args.name;
    options.mesh_unit       = args.mesh_unit;
    if (args.default_mass > 0) options.default_mass = args.default_mass;
    for (const std::string& text : args.arguments) {
        // xacro's own form of arguments.
        const std::size_t mark = text.find(":=");
        if (mark == std::string::npos || mark == 0) {
            io.say_error(fmt::format("--arg {}: expected NAME:=VALUE\n", text));
            return std::nullopt;
        }
        options.xacro_arguments[text.substr(0, mark)] = text.substr(mark + 2);
    }
    return options;
}

std::string read_line(const conversion::Conversion& done)
{
    const conversion::Contents& in   = done.contents;
    const std::string           name = in.format.empty() ? done.input : fmt::format("{} {}", in.format, done.input);
    if (!in.other.empty()) return fmt::format("read         {}: {}\n", name, in.other);
    if (in.links == 0) return fmt::format("read         {}\n", name);
    return fmt::format("read         {}: {}, {}, {}, {}\n", name, counted(in.links, "link"),
                       counted(in.joints, "joint"), counted(in.shapes, "shape"), counted(in.meshes, "mesh", "meshes"));
}

/// The loss report, and with --verify what it found: one document, as two would not be one JSON text.
std::string to_json(const conversion::Conversion& done)
{
    const std::string losses = sf::to_json(done.losses);
    if (!done.verified) return losses;
    auto document = nlohmann::ordered_json::parse(losses, nullptr, false);
    document["verify"] =
        nlohmann::ordered_json::parse(conversion::to_json(*done.verified, done.input, done.entry), nullptr, false);
    return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// What a conversion leaves behind: the report, the lines on the terminal, the exit status.
int tell(const ConvertArgs& args, Context& context, const conversion::Conversion& done, const Diagnostics& found)
{
    // The report first: it exists also where the exit status says that something was lost.
    if (!args.loss.empty()) {
        const std::string text =
            files::has_suffix(args.loss, {".txt"}) ? sf::to_text(done.losses, SIZE_MAX) : sf::to_json(done.losses);
        if (const ExitCode wrote = write_text(args.loss, text, context.io); wrote != kExitClean) return wrote;
    }
    if (context.global.json) {
        context.io.out(to_json(done));
    } else {
        context.io.say(read_line(done));
        // Faults of the source were told as findings.
        sf::LossReport untold = done.losses;
        std::erase_if(untold.entries, sf::is_fault);
        context.io.say(sf::to_text(untold));
        context.io.say(fmt::format("wrote        {} ({})\n", done.entry, counted(done.files.size(), "file")));
        if (done.verified) {
            context.io.say(conversion::to_text(*done.verified, 20));
            context.io.say(
                "not compared looks: materials, pictures, normals; `mechane diff` compares those of two stages\n");
        }
    }
    if (done.errors > 0)
        context.io.say(fmt::format("check        {} that no repair may decide alone; `mechane check {}` names them\n",
                                   counted(done.errors, "error"), done.entry));
    // A difference that a loss announces is no surprise and not a failure of --verify; nor is what the source cannot
    // do.
    if (done.verified && !conversion::holds(*done.verified)) return kExitFindings;
    // --strict asks for no less than warnings.
    const std::string& level = context.global.strict && args.fail_on_loss == "error" ? "warning" : args.fail_on_loss;
    if (level != "never" && done.losses.at_least(level == "error"     ? Severity::error
                                                 : level == "warning" ? Severity::warning
                                                                      : Severity::info))
        return kExitFindings;
    const ExitCode told = exit_after(found, context);
    return told == kExitClean && done.errors > 0 ? kExitFindings : told;
}

/// Whether a file may have arguments: xacro says so by its name, or by a word of its own in a URDF.
bool has_xacro(const std::string& file)
{
    if (!files::has_suffix(file, {".urdf"})) return files::has_suffix(file, {".xacro"});
    const auto text = files::read(file);
    return !text || text->find("xacro:") != std::string::npos;
}

/// Says which options have no effect on the two formats at hand.
/// An option without effect is a note and no error: scripts pass the same options for all formats.
void tell_idle_options(const ConvertArgs& args, const CLI::App& verb, const Io& io)
{
    using exporter::Format;
    const auto to     = exporter::format_of(args.output);
    const bool source = sf::is_source_format(args.entry), urdf = to == Format::urdf, sdf = to == Format::sdformat;
    const std::pair<const char*, bool> table[] = {{"--arg", has_xacro(args.entry)},
                                                  {"--base", source},
                                                  {"--default-mass", source},
                                                  {"--visuals-collide", source && !sf::is_mesh_format(args.entry)},
                                                  {"--mesh-unit", sf::is_mesh_format(args.entry)},
                                                  {"--uri-package", urdf || sdf},
                                                  {"--default-effort", urdf},
                                                  {"--default-velocity", urdf},
                                                  {"--keep-frames", urdf},
                                                  {"--mjcf-sdf", to == Format::mjcf},
                                                  {"--sdf-version", sdf},
                                                  {"--sdf-ros-plugin", sdf}};
    // Only options that were given are told.
    const auto idle = [&](const std::string& option, bool works) {
        if (!works && verb.count(option) > 0)
            io.say(fmt::format("note         {} has no effect on '{}' to '{}'\n", option, args.entry, args.output));
    };
    for (const auto& [option, works] : table) idle(option, works);
    // Options of glTF are known by the beginning of their description.
    for (const CLI::Option* option :
         verb.get_options([](const CLI::Option* o) { return o->get_description().starts_with("glTF"); }))
        idle("--" + option->get_lnames().front(), exporter::is_gltf(args.output));
}

/// Which files a result has is known when it is computed: meshes of URDF, buffers of glTF.
Result<void> may_write(const ConvertArgs& args, const Context& context, const std::vector<std::string>& files)
{
    if (!args.loss.empty() && is_one_of(args.loss, files))
        return make_diagnostic(exporter::kOption, {.layer = args.loss},
                               fmt::format("--loss '{}' is a file of the result", args.loss),
                               "Give the report another name.");
    return refuse_read_outputs(context);
}

int run_convert(ConvertArgs& args, const CLI::App& verb, Context& context)
{
    args.entry = conversion::entry_of(args.input, args.output);
    if (const int wrong = check_formats(args, context.io); wrong != kExitClean) return wrong;
    tell_idle_options(args, verb, context.io);
    const auto scene = scene_options(context);
    if (!scene) return kExitUsage;
    const auto options = read_options(args, *scene, context.io);
    if (!options) return kExitUsage;
    if (exporter::is_gltf(args.output) && !args.absent.empty())
        return context.io.say_error(fmt::format(
                   "{} needs a library that this build does not have; without the option everything else works\n",
                   args.absent)),
               kExitUnsupported;
    // No result may overwrite what was read, the report neither. It is asked before the first byte is written.
    const conversion::Options how{
        .read           = *options,
        .write          = args.write,
        .gltf           = *args.gltf,
        .scene          = *scene,
        .verify         = args.verify,
        .threads        = context.global.threads,
        .before_writing = [&](const std::vector<std::string>& files) { return may_write(args, context, files); }};
    Diagnostics found;
    const auto  done = conversion::convert(args.input, args.output, how, found);
    context.io.report(found);
    if (!done) return context.io.fail(done.error());
    return tell(args, context, *done, found);
}

}  // namespace

void add_convert(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ConvertArgs>();
    CLI::App* verb = app.add_subcommand("convert",
                                        "Convert a robot or scene between formats: URDF (also with xacro), MJCF, "
                                        "SDFormat, glTF, OpenUSD, with a report of what was lost");
    verb->add_option("input", args->input,
                     "Robot, scene or mesh: .urdf, .xacro, .mjcf, .xml, .sdf, .world, .gltf, .glb, .stl, .obj, .ply, "
                     ".dae, .msh, or OpenUSD")
        ->required();
    is_output(verb->add_option("-o,--output", args->output,
                               "A folder, laid out as REP-0158 has it; one layer: .usda .usdc .usd; a package: .usdz; "
                               "or .urdf .sdf .world .xml .mjcf .gltf .glb")
                  ->required());
    is_output_file(
        verb->add_option("--loss", args->loss, "The loss report as a file: JSON, or text when it ends in .txt"));
    verb->add_option("--fail-on-loss", args->fail_on_loss,
                     "Minimum severity of a loss for exit status 1: error, warning, info, never")
        ->check(CLI::IsMember({"error", "warning", "info", "never"}));
    verb->add_option("--arg", args->arguments, "Argument of xacro, NAME:=VALUE; may repeat");
    verb->add_option("--base", args->base,
                     "How the root is held: auto (fixed below a link 'world', or as MJCF says), floating, fixed")
        ->check(CLI::IsMember({"auto", "floating", "fixed"}));
    verb->add_option("--default-mass", args->default_mass, "Mass of links that move and have none [kg]")
        ->check(CLI::PositiveNumber);
    verb->add_option("--mesh-unit", args->mesh_unit,
                     "Length of a unit of an .stl, .obj, .ply or .msh file that is the input [m]; 0.001: millimetres")
        ->check(CLI::PositiveNumber);
    verb->add_option("--name", args->name, "Name of the robot; the file's by default");
    verb->add_option("--uri-package", args->write.package, "URDF, SDFormat: meshes are package://NAME/...");
    verb->add_option("--default-effort", args->write.default_effort, "URDF: effort of joints that have none [N or N m]")
        ->check(CLI::PositiveNumber);
    verb->add_option("--default-velocity", args->write.default_velocity,
                     "URDF: speed of joints that have none [m/s or rad/s]")
        ->check(CLI::PositiveNumber);
    verb->add_flag("--keep-frames", args->write.keep_frames,
                   "URDF: frames of links stay where they are, on links of their own");
    verb->add_flag("--mjcf-sdf", args->write.mjcf_sdf,
                   "MJCF: meshes that collide by their triangles become distance fields, not hulls");
    verb->add_option("--sdf-version", args->write.sdf_version, "SDFormat: 1.9, or 1.11 where a joint follows another")
        ->check(CLI::IsMember({"1.9", "1.10", "1.11"}));
    verb->add_option("--sdf-ros-plugin", args->write.ros_plugin,
                     "SDFormat: name of the plug-ins that stand for interfaces of ROS; empty: none");
    add_gltf_options(*verb, args->gltf);
    for (const char* option : {"--draco", "--ktx2", "--quantize", "--optimize"})
        verb->add_flag_callback(
                option, [args, option] { args->absent = option; },
                "glTF: needs a library that may be missing; exit status 6 then")
            ->group("");
    verb->add_option("--layout", args->layout,
                     "Layout of OpenUSD output: rep0158 (a folder), flat (one layer), usdz (a package); default: by "
                     "the name of the output")
        ->check(CLI::IsMember({"rep0158", "flat", "single", "usdz"}));
    verb->add_flag("--verify", args->verify,
                   "Read the result back and compare masses, frames, limits, gains, shapes, kinematics and 2 s of "
                   "simulation; exit status 1 where something differs that the loss report does not announce");
    verb->add_flag("--visuals-collide", args->visuals_collide, "Use the visual shapes as colliders");
    add_global_options(*verb, context);
    verb->callback([args, verb, &context] { context.exit = run_convert(*args, *verb, context); });
}

}  // namespace mechane::cli
