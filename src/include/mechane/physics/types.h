#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/math/pose.h"
#include "mechane/usd/stage.h"

namespace mechane::physics {

/// Index into one of the arrays of PhysicsModel; kNone for "no such thing" (static, world, no scene).
using Index                  = std::int32_t;
inline constexpr Index kNone = -1;

enum class Axis : std::uint8_t { x, y, z };
Vec3d            unit_vector(Axis axis);
std::string_view to_string(Axis axis);  ///< "X", "Y", "Z"

/// What every entry of the model has. An invalid entry is kept for reports and must not be simulated.
struct Entry {
    usd::Path                path;
    usd::Prim                prim;
    bool                     valid = true;
    std::vector<std::string> reasons;  ///< ids of the diagnostics that made it invalid
};

/// A PhysicsScene, or the default one when the stage has none (empty path).
struct Scene : Entry {
    Vec3d  gravity_direction;      ///< unit vector in the world
    double gravity_magnitude = 0;  ///< L/s^2 as authored; unset: 9.81 / metersPerUnit
    Vec3d  gravity;                ///< L/s^2 in the world; a finite negative magnitude means the earth's
    bool   synthesized = false;
};

/// Values of a MassAPI. Unset parts keep the fallbacks, which mean "not authored".
struct MassValues {
    bool   applied = false;                          ///< the API is applied
    double mass    = 0;                              ///< M; 0 or less: unset
    double density = 0;                              ///< M/L^3; 0 or less: unset
    Vec3d  com{-kInfinity, -kInfinity, -kInfinity};  ///< L, in the prim's frame before scale; not finite: unset
    Vec3d  diagonal;                                 ///< M L^2; zero: unset
    Quatd  axes{0, 0, 0, 0};                         ///< zero: unset; normalised otherwise
    bool   mass_blocked = false, diagonal_blocked = false, axes_blocked = false, com_blocked = false;

    [[nodiscard]] bool has_mass() const;      ///< finite and > 0
    [[nodiscard]] bool has_density() const;   ///< finite and > 0
    [[nodiscard]] bool has_com() const;       ///< all finite
    [[nodiscard]] bool has_diagonal() const;  ///< not all zero, all finite and >= 0
    [[nodiscard]] bool has_axes() const;
};

/// A MassAPI on a prim that is neither body nor collider.
struct XformMass {
    usd::Path  path;
    usd::Prim  prim;
    MassValues values;
};

struct Material : Entry {
    bool   outside         = false;  ///< not below the roots that were read, but bound from there
    double static_friction = 0, dynamic_friction = 0, restitution = 0;
    double density = 0;  ///< M/L^3; 0 or less: unset
};

struct Group : Entry {
    std::vector<usd::Path> filtered;  ///< authored targets that are groups
    std::vector<usd::Path> merged;  ///< paths of all groups of the merge, itself included; empty when it is not merged
    std::string            merge_name;
    bool                   inverted    = false;
    Index                  table_index = 0;  ///< row of the group table; merged groups share one
};

/// A prim with an enabled or disabled rigid body API. A disabled body owns nothing and moves nothing.
struct Body : Entry {
    Posed              X_WB;            ///< position and orientation in the world, scale and shear removed [L]
    Vec3d              scale{1, 1, 1};  ///< scale of the world matrix; signs as factored, all negative when it mirrors
    usd::Matrix4d      world;           ///< local to world, row vectors
    bool               enabled = true, kinematic = false, starts_asleep = false;
    bool               starts_disabled = false;  ///< enabled only at some time of an animation that is followed
    bool               sheared = false, mirrored = false;
    Vec3d              velocity;          ///< L/s as authored, in the prim's local space
    Vec3d              angular_velocity;  ///< deg/s as authored, in the prim's local space
    Index              scene        = kNone;
    Index              articulation = kNone;  ///< the first one that lists it
    Index              parent_body  = kNone;  ///< nearest enabled body above it
    std::vector<Index> colliders;             ///< sorted by path; only of enabled bodies
    std::vector<usd::Path> filtered, owners;
    MassValues             mass;
};

enum class ShapeKind : std::uint8_t {
    sphere,
    cube,
    capsule,
    capsule_1,
    cylinder,
    cylinder_1,
    cone,
    plane,
    mesh,
    sphere_points,
    custom
};
std::string_view to_string(ShapeKind kind);  ///< "sphere", "capsule_1", ...

enum class Approximation : std::uint8_t {
    none,
    convex_decomposition,
    convex_hull,
    bounding_sphere,
    bounding_cube,
    mesh_simplification
};
std::string_view to_string(Approximation approximation);  ///< the schema's token, "convexHull"

struct SpherePoint {
    Vec3d  center;         ///< L, as authored, before scale
    Vec3d  scaled_center;  ///< L, after scale, in the shape frame
    double radius = 0;     ///< L, after scale
};

/// A collider. Sizes are in L with the scale of the prim's world matrix applied; poses have no scale.
struct Collider : Entry {
    ShapeKind     kind = ShapeKind::sphere;
    Index         body = kNone;  ///< owner: nearest enabled body at or above it; kNone for static
    Posed         X_BS;          ///< shape frame in the owner's (scale-free) frame, in the world when static [L]
    Vec3d         local_scale{1, 1, 1};  ///< scale of collider relative to body matrix
    Vec3d         scale{1, 1, 1};        ///< scale of the world matrix (signs as factored)
    usd::Matrix4d world;
    bool          enabled         = true;   ///< physics:collisionEnabled
    bool          starts_disabled = false;  ///< as of a body
    bool          sheared = false, mirrored = false;
    /// Whether it has a mass from the start: what an animation switches on later has none before.
    [[nodiscard]] bool weighs() const { return enabled && !starts_disabled; }

