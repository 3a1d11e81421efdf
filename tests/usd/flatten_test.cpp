#include "mechane/usd/flatten.h"

#include <set>

#include "mechane/usd/dump.h"
#include "support/support.h"

using namespace mechane;
using test::close_to;
using usd::Layer;
using usd::Path;

namespace {

std::shared_ptr<const usd::Stage> open(const std::string& file, const usd::OpenOptions& options = {})
{
    auto stage = usd::Stage::open(file, options);
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *stage;
}

std::shared_ptr<const usd::Stage> reopened(const Layer& layer)
{
    auto stage = usd::Stage::open_text(layer.to_text());
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *stage;
}

/// A root with a sublayer on other times, a reference with an offset, a payload, a variant, a class and instances.
std::string write_scene(const test::TemporaryFolder& folder)
{
    folder.write("sub.usda", R"(#usda 1.0
(
    timeCodesPerSecond = 48
    upAxis = "X"
)
def Xform "robot" (
    customData = {
        int a = 1
        int b = 1
    }
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
)
{
    double x.timeSamples = {
        0: 0,
        48: 10,
    }
    double hidden.timeSamples = {
        0: 1,
    }
    timecode when = 48
    double y = 1
}
)");
    folder.write("part.usda", R"(#usda 1.0
def "part"
{
    double x.timeSamples = {
        0: 0,
        10: 10,
    }
    asset picture = @./picture.png@
    rel inner = </part/leaf>
    def Sphere "leaf"
    {
        rel up = </part>
        double radius = 3
        double radius.connect = </part.x>
    }
}
)");
    return folder.write("root.usda", R"(#usda 1.0
(
    defaultPrim = "robot"
    timeCodesPerSecond = 24
    upAxis = "Z"
    subLayers = [@./sub.usda@ (offset = 5)]
)
class "_kind"
{
    double radius = 4
}
over "robot" (
    customData = {
        int b = 2
    }
    prepend apiSchemas = ["PhysicsMassAPI"]
)
{
    double hidden = 7
    double y = None
    def "offset" (
        references = @./part.usda@</part> (offset = 100; scale = 2)
    )
    {
    }
    def "one" (
        instanceable = true
        references = @./part.usda@</part>
    )
    {
        double mine = 1
    }
    def "two" (
        instanceable = true
        references = @./part.usda@</part>
    )
    {
        double mine = 2
        over "leaf"
        {
            double radius = 99
        }
    }
    def "off" (
        active = false
        references = @./part.usda@</part>
    )
    {
    }
    def Sphere "ball" (
        inherits = </_kind>
        variants = {
            string v = "on"
        }
        variantSets = "v"
    )
    {
        variantSet "v" = {
            "on" {
                double extra = 1
            }
        }
    }
}
)");
}

/// Values, targets and flags of all prims of `a` against those of `b`.
void check_same(const usd::Stage& a, const usd::Stage& b)
{
    for (const usd::Prim& prim : a.traverse({.all = true})) {
        CAPTURE(prim.path().text());
        const usd::Prim twin = b.prim_at(prim.path());
        REQUIRE(twin);
        CHECK(twin.type_name() == prim.type_name());
        CHECK(twin.specifier() == prim.specifier());
        CHECK(twin.active() == prim.active());
        CHECK(twin.abstract() == prim.abstract());
        CHECK(twin.is_instance() == prim.is_instance());
        CHECK(twin.applied_apis() == prim.applied_apis());
        CHECK(twin.authored_property_names() == prim.authored_property_names());
        for (const usd::Token& name : prim.authored_property_names()) {
            CAPTURE(name.text());
            CHECK(twin.relationship(name).targets() == prim.relationship(name).targets());
            const usd::Attribute x = prim.attribute(name), y = twin.attribute(name);
            CHECK(y.type_name() == x.type_name());
            CHECK(y.connections() == x.connections());
            CHECK(y.time_samples() == x.time_samples());
            CHECK(y.value().to_text() == x.value().to_text());
            for (const double time : {-10.0, 0.0, 7.5, 29.0, 200.0})
                CHECK(y.value(time).to_text() == x.value(time).to_text());
        }
    }
}

}  // namespace

