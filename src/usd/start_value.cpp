// What an attribute is at the start of a run, and when its values bend: samples, splines and value clips alike.

#include "mechane/usd/start_value.h"

#include <pxr/gf/interval.h>
#include <pxr/ts/spline.h>

#include <algorithm>
#include <cmath>

#include "mechane/usd/key_times.h"
#include "mechane/usd/stage_layers.h"
#include "usd/animated.h"
#include "usd/field_tokens.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// Baking the loops of a spline over a long range could make any number of knots.
constexpr double kMostLoops = 1000;

std::vector<double> knot_times(const Stage& stage, const TsSpline& spline)
{
    const TsKnotMap own = spline.GetKnots();
    if (own.empty()) return {};
    const StageMetadata& meta  = stage.metadata();
    double               first = own.begin()->GetTime(), last = own.rbegin()->GetTime();
    // Only an authored range says how long what lies beyond the knots is wanted.
    const bool          ranged = meta.authored_time_range && meta.end_time_code > meta.start_time_code;
    const double        begin  = ranged ? std::min(first, meta.start_time_code) : first,
                        end    = ranged ? std::max(last, meta.end_time_code) : last;
    std::vector<double> out;
    const bool          many  = end - begin > kMostLoops * std::max(last - first, 1e-9);
    const TsKnotMap     baked = spline.HasExtrapolatingLoops() && ranged && !many
                                    ? spline.GetKnotsWithLoopsBaked(GfInterval(begin, end))
                                    : spline.GetKnotsWithInnerLoopsBaked();
    for (const TsKnot& knot : baked) out.push_back(knot.GetTime());
    // A spline that runs on is followed to the ends of the range.
    const auto runs_on = [](const TsExtrapolation& beyond) {
        return beyond.mode != TsExtrapHeld && beyond.mode != TsExtrapValueBlock;
    };
    if (ranged && begin < first && runs_on(spline.GetPreExtrapolation())) out.push_back(begin);
    if (ranged && end > last && runs_on(spline.GetPostExtrapolation())) out.push_back(end);
    std::erase_if(out, [](double t) { return !std::isfinite(t); });
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

const PrimRecord& record(const Prim& prim) { return prim.stage().impl().record(prim); }

}  // namespace

VtValue stage_spline(const PrimRecord& prim, const TfToken& name, SdfLayerRefPtr& strongest)
{
    VtValue out;
    for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t i) {
        const SdfPath path = at.path.AppendProperty(name);
        if (!layer->HasSpec(path)) return false;
        const bool samples = layer->HasField(path, SdfFieldKeys->TimeSamples);
        VtValue    spline;
        if (!samples && layer->HasField(path, kSpline, &spline) && spline.IsHolding<TsSpline>()) {
            const SdfLayerOffset offset = time_offset(at.node, i);
            strongest                   = layer;
            out = VtValue(spline.UncheckedGet<TsSpline>().GetTimeScaled(offset.GetScale(), offset.GetOffset()));
            return true;
        }
        if (!samples && !layer->HasField(path, kDefault)) return false;
        strongest = layer;
        return true;
    });
    return out;
}

bool is_animated(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& name)
{
    // Which kind of opinion decides is the same at every numeric time.
    const ValueSource source = resolve_value(stage, prim, name, TimeCode(stage.metadata.start_time_code), false).source;
    return source == ValueSource::time_samples || source == ValueSource::spline || source == ValueSource::value_clips;
}

bool has_animation(const Stage& stage)
{
    const Stage::Impl& impl = stage.impl();
    if (has_time_samples(stage)) return true;
    // Splines have no list of their own: each property is asked, in the layers or in what was kept of them.
    return std::any_of(impl.prims.begin(), impl.prims.end(), [](const PrimRecord& prim) {
        if (prim.sites == nullptr) return false;
        if (const LoneOpinions* lone = lone_opinions(prim))
            return std::any_of(lone->properties.begin(), lone->properties.end(),
                               [](const LoneProperty& p) { return p.any(LoneProperty::spline); });
        return for_each_site(prim, [](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
            const TfTokenVector names =
                layer->GetFieldAs<TfTokenVector>(at.path, SdfChildrenKeys->PropertyChildren, TfTokenVector());
            return std::any_of(names.begin(), names.end(), [&](const TfToken& name) {
                return layer->HasField(at.path.AppendProperty(name), kSpline);
            });
        });
    });
}

std::vector<double> key_times(const Attribute& attribute)
{
    if (!attribute) return {};
    std::vector<double> times = attribute.time_samples();
    if (!times.empty() || !attribute.varying()) return times;
    SdfLayerRefPtr layer;
    const VtValue  spline = stage_spline(record(attribute.prim()), unwrap(attribute.name()), layer);
    if (!spline.IsHolding<TsSpline>()) return {};
    return knot_times(attribute.prim().stage(), spline.UncheckedGet<TsSpline>());
}

// What samples, a spline or clips say at the start stands in for a default that nobody authored: what only animates a
// size has that size, and not the schema's fallback. The run begins at the same time code, so nothing jumps in its
// first step.
TimeCode start_of(const Attribute& attribute)
{
    if (!attribute || attribute.blocked() || !attribute.authored_value().empty()) return {};
    const Stage::Impl& impl = attribute.prim().stage().impl();
    if (!is_animated(impl, record(attribute.prim()), unwrap(attribute.name()))) return {};
    const TimeCode start(impl.metadata.start_time_code);
    if (!attribute.authored_value(start).empty()) return start;
    // A spline that says nothing before its first knot begins there.
    const std::vector<double> times = key_times(attribute);
    const auto                after = std::lower_bound(times.begin(), times.end(), *start.value);
    return after == times.end() ? start : TimeCode(*after);
}

Value start_authored(const Attribute& attribute)
{
    // Most have a default or nothing, and the first question answers that.
    Value value = attribute.authored_value();
    if (!value.empty()) return value;
    const TimeCode start = start_of(attribute);
    return start.value ? attribute.authored_value(start) : Value();
}

}  // namespace mechane::usd
