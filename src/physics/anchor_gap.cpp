#include "mechane/physics/anchor_gap.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mechane::physics {
namespace {

/// Angle of a rotation after the free turn about `axis` is taken out: swing in a swing-twist decomposition.
double swing_angle(const Quatd& q, const Vec3d& axis)
{
    const double turned = std::hypot(q.w, dot(q.xyz(), axis));
    return 2 * std::acos(std::clamp(turned, 0.0, 1.0));
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
        case JointKind::d6: {
            AnchorGap   gap;
            const Vec3d turn = to_rotation_vector(X_PC.q);
            for (const Limit& limit : joint.limits) {
                if (!limit.locked || limit.dof == Dof::distance) continue;
                const auto i    = static_cast<std::size_t>(limit.dof) -
                                  static_cast<std::size_t>(is_rotation(limit.dof) ? Dof::rot_x : Dof::trans_x);
                double&    part = is_rotation(limit.dof) ? gap.angle : gap.length;
                part            = std::max(part, std::abs(is_rotation(limit.dof) ? turn[i] : X_PC.p[i]));
            }
            return gap;
        }
        case JointKind::distance:
        case JointKind::custom:
            break;
    }
    return {};
}

}  // namespace mechane::physics
