#pragma once
#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// True when the prim is not on the stage but a variant that is not selected would bring it.
bool in_other_variant(const usd::Stage& stage, const usd::Path& prim);

}  // namespace mechane::conformance
