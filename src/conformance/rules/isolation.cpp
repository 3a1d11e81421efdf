// Rules of REP-0158 1.3, 1.4 and 2 about isolation: what one simulator adds stays in its own layer and changes nothing
// that is neutral.
// The check is a comparison: the stage is composed once more with the vendors' layers muted, and every neutral value
// must be the same in both.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "conformance/asset_layers.h"
#include "conformance/family.h"
#include "conformance/vendors.h"
#include "mechane/ros/interfaces.h"
#include "mechane/usd/foreign.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 1.3, 1.4 and 2: what one simulator adds stays apart and changes nothing that is neutral.
namespace mechane::conformance {
namespace {

constexpr Rule kFeature{
    .id      = "REP-1.3-u",
    .slug    = "feature-isolation",
    .summary = "Features that only one engine has stand in its own layer.",
    .why     = "Deformables, particles, tendons and vehicles have no neutral words yet; elsewhere they are lost.",
    .fix     = "The vendor's words go to <vendor>.usda, which a second entry composes.",
    .fixable = true,
    .bad     = R"(
def Xform "rope" (
    prepend apiSchemas = ["PhysxTendonAxisRootAPI"]
)
{
}
)",
    .good    = "",
};
constexpr Rule kBaseline{
    .id      = "REP-1.4-c",
    .slug    = "vendor-in-baseline",
    .keyword = Keyword::must_not,
    .summary = "Without the vendors' layers every neutral property has the same value.",
    .why     = "An asset that behaves differently in the vendor's simulator is two assets in one file.",
    .fix =
        "A vendor's layer that changes nothing neutral is composed by a second entry; with --unsafe also one that "
        "does.",
    .bad  = R"(#files
=== robot_isaac.usda
<<sublayers @./isaac.usda@ @./physics.usda@>>
def Xform "robot" (
    <<identity>>
) {}
=== physics.usda
<<layer>>
over "robot" { def PhysicsScene "scene" { float physics:gravityMagnitude = 9.81 } }
=== isaac.usda
<<layer>>
over "robot" { over "scene" {
    custom bool isaac:fast = 1
    float physics:gravityMagnitude = 1.62 } }
)",
    .good = R"(#files
=== robot_isaac.usda
<<sublayers @./isaac.usda@ @./physics.usda@>>
def Xform "robot" (
    <<identity>>
) {}
=== physics.usda
<<layer>>
over "robot" { def PhysicsScene "scene" { float physics:gravityMagnitude = 9.81 } }
=== isaac.usda
<<layer>>
over "robot" { over "scene" {
    custom bool isaac:fast = 1 } }
)",
};
constexpr Rule kDuplicate{
    .id      = "REP-2-a",
    .slug    = "duplicate-interface",
    .keyword = Keyword::must_not,
    .summary = "No execution graph publishes or subscribes what an interface declares already.",
    .why     = "Both are created, and every message comes twice.",
    .fix     = "The graph goes to <vendor>.usda, which a second entry composes.",
    .fixable = true,
    .bad     = R"(
<<topic scan>>

def OmniGraphNode "publisher"
{
    custom token inputs:nodeNamespace = "robot"
    custom string inputs:topicName = "scan"
    custom token node:type = "isaacsim.ros2.bridge.ROS2PublishLaserScan"
}
)",
    .good    = "<<topic scan>>",
};

void check_features(const Facts& facts, const std::vector<AssetLayer>& layers, Sink& sink)
{
    if (usd::is_foreign(facts.stage.source())) return;  // it has no layers that could be kept apart
    std::set<std::string> own;                          // layers where a vendor may say what it likes
    for (const AssetLayer& layer : layers)
        if (layer.is_proprietary()) own.insert(layer.layer.name);
    const bool single = layers.size() == 1;
    for (const PrimFacts& prim : facts.prims) {
        const auto judge = [&](const std::string& name) {
            if (!is_engine_feature(name)) return;
            sink.applies(kFeature);
            const Site site = prim.prim.site();
            if (!single && own.count(site.layer) != 0) return;
            sink.report(kFeature, {.site     = site,
                                   .message  = name + " is a feature of one engine",
                                   .observed = site.layer,
                                   .expected = "a layer of the vendor's own",
                                   .hint     = fmt::format("move it to an over in {}.usda", vendor_of_schema(name)),
                                   .variant  = name});
        };
        judge(prim.prim.type_name().text());
        for (const usd::Token& api : prim.apis) judge(api.text());
    }
}

