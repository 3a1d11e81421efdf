// Controllers of REP-0158 4.2.3 at run time (GAP-073).
#include "mechane/run/controllers.h"

#include <algorithm>
#include <cmath>

#include "mechane/run/codes.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

namespace {

constexpr const char* kHead =
    "#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"Z\"\n)\ndef PhysicsScene "
    "\"scene\"\n{\n    float physics:gravityMagnitude = 0\n}\n";

/// An arm of 0.5 kg m^2 about z on a hinge to the world, with a drive.
std::string arm(const std::string& name, const std::string& drive)
{
    return "def Xform \"" + name + R"(" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
{
    float physics:mass = 1
    point3f physics:centerOfMass = (0, 0, 0)
    float3 physics:diagonalInertia = (0.5, 0.5, 0.5)
    quatf physics:principalAxes = (1, 0, 0, 0)
}
def PhysicsRevoluteJoint ")" +
           name + "_joint\"" + (drive.empty() ? "" : " ( prepend apiSchemas = [\"PhysicsDriveAPI:angular\"] )") +
           "\n{\n    uniform token physics:axis = \"Z\"\n    rel physics:body1 = </" + name +
           ">\n    custom string "
           "ros:joint:name = \"" +
           name + "\"\n" + drive + "}\n";
}
// 1000 and 100 N m (s) per radian, as degrees: stiff, and without overshoot against 0.5 kg m^2.
constexpr const char* kStiff =
    "    float drive:angular:physics:stiffness = 17.453293\n    float drive:angular:physics:damping = 1.7453293\n";
constexpr const char* kDamped = "    float drive:angular:physics:damping = 1.7453293\n";
constexpr const char* kEffort = "    float drive:angular:physics:maxForce = 3\n";

std::string trajectory(const char* name, const std::string& joints, bool enabled = true)
{
    return "def Xform \"" + std::string(name) +
           "\" ( prepend apiSchemas = [\"RosControlJointTrajectoryAPI\"] )\n{\n    rel "
           "ros:joint_trajectory:command_joints = [" +
           joints + "]\n" + (enabled ? "" : "    custom bool control:starts_enabled = false\n") + "}\n";
}

std::vector<run::Switch> switches(std::initializer_list<const char*> texts)
{
    std::vector<run::Switch> out;
    for (const std::string text : texts) {
        auto one = run::parse_switch(text.substr(1), text[0] == '+');
        REQUIRE(one);
        out.push_back(*std::move(one));
    }
    return out;
}

struct Run {
    run::Scene                        scene;
    record::Recording                 recording;
    std::vector<run::ControllerEvent> events;
    Diagnostics                       found;

