#include <algorithm>

#include "mechane/collision/pipeline.h"
#include "mechane/geometry/closest.h"
#include "mechane/geometry/hull.h"
#include "mechane/model/builder.h"
#include "shapes.h"

using namespace mechane;
using namespace mechane::test;
using collision::core_distance;
using collision::separation;
using collision::support;

namespace {

constexpr ShapeKind kConvexKinds[] = {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::ellipsoid, ShapeKind::cylinder,
                                      ShapeKind::box,    ShapeKind::cone,    ShapeKind::hull};

const collision::HullShape& some_hull()
{
    static const collision::HullShape hull = [] {
        Random             r(3);
        std::vector<Vec3d> points;
        for (int i = 0; i < 40; ++i) points.push_back(scale(Vec3d{0.5, 0.4, 0.3}, r.uniform(0.5, 1.0) * r.direction()));
        const auto mesh = geometry::build_hull(points);
        REQUIRE(mesh.has_value());
        return collision::make_hull_shape(*mesh, {1, 1, 1});
    }();
    return hull;
}

Shape random_shape(Random& r, double spread, ShapeKind kind)
{
    const Vec3d size{r.uniform(0.1, 0.6), r.uniform(0.1, 0.6), r.uniform(0.1, 0.6)};
    Shape       s = shape(kind, size, r.vec(spread), r.rotation());
    if (kind == ShapeKind::hull) s.hull = &some_hull();
    return s;
}
Shape random_shape(Random& r, double spread)
{ return random_shape(r, spread, kConvexKinds[r.below(std::size(kConvexKinds))]); }

Shape moved(const Posed& X, Shape s)
{
    s.p = X * s.p;
    s.R = to_matrix(X.q) * s.R;
    return s;
}

/// The largest separation over many directions, refined about the best: a lower bound of the signed distance of cores.
double brute_separation(const Shape& a, const Shape& b)
{
    Random r(1);
    Vec3d  best{1, 0, 0};
    double most = separation(a, b, best);
    for (double width = 4; width > 1e-9; width *= 0.8)
        for (int i = 0; i < 40; ++i) {
            const Vec3d  n = normalized(best + width * r.direction(), best);
            const double s = separation(a, b, n);
            if (s > most) {
                most = s;
                best = n;
            }
        }
    return most;
}

/// Signed overlap of two boxes by their fifteen axes, written out plainly.
double box_separation(const Shape& a, const Shape& b)
{
    double     most = -kInfinity;
    const auto axis = [&](const Vec3d& n) {
        if (length(n) < 1e-6) return;
        most = std::max({most, separation(a, b, normalized(n)), separation(a, b, -normalized(n))});
    };
    for (std::size_t i = 0; i < 3; ++i) {
        axis(a.R.column(i)), axis(b.R.column(i));
        for (std::size_t k = 0; k < 3; ++k) axis(cross(a.R.column(i), b.R.column(k)));
    }
    return most;
}

}  // namespace

TEST_CASE("no surface point lies beyond the support point, and no direction makes a NaN (COL-006, COL-008, COL-011)")
{
    for_seeds(300, [](Random& r) {
        const Shape s   = random_shape(r, 1);
        const auto  box = collision::bounds(s);
        const Vec3d d = r.direction(), other = support(s, r.direction());
        CHECK(dot(support(s, d), d) >= dot(other, d) - 1e-12);
        CHECK(distance(support(s, 3.0 * d), support(s, d)) < 1e-9);
        CHECK(is_finite(support(s, {})));
        const double c = s.core_radius();
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(other[i] + c <= box.upper[i] + 1e-12);
            CHECK(other[i] - c >= box.lower[i] - 1e-12);
        }
        CHECK(length(other - centre(s)) + c <= bounding_radius(s) + 1e-9);
    });
}

