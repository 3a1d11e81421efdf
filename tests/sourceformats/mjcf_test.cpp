#include "support/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numbers>
#include <set>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"

using namespace mechane;
using namespace mechane::sourceformats;
using mechane::test::close_to;

namespace {

ReadRobot read(const std::string& inside)
{
    auto robot = read_robot_text("<mujoco>" + inside + "</mujoco>", ".");
    REQUIRE(robot);
    return std::move(*robot);
}

std::shared_ptr<const usd::Stage> opened(ReadRobot& robot)
{
    auto made = to_usd(robot.tree, Layout::single, robot.losses);
    REQUIRE(made);
    auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
    REQUIRE(stage);
    return *stage;
}

template <class T>
T value(const std::shared_ptr<const usd::Stage>& stage, const std::string& path, const std::string& name)
{
    const auto v = stage->prim_at(usd::Path(path)).attribute(name).get<T>();
    REQUIRE(v);
    return *v;
}

}  // namespace

TEST_CASE("EXP-037: a connect between parts of the world holds nothing, and the report says so")
{
    auto                     robot = read(R"(<worldbody><body name="still"><geom size=".1"/></body>
      <body name="free"><freejoint/><geom size=".1"/></body></worldbody>
      <equality><connect name="idle" body1="still" anchor="0 0 1"/><connect name="hold" body1="free" anchor="0 0 1"/></equality>)");
    const auto               stage = opened(robot);
    std::vector<std::string> joints;
    for (const usd::Prim& prim : stage->prim_at(usd::Path("/robot")).subtree())
        if (prim.is_a("PhysicsJoint")) joints.push_back(prim.name().text());
    CHECK(joints == std::vector<std::string>{"hold"});
    std::vector<std::string> told;
    for (const Loss& l : robot.losses.entries)
        if (l.code == "loop-joint") told.push_back(l.what);
    CHECK(told == std::vector<std::string>{"joint 'idle'"});
}

TEST_CASE(
    "EXP-072: a body that tells no mass has boundmass at its pose in its parent, also where a joint has a reference")
{
    // MuJoCo 3.17 compiles ipos = (1, 2, 3) of both.
    for (const char* ref : {"", "ref='0.7'"}) {
        const auto robot = read(
            fmt::format(R"(<compiler boundmass="0.3" boundinertia="0.01"/><worldbody><body name="a"><geom size=".1"/>
            <body name="b" pos="1 2 3"><joint type="slide" axis="1 0 0" {}/></body></body></worldbody>)",
                        ref));
        const auto& in = robot.tree.links.at(1).inertial;
        REQUIRE(in);
        CHECK(in->mass == 0.3);
        CHECK(length(in->com - Vec3d{1, 2, 3}) < 1e-12);
    }
}

TEST_CASE("EXP-072: masses, centres and inertias of shapes are those of MuJoCo's compiler")
{
    // Mass, centre and xx yy zz xy xz yz of the inertia, as MuJoCo 3.17 compiles a free body with this one geom.
    struct {
        const char* geom;
        double      mass;
        Vec3d       com;
        double      inertia[6];
    } table[] = {
        {"<geom type='box' size='.1 .2 .3' shellinertia='true' mass='2'/>",
         2,
         {},
         {0.12303030303030303, 0.09575757575757576, 0.05515151515151516, 0, 0, 0}},
        {"<geom type='capsule' size='.1 .3' shellinertia='true' mass='2'/>",
         2,
         {},
         {0.11583333333333332, 0.11583333333333332, 0.018333333333333337, 0, 0, 0}},
        {"<geom type='cylinder' size='.1 .3' shellinertia='true' mass='2'/>",
         2,
         {},
         {0.08642857142857144, 0.08642857142857144, 0.018571428571428572, 0, 0, 0}},
        {"<geom type='sphere' size='.1' shellinertia='true' mass='2'/>",
         2,
         {},
         {0.013333333333333336, 0.013333333333333336, 0.013333333333333336, 0, 0, 0}},
        {"<geom type='ellipsoid' size='.1 .2 .3' shellinertia='true'/>",
         489.7193333371731,
         {},
         {18.075174882542342, 14.068366576335393, 8.102680936804973, 0, 0, 0}},
        {"<geom type='ellipsoid' size='.1 .2 .3' shellinertia='true' mass='2'/>",
         2,
         {},
         {0.07381850644696897, 0.05745481388430562, 0.033091121322740946, 0, 0, 0}},
        {"<geom type='ellipsoid' size='.1 .2 .3'/>",
         25.132741228718345,
         {},
         {0.653451271946677, 0.5026548245743669, 0.25132741228718347, 0, 0, 0}},
        {"<geom type='mesh' mesh='t'/>",
         166.66666666666666,
         {0.25, 0.25, 0.25},
         {12.5, 12.5, 12.5, 2.0833333333333433, 2.0833333333333433, 2.0833333333333433}},
        {"<geom type='mesh' mesh='t' pos='1 2 3' euler='10 20 30' mass='3'/>",
         3,
         {1.171492878570522, 2.300958793990323, 3.259834556823157},
         {0.20514588444024323, 0.2418457174080669, 0.22800839815169296, 0.030967373947508096, 0.02673586566101958,
          0.04691969691510469}},
        {"<geom type='capsule' fromto='0 0 0 .1 .2 .3' size='.05'/>",
         3.462289615233049,
         {0.05, 0.1, 0.15},
         {0.05475523018089379, 0.043087937598797164, 0.023642449961969455, -0.007778195054731088, -0.011667292582096629,
          -0.023334585164193258}},
    };
    for (const auto& row : table) {
        CAPTURE(row.geom);
        const auto robot = read(
            "<asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><body name='a'><freejoint/>" +
            std::string(row.geom) + "</body></worldbody>");
        REQUIRE(robot.tree.links.size() == 1);
        REQUIRE(robot.tree.links[0].inertial);
        const Inertial& in = *robot.tree.links[0].inertial;
        CHECK(in.mass == close_to(row.mass, 1e-9));
        CHECK(test::distance(in.com, row.com) < 1e-9);
        const double got[] = {in.inertia(0, 0), in.inertia(1, 1), in.inertia(2, 2),
                              in.inertia(0, 1), in.inertia(0, 2), in.inertia(1, 2)};
        for (std::size_t i = 0; i < 6; ++i) CHECK(got[i] == close_to(row.inertia[i], 1e-9));
    }
}

