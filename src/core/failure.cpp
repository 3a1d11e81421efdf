// The end of a program for errors that the caller cannot handle: the failure handler, then the exit code of
// docs/cli.md. The library calls this only for arguments that break a documented condition.

#include "mechane/core/failure.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <string_view>
#include <utility>

#include "mechane/core/codes.h"
#include "mechane/core/process.h"
#include "mechane/core/result.h"

namespace mechane {
namespace {

std::atomic<FailureHandler> handler_in_use{nullptr};

/// Exit codes of docs/cli.md by id; what is not here is an input that cannot be used.
/// The table is by id and not by code, as core may not know the rooms above it.
constexpr std::array<std::pair<std::string_view, int>, 17> kExitCodes{{{"API_ARGUMENT", 2},
                                                                       {"API_FOREIGN", 2},
                                                                       {"API_RESULT", 2},
                                                                       {"RUN_ARGUMENT", 2},
                                                                       {"RUN_SET_UNKNOWN", 2},
                                                                       {"SOLVER_UNKNOWN", 2},
                                                                       {"SIM_OPTION", 2},
                                                                       {"COL_OPTION_INVALID", 2},
                                                                       {"CHECK_OPTION", 2},
                                                                       {"RUN_DIVERGED", 4},
                                                                       {"RUN_WORLD_DIVERGED", 4},
                                                                       {"RECORD_WRITE_FAILED", 5},
                                                                       {"STAGE_WRITE_FAILED", 5},
                                                                       {"FILES_WRITE_FAILED", 5},
                                                                       {"FILES_BUSY", 5},
                                                                       {"FILES_INPUT", 5},
                                                                       {"RECORD_FORMAT_UNKNOWN", 2}}};

}  // namespace

// One handler for the process; any thread may exchange it.
FailureHandler set_failure_handler(FailureHandler handler) noexcept { return handler_in_use.exchange(handler); }

int exit_code_of(const Diagnostic& diagnostic) noexcept
{
    for (const auto& [id, code] : kExitCodes)
        if (diagnostic.id == id) return code;
    return 3;
}

// A handler that returns does not save the program: an argument that breaks a condition leaves nothing to go on with.
void fail(const Diagnostic& diagnostic)
{
    if (const FailureHandler handler = handler_in_use.load())
        handler(diagnostic);
    else
        std::fprintf(stderr, "%s\n", to_text(diagnostic).c_str());
    end_process(exit_code_of(diagnostic));
}

void refuse_argument(const char* function, const char* argument, const char* expected)
{
    fail(make_diagnostic(kApiArgument, {.property = std::string(function) + "(" + argument + ")"},
                         std::string(argument) + ": expected " + expected));
}

namespace detail {
void no_error()
{ fail(make_diagnostic(kApiResult, {.property = "Result::error()"}, "error() of a result that has a value")); }
}  // namespace detail

}  // namespace mechane
