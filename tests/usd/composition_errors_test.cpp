// Every kind of composition error that OpenUSD reports on a stage, each made by its smallest stage.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mechane/usd/inspect.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;

namespace {

struct Row {
    const char* kind;  ///< OpenUSD's name of the error
    const char* code;
    const char* prim;  ///< where it is reported; empty: the layer
    const char* words;
    const char* head;
    const char* body;
};

// OpenUSD reports no permission errors for stages (its "USD mode" ignores permissions), no property errors from
// composing prims, and refuses invalid variant names, prim paths and internal asset paths while it parses text.
const Row kRows[] = {
    {"ArcCycle", "COMP_CYCLE", "/a/b", "Cycle detected", "", R"(def "a"
{
    def "b" (
        references = </a>
    )
    {
    }
}
)"},
    {"SublayerCycle", "COMP_CYCLE", "", "hierarchy with root layer", "subLayers = [@./loop.usda@]", ""},
    {"ArcToProhibitedChild", "COMP_RELOCATE_SOURCE", "/b", "prohibited child", "relocates = {</a/old>: </a/new>}",
     R"(def "a" (
    references = @./parts.usda@</p>
)
{
}
def "b" (
    references = </a/old>
)
{
}
)"},
    {"OpinionAtRelocationSource", "COMP_RELOCATE_SOURCE", "/a/new", "invalid opinion at the relocation source",
     "relocates = {</a/old>: </a/new>}", R"(def "a" (
    references = @./parts.usda@</p>
)
{
    def "old"
    {
    }
}
)"},
    {"InvalidAssetPath", "COMP_ASSET_MISSING", "/a", "nowhere.usda", "", R"(def "a" (
    references = @./nowhere.usda@</p>
)
{
}
)"},
    {"InvalidSublayerPath", "COMP_ASSET_MISSING", "", "nowhere.usda", "subLayers = [@./nowhere.usda@]", ""},
    {"UnresolvedPrimPath", "COMP_TARGET_PRIM_MISSING", "/a", "Unresolved reference prim path", "", R"(def "a" (
    references = @./parts.usda@</nobody>
)
{
}
)"},
    {"InvalidReferenceOffset", "COMP_OFFSET_INVALID", "/a", "Invalid reference offset", "", R"(def "a" (
    references = @./parts.usda@</p> (scale = 0)
)
{
}
)"},
    {"InvalidSublayerOffset", "COMP_OFFSET_INVALID", "", "Invalid sublayer offset",
     "subLayers = [@./parts.usda@ (scale = -1)]", ""},
    {"InvalidSublayerOwnership", "COMP_OWNERSHIP", "", "the same owner",
     "hasOwnedSubLayers = true\nsubLayers = [@./mine.usda@, @./also_mine.usda@]", ""},
    {"InvalidAuthoredRelocation", "COMP_RELOCATE_INVALID", "", "cannot be the source", "relocates = {</a>: </c>}",
     "def \"a\"\n{\n}\n"},
    {"InvalidConflictingRelocation", "COMP_RELOCATE_INVALID", "", "conflicts with another relocation",
     "relocates = {</a/x>: </a/y>, </a/y>: </a/z>}", "def \"a\" (\n    references = @./parts.usda@</p>\n)\n{\n}\n"},
    {"InvalidSameTargetRelocations", "COMP_RELOCATE_INVALID", "", "target of multiple relocations",
     "relocates = {</a/x>: </a/z>, </a/y>: </a/z>}", "def \"a\" (\n    references = @./parts.usda@</p>\n)\n{\n}\n"},
    {"VariableExpressionError, an undefined variable", "COMP_EXPRESSION", "/a", "No value for variable 'X'", "",
     "def \"a\" (\n    references = @`${X}`@</p>\n)\n{\n}\n"},
    {"VariableExpressionError, bad syntax", "COMP_EXPRESSION", "/a", "Missing ending ')'", "",
     "def \"a\" (\n    references = @`foo(`@</p>\n)\n{\n}\n"},
    {"VariableExpressionError, of a variant", "COMP_EXPRESSION", "/a", "No value for variable 'X'", "", R"(def "a" (
    variants = {
        string v = "`${X}`"
    }
    prepend variantSets = "v"
)
{
    variantSet "v" = {
        "one" {
        }
    }
}
)"},
    {"InvalidAssetPath whose package nobody knows", "ASSET_PACKAGE_UNKNOWN", "/a", "package://nobodys/arm.usda", "",
     "def \"a\" (\n    references = @package://nobodys/arm.usda@</p>\n)\n{\n}\n"},
};

