#include "open_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    mechane::fuzz::open_bytes(data, size, ".usdz");
    return 0;
}
