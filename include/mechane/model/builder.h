#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/geometry/inertia_repair.h"
#include "mechane/geometry/mesh.h"
#include "mechane/math/pose.h"
#include "mechane/math/spatial.h"
#include "mechane/model/custom.h"
#include "mechane/model/sdf_config.h"
#include "mechane/model/soft.h"
#include "mechane/model/types.h"

namespace mechane::model {

struct Model;

/// How a shape collides and what it is made of. Defaults are Newton's. SI units.
/// The face has the most used of these in `Surface`.
struct ShapeConfig {
    double density = 1000;  ///< [kg/m^3]; 0 adds no mass
    /// Of solvers with contacts as springs: ke times the depth, plus kd times the speed of approach.
    double                ke = 2500, kd = 100;  ///< contact stiffness [N/m] and damping [N s/m]
    double                kf = 1000, ka = 0;    ///< friction gain [N s/m], adhesion distance [m]
    double                mu = 1.0;             ///< dynamic friction, dimensionless
    std::optional<double> mu_static{};          ///< static friction, dimensionless; `mu` when unset
    /// How much of the speed at which two surfaces meet they have when they part.
    double restitution = 0;  ///< dimensionless, 0..1
    /// Levers of friction against spinning about the normal and against rolling.
    double mu_torsional = 0.005;  ///< [m]
    double mu_rolling   = 1e-4;   ///< [m]
    /// How friction (also torsional and rolling) and restitution combine with the other shape's; unset: as the solver
    /// does. Of two rules the later counts: average, geometric mean, minimum, multiply, maximum.
    std::optional<MaterialCombine> friction_combine{}, restitution_combine{};
    double                         kh     = 1e10;  ///< hydroelastic stiffness [N/m^3]
    double                         margin = 0;     ///< where the surface is offset [m]
    std::optional<double> gap{};  ///< how much earlier a contact is made [m]; the builder's rigid_gap when unset
    bool                  is_solid = true;    ///< false: a shell; its wall counts for mass and inertia only
    std::optional<double> shell_thickness{};  ///< wall of a shell [m]; `margin` when unset
    /// What follows are flags. A parent is the body on the other side of a joint. Sites are places without a body: they
    /// have no mass and meet nothing. Pressure contact needs both shapes to be hydroelastic.
    /// 0: collides with nothing; equal positive groups meet, a negative one meets everything but itself.
    std::int32_t collision_group = 1;
    /// With this a shape does not meet the shapes on the other side of its body's joints.
    bool collision_filter_parent = true;
    /// A shape that collides with neither shapes nor particles does not weigh.
    bool has_shape_collision    = true;
    bool has_particle_collision = true;
    bool is_visible             = true;
    bool is_site                = false;
    bool is_hydroelastic        = false;
    /// How the surface itself moves, as a belt does on rollers that stand: velocity of the shape's origin [m/s] and
    /// angular velocity [rad/s] on top of the body's, shape axes, or world axes if `surface_in_world`. Contacts feel
    /// what is tangential of it.
    Spatiald surface_velocity{};
    bool     surface_in_world = false;
    /// Set for shapes that have or may need a signed distance field; all others need none.
    std::optional<SdfConfig> sdf{};
};

/// One degree of freedom of a joint. Defaults are Newton's. Rotary values per radian.
/// The face has the most used of these in `JointOptions`.
struct JointDofConfig {
    Vec3d                     axis{1, 0, 0};  ///< unit, in the joint's parent anchor frame
    double                    limit_lower = -kMaxValue, limit_upper = kMaxValue;  ///< [m] or [rad]
    double                    limit_ke = 1e4, limit_kd = 10;  ///< [N/m] or [N m/rad]; [N s/m] or [N m s/rad]
    bool                      limit_authored = false;       ///< the stiffness was chosen, also where it is this default
    double                    target_q = 0, target_qd = 0;  ///< [m] or [rad]; [m/s] or [rad/s]
    double                    target_ke = 0, target_kd = 0;  ///< drive [N/m] or [N m/rad]; [N s/m] or [N m s/rad]
    double                    damping = 0, stiffness = 0;    ///< passive [N s/m] or [N m s/rad]; [N/m] or [N m/rad]
    std::optional<double>     rest_q{};              ///< rest coordinate of `stiffness` [m] or [rad]; 0 when unset
    double                    armature       = 0;    ///< [kg] or [kg m^2]
    double                    friction       = 0;    ///< dry friction [N] or [N m]
    double                    effort_limit   = 1e6;  ///< bound of the drive's force [N] or [N m]
    double                    velocity_limit = 1e6;  ///< [m/s] or [rad/s]
    std::optional<TargetMode> actuator_mode{};       ///< inferred from the gains when unset
    DriveType                 drive_type = DriveType::force;
    double                    initial_q = 0, initial_qd = 0;  ///< [m] or [rad]; [m/s] or [rad/s]
};

/// The mode that a dof gets: the one that was chosen, else what its gains show.
TargetMode target_mode(const JointDofConfig& dof);

/// Everything `finalize` needs to know of one body.
struct BuilderBody {
    std::string  label;
    Posed        q;                  ///< pose of the body frame in the world
    Spatiald     qd;                 ///< velocity of the centre of mass, angular velocity, world axes
    Vec3d        com;                ///< in the body frame [m]
    Mat33d       inertia{};          ///< about the centre of mass, body axes [kg m^2]
    double       mass          = 0;  ///< [kg]
    std::int32_t flags         = body_flag::dynamic;
    std::int32_t world         = kGlobalWorld;
    std::int32_t scene         = -1;  ///< physics scene of the import it came from; -1: none
    bool         starts_asleep = false;
    bool         lock_inertia  = false;  ///< shapes added later do not change mass properties
    /// Kept by `add_shape`, ascending.
    std::vector<std::int32_t> shapes;
};

/// One joint, before indices of coordinates are known. Order of axes: linear before angular, as they are listed.
struct BuilderJoint {
    std::string                 label;
    JointType                   type   = JointType::fixed;
    std::int32_t                parent = kWorldBody, child = kWorldBody;
    Posed                       parent_xform, child_xform;  ///< anchor frames in the parent (or world) and the child
    std::vector<JointDofConfig> linear_axes, angular_axes;
    /// A joint that is off holds nothing until it is switched on (`ModelEdit::set_enabled`).
    bool enabled = true;
    /// The shapes of its two bodies do not meet. Where one side is the world that holds for FIXED joints alone: a door
    /// meets the frame that it hangs in.
    bool collision_filter_parent = true;
    /// Set by `add_articulation`; -1: in none.
    std::int32_t articulation = -1;
    /// The leader that this joint follows, dof by dof; -1: none.
    std::int32_t          mimic_joint = -1;
    std::array<double, 2> mimic_coeffs{0, 1};  ///< q = coeffs[0] + coeffs[1] * q_leader
    /// What it bears, in magnitude, averaged over a step; infinite: it never breaks.
    double                break_force = kInfinity, break_torque = kInfinity;  ///< [N], [N m]
    std::array<double, 2> cone_limit{-1, -1};  ///< ball joints: half angles [rad], negative is free
    /// It closes a loop although it could be part of the tree.
    bool         exclude_from_articulation = false;
    std::int32_t world                     = kGlobalWorld;
    /// Of ROD joints: how the child's anchor is turned in the parent's where nothing bends or twists; the identity when
    /// unset.
    std::optional<Quatd> rest_rotation{};
    /// [m] or [rad], [m/s] or [rad/s], in the layout of the joint type; left empty on FREE-like joints, finalize
    /// derives them from the bodies.
    std::vector<double> q, qd;
};

/// One shape; several of one mesh share `source`.
struct BuilderShape {
    std::string                           label;
    GeoType                               type = GeoType::none;
    std::int32_t                          body = kWorldBody;
    Posed                                 xform;           ///< in the body frame, or in the world
    Vec3d                                 scale{1, 1, 1};  ///< [m] or factors, by type: table in docs/model.md
    std::shared_ptr<const geometry::Mesh> source;          ///< MESH and CONVEX_MESH
    ShapeConfig                           config;
    Vec3d                                 color{0.46136, 0.46136, 0.46136};  ///< display RGB, dimensionless 0..1
    double                                opacity = 1;                       ///< dimensionless, 0..1
    std::int32_t                          flags   = 0;  ///< shape_flag bits; set by add_shape from `config`
    std::int32_t                          world   = kGlobalWorld;
};

/// A tree of joints that solvers treat in reduced coordinates.
struct BuilderArticulation {
    std::string               label;
    std::vector<std::int32_t> joints;  ///< ascending, contiguous, parents first
    std::int32_t              world = kGlobalWorld;
};

/// A point of mass with a radius. What it is part of, and how it moves, is a matter of solvers.
struct BuilderParticle {
    Vec3d        q;                               ///< position in the world [m]
    Vec3d        qd;                              ///< velocity [m/s]
    double       mass   = 0;                      ///< [kg]; 0: no force moves it
    double       radius = 0.1;                    ///< where it meets shapes [m]
    std::int32_t flags  = particle_flag::active;  ///< particle_flag bits
    std::int32_t world  = kGlobalWorld;
};

using geometry::InertiaRules;

/// How strict `finalize` is. The inertia rules repair; what they changed is told.
struct FinalizeOptions {
    bool         allow_orphan_joints = true;  ///< joints between bodies outside any articulation become loop rows
    InertiaRules inertia{};
};

/// How the entities of another builder are taken over.
struct AppendOptions {
    std::optional<Posed> xform{};         ///< placed in front of bodies, of joints to the world and of static shapes
    std::string          label_prefix{};  ///< of every label, with a slash behind it; empty: labels stay
};

/// How many entities there are for each frequency, before something is appended.
using CustomOffsets = std::array<std::size_t, 16>;

/// The append-only staging object. Computes in double; `finalize` freezes it into a Model in `Real`.
/// Indices returned are valid for this builder. A wrong index is a programmer's error.
/// Belongs to one thread at a time. `Model` shares nothing with it but meshes.
class ModelBuilder {
  public:
    int    up_axis = 2;                    ///< 0, 1, 2: X, Y, Z
    Vec3d  gravity{0, 0, -9.81};           ///< [m/s^2]
    double rigid_gap               = 0.1;  ///< gap of shapes that set none [m]
    double default_particle_radius = 0.1;  ///< of particles that set none [m]
    /// Where a caller may keep what its shapes and dofs begin with; the calls below take what they are given.
    ShapeConfig    default_shape;
    JointDofConfig default_dof;

