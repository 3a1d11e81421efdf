#pragma once
#include "mechane/record/write.h"
#include "mechane/usd/edit.h"

namespace mechane::record {

/// Writes points, velocities and extents of a prim as samples of each frame.
/// @param rate  time codes of the layer per second
/// @param file  of the layer, for findings
void write_points(usd::LayerWriter& layer, const model::Model& model, const Recording& recording,
                  const UsdOptions& options, const PointsPrim& points, double rate, const std::string& file,
                  Diagnostics& found);

/// The time code of a moment; one that is whole but for the rounding of its product is whole.
double code_of(double t, double rate);

}  // namespace mechane::record
