// The worked examples M1..M37 of import-usd 5.5, measured on Newton 1.8, and what Mechane does differently on purpose.
#include "mechane/resolve/mass_rules.h"

#include "../physics/stages.h"
#include "mechane/resolve/resolvers.h"

namespace mechane::resolve {
using test::close_to;
using test::Parsed;

namespace {

// A cube collider of size 1 below the body.
std::string cube(const std::string& lines = "", const std::string& apis = "\"PhysicsMassAPI\"",
                 const std::string& name = "C", const std::string& type = "Cube")
{
    return "def " + type + " \"" + name + "\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"" +
           (apis.empty() ? "" : ", " + apis) + "]) {\n" + (type == "Cube" ? "double size = 1\n" : "") + lines + "\n}\n";
}
std::string at(double x)
{
    return "double3 xformOp:translate = (" + std::to_string(x) +
           ", 0, 0)\nuniform token[] xformOpOrder = [\"xformOp:translate\"]\n";
}
std::string scaled(const char* s)
{ return std::string("float3 xformOp:scale = ") + s + "\nuniform token[] xformOpOrder = [\"xformOp:scale\"]\n"; }
std::string body(const std::string& lines, const std::string& children, const std::string& apis = "\"PhysicsMassAPI\"")
{
    return "def PhysicsScene \"S\" {}\ndef Xform \"B\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"" +
           (apis.empty() ? "" : ", " + apis) + "]) {\n" + lines + "\n" + children + "}\n";
}
std::string with_material(double density, std::string stage)
{
    const std::string api = "\"PhysicsCollisionAPI\"";
    const auto        i   = stage.find(api);
    stage.replace(i, api.size(), api + ", \"MaterialBindingAPI\"");
    stage.insert(stage.find("double size = 1"), "rel material:binding:physics = </M>\n");
    return "def Material \"M\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) { float physics:density = " +
           std::to_string(density) + " }\n" + stage;
}
// A closed unit cube of 12 triangles by quads.
std::string mesh_cube(const std::string& lines, const std::string& apis = "")
{
    return cube(lines + R"(
point3f[] points = [(-0.5, -0.5, -0.5), (0.5, -0.5, -0.5), (0.5, 0.5, -0.5), (-0.5, 0.5, -0.5), (-0.5, -0.5, 0.5), (0.5, -0.5, 0.5), (0.5, 0.5, 0.5), (-0.5, 0.5, 0.5)]
int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]
int[] faceVertexIndices = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7])",
                apis, "C", "Mesh");
}

struct Answer {
    BodyMassProperties mass;
    MassTable          table;
    Diagnostics        found;
};
Answer masses(const std::string& stage, bool newton_1_8, double default_density = 1000, Rules rules = {},
              const char*        metadata = "metersPerUnit = 1 kilogramsPerUnit = 1 upAxis = \"Z\"",
              physics::UnitScale scale    = {})
{
    physics::ParseOptions       parse;
    const physics::Conventions& conventions = newton_1_8 ? physics::kNewton18 : physics::kMechane;
    parse.conventions                       = conventions;
    const Parsed p(stage, metadata, parse);
    rules.conventions = conventions;
    Answer                         out;
    const std::vector<std::string> names{"newton"};
    const auto                     resolvers = resolvers_named(names, rules);
    MassOptions                    options;
    options.scale           = scale;
    options.default_density = default_density;
    options.rules           = rules;
    out.table               = compute_masses(p.model, *resolvers, options, out.found);
    out.mass                = out.table.bodies.at(static_cast<std::size_t>(p.model.body_at(usd::Path("/B"))));
    return out;
}

void check(const Answer& a, double mass, const Vec3d& com, const Mat33d& inertia)
{
    CAPTURE(a.mass.rule);
    CHECK(a.mass.mass == close_to(mass, 1e-6));
    CHECK_VEC(a.mass.com, com, 1e-6);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            CAPTURE(i);
            CAPTURE(j);
            CAPTURE(a.mass.inertia(i, j));
            // seven digits in the table, attributes are floats
            CHECK(std::abs(a.mass.inertia(i, j) - inertia(i, j)) <=
                  1e-6 * max_component(abs(Vec3d{inertia(0, 0), inertia(1, 1), inertia(2, 2)})));
        }
}
Mat33d diag(double a, double b, double c) { return Mat33d::diagonal({a, b, c}); }
Mat33d diag(double a) { return diag(a, a, a); }

}  // namespace

