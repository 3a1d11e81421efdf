#include "usd/stages.h"

#include "mechane/usd/dump.h"
#include "mechane/usd/flatten.h"

using namespace mechane;
using mechane::test::usda_stage;
using usd::Path;

namespace {

const std::string kVariables = "expressionVariables = {\n        string DIR = \"sub\"\n        string NESTED = "
                               "'`\"${DIR}/${NOBODY}\"`'\n        int N = 3\n    }";

/// What an asset-valued attribute with this text is evaluated to.
std::string evaluated(const std::string& expression)
{
    const auto stage = usda_stage("def \"a\"\n{\n    asset x = @`" + expression + "`@\n}\n", kVariables);
    const auto x     = stage->prim_at(Path("/a")).attribute("x").get<usd::AssetPath>();
    REQUIRE(x);
    return x->evaluated;
}

}  // namespace

TEST_CASE("an undefined variable stays as it is written inside quotes and is an error outside of them (STG-089)")
{
    CHECK(evaluated("\"${DIR}/a.png\"") == "sub/a.png");
    CHECK(evaluated("\"${DIR}/${NOBODY}.png\"") == "sub/${NOBODY}.png");
    CHECK(evaluated("'${NOBODY}'") == "${NOBODY}");
    CHECK(evaluated("${NESTED}") == "sub/${NOBODY}");
    CHECK(evaluated("if(defined(\"NOBODY\"), \"yes\", \"${NOBODY}\")") == "${NOBODY}");
    CHECK(evaluated("\"\\${DIR}/${NOBODY}\"") == "${DIR}/${NOBODY}");
    CHECK(evaluated("${NOBODY}") == "");
    CHECK(evaluated("${N}") == "");       // an integer is no path
    CHECK(evaluated("\"${DIR") == "");    // no expression at all
    CHECK(evaluated("[1, 2]") == "");
}

TEST_CASE("metadata says what its values mean on the stage: expressions, and time codes at any depth (STG-083, STG-089)")
{
    const test::TemporaryFolder folder;
    folder.write("sub/part.usda",
                 "#usda 1.0\n(\n    expressionVariables = {\n        string NAME = \"own\"\n    }\n)\n"
                 "def \"p\" (\n    customData = {\n        asset picture = @`\"./${NAME}.png\"`@\n        timecode when = 10\n"
                 "        dictionary deep = {\n            timecode[] whens = [10, 20]\n            asset[] pictures = "
                 "[@`\"${NAME}\"`@, @plain@]\n        }\n    }\n)\n{\n    double x (\n        customData = {\n            "
                 "timecode when = 1\n        }\n    )\n}\n");
    folder.write("sub/own.png", "");
    const auto stage = usd::Stage::open(folder.write(
        "root.usda", "#usda 1.0\ndef \"a\" (\n    references = @./sub/part.usda@</p> (offset = 3; scale = 2)\n)\n{\n}\n"));
    REQUIRE(stage);
    const auto a       = (*stage)->prim_at(Path("/a"));
    const auto picture = a.metadata("customData:picture").get<usd::AssetPath>();
    REQUIRE(picture);
    CHECK(picture->evaluated == "./own.png");
    CHECK(picture->resolved == (folder.path() / "sub/own.png").string());
    CHECK(a.metadata("customData:when").get<double>() == 23);  // 2 * 10 + 3
    CHECK(a.metadata("customData:deep:whens").get<std::vector<double>>() == std::vector<double>{23, 43});
    const auto pictures = a.metadata("customData:deep:pictures").get<std::vector<usd::AssetPath>>();
    REQUIRE(pictures);
    CHECK(pictures->at(0).evaluated == "own");
    CHECK(pictures->at(1).evaluated == "plain");
    CHECK(a.attribute("x").metadata("customData:when").get<double>() == 5);  // 2 * 1 + 3
}

