#pragma once
#include <fmt/format.h>

#include "mechane/math/random.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "support/support.h"

namespace mechane::test {

/// Inertia of a box with random edges about its centre, turned at random: physically consistent by construction.
inline Mat33d random_inertia(Random& r, double mass)
{
    const double a = r.uniform(0.1, 0.4), b = r.uniform(0.1, 0.4), c = r.uniform(0.1, 0.4);
    const Mat33d R = to_matrix(r.rotation());
    return R * (mass / 12 * Mat33d::diagonal({b * b + c * c, a * a + c * c, a * a + b * b})) * transpose(R);
}

inline Posed random_pose(Random& r, double size) { return {r.vec(size), r.rotation()}; }

inline std::int32_t add_random_link(model::ModelBuilder& b, Random& r)
{
    const double m = r.uniform(0.5, 2);
    return b.add_link(random_pose(r, 1), fmt::format("link{}", b.bodies.size()), m, r.vec(0.1), random_inertia(r, m));
}

inline model::JointDofConfig dof(const Vec3d& axis)
{
    model::JointDofConfig d;
    d.axis = axis;
    return d;
}

/// A joint of the type between two bodies with random anchors; D6 joints get the given number of axes, orthonormal,
/// either handedness.
inline model::BuilderJoint random_joint(Random& r, model::JointType type, std::int32_t parent, std::int32_t child,
                                        int linear = 0, int angular = 0)
{
    model::BuilderJoint j;
    j.type               = type;
    j.parent             = parent;
    j.child              = child;
    j.parent_xform       = random_pose(r, 0.5);
    j.child_xform        = random_pose(r, 0.3);
    j.label              = fmt::format("joint_to_{}", child);
    const Mat33d R       = to_matrix(r.rotation());
    const double hand    = r.uniform() < 0.5 ? -1 : 1;
    const Vec3d  axes[3] = {R.column(0), R.column(1), hand * R.column(2)};
    using enum model::JointType;
    if (type == revolute) j.angular_axes.push_back(dof(axes[0]));
    if (type == prismatic) j.linear_axes.push_back(dof(axes[0]));
    if (type == ball)
        for (int k = 0; k < 3; ++k) j.angular_axes.push_back(dof(axis_vector<double>(k)));
    if (type == free || type == distance)
        for (int k = 0; k < 3; ++k) {
            j.linear_axes.push_back(dof(axis_vector<double>(k)));
            j.angular_axes.push_back(dof(axis_vector<double>(k)));
        }
    if (type == d6) {
        for (int k = 0; k < linear; ++k) j.linear_axes.push_back(dof(axes[k]));
        for (int k = 0; k < angular; ++k) j.angular_axes.push_back(dof(axes[k]));
    }
    return j;
}

/// Coordinates and rates at random: angles in (-1.2, 1.2), quaternions unit.
inline void randomize(const model::Model& m, Random& r, model::State& s)
{
    for (std::size_t j = 0; j < m.joint_count(); ++j) {
        const auto nq = m.joint_q_start[j + 1] - m.joint_q_start[j], nv = m.joint_qd_start[j + 1] - m.joint_qd_start[j];
        Real*      q = s.joint_q.data() + m.joint_q_start[j];
        for (int k = 0; k < nq; ++k) q[k] = static_cast<Real>(r.uniform(-1.2, 1.2));
        for (int k = 0; k < nv; ++k) s.joint_qd[m.joint_qd_start[j] + k] = static_cast<Real>(r.uniform(-2, 2));
        if (nq == nv) continue;
        const Quatd u = r.rotation();
        Real*       w = q + nq - 4;
        w[0]          = static_cast<Real>(u.x);
        w[1]          = static_cast<Real>(u.y);
        w[2]          = static_cast<Real>(u.z);
        w[3]          = static_cast<Real>(u.w);
    }
}

inline model::Model finalized(const model::ModelBuilder& b)
{
    Diagnostics out;
    auto        m = b.finalize({}, out);
    REQUIRE_MESSAGE(m.has_value(), (m.has_value() ? "" : to_text(m.error())));
    return std::move(*m);
}

/// A tree of all joint types: free or fixed base, branches, 3-angle D6 and planar D6.
inline model::ModelBuilder random_robot_builder(Random& r, bool floating)
{
    model::ModelBuilder b;
    using enum model::JointType;
    std::vector<std::int32_t> joints;
    const std::int32_t        root = add_random_link(b, r);
    joints.push_back(b.add_joint(random_joint(r, floating ? free : revolute, -1, root)));
    const struct {
        model::JointType type;
        int              linear, angular;
    } kinds[] = {{revolute, 0, 0}, {prismatic, 0, 0}, {ball, 0, 0}, {d6, 0, 3}, {d6, 2, 1}, {fixed, 0, 0}, {d6, 3, 2}};
    for (const auto& kind : kinds) {
        const auto parent = static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(b.bodies.size())));
        const auto child  = add_random_link(b, r);
        joints.push_back(b.add_joint(random_joint(r, kind.type, parent, child, kind.linear, kind.angular)));
    }
    b.add_articulation(joints, "robot");
    return b;
}
inline model::Model random_robot(Random& r, bool floating) { return finalized(random_robot_builder(r, floating)); }

}  // namespace mechane::test
