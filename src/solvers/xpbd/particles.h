#pragma once
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/model/state.h"
#include "solvers/xpbd/corrections.h"

namespace mechane::solvers::xpbd {

/// Particles of a step in double: predicted by semi-implicit Euler, then moved by contacts with shapes.
struct Particles {
    std::vector<Vec3d>        x, v, start;
    std::vector<Vec3d>        correction;
    std::vector<double>       inv_mass;  ///< [1/kg]; 0: moved by nothing
    std::vector<Vec3d>        arrival;   ///< velocities before the rows of the substep
    std::vector<std::uint8_t> runaway;   ///< that the limit of speed held in this step

    void load(const model::Model& model, const model::State& in);
    /// @param laws  what weighs nothing is held; else, as in Newton 1.8, it goes on as it is
    void predict(const model::Model& model, const model::State& in, bool laws, double h);
    /// A Jacobi pass: what rows collect moves the particles at its end.
    void begin_pass();
    void finish_pass(const model::Model& model, double h);
    /// Velocities from the way since the start, where rows have moved positions themselves.
    void take_velocities(const model::Model& model, double h);
    /// Contacts with shapes; what they do to bodies goes into `out`.
    /// @param laws  friction only brakes, also what adhesion pulls; else as in Newton 1.8
    void solve_contacts(const model::Model& model, const model::SoftContacts& contacts, const shared::Bodies& bodies,
                        double relaxation, bool laws, double h, Corrections& out);
    /// Particles that met a shape leave it at `restitution` times the speed of their impact.
    void bounce(const model::Model& model, const model::SoftContacts& contacts, const shared::Bodies& bodies, double h);
    /// Marks the worlds of particles that are not finite, or that only the limit of their speed holds.
    /// @return the first such particle, -1 for none
    std::int32_t find_lost(const model::Model& model, bool laws, std::vector<std::uint8_t>& faulty) const;
    void         publish(const model::Model& model, const std::vector<std::uint8_t>& faulty, model::State& out) const;

  private:
    void set_velocity(const model::Model& model, std::size_t particle, double h);
};

}  // namespace mechane::solvers::xpbd
