// Flattens the root layer's stack into one layer; references, payloads and variants stay as they are.
// Layers are merged from the weakest to the strongest; list operations that cannot be joined into one keep the stronger
// opinion.
// Times are those of the root layer, and asset paths are anchored to where they were authored.

#include <pxr/ar/resolverContextBinder.h>
#include <pxr/sdf/attributeSpec.h>
#include <pxr/sdf/layerUtils.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/path.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/relationshipSpec.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/timeCode.h>
#include <pxr/sdf/types.h>
#include <pxr/ts/spline.h>
#include <pxr/vt/dictionary.h>
#include <pxr/vt/valueComposeOver.h>

#include <algorithm>

#include "mechane/usd/flatten.h"
#include "usd/layer_impl.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// Operations that do not combine as they stand: "add" appends what is not there, "reorder" is left out.
template <class ListOp>
ListOp without_old_forms(ListOp op)
{
    if (op.IsExplicit()) return op;
    // "add" of older files: at the end, if it is not there.
    auto appended = op.GetAppendedItems();
    for (const auto& item : op.GetAddedItems())
        if (std::find(appended.begin(), appended.end(), item) == appended.end()) appended.push_back(item);
    op.SetAppendedItems(appended);
    op.SetAddedItems({});
    op.SetOrderedItems({});
    return op;
}

template <class ListOp>
bool combine_lists(const VtValue& strong, const VtValue& weak, VtValue& out)
{
    if (!strong.IsHolding<ListOp>() || !weak.IsHolding<ListOp>()) return false;
    // The stronger list applied to the weaker one.
    const ListOp &a = strong.UncheckedGet<ListOp>(), &b = weak.UncheckedGet<ListOp>();
    auto          both = a.ApplyOperations(b);
    // Two lists may have no common form; without the old operations most have.
    if (!both) both = without_old_forms(a).ApplyOperations(without_old_forms(b));
    out = VtValue(both ? *both : a);
    return true;
}

/// A stronger opinion about a field over a weaker one.
VtValue combine(const TfToken& field, const VtValue& strong, const VtValue& weak)
{
    // An over says nothing about what kind of prim it is.
    if (field == SdfFieldKeys->Specifier && strong == SdfSpecifierOver) return weak;
    if (field == SdfFieldKeys->TypeName && strong.IsHolding<TfToken>() && strong.UncheckedGet<TfToken>().IsEmpty())
        return weak;
    // Custom anywhere means custom.
    if (field == SdfFieldKeys->Custom) return VtValue(strong.GetWithDefault<bool>() || weak.GetWithDefault<bool>());
    if (field == SdfFieldKeys->Variability) return weak;  // the weakest opinion counts
    if (strong.IsHolding<VtDictionary>() && weak.IsHolding<VtDictionary>())
        return VtValue(
            VtDictionaryOverRecursive(strong.UncheckedGet<VtDictionary>(), weak.UncheckedGet<VtDictionary>()));
    if (strong.IsHolding<SdfVariantSelectionMap>() && weak.IsHolding<SdfVariantSelectionMap>()) {
        SdfVariantSelectionMap both = strong.UncheckedGet<SdfVariantSelectionMap>();
        both.insert(weak.UncheckedGet<SdfVariantSelectionMap>().begin(),
                    weak.UncheckedGet<SdfVariantSelectionMap>().end());
        return VtValue(both);
    }
    if (strong.IsHolding<SdfRelocates>() && weak.IsHolding<SdfRelocates>()) {
        SdfRelocates both = strong.UncheckedGet<SdfRelocates>();
        // Of two relocates of one source the stronger layer's counts.
        for (const SdfRelocate& relocate : weak.UncheckedGet<SdfRelocates>())
            if (std::none_of(both.begin(), both.end(), [&](const SdfRelocate& r) { return r.first == relocate.first; }))
                both.push_back(relocate);
        return VtValue(both);
    }
    // Edits of arrays and path expressions.
    if (field == SdfFieldKeys->Default)
        if (auto composed = VtValueTryComposeOver(strong, weak)) return *std::move(composed);
    VtValue out;
    if (combine_lists<SdfTokenListOp>(strong, weak, out) || combine_lists<SdfStringListOp>(strong, weak, out) ||
        combine_lists<SdfPathListOp>(strong, weak, out) || combine_lists<SdfReferenceListOp>(strong, weak, out) ||
        combine_lists<SdfPayloadListOp>(strong, weak, out) || combine_lists<SdfIntListOp>(strong, weak, out) ||
        combine_lists<SdfInt64ListOp>(strong, weak, out) || combine_lists<SdfUIntListOp>(strong, weak, out) ||
        combine_lists<SdfUInt64ListOp>(strong, weak, out))
        return out;
    return strong;
}

/// Arcs carry an offset that counts in the times of their layer.
template <class ListOp, class Item>
VtValue shift_arcs(const VtValue& value, const SdfLayerOffset& offset)
{
    ListOp op = value.UncheckedGet<ListOp>();
    op.ModifyOperations([&](const Item& item) {
        Item now = item;
        now.SetLayerOffset(offset * item.GetLayerOffset());
        return std::optional<Item>(now);
    });
    return VtValue(op);
}

