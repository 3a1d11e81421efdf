// Fractions as option values: "1/200" becomes a decimal number, and what is no fraction is left to the option's own
// check.
// The printed number reads back to the same value.

#include "cli/fraction.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace mechane::cli {

std::string without_fraction(std::string text)
{
    const char* const end = text.data() + text.size();
    double            over = 0, under = 0;
    const auto        top = std::from_chars(text.data(), end, over);
    if (top.ec != std::errc() || top.ptr == end || *top.ptr != '/') return text;
    const auto bottom = std::from_chars(top.ptr + 1, end, under);
    if (bottom.ec != std::errc() || bottom.ptr != end || under == 0) return text;
    return fmt::format("{}", over / under);
}

}  // namespace mechane::cli
