// Penetration depth of a box and a cylinder or cone in closed form, called by GJK (gjk.cpp) for cores that overlap.
// The overlap along n is the sum of the support functions. Its minima lie where one of them has a crease: face normals
// of the box, the axis of the round shape, normals of the side over a corner of the box, and directions across an edge
// of the box. Each family is searched exactly; the least is the depth.
// Result: depth, normal and one point on each body, in the frame of the difference.

#include "round_box_depth.h"

#include <algorithm>
#include <cmath>

#include "box_and_round.h"
#include "mechane/geometry/closest.h"
#include "rim.h"

namespace mechane::collision {

namespace {

/// Everything in the frame of the box. Directions n lead from the box to the round shape, whose axis is z; the overlap
/// along n is sum |n_i| half_i + n . t + H(y), y = n . z, with the extent H of the round shape.
class Creases {
  public:
    double depth = kInfinity;
    Vec3d  normal;

    Creases(const Vec3d& half, const Shape& round, const Vec3d& z, const Vec3d& t)
        : half_(half), t_(t), z_(z), r_(round.size.x), h_(round.size.y), cone_(round.kind == ShapeKind::cone)
    {
        // Normals of a cone's side have the component side_ = -r / slant along the apex direction of the difference and
        // lean_ across it.
        const double slant = std::sqrt(r_ * r_ + 4 * h_ * h_);
        if (cone_ && slant > 0) side_ = -r_ / slant, lean_ = 2 * h_ / slant;
        sines_ = {std::sqrt(z.y * z.y + z.z * z.z), std::sqrt(z.z * z.z + z.x * z.x), std::sqrt(z.x * z.x + z.y * z.y)};
    }

    [[gnu::always_inline]] void search()
    {
        for (std::size_t i = 0; i < 3; ++i) {
            const auto   n   = axis_vector<double>(static_cast<int>(i));
            const double rim = r_ * sines_[i], both = half_[i] + rim;
            // H(y) = h |y| + r sqrt(1 - y^2) of a cylinder; of a cone the larger of apex and rim.
            offer(both + t_[i] + along_axis(z_[i], rim), n);
            offer(both - t_[i] + along_axis(-z_[i], rim), -n);
        }
        const double cap = dot(half_, abs(z_)) + h_, over = dot(z_, t_);
        offer(cap + over, z_);
        if (!cone_) offer(cap - over, -z_);
        over_corners();
        Circle circles[3];
        for (std::size_t i = 0; i < 3; ++i) {
            circles[i] = circle(i);
            for (std::size_t k = 0; k < circles[i].kink_count; ++k) {
                const Vec3d n = circles[i].in_space(circles[i].kinks[k].n);
                offer(overlap(n), n);
            }
        }
        for (const Circle& c : circles) over_edges(c);
    }

    /// The point of the box where the shapes overlap least; the round one has its own `depth` below along the normal.
    /// @param only  the point of the round shape there, where it has a single one
    [[nodiscard]] Vec3d point_of_box(const Vec3d& only) const;

  private:
    /// The directions across the edges along an axis of the box, which is not seen from there.
    struct Circle {
        std::size_t u, v;
        Rim         rim;
        /// Of a cone first those in which a line of the side lies across an edge; those in which the rim changes its
        /// half, which are the same for a cylinder.
        std::array<Tangent, 4> kinks;
        std::size_t            kink_count;

        [[nodiscard]] Vec3d in_space(const Flat& d) const
        {
            Vec3d x;
            x[u] = d.u, x[v] = d.v;
            return x;
        }
    };

    /// H less the term of the rim, `rim` = r sqrt(1 - y^2).
    [[nodiscard]] double along_axis(double y, double rim) const
    { return cone_ ? std::max(h_ * y, -h_ * y - rim) : h_ * std::abs(y); }
    [[nodiscard]] double overlap(const Vec3d& n) const
    {
        const double y = dot(n, z_), rim = r_ * length(n - y * z_);
        return dot(abs(n), half_) + dot(n, t_) + rim + along_axis(y, rim);
    }
    void offer(double value, const Vec3d& n)
    {
        if (value < depth) depth = value, normal = n;
    }

