// The law of a tetrahedron: stable neo-Hookean solid (Smith, De Goes, Kim 2018), energy [J] and the 3x3 block of one
// corner. Lame parameters [Pa], positions [m].

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/soft/laws.h"

// F = D_s P with the edges D_s and the inverse rest edges P; J = det F. The energy per rest volume is
//   psi = mu/2 (tr F^T F - 3) + L/2 (J - a)^2,   L = lambda + mu,   a = 1 + mu/L
// (Smith, De Goes, Kim 2018, eq. 13 and 14), free of stress at rest. With b the row of P of a corner (minus their sum
// for corner 0), dF/dx = b^T, and c = cof(F) b = dJ/dx:
//   dU/dx   = mu F b + L (J - a) c
//   d2U/dx2 = mu |b|^2 I + L c c^T
// J is linear in each corner, so this is the whole Hessian, and it is positive definite.
namespace mechane::solvers::soft {

namespace {

Mat33d gradient_of(const TetLaw& law, const TetPoints& x)
{ return Mat33d::from_columns(x[1] - x[0], x[2] - x[0], x[3] - x[0]) * law.pose; }

double rest_volume(const TetLaw& law)
{
    const double d = determinant(law.pose);
    return d > 0 ? 1 / (6 * d) : 0;
}

Mat33d cofactor(const Mat33d& F) { return {cross(F.r1, F.r2), cross(F.r2, F.r0), cross(F.r0, F.r1)}; }

struct VolumeTerm {
    double stiffness, rest_ratio;
};
VolumeTerm volume_term(const TetLaw& law)
{
    const double stiffness = law.lambda + law.mu;
    // An activation shrinks the preferred volume.
    return {stiffness, stiffness > 0 ? 1 + law.mu / stiffness - law.activation : 1};
}

}  // namespace

double tet_energy(const TetLaw& law, const TetPoints& x)
{
    const Mat33d F               = gradient_of(law, x);
    const auto [stiffness, rest] = volume_term(law);
    const double I               = length_squared(F.r0) + length_squared(F.r1) + length_squared(F.r2);
    // Constants are chosen so that the energy of the rest shape is zero.
    const double off = determinant(F) - rest, off_at_rest = 1 - rest;
    return rest_volume(law) * (0.5 * law.mu * (I - 3) + 0.5 * stiffness * (off * off - off_at_rest * off_at_rest));
}

/// F = s R has I = 3 s^2 and J = s^3; psi is least where mu + L s (s^3 - a) = 0. Newton's method from the side where
/// the left is convex.
double tet_lowest(const TetLaw& law)
{
    const auto [stiffness, rest] = volume_term(law);
    if (law.activation == 0 || !(stiffness > 0)) return 0;
    double s = std::cbrt(std::max(rest, 1e-6));
    for (int i = 0; i < 50; ++i) {
        const double slope = stiffness * (4 * s * s * s - rest);
        if (!(slope > 0)) break;
        const double step = (law.mu + stiffness * s * (s * s * s - rest)) / slope;
        s                 = std::max(0.0, s - step);
        if (std::abs(step) < 1e-12) break;
    }
    const double off = s * s * s - rest, off_at_rest = 1 - rest;
    return rest_volume(law) * (1.5 * law.mu * (s * s - 1) + 0.5 * stiffness * (off * off - off_at_rest * off_at_rest));
}

Block tet_block(const TetLaw& law, std::size_t corner, const TetPoints& x, const TetPoints& before, double inv_dt)
{
    const Mat33d F               = gradient_of(law, x);
    const auto [stiffness, rest] = volume_term(law);
    const Vec3d  b               = corner == 0 ? -(law.pose.r0 + law.pose.r1 + law.pose.r2) : law.pose.row(corner - 1);
    const Vec3d  c               = cofactor(F) * b;
    const double V               = rest_volume(law);

    Block out;
    out.force   = -law.mu * (F * b) - (stiffness * (determinant(F) - rest)) * c;
    out.hessian = law.mu * length_squared(b) * Mat33d::identity() + stiffness * Mat33d::outer(c, c);
    if (law.k_damp > 0) {
        // Damping by the change of C = F^T F: k/2 |dC/dt|^2, six numbers of which three stand for two each.
        const Mat33d P = gradient_of(law, before);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = i; j < 3; ++j) {
                const Vec3d  fi = F.column(i), fj = F.column(j);
                const double weight = i == j ? 1 : 2;
                const double change = dot(fi, fj) - dot(P.column(i), P.column(j));
                const Vec3d  dc     = b[i] * fj + b[j] * fi;
                out.force -= (law.k_damp * weight * change * inv_dt) * dc;
                out.hessian += law.k_damp * weight * inv_dt * Mat33d::outer(dc, dc);
            }
    }
    out.force *= V;
    out.hessian *= V;
    return out;
}

}  // namespace mechane::solvers::soft
