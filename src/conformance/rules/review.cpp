// Items that only people can judge, listed with --manual where an asset has something that they are about.

#include <fmt/format.h>

#include <array>

#include "conformance/bounds.h"
#include "conformance/family.h"

/// What only people can judge: with `CheckOptions::manual` each of these rules gives an item to look at where an asset
/// has something that it speaks of.
namespace mechane::conformance {
namespace {

constexpr Rule kBase{
    .id       = "REP-1.1-n",
    .slug     = "rep105-base",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "A robot's root link is base_link, with its origin where REP 105 wants it.",
    .why      = "Navigation measures from base_link: on the floor between the wheels, x forwards.",
    .fix      = "None: only its maker knows where the robot's front is.",
    .manual   = true,
};
constexpr Rule kSize{
    .id       = "REP-1.1-o",
    .slug     = "baked-units-manual",
    .severity = Severity::info,
    .summary  = "Units of the CAD program are baked into the asset: it is as large as the real thing.",
    .why      = "A file of millimetres that says it is in metres passes every other rule.",
    .fix      = "None: --assume-units does it for a layer that does not say its unit.",
    .manual   = true,
};
constexpr Rule kStructure{
    .id       = "REP-1.2-m",
    .slug     = "aswf-structure",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "The asset follows the Guidelines for Structuring USD Assets of the ASWF USD Working Group.",
    .why      = "Whoever knows one asset finds the parts of the next one where they expect them.",
    .fix =
        "None: the guidelines are for people. As of March 2026 these rules cover what a program can see of them: "
        "1.2.1 (layers by what they hold), 1.2.2 (kinds of models), 1.2.3 (what payloads bring), 1.2.4 (variants "
        "and their defaults), 1.2.5 (default prim, assetInfo, anchored paths), 1.2.6 and 3.5 (instances).",
    .manual = true,
};
constexpr Rule kClasses{
    .id       = "REP-1.2.3-f",
    .slug     = "inherits-instanceable",
    .keyword  = Keyword::may,
    .severity = Severity::info,
    .summary  = "Instances that are to be changed together inherit from a class of the same asset.",
    .why      = "One override of the class then reaches all instances.",
    .fix      = "None: a class prim has to be designed.",
    .manual   = true,
};
constexpr Rule kIndicators{
    .id       = "REP-3.6-e",
    .slug     = "status-led",
    .severity = Severity::info,
    .summary  = "Indicators such as status LEDs glow by emissiveColor.",
    .why      = "The source itself then looks bright in every renderer; a light beside it would only lighten others.",
    .fix      = "None: the author must decide which parts are indicators.",
    .manual   = true,
};

void item(Sink& sink, const Rule& rule, const usd::Prim& prim, std::string message, std::string observed,
          std::string expected, std::string hint)
{
    sink.report(rule, {.site     = prim.site(),
                       .message  = std::move(message),
                       .observed = std::move(observed),
                       .expected = std::move(expected),
                       .hint     = std::move(hint)});
}

void check_bases(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& context : facts.prims) {
        if (!context.is(kContext) || !context.above_body || facts.nearest(context.parent, kContext) != nullptr)
            continue;
        const auto  first = &context - facts.prims.data();
        std::string base;
        for (auto i = first; i < context.end && base != "base_link" && base != "base_footprint"; ++i) {
            const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
            if (prim.is(kBody) && facts.nearest(prim.parent, kBody) == nullptr) base = prim.prim.name().text();
        }
        item(sink, kBase, context.prim,
             base == "base_link" || base == "base_footprint"
                 ? "does " + base + " lie where REP 105 wants the origin of a robot?"
                 : "no root link of the robot is named base_link or base_footprint",
             base, "base_link", "compare the origin and the x axis of the root link with REP 105");
    }
}

void check_size(const Facts& facts, const PrimFacts& root, Sink& sink)
{
    // Sizes beyond a kilometre or below a millimetre are usually wrong units.
    constexpr double      kLargest = 1000, kLeast = 0.001;
    const geometry::Aabbd box = drawn_bounds(facts, facts.root, root.end);
    if (is_empty(box)) return;
    sink.applies(kSize);
    const double size = length(box.upper - box.lower) * facts.stage.metadata().meters_per_unit;
    if (size >= kLeast && size <= kLargest) return;
    item(sink, kSize, root.prim, fmt::format("the asset is {:.3g} m across: is that its real size?", size),
         fmt::format("{:.3g} m", size), "1 mm to 1 km", "compare the bounds with the part's drawing");
}

void check(const Facts& facts, Sink& sink)
{
    check_bases(facts, sink);
    if (facts.root < 0) return;
    const PrimFacts& root = facts.prims[static_cast<std::size_t>(facts.root)];
    check_size(facts, root, sink);
    item(sink, kStructure, root.prim, "does the asset follow the Guidelines for Structuring USD Assets (ASWF)?",
         fmt::format("{} layers", facts.layers().size()), "the guidelines as of March 2026",
         "`mechane explain REP-1.2-m` lists the rules that cover them");
    const PrimFacts *instance = nullptr, *glowing = nullptr;
    const usd::Token emissive("inputs:emissiveColor");
    for (const PrimFacts& prim : facts.prims) {
        if (instance == nullptr && prim.prim.is_instance()) instance = &prim;
        if (glowing == nullptr && prim.is(kShader) && prim.authors(emissive)) glowing = &prim;
    }
    if (instance != nullptr)
        item(sink, kClasses, instance->prim, "would one override for all instances be wanted?", "instances",
             "a class in the same asset where it would", "let the instances inherit from a class prim of the asset");
    if (glowing != nullptr)
        item(sink, kIndicators, glowing->prim, "is every status LED given by an emissiveColor, and no lamp?",
             "emissiveColor", "indicators that glow", "look at the lights of the robot, one by one");
}

constexpr std::array<const Rule*, 5> kRules{&kBase, &kSize, &kStructure, &kClasses, &kIndicators};

}  // namespace

constexpr Family kReviewRules{kRules, check};

}  // namespace mechane::conformance
