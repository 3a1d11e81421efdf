#include <algorithm>

#include "mechane/geometry/hull.h"
#include "reference.h"

/// Contacts against the references of reference.h. A depth is compared with all separating axes (polyhedra) or with a
/// search over directions. An optimised build tries 100,000 poses of each pair, one with assertions as many as it can
/// in seconds; MECHANE_TEST_POSES overrules both.
using namespace mechane;
using namespace mechane::test;

namespace {

/// Ten vertices at most; the same on every machine.
const geometry::Mesh& stone_mesh()
{
    static const geometry::Mesh mesh = [] {
        Random             r(11);
        std::vector<Vec3d> points;
        for (int i = 0; i < 10; ++i) points.push_back(scale(Vec3d{0.5, 0.4, 0.3}, r.direction()));
        auto made = geometry::build_hull(points);
        REQUIRE(made.has_value());
        return *std::move(made);
    }();
    return mesh;
}
const collision::HullShape& stone()
{
    static const collision::HullShape hull = collision::make_hull_shape(stone_mesh(), {1, 1, 1});
    return hull;
}

Shape random_shape(Random& r, ShapeKind kind, double spread)
{
    Shape s = shape(kind, {r.uniform(0.1, 0.6), r.uniform(0.1, 0.6), r.uniform(0.1, 0.6)}, r.vec(spread), r.rotation());
    if (kind == ShapeKind::hull) s.hull = &stone();
    return s;
}
bool is_round(const Shape& s)
{ return s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule || s.kind == ShapeKind::ellipsoid; }

/// Pairs of the primitive routines.
bool has_closed_form(ShapeKind a, ShapeKind b)
{
    if (a == ShapeKind::sphere)
        return b == ShapeKind::sphere || b == ShapeKind::capsule || b == ShapeKind::cylinder || b == ShapeKind::box;
    return a == ShapeKind::capsule && (b == ShapeKind::capsule || b == ShapeKind::box);
}

}  // namespace

