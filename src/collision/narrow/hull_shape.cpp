// Prepares a convex hull for the narrow phase: vertices, merged faces, neighbours, edge directions, all in the body's
// frame after scaling [m]. Done once a shape, when the pipeline is made.
// Faces are polygons, so that clipping gives corners of the real face and not of its triangles. Vectors are also kept
// by component in whole lanes, for the support functions.

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "core_support.h"
#include "mechane/collision/shape.h"
#include "mechane/geometry/hull.h"
#include "mechane/geometry/kept.h"
#include "mechane/math/simd.h"

namespace mechane::collision {

namespace {

using Edge = std::pair<std::int32_t, std::int32_t>;

/// Gives the hull faces, each outline walked once: triangles joined over edges as long as they stay in the plane of the
/// first, to 1e-6 of the hull's extent. (An angle would join what stands off by far more, and keep slivers apart.)
void merge_faces(HullShape& hull, const std::vector<std::array<std::int32_t, 3>>& triangles)
{
    // Directed edges are unique in a closed, consistently wound surface: the twin of an edge is its reverse.
    std::map<Edge, std::size_t> owner;  // directed edge -> triangle
    std::vector<Vec3d>          normal(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const auto& v = triangles[t];
        const auto  p = [&](std::size_t i) { return hull.vertices[static_cast<std::size_t>(v[i])]; };
        normal[t]     = normalized(cross(p(1) - p(0), p(2) - p(0)));
        for (std::size_t e = 0; e < 3; ++e) owner[{v[e], v[(e + 1) % 3]}] = t;
    }
    const auto in_plane = [&](std::size_t t, std::size_t seed) {
        // The 0.99 keeps thin folds apart whose vertices lie in one plane by accident of their size.
        if (dot(normal[t], normal[seed]) < 0.99) return false;
        const Vec3d& origin = hull.vertices[static_cast<std::size_t>(triangles[seed][0])];
        return std::ranges::all_of(triangles[t], [&](std::int32_t v) {
            return std::abs(dot(normal[seed], hull.vertices[static_cast<std::size_t>(v)] - origin)) <
                   1e-6 * hull.radius;
        });
    };
    std::vector<std::int32_t> group(triangles.size(), -1);
    std::vector<std::size_t>  queue;
    for (std::size_t seed = 0; seed < triangles.size(); ++seed) {
        // Slivers without a normal belong to no face.
        if (group[seed] >= 0 || normal[seed] == Vec3d{}) continue;
        const auto id = static_cast<std::int32_t>(seed);
        group[seed]   = id;
        queue.assign(1, seed);
        // Edges to triangles outside of the group make the outline. Each vertex has one successor if it is one simple
        // loop.
        std::map<std::int32_t, std::int32_t> next;  // outline: vertex -> vertex
        for (std::size_t q = 0; q < queue.size(); ++q) {
            const auto& v = triangles[queue[q]];
            for (std::size_t e = 0; e < 3; ++e) {
                const std::int32_t from = v[e], to = v[(e + 1) % 3];
                const auto         twin = owner.find({to, from});
                const bool         flat = twin != owner.end() && in_plane(twin->second, seed);
                if (!flat) {
                    next[from] = to;
                } else if (group[twin->second] < 0) {
                    group[twin->second] = id;
                    queue.push_back(twin->second);
                }
            }
        }
        if (next.size() < 3) continue;
        const std::size_t  begin = hull.face_vertices.size();
        const std::int32_t first = next.begin()->first;
        std::int32_t       at    = first;
        do {
            hull.face_vertices.push_back(at);
            const auto step = next.find(at);
            if (step == next.end() || hull.face_vertices.size() - begin > next.size()) break;
            at = step->second;
        } while (at != first);
        if (hull.face_vertices.size() - begin !=
            next.size()) {  // not one loop: keep the triangles' own outline instead
            hull.face_vertices.resize(begin);
            hull.face_vertices.insert(hull.face_vertices.end(), triangles[seed].begin(), triangles[seed].end());
        }
        hull.face_start.push_back(static_cast<std::int32_t>(hull.face_vertices.size()));
        hull.face_normals.push_back(normal[seed]);
    }
}

void find_neighbours(HullShape& hull)
{
    std::vector<Edge> edges;
    for (std::size_t f = 0; f + 1 < hull.face_start.size(); ++f) {
        const std::int32_t begin = hull.face_start[f], n = hull.face_start[f + 1] - begin;
        for (std::int32_t i = 0; i < n; ++i) {
            const std::int32_t a = hull.face_vertices[static_cast<std::size_t>(begin + i)],
                               b = hull.face_vertices[static_cast<std::size_t>(begin + (i + 1) % n)];
            edges.emplace_back(a, b);
            edges.emplace_back(b, a);
        }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    hull.neighbour_start.assign(hull.vertices.size() + 1, 0);
    for (const Edge& e : edges) ++hull.neighbour_start[static_cast<std::size_t>(e.first) + 1];
    for (std::size_t i = 0; i < hull.vertices.size(); ++i) hull.neighbour_start[i + 1] += hull.neighbour_start[i];
    for (const Edge& e : edges) hull.neighbours.push_back(e.second);
}

/// Of so few corners and faces that planes tell more, sooner, than an iteration does.
/// Directions of edges for the separating axis test, parallel ones once: |a x b|^2 < 1e-28 for unit vectors.
void find_edge_ways(HullShape& hull)
{
    if (hull.vertices.size() > kSmallHullPoints) return;
    if (hull.face_normals.size() < 4 || hull.face_normals.size() > kSmallHullFaces) return;
    for (std::size_t v = 0; v < hull.vertices.size(); ++v)
        for (std::int32_t i = hull.neighbour_start[v]; i < hull.neighbour_start[v + 1]; ++i) {
            const auto  w = static_cast<std::size_t>(hull.neighbours[static_cast<std::size_t>(i)]);
            const Vec3d e = normalized(hull.vertices[w] - hull.vertices[v]);
            if (w > v && std::ranges::none_of(hull.edge_ways, [&](const Vec3d& known) {
                    return length_squared(cross(known, e)) < 1e-28;
                }))
                hull.edge_ways.push_back(e);
        }
    // Eight points have 18 edges, unless what was called convex is not.
    if (hull.edge_ways.size() > 18) hull.edge_ways.clear();
}

/// Filled up with the first vector, which loses ties to itself, to a whole number of lanes, or of blocks where there
/// are many.
LaneVectors in_lanes(std::span<const Vec3d> vectors)
{
    const std::size_t whole = vectors.size() <= kFewVectors ? static_cast<std::size_t>(kLanes) : kLaneBlock;
    LaneVectors       lanes;
    for (std::size_t i = 0; i < (vectors.size() + whole - 1) / whole * whole; ++i) {
        const Vec3d& v = vectors[i < vectors.size() ? i : 0];
        lanes.x.push_back(v.x), lanes.y.push_back(v.y), lanes.z.push_back(v.z);
    }
    return lanes;
}

}  // namespace

HullShape make_hull_shape(const geometry::Mesh& mesh, const Vec3d& factors)
{
    HullShape                     hull;
    const geometry::Mesh*         source = &mesh;
    std::optional<geometry::Mesh> built;
    if (!mesh.is_convex) {
        auto made = geometry::kept_hull(mesh.points, {.extrude_flat = false});
        if (made) {
            built  = std::move(*made);
            source = &*built;
        }
    }
    for (const Vec3d& p : source->points) hull.vertices.push_back(scale(p, factors));
    for (const Vec3d& v : hull.vertices) hull.centre += v;
    // The mean of the vertices, not the centre of mass: it only has to be inside.
    if (!hull.vertices.empty()) hull.centre *= 1.0 / static_cast<double>(hull.vertices.size());
    for (const Vec3d& v : hull.vertices) hull.radius = std::max(hull.radius, length(v - hull.centre));
    hull.face_start.push_back(0);
    if (source->is_convex) {
        auto   triangles = source->triangles;
        double volume    = 0;
        for (const auto& t : triangles) {
            const auto p = [&](std::size_t i) { return hull.vertices[static_cast<std::size_t>(t[i])] - hull.centre; };
            volume += dot(p(0), cross(p(1), p(2)));
        }
        // Six times the signed volume: negative where the triangles are wound inwards.
        if (volume < 0)  // a mirrored scale turns the winding round
            for (auto& t : triangles) std::swap(t[1], t[2]);
        merge_faces(hull, triangles);
        find_neighbours(hull);
        find_edge_ways(hull);
    }
    hull.vertex_lanes = in_lanes(hull.vertices);
    hull.normal_lanes = in_lanes(hull.face_normals);
    hull.edge_lanes   = in_lanes(hull.edge_ways);
    return hull;
}

}  // namespace mechane::collision
