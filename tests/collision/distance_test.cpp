#include <array>
#include <vector>

#include "mechane/collision/gjk.h"
#include "mechane/collision/narrow.h"
#include "mechane/geometry/hull.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::collision;
using mechane::test::close_to;

namespace {

HullShape octahedron()
{
    const std::vector<Vec3d> points{{0.4, 0, 0}, {-0.4, 0, 0}, {0, 0.3, 0}, {0, -0.3, 0}, {0, 0, 0.5}, {0, 0, -0.5}};
    return make_hull_shape(*geometry::build_hull(points), {1, 1, 1});
}

Shape make(ShapeKind kind, const HullShape& hull)
{
    Shape s;
    s.kind = kind;
    switch (kind) {
        case ShapeKind::sphere:
            s.size = {0.4, 0, 0};
            break;
        case ShapeKind::capsule:
            s.size = {0.2, 0.4, 0};
            break;
        case ShapeKind::ellipsoid:
            s.size = {0.3, 0.4, 0.5};
            break;
        case ShapeKind::cylinder:
            s.size = {0.3, 0.4, 0};
            break;
        case ShapeKind::cone:
            s.size = {0.4, 0.4, 0};
            break;
        case ShapeKind::box:
            s.size = {0.3, 0.4, 0.5};
            break;
        case ShapeKind::hull:
            s.hull = &hull;
            break;
        case ShapeKind::plane:
        case ShapeKind::rectangle:
        case ShapeKind::mesh:
        case ShapeKind::triangle:
            break;
    }
    return s;
}

Shape placed(Shape s, const Posed& X)
{
    s.p = X * s.p;
    s.R = to_matrix(X.q) * s.R;
    return s;
}

constexpr std::array kConvex{ShapeKind::sphere, ShapeKind::capsule, ShapeKind::ellipsoid, ShapeKind::cylinder,
                             ShapeKind::box,    ShapeKind::cone,    ShapeKind::hull};

/// The deepest contact of a pair in either order, its normal seen from `a`.
std::optional<ContactPoint> deepest(const Shape& a, const Shape& b, double reach)
{
    const bool as_given = in_table_order(a.kind, b.kind);
    Manifold   found;
    collide(as_given ? a : b, as_given ? b : a, reach, found);
    std::optional<ContactPoint> best;
    for (int i = 0; i < found.count; ++i) {
        const ContactPoint& p = found.points[static_cast<std::size_t>(i)];
        if (!best || p.distance < best->distance) best = p;
    }
    if (best && !as_given) best = ContactPoint{best->p1, best->p0, -best->normal, best->distance, best->feature};
    return best;
}

}  // namespace

TEST_CASE("the distance of two boxes along an axis is their gap, and its negative when they overlap")
{
    const HullShape hull = octahedron();
    for (const double gap : {0.25, 1e-3, -1e-3, -0.2}) {
        const Shape a = make(ShapeKind::box, hull);
        Shape       b = make(ShapeKind::box, hull);
        b.p           = {0.6 + gap, 0.05, -0.1};  // half extents 0.3 each along x; the least overlap stays along x
        const CoreDistance d = core_distance(a, b);
        CHECK(d.distance == close_to(gap, 1e-9));
        CHECK(test::distance(d.normal, Vec3d{1, 0, 0}) < 1e-6);
    }
}

TEST_CASE("GJK agrees with the closed forms of spheres and capsules")
{
    const HullShape hull = octahedron();
    test::for_seeds(200, [&](Random& random) {
        const Shape a = placed(make(ShapeKind::sphere, hull), {random.vec(1), random.rotation()});
        const Shape b = placed(make(ShapeKind::capsule, hull), {random.vec(1), random.rotation()});
        const Shape c = placed(make(ShapeKind::capsule, hull), {random.vec(1), random.rotation()});
        for (const Shape* first : {&a, &c}) {
            const auto         closed = deepest(*first, b, 10);
            const CoreDistance core   = core_distance(*first, b);
            REQUIRE(closed);
            CHECK(closed->distance == close_to(core.distance - first->core_radius() - b.core_radius(), 1e-7));
        }
    });
}

