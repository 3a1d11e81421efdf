#include "support/support.h"

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"

using namespace mechane;
using namespace mechane::sourceformats;
using mechane::test::close_to;

namespace {

constexpr double  kInDegrees = 180 / std::numbers::pi;
const std::string kMass =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";

struct Opened {
    LossReport                        losses;
    Diagnostics                       found;
    std::shared_ptr<const usd::Stage> stage;
};

Opened opened(const std::string& inside, const std::string& folder = ".", const ReadOptions& options = {})
{
    auto read = read_robot_text("<robot name=\"r\">" + inside + "</robot>", folder, options);
    REQUIRE(read);
    auto made = to_usd(read->tree, Layout::single, read->losses);
    REQUIRE(made);
    auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
    REQUIRE(stage);
    return {read->losses, read->found, *stage};
}

std::string joint(const std::string& type, const std::string& inside, const std::string& name = "j")
{
    return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"a\"/><child link=\"b\"/>" + inside +
           "</joint>";
}
const std::string kTwo = "<link name=\"a\">" + kMass + "</link><link name=\"b\">" + kMass + "</link>";

template <class T>
T value(const Opened& o, const std::string& path, const std::string& name)
{
    const auto v = o.stage->prim_at(usd::Path(path)).attribute(name).get<T>();
    REQUIRE(v);
    return *v;
}

}  // namespace

TEST_CASE("EXP-017: the links of a joint do not meet, also where its parent has no mass and is part of the world")
{
    const std::string ball = "<collision><geometry><sphere radius=\"1\"/></geometry></collision>";
    const auto        o    = opened("<link name=\"a\">" + ball + "</link><link name=\"b\">" + kMass + ball + "</link>" +
                                    joint("continuous", "<axis xyz=\"0 0 1\"/>"));
    const auto pairs = o.stage->prim_at(usd::Path("/r/b")).relationship(usd::Token("physics:filteredPairs")).targets();
    REQUIRE(pairs.size() == 1);
    CHECK(pairs[0].text() == "/r/a/collision/collision");
    CHECK(o.stage->prim_at(usd::Path("/r/b")).has_api("PhysicsFilteredPairsAPI"));
}

TEST_CASE("EXP-065: an axis that is none of the three becomes token X in frames that are turned alike")
{
    const auto  o  = opened(kTwo + joint("revolute",
                                         "<origin xyz=\"1 2 3\" rpy=\"0.1 0.2 0.3\"/><axis xyz=\"0 2 2\"/><limit "
                                         "lower=\"-1\" upper=\"0.5\" effort=\"3\" velocity=\"2\"/>"));
    const Quatd q0 = value<Quatd>(o, "/r/j", "physics:localRot0"), q1 = value<Quatd>(o, "/r/j", "physics:localRot1");
    CHECK(value<std::string>(o, "/r/j", "physics:axis") == "X");
    CHECK(test::distance(rotate(q1, Vec3d{1, 0, 0}), Vec3d{0, std::sqrt(0.5), std::sqrt(0.5)}) < 1e-6);
    // localRot0 = rpy * localRot1, rpy about fixed axes.
    const Quatd rpy = from_axis_angle(Vec3d{0, 0, 1}, 0.3) * from_axis_angle(Vec3d{0, 1, 0}, 0.2) *
                      from_axis_angle(Vec3d{1, 0, 0}, 0.1);
    CHECK(test::angle_between(q0, rpy * q1) < 1e-6);
    CHECK(value<double>(o, "/r/j", "physics:lowerLimit") == close_to(-kInDegrees, 1e-6));
    CHECK(value<double>(o, "/r/j", "drive:angular:physics:maxForce") == 3);
    CHECK(value<double>(o, "/r/j", "newton:velocityLimit") == close_to(2 * kInDegrees, 1e-6));
}

TEST_CASE("EXP-065: axes of the frame keep their token; negative ones turn by half a turn")
{
    for (int a = 0; a < 3; ++a)
        for (const double sign : {1.0, -1.0}) {
            Vec3d axis;
            axis[static_cast<std::size_t>(a)] = sign;
            CAPTURE(a);
            CAPTURE(sign);
            const auto o =
                opened(kTwo + joint("continuous", "<axis xyz=\"" + std::to_string(axis.x) + " " +
                                                      std::to_string(axis.y) + " " + std::to_string(axis.z) + "\"/>"));
            CHECK(value<std::string>(o, "/r/j", "physics:axis") == std::string(1, "XYZ"[a]));
            CHECK(test::distance(rotate(value<Quatd>(o, "/r/j", "physics:localRot1"), axis_vector<double>(a)), axis) <
                  1e-6);
            CHECK(std::isinf(value<double>(o, "/r/j", "physics:upperLimit")));  // EXP-076: written out
        }
}

