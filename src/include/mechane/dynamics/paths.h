#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/dynamics/forest.h"
#include "mechane/math/simd.h"

namespace mechane::dynamics {

/// The way from the root to every dof, and with it the layout of joint-space matrices without most of their zeros. The
/// dofs of a tree are taken four at a time; the row of a dof has the blocks of four that its path lies in, ascending,
/// with zeros for dofs of a block that are not on the path. The path of any dof on it is its beginning, so the rows of
/// a dof and of a dof above it run side by side, and a dof has the same place in the rows of all dofs below it.
struct Paths {
    std::vector<std::int32_t> begin;        ///< [dof_count + 1]: where paths begin in `dofs`
    std::vector<std::int32_t> dofs;         ///< forest numbering, path after path, the root's first
    std::vector<std::int32_t> block_begin;  ///< [dof_count + 1]: where the blocks of a row begin
    std::vector<std::int32_t> blocks;       ///< of rows: the first dof, of the tree's own numbering
    std::vector<std::uint8_t> on_path;      ///< of rows: a bit for each dof of a block, the lowest for the first
    std::vector<std::int32_t> place;        ///< [dof_count]: in the rows of dofs below it and in its own

    [[nodiscard]] std::span<const std::int32_t> of(std::int32_t dof) const
    {
        const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(dof)]);
        return std::span(dofs).subspan(first,
                                       static_cast<std::size_t>(begin[static_cast<std::size_t>(dof) + 1]) - first);
    }
    [[nodiscard]] std::size_t row(std::int32_t dof) const
    { return static_cast<std::size_t>(kLanes * block_begin[static_cast<std::size_t>(dof)]); }
    [[nodiscard]] std::size_t diagonal(std::int32_t dof) const
    { return row(dof) + static_cast<std::size_t>(place[static_cast<std::size_t>(dof)]); }
    /// Numbers of all rows.
    [[nodiscard]] std::size_t size() const { return blocks.size() * kLanes; }
};

/// Paths of the trees that have a mass matrix, or also of those that are `deep`, whose rows are long.
Paths list_paths(const Forest& forest, bool deep);

}  // namespace mechane::dynamics