TEST_CASE("EXP-072: classes of defaults are inherited, and an element's own values go before them")
{
    const auto robot = read(
        R"(<default><geom density="10"/><default class="a"><geom type="box" size="1 1 1"/><default class="b"><geom size="2 1 1"/></default></default></default>
<worldbody><body name="x" childclass="a"><freejoint/><geom/><body name="y" childclass="b"><joint/><geom/><geom class="a" size="3 1 1"/></body></body></worldbody>)");
    REQUIRE(robot.tree.shapes.size() == 3);
    CHECK(robot.tree.shapes[0].size == Vec3d{1, 1, 1});
    CHECK(robot.tree.shapes[1].size == Vec3d{2, 1, 1});
    CHECK(robot.tree.shapes[2].size == Vec3d{3, 1, 1});
    CHECK(robot.tree.links[0].inertial->mass == close_to(80, 1e-12));
}

TEST_CASE("EXP-072: of a list of numbers as many are read as there are, and the others stay those of the class")
{
    // As MuJoCo 3.17 compiles it: friction 0.9 0.1 0.2 and 0.6 0.1 0.2, solimp 0.8 0.85 0.01 and 0.7 0.85 0.01.
    const auto robot = read(
        R"(<default><geom type="box" friction=".7 .1 .2" solimp=".8 .85 .01" size=".1 .2 .3"/><default class="a"><geom friction=".6" solimp=".7"/></default></default>
<worldbody><body><freejoint/><geom friction=".9" size=".4"/><geom class="a" size=".4 .5"/></body></worldbody>)");
    CHECK(robot.found.empty());
    REQUIRE(robot.tree.shapes.size() == 2);
    const Shape &own = robot.tree.shapes[0], &of_class = robot.tree.shapes[1];
    CHECK(own.size == Vec3d{0.4, 0.2, 0.3});
    CHECK(of_class.size == Vec3d{0.4, 0.5, 0.3});
    for (const Shape* shape : {&own, &of_class}) {
        REQUIRE(shape->contact);
        CHECK(shape->contact->torsional == 0.1);
        CHECK(shape->contact->rolling == 0.2);
    }
    CHECK(own.contact->dynamic_friction == 0.9);
    CHECK(of_class.contact->dynamic_friction == 0.6);
    const auto impedance = [](const Shape& shape) {
        for (const Extra& x : shape.extras)
            if (x.name == "mjc:solimp") return x.text;
        return std::string();
    };
    CHECK(impedance(own) == "[0.8, 0.85, 0.01]");
    CHECK(impedance(of_class) == "[0.7, 0.85, 0.01]");
    // What has to be complete stays a fault where it is not.
    const auto short_place = read(
        R"(<default><site pos="1 2 3"/></default><worldbody><body pos="1 2"><freejoint/><geom size=".1"/></body></worldbody>)");
    CHECK_FALSE(short_place.found.empty());
}

TEST_CASE("all ways to write an orientation say the same")
{
    // Ninety degrees about z.
    for (const char* way : {"quat='1 0 0 1'", "axisangle='0 0 2 90'", "xyaxes='0 1 0 -1 0 0'", "euler='0 0 90'"}) {
        CAPTURE(way);
        const auto robot =
            read("<worldbody><body name='a' " + std::string(way) + "><freejoint/><geom size='.1'/></body></worldbody>");
        CHECK(test::distance(rotate(robot.tree.links[0].X_WL.q, Vec3d{1, 0, 0}), Vec3d{0, 1, 0}) < 1e-12);
    }
    const auto robot = read("<worldbody><body name='a' zaxis='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>");
    CHECK(test::distance(rotate(robot.tree.links[0].X_WL.q, Vec3d{0, 0, 1}), Vec3d{1, 0, 0}) < 1e-12);
    // Capital letters turn about fixed axes: XYZ is the reverse order of xyz.
    const auto fixed = read(
        "<compiler eulerseq='XYZ'/><worldbody><body name='a' euler='10 20 30'><freejoint/><geom "
        "size='.1'/></body></worldbody>");
    const auto own = read(
        "<compiler eulerseq='zyx'/><worldbody><body name='a' euler='30 20 10'><freejoint/><geom "
        "size='.1'/></body></worldbody>");
    CHECK(test::angle_between(fixed.tree.links[0].X_WL.q, own.tree.links[0].X_WL.q) < 1e-12);
}

TEST_CASE("the zero of a joint is that of MJCF, also where its reference is not zero")
{
    auto robot = read(
        "<worldbody><body name='a'><freejoint/><geom size='.1'/><body name='b' pos='0 0 1'><joint name='j' axis='0 1 "
        "0' ref='30' range='-10 90'/><geom size='.1'/></body></body></worldbody>");
    const auto  stage = opened(robot);
    const Quatd q0    = value<Quatd>(stage, "/robot/j", "physics:localRot0"),
                q1    = value<Quatd>(stage, "/robot/j", "physics:localRot1");
    // At q = 30 degrees the body stands as it is written, that is without a rotation.
    const Quatd motion = from_axis_angle(Vec3d{0, 1, 0}, std::numbers::pi / 6);
    CHECK(test::angle_between(q0 * motion * conjugate(q1), Quatd{}) < 1e-6);
    CHECK(value<double>(stage, "/robot/j", "physics:lowerLimit") == close_to(-10, 1e-6));
}

