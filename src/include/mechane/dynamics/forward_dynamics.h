#pragma once
#include <array>
#include <span>
#include <vector>

#include "mechane/dynamics/articulated.h"

namespace mechane::dynamics {

/// Scratch of the articulated body algorithm, sized once.
struct ArticulatedBodies {
    /// Symmetric 6 x 6 inertia about the tree's reference point, world axes, linear rows first.
    using Inertia = std::array<double, 36>;

    std::vector<Inertia>  inertia;         ///< per link: of everything that hangs on it, with its joints free
    std::vector<Spatiald> force;           ///< per link: at zero acceleration
    std::vector<Spatiald> reach, carried;  ///< per dof: inertia times column; acceleration that velocities alone cause
    std::vector<double>   drive, inverse;  ///< per dof: force left for the dof; 1 / its articulated inertia
    std::vector<Spatiald> acceleration;    ///< per link: spatial, about the reference point, gravity taken out
    std::vector<std::array<Spatiald, 4>> push, gain;  ///< per link: of `respond_articulated`, a lane each

    void resize(const Forest& forest);
};

/// Accelerations under the forces `tau` [dof_count of the tree] in time proportional to the number of links: the
/// articulated body algorithm (Featherstone 2008, chapter 7). A joint of several dofs is a chain of single ones without
/// mass between them. Velocities of `motion` must be up to date. A dof that has zero inertia gets no acceleration.
///
/// @param wrench    per link of the forest about its centre of mass, world axes; may be empty
/// @param armature  per dof of the forest; may be empty
void articulated_body_algorithm(const Forest& forest, const Tree& tree, const Vec3d& gravity,
                                std::span<const Spatiald> wrench, std::span<const double> tau,
                                std::span<const double> armature, const Motion& motion, ArticulatedBodies& scratch,
                                std::span<double> qdd);

/// Its part that does not depend on forces and velocities: what `respond_articulated` needs.
/// @param armature  per dof of the forest; may be empty
void factor_articulated(const Forest& forest, const Tree& tree, std::span<const double> armature, const Motion& motion,
                        ArticulatedBodies& scratch);

/// x := M^-1 x for `lanes` (1 or 4) right-hand sides stored dof by dof, x[k * lanes + lane], in time proportional to
/// the number of links. M holds the armature that factor_articulated was given.
void respond_articulated(const Forest& forest, const Tree& tree, const Motion& motion, ArticulatedBodies& scratch,
                         double* x, int lanes);

}  // namespace mechane::dynamics
