#pragma once
#include <cstddef>

#include "mechane/model/builder.h"
#include "mechane/model/model.h"

namespace mechane::model {

/// Whether nobody chose how stiff the limit of a dof is: it has the default that models share with Newton. Solvers make
/// a stop of such a limit, whatever its damping: a spring of 1e4 on a link of 1e-3 kg m^2 would ring at 500 Hz, and 0.5
/// rad beyond its limit it would hold 1250 J. One question, so that a limit is a stop in all solvers or in none.
inline bool limit_stiffness_is_unchosen(const Model& m, std::size_t dof)
{ return m.joint_limit_authored[dof] == 0 && m.joint_limit_ke[dof] == static_cast<Real>(JointDofConfig{}.limit_ke); }

}  // namespace mechane::model
