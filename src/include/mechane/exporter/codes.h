#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::exporter {

// clang-format off
inline constexpr Code kEmpty{"EXPORT_EMPTY", Severity::error, "The stage holds nothing that the format could say.", "Convert a stage with bodies or shapes."};
inline constexpr Code kTooLarge{"EXPORT_TOO_LARGE", Severity::error, "The result is larger than the format can be.", "Convert parts of the stage, or leave prims out."};
inline constexpr Code kFormatUnknown{"EXPORT_FORMAT_UNKNOWN", Severity::error, "Nothing is written in a format of this name.", "Formats by extension: a folder, .usda .usdc .usd .usdz, .urdf .sdf .world .xml .mjcf .gltf .glb."};
inline constexpr Code kLoss{"EXPORT_LOSS", Severity::error, "The result would not say all that the input says, and was to say all.", "Convert without `strict`, and look at the losses."};
inline constexpr Code kNameIdle{"EXPORT_NAME", Severity::error, "A name is given to OpenUSD that stays OpenUSD, or becomes glTF, and would have no effect: its default prim keeps its own.", "Rename the default prim in the stage."};
inline constexpr Code kOption{"EXPORT_OPTION", Severity::error, "An option of a conversion has a value that it cannot have there.", "See the message."};
inline constexpr Code kVerify{"EXPORT_VERIFY", Severity::error, "What verifies a conversion compares robots; glTF holds scenes without bodies and joints.", "Convert without verifying; `mechane diff` compares two scenes."};
// clang-format on

}  // namespace mechane::exporter
