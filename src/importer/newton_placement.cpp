// Placement of visual shapes by Newton's operations in single precision, in its order, so that the same bits come out
// (compat=newton-1.8). Nothing else uses it.

#include "newton_placement.h"

#include <array>
#include <cmath>

namespace mechane::importer {
namespace {

using AffineRow    = std::array<float, 4>;
using Affine = std::array<AffineRow, 3>;  ///< column vectors; the fourth row is 0 0 0 1

Affine matrix_of(const Posed& X)
{
    const float x = static_cast<float>(X.q.x), y = static_cast<float>(X.q.y), z = static_cast<float>(X.q.z),
                w = static_cast<float>(X.q.w);
    const std::array<float, 3> q{x, y, z},
        p{static_cast<float>(X.p.x), static_cast<float>(X.p.y), static_cast<float>(X.p.z)};
    Affine out{};
    for (std::size_t c = 0; c < 3; ++c) {  // each axis turned by the quaternion
        const float                e[3]   = {c == 0 ? 1.0f : 0.0f, c == 1 ? 1.0f : 0.0f, c == 2 ? 1.0f : 0.0f};
        const float                cosine = 2.0f * w * w - 1.0f, along = 2.0f * (x * e[0] + y * e[1] + z * e[2]);
        const std::array<float, 3> around{y * e[2] - z * e[1], z * e[0] - x * e[2], x * e[1] - y * e[0]};
        for (std::size_t r = 0; r < 3; ++r) out[r][c] = e[r] * cosine + q[r] * along + around[r] * w * 2.0f;
    }
    for (std::size_t r = 0; r < 3; ++r) out[r][3] = p[r];
    return out;
}

/// Cofactors over the determinant. Products of floats are rounded where they are formed before they meet a double.
Affine inverse(const Affine& m)
{
    const auto minor = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
        return static_cast<double>(m[a][c] * m[b][d] - m[b][c] * m[a][d]);
    };
    const auto   at  = [&](std::size_t r, std::size_t c) { return static_cast<double>(m[r][c]); };
    const double y01 = minor(0, 1, 2, 3), y02 = minor(0, 2, 2, 3), y12 = minor(1, 2, 2, 3);  // of the last two columns
    const double u01 = minor(0, 1, 0, 1), u02 = minor(0, 2, 0, 1), u12 = minor(1, 2, 0, 1);  // of the first two

    // The terms that the last row would bring are zero and left out. Newton keeps the cofactors of the first two
    // columns in single precision, those of the others in double.
    const auto   single = [](double value) { return static_cast<float>(value); };
    const float  z00    = single(at(1, 1) * at(2, 2) - at(2, 1) * at(1, 2)),
                 z10    = single(at(2, 1) * at(0, 2) - at(0, 1) * at(2, 2)),
                 z20    = single(at(0, 1) * at(1, 2) - at(1, 1) * at(0, 2)),
                 z30    = single(at(1, 1) * y02 - at(2, 1) * y01 - at(0, 1) * y12);
    const float  z01    = single(at(2, 0) * at(1, 2) - at(1, 0) * at(2, 2)),
                 z11    = single(at(0, 0) * at(2, 2) - at(2, 0) * at(0, 2)),
                 z21    = single(at(1, 0) * at(0, 2) - at(0, 0) * at(1, 2)),
                 z31    = single(at(0, 0) * y12 - at(1, 0) * y02 + at(2, 0) * y01);
    const double z02 = u12, z12 = -u02, z22 = u01;
    const double z32         = at(1, 3) * u02 - at(2, 3) * u01 - at(0, 3) * u12;
    const double determinant = static_cast<double>(m[2][0] * z20 + m[1][0] * z10 + m[0][0] * z00);
    const double r           = 1.0 / determinant;
    const auto   f           = [r](double cofactor) { return static_cast<float>(cofactor * r); };
    return {AffineRow{f(static_cast<double>(z00)), f(static_cast<double>(z10)), f(static_cast<double>(z20)),
                f(static_cast<double>(z30))},
            AffineRow{f(static_cast<double>(z01)), f(static_cast<double>(z11)), f(static_cast<double>(z21)),
                f(static_cast<double>(z31))},
            AffineRow{f(z02), f(z12), f(z22), f(z32)}};
}

/// Left to right, each product rounded: another order gives other bits.
Affine times(const Affine& a, const Affine& b)
{
    Affine out{};
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 4; ++c) {
            float sum = 0;
            for (std::size_t k = 0; k < 3; ++k) sum += a[r][k] * b[k][c];
            out[r][c] = c == 3 ? sum + a[r][3] : sum;
        }
    return out;
}

/// Unit quaternion of a rotation, by its trace or its largest diagonal element.
Quatd rotation(const Affine& m)
{
    std::array<float, 4> q{};
    const float          trace = m[0][0] + m[1][1] + m[2][2];
    if (trace >= 0) {
        float h = std::sqrt(trace + 1.0f);
        q[3]    = 0.5f * h;
        h       = 0.5f / h;
        q[0]    = (m[2][1] - m[1][2]) * h;
        q[1]    = (m[0][2] - m[2][0]) * h;
        q[2]    = (m[1][0] - m[0][1]) * h;
    } else {
        std::size_t i = m[1][1] > m[0][0] ? 1 : 0;
        if (m[2][2] > m[i][i]) i = 2;
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        float             h = std::sqrt((m[i][i] - (m[j][j] + m[k][k])) + 1.0f);
        q[i]                = 0.5f * h;
        h                   = 0.5f / h;
        q[j]                = (m[i][j] + m[j][i]) * h;
        q[k]                = (m[k][i] + m[i][k]) * h;
        q[3]                = (m[k][j] - m[j][k]) * h;
    }
    const float length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 0)) return {};
    return {static_cast<double>(q[0] / length), static_cast<double>(q[1] / length), static_cast<double>(q[2] / length),
            static_cast<double>(q[3] / length)};
}

}  // namespace

PlacedScale placed_as_newton(const Posed& X_WB, std::span<const Posed> X_WS, const usd::Matrix4d& m)
{
    Affine prim{};
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 4; ++c)
            prim[r][c] = static_cast<float>(m(static_cast<int>(c), static_cast<int>(r)));
    for (std::size_t i = X_WS.size(); i-- > 0;) prim = times(matrix_of(X_WS[i]), prim);
    Affine      relative = times(inverse(matrix_of(X_WB)), prim);
    PlacedScale out;
    out.pose.p = {static_cast<double>(relative[0][3]), static_cast<double>(relative[1][3]),
                  static_cast<double>(relative[2][3])};
    double lengths[3];
    for (std::size_t c = 0; c < 3; ++c) {
        const float length = std::sqrt(relative[0][c] * relative[0][c] + relative[1][c] * relative[1][c] +
                                       relative[2][c] * relative[2][c]);
        lengths[c]         = static_cast<double>(length);
        if (length > 0)
            for (std::size_t r = 0; r < 3; ++r) relative[r][c] /= length;
    }
    out.scale  = {lengths[0], lengths[1], lengths[2]};
    out.pose.q = rotation(relative);
    return out;
}

}  // namespace mechane::importer
