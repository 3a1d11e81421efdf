#pragma once
#include <functional>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/physics/physics_model.h"

namespace mechane::physics {

/// Volume properties of a collider at unit density, in L. Densities and masses are applied afterwards, never inside.
struct MassInfo {
    double volume = -1;  ///< L^3; negative: not known, the collider is left out
    Mat33d inertia{};    ///< about `com`, in the shape's axes, for density 1 [L^5]
    Vec3d  com;          ///< in the shape frame [L]
    Posed  X_BS;         ///< shape frame in the body frame [L]
};
/// Called once for each enabled collider of a body, and never for a body whose mass, inertia and centre are authored.
/// Pure.
using MassInfoCallback = std::function<MassInfo(const Collider&)>;

/// Mass properties as OpenUSD's RigidBodyAPI.ComputeMassProperties gives them (usd-physics section 7), in stage units.
struct BodyMass {
    double mass = 0;  ///< M
    Vec3d  com;       ///< in the body frame, scale applied [L]
    Vec3d  diagonal;  ///< principal moments [M L^2]
    Quatd  axes;      ///< principal axes in the body frame
    bool   com_authored  = false;
    bool   callback_used = false;
};
/// R(axes) diag(diagonal) R(axes)^T.
Mat33d tensor(const BodyMass& mass);

/// Stage density of water, the default: 1000 kg/m^3 in M/L^3.
double default_density(const UnitScale& units);

/// @param body   index of a body of the model
/// With Conventions::weightless_body_has_no_mass a body with nothing to derive mass from gets -1, as the reference
/// answers; otherwise 1.
/// @param units     what the stage's numbers mean, for the default density and the small sphere; default: the model's
/// @param authored  values of the body to use instead of its own
BodyMass compute_mass(const PhysicsModel& model, Index body, const MassInfoCallback& info, Diagnostics& found,
                      const UnitScale* units = nullptr, const MassValues* authored = nullptr);

/// Jacobi diagonalisation as usd-physics 7.3 describes it: m = R(q) diag R(q)^T; eigenvalues are not sorted.
struct Diagonalized {
    Vec3d diagonal;
    Quatd axes;
};
Diagonalized diagonalize(const Mat33d& symmetric);

/// Closed forms at unit density for everything except meshes and custom shapes, whose volume is -1. Planes have none
/// either. A cube under shear is its factored box.
MassInfo primitive_mass_info(const Collider& collider);

}  // namespace mechane::physics
