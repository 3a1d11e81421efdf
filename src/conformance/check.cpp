// Runs the rules on a stage: profiles, selection, severities, suppression, order and fingerprints of findings.
// Inputs: a stage and options. Output: a report with findings in the order of sections, and for each rule whether it
// passed, failed, found nothing to look at or could not be checked.
// Families of rules share the facts and run in parallel, each into a sink of its own; sinks are joined in a fixed
// order.
// Invariants: the report does not depend on threads; a rule that throws is told as failed, and the others go on.
// Called by all programs that check.

#include "mechane/conformance/check.h"
#include "conformance/instance_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "family.h"
#include "mechane/conformance/codes.h"
#include "mechane/conformance/source_faults.h"
#include "mechane/core/sha256.h"
#include "mechane/resolve/unknown_names.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/foreign.h"
#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {
namespace {

/// What a profile runs and how severe it is about single rules.
struct Profile {
    std::string_view                                   name;
    std::vector<std::string_view>                      select, ignore;
    std::vector<std::pair<std::string_view, Severity>> severities;
};

const std::vector<Profile>& all_profiles()
{
    static const std::vector<Profile> kProfiles{
        {"distributed", {"REP"}, {}, {}},
        {"core", {"1", "2"}, {}, {}},
        {"export", {"1", "3"}, {}, {}},
        {"source",
         {"REP"},
         {},
         {{"REP-1.1-i", Severity::info}, {"REP-1.2.5-c", Severity::info}, {"REP-1.2.5-d", Severity::info}}},
        {"scene", {"REP"}, {"REP-1.1-m", "REP-1.2.2-a"}, {}},
        {"ros-only", {"2"}, {}, {}},
        {"tidy", {"REP"}, {}, {{"REP-1.3-a", Severity::warning}}},
        // What UsdPhysics itself asks for, without the layout, names and interfaces of REP-0158.
        {"usdphysics",
         {"REP-1.1-f", "REP-1.2.5-a", "REP-1.2.5-b", "REP-1.2.5-k", "REP-1.2.6-a", "REP-1.2.6-b", "REP-1.3-b",
          "REP-1.3-e", "REP-1.3-f", "REP-1.3-i", "REP-1.3-j", "REP-1.3-l", "REP-1.3-p", "REP-1.3-r", "REP-1.3.3-c",
          "REP-1.3.4-b", "REP-1.4-b", "REP-3.4-g"},
         {},
         {}},
    };
    return kProfiles;
}

const Profile* find_profile(std::string_view name)
{
    for (const Profile& profile : all_profiles())
        if (profile.name == name) return &profile;
    return nullptr;
}

bool names_something(const std::string& selector)
{
    return selects(selector, source_rule()) ||
           std::any_of(rules().begin(), rules().end(), [&](const Rule* rule) { return selects(selector, *rule); });
}

/// Made of what stays when lines move: rule, prim, property and the like. Baselines name findings by it.
/// What is wrong with the source of a stage has no prim; its message names the element.
std::string fingerprint(const Finding& finding)
{
    Sha256 digest;
    for (const std::string_view part :
         {finding.rule->id, std::string_view(finding.site.prim),
          finding.rule == &source_rule() ? std::string_view(finding.message) : std::string_view(finding.site.property),
          std::string_view(finding.variant)}) {
        digest.update(part);
        digest.update(std::string_view("\0", 1));
    }
    return digest.finish().substr(0, 16);
}

/// "1.2.10" after "1.2.9": numbers by value.
std::vector<int> section_key(const Rule& rule)
{
    std::vector<int> key;
    int              part = 0;
    for (const char c : std::string(rule.section()) + ".") {
        if (c == '.')
            key.push_back(part), part = 0;
        else if (c >= '0' && c <= '9' && part < 1000)  // rules of a caller are named as they like
            part = 10 * part + (c - '0');
    }
    return key;
}

/// What a prototype is found guilty of is one finding, seen at each of its instances and said of the first.
void merge_instances(const Facts& facts, std::vector<Finding>& findings)
{
    std::map<std::tuple<const Rule*, std::string, std::string, std::string>, std::size_t> seen;
    std::vector<Finding>                                                                  merged;
    merged.reserve(findings.size());
    for (Finding& finding : findings) {
        const usd::Prim prim =
            finding.site.prim.empty() ? usd::Prim() : facts.stage.prim_at(usd::Path(finding.site.prim));
        if (prim && prim.is_instance_proxy()) {
            finding.site.prim      = first_shown(facts.stage, finding.site.prim);
            const auto [at, fresh] = seen.try_emplace(
                {finding.rule, finding.site.prim, finding.site.property, finding.variant}, merged.size());
            if (!fresh) {
                ++merged[at->second].instances;
                continue;
            }
        }
        merged.push_back(std::move(finding));
    }
    findings = std::move(merged);
}

/// Variants that are not selected: what only they have was not judged.
std::size_t states_besides(const Facts& facts)
{
    std::size_t states = 0;
    for (const PrimFacts& prim : facts.prims) {
        if (prim.prim.is_instance_proxy()) continue;
        for (const usd::VariantSetUse& set : usd::variant_sets(prim.prim))
            for (const std::string& name : set.variants) states += name != set.selection;
    }
    return states;
}

/// Prims whose payload is not loaded, outermost ones.
std::size_t payloads_left_out(const usd::Stage& stage)
{
    if (!usd::has_payloads(stage)) return 0;
    std::size_t left_out = 0;
    for (const usd::Prim& prim : stage.traverse({.all = true}))
        left_out += prim.active() && prim.defined() && !prim.loaded() && prim.parent().loaded();
    return left_out;
}

/// Schemas and properties that nothing knows, and what of the physics cannot be used. No rule judges it, and yet it has
/// no effect: it is said as an import says it.
/// @param judged  prims that findings are about
std::vector<Diagnostic> said_beside(const Facts& facts, const std::set<std::string>& judged)
{
    std::vector<Diagnostic> out;
    for (const Diagnostic& found : facts.stage.diagnostics())
        if (found.is(usd::kTypeUnknown.id) || found.is(usd::kApiUnknown.id) || found.is(usd::kApiInstanceMissing.id) ||
            found.is(usd::kApiInstanceUnexpected.id) || found.is("SOURCE_LOST"))
            out.push_back(found);
    // What the parser of the physics cannot use. Where a rule has found something on the same prim, that is its word.
    for (const Diagnostic& one : facts.physics_found)
        if (one.severity != Severity::info && judged.count(one.site.prim) == 0) out.push_back(one);
    // What a scene authors below "newton:" declares attributes of the user's own.
    const auto declared = [&](const std::string& name) {
        return name.starts_with("newton:") && std::any_of(facts.prims.begin(), facts.prims.end(), [&](const auto& one) {
                   return one.is(kScene) && one.authors(usd::Token(name));
               });
    };
    // Proposals for soft things have names of several kinds, which their reader knows.
    const auto is_soft = [](const usd::Prim& prim) {
        for (const usd::Prim& one : {prim, prim.parent()})
            if (one)
                for (const usd::Token& api : one.authored_apis())
                    if (api.text().find("Deformable") != std::string::npos) return true;
        return false;
    };
    const resolve::NameQuestion question{facts.stage, facts.physics.authored_names, declared, is_soft};
    Diagnostics                 found;
    resolve::report_unknown_names(question, found);
    resolve::report_unapplied_schemas(question, found);
    out.insert(out.end(), found.begin(), found.end());
    return out;
}

class Run {
  public:
    Run(const usd::Stage& stage, const CheckOptions& options, const Profile& profile)
        : stage_(stage), options_(options), profile_(profile)
    {
    }

