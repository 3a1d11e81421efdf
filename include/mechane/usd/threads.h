#pragma once

namespace mechane::usd {

/// How many threads OpenUSD uses for its own work, and what decided that.
struct ThreadLimit {
    int  threads          = 1;
    bool from_environment = false;  ///< PXR_WORK_THREAD_LIMIT, read once when OpenUSD starts; else the processor
};
/// OpenUSD's own limit. Nothing here ever changes it: opening with fewer threads bounds our work only.
ThreadLimit thread_limit();

}  // namespace mechane::usd
