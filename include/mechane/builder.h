#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechane/math.h"
#include "mechane/model.h"
#include "mechane/result.h"

namespace mechane {

namespace model {
class ModelBuilder;
}

/// A body: where it is, and what it weighs beyond its shapes.
/// Mass, centre of mass and inertia given here and those of its shapes are added up. A body of which `mass` and
/// `inertia` are given exactly has shapes of density 0.
struct BodyOptions {
    Vec3d position{};  ///< of the body frame in the world [m]
    /// Of the body frame in the world; brought to unit length. A rotation of zeros is a mistake.
    Quatd rotation{};  ///< unit
    /// At the start, in world axes. Of bodies that joints hold what the joint does not allow is left out.
    Vec3d velocity{};          ///< of the centre of mass [m/s]
    Vec3d angular_velocity{};  ///< [rad/s]
    /// Labels are how a program finds things again (`Model::find_body`), and what messages call them.
    std::string label{};   ///< unique within its world, not "world"; a number stands in where it is empty
    double      mass = 0;  ///< [kg]; shapes add theirs by their density, so that a body of shapes needs none
    /// A body that weighs by its shapes alone needs none of `mass`, `com` and `inertia`.
    Vec3d  com{};      ///< body frame [m]
    Mat33d inertia{};  ///< about the centre of mass, body axes [kg m^2]
    /// It pushes what it meets and is pushed by nothing: a conveyor, a lift, a hand that follows a recording.
    bool kinematic = false;  ///< moved by commands alone
};

/// What a surface is made of.
/// Friction and restitution of a contact are made of those of its two surfaces: their mean, as UsdPhysics has it.
struct Surface {
    double density = 1000;  ///< [kg/m^3]; 0 adds no mass
    /// Coulomb's coefficient, static and dynamic; not negative. Rubber on dry concrete is near 1.
    double friction = 1;  ///< dimensionless
    /// 0: nothing bounces; 1: as fast apart as together.
    double restitution = 0;  ///< 0..1
    /// How far the surface is offset outwards [m]. Negative: it sinks by as much, above minus the least half size of
    /// the shape.
    double margin = 0;  ///< [m]
    /// Unset: 0.1. A larger gap lists more contacts that carry nothing yet; 0 still finds what is reached within the
    /// step. Not negative.
    std::optional<double> gap{};            ///< how much earlier a contact is made [m]
    bool                  collides = true;  ///< false: nothing meets it and no query sees it, yet it weighs
};

// Shapes: sizes, and where they lie in their body, or in the world for those of kWorld.

/// A cuboid along the axes of its own frame.
struct BoxOptions {
    /// Half of the lengths of the sides, each positive: a cube of 1 m has {0.5, 0.5, 0.5}.
    Vec3d       half{};      ///< extents [m]
    Vec3d       position{};  ///< of the box's centre in the body frame [m]
    Quatd       rotation{};
    std::string label{};
    Surface     surface{};
};
/// A ball.
struct SphereOptions {
    double      radius = 0;  ///< [m]
    Vec3d       position{};  ///< of its centre in the body frame [m]
    std::string label{};
    Surface     surface{};
};
/// Along z: capsules, whose caps go beyond the half height, cylinders and cones.
/// Cones have their apex at +half_height and their base at -half_height.
struct CapsuleOptions {
    /// Both positive. A capsule is 2 (half_height + radius) long, a cylinder or a cone 2 half_height.
    double      radius = 0, half_height = 0;  ///< [m]
    Vec3d       position{};                   ///< of its centre in the body frame [m]
    Quatd       rotation{};
    std::string label{};
    Surface     surface{};
};
/// Ground with hills: a regular grid over a rectangle that is solid below. It stands, and belongs to kWorld.
struct HeightfieldOptions {
    /// Rows lie along y, columns along x; each at least 2.
    int rows = 0, columns = 0;  ///< at least 2
    /// Half of the lengths of its sides, both positive.
    double                half_x = 0, half_y = 0;  ///< of the rectangle that it covers [m]
    std::span<const Real> elevations{};            ///< [rows * columns], row by row along x, y ascending [m]
    Vec3d                 position{};              ///< of the middle of the rectangle at elevation 0, world [m]
    Quatd                 rotation{};
    std::string           label{};
    Surface               surface{};
};
/// A surface of triangles, copied into the model. A closed one is solid: it has a volume, and inside is inside. An open
/// one is a sheet. Copies of a scene share it.
struct MeshOptions {
    /// Finite; read during the call only.
    std::span<const Vec3d> points{};  ///< [m]
    /// Three indices each, counter-clockwise from outside; a mesh that does not close has no volume and weighs nothing.
    std::span<const std::int32_t> triangles{};
    bool                          convex = false;  ///< its convex hull collides
    Vec3d                         position{};      ///< of the origin of the points in the body frame [m]
    Quatd                         rotation{};
    std::string                   label{};
    Surface                       surface{};
};
/// An infinite plane across the up axis, solid below. It weighs nothing, whatever its density.
struct GroundOptions {
    double height = 0;  ///< along the up axis [m]
    /// A second ground needs another label, as everything of one kind and one world.
    std::string label{"ground"};
    Surface     surface{};
};

/// A joint between two bodies, or a body and kWorld. Anchors are in the frames of the two; the axis is one of the
/// parent's anchor. What follows the label is of the axis: for ball and fixed joints it is a mistake.
/// Where its coordinate is 0 the two anchors coincide. Positions that
/// were given to bodies that joints hold do not matter: the joints place them when a simulation starts. A revolute
/// joint turns the child about the axis, counter-clockwise seen against it; a prismatic one moves it along the axis.
struct JointOptions {
    /// Where the joint is, in the frame of the parent (or the world) and in the frame of the child: the two points
    /// coincide.
    Vec3d       parent_anchor{}, child_anchor{};      ///< [m]
    Quatd       parent_rotation{}, child_rotation{};  ///< of the anchors
    Vec3d       axis{0, 0, 1};                        ///< of any length but 0, axes of the parent's anchor
    std::string label{};
    /// `lower` equal to `upper` locks the joint there.
    double lower = -kInfinity, upper = kInfinity;  ///< limits [m] or [rad]
    /// The drive pulls with stiffness * (target - q) + damping * (target velocity - qd), at most `effort_limit` and
    /// is solved implicitly, so that stiff gains stay stable. Both 0: no drive.
    double stiffness = 0, damping = 0;  ///< of its drive [N/m, N s/m] or per radian
    double target         = 0;          ///< of its drive [m] or [rad]
    double effort_limit   = kInfinity;  ///< of its drive [N] or [N m]
    double velocity_limit = kInfinity;  ///< [m/s] or [rad/s], whatever moves it
    /// Armature is the inertia of a rotor seen through its gear: it is added to the dof and turns nothing.
    double friction = 0, armature = 0;  ///< dry [N] or [N m]; [kg] or [kg m^2] about the axis
    /// A start beyond a limit is taken as it is; the limit pushes it back, and RUN_START_LIMIT says so.
    double position = 0, velocity = 0;  ///< at the start [m] or [rad], [m/s] or [rad/s]
};

/// Copies of a scene: which body of the copy in a world was which of the scene.
/// The calls cost arithmetic alone, and the object holds no memory: keep it beside the simulation.
class Replicas {
  public:
    /// 0 where `replicate` was a mistake.
    [[nodiscard]] int count() const noexcept { return count_; }
    /// Copies count from 0; worlds of the model count on through all calls of `replicate`.
    [[nodiscard]] WorldId world(int copy) const;
    /// Of the model that the builder makes; a body that the scene does not have is a mistake that the failure handler
    /// is told. kWorld stays kWorld.
    [[nodiscard]] BodyId  body(WorldId world, BodyId of_scene) const;
    [[nodiscard]] JointId joint(WorldId world, JointId of_scene) const;
    [[nodiscard]] ShapeId shape(WorldId world, ShapeId of_scene) const;

