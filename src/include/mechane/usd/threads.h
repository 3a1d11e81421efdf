#pragma once

namespace mechane::usd {

/// How many threads OpenUSD uses for its own work, and what decided that: PXR_WORK_THREAD_LIMIT, read once when OpenUSD
/// starts; the program, by `limit_threads`; else the processor.
struct ThreadLimit {
    int  threads          = 1;
    bool from_environment = false, from_program = false;
};
ThreadLimit thread_limit();
/// Bounds the threads of OpenUSD's own work in this process from now on; 0: all cores. The environment variable goes
/// first. Opening with fewer threads alone bounds our work only, since OpenUSD knows no limit for one stage.
void limit_threads(int threads);

/// Gives each of OpenUSD's worker threads a second stack, on which a signal handler can still run when a file has the
/// first one overflow. For programs that install one (sigaltstack(2)).
void give_threads_a_second_stack();

}  // namespace mechane::usd
