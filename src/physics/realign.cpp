// Repairs joints whose two frames disagree: one frame stays, and the other is rewritten to lie where the first is in
// the world.
// Only localPos and localRot of the moved side are authored, into a layer that the caller gives; the stage stays as it
// was.
// `mechane fix` and the editor call it.

#include "mechane/physics/realign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/physics/codes.h"
#include "mechane/physics/parse.h"

namespace mechane::physics {
namespace {

constexpr double kSame = 1e-6;  ///< authored frames are single precision

/// A frame of the world in the space of a prim, as localPos and localRot say it; the world's own without a prim.
std::optional<Posed> seen_from(const usd::Stage& stage, const usd::Path& target, const Posed& X_WF)
{
    if (target.empty()) return X_WF;
    const usd::Matrix4d      world    = stage.world_matrix(stage.prim_at(target));
    const auto               to_local = usd::inverse(world);
    const usd::Decomposition parts    = usd::decompose(world);
    if (!to_local || parts.singular) return std::nullopt;
    // localPos is in the scaled space of the prim, so the whole matrix is inverted; localRot takes its rotation alone.
    return Posed{usd::transform_point(*to_local, X_WF.p), conjugate(parts.rotation) * X_WF.q};
}

}  // namespace

Result<bool> realign_joint_frames(const PhysicsModel& model, Index index, usd::Layer& into, int keep,
                                  Diagnostics& found)
{
    const Joint& joint  = model.joints[static_cast<std::size_t>(index)];
    const auto   refuse = [&](const char* why) {
        found.add(kRealignRefused, joint.prim.site(), fmt::format("<{}>: {}", joint.path.text(), why));
        return false;
    };
    if (!joint.valid) return refuse("the joint is invalid");
    if (joint.prim.is_instance_proxy()) return refuse("it lies inside an instance, which cannot be edited");
    const Posed& X_kept  = keep == 0 ? joint.X_WF0 : joint.X_WF1;
    const Posed& X_moved = keep == 0 ? joint.X_WF1 : joint.X_WF0;
    // Single precision is relative: far from the origin frames agree less.
    const double reach = std::max({1.0, length(X_kept.p), length(X_moved.p)});
    if (length(X_kept.p - X_moved.p) <= kSame * reach &&
        length(to_rotation_vector(conjugate(X_kept.q) * X_moved.q)) <= kSame)
        return false;

    const auto local = seen_from(joint.prim.stage(), keep == 0 ? joint.rel1 : joint.rel0, X_kept);
    if (!local) return refuse("the transform of its other side is singular");
    const char* const side     = keep == 0 ? "1" : "0";
    const usd::Path   position = joint.path.property(usd::Token(std::string("physics:localPos") + side));
    const usd::Path   rotation = joint.path.property(usd::Token(std::string("physics:localRot") + side));
    if (auto set = into.set(position, "point3f", local->p); !set) return set.error();
    if (auto set = into.set(rotation, "quatf", normalized(local->q)); !set) return set.error();
    return true;
}

Result<std::size_t> realign_gaps(const usd::Stage& stage, usd::Layer& into, Diagnostics& found)
{
    // The stage is parsed as by default: the findings name the joints.
    Diagnostics        parsed;
    const PhysicsModel model = parse(stage, {}, parsed);
    std::size_t        count = 0;
    for (const Diagnostic& d : parsed) {
        if (d.id != kJointFrameGap.id) continue;
        const Index joint = model.joint_at(usd::Path(d.site.prim));
        if (joint == kNone) continue;
        const auto written = realign_joint_frames(model, joint, into, 0, found);
        if (!written) return written.error();
        count += *written ? 1 : 0;
    }
    return count;
}

}  // namespace mechane::physics