  private:
    friend class ModelBuilder;
    [[nodiscard]] std::int32_t at(WorldId world, std::int32_t index, std::int32_t first, std::int32_t size) const;
    std::int32_t               count_ = 0, first_world_ = 0;
    std::int32_t               body_ = 0, joint_ = 0, shape_ = 0, bodies_ = 0, joints_ = 0, shapes_ = 0;
};

/// Puts a model together. SI units, z up. Every call is accepted: a mistake is kept, with the name of the call and of
/// the argument, the label that was given and the number of the call, and `finalize` returns the first. Ids are those
/// of the model that is made.
/// The builder computes in double precision; the model that it makes holds `Real`. It can be copied, finalized more
/// than once, and added to in between; models that were made before do not change.
class ModelBuilder {
  public:
    /// Empty, with gravity down z.
    ModelBuilder();
    ~ModelBuilder();
    /// With what it holds and its mistakes; both go on by themselves.
    ModelBuilder(const ModelBuilder&);
    ModelBuilder& operator=(const ModelBuilder&);
    /// What was moved away is empty, and may be built with again.
    ModelBuilder(ModelBuilder&&) noexcept;
    ModelBuilder& operator=(ModelBuilder&&) noexcept;

    /// Of everything that is not in a world of its own; copies of a scene keep that of their scene. Default: 9.81 down.
    void set_gravity(const Vec3d& gravity);  ///< [m/s^2]

