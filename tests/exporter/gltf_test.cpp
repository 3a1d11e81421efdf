#include "mechane/exporter/gltf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>
#include <sstream>

#include "exporter/glb.h"
#include "exporter/gltf/pixels.h"
#include "exporter/usda.h"
#include "mechane/exporter/export.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::exporter;
namespace sf = mechane::sourceformats;
using mechane::test::close_to;
using mechane::test::distance;
using mechane::test::Glb;

namespace {

struct Shown {
    Glb                           glb;
    std::string                   bytes;
    sf::LossReport                losses;
    [[nodiscard]] const sf::Loss* loss(const std::string& code) const
    {
        const auto found = std::find_if(losses.entries.begin(), losses.entries.end(),
                                        [&](const sf::Loss& l) { return l.code == code; });
        return found == losses.entries.end() ? nullptr : &*found;
    }
};

Shown shown(const std::string& file, const GltfOptions& options = {})
{
    const auto stage = usd::Stage::open(file, options.open);
    REQUIRE(stage);
    sf::LossReport losses;
    const auto     made = write_gltf(**stage, "robot.glb", options, losses);
    REQUIRE_MESSAGE(made, (made ? "" : made.error().message));
    return {Glb(made->files[0].content), made->files[0].content, std::move(losses)};
}

/// A stage of a text, in a folder with the pictures of a test.
struct Sample {
    test::TemporaryFolder folder;
    std::string           file;

    explicit Sample(const std::string& usda,
                    const std::string& head = "metersPerUnit = 1\n    upAxis = \"Z\"\n    defaultPrim = \"r\"")
        : file(folder.write("stage.usda", "#usda 1.0\n(\n    " + head + "\n)\n" + test::spread(usda)))
    {
    }
    void picture(const std::string& name, int width, int height,
                 const std::function<std::array<int, 4>(int, int)>& texel, bool alpha = false) const
    {
        gltf::Pixels p;
        p.width = width, p.height = height;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                for (const int c : texel(x, y)) p.rgba.push_back(static_cast<std::uint8_t>(c));
        folder.write(name, gltf::encode_png(p, alpha));
    }
    [[nodiscard]] Shown shown(const GltfOptions& options = {}) const { return ::shown(file, options); }
};

const char* const kSquare = R"(
            int[] faceVertexCounts = [4]
            int[] faceVertexIndices = [0, 1, 2, 3]
            point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
            uniform token subdivisionScheme = "none"
)";

/// A square with texture coordinates and a material.
std::string textured(const std::string& shader, const std::string& more = {}, const std::string& uv = "st")
{
    return fmt::format(R"(
def Xform "r" {{
    def Mesh "m" (prepend apiSchemas = ["MaterialBindingAPI"]) {{
        {0}
        texCoord2f[] primvars:{3} = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "faceVarying")
        rel material:binding = </r/look>
    }}
    def Material "look" {{
        token outputs:surface.connect = </r/look/s.outputs:surface>
        def Shader "s" {{
            uniform token info:id = "UsdPreviewSurface"
            token outputs:surface
            {1}
        }}
        def Shader "reader" {{
            uniform token info:id = "UsdPrimvarReader_float2"
            string inputs:varname = "{3}"
            float2 outputs:result
        }}
        {2}
    }}
}}
)",
                       kSquare, shader, more, uv);
}

std::string texture(const std::string& name, const std::string& file, const std::string& more = {},
                    const std::string& st = "reader.outputs:result")
{
    return fmt::format(R"(
        def Shader "{0}" {{
            uniform token info:id = "UsdUVTexture"
            asset inputs:file = @./{1}@
            float2 inputs:st.connect = </r/look/{3}>
            token inputs:wrapS = "repeat"
            token inputs:wrapT = "repeat"
            {2}
            float3 outputs:rgb
            float outputs:r
            float outputs:g
            float outputs:b
            float outputs:a
        }}
)",
                       name, file, more, st);
}

double area(const std::vector<Vec3d>& points, const std::vector<double>& corners)
{
    double sum = 0;
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
        const auto p = [&](std::size_t k) { return points[static_cast<std::size_t>(corners[i + k])]; };
        sum += 0.5 * length(cross(p(1) - p(0), p(2) - p(0)));
    }
    return sum;
}

}  // namespace

TEST_CASE("the root node of a Z-up stage turns it by -90 degrees about x, and no other node is turned (EXP-002)")
{
    const Shown s    = Sample(
                           "def Xform \"r\" { def Xform \"a\" { double3 xformOp:translate = (1, 2, 3)\n uniform token[] "
                           "xformOpOrder = [\"xformOp:translate\"]\n def Cube \"c\" {} } }")
                           .shown();
    const auto& root = s.glb.json["nodes"][s.glb.json["scenes"][0]["nodes"][0].get<std::size_t>()];
    CHECK(root["rotation"][0] == doctest::Approx(-0.7071068));
    CHECK(root["rotation"][3] == doctest::Approx(0.7071068));
    for (std::size_t i = 1; i < s.glb.json["nodes"].size(); ++i)
        CHECK_FALSE(s.glb.json["nodes"][i].contains("rotation"));
    // (x, y, z) -> (x, z, -y)
    CHECK(distance(s.glb.in_scene(s.glb.node("a"), {}), Vec3d{1, 3, -2}) < 1e-9);
}

TEST_CASE("--gltf-front z takes x to z, y to x, and z to y (EXP-003)")
{
    GltfOptions options;
    options.front_z = true;
    const Shown s   = Sample("def Xform \"r\" { def Cube \"c\" {} }").shown(options);
    const int   r   = s.glb.node("c");
    CHECK(distance(s.glb.in_scene(r, {1, 0, 0}), Vec3d{0, 0, 1}) < 1e-9);
    CHECK(distance(s.glb.in_scene(r, {0, 1, 0}), Vec3d{1, 0, 0}) < 1e-9);
    CHECK(distance(s.glb.in_scene(r, {0, 0, 1}), Vec3d{0, 1, 0}) < 1e-9);
}

TEST_CASE("points of a stage stand where the stage has them, whatever its unit and up axis")
{
    for (const char up : {'X', 'Y', 'Z'}) {
        const Sample sample(
            "def Xform \"r\" { double3 xformOp:translate = (10, 20, 30)\n uniform token[] xformOpOrder = "
            "[\"xformOp:translate\"]\n def Cube \"c\" { double size = 4 } }",
            fmt::format("metersPerUnit = 0.01\n upAxis = \"{}\"\n defaultPrim = \"r\"", up));
        const Shown s = sample.shown();
        const int   c = s.glb.node("c");
        const Vec3d p = s.glb.in_scene(c, {});
        CHECK(distance(p, up == 'Z'   ? Vec3d{0.1, 0.3, -0.2}
                          : up == 'Y' ? Vec3d{0.1, 0.2, 0.3}
                                      : Vec3d{-0.2, 0.1, 0.3}) < 1e-9);
        double most = 0;
        for (const Vec3d& q : s.glb.points("c")) most = std::max(most, max_component(q));
        CHECK(most == close_to(0.02, 1e-6));
    }
}

TEST_CASE("translation, rotation and scale of nodes make the local transforms of the stage (EXP-004)")
{
    test::for_seeds(30, [](Random& random) {
        const auto        u    = [&] { return random.uniform(-2.0, 2.0); };
        const std::string text = fmt::format(
            "def Xform \"r\" {{ def Xform \"a\" {{\n double3 xformOp:translate = ({}, {}, {})\n float3 "
            "xformOp:rotateXYZ = ({}, {}, {})\n double3 xformOp:scale = ({}, {}, {})\n"
            " uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateXYZ\", \"xformOp:scale\"]\n def "
            "Cube \"c\" {{}} }} }}",
            u(), u(), u(), 90 * u(), 90 * u(), 90 * u(), u(), 0.1 + std::abs(u()), 0.1 + std::abs(u()));
        const Sample sample(text);
        const Shown  s     = sample.shown();
        const auto   stage = usd::Stage::open(sample.file);
        REQUIRE(stage);
        const usd::Matrix4d m = (*stage)->local_matrix((*stage)->prim_at(usd::Path("/r/a")));
        const auto          a = s.glb.local(s.glb.node("a"));
        for (const Vec3d& p : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{-1, 2, 3}})
            CHECK(distance(a.A * p + a.t, usd::transform_point(m, p)) < 1e-6);
    });
}

