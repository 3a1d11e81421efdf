// The ledger: for every authored physics property whether it was used, converted, overridden or ignored, and why. Made
// at the end of an import from notes of readers (physics::ReadLog) and from what became of prims.
// Nothing is silently dropped: a property without a note gets a reason from ledger_reasons.cpp.

#include "ledger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "ledger_reasons.h"
#include "mechane/physics/value_fault.h"
#include "mechane/resolve/unknown_names.h"
#include "mechane/usd/instancer_copies.h"
#include "mechane/usd/opinions.h"
#include "mechane/usd/start_value.h"
#include "property_units.h"

namespace mechane::importer {
namespace {

using physics::Use;

/// What keeps entities of the physics model out of the builder, by prim. A prim that is several of them (a body that is
/// its own collider) is left out only if all are.
class LeftOut {
  public:
    explicit LeftOut(Import& run) : run_(run)
    {
        for (std::size_t i = 0; i < run.physics.joints.size(); ++i) {
            const physics::Joint& j = run.physics.joints[i];
            visit(j.prim, run.joint_of[i] >= 0, [&] { return of_joint(j); }, j.enabled ? "" : "physics:jointEnabled");
        }
        for (std::size_t i = 0; i < run.physics.bodies.size(); ++i) {
            const physics::Body& b = run.physics.bodies[i];
            visit(
                b.prim, run.body_of[i] >= 0, [&] { return of(b, b.enabled, "the body is disabled"); },
                b.enabled ? "" : "physics:rigidBodyEnabled");
            // Its collider may be there, and yet nothing moves.
            if (run.body_of[i] < 0 && b.prim)
                // A disabled body whose colliders are static.
                dismiss_of_body(b);
        }
        for (std::size_t i = 0; i < run.physics.colliders.size(); ++i) {
            const physics::Collider& c = run.physics.colliders[i];
            visit(c.prim, run.shape_of[i] >= 0, [&] { return of(c, true, ""); }, "");
        }
        std::vector<bool> bound(run.physics.materials.size(), false);
        for (std::size_t i = 0; i < run.physics.colliders.size(); ++i)
            if (run.shape_of[i] >= 0)
                for (const physics::Index m : run.physics.colliders[i].materials)
                    bound[static_cast<std::size_t>(m)] = true;
        for (std::size_t i = 0; i < run.physics.materials.size(); ++i)
            if (run.deformable_materials.count(run.physics.materials[i].prim.path()) != 0) bound[i] = true;
        for (std::size_t i = 0; i < run.physics.materials.size(); ++i)
            visit(run.physics.materials[i].prim, bound[i], [] { return "no imported collider is bound to it"; }, "");
        for (std::size_t i = 0; i < run.physics.scenes.size(); ++i) {
            const physics::Scene& s = run.physics.scenes[i];
            visit(s.prim, s.valid && !(run.conventions.first_scene_only && i > 0), [&] { return of(s, true, ""); }, "");
        }
    }

    /// Why a prim was left out; empty for all others.
    [[nodiscard]] std::string reason(const usd::Prim& prim) const
    {
        const auto why = by_prim_.find(prim.index());
        return why == by_prim_.end() || why->second.imported ? std::string() : why->second.reason;
    }

    /// Lets the log say so of everything that was merely read.
    void apply() const
    {
        for (const auto& [prim, why] : by_prim_) {
            if (why.imported) continue;
            if (!why.decided_by.empty()) run_.log->correct(why.prim, why.decided_by, Use::used, why.reason);
            run_.log->dismiss(why.prim, "", why.reason);
        }
    }

  private:
    /// What a body says that is none to the run. Its weight counts where it is a collider of another body.
    void dismiss_of_body(const physics::Body& b) const
    {
        const std::string    why      = of(b, b.enabled, "the body is disabled");
        const physics::Index collider = run_.physics.collider_at(b.path);
        for (const char* name : kOfBodies) run_.log->dismiss(b.prim, name, why);
        if (collider != physics::kNone && run_.collider(collider).body == physics::kNone)
            for (const char* name : kOfMasses) run_.log->dismiss(b.prim, name, why);
    }

    /// What is said of a body alone.
    static constexpr const char* kOfBodies[] = {"physics:velocity", "physics:angularVelocity",
                                                "physics:kinematicEnabled", "physics:startsAsleep"};

