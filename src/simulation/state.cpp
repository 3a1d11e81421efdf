// mechane::State and mechane::Control: checked access to state and commands by ids. World frame, metres, radians;
// coordinates by dof.
// After coordinates were set, poses of bodies are out of date until `settle`, which a simulation calls before it uses
// them.
// Each function names itself and its argument, so that a mistake is told in the words of the program that made it.
// Which joint holds a body is what Model::parent_joint says.

#include "mechane/state.h"

#include <cmath>

#include "mechane/dynamics/kinematics.h"
#include "mechane/model/belongs.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/model.h"
#include "simulation/require.h"

namespace mechane {

using simulation::index_of;

namespace {

const model::Model& arrays_of(const std::shared_ptr<const Model>& model, const char* function)
{
    MCH_REQUIRE(model != nullptr, function, "model", "a model, not null");
    return model->arrays();
}

// The arrays are open to programs, which may have resized them.
void require_sizes(const model::Model& model, const model::State& state, const char* function)
{
    if (!model::fits(model, state)) simulation::refuse_sizes(function, "this");
}

/// The entry of a body in an array of a state; the array itself may have been resized.
template <class T>
const T& of_body(const std::vector<T>& values, BodyId body, const std::shared_ptr<const Model>& model,
                 const char* function)
{
    // The common case is one comparison; what is wrong is found out afterwards.
    if (body.valid() && body.index() < values.size()) return values[body.index()];
    const std::size_t count = model == nullptr ? 0 : model->arrays().body_count();
    MCH_REQUIRE(model != nullptr, function, "this", "an object that was not moved away");
    (void)index_of(body, count, function, "body");
    simulation::refuse_sizes(function, "this");
}

bool is_kinematic(const model::Model& m, std::size_t body)
{ return (m.body_flags[body] & model::body_flag::kinematic) != 0; }

// A free joint to another body does not count: its coordinates are not a pose in the world.
bool is_free(const model::Model& m, JointId joint)
{ return model::joint_type_info(m.joint_type[joint.index()]).free_like && m.joint_parent[joint.index()] < 0; }

/// A kinematic body goes where it is told; the coordinates of the joint that would hold it move nothing.
void require_moved(const Model& model, JointId joint, const char* function, const char* argument)
{
    const model::Model& m     = model.arrays();
    const std::int32_t  child = m.joint_child[joint.index()];
    MCH_REQUIRE(child < 0 || !is_kinematic(m, static_cast<std::size_t>(child)), function, argument,
                "a joint whose child is not kinematic; kinematic bodies are placed by set_pose and set_velocity");
}

}  // namespace

State::State(std::shared_ptr<const Model> model)
    : model_(std::move(model)), arrays_(model::make_state(arrays_of(model_, "State")))
{
}

const Model& State::owner(const char* function) const
{
    MCH_REQUIRE(model_ != nullptr, function, "this", "an object that was not moved away");
    return *model_;
}

Placement State::pose(BodyId body) const
{
    // The world rests at the origin.
    if (body == kWorld) return {};
    return Placement::of(of_body(arrays_.body_q, body, model_, "State::pose"));
}
Vec3 State::velocity(BodyId body) const
{
    if (body == kWorld) return {};
    return of_body(arrays_.body_qd, body, model_, "State::velocity").linear;
}
Vec3 State::angular_velocity(BodyId body) const
{
    if (body == kWorld) return {};
    return of_body(arrays_.body_qd, body, model_, "State::angular_velocity").angular;
}

std::size_t State::coordinate_of(DofId dof, const char* function) const
{
    const model::Model& m = owner(function).arrays();
    const std::size_t   d = index_of(dof, m.joint_dof_count(), function, "dof");
    // Quaternions have no coordinate a dof.
    MCH_REQUIRE(model_->is_scalar(dof), function, "dof",
                "a dof with a coordinate of its own: ball joints have a rotation, free bodies a pose");
    require_sizes(m, arrays_, function);
    const std::size_t j = model_->joint_of(dof).index();
    // The dofs of a joint begin at joint_qd_start, its coordinates at joint_q_start; within a joint without a
    // quaternion both have the same order.
    return static_cast<std::size_t>(m.joint_q_start[j]) + d - static_cast<std::size_t>(m.joint_qd_start[j]);
}

std::size_t State::coordinate_of(JointId ball, const char* function) const
{
    const model::Model& m = owner(function).arrays();
    const std::size_t   j = index_of(ball, m.joint_count(), function, "ball");
    MCH_REQUIRE(m.joint_type[j] == JointType::ball, function, "ball", "a ball joint");
    require_sizes(m, arrays_, function);
    return static_cast<std::size_t>(m.joint_q_start[j]);
}

Real State::position(DofId dof) const { return arrays_.joint_q[coordinate_of(dof, "State::position")]; }
Real State::velocity(DofId dof) const
{
    const model::Model& m = owner("State::velocity").arrays();
    const std::size_t   d = index_of(dof, m.joint_dof_count(), "State::velocity", "dof");
    if (d >= arrays_.joint_qd.size()) simulation::refuse_sizes("State::velocity", "this");
    return arrays_.joint_qd[d];
}

Quat State::rotation(JointId ball) const
{
    const Real* q = arrays_.joint_q.data() + coordinate_of(ball, "State::rotation");
    // In the order x, y, z, w.
    return {q[0], q[1], q[2], q[3]};
}

void State::set_rotation(JointId ball, const Quat& rotation)
{
    const std::size_t c = coordinate_of(ball, "State::set_rotation");
    require_moved(*model_, ball, "State::set_rotation", "ball");
    MCH_REQUIRE(is_finite(rotation) && dot(rotation, rotation) > 0, "State::set_rotation", "rotation",
                "a finite rotation that is not zero");
    // Solvers need unit quaternions; a rotation is meant, whatever its length.
    const Quat q           = normalized(rotation);
    arrays_.joint_q[c]     = q.x;
    arrays_.joint_q[c + 1] = q.y;
    arrays_.joint_q[c + 2] = q.z;
    arrays_.joint_q[c + 3] = q.w;
    unsettled_             = true;
}

void State::set_pose(BodyId body, const Placement& pose)
{
    const model::Model& m = owner("State::set_pose").arrays();
    const std::size_t   b = index_of(body, m.body_count(), "State::set_pose", "body");
    MCH_REQUIRE(is_finite(pose.position) && is_finite(pose.rotation) && dot(pose.rotation, pose.rotation) > 0,
                "State::set_pose", "pose", "a finite position and a rotation that is not zero");
    require_sizes(m, arrays_, "State::set_pose");
    const auto joint = model_->parent_joint(body);
    // A pose may be set only where no joint contradicts it. The coordinates of a free joint are the pose: both are kept
    // equal.
    // A disabled joint holds nothing, so the body may be put anywhere; its coordinates then stay as they are.
    const bool free = joint && is_free(m, *joint), on = joint && m.joint_enabled[joint->index()] != 0;
    MCH_REQUIRE(!joint || free || !on || is_kinematic(m, b), "State::set_pose", "body",
                "a body that no joint holds but a free one, or a kinematic one; place others by set_position of their "
                "dofs, or set_rotation of a ball joint");
    arrays_.body_q[b] = {pose.position, normalized(pose.rotation)};
    if (free && on)
        dynamics::joint_state(m, joint->value, {},
                              {static_cast<Posed>(arrays_.body_q[b]), static_cast<Spatiald>(arrays_.body_qd[b])},
                              arrays_.joint_q, arrays_.joint_qd);
    unsettled_ = true;  // bodies that hang on this one go with it
}

void State::set_velocity(BodyId body, const Vec3& linear, const Vec3& angular)
{
    const model::Model& m = owner("State::set_velocity").arrays();
    const std::size_t   b = index_of(body, m.body_count(), "State::set_velocity", "body");
    MCH_REQUIRE(is_finite(linear), "State::set_velocity", "linear", "a finite velocity");
    MCH_REQUIRE(is_finite(angular), "State::set_velocity", "angular", "a finite angular velocity");
    require_sizes(m, arrays_, "State::set_velocity");
    const auto joint = model_->parent_joint(body);
    const bool free = joint && is_free(m, *joint), on = joint && m.joint_enabled[joint->index()] != 0;
    MCH_REQUIRE(
        !joint || free || !on || is_kinematic(m, b), "State::set_velocity", "body",
        "a body that no joint holds but a free one, or a kinematic one; set the velocities of the dofs of others");
    // Here, other than for poses, the rates of a free joint follow also where it is disabled.
    arrays_.body_qd[b] = {linear, angular};
    if (free && on) {
        dynamics::joint_state(m, joint->value, {},
                              {static_cast<Posed>(arrays_.body_q[b]), static_cast<Spatiald>(arrays_.body_qd[b])},
                              arrays_.joint_q, arrays_.joint_qd);
        unsettled_ = true;
    }
}

void State::set_position(DofId dof, Real position)
{
    const std::size_t c = coordinate_of(dof, "State::set_position");
    require_moved(*model_, model_->joint_of(dof), "State::set_position", "dof");
    MCH_REQUIRE(std::isfinite(position), "State::set_position", "position", "a finite number");
    arrays_.joint_q[c] = position;
    unsettled_         = true;
}

void State::set_velocity(DofId dof, Real velocity)
{
    const model::Model& m = owner("State::set_velocity").arrays();
    const std::size_t   d = index_of(dof, m.joint_dof_count(), "State::set_velocity", "dof");
    require_sizes(m, arrays_, "State::set_velocity");
    require_moved(*model_, model_->joint_of(dof), "State::set_velocity", "dof");
    MCH_REQUIRE(std::isfinite(velocity), "State::set_velocity", "velocity", "a finite number");
    arrays_.joint_qd[d] = velocity;
    unsettled_          = true;
}

void State::settle()
{
    const model::Model& m = owner("State::settle").arrays();
    require_sizes(m, arrays_, "State::settle");
    // Poses and velocities of the bodies from the coordinates and rates of the joints that hold them.
    dynamics::project_to_joints(m, arrays_);
    unsettled_ = false;
}

Control::Control(std::shared_ptr<const Model> model)
    : model_(std::move(model)), arrays_(model::make_control(arrays_of(model_, "Control")))
{
}

const Model& Control::owner(const char* function) const
{
    MCH_REQUIRE(model_ != nullptr, function, "this", "an object that was not moved away");
    return *model_;
}

namespace {

// The entry of a dof in an array of commands.
template <class Id>
Real& entry(std::vector<Real>& values, std::size_t size, Id id, const char* function)
{
    const std::size_t i = index_of(id, size, function, "dof");
    if (values.size() != size) simulation::refuse_sizes(function, "this");
    return values[i];
}

}  // namespace

Real& Control::force(DofId dof)
{ return entry(arrays_.joint_f, owner("Control::force").arrays().joint_dof_count(), dof, "Control::force"); }
Real& Control::target_velocity(DofId dof)
{
    return entry(arrays_.joint_target_qd, owner("Control::target_velocity").arrays().joint_dof_count(), dof,
                 "Control::target_velocity");
}

Real& Control::target_position(DofId dof)
{
    const model::Model& m = owner("Control::target_position").arrays();
    // Targets of positions lie in coordinates and those of velocities in dofs, so both starts are needed.
    const std::size_t d = index_of(dof, m.joint_dof_count(), "Control::target_position", "dof");
    MCH_REQUIRE(model_->is_scalar(dof), "Control::target_position", "dof", "a dof with a coordinate of its own");
    if (arrays_.joint_target_q.size() != m.joint_coord_count())
        simulation::refuse_sizes("Control::target_position", "this");
    const std::size_t j = model_->joint_of(dof).index();
    return arrays_.joint_target_q[static_cast<std::size_t>(m.joint_q_start[j]) + d -
                                  static_cast<std::size_t>(m.joint_qd_start[j])];
}

Spatial& Control::wrench(BodyId body)
{
    const std::size_t count = owner("Control::wrench").arrays().body_count();
    const std::size_t b     = index_of(body, count, "Control::wrench", "body");
    // Wrenches are made when somebody asks for one: most programs command joints only.
    if (wrenches_.size() != count) wrenches_.resize(count);
    return wrenches_[b];
}

void Control::set_target_pose(BodyId body, const Placement& pose)
{
    const model::Model& m = owner("Control::set_target_pose").arrays();
    const std::size_t   b = index_of(body, m.body_count(), "Control::set_target_pose", "body");
    MCH_REQUIRE((m.body_flags[b] & model::body_flag::kinematic) != 0, "Control::set_target_pose", "body",
                "a kinematic body; forces and joints move the others");
    MCH_REQUIRE(is_finite(pose.position) && is_finite(pose.rotation) && dot(pose.rotation, pose.rotation) > 0,
                "Control::set_target_pose", "pose", "a finite position and a rotation that is not zero");
    // An infinite x stands for "no target".
    // No target: the others go on as they are.
    if (arrays_.body_target_q.size() != m.body_count())
        arrays_.body_target_q.assign(m.body_count(), Pose{{static_cast<Real>(kInfinity), 0, 0}, {}});
    arrays_.body_target_q[b] = {pose.position, normalized(pose.rotation)};
}

void Control::clear()
{
    // Forces and targets of velocity become zero, targets of positions those of the model.
    model::clear(arrays_, owner("Control::clear").arrays());
    if (!wrenches_.empty()) wrenches_.assign(wrenches_.size(), {});
}

}  // namespace mechane
