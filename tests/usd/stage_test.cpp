#include "mechane/usd/stage.h"

#include "mechane/usd/edit.h"
#include "support/support.h"

using namespace mechane;
using mechane::test::close_to;
using mechane::test::distance;
using usd::Path;

namespace {

std::shared_ptr<const usd::Stage> stage_from(const std::string& body, const std::string& head = {})
{
    auto stage = usd::Stage::open_text("#usda 1.0\n(\n" + head + "\n)\n" + body);
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *stage;
}

}  // namespace

TEST_CASE("stage metadata falls back as OpenUSD's does (STG-034, STG-036, STG-038)")
{
    const auto plain = stage_from("");
    CHECK(plain->metadata().up_axis == 'Y');
    CHECK(plain->metadata().meters_per_unit == 0.01);
    CHECK(plain->metadata().kilograms_per_unit == 1);
    CHECK(plain->metadata().time_codes_per_second == 24);
    CHECK_FALSE(plain->metadata().authored_meters_per_unit);
    CHECK(stage_from("", "framesPerSecond = 30")->metadata().time_codes_per_second == 30);
    for (const char* bad : {"0", "-1", "nan", "inf"}) {
        CAPTURE(bad);
        const auto stage = stage_from("", std::string("metersPerUnit = ") + bad);
        CHECK(stage->metadata().meters_per_unit == 0.01);
        CHECK(stage->diagnostics().count("META_UNIT_INVALID") == 1);
    }
}

TEST_CASE("types know their bases, and versions are types of their own (STG-005, STG-006)")
{
    const auto stage = stage_from("def PhysicsRevoluteJoint \"j\"\n{\n}\ndef Capsule_1 \"c\"\n{\n}\n");
    const auto joint = stage->prim_at(Path("/j"));
    for (const char* base : {"PhysicsRevoluteJoint", "PhysicsJoint", "Imageable", "Typed"}) CHECK(joint.is_a(base));
    CHECK_FALSE(joint.is_a("Xformable"));
    CHECK_FALSE(stage->prim_at(Path("/c")).is_a("Capsule"));
    CHECK(stage->prim_at(Path("/c")).is_a("Gprim"));
}

TEST_CASE("a built-in attribute has its schema's type and fallback; a block hides both (STG-070, STG-074)")
{
    const auto stage = stage_from(
        "def Cube \"a\"\n{\n    float size = 3\n}\ndef Sphere \"b\"\n{\n}\ndef Sphere \"c\"\n{\n    double radius = "
        "None\n}\n");
    CHECK(stage->prim_at(Path("/a")).attribute("size").value().type_name() == "double");
    CHECK(stage->prim_at(Path("/a")).attribute("size").get<double>() == 3.0);
    CHECK(stage->prim_at(Path("/b")).attribute("radius").get<double>() == 1.0);
    CHECK_FALSE(stage->prim_at(Path("/b")).attribute("radius").authored());
    CHECK(stage->prim_at(Path("/c")).attribute("radius").blocked());
    CHECK(stage->prim_at(Path("/c")).attribute("radius").value().empty());
}

TEST_CASE(
    "applied schemas: built-in ones first, unknown ones reported and left out (STG-063, STG-064, STG-065, STG-066)")
{
    const auto stage = stage_from(
        "def PhysicsCollisionGroup \"g\" (\n    prepend apiSchemas = [\"PhysicsMassAPI\", \"NoSuchAPI\", "
        "\"PhysicsDriveAPI\", \"PhysicsMassAPI:x\", \"CollectionAPI:a:b\"]\n)\n{\n}\n");
    const auto group = stage->prim_at(Path("/g"));
    const auto apis  = group.applied_apis();
    REQUIRE(apis.size() == 3);
    CHECK(apis[0].text() == "CollectionAPI:colliders");
    CHECK(apis[1].text() == "PhysicsMassAPI");
    CHECK(group.authored_apis().size() == 5);
    CHECK(group.attribute("collection:colliders:expansionRule").get<std::string>() == "expandPrims");
    CHECK(group.attribute("collection:a:b:includeRoot"));
    CHECK(stage->diagnostics().count("SCHEMA_API_UNKNOWN") == 1);
    CHECK(stage->diagnostics().count("SCHEMA_API_INSTANCE_MISSING") == 1);
    CHECK(stage->diagnostics().count("SCHEMA_API_INSTANCE_UNEXPECTED") == 1);
}

