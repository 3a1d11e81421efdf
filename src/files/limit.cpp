#include "mechane/files/limit.h"

#include <atomic>

namespace mechane::files {

namespace {
std::atomic<std::uint64_t> limit{std::uint64_t{8} << 30};
}  // namespace

void          set_read_limit(std::uint64_t bytes) noexcept { limit = bytes; }
std::uint64_t read_limit() noexcept { return limit; }

}  // namespace mechane::files
