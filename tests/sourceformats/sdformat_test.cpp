#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::sourceformats;
using mechane::test::close_to;
using mechane::test::distance;

namespace {

ReadRobot read_text(const std::string& body, const std::string& version = "1.9")
{
    auto read =
        read_robot_text("<?xml version=\"1.0\"?>\n<sdf version=\"" + version + "\">\n" + body + "\n</sdf>\n", ".");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
    return *std::move(read);
}

std::string said(const ReadRobot& r)
{
    std::string out;
    for (const Diagnostic& d : r.found) out += d.id + ": " + d.message + "\n";
    return out;
}

bool found(const ReadRobot& r, const Code& code)
{
    return std::any_of(r.found.begin(), r.found.end(), [&](const Diagnostic& d) { return d.id == code.id; });
}

bool lost(const ReadRobot& r, const std::string& code)
{
    return std::any_of(r.losses.entries.begin(), r.losses.entries.end(), [&](const Loss& l) { return l.code == code; });
}

const Link& link(const RobotTree& tree, const std::string& name)
{
    const auto at = std::find_if(tree.links.begin(), tree.links.end(), [&](const Link& l) { return l.name == name; });
    REQUIRE_MESSAGE(at != tree.links.end(), name);
    return *at;
}
const Joint& joint(const RobotTree& tree, const std::string& name)
{
    const auto at =
        std::find_if(tree.joints.begin(), tree.joints.end(), [&](const Joint& j) { return j.name == name; });
    REQUIRE_MESSAGE(at != tree.joints.end(), name);
    return *at;
}

/// Both ends of a joint say the same of its frame.
void check_closed(const RobotTree& tree)
{
    for (const Joint& j : tree.joints) {
        const Posed a = (j.parent >= 0 ? tree.links[static_cast<std::size_t>(j.parent)].X_WL : Posed{}) * j.X_PJ,
                    b = tree.links[static_cast<std::size_t>(j.child)].X_WL * j.X_CJ;
        CHECK(distance(a.p, b.p) < 1e-9);
        CHECK(test::angle_between(a.q, b.q) < 1e-7);
    }
}

}  // namespace

TEST_CASE("SDFormat: poses relative to other frames resolve along their chain (EXP-071)")
{
    // a at (1, 0, 0) turned by 90 degrees about z; f on a at (1, 0, 0) of a, which is (1, 1, 0); b relative to f at (0,
    // 0, 2).
    const auto r = read_text(R"(<model name="m">
      <frame name="f" attached_to="a"><pose>1 0 0 0 0 0</pose></frame>
      <frame name="g" attached_to="f"><pose degrees="true">0 1 0 0 0 90</pose></frame>
      <link name="a"><pose>1 0 0 0 0 1.5707963267948966</pose></link>
      <link name="b"><pose relative_to="f">0 0 2 0 0 0</pose></link>
      <link name="c"><pose relative_to="g">1 0 0 0 0 0</pose></link>
      <link name="d"><pose rotation_format="quat_xyzw" relative_to="j">0 0 0 0 0 1 0</pose></link>
      <joint name="j" type="fixed"><parent>a</parent><child>b</child><pose relative_to="c">0 0 1 0 0 0</pose></joint>
    </model>)");
    CHECK_MESSAGE(r.found.empty(), said(r));
    CHECK(distance(link(r.tree, "b").X_WL.p, Vec3d{1, 1, 2}) < 1e-9);
    // g stands at f + (0, 1) of f = (1, 1) + (-1, 0) = (0, 1), turned by 180 degrees altogether; c one before it.
    CHECK(distance(link(r.tree, "c").X_WL.p, Vec3d{-1, 1, 0}) < 1e-9);
    CHECK(distance(link(r.tree, "d").X_WL.p, Vec3d{-1, 1, 1}) < 1e-9);
    CHECK(test::angle_between(link(r.tree, "d").X_WL.q, Quatd{}) <
          1e-6);  // half a turn of the frame, and half a turn more
    CHECK(distance(joint(r.tree, "j").X_CJ.p, Vec3d{0, 2, -1}) < 1e-9);  // (-1, 1, 1) in b at (1, 1, 2), whose x is y
    check_closed(r.tree);
    REQUIRE(r.tree.sites.size() == 2);
    CHECK(distance(r.tree.sites[0].X_LS.p, Vec3d{1, 0, 0}) < 1e-9);
}

