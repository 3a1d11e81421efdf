#pragma once
#include "mechane/core/result.h"
#include "mechane/physics/physics_model.h"
#include "mechane/usd/layer.h"

namespace mechane::physics {

/// Rewrites localPos and localRot of one side of a joint so that its frame in the world coincides with the other
/// side's. Nothing else changes. Doing it twice writes nothing the second time.
///
/// @param model  parsed from the stage by kMechane
/// @param into   receives the opinions, by the paths of the stage: a copy of its root layer, or a layer over it
/// @param keep   the side whose frame stays, 0 or 1
/// @return whether something was written: not when the frames coincide within 1e-6 (relative, and radians)
/// @error STAGE_EDIT_REFUSED; PHY_REALIGN_REFUSED is reported for joints inside instances, invalid ones, and sides
/// whose
///        target has a singular transform
Result<bool> realign_joint_frames(const PhysicsModel& model, Index joint, usd::Layer& into, int keep,
                                  Diagnostics& found);

/// Does so for every joint whose frames PHY_JOINT_FRAME_GAP reports, keeping the first side's. @return how many
Result<std::size_t> realign_gaps(const usd::Stage& stage, usd::Layer& into, Diagnostics& found);

}  // namespace mechane::physics
