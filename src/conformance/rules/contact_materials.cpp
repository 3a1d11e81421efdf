// Rules of REP-0158 1.3.4 about contact materials: binding, schema, values, and one material for looks and contact at
// once.
// The lookup of OpenUSD for purpose "physics" falls back to bindings of all purposes. The rule wants one that was meant
// for physics, so the fallback is told apart.

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "conformance/family.h"
#include "conformance/finite.h"
#include "conformance/variant_specs.h"

/// REP-0158 1.3.4: what colliders are made of.
namespace mechane::conformance {
namespace {

constexpr Rule kBinding{
    .id      = "REP-1.3.4-a",
    .slug    = "physics-binding",
    .summary = "A collider is bound to a material for the purpose physics.",
    .why     = "A material for looks is not a statement about friction.",
    .fix     = "A physics material that is bound for all purposes is bound for physics; with --unsafe a usual one.",
    .bad     = R"(
def Cube "wall" (
    prepend apiSchemas = ["PhysicsCollisionAPI"]
)
{
    token purpose = "guide"
}
)",
    .good    = R"(
<<collider wall>>
)",
};
constexpr Rule kApi{
    .id      = "REP-1.3.4-b",
    .slug    = "physics-material-api",
    .summary = "A material that is bound for physics applies PhysicsMaterialAPI.",
    .why     = "Without it the binding says nothing.",
    .fix     = "The schema is applied; coefficients are written as they are in force without it.",
    .fixable = true,
    .bad     = R"(
def Material "plain"
{
}

<<collider wall plain>>
)",
    .good    = R"(
<<collider wall>>
)",
};
constexpr Rule kValues{
    .id      = "REP-1.3.4-c",
    .slug    = "contact-attributes",
    .summary = "A physics material authors static friction, dynamic friction and restitution, in sane ranges.",
    .why     = "The schema's fallback is no friction at all; a robot stands on ice.",
    .fix     = "On demand: missing values are written.",
    .bad     = R"(
def Material "ice" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{
    float physics:dynamicFriction = 0.1
    float physics:staticFriction = 0.1
}

<<collider wall ice>>
)",
    .good    = R"(
def Material "ice" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{
    float physics:dynamicFriction = 0.1
    float physics:restitution = 0
    float physics:staticFriction = 0.1
}

<<collider wall ice>>
)",
};
constexpr Rule kClash{
    .id       = "REP-1.3.4-d",
    .slug     = "all-purpose-clash",
    .keyword  = Keyword::must_not,
    .severity = Severity::warning,
    .summary  = "Materials for looks and materials for contact are different prims.",
    .why      = "Changing the look of a part would change how it slides.",
    .fix      = "None: the material has to be split by hand.",
    .bad      = R"(
def Cube "shell" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding = </robot/Contact/rubber>
}

<<collider wall>>
)",
    .good     = R"(
<<collider wall>>
)",
};

/// The material that a binding of the physics family gives a prim: the general lookup falls back to all purposes, so a
/// prim above has to bind for physics, directly or by collection.
usd::Prim bound_for_physics(const Facts& facts, const usd::Prim& prim)
{
    const usd::Prim material = facts.stage.bound_material(prim, "physics");
    if (!material) return {};
    const usd::Prim all_purpose = facts.stage.bound_material(prim, "");
    if (all_purpose != material) return material;
    for (usd::Prim p = prim; p; p = p.parent())
        for (const usd::Token& name : p.authored_property_names())
            if (name.text() == "material:binding:physics" ||
                name.text().starts_with("material:binding:collection:physics:"))
                return material;
    return {};
}

/// True when the nearest binding for physics names a material that another variant has: REP-1.2.4-c's.
bool bound_elsewhere(const Facts& facts, const usd::Prim& prim)
{
    const usd::Token name("material:binding:physics");
    for (usd::Prim p = prim; p; p = p.parent())
        if (const std::vector<usd::Path> targets = p.relationship(name).targets(); !targets.empty())
            return in_other_variant(facts, targets.front());
    return false;
}

/// What the nearest binding for physics names, where it is there and is no material.
usd::Prim bound_to_no_material(const Facts& facts, const usd::Prim& prim)
{
    const usd::Token name("material:binding:physics");
    for (usd::Prim p = prim; p; p = p.parent())
        if (const std::vector<usd::Path> targets = p.relationship(name).targets(); !targets.empty()) {
            const PrimFacts* other = facts.find(targets.front());
            return other != nullptr && !other->is(kMaterial) ? other->prim : usd::Prim();
        }
    return {};
}

