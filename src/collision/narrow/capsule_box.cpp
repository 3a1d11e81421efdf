// Contacts of a capsule with a box in closed form.
//
// c, u  middle and direction of the core segment
// h     half extents of the box, along its axes
// e     from the nearest point of the box to a point of the core
// n     normal from the box to the core
//
// All is computed in the frame of the box and turned into the world when a contact is emitted. Contacts have names of
// features, so that the next step finds them again.

#include <algorithm>
#include <cmath>

#include "pairs.h"

/// Capsule and box in closed form, in the frame of the box. The squared distance of a point of the core segment from
/// the box is a convex function of its place, with a derivative of straight pieces: its zero gives the closest point. A
/// core that runs through the box leaves by the axis of least overlap: the faces, and the edges across the core.
namespace mechane::collision {

namespace {

constexpr double kAlongEdge = 0.01;  ///< sine below which core and edge run together

struct CapsuleOnBox {
    const Shape& box;
    Vec3d        c, u;     ///< middle and direction of the core
    double       half, r;  ///< its half length, its radius
    double       reach;
    Manifold&    out;

    [[nodiscard]] Vec3d at(double t) const { return c + t * u; }
    /// A contact with the point q of the box's surface and the normal n from the box to the core [m].
    void emit(const Vec3d& q, const Vec3d& n, double distance, std::uint64_t feature)
    {
        if (distance > reach) return;
        const Vec3d p1 = box.p + box.R * q, normal = -(box.R * n);
        out.add({p1 - distance * normal, p1, normal, distance, feature});
    }
};

/// From the nearest point of the box to x.
/// The clamped point is the nearest of the box; the difference is zero inside.
Vec3d off_box(const Vec3d& x, const Vec3d& h) { return x - max(-h, min(h, x)); }

/// Place of the core's point nearest to the box; any of them where the core runs through it.
/// f(t) = |x(t) - clamp(x(t))|^2 / 2 is convex with derivative u . e(t), which is linear between the six face planes.
/// Newton's method with a bracket: a step that leaves the bracket is replaced by bisection.
double nearest_place(const CapsuleOnBox& p)
{
    const Vec3d& h     = p.box.size;
    const auto   slope = [&](double t) { return dot(p.u, off_box(p.at(t), h)); };
    double       from = -p.half, to = p.half;
    if (slope(from) >= 0) return from;
    if (slope(to) <= 0) return to;
    double t = std::clamp(-dot(p.c, p.u), from, to);
    for (int i = 0; i < 32; ++i) {  // Newton's steps are exact on a straight piece, and there are seven
        const Vec3d  e = off_box(p.at(t), h);
        const double g = dot(p.u, e);
        if (g == 0) break;
        (g > 0 ? to : from) = t;
        // Second derivative of f: only the components that are outside of the box vary.
        const Vec3d  along{e.x != 0 ? p.u.x : 0, e.y != 0 ? p.u.y : 0, e.z != 0 ? p.u.z : 0};
        const double next = t - g / dot(along, along);
        if (next == t) break;
        t = next > from && next < to ? next : 0.5 * (from + to);
    }
    return t;
}

/// The part of the core over the face `k`, both ends of it.
void over_face(CapsuleOnBox& p, std::size_t k, double side)
{
    const Vec3d& h    = p.box.size;
    double       from = -p.half, to = p.half;
    for (std::size_t i = 0; i < 3; ++i) {
        if (i == k || p.u[i] == 0) continue;
        const double a = (-h[i] - p.c[i]) / p.u[i], b = (h[i] - p.c[i]) / p.u[i];
        from = std::max(from, std::min(a, b)), to = std::min(to, std::max(a, b));
    }
    if (from > to) from = to = std::clamp(0.5 * (from + to), -p.half, p.half);  // it only grazes an edge of the face
    Vec3d n;
    n[k] = side;
    // Feature names of capsule and box: 1.. faces, 16.. edges, 80.. corners; the end of the core adds one.
    const std::uint64_t name = 1 + 4 * k + (side > 0 ? 2 : 0);
    for (const double t : {from, to}) {
        Vec3d        q        = p.at(t);
        const double distance = side * q[k] - h[k] - p.r;
        q[k]                  = side * h[k];
        p.emit(q, n, distance, t == from ? name : name + 1);
        // A core that is over the face for a thousandth of its length gives one point, or two rows would share one
        // place.
        if (to - from <= 1e-3 * p.half) break;
    }
}

/// The core passes the edge along axis k whose corner in the plane across it is `corner`; n from the edge to the core.
void beside_edge(CapsuleOnBox& p, std::size_t k, Vec3d corner, const Vec3d& n, double t)
{
    const double        h = p.box.size[k];
    const std::uint64_t name =
        16 + 16 * k + (corner.x > 0 ? 2u : 0u) + (corner.y > 0 ? 4u : 0u) + (corner.z > 0 ? 8u : 0u);
    const double z    = p.at(t)[k];
    const double sine = std::sqrt(std::max(0.0, 1 - p.u[k] * p.u[k]));
    // Core and edge run side by side: both ends of the overlap carry, as with two parallel edges.
    if (sine < kAlongEdge && std::abs(dot(n, p.u)) < 5e-3) {
        const double a = p.at(-p.half)[k], b = p.at(p.half)[k];
        const double from = std::max(-h, std::min(a, b)), to = std::min(h, std::max(a, b));
        if (to - from > 1e-3 * std::min(h, p.half)) {
            for (const double place : {from, to}) {
                corner[k]     = place;
                const Vec3d q = p.at((place - p.c[k]) / p.u[k]);
                p.emit(corner, n, dot(n, q - corner) - p.r, place == from ? name : name + 1);
            }
            return;
        }
    }
    corner[k] = std::clamp(z, -h, h);
    p.emit(corner, n, dot(n, p.at(t) - corner) - p.r, name);
}

/// The core runs through the box.
void leave(CapsuleOnBox& p)
{
    const Vec3d& h    = p.box.size;
    const double bias = 1e-6 * (length(h) + p.half);  // a face, which holds at two points, wins ties
    double       most = -kInfinity;
    std::size_t  axis = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double s = std::abs(p.c[i]) - p.half * std::abs(p.u[i]) - h[i];
        if (s > most + bias) most = s, axis = i;
    }
    bool  edge = false;
    Vec3d across;
    for (std::size_t i = 0; i < 3 && p.half > 0; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        const double      sine = std::sqrt(p.u[j] * p.u[j] + p.u[k] * p.u[k]);
        if (sine < 1e-4) continue;  // along an edge: a face says the same
        Vec3d n;
        // The common perpendicular of the core and the box's axis i lies in the plane across that axis.
        n[j] = -p.u[k] / sine, n[k] = p.u[j] / sine;
        const double x = dot(n, p.c), s = std::abs(x) - h[j] * std::abs(n[j]) - h[k] * std::abs(n[k]);
        if (s > most + (edge ? 0 : bias)) {
            most = s, axis = i, edge = true;
            across = x < 0 ? -n : n;
        }
    }
    if (!edge) return over_face(p, axis, p.c[axis] < 0 ? -1.0 : 1.0);
    Vec3d corner{across.x < 0 ? -h.x : h.x, across.y < 0 ? -h.y : h.y, across.z < 0 ? -h.z : h.z};
    // Where the core passes the edge, seen along the common perpendicular.
    const std::size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double      t = std::clamp(
        ((corner[j] - p.c[j]) * p.u[j] + (corner[k] - p.c[k]) * p.u[k]) / (p.u[j] * p.u[j] + p.u[k] * p.u[k]), -p.half,
        p.half);
    beside_edge(p, axis, corner, across, t);
}

}  // namespace

