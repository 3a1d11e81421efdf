#pragma once
#include <charconv>
#include <cmath>
#include <string>

namespace mechane::record {

/// Appends the shortest text that reads back to the same number. Numbers that are not finite are written as nan, inf,
/// -inf, within `quote` if given.
template <class Number>
void append_number(std::string& out, Number value, const char* quote = "")
{
    if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(value)) {
            out += quote;
            out += std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
            out += quote;
            return;
        }
    }
    char       text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    out.append(text, end);
}

}  // namespace mechane::record
