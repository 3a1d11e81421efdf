// Says of every authored mass property whether it decides anything, for `explain` and the list of unused attributes.
// First the rules that can be told from the values alone; then, since these leave many cases, a trial: each value is
// changed and the body weighed again.
//
// Which value goes first is decided in mass_rules.cpp; nothing here changes a mass.

#include "mass_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "mechane/usd/key_times.h"

namespace mechane::resolve {

namespace {

using physics::MassValues;
using physics::Use;

const usd::Token kMass("physics:mass"), kDensity("physics:density"), kCom("physics:centerOfMass"),
    kDiagonal("physics:diagonalInertia"), kAxes("physics:principalAxes"), kTensor("newton:inertia");

/// Speaks of one prim's properties, of those only that are authored: the others have never been read.
class Speaker {
  public:
    Speaker(const usd::Prim& prim, physics::ReadLog& log) : prim_(prim), log_(log) {}

    void unusable(const usd::Token& name, std::string_view needs) const
    { say(name, Use::ignored, fmt::format("it is not usable: {}", needs)); }
    void lost_to(const usd::Token& name, std::string_view winner) const
    { say(name, Use::overridden, fmt::format("{} goes first", winner)); }
    void ignored(const usd::Token& name, std::string_view reason) const
    { say(name, Use::ignored, std::string(reason)); }

    /// Values that count as not authored.
    void unusable_values(const MassValues& v) const
    {
        if (!v.has_mass()) unusable(kMass, "a mass must be finite and above 0");
        if (!v.has_density()) unusable(kDensity, "a density must be finite and above 0");
        if (!v.has_diagonal()) unusable(kDiagonal, "the moments must be finite, at least 0 and not all 0");
        if (!v.has_com()) unusable(kCom, "a centre of mass must be finite");
        if (!v.has_axes()) unusable(kAxes, "the zero quaternion is not a rotation");
    }

  private:
    // The verdict is corrected and not added: the log holds one verdict for each property.
    void say(const usd::Token& name, Use use, std::string text) const
    {
        // A property that was never read has no verdict.
        if (log_.find(prim_, name) != nullptr) log_.correct(prim_, name, use, std::move(text));
    }

    const usd::Prim&  prim_;
    physics::ReadLog& log_;
};

/// What a body takes over from the prims above it, as `physics::parse` has it: the nearest density, the outermost mass.
struct FromAbove {
    const physics::XformMass *mass = nullptr, *density = nullptr;
};

class Ancestors {
  public:
    explicit Ancestors(const physics::PhysicsModel& model) : model_(model)
    {
        // Only with the option inherit do prims above a body count at all.
        if (model.options.mass_on_xforms != physics::MassOnXforms::inherit) return;
        for (const physics::XformMass& one : model.xform_masses) at_.emplace(one.path, &one);
        // A mass above several bodies belongs to none of them, so bodies below each prim are counted.
        for (const physics::Body& body : model.bodies)
            if (body.enabled) climb(body, [&](const physics::XformMass& one) { ++bodies_[&one]; });
    }

    [[nodiscard]] FromAbove of(const physics::Body& body) const
    {
        FromAbove out;
        if (!body.enabled) return out;
        const auto own = [&](const usd::Token& name) {
            const auto x = usd::start_authored_as<double>(body.prim.attribute(name));
            return x && *x > 0 && std::isfinite(*x);
        };
        // The authored attribute is asked and not the parsed value, which may be one that was taken over from above.
        const bool dense = own(kDensity) || own(kMass);
        climb(body, [&](const physics::XformMass& one) {
            if (one.values.has_density() && !dense && out.density == nullptr) out.density = &one;
            if (one.values.has_mass() && bodies_.at(&one) == 1) out.mass = &one;
        });
        // A mass that is taken over makes the densities from above pointless.
        if (out.mass != nullptr) out.density = nullptr;
        return out;
    }

  private:
    template <class Visit>
    void climb(const physics::Body& body, const Visit& visit) const
    {
        if (at_.empty()) return;
        // The climb ends at the next body: what stands above it belongs to that one.
        for (usd::Prim p = body.prim.parent(); p && model_.body_at(p.path()) == physics::kNone; p = p.parent())
            if (const auto one = at_.find(p.path()); one != at_.end()) visit(*one->second);
    }

    const physics::PhysicsModel&                     model_;
    std::map<usd::Path, const physics::XformMass*>   at_;
    std::map<const physics::XformMass*, std::size_t> bodies_;  // only looked up
};

bool differ(const BodyMassProperties& a, const BodyMassProperties& b)
{
    // Far above rounding, far below what the trial changes.
    const auto apart = [](double x, double y) { return std::abs(x - y) > 1e-12 * std::max(std::abs(x), std::abs(y)); };
    bool       out   = apart(a.mass, b.mass);
    for (std::size_t i = 0; i < 3; ++i) {
        out = out || apart(a.com[i], b.com[i]);
        for (std::size_t k = 0; k < 3; ++k)
            // Products of inertia may be zero: they are compared with the moments of their two axes.
            out = out || std::abs(a.inertia(i, k) - b.inertia(i, k)) >
                             1e-12 * (std::abs(a.inertia(i, i)) + std::abs(a.inertia(k, k)));
    }
    return out;
}

/// Finds out by trial which authored mass properties decide something: each gets another value in turn.
//
// It works on a copy of the model and puts each value back before the next, so trials do not add up.
class Trial {
  public:
    Trial(const physics::PhysicsModel& model, const Weigh& weigh) : model_(model), changed_(model), weigh_(weigh) {}

