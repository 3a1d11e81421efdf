// Asset paths in a layer: visits or replaces each, in arcs, sublayers, attributes, samples, clips and metadata.
// Expressions stay untouched, because their text is no path.

#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/types.h>
#include <pxr/sdf/variableExpression.h>
#include <pxr/vt/dictionary.h>

#include <algorithm>

#include "mechane/usd/asset_sources.h"
#include "mechane/usd/stage_layers.h"
#include "usd/asset_sources.h"
#include "usd/expressions.h"
#include "usd/layer_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// Asset paths inside one value, replaced; true when something changed.
class Rewriter {
  public:
    /// @param expressions  they are offered, and nothing else is
    explicit Rewriter(const std::function<std::string(const std::string&)>& replace, bool expressions = false)
        : replace_(replace), expressions_(expressions)
    {
    }

    bool text(std::string& path) const
    {
        if (path.empty() || SdfVariableExpression::IsExpression(path) != expressions_) return false;
        std::string now     = replace_(path);
        const bool  changed = now != path;
        path                = std::move(now);
        return changed;
    }
    bool asset(SdfAssetPath& asset) const
    {
        std::string path = asset.GetAssetPath();
        if (!text(path)) return false;
        asset = SdfAssetPath(path);
        return true;
    }

    // NOLINTNEXTLINE(misc-no-recursion): dictionaries nest no deeper than the guard allowed
    bool value(VtValue& value) const
    {
        bool changed = false;
        if (value.IsHolding<SdfAssetPath>()) {
            SdfAssetPath one = value.UncheckedGet<SdfAssetPath>();
            if ((changed = asset(one))) value = VtValue(one);
        } else if (value.IsHolding<VtArray<SdfAssetPath>>()) {
            VtArray<SdfAssetPath> all = value.UncheckedGet<VtArray<SdfAssetPath>>();
            for (SdfAssetPath& one : all) changed = asset(one) || changed;
            if (changed) value = VtValue(all);
        } else if (value.IsHolding<VtDictionary>()) {
            VtDictionary all = value.UncheckedGet<VtDictionary>();
            for (auto& [key, entry] : all) changed = this->value(entry) || changed;
            if (changed) value = VtValue(all);
        } else if (value.IsHolding<SdfTimeSampleMap>()) {
            SdfTimeSampleMap all = value.UncheckedGet<SdfTimeSampleMap>();
            for (auto& [time, sample] : all) changed = this->value(sample) || changed;
            if (changed) value = VtValue(all);
        } else if (value.IsHolding<SdfReferenceListOp>()) {
            changed = arcs<SdfReferenceListOp, SdfReference>(value);
        } else if (value.IsHolding<SdfPayloadListOp>()) {
            changed = arcs<SdfPayloadListOp, SdfPayload>(value);
        }
        return changed;
    }

  private:
    template <class ListOp, class Item>
    bool arcs(VtValue& value) const
    {
        bool   changed = false;
        ListOp all     = value.UncheckedGet<ListOp>();
        all.ModifyOperations([&](const Item& item) {
            std::string path = item.GetAssetPath();
            if (!text(path)) return std::optional<Item>(item);
            changed  = true;
            Item now = item;
            now.SetAssetPath(path);
            return std::optional<Item>(now);
        });
        if (changed) value = VtValue(all);
        return changed;
    }

    const std::function<std::string(const std::string&)>& replace_;
    bool                                                  expressions_;
};

void rewrite_all(const SdfLayerHandle& layer, const Rewriter& rewriter)
{
    for_each_spec(layer, SdfPath::AbsoluteRootPath(), [&](const SdfPath& path) {
        if (path == SdfPath::AbsoluteRootPath()) {
            auto sublayers = layer->GetFieldAs<std::vector<std::string>>(path, SdfFieldKeys->SubLayers);
            bool changed   = false;
            for (std::string& sublayer : sublayers) changed = rewriter.text(sublayer) || changed;
            if (changed) layer->SetField(path, SdfFieldKeys->SubLayers, VtValue(sublayers));
        }
        // Values of other types are not read: a crate's arrays stay on the disk.
        const bool holds_assets =
            !path.IsPropertyPath() ||
            layer->GetFieldAs<TfToken>(path, SdfFieldKeys->TypeName).GetString().starts_with("asset");
        for (const TfToken& field : layer->ListFields(path)) {
            if (field == SdfFieldKeys->SubLayers || SdfSchema::GetInstance().HoldsChildren(field)) continue;
            if (!holds_assets && (field == SdfFieldKeys->Default || field == SdfFieldKeys->TimeSamples)) continue;
            VtValue value = layer->GetField(path, field);
            if (rewriter.value(value)) layer->SetField(path, field, value);
        }
    });
}

}  // namespace

void rewrite_assets(const SdfLayerHandle& layer, const std::function<std::string(const std::string&)>& replace)
{ rewrite_all(layer, Rewriter(replace)); }

