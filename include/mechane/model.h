#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mechane/math.h"
#include "mechane/model/changes.h"
#include "mechane/model/types.h"
#include "mechane/result.h"

namespace mechane {

namespace model {
struct Model;
}
namespace simulation {
struct ModelParts;
}

using model::ArticulationId;
using model::BodyId;
using model::DofId;
using model::GeoType;
using model::JointId;
using model::JointType;
using model::ShapeId;
using model::WorldId;

/// The body of everything that stands: the ground, walls. Its label is "world".
/// Bodies without a body: it has no pose to set, no mass to change and no joint that holds it, so most calls refuse it.
inline constexpr BodyId kWorld{};
/// What all worlds share, and everything of a model that has no worlds.
inline constexpr WorldId kShared{};

/// Ids of one kind, for loops: 0, 1, 2, ...
/// A range without elements in memory: iterators hold a number and outlive it. A count below 0 is none.
template <class Id>
class Ids {
  public:
    class iterator {
      public:
        using difference_type = std::ptrdiff_t;
        using value_type      = Id;
        Id        operator*() const { return Id(value_); }
        iterator& operator++()
        {
            ++value_;
            return *this;
        }
        iterator operator++(int)
        {
            iterator before = *this;
            ++value_;
            return before;
        }
        bool operator==(const iterator&) const = default;

      private:
        friend class Ids;
        std::int32_t value_ = 0;
    };
    explicit Ids(int count) : count_(count < 0 ? 0 : count) {}
    [[nodiscard]] iterator begin() const { return {}; }
    [[nodiscard]] iterator end() const
    {
        iterator last;
        last.value_ = count_;
        return last;
    }
    /// The largest id is one less.
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count_); }

  private:
    std::int32_t count_;
};
/// The worlds of a model.
using Worlds = Ids<WorldId>;

/// How far a dof goes [m] or [rad], how fast [m/s] or [rad/s], and what its drive applies [N] or [N m]; infinite
/// without a limit.
/// As `Model::limits` reads them. Velocities are bounded in both directions by `velocity`, efforts by `effort`.
struct Limits {
    /// Infinite on a side without a limit; equal where the dof is locked.
    double lower = 0, upper = 0;  ///< [m] or [rad]
    /// How fast, whatever moves it, and what the drive gives at most; `Control::force` comes on top of that.
    double velocity = kInfinity, effort = kInfinity;  ///< [m/s] or [rad/s]; [N] or [N m]
};

/// A scene that does not change: bodies, joints, shapes, materials. Made by `ModelBuilder::finalize` and `load`; shared
/// by whatever uses it, from any thread. What a simulation changes of it, it changes in a copy of its own
/// (`Simulation::edit`).
///
/// Things are named by typed ids, which belong to the model that gave them, and found by labels, which are unique
/// within a world. Ids of a kind count from 0, in the order of the stage or of the builder; `id.value` is the number.
/// An id that the model does not have is a mistake that the failure handler is told.
/// Every function is const. All but those that find something by its label cost a look into an array.
class Model {
  public:
    ~Model();
    Model(const Model&)            = delete;
    Model& operator=(const Model&) = delete;

    /// Bodies that move or could: kWorld is not counted.
    [[nodiscard]] int body_count() const noexcept;
    /// Free joints and joints that close loops are counted too.
    [[nodiscard]] int joint_count() const noexcept;
    /// Of all joints, those of free joints included: a free body has six.
    [[nodiscard]] int dof_count() const noexcept;
    /// Those that are only seen, and those that never collide, are counted too.
    [[nodiscard]] int shape_count() const noexcept;
    /// 0 for a model without worlds, where everything is shared.
    [[nodiscard]] int world_count() const noexcept;

    [[nodiscard]] Ids<BodyId>  bodies() const noexcept { return Ids<BodyId>(body_count()); }  ///< without kWorld
    [[nodiscard]] Ids<JointId> joints() const noexcept { return Ids<JointId>(joint_count()); }
    [[nodiscard]] Ids<ShapeId> shapes() const noexcept { return Ids<ShapeId>(shape_count()); }
    [[nodiscard]] Worlds       worlds() const noexcept { return Worlds(world_count()); }

    /// By label. In a model of several worlds name the world; without it the label has to be unique in the model.
    /// @error SIM_LABEL  the hint names the nearest labels, or the worlds that have it
    /// The first call makes a table of labels, which costs a look at all of them; later ones are lookups in it. Keep
    /// the id instead of asking in every step. kWorld is found as "world".
    [[nodiscard]] Result<BodyId>  find_body(std::string_view label, std::optional<WorldId> world = {}) const;
    [[nodiscard]] Result<JointId> find_joint(std::string_view label, std::optional<WorldId> world = {}) const;
    [[nodiscard]] Result<ShapeId> find_shape(std::string_view label, std::optional<WorldId> world = {}) const;
    /// The degree of freedom of a joint that has one; of a joint that has several name the axis, linear ones first.
    /// @error SIM_DOF, SIM_LABEL
    /// Axes count from 0 in the order of `joint_qd`. Of a free joint 0 to 2 are velocities of the centre of mass and 3
    /// to 5 angular ones; of a ball joint 0 to 2 are angular, in the axes of the parent's anchor.
    [[nodiscard]] Result<DofId> find_dof(JointId joint, std::optional<int> axis = {}) const;
    [[nodiscard]] Result<DofId> find_dof(std::string_view joint_label, std::optional<int> axis = {},
                                         std::optional<WorldId> world = {}) const;

