// Cloth, soft bodies and cables from UsdPhysics deformables (spec soft.md section 2).
#include <cmath>
#include <numeric>

#include "import_support.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;
using doctest::Approx;

namespace {

/// Two triangles of the unit square, with what the test adds to the prim and its API schemas.
std::string cloth(const std::string& inside = "", const std::string& apis = "")
{
    return R"(def Mesh "cloth" ( prepend apiSchemas = ["PhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI")" +
           apis + R"(] ) {
    point3f[] points = [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    int[] faceVertexCounts = [3, 3]
    int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
    )" + inside +
           "\n}\n";
}

std::string thick(const std::string& values, const std::string& type)
{
    return "float[] physics:thicknesses = " + values + "\n    token physics:thicknesses:elementType = \"" + type +
           "\"\n    ";
}

std::string tet(const std::string& inside = "",
                const std::string& apis   = "\"PhysicsVolumeDeformableSimAPI\", \"PhysicsCollisionAPI\"")
{
    return "def TetMesh \"soft\" ( prepend apiSchemas = [" + apis + R"(] ) {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int4[] tetVertexIndices = [(0, 1, 2, 3)]
    )" + inside +
           "\n}\n";
}

std::string material(const std::string& api, const std::string& inside)
{
    return "def Material \"m\" ( prepend apiSchemas = [\"PhysicsMaterialAPI\", \"" + api + "\"] ) {\n    " + inside +
           "\n}\n";
}

const std::string kBound = "rel material:binding:physics = </m>\n    ";

std::string cable(const std::string& inside = "",
                  const std::string& points = "[(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)]")
{
    return R"(def BasisCurves "cable" ( prepend apiSchemas = ["PhysicsCurvesDeformableSimAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"] ) {
    uniform token type = "linear"
    point3f[] points = )" +
           points + R"(
    int[] curveVertexCounts = [)" +
           std::to_string(std::count(points.begin(), points.end(), '(')) + R"(]
    )" + inside +
           "\n}\n";
}

double total_mass(const model::ModelBuilder& b)
{
    return std::accumulate(b.particles.begin(), b.particles.end(), 0.0,
                           [](double sum, const auto& p) { return sum + p.mass; });
}

}  // namespace

TEST_CASE("a mesh with the surface API is a cloth with one particle a point, and no rigid shape (SOFT-026, 2.1)")
{
    const Imported in = import_text(stage_text(cloth(thick("[0.002]", "constant"))));
    REQUIRE(in.result);
    CHECK(in.builder.particles.size() == 4);
    CHECK(in.builder.tri_indices.size() == 2);
    CHECK(in.builder.edge_indices.size() == 5);
    CHECK(in.builder.shapes.empty());
    CHECK(in.builder.particles[0].q == Vec3d{0, 0, 1});
    CHECK(in.builder.particles[0].radius == Approx(0.001));
    // 1000 kg/m3 times 1 m2 times 2 mm.
    CHECK(total_mass(in.builder) == Approx(2));
    // Without a material: the builder's stiffness, and nothing against area.
    CHECK(in.builder.tri_elements[0].material[0] == 100);
    CHECK(in.builder.tri_elements[0].material[1] == 0);
    CHECK(in.builder.edge_elements[0].bending[0] == 100);
    REQUIRE(in.result->deformables.size() == 1);
    CHECK(in.result->deformables[0].tri == model::SoftObject::Range{0, 2});
    CHECK(in.builder.surfaces[0].label == "/cloth");
}

TEST_CASE("a cloth without a thickness is a millimetre thick, not two (GAP-109, 2.2.1)")
{
    const Imported in = import_text(stage_text(cloth()));
    REQUIRE(in.result);
    CHECK(in.builder.particles[0].radius == Approx(0.0005));
    CHECK(total_mass(in.builder) == Approx(1));  // 1000 kg/m3 times 1 m2 times 1 mm
}