TEST_CASE("penetration is the least translation: no other direction separates with less, and this one does")
{
    const HullShape hull = octahedron();
    test::for_seeds(60, [&](Random& random) {
        for (const ShapeKind ka : kConvex)
            for (const ShapeKind kb : kConvex) {
                if (ka == ShapeKind::sphere || kb == ShapeKind::sphere || ka == ShapeKind::capsule ||
                    kb == ShapeKind::capsule)
                    continue;
                const Shape        a = placed(make(ka, hull), {random.vec(0.1), random.rotation()});
                const Shape        b = placed(make(kb, hull), {random.vec(0.1), random.rotation()});
                const CoreDistance d = core_distance(a, b);
                REQUIRE(d.distance < 0);
                CHECK(length(d.normal) == close_to(1, 1e-9));
                // Certificate: the separation along the normal is the reported depth.
                CHECK(separation(a, b, d.normal) == close_to(d.distance, 1e-6));
                for (int i = 0; i < 200; ++i)
                    CHECK(separation(a, b, random.direction()) <= d.distance + 1e-3 * -d.distance + 1e-5);
            }
    });
}

TEST_CASE("contacts do not depend on where in space the pair lies, nor on which shape is named first")
{
    const HullShape hull = octahedron();
    test::for_seeds(40, [&](Random& random) {
        for (const ShapeKind ka : kConvex)
            for (const ShapeKind kb : kConvex) {
                const Shape a = placed(make(ka, hull), {random.vec(0.6), random.rotation()});
                const Shape b = placed(make(kb, hull), {random.vec(0.6), random.rotation()});
                const Posed X = {random.vec(3), random.rotation()};
                const auto  p = deepest(a, b, 5);
                const auto  q = deepest(placed(a, X), placed(b, X), 5);
                const auto  r = deepest(b, a, 5);
                CAPTURE(static_cast<int>(ka));
                CAPTURE(static_cast<int>(kb));
                REQUIRE(p);
                REQUIRE(q);
                REQUIRE(r);
                CHECK(q->distance == close_to(p->distance, 1e-6));
                CHECK(r->distance == close_to(p->distance, 1e-6));
                CHECK(dot(p->normal, p->p1 - p->p0) == close_to(p->distance, 1e-9));
            }
    });
}

TEST_CASE("every kind rests on an infinite plane at its lowest point")
{
    const HullShape hull = octahedron();
    Shape           plane;
    plane.kind = ShapeKind::plane;
    test::for_seeds(100, [&](Random& random) {
        for (const ShapeKind kind : kConvex) {
            Shape s = placed(make(kind, hull), {{}, random.rotation()});
            // Lowest point: the support downwards, less the core radius. Then sunk by 1 cm.
            const double low = support(s, {0, 0, -1}).z - s.core_radius();
            s.p.z -= low + 0.01;
            const auto p = deepest(plane, s, 0.1);
            CAPTURE(static_cast<int>(kind));
            REQUIRE(p);
            CHECK(p->distance == close_to(-0.01, 1e-6));
            CHECK(test::distance(p->normal, Vec3d{0, 0, 1}) < 1e-12);
        }
    });
}

TEST_CASE("flat shapes standing on a plane or on a box are held at three points or more around their middle")
{
    const HullShape hull = octahedron();
    Shape           plane, table = make(ShapeKind::box, hull);
    plane.kind = ShapeKind::plane;
    table.size = {2, 2, 0.5};
    table.p    = {0, 0, -0.5};
    for (const ShapeKind kind : {ShapeKind::box, ShapeKind::cylinder, ShapeKind::cone})
        for (const Shape* support_shape : {&plane, &table})
            for (const double turn : {0.0, 0.3, kPi / 4}) {
                Shape s             = make(kind, hull);
                s.R                 = to_matrix(from_axis_angle(Vec3d{0, 0, 1}, turn));
                s.p                 = {0.1, 0.2, kind == ShapeKind::box ? 0.499 : 0.399};  // sunk by 1 mm
                const bool as_given = in_table_order(support_shape->kind, s.kind);
                Manifold   found;
                collide(as_given ? *support_shape : s, as_given ? s : *support_shape, 0.02, found);
                CAPTURE(static_cast<int>(kind));
                CAPTURE(static_cast<int>(support_shape->kind));
                REQUIRE(found.count >= 3);
                CHECK(found.count <= 5);
                // The middle lies inside the support polygon: in every direction some point lies on that side.
                for (int i = 0; i < 12; ++i) {
                    const Vec3d d{std::cos(i * kPi / 6), std::sin(i * kPi / 6), 0};
                    double      most = -kInfinity;
                    for (int k = 0; k < found.count; ++k)
                        most = std::max(most, dot(d, found.points[static_cast<std::size_t>(k)].p0 - s.p));
                    CHECK(most > 0.05);
                }
                for (int k = 0; k < found.count; ++k) {
                    CHECK(found.points[static_cast<std::size_t>(k)].distance == close_to(-1e-3, 1e-6));
                    CHECK(std::abs(found.points[static_cast<std::size_t>(k)].normal.z) == close_to(1, 1e-9));
                }
            }
}
