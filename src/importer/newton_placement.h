#pragma once
#include <span>

#include "shape_frames.h"

namespace mechane::importer {

/// Place and scale of a prim in its body as Newton 1.8 computes them: in single precision, by the inverse of the body's
/// 4 x 4 matrix, whose third row is rounded on the way (Warp's inverse of a matrix of floats). It differs from
/// `placed_scale` by rounding only; models that are to equal Newton's need the same rounding.
/// @param X_WB  of the body, in the builder's world
/// @param X_WS  of the stage (its root moved, where it is) in the builder's world, in the order of multiplication
/// @param m     of the prim, local to stage, row vectors
PlacedScale placed_as_newton(const Posed& X_WB, std::span<const Posed> X_WS, const usd::Matrix4d& m);

}  // namespace mechane::importer
