// Topics, services and actions of a stage, and how their names are resolved.
// Input: prims with RosTopicAPI, RosServiceAPI or RosActionAPI below prims with RosContextAPI. Output: interfaces with
// their authored values, defaults filled in, and the fully qualified name.
// Names follow ROS 2: an absolute name stays, another one is put below the namespaces of all contexts above it, up to
// the first one that is absolute.
// Called by channels(), the checks of REP 158 and `mechane ros`.

#include "mechane/ros/interfaces.h"

namespace mechane::ros {
namespace {

const usd::Token& namespace_property()
{
    static const usd::Token name("ros:context:namespace");
    return name;
}

std::string trimmed(std::string_view text)
{
    while (text.ends_with('/')) text.remove_suffix(1);
    return std::string(text);
}

Interface read(const usd::Prim& prim, Api kind, std::string_view family)
{
    const auto property = [&](std::string_view name) {
        return usd::Token("ros:" + std::string(family) + ":" + std::string(name));
    };
    const auto word = [&](std::string_view name, std::string otherwise) {
        return text(prim, property(name)).value_or(std::move(otherwise));
    };
    Interface found{kind, prim, word("role", ""), word("name", ""), {}, word("type", ""), domain_id(prim), {}, {},
                    true, {}};
    found.resolved       = resolved_name(prim, found.name);
    found.starts_enabled = prim.attribute(property("starts_enabled")).get_or<bool>(true);
    if (kind != Api::topic) return found;
    found.publish_rate        = prim.attribute(property("publish_rate")).authored_as<double>();
    found.override_frame      = text(prim, property("override_frame_id"));
    found.qos.reliability     = word("qos:reliability", found.qos.reliability);
    found.qos.durability      = word("qos:durability", found.qos.durability);
    found.qos.history         = word("qos:history", found.qos.history);
    found.qos.depth           = prim.attribute(property("qos:depth")).get_or<std::int64_t>(found.qos.depth);
    found.qos.match_publisher = prim.attribute(property("qos:match_publisher")).get_or<bool>(false);
    return found;
}

}  // namespace

std::string namespace_of(const usd::Prim& prim)
{
    std::vector<std::string> inner_first;
    for (usd::Prim p = prim; p; p = p.parent()) {
        if (!applies(p, Api::context)) continue;
        const std::string own = text(p, namespace_property()).value_or("");
        if (own.empty()) continue;
        inner_first.push_back(trimmed(own));
        // An absolute namespace ends the search; contexts above it have no influence.
        if (own.front() == '/') break;
    }
    std::string joined;
    for (auto part = inner_first.rbegin(); part != inner_first.rend(); ++part) {
        if (part->empty()) continue;
        if (!part->starts_with('/')) joined += '/';
        joined += *part;
    }
    return joined.empty() ? "/" : joined;
}

std::string resolved_name(const usd::Prim& prim, const std::string& name)
{
    if (name.starts_with('/')) return name;
    const std::string space = namespace_of(prim);
    return space == "/" ? "/" + name : space + "/" + name;
}

usd::Prim nearest_context(const usd::Prim& prim)
{
    for (usd::Prim p = prim; p; p = p.parent())
        if (applies(p, Api::context)) return p;
    return {};
}

/// The robot as a whole; contexts within it are namespaces of its parts.
usd::Prim outermost_context(const usd::Prim& prim)
{
    usd::Prim outermost;
    for (usd::Prim p = prim; p; p = p.parent())
        if (applies(p, Api::context)) outermost = p;
    return outermost;
}

/// The nearest context that authors one wins.
std::optional<std::int64_t> domain_id(const usd::Prim& prim)
{
    for (usd::Prim p = prim; p; p = p.parent())
        if (applies(p, Api::context))
            if (const auto id = p.attribute("ros:context:domain_id").authored_as<std::int64_t>()) return id;
    return std::nullopt;
}

/// Transforms belong to the robot, so the inner contexts do not move their topic.
std::string tf_topic(const usd::Prim& prim, bool is_static)
{
    const usd::Prim   root  = outermost_context(prim);
    const std::string space = root ? namespace_of(root) : "/";
    return (space == "/" ? "" : space) + (is_static ? "/tf_static" : "/tf");
}

std::vector<Interface> interfaces(const usd::Prim& prim)
{
    std::vector<Interface> found;
    if (applies(prim, Api::topic)) found.push_back(read(prim, Api::topic, "topic"));
    if (applies(prim, Api::service)) found.push_back(read(prim, Api::service, "service"));
    if (applies(prim, Api::action)) found.push_back(read(prim, Api::action, "action"));
    return found;
}

std::vector<Interface> interfaces(const usd::Stage& stage)
{
    std::vector<Interface> found;
    for (const usd::Prim& prim : stage.traverse())
        for (Interface& interface : interfaces(prim)) found.push_back(std::move(interface));
    return found;
}

}  // namespace mechane::ros
