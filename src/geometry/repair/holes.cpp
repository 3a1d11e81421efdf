// Holes of a mesh: their rims, and the triangles that close them.
//
// The triangulation of least area of a ring of points in space follows Barequet and Sharir, "Filling gaps in the
// boundary of a polyhedron" (Computer Aided Geometric Design 12, 1995), section 3: the best triangulation of the points
// i .. k is the least, over m between them, of those of i .. m and m .. k and the triangle (i, m, k). It takes the cube
// of the number of points, so larger rings are clipped by ears in their best-fit plane.
// Weights compare by the number of slivers first: three points of a rim on one line make no triangle where another
// division has the same area.

#include "geometry/repair/holes.h"

#include <map>
#include <numeric>

#include "mechane/geometry/triangulation.h"

namespace mechane::geometry {
namespace {

constexpr std::size_t kMostExact = 200;

struct Weight {
    std::int32_t forbidden = 0, slivers = 0;
    double       area = 0;
    bool         operator<(const Weight& o) const
    {
        if (forbidden != o.forbidden) return forbidden < o.forbidden;
        return slivers != o.slivers ? slivers < o.slivers : area < o.area;
    }
};

Weight operator+(const Weight& a, const Weight& b)
{ return {a.forbidden + b.forbidden, a.slivers + b.slivers, a.area + b.area}; }

Weight weight_of(const Vec3d& a, const Vec3d& b, const Vec3d& c)
{
    const double twice   = length(cross(b - a, c - a));
    const double longest = std::max({length_squared(b - a), length_squared(c - b), length_squared(a - c)});
    return {0, twice <= 1e-9 * longest ? 1 : 0, 0.5 * twice};
}

std::vector<Triangle> least_area(const std::vector<Vec3d>& points, const std::vector<std::int32_t>& ring,
                                 const std::set<std::uint64_t>& taken)
{
    const std::size_t         n = ring.size();
    std::vector<Weight>       best(n * n);
    std::vector<std::int32_t> middle(n * n, -1);
    const auto                point = [&](std::size_t i) -> const Vec3d& { return points[at(ring[i])]; };
    for (std::size_t span = 2; span < n; ++span)
        for (std::size_t i = 0; i + span < n; ++i) {
            const std::size_t k     = i + span;
            Weight            least = {1 << 20, 0, 0};
            for (std::size_t m = i + 1; m < k; ++m) {
                const Weight w = best[i * n + m] + best[m * n + k] + weight_of(point(i), point(m), point(k));
                if (w < least) least = w, middle[i * n + k] = static_cast<std::int32_t>(m);
            }
            // The edge between the ends is one of the filling, but for that of the whole ring, which is the rim's.
            if (span + 1 < n && taken.contains(edge_key(ring[i], ring[k]))) ++least.forbidden;
            best[i * n + k] = least;
        }
    std::vector<Triangle> out;
    if (best[n - 1].forbidden > 0) return out;
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, n - 1}};
    while (!open.empty()) {
        const auto [i, k] = open.back();
        open.pop_back();
        if (k < i + 2) continue;
        const std::size_t m = at(middle[i * n + k]);
        out.push_back({ring[i], ring[m], ring[k]});
        open.emplace_back(m, k), open.emplace_back(i, m);
    }
    return out;
}

std::vector<Triangle> clipped(const std::vector<Vec3d>& points, const std::vector<std::int32_t>& ring,
                              const std::set<std::uint64_t>& taken)
{
    std::vector<Vec3d>        own;
    std::vector<std::int32_t> order(ring.size());
    std::iota(order.begin(), order.end(), 0);
    for (const std::int32_t i : ring) own.push_back(points[at(i)]);
    const std::int32_t    count[] = {static_cast<std::int32_t>(ring.size())};
    const auto            made    = triangulate({own, count, order, {}, false});
    std::vector<Triangle> out;
    if (made.mesh.triangles.size() + 2 != ring.size()) return out;
    for (const Triangle& t : made.mesh.triangles) out.push_back({ring[at(t[0])], ring[at(t[1])], ring[at(t[2])]});
    std::set<std::uint64_t> rim;
    for (std::size_t i = 0; i < ring.size(); ++i) rim.insert(edge_key(ring[i], ring[(i + 1) % ring.size()]));
    for (const Triangle& t : out)
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint64_t edge = edge_key(t[i], t[(i + 1) % 3]);
            if (!rim.contains(edge) && taken.contains(edge)) return {};
        }
    return out;
}

}  // namespace

std::vector<std::vector<std::int32_t>> hole_rings(const std::vector<Triangle>& triangles)
{
    std::map<std::int32_t, std::vector<std::int32_t>> onwards;  // a rim's edge p -> q is filled as q -> p
    const auto                                        edges = half_edges(triangles);
    for_each_edge(edges, [&](const HalfEdge* first, const HalfEdge* last) {
        if (last - first != 1) return;
        const Triangle& t = triangles[at(first->triangle)];
        onwards[t[at((first->corner + 1) % 3)]].push_back(t[at(first->corner)]);
    });
    for (auto& [from, to] : onwards) std::ranges::sort(to, std::greater<>());  // taken from the end: lowest first
    std::vector<std::vector<std::int32_t>> rings;
    std::vector<std::int32_t>              path;
    std::map<std::int32_t, std::size_t>    place;  // in the path
    const auto                             step = [&](std::int32_t from) {
        auto& to = onwards[from];
        if (to.empty()) return -1;
        const std::int32_t next = to.back();
        to.pop_back();
        return next;
    };
    std::vector<std::int32_t> starts;
    for (const auto& [from, to] : onwards) starts.push_back(from);
    for (const std::int32_t start : starts)
        while (!onwards[start].empty()) {
            path.assign(1, start), place = {{start, 0}};
            for (std::int32_t next = step(start); next >= 0; next = step(path.back())) {
                const auto known = place.find(next);
                if (known == place.end()) {
                    place.emplace(next, path.size()), path.push_back(next);
                    continue;
                }
                const std::size_t first = known->second;
                if (path.size() - first >= 3)
                    rings.emplace_back(path.begin() + static_cast<std::ptrdiff_t>(first), path.end());
                for (std::size_t i = first + 1; i < path.size(); ++i) place.erase(path[i]);
                path.resize(first + 1);
            }
        }
    return rings;
}

std::vector<Triangle> filling(const std::vector<Vec3d>& points, const std::vector<std::int32_t>& ring,
                              const std::set<std::uint64_t>& taken)
{
    if (ring.size() < 3) return {};
    return ring.size() <= kMostExact ? least_area(points, ring, taken) : clipped(points, ring, taken);
}

}  // namespace mechane::geometry
