// From two supporting features to contact points: clipping, edge against edge, rims of discs, the closest pair, and the
// choice of the points that carry. Points are in the frame of the shapes [m], the normal leads from a to b, distances
// are negative in penetration.
// Clipping is that of Sutherland and Hodgman (1974): the incident feature is cut by the planes through the edges of the
// reference face, parallel to n. Every new point has a name of the two edges that made it, so that the warm start of
// the solvers finds it again.
// `Candidates` collects points of a pair and merges those at one place; choose_support (support_points.h) keeps at most
// five.

#include "manifold.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "feature.h"
#include "feature_codes.h"
#include "mechane/core/assert.h"
#include "mechane/geometry/closest.h"
#include "mechane/math/simd.h"
#include "support_points.h"

namespace mechane::collision {

void Candidates::add(ContactPoint point, double merge)
{
    // A corner of the partner keeps its name as it slides from one triangle to the next.
    if (!is_corner_name(point.feature)) point.feature |= face;
    // Points that differ by less than `merge` at both ends, with normals within 8 degrees, are one contact; the deeper
    // one stays. The factor 4 is that of the sum of both points, which is twice the middle.
    for (std::size_t i = 0; i < count; ++i) {
        ContactPoint& old = points[i];
        if (length_squared(old.p0 + old.p1 - point.p0 - point.p1) > 4 * merge * merge ||
            dot(old.normal, point.normal) < 0.99)
            continue;
        if (point.distance < old.distance - 1e-12) old = point;
        return;
    }
    if (count == kCapacity) thin();
    if (count < kCapacity) {
        points[count++] = point;
        return;
    }
    // Full: the new point replaces the highest one if it is deeper. The deepest points of a pair are never lost.
    auto* highest = std::max_element(points.data(), points.data() + count,
                                     [](const auto& x, const auto& y) { return x.distance < y.distance; });
    if (point.distance < highest->distance) *highest = point;
}

void Candidates::thin()
{
    std::size_t kept = 0;
    for_normals(all(), [&](std::span<ContactPoint> group) {
        for (const ContactPoint& p : group.first(reduce(group))) points[kept++] = p;
        return true;
    });
    count = kept;
}

/// Keeps the points on which a body would come to rest; docs/collision_method.md derives the choice. Fewer points than
/// kMost are kept as they are.
MCH_CLONES_AVX2 std::size_t reduce(std::span<ContactPoint> points, std::size_t most)
{
    if (points.size() < SupportPoints::kMost) return points.size();
    // In the order of their names: of points as good the same are chosen from step to step, and corners before cuts.
    MCH_ASSERT(points.size() <= Candidates::kCapacity);
    Scratch<std::uint8_t, Candidates::kCapacity> order;
    for (std::size_t i = 0; i < points.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
    std::sort(order.data(), order.data() + points.size(),
              [&](std::uint8_t x, std::uint8_t y) { return points[x].feature < points[y].feature; });
    const auto each = [&](auto&& visit) __attribute__((always_inline)) {
        for (std::size_t i = 0; i < points.size(); ++i) visit(order[i], points[order[i]].p0, points[order[i]].distance);
    };
    const auto deepest = std::min_element(points.begin(), points.end(),
                                          [](const auto& x, const auto& y) { return x.distance < y.distance; });
    SupportPoints chosen  = choose_support(each, deepest->normal, most);
    // The chosen ones move to the front in the order of their places, which keeps the order of the rows.
    std::sort(chosen.index.begin(), chosen.index.begin() + static_cast<std::ptrdiff_t>(chosen.count));
    for (std::size_t k = 0; k < chosen.count; ++k) std::swap(points[k], points[chosen.index[k]]);
    return chosen.count;
}

namespace {

struct ClipPoint {
    Vec3d         p;
    std::uint32_t id;    ///< incident vertex, or cut_name
    std::uint32_t edge;  ///< name of the edge that leaves this point
};

/// Each cutting plane adds at most one corner to a convex polygon.
constexpr std::size_t kClipLimit = 2 * kFeatureLimit + 2;

/// The incident feature cut by the planes through the edges of the reference face, across it.
struct Clipped {
    Scratch<ClipPoint, kClipLimit> points;
    std::size_t                    count = 0;
};

/// What of `poly` lies on the near side of a plane goes to `out`. False where all of it does and `out` is left alone.
[[gnu::always_inline]] inline bool cut(const Clipped& poly, const Vec3d& origin, const Vec3d& outward, double slack,
                                       std::uint32_t side, bool closed, Clipped& out)
{
    Scratch<double, kClipLimit> height;
    bool                        outside = false;
    for (std::size_t i = 0; i < poly.count; ++i) {
        height[i] = dot(outward, poly.points[i].p - origin) - slack;
        outside   = outside || height[i] > 0;
    }
    if (!outside) return false;
    out.count       = 0;
    const auto push = [&](const ClipPoint& q) {
        if (out.count < kClipLimit) out.points[out.count++] = q;
    };
    for (std::size_t i = 0; i < poly.count; ++i) {
        const ClipPoint& p = poly.points[i];
        const double     h = height[i];
        if (h <= 0) push(p);
        // An edge is an open polyline of two points: it has no side from its last to its first point.
        const bool last = i + 1 == poly.count;
        if (last && !closed) break;
        const std::size_t next = last ? 0 : i + 1;
        const double      k    = height[next];
        if ((h <= 0) == (k <= 0)) continue;
        const Vec3d x = p.p + (h / (h - k)) * (poly.points[next].p - p.p);
        push({x, cut_name(side, p.edge), h <= 0 ? side_name(side) : p.edge});
    }
    return true;
}

/// A rim as it is: it is clipped as a polygon, which leaves out where the other shape's edges cross it.
struct Rim {
    Vec3d  centre, x, y;  ///< x and y have the length of the radius
    double radius = 0;
};

/// The rim whose polygon the feature is, if it is one.
bool rim_of(const Shape& s, const Feature& f, Rim& rim)
{
    if ((s.kind != ShapeKind::cylinder && s.kind != ShapeKind::cone) || f.count != kDiscCorners) return false;
    const Vec3d axis = s.R.column(2);
    rim = {s.p + (dot(axis, f.normal) < 0 || s.kind == ShapeKind::cone ? -s.size.y : s.size.y) * axis,
           s.size.x * s.R.column(0), s.size.x * s.R.column(1), s.size.x};
    return true;
}

/// Calls visit(point of the rim, place along the edge) where the rim crosses the plane through the edge p q and n, between
/// its ends.
template <class Visit>
void rim_crossings(const Rim& rim, const Vec3d& p, const Vec3d& q, const Vec3d& n, const Visit& visit)
{
    // A point of the rim is centre + cos x + sin y. The plane through the edge along n has the normal `across`: a cos +
    // b sin = k, which has two solutions if k^2 < a^2 + b^2.
    const Vec3d  across = cross(q - p, n), way = q - p - dot(q - p, n) * n;
    const double a = dot(across, rim.x), b = dot(across, rim.y), k = dot(across, p - rim.centre);
    const double most2 = a * a + b * b, left2 = most2 - k * k, way2 = dot(way, way);
    if (!(left2 > 0) || !(way2 > 0)) return;
    const double root = std::sqrt(left2);
    for (const double side : {-root, root}) {
        const double cosine = (a * k - b * side) / most2, sine = (b * k + a * side) / most2;
        const Vec3d  w = rim.centre + cosine * rim.x + sine * rim.y;
        const double s = dot(way, w - p) / way2;
        if (s >= 0 && s <= 1) visit(w, s);
    }
}

/// Of the feature that is clipped and of the face that clips it: their rims, where they are discs.
struct Rims {
    const Rim *reference = nullptr, *incident = nullptr;
};

/// Whether a point lies over a disc, along n.
/// Projects along n into the plane of the disc. The slack of 5e-10 is that of clipping.
bool over_disc(const Rim& rim, const Vec3d& p, const Vec3d& n)
{
    const Vec3d axis = cross(rim.x, rim.y);
    const Vec3d off  = p - rim.centre - (dot(axis, p - rim.centre) / dot(axis, n)) * n;
    return length_squared(off) <= square(1 + 5e-10) * rim.radius * rim.radius;
}

/// Where two rims in parallel planes cross, and how far each reaches into the other.
/// @param p  any point of the plane in which the points are wanted
template <class Visit>
void two_rims(const Rim& first, const Rim& second, const Vec3d& n, const Vec3d& p, const Visit& visit)
{
    const auto  across = [&](const Vec3d& v) { return v - dot(v, n) * n; };
    const Vec3d from = first.centre + dot(p - first.centre, n) * n, way = across(second.centre - first.centre);
    const double r = first.radius, s = second.radius, d = length(way);
    // No crossing where one circle holds the other or both are apart. Otherwise the chord lies across the line of
    // centres at `along` from the first.
    if (!(d > std::abs(r - s)) || !(d < r + s)) return;
    const Vec3d  e = (1 / d) * way, f = cross(n, e);
    const double along = (d * d + r * r - s * s) / (2 * d), half = std::sqrt(std::max(0.0, r * r - along * along));
    visit(from + along * e + half * f, 0);
    visit(from + along * e - half * f, 1);
    visit(from + r * e, 2);
    visit(from + (d - s) * e, 3);
}

/// Takes what a rim was cut by, or cut, as a polygon out of what is left of `incident`, and puts the points of the rim in.
/// A disc was clipped as a polygon, which lies inside the true rim by up to 3.4 % of the radius. Its cut corners are
/// replaced by crossings of the true circle.
void follow_rims(const Feature& reference, const Feature& incident, const Rims& rims, const Vec3d& n, Clipped& poly)
{
    if (!rims.reference && !rims.incident) return;
    constexpr std::uint32_t kCrossing = 0x4000;  // no vertex has such a name
    const auto              push      = [&](const Vec3d& p, std::uint32_t id) {
        if (poly.count < kClipLimit) poly.points[poly.count++] = {p, id, 0};
    };
    if (rims.reference && rims.incident) {
        if (std::abs(dot(reference.normal, n)) > 1 - 1e-8 && std::abs(dot(incident.normal, n)) > 1 - 1e-8)
            two_rims(*rims.reference, *rims.incident, n, incident.points[0],
                     [&](const Vec3d& p, std::uint32_t which) { push(p, cut_name(which, kCrossing)); });
        return;
    }
    const Rim&     rim = rims.reference ? *rims.reference : *rims.incident;
    const Feature& other = rims.reference ? incident : reference;
    // Where an edge of the polygon was cut, and not a side of the other one that came in by a cut.
    const auto was_cut = [&](const ClipPoint& q) { return (q.id >> 16) != 0 && (q.id & 0x8000u) == 0; };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < poly.count; ++i)
        if (!was_cut(poly.points[i]) && !(rims.reference && (poly.points[i].id >> 16) == 0))
            poly.points[kept++] = poly.points[i];
    poly.count = kept;
    const int edges = other.is_face() ? other.count : other.count - 1;
    for (int i = 0; i < edges; ++i) {
        const Vec3d &p = other.points[static_cast<std::size_t>(i)], &q = other.points[static_cast<std::size_t>((i + 1) % other.count)];
        std::uint32_t which = kCrossing;
        rim_crossings(rim, p, q, n, [&](const Vec3d& w, double s) {
            push(rims.reference ? p + s * (q - p) : w, cut_name(static_cast<std::uint32_t>(i), which++));
        });
    }
    // Corners of the polygon over the disc: the incident ones, or those of the face that clips, seen on the disc.
    const auto known = [&](const Vec3d& p) {
        for (std::size_t i = 0; i < poly.count; ++i)
            if (length_squared(poly.points[i].p - p) <= 1e-18 * rim.radius * rim.radius) return true;
        return false;
    };
    for (int i = 0; i < other.count; ++i) {
        const auto  k = static_cast<std::size_t>(i), last = static_cast<std::size_t>(i > 0 ? i - 1 : other.count - 1);
        const Vec3d p = other.points[k];
        if (!over_disc(rim, p, n)) continue;
        if (rims.reference) {
            push(p, other.ids[k]);
            continue;
        }
        const Vec3d w = p + (dot(incident.normal, incident.points[0] - p) / dot(incident.normal, n)) * n;
        if (!known(w)) push(w, cut_name(static_cast<std::uint32_t>(k), side_name(static_cast<std::uint32_t>(last))));
    }
}

/// Clips `incident` against the prism of the face `reference` along `n`; distances are taken along `n` from the
/// reference plane, so that both points of a contact lie on their faces, however deep they are. `sign` is 1 when the
/// reference belongs to shape a. Returns the least core distance found.
MCH_CLONES_AVX2 double clip_faces(const Feature& reference, const Feature& incident, const Rims& rims, const Vec3d& n,
                           double sign, double radius_a, double radius_b, double reach, double merge, Candidates& out)
{
    Clipped  first, second;  // in turns
    Clipped *poly = &first, *spare = &second;
    for (int i = 0; i < incident.count; ++i) {
        const auto k                = static_cast<std::size_t>(i);
        first.points[first.count++] = {incident.points[k], incident.ids[k], incident.ids[k]};
    }
    const bool closed = incident.is_face();
    // The one-norm instead of a root: it is within a factor of sqrt(3) of the length.
    // Planes need no unit normals; a slack of rounding is one in whatever norm.
    const auto norm = [](const Vec3d& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); };
    double     size = 0;
    for (int i = 1; i < reference.count; ++i)
        size = std::max(size, norm(reference.points[static_cast<std::size_t>(i)] - reference.points[0]));
    for (int i = 0; i < reference.count && poly->count > 0; ++i) {
        const Vec3d& p    = reference.points[static_cast<std::size_t>(i)];
        const Vec3d  edge = reference.points[static_cast<std::size_t>(i + 1 < reference.count ? i + 1 : 0)] - p;
        const Vec3d  out_ = sign * cross(edge, n);
        const double len  = norm(out_);
        // An edge without length, or along n, cuts nothing.
        if (!(len > 0)) continue;
        if (cut(*poly, p, out_, 5e-10 * size * len, static_cast<std::uint32_t>(i), closed, *spare))
            std::swap(poly, spare);
    }
    follow_rims(reference, incident, rims, n, *poly);
    const double across = dot(reference.normal, sign * n);
    double       least  = kInfinity;
    for (std::size_t i = 0; i < poly->count; ++i) {
        const ClipPoint& q   = poly->points[i];
        const double     d   = dot(reference.normal, q.p - reference.points[0]) / across;
        least                = std::min(least, d);
        const double surface = d - radius_a - radius_b;
        if (surface > reach) continue;
        const Vec3d on_b = sign > 0 ? q.p : q.p + d * n;
        const Vec3d p1   = on_b - radius_b * n;
        const auto  how = sign > 0 ? Found::on_first_face : Found::on_second_face;
        out.add({p1 - surface * n, p1, n, surface, feature_name(how, q.id)}, merge);
    }
    return least;
}

/// A line at which a shape is round across (a capsule's core, the side of a cylinder or cone), not a sharp edge.
bool round_across(const Shape& s)
{ return s.kind == ShapeKind::capsule || s.kind == ShapeKind::cylinder || s.kind == ShapeKind::cone; }

/// The ends of the interval over which two nearly parallel edges face each other. False when they do not. Skew edges
/// stand aside at those ends: a round one then has another line there, as near; two sharp ones must be parallel.
bool overlap_edges(const Feature& a, const Feature& b, bool round_a, bool round_b, const Vec3d& n, double radius_a,
                   double radius_b, double reach, double merge, Candidates& out)
{
    const Vec3d  u = a.points[1] - a.points[0], v = b.points[1] - b.points[0];
    const double lu = length(u), lv = length(v);
    if (!(lu > 0) || !(lv > 0)) return false;
    const Vec3d e = u / lu;
    // Within 0.6 degrees: beyond that skew edges touch in one point.
    if (length(cross(e, v / lv)) > 0.01) return false;
    const double b0 = dot(e, b.points[0] - a.points[0]), b1 = dot(e, b.points[1] - a.points[0]);
    // The interval of both edges on the line of the first one.
    const double from = std::max(0.0, std::min(b0, b1)), to = std::min(lu, std::max(b0, b1));
    if (!(to - from > 1e-6 * std::min(lu, lv))) return false;
    const auto on_a = [&](double x) { return a.points[0] + x * e; };
    const auto on_b = [&](double x) { return b.points[0] + ((x - b0) / (b1 - b0)) * v; };
    if (!round_a && !round_b)
        for (const double x : {from, to}) {
            const Vec3d d = on_b(x) - on_a(x);
            if (length(d - dot(n, d) * n) > 2e-4 * std::min(lu, lv)) return false;
        }
    bool any = false;
    for (const double x : {from, to}) {
        const Vec3d  pa = on_a(x), pb = on_b(x);
        const double d = dot(n, pb - pa), s = d - radius_a - radius_b;
        if (s > reach) continue;
        const Vec3d         middle = !round_a && round_b   ? pa + (0.5 * d) * n
                                     : round_a && !round_b ? pb - (0.5 * d) * n
                                                           : 0.5 * (pa + pb);
        const std::uint64_t end    = x == from ? 0 : 1;
        out.add(contact_at(
                    middle + (0.5 * (radius_a - radius_b)) * n, n, s,
                    feature_name(Found::along_edges, edges_name(a.ids[0], b.ids[0], end))),
                merge);
        any = true;
    }
    return any;
}

/// A rim is clipped as a polygon inside of it, and the face of a hull that is nearest to level need not have its lowest
/// corner: the true farthest point is offered as well.
void clip_farthest(const Feature& reference, const Rims& rims, const Shape& other, const Vec3d& n, double sign,
                   double radius_a, double radius_b, double reach, double merge, double& least, Candidates& out)
{
    if (other.kind != ShapeKind::cylinder && other.kind != ShapeKind::cone && other.kind != ShapeKind::hull) return;
    Feature point;
    point.add(support(other, -sign * n), 80);
    if (dot(reference.normal, point.points[0] - reference.points[0]) > least - 1e-7 * (1 + merge)) return;
    least = std::min(least, clip_faces(reference, point, rims, n, sign, radius_a, radius_b, reach, merge, out));
}

/// Where many points of the cores are equally deep, those of the iteration need not lie over each other: a pair that
/// does, out of the features that carry the normal.
/// Only a face opposite anything or two edges leave a choice; a corner is where it is.
void pair_points(const Feature& a, const Feature& b, CoreDistance& core)
{
    const Vec3d across = core.distance * core.normal;
    if (a.count == 0 || b.count == 0) return;
    if (a.is_face() || b.is_face()) {
        if (a.is_face())
            core.on_a = core.on_b - across;
        else
            core.on_b = core.on_a + across;
        return;
    }
    const auto end  = [](const Feature& f) { return f.points[static_cast<std::size_t>(f.count) - 1]; };
    const auto pair = geometry::closest_on_segments(a.points[0], end(a), b.points[0] - across, end(b) - across);
    if (length_squared(pair.b - pair.a) >= length_squared(core.on_b - core.on_a - across)) return;
    core.on_a = pair.a, core.on_b = pair.b + across;
}

/// Its front, where the normal is known.
Feature face_of_triangle(const Shape& s, const Vec3d& n)
{
    Feature f;
    for (int i = 0; i < 3; ++i) f.add(s.corners[static_cast<std::size_t>(i)], i);
    f.normal = n;
    return f;
}

bool round_all_over(const Shape& s) { return s.kind == ShapeKind::sphere || s.kind == ShapeKind::ellipsoid; }

}  // namespace

