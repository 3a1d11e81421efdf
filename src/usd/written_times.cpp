// Times as layers write them: multiplied when timeCodesPerSecond changes, so that what stood at a second stands there
// still. t' = f t for the codes of the stage, of samples, of splines and of values that are time codes; offsets of arcs
// and sublayers are times, their scales are ratios and stay.
//
// Every change is listed, so that a repair can say what it did.
#include "mechane/usd/written_times.h"

#include <fmt/format.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/timeCode.h>
#include <pxr/ts/knotMap.h>
#include <pxr/ts/spline.h>

#include "usd/layer_impl.h"
#include "usd/place_name.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// Calls `edit` for every item of a list, in whichever part of it that stands; returns what was edited.
template <class ListOp, class Edit>
void edit_items(const SdfLayerRefPtr& layer, const SdfPath& path, const TfToken& key, const Edit& edit)
{
    ListOp op;
    if (!layer->HasField(path, key, &op)) return;
    bool edited = false;
    for (const SdfListOpType kind : {SdfListOpTypeExplicit, SdfListOpTypePrepended, SdfListOpTypeAppended,
                                     SdfListOpTypeAdded, SdfListOpTypeDeleted}) {
        auto items = op.GetItems(kind);
        for (auto& item : items) edited |= edit(item);
        if (!items.empty()) op.SetItems(items, kind);
    }
    // The field is written only where something changed.
    if (edited) layer->SetField(path, key, VtValue(op));
}

/// Time codes among the values of an attribute.
VtValue scaled_codes(const VtValue& value, double factor)
{
    if (value.IsHolding<SdfTimeCode>())
        return VtValue(SdfTimeCode(value.UncheckedGet<SdfTimeCode>().GetValue() * factor));
    if (!value.IsHolding<VtArray<SdfTimeCode>>()) return value;
    auto codes = value.UncheckedGet<VtArray<SdfTimeCode>>();
    for (SdfTimeCode& code : codes) code = SdfTimeCode(code.GetValue() * factor);
    return VtValue(codes);
}

std::string told(const SdfLayerOffset& offset) { return fmt::format("offset {}", offset.GetOffset()); }

// Values of splines in their own precision.
VtValue times(const VtValue& number, double factor)
{
    if (number.IsHolding<double>()) return VtValue(number.UncheckedGet<double>() * factor);
    if (number.IsHolding<float>())
        return VtValue(static_cast<float>(static_cast<double>(number.UncheckedGet<float>()) * factor));
    if (number.IsHolding<GfHalf>())
        return VtValue(GfHalf(static_cast<float>(static_cast<double>(float(number.UncheckedGet<GfHalf>())) * factor)));
    return number;
}

}  // namespace

