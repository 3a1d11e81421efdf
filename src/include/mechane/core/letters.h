#pragma once
#include <algorithm>
#include <string>
#include <string_view>

/// Names that people write in several ways. Letters are those of ASCII, whatever the locale.
namespace mechane {

[[nodiscard]] constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

[[nodiscard]] inline std::string lower_case(std::string_view text)
{
    std::string out(text);
    for (char& c : out) c = lower_case(c);
    return out;
}

/// Whether two words differ in case alone.
[[nodiscard]] inline bool same_word(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower_case(x) == lower_case(y); });
}

/// A word without case, dashes and blanks: "besteffort" of "Best-Effort" and of "BEST_EFFORT".
[[nodiscard]] inline std::string letters_of(std::string_view word)
{
    std::string letters;
    for (char c : word)
        if (c = lower_case(c); (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
    return letters;
}

}  // namespace mechane
