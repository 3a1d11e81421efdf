// Whole numbers of any size, for expressions of xacro: Python's have no end, and a real number in place of one is
// another number from 2^53 on. Only what leaves 64 bits comes here, so plain methods are quick enough.

#include "sourceformats/expression/whole.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace mechane::sourceformats {
namespace {

constexpr std::size_t kDigit = 32;

void trim(std::vector<std::uint32_t>& digits)
{
    while (!digits.empty() && digits.back() == 0) digits.pop_back();
}

}  // namespace

Whole::Whole(std::int64_t value) : negative_(value < 0)
{
    // The magnitude of the lowest value is no value of its type.
    std::uint64_t rest = value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    for (; rest != 0; rest >>= kDigit) digits_.push_back(static_cast<std::uint32_t>(rest));
}

std::optional<Whole> Whole::read(std::string_view digits, unsigned base)
{
    Whole      out;
    const bool minus = digits.starts_with('-');
    if (minus || digits.starts_with('+')) digits.remove_prefix(1);
    if (digits.empty()) return std::nullopt;
    for (const char c : digits) {
        const unsigned v = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                           : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                                  : base;
        if (v >= base || out.bits() > kMostBits) return std::nullopt;
        std::uint64_t carry = v;
        for (std::uint32_t& digit : out.digits_) {
            carry += std::uint64_t{digit} * base;
            digit = static_cast<std::uint32_t>(carry);
            carry >>= kDigit;
        }
        if (carry != 0) out.digits_.push_back(static_cast<std::uint32_t>(carry));
    }
    out.negative_ = minus && !out.zero();
    return out;
}

Whole Whole::of(double number)
{
    int           exponent = 0;
    const double  mantissa = std::frexp(std::abs(std::trunc(number)), &exponent);  // in [0.5, 1)
    constexpr int kExact   = 53;
    Whole         out(static_cast<std::int64_t>(std::ldexp(mantissa, kExact)));
    if (exponent >= kExact)
        out.digits_ = shifted(out.digits_, static_cast<std::size_t>(exponent - kExact));
    else
        out = Whole(static_cast<std::int64_t>(std::abs(std::trunc(number))));
    out.negative_ = number < 0 && !out.zero();
    return out;
}

std::size_t Whole::bits_of(const Digits& a)
{ return a.empty() ? 0 : kDigit * a.size() - static_cast<std::size_t>(std::countl_zero(a.back())); }

std::size_t Whole::bits() const { return bits_of(digits_); }

std::optional<std::int64_t> Whole::small() const
{
    if (digits_.size() > 2) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = digits_.size(); i > 0; --i) value = value << kDigit | digits_[i - 1];
    constexpr std::uint64_t kEnd = std::uint64_t{1} << 63;
    if (value > kEnd || (value == kEnd && !negative_)) return std::nullopt;
    return static_cast<std::int64_t>(negative_ ? ~value + 1 : value);
}

double Whole::rounded(const Digits& m, bool more, int exponent)
{
    // 64 bits are more than a number holds; whatever lies below them only says to which side of a half it is.
    const std::size_t bits  = bits_of(m);
    std::uint64_t     top   = 0;
    const std::size_t below = bits > 64 ? bits - 64 : 0;
    for (std::size_t i = 0; i < bits; ++i) {
        const bool set = (m[i / kDigit] >> (i % kDigit) & 1) != 0;
        if (i < below)
            more |= set;
        else if (set)
            top |= std::uint64_t{1} << (i - below);
    }
    if (more && bits >= 64) top |= 1;
    return std::ldexp(static_cast<double>(top), exponent + static_cast<int>(below));
}

double Whole::number() const
{
    const double out = rounded(digits_, false, 0);
    return negative_ ? -out : out;
}

std::uint32_t Whole::divide(Digits& a, std::uint32_t by)
{
    std::uint64_t rest = 0;
    for (std::size_t i = a.size(); i > 0; --i) {
        rest     = rest << kDigit | a[i - 1];
        a[i - 1] = static_cast<std::uint32_t>(rest / by);
        rest %= by;
    }
    trim(a);
    return static_cast<std::uint32_t>(rest);
}

std::string Whole::str() const
{
    if (zero()) return "0";
    std::string             out;
    constexpr std::uint32_t kNine = 1'000'000'000;
    for (Digits left = digits_; !left.empty();) {
        std::string nine = std::to_string(divide(left, kNine));
        if (!left.empty()) nine.insert(0, 9 - nine.size(), '0');
        out.insert(0, nine);
    }
    return negative_ ? "-" + out : out;
}

