// The infinite plane z = 0 of its frame against every kind of shape, in closed form. Points are in the frame of the
// arguments [m]; the normal is that of the plane, except for meshes, which are shape 0.
// A plane is a half space: the depth has no limit, and the lowest points of the partner are the contacts.
// choose_support keeps those on which a body would come to rest.

#include <algorithm>
#include <cmath>

#include "manifold.h"
#include "pairs.h"
#include "support_points.h"

/// The infinite plane z = 0 of its frame against points of a partner that may touch it first.
namespace mechane::collision {

namespace {

struct PlaneContacts {
    Vec3d      n, origin;
    double     reach;
    double     merge;
    Candidates candidates;

    PlaneContacts(const Shape& plane, double reach_, double merge_)
        : n(plane.R.column(2)), origin(plane.p), reach(reach_), merge(merge_)
    {
    }
    /// A point of the partner's surface.
    void offer(const Vec3d& p, std::uint64_t feature)
    {
        const double d = dot(n, p - origin);
        if (d <= reach) candidates.add({p - d * n, p, n, d, feature}, merge);
    }
};

/// Points of a disc that can touch: four fixed in the body, so that they last while it stands, and the deepest, that a
/// tilt needs. Of a disc on edge what rolls towards the plane never hits it, and is left out: what is within 60 degrees
/// of the deepest, and all where it cannot fall flat soon.
void offer_disc(PlaneContacts& contacts, const Shape& s, double z, std::uint64_t base)
{
    const Vec3d      c = s.p + z * s.R.column(2);
    const Vec3d      x = s.size.x * s.R.column(0), y = s.size.x * s.R.column(1);
    const Vec3d      axis = s.R.column(2), down = -contacts.n;
    const Vec3d      u       = down - dot(down, axis) * axis;
    const double     tilt    = length(u);
    constexpr double kOnEdge = 0.1, kSteep = 0.5;  ///< sines
    // `tilt` is the sine between the disc's axis and the plane's normal: the deepest point of the rim is defined only
    // for a disc that is not level.
    if (tilt > 1e-4) contacts.offer(c + (s.size.x / tilt) * u, base + 4);
    if (tilt > kSteep) return;
    std::uint64_t feature = base;
    for (const Vec3d& arm : {x, y, -x, -y}) {
        if (tilt <= kOnEdge || dot(arm, u) <= 0.5 * s.size.x * tilt) contacts.offer(c + arm, feature);
        ++feature;
    }
}

}  // namespace

void collide_plane_sphere(const Shape& plane, const Shape& sphere, double reach, Manifold& out)
{
    const Vec3d  n = plane.R.column(2);
    const double d = dot(n, sphere.p - plane.p) - sphere.size.x;
    if (d > reach) return;
    const Vec3d p1 = sphere.p - sphere.size.x * n;
    out.add({p1 - d * n, p1, n, d, 0});
}

void collide_plane_capsule(const Shape& plane, const Shape& capsule, double reach, Manifold& out)
{
    const Vec3d n = plane.R.column(2), half = capsule.size.y * capsule.R.column(2);
    for (const int end : {0, 1}) {
        if (end == 1 && !(capsule.size.y > 0)) break;
        const Vec3d  c = end == 0 ? capsule.p + half : capsule.p - half;
        const double d = dot(n, c - plane.p) - capsule.size.x;
        if (d > reach) continue;
        const Vec3d p1 = c - capsule.size.x * n;
        out.add({p1 - d * n, p1, n, d, static_cast<std::uint64_t>(end)});
    }
}

void collide_plane_ellipsoid(const Shape& plane, const Shape& ellipsoid, double reach, Manifold& out)
{
    const Vec3d  n  = plane.R.column(2);
    const Vec3d  p1 = support(ellipsoid, -n);
    const double d  = dot(n, p1 - plane.p);
    if (d <= reach) out.add({p1 - d * n, p1, n, d, 0});
}

namespace {

/// Those of the vertices within reach of the plane that carry, as visit(vertex, height).
/// @param most  of them
template <class Visit>
void supporting_vertices(const Shape& plane, const Shape& body, std::span<const Vec3d> vertices, double reach,
                         std::size_t most, Visit&& visit)
{
    // Heights are computed in the frame of the body: one dot product per vertex and no rotation of vertices.
    const Vec3d  n = transpose_times(body.R, plane.R.column(2));
    const double offset = dot(plane.R.column(2), body.p - plane.p);
    const auto   height = [&](std::size_t i) { return dot(n, vertices[i]) + offset; };
    const auto   each   = [&](auto&& see) __attribute__((always_inline)) {
        for (std::size_t i = 0; i < vertices.size(); ++i)
            if (const double h = height(i); h <= reach) see(i, vertices[i], h);
    };
    const SupportPoints chosen = choose_support(each, n, most);
    for (std::size_t k = 0; k < chosen.count; ++k) visit(chosen.index[k], height(chosen.index[k]));
}

}  // namespace

void collide_plane_box(const Shape& plane, const Shape& box, double reach, Manifold& out)
{
    std::array<Vec3d, 8> corners;
    for (std::size_t i = 0; i < 8; ++i)
        corners[i] = {i & 1u ? -box.size.x : box.size.x, i & 2u ? -box.size.y : box.size.y,
                      i & 4u ? -box.size.z : box.size.z};
    // The four lowest of a thin plate that falls over may all be at the one end of it.
    const Vec3d n = plane.R.column(2);
    supporting_vertices(plane, box, corners, reach, 4, [&](std::size_t i, double d) {
        const Vec3d p = box.p + box.R * corners[i];
        out.add({p - d * n, p, n, d, i});
    });
}

void collide_plane_cylinder(const Shape& plane, const Shape& cylinder, double reach, Manifold& out)
{
    PlaneContacts contacts(plane, reach, 0.01 * cylinder.size.x);
    const Vec3d   axis = cylinder.R.column(2), n = contacts.n;
    const double  end = dot(axis, n) > 0 ? -cylinder.size.y : cylinder.size.y;  // the lower cap
    offer_disc(contacts, cylinder, end, end < 0 ? 0 : 8);
    // A lying cylinder touches along a line: the deepest point of the lower cap and that of the other one.
    const Vec3d u = dot(axis, n) * axis - n;  // downwards across the axis
    if (length(u) > 1e-4) contacts.offer(cylinder.p - end * axis + cylinder.size.x * normalized(u), end < 0 ? 12 : 4);
    emit_reduced(contacts.candidates, out, 4);
}

void collide_plane_cone(const Shape& plane, const Shape& cone, double reach, Manifold& out)
{
    PlaneContacts contacts(plane, reach, 0.01 * cone.size.x);
    offer_disc(contacts, cone, -cone.size.y, 0);
    contacts.offer(cone.p + cone.size.y * cone.R.column(2), 8);
    emit_reduced(contacts.candidates, out);
}

void collide_plane_hull(const Shape& plane, const Shape& hull, double reach, Manifold& out)
{
    const Vec3d n = plane.R.column(2);
    supporting_vertices(plane, hull, hull.hull->vertices, reach, 5, [&](std::size_t i, double d) {
        const Vec3d p = hull.p + hull.R * hull.hull->vertices[i];
        out.add({p - d * n, p, n, d, i});
    });
}

void collide_mesh_plane(const Shape& mesh, const Shape& plane, double reach, Manifold& out)
{
    const Vec3d n = plane.R.column(2);  // the mesh is shape 0
    supporting_vertices(plane, mesh, mesh.mesh->points, reach, 5, [&](std::size_t i, double d) {
        const Vec3d p = mesh.p + mesh.R * mesh.mesh->points[i];
        out.add({p, p - d * n, -n, d, i});
    });
}

void every_vertex(const Shape& mesh, const Shape& plane, double reach, std::vector<ContactPoint>& out)
{
    out.clear();
    const Vec3d n = plane.R.column(2);
    for (std::size_t i = 0; i < mesh.mesh->points.size(); ++i) {
        const Vec3d  p = mesh.p + mesh.R * mesh.mesh->points[i];
        const double d = dot(n, p - plane.p);
        if (d <= reach) out.push_back({p, p - d * n, -n, d, i});
    }
}

}  // namespace mechane::collision