TEST_CASE("masses of the worked examples, under Newton 1.8's rules and under ours (IMP-164..199)")
{
    const std::string z90 = "quatf physics:principalAxes = (0.70710678, 0, 0, 0.70710678)";
    const std::string z45 = "quatf physics:principalAxes = (0.92387953, 0, 0, 0.38268343)";
    const std::string off = "bool physics:collisionEnabled = false\nfloat physics:mass = 3\n";
    struct {
        const char* id;
        std::string stage;
        double      mass;
        Vec3d       com;
        Mat33d      inertia;
        const char* code = "";
    } table[] = {
        {"M1", body("", cube("", ""), ""), 1000, {}, diag(166.66667)},
        {"M2", body("float physics:mass = 2", cube()), 2, {}, diag(0.33333333)},
        {"M3",
         body("float physics:mass = 2\nfloat3 physics:diagonalInertia = (.1, .2, .3)", cube(at(1))),
         2,
         {1, 0, 0},
         diag(.1, .2, .3)},
        {"M4",
         body("float physics:mass = 2\nfloat3 physics:diagonalInertia = (.1, .2, .25)\npoint3f physics:centerOfMass = "
              "(.5, 0, 0)\n" +
                  z90,
              cube()),
         2,
         {.5, 0, 0},
         diag(.2, .1, .25)},
        {"M5", body("float physics:density = 500", cube()), 500, {}, diag(83.333333)},
        {"M6", body("", cube("", "")), 1000, {}, diag(166.66667)},
        {"M7", body("", cube("float physics:mass = 3"), ""), 3, {}, diag(0.5)},
        {"M8",
         body("", cube("float physics:mass = 3\nfloat3 physics:diagonalInertia = (.4, .5, .6)"), ""),
         3,
         {},
         diag(.4, .5, .6)},
        {"M9", body("", cube("float physics:density = 200"), ""), 200, {}, diag(33.333333)},
        {"M10",
         body("float physics:mass = 2\nfloat3 physics:diagonalInertia = (9, 9, 9)\ncustom double[] newton:inertia = "
              "[1, 2, 2.5, .1, .2, .3]",
              cube(), "\"PhysicsMassAPI\", \"NewtonMassAPI\""),
         2,
         {},
         {{1, .1, .2}, {.1, 2, .3}, {.2, .3, 2.5}}},
        {"M11", body("float physics:mass = 5", ""), 5, {}, diag(0.02), "RESOLVE_MASS_SMALL_SPHERE"},
        {"M12",
         body("float physics:mass = 5\nfloat physics:density = 100", cube()),
         5,
         {},
         diag(0.83333333),
         "RESOLVE_MASS_AND_DENSITY"},
        {"M13",
         body("",
              cube("custom token newton:massModel = \"shell\"\ncustom float newton:shellThickness = 0.1",
                   "\"NewtonMassAPI\""),
              ""),
         488,
         {},
         diag(112.05333)},
        {"M14",
         body("",
              cube("custom token newton:massModel = \"shell\"\ncustom float newton:contactMargin = 0.05",
                   "\"NewtonMassAPI\""),
              ""),
         271,
         {},
         diag(68.251667)},
        {"M15",
         body("float physics:mass = 2",
              cube("custom token newton:massModel = \"shell\"\ncustom float newton:shellThickness = 0.1",
                   "\"NewtonMassAPI\"")),
         2,
         {},
         diag(0.45923497)},
        {"M16",
         body("", cube("", "") + cube(at(2), "", "D"), ""),
         2000,
         {1, 0, 0},
         diag(333.33333, 2333.3333, 2333.3333)},
        {"M17", body("float3 physics:diagonalInertia = (1, 2, 2.5)", cube()), 1000, {}, diag(1, 2, 2.5)},
        {"M18",
         body("point3f physics:centerOfMass = (.2, 0, 0)", cube()),
         1000,
         {.2, 0, 0},
         diag(166.66667, 206.66667, 206.66667)},
        {"M19",
         body("float physics:mass = 2\npoint3f physics:centerOfMass = (.2, 0, 0)", cube()),
         2,
         {.2, 0, 0},
         diag(0.33333333),
         "RESOLVE_MASS_TENSOR_COM"},
        {"M20",
         body(scaled("(2, 3, 4)") + "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)\npoint3f "
                                    "physics:centerOfMass = (.5, 0, 0)",
              cube()),
         1,
         {1, 0, 0},
         diag(1)},
        {"M21", body(scaled("(2, 3, 4)"), cube("", ""), ""), 24000, {}, diag(50000, 40000, 26000)},
        {"M22", with_material(250, body("", cube("", ""), "")), 250, {}, diag(41.666667)},
        {"M23", with_material(250, body("float physics:density = 100", cube())), 100, {}, diag(16.666667)},
        {"M24",
         with_material(250, body("float physics:density = 100", cube("float physics:density = 400"))),
         400,
         {},
         diag(66.666667)},
        {"M26",
         body("", cube("float physics:mass = 3") + cube(at(2), "", "D"), ""),
         1003,
         {1.9940180, 0, 0},
         diag(167.16667, 179.13077, 179.13077)},
        {"M28", body(z45, cube(scaled("(1, 2, 3)"))), 6000, {}, {{5750, 750, 0}, {750, 5750, 0}, {0, 0, 2500}}},
        {"M29", body("", cube("double radius = 0.5", "", "C", "Sphere"), ""), 523.59878, {}, diag(52.359878)},
        {"M30",
         body("", cube("double radius = 0.25\ndouble height = 1\nuniform token axis = \"X\"", "", "C", "Capsule"), ""),
         261.79939,
         {},
         diag(7.7721693, 43.565053, 43.565053)},
        {"M31",
         body("", cube("double radius = 0.5\ndouble height = 2\nuniform token axis = \"Y\"", "", "C", "Cylinder"), ""),
         1570.7963,
         {},
         diag(621.77354, 196.34954, 621.77354)},
        {"M32",
         body("", cube("double radius = 0.5\ndouble height = 2", "", "C", "Cone"), ""),
         523.59878,
         {0, 0, -.5},
         diag(98.174770, 98.174770, 39.269908)},
        {"M33", body("", mesh_cube(scaled("(2, 1, 1)")), ""), 2000, {}, diag(333.33333, 833.33333, 833.33333)},
        {"M35", body("", mesh_cube(scaled("(-1, 1, 1)")), ""), 1000, {}, diag(166.66667)},
        {"M36", body("", cube(off, "\"PhysicsMassAPI\"") + cube(at(2), "", "D")), 1000, {2, 0, 0}, diag(166.66667)},
    };
    for (const auto& row : table)
        for (const bool compat : {true, false}) {
            CAPTURE(row.id);
            CAPTURE(compat);
            const Answer a = masses(row.stage, compat);
            check(a, row.mass, row.com, row.inertia);
            if (*row.code) CHECK(a.found.count(row.code) == 1);
        }
}

