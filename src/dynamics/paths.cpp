#include "mechane/dynamics/paths.h"

namespace mechane::dynamics {

Paths list_paths(const Forest& forest, bool deep)
{
    Paths paths;
    paths.begin.assign(1, 0);
    for (std::int32_t k = 0; k < forest.dof_count; ++k) {
        if (deep || !forest.trees[forest.links[forest.dof_link[k]].tree].deep) {
            if (const std::int32_t above = forest.dof_parent[k]; above >= 0)
                for (std::int32_t i = paths.begin[above]; i < paths.begin[above + 1]; ++i)
                    paths.dofs.push_back(paths.dofs[i]);
            paths.dofs.push_back(k);
        }
        const std::int32_t first = paths.begin.back(), end = static_cast<std::int32_t>(paths.dofs.size());
        std::int32_t       head = 0;
        while (first + head < end && paths.dofs[first + head] == paths.dofs[first] + head) ++head;
        paths.head.push_back(head);
        paths.begin.push_back(static_cast<std::int32_t>(paths.dofs.size()));
    }
    return paths;
}

}  // namespace mechane::dynamics