    static constexpr const char* kOfMasses[] = {"physics:mass", "physics:density", "physics:centerOfMass",
                                                "physics:diagonalInertia", "physics:principalAxes"};

    struct Why {
        usd::Prim   prim;
        bool        imported = false;
        std::string reason, decided_by;
    };

    template <class Reason>
    void visit(const usd::Prim& prim, bool imported, const Reason& reason, const char* decided_by)
    {
        if (!prim) return;
        Why& why = by_prim_[prim.index()];
        why.prim = prim;
        // A prim that is several entities counts as imported if one is.
        why.imported = why.imported || imported;
        if (imported || !why.reason.empty()) return;
        why.reason     = reason();
        why.decided_by = decided_by;
    }

    template <class Entity>
    std::string of(const Entity& entity, bool enabled, const char* disabled) const
    {
        if (!entity.valid) return fmt::format("it was left out: {}", fmt::join(entity.reasons, ", "));
        if (run_.ignored(entity.path)) return "ignore_paths leaves it out";
        if (!enabled) return disabled;
        return "it was left out; see the findings about it";
    }
    [[nodiscard]] std::string of_joint(const physics::Joint& joint) const
    {
        if (joint.valid && joint.enabled && run_.options.floating.has_value() &&
            (joint.body0 == physics::kNone || joint.body1 == physics::kNone))
            return "the option floating puts another joint in its place";
        return of(joint, joint.enabled, "the joint is disabled");
    }

    Import&                      run_;
    std::map<std::uint32_t, Why> by_prim_;
};

std::string value_text(const usd::Prim& prim, const usd::Token& name, bool relationship)
{
    if (relationship) {
        std::vector<std::string> targets;
        for (const usd::Path& target : prim.relationship(name).targets()) targets.push_back("<" + target.text() + ">");
        return shortened(targets.size() == 1 ? targets.front() : fmt::format("[{}]", fmt::join(targets, ", ")));
    }
    const usd::Attribute attribute = prim.attribute(name);
    const usd::Value     value     = attribute.authored_value(usd::start_of(attribute));
    if (value.empty() && attribute.blocked()) return "None";
    return shortened(value.to_text());
}

Verdict verdict_of(Use use)
{
    switch (use) {
        case Use::read:
        case Use::used:
            return Verdict::used;
        case Use::converted:
            return Verdict::converted;
        case Use::overridden:
            return Verdict::overridden;
        case Use::ignored:
            return Verdict::ignored;
    }
    return Verdict::ignored;
}

class Accountant {
  public:
    Accountant(Import& run, const LeftOut& left_out)
        : run_(run), left_out_(left_out), where_(run.stage), root_(run.options.root_path)
    {
    }

    std::vector<LedgerEntry> run()
    {
        for (const usd::Prim& prim : run_.stage.traverse()) {
            const usd::Prim copy = usd::instancer_copy(prim);
            if (copy) note_copy(prim, copy);
            for (const usd::Token& name : prim.authored_property_names())
                if (is_physics_property(name.text()) || owned(name.text()))
                    enter(prim, name);
                else if (is_held_size(prim, name))
                    enter_held(prim, name);
        }
        fold_copies();
        return std::move(out_);
    }

  private:
    /// Namespaces of a user's own resolvers.
    [[nodiscard]] bool owned(const std::string& name) const
    {
        return std::any_of(run_.resolvers.resolvers().begin(), run_.resolvers.resolvers().end(),
                           [&](const resolve::Resolver& r) { return name.starts_with(r.name + ":"); });
    }

    void note_copy(const usd::Prim& prim, const usd::Prim& copy)
    {
        // A prototype may lie in a copy itself; what is authored is below the last of them.
        usd::Path path = prim.path();
        for (usd::Prim c = copy; c;) {
            const auto item = usd::instancer_item(c);
            if (!item || item->prototype.empty()) break;
            path = path.with_prefix_replaced(c.path(), item->prototype);
            c    = usd::instancer_copy(run_.stage.prim_at(path));
        }
        copied_[prim.path().text()] = path.text();
    }

