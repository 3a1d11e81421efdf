// Rest shapes and colours of soft elements: triangles, tetrahedra, dihedral angles, edges and surfaces of meshes, graph
// colouring for vbd.

#include "mechane/model/soft.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace mechane::model {

TriangleRest triangle_rest(const Vec3d& p, const Vec3d& q, const Vec3d& r)
{
    // D has the edges q-p and r-p as columns, in the plane's axes e1 (along q-p) and e2: D = [a b; 0 c].
    const Vec3d  e1 = normalized(q - p);
    const Vec3d  n  = normalized(cross(q - p, r - p));
    const Vec3d  e2 = normalized(cross(n, e1));
    const double a = dot(e1, q - p), b = dot(e1, r - p), c = dot(e2, r - p);
    const double area = 0.5 * a * c;
    if (!(area > 0) || !std::isfinite(1 / (a * c))) return {};
    return {.pose = {1 / a, -b / (a * c), 0, 1 / c}, .area = area};
}

TetRest tet_rest(const Vec3d& p, const Vec3d& q, const Vec3d& r, const Vec3d& s)
{
    const Mat33d edges  = Mat33d::from_columns(q - p, r - p, s - p);
    const double volume = determinant(edges) / 6;
    // Inverted or flat elements have no rest shape; the volume tells the caller.
    if (!(volume > 0)) return {.volume = std::isfinite(volume) ? volume : 0};
    const Mat33d pose = inverse(edges);
    return is_finite(pose) ? TetRest{pose, volume} : TetRest{};
}

double dihedral_angle(const Vec3d& o0, const Vec3d& o1, const Vec3d& v1, const Vec3d& v2)
{
    const Vec3d n1 = normalized(cross(v1 - o0, v2 - o0)), n2 = normalized(cross(v2 - o1, v1 - o1));
    // Signed angle about the edge from the first normal to the second; atan2 is exact at all angles.
    return std::atan2(dot(cross(n1, n2), normalized(v2 - v1)), dot(n1, n2));
}

std::vector<std::array<std::int32_t, 4>> edges_of(std::span<const std::array<std::int32_t, 3>> triangles)
{
    std::vector<std::array<std::int32_t, 4>>                     rows;
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> row_of;
    for (const auto& t : triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t from = t[k], to = t[(k + 1) % 3], opposite = t[(k + 2) % 3];
            // Order of first appearance; a third triangle at an edge is left out.
            const auto [at, fresh] = row_of.try_emplace({std::min(from, to), std::max(from, to)}, rows.size());
            if (fresh)
                rows.push_back({opposite, -1, from, to});
            else if (rows[at->second][1] < 0)
                rows[at->second][1] = opposite;
        }
    return rows;
}

std::vector<std::array<std::int32_t, 3>> surface_of(std::span<const std::array<std::int32_t, 4>> tets)
{
    using Face = std::array<std::int32_t, 3>;
    std::map<Face, std::size_t> open;  // by sorted corners
    std::vector<Face>           faces;
    std::vector<std::uint8_t>   kept;
    for (const auto& [i, j, k, l] : tets)
        // Faces with normals outwards for a tetrahedron of positive volume. A face that comes twice is inside.
        for (const Face& face : {Face{i, k, j}, Face{j, k, l}, Face{i, j, l}, Face{i, l, k}}) {
            Face key = face;
            std::ranges::sort(key);
            if (const auto found = open.find(key); found != open.end()) {
                kept[found->second] = 0;
                open.erase(found);
            } else {
                open.emplace(key, faces.size());
                faces.push_back(face);
                kept.push_back(1);
            }
        }
    std::vector<Face> out;
    for (std::size_t f = 0; f < faces.size(); ++f)
        if (kept[f] != 0) out.push_back(faces[f]);
    return out;
}

