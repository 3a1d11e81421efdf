#pragma once
#include "mechane/core/result.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"

namespace mechane::exporter {

/// The robot of a stage as the writers of other formats need it: metres, kilograms, seconds, radians, Z up, whatever the
/// stage has. The zero pose of a joint comes from its two frames, never from the poses of the bodies; where these differ
/// the joint's `initial` says where it stands. Joints run from the root of each tree to its leaves, so a joint whose
/// bodies are authored the other way round is turned: poses inverted, axis negated. What the conversion of another format
/// has left for the way back (mechane/sourceformats/hints.h) is used where it agrees with the stage.
///
/// @error EXPORT_EMPTY
Result<sourceformats::ReadRobot> robot_of_stage(const usd::Stage& stage);

}  // namespace mechane::exporter
