// glTF 2.0 and GLB: triangles of the default scene's meshes with the transforms of their nodes, base colours. Points
// stay as the file has them: what shows robots of URDF does not turn them either. Skins, morphs and animations are not
// read.
//
// This is the reader for meshes that a robot's file names. Scenes that are converted as such are read by
// gltf/scene.cpp.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "mechane/files/uri.h"
#include "mechane/math/pose.h"
#include "sourceformats/meshes/gltf_document.h"
#include "sourceformats/meshes/scene.h"

namespace mechane::sourceformats {
namespace {

using Json = nlohmann::json;

class GltfMeshReader {
  public:
    GltfMeshReader(GltfDocument& document, MeshData& data) : file_(document), json_(document.json()), data_(data) {}

    std::string run()
    {
        // Faces name materials by index, so all are read, used or not.
        if (const auto at = json_.find("materials"); at != json_.end() && at->is_array())
            for (const Json& m : *at) material(m);
        const Json* scene = file_.entry("scenes", gltf_number(json_, "scene", 0));
        if (scene != nullptr) {
            for (const double n : gltf_numbers(*scene, "nodes")) node(n, {}, 0);
        } else if (const auto at = json_.find("meshes"); at != json_.end() && at->is_array()) {
            for (std::size_t i = 0; i < at->size(); ++i) mesh(static_cast<double>(i), {});
        }
        if (!all_normals_) data_.normals.clear();
        if (!all_uvs_) data_.uvs.clear();
        return wrong_;
    }

  private:
    GltfDocument& file_;
    const Json&   json_;
    MeshData&     data_;
    bool          all_normals_ = true, all_uvs_ = true;
    int           nodes_ = 0;
    std::string   wrong_;

    void material(const Json& m)
    {
        MeshMaterial made;
        made.name = gltf_text(m, "name");
        made.rgba = {1, 1, 1, 1};
        if (m.is_object() && m.contains("pbrMetallicRoughness")) {
            const Json& pbr   = m["pbrMetallicRoughness"];
            const auto  color = gltf_numbers(pbr, "baseColorFactor");
            for (std::size_t i = 0; i < 4 && i < color.size(); ++i) made.rgba[i] = color[i];
            made.metallic  = gltf_number(pbr, "metallicFactor", 1);
            made.roughness = gltf_number(pbr, "roughnessFactor", 1);
            if (pbr.is_object() && pbr.contains("baseColorTexture"))
                if (const Json* t = file_.entry("textures", gltf_number(pbr["baseColorTexture"], "index", -1)))
                    if (const Json* image = file_.entry("images", gltf_number(*t, "source", -1)))
                        // Pictures within the file have no address that a robot's material could name.
                        if (std::string uri = gltf_text(*image, "uri"); !uri.starts_with("data:"))
                            made.texture = files::path_of_uri(uri);
        }
        data_.materials.push_back(std::move(made));
    }

    void node(double index, const Affine& above, int depth)
    {
        const Json* n = file_.entry("nodes", index);
        // A million nodes: instances multiply, and a forged file could name itself in each of its nodes.
        if (n == nullptr || depth > kMostSceneDepth || ++nodes_ > 1'000'000) return;
        Affine at;
        if (const auto m = gltf_numbers(*n, "matrix"); m.size() == 16) {  // column by column
            at.A = {{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}};
            at.t = {m[12], m[13], m[14]};
        } else {
            if (const auto t = gltf_numbers(*n, "translation"); t.size() == 3) at.t = {t[0], t[1], t[2]};
            // Translation, rotation, scale: T R S for column vectors.
            if (const auto q = gltf_numbers(*n, "rotation"); q.size() == 4)
                at.A = to_matrix(normalized(Quatd{q[0], q[1], q[2], q[3]}));
            if (const auto s = gltf_numbers(*n, "scale"); s.size() == 3)
                at.A = at.A * Mat33d::diagonal({s[0], s[1], s[2]});
        }
        at = above * at;
        mesh(gltf_number(*n, "mesh", -1), at);
        for (const double child : gltf_numbers(*n, "children")) node(child, at, depth + 1);
    }

