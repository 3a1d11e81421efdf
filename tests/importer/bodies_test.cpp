#include "import_support.h"

namespace mechane::importer::test {
using mechane::test::angle_between;
using mechane::test::close_to;
using mechane::test::distance;

namespace {
constexpr const char* kBall = R"(
def Xform "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double size = 1 }
}
)";
}

TEST_CASE("one dynamic cube becomes one body, one shape, one free joint and one articulation (IMP-001, IMP-005)")
{
    const Imported in = import_text(stage_text(kBall));
    REQUIRE(in.result);
    CHECK(in.builder.bodies.size() == 1);
    CHECK(in.builder.shapes.size() == 1);
    REQUIRE(in.builder.joints.size() == 1);
    CHECK(in.builder.joints[0].type == model::JointType::free);
    CHECK(in.builder.joints[0].label == "joint_1");  // IMP-015
    CHECK(in.builder.articulations.size() == 1);
    CHECK(in.body("/ball") == 0);
    CHECK(in.shape("/ball/box") == 0);
    CHECK(in.body_at("/ball").mass == close_to(1000, 1e-9));  // 1 m^3 of water
}

TEST_CASE("the up axis of the stage is turned onto the builder's (IMP-004, IMP-048)")
{
    const Imported in = import_text(stage_text(kBall, "metersPerUnit = 1\n    upAxis = \"Y\""));
    REQUIRE(in.result);
    CHECK(in.result->up_axis == 'Y');
    // (1, 2, 3) turned by 90 degrees about x is (1, -3, 2).
    CHECK(distance(in.body_at("/ball").q.p, Vec3d{1, -3, 2}) < 1e-12);
    CHECK(angle_between(in.body_at("/ball").q.q, Quatd{std::sqrt(0.5), 0, 0, std::sqrt(0.5)}) < 1e-12);
    CHECK(in.builder.gravity == Vec3d{0, 0, -9.81});  // no dust in x and y
    SUBCASE("unless the builder takes the stage's (IMP-049)")
    {
        ImportOptions options;
        options.apply_up_axis_from_stage = true;
        const Imported as_is = import_text(stage_text(kBall, "metersPerUnit = 1\n    upAxis = \"Y\""), options);
        CHECK(as_is.builder.up_axis == 1);
        CHECK(distance(as_is.body_at("/ball").q.p, Vec3d{1, 2, 3}) == 0);
    }
}

TEST_CASE(
    "everything is converted to metres and kilograms, and Newton's numbers are kept on request (GAP-001, IMP-051, "
    "IMP-052)")
{
    const char*    crate = R"(
def Xform "crate" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 2000
    double3 xformOp:translate = (0, 0, 50)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double size = 100 }
}
)";
    const char*    units = "metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001\n    upAxis = \"Z\"";
    const Imported si    = import_text(stage_text(crate, units));
    REQUIRE(si.result);
    CHECK(si.shape_at("/crate/box").scale.x == close_to(0.5, 1e-12));
    CHECK(si.body_at("/crate").q.p.z == close_to(0.5, 1e-12));
    CHECK(si.body_at("/crate").mass == close_to(2, 1e-9));
    CHECK(si.body_at("/crate").inertia.r0.x == close_to(2.0 / 6, 1e-6));  // m a^2 / 6 of a cube of 1 m
    CHECK(si.builder.gravity == Vec3d{0, 0, -9.81});
    CHECK(si.result->linear_unit == 0.01);
    CHECK(si.found.count("IMPORT_STAGE_LINEAR_UNIT") == 1);
    CHECK(si.found.count("IMPORT_STAGE_MASS_UNIT") == 1);

    const Imported raw = import_text(stage_text(crate, units), newton_options());
    REQUIRE(raw.result);
    CHECK(raw.shape_at("/crate/box").scale.x == 50);
    CHECK(raw.builder.gravity.z == close_to(-981, 1e-6));
}

