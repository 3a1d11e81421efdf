#include "mechane/geometry/simplification.h"

#include <algorithm>

#include "mechane/geometry/heightfield.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/weld.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::close_to;
using mechane::test::for_seeds;

namespace {

/// A sphere of unit radius with poles, of n rings and 2 n meridians.
Mesh ball(int n)
{
    Mesh m;
    m.points.push_back({0, 0, -1});
    for (int i = 1; i < n; ++i)
        for (int k = 0; k < 2 * n; ++k) {
            const double a = kPi * i / n - kPi / 2, b = kPi * k / n;
            m.points.push_back({std::cos(a) * std::cos(b), std::cos(a) * std::sin(b), std::sin(a)});
        }
    m.points.push_back({0, 0, 1});
    const auto at  = [&](int i, int k) { return 1 + (i - 1) * 2 * n + k % (2 * n); };
    const auto top = static_cast<std::int32_t>(m.points.size()) - 1;
    for (int k = 0; k < 2 * n; ++k) {
        m.triangles.push_back({0, at(1, k + 1), at(1, k)});
        m.triangles.push_back({top, at(n - 1, k), at(n - 1, k + 1)});
        for (int i = 1; i + 1 < n; ++i) {
            m.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k + 1)});
            m.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i + 1, k)});
        }
    }
    return m;
}

Mesh grid(int n)
{
    return grid_mesh(n, n, GridOrder::y_fastest,
                     [n](int x, int y) { return Vec3d{x / static_cast<double>(n), y / static_cast<double>(n), 0}; });
}

}  // namespace

TEST_CASE("a ball of a quarter of the triangles is still closed and nearly as large")
{
    const Mesh fine = ball(24), coarse = simplified(fine);
    REQUIRE(is_closed(fine));
    CHECK(coarse.triangles.size() <= fine.triangles.size() / 4);
    CHECK(coarse.triangles.size() > fine.triangles.size() / 5);
    CHECK(is_closed(coarse));
    const double before = mesh_mass(fine, {1, 1, 1}, 1).mass, after = mesh_mass(coarse, {1, 1, 1}, 1).mass;
    CHECK(after ==
          close_to(before, 0.03 * before));  // F triangles lose about 2 pi sqrt(3) / (3 F) of the volume: 1.4 % at 264
    for (const Vec3d& p : coarse.points) CHECK(length(p) == close_to(1, 2 * 0.02));
}

TEST_CASE("a flat sheet loses all points within and keeps its corners")
{
    const Mesh sheet = simplified(grid(10), {.ratio = 0});
    CHECK(sheet.triangles.size() == 2);
    const Aabbd box = bounds(sheet);
    CHECK(length(box.lower) < 1e-9);
    CHECK(length(box.upper - Vec3d{1, 1, 0}) < 1e-9);
    for (const auto& t : sheet.triangles) {
        const Vec3d n =
            cross(sheet.points[static_cast<std::size_t>(t[1])] - sheet.points[static_cast<std::size_t>(t[0])],
                  sheet.points[static_cast<std::size_t>(t[2])] - sheet.points[static_cast<std::size_t>(t[0])]);
        CHECK(n.z == close_to(1, 1e-9));  // half of the unit square, still facing up
    }
}

TEST_CASE("the surface moves no farther than allowed, whatever the ratio")
{
    const Mesh coarse = simplified(ball(16), {.ratio = 0, .max_error = 0.01});
    CHECK(coarse.triangles.size() > 30);
    CHECK(is_closed(coarse));
    for (const Vec3d& p : coarse.points) CHECK(length(p) == close_to(1, 2 * 0.01));  // the ball is 2 wide
    const Mesh same = simplified(ball(4), {.ratio = 1});
    CHECK(same.triangles.size() == ball(4).triangles.size());
}

TEST_CASE("simplification is deterministic, survives soups, and gives nothing for nothing")
{
    CHECK(simplified({}).triangles.empty());
    CHECK(simplified({.points = {{1, 1, 1}}, .triangles = {{0, 0, 0}}}).triangles.empty());
    for_seeds(60, [](Random& r) {
        Mesh soup;
        for (std::uint32_t i = 0; i < 3 + r.below(30); ++i) soup.points.push_back(r.vec(1));
        const auto any = [&] {
            return static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(soup.points.size())));
        };
        for (std::uint32_t i = 0; i < r.below(80); ++i) soup.triangles.push_back({any(), any(), any()});
        const Mesh a = simplified(soup, {.ratio = 0.1, .max_error = 1}),
                   b = simplified(soup, {.ratio = 0.1, .max_error = 1});
        CHECK(a.points == b.points);
        CHECK(a.triangles == b.triangles);
        CHECK(has_valid_indices(a));
    });
}
