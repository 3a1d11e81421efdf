#include <algorithm>
#include <filesystem>

#include "conformance/fixing.h"
#include "mechane/conformance/codes.h"
#include "mechane/usd/layer_files.h"

using namespace mechane;
using namespace mechane::conformance;

/// What a repaired asset takes along: every file that it needs lies in the result, at the place that its layers name.
namespace {

std::string stage(const std::string& prim, const std::string& metadata, const std::string& arcs,
                  const std::string& content = {})
{
    return "#usda 1.0\n(\n    defaultPrim = \"" + prim +
           "\"\n    kilogramsPerUnit = 1\n    timeCodesPerSecond = 1\n    upAxis = \"Z\"\n    " + metadata +
           "\n)\ndef Xform \"" + prim +
           "\" (\n    assetInfo = {\n        string identifier = \"urn:example:robot\"\n        string name = \"robot\""
           "\n        string version = \"1.0.0\"\n    }\n    kind = \"component\"\n    " +
           arcs + "\n)\n{\n" + content + "\n}\n";
}

const std::string kMetres = "metersPerUnit = 1\n    ";

bool holds(const FixResult& result, std::string_view name)
{
    return std::ranges::any_of(result.files, [&](const FixedFile& file) { return file.name == name; }) &&
           std::filesystem::exists(std::filesystem::path(result.folder) / name);
}

}  // namespace

TEST_CASE("a result for another place holds what lies outside, also where REP-1.2.5-h does not run")
{
    const std::map<std::string, std::string> files{
        {"asset/robot.usda", stage("robot", kMetres + "subLayers = [@../shared/common.usda@]", "")},
        {"shared/common.usda", stage("robot", kMetres, "", "def Cube \"common\" {}")}};
    for (const bool ignored : {false, true}) {
        FixOptions options;
        (ignored ? options.ignore : options.select) = {ignored ? "REP-1.2.5-h" : "1.1"};
        const Fixed fixed(files, options);
        CHECK(holds(fixed.result, "deps/common.usda"));
        CHECK(fixed.after->prim_at(usd::Path("/robot/common")));
        CHECK(fixed.left("REP-1.2.5-h", "gathered") != nullptr);
    }
    FixOptions in_place;
    in_place.select       = {"1.1"};
    in_place.stands_alone = false;
    CHECK_FALSE(holds(Fixed(files, in_place).result, "deps/common.usda"));
}

TEST_CASE("a layer from outside brings what it names by expressions, clip templates and tiles")
{
    const Fixed fixed(std::map<std::string, std::string>{
        {"asset/robot.usda", stage("robot", kMetres, "references = @../lib/mid.usda@")},
        {"lib/mid.usda", stage("robot", kMetres + "expressionVariables = { string W = \"arm\" }",
                               "references = @`\"./${W}.usda\"`@\n    clips = {\n dictionary default = {\n"
                               "string templateAssetPath = \"../clips/k.##.usda\"\nstring primPath = \"/robot\"\n"
                               "double templateStartTime = 1\ndouble templateEndTime = 2\n"
                               "double templateStride = 1\n}\n}",
                               "def Shader \"look\" { asset inputs:file = @./tex/u.<UDIM>.png@ }")},
        {"lib/arm.usda", stage("arm", kMetres, "", "def Cube \"forearm\" {}")},
        {"lib/tex/u.1001.png", "#usda 1.0\n"},
        {"clips/k.01.usda", "#usda 1.0\nover \"robot\" {}\n"},
        {"clips/k.02.usda", "#usda 1.0\nover \"robot\" {}\n"}});
    CHECK(fixed.after->prim_at(usd::Path("/robot/forearm")));
    // The templates lead one folder up, so that the layer lies one folder further down.
    for (const char* name : {"deps/lib/mid.usda", "deps/lib/arm.usda", "deps/lib/tex/u.1001.png",
                             "deps/clips/k.01.usda", "deps/clips/k.02.usda"})
        CHECK_MESSAGE(holds(fixed.result, name), name);
}

TEST_CASE("an expression that leads out of the asset's folder cannot be rewritten: nothing is made without its file")
{
    const test::TemporaryFolder source, work;
    const std::string           entry = source.write(
        "asset/robot.usda", fixture_stage(stage("robot", kMetres + "expressionVariables = { string W = \"arm\" }",
                                                "references = @`\"../lib/${W}.usda\"`@")));
    source.write("lib/arm.usda", fixture_stage(stage("arm", kMetres, "", "def Cube \"forearm\" {}")));
    const auto refused = fix(entry, work.path().string(), {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().id == codes::kOutside.id);
}

TEST_CASE("brackets in the name of a layer are part of the name (REP-1.2.5-k)")
{
    const Fixed fixed(std::map<std::string, std::string>{
        {"robot.usda", stage("robot", "metersPerUnit = 0.01\n    subLayers = [@./sub[1].usda@]", "")},
        {"sub[1].usda", stage("robot", "metersPerUnit = 0.01", "", "def Cube \"c\" {}")}});
    CHECK_FALSE(fixed.found("REP-1.2.5-k"));
    CHECK(holds(fixed.result, "sub[1].usda"));
    CHECK(fixed.value<double>("/robot/c.size") == doctest::Approx(0.02));  // the fallback of 2 units of a centimetre
}

TEST_CASE("a package keeps the place and the name of a layer with brackets")
{
    const test::TemporaryFolder source, made;
    const std::string           entry =
        source.write("robot.usda", fixture_stage(stage("robot", kMetres + "subLayers = [@./sub[1].usda@]", "")));
    source.write("sub[1].usda", fixture_stage(stage("robot", kMetres, "", "def Cube \"c\" {}")));
    const auto  layer   = usd::Layer::open(entry);
    const auto  package = (made.path() / "robot.usdz").string();
    Diagnostics found;
    REQUIRE(layer);
    REQUIRE(usd::write_package(*layer, package, {}, found));
    const auto packed = usd::Stage::open(package);
    REQUIRE(packed);
    CHECK((*packed)->prim_at(usd::Path("/robot/c")));
}