    Report run()
    {
        Report report;
        report.asset   = stage_.source();
        report.profile = profile_.name;
        report.layers  = stage_.used_layers().size();
        const Facts facts(stage_, options_.pool, options_.interface_folders);
        report.prims          = facts.prims.size();
        const auto        all = families();
        std::vector<Sink> sinks(all.size());
        const auto        work = [&](std::size_t i) { run_family(*all[i], facts, sinks[i]); };
        if (options_.pool != nullptr)
            options_.pool->for_each(all.size(), 1, work);
        else
            for (std::size_t i = 0; i < all.size(); ++i) work(i);
        Sink sink;
        for (Sink& one : sinks) sink.take(std::move(one));
        for (const OwnRule& own : options_.own_rules) run_own(own, sink);
        const bool source = usd::is_foreign(stage_.source()) && !ignored(source_rule());
        if (source) judge_source(sink);
        for (const auto& [rule, found] : sink.found())
            if (selected(*rule) || is_own(*rule) || rule == &source_rule())
                report.findings.push_back(finding_of(*rule, found));
        merge_instances(facts, report.findings);
        for (Finding& finding : report.findings) finding.fingerprint = fingerprint(finding);
        suppress(facts, report);
        sort(report.findings);
        std::set<std::string> judged;
        for (const auto& [rule, found] : sink.found()) judged.insert(found.site.prim);
        for (Diagnostic& note : said_beside(facts, judged)) report.notes.push_back(std::move(note));
        report.states_left_out   = states_besides(facts);
        report.payloads_left_out = payloads_left_out(stage_);
        std::set<const Rule*> broken;
        for (const Finding& finding : report.findings) broken.insert(finding.rule);
        for (const Rule* rule : rules())
            if (selected(*rule)) report.outcomes.push_back(outcome_of(*rule, sink, broken));
        for (const OwnRule& own : options_.own_rules) report.outcomes.push_back(outcome_of(*own.rule, sink, broken));
        if (source) report.outcomes.push_back(outcome_of(source_rule(), sink, broken));
        return report;
    }

