// Distance of two small polyhedra (at most eight corners) by their planes: separating axis test over faces and edge
// pairs, four axes at a time.
// It answers `exact` where the best axis is proven to be the distance or the depth, `bound` where it is a lower bound
// of the distance (GJK starts from it), and `unknown` where a body is flat or too large.
// Everything is computed in the frame of one hull, whose lanes are prepared (hull_shape.cpp); only the partner is
// moved. gjk.cpp is the caller.

#include "by_planes.h"

#include <algorithm>
#include <cmath>

#include "core_support.h"
#include "mechane/geometry/closest.h"
#include "mechane/math/simd.h"
#include "scratch.h"

namespace mechane::collision {

namespace {

/// Sizes of arrays: 8 points have at most 12 triangular faces and 18 edges (Euler: edges <= 3 v - 6).
constexpr auto        kLaneStep      = static_cast<std::size_t>(kLanes);
constexpr std::size_t kMostFaces = kSmallHullFaces,
                      kMostEdges = 20;     ///< whole lanes, for 18
constexpr double      kParallelLanes  = 1e-14;  ///< square of the sine below which two edges have no common perpendicular

/// Vectors by component, filled up to whole lanes with the first.
struct Vectors {
    const double *x = nullptr, *y = nullptr, *z = nullptr;
    std::size_t   count = 0;

    [[nodiscard]] Vec3d operator[](std::size_t i) const { return {x[i], y[i], z[i]}; }
};

/// A polyhedron in the frame of one of the pair. Edges are unit, one of those that are parallel.
struct Solid {
    Vectors points, normals, edges;
};

template <std::size_t N>
struct Room {
    Scratch<double, N> x, y, z;
    std::size_t        count = 0;

    [[gnu::always_inline]] void    add(const Vec3d& v) { x[count] = v.x, y[count] = v.y, z[count] = v.z, ++count; }
    [[gnu::always_inline]] Vectors whole()
    {
        const std::size_t n = count;
        // The first vector is repeated: it changes no minimum or maximum, and it loses every tie by its later name.
        while (count % kLaneStep != 0) add({x[0], y[0], z[0]});
        return {x.data(), y.data(), z.data(), n};
    }
};
/// Where a polyhedron is moved to.
struct SolidRoom {
    Room<kSmallHullPoints> points;
    Room<kMostFaces>       normals;
    Room<kMostEdges>       edges;