TEST_CASE("SDFormat: nested models stand where their model does, and placement frames are honoured (EXP-071)")
{
    const auto r = read_text(R"(<model name="outer">
      <pose>0 0 1 0 0 0</pose>
      <link name="base"/>
      <model name="arm" placement_frame="mount">
        <pose relative_to="base">2 0 0 0 0 0</pose>
        <link name="upper"><pose>0 0 3 0 0 0</pose></link>
        <frame name="mount" attached_to="upper"><pose>0 0 -1 0 0 0</pose></frame>
        <model name="hand"><pose>0 1 0 0 0 0</pose><link name="palm"/></model>
      </model>
      <joint name="j" type="revolute"><parent>base</parent><child>arm::upper</child><axis><xyz expressed_in="arm::hand::palm">0 0 1</xyz></axis></joint>
      <joint name="k" type="fixed"><parent>arm::hand</parent><child>base</child></joint>
    </model>)");
    CHECK_MESSAGE(r.found.empty(), said(r));
    // The mount stands at (2, 0, 0) of the base, so the arm's own frame is 2 lower.
    CHECK(distance(link(r.tree, "arm_upper").X_WL.p, Vec3d{2, 0, 2}) < 1e-9);
    CHECK(distance(link(r.tree, "arm_hand_palm").X_WL.p, Vec3d{2, 1, -1}) < 1e-9);
    CHECK(r.tree.joints.size() == 2);
    check_closed(r.tree);
}

TEST_CASE("SDFormat: a joint's frame is that of its child unless told, and its axis may be told in another frame")
{
    const auto r = read_text(R"(<model name="m">
      <link name="a"/>
      <link name="b"><pose>1 0 0 0 0 1.5707963267948966</pose></link>
      <link name="c"><pose>2 0 0 0 0 1.5707963267948966</pose></link>
      <joint name="in_child" type="prismatic"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz><limit><lower>-0.1</lower><upper>0.2</upper><effort>7</effort><velocity>3</velocity></limit><dynamics><damping>0.5</damping><friction>0.25</friction></dynamics></axis></joint>
      <joint name="in_model" type="revolute"><parent>b</parent><child>c</child><axis><xyz expressed_in="__model__">1 0 0</xyz><limit><lower>-1e16</lower><upper>inf</upper></limit></axis></joint>
    </model>)");
    CHECK_MESSAGE(r.found.empty(), said(r));
    const Joint& p = joint(r.tree, "in_child");
    CHECK(p.kind == Joint::Kind::prismatic);
    CHECK(distance(rotate(p.X_PJ.q, p.dofs[0].axis), Vec3d{0, 1, 0}) < 1e-9);
    CHECK(p.dofs[0].lower == -0.1);
    CHECK(p.dofs[0].upper == 0.2);
    CHECK(p.dofs[0].drive->max_force == 7);
    CHECK(*p.dofs[0].velocity_limit == 3);
    CHECK(*p.dofs[0].damping == 0.5);
    CHECK(*p.dofs[0].friction == 0.25);
    const Joint& q = joint(r.tree, "in_model");
    CHECK(distance(q.dofs[0].axis, Vec3d{0, -1, 0}) < 1e-9);  // the model's x in a frame that is turned by 90 degrees
    CHECK(std::isinf(q.dofs[0].lower));
    CHECK(std::isinf(q.dofs[0].upper));
}

TEST_CASE("SDFormat: before 1.7 an axis may be told in the model's frame, and a pose names its frame")
{
    const auto r = read_text(
        R"(<model name="m"><link name="a"/><link name="b"><pose frame="">0 0 0 0 0 1.5707963267948966</pose></link>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame></axis></joint></model>)",
        "1.6");
    CHECK_MESSAGE(r.found.empty(), said(r));
    CHECK(distance(joint(r.tree, "j").dofs[0].axis, Vec3d{0, -1, 0}) < 1e-9);
}

