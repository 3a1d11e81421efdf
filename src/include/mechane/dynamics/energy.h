#pragma once
#include "mechane/math/vec.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::dynamics {

/// Energies of a state [J].
struct Energy {
    double               kinetic   = 0;  ///< of the bodies
    double               armature  = 0;  ///< of rotors: half armature qd^2
    double               potential = 0;  ///< of gravity: -m g . x of the centres of mass
    double               elastic   = 0;  ///< of passive joint springs (drives are not conservative and do not count)
    [[nodiscard]] double total() const { return kinetic + armature + potential + elastic; }
};

/// Immovable bodies do not count. Body arrays and joint arrays must agree.
Energy energy(const model::Model& model, const model::State& state);
/// Sum of m v [kg m/s].
Vec3d linear_momentum(const model::Model& model, const model::State& state);
/// Sum of I w + m (x - point) x v, world axes [kg m^2/s].
Vec3d angular_momentum(const model::Model& model, const model::State& state, const Vec3d& point = {});

}  // namespace mechane::dynamics