TEST_CASE(
    "several joints of a body are one joint, their rotations in order; what no such joint has is an error of the "
    "report")
{
    auto robot = read(
        "<worldbody><body name='a'><joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 "
        "1'/><joint name='y' axis='0 1 0'/><geom size='.1'/></body></worldbody>");
    const auto stage = opened(robot);
    CHECK(stage->prim_at(usd::Path("/robot/a_joints")).type_name() == "PhysicsJoint");
    for (const char* locked : {"transY", "rotX", "rotZ"})
        CHECK(stage->prim_at(usd::Path("/robot/a_joints")).has_api("PhysicsLimitAPI:" + std::string(locked)));
    for (const char* free : {"transX", "transZ", "rotY"})
        CHECK(!stage->prim_at(usd::Path("/robot/a_joints")).has_api("PhysicsLimitAPI:" + std::string(free)));
    CHECK(!robot.losses.at_least(Severity::error));
    auto skew = read(
        "<worldbody><body name='a'><joint name='u' axis='0 1 0'/><joint name='v' axis='1 .5 0' pos='0 0 .1'/><geom "
        "size='.1'/></body></worldbody>");
    opened(skew);
    CHECK(skew.losses.count(Severity::error) == 2);  // the pivot and the angle
}

TEST_CASE("actuators that are linear laws are drives, per degree for rotations")
{
    auto robot = read(
        "<worldbody><body name='a'><freejoint/><geom size='.1'/><body name='b'><joint name='j'/><geom "
        "size='.1'/></body><body name='c'><joint name='k' type='slide'/><geom size='.1'/></body></body></worldbody>"
        "<actuator><position joint='j' kp='50' kv='2' gear='3' forcerange='-4 4'/><motor joint='k' gear='10' "
        "ctrlrange='-1 2'/></actuator>");
    const auto stage = opened(robot);
    CHECK(value<double>(stage, "/robot/j", "drive:angular:physics:stiffness") ==
          close_to(450 * std::numbers::pi / 180, 1e-6));
    CHECK(value<double>(stage, "/robot/j", "drive:angular:physics:damping") ==
          close_to(18 * std::numbers::pi / 180, 1e-6));
    CHECK(value<double>(stage, "/robot/j", "drive:angular:physics:maxForce") == close_to(12, 1e-6));
    CHECK(value<double>(stage, "/robot/k", "drive:linear:physics:maxForce") == close_to(20, 1e-6));
}

TEST_CASE("contypes that do not all meet become groups with the same pairs")
{
    const auto robot = read(
        "<worldbody><geom type='plane' size='1 1 1' contype='2' conaffinity='0'/><body name='a'><freejoint/><geom "
        "size='.1' contype='1' conaffinity='2'/></body><body name='b'><freejoint/><geom size='.1' contype='1' "
        "conaffinity='2'/></body></worldbody>");
    REQUIRE(robot.tree.groups.size() == 2);
    // (1,2): spheres, not with each other, as 1 & 2 = 0; with the plane: 2 & 2.  (2,0): the plane, not with itself.
    CHECK(robot.tree.groups[0].shapes == std::vector<int>{1, 2});
    CHECK(robot.tree.groups[0].filtered == std::vector<int>{0});
    CHECK(robot.tree.groups[1].filtered == std::vector<int>{1});
}

TEST_CASE("hostile models come to an end with findings")
{
    for (const char* text : {"<worldbody><replicate count='1e9'><geom size='1'/></replicate></worldbody>",
                             "<worldbody><replicate count='9999'><replicate count='9999'><geom "
                             "size='1'/></replicate></replicate></worldbody>",
                             "<worldbody><geom size='nan'/><geom type='box' size='1'/><geom type='mesh' "
                             "mesh='none'/><body><joint axis='0 0 0'/><geom size='-1'/></body></worldbody>",
                             "<include file='missing.xml'/><worldbody><body name='a'/><body name='a'/></worldbody>",
                             "<equality><weld body1='x'/><joint joint1='y'/></equality><actuator><motor "
                             "joint='z'/></actuator><tendon><fixed><joint joint='q'/></fixed></tendon>",
                             "<default><default/></default><asset><mesh name='m'/></asset>"}) {
        CAPTURE(text);
        const auto robot = read(text);
        CHECK(robot.found.has_errors());
    }
}

TEST_CASE(
    "EXP-072: meshes that are moved to a frame of their own, and shapes that stand for meshes, are those of MuJoCo's "
    "compiler")
{
    // Mass, centre and xx yy zz of the inertia, as MuJoCo 3.17 compiles a free body with this one geom.
    struct {
        const char* geom;
        Vec3d       com;
        double      inertia[3];
    } table[] = {
        {"<geom type='mesh' mesh='c' pos='.5 0 0' mass='2'/>",
         {0.49, -0.06, 0.06},
         {0.08666666666666671, 0.0666666666666667, 0.03333333333333336}},
        {"<geom type='capsule' mesh='c' mass='2'/>",
         {-0.01, -0.06, 0.06},
         {0.08342307692307696, 0.08342307692307696, 0.02111538461538464}},
        {"<geom type='box' mesh='c' mass='2'/>",
         {-0.01, -0.06, 0.06},
         {0.08666666666666671, 0.0666666666666667, 0.03333333333333336}},
        {"<geom type='cylinder' mesh='c' mass='2' fitscale='2'/>", {-0.01, -0.06, 0.06}, {0.285, 0.285, 0.09}},
    };
    for (const auto& row : table) {
        CAPTURE(row.geom);
        const auto robot = read(
            "<asset><mesh name='c' vertex='-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1' refpos='.1 .2 "
            ".3' "
            "refquat='.7071067811865476 .7071067811865476 0 0' scale='.1 .2 .3'/></asset><worldbody><body "
            "name='a'><freejoint/>" +
            std::string(row.geom) + "</body></worldbody>");
        REQUIRE(robot.tree.links[0].inertial);
        const Inertial& in = *robot.tree.links[0].inertial;
        CHECK(in.mass == close_to(2, 1e-9));
        CHECK(length(in.com - row.com) < 1e-9);
        for (std::size_t i = 0; i < 3; ++i) CHECK(in.inertia(i, i) == close_to(row.inertia[i], 1e-9));
    }
}

