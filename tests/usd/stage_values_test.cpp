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
