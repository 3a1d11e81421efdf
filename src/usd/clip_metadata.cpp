#include <fmt/format.h>
#include <pxr/ar/resolver.h>
#include <pxr/gf/vec2d.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/layerUtils.h>
#include <pxr/sdf/listOp.h>
#include <pxr/vt/array.h>
#include <pxr/vt/dictionary.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mechane/tasks/parallel.h"
#include "mechane/usd/codes.h"
#include "usd/stage_impl.h"
#include "usd/value_clips.h"

namespace mechane::usd {
namespace {

using namespace pxr;

const TfToken kClips("clips"), kClipSets("clipSets");

/// More clips than this in one set are a mistake in a template's times.
constexpr double kMaxClips = 100'000;

/// What is authored about one set, composed; times are stage times, assets are anchored.
struct Authored {
    std::map<std::string, VtValue> fields;
    PcpNodeRef                     anchor;  ///< node and layer of the strongest opinion about which clips there are
    std::size_t                    layer = 0;
    SdfLayerOffset                 template_offset;
    bool                           anchored = false;

    template <class T>
    [[nodiscard]] std::optional<T> get(const char* name) const
    {
        const auto found = fields.find(name);
        return found == fields.end() || !found->second.IsHolding<T>() ? std::nullopt
                                                                      : std::optional(found->second.UncheckedGet<T>());
    }
};

/// Makes an opinion independent of the layer it comes from.
VtValue localised(const SdfLayerRefPtr& layer, const std::string& field, const SdfLayerOffset& offset, VtValue value)
{
    const auto anchored = [&](const std::string& path) {
        return path.empty() ? path : SdfComputeAssetPathRelativeToLayer(layer, path);
    };
    if (value.IsHolding<SdfAssetPath>())
        return VtValue(SdfAssetPath(anchored(value.UncheckedGet<SdfAssetPath>().GetAuthoredPath())));
    if (value.IsHolding<VtArray<SdfAssetPath>>()) {
        auto paths = value.UncheckedGet<VtArray<SdfAssetPath>>();
        for (SdfAssetPath& path : paths) path = SdfAssetPath(anchored(path.GetAuthoredPath()));
        return VtValue(paths);
    }
    if (field == "templateAssetPath" && value.IsHolding<std::string>())
        return VtValue(anchored(value.UncheckedGet<std::string>()));
    if ((field == "active" || field == "times") && value.IsHolding<VtArray<GfVec2d>>()) {
        auto pairs = value.UncheckedGet<VtArray<GfVec2d>>();
        for (GfVec2d& pair : pairs) pair[0] = offset * pair[0];
        return VtValue(pairs);
    }
    return value;
}

/// All sets of a prim by name; a stronger opinion wins field by field.
std::map<std::string, Authored> gather(const PrimRecord& prim)
{
    std::map<std::string, Authored> out;
    for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t i) {
        VtDictionary sets;
        if (!layer->HasField(at.path, kClips, &sets)) return false;
        const SdfLayerOffset offset = time_offset(at.node, i);
        for (const auto& [name, set] : sets) {
            if (!set.IsHolding<VtDictionary>()) continue;
            Authored&           authored = out[name];
            const VtDictionary& fields   = set.UncheckedGet<VtDictionary>();
            for (const auto& [field, value] : fields)
                authored.fields.try_emplace(field, localised(layer, field, offset, value));
            if (!authored.anchored && (fields.count("assetPaths") != 0 || fields.count("templateAssetPath") != 0)) {
                authored.anchored        = true;
                authored.anchor          = at.node;
                authored.layer           = i;
                authored.template_offset = offset;
            }
        }
        return false;
    });
    return out;
}

/// Names in order of strength: of the alphabet, unless clipSets says otherwise.
std::vector<std::string> order(const PrimRecord& prim, const std::map<std::string, Authored>& sets)
{
    std::vector<std::string> names;
    for (const auto& [name, set] : sets) names.push_back(name);
    std::vector<SdfStringListOp> opinions;
    for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        if (SdfStringListOp op; layer->HasField(at.path, kClipSets, &op)) opinions.push_back(op);
        return false;
    });
    for (auto op = opinions.rbegin(); op != opinions.rend(); ++op) op->ApplyOperations(&names);
    std::erase_if(names, [&](const std::string& name) { return !sets.contains(name); });
    return names;
}

