#pragma once
#include <pxr/pcp/primIndex.h>
#include <pxr/sdf/abstractData.h>
#include <pxr/sdf/layer.h>

#include <optional>
#include <vector>

#include "mechane/usd/stage.h"
#include "usd/sites.h"

namespace mechane::usd {

/// What the layers say about one prim.
struct Composed {
    const pxr::PcpPrimIndex* sites = nullptr;  ///< as PrimRecord's; null when the library gave up, with an error
    pxr::TfToken             type;
    pxr::TfTokenVector       apis;      ///< as authored
    pxr::SdfPathVector       children;  ///< none below an inactive prim
    pxr::VtValue             property_names;
    pxr::TfTokenVector       fields;  ///< as PrimRecord's
    std::size_t              nodes       = 0;
    bool                     decoded     = false;  ///< as PrimRecord's
    std::uint32_t            layer       = PrimRecord::kSeveral;
    Specifier                specifier   = Specifier::over;
    bool                     active      = true;
    bool                     local       = false;
    bool                     clips       = false;
    bool                     local_below = false;  ///< children are local unless arcs are authored on them
};

/// The stage's own layers, read without the library's composition. That is right for a prim on which no layer authors
/// an arc (reference, payload, inherit, specialize, variant set) and above which none is in force, in a layer stack
/// without relocates: its opinions are what these layers say at its path, and nothing else.
class LocalPrims {
  public:
    /// @param root   index of the pseudo-root
    explicit LocalPrims(const pxr::PcpPrimIndex& root);

    /// The prim as the layers say; nothing when it has arcs of its own, or value clips, and the library is to index it.
    /// The prim above it must be local, or have an index of its root node alone. Safe on any thread.
    [[nodiscard]] std::optional<Composed> compose(const pxr::SdfPath& prim) const;
    /// False when the layers relocate prims: nothing is local then.
    [[nodiscard]] bool possible() const { return possible_; }

  private:
    [[nodiscard]] pxr::TfTokenVector child_names(const pxr::SdfPath& prim, std::size_t layers,
                                                 pxr::VtValue of_only_layer, bool ordered) const;

    const pxr::PcpPrimIndex&                 root_;
    bool                                     possible_;
    const pxr::SdfLayerRefPtrVector&         layers_;
    std::vector<const pxr::SdfAbstractData*> data_;     ///< by layer
    std::vector<bool>                        decoded_;  ///< by layer: PrimRecord::decoded
};

}  // namespace mechane::usd
