#pragma once
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"

namespace mechane::run {

/// Deepest contact with a static shape, and between shapes of bodies [m].
struct Depths {
    double fixed = 0, moving = 0;
};
Depths deepest(const model::Model& model, const model::Contacts& contacts);

}  // namespace mechane::run
