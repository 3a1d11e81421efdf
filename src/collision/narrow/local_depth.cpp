// Least depth of two overlapping round shapes near a direction, without the polytope's many faces: Newton steps on the
// support function of the Minkowski difference, h(n) = h_a(n) + h_b(-n).
// h is smooth but for creases, directions across an edge, a side or a cap, where the support point jumps along a
// segment or disc. A local minimum of the depth lies in a smooth piece, on one crease (a great circle), or where two
// creases cross. Each case is solved by itself, and the least is checked by the support function itself.
// The result is a proven upper bound of the depth, and a local minimum; epa.cpp continues until it is the global one.

#include "local_depth.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechane/math/simd.h"

namespace mechane::collision {

namespace {

/// 0.2 is 11.5 degrees: farther away a crease cannot hold the minimum that the start direction points at.
constexpr double   kNear = 0.2;  ///< sine up to which an edge counts as lying across a direction
constexpr unsigned kDisc = 8,
                   kSide = 16;  ///< bits of a flat cap and of a cone's side beside those of the edges along x, y, z

bool has_rim(const Shape& s) { return s.kind == ShapeKind::cylinder || s.kind == ShapeKind::cone; }

/// Edges and caps that face a direction within `near`, all in the frame of the shape.
[[gnu::always_inline]] inline unsigned facing(const Shape& s, const Vec3d& d, double near)
{
    unsigned parts = 0;
    if (s.kind == ShapeKind::box)
        for (std::size_t i = 0; i < 3; ++i) parts |= std::abs(d[i]) < near ? 1u << i : 0u;
    if ((s.kind == ShapeKind::capsule || s.kind == ShapeKind::cylinder) && std::abs(d.z) < near) parts |= 4u;
    if (s.kind == ShapeKind::cone && std::abs(2 * s.size.y * d.z - s.size.x * std::sqrt(d.x * d.x + d.y * d.y)) <
                                         near * std::sqrt(s.size.x * s.size.x + 4 * s.size.y * s.size.y))
        parts |= kSide;
    if (has_rim(s) && d.x * d.x + d.y * d.y < near * near && (s.kind == ShapeKind::cylinder || d.z < 0)) parts |= kDisc;
    return parts;
}

/// Half of the edge along axis i.
[[gnu::always_inline]] inline Vec3d half_edge(const Shape& s, std::size_t i)
{
    Vec3d e;
    e[i] = s.kind == ShapeKind::box ? s.size[i] : s.size.y;
    return e;
}

/// The support point, but the middle of those edges and that cap.
[[gnu::always_inline]] inline Vec3d middle(const Shape& s, const Vec3d& d, unsigned parts)
{
    Vec3d p = core_support(s, d);
    if (parts & kSide) p = 0.5 * farthest_on_circle(d, s.size.x);
    if (parts & kDisc) p = {0, 0, d.z < 0 ? -s.size.y : s.size.y};
    for (std::size_t i = 0; i < 3; ++i)
        if (parts & (1u << i)) p[i] = 0;
    return p;
}

/// Second derivative of the support function along the tangents t and u.
/// Ellipsoid: h(n) = |S n| with half axes S, whose Hessian is (S^2 - S^2 n n^T S^2 / h^2) / h. Rim of radius r: h = r
/// |n_xy|, whose Hessian has the single curvature r / |n_xy| along the circle.
[[gnu::always_inline]] inline double bend(const Shape& s, const Vec3d& d, const Vec3d& t, const Vec3d& u)
{
    if (s.kind == ShapeKind::ellipsoid) {
        const Vec3d  e = scale(s.size, d), x = scale(s.size, t), y = scale(s.size, u);
        const double h = length(e);
        return h > 0 ? (dot(x, y) - dot(e, x) * dot(e, y) / (h * h)) / h : 0;
    }
    if (!has_rim(s)) return 0;
    const double lateral = std::sqrt(d.x * d.x + d.y * d.y);
    if (!(lateral > 0) || (s.kind == ShapeKind::cone && 2 * s.size.y * d.z >= s.size.x * lateral)) return 0;
    const double k = s.size.x / (lateral * lateral * lateral);
    return k * (d.x * t.y - d.y * t.x) * (d.x * u.y - d.y * u.x);
}

class DepthDescent {
  public:
    DepthDescent(const Difference& difference, const Vec3d& n0) : d_(difference), n0_(n0) {}

