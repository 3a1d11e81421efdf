#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/run/scene.h"

namespace mechane::run {

/// The solver with what the first scene says to it: newton:maxSolverIterations to xpbd and vbd, newton:xpbd:* to xpbd.
/// What the command line sets goes first, also a parameter's default. Values out of a parameter's range are reported
/// and left out.
/// @param solver  as chosen, perhaps with parameters behind a colon
/// @param given   as the command line has it, with the parameters that it names
/// @param taken   appended: the parameters from the stage, "iterations=7"
std::string solver_of_stage(const Scene& scene, const std::string& solver, std::string_view given,
                            std::vector<std::string>& taken, Diagnostics& found);

}  // namespace mechane::run
