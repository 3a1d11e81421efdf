// What a stage animates commands the simulation.
#include <fmt/format.h>

#include "mechane/run/scene.h"
#include "mechane/simulation/simulate.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

namespace {

constexpr const char* kHead =
    "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    timeCodesPerSecond = 24\n    startTimeCode = 0\n    "
    "endTimeCode = 48\n)\ndef PhysicsScene \"scene\"\n{\n    float physics:gravityMagnitude = 0\n}\n";

/// A stage and its run, 100 steps of 10 ms a second.
struct Run {
    run::Scene        scene;
    record::Recording recording;
    Diagnostics       found;

    [[nodiscard]] Vec3d position(double seconds, const char* body) const
    {
        const auto b = static_cast<std::size_t>(scene.imported.path_body_map.at(body));
        return static_cast<Vec3d>(
            recording.frames.at(static_cast<std::size_t>(std::lround(seconds * 100))).body_q[b].p);
    }
};

/// Two seconds of a stage, whose animation is followed.
Run followed(const std::string& stage, const run::SceneOptions& options = {})
{
    const test::TemporaryFolder folder;
    Diagnostics                 found;
    auto                        scene = run::load_scene(folder.write("stage.usda", stage), options, found);
    REQUIRE(scene);
    Run                  out{*std::move(scene), {}, {}};
    run::SimulateOptions how{.dt = 0.01, .frames = 200, .threads = 1};
    how.follow     = run::follower(out.scene);
    auto simulated = run::simulate(out.scene.model, how, found);
    REQUIRE(simulated);
    out.recording = std::move(simulated->recording);
    out.found     = std::move(found);
    return out;
}

Run simulated(const std::string& prims, bool animation = true, int worlds = 1)
{
    run::SceneOptions options;
    options.worlds           = worlds;
    options.import.animation = animation;
    options.import.ledger    = true;
    return followed(kHead + prims, options);
}

// An arm of 1 kg whose middle is 1 m from its hinge about z.
constexpr const char* kArm = R"(
def Xform "arm" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{
    float physics:mass = 1
    float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
    double3 xformOp:translate = (1, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsRevoluteJoint "motor" (
    prepend apiSchemas = ["PhysicsDriveAPI:angular"]
)
{
    uniform token physics:axis = "Z"
    rel physics:body1 = </arm>
    point3f physics:localPos1 = (-1, 0, 0)
    float drive:angular:physics:stiffness = 1000
    float drive:angular:physics:damping = 100
    float drive:angular:physics:targetPosition.timeSamples = { 0: 0, 24: 90 }
}
)";

}  // namespace

TEST_CASE("a drive follows its animated target, in every copy of the world; it may also be held")
{
    // From 0 to 90 degrees in the first second, then held. Stiffness and damping lag by kd/ke = 0.1 s on the way: a
    // tenth of 90 degrees per second.
    for (const int worlds : {1, 3}) {
        CAPTURE(worlds);
        const Run  run   = simulated(kArm, true, worlds);
        const auto angle = [&](const record::Frame& frame, std::size_t body) {
            return std::atan2(frame.body_q[body].p.y, frame.body_q[body].p.x) / kDegrees;
        };
        for (std::size_t body = 0; body < static_cast<std::size_t>(worlds); ++body) {
            CHECK(angle(run.recording.frames.at(100), body) == close_to(90 - 9, 1));
            CHECK(angle(run.recording.frames.back(), body) == close_to(90, 1));
        }
        for (const importer::LedgerEntry& entry : run.scene.imported.ledger)
            if (entry.property == "drive:angular:physics:targetPosition")
                CHECK(entry.verdict == importer::Verdict::converted);
    }
    const Run held = simulated(kArm, false);
    CHECK(held.position(2, "/arm").y == close_to(0, 1e-4));
    for (const importer::LedgerEntry& entry : held.scene.imported.ledger)
        if (entry.property == "drive:angular:physics:targetPosition")
            CHECK(entry.verdict == importer::Verdict::ignored);
}

TEST_CASE("a kinematic body follows its animated transform, its own or that of a prim above (DYN-107)")
{
    // 3 m along x in two seconds; linear in between.
    const std::string prims = R"(
def Xform "lift"
{
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 48: (3, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "platform" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        bool physics:kinematicEnabled = 1
        double3 xformOp:translate = (0, 0, 2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
def Cube "still" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    bool physics:kinematicEnabled = 1
    vector3f physics:velocity = (0, 1, 0)
    double3 xformOp:translate = (0, 9, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";
    const Run         run   = simulated(prims);
    CHECK(run.position(1, "/lift/platform").x == close_to(1.5, 1e-4));
    CHECK(run.position(2, "/lift/platform").x == close_to(3, 1e-4));
    CHECK(run.position(2, "/lift/platform").z == close_to(2, 1e-5));
    CHECK(run.position(2, "/still").y == 9);  // what has no track rests, whatever velocity it authors
    CHECK(simulated(prims, false).position(2, "/lift/platform").x == close_to(0, 1e-6));
}

namespace {

constexpr const char* kPushed = R"(
def Cube "still" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    bool physics:kinematicEnabled = 1
    vector3f physics:velocity = (0, 1, 0)
    vector3f physics:angularVelocity = (0, 0, 90)
    double3 xformOp:translate = (0, 9, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Cube "led" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    bool physics:kinematicEnabled = 1
    vector3f physics:velocity = (0, 1, 0)
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 24: (1, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";

const importer::LedgerEntry& ledger_of(const run::Scene& scene, const std::string& prim, const std::string& property)
{
    for (const importer::LedgerEntry& entry : scene.imported.ledger)
        if (entry.prim == prim && entry.property == property) return entry;
    FAIL("no such row");
    return scene.imported.ledger.front();
}

}  // namespace

TEST_CASE("second 0 is the startTimeCode that is authored, with and without an endTimeCode; else time code 0 (DYN-107)")
{
    // 1 m/s from time code 0 on, 24 codes a second: where the run begins at code 12 the body starts at half a metre.
    for (const auto& [range, start] :
         {std::pair("startTimeCode = 12", 0.5), std::pair("startTimeCode = 12\n    endTimeCode = 96", 0.5),
          std::pair("endTimeCode = 96", 0.0), std::pair("startFrame = 12", 0.5), std::pair("", 0.0)}) {
        CAPTURE(range);
        const Run run = followed(
            std::string("#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    timeCodesPerSecond = 24\n    ") +
            range +
            "\n)\ndef Xform \"lift\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"] )\n{\n"
            "    bool physics:kinematicEnabled = 1\n    float physics:mass = 1\n"
            "    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 240: (0, 0, 10) }\n"
            "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n");
        CHECK(run.position(1, "/lift").z == close_to(start + 1, 1e-4));
    }
}

TEST_CASE("a kinematic body without animation rests, and its velocity is named and ignored (GAP-094)")
{
    const Run run = simulated(kPushed);
    CHECK(run.position(1, "/still").y == 9);
    CHECK(run.position(1, "/led").x == close_to(1, 1e-5));
    CHECK(run.position(1, "/led").y == 0);
    for (const char* property : {"physics:velocity", "physics:angularVelocity"})
        CHECK(ledger_of(run.scene, "/still", property).verdict == importer::Verdict::ignored);
    CHECK(ledger_of(run.scene, "/led", "physics:velocity").verdict == importer::Verdict::ignored);
    std::vector<std::string> named;
    for (const Diagnostic& d : run.found)
        if (d.id == "IMPORT_KINEMATIC_VELOCITY") named.push_back(d.site.prim + ": " + d.message);
    CHECK(named ==
          std::vector<std::string>{"/still: /still is kinematic and not animated, physics:velocity = (0, 1, 0), "
                                   "physics:angularVelocity = (0, 0, 90)"});
}

TEST_CASE("with kinematic_velocity = follow it moves with its velocity, as under newton-1.8 (GAP-094)")
{
    run::SceneOptions options;
    REQUIRE(importer::set_option(options.import, "kinematic_velocity", "follow"));
    const Run run = followed(kHead + std::string(kPushed), options);
    CHECK(run.position(1, "/still").y == close_to(10, 1e-4));
    CHECK(run.found.count("IMPORT_KINEMATIC_VELOCITY") == 0);
    // 180 degrees in two seconds.
    const auto& q =
        run.recording.frames.back().body_q[static_cast<std::size_t>(run.scene.imported.path_body_map.at("/still"))].q;
    CHECK(std::abs(static_cast<double>(q.z)) == close_to(1, 1e-3));
    run::SceneOptions newton;
    newton.import.compat = importer::Compat::newton_1_8;
    CHECK(followed(kHead + std::string(kPushed), newton).position(1, "/still").y == close_to(10, 1e-4));
    CHECK_FALSE(importer::set_option(newton.import, "kinematic_velocity", "stay"));
}

namespace {

/// The model of a stage as its animation has it at a time, and the commands.
struct At {
    run::Scene     scene;
    model::Model   model;
    model::Control control;
};
At at(double seconds, const std::string& stage)
{
    const test::TemporaryFolder folder;
    Diagnostics                 found;
    run::SceneOptions           options;
    options.import.ledger = true;
    auto scene            = run::load_scene(folder.write("stage.usda", stage), options, found);
    REQUIRE(scene);
    At         out{*std::move(scene), {}, {}};
    const auto follow = run::follower(out.scene);
    REQUIRE(follow);
    out.model   = out.scene.model;
    out.control = model::make_control(out.model);
    follow(seconds, seconds + 0.01, model::make_state(out.model), out.model, out.control);
    return out;
}

/// A robot with one of everything; `$` is replaced by an animated attribute of the prim that is named.
std::string robot_with(const std::string& prim, const std::string& attribute)
{
    const auto here = [&](const char* name) { return prim == name ? "    " + attribute + "\n" : std::string(); };
    return "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Z\"\n    timeCodesPerSecond = 24\n)\n"
           "def PhysicsScene \"scene\"\n{\n" +
           here("scene") +
           "}\n"
           "def Material \"rubber\" (\n    prepend apiSchemas = [\"PhysicsMaterialAPI\"]\n)\n{\n"
           "    float physics:dynamicFriction = 0.5\n" +
           here("rubber") +
           "}\n"
           "def Cube \"base\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\", "
           "\"PhysicsMassAPI\", \"MaterialBindingAPI\"]\n)\n{\n    double size = 200\n"
           "    rel material:binding:physics = </rubber>\n" +
           here("base") +
           "}\n"
           "def Cube \"arm\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\", "
           "\"PhysicsMassAPI\"]\n)\n{\n    double size = 20\n    float physics:mass = 5\n"
           "    double3 xformOp:translate = (300, 0, 0)\n    uniform token[] xformOpOrder = "
           "[\"xformOp:translate\"]\n" +
           here("arm") +
           "}\n"
           "def Cube \"ball\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]\n)\n"
           "{\n    double size = 20\n    double3 xformOp:translate = (400, 0, 0)\n"
           "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n"
           "def PhysicsRevoluteJoint \"hinge\" (\n    prepend apiSchemas = [\"PhysicsDriveAPI:angular\"]\n)\n{\n"
           "    rel physics:body0 = </base>\n    rel physics:body1 = </arm>\n"
           "    point3f physics:localPos0 = (300, 0, 0)\n" +
           here("hinge") +
           "}\n"
           "def PhysicsSphericalJoint \"socket\"\n{\n    rel physics:body0 = </arm>\n    rel physics:body1 = "
           "</ball>\n    point3f physics:localPos0 = (100, 0, 0)\n    float physics:coneAngle0Limit = 20\n"
           "    float physics:coneAngle1Limit = 20\n" +
           here("socket") + "}\n";
}

}  // namespace

TEST_CASE(
    "what the stage animates is in the model at its time, in SI, and the ledger says that it is followed (GAP-007, "
    "DYN-125)")
{
    // Samples at the time codes 0 and 24, asked for at 0.5 s: half way. Lengths are centimetres; a stiffness of a
    // degree is one of 180/pi radians, and a torque of kg cm^2/s^2 is 1e-4 N m.
    const double per_degree = 180 / kPi, torque = 1e-4;
    using M = const model::Model&;
    const struct {
        const char *prim, *property, *type, *from, *to;
        double (*value)(M, const model::Control&);
        double expected;
    } table[] = {
        {"hinge", "drive:angular:physics:targetPosition", "float", "0", "90",
         [](M, const model::Control& c) { return static_cast<double>(c.joint_target_q[7]); }, kPi / 4},
        {"hinge", "drive:angular:physics:targetVelocity", "float", "0", "90",
         [](M, const model::Control& c) { return static_cast<double>(c.joint_target_qd[6]); }, kPi / 4},
        {"hinge", "drive:angular:physics:stiffness", "float", "100", "300",
         [](M m, const model::Control&) { return static_cast<double>(m.joint_target_ke[6]); },
         200 * torque * per_degree},
        {"hinge", "drive:angular:physics:damping", "float", "100", "300",
         [](M m, const model::Control&) { return static_cast<double>(m.joint_target_kd[6]); },
         200 * torque * per_degree},
        {"hinge", "drive:angular:physics:maxForce", "float", "10000", "30000",
         [](M m, const model::Control&) { return static_cast<double>(m.joint_effort_limit[6]); }, 20000 * torque},
        {"hinge", "physics:lowerLimit", "float", "-90", "0",
         [](M m, const model::Control&) { return static_cast<double>(m.joint_limit_lower[6]); }, -kPi / 4},
        {"hinge", "physics:upperLimit", "float", "0", "90",
         [](M m, const model::Control&) { return static_cast<double>(m.joint_limit_upper[6]); }, kPi / 4},
        {"hinge", "physics:jointEnabled", "bool", "0", "1",
         [](M m, const model::Control&) { return static_cast<double>(m.joint_enabled[1]); }, 0},
        {"socket", "physics:coneAngle0Limit", "float", "20", "60",
         [](M m, const model::Control&) { return static_cast<double>(m.joint_cone_limit[2][0]); }, 40 * kDegrees},
        {"scene", "physics:gravityMagnitude", "float", "0", "981",
         [](M m, const model::Control&) { return static_cast<double>(m.gravity.back().z); }, -4.905},
        {"scene", "physics:gravityDirection", "vector3f", "(0, 0, -1)", "(1, 0, 0)",
         [](M m, const model::Control&) { return static_cast<double>(m.gravity.back().x); }, 9.81 / std::sqrt(2)},
        {"arm", "physics:mass", "float", "5", "15",
         [](M m, const model::Control&) { return static_cast<double>(m.body_mass[1]); }, 10},
        {"arm", "physics:centerOfMass", "point3f", "(0, 0, 0)", "(20, 0, 0)",
         [](M m, const model::Control&) { return static_cast<double>(m.body_com[1].x); }, 0.1},
        {"arm", "physics:rigidBodyEnabled", "bool", "0", "1",
         [](M m, const model::Control&) { return static_cast<double>(m.body_flags[1]); }, model::body_flag::kinematic},
        {"arm", "physics:collisionEnabled", "bool", "0", "1",
         [](M m, const model::Control&) {
             return static_cast<double>(m.shape_flags[1] & model::shape_flag::collide_shapes);
         },
         0},
        {"rubber", "physics:dynamicFriction", "float", "0.2", "0.4",
         [](M m, const model::Control&) { return static_cast<double>(m.shape_material_mu[0]); }, 0.3},
        {"rubber", "physics:staticFriction", "float", "0.2", "0.4",
         [](M m, const model::Control&) { return static_cast<double>(m.shape_material_mu_static[0]); }, 0.3},
        {"rubber", "physics:restitution", "float", "0", "1",
         [](M m, const model::Control&) { return static_cast<double>(m.shape_material_restitution[0]); }, 0.5},
    };
    for (const auto& row : table) {
        CAPTURE(row.property);
        const At now = at(0.5, robot_with(row.prim, fmt::format("{} {}.timeSamples = {{ 0: {}, 24: {} }}", row.type,
                                                                row.property, row.from, row.to)));
        REQUIRE(now.model.body_label == std::vector<std::string>{"/base", "/arm", "/ball"});
        REQUIRE(now.model.joint_label[1] == "/hinge");
        CHECK(row.value(now.model, now.control) == close_to(row.expected, 1e-6 * (1 + std::abs(row.expected))));
        int entries = 0;
        for (const importer::LedgerEntry& entry : now.scene.imported.ledger) {
            if (entry.property != row.property || entry.prim != std::string("/") + row.prim) continue;
            ++entries;
            CHECK(entry.verdict != importer::Verdict::ignored);
            CHECK(entry.note == "followed: sampled at every step");
        }
        CHECK(entries == 1);
    }
}

TEST_CASE("a belt whose velocity has samples carries what lies on it as they say (DYN-091, DYN-125)")
{
    // Still for a second, then 2 m/s to the belt's own x, which is the world's y. The box slips until it is as fast,
    // after 2 / (0.5 * 9.81) = 0.408 s and 0.408 m, and is carried for the remaining 0.592 s.
    constexpr const char* kBelt   = R"(#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
    timeCodesPerSecond = 24
)
def PhysicsScene "scene"
{
}
def Material "rubber" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{
    float physics:staticFriction = 0.5
    float physics:dynamicFriction = 0.5
}
def Cube "belt" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "PhysxSurfaceVelocityAPI", "MaterialBindingAPI"]
)
{
    rel material:binding:physics = </rubber>
    double size = 10
    $
    double3 xformOp:translate = (0, 0, -5)
    float xformOp:rotateZ = 90
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ"]
}
def Cube "box" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    rel material:binding:physics = </rubber>
    double size = 0.2
    double3 xformOp:translate = (0, -1, 0.1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";
    const char* const     table[] = {
        "vector3f physxSurfaceVelocity:surfaceVelocity.timeSamples = { 0: (0, 0, 0), 24: (0, 0, 0), 24.01: (2, 0, 0) }",
        "vector3f physxSurfaceVelocity:surfaceVelocity = (2, 0, 0)\n    bool "
        "physxSurfaceVelocity:surfaceVelocityEnabled.timeSamples = { 0: 0, 24: 1 }"};
    for (const char* const lines : table) {
        CAPTURE(lines);
        std::string stage = kBelt;
        stage.replace(stage.find('$'), 1, lines);
        run::SceneOptions options;
        options.import.schema_resolvers = {"newton", "physx"};
        const Run  run                  = followed(stage, options);
        const auto y                    = [&](std::size_t frame) {
            return static_cast<double>(run.recording.frames.at(frame).body_q[0].p.y);
        };
        CHECK(y(100) == close_to(-1, 1e-3));
        CHECK(y(200) == close_to(-1 + 0.408 + 2 * 0.592, 0.03));  // two steps of 10 ms are 0.02 m
    }
}

TEST_CASE("what is animated and not followed is in the ledger as held, and without animation everything is (GAP-007)")
{
    const std::string stage = robot_with("hinge",
                                         "float physics:breakForce.timeSamples = { 0: 100, 24: 200 }\n"
                                         "    point3f physics:localPos0.timeSamples = { 0: (0, 0, 0), 24: (0, 0, 1) }\n"
                                         "    float physics:upperLimit.timeSamples = { 0: 0, 24: 90 }");
    const auto        note  = [&](bool animation, const char* property) {
        const test::TemporaryFolder folder;
        Diagnostics                 found;
        run::SceneOptions           options;
        options.import.ledger    = true;
        options.import.animation = animation;
        const auto scene         = run::load_scene(folder.write("stage.usda", stage), options, found);
        REQUIRE(scene);
        CHECK((run::follower(*scene) != nullptr) == animation);
        for (const importer::LedgerEntry& entry : scene->imported.ledger)
            if (entry.property == property)
                return (entry.verdict == importer::Verdict::ignored ? "ignored: " : "") + entry.note;
        return std::string();
    };
    CHECK(note(true, "physics:breakForce") == "followed: sampled at every step");
    CHECK(note(true, "physics:upperLimit") == "followed: sampled at every step");
    CHECK(note(true, "physics:localPos0") ==
          "ignored: animated, held at its first value: a run moves no frames of joints");
    CHECK(note(false, "physics:upperLimit") == "ignored: animated, held at its first value: animation is switched off");
}

TEST_CASE("a joint breaks when the strength that its samples give falls below its load (GAP-007)")
{
    // A ball of 2 kg hangs on the world: 19.62 N. From 1 s on the joint holds 50 (2 - t) N, which falls below the load
    // at t = 1.6076 s: in the step that begins at 1.61 s. From 1.62 s on the ball falls.
    const std::string ball = R"(
def PhysicsScene "earth"
{
    float physics:gravityMagnitude = 9.81
}
def Sphere "ball" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{
    float physics:mass = 2
}
def PhysicsFixedJoint "thread"
{
    rel physics:body1 = </ball>
    float physics:breakForce.timeSamples = { 0: %, 23.9: %, 24: 50, 48: 0 }
}
)";
    for (const char* first : {"100", "inf"}) {
        CAPTURE(first);
        std::string stage = ball;
        for (std::size_t at; (at = stage.find('%')) != std::string::npos;) stage.replace(at, 1, first);
        const std::string head = std::string(kHead).substr(0, std::string(kHead).find("def PhysicsScene"));
        const Run         run  = followed(head + stage);
        CHECK(run.position(1.60, "/ball").z == close_to(0, 1e-3));
        CHECK(run.position(2, "/ball").z == close_to(-0.5 * 9.81 * 0.38 * 0.38, 0.02));
    }
}

TEST_CASE("a stiff joint follows its target within a degree (GAP-007)")
{
    // Lag of damping over stiffness, 0.01 s, at 90 degrees a second: 0.9 degrees.
    std::string arm = kArm;
    arm.replace(arm.find("stiffness = 1000"), 16, "stiffness = 10000");
    const Run run = simulated(arm);
    for (const double t : {0.5, 1.0, 2.0}) {
        const Vec3d p = run.position(t, "/arm");
        CHECK(std::atan2(p.y, p.x) / kDegrees == close_to(90 * std::min(t, 1.0), 1));
    }
}

TEST_CASE(
    "a collider that moves in its body shifts the centre of mass and pushes nothing; as a body of its own it does "
    "(GAP-007)")
{
    // Two cubes of 1 m^3; the second goes from 2 m to 4 m, so the centre of mass from 1 m to 2 m.
    const std::string part = R"(
def Xform "lamp" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
)
{
    def Cube "foot" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
        double size = 1
    }
    def Cube "head" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
        double size = 1
        double3 xformOp:translate.timeSamples = { 0: (2, 0, 0), 24: (4, 0, 0) }
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
)";
    const Run         run  = simulated(part);
    for (const record::Frame& frame : run.recording.frames) {
        // Momenta are the mass, 2000 kg, and the inertia times these.
        CHECK(2000 * length(static_cast<Vec3d>(frame.body_qd[0].linear)) < 1e-6);
        CHECK(2000 * length(static_cast<Vec3d>(frame.body_qd[0].angular)) < 1e-6);
    }
    const At now = at(1, kHead + part);
    CHECK(now.model.body_com[0].x == close_to(2, 1e-6));
    CHECK(now.model.body_mass[0] == close_to(2000, 1e-3));
    CHECK(now.scene.model.body_com[0].x == close_to(1, 1e-6));
    // About the middle along y: two cubes of m/6 and m d^2 with d = 2 m.
    CHECK(now.model.body_inertia[0].r1.y == close_to(2000.0 / 6 + 2000 * 4, 1e-2));
    CHECK(now.model.shape_transform[1].p.x == close_to(4, 1e-6));
    // A ball in the way meets the head where it is.
    const std::string ball = R"(
def Sphere "ball" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    double radius = 0.5
    double3 xformOp:translate = (4, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";
    CHECK(simulated(part + ball).position(2, "/ball").x > 4.4);

    // The same head as a body on a slider: the foot goes the other way, by half of the 2 m as both weigh the same.
    const std::string bodies = R"(
def Cube "foot" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    double size = 1
}
def Cube "head" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    double size = 1
    double3 xformOp:translate = (2, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsPrismaticJoint "neck" (
    prepend apiSchemas = ["PhysicsDriveAPI:linear"]
)
{
    uniform token physics:axis = "X"
    rel physics:body0 = </foot>
    rel physics:body1 = </head>
    point3f physics:localPos0 = (2, 0, 0)
    float drive:linear:physics:stiffness = 1000000
    float drive:linear:physics:damping = 100000
    float drive:linear:physics:targetPosition.timeSamples = { 0: 0, 24: 2 }
}
)";
    CHECK(simulated(bodies).position(2, "/foot").x == close_to(-1, 0.02));
}

TEST_CASE("switches of bodies, joints and colliders act when their samples say so (GAP-007)")
{
    // Everything is let go at half a second and falls for one and a half: 9.81/2 * 1.5^2 = 11.04 m.
    const std::string head =
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    timeCodesPerSecond = 24\n)\ndef PhysicsScene "
        "\"scene\"\n{\n}\n";
    const auto cube = [](const std::string& name, const std::string& apis, const std::string& inside, double z) {
        return fmt::format(
            "def Cube \"{}\" (\n    prepend apiSchemas = [{}]\n)\n{{\n    double size = 1\n    {}\n    "
            "double3 xformOp:translate = (0, 0, {})\n    uniform token[] xformOpOrder = "
            "[\"xformOp:translate\"]\n}}\n",
            name, apis, inside, z);
    };
    const std::string body = "\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"", collider = "\"PhysicsCollisionAPI\"";
    const std::string fixed =
        "def PhysicsFixedJoint \"hook\"\n{\n    rel physics:body1 = </part>\n    bool "
        "physics:jointEnabled.timeSamples = { 0: 1, 12: 0 }\n}\n";
    const struct {
        const char* what;
        std::string stage;
    } table[] = {
        {"rigidBodyEnabled", cube("part", body, "bool physics:rigidBodyEnabled.timeSamples = { 0: 0, 12: 1 }", 0)},
        {"kinematicEnabled", cube("part", body, "bool physics:kinematicEnabled.timeSamples = { 0: 1, 12: 0 }", 0)},
        {"jointEnabled", cube("part", body, "", 0) + fixed},
        {"collisionEnabled of the floor",
         cube("part", body, "", 0) +
             cube("floor", collider, "bool physics:collisionEnabled.timeSamples = { 0: 1, 12: 0 }", -1)},
        {"collisionEnabled of the body",
         cube("part", body, "bool physics:collisionEnabled.timeSamples = { 0: 1, 12: 0 }", 0) +
             cube("floor", collider, "", -1)},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const Run  run = followed(head + row.stage);
        const auto z   = [&](std::size_t frame) {
            return static_cast<double>(run.recording.frames.at(frame).body_q[0].p.z);
        };
        CHECK(z(49) == close_to(0, 5e-3));
        CHECK(z(200) == close_to(-9.81 / 2 * 1.5 * 1.5, 0.25));  // a step is 0.15 m then, and contact lets go smoothly
    }
}

