#include "mechane/collision/support_map.h"

#include <doctest/doctest.h>

#include <variant>
#include <vector>

#include "mechane/math/random.h"

using namespace mechane;
using namespace mechane::collision;

namespace {

struct Ball {
    double radius;
};
struct Block {
    Vec3d half;
};
struct Egg {
    Vec3d axes;
};
struct Can {
    double radius, half;
};

/// The support map of a user: any callable that knows his types.
struct Support {
    Vec3d operator()(const Ball& s, const Vec3d& d) const { return (s.radius / length(d)) * d; }
    Vec3d operator()(const Block& s, const Vec3d& d) const
    { return {std::copysign(s.half.x, d.x), std::copysign(s.half.y, d.y), std::copysign(s.half.z, d.z)}; }
    Vec3d operator()(const Egg& s, const Vec3d& d) const
    {
        const Vec3d m = scale(s.axes, d);
        return (1 / length(m)) * scale(s.axes, m);
    }
    Vec3d operator()(const Can& s, const Vec3d& d) const
    {
        const double r = std::hypot(d.x, d.y);
        return {r > 0 ? s.radius * d.x / r : s.radius, r > 0 ? s.radius * d.y / r : 0, std::copysign(s.half, d.z)};
    }
};
using Any = std::variant<Ball, Block, Egg, Can>;
struct AnySupport {
    Vec3d operator()(const Any& s, const Vec3d& d) const
    { return std::visit([&](const auto& one) { return Support{}(one, d); }, s); }
};

/// How far inside of the shape a point of its own frame is, as a share of the size: not positive for points in it.
double beyond(const Any& shape, const Vec3d& p)
{
    if (const auto* s = std::get_if<Ball>(&shape)) return length(p) / s->radius - 1;
    if (const auto* s = std::get_if<Block>(&shape))
        return std::max({std::abs(p.x) / s->half.x, std::abs(p.y) / s->half.y, std::abs(p.z) / s->half.z}) - 1;
    if (const auto* s = std::get_if<Egg>(&shape))
        return length(Vec3d{p.x / s->axes.x, p.y / s->axes.y, p.z / s->axes.z}) - 1;
    const auto& s = std::get<Can>(shape);
    return std::max(std::hypot(p.x, p.y) / s.radius, std::abs(p.z) / s.half) - 1;
}

/// Least distance of the two along a direction from a to b; negative where they overlap along it.
double separation(const Any& a, const Posed& X_WA, const Any& b, const Posed& X_WB, const Vec3d& n)
{
    const Vec3d on_a = X_WA * AnySupport{}(a, rotate_inverse(X_WA.q, n)),
                on_b = X_WB * AnySupport{}(b, rotate_inverse(X_WB.q, -n));
    return dot(n, on_b - on_a);
}

Any drawn_shape(Random& r)
{
    const auto length = [&] { return r.uniform(0.1, 1.0); };
    switch (static_cast<int>(r.uniform(0, 4))) {
        case 0:
            return Ball{length()};
        case 1:
            return Block{{length(), length(), length()}};
        case 2:
            return Egg{{length(), length(), length()}};
        default:
            return Can{length(), length()};
    }
}
Vec3d drawn_direction(Random& r)
{
    for (;;) {
        const Vec3d v{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1)};
        if (const double l = length(v); l > 0.1 && l < 1) return v / l;
    }
}
Posed drawn_pose(Random& r, double reach)
{ return {r.uniform(0, reach) * drawn_direction(r), from_axis_angle(drawn_direction(r), r.uniform(0, 2 * kPi))}; }

}  // namespace

TEST_CASE("closest points of shapes of one's own have the distances of the closed forms")
{
    const auto closest = create_solve_closest_distance(Support{});
    const auto balls   = closest(Ball{0.5}, Posed{{0, 0, 0}, {}}, Ball{0.25}, Posed{{3, 0, 4}, {}});
    CHECK(balls.separated);
    CHECK(balls.distance == doctest::Approx(5 - 0.75).epsilon(1e-9));
    CHECK(length(balls.normal - Vec3d{0.6, 0, 0.8}) < 1e-6);
    CHECK(length(balls.point_a - Vec3d{0.3, 0, 0.4}) < 1e-6);
    // Two kinds in one pair; the box turned by an eighth shows an edge: 2 - sqrt(2)/2 - 0.5.
    const auto edge =
        closest(Ball{0.5}, Posed{}, Block{{0.5, 0.5, 0.5}}, Posed{{2, 0, 0}, from_axis_angle<double>({0, 0, 1}, kPi / 4)});
    CHECK(edge.distance == doctest::Approx(1.5 - std::sqrt(0.5)).epsilon(1e-9));
    CHECK_FALSE(closest(Ball{0.5}, Posed{}, Block{{1, 1, 1}}, Posed{{0.2, 0.1, 0}, {}}).separated);
}

