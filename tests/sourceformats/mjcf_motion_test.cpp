// What the MJCF reader does with what changes the motion. Figures are those of MuJoCo 3.17 where they are no closed form.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::sourceformats;
using mechane::test::close_to;

namespace {

struct Opened {
    LossReport                        losses;
    Diagnostics                       found;
    RobotTree                         tree;
    std::shared_ptr<const usd::Stage> stage;
};

Opened opened(const std::string& inside)
{
    auto robot = read_robot_text("<mujoco>" + inside + "</mujoco>", ".");
    REQUIRE(robot);
    auto made = to_usd(robot->tree, Layout::single, robot->losses);
    REQUIRE(made);
    auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
    REQUIRE(stage);
    return {robot->losses, robot->found, robot->tree, *stage};
}

double number(const Opened& of, const std::string& path, const std::string& name)
{
    const auto v = of.stage->prim_at(usd::Path(path)).attribute(name).get<double>();
    REQUIRE(v);
    return *v;
}

bool authored(const Opened& of, const std::string& path, const std::string& name)
{ return of.stage->prim_at(usd::Path(path)).attribute(name).authored(); }

std::vector<Loss> losses(const Opened& of, const std::string& code)
{
    std::vector<Loss> out;
    for (const Loss& l : of.losses.entries)
        if (l.code == code) out.push_back(l);
    return out;
}

std::string free_body(const std::string& geom) { return "<worldbody><body name='a'><freejoint/>" + geom + "</body></worldbody>"; }
std::string hinged(const std::string& joint, const std::string& more = {})
{ return "<worldbody><body name='b'><joint name='j' axis='0 1 0' " + joint + "/><geom type='box' size='.2 .03 .1' pos='.1 0 0'/></body></worldbody>" + more; }

constexpr double kDegree = std::numbers::pi / 180;

}  // namespace

TEST_CASE("EXP-072: of a shape between two points MuJoCo takes the first size only")
{
    const double pi = std::numbers::pi, half = 0.5 * std::sqrt(0.05), r = 0.02;
    const struct { const char* type; double mass; } table[] = {
        {"box", 8000 * r * r * half}, {"ellipsoid", 4000 * pi / 3 * r * r * half}, {"cylinder", 2000 * pi * r * r * half}, {"capsule", 1000 * (2 * pi * r * r * half + 4 * pi / 3 * r * r * r)}};
    for (const auto& row : table)
        for (const char* size : {".02", ".02 .03", ".02 .03 .04", ".02 0", ".02 0 0"}) {
            CAPTURE(row.type);
            CAPTURE(size);
            const auto robot = opened(free_body(fmt::format("<geom type='{}' size='{}' fromto='0 0 0 .2 .1 0'/>", row.type, size)));
            REQUIRE(robot.tree.links[0].inertial);
            CHECK(robot.tree.links[0].inertial->mass == close_to(row.mass, 1e-9));
            const Vec3d got = robot.tree.shapes[0].size;
            CHECK(std::max(got.y, got.z) == close_to(half, 1e-12));
        }
}

TEST_CASE("EXP-072: the legacy mass of a concave mesh is counted from its centre of mass")
{
    // The prism of a dart. By tetrahedra to the middle of its surface its mass would be another.
    const std::string mesh = "<asset><mesh name='t' vertex='0 0 0 .3 -.2 0 .1 0 0 .3 .2 0 0 0 .1 .3 -.2 .1 .1 0 .1 .3 .2 .1' "
                             "face='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7'/></asset>";
    const auto robot = opened(mesh + free_body("<geom type='mesh' mesh='t'/>"));
    REQUIRE(robot.tree.links[0].inertial);
    const Inertial& in = *robot.tree.links[0].inertial;
    // MuJoCo keeps points as floats, hence seven digits.
    CHECK(in.mass == close_to(3.586202581319652, 1e-6));
    CHECK(test::distance(in.com, Vec3d{0.15948259316412239, 0, 0.05}) < 1e-7);
    CHECK(in.inertia(0, 0) == close_to(0.02848272270066148, 1e-6));
    CHECK(in.inertia(1, 1) == close_to(0.016339923190485318, 1e-6));
    CHECK(in.inertia(2, 2) == close_to(0.03990310977027555, 1e-6));
}

