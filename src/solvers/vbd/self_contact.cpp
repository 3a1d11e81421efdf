// Self-contact of cloth and soft bodies for vbd: pairs of point and triangle and of edge and edge, their penalty
// blocks, and the bound on the way of each particle. The laws are at the class (self_contact.h); the scheme is offset
// geometric contact (Chen et al. 2025).
// Positions [m], start and guess of the step. All pairs are found once a step from the start; the result is sorted and
// does not depend on threads.

#include "solvers/vbd/self_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "mechane/geometry/closest.h"

namespace mechane::solvers::vbd {

namespace {

constexpr double kRelaxation = 0.85;  ///< of the free half distance that a particle may use
constexpr double kNearest    = 1e-9;  ///< below this features have no direction from each other [m]

struct Box {
    Vec3d lower, upper;
};

/// Pairs of boxes that overlap, by a sweep along x: (of the first list, of the second), sorted.
/// Sweep and prune: ends sorted by x, then list, then index, so that the result is the same on every machine.
std::vector<std::pair<std::int32_t, std::int32_t>> overlaps(const std::vector<Box>& a, const std::vector<Box>& b)
{
    struct End {
        double       x;
        bool         second;
        std::int32_t index;
    };
    std::vector<End> order;
    for (std::size_t i = 0; i < a.size(); ++i) order.push_back({a[i].lower.x, false, static_cast<std::int32_t>(i)});
    for (std::size_t i = 0; i < b.size(); ++i) order.push_back({b[i].lower.x, true, static_cast<std::int32_t>(i)});
    std::ranges::sort(order, [](const End& l, const End& r) {
        return l.x != r.x ? l.x < r.x : l.second != r.second ? l.second < r.second : l.index < r.index;
    });
    std::vector<std::pair<std::int32_t, std::int32_t>> out;
    std::vector<std::int32_t>                          open[2];
    for (const End& end : order) {
        const auto& mine   = end.second ? b : a;
        const auto& others = end.second ? a : b;
        auto&       list   = open[end.second ? 0 : 1];  // of the other kind
        const Box&  box    = mine[static_cast<std::size_t>(end.index)];
        // What ended before this box begins can meet nothing that follows.
        std::erase_if(list, [&](std::int32_t i) { return others[static_cast<std::size_t>(i)].upper.x < box.lower.x; });
        for (const std::int32_t i : list) {
            const Box& other = others[static_cast<std::size_t>(i)];
            if (other.lower.y > box.upper.y || box.lower.y > other.upper.y || other.lower.z > box.upper.z ||
                box.lower.z > other.upper.z)
                continue;
            out.emplace_back(end.second ? i : end.index, end.second ? end.index : i);
        }
        open[end.second ? 1 : 0].push_back(end.index);
    }
    std::ranges::sort(out);
    return out;
}

template <std::size_t n>
Box box_of(const std::array<std::int32_t, n>& points, const std::vector<Vec3d>& x, double grow)
{
    Box out{x[static_cast<std::size_t>(points[0])], x[static_cast<std::size_t>(points[0])]};
    for (const std::int32_t p : points) {
        out.lower = min(out.lower, x[static_cast<std::size_t>(p)]);
        out.upper = max(out.upper, x[static_cast<std::size_t>(p)]);
    }
    const Vec3d by{grow, grow, grow};
    return {out.lower - by, out.upper + by};
}

}  // namespace

SelfContact::SelfContact(const model::Model& model, const Options& options) : model_(model), options_(options)
{
    if (!options_.self_contact) return;
    // Rings of two edges: features that close in the mesh are near each other always, and the elements keep them apart.
    triangles_ = model.tri_indices;
    std::vector<std::vector<std::int32_t>> near(model.particle_count());
    for (const auto& t : triangles_)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t a = t[k], b = t[(k + 1) % 3];
            edges_.push_back({std::min(a, b), std::max(a, b)});
            near[static_cast<std::size_t>(a)].push_back(b);
            near[static_cast<std::size_t>(b)].push_back(a);
            corners_.push_back(a);
        }
    const auto unique = [](auto& list) {
        std::ranges::sort(list);
        list.erase(std::ranges::unique(list).begin(), list.end());
    };
    unique(edges_);
    unique(corners_);
    rings_.resize(near.size());
    for (std::size_t p = 0; p < near.size(); ++p) {
        unique(near[p]);
        rings_[p].push_back(static_cast<std::int32_t>(p));
    }
    for (std::size_t p = 0; p < near.size(); ++p) {
        for (const std::int32_t n : near[p]) {
            rings_[p].push_back(n);
            const auto& second = near[static_cast<std::size_t>(n)];
            rings_[p].insert(rings_[p].end(), second.begin(), second.end());
        }
        unique(rings_[p]);
    }
}