TEST_CASE("the builder's density counts for bodies without MassAPI only (IMP-190, M27)")
{
    check(masses(body("", cube("", ""), ""), true, 500), 500, {}, diag(83.333333));
    check(masses(body("", cube("", "")), true, 500), 1000, {}, diag(166.66667));
}

TEST_CASE(
    "shells of meshes: walls inwards, and centred ones of twice the thickness under Newton 1.8 (IMP-197, M34, "
    "GAP-033)")
{
    const auto shell = [](double th) {
        return body("",
                    mesh_cube("custom token newton:massModel = \"shell\"\ncustom float newton:shellThickness = " +
                                  std::to_string(th),
                              "\"NewtonMassAPI\""),
                    "");
    };
    check(masses(shell(0.02), true), 240, {}, diag(66.688));
    // Outer cube less one of 0.96: 1000 (1 - 0.96^3) kg and 1000/6 (1 - 0.96^5) kg m2.
    check(masses(shell(0.02), false), 115.264, {}, diag(1000.0 / 6 * (1 - std::pow(0.96, 5))));
    check(masses(shell(0.1), false), 488, {}, diag(1000.0 / 6 * (1 - std::pow(0.8, 5))));
}

TEST_CASE("walls of a cone and of a cylinder of two radii are as thick along their normal as at their ends (GAP-097)")
{
    const auto shell = [](const std::string& kind, const std::string& sizes) {
        return body(
            "",
            cube(sizes + "\ncustom token newton:massModel = \"shell\"\ncustom float newton:shellThickness = 0.1",
                 "\"NewtonMassAPI\"", "C", kind),
            "");
    };
    // A cone of radius 1 and height 2 less one of the same angle, whose height is 2 - 0.1 (1 + sqrt 5).
    const double ratio = 1 - 0.05 * (1 + std::sqrt(5.0));
    CHECK(masses(shell("Cone", "double radius = 1\ndouble height = 2"), false).mass.mass ==
          close_to(2000 * kPi / 3 * (1 - ratio * ratio * ratio), 1e-6));
    // Newton's: radius 0.9, height 1.8.
    CHECK(masses(shell("Cone", "double radius = 1\ndouble height = 2"), true).mass.mass ==
          close_to(2000 * kPi / 3 * (1 - 0.9 * 0.9 * 0.9), 1e-3));
    // Bottom 1, top 0.5, height 2: walls lean by 1 in 4, so radii shrink by 0.1 sqrt(17)/4, and by 0.025 more or less
    // at the ends.
    const double lean = 0.1 * std::sqrt(17.0) / 4, R = 1 - 0.025 - lean, r = 0.5 + 0.025 - lean;
    const double inside = kPi * 1.8 / 3 * (R * R + R * r + r * r);
    CHECK(masses(shell("Cylinder_1", "double radiusBottom = 1\ndouble radiusTop = 0.5\ndouble height = 2"), false)
              .mass.mass == close_to(1000 * (kPi * 2 / 3 * 1.75 - inside), 1e-6));
}

