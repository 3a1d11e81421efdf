#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "conformance/family.h"
#include "conformance/mesh_shape.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 1.2.4 and the sets of 1.3.1 and 1.3.2: variants.
namespace mechane::conformance {
namespace {

/// A variant set whose selection exists.
constexpr const char* kSelected = R"(
def Xform "g" (
    prepend variantSets = "gripper"
    variants = {
        string gripper = "two_finger"
    }
)
{
    variantSet "gripper" = {
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
def Xform "g" (
    prepend variantSets = "gripper"
    variants = {
        string gripper = "missing"
    }
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
constexpr Rule kComplete{
    .id       = "REP-1.2.4-c",
    .slug     = "default-complete",
    .severity = Severity::error,
    .summary  = "What joints and interfaces name exists in the default variants.",
    .why      = "The robot falls apart unless somebody knows which variant to choose.",
    .fix      = "None: author the relationship inside the variant that has its target.",
    .bad      = R"(
<<body a>>

def Xform "g" (
    prepend variantSets = "gripper"
    variants = {
        string gripper = "none"
    }
)
{
    variantSet "gripper" = {
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
constexpr Rule kVisualDefault{
    .id      = "REP-1.3.2-c",
    .slug    = "visual-default",
    .summary = "The default of visual_representation is mesh_medium.",
    .why     = "Everybody who opens the asset gets what is balanced between look and load.",
    .fix     = "mesh_medium is selected where it exists.",
    .fixable = true,
    .bad     = R"(
def Xform "v" (
    prepend variantSets = "visual_representation"
    variants = {
        string visual_representation = "mesh_high"
    }
)
{
    variantSet "visual_representation" = {
        "mesh_high" {
        }
        "mesh_medium" {
        }
    }
}
)",
    .good    = R"(
def Xform "v" (
    prepend variantSets = "visual_representation"
    variants = {
        string visual_representation = "mesh_medium"
    }
)
{
    variantSet "visual_representation" = {
        "mesh_high" {
        }
        "mesh_medium" {
        }
    }
}
)",
};
constexpr Rule kVisualNames{
    .id       = "REP-1.3.2-d",
    .slug     = "visual-names",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Variants of visual_representation are mesh_low, mesh_medium, mesh_high, volumetric_splat.",
    .why      = "Tools switch by name.",
    .fix      = "None: a variant is renamed together with everything that selects it.",
    .bad      = R"(
def Xform "v" (
    prepend variantSets = "visual_representation"
    variants = {
        string visual_representation = "mesh_medium"
    }
)
{
    variantSet "visual_representation" = {
        "high" {
        }
        "mesh_medium" {
        }
    }
}
)",
    .good     = "",
};
constexpr Rule kOutside{
    .id      = "REP-1.3.2-f",
    .slug    = "collision-outside",
    .keyword = Keyword::must_not,
    .summary = "Colliders do not depend on the visual representation.",
    .why     = "A robot would collide differently after a change of its looks.",
    .fix     = "None: move the collider out of the variant.",
    .bad     = R"(
def Xform "v" (
    prepend variantSets = "visual_representation"
    variants = {
        string visual_representation = "mesh_medium"
    }
)
{
    variantSet "visual_representation" = {
        "mesh_low" {
            def Cube "c" (
                prepend apiSchemas = ["PhysicsCollisionAPI"]
            )
            {
            }
        }
        "mesh_medium" {
        }
    }
}
)",
    .good    = "",
};
constexpr Rule kFidelity{
    .id      = "REP-1.3.1-d",
    .slug    = "fidelity-default",
    .summary = "The default collision fidelity is primitives, convex hulls or convex meshes.",
    .why     = "Every reader can simulate these in real time.",
    .fix     = "The only other variant that qualifies is selected.",
    .bad     = R"(
<<body a>>
def Xform "b" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
    prepend variantSets = "collision_fidelity"
    variants = {
        string collision_fidelity = "detailed"
    }
)
{
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
    variantSet "collision_fidelity" = {
        "detailed" {
            def Mesh "m" (
                prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"]
            )
            {
                int[] faceVertexCounts = [3, 3, 3, 3, 3, 3]
                int[] faceVertexIndices = [0, 4, 1, 1, 4, 2, 2, 4, 0, 0, 1, 3, 1, 2, 3, 2, 0, 3]
                rel material:binding:physics = </robot/Contact/rubber>
                uniform token physics:approximation = "none"
                point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.3, 0.3, 1), (0.3, 0.3, 0.5)]
                token purpose = "guide"
            }
        }
    }
}
)",
    .good    = "",
};

