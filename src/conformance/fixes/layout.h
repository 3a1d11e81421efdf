#pragma once
#include "conformance/fixes/repair.h"

namespace mechane::conformance {

/// P7 and P8: what stands in which layer. They rearrange files, so they run when they are asked for by name.
std::span<const RepairOf> layout_repairs();

}  // namespace mechane::conformance
