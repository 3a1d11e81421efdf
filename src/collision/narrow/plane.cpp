#include <algorithm>
#include <cmath>

#include "manifold.h"
#include "pairs.h"

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

void collide_plane_box(const Shape& plane, const Shape& box, double reach, Manifold& out)
{
    const Vec3d  n = plane.R.column(2);
    const double d = dot(n, box.p - plane.p);
    const Vec3d  e = scale(transpose_times(box.R, n), box.size);  // height of a corner: d + the sum of +- e
    std::array<std::pair<double, std::uint64_t>, 8> corners;
    for (std::uint64_t i = 0; i < 8; ++i)
        corners[i] = {d + (i & 1u ? -e.x : e.x) + (i & 2u ? -e.y : e.y) + (i & 4u ? -e.z : e.z), i};
    // The four lowest; equal heights up to rounding keep the order of the corners.
    const double noise = 1e-12 * (std::abs(d) + length(e));
    std::sort(corners.begin(), corners.end());
    for (std::size_t i = 1; i < 8; ++i)
        for (std::size_t k = i;
             k > 0 && corners[k].first - corners[k - 1].first < noise && corners[k].second < corners[k - 1].second; --k)
            std::swap(corners[k], corners[k - 1]);
    for (std::size_t k = 0; k < 4; ++k) {
        const auto [height, i] = corners[k];
        if (height > reach) break;
        const Vec3d local{i & 1u ? -box.size.x : box.size.x, i & 2u ? -box.size.y : box.size.y,
                          i & 4u ? -box.size.z : box.size.z};
        const Vec3d p1 = box.p + box.R * local;
        out.add({p1 - height * n, p1, n, height, i});
    }
}

void collide_plane_cylinder(const Shape& plane, const Shape& cylinder, double reach, Manifold& out)
{
    PlaneContacts contacts(plane, reach, 0.01 * cylinder.size.x);
    const Vec3d   axis = cylinder.R.column(2), n = contacts.n;
    const double  end = dot(axis, n) > 0 ? -cylinder.size.y : cylinder.size.y;  // the lower cap
    offer_disc(contacts, cylinder, end, end < 0 ? 0 : 8);
    const Vec3d u = dot(axis, n) * axis - n;  // downwards across the axis
    if (length(u) > 1e-4) contacts.offer(cylinder.p - end * axis + cylinder.size.x * normalized(u), end < 0 ? 12 : 4);
    emit_reduced(contacts.candidates, out);
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
    PlaneContacts contacts(plane, reach, 1e-9);
    const auto&   vertices = hull.hull->vertices;
    for (std::size_t i = 0; i < vertices.size(); ++i) contacts.offer(hull.p + hull.R * vertices[i], i);
    emit_reduced(contacts.candidates, out);
}

void collide_mesh_plane(const Shape& mesh, const Shape& plane, double reach, Manifold& out)
{
    PlaneContacts contacts(plane, reach, 1e-9);
    const Vec3d   n_local = transpose_times(mesh.R, contacts.n);
    const double  offset  = dot(contacts.n, mesh.p - plane.p);
    const auto&   points  = mesh.mesh->points;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (dot(n_local, points[i]) + offset <= reach) contacts.offer(mesh.p + mesh.R * points[i], i);
    const std::size_t kept = reduce(contacts.candidates.all());
    for (std::size_t i = 0; i < kept; ++i) {  // the mesh is shape 0
        const ContactPoint& c = contacts.candidates.points[i];
        out.add({c.p1, c.p0, -c.normal, c.distance, c.feature});
    }
}

}  // namespace mechane::collision
