// Puts arrays of a model that an edit resized back to their length. A list by name, as C++20 cannot enumerate members;
// a new array of Model is to be added here.
// Filtered pairs are a list of its own length: an edit may add and remove some.

#include "simulation/model_sizes.h"

#include <utility>

#include "mechane/model/model.h"

namespace mechane::simulation {

namespace {

template <class T>
bool restore(std::vector<T>& edited, const std::vector<T>& original)
{
    if (edited.size() == original.size()) return false;
    edited = original;
    return true;
}

}  // namespace

const char* restore_sizes(model::Model& edited, const model::Model& original)
{
    const char* first = nullptr;
    const auto  each  = [&](auto... arrays) {
        ((restore(edited.*arrays.second, original.*arrays.second) && first == nullptr
              ? static_cast<void>(first = arrays.first)
              : static_cast<void>(0)),
         ...);
    };
#define MCH_ARRAY(name) std::pair(#name, &model::Model::name)
    each(MCH_ARRAY(body_label), MCH_ARRAY(body_q), MCH_ARRAY(body_qd), MCH_ARRAY(body_com), MCH_ARRAY(body_inertia),
         MCH_ARRAY(body_inv_inertia), MCH_ARRAY(body_mass), MCH_ARRAY(body_inv_mass), MCH_ARRAY(body_flags),
         MCH_ARRAY(body_world), MCH_ARRAY(body_scene), MCH_ARRAY(body_starts_asleep), MCH_ARRAY(body_shapes),
         MCH_ARRAY(static_shapes), MCH_ARRAY(joint_label), MCH_ARRAY(joint_type), MCH_ARRAY(joint_parent),
         MCH_ARRAY(joint_child), MCH_ARRAY(joint_ancestor), MCH_ARRAY(joint_X_p), MCH_ARRAY(joint_X_c),
         MCH_ARRAY(joint_enabled), MCH_ARRAY(joint_dof_dim), MCH_ARRAY(joint_articulation),
         MCH_ARRAY(joint_mimic_joint), MCH_ARRAY(joint_mimic_coeffs), MCH_ARRAY(joint_world), MCH_ARRAY(joint_q_start),
         MCH_ARRAY(joint_qd_start), MCH_ARRAY(joint_break_force), MCH_ARRAY(joint_break_torque),
         MCH_ARRAY(joint_cone_limit), MCH_ARRAY(joint_exclude_from_articulation), MCH_ARRAY(joint_q),
         MCH_ARRAY(joint_target_q), MCH_ARRAY(joint_rest_q), MCH_ARRAY(joint_qd), MCH_ARRAY(joint_target_qd),
         MCH_ARRAY(joint_f), MCH_ARRAY(joint_act), MCH_ARRAY(joint_axis), MCH_ARRAY(joint_armature),
         MCH_ARRAY(joint_friction), MCH_ARRAY(joint_damping), MCH_ARRAY(joint_stiffness), MCH_ARRAY(joint_target_ke),
         MCH_ARRAY(joint_target_kd), MCH_ARRAY(joint_target_mode), MCH_ARRAY(joint_drive_type),
         MCH_ARRAY(joint_limit_lower), MCH_ARRAY(joint_limit_upper), MCH_ARRAY(joint_limit_ke),
         MCH_ARRAY(joint_limit_kd), MCH_ARRAY(joint_limit_authored), MCH_ARRAY(joint_effort_limit),
         MCH_ARRAY(joint_velocity_limit), MCH_ARRAY(shape_label), MCH_ARRAY(shape_type), MCH_ARRAY(shape_body),
         MCH_ARRAY(shape_transform), MCH_ARRAY(shape_scale), MCH_ARRAY(shape_source), MCH_ARRAY(shape_flags),
         MCH_ARRAY(shape_is_solid), MCH_ARRAY(shape_margin), MCH_ARRAY(shape_gap), MCH_ARRAY(shape_material_ke),
         MCH_ARRAY(shape_material_kd), MCH_ARRAY(shape_material_kf), MCH_ARRAY(shape_material_ka),
         MCH_ARRAY(shape_material_mu), MCH_ARRAY(shape_material_mu_static), MCH_ARRAY(shape_material_restitution),
         MCH_ARRAY(shape_material_mu_torsional), MCH_ARRAY(shape_material_mu_rolling), MCH_ARRAY(shape_material_kh),
         MCH_ARRAY(shape_friction_combine), MCH_ARRAY(shape_restitution_combine), MCH_ARRAY(shape_surface_velocity),
         MCH_ARRAY(shape_sdf_config), MCH_ARRAY(shape_collision_group), MCH_ARRAY(shape_world),
         MCH_ARRAY(shape_collision_radius), MCH_ARRAY(shape_collision_aabb_lower),
         MCH_ARRAY(shape_collision_aabb_upper), MCH_ARRAY(shape_color), MCH_ARRAY(shape_opacity),
         MCH_ARRAY(articulation_label), MCH_ARRAY(articulation_start), MCH_ARRAY(articulation_end),
         MCH_ARRAY(articulation_world), MCH_ARRAY(particle_q), MCH_ARRAY(particle_qd), MCH_ARRAY(particle_mass),
         MCH_ARRAY(particle_inv_mass), MCH_ARRAY(particle_radius), MCH_ARRAY(particle_flags), MCH_ARRAY(particle_world),
         MCH_ARRAY(tri_indices), MCH_ARRAY(edge_indices), MCH_ARRAY(tri_poses), MCH_ARRAY(tri_areas),
         MCH_ARRAY(tri_materials), MCH_ARRAY(tri_activations), MCH_ARRAY(tri_color), MCH_ARRAY(tri_opacity),
         MCH_ARRAY(edge_rest_angle), MCH_ARRAY(edge_rest_length), MCH_ARRAY(edge_bending_properties),
         MCH_ARRAY(spring_indices), MCH_ARRAY(spring_rest_length), MCH_ARRAY(spring_stiffness),
         MCH_ARRAY(spring_damping), MCH_ARRAY(spring_control), MCH_ARRAY(tet_indices), MCH_ARRAY(tet_poses),
         MCH_ARRAY(tet_materials), MCH_ARRAY(tet_activations), MCH_ARRAY(attachment_particle_body_body),
         MCH_ARRAY(attachment_particle_body_particle), MCH_ARRAY(attachment_particle_body_world),
         MCH_ARRAY(attachment_particle_body_body_point), MCH_ARRAY(attachment_particle_body_stiffness),
         MCH_ARRAY(attachment_particle_body_damping), MCH_ARRAY(attachment_particle_body_enabled), MCH_ARRAY(surfaces),
         MCH_ARRAY(volumes), MCH_ARRAY(curves), MCH_ARRAY(particle_color_groups), MCH_ARRAY(particle_colors),
         MCH_ARRAY(gravity), MCH_ARRAY(body_world_start), MCH_ARRAY(shape_world_start), MCH_ARRAY(joint_world_start),
         MCH_ARRAY(articulation_world_start), MCH_ARRAY(joint_dof_world_start), MCH_ARRAY(joint_coord_world_start),
         MCH_ARRAY(particle_world_start));
#undef MCH_ARRAY
    return first;
}

}  // namespace mechane::simulation
