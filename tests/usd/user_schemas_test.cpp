#include "mechane/usd/schemas.h"

#include <filesystem>
#include <fstream>

#include "stages.h"
#include "support/support.h"

using namespace mechane;

TEST_CASE("schemas that come after the first stage are refused and change nothing (STG-010)")
{
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "plugInfo.json") << R"({"Plugins": [{"Info": {"Types": {"TooLateAPI":
        {"bases": ["UsdAPISchemaBase"], "schemaKind": "singleApplyAPI"}}}, "Name": "late", "ResourcePath": ".",
        "Root": ".", "Type": "resource"}]})";
    std::ofstream(folder.path() / "generatedSchema.usda")
        << "#usda 1.0\nclass \"TooLateAPI\"\n{\n    int late = 1\n}\n";
    const char* prim = "def \"a\" (\n    prepend apiSchemas = [\"TooLateAPI\"]\n)\n{\n}\n";
    (void)test::usda_stage(prim);

    const auto added = usd::add_schemas(folder.path().string());
    REQUIRE_FALSE(added);
    CHECK(added.error().id == "STAGE_SCHEMA_LATE");
    const auto stage = test::usda_stage(prim);
    CHECK(stage->prim_at(usd::Path("/a")).applied_apis().empty());
    CHECK_FALSE(stage->prim_at(usd::Path("/a")).attribute("late"));
    CHECK(stage->diagnostics().count("SCHEMA_API_UNKNOWN") == 1);
    CHECK(usd::schema_findings().empty());
}
