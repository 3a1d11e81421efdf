#include <cmath>

#include "mechane/usd/kind.h"
#include "mechane/usd/primvar.h"
#include "usd/stages.h"

using namespace mechane;
using test::close_to;
using test::usda_stage;
using usd::Path;

TEST_CASE("an unnormalised orient turns as OpenUSD turns it, and is said (STG-111)")
{
    // OpenUSD takes the angle 2 acos(clamp(w, -1, 1)) about the unit imaginary part.
    const struct {
        const char* orient;
        double      angle;  ///< about z [rad]
        bool        said;
    } table[] = {
        {"(2, 0, 0, 2)", 0, true},                                    // w is clamped to 1
        {"(0.5, 0, 0, 0.5)", 2 * std::acos(0.5), true},               // 120 degrees, not the 90 of the normalised one
        {"(0.70710678, 0, 0, 0.70710678)", std::acos(-1) / 2, false}  // unit: 90 degrees
    };
    for (const auto& row : table) {
        CAPTURE(row.orient);
        const auto stage = usda_stage(std::string("def Xform \"a\"\n{\n    quatf xformOp:orient = ") + row.orient +
                                      "\n    uniform token[] xformOpOrder = [\"xformOp:orient\"]\n}\n");
        const auto m     = stage->world_matrix(stage->prim_at(Path("/a")));
        // row vectors: x goes to (cos, sin, 0); the quaternion is authored as float
        CHECK(m(0, 0) == close_to(std::cos(row.angle), 1e-6));
        CHECK(m(0, 1) == close_to(std::sin(row.angle), 1e-6));
        CHECK(stage->diagnostics().count("XFORM_ORIENT_UNNORMALIZED") == (row.said ? 1 : 0));
    }
}

TEST_CASE("constant primvars are inherited, others are not (STG-114)")
{
    const auto found_at = [](const char* interpolation, const char* between, const char* own) {
        const auto stage   = usda_stage(std::string("def Xform \"A\"\n{\n    float[] primvars:a = [1] (\n        "
                                                    "interpolation = \"") +
                                        interpolation + "\"\n    )\n    def Xform \"B\"\n    {\n" + between +
                                        "\n        def Mesh \"C\"\n        {\n" + own + "\n        }\n    }\n}\n");
        const auto primvar = usd::find_primvar(stage->prim_at(Path("/A/B/C")), "a");
        return primvar ? primvar.path().text() : std::string();
    };
    // usd-core's FindPrimvarWithInheritance, but for the last row: a block on the prim itself ends the search here
    CHECK(found_at("constant", "", "") == "/A.primvars:a");
    CHECK(found_at("vertex", "", "") == "");
    CHECK(found_at("uniform", "", "") == "");
    CHECK(found_at("constant", "float[] primvars:a = [7]", "") == "/A/B.primvars:a");
    CHECK(found_at("constant", "float[] primvars:a = [7] (\n interpolation = \"vertex\"\n)", "") == "");
    CHECK(found_at("constant", "float[] primvars:a = None", "") == "/A.primvars:a");
    CHECK(found_at("constant", "", "float[] primvars:a = [7] (\n interpolation = \"vertex\"\n)") ==
          "/A/B/C.primvars:a");
    CHECK(found_at("constant", "", "float[] primvars:a = None") == "");
}

TEST_CASE("indices pick the values of a primvar, and are checked")
{
    const auto  stage   = usda_stage(R"(
def Mesh "m"
{
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    int[] faceVertexCounts = [3, 3]
    int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
    float[] primvars:a = [10, 20, 30] (
        interpolation = "faceVarying"
    )
    int[] primvars:a:indices = [2, 0, 9, -1, 1, 1]
    float[] primvars:pairs = [1, 2, 3, 4] (
        elementSize = 2
    )
    int[] primvars:pairs:indices = [1, 0]
    float[] primvars:plain = [5, 6]
}
)");
    const auto  mesh    = stage->prim_at(Path("/m"));
    const auto  primvar = [&](const char* name) { return usd::find_primvar(mesh, name); };
    Diagnostics found;
    CHECK(usd::flattened_primvar<double>(primvar("a"), found) == std::vector<double>{30, 10, 0, 0, 20, 20});
    CHECK(found.count("PRIMVAR_INDEX_RANGE") == 1);
    CHECK(usd::flattened_primvar<double>(primvar("pairs"), found) == std::vector<double>{3, 4, 1, 2});
    CHECK(usd::flattened_primvar<double>(primvar("plain"), found) == std::vector<double>{5, 6});
    CHECK(found.size() == 1);
    const struct {
        const char* interpolation;
        std::size_t elements;
    } sizes[] = {{"constant", 1}, {"uniform", 2}, {"vertex", 4}, {"varying", 4}, {"faceVarying", 6}, {"odd", 0}};
    for (const auto& row : sizes) CHECK(usd::primvar_element_count(mesh, row.interpolation) == row.elements);
}

TEST_CASE("kinds derive from each other, models need groups above, components do not nest (STG-122)")
{
    const struct {
        const char*              kind;
        std::vector<std::string> bases;
    } table[] = {{"component", {"component", "model"}},
                 {"assembly", {"assembly", "group", "model"}},
                 {"group", {"group", "model"}},
                 {"model", {"model"}},
                 {"subcomponent", {"subcomponent"}}};
    for (const auto& row : table)
        for (const char* base : {"component", "assembly", "group", "model", "subcomponent"}) {
            CAPTURE(row.kind);
            CAPTURE(base);
            const bool derives = std::find(row.bases.begin(), row.bases.end(), base) != row.bases.end();
            CHECK(usd::kind_is_a(row.kind, base) == derives);
        }
    CHECK_FALSE(usd::kind_is_a({}, "model"));

    const auto stage = usda_stage(R"(
def "set" (
    kind = "assembly"
)
{
    def "robot" (
        kind = "component"
    )
    {
        def "arm"
        {
            def "gripper" (
                kind = "component"
            )
            {
            }
            def "pad" (
                kind = "subcomponent"
            )
            {
            }
        }
    }
    def "gap"
    {
        def "lost" (
            kind = "group"
        )
        {
        }
    }
}
)");
    const auto at    = [&](const char* path) { return stage->prim_at(Path(path)); };
    CHECK(usd::is_model(at("/set")));
    CHECK(usd::is_group(at("/set")));
    CHECK(usd::is_model(at("/set/robot")));
    CHECK_FALSE(usd::is_group(at("/set/robot")));
    CHECK_FALSE(usd::is_model(at("/set/robot/arm/gripper")));  // a component is above
    CHECK_FALSE(usd::is_model(at("/set/gap/lost")));           // a prim without a kind is above
    Diagnostics found;
    usd::check_kinds(*stage, found);
    REQUIRE(found.size() == 1);
    CHECK(found.items()[0].id == "KIND_HIERARCHY");
    CHECK(found.items()[0].site.prim == "/set/robot/arm/gripper");
}

TEST_CASE("an operation and its inverse side by side undo each other, even where the inverse does not exist")
{
    const auto          stage = usda_stage(R"(
def Xform "flat"
{
    float3 xformOp:scale:pivot = (2, 0, 1)
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale:pivot", "!invert!xformOp:scale:pivot"]
}
)");
    const usd::Matrix4d m     = stage->world_matrix(stage->prim_at(Path("/flat")));
    CHECK(m(1, 1) == 1);  // without the pair: 0
    CHECK(m(3, 0) == 1);
    CHECK(m(3, 1) == 2);
    CHECK(stage->diagnostics().count("XFORM_OP_SINGULAR") == 0);
}