TEST_CASE("a surface material gives E t / (1 - nu^2) and E t^3 / 12 (1 - nu^2), with its fallbacks (SOFT-031)")
{
    const auto stiffness = [](const std::string& inside) {
        const Imported in = import_text(stage_text(cloth(kBound + thick("[0.01]", "constant")) +
                                                   material("PhysicsSurfaceDeformableMaterialAPI", inside)));
        REQUIRE(in.result);
        return std::pair{in.builder.tri_elements[0].material[0], in.builder.edge_elements[0].bending[0]};
    };
    const auto fallback = stiffness("");
    CHECK(fallback.first == Approx(1e6 * 0.01 / 0.91));
    CHECK(fallback.second == Approx(1e6 * 1e-6 / (12 * 0.91)));
    CHECK(stiffness("float physics:youngsModulus = 2e6").first == Approx(2e6 * 0.01 / 0.91));
    CHECK(stiffness("float physics:surfaceStretchStiffness = 7").first == Approx(7));
    CHECK(stiffness("float physics:surfaceBendStiffness = 0").second == 0);
    // An earlier revision had moduli, and no fallbacks.
    CHECK(stiffness("float physics:stretchStiffness = 3e5").first == Approx(3e3));
    CHECK(stiffness("float physics:stretchStiffness = 3e5").second == 100);
}

TEST_CASE("a Poisson's ratio from 0.5 on is 0.499 with a warning, and one that is none falls back (SOFT-032)")
{
    struct {
        const char* authored;
        double      nu;
        bool        said;
    } const table[] = {
        {"0.4", 0.4, false}, {"0.5", 0.499, true}, {"0.6", 0.499, true}, {"-1", 0.3, true}, {"1", 0.3, true}};
    for (const auto& row : table) {
        CAPTURE(row.authored);
        const Imported in = import_text(
            stage_text(tet(kBound) + material("PhysicsVolumeDeformableMaterialAPI",
                                              std::string("float physics:poissonsRatio = ") + row.authored)));
        REQUIRE(in.result);
        REQUIRE(in.builder.tets.size() == 1);
        CHECK(in.builder.tets[0].material[0] == Approx(1e6 / (2 * (1 + row.nu))).epsilon(1e-6));
        CHECK(in.builder.tets[0].material[1] == Approx(1e6 * row.nu / ((1 + row.nu) * (1 - 2 * row.nu))).epsilon(1e-6));
        CHECK((in.found.count("IMPORT_DEFORMABLE_VALUE") > 0) == row.said);
    }
}

TEST_CASE("values that cannot be used are named and count as not authored; zero counts, -inf is silent (SOFT-033)")
{
    struct {
        const char* authored;
        double      mu;
        int         said;
    } const table[] = {{"float physics:youngsModulus = 0", 0, 0},
                       {"float physics:youngsModulus = -inf", 1e6 / 2.6, 0},
                       {"float physics:youngsModulus = -5", 1e6 / 2.6, 1},
                       {"float physics:youngsModulus = nan", 1e6 / 2.6, 1},
                       {"string physics:youngsModulus = \"stiff\"", 1e6 / 2.6, 1},
                       {"float physics:density = 0", 1e6 / 2.6, 0}};
    for (const auto& row : table) {
        CAPTURE(row.authored);
        const Imported in =
            import_text(stage_text(tet(kBound) + material("PhysicsVolumeDeformableMaterialAPI", row.authored)));
        REQUIRE(in.result);
        CHECK(in.builder.tets[0].material[0] == Approx(row.mu).epsilon(1e-6));
        CHECK(in.found.count("IMPORT_DEFORMABLE_VALUE") == row.said);
        if (row.said > 0) CHECK(in.found.find("IMPORT_DEFORMABLE_VALUE")->site.prim == "/m");
    }
}

