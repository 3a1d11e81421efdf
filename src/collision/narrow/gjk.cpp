// Distance of two convex cores by Gilbert, Johnson, Keerthi (1988), in the form of van den Bergen (2001): points of the
// Minkowski difference a - b nearest to the origin.
// Input: two bounded convex shapes in one frame [m], a search limit, optionally a first direction. Output: signed
// distance, unit normal from a to b, a point on each core. Overlap is handed to closed forms or to the polytope
// (epa.cpp).
// Small polyhedra are answered by their planes first (by_planes.cpp). All iterations are in the frame of a and relative
// to it, so that far from the origin nothing is lost.
// Lower bounds are certificates: each support plane that separates proves a distance, whatever happened before.

#include "mechane/collision/gjk.h"

#include <algorithm>

#include "by_planes.h"
#include "ellipsoid_box_depth.h"
#include "epa.h"
#include "mechane/core/failure.h"
#include "mechane/geometry/closest.h"
#include "mechane/math/simd.h"
#include "round_box_depth.h"
#include "separate.h"

namespace mechane::collision {

namespace {

/// The simplex in a - b with the weights of its point closest to the origin.
struct Simplex {
    std::array<MinkowskiPoint, 4> points;
    std::array<double, 4>         weights;
    int                           count = 0;

