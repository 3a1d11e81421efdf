// Rigid bodies of the solvers in maximal coordinates: loading a state, integrating, bounds, publishing. Poses X_WB,
// twists (velocity of the centre of mass, angular velocity) and wrenches about the centre of mass, all in world axes
// and double.

#include "solvers/shared/bodies.h"

#include <algorithm>
#include <cmath>

#include "mechane/dynamics/kinematics.h"
#include "mechane/model/types.h"

// Semi-implicit Euler of a rigid body: the velocity first, then the pose with the new velocity,
//   v+ = v + h (f/m + g),              x_com+ = x_com + h v+,
//   w+ = w + h I^-1 (t - w x I w),     q+ = normalize(q + h/2 (w+, 0) q),
// the angular part in body axes. The gyroscopic term is explicit, as in Newton 1.8 (`integrate_rigid_body`): it adds
// energy of order h to a tumbling body.

namespace mechane::solvers::shared {

namespace {
/// Beyond these bounds an explicit step has diverged; the world is left as it was.
constexpr double kFastest  = 1e6;  ///< [m/s], [rad/s]
constexpr double kFarthest = 1e9;  ///< [m]
}  // namespace

Bodies::Bodies(const model::Model& m) : model(&m)
{
    const std::size_t n = m.body_count();
    X.resize(n);
    twist.resize(n);
    force.resize(n);
    commanded.resize(n);
    change.resize(n);
    led.resize(n);
    com.resize(n);
    inertia.resize(n);
    inv_inertia.resize(n);
    inv_mass.resize(n);
    kinematic.resize(n);
    has_mass.resize(n);
    read_model();
}

void Bodies::read_model()
{
    const model::Model& m = *model;
    for (std::size_t b = 0; b < m.body_count(); ++b) {
        com[b]         = static_cast<Vec3d>(m.body_com[b]);
        inertia[b]     = static_cast<Mat33d>(m.body_inertia[b]);
        inv_inertia[b] = static_cast<Mat33d>(m.body_inv_inertia[b]);
        kinematic[b]   = (m.body_flags[b] & model::body_flag::kinematic) != 0;
        has_mass[b]    = m.body_inv_mass[b] > 0;
        inv_mass[b]    = kinematic[b] ? 0 : static_cast<double>(m.body_inv_mass[b]);
    }
}

/// A kinematic body with a finite target gets the one velocity that takes it there in the step.
void Bodies::load(const model::State& in, const model::Control& control, double dt)
{
    const bool targets = control.body_target_q.size() == X.size();
    for (std::size_t b = 0; b < X.size(); ++b) {
        X[b]         = static_cast<Posed>(in.body_q[b]);
        X[b].q       = normalized(X[b].q);
        twist[b]     = static_cast<Spatiald>(in.body_qd[b]);
        commanded[b] = change[b] = {};
        led[b]                   = 0;
        if (!kinematic[b] || !targets || !is_finite(control.body_target_q[b].p) ||
            !is_finite(control.body_target_q[b].q))
            continue;
        Posed goal   = static_cast<Posed>(control.body_target_q[b]);
        goal.q       = normalized(goal.q);
        commanded[b] = {(1 / dt) * (goal * com[b] - X[b] * com[b]),
                        (1 / dt) * to_rotation_vector(normalized(goal.q * conjugate(X[b].q)))};
        change[b]    = commanded[b] - twist[b];
        twist[b]     = commanded[b];
        led[b]       = 1;
    }
}

void Bodies::begin_forces(const model::State& in)
{
    for (std::size_t b = 0; b < force.size(); ++b) {
        force[b] = in.body_f.empty() ? Spatiald{} : static_cast<Spatiald>(in.body_f[b]);
        if (!is_finite(force[b])) force[b] = {};
    }
}

void Bodies::integrate(double h, double angular_damping)
{
    for (std::size_t b = 0; b < X.size(); ++b) {
        Posed&    x = X[b];
        Spatiald& v = twist[b];
        if (kinematic[b]) {
            if (commanded[b] == Spatiald{}) continue;
            const Vec3d at = x * com[b] + h * commanded[b].linear;
            x.q            = normalized(from_rotation_vector(h * commanded[b].angular) * x.q);
            x.p            = at - rotate(x.q, com[b]);
            continue;
        }
        const Vec3d at = x * com[b];
        const Vec3d g  = has_mass[b] ? static_cast<Vec3d>(model->gravity_of(model->body_world[b])) : Vec3d{};
        v.linear += h * (inv_mass[b] * force[b].linear + g);
        const Vec3d w_B = rotate_inverse(x.q, v.angular);
        const Vec3d t_B = rotate_inverse(x.q, force[b].angular) - cross(w_B, inertia[b] * w_B);
        // Euler's equation in body axes, where the inertia is constant.
        v.angular      = rotate(x.q, w_B + h * (inv_inertia[b] * t_B));
        const Quatd dq = Quatd{v.angular.x, v.angular.y, v.angular.z, 0} * x.q;
        x.q            = normalized(
            Quatd{x.q.x + 0.5 * h * dq.x, x.q.y + 0.5 * h * dq.y, x.q.z + 0.5 * h * dq.z, x.q.w + 0.5 * h * dq.w});
        x.p       = at + h * v.linear - rotate(x.q, com[b]);
        v.angular = (1 - angular_damping * h) * v.angular;
    }
}

bool in_bounds(const Posed& X, const Spatiald& twist)
{
    // What is no number is below no bound.
    return length_squared(X.p) < kFarthest * kFarthest && length_squared(twist.linear) < kFastest * kFastest &&
           length_squared(twist.angular) < kFastest * kFastest && is_finite(X.q);
}

std::int32_t Bodies::find_faults(std::vector<std::uint8_t>& faulty) const
{
    std::int32_t first = -1;
    for (std::size_t b = 0; b < X.size(); ++b) {
        if (in_bounds(X[b], twist[b])) continue;
        faulty[static_cast<std::size_t>(model->body_world[b] + 1)] = 1;
        if (first < 0) first = static_cast<std::int32_t>(b);
    }
    return first;
}

void Bodies::publish_kinematic(std::size_t b, model::State& out) const
{
    // Without a target the caller's state holds.
    if (led[b] == 0) return;
    if (!(commanded[b] == Spatiald{})) out.body_q[b] = static_cast<Pose>(X[b]);
    // One that has arrived stands: a velocity that it had would be felt again in the next step.
    out.body_qd[b] = static_cast<Spatial>(twist[b]);
}

void Bodies::publish(const std::vector<std::uint8_t>& faulty, model::State& out) const
{
    const auto left_out = [&](std::int32_t world) { return faulty[static_cast<std::size_t>(world + 1)] != 0; };
    for (std::size_t b = 0; b < X.size(); ++b) {
        if (left_out(model->body_world[b])) continue;
        if (kinematic[b]) {
            publish_kinematic(b, out);
            continue;
        }
        out.body_q[b]  = static_cast<Pose>(X[b]);
        out.body_qd[b] = static_cast<Spatial>(twist[b]);
    }
    // Maximal coordinates: joint_q and joint_qd are read off the bodies, single angles by their turns.
    for (std::size_t j = 0; j < model->joint_count(); ++j) {
        if (left_out(model->joint_world[j])) continue;
        const auto motion = [&](std::int32_t b) {
            return b < 0 ? dynamics::BodyMotion{}
                         : dynamics::BodyMotion{X[static_cast<std::size_t>(b)], twist[static_cast<std::size_t>(b)]};
        };
        dynamics::joint_state(*model, static_cast<std::int32_t>(j), motion(model->joint_parent[j]),
                              motion(model->joint_child[j]), out.joint_q, out.joint_qd, true);
    }
}

}  // namespace mechane::solvers::shared
