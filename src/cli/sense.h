#pragma once
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/record/write.h"

namespace mechane::cli {

/// The forces that contact sensors measure in each frame of a recording. A pattern names bodies or, if no body has such
/// a label, shapes; `*` and `?` stand for any characters and for one. "PATTERN=OTHER" counts only what OTHER touches.
/// @error SOLVER_SENSOR  nothing has such a label
Result<std::vector<record::SensorTrack>> sense(const model::Model& model, const std::vector<std::string>& patterns,
                                               const record::Recording& recording);

/// The same question before there is a recording.
Result<void> try_sense(const model::Model& model, const std::vector<std::string>& patterns);

}  // namespace mechane::cli
