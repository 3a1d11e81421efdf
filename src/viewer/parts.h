#pragma once
#include <nlohmann/json.hpp>

#include "mechane/model/model.h"

namespace mechane::viewer {

/// What overlays and sliders need of a model, for a page: bodies with mass, centre and the box of equal inertia; joints
/// with their frames; dofs with limits and drives; articulations. `Parts` in web/src/view.ts is the other side.
nlohmann::json parts_json(const model::Model& model);

}  // namespace mechane::viewer