TEST_CASE(
    "the support point of a hull is its farthest corner, however many it has, and of equal ones the first (COL-006)")
{
    const auto check = [](const collision::HullShape& hull, const Vec3d& d) {
        const auto lower = [&](const Vec3d& a, const Vec3d& b) { return dot(a, d) < dot(b, d); };
        CHECK(support(hull_shape(hull), d) == *std::max_element(hull.vertices.begin(), hull.vertices.end(), lower));
    };
    Random r(6);
    for (int count = 4; count < 80; ++count) {
        std::vector<Vec3d> points;
        for (int i = 0; i < count; ++i) points.push_back(r.direction());
        const auto mesh = geometry::build_hull(points, {.max_vertices = count});
        REQUIRE(mesh);
        const auto hull = collision::make_hull_shape(*mesh, {1, 1, 1});
        for (int i = 0; i < 50; ++i) check(hull, r.direction());
    }
    // The four corners of a side of a cube are equally far along its normal.
    for (const Vec3d& d : {Vec3d{1, 0, 0}, Vec3d{0, -1, 0}, Vec3d{0, 0, 1}, Vec3d{}}) check(cube_hull(), d);
}

TEST_CASE("world boxes equal the closed forms for a shape turned by 30 degrees (COL-010)")
{
    const double c = std::sqrt(0.75), h = 0.5;  // cosine and sine
    const Vec3d  p{1, 2, 3};
    const Quatd  q = turn('x', 30);
    struct {
        Shape s;
        Vec3d lower, upper;
    } rows[] = {
        {shape(ShapeKind::box, {1, 0.5, 0.25}, p, q),
         {0, 2 - 0.5 * c - 0.25 * h, 3 - 0.5 * h - 0.25 * c},
         {2, 2 + 0.5 * c + 0.25 * h, 3 + 0.5 * h + 0.25 * c}},
        {shape(ShapeKind::capsule, {0.25, 0.5, 0}, p, q),
         {0.75, 2 - 0.25 - 0.5 * h, 3 - 0.25 - 0.5 * c},
         {1.25, 2.5, 3.25 + 0.5 * c}},
        {shape(ShapeKind::cylinder, {0.5, 0.25, 0}, p, q),
         {0.5, 2 - 0.5 * c - 0.25 * h, 3 - 0.5 * h - 0.25 * c},
         {1.5, 2 + 0.5 * c + 0.25 * h, 3 + 0.5 * h + 0.25 * c}},
        // apex at (0, -0.5 h, 0.5 c); base centre opposite, its rim 0.5 c and 0.5 h away along y and z
        {shape(ShapeKind::cone, {0.5, 0.5, 0}, p, q),
         {0.5, 2 - 0.5 * h, 3 - 0.5 * c - 0.5 * h},
         {1.5, 2 + 0.5 * h + 0.5 * c, 3 + 0.5 * c}},
        {shape(ShapeKind::ellipsoid, {0.5, 0.4, 0.3}, p, q),
         {0.5, 2 - std::hypot(0.4 * c, 0.3 * h), 3 - std::hypot(0.4 * h, 0.3 * c)},
         {1.5, 2 + std::hypot(0.4 * c, 0.3 * h), 3 + std::hypot(0.4 * h, 0.3 * c)}},
    };
    for (const auto& row : rows) {
        CAPTURE(static_cast<int>(row.s.kind));
        CHECK(distance(collision::bounds(row.s).lower, row.lower) < 1e-12);
        CHECK(distance(collision::bounds(row.s).upper, row.upper) < 1e-12);
    }
}

