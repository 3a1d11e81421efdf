// Coordinates of joints from the authored poses of their bodies, and bodies moved to where their joints put them.
// Radians and the builder's lengths.

#include "joint_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mechane::importer {
namespace {

using model::JointDofConfig;
using model::JointType;

/// Coordinates below this are rounding dust of authored single-precision poses.
constexpr double kDust = 1e-6;
/// Cosine of the second of three angles below which the first and the third turn about one axis: rounding of the pose
/// would share their sum between the two.
constexpr double kGimbal = 1e-5;

double without_dust(double q) { return std::abs(q) < kDust ? 0 : q; }

/// Half a turn is positive, on whichever side of it rounding puts the pose.
double one_half_turn(double angle) { return angle < kDust - kPi ? angle + 2 * kPi : angle; }

/// Angle of the turn about `axis` in a rotation, in (-pi, pi].
/// Swing-twist again: the angle of the twist part about the axis.
double twist_angle(const Quatd& q, const Vec3d& axis)
{
    const double along = dot(q.xyz(), axis);
    // Half a turn about an axis across this one: every angle is as far from the pose as any other.
    if (std::hypot(along, q.w) < kGimbal) return 0;
    double angle = 2 * std::atan2(along, q.w);
    if (angle > kPi) angle -= 2 * kPi;
    if (angle <= -kPi) angle += 2 * kPi;
    return angle;
}

/// The same angle a whole turn away when only that one lies within the limits.
double within_limits(double angle, const JointDofConfig& dof)
{
    // A pose says an angle only modulo a turn.
    for (const double turned : {angle, angle + 2 * kPi, angle - 2 * kPi})
        if (turned >= dof.limit_lower && turned <= dof.limit_upper) return turned;
    return angle;
}

/// Angles of successive turns about perpendicular axes that make up a rotation: the classical three-angle extraction in
/// the basis that the axes span. Nothing when the axes are not perpendicular.
std::optional<std::vector<double>> successive_angles(const Quatd& q, const std::vector<JointDofConfig>& axes)
{
    if (axes.size() == 1) return std::vector<double>{twist_angle(q, axes[0].axis)};
    const Vec3d a = axes[0].axis, b = axes[1].axis;
    const Vec3d c = cross(a, b);
    if (std::abs(dot(a, b)) > 1e-6 || (axes.size() == 3 && std::abs(std::abs(dot(c, axes[2].axis)) - 1) > 1e-6))
        return std::nullopt;
    const Mat33d basis = Mat33d::from_columns(a, b, c);
    const Mat33d r     = transpose(basis) * to_matrix(q) * basis;
    // R = Rx(u) Ry(v) Rz(w): r02 = sin v, r12 = -sin u cos v, r22 = cos u cos v, r01 = -cos v sin w.
    // Beyond 90 degrees of the second angle several triples make the same rotation; this one has it within.
    const double        cosine = std::hypot(r(1, 2), r(2, 2));
    std::vector<double> angles{std::atan2(-r(1, 2), r(2, 2)), std::atan2(r(0, 2), cosine)};
    double              third = std::atan2(-r(0, 1), r(0, 0));
    if (cosine < kGimbal) {
        // There r10 = sin(w + u) and r11 = cos(w + u), or those of w - u at -90 degrees: the first angle has it all.
        angles[0] = std::atan2(r(0, 2) > 0 ? r(1, 0) : -r(1, 0), r(1, 1));
        third     = 0;
    }
    if (axes.size() == 3) angles.push_back(third * (dot(c, axes[2].axis) < 0 ? -1 : 1));
    return angles;
}

}  // namespace

