#include "mechane/geometry/bvh.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mechane/math/random.h"
#include "support/support.h"

using namespace mechane;
using geometry::Aabbd;

TEST_CASE("every item whose box overlaps is visited, once, and none that single precision tells to be off")
{
    for (const std::size_t count : {1u, 2u, 3u, 4u, 5u, 9u, 64u, 1000u})
        for (const double far : {0.0, 1e6}) {
            Random     random(count);
            const auto make = [&](double size) {
                const Vec3d at{far + random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)},
                    half{size * random.uniform(0, 1), size * random.uniform(0, 1), size * random.uniform(0, 1)};
                return Aabbd{at - half, at + half};
            };
            std::vector<Aabbd> boxes;
            for (std::size_t i = 0; i < count; ++i) boxes.push_back(make(0.2));
            const geometry::Bvh tree(boxes);
            // A box rounded outwards gains at most a unit in the last of 24 digits on each side.
            const double rounding = 4 * (far + 2) * std::ldexp(1.0, -24);
            int          missed = 0, twice = 0, strangers = 0;
            for (int look = 0; look < 100; ++look) {
                // Faces that just touch as well: those of an item's own box.
                const Aabbd      asked = look % 2 ? make(0.5) : boxes[static_cast<std::size_t>(look) % count];
                std::vector<int> visits(count, 0);
                tree.for_each_overlap(asked, [&](std::int32_t i) { ++visits[static_cast<std::size_t>(i)]; });
                const Vec3d r{rounding, rounding, rounding};
                for (std::size_t i = 0; i < count; ++i) {
                    missed += geometry::overlaps(boxes[i], asked) && visits[i] == 0 ? 1 : 0;
                    twice += visits[i] > 1 ? 1 : 0;
                    strangers +=
                        visits[i] > 0 && !geometry::overlaps(boxes[i], {asked.lower - r, asked.upper + r}) ? 1 : 0;
                }
            }
            CAPTURE(count);
            CHECK(missed == 0);
            CHECK(twice == 0);
            CHECK(strangers == 0);
        }
}

TEST_CASE("boxes beyond single precision, without end, and no boxes at all")
{
    const Aabbd huge{{-1e300, -1, -1}, {1e300, 1, 1}},
        all{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    const std::vector<Aabbd> boxes{huge, {{1e200, 0, 0}, {1e201, 1, 1}}, {{0, 0, 0}, {0, 0, 0}}};
    const geometry::Bvh      tree(boxes);
    const auto               met = [&](const Aabbd& box) {
        std::vector<std::int32_t> items;
        tree.for_each_overlap(box, [&](std::int32_t i) { items.push_back(i); });
        std::sort(items.begin(), items.end());
        return items;
    };
    CHECK(met(all) == std::vector<std::int32_t>{0, 1, 2});
    CHECK(met({{0, 0, 0}, {0, 0, 0}}) == std::vector<std::int32_t>{0, 2});
    CHECK(met({{5e200, 0.5, 0.5}, {6e200, 0.5, 0.5}}) == std::vector<std::int32_t>{0, 1});
    CHECK(met({{0, 2, 0}, {0, 3, 0}}).empty());
    geometry::Bvh().for_each_overlap(all, [](std::int32_t) { FAIL("there is nothing to visit"); });
}

TEST_CASE("items of all sizes, each ten times as far out as the last, are found as by a loop over all")
{
    // Cuts by surface part them one by one: the deepest tree there is.
    Random             random(1);
    std::vector<Aabbd> boxes;
    for (int i = 0; i < 3000; ++i) {
        const double size = std::pow(10.0, random.uniform(-150, 150));
        const Vec3d  at   = size * random.direction();
        boxes.push_back({at - random.uniform(0, 1) * Vec3d{size, size, size}, at});
    }
    const geometry::Bvh tree(boxes);
    int                 missed = 0, farther = 0;
    for (int look = 0; look < 300; ++look) {
        const double     size = std::pow(10.0, random.uniform(-30, 30));
        const Vec3d      at   = size * random.direction();
        const Aabbd      asked{at, at + random.uniform(0, 3) * Vec3d{size, size, size}};
        std::vector<int> visits(boxes.size(), 0);
        tree.for_each_overlap(asked, [&](std::int32_t i) { ++visits[static_cast<std::size_t>(i)]; });
        double nearest = kInfinity, found = kInfinity;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            missed += visits[i] != 1 && geometry::overlaps(boxes[i], asked) ? 1 : 0;
            nearest = std::min(nearest, geometry::distance_squared(boxes[i], at));
        }
        tree.for_each_near(at, kInfinity, [&](std::int32_t i) {
            found = std::min(found, geometry::distance_squared(boxes[static_cast<std::size_t>(i)], at));
            return found;
        });
        farther += found != nearest ? 1 : 0;
    }
    CHECK(missed == 0);
    CHECK(farther == 0);
}