    /// Normals of the side, which make a circle about z, where a corner of the box stands highest.
    [[gnu::always_inline]] void over_corners()
    {
        const double at_side = r_ * lean_ + h_ * side_;
        for (unsigned k = 0; k < 8; ++k) {
            const bool   x = (k & 1) != 0, y = (k & 2) != 0, z = (k & 4) != 0;
            const Vec3d  q     = t_ + Vec3d{x ? half_.x : -half_.x, y ? half_.y : -half_.y, z ? half_.z : -half_.z};
            const double along = dot(q, z_);
            const Vec3d  p     = q - along * z_;
            const double aside = length(p), value = at_side + side_ * along - lean_ * aside;
            // A value that does not beat the best is not tested further.
            if (!(value < depth) || !(aside > 1e-9 * length(q))) continue;  // on the axis all ways are equally long
            // Only where this corner is the one that the box has there.
            // The octant of n must be the one for which this corner supports the box.
            const Vec3d n = (side_ * aside) * z_ - lean_ * p;
            if ((n.x < 0) == x || (n.y < 0) == y || (n.z < 0) == z) continue;
            offer(value, (1 / aside) * n);
        }
    }

    [[gnu::always_inline]] Circle circle(std::size_t i) const
    {
        Circle c;
        c.u = (i + 1) % 3, c.v = (i + 2) % 3;
        const double flat = sines_[i];
        c.rim             = {flat > 1e-12 ? Flat{z_[c.u] / flat, z_[c.v] / flat} : Flat{1, 0}, flat, r_};
        const Flat across{-c.rim.z.v, c.rim.z.u};
        c.kink_count = 0;
        if (cone_ && flat > -side_) {
            const double a = side_ / flat, b = std::sqrt(1 - a * a);
            c.kinks[0]   = c.rim.at(a * c.rim.z + b * across, lean_);
            c.kinks[1]   = c.rim.at(a * c.rim.z - b * across, lean_);
            c.kink_count = 2;
        }
        c.kinks[c.kink_count]     = {across, r_ * across};
        c.kinks[c.kink_count + 1] = -c.kinks[c.kink_count];
        c.kink_count += 2;
        return c;
    }

    /// Where a rim touches an edge: between kinks the boundary of the difference, seen along the edge, is an arc of the
    /// rim about a corner of the box.
    [[gnu::always_inline]] void over_edges(const Circle& c)
    {
        const Rim&    rim  = c.rim;
        const Tangent on_u = rim.at({1, 0}, sines_[c.u]), on_v = rim.at({0, 1}, sines_[c.v]);
        const Tangent axes[5] = {on_u, on_v, -on_u, -on_v, on_u};
        const Flat    rise    = h_ * Flat{z_[c.u], z_[c.v]};
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
            const Tangent &first = axes[quarter], &last = axes[quarter + 1];
            const double   su = first.n.u + last.n.u, sv = first.n.v + last.n.v;
            const Flat     corner{su * half_[c.u] + t_[c.u], sv * half_[c.v] + t_[c.v]};
            // The round shape has its point there on the rim of the one or of the other end; a cone may have its apex.
            const auto end_of = [&](const Tangent& t) {
                const double y = rim.flat * dot(t.n, rim.z);
                if (!cone_) return t.moved(y > 0 ? corner + rise : corner - rise);
                return y > side_ ? t.moved(corner + rise) : Tangent{t.n, corner - rise};
            };
            if (may_be_less(end_of(first), end_of(last), depth)) over_edge(c, first, last, corner, rise);
        }
    }
    void over_edge(const Circle& c, const Tangent& first, const Tangent& last, const Flat& corner, const Flat& rise)
    {
        const double su = first.n.u + last.n.u, sv = first.n.v + last.n.v;
        Tangent      ends[6] = {first};
        std::size_t  count   = 1;
        for (std::size_t k = 0; k < c.kink_count; ++k) {
            const Tangent& kink = c.kinks[k];
            if (!(kink.n.u * su > 0 && kink.n.v * sv > 0)) continue;
            std::size_t at = count++;
            // Insertion by angle: at most six directions in a quarter.
            for (; at > 1 && cross(ends[at - 1].n, kink.n) < 0; --at) ends[at] = ends[at - 1];
            ends[at] = kink;
        }
        ends[count] = last;
        for (std::size_t k = 0; k < count; ++k) {
            const double y0 = dot(ends[k].n, c.rim.z), y1 = dot(ends[k + 1].n, c.rim.z);
            if (cone_ && c.rim.flat * std::min(y0, y1) < side_ - 1e-9) continue;  // the apex alone has no arc
            const Flat centre = cone_ || y0 + y1 > 0 ? corner + rise : corner - rise;
            Flat       least;
            if (!least_between(c.rim, centre, ends[k].moved(centre), ends[k + 1].moved(centre), depth, least)) continue;
            const Vec3d n = c.in_space(least);
            offer(overlap(n), n);
        }
    }

