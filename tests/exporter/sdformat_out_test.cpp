#include "support/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "exporter/usda.h"
#include "mechane/exporter/export.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"

using namespace mechane;
using namespace mechane::exporter;
namespace sf = mechane::sourceformats;
using mechane::test::close_to;
using mechane::test::distance;

namespace {

sf::RobotTree tree_of(const std::string& usda)
{
    const auto stage = usd::Stage::open_text(
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    defaultPrim = \"r\"\n)\n" + test::spread(usda));
    REQUIRE(stage);
    auto robot = robot_of_stage(**stage);
    REQUIRE(robot);
    return std::move(robot->tree);
}

struct Text {
    std::string                   text;
    sf::LossReport                losses;
    [[nodiscard]] bool            has(const std::string& what) const { return text.find(what) != std::string::npos; }
    [[nodiscard]] const sf::Loss* loss(const std::string& code) const
    {
        const auto found = std::find_if(losses.entries.begin(), losses.entries.end(),
                                        [&](const sf::Loss& l) { return l.code == code; });
        return found == losses.entries.end() ? nullptr : &*found;
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

sf::RobotTree read_back(const std::string& text)
{
    auto again = sf::read_robot_text(text, ".");
    REQUIRE(again);
    for (const Diagnostic& d : again->found) MESSAGE(d.id << " " << d.message);
    CHECK(again->found.empty());
    return std::move(again->tree);
}

const char* const kBody =
    "(prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]) { float physics:mass = 2\n float3 "
    "physics:diagonalInertia = (1, 1, 1)\n point3f physics:centerOfMass = (0, 0, 0)\n ";

std::string box(const std::string& name, const std::string& more = {})
{
    return "def Cube \"" + name + "\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"" +
           (more.empty() ? "" : ", \"MaterialBindingAPI\"") + "]) { " + more + " }\n";
}

/// A chain of links by joints of all kinds, with random frames, as SDFormat.
std::string chain(Random& random)
{
    const auto  u    = [&] { return random.uniform(-1.0, 1.0); };
    const auto  pose = [&] { return fmt::format("{} {} {} {} {} {}", u(), u(), u(), u(), u(), u()); };
    std::string out =
        "<sdf version=\"1.11\"><model name=\"r\"><self_collide>true</self_collide><link name=\"l0\"><pose>" + pose() +
        "</pose><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1.1</iyy><izz>1.2</izz></inertia></inertial></link>";
    const char* kinds[] = {"revolute", "prismatic", "fixed", "continuous", "ball"};
    for (int i = 1; i <= 10; ++i) {
        const std::string kind = kinds[static_cast<std::size_t>(random.uniform(0.0, 4.999))];
        out += fmt::format(
            "<link name=\"l{0}\"><pose relative_to=\"l{1}\">{2}</pose><inertial><pose>{3} {4} {5} 0 0 "
            "0</pose><mass>{6}</mass><inertia><ixx>1</ixx><iyy>1.2</iyy><izz>1.5</izz><ixy>0.1</ixy><iyz>-0.05</iyz></"
            "inertia></inertial></link>",
            i, i - 1, pose(), u(), u(), u(), 1 + std::abs(u()));
        out += fmt::format("<joint name=\"j{0}\" type=\"{1}\"><pose>{2}</pose><parent>l{3}</parent><child>l{0}</child>",
                           i, kind, pose(), i - 1);
        if (kind != "fixed" && kind != "ball")
            out += fmt::format(
                "<axis><xyz>{} {} {}</xyz>{}<dynamics><damping>{}</damping><friction>{}</friction></dynamics></axis>",
                u(), u(), 0.1 + std::abs(u()),
                kind == "continuous"
                    ? ""
                    : fmt::format(
                          "<limit><lower>{}</lower><upper>{}</upper><effort>{}</effort><velocity>{}</velocity></limit>",
                          -std::abs(u()), std::abs(u()), 5 + u(), 3 + u()),
                std::abs(u()), std::abs(u()));
        out += "</joint>";
    }
    return out + "</model></sdf>";
}

}  // namespace

TEST_CASE(
    "SDFormat that goes through USD and out again has the same links, masses, joints and limits (EXP-051, EXP-074)")
{
    test::for_seeds(12, [](Random& random) {
        auto read = sf::read_robot_text(chain(random), ".");
        REQUIRE(read);
        CHECK(read->found.empty());
        auto made = sf::to_usd(read->tree, sf::Layout::single, read->losses);
        REQUIRE(made);
        const auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
        REQUIRE(stage);
        auto robot = robot_of_stage(**stage);
        REQUIRE(robot);
        const sf::RobotTree  back = read_back(written(robot->tree, Format::sdformat).text);
        const sf::RobotTree& from = read->tree;
        REQUIRE(back.links.size() == from.links.size());
        REQUIRE(back.joints.size() == from.joints.size());
        CHECK(back.self_collision == from.self_collision);
        for (const sf::Link& l : from.links) {
            const auto m =
                std::find_if(back.links.begin(), back.links.end(), [&](const sf::Link& x) { return x.name == l.name; });
            REQUIRE(m != back.links.end());
            CHECK(distance(m->X_WL.p, l.X_WL.p) < 2e-6);
            CHECK(test::angle_between(m->X_WL.q, l.X_WL.q) < 2e-6);
            CHECK(m->inertial->mass == close_to(l.inertial->mass, 1e-6));
            CHECK(distance(m->inertial->com, l.inertial->com) < 1e-6);
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b)
                    CHECK(m->inertial->inertia(a, b) == close_to(l.inertial->inertia(a, b), 1e-5));
        }
        for (const sf::Joint& j : from.joints) {
            const auto k = std::find_if(back.joints.begin(), back.joints.end(),
                                        [&](const sf::Joint& x) { return x.name == j.name; });
            REQUIRE(k != back.joints.end());
            CHECK(k->kind == j.kind);
            CHECK(distance(k->X_CJ.p, j.X_CJ.p) < 2e-6);
            if (j.dofs.size() != 1 || k->dofs.size() != 1) continue;
            const sf::Dof &a = j.dofs[0], &b = k->dofs[0];
            CHECK(distance(rotate(k->X_CJ.q, b.axis), rotate(j.X_CJ.q, a.axis)) < 2e-6);
            if (std::isfinite(a.lower)) CHECK(b.lower == close_to(a.lower, 1e-6));
            if (std::isfinite(a.upper)) CHECK(b.upper == close_to(a.upper, 1e-6));
            CHECK(b.damping.value_or(0) == close_to(a.damping.value_or(0), 1e-6));
            CHECK(b.friction.value_or(0) == close_to(a.friction.value_or(0), 1e-6));
            if (a.velocity_limit) CHECK(b.velocity_limit.value_or(0) == close_to(*a.velocity_limit, 1e-6));
            if (a.drive) CHECK(b.drive->max_force == close_to(a.drive->max_force, 1e-6));
        }
    });
}

TEST_CASE("frames of ROS become links without mass on fixed joints in URDF, and frames in SDFormat (EXP-046)")
{
    const auto tree = tree_of(std::string("def Xform \"r\" { def Xform \"a\" ") + kBody + box("c") +
                              "def Xform \"tool\" (prepend apiSchemas = [\"RosFrameAPI\"]) { double3 xformOp:translate "
                              "= (0, 0, 1)\n uniform token[] xformOpOrder = [\"xformOp:translate\"] } } }");
    const Text urdf = written(tree, Format::urdf), sdf = written(tree, Format::sdformat);
    CHECK(urdf.has("<link name=\"tool\"/>"));
    CHECK(urdf.has("type=\"fixed\""));
    CHECK(sdf.has("<frame name=\"tool\" attached_to=\"a\">"));
    const auto back = read_back(sdf.text);
    REQUIRE(back.sites.size() == 1);
    CHECK(distance(back.sites[0].X_LS.p, Vec3d{0, 0, 1}) < 1e-9);
}

namespace {

const std::string kPair =
    std::string("def Xform \"r\" { def Xform \"a\" ") + kBody + "}\n def Xform \"b\" " + kBody + "}\n";
std::string hinge(const std::string& name, const std::string& more = {}, const std::string& apis = {})
{
    return "def PhysicsRevoluteJoint \"" + name + "\" " +
           (apis.empty() ? "" : "(prepend apiSchemas = [" + apis + "]) ") +
           "{ rel physics:body0 = </r/a>\n rel physics:body1 = </r/b>\n uniform token physics:axis = \"Z\"\n " + more +
           " }\n";
}

}  // namespace

TEST_CASE(
    "a frame of the world that carries shapes is held by the world in SDFormat, where it would fall as a link of its "
    "own")
{
    const std::string stands = R"(def Xform "r" { def Xform "stand" (prepend apiSchemas = ["RosFrameAPI"]) {
            def Cube "c" { double size = 1 } } MORE })";
    const auto        text   = [&](const std::string& more) {
        std::string stage = stands;
        return written(tree_of(stage.replace(stage.find("MORE"), 4, more)), Format::sdformat);
    };
    const Text alone = text("");
    CHECK(alone.has("<joint name=\"stand_anchor\" type=\"fixed\">"));
    const sf::RobotTree back = read_back(alone.text);
    REQUIRE(!back.links.empty());
    CHECK(std::any_of(back.joints.begin(), back.joints.end(), [](const sf::Joint& j) { return j.parent < 0; }));
    // What is fixed to a body moves with it.
    const Text held =
        text(R"(def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) { float physics:mass = 1
            def Xform "tip" (prepend apiSchemas = ["RosFrameAPI"]) { def Cube "c" { double size = 1 } } })");
    CHECK(held.has("stand_anchor"));
    CHECK(!held.has("tip_anchor"));
}

