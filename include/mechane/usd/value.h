#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/math/pose.h"
#include "mechane/usd/path.h"

namespace mechane::usd {

/// An asset path: as authored, after evaluation of a variable expression, and as found (empty if it was not).
/// All three are empty for an attribute that names nothing.
struct AssetPath {
    std::string authored, evaluated, resolved;
    bool        operator==(const AssetPath&) const = default;
};

/// A 4x4 matrix in USD's row-vector convention: `p' = p * M`, translation in the last row. Rows lie one after another.
struct Matrix4d {
    std::array<double, 16> m{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};  ///< [16], the translation in lengths
    /// Rows and columns 0 to 3, which nothing checks.
    double  operator()(int row, int column) const { return m[static_cast<std::size_t>(4 * row + column)]; }
    double& operator()(int row, int column) { return m[static_cast<std::size_t>(4 * row + column)]; }
    bool    operator==(const Matrix4d&) const = default;
};
/// Row vectors: `p * (a * b)` goes through a first, so that local matrices are multiplied from the prim up to the root.
Matrix4d operator*(const Matrix4d& a, const Matrix4d& b);
/// p * M, with the translation.
/// Lengths are those of the stage; matrices of USD know no metres.
Vec3d transform_point(const Matrix4d& m, const Vec3d& p);
/// v * M without the translation.
Vec3d transform_vector(const Matrix4d& m, const Vec3d& v);
/// Of the part without the translation; negative where the matrix mirrors.
double determinant3(const Matrix4d& m);
/// Inverse of an affine matrix; nothing when it is singular or not finite.
std::optional<Matrix4d> inverse(const Matrix4d& m);
/// In the length unit of the pose; the rotation has unit length.
Matrix4d from_pose(const Posed& pose);

/// A matrix taken apart as UsdPhysics does: M = scale_orient^-1 * S * scale_orient * R * T (Shoemake-style, by the
/// symmetric eigen-decomposition of M3 M3^T). When det < 0 all scale signs are negative.
struct Decomposition {
    Vec3d translation, scale{1, 1, 1};  ///< in the length unit of the matrix; factors, dimensionless
    Quatd rotation;                     ///< active rotation, x y z w
    bool  sheared  = false;             ///< scale_orient is not the identity and the scale is not uniform
    bool  singular = false;  ///< a scale is zero or something is not finite; the rotation is then the identity
};
/// Without its last column, which of an affine matrix is (0, 0, 0, 1).
Decomposition decompose(const Matrix4d& m);

/// A composed value of any of USD's types, shared and immutable. `get<T>` converts when it is numerically safe
/// (half, float, double; int to float; vectors and quaternions of any precision; token, string).
///
/// T is one of: bool, int, std::int64_t, double, std::string, Token, AssetPath, Vec2d, Vec3d, std::array<double, 4>,
/// Quatd, Matrix4d, or std::vector of int, double, std::string, Token, Vec2d, Vec3d, std::array<double, 4>, Quatd,
/// AssetPath, Matrix4d. Quatd is x y z w as read, not normalised.
/// Copying one shares the data, so arrays cost nothing to hand on. Safe to read from many threads.
class Value {
  public:
    Value() noexcept;
    Value(const Value&);
    Value(Value&&) noexcept;
    Value& operator=(const Value&);
    Value& operator=(Value&&) noexcept;
    ~Value();

    /// There is no value: nothing is authored, or it is blocked.
    [[nodiscard]] bool        empty() const noexcept;
    [[nodiscard]] std::string type_name() const;  ///< "double", "float3[]", "token", ... ; empty for no value
    /// The value as T, or nothing where the conversion is not one of those above.
    template <class T>
    [[nodiscard]] std::optional<T> get() const;
    [[nodiscard]] std::string      to_text() const;  ///< as usda would write it

    /// JSON in the encoding of `mechane dump` (docs/contracts.md): arrays above `limit` scalars become a hash.
    [[nodiscard]] std::string to_json(std::size_t limit) const;

    struct Access;  ///< src/usd only
  private:
    friend struct Access;
    std::shared_ptr<const void> impl_;
};

}  // namespace mechane::usd
