// Examples of rules written in short: <<link arm>> stands for a whole prim. Each rule has a bad and a good example,
// which are tests, documentation and help at once.
// Input: a fragment. Output: a stage as text, or several files that are separated by lines of the form "=== name".
// Called by the tests of rules, `mechane explain` and the pages of rules.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <vector>

#include "mechane/conformance/rule.h"

namespace mechane::conformance {
namespace {

/// What a conforming root layer says of itself; the default prim's name is left open.
constexpr std::string_view kMeta = R"(    defaultPrim = "{}"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z")";

/// And what its default prim says.
constexpr std::string_view kAssetInfo = R"(assetInfo = {{
        string identifier = "urn:example:{0}"
        string version = "1.0.0"
    }}
    kind = "{1}")";

constexpr std::string_view kFixtureHead = R"(<<layer>>

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

/// Head of a prim that is placed as bodies are; its brace stays open.
constexpr std::string_view kPlaced = R"(
def Xform "{0}" (
    prepend apiSchemas = [{1}]
    kind = "subcomponent"
)
{{
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
)";

constexpr std::string_view kCollider = R"(
def Cube "{0}" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{{
    rel material:binding:physics = <{1}>
    token purpose = "guide"
    double size = 0.1
}}
)";

constexpr std::string_view kJoint   = R"(
def PhysicsRevoluteJoint "{0}"{3}
{{
    uniform token physics:axis = "X"
    rel physics:body0 = <{1}>
    rel physics:body1 = <{2}>
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}}
)";
constexpr std::string_view kRootApi = R"( (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
))";

constexpr std::string_view kAnchor = R"(
def PhysicsFixedJoint "base" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{{
    rel physics:body1 = <{0}>
}}
)";

constexpr std::string_view kRobot = R"(
def Xform "{0}" (
    prepend apiSchemas = ["RosContextAPI"]
    kind = "component"
)
{{
    string ros:context:namespace = "{1}"
{2}}}
)";

/// Head of a prim with a variant set; its variants follow, and the braces of both stay open.
constexpr std::string_view kVariants = R"(
def Xform "{0}" (
    prepend variantSets = "{1}"
    variants = {{
        string {1} = "{2}"
    }}
)
{{
    variantSet "{1}" = {{
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

/// What a base layer says below its head: one link without features.
constexpr std::string_view kBase = R"(
def Xform "robot" { def Xform "a" (kind = "subcomponent") {} })";

/// And one whose link /robot/arm is brought in by an arc.
constexpr std::string_view kArm = R"(
def Xform "robot" {{
    def Xform "arm" (
        kind = "subcomponent"
        prepend {} = {}</arm>
    ) {{}} }})";

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

std::string layer(std::string_view root, std::string_view more = "")
{ return fmt::format("#usda 1.0\n(\n{}\n{})", fmt::format(kMeta, root), more); }

/// Where a word of an example lies: below the default prim, unless it is a path already.
std::string path_of(const std::string& word) { return word.starts_with('/') ? word : "/robot/" + word; }

std::string placed(const std::string& name, std::span<const std::string> apis)
{
    std::string list;
    for (const std::string& api : apis) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", api);
    return fmt::format(kPlaced, name, list);
}

std::string link(const std::string& name)
{
    const std::vector<std::string> apis{"PhysicsRigidBodyAPI", "PhysicsMassAPI"};
    return placed(name, apis) + "    float physics:mass = 1\n";
}

std::string collider(const std::string& name, const std::string& material)
{ return fmt::format(kCollider, name, path_of(material)); }

std::string joint(const std::vector<std::string>& w, std::string_view head)
{ return fmt::format(kJoint, w[1], path_of(w[2]), path_of(w[3]), head); }

/// An entry layer: its default prim brings in others by an arc.
std::string entry(const std::string& arc, std::span<const std::string> assets)
{
    return fmt::format("{}\n\ndef Xform \"robot\" (\n    {}\n    prepend {} = [{}]\n)\n{{\n}}\n", layer("robot"),
                       fmt::format(kAssetInfo, "robot", "component"), arc, fmt::join(assets, ", "));
}

std::string replacement(std::string_view call)
{
    const std::vector<std::string> w    = words(call);
    const std::size_t              size = w.size();
    if (size == 0) return {};
    const std::string& form = w[0];
    const auto         rest = [&](std::size_t from) { return std::span(w).subspan(std::min(from, size)); };
    if (form == "layer" && size == 1) return layer("robot");
    if (form == "sublayers") return layer("robot", fmt::format("    subLayers = [{}]\n", fmt::join(rest(1), ", ")));
    if (form == "entry" && size >= 3) return entry(w[1], rest(2));
    if (form == "base" && size == 1) return layer("robot") + std::string(kBase);
    if (form == "arm" && size == 3) return layer("robot") + fmt::format(kArm, w[1], w[2]);
    if (form == "identity" && size == 1) return fmt::format(kAssetInfo, "robot", "component");
    if (form == "hall" && size == 1)
        return fmt::format("{}\n\ndef Xform \"hall\" (\n    {}\n)", layer("hall"),
                           fmt::format(kAssetInfo, "hall", "assembly"));
    if (form == "placed" && size >= 3) return placed(w[1], rest(2));
    if (form == "link" && size == 2) return link(w[1]);
    if (form == "body" && size == 2) return link(w[1]) + collider("collision", "Contact/rubber") + "}\n";
    if (form == "collider" && (size == 2 || size == 3)) return collider(w[1], size == 3 ? w[2] : "Contact/rubber");
    if (form == "joint" && size == 4) return joint(w, "");
    if (form == "root" && size == 4) return joint(w, kRootApi);
    if (form == "anchor" && size == 2) return fmt::format(kAnchor, path_of(w[1]));
    if (form == "robot" && size == 4) return fmt::format(kRobot, w[1], w[2], fmt::format(kTopic, w[3]));
    if (form == "variants" && size == 4) return fmt::format(kVariants, w[1], w[2], w[3]);
    if (form == "topic" && size == 2) return fmt::format(kTopic, w[1]);
    if (form == "repeat" && size == 3) {
        std::string list = w[2];
        for (int n = std::stoi(w[1]); n > 1; --n) list += ", " + w[2];
        return list;
    }
    if (form == "count" && size == 2) {
        std::string list = "0";
        for (int i = 1; i < std::stoi(w[1]); ++i) list += ", " + std::to_string(i);
        return list;
    }
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

std::string example_text(std::string_view fragment)
{
    if (fragment.starts_with("#files")) fragment.remove_prefix(std::string_view("#files").size());
    if (fragment.starts_with('\n')) fragment.remove_prefix(1);
    std::string text = written_out(fragment);
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

std::string fixture_stage(std::string_view fragment)
{
    const std::string text = written_out(fragment);
    if (text.starts_with("#usda")) return with_broken_lines(text);
    return with_broken_lines(written_out(kFixtureHead) + text + "\n}\n");
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
