#pragma once
#include <limits>

/// The linker's guard over precision. `Real` changes the layout of nearly every structure, and C++ does not put it into
/// the names of functions. So each object that sees this header asks for the symbol of its own precision, and the
/// library holds one of the two: "undefined reference to `mechane_precision_is_double`" says that a program was
/// compiled with MECHANE_REAL_IS_DOUBLE and linked against a library of float. docs/install.md says which definition a
/// library wants.
#if defined(MECHANE_REAL_IS_DOUBLE)
#define MECHANE_PRECISION_SYMBOL mechane_precision_is_double
#else
#define MECHANE_PRECISION_SYMBOL mechane_precision_is_float
#endif
extern "C" const char MECHANE_PRECISION_SYMBOL;

namespace mechane {

/// The scalar of the simulation wing. Import, units and mass properties compute in double and narrow once, at finalize.
#if defined(MECHANE_REAL_IS_DOUBLE)
using Real = double;
#else
using Real = float;
#endif

namespace guard {
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(gnu::retain)
[[gnu::used, gnu::retain, gnu::visibility("hidden")]]  // kept where the linker drops what nothing uses
#elif __has_cpp_attribute(gnu::used)
[[gnu::used, gnu::visibility("hidden")]]
#endif
#endif
inline const char* const precision = &MECHANE_PRECISION_SYMBOL;
}  // namespace guard

/// Double in builds of both precisions; narrow them where a `Real` is wanted.
inline constexpr double kPi       = 3.14159265358979323846;
inline constexpr double kDegrees  = kPi / 180.0;  ///< radians per degree
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// x * x with one evaluation of x.
/// For floating-point numbers: small integers are promoted, and their product is cut back to T.
template <class T>
constexpr T square(T x)
{ return x * x; }

/// `0.5_r` is a Real in builds of both precisions, without a warning about narrowing.
namespace literals {
constexpr Real operator""_r(long double x) { return static_cast<Real>(x); }
constexpr Real operator""_r(unsigned long long x) { return static_cast<Real>(x); }
}  // namespace literals

}  // namespace mechane