TEST_CASE(
    "a joint that an animation switches off lets its sides collide, and keeps them apart while it is on (GAP-007)")
{
    const auto pairs = [](double seconds) {
        return at(seconds, robot_with("hinge", "bool physics:jointEnabled.timeSamples = { 0: 1, 24: 0 }"))
            .model.shape_collision_filter_pairs;
    };
    using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
    CHECK(pairs(0.5) == Pairs{{0, 1}, {1, 2}});  // base and arm, arm and ball
    CHECK(pairs(1) == Pairs{{1, 2}});
}

TEST_CASE("a run that is animated resumes from a checkpoint with the same hash")
{
    const test::TemporaryFolder folder;
    Diagnostics                 found;
    const std::string           stage = std::string(kHead) + kArm;
    auto                        scene = run::load_scene(folder.write("stage.usda", stage), {}, found);
    REQUIRE(scene);
    run::SimulateOptions how{.dt = 0.01, .frames = 60, .threads = 1, .keep_end = true};
    how.follow       = run::follower(*scene);
    const auto whole = run::simulate(scene->model, how, found);
    how.frames       = 30;
    const auto half  = run::simulate(scene->model, how, found);
    REQUIRE(whole);
    REQUIRE(half);
    how.from        = &half->end;
    const auto rest = run::simulate(scene->model, how, found);
    REQUIRE(rest);
    CHECK(rest->recording.hash == whole->recording.hash);
}
