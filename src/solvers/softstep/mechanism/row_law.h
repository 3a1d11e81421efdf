#pragma once
#include <algorithm>

#include "mechane/math/lane_by_lane.h"
#include "solvers/softstep/parameters.h"

// The law of a scalar row: limits, springs, dry friction. N is double, or what a device computes with.

namespace mechane::solvers::softstep {

inline constexpr double kUnbounded = 1e300;

/// A limit that is nearer than this becomes a row even when nothing moves towards it yet: contacts may. In the unit of
/// the row: two centimetres, or a good degree [m, rad].
inline constexpr double kLimitReach = 0.02;

/// Bounds and softness of one scalar row: J v + bias + gamma lambda = 0 with lambda in [low, high].
template <class N>
struct RowLawOf {
    N    bias = 0, gamma = 0, mass_scale = 1, impulse_scale = 0;
    N    low = 0, high = 0;
    N    gap        = 0;  ///< way left to a limit [m or rad], negative when passed
    N    lambda     = 0;
    N    relax_bias = 0;      ///< of the relax sweeps
    bool compliant  = false;  ///< a physical spring: softness stays on in the relax sweeps
    bool active     = false;
};

/// One projected Gauss-Seidel step of a scalar row at the relative velocity `rate`; returns the impulse to add.
template <class N>
MCH_INLINE N solve_row(RowLawOf<N>& row, std::type_identity_t<N> rate, std::type_identity_t<N> w, bool relax)
{
    if (relax && row.lambda == 0 && row.relax_bias > 0) return 0;  // a stop not reached in this substep
    N delta;
    if (row.compliant)
        delta = -(rate + row.bias + row.gamma * row.lambda) / (w + row.gamma);
    else if (relax)
        delta = -(rate + row.relax_bias) / w;
    else
        delta = -row.mass_scale * (rate + row.bias) / w - row.impulse_scale * row.lambda;
    const N before = row.lambda, after = before + delta;
    row.lambda     = after < row.low ? row.low : row.high < after ? row.high : after;
    return row.lambda - before;
}

/// A hard stop at distance `gap`: not passed within the substep while it is open, pushed back softly once it is passed.
template <class N>
MCH_INLINE void make_stop(RowLawOf<N>& row, std::type_identity_t<N> gap, double h)
{
    row.compliant = false;
    row.gap       = gap;
    if (gap > 0) {
        row.bias          = gap / static_cast<N>(h);
        row.mass_scale    = 1;
        row.impulse_scale = 0;
        return;
    }
    const Softness soft = softness(kLimitHertzTimesStep / h, kLimitDampingRatio, h);
    const N        back = static_cast<N>(soft.bias_rate) * gap, most = static_cast<N>(-kPushVelocity);
    row.bias            = back < most ? most : back;
    row.mass_scale      = static_cast<N>(soft.mass_scale);
    row.impulse_scale   = static_cast<N>(soft.impulse_scale);
}

/// A spring-damper integrated by implicit Euler: lambda = -h (ke (C + h v) + kd (v - rate)), unconditionally stable.
template <class N>
MCH_INLINE void make_spring(RowLawOf<N>& row, std::type_identity_t<N> ke, std::type_identity_t<N> kd,
                            std::type_identity_t<N> C, std::type_identity_t<N> rate, double h)
{
    const N step  = static_cast<N>(h), d = kd + step * ke;
    row.compliant = true;
    row.gamma     = d > 0 ? 1 / (step * d) : 0;
    row.bias      = d > 0 ? (ke * C - kd * rate) / d : 0;
}

template <class N>
MCH_INLINE void advance_stop(RowLawOf<N>& row, std::type_identity_t<N> rate, double h)
{
    row.gap += static_cast<N>(h) * rate;
    row.relax_bias = (row.gap > 0 ? row.gap : N{}) / static_cast<N>(h);
}

}  // namespace mechane::solvers::softstep