TEST_CASE("specifiers compose: over over def is def, a def that inherits a class is def (STG-053..055, STG-057)")
{
    const auto stage = stage_from(
        "class \"K\"\n{\n    def \"inner\"\n    {\n    }\n}\ndef \"D\" (\n    inherits = </K>\n)\n{\n}\nover "
        "\"O\"\n{\n}\n");
    CHECK(stage->prim_at(Path("/D")).specifier() == usd::Specifier::def);
    CHECK_FALSE(stage->prim_at(Path("/D")).abstract());
    CHECK(stage->prim_at(Path("/K/inner")).abstract());
    CHECK(stage->prim_at(Path("/D/inner")));
    CHECK_FALSE(stage->prim_at(Path("/O")).defined());
    CHECK(stage->traverse().size() == 2);  // D and D/inner
    CHECK(stage->traverse({.all = true}).size() == 5);
}

TEST_CASE("an inactive prim stays as a leaf (STG-056)")
{
    const auto stage = stage_from("def \"a\" (\n    active = false\n)\n{\n    def \"b\"\n    {\n    }\n}\n");
    CHECK(stage->prim_at(Path("/a")));
    CHECK_FALSE(stage->prim_at(Path("/a/b")));
    CHECK(stage->traverse().empty());
}

TEST_CASE("property names are in dictionary order (STG-069)")
{
    const auto stage =
        stage_from("def \"a\"\n{\n    custom int B = 1\n    custom int a10 = 1\n    custom int a2 = 1\n}\n");
    std::vector<std::string> names;
    for (const auto& name : stage->prim_at(Path("/a")).property_names()) names.push_back(name.text());
    CHECK(names == std::vector<std::string>{"a2", "a10", "B"});
}

TEST_CASE("samples hold at the ends and between a value and a block, and blend between values (STG-076, STG-077)")
{
    const auto stage = stage_from(
        "def \"a\"\n{\n    custom double x.timeSamples = {\n        0: 1,\n        10: None,\n        20: 4,\n        "
        "30: 6,\n    }\n}\n");
    const auto x = stage->prim_at(Path("/a")).attribute("x");
    const struct {
        double                t;
        std::optional<double> value;
    } table[] = {{-1, 1}, {0, 1}, {5, 1}, {10, {}}, {15, {}}, {20, 4}, {25, 5}, {99, 6}};
    for (const auto& row : table) {
        CAPTURE(row.t);
        CHECK(x.get<double>(row.t) == row.value);
    }
    CHECK(x.value().empty());  // samples give nothing at the default time
    CHECK(x.time_samples() == std::vector<double>{0, 10, 20, 30});
    CHECK(x.varying());
}

TEST_CASE("rotations apply as OpenUSD's rows say (STG-107)")
{
    const auto m = stage_from(
                       "def Xform \"a\"\n{\n    double3 xformOp:rotateXYZ = (10, 20, 30)\n    uniform token[] "
                       "xformOpOrder = [\"xformOp:rotateXYZ\"]\n}\n")
                       ->world_matrix({});
    (void)m;
    const auto stage = stage_from(
        "def Xform \"a\"\n{\n    double3 xformOp:rotateXYZ = (10, 20, 30)\n    uniform token[] xformOpOrder = "
        "[\"xformOp:rotateXYZ\"]\n}\n"
        "def Xform \"b\"\n{\n    double3 xformOp:rotateZYX = (10, 20, 30)\n    uniform token[] xformOpOrder = "
        "[\"xformOp:rotateZYX\"]\n}\n");
    // Rows of the specification, measured on OpenUSD.
    const auto a = stage->world_matrix(stage->prim_at(Path("/a"))), b = stage->world_matrix(stage->prim_at(Path("/b")));
    CHECK(a(0, 0) == close_to(0.813798, 1e-6));
    CHECK(a(0, 1) == close_to(0.469846, 1e-6));
    CHECK(a(0, 2) == close_to(-0.342020, 1e-6));
    CHECK(a(1, 0) == close_to(-0.440970, 1e-6));
    CHECK(b(0, 1) == close_to(0.543838, 1e-6));
    CHECK(b(0, 2) == close_to(-0.204874, 1e-6));
}

