// Mass of a shell of given thickness inwards from a mesh's surface, as MuJoCo's shellinertia and Newton's hollow shapes
// mean it. Lengths [m], density [kg/m^3].
// A closed mesh is the outer solid less an inner one whose faces moved inwards; where that fails (too thick, open), the
// sum of prisms stands for it.

#include "mechane/geometry/shell_mass.h"

#include <cmath>
#include <optional>

namespace mechane::geometry {

namespace {

// Directions whose planes agree better than this are one plane: moving along it is free, so the vertex does not.
constexpr double kRankTolerance = 1e-6;

const Vec3d& corner(const Mesh& mesh, const std::array<std::int32_t, 3>& t, std::size_t i)
{ return mesh.points[static_cast<std::size_t>(t[i])]; }

Vec3d doubled_area(const Mesh& mesh, const std::array<std::int32_t, 3>& t)
{ return cross(corner(mesh, t, 1) - corner(mesh, t, 0), corner(mesh, t, 2) - corner(mesh, t, 0)); }

double signed_volume(const Mesh& mesh)
{
    if (mesh.points.empty()) return 0;
    const Vec3d origin = mesh.points.front();
    double      six    = 0;
    for (const auto& t : mesh.triangles)
        six += dot(corner(mesh, t, 0) - origin, cross(corner(mesh, t, 1) - origin, corner(mesh, t, 2) - origin));
    return six / 6;
}

/// Three faces of general position give one point; along edges and in planes the shortest move.
// Each vertex by d with n . d = -thickness for its faces' outward normals n: the pseudo-inverse of sum n n^T.
Mesh inner_surface(const Mesh& mesh, double thickness, double outwards)
{
    std::vector<Mat33d> planes(mesh.points.size());
    std::vector<Vec3d>  pull(mesh.points.size());
    for (const auto& t : mesh.triangles) {
        const Vec3d n = outwards * normalized(doubled_area(mesh, t));
        for (const std::int32_t i : t) {
            planes[static_cast<std::size_t>(i)] += Mat33d::outer(n, n);
            pull[static_cast<std::size_t>(i)] -= thickness * n;
        }
    }
    Mesh inner = mesh;
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        const PrincipalAxes axes  = principal_axes(planes[i]);
        const Vec3d         b     = rotate_inverse(axes.rotation, pull[i]);
        const double        floor = kRankTolerance * max_component(axes.values);
        Vec3d               d;
        for (std::size_t k = 0; k < 3; ++k)
            if (axes.values[k] > floor) d[k] = b[k] / axes.values[k];
        inner.points[i] += rotate(axes.rotation, d);
    }
    return inner;
}

// No triangle has turned over.
bool keeps_its_faces(const Mesh& outer, const Mesh& inner)
{
    for (std::size_t i = 0; i < outer.triangles.size(); ++i) {
        const Vec3d before = doubled_area(outer, outer.triangles[i]);
        if (length_squared(before) > 0 && !(dot(before, doubled_area(inner, inner.triangles[i])) > 0)) return false;
    }
    return true;
}

MassProperties prisms(const Mesh& mesh, double thickness, double density, double outwards)
{
    MassProperties shell;
    for (const auto& t : mesh.triangles) {
        const Vec3d  n2   = doubled_area(mesh, t);
        const double area = length(n2) / 2;
        if (!(area > 0)) continue;
        const Vec3d n = n2 / (2 * area);
        // Second moments about the prism's centre: area/12 times the sum over corners of the lamina, volume times
        // h^2/12 across.
        const Vec3d  a = corner(mesh, t, 0), b = corner(mesh, t, 1), c = corner(mesh, t, 2);
        const Vec3d  middle = (a + b + c) / 3.0;
        const Vec3d  ra = a - middle, rb = b - middle, rc = c - middle;
        const double mass   = density * area * thickness;
        const Mat33d second = mass / 12 *
                              (Mat33d::outer(ra, ra) + Mat33d::outer(rb, rb) + Mat33d::outer(rc, rc) +
                               thickness * thickness * Mat33d::outer(n, n));
        shell = combined(shell,
                         {mass, middle - (outwards * thickness / 2) * n, trace(second) * Mat33d::identity() - second});
    }
    return shell;
}

}  // namespace

MassProperties inward_shell_mass(const Mesh& mesh, double thickness, double density)
{
    if (!(thickness > 0) || !std::isfinite(thickness)) return {};
    const double volume   = signed_volume(mesh);
    const double outwards = volume < 0 ? -1 : 1;
    if (is_closed(mesh) && volume != 0) {
        const Mesh   inner         = inner_surface(mesh, thickness, outwards);
        const double hollow_volume = outwards * signed_volume(inner);
        if (hollow_volume > 0 && hollow_volume < outwards * volume && keeps_its_faces(mesh, inner))
            return hollow(mesh_mass(mesh, {1, 1, 1}, density), mesh_mass(inner, {1, 1, 1}, density));
    }
    return prisms(mesh, thickness, density, outwards);
}

}  // namespace mechane::geometry
