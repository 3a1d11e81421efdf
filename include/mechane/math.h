#pragma once
/// Vectors, quaternions, poses, twists and wrenches, in `Real` (float, or double where the library was built so) and in
/// double: Vec3, Vec3d, Quat, Pose, Spatial. SI units, radians, quaternions x y z w.
#if __cplusplus < 202002L
#error "mechane needs C++20: -std=c++20, or newer"
#endif
#include "mechane/math/pose.h"
#include "mechane/math/random.h"
#include "mechane/math/spatial.h"

namespace mechane {

/// Where something is, in words that a program reads well: `sim.pose(box).position.z`. The building blocks have `Pose`,
/// to which it converts, and from which `Placement::of` makes one.
/// The default is the identity. Positions of a body are those of its frame, not of its centre of mass. Where a rotation
/// is taken it need not have unit length to the last bit; it must not be zero.
struct Placement {
    Vec3 position{};  ///< of the frame's origin [m]
    Quat rotation{};  ///< of the frame, unit

    /// The same numbers under other names; no rounding.
    static Placement of(const Pose& pose) { return {pose.p, pose.q}; }
                     operator Pose() const { return {position, rotation}; }  // NOLINT: implicit
    bool             operator==(const Placement&) const = default;
};

/// The point p_B of the placed frame, in the frame that it is placed in.
inline Vec3 operator*(const Placement& X, const Vec3& p_B) { return static_cast<Pose>(X) * p_B; }
/// `X_AC = X_AB * X_BC`, as for poses: the right one is placed in the left one.
inline Placement operator*(const Placement& a, const Placement& b)
{ return Placement::of(static_cast<Pose>(a) * static_cast<Pose>(b)); }
/// The frame that something was placed in, seen from what was placed.
inline Placement inverse(const Placement& X) { return Placement::of(inverse(static_cast<Pose>(X))); }

}  // namespace mechane
