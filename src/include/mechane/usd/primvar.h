#pragma once
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// The primvar `name` (without "primvars:") that a prim sees: its own authored one, whatever its interpolation, else
/// the constant one of the nearest prim above that has an authored value. A primvar above that is not constant, or the
/// prim's own that is blocked, ends the search. Invalid when there is none.
Attribute find_primvar(const Prim& prim, const std::string& name);

/// "constant" unless authored.
std::string primvar_interpolation(const Attribute& primvar);

/// How many elements a primvar of this interpolation needs on a mesh: constant 1, uniform one a face, vertex and
/// varying one a point, faceVarying one a corner; elementSize values each. Unknown interpolations give 0.
std::size_t primvar_element_count(const Prim& mesh, const std::string& interpolation);

/// Values of a primvar with its indices applied. Without indices they are as authored. An index out of range leaves a
/// default value there and posts PRIMVAR_INDEX_RANGE once. `elementSize` values belong to one index.
/// T: double, int, std::string, Token, Vec2d, Vec3d, Quatd, Matrix4d.
template <class T>
std::vector<T> flattened_primvar(const Attribute& primvar, Diagnostics& found, TimeCode time = {});

}  // namespace mechane::usd
