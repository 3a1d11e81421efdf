// The text of a file if it is usda. Crates and packages begin otherwise and give nothing.

#include "usd/layer_text.h"

#include <cstdint>
#include <limits>
#include <string_view>

#include "mechane/files/read.h"

namespace mechane::usd {

std::string usda_text(const std::string& file)
{
    constexpr std::string_view kMagic = "#usda";
    if (const auto head = files::read_head(file, kMagic.size()); !head || *head != kMagic) return {};
    auto text = files::read(file, std::numeric_limits<std::uint64_t>::max());
    return text ? *std::move(text) : std::string();
}

}  // namespace mechane::usd
