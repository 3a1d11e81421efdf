#pragma once
#include <algorithm>

#include "mechane/math/lane_by_lane.h"
#include "solvers/softstep/parameters.h"

// The law of a scalar row: joint limits, springs and drives, dry friction, velocity limits. N is double, or what a
// device computes with.
//
// A row looks at one rate r = J v and pushes with one impulse l (`lambda`). It asks for
//
//     r + bias + gamma l = 0        with  low <= l <= high
//
// A sweep corrects the rows in turn (projected Gauss-Seidel): each adds dl to its impulse, which is then clamped to the
// bounds. With the response w = J M^-1 J^T of the row to itself,
//
//     hard          dl = -(r + bias) / w
//     soft          dl = -a2 a3 (r + bias) / w - a3 l         mass_scale = a2 a3, impulse_scale = a3 (parameters.h)
//     compliant     dl = -(r + bias + gamma l) / (w + gamma)
//     hard or soft in a relaxation sweep     dl = -(r + relax_bias) / w
//
// * A stop (make_stop) is open or passed by the gap C. Open, C > 0, it is hard with bias = C / h: it is reached within
//   the substep and not passed. Passed, it is soft with kLimitHertzTimesStep / h and kLimitDampingRatio, and goes back
//   at kPushVelocity at most.
// * A spring (make_spring) is implicit Euler, l = -h (ke (C + h r) + kd (r - rate)), which is the row with
//   bias = (ke C - kd rate) / (kd + h ke) and gamma = 1 / (h (kd + h ke)). It is stable for any gains.
// * Dry friction is bias 0 with |l| <= h times the friction force. A velocity limit is a row against the motion with
//   bias = the limit. Both are set in dof_rows.cpp.
//
// Soft rows: Catto, "Soft Constraints", GDC 2011, and "Solver2D", 2024.
//
//     h       substep [s]                      r, bias   rates [m/s, rad/s]
//     C       error or gap [m, rad]            l         impulse [N s, N m s]
//     ke, kd  stiffness and damping            w, gamma  response and softness [1/kg, 1/(kg m^2)]

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