TEST_CASE("SDFormat: every type of joint is read or told as lost")
{
    std::string body    = "<model name=\"m\"><link name=\"l0\"/>";
    const char* types[] = {"fixed", "revolute", "continuous", "prismatic", "ball", "universal", "revolute2", "screw"};
    int         n       = 0;
    for (const char* type : types) {
        body += fmt::format(
            "<link name=\"l{1}\"/><joint name=\"{0}\" "
            "type=\"{0}\"><parent>l{2}</parent><child>l{1}</child><axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 "
            "0</xyz></axis2><thread_pitch>2</thread_pitch></joint>",
            type, n + 1, n);
        ++n;
    }
    body += fmt::format(
        "<link name=\"g\"/><joint name=\"gear\" "
        "type=\"gearbox\"><parent>l0</parent><child>g</child><gearbox_ratio>3</gearbox_ratio></joint><joint "
        "name=\"odd\" type=\"magnet\"><parent>l0</parent><child>g</child></joint></model>");
    const auto r = read_text(body);
    CHECK(joint(r.tree, "fixed").kind == Joint::Kind::fixed);
    CHECK(joint(r.tree, "revolute").kind == Joint::Kind::revolute);
    CHECK(joint(r.tree, "prismatic").kind == Joint::Kind::prismatic);
    CHECK(joint(r.tree, "ball").kind == Joint::Kind::ball);
    CHECK(joint(r.tree, "universal").dofs.size() == 2);
    CHECK(joint(r.tree, "revolute2").dofs.size() == 2);
    CHECK(joint(r.tree, "screw").kind == Joint::Kind::revolute);
    CHECK(lost(r, "screw"));
    CHECK(lost(r, "gearbox"));
    CHECK(found(r, kWord));  // magnet
}

TEST_CASE("SDFormat: inertia is turned by its pose, and what is not told is one kilogram")
{
    const auto r = read_text(R"(<model name="m">
      <link name="a"><inertial><pose>0.1 0.2 0.3 0 0 1.5707963267948966</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy></inertia></inertial></link>
      <link name="b"/></model>)");
    CHECK_MESSAGE(r.found.empty(), said(r));
    const Inertial& a = *link(r.tree, "a").inertial;
    CHECK(a.mass == 2);
    CHECK(distance(a.com, Vec3d{0.1, 0.2, 0.3}) < 1e-12);
    CHECK(a.inertia(0, 0) == close_to(2, 1e-9));
    CHECK(a.inertia(1, 1) == close_to(1, 1e-9));
    CHECK(a.inertia(0, 1) == close_to(-0.1, 1e-9));  // x' = y, y' = -x
    CHECK(link(r.tree, "b").inertial->mass == 1);
    CHECK(link(r.tree, "b").inertial->inertia(2, 2) == 1);
    CHECK(lost(r, "default-inertial"));
}

TEST_CASE("SDFormat 1.11: a mass may be computed from the collisions and their density")
{
    const auto r = read_text(R"(<model name="m"><link name="a"><inertial auto="true"><density>500</density></inertial>
      <collision name="c"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></collision></link></model>)",
                             "1.11");
    CHECK_MESSAGE(r.found.empty(), said(r));
    const Inertial& a = *link(r.tree, "a").inertial;
    CHECK(a.mass == close_to(3000, 1e-9));
    CHECK(a.com.z == close_to(1, 1e-9));
    CHECK(a.inertia(0, 0) == close_to(3000.0 / 12 * (4 + 9), 1e-9));
}

TEST_CASE("SDFormat: all kinds of shapes")
{
    const auto r     = read_text(R"(<model name="m"><link name="a">
      <visual name="box"><geometry><box><size>1 2 3</size></box></geometry></visual>
      <visual name="sphere"><geometry><sphere><radius>0.5</radius></sphere></geometry></visual>
      <visual name="cylinder"><geometry><cylinder><radius>0.5</radius><length>2</length></cylinder></geometry></visual>
      <visual name="capsule"><geometry><capsule><radius>0.5</radius><length>2</length></capsule></geometry></visual>
      <visual name="ellipsoid"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></visual>
      <visual name="cone"><geometry><cone><radius>1</radius><length>2</length></cone></geometry></visual>
      <collision name="plane"><geometry><plane><normal>1 0 0</normal><size>4 5</size></plane></geometry></collision>
      <visual name="plate"><geometry><plane><size>4 5</size></plane></geometry></visual>
      <collision name="poly"><geometry><polyline><point>0 0</point><point>2 0</point><point>2 1</point><point>0 1</point><height>3</height></polyline></geometry></collision>
      <visual name="none"><geometry><empty/></geometry></visual>
      <visual name="hills"><geometry><heightmap><uri>h.png</uri></heightmap></geometry></visual>
      <visual name="flat"><geometry><box><size>1 0 1</size></box></geometry></visual>
    </link></model>)");
    const auto shape = [&](const std::string& name) {
        const auto at =
            std::find_if(r.tree.shapes.begin(), r.tree.shapes.end(), [&](const Shape& s) { return s.name == name; });
        REQUIRE_MESSAGE(at != r.tree.shapes.end(), name);
        return *at;
    };
    CHECK(shape("box").size == Vec3d{0.5, 1, 1.5});
    CHECK(shape("sphere").size.x == 0.5);
    CHECK(shape("cylinder").size == Vec3d{0.5, 1, 0});
    CHECK(shape("capsule").kind == Shape::Kind::capsule);
    CHECK(shape("ellipsoid").size == Vec3d{1, 2, 3});
    CHECK(shape("cone").kind == Shape::Kind::mesh);
    CHECK(shape("plane").size == Vec3d{});  // what collides has no end
    CHECK(distance(rotate(shape("plane").X_LS.q, Vec3d{0, 0, 1}), Vec3d{1, 0, 0}) < 1e-9);
    CHECK(shape("plate").size == Vec3d{2, 2.5, 0});
    const MeshAsset& prism = r.tree.meshes[static_cast<std::size_t>(shape("poly").mesh)];
    CHECK(prism.points.size() == 8);
    CHECK(r.tree.shapes.size() == 9);
    CHECK(found(r, kUnsupported));  // heightmap
    CHECK(found(r, kShape));        // the flat box
}

