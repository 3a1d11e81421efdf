#pragma once
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

/// Whether objects can be used with a model: by the sizes of their arrays and by the indices that they hold. Two models
/// of equal sizes are not told apart; the classes of <mechane/simulation.h> do that.
namespace mechane::model {

/// Entries of bodies, coordinates, dofs and particles; body_f and particle_f may be empty.
bool fits(const Model& model, const State& state) noexcept;
/// Entries of coordinates and dofs; each array may be empty, which stands for what the model stores.
bool fits(const Model& model, const Control& control) noexcept;
/// Rows are within the capacity and name shapes of the model. Looks at each valid row.
bool fits(const Model& model, const Contacts& contacts) noexcept;

}  // namespace mechane::model
