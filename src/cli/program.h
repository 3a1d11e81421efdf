#pragma once
#include <string>
#include <vector>

namespace mechane::cli {

/// How this process runs the commands: as a program of its own, or inside Python.
struct Launch {
    std::string              program;         ///< executable that starts the program again
    std::vector<std::string> before;          ///< its arguments in front of the verb: "-m mechane" of Python
    std::string              samples;         ///< folder of the sample stages
    char**                   argv = nullptr;  ///< all arguments, if the process may replace itself by execve
};

/// The executable of this process with the samples beside it.
Launch this_executable();

/// The whole command line: what `mechane` does with these arguments. Returns the exit code; nothing escapes.
int run_program(int argc, char** argv, const Launch& launch = this_executable());

}  // namespace mechane::cli