TEST_CASE("SDFormat: friction, restitution, and masks of what meets what")
{
    const auto r = read_text(R"(<model name="m"><link name="a">
      <collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry><surface><friction><ode><mu>0.6</mu><mu2>0.6</mu2></ode></friction><bounce><restitution_coefficient>0.3</restitution_coefficient></bounce><contact><collide_bitmask>0x01</collide_bitmask></contact></surface></collision>
      <collision name="d"><geometry><sphere><radius>1</radius></sphere></geometry><surface><friction><ode><mu>0.6</mu><mu2>0.1</mu2></ode></friction><contact><collide_bitmask>2</collide_bitmask></contact></surface></collision>
      <collision name="e"><geometry><sphere><radius>1</radius></sphere></geometry></collision>
    </link></model>)");
    REQUIRE(r.tree.shapes.size() == 3);
    CHECK(r.tree.shapes[0].contact->dynamic_friction == 0.6);
    CHECK(r.tree.shapes[0].contact->restitution == 0.3);
    CHECK(lost(r, "two-frictions"));
    CHECK_FALSE(r.tree.shapes[2].contact);
    REQUIRE(r.tree.groups.size() == 3);
    const auto meets = [&](int a, int b) {
        for (std::size_t g = 0; g < 3; ++g)
            for (std::size_t h = 0; h < 3; ++h)
                if (std::count(r.tree.groups[g].shapes.begin(), r.tree.groups[g].shapes.end(), a) > 0 &&
                    std::count(r.tree.groups[h].shapes.begin(), r.tree.groups[h].shapes.end(), b) > 0)
                    return std::count(r.tree.groups[g].filtered.begin(), r.tree.groups[g].filtered.end(),
                                      static_cast<int>(h)) == 0;
        return true;
    };
    CHECK_FALSE(meets(0, 1));
    CHECK(meets(0, 2));
    CHECK(meets(1, 2));
}

TEST_CASE("SDFormat: colours, metal and transparency of a look")
{
    const auto r = read_text(
        R"(<model name="m"><link name="a"><visual name="v"><transparency>0.5</transparency><geometry><sphere><radius>1</radius></sphere></geometry>
      <material><ambient>1 0 0 1</ambient><diffuse>0.1 0.2 0.3 1</diffuse><emissive>0 0 0.5 1</emissive><pbr><metal><metalness>0.7</metalness><roughness>0.2</roughness></metal></pbr></material></visual></link></model>)");
    REQUIRE(r.tree.materials.size() == 1);
    const Material& m = r.tree.materials[0];
    CHECK(m.rgba == std::array<double, 4>{0.1, 0.2, 0.3, 0.5});
    CHECK(m.emission[2] == 0.5);
    CHECK(m.metallic == 0.7);
    CHECK(m.roughness == 0.2);
    CHECK(lost(r, "ambient"));
}