TEST_CASE("a model that is attached keeps its own settings and defaults, and its names get the prefix")
{
    const test::TemporaryFolder folder;
    folder.write(
        "arm.xml",
        R"(<mujoco model="arm"><compiler angle="radian"/><default><joint damping="0.7"/><geom density="300"/></default><worldbody>
        <body name="stand"><body name="link" pos="0.1 0 0"><joint name="j" axis="0 1 0" range="-1 1"/><geom name="g" type="sphere" size="0.1"/></body></body>
        <body name="other" pos="5 0 0"><joint name="k"/><geom size="0.1"/></body></worldbody>
        <actuator><motor name="m" joint="j" gear="3"/><motor name="n" joint="k"/></actuator></mujoco>)");
    folder.write(
        "loop.xml",
        R"(<mujoco><asset><model name="self" file="loop.xml"/></asset><worldbody><body name="b"><joint/><geom size="1"/><attach model="self" body="b" prefix="x"/></body></worldbody></mujoco>)");
    const auto file = folder.write(
        "all.xml",
        R"(<mujoco><default><joint damping="9"/></default><asset><model name="arm" file="arm.xml"/></asset><worldbody>
        <body name="base" pos="0 0 1"><freejoint/><geom size="0.2"/><frame pos="0 0.5 0" euler="0 0 90"><attach model="arm" body="link" prefix="left_"/></frame>
        <attach model="arm" body="link" prefix="right_"/></body></worldbody></mujoco>)");
    const auto read = read_robot(file, {});
    REQUIRE(read);
    for (const Diagnostic& d : read->found) CAPTURE(d.message);
    CHECK(read->found.empty());
    const RobotTree& tree = read->tree;
    REQUIRE(tree.links.size() == 3);
    CHECK(tree.links[1].name == "left_link");
    CHECK(tree.links[2].name == "right_link");
    CHECK(length(tree.links[1].X_WL.p - Vec3d{0, 0.6, 1}) < 1e-9);  // 0.1 along x of a frame that is turned to y
    CHECK(tree.links[1].inertial->mass == close_to(300 * 4.0 / 3 * std::numbers::pi * 1e-3, 1e-9));
    REQUIRE(tree.joints.size() == 2);
    CHECK(tree.joints[0].dofs[0].name == "left_j");
    CHECK(tree.joints[0].dofs[0].upper == close_to(1, 1e-9));
    CHECK(tree.joints[0].dofs[0].damping.value_or(0) == close_to(0.7, 1e-9));
    int motors = 0;
    for (const VendorPrim& p : tree.prims) motors += p.type == "MjcActuator" ? 1 : 0;
    CHECK(motors == 2);
    const auto loop = read_robot((folder.path() / "loop.xml").string(), {});
    REQUIRE(loop);
    CHECK(loop->found.count(kInclude.id) >= 1);
}

TEST_CASE("a height field is the triangles of its surface, with the heights that MuJoCo's compiler has")
{
    // hfield_data of MuJoCo 3.17 for these rows is 0.6 0.8 1 / 0 0.2 0.4, times the third size.
    const auto robot = read(
        "<asset><hfield name='h' nrow='2' ncol='3' size='2 1 0.5 0.1' elevation='1 2 3  4 5 "
        "6'/></asset><worldbody><geom name='g' type='hfield' hfield='h' pos='0 0 1'/></worldbody>");
    CHECK(robot.found.empty());
    REQUIRE(robot.tree.shapes.size() == 1);
    CHECK(robot.tree.shapes[0].kind == Shape::Kind::mesh);
    CHECK(robot.tree.shapes[0].approximation == "none");
    CHECK(robot.tree.shapes[0].X_LS.p == Vec3d{0, 0, 1});
    const MeshAsset& mesh      = robot.tree.meshes.at(static_cast<std::size_t>(robot.tree.shapes[0].mesh));
    const double     heights[] = {0.6, 0.8, 1, 0, 0.2, 0.4};
    REQUIRE(mesh.points.size() == 6 + 6 + 1);  // and a floor below the rim
    CHECK(mesh.counts.size() == 4 + 2 * 6 + 6);
    CHECK(mesh.points.back() == Vec3d{0, 0, -0.1});
    for (std::size_t i = 0; i < 6; ++i) CHECK(mesh.points[i].z == close_to(0.5 * heights[i], 1e-12));
    CHECK(mesh.points[0].x == -2);
    CHECK(mesh.points[5].y == 1);
    for (std::size_t t = 0; t < 12; t += 3) {
        const Vec3d a = mesh.points[static_cast<std::size_t>(mesh.corners[t])],
                    b = mesh.points[static_cast<std::size_t>(mesh.corners[t + 1])],
                    c = mesh.points[static_cast<std::size_t>(mesh.corners[t + 2])];
        CHECK(cross(b - a, c - a).z > 0);
        // A ball that falls into the middle of a cell in MuJoCo 3.17 lies on the line from (-x, -y) to (x, y).
        const int rise = int(a.x < b.x && a.y < b.y) + int(b.x < c.x && b.y < c.y) + int(a.x < c.x && a.y < c.y);
        CHECK(rise == 1);
    }
    CHECK(read("<asset><hfield name='h' nrow='2' ncol='3' size='2 1 0.5 0.1' elevation='1 2'/></asset><worldbody><geom "
               "type='hfield' hfield='h'/></worldbody>")
              .found.count(kShape.id) == 1);
}

