// Counts the sites that a prim's arcs would compose, before OpenUSD does it.
// Inherits and references within a layer that name each other in turn double with every step: forty lines of text can
// ask for more sites than there is memory.
// The opening of a stage asks for the count and refuses what is beyond its limit.

#include "usd/arc_count.h"

#include <pxr/pcp/cache.h>
#include <pxr/pcp/layerStack.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/schema.h>

#include <algorithm>
#include <vector>

namespace mechane::usd {

using namespace pxr;

namespace {

void add_paths(const SdfLayerRefPtr& layer, const SdfPath& prim, const TfToken& field, SdfPathVector& out)
{
    SdfPathListOp list;
    if (layer->HasField(prim, field, &list))
        for (const SdfPath& path : list.GetAppliedItems()) out.push_back(path.MakeAbsolutePath(prim));
}

template <class ListOp>
void add_internal(const SdfLayerRefPtr& layer, const SdfPath& prim, const TfToken& field, SdfPathVector& out)
{
    ListOp list;
    if (layer->HasField(prim, field, &list))
        for (const auto& arc : list.GetAppliedItems())
            if (arc.GetAssetPath().empty() && !arc.GetPrimPath().IsEmpty()) out.push_back(arc.GetPrimPath());
}

}  // namespace

SdfPathVector ArcCount::targets(const SdfPath& prim) const
{
    SdfPathVector             out;
    const PcpLayerStackRefPtr stack = stage_.cache->GetLayerStack();
    if (!stack) return out;
    // Only arcs within the layer stack can double in this way; other files have counts of their own.
    for (const SdfLayerRefPtr& layer : stack->GetLayers()) {
        if (!layer->HasSpec(prim)) continue;
        add_paths(layer, prim, SdfFieldKeys->InheritPaths, out);
        add_paths(layer, prim, SdfFieldKeys->Specializes, out);
        add_internal<SdfReferenceListOp>(layer, prim, SdfFieldKeys->References, out);
        add_internal<SdfPayloadListOp>(layer, prim, SdfFieldKeys->Payload, out);
    }
    return out;
}

std::size_t ArcCount::count(const SdfPath& prim, std::size_t enough)
{
    struct Open {
        SdfPath       prim;
        SdfPathVector below;  ///< what its arcs lead to, and the prim above it, whose arcs reach it too
        std::size_t   next = 0, count = 1;
    };
    std::vector<Open> stack;  // iterative: a chain may be as long as a file
    const auto        open = [&](const SdfPath& path) {
        known_.emplace(path, 1);  // an arc in a circle is an error that composition tells of
        Open fresh{path, path.IsAbsoluteRootPath() ? SdfPathVector() : targets(path)};
        if (const SdfPath above = path.GetParentPath(); !above.IsEmpty() && !above.IsAbsoluteRootPath())
            fresh.below.push_back(above);
        stack.push_back(std::move(fresh));
    };
    if (!known_.contains(prim)) open(prim);
    while (!stack.empty()) {
        Open& top = stack.back();
        // Beyond `enough` the exact number is of no use, and would overflow.
        if (top.next < top.below.size() && top.count <= enough) {
            const SdfPath below = top.below[top.next];
            if (!known_.contains(below)) {
                open(below);
                continue;
            }
            // What stands above brings its arcs' sites, not itself.
            const bool above = top.prim.GetParentPath() == below;
            top.count += known_[below] - (above ? 1 : 0);
            ++top.next;
            continue;
        }
        known_[top.prim] = std::min(top.count, enough + 1);
        stack.pop_back();
    }
    return known_[prim];
}

}  // namespace mechane::usd
