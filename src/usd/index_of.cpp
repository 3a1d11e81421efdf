// The prim indices of OpenUSD's cache after a stage was opened, one thread at a time. A prim that is local has no arcs
// and gets its index when somebody asks; the others have theirs from composition.

#include <pxr/ar/resolverContextBinder.h>

#include "usd/stage_impl.h"

// The library's cache may not be asked by one thread while another makes it index a prim: whoever may meet index_of
// after opening comes through here.
namespace mechane::usd {

using namespace pxr;

const PcpPrimIndex* index_of(const Stage::Impl& stage, const PrimRecord& prim)
{
    // A prim that is not local got its index when the stage was composed.
    if (!prim.is_local()) return prim.sites;
    const ArResolverContextBinder bind(stage.context);
    const std::scoped_lock        lock(stage.index_mutex);
    PcpErrorVector                none;  // a prim without arcs has nothing that could fail
    return &stage.cache->ComputePrimIndex(unwrap(prim.path), &none);
}

const PcpPrimIndex* find_index(const Stage::Impl& stage, const SdfPath& prim)
{
    const std::scoped_lock lock(stage.index_mutex);
    return stage.cache->FindPrimIndex(prim);
}

SdfLayerHandleSet layers_in_use(const Stage::Impl& stage)
{
    const std::scoped_lock lock(stage.index_mutex);
    return stage.cache->GetUsedLayers();
}

}  // namespace mechane::usd
