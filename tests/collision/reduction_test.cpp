#include "mechane/collision/reduction.h"

#include <algorithm>
#include <set>

#include "shapes.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::collision;

namespace {

std::vector<ReductionPoint> cloud(Random& r, std::size_t n)
{
    std::vector<ReductionPoint> points;
    for (std::size_t i = 0; i < n; ++i)
        points.push_back({r.vec(0.5), r.direction(), r.uniform(-0.01, 0.005), 7 * i + 3});
    return points;
}
std::vector<std::uint32_t> reduced(std::span<const ReductionPoint> points, const geometry::Aabbd& box)
{
    ContactReduction           reduction;
    std::vector<std::uint32_t> chosen;
    reduction.reduce(points, box, chosen);
    return chosen;
}
constexpr geometry::Aabbd kBox{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};

}  // namespace

TEST_CASE("the bin of a normal is the face of the icosahedron nearest to it (COL-119)")
{
    Random r(1);
    for (int i = 0; i < 1'000'000; ++i) {
        const Vec3d n    = r.direction();
        std::size_t best = 0;
        for (std::size_t k = 1; k < kNormalBins; ++k)
            if (dot(n, bin_normal(k)) > dot(n, bin_normal(best))) best = k;
        if (normal_bin(n) != best) {
            CAPTURE(n.y);
            FAIL("the shortcut and the full search differ");
        }
    }
    // The faces of an icosahedron: each has three at the dihedral angle, whose cosine is sqrt(5) / 3.
    for (std::size_t a = 0; a < kNormalBins; ++a) {
        int near = 0;
        for (std::size_t b = 0; b < kNormalBins; ++b)
            near += std::abs(dot(bin_normal(a), bin_normal(b)) - std::sqrt(5.0) / 3) < 1e-9 ? 1 : 0;
        CHECK(near == 3);
    }
}

TEST_CASE("at most 240 contacts stay, always the deepest, each once (COL-118, COL-122)")
{
    for_seeds(20, [](Random& r) {
        const auto points = cloud(r, 20000);
        const auto chosen = reduced(points, kBox);
        CHECK(chosen.size() <= 240);
        CHECK(chosen.size() > 100);
        CHECK(std::set<std::uint32_t>(chosen.begin(), chosen.end()).size() == chosen.size());
        const auto deepest = std::min_element(points.begin(), points.end(),
                                              [](const auto& a, const auto& b) { return a.distance < b.distance; });
        CHECK(std::count(chosen.begin(), chosen.end(), static_cast<std::uint32_t>(deepest - points.begin())) == 1);
    });
    // One contact wins all it can, and is there once.
    const std::vector<ReductionPoint> lone{{{0.1, 0.2, 0}, {0, 0, 1}, -0.01, 5}};
    CHECK(reduced(lone, kBox).size() == 1);
    CHECK(reduced({}, kBox).empty());
}

TEST_CASE("the choice does not depend on the order of the contacts")
{
    for_seeds(5, [](Random& r) {
        auto                    points = cloud(r, 3000);
        std::set<std::uint64_t> first, second;
        for (const auto i : reduced(points, kBox)) first.insert(points[i].key);
        for (std::size_t i = points.size() - 1; i > 0; --i)
            std::swap(points[i], points[r.below(static_cast<std::uint32_t>(i + 1))]);
        for (const auto i : reduced(points, kBox)) second.insert(points[i].key);
        CHECK(first == second);
    });
}

TEST_CASE("six directions keep at least four fifths of the area that a disc of contacts supports")
{
    // The corners of a hexagon in a circle span 82.7 % of it, wherever the hexagon points.
    Random                      r(3);
    std::vector<ReductionPoint> points;
    for (std::size_t i = 0; i < 20000; ++i) {
        const double a = r.uniform(-kPi, kPi), l = 0.4 * std::sqrt(r.uniform());
        points.push_back({{l * std::cos(a), l * std::sin(a), 0}, {0, 0, 1}, -0.001, i});
    }
    const auto         chosen = reduced(points, kBox);
    std::vector<Vec3d> rim;
    for (const auto i : chosen) rim.push_back(points[i].position);
    std::sort(rim.begin(), rim.end(),
              [](const Vec3d& a, const Vec3d& b) { return std::atan2(a.y, a.x) < std::atan2(b.y, b.x); });
    // Area of the hull, by giving up points that lie inside of their neighbours' line.
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < rim.size() && rim.size() > 3; ++i) {
            const Vec3d &a = rim[i], &b = rim[(i + 1) % rim.size()], &c = rim[(i + 2) % rim.size()];
            if (cross(b - a, c - a).z > 0) continue;
            rim.erase(rim.begin() + static_cast<std::ptrdiff_t>((i + 1) % rim.size()));
            changed = true;
            break;
        }
    }
    double area = 0;
    for (std::size_t i = 0; i < rim.size(); ++i) area += 0.5 * cross(rim[i], rim[(i + 1) % rim.size()]).z;
    CHECK(area >= 0.8 * kPi * 0.4 * 0.4);
}

TEST_CASE("the voxels of any box are at most a hundred, and nearly cubes (COL-017)")
{
    Random r(5);
    for (int i = 0; i < 20000; ++i) {
        Vec3d side;
        for (std::size_t k = 0; k < 3; ++k) side[k] = r.below(6) == 0 ? 0 : std::exp(r.uniform(-9, 9));
        const auto n = voxel_resolution({-0.5 * side, 0.5 * side});
        CHECK(n[0] * n[1] * n[2] <= 100);
        CHECK(std::min({n[0], n[1], n[2]}) >= 1);
        for (std::size_t k = 0; k < 3; ++k)
            if (side[k] == 0) CHECK(n[k] == 1);
    }
    CHECK(voxel_resolution({{0, 0, 0}, {1, 1, 1}}) == std::array<int, 3>{5, 5, 4});
    CHECK(voxel_resolution({{0, 0, 0}, {2, 2, 0}}) == std::array<int, 3>{10, 10, 1});
}

TEST_CASE("a reduced flat patch pushes and turns as the whole one does, within a tenth (COL-120)")
{
    // Half a centimetre deep, two corners higher or lower by up to a half of that. Equal stiffness: force is the mean
    // depth, torque its first moment about the middle of the patch, both per unit.
    for_seeds(20, [](Random& r) {
        std::vector<ReductionPoint> points;
        const double                slope_x = r.uniform(-0.003, 0.003), slope_y = r.uniform(-0.003, 0.003);
        for (int y = -40; y <= 40; ++y)
            for (int x = -40; x <= 40; ++x) {
                const Vec3d p{0.01 * x, 0.01 * y, 0};
                points.push_back({p, {0, 0, 1}, -0.005 + slope_x * p.x + slope_y * p.y, points.size()});
            }
        const auto chosen = reduced(points, kBox);
        struct Push {
            double force = 0, x = 0, y = 0, count = 0;
            void   add(const ReductionPoint& p)
            {
                force -= p.distance, x -= p.distance * p.position.x, y -= p.distance * p.position.y;
                count += 1;
            }
        } all, few;
        for (const ReductionPoint& p : points) all.add(p);
        for (const std::uint32_t i : chosen) few.add(points[i]);
        CHECK(few.force / few.count == close_to(all.force / all.count, 0.1 * all.force / all.count));
        // A lever of a tenth of the half width of 0.4 m.
        const double lever = 0.1 * 0.4 * all.force / all.count;
        CHECK(std::abs(few.x / few.count - all.x / all.count) < lever);
        CHECK(std::abs(few.y / few.count - all.y / all.count) < lever);
    });
}
