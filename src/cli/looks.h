#pragma once
#include "cli/io.h"
#include "mechane/model/model.h"

namespace mechane::cli {

/// Reports once a run what pictures and pages do not show of a model. Returns the findings for the exit status.
Diagnostics report_looks(const model::Model& model, const Io& io);

}  // namespace mechane::cli