TEST_CASE("a stage in centimetres and grams gives the model of the same stage in metres and kilograms (SOFT-030)")
{
    const auto with = [](const std::string& metadata, double l, double m) {
        const auto number = [](double x) { return std::to_string(x); };
        const auto p      = [&](double x, double y, double z) {
            return "(" + number(x / l) + ", " + number(y / l) + ", " + number(z / l) + ")";
        };
        const std::string body =
            R"(def Mesh "cloth" ( prepend apiSchemas = ["PhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI"] ) {
    rel material:binding:physics = </m>
    point3f[] points = [)" +
            p(0, 0, 1) + ", " + p(1, 0, 1) + ", " + p(1, 1, 1) + R"(]
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    )" + thick("[" + number(0.01 / l) + "]", "constant") +
            R"(
}
def Material "m" ( prepend apiSchemas = ["PhysicsSurfaceDeformableMaterialAPI"] ) {
    float physics:youngsModulus = )" +
            number(2e6 / (m / l)) + R"(
    float physics:density = )" +
            number(500 / (m / (l * l * l))) + "\n}\n";
        return import_text(stage_text(body, metadata));
    };
    const Imported metres = with("metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"Z\"", 1, 1);
    const Imported cm     = with("metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001\n    upAxis = \"Z\"", 0.01, 0.001);
    REQUIRE(metres.result);
    REQUIRE(cm.result);
    CHECK(total_mass(cm.builder) == Approx(500 * 0.5 * 0.01).epsilon(1e-5));
    CHECK(total_mass(cm.builder) == Approx(total_mass(metres.builder)).epsilon(1e-5));
    for (std::size_t k = 0; k < 5; ++k)
        CHECK(cm.builder.tri_elements[0].material[k] ==
              Approx(metres.builder.tri_elements[0].material[k]).epsilon(1e-5));
    CHECK(cm.builder.edge_elements[0].bending[0] == Approx(metres.builder.edge_elements[0].bending[0]).epsilon(1e-5));
    CHECK(cm.builder.particles[1].q.x == Approx(metres.builder.particles[1].q.x).epsilon(1e-6));
    CHECK(cm.builder.particles[1].radius == Approx(0.005).epsilon(1e-5));
}

TEST_CASE("scale and mirrors are baked in, windings stay outwards and tetrahedra positive (SOFT-029)")
{
    const std::string placed = R"(double3 xformOp:scale = (-2, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:scale"])";
    const Imported    flat   = import_text(stage_text(cloth(thick("[0.001]", "constant") + placed)));
    REQUIRE(flat.result);
    CHECK(total_mass(flat.builder) == Approx(2));
    CHECK(flat.builder.tri_indices[0] == std::array<std::int32_t, 3>{2, 1, 0});
    const Imported both = import_text(
        stage_text(cloth(thick("[0.001]", "constant") + placed + "\n    uniform token orientation = \"leftHanded\"")));
    REQUIRE(both.result);
    CHECK(both.builder.tri_indices[0] == std::array<std::int32_t, 3>{0, 1, 2});
    const Imported solid = import_text(stage_text(tet(placed)));
    REQUIRE(solid.result);
    REQUIRE(solid.builder.tets.size() == 1);
    CHECK(total_mass(solid.builder) == Approx(1000 * 2 / 6.0));
    CHECK(determinant(solid.builder.tets[0].pose) > 0);
}

TEST_CASE(
    "masses come from the elements, the body's mass, its density, the materials, and water, in this order (SOFT-037)")
{
    const std::string plain = thick("[0.001]", "constant");
    const std::string typed = "float[] physics:masses = [6]\n    token physics:masses:elementType = \"constant\"\n    ";
    const auto        mass  = [&](const std::string& inside, const std::string& apis, const std::string& m) {
        const Imported in = import_text(stage_text(cloth(inside + kBound + plain, apis) + m));
        REQUIRE(in.result);
        return total_mass(in.builder);
    };
    const std::string body   = ", \"PhysicsDeformableBodyAPI\"";
    const std::string family = material("PhysicsSurfaceDeformableMaterialAPI", "float physics:density = 300"),
                      base =
                          "def Material \"m\" ( prepend apiSchemas = [\"PhysicsMaterialAPI\"] ) {\n    float "
                          "physics:density = 200\n}\n";
    CHECK(mass(typed + "float physics:mass = 5\n    float physics:density = 4\n    ", body, family) == Approx(6));
    CHECK(mass("float physics:mass = 5\n    float physics:density = 4\n    ", body, family) == Approx(5));
    CHECK(mass("float physics:density = 4000\n    ", body, family) == Approx(4));
    CHECK(mass("", "", family) == Approx(0.3));
    CHECK(mass("", "", base) == Approx(0.2));
    CHECK(mass("", "", "") == Approx(1));
}

