// Rules of REP-0158 1.2.2 about the model hierarchy: component, assembly, group, subcomponent, in the sense of the kind
// registry of OpenUSD.
// Whether an asset is one thing or a scene of things decides which kind its root should have; that is read from the
// components below the root.

#include <array>
#include <set>

#include "conformance/family.h"

/// REP-0158 1.2.2: model hierarchy.
namespace mechane::conformance {
namespace {

constexpr std::string_view kNoKind      = R"(<<layer>>
def Xform "robot" (
    assetInfo = { string identifier = "urn:example:robot"
        string version = "1.0.0" }
)
{
}
)";
constexpr std::string_view kGoodScene   = R"(<<hall>>
{
    def Xform "rack_1" (
        kind = "component"
    )
    {
    }
}
)";
constexpr std::string_view kUnkindScene = R"(#usda 1.0
(
    defaultPrim = "hall"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)
def Xform "hall" (
    assetInfo = { string identifier = "urn:example:hall"
        string version = "1.0.0" }
)
{
    def Xform "rack_1" (
        kind = "component"
    )
    {
    }

    def Xform "rack_2" (
        kind = "component"
    )
    {
    }
}
)";

constexpr Rule kComponent{
    .id      = "REP-1.2.2-a",
    .slug    = "component-kind",
    .summary = "The default prim of an asset has kind component.",
    .why = "Tools find models by their kind; an asset without one cannot be picked, counted or instanced as a whole.",
    .fix = "The kind is written where the default prim is defined.",
    .fixable = true,
    .bad     = kNoKind,
    .good    = "",
};
constexpr Rule kAggregate{
    .id      = "REP-1.2.2-b",
    .slug    = "aggregate-kind",
    .summary = "The default prim of a scene of components has kind assembly or group.",
    .why     = "A component ends the model hierarchy: the components below it are not found.",
    .fix     = "The kind becomes assembly; modules of a thing with links of its own become subcomponents.",
    .fixable = true,
    .bad     = kUnkindScene,
    .good    = kGoodScene,
};
constexpr Rule kSubcomponent{
    .id       = "REP-1.2.2-c",
    .slug     = "subcomponent",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "Links inside a component have kind subcomponent.",
    .why      = "Parts with a kind can be selected and replaced.",
    .fix      = "The kind is written at the link.",
    .fixable  = true,
    .bad      = R"(
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)",
    .good     = "<<body a>>",
};
constexpr Rule kContiguous{
    .id      = "REP-1.2.2-d",
    .slug    = "hierarchy-contiguous",
    .summary = "Models stand below groups and assemblies only, without gaps, and no component is inside a component.",
    .why     = "OpenUSD's model queries stop at the first break in the chain.",
    .fix = "A component inside a component becomes a subcomponent; prims without a kind below a group become groups.",
    .fixable = true,
    .bad     = R"(
def Xform "gripper" (
    kind = "component"
)
{
}
)",
    .good    = R"(
def Xform "gripper" (
    kind = "subcomponent"
)
{
}
)",
};
constexpr Rule kUnknown{
    .id      = "REP-1.2.2-e",
    .slug    = "unknown-kind",
    .summary = "Kinds are model, group, assembly, component, subcomponent.",
    .why     = "An unregistered kind is read as no kind.",
    .fix     = "Another case of a known kind is corrected; the author must decide what else was meant.",
    .fixable = true,
    .bad     = R"(
def Xform "part" (
    kind = "SubComponent"
)
{
}
)",
    .good    = R"(
def Xform "part" (
    kind = "subcomponent"
)
{
}
)",
};

std::string kind_of(const usd::Prim& prim)
{
    static const usd::Token kKind("kind");
    return prim.metadata(kKind).get<std::string>().value_or("");
}

bool is_model(const std::string& kind)
{ return kind == "component" || kind == "assembly" || kind == "group" || kind == "model"; }

Found kind_found(const PrimFacts& prim, std::string message, std::string observed, std::string expected,
                 std::string hint)
{
    return {.site     = prim.prim.site(),
            .message  = std::move(message),
            .observed = std::move(observed),
            .expected = std::move(expected),
            .hint     = std::move(hint)};
}

/// A scene: two or more components below the root, or one below a root that does not claim to be a component itself.
bool is_scene(const Facts& facts, const std::vector<std::string>& kinds)
{
    if (facts.root < 0) return false;
    const PrimFacts& root  = facts.prims[static_cast<std::size_t>(facts.root)];
    int              parts = 0;
    for (std::int32_t i = facts.root + 1; i < root.end; ++i)
        parts += kinds[static_cast<std::size_t>(i)] == "component" || kinds[static_cast<std::size_t>(i)] == "assembly";
    return parts >= (kinds[static_cast<std::size_t>(facts.root)] == "component" ? 2 : 1);
}