std::strong_ordering Whole::order(const Digits& a, const Digits& b)
{
    if (a.size() != b.size()) return a.size() <=> b.size();
    return std::lexicographical_compare_three_way(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

std::strong_ordering operator<=>(const Whole& a, const Whole& b)
{
    if (a.negative_ != b.negative_) return a.negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
    return a.negative_ ? Whole::order(b.digits_, a.digits_) : Whole::order(a.digits_, b.digits_);
}

Whole Whole::operator-() const
{
    Whole out     = *this;
    out.negative_ = !negative_ && !zero();
    return out;
}

Whole::Digits Whole::sum(const Digits& a, const Digits& b)
{
    Digits        out;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
        carry += (i < a.size() ? std::uint64_t{a[i]} : 0) + (i < b.size() ? b[i] : 0);
        out.push_back(static_cast<std::uint32_t>(carry));
        carry >>= kDigit;
    }
    trim(out);
    return out;
}

Whole::Digits Whole::difference(const Digits& a, const Digits& b)
{
    Digits       out    = a;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        borrow += std::int64_t{out[i]} - (i < b.size() ? std::int64_t{b[i]} : 0);
        out[i] = static_cast<std::uint32_t>(borrow);
        borrow >>= kDigit;
    }
    trim(out);
    return out;
}

Whole operator+(const Whole& a, const Whole& b)
{
    Whole out;
    if (a.negative_ == b.negative_) {
        out.digits_   = Whole::sum(a.digits_, b.digits_);
        out.negative_ = a.negative_;
        return out;
    }
    const bool larger = Whole::order(a.digits_, b.digits_) >= 0;
    out.digits_       = larger ? Whole::difference(a.digits_, b.digits_) : Whole::difference(b.digits_, a.digits_);
    out.negative_     = !out.zero() && (larger ? a.negative_ : b.negative_);
    return out;
}

Whole operator*(const Whole& a, const Whole& b)
{
    Whole out;
    out.digits_.assign(a.digits_.size() + b.digits_.size(), 0);
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < b.digits_.size() || carry != 0; ++j) {
            carry += out.digits_[i + j] + (j < b.digits_.size() ? std::uint64_t{a.digits_[i]} * b.digits_[j] : 0);
            out.digits_[i + j] = static_cast<std::uint32_t>(carry);
            carry >>= kDigit;
        }
    }
    trim(out.digits_);
    out.negative_ = !out.zero() && a.negative_ != b.negative_;
    return out;
}

Whole::Digits Whole::shifted(const Digits& a, std::size_t bits)
{
    Digits            out(a.size() + bits / kDigit + 1, 0);
    const std::size_t inner = bits % kDigit;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::uint64_t wide = std::uint64_t{a[i]} << inner;
        out[i + bits / kDigit] |= static_cast<std::uint32_t>(wide);
        out[i + bits / kDigit + 1] |= static_cast<std::uint32_t>(wide >> kDigit);
    }
    trim(out);
    return out;
}

std::pair<Whole::Digits, Whole::Digits> Whole::division(const Digits& a, const Digits& b)
{
    if (b.size() == 1) {
        Digits              q    = a;
        const std::uint32_t rest = divide(q, b.front());
        return {q, rest == 0 ? Digits{} : Digits{rest}};
    }
    // Bit by bit, as by hand.
    Digits q(a.size(), 0), rest;
    for (std::size_t i = bits_of(a); i > 0; --i) {
        rest = shifted(rest, 1);
        if ((a[(i - 1) / kDigit] >> ((i - 1) % kDigit) & 1) != 0) {
            if (rest.empty()) rest.push_back(0);
            rest.front() |= 1;
        }
        if (order(rest, b) < 0) continue;
        rest = difference(rest, b);
        q[(i - 1) / kDigit] |= std::uint32_t{1} << ((i - 1) % kDigit);
    }
    trim(q);
    return {q, rest};
}

std::pair<Whole, Whole> Whole::divided(const Whole& by) const
{
    Whole q, rest;
    std::tie(q.digits_, rest.digits_) = division(digits_, by.digits_);
    q.negative_                       = !q.zero() && negative_ != by.negative_;
    rest.negative_                    = !rest.zero() && negative_;
    if (!rest.zero() && negative_ != by.negative_) return {q - Whole(1), rest + by};
    return {q, rest};
}

double Whole::ratio(const Whole& by) const
{
    // As many bits of the quotient as decide how it is rounded.
    constexpr int kEnough = 66;
    const int     up      = std::max(0, kEnough + static_cast<int>(by.bits()) - static_cast<int>(bits()));
    const auto [q, rest]  = division(shifted(digits_, static_cast<std::size_t>(up)), by.digits_);
    const double out      = rounded(q, !rest.empty(), -up);
    return negative_ == by.negative_ ? out : -out;
}

Value to_value(const Whole& number)
{
    if (const auto small = number.small()) return {*small};
    return {std::make_shared<const Whole>(number)};
}

std::optional<Whole> integer(const Value& value)
{
    if (const auto* i = std::get_if<std::int64_t>(&value.is)) return Whole(*i);
    if (const auto* t = std::get_if<bool>(&value.is)) return Whole(*t ? 1 : 0);
    if (const auto* w = std::get_if<std::shared_ptr<const Whole>>(&value.is)) return **w;
    return std::nullopt;
}

}  // namespace mechane::sourceformats
