#pragma once
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/model/state.h"
#include "solvers/shared/bodies.h"
#include "solvers/shared/step_bound.h"
#include "solvers/soft/elements.h"
#include "solvers/soft/neighbours.h"

namespace mechane::solvers::shared {

/// Particles of explicit solvers, in double: forces at the start of a substep, then semi-implicit Euler.
class SoftParticles {
  public:
    /// @param laws         elements resist as under vbd; else as in Newton 1.8
    /// @param tri_contact  particles keep their radius from triangles that they are no part of
    void read(const model::Model& model, bool laws, bool tri_contact);
    void load(const model::Model& model, const model::State& in);
    /// Finds the forces and adds those on bodies to `bodies`, before these are integrated.
    void find_forces(const model::Model& model, const model::State& in, const model::Control& control,
                     const model::Contacts* contacts, double h, Bodies& bodies);
    void integrate(const model::Model& model, double h);
    void publish(const model::Model& model, const std::vector<std::uint8_t>& faulty, model::State& out) const;
    /// Marks the worlds of particles that are not finite, or that only the limit of their speed holds.
    /// @return the first such particle, -1 for none
    std::int32_t find_lost(const model::Model& model, std::vector<std::uint8_t>& faulty) const;
    /// What bounds the step: elements and contacts of particles, and attachments.
    void list_springs(const model::Model& model, const model::Contacts* contacts, const Bodies& bodies,
                      StepBound& out) const;

  private:
    void add_triangle_contacts(const model::Model& model);
    /// Springs and dampers from particles to points of bodies. What does not give way is as stiff as the step bears.
    void add_attachments(const model::Model& model, double h, Bodies& bodies);

    bool                                   laws_ = true, tri_contact_ = true;
    soft::Elements                         elements_;
    soft::Neighbours                       neighbours_;
    std::vector<Vec3d>                     x_, v_, f_;
    std::vector<std::vector<std::int32_t>> near_;     ///< particles within two elements, which triangles spare
    std::vector<std::uint8_t>              runaway_;  ///< that the limit of speed held in this step
    std::vector<std::int32_t>              held_;     ///< by body: attachments
};

}  // namespace mechane::solvers::shared