TEST_CASE("transforms nest, pivots invert, resets forget the parent (STG-108, STG-109)")
{
    const auto stage = stage_from(R"(
def Xform "p"
{
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Xform "pivot"
    {
        double3 xformOp:translate:pivot = (1, 0, 0)
        float xformOp:rotateZ = 90
        uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:rotateZ", "!invert!xformOp:translate:pivot"]
    }
    def Xform "reset"
    {
        double3 xformOp:translate = (5, 0, 0)
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
    }
})");
    // The pivot itself stays where it is, under the parent's translation.
    CHECK(distance(usd::transform_point(stage->world_matrix(stage->prim_at(Path("/p/pivot"))), Vec3d{1, 0, 0}),
                   Vec3d{2, 2, 3}) < 1e-12);
    CHECK(distance(usd::transform_point(stage->world_matrix(stage->prim_at(Path("/p/pivot"))), Vec3d{2, 0, 0}),
                   Vec3d{2, 3, 3}) < 1e-12);
    CHECK(distance(usd::transform_point(stage->world_matrix(stage->prim_at(Path("/p/reset"))), Vec3d{}),
                   Vec3d{5, 0, 0}) < 1e-12);
}

TEST_CASE("bad operations are skipped with their codes and leave no NaN (STG-110)")
{
    const auto stage = stage_from(R"(
def Xform "a"
{
    double3 xformOp:translate = (nan, 0, 0)
    double3 xformOp:scale = (0, 1, 1)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:gone", "xformOp:turn", "!invert!xformOp:scale"]
})");
    CHECK(stage->world_matrix(stage->prim_at(Path("/a"))) == usd::Matrix4d());
    CHECK(stage->diagnostics().count("XFORM_OP_NOT_FINITE") == 1);
    CHECK(stage->diagnostics().count("XFORM_OP_SINGULAR") == 1);
    CHECK(stage->diagnostics().count("XFORM_OP_MISSING") == 2);
}

TEST_CASE("an operation with time samples alone is no missing one (STG-110)")
{
    const auto stage = stage_from(R"(
def Xform "a"
{
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 1), 24: (0, 0, 2) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
})");
    CHECK(stage->world_matrix(stage->prim_at(Path("/a"))) == usd::Matrix4d());
    CHECK(stage->transform_only_sampled(stage->prim_at(Path("/a"))));
    CHECK(stage->diagnostics().size() == 0);
}

TEST_CASE("a negative scale decomposes to three negative signs and a turn (STG-112)")
{
    usd::Matrix4d m;
    m(0, 0) = -2, m(1, 1) = 3, m(2, 2) = 4;
    const auto d = usd::decompose(m);
    CHECK(distance(d.scale, Vec3d{-2, -3, -4}) < 1e-12);
    CHECK(mechane::test::angle_between(d.rotation, Quatd{1, 0, 0, 0}) < 1e-9);
    CHECK_FALSE(d.sheared);
}

TEST_CASE("the factors of a sheared matrix come in the order in which OpenUSD has them (STG-112)")
{
    const auto stage = stage_from(R"(
def Xform "P"
{
    float3 xformOp:scale = (1.336, 1.861, 1.351)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    def Xform "B"
    {
        float3 xformOp:rotateXYZ = (67.445, 45.541, -0.543)
        uniform token[] xformOpOrder = ["xformOp:rotateXYZ"]
    }
}
)");
    const auto d     = usd::decompose(stage->world_matrix(stage->prim_at(Path("/P/B"))));
    CHECK(d.sheared);
    CHECK(distance(d.scale, Vec3d{1.336, 1.351, 1.861}) < 1e-6);  // measured; authored as floats
}