TEST_CASE("what no robot of OpenUSD can hold is a loss of its own name, and an error where bodies are missing")
{
    const auto robot = read(
        "<asset><skin name='s' vertex='0 0 0'/></asset><worldbody><body name='b'><freejoint/><geom name='g' "
        "size='.1'/><site name='t'/><composite type='cable' count='9 1 1' prefix='c'/><flexcomp name='f' "
        "type='grid' count='3 3 1'/></body></worldbody><deformable><flex name='x' dim='1'/></deformable>"
        "<contact><pair geom1='g' geom2='g'/></contact><sensor><gyro name='y' site='t'/><touch name='u' "
        "site='t'/></sensor><equality><flex flex='x'/></equality><visual><map znear='.1'/></visual>"
        "<keyframe><key name='k' time='2' qpos='0 0 1 1 0 0 0'/></keyframe>");
    struct {
        const char* code;
        const char* part;  ///< of what is lost
        Severity    severity;
        bool        motion;
    } table[] = {
        {"composite", "body 'b'/composite", Severity::error, true},
        {"flex", "flexcomp 'f'", Severity::error, true},
        {"flex", "mujoco/deformable/flex 'x'", Severity::error, true},
        {"equality", "equality", Severity::error, true},
        {"contact-pair", "mujoco/contact/pair", Severity::warning, true},
        {"skin", "skin 's'", Severity::warning, false},
        {"sensor", "sensor 'y'", Severity::info, false},
        {"sensor", "sensor 'u'", Severity::info, false},
        {"viewer-settings", "mujoco/visual", Severity::info, false},
    };
    for (const auto& row : table) {
        CAPTURE(row.code);
        CAPTURE(row.part);
        CHECK(std::count_if(robot.losses.entries.begin(), robot.losses.entries.end(), [&](const Loss& l) {
                  return l.code == row.code && l.what.find(row.part) != std::string::npos &&
                         l.severity == row.severity && l.motion == row.motion && l.site.line == 1;
              }) == 1);
    }
    CHECK(std::none_of(robot.losses.entries.begin(), robot.losses.entries.end(),
                       [](const Loss& l) { return l.code.starts_with("unread"); }));
}

TEST_CASE("a value that any actuator of a class says counts for all kinds of actuators, as in MuJoCo")
{
    // Gains and biases as MuJoCo 3.17 compiles them; the first three numbers, all others are zero.
    constexpr const char* kPosition = "<position kp='24' kv='3' gear='7'/>";
    constexpr const char* kGeneral  = "<general gainprm='9' biastype='affine' biasprm='1 -2 -3' gear='7'/>";
    struct {
        const char* defaults;
        const char* actuator;
        const char* gain;
        const char* bias;
    } table[] = {
        {kPosition, "<general joint='j'/>", "[24, 0, 0", "[0, -24, -3"},
        {kPosition, "<general joint='j' gainprm='2'/>", "[2, 0, 0", "[0, -24, -3"},
        {kPosition, "<motor joint='j'/>", "[1, 0, 0", "[0, 0, 0"},
        {kPosition, "<velocity joint='j'/>", "[1, 0, 0", "[0, 0, -1"},
        {kPosition, "<position joint='j'/>", "[24, 0, 0", "[0, -24, -3"},
        {kGeneral, "<general joint='j'/>", "[9, 0, 0", "[1, -2, -3"},
        {kGeneral, "<general joint='j' biasprm='5'/>", "[9, 0, 0", "[5, -2, -3"},
        {kGeneral, "<position joint='j'/>", "[9, 0, 0", "[0, -9, -3"},
        {kGeneral, "<position joint='j' kp='4'/>", "[4, 0, 0", "[0, -4, -3"},
        {kGeneral, "<velocity joint='j'/>", "[9, 0, 0", "[0, 0, -9"},
        {kGeneral, "<motor joint='j'/>", "[1, 0, 0", "[0, 0, 0"},
    };
    for (const auto& row : table) {
        CAPTURE(row.defaults);
        CAPTURE(row.actuator);
        const auto robot = read("<default>" + std::string(row.defaults) +
                                "</default><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
                                "<actuator>" +
                                std::string(row.actuator) + "</actuator>");
        REQUIRE(robot.tree.prims.size() == 1);
        const auto said = [&](const char* name) {
            for (const Extra& x : robot.tree.prims[0].extras)
                if (x.name == name) return x.text;
            return std::string();
        };
        CHECK(said("mjc:gainPrm").starts_with(row.gain));
        CHECK(said("mjc:biasPrm").starts_with(row.bias));
        CHECK(said("mjc:gear").starts_with("[7,"));
    }
}

TEST_CASE("a link may touch the link that it hangs on where that stands in the world, and not where that moves")
{
    // MuJoCo's rule for parents and children ("unless the parent is the world body").
    const auto robot = read(
        "<worldbody><body name='base'><geom size='.1'/><body name='arm'><joint name='a'/><geom size='.1'/><body "
        "name='hand'><joint name='h'/><geom size='.1'/></body></body></body></worldbody>");
    for (const Joint& j : robot.tree.joints) {
        if (j.name == "a") CHECK(j.collide);
        if (j.name == "h") CHECK_FALSE(j.collide);
    }
}

TEST_CASE("bodies that are welded to each other touch neither each other nor what hangs on one of them, as in MuJoCo")
{
    // MuJoCo 3.17, with all of these in one place: the pairs of bodies in contact are the claw with base, left and
    // right.
    const auto robot = read(
        "<worldbody><body name='base'><freejoint/><geom size='.1'/>"
        "<body name='left'><geom size='.1'/></body><body name='right'><geom size='.1'/>"
        "<body name='hand'><joint/><geom size='.1'/><body name='nail'><geom size='.1'/>"
        "<body name='claw'><joint/><geom size='.1'/></body></body></body></body></body></worldbody>");
    std::set<std::pair<std::string, std::string>> out;
    const auto name = [&](int l) { return robot.tree.links[static_cast<std::size_t>(l)].name; };
    for (const Exclusion& e : robot.tree.exclusions) out.insert(std::minmax(name(e.a), name(e.b)));
    const std::set<std::pair<std::string, std::string>> expected{{"left", "right"}, {"base", "hand"}, {"hand", "left"},
                                                                 {"base", "nail"},  {"left", "nail"}, {"nail", "right"},
                                                                 {"claw", "hand"}};
    CHECK(out == expected);
}