TEST_CASE("SDFormat 1.11: a joint that follows another, with its reference")
{
    const auto r = read_text(R"(<model name="m"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="follow" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><mimic joint="lead" axis="axis"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis></joint>
      <joint name="lead" type="revolute"><parent>a</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint></model>)",
                             "1.11");
    CHECK_MESSAGE(r.found.empty(), said(r));
    const Joint& f = joint(r.tree, "follow");
    REQUIRE(f.mimic);
    CHECK(r.tree.joints[static_cast<std::size_t>(f.mimic->joint)].name == "lead");
    CHECK(f.mimic->multiplier == 2);
    CHECK(f.mimic->offset == close_to(0.3, 1e-12));  // 2 (q - 0.1) + 0.5
}

TEST_CASE("SDFormat: a world has gravity, static models are part of it, and models are told apart")
{
    const auto r = read_text(
        R"(<world name="w"><gravity>0 0 -3.7</gravity><physics name="p" type="ode"><max_step_size>0.002</max_step_size></physics>
      <model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
      <model name="one"><pose>0 0 1 0 0 0</pose><link name="l"><kinematic>true</kinematic></link></model>
      <model name="two"><link name="l"/><joint name="j" type="fixed"><parent>world</parent><child>l</child></joint></model>
      <light name="sun" type="directional"><direction>1 0 0</direction><diffuse>1 1 0.5 1</diffuse></light>
    </world>)");
    CHECK_MESSAGE(r.found.empty(), said(r));
    CHECK(r.tree.scene->gravity->z == -3.7);
    CHECK(*r.tree.scene->timestep == 0.002);
    REQUIRE(r.tree.links.size() == 2);
    CHECK(link(r.tree, "one_l").kinematic);
    CHECK(link(r.tree, "one_l").X_WL.p.z == 1);
    REQUIRE(r.tree.shapes.size() == 1);
    CHECK(r.tree.shapes[0].link == -1);
    CHECK(joint(r.tree, "two_j").parent == -1);
    REQUIRE(r.tree.lights.size() == 1);
    CHECK(distance(rotate(r.tree.lights[0].X_LL.q, Vec3d{0, 0, -1}), Vec3d{1, 0, 0}) < 1e-9);
}

TEST_CASE("SDFormat: a camera looks along x with z up, and its field of view is the horizontal one")
{
    const auto r = read_text(
        R"(<model name="m"><link name="a"><sensor name="eye" type="camera"><pose>1 0 0 0 0 0</pose><camera><horizontal_fov>1.2</horizontal_fov><image><width>640</width><height>320</height></image></camera></sensor><sensor name="imu" type="imu"><update_rate>100</update_rate></sensor></link></model>)");
    REQUIRE(r.tree.cameras.size() == 1);
    const Camera& c = r.tree.cameras[0];
    CHECK(distance(rotate(c.X_LC.q, Vec3d{0, 0, -1}), Vec3d{1, 0, 0}) < 1e-9);
    CHECK(distance(rotate(c.X_LC.q, Vec3d{0, 1, 0}), Vec3d{0, 0, 1}) < 1e-9);
    CHECK(c.fovy == close_to(2 * std::atan(0.5 * std::tan(0.6)), 1e-9));
    REQUIRE(r.tree.sites.size() == 1);
    CHECK(lost(r, "sensor"));
}

TEST_CASE("SDFormat: models are included by file, folder and model://, with a name, a pose, and merged")
{
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "wheel");
    folder.write("wheel/model.config",
                 "<model><sdf version=\"1.5\">old.sdf</sdf><sdf version=\"1.9\">new.sdf</sdf></model>");
    folder.write(
        "wheel/new.sdf",
        "<sdf version=\"1.9\"><model name=\"wheel\"><link name=\"rim\"><pose>0 0 1 0 0 0</pose></link></model></sdf>");
    folder.write("wheel/old.sdf", "<sdf version=\"1.5\"><model name=\"wheel\"><link name=\"old\"/></model></sdf>");
    folder.write("part.sdf", "<sdf version=\"1.9\"><model name=\"part\"><link name=\"p\"/></model></sdf>");
    const std::string file = folder.write("robot.sdf", R"(<sdf version="1.9"><model name="robot"><link name="base"/>
      <include><uri>model://wheel</uri><name>left</name><pose relative_to="base">0 1 0 0 0 0</pose></include>
      <include><uri>wheel</uri><name>right</name><pose>0 -1 0 0 0 0</pose></include>
      <include merge="true"><uri>part.sdf</uri><pose>5 0 0 0 0 0</pose></include>
      <joint name="j" type="continuous"><parent>base</parent><child>left::rim</child><axis><xyz>0 1 0</xyz></axis></joint>
      <joint name="k" type="fixed"><parent>base</parent><child>p</child></joint>
    </model></sdf>)");
    const auto        r    = read_robot(file);
    REQUIRE(r);
    CHECK_MESSAGE(r->found.empty(), said(*r));
    CHECK(distance(link(r->tree, "left_rim").X_WL.p, Vec3d{0, 1, 1}) < 1e-9);
    CHECK(distance(link(r->tree, "right_rim").X_WL.p, Vec3d{0, -1, 1}) < 1e-9);
    CHECK(distance(link(r->tree, "p").X_WL.p, Vec3d{5, 0, 0}) < 1e-9);
    CHECK(r->tree.joints.size() == 2);
}