TEST_CASE("EXP-072: springs and dampers by time constant and damping ratio are those of MuJoCo's compiler")
{
    const auto one = opened(hinged("springdamper='0.2 0.7'"));
    // A box of 4.8 kg about an axis 0.1 m beside its middle: I = m (0.4^2 + 0.2^2) / 12 + m 0.1^2 = 0.128 kg m^2.
    CHECK(number(one, "/robot/j", "mjc:stiffness") == close_to(0.128 / (0.14 * 0.14), 1e-12));
    CHECK(number(one, "/robot/j", "newton:damping") == close_to(2 * 0.128 / 0.2 * kDegree, 1e-6));
    CHECK(!authored(one, "/robot/j", "mjc:springdamper"));
    REQUIRE(losses(one, "springdamper").size() == 1);
    CHECK(losses(one, "springdamper")[0].action == LossAction::converted);

    const auto tree = opened(R"(<worldbody>
<body name='a' pos='0 0 1'><joint name='h' axis='0 1 0' armature='.02' springdamper='.2 .7'/><geom type='box' size='.2 .03 .1' pos='.1 0 0'/>
<body name='b' pos='.3 0 .1' euler='10 20 30'><joint name='s' type='slide' axis='1 .5 0' springdamper='.1 1'/><joint name='h2' pos='0 .05 0' axis='1 0 0' springdamper='.3 2'/><geom type='capsule' size='.03 .1' pos='0 0 .1'/>
<body name='c' pos='0 .1 0'><joint name='ball' type='ball' springdamper='.2 .5'/><geom size='.05' pos='.1 0 0'/></body></body></body>
<body name='f' pos='1 2 3' euler='0 40 0'><freejoint/><geom type='box' size='.1 .1 .1'/><body name='g' pos='.1 0 0'><joint name='k' axis='0 0 1' ref='30' springdamper='.25 1'/><geom type='box' size='.1 .02 .02' pos='.1 0 0'/></body></body>
</worldbody>)");
    const struct { const char* name; double stiffness, damping; } table[] = {{"h", 9.323835841567357, 1.8274718249472022}, {"s", 84.02777925106965, 16.80555585021393},
        {"h2", 0.022908833529905043, 0.0549812004717721}, {"ball", 0.11995600577100517, 0.011995600577100519}, {"k", 0.054335070639525494, 0.027167535319762747}};
    for (const auto& row : table) {
        CAPTURE(row.name);
        const Dof* dof = nullptr;
        for (const Joint& j : tree.tree.joints)
            for (const Dof& d : j.dofs)
                if (d.name == row.name) dof = &d;
        REQUIRE(dof != nullptr);
        CHECK(dof->damping.value_or(0) == close_to(row.damping, 1e-9));
        const auto at = std::find_if(dof->extras.begin(), dof->extras.end(), [](const Extra& e) { return e.name == "mjc:stiffness"; });
        REQUIRE(at != dof->extras.end());
        CHECK(std::stod(at->text) == close_to(row.stiffness, 1e-9));
    }
    CHECK(opened(hinged("springdamper='0.2 -1'")).found.find(kNumber.id) != nullptr);
}

TEST_CASE("EXP-072: pivots of each of several joints and the armature of a free joint count for what a spring moves")
{
    // Stiffness and damping as MuJoCo 3.17 compiles them.
    const auto tree = opened(R"(<worldbody><body name='a'><joint name='h' axis='0 1 0' springdamper='.2 .7'/><joint name='k' axis='1 0 0' pos='.1 .05 .2' springdamper='.1 1'/>
<geom type='box' size='.2 .03 .1' pos='.1 0 0'/></body><body name='f' pos='1 2 3' euler='0 40 0'><joint type='free' armature='.5'/><geom type='box' size='.1 .1 .1'/>
<body name='g' pos='.1 0 0'><joint name='s' axis='0 0 1' springdamper='.25 1'/><geom type='box' size='.1 .02 .02' pos='.1 0 0'/></body></body></worldbody>)");
    const struct { const char* name; double stiffness, damping; } table[] = {{"h", 6.397900200542646, 1.2539884393063587}, {"k", 21.694, 4.3388},
        {"s", 0.06559678405499265, 0.03279839202749633}};
    for (const auto& row : table) {
        CAPTURE(row.name);
        const Dof* dof = nullptr;
        for (const Joint& j : tree.tree.joints)
            for (const Dof& d : j.dofs)
                if (d.name == row.name) dof = &d;
        REQUIRE(dof != nullptr);
        CHECK(dof->damping.value_or(0) == close_to(row.damping, 1e-9));
        const auto at = std::find_if(dof->extras.begin(), dof->extras.end(), [](const Extra& e) { return e.name == "mjc:stiffness"; });
        REQUIRE(at != dof->extras.end());
        CHECK(std::stod(at->text) == close_to(row.stiffness, 1e-9));
    }
}