TEST_CASE("point masses keep their total, and points of no element weigh nothing and are named (SOFT-038)")
{
    const std::string stage =
        R"(def Mesh "cloth" ( prepend apiSchemas = ["PhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI"] ) {
    point3f[] points = [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (9, 9, 9)]
    int[] faceVertexCounts = [3, 3]
    int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
    float[] physics:masses = [2, 2, 2, 2, 7]
    token physics:masses:elementType = "point"
}
)";
    const Imported in = import_text(stage_text(stage));
    REQUIRE(in.result);
    CHECK(total_mass(in.builder) == Approx(8));
    CHECK(in.builder.particles[4].mass == 0);
    CHECK(in.found.count("IMPORT_DEFORMABLE_VALUE") == 1);
    // V_p = (1/3, 1/6, 1/3, 1/6); each face: 1/6 (2*3 + 2*6 + 2*3) = 4.
    CHECK(in.builder.particles[0].mass == Approx(8.0 / 3));
    CHECK(in.builder.particles[1].mass == Approx(4.0 / 3));
}

TEST_CASE("thicknesses need a type, a fitting number and positive values, else they are named and ignored (SOFT-036)")
{
    struct {
        const char *values, *type;
        double      radius0, radius3;
    } const table[] = {{"[0.02]", "constant", 0.01, 0.01},
                       {"[0.02, 0.04]", "face", 0.015, 0.02},  // point 0 lies on both faces, point 3 on the second
                       {"[0.02, 0.04, 0.06, 0.08]", "point", 0.01, 0.04},
                       {"[0.02, 0.04, 0.06]", "point", 0.0005, 0.0005},
                       {"[0.02]", "corner", 0.0005, 0.0005},
                       {"[-0.02]", "constant", 0.0005, 0.0005},
                       {"[0]", "constant", 0.0005, 0.0005},
                       {"[nan]", "constant", 0.0005, 0.0005}};
    for (const auto& row : table) {
        CAPTURE(row.values);
        CAPTURE(row.type);
        const Imported in = import_text(stage_text(cloth(thick(row.values, row.type))));
        REQUIRE(in.result);
        CHECK(in.builder.particles[0].radius == Approx(row.radius0).epsilon(1e-6));
        CHECK(in.builder.particles[3].radius == Approx(row.radius3).epsilon(1e-6));
        CHECK((in.found.count("IMPORT_DEFORMABLE_VALUE") > 0) == (row.radius0 == 0.0005));
    }
}

TEST_CASE("a rest shape changes areas, masses and lengths at rest, and not the positions (SOFT-039, GAP-109)")
{
    const Imported in = import_text(
        stage_text(cloth(thick("[0.001]", "constant") +
                         "point3f[] physics:restShapePoints = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)]")));
    REQUIRE(in.result);
    CHECK(in.builder.particles[2].q == Vec3d{1, 1, 1});
    CHECK(in.builder.tri_elements[0].area == Approx(2));
    CHECK(total_mass(in.builder) == Approx(4));
    CHECK(in.builder.edge_elements[0].rest_length == Approx(2));
    const Imported bad = import_text(
        stage_text(cloth(thick("[0.001]", "constant") + "point3f[] physics:restShapePoints = [(0, 0, 0), (2, 0, 0)]")));
    REQUIRE(bad.result);
    CHECK(bad.builder.tri_elements[0].area == Approx(0.5));
    CHECK(bad.found.count("IMPORT_DEFORMABLE_REST") == 1);
}

