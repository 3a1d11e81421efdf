// The end of a program for errors that the caller cannot handle: the failure handler, then the exit code of
// docs/cli.md. The library calls this only for arguments that break a documented condition.

#include "mechane/core/failure.h"

#include <atomic>
#include <cstdio>
#include <string_view>

#include "mechane/core/codes.h"
#include "mechane/core/process.h"
#include "mechane/core/result.h"

namespace mechane {
namespace {

std::atomic<FailureHandler> handler_in_use{nullptr};

/// Exit codes of docs/cli.md by id, or by how ids begin ("RUN_SET_*"); the first row that fits counts. What is not here
/// is an input that cannot be used.
struct Row {
    std::string_view id;
    int              code;
};
constexpr int kUsage = 2, kInput = 3, kDiverged = 4, kOutput = 5, kUnsupported = 6;
constexpr Row kExitCodes[] = {{"API_*", kUsage},
                              {"RUN_ARGUMENT", kUsage},
                              {"RUN_SET_*", kUsage},
                              {"RUN_CONTROL_*", kUsage},
                              {"SOLVER_UNKNOWN", kUsage},
                              {"SOLVER_PARAMETER", kUsage},
                              {"SOLVER_SENSOR", kUsage},
                              {"RESOLVER_UNKNOWN", kUsage},
                              {"STAGE_VARIANT_UNKNOWN", kUsage},
                              {"IMPORT_ARG_*", kUsage},
                              {"IMPORT_ROOT_PATH", kUsage},
                              {"IMPORT_SCENE_PATH", kUsage},
                              {"SIM_OPTION", kUsage},
                              {"COL_OPTION_INVALID", kUsage},
                              {"CHECK_OPTION", kUsage},
                              {"RECORD_FORMAT_UNKNOWN", kUsage},
                              {"DEV_NAME", kUsage},
                              {"EXPORT_OPTION", kUsage},
                              {"FILES_INPUT", kUsage},
                              {"FILES_FOLDER", kUsage},
                              {"FILES_OUTSIDE_ROOT", kUsage},
                              {"RUN_DIVERGED", kDiverged},
                              {"RUN_WORLD_DIVERGED", kDiverged},
                              {"RECORD_WRITE_FAILED", kOutput},
                              {"STAGE_WRITE_FAILED", kOutput},
                              {"FILES_WRITE_FAILED", kOutput},
                              {"FILES_BUSY", kOutput},
                              {"FILES_CHANGED", kOutput},
                              {"RENDER_MOVIE_PROGRAM", kUnsupported},
                              {"RENDER_RRD_PACKAGE", kUnsupported},
                              {"RENDER_*", kUsage},
                              {"VIEW_DDS", kUnsupported},
                              {"SOLVER_MODEL", kUnsupported},
                              {"SOLVER_UNAVAILABLE", kUnsupported},
                              {"DEV_*", kUnsupported}};

}  // namespace

// One handler for the process; any thread may exchange it.
FailureHandler set_failure_handler(FailureHandler handler) noexcept { return handler_in_use.exchange(handler); }

int exit_code_of(const Diagnostic& diagnostic) noexcept
{
    for (const Row& row : kExitCodes)
        if (row.id.ends_with('*') ? diagnostic.id.starts_with(row.id.substr(0, row.id.size() - 1))
                                  : diagnostic.id == row.id)
            return row.code;
    return kInput;
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
