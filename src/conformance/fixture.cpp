#include <fmt/format.h>

#include <string>
#include <vector>

#include "mechane/conformance/rule.h"

namespace mechane::conformance {
namespace {

constexpr std::string_view kHead = R"(#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def Xform "robot" (
    prepend apiSchemas = ["RosContextAPI"]
    assetInfo = {
        string identifier = "urn:example:robot"
        string version = "1.0.0"
    }
    kind = "component"
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
    if (w.size() == 2 && w[0] == "body") return fmt::format(kBody, w[1]);
    if (w.size() == 4 && w[0] == "joint") return fmt::format(kJoint, w[1], w[2], w[3]);
    if (w.size() == 2 && w[0] == "topic") return fmt::format(kTopic, w[1]);
    return {};
}

}  // namespace

std::string fixture_stage(std::string_view fragment)
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
    if (text.starts_with("#usda")) return text;
    return std::string(kHead) + text + "\n}\n";
}

}  // namespace mechane::conformance
