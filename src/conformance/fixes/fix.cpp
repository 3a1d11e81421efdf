// Drives the repairs: checks, repairs, checks again, until nothing more can be edited.
// Repairs go by phase (P1 schemas to P8 layers), the earliest first, because later ones build on earlier ones. After
// each pass the stage is compared with what it was: a pass that moved something, or composed another stage, is taken
// back and its repairs are tried in halves, until the one that did it is found and left out.
// Repairs that bring more findings than they remove are found from the history of passes and left out in a new start.
// Invariants: the world is where it was, up to the turns and scales that a repair declares; every remaining finding has
// a reason; a second call finds nothing more to edit.
// Called by `mechane fix` and the interfaces. Inputs: an asset, a working folder, options. Output: edits, files,
// reasons.

#include "mechane/conformance/fix.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/fixes/layout.h"
#include "conformance/fixes/other_assets.h"
#include "conformance/fixes/placement.h"
#include "conformance/fixes/repair.h"
#include "conformance/fixes/ros_words.h"
#include "conformance/fixes/unread.h"
#include "conformance/fixes/verify.h"
#include "conformance/variant_states.h"
#include "mechane/conformance/codes.h"
#include "mechane/files/read.h"

namespace mechane::conformance {
namespace {

/// These bounds only end what would not end by itself; usual assets need a handful of passes and one start.
constexpr int         kTries  = 2;    // the second time a repair may finish what the first one uncovered
constexpr std::size_t kPasses = 100;  // and some a finding: only a repair that undoes another would need more
constexpr int         kStarts = 12;   // beginnings anew, each without repairs that brought findings
constexpr int         kRounds = 6;    // beginnings anew on what is repaired, until one has nothing to edit
constexpr std::size_t kUsers  = 32;   // other assets that are compared; those behind them keep what they use
constexpr std::size_t kSearch =
    60;  // passes that are taken back to find single repairs; then all of a pass are left out

const RepairOf* repair_of(const Rule& rule)
{
    for (const RepairOf& repair : repairs())
        if (repair.rule == rule.id) return &repair;
    return nullptr;
}

/// Rule, prim, property, variant and, of a finding about a layer, the layer.
using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;

/// What is said of layers, arcs and paths is said of each layer anew; the same of a prim is one finding, in whichever
/// layer its strongest opinion lies meanwhile.
Key key_of(const Finding& finding)
{
    const RepairOf* repair = repair_of(*finding.rule);
    const bool      layer  = finding.site.prim.empty() || (repair != nullptr && repair->phase >= Phase::paths);
    return {std::string(finding.rule->id), finding.site.prim, finding.site.property, finding.variant,
            layer ? finding.site.layer : std::string()};
}

/// Whether what was noted of an unrepaired finding is about this one.
bool is_about(const Unrepaired& u, const Key& key)
{
    const auto& [rule, prim, property, variant, layer] = key;
    return u.rule->id == rule && u.prim == prim && u.property == property && (layer.empty() || u.layer == layer);
}

/// Findings of a report by rule; nothing of rules that had nothing to look at.
std::map<const Rule*, std::size_t> counts_of(const Report& report)
{
    std::map<const Rule*, std::size_t> counts;
    for (const RuleOutcome& outcome : report.outcomes)
        if (outcome.outcome == Outcome::passed || outcome.outcome == Outcome::finding) counts[outcome.rule];
    for (const Finding& finding : report.findings) ++counts[finding.rule];
    return counts;
}

/// Repairs that are left out because they bring findings.
class LeftOut {
  public:
    /// Suspects by the rule that got more findings, with what is said of each.
    using Suspects = std::map<const Rule*, std::map<Key, std::string>>;

    /// What the repair at hand would bring; null for one that is not left out.
    [[nodiscard]] const std::string* find(const Key& key) const
    {
        const auto known = keys_.find(key);
        return known == keys_.end() ? nullptr : &known->second;
    }
    /// Whoever brings findings of this rule, it is not those that were suspected.
    [[nodiscard]] bool acquitted(const Rule& rule) const { return acquitted_.contains(&rule); }
    /// Takes suspects up. Where a rule still has more findings although all of its suspects were left out already,
    /// something else brings them, which takes away worse: those suspects are let go. Nothing is worse than an error.
    /// @return whether another beginning would differ
    bool add(const Suspects& suspects)
    {
        bool differs = false;
        for (const auto& [rule, keys] : suspects) {
            bool fresh = false;
            for (const auto& [key, what] : keys) fresh |= keys_.emplace(key, what).second;
            auto& blamed = blamed_[rule];
            for (const auto& [key, what] : keys) blamed.insert(key);
            if (!fresh && !blamed.empty() && rule->severity != Severity::error) {
                for (const Key& key : blamed) keys_.erase(key);
                fresh = acquitted_.insert(rule).second;
            }
            differs |= fresh;
        }
        return differs;
    }

