#pragma once
#include <string>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/simulation/recording.h"

namespace mechane::cli {

/// Whether a file is a recording of Rerun (.rrd).
bool is_rrd(const std::string& file);

/// Meshes, colours and the motion of bodies as a recording of Rerun, which its own Python package writes (PyPI:
/// rerun-sdk), in the interpreter that `python_program` finds. Bodies are entities with the model's labels; times are
/// seconds of the timeline "time".
/// @error RENDER_RRD_PACKAGE  there is no Python, or it lacks rerun-sdk, or writing failed
/// @error FILES_WRITE_FAILED
Result<void> write_rrd(const model::Model& model, const record::Recording& recording, const std::string& file);

}  // namespace mechane::cli