    [[gnu::always_inline]] bool run(LocalDepth& out)
    {
        // All cases in a fixed order; of equal depths the first found stays.
        const unsigned near_a = facing(d_.a, n0_, kNear), near_b = facing(d_.b, d_.in_b(n0_), kNear);
        if (near_a & kDisc) cap({0, 0, 1}, kDisc, 0, d_.a.size.x);
        if (near_b & kDisc) cap(d_.R.column(2), 0, kDisc, d_.b.size.x);
        std::array<Edge, 6> edges;
        std::size_t         count = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const unsigned bit = 1u << i;
            if (near_a & bit) edges[count++] = {half_edge(d_.a, i), bit, false};
            if (near_b & bit) edges[count++] = {d_.R * half_edge(d_.b, i), bit, true};
        }
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < i; ++k) crossing(edges[i], edges[k]);
        for (std::size_t i = 0; i < count; ++i) along(edges[i]);
        for (const bool of_b : {false, true})
            if ((of_b ? near_b : near_a) & kSide) {
                const Side side(of_b ? d_.b : d_.a, of_b ? -d_.R.column(2) : Vec3d{0, 0, 1}, of_b);
                for (std::size_t i = 0; i < count; ++i) generator(side, edges[i]);
                round(side);
            }
        if (can_be_smooth()) smooth();
        if (!(best_.depth < kInfinity)) return false;
        // Asked anew: whatever was assumed, this much separates. A crease that was stepped over shows here.
        // The bound is the support function's own value, so it holds whatever the cases assumed.
        out       = best_;
        out.depth = dot(out.n, d_(out.n).w);
        return out.depth <= best_.depth + 1e-9 * std::abs(best_.depth);
    }

  private:
    struct Edge {
        Vec3d    half;  ///< in the frame of a
        unsigned bit;
        bool     of_b;

        [[nodiscard]] unsigned in_a() const { return of_b ? 0 : bit; }
        [[nodiscard]] unsigned in_b() const { return of_b ? bit : 0; }
    };

    /// The point of a - b along n, at the middle of edges and caps.
    [[nodiscard, gnu::always_inline]] MinkowskiPoint at(const Vec3d& n, unsigned parts_a, unsigned parts_b) const
    {
        const Vec3d b = d_.p + d_.R * middle(d_.b, d_.in_b(n), parts_b);
        return {middle(d_.a, n, parts_a) - b, b};
    }
    [[nodiscard, gnu::always_inline]] double bend_of(const Vec3d& n, const Vec3d& t, const Vec3d& u) const
    {
        const auto turned = [&](const Vec3d& x) { return transpose_times(d_.R, x); };
        return bend(d_.a, n, t, u) + bend(d_.b, d_.in_b(n), turned(t), turned(u));
    }
    /// Without creases both curvatures of the boundary must be finite.
    [[nodiscard]] bool can_be_smooth() const
    {
        return d_.a.kind == ShapeKind::ellipsoid || d_.b.kind == ShapeKind::ellipsoid ||
               (has_rim(d_.a) && has_rim(d_.b));
    }
    void offer(const Vec3d& n, const MinkowskiPoint& at)
    {
        const double depth = dot(n, at.w);
        if (depth < best_.depth) best_ = {n, depth, at.b};
    }
    /// Whether one more step from a depth `h` is worth while: it promises less than what is known, and the steps
    /// shrink.
    bool promising(double h, double slope, double curve, double& last) const
    {
        // Newton's predicted value is h - slope^2 / (2 curve); twice that much is allowed for before a start is given
        // up.
        const double turn = std::abs(slope / curve);
        if (!(curve > 0) || turn > 0.5 * last || h - slope * slope / curve > best_.depth) return false;
        last = turn;
        return true;
    }

