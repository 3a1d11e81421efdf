#pragma once
#include <limits>

namespace mechane {

/// The scalar of the simulation wing. Import, units and mass properties compute in double and narrow once, at finalize.
#if defined(MECHANE_REAL_IS_DOUBLE)
using Real = double;
#else
using Real = float;
#endif

inline constexpr double kPi       = 3.14159265358979323846;
inline constexpr double kDegrees  = kPi / 180.0;  ///< radians per degree
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
constexpr T square(T x)
{ return x * x; }

namespace literals {
constexpr Real operator""_r(long double x) { return static_cast<Real>(x); }
constexpr Real operator""_r(unsigned long long x) { return static_cast<Real>(x); }
}  // namespace literals

}  // namespace mechane