TEST_CASE("closest points lie in their shapes, and no direction separates the shapes by more (duality of the distance)")
{
    const auto closest = create_solve_closest_distance(AnySupport{});
    Random     r(7);
    int        apart = 0;
    for (int i = 0; i < 3000; ++i) {
        CAPTURE(i);
        const Any           a = drawn_shape(r), b = drawn_shape(r);
        const Posed         X_WA = drawn_pose(r, 1), X_WB = drawn_pose(r, 3);
        const ClosestPoints c = closest(a, X_WA, b, X_WB);
        if (!c.separated) {
            double best = -kInfinity;
            for (int k = 0; k < 200; ++k) best = std::max(best, separation(a, X_WA, b, X_WB, drawn_direction(r)));
            CHECK(best < 1e-9);
            continue;
        }
        ++apart;
        // A pair of points bounds the distance from above, a direction from below: both bounds are the answer.
        CHECK(beyond(a, inverse_times(X_WA, c.point_a)) < 1e-9);
        CHECK(beyond(b, inverse_times(X_WB, c.point_b)) < 1e-9);
        CHECK(std::abs(length(c.point_b - c.point_a) - c.distance) < 2e-6);
        CHECK(separation(a, X_WA, b, X_WB, c.normal) > c.distance - 1e-5);
    }
    CHECK(apart > 1000);
}

TEST_CASE("portal refinement knows hits, and depths along its normal separate the shapes")
{
    const auto mpr     = create_solve_mpr(AnySupport{});
    const auto closest = create_solve_closest_distance(AnySupport{});
    Random     r(11);
    int        hits = 0;
    for (int i = 0; i < 3000; ++i) {
        CAPTURE(i);
        const Any           a = drawn_shape(r), b = drawn_shape(r);
        const Posed         X_WA = drawn_pose(r, 0.5), X_WB = drawn_pose(r, 1.2);
        const PortalContact m = mpr(a, X_WA, b, X_WB);
        const ClosestPoints c = closest(a, X_WA, b, X_WB);
        CHECK(length(m.normal) == doctest::Approx(1).epsilon(1e-9));
        CHECK(m.hit == !c.separated);
        if (!m.hit) {
            CHECK(m.distance == doctest::Approx(c.distance).epsilon(1e-9));
            continue;
        }
        ++hits;
        CHECK(m.distance <= 1e-9);
        const double along = separation(a, X_WA, b, X_WB, m.normal);
        CHECK(along == doctest::Approx(m.distance).epsilon(1e-6));
    }
    CHECK(hits > 1000);
}

TEST_CASE("portal refinement has the depths of the closed forms along the line of centres")
{
    const auto          mpr   = create_solve_mpr(Support{});
    const PortalContact balls = mpr(Ball{0.5}, Posed{}, Ball{0.25}, Posed{{0.3, 0, 0.4}, {}});
    CHECK(balls.hit);
    CHECK(balls.distance == doctest::Approx(-0.25).epsilon(1e-6));
    CHECK(length(balls.normal - Vec3d{0.6, 0, 0.8}) < 1e-4);
    const PortalContact blocks = mpr(Block{{1, 1, 1}}, Posed{}, Block{{1, 1, 1}}, Posed{{1.5, 0.2, 0}, {}});
    CHECK(blocks.distance == doctest::Approx(-0.5).epsilon(1e-9));
    CHECK(length(blocks.normal - Vec3d{1, 0, 0}) < 1e-9);
    const PortalContact apart = mpr(Ball{0.5}, Posed{}, Ball{0.5}, Posed{{3, 0, 0}, {}});
    CHECK_FALSE(apart.hit);
    CHECK(apart.distance == doctest::Approx(2).epsilon(1e-9));
    CHECK(mpr(Ball{0.5}, Posed{}, Ball{0.5}, Posed{}).hit);  // one middle
}

