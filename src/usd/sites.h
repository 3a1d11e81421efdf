#pragma once
#include <pxr/pcp/layerStack.h>
#include <pxr/pcp/node.h>
#include <pxr/pcp/primIndex.h>
#include <pxr/sdf/layer.h>

#include <algorithm>
#include <memory>

#include "mechane/usd/stage.h"
#include "usd/handles.h"
#include "usd/lone_opinions.h"
#include "usd/schema_registry.h"

namespace mechane::usd {

namespace prim_flag {
inline constexpr std::uint8_t active = 1, defined = 2, abstract = 4, loaded = 8, instance = 16, proxy = 32;
/// Only the stage's own layers speak about the prim, at its own path: no arc is authored on it or reaches it from
/// above.
inline constexpr std::uint8_t local = 64;
inline constexpr std::uint8_t clips = 128;  ///< value clips are authored on the prim itself
}  // namespace prim_flag

/// One prim of the flat, depth-first array. A subtree is the range [index, subtree_end).
struct PrimRecord {
    static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};

    Path path;
    /// Where its opinions lie. Most prims of most stages are local; they have no index of their own, which is slow to
    /// make, but point to that of the pseudo-root, whose layers are theirs. Read it through for_each_site, or
    /// index_of for the library's own.
    const pxr::PcpPrimIndex*          sites = nullptr;
    std::shared_ptr<const Definition> definition;
    pxr::TfToken                      type_name;
    pxr::TfTokenVector                authored_apis;
    /// Of a local prim that one layer alone speaks about: that layer, the names of its properties there (a
    /// TfTokenVector, or empty) and of its own fields. What is not among them has no opinions. What they say: `lone`.
    std::uint32_t          layer = kSeveral;
    pxr::VtValue           property_names;
    pxr::TfTokenVector     fields;
    MadeOnce<LoneOpinions> lone;
    /// The instance above this prim whose prims share the indexes of another, or 0: `sites` then belongs to the prim at
    /// the same place below that other instance, and paths that the library maps are to be moved over by to_own.
    std::uint32_t shared_below = 0;
    std::uint32_t parent = 0, subtree_end = 0;
    std::uint32_t depth     = 0;
    Specifier     specifier = Specifier::over;
    std::uint8_t  flags     = 0;
    bool          decoded   = false;  ///< `layer` keeps its values as they are read

    [[nodiscard]] bool is_local() const { return (flags & prim_flag::local) != 0; }
};

/// A place where opinions about a prim lie: a node of an index and the prim's path there. Of a local prim the node is
/// the pseudo-root's, so only its layers, offsets and mapping (the identity) are of use, not its path.
struct SiteNode {
    const pxr::PcpNodeRef& node;
    const pxr::SdfPath&    path;
};

/// Calls visit(layer, SiteNode, index of the layer in its stack) for the layers that may hold opinions about a prim,
/// strongest first, until it returns true.
template <class Visit>
bool for_each_site(const pxr::PcpPrimIndex& index, const Visit& visit)
{
    for (const pxr::PcpNodeRef& node : index.GetNodeRange()) {
        if (!node.CanContributeSpecs() || !node.HasSpecs()) continue;
        const auto&         layers = node.GetLayerStack()->GetLayers();
        const pxr::SdfPath& path   = node.GetPath();
        for (std::size_t i = 0; i < layers.size(); ++i) {
            // A node with specs has them in its only layer.
            if (layers.size() > 1 && !layers[i]->HasSpec(path)) continue;
            if (visit(layers[i], SiteNode{node, path}, i)) return true;
        }
    }
    return false;
}

template <class Visit>
bool for_each_site(const PrimRecord& prim, const Visit& visit)
{
    if (prim.sites == nullptr) return false;
    if (!prim.is_local()) return for_each_site(*prim.sites, visit);
    const pxr::PcpNodeRef node   = prim.sites->GetRootNode();
    const auto&           layers = node.GetLayerStack()->GetLayers();
    const pxr::SdfPath&   path   = unwrap(prim.path);
    if (prim.layer != PrimRecord::kSeveral) return visit(layers[prim.layer], SiteNode{node, path}, prim.layer);
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (layers[i]->HasSpec(path) && visit(layers[i], SiteNode{node, path}, i)) return true;
    return false;
}

/// Whether opinions about the property of that name may exist; false is certain.
inline bool may_have_opinions(const PrimRecord& prim, const pxr::TfToken& property)
{
    if (prim.layer == PrimRecord::kSeveral) return true;
    if (!prim.property_names.IsHolding<pxr::TfTokenVector>()) return false;
    const auto& names = prim.property_names.UncheckedGet<pxr::TfTokenVector>();
    return std::find(names.begin(), names.end(), property) != names.end();
}

/// Offset from times of the i-th layer of a node to stage times.
inline pxr::SdfLayerOffset time_offset(const pxr::PcpNodeRef& node, std::size_t layer)
{
    pxr::SdfLayerOffset offset = node.GetMapToRoot().GetTimeOffset();
    if (const pxr::SdfLayerOffset* inner = node.GetLayerStack()->GetLayerOffsetForLayer(layer))
        offset = offset * *inner;
    return offset;
}

}  // namespace mechane::usd
