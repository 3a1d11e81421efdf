// `mechane init`: writes a starter asset (a pendulum with a drive) and a configuration into a folder.
// Nothing is written if one of the files exists. The asset passes `mechane check` with the configuration beside it,
// which a test holds.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "mechane/files/replace.h"

namespace mechane::cli {
namespace {

namespace fs = std::filesystem;

/// A pendulum with a drive: the smallest robot that moves, falls and can be driven.
constexpr const char* kRobot = R"(#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def PhysicsScene "physics_scene"
{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 9.81
}

def Xform "robot" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
    assetInfo = {
        string identifier = "urn:example:robot"
        string name = "robot"
        string version = "0.1.0"
    }
    kind = "component"
)
{
    def Material "rubber" (
        prepend apiSchemas = ["PhysicsMaterialAPI"]
    )
    {
        float physics:dynamicFriction = 0.8
        float physics:staticFriction = 0.9
        float physics:restitution = 0
    }

    def Xform "base" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        kind = "subcomponent"
    )
    {
        float physics:mass = 5
        quatd xformOp:orient = (1, 0, 0, 0)
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]

        def Cube "visual"
        {
            float3[] extent = [(-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)]
            color3f[] primvars:displayColor = [(0.35, 0.38, 0.45)]
            double size = 0.2
        }

        def Cube "collision" (
            prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
        )
        {
            float3[] extent = [(-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)]
            rel material:binding:physics = </robot/rubber>
            uniform token purpose = "guide"
            double size = 0.2
        }
    }

    def Xform "arm" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        kind = "subcomponent"
    )
    {
        float physics:mass = 1
        quatd xformOp:orient = (1, 0, 0, 0)
        double3 xformOp:translate = (0, 0.15, 1)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]

        def Capsule "visual"
        {
            uniform token axis = "Z"
            float3[] extent = [(-0.03, -0.03, -0.23), (0.03, 0.03, 0.23)]
            double height = 0.4
            color3f[] primvars:displayColor = [(0.93, 0.56, 0.12)]
            double radius = 0.03
            quatd xformOp:orient = (1, 0, 0, 0)
            double3 xformOp:translate = (0, 0, -0.25)
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        }

        def Capsule "collision" (
            prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
        )
        {
            uniform token axis = "Z"
            float3[] extent = [(-0.03, -0.03, -0.23), (0.03, 0.03, 0.23)]
            double height = 0.4
            rel material:binding:physics = </robot/rubber>
            uniform token purpose = "guide"
            double radius = 0.03
            quatd xformOp:orient = (1, 0, 0, 0)
            double3 xformOp:translate = (0, 0, -0.25)
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        }
    }

    def PhysicsFixedJoint "root_joint"
    {
        rel physics:body1 = </robot/base>
        point3f physics:localPos0 = (0, 0, 1)
    }

    def PhysicsRevoluteJoint "hinge" (
        prepend apiSchemas = ["PhysicsDriveAPI:angular"]
    )
    {
        float drive:angular:physics:damping = 0.02
        float drive:angular:physics:stiffness = 0.5
        float drive:angular:physics:targetPosition = 60
        uniform token physics:axis = "Y"
        rel physics:body0 = </robot/base>
        rel physics:body1 = </robot/arm>
        point3f physics:localPos0 = (0, 0.15, 0)
        float physics:lowerLimit = -120
        float physics:upperLimit = 120
    }
}
)";

constexpr const char* kConfiguration =
    R"(# Settings of `mechane check` in this folder; options of the command line go first.
[check]
profile = "core"
ignore = ["REP-1.2.1-i"]  # one layer is enough for a draft; delete this line before the asset goes out
)";

struct Piece {
    const char *name, *content;
};
/// A path that can be pasted into a shell: quoted where it holds more than letters, digits and "._-/".
std::string for_shell(const std::string& path)
{
    const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
    });
    if (plain) return path;
    std::string out = "'";
    for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

constexpr std::array kPieces{Piece{"robot.usda", kRobot}, Piece{"mechane.toml", kConfiguration}};

// The check goes before the first write, so that there is never half an asset.
int run_init(const std::string& folder, Context& context)
{
    if (folder == "-")
        return context.io.say_error("init writes files, and cannot write to standard output: name a folder\n"),
               kExitUsage;
    const Io& io = context.io;
    for (const Piece& piece : kPieces) {
        std::error_code failed;
        const fs::path  file = fs::path(folder) / piece.name;
        // A link to nothing also counts as there: writing would follow it.
        if (!fs::exists(fs::symlink_status(file, failed))) continue;
        io.say_error(
            fmt::format("{} exists already, so nothing was written\n  choose another folder: mechane init FOLDER\n",
                        file.string()));
        return kExitOutput;
    }
    // Each file is replaced as a whole, so a reader never sees a part of it.
    for (const Piece& piece : kPieces) {
        const std::string file = (fs::path(folder) / piece.name).string();
        if (const auto written = files::replace(file, piece.content, {.make_folders = true}); !written)
            return io.fail(written.error());
        io.say(fmt::format("wrote     {}\n", file));
    }
    const std::string robot    = (fs::path(folder) / kPieces.front().name).string();
    const std::string settings = (fs::path(folder) / kPieces.back().name).string();
    // Settings count where one works: elsewhere they are named.
    io.say(fmt::format(
        "try       mechane view {0}\n          mechane check {0}{1}\n          mechane sim {0} -o run.html\n",
        for_shell(robot),
        fs::path(settings).has_parent_path() && fs::path(folder) != "." ? " --config " + for_shell(settings) : ""));
    return kExitClean;
}

}  // namespace

void add_init(CLI::App& app, Context& context)
{
    const auto folder = std::make_shared<std::string>(".");
    CLI::App*  verb   = app.add_subcommand("init", "Write a starter asset and a configuration");
    verb->add_option("folder", *folder, "Where to")->capture_default_str();
    add_global_options(*verb, context);
    verb->callback([folder, &context] { context.exit = run_init(*folder, context); });
}

}  // namespace mechane::cli
