#include "mechane/geometry/hull.h"

#include <algorithm>

#include "mechane/geometry/mass.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::close_to;
using mechane::test::for_seeds;

namespace {

/// How far the farthest point sticks out of the farthest face.
double overhang(const Mesh& hull, const std::vector<Vec3d>& points)
{
    double out = -kInfinity;
    for (const auto& t : hull.triangles) {
        const Vec3d &a = hull.points[static_cast<std::size_t>(t[0])], &b = hull.points[static_cast<std::size_t>(t[1])],
                    &c = hull.points[static_cast<std::size_t>(t[2])];
        const Vec3d n  = normalized(cross(b - a, c - a));
        for (const Vec3d& p : points) out = std::max(out, dot(n, p - a));
    }
    return out;
}

void check_hull(const Mesh& hull)
{
    CHECK(hull.is_convex);
    CHECK(is_closed(hull));
    CHECK(hull.triangles.size() == 2 * hull.points.size() - 4);  // Euler: V - E + F = 2 with 2 E = 3 F
    CHECK(mesh_mass(hull, {1, 1, 1}, 1).mass > 0);
    double     six_volumes = 0;
    const auto corner      = [&](std::int32_t i) { return hull.points[static_cast<std::size_t>(i)] - hull.points[0]; };
    for (const auto& t : hull.triangles) six_volumes += dot(corner(t[0]), cross(corner(t[1]), corner(t[2])));
    CHECK(six_volumes > 0);  // wound outwards
    CHECK(std::ranges::is_sorted(
        hull.points, [](const Vec3d& a, const Vec3d& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); }));
}

std::vector<Vec3d> shuffled(std::vector<Vec3d> points, Random& r)
{
    for (std::size_t i = points.size(); i > 1; --i)
        std::swap(points[i - 1], points[r.below(static_cast<std::uint32_t>(i))]);
    return points;
}

}  // namespace

TEST_CASE("the hull of random points holds them all and is a closed convex polyhedron")
{
    for_seeds(100, [](Random& r) {
        std::vector<Vec3d> points;
        const double       size = std::pow(10, r.uniform(-3, 3));
        for (std::uint32_t i = 0; i < 5 + r.below(60); ++i) points.push_back(r.vec(size));
        const auto hull = build_hull(points, {.max_vertices = 1000});
        REQUIRE(hull.has_value());
        check_hull(*hull);
        CHECK(overhang(*hull, points) < 3e-6 * size);  // merge_tolerance of an extent of 2 size
        for (const Vec3d& p : hull->points) CHECK(std::ranges::find(points, p) != points.end());
    });
}

TEST_CASE("the order of the points and duplicates do not change a byte of the hull")
{
    for_seeds(50, [](Random& r) {
        std::vector<Vec3d> points;
        for (int i = 0; i < 200; ++i) points.push_back(r.direction());
        for (int i = 0; i < 20; ++i) points.push_back(points[r.below(200)]);
        const auto a = build_hull(points, {.max_vertices = 40}),
                   b = build_hull(shuffled(points, r), {.max_vertices = 40});
        REQUIRE(a.has_value());
        REQUIRE(b.has_value());
        CHECK(a->points == b->points);
        CHECK(a->triangles == b->triangles);
    });
}

TEST_CASE("a cube full of lattice points has eight corners and its volume, turned or not")
{
    for_seeds(20, [](Random& r) {
        const Posed        X{r.vec(3), r.rotation()};
        std::vector<Vec3d> points;
        for (int x = 0; x < 6; ++x)
            for (int y = 0; y < 6; ++y)
                for (int z = 0; z < 6; ++z) points.push_back(X * Vec3d{x / 5.0, y / 5.0, z / 5.0});
        const auto hull = build_hull(points);
        REQUIRE(hull.has_value());
        check_hull(*hull);
        CHECK(hull->points.size() == 8);
        CHECK(hull->triangles.size() == 12);
        CHECK(mesh_mass(*hull, {1, 1, 1}, 1).mass == close_to(1, 1e-9));
    });
}

TEST_CASE("a budget of vertices is kept, and more of them come closer to the ball (COL-142)")
{
    Random             r(3);
    std::vector<Vec3d> points;
    for (int i = 0; i < 3000; ++i) points.push_back(r.direction());
    double last = 0;
    for (const int budget : {4, 5, 8, 16, 32, 64, 256}) {
        CAPTURE(budget);
        const auto hull = build_hull(points, {.max_vertices = budget});
        REQUIRE(hull.has_value());
        check_hull(*hull);
        CHECK(static_cast<int>(hull->points.size()) == budget);
        const double volume = mesh_mass(*hull, {1, 1, 1}, 1).mass;
        CHECK(volume > last);
        CHECK(volume < 4.0 / 3 * kPi);
        last = volume;
    }
    // 64 points spread over a sphere enclose at least 86 % of it: F = 124 caps each lose about (4 pi / 124) h / 2, h =
    // 0.08.
    const auto hull = build_hull(points);
    REQUIRE(hull.has_value());
    CHECK(mesh_mass(*hull, {1, 1, 1}, 1).mass > 0.82 * 4.0 / 3 * kPi);
}

TEST_CASE("flat and linear inputs get a thickness of 1e-4 of their extent, or are refused (COL-148)")
{
    const std::vector<Vec3d> square{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 1, 0}},
        line{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, triangle{{0, 0, 5}, {1, 0, 5}, {0, 1, 5}};
    for (const auto& points : {square, line, triangle}) {
        const auto hull = build_hull(points);
        REQUIRE(hull.has_value());
        check_hull(*hull);
        const auto refused = build_hull(points, {.extrude_flat = false});
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().id == "GEOMETRY_HULL_DEGENERATE");
    }
    const Aabbd box = bounds(*build_hull(square));
    CHECK(box.upper.z - box.lower.z == close_to(2e-4, 1e-12));
    CHECK(box.upper.x - box.lower.x == close_to(2, 1e-12));
}

TEST_CASE("points without extent or not finite have no hull")
{
    for (const auto& points : {std::vector<Vec3d>{},
                               {{1, 2, 3}},
                               {{1, 2, 3}, {1, 2, 3}},
                               {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}},
                               {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, kInfinity}}}) {
        const auto hull = build_hull(points);
        REQUIRE_FALSE(hull.has_value());
        CHECK(hull.error().id == "GEOMETRY_HULL_DEGENERATE");
        CHECK_FALSE(hull.error().hint.empty());
    }
}

TEST_CASE("awkward clouds end in a hull or a diagnostic, never in qhull's exit")
{
    for_seeds(300, [](Random& r) {
        // Lattices, near-flat plates, needles, clusters and huge offsets, all with a little noise.
        std::vector<Vec3d> points;
        const Vec3d        stretch{std::pow(10, r.uniform(-9, 1)), std::pow(10, r.uniform(-9, 1)),
                                   std::pow(10, r.uniform(-9, 1))},
            at                    = r.vec(std::pow(10, r.uniform(-3, 6)));
        const Quatd         q     = r.rotation();
        const double        noise = std::pow(10, r.uniform(-18, -3));
        const std::uint32_t n     = 1 + r.below(80);
        for (std::uint32_t i = 0; i < n; ++i)
            points.push_back(
                at +
                rotate(q, scale(stretch, Vec3d{static_cast<double>(r.below(4)), static_cast<double>(r.below(4)),
                                               static_cast<double>(r.below(4))})) +
                r.vec(noise));
        const auto hull = build_hull(points, {.max_vertices = static_cast<int>(4 + r.below(60))});
        if (hull) check_hull(*hull);
    });
}
