// What instances show: which of them is the first, and which repeat it.
// Input: prims and paths of a stage. Called by rules, by the report, and by repairs that edit what instances share.

#include "conformance/instance_copies.h"

namespace mechane::conformance {

bool is_copy(const usd::Prim& prim)
{
    if (!prim.is_instance_proxy()) return false;
    for (usd::Prim above = prim.parent(); above; above = above.parent())
        if (above.is_instance())
            if (const usd::Prim source = above.prototype_source(); source && source != above) return true;
    return false;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as instances lie in instances
std::string first_shown(const usd::Stage& stage, const std::string& path)
{
    const usd::Prim prim = path.empty() ? usd::Prim() : stage.prim_at(usd::Path(path));
    if (!prim || !prim.is_instance_proxy()) return path;
    for (usd::Prim above = prim.parent(); above; above = above.parent()) {
        const usd::Prim source = above.is_instance() ? above.prototype_source() : usd::Prim();
        if (!source) continue;
        const std::string rest = path.substr(above.path().text().size());
        if (source != above) return first_shown(stage, source.path().text() + rest);
        // An instance in an instance: the outer one may be a copy too.
        return above.is_instance_proxy() ? first_shown(stage, above.path().text()) + rest : path;
    }
    return path;
}

}  // namespace mechane::conformance
