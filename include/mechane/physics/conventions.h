#pragma once
#include <bit>
#include <cstdint>
#include <span>

namespace mechane::physics {

/// Where Mechane's reading of a stage differs from that of OpenUSD 26's own parser or of Newton 1.8: one field for each
/// question, false for Mechane's answer and true for the other one. The parser, the mass rules and the importer ask
/// these fields and never whose rules are in force. Above each field stands the question, Mechane's answer and the
/// other one, in the words of `convention_table`.
struct Conventions {
    // What the parser reads
    /// A value or a transform that is animated and has no default: its value at the start, or as if unauthored.
    bool samples_need_default = false;
    /// A value of another type than its attribute's, such as a double for a float: counts, or as if unauthored.
    bool other_types_unread = false;
    /// Masses, and the switch of a collider, of another type: as other values, or count.
    bool mass_types_any = false;
    /// A size of zero or below: the shape is left out, or kept.
    bool flat_shapes_valid = false;
    /// A box below a shear: the hull of its corners, or a box of its factored size.
    bool sheared_boxes_stay_boxes = false;
    /// A mesh without points or faces, and a mesh below a shear: left out; sheared, or kept as authored.
    bool meshes_as_authored = false;
    /// A cone or plane below a mirror: mirrored, or turned by half a turn.
    bool mirrored_shapes_turn = false;
    /// The half extents of a box below a mirror, in `dump physics`: positive, or with the signs of the scale.
    bool half_extents_signed = false;
    /// The pose and the groups of a point cloud without sizes: kept, or forgotten.
    bool unusable_points_forgotten = false;
    /// A negative magnitude of gravity that is not the mark for "unauthored": the earth's gravity, or points up.
    bool negative_gravity_points_up = false;
    /// A rigid body on a prim without a transform: left out, or kept.
    bool bodies_need_no_transform = false;
    /// A joint to a prim outside of what is read: the nearest prim above that is read, or that prim.
    bool joints_find_any_prim = false;
    /// A joint whose target does not exist: left out, or held by the world.
    bool missing_target_is_world = false;
    /// A revolute joint with one limit: limited on one side, or free.
    bool one_sided_hinge_limits_dropped = false;
    /// A drive with a negative stiffness or damping: zero, or kept.
    bool negative_gains_kept = false;
    /// A negative force or torque at which a joint breaks: never breaks, or kept.
    bool negative_strength_kept = false;
    /// Friction, restitution or density out of range: the nearest bound, or kept.
    bool material_values_kept = false;
    /// A collider that inherits its material without MaterialBindingAPI of its own: has the material, or has none.
    bool materials_need_binding_api = false;
    /// PhysicsMaterialAPI on a body, a collider, an articulation root or a joint: all are read, but a joint is no
    /// material, or the first applied one decides: a material and nothing else, or no material.
    bool materials_stand_alone = false;
    /// The order in which merged collision groups are found: as they stand, or the last one takes the place of a merged
    /// one.
    bool groups_merged_by_swapping = false;
    /// A filtered group that is none: dropped, or kept in the description.
    bool invalid_group_targets_kept = false;
    /// The links of an articulation: trees of joints, or the order of OpenUSD's parser; a root without links stays.
    bool articulations_as_parsed = false;
    /// MassAPI on a prim between a body and its collider: density holds below it, mass replaces the subtree's, or
    /// nothing.
    bool mass_above_bodies_ignored = false;
    // Masses
    /// A diagonal inertia shorter than 1e-5: authored, or as if unauthored.
    bool tiny_inertia_is_unauthored = false;
    /// The colliders of a body that is off, in its mass: none, or all below it that belong to no other body.
    bool disabled_bodies_weigh = false;
    /// The mass of a body whose colliders contribute nothing: a default, or zero with a finding, or 0, or -1 without
    /// colliders.
    bool weightless_body_has_no_mass = false;
    /// The unit of length of a stage without metersPerUnit, for masses: the import's, or OpenUSD's 0.01 m.
    bool masses_in_openusd_units = false;
    /// Walls of a shell of a cone or of a cylinder with two radii: as thick along their normal as at their ends, or a
    /// smaller one inside.
    bool shells_scaled = false;
    /// Meshes of a body that authors its whole mass: not weighed, or weighed.
    bool complete_bodies_weigh_meshes = false;
    /// The material whose density counts: the collider's own, or the first of the collider and its subsets.
    bool first_material_weighs = false;
    /// Mass or moments of a collider that are not finite: as if unauthored, or as if its body authored nothing: what
    /// the shapes weigh at their density.
    bool invalid_moments_void_the_sum = false;
    /// What a collider with an axis authors of its mass: in its own frame, or in the frame turned onto the axis, about
    /// its origin.
    bool collider_mass_in_turned_frame = false;
    /// A collider with a mass and without a volume: left out, unless its moments are authored, or a point of this mass
    /// at the origin of the body.
    bool unshaped_mass_counts = false;
    /// The inertia of a body with a mass of its own whose colliders author masses or moments too: what they say,
    /// scaled, or their volumes, scaled.
    bool collider_masses_shape_no_inertia = false;
    /// A body without any mass: the mass of a default shape, or mass zero.
    bool massless_body_stays = false;
    /// Mass of an approximated mesh: of what collides, or of the authored mesh.
    bool approximations_weigh_as_authored = false;
    /// Inertia of a body that was merged into its parent: about the common centre of mass, or added about the parent's
    /// origin.
    bool merged_inertia_about_origin = false;
    /// A centre of mass nearer to an axis than 1e-8: as computed, or on the axis.
    bool tiny_com_is_zero = false;
    // Values of vendors
    /// The gap of a collider that authors none: the importer's default, or the schema's.
    bool schema_defaults_of_gap = false;
    /// The rules by which friction and restitution of two materials combine: read (PhysxMaterialAPI), or not read.
    bool no_combine_rules = false;
    /// Mjc:margin: margin minus gap, or as authored.
    bool margin_as_authored = false;
    /// A resolution beside a size of voxels: both are kept, or the size alone.
    bool voxel_size_excludes_resolution = false;
    /// Attributes of vendors on colliders that apply none of their schemas: not looked up, or looked up.
    bool every_collider_looked_up = false;
    /// Values of a vendor whose resolver is not in use: told (IMPORT_VENDOR_UNREAD), or not told.
    bool vendors_unread_silently = false;
    /// PhysxSurfaceVelocityAPI: moves what lies on the surface, or not read.
    bool belts_unread = false;
    /// Newton:collisionGroup of a collider: its group, or not read.
    bool collision_group_unread = false;
    /// ExtendedPhysicsMimicAPI: a follower, or not read.
    bool neutral_mimics_unread = false;
    /// The offset of PhysxMimicJointAPI: degrees, or stage units, or radians or metres as authored.
    bool physx_mimic_offset_unscaled = false;
    /// A joint that follows a follower: follows the first of the chain, or refused.
    bool mimic_chains_refused = false;
    /// Mjc:forceRange of a servo: bounds the drive, or not read.
    bool servo_force_range_unread = false;
    /// Several servos of MuJoCo on one joint, and its own drive: servos add, in the place of the drive, or the last
    /// servo says each gain, the drive what they leave out.
    bool servos_replace_each_other = false;
    /// `actuator_count` of the result: servos of MuJoCo, or NewtonActuator prims.
    bool own_actuators_counted = false;
    /// A NewtonActuator that is a PD law: a drive, or recorded beside the joint.
    bool actuators_recorded_only = false;
    /// NewtonActuator prims without the resolver newton: not read, or read.
    bool actuators_without_resolver = false;
    /// A scene's largest number of iterations; its mjc:option:timestep that divides no second: told, `sim` gives it to
    /// xpbd and vbd; the step, or kept for solvers that iterate; a whole number of steps a second.
    bool iterations_honoured = false;
    // The stage as a whole
    /// Units: SI; a stage without `metersPerUnit` is in metres, or numbers as authored.
    bool keeps_stage_units = false;
    /// A fault of one entity: it is reported and left out, or the import is refused, the builder stays as it was.
    bool faults_refuse_import = false;
    /// Several scenes: a world each, or the one that `scene` names, or the first one.
    bool first_scene_only = false;
    /// Gravity without a magnitude: 9.81 m/s² in the stage's unit as imported, or OpenUSD's, in its reading of the
    /// unit.
    bool gravity_as_parsed = false;
    /// What the stage animates: followed by a simulation, or held at its first value.
    bool animation_unread = false;
    // Bodies and joints
    /// Disabled body: part of the world, or a body without mass.
    bool disabled_bodies_stay = false;
    /// A body that starts asleep: sleeps, or is awake.
    bool never_asleep = false;
    /// Velocities below a scale: multiplied by the scale, or as authored.
    bool velocities_rotated_only = false;
    /// Velocity of a kinematic body without animation: ignored, `IMPORT_KINEMATIC_VELOCITY`;
    /// `kinematic_velocity=follow` moves it, or followed.
    bool kinematic_velocity_followed = false;
    /// The attributes of vendors on a body: collected from the body, or collected from the links that the articulation
    /// names.
    bool body_attributes_by_articulation = false;
    /// Joints without an articulation root, loops, several trees below one root, joints that point towards the root:
    /// trees, one articulation each (`root`, `root#1`, ...); a loop is cut where it closes breadth first, that joint is
    /// a loop constraint; the ends of a joint are exchanged, or joints outside articulations; `IMPORT_ART_CYCLE`,
    /// `IMPORT_ART_MULTI_ROOT`, `IMPORT_ART_REVERSED`.
    bool trees_as_authored = false;
    /// Kinematic body below another: a root of its own, or `IMPORT_BODY_KINEMATIC_CHILD`.
    bool kinematic_children_refused = false;
    /// Attributes of an articulation root on a single body: hold for its articulation, or are not read.
    bool single_bodies_have_no_root = false;
    /// Custom attributes of an articulation root with several trees: of each, or of the first.
    bool first_tree_takes_root_values = false;
    /// Pairs that a joint filters: colliders of the two sides, if both are authored and it is enabled, or shapes of the
    /// two bodies.
    bool joints_filter_bodies = false;
    /// Joint to the world: its authored frame, unless the poses contradict it, or recovered from the child.
    bool world_anchors_recovered = false;
    /// Anchor in a body, of a joint outside articulations; further joints of an articulation to the world: as authored;
    /// like its first one, or moved as the whole import is; as authored, whatever was put before the stage.
    bool anchors_moved_with_import = false;
    /// Initial coordinates: from the authored poses unless a state attribute gives them; poses then follow, or zero
    /// unless authored.
    bool coordinates_zero_unless_authored = false;
    /// The axis of a joint whose ends are exchanged: turned, or kept.
    bool reversed_axes_kept = false;
    /// Lower limit above the upper: the axis is locked, or kept.
    bool locked_axes_kept = false;
    /// Axes of a PhysicsJoint without a limit: free, or locked.
    bool unlimited_axes_locked = false;
    /// An angular axis of a PhysicsJoint without bounds: free, or the default of "no limit", read as degrees.
    bool no_limit_in_degrees = false;
    /// The distance of a PhysicsJoint: a range and a spring beside its axes, or not simulated.
    bool joint_distances_dropped = false;
    /// The initial coordinates of a distance joint: from the authored poses, or zero.
    bool distance_joint_at_origin = false;
    /// Acceleration drive: its gains without mass, 1/s² and 1/s; of angles per degree, times 180/π as a force drive's,
    /// or a force drive.
    bool acceleration_drives_are_forces = false;
    /// `joint_drive_gains_scaling` on angular axes of a PhysicsJoint: a factor, or a divisor.
    bool d6_gains_divided = false;
    /// A target beyond the only bound of a joint: held at the bound, or in the middle of a range without an end.
    bool targets_beyond_bound_kept = false;
    /// The largest effort of an axis of a merged joint without a drive: the builder's default, or infinite.
    bool undriven_axes_unbounded = false;
    /// Cones and break limits: in the model, or dropped.
    bool no_cones_and_breaks = false;
    /// Frames of a weld or connect of MuJoCo: as authored, or a point of body1, and where it and its axes are held in
    /// body0.
    bool welds_as_mujoco = false;
    // Shapes
    /// The stiffness of two bodies in pressure contact: their harmonic mean, or in series.
    bool pressure_in_series = false;
    /// The rotation of a shape onto its axis, and frames of what is only seen: in double precision, or in single
    /// precision.
    bool axes_in_single_precision = false;
    /// `exact_shapes`, and ellipsoids of MuJoCo: honoured, or not known.
    bool round_shapes_inexact = false;
    /// Capsules and cylinders of two radii: the hull of their ends, or left out.
    bool tapered_shapes_dropped = false;
    /// A collider of spheres at points: a shape for each point, or left out.
    bool point_clouds_dropped = false;
    /// Static friction: in the model, or dropped.
    bool static_friction_dropped = false;
    /// Pressure contact or a distance field on a plane or an open mesh: off, which is told, or as authored.
    bool sdf_as_authored = false;
    /// A hull that loses more than half a percent to the limit of its corners: told, or not told.
    bool hulls_cut_silently = false;
    /// Hulls and parts of a mesh under a mirror, parts under a scale: made of the scaled mesh, or made of the authored
    /// mesh and scaled.
    bool hulls_scaled = false;
    /// The approximation meshSimplification: a mesh with fewer faces, or the mesh itself.
    bool simplified_mesh_is_whole = false;
    /// Box and ball around a mesh: the tightest, or a box turned by whole degrees about one axis before the hull's
    /// principal axes; a ball about the mean of the vertices.
    bool bounds_by_vertices = false;
    /// The order in which approximations are made: collider by collider, or method by method.
    bool approximations_in_passes = false;
    /// The margin of the drawn copy of an approximated mesh: the default, or the collider's.
    bool drawn_twin_keeps_margin = false;
    /// `path_shape_scale` of the result: the factored scale, or lengths of the axes, with the signs of the authored
    /// scales.
    bool scale_by_axes = false;
    /// A pair of colliders of which one is in no collision group: by the table of the groups, or filtered where an
    /// inverted group is among them.
    bool ungrouped_pairs_by_inversion = false;
    /// Materials of subsets that have no effect: told, or not told.
    bool unused_materials_silent = false;
    // What is only seen
    /// Items of point instancers: bodies, colliders and shapes of their own, or left out.
    bool instancers_not_expanded = false;
    /// The triangles of a face with more than three corners: cut along the better diagonals, or a fan about the first
    /// corner.
    bool meshes_fanned = false;
    /// What an instancer makes copies of: not drawn where it stands, or drawn once.
    bool prototypes_drawn = false;
    /// A collider that the parser refused: drawn, or not drawn as a visual.
    bool invalid_colliders_hidden = false;
    /// Geometry below a collider: drawn, or not drawn.
    bool nothing_seen_below_colliders = false;
    /// Geometry below a body that is off: drawn as part of the world, or not drawn.
    bool disabled_bodies_keep_visuals = false;
    /// A site that is a plane: a site, or a visual shape.
    bool plane_sites_are_visuals = false;
    /// Size of a plane that is only seen: USD's fallback, or infinite where it is not authored.
    bool seen_planes_infinite = false;
    /// Colour beside a texture, on a part of a mesh: tints it, or is ignored.
    bool tint_whole_meshes_only = false;
    /// Sites outside of bodies where no visual shapes are loaded: loaded, or left out.
    bool sites_need_visuals = false;
    // Soft things
    /// An attachment to a transform that is no rigid body: held by the world, or without effect.
    bool attachments_need_bodies = false;
    /// A cloth with some triangles without area: made without them, or not made.
    bool flat_triangles_refuse_cloth = false;
    /// A deformable without an enabled collider: meets nothing, or collides all the same.
    bool deformables_always_collide = false;
    /// Colour and opacity of a cloth: those of its prim, or the default.
    bool cloth_color_unread = false;
    /// Colour of a cable: that of its prim, or one for all.
    bool cable_color_fixed = false;
    /// Density of a soft body without a material that says it: the builder's, or 1.
    bool soft_density_is_one = false;
    /// Tetrahedra that are left out: are not seen and weigh nothing, or are in the skin, and weigh unless there is a
    /// rest shape.
    bool unusable_elements_count = false;
    /// The radius of a soft body's particles: by their spacing, or the default.
    bool soft_radius_is_default = false;

    bool operator==(const Conventions&) const = default;
};

/// Mechane's own.
inline constexpr Conventions kMechane{};

/// OpenUSD's parser and mass computer.
inline constexpr Conventions kOpenUsd26 = {
    .samples_need_default           = true,
    .other_types_unread             = true,
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
    .materials_stand_alone          = true,
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
/// For reports, tests and docs/importer.md; nothing asks these words at run time.
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