    /// Entities may be changed in place until `finalize`; adding them goes through the functions, which keep indices,
    /// filters and masses in order.
    std::vector<BuilderBody>         bodies;
    std::vector<BuilderJoint>        joints;
    std::vector<BuilderShape>        shapes;
    std::vector<BuilderArticulation> articulations;
    std::vector<BuilderParticle>     particles;
    /// Surfaces of particles, as of cloth, or of the skin of a soft body: triangles, and the edges between them as (the
    /// corner off it to the left, to the right or -1, its two ends). What they weigh and resist is a matter of solvers.
    std::vector<std::array<std::int32_t, 3>> tri_indices;
    std::vector<std::array<std::int32_t, 4>> edge_indices;
    std::vector<BuilderTriangle>             tri_elements;   ///< of the first triangles; others are surfaces alone
    std::vector<BuilderEdge>                 edge_elements;  ///< of the first edges; others do not resist
    std::vector<BuilderSpring>               springs;
    std::vector<BuilderTet>                  tets;
    std::vector<BuilderAttachment>           attachments;
    std::vector<SoftObject>                  surfaces, volumes;      ///< cloth and soft bodies by name
    std::vector<CurveObject>                 curves;                 ///< cables by name
    std::vector<std::vector<std::int32_t>>   particle_color_groups;  ///< of which a solver may move all at once
    /// Smaller index first, may repeat.
    std::vector<std::pair<std::int32_t, std::int32_t>> shape_collision_filter_pairs;
    std::vector<Vec3d>                                 world_gravity;      ///< one per world
    std::vector<CustomAttribute>                       custom_attributes;  ///< in order of declaration

