// What a single layer says of all properties of a prim, read in one go and kept: the usual case of value resolution,
// without a walk over sites.
// It holds for prims of which one layer alone speaks, and without value clips.

#include "usd/lone_opinions.h"

#include <pxr/sdf/listOp.h>
#include <pxr/sdf/schema.h>

#include <algorithm>

#include "usd/layer_storage.h"
#include "usd/sites.h"

namespace mechane::usd {
namespace {

using namespace pxr;

std::uint8_t meaning_of(const TfToken& field)
{
    if (field == SdfFieldKeys->Default) return LoneProperty::default_value;
    if (field == SdfFieldKeys->TimeSamples) return LoneProperty::samples;
    if (field == SdfFieldKeys->Spline) return LoneProperty::spline;
    if (field == SdfFieldKeys->TargetPaths) return LoneProperty::targets;
    if (field == SdfFieldKeys->ConnectionPaths) return LoneProperty::connections;
    if (field == SdfFieldKeys->Custom) return LoneProperty::custom;
    return LoneProperty::nothing;
}

/// What a list makes of nothing: there is no weaker one.
void keep(LoneProperty& property)
{
    property.says |= LoneProperty::kept;
    if (!property.any(LoneProperty::targets)) return;
    SdfPathVector targets;
    if (property.value.IsHolding<SdfPathListOp>())
        property.value.UncheckedGet<SdfPathListOp>().ApplyOperations(&targets);
    property.value = VtValue::Take(targets);
}

LoneOpinions read(const PrimRecord& prim, const TfTokenVector& names)
{
    LoneOpinions           out;
    const SdfLayer&        layer = *prim.sites->GetRootNode().GetLayerStack()->GetLayers()[prim.layer];
    const SdfAbstractData& data  = *LayerStorage::of(layer);
    out.properties.reserve(names.size());
    for (const TfToken& name : names) {
        LoneProperty& property = out.properties.emplace_back();
        property.name          = name;
        const SdfPath path     = unwrap(prim.path).AppendProperty(name);
        for (const TfToken& field : data.List(path)) property.says |= meaning_of(field);
        // An empty table of samples is no opinion.
        if (property.any(LoneProperty::samples) && data.GetNumTimeSamplesForPath(path) == 0)
            property.says &= static_cast<std::uint8_t>(~LoneProperty::samples);
        if (property.any(LoneProperty::custom) && !data.GetAs<bool>(path, SdfFieldKeys->Custom, false))
            property.says &= static_cast<std::uint8_t>(~LoneProperty::custom);
        const TfToken& value = property.any(LoneProperty::targets) ? SdfFieldKeys->TargetPaths : SdfFieldKeys->Default;
        if (!property.any(LoneProperty::targets | LoneProperty::default_value))
            property.type = data.GetSpecType(path);
        else if (data.HasSpecAndField(path, value, &property.value, &property.type))
            keep(property);
    }
    return out;
}

}  // namespace

const LoneProperty* LoneOpinions::find(const TfToken& name) const
{
    const auto at =
        std::find_if(properties.begin(), properties.end(), [&](const LoneProperty& p) { return p.name == name; });
    return at == properties.end() ? nullptr : &*at;
}

const LoneOpinions* lone_opinions(const PrimRecord& prim)
{
    if (!prim.decoded || !prim.property_names.IsHolding<TfTokenVector>()) return nullptr;
    return prim.lone.get([&] { return read(prim, prim.property_names.UncheckedGet<TfTokenVector>()); });
}

}  // namespace mechane::usd
