#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mechane/model/model.h"
#include "solvers/soft/elements.h"

namespace mechane::solvers::vbd {

/// How far each particle is, at the start, from the nearest one that an element joins it to; 0 without elements [m].
std::vector<double> element_sizes(const model::Model& model);

/// Whether no element has two particles of one group. Groups of a caller's own may leave elements out.
bool are_proper(const std::vector<std::vector<std::int32_t>>& groups, const soft::Elements& elements,
                std::size_t particles);

}  // namespace mechane::solvers::vbd
