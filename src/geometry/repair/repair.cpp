// Repair of meshes: join, drop, run alike, fill, divide, face outwards, in this order. Each step is the identity on a
// mesh that lacks its fault, so that a sound mesh comes back as it was.
//
// A half edge is a side of a triangle; an edge with two half edges lies between two triangles, one with one on a rim.
// Parts are what hangs together across edges of two.

#include "mechane/geometry/repair.h"

#include <cmath>
#include <map>
#include <set>

#include "geometry/repair/edges.h"
#include "geometry/repair/holes.h"
#include "mechane/geometry/facing.h"
#include "mechane/geometry/weld.h"
#include "mechane/geometry/winding.h"

namespace mechane::geometry {
namespace {

/// A part is flat if its volume is below this share of its area to the power 3/2: a filling would be a second side.
constexpr double kFlat = 1e-6;

double extent_of(const Mesh& mesh)
{
    if (mesh.points.empty()) return 0;
    const Aabbd box = bounds(mesh);
    return length(box.upper - box.lower);
}

class Repair {
  public:
    Repair(Mesh mesh, MeshRepair& done) : mesh_(std::move(mesh)), done_(done) {}

    /// Of triangles with the same corners the first stays.
    /// Doubled triangles would make edges of four, across which nothing is a neighbour.
    void drop_repeated()
    {
        std::set<Triangle>    seen;
        std::vector<Triangle> kept;
        for (const Triangle& t : mesh_.triangles) {
            Triangle sorted = t;
            std::ranges::sort(sorted);
            if (seen.insert(sorted).second) kept.push_back(t);
        }
        done_.dropped += mesh_.triangles.size() - kept.size();
        mesh_.triangles = std::move(kept);
    }

    /// Neighbours across edges of two triangles run against each other along them.
    void run_alike()
    {
        const std::vector<bool> lesser = facing().lesser();
        for (std::size_t t = 0; t < lesser.size(); ++t)
            if (lesser[t]) turn(t);
    }

    // Rings of rim edges are closed by triangles that use no new points.
    void fill_holes(bool wanted)
    {
        // Edges that exist already must not be used by a filling, or an edge of three would arise.
        std::set<std::uint64_t> taken;
        for (const HalfEdge& e : half_edges(mesh_.triangles)) taken.insert(e.key);
        const std::vector<std::int32_t> part   = facing().piece;
        const std::size_t               before = mesh_.triangles.size();
        struct Filled {
            std::size_t           hole;
            std::int32_t          part;
            std::vector<Triangle> triangles;
        };
        std::vector<Filled>                  filled;
        std::map<std::int32_t, std::int32_t> part_of_point;
        for (std::size_t t = 0; t < before; ++t)
            for (const std::int32_t i : mesh_.triangles[t]) part_of_point.emplace(i, part[t]);
        for (const auto& ring : hole_rings(mesh_.triangles)) {
            Hole hole{ring.size(), 0, false};
            for (std::size_t i = 0; i < ring.size(); ++i)
                hole.length += length(point(ring[(i + 1) % ring.size()]) - point(ring[i]));
            if (wanted) {
                auto made = filling(mesh_.points, ring, taken);
                for (const Triangle& t : made)
                    for (std::size_t i = 0; i < 3; ++i) taken.insert(edge_key(t[i], t[(i + 1) % 3]));
                if (!made.empty()) filled.push_back({done_.holes.size(), part_of_point[ring.front()], std::move(made)});
            }
            done_.holes.push_back(hole);
        }
        // A part is judged with all of its fillings.
        std::map<std::int32_t, std::pair<double, double>> volume_and_area;
        for (std::size_t t = 0; t < before; ++t) measure(volume_and_area[part[t]], mesh_.triangles[t]);
        for (const Filled& f : filled)
            for (const Triangle& t : f.triangles) measure(volume_and_area[f.part], t);
        for (Filled& f : filled) {
            const auto& [volume, area] = volume_and_area[f.part];
            if (std::abs(volume) <= kFlat * std::pow(area, 1.5)) continue;
            done_.holes[f.hole].filled = true;
            mesh_.triangles.insert(mesh_.triangles.end(), f.triangles.begin(), f.triangles.end());
        }
    }

