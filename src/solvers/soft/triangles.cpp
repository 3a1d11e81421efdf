// The law of a cloth triangle: stable neo-Hookean membrane (Smith, De Goes, Kim 2018, in two dimensions), energy [J]
// and the 3x3 block of one corner for vertex block descent. Lame parameters [N/m], positions [m].

#include <algorithm>
#include <cmath>

#include "solvers/soft/laws.h"

// F = [f0 f1] (3x2) maps the rest plane to the world. With I = |f0|^2 + |f1|^2 and J = |f0 x f1| the energy per rest
// area is
//   psi = mu/2 (I - 2) + L/2 (J - a)^2,   L = lambda + mu,   a = 1 + mu/L,
// which is free of stress at F = identity and has the Lame parameters mu and lambda there (Smith et al. 2018, eq. 13
// and 14, for two dimensions). The energy below has its value at rest subtracted.
//   dJ/df0 = f1 x n, dJ/df1 = n x f0, n = (f0 x f1) / J
// f0 and f1 depend on a corner x by the numbers b0 and b1: f_i = ... + b_i x. With s = L (J - a), w = b0 f1 - b1 f0 and
// g = dJ/dx = b0 dJ/df0 + b1 dJ/df1:
//   d2U/dx2 = mu (b0^2 + b1^2) I + L g g^T + s d2J/dx2,   J d2J/dx2 = |w|^2 I - w w^T - g g^T
// The last term counts only where s > 0: for s < 0 (compression) it is negative.
namespace mechane::solvers::soft {

namespace {

struct Plane {
    Vec3d f0, f1;
};

Plane gradient_of(const TriangleLaw& law, const TrianglePoints& x)
{
    const Vec3d a = x[1] - x[0], b = x[2] - x[0];
    return {law.pose[0] * a + law.pose[2] * b, law.pose[1] * a + law.pose[3] * b};
}

struct Nonlinear {
    double stiffness, rest_ratio;
};
/// L and a. Without any stiffness against the area there is none.
Nonlinear area_term(double mu, double lambda, double activation)
{
    const double stiffness = lambda + mu;
    return {stiffness, stiffness > 0 ? 1 + mu / stiffness - activation : 1};
}

}  // namespace

double triangle_energy(const TriangleLaw& law, const TrianglePoints& x)
{
    const auto [f0, f1]          = gradient_of(law, x);
    const auto [stiffness, rest] = area_term(law.mu, law.lambda, law.activation);
    const double off = length(cross(f0, f1)) - rest, off_at_rest = 1 - rest;
    return law.area * (0.5 * law.mu * (length_squared(f0) + length_squared(f1) - 2) +
                       0.5 * stiffness * (off * off - off_at_rest * off_at_rest));
}

/// F = s R has I = 2 s^2 and J = s^2; psi is least where mu + L (J - a) = 0, J = 1 - activation, and -L activation^2 /
/// 2 there.
double triangle_lowest(const TriangleLaw& law)
{ return -0.5 * law.area * (law.lambda + law.mu) * law.activation * law.activation; }

Block triangle_block(const TriangleLaw& law, std::size_t corner, const TrianglePoints& x, const TrianglePoints& before,
                     double inv_dt)
{
    const auto [f0, f1]          = gradient_of(law, x);
    const auto [stiffness, rest] = area_term(law.mu, law.lambda, law.activation);
    const auto&  D               = law.pose;
    const double b0              = corner == 0 ? -(D[0] + D[2]) : corner == 1 ? D[0] : D[2];
    const double b1              = corner == 0 ? -(D[1] + D[3]) : corner == 1 ? D[1] : D[3];
    const Vec3d  area_vector     = cross(f0, f1);
    // A collapsed triangle has no normal; the bound keeps the division finite.
    const double J = std::max(length(area_vector), 1e-10);
    const Vec3d  n = area_vector / J;
    const Vec3d  g = b0 * cross(f1, n) + b1 * cross(n, f0);
    const double s = stiffness * (J - rest);
    // Only tension gives a positive geometric term; under compression it is left out, so that the block stays positive.
    const double r = std::max(0.0, s) / J;
    const Vec3d  w = b0 * f1 - b1 * f0;

    Block out;
    out.force   = -law.mu * (b0 * f0 + b1 * f1) - s * g;
    out.hessian = (law.mu * (b0 * b0 + b1 * b1) + r * length_squared(w)) * Mat33d::identity() +
                  (stiffness - r) * Mat33d::outer(g, g) - r * Mat33d::outer(w, w);
    if (law.kd > 0) {
        // Damping by the change of the metric C = F^T F, which rotations leave alone: kd/2 |dC/dt|^2.
        const auto [p0, p1] = gradient_of(law, before);
        const auto add      = [&](double weight, double change, const Vec3d& dc) {
            out.force -= (law.kd * weight * change * inv_dt) * dc;
            out.hessian += law.kd * weight * inv_dt * Mat33d::outer(dc, dc);
        };
        add(1, dot(f0, f0) - dot(p0, p0), 2 * b0 * f0);
        add(2, dot(f0, f1) - dot(p0, p1), b0 * f1 + b1 * f0);
        add(1, dot(f1, f1) - dot(p1, p1), 2 * b1 * f1);
    }
    out.force *= law.area;
    out.hessian *= law.area;
    return out;
}

}  // namespace mechane::solvers::soft
