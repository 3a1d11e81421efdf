#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "mechane/resolve/resolver.h"
#include "mechane/usd/stage.h"

namespace mechane::python {

namespace nb = nanobind;

/// What went wrong in code of the user's that a table called: kept until the library has returned.
struct Callbacks {
    PyObject* error                        = nullptr;  ///< owned; the first exception
    Callbacks()                            = default;
    Callbacks(const Callbacks&)            = delete;
    Callbacks& operator=(const Callbacks&) = delete;
    ~Callbacks();
    /// Throws what was kept; needs the interpreter's lock.
    void raise();
};

/// Tables from the facade's specifications: dicts of `name`, `namespaces` and `rows`, each row (key, attributes,
/// fallback or None, function of a prim or None). A function's answer is final: in SI and radians.
std::vector<resolve::Resolver> resolvers_from(nb::handle specifications, std::shared_ptr<const usd::Stage> stage,
                                              const std::shared_ptr<Callbacks>& calls);

}  // namespace mechane::python