TEST_CASE("a scaled and turned matrix decomposes into what it was made of")
{
    mechane::test::for_seeds(100, [](Random& r) {
        const Posed   pose{r.vec(5), r.rotation()};
        const Vec3d   s{r.uniform(0.1, 5), r.uniform(0.1, 5), r.uniform(0.1, 5)};
        usd::Matrix4d scaled;
        scaled(0, 0) = s.x, scaled(1, 1) = s.y, scaled(2, 2) = s.z;
        const auto d = usd::decompose(scaled * usd::from_pose(pose));
        CHECK(distance(d.scale, s) < 1e-9);
        CHECK(mechane::test::angle_between(d.rotation, pose.q) < 1e-7);
        CHECK(distance(d.translation, pose.p) < 1e-12);
        CHECK_FALSE(d.sheared);
    });
}

TEST_CASE("targets inside a reference map to the referencing prim, per instance (STG-095, STG-096)")
{
    const auto stage  = stage_from(R"(
def "leg"
{
    def "hip"
    {
    }
    def "j"
    {
        rel physics:body0 = </leg/hip>
    }
}
def "a" (
    instanceable = true
    references = </leg>
)
{
}
def "b" (
    instanceable = true
    references = </leg>
)
{
})");
    const auto target = [&](const char* path) {
        return stage->prim_at(Path(path)).relationship("physics:body0").targets();
    };
    REQUIRE(target("/a/j").size() == 1);
    CHECK(target("/a/j")[0].text() == "/a/hip");
    CHECK(target("/b/j")[0].text() == "/b/hip");
    CHECK(stage->prim_at(Path("/a")).is_instance());
    CHECK(stage->prim_at(Path("/a/j")).is_instance_proxy());
    CHECK(stage->traverse({.instance_proxies = false}).size() == 5);
}

TEST_CASE("purpose and visibility are inherited until somebody authors them (STG-113)")
{
    const auto stage = stage_from(R"(
def Xform "g"
{
    uniform token purpose = "guide"
    token visibility = "invisible"
    def Xform "inherits"
    {
    }
    def Xform "own"
    {
        uniform token purpose = "default"
    }
})");
    CHECK(stage->purpose(stage->prim_at(Path("/g/inherits"))).text() == "guide");
    CHECK(stage->purpose(stage->prim_at(Path("/g/own"))).text() == "default");
    CHECK_FALSE(stage->visible(stage->prim_at(Path("/g/own"))));
}

TEST_CASE("a missing file, a wrong suffix and broken text are one error each, with its place (STG-014..016)")
{
    const test::TemporaryFolder folder;
    const auto                  missing = usd::Stage::open((folder.path() / "gone.usda").string());
    REQUIRE_FALSE(missing);
    CHECK(missing.error().id == "STAGE_OPEN_FAILED");
    CHECK(usd::Stage::open(folder.write("a.obj", "v 0 0 0\n")).error().id == "STAGE_FORMAT_UNKNOWN");
    CHECK(usd::Stage::open(folder.write("empty.usda", "")).error().id == "STAGE_OPEN_FAILED");
    CHECK(usd::Stage::open(folder.write("cut.usdc", "PXR-USDC")).error().id == "STAGE_OPEN_FAILED");
    const auto broken =
        usd::Stage::open(folder.write("broken.usda", "#usda 1.0\ndef Xform \"a\"\n{\n    double x =\n}\n"));
    REQUIRE_FALSE(broken);
    CHECK(broken.error().site.line >= 4);
    CHECK(broken.error().site.layer.ends_with("broken.usda"));
}

