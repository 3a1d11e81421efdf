#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of a program's own mistakes. The property of their site is the function and the argument.
namespace mechane {

/// An id that the model does not have, a number that is not finite or out of range, arrays of other sizes, an object
/// that was moved away, a call that is not allowed where it is made. The message begins with the argument's name.
inline constexpr Code kApiArgument{"API_ARGUMENT", Severity::error,
                                   "A function was called with an argument that it cannot use.",
                                   "Correct the argument that the message names."};
/// Equal models are different models: states belong to the object that they were made of, and to what
/// `Simulation::edit` makes of it.
inline constexpr Code kApiForeign{"API_FOREIGN", Severity::error,
                                  "Two objects were used together that were made from different models.",
                                  "Make states, controls and contacts from the model that they are used with."};
/// `Result::error` of a success. `Result::value` of a failure tells that failure instead.
inline constexpr Code kApiResult{"API_RESULT", Severity::error, "A result was asked for what it does not hold.",
                                 "Ask has_value() before value() and error()."};

}  // namespace mechane
