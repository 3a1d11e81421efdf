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

}  // namespace mechane::model
