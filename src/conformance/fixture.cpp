#include <fmt/format.h>

#include <string>
#include <vector>

#include "mechane/conformance/rule.h"

namespace mechane::conformance {
namespace {

/// What a conforming root layer says of itself.
constexpr std::string_view kLayer = R"(#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
))";

/// And its default prim.
constexpr std::string_view kIdentity = R"(assetInfo = {
        string identifier = "urn:example:robot"
        string version = "1.0.0"
    }
    kind = "component")";

/// The layer and default prim of a scene of several robots.
constexpr std::string_view kHall = R"(#usda 1.0
(
    defaultPrim = "hall"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def Xform "hall" (
    assetInfo = {
        string identifier = "urn:example:hall"
        string version = "1.0.0"
    }
    kind = "assembly"
))";

constexpr std::string_view kHead = R"(<<layer>>

def Xform "robot" (
    prepend apiSchemas = ["RosContextAPI"]
    <<identity>>
)
{
    string ros:context:namespace = "robot"

    def Scope "Contact"
    {
        def Material "rubber" (
            prepend apiSchemas = ["PhysicsMaterialAPI"]
        )
        {
            float physics:dynamicFriction = 0.5
            float physics:restitution = 0
            float physics:staticFriction = 0.6
        }
    }

    def PhysicsCollisionGroup "parts"
    {
        rel collection:colliders:includes = </robot>
    }

)";

constexpr std::string_view kBody = R"(
def Xform "{0}" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    kind = "subcomponent"
)
{{
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]

    def Cube "collision" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
    )
    {{
        rel material:binding:physics = </robot/Contact/rubber>
        token purpose = "guide"
        double size = 0.1
    }}
}}
)";

constexpr std::string_view kJoint = R"(
def PhysicsRevoluteJoint "{0}"
{{
    uniform token physics:axis = "X"
    rel physics:body0 = </robot/{1}>
    rel physics:body1 = </robot/{2}>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}}
)";

constexpr std::string_view kTopic = R"(
def Xform "{0}" (
    prepend apiSchemas = ["RosTopicAPI"]
)
{{
    string ros:topic:name = "{0}"
    double ros:topic:publish_rate = 10
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/LaserScan"
}}
)";

std::vector<std::string> words(std::string_view text)
{
    std::vector<std::string> found;
    std::size_t              at = 0;
    while ((at = text.find_first_not_of(' ', at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        found.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return found;
}

std::string replacement(std::string_view call)
{
    const std::vector<std::string> w = words(call);
    if (w.size() == 1 && w[0] == "layer") return std::string(kLayer);
    if (w.size() == 1 && w[0] == "identity") return std::string(kIdentity);
    if (w.size() == 1 && w[0] == "hall") return std::string(kHall);
    if (w.size() == 2 && w[0] == "body") return fmt::format(kBody, w[1]);
    if (w.size() == 4 && w[0] == "joint") return fmt::format(kJoint, w[1], w[2], w[3]);
    if (w.size() == 3 && w[0] == "repeat") {
        std::string list = w[2];
        for (int n = std::stoi(w[1]); n > 1; --n) list += ", " + w[2];
        return list;
    }
    if (w.size() == 2 && w[0] == "count") {
        std::string list = "0";
        for (int i = 1; i < std::stoi(w[1]); ++i) list += ", " + std::to_string(i);
        return list;
    }
    if (w.size() == 2 && w[0] == "topic") return fmt::format(kTopic, w[1]);
    return {};
}

/// usda wants a line of its own for each closing brace that ends a statement; examples are written shorter.
std::string with_broken_lines(std::string_view text)
{
    std::string out;
    bool        quoted = false, path = false;
    char        last = '\n';  // that was no blank
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
        if (!quoted && c == '<' && i + 1 < text.size() && text[i + 1] == '/') path = true;
        if (c == '>') path = false;
        if (c == '}' && !quoted && !path && last != '\n' && last != '{') out += '\n';
        if (c != ' ' && c != '\t') last = c;
        out += c;
    }
    return out;
}

/// Bytes of hexadecimal digits.
std::string bytes_of(std::string_view digits)
{
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
    return bytes;
}

}  // namespace

std::string written_out(std::string_view fragment)
{
    std::string text;
    for (;;) {
        const std::size_t open = fragment.find("<<");
        text += fragment.substr(0, open);
        if (open == std::string_view::npos) break;
        const std::size_t close = fragment.find(">>", open);
        if (close == std::string_view::npos) break;
        text += replacement(fragment.substr(open + 2, close - open - 2));
        fragment.remove_prefix(close + 2);
    }
    return text;
}

std::string fixture_stage(std::string_view fragment)
{
    const std::string text = written_out(fragment);
    if (text.starts_with("#usda")) return with_broken_lines(text);
    return with_broken_lines(written_out(kHead) + text + "\n}\n");
}

std::vector<FixtureFile> fixture_files(std::string_view fragment)
{
    if (!fragment.starts_with("#files")) return {{"robot.usda", fixture_stage(fragment), false}};
    std::vector<FixtureFile> files;
    fragment.remove_prefix(std::min(fragment.size(), fragment.find('\n') + 1));
    while (fragment.starts_with("=== ")) {
        const std::size_t end  = std::min(fragment.find('\n'), fragment.size() - 1);
        const auto        head = words(fragment.substr(4, end - 4));
        fragment.remove_prefix(end + 1);
        const std::size_t next = fragment.starts_with("=== ") ? 0 : fragment.find("\n=== ");
        const std::size_t size =
            next == std::string_view::npos ? fragment.size() : next + (next > 0 || !fragment.starts_with("=== "));
        FixtureFile file{head.empty() ? "" : head[0], {}, head.size() > 1 && head[1] == "binary"};
        file.text = head.size() > 1 && head[1] == "hex" ? bytes_of(fragment.substr(0, size))
                                                        : fixture_stage(fragment.substr(0, size));
        files.push_back(std::move(file));
        fragment.remove_prefix(size);
    }
    return files;
}

}  // namespace mechane::conformance
