#pragma once
#include <bit>
#include <cstdint>
#include <span>

namespace mechane::physics {

/// Where Mechane's reading of a stage differs from that of OpenUSD 26's own parser or of Newton 1.8: one field for each
/// question, false for Mechane's answer and true for the other one. The parser, the mass rules and the importer ask
/// these fields and never whose rules are in force. `convention_table` has the words of every question and answer.
struct Conventions {
    // What the parser reads
    bool samples_need_default           = false;
    bool flat_shapes_valid              = false;
    bool sheared_boxes_stay_boxes       = false;
    bool meshes_as_authored             = false;
    bool mirrored_shapes_turn           = false;
    bool half_extents_signed            = false;
    bool unusable_points_forgotten      = false;
    bool negative_gravity_points_up     = false;
    bool bodies_need_no_transform       = false;
    bool joints_find_any_prim           = false;
    bool missing_target_is_world        = false;
    bool one_sided_hinge_limits_dropped = false;
    bool negative_gains_kept            = false;
    bool negative_strength_kept         = false;
    bool material_values_kept           = false;
    bool materials_need_binding_api     = false;
    bool groups_merged_by_swapping      = false;
    bool invalid_group_targets_kept     = false;
    bool articulations_as_parsed        = false;
    bool mass_above_bodies_ignored      = false;
    // Masses
    bool tiny_inertia_is_unauthored       = false;
    bool disabled_bodies_weigh            = false;
    bool weightless_body_has_no_mass      = false;
    bool masses_in_openusd_units          = false;
    bool shells_scaled                    = false;
    bool complete_bodies_weigh_meshes     = false;
    bool first_material_weighs            = false;
    bool invalid_moments_void_the_sum     = false;
    bool collider_mass_in_turned_frame    = false;
    bool unshaped_mass_counts             = false;
    bool massless_body_stays              = false;
    bool approximations_weigh_as_authored = false;
    bool merged_inertia_about_origin      = false;
    bool tiny_com_is_zero                 = false;
    // Values of vendors
    bool schema_defaults_of_gap         = false;
    bool no_combine_rules               = false;
    bool margin_as_authored             = false;
    bool voxel_size_excludes_resolution = false;
    bool every_collider_looked_up       = false;
    bool vendors_unread_silently        = false;
    bool belts_unread                   = false;
    bool collision_group_unread         = false;
    bool neutral_mimics_unread          = false;
    bool physx_mimic_offset_unscaled    = false;
    bool servo_force_range_unread       = false;
    bool own_actuators_counted          = false;
    bool actuators_recorded_only        = false;
    bool actuators_without_resolver     = false;
    bool iterations_honoured            = false;
    // The stage as a whole
    bool keeps_stage_units    = false;
    bool faults_refuse_import = false;
    bool first_scene_only     = false;
    bool gravity_as_parsed    = false;
    bool animation_unread     = false;
    // Bodies and joints
    bool disabled_bodies_stay             = false;
    bool never_asleep                     = false;
    bool velocities_rotated_only          = false;
    bool kinematic_velocity_followed      = false;
    bool body_attributes_by_articulation  = false;
    bool trees_as_authored                = false;
    bool kinematic_children_refused       = false;
    bool single_bodies_have_no_root       = false;
    bool first_tree_takes_root_values     = false;
    bool joints_filter_bodies             = false;
    bool world_anchors_recovered          = false;
    bool anchors_moved_with_import        = false;
    bool coordinates_zero_unless_authored = false;
    bool reversed_axes_kept               = false;
    bool locked_axes_kept                 = false;
    bool unlimited_axes_locked            = false;
    bool no_limit_in_degrees              = false;
    bool joint_distances_dropped          = false;
    bool distance_joint_at_origin         = false;
    bool acceleration_drives_are_forces   = false;
    bool d6_gains_divided                 = false;
    bool targets_beyond_bound_kept        = false;
    bool undriven_axes_unbounded          = false;
    bool no_cones_and_breaks              = false;
    bool welds_as_mujoco                  = false;
    // Shapes
    bool pressure_in_series           = false;
    bool axes_in_single_precision     = false;
    bool round_shapes_inexact         = false;
    bool tapered_shapes_dropped       = false;
    bool point_clouds_dropped         = false;
    bool static_friction_dropped      = false;
    bool sdf_as_authored              = false;
    bool hulls_cut_silently           = false;
    bool hulls_scaled                 = false;
    bool simplified_mesh_is_whole     = false;
    bool bounds_by_vertices           = false;
    bool approximations_in_passes     = false;
    bool drawn_twin_keeps_margin      = false;
    bool scale_by_axes                = false;
    bool ungrouped_pairs_by_inversion = false;
    bool unused_materials_silent      = false;
    // What is only seen
    bool instancers_not_expanded      = false;
    bool meshes_fanned                = false;
    bool prototypes_drawn             = false;
    bool invalid_colliders_hidden     = false;
    bool nothing_seen_below_colliders = false;
    bool disabled_bodies_keep_visuals = false;
    bool plane_sites_are_visuals      = false;
    bool seen_planes_infinite         = false;
    bool tint_whole_meshes_only       = false;
    bool sites_need_visuals           = false;
    // Soft things
    bool attachments_need_bodies     = false;
    bool flat_triangles_refuse_cloth = false;
    bool deformables_always_collide  = false;
    bool cloth_color_unread          = false;
    bool cable_color_fixed           = false;
    bool soft_density_is_one         = false;
    bool unusable_elements_count     = false;
    bool soft_radius_is_default      = false;

    bool operator==(const Conventions&) const = default;
};

/// Mechane's own.
inline constexpr Conventions kMechane{};

/// OpenUSD's parser and mass computer.
inline constexpr Conventions kOpenUsd26 = {
    .samples_need_default           = true,
    .flat_shapes_valid              = true,
    .sheared_boxes_stay_boxes       = true,
    .meshes_as_authored             = true,
    .mirrored_shapes_turn           = true,
    .half_extents_signed            = true,
    .unusable_points_forgotten      = true,
    .negative_gravity_points_up     = true,
    .bodies_need_no_transform       = true,
    .joints_find_any_prim           = true,
    .missing_target_is_world        = true,
    .one_sided_hinge_limits_dropped = true,
    .negative_gains_kept            = true,
    .negative_strength_kept         = true,
    .material_values_kept           = true,
    .materials_need_binding_api     = true,
    .groups_merged_by_swapping      = true,
    .invalid_group_targets_kept     = true,
    .articulations_as_parsed        = true,
    .mass_above_bodies_ignored      = true,
    .tiny_inertia_is_unauthored     = true,
    .disabled_bodies_weigh          = true,
    .weightless_body_has_no_mass    = true,
};

/// Newton 1.8: it stands on OpenUSD's parser, and the other questions are asked because its importer answers otherwise.
inline constexpr Conventions kNewton18 = [] {
    struct Bytes {
        std::uint8_t byte[sizeof(Conventions)];
    } ones{};
    for (std::uint8_t& b : ones.byte) b = 1;
    return std::bit_cast<Conventions>(ones);
}();

/// A question, who answers it otherwise, and both answers.
struct Convention {
    bool Conventions::* field;
    const char*         name;     ///< of the field
    const char*         group;    ///< what it is about
    bool                openusd;  ///< OpenUSD answers as Newton does
    const char*         question;
    const char*         mechane;  ///< Mechane's answer
    const char*         other;    ///< that of Newton 1.8, and of OpenUSD 26 where `openusd`
};

/// Every field of `Conventions` once, in their order.
std::span<const Convention> convention_table();

}  // namespace mechane::physics
