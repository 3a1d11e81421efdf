#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "mechane/math/quat.h"
#include "mechane/math/vec.h"
#include "mechane/model/model.h"

// A contact point on a cylinder, a cone or an ellipsoid does not ride with the body: as the body rolls, other points of
// it come to touch. Left where the step found it the point would lag behind, and the force there drive the body on. Of
// balls and capsules the core points stay where they are by themselves.

namespace mechane::solvers::softstep {

/// The ellipsoid, or circle about the axis, that a contact point lies on; it is touched where it is farthest along the
/// contact's normal d, at centre + M d / sqrt(d.M d).
struct Rolling {
    Vec3d                 centre;     ///< body frame [m]
    std::array<double, 6> M{};        ///< xx, xy, xz, yy, yz, zz [m^2]
    double                least = 0;  ///< of d.M d for a unit d: along the axis a circle has no farthest point [m^2]

    [[nodiscard]] Vec3d farthest(const Vec3d& d) const;
};

/// Whether shapes of this type have such points.
[[nodiscard]] bool can_roll(model::GeoType type);
/// What the point `p_B` of a shape that can roll lies on.
[[nodiscard]] Rolling surface_at(const model::Model& model, std::int32_t shape, const Vec3d& p_B);
/// The same where the point is the one that the shape touches with: farthest along `d_W`, outward and unit, of a
/// body turned by `q_WB`. Points in a face, and those that only a clipped face has, ride with the body: nothing. Any
/// shape will do.
[[nodiscard]] std::optional<Rolling> rolling_at(const model::Model& model, std::int32_t shape, const Vec3d& p_B,
                                                const Quatd& q_WB, const Vec3d& d_W);

}  // namespace mechane::solvers::softstep
