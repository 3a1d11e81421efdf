#pragma once
#include <cstdint>
#include <vector>

#include "mechane/dynamics/articulated.h"

namespace mechane::solvers::featherstone {

/// Followers of a forest as affine functions of other dofs: rate_k = factor_k rate_master. A dof that follows nothing
/// is its own master.
struct Followers {
    std::vector<std::int32_t> master;  ///< [dof_count], forest numbering
    std::vector<double>       factor, offset;
    std::vector<std::uint8_t> tree_has;  ///< [trees]: in a group of trees with followers
    /// First follower whose leader is in no tree of its group, or that follows itself round a circle; -1: none.
    std::int32_t misplaced = -1;
};
Followers find_followers(const model::Model& model, const dynamics::Forest& forest);

/// Puts the followers of all trees where their leaders say, with rates that fit.
void place_followers(const dynamics::Forest& forest, const Followers& followers, dynamics::Motion& motion);

/// Accelerations of neighbouring trees with followers: with q = G z + c, (G^T M G) z'' = G^T f, q'' = G z''. Overwrites
/// the forces f.
/// @param trees    [begin, end) of the forest
/// @param rows     the trees' rows of the mass matrix, armature included
/// @param x        where the dofs of tree t lie, x(t)
/// @param scratch  grows once
template <class At>
void solve_with_followers(const dynamics::Forest& forest, std::size_t begin, std::size_t end,
                          const dynamics::Paths& paths, const Followers& followers, std::span<const double> rows,
                          std::vector<double>& scratch, At&& x);

/// x := A^-1 x for a symmetric positive semidefinite A [n * n], by L D L^T without pivoting. A pivot that is not
/// clearly positive (a dof that has zero inertia) locks its unknown.
void solve_dense(std::span<double> a, std::size_t n, double* x);

template <class At>
void solve_with_followers(const dynamics::Forest& forest, std::size_t begin, std::size_t end,
                          const dynamics::Paths& paths, const Followers& followers, std::span<const double> rows,
                          std::vector<double>& scratch, At&& x)
{
    const std::int32_t first = forest.trees[begin].dof_begin;
    const auto         n     = static_cast<std::size_t>(forest.trees[end - 1].dof_end - first);
    scratch.assign(n * n + n, 0);
    double* const reduced = scratch.data() + n * n;  // followers keep empty rows, whose unknowns stay zero
    for (std::size_t t = begin; t < end; ++t)
        for (std::int32_t k = forest.trees[t].dof_begin; k < forest.trees[t].dof_end; ++k) {
            const auto row_master = static_cast<std::size_t>(followers.master[k] - first);
            reduced[row_master] += followers.factor[k] * x(t)[k - forest.trees[t].dof_begin];
            for (const std::int32_t i : paths.of(k)) {
                const auto   column_master = static_cast<std::size_t>(followers.master[i] - first);
                const double value         = followers.factor[k] * followers.factor[i] *
                                             rows[paths.row(k) + static_cast<std::size_t>(paths.place[i])];
                scratch[row_master * n + column_master] += value;
                if (i != k) scratch[column_master * n + row_master] += value;
            }
        }
    solve_dense({scratch.data(), n * n}, n, reduced);
    for (std::size_t t = begin; t < end; ++t)
        for (std::int32_t k = forest.trees[t].dof_begin; k < forest.trees[t].dof_end; ++k)
            x(t)[k - forest.trees[t].dof_begin] = followers.factor[k] * reduced[followers.master[k] - first];
}

}  // namespace mechane::solvers::featherstone
