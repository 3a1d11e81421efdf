#pragma once
#include <string>
#include <vector>

#include "mechane/usd/layer.h"

namespace mechane::usd {

/// A time or a value that was rewritten.
struct TimeEdit {
    Path        path{};
    std::string field{}, before{}, after{};
};
/// Multiplies every time [time codes] that a layer states: samples, knots of splines, values that are time codes, the
/// start and end of the stage, and the offsets of its sublayers, references and payloads. The scales of those stay, and
/// so does what value clips say.
/// @param factor  positive
std::vector<TimeEdit> scale_times(Layer& layer, double factor);

/// Whether the attribute has a spline in this layer.
bool has_spline(const Layer& layer, const Path& attribute);
/// Multiplies the values of its spline, and slopes with them.
/// @return whether there is a spline of numbers
bool scale_spline(Layer& layer, const Path& attribute, double factor);

/// A place that has an opinion, with how its times lie on the stage: stage time = offset + scale x time of the layer.
/// Layers of other timeCodesPerSecond are mapped by this too.
struct TimedPlace {
    SpecPlace place;
    double    offset = 0, scale = 1;
};
/// As `spec_places`.
std::vector<TimedPlace> timed_places(const Prim& prim, const Token& property = {});

}  // namespace mechane::usd
