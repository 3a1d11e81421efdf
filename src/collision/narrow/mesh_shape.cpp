// Prepares a mesh for the narrow phase: welded points, triangles without slivers, normals, neighbours, folds, bounding
// volume tree, and the hull where the mesh is convex. In the body's frame after scaling [m]; done once per mesh and
// scale.
// Invariant: a closed mesh is wound outwards afterwards, whatever the source or a mirrored scale did.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "mechane/collision/shape.h"

namespace mechane::collision {

namespace {

/// Joins points at exactly the same place: exporters split vertices at seams, and a seam must not look like a boundary.
std::vector<std::int32_t> weld(std::vector<Vec3d>& points)
{
    std::vector<std::int32_t> order(points.size()), target(points.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::int32_t i) {
        const Vec3d& p = points[static_cast<std::size_t>(i)];
        return std::array<double, 3>{p.x, p.y, p.z};
    };
    std::sort(order.begin(), order.end(),
              [&](std::int32_t a, std::int32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool same                            = i > 0 && key(order[i]) == key(order[i - 1]);
        target[static_cast<std::size_t>(order[i])] = same ? target[static_cast<std::size_t>(order[i - 1])] : order[i];
    }
    return target;
}

/// `fold` is the signed bend over an edge [rad]: positive where the surface is convex, zero for coplanar triangles. An
/// edge that more or less than two triangles share is a boundary, and the mesh is open.
void connect(MeshShape& mesh)
{
    struct Side {
        std::uint64_t edge;  ///< its two points, in the order of the triangle
        std::int32_t  triangle;
    };
    const auto edge_of = [](std::int32_t from, std::int32_t to) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 | static_cast<std::uint32_t>(to);
    };
    std::vector<Side> sides;
    sides.reserve(3 * mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t e = 0; e < 3; ++e)
            sides.push_back(
                {edge_of(mesh.triangles[t][e], mesh.triangles[t][(e + 1) % 3]), static_cast<std::int32_t>(t)});
    std::ranges::sort(sides, {}, &Side::edge);
    /// The triangle on that side of an edge; -1 where there is none or more than one.
    const auto only_one = [&](std::uint64_t edge) {
        const auto found = std::ranges::equal_range(sides, edge, {}, &Side::edge);
        return found.size() == 1 ? found.front().triangle : -1;
    };
    mesh.closed = !mesh.triangles.empty();
    mesh.neighbours.assign(mesh.triangles.size(), {-1, -1, -1});
    mesh.fold.assign(mesh.triangles.size(), {});
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        // The neighbour is the triangle with the reversed edge. Both directions must be unique, or the surface is not a
        // manifold there.
        for (std::size_t e = 0; e < 3; ++e) {
            const std::int32_t from = mesh.triangles[t][e], to = mesh.triangles[t][(e + 1) % 3];
            const std::int32_t twin = only_one(edge_of(to, from));
            if (twin < 0 || only_one(edge_of(from, to)) < 0) {
                mesh.closed = false;
                continue;
            }
            const auto k          = static_cast<std::size_t>(twin);
            mesh.neighbours[t][e] = twin;
            const Vec3d edge =
                normalized(mesh.points[static_cast<std::size_t>(to)] - mesh.points[static_cast<std::size_t>(from)]);
            mesh.fold[t][e] =
                // Angle about the edge from one normal to the other: stable for all angles, unlike the arc cosine.
                std::atan2(dot(edge, cross(mesh.normals[t], mesh.normals[k])), dot(mesh.normals[t], mesh.normals[k]));
        }
}

/// Whether all triangles hang together. Two solids, each convex, are not a convex one.
bool is_one_piece(const MeshShape& mesh)
{
    std::vector<bool>         seen(mesh.triangles.size(), false);
    std::vector<std::int32_t> open(mesh.triangles.empty() ? 0 : 1, 0);
    std::size_t               count = open.size();
    if (count > 0) seen[0] = true;
    while (!open.empty()) {
        const auto t = static_cast<std::size_t>(open.back());
        open.pop_back();
        for (const std::int32_t k : mesh.neighbours[t]) {
            if (k < 0 || seen[static_cast<std::size_t>(k)]) continue;
            seen[static_cast<std::size_t>(k)] = true;
            open.push_back(k), ++count;
        }
    }
    return count == mesh.triangles.size();
}

}  // namespace

MeshShape make_mesh_shape(const geometry::Mesh& source, const Vec3d& factors, bool with_hull, double floor)
{
    MeshShape mesh;
    mesh.floor = floor;
    for (const Vec3d& p : source.points) mesh.points.push_back(scale(p, factors));
    const auto target = weld(mesh.points);
    const bool mirror = factors.x * factors.y * factors.z < 0;
    // Square of the mesh's extent: |c| is twice an area, so the limit on slivers is relative.
    double     volume = 0, extent = 0;
    for (const Vec3d& p : mesh.points) extent = std::max(extent, length_squared(p - mesh.points.front()));
    for (const auto& t : source.triangles) {
        std::array<std::int32_t, 3> v{};
        for (std::size_t i = 0; i < 3; ++i) v[i] = target[static_cast<std::size_t>(t[i])];
        if (mirror) std::swap(v[1], v[2]);
        const auto  p = [&](std::size_t i) { return mesh.points[static_cast<std::size_t>(v[i])]; };
        const Vec3d c = cross(p(1) - p(0), p(2) - p(0));
        if (!(length(c) > 1e-12 * extent)) continue;  // slivers have no side; their neighbours carry the contact
        volume += dot(p(0), cross(p(1), p(2)));
        mesh.triangles.push_back(v);
        mesh.normals.push_back(normalized(c));
    }
    connect(mesh);
    // Neighbours and folds depend on the winding and are made again.
    if (mesh.closed && volume < 0) {
        for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
            std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
            mesh.normals[t] = -mesh.normals[t];
        }
        connect(mesh);
    }
    std::vector<geometry::Aabbd> boxes;
    for (const auto& t : mesh.triangles) {
        geometry::Aabbd box;
        for (const std::int32_t v : t) {
            box.lower = min(box.lower, mesh.points[static_cast<std::size_t>(v)]);
            box.upper = max(box.upper, mesh.points[static_cast<std::size_t>(v)]);
        }
        boxes.push_back(box);
    }
    mesh.bvh    = geometry::Bvh(boxes);
    mesh.convex = mesh.closed;
    for (const auto& fold : mesh.fold)
        // No edge bends inwards by more than rounding.
        for (const double angle : fold) mesh.convex = mesh.convex && angle > -1e-6;
    mesh.convex = mesh.convex && is_one_piece(mesh);
    if (mesh.convex && (with_hull || mesh.points.size() <= kSmallSolid)) {
        std::vector<std::int32_t> used;  // a point of no triangle is no part of the solid
        for (const auto& t : mesh.triangles) used.insert(used.end(), t.begin(), t.end());
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        geometry::Mesh cloud;
        for (const std::int32_t v : used) cloud.points.push_back(mesh.points[static_cast<std::size_t>(v)]);
        // A hull that is built holds no more points than this: of more, the triangles are taken as they are.
        cloud.is_convex = used.size() > kSmallSolid;
        for (const auto& t : mesh.triangles) {
            auto& named = cloud.triangles.emplace_back();
            for (std::size_t i = 0; i < 3; ++i)
                named[i] = static_cast<std::int32_t>(std::ranges::lower_bound(used, t[i]) - used.begin());
        }
        HullShape hull = make_hull_shape(cloud, {1, 1, 1});
        if (!hull.face_normals.empty()) mesh.hull = std::make_unique<HullShape>(std::move(hull));
    }
    return mesh;
}

}  // namespace mechane::collision
