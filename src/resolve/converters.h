#pragma once
// How rows turn what is authored into their value. Each answers nothing when it declines: the next resolver is asked
// then.
#include <cmath>

#include "mechane/resolve/resolver.h"

namespace mechane::resolve::convert {

/// The number of an attribute of the row, if it is authored and is one.
inline std::optional<double> number(const Inputs& in, std::size_t i)
{
    if (i >= in.authored.size() || !in.authored[i]) return std::nullopt;
    if (const auto* x = std::get_if<double>(&*in.authored[i])) return *x;
    if (const auto* b = std::get_if<bool>(&*in.authored[i])) return *b ? 1.0 : 0.0;
    return std::nullopt;
}

/// The first attribute as it is. A number that is not one is not authored.
inline std::optional<Value> same(const Inputs& in)
{
    if (!in.authored.front()) return std::nullopt;
    if (const auto* x = std::get_if<double>(&*in.authored.front()); x && std::isnan(*x)) return std::nullopt;
    return in.authored.front();
}

inline std::optional<Value> as_flag(const Inputs& in)
{
    const auto x = number(in, 0);
    return x && !std::isnan(*x) ? std::optional<Value>(*x != 0) : std::nullopt;
}

inline std::optional<Value> negated(const Inputs& in)
{
    const auto x = number(in, 0);
    return x ? std::optional<Value>(*x == 0) : std::nullopt;
}

/// Declines -inf, which stands for "engine default", and NaN.
inline std::optional<Value> unless_minus_infinity(const Inputs& in)
{
    const auto x = number(in, 0);
    return x && *x > -kInfinity ? std::optional<Value>(*x) : std::nullopt;
}

/// Contact stiffness and damping of MuJoCo's solref (time constant, damping ratio), or both negated when they are
/// negative.
struct Solref {
    double stiffness = 0, damping = 0;
};
inline std::optional<Solref> solref(const Inputs& in)
{
    if (!in.authored.front()) return std::nullopt;
    const auto* list = std::get_if<std::vector<double>>(&*in.authored.front());
    if (!list || list->size() < 2) return std::nullopt;
    const double t = (*list)[0], d = (*list)[1];
    if (t > 0 && d > 0) return Solref{1 / (t * t * d * d), 2 / t};
    if (t < 0 && d < 0) return Solref{-t, -d};
    return std::nullopt;
}

}  // namespace mechane::resolve::convert