    /// A body without a joint.
    /// An empty label becomes "body_N" with the body's index.
    /// @param q       pose of the body frame in the world
    /// @param mass    [kg]; shapes that are added later add theirs
    /// @param com     centre of mass, body frame [m]
    /// @param inertia about the centre of mass, body axes [kg m^2]
    /// @return the index of the body
    std::int32_t add_link(const Posed& q, std::string label, double mass = 0, const Vec3d& com = {},
                          const Mat33d& inertia = {});
    /// A body, a FREE joint to the world and an articulation of that joint.
    /// Joint and articulation are called "LABEL_free_joint" and "LABEL_articulation".
    std::int32_t add_body(const Posed& q, std::string label, double mass = 0, const Vec3d& com = {},
                          const Mat33d& inertia = {});
    /// Adds the joint as given; missing coordinates get the type's rest values, targets outside the limits move to
    /// their middle.
    /// Axes that are missing are those of the anchor; one axis that is given to a ball joint is meant for all three.
    /// Zero axes stay for `finalize` to report.
    /// @return the index of the joint
    std::int32_t add_joint(BuilderJoint joint);
    /// Joints of one dof. `parent_xform` and `child_xform` are the anchors; `dof.axis` is one of the parent's anchor.
    std::int32_t add_joint_revolute(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                    const Posed& child_xform, const JointDofConfig& dof, std::string label = {});
    std::int32_t add_joint_prismatic(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                     const Posed& child_xform, const JointDofConfig& dof, std::string label = {});
    /// Joints without an axis.
    std::int32_t add_joint_ball(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                const Posed& child_xform, std::string label = {});
    std::int32_t add_joint_fixed(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                 const Posed& child_xform, std::string label = {});
    /// To the world, with both anchors at the origins of their frames.
    std::int32_t add_joint_free(std::int32_t child, std::string label = {});
    /// Keeps the anchors between `lower` and `upper` apart [m]; a negative bound is none. They become the limits of the
    /// first dof.
    std::int32_t add_joint_distance(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                    const Posed& child_xform, double lower, double upper, std::string label = {});
    /// Any number of linear and angular axes, up to three each; each axis is turned by those before it.
    std::int32_t add_joint_d6(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                              const Posed& child_xform, std::vector<JointDofConfig> linear_axes,
                              std::vector<JointDofConfig> angular_axes, std::string label = {});
    /// @param joints  contiguous, ascending, parents first; `finalize` checks
    std::int32_t add_articulation(std::vector<std::int32_t> joints, std::string label = {});
    /// Adds the shape, its flags, its mass to the body (unless locked, disabled or of density 0), and its filters
    /// against parents.
    /// Negative sizes lose their sign where it means nothing. A site neither weighs nor collides.
    /// @return the index of the shape
    std::int32_t add_shape(BuilderShape shape);
    /// Shapes are placed in the frame of their body, or in the world for kWorldBody. Sizes are [m] and positive; a size
    /// that is none makes `finalize` report the shape and leave it without collision (MODEL_SHAPE_DEGENERATE).
    std::int32_t add_shape_sphere(std::int32_t body, const Posed& xform, double radius, const ShapeConfig& config,
                                  std::string label = {});
    std::int32_t add_shape_box(std::int32_t body, const Posed& xform, const Vec3d& half_extents,
                               const ShapeConfig& config, std::string label = {});
    /// `half_height` is half the length of the cylinder between the caps; the axis is z.
    std::int32_t add_shape_capsule(std::int32_t body, const Posed& xform, double radius, double half_height,
                                   const ShapeConfig& config, std::string label = {});
    std::int32_t add_shape_cylinder(std::int32_t body, const Posed& xform, double radius, double half_height,
                                    const ShapeConfig& config, std::string label = {});
    /// The apex is at z = half_height; the origin is half way up, not at the centre of mass.
    std::int32_t add_shape_cone(std::int32_t body, const Posed& xform, double radius, double half_height,
                                const ShapeConfig& config, std::string label = {});
    std::int32_t add_shape_ellipsoid(std::int32_t body, const Posed& xform, const Vec3d& semi_axes,
                                     const ShapeConfig& config, std::string label = {});
    /// Full extents along x and y; both zero: infinite. The solid side is z < 0.
    std::int32_t add_shape_plane(std::int32_t body, const Posed& xform, double width, double length,
                                 const ShapeConfig& config, std::string label = {});
    /// A CONVEX_MESH when the mesh says that it is convex.
    /// @param scale  factors of the mesh's axes, dimensionless; a negative one mirrors
    std::int32_t add_shape_mesh(std::int32_t body, const Posed& xform, const Vec3d& scale,
                                std::shared_ptr<const geometry::Mesh> mesh, const ShapeConfig& config,
                                std::string label = {});
    /// A static height field from the mesh of `geometry::heightfield_mesh`; solid below.
    std::int32_t add_shape_heightfield(const Posed& xform, const Vec3d& scale,
                                       std::shared_ptr<const geometry::Mesh> surface, const ShapeConfig& config,
                                       std::string label = {});
    /// An infinite plane at `height` along the up axis, static.
    /// Made of `default_shape`. Where `up_axis` is changed afterwards the plane stays as it is.
    std::int32_t add_ground_plane(double height = 0, std::string label = "ground_plane");
    /// Equal indices are ignored; indices out of range are reported by finalize.
    void add_shape_collision_filter_pair(std::int32_t a, std::int32_t b);

