// The worked examples of usd-physics 7.6, each measured on OpenUSD 26.11.
#include "mechane/physics/mass.h"

#include "stages.h"

namespace mechane::physics {
using test::close_to;
using test::Parsed;

namespace {

const std::string kBodyApi     = "(prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"])";
const std::string kColliderApi = "(prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMassAPI\"])";

// A box of these full extents, placed and turned about z, with further lines.
std::string box(const std::string& name, Vec3d size, Vec3d at = {}, double degrees = 0, const std::string& lines = "")
{
    const auto triple = [](const Vec3d& v) {
        return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
    };
    return "def Cube \"" + name + "\" " + kColliderApi +
           " {\n double size = 1\n double3 xformOp:translate = " + triple(at) +
           "\n float xformOp:rotateZ = " + std::to_string(degrees) + "\n float3 xformOp:scale = " + triple(size) +
           "\n uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateZ\", \"xformOp:scale\"]\n" +
           lines + "\n}\n";
}
std::string body(const std::string& lines, const std::string& children)
{ return "def Xform \"B\" " + kBodyApi + " {\n" + lines + "\n" + children + "}\n"; }

BodyMass mass_of(const Parsed& p, Diagnostics* found = nullptr)
{
    Diagnostics ignored;
    return compute_mass(p.model, p.model.body_at(usd::Path("/B")), primitive_mass_info, found ? *found : ignored);
}

struct Expected {
    const char* id;
    std::string stage;
    double      mass;
    Mat33d      inertia;
    Vec3d       com;
    const char* metadata = "metersPerUnit = 1 kilogramsPerUnit = 1";
};
Mat33d diag(double a, double b, double c) { return Mat33d::diagonal({a, b, c}); }

}  // namespace

