#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "mechane/core/diagnostic.h"
#include "mechane/files/trace.h"
#include "mechane/usd/stage.h"
#include "usd/expression_cost.h"

namespace mechane::usd {

/// Looks at a layer's bytes before OpenUSD's parsers do, for what is known to end them: text nested too deeply, crates
/// whose indices lie, packages whose entries do either. `shown` is the name for messages.
/// @param variables   of the layers that this one is composed with, to which its own are added; may be null
/// @return STAGE_OPEN_FAILED or STAGE_LIMIT, or nothing when the library may read on
std::optional<Diagnostic> guard_layer(std::string_view bytes, const std::string& shown, const Limits& limits,
                                      ExpressionVariables* variables = nullptr);

/// STAGE_LIMIT, with the name that --stage-limit has for what was reached.
Diagnostic limit_reached(Site site, std::string what, std::string_view option);

/// STAGE_LIMIT when the process takes more memory than it may (untrusted.h).
std::optional<Diagnostic> memory_limit_reached(const std::string& shown);

/// What the checks do not cover, in words: a crate older or newer than they know, relocates, which composition may not
/// come to an end of; also inside a package. Empty when they suffice. The layer has passed guard_layer.
std::string unchecked_part(std::string_view bytes);

/// While it lives, the process's resolver (guarded_resolver.cpp) checks every layer that any arc opens against these
/// limits. Made by the operation that holds the MessageScope, so there is one at a time.
class GuardScope {
  public:
    /// @param stage   the file that is being opened, for the first reader (untrusted.h); empty for a text
    explicit GuardScope(const Limits& limits, std::string stage = {});
    ~GuardScope();
    GuardScope(const GuardScope&)            = delete;
    GuardScope& operator=(const GuardScope&) = delete;
    /// What was refused since the last call, by file name.
    [[nodiscard]] Diagnostics take();

  private:
    files::TraceScope trace_;  ///< OpenUSD's threads, which work for this operation alone, note what they do in it
};

/// While it lives, who opens the file on this thread reads this text instead: a piece of the file, whose bytes were
/// looked at before.
class ReadInstead {
  public:
    ReadInstead(const std::string& file, std::string text);
    ~ReadInstead();
    ReadInstead(const ReadInstead&)            = delete;
    ReadInstead& operator=(const ReadInstead&) = delete;
};

}  // namespace mechane::usd
