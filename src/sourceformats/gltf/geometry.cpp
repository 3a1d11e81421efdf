// Meshes: their vertices, their forms, their instances.
//
// A mesh of glTF is several primitives; each has vertices and a material of its own. In USD it becomes one Mesh whose
// faces are parted by GeomSubsets, so vertices of all primitives are put one after the other (`base` is where one
// begins). Points and lines become Points and BasisCurves beside it.
#include <fmt/format.h>

#include <algorithm>

#include "mechane/sourceformats/codes.h"
#include "sourceformats/gltf/scene.h"

namespace mechane::sourceformats {

GltfScene::Data GltfScene::data_of(int m)
{
    Data        out;
    const Json& primitives = gltf_child(*d_.entry("meshes", m), "primitives");
    if (!primitives.is_array() || primitives.empty())
        return error(kMeshInvalid, fmt::format("{} has no primitives", called("meshes", m))), out;
    bool        normals = true, colors = false;
    std::size_t sets = 0;
    // Attributes that only some primitives have are filled up: a primvar must have a value for each vertex. Normals
    // are the exception: partly invented ones would shade wrongly, so they are dropped for the whole mesh.
    std::map<int, int> first;  // accessor of positions -> first vertex
    for (const Json& p : primitives) {
        const Json& attributes = gltf_child(p, "attributes");
        const auto  points     = d_.attribute(p, "POSITION", 3);
        if (!points) {
            if (d_.why_not().empty())
                error(kMeshInvalid, fmt::format("{}: POSITION is not a valid accessor", called("meshes", m)),
                      "Its accessor, view or buffer is missing, or its numbers lie outside of them.");
            else
                error(kMeshInvalid, fmt::format("{}: {}", called("meshes", m), d_.why_not()),
                      "Export the scene without this compression, or get what the message names.");
            continue;
        }
        const std::size_t n    = points->size() / 3;
        const int         base = static_cast<int>(out.points.size());
        // Indices of USD are 32-bit numbers; the bound lies far below their range.
        if (base + static_cast<double>(n) > 50e6)
            return error(kLimit, fmt::format("{} has more than 50 million points", called("meshes", m))), out;
        bool wrong = false;
        for (std::size_t i = 0; i < n; ++i) {
            Vec3d v{(*points)[3 * i], (*points)[3 * i + 1], (*points)[3 * i + 2]};
            if (!is_finite(v)) wrong = true, v = {};
            out.points.push_back(turned(v));
        }
        if (wrong) error(kMeshInvalid, fmt::format("{} has points that are not finite", called("meshes", m)));
        const auto part = [&](const char* name, std::size_t width) -> std::optional<std::vector<double>> {
            if (!attributes.is_object() || !attributes.contains(name)) return std::nullopt;
            auto v = d_.attribute(p, name, width);
            if (v && v->size() >= width * n) return v;
            error(kMeshInvalid, fmt::format("{}: {} is not a valid accessor, or does not have as many rows as POSITION",
                                            called("meshes", m), name));
            return std::nullopt;
        };
        const auto N = part("NORMAL", 3);
        normals      = normals && N;
        for (std::size_t i = 0; i < n; ++i)
            out.normals.push_back(
                N ? turned(normalized(Vec3d{(*N)[3 * i], (*N)[3 * i + 1], (*N)[3 * i + 2]}, {0, 0, 1}))
                  : Vec3d{0, 0, 1});
        // At most eight sets are read. USD's v runs upwards, glTF's downwards.
        for (std::size_t set = 0; set < 8; ++set) {
            const auto uv = part(fmt::format("TEXCOORD_{}", set).c_str(), 2);
            if (!uv) continue;
            sets = std::max(sets, set + 1);
            out.uvs.resize(std::max(out.uvs.size(), sets));
            out.uvs[set].resize(at(base));
            for (std::size_t i = 0; i < n; ++i) out.uvs[set].push_back({(*uv)[2 * i], 1 - (*uv)[2 * i + 1]});
        }
        for (auto& set : out.uvs) set.resize(out.points.size());
        const Json* color_accessor = d_.entry("accessors", gltf_number(attributes, "COLOR_0", -1));
        const bool  with_alpha     = color_accessor != nullptr && gltf_text(*color_accessor, "type") == "VEC4";
        if (const auto c = part("COLOR_0", with_alpha ? 4 : 3)) {
            colors              = true;
            const std::size_t w = with_alpha ? 4 : 3;
            out.colors.resize(at(base), Vec3d{1, 1, 1});
            out.opacities.resize(at(base), 1);
            for (std::size_t i = 0; i < n; ++i)
                out.colors.push_back({(*c)[w * i], (*c)[w * i + 1], (*c)[w * i + 2]}),
                    out.opacities.push_back(with_alpha ? (*c)[w * i + 3] : 1);
        }
        if (colors) out.colors.resize(out.points.size(), Vec3d{1, 1, 1}), out.opacities.resize(out.points.size(), 1);
        if (const std::string wrong_way =
                out.how.add(d_, *d_.entry("meshes", m), p, at(base), n, [this](const Vec3d& v) { return turned(v); });
            !wrong_way.empty())
            error(kMeshInvalid, fmt::format("{}: {}", called("meshes", m), wrong_way));
        const auto corners = d_.corners(p, n);
        if (!corners) {
            error(kMeshInvalid, fmt::format("{}: its indices are no sound accessor", called("meshes", m)));
            continue;
        }
        const std::vector<double>& order = *corners;
        const int                  mode  = static_cast<int>(gltf_number(p, "mode", 4));
        const auto                 good  = [&](std::size_t i) {
            return i < order.size() && order[i] >= 0 && order[i] < static_cast<double>(n);
        };
        // Modes of glTF: 0 points, 1 lines, 2 loop, 3 strip, 4 triangles, 5 strip, 6 fan.
        if (mode < 4) {
            std::vector<int> list;
            for (std::size_t i = 0; i < order.size(); ++i)
                if (good(i)) list.push_back(base + static_cast<int>(order[i]));
            out.lines.emplace_back(mode, std::move(list));
            continue;
        }
        std::vector<int> faces;
        std::size_t      bad  = 0;
        const auto       face = [&](std::size_t a, std::size_t b, std::size_t c) {
            if (!good(a) || !good(b) || !good(c)) return void(++bad);
            // A strip repeats a vertex to go on elsewhere. Such triangles have no area and are no error.
            if (order[a] == order[b] || order[b] == order[c] || order[a] == order[c]) return;  // strips have such seams
            faces.push_back(static_cast<int>(out.corners.size() / 3));
            for (const std::size_t k : {a, b, c}) out.corners.push_back(base + static_cast<int>(order[k]));
        };
        if (mode == 4)
            for (std::size_t i = 0; i + 2 < order.size(); i += 3) face(i, i + 1, i + 2);
        if (mode == 5)
            for (std::size_t i = 0; i + 2 < order.size(); ++i)
                // Every other triangle of a strip runs the other way; two of its corners are exchanged.
                i % 2 == 0 ? face(i, i + 1, i + 2) : face(i + 1, i, i + 2);
        if (mode == 6)
            for (std::size_t i = 1; i + 1 < order.size(); ++i) face(0, i, i + 1);
        if (mode > 6) error(kMeshInvalid, fmt::format("{}: {} is not a mode", called("meshes", m), mode));
        if (bad > 0)
            error(kMeshInvalid,
                  fmt::format("{}: {} triangles name points that do not exist", called("meshes", m), bad));
        if (!faces.empty()) out.parts.emplace_back(&p, std::move(faces));
    }
    if (!normals) out.normals.clear();
    out.how.finish(out.points.size());
    return out;
}

void GltfScene::form(int m, const Data& data, const std::string& path, Role role)
{
    sheet_.define(role, path, "Mesh", place_);
    // All faces are triangles by now.
    std::vector<int> counts(data.corners.size() / 3, 3);
    Vec3d            low = data.points.at(0), high = low;
    for (const Vec3d& p : data.points)
        for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    sheet_.set(role, path, "points", "point3f[]", data.points, place_);
    sheet_.set(role, path, "faceVertexCounts", "int[]", counts, place_);
    sheet_.set(role, path, "faceVertexIndices", "int[]", data.corners, place_);
    sheet_.set(role, path, "extent", "float3[]", std::vector<Vec3d>{low, high}, place_);
    sheet_.set(role, path, "subdivisionScheme", "token", std::string("none"), place_, true);
    const auto primvar = [&](const std::string& name, const char* type, const auto& values) {
        sheet_.set(role, path, "primvars:" + name, type, values, place_);
        sheet_.property_field(role, path, "primvars:" + name, "interpolation", "vertex");
    };
    if (!data.normals.empty()) primvar("normals", "normal3f[]", data.normals);
    for (std::size_t u = 0; u < data.uvs.size(); ++u)
        // Texture coordinates are called "st" as in UsdPreviewSurface's examples, further ones st1, st2.
        primvar(u == 0 ? "st" : fmt::format("st{}", u), "texCoord2f[]", data.uvs[u]);
    if (!data.colors.empty()) primvar("displayColor", "color3f[]", data.colors);
    // Opacity is written only where something is not opaque.
    if (std::any_of(data.opacities.begin(), data.opacities.end(), [](double v) { return v < 1; }))
        primvar("displayOpacity", "float[]", data.opacities);
    data.how.write(sheet_, role, path, place_);
    const Json& primitives = gltf_child(*d_.entry("meshes", m), "primitives");
    for (const Json& p : primitives)
        if (const int material = gltf_index(p, "material");
            // glTF has sides by material, USD by mesh: one material that is seen from both sides makes the mesh so.
            material >= 0 && at(material) < double_sided_.size() && double_sided_[at(material)]) {
            sheet_.set(role, path, "doubleSided", "bool", true, place_, true);
            break;
        }
    if (data.parts.size() > 1)
        for (std::size_t i = 0; i < data.parts.size(); ++i) {
            const std::string subset = fmt::format("{}/part_{}", path, i);
            sheet_.define(role, subset, "GeomSubset", place_);
            sheet_.set(role, subset, "elementType", "token", std::string("face"), place_, true);
            sheet_.set(role, subset, "familyName", "token", std::string("materialBind"), place_, true);
            sheet_.set(role, subset, "indices", "int[]", data.parts[i].second, place_);
        }
}

// A mesh that several nodes show is read once.
const GltfScene::Data& GltfScene::known_data(int m)
{
    auto [known, fresh] = data_.try_emplace(m);
    if (fresh) known->second = data_of(m);
    return known->second;
}

void GltfScene::deformed(int n, int m, int skin, const std::string& path)
{
    const GltfDeformation& how = known_data(m).how;
    std::string            root;
    // A skinned mesh stands below the skeleton that moves it, not below its node (rig.cpp).
    if (skin >= 0 && how.influences > 0) root = rig_.skin(skin, "/" + name_);
    if (skin >= 0 && root.empty())
        lose("skin", Severity::error, LossAction::dropped, "visual", called("nodes", n), "skin",
             "the mesh as it was bound", how.influences > 0 ? "the skin is not sound" : "its points name no joints");
    if (root.empty() && !how.targets.empty()) root = rig_.still(path);
    const std::string made = mesh(m, root.empty() ? path : root);
    if (!root.empty() && !made.empty()) rig_.bind(root, made, n, how);
}

std::string GltfScene::mesh(int m, const std::string& above)
{
    const Data&       data = known_data(m);
    const std::string said = gltf_text(*d_.entry("meshes", m), "name");
    lines(data, above, said);
    if (data.corners.empty()) return {};
    ++written_;
    const std::string path = above + "/" + below_[above].take(said, "mesh");
    // In a folder the form lies in the layer of geometries once, and each node has a payload of it.
    if (sheet_.single()) {
        form(m, data, path, Role::base);
    } else {
        std::string& prim = forms_[{m, false}];
        if (prim.empty()) {
            sheet_.define(Role::geometries, "/Geometries", "Scope", place_);
            prim = "/Geometries/" + form_names_.take(said, "mesh");
            form(m, data, prim, Role::geometries);
        }
        sheet_.define(Role::base, path, "", place_);
        sheet_.payload(path, prim);
    }
    const auto bind = [&](const std::string& to, const Json& primitive) {
        bound_.push_back({to, &primitive});
        const int material = gltf_index(primitive, "material");
        if (material < 0) return;
        if (at(material) >= looks_.size())
            return error(kUnknownName, fmt::format("{} has a material that does not exist", called("meshes", m)));
        sheet_.apply(Role::base, to, "MaterialBindingAPI");
        // What stands beside a variant set is stronger than its variants, so what they bind is told in them alone.
        if (!has_variants(primitive)) sheet_.target(Role::base, to, "material:binding", {looks_[at(material)]}, place_);
    };
    if (data.parts.size() == 1)
        bind(path, *data.parts[0].first);
    else
        for (std::size_t i = 0; i < data.parts.size(); ++i)
            bind(fmt::format("{}/part_{}", path, i), *data.parts[i].first);
    return path;
}

void GltfScene::lines(const Data& data, const std::string& above, const std::string& said)
{
    for (const auto& [mode, list] : data.lines) {
        if (list.empty()) continue;
        ++written_;
        std::vector<Vec3d> points;
        const std::string  path = above + "/" + below_[above].take(said, mode == 0 ? "points" : "lines");
        std::vector<int>   counts;
        const auto         at_vertex = [&](std::size_t i) { points.push_back(data.points[at(list[i])]); };
        if (mode == 1) {
            for (std::size_t i = 0; i + 1 < list.size(); i += 2) at_vertex(i), at_vertex(i + 1), counts.push_back(2);
        } else {
            for (std::size_t i = 0; i < list.size(); ++i) at_vertex(i);
            counts.push_back(static_cast<int>(list.size()));
        }
        sheet_.define(Role::base, path, mode == 0 ? "Points" : "BasisCurves", place_);
        sheet_.set(Role::base, path, "points", "point3f[]", points, place_);
        if (mode == 0) {
            // A width of 1 mm: USD draws neither points nor curves without one, and glTF gives none.
            sheet_.set(Role::base, path, "widths", "float[]", std::vector<double>{0.001}, place_);
            sheet_.property_field(Role::base, path, "widths", "interpolation", "constant");
        } else {
            sheet_.set(Role::base, path, "type", "token", std::string("linear"), place_, true);
            // A loop is a periodic curve.
            if (mode == 2) sheet_.set(Role::base, path, "wrap", "token", std::string("periodic"), place_, true);
            sheet_.set(Role::base, path, "curveVertexCounts", "int[]", counts, place_);
            sheet_.set(Role::base, path, "widths", "float[]", std::vector<double>{0.001}, place_);
            sheet_.property_field(Role::base, path, "widths", "interpolation", "constant");
        }
        Vec3d low = points.at(0), high = low;
        for (const Vec3d& p : points)
            for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
        sheet_.set(Role::base, path, "extent", "float3[]", std::vector<Vec3d>{low, high}, place_);
    }
}

// EXT_mesh_gpu_instancing: accessors of translations, rotations and scales, all of one length.
void GltfScene::instancer(int n, int m, const Json& extension, const std::string& above)
{
    const Json& attributes = gltf_child(extension, "attributes");
    const auto  list       = [&](const char* name, std::size_t width) {
        return attributes.is_object() && attributes.contains(name) ? d_.accessor(gltf_index(attributes, name), width)
                                                                   : std::nullopt;
    };
    const auto        t = list("TRANSLATION", 3), q = list("ROTATION", 4), s = list("SCALE", 3);
    const std::size_t count = t ? t->size() / 3 : q ? q->size() / 4 : s ? s->size() / 3 : 0;
    if (count == 0 || (t && t->size() / 3 != count) || (q && q->size() / 4 != count) || (s && s->size() / 3 != count))
        return error(kMeshInvalid,
                     fmt::format("{}: the accessors of its instances are not sound, or have different lengths",
                                 called("nodes", n)));
    const std::string path = above + "/" + below_[above].take("instances", "instances");
    sheet_.define(Role::base, path, "PointInstancer", place_);
    const std::string prototype = mesh(m, path);
    if (prototype.empty()) return;
    std::vector<Vec3d> positions, scales;
    std::vector<Quatd> turns;
    for (std::size_t i = 0; i < count; ++i) {
        Pose p;
        if (t) p.t = {(*t)[3 * i], (*t)[3 * i + 1], (*t)[3 * i + 2]};
        if (q) p.q = normalized(Quatd{(*q)[4 * i], (*q)[4 * i + 1], (*q)[4 * i + 2], (*q)[4 * i + 3]});
        if (s) p.s = {(*s)[3 * i], (*s)[3 * i + 1], (*s)[3 * i + 2]};
        p = turned(p);
        positions.push_back(is_finite(p.t) ? p.t : Vec3d{}), turns.push_back(p.q),
            scales.push_back(is_finite(p.s) ? p.s : Vec3d{1, 1, 1});
    }
    sheet_.set(Role::base, path, "positions", "point3f[]", positions, place_);
    // `orientationsf` is the array in single precision; the older `orientations` has halves.
    sheet_.set(Role::base, path, "orientationsf", "quatf[]", turns, place_);
    if (s) sheet_.set(Role::base, path, "scales", "float3[]", scales, place_);
    sheet_.set(Role::base, path, "protoIndices", "int[]", std::vector<int>(count, 0), place_);
    sheet_.target(Role::base, path, "prototypes", {prototype}, place_);
}

}  // namespace mechane::sourceformats