TEST_CASE("EXP-066: the offset of a mimic becomes degrees, its factor follows the units of both joints")
{
    const std::string three = kTwo + "<link name=\"c\">" + kMass + "</link>";
    const std::string lead = joint("revolute", "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>", "lead");
    const auto        follow = [](const std::string& type) {
        return "<joint name=\"f\" type=\"" + type +
               "\"><parent link=\"b\"/><child link=\"c\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" "
               "velocity=\"1\"/><mimic joint=\"lead\" multiplier=\"2\" offset=\"0.1\"/></joint>";
    };
    const auto turning = opened(three + lead + follow("revolute"));
    CHECK(value<double>(turning, "/r/f", "ext_physics:mimic:offset") == close_to(5.729578, 1e-6));
    CHECK(value<double>(turning, "/r/f", "ext_physics:mimic:multiplier") == 2);
    const auto sliding = opened(three + lead + follow("prismatic"));
    CHECK(value<double>(sliding, "/r/f", "ext_physics:mimic:offset") == close_to(0.1, 1e-7));
    CHECK(value<double>(sliding, "/r/f", "ext_physics:mimic:multiplier") == close_to(2 / kInDegrees, 1e-7));
}

TEST_CASE("EXP-067: the rotation of an inertial goes into the principal axes")
{
    const auto o = opened(
        "<link name=\"a\"><inertial><origin xyz=\"0 0 1\" rpy=\"0 0 0.5\"/><mass value=\"2\"/><inertia ixx=\"1\" "
        "iyy=\"2\" izz=\"2.5\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>");
    const Quatd  q = value<Quatd>(o, "/r/a", "physics:principalAxes");
    const Vec3d  d = value<Vec3d>(o, "/r/a", "physics:diagonalInertia");
    const Mat33d R = to_matrix(q), I = R * Mat33d::diagonal(d) * transpose(R);
    // Rz(0.5) diag(1, 2, 2.5) Rz(0.5)^T
    const double c = std::cos(0.5), s = std::sin(0.5);
    CHECK(I(0, 0) == close_to(c * c + 2 * s * s, 1e-6));
    CHECK(I(0, 1) == close_to(-c * s, 1e-6));
    CHECK(I(1, 1) == close_to(s * s + 2 * c * c, 1e-6));
    CHECK(I(2, 2) == close_to(2.5, 1e-6));
    CHECK(q.w > 0.9);  // the axes nearest to the link's own
    CHECK(value<Vec3d>(o, "/r/a", "physics:centerOfMass") == Vec3d{0, 0, 1});
}

TEST_CASE("EXP-068: a leaf without mass on a fixed joint is a frame of ROS and no body")
{
    const auto o =
        opened("<link name=\"a\">" + kMass + "</link><link name=\"b\"/>" + joint("fixed", "<origin xyz=\"0 0 1\"/>"));
    const auto frame = o.stage->prim_at(usd::Path("/r/a/b"));
    REQUIRE(frame);
    CHECK(frame.has_api("RosFrameAPI"));
    CHECK(!frame.has_api("PhysicsRigidBodyAPI"));
    CHECK(value<Vec3d>(o, "/r/a/b", "xformOp:translate") == Vec3d{0, 0, 1});
    CHECK(!o.stage->prim_at(usd::Path("/r/j")));
}

TEST_CASE("a moving link without mass takes the mass of what is fixed to it, else it is an error")
{
    const auto merged = opened(
        "<link name=\"a\">" + kMass + "</link><link name=\"b\"/><link name=\"c\">" + kMass + "</link>" +
        joint("continuous", "") +
        "<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/><origin xyz=\"0 1 0\"/></joint>");
    CHECK(value<double>(merged, "/r/b", "physics:mass") == 1);
    CHECK(value<Vec3d>(merged, "/r/b", "physics:centerOfMass") == Vec3d{0, 1, 0});
    CHECK(!merged.stage->prim_at(usd::Path("/r/b/c")).has_api("PhysicsRigidBodyAPI"));
    const auto lone = opened("<link name=\"a\">" + kMass + "</link><link name=\"b\"/>" + joint("continuous", ""));
    CHECK(lone.losses.at_least(Severity::error));
}

TEST_CASE("EXP-070: a mirrored mesh keeps its faces outwards")
{
    const test::TemporaryFolder folder;
    folder.write("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    for (const char* scale : {"1 1 1", "-2 1 1", "-1 -1 -1", "2 -3 -4"}) {
        CAPTURE(scale);
        const auto o       = opened("<link name=\"a\"><visual><geometry><mesh filename=\"t.obj\" scale=\"" +
                                        std::string(scale) + "\"/></geometry></visual></link>",
                                    folder.path().string());
        const auto points  = value<std::vector<Vec3d>>(o, "/r/a/visual/visual", "points");
        const auto corners = value<std::vector<int>>(o, "/r/a/visual/visual", "faceVertexIndices");
        double     volume  = 0;
        for (std::size_t i = 0; i < corners.size(); i += 3) {
            const auto p = [&](std::size_t k) { return points[static_cast<std::size_t>(corners[i + k])]; };
            volume += dot(p(0), cross(p(1), p(2))) / 6;
        }
        CHECK(volume > 0);
    }
}

