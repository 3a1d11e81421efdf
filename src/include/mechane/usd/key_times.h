#pragma once
// What is animated on a stage, and when: time samples, splines and value clips alike.

#include <optional>
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// Times of the samples that decide the attribute's values, or of the knots of the spline that does, ascending [time
/// codes]. Loops of a spline are unrolled. Where it runs on beyond its knots, the ends of an authored time range count
/// too. Between two times a spline may curve.
[[nodiscard]] std::vector<double> key_times(const Attribute& attribute);

/// Whether anything on the stage may vary over time: by time samples, value clips or a spline.
[[nodiscard]] bool has_animation(const Stage& stage);

/// What is authored at `start_of` (start_value.h), without the schema's fallback.
[[nodiscard]] Value start_authored(const Attribute& attribute);
template <class T>
[[nodiscard]] std::optional<T> start_authored_as(const Attribute& attribute)
{ return start_authored(attribute).template get<T>(); }

}  // namespace mechane::usd
