#pragma once
#include <cstdint>

namespace mechane::files {

/// How large a file may be that is read as a whole, where its reader has no bound of its own [bytes]. Holds for the
/// process; 8 GiB until it is set.
void          set_read_limit(std::uint64_t bytes) noexcept;
std::uint64_t read_limit() noexcept;

}  // namespace mechane::files
