// What all readers of meshes share: the choice by suffix, and a last look that only sound faces pass. Readers push
// what the file says and need not check corners; whatever is built on a mesh may rely on valid indices and finite
// numbers.
#include "sourceformats/meshes/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "mechane/core/hash.h"

namespace mechane::sourceformats {
namespace {

/// Leaves out faces that a mesh cannot have.
std::string keep_sound_faces(MeshData& data)
{
    const int  points  = static_cast<int>(data.points.size());
    const bool normals = data.normals.size() == data.corners.size(), uvs = data.uvs.size() == data.corners.size();
    const bool materials = data.face_materials.size() == data.counts.size();
    // Whichever lists are complete are carried along with the faces.
    MeshData    out;
    std::size_t at = 0, left_out = 0;
    for (std::size_t f = 0; f < data.counts.size(); ++f) {
        const auto count = static_cast<std::size_t>(data.counts[f]);
        const auto begin = at;
        at += count;
        // At least three corners, all of them points that exist and are finite; a triangle has three different ones.
        bool sound = count >= 3 && at <= data.corners.size();
        for (std::size_t c = begin; sound && c < at; ++c)
            sound = data.corners[c] >= 0 && data.corners[c] < points &&
                    is_finite(data.points[static_cast<std::size_t>(data.corners[c])]);
        if (sound && count == 3)
            sound = data.corners[begin] != data.corners[begin + 1] &&
                    data.corners[begin + 1] != data.corners[begin + 2] &&
                    data.corners[begin] != data.corners[begin + 2];
        if (!sound) {
            ++left_out;
            continue;
        }
        out.counts.push_back(data.counts[f]);
        if (materials) out.face_materials.push_back(data.face_materials[f]);
        for (std::size_t c = begin; c < at; ++c) {
            out.corners.push_back(data.corners[c]);
            if (normals) out.normals.push_back(data.normals[c]);
            if (uvs) out.uvs.push_back(data.uvs[c]);
        }
    }
    if (left_out > 0 ||
        std::any_of(data.points.begin(), data.points.end(), [](const Vec3d& p) { return !is_finite(p); })) {
        // Points that no face has left go too: nobody can say where they are.
        std::vector<int> place(data.points.size(), -1);
        for (int& c : out.corners) {
            int& to = place[static_cast<std::size_t>(c)];
            if (to < 0)
                to = static_cast<int>(out.points.size()),
                out.points.push_back(data.points[static_cast<std::size_t>(c)]);
            c = to;
        }
    } else {
        out.points = std::move(data.points);
    }
    // Normals are made unit vectors; what has no direction points up.
    for (Vec3d& n : out.normals) n = is_finite(n) ? normalized(n, {0, 0, 1}) : Vec3d{0, 0, 1};
    for (Vec2d& uv : out.uvs)
        if (!std::isfinite(uv.x) || !std::isfinite(uv.y)) uv = {};
    out.materials = std::move(data.materials);
    for (MeshMaterial& m : out.materials)
        // Colours are shares.
        for (double& c : m.rgba) c = std::isfinite(c) ? std::clamp(c, 0.0, 1.0) : 1;
    data = std::move(out);
    return left_out == 0 ? std::string() : fmt::format("{} faces without three sound corners were left out", left_out);
}

}  // namespace

bool is_mesh_suffix(std::string_view suffix)
{
    for (const std::string_view known : {".stl", ".obj", ".dae", ".ply", ".gltf", ".glb", ".msh"})
        if (suffix == known) return true;
    return false;
}

/// STL has no shared points: each triangle brings its own three. Equal bits are one point; -0 and 0 are made equal.
void weld_equal_points(MeshData& data)
{
    struct Bits {
        std::size_t operator()(const Vec3d& p) const
        {
            std::uint64_t h = 0;
            // A multiplicative hash of the three bit patterns (Knuth's golden ratio). Order of the result does not
            // depend on it: points keep the order of their first use.
            for (const double v : {p.x + 0.0, p.y + 0.0, p.z + 0.0}) {
                std::uint64_t bits = 0;
                __builtin_memcpy(&bits, &v, sizeof bits);
                h = (h ^ bits) * 0x9E3779B97F4A7C15ull;
                h ^= h >> 29;
            }
            return h;
        }
    };
    std::unordered_map<Vec3d, int, Bits> places;
    std::vector<int>                     to(data.points.size());
    std::vector<Vec3d>                   points;
    for (std::size_t i = 0; i < data.points.size(); ++i) {
        const auto [at, fresh] = places.try_emplace(data.points[i], static_cast<int>(points.size()));
        if (fresh) points.push_back(data.points[i]);
        to[i] = at->second;
    }
    for (int& c : data.corners)
        if (c >= 0 && static_cast<std::size_t>(c) < to.size()) c = to[static_cast<std::size_t>(c)];
    data.points = std::move(points);
}

MeshRead parse_mesh(std::string_view bytes, const std::string& suffix, const Beside& beside)
{
    MeshRead out;
    if (suffix == ".stl")
        out.error = parse_stl(bytes, out.data);
    else if (suffix == ".obj")
        out.error = parse_obj(bytes, beside, out.data);
    else if (suffix == ".ply")
        out.error = parse_ply(bytes, out.data);
    else if (suffix == ".dae")
        out.error = parse_dae(bytes, out.data);
    else if (suffix == ".gltf" || suffix == ".glb")
        out.error = parse_gltf(bytes, beside, out.data);
    else if (suffix == ".msh")
        out.error = parse_msh(bytes, out.data);
    else
        out.error = fmt::format("'{}' is none of .stl .obj .dae .ply .gltf .glb .msh", suffix);
    if (!out.error.empty()) return out;
    out.note = keep_sound_faces(out.data);
    if (out.data.counts.empty()) out.error = "the file holds no face";
    return out;
}

}  // namespace mechane::sourceformats