TEST_CASE("the generic distance equals closed forms for spheres, capsules and boxes (COL-085, COL-092)")
{
    for_seeds(300, [](Random& r) {
        const double unit   = std::pow(10.0, r.uniform(-3, 2));  // millimetres to hundreds of metres
        const auto   scaled = [&](Shape s) {
            s.p *= unit, s.size *= unit;
            return s;
        };
        const Shape point = scaled(random_shape(r, 1.5, ShapeKind::sphere)),
                    a     = scaled(random_shape(r, 1.5, ShapeKind::capsule)),
                    b     = scaled(random_shape(r, 1.5, ShapeKind::capsule)),
                    box   = scaled(random_shape(r, 1, ShapeKind::box));
        const auto  ends  = [](const Shape& s) {
            return std::pair{s.p - s.size.y * s.R.column(2), s.p + s.size.y * s.R.column(2)};
        };
        const auto [a0, a1] = ends(a);
        const auto [b0, b1] = ends(b);
        const auto nearest  = geometry::closest_on_segments(a0, a1, b0, b1);
        CHECK(std::abs(core_distance(a, b).distance - length(nearest.a - nearest.b)) < 1e-9 * unit);
        const Vec3d  local = transpose_times(box.R, point.p - box.p);
        const double d     = length(max(Vec3d{}, abs(local) - box.size));
        if (d > 0) CHECK(std::abs(core_distance(point, box).distance - d) < 1e-9 * unit);
    });
}

TEST_CASE("penetration depth of boxes and hulls is the least overlap of all separating axes (COL-090)")
{
    const auto hull_of = [](const Shape& s) {
        geometry::Mesh m = cube_mesh(1);
        return collision::make_hull_shape(m, s.size);
    };
    for_seeds(500, [&](Random& r) {
        const Shape  a = random_shape(r, 0.3, ShapeKind::box), b = random_shape(r, 0.3, ShapeKind::box);
        const double expected = box_separation(a, b);
        if (expected > -1e-3) return;
        CHECK(core_distance(a, b).distance == close_to(expected, 1e-9));
        CHECK(deepest(contacts(a, b)) == close_to(expected, 1e-5));
        const auto ha = hull_of(a), hb = hull_of(b);
        const auto m = contacts(hull_shape(ha, a.p, from_matrix(a.R)), hull_shape(hb, b.p, from_matrix(b.R)));
        CHECK(deepest(m) == close_to(expected, 1e-5));
    });
}

TEST_CASE("planes tell the distance of a hull of few corners as an iteration does (COL-090, COL-091, COL-092)")
{
    for_seeds(500, [](Random& r) {
        // Boxes among each other are met by iteration, the same as hulls by planes.
        const Shape a = random_shape(r, 0.5, ShapeKind::box), b = random_shape(r, 0.5, ShapeKind::box);
        const auto  expected = core_distance(a, b);
        const auto  ha       = collision::make_hull_shape(cube_mesh(1), a.size),
                    hb       = collision::make_hull_shape(cube_mesh(1), b.size);
        const Shape as[]     = {a, hull_shape(ha, a.p, from_matrix(a.R))},
                    bs[]     = {b, hull_shape(hb, b.p, from_matrix(b.R))};
        for (const auto& [first, second] : {std::pair{0, 1}, std::pair{1, 0}, std::pair{1, 1}}) {
            const Shape &x = as[first], &y = bs[second];
            const auto   d = core_distance(x, y);
            CHECK(d.distance == close_to(expected.distance, 1e-9));
            CHECK(separation(x, y, d.normal) == close_to(d.distance, 1e-6));  // the direction: to a root of that
            CHECK(distance(d.on_b - d.on_a, d.distance * d.normal) < 1e-5);
            CHECK(dot(d.normal, d.on_a) == close_to(dot(d.normal, support(x, d.normal)), 1e-6));
            CHECK(dot(d.normal, d.on_b) == close_to(dot(d.normal, support(y, -d.normal)), 1e-6));
        }
    });
}