    /// The axis of a cap: what lies over it must balance within it.
    /// The foot of the origin must fall inside the sum of what is flat there: the disc, and the edges that lie across.
    void cap(Vec3d n, unsigned parts_a, unsigned parts_b, double radius)
    {
        if (dot(n, n0_) < 0) n = -n;
        parts_a |= facing(d_.a, n, 1e-9), parts_b |= facing(d_.b, d_.in_b(n), 1e-9);
        const MinkowskiPoint c      = at(n, parts_a, parts_b);
        const Vec3d          aside  = c.w - dot(c.w, n) * n;
        double               within = radius;
        for (std::size_t i = 0; i < 3; ++i) {
            if (parts_a & (1u << i)) within += length(half_edge(d_.a, i));
            if (parts_b & (1u << i)) within += length(half_edge(d_.b, i));
        }
        if ((parts_a & kDisc) && (parts_b & kDisc)) within = d_.a.size.x + d_.b.size.x;
        if (length(aside) <= within) offer(n, {c.w, (parts_b & kDisc) ? c.b + aside : c.b});
    }

    /// The one direction across two edges.
    void crossing(const Edge& first, const Edge& second)
    {
        const Vec3d &e = first.half, &f = second.half;
        const Vec3d  x  = cross(e, f);
        const double ee = dot(e, e), ff = dot(f, f), xx = dot(x, x);
        // Parallel to a sine of 1e-3.
        if (!(xx > 1e-6 * ee * ff)) return;  // parallel ones make one edge
        Vec3d n = x / std::sqrt(xx);
        if (dot(n, n0_) < 0) n = -n;
        if (dot(n, n0_) < kLeastCosine) return;
        const MinkowskiPoint c = at(n, first.in_a() | second.in_a(), first.in_b() | second.in_b());
        // c + s e + t f has to be along n.
        // Two equations for s and t: (c + s e + t f) . e = 0 and . f = 0; |e x f|^2 is their determinant.
        const double ce = dot(c.w, e), cf = dot(c.w, f), ef = dot(e, f);
        const double s = (ef * cf - ff * ce) / xx, t = (ef * ce - ee * cf) / xx;
        if (std::abs(s) > 1 || std::abs(t) > 1) return;
        offer(n, {c.w, c.b - (first.of_b ? s : 0) * e - (second.of_b ? t : 0) * f});
    }

    /// A least depth on the great circle across one edge.
    [[gnu::always_inline]] void along(const Edge& e)
    {
        const double half = length(e.half);
        // The support point may move along the edge by its half length: the foot must fall on it.
        if (!(half > 0)) return;
        const Vec3d axis = e.half / half;
        Vec3d       n    = normalized(n0_ - dot(axis, n0_) * axis, n0_);
        double      last = kFar;
        for (int i = 0; i < kSteps; ++i) {
            const MinkowskiPoint c     = at(n, e.in_a(), e.in_b());
            const Vec3d          t     = cross(axis, n);
            const double         slope = dot(c.w, t), h = dot(c.w, n);
            if (std::abs(slope) <= kLevel * std::abs(h)) {
                const double s = -dot(c.w, axis);
                if (std::abs(s) <= half) offer(n, {c.w, e.of_b ? c.b - s * axis : c.b});
                return;
            }
            // d^2 h / d theta^2 on the great circle: the curvature of the shapes less h, since n itself turns away from
            // w.
            const double curve = bend_of(n, t, t) - h;
            if (!promising(h, slope, curve, last)) return;
            n = normalized(n - (slope / curve) * t, n);
        }
    }

    /// The side of a cone as part of a - b: its normals make a circle about the axis.
    struct Side {
        Vec3d  axis;
        double radius, height, slant;
        bool   of_b;

        Side(const Shape& cone, const Vec3d& z, bool second)
            : axis(z), radius(cone.size.x), height(2 * cone.size.y), slant(std::hypot(radius, height)), of_b(second)
        {
        }
        [[nodiscard]] Vec3d across(const Vec3d& n) const
        { return normalized(n - dot(n, axis) * axis, any_perpendicular(axis)); }
        [[nodiscard]] Vec3d normal(const Vec3d& u) const { return (1 / slant) * (height * u + radius * axis); }
        [[nodiscard]] Edge  line(const Vec3d& u) const { return {0.5 * (radius * u - height * axis), kSide, of_b}; }
    };

