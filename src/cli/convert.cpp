#include "mechane/sourceformats/convert.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/convert.h"
#include "cli/counted.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
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
};

bool is_layer(const std::string& file)
{
    const std::string suffix = fs::path(file).extension().string();
    return suffix == ".usd" || suffix == ".usda" || suffix == ".usdc";
}

bool is_known_result(const std::string& file) { return is_layer(file) || fs::path(file).extension().empty() || file.ends_with('/'); }

int check_formats(const ConvertArgs& args, const Io& io)
{
    if (!sf::is_source_format(args.input))
        return io.say_error(fmt::format("do not know how to read '{}'\n  formats by extension: .urdf .xacro .mjcf .xml\n", args.input)), kExitUsage;
    if (!is_known_result(args.output))
        return io.say_error(fmt::format("do not know how to write '{}'\n  formats by extension: a folder, .usda .usdc .usd\n", args.output)), kExitUsage;
    return kExitClean;
}

int run_convert(const ConvertArgs& args, Context& context)
{
    if (const int wrong = check_formats(args, context.io); wrong != kExitClean) return wrong;
    const auto scene = scene_options(context);
    if (!scene) return kExitUsage;
    sf::ReadOptions options;
    options.packages     = scene->open.packages;
    options.search_paths = scene->open.search_paths;
    options.base         = args.base == "floating" ? sf::Base::floating : args.base == "fixed" ? sf::Base::fixed : sf::Base::automatic;
    options.visuals_collide = args.visuals_collide;
    options.name            = args.name;
    if (args.default_mass > 0) options.default_mass = args.default_mass;
    for (const std::string& text : args.arguments) {
        const std::size_t mark = text.find(":=");
        if (mark == std::string::npos || mark == 0)
            return context.io.say_error(fmt::format("--arg {}: expected NAME:=VALUE\n", text)), kExitUsage;
        options.xacro_arguments[text.substr(0, mark)] = text.substr(mark + 2);
    }
    auto robot = sf::read_robot(args.input, options);
    if (!robot) return context.io.fail(robot.error());
    context.io.report(robot->found);
    const bool single = is_layer(args.output);
    auto       made   = sf::to_usd(robot->tree, single ? sf::Layout::single : sf::Layout::layered, robot->losses);
    if (!made) return context.io.fail(made.error());
    if (auto refused = refuse_read_outputs(context); !refused) return context.io.fail(refused.error());
    const std::string json    = sf::to_json(robot->losses);
    const auto        written = single ? sf::write_file(*made, args.output) : sf::write_folder(*made, args.output, json);
    if (!written) return context.io.fail(written.error());
    if (!args.loss.empty())
        if (const ExitCode done = write_text(args.loss, args.loss.ends_with(".txt") ? sf::to_text(robot->losses, SIZE_MAX) : json, context.io); done != kExitClean)
            return done;
    const sf::RobotTree& tree = robot->tree;
    if (context.global.json) {
        context.io.out(json);
    } else {
        context.io.say(fmt::format("read         {} {}: {}, {}, {}, {}\n", tree.format, args.input, counted(tree.links.size(), "link"),
                                   counted(tree.joints.size(), "joint"), counted(tree.shapes.size(), "shape"),
                                   tree.meshes.size() == 1 ? std::string("1 mesh") : fmt::format("{} meshes", tree.meshes.size())));
        context.io.say(sf::to_text(robot->losses));
        const std::string entry = single ? args.output : (fs::path(args.output) / made->entry).lexically_normal().string();
        context.io.say(fmt::format("wrote        {} ({})\n", entry, counted(written->size(), "file")));
    }
    if (args.fail_on_loss != "never" &&
        robot->losses.at_least(args.fail_on_loss == "error" ? Severity::error : args.fail_on_loss == "warning" ? Severity::warning : Severity::info))
        return kExitFindings;
    return exit_after(robot->found, context);
}

}  // namespace

void add_convert(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ConvertArgs>();
    CLI::App* verb = app.add_subcommand("convert", "A robot of another format as OpenUSD: URDF (also with xacro) and MJCF, with a report of what was lost");
    verb->add_option("input", args->input, "Robot: .urdf, .xacro, .mjcf or .xml")->required();
    is_output(verb->add_option("-o,--output", args->output, "A folder, laid out as REP-0158 has it, or one layer: .usda .usdc .usd")->required());
    is_output_file(verb->add_option("--loss", args->loss, "The loss report as a file: JSON, or text when it ends in .txt"));
    verb->add_option("--fail-on-loss", args->fail_on_loss, "Exit status 1 when a loss is as grave: error, warning, info, never")
        ->check(CLI::IsMember({"error", "warning", "info", "never"}));
    verb->add_option("--arg", args->arguments, "Argument of xacro, NAME:=VALUE; may repeat");
    verb->add_option("--base", args->base, "How the root stands: auto (fixed below a link 'world', or as MJCF says), floating, fixed")
        ->check(CLI::IsMember({"auto", "floating", "fixed"}));
    verb->add_option("--default-mass", args->default_mass, "Mass of links that move and have none [kg]")->check(CLI::PositiveNumber);
    verb->add_option("--name", args->name, "Name of the robot; the file's by default");
    verb->add_flag("--visuals-collide", args->visuals_collide, "Visual shapes are the colliders");
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_convert(*args, context); });
}

}  // namespace mechane::cli
