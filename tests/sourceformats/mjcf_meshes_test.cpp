#include "support/support.h"

#include <cmath>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/convert.h"

using namespace mechane;
using namespace mechane::sourceformats;
using mechane::test::close_to;

namespace {

ReadRobot read(const std::string& mesh)
{
    auto robot = read_robot_text("<mujoco><asset><mesh name='m' " + mesh +
                                     "/></asset><worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/>"
                                     "</body></worldbody></mujoco>",
                                 ".");
    REQUIRE(robot);
    return std::move(*robot);
}

}  // namespace

TEST_CASE("EXP-072: meshes that MuJoCo makes of parameters have its points, faces and masses")
{
    // Points, faces, mass, centre and xx yy zz xy xz yz of the inertia of a free body, as MuJoCo 3.17 compiles it. It
    // keeps points in single precision.
    struct {
        const char* kind;
        const char* params;
        const char* inertia_rule;
        std::size_t points, faces;
        double      mass;
        Vec3d       com;
        double      inertia[6];
    } table[] = {
        {"sphere",
         "2",
         "exact",
         162,
         320,
         849.8793789467173,
         {0, 0, 0},
         {141.20862348549306, 122.93456610155927, 101.3379541426224, 0, 0, 0}},
        {"hemisphere",
         "3",
         "exact",
         42,
         80,
         401.04617510642737,
         {0, 0, 0.2538242751760077},
         {38.31180464062102, 30.01005140277403, 46.036995228060526, 0, 0, 0}},
        {"cone",
         "5 .5",
         "legacy",
         10,
         16,
         582.5221287440821,
         {1.097567334840613e-09, 0, -0.15000000000000002},
         {111.56196528209358, 103.37154952205204, 45.41957533961777, 0, 0, 0}},
        {"cone",
         "7 0",
         "exact",
         8,
         12,
         383.0974222799055,
         {5.22479585987117e-09, 0, -0.35000000000000003},
         {46.248599772870485, 40.72081253174338, 30.654091229467753, 0, 0, 0}},
        {"supersphere",
         "12 .4 2",
         "exact",
         134,
         264,
         513.1472183723997,
         {9.456169381140802e-10, -7.486494389471104e-10, 0},
         {58.16038078980264, 48.07210748552633, 55.94406105098687, 0, 0, 0}},
        {"supertorus",
         "12 .5 .4 2",
         "exact",
         144,
         288,
         769.7208392646081,
         {0, 0, 7.974486578061399e-10},
         {141.08827710129472, 106.56000822272568, 191.47494559933784, 0, 0, 0}},
        {"supertorus",
         "30 .5 .4 2",
         "convex",
         900,
         1800,
         911.1201121783762,
         {0, 0, 0},
         {154.5983483018218, 118.22454263027636, 202.0921311163939, 0, 0, 0}},
        {"sphere",
         "2",
         "convex",
         162,
         320,
         849.8793789467176,
         {0, 0, 0},
         {141.20862348549286, 122.93456610155916, 101.33795414262244, 0, 0, 0}},
        {"wedge",
         "5 4 60 40 .5",
         "exact",
         20,
         36,
         40.557711532287506,
         {0, 0, -0.5596995417910209},
         {0.8573573054015509, 0.9374202252256821, 1.586972528835703, 0, 0, 0}},
        {"plate",
         "3 4",
         "exact",
         12,
         12,
         600.0000178813933,
         {0, 0, -0.6999999999999998},
         {40.500001206994256, 22.22222420904389, 62.72222541603815, 0, 0, 0}},
    };
    for (const auto& row : table) {
        CAPTURE(row.kind);
        CAPTURE(row.inertia_rule);
        const auto robot = read(std::string("builtin='") + row.kind + "' params='" + row.params + "' inertia='" +
                                row.inertia_rule + "' scale='.5 .6 .7'");
        CHECK(robot.found.empty());
        REQUIRE(robot.tree.meshes.size() == 1);
        CHECK(robot.tree.meshes[0].points.size() == row.points);
        CHECK(robot.tree.meshes[0].counts.size() == row.faces);
        REQUIRE(robot.tree.links[0].inertial);
        const Inertial& in = *robot.tree.links[0].inertial;
        CHECK(in.mass == close_to(row.mass, 1e-6));
        CHECK(test::distance(in.com, row.com) < 1e-7);
        const double got[] = {in.inertia(0, 0), in.inertia(1, 1), in.inertia(2, 2),
                              in.inertia(0, 1), in.inertia(0, 2), in.inertia(1, 2)};
        for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(got[i] - row.inertia[i]) < 1e-6 * row.inertia[0]);
    }
}

