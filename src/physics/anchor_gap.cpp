// How far the authored poses of two bodies contradict the joint between them, by what each kind of joint holds fixed.
//
// Let X_PC be the child's anchor in the parent's. A joint that holds everything has the gap of X_PC itself. A free axis
// takes its share out: along it the distance, about it the twist of a swing-twist decomposition, of which the swing is
// left.

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
    // With q = (v, w) and the unit axis a, the twist has the half angle atan2(v . a, w). What is left turns by 2
    // acos(sqrt(w^2 + (v . a)^2)).
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
    // Three free turns reach every rotation: nothing is held.
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
// Exporters round more coarsely than single precision does.
{ return length * metres > 1e-3 || angle > 0.5 * std::numbers::pi / 180; }

AnchorGap anchor_gap(const Joint& joint, const Posed& X_PC)
{
    const Vec3d  axis  = unit_vector(joint.axis);
    const double angle = length(to_rotation_vector(X_PC.q));
    switch (joint.kind) {
        case JointKind::fixed:
            return {length(X_PC.p), angle};
        // The turn of a revolute joint is its coordinate and no gap.
        case JointKind::revolute:
            return {length(X_PC.p), swing_angle(X_PC.q, axis)};
        // What lies along the axis of a slide is its coordinate.
        case JointKind::prismatic:
            return {length(X_PC.p - dot(X_PC.p, axis) * axis), angle};
        // A ball joint holds two points together and no angle.
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