    [[gnu::always_inline]] Solid whole() { return {points.whole(), normals.whole(), edges.whole()}; }
};

/// @param R, p  from its frame to that of the other
[[gnu::always_inline]] inline void place_box(const Vec3d& h, const Mat33d& R, const Vec3d& p, SolidRoom& to)
{
    const Vec3d x = R.column(0), y = R.column(1), z = R.column(2);
    const Vec3d a = h.x * x, b = h.y * y, c = h.z * z;
    for (const Vec3d& base : {p - c, p + c}) {
        to.points.add(base - a - b), to.points.add(base + a - b);
        to.points.add(base - a + b), to.points.add(base + a + b);
    }
    for (const Vec3d& n : {x, y, z}) to.normals.add(n), to.normals.add(-n), to.edges.add(n);
}

[[gnu::always_inline]] inline void place_hull(const HullShape& hull, const Mat33d& R, const Vec3d& p, SolidRoom& to)
{
    for (const Vec3d& v : hull.vertices) to.points.add(p + R * v);
    for (const Vec3d& n : hull.face_normals) to.normals.add(R * n);
    for (const Vec3d& e : hull.edge_ways) to.edges.add(R * e);
}

/// @param R, origin  of the frame to which it is moved, turned there and where it lies
/// @return whether it spans an area
[[gnu::always_inline]] inline bool place_triangle(const Shape& s, const Mat33d& R, const Vec3d& origin, SolidRoom& to)
{
    std::array<Vec3d, 3> c;
    for (std::size_t i = 0; i < 3; ++i) to.points.add(c[i] = R * (s.corners[i] - origin));
    const bool   prism  = !(s.extrusion == Vec3d{});
    const Vec3d  across = cross(c[1] - c[0], c[2] - c[0]);
    const double size2 =
        std::max({length_squared(c[1] - c[0]), length_squared(c[2] - c[0]), length_squared(c[2] - c[1])});
    if (!(length_squared(across) > 1e-16 * size2 * size2)) return false;
    // Sides of the prism follow its extrusion; of a bare triangle they follow its normal, which makes them the planes
    // through its edges.
    const Vec3d n = normalized(across), down = R * s.extrusion, along = prism ? normalized(down) : -n;
    for (std::size_t i = 0; i < 3 && prism; ++i) to.points.add(c[i] + down);
    to.normals.add(n), to.normals.add(-n);
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3d e = normalized(c[(i + 1) % 3] - c[i]);
        to.edges.add(e);
        to.normals.add(normalized(cross(along, e)));
    }
    if (prism) to.edges.add(along);
    return true;
}

struct Lane3 {
    Lanes x, y, z;
};
[[gnu::always_inline]] inline Lane3 group(const Vectors& v, std::size_t i)
{ return {lanes(v.x + i), lanes(v.y + i), lanes(v.z + i)}; }

/// How far points reach along four directions.
[[gnu::always_inline]] inline void extent(const Vectors& points, const Lane3& w, Lanes& low, Lanes& high)
{
    low = high = points.x[0] * w.x + points.y[0] * w.y + points.z[0] * w.z;
    for (std::size_t i = 1; i < points.count; ++i) {
        const Lanes at = points.x[i] * w.x + points.y[i] * w.y + points.z[i] * w.z;
        low            = at < low ? at : low;
        high           = at > high ? at : high;
    }
}

/// The plane that separates most, from the first polyhedron to the second.
struct Plane {
    double apart = -kInfinity;  ///< negative: how far they overlap along it
    Vec3d  n;
};

/// The best of four running maxima, the first among equals.
[[gnu::always_inline]] inline double best_of(const Lanes& best, const Lanes& at, std::size_t& name)
{
    std::size_t k = 0;
    for (std::size_t i = 1; i < kLaneStep; ++i)
        if (best[i] > best[k] || (best[i] == best[k] && at[i] < at[k])) k = i;
    name = static_cast<std::size_t>(at[k]);
    return best[k];
}

/// @param top, other_top  how far the polyhedra reach along their faces' normals
[[gnu::always_inline]] inline Plane most_separating(const Solid& p, const Solid& q, double limit, double* top,
                                                    double* other_top)
{
    const Lanes first{0, 1, 2, 3}, none = Lanes{} - kInfinity;
    Plane       plane;
    // Face axes of either polyhedron. The support of the owner along its own normals is kept: is_inside needs it again.
    for (const bool of_p : {true, false}) {
        const Vectors& normals = of_p ? p.normals : q.normals;
        double*        reach   = of_p ? top : other_top;
        Lanes          best    = none, at{};
        for (std::size_t i = 0; i < normals.count; i += kLaneStep) {
            const Lane3 n = group(normals, i);
            Lanes       low, high, low_other, high_other;
            extent(of_p ? p.points : q.points, n, low, high);
            extent(of_p ? q.points : p.points, n, low_other, high_other);
            lanes(reach + i)    = high;
            const Lanes    s    = low_other - high;
            const LaneMask more = s > best;
            best                = more ? s : best;
            at                  = more ? first + static_cast<double>(i) : at;
        }
        std::size_t  which = 0;
        const double most  = best_of(best, at, which);
        if (most > plane.apart) plane = {most, of_p ? normals[which] : -normals[which]};
    }
    // A face alone proves the bodies farther apart than the caller asks: edge pairs cannot change that.
    if (plane.apart > limit) return plane;
    Lanes best = none, at{};
    for (std::size_t k = 0; k < q.edges.count; ++k) {
        const Vec3d e = q.edges[k];
        for (std::size_t i = 0; i < p.edges.count; i += kLaneStep) {
            const Lane3 d = group(p.edges, i);
            Lane3       w{d.y * e.z - d.z * e.y, d.z * e.x - d.x * e.z, d.x * e.y - d.y * e.x};
            const Lanes square_of = w.x * w.x + w.y * w.y + w.z * w.z;
            Lanes       low, high, low_q, high_q;
            extent(p.points, w, low, high);
            extent(q.points, w, low_q, high_q);
            // Squares, with the sign, compare as well, and want no root.
            const Lanes    up = low_q - high, down = low - high_q, most = up > down ? up : down;
            const Lanes    s    = most * (most < 0 ? -most : most) / square_of;
            const LaneMask more = (s > best) & (square_of > kParallelLanes + Lanes{});
            best                = more ? s : best;
            // The name of a pair is its edge of q times the row length plus its edge of p. It is exact in a double and
            // decides ties.
            at                  = more ? first + static_cast<double>(k * kMostEdges + i) : at;
        }
    }
    std::size_t which = 0;
    if (!(best_of(best, at, which) > plane.apart * std::abs(plane.apart))) return plane;
    const Vec3d n   = normalized(cross(p.edges[which % kMostEdges], q.edges[which / kMostEdges]));
    // The winner is projected again with a unit axis: the comparison above was of squares, divided and rounded.
    double      low = kInfinity, high = -kInfinity, low_q = kInfinity, high_q = -kInfinity;
    for (std::size_t i = 0; i < p.points.count; ++i) {
        const double at_i = dot(n, p.points[i]);
        low = std::min(low, at_i), high = std::max(high, at_i);
    }
    for (std::size_t i = 0; i < q.points.count; ++i) {
        const double at_i = dot(n, q.points[i]);
        low_q = std::min(low_q, at_i), high_q = std::max(high_q, at_i);
    }
    const double up = low_q - high, down = low - high_q;
    if (!(std::max(up, down) > plane.apart)) return plane;
    return up > down ? Plane{up, n} : Plane{down, -n};
}

/// The points that lie farthest along a direction, to rounding.
struct Outermost {
    std::array<std::size_t, kSmallHullPoints> at;
    std::size_t                               count = 0;

