#include "mass_log.h"

#include <fmt/format.h>

#include <vector>

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
        if (!v.has_axes()) unusable(kAxes, "the zero quaternion is no rotation");
    }

  private:
    void say(const usd::Token& name, Use use, std::string text) const
    {
        if (log_.find(prim_, name) != nullptr) log_.correct(prim_, name, use, std::move(text));
    }

    const usd::Prim&  prim_;
    physics::ReadLog& log_;
};

}  // namespace

void note_weightless_verdicts(const physics::PhysicsModel& model, physics::ReadLog& log)
{
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
        if (collider.path != body.path) below(collider.prim, collider.mass);
        if (model.options.mass_on_xforms != physics::MassOnXforms::inherit) continue;
        for (const physics::Index m : collider.mass_chain) {
            const physics::XformMass& mass = model.xform_masses[static_cast<std::size_t>(m)];
            below(mass.prim, mass.values);
        }
    }
}

}  // namespace mechane::resolve
