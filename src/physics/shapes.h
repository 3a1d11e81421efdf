#pragma once
#include "reader.h"

namespace mechane::physics {

/// Sets kind and custom token; false when the prim is no shape that we know.
bool shape_kind_of(const Record& record, Collider& collider);
/// Sizes with scale (usd-physics 6.4). Marks the collider invalid when it has no usable size.
void read_shape(const Reader& reader, const Record& record, Collider& collider);

}  // namespace mechane::physics
