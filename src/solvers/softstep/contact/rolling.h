#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "mechane/math/quat.h"
#include "mechane/math/vec.h"
#include "mechane/model/model.h"

// A contact point on a cylinder, a cone or an ellipsoid does not ride with the body: as the body rolls, other points of
// it come to touch. Left where the step found it the point would lag behind, and the force there drive the body on.
// What stands on a face and spins is touched at the same places of its rim all the time, seen from the world; points
// that spun along would leave the side that is lower, and the step after would push it up again. Of balls and capsules
// the core points stay where they are by themselves.

namespace mechane::solvers::softstep {

/// The ellipsoid, or circle about the axis, that a contact point lies on; it is touched where it is farthest along a
/// direction d that keeps its place in the world over the step, at centre + M d / sqrt(d.M d).
struct Rolling {
    Vec3d                 centre;     ///< body frame [m]
    std::array<double, 6> M{};        ///< xx, xy, xz, yy, yz, zz [m^2]
    double                least = 0;  ///< of d.M d for a unit d: along the axis a circle has no farthest point [m^2]
    Vec3d toward{};  ///< d, of the world: the contact's normal; of what stands on a face, from the axis to the point

    [[nodiscard]] Vec3d farthest(const Vec3d& d) const;
};

/// Whether shapes of this type have such points.
[[nodiscard]] bool can_roll(model::GeoType type);
/// What the point `p_B` of a shape that can roll lies on.
[[nodiscard]] Rolling surface_at(const model::Model& model, std::int32_t shape, const Vec3d& p_B);
/// The same, with `toward`, where the point is the one that the shape touches with, farthest along `d_W` (outward and
/// unit) of a body turned by `q_WB`, or where the shape stands on a face. Points that only a clipped side has ride with
/// the body: nothing. Any shape will do.
[[nodiscard]] std::optional<Rolling> rolling_at(const model::Model& model, std::int32_t shape, const Vec3d& p_B,
                                                const Quatd& q_WB, const Vec3d& d_W);

}  // namespace mechane::solvers::softstep
