#include "mechane/usd/stage.h"

#include <algorithm>

#include "support/support.h"

using namespace mechane;
using usd::LoadRule;
using usd::OpenOptions;
using usd::Path;

namespace {

std::shared_ptr<const usd::Stage> open(const std::string& file, const OpenOptions& options = {})
{
    auto stage = usd::Stage::open(file, options);
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *stage;
}

/// A payload that holds a payload.
std::string write_payloads(const test::TemporaryFolder& folder)
{
    folder.write("inner.usda", "#usda 1.0\ndef \"p\"\n{\n    def \"deep\"\n    {\n    }\n}\n");
    folder.write(
        "outer.usda",
        "#usda 1.0\ndef \"p\"\n{\n    def \"inner\" (\n        payload = @./inner.usda@</p>\n    )\n    {\n    }\n}\n");
    return folder.write("root.usda",
                        "#usda 1.0\ndef \"a\" (\n    payload = @./outer.usda@</p>\n)\n{\n    double own = 1\n}\n"
                        "def \"b\" (\n    payload = @./outer.usda@</p>\n)\n{\n}\n");
}

}  // namespace

TEST_CASE("a session layer's opinion beats the root's, and its metadata too (STG-018, STG-035)")
{
    const test::TemporaryFolder folder;
    folder.write("sub.usda", "#usda 1.0\n(\n    upAxis = \"Z\"\n)\n");
    const auto root = folder.write(
        "root.usda", "#usda 1.0\n(\n    subLayers = [@./sub.usda@]\n)\ndef \"a\"\n{\n    double x = 1\n}\n");
    CHECK(open(root)->metadata().up_axis == 'Y');
    OpenOptions options;
    options.session_text = "#usda 1.0\n(\n    upAxis = \"Z\"\n)\nover \"a\"\n{\n    double x = 2\n}\n";
    CHECK(open(root, options)->prim_at(Path("/a")).attribute("x").get<double>() == 2);
    CHECK(open(root, options)->metadata().up_axis == 'Z');
    CHECK(open(root)->prim_at(Path("/a")).attribute("x").get<double>() == 1);
}

TEST_CASE("times map through the offsets and rates of sublayers and references (STG-040, STG-041, STG-042)")
{
    const test::TemporaryFolder folder;
    const std::string           samples = "{\n    double x.timeSamples = {\n        10: 1,\n        48: 2,\n    }\n}\n";
    folder.write("same.usda", "#usda 1.0\ndef \"a\"\n" + samples);
    folder.write("fast.usda", "#usda 1.0\n(\n    timeCodesPerSecond = 48\n)\ndef \"a\"\n" + samples);
    const auto times = [&](const std::string& head, const std::string& body) {
        return open(folder.write("root.usda", "#usda 1.0\n" + head + body))
            ->prim_at(Path("/a"))
            .attribute("x")
            .time_samples();
    };
    CHECK(times("(\n    subLayers = [@./same.usda@ (offset = 10; scale = 2)]\n)\n", "") == std::vector{30.0, 106.0});
    CHECK(times("(\n    subLayers = [@./fast.usda@]\n)\n", "") == std::vector{5.0, 24.0});
    CHECK(times("", "def \"a\" (\n    references = @./same.usda@</a> (offset = 5)\n)\n{\n}\n") ==
          std::vector{15.0, 53.0});
}

