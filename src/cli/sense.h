#pragma once
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/record/write.h"

namespace mechane::cli {

/// What sensors of contact feel in each frame of a recording. A pattern names bodies or, where none has such a label,
/// shapes; `*` and `?` stand for any characters and for one. "PATTERN=OTHER" feels what OTHER touches alone.
/// @error SOLVER_SENSOR  nothing has such a label
Result<std::vector<record::SensorTrack>> sense(const model::Model& model, const std::vector<std::string>& patterns,
                                               const record::Recording& recording);

/// The same question before there is a recording.
Result<void> try_sense(const model::Model& model, const std::vector<std::string>& patterns);

}  // namespace mechane::cli
