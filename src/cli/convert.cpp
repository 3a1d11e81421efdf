// `mechane convert`: robots and scenes from one format to another, with a report of what was lost.
// Inputs: URDF, xacro, MJCF, SDFormat, glTF or OpenUSD. Outputs: any of them but xacro, chosen by the name of the
// result.

#include "mechane/sourceformats/convert.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/convert.h"
#include "cli/counted.h"
#include "cli/folder_entry.h"
#include "cli/gltf_options.h"
#include "cli/layout.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/verify.h"
#include "mechane/difference/restored.h"
#include "mechane/exporter/export.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/files/inputs.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/side_files.h"
#include "mechane/files/suffix.h"
#include "mechane/importer/collision_solids.h"
#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/open.h"
#include "mechane/usd/file_names.h"

/// mechane convert: robots of other formats as OpenUSD.
/// Reads any format, writes any format, and tells what was lost. Robots go through the robot tree, scenes to glTF from
/// the stage, and OpenUSD to OpenUSD by another layout.
/// Exit status: findings if the loss report holds an entry as grave as --fail-on-loss, or --verify found a difference
/// that no entry announces.
namespace mechane::cli {
namespace {

namespace fs = std::filesystem;
namespace sf = sourceformats;

struct ConvertArgs {
    std::string                            input, output, loss, fail_on_loss = "error", base = "auto", name, layout;
    std::vector<std::string>               arguments;
    double                                 default_mass = 0, mesh_unit = 1;
    bool                                   visuals_collide = false, verify = false;
    exporter::WriteOptions                 write;
    std::shared_ptr<exporter::GltfOptions> gltf = std::make_shared<exporter::GltfOptions>();
    std::string                            entry;  ///< of a folder that is the input, without vendors' layers
    // The option is accepted, so that scripts that use it fail with a status of its own and not as a wrong command
    // line.
    std::string absent;  ///< an option that asks for a library that no build has yet
};

/// Something that a stage is written as, and not the stage itself.
/// glTF is written from the stage and not from the robot, so it is no format of exporter::format_of.
bool goes_out(const std::string& file) { return exporter::format_of(file) || exporter::is_gltf(file); }

bool is_known_result(const std::string& file) { return layout_of_file(file) || goes_out(file); }

// The names of files decide; nothing is opened to find out a format.
int check_formats(const ConvertArgs& args, const Io& io)
{
    if (!sf::is_source_format(args.input) && !usd::is_stage_name(args.input))
        return io.say_error(fmt::format("unknown input format '{}'\n  formats by extension: .urdf .xacro .mjcf .xml "
                                        ".sdf .world .gltf .glb .stl .obj .ply .dae .msh .usda .usdc .usd .usdz\n",
                                        args.input)),
               kExitUsage;
    if (args.output == "-")
        return io.say_error("convert writes files, and cannot write to standard output: name one\n"), kExitUsage;
    if (!is_known_result(args.output))
        return io.say_error(fmt::format("unknown output format '{}'\n  formats by extension: a folder, .usda .usdc "
                                        ".usd .usdz, .urdf .sdf .world .xml .mjcf .gltf .glb\n",
                                        args.output)),
               kExitUsage;
    if (args.verify && (exporter::is_gltf(args.input) || exporter::is_gltf(args.output)))
        return io.say_error("--verify compares robots; glTF holds scenes without bodies and joints\n"), kExitUsage;
    // Other formats out have the robot's name in the file, other formats in get one; a stage is written as it is.
    if (!args.name.empty() && usd::is_stage_name(args.input) && !exporter::format_of(args.output))
        return io.say_error(
                   "--name names robots that come from or go to URDF, MJCF or SDFormat; OpenUSD that stays "
                   "OpenUSD, or becomes glTF, keeps its default prim: rename that in the stage\n"),
               kExitUsage;
    if (args.layout.empty()) return kExitClean;
    // --layout must agree with the name of the result: it picks nothing, but makes a script say what it means.
    const auto wanted = layout_of_word(args.layout), named = layout_of_file(args.output);
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

/// What a conversion leaves behind: the report, the lines on the terminal, the exit status.
/// @param verified  what --verify found, or null
int tell(const ConvertArgs& args, Context& context, const sf::LossReport& losses, const Diagnostics& found,
         const std::string& read, const std::string& entry, std::size_t files, const Verified* verified = nullptr)
{
    const std::string json = sf::to_json(losses);
    // The report first: it exists also where the exit status says that something was lost.
    if (!args.loss.empty())
        if (const ExitCode done = write_text(
                args.loss, files::has_suffix(args.loss, {".txt"}) ? sf::to_text(losses, SIZE_MAX) : json, context.io);
            done != kExitClean)
            return done;
    if (context.global.json) {
        if (verified == nullptr) {
            context.io.out(json);
        } else {
            auto document = nlohmann::ordered_json::parse(json, nullptr, false);
            // One document for both, as two would not be one JSON text.
            document["verify"] = nlohmann::ordered_json::parse(
                difference::to_json({args.input, entry}, verified->comparison,
                                    verified->rollout ? &*verified->rollout : nullptr, "mechane.verify/1"),
                nullptr, false);
            context.io.out(document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
        }
    } else {
        context.io.say(read);
        // Faults of the source were told as findings.
        sf::LossReport untold = losses;
        std::erase_if(untold.entries, sf::is_fault);
        context.io.say(sf::to_text(untold));
        context.io.say(fmt::format("wrote        {} ({})\n", entry, counted(files, "file")));
        if (verified != nullptr) {
            context.io.say(
                difference::to_text(verified->comparison, verified->rollout ? &*verified->rollout : nullptr, 20));
            context.io.say(
                "not compared looks: materials, pictures, normals; `mechane diff` compares those of two stages\n");
        }
    }
    // A difference that a loss announces is no surprise and not a failure of --verify.
    if (verified != nullptr &&
        !difference::as_announced(verified->comparison, verified->rollout ? &*verified->rollout : nullptr))
        return kExitFindings;
    if (args.fail_on_loss != "never" && losses.at_least(args.fail_on_loss == "error"     ? Severity::error
                                                        : args.fail_on_loss == "warning" ? Severity::warning
                                                                                         : Severity::info))
        return kExitFindings;
    return exit_after(found, context);
}

std::string read_line(const sf::RobotTree& tree, const std::string& input)
{
    return fmt::format("read         {} {}: {}, {}, {}, {}\n", tree.format, input, counted(tree.links.size(), "link"),
                       counted(tree.joints.size(), "joint"), counted(tree.shapes.size(), "shape"),
                       tree.meshes.size() == 1 ? std::string("1 mesh") : fmt::format("{} meshes", tree.meshes.size()));
}

/// The stage of any input: of other formats as one layer in memory. What their reading lost is put into `losses`.
Result<std::shared_ptr<const usd::Stage>> stage_of(const ConvertArgs& args, const sf::ReadOptions& options,
                                                   const run::SceneOptions& scene, sf::LossReport& losses,
                                                   Diagnostics& found, sf::RobotTree* original = nullptr)
{
    if (usd::is_stage_name(args.input)) return usd::Stage::open(args.input, scene.open);
    sf::ReadRobot robot;
    auto          stage = sf::open_as_stage(args.input, options, scene.open, robot);
    if (!stage) return stage.error();
    found.append(robot.found);
    losses = std::move(robot.losses);
    if (original != nullptr) *original = std::move(robot.tree);
    return stage;
}

/// An asset with what the layers of both vendors say, which each stand over it in an entry of their own; null where it
/// has none of them.
/// The vendors' layers are put under one root, the asset itself last, so that both opinions are there at once.
Result<std::shared_ptr<const usd::Stage>> with_vendors(const std::string& entry, const usd::OpenOptions& open)
{
    const fs::path            place = fs::absolute(entry).lexically_normal();
    std::optional<usd::Layer> top;
    std::vector<std::string>  layers;
    for (const char* vendor : {"_newton", "_mujoco"}) {
        const fs::path  file = place.parent_path() / (place.stem().string() + vendor + place.extension().string());
        std::error_code failed;
        if (!fs::is_regular_file(file, failed)) continue;
        auto one = usd::Layer::open(file.string());
        if (!one) return one.error();
        std::vector<std::string> below = one->sublayers();
        if (!layers.empty()) layers.pop_back();  // the asset itself, which comes last
        // Their sublayers are relative to the folder of the asset; the new root lies in memory.
        for (const std::string& sub : below) layers.push_back((place.parent_path() / sub).lexically_normal().string());
        if (!top) top.emplace(*std::move(one));
    }
    if (!top) return std::shared_ptr<const usd::Stage>();
    if (auto done = top->set_sublayers(layers); !done) return done.error();
    return usd::Stage::open_text(top->to_text(), entry, open);
}

/// What --verify finds; null where nobody asked.
Result<std::unique_ptr<const Verified>> verify(const ConvertArgs& args, const Original& from, const std::string& result,
                                               const sf::LossReport& losses, const sf::ReadOptions& options,
                                               const run::SceneOptions& scene, const Context& context,
                                               const std::shared_ptr<const usd::Stage>& stage = nullptr)
{
    if (!args.verify) return std::unique_ptr<const Verified>();
    run::SceneOptions there = scene;
    sf::ReadOptions   again = options;
    if (!args.write.package.empty())
        // The result names meshes by package:// where --uri-package was given: the folder of the result stands for
        // the package.
        again.packages.insert_or_assign(args.write.package, fs::absolute(result).parent_path().string());
    auto found = verify_conversion(from, result, losses, again, there, context, stage);
    if (!found) return found.error();
    return std::make_unique<const Verified>(*std::move(found));
}

// The way of a robot: input, stage, robot tree, files. The stage is the same for all inputs, so a format needs no
// writer for each other format.
int convert_out(const ConvertArgs& args, const sf::ReadOptions& options, const run::SceneOptions& scene,
                Context& context)
{
    sf::LossReport losses;
    Diagnostics    found;
    Original       from{args.input, {}, {}};
    // A folder is read with all that stands in it: what only a vendor has a word for belongs to the robot too.
    Result<std::shared_ptr<const usd::Stage>> stage = std::shared_ptr<const usd::Stage>();
    if (!args.entry.empty() && usd::is_stage_name(args.input)) stage = with_vendors(args.entry, scene.open);
    if (stage && !*stage) stage = stage_of(args, options, scene, losses, found, &from.tree);
    if (!stage) return context.io.fail(stage.error());
    found.append((*stage)->diagnostics());
    // A stage without bodies and joints is no robot.
    auto robot = exporter::robot_of_stage(**stage, importer::collision_solids(*stage));
    if (!robot) return context.io.report(found), context.io.fail(robot.error());
    found.append(robot->found);
    context.io.report(found);
    if (!args.name.empty()) robot->tree.name = args.name;
    if (usd::is_stage_name(args.input)) from.tree = robot->tree;
    from.stage = *stage;
    if (!usd::is_stage_name(args.input))
        // What the reader lost and the writer puts back is no loss of the conversion.
        difference::correct_restored(losses, from.tree, robot->tree, *exporter::format_of(args.output));
    losses.source = args.input;
    losses.kept   = 0;
    for (sf::Loss& one : robot->losses.entries) losses.add(std::move(one));
    losses.names.insert(robot->losses.names.begin(), robot->losses.names.end());
    exporter::WriteOptions write = args.write;
    // Formats have meshes in forms of their own: where another result has the usual folder, this one has one of its
    // own.
    const fs::path result = args.output;
    if (const fs::path usual = result.parent_path() / (result.stem().string() + "_meshes");
        write.mesh_folder.empty() && files::is_of_others(usual.string(), result.filename().string()))
        write.mesh_folder = fmt::format("{}_{}_meshes", result.stem().string(), result.extension().string().substr(1));
    const auto done = exporter::write_robot(robot->tree, *exporter::format_of(args.output),
                                            fs::path(args.output).filename().string(), write, losses);
    if (!done) return context.io.fail(done.error());
    // No result may overwrite what was read. It is asked before the first byte is written.
    if (auto refused = refuse_read_outputs(context); !refused) return context.io.fail(refused.error());
    const auto written = exporter::write_files(*done, args.output);
    if (!written) return context.io.fail(written.error());
    const auto verified = verify(args, from, args.output, losses, options, scene, context);
    if (!verified) return context.io.fail(verified.error());
    const sf::RobotTree& read = usd::is_stage_name(args.input) ? robot->tree : from.tree;
    return tell(args, context, losses, found, read_line(read, args.input), args.output, written->size(),
                verified->get());
}

/// What the stage shows, as glTF.
int convert_to_gltf(const ConvertArgs& args, const sf::ReadOptions& options, const run::SceneOptions& scene,
                    Context& context)
{
    if (!args.absent.empty())
        return context.io.say_error(fmt::format(
                   "{} needs a library that this build does not have; without the option everything else works\n",
                   args.absent)),
               kExitUnsupported;
    sf::LossReport losses;
    Diagnostics    found;
    const auto     stage = stage_of(args, options, scene, losses, found);
    if (!stage) return context.io.fail(stage.error());
    found.append((*stage)->diagnostics());
    context.io.report(found);
    exporter::GltfOptions gltf = *args.gltf;
    gltf.open                  = scene.open;
    if (usd::is_stage_name(args.input)) gltf.source = args.input;
    losses.source = args.input;
    // The writer counts anew what is kept.
    losses.kept     = 0;
    const auto done = exporter::write_gltf(**stage, fs::path(args.output).filename().string(), gltf, losses);
    if (!done) return context.io.fail(done.error());
    if (auto refused = refuse_read_outputs(context); !refused) return context.io.fail(refused.error());
    const auto written = exporter::write_files(*done, args.output);
    if (!written) return context.io.fail(written.error());
    return tell(args, context, losses, found,
                fmt::format("read         {}: {}\n", args.input, counted((*stage)->prim_count() - 1, "prim")),
                args.output, written->size());
}

/// A robot of another format as a package.
Result<std::vector<std::string>> packed(const sf::UsdRobot& robot, const std::string& file,
                                        const run::SceneOptions& scene, Diagnostics& found)
{
    if (auto done = usd::write_package(robot.layers.front().layer, file,
                                       {scene.open.search_paths, scene.open.packages, scene.open.limits}, found);
        !done)
        return done.error();
    return std::vector<std::string>{file};
}

/// OpenUSD in another layout.
/// The stage stays OpenUSD; nothing goes through the robot tree but for --verify.
int convert_layout(const ConvertArgs& args, const sf::ReadOptions& options, const run::SceneOptions& scene,
                   Context& context)
{
    Original       from{args.input, {}, {}};
    sf::LossReport losses;
    Diagnostics    found;
    if (args.verify) {
        auto stage = usd::Stage::open(args.input, scene.open);
        if (!stage) return context.io.fail(stage.error());
        auto robot = exporter::robot_of_stage(**stage, importer::collision_solids(*stage));
        if (!robot) return context.io.fail(robot.error());
        from.stage = *std::move(stage);
        from.tree  = std::move(robot->tree);
    }
    // What could not be composed is lacking in the result as well.
    // Errors of composition alone: warnings of the input are for `mechane check`.
    const auto opened =
        from.stage ? Result<std::shared_ptr<const usd::Stage>>(from.stage) : usd::Stage::open(args.input, scene.open);
    if (opened)
        for (const Diagnostic& one : (*opened)->diagnostics())
            if (one.severity == Severity::error) found.add(one);
    const auto done =
        lay_out(args.input, *layout_of_file(args.output), args.output, scene.open, context, losses, found);
    context.io.report(found);
    if (!done) return context.io.fail(done.error());
    const auto verified = verify(args, from, done->entry, losses, options, scene, context);
    if (!verified) return context.io.fail(verified.error());
    const int told = tell(args, context, losses, found, fmt::format("read         OpenUSD {}\n", args.input),
                          done->entry, done->files, verified->get());
    if (done->errors == 0) return told;
    context.io.say(fmt::format("check        {} that no repair may decide alone; `mechane check {}` names them\n",
                               counted(done->errors, "error"), done->entry));
    return told == kExitClean ? static_cast<int>(kExitFindings) : told;
}

/// A folder stands for its entry; for MJCF, the one with MuJoCo's layer.
/// MuJoCo's layer has words that the plain asset has not.
void find_entry(ConvertArgs& args)
{
    std::error_code failed;
    if (!fs::is_directory(args.input, failed)) return;
    const auto found = folder_entry(args.input);
    if (!found) return;
    const fs::path entry = *found;
    args.entry           = *found;
    const fs::path rich  = entry.parent_path() / (entry.stem().string() + "_mujoco" + entry.extension().string());
    args.input           = exporter::format_of(args.output) == exporter::Format::mjcf && fs::exists(rich, failed)
                               ? rich.string()
                               : entry.string();
}

/// Says which options have no effect on the two formats at hand.
/// An option without effect is a note and no error: scripts pass the same options for all formats.
void tell_idle_options(const ConvertArgs& args, const CLI::App& verb, const Io& io)
{
    using exporter::Format;
    const auto to     = exporter::format_of(args.output);
    const bool source = sf::is_source_format(args.input), urdf = to == Format::urdf, sdf = to == Format::sdformat;
    const std::pair<const char*, bool> table[] = {{"--arg", files::has_suffix(args.input, {".xacro", ".urdf"})},
                                                  {"--base", source},
                                                  {"--default-mass", source},
                                                  {"--visuals-collide", source && !sf::is_mesh_format(args.input)},
                                                  {"--mesh-unit", sf::is_mesh_format(args.input)},
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
            io.say(fmt::format("note         {} has no effect on '{}' to '{}'\n", option, args.input, args.output));
    };
    for (const auto& [option, works] : table) idle(option, works);
    // Options of glTF are known by the beginning of their description.
    for (const CLI::Option* option :
         verb.get_options([](const CLI::Option* o) { return o->get_description().starts_with("glTF"); }))
        idle("--" + option->get_lnames().front(), exporter::is_gltf(args.output));
}

int run_convert(ConvertArgs& args, const CLI::App& verb, Context& context)
{
    find_entry(args);
    if (const int wrong = check_formats(args, context.io); wrong != kExitClean) return wrong;
    tell_idle_options(args, verb, context.io);
    const auto scene = scene_options(context);
    if (!scene) return kExitUsage;
    const auto options = read_options(args, *scene, context.io);
    if (!options) return kExitUsage;
    // The order of the questions: glTF, other formats, OpenUSD to OpenUSD, and the rest is a robot that becomes
    // OpenUSD.
    if (exporter::is_gltf(args.output)) return convert_to_gltf(args, *options, *scene, context);
    if (exporter::format_of(args.output)) return convert_out(args, *options, *scene, context);
    if (usd::is_stage_name(args.input)) return convert_layout(args, *options, *scene, context);
    const bool package = layout_of_file(args.output) == UsdLayout::usdz,
               single  = usd::is_layer_name(args.output) || package;
    // Folders are layered; a single layer and a package hold everything in one.
    sf::ReadRobot robot;
    auto made = sf::read_as_usd(args.input, single ? sf::Layout::single : sf::Layout::layered, *options, robot);
    if (!made) return context.io.fail(made.error());
    context.io.report(robot.found);
    if (auto refused = refuse_read_outputs(context); !refused) return context.io.fail(refused.error());
    Diagnostics packing;
    const auto  written = package  ? packed(*made, args.output, *scene, packing)
                          : single ? sf::write_file(*made, args.output)
                                   : sf::write_folder(*made, args.output, sf::to_json(robot.losses));
    context.io.report(packing);
    if (!written) return context.io.fail(written.error());
    robot.found.append(packing);
    const std::string entry = single ? args.output : (fs::path(args.output) / made->entry).lexically_normal().string();
    Original          from{args.input, robot.tree, {}};
    // The original for --verify is the robot as one layer in memory, whatever the layout of the result.
    if (args.verify) {
        sf::LossReport unsaid;
        auto           whole = single ? std::move(made) : sf::to_usd(robot.tree, sf::Layout::single, unsaid);
        if (!whole) return context.io.fail(whole.error());
        auto stage = usd::Stage::open_text(whole->layers.front().layer.to_text(), args.input, scene->open);
        if (!stage) return context.io.fail(stage.error());
        from.stage = *std::move(stage);
    }
    // What only the vendors' schemas have words for stands beside the entry.
    std::shared_ptr<const usd::Stage> whole;
    if (args.verify && !single) {
        auto opened = with_vendors(entry, scene->open);
        if (!opened) return context.io.fail(opened.error());
        whole = *std::move(opened);
    }
    const auto verified = verify(args, from, entry, robot.losses, *options, *scene, context, whole);
    if (!verified) return context.io.fail(verified.error());
    const std::string line =
        robot.contents.empty() ? read_line(robot.tree, args.input)
                               : fmt::format("read         {} {}: {}\n", robot.tree.format, args.input, robot.contents);
    return tell(args, context, robot.losses, robot.found, line, entry, written->size(), verified->get());
}

}  // namespace

void add_convert(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ConvertArgs>();
    CLI::App* verb = app.add_subcommand("convert",
                                        "A robot or scene from one format to another: URDF (also with xacro), MJCF, "
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
                     "Exit status 1 when a loss is as grave: error, warning, info, never")
        ->check(CLI::IsMember({"error", "warning", "info", "never"}));
    verb->add_option("--arg", args->arguments, "Argument of xacro, NAME:=VALUE; may repeat");
    verb->add_option("--base", args->base,
                     "How the root stands: auto (fixed below a link 'world', or as MJCF says), floating, fixed")
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
                   "MJCF: colliders that are their triangles become fields of distances, not hulls");
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
    verb->add_option(
            "--layout", args->layout,
            "OpenUSD out: rep0158 (a folder), flat (one layer), usdz (a package); by the name of the output otherwise")
        ->check(CLI::IsMember({"rep0158", "flat", "single", "usdz"}));
    verb->add_flag("--verify", args->verify,
                   "Read the result back and compare masses, frames, limits, gains, shapes, kinematics and 2 s of "
                   "simulation; exit status 1 where something differs that the loss report does not announce");
    verb->add_flag("--visuals-collide", args->visuals_collide, "Visual shapes are the colliders");
    add_global_options(*verb, context);
    verb->callback([args, verb, &context] { context.exit = run_convert(*args, *verb, context); });
}

}  // namespace mechane::cli
