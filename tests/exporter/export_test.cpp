#include "support/support.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "mechane/exporter/export.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"

using namespace mechane;
using namespace mechane::exporter;
namespace sf = mechane::sourceformats;
using mechane::test::close_to;

namespace {

constexpr double kRadians = std::numbers::pi / 180;

sf::ReadRobot robot_of(const std::string& usda)
{
    const auto stage = usd::Stage::open_text(
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    defaultPrim = \"r\"\n)\n" + usda);
    REQUIRE(stage);
    auto robot = robot_of_stage(**stage);
    REQUIRE(robot);
    return *std::move(robot);
}

struct Text {
    std::string        text;
    sf::LossReport     losses;
    [[nodiscard]] bool has(const std::string& what) const { return text.find(what) != std::string::npos; }
    [[nodiscard]] bool lost(const std::string& code) const
    {
        return std::any_of(losses.entries.begin(), losses.entries.end(),
                           [&](const sf::Loss& l) { return l.code == code; });
    }
};

Text written(const sf::RobotTree& tree, Format format, const WriteOptions& options = {})
{
    Text out;
    auto files = write_robot(tree, format, "robot.x", options, out.losses);
    REQUIRE(files);
    out.text = files->files[0].content;
    return out;
}

/// To OpenUSD and back: the tree that the writers get.
sf::ReadRobot through_usd(const std::string& source)
{
    auto read = sf::read_robot_text(source, ".");
    REQUIRE(read);
    auto made = sf::to_usd(read->tree, sf::Layout::single, read->losses);
    REQUIRE(made);
    const auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
    REQUIRE(stage);
    auto robot = robot_of_stage(**stage);
    REQUIRE(robot);
    return *std::move(robot);
}

sf::RobotTree there_and_back(const std::string& source, Format format)
{
    const auto robot = through_usd(source);
    const auto text  = written(robot.tree, format);
    CAPTURE(text.text);
    auto again = sf::read_robot_text(text.text, ".");
    REQUIRE(again);
    return std::move(again->tree);
}

const sf::Link& link(const sf::RobotTree& tree, const std::string& name)
{
    const auto found =
        std::find_if(tree.links.begin(), tree.links.end(), [&](const sf::Link& l) { return l.name == name; });
    REQUIRE_MESSAGE(found != tree.links.end(), name);
    return *found;
}
const sf::Joint& joint(const sf::RobotTree& tree, const std::string& name)
{
    const auto found =
        std::find_if(tree.joints.begin(), tree.joints.end(), [&](const sf::Joint& j) { return j.name == name; });
    REQUIRE_MESSAGE(found != tree.joints.end(), name);
    return *found;
}

const std::string kMass =
    R"(<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.5"/><mass value="2"/><inertia ixx="0.03" iyy="0.025" izz="0.02" ixy="0.001" ixz="0.0005" iyz="-0.0008"/></inertial>)";

/// Two bodies and a hinge between them that turns about y at (0.3, 0, 0) of the first and (-0.2, 0, 0.1) of the second.
std::string two(const std::string& joint_values, bool reversed = false)
{
    const std::string body =
        "prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]) {\nfloat physics:mass = 2\nfloat3 "
        "physics:diagonalInertia = (1, 1, 1)\npoint3f physics:centerOfMass = (0, 0, 0)\n";
    const std::string first = reversed ? "1" : "0", second = reversed ? "0" : "1";
    return "def Xform \"r\" {\ndef Xform \"a\" (" + body + "}\ndef Xform \"b\" (" + body +
           "double3 xformOp:translate = (0.5, 0, -0.1)\nuniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n"
           "def PhysicsRevoluteJoint \"j\" " +
           (joint_values.starts_with("(") ? "" : "{\n") + joint_values + "\nrel physics:body" + first +
           " = </r/a>\nrel physics:body" + second + " = </r/b>\npoint3f physics:localPos" + first +
           " = (0.3, 0, 0)\npoint3f physics:localPos" + second +
           " = (-0.2, 0, 0.1)\nuniform token physics:axis = \"Y\"\n}\n}\n";
}

}  // namespace

