#pragma once
#include "conformance/fixes/repair.h"

namespace mechane::conformance {

/// P7 and P8: a vendor's words and parts of the asset into layers of their own.
std::span<const RepairOf> layout_repairs();

// Of assets of several layers (layers.cpp): large arrays of a text layer, content of the entry.
void store_heavy(Repair& repair, const Finding& finding);
void lighten_entry(Repair& repair, const Finding& finding);

}  // namespace mechane::conformance
