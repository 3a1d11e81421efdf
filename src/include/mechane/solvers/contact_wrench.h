#pragma once
#include <span>

#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::solvers {

/// The wrench of each contact on the body of shape 0, and on that of shape 1 where asked for, by the force and the
/// torque that the last step left in `contacts`: world axes, about the centre of mass of the body, about the origin for
/// shapes of no body [N, N m]. Both act at the middle of the two surface points, so that those of a contact add up to
/// nothing.
/// @param state  where the bodies are
/// @param on_body0, on_body1  [rigid_contact_count] or longer, or empty
void contact_wrenches(const model::Model& model, const model::State& state, const model::Contacts& contacts,
                      std::span<Spatial> on_body0, std::span<Spatial> on_body1 = {});

}  // namespace mechane::solvers