TEST_CASE("masses, inertias, limits and frames of a URDF come back the same (EXP-045, EXP-074)")
{
    const std::string source =
        "<robot name=\"r\"><link name=\"base-link\">" + kMass + "</link><link name=\"arm\">" + kMass +
        "</link><link name=\"tool\"/>"
        R"(<joint name="elbow 1" type="revolute"><parent link="base-link"/><child link="arm"/><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><axis xyz="0 1 1"/><limit lower="-1.5" upper="1.25" effort="40" velocity="2"/></joint>)"
        R"(<joint name="hold" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 0.4"/></joint></robot>)";
    const auto before = sf::read_robot_text(source, ".");
    REQUIRE(before);
    const auto after = there_and_back(source, Format::urdf);
    for (const char* name : {"base-link", "arm"}) {
        const auto &a = link(before->tree, name), &b = link(after, name);
        REQUIRE(b.inertial);
        // The stage holds floats: 6e-8 a number, and moments are four of them.
        CHECK(b.inertial->mass == close_to(a.inertial->mass, 1e-6));
        CHECK(length(b.inertial->com - a.inertial->com) < 1e-6);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k)
                CHECK(b.inertial->inertia(i, k) == close_to(a.inertial->inertia(i, k), 1e-7));
        CHECK(length(b.X_WL.p - a.X_WL.p) < 1e-6);
    }
    CHECK_FALSE(link(after, "tool").inertial);
    CHECK(length(link(after, "tool").X_WL.p - link(before->tree, "tool").X_WL.p) < 1e-6);
    CHECK(joint(after, "hold").kind == sf::Joint::Kind::fixed);
    const sf::Dof& dof = joint(after, "elbow_1").dofs[0];  // ROS has no blanks in names
    CHECK(dof.lower == close_to(-1.5, 1e-6));
    CHECK(dof.upper == close_to(1.25, 1e-6));
    CHECK(dof.drive->max_force == close_to(40, 1e-5));
    CHECK(length(dof.axis - normalized(Vec3d{0, 1, 1})) < 1e-6);
}

TEST_CASE("masses that a moving link without one took over go back to where they were")
{
    const std::string source =
        "<robot name=\"r\"><link name=\"base\">" + kMass + "</link><link name=\"hub\"/><link name=\"rim\">" + kMass +
        "</link>"
        R"(<joint name="j" type="continuous"><parent link="base"/><child link="hub"/><axis xyz="0 0 1"/></joint>)"
        R"(<joint name="k" type="fixed"><parent link="hub"/><child link="rim"/><origin xyz="1 0 0"/></joint></robot>)";
    const auto after = there_and_back(source, Format::urdf);
    CHECK_FALSE(link(after, "hub").inertial);
    REQUIRE(link(after, "rim").inertial);
    CHECK(link(after, "rim").inertial->mass == close_to(2, 1e-6));
    CHECK(link(after, "rim").inertial->com.x == close_to(0.1, 1e-6));
}

