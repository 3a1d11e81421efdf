#pragma once
#include <optional>
#include <vector>

#include "import.h"
#include "mechane/geometry/mass.h"

namespace mechane::importer {

/// Whether a round collider is scaled or sheared so that its kind cannot say its shape, and the options ask for it as it
/// is.
bool keeps_uneven_scale(const Import& run, const physics::Collider& collider);

/// Whether a prim says itself that its unequal scale is meant (customData mechane:exactShape), as the conversion of
/// other formats writes it for ellipsoids.
bool is_exact(const usd::Prim& prim);

/// What such a collider is: an ellipsoid with these semi-axes, else the hull of the points, in the shape frame [L].
struct ExactRound {
    std::optional<Vec3d> semi_axes;
    std::vector<Vec3d>   points;
};
ExactRound exact_round(const Import& run, const physics::Collider& collider);

/// Its unit-density solid in the shape frame, in closed form.
std::optional<geometry::MassProperties> exact_round_solid(const Import& run, const physics::Collider& collider);

}  // namespace mechane::importer
