#include "mechane/geometry/triangulation.h"

#include <algorithm>

#include "mechane/geometry/mass.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::close_to;
using mechane::test::for_seeds;

namespace {

using Ints      = std::vector<std::int32_t>;
using Triangles = std::vector<std::array<std::int32_t, 3>>;

Vec3d vector_area(const Mesh& m)
{
    Vec3d sum;
    for (const auto& t : m.triangles) {
        const Vec3d &a = m.points[static_cast<std::size_t>(t[0])], &b = m.points[static_cast<std::size_t>(t[1])],
                    &c = m.points[static_cast<std::size_t>(t[2])];
        sum += 0.5 * cross(b - a, c - a);
    }
    return sum;
}

double total_area(const Mesh& m)
{
    double sum = 0;
    for (const auto& t : m.triangles) {
        const Vec3d &a = m.points[static_cast<std::size_t>(t[0])], &b = m.points[static_cast<std::size_t>(t[1])],
                    &c = m.points[static_cast<std::size_t>(t[2])];
        sum += 0.5 * length(cross(b - a, c - a));
    }
    return sum;
}

Ints one_face(std::size_t n)
{
    Ints indices(n);
    for (std::size_t i = 0; i < n; ++i) indices[i] = static_cast<std::int32_t>(i);
    return indices;
}

const std::vector<Vec3d> kSquare{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

}  // namespace

TEST_CASE("triangles stay, convex faces become fans in face order (usd-stage.md 17.4, import-usd.md 4.2)")
{
    const std::vector<Vec3d> points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {2, 1, 0}};
    const Ints               counts{3, 4}, indices{0, 1, 2, 1, 4, 5, 2};
    const auto               t = triangulate({points, counts, indices});
    CHECK(t.mesh.triangles == Triangles{{0, 1, 2}, {1, 4, 5}, {1, 5, 2}});
    CHECK(t.triangle_to_face == Ints{0, 1, 1});
    CHECK(t.dropped.empty());
    CHECK(t.unused_indices == 0);
}

TEST_CASE("left-handed faces are turned over: (0,3,2) becomes (2,3,0) (import-usd.md 4.2)")
{
    const Ints counts{3}, indices{0, 3, 2};
    CHECK(triangulate(
              {.points = kSquare, .face_vertex_counts = counts, .face_vertex_indices = indices, .left_handed = true})
              .mesh.triangles == Triangles{{2, 3, 0}});
}

TEST_CASE("hole faces are skipped")
{
    const Ints counts{3, 3}, indices{0, 1, 2, 0, 2, 3}, holes{0};
    const auto t = triangulate(
        {.points = kSquare, .face_vertex_counts = counts, .face_vertex_indices = indices, .hole_indices = holes});
    CHECK(t.mesh.triangles == Triangles{{0, 2, 3}});
    CHECK(t.triangle_to_face == Ints{1});
    CHECK(t.dropped.empty());
}