void collide_capsule_box(const Shape& capsule, const Shape& box, double reach, Manifold& out)
{
    CapsuleOnBox p{box,
                   transpose_times(box.R, capsule.p - box.p),
                   transpose_times(box.R, capsule.R.column(2)),
                   capsule.size.y,
                   capsule.size.x,
                   reach,
                   out};
    const Vec3d& h = box.size;
    const double t = nearest_place(p);
    const Vec3d  x = p.at(t);
    Vec3d        e = off_box(x, h);
    const double d = length(e);
    if (d - p.r > reach) return;
    // The core touches the box to rounding: no direction can be read off the difference.
    if (!(d > 1e-12 * (length(h) + p.half))) return leave(p);
    // Flush with a side is not beyond it, and a core that all but lies along a face is held by the face.
    const double slack = 1e-6 * d + 1e-15 * (length(h) + p.half + length(p.c));
    for (std::size_t i = 0; i < 3; ++i)
        if (std::abs(e[i]) <= slack) e[i] = 0;
    // The number of coordinates in which the nearest point lies outside says what it is on: a face, an edge or a
    // corner.
    const std::size_t tilted = (e.x != 0 ? 1u : 0u) + (e.y != 0 ? 1u : 0u) + (e.z != 0 ? 1u : 0u);
    if (tilted == 1) {
        const std::size_t k = e.x != 0 ? 0 : e.y != 0 ? 1 : 2;
        return over_face(p, k, e[k] < 0 ? -1.0 : 1.0);
    }
    const Vec3d corner = x - e, n = e / d;
    if (tilted == 2) return beside_edge(p, e.x == 0 ? 0 : e.y == 0 ? 1 : 2, corner, n, t);
    p.emit(corner, n, d - p.r, 80 + (e.x > 0 ? 1u : 0u) + (e.y > 0 ? 2u : 0u) + (e.z > 0 ? 4u : 0u));
}

}  // namespace mechane::collision
