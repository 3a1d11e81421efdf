// The smallest sphere around points (Welzl 1991), exact to rounding. Points in any frame [m].
// Points are sorted and shuffled with a fixed seed: equal sets of points give equal bytes.

#include <algorithm>
#include <tuple>
#include <vector>

#include "mechane/geometry/codes.h"
#include "mechane/geometry/fit.h"
#include "mechane/math/random.h"

namespace mechane::geometry {

namespace {

/// The smallest sphere through two points.
Sphere through(const Vec3d& a, const Vec3d& b) { return {0.5 * (a + b), 0.5 * length(b - a)}; }

/// The smallest sphere through three points, whose centre lies in their plane; of the farthest two when they are in
/// line.
Sphere through(const Vec3d& a, const Vec3d& b, const Vec3d& c)
{
    const Vec3d  u = b - a, v = c - a, n = cross(u, v);
    const double n2 = length_squared(n);
    // In line to a sine of 1e-12.
    if (!(n2 > 1e-24 * length_squared(u) * length_squared(v))) {
        const Sphere pairs[] = {through(a, b), through(a, c), through(b, c)};
        return *std::ranges::max_element(pairs, {}, &Sphere::radius);
    }
    // Circumcentre from the first corner: (|u|^2 v x n + |v|^2 n x u) / (2 |n|^2).
    const Vec3d r = (length_squared(u) * cross(v, n) + length_squared(v) * cross(n, u)) / (2 * n2);
    return {a + r, length(r)};
}

/// The sphere through four points; the smallest through three of them when they lie in a plane.
Sphere through(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d)
{
    const Vec3d  u = b - a, v = c - a, w = d - a;
    const double det  = 2 * dot(u, cross(v, w));
    const double size = length(u) * length(v) * length(w);
    if (!(std::abs(det) > 1e-12 * size)) {
        const Sphere triples[] = {through(a, b, c), through(a, b, d), through(a, c, d), through(b, c, d)};
        return *std::ranges::max_element(triples, {}, &Sphere::radius);
    }
    // The same in space, by Cramer's rule.
    const Vec3d r =
        (length_squared(u) * cross(v, w) + length_squared(v) * cross(w, u) + length_squared(w) * cross(u, v)) / det;
    return {a + r, length(r)};
}

/// Welzl's recursion unrolled: each level knows one more point of the boundary and looks only at the points before it.
class SmallestSphere {
  public:
    SmallestSphere(std::span<const Vec3d> points, double tolerance) : points_(points), tolerance_(tolerance) {}

    [[nodiscard]] Sphere run() const
    {
        Sphere s{points_[0], 0};
        for (std::size_t i = 1; i < points_.size(); ++i)
            if (outside(s, points_[i])) s = with(i, points_[i]);
        return s;
    }

  private:
    [[nodiscard]] bool outside(const Sphere& s, const Vec3d& p) const
    { return length(p - s.centre) > s.radius + tolerance_; }

    [[nodiscard]] Sphere with(std::size_t end, const Vec3d& a) const
    {
        Sphere s{a, 0};
        for (std::size_t i = 0; i < end; ++i)
            if (outside(s, points_[i])) s = with(i, a, points_[i]);
        return s;
    }
    [[nodiscard]] Sphere with(std::size_t end, const Vec3d& a, const Vec3d& b) const
    {
        Sphere s = through(a, b);
        for (std::size_t i = 0; i < end; ++i)
            if (outside(s, points_[i])) s = with(i, a, b, points_[i]);
        return s;
    }
    [[nodiscard]] Sphere with(std::size_t end, const Vec3d& a, const Vec3d& b, const Vec3d& c) const
    {
        Sphere s = through(a, b, c);
        for (std::size_t i = 0; i < end; ++i)
            if (outside(s, points_[i])) s = through(a, b, c, points_[i]);
        return s;
    }

    std::span<const Vec3d> points_;
    double                 tolerance_;
};

}  // namespace

Result<Sphere> bounding_sphere(std::span<const Vec3d> points)
{
    for (const Vec3d& p : points)
        if (!is_finite(p)) return make_diagnostic(kFitEmpty, {}, "a point is not finite");
    if (points.empty()) return make_diagnostic(kFitEmpty, {}, "there are no points");

    std::vector<Vec3d> shuffled(points.begin(), points.end());
    std::ranges::sort(shuffled,
                      [](const Vec3d& a, const Vec3d& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); });
    shuffled.erase(std::ranges::unique(shuffled).begin(), shuffled.end());
    const double extent = length(shuffled.back() - shuffled.front());
    // A random order makes the expected time linear; a fixed seed makes it the same order each time.
    Random random(1991);
    for (std::size_t i = shuffled.size(); i > 1; --i)
        std::swap(shuffled[i - 1], shuffled[random.below(static_cast<std::uint32_t>(i))]);

    Sphere s = SmallestSphere(shuffled, 1e-13 * extent).run();
    // Grown to hold every point whatever the rounding of the centre.
    s.radius = 0;
    for (const Vec3d& p : shuffled) s.radius = std::max(s.radius, length(p - s.centre));
    return s;
}

}  // namespace mechane::geometry
