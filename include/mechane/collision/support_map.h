#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "mechane/geometry/closest.h"
#include "mechane/math/pose.h"

/// Queries between convex shapes of one's own, known by their support maps alone: for who builds a narrow phase.
///
/// A support map is any callable `Vec3d support(const Geom&, const Vec3d& direction)`: the point of the geometry that
/// lies farthest along a direction (of any length but zero), both in the geometry's own frame. The geometry may be of
/// any type, the two of a pair of different ones. The factories return function objects that keep the callable and
/// nothing else; they allocate nothing but where they say so, and may run on many threads.
///
///     const auto closest = create_solve_closest_distance(my_support);
///     const ClosestPoints c = closest(ball, X_WA, box, X_WB);
namespace mechane::collision {

/// Whether a callable is a support map of a geometry. It has to be const: several threads may call it.
template <class Support, class Geom>
concept SupportMap = std::is_invocable_r_v<Vec3d, const Support&, const Geom&, const Vec3d&>;

/// Of two shapes, in the world. `normal` is unit and points from a to b.
/// Answers of `create_solve_closest_distance`.
struct ClosestPoints {
    /// False: they overlap or touch, and the normal says nothing.
    bool   separated = false;
    double distance  = 0;                      ///< [m], 0 when they overlap
    Vec3d  point_a, point_b, normal{1, 0, 0};  ///< [m], [m]; unit, from a to b
};

/// Likewise. In penetration `distance` is negative, and moving b by -distance along the normal separates the two: it is
/// never less than what the least such translation takes, and may be more.
struct PortalContact {
    bool   hit      = false;
    double distance = 0;                       ///< [m]
    Vec3d  point_a, point_b, normal{1, 0, 0};  ///< [m], [m]; unit, from a to b
};

/// One of several contacts of a pair, in the world.
struct SupportContact {
    Vec3d  point_a, point_b, normal{1, 0, 0};  ///< [m], [m]; unit, from a to b
    double distance = 0;                       ///< dot(normal, point_b - point_a) [m]
};

/// What the three factories share. Not promised by itself.
namespace support_map {

/// A point of the difference b - a, with the points that it comes from.
struct Point {
    Vec3d w, a, b;  ///< [m]
};

/// Two geometries with their poses, as one convex set: the Minkowski difference b - a.
template <class Support, class A, class B>
struct Pair {
    /// Referred to, not copied: a pair lives as long as one call.
    const Support& support;
    const A&       a;
    const Posed&   X_WA;
    const B&       b;
    const Posed&   X_WB;

    /// Support points in the world, along a direction of the world.
    [[nodiscard]] Vec3d of_a(const Vec3d& d) const { return X_WA * support(a, rotate_inverse(X_WA.q, d)); }
    [[nodiscard]] Vec3d of_b(const Vec3d& d) const { return X_WB * support(b, rotate_inverse(X_WB.q, d)); }
    /// The point of b - a that lies farthest along d.
    [[nodiscard]] Point operator()(const Vec3d& d) const
    {
        const Vec3d from = of_a(-d), to = of_b(d);
        return {to - from, from, to};
    }
    /// A point inside of the difference, as far as support points can tell.
    [[nodiscard]] Point inside() const
    {
        Point out{};
        for (const Vec3d& d : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
            for (const double sign : {-1.0, 1.0}) {
                out.a += (1.0 / 6) * of_a(sign * d);
                out.b += (1.0 / 6) * of_b(sign * d);
            }
        out.w = out.b - out.a;
        return out;
    }
};

/// A simplex of up to four points, and the weights of its point nearest to the origin.
struct Simplex {
    /// The first `count` of them hold something.
    std::array<Point, 4>  points;
    std::array<double, 4> weights{};  ///< barycentric, sum 1, dimensionless
    std::size_t           count = 0;