/// "clip.##.usd" at 7 is "clip.07.usd"; "clip.#.##.usd" at 7.25 is "clip.7.25.usd". Empty without such signs.
std::string expanded(const std::string& pattern, double time)
{
    const std::size_t base  = pattern.find_last_of('/') == std::string::npos ? 0 : pattern.find_last_of('/') + 1;
    const std::size_t first = pattern.find('#', base);
    if (first == std::string::npos) return {};
    std::size_t       end   = std::min(pattern.find_first_not_of('#', first), pattern.size());
    const std::size_t whole = end - first;
    std::size_t       part  = 0;
    if (end + 1 < pattern.size() && pattern[end] == '.' && pattern[end + 1] == '#') {
        const std::size_t last = std::min(pattern.find_first_not_of('#', end + 1), pattern.size());
        part                   = std::min<std::size_t>(last - end - 1, 9);
        end                    = last;
    }
    const double scale = std::pow(10.0, static_cast<double>(part));
    const double ticks = std::round(std::abs(time) * scale);
    const auto   units = static_cast<std::int64_t>(std::floor(ticks / scale));
    std::string  text  = fmt::format("{}{:0{}}", time < 0 ? "-" : "", units, whole);
    if (part > 0)
        text += fmt::format(".{:0{}}", static_cast<std::int64_t>(ticks - static_cast<double>(units) * scale), part);
    return pattern.substr(0, first) + text + pattern.substr(end);
}

std::string resolved(const std::string& anchored) { return ArGetResolver().Resolve(anchored).GetPathString(); }

/// A set made of what is authored; `problem` says why it is not, or what is amiss with it.
class Builder {
  public:
    Builder(const Authored& authored, std::string& problem) : authored_(authored), problem_(problem) {}

    std::shared_ptr<ClipSet> build(const std::string& name)
    {
        set_            = std::make_shared<ClipSet>();
        set_->name      = name;
        set_->stack     = authored_.anchor.GetLayerStack();
        set_->prim      = authored_.anchor.GetPath();
        set_->layer     = authored_.layer;
        const auto path = authored_.get<std::string>("primPath").value_or("");
        set_->clip_prim = SdfPath::IsValidPathString(path) ? SdfPath(path) : SdfPath();
        if (!set_->clip_prim.IsAbsoluteRootOrPrimPath()) return fail("primPath is not the path of a prim");
        if (authored_.fields.contains("assetPaths") ? !listed() : !from_template()) return nullptr;
        if (set_->active.empty()) return fail("no clip is ever active");
        std::stable_sort(set_->active.begin(), set_->active.end(),
                         [](const auto& a, const auto& b) { return a.time < b.time; });
        std::stable_sort(set_->times.begin(), set_->times.end(),
                         [](const auto& a, const auto& b) { return a.stage < b.stage; });
        set_->interpolate_missing = authored_.get<bool>("interpolateMissingClipValues").value_or(false);
        if (const auto manifest = authored_.get<SdfAssetPath>("manifestAssetPath");
            manifest && !manifest->GetAuthoredPath().empty())
            set_->manifest = open(manifest->GetAuthoredPath());
        for (const std::string& asset : assets_) set_->clips.push_back(open(asset));
        return set_;
    }

  private:
    std::nullptr_t fail(std::string why)
    {
        problem_ = std::move(why);
        return nullptr;
    }

    SdfLayerRefPtr open(const std::string& asset)
    {
        SdfLayerRefPtr layer = asset.empty() ? SdfLayerRefPtr() : SdfLayer::FindOrOpen(asset);
        if (!layer && problem_.empty()) problem_ = fmt::format("@{}@ cannot be opened", asset);
        return layer;
    }