TEST_CASE("shell thickness: too thick is an error and solid, zero gives no mass, negative uses the margin (IMP-203)")
{
    const auto shell = [](const std::string& lines) {
        return body("float physics:mass = 2",
                    cube("custom token newton:massModel = \"shell\"\n" + lines, "\"NewtonMassAPI\""));
    };
    const Answer thick = masses(shell("custom float newton:shellThickness = 0.5"), false);
    CHECK(thick.found.count("RESOLVE_SHELL_THICK") == 1);
    CHECK(thick.mass.inertia(0, 0) == close_to(2.0 / 6, 1e-9));
    const Answer zero = masses(shell(""), false);
    CHECK(zero.found.count("RESOLVE_SHELL_ZERO") == 1);
    CHECK(is_finite(zero.mass.inertia));
    const Answer negative =
        masses(shell("custom float newton:shellThickness = -1\ncustom float newton:contactMargin = 0.1"), false);
    CHECK(negative.found.count("RESOLVE_SHELL_NEG") == 1);
    CHECK(negative.mass.inertia(0, 0) == close_to(0.45923497, 1e-7));
}

TEST_CASE("nothing to derive mass from: one unit as a ball of 0.1 m, and zero under Newton 1.8 (IMP-200, M37)")
{
    for (const std::string& stage : {body("", ""), body("float physics:density = 5", ""), body("", "", "")}) {
        const Answer ours = masses(stage, false);
        check(ours, 1, {}, diag(0.004));
        CHECK(ours.found.count("PHY_MASS_DEFAULTED") == 1);
        CHECK(masses(stage, true).mass.mass == 0);
    }
    CHECK(masses(body("", ""), true).found.count("RESOLVE_MASS_ZERO") == 1);
    // centimetres and grams: one gram, 0.4 m r^2 with r = 0.1 m
    const Answer cgs =
        masses(body("", ""), false, 1000, {}, "metersPerUnit = 0.01 kilogramsPerUnit = 0.001", {0.01, 0.001});
    CHECK(cgs.mass.mass == close_to(0.001, 1e-12));
    CHECK(cgs.mass.inertia(0, 0) == close_to(4e-6, 1e-15));
}

