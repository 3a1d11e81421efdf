#pragma once
#include <string>
#include <string_view>

#include "mechane/asset.h"
#include "mechane/core/diagnostic.h"

namespace mechane::face {

/// A message or hint as a C++ program should read it. Diagnostics of the inner rooms name options as the command line
/// has them; where the interface has the same option, its field stands in place of it ("--dt" is
/// `SimulationOptions::dt`), and where only a command has it, the whole command. What stands in backticks or behind
/// "mechane" stays: whole commands are named on purpose.
std::string in_program_words(std::string_view text);

/// The same with message and hint.
Diagnostic  in_program_words(Diagnostic diagnostic);
Diagnostics in_program_words(const Diagnostics& diagnostics);
Finding     in_program_words(Finding finding);

}  // namespace mechane::face