    Outermost(const Vectors& points, const Vec3d& d, double slack)
    {
        std::array<double, kSmallHullPoints> along;
        double                               most = -kInfinity;
        for (std::size_t i = 0; i < points.count; ++i) most = std::max(most, along[i] = dot(d, points[i]));
        for (std::size_t i = 0; i < points.count; ++i)
            if (along[i] >= most - slack) at[count++] = i;
    }
};

/// Whether a point is in the polyhedron.
/// Inside all face planes. Between two such bodies it says that a witness lies over the other's face.
bool is_inside(const Solid& s, const double* top, const Vec3d& p, double slack)
{
    if (s.normals.count == 0) return false;
    for (std::size_t i = 0; i < s.normals.count; ++i)
        if (dot(s.normals[i], p) > top[i] + slack) return false;
    return true;
}

/// Points of both that lie over each other as far apart as the plane says: then that is the distance.
/// A plane at distance `apart` is the distance itself if a point of one body, moved by apart n, lies in the other.
/// Three cases: a corner of q over p, a corner of p over q, or two edges that cross. Without such points the nearest
/// features are a corner and an edge or corner, and the axis is a bound only.
bool witnesses(const Solid& p, const Solid& q, const Plane& plane, const double* top, const double* other_top,
               double size, Vec3d& on_p, Vec3d& on_q)
{
    const double    slack = 1e-10 * size;
    const Vec3d     way   = plane.apart * plane.n;
    const Outermost from(p.points, plane.n, slack), to(q.points, -plane.n, slack);
    for (std::size_t i = 0; i < to.count; ++i) {
        on_q = q.points[to.at[i]], on_p = on_q - way;
        if (is_inside(p, top, on_p, slack)) return true;
    }
    for (std::size_t i = 0; i < from.count; ++i) {
        on_p = p.points[from.at[i]], on_q = on_p + way;
        if (is_inside(q, other_top, on_q, slack)) return true;
    }
    for (std::size_t i = 0; i < from.count; ++i)
        for (std::size_t j = i + 1; j < from.count; ++j)
            for (std::size_t k = 0; k < to.count; ++k)
                for (std::size_t l = k + 1; l < to.count; ++l) {
                    const auto near = geometry::closest_on_segments(p.points[from.at[i]], p.points[from.at[j]],
                                                                    q.points[to.at[k]] - way, q.points[to.at[l]] - way);
                    if (!(length_squared(near.b - near.a) <= slack * slack)) continue;
                    on_p = near.a, on_q = near.b + way;
                    return true;
                }
    return false;
}

bool is_small_hull(const Shape& s) { return s.kind == ShapeKind::hull && !s.hull->edge_ways.empty(); }
bool is_flat_sided(const Shape& s)
{ return s.kind == ShapeKind::box || s.kind == ShapeKind::triangle || is_small_hull(s); }

/// In its own frame.
Solid solid_of(const HullShape& hull)
{
    const auto of = [](const LaneVectors& v, std::size_t count) {
        return Vectors{v.x.data(), v.y.data(), v.z.data(), count};
    };
    return {of(hull.vertex_lanes, hull.vertices.size()), of(hull.normal_lanes, hull.face_normals.size()),
            of(hull.edge_lanes, hull.edge_ways.size())};
}

}  // namespace

