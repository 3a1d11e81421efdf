#include <fmt/format.h>

#include "import_support.h"
#include "robot_text.h"

namespace mechane::importer::test {
using mechane::test::close_to;

namespace {

ImportOptions with_resolvers(std::vector<std::string> names)
{
    ImportOptions options;
    options.schema_resolvers = std::move(names);
    return options;
}

/// The names under which a resolver collected attributes of a prim.
std::vector<std::string> collected(const Imported& in, const std::string& resolver, const std::string& path)
{
    std::vector<std::string> names;
    const auto&              prims = in.result->schema_attrs.at(resolver);
    if (const auto prim = prims.find(path); prim != prims.end())
        for (const auto& [name, value] : prim->second) names.push_back(name);
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("rules of older importers are off until they are asked for (GAP-009)")
{
    const std::string hinge =
        joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b", "custom double[] mjc:solref = [0.02, 0.5]");
    const std::string box =
        "def Cube \"box\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n    custom float "
        "physxCollision:contactOffset = 0.02\n}\n";
    const std::string heavy =
        "def Xform \"heavy\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]) {\n    float "
        "physics:mass = 2\n    def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) { double size = "
        "1\n}\n}\n";
    const std::string text    = stage_text(robot(body("a") + body("b", 1) + hinge) + box + heavy);
    ImportOptions     options = with_resolvers({"newton", "mjc", "physx"});
    const Imported    now     = import_text(text, options);
    REQUIRE(now.result);
    CHECK(now.joint_at("/robot/hinge").angular_axes.at(0).limit_ke == 1e4);  // the builder's
    CHECK(now.shape_at("/box").config.margin == 0);
    CHECK(now.body_at("/heavy").mass == 2);

    CHECK(set_option(options, "legacy", "mjc-solref-limits,physx-contact-offset-margin,mass-pair-rule"));
    const Imported then = import_text(text, options);
    REQUIRE(then.result);
    // (0.02, 0.5): 1 / t^2 = 2500 and 2 d / t = 50.
    CHECK(then.joint_at("/robot/hinge").angular_axes.at(0).limit_ke == close_to(2500, 1e-9));
    CHECK(then.joint_at("/robot/hinge").angular_axes.at(0).limit_kd == close_to(50, 1e-9));
    CHECK(then.shape_at("/box").config.margin == close_to(0.02, 1e-7));  // authored as float
    CHECK(then.body_at("/heavy").mass == close_to(1000, 1e-9));          // without an inertia the mass does not count

    ImportOptions hull = with_resolvers({"newton"});
    CHECK(set_option(hull, "legacy", "hull-vertex-limit-name"));
    CHECK_FALSE(set_option(hull, "legacy", "no-such-rule"));
}

TEST_CASE("what solvers author is collected once, for its own resolver, with its value (GAP-014, GAP-015)")
{
    const std::string text =
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\ndef PhysicsScene \"scene\" {\n    custom int "
        "physxScene:maxVelocityIterationCount = 16\n    custom float physx:foo = 3\n}\n"
        "def Xform \"free\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n    custom float "
        "physxRigidBody:linearDamping = 0.25\n    def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n"
        "        custom float physxCollision:contactOffset = 0.05\n        custom float3 "
        "physxSDFMeshCollision:meshScale = (1, 2, 3)\n        custom int newton:maxHullVertices = 32\n        custom "
        "float newton:contactGap = 0.01\n    }\n}\n"
        "def Xform \"robot\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]) {\n    custom bool "
        "physxArticulation:enabledSelfCollisions = false\n" +
        body("a") + body("b", 1) +
        joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b",
              "custom float mjc:model:joint:testMjcJointScalar = 1.5\n    custom float3 "
              "mjc:state:joint:testMjcJointVec3 = (4, 5, 6)") +
        "}\n";
    const Imported in = import_text(text, with_resolvers({"physx", "mjc", "newton"}));
    REQUIRE(in.result);
    CHECK(collected(in, "physx", "/scene") == Names{"physx:foo", "physxScene:maxVelocityIterationCount"});
    CHECK(collected(in, "physx", "/free") == Names{"physxRigidBody:linearDamping"});
    CHECK(collected(in, "physx", "/free/c") ==
          Names{"physxCollision:contactOffset", "physxSDFMeshCollision:meshScale"});
    CHECK(collected(in, "newton", "/free/c") == Names{"newton:contactGap", "newton:maxHullVertices"});
    CHECK(collected(in, "physx", "/robot") == Names{"physxArticulation:enabledSelfCollisions"});
    CHECK(collected(in, "mjc", "/robot/hinge") ==
          Names{"mjc:model:joint:testMjcJointScalar", "mjc:state:joint:testMjcJointVec3"});
    // Nowhere else.
    for (const char* resolver : {"physx", "mjc", "newton"})
        for (const char* path : {"/scene", "/free", "/free/c", "/robot", "/robot/hinge"}) {
            const Names names = collected(in, resolver, path);
            for (const std::string& name : names) CHECK(name.starts_with(resolver));
        }
    const auto& physx = in.result->schema_attrs.at("physx");
    CHECK(physx.at("/scene").at("physxScene:maxVelocityIterationCount").get<int>() == 16);
    CHECK(physx.at("/free").at("physxRigidBody:linearDamping").get<double>() == 0.25);
    CHECK(physx.at("/free/c").at("physxSDFMeshCollision:meshScale").get<Vec3d>() == Vec3d{1, 2, 3});
    CHECK(in.result->schema_attrs.at("mjc").at("/robot/hinge").at("mjc:model:joint:testMjcJointScalar").get<double>() ==
          1.5);
    // Every prim that became something has an entry, with or without values.
    for (const char* path : {"/scene", "/free", "/free/c", "/robot", "/robot/a", "/robot/b", "/robot/hinge"}) {
        CAPTURE(path);
        CHECK(physx.count(path) == 1);
    }
}

TEST_CASE("Newton's schemas bring the schema that they build on (GAP-017)")
{
    const auto collider = [](const char* type, const char* apis, const char* more = "") {
        return stage_text(fmt::format(
            "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {{\n    def {} \"c\" (prepend apiSchemas "
            "= [{}]) {{\n{}\n}}\n}}\n",
            type, apis, more));
    };
    const char* tetrahedron =
        "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n    int[] faceVertexCounts = [3, 3, 3, 3]\n  "
        "  "
        "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n    uniform token physics:approximation = "
        "\"convexHull\"";
    const char* weight  = "double[] newton:inertia = [1, 2, 2.5, 0, 0, 0]\n    float physics:mass = 3";
    const auto  massive = [&](const char* apis) {
        return stage_text(
            fmt::format("def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", {}]) {{\n    {}\n"
                        "    def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {{ }}\n}}\n",
                        apis, weight));
    };
    const auto painted = [&](const char* apis) {
        return stage_text(fmt::format(
            "def Material \"m\" (prepend apiSchemas = [{}]) {{\n    float physics:dynamicFriction = 0.3\n    float "
            "newton:rollingFriction = 0.01\n}}\ndef Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", "
            "\"MaterialBindingAPI\"]) {{\n    rel material:binding:physics = </m>\n}}\n",
            apis));
    };
    const auto rooted = [&](const char* apis) {
        return stage_text(fmt::format("def Xform \"robot\" (prepend apiSchemas = [{}]) {{\n", apis) + body("a") +
                          body("b", 1) + joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b") + "}\n");
    };
    const struct {
        const char* what;
        std::string alone, spelled_out;
    } table[] = {
        {"collider", collider("Cube", "\"NewtonCollisionAPI\""),
         collider("Cube", "\"PhysicsCollisionAPI\", \"NewtonCollisionAPI\"")},
        {"field", collider("Cube", "\"NewtonSDFCollisionAPI\""),
         collider("Cube", "\"PhysicsCollisionAPI\", \"NewtonSDFCollisionAPI\"")},
        {"mesh", collider("Mesh", "\"NewtonMeshCollisionAPI\"", tetrahedron),
         collider("Mesh", "\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\", \"NewtonMeshCollisionAPI\"",
                  tetrahedron)},
        {"mass", massive("\"NewtonMassAPI\""), massive("\"PhysicsMassAPI\", \"NewtonMassAPI\"")},
        {"material", painted("\"NewtonMaterialAPI\""), painted("\"PhysicsMaterialAPI\", \"NewtonMaterialAPI\"")},
        {"articulation", rooted("\"NewtonArticulationRootAPI\""),
         rooted("\"PhysicsArticulationRootAPI\", \"NewtonArticulationRootAPI\"")},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const Imported a = import_text(row.alone), b = import_text(row.spelled_out);
        Diagnostics    out;
        const auto     m = a.builder.finalize({}, out), n = b.builder.finalize({}, out);
        REQUIRE((m && n));
        CHECK(m->shape_count() == n->shape_count());
        CHECK(m->shape_count() >= 1);
        CHECK(m->shape_type == n->shape_type);
        CHECK(m->shape_flags == n->shape_flags);
        CHECK(m->shape_material_mu == n->shape_material_mu);
        CHECK(m->shape_material_mu_rolling == n->shape_material_mu_rolling);
        CHECK(m->shape_sdf_config == n->shape_sdf_config);
        CHECK(m->body_mass == n->body_mass);
        CHECK(m->body_inertia == n->body_inertia);
        CHECK(m->articulation_label == n->articulation_label);
        CHECK(m->joint_type == n->joint_type);
    }
    CHECK(import_text(table[4].alone).shape_at("/c").config.mu == close_to(0.3, 1e-7));
}

TEST_CASE("names that documents misspell are reported, and read as meant on request (GAP-018)")
{
    const std::string text   = stage_text(R"(
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    vector3f velocity = (1, 0, 0)
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
}
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
}
def RevoluteJoint "hinge" { rel physics:body0 = </a>
 rel physics:body1 = </b> }
)");
    const Imported    strict = import_text(text);
    REQUIRE(strict.result);
    CHECK(strict.found.count("PHY_NAME_SUSPECT") >= 2);
    CHECK(strict.result->path_joint_map.count("/hinge") == 0);
    CHECK(strict.body_at("/a").qd.linear == Vec3d{});
    ImportOptions lenient;
    CHECK(set_option(lenient, "lenient_names", "true"));
    const Imported meant = import_text(text, lenient);
    REQUIRE(meant.result);
    CHECK(meant.joint_at("/hinge").type == model::JointType::revolute);
    CHECK(mechane::test::distance(meant.body_at("/a").qd.linear, Vec3d{1, 0, 0}) < 1e-6);
}

