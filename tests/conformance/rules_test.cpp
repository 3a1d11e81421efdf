#include <doctest/doctest.h>

#include <set>
#include <string>

#include "mechane/conformance/check.h"
#include "mechane/conformance/formats.h"
#include "mechane/usd/layer.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::conformance;

namespace {

Report checked(const std::string& usda, const CheckOptions& options = {})
{
    const auto stage = usd::Stage::open_text(usda);
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    auto report = check(**stage, options);
    REQUIRE(report);
    return std::move(*report);
}

std::string listed(const Report& report)
{
    std::string text;
    for (const Finding& f : report.findings)
        text += std::string(f.rule->id) + (f.variant.empty() ? "" : "/" + f.variant) + " " +
                std::string(to_string(f.severity)) + " " + f.site.prim + ": " + f.message + "\n";
    return text;
}

/// The report of a rule's example, its layers written to a folder when there are several.
Report checked_example(std::string_view fragment)
{
    if (!fragment.starts_with("#files")) return checked(fixture_stage(fragment));
    const test::TemporaryFolder folder;
    std::string                 entry;
    for (const FixtureFile& file : fixture_files(fragment)) {
        const std::string path = folder.write(file.name, file.text);
        if (entry.empty()) entry = path;
        if (!file.binary) continue;
        auto layer = usd::Layer::from_text(file.text);
        REQUIRE_MESSAGE(layer, (layer ? "" : layer.error().message));
        REQUIRE(layer->save(path, {.format = usd::SaveOptions::Format::binary}));
    }
    usd::OpenOptions options;
    options.packages["lib"] = (folder.path() / "lib").string();
    const auto stage        = usd::Stage::open(entry, options);
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    auto report = check(**stage, {});
    REQUIRE(report);
    return std::move(*report);
}

std::string in_robot(std::string_view fragment) { return fixture_stage(fragment); }

bool has(const Report& report, std::string_view id, std::string_view variant = {})
{
    for (const Finding& f : report.findings)
        if (f.rule->id == id && (variant.empty() || f.variant == variant)) return true;
    return false;
}

}  // namespace

TEST_CASE("every rule's bad example gives findings of that rule alone, and its good one none (REP-T-153)")
{
    for (const Rule* rule : rules()) {
        if (rule->manual) continue;
        CAPTURE(rule->id);
        const Report bad = checked_example(rule->bad);
        CHECK_MESSAGE(!bad.findings.empty(), rule->id);
        for (const Finding& finding : bad.findings)
            CHECK_MESSAGE(finding.rule == rule, rule->id << " also gives\n" << listed(bad));
        if (!bad.findings.empty()) CHECK(bad.findings.front().severity >= rule->severity);
        const Report good = checked_example(rule->good);
        CHECK_MESSAGE(good.findings.empty(), rule->id << "\n" << listed(good));
    }
}

TEST_CASE("rules are whole: ids, slugs and texts are there and differ")
{
    std::set<std::string_view> names;
    for (const Rule* rule : rules()) {
        CAPTURE(rule->id);
        CHECK(rule->id.starts_with("REP-"));
        CHECK(names.insert(rule->id).second);
        CHECK(names.insert(rule->slug).second);
        for (const std::string_view text : {rule->summary, rule->why, rule->fix}) CHECK(!text.empty());
        CHECK(rule->bad.empty() == rule->manual);
    }
}

TEST_CASE("units that are not authored are told apart from wrong ones (REP-T-001, REP-T-003, REP-T-006, REP-T-008)")
{
    const Report bare =
        checked("#usda 1.0\n(\n    defaultPrim = \"r\"\n    framesPerSecond = 1\n)\ndef Xform \"r\" {}\n");
    for (const char* id : {"REP-1.1-a", "REP-1.1-b", "REP-1.1-c", "REP-1.1-e"})
        CHECK_MESSAGE(has(bare, id, "absent"), id);
    for (const Finding& f : bare.findings)
        if (f.rule->id == "REP-1.1-a") CHECK(f.message.find("0.01") != std::string::npos);
    const Report wrong = checked("#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n)\ndef Xform \"r\" {}\n");
    CHECK(has(wrong, "REP-1.1-a", "value"));
    CHECK(has(wrong, "REP-1.1-e", "value"));
}