TEST_CASE("nodes are nested as the prims are, and a sheared one is two (EXP-005)")
{
    const Shown s     = Sample(
                            "def Xform \"r\" { def Scope \"s\" { def Xform \"a\" { matrix4d xformOp:transform = ((1, 0, 0, "
                            "0), (0.5, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1))\n uniform token[] xformOpOrder = "
                            "[\"xformOp:transform\"]\n def Cube \"c\" {} } } }")
                            .shown();
    int         depth = 0;
    for (int n = s.glb.node("c"); n >= 0; n = s.glb.parent(n)) ++depth;
    CHECK(depth == 6);  // c, the second node of a, a, s, r, and the root
    const auto   outer = s.glb.local(s.glb.node("a")), inner = s.glb.local(s.glb.node("a_shear"));
    const Mat33d A = outer.A * inner.A;
    CHECK(distance(A * Vec3d{0, 1, 0}, Vec3d{0.5, 1, 0}) < 1e-9);
    CHECK(distance(A * Vec3d{1, 0, 0}, Vec3d{1, 0, 0}) < 1e-9);
    CHECK(distance(A * Vec3d{0, 0, 1}, Vec3d{0, 0, 1}) < 1e-9);
    CHECK(outer.t == Vec3d{1, 2, 3});
    CHECK_FALSE(s.glb.at("a").contains("matrix"));
    CHECK(s.loss("shear") != nullptr);
}

TEST_CASE(
    "guides and proxies are left out unless they are asked for, and a scope stays unless it is pruned (EXP-006, "
    "EXP-050)")
{
    const Sample sample(R"(def Xform "r" {
        def Scope "collision" { def Cube "guide" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { uniform token purpose = "guide" } }
        def Cube "seen" {}
        def Cube "stand_in" { uniform token purpose = "proxy" }
        def Cube "fine" { uniform token purpose = "render" }
        def Cube "hidden" { token visibility = "invisible" }
    })");
    const Shown  s = sample.shown();
    CHECK(s.glb.node("seen") >= 0);
    CHECK(s.glb.node("fine") >= 0);
    CHECK(s.glb.node("guide") < 0);
    CHECK(s.glb.node("stand_in") < 0);
    CHECK(s.glb.node("hidden") < 0);
    CHECK(s.glb.node("collision") >= 0);
    CHECK(s.loss("physics") != nullptr);
    GltfOptions options;
    options.prune = true;
    CHECK(sample.shown(options).glb.node("collision") < 0);
    options.purposes = {"default", "guide", "proxy"};
    const Shown all  = sample.shown(options);
    CHECK(all.glb.node("guide") >= 0);
    CHECK(all.glb.node("stand_in") >= 0);
    CHECK(all.glb.node("fine") < 0);
}

TEST_CASE("a concave face is cut without overlap, and its area stays (EXP-007)")
{
    // An arrow of area 3: the square of 2 without the notch of 1.
    const Shown s = Sample(R"(def Xform "r" { def Mesh "m" {
        int[] faceVertexCounts = [5, 4]
        int[] faceVertexIndices = [0, 1, 2, 3, 4, 1, 5, 6, 2]
        point3f[] points = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (1, 1, 0), (0, 2, 0), (3, 0, 0), (3, 2, 0)]
        uniform token subdivisionScheme = "none"
    } })")
                        .shown();
    CHECK(area(s.glb.points("m"), s.glb.corners("m")) == close_to(3 + 2, 1e-6));
    CHECK(s.glb.corners("m").size() == 15);
}

TEST_CASE("faces of holes are absent (EXP-008)")
{
    const Shown s = Sample(R"(def Xform "r" { def Mesh "m" {
        int[] faceVertexCounts = [3, 3]
        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
        int[] holeIndices = [1]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    } })")
                        .shown();
    CHECK(s.glb.corners("m").size() == 3);
}

TEST_CASE("a left-handed mesh is wound the other way round, and its normals stay (EXP-009)")
{
    const Shown s      = Sample(R"(def Xform "r" { def Mesh "m" {
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 3, 2, 1]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        normal3f[] normals = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)] (interpolation = "vertex")
        uniform token orientation = "leftHanded"
    } })")
                             .shown();
    const auto  points = s.glb.points("m");
    const auto  c      = s.glb.corners("m");
    REQUIRE(c.size() == 6);
    const auto p = [&](std::size_t k) { return points[static_cast<std::size_t>(c[k])]; };
    CHECK(cross(p(1) - p(0), p(2) - p(0)).z > 0);
    for (const Vec3d& n : s.glb.vectors(s.glb.mesh_of("m")["primitives"][0]["attributes"]["NORMAL"].get<int>()))
        CHECK(n == Vec3d{0, 0, 1});
}

TEST_CASE("texture coordinates by corner split vertices, those by point do not (EXP-010)")
{
    const std::string two = R"(
        int[] faceVertexCounts = [3, 3]
        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        normal3f[] normals = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)] (interpolation = "vertex")
)";
    const Shown       by_point =
        Sample("def Xform \"r\" { def Mesh \"m\" {" + two +
               "texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = \"vertex\") } }")
            .shown();
    const Shown by_corner = Sample("def Xform \"r\" { def Mesh \"m\" {" + two +
                                   "texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0.5, 0), (1, 1), (0, 1)] "
                                   "(interpolation = \"faceVarying\") } }")
                                .shown();
    CHECK(by_point.glb.points("m").size() == 4);
    CHECK(by_corner.glb.points("m").size() == 5);  // the corner at the origin has two places in the picture
}

TEST_CASE("v points downwards in glTF (EXP-011)")
{
    const Shown s =
        Sample("def Xform \"r\" { def Mesh \"m\" {" + std::string(kSquare) +
               "texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 0.25), (0, 0.25)] (interpolation = \"vertex\") } }")
            .shown();
    const auto uv = s.glb.accessor(s.glb.mesh_of("m")["primitives"][0]["attributes"]["TEXCOORD_0"].get<int>());
    const auto p  = s.glb.points("m");
    for (std::size_t i = 0; i < p.size(); ++i) {
        CHECK(uv[2 * i] == p[i].x);
        CHECK(uv[2 * i + 1] == 1 - 0.25 * p[i].y);
    }
}

TEST_CASE("a transform of texture coordinates gives the same places in the picture (EXP-012)")
{
    test::for_seeds(20, [](Random& random) {
        const double a = random.uniform(-180.0, 180.0), su = random.uniform(0.2, 3.0), sv = random.uniform(0.2, 3.0),
                     tu = random.uniform(-1.0, 1.0), tv = random.uniform(-1.0, 1.0);
        const Sample sample(
            textured("color3f inputs:diffuseColor.connect = </r/look/t.outputs:rgb>",
                     texture("t", "a.png", "", "move.outputs:result") + fmt::format(R"(
        def Shader "move" {{
            uniform token info:id = "UsdTransform2d"
            float2 inputs:in.connect = </r/look/reader.outputs:result>
            float inputs:rotation = {}
            float2 inputs:scale = ({}, {})
            float2 inputs:translation = ({}, {})
            float2 outputs:result
        }})",
                                                                                    a, su, sv, tu, tv)));
        sample.picture("a.png", 2, 2, [](int x, int y) { return std::array<int, 4>{100 * x, 100 * y, 7, 255}; });
        const Shown s = sample.shown();
        const auto& t =
            s.glb.material_of("m")["pbrMetallicRoughness"]["baseColorTexture"]["extensions"]["KHR_texture_transform"];
        // The extension: first scale, then the turn that is counter-clockwise where v points down, then the offset.
        const double r = t.value("rotation", 0.0), c = std::cos(r), d = std::sin(r);
        const auto   scale = t["scale"].get<std::vector<double>>(), offset = t["offset"].get<std::vector<double>>();
        const double k = a * kPi / 180;
        for (const Vec2d& uv : {Vec2d{0, 0}, Vec2d{1, 0}, Vec2d{0, 1}, Vec2d{1, 1}, Vec2d{0.3, 0.7}}) {
            const double U = scale[0] * uv.x, V = scale[1] * (1 - uv.y);
            const Vec2d  there{c * U + d * V + offset[0], 1 - (-d * U + c * V + offset[1])};
            const double x = su * uv.x, y = sv * uv.y;
            CHECK(there.x == close_to(std::cos(k) * x - std::sin(k) * y + tu, 1e-5));
            CHECK(there.y == close_to(std::sin(k) * x + std::cos(k) * y + tv, 1e-5));
        }
    });
}

