#include <algorithm>

#include "import_support.h"

namespace mechane::importer::test {
using mechane::test::close_to;

namespace {

/// A box of 2 m by 1 m by 0.2 m, turned by a quarter about z on its body, which stands turned by another quarter.
std::string belt(const std::string& lines, const char* apis = "\"PhysicsRigidBodyAPI\", \"PhysxSurfaceVelocityAPI\"")
{
    return std::string("def Xform \"belt\" (prepend apiSchemas = [") + apis + R"(])
{
    bool physics:kinematicEnabled = 1
    double3 xformOp:translate = (5, 0, 0)
    float xformOp:rotateZ = 90
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ"]
)" + lines +
           R"(
    def Cube "top" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        double size = 1
        double3 xformOp:translate = (1, 0, 0)
        float xformOp:rotateZ = 90
        float3 xformOp:scale = (2, 1, 0.2)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]
    }
}
)";
}

ImportOptions with_physx()
{
    ImportOptions options;
    options.schema_resolvers = {"newton", "physx"};
    options.ledger           = true;
    return options;
}

/// What the surface does at a point of the shape, in the world.
Vec3d velocity_at(const Imported& in, const char* path, const Vec3d& p_S)
{
    const model::BuilderShape& shape = in.shape_at(path);
    const Posed     X_WB = shape.body >= 0 ? in.builder.bodies[static_cast<std::size_t>(shape.body)].q : Posed{};
    const Posed     X_WS = X_WB * shape.xform;
    const Spatiald& v    = shape.config.surface_velocity;
    if (shape.config.surface_in_world) return v.linear + cross(v.angular, rotate(X_WS.q, p_S));
    return rotate(X_WS.q, v.linear + cross(v.angular, p_S));
}

}  // namespace

TEST_CASE("the velocity of a body's surface reaches its colliders in their own frames (DYN-091)")
{
    const std::string linear       = "vector3f physxSurfaceVelocity:surfaceVelocity = (2, 0, 0)\n",
                      angular      = "vector3f physxSurfaceVelocity:surfaceAngularVelocity = (0, 0, 90)\n",
                      world        = "bool physxSurfaceVelocity:surfaceVelocityLocalSpace = 0\n";
    constexpr double  kQuarterTurn = 0.5 * kPi;
    struct {
        const char* what;
        std::string lines;
        Vec3d       center, corner;  ///< at the box's middle and a metre along its x, which is the world's -x
    } table[] = {
        // The body's x is the world's y.
        {"body axes", linear, {0, 2, 0}, {0, 2, 0}},
        {"world axes", linear + world, {2, 0, 0}, {2, 0, 0}},
        // About the body's origin, a metre behind the box along the world's y: the middle goes to -x; a metre further
        // to -x it goes to -y as well.
        {"turning", angular, {-kQuarterTurn, 0, 0}, {-kQuarterTurn, -kQuarterTurn, 0}},
        {"turning, world axes", angular + world, {-kQuarterTurn, 0, 0}, {-kQuarterTurn, -kQuarterTurn, 0}},
        {"switched off", linear + "bool physxSurfaceVelocity:surfaceVelocityEnabled = 0\n", {}, {}},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const Imported in = import_text(stage_text(belt(row.lines)), with_physx());
        REQUIRE(in.result);
        CHECK(length(velocity_at(in, "/belt/top", {}) - row.center) < 1e-6);  // authored as float
        CHECK(length(velocity_at(in, "/belt/top", {1, 0, 0}) - row.corner) < 1e-6);
        Diagnostics found;
        const auto  model = in.builder.finalize({}, found);
        REQUIRE(model);
        CHECK(model->shape_surface_velocity.size() == model->shape_count());
        // Solvers go by the flag of the model.
        for (std::size_t s = 0; s < model->shape_count(); ++s)
            if (model->shape_surface_velocity[s] != Spatial{})
                CHECK(((model->shape_flags[s] & model::shape_flag::surface_in_world) != 0) ==
                      (row.lines.find("LocalSpace = 0") != std::string::npos));
    }
}

TEST_CASE(
    "a collider's own word goes before its body's, a static collider has one too, and without the API or the "
    "resolver nothing moves")
{
    const std::string linear = "vector3f physxSurfaceVelocity:surfaceVelocity = (2, 0, 0)\n";
    const std::string floor =
        "def Cube \"floor\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", "
        "\"PhysxSurfaceVelocityAPI\"])\n{\n" +
        linear + "float xformOp:rotateZ = 90\nuniform token[] xformOpOrder = [\"xformOp:rotateZ\"]\n}\n";
    const Imported alone = import_text(stage_text(floor), with_physx());
    REQUIRE(alone.result);
    CHECK(length(velocity_at(alone, "/floor", {}) - Vec3d{0, 2, 0}) < 1e-6);

    const Imported off = import_text(stage_text(belt(linear)), {});
    CHECK(off.shape_at("/belt/top").config.surface_velocity == Spatiald{});
    const Imported bare = import_text(stage_text(belt(linear, "\"PhysicsRigidBodyAPI\"")), with_physx());
    CHECK(bare.shape_at("/belt/top").config.surface_velocity == Spatiald{});
}

TEST_CASE("the ledger says that the surface's velocity is used")
{
    const Imported in = import_text(stage_text(belt("vector3f physxSurfaceVelocity:surfaceVelocity = (2, 0, 0)\n"
                                                    "bool physxSurfaceVelocity:surfaceVelocityLocalSpace = 1\n")),
                                    with_physx());
    REQUIRE(in.result);
    int seen = 0;
    for (const LedgerEntry& entry : in.result->ledger) {
        if (!entry.property.starts_with("physxSurfaceVelocity:")) continue;
        CAPTURE(entry.property);
        CHECK(entry.verdict == Verdict::converted);
        ++seen;
    }
    CHECK(seen == 2);
}

}  // namespace mechane::importer::test
