// Times as option values: a number may carry its unit. What is no time is left to the option's own check, which then
// names the whole text.

#include "cli/seconds.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/fraction.h"

namespace mechane::cli {

std::string in_seconds(std::string text)
{
    struct Unit {
        std::string_view name;
        double           seconds;
    };
    // Longer names first: "ms" ends with "s".
    static constexpr Unit kUnits[] = {{"min", 60}, {"ms", 1e-3}, {"us", 1e-6}, {"s", 1}, {"h", 3600}};
    for (const Unit& unit : kUnits) {
        if (!text.ends_with(unit.name)) continue;
        std::string number = text.substr(0, text.size() - unit.name.size());
        while (number.ends_with(' ')) number.pop_back();
        number           = without_fraction(number);
        double     value = 0;
        const auto done  = std::from_chars(number.data(), number.data() + number.size(), value);
        if (done.ec != std::errc() || done.ptr != number.data() + number.size()) return text;
        // 500 ms are 0.5 s, not 500 times the double next to a thousandth.
        return fmt::format("{}", unit.seconds < 1 ? value / (1 / unit.seconds) : value * unit.seconds);
    }
    return without_fraction(std::move(text));
}

}  // namespace mechane::cli