TEST_CASE("a stage that does not say its unit is in metres, and says so (GAP-002)")
{
    const Imported in = import_text(stage_text(kBall, "upAxis = \"Z\""));
    REQUIRE(in.result);
    CHECK(distance(in.body_at("/ball").q.p, Vec3d{1, 2, 3}) == 0);
    CHECK(in.builder.gravity == Vec3d{0, 0, -9.81});
    CHECK(in.body_at("/ball").mass == close_to(1000, 1e-9));
    CHECK(in.found.count("STAGE_UNITS_UNAUTHORED") == 1);
    ImportOptions usd_units;
    usd_units.unauthored_units = UnauthoredUnits::usd;
    CHECK(import_text(stage_text(kBall, "upAxis = \"Z\""), usd_units).body_at("/ball").q.p.z == close_to(0.03, 1e-12));
}

TEST_CASE("velocities are local to the body and in degrees (IMP-060, IMP-061, IMP-062)")
{
    const Imported in = import_text(stage_text(R"(
def Cube "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    float3 xformOp:rotateXYZ = (0, 0, 90)
    uniform token[] xformOpOrder = ["xformOp:rotateXYZ"]
    vector3f physics:velocity = (1, 2, 3)
    vector3f physics:angularVelocity = (90, 0, 0)
}
)"));
    REQUIRE(in.result);
    // (1, 2, 3) turned by 90 degrees about z is (-2, 1, 3).
    CHECK(distance(in.body_at("/ball").qd.linear, Vec3d{-2, 1, 3}) < 1e-6);
    CHECK(distance(in.body_at("/ball").qd.angular, Vec3d{0, kPi / 2, 0}) < 1e-6);
    Diagnostics out;
    const auto  model = in.builder.finalize({}, out);
    REQUIRE(model);
    CHECK(static_cast<double>(model->joint_qd[0]) == close_to(-2, 1e-6));
}

TEST_CASE("a disabled body is part of the world; Newton keeps it as a massless body (IMP-065)")
{
    const char*    stage = R"(
def Cube "wall" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:rigidBodyEnabled = 0 }
)";
    const Imported in    = import_text(stage_text(stage));
    REQUIRE(in.result);
    CHECK(in.builder.bodies.empty());
    CHECK(in.shape_at("/wall").body == model::kWorldBody);
    const Imported newton = import_text(stage_text(stage), newton_options());
    REQUIRE(newton.result);
    REQUIRE(newton.builder.bodies.size() == 1);
    CHECK(newton.builder.bodies[0].mass == 0);
    CHECK(newton.shape_at("/wall").body == model::kWorldBody);
}

