#pragma once
#include <array>

#include "mechane/math/spatial.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// Attributes of PhysxSurfaceVelocityAPI that samples may change: whether, linear, angular.
const std::array<usd::Token, 3>& surface_attributes();

/// What a prim with that API says of the surfaces below it at a time [m/s, rad/s]; zero where it is switched off.
/// @param length  metres in a unit of the stage
Spatiald surface_velocity(const usd::Prim& prim, double length, usd::TimeCode time = {});

}  // namespace mechane::importer