TEST_CASE("subsets of faces become primitives, and what no subset has gets the binding of the mesh (EXP-013)")
{
    const Shown s = Sample(R"(def Xform "r" {
        def Mesh "m" (prepend apiSchemas = ["MaterialBindingAPI"]) {
            int[] faceVertexCounts = [3, 3, 3]
            int[] faceVertexIndices = [0, 1, 2, 0, 2, 3, 0, 3, 4]
            point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (-1, 1, 0)]
            rel material:binding = </r/red>
            def GeomSubset "part" (prepend apiSchemas = ["MaterialBindingAPI"]) {
                uniform token elementType = "face"
                uniform token familyName = "materialBind"
                int[] indices = [1]
                rel material:binding = </r/blue>
            }
        }
        def Material "red" { token outputs:surface.connect = </r/red/s.outputs:surface>
            def Shader "s" { uniform token info:id = "UsdPreviewSurface"
 color3f inputs:diffuseColor = (1, 0, 0)
 token outputs:surface } }
        def Material "blue" { token outputs:surface.connect = </r/blue/s.outputs:surface>
            def Shader "s" { uniform token info:id = "UsdPreviewSurface"
 color3f inputs:diffuseColor = (0, 0, 1)
 token outputs:surface } }
    })")
                        .shown();
    REQUIRE(s.glb.mesh_of("m")["primitives"].size() == 2);
    CHECK(s.glb.corners("m", 0).size() == 6);
    CHECK(s.glb.corners("m", 1).size() == 3);
    CHECK(s.glb.material_of("m", 0)["name"] == "red");
    CHECK(s.glb.material_of("m", 1)["name"] == "blue");
    CHECK(s.glb.material_of("m", 1)["pbrMetallicRoughness"]["baseColorFactor"] ==
          nlohmann::json::array({0.0, 0.0, 1.0, 1.0}));
}

TEST_CASE("a texture reads the primvar that its reader names (EXP-014)")
{
    const std::string usda = R"(def Xform "r" {
        def Mesh "m" (prepend apiSchemas = ["MaterialBindingAPI"]) {)" +
                             std::string(kSquare) + R"(
            texCoord2f[] primvars:aside = [(0, 0), (0, 0), (0, 0), (0, 0)] (interpolation = "vertex")
            texCoord2f[] primvars:map1 = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "vertex")
            rel material:binding = </r/look>
        }
        def Material "look" { token outputs:surface.connect = </r/look/s.outputs:surface>
            def Shader "s" { uniform token info:id = "UsdPreviewSurface"
 color3f inputs:diffuseColor.connect = </r/look/t.outputs:rgb>
 token outputs:surface }
            def Shader "reader" { uniform token info:id = "UsdPrimvarReader_float2"
 string inputs:varname = "map1"
 float2 outputs:result })" + texture("t", "a.png") +
                             "} }";
    const Sample      sample(usda);
    sample.picture("a.png", 2, 2, [](int, int) { return std::array<int, 4>{1, 2, 3, 255}; });
    const Shown s     = sample.shown();
    const int   coord = s.glb.material_of("m")["pbrMetallicRoughness"]["baseColorTexture"].value("texCoord", 0);
    const auto  uv =
        s.glb.accessor(s.glb.mesh_of("m")["primitives"][0]["attributes"][fmt::format("TEXCOORD_{}", coord)].get<int>());
    CHECK(*std::max_element(uv.begin(), uv.end()) == 1);
    double sum = 0;
    for (const double v : uv) sum += v;
    CHECK(sum == 4);  // u: 0 1 1 0, v: 1 1 0 0
}

TEST_CASE("metalness and roughness of two pictures are packed into B and G of one (EXP-015)")
{
    const Sample sample(
        textured("float inputs:metallic.connect = </r/look/m.outputs:r>\n float inputs:roughness.connect = "
                 "</r/look/n.outputs:r>",
                 texture("m", "m.png", "token inputs:sourceColorSpace = \"raw\"") +
                     texture("n", "n.png", "token inputs:sourceColorSpace = \"raw\"")));
    sample.picture("m.png", 2, 2, [](int x, int) { return std::array<int, 4>{10 + x, 0, 0, 255}; });
    sample.picture("n.png", 2, 2, [](int, int y) { return std::array<int, 4>{200 + y, 0, 0, 255}; });
    const Shown s = sample.shown();
    REQUIRE(s.glb.json["images"].size() == 1);
    const auto p = gltf::decode(s.glb.picture(0));
    REQUIRE(p);
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x) {
            const std::size_t i = static_cast<std::size_t>(4 * (2 * y + x));
            CHECK(p->rgba[i + 1] == 200 + y);
            CHECK(p->rgba[i + 2] == 10 + x);
        }
    const auto& pbr = s.glb.material_of("m")["pbrMetallicRoughness"];
    CHECK(pbr["metallicFactor"] == 1);
    CHECK(pbr["roughnessFactor"] == 1);
    CHECK(s.loss("texture-packed") != nullptr);
}

TEST_CASE("a picture of occlusion, roughness and metalness is used as it is (EXP-016)")
{
    const Sample sample(
        textured("float inputs:metallic.connect = </r/look/t.outputs:b>\n float inputs:roughness.connect = "
                 "</r/look/t.outputs:g>\n float inputs:occlusion.connect = </r/look/t.outputs:r>",
                 texture("t", "orm.png", "token inputs:sourceColorSpace = \"raw\"")));
    sample.picture("orm.png", 4, 4, [](int x, int y) { return std::array<int, 4>{10 * x, 20 * y, x + y, 255}; });
    const Shown s = sample.shown();
    REQUIRE(s.glb.json["images"].size() == 1);
    std::string bytes;
    {
        const auto         read = std::ifstream(sample.folder.path() / "orm.png", std::ios::binary);
        std::ostringstream all;
        all << read.rdbuf();
        bytes = all.str();
    }
    CHECK(s.glb.picture(0) == bytes);
    CHECK(s.glb.material_of("m")["occlusionTexture"]["index"] ==
          s.glb.material_of("m")["pbrMetallicRoughness"]["metallicRoughnessTexture"]["index"]);
}

TEST_CASE("an opacity of another picture than the colour's becomes one picture with alpha that blends (EXP-017)")
{
    const Sample sample(
        textured("color3f inputs:diffuseColor.connect = </r/look/t.outputs:rgb>\n float inputs:opacity.connect = "
                 "</r/look/o.outputs:r>",
                 texture("t", "c.png") + texture("o", "o.png", "token inputs:sourceColorSpace = \"raw\"")));
    sample.picture("c.png", 2, 2, [](int x, int y) { return std::array<int, 4>{50 * x, 60 * y, 9, 255}; });
    sample.picture("o.png", 2, 2, [](int x, int) { return std::array<int, 4>{x == 0 ? 40 : 240, 0, 0, 255}; });
    const Shown s = sample.shown();
    REQUIRE(s.glb.json["images"].size() == 1);
    const auto p = gltf::decode(s.glb.picture(0));
    REQUIRE(p);
    CHECK(p->alpha);
    CHECK(p->rgba[0] == 0);
    CHECK(p->rgba[3] == 40);
    CHECK(p->rgba[4] == 50);
    CHECK(p->rgba[7] == 240);
    CHECK(s.glb.material_of("m")["alphaMode"] == "BLEND");
}

