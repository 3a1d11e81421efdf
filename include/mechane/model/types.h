#pragma once
#include <cstdint>
#include <string_view>

#include "mechane/core/ids.h"

namespace mechane::model {

// The values of these enumerations are part of the interchange format: they equal Newton's.

/// What a joint allows. How many coordinates and dofs a type has, and what they are: docs/model.md.
/// - `prismatic`, `revolute`: along, or about, one axis of the parent's anchor
/// - `ball`: any turn, as a quaternion x y z w; three angular dofs
/// - `fixed`: nothing
/// - `d6`: up to three linear and then three angular axes, each turned by those before it
/// - `free`, `distance`, `rod`: seven coordinates (position, quaternion) and six dofs; `distance` keeps the anchors
/// within a range of each other, `rod` resists bending and twisting
enum class JointType : std::int32_t {
    prismatic = 0,
    revolute  = 1,
    ball      = 2,
    fixed     = 3,
    free      = 4,
    distance  = 5,
    d6        = 6,
    rod       = 7
};
/// What a shape is. Sizes are in `shape_scale`: sphere (radius), capsule, cylinder and cone (radius, half height),
/// ellipsoid semi-axes, box half extents, plane full widths or zeros for an infinite one, meshes and
/// height fields factors; docs/model.md has the table. A height field is a one-sided mesh with a solid below. `none`
/// and `gaussian` never collide.
enum class GeoType : std::int32_t {
    none        = 0,
    plane       = 1,
    heightfield = 2,
    sphere      = 3,
    capsule     = 4,
    ellipsoid   = 5,
    cylinder    = 6,
    box         = 7,
    mesh        = 8,
    cone        = 9,
    convex_mesh = 10,
    gaussian    = 11
};
/// What the drive of a dof follows. `effort`: nothing, its gains are not used.
enum class TargetMode : std::int32_t { none = 0, position = 1, velocity = 2, position_velocity = 3, effort = 4 };
/// Whether gains are forces or accelerations: an acceleration drive knows the inertia that it moves.
enum class DriveType : std::int32_t { force = 0, acceleration = 1 };

/// How a coefficient of two materials becomes that of a contact.
enum class MaterialCombine : std::int32_t { average = 0, minimum = 1, maximum = 2, multiply = 3, geometric_mean = 4 };
/// In arrays of rules: the material leaves it to the solver.
inline constexpr std::int32_t kNoCombine = -1;

/// Bits of `shape_flags`.
namespace shape_flag {
/// Drawn; meets shapes; meets particles; a place without mass and contacts; contact by pressure where both have it.
inline constexpr std::int32_t visible = 1, collide_shapes = 2, collide_particles = 4, site = 8, hydroelastic = 16;
/// Of ours alone, above all that Newton has.
inline constexpr std::int32_t surface_in_world = 1 << 16;
}  // namespace shape_flag
/// Bits of `body_flags`; exactly one per body.
namespace body_flag {
/// Moved by forces, or by commands alone.
inline constexpr std::int32_t dynamic = 1, kinematic = 2;
}  // namespace body_flag

/// Bits of `particle_flags`.
namespace particle_flag {
inline constexpr std::int32_t active         = 1;  ///< moves and meets shapes; without it the particle is out of play
inline constexpr std::int32_t passes_through = 1 << 8;  ///< moves, and meets neither shapes nor other particles
}  // namespace particle_flag

/// "no limit" in limit arrays; anything at or above it makes no constraint row.
inline constexpr double       kMaxValue    = 1e10;
inline constexpr std::int32_t kWorldBody   = -1;  ///< parent of a joint, owner of a static shape
inline constexpr std::int32_t kGlobalWorld = -1;  ///< entities shared by all worlds

/// Typed indices of the face. Arrays of building blocks hold the bare numbers.
using BodyId         = Id<struct BodyTag>;
using JointId        = Id<struct JointTag>;
using ShapeId        = Id<struct ShapeTag>;
using ArticulationId = Id<struct ArticulationTag>;
using DofId          = Id<struct DofTag>;    ///< a degree of freedom: an entry of joint_qd
using WorldId        = Id<struct WorldTag>;  ///< negative: what all worlds share

/// "REVOLUTE", "CONVEX_MESH", ... as in Newton's enumerations.
std::string_view to_string(JointType type) noexcept;
std::string_view to_string(GeoType type) noexcept;

}  // namespace mechane::model