Posed joint_motion(const model::BuilderJoint& joint, const std::vector<double>& q)
{
    Posed       motion;
    std::size_t at = 0;
    switch (joint.type) {
        case JointType::free:
        case JointType::distance:
        case JointType::rod:
            if (q.size() == 7) motion = {{q[0], q[1], q[2]}, normalized(Quatd{q[3], q[4], q[5], q[6]})};
            return motion;
        case JointType::ball:
            if (q.size() == 4) motion.q = normalized(Quatd{q[0], q[1], q[2], q[3]});
            return motion;
        case JointType::prismatic:
        case JointType::revolute:
        case JointType::fixed:
        case JointType::d6:
            break;
    }
    for (const JointDofConfig& dof : joint.linear_axes)
        if (at < q.size()) motion.p += q[at++] * dof.axis;
    for (const JointDofConfig& dof : joint.angular_axes)
        // Turns act one after the other about axes that turn along (D6).
        if (at < q.size()) motion.q = motion.q * from_axis_angle(dof.axis, q[at++]);
    return motion;
}

void take_coordinates_from_poses(const Import& run, const JointEnds& ends, model::BuilderJoint& joint)
{
    const auto anchor = [&](std::int32_t body, const Posed& X) {
        return body < 0 ? X : run.builder.bodies[static_cast<std::size_t>(body)].q * X;
    };
    const Posed X_PC = inverse(anchor(ends.parent, joint.parent_xform)) * anchor(ends.child, joint.child_xform);
    joint.q.clear();
    if (joint.type == JointType::ball) {
        const Quatd q = length(to_rotation_vector(X_PC.q)) < kDust ? Quatd{} : X_PC.q;
        joint.q       = {q.x, q.y, q.z, q.w};
        return;
    }
    if (joint.type == JointType::distance) {
        joint.q = {X_PC.p.x, X_PC.p.y, X_PC.p.z, X_PC.q.x, X_PC.q.y, X_PC.q.z, X_PC.q.w};
        return;
    }
    if (!joint.angular_axes.empty()) {
        const auto angles = successive_angles(X_PC.q, joint.angular_axes);
        for (std::size_t i = 0; i < joint.angular_axes.size(); ++i)
            joint.angular_axes[i].initial_q =
                angles ? without_dust(within_limits(one_half_turn((*angles)[i]), joint.angular_axes[i])) : 0;
    }
    for (JointDofConfig& dof : joint.linear_axes) dof.initial_q = without_dust(dot(X_PC.p, dof.axis));
}

void settle_initial_state(Import& run)
{
    model::ModelBuilder& b         = run.builder;
    const double         in_metres = run.result.unit_in_metres / run.result.meters_per_unit;  // 1 unless units are kept
    for (std::size_t a = run.first_articulation;
         a < b.articulations.size() && !run.conventions.coordinates_zero_unless_authored; ++a) {
        // In the order of the tree: the parent has been settled.
        for (const std::int32_t j : b.articulations[a].joints) {
            const model::BuilderJoint& joint = b.joints[static_cast<std::size_t>(j)];
            if (joint.type == JointType::free || joint.child < 0 || static_cast<std::size_t>(j) < run.first_joint)
                continue;
            model::BuilderBody& child  = b.bodies[static_cast<std::size_t>(joint.child)];
            const Posed         X_WP   = joint.parent < 0
                                             ? joint.parent_xform
                                             : b.bodies[static_cast<std::size_t>(joint.parent)].q * joint.parent_xform;
            const Posed         X_WC   = X_WP * joint_motion(joint, joint.q) * inverse(joint.child_xform);
            const double        moved  = length(X_WC.p - child.q.p),
                                turned = length(to_rotation_vector(conjugate(child.q.q) * X_WC.q));
            const usd::Prim     prim   = run.stage.prim_at(usd::Path(joint.label));
            // Poses in single precision differ by less.
            if (in_metres * moved > 1e-3 || turned > 0.5 * kDegrees)
                run.found.add(codes::kJointSnapped,
                              prim ? prim.site() : Site{.layer = {}, .prim = joint.label, .property = {}},
                              fmt::format("the joint moves {} by {:.3g} m and {:.3g} degrees to where its frames meet",
                                          child.label, in_metres * moved, turned / kDegrees));
            child.q   = X_WC;
            child.q.q = normalized(child.q.q);
        }
    }
}

}  // namespace mechane::importer