TEST_CASE("expressions choose sublayers, references and variants (STG-043)")
{
    const test::TemporaryFolder folder;
    folder.write("sub_one.usda", "#usda 1.0\ndef \"one\"\n{\n}\n");
    folder.write("sub_two.usda", "#usda 1.0\ndef \"two\"\n{\n}\n");
    const auto root  = folder.write("root.usda", R"(#usda 1.0
(
    expressionVariables = {
        string WHICH = "one"
    }
    subLayers = [@`"./sub_${WHICH}.usda"`@]
)
def "ref" (
    references = @`"./sub_${WHICH}.usda"`@</one>
    variants = {
        string v = '`"${WHICH}"`'
    }
    variantSets = "v"
)
{
    variantSet "v" = {
        "one" {
            double x = 1
        }
        "two" {
            double x = 2
        }
    }
}
)");
    const auto stage = open(root);
    CHECK(stage->prim_at(Path("/one")));
    CHECK(stage->prim_at(Path("/ref")).attribute("x").get<double>() == 1);
    OpenOptions options;
    options.expression_variables["WHICH"] = "two";
    const auto other                      = open(root, options);
    CHECK(other->prim_at(Path("/two")));
    CHECK_FALSE(other->prim_at(Path("/one")));
    CHECK(other->prim_at(Path("/ref")).attribute("x").get<double>() == 2);
}

TEST_CASE("a muted sublayer takes its prims along; the root cannot be muted (STG-045)")
{
    const test::TemporaryFolder folder;
    folder.write("sub.usda", "#usda 1.0\ndef \"a\"\n{\n}\n");
    const auto root  = folder.write("root.usda", "#usda 1.0\n(\n    subLayers = [@./sub.usda@]\n)\ndef \"b\"\n{\n}\n");
    const auto stage = open(root);
    CHECK(stage->prim_at(Path("/a")));
    const auto muted = stage->with_muted({"./sub.usda"});
    REQUIRE(muted);
    CHECK_FALSE((*muted)->prim_at(Path("/a")));
    CHECK((*muted)->prim_at(Path("/b")));
    CHECK(stage->prim_at(Path("/a")));  // the first stage stays as it was
    const auto refused = stage->with_muted({root});
    REQUIRE(refused);
    CHECK((*refused)->diagnostics().count("STAGE_MUTE_ROOT") == 1);
    CHECK((*refused)->prim_at(Path("/b")));
}

TEST_CASE("a relocated child is at its new place, with opinions of both (STG-046)")
{
    const test::TemporaryFolder folder;
    folder.write(
        "part.usda",
        "#usda 1.0\ndef \"p\"\n{\n    def \"arm\"\n    {\n        double x = 1\n    }\n    rel r = </p/arm>\n}\n");
    const auto stage = open(folder.write("root.usda",
                                         "#usda 1.0\n(\n    relocates = {\n        </a/arm>: </a/moved>\n    }\n)\n"
                                         "def \"a\" (\n    references = @./part.usda@</p>\n)\n{\n    over \"moved\"\n  "
                                         "  {\n        double y = 2\n    }\n}\n"));
    CHECK_FALSE(stage->prim_at(Path("/a/arm")));
    CHECK(stage->prim_at(Path("/a/moved")).attribute("x").get<double>() == 1);
    CHECK(stage->prim_at(Path("/a/moved")).attribute("y").get<double>() == 2);
    CHECK(stage->prim_at(Path("/a")).relationship("r").targets() == std::vector{Path("/a/moved")});
}