    /// Takes the nearest point of a face where it is nearer than what is known.
    void offer(std::size_t i, std::size_t j, std::size_t k, double& least, Vec3d& v, std::array<double, 4>& best) const
    {
        const auto c = geometry::nearest_to_origin(points[i].w, points[j].w, points[k].w);
        if (!(length_squared(c.point) < least)) return;
        least   = length_squared(c.point);
        v       = c.point;
        best    = {};
        best[i] = c.weights.x, best[j] = c.weights.y, best[k] = c.weights.z;
    }
    /// Keeps what the point nearest to the origin needs. True when the origin is inside of a tetrahedron.
    bool reduce(Vec3d& v)
    {
        double                least = kInfinity;  // squared [m^2]
        std::array<double, 4> best{};
        if (count == 1) {
            best = {1, 0, 0, 0};
            v    = points[0].w;
        } else if (count == 2) {
            const double t = geometry::closest_on_segment({}, points[0].w, points[1].w);
            best           = {1 - t, t, 0, 0};
            v              = points[0].w + t * (points[1].w - points[0].w);
        } else if (count == 3) {
            offer(0, 1, 2, least, v, best);
        } else {
            const Vec3d  e = points[0].w - points[3].w, f = points[1].w - points[3].w, g = points[2].w - points[3].w;
            const double volume = dot(e, cross(f, g));
            const double size   = std::max({length_squared(e), length_squared(f), length_squared(g)});
            bool         inside = square(volume) > 1e-28 * size * size * size;
            const bool   flat   = !inside;
            constexpr std::array<std::array<std::size_t, 4>, 4> kFaces{
                {{1, 2, 3, 0}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 1, 2, 3}}};
            for (const auto& [i, j, k, other] : kFaces) {
                // Is the origin on the other side of the face than the vertex that it lacks?
                const Vec3d n = cross(points[j].w - points[i].w, points[k].w - points[i].w);
                if (!flat && dot(n, points[i].w) * dot(n, points[i].w - points[other].w) > 0) continue;
                inside = false;
                offer(i, j, k, least, v, best);
            }
            if (inside) return true;
        }
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i)
            if (best[i] > 0) {
                points[kept]    = points[i];
                weights[kept++] = best[i];
            }
        count = kept;
        return false;
    }
};

/// Gilbert, Johnson and Keerthi 1988. The answer is good to a relative 1e-11 of the distance's square. Of shapes that
/// touch the points are there, too; the normal is not.
template <class P>
ClosestPoints closest(const P& difference)
{
    const auto place = [](const Simplex& at, ClosestPoints& out) {
        for (std::size_t k = 0; k < at.count; ++k) {
            out.point_a += at.weights[k] * at.points[k].a;
            out.point_b += at.weights[k] * at.points[k].b;
        }
        return out;
    };
    constexpr int kIterations = 128;
    Simplex       simplex;
    Vec3d         v      = difference.inside().w;
    double        extent = 0, least = kInfinity;  // squared [m^2]
    if (!(length_squared(v) > 0)) v = {1, 0, 0};
    for (int i = 0; i < kIterations; ++i) {
        const Point  w  = difference(-v);
        const double vv = length_squared(v), vw = dot(v, w.w);
        extent     = std::max(extent, length_squared(w.w));
        bool known = simplex.count > 0 && vv - vw <= 1e-11 * vv;
        for (std::size_t k = 0; k < simplex.count; ++k) known = known || simplex.points[k].w == w.w;
        if (known) break;
        const Simplex before            = simplex;
        const Vec3d   v_before          = v;
        simplex.points[simplex.count++] = w;
        ClosestPoints meeting;
        if (simplex.reduce(v)) return meeting;
        const double now = length_squared(v);
        if (now <= 1e-22 * extent) return place(simplex, meeting);
        if (!(now < least) && i > 0) {  // rounding has the last word
            simplex = before;
            v       = v_before;
            break;
        }
        least = now;
    }
    ClosestPoints out;
    out.separated = true;
    out.distance  = length(v);
    if (!(out.distance > 0)) return {};
    out.normal = v / out.distance;
    return place(simplex, out);
}

/// Minkowski portal refinement (Snethen 2008, Game Programming Gems 7): a ray from the inside of the difference through
/// the origin leaves it through a portal of three points, which moves out until it lies on the surface.
template <class P>
PortalContact portal(const P& difference)
{
    constexpr int kIterations = 128;
    // Along `out` the difference does not reach beyond the origin.
    const auto apart = [&](const Vec3d& out) {
        const ClosestPoints c = closest(difference);
        // What GJK finds touching is a hit without depth.
        return PortalContact{!c.separated, c.distance, c.point_a, c.point_b,
                             c.separated ? c.normal : -normalized(out, {-1, 0, 0})};
    };
    Point v0 = difference.inside();
    if (!(length_squared(v0.w) > 0)) v0.w = {1e-12, 0, 0};
    const auto along = [&](const Point& at, const Vec3d& n) {
        return PortalContact{true, -dot(at.w, n), at.a, at.b, -n};
    };
    Point v1 = difference(-v0.w);
    if (dot(v1.w, -v0.w) <= 0) return apart(-v0.w);
    Vec3d n = cross(v1.w, v0.w);
    if (!(length_squared(n) > 1e-28 * length_squared(v1.w) * length_squared(v0.w))) {
        // The origin lies on the way from the inside to a point of the surface.
        const Vec3d out = normalized(v1.w - v0.w);
        return along(difference(out), out);
    }
    Point v2 = difference(n);
    if (dot(v2.w, n) <= 0) return apart(n);
    n = cross(v1.w - v0.w, v2.w - v0.w);
    if (dot(n, v0.w) > 0) {
        std::swap(v1, v2);
        n = -n;
    }
    Point v3;
    for (int i = 0;; ++i) {
        if (i == kIterations) return apart(n);
        v3 = difference(n);
        if (dot(v3.w, n) <= 0) return apart(n);
        if (dot(cross(v1.w, v3.w), v0.w) < 0) {
            v2 = v3;
            n  = cross(v1.w - v0.w, v3.w - v0.w);
        } else if (dot(cross(v3.w, v2.w), v0.w) < 0) {
            v1 = v3;
            n  = cross(v3.w - v0.w, v2.w - v0.w);
        } else {
            break;
        }
    }
    /// They overlap or touch; otherwise the rest is of shapes that are apart, as `create_solve_closest_distance` gives
    /// it.
    bool hit = false;
    for (int i = 0; i < kIterations; ++i) {
        const Vec3d across = cross(v2.w - v1.w, v3.w - v1.w);
        if (!(length_squared(across) > 0)) break;
        n                = across / length(across);
        hit              = hit || dot(n, v1.w) >= 0;
        const Point  v4  = difference(n);
        const double out = dot(v4.w, n);
        if (out <= 0) return apart(n);
        const double extent = std::max({length(v1.w), length(v2.w), length(v3.w)});
        if (dot(v4.w - v3.w, n) <= 1e-10 * extent || i + 1 == kIterations) {
            if (!hit) return apart(n);
            const auto c = geometry::nearest_to_origin(v1.w, v2.w, v3.w);
            return {true, -out, c.weights.x * v1.a + c.weights.y * v2.a + c.weights.z * v3.a,
                    c.weights.x * v1.b + c.weights.y * v2.b + c.weights.z * v3.b, -n};
        }
        const Vec3d side = cross(v4.w, v0.w);
        if (dot(v1.w, side) > 0) {
            (dot(v2.w, side) > 0 ? v1 : v3) = v4;
        } else {
            (dot(v3.w, side) > 0 ? v2 : v1) = v4;
        }
    }
    return hit ? along(difference(n), n) : apart(n);
}

/// What a shape has in the direction of a contact: a corner, an edge or a face. Points about the normal, as (x, y) in a
/// plane across it and the height along it.
struct Feature {
    static constexpr std::size_t kMost = 32;
    std::array<Vec3d, kMost>     points{};  ///< in the frame of the contact [m]
    std::size_t                  count = 0;