TEST_CASE("EXP-069: COLLADA in centimetres with y up arrives in metres with z up")
{
    const test::TemporaryFolder folder;
    folder.write(
        "t.dae",
        R"(<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">0 0 0 100 0 0 0 200 0</float_array>
<technique_common><accessor source="#pa" count="3" stride="3"/></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 0 300</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)");
    const auto o = opened("<link name=\"a\"><visual><geometry><mesh filename=\"t.dae\"/></geometry></visual></link>",
                          folder.path().string());
    const auto points = value<std::vector<Vec3d>>(o, "/r/a/visual/visual", "points");
    REQUIRE(points.size() == 3);
    // (x, y, z) cm -> (x, -z, y) m
    CHECK(test::distance(points[0], Vec3d{0, -3, 0}) < 1e-6);
    CHECK(test::distance(points[1], Vec3d{1, -3, 0}) < 1e-6);
    CHECK(test::distance(points[2], Vec3d{0, -3, 2}) < 1e-6);
}

TEST_CASE("names that USD does not allow are changed, and the joint keeps its name for ROS")
{
    const auto o =
        opened("<link name=\"1-a\">" + kMass + "</link><link name=\"1_a\">" + kMass +
               "</link>"
               "<joint name=\"1 a\" type=\"continuous\"><parent link=\"1-a\"/><child link=\"1_a\"/></joint>");
    CHECK(o.stage->prim_at(usd::Path("/r/_1_a")));
    CHECK(o.stage->prim_at(usd::Path("/r/_1_a_1")));
    CHECK(value<std::string>(o, "/r/_1_a_2", "ros:joint:name") == "1_a");  // without blanks
}

TEST_CASE("every element and attribute that is not read is in the loss report with its line")
{
    const auto read = read_robot_text(
        "<robot name=\"r\">\n<link name=\"a\" type=\"x\"/>\n<gazebo "
        "reference=\"a\"><mu1>0.2</mu1></gazebo>\n<transmission name=\"t\"/>\n</robot>",
        ".");
    REQUIRE(read);
    REQUIRE(read->losses.entries.size() == 3);
    CHECK(read->losses.entries[0].site.line == 2);
    CHECK(read->losses.entries[0].source_value == "x");
    CHECK(read->losses.entries[1].site.line == 3);
    CHECK(read->losses.entries[2].what == "robot 'r'/transmission 't'");
    for (const Loss& l : read->losses.entries) CHECK(l.action == LossAction::dropped);
}

TEST_CASE("a stage opens a robot of another format, and its findings name the source's lines")
{
    let_stages_open_robots();
    const test::TemporaryFolder folder;
    const std::string           file = folder.write(
        "r.urdf", "<robot name=\"r\">\n<link name=\"a\">" + kMass + "</link>\n<link name=\"b\">" + kMass + "</link>\n" +
                      "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\n<limit lower=\"2\" "
                      "upper=\"1\" effort=\"1\" velocity=\"1\"/></joint></robot>");
    const auto stage = usd::Stage::open(file);
    REQUIRE(stage);
    CHECK((*stage)->diagnostics().find(kLimits.id) != nullptr);
    const Site limit = (*stage)->prim_at(usd::Path("/r/j")).attribute("physics:lowerLimit").site();
    CHECK(limit.layer == file);
    CHECK(limit.line == 5);
    CHECK((*stage)->prim_at(usd::Path("/r/b")).site().line == 3);
}