TEST_CASE("a threshold of opacity makes a mask with that cutoff, and a constant below one blends (EXP-018)")
{
    const Shown mask = Sample(textured("float inputs:opacity = 0.8\n float inputs:opacityThreshold = 0.5")).shown();
    CHECK(mask.glb.material_of("m")["alphaMode"] == "MASK");
    CHECK(mask.glb.material_of("m")["alphaCutoff"] == 0.5);
    const Shown blend = Sample(textured("float inputs:opacity = 0.25")).shown();
    CHECK(blend.glb.material_of("m")["alphaMode"] == "BLEND");
    CHECK(blend.glb.material_of("m")["pbrMetallicRoughness"]["baseColorFactor"][3] == 0.25);
    CHECK_FALSE(Sample(textured("float inputs:opacity = 1")).shown().glb.material_of("m").contains("alphaMode"));
}

TEST_CASE("emission above one is a factor up to one and a strength (EXP-019)")
{
    const Shown s = Sample(textured("color3f inputs:emissiveColor = (4, 0, 0)")).shown();
    CHECK(s.glb.material_of("m")["emissiveFactor"] == nlohmann::json::array({1.0, 0.0, 0.0}));
    CHECK(s.glb.material_of("m")["extensions"]["KHR_materials_emissive_strength"]["emissiveStrength"] == 4);
}

TEST_CASE("a value that has one sample and no default is written as one that has a default (EXP-001)")
{
    // Every value of this stage once as a default and once as the only sample, both of the same scene.
    const auto scene = [](bool sampled) {
        std::string text = R"(def Xform "r" {
            def Material "look" {
                token outputs:surface.connect = </r/look/s.outputs:surface>
                def Shader "s" {
                    uniform token info:id = "UsdPreviewSurface"
                    color3f inputs:diffuseColor ~(0.75, 0.25, 0.5)~
                    float inputs:roughness ~0.125~
                    float inputs:opacity ~0.5~
                    token outputs:surface
                }
            }
            def Cube "cube" (prepend apiSchemas = ["MaterialBindingAPI"]) { double size ~0.5~
                rel material:binding = </r/look> }
            def Sphere "ball" { double radius ~0.25~
                color3f[] primvars:displayColor ~[(0.5, 0.25, 1)]~ }
            def Cylinder "can" { double radius ~0.125~
                double height ~3~ }
            def Mesh "quad" { point3f[] points ~[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]~
                int[] faceVertexCounts ~[4]~
                int[] faceVertexIndices ~[0, 1, 2, 3]~ }
            def Cube "hidden" { token visibility ~"invisible"~ }
            def SphereLight "lamp" { float inputs:intensity ~100~
                color3f inputs:color ~(1, 0, 0)~ }
            def Camera "eye" { float focalLength ~20~
                token projection ~"perspective"~
                float2 clippingRange ~(0.5, 40)~ }
            def PointInstancer "many" { rel prototypes = </r/many/p>
                int[] protoIndices ~[0, 0]~
                point3f[] positions ~[(1, 2, 3), (4, 5, 6)]~
                quath[] orientations ~[(1, 0, 0, 0), (0, 1, 0, 0)]~
                float3[] scales ~[(1, 1, 1), (2, 2, 2)]~
                def Sphere "p" { double radius ~0.75~ } }
        })";
        for (bool open = true; text.find('~') != std::string::npos; open = !open)
            text.replace(text.find('~'), 1, !sampled ? (open ? "= " : "") : open ? ".timeSamples = { 7: " : " }");
        for (std::size_t at; sampled && (at = text.find(" .timeSamples")) != std::string::npos;) text.erase(at, 1);
        return Sample(text).shown();
    };
    const Shown with_default = scene(false), with_sample = scene(true);
    CHECK(with_sample.glb.json == with_default.glb.json);
    CHECK(with_sample.bytes == with_default.bytes);
}

TEST_CASE("a picture of colours is not altered where nothing has to be packed (EXP-020)")
{
    const Sample sample(textured("color3f inputs:diffuseColor.connect = </r/look/t.outputs:rgb>",
                                 texture("t", "c.png", "float4 inputs:scale = (0.5, 1, 1, 1)")));
    sample.picture("c.png", 3, 5, [](int x, int y) { return std::array<int, 4>{80 * x, 50 * y, 3, 255}; });
    const Shown        s = sample.shown();
    std::ostringstream all;
    all << std::ifstream(sample.folder.path() / "c.png", std::ios::binary).rdbuf();
    CHECK(s.glb.picture(0) == all.str());
    CHECK(s.glb.material_of("m")["pbrMetallicRoughness"]["baseColorFactor"][0] == 0.5);
}

TEST_CASE("the specular workflow and displacement are told as losses (EXP-021)")
{
    const Shown s =
        Sample(textured("int inputs:useSpecularWorkflow = 1\n color3f inputs:specularColor = (0.04, 0.08, 0)\n float "
                        "inputs:displacement = 0.1\n float inputs:ior = 1.4\n float inputs:clearcoat = 0.5"))
            .shown();
    CHECK(s.loss("specular") != nullptr);
    CHECK(s.loss("displacement") != nullptr);
    const auto& e = s.glb.material_of("m")["extensions"];
    CHECK(e["KHR_materials_specular"]["specularColorFactor"][1] == doctest::Approx(2));
    CHECK(e["KHR_materials_ior"]["ior"] == doctest::Approx(1.4));
    CHECK(e["KHR_materials_clearcoat"]["clearcoatFactor"] == 0.5);
}

TEST_CASE("a material without a preview surface is told as an error and is grey (EXP-022)")
{
    const Shown s =
        Sample(
            R"(def Xform "r" { def Cube "c" (prepend apiSchemas = ["MaterialBindingAPI"]) { rel material:binding = </r/look> }
        def Material "look" { token outputs:surface.connect = </r/look/s.outputs:surface>
            def Shader "s" { uniform token info:id = "SomebodysSurface"
 token outputs:surface } } })")
            .shown();
    REQUIRE(s.loss("material") != nullptr);
    CHECK(s.loss("material")->severity == Severity::error);
    CHECK(s.glb.material_of("c")["pbrMetallicRoughness"]["roughnessFactor"] == 0.9);
}

TEST_CASE("colours of MDL are taken, and OpenPBR where it is asked for (GAP-069)")
{
    const Shown mdl =
        Sample(
            R"(def Xform "r" { def Cube "c" (prepend apiSchemas = ["MaterialBindingAPI"]) { rel material:binding = </r/look> }
        def Material "look" { token outputs:mdl:surface.connect = </r/look/s.outputs:out>
            def Shader "s" { uniform token info:implementationSource = "sourceAsset"
 uniform asset info:mdl:sourceAsset = @OmniPBR.mdl@
 color3f inputs:diffuse_color_constant = (0.1, 0.2, 0.3)
 float inputs:metallic_constant = 0.7
 token outputs:out } } })")
            .shown();
    CHECK(mdl.glb.material_of("c")["pbrMetallicRoughness"]["baseColorFactor"][2] == doctest::Approx(0.3));
    CHECK(mdl.glb.material_of("c")["pbrMetallicRoughness"]["metallicFactor"] == doctest::Approx(0.7));
    const Sample open(
        R"(def Xform "r" { def Cube "c" (prepend apiSchemas = ["MaterialBindingAPI"]) { rel material:binding = </r/look> }
        def Material "look" { token outputs:mtlx:surface.connect = </r/look/s.outputs:out>
            def Shader "s" { uniform token info:id = "ND_open_pbr_surface_surfaceshader"
 color3f inputs:base_color = (0.5, 0.25, 1)
 float inputs:base_metalness = 1
 float inputs:specular_roughness = 0.2
 float inputs:coat_weight = 1
 token outputs:out } } })");
    CHECK(open.shown().loss("material")->severity == Severity::error);
    GltfOptions options;
    options.openpbr  = true;
    const Shown read = open.shown(options);
    CHECK(read.glb.material_of("c")["pbrMetallicRoughness"]["baseColorFactor"][1] == 0.25);
    CHECK(read.glb.material_of("c")["pbrMetallicRoughness"]["roughnessFactor"] == doctest::Approx(0.2));
    REQUIRE(read.loss("openpbr") != nullptr);
    CHECK(read.loss("openpbr")->source_value == "inputs:coat_weight");
}

