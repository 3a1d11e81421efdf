// Rules of REP-0158 1.2.4 about variants: a selection that exists, targets that do not depend on another variant, and a
// default state that is complete.
// What only unselected variants have is read from their specs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "conformance/by_name.h"
#include "conformance/family.h"
#include "conformance/instance_copies.h"
#include "conformance/variant_specs.h"
#include "mechane/usd/selection_expressions.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 1.2.4: variants.
namespace mechane::conformance {
namespace {

/// A variant set whose selection exists.
constexpr const char* kSelected = R"(
<<variants g gripper two_finger>>
        "two_finger" {
        }
    }
}
)";

constexpr Rule kDefault{
    .id      = "REP-1.2.4-a",
    .slug    = "default-selection",
    .summary = "Every variant set has a selection in the asset.",
    .why     = "Without one each reader picks what its own configuration says, or nothing.",
    .fix     = "The conventional default is selected; without one the author has to choose.",
    .fixable = true,
    .bad     = R"(
def Xform "g" (
    prepend variantSets = "gripper"
)
{
    variantSet "gripper" = {
        "none" {
        }
        "two_finger" {
        }
    }
}
)",
    .good    = kSelected,
};
constexpr Rule kExists{
    .id      = "REP-1.2.4-b",
    .slug    = "selection-exists",
    .summary = "The selected variant exists.",
    .why     = "A selection that names nothing selects nothing, in silence.",
    .fix     = "As default-selection.",
    .fixable = true,
    .bad     = R"(
<<variants g gripper missing>>
        "none" {
        }
        "two_finger" {
        }
    }
}
)",
    .good    = kSelected,
};
constexpr Rule kComplete{
    .id       = "REP-1.2.4-c",
    .slug     = "default-complete",
    .severity = Severity::error,
    .summary  = "What joints and interfaces name exists in the default variants.",
    .why      = "The robot falls apart, or is not seen, unless somebody knows which variant to choose.",
    .fix      = "None: author the relationship inside the variant that has its target.",
    .bad      = R"(
<<body a>>

<<variants g gripper none>>
        "none" {
        }
        "two_finger" {
            def Xform "finger" {
            }
        }
    }
}

def Xform "watch"
{
    custom rel control:target = </robot/g/finger>
}
)",
    .good     = "",
};
/// A binding of what is seen: no other rule judges it.
bool is_look(std::string_view name)
{
    return name.starts_with("material:binding") && name != "material:binding:physics" &&
           !name.starts_with("material:binding:collection:physics:");
}

bool is_drawn_type(std::string_view type)
{
    static const std::set<std::string_view> kTypes{
        "Mesh",       "Points",    "BasisCurves",   "NurbsCurves",
        "NurbsPatch", "TetMesh",   "Cube",          "Sphere",
        "Cylinder",   "Capsule",   "Cone",          "Plane",
        "Cylinder_1", "Capsule_1", "HermiteCurves", "ParticleField3DGaussianSplat"};
    return kTypes.count(type) != 0;
}

