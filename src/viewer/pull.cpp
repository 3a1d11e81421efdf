// The force by which a user's mouse pulls a body, as a damped spring from the point that was grabbed to the mouse.
// Inputs: the body, the point in the body's frame and the target in the world [m]. Output: a wrench at the centre of
// mass [N, N m, world].
// The effective mass at the point is 1 / (1/m + r^2 / I). The stiffness is bounded twice: by stability of an explicit
// force over a step (k <= m_eff (0.5 / dt)^2) and by what lifts the whole tree with 2 Hz. Damping is critical, 2 sqrt(k
// m_eff).
// Called by LiveSession before each step.

#include <algorithm>
#include <cmath>

#include "mechane/viewer/live_page.h"

namespace mechane::viewer {
namespace {

constexpr double kLiftFrequency = 2 * 2 * 3.14159265358979323846;  ///< [rad/s], 2 Hz

double trace(const Mat33& m) { return static_cast<double>(m(0, 0) + m(1, 1) + m(2, 2)); }

/// Mass of the tree that a body is in; its own where it is in none [kg].
double mass_around(const model::Model& model, std::size_t body)
{
    std::int32_t tree = -1;
    for (std::size_t j = 0; j < model.joint_count(); ++j)
        if (model.joint_child[j] == static_cast<std::int32_t>(body) && model.joint_articulation[j] >= 0)
            tree = model.joint_articulation[j];
    double mass = 0;
    for (std::size_t j = 0; tree >= 0 && j < model.joint_count(); ++j)
        if (model.joint_articulation[j] == tree && model.joint_child[j] >= 0)
            mass += static_cast<double>(model.body_mass[static_cast<std::size_t>(model.joint_child[j])]);
    return std::max(mass, static_cast<double>(model.body_mass[body]));
}

}  // namespace

Spatial pull_wrench(const model::Model& model, const model::State& state, const Pull& pull, double dt)
{
    const auto body = static_cast<std::size_t>(pull.body);
    if (pull.body < 0 || body >= model.body_count() || !(model.body_inv_mass[body] > 0) || !(dt > 0)) return {};
    const Posed  X_WB    = static_cast<Posed>(state.body_q[body]);
    const Vec3d  com     = X_WB * static_cast<Vec3d>(model.body_com[body]);
    const Vec3d  arm     = X_WB * pull.point - com;
    const Vec3d  v       = static_cast<Vec3d>(state.body_qd[body].linear) +
                    cross(static_cast<Vec3d>(state.body_qd[body].angular), arm);
    const double mass    = static_cast<double>(model.body_mass[body]);
    // A third of the trace: the mean of the principal moments.
    const double inertia = std::max(1e-12, trace(model.body_inertia[body]) / 3);
    // The inertia of links that hang on the body can only add to what it opposes.
    const double opposed = 1 / (1 / mass + dot(arm, arm) / inertia);
    const double k =
        std::min(opposed * (0.5 / dt) * (0.5 / dt), mass_around(model, body) * kLiftFrequency * kLiftFrequency);
    const Vec3d force = k * (pull.target - (com + arm)) - 2 * std::sqrt(k * opposed) * v;
    if (!is_finite(force)) return {};
    return {static_cast<Vec3>(force), static_cast<Vec3>(cross(arm, force))};
}

}  // namespace mechane::viewer
