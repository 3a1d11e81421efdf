// The layers of a stage and what they hold: for listings, reductions and differences between stages.
// The root comes first, the others follow by name, as the library's set has no order.

#include "mechane/usd/stage_layers.h"

#include <pxr/ar/packageUtils.h>
#include <pxr/pcp/expressionVariables.h>
#include <pxr/pcp/node.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/types.h>
#include <pxr/sdf/variableExpression.h>
#include <pxr/vt/value.h>

#include <algorithm>
#include <map>
#include <set>

#include "mechane/usd/selection_expressions.h"
#include "usd/expressions.h"
#include "usd/layer_impl.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

constexpr std::string_view kCrateMark = "PXR-USDC";

StageLayer view(const Stage::Impl& stage, const SdfLayerRefPtr& layer)
{
    StageLayer out{.name = shown(stage, layer), .file = layer->GetRealPath(), .packaged = {}, .layer = {}};
    out.packaged         = packaged_file(out.file);
    const bool        in = !out.packaged.package.empty();
    const std::string at = in ? ArJoinPackageRelativePath(out.packaged.package, out.packaged.inner) : out.file;
    out.binary           = first_bytes(at, kCrateMark.size()) == kCrateMark;
    auto shared          = std::make_shared<Layer>();
    shared->impl().layer = layer;
    shared->impl().file  = out.name;
    out.layer            = std::move(shared);
    return out;
}

}  // namespace

std::vector<StageLayer> layers_of(const Stage& stage)
{
    const Stage::Impl&      impl = stage.impl();
    std::vector<StageLayer> out;
    for (const SdfLayerHandle& used : layers_in_use(impl)) {
        const SdfLayerRefPtr layer(used);
        if (get_pointer(layer) == get_pointer(impl.root) || get_pointer(layer) == get_pointer(impl.session)) continue;
        out.push_back(view(impl, layer));
    }
    std::sort(out.begin(), out.end(), [](const StageLayer& a, const StageLayer& b) { return a.name < b.name; });
    out.insert(out.begin(), view(impl, impl.root));
    return out;
}

bool has_time_samples(const Stage& stage)
{
    // Clips bring samples from layers that are opened when they are asked for, and that the stage does not list.
    if (!stage.impl().clips.empty()) return true;
    const SdfLayerHandleSet used = layers_in_use(stage.impl());
    return std::any_of(used.begin(), used.end(),
                       [](const SdfLayerHandle& layer) { return !layer->ListAllTimeSamples().empty(); });
}

bool has_payloads(const Stage& stage)
{
    const auto& prims = stage.impl().prims;
    return std::any_of(prims.begin(), prims.end(), [](const PrimRecord& prim) {
        // Prims without arcs have no index of composition, and no payload.
        return !prim.is_local() && prim.sites != nullptr && prim.sites->HasAnyPayloads();
    });
}

std::vector<ArcPlace> arc_places(const Prim& prim, const Token& property)
{
    std::vector<ArcPlace> out;
    if (!prim) return out;
    const Stage::Impl& impl   = prim.stage().impl();
    const PrimRecord&  record = impl.record(prim);
    for_each_site(record, [&](const SdfLayerRefPtr& layer, const SiteNode& site, std::size_t) {
        const SdfPath path = property.empty() ? site.path : site.path.AppendProperty(unwrap(property));
        if (!layer->HasSpec(path)) return false;
        ArcPlace place{.layer = shown(impl, layer), .path = wrap(path), .payload_at = {}, .payload_layer = {}};
        // From the site up to the root of composition: any payload on the way brings it in.
        for (PcpNodeRef at = site.node; at && at.GetArcType() != PcpArcTypeRoot; at = at.GetParentNode()) {
            place.by_class |= PcpIsClassBasedArc(at.GetArcType());
            if (at.GetArcType() != PcpArcTypePayload) continue;
            place.payload              = true;
            place.payload_at           = wrap(at.GetIntroPath().StripAllVariantSelections());
            const SdfLayerRefPtr& root = at.GetParentNode().GetLayerStack()->GetIdentifier().rootLayer;
            place.payload_layer        = shown(impl, root);
        }
        out.push_back(std::move(place));
        return false;
    });
    return out;
}

bool is_built_in(const Prim& prim, const Token& property)
{
    if (!prim) return false;
    const PrimRecord& record = prim.stage().impl().record(prim);
    return record.definition->properties.contains(unwrap(property));
}