TEST_CASE("several joints of a body stand at zero where MuJoCo has them, also where their references are not zero")
{
    // Positions and rotations (w x y z) of the bodies at qpos = 0, by MuJoCo 3.17; at the references all rotations are
    // the identity.
    struct {
        const char* joints;
        Vec3d       p;
        Quatd       q;
    } table[] = {
        {"<joint name='x' axis='1 0 0' ref='0.5'/><joint name='y' axis='0 1 0' ref='0.3'/>",
         {2, 0, 1},
         {-0.24462588, -0.14479246, 0.03697159, 0.95803258}},
        {"<joint name='x' type='slide' axis='1 0 0' ref='0.2'/><joint name='y' axis='0 1 0' ref='0.3'/>",
         {1.8, 0, 1},
         {0, -0.14943813, 0, 0.98877108}},
    };
    for (const auto& row : table) {
        CAPTURE(row.joints);
        const auto robot = read("<compiler angle='radian'/><worldbody><body name='b' pos='2 0 1'>" +
                                std::string(row.joints) + "<geom size='.1'/></body></worldbody>");
        REQUIRE(robot.tree.joints.size() == 1);
        const Joint& j = robot.tree.joints[0];
        const Posed  X = j.X_PJ * inverse(j.X_CJ);
        CHECK(length(X.p - row.p) < 1e-7);
        CHECK(test::angle_between(X.q, row.q) < 1e-6);
        Posed M;  // and at the references
        for (std::size_t d = 0; d < 2; ++d) {
            const double ref = d == 1 ? 0.3 : j.dofs[0].angular ? 0.5 : 0.2;
            M = M *
                (j.dofs[d].angular ? Posed{{}, from_axis_angle(j.dofs[d].axis, ref)} : Posed{ref * j.dofs[d].axis, {}});
        }
        const Posed start = j.X_PJ * M * inverse(j.X_CJ);
        CHECK(length(start.p - Vec3d{2, 0, 1}) < 1e-9);
        CHECK(test::angle_between(start.q, Quatd{}) < 1e-9);
    }
}

TEST_CASE("with inertiafromgeom=\"false\" a body has the mass that it is given, and none otherwise")
{
    // As MuJoCo 3.17 compiles it: body masses 1 and 0.
    const std::string bodies =
        R"(<worldbody><body name="a"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><body name="b"><geom size=".1"/></body></body></worldbody>)";
    const auto given = read("<compiler inertiafromgeom=\"false\"/>" + bodies);
    REQUIRE(given.tree.links.size() == 2);
    CHECK(given.tree.links[0].inertial->mass == 1);
    CHECK_FALSE(given.tree.links[1].inertial);
    // By default the sphere of 1000 kg/m^3 weighs 4/3 pi 0.1^3 1000.
    const auto computed = read(bodies);
    REQUIRE(computed.tree.links[1].inertial);
    CHECK(computed.tree.links[1].inertial->mass == close_to(4.0 / 3 * std::numbers::pi, 1e-9));
}

TEST_CASE("a servo that is told as <general> with a ratio of damping is the drive that <position> makes of it")
{
    // MuJoCo keeps the ratio as a positive third number of biasprm beside gainprm = -biasprm[1].
    const auto made = [](const std::string& actuator) {
        return read(R"(<worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><actuator>)" + actuator +
                    "</actuator>");
    };
    for (const std::string actuator : {R"(<position joint="j" kp="5" dampratio="1"/>)",
                                       R"(<general joint="j" gainprm="5" biastype="affine" biasprm="0 -5 1"/>)"}) {
        const auto robot = made(actuator);
        CAPTURE(actuator);
        REQUIRE(robot.tree.joints[0].dofs[0].drive);
        CHECK(robot.tree.joints[0].dofs[0].drive->stiffness == 5);
        CHECK(robot.tree.joints[0].dofs[0].drive->damping == 0);
        CHECK(std::any_of(robot.losses.entries.begin(), robot.losses.entries.end(),
                          [](const Loss& l) { return l.code == "dampratio"; }));
    }
    // A force that rises with the speed is no servo.
    CHECK_FALSE(
        made(R"(<general joint="j" gainprm="4" biastype="affine" biasprm="0 -5 1"/>)").tree.joints[0].dofs[0].drive);
}

TEST_CASE("the position of a weld's relpose is the point of the first body that meets the anchor, as in MuJoCo")
{
    // eq_data 3 to 5 of mjEQ_WELD (mj_instantiateEqualities): xpos1 + xmat1 data[3:6] meets xpos2 + xmat2 anchor.
    const ReadRobot told = read(R"(<worldbody><body name="a"><freejoint/><geom size=".1"/></body>
        <body name="c" pos="1 0 0" euler="0 0 90"><freejoint/><geom size=".1"/></body></worldbody>
        <equality><weld name="e" body1="a" body2="c" anchor=".1 .2 0" relpose="1 0 0 1 0 0 0"/></equality>)");
    const auto      weld =
        std::find_if(told.tree.joints.begin(), told.tree.joints.end(), [](const Joint& j) { return j.loop; });
    REQUIRE(weld != told.tree.joints.end());
    CHECK(test::distance(weld->X_PJ.p, Vec3d{1, 0, 0}) < 1e-9);
    CHECK(test::distance(weld->X_CJ.p, Vec3d{0.1, 0.2, 0}) < 1e-9);
    CHECK(test::angle_between(weld->X_PJ.q * conjugate(weld->X_CJ.q), Quatd{}) < 1e-9);
    // Without relpose both are those of the start: the anchor turned by 90 degrees about z, from the second body.
    const ReadRobot start = read(R"(<worldbody><body name="a"><freejoint/><geom size=".1"/></body>
        <body name="c" pos="1 0 0" euler="0 0 90"><freejoint/><geom size=".1"/></body></worldbody>
        <equality><weld name="e" body1="a" body2="c" anchor=".1 .2 0"/></equality>)");
    const auto      held =
        std::find_if(start.tree.joints.begin(), start.tree.joints.end(), [](const Joint& j) { return j.loop; });
    REQUIRE(held != start.tree.joints.end());
    CHECK(test::distance(held->X_PJ.p, Vec3d{0.8, 0.1, 0}) < 1e-9);
}