TEST_CASE("MJCF comes back with its references, its several joints on a body and its bodies that nothing moves")
{
    const std::string source = R"(<mujoco model="m"><compiler angle="radian"/><worldbody>
        <body name="table" pos="1 0 0"><inertial pos="0 0 0" mass="30" diaginertia="1 2 2.5"/><geom size="0.1"/></body>
        <body name="trunk" pos="0 0 1"><freejoint/><geom name="egg" type="ellipsoid" size="0.1 0.2 0.3" mass="3"/>
          <body name="leg" pos="0 0 -0.3"><joint name="hip_x" axis="1 0 0" range="-1 0.5" armature="0.02"/><joint name="hip_y" axis="0 -1 0" range="-0.25 2" damping="3"/><geom type="capsule" size="0.05 0.1"/>
            <body name="foot" pos="0 0 -0.2"><joint name="ankle" axis="0 1 0" ref="0.4" range="-1 1"/><geom type="box" size="0.1 0.05 0.02"/></body></body></body></worldbody>
        <actuator><motor name="m" joint="hip_y" ctrlrange="-7 7" gear="2"/></actuator></mujoco>)";
    const auto        before = sf::read_robot_text(source, ".");
    REQUIRE(before);
    const auto after = there_and_back(source, Format::mjcf);
    CHECK(link(after, "table").unused->mass == close_to(30, 1e-5));
    const auto& hip = joint(after, "leg_joints");
    REQUIRE(hip.dofs.size() == 2);
    CHECK(hip.dofs[0].name == "hip_x");
    CHECK(hip.dofs[1].name == "hip_y");
    CHECK(hip.dofs[1].axis.y == close_to(-1, 1e-6));
    CHECK(hip.dofs[1].lower == close_to(-0.25, 1e-6));
    CHECK(hip.dofs[0].armature.value_or(0) == close_to(0.02, 1e-6));
    CHECK(hip.dofs[1].damping.value_or(0) == close_to(3, 1e-6));
    CHECK(hip.dofs[1].drive->max_force == close_to(14, 1e-5));
    const auto &ankle = joint(after, "ankle"), &was = joint(before->tree, "ankle");
    CHECK(length(ankle.X_PJ.p - was.X_PJ.p) < 1e-6);
    CHECK(std::abs(dot(ankle.X_PJ.q, was.X_PJ.q)) == close_to(1, 1e-7));
    for (const sf::Link& l : before->tree.links) {
        CHECK(length(link(after, l.name).X_WL.p - l.X_WL.p) < 1e-6);
        if (l.inertial) CHECK(link(after, l.name).inertial->mass == close_to(l.inertial->mass, 1e-6));
    }
    CHECK(std::any_of(after.shapes.begin(), after.shapes.end(), [](const sf::Shape& s) {
        return s.kind == sf::Shape::Kind::ellipsoid && std::abs(s.size.z - 0.3) < 1e-6;
    }));
}

TEST_CASE("a joint whose bodies stand the other way round is turned (EXP-042)")
{
    for (const bool reversed : {false, true}) {
        CAPTURE(reversed);
        auto robot         = robot_of(two("float physics:lowerLimit = -30\nfloat physics:upperLimit = 60", reversed));
        const sf::Joint& j = joint(robot.tree, "j");
        // Without an articulation the first body that no joint names as its child is the root.
        CHECK(j.parent == (reversed ? 1 : 0));
        CHECK(j.dofs[0].lower == close_to(-30 * kRadians, 1e-6));
        CHECK(j.dofs[0].upper == close_to(60 * kRadians, 1e-6));
        const Posed X_PC = j.X_PJ * inverse(j.X_CJ);
        CHECK(X_PC.p.x == close_to(reversed ? -0.5 : 0.5, 1e-6));
    }
}

TEST_CASE("a link whose joint turns about another point is told in a moved frame, or keeps it (EXP-040)")
{
    auto       robot = robot_of(two("float physics:lowerLimit = -30\nfloat physics:upperLimit = 60"));
    const auto moved = written(robot.tree, Format::urdf);
    CHECK(moved.lost("frame-shift"));
    auto again = sf::read_robot_text(moved.text, ".");
    REQUIRE(again);
    CHECK(length(link(again->tree, "b").X_WL.p - Vec3d{0.3, 0, 0}) < 1e-6);  // the pivot
    CHECK(length(link(again->tree, "b").inertial->com - Vec3d{0.2, 0, -0.1}) < 1e-6);
    WriteOptions keep;
    keep.keep_frames = true;
    again            = sf::read_robot_text(written(robot.tree, Format::urdf, keep).text, ".");
    REQUIRE(again);
    CHECK(length(link(again->tree, "b").X_WL.p - Vec3d{0.5, 0, -0.1}) < 1e-6);
}

TEST_CASE("limits: infinite ones make a continuous joint, crossed ones a fixed one (EXP-043)")
{
    CHECK(written(robot_of(two("")).tree, Format::urdf).has("type=\"continuous\""));
    const auto crossed =
        written(robot_of(two("float physics:lowerLimit = 10\nfloat physics:upperLimit = -10")).tree, Format::urdf);
    CHECK(crossed.has("type=\"fixed\""));
    CHECK(crossed.lost("locked-joint"));
}