/// The files that the rows refer to.
void write_parts(const test::TemporaryFolder& folder)
{
    folder.write("parts.usda", R"(#usda 1.0
def "p"
{
    def "old"
    {
    }
    def "x"
    {
    }
    def "y"
    {
    }
}
)");
    folder.write("loop.usda", "#usda 1.0\n(\n    subLayers = [@./loop.usda@]\n)\n");
    folder.write("mine.usda", "#usda 1.0\n(\n    owner = \"me\"\n)\n");
    folder.write("also_mine.usda", "#usda 1.0\n(\n    owner = \"me\"\n)\n");
}

std::shared_ptr<const usd::Stage> open(const test::TemporaryFolder& folder, const std::string& head,
                                       const std::string& body, const usd::OpenOptions& options = {})
{
    auto stage = usd::Stage::open(
        folder.write("root.usda", "#usda 1.0\n(\n" + head + "\n)\n" + body + "def \"sound\"\n{\n    double x = 1\n}\n"),
        options);
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *stage;
}

}  // namespace

TEST_CASE("each kind of composition error has its code and place, and leaves the rest of the stage usable (STG-026)")
{
    for (const Row& row : kRows) {
        CAPTURE(std::string(row.kind));
        const test::TemporaryFolder folder;  // one each: OpenUSD keeps layers by file name
        write_parts(folder);
        usd::OpenOptions options;
        if (std::string(row.code) == "COMP_OWNERSHIP")
            options.session_text = "#usda 1.0\n(\n    sessionOwner = \"me\"\n)\n";
        const auto        stage = open(folder, row.head, row.body, options);
        const Diagnostic* found = stage->diagnostics().find(row.code);
        REQUIRE(found != nullptr);
        CHECK_MESSAGE(found->message.find(row.words) != std::string::npos, found->message);
        CHECK(found->site.prim == std::string(row.prim));
        CHECK(stage->diagnostics().size() == stage->diagnostics().count(row.code));
        CHECK(stage->prim_at(usd::Path("/sound")).attribute("x").get<double>() == 1);
    }
}

TEST_CASE("an arc to a muted layer is information, no error (STG-026)")
{
    const test::TemporaryFolder folder;
    write_parts(folder);
    usd::OpenOptions options;
    options.muted_layers = {"./parts.usda"};
    const auto stage     = open(folder, "", "def \"a\" (\n    references = @./parts.usda@</p>\n)\n{\n}\n", options);
    REQUIRE(stage->diagnostics().find("COMP_ASSET_MUTED") != nullptr);
    CHECK_FALSE(stage->diagnostics().has_errors());
    CHECK(stage->prim_at(usd::Path("/a")).children().empty());
}

TEST_CASE("properties that disagree and targets beyond their arc are found by inspection (STG-026)")
{
    const struct {
        const char *kind, *code, *prim, *weak, *strong;
    } rows[] = {
        {"InconsistentPropertyType", "COMP_TYPE_CONFLICT", "/a", "rel r = </p>", "double r = 1"},
        {"InconsistentAttributeType", "COMP_TYPE_CONFLICT", "/a", "double r = 1", "string r = \"1\""},
        {"InconsistentAttributeVariability", "COMP_TYPE_CONFLICT", "/a", "uniform double r = 1", "double r = 1"},
        {"InvalidExternalTargetPath, of a relationship", "COMP_TARGET_INVALID", "/a", "rel r = </q>", ""},
        {"InvalidExternalTargetPath, of a connection", "COMP_TARGET_INVALID", "/a", "double r.connect = </q.x>", ""},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.kind));
        const test::TemporaryFolder folder;
        folder.write("weak.usda", std::string("#usda 1.0\ndef \"p\"\n{\n    ") + row.weak + "\n}\ndef \"q\"\n{\n}\n");
        const auto stage =
            open(folder, "",
                 std::string("def \"a\" (\n    references = @./weak.usda@</p>\n)\n{\n    ") + row.strong + "\n}\n");
        CHECK(stage->diagnostics().empty());
        Diagnostics found;
        usd::inspect(*stage, found);
        REQUIRE(found.size() == 1);
        CHECK(found.items()[0].id == std::string(row.code));
        CHECK(found.items()[0].site.prim == std::string(row.prim));
    }
}

