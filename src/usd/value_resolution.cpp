// The value of an attribute at a time, by OpenUSD's rules: the strongest layer that says anything counts, samples
// before splines before the default within it, clips after the layer that anchors them, the schema's fallback at last.
// A block ends the search without a value; an animation block ends the search for animation only. An edit of an array
// and a path expression are what they make of the next weaker value.
//
// lone     a property that one layer alone speaks about: answered from a table without walking the layers
// source   which of them gave the value: samples, spline, default, clips, fallback

#include <pxr/sdf/types.h>
#include <pxr/ts/spline.h>
#include <pxr/vt/valueComposeOver.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "usd/field_tokens.h"
#include "usd/interpolation.h"
#include "usd/stage_impl.h"
#include "usd/stage_value.h"
#include "usd/value_clips.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// Calls at_layer(layer, node, index, path) where opinions about a property may lie, strongest first, and at_clips(set,
/// node, path) for the value clips between them, until one returns true.
template <class AtLayer, class AtClips>
bool for_each_source(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& name, const AtLayer& at_layer,
                     const AtClips& at_clips)
{
    if (prim.sites == nullptr) return false;
    const auto clips = clips_of(stage, unwrap(prim.path));
    // The common case: a stage without clips.
    if (clips.empty()) {
        if (!may_have_opinions(prim, name)) return false;
        return for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t i) {
            return at_layer(layer, at.node, i, at.path.AppendProperty(name));
        });
    }
    // Clips also speak where no layer of the node knows the prim.
    const auto at_node = [&](const SiteNode& at) {
        const SdfPath path = at.path.AppendProperty(name);
        // Clips of a node stand behind the layer that anchors them.
        const auto& layers = at.node.GetLayerStack()->GetLayers();
        for (std::size_t i = 0; i < layers.size(); ++i) {
            if (at_layer(layers[i], at.node, i, path)) return true;
            for (const auto& set : clips)
                if (set->applies(at, i) && set->declares(path) && at_clips(*set, at.node, path)) return true;
        }
        return false;
    };
    if (prim.is_local()) return at_node({prim.sites->GetRootNode(), unwrap(prim.path)});
    for (const PcpNodeRef& node : prim.sites->GetNodeRange())
        if (node.CanContributeSpecs() && at_node({node, node.GetPath()})) return true;
    return false;
}

/// What one layer says of the property, and nobody else; null when it is not known that shortly.
const LoneOpinions* alone(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& name)
{ return may_have_opinions(prim, name) && stage.clips.empty() ? lone_opinions(prim) : nullptr; }

/// What a stronger value, if it is one that composes, makes of weaker ones.
class Composition {
  public:
    explicit Composition(const TimeCode& time) : at_default_(!time.value) {}

    /// Takes the next weaker value. True where the value is then complete.
    bool take(Resolved& out)
    {
        if (strongest_) {
            if (auto composed = VtValueTryComposeOver(strongest_->value, out.value))
                strongest_->value = *std::move(composed);
            if (out.value.CanComposeOver()) return false;
            // A block is nothing to compose with; at the default time it leaves nothing of what is stronger either, as
            // in OpenUSD.
            emptied_  = at_default_ && out.value.IsHolding<SdfValueBlock>();
            out       = *std::move(strongest_);
            out.value = emptied_ ? VtValue() : complete(out.value);
            return true;
        }
        if (!out.value.CanComposeOver()) return true;
        strongest_ = std::move(out);
        out        = {};
        return false;
    }

    [[nodiscard]] bool emptied() const { return emptied_; }

    /// The value where nothing weaker is left but perhaps a fallback; false where nothing said anything.
    bool finish(Resolved& out, const VtValue* fallback)
    {
        if (!strongest_) return false;
        out                 = *std::move(strongest_);
        const auto composed = fallback != nullptr && !fallback->IsEmpty() ? VtValueTryComposeOver(out.value, *fallback)
                                                                          : std::nullopt;
        out.value           = composed ? *composed : complete(out.value);
        return true;
    }

  private:
    /// Without anything weaker.
    static VtValue complete(const VtValue& value)
    { return value.CanComposeOver() ? VtValueComposeOver(value, VtBackground) : value; }

    bool                    at_default_, emptied_ = false;
    std::optional<Resolved> strongest_;
};

/// Whether the value of a field is one that weaker ones are composed into.
bool composes(const SdfLayerRefPtr& layer, const SdfPath& path, const TfToken& field)
{
    const std::type_info& type = layer->GetFieldTypeid(path, field);
    return type != typeid(void) && VtValueTypeCanComposeOver(type);
}

}  // namespace

