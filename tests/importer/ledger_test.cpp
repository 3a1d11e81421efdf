#include <algorithm>

#include "import_support.h"
#include "mechane/importer/ledger.h"
#include "mechane/usd/schemas.h"

using namespace mechane;
using namespace mechane::importer;
using namespace mechane::importer::test;

namespace {

Imported account(const std::string& usda, std::vector<std::string> resolvers = {"newton"}, bool newton = false)
{
    ImportOptions options;
    options.ledger           = true;
    options.schema_resolvers = std::move(resolvers);
    if (newton) options.compat = Compat::newton_1_8;
    return import_text(usda, options);
}

const LedgerEntry* find(const Imported& imported, std::string_view prim, std::string_view property)
{
    const auto& ledger = imported.result->ledger;
    const auto  there  = std::find_if(ledger.begin(), ledger.end(),
                                      [&](const LedgerEntry& e) { return e.prim == prim && e.property == property; });
    return there == ledger.end() ? nullptr : &*there;
}

std::string verdict(const Imported& imported, std::string_view prim, std::string_view property)
{
    const LedgerEntry* entry = find(imported, prim, property);
    return entry == nullptr ? "not in the ledger" : std::string(to_string(entry->verdict));
}

const std::string kHinge = R"(
def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { } }
def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
{
    rel physics:body0 = </base>
    rel physics:body1 = </arm>
    $
}
)";
std::string       hinge(const std::string& statements)
{
    std::string text = kHinge;
    return text.replace(text.find('$'), 1, statements);
}

}  // namespace

TEST_CASE("every authored physics property ends with one verdict, and without being asked for there is no ledger")
{
    const std::string stage =
        stage_text(hinge("float physics:lowerLimit = -90\n    bool physics:collisionEnabled = false"));
    CHECK(import_text(stage).result->ledger.empty());
    const Imported out = account(stage);
    CHECK(verdict(out, "/hinge", "physics:body0") == "used");
    CHECK(verdict(out, "/hinge", "physics:collisionEnabled") == "used");
    CHECK(verdict(out, "/hinge", "physics:lowerLimit") == "converted");
    CHECK(find(out, "/hinge", "physics:lowerLimit")->note.find("degrees to radians") != std::string::npos);
    CHECK(out.result->ledger.size() == 4);
    CHECK(totals(out.result->ledger).all() == 4);
}

TEST_CASE("of armatures that three vendors author one is used and the others are overridden by it")
{
    const std::string stage = stage_text(
        hinge("float newton:armature = 0.01\n float physxJoint:armature = 0.02\n double mjc:armature = 0.03"));
    const Imported out = account(stage, {"physx", "newton", "mjc"});
    CHECK(verdict(out, "/hinge", "physxJoint:armature") == "used");
    CHECK(verdict(out, "/hinge", "newton:armature") == "overridden");
    CHECK(verdict(out, "/hinge", "mjc:armature") == "overridden");
    CHECK(find(out, "/hinge", "mjc:armature")->note.find("physxJoint:armature") != std::string::npos);
}

TEST_CASE("a verdict follows the rule of its group, not the mere reading of the value")
{
    struct Row {
        const char* statements;
        const char* property;
        const char* expected;
    };
    // limitStiffness speaks for every degree of freedom; +inf makes the limit hard, so no damping counts; -inf asks
    // for the default (import-usd 3.5). The first resolver with either damping wins.
    const Row table[] = {
        {"float newton:limitStiffness = 5\n float physxLimit:angular:stiffness = 7", "physxLimit:angular:stiffness",
         "overridden"},
        {"float newton:limitStiffness = inf\n float newton:limitDamping = 2", "newton:limitDamping", "overridden"},
        {"float newton:limitStiffness = -inf\n float physxLimit:angular:stiffness = 7", "newton:limitStiffness",
         "used"},
        {"float newton:damping = 0.3\n double mjc:damping = 0.4", "mjc:damping", "overridden"},
        {"float newton:damping = 0.3\n double mjc:damping = 0.4", "newton:damping", "converted"},
        {"float physics:lowerLimit = 10\n float physics:upperLimit = 10\n float drive:angular:physics:stiffness = 3",
         "drive:angular:physics:stiffness", "ignored"},
        {"float drive:linear:physics:stiffness = 3", "drive:linear:physics:stiffness", "ignored"},
        {"float physics:breakForce = -1", "physics:breakForce", "ignored"},
        {"float physxJoint:jointFriction = 0.05", "physxJoint:jointFriction", "ignored"},
    };
    for (const Row& row : table) {
        CAPTURE(row.statements);
        const Imported out = account(stage_text(hinge(row.statements)), {"newton", "physx", "mjc"});
        CHECK(verdict(out, "/hinge", row.property) == row.expected);
        if (std::string_view(row.expected) != "used") CHECK_FALSE(find(out, "/hinge", row.property)->note.empty());
    }
}

