#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::dynamics {

inline constexpr Code kSelection{
    "DYN_SELECTION", Severity::error, "A selection of articulations or joints does not fit the model.",
    "Give either a mask with one flag per articulation or a list of articulation indices."};

}  // namespace mechane::dynamics