TEST_CASE("flags that turn something off are honoured, or said")
{
    const std::string world = "<worldbody><geom type='plane' size='5 5 .1'/><body name='b' pos='0 0 1'><joint name='j' range='-10 20' damping='2' frictionloss='3' stiffness='4'/><geom size='.1'/></body></worldbody>"
                              "<actuator><position joint='j' kp='5'/></actuator>";
    const auto with = [&](const std::string& flag) { return opened("<option><flag " + flag + "/></option>" + world); };
    const auto plain = with("contact='enable'");
    CHECK(losses(plain, "flag").empty());
    CHECK(std::isfinite(number(plain, "/robot/j", "physics:upperLimit")));
    const auto no_contact = with("contact='disable'");
    const auto colliders  = [](const Opened& of) {
        int on = 0, all = 0;
        for (const usd::Prim& p : of.stage->traverse())
            if (p.has_api("PhysicsCollisionAPI")) ++all, on += p.attribute("physics:collisionEnabled").get<bool>().value_or(true) ? 1 : 0;
        return std::pair{on, all};
    };
    CHECK(colliders(plain) == std::pair{2, 2});
    CHECK(colliders(no_contact) == std::pair{0, 2});
    REQUIRE(losses(no_contact, "flag").size() == 1);
    CHECK(losses(no_contact, "flag")[0].action == LossAction::converted);
    // The flag is in the report, so it is no value that was simply kept.
    CHECK(no_contact.losses.kept + 1 == plain.losses.kept);
    CHECK(std::isinf(number(with("limit='disable'"), "/robot/j", "physics:upperLimit")));
    CHECK(!authored(with("frictionloss='disable'"), "/robot/j", "newton:friction"));
    CHECK(!authored(with("damper='disable'"), "/robot/j", "newton:damping"));
    CHECK(!authored(with("spring='disable'"), "/robot/j", "mjc:stiffness"));
    CHECK(!authored(with("actuation='disable'"), "/robot/j", "drive:angular:physics:stiffness"));
    const auto none = with("constraint='disable'");
    CHECK(colliders(none).first == 0);
    CHECK(std::isinf(number(none, "/robot/j", "physics:lowerLimit")));
    CHECK(!authored(none, "/robot/j", "newton:friction"));
    CHECK(authored(none, "/robot/j", "newton:damping"));
    const auto other = with("refsafe='disable' warmstart='disable' override='enable'");
    REQUIRE(losses(other, "flag").size() == 3);
    for (const Loss& l : losses(other, "flag")) CHECK(l.motion == (l.what != "option/flag/warmstart"));
}

TEST_CASE("gravity compensation is no kept value")
{
    const auto robot = opened("<worldbody><body name='b' gravcomp='0.5'><joint/><geom size='.1'/></body></worldbody>");
    const auto told  = losses(robot, "gravcomp");
    REQUIRE(told.size() == 1);
    CHECK(told[0].severity == Severity::warning);
    CHECK(number(robot, "/robot/b", "mjc:gravcomp") == 0.5);
}

TEST_CASE("a constant force beside a spring moves the drive's target; alone it is no drive")
{
    const auto with = [](const std::string& actuator) { return opened(hinged("", "<actuator>" + actuator + "</actuator>")); };
    // 20 - 300 q - 10 qd = 300 (20 / 300 - q) - 10 qd
    const auto robot = with("<general joint='j' gainprm='300' biastype='affine' biasprm='20 -300 -10'/>");
    CHECK(number(robot, "/robot/j", "drive:angular:physics:stiffness") == close_to(300 * kDegree, 1e-6));
    CHECK(number(robot, "/robot/j", "drive:angular:physics:damping") == close_to(10 * kDegree, 1e-6));
    CHECK(number(robot, "/robot/j", "drive:angular:physics:targetPosition") == close_to(20.0 / 300 / kDegree, 1e-6));
    CHECK(losses(robot, "actuator").empty());
    // With a gear of 2 the force on the joint is 2 (20 - 600 q) = 1200 (1 / 30 - q).
    const auto geared = with("<general joint='j' gear='2' biastype='affine' biasprm='20 -300 0'/>");
    CHECK(number(geared, "/robot/j", "drive:angular:physics:stiffness") == close_to(1200 * kDegree, 1e-6));
    CHECK(number(geared, "/robot/j", "drive:angular:physics:targetPosition") == close_to(1.0 / 30 / kDegree, 1e-6));
    for (const char* law : {"20 0 -10", "0 300 0", "0 0 10"}) {
        CAPTURE(law);
        const auto no = with(fmt::format("<general joint='j' biastype='affine' biasprm='{}'/>", law));
        REQUIRE(losses(no, "actuator").size() == 1);
        CHECK(losses(no, "actuator")[0].motion);
    }
}

TEST_CASE("who opens MJCF is told once a kind what changes the motion")
{
    let_stages_open_robots();
    const test::TemporaryFolder folder;
    const std::string body = "<body name='{0}'><joint name='{0}j' axis='0 1 0'/><geom type='box' size='.1 .03 .02'/></body>";
    const std::string file = folder.write("tendons.xml", "<mujoco><option density='1.2'/><worldbody>" + fmt::format(fmt::runtime(body), "a") + fmt::format(fmt::runtime(body), "b") +
                               "</worldbody><tendon><fixed name='t' stiffness='10'><joint joint='aj' coef='1'/></fixed><fixed name='u' stiffness='10'><joint joint='bj' coef='1'/></fixed></tendon>"
                               "<actuator><position tendon='t' kp='50'/><position tendon='u' kp='50'/></actuator></mujoco>");
    const auto stage = usd::Stage::open(file);
    REQUIRE(stage);
    int told = 0;
    for (const Diagnostic& d : (*stage)->diagnostics()) told += d.id == kLost.id ? 1 : 0;
    CHECK(told == 3);  // the fluid, the tendons, their actuators
}
