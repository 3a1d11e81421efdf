#pragma once
#include <functional>
#include <memory>
#include <string>

#include "cli/check_args.h"
#include "cli/command.h"
#include "mechane/conformance/report.h"

namespace mechane::cli {

Severity severity_named(const std::string& name);

/// Gets the verdicts one after the other and writes them in one format.
class CheckOutput {
  public:
    CheckOutput()                                      = default;
    CheckOutput(const CheckOutput&)                    = delete;
    CheckOutput& operator=(const CheckOutput&)         = delete;
    virtual ~CheckOutput()                             = default;
    virtual void add(conformance::Report report)       = 0;
    virtual void add_unopened(const Diagnostic& error) = 0;
    /// Nothing follows. @return the exit status of the writing; failures have been printed
    [[nodiscard]] virtual ExitCode end() = 0;
};

/// For text, github, ndjson, statistics and batches of SARIF no more is in memory than a report, or a batch of them.
/// @return nothing, with a message printed, when the file's name does not do
std::unique_ptr<CheckOutput> check_output(const CheckArgs& args, std::size_t parts, Context& context);

}  // namespace mechane::cli