/// A value at the default time and its samples, or the targets, as text: equal texts are equal opinions.
std::string opinion_of(const usd::Prim& prim, const usd::Token& name)
{
    std::string text;
    if (const usd::Relationship relation = prim.relationship(name)) {
        for (const usd::Path& target : relation.targets()) text += "<" + target.text() + ">";
        return text;
    }
    const usd::Attribute attribute = prim.attribute(name);
    if (!attribute) return text;
    if (const usd::Value value = attribute.value(); !value.empty()) text = value.to_text();
    for (const double time : attribute.time_samples())
        text += fmt::format(" {}: {}", time, attribute.value(time).to_text());
    for (const usd::Path& source : attribute.connections()) text += " <" + source.text() + ">";
    return text;
}

/// A word that no vendor owns and that others read.
bool is_neutral(const usd::Prim& prim, const usd::Token& name)
{
    if (!vendor_of_property(name.text()).empty()) return false;
    return unknown_namespace(name.text()).empty() || usd::is_built_in(prim, name);
}

/// The applied schemas that no vendor owns, in one order.
std::string neutral_schemas(const usd::Prim& prim)
{
    std::set<std::string> names;
    for (const usd::Token& api : prim.authored_apis())
        if (vendor_of_schema(api.text()).empty() && unknown_vendor_of_schema(api.text()).empty())
            names.insert(api.text());
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Layers of vendors that the asset brings in, the entry apart.
std::vector<const AssetLayer*> vendor_layers(const std::vector<AssetLayer>& layers)
{
    std::vector<const AssetLayer*> found;
    for (std::size_t i = 1; i < layers.size(); ++i)
        if (layers[i].is_proprietary() && !layers[i].layer.file.empty()) found.push_back(&layers[i]);
    return found;
}

/// Compares every neutral property with the stage that lacks the vendors' layers.
/// @return whether some differs
bool check_values(const Facts& facts, const std::vector<const AssetLayer*>& vendors, Sink& sink)
{
    std::vector<std::string> muted;
    std::string              names;
    for (const AssetLayer* layer : vendors) {
        // A layer of the entry's package is named as the entry, at the package's top, would name it.
        muted.push_back(layer->layer.packaged.package.empty() ? layer->layer.file : "./" + layer->layer.packaged.inner);
        names += (names.empty() ? "" : ", ") + layer->relative;
    }
    const auto neutral = facts.stage.with_muted(muted);
    if (!neutral) return sink.not_checked(kBaseline, neutral.error().message), false;
    bool       differs = false;
    const auto report  = [&](Site site, std::string message, std::string observed, std::string expected) {
        differs = true;
        sink.report(kBaseline, {.site     = std::move(site),
                                .message  = std::move(message),
                                .observed = std::move(observed),
                                .expected = expected.empty() ? "no value" : std::move(expected),
                                .hint     = "author it in physics.usda, or leave it out"});
    };
    const auto compare = [&](const usd::Prim& here, const usd::Prim& there) {
        for (const usd::Token& name : here.authored_property_names()) {
            if (!is_neutral(here, name)) continue;
            std::string with = opinion_of(here, name), without = opinion_of(there, name);
            if (with != without)
                report(site_of(here, name.text().c_str()), name.text() + " has another value without " + names,
                       std::move(with), std::move(without));
        }
    };
    for (const PrimFacts& prim : facts.prims) {
        const usd::Prim there = (*neutral)->prim_at(prim.prim.path());
        compare(prim.prim, there);
        if (!there) continue;
        const std::string with = neutral_schemas(prim.prim), without = neutral_schemas(there);
        if (with != without)
            report(prim.prim.site(), "other schemas are applied without " + names, with.empty() ? "none" : with,
                   without.empty() ? "none" : without);
    }
    // What a vendor's layer switches off.
    for (const usd::Prim& prim : (*neutral)->traverse()) {
        const usd::Prim here = facts.stage.prim_at(prim.path());
        if (here && here.active()) continue;
        if (const usd::Prim above = facts.stage.prim_at(prim.path().parent()); above && !above.active()) continue;
        report(here.site(), "the prim is not there with " + names, "inactive", prim.path().text());
    }
    return differs;
}

/// A vendor's layer over the physics of a neutral entry: a simulator of another vendor reads it too.
void check_composition(const Facts& facts, const std::vector<const AssetLayer*>& vendors, Sink& sink)
{
    const AssetLayer& entry = facts.layers().front();
    const std::string stem  = entry.stem();
    if (names_vendor(stem.substr(stem.rfind('_') + 1))) return;  // robot_isaac.usda: made for that vendor
    std::set<std::string> said;
    for (const PrimFacts& prim : facts.prims) {
        std::string over;
        for (const usd::ArcPlace& place : usd::arc_places(prim.prim)) {
            const AssetLayer* layer = facts.layer(place.layer);
            if (layer == nullptr || layer == &entry) continue;
            if (std::find(vendors.begin(), vendors.end(), layer) != vendors.end()) {
                if (over.empty()) over = place.layer;
                continue;
            }
            if (over.empty() || !layer->has(kPhysicsGroup) || !said.insert(over).second) continue;
            sink.report(kBaseline, {.site     = {.layer = over, .prim = prim.prim.path().text(), .property = {}},
                                    .message  = facts.layer(over)->relative + " is composed over " + layer->relative +
                                                " by the neutral entry " + entry.relative,
                                    .observed = over,
                                    .expected = "an entry of the vendor's own, or a variant that is off by default",
                                    .hint     = "leave it out here, and compose it in " + stem + "_" +
                                                facts.layer(over)->stem() + ".usda",
                                    .variant  = "composed",
                                    .severity = Severity::warning});
        }
    }
}

void check_baseline(const Facts& facts, Sink& sink)
{
    const std::vector<const AssetLayer*> vendors = vendor_layers(facts.layers());
    if (vendors.empty()) return;
    sink.applies(kBaseline);
    if (!check_values(facts, vendors, sink)) check_composition(facts, vendors, sink);
}

/// True when some part of the name, whatever its case, is "ros2".
bool speaks_ros(const std::string& type)
{ return type.find("ROS2") != std::string::npos || type.find("ros2") != std::string::npos; }

void check_graphs(const Facts& facts, Sink& sink)
{
    struct Input {
        const char* name;
        ros::Api    kind;
        const char* what;
    };
    static constexpr std::array<Input, 3> kInputs{{{"inputs:topicName", ros::Api::topic, "topic"},
                                                   {"inputs:serviceName", ros::Api::service, "service"},
                                                   {"inputs:actionName", ros::Api::action, "action"}}};
    std::vector<ros::Interface>           interfaces;
    static const usd::Token               kType("node:type"), kNode("OmniGraphNode");
    for (const PrimFacts& prim : facts.prims) {
        const usd::Prim& node = prim.prim;
        if (node.type_name() != kNode && !prim.authors(kType)) continue;
        const std::string type = node.attribute(kType).get<std::string>().value_or("");
        if (node.type_name() != kNode && type.empty()) continue;
        sink.applies(kDuplicate);
        if (!speaks_ros(type)) continue;
        if (interfaces.empty()) interfaces = ros::interfaces(facts.stage);
        std::string space = node.attribute("inputs:nodeNamespace").get<std::string>().value_or("");
        if (!space.empty() && space.front() != '/') space.insert(0, "/");
        for (const auto& [input, kind, what] : kInputs) {
            const std::string said = node.attribute(input).get<std::string>().value_or("");
            if (said.empty()) continue;
            const std::string name = said.front() == '/' ? said : space + "/" + said;
            for (const ros::Interface& i : interfaces)
                if (i.kind == kind && i.resolved == name)
                    sink.report(kDuplicate,
                                {.site     = node.site(),
                                 .message  = std::string("a graph's node handles the ") + what + " " + name + " too",
                                 .observed = i.prim.path().text(),
                                 .expected = "one of the two",
                                 .hint     = "remove the node; the simulator makes it of the interface"});
        }
    }
}

void check(const Facts& facts, Sink& sink)
{
    const std::vector<AssetLayer>& layers = facts.layers();
    check_features(facts, layers, sink);
    check_baseline(facts, sink);
    check_graphs(facts, sink);
}

constexpr std::array<const Rule*, 3> kRules{&kFeature, &kBaseline, &kDuplicate};

}  // namespace

constexpr Family kIsolationRules{kRules, check};

}  // namespace mechane::conformance