TEST_CASE("a body's placement: each way to be wrong has its own name")
{
    struct Row {
        const char* lines;
        const char* variant;  ///< of REP-1.1-g; null: no finding
        const char* statement;
    };
    const Row rows[] = {
        {"    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n    uniform token[] "
         "xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n",
         nullptr, "REP-T-011"},
        {"    quatf xformOp:orient = (1, 0, 0, 0)\n    float3 xformOp:scale = (1, 1, 1)\n    double3 xformOp:translate "
         "= (0, 0, 0)\n"
         "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\", \"xformOp:scale\"]\n",
         "identity-scale", "REP-T-012"},
        {"    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n    uniform token[] "
         "xformOpOrder = [\"xformOp:orient\", \"xformOp:translate\"]\n",
         "order", "REP-T-013"},
        {"    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate:pivot = (0, 0, 0)\n    uniform "
         "token[] xformOpOrder = [\"xformOp:translate:pivot\", \"xformOp:orient\"]\n",
         "suffix", "REP-T-014"},
        {"    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n    uniform token[] "
         "xformOpOrder = [\"!resetXformStack!\", \"xformOp:translate\", \"xformOp:orient\"]\n",
         nullptr, "REP-T-015"},
        {"    double3 xformOp:translate = (0, 0, 0)\n    uniform token[] xformOpOrder = [\"xformOp:translate\", "
         "\"xformOp:orient\"]\n",
         "op-not-authored", "REP-T-016"},
        {"    quatf xformOp:orient = (1, 1, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n    uniform token[] "
         "xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n",
         "non-unit-quaternion", "REP-T-017"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.statement);
        const Report report = checked(in_robot(
            std::string("def Xform \"a\" (\n    prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n   "
                        " kind = \"subcomponent\"\n)\n{\n    float physics:mass = 1\n") +
            row.lines + "}\n"));
        if (row.variant == nullptr)
            CHECK_MESSAGE(report.findings.empty(), listed(report));
        else
            CHECK_MESSAGE(has(report, "REP-1.1-g", row.variant), listed(report));
        if (std::string_view(row.statement) == "REP-T-012") CHECK(report.count(Severity::error) == 0);
    }
}

TEST_CASE("rotations and scales: where they are allowed and where not")
{
    CHECK(
        has(checked(in_robot("def Xform \"v\"\n{\n    matrix4d xformOp:transform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, "
                             "1, 0), (0, 0, 0, 1))\n    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n}\n")),
            "REP-1.1-h"));  // (REP-T-018)
    const std::string euler =
        "def Cube \"v\"\n{\n    float xformOp:rotateX = 10\n    uniform token[] xformOpOrder = "
        "[\"xformOp:rotateX\"]\n}\n";
    const Report leaf = checked(in_robot(euler));  // (REP-T-021)
    CHECK(leaf.count(Severity::warning) == 1);
    CheckOptions source;
    source.profile = "source";
    CHECK(checked(in_robot(euler), source).count(Severity::info) == 1);
    CHECK(checked(in_robot("def Cube \"v\"\n{\n    float3 xformOp:scale = (2, 2, 2)\n    uniform token[] xformOpOrder "
                           "= [\"xformOp:scale\"]\n}\n"))
              .findings.empty());  // (REP-T-024)
    const Report above =
        checked(in_robot("def Xform \"g\"\n{\n    float3 xformOp:scale = (2, 2, 2)\n    uniform token[] xformOpOrder = "
                         "[\"xformOp:scale\"]\n<<body a>>}\n"));  // (REP-T-023)
    CHECK(has(above, "REP-1.1-k"));
    CHECK(above.findings.front().severity == Severity::error);
}