    bool listed()
    {
        const auto assets = authored_.get<VtArray<SdfAssetPath>>("assetPaths");
        if (!assets) return fail("assetPaths is no list of assets") != nullptr;
        for (const SdfAssetPath& asset : *assets) assets_.push_back(asset.GetAuthoredPath());
        for (const GfVec2d& pair : authored_.get<VtArray<GfVec2d>>("active").value_or(VtArray<GfVec2d>())) {
            if (!(pair[1] >= 0 && pair[1] < static_cast<double>(assets_.size())) || !std::isfinite(pair[0]))
                return fail(fmt::format("active names the clip {} of {}", pair[1], assets_.size())) != nullptr;
            set_->active.push_back({pair[0], static_cast<std::size_t>(pair[1])});
        }
        for (const GfVec2d& pair : authored_.get<VtArray<GfVec2d>>("times").value_or(VtArray<GfVec2d>())) {
            if (!std::isfinite(pair[0]) || !std::isfinite(pair[1])) return fail("times is not finite") != nullptr;
            set_->times.push_back({pair[0], pair[1]});
        }
        return true;
    }

    bool from_template()
    {
        const auto pattern = authored_.get<std::string>("templateAssetPath").value_or("");
        const auto first = authored_.get<double>("templateStartTime"), last = authored_.get<double>("templateEndTime");
        const auto stride = authored_.get<double>("templateStride").value_or(1);
        const auto ahead  = authored_.get<double>("templateActiveOffset").value_or(0);
        if (expanded(pattern, 0).empty()) return fail("templateAssetPath has no # in its file name") != nullptr;
        if (!first || !last || !std::isfinite(*first) || !(*last >= *first) || !(stride > 0) ||
            !((*last - *first) / stride < kMaxClips) || !(std::abs(ahead) <= stride))
            return fail("the times of the template make no sequence") != nullptr;
        const SdfLayerOffset& offset = authored_.template_offset;
        // Steps are counted, so that no rounding adds up.
        const auto steps = static_cast<std::size_t>(std::floor((*last - *first) / stride + 1e-9));
        for (std::size_t k = 0; k <= steps; ++k) {
            const double      t     = *first + static_cast<double>(k) * stride;
            const std::string asset = expanded(pattern, t);
            if (resolved(asset).empty()) continue;  // holes are allowed
            set_->active.push_back({offset * (t + ahead), assets_.size()});
            set_->times.push_back({offset * t, t});
            assets_.push_back(asset);
        }
        if (assets_.empty()) return fail(fmt::format("no file is named like @{}@", pattern)) != nullptr;
        if (ahead != 0) {  // the first and last clips are read that much beyond their own time
            const double before = set_->times.front().clip - std::abs(ahead),
                         after  = set_->times.back().clip + std::abs(ahead);
            set_->times.push_back({offset * before, before});
            set_->times.push_back({offset * after, after});
        }
        return true;
    }

    const Authored&          authored_;
    std::string&             problem_;
    std::shared_ptr<ClipSet> set_;
    std::vector<std::string> assets_;
};

}  // namespace

void collect_clips(Stage::Impl& stage)
{
    for (std::size_t i = 0; i < stage.prims.size(); ++i) {
        if ((stage.prims[i].flags & prim_flag::clips) == 0) continue;
        const PrimRecord& prim = stage.prims[i];
        const auto        sets = gather(prim);
        if (sets.empty()) continue;
        auto& own = stage.clips[unwrap(prim.path)];
        for (const std::string& name : order(prim, sets)) {
            const Authored& authored = sets.at(name);
            std::string     problem;
            if (!authored.anchored)
                problem = "neither assetPaths nor templateAssetPath is authored";
            else if (auto set = Builder(authored, problem).build(name))
                own.push_back(std::move(set));
            if (!problem.empty())
                stage.diagnostics.add(kClipsInvalid,
                                      {.layer = stage.source, .prim = prim.path.text(), .property = "clips"},
                                      fmt::format("clip set '{}': {}", name, problem));
        }
        // Depth-first order: what stands above a prim is complete. Its own sets are stronger.
        for (SdfPath above = unwrap(prim.path).GetParentPath(); !above.IsEmpty(); above = above.GetParentPath())
            if (const auto found = stage.clips.find(above); found != stage.clips.end()) {
                own.insert(own.end(), found->second.begin(), found->second.end());
                break;
            }
    }
}

std::span<const std::shared_ptr<const ClipSet>> clips_of(const Stage::Impl& stage, const SdfPath& prim)
{
    if (stage.clips.empty()) return {};
    for (SdfPath at = prim; !at.IsEmpty(); at = at.GetParentPath())
        if (const auto found = stage.clips.find(at); found != stage.clips.end()) return found->second;
    return {};
}

}  // namespace mechane::usd