TEST_CASE("what a left out prim authors is ignored, except what decided so")
{
    const Imported out =
        account(stage_text(hinge("bool physics:jointEnabled = false\n float physics:upperLimit = 30")));
    CHECK(verdict(out, "/hinge", "physics:jointEnabled") == "used");
    CHECK(verdict(out, "/hinge", "physics:upperLimit") == "ignored");
    CHECK(find(out, "/hinge", "physics:upperLimit")->note == "the joint is disabled");
}

TEST_CASE("a material that nothing is made of has no effect")
{
    const Imported out = account(stage_text(R"(
def Material "steel" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { float physics:dynamicFriction = 0.4 }
def Material "spare" (prepend apiSchemas = ["PhysicsMaterialAPI"]) { float physics:dynamicFriction = 0.4 }
def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) { rel material:binding:physics = </steel> }
)"));
    CHECK(verdict(out, "/steel", "physics:dynamicFriction") == "used");
    CHECK(find(out, "/spare", "physics:dynamicFriction")->note == "no imported collider is bound to it");
}

TEST_CASE("mass properties: the ladder decides which of them counts")
{
    const std::string body = R"(
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI"])
{
    $
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) { float physics:density = 7 }
})";
    struct Row {
        const char *statements, *prim, *property, *expected;
    };
    const Row table[] = {
        {"float physics:mass = 5\n float physics:density = 100", "/b", "physics:density", "overridden"},
        {"float physics:mass = -5", "/b", "physics:mass", "ignored"},
        {"float3 physics:diagonalInertia = (1, 1, 1)\n double[] newton:inertia = [1, 2, 2.5, 0, 0, 0]", "/b",
         "physics:diagonalInertia", "overridden"},
        {"float3 physics:diagonalInertia = (1, 1, 1)\n double[] newton:inertia = [1, 2]", "/b", "newton:inertia",
         "ignored"},
        // Everything of the body is authored: the collider's density has no say left.
        {"float physics:mass = 5\n float3 physics:diagonalInertia = (1, 1, 1)\n point3f physics:centerOfMass = (0, 0, "
         "0)",
         "/b/c", "physics:density", "overridden"},
        {"float physics:density = 100", "/b/c", "physics:density", "used"},
    };
    for (const Row& row : table) {
        CAPTURE(row.statements);
        std::string text = body;
        text.replace(text.find('$'), 1, row.statements);
        CHECK(verdict(account(stage_text(text)), row.prim, row.property) == row.expected);
    }
}

TEST_CASE("PhysX values do nothing without their resolver, and the ledger says so with the remedy (GAP-016)")
{
    const std::string stage   = stage_text(R"(
def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysxCollisionAPI", "PhysxSDFMeshCollisionAPI"])
{
    float physxCollision:restOffset = 0.002
    float physxCollision:contactOffset = 0.005
    int physxSDFMeshCollision:sdfResolution = 256
})");
    const Imported    without = account(stage);
    for (const char* name :
         {"physxCollision:restOffset", "physxCollision:contactOffset", "physxSDFMeshCollision:sdfResolution"}) {
        CAPTURE(name);
        REQUIRE(find(without, "/box", name) != nullptr);
        CHECK(verdict(without, "/box", name) == "ignored");
        CHECK(find(without, "/box", name)->note.find("resolver physx is not listed") == 0);
        CHECK(find(without, "/box", name)->note.find("--resolvers newton,physx") != std::string::npos);
    }
    CHECK(find(without, "/box", "physxSDFMeshCollision:sdfResolution")->note.find("--port-physx-sdf") !=
          std::string::npos);
    CHECK(without.shape_at("/box").config.margin == 0);

    const Imported with = account(stage, {"newton", "physx"});
    // It is the margin as it stands, and contactOffset counts from it.
    CHECK(verdict(with, "/box", "physxCollision:restOffset") == "converted");
    CHECK(verdict(with, "/box", "physxCollision:contactOffset") == "converted");
    CHECK(verdict(with, "/box", "physxSDFMeshCollision:sdfResolution") == "ignored");
    CHECK(with.shape_at("/box").config.margin == mechane::test::close_to(0.002, 1e-7));  // authored as float
    CHECK(*with.shape_at("/box").config.gap == mechane::test::close_to(0.003, 1e-7));
}