TEST_CASE("the distance of any convex pair is the largest separation over all directions (COL-091, COL-092)")
{
    for_seeds(250, [](Random& r) {
        const Shape  a = random_shape(r, 0.5), b = random_shape(r, 0.5);
        const auto   d     = core_distance(a, b);
        const double brute = brute_separation(a, b);
        CAPTURE(static_cast<int>(a.kind));
        CAPTURE(static_cast<int>(b.kind));
        CHECK(d.distance >= brute - 1e-6);  // never worse than what a search finds
        CHECK(separation(a, b, d.normal) == close_to(d.distance, 1e-6));
        if (d.distance > 1e-6)
            CHECK(distance(d.on_b - d.on_a, d.distance * d.normal) < 2e-5);  // smooth normals converge as a square root
    });
}

TEST_CASE("moving the second shape by the depth along the normal just separates the two")
{
    for_seeds(300, [](Random& r) {
        const Shape    a = random_shape(r, 0.3), b = random_shape(r, 0.3);
        const Manifold m = contacts(a, b, 0.05);
        if (m.count == 0) return;
        const Shape& first = collision::in_table_order(a.kind, b.kind) ? a : b;
        const Shape& other = &first == &a ? b : a;
        const double d     = deepest(m);
        Shape        out   = other;
        for (int i = 0; i < m.count; ++i)
            if (m.points[static_cast<std::size_t>(i)].distance == d)
                out.p -= (d - 1e-5) * m.points[static_cast<std::size_t>(i)].normal;
        if (m.count > 1) {
            out = other;
            out.p -= (d - 1e-5) * m.points[0].normal;
        }
        CAPTURE(static_cast<int>(a.kind));
        CAPTURE(static_cast<int>(b.kind));
        const double left = core_distance(first, out).distance - first.core_radius() - out.core_radius();
        CHECK(left == close_to(1e-5, 2e-5));
    });
}

TEST_CASE("swapping two shapes or moving both changes no distance and turns the normal with them (COL-079, COL-080)")
{
    for_seeds(300, [](Random& r) {
        const Shape    a = random_shape(r, 0.5), b = random_shape(r, 0.5);
        const Posed    X{r.vec(5), r.rotation()};
        const Manifold m = contacts(a, b), swapped = contacts(b, a), there = contacts(moved(X, a), moved(X, b));
        CAPTURE(static_cast<int>(a.kind));
        CAPTURE(static_cast<int>(b.kind));
        REQUIRE((m.count == 0) == (there.count == 0));
        REQUIRE((m.count == 0) == (swapped.count == 0));
        if (m.count == 0) return;
        CHECK(deepest(swapped) == close_to(deepest(m), 1e-5));
        CHECK(deepest(there) == close_to(deepest(m), 4e-5));
    });
}

TEST_CASE("the distance is continuous through touching (COL-093)")
{
    for_seeds(100, [](Random& r) {
        const ShapeKind solid[] = {ShapeKind::ellipsoid, ShapeKind::cylinder, ShapeKind::box, ShapeKind::cone,
                                   ShapeKind::hull};
        const Shape     a       = random_shape(r, 0.01, solid[r.below(5)]);
        Shape           b       = random_shape(r, 0.01, solid[r.below(5)]);
        b.p                     = a.p + Vec3d{2, 0, 0};
        const auto  d           = core_distance(a, b);
        const Vec3d n           = d.normal;
        b.p -= d.distance * n;  // now they touch
        double last = 0;
        for (int i = -50; i <= 50; ++i) {
            Shape moving = b;
            moving.p += (1e-7 * i) * n;
            const double now = core_distance(a, moving).distance;
            if (i > -50) CHECK(std::abs(now - last) < 2e-6);
            // Apart it is the way back; overlapping, another direction may be shorter.
            CHECK(now >= 1e-7 * i - 1e-6);
            CHECK(now <= std::max(1e-7 * i, 0.0) + 1e-6);
            last = now;
        }
    });
}