TEST_CASE("a drive's gains per degree become kp and kv per radian (EXP-058), and are no dynamics of URDF (EXP-044)")
{
    auto robot =
        robot_of(two("(prepend apiSchemas = [\"PhysicsDriveAPI:angular\"]) {\nfloat drive:angular:physics:stiffness = "
                     "2\nfloat drive:angular:physics:damping = 0.5\nfloat drive:angular:physics:maxForce = 30"));
    const auto mjcf = sf::read_robot_text(written(robot.tree, Format::mjcf).text, ".");
    REQUIRE(mjcf);
    const sf::Drive& d = *joint(mjcf->tree, "j").dofs[0].drive;
    CHECK(d.stiffness == close_to(2 / kRadians, 1e-6));
    CHECK(d.damping == close_to(0.5 / kRadians, 1e-6));
    CHECK(d.max_force == close_to(30, 1e-6));
    const auto urdf = written(robot.tree, Format::urdf);
    CHECK(urdf.has("effort=\"30\""));
    CHECK_FALSE(urdf.has("<dynamics"));
    CHECK(urdf.lost("drive"));
}

TEST_CASE("URDF that is written holds no element of other programs (EXP-047) and the same bytes each time (EXP-036)")
{
    auto       robot = robot_of(two(""));
    const auto text  = written(robot.tree, Format::urdf).text;
    for (const char* foreign : {"gazebo", "transmission", "ros2_control"})
        CHECK(text.find(foreign) == std::string::npos);
    for (const Format f : {Format::urdf, Format::mjcf, Format::sdformat})
        CHECK(written(robot.tree, f).text == written(robot.tree, f).text);
}

TEST_CASE("a stage in centimetres with y up is written in metres with z up")
{
    const auto stage = usd::Stage::open_text(R"(#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Y"
    defaultPrim = "r"
)
def Xform "r" {
    def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]) {
        double radius = 10
        float physics:mass = 2
        double3 xformOp:translate = (0, 50, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
})");
    REQUIRE(stage);
    const auto robot = robot_of_stage(**stage);
    REQUIRE(robot);
    CHECK(length(link(robot->tree, "ball").X_WL.p - Vec3d{0, 0, 0.5}) < 1e-9);
    CHECK(robot->tree.shapes[0].size.x == close_to(0.1, 1e-9));
    CHECK(link(robot->tree, "ball").inertial->inertia(0, 0) == close_to(0.4 * 2 * 0.01, 1e-7));  // 2/5 m r^2
}

TEST_CASE("a concave mesh that collides by its triangles is an error of MJCF's report, a convex one is not (EXP-062)")
{
    // A cube whose upper face is pushed in to its centre, or is flat.
    const auto stage = [](const char* middle) {
        return robot_of(std::string(R"(def Xform "r" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {
        uniform token physics:approximation = "none"
        uniform token subdivisionScheme = "none"
        int[] faceVertexCounts = [4, 4, 4, 4, 4, 3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 3, 1, 0, 1, 5, 4, 1, 3, 7, 5, 3, 2, 6, 7, 2, 0, 4, 6, 4, 5, 8, 5, 7, 8, 7, 6, 8, 6, 4, 8]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1), )") +
                        middle + "]\n    }\n}\n");
    };
    const auto grave = [](const Text& text) {
        return std::any_of(text.losses.entries.begin(), text.losses.entries.end(),
                           [](const sf::Loss& l) { return l.code == "concave" && l.severity == Severity::error; });
    };
    CHECK(grave(written(stage("(0.5, 0.5, 0.5)").tree, Format::mjcf)));
    CHECK_FALSE(written(stage("(0.5, 0.5, 1)").tree, Format::mjcf).lost("concave"));
    WriteOptions field;
    field.mjcf_sdf  = true;
    const auto text = written(stage("(0.5, 0.5, 0.5)").tree, Format::mjcf, field);
    CHECK_FALSE(text.lost("concave"));
    CHECK(text.has("type=\"sdf\""));
}

TEST_CASE("a root without mass that carries a moving link stays the root, whichever body the articulation begins with")
{
    const auto after = there_and_back(
        "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\">" + kMass +
            R"(</link><joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0.1 0.2 0.3" rpy="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>)",
        Format::urdf);
    const sf::Joint& j = joint(after, "j");
    REQUIRE(j.parent >= 0);
    CHECK(after.links[static_cast<std::size_t>(j.parent)].name == "base");
    CHECK(after.links[static_cast<std::size_t>(j.child)].name == "arm");
    CHECK(length(j.X_PJ.p - Vec3d{0.1, 0.2, 0.3}) < 1e-6);
}

