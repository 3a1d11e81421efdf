#pragma once
#include <optional>
#include <vector>

#include "mechane/math/mat.h"
#include "mechane/math/quat.h"
#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// Principal moments [M L^2] and the rotation that takes the principal axes to the body's.
struct Principal {
    Vec3d diagonal;
    Quatd axes{0, 0, 0, 1};
};

/// R diag R^T.
Mat33d tensor_of(const Principal& inertia);
/// Principal moments in the order of the eigenvectors that lie nearest x, y, z; right-handed, w >= 0.
Principal principal_of(const Mat33d& tensor);
/// Largest entry of a - b, relative to the largest of b.
double relative_difference(const Mat33d& a, const Mat33d& b);

/// Whether a body can have these moments: all positive, none larger than the sum of the other two (1e-3, relative).
bool is_possible(const Vec3d& moments);

/// The moments nearest to these (least squares) that a rigid body can have: positive, and none larger than the sum of
/// the other two. Zero and negative moments become 1e-6 of the largest.
Vec3d nearest_valid_inertia(Vec3d moments);

/// An inertia in an attribute of another program: six numbers Ixx, Iyy, Izz, Ixy, Ixz, Iyz, nine numbers or a matrix3
/// by rows; without a property the six scalars whose names end in ixx, iyy, ...
/// @param sources  gets the attributes that were read
std::optional<Mat33d> custom_inertia(const usd::Prim& prim, const usd::Token& property,
                                     std::vector<usd::Token>& sources);

}  // namespace mechane::conformance