TEST_CASE("answers are SI whatever the units of the stage")
{
    // A cube of 100 cm with the default density, and one with an authored mass of 2000 g.
    const char*  cgs = "metersPerUnit = 0.01 kilogramsPerUnit = 0.001";
    const Answer a   = masses(body("", cube(scaled("(100, 100, 100)"), ""), ""), false, 1000, {}, cgs, {0.01, 0.001});
    check(a, 1000, {}, diag(166.66667));
    CHECK(a.table.collider_density.at(0) == close_to(1000, 1e-9));
    const Answer b = masses(body("float physics:mass = 2000", cube(scaled("(100, 100, 100)") + "", "")), false, 1000,
                            {}, cgs, {0.01, 0.001});
    check(b, 2, {}, diag(2.0 / 6));
}

TEST_CASE("values that are not usable count as not authored, and only non-zero ones are said (IMP-201)")
{
    struct {
        const char* lines;
        const char* code;
    } table[] = {
        {"float physics:mass = 0", ""},
        {"float physics:mass = -2", "RESOLVE_MASS_MASS"},
        {"float physics:mass = inf", "RESOLVE_MASS_MASS"},
        {"float physics:density = -5", "RESOLVE_MASS_DENSITY"},
        {"float3 physics:diagonalInertia = (1, -1, 1)", "RESOLVE_MASS_DIAG"},
        {"float3 physics:diagonalInertia = (0, 0, 0)", ""},
    };
    for (const auto& row : table) {
        CAPTURE(row.lines);
        const Answer a = masses(body(row.lines, cube("", "")), false);
        check(a, 1000, {}, diag(166.66667));
        if (*row.code) CHECK(a.found.count(row.code) == 1);
        CHECK(a.found.size() == (*row.code ? 1u : 0u));
    }
    CHECK(masses(body("", cube("float physics:mass = -1")), false).found.count("RESOLVE_COLLIDER_MASS") == 1);
}

TEST_CASE("newton:inertia needs its schema and a tensor (IMP-202)")
{
    for (const char* value : {"[1, 2, 3]", "[nan, 1, 1, 0, 0, 0]", "[-1, 1, 1, 0, 0, 0]", "[1, 1, 1, 5, 0, 0]"}) {
        CAPTURE(value);
        const std::string lines = std::string("float physics:mass = 6\ncustom double[] newton:inertia = ") + value;
        const Answer      a     = masses(body(lines, cube("", ""), "\"PhysicsMassAPI\", \"NewtonMassAPI\""), false);
        CHECK(a.found.count("RESOLVE_INERTIA_TENSOR") == 1);
        CHECK(a.mass.inertia(0, 0) == close_to(1, 1e-9));
    }
    const Answer unapplied = masses(
        body("float physics:mass = 6\ncustom double[] newton:inertia = [7, 7, 7, 0, 0, 0]", cube("", "")), false);
    CHECK(unapplied.mass.inertia(0, 0) == close_to(1, 1e-9));
}

TEST_CASE("blocked values are not authored, with a defined result (IMP-206)")
{
    for (const bool compat : {true, false}) {
        check(masses(body("float physics:mass = None", cube("", "")), compat), 1000, {}, diag(166.66667));
        check(masses(body("point3f physics:centerOfMass = None\nfloat physics:mass = 2", cube("", "")), compat), 2, {},
              diag(0.33333333));
    }
}

TEST_CASE("a collider's own mass and moments count beside one that is off and authors its mass too")
{
    // Moments about axes turned by 90 degrees about z exchange x and y.
    const std::string own =
        "float physics:mass = 3\nfloat3 physics:diagonalInertia = (0.4, 0.5, 0.6)\n"
        "quatf physics:principalAxes = (0.70710678, 0, 0, 0.70710678)\n"
        "point3f physics:centerOfMass = (0.1, 0, 0)\n";
    const std::string off = "bool physics:collisionEnabled = 0\nfloat physics:mass = 7\n";
    for (const bool compat : {true, false})
        check(masses(body("", cube(own + at(2)) + cube(off, "\"PhysicsMassAPI\"", "D"), ""), compat), 3, {2.1, 0, 0},
              diag(0.5, 0.4, 0.6));
}

TEST_CASE("Newton 1.8 puts the mass of a collider without a volume at the body's origin")
{
    // A shell without thickness, 2 m away, of 3 kg.
    const std::string stage =
        body("", cube("float physics:mass = 3\ncustom token newton:massModel = \"shell\"\n" + at(2)), "");
    const Answer newton = masses(stage, true);
    CHECK(newton.mass.mass == 3);
    CHECK_VEC(newton.mass.com, (Vec3d{}), 1e-6);
}

