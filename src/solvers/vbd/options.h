#pragma once
#include "mechane/solvers/parameters.h"

namespace mechane::solvers::vbd {

/// How particles are solved for; the parameters of `vbd` as numbers.
struct Options {
    int    iterations       = 10;    ///< passes over all particles a step, at least 1
    double friction_epsilon = 1e-2;  ///< speed below which friction grows with speed [m/s]
    double acceleration     = 0;     ///< of passes, by the spectral radius of one; 0: none, below 1
    /// Triangles and edges of particles keep `self_contact_margin` [m] from each other; found within it plus
    /// `self_contact_gap` [m].
    bool   self_contact        = false;
    double self_contact_margin = 0.2, self_contact_gap = 0;
};

/// Parameters that the choice does not name have their defaults.
Options options_of(const SolverChoice& choice);

}  // namespace mechane::solvers::vbd
