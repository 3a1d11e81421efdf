#pragma once
#include <vector>

#include "facts.h"
#include "mechane/usd/layer.h"

namespace mechane::conformance {

/// A spec inside a variant that is not selected.
struct VariantSpec {
    const usd::Layer* layer = nullptr;
    usd::Path         path;
    std::string       set;  ///< how paths into any variant of that set begin: "/robot{size="
};
/// What variants that are not selected, of the prim or of what stands above it, say of the prim. It need not be on the
/// stage.
std::vector<VariantSpec> unselected_specs(const Facts& facts, const usd::Path& prim);

/// True when the prim is not on the stage but a variant that is not selected would bring it.
bool in_other_variant(const Facts& facts, const usd::Path& prim);

}  // namespace mechane::conformance