TEST_CASE("REP-2.7-f: a link whose name is no frame id gets one, and the report says so")
{
    const auto o =
        opened("<link name=\"base\">" + kMass + "</link><link name=\"wheel left\">" + kMass +
               "</link><link name=\"wheel-left\">" + kMass +
               "</link>"
               "<joint name=\"l\" type=\"continuous\"><parent link=\"base\"/><child link=\"wheel left\"/></joint>"
               "<joint name=\"r\" type=\"continuous\"><parent link=\"base\"/><child link=\"wheel-left\"/></joint>");
    // The prim's own name is the frame's where nothing else is written; a name that tf2 takes is kept.
    CHECK(!o.stage->prim_at(usd::Path("/r/wheel_left")).attribute("ros:frame:id").authored());
    CHECK(o.stage->prim_at(usd::Path("/r/wheel_left_1")).attribute("ros:frame:id").get<std::string>() == "wheel-left");
    int told = 0;
    for (const Loss& l : o.losses.entries) {
        if (l.code != "frame-id") continue;
        ++told;
        CHECK(l.action == LossAction::renamed);
        CHECK(l.source_value == "wheel left");
        CHECK(l.target_value == "wheel_left");
    }
    CHECK(told == 1);
    // The new id is not the name of another link.
    const auto taken =
        opened("<link name=\"a b\">" + kMass + "</link><link name=\"a_b\">" + kMass +
               "</link>"
               "<joint name=\"l\" type=\"continuous\"><parent link=\"a_b\"/><child link=\"a b\"/></joint>");
    CHECK(taken.stage->prim_at(usd::Path("/r/a_b")).attribute("ros:frame:id").get<std::string>() == "a_b_");
}

TEST_CASE("the report gives the reason why something is not read")
{
    const auto reason = [](const Opened& o, const std::string& part) {
        for (const Loss& l : o.losses.entries)
            if (l.what.find(part) != std::string::npos) return l.reason;
        return std::string("nothing");
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    const auto bad = opened("<link name=\"a\">" + kMass +
                            "</link><link name=\"b\"><inertial><mass value=\"1,5\"/><inertia ixx=\"1\" iyy=\"1\" "
                            "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>" +
                            joint("revolut", "<origin xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\"/>"));
    CHECK(has(reason(bad, "/inertia"), "mass of this inertial cannot be read"));
    CHECK(has(reason(bad, "/origin"), "type of this joint cannot be read"));
    CHECK(has(reason(bad, "/limit"), "type of this joint cannot be read"));
    const auto foot = opened(
        "<link name=\"base_footprint\"/><link name=\"base_link\">" + kMass +
        "</link><joint name=\"j\" type=\"fixed\"><parent link=\"base_footprint\"/><child link=\"base_link\"/></joint>");
    CHECK(has(reason(foot, "joint 'j'"), "link 'base_footprint' has no mass"));
}

TEST_CASE("joints that follow one another in a circle are told, and one of them follows nothing")
{
    const auto robot = read_robot_text(R"(<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/><mimic joint="k"/></joint>
        <joint name="k" type="continuous"><parent link="b"/><child link="c"/><mimic joint="j"/></joint></robot>)",
                                       ".");
    REQUIRE(robot);
    CHECK(std::count_if(robot->found.begin(), robot->found.end(),
                        [](const Diagnostic& d) { return d.id == kTree.id; }) == 1);
    CHECK(std::count_if(robot->tree.joints.begin(), robot->tree.joints.end(),
                        [](const Joint& j) { return j.mimic.has_value(); }) == 1);
}

TEST_CASE("a joint whose <limit> has neither side is locked by the format, and that is told")
{
    const auto with = [](const std::string& limit) {
        auto robot = read_robot_text(
            R"(<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
            <child link="b"/><limit effort="1" velocity="1" )" +
                limit + "/></joint></robot>",
            ".");
        REQUIRE(robot);
        return std::count_if(robot->found.begin(), robot->found.end(),
                             [](const Diagnostic& d) { return d.id == kLimits.id; });
    };
    CHECK(with("") == 1);
    CHECK(with("lower=\"-1\"") == 0);
    CHECK(with("upper=\"1\"") == 0);
}

TEST_CASE("the effort of a planar joint bounds what drives each of its axes")
{
    const auto robot = read_robot_text(
        R"(<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="planar"><parent link="a"/>
        <child link="b"/><axis xyz="0 0 1"/><limit effort="7" velocity="2"/></joint></robot>)",
        ".");
    REQUIRE(robot);
    REQUIRE(robot->tree.joints.at(0).dofs.size() == 3);
    for (const Dof& d : robot->tree.joints[0].dofs) {
        REQUIRE(d.drive);
        CHECK(d.drive->max_force == 7);
        CHECK(d.drive->stiffness == 0);
    }
}

TEST_CASE("what is at fault in a source is an entry of the loss report, and no value that was kept")
{
    const auto robot = read_robot_text(
        R"(<robot name="r"><link name="a"><visual><geometry><mesh filename="nowhere.stl"/></geometry></visual>
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>)",
        ".");
    REQUIRE(robot);
    const auto entry = [&](const std::string& code) {
        return std::count_if(robot->losses.entries.begin(), robot->losses.entries.end(),
                             [&](const Loss& l) { return l.code == code; });
    };
    CHECK(entry("source-mesh-missing") == 1);
    CHECK(entry("source-inertia") == 1);
    CHECK(robot->losses.count(LossAction::dropped) == 1);
    CHECK(robot->losses.count(LossAction::approximated) == 1);
}