/// An expression selects what it evaluates to with the variables of the layers that author it and of those that bring
/// them in. One in error selects nothing.
static std::string evaluated_selection(const std::string& authored, const PcpNodeRef& node)
{
    if (!SdfVariableExpression::IsExpression(authored)) return authored;
    return evaluate_text(authored, node.GetLayerStack()->GetExpressionVariables().GetVariables()).value_or("");
}

std::vector<VariantSetUse> variant_sets(const Prim& prim)
{
    std::map<std::string, VariantSetUse> found;
    if (!prim) return {};
    const Stage::Impl& impl   = prim.stage().impl();
    const PrimRecord&  record = impl.record(prim);
    if (record.is_local()) return {};
    std::set<std::string> left_out;  // sets whose selection a stronger layer has given already
    for_each_site(record, [&](const SdfLayerRefPtr& layer, const SiteNode& site, std::size_t) {
        const SdfPath& path = site.path;
        for (const TfToken& set : child_names(layer, path, SdfChildrenKeys->VariantSetChildren)) {
            VariantSetUse& use = found[set.GetString()];
            if (use.name.empty()) use.place = {shown(impl, layer), wrap(path)};
            use.name             = set.GetString();
            const SdfPath of_set = path.AppendVariantSelection(set.GetString(), "");
            for (const TfToken& name : child_names(layer, of_set, SdfChildrenKeys->VariantChildren))
                use.variants.push_back(name.GetString());
        }
        // What a user selects for this run says nothing of the asset.
        if (get_pointer(layer) == get_pointer(impl.session)) return false;
        if (SdfVariantSelectionMap chosen; layer->HasField(path, SdfFieldKeys->VariantSelection, &chosen))
            for (const auto& [set, name] : chosen)
                if (left_out.insert(set).second)
                    found[set].selected = true, found[set].selection = evaluated_selection(name, site.node);
        return false;
    });
    std::vector<VariantSetUse> out;
    for (auto& [name, use] : found) {
        if (use.name.empty()) continue;  // selected, but there is no such set
        std::sort(use.variants.begin(), use.variants.end());
        use.variants.erase(std::unique(use.variants.begin(), use.variants.end()), use.variants.end());
        out.push_back(std::move(use));
    }
    return out;
}

std::string selection_expression(const Prim& prim, const std::string& set)
{
    if (!prim) return {};
    const Stage::Impl& impl   = prim.stage().impl();
    const PrimRecord&  record = impl.record(prim);
    std::string        out;
    if (record.is_local()) return out;
    for_each_site(record, [&](const SdfLayerRefPtr& layer, const SiteNode& site, std::size_t) {
        SdfVariantSelectionMap chosen;
        if (get_pointer(layer) == get_pointer(impl.session) ||
            !layer->HasField(site.path, SdfFieldKeys->VariantSelection, &chosen))
            return false;
        const auto found = chosen.find(set);
        if (found == chosen.end()) return false;
        if (SdfVariableExpression::IsExpression(found->second)) out = found->second;
        return true;
    });
    return out;
}

std::vector<Path> prim_specs(const Layer& layer)
{
    std::vector<Path> out;
    for_each_prim_spec(layer.impl().layer, SdfPath::AbsoluteRootPath(), [&](const SdfPath& path) {
        if (path != SdfPath::AbsoluteRootPath()) out.push_back(wrap(path));
    });
    return out;
}

std::size_t array_size(const Value& value)
{
    const VtValue* held = Value::Access::of(value);
    return held != nullptr && held->IsArrayValued() ? held->GetArraySize() : 0;
}

std::size_t array_size(const Layer& layer, const Path& attribute)
{
    const SdfLayerRefPtr& sdf  = layer.impl().layer;
    const SdfPath&        path = unwrap(attribute);
    // The type says so without reading: most attributes are no arrays.
    if (!sdf->GetFieldAs<TfToken>(path, SdfFieldKeys->TypeName).GetString().ends_with("[]")) return 0;
    std::size_t most  = 0;
    const auto  count = [&](const VtValue& value) {
        if (value.IsArrayValued()) most = std::max(most, value.GetArraySize());
    };
    count(sdf->GetField(path, SdfFieldKeys->Default));
    for (const double time : sdf->ListTimeSamplesForPath(path)) {
        VtValue value;
        if (sdf->QueryTimeSample(path, time, &value)) count(value);
    }
    return most;
}

}  // namespace mechane::usd