TEST_CASE("pictures of 16 bits and of OpenEXR become PNG of 8 bits, and the report says so (EXP-023)")
{
    // PNG of 16 bits: one grey pixel, 0x8000.
    const auto big = [](std::uint32_t v) {
        return std::string{static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
                           static_cast<char>(v)};
    };
    const auto crc = [](const std::string& text) {
        std::uint32_t c = 0xffffffffU;
        for (const char x : text) {
            c ^= static_cast<unsigned char>(x);
            for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xedb88320U ^ (c >> 1) : c >> 1;
        }
        return c ^ 0xffffffffU;
    };
    const auto chunk = [&](const std::string& type, const std::string& data) {
        return big(static_cast<std::uint32_t>(data.size())) + type + data + big(crc(type + data));
    };
    const std::string pixel("\0\x80\0", 3);  // filter, two bytes
    std::uint32_t     a = 1, b = 0;
    for (const char x : pixel) a = (a + static_cast<unsigned char>(x)) % 65521, b = (b + a) % 65521;
    const std::string stored = std::string("\x78\x01\x01\x03\0\xfc\xff", 7) + pixel + big((b << 16) | a);
    const std::string png    = std::string("\x89PNG\r\n\x1a\n", 8) +
                               chunk("IHDR", big(1) + big(1) + std::string("\x10\0\0\0\0", 5)) + chunk("IDAT", stored) +
                               chunk("IEND", "");
    const Sample      sixteen(
        textured("color3f inputs:diffuseColor.connect = </r/look/t.outputs:rgb>", texture("t", "c.png")));
    sixteen.folder.write("c.png", png);
    const Shown s = sixteen.shown();
    REQUIRE(s.loss("texture-depth") != nullptr);
    const auto p = gltf::decode(s.glb.picture(0));
    REQUIRE(p);
    CHECK(p->bits == 8);
    CHECK(p->rgba[0] == 128);

    // OpenEXR: one pixel, channels B G R of floats, no compression.
    const auto little = [](std::uint32_t v) {
        return std::string{static_cast<char>(v), static_cast<char>(v >> 8), static_cast<char>(v >> 16),
                           static_cast<char>(v >> 24)};
    };
    const auto real = [&](float f) {
        std::uint32_t v = 0;
        std::memcpy(&v, &f, 4);
        return little(v);
    };
    std::string channels;
    for (const char* name : {"B", "G", "R"})
        channels += std::string(name) + '\0' + little(2) + little(0) + little(1) + little(1);
    channels += '\0';
    const std::string zero = little(0), box = zero + zero + zero + zero;
    std::string       exr   = std::string("\x76\x2f\x31\x01\x02\0\0\0", 8);
    const auto        field = [&](const std::string& name, const std::string& type, const std::string& data) {
        exr += name + '\0' + type + '\0' + little(static_cast<std::uint32_t>(data.size())) + data;
    };
    field("channels", "chlist", channels);
    field("compression", "compression", std::string(1, '\0'));
    field("dataWindow", "box2i", box);
    field("displayWindow", "box2i", box);
    field("lineOrder", "lineOrder", std::string(1, '\0'));
    exr += '\0';
    exr += little(static_cast<std::uint32_t>(exr.size() + 8)) + little(0);
    exr += little(0) + little(12) + real(0.25F) + real(0.5F) + real(1.0F);
    const Sample wide(
        textured("float inputs:roughness.connect = </r/look/t.outputs:g>\n float inputs:metallic.connect = "
                 "</r/look/t.outputs:b>",
                 texture("t", "c.exr")));
    wide.folder.write("c.exr", exr);
    const Shown e = wide.shown();
    const auto  q = gltf::decode(e.glb.picture(0));
    REQUIRE(q);
    CHECK(q->rgba[1] == 128);
    CHECK(q->rgba[2] == 64);
    CHECK((e.loss("texture-packed") != nullptr || e.loss("texture-depth") != nullptr));
}

TEST_CASE("tiles of UDIM are refused, packed, or split (EXP-024)")
{
    const std::string usda = R"(def Xform "r" {
        def Mesh "m" (prepend apiSchemas = ["MaterialBindingAPI"]) {
            int[] faceVertexCounts = [3, 3]
            int[] faceVertexIndices = [0, 1, 2, 3, 4, 5]
            point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 0, 0), (3, 0, 0), (3, 1, 0)]
            texCoord2f[] primvars:st = [(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (1.1, 0.1), (1.9, 0.1), (1.9, 0.9)] (interpolation = "vertex")
            rel material:binding = </r/look>
        }
        def Material "look" { token outputs:surface.connect = </r/look/s.outputs:surface>
            def Shader "s" { uniform token info:id = "UsdPreviewSurface"
 color3f inputs:diffuseColor.connect = </r/look/t.outputs:rgb>
 token outputs:surface }
            def Shader "reader" { uniform token info:id = "UsdPrimvarReader_float2"
 string inputs:varname = "st"
 float2 outputs:result })" + texture("t", "c.<UDIM>.png") +
                             "} }";
    const Sample      sample(usda);
    sample.picture("c.1001.png", 2, 2, [](int, int) { return std::array<int, 4>{255, 0, 0, 255}; });
    sample.picture("c.1002.png", 2, 2, [](int, int) { return std::array<int, 4>{0, 255, 0, 255}; });
    const Shown refused = sample.shown();
    REQUIRE(refused.loss("udim") != nullptr);
    CHECK(refused.loss("udim")->severity == Severity::error);
    CHECK_FALSE(refused.glb.json.contains("images"));
    GltfOptions options;
    options.udim      = Udim::split;
    const Shown split = sample.shown(options);
    REQUIRE(split.glb.mesh_of("m")["primitives"].size() == 2);
    CHECK(split.glb.json["images"].size() == 2);
    CHECK(split.glb.mesh_of("m")["primitives"][0]["material"] != split.glb.mesh_of("m")["primitives"][1]["material"]);
    options.udim      = Udim::atlas;
    const Shown atlas = sample.shown(options);
    REQUIRE(atlas.glb.json["images"].size() == 1);
    const auto p = gltf::decode(atlas.glb.picture(0));
    REQUIRE(p);
    CHECK(p->width == 4);
    CHECK(p->rgba[0] == 255);
    CHECK(p->rgba[4 * 3 + 1] == 255);
    const auto uv = atlas.glb.accessor(atlas.glb.mesh_of("m")["primitives"][0]["attributes"]["TEXCOORD_0"].get<int>());
    for (const double v : uv) CHECK((v >= 0 && v <= 1));
    CHECK(uv[0] == close_to(0.05, 1e-6));
}