    void mesh(double index, const Affine& at)
    {
        const Json* m = file_.entry("meshes", index);
        if (m == nullptr || !m->is_object() || !m->contains("primitives") || !(*m)["primitives"].is_array()) return;
        for (const Json& p : (*m)["primitives"]) primitive(p, at);
    }

    void primitive(const Json& p, const Affine& at)
    {
        if (!p.is_object() || !p.contains("attributes") || !wrong_.empty()) return;
        const int mode = static_cast<int>(gltf_number(p, "mode", 4));
        if (mode < 4 || mode > 6) return;  // points and lines are no surface
        const auto points = file_.attribute(p, "POSITION", 3);
        if (!points)
            return void(wrong_ = file_.why_not().empty() ? "a primitive has no readable POSITION" : file_.why_not());
        const auto        normals = file_.attribute(p, "NORMAL", 3);
        const auto        uvs     = file_.attribute(p, "TEXCOORD_0", 2);
        const std::size_t count = points->size() / 3, base = data_.points.size();
        if (base + count > kMostSceneCorners) return void(wrong_ = "the scene repeats its geometry too often");
        for (std::size_t i = 0; i < count; ++i)
            data_.points.push_back(at.A * Vec3d{(*points)[3 * i], (*points)[3 * i + 1], (*points)[3 * i + 2]} + at.t);
        const auto indices = file_.corners(p, count);
        if (!indices) return void(wrong_ = "a primitive has no readable indices");
        const std::vector<double>& order = *indices;
        if (data_.corners.size() + 3 * order.size() > kMostSceneCorners)
            return void(wrong_ = "the scene repeats its geometry too often");
        const bool mirrored = determinant(at.A) < 0;
        // As in COLLADA: inverse transpose, with the sign of a mirror.
        const Mat33d turn   = (mirrored ? -1.0 : 1.0) * transpose(inverse(at.A));
        const double look   = gltf_number(p, "material", -1);
        const auto   corner = [&](double v) {
            const std::size_t i = v >= 0 && v < static_cast<double>(count) ? static_cast<std::size_t>(v) : count;
            data_.corners.push_back(i < count ? static_cast<int>(base + i) : -1);
            const bool has_n = normals && 3 * i + 2 < normals->size(), has_uv = uvs && 2 * i + 1 < uvs->size();
            all_normals_ = all_normals_ && has_n;
            all_uvs_     = all_uvs_ && has_uv;
            data_.normals.push_back(
                has_n ? turn * Vec3d{(*normals)[3 * i], (*normals)[3 * i + 1], (*normals)[3 * i + 2]} : Vec3d{});
            // v runs downwards in glTF and upwards in USD.
            data_.uvs.push_back(has_uv ? Vec2d{(*uvs)[2 * i], 1 - (*uvs)[2 * i + 1]} : Vec2d{});
        };
        const auto face = [&](std::size_t a, std::size_t b, std::size_t c) {
            if (mirrored) std::swap(b, c);
            corner(order[a]), corner(order[b]), corner(order[c]);
            data_.counts.push_back(3);
            data_.face_materials.push_back(
                look >= 0 && look < static_cast<double>(data_.materials.size()) ? static_cast<int>(look) : -1);
        };
        if (mode == 4)
            for (std::size_t i = 0; i + 2 < order.size(); i += 3) face(i, i + 1, i + 2);
        if (mode == 5)
            for (std::size_t i = 0; i + 2 < order.size(); ++i)
                i % 2 == 0 ? face(i, i + 1, i + 2) : face(i + 1, i, i + 2);
        if (mode == 6)
            for (std::size_t i = 1; i + 1 < order.size(); ++i) face(0, i, i + 1);
    }
};

}  // namespace

std::string parse_gltf(std::string_view bytes, const Beside& beside, MeshData& data)
{
    GltfDocument document;
    if (std::string wrong = document.open(bytes, beside); !wrong.empty()) return wrong;
    return GltfMeshReader(document, data).run();
}

}  // namespace mechane::sourceformats
