#include "mechane/geometry/decomposition.h"

#include <algorithm>

#include "mechane/geometry/mass.h"
#include "mechane/geometry/triangulation.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::close_to;

namespace {

/// A prism over a polygon of the xy plane, counter-clockwise.
Mesh prism(const std::vector<Vec2d>& outline, double height)
{
    std::vector<Vec3d>        points;
    std::vector<std::int32_t> counts, indices;
    const auto                n = static_cast<std::int32_t>(outline.size());
    for (const double z : {0.0, height})
        for (const Vec2d& p : outline) points.push_back({p.x, p.y, z});
    counts.push_back(n);
    for (std::int32_t i = n; i-- > 0;) indices.push_back(i);
    counts.push_back(n);
    for (std::int32_t i = 0; i < n; ++i) indices.push_back(n + i);
    for (std::int32_t i = 0; i < n; ++i) {
        counts.push_back(4);
        for (const std::int32_t k : {i, (i + 1) % n, n + (i + 1) % n, n + i}) indices.push_back(k);
    }
    return triangulate({points, counts, indices}).mesh;
}

Mesh torus(int around, int across)
{
    Mesh m;
    for (int i = 0; i < around; ++i)
        for (int k = 0; k < across; ++k) {
            const double a = 2 * kPi * i / around, b = 2 * kPi * k / across, r = 1 + 0.25 * std::cos(b);
            m.points.push_back({r * std::cos(a), r * std::sin(a), 0.25 * std::sin(b)});
        }
    for (int i = 0; i < around; ++i)
        for (int k = 0; k < across; ++k) {
            const auto at = [&](int x, int y) { return static_cast<std::int32_t>((x % around) * across + y % across); };
            m.triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
            m.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
        }
    return m;
}

void append(Mesh& to, const Mesh& part, const Vec3d& by)
{
    const auto first = static_cast<std::int32_t>(to.points.size());
    for (const Vec3d& p : part.points) to.points.push_back(p + by);
    for (const auto& t : part.triangles) to.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

double total_volume(const std::vector<Mesh>& hulls)
{
    double sum = 0;
    for (const Mesh& h : hulls) sum += mesh_mass(h, {1, 1, 1}, 1).mass;
    return sum;
}

/// Whether some hull holds the point.
bool covered(const std::vector<Mesh>& hulls, const Vec3d& p, double tolerance)
{
    return std::ranges::any_of(hulls, [&](const Mesh& h) {
        return std::ranges::all_of(h.triangles, [&](const auto& t) {
            const Vec3d &a = h.points[static_cast<std::size_t>(t[0])], &b = h.points[static_cast<std::size_t>(t[1])],
                        &c = h.points[static_cast<std::size_t>(t[2])];
            return dot(normalized(cross(b - a, c - a)), p - a) < tolerance;
        });
    });
}

const std::vector<Vec2d> kL{{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}}, kUnit{{0, 0}, {1, 0}, {1, 1}, {0, 1}};

}  // namespace

TEST_CASE("an L is two boxes, however thin the plate it is cut from")
{
    for (const double height : {1.0, 0.02}) {
        CAPTURE(height);
        const auto hulls = decompose(prism(kL, height));
        REQUIRE(hulls.has_value());
        CHECK(hulls->size() == 2);
        CHECK(total_volume(*hulls) == close_to(4 * height, 1e-6));
    }
}

TEST_CASE("a convex part stays whole, and components are never joined without need")
{
    CHECK(decompose(prism(kUnit, 1))->size() == 1);
    Mesh three;
    for (const double x : {0.0, 5.0, 10.0}) append(three, prism(kUnit, 1), {x, 0, 0});
    const auto hulls = decompose(three);
    REQUIRE(hulls.has_value());
    CHECK(hulls->size() == 3);
    CHECK(total_volume(*hulls) == close_to(3, 1e-9));
    CHECK(bounds((*hulls)[1]).lower.x == 5);  // in the order of the components
    for (const Mesh& h : *hulls) CHECK(h.is_convex);
}

TEST_CASE("parts beyond the limit are merged with their neighbours")
{
    Mesh row;
    for (int i = 0; i < 10; ++i) append(row, prism(kUnit, 1), {2.0 * i, 0, 0});
    const auto hulls = decompose(row, {.max_hulls = 5});
    REQUIRE(hulls.has_value());
    CHECK(hulls->size() == 5);
    CHECK(total_volume(*hulls) <= 10 + 5 + 1e-9);  // five gaps of 1 at most, if each joins with its neighbour
    CHECK(decompose(row, {.max_hulls = 1})->size() == 1);
}

TEST_CASE("a torus keeps its hole, and its surface stays inside of the hulls")
{
    const Mesh ring  = torus(24, 12);
    const auto hulls = decompose(ring, {.hull = {.max_vertices = 1000}});  // a budget of vertices would cut corners
    REQUIRE(hulls.has_value());
    CHECK(hulls->size() >= 4);
    CHECK(hulls->size() <= 32);
    const double solid = mesh_mass(ring, {1, 1, 1}, 1).mass;
    CHECK(total_volume(*hulls) < 1.25 * solid);  // its convex hull has 2.3 times the volume
    CHECK_FALSE(covered(*hulls, {0, 0, 0}, 0));
    for (const Vec3d& p : ring.points) CHECK(covered(*hulls, p, 1e-5));
}

TEST_CASE("an inverted mesh is cut as its outward twin, and twice the same input gives the same bytes")
{
    Mesh inward = prism(kL, 1);
    for (auto& t : inward.triangles) std::swap(t[0], t[1]);
    CHECK(decompose(inward)->size() == 2);
    const auto a = decompose(torus(16, 8)), b = decompose(torus(16, 8));
    REQUIRE(a->size() == b->size());
    for (std::size_t i = 0; i < a->size(); ++i) CHECK((*a)[i].points == (*b)[i].points);
}

TEST_CASE("no triangles have no hulls; a single one has a flat one")
{
    CHECK(decompose({}).error().id == "GEOMETRY_HULL_DEGENERATE");
    CHECK(decompose(Mesh{.points = {{0, 0, 0}}, .triangles = {{0, 0, 5}}}).error().id == "GEOMETRY_HULL_DEGENERATE");
    CHECK_FALSE(decompose(Mesh{.points = {{0, 0, std::nan("")}}, .triangles = {{0, 0, 0}}}).has_value());
    const auto flat = decompose(Mesh{.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .triangles = {{0, 1, 2}}});
    REQUIRE(flat.has_value());
    CHECK(flat->size() == 1);
}

TEST_CASE("a surface of many triangles is thinned, and its hulls still cover it to within a cell")
{
    const Mesh ring  = torus(120, 30);  // 7200 triangles
    const auto hulls = decompose(ring, {.hull = {.max_vertices = 1000}});
    REQUIRE(hulls.has_value());
    CHECK(total_volume(*hulls) < 1.25 * mesh_mass(ring, {1, 1, 1}, 1).mass);
    for (const Vec3d& p : ring.points) CHECK(covered(*hulls, p, 2.5 / 48));  // a cell
}

TEST_CASE("gravel of thousands of components ends in few hulls, in reasonable time")
{
    Random r(9);
    Mesh   gravel;
    for (int i = 0; i < 5000; ++i) {
        Mesh pebble = prism(kUnit, 1);
        for (Vec3d& p : pebble.points) p = 0.01 * p;
        append(gravel, pebble, r.vec(10));
    }
    const auto hulls = decompose(gravel, {.max_hulls = 16});
    REQUIRE(hulls.has_value());
    CHECK(hulls->size() == 16);
}