    /// A triangle whose corners lie on one line goes, and the neighbour along its longest edge is divided at its middle
    /// corner: nothing of the surface changes, and no gap opens.
    void divide_at_slivers()
    {
        std::vector<std::int32_t> slivers;
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
            if (is_sliver(mesh_.triangles[t])) slivers.push_back(static_cast<std::int32_t>(t));
        if (slivers.empty()) return;
        std::map<std::uint64_t, std::set<std::int32_t>> of_edge;
        const auto                                      enter = [&](std::int32_t t, bool in) {
            for (std::size_t i = 0; i < 3; ++i) {
                auto& list = of_edge[edge_key(mesh_.triangles[at(t)][i], mesh_.triangles[at(t)][(i + 1) % 3])];
                in ? static_cast<void>(list.insert(t)) : static_cast<void>(list.erase(t));
            }
        };
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) enter(static_cast<std::int32_t>(t), true);
        std::vector<bool> gone(mesh_.triangles.size(), false);
        // A division may make another sliver of the neighbour; each takes one triangle away, so this ends.
        for (std::size_t k = 0; k < slivers.size(); ++k) {
            const std::int32_t s = slivers[k];
            if (gone[at(s)] || !is_sliver(mesh_.triangles[at(s)])) continue;
            const Triangle     t = mesh_.triangles[at(s)];
            const std::size_t  i = longest_edge(t);
            const std::int32_t a = t[i], b = t[(i + 1) % 3], middle = t[(i + 2) % 3];
            enter(s, false);
            gone[at(s)] = true;
            ++done_.dropped;
            const auto& beside = of_edge[edge_key(a, b)];
            if (beside.size() != 1) continue;
            const std::int32_t n     = *beside.begin();
            Triangle           whole = mesh_.triangles[at(n)];
            const auto         rest  = std::ranges::find_if(whole, [&](std::int32_t p) { return p != a && p != b; });
            if (rest == whole.end() || *rest == middle) continue;
            std::ranges::rotate(whole, rest);  // the third corner, then the edge
            enter(n, false);
            mesh_.triangles[at(n)] = {whole[0], whole[1], middle};
            enter(n, true);
            mesh_.triangles.push_back({whole[0], middle, whole[2]});
            gone.push_back(false);
            const auto added = static_cast<std::int32_t>(mesh_.triangles.size() - 1);
            enter(added, true);
            for (const std::int32_t one : {n, added})
                if (is_sliver(mesh_.triangles[at(one)])) slivers.push_back(one);
        }
        std::vector<Triangle> kept;
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
            if (!gone[t]) kept.push_back(mesh_.triangles[t]);
        mesh_.triangles = std::move(kept);
    }

