#include <string_view>

#include "open_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto stage = mechane::usd::Stage::open_text(text, {}, mechane::fuzz::small()))
        mechane::fuzz::read_all(**stage);
    return 0;
}
