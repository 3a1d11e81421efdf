#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "mechane/usd/stage.h"

namespace mechane::python {

namespace nb = nanobind;

/// A prim that keeps its stage alive.
struct StagePrim {
    std::shared_ptr<const usd::Stage> stage;
    usd::Prim                         prim;
};

/// (name of the type, payload): numbers, text, tuples of numbers, NumPy arrays, lists of text; quaternions x y z w.
/// None for no value. The facade makes small values of it.
nb::object to_python(const usd::Value& value);

}  // namespace mechane::python
