// finalize: joints, their coordinates and articulations. Coordinates of free-like joints follow from poses and
// velocities of bodies; all others are the builder's.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "finalize.h"
#include "mechane/model/codes.h"
#include "mechane/model/joint_table.h"
#include "number_repair.h"

namespace mechane::model {

namespace {

/// Poses and velocities of the joint's bodies, as the model has them; the world for -1.
Posed pose_of(const Model& m, std::int32_t body)
{ return body < 0 ? Posed{} : static_cast<Posed>(m.body_q[static_cast<std::size_t>(body)]); }

/// Velocity field of a body at the world point p: (linear at p, angular), world axes.
Spatiald velocity_at(const Model& m, std::int32_t body, const Vec3d& p)
{
    if (body < 0) return {};
    const auto     b   = static_cast<std::size_t>(body);
    const Spatiald qd  = static_cast<Spatiald>(m.body_qd[b]);
    const Vec3d    com = pose_of(m, body) * static_cast<Vec3d>(m.body_com[b]);
    return shift_twist(qd, p - com);
}

/// Coordinates of a FREE-like joint that reproduce the poses of its bodies: X_child = X_parent X_p X_j inv(X_c).
Posed free_coordinates(const Model& m, std::size_t j)
{
    const Posed X_WP = pose_of(m, m.joint_parent[j]) * static_cast<Posed>(m.joint_X_p[j]);
    const Posed X_WC = pose_of(m, m.joint_child[j]) * static_cast<Posed>(m.joint_X_c[j]);
    Posed       X_PC = inverse(X_WP) * X_WC;
    X_PC.q           = normalized(X_PC.q);
    return X_PC;
}

/// Velocity of the child's centre of mass relative to the parent's velocity field there, in the parent anchor's
/// axes.
Spatiald free_velocity(const Model& m, std::size_t j)
{
    const auto     child = static_cast<std::size_t>(m.joint_child[j]);
    const Vec3d    com   = pose_of(m, m.joint_child[j]) * static_cast<Vec3d>(m.body_com[child]);
    const Spatiald v     = static_cast<Spatiald>(m.body_qd[child]) - velocity_at(m, m.joint_parent[j], com);
    const Quatd    q_WP  = (pose_of(m, m.joint_parent[j]) * static_cast<Posed>(m.joint_X_p[j])).q;
    return {rotate_inverse(q_WP, v.linear), rotate_inverse(q_WP, v.angular)};
}

void push_dof(const JointDofConfig& dof, NumberRepair& repair, Model& m)
{
    m.joint_axis.push_back(repair.axis(dof.axis));
    m.joint_armature.push_back(repair.not_negative(dof.armature, "joint_armature"));
    m.joint_friction.push_back(repair.not_negative(dof.friction, "joint_friction"));
    m.joint_damping.push_back(repair.not_negative(dof.damping, "joint_damping"));
    m.joint_stiffness.push_back(repair.not_negative(dof.stiffness, "joint_stiffness"));
    m.joint_target_ke.push_back(repair.not_negative(dof.target_ke, "joint_target_ke"));
    m.joint_target_kd.push_back(repair.not_negative(dof.target_kd, "joint_target_kd"));
    m.joint_target_qd.push_back(repair.number(dof.target_qd, "joint_target_qd"));
    m.joint_target_mode.push_back(target_mode(dof));
    m.joint_drive_type.push_back(dof.drive_type);
    m.joint_limit_lower.push_back(repair.limit(dof.limit_lower, -1, "joint_limit_lower"));
    m.joint_limit_upper.push_back(repair.limit(dof.limit_upper, 1, "joint_limit_upper"));
    m.joint_limit_ke.push_back(repair.not_negative(dof.limit_ke, "joint_limit_ke", JointDofConfig{}.limit_ke));
    m.joint_limit_kd.push_back(repair.not_negative(dof.limit_kd, "joint_limit_kd", JointDofConfig{}.limit_kd));
    m.joint_limit_authored.push_back(dof.limit_authored ? 1 : 0);
    m.joint_effort_limit.push_back(repair.bound(dof.effort_limit, "joint_effort_limit", JointDofConfig{}.effort_limit));
    m.joint_velocity_limit.push_back(
        repair.bound(dof.velocity_limit, "joint_velocity_limit", JointDofConfig{}.velocity_limit));
    m.joint_f.push_back(0);
    m.joint_act.push_back(0);
}

/// A target between the limits; the middle for one outside.
Real target_within(Real target, Real lower, Real upper)
{
    // The second time: limits may have been repaired since the joint was added.
    const bool outside = target < lower || target > upper;
    return outside ? static_cast<Real>(0.5 * (static_cast<double>(lower) + static_cast<double>(upper))) : target;
}

void push_quaternion(const std::vector<double>& q, std::size_t at, NumberRepair& repair, Model& m)
{
    const Quat r = repair.rotation({q[at], q[at + 1], q[at + 2], q[at + 3]}, "joint_q");
    for (const Real x : {r.x, r.y, r.z, r.w}) m.joint_q.push_back(x);
}

/// Coordinates with the model's targets and rest values, which for joints with a quaternion are the identity.
void push_coordinates(const BuilderJoint& joint, std::size_t j, NumberRepair& repair, Model& m)
{
    const JointTypeInfo& info = joint_type_info(joint.type);
    std::vector<double>  q    = joint.q;
    if (info.free_like && q.empty()) {
        const Posed X = free_coordinates(m, j);
        q             = {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w};
    }
    const std::size_t scalars = info.quaternion ? q.size() - 4 : q.size();
    for (std::size_t i = 0; i < scalars; ++i) m.joint_q.push_back(repair.number(q[i], "joint_q"));
    if (info.quaternion) {
        push_quaternion(q, scalars, repair, m);
        for (std::vector<Real>* array : {&m.joint_target_q, &m.joint_rest_q}) {
            array->resize(m.joint_q.size(), 0);
            array->back() = 1;
        }
        if (joint.rest_rotation) {
            const Quat rest = repair.rotation(*joint.rest_rotation, "joint_rest_q");
            const Real r[]  = {rest.x, rest.y, rest.z, rest.w};
            std::copy_n(r, 4, m.joint_rest_q.end() - 4);
        }
        // Axes along scalar coordinates have targets as those of other joints do.
        // Linear targets of a distance joint (its length) lie before the quaternion.
        const auto start = m.joint_target_q.size() - q.size();
        for (std::size_t i = 0; i < std::min(scalars, joint.linear_axes.size()); ++i)
            m.joint_target_q[start + i] = repair.number(joint.linear_axes[i].target_q, "joint_target_q");
    } else {
        std::size_t dof = static_cast<std::size_t>(m.joint_qd_start[j]);
        for (const auto* axes : {&joint.linear_axes, &joint.angular_axes})
            for (const JointDofConfig& d : *axes) {
                m.joint_target_q.push_back(target_within(repair.number(d.target_q, "joint_target_q"),
                                                         m.joint_limit_lower[dof], m.joint_limit_upper[dof]));
                m.joint_rest_q.push_back(repair.number(d.rest_q.value_or(0), "joint_rest_q"));
                ++dof;
            }
    }

    if (info.free_like && joint.qd.empty()) {
        const Spatiald v = free_velocity(m, j);
        for (const Vec3d& part : {v.linear, v.angular})
            for (const double x : {part.x, part.y, part.z}) m.joint_qd.push_back(repair.number(x, "joint_qd"));
    } else {
        for (const double x : joint.qd) m.joint_qd.push_back(repair.number(x, "joint_qd"));
    }
}

void report_dependent_axes(const std::vector<JointDofConfig>& axes, const NumberRepair& repair, Diagnostics& out)
{
    for (std::size_t i = 0; i < axes.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            // Cosine of the angle between two axes of one joint; solvers take them as orthogonal.
            const double c = dot(normalized(axes[i].axis), normalized(axes[k].axis));
            if (std::abs(c) > 1e-3)
                out.add(kAxesDependent, repair.site("joint_axis"),
                        fmt::format("axes {} and {} have a cosine of {}, expected 0", k, i, c));
        }
}

}  // namespace

/// Newton's rule where the mode was not said: stiffness means position.
TargetMode target_mode(const JointDofConfig& dof)
{
    if (dof.actuator_mode) return *dof.actuator_mode;
    if (dof.target_ke != 0) return TargetMode::position;
    if (dof.target_kd != 0) return TargetMode::velocity;
    return TargetMode::none;
}

void fill_joints(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    for (std::size_t j = 0; j < b.joints.size(); ++j) {
        const BuilderJoint& joint = b.joints[j];
        NumberRepair        repair(out, joint.label);
        m.joint_label.push_back(joint.label);
        m.joint_type.push_back(joint.type);
        m.joint_parent.push_back(joint.parent);
        m.joint_child.push_back(joint.child);
        m.joint_X_p.push_back(repair.pose(joint.parent_xform, "joint_X_p"));
        m.joint_X_c.push_back(repair.pose(joint.child_xform, "joint_X_c"));
        m.joint_enabled.push_back(joint.enabled ? 1 : 0);
        m.joint_dof_dim.push_back({static_cast<std::int32_t>(joint.linear_axes.size()),
                                   static_cast<std::int32_t>(joint.angular_axes.size())});
        m.joint_articulation.push_back(joint.articulation);
        m.joint_mimic_joint.push_back(joint.mimic_joint);
        m.joint_mimic_coeffs.push_back({repair.number(joint.mimic_coeffs[0], "joint_mimic_coeffs"),
                                        repair.number(joint.mimic_coeffs[1], "joint_mimic_coeffs", 1)});
        m.joint_world.push_back(joint.world);
        m.joint_break_force.push_back(repair.bound(joint.break_force, "joint_break_force", kInfinity));
        m.joint_break_torque.push_back(repair.bound(joint.break_torque, "joint_break_torque", kInfinity));
        m.joint_cone_limit.push_back({repair.number(joint.cone_limit[0], "joint_cone_limit", -1),
                                      repair.number(joint.cone_limit[1], "joint_cone_limit", -1)});
        m.joint_exclude_from_articulation.push_back(joint.exclude_from_articulation ? 1 : 0);

        m.joint_q_start.push_back(static_cast<std::int32_t>(m.joint_q.size()));
        m.joint_qd_start.push_back(static_cast<std::int32_t>(m.joint_qd.size()));
        for (const auto* axes : {&joint.linear_axes, &joint.angular_axes}) {
            for (const JointDofConfig& dof : *axes) push_dof(dof, repair, m);
            report_dependent_axes(*axes, repair, out);
        }
        push_coordinates(joint, j, repair, m);
    }
    m.joint_q_start.push_back(static_cast<std::int32_t>(m.joint_q.size()));
    m.joint_qd_start.push_back(static_cast<std::int32_t>(m.joint_qd.size()));
}

void fill_articulations(const ModelBuilder& b, Model& m)
{
    for (const BuilderArticulation& tree : b.articulations) {
        // Joints of an articulation are contiguous (check_articulations), so two numbers say which.
        const std::int32_t first = tree.joints.front(), end = tree.joints.back() + 1;
        m.articulation_label.push_back(tree.label);
        m.articulation_start.push_back(first);
        m.articulation_end.push_back(end);
        m.articulation_world.push_back(tree.world);
        m.max_joints_per_articulation = std::max(m.max_joints_per_articulation, end - first);
        m.max_dofs_per_articulation =
            std::max(m.max_dofs_per_articulation, m.joint_qd_start[static_cast<std::size_t>(end)] -
                                                      m.joint_qd_start[static_cast<std::size_t>(first)]);
    }
    m.articulation_start.push_back(static_cast<std::int32_t>(b.joints.size()));

    // The joint above a body: its tree joint, else the last joint that names it as child. A tree has nothing above it.
    std::vector<std::int32_t> above(b.bodies.size(), -1);
    // Second pass over tree joints, which win over loops.
    for (const bool articulated : {false, true})
        for (std::size_t j = 0; j < b.joints.size(); ++j)
            if ((m.joint_articulation[j] >= 0) == articulated)
                above[static_cast<std::size_t>(m.joint_child[j])] = static_cast<std::int32_t>(j);
    for (std::size_t j = 0; j < b.joints.size(); ++j) {
        const std::int32_t parent = m.joint_parent[j], tree = m.joint_articulation[j];
        const std::int32_t joint = parent < 0 ? -1 : above[static_cast<std::size_t>(parent)];
        const bool inside = joint >= 0 && (tree < 0 || m.joint_articulation[static_cast<std::size_t>(joint)] == tree);
        m.joint_ancestor.push_back(inside ? joint : -1);
    }
}

}  // namespace mechane::model