std::string listed(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

void check_set(const usd::Prim& prim, const usd::VariantSetUse& set, Sink& sink)
{
    const auto say = [&](const Rule& rule, std::string message, std::string observed, std::string expected,
                         std::string hint, std::optional<Severity> severity = {}) {
        sink.report(rule, {.site     = prim.site(),
                           .message  = std::move(message),
                           .observed = std::move(observed),
                           .expected = std::move(expected),
                           .hint     = std::move(hint),
                           .variant  = set.name,
                           .severity = severity});
    };
    sink.applies(kDefault);
    sink.applies(kExists);
    const bool exists = std::find(set.variants.begin(), set.variants.end(), set.selection) != set.variants.end();
    if (exists) return;
    if (!set.selected)
        return say(kDefault, "the variant set " + set.name + " has no selection", listed(set.variants),
                   "one of them selected", "select one in the `variants` of the prim");
    // An expression selects what its variables say; then these are to be corrected.
    const std::string expression = usd::selection_expression(prim, set.name);
    const std::string subject    = "the selection of the variant set " + set.name + " is ";
    const std::string value      = expression.empty() ? "\"" + set.selection + "\""
                                                      : expression + ", which evaluates to \"" + set.selection + "\"";
    const std::string cure =
        expression.empty() ? "select one of its variants" : "correct the expression, or its expressionVariables";
    if (set.selection.empty())
        say(kExists, subject + value + ": none of its variants is used", "\"\"", listed(set.variants), cure,
            Severity::warning);
    else
        say(kExists, subject + value + ", and it has no such variant", set.selection, listed(set.variants), cure);
}

/// True for a relationship whose target must be there: joints, bindings, interfaces, control.
bool is_binding(std::string_view name)
{
    return is_look(name) || name.starts_with("material:binding") || name.starts_with("control:") ||
           name.starts_with("ros:") || name.starts_with("ext_physics:") || name == "physics:body0" ||
           name == "physics:body1";
}

void check_targets(const Facts& facts, Sink& sink)
{
    ByName<bool> binds(is_binding), looks(is_look);
    for (const PrimFacts& prim : facts.prims)
        for (const usd::Token& name : prim.properties) {
            if (!binds(name)) continue;
            const usd::Relationship relation = prim.prim.relationship(name);
            if (!relation || !relation.authored()) continue;
            sink.applies(kComplete);
            for (const usd::Path& target : relation.targets()) {
                if (facts.stage.prim_at(target.prim())) continue;
                const bool elsewhere = in_other_variant(facts, target.prim());
                // What no variant has is said by the rule of the joint, material, controller or mimic.
                if (!elsewhere && !looks(name)) continue;
                sink.report(kComplete,
                            {.site     = relation.site(),
                             .message  = name.text() + " names " + target.text() +
                                         (elsewhere ? ", which only another variant has" : ", which does not exist"),
                             .observed = target.text(),
                             .expected = "an existing prim",
                             .hint     = elsewhere ? "author the relationship in the variant that has the target"
                                                   : "correct the path, or remove the target",
                             .variant  = name.text() + target.text()});
            }
        }
}

/// Specs that a variant of a set makes or changes, by the layer that holds the set.
template <class Visit>
void for_each_spec(const Facts& facts, const usd::VariantSetUse& set, const std::string& name, const Visit& visit)
{
    const AssetLayer* layer = facts.layer(set.place.layer);
    if (layer == nullptr) return;
    const std::string prefix = set.place.path.text() + "{" + set.name + "=" + name + "}";
    for (const usd::Path& spec : usd::prim_specs(*layer->layer.layer))
        if (spec.text().size() > prefix.size() && spec.text().starts_with(prefix))
            visit(*layer->layer.layer, spec, spec.text().substr(prefix.size()));
}

/// The body at or above a place on the stage that may not exist, or null.
const PrimFacts* body_at(const Facts& facts, usd::Path path)
{
    for (; !path.empty() && !path.is_root(); path = path.parent())
        if (const PrimFacts* prim = facts.find(path)) return facts.nearest(facts.index_of(*prim), kBody);
    return nullptr;
}

bool holds(const Facts& facts, const PrimFacts& top, std::uint32_t traits)
{
    for (std::int32_t i = facts.index_of(top); i < top.end; ++i)
        if (facts.prims[static_cast<std::size_t>(i)].is(traits)) return true;
    return false;
}

/// Invisible itself, or below what is.
bool is_hidden(const Facts& facts, const PrimFacts& prim)
{
    for (std::int32_t i = facts.index_of(prim); i >= 0; i = facts.prims[static_cast<std::size_t>(i)].parent)
        if (facts.prims[static_cast<std::size_t>(i)].prim.attribute("visibility").get_or<std::string>("") ==
            "invisible")
            return true;
    return false;
}

/// What only variants that are not selected have: the colliders of a body, or everything that is seen.
class Missing {
  public:
    Missing(const Facts& facts, Sink& sink) : facts_(facts), sink_(sink)
    {
        seen_ = std::any_of(facts.prims.begin(), facts.prims.end(), [&](const PrimFacts& prim) {
            return prim.is(kGprim | kPointInstancer) && facts.stage.purpose(prim.prim).text() != "guide" &&
                   !is_hidden(facts, prim);
        });
    }

    void check_set(const PrimFacts& owner, const usd::VariantSetUse& set)
    {
        for (const std::string& name : set.variants)
            if (name != set.selection)
                for_each_spec(facts_, set, name,
                              [&](const usd::Layer& layer, const usd::Path& spec, const std::string& below) {
                                  judge(owner, set, name, layer, spec, below);
                              });
    }

  private:
    const Facts&               facts_;
    Sink&                      sink_;
    std::set<const PrimFacts*> said_;
    bool                       seen_ = false;  ///< something is drawn

    void judge(const PrimFacts& owner, const usd::VariantSetUse& set, const std::string& name, const usd::Layer& layer,
               const usd::Path& spec, const std::string& below)
    {
        static const usd::Token kType("typeName"), kPurpose("purpose");
        const auto              apis = layer.apis(spec);
        const bool collider = std::find(apis.begin(), apis.end(), usd::Token("PhysicsCollisionAPI")) != apis.end();
        const PrimFacts* body =
            collider ? body_at(facts_, usd::Path(owner.prim.path().text() + "/" + below).parent()) : nullptr;
        if (body != nullptr && !holds(facts_, *body, kCollider) && said_.insert(body).second)
            say(body->prim, "the body has colliders in the variant " + set.name + "=" + name + " only", set.name);
        if (seen_ || collider || set.name == "visual_representation" ||  // REP-1.3.2-c's
            !is_drawn_type(layer.field(spec, kType).get<std::string>().value_or("")))
            return;
        if (layer.value(spec.property(kPurpose)).get<std::string>().value_or("") == "guide") return;
        seen_ = true;  // once
        say(owner.prim, "nothing is seen of the asset but in the variant " + set.name + "=" + name, set.name);
    }

    void say(const usd::Prim& prim, std::string message, const std::string& variant)
    {
        sink_.report(kComplete, {.site     = prim.site(),
                                 .message  = std::move(message),
                                 .observed = "none by default",
                                 .expected = "a complete asset by default",
                                 .hint     = "select a variant that is complete, or complete the selected one",
                                 .variant  = variant,
                                 .severity = Severity::warning});
    }
};

void check(const Facts& facts, Sink& sink)
{
    Missing missing(facts, sink);
    for (const PrimFacts& prim : facts.prims) {
        if (is_copy(prim.prim)) continue;
        for (const usd::VariantSetUse& set : usd::variant_sets(prim.prim)) {
            check_set(prim.prim, set, sink);
            missing.check_set(prim, set);
        }
    }
    check_targets(facts, sink);
}

constexpr std::array<const Rule*, 3> kRules{&kDefault, &kExists, &kComplete};

}  // namespace

constexpr Family kVariantRules{kRules, check};

}  // namespace mechane::conformance
