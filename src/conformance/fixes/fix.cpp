#include "mechane/conformance/fix.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/fixes/layout.h"
#include "conformance/fixes/placement.h"
#include "conformance/fixes/repair.h"
#include "conformance/fixes/verify.h"
#include "mechane/conformance/codes.h"

namespace mechane::conformance {
namespace {

constexpr int kTries  = 2;    // the second time a repair may finish what the first one uncovered
constexpr int kPasses = 100;  // each one makes an edit, so that only a repair that undoes another would get here
constexpr int kSearch = 60;   // passes that are taken back to find single repairs; then all of a pass are left out

const RepairOf* repair_of(const Rule& rule)
{
    for (const RepairOf& repair : repairs())
        if (repair.rule == rule.id) return &repair;
    return nullptr;
}

class Fixer {
  public:
    Fixer(const FixOptions& options, Workspace& work, FixResult& result)
        : options_(options), work_(work), result_(result)
    { check_.profile = options.profile; }

    Result<void> run()
    {
        for (int pass = 0; pass < kPasses + taken_back_; ++pass) {
            const auto stage = usd::Stage::open(work_.entry().string(), options_.open);
            if (!stage) return stage.error();
            const Facts facts(**stage);
            if (!before_) before_.emplace(facts);
            restore_joints(facts);
            if (work_edited_) {
                if (auto saved = flush(); !saved) return saved;
                continue;
            }
            if (trial_ && moved_something(facts)) continue;
            auto report = check(**stage, check_);
            if (!report) return report.error();
            begin_trial();
            if (repair_pass(facts, *report)) {
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
    /// Rule, prim, property and variant of a finding.
    using Key = std::tuple<std::string, std::string, std::string, std::string>;

    /// A finding that was offered to its repair.
    struct Offer {
        Phase phase   = Phase::schemas;
        int   times   = 0;
        bool  refused = false;  ///< nothing was edited; other edits may make it possible
        bool  moves   = false;  ///< it was taken back; where instances have gone it may be possible
    };
    /// What the passes have done to the whole world, and which findings were offered to their repairs.
    struct Progress {
        usd::Matrix4d        turned;
        double               stretched = 1;
        std::map<Key, Offer> offers;
    };
    /// A pass that is not judged yet: how things stood, and the repairs that edited something.
    struct Trial {
        Progress                                     before;
        std::size_t                                  edits = 0, left = 0;
        Phase                                        phase = Phase::schemas;
        std::vector<std::pair<Key, const RepairOf*>> repairs;
    };

    const FixOptions&          options_;
    Workspace&                 work_;
    FixResult&                 result_;
    CheckOptions               check_;
    std::optional<Whereabouts> before_;
    std::optional<JointFrames> frames_;  ///< before the pass that moved something
    std::optional<Trial>       trial_;
    Progress                   so_far_;
    usd::Matrix4d              turned_now_;
    std::size_t                suspects_    = 0;  ///< the next so many repairs hold one that moves something
    int                        taken_back_  = 0;
    bool                       mixed_units_ = false, work_edited_ = false;

    Result<void> flush()
    {
        work_edited_ = false;
        return work_.save();
    }

    void begin_trial()
    {
        work_.begin_trial();
        trial_ = Trial{so_far_, result_.edits.size(), result_.left.size(), {}, {}};
    }

    /// Judges the last pass by where things are now. When something is elsewhere the pass is taken back, and the next
    /// one offers half of its findings, until the repair is alone that would move something: it is left out.
    bool moved_something(const Facts& facts)
    {
        if (mixed_units_) {  // layers disagreed about lengths: only from here on can places be compared
            before_.emplace(facts);
            so_far_.turned    = {};
            so_far_.stretched = 1;
            mixed_units_      = false;
            trial_.reset();
            return false;
        }
        const std::string moved = Whereabouts(facts).moved_since(*before_, so_far_.turned, so_far_.stretched);
        const Trial       trial = *std::exchange(trial_, std::nullopt);
        if (moved.empty()) {
            suspects_ -= std::min(suspects_, trial.repairs.size());
            offer_again(trial.phase);
            return false;
        }
        work_.take_back();
        result_.edits.erase(result_.edits.begin() + static_cast<std::ptrdiff_t>(trial.edits), result_.edits.end());
        result_.left.erase(result_.left.begin() + static_cast<std::ptrdiff_t>(trial.left), result_.left.end());
        so_far_   = trial.before;
        suspects_ = trial.repairs.size();
        if (++taken_back_ <= kSearch && suspects_ > 1) return true;
        for (const auto& [key, repair] : trial.repairs) {
            Offer& offer = so_far_.offers[key];
            offer        = {.phase = trial.phase, .times = kTries, .moves = true};
            result_.left.push_back({find_rule(repair->rule), std::get<1>(key), std::get<2>(key), "would-move",
                                    "the repair would move something: " + moved});
        }
        suspects_ = 0;
        return true;
    }

    /// What was refused is offered once more: an instance may have become editable, a parent a component.
    void offer_again(Phase edited)
    {
        for (auto& [key, offer] : so_far_.offers) {
            const bool again = offer.refused ? offer.phase <= edited : offer.moves && edited == Phase::layers;
            if (!again) continue;
            offer = {.phase = offer.phase};
            std::erase_if(result_.left, [&](const Unrepaired& u) {
                return u.rule->id == std::get<0>(key) && u.prim == std::get<1>(key) && u.property == std::get<2>(key);
            });
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
        for (auto& [phase, findings] : by_phase) {
            // Parents first: what they hand down is then written once.
            std::stable_sort(findings.begin(), findings.end(), [](const Finding* a, const Finding* b) {
                return usd::Path(a->site.prim) < usd::Path(b->site.prim);
            });
            Repair            repair(facts, options_, work_, result_);
            const JointFrames frames(facts);
            const std::size_t most = suspects_ == 0 ? findings.size() : (suspects_ + 1) / 2;
            for (const Finding* finding : findings) {
                if (trial_->repairs.size() == most) break;
                const Key key{finding->rule->id, finding->site.prim, finding->site.property, finding->variant};
                Offer&    offer = so_far_.offers[key];
                if (offer.refused || offer.times >= kTries) continue;
                offer.phase = phase;
                ++offer.times;
                const std::size_t edits = repair.edits(), left = result_.left.size();
                repair.begin(*finding->rule, phase, finding);
                repair_of(*finding->rule)->run(repair, *finding);
                if (repair.take_deferred()) --offer.times;
                if (repair.edits() > edits)
                    trial_->repairs.emplace_back(key, repair_of(*finding->rule));
                else
                    offer.refused = result_.left.size() > left;
            }
            trial_->phase  = phase;
            so_far_.turned = so_far_.turned * repair.turned;
            so_far_.stretched *= repair.stretched;
            mixed_units_ |= repair.mixed_units;
            if (!repair.moved.empty()) {
                frames_.emplace(frames);
                turned_now_ = repair.turned;
            }
            if (repair.edits() > 0) return true;
        }
        return false;
    }
};

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
             {schema_repairs(), transform_repairs(), unit_repairs(), asset_repairs(), physics_repairs(), ros_repairs(),
              mesh_repairs(), path_repairs(), variant_repairs(), layout_repairs()})
            all.insert(all.end(), table.begin(), table.end());
        return all;
    }();
    return kAll;
}

Result<FixResult> fix(const std::string& asset, const std::string& work_folder, const FixOptions& options)
{
    for (const auto* selectors : {&options.select, &options.ignore})
        for (const std::string& selector : *selectors)
            if (std::none_of(rules().begin(), rules().end(), [&](const Rule* r) { return selects(selector, *r); }))
                return make_diagnostic(codes::kOption, {}, "'" + selector + "' names no rule and no section");
    auto work = Workspace::copy(asset, work_folder);
    if (!work) return work.error();
    if (!options.overlay.empty())
        if (auto made = work->add_overlay(options.overlay); !made) return made.error();
    FixResult result;
    if (auto ran = Fixer(options, *work, result).run(); !ran) return ran.error();
    result.folder = work->folder().string();
    result.entry  = work->entry().filename().string();
    result.files  = work->files();
    const auto by = [](const Unrepaired& u) { return std::tuple(u.rule->id, u.prim, u.property, u.reason, u.message); };
    std::sort(result.left.begin(), result.left.end(), [&](const auto& a, const auto& b) { return by(a) < by(b); });
    result.left.erase(std::unique(result.left.begin(), result.left.end(),
                                  [&](const auto& a, const auto& b) { return by(a) == by(b); }),
                      result.left.end());
    return result;
}

std::string to_json(const FixResult& result)
{
    nlohmann::ordered_json edits = nlohmann::ordered_json::array(), left = edits, files = edits;
    for (const FixEdit& edit : result.edits) edits.push_back(edit_json(edit));
    std::set<std::pair<std::string_view, std::string_view>> said;
    const auto say = [&](const Rule& rule, std::string_view prim, std::string_view property, std::string_view reason,
                         std::string_view message) {
        left.push_back(
            {{"rule", rule.id}, {"prim", prim}, {"property", property}, {"reason", reason}, {"message", message}});
        said.emplace(rule.id, prim);
    };
    for (const Unrepaired& u : result.left) say(*u.rule, u.prim, u.property, u.reason, u.message);
    // Errors of rules without a repair are left too; the rule says why.
    for (const Finding& f : result.after.findings)
        if (f.severity == Severity::error && said.count({f.rule->id, f.site.prim}) == 0)
            say(*f.rule, f.site.prim, f.site.property, "no-repair", f.rule->fix);
    for (const FixedFile& file : result.files)
        if (file.changed) files.push_back(file.name);
    const nlohmann::ordered_json all{{"schema", "mechane.fix/1"},
                                     {"entry", result.entry},
                                     {"edits", edits},
                                     {"unrepaired", left},
                                     {"changedFiles", files},
                                     {"remaining",
                                      {{"error", result.after.count(Severity::error)},
                                       {"warning", result.after.count(Severity::warning)},
                                       {"info", result.after.count(Severity::info)}}}};
    return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mechane::conformance