  private:
    std::map<Key, std::string>           keys_;
    std::map<const Rule*, std::set<Key>> blamed_;
    std::set<const Rule*>                acquitted_;
};

/// What holds repairs back: those that bring findings, and other assets that use layers of this one.
struct Restraint {
    LeftOut            left_out{};
    const OtherAssets* others = nullptr;
};

/// Units, axes and the split of layers are one decision of all layers of an asset. Another asset that uses one of them
/// has decided for itself, so that such a repair never means the same there.
bool is_of_one_asset(Phase phase) { return phase == Phase::units || phase >= Phase::vendors; }

constexpr std::string_view kUsedElsewhere = "used-elsewhere";

/// Folder below the work folder for a copy of another asset. Absolute paths have no such first part.
constexpr const char* kOthersFolder = ".mechane-others";

/// What is said of a layer, and how a user goes on, where another asset keeps a layer as it is.
std::string used_by(const std::string& user, const std::string& file, const std::string& asset, const std::string& why)
{
    namespace fs = std::filesystem;
    return fmt::format("{} uses {} too{}; --change-shared changes it all the same, -o FOLDER repairs a copy",
                       fs::path(user).lexically_relative(fs::absolute(asset).lexically_normal().parent_path()).string(),
                       fs::path(file).filename().string(), why);
}

class Fixer {
  public:
    Fixer(const FixOptions& options, const Restraint& restraint, Workspace& work, FixResult& result,
          std::set<std::string> compensated = {})
        : options_(options),
          left_out_(restraint.left_out),
          others_(restraint.others),
          work_(work),
          result_(result),
          compensated_(std::move(compensated))
    { check_.profile = options.profile; }

    [[nodiscard]] const std::set<std::string>& compensated() const { return compensated_; }

    /// Repairs that ran in the pass in which a rule, which had been looked at before, got more findings than it had at
    /// the beginning and has at the end; those at, above or below the new findings if there are any.
    [[nodiscard]] LeftOut::Suspects culprits() const
    {
        LeftOut::Suspects found;
        if (passes_.empty()) return found;
        const auto now = counts_of(result_.after);
        for (const auto& [rule, before] : first_) {
            const auto after = now.find(rule);
            if (after == now.end() || after->second <= before || left_out_.acquitted(*rule)) continue;
            const auto at = [&](const Pass& pass) {
                const auto count = pass.after.find(rule);
                return count == pass.after.end() ? 0 : count->second;
            };
            auto pass = passes_.rbegin();  // the last one before which there were no more than at first
            while (std::next(pass) != passes_.rend() && at(*std::next(pass)) > before) ++pass;
            add_culprits(*pass, *rule, found[rule]);
        }
        return found;
    }

    Result<void> run()
    {
        for (std::size_t pass = 0; pass < most_passes_ + taken_back_; ++pass) {
            const auto stage = usd::Stage::open(work_.entry().string(), options_.open);
            if (!stage) return stage.error();
            const Facts facts(**stage);
            if (!before_) before_.emplace(facts);
            restore_joints(facts);
            if (work_edited_) {
                if (auto saved = flush(); !saved) return saved;
                continue;
            }
            if (trial_ && composed_something_else(facts)) continue;
            if (trial_ && moved_something(facts)) continue;
            auto report = check(**stage, check_);
            if (!report) return report.error();
            if (pass_) passes_.push_back({std::move(*std::exchange(pass_, std::nullopt)), counts_of(*report)});
            if (first_.empty()) {
                first_ = counts_of(*report);
                most_passes_ += kTries * report->findings.size();  // layers are rearranged one at a time
            }
            begin_trial();
            // An entry that has to stay as it is takes no repair, and every other one may need its opinions.
            const bool editable = work_.layer(work_.entry().string()) != nullptr;
            if (editable && repair_pass(facts, *report)) {
                if (auto saved = flush(); !saved) return saved;
                continue;
            }
            work_.end_trial();
            result_.after = std::move(*report);
            return {};
        }
        return make_diagnostic(codes::kEndless, {.layer = work_.entry().string()}, "the repairs do not come to an end");
    }

  private:
    /// A finding that was offered to its repair.
    struct Offer {
        Phase phase   = Phase::schemas;
        int   times   = 0;
        bool  refused = false;  ///< nothing was edited; other edits may make it possible
        bool  moves   = false;  ///< it was taken back; where instances have gone it may be possible
    };
    /// What the passes have done to the whole world, and which findings were offered to their repairs.
    struct Progress {
        usd::Matrix4d                        turned;
        double                               stretched = 1;
        std::set<std::string>                reversed;
        std::map<std::string, usd::Matrix4d> baked;
        std::map<Key, Offer>                 offers;
    };
    /// A pass that is not judged yet: how things stood, and the repairs that edited something.
    struct Trial {
        Progress                                     before;
        std::size_t                                  edits = 0, left = 0;
        Phase                                        phase = Phase::schemas;
        std::vector<std::pair<Key, const RepairOf*>> repairs;
        std::string                                  rearranged;  ///< entry whose stage has to be what it was
        std::optional<Composition>                   composed;    ///< what it was
    };

    /// A pass that stays: what it repaired, and what was found then.
    struct Pass {
        std::vector<Key>                   repaired;
        std::map<const Rule*, std::size_t> after;
    };

