// Texts of layers are those of OpenUSD's own writer (SdfLayer::ExportToString, usd-core 26.11), byte for byte.
#include "mechane/usd/layer.h"

#include <algorithm>

#include "usd/stages.h"

using namespace mechane;
using usd::Path;

namespace {

/// Written by OpenUSD of a layer that has what robots have, and what is rare.
constexpr const char* kByOpenUsd = R"usda(#usda 1.0
(
    defaultPrim = "a"
    metersPerUnit = 1
)

def Xform "a" (
    prepend apiSchemas = ["RosContextAPI", "PhysicsDriveAPI:angular"]
    kind = "component"
    prepend payload = @./b.usdc@</b>
    prepend references = @./c.usda@
)
{
    float a = 0.00001
    int[] ai = [1, 2, 3]
    asset as = @./x.png@
    token[] at = ["x", "y"]
    token[] at0 = []
    float B = 1
    float b2 = 123456790
    float b10 = 1e-7
    double b:c = 0.1
    double bb = 1e20
    double bc = 1e15
    double be = 100000000000000
    double bf = inf
    float bg = -inf
    float bh = 3.4028235e38
    double bi = 5e-324
    double bj = -0.000001234
    float bk = nan
    double bl = 0.000001
    double bm = 9.999999e-7
    bool d = 1
    custom bool d2 = 0
    custom uniform bool d3
    token e = "it's"
    token e2 = 'with "quotes"'
    string f = """a
b"""
    token g.connect = </a.e>
    float gc = 2
    float gc.connect = </a.B>
    point3f[] p = [(0, 1.5, 2), (1e-9, 3, 4)]
    quatf q = (1, 0, 0, 0.5)
    rel r = </a.e>
    rel r2 = [
        </a.e>,
        </b>,
    ]
    rel r3
    custom rel r4 = None
    varying rel r5 = </b>
    double3 v = (1, 2, -0)
    float w = None
    float x = 3 (
        doc = "hh"
    )
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    float y.timeSamples = {
        1: 2,
        2: None,
    }

    def "c" (
        prepend apiSchemas = ["B"]
        customData = {
            string n = "m"
            bool x = 1
        }
        append references = </b>
    )
    {
        float z = 1

        def "e"
        {
        }
    }

    over "d"
    {
        float z = 1
    }

    over Scope "e" (
        active = false
    )
    {
    }
}

over "b"
{
}

class "k" (
    doc = "k"
)
{
}

over "dictionaries" (
    customData = {
        string A = "x"
        string Z_1 = ""
        dictionary a = {
            dictionary empty = {
            }
            int n = -3
            dictionary q = {
                bool y = 0
                bool z = 1
            }
        }
        string[] arr = ["a", "it's"]
        double b10 = 1.5
        double[] b9 = [1, 2e20]
        double[] e = []
    }
    kind = "component"
    prepend references = @./c.usda@
)
{
}

def "rarer" (
    customData = {
        token t = "k"
        float3 v = (1, 2, 3)
    }
)
{
}

def "keys" (
    customData = {
        int "9" = 2
        int "a:b" = 1
    }
)
{
}

def "quoted" (
    customData = {
        string s = 'a "b"'
    }
)
{
    float x (
        customData = {
            double y = 1
        }
    )
}

)usda";

}  // namespace

TEST_CASE("a layer is written as OpenUSD writes it, plain and rare fields alike")
{
    const auto layer = usd::Layer::from_text(kByOpenUsd);
    REQUIRE(layer);
    CHECK(layer->to_text() == kByOpenUsd);
    usd::Layer copied = layer->copy();  // the storage of a layer that was not parsed
    CHECK(copied.to_text() == kByOpenUsd);
}

TEST_CASE("what needs OpenUSD's writer for the whole layer is written by it")
{
    for (const char* text :
         {"#usda 1.0\n\ndef \"a\" (\n    variants = {\n        string v = \"x\"\n    }\n    prepend variantSets = "
          "\"v\"\n)\n{\n    "
          "variantSet \"v\" = {\n        \"x\" {\n            float b = 1\n\n        }\n    }\n}\n\n",
          "#usda 1.0\n\ndef \"a\"\n{\n    reorder properties = [\"c\", \"b\"]\n    float b = 1\n    float c = 1\n}\n\n",
          "#usda 1.0\n(\n    subLayers = [\n        @./a.usda@,\n        @./b.usda@ (offset = 2)\n    ]\n)\n\n",
          "#usda 1.0\n\n"}) {
        const auto layer = usd::Layer::from_text(text);
        REQUIRE(layer);
        CHECK(layer->to_text() == text);
    }
}

TEST_CASE("specs that are made by edits are those that OpenUSD's parser makes of their text")
{
    usd::Layer layer;
    REQUIRE(layer.define(Path("/a/b"), "Xform"));
    REQUIRE(layer.set(Path("/a/b.physics:mass"), "float", 2.0));
    REQUIRE(layer.define_attribute(Path("/a/b.x"), "token", true, true));
    REQUIRE(layer.set_targets(Path("/a/b.r"), {Path("/a")}));
    REQUIRE(layer.set_connections(Path("/a/b.x"), {Path("/a/b.physics:mass")}));
    REQUIRE(layer.apply_api(Path("/a"), "PhysicsMassAPI"));
    REQUIRE(layer.add_payload(Path("/a/c"), {"./d.usda", Path("/d")}));
    const std::string text = layer.to_text();
    CHECK(text ==
          "#usda 1.0\n\nover \"a\" (\n    prepend apiSchemas = [\"PhysicsMassAPI\"]\n)\n{\n    def Xform \"b\"\n    "
          "{\n        float physics:mass = 2\n"
          "        rel r = </a>\n        custom uniform token x\n        uniform token x.connect = "
          "</a/b.physics:mass>\n    }\n\n    over \"c\" "
          "(\n        prepend payload = "
          "@./d.usda@</d>\n    )\n    {\n    }\n}\n\n");
    const auto parsed = usd::Layer::from_text(text);
    REQUIRE(parsed);
    auto mine = layer.specs(), theirs = parsed->specs();  // a parser meets properties in the order of the text
    std::sort(mine.begin(), mine.end());
    std::sort(theirs.begin(), theirs.end());
    CHECK(mine == theirs);
    CHECK(parsed->to_text() == text);
}