    void run(physics::ReadLog& log)
    {
        const Ancestors above(model_);
        for (std::size_t i = 0; i < model_.bodies.size(); ++i) try_body(i, above.of(model_.bodies[i]));
        for (const auto& [prim, properties] : decides_)
            for (const auto& [name, decides] : properties) say(log, prim, name, decides);
    }

  private:
    void try_body(std::size_t i, const FromAbove& above)
    {
        const physics::Body& body = model_.bodies[i];
        body_                     = static_cast<physics::Index>(i);
        was_                      = weigh_(model_, body_);
        // A value that came from above is reported at the prim where it is authored.
        const usd::Prim heavy = above.mass != nullptr ? above.mass->prim : body.prim,
                        dense = above.density != nullptr ? above.density->prim : body.prim;
        try_values(changed_.bodies[i].mass, body.prim, heavy, dense);
        // The body's own mass was not used then.
        if (above.mass != nullptr) note(body.prim, kMass, false);
        for (const physics::Index c : body.colliders) {
            const physics::Collider& collider = model_.colliders[static_cast<std::size_t>(c)];
            // Where body and collider are one prim, either reading of it may decide: the density is the collider's.
            try_values(changed_.colliders[static_cast<std::size_t>(c)].mass, collider.prim, collider.prim,
                       collider.prim);
            if (model_.options.mass_on_xforms == physics::MassOnXforms::inherit)
                for (const physics::Index m : collider.mass_chain) {
                    physics::XformMass& one = changed_.xform_masses[static_cast<std::size_t>(m)];
                    try_values(one.values, one.prim, one.prim, one.prim);
                }
            for (const physics::Index m : collider.materials) try_material(m);
            if (collider.own_material != physics::kNone) try_material(collider.own_material);
        }
    }

    void try_material(physics::Index m)
    {
        physics::Material& material = changed_.materials[static_cast<std::size_t>(m)];
        if (material.prim && material.density > 0 && std::isfinite(material.density))
            trial(material.density, 1.7 * material.density, material.prim, kDensity);
    }

    void try_values(MassValues& v, const usd::Prim& prim, const usd::Prim& of_mass, const usd::Prim& of_density)
    {
        // The factors are arbitrary, but none is one that a symmetric body would not feel.
        if (v.has_mass()) trial(v.mass, 1.7 * v.mass, of_mass, kMass);
        if (v.has_density()) trial(v.density, 1.7 * v.density, of_density, kDensity);
        // The offset scales with the centre's distance and has a constant part for a centre in the origin.
        if (v.has_com()) trial(v.com, v.com + (0.1 + length(v.com)) * Vec3d{0.3, 0.5, 0.7}, prim, kCom);
        if (v.has_diagonal()) trial(v.diagonal, scale(v.diagonal, {1.1, 1.2, 1.3}), prim, kDiagonal);
        // A turn about no axis of symmetry, so that moments that differ come out differently.
        if (v.has_axes()) trial(v.axes, normalized(v.axes * normalized(Quatd{0.1, 0.2, 0.3, 0.9})), prim, kAxes);
    }

    template <class T>
    void trial(T& place, T other, const usd::Prim& prim, const usd::Token& name)
    {
        std::swap(place, other);
        note(prim, name, differ(was_, weigh_(changed_, body_)));
        std::swap(place, other);
    }

    // One prim may be tried for several bodies; it decides if it does so for any.
    void note(const usd::Prim& prim, const usd::Token& name, bool decides)
    {
        auto& properties = decides_[prim.path()];
        for (auto& [known, any] : properties)
            if (known == name) {
                any = any || decides;
                return;
            }
        properties.emplace_back(name, decides);
        prims_[prim.path()] = prim;
    }

    void say(physics::ReadLog& log, const usd::Path& path, const usd::Token& name, bool decides) const
    {
        const usd::Prim& prim = prims_.at(path);
        // What was never read stays without a verdict.
        const physics::UseNote* said = log.find(prim, name);
        if (said == nullptr) return;
        const bool used = said->use == Use::read || said->use == Use::used || said->use == Use::converted;
        // A value called ignored by the plain rules that decides after all is taken back to "read".
        if (decides && !used) log.correct(prim, name, Use::read, {});
        if (!decides && used)
            log.correct(prim, name, Use::overridden,
                        "other mass properties of the body leave nothing for it to decide");
    }

