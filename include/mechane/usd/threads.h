#pragma once

namespace mechane::usd {

/// How many threads OpenUSD uses for its own work, and what decided that.
struct ThreadLimit {
    int  threads          = 1;
    bool from_environment = false;  ///< PXR_WORK_THREAD_LIMIT, read once when OpenUSD starts; else the processor
};
/// OpenUSD's own limit. Nothing here ever changes it: opening with fewer threads bounds our work only.
ThreadLimit thread_limit();

/// Gives each of OpenUSD's worker threads a second stack, on which a signal handler can still run when a file has the
/// first one overflow. For programs that install one (sigaltstack(2)).
void give_threads_a_second_stack();

}  // namespace mechane::usd
