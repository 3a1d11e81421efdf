#pragma once
#include <cstdint>

namespace mechane::usd {

/// Reading has come a step further (reading_progress in untrusted.h).
void reading_went_on();
/// A layer of so many bytes goes to the library's parsers.
void let_through(std::uint64_t bytes);

}  // namespace mechane::usd
