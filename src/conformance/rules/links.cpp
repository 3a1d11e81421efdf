// Rules of REP-0158 1.3.2 about the geometry of a link: what is seen apart from what collides, and heavy visuals.
// A finding of every link would hide the others; above ten it is said once for the asset.

#include <array>

#include "conformance/asset_layers.h"
#include "conformance/family.h"
#include "conformance/instance_copies.h"

/// REP-0158 1.3.2: the geometry of a link, what is seen apart from what collides.
namespace mechane::conformance {
namespace {

constexpr Rule kScopes{
    .id       = "REP-1.3.2-a",
    .slug     = "sibling-scopes",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "A link keeps what is seen and what collides in two scopes, visual and collision.",
    .why      = "Either can then be replaced, hidden or instanced without the other.",
    .fix      = "None: moving a prim changes its path.",
    .bad      = R"(
<<link a>>

    def Cube "shell"
    {
    }

    <<collider bumper>>
}
)",
    .good     = R"(
<<link a>>

    def Scope "visual"
    {
        def Cube "shell"
        {
        }
    }

    def Scope "collision"
    {
        token purpose = "guide"

        def Cube "bumper" (
            prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
        )
        {
            rel material:binding:physics = </robot/Contact/rubber>
        }
    }
}
)",
};
constexpr Rule kHeavyVisual{
    .id       = "REP-1.3.2-b",
    .slug     = "visual-variants",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "A link with large visual meshes has a variant set visual_representation.",
    .why      = "Training needs light meshes, pictures need fine ones.",
    .fix      = "None: the other representations have to be made.",
    .bad      = R"(
<<link a>>

    def Mesh "shell"
    {
        point3f[] points = [<<repeat 1001 (0,0,0)>>]
    }
}
)",
    .good     = R"(
<<link a>>

    <<variants visual visual_representation mesh_medium>>
            "mesh_medium" {
                def Mesh "shell"
                {
                    point3f[] points = [<<repeat 1001 (0,0,0)>>]
                }
            }
        }
    }
}
)",
};
/// A word for what is seen or what collides, in either number.
bool is_named(const std::string& name, std::string_view word)
{
    std::string plain = name;
    for (char& c : plain) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return plain == word || plain == std::string(word) + "s";
}

/// True when the prim, or something above it and below the link, has that name.
/// @param plural  set where the name is in the plural
bool is_below(const Facts& facts, std::int32_t at, std::int32_t link, std::string_view word, bool& plural)
{
    for (; at >= 0 && at != link; at = facts.prims[static_cast<std::size_t>(at)].parent)
        if (const std::string& name = facts.prims[static_cast<std::size_t>(at)].prim.name().text();
            is_named(name, word)) {
            plural |= name.size() > word.size();
            return true;
        }
    return false;
}

/// True when the prim or one above it, up to the link, has the set.
bool has_set(const Facts& facts, std::int32_t at, std::int32_t link, std::string_view name)
{
    for (; at >= 0; at = facts.prims[static_cast<std::size_t>(at)].parent) {
        for (const usd::VariantSetUse& set : usd::variant_sets(facts.prims[static_cast<std::size_t>(at)].prim))
            if (set.name == name) return true;
        if (at == link) break;
    }
    return false;
}

void check(const Facts& facts, Sink& sink)
{
    constexpr std::size_t kFew        = 10;
    bool                  said_plural = false;  // one convention of the whole asset
    const auto            say_plural  = [&](const PrimFacts& link) {
        sink.report(kScopes, {.site     = link.prim.site(),
                              .message  = "the scopes of what is seen and what collides are named in the plural",
                              .observed = "visuals, collisions",
                              .expected = "visual, collision",
                              .hint     = "rename them, if nothing outside the asset names their paths",
                              .variant  = "plural",
                              .severity = Severity::info});
    };
    std::vector<const PrimFacts*> mixed;
    for (std::size_t b = 0; b < facts.prims.size(); ++b) {
        const PrimFacts& link = facts.prims[b];
        if (!link.is(kBody) || is_copy(link.prim)) continue;
        const auto       here = static_cast<std::int32_t>(b);
        bool             seen = false, collides = false, apart = true, plural = false;
        const PrimFacts* heavy = nullptr;
        for (std::int32_t i = here + 1; i < link.end; ++i) {
            const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
            if (prim.is(kBody)) {
                i = prim.end - 1;
                continue;
            }
            if (!prim.is(kGprim)) continue;
            if (prim.is(kCollider)) {
                collides = true;
                apart &= is_below(facts, i, here, "collision", plural);
            } else if (facts.stage.purpose(prim.prim).text() != "guide") {
                seen = true;
                apart &= is_below(facts, i, here, "visual", plural);
                if (heavy == nullptr && usd::array_size(prim.prim.attribute("points").value()) > kHeavyElements &&
                    !has_set(facts, i, here, "visual_representation"))
                    heavy = &prim;
            }
        }
        if (seen) sink.applies(kHeavyVisual);
        if (heavy != nullptr)
            sink.report(
                kHeavyVisual,
                {.site     = heavy->prim.site(),
                 .message  = "the link has a large visual mesh in one representation only",
                 .observed = std::to_string(usd::array_size(heavy->prim.attribute("points").value())) + " points",
                 .expected = "a variant set visual_representation",
                 .hint     = "put the mesh into mesh_medium or mesh_high, and a light one beside it"});
        if (!seen || !collides) continue;
        sink.applies(kScopes);
        if (!apart)
            mixed.push_back(&link);
        else if (plural && !said_plural)
            say_plural(link), said_plural = true;
    }
    const auto say = [&](const PrimFacts& link, std::string message) {
        sink.report(kScopes, {.site     = link.prim.site(),
                              .message  = std::move(message),
                              .observed = "mixed",
                              .expected = "scopes visual and collision",
                              .hint     = "put the visuals below `visual` and the colliders below `collision`"});
    };
    if (mixed.size() > kFew)
        return say(*mixed.front(), std::to_string(mixed.size()) + " links mix what is seen and what collides");
    for (const PrimFacts* link : mixed) say(*link, "the link mixes what is seen and what collides");
}

constexpr std::array<const Rule*, 2> kRules{&kScopes, &kHeavyVisual};

}  // namespace

constexpr Family kLinkRules{kRules, check};

}  // namespace mechane::conformance
