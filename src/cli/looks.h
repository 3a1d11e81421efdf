#pragma once
#include "cli/io.h"
#include "mechane/model/model.h"

namespace mechane::cli {

/// Says what pictures and pages of a model lack, once a run. Returns it for the exit status.
Diagnostics report_looks(const model::Model& model, const Io& io);

}  // namespace mechane::cli
