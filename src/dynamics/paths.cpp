// Which dofs lie on the way from each dof to the root, and in which blocks of four: the layout of all sparse rows of
// the dynamics. A row holds whole blocks; `on_path` masks the dofs in them that count, `place` is the entry of the dof
// itself.

#include "mechane/dynamics/paths.h"

namespace mechane::dynamics {

Paths list_paths(const Forest& forest, bool deep)
{
    Paths paths;
    paths.begin.assign(1, 0);
    paths.block_begin.assign(1, 0);
    paths.place.assign(static_cast<std::size_t>(forest.dof_count), 0);
    for (std::int32_t k = 0; k < forest.dof_count; ++k) {
        const Tree& tree = forest.trees[forest.links[forest.dof_link[k]].tree];
        if (deep || !tree.deep) {
            // The way of a dof is that of the dof above it and itself: ascending, since parents come first.
            if (const std::int32_t above = forest.dof_parent[k]; above >= 0)
                for (std::int32_t i = paths.begin[above]; i < paths.begin[above + 1]; ++i)
                    paths.dofs.push_back(paths.dofs[i]);
            paths.dofs.push_back(k);
            for (std::size_t i = static_cast<std::size_t>(paths.begin.back()); i < paths.dofs.size(); ++i) {
                const std::int32_t local = paths.dofs[i] - tree.dof_begin, block = local / kLanes * kLanes;
                if (static_cast<std::int32_t>(paths.blocks.size()) == paths.block_begin.back() ||
                    paths.blocks.back() != block) {
                    paths.blocks.push_back(block);
                    paths.on_path.push_back(0);
                }
                paths.on_path.back() = static_cast<std::uint8_t>(paths.on_path.back() | 1 << local % kLanes);
            }
            const auto count = static_cast<std::int32_t>(paths.blocks.size()) - paths.block_begin.back();
            paths.place[k]   = (count - 1) * kLanes + (k - tree.dof_begin) % kLanes;
        }
        paths.begin.push_back(static_cast<std::int32_t>(paths.dofs.size()));
        paths.block_begin.push_back(static_cast<std::int32_t>(paths.blocks.size()));
    }
    return paths;
}

}  // namespace mechane::dynamics
