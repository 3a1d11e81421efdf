// Rules of REP-0158 2 about the ROS schemas: single application, known properties, types as the table in ros/schema.cpp
// has them.
// A blocked attribute says nothing and is passed over.

#include <array>

#include "conformance/family.h"
#include "mechane/ros/schema.h"

/// REP-0158 2: the ROS schemas as such.
namespace mechane::conformance {
namespace {

constexpr Rule kSingleApply{
    .id      = "REP-2-b",
    .slug    = "schema-single-apply",
    .summary = "ROS schemas are applied once, and their properties stand on prims that apply them.",
    .why     = "A property without its schema is read by nobody.",
    .fix     = "The only instance of a schema becomes the schema; the author must decide what else is meant.",
    .fixable = true,
    .bad     = R"(
def Xform "scan" (
    prepend apiSchemas = ["RosTopicAPI:scan"]
)
{
    string ros:topic:name = "scan"
    double ros:topic:publish_rate = 10
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/LaserScan"
}
)",
    .good    = "<<topic scan>>",
};
constexpr Rule kTypes{
    .id      = "REP-2-c",
    .slug    = "property-types",
    .summary = "ROS properties have the types of their schema.",
    .why     = "A reader that expects a string finds a number and drops the interface.",
    .fix     = "Lossless casts only: token and string, int and float to double.",
    .fixable = true,
    .bad     = R"(
def Xform "scan" (
    prepend apiSchemas = ["RosTopicAPI"]
)
{
    string ros:topic:name = "scan"
    float ros:topic:publish_rate = 10
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/LaserScan"
}
)",
    .good    = "<<topic scan>>",
};

constexpr std::array kApis{ros::Api::context, ros::Api::topic, ros::Api::service, ros::Api::action, ros::Api::frame};

/// The schema whose family a property name belongs to.
std::optional<ros::Api> api_of(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, ros::Api>, 6> kFamilies{{{"ros:context:", ros::Api::context},
                                                                              {"ros:topic:", ros::Api::topic},
                                                                              {"ros:service:", ros::Api::service},
                                                                              {"ros:action:", ros::Api::action},
                                                                              {"ros:frame:", ros::Api::frame},
                                                                              {"ros:joint:", ros::Api::joint}}};
    for (const auto& [prefix, api] : kFamilies)
        if (name.starts_with(prefix)) return api;
    return std::nullopt;
}

void check_property(const PrimFacts& prim, const usd::Token& name, Sink& sink)
{
    const auto api = api_of(name.text());
    if (!api) return;
    const usd::Attribute attribute = prim.prim.attribute(name);
    if (attribute.blocked()) return;  // taken back: there is nothing to read
    const ros::Property* known = ros::find_property(name.text());
    if (known == nullptr) {
        sink.report(kSingleApply, {.site     = attribute.site(),
                                   .message  = name.text() + " is no property of the ROS schemas",
                                   .observed = name.text(),
                                   .expected = "a property of the schema's table",
                                   .hint     = "correct the name or remove it",
                                   .variant  = "unknown",
                                   .severity = Severity::warning});
        return;
    }
    if (*api != ros::Api::joint && !ros::applies(prim.prim, *api))
        sink.report(kSingleApply,
                    {.site     = attribute.site(),
                     .message  = name.text() + " stands on a prim without " + std::string(ros::schema_name(*api)),
                     .observed = "schema not applied",
                     .expected = std::string(ros::schema_name(*api)),
                     .hint     = "apply " + std::string(ros::schema_name(*api)) + ", or remove the property",
                     .variant  = "unapplied",
                     .severity = Severity::warning});
    if (*api == ros::Api::joint) return;  // REP-2.10-a judges it
    sink.applies(kTypes);
    // As authored: what the schema says is the type that the attribute has anyway.
    const std::string type = attribute.metadata("typeName").get<std::string>().value_or("");
    if (type != known->type)
        sink.report(kTypes, {.site     = attribute.site(),
                             .message  = name.text() + " is " + type,
                             .observed = type,
                             .expected = std::string(known->type),
                             .hint     = "author it as " + std::string(known->type)});
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (prim.is(kRos)) sink.applies(kSingleApply);
        for (const usd::Token& applied : prim.apis)
            for (const ros::Api api : kApis)
                if (applied.text().starts_with(std::string(ros::schema_name(api)) + ":"))
                    sink.report(kSingleApply, {.site     = prim.prim.site(),
                                               .message  = applied.text() + " is applied as if it had instances",
                                               .observed = applied.text(),
                                               .expected = std::string(ros::schema_name(api)),
                                               .hint     = "apply it once; further interfaces go on further prims",
                                               .variant  = "instance"});
        for (const usd::Token& name : prim.properties)
            if (name.text().starts_with("ros:")) check_property(prim, name, sink);
    }
}

constexpr std::array<const Rule*, 2> kRules{&kSingleApply, &kTypes};

}  // namespace

constexpr Family kRosSchemaRules{kRules, check};

}  // namespace mechane::conformance
