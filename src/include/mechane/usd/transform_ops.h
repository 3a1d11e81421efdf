#pragma once
// The operations of a transform as attributes.

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// The attribute that an entry of `xformOpOrder` names: without the mark of an inverse.
[[nodiscard]] Token attribute_of_op(const Token& op);

/// The time at which the prim's transform is read where no time is asked for: the default time, or the start
/// (start_value.h) where an operation is animated and has no default.
[[nodiscard]] TimeCode start_of_transform(const Prim& prim);

}  // namespace mechane::usd
