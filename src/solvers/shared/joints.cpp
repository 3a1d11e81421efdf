// Joints of the solvers in maximal coordinates: six directions each, of which some are locked (dof -1) and the others
// are the joint's dofs, with value, rate and gradient.

#include "solvers/shared/joints.h"

#include <cmath>

// The directions of a joint are those of its parent anchor. Let X_PC = (p, R) be the child's anchor in the parent's.
// Along an axis a the coordinate is a . p and its gradient a, at the child's anchor for both bodies: the pair of forces
// then has one line of action, and angular momentum is kept however far a slider is out.
// About axes, R is cut into coordinates:
//   locked   the rotation vector of R; the gradient near R = 1 are the axes themselves;
//   single   R = swing twist with the twist about a; swing is locked. Its gradients are the axes up to the size of the
//            swing, which a solver holds near zero;
//   chain    two or three angles about axes that carry each other (1.6 of the specification); the dual basis of
//            the carried axes are the gradients. Of two axes a0, a1 the chain is a0, a0 x a1, a1 with the middle one
//            locked.

namespace mechane::solvers::shared {

namespace {

using dynamics::JointAxes;
using model::JointType;

Vec3d swing_of(const Quatd& r, const Vec3d& axis, double twist)
{ return to_rotation_vector(normalized(r * conjugate(from_axis_angle(axis, twist)))); }

void lay_out_linear(JointLayout& out)
{
    const int n    = out.axes.linear;
    out.linear     = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
    out.linear_dof = {-1, -1, -1};
    for (int k = 0; k < n; ++k) {
        out.linear[static_cast<std::size_t>(k)]     = out.axes.axis[static_cast<std::size_t>(k)];
        out.linear_dof[static_cast<std::size_t>(k)] = k;
    }
    if (n == 1) out.linear[1] = any_perpendicular(out.linear[0]);
    if (n == 1 || n == 2) out.linear[2] = cross(out.linear[0], out.linear[1]);
}

void lay_out_angular(JointLayout& out)
{
    const auto first = static_cast<std::size_t>(out.axes.linear);
    const int  n = out.axes.angular, l = out.axes.linear;
    out.angular     = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
    out.angular_dof = {-1, -1, -1};
    if (out.axes.type == JointType::ball) {
        out.turn        = JointLayout::Turn::ball;
        out.angular_dof = {0, 1, 2};
        return;
    }
    if (n == 1) {
        out.turn        = JointLayout::Turn::single;
        out.angular[0]  = out.axes.axis[first];
        out.angular[1]  = any_perpendicular(out.angular[0]);
        out.angular[2]  = cross(out.angular[0], out.angular[1]);
        out.angular_dof = {l, -1, -1};
    } else if (n >= 2) {
        const Vec3d a0 = out.axes.axis[first], a1 = out.axes.axis[first + 1];
        out.turn          = JointLayout::Turn::chain;
        out.chain.type    = JointType::d6;
        out.chain.angular = 3;
        out.chain.coords  = 3;
        if (n == 2) {
            out.chain.axis[0] = a0;
            out.chain.axis[1] = cross(a0, a1);
            out.chain.axis[2] = a1;
            out.angular_dof   = {l, -1, l + 1};
        } else {
            for (std::size_t k = 0; k < 3; ++k) out.chain.axis[k] = out.axes.axis[first + k];
            out.angular_dof = {l, l + 1, l + 2};
        }
    }
}

}  // namespace

std::vector<JointLayout> lay_out_joints(const model::Model& model)
{
    std::vector<JointLayout> out;
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
        JointLayout at;
        at.joint = static_cast<std::int32_t>(j);
        at.axes  = dynamics::joint_axes(model, at.joint);
        // FREE and DISTANCE joints hold no direction here; a joint whose child is the world is left out.
        if (at.axes.free_like() || model.joint_child[j] < 0) continue;
        at.X_P = static_cast<Posed>(model.joint_X_p[j]);
        at.X_C = static_cast<Posed>(model.joint_X_c[j]);
        at.q   = model.joint_q_start[j];
        at.qd  = model.joint_qd_start[j];
        lay_out_linear(at);
        lay_out_angular(at);
        out.push_back(at);
    }
    return out;
}