TEST_CASE("a flattened stage equals the composed one at every time (STG-126)")
{
    const test::TemporaryFolder folder;
    const auto                  stage = open(write_scene(folder));
    const auto                  flat  = reopened(usd::flatten(*stage, {.absolute_assets = false}));
    CHECK(flat->metadata().up_axis == 'Z');
    CHECK(flat->default_prim().path() == Path("/robot"));
    check_same(*stage, *flat);
    // sub.usda: (48 samples at twice the rate) -> 24, + 5
    CHECK(flat->prim_at(Path("/robot")).attribute("x").time_samples() == std::vector{5.0, 29.0});
    CHECK(flat->prim_at(Path("/robot")).attribute("when").get<double>() == 29);
    CHECK(flat->prim_at(Path("/robot/offset")).attribute("x").time_samples() == std::vector{100.0, 120.0});
    CHECK(flat->prim_at(Path("/robot")).attribute("y").blocked());
    CHECK(flat->prim_at(Path("/robot")).metadata("customData:a").get<int>() == 1);
    CHECK(flat->prim_at(Path("/robot/ball")).attribute("radius").get<double>() == 4);
    CHECK(flat->prim_at(Path("/robot/off")).children({.all = true}).empty());
}

TEST_CASE("instances share a flattened prototype, with targets inside it")
{
    const test::TemporaryFolder folder;
    const auto                  stage = open(write_scene(folder));
    const Layer                 layer = usd::flatten(*stage);
    const Path                  prototype("/Flattened_Prototype_1");
    for (const char* instance : {"/robot/one", "/robot/two"}) {
        CAPTURE(instance);
        REQUIRE(layer.references(Path(instance)).size() == 1);
        CHECK(layer.references(Path(instance))[0].prim == prototype);
        CHECK(layer.references(Path(instance))[0].asset.empty());
        CHECK(layer.children(Path(instance)).empty());
    }
    CHECK(layer.kind(Path("/Flattened_Prototype_2")) == usd::SpecKind::none);
    CHECK(layer.targets(prototype.child("leaf").property("up")) == std::vector{prototype});
    const auto flat = reopened(layer);
    CHECK(flat->prim_at(prototype).specifier() == usd::Specifier::over);
    CHECK(flat->prim_at(Path("/robot/two/leaf")).relationship("up").targets() == std::vector{Path("/robot/two")});
    CHECK(flat->prim_at(Path("/robot/two/leaf")).attribute("radius").get<double>() == 3);
    CHECK(flat->prim_at(Path("/robot/two")).attribute("mine").get<double>() == 2);
}

TEST_CASE("assets of a flattened stage are absolute")
{
    const test::TemporaryFolder folder;
    const auto                  stage    = open(write_scene(folder));
    const auto                  expected = (folder.path() / "picture.png").string();
    for (const bool exists : {false, true}) {
        if (exists) folder.write("picture.png", "x");
        CHECK(usd::flatten(*stage).value(Path("/robot/offset.picture")).get<usd::AssetPath>()->authored == expected);
    }
}

TEST_CASE("a layer stack flattens to one layer that composes the same, arcs and all")
{
    const test::TemporaryFolder folder;
    const auto                  stage = open(write_scene(folder));
    const Layer                 layer = usd::flatten_layer_stack(*stage);
    CHECK(layer.sublayers().empty());
    REQUIRE(layer.references(Path("/robot/offset")).size() == 1);
    CHECK(layer.references(Path("/robot/offset"))[0].asset == (folder.path() / "part.usda").string());
    CHECK(layer.field(Path::root(), "upAxis").get<std::string>() == "Z");
    CHECK(layer.field(Path("/robot"), "customData:a").get<int>() == 1);
    CHECK(layer.field(Path("/robot"), "customData:b").get<int>() == 2);
    CHECK(layer.apis(Path("/robot")) == std::vector<usd::Token>{"PhysicsMassAPI", "PhysicsRigidBodyAPI"});
    CHECK(layer.samples(Path("/robot.hidden")).empty());
    check_same(*stage, *reopened(layer));
}
