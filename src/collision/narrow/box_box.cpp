// Box against box, both convex and in any pose: contact points in the world [m], normal from a to b.
// Method: separating axis test (Gottschalk, Lin, Manocha 1996), then clipping of the incident face against the
// reference face (Sutherland, Hodgman 1974). If the boxes are apart and no face lies over the other box, the axis is
// only a bound, and GJK takes over.
// The fast path clip_boxes gives the points and names of convex_candidates (manifold.cpp) bit for bit where both apply:
// rows must not change their names when a case changes.

#include <algorithm>
#include <cmath>

#include "feature_codes.h"
#include "manifold.h"
#include "mechane/geometry/closest.h"
#include "pairs.h"

namespace mechane::collision {

namespace {

/// The edge of a box along `axis` that lies farthest in direction n.
/// Centre plus the two half axes across, each with the sign that reaches farther along n.
std::array<Vec3d, 2> supporting_edge(const Shape& box, std::size_t axis, const Vec3d& n)
{
    Vec3d c = box.p;
    for (std::size_t i = 0; i < 3; ++i)
        if (i != axis) c += (dot(n, box.R.column(i)) < 0 ? -box.size[i] : box.size[i]) * box.R.column(i);
    const Vec3d half = box.size[axis] * box.R.column(axis);
    return {c - half, c + half};
}

struct Axis {
    double      separation = -kInfinity;
    Vec3d       normal{1, 0, 0};  ///< from a to b
    int         kind = -1;        ///< 0: face of a, 1: face of b, 2: edges
    std::size_t i = 0, k = 0;
};

/// A corner of the incident face in the frame of the reference face: across it, and above it.
struct PolyCorner {
    double        x, y, z;
    std::uint32_t id, edge;  ///< as ClipPoint (manifold.cpp)
};

/// A face of a box: outward axis, and two across that with the half widths.
struct Face {
    std::size_t axis = 0, u = 0, v = 0;
    double      side  = 1;
    double      slope = 0;  ///< cosine between its normal and the direction asked for
};
Face face_towards(const Shape& box, const Vec3d& n)
{
    const Vec3d d = transpose_times(box.R, n), m = abs(d);
    Face        f;
    f.axis  = m.x >= m.y ? (m.x >= m.z ? 0 : 2) : (m.y >= m.z ? 1 : 2);
    f.u     = (f.axis + 1) % 3;
    f.v     = (f.axis + 2) % 3;
    f.side  = d[f.axis] < 0 ? -1 : 1;
    f.slope = m[f.axis];
    return f;
}

/// What convex_candidates finds where a face of one box is the reference and one of the other is clipped against it,
/// point for point with the same names, in the frame of the reference face. False: it is another case.
bool clip_boxes(const Shape& a, const Shape& b, const Vec3d& n, double reach, double merge, Candidates& out)
{
    // The same limits as Alignment::exact and Alignment::wide of feature.cpp.
    constexpr double kExact = 1 - 2e-6, kWide = 0.94;  // feature.cpp
    Face             f    = face_towards(a, n);
    const auto       flat = [](const Shape& s, const Face& g) { return !(s.size[g.u] > 0 && s.size[g.v] > 0); };
    const bool       of_a = f.slope > kExact && !flat(a, f);
    if (!of_a) f = face_towards(b, -n);
    const Shape &r = of_a ? a : b, &o = of_a ? b : a;
    // The incident face is the one that faces the reference most squarely.
    const Face   g = face_towards(o, of_a ? -n : n);
    if (!(f.slope > kExact) || flat(r, f) || !(g.slope > kWide) || flat(o, g)) return false;
    const Vec3d  w = f.side * r.R.column(f.axis), u = r.R.column(f.u), v = f.side * r.R.column(f.v);
    const double hu = r.size[f.u], hv = r.size[f.v];
    const Vec3d  centre = r.p + r.size[f.axis] * w;

    // Incident corners in the order of feature.cpp.
    const Vec3d            gw = (g.side * o.size[g.axis]) * o.R.column(g.axis), gu = o.size[g.u] * o.R.column(g.u),
                           gv = (g.side * o.size[g.v]) * o.R.column(g.v), middle = o.p + gw - centre;
    const auto             local = [&](const Vec3d& p) { return Vec3d{dot(u, p), dot(v, p), dot(w, p)}; };
    const Vec3d            m = local(middle), lu = local(gu), lv = local(gv);
    std::array<PolyCorner, 16> poly, next;
    std::size_t            count = 0;
    for (const auto& [x, y] : {std::pair{1, 1}, std::pair{-1, 1}, std::pair{-1, -1}, std::pair{1, -1}}) {
        // The name of a corner is a bit per axis whose sign is negative (corner_id in feature.cpp).
        const Vec3d         p = m + static_cast<double>(x) * lu + static_cast<double>(y) * lv;
        const std::uint32_t id =
            (x < 0 ? 1U << g.u : 0U) | (g.side * y < 0 ? 1U << g.v : 0U) | (g.side < 0 ? 1U << g.axis : 0U);
        poly[count++] = {p.x, p.y, p.z, id, id};
    }
    // A corner that lies on the side of the reference face to rounding is inside. Otherwise boxes of one size on each
    // other would flicker between corners and cuts.
    const double slack = 2e-9 * std::sqrt(hu * hu + hv * hv);
    // The edges of the reference face in their order: +v, -u, -v, +u.
    const auto cut = [&](std::uint32_t side, auto&& height) {
        bool outside = false;
        for (std::size_t i = 0; i < count; ++i) outside = outside || height(poly[i]) > 0;
        if (!outside) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const PolyCorner &p = poly[i], &q = poly[i + 1 < count ? i + 1 : 0];
            const double  h = height(p), k = height(q);
            if (h <= 0) next[kept++] = p;
            if ((h <= 0) == (k <= 0)) continue;
            // Linear interpolation to the crossing. The denominator is not zero, since exactly one of the two heights
            // is positive.
            const double s = h / (h - k);
            next[kept++]   = {p.x + s * (q.x - p.x), p.y + s * (q.y - p.y), p.z + s * (q.z - p.z),
                              cut_name(side, p.edge), h <= 0 ? side_name(side) : p.edge};
        }
        count = kept;
        std::swap(poly, next);
    };
    cut(0, [&](const PolyCorner& p) { return p.y - hv - slack; });
    cut(1, [&](const PolyCorner& p) { return -p.x - hu - slack; });
    cut(2, [&](const PolyCorner& p) { return -p.y - hv - slack; });
    cut(3, [&](const PolyCorner& p) { return p.x - hu - slack; });
    const auto how = of_a ? Found::on_first_face : Found::on_second_face;
    // Depth is measured along n and not along the face's normal: both points of a contact then differ by a multiple of
    // n.
    for (std::size_t i = 0; i < count; ++i) {
        const PolyCorner& q = poly[i];
        const double  d = q.z / f.slope;
        if (d > reach) continue;
        const Vec3d p    = centre + q.x * u + q.y * v + q.z * w;
        const Vec3d on_b = of_a ? p : p + d * n;
        out.add({on_b - d * n, on_b, n, d, feature_name(how, q.id)}, merge);
    }
    return true;
}

}  // namespace

