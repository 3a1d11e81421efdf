#include <filesystem>

#include "mechane/usd/layer.h"
#include "mechane/usd/udim.h"
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

TEST_CASE("a texture in tiles is found tile by tile, beside the layer that names it (STG-091)")
{
    const test::TemporaryFolder folder;
    folder.write("parts/skin.1001.png", "x");
    folder.write("parts/skin.1012.png", "x");
    folder.write("parts/skin.1101.png", "beyond the last tile");
    folder.write("parts/part.usda",
                 "#usda 1.0\ndef \"p\"\n{\n    asset skin = @./skin.<UDIM>.png@\n    asset lost = @./lost.<UDIM>.png@\n"
                 "    asset plain = @./skin.1001.png@\n}\n");
    const auto stage = usd::Stage::open(
        folder.write("root.usda", "#usda 1.0\ndef \"a\" (\n    references = @./parts/part.usda@</p>\n)\n{\n}\n"));
    REQUIRE(stage);
    const auto prim = (*stage)->prim_at(usd::Path("/a"));
    CHECK(prim.attribute("skin").get<usd::AssetPath>()->resolved.empty());
    const usd::UdimTexture skin  = usd::find_udim_tiles(prim.attribute("skin"));
    const std::string      parts = (folder.path() / "parts").string();
    CHECK(skin.pattern == parts + "/skin.<UDIM>.png");
    REQUIRE(skin.tiles.size() == 2);
    CHECK(skin.tiles[0].number == 1001);
    CHECK(skin.tiles[0].file == parts + "/skin.1001.png");
    CHECK(skin.tiles[1].number == 1012);  // u = 1, v = 1
    CHECK(usd::find_udim_tiles(prim.attribute("lost")).tiles.empty());
    CHECK(usd::find_udim_tiles(prim.attribute("lost")).pattern.empty());
    CHECK(usd::find_udim_tiles(prim.attribute("plain")).tiles.empty());
    CHECK(usd::find_udim_tiles(prim.attribute("nothing")).tiles.empty());
}

TEST_CASE("a bare relative reference is found in the second search folder (STG-021)")
{
    const test::TemporaryFolder folder;
    folder.write("one/other.usda", "#usda 1.0\n");
    folder.write("two/part.usda", "#usda 1.0\ndef Sphere \"p\"\n{\n}\n");
    const auto root =
        folder.write("stages/root.usda", "#usda 1.0\ndef \"a\" (\n    references = @part.usda@</p>\n)\n{\n}\n");
    const std::string one = (folder.path() / "one").string(), two = (folder.path() / "two").string();
    const auto        found = usd::Stage::open(root, {.search_paths = {one, two}});
    REQUIRE(found);
    CHECK((*found)->prim_at(usd::Path("/a")).type_name().text() == "Sphere");
    const auto lost = usd::Stage::open(root, {.search_paths = {one}});
    REQUIRE(lost);
    CHECK((*lost)->diagnostics().count("COMP_ASSET_MISSING") == 1);
}

TEST_CASE("a package opens at its first layer, and at any other that is named (STG-019)")
{
    const test::TemporaryFolder folder;
    folder.write("src/part.usda", "#usda 1.0\ndef Sphere \"part\"\n{\n}\n");
    auto layer = usd::Layer::open(
        folder.write("src/main.usda", "#usda 1.0\ndef \"main\" (\n    references = @./part.usda@</part>\n)\n{\n}\n"));
    REQUIRE(layer);
    const std::string package = (folder.path() / "p.usdz").string();
    Diagnostics       findings;
    REQUIRE(usd::write_package(*layer, package, {}, findings));
    const auto whole = usd::Stage::open(package);
    REQUIRE(whole);
    CHECK((*whole)->prim_at(usd::Path("/main")).type_name().text() == "Sphere");
    const auto part = usd::Stage::open(package + "[part.usda]");
    REQUIRE(part);
    CHECK((*part)->prim_at(usd::Path("/part")));
    CHECK_FALSE((*part)->prim_at(usd::Path("/main")));
    const auto none = usd::Stage::open(package + "[none.usda]");
    REQUIRE_FALSE(none);
    CHECK(none.error().id == "STAGE_OPEN_FAILED");
}