    /// A particle of the open world; a mass of zero is moved by nothing but the caller.
    std::int32_t add_particle(const Vec3d& position, const Vec3d& velocity, double mass,
                              std::optional<double> radius = {}, std::int32_t flags = particle_flag::active);
    /// Particles of the open world, whatever world they name. Returns the index of the first.
    std::int32_t add_particles(std::span<const BuilderParticle> added);
    /// A triangle of particles; its edges are not added.
    std::int32_t add_triangle(std::int32_t i, std::int32_t j, std::int32_t k);
    /// The edge from k to l, with the triangles (i, k, l) and (j, l, k) at its sides; -1 for i or j: there is none.
    std::int32_t add_edge(std::int32_t i, std::int32_t j, std::int32_t k, std::int32_t l);
    /// Triangles and each of their edges once, edges in order of their ends. Indices beyond the particles are reported
    /// by finalize.
    void add_particle_surface(std::span<const std::array<std::int32_t, 3>> triangles);

    /// As long as the particles are apart now. Returns its index.
    std::int32_t add_spring(std::int32_t i, std::int32_t j, double ke, double kd, double control = 0);
    /// A triangle of cloth at rest where it is; returns its area [m^2]. Degenerate: 0, and nothing is added.
    double add_triangle(std::int32_t i, std::int32_t j, std::int32_t k, const TriangleMaterial& material);
    /// As the other, and it resists bending.
    std::int32_t add_edge(std::int32_t i, std::int32_t j, std::int32_t k, std::int32_t l,
                          const BendingMaterial& material);
    /// At rest where it is; returns its signed volume [m^3]. Where that is not positive nothing is added.
    double add_tetrahedron(std::int32_t i, std::int32_t j, std::int32_t k, std::int32_t l,
                           const TetMaterial& material = {});
    /// A cloth; its particles weigh `density` [kg/m^2] times a third of each triangle's area. Returns the areas of all
    /// triangles, 0 of those that were degenerate and left out.
    /// @param vertices  in the frame X_WC [m]; indices name them
    std::vector<double> add_cloth_mesh(const Posed& X_WC, const Vec3d& velocity, std::span<const Vec3d> vertices,
                                       std::span<const std::array<std::int32_t, 3>> triangles, double density,
                                       const ClothOptions& options);
    /// A rectangle of dim_x times dim_y cells [m] in the plane z = 0 of X_WC. Each particle weighs `mass` [kg]; held
    /// ones weigh nothing and are not active.
    void add_cloth_grid(const Posed& X_WC, const Vec3d& velocity, int dim_x, int dim_y, double cell_x, double cell_y,
                        double mass, bool reverse_winding, const FixedSides& fixed, const ClothOptions& options);
    /// A soft body with a skin of triangles. Returns the volumes of all tetrahedra; those that are not positive are
    /// left out.
    std::vector<double> add_soft_mesh(const Posed& X_WC, const Vec3d& velocity, std::span<const Vec3d> vertices,
                                      std::span<const std::array<std::int32_t, 4>> tets,
                                      std::span<const TetMaterial>                 materials,
                                      std::span<const std::array<std::int32_t, 3>> surface, const SoftOptions& options);
    /// A block of cells of five tetrahedra each. Held particles weigh nothing.
    void add_soft_grid(const Posed& X_WC, const Vec3d& velocity, const std::array<int, 3>& dim, const Vec3d& cell,
                       const FixedSides& fixed, const SoftOptions& options);
    /// Holds a particle at a point of a body or of the world, in the world of whichever has one. Returns its index.
    std::int32_t add_attachment_particle_body(BuilderAttachment attachment);
    /// Fills `particle_color_groups` by the elements that resist.
    void color(const ColorOptions& options = {});

