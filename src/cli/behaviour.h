#pragma once
#include <string>
#include <vector>

#include "cli/command.h"

namespace mechane::cli {

/// Simulates each file and prints what it does, a line for each question. Pictures of what fails go to the folder.
/// @return kExitFindings when one fails
int run_behaviour(const std::vector<std::string>& files, const std::string& pictures, Context& context);

}  // namespace mechane::cli
