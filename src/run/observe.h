#pragma once
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/record/recording.h"

namespace mechane::run {

/// A state with its contacts and energies, as recordings keep it.
record::Frame make_frame(const model::Model& model, const model::State& state, const model::Contacts& contacts);

/// Deepest contact with a static shape, and between shapes of bodies [m].
struct Depths {
    double fixed = 0, moving = 0;
};
Depths deepest(const model::Model& model, const model::Contacts& contacts);

}  // namespace mechane::run
