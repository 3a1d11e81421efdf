#pragma once
#include <string>
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// The times at which a moving prim has to be keyed so that translate, orient and scale, interpolated between them,
/// follow its operations.
struct MotionKeys {
    std::vector<double> times;  ///< ascending time codes; empty for a prim that rests
    std::string         fault;  ///< why no keys do; empty when these do
};

/// Values between samples are interpolated operation by operation: an angle linearly, whole turns and all, where an
/// orientation takes the shorter way round. Between the samples that are authored further keys are therefore halved in
/// until a third and a half of the way lie within a milliradian, and a ten-thousandth of the motion, of the operations.
/// Splines have no samples; who keys a prim that one moves has to refuse it.
/// @param ops  names of the prim's operations
MotionKeys motion_keys(const usd::Stage& stage, const usd::Prim& prim, const std::vector<usd::Token>& ops);

}  // namespace mechane::conformance