    const physics::PhysicsModel&                                  model_;
    physics::PhysicsModel                                         changed_;
    const Weigh&                                                  weigh_;
    physics::Index                                                body_ = physics::kNone;
    BodyMassProperties                                            was_;
    std::map<usd::Path, std::vector<std::pair<usd::Token, bool>>> decides_;
    std::map<usd::Path, usd::Prim>                                prims_;
};

}  // namespace

void note_weightless_verdicts(const physics::PhysicsModel& model, physics::ReadLog& log)
{
    // Materials of bodies' colliders only: what belongs to no body weighs nothing.
    std::vector<bool> weighs(model.materials.size(), false);
    for (const physics::Collider& collider : model.colliders) {
        if (collider.body != physics::kNone) {
            for (const physics::Index m : collider.materials) weighs[static_cast<std::size_t>(m)] = true;
            continue;
        }
        const Speaker speak(collider.prim, log);
        for (const auto& name : {kMass, kDensity, kCom, kDiagonal, kAxes})
            speak.ignored(name, "it belongs to no body: what cannot move weighs nothing");
    }
    // What stands above bodies and in none of them.
    if (model.options.mass_on_xforms == physics::MassOnXforms::inherit)
        for (const physics::XformMass& above : model.xform_masses) {
            const Speaker speak(above.prim, log);
            for (const auto& name : {kCom, kDiagonal, kAxes})
                speak.ignored(name, "the prim is neither a body nor a collider, which have their own");
            const auto inside = [&](const physics::Body& body) { return above.path.has_prefix(body.path); };
            if (std::any_of(model.bodies.begin(), model.bodies.end(), inside)) continue;
            speak.ignored(kMass, "it belongs to no one rigid body");
            speak.ignored(kDensity, "no body below it takes it over");
        }
    for (std::size_t i = 0; i < weighs.size(); ++i)
        if (!weighs[i] && model.materials[i].prim)
            Speaker(model.materials[i].prim, log).ignored(kDensity, "no collider of a body is bound to it");
}

void note_mass_verdicts(const physics::PhysicsModel& model, const physics::Body& body, const MassDecision& decision,
                        physics::ReadLog& log)
{
    const MassValues& own       = body.mass;
    const bool        diagonal  = own.has_diagonal();
    const std::string body_mass = fmt::format("<{}.physics:mass>", body.path.text());
    if (own.applied) {
        const Speaker speak(body.prim, log);
        if (decision.pair_rule_drops) {
            for (const auto& name : {kMass, kDensity, kCom, kDiagonal, kAxes})
                speak.ignored(name, "mass and diagonal inertia count only together here");
        } else {
            if (own.has_mass()) speak.lost_to(kDensity, "physics:mass");
            if (decision.tensor_authored) {
                speak.lost_to(kDiagonal, "newton:inertia");
                speak.lost_to(kAxes, "newton:inertia");
            } else if (!diagonal) {
                speak.ignored(kAxes, "no diagonal inertia is authored that it could turn");
            }
            if (!decision.tensor_authored && log.find(body.prim, kTensor) != nullptr)
                speak.unusable(kTensor, "six finite numbers of a positive semidefinite tensor are needed");
            speak.unusable_values(own);
        }
    }
    const auto below = [&](const usd::Prim& prim, const MassValues& v) {
        if (!v.applied) return;
        const Speaker speak(prim, log);
        // A body with complete values of its own asks nothing of the shapes below.
        if (!decision.computed) {
            for (const auto& name : {kMass, kDensity, kCom, kDiagonal, kAxes})
                speak.lost_to(name, fmt::format("the complete mass properties of <{}>", body.path.text()));
        } else {
            if (v.has_mass()) speak.lost_to(kDensity, "physics:mass");
            if (!v.has_diagonal()) speak.ignored(kAxes, "no diagonal inertia is authored that it could turn");
            // With a mass of the body but no inertia, the tensor is scaled from the shapes at their densities.
            if (own.has_mass() && own.has_com()) {
                speak.lost_to(kMass, body_mass);
                speak.lost_to(kDensity, body_mass);
                speak.lost_to(kDiagonal, body_mass);
                speak.lost_to(kAxes, body_mass);
                speak.lost_to(kCom, fmt::format("<{}.physics:centerOfMass>", body.path.text()));
            }
        }
        speak.unusable_values(v);
    };
    for (const physics::Index i : body.colliders) {
        const physics::Collider& collider = model.colliders[static_cast<std::size_t>(i)];
        // What stands on the body's own prim was judged with the body.
        if (collider.path != body.path) below(collider.prim, collider.mass);
        if (model.options.mass_on_xforms != physics::MassOnXforms::inherit) continue;
        for (const physics::Index m : collider.mass_chain) {
            const physics::XformMass& mass = model.xform_masses[static_cast<std::size_t>(m)];
            below(mass.prim, mass.values);
        }
    }
}

void note_mass_truth(const physics::PhysicsModel& model, const Weigh& weigh, physics::ReadLog& log)
{ Trial(model, weigh).run(log); }

}  // namespace mechane::resolve
