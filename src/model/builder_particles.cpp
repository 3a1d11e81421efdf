// ModelBuilder: particles and surfaces of particles, as data for solvers without elements. Positions [m], masses [kg];
// a particle of mass 0 does not move by itself.

#include <algorithm>
#include <map>
#include <utility>

#include "mechane/model/builder.h"

namespace mechane::model {

std::int32_t ModelBuilder::add_particle(const Vec3d& position, const Vec3d& velocity, double mass,
                                        std::optional<double> radius, std::int32_t flags)
{
    const BuilderParticle added[] = {{.q      = position,
                                      .qd     = velocity,
                                      .mass   = mass,
                                      .radius = radius.value_or(default_particle_radius),
                                      .flags  = flags}};
    return add_particles(added);
}

std::int32_t ModelBuilder::add_particles(std::span<const BuilderParticle> added)
{
    const std::size_t first = particles.size();
    particles.insert(particles.end(), added.begin(), added.end());
    for (std::size_t i = first; i < particles.size(); ++i) particles[i].world = current_world_;
    return static_cast<std::int32_t>(first);
}

std::int32_t ModelBuilder::add_triangle(std::int32_t i, std::int32_t j, std::int32_t k)
{
    tri_indices.push_back({i, j, k});
    return static_cast<std::int32_t>(tri_indices.size()) - 1;
}

std::int32_t ModelBuilder::add_edge(std::int32_t i, std::int32_t j, std::int32_t k, std::int32_t l)
{
    edge_indices.push_back({i, j, k, l});
    return static_cast<std::int32_t>(edge_indices.size()) - 1;
}

void ModelBuilder::add_particle_surface(std::span<const std::array<std::int32_t, 3>> triangles)
{
    struct Sides {
        std::int32_t left = -1, right = -1;
    };
    // An ordered map: edges are added in the order of their ends, whatever the order of triangles.
    std::map<std::pair<std::int32_t, std::int32_t>, Sides> edges;  // by ends, the smaller first
    for (const auto& t : triangles) {
        add_triangle(t[0], t[1], t[2]);
        for (std::size_t e = 0; e < 3; ++e) {
            const std::int32_t from = t[e], to = t[(e + 1) % 3], opposite = t[(e + 2) % 3];
            Sides&             sides = edges[{std::min(from, to), std::max(from, to)}];
            // Which side of an edge a triangle is on follows from the direction in which it runs through it. Further
            // triangles at an edge are left out.
            std::int32_t&      side  = from < to ? sides.left : sides.right;
            if (side < 0) side = opposite;
        }
    }
    for (const auto& [ends, sides] : edges) add_edge(sides.left, sides.right, ends.first, ends.second);
}

}  // namespace mechane::model
