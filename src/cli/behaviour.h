#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/check_args.h"
#include "cli/command.h"

namespace mechane::cli {

/// Simulates each file and prints what it does, a line for each question. Of the arguments count: `select` and `ignore`
/// (ids or names of questions), `format` (text or json), `output`, `pictures` (a folder for what fails), `exit_zero`.
/// @return kExitFindings when one fails
int run_behaviour(const std::vector<std::string>& files, const CheckArgs& args, Context& context);

/// Options of check that say nothing about a simulation.
/// @return the first that was given; empty for none
std::string option_without_behaviour(const CLI::App& verb);

}  // namespace mechane::cli
