// The one Xform that holds everything below a prim. A rotation of the default prim is handed past it (REP-1.1-l).
// Called by Placement and the rule.

#include "conformance/root_content.h"

namespace mechane::conformance {

const PrimFacts* only_content(const Facts& facts, const PrimFacts& above)
{
    const PrimFacts* found = nullptr;
    for (std::int32_t i = facts.index_of(above) + 1; i < above.end; i = facts.prims[static_cast<std::size_t>(i)].end) {
        const PrimFacts& child = facts.prims[static_cast<std::size_t>(i)];
        if (!child.is(kGprim | kPointInstancer | kBody) && !child.above_gprim && !child.above_body) continue;
        if (found != nullptr) return nullptr;
        found = &child;
    }
    return found != nullptr && found->is(kXform) && !found->is(kBody | kFrame) ? found : nullptr;
}

}  // namespace mechane::conformance
