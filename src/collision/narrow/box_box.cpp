#include <algorithm>
#include <cmath>

#include "manifold.h"
#include "mechane/geometry/closest.h"
#include "pairs.h"

namespace mechane::collision {

namespace {

/// The edge of a box along `axis` that lies farthest in direction n.
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
    Axis edge;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            const double sine_squared = 1 - C(i, k) * C(i, k);
            if (sine_squared < 1e-8) continue;  // parallel: a face axis says the same
            const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            const Vec3d       n  = cross(a.R.column(i), b.R.column(k)) / std::sqrt(sine_squared);
            const double      x  = dot(n, t);
            const double      ra = ha[i1] * A(i2, k) + ha[i2] * A(i1, k), rb = hb[k1] * A(i, k2) + hb[k2] * A(i, k1);
            const double      s = std::abs(x) - (ra + rb) / std::sqrt(sine_squared);
            if (s > reach) return;
            if (s > edge.separation) edge = {s, x < 0 ? -n : n, 2, i, k};
        }
    const bool   by_edge = edge.separation > face.separation + bias;
    const Axis&  best    = by_edge ? edge : face;
    CoreDistance core{.distance = best.separation, .normal = best.normal};
    Candidates   candidates;
    const double merge = 1e-4 * std::min(length(ha), length(hb));
    if (by_edge) {
        if (best.separation > 0) return collide_convex(a, b, reach, out);
        const auto ea = supporting_edge(a, best.i, best.normal), eb = supporting_edge(b, best.k, -best.normal);
        const auto pair = geometry::closest_on_segments(ea[0], ea[1], eb[0], eb[1]);
        core.on_a = pair.a, core.on_b = pair.b;
        convex_candidates(a, b, core, reach, false, merge, candidates);
    } else {
        // Clip with the face that separates as the reference.
        core.on_a = support(a, best.normal), core.on_b = support(b, -best.normal);
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
