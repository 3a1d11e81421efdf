#include "mechane/sourceformats/convert.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/convert.h"
#include "cli/counted.h"
#include "cli/gltf_options.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "mechane/exporter/export.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/files/inputs.h"
#include "mechane/files/replace.h"
#include "mechane/sourceformats/codes.h"

/// mechane convert: robots of other formats as OpenUSD.
namespace mechane::cli {
namespace {

namespace fs = std::filesystem;
namespace sf = sourceformats;

struct ConvertArgs {
    std::string              input, output, loss, fail_on_loss = "error", base = "auto", name;
    std::vector<std::string> arguments;
    double                   default_mass = 0;
    bool                     visuals_collide = false;
    exporter::WriteOptions   write;
    std::shared_ptr<exporter::GltfOptions> gltf = std::make_shared<exporter::GltfOptions>();
    std::string                            absent;  ///< an option that asks for a library that no build has yet
};

bool is_layer(const std::string& file)
{
    const std::string suffix = fs::path(file).extension().string();
    return suffix == ".usd" || suffix == ".usda" || suffix == ".usdc";
}

bool is_openusd(const std::string& file) { return is_layer(file) || fs::path(file).extension() == ".usdz"; }

/// Something that a stage is written as, and not the stage itself.
bool goes_out(const std::string& file) { return exporter::format_of(file) || exporter::is_gltf(file); }

bool is_known_result(const std::string& file) { return is_layer(file) || goes_out(file) || fs::path(file).extension().empty() || file.ends_with('/'); }

int check_formats(const ConvertArgs& args, const Io& io)
{
    if (!sf::is_source_format(args.input) && !is_openusd(args.input))
        return io.say_error(fmt::format("do not know how to read '{}'\n  formats by extension: .urdf .xacro .mjcf .xml .sdf .world .gltf .glb .usda .usdc .usd .usdz\n", args.input)), kExitUsage;
    if (!is_known_result(args.output))
        return io.say_error(fmt::format("do not know how to write '{}'\n  formats by extension: a folder, .usda .usdc .usd, .urdf .sdf .world .xml .mjcf .gltf .glb\n", args.output)), kExitUsage;
    if (is_openusd(args.input) && !goes_out(args.output))
        return io.say_error(fmt::format("'{}' is OpenUSD already; `mechane cat` writes it as one layer\n", args.input)), kExitUsage;
    return kExitClean;
}

/// The options of the reader; nothing if one of them is invalid, with a message printed.
std::optional<sf::ReadOptions> read_options(const ConvertArgs& args, const run::SceneOptions& scene, const Io& io)
{
    sf::ReadOptions options;
    options.packages        = scene.open.packages;
    options.search_paths    = scene.open.search_paths;
    options.base            = args.base == "floating" ? sf::Base::floating : args.base == "fixed" ? sf::Base::fixed : sf::Base::automatic;
    options.visuals_collide = args.visuals_collide;
    options.name            = args.name;
    if (args.default_mass > 0) options.default_mass = args.default_mass;
    for (const std::string& text : args.arguments) {
        const std::size_t mark = text.find(":=");
        if (mark == std::string::npos || mark == 0) {
            io.say_error(fmt::format("--arg {}: expected NAME:=VALUE\n", text));
            return std::nullopt;
        }
        options.xacro_arguments[text.substr(0, mark)] = text.substr(mark + 2);
    }
    return options;
}

/// What a conversion leaves behind: the report, the lines on the terminal, the exit status.
int tell(const ConvertArgs& args, Context& context, const sf::LossReport& losses, const Diagnostics& found, const std::string& read, const std::string& entry, std::size_t files)
{
    const std::string json = sf::to_json(losses);
    if (!args.loss.empty())
        if (const ExitCode done = write_text(args.loss, args.loss.ends_with(".txt") ? sf::to_text(losses, SIZE_MAX) : json, context.io); done != kExitClean) return done;
    if (context.global.json) {
        context.io.out(json);
    } else {
        context.io.say(read);
        context.io.say(sf::to_text(losses));
        context.io.say(fmt::format("wrote        {} ({})\n", entry, counted(files, "file")));
    }
    if (args.fail_on_loss != "never" && losses.at_least(args.fail_on_loss == "error" ? Severity::error : args.fail_on_loss == "warning" ? Severity::warning : Severity::info)) return kExitFindings;
    return exit_after(found, context);
}

std::string read_line(const sf::RobotTree& tree, const std::string& input)
{
    return fmt::format("read         {} {}: {}, {}, {}, {}\n", tree.format, input, counted(tree.links.size(), "link"), counted(tree.joints.size(), "joint"), counted(tree.shapes.size(), "shape"),
                       tree.meshes.size() == 1 ? std::string("1 mesh") : fmt::format("{} meshes", tree.meshes.size()));
}

/// The stage of any input: of other formats as one layer in memory. What their reading lost is put into `losses`.
Result<std::shared_ptr<const usd::Stage>> stage_of(const ConvertArgs& args, const sf::ReadOptions& options, const run::SceneOptions& scene, sf::LossReport& losses, Diagnostics& found)
{
    if (is_openusd(args.input)) return usd::Stage::open(args.input, scene.open);
    sf::ReadRobot robot;
    auto          made = sf::read_as_usd(args.input, sf::Layout::single, options, robot);
    if (!made) return made.error();
    found.append(robot.found);
    losses = std::move(robot.losses);
    return usd::Stage::open_text(made->layers.front().layer.to_text(), fs::path(args.input).parent_path().string(), scene.open);
}

int convert_out(const ConvertArgs& args, const sf::ReadOptions& options, const run::SceneOptions& scene, Context& context)
{
    sf::LossReport losses;
    Diagnostics    found;
    const auto     stage = stage_of(args, options, scene, losses, found);
    if (!stage) return context.io.fail(stage.error());
    found.append((*stage)->diagnostics());
    auto robot = exporter::robot_of_stage(**stage);
    if (!robot) return context.io.fail(robot.error());
    found.append(robot->found);
    context.io.report(found);
    if (!args.name.empty()) robot->tree.name = args.name;
    losses.source = args.input;
    losses.kept   = 0;
    for (sf::Loss& one : robot->losses.entries) losses.add(std::move(one));
    losses.names.insert(robot->losses.names.begin(), robot->losses.names.end());
    exporter::WriteOptions write = args.write;
    const auto             done  = exporter::write_robot(robot->tree, *exporter::format_of(args.output), fs::path(args.output).filename().string(), write, losses);
    if (!done) return context.io.fail(done.error());
    if (auto refused = refuse_read_outputs(context); !refused) return context.io.fail(refused.error());
    const auto written = exporter::write_files(*done, args.output);
    if (!written) return context.io.fail(written.error());
    return tell(args, context, losses, found, read_line(robot->tree, args.input), args.output, written->size());
}

/// What the stage shows, as glTF.
int convert_to_gltf(const ConvertArgs& args, const sf::ReadOptions& options, const run::SceneOptions& scene, Context& context)
{
    if (!args.absent.empty()) return context.io.say_error(fmt::format("{} needs a library that this build does not have; without the option everything else works\n", args.absent)), kExitUnsupported;
    sf::LossReport losses;
    Diagnostics    found;
    const auto     stage = stage_of(args, options, scene, losses, found);
    if (!stage) return context.io.fail(stage.error());
    found.append((*stage)->diagnostics());
    context.io.report(found);
    exporter::GltfOptions gltf = *args.gltf;
    gltf.open                  = scene.open;
    if (is_openusd(args.input)) gltf.source = args.input;
    losses.source   = args.input;
    losses.kept     = 0;
    const auto done = exporter::write_gltf(**stage, fs::path(args.output).filename().string(), gltf, losses);
    if (!done) return context.io.fail(done.error());
    if (auto refused = refuse_read_outputs(context); !refused) return context.io.fail(refused.error());
    const auto written = exporter::write_files(*done, args.output);
    if (!written) return context.io.fail(written.error());
    return tell(args, context, losses, found, fmt::format("read         {}: {}\n", args.input, counted((*stage)->prim_count() - 1, "prim")), args.output, written->size());
}

int run_convert(const ConvertArgs& args, Context& context)
{
    if (const int wrong = check_formats(args, context.io); wrong != kExitClean) return wrong;
    const auto scene = scene_options(context);
    if (!scene) return kExitUsage;
    const auto options = read_options(args, *scene, context.io);
    if (!options) return kExitUsage;
    if (exporter::is_gltf(args.output)) return convert_to_gltf(args, *options, *scene, context);
    if (exporter::format_of(args.output)) return convert_out(args, *options, *scene, context);
    const bool    single = is_layer(args.output);
    sf::ReadRobot robot;
    auto          made = sf::read_as_usd(args.input, single ? sf::Layout::single : sf::Layout::layered, *options, robot);
    if (!made) return context.io.fail(made.error());
    context.io.report(robot.found);
    if (auto refused = refuse_read_outputs(context); !refused) return context.io.fail(refused.error());
    const auto written = single ? sf::write_file(*made, args.output) : sf::write_folder(*made, args.output, sf::to_json(robot.losses));
    if (!written) return context.io.fail(written.error());
    const std::string entry = single ? args.output : (fs::path(args.output) / made->entry).lexically_normal().string();
    const std::string line = robot.contents.empty() ? read_line(robot.tree, args.input) : fmt::format("read         {} {}: {}\n", robot.tree.format, args.input, robot.contents);
    return tell(args, context, robot.losses, robot.found, line, entry, written->size());
}

}  // namespace

void add_convert(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ConvertArgs>();
    CLI::App* verb = app.add_subcommand("convert", "A robot or scene from one format to another: URDF (also with xacro), MJCF, SDFormat, glTF, OpenUSD, with a report of what was lost");
    verb->add_option("input", args->input, "Robot or scene: .urdf, .xacro, .mjcf, .xml, .sdf, .world, .gltf, .glb, or OpenUSD")->required();
    is_output(verb->add_option("-o,--output", args->output, "A folder, laid out as REP-0158 has it; one layer: .usda .usdc .usd; or .urdf .sdf .world .xml .mjcf .gltf .glb")->required());
    is_output_file(verb->add_option("--loss", args->loss, "The loss report as a file: JSON, or text when it ends in .txt"));
    verb->add_option("--fail-on-loss", args->fail_on_loss, "Exit status 1 when a loss is as grave: error, warning, info, never")
        ->check(CLI::IsMember({"error", "warning", "info", "never"}));
    verb->add_option("--arg", args->arguments, "Argument of xacro, NAME:=VALUE; may repeat");
    verb->add_option("--base", args->base, "How the root stands: auto (fixed below a link 'world', or as MJCF says), floating, fixed")
        ->check(CLI::IsMember({"auto", "floating", "fixed"}));
    verb->add_option("--default-mass", args->default_mass, "Mass of links that move and have none [kg]")->check(CLI::PositiveNumber);
    verb->add_option("--name", args->name, "Name of the robot; the file's by default");
    verb->add_option("--uri-package", args->write.package, "URDF, SDFormat: meshes are package://NAME/...");
    verb->add_option("--default-effort", args->write.default_effort, "URDF: effort of joints that have none [N or N m]")->check(CLI::PositiveNumber);
    verb->add_option("--default-velocity", args->write.default_velocity, "URDF: speed of joints that have none [m/s or rad/s]")->check(CLI::PositiveNumber);
    verb->add_flag("--keep-frames", args->write.keep_frames, "URDF: frames of links stay where they are, on links of their own");
    verb->add_option("--sdf-version", args->write.sdf_version, "SDFormat: 1.9, or 1.11 where a joint follows another")->check(CLI::IsMember({"1.9", "1.10", "1.11"}));
    verb->add_option("--sdf-ros-plugin", args->write.ros_plugin, "SDFormat: name of the plug-ins that stand for interfaces of ROS; empty: none");
    add_gltf_options(*verb, args->gltf);
    for (const char* option : {"--draco", "--ktx2", "--quantize", "--optimize"})
        verb->add_flag_callback(option, [args, option] { args->absent = option; }, "glTF: needs a library that may be missing; exit status 6 then")->group("");
    verb->add_flag("--visuals-collide", args->visuals_collide, "Visual shapes are the colliders");
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_convert(*args, context); });
}

}  // namespace mechane::cli
