// Puts back what an edit may not change: lengths of arrays, and the topology, which everybody who keeps something of
// the model holds as indices. A list by name, as C++20 cannot enumerate members; a new array of Model is to be added
// here. Filtered pairs are a list of its own length: an edit may add and remove some, of shapes that the model has.
// A restored array is the whole of the old one: the new values of an array of another length are not trusted in part.
// Arrays stand in the order of Model.

#include "simulation/model_sizes.h"

#include <algorithm>
#include <utility>

#include "mechane/model/model.h"

namespace mechane::simulation {

namespace {

/// Arrays whose values an edit may write to.
/// The contents may differ, the length may not.
template <class T>
bool restore_size(std::vector<T>& edited, const std::vector<T>& original)
{
    if (edited.size() == original.size()) return false;
    edited = original;
    return true;
}

/// What has to stay as it is.
template <class T>
bool restore(T& edited, const T& original)
{
    if (edited == original) return false;
    edited = original;
    return true;
}

bool restore_pairs(model::Model& edited, const model::Model& original)
{
    // Pairs of shapes that the model does not have would be read beyond the arrays.
    const auto count = static_cast<std::int32_t>(original.shape_count());
    const auto known = [&](std::int32_t shape) { return shape >= 0 && shape < count; };
    auto&      pairs = edited.shape_collision_filter_pairs;
    if (std::ranges::all_of(pairs, [&](const auto& pair) { return known(pair.first) && known(pair.second); }))
        return false;
    pairs = original.shape_collision_filter_pairs;
    return true;
}

}  // namespace

const char* restore_sizes(model::Model& edited, const model::Model& original)
{
    const char* first = nullptr;
    // The first name is told to the program; the others are put back without a word.
    const auto note = [&](bool restored, const char* name) {
        if (restored && first == nullptr) first = name;
    };
#define MCH_ARRAY(name) note(restore_size(edited.name, original.name), #name)
#define MCH_FIXED(name) note(restore(edited.name, original.name), #name)
    MCH_ARRAY(body_label);
    MCH_ARRAY(body_q);
    MCH_ARRAY(body_qd);
    MCH_ARRAY(body_com);
    MCH_ARRAY(body_inertia);
    MCH_ARRAY(body_inv_inertia);
    MCH_ARRAY(body_mass);
    MCH_ARRAY(body_inv_mass);
    MCH_ARRAY(body_flags);
    MCH_ARRAY(body_starts_asleep);
    MCH_ARRAY(joint_label);
    MCH_ARRAY(joint_X_p);
    MCH_ARRAY(joint_X_c);
    MCH_ARRAY(joint_enabled);
    MCH_ARRAY(joint_mimic_coeffs);
    MCH_ARRAY(joint_break_force);
    MCH_ARRAY(joint_break_torque);
    MCH_ARRAY(joint_cone_limit);
    MCH_ARRAY(joint_exclude_from_articulation);
    MCH_ARRAY(joint_q);
    MCH_ARRAY(joint_target_q);
    MCH_ARRAY(joint_rest_q);
    MCH_ARRAY(joint_qd);
    MCH_ARRAY(joint_target_qd);
    MCH_ARRAY(joint_f);
    MCH_ARRAY(joint_act);
    MCH_ARRAY(joint_axis);
    MCH_ARRAY(joint_armature);
    MCH_ARRAY(joint_friction);
    MCH_ARRAY(joint_damping);
    MCH_ARRAY(joint_stiffness);
    MCH_ARRAY(joint_target_ke);
    MCH_ARRAY(joint_target_kd);
    MCH_ARRAY(joint_target_mode);
    MCH_ARRAY(joint_drive_type);
    MCH_ARRAY(joint_limit_lower);
    MCH_ARRAY(joint_limit_upper);
    MCH_ARRAY(joint_limit_ke);
    MCH_ARRAY(joint_limit_kd);
    MCH_ARRAY(joint_limit_authored);
    MCH_ARRAY(joint_effort_limit);
    MCH_ARRAY(joint_velocity_limit);
    MCH_ARRAY(shape_label);
    MCH_ARRAY(shape_transform);
    MCH_ARRAY(shape_scale);
    MCH_ARRAY(shape_flags);
    MCH_ARRAY(shape_is_solid);
    MCH_ARRAY(shape_margin);
    MCH_ARRAY(shape_gap);
    MCH_ARRAY(shape_material_ke);
    MCH_ARRAY(shape_material_kd);
    MCH_ARRAY(shape_material_kf);
    MCH_ARRAY(shape_material_ka);
    MCH_ARRAY(shape_material_mu);
    MCH_ARRAY(shape_material_mu_static);
    MCH_ARRAY(shape_material_restitution);
    MCH_ARRAY(shape_material_mu_torsional);
    MCH_ARRAY(shape_material_mu_rolling);
    MCH_ARRAY(shape_material_kh);
    MCH_ARRAY(shape_friction_combine);
    MCH_ARRAY(shape_restitution_combine);
    MCH_ARRAY(shape_surface_velocity);
    MCH_ARRAY(shape_sdf_config);
    MCH_ARRAY(shape_collision_group);
    MCH_ARRAY(shape_collision_radius);
    MCH_ARRAY(shape_collision_aabb_lower);
    MCH_ARRAY(shape_collision_aabb_upper);
    MCH_ARRAY(shape_color);
    MCH_ARRAY(shape_opacity);
    MCH_ARRAY(articulation_label);
    MCH_ARRAY(particle_q);
    MCH_ARRAY(particle_qd);
    MCH_ARRAY(particle_mass);
    MCH_ARRAY(particle_inv_mass);
    MCH_ARRAY(particle_radius);
    MCH_ARRAY(particle_flags);
    MCH_ARRAY(tri_poses);
    MCH_ARRAY(tri_areas);
    MCH_ARRAY(tri_materials);
    MCH_ARRAY(tri_activations);
    MCH_ARRAY(tri_color);
    MCH_ARRAY(tri_opacity);
    MCH_ARRAY(edge_rest_angle);
    MCH_ARRAY(edge_rest_length);
    MCH_ARRAY(edge_bending_properties);
    MCH_ARRAY(spring_rest_length);
    MCH_ARRAY(spring_stiffness);
    MCH_ARRAY(spring_damping);
    MCH_ARRAY(spring_control);
    MCH_ARRAY(tet_poses);
    MCH_ARRAY(tet_materials);
    MCH_ARRAY(tet_activations);
    MCH_ARRAY(attachment_particle_body_body_point);
    MCH_ARRAY(attachment_particle_body_stiffness);
    MCH_ARRAY(attachment_particle_body_damping);
    MCH_ARRAY(attachment_particle_body_enabled);
    MCH_ARRAY(surfaces);
    MCH_ARRAY(volumes);
    MCH_ARRAY(curves);
    MCH_ARRAY(gravity);
    // -- topology
    MCH_FIXED(body_world);
    MCH_FIXED(body_scene);
    MCH_FIXED(body_shapes);
    MCH_FIXED(static_shapes);
    MCH_FIXED(joint_type);
    MCH_FIXED(joint_parent);
    MCH_FIXED(joint_child);
    MCH_FIXED(joint_ancestor);
    MCH_FIXED(joint_dof_dim);
    MCH_FIXED(joint_articulation);
    MCH_FIXED(joint_mimic_joint);
    MCH_FIXED(joint_world);
    MCH_FIXED(joint_q_start);
    MCH_FIXED(joint_qd_start);
    MCH_FIXED(shape_type);
    MCH_FIXED(shape_body);
    MCH_FIXED(shape_source);
    MCH_FIXED(shape_world);
    MCH_FIXED(articulation_start);
    MCH_FIXED(articulation_end);
    MCH_FIXED(articulation_world);
    MCH_FIXED(particle_world);
    MCH_FIXED(tri_indices);
    MCH_FIXED(edge_indices);
    MCH_FIXED(spring_indices);
    MCH_FIXED(tet_indices);
    MCH_FIXED(attachment_particle_body_body);
    MCH_FIXED(attachment_particle_body_particle);
    MCH_FIXED(attachment_particle_body_world);
    MCH_FIXED(particle_color_groups);
    MCH_FIXED(particle_colors);
    MCH_FIXED(body_world_start);
    MCH_FIXED(shape_world_start);
    MCH_FIXED(joint_world_start);
    MCH_FIXED(articulation_world_start);
    MCH_FIXED(joint_dof_world_start);
    MCH_FIXED(joint_coord_world_start);
    MCH_FIXED(particle_world_start);
    MCH_FIXED(up_axis);
    MCH_FIXED(world_count);
    MCH_FIXED(max_joints_per_articulation);
    MCH_FIXED(max_dofs_per_articulation);
#undef MCH_ARRAY
#undef MCH_FIXED
    note(restore_pairs(edited, original), "shape_collision_filter_pairs");
    return first;
}

}  // namespace mechane::simulation
