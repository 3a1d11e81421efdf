// Matrices in OpenUSD's convention: row vectors, so that a point is transformed as p * M and the product reads from the
// innermost to the outermost.
// `decompose` factors a matrix into scale and shear, rotation and translation by its polar decomposition.

#include <algorithm>
#include <cmath>

#include "mechane/usd/value.h"

namespace mechane::usd {
namespace {

Mat33d linear_part(const Matrix4d& m)
{ return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}}; }

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix by cyclic Jacobi rotations (Golub and Van Loan, 8.5).
void symmetric_eigen(Mat33d a, Vec3d& values, Mat33d& vectors)
{
    vectors = Mat33d::identity();
    for (int sweep = 0; sweep < 50; ++sweep) {
        const double off = square(a(0, 1)) + square(a(0, 2)) + square(a(1, 2));
        // The square of single rounding: beyond this nothing is left to turn.
        if (off <= 1e-32 * (square(a(0, 0)) + square(a(1, 1)) + square(a(2, 2)))) break;
        for (const auto& [p, q] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 2}, {1, 2}}) {
            if (a(p, q) == 0) continue;
            const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
            const double t     = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
            const double c = 1 / std::sqrt(t * t + 1), s = t * c;
            Mat33d       r = Mat33d::identity();
            r(p, p) = r(q, q) = c;
            r(p, q)           = s;
            r(q, p)           = -s;
            a                 = transpose(r) * a * r;
            vectors           = vectors * r;
        }
    }
    values = {a(0, 0), a(1, 1), a(2, 2)};
}

}  // namespace

Matrix4d operator*(const Matrix4d& a, const Matrix4d& b)
{
    Matrix4d out;
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            out(r, c) = a(r, 0) * b(0, c) + a(r, 1) * b(1, c) + a(r, 2) * b(2, c) + a(r, 3) * b(3, c);
    return out;
}

Vec3d transform_point(const Matrix4d& m, const Vec3d& p)
{ return transform_vector(m, p) + Vec3d{m(3, 0), m(3, 1), m(3, 2)}; }

Vec3d transform_vector(const Matrix4d& m, const Vec3d& v) { return transpose_times(linear_part(m), v); }

double determinant3(const Matrix4d& m) { return determinant(linear_part(m)); }

std::optional<Matrix4d> inverse(const Matrix4d& m)
{
    const Mat33d linear = linear_part(m);
    const double d      = determinant(linear);
    // Relative to the size of the rows: a tiny scale is no singularity.
    const double size = length(linear.r0) * length(linear.r1) * length(linear.r2);
    if (!std::isfinite(d) || std::abs(d) <= 1e-15 * size || size == 0) return std::nullopt;
    const Mat33d i = inverse(linear);
    Matrix4d     out;
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) out(static_cast<int>(r), static_cast<int>(c)) = i(r, c);
    const Vec3d t = transpose_times(i, Vec3d{m(3, 0), m(3, 1), m(3, 2)});
    out(3, 0) = -t.x, out(3, 1) = -t.y, out(3, 2) = -t.z;
    return is_finite(t) && is_finite(i) ? std::optional(out) : std::nullopt;
}

Matrix4d from_pose(const Posed& pose)
{
    const Mat33d r = to_matrix(pose.q);
    Matrix4d     out;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            out(static_cast<int>(i), static_cast<int>(j)) = r(j, i);  // row vectors: transposed
    out(3, 0) = pose.p.x, out(3, 1) = pose.p.y, out(3, 2) = pose.p.z;
    return out;
}

Decomposition decompose(const Matrix4d& m)
{
    Decomposition out;
    const Vec3d   t{m(3, 0), m(3, 1), m(3, 2)};
    const Mat33d  linear = linear_part(m);
    if (is_finite(t)) out.translation = t;
    if (!is_finite(linear) || !is_finite(t)) {
        out.singular = true;
        return out;
    }
    // A Aᵀ = U diag(s²) Uᵀ; for row vectors the stretch comes first, so A = (U S Uᵀ) R.
    Vec3d  values;
    Mat33d u;
    symmetric_eigen(linear * transpose(linear), values, u);
    const double sign = determinant(linear) < 0 ? -1 : 1;
    Vec3d s{std::sqrt(std::max(values.x, 0.0)), std::sqrt(std::max(values.y, 0.0)), std::sqrt(std::max(values.z, 0.0))};
    const double largest = max_component(s), smallest = std::min({s.x, s.y, s.z});
    if (!(smallest > 1e-12 * largest) || largest == 0) {
        out.singular = true;
        return out;
    }
    // Equal eigenvalues leave the axes to rounding; the identity gives the same answer for all such matrices.
    if (largest - smallest <= 1e-9 * largest) u = Mat33d::identity();  // uniform: any axes will do
    Mat33d stretch_inverse{};
    // A mirror goes into the stretch, all three axes of it, so that the rotation is a proper one.
    for (std::size_t k = 0; k < 3; ++k) stretch_inverse += (sign / s[k]) * Mat33d::outer(u.column(k), u.column(k));
    const Mat33d rotation = stretch_inverse * linear;  // rows: images of the axes
    out.rotation          = from_matrix(transpose(rotation));
    Mat33d stretch{};
    for (std::size_t k = 0; k < 3; ++k) stretch += (sign * s[k]) * Mat33d::outer(u.column(k), u.column(k));
    out.scale        = {stretch(0, 0), stretch(1, 1), stretch(2, 2)};
    const double off = std::max({std::abs(stretch(0, 1)), std::abs(stretch(0, 2)), std::abs(stretch(1, 2))});
    out.sheared      = off > 1e-6 * largest;
    // The factored scales themselves, in the order in which the rotations leave them: each turns by 45 degrees at most.
    if (out.sheared) out.scale = sign * s;
    return out;
}

}  // namespace mechane::usd