TEST_CASE("a fully authored body does without the mass computer (GAP-029)")
{
    const Answer a = masses(body("float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 1, 1)\npoint3f "
                                 "physics:centerOfMass = (0, 0, 0)",
                                 cube()),
                            false);
    CHECK(a.table.mass_computer_calls == 0);
    CHECK_FALSE(a.mass.computer_used);
    CHECK(a.mass.rule == "diagonalInertia");
    CHECK(masses(body("float physics:mass = 2", cube()), false).table.mass_computer_calls == 1);
}

TEST_CASE("the scaled tensor moves to the body's centre on request, and the gap is said otherwise (GAP-027)")
{
    Rules rules;
    rules.move_scaled_tensor = true;
    const Answer a =
        masses(body("float physics:mass = 2\npoint3f physics:centerOfMass = (.2, 0, 0)", cube()), false, 1000, rules);
    check(a, 2, {.2, 0, 0}, diag(0.33333333, 0.33333333 + 0.08, 0.33333333 + 0.08));
    CHECK(a.found.count("RESOLVE_MASS_TENSOR_COM") == 0);
    const Answer left =
        masses(body("float physics:mass = 2\npoint3f physics:centerOfMass = (.2, 0, 0)", cube()), false);
    check(left, 2, {.2, 0, 0}, diag(0.33333333));
    CHECK(left.found.count("RESOLVE_MASS_TENSOR_COM") == 1);
}

TEST_CASE("masses of colliders are weights: they shape centre and inertia of a body that has a mass (usd-physics 7.1)")
{
    // W9, as UsdPhysics computes it: 10 kg on a ball of 4 kg at x = 1 and a box of 1000 kg at x = -1.
    const std::string inner =
        cube("double radius = 1\nfloat physics:mass = 4\n" + at(1), "\"PhysicsMassAPI\"", "S", "Sphere") +
        cube(at(-1), "", "D");
    check(masses(body("float physics:mass = 10", inner), false), 10, {-0.9920319, 0, 0},
          diag(1.675963, 1.834691, 1.834691));
    // M25: of two boxes with 3 and 1000 kg the light one hardly counts. Newton 1.8 keeps the moments of their volumes.
    const std::string two  = body("float physics:mass = 6", cube("float physics:mass = 3") + cube(at(2), "", "D"));
    const double      part = 6.0 / 1003;
    check(masses(two, false), 6, {1.9940180, 0, 0}, diag(part * 167.16667, part * 179.13077, part * 179.13077));
    check(masses(two, true), 6, {1.9940180, 0, 0}, diag(1, 7, 7));
    // Boxes whose centre stays, where only the moments tell.
    const Answer even =
        masses(body("float physics:mass = 4", cube("float physics:mass = 1\n" + at(1)) +
                                                  cube("float physics:mass = 1\n" + at(-1), "\"PhysicsMassAPI\"", "D") +
                                                  cube("float physics:mass = 2", "\"PhysicsMassAPI\"", "E")),
               false);
    check(even, 4, {}, diag(4.0 / 6, 4.0 / 6 + 2, 4.0 / 6 + 2));
    CHECK(even.found.count("RESOLVE_MASS_TENSOR_COM") == 0);
    // A body that is itself the collider: its mass and centre are the body's, and weigh nothing against each other.
    const Answer one = masses(
        "def PhysicsScene \"S\" {}\ndef Cube \"B\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", "
        "\"PhysicsCollisionAPI\", \"PhysicsMassAPI\"]) {\ndouble size = 1\nfloat physics:mass = 6\n"
        "point3f physics:centerOfMass = (1, 0, 0)\n}\n",
        false);
    check(one, 6, {1, 0, 0}, diag(1));
    CHECK(one.found.count("RESOLVE_MASS_TENSOR_COM") == 1);
}

TEST_CASE("the older rule takes mass and inertia only together")
{
    Rules rules;
    rules.mass_pair_rule = true;
    check(masses(body("float physics:mass = 2", cube("", "")), false, 1000, rules), 1000, {}, diag(166.66667));
    check(masses(body("float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 2)", cube(at(1), "")), false,
                 1000, rules),
          2, {}, diag(1, 2, 2));
}

