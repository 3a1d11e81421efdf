// Principal moments and axes of a symmetric tensor, as OpenUSD computes them, so that masses agree with it to the last
// digits.
// Columns of the rotation are the axes, and the diagonal is in the order in which the turns leave it: it is not sorted.

#include "mechane/physics/mass.h"

#include <cmath>

namespace mechane::physics {

Diagonalized diagonalize(const Mat33d& symmetric)
{
    // Jacobi rotations gathered in a quaternion: each turn removes the largest off-diagonal element.
    constexpr int kSweeps = 24;
    Quatd         q;
    Mat33d        d = symmetric;
    // The diagonal is computed anew from the input each time; rounding does not add up over the turns.
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        const Mat33d R       = to_matrix(q);
        d                    = transpose(R) * (symmetric * R);
        const double      xy = std::abs(d(0, 1)), xz = std::abs(d(0, 2)), yz = std::abs(d(1, 2));
        const std::size_t a  = yz > xz && yz > xy ? 0 : xz > xy ? 1 : 2;
        const std::size_t a1 = (a + 1) % 3, a2 = (a1 + 1) % 3;
        const double      off = d(a1, a2), gap = d(a1, a1) - d(a2, a2);
        // The angle that is left is about off / gap, below single precision here: nothing is gained by another turn.
        if (off == 0 || std::abs(gap) > 2e6 * std::abs(2 * off)) break;
        // cot(2 theta) = w for the angle theta that makes the off-diagonal element zero.
        const double w = gap / (2 * off);
        double       s, c;
        if (std::abs(w) > 1000) {
            // Half-angle of a small turn: theta = 1 / (2 w), sin(theta / 2) = 1 / (4 w). It avoids 1 - h, which
            // cancels.
            s = 1 / (4 * w);
            c = 1;
        } else {
            // The smaller root t = tan(theta) keeps the turn within 45 degrees, which Jacobi's method needs to
            // converge.
            const double t = 1 / (std::abs(w) + std::sqrt(w * w + 1)), h = 1 / std::sqrt(t * t + 1);
            s = std::copysign(std::sqrt((1 - h) / 2), w);
            c = std::sqrt((1 + h) / 2);
        }
        const Quatd turn{a == 0 ? s : 0, a == 1 ? s : 0, a == 2 ? s : 0, c};
        q = normalized(q * turn);
    }
    return {{d(0, 0), d(1, 1), d(2, 2)}, q};
}

}  // namespace mechane::physics
