#include "mechane/geometry/weld.h"

#include <algorithm>

#include "mechane/geometry/mass.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
using mechane::test::close_to;
using mechane::test::for_seeds;

namespace {

/// A unit cube of six separate squares, as exporters write it for flat shading.
Mesh split_cube()
{
    Mesh m;
    for (int axis = 0; axis < 3; ++axis)
        for (const double side : {0.0, 1.0}) {
            const auto        first = static_cast<std::int32_t>(m.points.size());
            const std::size_t u     = static_cast<std::size_t>((axis + 1) % 3),
                              v     = static_cast<std::size_t>((axis + 2) % 3);
            for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}}) {
                Vec3d p;
                p[static_cast<std::size_t>(axis)] = side;
                p[u]                              = x;
                p[v]                              = y;
                m.points.push_back(p);
            }
            if (side == 1)
                m.triangles.insert(m.triangles.end(), {{first, first + 1, first + 2}, {first, first + 2, first + 3}});
            else
                m.triangles.insert(m.triangles.end(), {{first, first + 2, first + 1}, {first, first + 3, first + 2}});
        }
    return m;
}

}  // namespace

TEST_CASE("welding closes a cube that was split along its edges, despite small noise")
{
    const Mesh split = split_cube();
    CHECK_FALSE(is_closed(split));
    CHECK(find_faults(split).boundary_edges == 24);
    for_seeds(20, [&](Random& r) {
        Mesh noisy = split;
        for (Vec3d& p : noisy.points) p += r.vec(2e-8);  // diagonal 7e-8, within the tolerance of 1e-7
        const Mesh whole = welded(noisy);
        CHECK(whole.points.size() == 8);
        CHECK(whole.triangles.size() == 12);
        CHECK(is_closed(whole));
        CHECK(find_faults(whole).watertight());
        CHECK(mesh_mass(whole, {1, 1, 1}, 1).mass == close_to(1, 1e-6));
    });
}

TEST_CASE("triangles that shrink to less than a triangle go, points of other places stay")
{
    const Mesh m{.points    = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1e-9, 0, 0}, {5, 5, 5}},
                 .triangles = {{0, 1, 2}, {0, 3, 1}}};
    const Mesh w = welded(m);
    CHECK(w.points == std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}});
    CHECK(w.triangles == std::vector<std::array<std::int32_t, 3>>{{0, 1, 2}});
}

TEST_CASE("faults are counted by kind")
{
    const std::vector<Vec3d> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
    // Two triangles that run along edge 0-1 the same way.
    CHECK(find_faults({.points = points, .triangles = {{0, 1, 2}, {0, 1, 4}}}).winding_edges == 1);
    CHECK(find_faults({.points = points, .triangles = {{0, 1, 2}, {1, 0, 4}}}).winding_edges == 0);
    CHECK(find_faults({.points = points, .triangles = {{0, 1, 2}, {1, 0, 4}, {0, 1, 3}}}).non_manifold_edges == 1);
    CHECK(find_faults({.points = points, .triangles = {{0, 1, 1}, {2, 0, 4}}}).degenerate_triangles == 2);
    CHECK(find_faults({}).watertight());
}

TEST_CASE("each point knows the first one at its place, along chains, and far points know themselves")
{
    for_seeds(20, [](Random& r) {
        std::vector<Vec3d> points;
        for (int i = 0; i < 80; ++i)
            points.push_back(0.125 * Vec3d{static_cast<double>(r.below(8)), static_cast<double>(r.below(8)), 0});
        // Neighbours of a lattice of spacing 1/8 are at one place within 0.13: the reference floods from each point.
        const std::vector<std::int32_t> first = first_at_place(points, 0.13);
        for (std::size_t i = 0; i < points.size(); ++i) {
            std::vector<bool>        seen(points.size());
            std::vector<std::size_t> reached{i};
            seen[i] = true;
            for (std::size_t k = 0; k < reached.size(); ++k)
                for (std::size_t j = 0; j < points.size(); ++j)
                    if (!seen[j] && length(points[j] - points[reached[k]]) <= 0.13)
                        seen[j] = true, reached.push_back(j);
            CHECK(static_cast<std::size_t>(first[i]) == *std::ranges::min_element(reached));
        }
    });
    CHECK(first_at_place({}, 1).empty());
}
