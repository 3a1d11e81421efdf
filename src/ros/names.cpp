// Checks names against the rules of ROS 2 (design.ros2.org, "Topic and Service name mapping to DDS") and of interface
// types (package/family/Name).
// Input: a text. Output: the first fault in a fixed order, or none. Some faults are tolerable: the name works, but a
// rule of style or of REP 158 advises against it.
// Called by the checks and fixes of REP 158 and by channels().

#include "mechane/ros/names.h"

#include <algorithm>
#include <vector>

namespace mechane::ros {
namespace {

constexpr std::size_t kLongest =
    247;  // of a resolved name: DDS topics end at 255, ROS adds a prefix of two and a suffix

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::vector<std::string_view> split(std::string_view text, char at)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// Faults of a name whose leading slash has been taken off.
/// The order of the questions is that of the message a user needs first: "{ns}/x" is a substitution and not only a bad
/// character.
NameFault check_tokens(std::string_view name)
{
    if (name.find_first_of("~{}") != std::string_view::npos) return NameFault::substitution;
    if (!std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '/'; }))
        return NameFault::bad_character;
    if (name.empty()) return NameFault::empty;
    if (name.find("//") != std::string_view::npos || name.front() == '/') return NameFault::double_slash;
    if (name.back() == '/') return NameFault::trailing_slash;
    for (const std::string_view token : split(name, '/'))
        // No token is empty here: double, leading and trailing slashes have been refused above.
        if (is_digit(token.front())) return NameFault::leading_digit;
    return name.size() > kLongest ? NameFault::too_long : NameFault::none;
}

}  // namespace

std::string_view to_string(NameFault fault)
{
    switch (fault) {
        case NameFault::none:
            return "none";
        case NameFault::empty:
            return "empty";
        case NameFault::substitution:
            return "substitution";
        case NameFault::bad_character:
            return "bad-char";
        case NameFault::double_slash:
            return "double-slash";
        case NameFault::trailing_slash:
            return "trailing-slash";
        case NameFault::leading_digit:
            return "leading-digit";
        case NameFault::too_long:
            return "too-long";
        case NameFault::absolute:
            return "absolute";
        case NameFault::double_underscore:
            return "double-underscore";
    }
    return "";
}

bool is_tolerable(NameFault fault) { return fault == NameFault::absolute || fault == NameFault::double_underscore; }

NameFault check_name(std::string_view name)
{
    const bool absolute = name.starts_with('/');
    if (absolute) name.remove_prefix(1);
    if (const NameFault fault = check_tokens(name); fault != NameFault::none) return fault;
    if (absolute) return NameFault::absolute;
    return name.find("__") != std::string_view::npos ? NameFault::double_underscore : NameFault::none;
}

/// An empty namespace is no fault: the context adds none.
NameFault check_namespace(std::string_view text)
{
    if (text.empty()) return NameFault::none;
    if (text == "/") return NameFault::absolute;
    return check_name(text);
}

/// tf2 forbids the leading slash; '-' and '.' work but are unusual, and tools may stumble over them.
FrameFault check_frame_id(std::string_view id)
{
    if (id.empty()) return FrameFault::empty;
    if (id.front() == '/') return FrameFault::leading_slash;
    bool unusual = false;
    for (const std::string_view token : split(id, '/')) {
        if (token.empty() || is_digit(token.front())) return FrameFault::bad_character;
        for (const char c : token) {
            if (c == '-' || c == '.')
                unusual = true;
            else if (!is_letter(c) && !is_digit(c))
                return FrameFault::bad_character;
        }
    }
    return unusual ? FrameFault::unusual : FrameFault::none;
}

std::optional<InterfaceType> parse_type(std::string_view text)
{
    const std::vector<std::string_view> parts = split(text, '/');
    if (parts.size() != 3) return std::nullopt;
    const std::string_view package = parts[0], family = parts[1], name = parts[2];
    if (family != "msg" && family != "srv" && family != "action") return std::nullopt;
    // Package names: lower case, digits, single underscores, none at the end, as the interface generator demands.
    const auto in_package = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; };
    if (package.empty() || package.front() < 'a' || package.front() > 'z' || package.back() == '_' ||
        package.find("__") != std::string_view::npos || !std::all_of(package.begin(), package.end(), in_package))
        return std::nullopt;
    const auto in_name = [](char c) { return is_letter(c) || is_digit(c); };
    if (name.empty() || name.front() < 'A' || name.front() > 'Z' || name.find('_') != std::string_view::npos ||
        !std::all_of(name.begin(), name.end(), in_name))
        return std::nullopt;
    return InterfaceType{std::string(package), std::string(family), std::string(name)};
}

}  // namespace mechane::ros
