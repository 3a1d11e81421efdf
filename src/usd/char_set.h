#pragma once
#include <array>
#include <string_view>

namespace mechane::usd {

/// A set of bytes, for scanners.
class CharSet {
  public:
    constexpr explicit CharSet(std::string_view bytes)
    {
        for (const char c : bytes) has_[static_cast<unsigned char>(c)] = true;
    }
    [[nodiscard]] constexpr bool has(char c) const { return has_[static_cast<unsigned char>(c)]; }
    /// Where the first of them stands from `at` on; the length of the text when none does.
    [[nodiscard]] std::size_t find(std::string_view text, std::size_t at) const
    {
        while (at < text.size() && !has(text[at])) ++at;
        return at;
    }

  private:
    std::array<bool, 256> has_{};
};

}  // namespace mechane::usd
