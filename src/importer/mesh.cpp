// Meshes of prims as triangles, read once a prim and shared by content: instances of one mesh have one pointer, which
// later caches of hulls and bounds look for.

#include "mesh.h"

#include <fmt/format.h>

#include "mechane/core/hash.h"
#include "mechane/importer/codes.h"
#include "mechane/resolve/mesh_source.h"

namespace mechane::importer {

std::optional<geometry::Triangulation> MeshReader::triangulated(const usd::Prim& prim, Diagnostics& found) const
{
    for (const char* needed : {"points", "faceVertexCounts", "faceVertexIndices"}) {
        const usd::Attribute attribute = prim.attribute(needed);
        if (attribute.authored()) continue;
        found.add(codes::kMeshData, attribute.site(), fmt::format("{} has no {}", prim.path().text(), needed));
        return std::nullopt;
    }
    geometry::Triangulation triangles = resolve::read_polygons(prim, plain_fan_, found);
    if (!triangles.mesh.triangles.empty()) return triangles;
    found.add(codes::kMeshData, prim.attribute("faceVertexIndices").site(),
              fmt::format("{} has no usable face", prim.path().text()));
    return std::nullopt;
}

const MeshData* MeshReader::read(const usd::Prim& prim, Diagnostics& found)
{
    const auto [place, fresh]     = by_path_.try_emplace(prim.path());
    std::optional<MeshData>& slot = place->second;
    if (fresh)
        if (auto triangles = triangulated(prim, found))
            slot = MeshData{shared(std::move(triangles->mesh)), std::move(triangles->triangle_to_face),
                            triangles->face_count};
    return slot ? &*slot : nullptr;
}

void MeshReader::read_all(const std::vector<usd::Prim>& prims, const tasks::Pool& pool, Diagnostics& found)
{
    struct Read {
        std::optional<geometry::Triangulation> triangles;
        Diagnostics                            found;
    };
    std::vector<Read> all(prims.size());
    // Triangulation is independent; sharing goes on in order, so pointers and findings are those of a single thread.
    pool.for_each(prims.size(), 1, [&](std::size_t i) { all[i].triangles = triangulated(prims[i], all[i].found); });
    for (std::size_t i = 0; i < prims.size(); ++i) {
        const auto [place, fresh] = by_path_.try_emplace(prims[i].path());
        if (!fresh) continue;
        found.append(all[i].found);
        if (auto& triangles = all[i].triangles)
            place->second = MeshData{shared(std::move(triangles->mesh)), std::move(triangles->triangle_to_face),
                                     triangles->face_count};
    }
}

std::shared_ptr<const geometry::Mesh> MeshReader::shared(geometry::Mesh mesh)
{
    const std::uint64_t key =
        hash_combine(hash_bytes(mesh.points.data(), mesh.points.size() * sizeof(Vec3d)),
                     hash_bytes(mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0])));
    const auto [from, to] = by_content_.equal_range(key);
    for (auto it = from; it != to; ++it)
        // Hashes may collide: contents are compared.
        if (it->second->points == mesh.points && it->second->triangles == mesh.triangles) return it->second;
    return by_content_.emplace(key, std::make_shared<const geometry::Mesh>(std::move(mesh)))->second;
}

std::shared_ptr<const geometry::Mesh> MeshReader::part_of(const MeshData& data, const std::vector<bool>& faces)
{
    auto                      part = std::make_shared<geometry::Mesh>();
    // Only the points that the part uses, in their order.
    std::vector<std::int32_t> renamed(data.mesh->points.size(), -1);
    for (std::size_t t = 0; t < data.mesh->triangles.size(); ++t) {
        if (!faces[static_cast<std::size_t>(data.triangle_face[t])]) continue;
        for (const std::int32_t v : data.mesh->triangles[t]) renamed[static_cast<std::size_t>(v)] = 0;
    }
    for (std::size_t v = 0; v < renamed.size(); ++v) {
        if (renamed[v] < 0) continue;
        renamed[v] = static_cast<std::int32_t>(part->points.size());
        part->points.push_back(data.mesh->points[v]);
    }
    for (std::size_t t = 0; t < data.mesh->triangles.size(); ++t) {
        if (!faces[static_cast<std::size_t>(data.triangle_face[t])]) continue;
        const auto& old = data.mesh->triangles[t];
        part->triangles.push_back({renamed[static_cast<std::size_t>(old[0])], renamed[static_cast<std::size_t>(old[1])],
                                   renamed[static_cast<std::size_t>(old[2])]});
    }
    return part;
}

}  // namespace mechane::importer