void check_root(const Facts& facts, const std::vector<std::string>& kinds, Sink& sink)
{
    if (facts.root < 0) return;
    const PrimFacts&   root = facts.prims[static_cast<std::size_t>(facts.root)];
    const std::string& kind = kinds[static_cast<std::size_t>(facts.root)];
    const std::string  seen = kind.empty() ? "no kind" : kind;
    if (is_scene(facts, kinds)) {
        sink.applies(kAggregate);
        if (kind != "assembly" && kind != "group")
            sink.report(
                kAggregate,
                kind_found(root, "the root of a scene of components has " + (kind.empty() ? seen : "kind " + kind),
                           seen, "assembly or group", "write `kind = \"assembly\"` on the default prim"));
        return;
    }
    sink.applies(kComponent);
    if (kind == "assembly" || kind == "group")
        return sink.report(kComponent, {.site     = root.prim.site(),
                                        .message  = "the default prim has kind " + kind + " and holds no component",
                                        .observed = kind,
                                        .expected = "component, or components below",
                                        .hint     = "write `kind = \"component\"` on the default prim, or on its parts",
                                        .variant  = "no-parts"});
    if (kind != "component")
        sink.report(kComponent, kind_found(root, "the default prim has " + (kind.empty() ? seen : "kind " + kind), seen,
                                           "component", "write `kind = \"component\"` on the default prim"));
}

void check(const Facts& facts, Sink& sink)
{
    static const std::set<std::string> kKnown{"model", "group", "assembly", "component", "subcomponent"};
    std::vector<std::string>           kinds;
    kinds.reserve(facts.prims.size());
    for (const PrimFacts& prim : facts.prims) kinds.push_back(kind_of(prim.prim));
    check_root(facts, kinds, sink);
    const bool scene = is_scene(facts, kinds);
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts&   prim = facts.prims[i];
        const std::string& kind = kinds[i];
        if (!kind.empty()) {
            sink.applies(kUnknown);
            if (kKnown.count(kind) == 0)
                sink.report(kUnknown, kind_found(prim, "kind \"" + kind + "\" is not registered", kind,
                                                 "a registered kind", "use component or subcomponent"));
            else if (kind == "model")
                sink.report(kUnknown, {.site     = prim.prim.site(),
                                       .message  = "kind \"model\" is abstract",
                                       .observed = kind,
                                       .expected = "a concrete kind",
                                       .hint     = "use component, group or assembly",
                                       .severity = Severity::warning});
        }
        if (is_model(kind) && prim.parent >= 0) {
            sink.applies(kContiguous);
            const std::string& above = kinds[static_cast<std::size_t>(prim.parent)];
            // In a scene whose root calls itself a component the fault is the root's (REP-1.2.2-b).
            bool inside_component = false,
                 below_false_root = scene && prim.parent == facts.root && above != "group" && above != "assembly";
            for (std::int32_t p = prim.parent; p >= 0; p = facts.prims[static_cast<std::size_t>(p)].parent) {
                if (kinds[static_cast<std::size_t>(p)] != "component") continue;
                (scene && p == facts.root ? below_false_root : inside_component) = true;
            }
            if (inside_component)
                sink.report(kContiguous, kind_found(prim, "a " + kind + " is inside a component", kind, "subcomponent",
                                                    "write `kind = \"subcomponent\"` on it"));
            else if (!below_false_root && above != "group" && above != "assembly")
                sink.report(kContiguous, kind_found(prim, "the parent of a " + kind + " is no group or assembly",
                                                    above.empty() ? "no kind" : above, "group or assembly",
                                                    "give every prim between it and the root `kind = \"group\"`"));
        }
        if (prim.is(kBody) && static_cast<std::int32_t>(i) != facts.root) {
            sink.applies(kSubcomponent);
            if (kind.empty())
                sink.report(kSubcomponent, kind_found(prim, "the link has no kind", "no kind", "subcomponent",
                                                      "write `kind = \"subcomponent\"` on it"));
        }
    }
}

constexpr std::array<const Rule*, 5> kRules{&kComponent, &kAggregate, &kSubcomponent, &kContiguous, &kUnknown};

}  // namespace

constexpr Family kKindRules{kRules, check};

}  // namespace mechane::conformance