TEST_CASE("flat and inverted elements are left out and counted, and a mesh of nothing else is skipped (SOFT-076)")
{
    const std::string two =
        R"(def TetMesh "soft" ( prepend apiSchemas = ["PhysicsVolumeDeformableSimAPI", "PhysicsCollisionAPI"] ) {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)]
    int4[] tetVertexIndices = [(0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 2, 4)]
}
)";
    const Imported in = import_text(stage_text(two));
    REQUIRE(in.result);
    CHECK(in.builder.tets.size() == 1);
    REQUIRE(in.found.count("IMPORT_DEFORMABLE_ELEMENT") == 1);
    const std::string said = in.found.find("IMPORT_DEFORMABLE_ELEMENT")->message;
    CHECK(said.find("1 are inverted and 1 flat") != std::string::npos);
    CHECK(in.found.find("IMPORT_DEFORMABLE_ELEMENT")->site.prim == "/soft");
    for (const char* indices : {"[(0, 2, 1, 3)]", "[(0, 1, 2, 99)]", "[]", "[(0, 1, -2, 3)]"}) {
        CAPTURE(indices);
        const Imported none =
            import_text(stage_text("def TetMesh \"soft\" ( prepend apiSchemas = [\"PhysicsVolumeDeformableSimAPI\"] ) "
                                   "{\n    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), "
                                   "(0, 0, 1)]\n    int4[] tetVertexIndices = " +
                                   std::string(indices) + "\n}\n"));
        REQUIRE(none.result);
        CHECK(none.builder.particles.empty());
        CHECK(none.found.count("IMPORT_DEFORMABLE_SKIPPED") == 1);
    }
    // Newton keeps the points and the skin of a mesh whose elements are all inverted, unless it has a rest shape.
    for (const bool rests : {false, true}) {
        CAPTURE(rests);
        const Imported newton = import_text(
            stage_text("def TetMesh \"soft\" ( prepend apiSchemas = [\"PhysicsVolumeDeformableSimAPI\"] ) {\n    "
                       "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n    int4[] "
                       "tetVertexIndices = [(0, 2, 1, 3)]\n    " +
                       std::string(rests ? "point3f[] physics:restShapePoints = [(0, 0, 0), (0, 1, 0), (1, 0, 0), "
                                           "(0, 0, 1)]\n"
                                         : "") +
                       "}\n"),
            newton_options());
        REQUIRE(newton.result);
        CHECK(newton.builder.particles.size() == (rests ? 0 : 4));
        CHECK(newton.builder.tri_indices.size() == (rests ? 0 : 4));
        CHECK(newton.builder.tets.empty());
    }
}

TEST_CASE("a disabled or kinematic deformable is skipped with one warning each (SOFT-028)")
{
    for (const char* flag : {"bool physics:bodyEnabled = 0", "bool physics:kinematicEnabled = 1"}) {
        CAPTURE(flag);
        const Imported in = import_text(stage_text(tet(std::string(flag))));
        REQUIRE(in.result);
        CHECK(in.builder.particles.empty());
        CHECK(in.found.count("IMPORT_DEFORMABLE_SKIPPED") == 1);
    }
}

TEST_CASE("without an enabled collider particles pass through what they meet, as in Newton they do not (SOFT-046)")
{
    const std::string bare = "\"PhysicsVolumeDeformableSimAPI\"";
    const Imported    in   = import_text(stage_text(tet("", bare)));
    REQUIRE(in.result);
    CHECK((in.builder.particles[0].flags & model::particle_flag::passes_through) != 0);
    const Imported newton = import_text(stage_text(tet("", bare)), newton_options());
    REQUIRE(newton.result);
    CHECK(newton.builder.particles[0].flags == model::particle_flag::active);
    CHECK(newton.found.count("IMPORT_DEFORMABLE_APPROXIMATED") == 1);
}