TEST_CASE("a flattened layer holds what expressions evaluate to: the variables of other layer stacks are not in it (STG-126)")
{
    const auto stage = usda_stage("def \"a\"\n{\n    asset x = @`\"${DIR}/a.png\"`@\n}\n", kVariables);
    CHECK(usd::flatten(*stage).to_text().find("@sub/a.png@") != std::string::npos);
}

TEST_CASE("samples at infinite times are no samples of a list, and hide weaker ones all the same (STG-072)")
{
    const auto stage = usda_stage(
        "def \"a\"\n{\n    double x.timeSamples = {\n        -inf: 1,\n        2: 5,\n        inf: 3\n    }\n    double "
        "y.timeSamples = {\n        inf: 3\n    }\n}\n");
    const auto a = stage->prim_at(Path("/a"));
    CHECK(a.attribute("x").time_samples() == std::vector<double>{2});
    CHECK(a.attribute("y").time_samples().empty());
}

TEST_CASE("a bare relative path is found in the folder of the root layer from wherever it is written (STG-088)")
{
    const test::TemporaryFolder folder;
    folder.write("parts/leaf.usda", "#usda 1.0\ndef \"l\"\n{\n    double x = 7\n}\n");
    folder.write("deep/part.usda", "#usda 1.0\ndef \"p\" (\n    references = @parts/leaf.usda@</l>\n)\n{\n}\n");
    const auto stage = usd::Stage::open(
        folder.write("root.usda", "#usda 1.0\ndef \"a\" (\n    references = @./deep/part.usda@</p>\n)\n{\n}\n"));
    REQUIRE(stage);
    CHECK((*stage)->prim_at(Path("/a")).attribute("x").get<double>() == 7);
    CHECK((*stage)->diagnostics().size() == 0);
}

TEST_CASE("the dump names the variant sets of all sites of a prim, and the order of root prims that the root layer states")
{
    const auto        stage = usda_stage(
        "reorder rootPrims = [\"b\", \"a\"]\n"
        "def \"a\" (\n    variantSets = \"outer\"\n    variants = {\n        string outer = \"one\"\n        string inner = "
        "\"two\"\n    }\n)\n{\n    variantSet \"outer\" = {\n        \"one\" (\n            variantSets = \"inner\"\n        "
        ") {\n            variantSet \"inner\" = {\n                \"two\" {\n                    double x = 1\n             "
        "   }\n            }\n        }\n    }\n}\ndef \"b\"\n{\n}\n");
    const std::string text = usd::dump_stage(*stage, 64);
    CHECK(text.find("\"inner\"") != std::string::npos);
    CHECK(text.find("\"outer\"") != std::string::npos);
    CHECK(text.find("\"primOrder\"") != std::string::npos);
}