    /// Closed parts face outwards, hollows within others inwards.
    /// A part is closed if each of its edges has two triangles. Its signed volume is negative where it faces inwards.
    void face_outwards()
    {
        const std::vector<std::int32_t>                   part = facing().piece;
        std::map<std::int32_t, std::pair<double, double>> volume_and_area;
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) measure(volume_and_area[part[t]], mesh_.triangles[t]);
        std::set<std::int32_t> open;
        const auto             edges = half_edges(mesh_.triangles);
        for_each_edge(edges, [&](const HalfEdge* first, const HalfEdge* last) {
            if (last - first != 2) open.insert(part[at(first->triangle)]);
        });
        std::set<std::int32_t> inward;
        for (const auto& [p, of] : volume_and_area)
            // Open parts have no inside; they stay as they are.
            if (!open.contains(p) && of.first < 0) inward.insert(p);
        if (inward.empty()) return;
        Mesh outward{mesh_.points, {}, false};
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
            if (open.contains(part[t])) continue;
            Triangle turned = mesh_.triangles[t];
            if (inward.contains(part[t])) std::swap(turned[1], turned[2]);
            outward.triangles.push_back(turned);
        }
        // How often the parts that are turned outwards go round a point; an odd number means that the point lies in
        // solid.
        const WindingTree      tree(outward);
        std::set<std::int32_t> judged;
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
            if (!inward.contains(part[t]) || !judged.insert(part[t]).second) continue;
            // Just outside of a triangle its own part does not go round the point, whichever way it faces now.
            const Triangle& of     = mesh_.triangles[t];
            const Vec3d     normal = cross(point(of[2]) - point(of[0]), point(of[1]) - point(of[0]));
            const double    size   = std::sqrt(length(normal));
            const double    around = tree.at((1.0 / 3) * (point(of[0]) + point(of[1]) + point(of[2])) +
                                             1e-3 * size * normalized(normal, {0, 0, 1}));
            if (std::lround(around) % 2 == 1) inward.erase(part[t]);
        }
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
            if (inward.contains(part[t])) turn(t);
    }

    Mesh take() { return std::move(mesh_); }

  private:
    [[nodiscard]] const Vec3d& point(std::int32_t i) const { return mesh_.points[at(i)]; }

    void turn(std::size_t t)
    {
        std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
        ++done_.turned;
    }

    /// The parts are of triangles that hang together across edges of two.
    [[nodiscard]] Facing facing() const
    {
        std::vector<FacePair> pairs;
        const auto            edges = half_edges(mesh_.triangles);
        for_each_edge(edges, [&](const HalfEdge* first, const HalfEdge* last) {
            if (last - first == 2)
                pairs.push_back({first[0].triangle, first[1].triangle, first[0].rises != first[1].rises});
        });
        return facing_of(mesh_.triangles.size(), pairs);
    }

    // Volume by the tetrahedra to the first point of the mesh, which keeps the digits of a mesh far from the origin.
    void measure(std::pair<double, double>& volume_and_area, const Triangle& t) const
    {
        const Vec3d &o = mesh_.points.front(), a = point(t[0]) - o, b = point(t[1]) - o, c = point(t[2]) - o;
        volume_and_area.first += dot(a, cross(b, c)) / 6;
        volume_and_area.second += 0.5 * length(cross(b - a, c - a));
    }

    [[nodiscard]] std::size_t longest_edge(const Triangle& t) const
    {
        std::size_t longest = 0;
        double      most    = -1;
        for (std::size_t i = 0; i < 3; ++i)
            if (const double l = length_squared(point(t[(i + 1) % 3]) - point(t[i])); l > most) most = l, longest = i;
        return longest;
    }

    // Twice the area against the square of the longest edge: 1e-9 is a height of a billionth of the length.
    [[nodiscard]] bool is_sliver(const Triangle& t) const
    {
        const std::size_t i    = longest_edge(t);
        const double      most = length_squared(point(t[(i + 1) % 3]) - point(t[i]));
        return length(cross(point(t[1]) - point(t[0]), point(t[2]) - point(t[0]))) <= 1e-9 * most;
    }

    Mesh        mesh_;
    MeshRepair& done_;
};

}  // namespace

Mesh repaired(const Mesh& mesh, const RepairOptions& options, MeshRepair& done)
{
    done = {};
    // 1e-7 of the extent is the rounding of single precision.
    const double join  = options.join > 0 ? options.join : 1e-7 * extent_of(mesh);
    Mesh         whole = welded(mesh, std::isfinite(join) ? join : 0);
    done.joined_points = mesh.points.size() - whole.points.size();
    done.dropped       = mesh.triangles.size() - whole.triangles.size();
    if (whole.triangles.empty()) return whole;
    Repair repair(std::move(whole), done);
    repair.drop_repeated();
    repair.run_alike();
    repair.fill_holes(options.fill_holes);
    repair.divide_at_slivers();
    repair.face_outwards();
    Mesh out = repair.take();
    // A repair may have changed the shape, so what was known of it counts no longer.
    if (!done.nothing()) out.is_convex = false;
    return out;
}

}  // namespace mechane::geometry