/// The case distinction of the manifold, in this order: face of a, face of b, two edges side by side, the nearest pair.
/// Of two faces the first is the reference, which makes the choice symmetric in time.
MCH_CLONES_AVX2 void convex_candidates(const Shape& a, const Shape& b, const CoreDistance& core, double reach,
                                bool only_clipped, double merge, Candidates& out)
{
    const double  ra = a.core_radius(), rb = b.core_radius();
    const Vec3d&  n      = core.normal;
    const Feature fa     = only_clipped && a.kind == ShapeKind::triangle ? face_of_triangle(a, n)
                                                                         : supporting_feature(a, n, Alignment::exact);
    const bool    single = round_all_over(a) || round_all_over(b), first = fa.is_face() && (only_clipped || !single);
    const Feature fb    = first && only_clipped ? Feature{} : supporting_feature(b, -n, Alignment::exact);
    double        least = kInfinity;
    if (first) {
        const Feature incident = supporting_feature(b, -n, Alignment::wide);
        Rim           of_a, of_b;
        const Rims    rims{rim_of(a, fa, of_a) ? &of_a : nullptr, rim_of(b, incident, of_b) ? &of_b : nullptr};
        least = clip_faces(fa, incident, rims, n, 1, ra, rb, reach, merge, out);
        if (only_clipped || b.kind != ShapeKind::hull) clip_farthest(fa, {rims.reference, nullptr}, b, n, 1, ra, rb, reach, merge, least, out);
    } else if (fb.is_face() && !single) {
        const Feature incident = supporting_feature(a, n, Alignment::wide);
        Rim           of_a, of_b;
        const Rims    rims{rim_of(b, fb, of_b) ? &of_b : nullptr, rim_of(a, incident, of_a) ? &of_a : nullptr};
        least = clip_faces(fb, incident, rims, n, -1, ra, rb, reach, merge, out);
        if (only_clipped || a.kind != ShapeKind::hull) clip_farthest(fb, {rims.reference, nullptr}, a, n, -1, ra, rb, reach, merge, least, out);
    } else if (fa.is_edge() && fb.is_edge() &&
               overlap_edges(fa, fb, round_across(a), round_across(b), n, ra, rb, reach, merge, out)) {
        return;
    }
    if (only_clipped) return;
    // A round rim is clipped as a polygon, and a tilted incident face may miss the deepest point: the closest pair
    // completes it.
    // Clipping has found the depth that the iteration reports: nothing is missing.
    if (least <= core.distance + 0.01 * merge + 1e-9) return;
    const double s = core.distance - ra - rb;
    if (s > reach) return;
    CoreDistance nearest = core;
    if (length_squared(core.on_b - core.on_a - core.distance * n) > 1e-4 * merge * merge) pair_points(fa, fb, nearest);
    const std::uint64_t feature = fa.count > 0 && fb.count > 0 ? pair_name(fa.ids[0], fb.ids[0]) : 0;
    out.add(contact_at(0.5 * (nearest.on_a + ra * n + nearest.on_b - rb * n), n, s, feature_name(Found::nearest_pair, feature)),
            merge);
}

void emit_reduced(Candidates& candidates, Manifold& out, std::size_t most)
{
    const std::size_t kept = reduce(candidates.all(), most);
    for (std::size_t i = 0; i < kept; ++i) out.add(candidates.points[i]);
}

/// The distance of the cores may not fall by more than rounding of the support points (1e-8 of their size).
MCH_CLONES_AVX2 void polish(const Shape& a, const Shape& b, CoreDistance& core)
{
    const double slack = 1e-8 * std::max(1e-3, length(core.on_a - centre(a)) + length(core.on_b - centre(b)));
    for (const Vec3d& n : {natural_normal(a, core.normal), -natural_normal(b, -core.normal)}) {
        if (n == core.normal) continue;
        const double s = separation(a, b, n);
        if (s < core.distance - slack) continue;
        core.normal   = n;
        core.distance = s;
        return;
    }
}

}  // namespace mechane::collision
