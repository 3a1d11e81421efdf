#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechane/geometry/mesh.h"
#include "mechane/math/pose.h"
#include "mechane/math/spatial.h"
#include "mechane/model/custom.h"
#include "mechane/model/sdf_config.h"
#include "mechane/model/soft.h"
#include "mechane/model/types.h"

namespace mechane::model {

/// The frozen scene: structure of arrays under Newton's names, SI units, radians, quaternions x y z w.
/// "[N]" counts bodies, joints, coordinates (joint_q), dofs (joint_qd), shapes, articulations, particles or worlds, by
/// the group.
/// Frozen means that sizes never change; numbers may, if whoever keeps something of them is told
/// (`Simulation::edit`, `Solver::notify`). Reading is safe from any number of threads.
struct Model {
    /// Up axis of the world that gravity and `add_ground_plane` use: 0, 1, 2 for X, Y, Z.
    int up_axis = 2;

    // -- body [body_count]
    std::vector<std::string> body_label;
    std::vector<Pose>        body_q;        ///< initial pose of the body frame in the world
    std::vector<Spatial>     body_qd;       ///< initial velocity of the centre of mass, angular velocity; world axes
    std::vector<Vec3>        body_com;      ///< body frame [m]
    std::vector<Mat33>       body_inertia;  ///< about the centre of mass, body axes [kg m^2]
    /// Zero where the body is immovable.
    std::vector<Mat33> body_inv_inertia;
    std::vector<Real>  body_mass, body_inv_mass;  ///< [kg], [1/kg]; inv_mass 0: immovable
    /// Bits of `body_flag`; the world, -1: shared by all.
    std::vector<std::int32_t> body_flags, body_world;
    std::vector<std::int32_t> body_scene;  ///< physics scene of the stage, in its order; -1: none
    /// physics:startsAsleep of the stage: such an island is left out until something wakes it, where sleeping is on.
    std::vector<std::uint8_t>              body_starts_asleep;
    std::vector<std::vector<std::int32_t>> body_shapes;    ///< shapes of each body, ascending
    std::vector<std::int32_t>              static_shapes;  ///< shapes of the world

    // -- joint [joint_count]
    /// Labels are unique within a world where the face made the model; importers take prim paths.
    std::vector<std::string>  joint_label;
    std::vector<JointType>    joint_type;
    std::vector<std::int32_t> joint_parent, joint_child;  ///< body or -1
    std::vector<std::int32_t> joint_ancestor;             ///< joint whose child is my parent, -1 at roots
    std::vector<Pose>         joint_X_p, joint_X_c;       ///< anchor frames in parent and child
    /// 0: the joint holds nothing, and its dofs move nothing.
    std::vector<std::uint8_t>                joint_enabled;
    std::vector<std::array<std::int32_t, 2>> joint_dof_dim;       ///< linear, angular
    std::vector<std::int32_t>                joint_articulation;  ///< -1: a loop joint or an orphan
    /// The joint that is followed, -1: none, by q = coeffs[0] + coeffs[1] q_leader, dof by dof.
    std::vector<std::int32_t>        joint_mimic_joint;
    std::vector<std::array<Real, 2>> joint_mimic_coeffs;
    std::vector<std::int32_t>        joint_world;
    /// First coordinate and first dof of a joint; the entry behind the last joint is their number.
    std::vector<std::int32_t>        joint_q_start, joint_qd_start;          ///< [N+1]
    std::vector<Real>                joint_break_force, joint_break_torque;  ///< [N], [N m]; infinity: never
    std::vector<std::array<Real, 2>> joint_cone_limit;                       ///< [rad], negative: free
    /// 1: physics:excludeFromArticulation of the stage: it closes a loop although it could be part of the tree.
    std::vector<std::uint8_t> joint_exclude_from_articulation;

    // -- coordinate [joint_coord_count]: along an axis [m], about one [rad]; a ball's quaternion (x, y, z, w) [-], of a
    // free joint the position [m] and then the quaternion
    std::vector<Real> joint_q, joint_target_q, joint_rest_q;  ///< [m], [rad] or [-]

    // -- dof [joint_dof_count]: along an axis, or about one
    std::vector<Real> joint_qd, joint_target_qd;  ///< [m/s], [rad/s]
    std::vector<Real> joint_f, joint_act;         ///< [N], [N m]
    /// Linear axes before angular ones, joint by joint.
    std::vector<Vec3> joint_axis;  ///< unit, parent anchor frame; dimensionless
    /// Inertia of a rotor seen through its gear.
    std::vector<Real> joint_armature;  ///< [kg], [kg m^2]
    std::vector<Real> joint_friction;  ///< [N], [N m]
    /// Passive: of the joint, whatever its drive does.
    std::vector<Real> joint_damping;    ///< [N s/m], [N m s/rad]
    std::vector<Real> joint_stiffness;  ///< about joint_rest_q [N/m], [N m/rad]
    /// As stiffness and damping; with DriveType::acceleration [1/s^2], [1/s].
    std::vector<Real> joint_target_ke, joint_target_kd;
    /// What the drive follows, and whether its gains are forces or accelerations.
    std::vector<TargetMode> joint_target_mode;
    std::vector<DriveType>  joint_drive_type;
    std::vector<Real>       joint_limit_lower, joint_limit_upper;  ///< [m], [rad]; from kMaxValue on: none
    std::vector<Real>       joint_limit_ke, joint_limit_kd;        ///< [N/m], [N m/rad]; [N s/m], [N m s/rad]
    /// Somebody chose joint_limit_ke and _kd: a spring of them, also where they are the defaults. Where nobody did,
    /// the defaults leave it to the solver how stiff a limit is.
    std::vector<std::uint8_t> joint_limit_authored;
    /// Bounds of the drive's force, and of the speed whatever drives.
    std::vector<Real> joint_effort_limit;    ///< [N], [N m]
    std::vector<Real> joint_velocity_limit;  ///< [m/s], [rad/s]