    /// A point beyond the room for 32 is dropped.
    void add(const Vec3d& p)
    {
        if (count < kMost) points[count++] = p;
    }
    /// Height of the feature's plane or line over a place.
    [[nodiscard]] double height(double x, double y) const
    {
        if (count == 0) return 0;
        if (count >= 3) {
            Vec3d n, middle;  // unit; [m]
            for (std::size_t i = 0; i < count; ++i) {
                n += cross(points[i], points[(i + 1) % count]);
                middle += (1.0 / static_cast<double>(count)) * points[i];
            }
            if (std::abs(n.z) > 1e-9 * length(n)) return middle.z - (n.x * (x - middle.x) + n.y * (y - middle.y)) / n.z;
        }
        const Vec3d  d  = count > 1 ? points[1] - points[0] : Vec3d{};
        const double dd = d.x * d.x + d.y * d.y;
        const double t  = dd > 0 ? ((x - points[0].x) * d.x + (y - points[0].y) * d.y) / dd : 0;
        return points[0].z + std::clamp(t, 0.0, 1.0) * d.z;
    }
};

/// Twice the area of the triangle across the normal, positive where o, a, b turn counter-clockwise [m^2].
inline double turn(const Vec3d& o, const Vec3d& a, const Vec3d& b)
{ return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); }