TEST_CASE("mass, inertia and centre as OpenUSD computes them (PHY-058..070, PHY-072, PHY-083)")
{
    const std::string unit = box("C", {1, 1, 1});
    const std::string b123 = box("C", {1, 2, 3});
    const double      half = std::sqrt(0.5);
    const std::string turn =
        "quatf physics:principalAxes = (" + std::to_string(half) + ", 0, 0, " + std::to_string(half) + ")";
    const std::string material = R"(
def Material "M" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { float physics:density = $ })";
    const auto        bound    = [&](const std::string& density, const std::string& body_lines) {
        std::string text = material;
        text.replace(text.find('$'), 1, density);
        std::string cube = box("C", {1, 1, 1}, {}, 0, "rel material:binding:physics = </M>");
        cube.replace(cube.find("\"PhysicsMassAPI\""), 16, "\"PhysicsMassAPI\", \"MaterialBindingAPI\"");
        return text + body(body_lines, cube);
    };
    const Expected table[] = {
        {"W1", body("", unit), 1000, diag(166.66667, 166.66667, 166.66667), {}},
        {"W2",
         body("", box("C", {100, 100, 100})),
         1000,
         diag(1666666.6, 1666666.6, 1666666.6),
         {},
         "metersPerUnit = 0.01 kilogramsPerUnit = 1"},
        {"W3",
         body("", box("C", {10, 10, 10})),
         1000,
         diag(16666.66, 16666.66, 16666.66),
         {},
         "metersPerUnit = 0.01 kilogramsPerUnit = 0.001"},
        {"W4",
         body("", box("C", {10, 10, 10})),
         1,
         diag(16.6667, 16.6667, 16.6667),
         {},
         "metersPerUnit = 0.001 kilogramsPerUnit = 0.001"},
        {"W5", body("float physics:mass = 12", b123), 12, diag(13, 10, 5), {}},
        {"W6", body("float physics:density = 500", b123), 3000, diag(3250, 2500, 1250), {}},
        {"W7",
         body("float physics:density = 500", box("C", {1, 2, 3}, {}, 0, "float physics:density = 200")),
         1200,
         diag(1300, 1000, 500),
         {}},
        {"W8", body("", box("C", {1, 2, 3}, {}, 0, "float physics:mass = 4")), 4, diag(4.33333, 3.33333, 1.66667), {}},
        {"W9",
         body("float physics:mass = 10", "def Sphere \"S\" " + kColliderApi +
                                             " { float physics:mass = 4\n double3 xformOp:translate = (1, 0, 0)\n "
                                             "uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n" +
                                             box("C", {1, 1, 1}, {-1, 0, 0})),
         10,
         diag(1.675963, 1.834691, 1.834691),
         {-0.992032, 0, 0}},
        {"W10",
         body("", box("C", {1, 1, 1}, {1, 0, 0}) + box("D", {1, 1, 1}, {-1, 0, 0})),
         2000,
         diag(333.333, 2333.333, 2333.333),
         {}},
        {"W11", bound("2000", ""), 2000, diag(333.333, 333.333, 333.333), {}},
        {"W12", bound("2000", "float physics:density = 500"), 500, diag(83.3333, 83.3333, 83.3333), {}},
        {"W13", bound("0", ""), 1000, diag(166.667, 166.667, 166.667), {}},
        {"W14",
         R"(def Material "M" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { float physics:density = 3000 }
def Xform "B" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "MaterialBindingAPI"]) { rel material:binding = </M>
)" + unit + "}",
         3000,
         diag(500, 500, 500),
         {}},
        {"W15",
         body("float3 xformOp:scale = (2, 2, 2)\n uniform token[] xformOpOrder = [\"xformOp:scale\"]\n float "
              "physics:mass = 8\n point3f physics:centerOfMass = (0.5, 0, 0)",
              unit),
         8,
         diag(5.33333, 13.33333, 13.33333),
         {1, 0, 0}},
        {"W16",
         body("float physics:mass = 3\n float3 physics:diagonalInertia = (1, 2, 3)\n " + turn, unit),
         3,
         diag(2, 1, 3),
         {}},
        {"W17", body("float physics:mass = 5", ""), 5, diag(0.02, 0.02, 0.02), {}},
        {"W17, centimetres",
         body("float physics:mass = 5", ""),
         5,
         diag(200, 200, 200),
         {},
         "metersPerUnit = 0.01 kilogramsPerUnit = 1"},
        {"W18", body("", box("C", {1, 2, 3}, {}, 45)), 6000, {{5750, 750, 0}, {750, 5750, 0}, {0, 0, 2500}}, {}},
        {"W19",
         body("", box("C", {1, 2, 3}, {}, 0, "float physics:mass = 6\n point3f physics:centerOfMass = (0.5, 0, 0)")),
         6,
         diag(6.5, 6.5, 4),
         {0.5, 0, 0}},
        {"W20",
         body("", box("C", {1, 2, 3}, {}, 0, "float physics:mass = 6\n float3 physics:diagonalInertia = (1, 2, 3)")),
         6,
         diag(1, 2, 3),
         {}},
        {"W21",
         body("", box("C", {1, 2, 3}, {}, 0,
                      "float physics:mass = 6\n float3 physics:diagonalInertia = (1, 2, 3)\n " + turn)),
         6,
         diag(2, 1, 3),
         {}},
        // The L: products of inertia from the two centres, Ixy = -sum m dx dy = -2 * 2000 * 0.75 * 0.25 = -750.
        {"W22",
         body("", box("C", {2, 1, 1}) + box("D", {1, 2, 1}, {1.5, 0.5, 0})),
         4000,
         {{1416.667, -750, 0}, {-750, 3416.667, 0}, {0, 0, 4166.667}},
         {0.75, 0.25, 0}},
        {"W23",
         body("float physics:mass = 5",
              unit + box("D", {1, 1, 1}, {4, 0, 0}, 0, "bool physics:collisionEnabled = false")),
         5,
         diag(0.833333, 0.833333, 0.833333),
         {}},
        {"W24",
         body("", unit + "def Xform \"N\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n" + box("D", {1, 1, 1}) +
                      "}\n"),
         1000,
         diag(166.667, 166.667, 166.667),
         {}},
        {"W25",
         body("", unit +
                      "def Xform \"N\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n bool "
                      "physics:rigidBodyEnabled = false\n" +
                      box("D", {1, 1, 1}, {5, 0, 0}) + "}\n"),
         2000,
         diag(333.333, 12833.33, 12833.33),
         {2.5, 0, 0}},
        {"W26", body(turn, b123), 6000, diag(5000, 6500, 2500), {}},
        {"W28",
         body("float physics:mass = 10\n point3f physics:centerOfMass = (0, 0, 0)", box("C", {1, 1, 1}, {1, 0, 0})),
         10,
         diag(1.66667, 11.66667, 11.66667),
         {}},
        {"W29",
         body("", "def Sphere \"C\" " + kColliderApi + " { double radius = 0.5 }"),
         523.5988,
         diag(52.35988, 52.35988, 52.35988),
         {}},
        {"W30",
         body("", "def Cylinder \"C\" " + kColliderApi + " { double radius = 0.5 }"),
         1570.796,
         diag(621.7736, 621.7736, 196.3495),
         {}},
        {"W31",
         body("", "def Capsule \"C\" " + kColliderApi + " {}"),
         1308.997,
         diag(395.9716, 395.9716, 150.5346),
         {}},
        {"W32",
         body("", "def Cone \"C\" " + kColliderApi + " {}"),
         2094.395,
         diag(628.3185, 628.3185, 628.3185),
         {0, 0, -0.5}},
        {"W33",
         body("", "def Cylinder_1 \"C\" " + kColliderApi +
                      " { double radiusBottom = 1\n double radiusTop = 0.5\n double height = 1 }"),
         1832.596,
         diag(440.3840, 440.3840, 608.6836),
         {0, 0, -0.1071429}},
        {"W35",
         body("", R"(def Points "C" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}
def Sphere "L" )" + kColliderApi +
                      R"( { double radius = 0.5
 float physics:density = 500
 double3 xformOp:translate = (-1, 0, 0)
 uniform token[] xformOpOrder = ["xformOp:translate"] }
