#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace mechane::ros {

/// What is wrong with a name, in the order in which it is looked for. `none` is a legal relative name.
enum class NameFault {
    none,
    empty,
    substitution,       ///< `~`, `{` or `}`
    bad_character,      ///< anything else outside letters, digits, underscores and slashes
    double_slash,       ///< an empty token in the middle
    trailing_slash,     ///< an empty token at the end
    leading_digit,      ///< a token that begins with a digit
    too_long,           ///< more than 247 characters
    absolute,           ///< legal, but it leaves the namespace of its context
    double_underscore,  ///< legal, but reserved by convention
};
std::string_view to_string(NameFault fault);  ///< "bad-char", "leading-digit", ...
/// True for the two that are legal: `absolute` and `double_underscore`.
bool is_tolerable(NameFault fault);

/// Judges a topic, service or action name: `/?token(/token)*`, token `[A-Za-z_][A-Za-z0-9_]*` (ROS 2 design, topic and
/// service names).
NameFault check_name(std::string_view name);
/// Judges the namespace of a context: empty, `token(/token)*`, or absolute, where `/` alone is legal too.
NameFault check_namespace(std::string_view text);

/// What is wrong with a TF frame id.
enum class FrameFault {
    none,
    empty,
    leading_slash,  ///< tf2 refuses it
    bad_character,
    unusual,  ///< `-` or `.`: tolerated
};
FrameFault check_frame_id(std::string_view id);

/// An interface type such as `sensor_msgs/msg/LaserScan`.
struct InterfaceType {
    std::string package, family, name;  ///< "sensor_msgs", "msg", "LaserScan"
};
/// Parses `package/family/Name`; nothing when it has another form.
std::optional<InterfaceType> parse_type(std::string_view text);

}  // namespace mechane::ros
