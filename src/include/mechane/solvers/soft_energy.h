#pragma once
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::solvers {

/// Energies of what is soft in a state [J].
struct SoftEnergy {
    double               kinetic = 0, gravity = 0;                           ///< of the active particles
    double               springs = 0, triangles = 0, bending = 0, tets = 0;  ///< zero at rest
    [[nodiscard]] double total() const { return kinetic + gravity + springs + triangles + bending + tets; }
};

/// By the laws that the solver `vbd` has: neo-Hookean triangles and tetrahedra, bending by the angle between triangles.
SoftEnergy soft_energy(const model::Model& model, const model::State& state);

}  // namespace mechane::solvers
