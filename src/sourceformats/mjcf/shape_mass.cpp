// Mass, centre and inertia of a geom, as MuJoCo's compiler computes them (XMLreference, compiler/inertiafromgeom and
// geom/shellinertia). With a mass the density follows from it, else the density gives the mass.
//
// first, second  sums of x dm and x x^T dm over the body; the inertia is trace(second) 1 - second
#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechane/geometry/hull.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/triangulation.h"
#include "sourceformats/mjcf/settings.h"

namespace mechane::sourceformats {
namespace {

using geometry::MassProperties;
constexpr double kPi = std::numbers::pi;

Mat33d diagonal(double x, double y, double z) { return Mat33d::diagonal({x, y, z}); }

/// An ellipsoid's wall has no closed form. MuJoCo's answers are taken: the area by Thomsen's formula, the moments of
/// what an ellipsoid grows by when its semi-axes do.
MassProperties ellipsoid_shell(const Vec3d& size)
{
    constexpr double kPower = 1.6075, kGrowth = 1e-6;
    const auto       term  = [](double a, double b) { return std::pow(a * b, kPower); };
    const double     mean  = (term(size.x, size.y) + term(size.x, size.z) + term(size.y, size.z)) / 3;
    const double     area  = 4 * kPi * std::pow(mean, 1 / kPower);
    const auto       inner = geometry::ellipsoid_mass(size, 1);
    const auto       outer = geometry::ellipsoid_mass(size + kGrowth * Vec3d{1, 1, 1}, 1);
    return {area, {}, (area / (outer.mass - inner.mass)) * (outer.inertia - inner.inertia)};
}

/// Walls without thickness and of density 1 per area, by the classical formulas.
MassProperties shell(const Shape& s)
{
    const double r = s.size.x, h = 2 * s.size.y;
    switch (s.kind) {
        case Shape::Kind::sphere: {
            const double m = 4 * kPi * r * r;
            return {m, {}, (2.0 / 3 * m * r * r) * Mat33d::identity()};
        }
        case Shape::Kind::box: {
            MassProperties total;
            const double   e[3] = {2 * s.size.x, 2 * s.size.y, 2 * s.size.z};
            // Two walls across the axis n: at distance e[n]/2 along n, spread evenly over u and v.
            for (std::size_t n = 0; n < 3; ++n) {
                const std::size_t u = (n + 1) % 3, v = (n + 2) % 3;
                const double      m = 2 * e[u] * e[v];  // both walls
                Vec3d             second;               // of the positions squared, over the walls
                second[n] = m * e[n] * e[n] / 4;
                second[u] = m * e[u] * e[u] / 12;
                second[v] = m * e[v] * e[v] / 12;
                total.mass += m;
                total.inertia += diagonal(second.y + second.z, second.x + second.z, second.x + second.y);
            }
            return total;
        }
        case Shape::Kind::cylinder: {
            // Parallel axes: caps lie h/2 from the middle.
            const double wall = 2 * kPi * r * h, cap = kPi * r * r;
            const double axial  = wall * r * r + 2 * cap * r * r / 2;
            const double across = wall * (r * r / 2 + h * h / 12) + 2 * cap * (r * r / 4 + h * h / 4);
            return {wall + 2 * cap, {}, diagonal(across, across, axial)};
        }
        case Shape::Kind::capsule: {
            // A wall and two half spheres whose centres of mass lie r/2 above their rims.
            // A thin half sphere: 2/3 m r^2 about any axis through the centre of its sphere; m r^2/4 goes to reach
            // its centre of mass.
            const double wall = 2 * kPi * r * h, half = 2 * kPi * r * r;
            const double axial  = wall * r * r + 2 * half * 2.0 / 3 * r * r;
            const double across = wall * (r * r / 2 + h * h / 12) + 2 * (half * 2.0 / 3 * r * r - half * r * r / 4 +
                                                                         half * (h / 2 + r / 2) * (h / 2 + r / 2));
            return {wall + 2 * half, {}, diagonal(across, across, axial)};
        }
        case Shape::Kind::ellipsoid:
            return ellipsoid_shell(s.size);
        case Shape::Kind::plane:
        case Shape::Kind::mesh:
            break;
    }
    return {};
}

/// The triangles of a mesh as MuJoCo's reader of OBJ makes them: a quadrangle along its shorter diagonal, a larger
/// polygon by its ears, because a fan over a concave one counts what lies outside of it. Under a mirror they run
/// backwards, so that volumes keep their sign.
std::vector<std::array<Vec3d, 3>> triangles_of(const MeshAsset& mesh, const Vec3d& factor)
{
    std::vector<Vec3d> points;
    for (const Vec3d& p : mesh.points) points.push_back(scale(p, factor));
    std::vector<std::array<Vec3d, 3>> out;
    std::vector<int>                  counts, corners;  // of polygons with more than four corners
    std::size_t                       at = 0;
    for (const int count : mesh.counts) {
        const auto p = [&](std::size_t c) { return points[static_cast<std::size_t>(mesh.corners[at + c])]; };
        if (count == 3) out.push_back({p(0), p(1), p(2)});
        if (count == 4) {
            const bool across = length(p(0) - p(2)) < length(p(1) - p(3));
            out.push_back({p(0), p(1), across ? p(2) : p(3)});
            out.push_back({across ? p(0) : p(1), p(2), p(3)});
        }
        if (count > 4) {
            counts.push_back(count);
            const auto first = mesh.corners.begin() + static_cast<std::ptrdiff_t>(at);
            corners.insert(corners.end(), first, first + count);
        }
        at += static_cast<std::size_t>(count);
    }
    if (!counts.empty()) {
        const geometry::Mesh made = geometry::triangulate({points, counts, corners, {}, false}).mesh;
        const auto           p    = [&](auto i) { return made.points[static_cast<std::size_t>(i)]; };
        for (const auto& t : made.triangles) out.push_back({p(t[0]), p(t[1]), p(t[2])});
    }
    if (factor.x * factor.y * factor.z < 0)
        for (auto& t : out) std::swap(t[1], t[2]);
    return out;
}

/// Volume, centre and second moments by tetrahedra to a point in the middle of the surface. "legacy" takes every one
/// as positive, as MuJoCo does: the middle of the surface gives the centre of mass only, and the volume is counted
/// again by tetrahedra to that centre. "shell" spreads the mass over the triangles.
MassProperties of_mesh(const Shape& s, const MeshAsset& mesh, const std::string& rule)
{
    const std::vector<std::array<Vec3d, 3>> triangles = triangles_of(mesh, s.scale);
    // Areas weigh the middle of the surface: dense triangulation of one side does not pull it.
    Vec3d  middle;
    double area = 0;
    for (const auto& [a, b, c] : triangles) {
        const double one = 0.5 * length(cross(b - a, c - a));
        middle += (one / 3) * (a + b + c);
        area += one;
    }
    if (!(area > 0)) return {};
    middle       = middle / area;
    double total = 0;
    Vec3d  first;
    Mat33d second{};  // of positions about the middle
    for (const auto& t : triangles) {
        const Vec3d a = t[0] - middle, b = t[1] - middle, c = t[2] - middle;
        if (rule == "shell") {
            const double one = 0.5 * length(cross(b - a, c - a));
            const Vec3d  sum = a + b + c;
            total += one;
            first += (one / 3) * sum;
            second += (one / 12) *
                      (Mat33d::outer(a, a) + Mat33d::outer(b, b) + Mat33d::outer(c, c) + Mat33d::outer(sum, sum));
            continue;
        }
        // Tetrahedron with the middle: volume a . (b x c) / 6, first moment V/4 sum, second V/20 (sum of squares +
        // square of sum).
        double one = dot(a, cross(b, c)) / 6;
        if (rule == "legacy") one = std::abs(one);
        const Vec3d sum = a + b + c;
        total += one;
        first += (one / 4) * sum;
        second +=
            (one / 20) * (Mat33d::outer(a, a) + Mat33d::outer(b, b) + Mat33d::outer(c, c) + Mat33d::outer(sum, sum));
    }
    if (total == 0) return {};
    const Vec3d com = first / total;
    if (rule == "legacy") {  // volume and moments take tetrahedra to the centre of mass, again all positive
        second = {};
        total  = 0;
        for (const auto& t : triangles) {
            const Vec3d  a = t[0] - middle - com, b = t[1] - middle - com, c = t[2] - middle - com, sum = a + b + c;
            const double one = std::abs(dot(a, cross(b, c))) / 6;
            total += one;
            second += (one / 20) *
                      (Mat33d::outer(a, a) + Mat33d::outer(b, b) + Mat33d::outer(c, c) + Mat33d::outer(sum, sum));
        }
    } else {
        // Moved to the centre of mass. The legacy rule has computed them about it.
        second -= total * Mat33d::outer(com, com);
    }
    // Faces that look inwards give a negative volume; both sign and moments are turned.
    const double sign = total < 0 ? -1 : 1;
    return {sign * total, middle + com, sign * (trace(second) * Mat33d::identity() - second)};
}

/// "convex" is the exact rule over the hull; a flat mesh has none, and is taken as it is.
MassProperties of_mesh_asset(const Shape& s, const MeshAsset& mesh, const std::string& rule)
{
    if (rule != "convex") return of_mesh(s, mesh, rule);
    const auto hull = mjcf_hull(mesh.points);
    if (!hull) return of_mesh(s, mesh, "exact");
    MeshAsset convex;
    convex.points = hull->points;
    for (const auto& t : hull->triangles) {
        convex.counts.push_back(3);
        for (const auto corner : t) convex.corners.push_back(static_cast<int>(corner));
    }
    return of_mesh(s, convex, "exact");
}

}  // namespace

std::optional<geometry::Mesh> mjcf_hull(const std::vector<Vec3d>& points)
{
    geometry::HullOptions all;
    all.max_vertices = static_cast<int>(std::max<std::size_t>(points.size(), 4));
    all.extrude_flat = false;
    auto hull        = geometry::build_hull(points, all);
    return hull ? std::optional(std::move(*hull)) : std::nullopt;
}

MjcfMass mjcf_mass(const Shape& shape, const RobotTree& tree, std::optional<double> mass, double density, bool is_shell,
                   const std::string& mesh_inertia)
{
    MassProperties one;  // of density 1
    switch (shape.kind) {
        case Shape::Kind::plane:
            return {};
        case Shape::Kind::mesh:
            one = of_mesh_asset(shape, tree.meshes[static_cast<std::size_t>(shape.mesh)],
                                is_shell ? "shell" : mesh_inertia);
            break;
        case Shape::Kind::sphere:
            one = geometry::sphere_mass(shape.size.x, 1);
            break;
        case Shape::Kind::box:
            one = geometry::box_mass(shape.size, 1);
            break;
        case Shape::Kind::capsule:
            one = geometry::capsule_mass(shape.size.x, shape.size.y, 1);
            break;
        case Shape::Kind::cylinder:
            one = geometry::cylinder_mass(shape.size.x, shape.size.y, 1);
            break;
        case Shape::Kind::ellipsoid:
            one = geometry::ellipsoid_mass(shape.size, 1);
            break;
    }
    if (is_shell && shape.kind != Shape::Kind::mesh) one = shell(shape);
    if (!(one.mass > 0)) return {};
    const double factor = mass ? *mass / one.mass : density;
    return {factor * one.mass, one.com, factor * one.inertia};
}

}  // namespace mechane::sourceformats