    /// "world" for kWorld.
    /// Prim paths for what was loaded. The text lives as long as the model.
    [[nodiscard]] const std::string& label(BodyId body) const;
    [[nodiscard]] const std::string& label(JointId joint) const;
    [[nodiscard]] const std::string& label(ShapeId shape) const;

    [[nodiscard]] WorldId world_of(BodyId body) const;  ///< kShared for kWorld
    /// kWorld for what stands.
    [[nodiscard]] BodyId body_of(ShapeId shape) const;
    [[nodiscard]] double mass(BodyId body) const;  ///< [kg]; infinite for kWorld
    /// The other way: `find_dof`.
    [[nodiscard]] JointId joint_of(DofId dof) const;
    /// The joint that holds a body, a free one too; nothing for a body without a joint. A joint that is not the parent
    /// joint of its child closes a loop: going from parent to parent always ends.
    [[nodiscard]] std::optional<JointId> parent_joint(BodyId body) const;
    /// What a joint allows, and what a shape is; docs/model.md has a table of each.
    [[nodiscard]] JointType type(JointId joint) const;
    [[nodiscard]] GeoType   type(ShapeId shape) const;
    [[nodiscard]] BodyId    parent(JointId joint) const;  ///< kWorld for a joint to the world
    /// Never kWorld of a joint that a builder of the face made.
    [[nodiscard]] BodyId child(JointId joint) const;
    /// What the builder or the stage said, after an edit what that said. [m] or [rad] by the joint's type.
    [[nodiscard]] Limits limits(DofId dof) const;
    /// Whether the dof has one coordinate of its own: all but those of ball and free joints.
    [[nodiscard]] bool is_scalar(DofId dof) const;
    /// The dofs of a world in the order of the model: what the columns of its Jacobians and the entries of its
    /// generalized forces stand for. Without a world those of the whole model.
    [[nodiscard]] std::span<const DofId> dofs(std::optional<WorldId> world = {}) const;
    /// Step that the stage authors [s]; 1/60 where it authors none.
    [[nodiscard]] double default_dt() const noexcept;

    /// The arrays, under Newton's names: a building block.
    [[nodiscard]] const model::Model& arrays() const noexcept;

    /// What made the model beyond its arrays; for `load` and tests.
    [[nodiscard]] static std::shared_ptr<const Model> make(simulation::ModelParts parts);
    [[nodiscard]] const simulation::ModelParts&       parts() const noexcept;

  private:
    struct Impl;
    explicit Model(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Changes a model that a simulation steps; given to the function of `Simulation::edit`, valid within it. Each change
/// is told to the solver and to collision when the function ends. Values are checked like ids are: a wrong one is a
/// mistake that the failure handler is told.
/// Only what is set is told on: changes of gains and limits are read at the next step, those of masses have the solver
/// compute inertias anew, those of what collides have collision list its pairs anew.
class ModelEdit {
  public:
    explicit ModelEdit(model::Model& arrays) : arrays_(arrays) {}
    ModelEdit(const ModelEdit&)            = delete;
    ModelEdit& operator=(const ModelEdit&) = delete;

    /// Of a body that has a mass already: its distribution stays. One that is immovable stays so.
    void set_mass(BodyId body, double mass);  ///< [kg], positive; the inertia grows with it
    /// A kinematic body goes where commands or its velocity take it, and nothing pushes it.
    void set_kinematic(BodyId body, bool on);
    /// Dynamic and static friction at once.
    void set_friction(ShapeId shape, double mu);
    /// 0: nothing bounces; 1: as fast apart as together.
    void set_restitution(ShapeId shape, double restitution);  ///< 0..1
    /// As `Surface::collides`: with other shapes and with particles.
    void set_collides(ShapeId shape, bool on);
    // Dofs of free joints have neither drives nor limits, those of ball joints no limits: naming one is a mistake.
    /// Both 0: the drive is off. Which of position and velocity it follows, the gains say, as in Newton.
    void set_gains(DofId dof, double stiffness, double damping);  ///< of the drive [N/m, N s/m] or per radian
    /// Infinite: no limit on that side. Equal ones lock the dof.
    void set_limits(DofId dof, double lower, double upper);  ///< [m] or [rad]
    /// From 1e6 on it counts as none.
    void set_velocity_limit(DofId dof, double limit);  ///< [m/s] or [rad/s], positive; infinite: none
    /// Not negative; 0: the drive has no force; from 1e10 on it has no limit.
    void set_effort_limit(DofId dof, double limit);  ///< of the drive [N] or [N m]
    /// Added to the inertia that the drive of the dof has to accelerate.
    void set_armature(DofId dof, double armature);  ///< [kg] or [kg m^2]
    /// A joint that is off holds nothing: its two bodies move freely of each other.
    void set_enabled(JointId joint, bool on);
    /// kShared: of what is in no world. Worlds of `replicate` have a gravity each.
    void set_gravity(const Vec3& gravity, WorldId world = kShared);  ///< [m/s^2]

    /// The arrays, for what has no function here. @param what  has to say what is written to
    model::Model& arrays(const model::ModelChanges& what)
    {
        changes_ |= what;
        return arrays_;
    }
    /// What the functions so far, and `arrays`, have said to be written to.
    [[nodiscard]] const model::ModelChanges& changes() const noexcept { return changes_; }

  private:
    std::size_t at(BodyId body, const char* function) const;
    std::size_t at(ShapeId shape, const char* function) const;
    std::size_t at(DofId dof, const char* function) const;
    std::size_t driven(DofId dof, const char* function) const;
    std::size_t limited(DofId dof, const char* function) const;

    model::Model&       arrays_;
    model::ModelChanges changes_;
};

}  // namespace mechane
