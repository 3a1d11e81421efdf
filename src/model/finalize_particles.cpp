// finalize: particles. Numbers are narrowed and repaired; mass 0 means held.

#include <fmt/format.h>

#include "finalize.h"
#include "number_repair.h"

namespace mechane::model {

void fill_particles(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    for (std::size_t i = 0; i < b.particles.size(); ++i) {
        const BuilderParticle& particle = b.particles[i];
        const std::string      label    = fmt::format("particle_{}", i);
        NumberRepair           repair(out, label);
        m.particle_q.push_back(repair.vector(particle.q, "particle_q"));
        m.particle_qd.push_back(repair.vector(particle.qd, "particle_qd"));
        m.particle_mass.push_back(repair.not_negative(particle.mass, "particle_mass"));
        m.particle_radius.push_back(repair.not_negative(particle.radius, "particle_radius"));
        m.particle_flags.push_back(particle.flags);
        m.particle_world.push_back(particle.world);
        // Masses below the smallest float would give an infinite inverse.
        const auto mass = static_cast<double>(m.particle_mass.back());
        m.particle_inv_mass.push_back(mass > 1.0 / kLargestNumber ? static_cast<Real>(1 / mass) : Real(0));
    }
}

}  // namespace mechane::model
