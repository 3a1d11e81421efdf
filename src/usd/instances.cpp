// Instances and what they share: which instance stands for each prototype, and how paths of one instance map to
// another's.
// The first instance in stage order stands for all with an equal key, so that the choice does not depend on threads.

#include "usd/instances.h"

#include <pxr/pcp/instanceKey.h>

#include <unordered_map>

namespace mechane::usd {
namespace {

using namespace pxr;

/// Two instances that OpenUSD takes for equal differ all the same when a mask or load rules treat them differently:
/// then their prims do.
bool same_prims(const Stage::Impl& stage, std::uint32_t a, std::uint32_t b)
{
    const std::uint32_t count = stage.prims[a].subtree_end - a;
    if (stage.prims[b].subtree_end - b != count) return false;
    for (std::uint32_t i = 1; i < count; ++i) {
        const PrimRecord &x = stage.prims[a + i], &y = stage.prims[b + i];
        if (unwrap(x.path).GetNameToken() != unwrap(y.path).GetNameToken() || x.flags != y.flags) return false;
    }
    return true;
}

}  // namespace

Moved to_own(const Stage::Impl& stage, const PrimRecord& prim)
{
    if (prim.shared_below == 0) return {};
    const PrimRecord& instance = stage.prims[prim.shared_below];
    SdfPath           source   = prim.sites->GetPath();
    for (std::uint32_t i = instance.depth; i < prim.depth; ++i) source = source.GetParentPath();
    return {source, unwrap(instance.path)};
}

std::map<std::uint32_t, std::uint32_t> prototype_sources(const Stage::Impl& stage)
{
    std::map<std::uint32_t, std::uint32_t>                                               out;
    std::unordered_map<PcpInstanceKey, std::vector<std::uint32_t>, PcpInstanceKey::Hash> sources;
    for (std::uint32_t i = 0; i < stage.prims.size(); ++i) {
        const PrimRecord& prim = stage.prims[i];
        if ((prim.flags & prim_flag::instance) == 0) continue;
        std::vector<std::uint32_t>& alike = sources[PcpInstanceKey(*prim.sites)];
        std::uint32_t               first = i;
        for (const std::uint32_t source : alike)
            if (same_prims(stage, source, i)) {
                first = source;
                break;
            }
        if (first == i) alike.push_back(i);
        out.emplace(i, first);
    }
    return out;
}

Prim Prim::prototype_source() const
{
    if (!is_instance()) return {};
    const Stage::Impl& stage = stage_->impl();
    std::call_once(stage.prototypes_once, [&] { stage.prototypes = prototype_sources(stage); });
    const auto found = stage.prototypes.find(index_);
    return found == stage.prototypes.end() ? Prim() : Prim(stage_, found->second);
}

}  // namespace mechane::usd