void check_material(const Facts& facts, const usd::Prim& material, Sink& sink)
{
    sink.applies(kApi);
    const PrimFacts* facts_of = facts.find(material.path());
    if ((facts_of != nullptr && !facts_of->is(kMaterial)) || !material.has_api("PhysicsMaterialAPI")) {
        sink.report(kApi,
                    {.site     = material.site(),
                     .message  = "the prim is bound for physics but is no physics material",
                     .observed = "no PhysicsMaterialAPI",
                     .expected = "PhysicsMaterialAPI",
                     .hint = "bind a material of its own for contact, with PhysicsMaterialAPI and its three values"});
        return;
    }
    sink.applies(kValues);
    const auto  value = [&](const char* name) { return material.attribute(name).authored_as<double>(); };
    const auto  fixed = value("physics:staticFriction"), moving = value("physics:dynamicFriction"),
                bounce = value("physics:restitution");
    std::string missing;
    for (const auto& [name, v] :
         {std::pair("staticFriction", fixed), {"dynamicFriction", moving}, {"restitution", bounce}})
        if (!v) missing += (missing.empty() ? "" : ", ") + std::string(name);
    const auto say = [&](const char* variant, std::string message, std::string observed, std::string hint,
                         Severity severity) {
        sink.report(kValues, {.site     = material.site(),
                              .message  = std::move(message),
                              .observed = std::move(observed),
                              .expected = "staticFriction >= dynamicFriction >= 0, restitution in [0, 1]",
                              .hint     = std::move(hint),
                              .variant  = variant,
                              .severity = severity});
    };
    if (!missing.empty())
        say("missing", "the physics material does not author " + missing, "not authored", "write it; the fallback is 0",
            Severity::error);
    for (const char* name : {"physics:staticFriction", "physics:dynamicFriction", "physics:restitution"})
        if (const auto observed = not_finite(material.attribute(name)))
            say(name, std::string(name) + " is " + *observed, *observed, "write a number", Severity::error);
    if ((fixed && *fixed < 0) || (moving && *moving < 0) || (bounce && *bounce < 0))
        say("negative", "a contact value is negative", "negative", "write 0 or more", Severity::error);
    // Static friction is the larger one in Coulomb's law.
    if (fixed && moving && *moving > *fixed && std::isfinite(*moving))
        say("order", "dynamic friction is larger than static friction", number(*moving) + " > " + number(*fixed),
            "swap or equal them", Severity::warning);
    if (bounce && *bounce > 1 && std::isfinite(*bounce))
        say("restitution", "restitution above 1 adds energy at every bounce", number(*bounce), "write at most 1",
            Severity::warning);
}

void check(const Facts& facts, Sink& sink)
{
    std::map<usd::Path, usd::Prim> contact, looks;
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kGprim)) continue;
        if (prim.is(kCollider)) {
            sink.applies(kBinding);
            if (const usd::Prim material = bound_for_physics(facts, prim.prim))
                contact.emplace(material.path(), material);
            else if (const usd::Prim other = bound_to_no_material(facts, prim.prim))
                contact.emplace(other.path(), other);
            else if (!bound_elsewhere(facts, prim.prim))
                sink.report(kBinding, {.site     = prim.prim.site(),
                                       .message  = facts.stage.bound_material(prim.prim, "")
                                                       ? "the collider is bound for all purposes only"
                                                       : "the collider is bound to no material",
                                       .observed = "no material:binding:physics",
                                       .expected = "material:binding:physics",
                                       .hint     = "bind a physics material with `rel material:binding:physics`"});
        } else if (const usd::Prim material = facts.stage.bound_material(prim.prim, "")) {
            looks.emplace(material.path(), material);
        }
    }
    for (const auto& [path, material] : contact) {
        check_material(facts, material, sink);
        sink.applies(kClash);
        if (looks.count(path) != 0 && material.has_api("PhysicsMaterialAPI"))
            sink.report(kClash, {.site     = material.site(),
                                 .message  = "one material is used for looks and for contact",
                                 .observed = path.text(),
                                 .expected = "two materials",
                                 .hint     = "give the visuals a material of their own"});
    }
}

constexpr std::array<const Rule*, 4> kRules{&kBinding, &kApi, &kValues, &kClash};

}  // namespace

constexpr Family kContactMaterialRules{kRules, check};

}  // namespace mechane::conformance
