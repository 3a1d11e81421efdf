#pragma once
#include "reader.h"

namespace mechane::physics {

Index add_material(Reader& reader, const usd::Prim& prim, bool outside);
/// The physics material bound to a prim, resolved with inheritance; kNone when there is none or it has no MaterialAPI.
Index bound_physics_material(Reader& reader, const usd::Prim& prim);

}  // namespace mechane::physics
