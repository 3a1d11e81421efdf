// Values that are not finite, told as text for a message. Infinity is legal for some attributes, NaN for none, hence
// two functions. Called by rules of numbers.

#include "finite.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "family.h"

namespace mechane::conformance {
namespace {

/// The components of a number, vector or quaternion.
std::vector<double> components(const usd::Value& value)
{
    if (const auto x = value.get<double>()) return {*x};
    if (const auto v = value.get<Vec2d>()) return {v->x, v->y};
    if (const auto v = value.get<Vec3d>()) return {v->x, v->y, v->z};
    if (const auto q = value.get<Quatd>()) return {q->w, q->x, q->y, q->z};
    return {};
}

std::optional<std::string> faulty(const usd::Attribute& attribute, bool (*fault)(double))
{
    const std::vector<double> all = components(attribute.authored_value());
    if (std::none_of(all.begin(), all.end(), fault)) return std::nullopt;
    if (all.size() == 1) return number(all.front());
    std::string text;
    for (const double x : all) text += (text.empty() ? "(" : ", ") + number(x);
    return text + ")";
}

}  // namespace

std::optional<std::string> not_finite(const usd::Attribute& attribute)
{
    return faulty(attribute, [](double x) { return !std::isfinite(x); });
}

std::optional<std::string> not_a_number(const usd::Attribute& attribute)
{
    return faulty(attribute, [](double x) { return std::isnan(x); });
}

}  // namespace mechane::conformance
