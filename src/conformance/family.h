#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "facts.h"
#include "mechane/conformance/report.h"

namespace mechane::conformance {

/// What a check says of one place; the rule gives what is left out.
struct Found {
    Site                    site;
    std::string             message;
    std::string             observed, expected;
    std::string             hint;
    std::string             variant;
    std::optional<Severity> severity;  ///< unless it is the rule's own
};

/// The variant of findings that are warnings only because a figure of the REP shows what its text forbids: a feature
/// layer that the entry brings in by payload.
inline constexpr std::string_view kRelaxed = "entry-feature";

/// Collects what the checks of one asset say.
class Sink {
  public:
    /// The asset has something that the rule speaks of.
    void applies(const Rule& rule) { applied_[&rule]; }
    void not_checked(const Rule& rule, std::string reason) { applied_[&rule] = std::move(reason); }
    /// The rule itself went wrong.
    void failed(const Rule& rule, std::string reason)
    {
        not_checked(rule, std::move(reason));
        failed_.insert(&rule);
    }
    void report(const Rule& rule, Found found)
    {
        applies(rule);
        found_.emplace_back(&rule, std::move(found));
    }

    /// Adds what another one collected, after this one's.
    void take(Sink&& other)
    {
        for (auto& found : other.found_) found_.push_back(std::move(found));
        applied_.merge(std::move(other.applied_));
        failed_.merge(std::move(other.failed_));
    }

    [[nodiscard]] const std::vector<std::pair<const Rule*, Found>>& found() const { return found_; }
    /// Rules with a subject; the text says why one was not checked, empty when it was.
    [[nodiscard]] const std::map<const Rule*, std::string>& applied() const { return applied_; }
    [[nodiscard]] bool has_failed(const Rule& rule) const { return failed_.count(&rule) != 0; }

  private:
    std::vector<std::pair<const Rule*, Found>> found_;
    std::map<const Rule*, std::string>         applied_;
    std::set<const Rule*>                      failed_;
};

/// Rules that are checked together because they look at the same things.
struct Family {
    std::span<const Rule* const> rules;
    void (*check)(const Facts& facts, Sink& sink);
};

/// Every family, in catalogue order.
std::span<const Family* const> families();

// One family a file under rules/.
extern const Family kUnitRules, kTransformRules, kScaleRules, kRootRules, kPivotRules, kKindRules, kAssetRules, kInstanceRules, kCloneRules,
    kJointRules, kTreeRules, kStaticBodyRules, kMassRules, kColliderRules, kRepresentationRules, kLinkRules,
    kCollisionFilterRules, kContactMaterialRules, kRosSchemaRules, kRosContextRules, kRosOverrideRules,
    kRosPlacementRules, kRosTopicRules, kRosFrameRules, kRosJointRules, kVendorSchemaRules, kIsolationRules,
    kLayerRules, kArcRules, kVariantRules, kPathRules, kShadingRules, kLookRules, kCameraRules, kMeshRules,
    kSurfaceRules, kLightRules, kExtensionRules, kSensorRules, kReviewRules;

/// "1.2 kg" style number for messages: shortest text that reads back.
std::string number(double value);
Site        site_of(const usd::Prim& prim, const char* property);

}  // namespace mechane::conformance