TEST_CASE("a hundred instances of a bolt share one mesh (EXP-025)")
{
    std::string usda = "def Xform \"r\" {\n";
    for (int i = 0; i < 100; ++i)
        usda += fmt::format(
            "def Xform \"b{0}\" (instanceable = true\n prepend references = </bolt>) {{ double3 xformOp:translate = "
            "({0}, 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\"] }}\n",
            i);
    usda += "}\nclass Xform \"bolt\" { def Mesh \"m\" {" + std::string(kSquare) + "} }";
    const Shown s = Sample(usda).shown();
    CHECK(s.glb.json["meshes"].size() == 1);
    int users = 0;
    for (const auto& n : s.glb.json["nodes"]) users += n.contains("mesh") ? 1 : 0;
    CHECK(users == 100);
}

TEST_CASE("a point instancer of ten thousand items becomes one node, without what is invisible (EXP-026, EXP-027)")
{
    std::string positions, which;
    for (int i = 0; i < 10000; ++i) {
        positions += fmt::format("{}({}, {}, 0)", i == 0 ? "" : ", ", i % 100, i / 100);
        which += i == 0 ? "0" : ", 0";
    }
    const auto usda = [&](const std::string& p, const std::string& w, const std::string& more) {
        return "def Xform \"r\" { def PointInstancer \"many\" {\n point3f[] positions = [" + p +
               "]\n int[] protoIndices = [" + w + "]\n rel prototypes = </r/many/box>\n" + more +
               " def Xform \"box\" { double3 xformOp:translate = (0, 0, 1)\n uniform token[] xformOpOrder = "
               "[\"xformOp:translate\"]\n def Cube \"c\" {} } } }";
    };
    const Sample sample(usda(positions, which, ""));
    const Shown  s = sample.shown();
    REQUIRE(s.glb.node("c") >= 0);
    const auto& attributes = s.glb.at("c")["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
    CHECK(s.glb.json["accessors"][attributes["TRANSLATION"].get<std::size_t>()]["count"] == 10000);
    CHECK(s.glb.vectors(attributes["TRANSLATION"].get<int>())[101] == Vec3d{1, 1, 1});
    CHECK(s.glb.json["extensionsRequired"] == nlohmann::json::array({"EXT_mesh_gpu_instancing"}));
    const Shown fewer = Sample(usda("(0, 0, 0), (1, 0, 0), (2, 0, 0)", "0, 0, 0",
                                    "int64[] ids = [7, 8, 9]\n int64[] invisibleIds = [8]\n quath[] orientations = "
                                    "[(1, 0, 0, 0), (1, 0, 0, 0), (0, 0, 0, 1)]\n"))
                            .shown();
    const auto& less  = fewer.glb.at("c")["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
    CHECK(fewer.glb.vectors(less["TRANSLATION"].get<int>()).size() == 2);
    CHECK(fewer.glb.accessor(less["ROTATION"].get<int>())[6] == 1);  // half a turn about z
    GltfOptions options;
    options.expand_instances = true;
    const Shown core         = Sample(usda("(0, 0, 0), (1, 0, 0), (2, 0, 0)", "0, 0, 0", "")).shown(options);
    CHECK_FALSE(core.glb.json.contains("extensionsUsed"));
    int users = 0;
    for (const auto& n : core.glb.json["nodes"]) users += n.contains("mesh") ? 1 : 0;
    CHECK(users == 3);
    CHECK(core.glb.json["meshes"].size() == 1);
}

TEST_CASE("prototypes that hold their own instancer are left out with a loss, at once or by way of another instancer")
{
    const auto instancer = [](const char* name, const char* prototypes, const char* inside) {
        return fmt::format(
            "def PointInstancer \"{}\" {{\n point3f[] positions = [(0, 0, 0), (1, 0, 0)]\n int[] protoIndices = [0, "
            "1]\n "
            "rel prototypes = [{}]\n {} }}\n",
            name, prototypes, inside);
    };
    const std::string box = "def Cube \"c\" {}";
    for (const std::string& usda :
         {"def Xform \"r\" {" + instancer("p", "</r/p/c>, </r/p>", box.c_str()) + "}",
          "def Xform \"r\" {" + instancer("p", "</r/p/c>, </r>", box.c_str()) + "}",
          "def Xform \"r\" {" + instancer("p", "</r/p/c>, </r/b>", box.c_str()) + "def Xform \"b\" {" +
              instancer("q", "</r/b/q/c>, </r/p>", box.c_str()) + "} }"}) {
        CAPTURE(usda);
        const Shown s     = Sample(usda).shown();
        const auto  drops = std::ranges::count_if(s.losses.entries, [](const sf::Loss& loss) {
            return loss.code == "instancer" && loss.action == sf::LossAction::dropped;
        });
        CHECK(drops >= 1);
        CHECK(s.glb.node("c") >= 0);
    }
}

TEST_CASE(
    "lights keep their power: candela of a sphere, cones of a spot, lux of a distant light (EXP-028, EXP-029, EXP-030)")
{
    const Sample sample(R"(def Xform "r" {
        def SphereLight "sphere" { float inputs:radius = 0.5
 float inputs:intensity = 100 }
        def SphereLight "spot" (prepend apiSchemas = ["ShapingAPI"]) { float inputs:intensity = 1
 bool treatAsPoint = 1
 float inputs:shaping:cone:angle = 30
 float inputs:shaping:cone:softness = 0.2 }
        def DistantLight "sun" { float inputs:intensity = 1000
 float inputs:exposure = 1 }
        def RectLight "pane" { float inputs:intensity = 8
 float inputs:width = 2
 float inputs:height = 3 }
        def DomeLight "sky" {}
    })");
    const Shown  s     = sample.shown();
    const auto   light = [&](const Shown& of, const char* name) {
        return of.glb.json["extensions"]["KHR_lights_punctual"]["lights"]
                          [of.glb.at(name)["extensions"]["KHR_lights_punctual"]["light"].get<std::size_t>()];
    };
    CHECK(light(s, "sphere")["type"] == "point");
    CHECK(light(s, "sphere")["intensity"].get<double>() == close_to(100 * kPi * 0.25, 1e-6));
    CHECK(light(s, "spot")["type"] == "spot");
    CHECK(light(s, "spot")["spot"]["outerConeAngle"].get<double>() == close_to(30 * kPi / 180, 1e-6));
    CHECK(light(s, "spot")["spot"]["innerConeAngle"].get<double>() == close_to(24 * kPi / 180, 1e-6));
    CHECK(light(s, "spot")["intensity"] == 1);
    CHECK(light(s, "sun")["type"] == "directional");
    CHECK(light(s, "sun")["intensity"] == 2000);
    CHECK_FALSE(s.glb.at("pane").contains("extensions"));
    CHECK(std::count_if(s.losses.entries.begin(), s.losses.entries.end(),
                        [](const sf::Loss& l) { return l.code == "light"; }) == 2);
    GltfOptions options;
    options.approximate_lights = true;
    CHECK(light(sample.shown(options), "pane")["intensity"].get<double>() == close_to(8.0 * 6 / 4, 1e-6));
}

TEST_CASE("variants of looks become KHR_materials_variants, and those of structure are told as lost (EXP-031, EXP-063)")
{
    const Sample sample(R"(def Xform "r" (variants = { string paint = "red"
 string size = "small" }
    prepend variantSets = ["paint", "size"]) {
        def Cube "c" (prepend apiSchemas = ["MaterialBindingAPI"]) { }
        def Material "red" { token outputs:surface.connect = </r/red/s.outputs:surface>
            def Shader "s" { uniform token info:id = "UsdPreviewSurface"
 color3f inputs:diffuseColor = (1, 0, 0)
 token outputs:surface } }
        def Material "blue" { token outputs:surface.connect = </r/blue/s.outputs:surface>
            def Shader "s" { uniform token info:id = "UsdPreviewSurface"
 color3f inputs:diffuseColor = (0, 0, 1)
 token outputs:surface } }
        variantSet "paint" = {
            "blue" { over "c" { rel material:binding = </r/blue> } }
            "red" { over "c" { rel material:binding = </r/red> } }
        }
        variantSet "size" = {
            "big" { def Sphere "more" {} }
            "small" {}
        }
    })");
    GltfOptions  options;
    options.material_variants = true;
    options.source            = sample.file;
    const Shown s             = sample.shown(options);
    const auto& names         = s.glb.json["extensions"]["KHR_materials_variants"]["variants"];
    REQUIRE(names.size() == 2);
    CHECK(names[0]["name"] == "paint=blue");
    CHECK(s.glb.material_of("c")["name"] == "red");
    const auto& mappings = s.glb.mesh_of("c")["primitives"][0]["extensions"]["KHR_materials_variants"]["mappings"];
    REQUIRE(mappings.size() == 2);
    for (const auto& m : mappings) {
        const auto name = names[m["variants"][0].get<std::size_t>()]["name"].get<std::string>();
        CHECK("paint=" + s.glb.json["materials"][m["material"].get<std::size_t>()]["name"].get<std::string>() == name);
    }
    CHECK(s.loss("variant-structural") != nullptr);
    CHECK(s.glb.node("more") < 0);
    options.open.variant_selections = {{"/r{size}", "big"}};
    CHECK(sample.shown(options).glb.node("more") >= 0);
    CHECK_FALSE(sample.shown().glb.json.contains("extensions"));
}