    const FixOptions&                  options_;
    const LeftOut&                     left_out_;
    const OtherAssets*                 others_;
    std::map<Key, std::string>         held_;  ///< repairs that would edit a layer that others use, with what is said
    std::optional<std::vector<Key>>    pass_;  ///< repairs of the pass that the next report judges
    std::vector<Pass>                  passes_;
    std::map<const Rule*, std::size_t> first_;
    Workspace&                         work_;
    FixResult&                         result_;
    CheckOptions                       check_;
    std::optional<Whereabouts>         before_;
    std::optional<JointFrames>         frames_;  ///< before the pass that moved something
    std::optional<Trial>               trial_;
    std::map<Key, int>                 attempts_;  ///< ways of rearranging that composed another stage
    Progress                           so_far_;
    usd::Matrix4d                      turned_now_;
    std::size_t                        suspects_    = 0;  ///< the next so many repairs hold one that moves something
    std::size_t                        taken_back_  = 0;
    std::size_t                        most_passes_ = kPasses;
    bool                               mixed_units_ = false, work_edited_ = false;
    std::set<std::string>              compensated_;  ///< layers, see Repair

    void add_culprits(const Pass& pass, const Rule& rule, std::map<Key, std::string>& found) const
    {
        const auto brought = [&](const std::string& prim) {
            for (const Finding& finding : result_.after.findings)
                if (finding.rule == &rule &&
                    (prim.empty() || usd::Path(finding.site.prim).has_prefix(usd::Path(prim)) ||
                     usd::Path(prim).has_prefix(usd::Path(finding.site.prim))))
                    return std::string(rule.id) + " at " +
                           (finding.site.prim.empty() ? std::filesystem::path(finding.site.layer).filename().string()
                                                      : finding.site.prim);
            return std::string();
        };
        // What is milder than the fault that a repair takes away does not hold it back: an asset with a hint is better
        // than one with an error.
        std::vector<Key> suspects;
        std::ranges::copy_if(pass.repaired, std::back_inserter(suspects),
                             [&](const Key& key) { return find_rule(std::get<0>(key))->severity <= rule.severity; });
        std::map<Key, std::string> near;
        for (const Key& key : suspects)
            if (const std::string what = brought(std::get<1>(key)); !what.empty()) near.emplace(key, what);
        if (near.empty())
            for (const Key& key : suspects) near.emplace(key, std::string(rule.id));
        // Those of the rule's own section are the likeliest; the others follow where these were not it.
        const auto section = [](std::string_view id) { return id.substr(0, id.rfind('-')); };
        const auto likely  = [&](const auto& suspect) {
            return section(std::get<0>(suspect.first)) == section(rule.id);
        };
        if (std::ranges::any_of(near, likely)) std::erase_if(near, [&](const auto& s) { return !likely(s); });
        found.merge(near);
    }

    Result<void> flush()
    {
        work_edited_ = false;
        return work_.save();
    }

    void begin_trial()
    {
        work_.begin_trial();
        trial_ = Trial{so_far_, result_.edits.size(), result_.left.size(), {}, {}, {}, {}};
    }

    /// A repair that rearranged layers is taken back when another stage is composed than before; it may try another
    /// way.
    bool composed_something_else(const Facts& facts)
    {
        if (trial_->rearranged.empty()) return false;
        std::string differs;
        if (trial_->rearranged == work_.entry().string()) {
            differs = Composition(facts.stage).differs_from(*trial_->composed);
        } else if (const auto other = usd::Stage::open(trial_->rearranged, options_.open); other) {
            differs = Composition(**other).differs_from(*trial_->composed);
        } else {
            differs = other.error().message;
        }
        if (differs.empty()) return false;
        const Trial trial = take_back();
        ++taken_back_;
        for (const auto& [key, repair] : trial.repairs) ++attempts_[key];
        return true;
    }

    /// Files, books and progress are as they were before the pass.
    Trial take_back()
    {
        Trial trial = *std::exchange(trial_, std::nullopt);
        work_.take_back();
        result_.edits.erase(result_.edits.begin() + static_cast<std::ptrdiff_t>(trial.edits), result_.edits.end());
        result_.left.erase(result_.left.begin() + static_cast<std::ptrdiff_t>(trial.left), result_.left.end());
        so_far_ = trial.before;
        return trial;
    }

    /// A repair of the pass has edited a layer that another asset uses, so that it means something else there: the
    /// whole pass is taken back, and the repair is not offered again.
    /// @param edits  of the result before the repair
    bool holds_back(const Key& key, Phase phase, std::size_t edits)
    {
        if (others_ == nullptr || !is_of_one_asset(phase)) return false;
        for (std::size_t i = edits; i < result_.edits.size(); ++i) {
            const std::string file = work_.original(work_.folder() / result_.edits[i].layer);
            const std::string user = file.empty() ? std::string() : others_->user_of(file);
            if (user.empty()) continue;
            held_[key] = used_by(user, file, work_.original(work_.entry()), " and has units and layers of its own");
            take_back();
            ++taken_back_;
            return true;
        }
        return false;
    }

