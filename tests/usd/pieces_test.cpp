// Large text is parsed in pieces, by several threads. Nothing of that may show: one thread parses it whole.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>

#include "mechane/usd/dump.h"
#include "mechane/usd/flatten.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using usd::Path;

namespace {

/// Prims that fill several pieces of 64 KiB, each with `extra` in it.
std::string prims(int count, const std::string& indent, const std::function<std::string(int)>& extra)
{
    std::string out;
    for (int i = 0; i < count; ++i)
        out += fmt::format(
            "{0}def Xform \"body_{1}\" (\n{0}    prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]\n"
            "{0}    customData = {{\n{0}        dictionary inner = {{\n{0}            int def = {1}\n{0}        }}\n"
            "{0}    }}\n{0})\n{0}{{\n{0}    double3 xformOp:translate = ({1}, 0, 0)\n"
            "{0}    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
            "{0}    rel toward = <../body_{2}>\n{0}    float size.timeSamples = {{\n{0}        0: {1},\n"
            "{0}        {1}.5: 2,\n{0}    }}\n{3}"
            "{0}    def Cube \"collider\"\n{0}    {{\n{0}    }}\n{0}}}\n",
            indent, i, (i + 1) % count, extra(i));
    return out;
}

std::string nothing(int) { return {}; }

const std::string kHead = "#usda 1.0\n(\n    defaultPrim = \"World\"\n    metersPerUnit = 1\n    endTimeCode = 12\n)\n";

Result<std::shared_ptr<const usd::Stage>> open(const std::string& file, int threads)
{
    usd::OpenOptions options;
    options.threads = threads;
    return usd::Stage::open(file, options);
}

/// All that a stage says; nothing of it is held when this returns, so that the next one parses the file again.
struct Told {
    explicit Told(const std::string& file, int threads)
    {
        const auto stage = open(file, threads);
        REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
        dump = usd::dump_stage(**stage, 0);
        root = (*stage)->root_layer_text();
        flat = usd::flatten(**stage).to_text();
        for (const Diagnostic& finding : (*stage)->diagnostics())
            findings += fmt::format("{}:{} {}\n", finding.site.layer, finding.site.line, finding.message);
    }
    std::string dump, root, flat, findings;
};

}  // namespace

TEST_CASE("text of many prims, wherever it is cut, reads as it does whole")
{
    const auto strings = [](int i) {
        return fmt::format(
            "        custom string said = \"\"\"\n    def Xform \"body_{0}\" {{\n\"\"\"\n"
            "        # def Xform \"comment\" {{ (\n        custom string word = 'a \\' {{ \"'\n"
            "        custom asset file = @./a{{[(#{0}.usda@\n"
            "        variantSet \"shape\" = {{\n            \"round\" {{\n"
            "                def Sphere \"ball\"\n                {{\n                }}\n            }}\n        }}\n",
            i);
    };
    const std::string flat = prims(600, "", nothing), below = prims(600, "    ", nothing);
    const struct {
        const char* what;
        std::string text;
    } table[] = {
        {"children of one prim", "def Xform \"World\"\n{\n" + below + "}\n"},
        {"prims of the root", flat},
        {"both", flat + "def \"World\"\n{\n" + below + "}\nclass \"last\"\n{\n}\n"},
        {"two deep",
         "def \"World\" {\ndef \"a\" (\n    kind = \"group\"\n) {\n" + below + "}\nover \"b\"\n{\n" + below + "}\n}\n"},
        {"strings, comments, dictionaries, asset paths and variants",
         "def \"World\"\n{\n" + prims(400, "    ", strings) + "}\n"},
        {"what is said of a prim behind its children",
         "def \"World\"\n{\n" + below +
             "    custom int late = 3\n    reorder nameChildren = [\"body_7\", \"body_3\"]\n}\n"},
        {"an order of the root's prims at the end", flat + "reorder rootPrims = [\"body_9\", \"body_2\"]\n"},
        {"relocates", "def \"World\" (\n    relocates = {\n        <body_1/collider> : <body_1/moved>\n    }\n)\n{\n" +
                          below + "}\n"},
        {"names of prims that are no words", "def \"_\" {\ndef 'World' {\n" + below + "}\n}\n"},
    };
    const test::TemporaryFolder folder;
    for (const auto& row : table) {
        CAPTURE(row.what);
        const std::string file = folder.write("stage.usda", kHead + row.text);
        REQUIRE(row.text.size() > 3 * 65536);  // of 64 KiB a piece pays
        const Told whole(file, 1);
        for (const int threads : {2, 3, 8}) {
            CAPTURE(threads);
            const Told pieces(file, threads);
            CHECK(pieces.dump == whole.dump);
            CHECK(pieces.root == whole.root);
            CHECK(pieces.flat == whole.flat);
            CHECK(pieces.findings == whole.findings);
        }
    }
}

TEST_CASE("a fault in large text is told with the line of the file, as if it was parsed whole (STG-016)")
{
    const std::string good = prims(600, "    ", nothing), open_world = kHead + "def Xform \"World\"\n{\n";
    const struct {
        const char* what;
        std::string text;
    } table[] = {
        {"a word that is none", open_world + good + "    nonsense\n}\n"},
        {"a prim that is there already", open_world + good + "    def \"body_3\"\n    {\n    }\n}\n"},
        {"a brace too few", open_world + good},
        {"a brace too many", open_world + good + "}\n}\n"},
        {"metadata behind the first prim", open_world + good + "}\n(\n    upAxis = \"Z\"\n)\n"},
    };
    const test::TemporaryFolder folder;
    for (const auto& row : table) {
        CAPTURE(row.what);
        const std::string file  = folder.write("stage.usda", row.text);
        const auto        whole = open(file, 1), pieces = open(file, 4);
        REQUIRE_FALSE(whole);
        REQUIRE_FALSE(pieces);
        CHECK(pieces.error().id == whole.error().id);
        CHECK(pieces.error().site.line == whole.error().site.line);
        CHECK(pieces.error().site.layer == whole.error().site.layer);
        CHECK(pieces.error().message == whole.error().message);
    }
}

TEST_CASE("a layer that was parsed in pieces is found under its name like any other (STG-024)")
{
    const test::TemporaryFolder folder;
    const std::string           text =
        kHead + "def Xform \"World\"\n{\n" + prims(600, "    ", nothing) +
        "    def \"again\" (\n        references = @./stage.usda@</World/body_5>\n    )\n    {\n    }\n}\n";
    const std::string file  = folder.write("stage.usda", text);
    const auto        stage = open(file, 2);
    REQUIRE(stage);
    CHECK((*stage)->used_layers().size() == 1);
    CHECK((*stage)->prim_at(Path("/World/again/collider")));
    CHECK((*stage)->prim_at(Path("/World/again")).attribute("xformOp:translate").get<Vec3d>() == Vec3d{5, 0, 0});
    folder.write("stage.usda", kHead);
    const auto second = open(file, 2);  // the first one holds the layer
    REQUIRE(second);
    CHECK((*second)->prim_count() == (*stage)->prim_count());
}
