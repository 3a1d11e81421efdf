#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"

namespace mechane::usd {

/// What OpenUSD said during an operation.
struct LibraryMessage {
    Severity    severity;
    std::string text;
};

/// Prepares OpenUSD for this process on first use: its messages come to us instead of stderr, and the process has one
/// copy of each library.
/// @return what makes it unusable: two copies of a library, or plug-ins that are not this release's; null when nothing
/// does
const Diagnostic* prepare_runtime();

/// Collects OpenUSD's messages, of all threads, while it lives. Scopes do not nest; one operation at a time opens
/// stages.
class MessageScope {
  public:
    MessageScope();
    ~MessageScope();
    MessageScope(const MessageScope&)                                        = delete;
    MessageScope&                             operator=(const MessageScope&) = delete;
    [[nodiscard]] std::vector<LibraryMessage> take();

  private:
    std::unique_lock<std::mutex> exclusive_;
};

}  // namespace mechane::usd