TEST_CASE("a planar joint of URDF comes back as one, and axes of a chain have names of their own")
{
    const auto robot = through_usd(
        "<robot name=\"r\"><link name=\"a\">" + kMass + "</link><link name=\"b\">" + kMass + "</link>" +
        R"(<joint name="p" type="planar"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint></robot>)");
    const auto text = written(robot.tree, Format::urdf);
    CHECK(text.has("<joint name=\"p\" type=\"planar\">"));
    CHECK(text.text.find("name=\"p\"") == text.text.rfind("name=\"p\""));
    CHECK_FALSE(text.lost("several-axes"));
}

TEST_CASE("a link that moves without mass or collider gets a gram, which does not come back")
{
    const std::string moving = R"(<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>)";
    const std::string source =
        "<robot name=\"r\"><link name=\"a\">" + kMass + R"(</link><link name="m"/><link name="b">)" + kMass +
        R"(</link><joint name="j" type="revolute"><parent link="a"/><child link="m"/>)" + moving +
        R"(<joint name="k" type="revolute"><parent link="m"/><child link="b"/>)" + moving + "</robot>";
    const auto robot = through_usd(source);
    REQUIRE(link(robot.tree, "m").inertial);
    CHECK(link(robot.tree, "m").inertial->mass == close_to(1e-3, 1e-9));
    CHECK_FALSE(link(there_and_back(source, Format::urdf), "m").inertial);
}

TEST_CASE("where joints stand at the start is a loss of every format that starts them at zero")
{
    const auto robot = [](const std::string& joint) {
        return robot_of(
            R"(def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
        float physics:mass = 1
    }
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
        float physics:mass = 1
        quatf xformOp:orient = (0.8, 0.6, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:orient"]
    }
    def )" + joint +
            R"( "j" {
        rel physics:body0 = </r/a>
        rel physics:body1 = </r/b>
    }
})");
    };
    const auto lost = [](const sf::LossReport& report) {
        return std::count_if(report.entries.begin(), report.entries.end(), [](const sf::Loss& l) {
            return l.code == "start-pose" && l.severity == Severity::warning && l.motion;
        });
    };
    const auto turned = robot("PhysicsRevoluteJoint");  // about x, by 2 acos 0.8 = 1.287 rad
    CHECK(lost(turned.losses) == 0);
    for (const Format format : {Format::urdf, Format::sdformat}) {
        const auto text = written(turned.tree, format);
        CHECK(lost(text.losses) == 1);
        for (const sf::Loss& l : text.losses.entries)
            if (l.code == "start-pose") CHECK(l.source_value.starts_with("1.28700"));
    }
    CHECK(lost(written(turned.tree, Format::mjcf).losses) == 0);  // its `ref`
    for (const Format format : {Format::urdf, Format::sdformat, Format::mjcf}) {
        CHECK(lost(written(robot("PhysicsSphericalJoint").tree, format).losses) == 1);
        CHECK(lost(written(robot("PhysicsJoint").tree, format).losses) == 1);
        CHECK(lost(written(robot("PhysicsFixedJoint").tree, format).losses) == 0);  // a contradiction, told as one
    }
}

TEST_CASE("a body that the frame of its joint to the world contradicts stays where it is authored")
{
    // The body stands at z = 2, its joint's frame in the world at z = 5; simulations keep the body (docs/importer.md).
    for (const char* joint : {"PhysicsFixedJoint", "PhysicsRevoluteJoint"})
        for (const bool first : {true, false}) {
            CAPTURE(joint);
            CAPTURE(first);
            const auto robot = robot_of(
                R"(def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
        float physics:mass = 1
        double3 xformOp:translate = (0, 0, 2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def )" + std::string(joint) +
                " \"j\" {\n        rel physics:body" + (first ? "1" : "0") +
                " = </r/a>\n        point3f physics:localPos" + (first ? "0" : "1") + " = (0, 0, 5)\n    }\n}\n");
            const auto again = sf::read_robot_text(written(robot.tree, Format::mjcf).text, ".");
            REQUIRE(again);
            CHECK(length(link(again->tree, "a").X_WL.p - Vec3d{0, 0, 2}) < 1e-9);
            CHECK(std::count_if(robot.losses.entries.begin(), robot.losses.entries.end(),
                                [](const sf::Loss& l) { return l.code == "inconsistent-pose"; }) == 1);
        }
}