namespace {

/// Neighbours of each node, ascending, each once.
std::vector<std::vector<std::int32_t>> neighbours(std::size_t count, std::span<const std::array<std::int32_t, 2>> edges)
{
    std::vector<std::vector<std::int32_t>> out(count);
    for (const auto& [a, b] : edges) {
        if (a == b) continue;
        out[static_cast<std::size_t>(a)].push_back(b);
        out[static_cast<std::size_t>(b)].push_back(a);
    }
    for (auto& of : out) {
        std::ranges::sort(of);
        of.erase(std::ranges::unique(of).begin(), of.end());
    }
    return out;
}

/// The smallest color that no neighbour has.
std::int32_t free_color(const std::vector<std::int32_t>& near, const std::vector<std::int32_t>& color)
{
    std::set<std::int32_t> taken;
    for (const std::int32_t n : near) taken.insert(color[static_cast<std::size_t>(n)]);
    std::int32_t free = 0;
    while (taken.contains(free)) ++free;
    return free;
}

/// Moves nodes of the largest group to the smallest that none of their neighbours is in, until the ratio is met or
/// nothing can move.
/// Largest to smallest by size; ties by index, so that groups are the same everywhere.
void balance(std::vector<std::vector<std::int32_t>>& groups, std::vector<std::int32_t>& color,
             const std::vector<std::vector<std::int32_t>>& near, double ratio)
{
    const auto move_one = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = groups[from].size(); i-- > 0;) {
            const std::int32_t node = groups[from][i];
            const auto&        of   = near[static_cast<std::size_t>(node)];
            if (std::ranges::any_of(of, [&](std::int32_t n) {
                    return color[static_cast<std::size_t>(n)] == static_cast<std::int32_t>(to);
                }))
                continue;
            groups[from].erase(groups[from].begin() + static_cast<std::ptrdiff_t>(i));
            groups[to].push_back(node);
            color[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(to);
            return true;
        }
        return false;
    };
    for (std::size_t guard = 0; guard < color.size(); ++guard) {
        std::vector<std::size_t> order(groups.size());
        for (std::size_t g = 0; g < order.size(); ++g) order[g] = g;
        std::ranges::stable_sort(order,
                                 [&](std::size_t a, std::size_t b) { return groups[a].size() < groups[b].size(); });
        const double least = static_cast<double>(groups[order.front()].size());
        if (static_cast<double>(groups[order.back()].size()) <= ratio * least) return;
        bool moved = false;
        for (std::size_t large = order.size(); !moved && large-- > 1;)
            for (std::size_t small = 0; !moved && small < large; ++small)
                if (groups[order[large]].size() > groups[order[small]].size() + 1)
                    moved = move_one(order[large], order[small]);
        if (!moved) return;
    }
}

}  // namespace

std::vector<std::vector<std::int32_t>> color_graph(std::size_t                                  count,
                                                   std::span<const std::array<std::int32_t, 2>> edges,
                                                   const ColorOptions&                          options)
{
    const auto near = neighbours(count, edges);
    // Maximum cardinality search: next is who has most neighbours that are placed already; ties by index.
    using Rank = std::pair<std::int64_t, std::int32_t>;  // (-placed neighbours, index)
    std::set<Rank>            waiting;
    std::vector<std::int64_t> placed(count, 0);
    std::vector<std::int32_t> color(count, -1);
    for (std::size_t i = 0; i < count; ++i) waiting.insert({0, static_cast<std::int32_t>(i)});
    std::vector<std::vector<std::int32_t>> groups;
    while (!waiting.empty()) {
        const auto node = static_cast<std::size_t>(waiting.begin()->second);
        waiting.erase(waiting.begin());
        color[node] = free_color(near[node], color);
        for (const std::int32_t n : near[node]) {
            const auto at = static_cast<std::size_t>(n);
            if (color[at] >= 0) continue;
            waiting.erase({-placed[at], n});
            waiting.insert({-++placed[at], n});
        }
        groups.resize(std::max(groups.size(), static_cast<std::size_t>(color[node]) + 1));
        groups[static_cast<std::size_t>(color[node])].push_back(static_cast<std::int32_t>(node));
    }
    if (options.balance && groups.size() > 1) balance(groups, color, near, options.ratio);
    for (auto& group : groups) std::ranges::sort(group);
    return groups;
}

}  // namespace mechane::model