  private:
    void run_family(const Family& family, const Facts& facts, Sink& sink)
    {
        if (std::any_of(family.rules.begin(), family.rules.end(), [&](const Rule* rule) { return selected(*rule); }))
            guard(family.rules, sink, [&] { family.check(facts, sink); });
    }

    /// The findings of the reader of another format. They are judged whatever is selected, since every rule sees only
    /// what the reader could use.
    void judge_source(Sink& sink) const
    {
        sink.applies(source_rule());
        for (const Diagnostic& fault : stage_.diagnostics())
            if (is_source_fault(fault))
                sink.report(source_rule(), {.site     = fault.site,
                                            .message  = fault.message,
                                            .observed = {},
                                            .expected = {},
                                            .hint     = fault.hint,
                                            .variant  = fault.id,
                                            .severity = fault.severity});
    }

    void run_own(const OwnRule& own, Sink& sink)
    {
        guard(std::span(&own.rule, 1), sink, [&] {
            sink.applies(*own.rule);
            for (Finding& finding : own.check(stage_))
                sink.report(*own.rule, {.site     = std::move(finding.site),
                                        .message  = std::move(finding.message),
                                        .observed = std::move(finding.observed),
                                        .expected = std::move(finding.expected),
                                        .hint     = std::move(finding.hint),
                                        .variant  = std::move(finding.variant),
                                        .severity = finding.severity});
        });
    }

    /// We do not throw, but libraries below do, and so may rules of the caller; the other rules go on.
    template <class Work>
    static void guard(std::span<const Rule* const> rules, Sink& sink, const Work& work)
    {
        const auto failed = [&](std::string_view why) {
            for (const Rule* rule : rules) sink.failed(*rule, fmt::format("internal error: {}", why));
        };
        try {
            work();
        } catch (const std::exception& error) {
            failed(error.what());
        } catch (...) {
            failed("unknown");
        }
    }

    [[nodiscard]] bool is_own(const Rule& rule) const
    {
        return std::any_of(options_.own_rules.begin(), options_.own_rules.end(),
                           [&](const OwnRule& own) { return own.rule == &rule; });
    }

    [[nodiscard]] bool ignored(const Rule& rule) const
    {
        return std::any_of(options_.ignore.begin(), options_.ignore.end(),
                           [&](const std::string& selector) { return selects(selector, rule); });
    }

    [[nodiscard]] bool selected(const Rule& rule) const
    {
        const auto any = [&](const auto& selectors) {
            return std::any_of(selectors.begin(), selectors.end(), [&](const auto& s) { return selects(s, rule); });
        };
        if (rule.manual && !options_.manual) return false;
        return (options_.select.empty() ? any(profile_.select) : any(options_.select)) && !any(options_.ignore) &&
               !any(profile_.ignore);
    }

    [[nodiscard]] Severity severity_of(const Rule& rule, Severity found) const
    {
        if (const auto own = options_.severities.find(std::string(rule.id)); own != options_.severities.end())
            return own->second;
        for (const auto& [id, severity] : profile_.severities)
            if (id == rule.id) return severity;
        return found;
    }

    [[nodiscard]] Finding finding_of(const Rule& rule, const Found& found) const
    {
        const bool raised = options_.strict_payloads && found.variant == kRelaxed;
        return {.rule        = &rule,
                .severity    = severity_of(rule, found.severity && !raised ? *found.severity : rule.severity),
                .variant     = found.variant,
                .message     = found.message,
                .observed    = found.observed,
                .expected    = found.expected,
                .hint        = usd::is_foreign(stage_.source()) ? usd::foreign_hint(rule.id, found.hint) : found.hint,
                .site        = found.site,
                .instances   = 1,
                .fingerprint = {}};
    }