    /// Declares an attribute of the user's own; declaring the same again changes nothing.
    /// @error MODEL_CUSTOM_CONFLICT, MODEL_CUSTOM_RESERVED, MODEL_CUSTOM_CONTACT_FREQ
    Result<void> add_custom_attribute(CustomAttribute attribute);
    /// By key ("space:name"); null when there is none.
    [[nodiscard]] CustomAttribute* custom_attribute(std::string_view key);
    /// How many values an attribute of this frequency has now.
    [[nodiscard]] std::size_t custom_count(CustomFrequency frequency) const;

    /// Opens a world: entities added until end_world belong to it. Returns its index.
    /// Worlds are numbered from 0 and do not nest: an open one is a mistake that the failure handler is told.
    /// @param gravity  [m/s^2]; unset: the builder's
    std::int32_t begin_world(std::optional<Vec3d> gravity = {});
    /// What is added from here on is shared by all worlds again.
    void end_world();
    /// The open world, or kGlobalWorld.
    [[nodiscard]] std::int32_t current_world() const { return current_world_; }
    /// Appends the entities of `source` to the open world, or to the global one. Meshes are shared. The source must
    /// have no worlds itself. Its shapes keep its `rigid_gap`; its gravity is not taken over. Indices of what is
    /// appended follow those that are there, kind by kind.
    /// @error MODEL_CUSTOM_CONFLICT  both declare a custom attribute of one name differently; MODEL_WORLDS_NESTED  the
    /// source has worlds
    Result<void> add_builder(const ModelBuilder& source, const AppendOptions& options = {});
    /// Appends `count` copies of `source`, each a world of its own with the source's gravity. Meshes are shared, labels
    /// repeat. The source must have no worlds itself, and no world may be open here. A count of 0 or less does nothing.
    /// @error MODEL_CUSTOM_CONFLICT  both declare a custom attribute of one name differently; MODEL_WORLDS_NESTED  the
    /// source has worlds
    Result<void> replicate(const ModelBuilder& source, int count);

