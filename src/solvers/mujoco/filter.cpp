// Which geoms meet, as MuJoCo says it: two masks of 32 bits, excluded pairs of bodies, MuJoCo's parent filter, and as a
// last resort all pairs by name. Input: groups, worlds and filtered pairs of the model.

#include "solvers/mujoco/filter.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "mechane/collision/broad_phase.h"

// Two geoms meet where (contype a & conaffinity b) | (contype b & conaffinity a) is not zero. One bit says "these meet
// those", a complete bipartite graph; the graph of what meets is covered by such stars. Geoms that meet the same ones
// are one class. A star about each class but the last covers any graph of 33 classes (the centre has the bit in its
// contype, what it meets has it in its conaffinity).

namespace mechane::solvers::mujoco {

namespace {

constexpr std::size_t kBits = 32;

using Pair = std::pair<std::int32_t, std::int32_t>;

/// Geoms with the same group, world and filtered partners.
struct Classes {
    std::vector<std::int32_t>              of;       ///< class of each geom
    std::vector<std::vector<std::int32_t>> members;  ///< geoms of each class
};

/// Classes keep the graph small: thousands of geoms of equal rules are one node.
Classes find_classes(std::span<const FilterGeom> geoms, const std::vector<std::vector<std::int32_t>>& partners)
{
    Classes                                                                                   out;
    std::map<std::pair<std::array<std::int32_t, 3>, std::vector<std::int32_t>>, std::int32_t> known;
    for (std::size_t i = 0; i < geoms.size(); ++i) {
        const FilterGeom& g    = geoms[i];
        const auto [at, fresh] = known.try_emplace({{g.group, g.world, g.weld < 0 ? 1 : 0}, partners[i]},
                                                   static_cast<std::int32_t>(known.size()));
        if (fresh) out.members.emplace_back();
        out.of.push_back(at->second);
        out.members[static_cast<std::size_t>(at->second)].push_back(static_cast<std::int32_t>(i));
    }
    return out;
}

bool may_meet(const FilterGeom& a, const FilterGeom& b)
{ return collision::worlds_collide(a.world, b.world) && collision::groups_collide(a.group, b.group); }

}  // namespace

bool masks_meet(const Filter& filter, std::size_t a, std::size_t b)
{ return ((filter.contype[a] & filter.conaffinity[b]) | (filter.contype[b] & filter.conaffinity[a])) != 0; }

Filter make_filter(std::span<const FilterGeom> geoms, std::vector<Pair> filtered,
                   std::span<const std::int32_t> parent_of)
{
    Filter out;
    out.contype.assign(geoms.size(), 0);
    out.conaffinity.assign(geoms.size(), 0);

    // MuJoCo never tests geoms of one weld.
    const auto never = [&](std::int32_t a, std::int32_t b) {  // MuJoCo leaves them out by itself
        return geoms[static_cast<std::size_t>(a)].weld == geoms[static_cast<std::size_t>(b)].weld;
    };
    for (auto& [a, b] : filtered)
        if (a > b) std::swap(a, b);
    std::sort(filtered.begin(), filtered.end());
    filtered.erase(std::unique(filtered.begin(), filtered.end()), filtered.end());
    std::erase_if(filtered, [&](const Pair& p) { return never(p.first, p.second); });

    // Pairs of bodies of which no geoms meet.
    std::map<std::int32_t, std::vector<std::int32_t>> geoms_of;
    for (std::size_t i = 0; i < geoms.size(); ++i) geoms_of[geoms[i].body].push_back(static_cast<std::int32_t>(i));
    const auto is_filtered = [&](std::int32_t a, std::int32_t b) {
        return std::binary_search(filtered.begin(), filtered.end(), Pair{std::min(a, b), std::max(a, b)});
    };
    const auto meet = [&](std::int32_t a, std::int32_t b) {
        return !never(a, b) && may_meet(geoms[static_cast<std::size_t>(a)], geoms[static_cast<std::size_t>(b)]) &&
               !is_filtered(a, b);
    };
    const auto bodies_meet = [&](std::int32_t a, std::int32_t b) {
        for (const std::int32_t x : geoms_of[a])
            for (const std::int32_t y : geoms_of[b])
                if (meet(x, y)) return true;
        return false;
    };
    // Bodies of which all pairs of geoms are filtered need one `exclude` instead of masks.
    std::set<Pair> apart;
    for (const auto& [a, b] : filtered) {
        const std::int32_t x = geoms[static_cast<std::size_t>(a)].body, y = geoms[static_cast<std::size_t>(b)].body;
        const Pair         bodies{std::min(x, y), std::max(x, y)};
        if (!apart.contains(bodies) && !bodies_meet(bodies.first, bodies.second)) apart.insert(bodies);
    }
    // MuJoCo's rule: a weld does not meet the one that it hangs on.
    const auto above   = [&](std::int32_t weld) { return weld < 0 ? -1 : parent_of[static_cast<std::size_t>(weld)]; };
    const auto by_rule = [&](const FilterGeom& x, const FilterGeom& y) {
        return (above(x.weld) >= 0 && above(x.weld) == y.weld) || (above(y.weld) >= 0 && above(y.weld) == x.weld);
    };
    std::map<std::int32_t, std::vector<std::int32_t>> of_weld;
    for (std::size_t i = 0; i < geoms.size(); ++i) of_weld[geoms[i].weld].push_back(static_cast<std::int32_t>(i));
    for (const auto& [weld, own] : of_weld) {
        const auto parent = of_weld.find(above(weld));
        if (above(weld) < 0 || parent == of_weld.end()) continue;
        for (const std::int32_t x : own)
            for (const std::int32_t y : parent->second) out.parents_meet = out.parents_meet || meet(x, y);
    }
    const auto bodies_apart = [&](std::int32_t a, std::int32_t b) {
        const FilterGeom &x = geoms[static_cast<std::size_t>(a)], &y = geoms[static_cast<std::size_t>(b)];
        if (!out.parents_meet && by_rule(x, y)) return true;
        return apart.contains({std::min(x.body, y.body), std::max(x.body, y.body)});
    };
    if (!out.parents_meet)
        std::erase_if(apart, [&](const Pair& p) {
            return by_rule(geoms[static_cast<std::size_t>(geoms_of[p.first].front())],
                           geoms[static_cast<std::size_t>(geoms_of[p.second].front())]);
        });

    // What masks must keep apart besides.
    std::vector<std::vector<std::int32_t>> partners(geoms.size());
    for (const auto& [a, b] : filtered)
        if (!bodies_apart(a, b)) {
            partners[static_cast<std::size_t>(a)].push_back(b);
            partners[static_cast<std::size_t>(b)].push_back(a);
        }
    const Classes     classes = find_classes(geoms, partners);
    const std::size_t n       = classes.members.size();
    const auto        edge    = [&](std::size_t x, std::size_t y) {
        if (x == y && classes.members[x].size() == 1) return false;
        const std::int32_t a = classes.members[x].front();
        const std::int32_t b = x == y ? classes.members[y].back() : classes.members[y].front();
        const FilterGeom & p = geoms[static_cast<std::size_t>(a)], &q = geoms[static_cast<std::size_t>(b)];
        const auto&        filters = partners[static_cast<std::size_t>(a)];
        return may_meet(p, q) && !(p.weld < 0 && q.weld < 0) && !std::binary_search(filters.begin(), filters.end(), b);
    };
    // Geoms of different classes that meet the same classes may be one: a star serves them together.
    std::vector<std::vector<std::uint8_t>> meets(n, std::vector<std::uint8_t>(n, 0));
    for (std::size_t x = 0; x < n; ++x)
        for (std::size_t y = x; y < n; ++y) meets[x][y] = meets[y][x] = edge(x, y) ? 1 : 0;
    std::vector<std::size_t> degree(n, 0);
    auto                     left = meets;
    for (std::size_t x = 0; x < n; ++x)
        degree[x] = static_cast<std::size_t>(std::count(left[x].begin(), left[x].end(), 1));
    std::size_t bit = 0;
    // Greedy: the star with most edges that are left. Ties go to the class found first.
    for (; bit < kBits; ++bit) {
        const auto centre = static_cast<std::size_t>(std::max_element(degree.begin(), degree.end()) - degree.begin());
        if (n == 0 || degree[centre] == 0) break;
        const auto mask = static_cast<std::int32_t>(std::uint32_t{1} << bit);
        // All classes with exactly the same remaining partners share the star.
        const auto row = left[centre];
        for (std::size_t x = 0; x < n; ++x) {
            if (left[x] != row) continue;
            for (const std::int32_t g : classes.members[x]) out.contype[static_cast<std::size_t>(g)] |= mask;
            for (std::size_t y = 0; y < n; ++y)
                if (row[y] != 0 && left[x][y] != 0) {
                    left[x][y] = 0, --degree[x];
                    if (x != y && left[y][x] != 0) left[y][x] = 0, --degree[y];
                }
        }
        for (std::size_t y = 0; y < n; ++y)
            if (row[y] != 0)
                for (const std::int32_t g : classes.members[y]) out.conaffinity[static_cast<std::size_t>(g)] |= mask;
    }
    const bool covered = std::all_of(degree.begin(), degree.end(), [](std::size_t d) { return d == 0; });
    // 32 bits were not enough: masks are zero, and each pair that meets is named.
    if (!covered) {
        std::fill(out.contype.begin(), out.contype.end(), 0);
        std::fill(out.conaffinity.begin(), out.conaffinity.end(), 0);
        for (std::size_t a = 0; a < geoms.size(); ++a)
            for (std::size_t b = a + 1; b < geoms.size(); ++b)
                if (meet(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)))
                    out.pairs.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)});
        return out;
    }
    for (const auto& [a, b] : apart) out.excludes.push_back({a, b});
    return out;
}

}  // namespace mechane::solvers::mujoco