void rewrite_clip_templates(const SdfLayerHandle& layer, const std::function<std::string(const std::string&)>& replace)
{
    static const TfToken  kClips("clips");
    constexpr const char* kTemplate = "templateAssetPath";
    for_each_spec(layer, SdfPath::AbsoluteRootPath(), [&](const SdfPath& path) {
        VtValue value;
        if (path.IsPropertyPath() || !layer->HasField(path, kClips, &value) || !value.IsHolding<VtDictionary>()) return;
        VtDictionary sets    = value.UncheckedGet<VtDictionary>();
        bool         changed = false;
        for (auto& [name, set] : sets) {
            if (!set.IsHolding<VtDictionary>()) continue;
            VtDictionary one   = set.UncheckedGet<VtDictionary>();
            const auto   found = one.find(kTemplate);
            if (found == one.end() || !found->second.IsHolding<std::string>()) continue;
            const std::string was = found->second.UncheckedGet<std::string>(), now = was.empty() ? was : replace(was);
            if (now == was) continue;
            found->second = VtValue(now);
            set           = VtValue(one);
            changed       = true;
        }
        if (changed) layer->SetField(path, kClips, VtValue(sets));
    });
}

std::vector<std::string> evaluated_assets(const SdfLayerHandle& layer, const VtDictionary& variables)
{
    const VtDictionary       all = VtDictionaryOver(variables, layer->GetExpressionVariables());
    std::vector<std::string> out;
    const std::function<std::string(const std::string&)> tell = [&](const std::string& expression) {
        if (auto said = evaluate_text(expression, all); said && !said->empty()) out.push_back(*std::move(said));
        return expression;
    };
    rewrite_all(layer, Rewriter(tell, true));
    return out;
}

std::vector<std::string> indirect_assets(const Layer& layer, const Layer& root)
{
    std::vector<std::string> out = evaluated_assets(layer.impl().layer, root.impl().layer->GetExpressionVariables());
    rewrite_clip_templates(layer.impl().layer, [&](const std::string& pattern) {
        out.push_back(pattern);
        return pattern;
    });
    return out;
}

void rewrite_clip_templates(Layer& layer, const std::function<std::string(const std::string&)>& replace)
{
    bool changed = false;
    rewrite_clip_templates(layer.impl().layer, [&](const std::string& was) {
        std::string now = replace(was);
        changed |= now != was;
        return now;
    });
    if (changed) layer.impl().edited = true;
}

/// @param expressions  they are visited, and nothing else is
static void visit_assets(const Layer& layer, bool expressions,
                         const std::function<void(const Path&, const Token&, const std::string&)>& visit)
{
    // The fields of prims that hold paths; other metadata of them is not read for a mere visit.
    static const TfTokenVector kFields{SdfFieldKeys->References, SdfFieldKeys->Payload, SdfFieldKeys->AssetInfo,
                                       SdfFieldKeys->CustomData, TfToken("clips")};
    const SdfLayerRefPtr&      sdf = layer.impl().layer;
    for_each_spec(sdf, SdfPath::AbsoluteRootPath(), [&](const SdfPath& path) {
        TfToken                                              at;
        const std::function<std::string(const std::string&)> tell = [&](const std::string& authored) {
            visit(wrap(path), wrap(at), authored);
            return authored;
        };
        const Rewriter rewriter(tell, expressions);
        const auto     read = [&](const TfToken& field) {
            if (VtValue value; sdf->HasField(path, field, &value)) {
                at = field;
                rewriter.value(value);
            }
        };
        if (path == SdfPath::AbsoluteRootPath()) {
            at = SdfFieldKeys->SubLayers;
            for (std::string sublayer : sdf->GetFieldAs<std::vector<std::string>>(path, at)) rewriter.text(sublayer);
        }
        if (!path.IsPropertyPath()) {
            const TfTokenVector authored = sdf->ListFields(path);
            for (const TfToken& field : kFields)
                if (std::find(authored.begin(), authored.end(), field) != authored.end()) read(field);
        } else if (sdf->GetFieldAs<TfToken>(path, SdfFieldKeys->TypeName).GetString().starts_with("asset")) {
            read(SdfFieldKeys->Default);
            read(SdfFieldKeys->TimeSamples);
        }
    });
}

void for_each_asset(const Layer& layer, const std::function<void(const Path&, const Token&, const std::string&)>& visit)
{ visit_assets(layer, false, visit); }

void for_each_asset_expression(
    const Layer& layer, const Layer& root,
    const std::function<void(const Path&, const Token&, const std::string&, const std::string&)>& visit)
{
    const VtDictionary variables =
        VtDictionaryOver(root.impl().layer->GetExpressionVariables(), layer.impl().layer->GetExpressionVariables());
    visit_assets(layer, true, [&](const Path& spec, const Token& field, const std::string& authored) {
        if (const auto said = evaluate_text(authored, variables); said && !said->empty())
            visit(spec, field, authored, *said);
    });
}

}  // namespace mechane::usd