TEST_CASE(
    "the law of an actuator comes from the last element of its kind or of <general> in the nearest class, as in MuJoCo")
{
    // What MuJoCo 3.17 compiles of each: gainprm[0] and biasprm[1].
    struct Case {
        const char *defaults, *actuator;
        double      gain, bias;
    };
    for (const Case& c :
         {Case{R"(<position kp="7"/><motor gear="3"/>)", R"(<position name="p" joint="j"/>)", 1, -1},
          Case{R"(<motor gear="3"/><position kp="7"/>)", R"(<position name="p" joint="j"/>)", 7, -7},
          Case{R"(<position kp="7" kv="2"/><velocity kv="3"/>)", R"(<position name="p" joint="j"/>)", 1, -1},
          Case{R"(<velocity kv="3"/>)", R"(<general name="p" joint="j"/>)", 3, 0},
          Case{R"(<position kp="7"/>)", R"(<motor name="p" joint="j"/>)", 1, 0},
          Case{R"(<position kp="7"/>)", R"(<general name="p" joint="j"/>)", 7, -7},
          Case{R"(<position kv="2"/>)", R"(<position name="p" joint="j" kp="7"/>)", 7, -7},
          Case{R"(<general gainprm="5" biasprm="0 -5 0" biastype="affine"/>)", R"(<position name="p" joint="j"/>)", 5,
               -5}}) {
        CAPTURE(c.defaults);
        CAPTURE(c.actuator);
        ReadRobot robot = read(
            std::string("<default>") + c.defaults +
            R"(</default><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body></worldbody><actuator>)" +
            c.actuator + "</actuator>");
        const auto actuator = std::find_if(robot.tree.prims.begin(), robot.tree.prims.end(),
                                           [](const VendorPrim& p) { return p.type == "MjcActuator"; });
        REQUIRE(actuator != robot.tree.prims.end());
        const auto first_two = [&](const char* name) {
            const auto at = std::find_if(actuator->extras.begin(), actuator->extras.end(),
                                         [&](const Extra& e) { return e.name == name; });
            REQUIRE(at != actuator->extras.end());
            double a = 0, b = 0;
            REQUIRE(std::sscanf(at->text.c_str(), "[%lf, %lf", &a, &b) == 2);
            return std::pair{a, b};
        };
        CHECK(first_two("mjc:gainPrm").first == doctest::Approx(c.gain));
        CHECK(first_two("mjc:biasPrm").second == doctest::Approx(c.bias));
    }
}

TEST_CASE("a model whose bodies are all made by MuJoCo is told by the element that makes them")
{
    const ReadRobot robot = read(
        R"(<worldbody><composite type="cable" curve="s" count="4 1 1" size="1" initial="none"><geom type="capsule" size=".01"/></composite></worldbody>)");
    CHECK(std::any_of(robot.found.begin(), robot.found.end(), [](const Diagnostic& d) {
        return d.id == kUnsupported.id && d.message.find("<composite>") != std::string::npos;
    }));
    CHECK(
        std::none_of(robot.found.begin(), robot.found.end(), [](const Diagnostic& d) { return d.id == kMissing.id; }));
}

TEST_CASE("an equality of joints counts from their references, a mimic from the zeros of their coordinates")
{
    // q1 - r1 = a0 + a1 (q2 - r2) (MuJoCo, equality/joint): q1 = 0.1 + 0.5 - 2 * 0.3 + 2 q2.
    const ReadRobot robot = read(
        R"(<compiler angle="radian"/><worldbody><body><joint name="j" type="slide" ref="0.5"/><geom size=".1"/></body>
        <body><joint name="k" axis="0 1 0" ref="0.3"/><geom size=".1"/></body></worldbody>
        <equality><joint joint1="j" joint2="k" polycoef="0.1 2 0 0 0"/></equality>)");
    const auto follower = std::find_if(robot.tree.joints.begin(), robot.tree.joints.end(),
                                       [](const Joint& j) { return j.mimic.has_value(); });
    REQUIRE(follower != robot.tree.joints.end());
    CHECK(follower->mimic->multiplier == doctest::Approx(2));
    CHECK(follower->mimic->offset == doctest::Approx(0).epsilon(1e-9));
}

TEST_CASE(
    "a body that floats stands in the frame of its inertia where the file asks for it, as MuJoCo's compiler has it")
{
    // Poses as MuJoCo 3.17 compiles them.
    const auto  robot  = read(R"(<compiler alignfree="true"/><worldbody>
<body name="a" pos="1 2 3" euler="10 20 30"><freejoint/><geom type="box" size=".1 .2 .3" pos=".4 0 .1" euler="0 50 20"/><geom type="sphere" size=".1" pos="0 .3 0"/></body>
<body name="b" pos="0 0 1"><freejoint align="false"/><geom type="box" size=".1 .2 .3" pos=".4 0 .1"/></body>
<body name="c" pos="0 0 2"><freejoint align="true"/><inertial pos=".1 .2 .3" mass="2" diaginertia=".1 .3 .2" euler="20 0 0"/><geom size=".1"/></body>
<body name="d" pos="0 0 3"><freejoint/><geom type="box" size=".1 .2 .3" pos=".4 0 .1"/><body><joint/><geom size=".1"/></body></body></worldbody>)");
    const Posed told[] = {{{1.3195357818722353, 2.204888397495244, 3.0174180487956876},
                           {0.6143070018124939, -0.2541548056069485, 0.665903074786736, -0.33853410064661776}},
                          {{0, 0, 1}, {}},
                          {{0.1, 0.2, 2.3}, {0.17364817766693033, 0, 0, 0.984807753012208}},
                          {{0, 0, 3}, {}}};
    for (std::size_t l = 0; l < 4; ++l) {
        const Link& link = robot.tree.links[l];
        CAPTURE(link.name);
        CHECK(length(link.X_WL.p - told[l].p) < 1e-9);
        CHECK(length((conjugate(told[l].q) * link.X_WL.q).xyz()) < 1e-9);
    }
    // The inertia lies along the axes, the largest moment first where shapes tell it.
    const Mat33d& I = robot.tree.links[0].inertial->inertia;
    CHECK(I(0, 0) == close_to(3.0911527315359173, 1e-9));
    CHECK(I(1, 1) == close_to(2.3810734809696132, 1e-9));
    CHECK(std::abs(I(0, 1)) < 1e-9);
    CHECK(length(robot.tree.links[0].inertial->com) < 1e-9);
    // What stands in the body stays where it is in the world.
    CHECK(length(robot.tree.links[2].X_WL * robot.tree.shapes[3].X_LS.p - Vec3d{0, 0, 2}) < 1e-9);
    CHECK(std::count_if(robot.losses.entries.begin(), robot.losses.entries.end(),
                        [](const Loss& l) { return l.code == "aligned-body"; }) == 2);
}

