#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace mechane::resolve {

/// What kind of prim a key is asked of.
/// A key of a material is also asked of the collider that the material is bound to, where an older spelling says so.
enum class PrimKind : std::uint8_t { scene, joint, shape, body, material, actuator, articulation };

/// One property of the simulation that solvers author in their own attributes. The prefix is the kind of prim.
/// Units are those of the model, after conversion; `linear` and `angular` by the axis that is meant. What no resolver
/// authors keeps the importer's default. docs/resolve.md has the attributes of each vendor.
enum class Key : std::uint16_t {
    /// Count; -1: as the solver likes.
    scene_max_solver_iterations,
    /// [1/s], its inverse is the step that `Model::default_dt` has.
    scene_time_steps_per_second,
    /// Flag; false: no gravity in this scene.
    scene_gravity_enabled,

    /// [kg] or [kg m^2]: inertia of the rotor, seen at the joint.
    joint_armature,
    /// [N s/m] or [N m s/rad]: passive, against the speed of the joint.
    joint_damping,          ///< per degree on rotations
    joint_damping_per_rad,  ///< per radian on rotations
    /// [N/m] or [N m/rad], about the rest position that springref and ref give.
    joint_stiffness,  ///< passive spring, per radian on rotations
    /// Both in MuJoCo's unit of angles, which the scene names: where the spring is at rest, and what MuJoCo calls the
    /// coordinate of the authored pose.
    joint_springref,  ///< as authored; see joint_spring()
    joint_ref,
    /// [N] or [N m]: dry friction.
    joint_friction,
    /// [m/s] or [rad/s]; infinite: none.
    joint_velocity_limit,
    /// [N] or [N m]: bound of the drive.
    joint_effort_limit,
    /// [N/m] or [N m/rad], and [N s/m] or [N m s/rad]: spring of a limit. The general one is for all axes of a joint,
    /// others are for the axes that they name. Not authored: the solver chooses how stiff a limit is.
    joint_limit_ke,  ///< for every degree of freedom
    joint_limit_kd,
    joint_limit_linear_ke,
    joint_limit_angular_ke,
    joint_limit_trans_x_ke,
    joint_limit_trans_y_ke,
    joint_limit_trans_z_ke,
    joint_limit_rot_x_ke,
    joint_limit_rot_y_ke,
    joint_limit_rot_z_ke,
    joint_limit_linear_kd,
    joint_limit_angular_kd,
    joint_limit_trans_x_kd,
    joint_limit_trans_y_kd,
    joint_limit_trans_z_kd,
    joint_limit_rot_x_kd,
    joint_limit_rot_y_kd,
    joint_limit_rot_z_kd,
    /// [m] or [rad]: where a joint starts, by axis.
    joint_linear_position,
    joint_angular_position,
    joint_rot_x_position,
    joint_rot_y_position,
    joint_rot_z_position,
    /// [m/s] or [rad/s]: how fast it starts, by axis.
    joint_linear_velocity,
    joint_angular_velocity,
    joint_rot_x_velocity,
    joint_rot_y_velocity,
    joint_rot_z_velocity,

    /// Count of `physics:approximation = convexHull`; -1: the importer's 64.
    shape_max_hull_vertices,
    /// Count, of `convexDecomposition`.
    shape_convex_decomposition_max_hulls,
    /// [m]: how far the surface is offset outwards.
    shape_margin,
    /// [m]: how much earlier a contact is made.
    shape_gap,
    /// [N/m], [N s/m], [N s/m] and [m], as those of materials; older spellings on the collider itself.
    shape_ke,
    shape_kd,
    shape_kf,
    shape_ka,
    /// Cells along the longest side.
    shape_sdf_max_resolution,
    /// [m]: edge of a cell; goes before the resolution.
    shape_sdf_target_voxel_size,
    /// [m]: depth, negative, and height to which the field is fine.
    shape_sdf_narrow_band_inner,
    shape_sdf_narrow_band_outer,
    /// "uint8", "uint16" or "float32".
    shape_sdf_texture_format,
    /// [m]: room around the bounds.
    shape_sdf_padding,
    /// Flag: contact as a pressure field, where both shapes have it.
    shape_hydroelastic_enabled,
    /// [N/m^3]: pressure a depth.
    shape_kh,
    shape_mass_model,  ///< "solid" or "shell"
    /// [m]: wall of a shell, for its mass.
    shape_shell_thickness,
    /// Number, as `model::ShapeConfig::collision_group` has it.
    shape_collision_group,
    /// Number of the world that the shape is in; -1: shared by all.
    shape_world,

    /// [1/s]: how fast the velocity of a body decays by itself, as PhysX has it.
    body_linear_damping,
    body_angular_damping,

    /// [m]: radius that turning on the spot is resisted with.
    material_mu_torsional,
    /// [m]: lever that rolling is resisted with.
    material_mu_rolling,
    /// [N/m] and [N s/m]: a compliant contact. Not authored: as stiff as the solver makes it.
    material_ke,
    material_kd,
    /// [N s/m]: gain of regularised friction, of solvers that have one.
    material_kf,
    /// [m]: how far a surface pulls.
    material_ka,
    /// Of two materials that with the higher priority counts; of equal ones the weights mix. MuJoCo's rule.
    material_priority,
    material_weight,
    material_friction_combine,  ///< "average", "min", "multiply" or "max"
    material_restitution_combine,

    /// What follows is MuJoCo's actuator: ranges, parameters and kinds, in its own order and units.
    actuator_ctrl_low,
    actuator_ctrl_high,
    actuator_force_low,
    actuator_force_high,
    actuator_act_low,
    actuator_act_high,
    actuator_length_low,
    actuator_length_high,
    actuator_gain_prm,
    actuator_bias_prm,
    actuator_dyn_prm,
    actuator_gain_type,
    actuator_bias_type,
    actuator_dyn_type,
    actuator_gear,

    /// Flag: whether links of one robot meet each other, but for those that a joint connects.
    articulation_self_collision_enabled,

    /// How many there are; no key.
    count_
};

/// "joint_armature", the name in reports and tables.
std::string_view to_string(Key key);
/// By that name; nothing for another.
std::optional<Key> key_from(std::string_view name);
PrimKind           prim_kind(Key key);
std::string_view   to_string(PrimKind kind);

}  // namespace mechane::resolve