TEST_CASE("density and mass on a prim between body and collider, and nothing of it under Newton 1.8 (GAP-030)")
{
    const auto with = [](const std::string& lines, const std::string& inner, const std::string& body_lines,
                         const std::string& apis) {
        return body(body_lines,
                    "def Xform \"X\" (prepend apiSchemas = [\"PhysicsMassAPI\"]) {\n" + lines + "\n" + inner + "}\n",
                    apis);
    };
    const std::string two = cube(at(1), "") + cube(at(-1), "", "D");
    check(masses(with("float physics:density = 300", cube("", ""), "", ""), false), 300, {}, diag(50));
    check(masses(with_material(2000, with("float physics:density = 300", cube("", ""), "", "")), false), 300, {},
          diag(50));
    check(masses(with("float physics:mass = 7", two, "", ""), false), 7, {},
          diag(333.33333 * 0.0035, 2333.3333 * 0.0035, 2333.3333 * 0.0035));
    CHECK(
        masses(with("float physics:mass = 7", two, "float physics:mass = 5", "\"PhysicsMassAPI\""), false).mass.mass ==
        5);
    check(masses(with("float physics:density = 300", cube("", ""), "", ""), true), 1000, {}, diag(166.66667));
}

TEST_CASE("implicit mass follows the shape that collides, and the authored mesh under Newton 1.8 (GAP-032)")
{
    // An L of three unit squares, one deep; its hull adds half a square. Wound outwards.
    const std::string ell = cube(R"(
uniform token physics:approximation = "convexHull"
point3f[] points = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0), (0, 0, 1), (2, 0, 1), (2, 1, 1), (1, 1, 1), (1, 2, 1), (0, 2, 1)]
int[] faceVertexCounts = [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
int[] faceVertexIndices = [0, 3, 2, 1, 0, 5, 4, 3, 6, 7, 8, 9, 6, 9, 10, 11, 0, 1, 7, 6, 1, 2, 8, 7, 2, 3, 9, 8, 3, 4, 10, 9, 4, 5, 11, 10, 5, 0, 6, 11])",
                                 "\"PhysicsMeshCollisionAPI\"", "C", "Mesh");
    CHECK(masses(body("", ell, ""), false).mass.mass == close_to(3500, 1e-6));
    CHECK(masses(body("", ell, ""), true).mass.mass == close_to(3000, 1e-6));
}

TEST_CASE("an open mesh weighs like its hull, an inverted one like its mirror image (PHY-071, PHY-076)")
{
    const auto mesh = [](const std::string& faces) {
        return body(
            "", cube("point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n" + faces, "", "C", "Mesh"), "");
    };
    // W34: the tetrahedron weighs 1000/6 kg with its centre at (1/4, 1/4, 1/4).
    const Answer closed = masses(
        mesh("int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]"),
        false);
    CHECK(closed.mass.mass == close_to(166.66667, 1e-6));
    CHECK_VEC(closed.mass.com, (Vec3d{.25, .25, .25}), 1e-9);
    CHECK(closed.mass.inertia(0, 0) == close_to(12.5, 1e-6));  // 2 * 3/80 m a^2
    CHECK(closed.found.empty());
    const Answer inverted = masses(
        mesh("int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2]"),
        false);
    CHECK(inverted.mass.mass == close_to(166.66667, 1e-6));
    CHECK(inverted.found.count("PHY_MESH_INVERTED") == 1);
    const Answer open = masses(
        mesh("int[] faceVertexCounts = [3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2]"), false);
    CHECK(open.mass.mass == close_to(166.66667, 1e-6));
    CHECK(open.found.count("PHY_MESH_NOT_CLOSED") == 1);
}

TEST_CASE("a plane below a body gives no mass, and the others still count")
{
    const Answer a = masses(body("", cube("", "") + cube("", "", "P", "Plane")), false);
    check(a, 1000, {}, diag(166.66667));
    CHECK(a.found.count("RESOLVE_COLLIDER_NO_MASS") == 1);
}

}  // namespace mechane::resolve