TEST_CASE("a mesh that MuJoCo would not make of its parameters is an error that says what is wrong")
{
    struct {
        const char* mesh;
        const char* says;
    } table[] = {
        {"builtin='prism' params='3'", "no such mesh"},
        {"builtin='sphere'", "1 numbers in params and has 0"},
        {"builtin='sphere' params='5'", "subdivision is 5 and must be at least 0 and at most 4"},
        {"builtin='sphere' params='-1'", "subdivision is -1"},
        {"builtin='cone' params='2 1'", "nvert is 2"},
        {"builtin='supertorus' params='4 0 1 1'", "radius is 0 and must be above 0"},
        {"builtin='wedge' params='2 1 40 40 0'", "no face"},  // two points
        {"builtin='plate' params='1 4'", "no face"},
        {"builtin='supersphere' params='1e9 1 1'", "resolution"},
    };
    for (const auto& row : table) {
        CAPTURE(row.mesh);
        const auto robot = read(row.mesh);
        REQUIRE(robot.found.size() == 1);
        CHECK(robot.found.begin()->id == kMeshInvalid.id);
        CHECK(robot.found.begin()->message.find(row.says) != std::string::npos);
    }
}

TEST_CASE("EXP-072: vertices without faces stand for their hull with all of its corners")
{
    std::string vertices;
    for (int i = 0; i < 200; ++i) {  // on a sphere, no two alike: each is a corner of the hull
        const double z = -1 + (i + 0.5) / 100, r = std::sqrt(1 - z * z);
        vertices += std::to_string(r * std::cos(2.4 * i)) + " " + std::to_string(r * std::sin(2.4 * i)) + " " +
                    std::to_string(z) + " ";
    }
    const auto robot = read("vertex='" + vertices + "'");
    CHECK(robot.found.empty());
    REQUIRE(robot.tree.meshes.size() == 1);
    CHECK(robot.tree.meshes[0].points.size() == 200);
    CHECK(robot.tree.meshes[0].counts.size() == 2 * 200 - 4);
}

TEST_CASE("EXP-072: a mesh's bound of hull vertices and its material go to the shapes that use it")
{
    const std::string inside =
        "<asset><material name='red' rgba='1 0 0 1'/><material name='blue' rgba='0 0 1 1'/>"
        "<mesh name='m' builtin='sphere' params='2' maxhullvert='12' material='red'/></asset>"
        "<worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/><geom type='mesh' mesh='m' material='blue'/>"
        "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/></body></worldbody>";
    const auto robot = read_robot_text("<mujoco>" + inside + "</mujoco>", ".");
    REQUIRE(robot);
    REQUIRE(robot->tree.shapes.size() == 3);
    const auto bound = [&](std::size_t s) {
        for (const Extra& x : robot->tree.shapes[s].extras)
            if (x.name == "mjc:maxhullvert") return x.text;
        return std::string();
    };
    const auto look = [&](std::size_t s) {
        return robot->tree.materials[static_cast<std::size_t>(robot->tree.shapes[s].material)].name;
    };
    CHECK(bound(0) == "12");
    CHECK(bound(2).empty());  // it does not collide
    CHECK(look(0) == "red");
    CHECK(look(1) == "blue");
    for (const Loss& loss : robot->losses.entries) CHECK(loss.code != "unread-attribute");
}

TEST_CASE("EXP-072: a concave polygon of a mesh weighs what lies within it")
{
    // An L of thickness 1, whose faces of six corners begin where a fan leaves the L: volume 3, surface 14.
    test::TemporaryFolder folder;
    folder.write(
        "l.obj",
        "v 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 1\nv 1 2 1\nv 0 2 1\nv 0 0 1\nv 2 0 1\n"
        "v 2 1 1\nf 1 6 5 4 3 2\nf 8 9 10 11 12 7\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\n"
        "f 6 1 7 12\n");
    for (const auto& [rule, mass, x] :
         {std::tuple("legacy", 3000.0, 5.0 / 6), {"exact", 3000.0, 5.0 / 6}, {"shell", 14000.0, 6.0 / 7}}) {
        CAPTURE(rule);
        const auto robot = read_robot_text(std::string("<mujoco><asset><mesh name='m' file='l.obj' inertia='") + rule +
                                               "'/></asset><worldbody><body name='b'><freejoint/>"
                                               "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
                                           folder.path().string());
        REQUIRE(robot);
        REQUIRE(robot->tree.links.size() == 1);
        REQUIRE(robot->tree.links[0].inertial);
        CHECK(robot->tree.links[0].inertial->mass == close_to(mass, 1e-9));
        CHECK(test::distance(robot->tree.links[0].inertial->com, Vec3d{x, x, 0.5}) < 1e-9);
    }
}