TEST_CASE(
    "what hangs on a frame of the world hangs on the world in SDFormat, where a loose frame moves with the first link")
{
    const Text text = written(tree_of(R"(def Xform "r" { def Xform "place" (prepend apiSchemas = ["RosFrameAPI"]) {
            def Xform "stand" (prepend apiSchemas = ["RosFrameAPI"]) { def Cube "c" { double size = 1 } } }
        def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) { float physics:mass = 1 }
        def PhysicsRevoluteJoint "j" { rel physics:body1 = </r/b> } })"),
                              Format::sdformat);
    const sf::RobotTree back = read_back(text.text);
    for (const sf::Joint& j : back.joints) {
        CAPTURE(j.name);
        CHECK(!j.loop);
        CHECK(j.parent < 0);
    }
    CHECK(back.joints.size() == 2);
}

TEST_CASE("names of joints for ROS are those of the robot's joints in every format (EXP-048)")
{
    const auto tree =
        tree_of(kPair + hinge("j", "custom string ros:joint:name = \"elbow\"\n", "\"RosJointAPI\"") + "}");
    for (const Format format : {Format::urdf, Format::sdformat, Format::mjcf})
        CHECK(written(tree, format).has("\"elbow\""));
}

TEST_CASE("a joint that closes a loop is an error of URDF's report, and is kept in SDFormat and MJCF (EXP-049)")
{
    const auto tree =
        tree_of(kPair + hinge("j") + hinge("loop", "uniform bool physics:excludeFromArticulation = true\n") + "}");
    const Text urdf = written(tree, Format::urdf), sdf = written(tree, Format::sdformat),
               mjcf = written(tree, Format::mjcf);
    CHECK_FALSE(urdf.has("\"loop\""));
    CHECK(std::any_of(urdf.losses.entries.begin(), urdf.losses.entries.end(),
                      [](const sf::Loss& l) { return l.severity == Severity::error && l.category == "kinematics"; }));
    CHECK(sdf.has("<joint name=\"loop\""));
    CHECK(mjcf.has("<equality>"));
}

