#include <fmt/format.h>

#include <array>

#include "import_support.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;
using mechane::test::close_to;

namespace {

std::string driven(const std::string& actuator)
{
    return stage_text(R"(
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
    def Xform "d" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
    def PhysicsRevoluteJoint "j0"
    {
        rel physics:body0 = </robot/a>
        rel physics:body1 = </robot/b>
    }
    def PhysicsRevoluteJoint "j1"
    {
        rel physics:body0 = </robot/b>
        rel physics:body1 = </robot/d>
    }
}
)" + actuator);
}

}  // namespace

TEST_CASE("a NewtonActuator with a PD law becomes the drive of its joint, with its dof and coordinate (IMP-128)")
{
    const Imported in = import_text(driven(R"(
def NewtonActuator "m" (prepend apiSchemas = ["NewtonPDControlAPI", "NewtonMaxEffortClampingAPI"])
{
    rel newton:targets = </robot/j1>
    float newton:kp = 50
    float newton:kd = 5
    float newton:maxEffort = 20
})"));
    REQUIRE(in.result);
    CHECK(in.result->actuator_count == 1);
    REQUIRE(in.result->actuators.size() == 1);
    const ImportedActuator& m = in.result->actuators.front();
    // The FREE base has 6 dofs and 7 coordinates, the first hinge one of each.
    CHECK(m.dof == 7);
    CHECK(m.coord == 8);
    CHECK(m.is_drive);
    const auto& dof = in.joint_at("/robot/j1").angular_axes.front();
    CHECK(dof.target_ke == 50);
    CHECK(dof.target_kd == 5);
    CHECK(dof.effort_limit == 20);
    CHECK(dof.actuator_mode == model::TargetMode::position);
    CHECK(in.joint_at("/robot/j0").angular_axes.front().target_ke == 0);
}

TEST_CASE("an actuator without target, with a body as target, or with other than one law is refused (IMP-129)")
{
    struct Row {
        const char *apis, *targets, *code;
    };
    const Row table[] = {
        {"\"NewtonPDControlAPI\"", "", "IMPORT_ACT_TARGET"},
        {"\"NewtonPDControlAPI\"", "rel newton:targets = </robot/b>", "IMPORT_ACT_TARGET"},
        {"\"NewtonPDControlAPI\"", "rel newton:targets = </nowhere>", "IMPORT_ACT_TARGET"},
        {"\"NewtonActuatorDelayAPI\"", "rel newton:targets = </robot/j1>", "IMPORT_ACT_CONTROL"},
        {"\"NewtonPDControlAPI\", \"NewtonPIDControlAPI\"", "rel newton:targets = </robot/j1>", "IMPORT_ACT_CONTROL"},
        {"\"NewtonPDControlAPI\"", "rel newton:targets = [</robot/j0>, </robot/j1>]", "IMPORT_ACT_MULTI_TARGET"},
    };
    for (const Row& row : table) {
        CAPTURE(row.apis);
        CAPTURE(row.targets);
        const std::string stage = driven(std::string("def NewtonActuator \"m\" (prepend apiSchemas = [") + row.apis +
                                         "])\n{\n" + row.targets + "\n}\n");
        const Imported    in    = import_text(stage);
        REQUIRE(in.result);  // a fault of one prim costs that prim
        CHECK(in.found.count(std::string_view(row.code)) == 1);
        const bool refused = std::string_view(row.code) != "IMPORT_ACT_MULTI_TARGET";
        CHECK(in.result->actuators.size() == (refused ? 0 : 1));
        if (refused) CHECK(import_text(stage, newton_options()).error == row.code);
    }
}

TEST_CASE("parts of a controller that are not simulated are recorded, reported and ignored in the ledger")
{
    ImportOptions options;
    options.ledger    = true;
    const Imported in = import_text(driven(R"(
def NewtonActuator "m" (prepend apiSchemas = ["NewtonPIDControlAPI", "NewtonActuatorDelayAPI"])
{
    rel newton:targets = </robot/j1>
    float newton:kp = 50
    float newton:ki = 2
    int newton:delaySteps = 3
})"),
                                    options);
    REQUIRE(in.result->actuators.size() == 1);
    CHECK(in.result->actuators.front().ki == 2);
    CHECK(in.result->actuators.front().delay_steps == 3);
    CHECK_FALSE(in.result->actuators.front().is_drive);
    CHECK(in.joint_at("/robot/j1").angular_axes.front().target_ke == 0);
    for (const LedgerEntry& entry : in.result->ledger)
        if (entry.prim == "/m") {
            CAPTURE(entry.property);
            CHECK(entry.verdict == Verdict::ignored);
        }
}

namespace {

/// A servo of MuJoCo on the hinge j1: a position servo of stiffness and damping, or with stiffness 0 a velocity servo.
std::string mujoco_servo(const std::string& name, double kp, double kv)
{
    return fmt::format(
        "def MjcActuator \"{}\"\n{{\n    rel mjc:target = </robot/j1>\n    uniform token mjc:biasType = "
        "\"affine\"\n    uniform double[] mjc:gainPrm = [{}, 0, 0]\n    uniform double[] mjc:biasPrm = [0, "
        "{}, {}]\n}}\n",
        name, kp > 0 ? kp : kv, -kp, -kv);
}

}  // namespace

TEST_CASE("servos of MuJoCo on one joint add, in the place of the joint's own drive")
{
    // MuJoCo adds the forces of actuators. Newton 1.8 lets the last servo say each gain.
    ImportOptions options;
    options.schema_resolvers = {"mjc"};
    const auto gains         = [&](const std::string& servos, const std::string& drive, const ImportOptions& how) {
        std::string text = driven(servos);
        if (!drive.empty()) {
            const std::size_t at = text.find("def PhysicsRevoluteJoint \"j1\"");
            text.replace(at, 29,
                         "def PhysicsRevoluteJoint \"j1\" (prepend apiSchemas = [\"PhysicsDriveAPI:angular\"])");
            text.insert(text.find("rel physics:body0 = </robot/b>"), drive);
        }
        const Imported in = import_text(text, how);
        REQUIRE(in.result);
        const model::JointDofConfig& dof = in.joint_at("/robot/j1").angular_axes.front();
        return std::array{dof.target_ke, dof.target_kd,
                          static_cast<double>(in.found.count("IMPORT_SERVO_REPLACES_DRIVE"))};
    };
    const auto one = mujoco_servo("p", 10, 1), two = mujoco_servo("q", 10, 1), rate = mujoco_servo("v", 0, 5);
    CHECK(gains(one, "", options) == std::array{10.0, 1.0, 0.0});
    CHECK(gains(one + two, "", options) == std::array{20.0, 2.0, 0.0});
    CHECK(gains(one + rate, "", options) == std::array{10.0, 6.0, 0.0});
    CHECK(gains(rate + one, "", options) == std::array{10.0, 6.0, 0.0});
    // Gains of a drive on a turning axis are per degree.
    const std::string other =
        "float drive:angular:physics:stiffness = 3\n        float drive:angular:physics:damping = 3\n        ";
    CHECK(gains(one, other, options) == std::array{10.0, 1.0, 1.0});
    // What a conversion writes beside the servos is their sum, and nothing to tell.
    const std::string sum = fmt::format(
        "float drive:angular:physics:stiffness = {}\n        float "
        "drive:angular:physics:damping = {}\n        ",
        20 * kDegrees, 2 * kDegrees);
    CHECK(gains(one + two, sum, options) == std::array{20.0, 2.0, 0.0});
    ImportOptions newton    = newton_options();
    newton.schema_resolvers = {"mjc"};
    CHECK(gains(one + two, "", newton) == std::array{10.0, 1.0, 0.0});
}
