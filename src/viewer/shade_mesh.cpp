// Normals, creases and outlines of a mesh for drawing.
// Input: points, triangles and a scale that may mirror. Output: vertices with normals, triangles, and the lines of
// sharp edges.
// A corner's normal is the sum of the areas of the faces around it that differ by less than 40 degrees from the face at
// hand: round parts are smooth and edges stay sharp. An edge of more than 25 degrees, or of other than two faces, is a
// line.
// Called by build_scene.

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "tessellation.h"

namespace mechane::viewer {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

/// Points that lie at one place are one corner, whatever their indices: exporters split vertices at texture seams.
std::vector<std::uint32_t> corner_of_points(const std::vector<Vec3d>& points)
{
    std::vector<std::uint32_t> order(points.size()), corner(points.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto key = [&](std::uint32_t i) { return std::tuple(points[i].x, points[i].y, points[i].z, i); };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    for (std::size_t i = 0; i < order.size(); ++i)
        corner[order[i]] = i > 0 && points[order[i]] == points[order[i - 1]] ? corner[order[i - 1]] : order[i];
    return corner;
}

struct MeshEdge {
    std::uint32_t a, b, face;  ///< corners, smaller first
};

}  // namespace

DrawMesh shade_mesh(const geometry::Mesh& source, const Vec3d& factor, std::span<const std::array<Vec2f, 3>> uvs)
{
    const bool painted = uvs.size() == source.triangles.size();
    const double kSmooth = std::cos(40 * kDegrees), kCrease = std::cos(25 * kDegrees);

    std::vector<Vec3d> points(source.points.size());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = scale(factor, source.points[i]);
    const bool            mirrored = factor.x * factor.y * factor.z < 0;
    const auto            corner   = corner_of_points(points);
    std::vector<Triangle> faces;
    std::vector<Vec3d>    areas;  ///< normal times twice the area
    std::vector<std::array<Vec2f, 3>> coordinates;  ///< parallel to `faces`
    for (std::size_t at = 0; at < source.triangles.size(); ++at) {
        const auto& t = source.triangles[at];
        if (std::any_of(t.begin(), t.end(), [&](std::int32_t i) {
                return i < 0 || static_cast<std::size_t>(i) >= points.size() ||
                       !is_finite(points[static_cast<std::size_t>(i)]);
            }))
            continue;
        Triangle face;
        for (std::size_t k = 0; k < 3; ++k) face[k] = corner[static_cast<std::size_t>(t[k])];
        auto uv = painted ? uvs[at] : std::array<Vec2f, 3>{};
        // A mirrored mesh turns its faces inside out; two corners are swapped to turn them back.
        if (mirrored) std::swap(face[1], face[2]), std::swap(uv[1], uv[2]);
        const Vec3d area = cross(points[face[1]] - points[face[0]], points[face[2]] - points[face[0]]);
        if (!(length_squared(area) > 0)) continue;
        faces.push_back(face);
        areas.push_back(area);
        if (painted) coordinates.push_back(uv);
    }

    // Faces around each corner, in the order of faces.
    std::vector<std::uint32_t> start(points.size() + 1), around(3 * faces.size());
    for (const Triangle& f : faces)
        for (const std::uint32_t c : f) ++start[c + 1];
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    std::vector<std::uint32_t> fill(start.begin(), start.end() - 1);
    for (std::uint32_t f = 0; f < faces.size(); ++f)
        for (const std::uint32_t c : faces[f]) around[fill[c]++] = f;

    std::vector<Vec3d> normals(areas.size());
    for (std::size_t f = 0; f < areas.size(); ++f) normals[f] = normalized(areas[f], {0, 0, 1});

    // Linked list of the vertices of a corner: the first one, then each vertex's next; kNone ends it.
    constexpr std::uint32_t    kNone = 0xffffffffU;
    DrawMesh                   mesh;
    std::vector<std::uint32_t> first_vertex(points.size(), kNone), next_vertex;
    const auto                 vertex_of = [&](std::uint32_t c, const Vec3f& normal, const Vec2f& uv) {
        for (std::uint32_t v = first_vertex[c]; v != kNone; v = next_vertex[v])
            if (mesh.normals[v] == normal && (!painted || mesh.uvs[v] == uv)) return v;
        const auto v = static_cast<std::uint32_t>(mesh.positions.size());
        mesh.positions.push_back(static_cast<Vec3f>(points[c]));
        mesh.normals.push_back(normal);
        if (painted) mesh.uvs.push_back(uv);
        next_vertex.push_back(std::exchange(first_vertex[c], v));
        return v;
    };
    for (std::uint32_t f = 0; f < faces.size(); ++f) {
        Triangle out;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t c = faces[f][k];
            Vec3d               sum;
            for (std::uint32_t i = start[c]; i < start[c + 1]; ++i)
                if (dot(normals[around[i]], normals[f]) >= kSmooth) sum += areas[around[i]];
            // Rounded, so that equal sums in another order give one vertex.
            Vec3f n = static_cast<Vec3f>(normalized(sum, normals[f]));
            for (float* x : {&n.x, &n.y, &n.z}) *x = std::round(*x * 4096.0F) / 4096.0F + 0.0F;
            out[k] = vertex_of(c, normalized(n, {0, 0, 1}), painted ? coordinates[f][k] : Vec2f{});
        }
        mesh.triangles.push_back(out);
    }

    std::vector<MeshEdge> edges;
    for (std::uint32_t f = 0; f < faces.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = faces[f][k], b = faces[f][(k + 1) % 3];
            edges.push_back({std::min(a, b), std::max(a, b), f});
        }
    std::sort(edges.begin(), edges.end(),
              [](const MeshEdge& x, const MeshEdge& y) { return std::tie(x.a, x.b, x.face) < std::tie(y.a, y.b, y.face); });
    for (std::size_t i = 0, next = 0; i < edges.size(); i = next) {
        for (next = i + 1; next < edges.size() && edges[next].a == edges[i].a && edges[next].b == edges[i].b;) ++next;
        const bool smooth = next - i == 2 && dot(normals[edges[i].face], normals[edges[i + 1].face]) >= kCrease;
        if (!smooth) mesh.lines.push_back({first_vertex[edges[i].a], first_vertex[edges[i].b]});
    }
    return mesh;
}

}  // namespace mechane::viewer
