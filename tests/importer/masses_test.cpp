#include "import_support.h"

namespace mechane::importer::test {
using mechane::test::close_to;

TEST_CASE("a diagonal inertia without axes is in the body's frame (GAP-026)")
{
    // OpenUSD's mass computer would take the axes of the box that stands turned by 45 degrees.
    const Imported in = import_text(stage_text(R"(
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    float3 physics:diagonalInertia = (7, 8, 9)
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        double size = 1
        float3 xformOp:rotateXYZ = (0, 0, 45)
        float3 xformOp:scale = (1, 2, 3)
        uniform token[] xformOpOrder = ["xformOp:rotateXYZ", "xformOp:scale"]
    }
}
)"));
    REQUIRE(in.result);
    const Mat33d& inertia = in.body_at("/b").inertia;
    CHECK(inertia(0, 0) == close_to(7, 1e-9));
    CHECK(inertia(1, 1) == close_to(8, 1e-9));
    CHECK(inertia(2, 2) == close_to(9, 1e-9));
    CHECK(inertia(0, 1) == close_to(0, 1e-9));
    CHECK(in.body_at("/b").mass == close_to(6000, 1e-9));  // 1 x 2 x 3 m of 1000 kg/m3
}

TEST_CASE("a collider without a volume is left out of the mass, and a body without mass does not move (GAP-028)")
{
    const Imported in = import_text(stage_text(R"(
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double size = 1
 }
    def Plane "p" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
}
)"));
    CHECK(in.found.count("RESOLVE_COLLIDER_NO_MASS") == 1);
    CHECK(in.body_at("/b").mass == close_to(1000, 1e-9));
    const Imported none = import_text(
        stage_text("def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) { }\n"), newton_options());
    Diagnostics out;
    const auto  m = none.builder.finalize({}, out);
    REQUIRE(m);
    CHECK(m->body_mass.at(0) == 0);
    CHECK(m->body_inv_mass.at(0) == 0);
    CHECK(m->body_inv_inertia.at(0) == Mat33{});
}

TEST_CASE("a body that nothing gives a mass weighs one unit, as a ball of 0.1 m, and is free (GAP-031)")
{
    const std::string text = stage_text("def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) { }\n");
    const Imported    in   = import_text(text);
    CHECK(in.body_at("/b").mass == 1);
    CHECK(in.body_at("/b").inertia(0, 0) == close_to(0.004, 1e-12));  // 2/5 of 0.1 squared
    CHECK(in.found.count("PHY_MASS_DEFAULTED") == 1);
    REQUIRE(in.builder.joints.size() == 1);
    CHECK(in.builder.joints[0].type == model::JointType::free);
    const Imported newton = import_text(text, newton_options());
    CHECK(newton.body_at("/b").mass == 0);
    CHECK(newton.builder.joints.empty());
}

TEST_CASE("a density above the body holds below it, a mass above one body is its mass; nearer ones go first")
{
    const auto body = [](const std::string& above, const std::string& own, bool nested) {
        const std::string box = "def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { double size = 1 }";
        return stage_text("def Xform \"W\" (prepend apiSchemas = [\"PhysicsMassAPI\"]) {\n" + above + "\ndef Xform \"mid\" {\n" +
                          (nested ? "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]) {\n" + own + "\n" + box + "\n}"
                                  : "def Cube \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\", \"PhysicsCollisionAPI\"]) {\n double size = 1\n" +
                                        own + "\n}") +
                          "\n}\n}\n");
    };
    struct {
        const char *above, *own;
        double      mass;
        int         misplaced;
    } table[] = {{"float physics:density = 200", "", 200, 0},
                 {"float physics:density = 200", "float physics:density = 300", 300, 1},
                 {"float physics:density = 200", "float physics:mass = 5", 5, 1},
                 {"float physics:mass = 7", "", 7, 0},
                 {"float physics:mass = 7", "float physics:mass = 5", 7, 0},  // the parent's explicit total overrides
                 {"", "", 1000, 0}};
    for (const auto& row : table)
        for (const bool nested : {false, true}) {
            CAPTURE(row.above);
            CAPTURE(row.own);
            CAPTURE(nested);
            const Imported in = import_text(body(row.above, row.own, nested));
            REQUIRE(in.result);
            CHECK(in.body_at("/W/mid/b").mass == close_to(row.mass, 1e-6));
            CHECK(in.found.count("PHY_API_MISPLACED") == static_cast<std::size_t>(row.misplaced));
        }
    // Of two bodies no one has it.
    const Imported two = import_text(stage_text(
        "def Xform \"W\" (prepend apiSchemas = [\"PhysicsMassAPI\"]) {\n float physics:mass = 7\n"
        "def Cube \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) { double size = 1 }\n"
        "def Cube \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) { double size = 1 }\n}\n"));
    CHECK(two.body_at("/W/a").mass == close_to(1000, 1e-6));
    CHECK(two.found.count("PHY_API_MISPLACED") == 1);
}

}  // namespace mechane::importer::test
