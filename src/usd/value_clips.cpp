// Value clips at work: which clip is active, stage time to clip time, samples and interpolation (OpenUSD's "Value
// Clips").
// Times given and returned are stage times.

#include "usd/value_clips.h"
#include "usd/field_tokens.h"

#include <pxr/sdf/timeCode.h>
#include <pxr/sdf/types.h>
#include <pxr/vt/array.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "usd/interpolation.h"

namespace mechane::usd {

using namespace pxr;

namespace {

/// How far left of a jump of the mapping its left side ends: the smallest step that survives time codes of up to 1e6
/// under a tenfold compression, as OpenUSD takes it.
constexpr double kLeftOfJump = 2 * std::numeric_limits<double>::epsilon() * 1e6 * 10;

bool has_samples(const SdfLayerRefPtr& layer, const SdfPath& path)
{ return layer && layer->GetNumTimeSamplesForPath(path) > 0; }

/// Time codes in a clip are times of the clip.
template <class ToStage>
void move_times(VtValue& value, const ToStage& to_stage)
{
    if (value.IsHolding<SdfTimeCode>()) {
        value = VtValue(SdfTimeCode(to_stage(value.UncheckedGet<SdfTimeCode>().GetValue())));
    } else if (value.IsHolding<VtArray<SdfTimeCode>>()) {
        auto times = value.UncheckedGet<VtArray<SdfTimeCode>>();
        for (SdfTimeCode& time : times) time = SdfTimeCode(to_stage(time.GetValue()));
        value = VtValue::Take(times);
    }
}

}  // namespace

bool ClipSet::applies(const SiteNode& at, std::size_t layer_of_node) const
{
    return layer_of_node == layer && get_pointer(at.node.GetLayerStack()) == get_pointer(stack) &&
           at.path.HasPrefix(prim);
}

bool ClipSet::declares(const SdfPath& property) const
{
    const SdfPath path = property.ReplacePrefix(prim, clip_prim);
    if (!manifest)
        return std::any_of(clips.begin(), clips.end(), [&](const auto& clip) { return has_samples(clip, path); });
    if (manifest->GetSpecType(path) != SdfSpecTypeAttribute) return false;
    SdfVariability variability = SdfVariabilityVarying;
    manifest->HasField(path, TfToken("variability"), &variability);
    return variability == SdfVariabilityVarying;
}

/// Before the first activation its clip is active.
std::size_t ClipSet::activation_at(double time) const
{
    const auto after =
        std::upper_bound(active.begin(), active.end(), time, [](double t, const Activation& a) { return t < a.time; });
    return after == active.begin() ? 0 : static_cast<std::size_t>(after - active.begin()) - 1;
}

double ClipSet::to_clip(double time) const
{
    if (times.empty()) return offset.GetInverse() * time;
    const auto after =
        std::upper_bound(times.begin(), times.end(), time, [](double t, const Mapping& m) { return t < m.stage; });
    if (after == times.begin()) return times.front().clip;
    // Outside of the mapping the ends are held.
    if (after == times.end()) return times.back().clip;
    const Mapping &a = *(after - 1), &b = *after;
    return a.clip + (b.clip - a.clip) / (b.stage - a.stage) * (time - a.stage);
}

bool ClipSet::contributes(std::size_t turn, const SdfPath& in_clip, const SdfPath& property) const
{
    if (!interpolate_missing) return true;
    if (!manifest) return has_samples(clips[active[turn].clip], in_clip);
    // A block in the manifest where a clip begins says that the clip holds nothing for the attribute.
    VtValue    said;
    const bool blocked =
        manifest->QueryTimeSample(property, active[turn].time, &said) && said.IsHolding<SdfValueBlock>();
    return (!blocked && has_samples(clips[active[turn].clip], in_clip)) || manifest->HasField(in_clip, kDefault);
}

/// The line of the mapping that a time lies on, for time codes among the values of a clip. A line holds the time at
/// which it ends; a jump is passed over for the line behind it, and is a steep line itself where nothing follows.
ClipSet::Line ClipSet::line_at(double time) const
{
    if (times.empty()) return {offset.GetOffset(), 0, offset.GetScale()};
    if (times.size() < 2) return {times.front().stage, times.front().clip, 0};
    const auto ends =
        std::lower_bound(times.begin(), times.end(), time, [](const Mapping& m, double t) { return m.stage < t; });
    auto to = std::clamp(ends, times.begin() + 1, times.end() - 1);
    // The left side of a jump ends just before it; that side is what a time on the jump finds.
    if (to + 1 != times.end() && to->stage == (to + 1)->stage && time == to->stage) ++to;
    const auto is_jump = [](const auto& m) { return (m - 1)->stage == m->stage; };
    if (is_jump(to) && to + 1 != times.end()) ++to;
    const Mapping& from  = *(to - 1);
    const double   begin = is_jump(to) ? from.stage - kLeftOfJump : from.stage;
    // Where the clip stands still, every one of its times is that at which it came to stand.
    return {begin, from.clip, to->clip == from.clip ? 0 : (to->stage - begin) / (to->clip - from.clip)};
}

std::vector<double> ClipSet::sample_times(const SdfPath& property) const
{
    const SdfPath    path = property.ReplacePrefix(prim, clip_prim);
    std::set<double> out;
    for (std::size_t i = 0; i < active.size(); ++i) {
        const SdfLayerRefPtr& clip = clips[active[i].clip];
        if (!contributes(i, path, property)) continue;
        const double begin  = i == 0 ? -std::numeric_limits<double>::infinity() : active[i].time;
        const double end    = i + 1 < active.size() ? active[i + 1].time : std::numeric_limits<double>::infinity();
        const auto   insert = [&](double t) {
            if (t >= begin && t < end && std::isfinite(t)) out.insert(t);
        };
        insert(active[i].time);
        const std::set<double> samples = clip ? clip->ListTimeSamplesForPath(path) : std::set<double>();
        if (times.empty())
            for (const double t : samples) insert(offset * t);
        for (std::size_t k = 0; k < times.size(); ++k) {
            insert(times[k].stage);
            if (k + 1 == times.size()) break;
            const Mapping &a = times[k], &b = times[k + 1];
            if (a.stage == b.stage) {
                insert(a.stage - kLeftOfJump);
                continue;
            }
            if (a.clip == b.clip) continue;  // the clip stands still
            const auto from = samples.lower_bound(std::min(a.clip, b.clip)),
                       to   = samples.upper_bound(std::max(a.clip, b.clip));
            // A sample of the clip appears on the stage once for each piece of the mapping that passes it.
            for (auto t = from; t != to; ++t)
                insert(*t == a.clip   ? a.stage
                       : *t == b.clip ? b.stage
                                      : a.stage + (b.stage - a.stage) / (b.clip - a.clip) * (*t - a.clip));
        }
    }
    if (out.empty()) out.insert(active.front().time);  // no clip has a say
    return {out.begin(), out.end()};
}

VtValue ClipSet::at(const SdfPath& in_clip, double time, bool held, SdfLayerRefPtr& from) const
{
    from = clips[active[activation_at(time)].clip];
    if (has_samples(from, in_clip)) {
        VtValue value = sample_layer(from, in_clip, to_clip(time), held);
        move_times(value, [line = line_at(time)](double t) { return line.stage + (t - line.clip) * line.slope; });
        return value;
    }
    from = manifest;
    if (VtValue value; manifest && manifest->HasField(in_clip, kDefault, &value)) {
        // No clip's time is meant: time codes are those of the layer that names the clips.
        move_times(value, [&](double t) { return offset * t; });
        return value;
    }
    return VtValue(SdfValueBlock());
}

VtValue ClipSet::value(const SdfPath& property, double time, bool held, SdfLayerRefPtr& from) const
{
    const SdfPath             path    = property.ReplacePrefix(prim, clip_prim);
    const std::vector<double> samples = sample_times(property);
    const auto                upper   = std::lower_bound(samples.begin(), samples.end(), time);
    if (upper == samples.end()) return at(path, samples.back(), held, from);
    VtValue b = at(path, *upper, held, from);
    if (*upper == time || upper == samples.begin()) return b;
    const double  lower = *(upper - 1);
    const VtValue a     = at(path, lower, held, from);
    if (held || lower >= *upper - kLeftOfJump) return a;  // nothing blends across a jump
    return interpolate((time - lower) / (*upper - lower), a, b);
}

}  // namespace mechane::usd