TEST_CASE(
    "a joint that follows another selects SDFormat 1.11, and is an error below (EXP-052); in MJCF it is an equality "
    "(EXP-060)")
{
    const std::string usda =
        "def Xform \"r\" { def Xform \"a\" " + std::string(kBody) + "}\n def Xform \"b\" " + kBody +
        "}\n def Xform \"c\" " + kBody + "}\n" + hinge("lead") +
        "def PhysicsRevoluteJoint \"follow\" (prepend apiSchemas = [\"ExtendedPhysicsMimicAPI\"]) { rel physics:body0 "
        "= </r/a>\n rel physics:body1 = </r/c>\n uniform token physics:axis = \"Z\"\n rel ext_physics:mimic:joint = "
        "</r/lead>\n float ext_physics:mimic:multiplier = 2\n float ext_physics:mimic:offset = 90 } }";
    const auto tree   = tree_of(usda);
    const Text newest = written(tree, Format::sdformat);
    CHECK(newest.has("<sdf version=\"1.11\">"));
    const auto back = read_back(newest.text);
    const auto follow =
        std::find_if(back.joints.begin(), back.joints.end(), [](const sf::Joint& j) { return j.name == "follow"; });
    REQUIRE(follow != back.joints.end());
    REQUIRE(follow->mimic);
    CHECK(follow->mimic->multiplier == close_to(2, 1e-6));
    CHECK(follow->mimic->offset == close_to(std::numbers::pi / 2, 1e-6));
    WriteOptions options;
    options.sdf_version = "1.9";
    const Text older    = written(tree, Format::sdformat, options);
    CHECK(older.loss("mimic") != nullptr);
    CHECK_FALSE(older.has("<mimic"));
    const Text mjcf = written(tree, Format::mjcf);
    CHECK(mjcf.has("joint1=\"follow\""));
    CHECK(mjcf.has("joint2=\"lead\""));
    const std::size_t at = mjcf.text.find("polycoef=\"");
    REQUIRE(at != std::string::npos);
    CHECK(std::stod(mjcf.text.substr(at + 10)) == close_to(std::numbers::pi / 2, 1e-6));
}

