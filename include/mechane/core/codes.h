#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of a program's own mistakes. The property of their site is the function and the argument.
namespace mechane {

inline constexpr Code kApiArgument{"API_ARGUMENT", Severity::error,
                                   "A function was called with an argument that it cannot use.",
                                   "Correct the argument that the message names."};
inline constexpr Code kApiForeign{"API_FOREIGN", Severity::error,
                                  "Two objects were used together that were made from different models.",
                                  "Make states, controls and contacts from the model that they are used with."};
inline constexpr Code kApiResult{"API_RESULT", Severity::error,
                                 "A result was asked for what it does not hold.",
                                 "Ask has_value() before value() and error()."};

}  // namespace mechane
