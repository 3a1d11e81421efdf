#pragma once
/// Solvers of one's own: derive from `Solver`, whose contract stands in mechane/solvers/solver.h, and make it known
/// with `register_solver`; from then on `Simulation`, `replay` and the building blocks know its name. A solver works on
/// the arrays of the building blocks, here called ModelArrays, StateArrays, ControlArrays and ContactArrays.
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/result.h"
#include "mechane/solvers/solver.h"

namespace mechane {

/// Names of the room `solvers`, promised here as parts of the face.
using solvers::make_solver;
using solvers::register_solver;
using solvers::Solver;
using solvers::solver_names;
using solvers::SolverFactory;
using solvers::SolverOptions;
using solvers::StepReport;

/// The arrays that `Solver::step` works on. Their layouts are building blocks: they may grow from version to version.
using ContactArrays = model::Contacts;
using ControlArrays = model::Control;
using ModelArrays   = model::Model;
using StateArrays   = model::State;

}  // namespace mechane