    /// Judges the last pass by where things are now. When something is elsewhere the pass is taken back, and the next
    /// one offers half of its findings, until the repair is alone that would move something: it is left out.
    bool moved_something(const Facts& facts)
    {
        if (mixed_units_) {  // layers disagreed about lengths: only from here on can places be compared
            before_.emplace(facts);
            so_far_.turned = {};
            so_far_.reversed.clear();
            so_far_.baked.clear();
            so_far_.stretched = 1;
            mixed_units_      = false;
            pass_.emplace();
            for (const auto& [key, repair] : trial_->repairs) pass_->push_back(key);
            trial_.reset();
            return false;
        }
        const std::string moved =
            Whereabouts(facts, before_->moments())
                .moved_since(*before_, so_far_.turned, so_far_.stretched, so_far_.reversed, so_far_.baked);
        if (moved.empty()) {
            const Trial trial = *std::exchange(trial_, std::nullopt);
            pass_.emplace();
            for (const auto& [key, repair] : trial.repairs) pass_->push_back(key);
            suspects_ -= std::min(suspects_, trial.repairs.size());
            offer_again(trial.phase);
            return false;
        }
        const Trial trial = take_back();
        suspects_         = trial.repairs.size();
        if (++taken_back_ <= kSearch && suspects_ > 1) return true;
        for (const auto& [key, repair] : trial.repairs) {
            Offer& offer = so_far_.offers[key];
            offer        = {.phase = trial.phase, .times = kTries, .moves = true};
            result_.left.push_back({find_rule(repair->rule), std::get<1>(key), std::get<2>(key), "would-move",
                                    "the repair would move something: " + moved});
            result_.left.back().layer = std::get<4>(key);
        }
        suspects_ = 0;
        return true;
    }

    /// What was refused is offered once more: an instance may have become editable, a parent a component, and layers
    /// that could not be sorted may be now that others are.
    void offer_again(Phase edited)
    {
        for (auto& [key, offer] : so_far_.offers) {
            // An edit that changed nothing of the finding may do so once the layers say things in another order.
            const bool spent = offer.phase < Phase::layers && offer.times >= kTries;
            const bool again =
                offer.refused ? offer.phase <= edited : (offer.moves || spent) && edited == Phase::layers;
            if (!again) continue;
            offer = {.phase = offer.phase};
            attempts_.erase(key);
            std::erase_if(result_.left, [&](const Unrepaired& u) { return is_about(u, key); });
        }
    }

    /// After placements were written: joint frames that hang on them.
    void restore_joints(const Facts& facts)
    {
        if (!frames_) return;
        Repair repair(facts, options_, work_, result_);
        repair.begin(*find_rule("REP-1.1-g"), Phase::transforms, nullptr);
        frames_->restore(repair, turned_now_);
        frames_.reset();
        work_edited_ = repair.edits() > 0;
    }

    [[nodiscard]] bool wanted(const Rule& rule, Phase phase) const
    {
        const auto any = [&](const auto& selectors) {
            return std::any_of(selectors.begin(), selectors.end(), [&](const auto& s) { return selects(s, rule); });
        };
        if (!options_.phases.empty() &&
            std::find(options_.phases.begin(), options_.phases.end(), static_cast<int>(phase)) == options_.phases.end())
            return false;
        return (options_.select.empty() || any(options_.select)) && !any(options_.ignore);
    }

