// The command line within Python: `python -m mechane` and the console script run the same program as the binary.
// `program` and `before` tell how this process was started, for commands that start themselves again in a child process
// (a watched import under limits of time and memory).
// `argv` ends with a null pointer as C demands; the strings live in `arguments` until the program has returned.

#include "cli/program.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "python/module.h"

namespace mechane::python {

void bind_program(nb::module_& m)
{
    m.def("run_program", [](std::vector<std::string> arguments, std::string program, std::vector<std::string> before,
                            std::string samples) {
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        const cli::Launch            launch{std::move(program), std::move(before), std::move(samples)};
        const nb::gil_scoped_release released;
        return cli::run_program(static_cast<int>(arguments.size()), argv.data(), launch);
    });
}

}  // namespace mechane::python
