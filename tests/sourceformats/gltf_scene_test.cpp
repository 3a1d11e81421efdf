#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/primvar.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::sourceformats;
using mechane::test::close_to;
using mechane::test::distance;

namespace {

std::string base64(const std::string& bytes)
{
    static const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string        out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t v = 0;
        for (std::size_t k = 0; k < 3; ++k)
            v = (v << 8) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[(v >> (18 - 6 * k)) & 63];
    }
    return out;
}

/// A buffer in the making, with its views and accessors.
struct Buffer {
    std::string bytes, views, accessors;
    int         count = 0;

    int add(const std::vector<float>& values, const char* type)
    {
        static const std::map<std::string, std::size_t> kWidth{{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}};
        return put(std::string(reinterpret_cast<const char*>(values.data()), 4 * values.size()),
                   values.size() / kWidth.at(type), 5126, type);
    }
    int indices(const std::vector<std::uint16_t>& values)
    {
        return put(std::string(reinterpret_cast<const char*>(values.data()), 2 * values.size()), values.size(), 5123,
                   "SCALAR");
    }
    int put(const std::string& data, std::size_t rows, int kind, const char* type)
    {
        while (bytes.size() % 4 != 0) bytes += '\0';
        views += fmt::format("{}{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{}}}", count == 0 ? "" : ",",
                             bytes.size(), data.size());
        accessors += fmt::format("{}{{\"bufferView\":{},\"componentType\":{},\"count\":{},\"type\":\"{}\"}}",
                                 count == 0 ? "" : ",", count, kind, rows, type);
        bytes += data;
        return count++;
    }
    [[nodiscard]] std::string json(const std::string& rest) const
    {
        return "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":" + fmt::format("{}", bytes.size()) +
               ",\"uri\":\"data:application/octet-stream;base64," + base64(bytes) + "\"}],\"bufferViews\":[" + views +
               "],\"accessors\":[" + accessors + "]," + rest + "}";
    }
};

struct Opened {
    ReadRobot                         read;
    UsdRobot                          usd;
    std::shared_ptr<const usd::Stage> stage;
    [[nodiscard]] bool                found(const Code& code) const
    {
        return std::any_of(read.found.begin(), read.found.end(), [&](const Diagnostic& d) { return d.id == code.id; });
    }
    [[nodiscard]] bool lost(const std::string& code) const
    {
        return std::any_of(read.losses.entries.begin(), read.losses.entries.end(),
                           [&](const Loss& l) { return l.code == code; });
    }
    [[nodiscard]] usd::Prim at(const std::string& path) const
    {
        const usd::Prim prim = stage->prim_at(usd::Path(path));
        REQUIRE_MESSAGE(prim, path);
        return prim;
    }
};

Opened opened(const std::string& json, const std::string& name = "scene.gltf", test::TemporaryFolder* in = nullptr)
{
    test::TemporaryFolder own;
    const std::string     file = (in != nullptr ? in : &own)->write(name, json);
    Opened                out;
    auto                  made = read_as_usd(file, Layout::single, {}, out.read);
    REQUIRE_MESSAGE(made, (made ? "" : made.error().message));
    const auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
    REQUIRE(stage);
    out.usd   = *std::move(made);
    out.stage = *stage;
    return out;
}