std::vector<TimeEdit> scale_times(Layer& layer, double factor)
{
    std::vector<TimeEdit> edits;
    if (factor == 1) return edits;
    const SdfLayerRefPtr& sdf  = layer.impl().layer;
    const auto            note = [&](const SdfPath& path, std::string field, std::string before, std::string after) {
        edits.push_back({wrap(path), std::move(field), std::move(before), std::move(after)});
    };
    const auto offset_of = [&](const SdfPath& path, const char* field) {
        // An offset of zero scales to zero.
        return [&note, path, field, factor](auto& item) {
            const SdfLayerOffset was = item.GetLayerOffset();
            if (was.GetOffset() == 0) return false;
            const SdfLayerOffset now(was.GetOffset() * factor, was.GetScale());
            item.SetLayerOffset(now);
            note(path, field, told(was), told(now));
            return true;
        };
    };
    const SdfPath root = SdfPath::AbsoluteRootPath();
    for (const TfToken& key : {SdfFieldKeys->StartTimeCode, SdfFieldKeys->EndTimeCode})
        if (double at = 0; sdf->HasField(root, key, &at)) {
            sdf->SetField(root, key, VtValue(at * factor));
            note(root, key.GetString(), fmt::format("{}", at), fmt::format("{}", at * factor));
        }
    const SdfLayerOffsetVector sublayers = sdf->GetSubLayerOffsets();
    for (std::size_t i = 0; i < sublayers.size(); ++i) {
        if (sublayers[i].GetOffset() == 0) continue;
        const SdfLayerOffset now(sublayers[i].GetOffset() * factor, sublayers[i].GetScale());
        sdf->SetSubLayerOffset(now, static_cast<int>(i));
        note(root, "subLayers", told(sublayers[i]), told(now));
    }
    // Properties of all specs, those in variants too.
    for_each_spec(sdf, root, [&](const SdfPath& path) {
        if (!path.IsPropertyPath()) {
            edit_items<SdfReferenceListOp>(sdf, path, SdfFieldKeys->References, offset_of(path, "references"));
            edit_items<SdfPayloadListOp>(sdf, path, SdfFieldKeys->Payload, offset_of(path, "payload"));
            return;
        }
        if (const VtValue value = sdf->GetField(path, SdfFieldKeys->Default); !value.IsEmpty())
            // Only values that are time codes change.
            if (const VtValue now = scaled_codes(value, factor); now != value) {
                sdf->SetField(path, SdfFieldKeys->Default, now);
                note(path, "default", TfStringify(value), TfStringify(now));
            }
        if (TsSpline spline; sdf->HasField(path, SdfFieldKeys->Spline, &spline)) {
            sdf->SetField(path, SdfFieldKeys->Spline, VtValue(spline.GetTimeScaled(factor, 0)));
            note(path, "spline", "times", fmt::format("times x {}", factor));
        }
        SdfTimeSampleMap samples;
        if (!sdf->HasField(path, SdfFieldKeys->TimeSamples, &samples) || samples.empty()) return;
        SdfTimeSampleMap moved;
        for (const auto& [time, value] : samples) moved[time * factor] = scaled_codes(value, factor);
        sdf->SetField(path, SdfFieldKeys->TimeSamples, VtValue(moved));
        note(path, "timeSamples", fmt::format("{} to {}", samples.begin()->first, samples.rbegin()->first),
             fmt::format("{} to {}", moved.begin()->first, moved.rbegin()->first));
    });
    layer.impl().edited |= !edits.empty();
    return edits;
}

bool has_spline(const Layer& layer, const Path& attribute)
{ return layer.impl().layer->HasField(unwrap(attribute), SdfFieldKeys->Spline); }

bool scale_spline(Layer& layer, const Path& attribute, double factor)
{
    const SdfLayerRefPtr& sdf = layer.impl().layer;
    TsSpline              spline;
    if (!sdf->HasField(unwrap(attribute), SdfFieldKeys->Spline, &spline)) return false;
    // Values of a spline times a factor; its times stay.
    TsKnotMap knots;
    for (TsKnot knot : spline.GetKnots()) {
        VtValue value;
        if (knot.GetValue(&value)) knot.SetValue(times(value, factor));
        if (knot.IsDualValued() && knot.GetPreValue(&value)) knot.SetPreValue(times(value, factor));
        if (knot.GetPreTanSlope(&value)) knot.SetPreTanSlope(times(value, factor));
        if (knot.GetPostTanSlope(&value)) knot.SetPostTanSlope(times(value, factor));
        knots.insert(knot);
    }
    auto before = spline.GetPreExtrapolation(), after = spline.GetPostExtrapolation();
    // Slopes and offsets are values over time or values: all grow with the values, while times stay.
    before.slope *= factor;
    after.slope *= factor;
    if (spline.HasInnerLoops()) {
        TsLoopParams loops = spline.GetInnerLoopParams();
        loops.valueOffset *= factor;
        spline.SetInnerLoopParams(loops);
    }
    spline.SetPreExtrapolation(before);
    spline.SetPostExtrapolation(after);
    spline.SetKnots(knots);
    sdf->SetField(unwrap(attribute), SdfFieldKeys->Spline, VtValue(spline));
    layer.impl().edited = true;
    return true;
}

std::vector<TimedPlace> timed_places(const Prim& prim, const Token& property)
{
    std::vector<TimedPlace> out;
    if (!prim) return out;
    for_each_site(prim.stage().impl().record(prim), [&](const SdfLayerRefPtr& layer, const SiteNode& at,
                                                        std::size_t i) {
        const SdfPath path = property.empty() ? at.path : at.path.AppendProperty(unwrap(property));
        if (!layer->HasSpec(path)) return false;
        // From the layer's times to those of the stage, over all arcs on the way.
        const SdfLayerOffset offset = time_offset(at.node, i);
        out.push_back({{file_of_layer(prim.stage().impl(), layer), wrap(path)}, offset.GetOffset(), offset.GetScale()});
        return false;
    });
    return out;
}

}  // namespace mechane::usd