TEST_CASE("a curve is a rod of capsules whose joints have the rigidities of the section (SOFT-019, SOFT-020)")
{
    const Imported in =
        import_text(stage_text(cable(kBound + thick("[0.04]", "constant")) +
                               material("PhysicsCurvesDeformableMaterialAPI",
                                        "float physics:youngsModulus = 1e7\n    float physics:poissonsRatio = 0.3\n    "
                                        "float physics:density = 1000")));
    REQUIRE(in.result);
    CHECK(in.builder.bodies.size() == 3);
    REQUIRE(in.builder.joints.size() == 3);
    CHECK(in.builder.joints[0].type == model::JointType::free);
    const model::BuilderJoint& rod = in.builder.joints[1];
    CHECK(rod.type == model::JointType::rod);
    const double r = 0.02, E = 1e7, G = E / 2.6, L = 1;
    CHECK(rod.linear_axes[2].target_ke == Approx(E * kPi * r * r / L).epsilon(1e-6));
    CHECK(rod.linear_axes[0].target_ke == Approx(0.9 * G * kPi * r * r / L).epsilon(1e-6));
    CHECK(rod.angular_axes[0].target_ke == Approx(E * kPi * std::pow(r, 4) / 4 / L).epsilon(1e-6));
    CHECK(rod.angular_axes[2].target_ke == Approx(G * kPi * std::pow(r, 4) / 2 / L).epsilon(1e-6));
    // The mass of a cylinder, not of capsules that overlap (SOFT-021).
    CHECK(in.builder.bodies[0].mass == Approx(1000 * kPi * r * r * L).epsilon(1e-6));
    CHECK(in.builder.curves.size() == 1);
    const Imported ring = import_text(
        stage_text(cable("uniform token wrap = \"periodic\"", "[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]")));
    REQUIRE(ring.result);
    CHECK(ring.builder.bodies.size() == 4);
    CHECK(ring.builder.joints.size() == 5);
    CHECK(ring.builder.joints.back().articulation == -1);
    const Imported lone = import_text(stage_text(cable("", "[(0, 0, 0), (1, 0, 0)]")));
    REQUIRE(lone.result);
    CHECK(lone.builder.bodies.empty());
    CHECK(lone.found.count("IMPORT_DEFORMABLE_SKIPPED") == 1);
}

TEST_CASE("frames of a cable are carried along it, so that its joints bend and do not twist (SOFT-019)")
{
    const std::string bent = "[(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1)]";
    const std::string weld = R"(def PhysicsAttachment "weld" {
    rel physics:src0 = </cable>
    rel physics:src1 = </more>
    token physics:type0 = "point"
    token physics:type1 = "point"
    int[] physics:indices0 = [2]
    int[] physics:indices1 = [0]
}
)";
    std::string       more = cable("", "[(1, 1, 0), (1, 1, 1), (0, 1, 1)]");
    more.replace(more.find("\"cable\""), 7, "\"more\"");
    // One curve, and two that are welded end to end.
    for (const std::string& stage : {cable("", bent), cable("", "[(0, 0, 0), (1, 0, 0), (1, 1, 0)]") + more + weld}) {
        const Imported in = import_text(stage_text(stage));
        REQUIRE(in.result);
        REQUIRE(in.builder.bodies.size() == 4);
        CHECK(in.builder.articulations.size() == 1);
        CHECK(in.found.count("IMPORT_JOINT_SNAPPED") == 0);
        const Vec3d along[]  = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}};
        const Vec3d middle[] = {{0.5, 0, 0}, {1, 0.5, 0}, {1, 1, 0.5}, {0.5, 1, 1}};
        for (std::size_t i = 0; i < 4; ++i) {
            CAPTURE(i);
            const Quatd q = in.builder.bodies[i].q.q;
            CHECK(length(rotate(q, Vec3d{0, 0, 1}) - along[i]) < 1e-9);
            CHECK(length(in.builder.bodies[i].q.p - middle[i]) < 1e-9);
            if (i == 0) continue;
            // From one segment to the next it turns about what is across both.
            const Quatd turn = conjugate(in.builder.bodies[i - 1].q.q) * q;
            CHECK(std::abs(turn.z) < 1e-9);
            CHECK(std::abs(turn.w) == Approx(std::sqrt(0.5)).epsilon(1e-9));
        }
    }
}