TEST_CASE("SDFormat: what closes a loop stays a loop joint, and a joint whose child is held already is turned")
{
    const auto r = read_text(
        R"(<model name="m"><link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link><link name="c"><pose>2 0 0 0 0 0</pose></link><link name="d"><pose>3 0 0 0 0 0</pose></link>
      <joint name="ab" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="bc" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="ca" type="revolute"><parent>c</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="dc" type="revolute"><parent>d</parent><child>c</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis></joint></model>)");
    CHECK_MESSAGE(r.found.empty(), said(r));
    CHECK(joint(r.tree, "ca").loop);
    const Joint& turned = joint(r.tree, "dc");
    CHECK_FALSE(turned.loop);
    CHECK(r.tree.links[static_cast<std::size_t>(turned.parent)].name == "c");
    CHECK(turned.dofs[0].axis.z == -1);
    CHECK(turned.dofs[0].upper == 2);
    check_closed(r.tree);
}

TEST_CASE("SDFormat: springs of joints and weightless links stand in MuJoCo's words")
{
    const auto  r      = read_text(R"(<model name="m"><link name="a"/><link name="b"><gravity>false</gravity></link>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><dynamics><spring_reference>0.5</spring_reference><spring_stiffness>3</spring_stiffness></dynamics></axis></joint></model>)");
    const auto& extras = joint(r.tree, "j").dofs[0].extras;
    REQUIRE(extras.size() == 2);
    CHECK(extras[0].name == "mjc:stiffness");
    CHECK(extras[0].text == "3");
    CHECK(std::stod(extras[1].text) == close_to(0.5 * 180 / kPi, 1e-9));
    CHECK(link(r.tree, "b").extras[0].name == "mjc:gravcomp");
}

TEST_CASE("SDFormat: what is fixed to the world and has no mass of its own is a part of it")
{
    const auto r = read_text(
        "<model name=\"m\"><link name=\"floor\"><collision name=\"c\"><geometry><box><size>1 1 "
        "1</size></box></geometry></collision></link><joint name=\"j\" "
        "type=\"fixed\"><parent>world</parent><child>floor</child></joint></model>");
    CHECK_FALSE(link(r.tree, "floor").inertial);
}

