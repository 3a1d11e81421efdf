// A short way to compose prims that no arc reaches: what the stage's own layers say, read from their storage without a
// prim index.
// Most prims of a large stage are such; an index for each would be most of the time and memory of opening it.
// Any field that could bring an arc sends the prim to the library instead.

#include "usd/local_prims.h"
#include "usd/field_tokens.h"

#include <pxr/pcp/composeSite.h>
#include <pxr/pcp/layerStack.h>
#include <pxr/sdf/data.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/schema.h>

#include <array>
#include <unordered_set>

#include "usd/layer_storage.h"

namespace mechane::usd {
namespace {

using namespace pxr;

const TfToken kPrimOrder("primOrder"), kProperties("properties");

/// What makes the library index a prim. Clips are here since they are anchored at a node of the prim's own.
const std::array<TfToken, 10> kArcs{TfToken("references"),  TfToken("payload"),         TfToken("inheritPaths"),
                                    TfToken("specializes"), TfToken("variantSetNames"), TfToken("variantSetChildren"),
                                    TfToken("relocates"),   TfToken("permission"),      TfToken("clips"),
                                    TfToken("clipSets")};

/// Each name once, the first time; damaged files repeat them.
void drop_repeated(TfTokenVector& names)
{
    if (names.size() < 2) return;
    std::unordered_set<TfToken, TfToken::HashFunctor> seen;
    seen.reserve(names.size());
    std::erase_if(names, [&](const TfToken& name) { return !seen.insert(name).second; });
}

}  // namespace

LocalPrims::LocalPrims(const PcpPrimIndex& root)
    : root_(root),
      possible_(!root.GetRootNode().GetLayerStack()->HasRelocates()),
      layers_(root.GetRootNode().GetLayerStack()->GetLayers())
{
    for (const SdfLayerRefPtr& layer : layers_) {
        data_.push_back(LayerStorage::of(*layer));
        // Storage that is decoded already can be asked from many threads; a crate's reads from the file.
        decoded_.push_back(dynamic_cast<const SdfData*>(data_.back()) != nullptr);
    }
}

std::optional<Composed> LocalPrims::compose(const SdfPath& prim) const
{
    Composed                    out{.sites = &root_, .nodes = 1, .local = true, .local_below = true};
    bool                        active_said = false, specifier_said = false, ordered = false;
    std::size_t                 with_spec = 0, with_children = 0;
    VtValue                     children, value;
    std::vector<SdfTokenListOp> apis;  // strongest first
    for (std::size_t i = 0; i < data_.size(); ++i) {
        const TfTokenVector fields = data_[i]->List(prim);
        if (fields.empty() && !data_[i]->HasSpec(prim)) continue;
        ++with_spec;
        out.layer   = static_cast<std::uint32_t>(i);
        out.decoded = decoded_[i];
        out.fields  = fields;
        for (const TfToken& field : fields) {
            if (field == kSpecifier) {
                if (!specifier_said && data_[i]->Has(prim, field, &value) && value.IsHolding<SdfSpecifier>() &&
                    // The strongest `def` or `class` counts; an `over` says nothing.
                    SdfIsDefiningSpecifier(value.UncheckedGet<SdfSpecifier>())) {
                    out.specifier =
                        value.UncheckedGet<SdfSpecifier>() == SdfSpecifierDef ? Specifier::def : Specifier::class_;
                    specifier_said = true;
                }
            } else if (field == kProperties) {
                data_[i]->Has(prim, field, &out.property_names);
            } else if (field == kTypeName) {
                if (out.type.IsEmpty() && data_[i]->Has(prim, field, &value) && value.IsHolding<TfToken>() &&
                    value.UncheckedGet<TfToken>() != kAnyType)
                    out.type = value.UncheckedGet<TfToken>();
            } else if (field == kApiSchemas) {
                if (data_[i]->Has(prim, field, &value) && value.IsHolding<SdfTokenListOp>())
                    apis.push_back(value.UncheckedGet<SdfTokenListOp>());
            } else if (field == kChildren) {
                ++with_children;
                data_[i]->Has(prim, field, &children);
            } else if (field == kPrimOrder) {
                ordered = true;
            } else if (field == kActive) {
                if (!active_said && data_[i]->Has(prim, field, &value) && value.IsHolding<bool>()) {
                    out.active  = value.UncheckedGet<bool>();
                    active_said = true;
                }
            } else if (std::find(kArcs.begin(), kArcs.end(), field) != kArcs.end()) {
                return std::nullopt;
            }
        }
    }
    if (with_spec != 1) {
        out.layer          = PrimRecord::kSeveral;
        out.property_names = VtValue();
        out.decoded        = false;
        out.fields.clear();
    }
    for (auto op = apis.rbegin(); op != apis.rend(); ++op) op->ApplyOperations(&out.apis);
    if (out.active && with_children != 0) {
        const TfTokenVector names = child_names(prim, with_children, std::move(children), ordered);
        out.children.reserve(names.size());
        for (const TfToken& name : names)
            if (SdfPath child = prim.AppendChild(name); !child.IsEmpty()) out.children.push_back(std::move(child));
    }
    return out;
}

TfTokenVector LocalPrims::child_names(const SdfPath& prim, std::size_t layers, VtValue of_only_layer,
                                      bool ordered) const
{
    TfTokenVector names;
    if (layers == 1 && !ordered) {
        if (of_only_layer.IsHolding<TfTokenVector>()) of_only_layer.UncheckedSwap(names);
        drop_repeated(names);
        return names;
    }
    // With several layers or an authored order the library's own rule decides.
    PcpTokenSet seen;
    PcpComposeSiteChildNames(layers_, prim, kChildren, &names, &seen, &kPrimOrder);
    return names;
}

}  // namespace mechane::usd
