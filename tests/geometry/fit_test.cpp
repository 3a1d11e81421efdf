#include "mechane/geometry/fit.h"

#include <algorithm>

#include "mechane/geometry/components.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::angle_between;
using mechane::test::close_to;
using mechane::test::distance;
using mechane::test::for_seeds;

namespace {

std::vector<Vec3d> corners(const Vec3d& half)
{
    std::vector<Vec3d> p;
    for (int i = 0; i < 8; ++i)
        p.push_back({i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
    return p;
}

}  // namespace

TEST_CASE("the bounding sphere of a unit cube has radius 0.866025 about its centre (import-usd.md 4.2)")
{
    const auto s = bounding_sphere(corners({0.5, 0.5, 0.5}));
    REQUIRE(s.has_value());
    CHECK(s->radius == close_to(0.866025, 1e-6));
    CHECK(length(s->centre) < 1e-12);
}

TEST_CASE("a bounding sphere holds all points, and no smaller sphere does")
{
    for_seeds(200, [](Random& r) {
        const Sphere       truth{r.vec(5), r.uniform(0.1, 3)};
        std::vector<Vec3d> points;
        // Two opposite points fix the sphere; the rest lies inside.
        const Vec3d d = r.direction();
        points.push_back(truth.centre + truth.radius * d);
        for (std::uint32_t i = 0; i < r.below(50); ++i)
            points.push_back(truth.centre + r.uniform(0, truth.radius) * r.direction());
        points.push_back(truth.centre - truth.radius * d);
        const auto s = bounding_sphere(points);
        REQUIRE(s.has_value());
        CHECK(s->radius == close_to(truth.radius, 1e-9));
        CHECK(distance(s->centre, truth.centre) <
              1e-6);  // the centre is only fixed to the root of rounding along flat directions
        for (const Vec3d& p : points) CHECK(length(p - s->centre) <= s->radius * (1 + 1e-12));
    });
}

TEST_CASE("degenerate clouds have spheres too: one point, a line, a plane, points on one sphere")
{
    CHECK(bounding_sphere(std::vector<Vec3d>{{1, 2, 3}})->radius == 0);
    CHECK(bounding_sphere(std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {4, 0, 0}})->radius == close_to(2, 1e-12));
    std::vector<Vec3d> circle, sphere;
    Random             r(5);
    for (int i = 0; i < 100; ++i) {
        circle.push_back({std::cos(0.1 * i), std::sin(0.1 * i), 3});
        sphere.push_back(r.direction());
    }
    CHECK(bounding_sphere(circle)->radius == close_to(1, 1e-9));
    CHECK(bounding_sphere(sphere)->radius == close_to(1, 1e-9));
    CHECK_FALSE(bounding_sphere({}).has_value());
    CHECK(bounding_sphere(std::vector<Vec3d>{{kInfinity, 0, 0}}).error().id == "GEOMETRY_FIT_EMPTY");
}

TEST_CASE("the bounding box of a turned box is that box")
{
    for_seeds(100, [](Random& r) {
        const Vec3d        half{r.uniform(0.1, 2), r.uniform(0.1, 2), r.uniform(0.1, 2)};
        const Posed        X{r.vec(3), r.rotation()};
        std::vector<Vec3d> points;
        for (const Vec3d& p : corners(half)) points.push_back(X * p);
        for (int i = 0; i < 20; ++i) points.push_back(X * scale(half, r.vec(1)));
        const auto box = bounding_box(points);
        REQUIRE(box.has_value());
        std::array<double, 3> got{box->half_extents.x, box->half_extents.y, box->half_extents.z},
            expected{half.x, half.y, half.z};
        std::ranges::sort(got);
        std::ranges::sort(expected);
        for (std::size_t i = 0; i < 3; ++i) CHECK(got[i] == close_to(expected[i], 1e-6));
        CHECK(distance(box->pose.p, X.p) < 1e-6);
        for (const Vec3d& p : points) {
            const Vec3d local = abs(inverse_times(box->pose, p));
            for (std::size_t i = 0; i < 3; ++i) CHECK(local[i] <= box->half_extents[i] + 1e-9);
        }
        // A rotation of a box is never more than 62.8 degrees from identity when its axes may be renamed.
        CHECK(angle_between(box->pose.q, Quatd{}) < 1.1);
    });
}

TEST_CASE("an axis-aligned box keeps its axes, and a flat one gets a thickness")
{
    const auto box = bounding_box(corners({3, 1, 2}));
    REQUIRE(box.has_value());
    CHECK(angle_between(box->pose.q, Quatd{}) < 1e-12);
    CHECK(distance(box->half_extents, Vec3d{3, 1, 2}) < 1e-12);
    const auto flat = bounding_box(std::vector<Vec3d>{{0, 0, 1}, {2, 0, 1}, {2, 1, 1}, {0, 1, 1}});
    REQUIRE(flat.has_value());
    CHECK(distance(flat->half_extents, Vec3d{1, 0.5, 1e-4}) < 1e-12);
    CHECK(distance(flat->pose.p, Vec3d{1, 0.5, 1}) < 1e-12);
}

TEST_CASE("components are the parts that share no position")
{
    // Two triangles that meet at a split point, and one apart.
    const Mesh mesh{.points    = {{0, 0, 0},
                                  {1, 0, 0},
                                  {0, 1, 0},
                                  {9, 9, 9},
                                  {1, 0, 0},
                                  {2, 0, 0},
                                  {2, 1, 0},
                                  {5, 0, 0},
                                  {6, 0, 0},
                                  {5, 1, 0}},
                    .triangles = {{7, 8, 9}, {0, 1, 2}, {4, 5, 6}}};
    const auto parts = connected_components(mesh);
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].points == std::vector<Vec3d>{{5, 0, 0}, {6, 0, 0}, {5, 1, 0}});
    CHECK(parts[0].triangles.size() == 1);
    CHECK(parts[1].points.size() == 6);
    CHECK(parts[1].triangles == std::vector<std::array<std::int32_t, 3>>{{0, 1, 2}, {3, 4, 5}});
    CHECK(connected_components({}).empty());
}
