// Triangles, volume and convexity of a mesh prim as authored, in its own frame. Called by the rules of colliders and
// meshes.

#include "conformance/mesh_shape.h"

#include <algorithm>
#include <array>
#include <vector>

#include "conformance/first_value.h"
#include "mechane/geometry/hull.h"
#include "mechane/geometry/triangulation.h"
#include "mechane/geometry/weld.h"

namespace mechane::conformance {

geometry::Mesh triangles_of(const usd::Prim& mesh)
{
    const auto points = first_value<std::vector<Vec3d>>(mesh.attribute("points"));
    const auto counts = first_value<std::vector<int>>(mesh.attribute("faceVertexCounts"));
    const auto corner = first_value<std::vector<int>>(mesh.attribute("faceVertexIndices"));
    const bool left   = mesh.attribute("orientation").get_or<std::string>("rightHanded") == "leftHanded";
    return geometry::triangulate({points, counts, corner, {}, left}).mesh;
}

namespace {

/// The volume that closed triangles hold, signed by their winding [L^3].
double signed_volume(const geometry::Mesh& mesh)
{
    double       sum = 0;
    const Vec3d& o   = mesh.points.front();
    for (const std::array<std::int32_t, 3>& t : mesh.triangles)
        sum += dot(
            mesh.points[static_cast<std::size_t>(t[0])] - o,
            cross(mesh.points[static_cast<std::size_t>(t[1])] - o, mesh.points[static_cast<std::size_t>(t[2])] - o));
    return sum / 6;
}

/// How far a point lies inside a hull; negative outside.
double depth_in(const geometry::Mesh& hull, const Vec3d& p)
{
    double outside = -kInfinity;
    for (const std::array<std::int32_t, 3>& t : hull.triangles) {
        const Vec3d& a = hull.points[static_cast<std::size_t>(t[0])];
        const Vec3d  n = cross(hull.points[static_cast<std::size_t>(t[1])] - a,
                               hull.points[static_cast<std::size_t>(t[2])] - a);
        if (const double l = length(n); l > 0) outside = std::max(outside, dot(p - a, n) / l);
    }
    return -outside;
}

double area(const geometry::Mesh& mesh)
{
    double sum = 0;
    for (const std::array<std::int32_t, 3>& t : mesh.triangles) {
        const Vec3d& a = mesh.points[static_cast<std::size_t>(t[0])];
        sum += length(cross(mesh.points[static_cast<std::size_t>(t[1])] - a,
                            mesh.points[static_cast<std::size_t>(t[2])] - a));
    }
    return sum / 2;
}

}  // namespace

bool is_convex_mesh(const usd::Prim& prim)
{
    constexpr double      kTolerance = 1e-3;  // of the size
    constexpr std::size_t kMost      = 2000;  // triangles whose every point is compared with every face of the hull
    const geometry::Mesh  mesh       = triangles_of(prim);
    if (mesh.triangles.size() < 4) return false;
    // A hull of a few points would hold less than the mesh.
    const auto hull = geometry::build_hull(
        mesh.points, {.max_vertices = static_cast<int>(mesh.points.size()), .extrude_flat = false});
    if (!hull) return true;  // a sheet, or points that REP-3.4-g speaks of
    const geometry::Mesh& around = *hull;
    const double          whole  = std::abs(signed_volume(around));
    // A mesh that fills its hull is convex. That all its points lie on the hull is not enough: those of an L do.
    if (std::abs(std::abs(signed_volume(mesh)) - whole) <= kTolerance * whole) return true;
    const geometry::MeshFaults faults = geometry::find_faults(mesh);
    if (faults.winding_edges == 0 || mesh.triangles.size() > kMost) return false;
    // Where faces look different ways, the volume says nothing: each face has to lie on the hull, and all to cover it.
    Vec3d low = mesh.points.front(), high = low;
    for (const Vec3d& p : mesh.points) low = min(low, p), high = max(high, p);
    const double tolerance = kTolerance * length(high - low);
    for (const std::array<std::int32_t, 3>& t : mesh.triangles) {
        const Vec3d &a = mesh.points[static_cast<std::size_t>(t[0])], &b = mesh.points[static_cast<std::size_t>(t[1])],
                    &c = mesh.points[static_cast<std::size_t>(t[2])];
        for (const Vec3d& p : {a, b, c, (a + b + c) / 3.0})
            if (depth_in(around, p) > tolerance) return false;
    }
    return std::abs(area(mesh) - area(around)) <= 1e-2 * area(around);
}

}  // namespace mechane::conformance