    /// Takes out what the baseline knows and what `customData.mechane.suppress` of a prim at or above asks for; errors
    /// cannot be suppressed inside the asset.
    /// What such a wish says in vain is noted where a finding would have been its matter.
    void suppress(const Facts& facts, Report& report) const
    {
        static const usd::Token                       kSuppress("customData:mechane:suppress");
        const std::set<std::string>                   known(options_.baseline.begin(), options_.baseline.end());
        std::map<usd::Path, std::vector<std::string>> asked;  // of the prims at and above findings
        const auto                                    in_vain = [&](const usd::Prim& prim, const std::string& why) {
            report.notes.push_back(make_diagnostic(
                codes::kSuppression, prim.site(), fmt::format("customData.mechane.suppress has no effect{}", why),
                "Write `string[] suppress = [\"REP-3.6-b\"]` with ids of warnings or of sections."));
        };
        const auto asked_at = [&](const usd::Path& path) -> const std::vector<std::string>& {
            const auto [at, fresh] = asked.try_emplace(path);
            if (const PrimFacts* prim = fresh ? facts.find(path) : nullptr) {
                const usd::Value wish  = prim->prim.metadata(kSuppress);
                const auto       rules = wish.get<std::vector<std::string>>();
                at->second             = rules.value_or(std::vector<std::string>());
                if (!wish.empty() && !rules) in_vain(prim->prim, ": suppress is not a string[]");
                for (const std::string& id : at->second)
                    if (!names_something(id)) in_vain(prim->prim, fmt::format(": '{}' is not a rule or a section", id));
            }
            return at->second;
        };
        std::set<std::pair<std::string, std::string>> errors;
        const auto                                    is_suppressed = [&](const Finding& finding) {
            for (usd::Path path(finding.site.prim); !path.empty() && !path.is_root(); path = path.parent())
                for (const std::string& id : asked_at(path)) {
                    if (!selects(id, *finding.rule)) continue;
                    if (finding.severity != Severity::error) return true;
                    if (errors.emplace(path.text(), id).second)
                        in_vain(facts.find(path)->prim,
                                fmt::format(" on errors of '{}': they cannot be suppressed here", id));
                }
            return false;
        };
        std::erase_if(report.findings, [&](const Finding& finding) {
            if (known.count(finding.fingerprint) != 0) return ++report.baselined, true;
            if (is_suppressed(finding)) return ++report.suppressed, true;
            return false;
        });
    }

    static void sort(std::vector<Finding>& findings)
    {
        // Sections are compared as lists of numbers, so that 1.2.10 follows 1.2.9.
        std::map<const Rule*, std::vector<int>> sections;  // taken apart once a rule, not once a comparison
        for (const Finding& finding : findings)
            if (const auto [at, fresh] = sections.try_emplace(finding.rule); fresh)
                at->second = section_key(*finding.rule);
        std::vector<std::vector<int>> ordered;
        for (const auto& [rule, section] : sections) ordered.push_back(section);
        std::sort(ordered.begin(), ordered.end());
        std::unordered_map<const Rule*, std::ptrdiff_t> rank;
        for (const auto& [rule, section] : sections)
            rank[rule] = std::lower_bound(ordered.begin(), ordered.end(), section) - ordered.begin();
        std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
            if (a.severity != b.severity) return a.severity > b.severity;
            if (const auto x = rank[a.rule], y = rank[b.rule]; x != y) return x < y;
            if (const int order = a.site.prim.compare(b.site.prim); order != 0) return order < 0;
            return a.rule->id < b.rule->id;
        });
    }

    static RuleOutcome outcome_of(const Rule& rule, const Sink& sink, const std::set<const Rule*>& broken)
    {
        const auto applied = sink.applied().find(&rule);
        if (applied == sink.applied().end()) return {&rule, Outcome::not_applicable, {}};
        if (!applied->second.empty()) return {&rule, Outcome::not_checked, applied->second, sink.has_failed(rule)};
        const bool found = broken.count(&rule) != 0;
        return {&rule, found ? Outcome::finding : Outcome::passed, {}};
    }

    const usd::Stage&   stage_;
    const CheckOptions& options_;
    const Profile&      profile_;
};

}  // namespace

std::vector<std::string_view> profiles()
{
    std::vector<std::string_view> names;
    for (const Profile& profile : all_profiles()) names.push_back(profile.name);
    return names;
}

bool is_source_fault(const Diagnostic& found)
{ return found.id.starts_with("SOURCE_") && found.id != "SOURCE_LOST" && found.severity != Severity::info; }

Result<Report> check(const usd::Stage& stage, const CheckOptions& options)
{
    const Profile* profile = find_profile(options.profile);
    if (profile == nullptr)
        return make_diagnostic(codes::kOption, {}, fmt::format("there is no profile '{}'", options.profile));
    for (const auto* selectors : {&options.select, &options.ignore})
        for (const std::string& selector : *selectors)
            if (!names_something(selector))
                return make_diagnostic(codes::kOption, {}, fmt::format("'{}' is not a rule or a section", selector));
    try {
        return Run(stage, options, *profile).run();
    } catch (const std::exception& error) {  // what all rules need could not be read
        return make_diagnostic(codes::kRuleFailed, {.layer = stage.source()},
                               fmt::format("no rule was checked: {}", error.what()));
    }
}

}  // namespace mechane::conformance
