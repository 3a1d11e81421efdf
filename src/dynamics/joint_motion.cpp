// The law of each joint type: from coordinates to the pose between its anchors and to the columns of its rates, and
// back.
// X_PC is the pose of the child's anchor in the parent's anchor. `column` are directions in the parent anchor's axes:
// linear ones [1], angular ones [rad/rad].
// A D6 joint moves along its linear axes first; each angular axis is turned by the ones before it.

#include "mechane/dynamics/joint_motion.h"

#include <algorithm>
#include <cmath>

#include "mechane/core/failure.h"
#include "mechane/model/joint_table.h"

namespace mechane::dynamics {

namespace {

/// Signed angle of the rotation about a unit axis, in (-pi, pi]: the twist of the swing-twist decomposition.
double twist(const Quatd& q, const Vec3d& axis)
{
    // Twice the half angle; the result is in (-pi, pi] whatever the sign of the quaternion.
    double angle = 2 * std::atan2(dot(axis, q.xyz()), q.w);
    if (angle > kPi) angle -= 2 * kPi;
    if (angle <= -kPi) angle += 2 * kPi;
    return angle;
}

/// Angles of r = Q(a, t0) Q(b, t1) Q(c, t2) for a right-handed orthonormal basis a, b, c (X-Y-Z Tait-Bryan, body
/// fixed).
Vec3d chain_angles(const Quatd& r, const Vec3d& a, const Vec3d& b, const Vec3d& c)
{
    // Entries of the rotation matrix in the basis (a, b, c): s1 = R_ac, and the outer angles by two quotients each.
    const Vec3d  ra = rotate(r, a), rb = rotate(r, b), rc = rotate(r, c);
    const double s1 = std::clamp(dot(a, rc), -1.0, 1.0);
    const double t1 = std::asin(s1);
    // At |s1| = 1 only the sum or difference of the outer angles is determined; all of it goes to the first.
    if (std::abs(s1) > 1 - 1e-12) return {std::atan2(dot(c, rb), dot(b, rb)), t1, 0};
    return {std::atan2(-dot(b, rc), dot(c, rc)), t1, std::atan2(-dot(a, rb), dot(a, ra))};
}

}  // namespace

double unwind(double angle, double near) { return angle + 2 * kPi * std::round((near - angle) / (2 * kPi)); }

JointAxes joint_axes(const model::Model& model, std::int32_t joint)
{
    MCH_REQUIRE(joint >= 0 && static_cast<std::size_t>(joint) < model.joint_count(), "joint_axes", "joint",
                "the index of a joint of the model");
    const auto  j    = static_cast<std::size_t>(joint);
    const auto& info = model::joint_type_info(model.joint_type[j]);
    JointAxes   axes;
    axes.type           = model.joint_type[j];
    axes.linear         = info.linear_axes >= 0 ? info.linear_axes : model.joint_dof_dim[j][0];
    axes.angular        = info.angular_axes >= 0 ? info.angular_axes : model.joint_dof_dim[j][1];
    axes.linear         = std::clamp(axes.linear, 0, 3);
    axes.angular        = std::clamp(axes.angular, 0, 3);
    axes.coords         = info.coords >= 0 ? info.coords : axes.dofs();
    // FREE and BALL rotate about the anchor's axes x, y, z; the model's axes do not apply.
    const bool own_axes = axes.free_like() || axes.type == model::JointType::ball;
    const auto first    = static_cast<std::size_t>(model.joint_qd_start[j]);
    for (int k = 0; k < axes.dofs(); ++k) {
        const auto i = static_cast<std::size_t>(k);
        if (own_axes)
            axes.axis[i] = axis_vector<double>(k < axes.linear ? k : k - axes.linear);
        else
            axes.axis[i] = normalized(static_cast<Vec3d>(model.joint_axis[first + i]), Vec3d{1, 0, 0});
    }
    return axes;
}

JointMotion joint_motion(const JointAxes& axes, std::span<const double> q)
{
    JointMotion motion;
    if (axes.free_like()) {
        motion.X_PC.p = {q[0], q[1], q[2]};
        motion.X_PC.q = normalized(Quatd{q[3], q[4], q[5], q[6]});
        motion.column = axes.axis;
        return motion;
    }
    if (axes.type == model::JointType::ball) {
        motion.X_PC.q = normalized(Quatd{q[0], q[1], q[2], q[3]});
        motion.column = axes.axis;
        return motion;
    }
    std::size_t k = 0;
    for (; k < static_cast<std::size_t>(axes.linear); ++k) {
        motion.column[k] = axes.axis[k];
        motion.X_PC.p += q[k] * axes.axis[k];
    }
    Quatd carried;
    for (; k < static_cast<std::size_t>(axes.dofs()); ++k) {
        // The axis as the axes before it have turned it.
        motion.column[k] = rotate(carried, axes.axis[k]);
        carried          = carried * from_axis_angle(axes.axis[k], q[k]);
    }
    motion.X_PC.q = carried;
    return motion;
}

void joint_coordinates(const JointAxes& axes, const Posed& X_PC, std::span<double> q)
{
    if (axes.free_like() || axes.type == model::JointType::ball) {
        std::size_t k = 0;
        if (axes.free_like()) {
            q[0] = X_PC.p.x;
            q[1] = X_PC.p.y;
            q[2] = X_PC.p.z;
            k    = 3;
        }
        q[k]     = X_PC.q.x;
        q[k + 1] = X_PC.q.y;
        q[k + 2] = X_PC.q.z;
        q[k + 3] = X_PC.q.w;
        return;
    }
    const auto linear = static_cast<std::size_t>(axes.linear);
    for (std::size_t k = 0; k < linear; ++k) q[k] = dot(axes.axis[k], X_PC.p);
    const Vec3d* a = axes.axis.data() + linear;
    if (axes.angular == 1) {
        q[linear] = twist(X_PC.q, a[0]);
    } else if (axes.angular == 2) {
        // The missing axis is the middle one, so that both real angles cover the full turn. (a0, a0 x a1, a1) is
        // left-handed, hence the sign.
        const Vec3d angles = chain_angles(X_PC.q, a[0], cross(a[0], a[1]), -a[1]);
        q[linear]          = angles.x;
        q[linear + 1]      = -angles.z;
    } else if (axes.angular == 3) {
        const Vec3d third  = cross(a[0], a[1]);
        const Vec3d angles = chain_angles(X_PC.q, a[0], a[1], third);
        q[linear]          = angles.x;
        q[linear + 1]      = angles.y;
        q[linear + 2]      = dot(a[2], third) < 0 ? -angles.z : angles.z;
    }
}

/// Rows that read the rates off a relative velocity: the dual basis of the columns. Three turned axes are not
/// orthogonal; in gimbal lock the determinant is kept at 1e-4, so that rates stay finite.
std::array<Vec3d, 6> joint_rate_rows(const JointAxes& axes, const JointMotion& motion)
{
    std::array<Vec3d, 6> rows = motion.column;
    if (axes.angular < 3 || axes.free_like() || axes.type == model::JointType::ball)
        return rows;  // orthonormal: its own dual
    const auto  k  = static_cast<std::size_t>(axes.linear);
    const Vec3d a0 = motion.column[k], a1 = motion.column[k + 1], a2 = motion.column[k + 2];
    double      det = dot(a0, cross(a1, a2));
    if (std::abs(det) < 1e-4) det = std::copysign(1e-4, det);
    rows[k]     = cross(a1, a2) / det;
    rows[k + 1] = cross(a2, a0) / det;
    rows[k + 2] = cross(a0, a1) / det;
    return rows;
}

}  // namespace mechane::dynamics