TEST_CASE("payloads load by rule, and a stage with other rules is a stage of its own (STG-047, STG-048, STG-049)")
{
    const test::TemporaryFolder folder;
    const auto                  root = write_payloads(folder);
    OpenOptions                 options;
    options.load_payloads = false;
    const auto none       = open(root, options);
    CHECK(none->prim_at(Path("/a")));
    CHECK_FALSE(none->prim_at(Path("/a")).loaded());
    CHECK(none->prim_at(Path("/a")).attribute("own").get<double>() == 1);
    CHECK_FALSE(none->prim_at(Path("/a/inner")));
    CHECK(none->generation() == 0);

    const auto one = none->with_load_rules({{Path("/a"), LoadRule::all}});
    REQUIRE(one);
    CHECK((*one)->generation() == 1);
    CHECK((*one)->prim_at(Path("/a")).loaded());
    CHECK((*one)->prim_at(Path("/a/inner/deep")).loaded());
    CHECK_FALSE((*one)->prim_at(Path("/b/inner")));
    CHECK_FALSE(none->prim_at(Path("/a/inner")));

    const auto only = open(root)->with_load_rules({{Path("/a"), LoadRule::only}});
    REQUIRE(only);
    CHECK((*only)->prim_at(Path("/a")).loaded());
    CHECK((*only)->prim_at(Path("/a/inner")));
    CHECK_FALSE((*only)->prim_at(Path("/a/inner")).loaded());
    CHECK_FALSE((*only)->prim_at(Path("/a/inner/deep")));
    CHECK((*only)->prim_at(Path("/b/inner/deep")).loaded());

    // The way to a loaded prim is loaded.
    const auto deep = none->with_load_rules({{Path("/a/inner"), LoadRule::all}});
    REQUIRE(deep);
    CHECK((*deep)->prim_at(Path("/a/inner/deep")).loaded());
    const auto unloaded = (*one)->with_load_rules({});
    REQUIRE(unloaded);
    CHECK_FALSE((*unloaded)->prim_at(Path("/a/inner")));
    CHECK((*unloaded)->generation() == 2);
}

TEST_CASE("a mask keeps ancestors and descendants, and follows relationships if asked (STG-050, STG-051)")
{
    const test::TemporaryFolder folder;
    const auto                  root = folder.write("root.usda", R"(#usda 1.0
def "robot"
{
    def "base"
    {
        def "mesh"
        {
        }
    }
    def "arm"
    {
        def PhysicsFixedJoint "joint"
        {
            rel physics:body0 = </robot/base>
            rel physics:body1 = </robot/arm>
        }
    }
    def PhysicsFixedJoint "far"
    {
        rel physics:body0 = </other/thing>
    }
}
def "other"
{
    def "thing"
    {
        rel physics:body0 = </last>
    }
    def "unwanted"
    {
    }
}
def "last"
{
}
)");
    OpenOptions                 options;
    options.mask   = {Path("/robot/arm")};
    const auto arm = open(root, options);
    CHECK(arm->prim_at(Path("/robot")));
    CHECK(arm->prim_at(Path("/robot/arm/joint")));
    CHECK_FALSE(arm->prim_at(Path("/robot/base")));
    CHECK_FALSE(arm->prim_at(Path("/other")));
    CHECK(arm->prim_at(Path("/robot/arm/joint")).relationship("physics:body0").targets() ==
          std::vector{Path("/robot/base")});

    options.mask_expansion = {"physics:body*"};
    const auto jointed     = open(root, options);
    CHECK(jointed->prim_at(Path("/robot/base/mesh")));
    CHECK_FALSE(jointed->prim_at(Path("/robot/far")));
    const auto chained = jointed->with_mask({Path("/robot/far")});  // far -> thing -> last
    REQUIRE(chained);
    CHECK((*chained)->prim_at(Path("/other/thing")));
    CHECK((*chained)->prim_at(Path("/last")));
    CHECK_FALSE((*chained)->prim_at(Path("/other/unwanted")));
    CHECK_FALSE((*chained)->prim_at(Path("/robot/arm")));
}

TEST_CASE("the first existing variant of the fallbacks counts where nothing selects (STG-052)")
{
    const std::string text =
        "#usda 1.0\ndef \"a\" (\n    variantSets = \"v\"\n)\n{\n    variantSet \"v\" = {\n        \"x\" {\n            "
        "int n "
        "= 1\n        }\n        \"y\" {\n            int n = 2\n        }\n    }\n}\n";
    OpenOptions options;
    options.variant_fallbacks["v"] = {"missing", "y", "x"};
    CHECK((*usd::Stage::open_text(text, {}, options))->prim_at(Path("/a")).attribute("n").get<int>() == 2);
    CHECK_FALSE((*usd::Stage::open_text(text))->prim_at(Path("/a")).attribute("n"));
    options.variant_selections = {{"/a{v}", "x"}};
    CHECK((*usd::Stage::open_text(text, {}, options))->prim_at(Path("/a")).attribute("n").get<int>() == 1);
}

