#include "mechane/ros/frames.h"

#include <map>

#include "support/support.h"

using namespace mechane;

namespace {

std::map<std::string, ros::Frame> frames_of(const char* robot)
{
    const auto stage =
        usd::Stage::open_text(std::string("#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n") + robot);
    REQUIRE(stage);
    Diagnostics                                           found;
    std::map<std::string, ros::Frame>                     by_id;
    static std::vector<std::shared_ptr<const usd::Stage>> kept;  // frames hold prims of the stage
    kept.push_back(*stage);
    for (const ros::Frame& frame : ros::frames(**stage, found)) by_id.emplace(frame.id, frame);
    CHECK(found.empty());
    return by_id;
}

/// The example of REP-0158 2.7 with a floating base; `anchor` may tie it to the world.
std::string warehouse(const std::string& anchor)
{
    return R"(
def Xform "World"
{
    def Xform "robot" ( prepend apiSchemas = ["RosContextAPI"] )
    {
        string ros:context:namespace = "robot_1"
        def Xform "base_link" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )
        {
            double3 xformOp:translate = (0, 0, 0.5)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
        def Xform "wheel_l" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )
        {
            double3 xformOp:translate = (0, 0.3, 0.1)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
        def Xform "mast" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )
        {
            def Xform "cam"
            {
                def Xform "camera_optical_frame" ( prepend apiSchemas = ["RosFrameAPI"] ) {}
            }
            def Xform "grasp_point" ( prepend apiSchemas = ["RosFrameAPI"] ) {
                bool ros:frame:static = false
            }
        }
        def Xform "rod" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {}
        def PhysicsRevoluteJoint "j_wheel" { rel physics:body0 = </World/robot/base_link>
            rel physics:body1 = </World/robot/wheel_l>
        }
        def PhysicsFixedJoint "j_mast" { rel physics:body0 = </World/robot/base_link>
            rel physics:body1 = </World/robot/mast>
        }
        def PhysicsRevoluteJoint "j_rod" { rel physics:body0 = </World/robot/wheel_l>
            rel physics:body1 = </World/robot/rod>
        }
        def PhysicsSphericalJoint "loop" { rel physics:body0 = </World/robot/mast>
            rel physics:body1 = </World/robot/rod>
            bool physics:excludeFromArticulation = true
        }
)" + anchor +
           R"(
    }
    def Cube "box_17" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] ) {}
}
)";
}

}  // namespace

TEST_CASE("the table of 2.7: who is a frame, whose child it is, and on which topic it goes (REP-T-115, GAP-084)")
{
    const auto tf = frames_of(warehouse("").c_str());
    struct Row {
        const char *id, *parent, *topic;
    };
    // A floating base moves relative to the context's plain Xform, whose own edge is static (GAP-088).
    const Row rows[] = {
        {"robot", "world", "/robot_1/tf_static"}, {"base_link", "robot", "/robot_1/tf"},
        {"wheel_l", "base_link", "/robot_1/tf"},  {"mast", "base_link", "/robot_1/tf_static"},
        {"rod", "wheel_l", "/robot_1/tf"},        {"camera_optical_frame", "mast", "/robot_1/tf_static"},
        {"grasp_point", "mast", "/robot_1/tf"}};
    for (const Row& row : rows) {
        CAPTURE(row.id);
        REQUIRE(tf.count(row.id) == 1);
        CHECK(tf.at(row.id).parent_id == row.parent);
        CHECK(tf.at(row.id).topic == row.topic);
    }
    CHECK(tf.size() == std::size(rows));  // the box of the warehouse is none
    // wheel_l (0, 0.3, 0.1) seen from base_link (0, 0, 0.5).
    CHECK(test::distance(tf.at("wheel_l").X_PF.p, Vec3d{0, 0.3, -0.4}) < 1e-12);
}

TEST_CASE("an anchored base is static; loops add no edge (REP-T-116)")
{
    const auto tf = frames_of(
        warehouse("def PhysicsFixedJoint \"anchor\"\n{\n    rel physics:body1 = </World/robot/base_link>\n}\n")
            .c_str());
    CHECK(tf.at("base_link").is_static);
    CHECK(tf.at("mast").is_static);
    CHECK_FALSE(tf.at("wheel_l").is_static);
    CHECK(tf.at("rod").joint.name().text() == "j_rod");
}

TEST_CASE("a body that is the robot's root moves in the frame that the context names; ids may be given")
{
    const auto tf = frames_of(R"(
def Xform "drone" ( prepend apiSchemas = ["RosContextAPI", "PhysicsRigidBodyAPI", "RosFrameAPI"] )
{
    string ros:context:parent_frame = "map"
    string ros:frame:id = "base_link"
    def Xform "part" ( prepend apiSchemas = ["RosContextAPI"] ) {}
}
)");
    CHECK(tf.at("base_link").parent_id == "map");
    CHECK(tf.at("base_link").topic == "/tf");
    CHECK(tf.at("part").parent_id == "base_link");
    CHECK(tf.at("part").is_static);
}
