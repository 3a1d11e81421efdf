#pragma once
#include <cmath>
#include <string>
#include <string_view>

#include "mechane/core/diagnostic.h"
#include "mechane/math/pose.h"
#include "mechane/math/spatial.h"

namespace mechane::model {

/// Beyond this magnitude a number is a mistake: its square must still be a float.
inline constexpr double kLargestNumber = 1e18;

/// Narrows the numbers of one entity from double to Real and reports each that had to be replaced.
class NumberRepair {
  public:
    NumberRepair(Diagnostics& out, std::string_view label) : out_(out), label_(label) {}

    /// A finite number of either sign; `fallback` where it is not.
    Real number(double value, std::string_view array, double fallback = 0)
    { return std::abs(value) <= kLargestNumber ? static_cast<Real>(value) : replaced(value, array, fallback); }
    /// As `number`, and zero where negative.
    Real not_negative(double value, std::string_view array, double fallback = 0);
    /// As `number`, held within [lower, upper].
    Real within(double value, double lower, double upper, std::string_view array);
    /// As `not_negative`, but infinity stays: a force that never gives way.
    Real bound(double value, std::string_view array, double fallback);
    /// A limit: infinite ones, and all beyond kMaxValue, become +-kMaxValue; `side` is -1 or 1.
    Real    limit(double value, int side, std::string_view array);
    Vec3    vector(const Vec3d& value, std::string_view array);
    Spatial spatial(const Spatiald& value, std::string_view array);
    /// A unit quaternion. Lengths within 10 % are normalised silently, others are reported.
    Quat rotation(const Quatd& value, std::string_view array);
    Pose pose(const Posed& value, std::string_view array);
    /// A unit vector, X where it has no direction.
    Vec3 axis(const Vec3d& value);

    [[nodiscard]] Site site(std::string_view array) const;

  private:
    Real replaced(double value, std::string_view array, double fallback);

    Diagnostics&     out_;
    std::string_view label_;
};

}  // namespace mechane::model