    /// To be called after bodies or joints were renumbered from outside.
    void joints_renumbered();

    /// Checks and freezes. Bad numbers are corrected on the copy and reported (rules: docs/model.md).
    /// @error MODEL_STRUCTURE, MODEL_ORPHAN_JOINT, MODEL_SHAPE_MATERIAL
    Result<Model> finalize(const FinalizeOptions& options, Diagnostics& out) const;

  private:
    [[nodiscard]] CustomOffsets custom_offsets() const;
    /// Declarations and values of a builder whose entities have been appended behind `offsets`.
    /// @error MODEL_CUSTOM_CONFLICT  both declare a custom attribute of one name differently
    Result<void> merge_custom(const ModelBuilder& source, const CustomOffsets& offsets, std::int32_t world);
    /// @error MODEL_CUSTOM_CONFLICT
    Result<void> append(const ModelBuilder& source, const AppendOptions& options);
    void         append_soft(const ModelBuilder& source, std::size_t body0, std::size_t joint0, std::size_t particle0,
                             std::size_t tri0, std::size_t edge0, const std::optional<Posed>& xform);
    void         filter_joint(const BuilderJoint& joint);
    void         filter_shape(std::int32_t shape);

    std::int32_t                           current_world_ = kGlobalWorld;
    std::vector<std::vector<std::int32_t>> joints_of_;  ///< by body + 1, so that entry 0 is the world's
};

}  // namespace mechane::model