namespace {

const char* const kSkinned = R"(def SkelRoot "r" (prepend apiSchemas = ["SkelBindingAPI"]) {
    double3 xformOp:translate = (5, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    rel skel:skeleton = </r/bones>
    rel skel:animationSource = </r/move>
    def Skeleton "bones" (prepend apiSchemas = ["SkelBindingAPI"]) {
        uniform token[] joints = ["a", "a/b"]
        uniform matrix4d[] bindTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 0, 0, 1)), ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (3, 0, 0, 1))]
        uniform matrix4d[] restTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 0, 0, 1)), ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (2, 0, 0, 1))]
    }
    def SkelAnimation "move" {
        uniform token[] joints = ["a/b"]
        quatf[] rotations.timeSamples = { 0: [(1, 0, 0, 0)], 24: [(0.7071068, 0, 0, 0.7071068)] }
        float3[] translations.timeSamples = { 0: [(2, 0, 0)], 24: [(2, 0, 0)] }
        half3[] scales.timeSamples = { 0: [(1, 1, 1)], 24: [(1, 1, 1)] }
        uniform token[] blendShapes = ["puff"]
        float[] blendShapeWeights.timeSamples = { 0: [0], 24: [1] }
    }
    def Mesh "skin" (prepend apiSchemas = ["SkelBindingAPI"]) {
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
        point3f[] points = [(0, 0, 0), (4, 0, 0), (4, 1, 0), (0, 1, 0)]
        normal3f[] normals = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)] (interpolation = "vertex")
        matrix4d primvars:skel:geomBindTransform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 2, 1))
        int[] primvars:skel:jointIndices = [0, 1, 0, 1, 0, 1, 0, 1] (elementSize = 2
 interpolation = "vertex")
        float[] primvars:skel:jointWeights = [1, 0, 0.25, 0.75, 0.5, 0.5, 1, 0] (elementSize = 2
 interpolation = "vertex")
        uniform token[] skel:blendShapes = ["puff"]
        rel skel:blendShapeTargets = </r/skin/puff>
        def BlendShape "puff" { uniform vector3f[] offsets = [(0, 0, 1)]
 uniform int[] pointIndices = [2] }
    }
})";

}  // namespace

TEST_CASE("a skin in the pose in which it was bound stands where the stage has its points (EXP-032)")
{
    const Shown s          = Sample(kSkinned).shown();
    const auto& node       = s.glb.at("skin_skin");
    const auto& skin       = s.glb.json["skins"][node["skin"].get<std::size_t>()];
    const auto& attributes = s.glb.json["meshes"][node["mesh"].get<std::size_t>()]["primitives"][0]["attributes"];
    const auto  points     = s.glb.vectors(attributes["POSITION"].get<int>());
    const auto  joints     = s.glb.accessor(attributes["JOINTS_0"].get<int>()),
                weights    = s.glb.accessor(attributes["WEIGHTS_0"].get<int>()),
                inverse    = s.glb.accessor(skin["inverseBindMatrices"].get<int>());
    REQUIRE(points.size() == 4);
    for (std::size_t i = 0; i < points.size(); ++i) {
        Vec3d  sum;
        double total = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const auto    j = static_cast<std::size_t>(joints[4 * i + k]);
            const double* m = inverse.data() + 16 * j;
            const Vec3d&  p = points[i];
            const Vec3d   q{m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12], m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13],
                            m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14]};
            sum += weights[4 * i + k] * s.glb.in_scene(skin["joints"][j].get<int>(), q);
            total += weights[4 * i + k];
        }
        CHECK(total == close_to(1, 1e-6));
        // geomBindTransform lifts by 2, the root stands at x = 5; z-up turned to y-up.
        CHECK(distance(sum, Vec3d{points[i].x + 5, 2, -points[i].y}) < 1e-5);
    }
}

TEST_CASE("samples of a layer of 24 codes a second stand at their seconds (EXP-033)")
{
    const Shown s =
        Sample(kSkinned, "metersPerUnit = 1\n upAxis = \"Z\"\n defaultPrim = \"r\"\n timeCodesPerSecond = 24").shown();
    REQUIRE(s.glb.json["animations"].size() == 1);
    const auto& animation = s.glb.json["animations"][0];
    bool        turned = false, puffed = false;
    for (const auto& channel : animation["channels"]) {
        const auto& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
        const auto  times   = s.glb.accessor(sampler["input"].get<int>());
        CHECK(times.front() == 0);
        CHECK(times.back() == 1);
        if (channel["target"]["path"] == "rotation") {
            turned = true;
            CHECK(channel["target"]["node"] == s.glb.node("b"));
            const auto q = s.glb.accessor(sampler["output"].get<int>());
            CHECK(q[6] == close_to(std::sqrt(0.5), 1e-6));
            CHECK(q[7] == close_to(std::sqrt(0.5), 1e-6));
        }
        if (channel["target"]["path"] == "weights") {
            puffed = true;
            CHECK((s.glb.accessor(sampler["output"].get<int>()) == std::vector<double>{0, 1}));
        }
    }
    CHECK(turned);
    CHECK(puffed);
    const auto& primitive = s.glb.mesh_of("skin_skin")["primitives"][0];
    REQUIRE(primitive["targets"].size() == 1);
    CHECK(s.glb.vectors(primitive["targets"][0]["POSITION"].get<int>())[2] == Vec3d{0, 0, 1});
}

TEST_CASE("an animated rotation is off by less than a tenth of a degree between its keys (EXP-034)")
{
    test::for_seeds(6, [](Random& random) {
        const auto   u = [&] { return random.uniform(-180.0, 180.0); };
        const Sample sample(
            fmt::format("def Xform \"r\" {{ def Xform \"a\" {{\n double3 xformOp:translate = (0, 1, 0)\n float3 "
                        "xformOp:rotateXYZ.timeSamples = {{ 0: ({}, {}, {}), 10: ({}, {}, {}), 20: ({}, {}, {}) }}\n "
                        "double3 xformOp:translate:arm = (1, 0, 0)\n"
                        " uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateXYZ\", "
                        "\"xformOp:translate:arm\"]\n def Cube \"c\" {{}} }} }}",
                        u(), u(), u(), u(), u(), u(), u(), u(), u()));
        const Shown s     = sample.shown();
        const auto  stage = usd::Stage::open(sample.file);
        REQUIRE(stage);
        const usd::Prim prim      = (*stage)->prim_at(usd::Path("/r/a"));
        const auto&     animation = s.glb.json["animations"][0];
        for (const auto& channel : animation["channels"]) {
            const auto& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
            const auto  times   = s.glb.accessor(sampler["input"].get<int>()),
                        values  = s.glb.accessor(sampler["output"].get<int>());
            const bool  turns   = channel["target"]["path"] == "rotation";
            for (int k = 0; k < 200; ++k) {
                const double t = times.front() + (times.back() - times.front()) * (k + 0.5) / 200;
                std::size_t  i = 0;
                while (i + 2 < times.size() && times[i + 1] < t) ++i;
                const double        f = (t - times[i]) / (times[i + 1] - times[i]);
                const usd::Matrix4d m = (*stage)->local_matrix(prim, 24 * t);
                if (turns) {
                    const auto q = [&](std::size_t n) {
                        return Quatd{values[4 * n], values[4 * n + 1], values[4 * n + 2], values[4 * n + 3]};
                    };
                    const Quatd a = q(i), b = q(i + 1);
                    CHECK(dot(a, b) >= 0);
                    const Quatd there = a * from_rotation_vector(f * to_rotation_vector(conjugate(a) * b));
                    CHECK(test::angle_between(there, usd::decompose(m).rotation) < 0.1 * kPi / 180);
                } else if (channel["target"]["path"] == "translation") {
                    for (std::size_t c = 0; c < 3; ++c)
                        CHECK(std::abs(values[3 * i + c] + f * (values[3 * i + 3 + c] - values[3 * i + c]) -
                                       m(3, static_cast<int>(c))) < 1e-3);
                }
            }
        }
    });
}

