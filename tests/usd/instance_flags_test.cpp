#include "usd/stages.h"

using namespace mechane;
using test::usda_stage;
using usd::Path;
using usd::Specifier;

// What OpenUSD 26.11 answers for these stages.

TEST_CASE("prims of an instance are as defined and as abstract as the shared ones, whatever stands over the instance")
{
    const auto stage = usda_stage(R"(
def Xform "part"
{
    def Cube "box"
    {
    }
}
class Xform "_hidden"
{
    def "one" (
        instanceable = true
        prepend references = </part>
    )
    {
    }
}
over "open"
{
    def "two" (
        instanceable = true
        prepend references = </part>
    )
    {
    }
}
)");
    CHECK(stage->prim_at(Path("/_hidden/one")).abstract());
    CHECK(!stage->prim_at(Path("/_hidden/one/box")).abstract());
    CHECK(!stage->prim_at(Path("/open/two")).defined());
    CHECK(stage->prim_at(Path("/open/two/box")).defined());
}

TEST_CASE("an inactive prim is no instance, and shares nothing with those that are")
{
    const auto stage = usda_stage(R"(
def Xform "part"
{
    def Cube "box"
    {
    }
}
def "off" (
    active = false
    instanceable = true
    prepend references = </part>
)
{
}
def "on" (
    instanceable = true
    prepend references = </part>
)
{
}
def "off_too" (
    active = false
    instanceable = true
    prepend references = </part>
)
{
}
)");
    CHECK(!stage->prim_at(Path("/off")).is_instance());
    CHECK(!stage->prim_at(Path("/off/box")));
    CHECK(!stage->prim_at(Path("/off_too/box")));
    CHECK(stage->prim_at(Path("/on")).is_instance());
    CHECK(stage->prim_at(Path("/on/box")));
}

TEST_CASE("who inherits a class is none for that; prims below the class keep their own specifier")
{
    const auto stage = usda_stage(R"(
class "_kind"
{
    class "inner"
    {
    }
}
def "heir" (
    prepend inherits = </_kind>
)
{
    def "outer" (
        prepend references = </_kind/inner>
    )
    {
    }
}
)");
    CHECK(stage->prim_at(Path("/heir")).specifier() == Specifier::def);
    CHECK(stage->prim_at(Path("/heir/inner")).specifier() == Specifier::class_);
    CHECK(stage->prim_at(Path("/heir/outer")).specifier() == Specifier::def);
    // a def that stands behind an inherited class: the inherit is not of the prim itself, so the stronger class counts
    const auto mixed = usda_stage(R"(
class "_strong"
{
    class "x"
    {
    }
}
def "weak"
{
    def "x"
    {
    }
}
over "heir" (
    prepend inherits = </_strong>
    prepend references = </weak>
)
{
}
)");
    CHECK(mixed->prim_at(Path("/heir")).specifier() == Specifier::def);
    CHECK(mixed->prim_at(Path("/heir/x")).specifier() == Specifier::class_);
}

TEST_CASE("only prims that are drawn can hide what is below them")
{
    const auto stage = usda_stage(R"(
def "plain"
{
    token visibility = "invisible"
    def Cube "box"
    {
    }
}
def Xform "drawn"
{
    token visibility = "invisible"
    def Cube "box"
    {
    }
}
)");
    CHECK(stage->visible(stage->prim_at(Path("/plain/box"))));
    CHECK(!stage->visible(stage->prim_at(Path("/drawn/box"))));
}