TEST_CASE("copies of <replicate> are turned by multiples of its angles, which are no powers of one turn")
{
    // Places and turns as MuJoCo 3.17 has them.
    const auto robot =
        read(R"(<worldbody><replicate count="4" offset=".5 0 .1" euler="30 20 0"><body name="r" pos="1 0 0"><joint/>
<geom size=".1" fromto="0 0 0 .3 0 0" type="capsule"/></body></replicate></worldbody>)");
    const Posed told[] = {{{1, 0, 0}, {}},
                          {{1.4396926207859084, 0.17101007166283433, -0.1961981327260238},
                           {0.25488700224417876, 0.16773125949652062, 0.044943455527547777, 0.9512512425641977}},
                          {{1.770092767844499, 0.5951908040185411, -0.2881131030713444},
                           {0.46984631039295416, 0.29619813272602386, 0.17101007166283433, 0.8137976813493738}},
                          {{1.9513493072536638, 1.116539613372876, -0.08911397849376065},
                           {0.6123724356957945, 0.35355339059327373, 0.3535533905932737, 0.6123724356957946}}};
    REQUIRE(robot.tree.links.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        CHECK(length(robot.tree.links[i].X_WL.p - told[i].p) < 1e-9);
        CHECK(length((conjugate(told[i].q) * robot.tree.links[i].X_WL.q).xyz()) < 1e-9);
    }
}

TEST_CASE("the law of an actuator starts from the record that its class has, with what its own kind takes of it")
{
    // Laws as MuJoCo 3.17 compiles them: gain, bias, dynamics and their kinds, the numbers without zeros behind.
    constexpr const char* kServo = "<position kp='7' kv='2'/>";
    constexpr const char* kGeneral =
        "<general gainprm='5' biastype='affine' biasprm='1 -5 -3' dyntype='filterexact' dynprm='.2'/>";
    struct {
        const char *defaults, *actuator, *gain, *bias, *dynamics, *kind;
    } table[] = {
        {kServo, "<position joint='j' kv='1'/>", "[7, 0", "[0, -7, -1, 0", "[1, 0", "none"},
        {kGeneral, "<position joint='j'/>", "[5, 0", "[0, -5, -3, 0", "[0.2, 0", "filterexact"},
        {kGeneral, "<intvelocity joint='j' actrange='-1 1'/>", "[5, 0", "[0, -5, -3, 0", "[0.2, 0", "integrator"},
        {kGeneral, "<cylinder joint='j'/>", "[5, 0", "[1, -5, -3, 0", "[0.2, 0", "filter"},
        {kGeneral, "<velocity joint='j'/>", "[5, 0", "[0, 0, -5, 0", "[1, 0", "none"},
        // Of several kinds the last one is the record of the class.
        {"<position kp='7'/><motor gear='3'/>", "<position joint='j'/>", "[1, 0", "[0, -1, 0", "[1, 0", "none"},
        {"<position kp='7'/><motor gear='3'/>", "<general joint='j'/>", "[1, 0", "[0, 0", "[1, 0", "none"},
        {"<muscle force='30' range='.5 1.5'/>", "<muscle joint='j' lengthrange='0 1'/>", "[0.5, 1.5, 30, 200",
         "[0.5, 1.5, 30, 200", "[0.01, 0.04, 0", "muscle"},
    };
    for (const auto& row : table) {
        CAPTURE(row.defaults);
        CAPTURE(row.actuator);
        const auto robot =
            read("<default>" + std::string(row.defaults) +
                 "</default><worldbody><body><joint name='j' range='-30 30'/><geom size='.1'/></body></worldbody>"
                 "<actuator>" +
                 std::string(row.actuator) + "</actuator>");
        REQUIRE(robot.tree.prims.size() == 1);
        const auto said = [&](const char* name) {
            for (const Extra& x : robot.tree.prims[0].extras)
                if (x.name == name) return x.text;
            return std::string();
        };
        CHECK(said("mjc:gainPrm").starts_with(row.gain));
        CHECK(said("mjc:biasPrm").starts_with(row.bias));
        CHECK(said("mjc:dynPrm").starts_with(row.dynamics));
        CHECK(said("mjc:dynType") == "\"" + std::string(row.kind) + "\"");
    }
}

TEST_CASE("a ball has no reference, whatever its class says of joints")
{
    const auto robot = read(
        "<default><joint ref='20'/></default><worldbody><body name='a' pos='0 0 1'><joint type='ball' name='b'/>"
        "<geom size='.1' pos='.2 0 0'/></body></worldbody>");
    REQUIRE(robot.tree.joints.size() == 1);
    CHECK(length(robot.tree.joints[0].X_CJ.q.xyz()) < 1e-12);
    CHECK(length(robot.tree.joints[0].X_PJ.q.xyz()) < 1e-12);
}