TEST_CASE("manifolds of shapes of one's own hold the corners that meet, in the order of depth, through the callbacks")
{
    std::vector<SupportContact> found;
    int                         processed = 0;
    const auto                  solve     = create_solve_convex_multi_contact(
        Support{}, [&](const SupportContact& c) { found.push_back(c); },
        [&](SupportContact& c) {
            ++processed;
            c.distance -= 0.001;  // as somebody may do who has a margin
        });
    const auto run = [&](const auto& a, const Posed& X_WA, const auto& b, const Posed& X_WB) {
        found.clear();
        processed       = 0;
        const int count = solve(a, X_WA, b, X_WB, 0.05);
        CHECK(count == static_cast<int>(found.size()));
        CHECK(processed == count);
        for (const SupportContact& c : found)
            CHECK(dot(c.normal, c.point_b - c.point_a) == doctest::Approx(c.distance + 0.001).epsilon(1e-6));
        return count;
    };
    // A block of half extents 1, 0.5 turned by 30 degrees on a larger one, 1 cm deep: its four lower corners.
    const Quatd turn = from_axis_angle<double>({0, 0, 1}, kPi / 6);
    CHECK(run(Block{{3, 3, 1}}, Posed{}, Block{{1, 0.5, 0.5}}, Posed{{0.3, 0.2, 1.49}, turn}) == 4);
    for (const Vec3d& corner : {Vec3d{1, 0.5, 0}, Vec3d{-1, 0.5, 0}, Vec3d{-1, -0.5, 0}, Vec3d{1, -0.5, 0}}) {
        const Vec3d expected = Vec3d{0.3, 0.2, 0.99} + rotate(turn, corner);
        double      nearest  = kInfinity;
        for (const SupportContact& c : found) nearest = std::min(nearest, length(c.point_b - expected));
        CHECK(nearest < 1e-9);
    }
    for (const SupportContact& c : found) CHECK(c.distance == doctest::Approx(-0.011).epsilon(1e-9));
    // Half beyond an edge: the corners of the overlap, at x of 0 and of 1.
    CHECK(run(Block{{1, 3, 1}}, Posed{}, Block{{1, 0.5, 0.5}}, Posed{{1, 0, 1.5}, {}}) == 4);
    for (const SupportContact& c : found) CHECK(std::min(std::abs(c.point_b.x), std::abs(c.point_b.x - 1)) < 1e-9);
    // A can on its side: the two ends of its line; a ball and an egg: one point; crossed edges: one point.
    const Quatd lying = from_axis_angle<double>({0, 1, 0}, kPi / 2);
    CHECK(run(Block{{3, 3, 1}}, Posed{}, Can{0.25, 1}, Posed{{0, 0, 1.25}, lying}) == 2);
    for (const SupportContact& c : found) CHECK(std::abs(std::abs(c.point_b.x) - 1) < 1e-6);
    CHECK(run(Block{{3, 3, 1}}, Posed{}, Ball{0.25}, Posed{{0.5, 0, 1.25}, {}}) == 1);
    CHECK(length(found[0].point_b - Vec3d{0.5, 0, 1}) < 1e-5);
    CHECK(run(Block{{3, 3, 1}}, Posed{}, Egg{{0.3, 0.2, 0.25}}, Posed{{0.5, 0, 1.25}, {}}) == 1);
    const Quatd edge = from_axis_angle<double>({1, 0, 0}, kPi / 4), other = from_axis_angle<double>({0, 1, 0}, kPi / 4);
    CHECK(run(Block{{1, 0.5, 0.5}}, Posed{{0, 0, 0}, edge}, Block{{0.5, 1, 0.5}}, Posed{{0, 0, 2 * std::sqrt(0.5) - 0.01}, other}) == 1);
    CHECK(length(found[0].normal - Vec3d{0, 0, 1}) < 1e-6);
    // Too far apart for anybody to ask.
    CHECK(run(Ball{0.5}, Posed{}, Ball{0.5}, Posed{{1.06, 0, 0}, {}}) == 0);
}
