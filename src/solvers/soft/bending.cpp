// The bending law of an edge between two triangles: energy, angle and its gradient, and the 3x3 block of one corner for
// vertex block descent. Lengths [m], angles [rad], stiffness ke [N] per rest length.

#include <cmath>
#include <numbers>

#include "solvers/soft/laws.h"

// Corners: x0 and x1 opposite of the edge from x2 to x3. With the normals n1 = (x2 - x0) x (x3 - x0) and
// n2 = (x3 - x1) x (x2 - x1) and e = x3 - x2, moving x0 along the unit normal by d turns its triangle by d / h0, where
// the height is h0 = |n1| / |e|. So
//   g0 = -|e| n1 / |n1|^2,  g1 = -|e| n2 / |n2|^2.
// The angle does not change when all corners move or turn alike. Forces and moments of g therefore vanish, which gives
// the ends of the edge: with t_i the place of the foot of x_i along the edge, 0 at x2 and 1 at x3,
//   g2 = -(1 - t0) g0 - (1 - t1) g1,  g3 = -t0 g0 - t1 g1
// (as in Wardetzky et al. 2007, "Discrete quadratic curvature energies", and Bridson et al. 2003). Of the Hessian the
// part with g g^T counts; the rest may be negative.
namespace mechane::solvers::soft {

bool bending_angle(const BendingPoints& x, double& angle, std::array<Vec3d, 4>* gradient)
{
    const Vec3d  e  = x[3] - x[2];
    const Vec3d  n1 = cross(x[2] - x[0], x[3] - x[0]), n2 = cross(x[3] - x[1], x[2] - x[1]);
    const double ee = length_squared(e), nn1 = length_squared(n1), nn2 = length_squared(n2);
    // Heights below a millionth of the edge give no direction.
    if (!(nn1 > 1e-12 * ee * ee) || !(nn2 > 1e-12 * ee * ee) || !(ee > 0)) return false;
    const double l = std::sqrt(ee);
    angle          = std::atan2(dot(cross(n1, n2), e) / l, dot(n1, n2));
    if (gradient == nullptr) return true;
    auto& g         = *gradient;
    g[0]            = (-l / nn1) * n1;
    g[1]            = (-l / nn2) * n2;
    const double t0 = dot(x[0] - x[2], e) / ee, t1 = dot(x[1] - x[2], e) / ee;
    g[2] = -(1 - t0) * g[0] - (1 - t1) * g[1];
    g[3] = -t0 * g[0] - t1 * g[1];
    return true;
}

double bending_energy(const BendingLaw& law, const BendingPoints& x)
{
    double angle = 0;
    if (!bending_angle(x, angle, nullptr)) return 0;
    const double off = angle - law.rest_angle;
    return 0.5 * law.ke * law.rest_length * off * off;
}

Block bending_block(const BendingLaw& law, std::size_t corner, const BendingPoints& x, const BendingPoints& before,
                    double inv_dt)
{
    double               angle = 0, old = 0;
    std::array<Vec3d, 4> g;
    if (!bending_angle(x, angle, &g)) return {};
    double moment = law.ke * (angle - law.rest_angle), slope = law.ke;
    if (law.kd > 0 && bending_angle(before, old, nullptr)) {
        // The shorter way round: the angle jumps from pi to -pi.
        const double change = std::remainder(angle - old, 2 * std::numbers::pi);
        moment += law.kd * inv_dt * change;
        slope += law.kd * inv_dt;
    }
    return {.force   = -(law.rest_length * moment) * g[corner],
            .hessian = law.rest_length * slope * Mat33d::outer(g[corner], g[corner])};
}

}  // namespace mechane::solvers::soft
