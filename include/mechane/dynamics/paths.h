#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/dynamics/forest.h"

namespace mechane::dynamics {

/// The way from the root to every dof, and with it the layout of joint-space matrices without their zeros: the row of a
/// dof has one number for each dof of its path, the root's first, its own last. The path of any dof on it is its
/// beginning, so the rows of a dof and of a dof above it run side by side.
struct Paths {
    std::vector<std::int32_t> begin;  ///< [dof_count + 1]: where rows and paths begin; the last entry is their size
    std::vector<std::int32_t> dofs;   ///< forest numbering, path after path
    std::vector<std::int32_t> head;   ///< [dof_count]: with how many consecutive dofs the path begins

    [[nodiscard]] std::span<const std::int32_t> of(std::int32_t dof) const
    {
        const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(dof)]);
        return std::span(dofs).subspan(first,
                                       static_cast<std::size_t>(begin[static_cast<std::size_t>(dof) + 1]) - first);
    }
    [[nodiscard]] std::size_t size() const { return dofs.size(); }
};

/// Paths of the trees that have a mass matrix, or also of those that are `deep`, whose rows are long.
Paths list_paths(const Forest& forest, bool deep);

}  // namespace mechane::dynamics
