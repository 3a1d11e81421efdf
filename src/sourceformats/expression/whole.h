#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sourceformats/expression.h"

namespace mechane::sourceformats {

/// A whole number without an end, as Python's int.
class Whole {
  public:
    /// Python writes no number of more than 4,300 digits; what is longer is refused before it is computed.
    static constexpr std::size_t kMostBits = 14'000;

    Whole() = default;
    Whole(std::int64_t value);  // NOLINT(google-explicit-constructor): a whole number is one
    /// Of digits with an optional sign; nothing of anything else, or of more than kMostBits.
    static std::optional<Whole> read(std::string_view digits, unsigned base = 10);
    /// Of a finite number, without what lies behind the point.
    static Whole of(double number);

    [[nodiscard]] bool                        negative() const { return negative_; }
    [[nodiscard]] bool                        zero() const { return digits_.empty(); }
    [[nodiscard]] std::size_t                 bits() const;
    [[nodiscard]] std::optional<std::int64_t> small() const;   ///< where 64 bits hold it
    [[nodiscard]] double                      number() const;  ///< the nearest, of two the even one; infinite beyond
    [[nodiscard]] std::string                 str() const;

    [[nodiscard]] Whole operator-() const;
    friend Whole        operator+(const Whole& a, const Whole& b);
    friend Whole        operator-(const Whole& a, const Whole& b) { return a + -b; }
    friend Whole        operator*(const Whole& a, const Whole& b);
    /// Quotient rounded down, and a rest with the sign of the divisor, which is not zero.
    [[nodiscard]] std::pair<Whole, Whole> divided(const Whole& by) const;
    /// The number nearest to the quotient; the divisor is not zero.
    [[nodiscard]] double ratio(const Whole& by) const;

    friend std::strong_ordering operator<=>(const Whole& a, const Whole& b);
    friend bool                 operator==(const Whole& a, const Whole& b) { return a <=> b == 0; }

  private:
    using Digits = std::vector<std::uint32_t>;  ///< base 2^32, the lowest first, without zeros at the top

    static std::strong_ordering      order(const Digits& a, const Digits& b);
    static Digits                    sum(const Digits& a, const Digits& b);
    static Digits                    difference(const Digits& a, const Digits& b);  ///< of a >= b
    static std::pair<Digits, Digits> division(const Digits& a, const Digits& b);
    static Digits                    shifted(const Digits& a, std::size_t bits);
    static std::uint32_t             divide(Digits& a, std::uint32_t by);  ///< in place; the rest
    static std::size_t               bits_of(const Digits& a);
    /// m x 2^exponent as a number, where what `more` says lies below m is not zero.
    static double rounded(const Digits& m, bool more, int exponent);

    bool   negative_ = false;
    Digits digits_;
};

/// The whole number as a value: as one of 64 bits where these hold it.
Value to_value(const Whole& number);
/// Of a whole number, as which Python also takes what is true or false; else nothing.
std::optional<Whole> integer(const Value& value);

}  // namespace mechane::sourceformats