/// Corners of the convex outline, counter-clockwise (Andrew 1979); what lies nearer together than `same` is one.
inline Feature outline(Feature in, double same)
{
    std::sort(in.points.begin(), in.points.begin() + static_cast<std::ptrdiff_t>(in.count),
              [](const Vec3d& a, const Vec3d& b) {
                  return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
              });
    Feature unique;
    for (std::size_t i = 0; i < in.count; ++i) {
        bool known = false;
        for (std::size_t k = 0; k < unique.count; ++k)
            known =
                known || std::hypot(in.points[i].x - unique.points[k].x, in.points[i].y - unique.points[k].y) <= same;
        if (!known) unique.add(in.points[i]);
    }
    if (unique.count < 3) return unique;
    std::array<Vec3d, 2 * Feature::kMost> hull;
    std::size_t                           count = 0;
    const auto                            add   = [&](const Vec3d& p, std::size_t keep) {
        while (count > keep && turn(hull[count - 2], hull[count - 1], p) <= same * same) --count;
        hull[count++] = p;
    };
    for (std::size_t i = 0; i < unique.count; ++i) add(unique.points[i], 1);
    const std::size_t lower = count;
    for (std::size_t i = unique.count - 1; i-- > 0;) add(unique.points[i], lower);
    --count;
    Feature out;
    for (std::size_t i = 0; i < count; ++i) out.add(hull[i]);
    return out;
}

/// The part of a corner, an edge or a face that lies over a face (Sutherland and Hodgman 1974).
inline Feature clipped(const Feature& what, const Feature& face)
{
    Feature at = what;
    for (std::size_t e = 0; e < face.count && at.count > 0; ++e) {
        const Vec3d &from = face.points[e], &to = face.points[(e + 1) % face.count];
        Feature      next;
        const auto   edges = at.count > 2 ? at.count : 1;  // an edge is walked once, a corner not at all
        if (at.count == 1) {
            if (turn(from, to, at.points[0]) >= 0) next.add(at.points[0]);
            at = next;
            continue;
        }
        for (std::size_t i = 0; i < edges; ++i) {
            const Vec3d &p = at.points[i], &q = at.points[(i + 1) % at.count];
            const double sp = turn(from, to, p), sq = turn(from, to, q);
            if (sp >= 0) next.add(p);
            if ((sp > 0 && sq < 0) || (sp < 0 && sq > 0)) next.add(p + (sp / (sp - sq)) * (q - p));
            if (at.count == 2 && sq >= 0) next.add(q);
        }
        at = next;
    }
    return at;
}