TEST_CASE("a joint that may not turn at any speed keeps its damping and friction")
{
    const auto after = there_and_back(
        "<robot name=\"r\"><link name=\"a\">" + kMass + "</link><link name=\"b\">" + kMass +
            R"(</link><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="0" upper="0" effort="0" velocity="0"/><dynamics damping="0.05" friction="0.3"/></joint></robot>)",
        Format::urdf);
    REQUIRE(joint(after, "j").dofs.size() == 1);
    CHECK(joint(after, "j").dofs[0].damping.value_or(0) == close_to(0.05, 1e-7));
    CHECK(joint(after, "j").dofs[0].friction.value_or(0) == close_to(0.3, 1e-7));
}

TEST_CASE("gravity that is not the earth's is a loss of formats that say none")
{
    const auto robot = [](const char* gravity) {
        return through_usd("<mujoco><option gravity='" + std::string(gravity) +
                           "'/><worldbody><body name='b'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
    };
    for (const Format format : {Format::urdf, Format::sdformat, Format::mjcf}) {
        CHECK(written(robot("0 0 -3").tree, format).lost("gravity") == (format != Format::mjcf));
        CHECK_FALSE(written(robot("0 0 -9.81").tree, format).lost("gravity"));
    }
}

TEST_CASE("a robot whose picture cannot be copied is not written: no file names what is not there")
{
    const files::ScratchFolder folder = files::ScratchFolder::temporary(".");
    exporter::Written          written;
    written.files          = {{"r.urdf", "<robot/>"}, {"r_meshes/a.stl", "solid"}};
    written.copies         = {{"/gone/picture.png", "r_meshes/picture.png"}};
    const std::string file = (folder.path() / "r.urdf").string();
    CHECK_FALSE(exporter::write_files(written, file));
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a floating joint of URDF comes back with its name, its parent and its place")
{
    for (const std::string parent : {"world", "top"}) {
        const std::string source =
            "<robot name=\"r\"><link name=\"" + parent + "\"/><link name=\"base\">" + kMass +
            "</link><joint name=\"float\" type=\"floating\"><origin xyz=\"0 0 1\"/><parent link=\"" + parent +
            "\"/><child link=\"base\"/></joint></robot>";
        const auto text = written(through_usd(source).tree, Format::urdf);
        CAPTURE(text.text);
        CHECK(text.has("<joint name=\"float\" type=\"floating\">"));
        CHECK(text.has("<parent link=\"" + parent + "\"/>"));
        CHECK(text.has("<origin xyz=\"0 0 1\" rpy=\"0 0 0\"/>"));
        CHECK(text.text.find("_to_world") == std::string::npos);
    }
}

TEST_CASE("a floating joint whose link hangs on the body itself by now is left out")
{
    auto robot =
        through_usd("<robot name=\"r\"><link name=\"a\">" + kMass + "</link><link name=\"b\">" + kMass +
                    R"(</link><joint name="f" type="floating"><parent link="a"/><child link="b"/></joint></robot>)");
    sf::Joint held;
    held.name   = "held";
    held.parent = robot.tree.links[0].name == "a" ? 1 : 0;
    held.child  = 1 - held.parent;
    robot.tree.joints.push_back(held);
    const auto text = written(robot.tree, Format::urdf);
    CAPTURE(text.text);
    CHECK_FALSE(text.has("floating"));
}

namespace {
/// Three links in a row with a collider each; the second joint is as told.
std::string row(const std::string& second)
{
    std::string out = "<robot name=\"r\">";
    for (const char* name : {"a", "b", "c"})
        out += std::string("<link name=\"") + name + "\">" + kMass +
               "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link>";
    const std::string limit = R"(<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>)";
    return out + R"(<joint name="j" type="revolute"><parent link="a"/><child link="b"/>)" + limit +
           R"(</joint><joint name="k" type=")" + second + R"("><parent link="b"/><child link="c"/>)" +
           (second == "fixed" ? "" : limit) + "</joint></robot>";
}
}  // namespace

TEST_CASE("pairs that MuJoCo keeps apart because a body is welded are losses of its report")
{
    // a moves nowhere else than as a free body; b hangs on it, and c is welded to b: MuJoCo takes b and c as one.
    const auto welded = written(through_usd(row("fixed")).tree, Format::mjcf);
    const auto entry  = std::find_if(welded.losses.entries.begin(), welded.losses.entries.end(),
                                     [](const sf::Loss& l) { return l.code == "collision-pair"; });
    REQUIRE(entry != welded.losses.entries.end());
    CHECK(entry->what == "pair 'a' and 'c'");
    CHECK_FALSE(written(through_usd(row("revolute")).tree, Format::mjcf).lost("collision-pair"));
}

TEST_CASE("a robot whose links never touch each other says so pair by pair in MJCF, and loses it in URDF")
{
    auto robot                = through_usd(row("revolute"));
    robot.tree.self_collision = false;
    const auto text           = written(robot.tree, Format::mjcf);
    CHECK(text.has("<exclude body1=\"a\" body2=\"c\"/>"));
    CHECK_FALSE(text.has("<exclude body1=\"a\" body2=\"b\"/>"));  // MuJoCo needs no word for a body and its parent
    CHECK(written(robot.tree, Format::urdf).lost("self-collision"));
    CHECK_FALSE(written(through_usd(row("revolute")).tree, Format::urdf).lost("self-collision"));
}

TEST_CASE("a mocap body of MJCF comes back as one")
{
    const std::string source =
        R"(<mujoco><worldbody><body name="ghost" mocap="true" pos="1 2 3"><geom size="0.1"/></body><body name="b"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>)";
    const auto text = written(through_usd(source).tree, Format::mjcf);
    CAPTURE(text.text);
    CHECK(text.has("<body name=\"ghost\" pos=\"1 2 3\" mocap=\"true\">"));
    CHECK_FALSE(text.lost("kinematic"));
}

namespace {

/// A model of MJCF by way of OpenUSD, as MJCF again.
Text mjcf_again(const std::string& inside)
{ return written(through_usd("<mujoco model='m'>" + inside + "</mujoco>").tree, Format::mjcf); }

}  // namespace

TEST_CASE("sensors of MJCF come back with their attributes, and other formats tell each as a loss")  // GAP-098, EXP-074
{
    const std::string model =
        "<worldbody><body name='base'><freejoint name='root'/><geom name='shell' size='.1'/>"
        "<site name='imu.1' type='box' size='.1 .2 .3'/><camera name='eye'/>"
        "<body name='arm' pos='0 0 1'><joint name='hip' axis='1 0 0'/><joint name='yaw' axis='0 0 1'/><geom "
        "name='tip' size='.1'/></body></body></worldbody>"
        "<tendon><fixed name='cord'><joint joint='hip' coef='2'/></fixed></tendon>"
        "<actuator><motor name='a.1' joint='hip'/></actuator>"
        "<sensor><gyro name='turn' site='imu.1' noise='.1' cutoff='5'/><jointpos name='q' joint='yaw'/>"
        "<actuatorfrc name='f' actuator='a.1'/><tendonpos name='l' tendon='cord'/>"
        "<framepos name='p' objtype='xbody' objname='arm' reftype='camera' refname='eye'/>"
        "<distance name='d' geom1='tip' body2='base' cutoff='1'/><subtreecom name='c' body='arm'/>"
        "<clock name='t'/><user name='u' dim='2' user='1 2'/></sensor>";
    const auto again = mjcf_again(model);
    for (const char* element :
         {R"(<gyro name="turn" cutoff="5" noise=".1" site="imu.1"/>)", R"(<jointpos name="q" joint="yaw"/>)",
          R"(<actuatorfrc name="f" actuator="a.1"/>)", R"(<tendonpos name="l" tendon="cord"/>)",
          R"(<framepos name="p" objtype="xbody" reftype="camera" objname="arm" refname="eye"/>)",
          R"(<distance name="d" cutoff="1" body2="base" geom1="tip"/>)", R"(<subtreecom name="c" body="arm"/>)",
          R"(<clock name="t"/>)", R"(<user name="u" dim="2" user="1 2"/>)", R"(<freejoint name="root"/>)",
          R"(size=".1 .2 .3" type="box"/>)"}) {
        CAPTURE(element);
        CHECK(again.has(element));
    }
    CHECK(!again.lost("sensor"));
    for (const Format format : {Format::urdf, Format::sdformat}) {
        const auto other = written(through_usd("<mujoco model='m'>" + model + "</mujoco>").tree, format);
        CHECK(std::count_if(other.losses.entries.begin(), other.losses.entries.end(), [](const sf::Loss& l) {
                  return l.code == "sensor" && l.action == sf::LossAction::dropped;
              }) == 9);
    }
}

TEST_CASE("keyframes come back with their time and in the order of their coordinates")  // GAP-098, EXP-074
{
    // A body that hangs on the world stands before one that floats, as in the source.
    const auto again = mjcf_again(
        "<worldbody><body name='arm'><joint name='hip' axis='1 0 0'/><geom size='.1'/></body>"
        "<body name='ball' pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody>"
        "<actuator><general name='m' joint='hip' dyntype='filter' dynprm='1'/></actuator>"
        "<keyframe><key name='k' time='2' qpos='.5 0 0 1 1 0 0 0' act='.25' ctrl='.75'/></keyframe>");
    CHECK(again.text.find("name=\"arm\"") < again.text.find("name=\"ball\""));
    CHECK(again.has(R"(<key name="k" time="2" qpos="0.5 0 0 1 1 0 0 0" act="0.25" ctrl="0.75"/>)"));
    CHECK(!again.lost("keyframe"));
}

TEST_CASE("springs of joints and bodies without weight are losses where a format has no word for them")  // EXP-037
{
    const std::string model =
        "<mujoco model='m'><worldbody><body name='b' gravcomp='1'><joint name='j' axis='1 0 0' stiffness='3'/><geom "
        "size='.1'/></body></worldbody></mujoco>";
    const auto tree = through_usd(model).tree;
    const auto urdf = written(tree, Format::urdf), sdf = written(tree, Format::sdformat);
    CHECK(urdf.lost("spring"));
    CHECK(urdf.lost("gravcomp"));
    CHECK(!sdf.lost("gravcomp"));
    CHECK(sdf.has("<gravity>false</gravity>"));
    CHECK(sdf.has("<spring_stiffness>3</spring_stiffness>"));
}

TEST_CASE("sites of one name on two links are two, and their names stay apart in every format")  // EXP-046, CNV-012
{
    const auto robot = robot_of(R"(def Xform "r" {
    def Xform "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] ) {
        float physics:mass = 1
        def Xform "imu" ( prepend apiSchemas = ["MjcSiteAPI"] ) {}
    }
    def Xform "b" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] ) {
        float physics:mass = 1
        def Xform "imu" ( prepend apiSchemas = ["MjcSiteAPI"] ) {}
        def Xform "eye" ( prepend apiSchemas = ["MjcSiteAPI"] ) {}
    }
})");
    REQUIRE(robot.tree.sites.size() == 3);
    CHECK(robot.tree.sites[0].name == "a_imu");
    CHECK(robot.tree.sites[1].name == "b_imu");
    CHECK(robot.tree.sites[2].name == "eye");
    const auto mjcf = written(robot.tree, Format::mjcf);
    CHECK(mjcf.has("<site name=\"a_imu\""));
    CHECK(mjcf.has("<site name=\"b_imu\""));
}

TEST_CASE("words of MJCF are written as its words")  // EXP-056
{
    CHECK(mjcf_again("<worldbody><body name='b'><joint name='j' actuatorgravcomp='true'/><geom size='.1'/></body>"
                     "</worldbody>")
              .has(R"(actuatorgravcomp="true")"));
}