Resolved resolve_value(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& name, const TimeCode& time,
                       bool with_fallback)
{
    Resolved    out;
    Composition composition(time);
    bool        animation_blocked = false;
    const bool  held              = stage.options.held_interpolation;
    const auto take_default      = [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t i,
                                       const SdfPath& path) {
        // An animation block lets weaker defaults through and ends animation.
        if (out.value.IsHolding<SdfAnimationBlock>()) {
            animation_blocked = true;
            out.value         = VtValue();
            return false;
        }
        out.layer  = get_pointer(layer);
        out.source = ValueSource::default_value;
        to_stage(stage, prim, {layer, node, path, time_offset(node, i)}, out.value);
        return composition.take(out);
    };
    const auto ask_layers = [&] {
        return for_each_source(
            stage, prim, name,
            [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t i, const SdfPath& path) {
                if (time.value && !layer->HasSpec(path)) return false;  // the default time asks for one field only
                out.layer = get_pointer(layer);
                if (time.value && !animation_blocked) {
                    const SdfLayerOffset offset = time_offset(node, i);
                    // Layers count time in their own codes: the offset takes stage time back to them.
                    const double local = offset.GetInverse() * *time.value;
                    if (layer->GetNumTimeSamplesForPath(path) > 0) {
                        out.source = ValueSource::time_samples;
                        out.value  = sample_layer(layer, path, local, held);
                        to_stage(stage, prim, {layer, node, path, offset}, out.value);
                        return composition.take(out);
                    }
                    // Splines are evaluated as doubles.
                    if (VtValue spline; layer->HasField(path, kSpline, &spline) && spline.IsHolding<TsSpline>()) {
                        double value = 0;
                        out.source   = ValueSource::spline;
                        if (spline.UncheckedGet<TsSpline>().Eval(local, &value)) out.value = VtValue(value);
                        return true;
                    }
                }
                return layer->HasField(path, kDefault, &out.value) && take_default(layer, node, i, path);
            },
            [&](const ClipSet& clips, const PcpNodeRef& node, const SdfPath& path) {
                // Clips have values over time only.
                if (!time.value || animation_blocked) return false;
                SdfLayerRefPtr from;
                out.value  = clips.value(path, *time.value, held, from);
                out.source = ValueSource::value_clips;
                out.layer  = get_pointer(from);
                if (from) to_stage(stage, prim, {from, node, path, SdfLayerOffset()}, out.value);
                return true;
            });
    };
    const auto resolve = [&] {
        const LoneOpinions* lone = alone(stage, prim, name);
        // The short way: one layer says a plain default.
        const LoneProperty* said = lone == nullptr ? nullptr : lone->find(name);
        if (said == nullptr) return ask_layers();
        constexpr int kAnimated = LoneProperty::samples | LoneProperty::spline;
        const bool    kept      = said->any(LoneProperty::kept) && !said->any(LoneProperty::targets);
        if (!kept || (time.value && said->any(kAnimated)))
            return said->any(LoneProperty::default_value | kAnimated) && ask_layers();
        const PcpNodeRef node = prim.sites->GetRootNode();
        out.value             = said->value;
        return take_default(node.GetLayerStack()->GetLayers()[prim.layer], node, prim.layer, unwrap(prim.path));
    };
    const auto definition = prim.definition->properties.find(name);
    const bool defined    = definition != prim.definition->properties.end();
    const bool found      = resolve() || composition.finish(out, defined ? &definition->second.fallback : nullptr);
    if (!found) out.layer = nullptr;
    // A block is an authored nothing: the fallback counts.
    if (found && out.value.IsHolding<SdfValueBlock>()) {
        out.value   = VtValue();
        out.blocked = true;
        return out;
    }
    out.authored = found && !out.value.IsEmpty();
    if (!defined || composition.emptied()) return out;
    if (!out.authored && with_fallback) {
        out.value  = definition->second.fallback;
        out.source = out.value.IsEmpty() ? ValueSource::none : ValueSource::fallback;
    }
    // The schema's type wins over the authored one.
    if (out.authored && definition->second.type) {
        const std::type_info &wanted = definition->second.type.GetType().GetTypeid(), &given = out.value.GetTypeid();
        if (&wanted != &given && !TfSafeTypeCompare(given, wanted))
            if (VtValue cast = VtValue::CastToTypeid(out.value, wanted); !cast.IsEmpty()) out.value = cast;
    }
    return out;
}

std::vector<double> sample_times(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& name)
{
    std::vector<double> out;
    // A property that no layer or clip animates has no times.
    if (const LoneOpinions* lone = alone(stage, prim, name)) {
        const LoneProperty* said = lone->find(name);
        if (said == nullptr || !said->any(LoneProperty::samples)) return out;
    }
    for_each_source(
        stage, prim, name,
        [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t i, const SdfPath& path) {
            if (!layer->HasSpec(path)) return false;
            const SdfLayerOffset   offset  = time_offset(node, i);
            const std::set<double> samples = layer->ListTimeSamplesForPath(path);
            for (const double t : samples)
                if (std::isfinite(t)) out.push_back(offset * t);  // nobody gets to the others
            if (layer->HasField(path, kSpline)) return true;
            if (samples.empty()) return layer->HasField(path, kDefault) && !composes(layer, path, kDefault);
            return !VtValueTypeCanComposeOver(layer->QueryTimeSampleTypeid(path, *samples.begin()));
        },
        [&](const ClipSet& clips, const PcpNodeRef&, const SdfPath& path) {
            out = clips.sample_times(path);
            return true;
        });
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());  // layers whose values compose may share times
    return out;
}

}  // namespace mechane::usd