/// A field's value with its times as the root layer counts them.
VtValue shift(const VtValue& value, const SdfLayerOffset& offset)
{
    // Most layers have no offset.
    if (offset.IsIdentity()) return value;
    if (value.IsHolding<SdfTimeCode>())
        return VtValue(SdfTimeCode(offset * value.UncheckedGet<SdfTimeCode>().GetValue()));
    if (value.IsHolding<VtArray<SdfTimeCode>>()) {
        VtArray<SdfTimeCode> times = value.UncheckedGet<VtArray<SdfTimeCode>>();
        for (SdfTimeCode& time : times) time = SdfTimeCode(offset * time.GetValue());
        return VtValue(times);
    }
    if (value.IsHolding<SdfTimeSampleMap>()) {
        SdfTimeSampleMap out;
        for (const auto& [time, sample] : value.UncheckedGet<SdfTimeSampleMap>()) {
            // A sample's time moves; its value only where it is a time itself.
            const bool codes   = sample.IsHolding<SdfTimeCode>() || sample.IsHolding<VtArray<SdfTimeCode>>();
            out[offset * time] = codes ? shift(sample, offset) : sample;
        }
        return VtValue(out);
    }
    if (value.IsHolding<TsSpline>())
        return VtValue(value.UncheckedGet<TsSpline>().GetTimeScaled(offset.GetScale(), offset.GetOffset()));
    if (value.IsHolding<SdfReferenceListOp>()) return shift_arcs<SdfReferenceListOp, SdfReference>(value, offset);
    if (value.IsHolding<SdfPayloadListOp>()) return shift_arcs<SdfPayloadListOp, SdfPayload>(value, offset);
    return value;
}

/// Lays a layer over what weaker ones have left.
class Merge {
  public:
    Merge(Layer::Impl& out, SdfLayerRefPtr layer, bool root, const SdfLayerOffset& offset)
        : out_(out), layer_(std::move(layer)), root_(root), offset_(offset)
    {
    }

    void run()
    {
        for_each_spec(layer_, SdfPath::AbsoluteRootPath(), [&](const SdfPath& path) {
            if (!path.IsPropertyPath() && path != SdfPath::AbsoluteRootPath())
                // Every spec is made, even one without fields: an over is an opinion about existence.
                out_.ensure_prim(path);
            else if (path.IsPropertyPath())
                make_property(path);
            hide_values(path);
            for (const TfToken& field : layer_->ListFields(path)) merge(path, field);
        });
    }

  private:
    void make_property(const SdfPath& path)
    {
        if (out_.layer->HasSpec(path)) return;
        const SdfPrimSpecHandle owner = out_.ensure_prim(path.GetParentPath());
        if (layer_->GetSpecType(path) == SdfSpecTypeRelationship) {
            SdfRelationshipSpec::New(owner, path.GetName(), false);
        } else {
            const auto type = layer_->GetFieldAs<TfToken>(path, SdfFieldKeys->TypeName);
            SdfAttributeSpec::New(owner, path.GetName(), SdfSchema::GetInstance().FindOrCreateType(type),
                                  layer_->GetFieldAs<SdfVariability>(path, SdfFieldKeys->Variability));
        }
    }

    /// A stronger default, or stronger samples, end what weaker layers say over time; their default stays readable at
    /// the default time below samples.
    void hide_values(const SdfPath& path)
    {
        if (!path.IsPropertyPath() ||
            !(layer_->HasField(path, SdfFieldKeys->Default) || layer_->HasField(path, SdfFieldKeys->TimeSamples) ||
              layer_->HasField(path, SdfFieldKeys->Spline)))
            return;
        out_.layer->EraseField(path, SdfFieldKeys->TimeSamples);
        out_.layer->EraseField(path, SdfFieldKeys->Spline);
    }

    void merge(const SdfPath& path, const TfToken& field)
    {
        // Children are made one by one, not copied as a list.
        if (SdfSchema::GetInstance().HoldsChildren(field)) return;
        const bool at_root = path == SdfPath::AbsoluteRootPath();
        // There are no sublayers any more.
        if (field == SdfFieldKeys->SubLayers || field == SdfFieldKeys->SubLayerOffsets) return;
        // Of a sublayer's own metadata only what takes part in composition counts.
        if (at_root && !root_ && field != SdfFieldKeys->LayerRelocates && field != SdfFieldKeys->PrimOrder) return;
        const VtValue strong = shift(layer_->GetField(path, field), offset_);
        VtValue       weak   = out_.layer->GetField(path, field);
        // An animation block with nothing stronger below hides nothing here.
        if (strong.IsHolding<SdfAnimationBlock>() && !weak.IsEmpty()) return;
        out_.layer->SetField(path, field, weak.IsEmpty() ? strong : combine(field, strong, weak));
    }

    Layer::Impl&          out_;
    SdfLayerRefPtr        layer_;
    bool                  root_;
    const SdfLayerOffset& offset_;
};

}  // namespace

Layer flatten_layer_stack(const Stage& stage)
{
    const Stage::Impl&            impl = stage.impl();
    const ArResolverContextBinder bind(impl.context);
    Layer                         out;
    const auto&                   stack  = impl.cache->GetLayerStack();
    const auto&                   layers = stack->GetLayers();
    std::size_t                   first  = 0;  // the session's layers come before the root
    while (first < layers.size() && get_pointer(layers[first]) != get_pointer(impl.root)) ++first;
    // From the weakest to the strongest.
    for (std::size_t i = layers.size(); i-- > first;) {
        // Each layer is copied, since asset paths in it are rewritten.
        const SdfLayerRefPtr copy = SdfLayer::CreateAnonymous("anchored.usda");
        copy->TransferContent(layers[i]);
        rewrite_assets(copy,
                       [&](const std::string& path) { return SdfComputeAssetPathRelativeToLayer(layers[i], path); });
        const SdfLayerOffset* offset = stack->GetLayerOffsetForLayer(i);
        Merge(out.impl(), copy, i == first, offset == nullptr ? SdfLayerOffset() : *offset).run();
    }
    out.impl().edited = true;
    return out;
}

}  // namespace mechane::usd
