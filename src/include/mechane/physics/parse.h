#pragma once
#include "mechane/core/diagnostic.h"
#include "mechane/physics/physics_model.h"
#include "mechane/physics/read_log.h"

namespace mechane::physics {

/// Reads the physics of a stage in one pass, instance proxies included. Never fails: what is wrong is in `found`, what
/// could not be used is marked invalid, and no number that leaves here is NaN.
/// @param log  receives which authored properties were taken; may be null
PhysicsModel parse(const usd::Stage& stage, const ParseOptions& options, Diagnostics& found, ReadLog* log = nullptr);

/// Velocity frames of usd-physics 5: how physics:velocity and physics:angularVelocity become vectors in the world.
enum class VelocityFrame : std::uint8_t {
    local,   ///< the body's local space; its scale acts on the linear part
    parent,  ///< the space of the body's parent
    world,   ///< as they are
    /// Newton 1.8: the body's orientation for both parts, scale left out
    rotation_only
};
struct WorldVelocity {
    Vec3d linear;   ///< L/s
    Vec3d angular;  ///< deg/s
};
WorldVelocity world_velocity(const Body& body, VelocityFrame frame = VelocityFrame::local);

}  // namespace mechane::physics