    Simplex() {}  // NOLINT: points and weights are written before they are read
};

/// Closest point of the triangle (i, j, k) of the simplex; writes the weights when it beats `least`.
[[gnu::always_inline]] inline void offer_triangle(const Simplex& s, std::size_t i, std::size_t j, std::size_t k,
                                                  double& least, Vec3d& v, std::array<double, 4>& weights)
{
    const auto   c = geometry::nearest_to_origin(s.points[i].w, s.points[j].w, s.points[k].w);
    const double d = length_squared(c.point);
    if (!(d < least)) return;
    least      = d;
    v          = c.point;
    weights    = {};
    weights[i] = c.weights.x, weights[j] = c.weights.y, weights[k] = c.weights.z;
}

/// The points that carry weight.
[[gnu::always_inline]] inline void keep_used(const Simplex& s, const std::array<double, 4>& weights, Simplex& out)
{
    out.count = 0;
    for (int i = 0; i < s.count; ++i) {
        const auto k = static_cast<std::size_t>(i), to = static_cast<std::size_t>(out.count);
        if (!(weights[k] > 0)) continue;
        out.points[to]  = s.points[k];
        out.weights[to] = weights[k];
        ++out.count;
    }
}

/// Point of the simplex closest to the origin; `out` holds what it needs. True when the origin is inside a tetrahedron.
[[gnu::always_inline]] inline bool reduce(const Simplex& s, Simplex& out, Vec3d& v)
{
    if (s.count == 1) {
        keep_used(s, {1, 0, 0, 0}, out);
        v = s.points[0].w;
        return false;
    }
    // Sub-algorithm of the distance of a simplex by Voronoi regions (Ericson 2005, 5.1). Triangles and segments are
    // solved by geometry/closest.h.
    if (s.count == 2) {
        const double t = geometry::closest_on_segment({}, s.points[0].w, s.points[1].w);
        v              = s.points[0].w + t * (s.points[1].w - s.points[0].w);
        keep_used(s, {1 - t, t, 0, 0}, out);
        return false;
    }
    double                least = kInfinity;
    std::array<double, 4> weights{};
    if (s.count == 3) {
        offer_triangle(s, 0, 1, 2, least, v, weights);
    } else {
        // The closest point has the newest vertex, so the face without it is left out.
        // The tetrahedron is tested face by face as seen from its newest vertex p: e, f, g lead from there to the older
        // ones.
        const Vec3d &p = s.points[3].w, e = s.points[0].w - p, f = s.points[1].w - p, g = s.points[2].w - p;
        const Vec3d  fg = cross(f, g), ge = cross(g, e), ef = cross(e, f);
        const double volume = dot(e, fg), extent = std::max({length_squared(e), length_squared(f), length_squared(g)});
        // The volume of a tetrahedron, squared, beside the sixth power of its longest side: below 1e-14 relative, signs
        // are noise, and all faces are offered.
        const bool   flat   = square(volume) <= 1e-28 * extent * extent * extent;
        bool         inside = !flat;
        // Face by face: is the origin beyond it, seen from the vertex that it lacks?
        const auto beyond = [&](const Vec3d& n) { return flat || dot(n, p) * volume > 0; };
        const auto offer  = [&](const Vec3d& n, std::size_t i, std::size_t k) {
            if (!beyond(n)) return;
            inside = false;
            offer_triangle(s, 3, i, k, least, v, weights);
        };
        offer(fg, 1, 2), offer(ge, 2, 0), offer(ef, 0, 1);
        if (inside) return true;
    }
    keep_used(s, weights, out);
    return false;
}

/// The weights of v in a triangle once more, by areas: a thin one gave them with the error of its area squared.
/// Weights by areas of the triangles about v: they add up to one, and their error is relative to the area and not to
/// its square.
[[gnu::always_inline]] inline void weigh(Simplex& s, const Vec3d& v)
{
    const Vec3d  a = s.points[0].w - v, b = s.points[1].w - v, c = s.points[2].w - v;
    const Vec3d  n  = cross(b - a, c - a);
    const double nn = dot(n, n);
    if (!(nn > 0)) return;
    s.weights[1] = dot(n, cross(c, a)) / nn;
    s.weights[2] = dot(n, cross(a, b)) / nn;
    s.weights[0] = 1 - s.weights[1] - s.weights[2];
}

/// What is asked for.
struct Question {
    double give_up    = kInfinity;        ///< as in core_distance
    bool   with_depth = false;            ///< of overlapping cores as well
    double beyond = kInfinity, near = 0;  ///< as in plane_between
};

/// The answer in the frame of the first shape. `v` is a first guess at the way from b to a, in that frame.
MCH_CLONES_AVX2 CoreDistance distance_of(const Difference& difference, const Question& ask, Vec3d v)
{
    constexpr int    kIterations = 96;
    constexpr double kShare      = 0.75;   // of the room beyond what a plane has to leave
    constexpr double kRelative   = 1e-11;  // of |v|^2: the distance is good to 5e-12, a smooth normal to about 3e-6 rad
    // Concentric shapes give no direction; a fixed one keeps replays identical.
    if (!(length_squared(v) > 0)) v = {1, 0, 0};
    Simplex    first, second;  // in turns: the one that was is still there when a step turns out to be none
    Simplex *  simplex = &first, *next = &second;
    double     extent = 0, least = kInfinity;
    // Closed forms first, then the polytope, which starts from the simplex that holds the origin.
    const auto overlap = [&] {
        CoreDistance r;
        if (!ask.with_depth || (is_round_box(difference) && round_box_depth(difference, r)) ||
            (is_ellipsoid_box(difference) && ellipsoid_box_depth(difference, r)))
            return r;
        return penetration(difference, std::span(simplex->points).first(static_cast<std::size_t>(simplex->count)));
    };
    // Thin simplices give the distance well and its direction badly, so the direction that separated most is kept
    // apart.
    double best = -kInfinity;
    Vec3d  way;
    for (int i = 0; i < kIterations; ++i) {
        const MinkowskiPoint w  = difference.point<Corners::on_the_spot>(-v);
        const double         vv = length_squared(v), vw = dot(v, w.w);
        extent = std::max(extent, length_squared(w.w));
        if (vw > 0) {  // else the cores overlap along v and the point is new
            const double separated = vw / std::sqrt(vv);
            if (separated > best) best = separated, way = v;
            // The caller does not look for contacts that far: a proof that they are farther is enough.
            if (separated > ask.give_up) return {separated, -v / std::sqrt(vv), w.a(), w.b};
            // The first v is a guess and no point of the simplex.
            bool known = simplex->count > 0 && vv - vw <= kRelative * vv;
            // A support point that is in the simplex already cannot bring v nearer: with polytopes this ends the
            // iteration without a tolerance.
            for (int k = 0; k < simplex->count; ++k)
                known = known || simplex->points[static_cast<std::size_t>(k)].w == w.w;
            if (known) break;
            // plane_between asks for any plane that leaves enough room, not for the best.
            if (simplex->count > 0 &&
                separated - ask.beyond > std::max(ask.near, kShare * (std::sqrt(vv) - ask.beyond)))
                return {separated, -v / std::sqrt(vv), w.a(), w.b};
        }
        // At most four: `reduce` drops what carries no weight, and a full tetrahedron around the origin has returned.
        simplex->points[static_cast<std::size_t>(simplex->count++)] = w;
        const Vec3d v_before                                        = v;
        if (reduce(*simplex, *next, v)) return overlap();
        const double now = length_squared(v);
        // |v| below 1e-11 of the difference: touching to rounding counts as overlap, where the polytope finds the
        // normal.
        if (now <= 1e-22 * extent) return overlap();
        if (!(now < least) && i > 0) {  // rounding has the last word: keep the better point
            --simplex->count;
            v = v_before;
            break;
        }
        std::swap(simplex, next);
        least = now;
    }
    const double d = length(v);
    if (!(d > 0)) return overlap();
    // No plane has separated: v is noise.
    if (!(best > 0)) return overlap();
    if (simplex->count == 3) weigh(*simplex, v);
    CoreDistance result{.distance = d, .normal = -way / length(way)};
    for (int k = 0; k < simplex->count; ++k) {
        const auto i = static_cast<std::size_t>(k);
        result.on_a += simplex->weights[i] * simplex->points[i].a();
        result.on_b += simplex->weights[i] * simplex->points[i].b;
    }
    return result;
}

/// @param start  a guess at the way from the nearest point of b to that of a
CoreDistance distance_in_pair(const Shape& a, const Shape& b, const Question& ask, Vec3d start)
{
    CoreDistance planes;
    switch (distance_by_planes(a, b, ask.give_up, ask.with_depth, planes)) {
        case ByPlanes::exact:
            return planes;
        case ByPlanes::bound:
            start = -planes.normal;
            break;
        case ByPlanes::unknown:
            break;
    }
    const Difference   difference(a, b);
    const CoreDistance r = distance_of(difference, ask, transpose_times(a.R, start));
    return {r.distance, difference.direction_in_pair(r.normal), difference.point_in_pair(r.on_a),
            difference.point_in_pair(r.on_b)};
}

}  // namespace

namespace {

void require_core(const Shape& shape, const char* argument)
{
    MCH_REQUIRE(shape.kind != ShapeKind::plane && shape.kind != ShapeKind::mesh &&
                    (shape.kind != ShapeKind::hull || shape.hull != nullptr),
                "core_distance", argument, "a convex shape of bounded size, a hull with its data");
}

}  // namespace

CoreDistance core_distance(const Shape& a, const Shape& b, double give_up)
{
    require_core(a, "a");
    require_core(b, "b");
    return distance_in_pair(a, b, {.give_up = give_up, .with_depth = true}, centre(a) - centre(b));
}

CoreDistance core_distance_apart(const Shape& a, const Shape& b, double give_up)
{ return distance_in_pair(a, b, {.give_up = give_up}, centre(a) - centre(b)); }

CoreDistance core_distance_apart(const Shape& a, const Shape& b, double give_up, const Vec3d& start)
{ return distance_in_pair(a, b, {.give_up = give_up}, start); }

Separation plane_between(const Shape& a, const Shape& b, double limit, double beyond, double near, const Vec3d& guess)
{
    const CoreDistance r = distance_in_pair(a, b, {.give_up = limit, .beyond = beyond, .near = near}, -guess);
    return {r.distance, r.normal};
}

}  // namespace mechane::collision
