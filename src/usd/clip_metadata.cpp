// Value clips: reads the `clips` dictionaries of a stage into sets that value resolution can ask (OpenUSD's "Value
// Clips").
// Times come out as stage times and assets as anchored addresses. A set that is not usable is told and left out.
// The opening of a stage calls `collect_clips` once, after composition.

#include <fmt/format.h>
#include <pxr/ar/resolver.h>
#include <pxr/gf/vec2d.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/layerUtils.h>
#include <pxr/sdf/listOp.h>
#include <pxr/tf/stringUtils.h>
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

/// Times of templates stay far below what an integer holds: they are written into names of files.
constexpr double kMaxTime = 1e15;

/// An opinion about a field of a set, as authored, and the site that has it.
struct Opinion {
    VtValue     value;
    PcpNodeRef  node;
    std::size_t layer = 0;
};

/// What is authored about one set, composed; times are stage times, assets are anchored.
struct Authored {
    std::map<std::string, Opinion> fields;
    PcpNodeRef                     anchor;  ///< node and layer of the strongest opinion about which clips there are
    std::size_t                    layer = 0;
    SdfLayerOffset                 offset;
    bool                           anchored = false;

    template <class T>
    [[nodiscard]] std::optional<T> get(const char* name) const
    {
        const auto found = fields.find(name);
        return found == fields.end() || !found->second.value.IsHolding<T>()
                   ? std::nullopt
                   : std::optional(found->second.value.UncheckedGet<T>());
    }
};

/// Makes an opinion independent of where it is authored. Addresses are those of the layer that says which clips there
/// are, whoever authors them. Times move with that layer too, unless a stronger layer of the same stack gives them.
void localise(const Authored& set, const std::string& field, Opinion& opinion)
{
    const SdfLayerRefPtr& layer    = set.anchor.GetLayerStack()->GetLayers()[set.layer];
    VtValue&              value    = opinion.value;
    const auto            anchored = [&](const std::string& path) {
        return path.empty() ? path : SdfComputeAssetPathRelativeToLayer(layer, path);
    };
    if (value.IsHolding<SdfAssetPath>()) {
        value = VtValue(SdfAssetPath(anchored(value.UncheckedGet<SdfAssetPath>().GetAuthoredPath())));
    } else if (value.IsHolding<VtArray<SdfAssetPath>>()) {
        auto paths = value.UncheckedGet<VtArray<SdfAssetPath>>();
        for (SdfAssetPath& path : paths) path = SdfAssetPath(anchored(path.GetAuthoredPath()));
        value = VtValue::Take(paths);
    } else if (field == "templateAssetPath" && value.IsHolding<std::string>()) {
        std::string                   path;
        SdfLayer::FileFormatArguments arguments;
        SdfLayer::SplitIdentifier(value.UncheckedGet<std::string>(), &path, &arguments);
        value = VtValue(SdfLayer::CreateIdentifier(anchored(path), arguments));
    } else if ((field == "active" || field == "times") && value.IsHolding<VtArray<GfVec2d>>()) {
        const bool           own = opinion.node == set.anchor && opinion.layer < set.layer;
        const SdfLayerOffset offset = own ? time_offset(opinion.node, opinion.layer) : set.offset;
        auto                 pairs  = value.UncheckedGet<VtArray<GfVec2d>>();
        // The first number of a pair is a stage time and moves with the layer's offset; the second, a clip's number or
        // a time in it, does not.
        for (GfVec2d& pair : pairs) pair[0] = offset * pair[0];
        value = VtValue::Take(pairs);
    }
}

/// All sets of a prim by name; a stronger opinion wins field by field.
std::map<std::string, Authored> gather(const PrimRecord& prim)
{
    std::map<std::string, Authored> out;
    for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t i) {
        VtDictionary sets;
        if (!layer->HasField(at.path, kClips, &sets)) return false;
        for (const auto& [name, set] : sets) {
            if (!set.IsHolding<VtDictionary>()) continue;
            Authored&           authored = out[name];
            const VtDictionary& fields   = set.UncheckedGet<VtDictionary>();
            // Sites come from strong to weak, so that the first opinion about a field stays.
            for (const auto& [field, value] : fields) authored.fields.try_emplace(field, Opinion{value, at.node, i});
            // Clips are as strong as the layer that says which they are: values in the same layer go before them,
            // weaker ones behind.
            if (!authored.anchored && (fields.count("assetPaths") != 0 || fields.count("templateAssetPath") != 0)) {
                authored.anchored = true;
                authored.anchor   = at.node;
                authored.layer    = i;
                authored.offset   = time_offset(at.node, i);
            }
        }
        return false;
    });
    for (auto& [name, set] : out)
        if (set.anchored)
            for (auto& [field, opinion] : set.fields) localise(set, field, opinion);
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
    // List operations apply from the weakest to the strongest.
    for (auto op = opinions.rbegin(); op != opinions.rend(); ++op) op->ApplyOperations(&names);
    std::erase_if(names, [&](const std::string& name) { return !sets.contains(name); });
    return names;
}

/// The name of a clip's file with a place for its time: parts of the name between points that are nothing but `#`, one
/// for whole time codes, a second one behind it for fractions.
class NamePattern {
  public:
    explicit NamePattern(const std::string& path)
    {
        const std::size_t slash = path.find_last_of('/');
        folder_                 = slash == std::string::npos ? "" : path.substr(0, slash + 1);
        for (const std::string& part : TfStringSplit(path.substr(folder_.size()), ".")) {
            if (!part.empty() && part.find_first_not_of('#') == std::string::npos) signs_.push_back(parts_.size());
            parts_.push_back(part);
        }
    }

