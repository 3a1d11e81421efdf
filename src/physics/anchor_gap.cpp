#include "mechane/physics/anchor_gap.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace mechane::physics {
namespace {

/// Angle of a rotation after the free turn about `axis` is taken out: swing in a swing-twist decomposition.
double swing_angle(const Quatd& q, const Vec3d& axis)
{
    const double turned = std::hypot(q.w, dot(q.xyz(), axis));
    return 2 * std::acos(std::clamp(turned, 0.0, 1.0));
}

/// Of a joint whose axes are locked one by one. Free turns follow each other in the order of the axes.
AnchorGap generic_gap(const Joint& joint, const Posed& X_PC)
{
    AnchorGap gap;
    bool      locked[3] = {};
    for (const Limit& limit : joint.limits) {
        if (!limit.locked || limit.dof == Dof::distance) continue;
        const bool turns = is_rotation(limit.dof);
        const auto i =
            static_cast<std::size_t>(limit.dof) - static_cast<std::size_t>(turns ? Dof::rot_x : Dof::trans_x);
        if (turns)
            locked[i] = true;
        else
            gap.length = std::max(gap.length, std::abs(X_PC.p[i]));
    }
    std::vector<Vec3d> free;
    for (int i = 0; i < 3; ++i)
        if (!locked[i]) free.push_back(axis_vector<double>(i));
    if (free.empty()) gap.angle = length(to_rotation_vector(X_PC.q));
    if (free.size() == 1) gap.angle = swing_angle(X_PC.q, free[0]);
    // R = Ra Rb leaves the image of b at a right angle to a.
    if (free.size() == 2) gap.angle = std::abs(std::asin(std::clamp(dot(free[0], rotate(X_PC.q, free[1])), -1.0, 1.0)));
    return gap;
}

}  // namespace

bool AnchorGap::is_contradiction(double metres) const
{ return length * metres > 1e-3 || angle > 0.5 * std::numbers::pi / 180; }

AnchorGap anchor_gap(const Joint& joint, const Posed& X_PC)
{
    const Vec3d  axis  = unit_vector(joint.axis);
    const double angle = length(to_rotation_vector(X_PC.q));
    switch (joint.kind) {
        case JointKind::fixed:
            return {length(X_PC.p), angle};
        case JointKind::revolute:
            return {length(X_PC.p), swing_angle(X_PC.q, axis)};
        case JointKind::prismatic:
            return {length(X_PC.p - dot(X_PC.p, axis) * axis), angle};
        case JointKind::spherical:
            return {length(X_PC.p), 0};
        case JointKind::d6:
            return generic_gap(joint, X_PC);
        case JointKind::distance:
        case JointKind::custom:
            break;
    }
    return {};
}

}  // namespace mechane::physics
