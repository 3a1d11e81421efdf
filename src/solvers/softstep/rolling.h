#pragma once
#include <array>
#include <cstdint>

#include "mechane/math/vec.h"
#include "mechane/model/model.h"

// A contact point on a cylinder, a cone or an ellipsoid does not ride with the body: as the body rolls, other points of
// it come to touch. Left where the step found it the point would lag behind, and the force there drive the body on. Of
// balls and capsules the core points stay where they are by themselves.

namespace mechane::solvers::softstep {

/// The ellipsoid, or circle about the axis, that a contact point lies on: farthest along d is centre + M d / sqrt(d.M
/// d).
struct Rolling {
    Vec3d                 centre;     ///< body frame [m]
    std::array<double, 6> M{};        ///< xx, xy, xz, yy, yz, zz [m^2]
    double                least = 0;  ///< of d.M d for a unit d: along the axis a circle has no farthest point [m^2]

    [[nodiscard]] Vec3d farthest(const Vec3d& d) const;
};

/// Whether such shapes there are at all.
[[nodiscard]] bool can_roll(model::GeoType type);
/// Of the point `p_B` of a shape that can.
[[nodiscard]] Rolling rolling_at(const model::Model& model, std::int32_t shape, const Vec3d& p_B);
/// Whether the point is where the shape reaches farthest along `d_B` (unit), so that it will be the one to touch there.
/// Points in a face, and those that only a clipped face has, ride with the body.
[[nodiscard]] bool rolls(const model::Model& model, std::int32_t shape, const Vec3d& p_B, const Vec3d& d_B);

}  // namespace mechane::solvers::softstep