bool SelfContact::near_in_mesh(std::int32_t a, std::int32_t b) const
{
    const std::int32_t wa = model_.particle_world[static_cast<std::size_t>(a)],
                       wb = model_.particle_world[static_cast<std::size_t>(b)];
    // Worlds share coordinates and do not see each other.
    return (wa >= 0 && wb >= 0 && wa != wb) || std::ranges::binary_search(rings_[static_cast<std::size_t>(a)], b);
}

SelfContact::Closest SelfContact::closest(const Pair& pair, const std::vector<Vec3d>& x)
{
    const auto at = [&](std::size_t i) -> const Vec3d& { return x[static_cast<std::size_t>(pair.points[i])]; };
    if (pair.edges) {
        const geometry::SegmentPair near = geometry::closest_on_segments(at(0), at(1), at(2), at(3));
        const double                s = near.s, t = near.t;
        const Vec3d                 apart = (1 - s) * at(0) + s * at(1) - (1 - t) * at(2) - t * at(3);
        return {{1 - s, s, -(1 - t), -t}, apart};
    }
    const geometry::PointOnTriangle near = geometry::closest_on_triangle(at(0), at(1), at(2), at(3));
    const Vec3d                     w    = near.weights;
    return {{1, -w.x, -w.y, -w.z}, at(0) - w.x * at(1) - w.y * at(2) - w.z * at(3)};
}

void SelfContact::find(const std::vector<Vec3d>& start, const std::vector<Vec3d>& guess, double /*dt*/)
{
    if (!options_.self_contact) return;
    // The longest way that any particle would go; each side of a pair may use it, and only 0.85 of a bound is granted.
    double way = 0;
    for (const std::int32_t p : corners_)
        way = std::max(way, length(guess[static_cast<std::size_t>(p)] - start[static_cast<std::size_t>(p)]));
    // Wide enough that no particle that nothing is near of is held back.
    const double reach = options_.self_contact_margin + options_.self_contact_gap + 2 * way / kRelaxation;
    if (!std::isfinite(reach)) {
        pairs_.clear();
        return list_pairs();
    }
    bound_.assign(start.size(), std::numeric_limits<double>::infinity());
    // Who is near nothing may still go half the reach: what it could meet would be in the list otherwise.
    for (const std::int32_t p : corners_) bound_[static_cast<std::size_t>(p)] = 0.5 * kRelaxation * reach;
    pairs_.clear();
    const auto keep = [&](const Pair& pair) {
        const double d = length(closest(pair, start).apart);
        if (!(d < reach)) return;
        for (const std::int32_t p : pair.points) {
            double& bound = bound_[static_cast<std::size_t>(p)];
            // Half of the distance for each side: features that move no further cannot pass through each other.
            bound = std::min(bound, 0.5 * kRelaxation * d);
        }
        pairs_.push_back(pair);
    };
    std::vector<Box> points, faces, edges, wide;
    for (const std::int32_t p : corners_) points.push_back(box_of(std::array{p}, start, reach));
    for (const auto& t : triangles_) faces.push_back(box_of(t, start, 0));
    for (const auto& e : edges_) {
        edges.push_back(box_of(e, start, 0));
        wide.push_back(box_of(e, start, reach));
    }
    for (const auto& [i, t] : overlaps(points, faces)) {
        const std::int32_t p   = corners_[static_cast<std::size_t>(i)];
        const auto&        tri = triangles_[static_cast<std::size_t>(t)];
        if (!near_in_mesh(p, tri[0]) && !near_in_mesh(p, tri[1]) && !near_in_mesh(p, tri[2]))
            keep({{p, tri[0], tri[1], tri[2]}, false});
    }
    for (const auto& [i, j] : overlaps(wide, edges)) {
        // Each pair of edges is found in both orders.
        if (i >= j) continue;
        const auto &a = edges_[static_cast<std::size_t>(i)], &b = edges_[static_cast<std::size_t>(j)];
        if (!near_in_mesh(a[0], b[0]) && !near_in_mesh(a[0], b[1]) && !near_in_mesh(a[1], b[0]) &&
            !near_in_mesh(a[1], b[1]))
            keep({{a[0], a[1], b[0], b[1]}, true});
    }
    list_pairs();
}

