#include <cstddef>
#include <cstdint>
#include <span>

#include "mechane/record/checkpoint.h"

/// Checkpoints: what is read can be written, and has the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto read = mechane::record::read_checkpoint(std::as_bytes(std::span(data, size)), "fuzz");
    if (read) (void)mechane::record::to_bytes(*read);
    return 0;
}