    [[nodiscard]] std::size_t joint(const char* path) const
    { return static_cast<std::size_t>(scene.imported.path_joint_map.at(path)); }
    [[nodiscard]] double q(double seconds, const char* path, std::size_t copy = 0) const
    {
        const auto& frame = recording.frames.at(static_cast<std::size_t>(std::lround(seconds * 1000)));
        const auto  per   = scene.model.joint_count() / static_cast<std::size_t>(std::max(1, scene.model.world_count));
        return static_cast<double>(
            frame.joint_q[static_cast<std::size_t>(scene.model.joint_q_start[joint(path) + copy * per])]);
    }
    [[nodiscard]] double qd(double seconds, const char* path) const
    {
        const auto& frame = recording.frames.at(static_cast<std::size_t>(std::lround(seconds * 1000)));
        return static_cast<double>(frame.joint_qd[static_cast<std::size_t>(scene.model.joint_qd_start[joint(path)])]);
    }
    [[nodiscard]] std::size_t count(const Code& code) const
    {
        return static_cast<std::size_t>(
            std::count_if(found.begin(), found.end(), [&](const Diagnostic& one) { return one.id == code.id; }));
    }
    /// "+2 a -3 a", for seconds and last names.
    [[nodiscard]] std::string story() const
    {
        std::string out;
        for (const run::ControllerEvent& event : events)
            out += (out.empty() ? "" : " ") + std::string(event.on ? "+" : "-") +
                   std::to_string(std::lround(event.time)) + event.path.substr(event.path.rfind('/'));
        return out;
    }
};

Run simulated(const std::string& prims, const std::string& table, std::initializer_list<const char*> wanted = {},
              double seconds = 3, int worlds = 1)
{
    const test::TemporaryFolder folder;
    Diagnostics                 found;
    run::SceneOptions           options;
    options.worlds = worlds;
    auto scene     = run::load_scene(folder.write("stage.usda", kHead + prims), options, found);
    REQUIRE(scene);
    Run  out{*std::move(scene), {}, {}, {}};
    auto controlled = run::control(out.scene, {.switches = switches(wanted), .table = table, .table_name = "table.csv"},
                                   {}, out.found);
    REQUIRE_MESSAGE(controlled, (controlled ? "" : controlled.error().message));
    run::SimulateOptions how{.dt = 0.001, .frames = std::lround(seconds * 1000), .threads = 1};
    how.control = table, how.control_name = "table.csv", how.other_columns = controlled->columns;
    how.follow     = controlled->follow;
    out.events     = controlled->events;
    auto simulated = run::simulate(out.scene.model, how, out.found);
    REQUIRE_MESSAGE(simulated, (simulated ? "" : simulated.error().message));
    out.recording = std::move(simulated->recording);
    return out;
}

}  // namespace

TEST_CASE("a trajectory goes from point to point through the drive (GAP-073)")
{
    // Targets rise by 1 rad/s; a drive with its target velocity at zero lags by kd / ke = 0.1 s times that. After the
    // last point it comes to rest there: the slow pole is at ke / kd = 10 /s, so 1 s later e^-10 of 0.1 rad is left.
    const std::string stage = arm("a", kStiff) + trajectory("arm", "</a_joint>");
    const Run         run   = simulated(stage, "t,/arm.position[a]\n0,0\n1,1\n", {}, 3, 2);
    CHECK(run.story() == "+0/arm");
    for (const std::size_t copy : {0U, 1U}) {
        CHECK(run.q(1, "/a_joint", copy) == close_to(1 - 0.1, 2e-3));
        CHECK(run.q(3, "/a_joint", copy) == close_to(1, 1e-4));
    }
    // Degrees; empty cells are no points; before the first point the way begins at the drive's target, which is 0.
    const Run late = simulated(stage, "t,arm.position[a]\n0,\n1,90deg\n2,\n");
    CHECK(late.q(0.5, "/a_joint") == close_to(kPi / 4 - 0.1 * kPi / 2, 3e-3));
    CHECK(late.q(3, "/a_joint") == close_to(kPi / 2, 1e-4));
}

TEST_CASE("velocities at the points make the way a cubic; a drive that follows velocities integrates them")
{
    // Hermite from 0 to 1 with both ends at rest, 2 s: at rest in the middle of the time at 1/2, with 3/2 / 2 rad/s.
    // The lag is 0.1 s times the velocity, here 0.75 rad/s, to first order; the second is 0.01 s^2 times no
    // acceleration.
    const std::string stage = arm("a", kStiff) + trajectory("arm", "</a_joint>");
    const Run         cubic = simulated(stage, "t,arm.position[a],arm.velocity[a]\n0,0,0\n2,1,0\n");
    CHECK(cubic.q(1, "/a_joint") == close_to(0.5 - 0.075, 3e-3));

    // 100 N m s/rad against 0.5 kg m^2: a lag of 5 ms. The velocity rises by 1 rad/s^2 for a second and then stays.
    const Run speed = simulated(arm("a", kDamped) + trajectory("arm", "</a_joint>"), "t,arm.velocity[a]\n0,0\n1,1\n");
    CHECK(speed.qd(0.5, "/a_joint") == close_to(0.5 - 0.005, 1.1e-3));  // a step late, at most
    CHECK(speed.qd(2, "/a_joint") == close_to(1, 1e-4));
}

