// The keys of resolvers by name, for tables in files, reports and `--help`, and the kind of prim that each belongs to.

#include "mechane/resolve/key.h"

#include <array>
#include <cstddef>

namespace mechane::resolve {

namespace {

struct KeyName {
    Key              key;
    std::string_view name;
};
#define MCH_KEY(name) \
    KeyName { Key::name, #name }
constexpr std::array kNames = {
    MCH_KEY(scene_max_solver_iterations),
    MCH_KEY(scene_time_steps_per_second),
    MCH_KEY(scene_gravity_enabled),
    MCH_KEY(joint_armature),
    MCH_KEY(joint_damping),
    MCH_KEY(joint_damping_per_rad),
    MCH_KEY(joint_stiffness),
    MCH_KEY(joint_springref),
    MCH_KEY(joint_ref),
    MCH_KEY(joint_friction),
    MCH_KEY(joint_velocity_limit),
    MCH_KEY(joint_effort_limit),
    MCH_KEY(joint_limit_ke),
    MCH_KEY(joint_limit_kd),
    MCH_KEY(joint_limit_linear_ke),
    MCH_KEY(joint_limit_angular_ke),
    MCH_KEY(joint_limit_trans_x_ke),
    MCH_KEY(joint_limit_trans_y_ke),
    MCH_KEY(joint_limit_trans_z_ke),
    MCH_KEY(joint_limit_rot_x_ke),
    MCH_KEY(joint_limit_rot_y_ke),
    MCH_KEY(joint_limit_rot_z_ke),
    MCH_KEY(joint_limit_linear_kd),
    MCH_KEY(joint_limit_angular_kd),
    MCH_KEY(joint_limit_trans_x_kd),
    MCH_KEY(joint_limit_trans_y_kd),
    MCH_KEY(joint_limit_trans_z_kd),
    MCH_KEY(joint_limit_rot_x_kd),
    MCH_KEY(joint_limit_rot_y_kd),
    MCH_KEY(joint_limit_rot_z_kd),
    MCH_KEY(joint_linear_position),
    MCH_KEY(joint_angular_position),
    MCH_KEY(joint_rot_x_position),
    MCH_KEY(joint_rot_y_position),
    MCH_KEY(joint_rot_z_position),
    MCH_KEY(joint_linear_velocity),
    MCH_KEY(joint_angular_velocity),
    MCH_KEY(joint_rot_x_velocity),
    MCH_KEY(joint_rot_y_velocity),
    MCH_KEY(joint_rot_z_velocity),
    MCH_KEY(shape_max_hull_vertices),
    MCH_KEY(shape_convex_decomposition_max_hulls),
    MCH_KEY(shape_margin),
    MCH_KEY(shape_gap),
    MCH_KEY(shape_ke),
    MCH_KEY(shape_kd),
    MCH_KEY(shape_kf),
    MCH_KEY(shape_ka),
    MCH_KEY(shape_sdf_max_resolution),
    MCH_KEY(shape_sdf_target_voxel_size),
    MCH_KEY(shape_sdf_narrow_band_inner),
    MCH_KEY(shape_sdf_narrow_band_outer),
    MCH_KEY(shape_sdf_texture_format),
    MCH_KEY(shape_sdf_padding),
    MCH_KEY(shape_hydroelastic_enabled),
    MCH_KEY(shape_kh),
    MCH_KEY(shape_mass_model),
    MCH_KEY(shape_shell_thickness),
    MCH_KEY(shape_collision_group),
    MCH_KEY(shape_world),
    MCH_KEY(body_linear_damping),
    MCH_KEY(body_angular_damping),
    MCH_KEY(material_mu_torsional),
    MCH_KEY(material_mu_rolling),
    MCH_KEY(material_ke),
    MCH_KEY(material_kd),
    MCH_KEY(material_kf),
    MCH_KEY(material_ka),
    MCH_KEY(material_priority),
    MCH_KEY(material_weight),
    MCH_KEY(material_friction_combine),
    MCH_KEY(material_restitution_combine),
    MCH_KEY(actuator_ctrl_low),
    MCH_KEY(actuator_ctrl_high),
    MCH_KEY(actuator_force_low),
    MCH_KEY(actuator_force_high),
    MCH_KEY(actuator_act_low),
    MCH_KEY(actuator_act_high),
    MCH_KEY(actuator_length_low),
    MCH_KEY(actuator_length_high),
    MCH_KEY(actuator_gain_prm),
    MCH_KEY(actuator_bias_prm),
    MCH_KEY(actuator_dyn_prm),
    MCH_KEY(actuator_gain_type),
    MCH_KEY(actuator_bias_type),
    MCH_KEY(actuator_dyn_type),
    MCH_KEY(actuator_gear),
    MCH_KEY(articulation_self_collision_enabled),
};
#undef MCH_KEY

/// Both lookups index by the enumerator, so the table must follow the enumeration.
constexpr bool names_are_in_order()
{
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (kNames[i].key != static_cast<Key>(i)) return false;
    return kNames.size() == static_cast<std::size_t>(Key::count_);
}
static_assert(names_are_in_order(), "each key has its name, in the order of the enumeration");

}  // namespace

std::string_view to_string(Key key)
{ return key < Key::count_ ? kNames[static_cast<std::size_t>(key)].name : std::string_view{}; }

std::optional<Key> key_from(std::string_view name)
{
    for (const KeyName& row : kNames)
        if (row.name == name) return row.key;
    return std::nullopt;
}

/// The enumeration is grouped by kinds; the last key of each group is named here.
PrimKind prim_kind(Key key)
{
    if (key <= Key::scene_gravity_enabled) return PrimKind::scene;
    if (key <= Key::joint_rot_z_velocity) return PrimKind::joint;
    if (key <= Key::shape_world) return PrimKind::shape;
    if (key <= Key::body_angular_damping) return PrimKind::body;
    if (key <= Key::material_restitution_combine) return PrimKind::material;
    if (key <= Key::actuator_gear) return PrimKind::actuator;
    return PrimKind::articulation;
}

std::string_view to_string(PrimKind kind)
{
    switch (kind) {
        case PrimKind::scene:
            return "scene";
        case PrimKind::joint:
            return "joint";
        case PrimKind::shape:
            return "shape";
        case PrimKind::body:
            return "body";
        case PrimKind::material:
            return "material";
        case PrimKind::actuator:
            return "actuator";
        case PrimKind::articulation:
            return "articulation";
    }
    return "";
}

}  // namespace mechane::resolve