/// The part of an edge beside another that is nearly parallel to it.
inline Feature beside(const Feature& edge, const Feature& other)
{
    const Vec3d  d = edge.points[1] - edge.points[0], e = other.points[1] - other.points[0];
    const double dd = d.x * d.x + d.y * d.y, ee = e.x * e.x + e.y * e.y, across = d.x * e.y - d.y * e.x;
    Feature      out;
    if (!(dd > 0) || !(ee > 0) || across * across > 1e-4 * dd * ee) return out;
    double low = kInfinity, high = -kInfinity;  // share of the edge
    for (std::size_t i = 0; i < 2; ++i) {
        const Vec3d  p = other.points[i] - edge.points[0];
        const double t = (p.x * d.x + p.y * d.y) / dd;
        low            = std::min(low, t);
        high           = std::max(high, t);
    }
    low  = std::max(low, 0.0);
    high = std::min(high, 1.0);
    if (!(low < high)) return out;
    out.add(edge.points[0] + low * d);
    out.add(edge.points[0] + high * d);
    return out;
}

/// A frame across a contact.
struct Frame {
    Vec3d x, y, n, origin;  ///< unit vectors of the world; [m]
    /// The axes are right-handed; which of the many they are follows from the normal alone.
    explicit Frame(const Vec3d& normal, const Vec3d& at) : n(normal), origin(at)
    {
        const Vec3d least = std::abs(n.x) <= std::abs(n.y) && std::abs(n.x) <= std::abs(n.z) ? Vec3d{1, 0, 0}
                            : std::abs(n.y) <= std::abs(n.z)                                 ? Vec3d{0, 1, 0}
                                                                                             : Vec3d{0, 0, 1};
        x                 = normalized(cross(least, n));
        y                 = cross(n, x);
    }
    /// Between the world and (x, y, height).
    [[nodiscard]] Vec3d in(const Vec3d& p) const
    { return {dot(p - origin, x), dot(p - origin, y), dot(p - origin, n)}; }
    [[nodiscard]] Vec3d out(double u, double v, double h) const { return origin + u * x + v * y + h * n; }
};

/// Corners of a shape that face along a direction within 0.02 rad. A support point that stays when the direction is
/// tilted half as far is a corner. One that moves a little is of a curved surface and says nothing of a face; one that
/// leaps lies at the other end of a straight line, as of a cylinder, and is looked for along that line.
template <class Of>
Feature facing(const Of& support, const Vec3d& along, const Frame& frame, double size)
{
    constexpr double kTilt = 0.02, kHair = 1e-5;  // [rad], ratio to the size
    constexpr int    kAround = 12;
    const Vec3d      base    = support(along);
    Feature          corners;
    for (int i = 0; i < kAround; ++i) {
        const double angle = 2 * kPi * (i + 0.25) / kAround;
        const Vec3d  aside = std::cos(angle) * frame.x + std::sin(angle) * frame.y;
        Vec3d        far = support(along + kTilt * aside), near = support(along + 0.5 * kTilt * aside);
        corners.add(frame.in(support(along + kHair * aside)));
        if (length(far - near) <= 1e-6 * size) {
            corners.add(frame.in(far));
        } else if (length(far - base) > 0.05 * size) {
            const Vec3d line = far - base - dot(far - base, frame.n) * frame.n;
            corners.add(frame.in(support(along + kTilt * normalized(line, aside))));
        }
    }
    return outline(corners, 1e-3 * size);
}

}  // namespace support_map

/// Closest points of two shapes by GJK (Gilbert, Johnson and Keerthi 1988). `f(a, X_WA, b, X_WB)` gives ClosestPoints.
/// A ball is best given as its centre, and its radius subtracted from the distance: that is exact, and takes fewer
/// steps.
/// @param support  for geometries of both kinds: an overload for each, or a template
template <class Support>
auto create_solve_closest_distance(Support support)
{
    return [support = std::move(support)]<class A, class B>(const A& a, const Posed& X_WA, const B& b,
                                                            const Posed& X_WB) -> ClosestPoints
               requires SupportMap<Support, A> && SupportMap<Support, B>
    { return support_map::closest(support_map::Pair<Support, A, B>{support, a, X_WA, b, X_WB}); };
}

