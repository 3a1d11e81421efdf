#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of drawing.
namespace mechane::viewer {

inline constexpr Code kFrameMissing{"RENDER_FRAME_MISSING", Severity::error,
                                    "The recording has no frame of this number.",
                                    "Frames count from 0; a recording of N steps has N + 1."};
inline constexpr Code kPictureSize{"RENDER_SIZE", Severity::error, "A picture cannot have this size.",
                                   "Use a width and a height of 1 to 16384 pixels."};
inline constexpr Code kAnimationName{"RENDER_NAME", Severity::error, "The name of an animation's files is not usable.",
                                     "Use a name ending in .png or .apng, with at most one number such as %04d."};

}  // namespace mechane::viewer