    Axis                     axis   = Axis::z;  ///< capsule, cylinder, cone, plane
    double                   radius = 0;  ///< sphere, capsule, cylinder, cone; bottom radius of capsule_1, cylinder_1
    double                   radius_top  = 0;      ///< capsule_1, cylinder_1
    double                   half_height = 0;      ///< without caps
    Vec3d                    half_extents;         ///< cube
    Vec3d                    mesh_scale{1, 1, 1};  ///< mesh: multiply the authored points by it
    Approximation            approximation = Approximation::none;
    bool                     double_sided  = false;
    std::vector<SpherePoint> points;
    usd::Token               custom_token;
    /// Cube under shear: the 8 true corners in the shape frame, to be used as a convex hull. Empty otherwise.
    std::vector<Vec3d> sheared_corners;
    /// Mesh under shear: the matrix that takes authored points into the shape frame, p_S = m * p. Unset otherwise; then
    /// the points are multiplied by `mesh_scale`.
    std::optional<Mat33d> sheared_points;

    std::vector<Index> materials;  ///< face subsets' in subset order, then its own; usually none or one
    Index own_material = kNone;    ///< its own, resolved fully also with materials_need_binding_api: gives the density
    std::vector<Index>     groups;
    std::vector<usd::Path> filtered, owners;
    Index                  scene = kNone;
    MassValues             mass;
    std::vector<Index> mass_chain;  ///< into PhysicsModel::xform_masses: prims between it and its body, nearest first
};

enum class JointKind : std::uint8_t { fixed, revolute, prismatic, spherical, distance, d6, custom };
std::string_view to_string(JointKind kind);

enum class Dof : std::uint8_t { distance, trans_x, trans_y, trans_z, rot_x, rot_y, rot_z };
std::string_view to_string(Dof dof);  ///< "distance", "transX", ...
inline bool      is_rotation(Dof dof) { return dof >= Dof::rot_x; }

/// Limit of one degree of freedom, in L or deg.
struct Limit {
    Dof dof = Dof::distance;  ///< of a D6 joint; of a revolute or prismatic one: rotation or translation about its axis
    bool   enabled = false;   ///< some side is finite (see usd-physics 9.2 for each joint kind)
    bool   locked  = false;   ///< lower above upper, or both finite and equal
    double lower = -kInfinity, upper = kInfinity;

    [[nodiscard]] bool has_lower() const;  ///< bounded below: finite and above -0.5e38
    [[nodiscard]] bool has_upper() const;
};

/// Drive of one degree of freedom: stiffness * (target_position - p) + damping * (target_velocity - v), in stage units
/// and deg.
struct Drive {
    Dof    dof             = Dof::distance;
    bool   enabled         = false;  ///< the drive API is applied
    bool   acceleration    = false;  ///< the gains are multiplied by the effective mass
    double target_position = 0, target_velocity = 0, stiffness = 0, damping = 0;
    double max_force = kInfinity;
};

struct Joint : Entry {
    JointKind kind  = JointKind::d6;
    Axis      axis  = Axis::x;
    Index     body0 = kNone, body1 = kNone;  ///< enabled bodies; kNone: the world or a static anchor
    usd::Path rel0, rel1;                    ///< first targets as authored; empty when unauthored
    usd::Path frame_body0, frame_body1;  ///< body path, or the topmost static collider that anchors it, or empty: world
    /// Joint frame in the side's (scale-free) body frame. Without an enabled body the frame is in `frame_body`'s frame
    /// if that is set, else in the world.
    Posed              frame0, frame1;
    bool               enabled = true, collision_enabled = false, excluded = false;  ///< excluded from articulation
    bool               starts_disabled = false;                                      ///< as of a body
    double             break_force = kInfinity, break_torque = kInfinity;
    Limit              limit;                               ///< revolute (deg), prismatic and distance (L)
    Drive              drive;                               ///< revolute, prismatic
    double             cone_angle0 = -1, cone_angle1 = -1;  ///< spherical, deg; negative is free
    bool               cone_enabled = false;
    bool               min_enabled = false, max_enabled = false;  ///< distance
    std::vector<Limit> limits;                                    ///< D6, in the order distance, transX..Z, rotX..Z
    std::vector<Drive> drives;                                    ///< D6, same order
    usd::Token         custom_token;

    /// Joint frame of the side in the world, the initial state.
    Posed X_WF0, X_WF1;
};

/// One connected tree (or graph) of bodies below an articulation root.
struct Tree {
    usd::Path          root;  ///< the root body, or the joint that ties it to the world
    Index              root_body  = kNone;
    Index              root_joint = kNone;  ///< kNone when it floats
    std::vector<Index> links;               ///< bodies, in breadth-first order from the root body
    std::vector<Index> joints;              ///< tree joints between links, in breadth-first order
    std::vector<Index> closures;            ///< joints that close loops, and excluded ones, by path
};

struct Articulation : Entry {
    std::vector<usd::Path> roots;   ///< one for each tree
    std::vector<Index>     links;   ///< bodies by path
    std::vector<Index>     joints;  ///< joints by path, excluded ones too
    std::vector<Tree>      trees;
    std::vector<usd::Path> filtered;
    /// `articulatedBodies` as OpenUSD's parser lists them: holds an empty path when a joint ties a link to the world,
    /// and is empty for a lone body.
    std::vector<usd::Path> reference_bodies;
};

}  // namespace mechane::physics
