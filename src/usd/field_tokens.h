#pragma once
#include <pxr/tf/token.h>

/// Names of fields of specs, as Sdf stores them. Making a token takes a lock and a look-up, so each is made once.
namespace mechane::usd {

inline const pxr::TfToken kActive("active"), kSpecifier("specifier"), kTypeName("typeName"), kApiSchemas("apiSchemas"),
    kChildren("primChildren"), kDefault("default"), kSpline("spline");

/// The type that schema definitions have for prims of no type in particular.
inline const pxr::TfToken kAnyType("__AnyType__");

}  // namespace mechane::usd
