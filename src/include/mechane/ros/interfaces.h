#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mechane/ros/schema.h"

namespace mechane::ros {

/// Namespace of a prim: those of the contexts at and above it, joined; an absolute one starts anew. "/" when there is
/// none. Faulty namespaces are joined as they are.
std::string namespace_of(const usd::Prim& prim);
/// The full name of an interface on a prim: `name` itself when it is absolute, else below `namespace_of(prim)`.
std::string resolved_name(const usd::Prim& prim, const std::string& name);
/// The context above which there is no other; invalid when the prim has no context at or above it.
usd::Prim outermost_context(const usd::Prim& prim);
/// The nearest context at or above; invalid when there is none.
usd::Prim nearest_context(const usd::Prim& prim);
/// Domain id of the nearest context that authors one.
std::optional<std::int64_t> domain_id(const usd::Prim& prim);
/// Topics of the transforms of the robot that the prim belongs to: "/robot_1/tf"; "/tf" without a namespace. Only the
/// outermost context's namespace counts.
std::string tf_topic(const usd::Prim& prim, bool is_static);

/// Quality of service as authored, defaults filled in.
struct Qos {
    std::string  reliability = "system_default", durability = "system_default", history = "system_default";
    std::int64_t depth           = 10;
    bool         match_publisher = false;
};

/// One topic, service or action that a simulator would offer.
struct Interface {
    Api                         kind = Api::topic;
    usd::Prim                   prim;
    std::string                 role, name, resolved, type;  ///< empty where they are not authored as text
    std::optional<std::int64_t> domain;
    std::optional<double>       publish_rate;  ///< [Hz]
    std::optional<std::string>  override_frame;
    bool                        starts_enabled = true;
    Qos                         qos;
};
/// Every interface of the stage in traversal order, of a prim with several schemas topic, service, action.
std::vector<Interface> interfaces(const usd::Stage& stage);
/// The interfaces that one prim declares.
std::vector<Interface> interfaces(const usd::Prim& prim);

}  // namespace mechane::ros