    // -- shape [shape_count]
    std::vector<std::string>  shape_label;
    std::vector<GeoType>      shape_type;
    std::vector<std::int32_t> shape_body;       ///< -1: static
    std::vector<Pose>         shape_transform;  ///< in the body frame, or in the world
    std::vector<Vec3>         shape_scale;      ///< [m] or factors, by type
    /// Meshes and height fields; null for all other types. Shared between models and copies.
    std::vector<std::shared_ptr<const geometry::Mesh>> shape_source;
    /// Bits of `shape_flag`.
    std::vector<std::int32_t> shape_flags;
    /// 0: a shell, which counts for mass alone; it collides like the solid.
    std::vector<std::uint8_t> shape_is_solid;
    std::vector<Real>         shape_margin, shape_gap;  ///< [m]
    /// Stiffness [N/m], damping [N s/m], friction gain [N s/m] and adhesion distance [m] of solvers with compliant
    /// contacts; coefficients of dynamic and static friction and of restitution [-]; torsional and rolling friction
    /// [m]; pressure a depth [N/m^3].
    std::vector<Real> shape_material_ke, shape_material_kd, shape_material_kf, shape_material_ka, shape_material_mu,
        shape_material_mu_static, shape_material_restitution, shape_material_mu_torsional, shape_material_mu_rolling,
        shape_material_kh;
    /// MaterialCombine of friction and of restitution, or kNoCombine: as the solver does.
    std::vector<std::int32_t> shape_friction_combine, shape_restitution_combine;
    /// Of the surface on top of the body's: of the shape's origin [m/s] and angular [rad/s]; shape axes, or world axes
    /// with `shape_flag::surface_in_world`.
    std::vector<Spatial>                  shape_surface_velocity;
    std::vector<std::optional<SdfConfig>> shape_sdf_config;  ///< of shapes that have or may need a distance field
    /// Groups: 0 meets nothing, equal positive ones meet, a negative one meets everything but itself.
    std::vector<std::int32_t> shape_collision_group, shape_world;
    /// Of a ball about the shape's origin, and its box, both without margin and gap. Of meshes and height fields it is
    /// half the diagonal of the box, and holds the shape only where that lies about its origin; of an infinite plane it
    /// is 1e6, and the box reaches 1 m each way.
    std::vector<Real> shape_collision_radius;                                  ///< [m]
    std::vector<Vec3> shape_collision_aabb_lower, shape_collision_aabb_upper;  ///< local, scale included [m]
    std::vector<Vec3> shape_color;                                             ///< RGB, 0..1, dimensionless
    std::vector<Real> shape_opacity;                                           ///< 0..1, dimensionless

    // -- articulation [articulation_count]
    std::vector<std::string>  articulation_label;
    std::vector<std::int32_t> articulation_start;  ///< first joint, [N+1]
    std::vector<std::int32_t> articulation_end;    ///< one past the last tree joint
    std::vector<std::int32_t> articulation_world;
    std::int32_t              max_joints_per_articulation = 0, max_dofs_per_articulation = 0;