TEST_CASE(
    "an attachment at the end of a cable is the root of its tree, one at a particle holds it at the body (SOFT-042, "
    "SOFT-043, GAP-109)")
{
    const std::string held = R"(def PhysicsAttachment "hold" {
    rel physics:src0 = </cable>
    token physics:type0 = "point"
    token physics:type1 = "xform"
    int[] physics:indices0 = [0]
    point3f[] physics:coords1 = [(0, 0, 0)]
}
)";
    const Imported    in   = import_text(stage_text(cable() + held));
    REQUIRE(in.result);
    REQUIRE(in.builder.joints.size() == 3);
    CHECK(in.builder.joints[0].type == model::JointType::ball);
    CHECK(in.builder.joints[0].parent == -1);
    CHECK(in.builder.articulations.size() == 1);
    REQUIRE(in.result->attachments.size() == 1);
    CHECK(in.result->attachments[0].joints == std::vector<std::int32_t>{0});

    const std::string box = R"(def Cube "box" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"] ) {
    double3 xformOp:translate = (0, 0, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsAttachment "pin" {
    rel physics:src0 = </cloth>
    rel physics:src1 = </box>
    token physics:type0 = "point"
    token physics:type1 = "xform"
    int[] physics:indices0 = [1, 2]
    point3f[] physics:coords1 = [(1, 0, -1), (1, 1, -1)]
    float physics:stiffness = 500
}
)";
    const Imported    soft = import_text(stage_text(cloth() + box));
    REQUIRE(soft.result);
    REQUIRE(soft.builder.attachments.size() == 2);
    CHECK(soft.builder.attachments[1].particle == 2);
    CHECK(soft.builder.attachments[1].body == 0);
    CHECK(soft.builder.attachments[1].stiffness == 500);
    CHECK(soft.found.count("IMPORT_PROPERTY_UNKNOWN") == 0);
    CHECK(length(soft.builder.attachments[1].body_point - Vec3d{1, 1, -1}) < 1e-6);

    // To the world: Newton cannot.
    std::string world = box;
    world.replace(world.find("rel physics:src1 = </box>"), 25, "");
    const Imported fixed = import_text(stage_text(cloth() + world));
    REQUIRE(fixed.result);
    REQUIRE(fixed.builder.attachments.size() == 2);
    CHECK(fixed.builder.attachments[0].body == -1);
    const Imported newton = import_text(stage_text(cloth() + world), newton_options());
    REQUIRE(newton.result);
    CHECK(newton.builder.attachments.empty());
    CHECK_FALSE(newton.result->attachments[0].unsupported.empty());
}

TEST_CASE("each authored value of a deformable is in the ledger, with what became of it")
{
    ImportOptions options;
    options.ledger    = true;
    const Imported in = import_text(
        stage_text(cloth(kBound + thick("[0.01]", "constant") +
                         "float[] physics:masses = [1, 2]\n    token physics:masses:elementType = \"face\"\n    "
                         "float physics:youngsModulus = 3") +
                   material("PhysicsSurfaceDeformableMaterialAPI",
                            "float physics:youngsModulus = 2e6\n    float physics:poissonsRatio = 2")),
        options);
    REQUIRE(in.result);
    const auto verdict = [&](const std::string& prim, const std::string& property) {
        for (const LedgerEntry& e : in.result->ledger)
            if (e.prim == prim && e.property == property) return std::string(to_string(e.verdict));
        return std::string("missing");
    };
    CHECK(verdict("/cloth", "physics:thicknesses") == "used");
    CHECK(verdict("/cloth", "physics:masses") == "used");
    CHECK(verdict("/cloth", "physics:youngsModulus") == "ignored");
    CHECK(verdict("/m", "physics:youngsModulus") == "used");
    CHECK(verdict("/m", "physics:poissonsRatio") == "ignored");
    CHECK(in.found.count("IMPORT_PROPERTY_UNKNOWN") == 0);
}
