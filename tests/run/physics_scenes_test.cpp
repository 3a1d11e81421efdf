// What UsdPhysics promises of a scene, on stages that are simulated.
#include "mechane/importer/import_usd.h"
#include "mechane/record/write.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/simulate.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;

namespace {

/// Positions of a stage's first body over a run of 1 s.
std::vector<Vec3d> path_of_first_body(const std::string& prims, int frames = 100)
{
    const auto stage = usd::Stage::open_text(
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\ndef PhysicsScene \"scene\"\n{\n}\n" + prims);
    REQUIRE(stage);
    model::ModelBuilder builder;
    Diagnostics         found;
    REQUIRE(importer::import_usd(**stage, {}, builder, found));
    const auto model = builder.finalize({}, found);
    REQUIRE(model);
    const auto run = run::simulate(*model, {.dt = 0.01, .frames = frames, .threads = 1}, found);
    REQUIRE(run);
    std::vector<Vec3d> out;
    for (const auto& frame : run->recording.frames) out.push_back(static_cast<Vec3d>(frame.body_q[0].p));
    return out;
}

std::string cube(const char* friction, const char* velocity)
{
    return std::string(R"(
def Material "hard" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{
    float physics:dynamicFriction = 0.6
    float physics:staticFriction = 0.6
}
def Material "soft" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{
    float physics:dynamicFriction = )") +
           friction + R"(
    float physics:staticFriction = )" +
           friction + R"(
}
def Cube "box" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    double size = 0.4
    rel material:binding:physics = </soft>
    vector3f physics:velocity = )" +
           velocity + R"(
    double3 xformOp:translate = (0, 0, 0.2)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Cube "floor" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    double size = 20
    rel material:binding:physics = </hard>
    double3 xformOp:translate = (0, 0, -10)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
)";
}

}  // namespace

TEST_CASE("two surfaces rub with the average of their coefficients (PHY-056)")
{
    // 2 m/s, mu = (0.2 + 0.6) / 2: it stops after v^2 / (2 mu g) = 4 / (2 * 0.4 * 9.81) = 0.5097 m, in 0.51 s.
    // Products would give 1.70 m, the smaller one 1.02 m, the larger 0.34 m.
    const auto path = path_of_first_body(cube("0.2", "(2, 0, 0)"));
    CHECK(path.back().x == close_to(0.5097, 0.02));  // one substep of sliding at the ends, rocking of a rigid box
    CHECK(path.back().z == close_to(0.2, 2e-3));
}

TEST_CASE("the hull of one flat quad has a thickness that carries a box (PHY-048)")
{
    const auto path = path_of_first_body(R"(
def Cube "box" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
)
{
    double size = 0.4
    double3 xformOp:translate = (0.1, 0, 0.3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Mesh "quad" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]
)
{
    uniform token physics:approximation = "convexHull"
    point3f[] points = [(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)]
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
}
)",
                                         200);
    // The plate is 1e-4 of its extent of 4 m thick, half of it above its middle.
    CHECK(path.back().z == close_to(0.2, 2e-3));
    CHECK(path.back().x == close_to(0.1, 2e-3));
}

TEST_CASE("poses that were not changed are written back as they were authored (PHY-126)")
{
    const test::TemporaryFolder folder;
    // Nested and turned parents, scale on a body and above it, units of centimetres, y up; joined by a fixed joint so
    // that nothing moves the bodies apart at the start.
    const std::string source = folder.write("source.usda", R"(#usda 1.0
(
    defaultPrim = "w"
    metersPerUnit = 0.01
    upAxis = "Y"
)
def PhysicsScene "scene"
{
    float physics:gravityMagnitude = 0
}
def Xform "w"
{
    double3 xformOp:translate = (12, -7, 3)
    float3 xformOp:rotateXYZ = (10, 20, 30)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
    def Cube "a" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        double3 xformOp:translate = (1, 2, 3)
        float3 xformOp:scale = (2, 3, 4)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    }
    def Xform "big"
    {
        float3 xformOp:scale = (5, 5, 5)
        uniform token[] xformOpOrder = ["xformOp:scale"]
        def Sphere "b" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
        )
        {
            double3 xformOp:translate = (4, 0, 0)
            quatf xformOp:orient = (0.5, 0.5, 0.5, 0.5)
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        }
    }
}
)");
    Diagnostics       found;
    const auto        scene = run::load_scene(source, {}, found);
    REQUIRE(scene);
    const auto done = run::simulate(scene->model, {.dt = 0.01, .frames = 1, .threads = 1}, found);
    REQUIRE(done);
    record::Recording recording     = done->recording;
    recording.source                = source;
    const std::string          file = (folder.path() / "back.usda").string();
    const record::WriteOptions options{.usd = {.meters_per_unit = 0.01,
                                               .up_axis         = 'Y',
                                               .X_WS            = {{}, from_axis_angle<double>({1, 0, 0}, kPi / 2)},
                                               .stage           = scene->stage.get()}};
    REQUIRE(record::write(scene->model, recording, file, options, found));
    const auto back = usd::Stage::open(file);
    REQUIRE(back);
    for (const char* path : {"/w/a", "/w/big/b"}) {
        CAPTURE(path);
        const auto authored = scene->stage->world_matrix(scene->stage->prim_at(usd::Path(path)));
        const auto written  = (*back)->world_matrix((*back)->prim_at(usd::Path(path)), 0.0);
        // The model holds single precision: 1e-6 of the largest number, about 40 units.
        for (int row = 0; row < 4; ++row)
            for (int column = 0; column < 4; ++column)
                CHECK(std::abs(written(row, column) - authored(row, column)) < 1e-6 * 40);
    }
}