    // -- particle [particle_count]
    std::vector<Vec3>         particle_q, particle_qd;           ///< initial position [m] and velocity [m/s], world
    std::vector<Real>         particle_mass, particle_inv_mass;  ///< [kg], [1/kg]; inv_mass 0: moved by no force
    std::vector<Real>         particle_radius;                   ///< [m]
    std::vector<std::int32_t> particle_flags, particle_world;
    /// Surfaces of particles: [tri_count] corners, and [edge_count] edges as (opposite corners, -1: none; two ends).
    std::vector<std::array<std::int32_t, 3>> tri_indices;
    std::vector<std::array<std::int32_t, 4>> edge_indices;
    std::vector<std::array<Real, 4>>         tri_poses;        ///< inverse of the rest edges, 2x2 row by row [1/m]
    std::vector<Real>                        tri_areas;        ///< at rest [m^2]
    std::vector<std::array<Real, 5>>         tri_materials;    ///< ke, ka [N/m], kd [N s/m], drag, lift
    std::vector<Real>                        tri_activations;  ///< [-], by triangle; acts as a strain
    std::vector<Vec3>                        tri_color;        ///< RGB, 0..1, dimensionless
    std::vector<Real>                        tri_opacity;      ///< 0..1, dimensionless
    std::vector<Real>                        edge_rest_angle, edge_rest_length;  ///< [rad], [m]
    std::vector<std::array<Real, 2>>         edge_bending_properties;            ///< ke [N], kd [N s]
    /// [spring_count]; indices are pairs, one behind the other.
    std::vector<std::int32_t> spring_indices;
    std::vector<Real>         spring_rest_length, spring_stiffness, spring_damping,
        spring_control;                                        ///< [m], [N/m], [N s/m], [-]
    std::vector<std::array<std::int32_t, 4>> tet_indices;      ///< [tet_count]
    std::vector<Mat33>                       tet_poses;        ///< inverse of the rest edges [1/m]
    std::vector<std::array<Real, 3>>         tet_materials;    ///< k_mu, k_lambda [Pa], k_damp [Pa s]
    std::vector<Real>                        tet_activations;  ///< [-], by tetrahedron; acts as a strain
    /// [attachment_particle_body_count]: particles held at points of bodies (body frame [m]).
    std::vector<std::int32_t> attachment_particle_body_body, attachment_particle_body_particle,
        attachment_particle_body_world;
    std::vector<Vec3> attachment_particle_body_body_point;  ///< body frame [m]
    std::vector<Real> attachment_particle_body_stiffness,   ///< [N/m]; infinite: it does not give way
        attachment_particle_body_damping;                   ///< [N s/m]
    std::vector<std::uint8_t>              attachment_particle_body_enabled;
    std::vector<SoftObject>                surfaces, volumes;
    std::vector<CurveObject>               curves;
    std::vector<std::vector<std::int32_t>> particle_color_groups;  ///< no element has two particles of one group
    std::vector<std::int32_t>              particle_colors;        ///< group of each; empty without groups
    /// What particles have in contact, for all of them.
    struct ParticleContact {
        Real ke = 1e3, kd = 100, kf = 100, mu = 0.5;  ///< with each other [N/m], [N s/m], [N s/m], [-]
        Real cohesion = 0, adhesion = 0;              ///< reach of what pulls, between particles and to shapes [m]
        Real max_velocity = 1e5;                      ///< [m/s]
    } particle_contact;
    /// With shapes: stiffness [N/m], damping and friction gain [N s/m], friction and restitution coefficients.
    struct SoftContactMaterial {
        Real ke = 1e3, kd = 10, kf = 1e3, mu = 0.5, restitution = 0;  ///< [N/m], [N s/m], [N s/m], [-], [-]
    } soft_contact;

    // -- world
    /// 0: there are no worlds, and everything is shared.
    std::int32_t      world_count = 0;
    std::vector<Vec3> gravity;  ///< [world_count + 1], last: global [m/s^2]
    /// Entry W: where world W begins; the entry behind the worlds: where what is shared and was added after them
    /// begins; the last one: how many there are. What is shared and was added first comes before world 0.
    std::vector<std::int32_t> body_world_start, shape_world_start, joint_world_start, articulation_world_start,
        joint_dof_world_start, joint_coord_world_start,
        particle_world_start;  ///< [world_count + 2]

    /// Pairs of shapes that never meet, whatever their groups: of one body, of bodies that a joint connects, and named
    /// ones.
    std::vector<std::pair<std::int32_t, std::int32_t>> shape_collision_filter_pairs;  ///< unique, sorted, smaller first

    // -- the user's own attributes, of whatever object; values are initial ones
    CustomArrays custom_arrays;
    /// Values of a custom attribute of the model, one for each entity: model.custom<Real>("mass_scale").
    /// @error MODEL_CUSTOM_UNKNOWN; the hint names near keys, or the object that holds the attribute
    template <class T>
    [[nodiscard]] Result<std::span<const T>> custom(std::string_view key) const
    { return custom_values<T>(custom_arrays, key, CustomAssignment::model); }

    [[nodiscard]] std::size_t body_count() const { return body_q.size(); }
    [[nodiscard]] std::size_t joint_count() const { return joint_type.size(); }
    [[nodiscard]] std::size_t joint_coord_count() const { return joint_q.size(); }
    [[nodiscard]] std::size_t joint_dof_count() const { return joint_qd.size(); }
    [[nodiscard]] std::size_t shape_count() const { return shape_type.size(); }
    [[nodiscard]] std::size_t articulation_count() const { return articulation_label.size(); }
    [[nodiscard]] std::size_t particle_count() const { return particle_q.size(); }
    [[nodiscard]] std::size_t tri_count() const { return tri_indices.size(); }
    [[nodiscard]] std::size_t edge_count() const { return edge_indices.size(); }
    [[nodiscard]] std::size_t spring_count() const { return spring_rest_length.size(); }
    [[nodiscard]] std::size_t tet_count() const { return tet_indices.size(); }
    [[nodiscard]] std::size_t attachment_particle_body_count() const { return attachment_particle_body_body.size(); }
    /// Gravity of a world, or the global one for kGlobalWorld [m/s^2].
    [[nodiscard]] const Vec3& gravity_of(std::int32_t world) const
    { return world < 0 ? gravity.back() : gravity[static_cast<std::size_t>(world)]; }
};

}  // namespace mechane::model
