#pragma once
#include "mechane/core/result.h"
#include "mechane/model/builder.h"

namespace mechane::importer {

/// Declares what MuJoCo authors on scenes, bodies, joints and colliders as custom attributes of the namespace
/// "mujoco" ("mujoco:condim" from mjc:condim, one for each shape). An import with the resolver "mjc" fills them; the
/// solver mujoco reads them, and other programs can. Angles become radians, tokens MuJoCo's numbers. Attributes of
/// more than four numbers (solimp) have no array. Declaring them twice changes nothing.
/// @error MODEL_CUSTOM_CONFLICT  one of the names is declared differently
Result<void> register_mujoco_attributes(model::ModelBuilder& builder);

/// Whether a builder has them, judged by "mujoco:condim".
bool has_mujoco_attributes(const model::ModelBuilder& builder);

}  // namespace mechane::importer
