#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::solvers {

/// What solvers tell. Those with severity error stop `make_solver` or a step; the others are notes of a simulation.
///
/// Of `make_solver`: neither a solver of this library nor a registered one, aliases of names considered.
inline constexpr Code kSolverUnknown{"SOLVER_UNKNOWN", Severity::error, "There is no solver of this name.",
                                     "Choose one of the names that the hint lists."};
/// Of `register_solver`.
inline constexpr Code kSolverName{"SOLVER_NAME", Severity::error, "A solver cannot be registered under this name.",
                                  "Use a name that no other solver has."};
/// Of what stands behind the colon in "softstep:NAME=VALUE"; the hint of an unknown name lists those that there are.
inline constexpr Code kSolverParameter{"SOLVER_PARAMETER", Severity::error,
                                       "A solver does not have this parameter, or the value is out of its range.",
                                       "`mechane doctor --solvers` lists the parameters of every solver."};
/// Of the solver "mujoco" alone: the library is looked for when the solver is made, not when Mechane is built.
inline constexpr Code kSolverUnavailable{"SOLVER_UNAVAILABLE", Severity::error,
                                         "A solver needs a library that is not here, or not in a version it knows.",
                                         "Install what the hint names, or choose another solver."};
/// Also what a factory of one's own returns that made nothing, and, with `SolverOptions::strict`, every feature that
/// would otherwise be a SOLVER_FEATURE or a SOLVER_APPROXIMATES.
inline constexpr Code kSolverModel{"SOLVER_MODEL", Severity::error,
                                   "The model or the options cannot be stepped by this solver.",
                                   "Correct what the message names."};
/// In `StepReport::refused`. A solver of one's own that leaves arrays of other sizes is told so too.
inline constexpr Code kSolverState{"SOLVER_STATE", Severity::error, "A state or a control cannot be stepped from.",
                                   "Give arrays of the model's sizes, and a state that is finite after a step."};
/// When the solver is made: once for a feature, at the first thing that has it, with how many have it. Bodies that
/// should start asleep are told one by one.
inline constexpr Code kSolverFeature{"SOLVER_FEATURE", Severity::warning,
                                     "The model has a feature that this solver ignores.",
                                     "Choose another solver or remove the feature."};
/// Likewise. docs/solvers.md has the table of features and solvers.
inline constexpr Code kSolverApproximates{"SOLVER_APPROXIMATES", Severity::info,
                                          "The model has a feature that this solver approximates.",
                                          "The message says what happens instead."};
/// Found by a trial factorisation at the model's start, by softstep.
inline constexpr Code kSolverMassless{"SOLVER_MASSLESS_DOF", Severity::warning,
                                      "A degree of freedom has zero inertia and no armature; it is locked.",
                                      "Give the link mass and inertia, or the joint an armature."};
/// In `StepReport::refused`: rows of edges and triangles for a solver that knows particles alone, or any rows for one
/// that finds its contacts itself.
inline constexpr Code kSolverContacts{"SOLVER_CONTACTS", Severity::error,
                                      "The contacts are of a kind that this solver cannot read; nothing was stepped.",
                                      "Let the collision pipeline find contacts of particles alone."};
/// Of `SensorContact::make`.
inline constexpr Code kSensor{"SOLVER_SENSOR", Severity::error, "A contact sensor cannot be made as asked.",
                              "Give patterns of labels that the model has, of bodies or of shapes."};

}  // namespace mechane::solvers
