#pragma once
#include <cstddef>
#include <cstdint>

#include "mechane/usd/stage.h"

namespace mechane::fuzz {

/// Limits small enough that no input takes seconds.
usd::OpenOptions small();

/// Composes and reads everything on the stage.
void read_all(const usd::Stage& stage);

/// Puts the bytes into a file with this suffix, opens it as a stage and reads everything.
void open_bytes(const std::uint8_t* data, std::size_t size, const char* suffix);

}  // namespace mechane::fuzz
