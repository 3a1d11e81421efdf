#include "mechane/ros/controllers.h"

#include <doctest/doctest.h>

#include "support/support.h"

using namespace mechane;
using namespace mechane::ros;

namespace {

std::shared_ptr<const usd::Stage> robot(const std::string& controllers)
{
    auto stage = usd::Stage::open_text(R"(#usda 1.0
def Xform "r"
{
    def Xform "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {}
    def Xform "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {}
    def PhysicsRevoluteJoint "j" {}
    def PhysicsRevoluteJoint "k" {}
    def Xform "topic" ( prepend apiSchemas = ["RosTopicAPI"] ) {}
    def Xform "off" (
        active = false
        prepend apiSchemas = ["PhysicsRigidBodyAPI"]
    ) {}
)" + controllers + "}\n");
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *stage;
}

/// "j:commands k:reads", of one controller.
std::string targets(const Controller& controller)
{
    std::string out;
    for (const ControlledPrim& target : controller.targets)
        out += (out.empty() ? "" : " ") + target.path.name().text() + (target.commands ? ":commands" : ":reads");
    return out;
}

}  // namespace

TEST_CASE("controllers name what they command and what they read, by the drafts of their schemas (REP-4.2.3-h)")
{
    struct {
        const char *   schema, *relations;
        ControllerKind kind;
        const char*    targets;
        bool           runtime;
    } table[] = {
        {"RosControlJointTrajectoryAPI",
         "rel ros:joint_trajectory:command_joints = [</r/k>, </r/j>]\n rel ros:joint_trajectory:server = </r/topic>",
         ControllerKind::joint_trajectory, "k:commands j:commands", true},
        {"RosControlDiffDriveAPI", "rel ros:diff_drive:right_wheels = </r/k>\n rel ros:diff_drive:left_wheels = </r/j>",
         ControllerKind::diff_drive, "j:commands k:commands", true},
        {"RosControlJointStateBroadcasterAPI", "rel ros:joint_state_broadcaster:joints = </r/j>",
         ControllerKind::joint_state_broadcaster, "j:reads", false},
        {"RosControlRigidBodyTwistAPI", "rel ros:rigid_body_twist:body = </r/a>", ControllerKind::rigid_body_twist,
         "a:commands", false},
        // Of a schema that nobody knows every relationship counts; what is no part of a mechanism, or not there, does
        // not.
        {"RosControlGripperAPI",
         "rel ros:gripper:fingers = [</r/j>, </r/topic>, </r/nowhere>, </r/off>]\n rel control:body = </r/b>",
         ControllerKind::other, "b:commands j:commands", false},
        // A known schema has the relationships of its draft alone.
        {"RosControlDiffDriveAPI", "rel ros:joint_trajectory:command_joints = </r/j>", ControllerKind::diff_drive, "",
         true},
    };
    for (const auto& row : table) {
        CAPTURE(row.schema);
        const auto stage = robot("def Xform \"c\" ( prepend apiSchemas = [\"" + std::string(row.schema) + "\"] ) {\n" +
                                 row.relations + "\n}\n");
        const std::vector<Controller> all = controllers(*stage);
        REQUIRE(all.size() == 1);
        CHECK(all[0].schema == row.schema);
        CHECK(all[0].kind == row.kind);
        CHECK(targets(all[0]) == row.targets);
        CHECK(all[0].starts_enabled);
        CHECK(has_runtime(all[0].kind) == row.runtime);
    }
}

TEST_CASE("a controller starts enabled unless control:starts_enabled is false; collections name targets too")
{
    const auto  stage = robot(R"(
        def Xform "late" ( prepend apiSchemas = ["RosControlJointTrajectoryAPI"] )
        {
            custom bool control:starts_enabled = false
        }
        def Xform "bare" ( prepend apiSchemas = ["CollectionAPI:joints"] )
        {
            custom double control:gain = 2
            rel collection:joints:includes = </r/k>
        }
        def Xform "none"
        {
            custom double gain = 2
        }
        class Xform "template" ( prepend apiSchemas = ["RosControlDiffDriveAPI"] ) {}
    )");
    std::string said;
    for (const Controller& one : controllers(*stage))
        said += one.prim.name().text() + "/" + one.schema + "/" + (one.starts_enabled ? "on/" : "off/") + targets(one) +
                " ";
    CHECK(said == "late/RosControlJointTrajectoryAPI/off/ bare//on/k:commands ");
}