TEST_CASE("missing references are errors of the stage, which still opens (STG-027..029)")
{
    const auto stage = stage_from(
        "def \"a\" (\n    references = @./gone.usda@\n)\n{\n}\ndef \"b\" (\n    references = </nowhere>\n)\n{\n}\ndef "
        "\"c\" (\n    references = </c>\n)\n{\n}\n");
    CHECK(stage->diagnostics().count("COMP_ASSET_MISSING") == 1);
    CHECK(stage->diagnostics().count("COMP_TARGET_PRIM_MISSING") >= 1);
    CHECK(stage->diagnostics().count("COMP_CYCLE") >= 1);
    CHECK(stage->diagnostics().find("COMP_ASSET_MISSING")->site.prim == "/a");
    CHECK(stage->prim_at(Path("/a")));
}

TEST_CASE("relative references resolve beside the layer, packages by their folder (STG-017, STG-022, STG-087)")
{
    const test::TemporaryFolder folder;
    folder.write("parts/leg.usda",
                 "#usda 1.0\n(\n    defaultPrim = \"leg\"\n)\ndef Sphere \"leg\"\n{\n    asset a = @./x.png@\n}\n");
    const auto near = usd::Stage::open_text("#usda 1.0\ndef \"a\" (\n    references = @./parts/leg.usda@\n)\n{\n}\n",
                                            folder.path().string());
    REQUIRE(near);
    CHECK((*near)->prim_at(Path("/a")).type_name().text() == "Sphere");
    const auto packaged =
        usd::Stage::open_text("#usda 1.0\ndef \"a\" (\n    references = @package://robot/leg.usda@\n)\n{\n}\n", {},
                              {.packages = {{"robot", (folder.path() / "parts").string()}}});
    REQUIRE(packaged);
    CHECK((*packaged)->prim_at(Path("/a")).type_name().text() == "Sphere");
}

TEST_CASE("a file says where its prims and properties are authored")
{
    const test::TemporaryFolder folder;
    const auto stage = usd::Stage::open(folder.write("a.usda",
                                                     "#usda 1.0\n# def \"b\"\ndef Xform \"a\"\n{\n    def Sphere "
                                                     "\"b\"\n    {\n        double radius = 2\n    }\n}\n"));
    REQUIRE(stage);
    CHECK((*stage)->prim_at(Path("/a/b")).site().line == 5);
    CHECK((*stage)->prim_at(Path("/a/b")).attribute("radius").site().line == 7);
    CHECK((*stage)->prim_at(Path("/a/b")).attribute("radius").site().column == 16);
}

TEST_CASE("layers are written and read back equal; variants select (STG-124)")
{
    const test::TemporaryFolder folder;
    for (const char* name : {"w.usda", "w.usdc"}) {
        usd::LayerWriter writer;
        writer.set_up_axis('Z');
        writer.set_meters_per_unit(1);
        writer.set_default_prim("r");
        writer.set_time_range(0, 10, 60);
        writer.define_prim(Path("/r"), "Xform");
        writer.apply_api(Path("/r"), "PhysicsRigidBodyAPI");
        writer.set_vec3_sample(Path("/r.xformOp:translate"), "double3", 3, {1, 2, 3});
        writer.set_tokens(Path("/r.xformOpOrder"), {"xformOp:translate"}, true);
        writer.set_targets(Path("/r.physics:simulationOwner"), {Path("/s")});
        const std::string file = (folder.path() / name).string();
        REQUIRE(writer.save(file));
        const auto stage = usd::Stage::open(file);
        REQUIRE(stage);
        CHECK((*stage)->metadata().up_axis == 'Z');
        CHECK((*stage)->default_prim().has_api("PhysicsRigidBodyAPI"));
        CHECK((*stage)->default_prim().attribute("xformOp:translate").get<Vec3d>(3.0) == Vec3d{1, 2, 3});
        CHECK((*stage)->default_prim().relationship("physics:simulationOwner").targets().at(0).text() == "/s");
    }
    usd::LayerWriter writer;
    CHECK_FALSE(writer.save("/nowhere/a.usda"));
    CHECK_FALSE(writer.save((folder.path() / "a.usdz").string()));
}