TEST_CASE("a kinematic body has the kinematic flag and no other (IMP-063)")
{
    const Imported in = import_text(stage_text(R"(
def Cube "belt" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { bool physics:kinematicEnabled = 1 }
)"));
    REQUIRE(in.result);
    CHECK(in.body_at("/belt").flags == model::body_flag::kinematic);
}

TEST_CASE(
    "an expression ignores paths from their start, and the colliders of an ignored body stay as static shapes "
    "(IMP-036, IMP-037, IMP-038)")
{
    ImportOptions options;
    options.ignore_paths     = {"/ball$"};
    const Imported body_only = import_text(stage_text(kBall), options);
    REQUIRE(body_only.result);
    CHECK(body_only.builder.bodies.empty());
    REQUIRE(body_only.builder.shapes.size() == 1);
    CHECK(body_only.builder.shapes[0].body == model::kWorldBody);
    CHECK(distance(body_only.builder.shapes[0].xform.p, Vec3d{1, 2, 3}) < 1e-12);
    CHECK(body_only.found.count("IMPORT_IGNORED_BODY_SHAPES") == 1);

    options.ignore_paths   = {"/ball"};
    const Imported subtree = import_text(stage_text(kBall), options);
    CHECK(subtree.builder.bodies.empty());
    CHECK(subtree.builder.shapes.empty());
    options.ignore_paths = {"(("};
    CHECK(import_text(stage_text(kBall), options).error == "IMPORT_ARG_OPTION");
}

TEST_CASE("only the subtree of root_path is imported, and it must exist (IMP-033, IMP-034)")
{
    ImportOptions options;
    options.root_path = "/ball";
    CHECK(import_text(stage_text(std::string(kBall) +
                                 "def Cube \"other\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) { }"),
                      options)
              .builder.bodies.size() == 1);
    options.root_path = "/missing";
    const Imported in = import_text(stage_text(kBall), options);
    CHECK(in.error == "IMPORT_ROOT_PATH");
    CHECK(in.builder.bodies.empty());
}

TEST_CASE("contradicting arguments are refused before anything is read (IMP-019, IMP-020, IMP-021, IMP-022)")
{
    struct {
        const char*                         error;
        std::function<void(ImportOptions&)> set;
    } table[] = {
        {"IMPORT_ARG_BASE",
         [](ImportOptions& o) {
             o.floating = true;
             o.base_joint.emplace();
         }},
        {"IMPORT_ARG_BASE",
         [](ImportOptions& o) {
             o.floating    = true;
             o.parent_body = 0;
         }},
        {"IMPORT_ARG_BASE", [](ImportOptions& o) { o.base_joint.emplace().parent = 0; }},
        {"IMPORT_ARG_BASE", [](ImportOptions& o) { o.base_joint.emplace().child_xform.p = {1, 0, 0}; }},
        {"IMPORT_ARG_ROOT_XFORM", [](ImportOptions& o) { o.override_root_xform = true; }},
        {"IMPORT_ARG_PARENT", [](ImportOptions& o) { o.parent_body = 7; }},
    };
    for (const auto& row : table) {
        ImportOptions options;
        row.set(options);
        const Imported in = import_text(stage_text(kBall), options);
        CHECK(in.error == row.error);
        CHECK(in.builder.bodies.empty());
    }
}

TEST_CASE("options are read from text and wrong ones are named (IMP-013)")
{
    struct {
        const char *key, *value, *error;
    } table[] = {
        {"schema_resolvers", "newton,physx", ""},
        {"floating", "True", ""},
        {"xform", "[0,0,1,0,0,0,1]", ""},
        {"compat", "newton-1.8", ""},
        {"joint_ordering", "foo", "IMPORT_ARG_JOINT_ORDERING"},
        {"floating", "perhaps", "IMPORT_ARG_OPTION"},
        {"flaoting", "true", "IMPORT_ARG_OPTION"},
        {"xform", "[0,0,1]", "IMPORT_ARG_OPTION"},
        {"mesh_maxhullvert", "12.5", "IMPORT_ARG_OPTION"},
    };
    for (const auto& row : table) {
        CAPTURE(row.key);
        ImportOptions options;
        const auto    done = set_option(options, row.key, row.value);
        CHECK((done ? std::string{} : done.error().id) == row.error);
    }
    ImportOptions options;
    REQUIRE(set_option(options, "schema_resolvers", "newton,physx"));
    CHECK(options.schema_resolvers == std::vector<std::string>{"newton", "physx"});
}

TEST_CASE("free bodies keep their authored order (IMP-006)")
{
    std::string text;
    for (const char* name : {"z0", "m1", "a2"})
        text += std::string("def Cube \"") + name +
                "\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"]) { }\n";
    CHECK(import_text(stage_text(text)).body_labels() == std::vector<std::string>{"/z0", "/m1", "/a2"});
}

TEST_CASE("two scenes are two worlds with a gravity each (GAP-006)")
{
    const std::string two = R"(#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "earth" { float physics:gravityMagnitude = 9.81 }
def PhysicsScene "moon" { float physics:gravityMagnitude = 1.62 }
def Sphere "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { rel physics:simulationOwner = </earth> }
def Sphere "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) { rel physics:simulationOwner = </moon> }
)";
    const Imported    in  = import_text(two);
    REQUIRE(in.result);
    REQUIRE(in.builder.world_gravity.size() == 2);
    CHECK(in.builder.world_gravity[1].z == close_to(-1.62, 1e-6));
    CHECK(in.body_at("/a").world == 0);
    CHECK(in.body_at("/b").world == 1);
    CHECK(in.result->scenes[1].world == 1);
    CHECK(in.result->physics_scene_path == "/earth");
}

}  // namespace mechane::importer::test