TEST_CASE("SDFormat: bad input gives findings with a line, and what can be read is read")
{
    SUBCASE("numbers that are none")
    {
        const auto r = read_text(
            "<model name=\"m\"><link name=\"a\"><pose>1 2 x 0 0 "
            "0</pose><inertial><mass>nan</mass></inertial></link>\n<link name=\"b\"><pose>0 0 nan 0 0 "
            "0</pose></link></model>");
        CHECK(r.tree.links.size() == 2);
        CHECK(found(r, kNumber));
        for (const Diagnostic& d : r.found) CHECK(d.site.line >= 3);
    }
    SUBCASE("frames in a circle")
    {
        const auto r = read_text(
            "<model name=\"m\"><link name=\"a\"><pose relative_to=\"f\">1 0 0 0 0 0</pose></link><frame "
            "name=\"f\"><pose relative_to=\"a\">0 0 0 0 0 0</pose></frame><frame name=\"g\" attached_to=\"h\"/><frame "
            "name=\"h\" attached_to=\"g\"/></model>");
        CHECK(found(r, kFrames));
        CHECK(r.tree.links.size() == 1);
    }
    SUBCASE("names that do not exist, twice, or not at all")
    {
        const auto r = read_text(
            "<model name=\"m\"><link name=\"a\"/><link name=\"a\"/><link/><joint name=\"j\" "
            "type=\"fixed\"><parent>a</parent><child>nobody</child></joint><joint "
            "type=\"fixed\"><parent>a</parent></joint></model>");
        CHECK(found(r, kDuplicate));
        CHECK(found(r, kUnknownName));
        CHECK(found(r, kMissing));
        CHECK(r.tree.links.size() == 3);
        CHECK(r.tree.joints.empty());
    }
    SUBCASE("a joint of a link with itself, a mass that is none, an inertia of no body")
    {
        const auto r = read_text(
            "<model name=\"m\"><link name=\"a\"><inertial><mass>-1</mass></inertial></link><link "
            "name=\"b\"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>9</izz></inertia></inertial></"
            "link><joint name=\"j\" type=\"ball\"><parent>a</parent><child>a</child></joint></model>");
        CHECK(found(r, kTree));
        CHECK(found(r, kInertia));
    }
    SUBCASE("includes that are missing, in a circle, or on a net")
    {
        const test::TemporaryFolder folder;
        folder.write("b.sdf",
                     "<sdf version=\"1.9\"><model name=\"b\"><include><uri>a.sdf</uri></include><link "
                     "name=\"l\"/></model></sdf>");
        const std::string file =
            folder.write("a.sdf",
                         "<sdf version=\"1.9\"><model "
                         "name=\"a\"><include><uri>b.sdf</uri></include><include><uri>nowhere.sdf</uri></"
                         "include><include><uri>https://example.org/m</uri></include></model></sdf>");
        const auto r = read_robot(file);
        REQUIRE(r);
        CHECK(std::count_if(r->found.begin(), r->found.end(),
                            [](const Diagnostic& d) { return d.id == kInclude.id; }) == 3);
        CHECK(r->tree.links.size() == 1);
    }
    SUBCASE("entities are refused")
    {
        const auto r = read_robot_text(
            "<?xml version=\"1.0\"?><!DOCTYPE sdf [<!ENTITY a \"b\">]><sdf version=\"1.9\"><model name=\"&a;\"/></sdf>",
            ".");
        REQUIRE_FALSE(r);
        CHECK(r.error().id == kXmlRefused.id);
    }
    SUBCASE("meshes that are missing")
    {
        const auto r = read_text(
            "<model name=\"m\"><link name=\"a\"><visual "
            "name=\"v\"><geometry><mesh><uri>model://nobody/x.dae</uri></mesh></geometry></visual></link></model>");
        CHECK(found(r, kMeshMissing));
    }
    SUBCASE("nothing in it")
    {
        const auto r = read_text("");
        CHECK(found(r, kMissing));
    }
    SUBCASE("chains of ten thousand frames")
    {
        std::string body = "<model name=\"m\"><link name=\"f0\"/>";
        for (int i = 1; i < 10000; ++i)
            body +=
                fmt::format("<frame name=\"f{}\"><pose relative_to=\"f{}\">0 0 0.001 0 0 0</pose></frame>", i, i - 1);
        const auto r =
            read_text(body + "<link name=\"end\"><pose relative_to=\"f9999\">0 0 0 0 0 0</pose></link></model>");
        CHECK(link(r.tree, "end").X_WL.p.z == close_to(9.999, 1e-9));
    }
}

TEST_CASE("SDFormat: a robot becomes a stage whose bodies stand where the links do")
{
    const auto read = read_text(
        R"(<model name="m"><link name="a"><pose>0 0 1 0 0 0</pose><collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link>
      <link name="b"><pose>0 0 2 0.1 0.2 0.3</pose></link><frame name="tool" attached_to="b"/>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint></model>)");
    LossReport losses;
    const auto made = to_usd(read.tree, Layout::single, losses);
    REQUIRE(made);
    const auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
    REQUIRE(stage);
    const auto b = usd::decompose((*stage)->world_matrix((*stage)->prim_at(usd::Path("/m/b"))));
    CHECK(distance(b.translation, Vec3d{0, 0, 2}) < 1e-6);
    CHECK((*stage)->prim_at(usd::Path("/m/j")).attribute("physics:upperLimit").get_or<double>(0) ==
          close_to(180 / kPi, 1e-5));
    CHECK((*stage)->prim_at(usd::Path("/m/b/tool")).has_api("RosFrameAPI"));
}

