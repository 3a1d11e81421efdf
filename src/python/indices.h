#pragma once
#include "mechane/model/model.h"

namespace mechane::python {

/// The arrays of a model are open to whoever writes; what works with them follows their indices without asking.
/// @throws nb::value_error   an index names nothing, a type is none; says which and what there is
void check_indices(const model::Model& model);

}  // namespace mechane::python
