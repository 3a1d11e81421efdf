#pragma once
#include <cstdint>

#include "mechane/math/quat.h"

namespace mechane {

/// Seeded random numbers, the same on every platform (PCG32, O'Neill 2014). The standard library's distributions are
/// not.
class Random {
  public:
    /// Equal seeds give equal numbers, in every build and on every machine.
    /// All seeds walk one cycle of 2^64 numbers, each from a place of its own.
    explicit Random(std::uint64_t seed) : state_(seed + kIncrement) { next(); }

    /// All 32 bits, uniform; the period is 2^64.
    std::uint32_t next()
    {
        const std::uint64_t old = state_;
        state_                  = old * 6364136223846793005ull + kIncrement;
        const auto shifted      = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
        const auto turn         = static_cast<std::uint32_t>(old >> 59);
        return (shifted >> turn) | (shifted << ((32u - turn) & 31u));
    }
    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next()) * 0x1p-32; }
    /// Uniform in [low, high) to rounding.
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// Uniform in 0..n-1; n > 0. The bias is below n / 2^32.
    std::uint32_t below(std::uint32_t n)
    { return static_cast<std::uint32_t>((static_cast<std::uint64_t>(next()) * n) >> 32); }
    /// Uniform in the cube [-size, size]^3.
    /// Calls `uniform` three times, x first.
    Vec3d vec(double size)
    {
        const double x = uniform(-size, size), y = uniform(-size, size);
        return {x, y, uniform(-size, size)};
    }
    /// Uniform over directions.
    /// Unit. By the height on the axis and an angle, both uniform (Archimedes): two calls of `uniform`.
    Vec3d direction()
    {
        const double z = uniform(-1, 1), a = uniform(-kPi, kPi), r = std::sqrt(1 - z * z);
        return {r * std::cos(a), r * std::sin(a), z};
    }
    /// Uniform over rotations (Shoemake 1992).
    /// Unit, of either sign; three calls of `uniform`.
    Quatd rotation()
    {
        const double u = uniform(), a = uniform(-kPi, kPi), b = uniform(-kPi, kPi);
        return {std::sqrt(1 - u) * std::sin(a), std::sqrt(1 - u) * std::cos(a), std::sqrt(u) * std::sin(b),
                std::sqrt(u) * std::cos(b)};
    }

  private:
    static constexpr std::uint64_t kIncrement = 1442695040888963407ull;
    std::uint64_t                  state_;
};

}  // namespace mechane