    /// Repairs what belongs to the earliest phase that can do something.
    /// @return whether anything was edited
    bool repair_pass(const Facts& facts, const Report& report)
    {
        std::map<Phase, std::vector<const Finding*>> by_phase;
        for (const Finding& finding : report.findings)
            if (const RepairOf* repair = repair_of(*finding.rule);
                repair != nullptr && wanted(*finding.rule, repair->phase))
                by_phase[repair->phase].push_back(&finding);
        // What makes up for a layer's units is a scale, which P2 would write into what is below: such layers come
        // first.
        std::vector<std::pair<Phase, std::vector<const Finding*>>> order(by_phase.begin(), by_phase.end());
        if (const auto units = by_phase.find(Phase::units); units != by_phase.end()) {
            std::vector<const Finding*> layers;
            std::ranges::copy_if(units->second, std::back_inserter(layers),
                                 [](const Finding* f) { return f->rule->id == std::string_view("REP-1.1-d"); });
            if (!layers.empty()) order.insert(order.begin(), {Phase::units, std::move(layers)});
        }
        for (auto& [phase, findings] : order) {
            // Parents first: what they hand down is then written once.
            std::stable_sort(findings.begin(), findings.end(), [](const Finding* a, const Finding* b) {
                return usd::Path(a->site.prim) < usd::Path(b->site.prim);
            });
            Repair repair(facts, options_, work_, result_);
            repair.compensated = compensated_;
            const JointFrames frames(facts);
            const Unread      unread(facts.stage);
            const std::size_t most = suspects_ == 0 ? findings.size() : (suspects_ + 1) / 2;
            for (const Finding* finding : findings) {
                if (trial_->repairs.size() == most) break;
                const Key key = key_of(*finding);
                if (const std::string* out = left_out_.find(key); out != nullptr) {
                    if (so_far_.offers[key].times++ == 0)
                        result_.left.push_back({finding->rule, finding->site.prim, finding->site.property,
                                                "adds-finding", "the repair would bring " + *out, false,
                                                finding->severity, finding->site.layer});
                    continue;
                }
                if (const auto held = held_.find(key); held != held_.end()) {
                    if (so_far_.offers[key].times++ == 0)
                        result_.left.push_back({finding->rule, finding->site.prim, finding->site.property,
                                                std::string(kUsedElsewhere), held->second, false, finding->severity,
                                                finding->site.layer});
                    continue;
                }
                Offer& offer = so_far_.offers[key];
                if (offer.refused || offer.times >= kTries) continue;
                offer.phase = phase;
                ++offer.times;
                const std::size_t edits = repair.edits(), left = result_.left.size(),
                                  edits_before = result_.edits.size();
                repair.begin(*finding->rule, phase, finding);
                repair.attempt = attempts_[key];
                if (std::string why = unread.holds_back(*finding, phase, options_); !why.empty())
                    repair.refuse("unread", std::move(why));
                else
                    repair_of(*finding->rule)->run(repair, *finding);
                if (holds_back(key, phase, edits_before)) return true;
                if (repair.take_deferred()) --offer.times;
                if (repair.edits() > edits)
                    trial_->repairs.emplace_back(key, repair_of(*finding->rule));
                else
                    offer.refused = result_.left.size() > left;
                if (!repair.rearranged().empty()) {
                    trial_->rearranged = repair.rearranged();
                    trial_->composed.emplace(facts.stage);
                    break;
                }
            }
            trial_->phase  = phase;
            so_far_.turned = so_far_.turned * repair.turned;
            so_far_.stretched *= repair.stretched;
            so_far_.reversed.merge(repair.reversed);
            for (const auto& [prim, form] : repair.baked()) {
                const auto known = so_far_.baked.try_emplace(prim).first;
                known->second    = form * known->second;
            }
            mixed_units_ |= repair.mixed_units;
            compensated_ = repair.compensated;
            if (!repair.moved.empty()) {
                frames_.emplace(frames);
                turned_now_ = repair.turned;
            }
            if (repair.edits() > 0) return true;
        }
        return false;
    }
};

/// Why a finding stays that no repair said anything about.
Unrepaired reason_of(const FixOptions& options, const Finding& finding)
{
    constexpr std::string_view kNone = "None: ";
    std::string_view           why   = finding.rule->fix;
    if (why.starts_with(kNone)) why.remove_prefix(kNone.size());
    Unrepaired      out{finding.rule, finding.site.prim, finding.site.property, "no-repair", std::string(why)};
    const RepairOf* repair = repair_of(*finding.rule);
    if (repair == nullptr) return out;
    const bool phase = options.phases.empty() ||
                       std::ranges::find(options.phases, static_cast<int>(repair->phase)) != options.phases.end();
    const auto any   = [&](const auto& selectors) {
        return std::ranges::any_of(selectors, [&](const auto& s) { return selects(s, *finding.rule); });
    };
    if (!phase || (!options.select.empty() && !any(options.select)) || any(options.ignore)) {
        out.reason  = "not-selected";
        out.message = "--select, --ignore or --phases leave its repair out";
    } else {
        out.reason  = "not-possible";
        out.message = "the repair changed nothing here: " + finding.hint;
    }
    return out;
}

/// Every finding that is left gets its reason; a reason whose finding has gone is no longer one.
void list_what_stays(const FixOptions& options, FixResult& result)
{
    std::vector<Unrepaired> listed;
    for (const Unrepaired& u : result.left)
        if (u.remark) listed.push_back(u);
    for (const Finding& finding : result.after.findings) {
        const bool of_layer = !std::get<4>(key_of(finding)).empty();
        const auto about    = [&](bool exactly) {
            return std::ranges::find_if(result.left, [&](const Unrepaired& u) {
                return !u.remark && u.rule == finding.rule && u.prim == finding.site.prim &&
                       (!of_layer || u.layer == finding.site.layer) &&
                       (!exactly || u.property == finding.site.property);
            });
        };
        auto known = about(true);
        if (known == result.left.end()) known = about(false);
        Unrepaired u = known == result.left.end() ? reason_of(options, finding) : *known;
        u.property   = finding.site.property;
        u.severity   = finding.severity;
        u.layer      = finding.site.layer;
        listed.push_back(std::move(u));
    }
    result.left = std::move(listed);
}

nlohmann::ordered_json edit_json(const FixEdit& edit)
{
    return {{"phase", "P" + std::to_string(static_cast<int>(edit.phase))},
            {"rule", edit.rule->id},
            {"layer", edit.layer},
            {"path", edit.path},
            {"field", edit.field},
            {"old", edit.before},
            {"new", edit.after}};
}

}  // namespace

std::span<const RepairOf> repairs()
{
    static const std::vector<RepairOf> kAll = [] {
        std::vector<RepairOf> all;
        for (const auto table :
             {schema_repairs(), transform_repairs(), unit_repairs(), asset_repairs(), physics_repairs(), body_repairs(),
              dependent_unit_repairs(), layer_repairs(), ros_repairs(), ros_word_repairs(), mesh_repairs(),
              path_repairs(), variant_repairs(), layout_repairs()})
            all.insert(all.end(), table.begin(), table.end());
        return all;
    }();
    return kAll;
}

/// Repairs what is found with each other variant selected. What stays there is the default state's to list, or is
/// said with the state.
static Result<void> repair_variants(const FixOptions& options, const Restraint& restraint, Workspace& work,
                                    FixResult& result, std::vector<Unrepaired>& left)
{
    std::vector<VariantState> states;
    {  // a stage that stays open would show its layers as they are now
        const auto stage = usd::Stage::open(work.entry().string(), options.open);
        if (!stage) return stage.error();
        std::size_t more = 0;
        states           = variant_states(**stage, {}, more);
    }
    for (const VariantState& state : states) {
        FixOptions selected = options;
        selected.open.variant_selections.insert(selected.open.variant_selections.end(), state.begin(), state.end());
        selected.new_files = false;  // what is composed is compared in the default state
        FixResult there;
        if (auto ran = Fixer(selected, restraint, work, there).run(); !ran) return ran;
        result.edits.insert(result.edits.end(), there.edits.begin(), there.edits.end());
        list_what_stays(selected, there);
        for (Unrepaired& u : there.left) {
            u.message += " (with " + name_of(state) + ")";
            left.push_back(std::move(u));
        }
    }
    return {};
}

/// A repair that was refused may be possible on the repaired asset, where layers say things in another order. It is
/// repaired as another call would, until there is nothing more to edit: a second call then finds nothing either.
/// @param compensated  layers whose units a scale made up for before the first edit
/// @param more         receives repairs that bring findings
static Result<void> repair_what_follows(const FixOptions& options, const Restraint& restraint, Workspace& work,
                                        FixResult& result, std::set<std::string> compensated, LeftOut::Suspects& more)
{
    bool edited = !result.edits.empty();
    for (int round = 0; edited && round < kRounds; ++round) {
        FixResult next;
        Fixer     fixer(options, restraint, work, next, std::move(compensated));
        if (auto ran = fixer.run(); !ran) return ran;
        compensated = fixer.compensated();
        edited      = !next.edits.empty();
        result.edits.insert(result.edits.end(), next.edits.begin(), next.edits.end());
        std::erase_if(result.left, [](const Unrepaired& u) { return !u.remark; });
        result.left.insert(result.left.end(), next.left.begin(), next.left.end());
        more         = fixer.culprits();
        result.after = std::move(next.after);
        if (!more.empty()) return {};
    }
    return {};
}

namespace {

/// A repaired working copy, and what is known of it.
struct Repaired {
    std::optional<Workspace> work;
    FixResult                result;
    std::vector<Unrepaired>  in_variants;
};

/// What other assets have to do with a repair in place.
struct Neighbours {
    OtherAssets                                  assets;
    Diagnostics                                  found;  ///< FIX_OTHERS
    bool                                         searched = false;
    std::map<std::filesystem::path, std::string> kept;  ///< originals that stay as they are, with what is said
};

Result<Repaired> repair(const std::string& asset, const std::string& work_folder, const FixOptions& options,
                        Neighbours& neighbours)
{
    Restraint first, then;  // of the first round, and of those on what is repaired
    Repaired  out;
    for (int start = 0; start <= kStarts; ++start) {
        auto copied = Workspace::copy(asset, work_folder);
        if (!copied) return copied.error();
        Workspace& work = out.work.emplace(std::move(*copied));
        out.in_variants.clear();
        FixResult& result = out.result = {};
        if (options.spare_others && !std::exchange(neighbours.searched, true))
            neighbours.assets = OtherAssets(work, options.open, neighbours.found);
        if (!neighbours.assets.empty()) first.others = then.others = &neighbours.assets;
        for (const auto& [file, why] : neighbours.kept) work.keep_as_it_is(file);
        if (!options.overlay.empty())
            if (auto made = work.add_overlay(options.overlay); !made) return made.error();
        if (options.each_variant)
            if (auto ran = repair_variants(options, first, work, result, out.in_variants); !ran) return ran.error();
        Fixer fixer(options, first, work, result);
        if (auto ran = fixer.run(); !ran) return ran.error();
        LeftOut::Suspects more  = fixer.culprits();
        Restraint*        known = &first;
        if (more.empty()) {
            known = &then;
            if (auto ran = repair_what_follows(options, then, work, result, fixer.compensated(), more); !ran)
                return ran.error();
        }
        if (more.empty() || start == kStarts || !known->left_out.add(more)) break;
        work.discard();
    }
    return out;
}

/// Compares the other assets as they are with what they would be, and notes the files that have to stay.
/// @return whether there are some
bool find_what_others_keep(const std::string& asset, const std::string& work_folder, const FixOptions& options,
                           Repaired& repaired, Neighbours& neighbours)
{
    const auto& others = neighbours.assets;
    if (others.empty()) return false;
    repaired.result.folder = repaired.work->folder().string();
    repaired.result.files  = repaired.work->files();
    const auto touched     = [&](const FixedFile& file) {
        return file.changed && !file.source.empty() && !others.user_of(file.source).empty();
    };
    if (std::ranges::none_of(repaired.result.files, touched)) return false;
    std::size_t compared = 0;
    std::string user, change;
    for (const std::filesystem::path& other : others.users()) {
        change = ++compared > kUsers ? "it was not compared, being one of many"
                                     : changes_for(other, repaired.result, asset,
                                                   std::filesystem::path(work_folder) / kOthersFolder, options);
        user   = other.string();
        if (!change.empty()) break;
    }
    if (change.empty()) return false;
    for (const FixedFile& file : repaired.result.files)
        if (touched(file))
            neighbours.kept.emplace(file.source, used_by(user, file.source, asset, " and would change: " + change));
    return true;
}

/// Findings of layers that other assets keep as they are get this as their reason.
void say_what_others_keep(const Neighbours& neighbours, const Workspace& work, FixResult& result)
{
    if (neighbours.kept.empty()) return;
    const auto entry = neighbours.kept.find(work.original(work.entry()));
    for (Unrepaired& u : result.left) {
        if (u.remark || u.reason == "no-repair" || u.reason == "not-selected") continue;
        auto kept = neighbours.kept.find(work.original(u.layer));
        if (kept == neighbours.kept.end()) kept = entry;
        if (kept == neighbours.kept.end()) continue;
        u.reason  = kUsedElsewhere;
        u.message = kept->second;
    }
}

}  // namespace

namespace {

/// The last look at a repair of units: each pass is judged by where things are, and a size that nothing scaled moves
/// nothing. REP-1.1-d turns and scales what layers of other units hold on purpose, and tells it by itself.
/// @return what would be of another size or weight, in words, or nothing
std::string another_size(const std::string& asset, const FixOptions& options, const Repaired& repaired)
{
    bool of_units = false, of_layers = false;
    for (const FixEdit& edit : repaired.result.edits) {
        of_units |= edit.phase == Phase::units;
        of_layers |= edit.rule->id == "REP-1.1-d";
    }
    if (options.unsafe || !options.overlay.empty() || !of_units || of_layers) return {};
    const auto before = usd::Stage::open(asset, options.open);
    const auto after  = usd::Stage::open(repaired.work->entry().string(), options.open);
    return before && after ? resized(**before, **after, options.assume_meters.value_or(1),
                                     options.assume_up_axis.value_or('Z')) : std::string();
}

/// The rules whose repairs change how lengths and masses are said; seconds have no size.
bool is_of_units(const Rule& rule)
{
    const RepairOf* repair = repair_of(rule);
    return repair != nullptr && repair->phase == Phase::units && rule.id != "REP-1.1-c";
}

/// Repairs an asset, without its units where these would change how large it is.
Result<Repaired> repair_in_its_size(const std::string& asset, const std::string& work_folder, const FixOptions& options,
                                    Neighbours& neighbours)
{
    auto repaired = repair(asset, work_folder, options, neighbours);
    if (!repaired) return repaired;
    const std::string size = another_size(asset, options, *repaired);
    if (size.empty()) return repaired;
    FixOptions without = options;
    for (const Rule* rule : rules())
        if (is_of_units(*rule)) without.ignore.emplace_back(rule->id);
    repaired->work->discard();
    repaired = repair(asset, work_folder, without, neighbours);
    if (!repaired) return repaired;
    for (const Finding& finding : repaired->result.after.findings)
        if (is_of_units(*finding.rule))
            repaired->result.left.push_back({finding.rule, finding.site.prim, finding.site.property, "would-resize",
                                             "the repair would change what the asset measures: " + size, false,
                                             finding.severity, finding.site.layer});
    return repaired;
}

}  // namespace

/// A result for another place takes in what REP-1.2.5-h has left outside, because nothing else would lead there.
static Result<void> gather_rest(const FixOptions& options, Workspace& work, FixResult& result)
{
    const auto gathered = work.gather();
    if (!gathered) return gathered.error();
    if (gathered->empty()) return {};
    const Rule* rule = find_rule("REP-1.2.5-h");
    for (const Workspace::Gathered& one : *gathered) {
        result.edits.push_back(
            {rule, Phase::paths, one.layer, "/", "asset paths", "@" + one.was + "@", "@" + one.now + "@"});
        result.left.push_back({rule, "", "", "gathered",
                               "@" + one.was + "@ was taken in as @" + one.now +
                                   "@: the result would lack it, whichever repairs are wanted",
                               true, Severity::info, one.layer});
    }
    const auto stage = usd::Stage::open(work.entry().string(), options.open);
    if (!stage) return stage.error();
    CheckOptions again;
    again.profile = options.profile;
    auto report   = check(**stage, again);
    if (!report) return report.error();
    result.after = std::move(*report);
    return {};
}

Result<FixResult> fix(const std::string& asset, const std::string& work_folder, const FixOptions& options)
{
    for (const auto* selectors : {&options.select, &options.ignore})
        for (const std::string& selector : *selectors)
            if (std::none_of(rules().begin(), rules().end(), [&](const Rule* r) { return selects(selector, *r); }))
                return make_diagnostic(codes::kOption, {}, "'" + selector + "' is not a rule or a section");
    Neighbours neighbours;
    auto       repaired = repair_in_its_size(asset, work_folder, options, neighbours);
    if (!repaired) return repaired.error();
    if (find_what_others_keep(asset, work_folder, options, *repaired, neighbours)) {
        repaired->work->discard();
        repaired = repair_in_its_size(asset, work_folder, options, neighbours);
        if (!repaired) return repaired.error();
    }
    std::optional<Workspace>& work        = repaired->work;
    FixResult&                result      = repaired->result;
    std::vector<Unrepaired>&  in_variants = repaired->in_variants;
    if (options.stands_alone && options.localize && options.overlay.empty())
        if (auto gathered = gather_rest(options, *work, result); !gathered) return gathered.error();
    list_what_stays(options, result);
    for (Unrepaired& u : in_variants)  // what the default state has too is said already
        if (std::ranges::none_of(result.left, [&](const Unrepaired& known) {
                return known.rule == u.rule && known.prim == u.prim && known.property == u.property &&
                       known.layer == u.layer;
            }))
            result.left.push_back(std::move(u));
    say_what_others_keep(neighbours, *work, result);
    for (Unrepaired& u : result.left)
        if (const std::string named = u.layer.empty() ? "" : work->relative(u.layer); !named.empty()) u.layer = named;
    result.folder  = work->folder().string();
    result.entry   = work->relative(work->entry());
    result.files   = work->files();
    result.removed = work->removed();
    result.found   = std::move(neighbours.found);
    const auto by  = [](const Unrepaired& u) {
        return std::tuple(u.rule->id, u.prim, u.property, u.layer, u.reason, u.message);
    };
    std::sort(result.left.begin(), result.left.end(), [&](const auto& a, const auto& b) { return by(a) < by(b); });
    result.left.erase(std::unique(result.left.begin(), result.left.end(),
                                  [&](const auto& a, const auto& b) { return by(a) == by(b); }),
                      result.left.end());
    return std::move(result);
}

Result<FixResult> edit_entry(const std::string& asset, const std::string& work_folder, const std::string& overlay,
                             bool stands_alone, const std::function<Result<void>(usd::Layer& entry)>& edit)
{
    auto work = Workspace::copy(asset, work_folder);
    if (!work) return work.error();
    if (!overlay.empty())
        if (auto made = work->add_overlay(overlay); !made) return made.error();
    usd::Layer* entry = work->layer(work->entry().string());
    if (entry == nullptr) return make_diagnostic(codes::kWorkFolder, {.layer = asset}, "the entry cannot be read");
    if (auto edited = edit(*entry); !edited) return edited.error();
    if (auto saved = work->save(); !saved) return saved.error();
    if (stands_alone && overlay.empty())
        if (auto gathered = work->gather(); !gathered) return gathered.error();
    FixResult result;
    result.folder  = work->folder().string();
    result.entry   = work->relative(work->entry());
    result.files   = work->files();
    result.removed = work->removed();
    return result;
}

std::string to_json(const FixResult& result)
{
    nlohmann::ordered_json edits = nlohmann::ordered_json::array(), left = edits, files = edits;
    for (const FixEdit& edit : result.edits) edits.push_back(edit_json(edit));
    for (const Unrepaired& u : result.left)
        left.push_back({{"rule", u.rule->id},
                        {"prim", u.prim},
                        {"property", u.property},
                        {"layer", u.layer},
                        {"severity", to_string(u.severity)},
                        {"reason", u.reason},
                        {"message", u.message}});
    nlohmann::ordered_json rewritten = files, removed = files, without_comments = files;
    for (const FixedFile& file : result.files) {
        if (file.changed) files.push_back(file.name);
        if (file.rewritten) rewritten.push_back(file.name);
        if (file.comments_lost) without_comments.push_back(file.name);
    }
    for (const FixedFile& file : result.removed) removed.push_back(file.name);
    // A later run knows by these whether somebody has changed what this one wrote.
    nlohmann::ordered_json listed = nlohmann::ordered_json::array();
    for (const FixedFile& file : result.files)
        if (const auto sum = files::sha256_of((std::filesystem::path(result.folder) / file.name).string()))
            listed.push_back({{"path", file.name}, {"sha256", *sum}});
    const nlohmann::ordered_json all{{"schema", "mechane.fix/1"},
                                     {"entry", result.entry},
                                     {"edits", edits},
                                     {"unrepaired", left},
                                     {"changedFiles", files},
                                     {"files", listed},
                                     {"rewrittenFiles", rewritten},
                                     {"commentsLost", without_comments},
                                     {"removedFiles", removed},
                                     {"remaining",
                                      {{"error", result.after.count(Severity::error)},
                                       {"warning", result.after.count(Severity::warning)},
                                       {"info", result.after.count(Severity::info)}}}};
    return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mechane::conformance
