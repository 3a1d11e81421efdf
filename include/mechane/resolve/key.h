#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace mechane::resolve {

/// What kind of prim a key is asked of.
enum class PrimKind : std::uint8_t { scene, joint, shape, body, material, actuator, articulation };

/// One property of the simulation that solvers author in their own attributes. The prefix is the kind of prim.
enum class Key : std::uint16_t {
    scene_max_solver_iterations,
    scene_time_steps_per_second,
    scene_gravity_enabled,

    joint_armature,
    joint_damping,          ///< per degree on rotations
    joint_damping_per_rad,  ///< per radian on rotations
    joint_stiffness,        ///< passive spring, per radian on rotations
    joint_springref,        ///< as authored; see joint_spring()
    joint_ref,
    joint_friction,
    joint_velocity_limit,
    joint_effort_limit,
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
    joint_linear_position,
    joint_angular_position,
    joint_rot_x_position,
    joint_rot_y_position,
    joint_rot_z_position,
    joint_linear_velocity,
    joint_angular_velocity,
    joint_rot_x_velocity,
    joint_rot_y_velocity,
    joint_rot_z_velocity,

    shape_max_hull_vertices,
    shape_convex_decomposition_max_hulls,
    shape_margin,
    shape_gap,
    shape_ke,
    shape_kd,
    shape_kf,
    shape_ka,
    shape_sdf_max_resolution,
    shape_sdf_target_voxel_size,
    shape_sdf_narrow_band_inner,
    shape_sdf_narrow_band_outer,
    shape_sdf_texture_format,
    shape_sdf_padding,
    shape_hydroelastic_enabled,
    shape_kh,
    shape_mass_model,  ///< "solid" or "shell"
    shape_shell_thickness,
    shape_collision_group,
    shape_world,

    body_linear_damping,
    body_angular_damping,

    material_mu_torsional,
    material_mu_rolling,
    material_ke,
    material_kd,
    material_kf,
    material_ka,
    material_priority,
    material_weight,
    material_friction_combine,  ///< "average", "min", "multiply" or "max"
    material_restitution_combine,

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

    articulation_self_collision_enabled,

    count_
};

/// "joint_armature", the name in reports and tables.
std::string_view   to_string(Key key);
std::optional<Key> key_from(std::string_view name);
PrimKind           prim_kind(Key key);
std::string_view   to_string(PrimKind kind);

}  // namespace mechane::resolve
