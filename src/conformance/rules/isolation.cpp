#include <fmt/format.h>

#include <array>
#include <set>

#include "conformance/asset_layers.h"
#include "conformance/family.h"
#include "conformance/vendors.h"
#include "mechane/ros/interfaces.h"

/// REP-0158 1.3, 1.4 and 2: what one simulator adds stays apart and changes nothing that is neutral.
namespace mechane::conformance {
namespace {

constexpr Rule kFeature{
    .id      = "REP-1.3-u",
    .slug    = "feature-isolation",
    .summary = "Features that only one engine has stand in its own layer.",
    .why     = "Deformables, particles, tendons and vehicles have no neutral words yet; elsewhere they are lost.",
    .fix     = "None: move the schema to an over in the vendor's layer.",
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
    .fix     = "None: author the value in physics.usda.",
    .bad     = R"(#files
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
    .good    = R"(#files
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
    .fix     = "None: remove the node, or the interface.",
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
    std::set<std::string> own;  // layers where a vendor may say what it likes
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

/// Compares every property under physics: with the stage that lacks the vendors' layers.
void check_baseline(const Facts& facts, const std::vector<AssetLayer>& layers, Sink& sink)
{
    std::vector<std::string> muted;
    std::string              names;
    for (std::size_t i = 1; i < layers.size(); ++i)
        if (layers[i].is_proprietary() && !layers[i].layer.file.empty()) {
            muted.push_back(layers[i].layer.file);
            names += (names.empty() ? "" : ", ") + layers[i].relative;
        }
    if (muted.empty()) return;
    sink.applies(kBaseline);
    const auto neutral = facts.stage.with_muted(muted);
    if (!neutral) return sink.not_checked(kBaseline, neutral.error().message);
    for (const PrimFacts& prim : facts.prims) {
        const usd::Prim there = (*neutral)->prim_at(prim.prim.path());
        for (const usd::Token& name : prim.properties) {
            if (!name.text().starts_with("physics:") && name.text().find(":physics:") == std::string::npos) continue;
            if (!vendor_of_property(name.text()).empty()) continue;
            const usd::Attribute here    = prim.prim.attribute(name);
            const usd::Value     with    = here.value();
            const usd::Value     without = there ? there.attribute(name).value() : usd::Value();
            if (with.to_text() == without.to_text()) continue;
            sink.report(kBaseline, {.site     = here.site(),
                                    .message  = name.text() + " has another value without " + names,
                                    .observed = with.to_text(),
                                    .expected = without.empty() ? "no value" : without.to_text(),
                                    .hint     = "author the value in physics.usda"});
        }
    }
}

/// True when some part of the name, whatever its case, is "ros2".
bool speaks_ros(const std::string& type)
{ return type.find("ROS2") != std::string::npos || type.find("ros2") != std::string::npos; }

void check_graphs(const Facts& facts, Sink& sink)
{
    std::vector<ros::Interface> interfaces;
    static const usd::Token     kType("node:type"), kNode("OmniGraphNode");
    for (const PrimFacts& prim : facts.prims) {
        const usd::Prim& node = prim.prim;
        if (node.type_name() != kNode && !prim.authors(kType)) continue;
        const std::string type = node.attribute(kType).get<std::string>().value_or("");
        if (node.type_name() != kNode && type.empty()) continue;
        sink.applies(kDuplicate);
        const auto topic = node.attribute("inputs:topicName").get<std::string>();
        if (!speaks_ros(type) || !topic || topic->empty()) continue;
        if (interfaces.empty()) interfaces = ros::interfaces(facts.stage);
        std::string space = node.attribute("inputs:nodeNamespace").get<std::string>().value_or("");
        if (!space.empty() && space.front() != '/') space.insert(0, "/");
        const std::string name = topic->front() == '/' ? *topic : space + "/" + *topic;
        for (const ros::Interface& i : interfaces)
            if (i.kind == ros::Api::topic && i.resolved == name)
                sink.report(kDuplicate, {.site     = node.site(),
                                         .message  = "a graph's node handles the topic " + name + " too",
                                         .observed = i.prim.path().text(),
                                         .expected = "one of the two",
                                         .hint     = "remove the node; the simulator makes it of the interface"});
    }
}

void check(const Facts& facts, Sink& sink)
{
    const std::vector<AssetLayer>& layers = facts.layers();
    check_features(facts, layers, sink);
    check_baseline(facts, layers, sink);
    check_graphs(facts, sink);
}

constexpr std::array<const Rule*, 3> kRules{&kFeature, &kBaseline, &kDuplicate};

}  // namespace

constexpr Family kIsolationRules{kRules, check};

}  // namespace mechane::conformance
