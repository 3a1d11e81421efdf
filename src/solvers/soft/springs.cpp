// The law of a spring between two particles: energy [J], and the 3x3 block of one end for vertex block descent, with
// its force [N] and Hessian [N/m].

#include <algorithm>
#include <cmath>

#include "solvers/soft/laws.h"

// With d = x0 - x1, l = |d|, n = d / l:
//   dU/dx0 = ke (l - rest) n
//   d2U/dx0^2 = ke (n n^T + (1 - rest/l) (I - n n^T))
// The second term is negative where the spring is compressed; it is left out there, so that the block stays positive.
namespace mechane::solvers::soft {

namespace {
/// Springs shorter than this have no direction and no force [m].
constexpr double kShortest = 1e-12;
}  // namespace

double spring_energy(const SpringLaw& law, const SpringPoints& x)
{
    const double stretch = length(x[0] - x[1]) - law.rest;
    return 0.5 * law.ke * stretch * stretch;
}

Block spring_block(const SpringLaw& law, std::size_t corner, const SpringPoints& x, const SpringPoints& before,
                   double inv_dt)
{
    const Vec3d  d = x[corner] - x[1 - corner];
    const double l = length(d);
    if (l < kShortest) return {};
    const Vec3d  n       = d / l;
    const double lateral = law.ke * std::max(0.0, 1 - law.rest / l);
    const double damping = law.kd * inv_dt;
    // The change of length since the last positions, over the step, is the rate.
    const double change = l - length(before[0] - before[1]);
    const double pull   = law.ke * (l - law.rest) + damping * change;
    return {.force   = -pull * n,
            .hessian = (law.ke + damping - lateral) * Mat33d::outer(n, n) + lateral * Mat33d::identity()};
}

}  // namespace mechane::solvers::soft
