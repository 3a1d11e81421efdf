// ModelBuilder: bodies, joints and articulations. Poses in the world for bodies, in bodies for anchors; SI units,
// radians. The builder keeps double; finalize narrows to Real and repairs.
// Preconditions that would corrupt indices are refused at once, everything else is checked by finalize_structure.cpp.

#include "mechane/model/builder.h"

#include <algorithm>

#include "mechane/core/failure.h"
#include "mechane/geometry/mass.h"
#include "mechane/model/joint_table.h"

namespace mechane::model {

namespace {

std::string numbered(std::string label, const char* kind, std::size_t number)
{ return label.empty() ? std::string(kind) + "_" + std::to_string(number) : std::move(label); }

/// An axis of a FREE-like joint: no limit, and no spring at a limit that does not exist.
JointDofConfig free_axis(int axis)
{
    JointDofConfig dof;
    dof.axis     = axis_vector<double>(axis);
    dof.limit_ke = dof.limit_kd = 0;
    return dof;
}

void complete_axes(std::vector<JointDofConfig>& axes, std::int32_t wanted, bool free_like)
{
    // One configuration given for all axes of a ball joint is meant for each of them.
    const bool broadcast = axes.size() == 1 && wanted == 3;
    for (int i = broadcast ? 0 : static_cast<int>(axes.size()); i < wanted; ++i) {
        // Axes that are missing are those of the frame.
        JointDofConfig dof = broadcast ? axes.front() : free_axis(i);
        dof.axis           = axis_vector<double>(i);
        if (!free_like && !broadcast) {
            dof.limit_ke = JointDofConfig{}.limit_ke;
            dof.limit_kd = JointDofConfig{}.limit_kd;
        }
        if (broadcast && i == 0)
            axes.front() = dof;
        else
            axes.push_back(dof);
    }
}

void centre_target(JointDofConfig& dof)
{
    if (dof.target_q < dof.limit_lower || dof.target_q > dof.limit_upper)
        // A target outside of the limits becomes their middle.
        dof.target_q = 0.5 * (dof.limit_lower + dof.limit_upper);
}

}  // namespace

std::int32_t ModelBuilder::add_link(const Posed& q, std::string label, double mass, const Vec3d& com,
                                    const Mat33d& inertia)
{
    BuilderBody body;
    body.label   = numbered(std::move(label), "body", bodies.size());
    body.q       = q;
    body.mass    = mass;
    body.com     = com;
    body.inertia = inertia;
    body.world   = current_world_;
    bodies.push_back(std::move(body));
    return static_cast<std::int32_t>(bodies.size()) - 1;
}

std::int32_t ModelBuilder::add_body(const Posed& q, std::string label, double mass, const Vec3d& com,
                                    const Mat33d& inertia)
{
    const std::int32_t body  = add_link(q, label, mass, com, inertia);
    const std::int32_t joint = add_joint_free(body, label.empty() ? std::string{} : label + "_free_joint");
    add_articulation({joint}, label.empty() ? std::string{} : label + "_articulation");
    return body;
}

std::int32_t ModelBuilder::add_joint(BuilderJoint joint)
{
    const auto body_count = static_cast<std::int32_t>(bodies.size());
    MCH_REQUIRE(joint.parent >= kWorldBody && joint.parent < body_count, "ModelBuilder::add_joint", "joint.parent",
                "the index of a body of this builder, or -1 for the world");
    MCH_REQUIRE(joint.child >= kWorldBody && joint.child < body_count, "ModelBuilder::add_joint", "joint.child",
                "the index of a body of this builder, or -1 for the world");
    const JointTypeInfo& info = joint_type_info(joint.type);
    if (info.dofs >= 0) {
        MCH_REQUIRE(std::ssize(joint.linear_axes) <= info.linear_axes, "ModelBuilder::add_joint", "joint.linear_axes",
                    "no more axes than the type of joint has");
        MCH_REQUIRE(std::ssize(joint.angular_axes) <= info.angular_axes, "ModelBuilder::add_joint",
                    "joint.angular_axes", "no more axes than the type of joint has");
        // A joint of one axis without a configuration gets the builder's default.
        if (info.dofs == 1) {
            if (joint.linear_axes.empty() && info.linear_axes == 1) joint.linear_axes.push_back(default_dof);
            if (joint.angular_axes.empty() && info.angular_axes == 1) joint.angular_axes.push_back(default_dof);
        }
        complete_axes(joint.linear_axes, info.linear_axes, info.free_like);
        complete_axes(joint.angular_axes, info.angular_axes, info.free_like);
    } else {
        MCH_REQUIRE(joint.linear_axes.size() <= 3, "ModelBuilder::add_joint", "joint.linear_axes", "at most 3 axes");
        MCH_REQUIRE(joint.angular_axes.size() <= 3, "ModelBuilder::add_joint", "joint.angular_axes", "at most 3 axes");
    }
    for (std::vector<JointDofConfig>* axes : {&joint.linear_axes, &joint.angular_axes})
        for (JointDofConfig& dof : *axes) {
            // A zero axis is kept for finalize to report.
            dof.axis = normalized(dof.axis, dof.axis);
            centre_target(dof);
        }

    if (!info.free_like) {
        // A ball starts at the identity. Free joints keep q empty: finalize computes it from the poses of the bodies.
        if (joint.q.empty() && info.quaternion) joint.q = {0, 0, 0, 1};
        const bool rest_q = joint.q.empty(), rest_qd = joint.qd.empty();
        for (const std::vector<JointDofConfig>* axes : {&joint.linear_axes, &joint.angular_axes})
            for (const JointDofConfig& dof : *axes) {
                if (rest_q) joint.q.push_back(dof.initial_q);
                if (rest_qd) joint.qd.push_back(dof.initial_qd);
            }
    }
    // Labels of joints count from 1, those of bodies from 0.
    joint.label = numbered(std::move(joint.label), "joint", joints.size() + 1);
    joint.world = current_world_;

    const auto index = static_cast<std::int32_t>(joints.size());
    // By body + 1, as the world is -1: shapes look here for joints that filter them.
    joints_of_.resize(std::max(joints_of_.size(), bodies.size() + 1));
    joints_of_[static_cast<std::size_t>(joint.parent + 1)].push_back(index);
    if (joint.child != joint.parent) joints_of_[static_cast<std::size_t>(joint.child + 1)].push_back(index);
    filter_joint(joint);
    joints.push_back(std::move(joint));
    return index;
}

std::int32_t ModelBuilder::add_joint_revolute(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                              const Posed& child_xform, const JointDofConfig& dof, std::string label)
{
    return add_joint({.label        = std::move(label),
                      .type         = JointType::revolute,
                      .parent       = parent,
                      .child        = child,
                      .parent_xform = parent_xform,
                      .child_xform  = child_xform,
                      .angular_axes = {dof}});
}

std::int32_t ModelBuilder::add_joint_prismatic(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                               const Posed& child_xform, const JointDofConfig& dof, std::string label)
{
    return add_joint({.label        = std::move(label),
                      .type         = JointType::prismatic,
                      .parent       = parent,
                      .child        = child,
                      .parent_xform = parent_xform,
                      .child_xform  = child_xform,
                      .linear_axes  = {dof}});
}

std::int32_t ModelBuilder::add_joint_ball(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                          const Posed& child_xform, std::string label)
{
    return add_joint({.label        = std::move(label),
                      .type         = JointType::ball,
                      .parent       = parent,
                      .child        = child,
                      .parent_xform = parent_xform,
                      .child_xform  = child_xform});
}

std::int32_t ModelBuilder::add_joint_fixed(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                           const Posed& child_xform, std::string label)
{
    return add_joint({.label        = std::move(label),
                      .type         = JointType::fixed,
                      .parent       = parent,
                      .child        = child,
                      .parent_xform = parent_xform,
                      .child_xform  = child_xform});
}

std::int32_t ModelBuilder::add_joint_free(std::int32_t child, std::string label)
{ return add_joint({.label = std::move(label), .type = JointType::free, .parent = kWorldBody, .child = child}); }

std::int32_t ModelBuilder::add_joint_distance(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                              const Posed& child_xform, double lower, double upper, std::string label)
{
    JointDofConfig range = free_axis(0);
    range.limit_lower    = lower;
    // Range of the distance in the first axis; the other five are free.
    range.limit_upper    = upper;
    return add_joint({.label        = std::move(label),
                      .type         = JointType::distance,
                      .parent       = parent,
                      .child        = child,
                      .parent_xform = parent_xform,
                      .child_xform  = child_xform,
                      .linear_axes  = {range, free_axis(1), free_axis(2)}});
}

std::int32_t ModelBuilder::add_joint_d6(std::int32_t parent, std::int32_t child, const Posed& parent_xform,
                                        const Posed& child_xform, std::vector<JointDofConfig> linear_axes,
                                        std::vector<JointDofConfig> angular_axes, std::string label)
{
    return add_joint({.label        = std::move(label),
                      .type         = JointType::d6,
                      .parent       = parent,
                      .child        = child,
                      .parent_xform = parent_xform,
                      .child_xform  = child_xform,
                      .linear_axes  = std::move(linear_axes),
                      .angular_axes = std::move(angular_axes)});
}

std::int32_t ModelBuilder::add_articulation(std::vector<std::int32_t> tree, std::string label)
{
    const auto index = static_cast<std::int32_t>(articulations.size());
    for (const std::int32_t j : tree) {
        MCH_REQUIRE(j >= 0 && j < std::ssize(joints), "ModelBuilder::add_articulation", "joints",
                    "indices of joints of this builder");
        joints[static_cast<std::size_t>(j)].articulation = index;
    }
    articulations.push_back(
        {numbered(std::move(label), "articulation", articulations.size()), std::move(tree), current_world_});
    return index;
}

}  // namespace mechane::model