TEST_CASE(
    "an undefined variable is named, and its arc left out; a defined one of a missing file is a missing file (STG-044)")
{
    const struct {
        const char *head, *body, *code;
    } rows[] = {
        {"", "def \"a\" (\n    references = @`\"./${PART}.usda\"`@</p>\n)\n{\n}\n", "COMP_EXPRESSION"},
        {"", "def \"a\" (\n    payload = @`\"./${PART}.usda\"`@</p>\n)\n{\n}\n", "COMP_EXPRESSION"},
        {"subLayers = [@`\"./${PART}.usda\"`@]", "def \"a\"\n{\n}\n", "COMP_EXPRESSION"},
        {"expressionVariables = {\n    string PART = \"none\"\n}",
         "def \"a\" (\n    references = @`\"./${PART}.usda\"`@</p>\n)\n{\n}\n", "COMP_ASSET_MISSING"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.head));
        CAPTURE(std::string(row.body));
        const test::TemporaryFolder folder;
        write_parts(folder);
        const auto stage = open(folder, row.head, row.body);
        REQUIRE(stage->diagnostics().size() == 1);
        const Diagnostic& found = stage->diagnostics().items()[0];
        CHECK(found.id == std::string(row.code));
        if (std::string(row.code) == "COMP_EXPRESSION") CHECK(found.message.find("variable PART") != std::string::npos);
        CHECK(stage->prim_at(usd::Path("/a")).children().empty());
    }
    const test::TemporaryFolder folder;
    const auto                  stage = open(folder, "", R"(def "a" (
    variants = {
        string v = '`"${PART}"`'
    }
    prepend variantSets = "v"
)
{
    variantSet "v" = {
        "one" {
            def "b"
            {
            }
        }
    }
}
)");
    CHECK(stage->prim_at(usd::Path("/a")).children().empty());
    Diagnostics found;
    usd::inspect(*stage, found);
    REQUIRE(found.size() == 1);
    CHECK(found.items()[0].id == "COMP_EXPRESSION");
    CHECK(found.items()[0].site.prim == "/a");
}

TEST_CASE("a root in an unknown package is refused by that name (STG-023)")
{
    const auto stage = usd::Stage::open("package://nobodys/arm.usda");
    REQUIRE_FALSE(stage);
    CHECK(stage.error().id == "ASSET_PACKAGE_UNKNOWN");
}

TEST_CASE("a list that names an item twice, which OpenUSD's parser drops in silence, is found in the text (STG-032)")
{
    const test::TemporaryFolder folder;
    const auto                  stage = open(folder, "", R"(def Xform "arm"
{
    # prepend apiSchemas = ["A", "A"]
    string text = "prepend apiSchemas = ['A', 'A']"
    token[] names = ["A", "A"]

    def Cube "link" (
        prepend apiSchemas = ["PhysicsMassAPI", "PhysicsRigidBodyAPI", # a comment
            "PhysicsMassAPI"]
    )
    {
    }
    def Cube "sound" (
        prepend apiSchemas = ["PhysicsMassAPI", "PhysicsRigidBodyAPI"]
    )
    {
    }
}
)");
    CHECK(stage->prim_at(usd::Path("/arm/link")).applied_apis().empty());
    Diagnostics found;
    usd::inspect(*stage, found);
    REQUIRE(found.size() == 1);
    const Diagnostic& twice = found.items()[0];
    CHECK(twice.id == "LAYER_LISTOP_DUPLICATE");
    CHECK(twice.site.prim == "/arm/link");
    CHECK(twice.site.property == "apiSchemas");
    CHECK(twice.site.line == 12);  // four lines of head, eight of the body
    CHECK(twice.message.find("PhysicsMassAPI") != std::string::npos);
}
