#pragma once
#include <optional>

#include "mechane/geometry/mass.h"
#include "mechane/resolve/mass_rules.h"

namespace mechane::resolve {

/// Closed form of a primitive at unit density in its shape frame; nothing for meshes, planes and custom shapes.
std::optional<geometry::MassProperties> primitive_solid(const physics::Collider& collider);

/// The mesh with points that coincide to rounding made one: exporters split them along creases.
geometry::Mesh without_seams(const geometry::Mesh& mesh);

/// What is left of a collider as a shell of this thickness [L]; nothing when the shape is thinner than the wall.
/// `centred_wall`: meshes get a wall of twice the thickness about the surface, as Newton 1.8 builds them.
std::optional<geometry::MassProperties> shell_solid(const physics::Collider& collider, double thickness,
                                                    bool centred_wall, Diagnostics& found);

}  // namespace mechane::resolve