/// One triangle, as mesh 0.
std::string triangle(Buffer& b, const std::string& more = {})
{
    const int p = b.add({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3"), i = b.indices({0, 1, 2});
    return fmt::format(
        "\"meshes\":[{{\"name\":\"tri\",\"primitives\":[{{\"attributes\":{{\"POSITION\":{}}},\"indices\":{}{}}}]}}]", p,
        i, more);
}

const std::string kPng("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0", 29);

}  // namespace

TEST_CASE("glTF: y up becomes z up in points and poses, and no prim is turned for it (EXP-075)")
{
    Buffer     b;
    const auto mesh = triangle(b);
    const auto o    = opened(
        b.json(mesh +
               ",\"nodes\":[{\"name\":\"a\",\"translation\":[1,2,3],\"scale\":[1,2,3],\"children\":[1]},{\"name\":"
               "\"b\",\"rotation\":[0,0.70710678,0,0.70710678],\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0"));
    CHECK(o.read.found.empty());
    const usd::Prim root = o.stage->default_prim();
    CHECK(root.name().text() == "scene");
    CHECK(o.stage->metadata().up_axis == 'Z');
    CHECK(o.stage->local_matrix(root) == usd::Matrix4d());
    // (x, y, z) -> (x, -z, y)
    const auto a = usd::decompose(o.stage->local_matrix(o.at("/scene/a")));
    CHECK(distance(a.translation, Vec3d{1, -3, 2}) < 1e-6);
    CHECK(distance(a.scale, Vec3d{1, 3, 2}) < 1e-6);
    const auto q = usd::decompose(o.stage->local_matrix(o.at("/scene/a/b"))).rotation;
    CHECK(test::angle_between(q, from_axis_angle(Vec3d{0, 0, 1}, kPi / 2)) < 1e-6);  // a turn about what was up
    const auto points = *o.at("/scene/a/b/tri").attribute("points").get<std::vector<Vec3d>>();
    CHECK(distance(points[2], Vec3d{0, 0, 1}) < 1e-6);
}

TEST_CASE("glTF: a root that only turns z up to y up is taken back")
{
    Buffer     b;
    const auto mesh = triangle(b);
    const auto o =
        opened(b.json(mesh + ",\"nodes\":[{\"name\":\"robot\",\"rotation\":[-0.70710678,0,0,0.70710678],\"children\":["
                             "1]},{\"name\":\"a\",\"translation\":[0,0,5],\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}]"));
    CHECK(distance(usd::decompose(o.stage->world_matrix(o.at("/scene/a"))).translation, Vec3d{0, 0, 5}) < 1e-9);
    CHECK((*o.at("/scene/a/tri").attribute("points").get<std::vector<Vec3d>>())[2] == Vec3d{0, 1, 0});
}

TEST_CASE("glTF: triangles, strips and fans, with normals, coordinates and colours")
{
    Buffer     b;
    const int  p = b.add({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, "VEC3"),
               n = b.add({0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3"), t = b.add({0, 0, 1, 0, 0, 0.25F, 1, 1}, "VEC2"),
               c = b.add({1, 0, 0, 1, 0, 1, 0, 0.5F, 0, 0, 1, 1, 1, 1, 1, 1}, "VEC4"), i = b.indices({0, 1, 2, 3});
    const auto one = [&](int mode, bool rich) {
        return fmt::format("{{\"primitives\":[{{\"attributes\":{{\"POSITION\":{}{}}},\"indices\":{},\"mode\":{}}}]}}",
                           p, rich ? fmt::format(",\"NORMAL\":{},\"TEXCOORD_0\":{},\"COLOR_0\":{}", n, t, c) : "", i,
                           mode);
    };
    const auto o = opened(b.json("\"meshes\":[" + one(5, true) + "," + one(6, false) + "," + one(1, false) + "," +
                                 one(0, false) + "],\"nodes\":[{\"mesh\":0},{\"mesh\":1},{\"mesh\":2},{\"mesh\":3}]"));
    CHECK(o.read.found.empty());
    const usd::Prim strip = o.at("/scene/node_0/mesh");
    CHECK(*strip.attribute("faceVertexIndices").get<std::vector<int>>() == std::vector<int>{0, 1, 2, 2, 1, 3});
    CHECK((*strip.attribute("primvars:normals").get<std::vector<Vec3d>>())[0] == Vec3d{0, -1, 0});
    CHECK((*strip.attribute("primvars:st").get<std::vector<Vec2d>>())[2].y == 0.75);
    CHECK((*strip.attribute("primvars:displayOpacity").get<std::vector<double>>())[1] == 0.5);
    CHECK(*o.at("/scene/node_1/mesh").attribute("faceVertexIndices").get<std::vector<int>>() ==
          std::vector<int>{0, 1, 2, 0, 2, 3});
    CHECK(o.at("/scene/node_2/lines").type_name().text() == "BasisCurves");
    CHECK(o.at("/scene/node_3/points").type_name().text() == "Points");
}

TEST_CASE("glTF: primitives with looks of their own become subsets")
{
    Buffer          b;
    const int       p = b.add({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3"), q = b.add({5, 0, 0, 6, 0, 0, 5, 1, 0}, "VEC3");
    const auto      o    = opened(b.json(
        fmt::format("\"meshes\":[{{\"name\":\"m\",\"primitives\":[{{\"attributes\":{{\"POSITION\":{}}},\"material\":1}}"
                    ",{{\"attributes\":{{\"POSITION\":{}}},\"material\":0}}]}}],\"materials\":[{{\"name\":\"red\"}},{{"
                    "\"name\":\"blue\",\"doubleSided\":true}}],\"nodes\":[{{\"name\":\"a\",\"mesh\":0}}]",
                    p, q)));
    const usd::Prim mesh = o.at("/scene/a/m");
    CHECK(mesh.attribute("points").get<std::vector<Vec3d>>()->size() == 6);
    CHECK(mesh.attribute("doubleSided").get_or<bool>(false));
    CHECK(*o.at("/scene/a/m/part_1").attribute("indices").get<std::vector<int>>() == std::vector<int>{1});
    CHECK(o.stage->bound_material(o.at("/scene/a/m/part_0"), "").name().text() == "blue");
    CHECK(o.stage->bound_material(o.at("/scene/a/m/part_1"), "").name().text() == "red");
}

TEST_CASE("glTF: looks with pictures, packed channels, transforms and extensions")
{
    Buffer            b;
    const auto        mesh = triangle(b, ",\"material\":0");
    const std::string look =
        R"("materials":[{"name":"paint","alphaMode":"MASK","alphaCutoff":0.25,"emissiveFactor":[1,0.5,0],
        "pbrMetallicRoughness":{"baseColorFactor":[0.5,1,1,0.5],"baseColorTexture":{"index":0,"extensions":{"KHR_texture_transform":{"offset":[0.1,0.2],"rotation":0.5,"scale":[2,3]}}},"metallicFactor":0.75,"roughnessFactor":0.5,"metallicRoughnessTexture":{"index":0}},
        "normalTexture":{"index":0,"scale":0.5},"occlusionTexture":{"index":0,"strength":0.25},
        "extensions":{"KHR_materials_emissive_strength":{"emissiveStrength":4},"KHR_materials_ior":{"ior":1.3},"KHR_materials_clearcoat":{"clearcoatFactor":0.5},"KHR_materials_sheen":{}}}],
        "textures":[{"source":0,"sampler":0}],"samplers":[{"wrapS":33071,"wrapT":33648}],"images":[{"name":"p","uri":"data:image/png;base64,)" +
        base64(kPng) + "\"}]";
    const auto      o       = opened(b.json(mesh + "," + look + ",\"nodes\":[{\"mesh\":0}]"));
    const usd::Prim surface = o.at("/scene/Looks/paint/surface"), color = o.at("/scene/Looks/paint/base_color");
    const auto number = [&](const usd::Prim& of, const char* name) { return of.attribute(name).get_or<double>(-1); };
    const auto to     = [&](const char* name) { return surface.attribute(name).connections().at(0).text(); };
    CHECK(to("inputs:diffuseColor") == "/scene/Looks/paint/base_color.outputs:rgb");
    CHECK(to("inputs:opacity") == "/scene/Looks/paint/base_color.outputs:a");
    CHECK(to("inputs:metallic") == "/scene/Looks/paint/metallic_roughness.outputs:b");
    CHECK(to("inputs:roughness") == "/scene/Looks/paint/metallic_roughness.outputs:g");
    CHECK((*o.at("/scene/Looks/paint/metallic_roughness").attribute("inputs:scale").get<std::array<double, 4>>())[2] ==
          0.75);
    CHECK(number(surface, "inputs:opacityThreshold") == 0.25);
    CHECK(surface.attribute("inputs:emissiveColor").get_or(Vec3d{}) == Vec3d{4, 2, 0});
    CHECK(number(surface, "inputs:ior") == close_to(1.3, 1e-6));
    CHECK(number(surface, "inputs:clearcoat") == 0.5);
    CHECK(color.attribute("inputs:wrapS").get_or<std::string>("") == "clamp");
    CHECK(color.attribute("inputs:wrapT").get_or<std::string>("") == "mirror");
    CHECK(color.attribute("inputs:sourceColorSpace").get_or<std::string>("") == "sRGB");
    const auto normal = *o.at("/scene/Looks/paint/normal").attribute("inputs:scale").get<std::array<double, 4>>();
    CHECK(normal == std::array<double, 4>{1, 1, 2, 1});
    CHECK((*o.at("/scene/Looks/paint/occlusion").attribute("inputs:bias").get<std::array<double, 4>>())[0] == 0.75);
    // The same place in the picture, by either convention.
    const usd::Prim move = o.at(color.attribute("inputs:st").connections().at(0).prim().text());
    const double    a    = number(move, "inputs:rotation") * kPi / 180;
    const Vec2d     s    = move.attribute("inputs:scale").get_or(Vec2d{}),
                    t    = move.attribute("inputs:translation").get_or(Vec2d{});
    for (const Vec2d& U : {Vec2d{0, 0}, Vec2d{1, 0}, Vec2d{0.2, 0.9}}) {
        const Vec2d  there{std::cos(0.5) * 2 * U.x + std::sin(0.5) * 3 * U.y + 0.1,
                           -std::sin(0.5) * 2 * U.x + std::cos(0.5) * 3 * U.y + 0.2};
        const double x = s.x * U.x, y = s.y * (1 - U.y);
        CHECK(std::cos(a) * x - std::sin(a) * y + t.x == close_to(there.x, 1e-5));
        CHECK(std::sin(a) * x + std::cos(a) * y + t.y == close_to(1 - there.y, 1e-5));
    }
    REQUIRE(o.usd.pictures.size() == 1);
    CHECK(o.usd.pictures[0].first == "textures/p.png");
    CHECK(o.usd.pictures[0].second == kPng);
    CHECK(o.lost("material-extension"));
}

TEST_CASE("glTF: variants of looks become a variant set")
{
    Buffer     b;
    const auto mesh = triangle(
        b,
        R"(,"material":0,"extensions":{"KHR_materials_variants":{"mappings":[{"material":0,"variants":[0]},{"material":1,"variants":[1]}]}})");
    const std::string json = b.json(
        mesh +
        R"(,"materials":[{"name":"red"},{"name":"blue"}],"nodes":[{"name":"a","mesh":0}],"extensionsUsed":["KHR_materials_variants"],"extensions":{"KHR_materials_variants":{"variants":[{"name":"warm"},{"name":"cold"}]}})");
    test::TemporaryFolder folder;
    const auto            o    = opened(json, "scene.gltf", &folder);
    const std::string     usda = folder.write("x.usda", o.usd.layers[0].layer.to_text());
    const auto            look = [&](const std::string& variant) {
        usd::OpenOptions open;
        if (!variant.empty()) open.variant_selections = {{"/scene{material}", variant}};
        const auto stage = usd::Stage::open(usda, open);
        REQUIRE(stage);
        return (*stage)->bound_material((*stage)->prim_at(usd::Path("/scene/a/tri")), "").name().text();
    };
    CHECK(look("") == "red");
    CHECK(look("warm") == "red");
    CHECK(look("cold") == "blue");
}

TEST_CASE("glTF: lights and cameras point where the file has them")
{
    const auto o = opened(
        R"({"asset":{"version":"2.0"},"extensions":{"KHR_lights_punctual":{"lights":[{"type":"spot","name":"beam","intensity":7,"color":[1,0.5,0],"spot":{"outerConeAngle":0.5,"innerConeAngle":0.4}},{"type":"directional","intensity":3},{"type":"point","intensity":2}]}},
      "cameras":[{"type":"perspective","name":"eye","perspective":{"yfov":0.9,"aspectRatio":2,"znear":0.1,"zfar":50}},{"type":"orthographic","orthographic":{"xmag":2,"ymag":1,"znear":0,"zfar":10}}],
      "nodes":[{"name":"a","extensions":{"KHR_lights_punctual":{"light":0}}},{"name":"b","extensions":{"KHR_lights_punctual":{"light":1}}},{"name":"c","extensions":{"KHR_lights_punctual":{"light":2}}},{"name":"d","camera":0},{"name":"e","camera":1}]})");
    CHECK(o.read.found.empty());
    const usd::Prim beam = o.at("/scene/a/beam");
    // -z of glTF's scene is +y where z is up.
    CHECK(distance(usd::transform_vector(o.stage->world_matrix(beam), {0, 0, -1}), Vec3d{0, 1, 0}) < 1e-9);
    CHECK(beam.attribute("inputs:shaping:cone:angle").get_or<double>(0) == close_to(0.5 * 180 / kPi, 1e-5));
    CHECK(beam.attribute("inputs:shaping:cone:softness").get_or<double>(0) == close_to(0.2, 1e-6));
    CHECK(beam.attribute("inputs:intensity").get_or<double>(0) == 7);
    CHECK(o.at("/scene/b/light").type_name().text() == "DistantLight");
    const usd::Prim eye = o.at("/scene/d/eye");
    CHECK(distance(usd::transform_vector(o.stage->world_matrix(eye), {0, 1, 0}), Vec3d{0, 0, 1}) < 1e-9);
    CHECK(2 * std::atan(eye.attribute("verticalAperture").get_or<double>(0) /
                        (2 * eye.attribute("focalLength").get_or<double>(1))) ==
          close_to(0.9, 1e-6));
    CHECK(eye.attribute("clippingRange").get_or(Vec2d{}).y == close_to(50, 1e-6));
    CHECK(o.at("/scene/e/camera").attribute("verticalAperture").get_or<double>(0) == 20);  // two metres in tenths
}

TEST_CASE("glTF: animations become samples in seconds")
{
    Buffer     b;
    const int  times = b.add({0.5F, 1.5F}, "SCALAR"), places = b.add({0, 0, 0, 0, 2, 0}, "VEC3"),
               turns  = b.add({0, 0, 0, 1, 0, 0.70710678F, 0, 0.70710678F}, "VEC4"),
               sizes  = b.add({1, 1, 1, 1, 2, 1}, "VEC3"),
               spline = b.add({0, 0, 0, 0, 0, 0, 3, 0, 0, /**/ 0, 0, 0, 1, 0, 0, 0, 0, 0}, "VEC3");
    const auto mesh   = triangle(b);
    const auto o      = opened(b.json(
        mesh +
        fmt::format(
            R"(,"nodes":[{{"name":"a","mesh":0}},{{"name":"b"}},{{"name":"c"}}],"animations":[{{"channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}},{{"sampler":1,"target":{{"node":0,"path":"rotation"}}}},{{"sampler":2,"target":{{"node":1,"path":"scale"}}}},{{"sampler":3,"target":{{"node":2,"path":"translation"}}}}],
        "samplers":[{{"input":{0},"output":{1}}},{{"input":{0},"output":{2}}},{{"input":{0},"output":{3},"interpolation":"STEP"}},{{"input":{0},"output":{4},"interpolation":"CUBICSPLINE"}}]}}])",
            times, places, turns, sizes, spline)));
    CHECK(o.read.found.empty());
    CHECK(o.stage->metadata().time_codes_per_second == 1);
    CHECK(o.stage->metadata().start_time_code == 0.5);
    CHECK(o.stage->metadata().end_time_code == 1.5);
    const usd::Prim a = o.at("/scene/a");
    CHECK(distance(usd::decompose(o.stage->local_matrix(a, 1.0)).translation, Vec3d{0, 0, 1}) < 1e-6);
    CHECK(test::angle_between(usd::decompose(o.stage->local_matrix(a, 1.0)).rotation,
                              from_axis_angle(Vec3d{0, 0, 1}, kPi / 4)) < 1e-6);
    CHECK(usd::decompose(o.stage->local_matrix(o.at("/scene/b"), 1.4)).scale.z == close_to(1, 1e-6));
    CHECK(usd::decompose(o.stage->local_matrix(o.at("/scene/b"), 1.5)).scale.z == close_to(2, 1e-6));
    // Hermite from 0 with speed 3 to 1 with speed 0, at the middle: 0.5 * 1 + 3 / 8.
    CHECK(usd::decompose(o.stage->local_matrix(o.at("/scene/c"), 1.0)).translation.x == close_to(0.875, 1e-5));
}

