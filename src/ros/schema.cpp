// The properties of the ROS schemas by REP 158, with their types, defaults and allowed tokens.
// The schemas are codeless: a stage may hold them without any plugin, so this table is what says which attributes they
// have. It serves the readers here and the checks of types and tokens.
// RosJoint properties have no schema name: they are attributes of a joint prim.
// Called by interfaces(), frames() and the checks.

#include "mechane/ros/schema.h"

#include <algorithm>
#include <array>

namespace mechane::ros {
namespace {

constexpr std::string_view kReliability = "system_default reliable best_effort";
constexpr std::string_view kDurability  = "system_default transient_local volatile";
constexpr std::string_view kHistory     = "system_default keep_last keep_all";

constexpr std::array kContext{
    Property{"ros:context:namespace", "string", false, "\"\"", ""},
    Property{"ros:context:domain_id", "int", false, "", ""},
    Property{"ros:context:parent_frame", "string", false, "\"world\"", ""},
};
constexpr std::array kTopic{
    Property{"ros:topic:role", "token", true, "", "publisher subscription"},
    Property{"ros:topic:name", "string", true, "", ""},
    Property{"ros:topic:type", "string", true, "", ""},
    Property{"ros:topic:publish_rate", "double", false, "", ""},
    Property{"ros:topic:override_frame_id", "string", false, "", ""},
    Property{"ros:topic:starts_enabled", "bool", false, "true", ""},
    Property{"ros:topic:qos:match_publisher", "bool", false, "false", ""},
    Property{"ros:topic:qos:reliability", "token", false, "\"system_default\"", kReliability},
    Property{"ros:topic:qos:durability", "token", false, "\"system_default\"", kDurability},
    Property{"ros:topic:qos:history", "token", false, "\"system_default\"", kHistory},
    Property{"ros:topic:qos:depth", "int", false, "10", ""},
};
constexpr std::array kService{
    Property{"ros:service:role", "token", true, "", "server client"},
    Property{"ros:service:name", "string", true, "", ""},
    Property{"ros:service:type", "string", true, "", ""},
    Property{"ros:service:starts_enabled", "bool", false, "true", ""},
};
constexpr std::array kAction{
    Property{"ros:action:role", "token", true, "", "server client"},
    Property{"ros:action:name", "string", true, "", ""},
    Property{"ros:action:type", "string", true, "", ""},
    Property{"ros:action:starts_enabled", "bool", false, "true", ""},
};
constexpr std::array kFrame{
    Property{"ros:frame:id", "string", false, "", ""},
    Property{"ros:frame:static", "bool", false, "true", ""},
};
constexpr std::array kJoint{Property{"ros:joint:name", "string", false, "", ""}};

constexpr std::array kApis{Api::context, Api::topic, Api::service, Api::action, Api::frame, Api::joint};

}  // namespace

std::span<const Property> properties(Api api)
{
    switch (api) {
        case Api::context:
            return kContext;
        case Api::topic:
            return kTopic;
        case Api::service:
            return kService;
        case Api::action:
            return kAction;
        case Api::frame:
            return kFrame;
        case Api::joint:
            return kJoint;
    }
    return {};
}

std::string_view schema_name(Api api)
{
    switch (api) {
        case Api::context:
            return "RosContextAPI";
        case Api::topic:
            return "RosTopicAPI";
        case Api::service:
            return "RosServiceAPI";
        case Api::action:
            return "RosActionAPI";
        case Api::frame:
            return "RosFrameAPI";
        case Api::joint:
            return "";
    }
    return "";
}

const Property* find_property(std::string_view name)
{
    for (const Api api : kApis)
        for (const Property& property : properties(api))
            if (property.name == name) return &property;
    return nullptr;
}

/// Authored schemas only: the registry of this program does not have to know the schema for it to count.
bool applies(const usd::Prim& prim, Api api)
{
    const std::vector<usd::Token> apis = prim.authored_apis();
    return std::any_of(apis.begin(), apis.end(), [&](const usd::Token& t) { return t.text() == schema_name(api); });
}

bool is_interface(const usd::Prim& prim)
{ return applies(prim, Api::topic) || applies(prim, Api::service) || applies(prim, Api::action); }

/// Wrong types count as not authored here; that they are wrong is told by the check of properties.
std::optional<std::string> text(const usd::Prim& prim, const usd::Token& property)
{
    const usd::Value value = prim.attribute(property).authored_value();
    const auto       type  = value.type_name();
    if (type != "string" && type != "token") return std::nullopt;
    return value.get<std::string>();
}

}  // namespace mechane::ros