/// Whether two shapes overlap, and how deep, by Minkowski portal refinement (Snethen 2008); of shapes that are apart
/// the distance by GJK. `f(a, X_WA, b, X_WB)` gives a PortalContact.
template <class Support>
auto create_solve_mpr(Support support)
{
    return [support = std::move(support)]<class A, class B>(const A& a, const Posed& X_WA, const B& b,
                                                            const Posed& X_WB) -> PortalContact
               requires SupportMap<Support, A> && SupportMap<Support, B>
    { return support_map::portal(support_map::Pair<Support, A, B>{support, a, X_WA, b, X_WB}); };
}

/// Contacts of two shapes that are no farther apart than `reach` [m]: the deepest one first, then up to 31 others where
/// edges and faces meet. `f(a, X_WA, b, X_WB, reach)` hands each to `post_process(SupportContact&)`, which may change
/// it, and then to `writer(const SupportContact&)`; it returns their number.
template <class Support, class Writer, class PostProcess>
auto create_solve_convex_multi_contact(Support support, Writer writer, PostProcess post_process)
{
    return [support = std::move(support), writer = std::move(writer),
            post_process = std::move(post_process)]<class A, class B>(const A& a, const Posed& X_WA, const B& b,
                                                                      const Posed& X_WB, double reach) -> int
               requires SupportMap<Support, A> && SupportMap<Support, B>
    {
        namespace sm = support_map;
        const sm::Pair<Support, A, B> pair{support, a, X_WA, b, X_WB};
        const PortalContact           deepest = sm::portal(pair);
        if (deepest.distance > reach) return 0;
        int        count = 0;
        const auto write = [&](SupportContact contact) {
            post_process(contact);
            writer(contact);
            ++count;
        };
        const sm::Frame frame(deepest.normal, 0.5 * (deepest.point_a + deepest.point_b));
        double          size = 0;  // [m]
        for (const Vec3d& d : {frame.x, frame.y, frame.n})
            size = std::max({size, dot(d, pair.of_a(d) - pair.of_a(-d)), dot(d, pair.of_b(d) - pair.of_b(-d))});
        const sm::Feature on_a = sm::facing([&](const Vec3d& d) { return pair.of_a(d); }, frame.n, frame, size);
        const sm::Feature on_b = sm::facing([&](const Vec3d& d) { return pair.of_b(d); }, -frame.n, frame, size);

        sm::Feature meeting;
        if (on_b.count >= 3 && on_a.count >= 1)
            meeting = sm::clipped(on_a, on_b);
        else if (on_a.count >= 3 && on_b.count >= 1)
            meeting = sm::clipped(on_b, on_a);
        else if (on_a.count == 2 && on_b.count == 2)
            meeting = sm::beside(on_a, on_b);
        std::array<SupportContact, sm::Feature::kMost> found;
        std::size_t                                    kept = 0;
        for (std::size_t i = 0; i < meeting.count; ++i) {
            const double   x = meeting.points[i].x, y = meeting.points[i].y;
            const double   on = on_a.height(x, y), off = on_b.height(x, y);
            SupportContact contact{frame.out(x, y, on), frame.out(x, y, off), frame.n, off - on};
            if (contact.distance <= reach) found[kept++] = contact;
        }
        std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept),
                  [](const SupportContact& p, const SupportContact& q) { return p.distance < q.distance; });
        // The point that the portal found counts where no corner is as deep; inside of faces it adds nothing.
        if (kept == 0 || found[0].distance > deepest.distance + 1e-6 * size)
            write({deepest.point_a, deepest.point_b, deepest.normal, deepest.distance});
        for (std::size_t i = 0; i < kept; ++i) write(found[i]);
        return count;
    };
}

}  // namespace mechane::collision