def Sphere "R" )" + kColliderApi +
                      R"( { double radius = 0.5
 float physics:density = 1500
 double3 xformOp:translate = (1, 0, 0)
 uniform token[] xformOpOrder = ["xformOp:translate"] }
)"),
         1047.198,
         diag(104.7198, 890.1180, 890.1180),
         {0.5, 0, 0}},
        {"W36",
         body("float physics:mass = 2\n point3f physics:centerOfMass = (0, 0, 0.1)", b123),
         2,
         diag(2.186667, 1.686667, 0.833333),
         {0, 0, 0.1}},
        {"W37",
         body("float3 xformOp:scale = (2, 2, 2)\n uniform token[] xformOpOrder = [\"xformOp:scale\"]",
              box("C", {1, 1, 1}, {}, 0, "float physics:mass = 8\n point3f physics:centerOfMass = (0.25, 0, 0)")),
         8,
         diag(5.33333, 7.33333, 7.33333),
         {0.5, 0, 0}},
        {"W38", body("point3f physics:centerOfMass = (1, 2, -inf)", unit), 1000, diag(166.667, 166.667, 166.667), {}},
    };
    for (const Expected& row : table) {
        CAPTURE(row.id);
        const Parsed   p(row.stage, row.metadata);
        const BodyMass m = mass_of(p);
        CHECK(m.mass / row.mass == close_to(1, 2e-6));
        CHECK_VEC(m.com, row.com, 2e-6);
        // The table gives six digits.
        const Mat33d I = tensor(m);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                CAPTURE(i);
                CAPTURE(j);
                CAPTURE(I(i, j));
                CHECK(std::abs(I(i, j) - row.inertia(i, j)) <=
                      2e-6 * max_component(abs(Vec3d{row.inertia(0, 0), row.inertia(1, 1), row.inertia(2, 2)})));
            }
    }
}

TEST_CASE("an authored diagonal without axes takes the automatic ones (PHY-064, W27)")
{
    // 45 degrees of automatic axes turn diag(7, 8, 9) into 7.5 on the diagonal and 0.5 beside it; which way is a matter
    // of rounding.
    const BodyMass m = mass_of(Parsed(body("float3 physics:diagonalInertia = (7, 8, 9)", box("C", {1, 2, 3}, {}, 45))));
    const Mat33d   I = tensor(m);
    CHECK(m.mass == close_to(6000, 1e-6));
    CHECK(I(0, 0) == close_to(7.5, 1e-6));
    CHECK(I(1, 1) == close_to(7.5, 1e-6));
    CHECK(I(2, 2) == close_to(9, 1e-6));
    CHECK(std::abs(I(0, 1)) == close_to(0.5, 1e-6));
}

