#include "mechane/geometry/heightfield.h"

#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::close_to;

namespace {

Vec3d normal(const Mesh& m, std::size_t i)
{
    const auto& [a, b, c] = m.triangles[i];
    const auto at         = [&](std::int32_t k) { return m.points[static_cast<std::size_t>(k)]; };
    return cross(at(b) - at(a), at(c) - at(a));
}

}  // namespace

TEST_CASE("the cells of a grid follow one another as its points do, each in two triangles that face up")
{
    const auto place = [](int i, int j) { return Vec3d{2.0 * i, 3.0 * j, 0.1 * i * j}; };
    const auto cut   = [](int i, int j) { return (i + j) % 2 == 0 ? Diagonal::rising : Diagonal::falling; };
    for (const GridOrder order : {GridOrder::x_fastest, GridOrder::y_fastest}) {
        const Mesh m = grid_mesh(3, 2, order, place, cut);
        REQUIRE(m.points.size() == 12);
        REQUIRE(m.triangles.size() == 12);
        CHECK(has_valid_indices(m));
        for (int i = 0; i <= 3; ++i)
            for (int j = 0; j <= 2; ++j) {
                const Vec3d at =
                    m.points[static_cast<std::size_t>(order == GridOrder::x_fastest ? i + 4 * j : 3 * i + j)];
                CHECK(length(at - place(i, j)) == 0);
            }
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 2; ++j) {
                const auto first =
                    static_cast<std::size_t>(2 * (order == GridOrder::x_fastest ? i + 3 * j : 2 * i + j));
                for (const std::size_t k : {first, first + 1}) {
                    CHECK(normal(m, k).z == close_to(6, 1e-12));  // half of the cell each, seen from above
                    // Both have the two ends of the diagonal, and one of the other corners.
                    int ends = 0;
                    for (const std::int32_t corner : m.triangles[k]) {
                        const Vec3d p = m.points[static_cast<std::size_t>(corner)];
                        const int   x = static_cast<int>(p.x / 2) - i, y = static_cast<int>(p.y / 3) - j;
                        CHECK((x == 0 || x == 1));
                        CHECK((y == 0 || y == 1));
                        ends += (x == y) == (cut(i, j) == Diagonal::rising);
                    }
                    CHECK(ends == 2);
                }
            }
    }
}

TEST_CASE("the corners of a grid are asked for in the order of its points, and cells rise where nothing is said")
{
    std::vector<std::pair<int, int>> asked;
    const Mesh                       m = grid_mesh(1, 2, GridOrder::y_fastest, [&](int i, int j) {
        asked.emplace_back(i, j);
        return Vec3d{1.0 * i, 1.0 * j, 0};
    });
    CHECK(asked == std::vector<std::pair<int, int>>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
    CHECK(m.triangles == std::vector<std::array<std::int32_t, 3>>{{0, 3, 4}, {0, 4, 1}, {1, 4, 5}, {1, 5, 2}});
}
