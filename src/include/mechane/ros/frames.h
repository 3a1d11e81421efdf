#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/math/pose.h"
#include "mechane/usd/stage.h"

namespace mechane::ros {

/// Why a prim is a frame of the TF tree.
enum class FrameKind { context, body, explicit_frame };
std::string_view to_string(FrameKind kind);  ///< "context", "body", "frame"

/// One frame that a simulator would broadcast (REP-0158 2.7).
struct Frame {
    std::string  id;  ///< plain name, never with a namespace
    usd::Prim    prim;
    FrameKind    kind   = FrameKind::body;
    std::int32_t parent = -1;  ///< index among the frames; -1: `parent_id` names one from outside
    std::string  parent_id;
    bool         is_static = true;
    std::string  topic;  ///< "/robot_1/tf_static"
    usd::Prim    joint;  ///< the tree joint that hangs it on its parent; invalid without one
    /// Pose in the parent's frame at the default time, scale left out [stage lengths]; a robot's root is given in the
    /// world.
    Posed X_PF;
};

/// The frames of every robot of the stage, parents before children: outermost contexts and those below them, bodies
/// that tree joints connect to a robot's base, and prims with RosFrameAPI. Loose bodies, excluded joints and interfaces
/// make no frames.
///
/// @param found  gets ROS_FRAME_DUPLICATE for each of `clashes`
std::vector<Frame> frames(const usd::Stage& stage, Diagnostics& found);

/// A frame whose id is taken on its robot's topics of transforms.
struct FrameClash {
    std::size_t  frame = 0;   ///< index among the frames
    std::int32_t other = -1;  ///< the one that has the id already, earlier on the stage; -1: the frame from outside that
                              ///< a robot hangs on (`parent_frame`)
};
/// Every clash, in the order of the prims on the stage.
std::vector<FrameClash> clashes(const std::vector<Frame>& frames);

}  // namespace mechane::ros