TEST_CASE("efforts are bounded by what the drive can give")
{
    // 2 N m on 0.5 kg m^2 for a second: 4 rad/s. 9 N m are asked for and 3 given from there on: 6 rad/s^2.
    const Run run = simulated(arm("a", kEffort) + trajectory("arm", "</a_joint>"),
                              "t,arm.effort[a]\n0,2\n0.999,2\n1,9\n", {"-arm@2"});
    CHECK(run.qd(1, "/a_joint") == close_to(4, 0.02));
    CHECK(run.qd(2, "/a_joint") - run.qd(1, "/a_joint") == close_to(6, 0.02));
    CHECK(run.qd(3, "/a_joint") == close_to(run.qd(2, "/a_joint"), 0.02));  // released when it is switched off
}

TEST_CASE("a controller is switched at run time, begins where the joint is, and leaves the drive where it was")
{
    // The arm goes to 1; from 2 s on the other one takes it to -1 at 3 s, from where it is. Both want the same joint.
    const std::string stage =
        arm("a", kStiff) + trajectory("arm", "</a_joint>") + trajectory("other", "</a_joint>", false);
    const char* table = "t,arm.position[a],other.position[a]\n0,0,7\n1,1,7\n3,,-1\n";
    const Run   run   = simulated(stage, table, {"+other@2", "-arm@2"}, 4);
    CHECK(run.story() == "+0/arm -2/arm +2/other");
    CHECK(run.q(2, "/a_joint") == close_to(1, 1e-3));
    CHECK(run.q(2.5, "/a_joint") ==
          close_to(0 + 0.2, 0.02));  // -2 rad/s: a lag of 0.2 rad; the points before 2 s went unheard
    CHECK(run.q(4, "/a_joint") == close_to(-1, 1e-3));
    // Switched off on its way, it stays where it was asked to be.
    const Run off = simulated(stage, table, {"-arm@0.5"});
    CHECK(off.q(3, "/a_joint") == close_to(0.5, 2e-3));
}

TEST_CASE("no joint has two commanders: the second is refused, and both are named (GAP-073, REP-4.2.3-g)")
{
    const std::string stage =
        arm("a", kStiff) + trajectory("arm", "</a_joint>") + trajectory("other", "</a_joint>", false);
    const Run refused = simulated(stage, "", {"+other@1"});
    CHECK(refused.story() == "+0/arm");
    REQUIRE(refused.count(run::kControllerRefused) == 1);
    for (const Diagnostic& one : refused.found)
        if (one.id == run::kControllerRefused.id) {
            CHECK(one.message.find("/arm") != std::string::npos);
            CHECK(one.message.find("/other") != std::string::npos);
        }
    // Handing over at one moment is none, whatever is said first; nor is switching on what is on.
    for (const auto& wanted : {std::initializer_list<const char*>{"+other@1", "-arm@1", "+other@2"},
                               {"-arm@1", "+other@1"},
                               {"-arm@0", "+other@1"}}) {
        const Run fine = simulated(stage, "", wanted);
        CHECK(fine.count(run::kControllerRefused) == 0);
        CHECK(fine.story().ends_with("+1/other"));
    }
    // Two that start enabled: the first of the stage is on. A switch at the beginning decides otherwise.
    const std::string both = arm("a", kStiff) + trajectory("arm", "</a_joint>") + trajectory("other", "</a_joint>");
    const Run         load = simulated(both, "");
    CHECK(load.story() == "+0/arm");
    CHECK(load.count(run::kControllerConflict) == 1);
    const Run chosen = simulated(both, "", {"-arm@0"});
    CHECK(chosen.story() == "+0/other");
    CHECK(chosen.count(run::kControllerConflict) == 0);
}

