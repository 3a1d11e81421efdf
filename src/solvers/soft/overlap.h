#pragma once
#include <cstddef>

#include "mechane/model/model.h"

namespace mechane::solvers::soft {

/// How many pairs of particles of one body (elements hold them together, directly or through others) start nearer to
/// each other than their radii add up to, without two elements between them. Their elements keep them there: they do
/// not push each other.
std::size_t overlapping_at_start(const model::Model& model);

}  // namespace mechane::solvers::soft
