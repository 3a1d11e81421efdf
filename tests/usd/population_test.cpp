#include "usd/stages.h"

using namespace mechane;
using mechane::test::usda_stage;
using usd::Path;

namespace {

std::vector<std::string> names(const std::vector<usd::Token>& tokens)
{
    std::vector<std::string> out;
    for (const usd::Token& token : tokens) out.push_back(token.text());
    return out;
}

}  // namespace

TEST_CASE("units of sublayers do not count, the session's do (STG-035)")
{
    test::TemporaryFolder folder;
    folder.write("weak.usda", "#usda 1.0\n(\n    upAxis = \"Z\"\n)\n");
    const std::string root  = folder.write("root.usda", "#usda 1.0\n(\n    subLayers = [@./weak.usda@]\n)\n");
    const auto        plain = usd::Stage::open(root);
    REQUIRE(plain);
    CHECK((*plain)->metadata().up_axis == 'Y');
    usd::OpenOptions options;
    options.session_text = "#usda 1.0\n(\n    upAxis = \"Z\"\n)\n";
    const auto session   = usd::Stage::open(root, options);
    REQUIRE(session);
    CHECK((*session)->metadata().up_axis == 'Z');
}

TEST_CASE("defaultPrim may be a path below the root; one that does not exist is said (STG-037)")
{
    const std::string body = "def \"W\"\n{\n    def \"X\"\n    {\n    }\n}\n";
    CHECK(usda_stage(body, "defaultPrim = \"/W/X\"")->default_prim().path().text() == "/W/X");
    CHECK(usda_stage(body, "defaultPrim = \"W\"")->default_prim().path().text() == "/W");
    const auto missing = usda_stage(body, "defaultPrim = \"V\"");
    CHECK_FALSE(missing->default_prim());
    CHECK(missing->diagnostics().count("STAGE_DEFAULT_PRIM_MISSING") == 1);
}

TEST_CASE("a stage has a time range when both of its ends are authored (STG-039)")
{
    CHECK_FALSE(usda_stage("", "startTimeCode = 1")->metadata().authored_time_range);
    CHECK_FALSE(usda_stage("", "endTimeCode = 1")->metadata().authored_time_range);
    CHECK(usda_stage("", "startTimeCode = 1\n    endTimeCode = 5")->metadata().authored_time_range);
}

TEST_CASE("children obey a reorder statement of two names; one name reorders nothing (STG-058)")
{
    const auto order = [](const char* statement) {
        const auto stage =
            usda_stage(std::string("def \"p\"\n{\n    reorder nameChildren = ") + statement +
                       "\n    def \"a\"\n    {\n    }\n    def \"b\"\n    {\n    }\n    def \"c\"\n    {\n    }\n}\n");
        std::vector<std::string> out;
        for (const usd::Prim& child : stage->prim_at(Path("/p")).children()) out.push_back(child.name().text());
        return out;
    };
    CHECK(order("[\"c\", \"a\"]") == std::vector<std::string>{"c", "a", "b"});  // b keeps its place behind a
    CHECK(order("[\"c\"]") == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("an unknown type keeps its name, brings nothing and is said once (STG-060)")
{
    const auto stage = usda_stage("def NoSuchType \"a\"\n{\n    double radius\n}\n");
    const auto a     = stage->prim_at(Path("/a"));
    CHECK(a.type_name().text() == "NoSuchType");
    CHECK_FALSE(a.is_a("NoSuchType"));
    CHECK_FALSE(a.is_a("Imageable"));
    CHECK(names(a.property_names()) == std::vector<std::string>{"radius"});
    CHECK(stage->diagnostics().count("SCHEMA_TYPE_UNKNOWN") == 1);
}

TEST_CASE("applied schemas are a list that layers add to, before, behind and take from (STG-062)")
{
    test::TemporaryFolder folder;
    folder.write("weak.usda",
                 "#usda 1.0\ndef Xform \"a\" (\n    prepend apiSchemas = [\"PhysicsMassAPI\", "
                 "\"PhysicsRigidBodyAPI\"]\n)\n{\n}\n");
    const std::string root =
        folder.write("root.usda",
                     "#usda 1.0\n(\n    subLayers = [@./weak.usda@]\n)\nover \"a\" (\n    delete apiSchemas = "
                     "[\"PhysicsMassAPI\"]\n    prepend apiSchemas = [\"PhysicsCollisionAPI\"]\n    append "
                     "apiSchemas = [\"PhysicsFilteredPairsAPI\"]\n)\n{\n}\n");
    const auto stage = usd::Stage::open(root);
    REQUIRE(stage);
    CHECK(names((*stage)->prim_at(Path("/a")).applied_apis()) ==
          std::vector<std::string>{"PhysicsCollisionAPI", "PhysicsRigidBodyAPI", "PhysicsFilteredPairsAPI"});
}

TEST_CASE("propertyOrder rearranges the dictionary order (STG-069)")
{
    const auto stage = usda_stage(
        "def \"a\"\n{\n    reorder properties = [\"c\", \"a\"]\n    custom int a = 1\n    custom int b = 1\n    custom "
        "int c = 1\n}\n");
    CHECK(names(stage->prim_at(Path("/a")).property_names()) == std::vector<std::string>{"c", "a", "b"});
}

TEST_CASE(
    "a type that nobody knows is replaced by the first known one that the stage offers, in its schema only (STG-061)")
{
    const auto stage = test::usda_stage(R"(def FancySphere "ball"
{
    double radius = 3
}
def Unheard "lost"
{
}
def Sphere "plain"
{
}
)",
                                        R"(    fallbackPrimTypes = {
        token[] FancySphere = ["FancierStill", "Sphere", "Cube"]
        token[] Unheard = ["NeverHeard"]
        token[] Sphere = ["Cube"]
    })");
    const auto ball  = stage->prim_at(usd::Path("/ball"));
    CHECK(ball.type_name().text() == "FancySphere");
    CHECK(ball.is_a("Sphere"));
    CHECK(ball.is_a("Gprim"));
    CHECK_FALSE(ball.is_a("FancySphere"));
    CHECK(ball.attribute("radius").get<double>() == 3);
    CHECK(ball.attribute("purpose").get<std::string>() == "default");
    CHECK_FALSE(stage->prim_at(usd::Path("/lost")).is_a("Typed"));
    CHECK(stage->prim_at(usd::Path("/plain")).is_a("Sphere"));  // what is known is not replaced
    CHECK(stage->diagnostics().count("SCHEMA_TYPE_UNKNOWN") == 1);
}

TEST_CASE("a schema on a type that it is not made for is reported and counts (STG-067)")
{
    const auto stage = test::usda_stage(R"(def Cube "c" (
    prepend apiSchemas = ["NewtonSceneAPI", "PhysicsMassAPI"]
)
{
}
)");
    const auto prim  = stage->prim_at(usd::Path("/c"));
    REQUIRE(stage->diagnostics().find("SCHEMA_API_NOT_APPLICABLE") != nullptr);
    CHECK(stage->diagnostics().find("SCHEMA_API_NOT_APPLICABLE")->message.find("PhysicsScene") != std::string::npos);
    CHECK(prim.has_api("NewtonSceneAPI"));
    CHECK(prim.property_names().size() > 5);
}