TEST_CASE("a differential drive turns its wheels by (v -/+ w L / 2) / r, within its limits, until messages stop")
{
    const auto drive = [](const std::string& more) {
        return arm("l", kDamped) + arm("r", kDamped) + R"(
def Xform "base" ( prepend apiSchemas = ["RosControlDiffDriveAPI"] )
{
    rel ros:diff_drive:left_wheels = </l_joint>
    rel ros:diff_drive:right_wheels = </r_joint>
    double ros:diff_drive:wheel_radius = 0.1
    double ros:diff_drive:wheel_separation = 0.5
)" + more + "}\n";
    };
    // (1 -/+ 2 * 0.25) / 0.1
    const Run free = simulated(drive(""), "t,base.linear,base.angular\n0,1,2\n");
    CHECK(free.qd(1, "/l_joint") == close_to(5, 1e-3));
    CHECK(free.qd(3, "/r_joint") == close_to(15, 1e-3));
    // Speed and acceleration of either motion have limits of their own: 0.5 m/s after 0.5 s, 0.4 rad/s at once.
    const Run limited = simulated(drive("    double ros:diff_drive:linear:x:max_velocity = 0.5\n    double "
                                        "ros:diff_drive:linear:x:max_acceleration = 1\n    double "
                                        "ros:diff_drive:angular:z:max_velocity = 0.4\n"),
                                  "t,base.linear,base.angular\n0,1,-2\n");
    CHECK((limited.qd(0.25, "/l_joint") + limited.qd(0.25, "/r_joint")) / 2 == close_to(2.5, 0.08));  // 5 ms late
    CHECK(limited.qd(1, "/l_joint") == close_to((0.5 + 0.4 * 0.25) / 0.1, 1e-3));
    CHECK(limited.qd(1, "/r_joint") == close_to((0.5 - 0.4 * 0.25) / 0.1, 1e-3));
    // A message counts for half a second; what it does not say is 0.
    const Run timeout =
        simulated(drive("    double ros:diff_drive:cmd_vel_timeout = 0.5\n"), "t,base.linear\n0,\n1,1\n");
    CHECK(timeout.qd(0.9, "/l_joint") == close_to(0, 1e-6));
    CHECK(timeout.qd(1.4, "/l_joint") == close_to(10, 1e-3));
    CHECK(timeout.qd(1.7, "/l_joint") == close_to(0, 1e-3));
    // It stops when it is switched off.
    const Run off = simulated(drive(""), "t,base.linear\n0,1\n", {"-base@1"});
    CHECK(off.qd(1, "/l_joint") == close_to(10, 1e-3));
    CHECK(off.qd(2, "/l_joint") == close_to(0, 1e-3));
}

TEST_CASE("what cannot be followed is said, and the rest is")
{
    struct {
        std::string prims, table;
        const Code* code;
    } table[] = {
        {arm("a", "") + trajectory("arm", "</a_joint>"), "t,arm.position[a]\n0,1\n", &run::kControllerIdle},
        {arm("a", kEffort) + trajectory("arm", "</a_joint>"), "t,arm.position[a]\n0,1\n", &run::kControllerIdle},
        {arm("a", kStiff) + trajectory("arm", "</a_joint>"), "t,arm.velocity[a]\n0,1\n", &run::kControllerIdle},
        {arm("a", kDamped) + "def Xform \"base\" ( prepend apiSchemas = [\"RosControlDiffDriveAPI\"] ) {\nrel "
                             "ros:diff_drive:left_wheels = </a_joint>\n}\n",
         "", &run::kControllerIdle},
        {arm("a", kDamped) + "def Xform \"x\" ( prepend apiSchemas = [\"RosControlGripperAPI\"] ) {\nrel ros:g:j = "
                             "</a_joint>\n}\n",
         "", &run::kControllerNoRuntime},
    };
    for (const auto& row : table) {
        CAPTURE(row.prims);
        CHECK(simulated(row.prims, row.table, {}, 0.01).count(*row.code) == 1);
    }
}

