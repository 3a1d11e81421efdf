#include <doctest/doctest.h>

#include <set>

#include "mechane/collision/broad_phase.h"
#include "solvers/mujoco/filter.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::solvers::mujoco;

namespace {

/// MuJoCo's own rules on top of masks: the same weld, a weld and the one it hangs on, excludes, pairs that are named.
bool mujoco_lets_meet(const Filter& f, const std::vector<FilterGeom>& geoms, const std::vector<std::int32_t>& parent,
                      std::size_t a, std::size_t b)
{
    const FilterGeom &x = geoms[a], &y = geoms[b];
    for (const auto& pair : f.pairs)
        if (std::set{pair[0], pair[1]} == std::set{static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)})
            return true;
    if (x.weld == y.weld) return false;
    const auto above = [&](std::int32_t w) { return w < 0 ? -1 : parent[static_cast<std::size_t>(w)]; };
    if (!f.parents_meet &&
        ((above(x.weld) >= 0 && above(x.weld) == y.weld) || (above(y.weld) >= 0 && above(y.weld) == x.weld)))
        return false;
    for (const auto& pair : f.excludes)
        if (std::set{pair[0], pair[1]} == std::set{x.body, y.body}) return false;
    return masks_meet(f, a, b);
}

struct Scene {
    std::vector<FilterGeom>                            geoms;
    std::vector<std::pair<std::int32_t, std::int32_t>> filtered;
    std::vector<std::int32_t>                          parent;  ///< weld that each weld hangs on
};

/// Bodies in random trees, one or two geoms each, random groups and filters.
Scene draw(Random& r, int geoms, double filtered)
{
    Scene     s;
    const int bodies = 1 + static_cast<int>(r.uniform(0, geoms));
    for (int b = 0; b < bodies; ++b)
        s.parent.push_back(b == 0 || r.uniform(0, 1) < 0.4 ? -1 : static_cast<int>(r.uniform(0, b)));
    const int groups[] = {1, 1, 1, 2, -1, -2, 0};
    for (int g = 0; g < geoms; ++g) {
        const int body = static_cast<int>(r.uniform(-1, bodies));
        s.geoms.push_back({body, body, r.uniform(0, 1) < 0.7 ? 1 : groups[static_cast<int>(r.uniform(0, 7))], 0});
    }
    for (int a = 0; a < geoms; ++a)
        for (int b = a + 1; b < geoms; ++b)
            if (r.uniform(0, 1) < filtered) s.filtered.emplace_back(a, b);
    return s;
}

void check(const Scene& s, bool named)
{
    const Filter f = make_filter(s.geoms, s.filtered, s.parent);
    if (!named) CHECK(f.pairs.empty());
    for (std::size_t a = 0; a < s.geoms.size(); ++a)
        for (std::size_t b = a + 1; b < s.geoms.size(); ++b) {
            const FilterGeom &x = s.geoms[a], &y = s.geoms[b];
            if (x.weld == y.weld) continue;  // nothing moves between them
            bool want = collision::groups_collide(x.group, y.group);
            for (const auto& [p, q] : s.filtered)
                want = want && !(p == static_cast<std::int32_t>(a) && q == static_cast<std::int32_t>(b));
            CAPTURE(a);
            CAPTURE(b);
            CHECK(mujoco_lets_meet(f, s.geoms, s.parent, a, b) == want);
        }
}

}  // namespace

TEST_CASE("masks of 33 shapes let through exactly the pairs that may meet (DYN-072)")
{
    test::for_seeds(
        200, [](Random& r) { check(draw(r, 2 + static_cast<int>(r.uniform(0, 31)), r.uniform(0, 0.9)), false); });
}

TEST_CASE("a hundred shapes with filters at random are named pair by pair, and exactly those")
{
    test::for_seeds(5, [](Random& r) { check(draw(r, 100, 0.4), true); });
}

TEST_CASE("a robot whose neighbours are filtered needs one bit and excludes, however many links it has")
{
    Scene s;
    for (int b = 0; b < 60; ++b) {
        s.parent.push_back(b - 1);
        s.geoms.push_back({b, b, 1, 0});
        if (b > 0) s.filtered.emplace_back(b - 1, b);
        if (b > 1) s.filtered.emplace_back(b - 2, b);
    }
    const Filter f = make_filter(s.geoms, s.filtered, s.parent);
    CHECK(f.pairs.empty());
    CHECK(f.excludes.size() == 58);  // grandparents; parents are MuJoCo's own rule
    CHECK_FALSE(f.parents_meet);
    check(s, false);
}
