#include <fmt/format.h>

#include "import_support.h"

namespace mechane::importer::test {
using mechane::test::close_to;
using mechane::test::distance;

namespace {

/// A cube, or a mesh of one triangle, painted by a shader with these inputs.
std::string painted(const std::string& inputs, const std::string& id = "UsdPreviewSurface", bool mesh = false,
                    const std::string& more = {})
{
    const std::string shape =
        mesh ? "def Mesh \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"MaterialBindingAPI\"]) {\n    "
               "point3f[] "
               "points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n    int[] faceVertexCounts = [3]\n    int[] "
               "faceVertexIndices = [0, 1, 2]\n"
             : "def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"MaterialBindingAPI\"]) {\n";
    return stage_text(
        fmt::format("def Material \"m\" {{\n    token outputs:surface.connect = </m/s.outputs:surface>\n    "
                    "def Shader \"s\" {{\n        uniform token info:id = \"{}\"\n        {}\n        token "
                    "outputs:surface\n    }}\n    {}\n}}\n{}    rel material:binding = </m>\n}}\n",
                    id, inputs, more, shape));
}

const model::BuilderShape& shape(const Imported& in) { return in.shape_at("/c"); }

}  // namespace

TEST_CASE("a space with other primaries is taken as linear or display by its name, and reported (IMP-223)")
{
    const Imported linear =
        import_text(painted("color3f inputs:diffuseColor = (0.5, 0.25, 1) ( colorSpace = "
                            "\"lin_ap1_scene\" )"));
    CHECK(distance(shape(linear).color, Vec3d{0.73536, 0.53710, 1}) < 1e-4);  // the sRGB curve
    CHECK(linear.found.count("IMPORT_COLOR_SPACE") == 1);
    const Imported curved =
        import_text(painted("color3f inputs:diffuseColor = (0.5, 0.25, 1) ( colorSpace = "
                            "\"g22_ap1_scene\" )"));
    CHECK(distance(shape(curved).color, Vec3d{0.5, 0.25, 1}) < 1e-6);
    CHECK(curved.found.count("IMPORT_COLOR_SPACE") == 1);
}

TEST_CASE("baseColor goes before diffuseColor (IMP-224)")
{
    const Imported in =
        import_text(painted("color3f inputs:diffuseColor = (1, 0, 0)\n        color3f inputs:baseColor = (0, 1, 0)"));
    CHECK(distance(shape(in).color, Vec3d{0, 1, 0}) < 1e-9);
}

TEST_CASE("colours are not clamped above and are zero below (IMP-231)")
{
    // 1.055 * 2^(1/2.4) - 0.055 = 1.35326
    const Imported in = import_text(painted("color3f inputs:diffuseColor = (2, -1, 0)"));
    CHECK(distance(shape(in).color, Vec3d{1.35326, 0, 0}) < 1e-5);
}

TEST_CASE("MDL's constants are read (IMP-229)")
{
    const Imported in = import_text(
        painted("color3f inputs:diffuse_color_constant = (0.5, 0.5, 0.5)\n        float inputs:opacity_constant = 0.25",
                "OmniPBR"));
    CHECK(shape(in).color.x == close_to(0.73536, 1e-4));
    CHECK(shape(in).opacity == close_to(0.25, 1e-7));
}

TEST_CASE("a textured mesh is white, or of the colour on its material; a primitive is not textured (IMP-227)")
{
    const auto with = [](bool mesh, const std::string& on_material = {}) {
        return painted("color3f inputs:diffuseColor.connect = </m/t.outputs:rgb>", "UsdPreviewSurface", mesh,
                       on_material +
                           "\n    def Shader \"t\" {\n        uniform token info:id = \"UsdUVTexture\"\n        asset "
                           "inputs:file = @./wood.png@\n        float3 outputs:rgb\n    }");
    };
    CHECK(distance(shape(import_text(with(true))).color, Vec3d{1, 1, 1}) == 0);
    CHECK(distance(shape(import_text(with(false))).color, Vec3d{0.46136, 0.46136, 0.46136}) < 1e-4);
    CHECK(distance(shape(import_text(with(true, "color3f inputs:base_color = (0, 1, 0)"))).color, Vec3d{0, 1, 0}) <
          1e-9);
}

TEST_CASE("an opacity outside 0 to 1 is clamped, of several the first counts, and both are said (IMP-228)")
{
    const struct {
        const char* authored;
        double      opacity;
        const char* code;
    } table[] = {
        {"float inputs:opacity = 2", 1, "IMPORT_OPACITY_CLAMP"},
        {"float inputs:opacity = -0.5", 0, "IMPORT_OPACITY_CLAMP"},
        {"float inputs:opacity = nan", 1, "IMPORT_OPACITY_CLAMP"},
        {"float inputs:opacity = 0.25", 0.25, nullptr},
    };
    for (const auto& row : table) {
        CAPTURE(row.authored);
        const Imported in = import_text(painted(row.authored));
        REQUIRE(in.result);
        CHECK(shape(in).opacity == row.opacity);
        CHECK(in.found.count("IMPORT_OPACITY_CLAMP") == (row.code != nullptr ? 1U : 0U));
    }
    const Imported several =
        import_text(stage_text("def Sphere \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n"
                               "float[] primvars:displayOpacity = [0.25, 0.75]\n}\n"));
    REQUIRE(several.result);
    CHECK(several.shape_at("/c").opacity == 0.25);
    CHECK(several.found.count("IMPORT_OPACITY_MULTI") == 1);
}

TEST_CASE("a connected opacity beats the constant beside it")
{
    const Imported in = import_text(painted(
        "float inputs:opacity = 0.5\n        float inputs:opacity.connect = </m/t.outputs:a>", "UsdPreviewSurface",
        false, "def Shader \"t\" {\n        uniform token info:id = \"UsdUVTexture\"\n        float outputs:a\n    }"));
    CHECK(shape(in).opacity == 1);
    CHECK(shape(import_text(painted("float inputs:opacity = 0.5"))).opacity == close_to(0.5, 1e-9));
}

TEST_CASE("hiding colliders hides those of bodies that show something else (IMP-145)")
{
    const std::string text = stage_text(R"(
def Xform "seen" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
    def Sphere "look" { }
}
def Xform "plain" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { }
    def Sphere "look" { token visibility = "invisible" }
}
)");
    ImportOptions     hide;
    hide.hide_collision_shapes = true;
    const auto visible         = [](const Imported& in, const char* path) {
        return (in.shape_at(path).flags & model::shape_flag::visible) != 0;
    };
    const Imported in = import_text(text, hide);
    CHECK_FALSE(visible(in, "/seen/c"));
    CHECK(visible(in, "/plain/c"));
    CHECK(visible(import_text(text), "/seen/c"));
}

