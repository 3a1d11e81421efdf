#include "import_support.h"
#include "robot_text.h"

namespace mechane::importer::test {

namespace {

const std::string kHinge = joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b");

std::string kinematic(const std::string& name, double x)
{ return body(name, x, "bool physics:kinematicEnabled = true"); }

std::string follower(const std::string& type, const std::string& leader)
{
    return "def " + type +
           " \"follow\" (prepend apiSchemas = [\"NewtonMimicAPI\"]) {\n    rel physics:body0 = </robot/b>\n    rel "
           "physics:body1 = </robot/c>\n    point3f physics:localPos0 = (0.5, 0, 0)\n    point3f physics:localPos1 = "
           "(-0.5, 0, 0)\n    rel newton:mimicJoint = </robot/" +
           leader + ">\n}\n";
}

}  // namespace

// What one fault of an asset costs: by default the entity, under Newton's rules the import (import-usd 10, CON-07).
TEST_CASE("a fault is reported under its code, and refuses the import under Newton's rules (IMP-064, IMP-114, IMP-126)")
{
    const struct {
        const char* what;
        std::string text;
        const char* newton;   ///< the refusal
        const char* mechane;  ///< the finding of an import that goes on; empty: nothing to report
    } table[] = {
        {"a kinematic body hangs on another body", robot(body("a") + kinematic("b", 1) + kHinge),
         "IMPORT_BODY_KINEMATIC_CHILD", ""},
        {"a hinge and a weld share two bodies",
         robot(body("a") + body("b", 1) + kHinge + joint("PhysicsFixedJoint", "weld", "/robot", "a", "b")),
         "IMPORT_MERGE_TYPE", "IMPORT_ART_LOOP_CUT"},
        {"a ball follows",
         robot(body("a") + body("b", 1) + body("c", 2) + kHinge + follower("PhysicsSphericalJoint", "hinge")),
         "IMPORT_MIMIC_INVALID", "IMPORT_MIMIC_INVALID"},
        {"a joint follows itself",
         robot(body("a") + body("b", 1) + body("c", 2) + kHinge + follower("PhysicsRevoluteJoint", "follow")),
         "IMPORT_MIMIC_INVALID", "IMPORT_MIMIC_INVALID"},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const Imported newton = import_text(stage_text(row.text), newton_options());
        CHECK(newton.error == row.newton);
        CHECK(newton.builder.bodies.empty());
        CHECK(newton.builder.joints.empty());
        const Imported in = import_text(stage_text(row.text));
        REQUIRE(in.result);
        CHECK(in.builder.bodies.size() >= 2);
        if (*row.mechane != '\0') CHECK(in.found.count(row.mechane) == 1);
        Diagnostics out;
        CHECK(in.builder.finalize({}, out));
    }
}

TEST_CASE("why a joint is left out is told once, by whoever found it")
{
    const auto hinge = [](const std::string& b0, const std::string& b1) {
        return import_text(stage_text(robot(body("a") + body("b", 1) + "def Xform \"still\" { }\n" +
                                            joint("PhysicsRevoluteJoint", "hinge", "/robot", b0, b1))));
    };
    const struct {
        const char *what, *body0, *body1, *told;
    } table[] = {{"both sides are one body", "a", "a", "PHY_JOINT_SELF"},
                 {"no side is a body", "still", "", "PHY_JOINT_NO_BODY"},
                 {"a side is nowhere", "a", "nowhere", "PHY_JOINT_TARGET_MISSING"}};
    for (const auto& row : table) {
        CAPTURE(row.what);
        const Imported in = hinge(row.body0, row.body1);
        REQUIRE(in.result);
        CHECK(in.found.count(row.told) == 1);
        for (const Diagnostic& one : in.found)
            if (one.site.prim == "/robot/hinge" && one.severity != Severity::info) CHECK(one.id == row.told);
    }
}

TEST_CASE("a reference to a file that is not there refuses the import and leaves the builder empty (IMP-039)")
{
    const Imported in = import_text(
        stage_text(body("a") + "def Xform \"b\" (prepend references = @./there_is_no_such_file.usda@</b>) {\n}\n"));
    CHECK(in.error == "IMPORT_STAGE_COMPOSITION");
    CHECK(in.builder.bodies.empty());
    CHECK(in.builder.shapes.empty());
    ImportOptions all_the_same;
    all_the_same.allow_missing = true;
    const auto          stage  = in.stage;
    model::ModelBuilder builder;
    Diagnostics         found;
    CHECK(import_usd(*stage, all_the_same, builder, found));
    CHECK(builder.bodies.size() == 1);
}

TEST_CASE("inside an open world only that world's gravity is set (IMP-059)")
{
    auto stage = usd::Stage::open_text(with_line_ends(
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\ndef PhysicsScene \"scene\" {\n    float "
        "physics:gravityMagnitude = 3\n}\n" +
        body("a")));
    REQUIRE(stage);
    model::ModelBuilder builder;
    builder.gravity          = {0, 0, -1};
    const std::int32_t world = builder.begin_world();
    Diagnostics        found;
    REQUIRE(import_usd(**stage, {}, builder, found));
    builder.end_world();
    CHECK(builder.gravity == Vec3d{0, 0, -1});
    CHECK(mechane::test::distance(builder.world_gravity.at(static_cast<std::size_t>(world)), Vec3d{0, 0, -3}) < 1e-12);
    CHECK(builder.bodies.at(0).world == world);
}

TEST_CASE("one of several scenes can be chosen, and several do not fit into an open world (GAP-006)")
{
    const auto owned = [](const std::string& name, const std::string& scene) {
        return body(name, 0, "rel physics:simulationOwner = </" + scene + ">");
    };
    const std::string text =
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n"
        "def PhysicsScene \"earth\" { float physics:gravityMagnitude = 9.81\n}\n"
        "def PhysicsScene \"moon\" { float physics:gravityMagnitude = 1.62\n}\n" +
        owned("a", "earth") + owned("b", "moon");
    ImportOptions one;
    one.scene         = "/moon";
    const Imported in = import_text(text, one);
    REQUIRE(in.result);
    CHECK(in.body_labels() == std::vector<std::string>{"/b"});
    CHECK(in.result->scenes.size() == 1);
    CHECK(*in.result->physics_scene_path == "/moon");
    CHECK(mechane::test::distance(in.builder.gravity, Vec3d{0, 0, -1.62}) < 1e-7);  // authored as float
    CHECK(in.builder.world_gravity.empty());
    one.scene = "/mars";
    CHECK(import_text(text, one).error == "IMPORT_SCENE_PATH");

    const Imported both = import_text(text);
    CHECK(both.builder.bodies.at(both.body("/b")).scene == 1);
    model::ModelBuilder builder;
    Diagnostics         found;
    builder.begin_world();
    const auto refused = import_usd(*both.stage, {}, builder, found);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().id == "IMPORT_SCENE_WORLD");
    CHECK(builder.bodies.empty());
}

TEST_CASE("a verbose import gives the same model (IMP-240)")
{
    ImportOptions loud;
    CHECK(set_option(loud, "verbose", "true"));
    const std::string text = stage_text(robot(body("a") + body("b", 1) + kHinge));
    const Imported    a = import_text(text), b = import_text(text, loud);
    Diagnostics       out;
    const auto        m = a.builder.finalize({}, out), n = b.builder.finalize({}, out);
    REQUIRE((m && n));
    CHECK(m->body_mass == n->body_mass);
    CHECK(m->joint_q == n->joint_q);
    CHECK(m->shape_flags == n->shape_flags);
    CHECK(a.found.size() == b.found.size());
}

}  // namespace mechane::importer::test
