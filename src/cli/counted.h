#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace mechane::cli {

/// "1 body", "2 bodies"; without a plural of its own a word takes an s.
inline std::string counted(std::size_t count, std::string_view one, std::string_view many = {})
{
    if (count == 1) return fmt::format("1 {}", one);
    return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

}  // namespace mechane::cli