TEST_CASE("an L is cut into ears that do not overlap, the plain fan overlaps")
{
    const std::vector<Vec3d> points{{1, 1, 0}, {0, 2, 0}, {0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1.5, 1, 0}};
    std::vector<Vec3d>       arrow{{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {1, 1, 0}};
    for (const auto& p : {points, arrow}) {
        const Ints counts{static_cast<std::int32_t>(p.size())}, indices = one_face(p.size());
        const auto t = triangulate({p, counts, indices});
        CHECK(t.mesh.triangles.size() == p.size() - 2);
        CHECK(total_area(t.mesh) == close_to(length(vector_area(t.mesh)), 1e-12));  // no triangle faces down
    }
    const Ints counts{4}, indices = one_face(4);
    CHECK(total_area(triangulate({arrow, counts, indices}).mesh) ==
          close_to(1, 1e-12));  // 2 x 2 / 2 less the notch of 1
    CHECK(total_area(triangulate({arrow, counts, indices}, {.plain_fan = true}).mesh) ==
          close_to(3, 1e-12));  // 2 + 1: one triangle is outside
    CHECK(triangulate({arrow, counts, indices}, {.plain_fan = true}).mesh.triangles == Triangles{{0, 1, 2}, {0, 2, 3}});
}

TEST_CASE("random star-shaped polygons in any plane keep their area")
{
    for_seeds(200, [](Random& r) {
        const std::uint32_t n = 4 + r.below(20);
        const Posed         X{r.vec(5), r.rotation()};
        std::vector<Vec3d>  points;
        double              area = 0;
        std::vector<double> radius;
        for (std::uint32_t i = 0; i < n; ++i) radius.push_back(r.uniform(0.2, 1));
        const double step = 2 * kPi / n;
        for (std::uint32_t i = 0; i < n; ++i) {
            points.push_back(X * Vec3d{radius[i] * std::cos(i * step), radius[i] * std::sin(i * step), 0});
            area += 0.5 * radius[i] * radius[(i + 1) % n] * std::sin(step);
        }
        const Ints counts{static_cast<std::int32_t>(n)}, indices = one_face(n);
        const auto t = triangulate({points, counts, indices});
        CHECK(t.mesh.triangles.size() == n - 2);
        CHECK(total_area(t.mesh) == close_to(area, 1e-10));
        CHECK(length(vector_area(t.mesh)) == close_to(area, 1e-10));
    });
}

TEST_CASE("faces that cannot be used are dropped and named")
{
    const std::vector<Vec3d> points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {0, 0, std::nan("")}};
    const Ints counts{2, 3, 3, 3, 3, -1, 3, 4}, indices{0, 1, 0, 1, 9, 0, 1, 4, 0, 1, 5, 0, 1, 2, 0, 2, 3, 1, 2};
    const auto t = triangulate({points, counts, indices});
    CHECK(t.mesh.triangles == Triangles{{0, 1, 2}, {0, 2, 3}});
    CHECK(t.triangle_to_face == Ints{4, 6});
    struct Row {
        std::int32_t face;
        FaceFault    fault;
    };
    const Row expected[] = {{0, FaceFault::too_few_corners}, {1, FaceFault::index_range},
                            {2, FaceFault::no_area},         {3, FaceFault::not_finite},
                            {5, FaceFault::too_few_corners}, {7, FaceFault::counts_exceed_indices}};
    REQUIRE(t.dropped.size() == std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        CHECK(t.dropped[i].face == expected[i].face);
        CHECK(t.dropped[i].fault == expected[i].fault);
    }
    CHECK(is_finite(t.mesh.points[5]));

    const Ints short_counts{3}, long_indices{0, 1, 2, 3};
    CHECK(triangulate({points, short_counts, long_indices}).unused_indices == 1);
}

TEST_CASE("arbitrary counts and indices never leave the arrays")
{
    for_seeds(300, [](Random& r) {
        std::vector<Vec3d> points;
        Ints               counts, indices, holes;
        for (std::uint32_t i = 0; i < r.below(12); ++i)
            points.push_back(r.below(8) == 0 ? Vec3d{kInfinity, 0, std::nan("")} : r.vec(1));
        for (std::uint32_t i = 0; i < r.below(10); ++i) counts.push_back(static_cast<std::int32_t>(r.below(8)) - 1);
        for (std::uint32_t i = 0; i < r.below(40); ++i) indices.push_back(static_cast<std::int32_t>(r.below(14)) - 1);
        if (r.below(10) == 0 && !counts.empty()) counts[0] = 2147483647;
        for (std::uint32_t i = 0; i < r.below(3); ++i) holes.push_back(static_cast<std::int32_t>(r.next()));
        const auto t = triangulate({.points              = points,
                                    .face_vertex_counts  = counts,
                                    .face_vertex_indices = indices,
                                    .hole_indices        = holes,
                                    .left_handed         = r.below(2) == 0},
                                   {.plain_fan = r.below(2) == 0});
        CHECK(t.mesh.points.size() == points.size());
        CHECK(t.triangle_to_face.size() == t.mesh.triangles.size());
        for (const auto& triangle : t.mesh.triangles)
            for (const std::int32_t i : triangle) CHECK((i >= 0 && i < std::ssize(points)));
    });
}