    /// What is said of a property of copies is said of the prototype's, once: the most that any copy makes of it.
    void fold_copies()
    {
        if (copied_.empty()) return;
        // The most that any copy makes of it.
        const auto rank = [](Verdict v) {
            return v == Verdict::converted ? 3 : v == Verdict::used ? 2 : v == Verdict::overridden ? 1 : 0;
        };
        std::map<std::pair<std::string, std::string>, LedgerEntry> best;
        for (LedgerEntry& entry : out_)
            if (const auto copy = copied_.find(entry.prim); copy != copied_.end()) {
                const auto [at, fresh] = best.try_emplace({copy->second, entry.property}, entry);
                if (!fresh && rank(entry.verdict) > rank(at->second.verdict)) at->second = entry;
            }
        std::erase_if(out_, [&](const LedgerEntry& entry) { return copied_.count(entry.prim) != 0; });
        for (LedgerEntry& entry : out_)
            if (const auto of_copies = best.find({entry.prim, entry.property}); of_copies != best.end()) {
                entry.verdict = of_copies->second.verdict;
                entry.note    = of_copies->second.note;
                best.erase(of_copies);
            }
        // Prototypes that are no part of the stage by themselves (below a class or an over), by path.
        for (auto& [place, entry] : best) {
            if (!entry.site.layer.empty()) {
                entry.prim = entry.site.prim = place.first;
                out_.push_back(std::move(entry));
            }
        }
    }

    static constexpr std::string_view kHeld = "animated, held at its first value";

    /// Why a run does not follow the samples of a property.
    [[nodiscard]] std::string why_held(std::string_view name) const
    {
        if (!run_.options.animation) return fmt::format("{}: animation is switched off", kHeld);
        if (run_.conventions.animation_unread) return fmt::format("{}: newton-1.8 reads no samples", kHeld);
        if (name == "physics:velocity" || name == "physics:angularVelocity")
            return fmt::format("{}: the body starts with it, and the solver moves it from there", kHeld);
        if (name.starts_with("physics:localPos") || name.starts_with("physics:localRot"))
            return fmt::format("{}: a run moves no frames of joints", kHeld);
        return fmt::format("{}: a run has no use for later ones", kHeld);
    }

    /// A size of a collider that is animated: shapes keep theirs.
    [[nodiscard]] bool is_held_size(const usd::Prim& prim, const usd::Token& name) const
    {
        constexpr std::string_view kSizes[] = {"axis",   "height", "length", "points",
                                               "radius", "size",   "width",  "widths"};
        return std::find(std::begin(kSizes), std::end(kSizes), name.text()) != std::end(kSizes) &&
               run_.physics.collider_at(prim.path()) != physics::kNone && prim.attribute(name).varying();
    }

    void enter_held(const usd::Prim& prim, const usd::Token& name)
    {
        LedgerEntry entry;
        entry.prim     = prim.path().text();
        entry.property = name.text();
        entry.value    = value_text(prim, name, false);
        entry.site     = where_.site(prim, name);
        entry.verdict  = Verdict::ignored;
        entry.note     = fmt::format("{}: a run changes no sizes", kHeld);
        out_.push_back(std::move(entry));
    }

    void enter(const usd::Prim& prim, const usd::Token& name)
    {
        const bool relationship = prim.relationship(name).authored();
        if (!relationship && !prim.attribute(name)) return;
        LedgerEntry entry;
        entry.prim     = prim.path().text();
        entry.property = name.text();
        entry.value    = value_text(prim, name, relationship);
        entry.site     = where_.site(prim, name);
        judge(prim, name, relationship, entry);
        out_.push_back(std::move(entry));
    }

