#pragma once
#include <cstdint>
#include <vector>

#include "mechane/math/spatial.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::solvers::shared {

/// The rigid bodies of a model as solvers in maximal coordinates compute them, in double. World axes, velocities of the
/// centres of mass.
struct Bodies {
    const model::Model* model = nullptr;
    // -- constants
    std::vector<Vec3d>        com;                   ///< body frame [m]
    std::vector<Mat33d>       inertia, inv_inertia;  ///< about the centre of mass, body axes
    std::vector<double>       inv_mass;              ///< [1/kg]; 0: immovable or kinematic
    std::vector<std::uint8_t> kinematic, has_mass;
    // -- state
    std::vector<Posed>    X;
    std::vector<Spatiald> twist;
    std::vector<Spatiald> force;      ///< about the centre of mass [N], [N m]
    std::vector<Spatiald> commanded;  ///< of kinematic bodies: the velocity towards a target, zero without one
    std::vector<Spatiald> change;     ///< of those with a target: by how much their velocity changes as the step begins
    std::vector<std::uint8_t> led;    ///< whether a body has a target

    explicit Bodies(const model::Model& m);
    /// Masses, inertias and flags again, after the model was written to.
    void read_model();
    /// Poses and velocities of a state; targets of kinematic bodies.
    /// @param dt  duration of the step [s]
    void                load(const model::State& in, const model::Control& control, double dt);
    [[nodiscard]] Vec3d com_W(std::int32_t b) const
    { return b < 0 ? Vec3d{} : X[static_cast<std::size_t>(b)] * com[static_cast<std::size_t>(b)]; }
    [[nodiscard]] Posed pose(std::int32_t b) const { return b < 0 ? Posed{} : X[static_cast<std::size_t>(b)]; }
    /// Velocity of the point at `r` from the centre of mass.
    [[nodiscard]] Vec3d velocity_at(std::int32_t b, const Vec3d& r) const
    {
        if (b < 0) return {};
        const Spatiald& t = twist[static_cast<std::size_t>(b)];
        return t.linear + cross(t.angular, r);
    }
    [[nodiscard]] Vec3d spin(std::int32_t b) const
    { return b < 0 ? Vec3d{} : twist[static_cast<std::size_t>(b)].angular; }
    /// I^-1 v in world axes; zero for the world and immovable bodies.
    [[nodiscard]] Vec3d inverse_inertia_times(std::int32_t b, const Vec3d& v) const
    {
        if (b < 0) return {};
        const auto i = static_cast<std::size_t>(b);
        if (inv_mass[i] == 0) return {};
        return rotate(X[i].q, inv_inertia[i] * rotate_inverse(X[i].q, v));
    }
    [[nodiscard]] double inverse_mass(std::int32_t b) const
    { return b < 0 ? 0.0 : inv_mass[static_cast<std::size_t>(b)]; }
    void add_force(std::int32_t b, const Vec3d& f, const Vec3d& t)
    {
        if (b < 0) return;
        force[static_cast<std::size_t>(b)].linear += f;
        force[static_cast<std::size_t>(b)].angular += t;
    }
    /// External wrenches of the state, and nothing else. What is not finite counts as zero.
    void begin_forces(const model::State& in);
    /// Semi-implicit Euler of every body over h [s]; kinematic ones go where they are commanded.
    void integrate(double h, double angular_damping);
    /// Whether what hangs on the body feels that its velocity changes.
    [[nodiscard]] bool changes(std::int32_t b) const
    { return b >= 0 && !(change[static_cast<std::size_t>(b)] == Spatiald{}); }
    /// The pose and velocity of a kinematic body into a state. What stands keeps the bits of its pose.
    void publish_kinematic(std::size_t b, model::State& out) const;
    /// Poses and velocities into a state of the model's sizes, of the worlds that are sound. Joint coordinates are read
    /// off the bodies; single angles keep their turns.
    void publish(const std::vector<std::uint8_t>& faulty, model::State& out) const;
    /// Marks the worlds (entry 0 for the global one) with bodies that are not finite or faster than any machine.
    /// @return the first body that is, or -1
    std::int32_t find_faults(std::vector<std::uint8_t>& faulty) const;
};

/// Whether a pose and velocity are numbers that a step may hand on.
[[nodiscard]] bool in_bounds(const Posed& X, const Spatiald& twist);

}  // namespace mechane::solvers::shared