TEST_CASE("glTF: instances on the GPU become a point instancer")
{
    Buffer          b;
    const int       t    = b.add({0, 0, 0, 0, 5, 0}, "VEC3");
    const auto      mesh = triangle(b);
    const auto      o    = opened(b.json(
        mesh +
        fmt::format(
            R"(,"nodes":[{{"name":"a","mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":{}}}}}}}}}])",
            t)));
    const usd::Prim many = o.at("/scene/a/instances");
    CHECK((*many.attribute("positions").get<std::vector<Vec3d>>())[1] == Vec3d{0, 0, 5});
    CHECK(many.relationship("prototypes").targets().at(0).text() == "/scene/a/instances/tri");
}

TEST_CASE("glTF: sparse accessors and matrices")
{
    Buffer      b;
    const int   p = b.add({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3"), where = b.indices({2}), what = b.add({0, 9, 0}, "VEC3");
    std::string json = b.json(
        "\"meshes\":[{\"name\":\"m\",\"primitives\":[{\"attributes\":{\"POSITION\":3}}]}],\"nodes\":[{\"name\":\"a\","
        "\"matrix\":[0,1,0,0,-1,0,0,0,0,0,1,0,4,0,0,1],\"mesh\":0}]");
    json.replace(
        json.find("]", json.find("\"accessors\"")), 1,
        fmt::format(",{{\"bufferView\":{},\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{{\"count\":"
                    "1,\"indices\":{{\"bufferView\":{},\"componentType\":5123}},\"values\":{{\"bufferView\":{}}}}}}}]",
                    p, where, what));
    const auto o = opened(json);
    CHECK((*o.at("/scene/a/m").attribute("points").get<std::vector<Vec3d>>())[2] == Vec3d{0, 0, 9});
    const usd::Matrix4d m = o.stage->local_matrix(o.at("/scene/a"));
    CHECK(distance(usd::transform_point(m, {1, 0, 0}), Vec3d{4, 0, 1}) < 1e-6);  // x went to what was y
}

TEST_CASE("glTF: bad files give findings, and what can be read is read")
{
    const auto broken = [](const std::string& json) {
        test::TemporaryFolder folder;
        ReadRobot             read;
        const auto            made = read_as_usd(folder.write("x.gltf", json), Layout::single, {}, read);
        return std::pair{made ? std::string() : made.error().id, read};
    };
    CHECK(broken("").first == kReadFailed.id);
    CHECK(broken("{").first == kReadFailed.id);
    CHECK(broken(std::string(1000, '[')).first == kReadFailed.id);
    CHECK(broken("glTF\2\0\0\0").first == kReadFailed.id);
    const auto has = [&](const std::string& json, const Code& code) {
        const auto [error, read] = broken(json);
        std::string said;
        for (const Diagnostic& d : read.found) said += d.id + " " + d.message + "\n";
        CAPTURE(said);
        CHECK(error.empty());
        CHECK(std::any_of(read.found.begin(), read.found.end(),
                          [&, &r = read](const Diagnostic& d) { return !r.found.empty() && d.id == code.id; }));
    };
    has(R"({"asset":{"version":"1.0"}})", kFormatUnknown);
    has(R"({"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[0]}],"scenes":[{"nodes":[0]}]})", kTree);
    has(R"({"asset":{"version":"2.0"},"nodes":[{"children":[0]}]})", kTree);
    has(R"({"asset":{"version":"2.0"},"nodes":[{"children":[2]},{"children":[2]},{}]})", kTree);
    has(R"({"asset":{"version":"2.0"},"nodes":[{"children":[7,-1,"x"]}]})", kUnknownName);
    has(R"({"asset":{"version":"2.0"},"nodes":[{"mesh":3,"camera":1}]})", kUnknownName);
    has(R"({"asset":{"version":"2.0"},"nodes":[{"rotation":[0,0,0,0]}]})", kNumber);
    has(R"({"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":4000000000,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":12}],"buffers":[{"byteLength":12}]})",
        kMeshInvalid);
    has(R"({"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":12}],"buffers":[{"byteLength":12,"uri":"../nowhere.bin"}]})",
        kMeshMissing);
    has(R"({"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[]}]})", kMeshInvalid);
    has(R"({"asset":{"version":"2.0"},"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":5}}}]})",
        kTextureMissing);
    has(R"({"asset":{"version":"2.0"},"extensionsRequired":["EXT_of_nobody"]})", kUnsupported);
    has(R"({"asset":{"version":"2.0"},"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"textures":[{"extensions":{"KHR_texture_basisu":{"source":0}}}],"images":[{"uri":"a.ktx2"}],"extensionsRequired":["KHR_texture_basisu"]})",
        kTextureMissing);
    Buffer    b;
    const int p = b.add({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3"), i = b.indices({0, 1, 9, 0, 1, 2});
    has(b.json(fmt::format("\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":{}"
                           "}},\"indices\":{}}}]}}]",
                           p, i)),
        kMeshInvalid);
}

TEST_CASE("glTF: a folder holds the layers and the pictures of the file")
{
    Buffer                b;
    const auto            mesh = triangle(b, ",\"material\":0");
    test::TemporaryFolder folder;
    const std::string     file = folder.write(
        "lamp.gltf",
        b.json(
            mesh +
            R"(,"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"textures":[{"source":0}],"images":[{"uri":"data:image/png;base64,)" +
            base64(kPng) + R"("}],"nodes":[{"name":"a","mesh":0},{"name":"b","mesh":0}])"));
    ReadRobot  read;
    const auto made = read_as_usd(file, Layout::layered, {}, read);
    REQUIRE(made);
    const std::string to    = (folder.path() / "out").string();
    const auto        names = write_folder(*made, to, to_json(read.losses));
    REQUIRE(names);
    for (const char* name :
         {"lamp.usda", "base.usda", "geometries.usdc", "materials.usda", "textures/picture.png", "conversion.json"})
        CHECK_MESSAGE(std::filesystem::exists(folder.path() / "out" / name), name);
    const auto stage = usd::Stage::open(to + "/lamp.usda");
    REQUIRE(stage);
    CHECK((*stage)->diagnostics().empty());
    CHECK((*stage)->prim_at(usd::Path("/lamp/b/tri")).attribute("points").get<std::vector<Vec3d>>()->size() == 3);
    const auto picture =
        (*stage)->prim_at(usd::Path("/lamp/Looks/material/base_color")).attribute("inputs:file").get<usd::AssetPath>();
    REQUIRE(picture);
    CHECK(std::filesystem::exists(picture->resolved));
}

TEST_CASE(
    "glTF: meshes of Draco and buffers of meshopt hold the points that were packed, or the finding names the package "
    "that is missing")
{
    // A tetrahedron with corners at 0, x, y and 2 z, packed by glTF-Transform 4.5 (14 bits a coordinate).
    const std::string draco =
        R"({"asset":{"version":"2.0"},"accessors":[{"type":"SCALAR","componentType":5123,"count":12},{"type":"VEC3","componentType":5126,"count":4,"max":[1,1,2],"min":[0,0,0]}],
        "bufferViews":[{"buffer":0,"byteLength":91}],"buffers":[{"byteLength":91,"uri":"data:application/octet-stream;base64,RFJBQ08CAgEBAAAABAQAAwAAAS8BARAB/wAAAQAJAwAAAgEBAQAPAwEQLwEwAwBQggQA/n8BAAD4/wGA////BwAAAAAAAP8/AAAAAAAAAAAAAAAAAAAAAABADg=="}],
        "meshes":[{"name":"tet","primitives":[{"attributes":{"POSITION":1},"indices":0,"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0}}}}]}],
        "nodes":[{"name":"n","mesh":0}],"scenes":[{"nodes":[0]}],"extensionsUsed":["KHR_draco_mesh_compression"],"extensionsRequired":["KHR_draco_mesh_compression"]})";
    const std::string meshopt =
        R"({"asset":{"version":"2.0"},"accessors":[{"type":"SCALAR","componentType":5123,"count":12,"bufferView":0},{"type":"VEC3","componentType":5122,"count":4,"normalized":true,"bufferView":1}],
        "bufferViews":[{"buffer":1,"byteLength":24,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteOffset":0,"byteLength":21,"mode":"TRIANGLES","byteStride":2,"count":12}}},
        {"buffer":1,"byteOffset":24,"byteLength":32,"byteStride":8,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteOffset":24,"byteLength":74,"mode":"ATTRIBUTES","byteStride":8,"count":4}}}],
        "buffers":[{"byteLength":100,"uri":"data:application/octet-stream;base64,4fAgEQIAdodWZ3iphmWJaJgBaQAAAAAAoAEPAAAACAcBDwAAAP3+ATwAAAAIBwE8AAAA/f4BAwAAAAMBAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/r/+vwGAAAAAAA=="},{"byteLength":56,"extensions":{"EXT_meshopt_compression":{"fallback":true}}}],
        "meshes":[{"name":"tet","primitives":[{"attributes":{"POSITION":1},"indices":0}]}],"nodes":[{"name":"n","translation":[0.5,0.5,1],"mesh":0}],"scenes":[{"nodes":[0]}],
        "extensionsUsed":["EXT_meshopt_compression","KHR_mesh_quantization"],"extensionsRequired":["EXT_meshopt_compression","KHR_mesh_quantization"]})";
    for (const auto& [json, package] : {std::pair{draco, "libdraco"}, std::pair{meshopt, "libmeshoptimizer"}}) {
        CAPTURE(package);
        auto broken = json;
        broken.replace(broken.find("base64,") + 7, 8, "AAAAAAAA");
        CHECK(opened(broken).found(kMeshInvalid));  // whatever is there to read it with
        const auto o = opened(json);
        if (o.found(kMeshInvalid)) {
            CHECK(o.read.found.begin()->message.find(package) != std::string::npos);
            continue;
        }
        CHECK(o.read.found.empty());
        const usd::Prim mesh   = o.at("/scene/n/tet");
        const auto      points = *mesh.attribute("points").get<std::vector<Vec3d>>();
        const auto      place  = usd::decompose(o.stage->local_matrix(o.at("/scene/n"))).translation;
        CHECK(mesh.attribute("faceVertexIndices").get<std::vector<int>>()->size() == 12);
        REQUIRE(points.size() == 4);
        for (const Vec3d& corner :
             {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0, 0, 1}, Vec3d{0, -2, 0}}) {  // y is up there
            double nearest = 1e9;
            for (const Vec3d& p : points) nearest = std::min(nearest, distance(p + place, corner));
            CHECK(nearest < 2e-4);
        }
    }
}

TEST_CASE("glTF: a skin becomes a skeleton whose joints lie parents first, and a mesh that names them in its own order")
{
    Buffer     b;
    const int  joints  = b.put(std::string("\0\0\0\0\1\0\0\0\0\1\0\0", 12), 3, 5121, "VEC4"),
               weights = b.add({1, 0, 0, 0, 1, 0, 0, 0, 0.25F, 0.25F, 0, 0}, "VEC4"),
               shift   = b.add({0, 0, 0.5F, 0, 0, 0, 0, 0, 0}, "VEC3");
    const int  p       = b.add({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3");
    const auto scene   = [&](const std::string& skin) {
        return opened(b.json(
            fmt::format(
                R"("meshes":[{{"name":"tri","weights":[0.5],"primitives":[{{"attributes":{{"POSITION":{},"JOINTS_0":{},"WEIGHTS_0":{}}},"targets":[{{"POSITION":{}}}]}}]}}],)",
                p, joints, weights, shift) +
            R"("nodes":[{"name":"top","translation":[0,2,0],"children":[1]},{"name":"low","translation":[0,1,0]},{"name":"skinned","mesh":0,"skin":0,"translation":[9,9,9]}],"scenes":[{"nodes":[0,2]}],"skins":[)" +
            skin + "]"));
    };
    const auto o = scene(R"({"name":"bones","joints":[1,0]})");
    for (const Diagnostic& d : o.read.found) CAPTURE(d.message);
    CHECK(o.read.found.empty());
    CHECK(o.at("/scene/bones").type_name().text() == "SkelRoot");
    const usd::Prim skeleton = o.at("/scene/bones/skeleton"), mesh = o.at("/scene/bones/tri");
    const auto      names = [](const usd::Prim& prim, const char* name) {
        std::string all;
        const auto  list = prim.attribute(name).get<std::vector<usd::Token>>().value_or(std::vector<usd::Token>());
        for (const usd::Token& t : list) all += t.text() + " ";
        return all;
    };
    CHECK(names(skeleton, "joints") == "top top/low ");
    CHECK(names(mesh, "skel:joints") == "top/low top ");
    const auto rest = *skeleton.attribute("restTransforms").get<std::vector<usd::Matrix4d>>();
    CHECK(distance(usd::transform_point(rest[0], {}), Vec3d{0, 0, 2}) < 1e-9);
    CHECK(distance(usd::transform_point(rest[1], {}), Vec3d{0, 0, 1}) < 1e-9);
    CHECK(*mesh.attribute("primvars:skel:jointIndices").get<std::vector<int>>() ==
          std::vector<int>{0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
    CHECK((*mesh.attribute("primvars:skel:jointWeights").get<std::vector<double>>())[8] ==
          close_to(0.5, 1e-6));  // they add up to one
    CHECK(mesh.attribute("primvars:skel:jointIndices").metadata("elementSize").get<int>().value_or(0) == 4);
    const usd::Prim shape = o.at("/scene/bones/tri/target_0");
    CHECK(distance((*shape.attribute("offsets").get<std::vector<Vec3d>>())[0], Vec3d{0, -0.5, 0}) < 1e-6);
    CHECK((*o.at("/scene/bones/skeleton/animation").attribute("blendShapeWeights").get<std::vector<double>>())[0] ==
          close_to(0.5, 1e-6));
    // The mesh stays as it was bound where its skin is not sound.
    for (const char* wrong : {R"({"joints":[]})", R"({"joints":[0,7]})", R"({"joints":[0,0]})",
                              R"({"joints":[0,1],"inverseBindMatrices":0})"}) {
        CAPTURE(wrong);
        const auto bad = scene(wrong);
        CHECK(bad.found(kMeshInvalid));
        CHECK(bad.lost("skin"));
    }
}
