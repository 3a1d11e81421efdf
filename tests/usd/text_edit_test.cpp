#include "mechane/usd/text_edit.h"

#include <doctest/doctest.h>

#include <string>

#include "mechane/usd/make_value.h"

using namespace mechane;
using namespace mechane::usd;

namespace {

constexpr const char* kText = R"(#usda 1.0
# A licence that has to stay.
(
    defaultPrim = "robot"   # said here
    metersPerUnit = 1.0
)

# The robot.
def Xform "robot" (
    # why it is one
    kind = "group"
    prepend apiSchemas = ["A", "B"]
)
{
    double  mass = 2.50 ; float other = 1e0   # both
    rel target = </robot/arm>
    double3 xformOp:translate.timeSamples = { 0: (0,0,0), 1: (1,0,0) }
    double3 xformOp:translate = (0.10, 0, 0) # a place
    string text = "a # no comment { "

    def "arm" {}
    over "leg"
    {
        # nothing else
    }
    variantSet "size" = {
        "big" {
            float x = 1.00
        }
    }
}
)";

Layer read()
{
    auto layer = Layer::from_text(kText);
    REQUIRE(layer);
    return std::move(*layer);
}

std::string after(const Layer& layer)
{
    const auto text = edited_text(kText, layer);
    REQUIRE(text);
    const auto again = Layer::from_text(*text);
    REQUIRE(again);
    CHECK(again->to_text() == layer.to_text());
    return *text;
}

/// The text with one stretch replaced.
std::string with(const std::string& was, const std::string& is)
{
    std::string       text = kText;
    const std::size_t at   = text.find(was);
    REQUIRE(at != std::string::npos);
    return text.replace(at, was.size(), is);
}

}  // namespace

TEST_CASE("a value is exchanged where it stands: comments, spelling and layout around it stay")
{
    Layer layer = read();
    REQUIRE(layer.set(Path("/robot.mass"), make_value("double", 3.5)));
    CHECK(after(layer) == with("2.50", "3.5"));
    REQUIRE(layer.set(Path("/robot{size=big}.x"), make_value("float", 2.0)));
    CHECK(after(layer).find("            float x = 2\n") != std::string::npos);
}

TEST_CASE("a property that goes takes its line, one that comes stands behind the last")
{
    Layer gone = read();
    REQUIRE(gone.remove(Path("/robot.target")));
    CHECK(after(gone) == with("    rel target = </robot/arm>\n", ""));
    Layer half = read();
    REQUIRE(half.remove(Path("/robot.other")));
    CHECK(after(half).find("double  mass = 2.50") != std::string::npos);
    CHECK(after(half).find("# both") != std::string::npos);
    Layer come = read();
    REQUIRE(come.set(Path("/robot.new"), make_value("float", 1.0)));
    CHECK(after(come) == with("{ \"\n", "{ \"\n    float new = 1\n"));
    REQUIRE(come.set(Path("/robot/arm.new"), make_value("float", 1.0)));
    REQUIRE(come.set(Path("/robot/leg.new"), make_value("float", 1.0)));
    CHECK(after(come).find("# nothing else") != std::string::npos);
}

TEST_CASE("a comment behind a property, or behind the brace of a prim, stays behind what it is about")
{
    const auto edited = [](std::string_view text, auto&& edit) {
        auto layer = Layer::from_text(text);
        REQUIRE(layer);
        edit(*layer);
        const auto now = edited_text(text, *layer);
        REQUIRE(now);
        return *now;
    };
    // What takes the place of an operation on the pose stands in its line: the comment says how the prim lies.
    CHECK(edited(R"(#usda 1.0
def Xform "a"
{
    double mass = 1 # kg
    float3 xformOp:rotateXYZ = (0, 0, 90) # how it lies
    double size = 2
}
)",
                 [](Layer& layer) {
                     REQUIRE(layer.remove(Path("/a.xformOp:rotateXYZ")));
                     REQUIRE(layer.set(Path("/a.xformOp:orient"), make_value("quatf", Quatd{})));
                 }) == R"(#usda 1.0
def Xform "a"
{
    double mass = 1 # kg
    quatf xformOp:orient = (1, 0, 0, 0) # how it lies
    double size = 2
}
)");
    // Nothing comes instead: the comment keeps its indentation.
    CHECK(edited("#usda 1.0\ndef \"a\"\n{\n    float x = 1 ; # one\n    float y = 2\n}\n", [](Layer& layer) {
              REQUIRE(layer.remove(Path("/a.x")));
          }) == "#usda 1.0\ndef \"a\"\n{\n    # one\n    float y = 2\n}\n");
    // A prim without properties yet.
    CHECK(edited("#usda 1.0\ndef \"a\"\n{ # begins\n}\n", [](Layer& layer) {
              REQUIRE(layer.set(Path("/a.x"), make_value("float", 1.0)));
          }) == "#usda 1.0\ndef \"a\"\n{ # begins\n    float x = 1\n}\n");
    // Of another namespace nothing takes the place.
    CHECK(edited("#usda 1.0\ndef \"a\"\n{\n    float p:x = 1 # one\n    float y = 2\n}\n", [](Layer& layer) {
              REQUIRE(layer.remove(Path("/a.p:x")));
              REQUIRE(layer.set(Path("/a.q:x"), make_value("float", 1.0)));
          }) == "#usda 1.0\ndef \"a\"\n{\n    # one\n    float y = 2\n    float q:x = 1\n}\n");
}