namespace {

const std::string kInstances = R"(#usda 1.0
class "_proto"
{
    def Cube "cube" (
        variants = {
            string unused = ""
        }
    )
    {
        double size = 3
        rel up = </_proto>
        rel out = </world>
    }
}
def "with_variants" (
    variantSets = "v"
)
{
    variantSet "v" = {
        "x" {
            def "x"
            {
            }
        }
        "y" {
            def "y"
            {
            }
        }
    }
}
def Xform "world"
{
    def Xform "one" (
        customData = {
            int n = 1
        }
        inherits = </_proto>
        instanceable = true
    )
    {
        double3 xformOp:translate = (1, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Xform "two" (
        customData = {
            int n = 2
        }
        inherits = </_proto>
        instanceable = true
    )
    {
        double3 xformOp:translate = (2, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        over "cube"
        {
            double size = 99
        }
        def "child"
        {
        }
    }
    def "bare" (
        instanceable = true
    )
    {
        def "child"
        {
        }
    }
    def "vx" (
        instanceable = true
        references = </with_variants>
        variants = {
            string v = "x"
        }
    )
    {
    }
    def "vy" (
        instanceable = true
        references = </with_variants>
        variants = {
            string v = "y"
        }
    )
    {
    }
}
)";

}  // namespace

TEST_CASE(
    "what an instance says about itself is its own; what it says about its inside is ignored (STG-094, STG-096, "
    "STG-097)")
{
    const auto opened = usd::Stage::open_text(kInstances);
    REQUIRE(opened);
    const auto& stage = **opened;
    for (int i : {1, 2}) {
        const Path path(i == 1 ? "/world/one" : "/world/two");
        CAPTURE(path.text());
        const auto instance = stage.prim_at(path);
        CHECK(instance.is_instance());
        CHECK(instance.metadata("customData:n").get<int>() == i);
        const auto cube = stage.prim_at(path.child("cube"));
        CHECK(cube.is_instance_proxy());
        CHECK(stage.world_matrix(cube)(3, 0) == i);
        CHECK(cube.attribute("size").get<double>() == 3);
        CHECK(cube.relationship("up").targets() == std::vector{path});
        CHECK(instance.prototype_source().path() == Path("/world/one"));
    }
    CHECK_FALSE(stage.prim_at(Path("/world/two/child")));
}

TEST_CASE("instanceable without an arc is no instance; other variants are another prototype (STG-098, STG-099)")
{
    const auto opened = usd::Stage::open_text(kInstances);
    REQUIRE(opened);
    const auto& stage = **opened;
    CHECK_FALSE(stage.prim_at(Path("/world/bare")).is_instance());
    CHECK_FALSE(stage.prim_at(Path("/world/bare")).prototype_source());
    CHECK_FALSE(stage.prim_at(Path("/world/bare/child")).is_instance_proxy());
    for (const char* path : {"/world/vx", "/world/vy"})
        CHECK(stage.prim_at(Path(path)).prototype_source().path() == Path(path));
    CHECK(stage.prim_at(Path("/world/vx/x")));
    CHECK(stage.prim_at(Path("/world/vy/y")));
    CHECK_FALSE(stage.prim_at(Path("/world/vy/x")));
}

TEST_CASE("forwarded targets come in order, once each, around cycles (STG-101)")
{
    const auto stage = usd::Stage::open_text(
        "#usda 1.0\ndef \"a\"\n{\n    rel r = [</a.s>, </x>, </a.t>, </y>]\n    rel s = [</y>, </a.r>]\n    rel t = "
        "[</z>, </a.s>]\n}\ndef \"x\"\n{\n}\ndef \"y\"\n{\n}\ndef \"z\"\n{\n}\n");
    REQUIRE(stage);
    CHECK((*stage)->prim_at(Path("/a")).relationship("r").forwarded() ==
          std::vector{Path("/y"), Path("/x"), Path("/z")});
}
