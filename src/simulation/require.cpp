// Failures of the public interface for wrong arguments: one text for indices and one for resized arrays. They go
// through `fail`, which throws or calls the program's handler.

#include "simulation/require.h"

#include <fmt/format.h>

namespace mechane::simulation {

void refuse_index(std::int32_t value, std::size_t count, const char* function, const char* argument)
{
    const std::string there = count == 0   ? "there are none"
                              : count == 1 ? "there is 0 alone"
                                           : fmt::format("there are 0 to {}", count - 1);
    fail(make_diagnostic(kApiArgument, {.property = fmt::format("{}({})", function, argument)},
                         fmt::format("{}: {}, expected an id that the model has: {}", argument, value, there)));
}

void refuse_sizes(const char* function, const char* argument)
{ refuse_argument(function, argument, "arrays of the model's sizes: they were resized through arrays()"); }

}  // namespace mechane::simulation
