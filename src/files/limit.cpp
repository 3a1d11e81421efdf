// How large a file may be that is read as a whole where its reader has no bound of its own: 8 GiB unless it is set.
// One value for the process, atomic because readers run in several threads.
// Set from the memory limit of untrusted assets (usd/untrusted.cpp); read by checkpoints and recordings.

#include "mechane/files/limit.h"

#include <atomic>

namespace mechane::files {

namespace {
std::atomic<std::uint64_t> limit{std::uint64_t{8} << 30};
}  // namespace

void          set_read_limit(std::uint64_t bytes) noexcept { limit = bytes; }
std::uint64_t read_limit() noexcept { return limit; }

}  // namespace mechane::files