TEST_CASE("an edit of an array and a path expression are what they make of the next weaker value")
{
    // Expected values are those of usd-core 26.11.
    struct Row {
        const char *strong, *weak, *weaker, *json, *at_three;
    };
    for (const Row& row : {
             Row{"int[] x = edit [append 4]", "int[] x = [1]", "", "[1,4]", "[1,4]"},
             Row{"int[] x = edit [append 4]", "", "", "[4]", "[4]"},
             Row{"int[] x = edit [append 4]", "int[] x = edit [prepend 0]", "int[] x = [1]", "[0,1,4]", "[0,1,4]"},
             Row{"int[] x = edit [append 4]", "int[] x.timeSamples = { 1: [1], 5: [2] }", "int[] x = [9]", "[9,4]", "[1,4]"},
             Row{"int[] x.timeSamples = { 1: edit [append 1], 5: edit [append 5] }", "int[] x = [9]", "", "[9]", "[9,1]"},
             Row{"int[] x = edit [append 4]", "int[] x = None", "int[] x = [1]", "null", "[4]"},
             Row{"timecode[] x = edit [append 4]", "timecode[] x = [1]", "", "[1.0,4.0]", "[1.0,4.0]"},
             Row{"pathExpression x = \"/A %_\"", "pathExpression x = \"/C %_\"", "pathExpression x = \"/B\"", "/A (/C /B)", "/A (/C /B)"},
             Row{"pathExpression x = \"/A %_\"", "", "", "/A", "/A"},
             Row{"pathExpression x = \"/A %_\"", "pathExpression x = \"\"", "pathExpression x = \"/B\"", "/A", "/A"},
             Row{"pathExpression x = \"/A %_\"", "pathExpression x.timeSamples = { 1: \"/B\" }", "pathExpression x = \"/C\"", "/A /C", "/A /B"},
             Row{"pathExpression x = \"/A\"", "pathExpression x = \"/B\"", "", "/A", "/A"},
         }) {
        CAPTURE(row.strong);
        CAPTURE(row.weak);
        test::TemporaryFolder folder;
        const auto            prim = [](const char* said) { return "over \"a\"\n{\n    " + std::string(said) + "\n}\n"; };
        folder.write("weaker.usda", "#usda 1.0\n" + prim(row.weaker));
        folder.write("weak.usda", "#usda 1.0\n" + prim(row.weak));
        const auto stage = usd::Stage::open(
            folder.write("root.usda", "#usda 1.0\n(\n    subLayers = [@./weak.usda@, @./weaker.usda@]\n)\n" + prim(row.strong)));
        REQUIRE(stage);
        const auto x = (*stage)->prim_at(Path("/a")).attribute("x");
        const auto said = [](const std::string& json) {
            const auto at = json.find("\"repr\":\"");
            return at == std::string::npos ? json : json.substr(at + 8, json.find('"', at + 8) - at - 8);
        };
        CHECK(said(x.value().to_json(0)) == row.json);
        CHECK(said(x.value(3).to_json(0)) == row.at_three);
    }
    // Time codes of an edit move with its layer.
    {
        test::TemporaryFolder folder;
        folder.write("late.usda", "#usda 1.0\nover \"a\"\n{\n    timecode[] x = edit [append 4]\n}\n");
        const auto late = usd::Stage::open(folder.write("root.usda", "#usda 1.0\n(\n    subLayers = [@./late.usda@ (offset = 10; scale = 2)]\n)\n"));
        REQUIRE(late);
        CHECK((*late)->prim_at(Path("/a")).attribute("x").value().to_json(0) == "[18.0]");
    }
    // A layer stack as one layer keeps what is left to compose with weaker ones.
    test::TemporaryFolder folder;
    folder.write("weak.usda", "#usda 1.0\nover \"a\"\n{\n    int[] x = edit [prepend 0]\n    int[] y = [1]\n}\n");
    const auto stack = usd::Stage::open(folder.write("root.usda", "#usda 1.0\n(\n    subLayers = [@./weak.usda@]\n)\ndef \"a\"\n{\n    int[] x = edit [append 4]\n"
                                                                  "    int[] y = edit [append 4]\n}\n"));
    REQUIRE(stack);
    const std::string merged = usd::flatten_layer_stack(**stack).to_text();
    CHECK(merged.find("y = [1, 4]") != std::string::npos);
    CHECK(merged.find("x = edit [prepend 0; append 4]") != std::string::npos);
    // The schema's fallback is the weakest.
    const auto cube = usda_stage("def Cube \"a\"\n{\n    float3[] extent = edit [write (5, 5, 5) to [1]]\n}\n");
    CHECK(cube->prim_at(Path("/a")).attribute("extent").value().to_json(0) == "[[-1.0,-1.0,-1.0],[5.0,5.0,5.0]]");
}

TEST_CASE("integers of 64 bits are said to the last digit")
{
    const auto stage = usda_stage(R"(
def "a"
{
    int64 i = -9007199254740993
    uint64 u = 18446744073709551615
    uint64[] all = [18446744073709551615, 9007199254740993]
}
)");
    const auto said = [&](const char* name) { return stage->prim_at(Path("/a")).attribute(name).value().to_json(0); };
    CHECK(said("i") == "-9007199254740993");
    CHECK(said("u") == "18446744073709551615");
    CHECK(said("all") == "[18446744073709551615,9007199254740993]");
}