TEST_CASE("SDFormat has one coefficient of friction, and the report says what the other was (EXP-053)")
{
    const auto look = [](double s, double d) {
        return fmt::format(
            "def Material \"m\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) {{ float physics:staticFriction = {}\n "
            "float physics:dynamicFriction = {} }} }}",
            s, d);
    };
    const std::string body = std::string("def Xform \"r\" { def Xform \"a\" ") + kBody +
                             box("c", "rel material:binding:physics = </r/m>") + "}\n";
    const Text        both = written(tree_of(body + look(0.8, 0.5)), Format::sdformat),
                      one  = written(tree_of(body + look(0.5, 0.5)), Format::sdformat);
    for (const Text* t : {&both, &one}) {
        CHECK(t->has("<mu>0.5</mu>"));
        CHECK(t->has("<mu2>0.5</mu2>"));
    }
    REQUIRE(both.loss("static-friction") != nullptr);
    CHECK(std::stod(both.loss("static-friction")->source_value) == close_to(0.8, 1e-6));
    CHECK(one.loss("static-friction") == nullptr);
}

TEST_CASE("collision groups become masks with the same pairs, or the report names the pair (EXP-054)")
{
    test::for_seeds(40, [](Random& random) {
        sf::RobotTree tree;
        tree.links.push_back({});
        tree.links[0].name     = "a";
        tree.links[0].inertial = sf::Inertial{1, {}, Mat33d::identity(), true, {}};
        const int n            = 2 + static_cast<int>(random.uniform(0.0, 4.0));
        for (int i = 0; i < n; ++i) {
            sf::Shape s;
            s.name = fmt::format("s{}", i), s.link = 0, s.kind = sf::Shape::Kind::sphere, s.size = {1, 1, 1},
            s.collider = true, s.visual = false;
            tree.shapes.push_back(s);
            tree.groups.push_back({fmt::format("g{}", i), {i}, {}});
        }
        std::vector<std::vector<bool>> meets(static_cast<std::size_t>(n),
                                             std::vector<bool>(static_cast<std::size_t>(n), true));
        for (std::size_t a = 0; a < meets.size(); ++a)
            for (std::size_t b = a; b < meets.size(); ++b)
                if (random.uniform(0.0, 1.0) < 0.4)
                    meets[a][b] = meets[b][a] = false, tree.groups[a].filtered.push_back(static_cast<int>(b));
        const Text          text = written(tree, Format::sdformat);
        const sf::RobotTree back = read_back(text.text);
        const auto          said = [&](std::size_t a, std::size_t b) {
            for (const sf::CollisionGroup& g : back.groups)
                for (std::size_t h = 0; h < back.groups.size(); ++h)
                    if (std::count(g.shapes.begin(), g.shapes.end(), static_cast<int>(a)) > 0 &&
                        std::count(back.groups[h].shapes.begin(), back.groups[h].shapes.end(), static_cast<int>(b)) >
                            0 &&
                        std::count(g.filtered.begin(), g.filtered.end(), static_cast<int>(h)) > 0)
                        return false;
            return true;
        };
        for (std::size_t a = 0; a < meets.size(); ++a)
            for (std::size_t b = a; b < meets.size(); ++b) {
                if (said(a, b) == meets[a][b]) continue;
                const bool named =
                    std::any_of(text.losses.entries.begin(), text.losses.entries.end(), [&](const sf::Loss& l) {
                        return l.code == "collision-groups" && l.what == fmt::format("pair g{} and g{}", a, b);
                    });
                CHECK_MESSAGE(named, text.text);
            }
    });
}

TEST_CASE("topics of ROS become plug-ins of SDFormat with their full names (EXP-055), and nothing of MJCF (EXP-061)")
{
    const auto tree = tree_of(
        std::string("def Xform \"r\" (prepend apiSchemas = [\"RosContextAPI\"]) { string ros:context:namespace = "
                    "\"bot\"\n def Xform \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\", "
                    "\"RosTopicAPI\"]) { float physics:mass = 2\n float3 physics:diagonalInertia = (1, 1, 1)\n"
                    " uniform token ros:topic:role = \"publisher\"\n string ros:topic:name = \"scan\"\n string "
                    "ros:topic:type = \"sensor_msgs/msg/LaserScan\" } }"));
    const Text sdf = written(tree, Format::sdformat);
    CHECK(sdf.has("<plugin filename=\"ros_interface\" name=\"ros_interface\">"));
    CHECK(sdf.has("<name>/bot/scan</name>"));
    CHECK(sdf.has("<type>sensor_msgs/msg/LaserScan</type>"));
    CHECK(sdf.has("<role>publisher</role>"));
    const Text mjcf = written(tree, Format::mjcf);
    CHECK_FALSE(mjcf.has("extension"));
    CHECK_FALSE(mjcf.has("plugin"));
    CHECK(mjcf.loss("ros-interfaces") != nullptr);
    WriteOptions none;
    none.ros_plugin.clear();
    CHECK(written(tree, Format::sdformat, none).loss("ros-interfaces") != nullptr);
}