    /// A body that moves freely, with a free joint: also the base of a robot.
    BodyId add_body(const BodyOptions& options = {});
    /// A body that joints will hold: a link of a robot.
    BodyId add_link(const BodyOptions& options = {});
    /// Adds a shape to a body, or to kWorld, where it stands. Its mass counts by density times volume. Two shapes of
    /// one body never meet, and neither do those of two bodies that a joint connects directly.
    ShapeId add_box(BodyId body, const BoxOptions& options);
    ShapeId add_sphere(BodyId body, const SphereOptions& options);
    /// Along z of their own frames. A cone has its centre of mass at a quarter of its height above the base, below its
    /// origin.
    ShapeId add_capsule(BodyId body, const CapsuleOptions& options);
    ShapeId add_cylinder(BodyId body, const CapsuleOptions& options);
    ShapeId add_cone(BodyId body, const CapsuleOptions& options);
    /// Meshes collide as they are, with any other shape; `convex` is faster by far, and fills hollows.
    ShapeId add_mesh(BodyId body, const MeshOptions& options);
    /// What stands: infinite ground at a height, a height field.
    ShapeId add_ground(const GroundOptions& options = {});
    /// Belongs to kWorld, as the ground does.
    ShapeId add_heightfield(const HeightfieldOptions& options);

    /// Adds a joint that holds `child`. A child that is held already gets a joint that closes a loop; which is which,
    /// `Model::parent_joint` says.
    JointId add_revolute(BodyId parent, BodyId child, const JointOptions& options = {});
    /// A slider: lengths in place of angles, forces in place of torques.
    JointId add_prismatic(BodyId parent, BodyId child, const JointOptions& options = {});
    /// Three turns: no axis, so neither limits nor a drive; `State::set_rotation` sets it.
    JointId add_ball(BodyId parent, BodyId child, const JointOptions& options = {});
    /// The two stay two bodies, held as by a weld of no size.
    JointId add_fixed(BodyId parent, BodyId child, const JointOptions& options = {});
    /// The free joint of a body of `add_body`.
    JointId free_joint(BodyId body);
    /// Names the joints of one robot, parents first and in the order in which they were added. Where the first one
    /// hangs on a body of `add_body`, its free joint is one of them, named or not. Joints that are in none form one by
    /// themselves when they are made into a model.
    void add_robot(std::span<const JointId> joints, std::string label = {});
    /// The two never meet again, also in copies of this scene. Queries still see both.
    void disable_contacts(ShapeId a, ShapeId b);

    /// Copies of a scene, each in a world of its own, at most 1048576. The scene has no worlds itself.
    /// What the builder holds outside of copies, such as the ground, is shared: every world meets it. Worlds never meet
    /// each other, though they lie in one place. Edits of the scene afterwards do not reach the copies.
    Replicas replicate(const ModelBuilder& scene, int count);

    /// @param notes  gets what was corrected; mistakes are in `mistakes`
    /// @error SIM_BUILD  the first mistake, MODEL_STRUCTURE, MODEL_ORPHAN_JOINT, MODEL_SHAPE_MATERIAL
    /// Numbers that no solver can use (an inertia against the triangle inequality, a mass without inertia) are
    /// corrected in the model and told in `notes`; docs/model.md has the table.
    [[nodiscard]] Result<std::shared_ptr<const Model>> finalize(Diagnostics& notes) const;
    /// For programs that do not look at what was corrected.
    [[nodiscard]] Result<std::shared_ptr<const Model>> finalize() const;
    /// All mistakes so far.
    /// In the order of the calls. A call that was a mistake returned an id of none, which is a mistake of what uses it
    /// too.
    [[nodiscard]] const Diagnostics& mistakes() const noexcept;

    /// A building block, for what has no function here.
    /// Labels of what is added there are not compared with those of the calls above.
    [[nodiscard]] model::ModelBuilder&       arrays() noexcept;
    [[nodiscard]] const model::ModelBuilder& arrays() const noexcept;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane
