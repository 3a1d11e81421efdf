// Meshes as bytes for caches, in the byte order of the machine. Reading checks every index: a damaged file is a miss.

#include "geometry/mesh_bytes.h"

#include "mechane/core/bytes.h"

namespace mechane::geometry {

std::vector<std::byte> to_bytes(std::span<const Mesh> meshes)
{
    ByteWriter out;
    out.put(static_cast<std::uint32_t>(meshes.size()));
    for (const Mesh& mesh : meshes) {
        out.put(mesh.points);
        out.put(mesh.triangles);
        out.put(static_cast<std::uint8_t>(mesh.is_convex));
    }
    return out.bytes();
}

std::optional<std::vector<Mesh>> meshes_from_bytes(std::span<const std::byte> bytes)
{
    ByteReader        in(bytes);
    std::vector<Mesh> out;
    const auto        count = in.take<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && in.good(); ++i) {
        Mesh mesh;
        in.get(mesh.points);
        in.get(mesh.triangles);
        mesh.is_convex = in.take<std::uint8_t>() != 0;
        if (!has_valid_indices(mesh)) return std::nullopt;
        out.push_back(std::move(mesh));
    }
    if (!in.done()) return std::nullopt;
    return out;
}

}  // namespace mechane::geometry
