#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::solvers {

/// What solvers tell. Those with severity error stop `make_solver` or a step; the others are notes of a simulation.
inline constexpr Code kSolverUnknown{"SOLVER_UNKNOWN", Severity::error, "There is no solver of this name.",
                                     "Choose one of the names that the hint lists."};
inline constexpr Code kSolverName{"SOLVER_NAME", Severity::error, "A solver cannot be registered under this name.",
                                  "Use a name that no other solver has."};
inline constexpr Code kSolverParameter{"SOLVER_PARAMETER", Severity::error,
                                       "A solver does not have this parameter, or the value is out of its range.",
                                       "`mechane doctor --solvers` lists the parameters of every solver."};
inline constexpr Code kSolverUnavailable{"SOLVER_UNAVAILABLE", Severity::error,
                                         "A solver needs a library that is not here, or not in a version it knows.",
                                         "Install what the hint names, or choose another solver."};
inline constexpr Code kSolverModel{"SOLVER_MODEL", Severity::error,
                                   "The model or the options cannot be stepped by this solver.",
                                   "Correct what the message names."};
inline constexpr Code kSolverState{"SOLVER_STATE", Severity::error, "A state or a control cannot be stepped from.",
                                   "Give arrays of the model's sizes, and a state that is finite after a step."};
inline constexpr Code kSolverFeature{"SOLVER_FEATURE", Severity::warning,
                                     "The model has a feature that this solver ignores.",
                                     "Choose another solver or remove the feature."};
inline constexpr Code kSolverApproximates{"SOLVER_APPROXIMATES", Severity::info,
                                          "The model has a feature that this solver approximates.",
                                          "The message says what happens instead."};
inline constexpr Code kSolverMassless{"SOLVER_MASSLESS_DOF", Severity::warning,
                                      "A degree of freedom has zero inertia and no armature; it is locked.",
                                      "Give the link mass and inertia, or the joint an armature."};
inline constexpr Code kSolverContacts{"SOLVER_CONTACTS", Severity::error,
                                      "The contacts are of a kind that this solver cannot read; nothing was stepped.",
                                      "Let the collision pipeline find contacts of particles alone."};
inline constexpr Code kSensor{"SOLVER_SENSOR", Severity::error, "A contact sensor cannot be made as asked.",
                              "Give patterns of labels that the model has, of bodies or of shapes."};

}  // namespace mechane::solvers