TEST_CASE("a camera's field of view follows from aperture and focal length, and its clip planes are metres (EXP-035)")
{
    const Shown s      = Sample(R"(def Xform "r" {
        def Camera "eye" { float verticalAperture = 24
 float horizontalAperture = 36
 float focalLength = 35
 float2 clippingRange = (10, 5000) }
        def Camera "plan" { token projection = "orthographic"
 float verticalAperture = 100
 float horizontalAperture = 200
 float2 clippingRange = (1, 100) }
    })",
                                "metersPerUnit = 0.01\n upAxis = \"Z\"\n defaultPrim = \"r\"")
                             .shown();
    const auto  camera = [&](const char* name) {
        return s.glb.json["cameras"][s.glb.at(name)["camera"].get<std::size_t>()];
    };
    CHECK(camera("eye")["perspective"]["yfov"].get<double>() == close_to(2 * std::atan(24.0 / 70.0), 1e-6));
    CHECK(camera("eye")["perspective"]["aspectRatio"] == 1.5);
    CHECK(camera("eye")["perspective"]["znear"].get<double>() == close_to(0.1, 1e-9));
    CHECK(camera("eye")["perspective"]["zfar"].get<double>() == close_to(50, 1e-9));
    CHECK(camera("plan")["orthographic"]["ymag"].get<double>() ==
          close_to(0.05, 1e-9));  // half of 100 tenths of a centimetre
    CHECK(camera("plan")["orthographic"]["xmag"].get<double>() == close_to(0.1, 1e-9));
}

TEST_CASE("the same stage gives the same bytes, and its parts lie on multiples of four (EXP-036)")
{
    const Sample sample(kSkinned);
    const Shown  a = sample.shown(), b = sample.shown();
    CHECK(a.bytes == b.bytes);
    CHECK(a.bytes.size() % 4 == 0);
    for (const auto& view : a.glb.json["bufferViews"]) CHECK(view["byteOffset"].get<std::size_t>() % 4 == 0);
}

TEST_CASE("the report names each class of authored properties that glTF has no word for (EXP-037)")
{
    const Shown s = Sample(R"(def Xform "r" { def Cube "c" { custom float my:thing = 3 }
        def Camera "eye" { double shutter:open = 0.5
 float fStop = 2 }
    })")
                        .shown();
    std::string said;
    for (const sf::Loss& l : s.losses.entries) said += l.source_value + "\n";
    CHECK(said.find("Cube.my:thing") != std::string::npos);
    CHECK(said.find("Camera.shutter:open") != std::string::npos);
    CHECK(said.find("Camera.fStop") != std::string::npos);
}

TEST_CASE("a .gltf has its buffer and pictures beside it")
{
    const Sample sample(
        textured("color3f inputs:diffuseColor.connect = </r/look/t.outputs:rgb>", texture("t", "c.png")));
    sample.picture("c.png", 2, 2, [](int, int) { return std::array<int, 4>{1, 2, 3, 255}; });
    const auto stage = usd::Stage::open(sample.file);
    REQUIRE(stage);
    sf::LossReport losses;
    const auto     made = write_gltf(**stage, "robot.gltf", {}, losses);
    REQUIRE(made);
    REQUIRE(made->files.size() == 3);
    const auto json = nlohmann::json::parse(made->files[0].content);
    CHECK(json["buffers"][0]["uri"] == "robot.bin");
    CHECK(json["images"][0]["uri"] == "robot_textures/c.png");
    CHECK(made->files[2].content.size() == json["buffers"][0]["byteLength"]);
    // URIs are escaped (RFC 3986 section 2.1), files are not.
    const auto odd = write_gltf(**stage, "a b%20.gltf", {}, losses);
    REQUIRE(odd);
    CHECK(nlohmann::json::parse(odd->files[0].content)["buffers"][0]["uri"] == "a%20b%2520.bin");
    CHECK(odd->files.back().name == "a b%20.bin");
}

TEST_CASE("a stage that shows nothing, or numbers that are none, end with a finding and not with a file that is wrong")
{
    const auto stage = usd::Stage::open_text("#usda 1.0\ndef Material \"m\" {}\n");
    REQUIRE(stage);
    sf::LossReport losses;
    const auto     made = write_gltf(**stage, "x.glb", {}, losses);
    REQUIRE_FALSE(made);
    CHECK(made.error().id == "EXPORT_EMPTY");
    const Shown s = Sample(R"(def Xform "r" {
        def Mesh "m" { int[] faceVertexCounts = [3, 3, 7, -2]
 int[] faceVertexIndices = [0, 1, 2, 0, 1, 99]
 point3f[] points = [(0, 0, 0), (1, 0, 0), (nan, inf, 0), (0, 1, 0)]
 texCoord2f[] primvars:st = [(0, 0)] (interpolation = "vertex") }
        def Xform "x" { double3 xformOp:translate = (nan, 0, 0)
 uniform token[] xformOpOrder = ["xformOp:translate"]
 def Cube "c" {} }
        def PointInstancer "p" { point3f[] positions = [(0, 0, 0), (nan, 0, 0)]
 int[] protoIndices = [5, -1, 0]
 rel prototypes = </nowhere> }
    })")
                        .shown();
    CHECK_FALSE(s.glb.at("m").contains("mesh"));
    CHECK(s.glb.node("c") >= 0);
    CHECK(s.bytes.find("null") == std::string::npos);  // how JSON would write what is no number
}

TEST_CASE("a joint that a sample has no number for stays as it was, and no scale becomes zero (EXP-033)")
{
    std::string text = kSkinned;
    const auto  put  = [&](const std::string& from, const std::string& to) {
        REQUIRE(text.find(from) != std::string::npos);
        text.replace(text.find(from), from.size(), to);
    };
    put("{ 0: [(2, 0, 0)], 24: [(2, 0, 0)] }", "{ 0: [], 12: [(3, 0, 0)], 24: [] }");
    put("{ 0: [(1, 1, 1)], 24: [(1, 1, 1)] }", "{ 0: [], 24: [(1, 1, 2)] }");
    const Shown s         = Sample(text).shown();
    const auto& animation = s.glb.json["animations"][0];
    int         met       = 0;
    for (const auto& channel : animation["channels"]) {
        const auto values =
            s.glb.accessor(animation["samplers"][channel["sampler"].get<std::size_t>()]["output"].get<int>());
        if (channel["target"]["path"] == "scale") {
            ++met;
            CHECK((values == std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 2}));
        }
        if (channel["target"]["path"] == "translation") {
            ++met;
            // At first as the skeleton's rest has it.
            CHECK((values == std::vector<double>{2, 0, 0, 3, 0, 0, 3, 0, 0}));
        }
    }
    CHECK(met == 2);
}