void SelfContact::list_pairs()
{
    pair_start_.assign(model_.particle_count() + 1, 0);
    for (const Pair& pair : pairs_)
        for (const std::int32_t p : pair.points) ++pair_start_[static_cast<std::size_t>(p) + 1];
    for (std::size_t p = 0; p + 1 < pair_start_.size(); ++p) pair_start_[p + 1] += pair_start_[p];
    pair_lists_.resize(static_cast<std::size_t>(pair_start_.back()));
    std::vector<std::int32_t> next(pair_start_.begin(), pair_start_.end() - 1);
    for (std::size_t i = 0; i < pairs_.size(); ++i)
        for (std::size_t c = 0; c < 4; ++c)
            pair_lists_[static_cast<std::size_t>(next[static_cast<std::size_t>(pairs_[i].points[c])]++)] =
                // A pair and which of its four points, in one number.
                static_cast<std::int32_t>(4 * i + c);
}

void SelfContact::add(std::size_t p, const std::vector<Vec3d>& x, const std::vector<Vec3d>& start, double dt,
                      soft::Block& out) const
{
    if (!options_.self_contact || pair_start_.empty()) return;
    const double r = options_.self_contact_margin, t = 0.5 * r;
    const double k = model_.soft_contact.ke, kd = model_.soft_contact.kd, mu = model_.soft_contact.mu;
    for (std::int32_t i = pair_start_[p]; i < pair_start_[p + 1]; ++i) {
        const auto    entry = static_cast<std::size_t>(pair_lists_[static_cast<std::size_t>(i)]);
        const Pair&   pair  = pairs_[entry / 4];
        const Closest c     = closest(pair, x);
        const double  w = c.weights[entry % 4], d = length(c.apart);
        if (w == 0 || d >= r || d < kNearest) continue;
        const Vec3d n = c.apart / d;
        // Below t the force is k t^2 / d: it grows without bound, and at t both have the value k t.
        const double load  = d >= t ? k * (r - d) : k * t * t / d;
        const double slope = d >= t ? k : k * t * t / (d * d);
        Vec3d        u;  // way of the first feature against the second since the start
        for (std::size_t j = 0; j < 4; ++j) {
            const auto q = static_cast<std::size_t>(pair.points[j]);
            u += c.weights[j] * (x[q] - start[q]);
        }
        const double along = dot(n, u);
        Vec3d        force = load * n;
        // Of the exact second derivative only the part along n is kept: the part across is negative and would make the
        // block indefinite.
        Mat33d hessian = slope * Mat33d::outer(n, n);
        // Damping only while they approach, by kd/dt times the way of the step.
        if (along < 0) {
            force -= (kd / dt) * along * n;
            hessian += (kd / dt) * Mat33d::outer(n, n);
        }
        const Vec3d  slide = u - along * n;
        const double way = length(slide), slip = options_.friction_epsilon * dt;
        if (way > 0 && mu > 0) {
            // Friction smoothed below `slip` (Li et al. 2020, IPC): its derivative stays bounded at rest. The factor is
            // mu load f(way)/way with f = 2 y - y^2, y = way/slip.
            const double over = mu * load * (way > slip ? 1 / way : (2 - way / slip) / slip);
            force -= over * slide;
            hessian += over * (Mat33d::identity() - Mat33d::outer(n, n));
        }
        out.force += w * force;
        out.hessian += w * w * hessian;
    }
}

Vec3d SelfContact::bounded(std::size_t p, const std::vector<Vec3d>& start, const Vec3d& to) const
{
    if (!options_.self_contact || p >= bound_.size()) return to;
    const Vec3d  way = to - start[p];
    const double l   = length(way);
    return l > bound_[p] ? start[p] + (bound_[p] / l) * way : to;
}

}  // namespace mechane::solvers::vbd
