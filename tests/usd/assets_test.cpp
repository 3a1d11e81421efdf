#include <filesystem>

#include "usd/stages.h"

using namespace mechane;
using mechane::test::usda_stage;
using usd::Path;

TEST_CASE("a bare relative path is looked for beside its layer first, then in the search folders (STG-088)")
{
    test::TemporaryFolder beside, searched;
    searched.write("both.txt", "");
    searched.write("only.txt", "");
    const std::string own  = beside.write("both.txt", "");
    const std::string root = beside.write(
        "root.usda", "#usda 1.0\ndef \"a\"\n{\n    asset both = @both.txt@\n    asset only = @only.txt@\n}\n");
    usd::OpenOptions options;
    options.search_paths = {searched.path().string()};
    const auto stage     = usd::Stage::open(root, options);
    REQUIRE(stage);
    const auto a = (*stage)->prim_at(Path("/a"));
    CHECK(std::filesystem::equivalent(a.attribute("both").get<usd::AssetPath>()->resolved, own));
    CHECK(
        std::filesystem::equivalent(a.attribute("only").get<usd::AssetPath>()->resolved, searched.path() / "only.txt"));
}

TEST_CASE("an asset that is an expression keeps its text beside what it evaluates to (STG-089)")
{
    const auto stage = usda_stage("def \"a\"\n{\n    asset x = @`\"${NAME}.png\"`@\n}\n",
                                  "expressionVariables = {\n        string NAME = \"wood\"\n    }");
    const auto x     = stage->prim_at(Path("/a")).attribute("x").get<usd::AssetPath>();
    REQUIRE(x);
    CHECK(x->authored == "`\"${NAME}.png\"`");
    CHECK(x->evaluated == "wood.png");
}

TEST_CASE("an asset that is not there has an empty resolved part and is no finding of reading it (STG-090)")
{
    const auto stage = usda_stage("def \"a\"\n{\n    asset x = @./nowhere.png@\n    asset y = @@\n}\n");
    const auto a     = stage->prim_at(Path("/a"));
    CHECK(a.attribute("x").get<usd::AssetPath>()->authored == "./nowhere.png");
    CHECK(a.attribute("x").get<usd::AssetPath>()->resolved.empty());
    CHECK(a.attribute("y").get<usd::AssetPath>()->resolved.empty());
    CHECK(stage->diagnostics().size() == 0);
}