TEST_CASE("columns and switches that mean nothing are refused with their place")
{
    const test::TemporaryFolder folder;
    Diagnostics                 found;
    const auto                  scene = run::load_scene(
        folder.write("stage.usda", kHead + arm("a", kStiff) + trajectory("arm", "</a_joint>")), {}, found);
    REQUIRE(scene);
    for (const char* text : {"t,arm.position\n0,1\n", "t,arm.position[b]\n0,1\n", "t,arm.speed[a]\n0,1\n",
                             "t,arm.position[a]\n0,x\n", "t,arm.position[a]\n1,0\n0,0\n"}) {
        CAPTURE(text);
        const auto refused = run::control(*scene, {.switches = {}, .table = text, .table_name = "bad.csv"}, {}, found);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().id == run::kControlFile.id);
        CHECK(refused.error().site.layer == "bad.csv");
    }
    const auto unknown =
        run::control(*scene, {.switches = switches({"+leg@1"}), .table = {}, .table_name = {}}, {}, found);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().id == run::kArgument.id);
    // Columns of joints are left to the table of commands.
    const auto mixed = run::control(
        *scene, {.switches = {}, .table = "t,a_joint.f,arm.position[a]\n0,1,2\n", .table_name = "t.csv"}, {}, found);
    REQUIRE(mixed);
    CHECK(mixed->columns == std::vector<std::string>{"arm.position[a]"});
}

TEST_CASE("a message takes the place of the table from its step on, and a run that begins again forgets it")
{
    const test::TemporaryFolder folder;
    Diagnostics                 found;
    const auto                  scene = run::load_scene(
        folder.write("stage.usda", kHead + arm("a", kStiff) + trajectory("arm", "</a_joint>")), {}, found);
    REQUIRE(scene);
    const auto inbox      = std::make_shared<run::LiveInbox>();
    auto       controlled = run::control(
        *scene, {.table = "t,arm.position[a]\n0,0\n1,1\n", .table_name = "t.csv", .inbox = inbox}, {}, found);
    REQUIRE(controlled);
    REQUIRE(controlled->controllers.size() == 1);
    CHECK(controlled->controllers[0].path == "/arm");
    CHECK(controlled->controllers[0].joints == std::vector<std::string>{"a"});
    model::Model       model   = scene->model;
    const model::State state   = model::make_state(model);
    model::Control     control = model::make_control(model);
    const auto         joint   = static_cast<std::size_t>(scene->imported.path_joint_map.at("/a_joint"));
    const Real&        target  = control.joint_target_q[static_cast<std::size_t>(model.joint_q_start[joint])];
    const auto         step    = [&](double t) { (void)controlled->follow(t, t + 0.01, state, model, control); };
    const auto         steps   = [&](double from, double to) {
        for (int i = static_cast<int>(std::lround(100 * from)); i <= static_cast<int>(std::lround(100 * to)); ++i)
            step(0.01 * i);
    };
    steps(0, 0.2);
    CHECK(static_cast<double>(target) == close_to(0.2, 1e-5));  // the table: 1 rad/s
    // 0.2 s after it is taken at -0.4: a straight line from where the target is.
    inbox->waiting.push_back(
        {.controller = 0,
         .points     = {{.joint = "a", .times = {0.2}, .position = {-0.4}, .velocity = {}, .effort = {}}}});
    inbox->waiting.push_back({.controller = 7});  // nobody
    steps(0.21, 0.31);
    CHECK(inbox->waiting.empty());
    CHECK(static_cast<double>(target) == close_to(0.2 + (0.31 - 0.20) / (0.41 - 0.20) * (-0.6), 1e-4));
    steps(0.32, 1.5);
    CHECK(static_cast<double>(target) == close_to(-0.4, 1e-5));
    control.joint_target_q.assign(control.joint_target_q.size(), 0);
    steps(0, 0.5);
    CHECK(static_cast<double>(target) == close_to(0.5, 1e-5));
}
