// Corrections of bodies in xpbd: impulses are summed over all rows of a pass and then applied at once (Jacobi), to pose
// and velocity.
// Impulses [N s] and [N m s] about the centre of mass, in world axes.

#include "solvers/xpbd/corrections.h"

#include <algorithm>

// Multipliers are impulses here: lambda = h times a force. A row's correction dv = M^-1 J^T lambda moves the pose by
// h dv. A change of the angular velocity also changes the gyroscopic term, w x I w, which the prediction took at the
// old velocity; the difference is subtracted over h.

namespace mechane::solvers::xpbd {

void Corrections::clear()
{
    std::fill(impulse.begin(), impulse.end(), Spatiald{});
    std::fill(count.begin(), count.end(), 0);
}

void push(shared::Bodies& bodies, std::size_t b, const Spatiald& impulse, double h, double part)
{
    Posed&      x    = bodies.X[b];
    Spatiald&   v    = bodies.twist[b];
    const Vec3d dv   = (bodies.inv_mass[b] * part) * impulse.linear;
    const Vec3d w_B  = rotate_inverse(x.q, v.angular);
    const Vec3d dw_B = bodies.inv_inertia[b] * rotate_inverse(x.q, part * impulse.angular);
    const Vec3d gyro = cross(dw_B, bodies.inertia[b] * (w_B + dw_B)) + cross(w_B, bodies.inertia[b] * dw_B);
    const Vec3d dw   = rotate(x.q, dw_B - h * (bodies.inv_inertia[b] * gyro));
    const Vec3d at   = x * bodies.com[b] + h * dv;
    // q' = q + h/2 (w, 0) q, normalized.
    const Quatd dq = Quatd{dw.x, dw.y, dw.z, 0} * x.q;
    x.q            = normalized(
        Quatd{x.q.x + 0.5 * h * dq.x, x.q.y + 0.5 * h * dq.y, x.q.z + 0.5 * h * dq.z, x.q.w + 0.5 * h * dq.w});
    x.p = at - rotate(x.q, bodies.com[b]);
    v.linear += dv;
    v.angular += dw;
}

void Corrections::apply(shared::Bodies& bodies, double h, bool share) const
{
    for (std::size_t b = 0; b < impulse.size(); ++b) {
        if (bodies.inv_mass[b] == 0 || impulse[b] == Spatiald{}) continue;
        // Rows of contacts share a body: each gets 1/count, or a body on four points would be pushed four times as far.
        push(bodies, b, impulse[b], h, share && count[b] > 0 ? 1.0 / count[b] : 1.0);
    }
}

/// w = J M^-1 J^T.
double inverse_effective_mass(const Row& row, const shared::Bodies& bodies)
{
    const auto side = [&](std::int32_t b, const Spatiald& j) {
        return bodies.inverse_mass(b) * length_squared(j.linear) +
               dot(j.angular, bodies.inverse_inertia_times(b, j.angular));
    };
    return side(row.a, row.on_a) + side(row.b, row.on_b);
}

double rate_of(const Row& row, const shared::Bodies& bodies)
{
    const auto side = [&](std::int32_t b, const Spatiald& j) {
        return b < 0 ? 0.0 : dot(j, bodies.twist[static_cast<std::size_t>(b)]);
    };
    return side(row.a, row.on_a) + side(row.b, row.on_b);
}

}  // namespace mechane::solvers::xpbd