TEST_CASE("the wall of a shell is not its contact margin (IMP-204)")
{
    const Imported in = import_text(stage_text(
        "def Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n    def Cube \"c\" (prepend apiSchemas = "
        "[\"PhysicsCollisionAPI\", \"NewtonMassAPI\", \"NewtonCollisionAPI\"]) {\n        token newton:massModel = "
        "\"shell\"\n        float newton:shellThickness = 0.1\n        float newton:contactMargin = 0.01\n    }\n}\n"));
    CHECK(in.shape_at("/b/c").config.margin == close_to(0.01, 1e-7));
    CHECK_FALSE(in.shape_at("/b/c").config.is_solid);
}

TEST_CASE("under Newton's rules a material on the body needs MaterialBindingAPI on the collider (IMP-151)")
{
    const auto text = [](const char* apis) {
        return stage_text(fmt::format(
            "def Material \"ice\" (prepend apiSchemas = [\"PhysicsMaterialAPI\"]) {{ float physics:dynamicFriction = "
            "0.1 }}\ndef Xform \"b\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"MaterialBindingAPI\"]) {{\n    "
            "rel "
            "material:binding:physics = </ice>\n    def Cube \"c\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"{}]) "
            "{{ }}\n}}\n",
            apis));
    };
    const auto mu = [](const Imported& in) { return in.shape_at("/b/c").config.mu; };
    CHECK(mu(import_text(text(""), newton_options())) == 1);
    CHECK(mu(import_text(text(", \"MaterialBindingAPI\""), newton_options())) == close_to(0.1, 1e-7));
    CHECK(mu(import_text(text(""))) == close_to(0.1, 1e-7));  // found all the same by our rules (CON-21)
}

TEST_CASE("under Newton's rules an approximated mesh weighs what its authored mesh weighs (IMP-141)")
{
    // An L of three unit squares, one deep; its hull adds half a square.
    const std::string text = stage_text(R"(
def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
    def Mesh "ell" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {
        uniform token physics:approximation = "convexHull"
        point3f[] points = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0), (0, 0, 1), (2, 0, 1), (2, 1, 1), (1, 1, 1), (1, 2, 1), (0, 2, 1)]
        int[] faceVertexCounts = [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
        int[] faceVertexIndices = [0, 3, 2, 1, 0, 5, 4, 3, 6, 7, 8, 9, 6, 9, 10, 11, 0, 1, 7, 6, 1, 2, 8, 7, 2, 3, 9, 8, 3, 4, 10, 9, 4, 5, 11, 10, 5, 0, 6, 11]
    }
}
)");
    CHECK(import_text(text, newton_options()).body_at("/b").mass == close_to(3000, 1e-6));
    CHECK(import_text(text).body_at("/b").mass == close_to(3500, 1e-6));
}

}  // namespace mechane::importer::test
