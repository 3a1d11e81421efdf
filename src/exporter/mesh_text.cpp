// Meshes as text and bytes of other formats: binary STL, OBJ with normals and texture coordinates, and its materials.
// Numbers are single precision, written with the fewest digits that read back as the same value.

#include "exporter/mesh_text.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>

namespace mechane::exporter {
namespace {

void put(std::string& out, float v)
{
    static_assert(std::endian::native == std::endian::little, "STL is little-endian");
    char bytes[4];
    std::memcpy(bytes, &v, 4);
    out.append(bytes, 4);
}
void put(std::string& out, const Vec3d& v)
{
    for (std::size_t i = 0; i < 3; ++i) put(out, static_cast<float>(v[i]));
}

}  // namespace

std::string stl_text(const geometry::Mesh& mesh)
{
    // 80 bytes of header are nothing to readers.
    std::string out(80, '\0');
    const auto  count = static_cast<std::uint32_t>(mesh.triangles.size());
    out.append(reinterpret_cast<const char*>(&count), 4);
    out.reserve(84 + 50 * mesh.triangles.size());
    for (const auto& t : mesh.triangles) {
        const Vec3d a = mesh.points[static_cast<std::size_t>(t[0])], b = mesh.points[static_cast<std::size_t>(t[1])],
                    c = mesh.points[static_cast<std::size_t>(t[2])];
        // The normal of a triangle without area is zero, which readers compute anew.
        put(out, normalized(cross(b - a, c - a), {0, 0, 0}));
        put(out, a), put(out, b), put(out, c);
        out.append(2, '\0');
    }
    return out;
}

std::string obj_text(const sourceformats::MeshAsset& mesh, const Vec3d& by, const std::vector<int>& faces,
                     const std::string& library, const std::vector<std::string>& material_names,
                     const std::string& otherwise)
{
    std::string out;
    if (!library.empty()) out += "mtllib " + library + "\n";
    std::vector<std::size_t> begin(mesh.counts.size() + 1, 0);
    for (std::size_t f = 0; f < mesh.counts.size(); ++f)
        begin[f + 1] = begin[f] + static_cast<std::size_t>(mesh.counts[f]);
    std::vector<int> all = faces;
    if (all.empty())
        for (std::size_t f = 0; f < mesh.counts.size(); ++f) all.push_back(static_cast<int>(f));
    // A subset of faces uses some points only; these are numbered in the order of use.
    std::vector<int> number(mesh.points.size(), 0);  // points that are used, numbered from one
    int              used = 0;
    for (const int f : all)
        for (std::size_t c = begin[static_cast<std::size_t>(f)]; c < begin[static_cast<std::size_t>(f) + 1]; ++c) {
            const auto p = static_cast<std::size_t>(mesh.corners[c]);
            if (number[p] != 0) continue;
            number[p]     = ++used;
            const Vec3d v = scale(mesh.points[p], by);
            fmt::format_to(std::back_inserter(out), "v {} {} {}\n", static_cast<float>(v.x), static_cast<float>(v.y),
                           static_cast<float>(v.z));
        }
    // A mirroring scale turns faces inside out; their corners are written backwards.
    const bool uv = !mesh.uvs.empty(), normal = !mesh.normals.empty(), mirrored = by.x * by.y * by.z < 0;
    std::map<std::pair<double, double>, int> uvs;
    std::map<std::array<double, 3>, int>     normals;
    // usemtl holds until the next: faces are gathered by material.
    std::map<int, std::vector<int>> by_material;
    std::vector<int>                material(mesh.counts.size(), -1);
    for (const sourceformats::MeshSubset& s : mesh.subsets)
        for (const int f : s.faces) material[static_cast<std::size_t>(f)] = s.material;
    for (const int f : all) by_material[library.empty() ? -1 : material[static_cast<std::size_t>(f)]].push_back(f);
    std::string face_lines;
    for (const auto& [m, list] : by_material) {
        if (!library.empty()) {
            const std::string name = m >= 0 ? material_names[static_cast<std::size_t>(m)] : otherwise;
            if (!name.empty()) face_lines += "usemtl " + name + "\n";
        }
        for (const int f : list) {
            const std::size_t first = begin[static_cast<std::size_t>(f)],
                              n     = begin[static_cast<std::size_t>(f) + 1] - first;
            face_lines += "f";
            for (std::size_t k = 0; k < n; ++k) {
                const std::size_t c = first + (mirrored ? n - 1 - k : k);
                face_lines += fmt::format(" {}", number[static_cast<std::size_t>(mesh.corners[c])]);
                if (uv) {
                    // Equal coordinates are one entry, since most corners of a vertex share theirs.
                    const auto [slot, fresh] =
                        uvs.try_emplace({mesh.uvs[c].x, mesh.uvs[c].y}, static_cast<int>(uvs.size()) + 1);
                    if (fresh)
                        fmt::format_to(std::back_inserter(out), "vt {} {}\n", static_cast<float>(mesh.uvs[c].x),
                                       static_cast<float>(mesh.uvs[c].y));
                    face_lines += fmt::format("/{}", slot->second);
                }
                if (normal) {
                    const Vec3d& d = mesh.normals[c];
                    // Normals go with the inverse of the scale.
                    const Vec3d v = normalized(Vec3d{d.x / by.x, d.y / by.y, d.z / by.z}, {0, 0, 1});
                    const auto [slot, fresh] =
                        normals.try_emplace({v.x, v.y, v.z}, static_cast<int>(normals.size()) + 1);
                    if (fresh)
                        fmt::format_to(std::back_inserter(out), "vn {} {} {}\n", static_cast<float>(v.x),
                                       static_cast<float>(v.y), static_cast<float>(v.z));
                    face_lines += fmt::format("{}{}", uv ? "/" : "//", slot->second);
                }
            }
            face_lines += "\n";
        }
    }
    return out + face_lines;
}

std::string mtl_text(const std::vector<sourceformats::Material>& materials, const std::vector<std::string>& names,
                     const std::vector<std::string>& textures)
{
    std::string out;
    for (std::size_t m = 0; m < materials.size(); ++m) {
        const sourceformats::Material& one = materials[m];
        // Pr and Pm are the common extension for roughness and metalness.
        out += fmt::format("newmtl {}\nKd {} {} {}\nKe {} {} {}\nd {}\nPr {}\nPm {}\n", names[m], one.rgba[0],
                           one.rgba[1], one.rgba[2], one.emission[0], one.emission[1], one.emission[2], one.rgba[3],
                           one.roughness, one.metallic);
        if (!textures[m].empty()) out += "map_Kd " + textures[m] + "\n";
    }
    return out;
}

}  // namespace mechane::exporter