    Vec3d  half_, t_, z_;
    double r_, h_;
    double side_ = 0, lean_ = 1;  ///< y of the normals of the side, and their part across the axis
    Vec3d  sines_;                ///< between the axis and those of the box
    bool   cone_;
};

Vec3d Creases::point_of_box(const Vec3d& only) const
{
    // Components below this are zero to rounding, and the box supports with an edge or face.
    constexpr double kAlong = 1e-9;
    const Vec3d&     n      = normal;
    std::size_t      along[3], count = 0;  // axes of the box that lie across the normal
    Vec3d            p;
    for (std::size_t i = 0; i < 3; ++i) {
        p[i] = n[i] < 0 ? -half_[i] : half_[i];
        if (std::abs(n[i]) <= kAlong) along[count++] = i, p[i] = 0;
    }
    if (count == 0) return p;
    const double y = dot(n, z_), sine = length(n - y * z_);
    const Vec3d  h = h_ * z_;
    if (sine <= kAlong && (y > 0 || !cone_ || !(h_ > 0))) {  // a cap: the point of the box next to its middle
        const Vec3d middle = (y > 0 ? -h : h) - t_;
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t i = along[k];
            p[i]                = std::clamp(middle[i], -half_[i], half_[i]);
        }
        // The foot of the cap's centre, clamped to the face of the box, is a point of both.
        return p;
    }
    if (sine <= kAlong || std::abs(y - side_) > kAlong) return only + depth * n;
    // A line of the side against an edge or over a face.
    const Vec3d aside = (r_ / sine) * (n - y * z_), foot = depth * n - h - aside - t_;
    const Vec3d top = cone_ ? depth * n + h - t_ : foot + 2.0 * h, way = top - foot;
    if (count == 1) {
        Vec3d edge;
        edge[along[0]] = half_[along[0]];
        return geometry::closest_on_segments(p - edge, p + edge, foot, top).a;
    }
    // The part of the line of the side that lies over the face; its middle is the contact point.
    double from = 0, to = 1;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t i = along[k];
        if (way[i] == 0) continue;
        const double a = (-half_[i] - foot[i]) / way[i], b = (half_[i] - foot[i]) / way[i];
        from = std::max(from, std::min(a, b)), to = std::min(to, std::max(a, b));
    }
    return foot + (0.5 * (from + to)) * way;
}

}  // namespace

bool round_box_depth(const Difference& difference, CoreDistance& out)
{
    const BoxAndRound pair(difference);
    const Shape&      round = pair.round;
    Creases           creases(pair.box.size, round, pair.R.column(2), pair.t);
    creases.search();
    const double depth = creases.depth;
    if (!(depth > 1e-9 * (round.size.x + round.size.y)) || !(depth < kInfinity)) return false;
    const Vec3d& n    = creases.normal;
    const Vec3d  only = pair.R * core_support(round, transpose_times(pair.R, -n)) - pair.t;
    out               = pair.answer(depth, n, creases.point_of_box(only));
    return true;
}

}  // namespace mechane::collision