TEST_CASE("small moments count in metres as they do in centimetres (GAP-001)")
{
    // A ball of 1 cm with moments of its own, 1.5, 1.6, 1.7 g cm^2: in SI 1e-7 times that. The reference asks for a
    // length above 1e-5 in whatever units the stage has, and in metres takes 2/5 m r^2 of the ball, 4/3 pi g.
    const auto ball = [](const char* radius, const char* moments) {
        return body("", "def Sphere \"C\" " + kColliderApi + " { double radius = " + radius +
                            "\n float3 physics:diagonalInertia = " + moments + "\n float physics:density = 0\n}");
    };
    const Parsed   small(ball("1", "(1.5, 1.6, 1.7)"), "metersPerUnit = 0.01 kilogramsPerUnit = 0.001");
    const BodyMass in_cm = mass_of(small);
    const BodyMass in_m =
        mass_of(Parsed(ball("0.01", "(1.5e-7, 1.6e-7, 1.7e-7)"), "metersPerUnit = 1 kilogramsPerUnit = 1"));
    CHECK(in_cm.mass == close_to(4.0 / 3 * kPi, 1e-5));  // 1 g/cm^3
    CHECK(in_m.mass == close_to(1e-3 * in_cm.mass, 1e-8));
    const Mat33d cm = tensor(in_cm), m = tensor(in_m);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(cm(i, i) == close_to(1.5 + 0.1 * static_cast<double>(i), 1e-6));
        CHECK(m(i, i) == close_to(1e-7 * cm(i, i), 1e-13));
    }
    const BodyMass reference = mass_of(
        Parsed(ball("0.01", "(1.5e-7, 1.6e-7, 1.7e-7)"), "metersPerUnit = 1 kilogramsPerUnit = 1", test::strict()));
    CHECK(tensor(reference)(0, 0) == close_to(0.4 * 4.0 / 3 * kPi * 1e-3 * 1e-4, 1e-12));
}

TEST_CASE("a body with nothing to derive mass from weighs one unit, and -1 as the reference answers (PHY-065, PHY-082)")
{
    const std::string stage = "def Xform \"B\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {}";
    Diagnostics       found;
    const BodyMass    m = mass_of(Parsed(stage), &found);
    CHECK(m.mass == 1);
    CHECK(m.diagonal.x == close_to(0.004, 1e-12));  // 0.4 * 1 * 0.1^2
    CHECK(m.axes == Quatd{});
    CHECK(found.count("PHY_MASS_DEFAULTED") == 1);
    CHECK(mass_of(Parsed(stage, test::strict())).mass == -1);
}

TEST_CASE("a capsule of two radii weighs what its side and both caps hold (PHY-074)")
{
    Collider c;
    c.kind = ShapeKind::capsule_1, c.axis = Axis::z;
    c.radius = 0.7, c.radius_top = 0.3, c.half_height = 1;
    // The profile, cut into discs. The balls at the ends touch the side at the rims: a side that narrows by 0.2 a metre
    // has balls of 0.7 and 0.3 times sqrt(1.04), centred 0.14 and 0.06 below the rims.
    const double wider   = std::sqrt(1.04);
    const auto   squared = [&](double z) {
        const auto ball = [&](double middle, double r) { return std::max(r * r - (z - middle) * (z - middle), 0.0); };
        if (z < -1) return ball(-1.14, 0.7 * wider);
        if (z > 1) return ball(0.94, 0.3 * wider);
        return (0.5 - 0.2 * z) * (0.5 - 0.2 * z);
    };
    double           volume = 0, first = 0, second = 0, along = 0;
    constexpr int    kDiscs = 200000;
    constexpr double kLow = -2, kHigh = 1.5, kStep = (kHigh - kLow) / kDiscs;
    for (int i = 0; i < kDiscs; ++i) {
        const double z = kLow + (i + 0.5) * kStep, disc = kPi * squared(z) * kStep;
        volume += disc, first += disc * z, second += disc * z * z, along += disc * squared(z) / 2;
    }
    const MassInfo info = primitive_mass_info(c);
    CHECK(info.volume == close_to(volume, 1e-7));
    CHECK(info.com.z == close_to(first / volume, 1e-7));
    CHECK(info.inertia(2, 2) == close_to(along, 1e-7));
    CHECK(info.inertia(0, 0) == close_to(along / 2 + second - first * first / volume, 1e-7));
    // Equal radii: the capsule.
    c.radius_top        = 0.7;
    Collider plain      = c;
    plain.kind          = ShapeKind::capsule;
    CHECK(primitive_mass_info(c).volume == close_to(primitive_mass_info(plain).volume, 1e-12));
    CHECK(primitive_mass_info(c).inertia(0, 0) == close_to(primitive_mass_info(plain).inertia(0, 0), 1e-12));
}

