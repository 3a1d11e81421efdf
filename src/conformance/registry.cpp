// The catalogue of rules: families in the order of the standard, and selection by id, slug or section.
// A family holds rules that are found by one pass over the facts. An id such as REP-1.3-b names section 1.3; a selector
// "1.3" also selects 1.3.1. Called by check(), the reports and the command line.

#include <fmt/format.h>

#include <array>

#include "family.h"
#include "mechane/conformance/codes.h"
#include "mechane/conformance/source_faults.h"

namespace mechane::conformance {
namespace {

constexpr std::array kFamilies{&kUnitRules,
                               &kTransformRules,
                               &kScaleRules,
                               &kRootRules,
                               &kPivotRules,
                               &kLayerRules,
                               &kKindRules,
                               &kArcRules,
                               &kVariantRules,
                               &kAssetRules,
                               &kPathRules,
                               &kInstanceRules,
                               &kCloneRules,
                               &kJointRules,
                               &kTreeRules,
                               &kStaticBodyRules,
                               &kMassRules,
                               &kVendorSchemaRules,
                               &kColliderRules,
                               &kRepresentationRules,
                               &kLinkRules,
                               &kCollisionFilterRules,
                               &kContactMaterialRules,
                               &kIsolationRules,
                               &kRosSchemaRules,
                               &kRosContextRules,
                               &kRosOverrideRules,
                               &kRosPlacementRules,
                               &kRosTopicRules,
                               &kRosFrameRules,
                               &kCameraRules,
                               &kRosJointRules,
                               &kShadingRules,
                               &kLookRules,
                               &kMeshRules,
                               &kSurfaceRules,
                               &kLightRules,
                               &kExtensionRules,
                               &kSensorRules,
                               &kReviewRules};

}  // namespace

std::string_view to_string(Keyword keyword)
{
    switch (keyword) {
        case Keyword::must:
            return "MUST";
        case Keyword::must_not:
            return "MUST NOT";
        case Keyword::should:
            return "SHOULD";
        case Keyword::should_not:
            return "SHOULD NOT";
        case Keyword::may:
            return "MAY";
    }
    return "";
}

std::string_view Rule::section() const
{
    const std::size_t from = id.find('-') + 1;
    return id.substr(from, id.rfind('-') - from);
}

std::span<const Family* const> families() { return kFamilies; }

std::span<const Rule* const> rules()
{
    static const std::vector<const Rule*> kRules = [] {
        std::vector<const Rule*> all;
        for (const Family* family : kFamilies) all.insert(all.end(), family->rules.begin(), family->rules.end());
        return all;
    }();
    return kRules;
}

/// May be left out of a rule's id.
constexpr std::string_view kPrefix = "REP-";

const Rule& source_rule()
{
    static constexpr Rule kRule{
        .id       = codes::kSourceFault.id,
        .slug     = "source-fault",
        .severity = codes::kSourceFault.severity,
        .summary  = codes::kSourceFault.meaning,
        .why  = "What the reader could not use is missing in the stage that the rules check, and in every conversion.",
        .fix  = "Mechane never writes such a file. Correct it in the program that it comes from.",
        .bad  = {},
        .good = {}};
    return kRule;
}

const Rule* find_rule(std::string_view id_or_slug)
{
    for (const Rule* rule : rules())
        if (rule->id == id_or_slug || rule->slug == id_or_slug || rule->id.substr(kPrefix.size()) == id_or_slug)
            return rule;
    const Rule& source = source_rule();
    return source.id == id_or_slug || source.slug == id_or_slug ? &source : nullptr;
}

bool selects(std::string_view selector, const Rule& rule)
{
    if (selector == rule.id || selector == rule.slug) return true;
    if (&rule == &source_rule()) return false;  // no part of the standard
    if (selector.starts_with("REP"))
        selector.remove_prefix(std::min<std::size_t>(selector.size(), selector.starts_with("REP-") ? 4 : 3));
    if (selector.empty() || selector == rule.id.substr(kPrefix.size())) return true;
    const std::string_view section = rule.section();
    // Only whole parts of a section count: "1.2" does not select 1.20.
    return section == selector || (section.starts_with(selector) && section[selector.size()] == '.');
}

std::string number(double value) { return fmt::format("{}", value); }

Site site_of(const usd::Prim& prim, const char* property)
{
    Site site     = prim.attribute(property).site();
    site.property = property;
    return site;
}

}  // namespace mechane::conformance
