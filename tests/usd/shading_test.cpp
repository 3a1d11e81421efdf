#include "mechane/usd/shading.h"

#include "mechane/usd/material_binding.h"
#include "usd/stages.h"

using namespace mechane;
using test::usda_stage;
using usd::Path;

namespace {

std::string bound(const std::shared_ptr<const usd::Stage>& stage, const char* prim, const char* purpose)
{ return stage->bound_material(stage->prim_at(Path(prim)), purpose).path().text(); }

const char* const kMaterials = R"(
def Material "M1"
{
}
def Material "M2"
{
}
def Material "M3"
{
}
)";

}  // namespace

TEST_CASE("the table of bindings: nearer wins, stronger ancestors win, a purpose beats all purposes (STG-115, STG-117)")
{
    const auto stage_with = [](const char* strength) {
        return usda_stage(std::string(kMaterials) + R"(
def Xform "W" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding = </M1> (
        bindMaterialAs = ")" +
                          strength + R"("
    )
    rel material:binding:physics = </M2>
    def Xform "c" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        rel material:binding = </M2>
    }
    def Xform "e"
    {
    }
}
)");
    };
    const auto weaker = stage_with("weakerThanDescendants"), stronger = stage_with("strongerThanDescendants");
    // measured on usd-core, usd-stage section 18.1
    CHECK(bound(weaker, "/W/c", "") == "/M2");
    CHECK(bound(weaker, "/W/e", "") == "/M1");
    CHECK(bound(stronger, "/W/c", "") == "/M1");
    CHECK(bound(weaker, "/W/e", "physics") == "/M2");
    CHECK(bound(weaker, "/W/e", "full") == "/M1");
    CHECK(bound(stronger, "/W/c", "physics") == "/M2");
    CHECK(bound(weaker, "/M1", "") == "");
}

TEST_CASE("a collection that holds the prim beats the direct binding of the same prim (STG-116)")
{
    const auto stage = usda_stage(std::string(kMaterials) + R"(
def Xform "W" (
    prepend apiSchemas = ["MaterialBindingAPI", "CollectionAPI:some", "CollectionAPI:more"]
)
{
    rel material:binding = </M1>
    rel material:binding:collection:a = [</W.collection:some>, </M2>]
    rel material:binding:collection:b = [</W.collection:more>, </M3>]
    rel material:binding:collection:physics:p = [</W.collection:more>, </M1>]
    rel collection:some:includes = </W/in>
    uniform pathExpression collection:more:membershipExpression = "/W//{isa:Gprim}"
    def Sphere "in"
    {
        def Xform "near" (
            prepend apiSchemas = ["MaterialBindingAPI"]
        )
        {
            rel material:binding = </M3>
        }
    }
    def Sphere "also"
    {
    }
    def Xform "out"
    {
    }
}
)");
    CHECK(bound(stage, "/W/in", "") == "/M2");    // both collections hold it: the first in property order
    CHECK(bound(stage, "/W/also", "") == "/M3");  // only the second
    CHECK(bound(stage, "/W/out", "") == "/M1");   // none: the direct binding
    CHECK(bound(stage, "/W/in/near", "") == "/M3");
    CHECK(bound(stage, "/W/also", "physics") == "/M1");
    CHECK(bound(stage, "/W/out", "physics") == "/M1");
}

TEST_CASE("a collection counts only where its API is applied, as usd-core 26.11 has it")
{
    const auto with = [](const std::string& schemas) {
        return usda_stage(std::string(kMaterials) + "def Xform \"W\" (\n    prepend apiSchemas = [\"MaterialBindingAPI\"" + schemas + R"(]
)
{
    rel material:binding = </M1>
    rel material:binding:collection:a = [</W.collection:some>, </M2>]
    rel collection:some:includes = </W/in>
    def Sphere "in"
    {
    }
}
)");
    };
    CHECK(bound(with(", \"CollectionAPI:some\""), "/W/in", "") == "/M2");
    const auto without = with("");
    CHECK(bound(without, "/W/in", "") == "/M1");
    Diagnostics found;
    usd::check_material_bindings(*without, found);
    CHECK(found.count("BINDING_NOT_MATERIAL") == 1);
}

TEST_CASE("bindings to what is no material, or without the API, are said")
{
    const auto  stage = usda_stage(std::string(kMaterials) + R"(
def Sphere "a" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding = </b>
}
def Sphere "b"
{
    rel material:binding = </M1>
}
def Sphere "c" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding:collection:x = </M1>
}
)");
    Diagnostics found;
    usd::check_material_bindings(*stage, found);
    CHECK(found.count("BINDING_NOT_MATERIAL") == 2);
    CHECK(found.count("BINDING_API_UNAPPLIED") == 1);
    CHECK(bound(stage, "/a", "") == "");
    CHECK(bound(stage, "/b", "") == "/M1");  // counts all the same
}

TEST_CASE(
    "a binding to what is no material hides those above it; one to several prims, or to a property, binds nothing")
{
    // What OpenUSD 26.11 answers: a path decides which binding wins, and only then whether a Material is there.
    const auto stage = usda_stage(std::string(kMaterials) + R"(
def Xform "W" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding = </M1>
    custom rel chosen = </M2>
    def Xform "plain" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        rel material:binding = </W>
    }
    def Xform "missing" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        rel material:binding = </nowhere>
    }
    def Xform "several" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        rel material:binding = [</M2>, </M3>]
    }
    def Xform "attribute" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        rel material:binding = </M2.width>
    }
    def Xform "forwarded" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        rel material:binding = </W.chosen>
    }
}
)");
    CHECK(bound(stage, "/W/plain", "") == "");
    CHECK(bound(stage, "/W/missing", "") == "");
    CHECK(bound(stage, "/W/several", "") == "/M1");
    CHECK(bound(stage, "/W/attribute", "") == "/M1");
    CHECK(bound(stage, "/W/forwarded", "") == "/M2");
}

