#pragma once
#include "mechane/core/diagnostic.h"

/// What happens when a program makes a mistake that no Result can carry: an index out of range, the value of a result
/// that has none, objects of two models used together.
namespace mechane {

/// Is told the mistake. It may end the process or throw; when it returns, the process ends as by default.
/// May be called from any thread.
/// Tests set one that throws, and look at the diagnostic; an application sets one that logs, or that shows a dialogue.
using FailureHandler = void (*)(const Diagnostic& diagnostic);

/// Replaces the handler for the whole process; null restores the default, which prints the diagnostic to the standard
/// error stream. Safe to call from any thread.
/// @return the handler that was set before, null for the default
FailureHandler set_failure_handler(FailureHandler handler) noexcept;

/// Tells the handler, then ends the process with `exit_code_of` the diagnostic: no signal, no core file. Static objects
/// are not destroyed. A handler that throws is the only way out.
[[noreturn]] void fail(const Diagnostic& diagnostic);

/// The exit status that the command line has for this diagnostic: 2 for a caller's mistake, 3 for an input that cannot
/// be used, 4 for a divergence, 5 for an output that cannot be written, 6 for what this build lacks.
int exit_code_of(const Diagnostic& diagnostic) noexcept;

/// A caller's mistake, told to `fail` as API_ARGUMENT.
/// @param function  that was called: "ModelBuilder::add_shape"
/// @param argument  its name there, without blanks: "body"
/// @param expected  what it has to be, in words
[[noreturn]] void refuse_argument(const char* function, const char* argument, const char* expected);

}  // namespace mechane

/// Checked in every build: an argument that came through a public function. `function`, `argument` and `expected` are
/// texts for the caller.
/// Costs one comparison where the condition holds. The texts are literals, so that nothing is made before it fails.
#define MCH_REQUIRE(condition, function, argument, expected) \
    ((condition) ? static_cast<void>(0) : ::mechane::refuse_argument(function, argument, expected))