TEST_CASE("settings of MuJoCo on the scene are left alone on request (IMP-220)")
{
    auto stage = usd::Stage::open_text(with_line_ends(
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\ndef PhysicsScene \"scene\" {\n    custom float "
        "newton:mujoco:iterations = 30\n    custom float newton:other:speed = 5\n}\n"));
    REQUIRE(stage);
    for (const bool parse : {true, false}) {
        model::ModelBuilder builder;
        for (const char* key : {"mujoco:iterations", "other:speed"}) {
            model::CustomAttribute setting;
            const std::string      text = key;
            setting.space               = text.substr(0, text.find(':'));
            setting.name                = text.substr(text.find(':') + 1);
            setting.frequency           = model::CustomFrequency::once;
            setting.otherwise           = {7};
            REQUIRE(builder.add_custom_attribute(setting));
        }
        ImportOptions options;
        options.parse_mujoco_options = parse;
        Diagnostics found;
        REQUIRE(import_usd(**stage, options, builder, found));
        const auto& iterations = builder.custom_attribute("mujoco:iterations")->values;
        CHECK(iterations.count(0) == (parse ? 1u : 0u));
        CHECK(builder.custom_attribute("other:speed")->values.count(0) == 1);
    }
}

TEST_CASE("attributes of articulation roots and of materials are collected, Newton's of its scene only (IMP 2.6)")
{
    const std::string stage = stage_text(R"(
def PhysicsScene "second" { custom int newton:maxSolverIterations = 3 }
def Material "grip" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { custom float newton:rollingFriction = 0.1 }
def Xform "above" {
    custom float newton:note = 1
    def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
        custom float newton:remark = 1
        def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"]) {
            rel material:binding:physics = </grip>
        }
    }
})");
    for (const bool newton : {true, false}) {
        CAPTURE(newton);
        const Imported in = import_text(stage, newton ? newton_options() : ImportOptions{});
        REQUIRE(in.result);
        CHECK(collected(in, "newton", "/above") == Names{"newton:note"});
        CHECK(collected(in, "newton", "/above/robot") == Names{"newton:remark"});
        CHECK(collected(in, "newton", "/grip") == Names{"newton:rollingFriction"});
        CHECK(collected(in, "newton", "/second").empty() == newton);
    }
}

}  // namespace mechane::importer::test