    void judge(const usd::Prim& prim, const usd::Token& name, bool relationship, LedgerEntry& entry)
    {
        const auto ignore = [&](std::string reason) {
            entry.verdict = Verdict::ignored;
            entry.note    = std::move(reason);
        };
        if (is_deformable(prim)) return ignore(std::string(kNoDeformables));
        if (!prim.path().has_prefix(root_)) return ignore_outside(prim, name, entry);
        const physics::UseNote* note = run_.log->find(prim, name);
        if (!relationship)
            if (const auto fault = physics::value_fault(prim, name))
                return ignore(fmt::format("it {}; it counts as not authored", fault->text));
        // The parser's own: vendors' attributes are read by others, which take any type.
        if (!relationship && is_of_parser(prim, name) &&
            physics::is_unread_type(run_.conventions, prim.attribute(name)))
            return ignore(fmt::format("it is of type {}, expected {}; it counts as not authored",
                                      prim.attribute(name).other_type(), prim.attribute(name).type_name()));
        if (note == nullptr) {
            if (run_.ignored(prim.path())) return ignore("ignore_paths leaves it out");
            if (const auto below = excluded_above(prim); !below.empty()) return ignore(below);
            if (std::string why = left_out_.reason(prim); !why.empty()) return ignore(std::move(why));
            ignore(reason_not_read(prim, name.text(), run_.resolvers));
            return;
        }
        entry.verdict = verdict_of(note->use);
        entry.note    = note->note;
        if (relationship) return;
        const bool has_say = entry.verdict == Verdict::used || entry.verdict == Verdict::converted;
        // Samples that a run does not follow.
        if (has_say && !run_.result.animation.follows(prim.path(), name) && prim.attribute(name).varying())
            return ignore(why_held(name.text()));
        if (note->use != Use::read) return;
        // What UsdPhysics authors in a unit of its own.
        if (const auto dimension = dimension_of(prim, name.text())) {
            const double factor = run_.context.scale.factor(*dimension);
            if (factor == 1 || entry.value == "None") return;
            entry.verdict = Verdict::converted;
            entry.note    = fmt::format("times {:.9g}: {}", factor, conversion_name(*dimension));
        }
    }

    /// Whether OpenUSD's schemas have the attribute, and the parser reads it.
    static bool is_of_parser(const usd::Prim& prim, const usd::Token& name)
    {
        const std::string& text = name.text();
        return text.find("physics:") != std::string::npos || (text.find(':') == std::string::npos && prim.is_a("Gprim"));
    }

    /// Materials are found outside the subtree that is imported.
    void ignore_outside(const usd::Prim& prim, const usd::Token& name, LedgerEntry& entry)
    {
        const physics::UseNote* note = run_.log->find(prim, name);
        entry.verdict                = note == nullptr ? Verdict::ignored : verdict_of(note->use);
        entry.note                   = note == nullptr ? "it lies outside root_path" : note->note;
    }

    [[nodiscard]] bool is_deformable(const usd::Prim& prim) const
    {
        if (run_.unsupported.empty()) return false;
        for (usd::Path path = prim.path(); !path.is_root() && !path.empty(); path = path.parent())
            if (run_.unsupported.count(path) != 0) return true;
        return false;
    }

    /// A literal entry of ignore_paths prunes what lies below it too.
    [[nodiscard]] std::string excluded_above(const usd::Prim& prim) const
    {
        for (const std::string& text : run_.options.ignore_paths)
            if (const usd::Path path(text); !path.empty() && prim.path().has_prefix(path))
                return "ignore_paths leaves it out";
        return {};
    }

    Import&                            run_;
    const LeftOut&                     left_out_;
    usd::OpinionIndex                  where_;
    usd::Path                          root_;
    std::vector<LedgerEntry>           out_;
    std::map<std::string, std::string> copied_;  ///< prims of copies of prototypes, and what they are copies of
};

}  // namespace

std::string shortened(std::string text)
{
    constexpr std::size_t kMost = 80;
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.size() <= kMost) return text;
    text.resize(kMost - 3);
    // Never within a character of UTF-8.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
    return text + "...";
}

std::string_view to_string(Verdict verdict)
{
    switch (verdict) {
        case Verdict::used:
            return "used";
        case Verdict::converted:
            return "converted";
        case Verdict::overridden:
            return "overridden";
        case Verdict::ignored:
            return "ignored";
    }
    return "";
}

LedgerTotals totals(std::span<const LedgerEntry> ledger)
{
    LedgerTotals t;
    for (const LedgerEntry& entry : ledger) {
        t.used += entry.verdict == Verdict::used ? 1 : 0;
        t.converted += entry.verdict == Verdict::converted ? 1 : 0;
        t.overridden += entry.verdict == Verdict::overridden ? 1 : 0;
        t.ignored += entry.verdict == Verdict::ignored ? 1 : 0;
    }
    return t;
}

bool is_physics_property(std::string_view name) { return resolve::is_physics_property(name); }

std::vector<LedgerEntry> make_ledger(Import& run)
{
    const LeftOut left_out(run);
    left_out.apply();
    return Accountant(run, left_out).run();
}

}  // namespace mechane::importer
