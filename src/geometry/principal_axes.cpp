// Principal moments and axes of a symmetric matrix by Eigen's self-adjoint solver. Values ascend unless the matrix is
// diagonal already; the rotation is proper.

#include <Eigen/Eigenvalues>

#include "mechane/geometry/mass.h"

namespace mechane::geometry {

PrincipalAxes principal_axes(const Mat33d& m)
{
    if (!is_finite(m)) return {};
    Eigen::Matrix3d a;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = 0.5 * (m(i, j) + m(j, i));
    // A diagonal matrix keeps its axes: users read the rotation, and sorting alone would permute it.
    if (a(0, 1) == 0 && a(0, 2) == 0 && a(1, 2) == 0) return {{a(0, 0), a(1, 1), a(2, 2)}, {}};

    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(a);
    Eigen::Matrix3d                                      v = solver.eigenvectors();
    if (v.determinant() < 0) v.col(2) = -v.col(2);
    const auto column = [&](Eigen::Index j) { return Vec3d{v(0, j), v(1, j), v(2, j)}; };
    const auto values = solver.eigenvalues();
    return {{values(0), values(1), values(2)}, from_matrix(Mat33d::from_columns(column(0), column(1), column(2)))};
}

}  // namespace mechane::geometry