TEST_CASE("joints: limits, loops, roots and parents")
{
    const auto joint = [](const char* type, const char* lines) {
        return in_robot("<<body a>>\n<<body b>>\ndef " + std::string(type) +
                        " \"j\" (\n    prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]\n)\n{\n    rel "
                        "physics:body0 = </robot/a>\n    rel physics:body1 = </robot/b>\n" +
                        lines + "}\n");
    };
    const Report open = checked(joint("PhysicsRevoluteJoint", ""));  // (REP-T-068)
    CHECK(open.findings.size() == 1);
    CHECK(open.findings.front().severity == Severity::warning);
    CHECK(checked(joint("PhysicsRevoluteJoint",
                        "    float physics:lowerLimit = -inf\n    float physics:upperLimit = inf\n"))
              .findings.empty());
    CHECK(checked(joint("PhysicsRevoluteJoint", "    float physics:lowerLimit = 0\n")).count(Severity::error) ==
          1);  // (REP-T-069)
    CHECK(checked(joint("PhysicsPrismaticJoint", "")).count(Severity::error) == 1);
    CHECK(has(checked(joint("PhysicsRevoluteJoint",
                            "    float physics:lowerLimit = 10\n    float physics:upperLimit = -10\n")),
              "REP-1.3-e", "inverted"));  // (REP-T-070)
    const Report missing =
        checked(in_robot("<<body a>>\ndef PhysicsFixedJoint \"j\"\n{\n    rel physics:body0 = </robot/nope>\n    rel "
                         "physics:body1 = </robot/a>\n}\n"));
    CHECK(has(missing, "REP-1.3-b", "missing"));  // (REP-T-067)
}

TEST_CASE(
    "two robots of one root each are no finding; a loop names one joint; a cut loop none (REP-T-071, REP-T-073, "
    "REP-T-074, REP-T-075)")
{
    const std::string robots = in_robot(R"(
<<body a>>
<<body b>>
<<body c>>
<<body d>>
def PhysicsRevoluteJoint "j1" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    rel physics:body0 = </robot/a>
    rel physics:body1 = </robot/b>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
def PhysicsRevoluteJoint "j2" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    rel physics:body0 = </robot/c>
    rel physics:body1 = </robot/d>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
)");
    CHECK_MESSAGE(checked(robots).findings.empty(), listed(checked(robots)));
    const std::string loop = R"(
<<body a>>
<<body b>>
<<body c>>
<<body d>>
def PhysicsFixedJoint "base" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    rel physics:body1 = </robot/a>
}
<<joint j1 a b>>
<<joint j2 b c>>
<<joint j3 a d>>
def PhysicsRevoluteJoint "closure"
{
    rel physics:body0 = </robot/c>
    rel physics:body1 = </robot/d>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
)";
    // d is body1 of j3 and of the closure: two parents say it all.
    const Report two = checked(in_robot(loop));
    CHECK(two.findings.size() == 1);
    CHECK(has(two, "REP-1.3-j"));
}

TEST_CASE("masses: what counts as defined, and what kinematic bodies may leave out")
{
    const auto body = [](const std::string& apis, const std::string& lines, const std::string& inside = "") {
        return in_robot("def Xform \"a\" (\n    prepend apiSchemas = [" + apis +
                        "]\n    kind = \"subcomponent\"\n)\n{\n" + lines +
                        "    quatf xformOp:orient = (1, 0, 0, 0)\n    double3 xformOp:translate = (0, 0, 0)\n    "
                        "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n" +
                        inside + "}\n");
    };
    const Report kinematic =
        checked(body("\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"",
                     "    bool physics:kinematicEnabled = true\n    float physics:mass = 0\n"));  // (REP-T-076)
    CHECK(kinematic.count(Severity::error) == 0);
    CHECK(kinematic.count(Severity::info) == 1);
    CHECK(checked(body("\"PhysicsRigidBodyAPI\"", "    bool physics:kinematicEnabled = true\n")).findings.empty());
    const Report implicit = checked(
        body("\"PhysicsRigidBodyAPI\"", "",
             "    def Cube \"c\" (\n        prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMassAPI\", "
             "\"MaterialBindingAPI\"]\n    )\n    {\n        rel material:binding:physics = </robot/Contact/rubber>\n"
             "        float physics:density = 1000\n        token purpose = \"guide\"\n    }\n"));  // (REP-T-077)
    CHECK(has(implicit, "REP-1.3-m", "implicit"));
    CHECK(implicit.count(Severity::error) == 0);
}

