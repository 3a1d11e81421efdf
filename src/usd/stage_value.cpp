// Moves a value from where it is authored to the stage: asset paths resolve from their layer, time codes take the layer
// offsets on the way, path expressions follow the arcs.

#include "usd/stage_value.h"

#include <pxr/ar/resolver.h>
#include <pxr/ar/resolverContextBinder.h>
#include <pxr/pcp/expressionVariables.h>
#include <pxr/pcp/layerStack.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/layerUtils.h>
#include <pxr/sdf/pathExpression.h>
#include <pxr/sdf/timeCode.h>
#include <pxr/sdf/types.h>
#include <pxr/sdf/variableExpression.h>
#include <pxr/vt/array.h>
#include <pxr/vt/arrayEdit.h>
#include <pxr/vt/dictionary.h>

#include "usd/expressions.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// An expression in an asset path evaluated; empty when it has no text for its value. Other paths stay.
std::string evaluated(const std::string& authored, const PcpNodeRef& node)
{
    if (!SdfVariableExpression::IsExpression(authored)) return authored;
    return evaluate_text(authored, node.GetLayerStack()->GetExpressionVariables().GetVariables()).value_or("");
}

SdfAssetPath resolved(const Stage::Impl& stage, const OpinionPlace& from, const SdfAssetPath& asset)
{
    const std::string text = evaluated(asset.GetAuthoredPath(), from.node);
    // A pattern names no file; its tiles are looked for when they are asked for.
    if (text.empty() || text.find("<UDIM>") != std::string::npos)
        return SdfAssetPath(SdfAssetPathParams().Authored(asset.GetAuthoredPath()).Evaluated(text));
    const ArResolverContextBinder bind(stage.context);
    const std::string             anchored = SdfComputeAssetPathRelativeToLayer(from.layer, text);
    return SdfAssetPath(SdfAssetPathParams()
                            .Authored(asset.GetAuthoredPath())
                            .Evaluated(text)
                            .Resolved(ArGetResolver().Resolve(anchored).GetPathString()));
}

SdfPathExpression mapped(const Stage::Impl& stage, const PrimRecord& prim, const OpinionPlace& from,
                         const SdfPathExpression& expression)
{
    const SdfPathExpression absolute =
        expression.MakeAbsolute(from.path.GetPrimOrPrimVariantSelectionPath().StripAllVariantSelections());
    const SdfPathExpression on_stage = from.node.GetMapToRoot().Evaluate().MapSourceToTarget(absolute);
    const Moved             moved    = to_own(stage, prim);
    return moved.to.IsEmpty() ? on_stage : on_stage.ReplacePrefix(moved.from, moved.to);
}

template <class T, class Map>
bool mapped_as(VtValue& value, const Map& map)
{
    if (value.IsHolding<T>()) {
        value = VtValue(map(value.UncheckedGet<T>()));
        return true;
    }
    if (value.IsHolding<VtArrayEdit<T>>()) {
        VtArrayEdit<T> edit = value.UncheckedGet<VtArrayEdit<T>>();
        for (T& one : edit.GetMutableLiterals()) one = map(one);
        value = VtValue::Take(edit);
        return true;
    }
    if (!value.IsHolding<VtArray<T>>()) return false;
    VtArray<T> all = value.UncheckedGet<VtArray<T>>();
    for (T& one : all) one = map(one);
    value = VtValue::Take(all);
    return true;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): dictionaries nest no deeper than the guard allowed
void to_stage(const Stage::Impl& stage, const PrimRecord& prim, const OpinionPlace& from, VtValue& value)
{
    if (value.IsHolding<VtDictionary>()) {
        VtDictionary entries;
        value.UncheckedSwap(entries);
        for (auto& [key, entry] : entries) to_stage(stage, prim, from, entry);
        value.UncheckedSwap(entries);
        return;
    }
    if (mapped_as<SdfAssetPath>(value, [&](const SdfAssetPath& asset) { return resolved(stage, from, asset); }))
        return;
    const auto shifted = [&](const SdfTimeCode& time) {
        return from.offset.IsIdentity() ? time : SdfTimeCode(from.offset * time.GetValue());
    };
    if (mapped_as<SdfTimeCode>(value, shifted)) return;
    (void)mapped_as<SdfPathExpression>(
        value, [&](const SdfPathExpression& expression) { return mapped(stage, prim, from, expression); });
}

}  // namespace mechane::usd