MCH_CLONES_AVX2 ByPlanes distance_by_planes(const Shape& a, const Shape& b, double give_up, bool deep, CoreDistance& out)
{
    const bool second = is_small_hull(b);
    if (!(second || is_small_hull(a)) || !is_flat_sided(a) || !is_flat_sided(b)) return ByPlanes::unknown;
    // In the frame of a hull, which is the second one if both are.
    const Shape &own = second ? b : a, &other = second ? a : b;
    const Mat33d to = transpose(own.R);
    SolidRoom    room;
    const Solid  p = solid_of(*own.hull);
    Solid        q;
    if (other.kind == ShapeKind::triangle) {
        if (!place_triangle(other, to, own.p, room)) return ByPlanes::unknown;
        q = room.whole();
    } else {
        const Mat33d R  = to * other.R;
        const Vec3d  at = to * (other.p - own.p);
        other.kind == ShapeKind::box ? place_box(other.size, R, at, room) : place_hull(*other.hull, R, at, room);
        q = room.whole();
    }
    std::array<double, kMostFaces> top, other_top;
    const Plane                    plane = most_separating(p, q, give_up, top.data(), other_top.data());
    const Vec3d                    n     = own.R * plane.n;
    out                                  = {.distance = plane.apart, .normal = second ? -n : n, .on_a = {}, .on_b = {}};
    if (plane.apart > give_up) return ByPlanes::exact;
    // The caller asked for the distance only: overlap is answered by an empty result.
    if (plane.apart <= 0 && !deep) {
        out = {};
        return ByPlanes::exact;
    }
    double size = 0;
    for (const Vectors& points : {p.points, q.points})
        for (std::size_t i = 0; i < points.count; ++i) size = std::max(size, max_component(abs(points[i])));
    Vec3d on_p, on_q;
    if (!witnesses(p, q, plane, top.data(), other_top.data(), size, on_p, on_q))
        return plane.apart > 0 ? ByPlanes::bound : ByPlanes::unknown;
    on_p = own.p + own.R * on_p, on_q = own.p + own.R * on_q;
    out.on_a = second ? on_q : on_p, out.on_b = second ? on_p : on_q;
    return ByPlanes::exact;
}

}  // namespace mechane::collision
