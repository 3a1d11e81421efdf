#pragma once
#include "python/module.h"

namespace mechane::python {

/// The live page for a loop of Python's own; after models and contacts.
void bind_live_page(nb::module_& m);

}  // namespace mechane::python
