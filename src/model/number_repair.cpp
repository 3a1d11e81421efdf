// Narrowing of numbers from the builder's double to the model's Real: what is not finite or out of range is replaced,
// with one finding that names entity and array.

#include "number_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/model/codes.h"
#include "mechane/model/types.h"

namespace mechane::model {

Site NumberRepair::site(std::string_view array) const
{ return {.prim = std::string(label_), .property = std::string(array)}; }

Real NumberRepair::replaced(double value, std::string_view array, double fallback)
{
    const double used = std::isfinite(value) ? std::copysign(kLargestNumber, value) : fallback;
    out_.add(kNumberFixed, site(array), fmt::format("{} is {}, used {}", array, value, used));
    return static_cast<Real>(used);
}

Real NumberRepair::not_negative(double value, std::string_view array, double fallback)
{
    if (value < 0) {
        out_.add(kNumberFixed, site(array), fmt::format("{} is {}, expected zero or more; used 0", array, value));
        return 0;
    }
    return number(value, array, fallback);
}

Real NumberRepair::within(double value, double lower, double upper, std::string_view array)
{
    const double used = std::isnan(value) ? lower : std::clamp(value, lower, upper);
    if (!(used == value))
        out_.add(kNumberFixed, site(array),
                 // Not-a-number differs from everything, so it is told too.
                 fmt::format("{} is {}, expected {} to {}; used {}", array, value, lower, upper, used));
    return static_cast<Real>(used);
}

Real NumberRepair::bound(double value, std::string_view array, double fallback)
{ return value == kInfinity ? std::numeric_limits<Real>::infinity() : not_negative(value, array, fallback); }

Real NumberRepair::limit(double value, int side, std::string_view array)
{
    if (std::isnan(value)) out_.add(kNumberFixed, site(array), fmt::format("{} is nan, used no limit", array));
    // A lower limit at plus infinity is as little a limit as one at minus infinity.
    if (std::isnan(value) || std::abs(value) >= kMaxValue) return static_cast<Real>(side * kMaxValue);
    return static_cast<Real>(value);
}

Vec3 NumberRepair::vector(const Vec3d& v, std::string_view array)
{ return {number(v.x, array), number(v.y, array), number(v.z, array)}; }

Spatial NumberRepair::spatial(const Spatiald& v, std::string_view array)
{ return {vector(v.linear, array), vector(v.angular, array)}; }

Quat NumberRepair::rotation(const Quatd& q, std::string_view array)
{
    const double n = std::sqrt(dot(q, q));
    if (!(n >= 0.9 && n <= 1.1))
        out_.add(kRotationFixed, site(array),
                 fmt::format("{} is ({}, {}, {}, {}) of length {}, expected 1", array, q.x, q.y, q.z, q.w, n));
    // Rounded to Real, then normalised again, so that the stored numbers have unit length to their own precision. A
    // rotation that is a unit already must not change, or equal inputs would give unequal bytes after a round trip.
    const Quat r = static_cast<Quat>(std::abs(n - 1) < 1e-15 ? q : normalized(q));
    return std::abs(static_cast<double>(dot(r, r)) - 1) < 1e-6 ? r : normalized(r);
}

Pose NumberRepair::pose(const Posed& X, std::string_view array) { return {vector(X.p, array), rotation(X.q, array)}; }

Vec3 NumberRepair::axis(const Vec3d& a)
{
    const Vec3d unit = normalized(a);
    if (unit == Vec3d{}) {
        out_.add(kAxisFixed, site("joint_axis"),
                 fmt::format("joint_axis is ({}, {}, {}), used (1, 0, 0)", a.x, a.y, a.z));
        return {1, 0, 0};
    }
    return static_cast<Vec3>(unit);
}

}  // namespace mechane::model
