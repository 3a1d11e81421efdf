#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "mechane/usd/codes.h"
#include "mechane/usd/dump.h"
#include "mechane/usd/stage.h"
#include "usd/stages.h"

namespace mechane {
namespace {

/// A gripper with two equal fingers, itself an instance, twice in the world; once more a finger by itself, and a
/// gripper with its other variant. Properties point to the prim's own inside, to the instance, through a collection, an
/// expression and an inherited class; values come with an offset of time.
constexpr const char* kWorld = R"(#usda 1.0
(
    metersPerUnit = 1
)
class Xform "_finger"
{
    def Cube "tip" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        rel material:binding = </_finger/skin>
        rel whole = </_finger>
        rel itself = </_finger/tip>
        double size.connect = </_finger.width>
        double size.timeSamples = {
            0: 1,
            10: 2,
        }
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Material "skin"
    {
    }
    double width = 3
}
class Xform "_gripper" (
    prepend apiSchemas = ["CollectionAPI:tips", "CollectionAPI:all"]
    prepend variantSets = "load"
    variants = {
        string load = "none"
    }
)
{
    rel collection:tips:includes = [</_gripper/left/tip>, </_gripper/right>]
    uniform pathExpression collection:all:membershipExpression = "/_gripper/right//*"
    def "left" (
        instanceable = true
        prepend references = </_finger> (offset = 5)
    )
    {
    }
    def "right" (
        instanceable = true
        prepend references = </_finger> (offset = 5)
    )
    {
    }
    def Sphere "palm"
    {
        rel fingers = [</_gripper/left/tip>, </_gripper/right/tip>, </_gripper>]
        pathExpression near = "/_gripper/left//*"
    }
    variantSet "load" = {
        "none" {
        }
        "box" {
            def Cube "box"
            {
                rel held = </_gripper/palm>
            }
        }
    }
}
def "World"
{
    def "one" (
        instanceable = true
        prepend references = </_gripper>
    )
    {
        double3 xformOp:translate = (1, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def "finger" (
        instanceable = true
        prepend references = </_finger> (offset = 5)
    )
    {
    }
    def "two" (
        instanceable = true
        prepend references = </_gripper>
    )
    {
        double3 xformOp:translate = (2, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        over "palm"
        {
            double radius = 9
        }
    }
    def "three" (
        instanceable = true
        prepend references = </_gripper>
        variants = {
            string load = "box"
        }
    )
    {
    }
}
)";

std::shared_ptr<const usd::Stage> opened(const std::string& text, bool share)
{
    usd::OpenOptions options;
    options.share_instances = share;
    auto stage              = usd::Stage::open_text(text, {}, options);
    REQUIRE(stage);
    return *stage;
}

}  // namespace

TEST_CASE("instances that share what lies below them and instances that do not answer all queries alike (STG-100)")
{
    const auto shared = opened(kWorld, true), expanded = opened(kWorld, false);
    CHECK(usd::dump_stage(*shared) == usd::dump_stage(*expanded));
    REQUIRE(shared->prim_count() == expanded->prim_count());
    for (const usd::Prim& prim : shared->traverse({.all = true})) {
        CAPTURE(prim.path().text());
        const usd::Prim other = expanded->prim_at(prim.path());
        REQUIRE(other);
        CHECK(prim.index() == other.index());
        CHECK(prim.is_instance() == other.is_instance());
        CHECK(prim.is_instance_proxy() == other.is_instance_proxy());
        CHECK(prim.prototype_source().path() == other.prototype_source().path());
        CHECK(prim.site().line == other.site().line);
        CHECK(shared->bound_material(prim, usd::Token()).path() ==
              expanded->bound_material(other, usd::Token()).path());
        for (const double time : {0.0, 7.5, 20.0})
            CHECK(shared->world_matrix(prim, time).m == expanded->world_matrix(other, time).m);
        for (const char* name : {"tips", "all"})
            if (prim.has_api(usd::Token("CollectionAPI")))
                CHECK(shared->collection_members(prim, usd::Token(name)) ==
                      expanded->collection_members(other, usd::Token(name)));
        for (const usd::Token& name : prim.authored_property_names()) {
            CAPTURE(name.text());
            CHECK(prim.relationship(name).forwarded() == other.relationship(name).forwarded());
            CHECK(prim.attribute(name).connections() == other.attribute(name).connections());
            CHECK(prim.attribute(name).time_samples() == other.attribute(name).time_samples());
        }
    }
}

TEST_CASE("paths below a shared instance are those of that instance (STG-096, STG-100)")
{
    const auto stage   = opened(kWorld, true);
    const auto targets = [&](const char* prim, const char* name) {
        return test::texts(stage->prim_at(usd::Path(prim)).relationship(usd::Token(name)).targets());
    };
    using Texts = std::vector<std::string>;
    for (const std::string instance : {"/World/one", "/World/two", "/World/three"}) {
        CAPTURE(instance);
        CHECK(targets((instance + "/palm").c_str(), "fingers") ==
              Texts{instance + "/left/tip", instance + "/right/tip", instance});
        for (const std::string finger : {"/left", "/right"}) {
            const std::string tip = instance + finger + "/tip";
            CHECK(targets(tip.c_str(), "whole") == Texts{instance + finger});
            CHECK(targets(tip.c_str(), "itself") == Texts{tip});
            CHECK(stage->bound_material(stage->prim_at(usd::Path(tip)), usd::Token()).path().text() ==
                  instance + finger + "/skin");
            // Samples at 0 and 10, five later on the stage: half way at 10.
            CHECK(stage->prim_at(usd::Path(tip)).attribute(usd::Token("size")).get<double>(10.0) == 1.5);
        }
    }
    CHECK(targets("/World/three/box", "held") == Texts{"/World/three/palm"});
    // An opinion below an instance does not count.
    CHECK(stage->prim_at(usd::Path("/World/two/palm")).attribute(usd::Token("radius")).get<double>() == 1.0);
}

TEST_CASE("what fails below alike instances is told once when they share, for each when they do not (STG-100)")
{
    std::string world = R"(#usda 1.0
class "_part"
{
    def "broken" (
        prepend references = @./gone.usda@
    )
    {
    }
}
)";
    for (const char* name : {"a", "b", "c"})
        world += std::string("def \"") + name +
                 "\" (\n    instanceable = true\n    prepend references = </_part>\n)\n{\n}\n";
    const auto missing = [&](bool share) {
        const auto        stage = opened(world, share);
        const Diagnostics found = stage->diagnostics();
        return std::count_if(found.begin(), found.end(), [](const Diagnostic& d) {
            return d.id == usd::kAssetMissing.id && d.site.prim != "/_part/broken";
        });
    };
    CHECK(missing(true) == 1);
    CHECK(missing(false) == 3);
}

}  // namespace mechane
