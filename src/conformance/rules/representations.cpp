// Rules of REP-0158 1.3.1 and 1.3.2 about variant sets of visuals and colliders: names, defaults, colliders outside of
// their set.
// Variants that are not selected are read from the specs of the layer that has the set; what comes into them by arcs is
// not known and said to be so.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "conformance/family.h"
#include "conformance/mesh_shape.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 1.3.1 and 1.3.2: variant sets of what is seen and of what collides.
namespace mechane::conformance {
namespace {

constexpr Rule kVisualDefault{
    .id      = "REP-1.3.2-c",
    .slug    = "visual-default",
    .summary = "The default of visual_representation is mesh_medium.",
    .why     = "Everybody who opens the asset gets what is balanced between look and load.",
    .fix     = "mesh_medium is selected where it exists.",
    .fixable = true,
    .bad     = R"(
<<variants visual visual_representation mesh_high>>
        "mesh_high" {
        }
        "mesh_medium" {
        }
    }
}
)",
    .good    = R"(
<<variants visual visual_representation mesh_medium>>
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
<<variants visual visual_representation mesh_medium>>
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
<<variants visual visual_representation mesh_medium>>
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
constexpr Rule kSplat{
    .id      = "REP-1.3.2-e",
    .slug    = "splat-type",
    .summary = "The variant volumetric_splat holds Gaussian splats.",
    .why     = "Tools look for a ParticleField3DGaussianSplat there.",
    .fix     = "None: the splats have to be made, or the variant removed.",
    .bad     = R"(
<<variants visual visual_representation mesh_medium>>
        "mesh_medium" {
        }
        "volumetric_splat" {
            def Points "cloud"
            {
            }
        }
    }
}
)",
    .good    = R"(
<<variants visual visual_representation mesh_medium>>
        "mesh_medium" {
        }
        "volumetric_splat" {
            def ParticleField3DGaussianSplat "cloud"
            {
            }
        }
    }
}
)",
};
constexpr Rule kFidelity{
    .id      = "REP-1.3.1-d",
    .slug    = "fidelity-default",
    .summary = "The default collision fidelity is primitives, convex hulls or convex meshes.",
    .why     = "Every reader can simulate these in real time.",
    .fix     = "The variant that qualifies is selected: the only one, or the one with a usual name.",
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

bool has(const std::vector<std::string>& names, std::string_view name)
{ return std::find(names.begin(), names.end(), name) != names.end(); }

void check_visual_set(const usd::Prim& prim, const usd::VariantSetUse& set, Sink& sink)
{
    const auto say = [&](const Rule& rule, std::string message, std::string observed, std::string expected,
                         std::string hint) {
        sink.report(rule, {.site     = prim.site(),
                           .message  = std::move(message),
                           .observed = std::move(observed),
                           .expected = std::move(expected),
                           .hint     = std::move(hint),
                           .variant  = set.name,
                           .severity = {}});
    };
    sink.applies(kVisualDefault);
    sink.applies(kVisualNames);
    const bool medium = has(set.variants, "mesh_medium");
    if (!medium)
        say(kVisualDefault, "visual_representation has no mesh_medium",
            fmt::format("{}", fmt::join(set.variants, ", ")), "mesh_medium", "add the variant mesh_medium");
    else if (set.selected && has(set.variants, set.selection) && set.selection != "mesh_medium")
        say(kVisualDefault, "visual_representation is " + set.selection + " by default", set.selection, "mesh_medium",
            "select mesh_medium");
    std::string place = prim.name().text();
    for (char& c : place) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    if (place != "visual" && place != "visuals")
        sink.report(kVisualNames, {.site     = prim.site(),
                                   .message  = "visual_representation stands on " + prim.name().text() +
                                               ", not on the scope of what is seen",
                                   .observed = prim.path().text(),
                                   .expected = "a scope called visual",
                                   .hint     = "put the set on the scope `visual` of the link",
                                   .variant  = "place",
                                   .severity = Severity::info});
    static const std::set<std::string> kNames{"mesh_low", "mesh_medium", "mesh_high", "volumetric_splat"};
    for (const std::string& name : set.variants)
        if (kNames.count(name) == 0)
            say(kVisualNames, "the variant " + name + " has no conventional name", name,
                "mesh_low, mesh_medium, mesh_high or volumetric_splat", "rename it");
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
    const AssetLayer* layer = facts.layer(set.place.layer);
    if (layer == nullptr) return;
    std::set<std::set<std::string>> different;
    std::string                     example;
    for (const std::string& name : set.variants) {
        auto here =
            colliders_in(*layer->layer.layer, usd::Path(set.place.path.text() + "{" + set.name + "=" + name + "}"));
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

/// Types of the prims that a variant's own specs make; a variant with arcs may hold anything.
void check_splats(const Facts& facts, const usd::Prim& prim, const usd::VariantSetUse& set, Sink& sink)
{
    if (!has(set.variants, "volumetric_splat")) return;
    sink.applies(kSplat);
    const AssetLayer* layer = facts.layer(set.place.layer);
    if (layer == nullptr) return;
    const usd::Layer& text = *layer->layer.layer;
    const std::string variant(set.place.path.text() + "{" + set.name + "=volumetric_splat}");
    bool              splats = false, arcs = false;
    for (const usd::Path& spec : text.specs()) {
        if (!spec.text().starts_with(variant) || spec.is_property()) continue;
        splats |= text.field(spec, "typeName").get<std::string>().value_or("") == "ParticleField3DGaussianSplat";
        arcs |= !text.references(spec).empty() || !text.payloads(spec).empty();
    }
    if (arcs && !splats) return sink.not_checked(kSplat, "the variant's content comes by an arc");
    if (!splats)
        sink.report(kSplat, {.site     = prim.site(),
                             .message  = "the variant volumetric_splat holds no ParticleField3DGaussianSplat",
                             .observed = "none",
                             .expected = "ParticleField3DGaussianSplat",
                             .hint     = "define the splats with this type, or rename the variant"});
}

/// Meshes of the default state of a set of fidelities.
void check_fidelity(const Facts& facts, const PrimFacts& owner, Sink& sink)
{
    sink.applies(kFidelity);
    const auto from = static_cast<std::int32_t>(&owner - facts.prims.data());
    for (std::int32_t i = from; i < owner.end; ++i) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        if (!prim.is(kCollider) || !prim.is(kMesh)) continue;
        const bool is_static = facts.nearest(i, kBody) == nullptr;
        const auto how = prim.prim.attribute("physics:approximation").authored_as<std::string>().value_or("none");
        if (how == "convexHull" || (how == "none" && (is_static || is_convex_mesh(prim.prim)))) continue;
        sink.report(kFidelity, {.site     = prim.prim.site(),
                                .message  = "the default collision fidelity is no hull and no convex mesh (" + how + ")",
                                .observed = how,
                                .expected = "primitives, convexHull, or a convex mesh",
                                .hint     = "select a variant of primitives or convexHull"});
    }
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        for (const usd::VariantSetUse& set : usd::variant_sets(prim.prim)) {
            if (set.name == kVisual) {
                check_visual_set(prim.prim, set, sink);
                check_colliders(facts, prim.prim, set, sink);
                check_splats(facts, prim.prim, set, sink);
            }
            if (set.name == kCollision) check_fidelity(facts, prim, sink);
        }
    }
}

constexpr std::array<const Rule*, 5> kRules{&kFidelity, &kVisualDefault, &kVisualNames, &kSplat, &kOutside};

}  // namespace

constexpr Family kRepresentationRules{kRules, check};

}  // namespace mechane::conformance
