#pragma once
#include <algorithm>

#include "solvers/softstep/mechanism/mechanism.h"
#include "solvers/softstep/parameters.h"

namespace mechane::solvers::softstep {

inline constexpr double kUnbounded = 1e300;

/// A limit that is nearer than this becomes a row even when nothing moves towards it yet: contacts may. In the unit of
/// the row: two centimetres, or a good degree [m, rad].
inline constexpr double kLimitReach = 0.02;

/// One projected Gauss-Seidel step of a scalar row at the relative velocity `rate`; returns the impulse to add.
inline double solve_row(RowLaw& row, double rate, double w, bool relax)
{
    if (relax && row.lambda == 0 && row.relax_bias > 0) return 0;  // a stop not reached in this substep
    double delta;
    if (row.compliant)
        delta = -(rate + row.bias + row.gamma * row.lambda) / (w + row.gamma);
    else if (relax)
        delta = -(rate + row.relax_bias) / w;
    else
        delta = -row.mass_scale * (rate + row.bias) / w - row.impulse_scale * row.lambda;
    const double before = row.lambda;
    row.lambda          = std::clamp(before + delta, row.low, row.high);
    return row.lambda - before;
}

/// A hard stop at distance `gap`: not passed within the substep while it is open, pushed back softly once it is passed.
inline void make_stop(RowLaw& row, double gap, double h)
{
    row.compliant = false;
    row.gap       = gap;
    if (gap > 0) {
        row.bias          = gap / h;
        row.mass_scale    = 1;
        row.impulse_scale = 0;
        return;
    }
    const Softness soft = softness(kLimitHertzTimesStep / h, kLimitDampingRatio, h);
    row.bias            = std::max(soft.bias_rate * gap, -kPushVelocity);
    row.mass_scale      = soft.mass_scale;
    row.impulse_scale   = soft.impulse_scale;
}

/// A spring-damper integrated by implicit Euler: lambda = -h (ke (C + h v) + kd (v - rate)), unconditionally stable.
inline void make_spring(RowLaw& row, double ke, double kd, double C, double rate, double h)
{
    const double d = kd + h * ke;
    row.compliant  = true;
    row.gamma      = d > 0 ? 1 / (h * d) : 0;
    row.bias       = d > 0 ? (ke * C - kd * rate) / d : 0;
}

inline void advance_stop(RowLaw& row, double rate, double h)
{
    row.gap += h * rate;
    row.relax_bias = std::max(row.gap, 0.0) / h;
}

}  // namespace mechane::solvers::softstep
