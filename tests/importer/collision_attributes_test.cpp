#include <fmt/format.h>

#include "import_support.h"
#include "mechane/importer/explain.h"

namespace mechane::importer::test {
using mechane::test::close_to;

namespace {

std::string ball(const char* name, const char* lines, const char* apis = "\"PhysicsRigidBodyAPI\", ")
{
    return fmt::format("def Sphere \"{}\" (prepend apiSchemas = [{}\"PhysicsCollisionAPI\"]) {{\n{}\n}}\n", name, apis,
                       lines);
}

std::size_t errors(const Imported& in, const char* code) { return in.found.count(code); }

}  // namespace

TEST_CASE("collision attributes that a collider authors without declaring them all arrive (GAP-034)")
{
    // The Box of the documents, as a Cube: the schema on a bare Xform makes no collider.
    const Imported in = import_text(stage_text(R"(
def Cube "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    custom int newton:collision_group = 1
    custom int newton:world = 0
    custom float newton:contact_ke = 100000
    custom float newton:contact_kd = 1000
    custom float newton:contact_kf = 1000
    custom float newton:contact_ka = 0
    custom float newton:margin = 0.00001
}
)" + ball("off", "custom int newton:collision_group = 0")));
    REQUIRE(in.result);
    const model::BuilderShape& box = in.shape_at("/box");
    CHECK(box.config.collision_group == 1);
    CHECK(box.world == 0);
    CHECK(in.body_at("/box").world == 0);
    CHECK(box.config.ke == 100000);
    CHECK(box.config.kd == 1000);
    CHECK(box.config.kf == 1000);
    CHECK(box.config.ka == 0);
    CHECK(box.config.margin == close_to(1e-5, 1e-12));  // authored as float
    CHECK(in.shape_at("/off").config.collision_group == 0);
    CHECK(errors(in, "RESOLVE_DEPRECATED_ATTR") > 0);

    // The schema's name goes before the older one.
    const Imported both = import_text(stage_text(
        ball("b", "custom float newton:margin = 0.5\nfloat newton:contactMargin = 0.25", "\"NewtonCollisionAPI\", ")));
    CHECK(both.shape_at("/b").config.margin == 0.25);

    // Several worlds: the one between is empty, what names none is global, and the model is a valid one.
    const Imported worlds = import_text(
        stage_text(ball("a", "custom int newton:world = 2") + ball("g", "") + ball("c", "custom int newton:world = 0") +
                   ball("s", "custom int newton:world = 2", "") + ball("e", "custom int newton:world = -1")));
    REQUIRE(worlds.result);
    CHECK(worlds.body_at("/a").world == 2);
    CHECK(worlds.body_at("/g").world == model::kGlobalWorld);
    CHECK(worlds.body_at("/c").world == 0);
    CHECK(worlds.shape_at("/s").world == 2);
    CHECK(worlds.body_at("/e").world == model::kGlobalWorld);
    Diagnostics found;
    const auto  model = worlds.builder.finalize({}, found);
    REQUIRE(model);
    CHECK(model->world_count == 3);
    CHECK(model->joint_world[worlds.result->path_body_map.at("/a")] == 2);  // one FREE joint each, in their order

    // One body in two worlds is refused, and stays global.
    const Imported mixed = import_text(stage_text(
        "def Xform \"body\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n" +
        ball("x", "custom int newton:world = 0", "") + ball("y", "custom int newton:world = 1", "") + "}\n"));
    CHECK(errors(mixed, "IMPORT_WORLD_MIXED") == 1);
    CHECK(mixed.body_at("/body").world == model::kGlobalWorld);
    // So are two bodies of a joint.
    const Imported joined = import_text(
        stage_text(ball("p", "custom int newton:world = 0") + ball("q", "custom int newton:world = 1") +
                   "def PhysicsFixedJoint \"j\" { rel physics:body0 = </p>\n    rel physics:body1 = </q> }\n"));
    CHECK(errors(joined, "IMPORT_WORLD_MIXED") == 1);

    // Where a world is open already, everything belongs to that one.
    const auto stage = usd::Stage::open_text(with_line_ends(stage_text(ball("a", "custom int newton:world = 2"))));
    REQUIRE(stage);
    model::ModelBuilder builder;
    builder.begin_world();
    Diagnostics warned;
    REQUIRE(import_usd(**stage, {}, builder, warned));
    builder.end_world();
    CHECK(warned.count("IMPORT_WORLD_IGNORED") == 1);
    CHECK(builder.bodies.at(0).world == 0);
}

TEST_CASE("collision groups have numbers, which keep shapes apart where that is asked for (GAP-035, COL-055)")
{
    const std::string stage = stage_text(ball("a", "") + ball("b", "") + ball("c", "") + ball("none", "") + R"(
def PhysicsCollisionGroup "one" { rel collection:colliders:includes = </a> }
def PhysicsCollisionGroup "two" { rel collection:colliders:includes = </b>
    string physics:mergeGroup = "m" }
def PhysicsCollisionGroup "three" { rel collection:colliders:includes = </c>
    string physics:mergeGroup = "m" }
)");
    ImportOptions     options;
    options.ledger    = true;
    const Imported in = import_text(stage, options);
    REQUIRE(in.result);
    const auto number = [](const Imported& from, const char* path) {
        const auto& numbers = from.result->shape_usd_collision_group;
        const auto  i       = from.shape(path);
        return i < numbers.size() ? numbers[i] : 0;
    };
    CHECK(number(in, "/a") == 1);
    CHECK(number(in, "/b") == 2);
    CHECK(number(in, "/c") == 2);  // merged groups share their number
    CHECK(number(in, "/none") == 0);
    CHECK(in.result->path_collision_group_map ==
          std::map<std::string, std::int32_t>{{"/one", 1}, {"/two", 2}, {"/three", 2}});
    // By the schema groups that filter nothing meet: the shapes' own groups stay as they are.
    CHECK(in.shape_at("/a").config.collision_group == in.shape_at("/b").config.collision_group);
    CHECK(in.builder.shape_collision_filter_pairs.empty());

    options.usd_group_mode = UsdGroupMode::newton_ids;
    const Imported apart   = import_text(stage, options);
    CHECK(apart.shape_at("/a").config.collision_group == 1);
    CHECK(apart.shape_at("/b").config.collision_group == 2);
    CHECK(apart.shape_at("/none").config.collision_group == model::ShapeConfig{}.collision_group);
    Diagnostics found;
    const auto  model = apart.builder.finalize({}, found);
    REQUIRE(model);
    const auto pairs = explain_pair({*apart.stage, options, *apart.result, *model}, "/a", "/b");
    REQUIRE(pairs);
    CHECK_FALSE(pairs->at(0).collide);
    CHECK(pairs->at(0).remarks.size() >= 2);  // the groups of both
}

TEST_CASE("PhysX's words say how friction and restitution combine, where its resolver is used (usd-physics 6.6)")
{
    const auto stage = [](const std::string& lines) {
        return stage_text("def Material \"M\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) {\n float physics:dynamicFriction = 0.3\n" + lines +
                          "\n}\ndef Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"MaterialBindingAPI\"]) {\n rel "
                          "material:binding:physics = </M>\n}\n");
    };
    ImportOptions physx;
    physx.schema_resolvers = {"newton", "physx"};
    using model::MaterialCombine;
    struct {
        const char*                    word;
        std::optional<MaterialCombine> rule;
    } table[] = {{"average", MaterialCombine::average}, {"min", MaterialCombine::minimum},   {"multiply", MaterialCombine::multiply},
                 {"max", MaterialCombine::maximum},     {"Max", MaterialCombine::maximum}, {"harmonic", std::nullopt}};
    for (const auto& row : table) {
        CAPTURE(row.word);
        const std::string text = stage(std::string("custom token physxMaterial:frictionCombineMode = \"") + row.word +
                                       "\"\n custom token physxMaterial:restitutionCombineMode = \"min\"");
        const Imported    in   = import_text(text, physx);
        REQUIRE(in.result);
        CHECK(in.shape_at("/c").config.friction_combine == row.rule);
        CHECK(in.shape_at("/c").config.restitution_combine == MaterialCombine::minimum);
        CHECK(in.found.count("MATERIAL_COMBINE") == (row.rule ? 0 : 1));
        CHECK_FALSE(import_text(text).shape_at("/c").config.friction_combine.has_value());  // newton alone
        ImportOptions newton   = newton_options();
        newton.schema_resolvers = physx.schema_resolvers;
        CHECK_FALSE(import_text(text, newton).shape_at("/c").config.friction_combine.has_value());
    }
    CHECK_FALSE(import_text(stage(""), physx).shape_at("/c").config.friction_combine.has_value());
}

}  // namespace mechane::importer::test