/// A set that only says how things look.
constexpr std::string_view kVisual = "visual_representation", kCollision = "collision_fidelity";

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
    if (set.name != kVisual) return;
    sink.applies(kVisualDefault);
    sink.applies(kVisualNames);
    const bool medium = std::find(set.variants.begin(), set.variants.end(), "mesh_medium") != set.variants.end();
    if (!medium)
        say(kVisualDefault, "visual_representation has no mesh_medium", listed(set.variants), "mesh_medium",
            "add the variant mesh_medium");
    else if (set.selected && exists && set.selection != "mesh_medium")
        say(kVisualDefault, "visual_representation is " + set.selection + " by default", set.selection, "mesh_medium",
            "select mesh_medium");
    static const std::set<std::string> kNames{"mesh_low", "mesh_medium", "mesh_high", "volumetric_splat"};
    for (const std::string& name : set.variants)
        if (kNames.count(name) == 0)
            say(kVisualNames, "the variant " + name + " has no conventional name", name,
                "mesh_low, mesh_medium, mesh_high or volumetric_splat", "rename it");
}

/// True for a relationship whose target must be there: joints, bindings, interfaces, control.
bool is_binding(std::string_view name)
{
    return name.starts_with("material:binding") || name.starts_with("control:") || name.starts_with("ros:") ||
           name.starts_with("ext_physics:");
}

void check_targets(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims)
        for (const usd::Token& name : prim.prim.authored_property_names()) {
            if (!is_binding(name.text())) continue;
            const usd::Relationship relation = prim.prim.relationship(name);
            if (!relation || !relation.authored()) continue;
            sink.applies(kComplete);
            for (const usd::Path& target : relation.targets())
                if (!facts.stage.prim_at(target.prim()))
                    sink.report(kComplete, {.site    = relation.site(),
                                            .message = name.text() + " names " + target.text() + ", which is not there",
                                            .observed = target.text(),
                                            .expected = "an existing prim",
                                            .hint     = "author it in the variant that has the target, or correct it",
                                            .variant  = name.text()});
        }
}

/// Paths of the colliders that a variant's own specs make, relative to the prim that has the set.
std::set<std::string> colliders_in(const usd::Layer& layer, const usd::Path& variant)
{
    std::set<std::string> found;
    const std::string     prefix = variant.text();
    for (const usd::Path& spec : layer.specs()) {
        if (!spec.text().starts_with(prefix) || spec.is_property()) continue;
        const auto apis = layer.apis(spec);
        if (std::find(apis.begin(), apis.end(), usd::Token("PhysicsCollisionAPI")) != apis.end())
            found.insert(spec.text().substr(prefix.size()));
    }
    return found;
}

void check_colliders(const Facts& facts, const usd::Prim& prim, const usd::VariantSetUse& set, Sink& sink)
{
    sink.applies(kOutside);
    for (const usd::StageLayer& layer : usd::layers_of(facts.stage)) {
        if (layer.name != set.place.layer) continue;
        std::set<std::set<std::string>> different;
        std::string                     example;
        for (const std::string& name : set.variants) {
            auto here =
                colliders_in(*layer.layer, usd::Path(set.place.path.text() + "{" + set.name + "=" + name + "}"));
            if (!here.empty()) example = *here.begin();
            different.insert(std::move(here));
        }
        if (different.size() > 1)
            sink.report(kOutside, {.site     = prim.site(),
                                   .message  = "colliders depend on visual_representation (" + example + ")",
                                   .observed = example,
                                   .expected = "the same colliders in every variant",
                                   .hint     = "author colliders outside of the set"});
    }
}

/// Meshes of the default state of a set of fidelities.
void check_fidelity(const Facts& facts, const PrimFacts& owner, Sink& sink)
{
    sink.applies(kFidelity);
    const auto from = static_cast<std::int32_t>(&owner - facts.prims.data());
    for (std::int32_t i = from; i < owner.end; ++i) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        if (!prim.is(kCollider) || !prim.is(kMesh)) continue;
        const auto c       = facts.physics.collider_at(prim.prim.path());
        const bool dynamic = c >= 0 && facts.physics.colliders[static_cast<std::size_t>(c)].body >= 0;
        const auto how     = prim.prim.attribute("physics:approximation").authored_as<std::string>().value_or("none");
        if (how == "convexHull" || !dynamic || (how == "none" && is_convex_mesh(prim.prim))) continue;
        sink.report(kFidelity, {.site     = prim.prim.site(),
                                .message  = "the default collision fidelity is a concave mesh (" + how + ")",
                                .observed = how,
                                .expected = "primitives, convexHull, or a convex mesh",
                                .hint     = "select a variant of primitives or convexHull"});
    }
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (prim.prim.is_instance_proxy()) continue;
        for (const usd::VariantSetUse& set : usd::variant_sets(prim.prim)) {
            check_set(prim.prim, set, sink);
            if (set.name == kVisual) check_colliders(facts, prim.prim, set, sink);
            if (set.name == kCollision) check_fidelity(facts, prim, sink);
        }
    }
    check_targets(facts, sink);
}

constexpr std::array<const Rule*, 7> kRules{&kDefault,       &kExists,      &kComplete, &kFidelity,
                                            &kVisualDefault, &kVisualNames, &kOutside};

}  // namespace

constexpr Family kVariantRules{kRules, check};

}  // namespace mechane::conformance
