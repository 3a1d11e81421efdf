// Builds what a shape needs for field contacts: the field itself, the surface whose features are looked up in other
// fields, its edges and corners. Everything in the shape's own frame [m].
// Meshes have their fields from geometry/sdf; other shapes sample their exact distance.

#include "mechane/collision/sdf_shape.h"

#include <algorithm>
#include <cmath>

#include "mechane/collision/queries.h"
#include "mechane/geometry/codes.h"
#include "mechane/geometry/kept.h"

namespace mechane::collision {

namespace {

constexpr double kSharp = 0.1 * kDegrees;

/// Triangles of a hull, for its edges.
std::unique_ptr<MeshShape> surface_of(const HullShape& hull)
{
    geometry::Mesh mesh{.points = hull.vertices, .triangles = {}, .is_convex = true};
    for (std::size_t f = 0; f + 1 < hull.face_start.size(); ++f) {
        const auto first = static_cast<std::size_t>(hull.face_start[f]),
                   last  = static_cast<std::size_t>(hull.face_start[f + 1]);
        for (std::size_t i = first + 1; i + 1 < last; ++i)
            mesh.triangles.push_back({hull.face_vertices[first], hull.face_vertices[i], hull.face_vertices[i + 1]});
    }
    return std::make_unique<MeshShape>(make_mesh_shape(mesh, {1, 1, 1}, false));
}

void find_edges(SdfShape& s)
{
    const MeshShape&  m = *s.surface;
    std::vector<bool> owned(m.points.size(), false);
    for (std::size_t t = 0; t < m.triangles.size(); ++t)
        for (std::size_t e = 0; e < 3; ++e) {
            const std::int32_t other = m.neighbours[t][e];
            // Each edge once; a hollow one cannot touch before its faces do.
            // Concave edges lie in the hollow between two faces.
            if (other >= 0 && (other < static_cast<std::int32_t>(t) || m.fold[t][e] < kSharp)) continue;
            SdfEdge edge{{m.triangles[t][e], m.triangles[t][(e + 1) % 3]}, {static_cast<std::int32_t>(t), other}, {}};
            for (std::size_t i = 0; i < 2; ++i) {
                const auto corner = static_cast<std::size_t>(edge.ends[i]);
                edge.owns[i]      = !owned[corner];
                owned[corner]     = true;
            }
            s.edges.push_back(edge);
        }
    // Faces of each corner as one array with offsets, counted first.
    s.corner_start.assign(m.points.size() + 1, 0);
    for (const auto& t : m.triangles)
        for (const std::int32_t v : t) ++s.corner_start[static_cast<std::size_t>(v) + 1];
    for (std::size_t i = 0; i < m.points.size(); ++i) s.corner_start[i + 1] += s.corner_start[i];
    s.corner_faces.resize(static_cast<std::size_t>(s.corner_start.back()));
    std::vector<std::int32_t> at(s.corner_start.begin(), s.corner_start.end() - 1);
    for (std::size_t t = 0; t < m.triangles.size(); ++t)
        for (const std::int32_t v : m.triangles[t])
            s.corner_faces[static_cast<std::size_t>(at[static_cast<std::size_t>(v)]++)] = static_cast<std::int32_t>(t);
}

}  // namespace

Result<SdfShape> make_sdf_shape(const Shape& shape, const geometry::Mesh* source, geometry::SdfOptions options,
                                const tasks::Pool* pool, const geometry::Sdf* made)
{
    Shape local = shape;
    local.p     = {};
    local.R     = Mat33d::identity();
    if (shape.kind == ShapeKind::plane || shape.kind == ShapeKind::rectangle || shape.kind == ShapeKind::triangle ||
        (shape.kind == ShapeKind::mesh && (!source || shape.mesh->floor > 0)))
        return make_diagnostic(geometry::kSdfMesh, {}, "a plane, a height field and a lone triangle bound no volume");
    SdfShape out;
    out.box           = bounds(local);
    const Vec3d  side = out.box.upper - out.box.lower;
    const double area = 2 * (side.x * side.y + side.y * side.z + side.z * side.x);
    if (shape.kind == ShapeKind::mesh) {
        // A field made by the caller is for scale one; with another scale it is built again at the same resolution.
        if (made != nullptr && shape.size == Vec3d{1, 1, 1}) {
            out.field = *made;
        } else {
            options.scale = shape.size;
            if (made != nullptr)
                options.max_resolution =
                    geometry::Sdf::kBlock * *std::max_element(made->blocks().begin(), made->blocks().end());
            auto field = geometry::kept_sdf(*source, options, pool);
            if (!field) return field.error();
            out.field = *std::move(field);
        }
        out.surface = shape.mesh;
    } else {
        auto field = geometry::build_sdf(
            out.box, area,
            [&](const Vec3d& p) {
                const auto nearest = nearest_point(local, p);
                return nearest ? nearest->distance : length(p);
            },
            options, pool);
        if (!field) return field.error();
        out.field = *std::move(field);
        if (shape.kind == ShapeKind::hull) {
            out.own_surface = surface_of(*shape.hull);
            out.surface     = out.own_surface.get();
        }
    }
    if (out.surface) find_edges(out);
    return out;
}

}  // namespace mechane::collision