TEST_CASE("colliders: purposes and bindings are inherited (REP-T-085, REP-T-086, REP-T-091, REP-T-092)")
{
    const Report inherited = checked(in_robot(R"(
def Scope "collision" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding:physics = </robot/Contact/rubber>
    token purpose = "guide"

    def Cube "c" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
    }
}
)"));
    CHECK_MESSAGE(inherited.findings.empty(), listed(inherited));
    const Report all_purpose = checked(in_robot(R"(
def Cube "c" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    rel material:binding = </robot/Contact/rubber>
    token purpose = "guide"
}
)"));
    CHECK(has(all_purpose, "REP-1.3.4-a"));
}

TEST_CASE("inactive and abstract prims are never judged (REP-T-139)")
{
    CHECK(checked(in_robot("def Xform \"off\" (\n    active = false\n    prepend apiSchemas = "
                           "[\"PhysicsRigidBodyAPI\"]\n)\n{\n}\nclass Xform \"_template\" (\n    prepend apiSchemas = "
                           "[\"PhysicsRigidBodyAPI\"]\n)\n{\n}\n"))
              .findings.empty());
}

TEST_CASE("what is explained to a user is usda, with no short form of ours left in it")
{
    for (const Rule* rule : rules()) {
        CAPTURE(rule->id);
        const std::string text = explain(*rule);
        CHECK(text.find("<<") == std::string::npos);
        CHECK(text.find("#files") == std::string::npos);
    }
    CHECK(explain(*find_rule("REP-2.1-a")).find("string ros:topic:name = \"scan\"") != std::string::npos);
}

TEST_CASE("selection knows ids, slugs and sections with a boundary (REP-T-143)")
{
    const Rule& mass = *find_rule("REP-1.3-l");
    CHECK(&mass == find_rule("mass-positive"));
    CHECK(selects("1.3", mass));
    CHECK(selects("1", mass));
    CHECK(selects("REP", mass));
    CHECK_FALSE(selects("1.3.1", mass));
    CHECK(selects("1.3", *find_rule("REP-1.3.1-a")));
    CHECK_FALSE(selects("2.1", *find_rule("REP-2.10-a")));
    const auto   stage = usd::Stage::open_text(in_robot(mass.bad));
    CheckOptions options;
    options.select = {"2"};
    CHECK(check(**stage, options)->findings.empty());
    options.select = {"9.9"};
    CHECK(check(**stage, options).error().id == "CHECK_OPTION");
    CHECK(check(**stage, {.profile = "no-such"}).error().id == "CHECK_OPTION");
}

TEST_CASE("a baseline hides what it knows, and fingerprints survive shifted lines (REP-T-141)")
{
    const Rule&                 mass = *find_rule("REP-1.3-l");
    const test::TemporaryFolder folder;
    const auto                  in_file = [&](const std::string& usda) {
        const auto stage = usd::Stage::open(folder.write("a" + std::to_string(usda.size()) + ".usda", usda));
        REQUIRE(stage);
        return *check(**stage, {.ignore = {"1.2.1"}});  // one layer
    };
    const Report before = in_file(in_robot(mass.bad));
    const Report after  = in_file(in_robot("\n\n\n" + std::string(mass.bad)));
    REQUIRE(before.findings.size() == 1);
    CHECK(before.findings[0].fingerprint.size() == 16);
    CHECK(before.findings[0].fingerprint == after.findings[0].fingerprint);
    CHECK(before.findings[0].site.line > 0);
    CHECK(before.findings[0].site.line + 3 == after.findings[0].site.line);
    const Report known = checked(in_robot(mass.bad), {.baseline = {before.findings[0].fingerprint}});
    CHECK(known.findings.empty());
    CHECK(known.baselined == 1);
}

TEST_CASE("a stage may suppress warnings below a prim, never errors")
{
    const auto stage = [](const char* rule) {
        return checked(
            in_robot("def Xform \"g\" (\n    customData = {\n        dictionary mechane = {\n            string[] "
                     "suppress = [\"" +
                     std::string(rule) +
                     "\"]\n        }\n    }\n)\n{\n    def RectLight \"l\"\n    {\n    }\n    def IsaacLight \"i\"\n   "
                     " {\n    }\n}\n"));
    };
    CHECK(stage("REP-3.6-b").suppressed == 1);
    CHECK_FALSE(has(stage("REP-3.6-b"), "REP-3.6-b"));
    CHECK(has(stage("REP-3.6-a"), "REP-3.6-a"));
}