    /// A line on the side of a cone against an edge.
    void generator(const Side& side, const Edge& edge)
    {
        // Across the axis u must make a given product with the edge's part across the axis.
        const double along = dot(edge.half, side.axis);
        const Vec3d  part  = edge.half - along * side.axis;
        // u must be normal to the edge in the sense of the support function: u . part = k, with |u| = 1.
        const double k = -side.radius * along / side.height, pp = dot(part, part), left = pp - k * k;
        if (!(left > 0) || !(side.height > 0)) return;
        const Vec3d  turned = cross(side.axis, part), u = side.across(n0_);
        const double root = dot(turned, u) < 0 ? -std::sqrt(left) : std::sqrt(left);
        crossing(side.line((1 / pp) * (k * part + root * turned)), edge);
    }

    /// A least depth on the side of a cone.
    void round(const Side& side)
    {
        const double cosine = side.height / side.slant;
        Vec3d        u      = side.across(n0_);
        double       last   = kFar;
        for (int i = 0; i < kSteps; ++i) {
            const Edge           line = side.line(u);
            const Vec3d          n = side.normal(u), t = cross(side.axis, u);
            const MinkowskiPoint c     = at(n, line.in_a(), line.in_b());
            const double         slope = dot(c.w, t), h = dot(c.w, n);
            if (std::abs(slope) <= kLevel * std::abs(h)) {
                const double s = -dot(c.w, line.half) / dot(line.half, line.half);
                if (std::abs(s) <= 1) offer(n, {c.w, side.of_b ? c.b - s * line.half : c.b});
                return;
            }
            const double other = side.of_b ? bend(d_.a, n, t, t)
                                           : bend(d_.b, d_.in_b(n), transpose_times(d_.R, t), transpose_times(d_.R, t));
            // The normal turns by cosine times the turn of u; the support point on the side moves on a circle of half
            // the radius.
            const double curve = 0.5 * side.radius + cosine * other - dot(c.w, u);
            if (!promising(h, cosine * slope, cosine * curve, last)) return;
            u = normalized(u - (slope / curve) * t, u);
        }
    }

    /// A stationary direction where nothing has a crease.
    [[gnu::always_inline]] void smooth()
    {
        Vec3d  n    = n0_;
        double last = kFar;
        for (int i = 0; i < kSteps; ++i) {
            const MinkowskiPoint c = at(n, 0, 0);
            const Vec3d          t = any_perpendicular(n), u = cross(n, t);
            const double         h = dot(c.w, n), gt = dot(c.w, t), gu = dot(c.w, u);
            if (gt * gt + gu * gu <= square(kLevel * h)) return offer(n, c);
            // The Hessian on the sphere is that of h minus h times the identity. A minimum needs both tt > 0 and det >
            // 0.
            const double tt = bend_of(n, t, t) - h, uu = bend_of(n, u, u) - h, tu = bend_of(n, t, u);
            const double det = tt * uu - tu * tu;
            if (!(tt > 0) || !(det > 0)) return;
            const double x = (tu * gu - uu * gt) / det, y = (tu * gt - tt * gu) / det;
            const double turn = std::sqrt(x * x + y * y), fall = -(x * gt + y * gu);
            if (!promising(h, fall / turn, fall / (turn * turn), last)) return;
            n = normalized(n + x * t + y * u, n);
        }
    }

    static constexpr int    kSteps = 8;
    static constexpr double kFar   = 0.6;   ///< twice the longest first step [rad]; each is at most half of the last
    static constexpr double kLevel = 1e-7;  ///< what may be left of the slope, and so of the way aside, of the depth
    static constexpr double kLeastCosine = 0.8;  ///< between the direction asked for and one that is looked at

    const Difference& d_;
    const Vec3d&      n0_;
    LocalDepth        best_{.depth = kInfinity};
};

}  // namespace

MCH_CLONES_AVX2 bool local_depth(const Difference& difference, const Vec3d& n0, LocalDepth& out)
{ return DepthDescent(difference, n0).run(out); }

}  // namespace mechane::collision