TEST_CASE(
    "the distance of convex pairs apart lies between a separating direction and two points of the shapes (COL-019, "
    "COL-020, COL-092)")
{
    constexpr double kReach = 0.3;
    const int        count  = poses(300, 1);
    for_pairs([&](ShapeKind first, ShapeKind second) {
        int    apart = 0, worst_pose = -1, missed = 0, spurious = 0;
        double worst_low = 0, worst_high = 0;
        for (int i = 0; i < count; ++i) {
            Random         r(static_cast<std::uint64_t>(i) + 1);
            const Shape    a = random_shape(r, first, 0.6), b = random_shape(r, second, 0.6);
            const Manifold m = contacts(a, b, kReach);
            if (m.count == 0) {  // then some direction has more room than the reach: a proof that nothing was missed
                const double bound = kReach - 1e-5;
                if (i < std::max(300, count / 20) && most_room(a, b) < bound && most_room(a, b, true) < bound) ++missed;
                continue;
            }
            const ContactPoint& p = deepest_point(m);
            if (p.distance > kReach + 1e-9) ++spurious;
            if (p.distance <= 0) continue;
            ++apart;
            const double low = std::abs(room(a, b, p.normal) - p.distance);
            const double high =
                std::max({outside(a, p.p0), outside(b, p.p1), std::abs(length(p.p1 - p.p0) - p.distance)});
            if (std::max(low, high) > std::max(worst_low, worst_high)) worst_pose = i;
            worst_low = std::max(worst_low, low), worst_high = std::max(worst_high, high);
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(worst_pose);
        const bool closed = has_closed_form(first, second);
        CHECK(missed == 0);
        CHECK(spurious == 0);
        CHECK(apart > count / 50);
        // Where the pair has a closed form, class P; an angle of 1e-5 rad costs 5e-11 of room. Elsewhere class F, which
        // is half of S.
        CHECK(worst_low < (closed ? 1e-10 : 1e-5));
        CHECK(worst_high < (closed ? 2e-6 : 1e-4));  // how far the witness points stand off their surfaces
    });
}

TEST_CASE("the depth of two polyhedra is the least over all their separating axes (COL-090)")
{
    const int count = poses(400, 1);
    for (const auto& [first, second] :
         {std::pair{ShapeKind::box, ShapeKind::box}, std::pair{ShapeKind::box, ShapeKind::hull},
          std::pair{ShapeKind::hull, ShapeKind::hull}}) {
        double worst = 0, worst_normal = 0;
        int    at = -1, deep = 0;
        for (int i = 0; i < count; ++i) {
            Random         r(static_cast<std::uint64_t>(i) + 1);
            const Shape    a = random_shape(r, first, 0.25), b = random_shape(r, second, 0.25);
            const Manifold m = contacts(a, b, 0);
            if (m.count == 0) continue;
            const ContactPoint& p = deepest_point(m);
            if (p.distance > -1e-6) continue;
            ++deep;
            const double error = std::abs(p.distance - most_room_of_axes(a, b));
            if (error > worst) at = i;
            worst        = std::max(worst, error);
            worst_normal = std::max(worst_normal, std::abs(room(a, b, p.normal) - p.distance));
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(at);
        CHECK(deep > count / 4);
        CHECK(worst < 1e-5);
        CHECK(worst_normal < 1e-5);
    }
}

TEST_CASE("the depth of convex pairs with a curved side is within a thousandth of what a search finds (COL-091)")
{
    const int count = poses(20, 10);
    for_pairs([&](ShapeKind first, ShapeKind second) {
        double worst = 0;
        int    at = -1, deep = 0;
        for (int i = 0; i < count; ++i) {
            Random      r(static_cast<std::uint64_t>(i) + 1);
            const Shape a = random_shape(r, first, 0.25), b = random_shape(r, second, 0.25);
            if (is_polyhedron(a) && is_polyhedron(b)) continue;
            const Manifold m = contacts(a, b, 0);
            if (m.count == 0) continue;
            const ContactPoint& p = deepest_point(m);
            if (p.distance > -1e-3) continue;
            ++deep;
            // A search can only fall short of the most room, so a depth above its bound is wrong and one below is not.
            const double excess = std::max(most_room(a, b) - p.distance, std::abs(room(a, b, p.normal) - p.distance)) /
                                  std::abs(p.distance);
            if (excess > worst) at = i;
            worst = std::max(worst, excess);
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(at);
        CAPTURE(deep);
        CHECK(worst < 1e-3);
    });
}

TEST_CASE("the points of overlapping cores lie in both of them, as far apart as the depth (COL-092)")
{
    // Also where the nearest face of the difference is made of several triangles, and on creases of round sides.
    const int count = poses(300, 10);
    for_pairs([&](ShapeKind first, ShapeKind second) {
        double apart = 0, off = 0;
        int    at = -1;
        for (int i = 0; i < count; ++i) {
            Random      r(static_cast<std::uint64_t>(i) + 1);
            const Shape a = random_shape(r, first, 0.25);
            Shape       b = random_shape(r, second, 0.25);
            if (i % 8 == 0) b.R = a.R;  // parallel edges and faces share many points
            const auto d = collision::core_distance(a, b);
            if (d.distance > -1e-6) continue;
            const double gap = distance(d.on_b - d.on_a, d.distance * d.normal);
            if (gap > apart) at = i;
            apart = std::max(apart, gap);
            off   = std::max({off, outside(a, d.on_a), outside(b, d.on_b)});
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(at);
        // Beside a hull a round side is met step by step: its points are of class S.
        const bool stepwise = second == ShapeKind::hull && !is_polyhedron(shape(first, {}));
        CHECK(apart < (stepwise ? 1e-3 : 1e-6));
        CHECK(off < (stepwise ? 1e-3 : 1e-6));
    });
}

TEST_CASE("a plane meets every convex shape at its lowest point, above and below (COL-019, COL-020)")
{
    const int count = poses(300, 1);
    for (const ShapeKind kind : kConvex) {
        double worst = 0;
        int    wrong = 0;
        for (int i = 0; i < count; ++i) {
            Random       r(static_cast<std::uint64_t>(i) + 1);
            const Shape  plane         = shape(ShapeKind::plane, {}, r.vec(0.5), r.rotation());
            const Shape  s             = random_shape(r, kind, 0.5);
            const Vec3d  n             = plane.R.column(2);
            const double true_distance = dot(n, s.p - plane.p) - extent_along(s, -transpose_times(s.R, n));
            const auto   m             = contacts(plane, s, 0.1);
            if ((m.count > 0) != (true_distance <= 0.1) && std::abs(true_distance - 0.1) > 1e-9) ++wrong;
            if (m.count == 0) continue;
            worst = std::max({worst, std::abs(deepest(m) - true_distance), outside(s, deepest_point(m).p1)});
        }
        CAPTURE(static_cast<int>(kind));
        CHECK(wrong == 0);
        CHECK(worst < 2e-6);
    }
}

TEST_CASE("sizes from a thousandth to a thousand times change distances and points alike (COL-081)")
{
    const int count = poses(40, 100);
    for_pairs([&](ShapeKind first, ShapeKind second) {
        double worst = 0;
        int    at    = -1;
        for (int i = 0; i < count; ++i) {
            Random         r(static_cast<std::uint64_t>(i) + 1);
            const Shape    a = random_shape(r, first, 0.4), b = random_shape(r, second, 0.4);
            const double   k      = std::pow(10.0, r.uniform(-3, 3));
            const Manifold m      = contacts(a, b, 0.1);
            const auto     scaled = [&](Shape s) {
                s.p *= k, s.size *= k;
                return s;
            };
            Shape                      sa = scaled(a), sb = scaled(b);
            const collision::HullShape big = collision::make_hull_shape(stone_mesh(), {k, k, k});
            if (sa.hull) sa.hull = &big;
            if (sb.hull) sb.hull = &big;
            const Manifold other = contacts(sa, sb, 0.1 * k);
            if ((m.count == 0) != (other.count == 0)) {
                worst = 1, at = i;
                continue;
            }
            if (m.count == 0) continue;
            const double error = std::abs(deepest(other) / k - deepest(m));
            if (error > worst) at = i;
            worst = std::max(worst, error);
            if (is_round(a) && is_round(b) && m.count == 1 && deepest(m) > -0.05)
                worst = std::max(worst, 0.01 * distance((1 / k) * other.points[0].p1, m.points[0].p1));
        }
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        CAPTURE(at);
        CHECK(worst < 1e-5);
    });
}
