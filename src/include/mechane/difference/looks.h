#pragma once
#include "mechane/difference/compare.h"
#include "mechane/usd/stage.h"

namespace mechane::difference {

/// Adds to a comparison what two stages show and no simulation feels: whether a shape is seen, its material value by
/// value (pictures by their bytes), the form of its surface, lights and cameras. Shapes are paired by path, then by
/// body and name, then by body and place; lengths are metres and directions have z up. Values with samples are compared
/// at the times of all of them.
/// Shapes without a partner are told unless the comparison tells them as visuals already.
/// @error none: a picture that cannot be read is told by its name
void compare_looks(Comparison& out, const usd::Stage& a, const usd::Stage& b, const CompareOptions& options = {});

}  // namespace mechane::difference
