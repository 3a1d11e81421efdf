#pragma once
#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// True of what an instance shows that an earlier instance shows too. Rules that are expensive, or that judge what is
/// authored, judge the first one alone.
inline bool is_copy(const usd::Prim& prim)
{
    if (!prim.is_instance_proxy()) return false;
    for (usd::Prim above = prim.parent(); above; above = above.parent())
        if (above.is_instance())
            if (const usd::Prim source = above.prototype_source(); source && source != above) return true;
    return false;
}

}  // namespace mechane::conformance