TEST_CASE(
    "lines end as those of the file do: the edit of a file from Windows is that of the other one, with its line ends")
{
    const auto windows = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, 1, '\r');
        return text;
    };
    Layer layer = read();
    REQUIRE(layer.set(Path("/robot.new"), make_value("float", 1.0)));
    REQUIRE(layer.set(Path("/robot/arm.new"), make_value("float", 1.0)));
    REQUIRE(layer.remove(Path("/robot.target")));
    REQUIRE(layer.set_field(Path("/robot"), "kind", make_value("token", Token("component"))));
    REQUIRE(layer.set_field(Path("/robot/arm"), "kind", make_value("token", Token("subcomponent"))));
    const auto edited = edited_text(windows(kText), layer);
    REQUIRE(edited);
    CHECK(*edited == windows(after(layer)));
    // A new text of several lines keeps its own.
    REQUIRE(layer.set(Path("/robot.text"), make_value("string", std::string("one\ntwo"))));
    const auto lines = edited_text(windows(kText), layer);
    REQUIRE(lines);
    const auto again = Layer::from_text(*lines);
    REQUIRE(again);
    CHECK(again->to_text() == layer.to_text());
}

TEST_CASE("a file from Windows keeps its line ends also beside a text of several lines")
{
    const std::string text =
        "#usda 1.0\r\n(\r\n    doc = \"\"\"one\r\ntwo\"\"\"\r\n)\r\ndef \"a\" (\r\n    kind = \"group\"\r\n)\r\n{\r\n    float x "
        "= 1\r\n}\r\n";
    auto layer = Layer::from_text(text);
    REQUIRE(layer);
    REQUIRE(layer->set(Path("/a.y"), make_value("float", 2.0)));
    REQUIRE(layer->set_field(Path::root(), "metersPerUnit", make_value("double", 1.0)));
    const auto now = edited_text(text, *layer);
    REQUIRE(now);
    for (std::size_t at = now->find('\n'); at != std::string::npos; at = now->find('\n', at + 1))
        CHECK((*now)[at - 1] == '\r');
    CHECK(now->find("float y = 2\r\n") != std::string::npos);
}

TEST_CASE("metadata: an entry changes, comes or goes; what is beside it stays")
{
    Layer layer = read();
    REQUIRE(layer.set_field(Path("/robot"), "kind", make_value("token", Token("component"))));
    CHECK(after(layer) == with("\"group\"", "\"component\""));
    REQUIRE(layer.apply_api(Path("/robot"), "C"));
    CHECK(after(layer).find(
              "    # why it is one\n    kind = \"component\"\n    prepend apiSchemas = [\"A\", \"B\", \"C\"]\n") !=
          std::string::npos);
    REQUIRE(layer.set_field(Path("/robot/arm"), "kind", make_value("token", Token("subcomponent"))));
    REQUIRE(layer.set_field(Path::root(), "upAxis", make_value("token", Token("Z"))));
    const std::string text = after(layer);
    CHECK(text.find("# A licence that has to stay.") != std::string::npos);
    CHECK(text.find("# said here") != std::string::npos);
    REQUIRE(layer.clear_field(Path("/robot"), "kind"));
    CHECK(after(layer).find("# why it is one") != std::string::npos);
}

TEST_CASE("prims come at the end of their parent, go whole, and change their type and specifier")
{
    Layer layer = read();
    REQUIRE(layer.define(Path("/robot/hand"), "Xform"));
    REQUIRE(layer.define(Path("/other/deep"), "Cube"));
    REQUIRE(layer.set(Path("/other/deep.size"), make_value("double", 0.25)));
    REQUIRE(layer.define(Path("/robot/leg"), "Scope"));
    std::string text = after(layer);
    CHECK(text.find("    def Scope \"leg\"\n    {\n        # nothing else") != std::string::npos);
    CHECK(text.find("# The robot.") != std::string::npos);
    REQUIRE(layer.remove(Path("/robot/leg")));
    text = after(layer);
    CHECK(text.find("leg") == std::string::npos);
    CHECK(text.find("def \"arm\" {}") != std::string::npos);
}

TEST_CASE("samples alone are exchanged alone; what cannot be said by spans is nothing")
{
    Layer layer = read();
    REQUIRE(layer.set_sample(Path("/robot.xformOp:translate"), 2, make_value("double3", Vec3d{2, 0, 0})));
    CHECK(after(layer).find("(0.10, 0, 0) # a place") != std::string::npos);
    Layer variant = read();
    REQUIRE(variant.add_variant(Path("/robot"), "size", "small"));
    CHECK_FALSE(edited_text(kText, variant));
    CHECK(edited_text(kText, read()) == kText);
}