TEST_CASE(
    "every pair of kinds at every scale gives finite rows within reach, however degenerate (COL-077, COL-094, COL-159)")
{
    const auto flat_hull = [] {
        geometry::Mesh m{
            .points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .triangles = {{0, 1, 2}, {0, 2, 1}}, .is_convex = true};
        return collision::make_hull_shape(m, {1, 1, 1});
    }();
    for_seeds(4000, [&](Random& r) {
        const auto any = [&](ShapeKind kind) {
            const double unit = std::pow(10.0, r.uniform(-3, 3));
            Shape        s    = random_shape(r, 0.3, kind);
            s.size *= unit;
            if (r.below(6) == 0) s.size[r.below(3)] = 0;
            if (r.below(8) == 0) s.p = {};
            if (r.below(8) == 0) s.R = Mat33d::identity();
            if (kind == ShapeKind::hull && r.below(3) == 0) s.hull = &flat_hull;
            if (kind == ShapeKind::mesh) s.mesh = &cube_surface();
            return s;
        };
        const auto  kind_a = static_cast<ShapeKind>(r.below(collision::kPairKinds)),
                    kind_b = static_cast<ShapeKind>(r.below(collision::kPairKinds));
        const Shape a = any(kind_a), b = any(kind_b);
        CAPTURE(static_cast<int>(kind_a));
        CAPTURE(static_cast<int>(kind_b));
        const double   reach = r.uniform(0, 0.2);
        const Manifold m     = contacts(a, b, reach);
        for (int i = 0; i < m.count; ++i) {
            const ContactPoint& p = m.points[static_cast<std::size_t>(i)];
            CHECK(is_finite(p.p0));
            CHECK(is_finite(p.p1));
            CHECK(length(p.normal) == close_to(1, 1e-6));
            CHECK(p.distance <= reach + 1e-9);
        }
    });
}

TEST_CASE("what does not fit is not looked at: as many pairs and rows are worked on as there is room for (COL-160)")
{
    // A thousand boxes in one place make half a million pairs. Room for 20,000 of them and for 1000 rows.
    model::ModelBuilder b;
    for (int i = 0; i < 1000; ++i)
        b.add_shape_box(b.add_body({{0, 0, 0}, {}}, "b" + std::to_string(i)), {}, {0.5, 0.5, 0.5}, b.default_shape);
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE(m.has_value());
    collision::CollisionPipeline pipeline(*m, {.rigid_contact_max = 1000, .shape_pairs_max = 20'000});
    auto                         rows   = pipeline.make_contacts();
    const auto                   status = pipeline.collide(model::make_state(*m), 0, rows);
    CHECK(status.pairs.capacity == 20'000);
    CHECK(status.pairs.needed - status.pairs.dropped == 20'000);
    CHECK(status.pairs.dropped > 0);
    CHECK(status.rows.dropped > 0);
    CHECK(status.contacts == 1000);
}

TEST_CASE("overlapping shapes of every pair of solid kinds have a contact (COL-077)")
{
    for_seeds(400, [](Random& r) {
        const Shape a = random_shape(r, 0.01), b = random_shape(r, 0.01);  // sizes from 0.1: centres inside each other
        CHECK(contacts(a, b, 0).count > 0);
        // Of a mesh only the surface is known, and what sank in a little: centres within 5 cm of a face.
        CHECK(contacts(mesh_shape(cube_surface(), b.p + Vec3d{0.5, 0, 0} + r.vec(0.05), {}), b, 0).count > 0);
        CHECK(contacts(shape(ShapeKind::plane, {}), b, 0.0).count > 0);
    });
}

TEST_CASE("round kinds have one contact with a convex partner, no manifold more than five (COL-096, COL-098)")
{
    for_seeds(300, [](Random& r) {
        const Shape a = random_shape(r, 0.3), b = random_shape(r, 0.3);
        const int   n = contacts(a, b).count;
        CHECK(n <= 5);
        const auto round = [](const Shape& s) { return s.kind == ShapeKind::sphere || s.kind == ShapeKind::ellipsoid; };
        if (round(a) || round(b)) CHECK(n <= 1);
    });
}