/// Separating axes of two boxes: six faces, nine pairs of edges (Gottschalk, Lin, Manocha 1996). In penetration the
/// axis of least overlap is the exact minimum translation. Apart, a face axis is exact when some point lies over the
/// face; else GJK decides.
void collide_box_box(const Shape& a, const Shape& b, double reach, Manifold& out)
{
    const Vec3d  t  = b.p - a.p;
    const Vec3d &ha = a.size, &hb = b.size;
    const double size = 0.5 * (length(ha) + length(hb));
    // An edge axis must win clearly: a face gives a manifold, an edge a single point, and ties would flicker between
    // them.
    const double bias = 1e-6 * size;
    Mat33d       C;  // C(i,k): axis i of a on axis k of b
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) C(i, k) = dot(a.R.column(i), b.R.column(k));
    const Mat33d A{abs(C.r0), abs(C.r1), abs(C.r2)};
    Axis         face;
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3d  n = a.R.column(i);
        const double x = dot(n, t), s = std::abs(x) - ha[i] - dot(A.row(i), hb);
        if (s > reach) return;
        if (s > face.separation + bias) face = {s, x < 0 ? -n : n, 0, i, 0};
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3d  n = b.R.column(k);
        const double x = dot(n, t), s = std::abs(x) - hb[k] - dot(A.column(k), ha);
        if (s > reach) return;
        if (s > face.separation + bias) face = {s, x < 0 ? -n : n, 1, 0, k};
    }
    Axis        edge;
    const Vec3d t_a = transpose_times(a.R, t);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            // |e_a x e_b|^2 = 1 - (e_a . e_b)^2 for unit axes.
            const double sine_squared = 1 - C(i, k) * C(i, k);
            if (sine_squared < 1e-8) continue;  // parallel: a face axis says the same
            const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            // All in lengths of the cross product of the edges; nearly all axes are out before its root is needed.
            // Projections onto the unnormalised axis e_i x e_k, from the components of t and C: the cross product
            // itself is made only for an axis that wins.
            const double x  = t_a[i2] * C(i1, k) - t_a[i1] * C(i2, k);
            const double ra = ha[i1] * A(i2, k) + ha[i2] * A(i1, k), rb = hb[k1] * A(i, k2) + hb[k2] * A(i, k1);
            const double gap = std::abs(x) - ra - rb, most = std::max(edge.separation, face.separation + bias),
                         limit = std::min(reach, most);
            // Signed squares keep the order of gap / sine without a root: x |x| grows with x.
            if (gap * std::abs(gap) <= limit * std::abs(limit) * sine_squared) continue;
            const double sine = std::sqrt(sine_squared), s = gap / sine;
            if (s > reach) return;
            if (!(s > most)) continue;
            const Vec3d n = (1 / sine) * cross(a.R.column(i), b.R.column(k));
            edge          = {s, x < 0 ? -n : n, 2, i, k};
        }
    const bool   by_edge = edge.separation > face.separation + bias;
    const Axis&  best    = by_edge ? edge : face;
    CoreDistance core{.distance = best.separation, .normal = best.normal};
    Candidates   candidates;
    const double merge = 1e-4 * std::min(length(ha), length(hb));
    // Two edges touch in one point, but the candidates may be two where the edges run nearly side by side.
    if (by_edge) {
        if (best.separation > 0) return collide_convex(a, b, reach, out);
        const auto ea = supporting_edge(a, best.i, best.normal), eb = supporting_edge(b, best.k, -best.normal);
        const auto pair = geometry::closest_on_segments(ea[0], ea[1], eb[0], eb[1]);
        core.on_a = pair.a, core.on_b = pair.b;
        convex_candidates(a, b, core, reach, false, merge, candidates);
    } else {
        // Clip with the face that separates as the reference.
        core.on_a = support(a, best.normal), core.on_b = support(b, -best.normal);
        if (!clip_boxes(a, b, best.normal, reach, merge, candidates))
            convex_candidates(a, b, core, reach, true, merge, candidates);
        double least = kInfinity;
        for (const ContactPoint& p : candidates.all()) least = std::min(least, p.distance);
        // Apart over no face, or a face without width.
        if (least > best.separation + 1e-9 * size && (best.separation > -1e-9 * size || candidates.count == 0))
            return collide_convex(a, b, reach, out);
    }
    emit_reduced(candidates, out);
}

}  // namespace mechane::collision
