#pragma once
#include <vector>

#include "mechane/model/contacts.h"
#include "mechane/model/state.h"
#include "solvers/xpbd/corrections.h"

namespace mechane::solvers::xpbd {

/// Particles of a step in double: predicted by semi-implicit Euler, then moved by contacts with shapes.
struct Particles {
    std::vector<Vec3d>  x, v, start;
    std::vector<Vec3d>  correction;
    std::vector<double> inv_mass;  ///< [1/kg]; 0: moved by nothing

    void load(const model::Model& model, const model::State& in);
    void predict(const model::Model& model, const model::State& in, double h);
    /// One Jacobi pass over the contacts with shapes; what they do to bodies goes into `out`.
    void solve_contacts(const model::Model& model, const model::SoftContacts& contacts, const shared::Bodies& bodies,
                        double relaxation, double h, Corrections& out);
    void publish(const model::Model& model, const std::vector<std::uint8_t>& faulty, model::State& out) const;
};

}  // namespace mechane::solvers::xpbd
