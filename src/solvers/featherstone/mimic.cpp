// Mimic joints for `featherstone`: the factors by which followers depend on their leaders, and the reduced system. A
// joint that follows one of another group of trees, or itself through a chain, is reported as `misplaced`.

#include "solvers/featherstone/mimic.h"

#include <algorithm>
#include <cmath>

// A follower is eliminated exactly instead of being held by a constraint: its coordinate is c0 + c1 times that of its
// leader, so its rate and acceleration are c1 times the leader's. Collecting these factors in G gives
//   M (G z'') = f + what holds the followers,   G^T (what holds the followers) = 0   =>   (G^T M G) z'' = G^T f.
// A chain of followers multiplies its factors.

namespace mechane::solvers::featherstone {

/// A = L D L^T without roots; a pivot lost to cancellation (1e-12 of the entry) counts as zero, and its unknown as
/// zero.
void solve_dense(std::span<double> a, std::size_t n, double* x)
{
    for (std::size_t j = 0; j < n; ++j) {
        const double scale = a[j * n + j];
        double       d     = scale;
        for (std::size_t k = 0; k < j; ++k) d -= a[j * n + k] * a[j * n + k] * a[k * n + k];
        a[j * n + j] = d > 1e-12 * std::abs(scale) && d > 0 ? d : 0;
        for (std::size_t i = j + 1; i < n; ++i) {
            double l = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k) l -= a[i * n + k] * a[j * n + k] * a[k * n + k];
            a[i * n + j] = a[j * n + j] > 0 ? l / a[j * n + j] : 0;
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < i; ++k) x[i] -= a[i * n + k] * x[k];
    for (std::size_t i = 0; i < n; ++i) x[i] = a[i * n + i] > 0 ? x[i] / a[i * n + i] : 0;
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t k = i + 1; k < n; ++k) x[i] -= a[k * n + i] * x[k];
}

Followers find_followers(const model::Model& m, const dynamics::Forest& forest)
{
    Followers  out;
    const auto n = static_cast<std::size_t>(forest.dof_count);
    out.factor.assign(n, 1);
    out.offset.assign(n, 0);
    out.tree_has.assign(forest.trees.size(), 0);
    for (std::size_t k = 0; k < n; ++k) out.master.push_back(static_cast<std::int32_t>(k));
    for (const std::int32_t j : forest.mimics) {
        const std::int32_t l = forest.joint_link[j], g = forest.joint_link[m.joint_mimic_joint[j]];
        if (l < 0 || g < 0 || forest.trees[forest.links[l].tree].group != forest.trees[forest.links[g].tree].group) {
            // The elimination couples trees of one group only: they are factored together.
            out.misplaced = j;
            return out;
        }
        const dynamics::Link &follower = forest.links[l], &leader = forest.links[g];
        if (follower.axes.coords != follower.axes.dofs() || leader.axes.coords != leader.axes.dofs()) continue;
        for (int k = 0; k < std::min(follower.dofs, leader.dofs); ++k) {
            out.master[follower.dof + k] = leader.dof + k;
            out.offset[follower.dof + k] = static_cast<double>(m.joint_mimic_coeffs[j][0]);
            out.factor[follower.dof + k] = static_cast<double>(m.joint_mimic_coeffs[j][1]);
        }
        for (std::size_t t = 0; t < forest.trees.size(); ++t)
            if (forest.trees[t].group == forest.trees[follower.tree].group) out.tree_has[t] = 1;
    }
    // Chains: q = o1 + f1 (o2 + f2 q').
    const std::vector<std::int32_t> leader = out.master;
    const std::vector<double>       f = out.factor, o = out.offset;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t steps = 0;
        for (auto at = static_cast<std::size_t>(leader[k]);
             static_cast<std::size_t>(leader[at]) != at && leader[k] != static_cast<std::int32_t>(k);
             at = static_cast<std::size_t>(leader[at])) {
            out.offset[k] += out.factor[k] * o[at];
            out.factor[k] *= f[at];
            out.master[k] = leader[at];
            // More steps than dofs: the chain runs in a circle.
            if (++steps > n) {
                out.misplaced = forest.links[forest.dof_link[k]].joint;
                return out;
            }
        }
    }
    return out;
}

void place_followers(const dynamics::Forest& forest, const Followers& followers, dynamics::Motion& motion)
{
    const auto coord_of = [&](std::int32_t dof) {
        const dynamics::Link& link = forest.links[forest.dof_link[dof]];
        return static_cast<std::size_t>(link.coord + dof - link.dof);
    };
    for (std::int32_t k = 0; k < forest.dof_count; ++k) {
        const std::int32_t g = followers.master[k];
        if (g == k) continue;
        motion.q[coord_of(k)] = followers.offset[k] + followers.factor[k] * motion.q[coord_of(g)];
        motion.v[k]           = followers.factor[k] * motion.v[g];
    }
}

}  // namespace mechane::solvers::featherstone
