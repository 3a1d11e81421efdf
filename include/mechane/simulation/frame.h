#pragma once
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/simulation/recording.h"

namespace mechane::run {

/// A state with its contacts and energies, as recordings keep it: what a loop of one's own adds to Recording::frames to
/// have it drawn. One ContactSample for each row, with the forces that the solver filled in.
/// Energies are computed here, which costs one pass over the bodies.
record::Frame make_frame(const model::Model& model, const model::State& state, const model::Contacts& contacts);

}  // namespace mechane::run