JointPlace place_joint(const JointLayout& joint, const Bodies& bodies, std::span<const double> near)
{
    const model::Model& m = *bodies.model;
    JointPlace          at;
    at.parent = m.joint_parent[joint.joint];
    at.child  = m.joint_child[joint.joint];
    at.X_WP   = bodies.pose(at.parent) * joint.X_P;
    // The child's anchor is the point of action on both bodies.
    at.X_WC   = bodies.pose(at.child) * joint.X_C;
    at.r_p    = at.parent < 0 ? Vec3d{} : at.X_WC.p - bodies.com_W(at.parent);
    at.r_c    = at.X_WC.p - bodies.com_W(at.child);

    const Vec3d apart = at.X_WC.p - at.X_WP.p;
    const Vec3d v     = bodies.velocity_at(at.child, at.r_c) - bodies.velocity_at(at.parent, at.r_p);
    const Vec3d w     = bodies.spin(at.child) - bodies.spin(at.parent);
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3d row = rotate(at.X_WP.q, joint.linear[k]);
        at.linear[k]    = {joint.linear_dof[k], dot(row, apart), dot(row, v), row};
    }
    const Quatd          r    = normalized(conjugate(at.X_WP.q) * at.X_WC.q);
    std::array<Vec3d, 3> rows = joint.angular;
    Vec3d                values;
    switch (joint.turn) {
        case JointLayout::Turn::locked:
            values = to_rotation_vector(r);
            break;
        case JointLayout::Turn::single: {
            // The twist of the swing-twist decomposition about the axis.
            const double angle = 2 * std::atan2(dot(rows[0], r.xyz()), r.w);
            const Vec3d  swing = swing_of(r, rows[0], angle);
            const auto   coord = static_cast<std::size_t>(joint.q + joint.axes.linear);
            values             = {dynamics::unwind(angle, near[coord]), dot(rows[1], swing), dot(rows[2], swing)};
            break;
        }
        case JointLayout::Turn::chain: {
            std::array<double, 3> angle{};
            dynamics::joint_coordinates(joint.chain, {{}, r}, angle);
            const auto dual = dynamics::joint_rate_rows(joint.chain, dynamics::joint_motion(joint.chain, angle));
            for (std::size_t k = 0; k < 3; ++k) rows[k] = dual[k];
            values = {angle[0], angle[1], angle[2]};
            break;
        }
        case JointLayout::Turn::ball:
            break;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3d row = rotate(at.X_WP.q, rows[k]);
        at.angular[k]   = {joint.angular_dof[k], values[k], dot(row, w), row};
    }
    return at;
}

void push_linear(const JointPlace& at, const JointCoordinate& c, double force, JointPush& push)
{
    const Vec3d f = force * c.row;
    push.child += Spatiald{f, cross(at.r_c, f)};
    push.parent -= Spatiald{f, cross(at.r_p, f)};
}

void push_angular(const JointCoordinate& c, double torque, JointPush& push)
{
    push.child.angular += torque * c.row;
    push.parent.angular -= torque * c.row;
}

DofForces read_dof(const model::Model& m, const model::Control& control, std::size_t d, std::int32_t coord)
{
    const auto given = [](const std::vector<Real>& own, const std::vector<Real>& stored, std::size_t i) {
        return static_cast<double>(own.empty() ? stored[i] : own[i]);
    };
    DofForces out;
    out.ke        = static_cast<double>(m.joint_target_ke[d]);
    out.kd        = static_cast<double>(m.joint_target_kd[d]);
    out.target_qd = given(control.joint_target_qd, m.joint_target_qd, d);
    out.lower     = static_cast<double>(m.joint_limit_lower[d]);
    out.upper     = static_cast<double>(m.joint_limit_upper[d]);
    out.limit_ke  = static_cast<double>(m.joint_limit_ke[d]);
    out.limit_kd  = static_cast<double>(m.joint_limit_kd[d]);
    out.damping   = static_cast<double>(m.joint_damping[d]);
    out.stiffness = static_cast<double>(m.joint_stiffness[d]);
    out.force     = given(control.joint_f, m.joint_f, d);
    if (!std::isfinite(out.force)) out.force = 0;
    if (coord < 0) return out;
    out.target_q = given(control.joint_target_q, m.joint_target_q, static_cast<std::size_t>(coord));
    out.rest_q   = static_cast<double>(m.joint_rest_q[static_cast<std::size_t>(coord)]);
    return out;
}

double dof_force(const DofForces& law, double q, double qd, bool principal)
{
    double force = 0;
    // Outside of a limit its spring acts and the drive is off (docs/solvers.md).
    if (q < law.lower)
        force = law.limit_ke * (law.lower - q) - law.limit_kd * qd;
    else if (q > law.upper)
        force = law.limit_ke * (law.upper - q) - law.limit_kd * qd;
    else
        force = law.ke * (law.target_q - q) + law.kd * (law.target_qd - qd);
    // Newton's passive springs of angles see the principal value.
    const double spring_q = principal ? dynamics::unwind(q, 0) : q;
    return force + law.stiffness * (law.rest_q - spring_q) - law.damping * qd;
}

void add_free_joint_forces(const model::Model& m, const model::Control& control, Bodies& bodies)
{
    const auto& joint_f = control.joint_f.empty() ? m.joint_f : control.joint_f;
    for (std::size_t j = 0; j < m.joint_count(); ++j) {
        const bool free = m.joint_type[j] == JointType::free || m.joint_type[j] == JointType::distance ||
                          m.joint_type[j] == JointType::rod;
        if (!free || !m.joint_enabled[j]) continue;
        const Real*    at = joint_f.data() + m.joint_qd_start[j];
        const Spatiald f{{static_cast<double>(at[0]), static_cast<double>(at[1]), static_cast<double>(at[2])},
                         {static_cast<double>(at[3]), static_cast<double>(at[4]), static_cast<double>(at[5])}};
        if (f == Spatiald{} || !is_finite(f)) continue;
        const std::int32_t c = m.joint_child[j], p = m.joint_parent[j];
        bodies.add_force(c, f.linear, f.angular);
        if (p < 0) continue;
        // The parent feels the opposite wrench, moved to its own centre of mass.
        const Vec3d r = bodies.com_W(c) - bodies.com_W(p);
        bodies.add_force(p, -f.linear, -(f.angular + cross(r, f.linear)));
    }
}

}  // namespace mechane::solvers::shared
