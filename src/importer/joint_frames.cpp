// Frames of joints: parent and child, anchors in the builder's units, and what a missing or contradicting world anchor
// means. Anchors are in body axes, on the world's side in the world.

#include "joint_frames.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/physics/anchor_gap.h"

namespace mechane::importer {
namespace {

bool is_identity(const Posed& pose) { return max_component(abs(pose.p)) <= 1e-6 && std::abs(pose.q.w) > 1 - 1e-6; }

Posed root_pose(const Import& run, const usd::Prim& articulation)
{
    const usd::Decomposition root = usd::decompose(run.stage.world_matrix(articulation));
    return run.scaled(Posed{root.translation, root.rotation});
}

/// The world frame of the anchor on the world's side, in the stage's frame and the builder's units.
/// @param recovered  gets JointEnds::recovered
Posed world_anchor(const Import& run, const physics::Joint& joint, bool world_is_first, WorldAnchor anchor,
                   const usd::Prim& articulation, Posed& recovered)
{
    const Posed&     own    = world_is_first ? joint.frame0 : joint.frame1;
    const Posed      X_own  = run.scaled(world_is_first ? joint.X_WF0 : joint.X_WF1);
    const Posed      X_body = run.scaled(world_is_first ? joint.X_WF1 : joint.X_WF0);
    const usd::Path& named  = world_is_first ? joint.frame_body0 : joint.frame_body1;
    if (run.conventions.world_anchors_recovered) {
        switch (anchor) {
            case WorldAnchor::orphan:
            case WorldAnchor::equality:
                return named.empty() ? X_body : run.scaled(own);
            case WorldAnchor::articulation_root:
                return named.empty() && is_identity(own) ? X_body : X_own;
            case WorldAnchor::articulation_branch:
                break;  // joint_ends takes it as it is authored
            case WorldAnchor::excluded:
                return root_pose(run, articulation) * run.scaled(own);
        }
    }
    // Tools often leave the world's side at identity, or relative to some Xform, and mean "where the body stands". An
    // anchor that the authored poses contradict would throw the mechanism across the scene, so the body's side decides
    // then.
    const bool off = physics::anchor_gap(joint, inverse(X_own) * X_body).is_contradiction();
    if (!off || !named.empty()) return X_own;
    recovered = inverse(X_own) * X_body;
    return X_body;
}

}  // namespace

std::optional<JointEnds> joint_ends(const Import& run, const physics::Joint& joint, bool flipped, WorldAnchor anchor,
                                    const usd::Prim& articulation)
{
    const std::int32_t b0 = run.body_index(joint.body0), b1 = run.body_index(joint.body1);
    if (b0 < 0 && b1 < 0) return std::nullopt;
    JointEnds ends;
    // The world is always the parent; a flipped edge of the tree exchanges two bodies.
    ends.exchanged   = b1 < 0 || (flipped && b0 >= 0);
    ends.parent      = ends.exchanged ? b1 : b0;
    ends.child       = ends.exchanged ? b0 : b1;
    ends.parent_body = ends.exchanged ? joint.body1 : joint.body0;
    ends.child_body  = ends.exchanged ? joint.body0 : joint.body1;
    ends.X_C         = run.scaled(ends.exchanged ? joint.frame0 : joint.frame1);
    if (ends.parent >= 0) {
        ends.X_P = run.scaled(ends.exchanged ? joint.frame1 : joint.frame0);
        // Newton puts what it puts before an anchor in the world before one in a body too.
        if (run.conventions.anchors_moved_with_import && anchor == WorldAnchor::orphan) ends.X_P = run.X_WS * ends.X_P;
    } else if (run.conventions.anchors_moved_with_import && anchor == WorldAnchor::articulation_branch) {
        ends.X_P = run.scaled(ends.exchanged ? joint.frame1 : joint.frame0);  // and so in the builder's world
    } else {
        const Posed X_S = world_anchor(run, joint, !ends.exchanged, anchor, articulation, ends.recovered);
        ends.X_P        = run.X_WS * run.root_offset(articulation) * X_S;
    }
    return ends;
}

}  // namespace mechane::importer