    [[nodiscard]] bool valid() const
    { return signs_.size() == 1 || (signs_.size() == 2 && signs_[1] == signs_[0] + 1); }

    /// "clip.##.usd" at 7 is "clip.07.usd"; "clip.#.##.usd" at 7.25 is "clip.7.25.usd".
    [[nodiscard]] std::string at(double time) const
    {
        std::vector<std::string> parts = parts_;
        // What is left of the point is cut off, what is right of it is rounded, each by itself, as OpenUSD does.
        parts[signs_[0]] = fmt::format("{:0{}}", static_cast<std::int64_t>(time), parts_[signs_[0]].size());
        if (signs_.size() == 2) {
            const std::string text = fmt::format("{:.{}f}", time, parts_[signs_[1]].size());
            parts[signs_[1]]       = text.substr(text.find('.') + 1);
        }
        return folder_ + TfStringJoin(parts, ".");
    }

  private:
    std::string              folder_;
    std::vector<std::string> parts_;
    std::vector<std::size_t> signs_;  ///< places in parts_
};

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
        set_->offset    = authored_.offset;
        const auto path = authored_.get<std::string>("primPath").value_or("");
        set_->clip_prim = SdfPath::IsValidPathString(path) ? SdfPath(path) : SdfPath();
        if (!set_->clip_prim.IsAbsolutePath() || !set_->clip_prim.IsPrimPath())
            return fail("primPath is not the absolute path of a prim");
        if (authored_.fields.contains("assetPaths") ? !listed() : !from_template()) return nullptr;
        if (set_->active.empty()) return fail("no clip is ever active");
        // Stable: two entries at one time are a jump, and their order says from where to where.
        std::stable_sort(set_->active.begin(), set_->active.end(),
                         [](const auto& a, const auto& b) { return a.time < b.time; });
        std::stable_sort(set_->times.begin(), set_->times.end(),
                         [](const auto& a, const auto& b) { return a.stage < b.stage; });
        if (const double* twice = repeated()) return fail(fmt::format("two clips begin at {}", *twice));
        for (std::size_t i = 2; i < set_->times.size(); ++i)
            if (set_->times[i].stage == set_->times[i - 2].stage)
                return fail(fmt::format("times has more than two entries at {}", set_->times[i].stage));
        // A jump where the mapping begins has no left side.
        if (set_->times.size() > 1 && set_->times[0].stage == set_->times[1].stage) set_->times.erase(set_->times.begin());
        set_->interpolate_missing = authored_.get<bool>("interpolateMissingClipValues").value_or(false);
        if (const auto manifest = authored_.get<SdfAssetPath>("manifestAssetPath")) {
            set_->manifest = open(manifest->GetAuthoredPath());
            // One that cannot be opened declares nothing.
            if (!set_->manifest) set_->manifest = SdfLayer::CreateAnonymous("manifest.usda");
        }
        for (const std::string& asset : assets_) set_->clips.push_back(open(asset));
        return set_;
    }

  private:
    std::nullptr_t fail(std::string why)
    {
        problem_ = std::move(why);
        return nullptr;
    }

    /// A time at which two clips begin, if any.
    [[nodiscard]] const double* repeated() const
    {
        const auto at = std::adjacent_find(set_->active.begin(), set_->active.end(),
                                           [](const auto& a, const auto& b) { return a.time == b.time; });
        return at == set_->active.end() ? nullptr : &at->time;
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
        if (!assets) return fail("assetPaths is not a list of assets") != nullptr;
        for (const SdfAssetPath& asset : *assets) {
            if (asset.GetAuthoredPath().empty()) return fail("assetPaths has an empty path") != nullptr;
            assets_.push_back(asset.GetAuthoredPath());
        }
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
        std::string                   path;
        SdfLayer::FileFormatArguments arguments;
        SdfLayer::SplitIdentifier(pattern, &path, &arguments);
        const NamePattern names(path);
        if (!names.valid()) return fail("templateAssetPath is not of the form name.#.usd or name.#.#.usd") != nullptr;
        if (!first || !last || !(std::abs(*first) < kMaxTime) || !(*last >= *first) || !(stride > 0) ||
            !((*last - *first) / stride < kMaxClips) || !(std::abs(ahead) <= stride))
            return fail("the times of the template make no sequence") != nullptr;
        const SdfLayerOffset& offset = authored_.offset;
        const auto            knot   = [&](double t) { set_->times.push_back({offset * t, t}); };
        if (ahead != 0) knot(*first - std::abs(ahead));  // clips are read that much beyond the times of the template
        // Steps are counted, so that no rounding adds up.
        // The last step is kept when division has put it a rounding error beyond the end.
        const auto steps = static_cast<std::size_t>(std::floor((*last - *first) / stride + 1e-9));
        for (std::size_t k = 0; k <= steps; ++k) {
            const double      t     = *first + static_cast<double>(k) * stride;
            const std::string asset = names.at(t);
            if (resolved(asset).empty()) continue;  // holes are allowed
            set_->active.push_back({offset * (t + ahead), assets_.size()});
            knot(t);
            assets_.push_back(SdfLayer::CreateIdentifier(asset, arguments));
        }
        if (assets_.empty()) return fail(fmt::format("no file is named like @{}@", pattern)) != nullptr;
        if (ahead != 0) knot(*last + std::abs(ahead));
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
