#pragma once
#include "import.h"

namespace mechane::importer {

/// A joint seen from its child: which bodies it connects and where its anchor frames lie, in the builder's units. The
/// world is always the parent's side.
struct JointEnds {
    std::int32_t   parent = model::kWorldBody, child = model::kWorldBody;
    physics::Index parent_body = physics::kNone, child_body = physics::kNone;
    Posed          X_P,
        X_C;  ///< anchor in the parent body (in the builder's world when that is the world) and in the child body
    bool  exchanged = false;  ///< body1 is the parent
    /// How far the world's side was from where the body stands, which is taken for it; zero where it is as authored.
    Posed recovered;
};

/// What ties a joint to the world, because each recovers a missing world frame in its own way.
/// `articulation_branch`: a joint of an articulation to the world beside that of its root.
enum class WorldAnchor { articulation_root, articulation_branch, orphan, excluded, equality };

/// @param flipped  take body1 as the parent although both ends are bodies
/// @return nothing when neither end is an imported body
std::optional<JointEnds> joint_ends(const Import& run, const physics::Joint& joint, bool flipped, WorldAnchor anchor,
                                    const usd::Prim& articulation = {});

}  // namespace mechane::importer
