// How large the elements at a particle are, and whether particles that move at once share one: what bounds a step of a
// particle (Vbd::shortened).

#include "solvers/vbd/element_sizes.h"

#include <algorithm>

namespace mechane::solvers::vbd {

std::vector<double> element_sizes(const model::Model& model)
{
    std::vector<double> sizes(model.particle_count());
    const auto          add = [&](std::int32_t a, std::int32_t b) {
        const auto   i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        const double l = length(static_cast<Vec3d>(model.particle_q[i]) - static_cast<Vec3d>(model.particle_q[j]));
        for (const std::size_t p : {i, j})
            if (l > 0 && (sizes[p] == 0 || l < sizes[p])) sizes[p] = l;
    };
    const auto add_all = [&](const auto& elements) {
        for (const auto& corners : elements)
            for (std::size_t a = 0; a < corners.size(); ++a)
                for (std::size_t b = 0; b < a; ++b) add(corners[a], corners[b]);
    };
    add_all(model.tri_indices);
    add_all(model.tet_indices);
    for (std::size_t s = 0; s + 1 < model.spring_indices.size(); s += 2)
        add(model.spring_indices[s], model.spring_indices[s + 1]);
    return sizes;
}

bool are_proper(const std::vector<std::vector<std::int32_t>>& groups, const soft::Elements& elements,
                std::size_t particles)
{
    std::vector<std::int32_t> color(particles, -1);
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const std::int32_t p : groups[g]) color[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(g);
    const auto proper = [&](const auto& all) {
        return std::ranges::all_of(all, [&](const auto& points) {
            for (std::size_t a = 0; a < points.size(); ++a)
                for (std::size_t b = 0; b < a; ++b)
                    if (points[a] >= 0 && points[b] >= 0 &&
                        color[static_cast<std::size_t>(points[a])] == color[static_cast<std::size_t>(points[b])])
                        return false;
            return true;
        });
    };
    return proper(elements.spring_points) && proper(elements.triangle_points) && proper(elements.edge_points) &&
           proper(elements.tet_points);
}

}  // namespace mechane::solvers::vbd