TEST_CASE("a collider without a known volume is left out, and none of it becomes NaN (PHY-074, PHY-075)")
{
    const Parsed p(body("float physics:mass = 2", box("C", {1, 1, 1}) + box("D", {1, 1, 1})));
    Diagnostics  found;
    int          calls = 0;
    const auto   info  = [&](const Collider& c) {
        ++calls;
        MassInfo one = primitive_mass_info(c);
        if (c.path.text() == "/B/D") one.volume = -1;
        return one;
    };
    const BodyMass m = compute_mass(p.model, 0, info, found);
    CHECK(calls == 2);  // once for each collider (PHY-080)
    CHECK(m.mass == 2);
    CHECK(m.diagonal.x == close_to(2.0 / 6, 1e-9));
    CHECK(found.count("PHY_MASS_INFO_INVALID") == 1);

    const auto flat = [](const Collider& c) {
        MassInfo one = primitive_mass_info(c);
        one.volume   = 0;
        one.inertia  = {};
        return one;
    };
    const BodyMass zero = compute_mass(p.model, 0, flat, found);
    CHECK(zero.mass == 2);
    CHECK(is_finite(zero.diagonal));
    CHECK(zero.diagonal.x == close_to(0.008, 1e-9));  // the small sphere
}

TEST_CASE("a body with mass, inertia and centre never asks for volumes (PHY-079)")
{
    const Parsed p(
        body("float physics:mass = 2\n float3 physics:diagonalInertia = (1, 2, 3)\n point3f physics:centerOfMass = (0, "
             "0, 0)",
             box("C", {1, 1, 1})));
    Diagnostics    found;
    const BodyMass m = compute_mass(
        p.model, 0,
        [](const Collider&) -> MassInfo {
            FAIL("asked");
            return {};
        },
        found);
    CHECK_VEC(m.diagonal, (Vec3d{1, 2, 3}), 0);
    CHECK_FALSE(m.callback_used);
}

TEST_CASE(
    "mass and density on a prim between body and collider hold for what lies below, or nothing as the reference has it "
    "(PHY-078)")
{
    const auto with = [](const std::string& lines, const std::string& body_lines = "") {
        return body(body_lines, "def Xform \"X\" (prepend apiSchemas = [\"PhysicsMassAPI\"]) {\n" + lines + "\n" +
                                    box("C", {1, 1, 1}, {1, 0, 0}) + box("D", {1, 1, 1}, {-1, 0, 0}) + "}\n");
    };
    CHECK(mass_of(Parsed(with("float physics:density = 300"))).mass == close_to(600, 1e-9));
    CHECK(mass_of(Parsed(with("float physics:density = 300"), test::strict())).mass == close_to(2000, 1e-9));
    const BodyMass m = mass_of(Parsed(with("float physics:mass = 7")));
    CHECK(m.mass == close_to(7, 1e-9));
    CHECK(m.diagonal.y == close_to(2333.3333333 * 7 / 2000, 1e-6));
    CHECK(mass_of(Parsed(with("float physics:mass = 7", "float physics:mass = 5"))).mass == 5);
}

TEST_CASE("diagonalisation gives the tensor back (PHY-081)")
{
    test::for_seeds(1000, [](Random& r) {
        const Vec3d  d{r.uniform(0, 1), r.uniform(0, 1), r.uniform(0, 1)};
        const Mat33d R    = to_matrix(r.rotation());
        const Mat33d I    = R * Mat33d::diagonal(d) * transpose(R);
        const auto   axes = diagonalize(I);
        const Mat33d A = to_matrix(axes.axes), back = A * Mat33d::diagonal(axes.diagonal) * transpose(A);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                CHECK(std::abs(back(i, j) - I(i, j)) < 1e-6);  // the sweep stops at 5e-7 of the gap
    });
}

}  // namespace mechane::physics
