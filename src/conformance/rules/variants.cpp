#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "conformance/by_name.h"
#include "conformance/family.h"
#include "conformance/variant_specs.h"
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
    .why      = "The robot falls apart unless somebody knows which variant to choose.",
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
    if (!set.selected)
        say(kDefault, "the variant set " + set.name + " has no selection", listed(set.variants), "one of them selected",
            "select one in the `variants` of the prim");
    else if (!exists && set.selection.empty())
        say(kExists, "the variant set " + set.name + " is switched off", "\"\"", listed(set.variants),
            "select one of its variants", Severity::warning);
    else if (!exists)
        say(kExists, "the variant set " + set.name + " selects \"" + set.selection + "\", which it does not have",
            set.selection, listed(set.variants), "select one of its variants");
}

/// True for a relationship whose target must be there: joints, bindings, interfaces, control.
bool is_binding(std::string_view name)
{
    return name.starts_with("material:binding") || name.starts_with("control:") || name.starts_with("ros:") ||
           name.starts_with("ext_physics:") || name == "physics:body0" || name == "physics:body1";
}

void check_targets(const Facts& facts, Sink& sink)
{
    ByName<bool> binds(is_binding);
    for (const PrimFacts& prim : facts.prims)
        for (const usd::Token& name : prim.properties) {
            if (!binds(name)) continue;
            const usd::Relationship relation = prim.prim.relationship(name);
            if (!relation || !relation.authored()) continue;
            sink.applies(kComplete);
            const bool joint = name.text().starts_with("physics:body");
            for (const usd::Path& target : relation.targets())
                // A joint's link that no variant has is REP-1.3-b's.
                if (joint ? in_other_variant(facts, target) : !facts.stage.prim_at(target.prim()))
                    sink.report(kComplete, {.site    = relation.site(),
                                            .message = name.text() + " names " + target.text() + ", which is not there",
                                            .observed = target.text(),
                                            .expected = "an existing prim",
                                            .hint     = "author it in the variant that has the target, or correct it",
                                            .variant  = name.text()});
        }
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (prim.prim.is_instance_proxy()) continue;
        for (const usd::VariantSetUse& set : usd::variant_sets(prim.prim)) check_set(prim.prim, set, sink);
    }
    check_targets(facts, sink);
}

constexpr std::array<const Rule*, 3> kRules{&kDefault, &kExists, &kComplete};

}  // namespace

constexpr Family kVariantRules{kRules, check};

}  // namespace mechane::conformance
