#pragma once
#include <pxr/sdf/predicateLibrary.h>

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// What a predicate of a path expression is asked about: a prim, or one of its properties.
struct PathObject {
    Prim prim;  ///< invalid when the stage has nothing there
    bool property = false;
};

/// The predicates of membership expressions: abstract, defined, active, model, group, kind, specifier, isa, hasAPI,
/// variant.
const pxr::SdfPredicateLibrary<PathObject>& path_predicates();

}  // namespace mechane::usd