TEST_CASE("links of a model never touch each other, also where no joint connects them")
{
    const std::string link =
        "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>";
    const auto made = [&](const std::string& more) {
        auto robot = read_robot_text("<sdf version='1.9'><model name='m'><link name='a'>" + link + "<link name='b'>" +
                                         link + "<link name='c'>" + link +
                                         "<joint name='j' type='fixed'><parent>a</parent><child>b</child></joint>" +
                                         more + "</model></sdf>",
                                     ".");
        REQUIRE(robot);
        return std::move(robot->tree);
    };
    const auto shut = made("");
    CHECK_FALSE(shut.self_collision);
    CHECK(shut.exclusions.size() == 2);  // a and c, b and c; an articulation says it of a and b
    // What is moved from outside begins an articulation of its own.
    auto moved = read_robot_text("<sdf version='1.9'><model name='m'><link name='a'>" + link + "<link name='b'>" +
                                     link + "<link name='c'><kinematic>true</kinematic>" + link +
                                     "<joint name='j' type='fixed'><parent>a</parent><child>b</child></joint>"
                                     "<joint name='k' type='fixed'><parent>b</parent><child>c</child></joint>"
                                     "</model></sdf>",
                                 ".");
    REQUIRE(moved);
    CHECK(moved->tree.exclusions.size() == 2);
    const auto open = made("<self_collide>true</self_collide>");
    CHECK(open.self_collision);
    CHECK(open.exclusions.empty());
}

TEST_CASE("before version 1.5 the axes of joints are in the frame of the model")
{
    const std::string model =
        R"(<model name="m"><link name="a"/><link name="b"><pose>0 0 1 0 0 1.5707963267948966</pose></link>
        <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint></model>)";
    for (const auto& [version, axis] :
         {std::pair{"1.4", Vec3d{0, -1, 0}}, std::pair{"1.5", Vec3d{1, 0, 0}}, std::pair{"1.10", Vec3d{1, 0, 0}}}) {
        CAPTURE(version);
        const ReadRobot robot = read_text(model, version);
        CHECK(distance(joint(robot.tree, "j").dofs.at(0).axis, axis) < 1e-9);
    }
}

TEST_CASE("up to version 1.5 gravity is a value of the physics engine")
{
    const std::string world =
        R"(<world name="w"><physics type="ode"><gravity>0 0 -3</gravity></physics>OWN<model name="m"><link name="a"/></model></world>)";
    const auto with = [&](const std::string& own) {
        std::string text = world;
        return text.replace(text.find("OWN"), 3, own);
    };
    CHECK(read_text(with(""), "1.5").tree.scene->gravity->z == doctest::Approx(-3));
    CHECK(read_text(with("<gravity>0 0 -2</gravity>"), "1.5").tree.scene->gravity->z == doctest::Approx(-2));
    CHECK(read_text(with(""), "1.6").tree.scene->gravity->z == doctest::Approx(-9.8));
}

TEST_CASE("the computed mass of a cone is that of the round body, not of the mesh that stands for it")
{
    const ReadRobot robot =
        read_text(R"(<model name="m"><link name="a"><inertial auto="true"/><collision name="c"><density>500</density>
        <geometry><cone><radius>1</radius><length>2</length></cone></geometry></collision></link></model>)",
                  "1.11");
    const auto& inertial = link(robot.tree, "a").inertial;
    REQUIRE(inertial);
    const double m = 500 * std::numbers::pi * 2 / 3;
    CHECK(inertial->mass == doctest::Approx(m));
    CHECK(inertial->com.z == doctest::Approx(-0.5));  // a quarter of the height above the base at -1
    CHECK(inertial->inertia(2, 2) == doctest::Approx(0.3 * m));
    CHECK(inertial->inertia(0, 0) == doctest::Approx(3.0 / 80 * m * 8));
}

TEST_CASE("a camera keeps its pixels, its form and what it sees from near to far")
{
    const ReadRobot robot = read_text(R"(<model name="m"><link name="a"><sensor name="s" type="camera"><camera>
        <horizontal_fov>1.2</horizontal_fov><image><width>1280</width><height>720</height></image><clip><near>.2</near><far>30</far></clip>
        </camera></sensor></link></model>)");
    REQUIRE(robot.tree.cameras.size() == 1);
    const Camera& c = robot.tree.cameras[0];
    CHECK(c.pixels == std::array<double, 2>{1280, 720});
    CHECK(c.aspect == doctest::Approx(1280.0 / 720));
    REQUIRE(c.clip);
    CHECK(*c.clip == std::array<double, 2>{0.2, 30});
    CHECK(std::tan(0.5 * c.fovy) == doctest::Approx(std::tan(0.6) * 720 / 1280));
}