TEST_CASE("a connected input has the value of its source; cycles and broken connections leave the local one (STG-118)")
{
    const auto stage  = usda_stage(R"(
def Material "M"
{
    color3f inputs:c = (1, 2, 3)
    color3f inputs:d.connect = </M/N.outputs:o>
    token outputs:surface.connect = </M/S.outputs:out>
    def NodeGraph "N"
    {
        color3f outputs:o.connect = </M/T.outputs:rgb>
    }
    def Shader "T"
    {
        color3f outputs:rgb
    }
    def Shader "S"
    {
        color3f inputs:x = (9, 9, 9)
        color3f inputs:x.connect = </M.inputs:c>
        color3f inputs:y = (8, 8, 8)
        color3f inputs:y.connect = </M.inputs:d>
        color3f inputs:z = (7, 7, 7)
        color3f inputs:z.connect = </M.inputs:gone>
        color3f inputs:u = (6, 6, 6)
        color3f inputs:u.connect = </M/S.inputs:v>
        color3f inputs:v.connect = </M/S.inputs:u>
        color3f inputs:w = (5, 5, 5)
        color3f inputs:w.connect = [</M.inputs:gone>, </M.inputs:c>]
        token outputs:out
    }
}
)");
    const auto shader = stage->prim_at(Path("/M/S"));
    // what usd-core's GetValueProducingAttributes says
    const struct {
        const char* input;
        const char* source;
        bool        computed;
        const char* finding;
    } table[] = {
        {"inputs:x", "/M.inputs:c", false, nullptr},
        {"inputs:y", "/M/T.outputs:rgb", true, nullptr},
        {"inputs:z", "/M/S.inputs:z", false, "SHADE_CONNECTION_BROKEN"},
        {"inputs:u", "/M/S.inputs:u", false, "SHADE_CYCLE"},
        {"inputs:w", "/M.inputs:c", false, nullptr},
    };
    for (const auto& row : table) {
        CAPTURE(row.input);
        Diagnostics found;
        const auto  source = usd::shading_source(shader.attribute(row.input), &found);
        CHECK(source.attribute.path().text() == row.source);
        CHECK(source.computed == row.computed);
        CHECK(found.size() == (row.finding != nullptr ? 1 : 0));
        if (row.finding != nullptr) CHECK(found.count(row.finding) == 1);
    }
    CHECK(usd::shading_source(shader.attribute("inputs:x")).attribute.get<Vec3d>() == Vec3d{1, 2, 3});
    CHECK(shader.attribute("inputs:x").get<Vec3d>() == Vec3d{9, 9, 9});  // plain reading gives the local value
    CHECK(usd::surface_shader(stage->prim_at(Path("/M"))).path().text() == "/M/S");
    CHECK_FALSE(usd::shading_source({}).attribute);
}

TEST_CASE("colour spaces are inherited, overridden by the attribute, else empty (STG-119)")
{
    const auto stage = usda_stage(R"(
def Xform "a" (
    prepend apiSchemas = ["ColorSpaceAPI"]
)
{
    uniform token colorSpace:name = "lin_rec709_scene"
    def Xform "b" (
        prepend apiSchemas = ["ColorSpaceAPI"]
    )
    {
        color3f c = (1, 1, 1)
        color3f d = (1, 1, 1) (
            colorSpace = "srgb_rec709_scene"
        )
    }
}
def Xform "plain"
{
    color3f c = (1, 1, 1)
    uniform token colorSpace:name = "lin_rec709_scene"
}
)");
    const auto space = [&](const char* prim, const char* name) {
        return usd::color_space(stage->prim_at(Path(prim)).attribute(name));
    };
    CHECK(space("/a/b", "c") == "lin_rec709_scene");  // /a/b applies the API but authors no name
    CHECK(space("/a/b", "d") == "srgb_rec709_scene");
    CHECK(space("/plain", "c") == "");  // the name counts only where the API is applied
}

TEST_CASE("a texture's colour space: its own input, its file's metadata, what is inherited, sRGB (GAP-024)")
{
    const auto space = [](const char* above, const char* source, const char* of_file) {
        const auto stage = usda_stage(
            std::string("def Material \"M\" (\n    prepend apiSchemas = [\"ColorSpaceAPI\"]\n)\n{\n") + above +
            "\n    def Shader \"T\"\n    {\n        uniform token info:id = "
            "\"UsdUVTexture\"\n        asset inputs:file = @a.png@ (\n" +
            of_file + "\n        )\n" + source + "\n    }\n}\n");
        return usd::texture_color_space(stage->prim_at(Path("/M/T")));
    };
    const char* const above = "    uniform token colorSpace:name = \"lin_rec709\"";
    const char* const file  = "            colorSpace = \"raw\"";
    CHECK(space("", "", "") == "sRGB");
    CHECK(space(above, "", "") == "lin_rec709");
    CHECK(space(above, "", file) == "raw");
    CHECK(space(above, "        token inputs:sourceColorSpace = \"auto\"", file) == "raw");
    CHECK(space(above, "        token inputs:sourceColorSpace = \"sRGB\"", file) == "sRGB");
    CHECK(space("", "        token inputs:sourceColorSpace = \"auto\"", "") == "sRGB");
}
