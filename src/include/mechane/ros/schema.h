#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "mechane/usd/stage.h"

namespace mechane::ros {

enum class Api { context, topic, service, action, frame, joint };

/// One property of the ROS schemas: the table of REP-0158, from which checks and documentation are made.
struct Property {
    std::string_view name;      ///< "ros:topic:role"
    std::string_view type;      ///< USD type, "token"
    bool             required;  ///< must be authored and not empty
    std::string_view fallback;  ///< as usda would write it; empty: none
    std::string_view allowed;   ///< tokens separated by blanks; empty: any value of the type
};
std::span<const Property> properties(Api api);
/// "RosTopicAPI"; `joint` has a property only, no schema, and gives "".
std::string_view schema_name(Api api);
/// The table row of a property name, or null.
const Property* find_property(std::string_view name);

/// Whether the prim applies the schema, registered or not.
bool applies(const usd::Prim& prim, Api api);
/// Topic, service or action.
bool is_interface(const usd::Prim& prim);
/// A text value of a property: string or token; nothing when it is unauthored or of another type.
std::optional<std::string> text(const usd::Prim& prim, const usd::Token& property);

}  // namespace mechane::ros
