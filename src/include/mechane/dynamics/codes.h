#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::dynamics {

inline constexpr Code kSelection{
    "DYN_SELECTION", Severity::error, "A selection of articulations or joints does not fit the model.",
    "Give either a mask with one flag per articulation or a list of articulation indices."};

inline constexpr Code kGoal{"DYN_GOAL", Severity::error, "A goal of inverse kinematics makes no sense.",
                            "Name a body of the model, and give finite places and weights."};
inline constexpr Code kSize{"DYN_SIZE", Severity::error, "An array does not have the size that the model asks for.",
                            "Give arrays of the model's coordinates, dofs and bodies."};

}  // namespace mechane::dynamics