TEST_CASE("SDF attributes without the schema are ignored for that reason (GAP-039)")
{
    const Imported out = account(stage_text(R"(
def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { int newton:sdfMaxResolution = 128 }
)"));
    CHECK(verdict(out, "/box", "newton:sdfMaxResolution") == "ignored");
    CHECK(find(out, "/box", "newton:sdfMaxResolution")->note == "NewtonSDFCollisionAPI is not applied");
}

TEST_CASE("deformables end as not supported yet, with one finding for the stage")
{
    const Imported out = account(stage_text(R"(
def Mesh "cloth" (prepend apiSchemas = ["OmniPhysicsDeformableBodyAPI"]) { float omniphysics:mass = 1 }
def Mesh "flag" (prepend apiSchemas = ["OmniPhysicsDeformableBodyAPI"]) { float physics:mass = 1 }
)"));
    CHECK(find(out, "/cloth", "omniphysics:mass")->note == "deformables are not supported yet");
    CHECK(find(out, "/flag", "physics:mass")->note == "deformables are not supported yet");
    CHECK(out.found.count("IMPORT_DEFORMABLE_UNSUPPORTED") == 1);
}

TEST_CASE("a newton attribute that no schema knows and nobody declares is reported once for each name (GAP-021)")
{
    const Imported out = account(stage_text(R"(
def Cube "a" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { float newton:contactMagrin = 1 }
def Cube "b" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { float newton:contactMagrin = 1 }
)"));
    CHECK(verdict(out, "/a", "newton:contactMagrin") == "ignored");
    CHECK(out.found.count("IMPORT_CUSTOM_UNDECLARED") == 1);
}

TEST_CASE("an animated value that is held at its first sample counts as ignored")
{
    const Imported out = account(stage_text(R"(
def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    vector3f physics:velocity.timeSamples = { 0: (1, 0, 0), 24: (2, 0, 0), }
}
)"));
    CHECK(verdict(out, "/b", "physics:velocity") == "ignored");
    CHECK(find(out, "/b", "physics:velocity")->note ==
          "animated, held at its first value: the body starts with it, and the solver moves it from there");
    const Imported held = account(stage_text(hinge("float physics:breakForce.timeSamples = { 0: 90, 24: 10, }")));
    CHECK(find(held, "/hinge", "physics:breakForce")->note == "followed: sampled at every step");
}

TEST_CASE("the ledger names the layer and line of the strongest opinion")
{
    const mechane::test::TemporaryFolder folder;
    folder.write("weak.usda",
                 "#usda 1.0\nover \"box\"\n{\n    float physics:mass = 3\n    float physics:density = 7\n}\n");
    const std::string root  = folder.write("strong.usda", R"(#usda 1.0
(
    metersPerUnit = 1
    subLayers = [@./weak.usda@]
)
def Cube "box" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI"]
    variants = { string kind = "b" }
    prepend variantSets = "kind"
)
{
    string note = "physics:mass = 9 {"
    float physics:mass = 4
    variantSet "kind" = {
        "a" { float physics:restitution = 1
        }
        "b" {
            vector3f physics:velocity = (1,
                2, 3)
            bool physics:startsAsleep = false
        }
    }
}
)");
    auto              stage = usd::Stage::open(root);
    REQUIRE(stage);
    ImportOptions options;
    options.ledger = true;
    Imported out;
    auto     result = import_usd(**stage, options, out.builder, out.found);
    REQUIRE(result);
    out.result            = *std::move(result);
    const auto check_site = [&](const char* property, const char* file, int line) {
        CAPTURE(property);
        const LedgerEntry* entry = find(out, "/box", property);
        REQUIRE(entry != nullptr);
        CHECK(entry->site.layer.ends_with(file));
        CHECK(entry->site.line == line);
    };
    check_site("physics:mass", "strong.usda", 13);
    check_site("physics:density", "weak.usda", 5);
    check_site("physics:velocity", "strong.usda", 18);
    check_site("physics:startsAsleep", "strong.usda", 20);
}

namespace {

/// A value that usda accepts for an attribute of this type; empty for types that the sweep does not author.
std::string sample(const std::string& type)
{
    const bool        array = type.ends_with("[]");
    const std::string one   = array ? type.substr(0, type.size() - 2) : type;
    std::string       value;
    if (one == "bool")
        value = "true";
    else if (one == "token" || one == "string")
        value = "\"x\"";
    else if (one == "asset")
        value = "@x.usda@";
    else if (one.ends_with("2f") || one.ends_with("2"))
        value = "(1, 1)";
    else if (one.starts_with("matrix"))
        return {};
    else if (one.starts_with("quat") || one.ends_with("4f") || one.ends_with("4"))
        value = "(1, 0, 0, 0)";
    else if (one.ends_with("3f") || one.ends_with("3d") || one.ends_with("3h") || one.ends_with("3"))
        value = "(1, 1, 1)";
    else
        value = "1";
    return array ? "[" + value + "]" : value;
}

}  // namespace

TEST_CASE("every property of every bundled physics schema has a verdict, and a reason of its own where it is ignored")
{
    std::size_t checked = 0;
    for (const usd::SchemaInfo& schema : usd::bundled_schemas()) {
        const bool ours = schema.module == "usdPhysics" || schema.module == "newton_usd_schemas" ||
                          schema.module == "PhysxSchema" || schema.module == "mjcPhysics" ||
                          schema.module == "OmniUsdPhysicsDeformableSchema";
        if (!ours || schema.kind == usd::SchemaKind::not_applied || schema.kind == usd::SchemaKind::abstract_typed)
            continue;
        CAPTURE(schema.identifier);
        // What the schema brings, asked of a prim of it.
        const std::string id(schema.identifier);
        const std::string type = schema.kind == usd::SchemaKind::typed ? id : "Xform";
        const std::string apis = schema.kind == usd::SchemaKind::typed          ? ""
                                 : schema.kind == usd::SchemaKind::single_apply ? "\"" + id + "\""
                                                                                : "\"" + id + ":linear\"";
        const std::string head =
            "def " + type + " \"p\"" + (apis.empty() ? "" : " (prepend apiSchemas = [" + apis + "])") + "\n{\n";
        auto bare = usd::Stage::open_text("#usda 1.0\n" + head + "}\n");
        REQUIRE(bare);
        const usd::Prim prim = (*bare)->prim_at(usd::Path("/p"));
        std::string     statements;
        std::size_t     authored = 0;
        for (const usd::Token& name : prim.property_names()) {
            if (!is_physics_property(name.text())) continue;
            const usd::Attribute attribute = prim.attribute(name);
            if (prim.relationship(name) && attribute.type_name().empty()) {
                statements += "    rel " + name.text() + " = </p>\n";
            } else {
                const std::string value = sample(attribute.type_name());
                if (value.empty()) continue;
                statements += "    " + attribute.type_name() + " " + name.text() + " = " + value + "\n";
            }
            ++authored;
        }
        auto stage = usd::Stage::open_text("#usda 1.0\n" + head + statements + "}\n");
        REQUIRE(stage);
        ImportOptions options;
        options.ledger           = true;
        options.schema_resolvers = {"newton", "physx", "mjc"};
        model::ModelBuilder builder;
        Diagnostics         found;
        const auto          result = import_usd(**stage, options, builder, found);
        REQUIRE(result);
        CHECK(result->ledger.size() == authored);
        for (const LedgerEntry& entry : result->ledger) {
            CAPTURE(entry.property);
            CAPTURE(entry.note);
            if (entry.verdict == Verdict::ignored) CHECK_FALSE(entry.note.empty());
            CHECK(entry.note.find("no schema") == std::string::npos);
            ++checked;
        }
    }
    CHECK(checked > 700);
}

namespace {

/// One property that a drawn stage authors: where, its line, and the line with another value.
struct DrawnLine {
    std::string prim, property, line, other;
};

struct MassWord {
    const char *type, *name, *value, *other;
};
constexpr MassWord kMassWords[] = {
    {"float", "physics:mass", "2", "3"},
    {"float", "physics:density", "500", "700"},
    {"point3f", "physics:centerOfMass", "(0.1, 0, 0.3)", "(0, 0.2, 0)"},
    {"float3", "physics:diagonalInertia", "(1, 1.5, 2)", "(2, 2.5, 3)"},
    {"quatf", "physics:principalAxes", "(0.8, 0.6, 0, 0)", "(0.6, 0, 0.8, 0)"},
};

/// A body with a collider at once below it and one below an Xform; every prim may author mass properties.
std::string mass_stage(const std::vector<DrawnLine>& lines, const DrawnLine* changed)
{
    const auto of = [&](const char* prim) {
        std::string out;
        for (const DrawnLine& one : lines)
            if (one.prim == prim) out += "    " + (&one == changed ? one.other : one.line) + "\n";
        return out;
    };
    const char* bound = "    rel material:binding:physics = </M>\n";
    return stage_text(
        "def Material \"M\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) {\n" + of("/M") + "\n}\n" +
        "def Xform \"W\" (prepend apiSchemas = [\"PhysicsMassAPI\"]) {\n" + of("/W") +
        "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]) {\n" + of("/W/b") +
        "def Cube \"near\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMassAPI\", "
        "\"MaterialBindingAPI\"]) {\n    double size = 1\n" +
        bound + of("/W/b/near") +
        "    double3 xformOp:translate = (1, 0, 0)\n    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n" +
        "def Xform \"mid\" (prepend apiSchemas = [\"PhysicsMassAPI\"]) {\n" + of("/W/b/mid") +
        "def Cube \"far\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMassAPI\"]) {\n    double size = "
        "0.5\n" +
        of("/W/b/mid/far") + "\n}\n}\n}\n}\n");
}

}  // namespace

TEST_CASE("mass properties that are used change the body's, those that are not change nothing (GAP-098)")
{
    std::size_t checked = 0;
    mechane::test::for_seeds(120, [&](Random& r) {
        std::vector<DrawnLine> lines;
        for (const char* prim : {"/M", "/W", "/W/b", "/W/b/near", "/W/b/mid", "/W/b/mid/far"})
            for (const MassWord& word : kMassWords) {
                const std::string name  = word.name;
                const bool        whole = std::string(prim) == "/W/b" || std::string(prim) == "/W/b/near" ||
                                          std::string(prim) == "/W/b/mid/far";
                if (std::string(prim) == "/M" && name != "physics:density") continue;
                if (!whole && name != "physics:density" && name != "physics:mass") continue;
                if (r.below(3) != 0) continue;
                const std::string head = std::string(word.type) + " " + name + " = ";
                lines.push_back({prim, name, head + word.value, head + word.other});
            }
        ImportOptions options;
        options.ledger  = true;
        const auto body = [](const Imported& in) {
            REQUIRE(in.result);
            return in.body_at("/W/b");
        };
        const std::string        text  = mass_stage(lines, nullptr);
        const Imported           plain = import_text(text, options);
        const model::BuilderBody was   = body(plain);
        for (const DrawnLine& one : lines) {
            const LedgerEntry* row = nullptr;
            for (const LedgerEntry& entry : plain.result->ledger)
                if (entry.prim == one.prim && entry.property == one.property) row = &entry;
            REQUIRE(row != nullptr);
            const model::BuilderBody is   = body(import_text(mass_stage(lines, &one), options));
            double                   most = std::abs(is.mass - was.mass) + length(is.com - was.com);
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t k = 0; k < 3; ++k)
                    most = std::max(most, std::abs(is.inertia(i, k) - was.inertia(i, k)));
            const bool used = row->verdict == Verdict::used || row->verdict == Verdict::converted;
            CAPTURE(text);
            CAPTURE(one.prim);
            CAPTURE(one.property);
            CAPTURE(row->note);
            CHECK((most > 1e-9 * std::max(1.0, was.mass)) == used);
            ++checked;
        }
    });
    CHECK(checked > 500);
}
