// Rules of REP-0158 4.2.1 and 4.2.4 about sensors: native cameras, no transport in sensor schemas, successors of
// deprecated schemas, ground truth apart.
// Whether a property is about transport is read from the words of its name, camel case and underscores taken apart.

#include <algorithm>
#include <array>
#include <set>

#include "conformance/by_name.h"
#include "conformance/family.h"
#include "conformance/vendors.h"
#include "mechane/core/letters.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 4.2.1 and 4.2.4: what extension schemas may say, sensors above all.
namespace mechane::conformance {
namespace {

constexpr Rule kNative{
    .id      = "REP-4.2.1-a",
    .slug    = "native-first",
    .summary = "A sensor that USD has a prim for stands on that prim and repeats none of its properties.",
    .why     = "Two focal lengths on one camera are one too many: readers take either.",
    .fix     = "None: move the schema to a Camera, and use the camera's own properties.",
    .bad     = R"(
def Xform "eye" (
    prepend apiSchemas = ["SensorDepthCameraAPI"]
)
{
}
)",
    .good    = R"(
def Camera "eye" (
    prepend apiSchemas = ["SensorDepthCameraAPI"]
)
{
}
)",
};
constexpr Rule kTransport{
    .id      = "REP-4.2.1-b",
    .slug    = "transport-separation",
    .summary = "Extensions name interfaces by relationships and repeat no topic, frame or quality of service.",
    .why     = "Topics are declared once, by the ROS schemas; a second place contradicts the first sooner or later.",
    .fix     = "None: declare the interface by a ROS schema and name it by a relationship.",
    .bad     = R"(
def Xform "lidar"
{
    custom string sensor:lidar:topic = "scan"
}
)",
    .good    = R"(
<<topic scan>>

def Xform "lidar"
{
    custom rel sensor:lidar:topic = </robot/scan>
}
)",
};
constexpr Rule kDeprecated{
    .id       = "REP-4.2.1-c",
    .slug     = "deprecation",
    .keyword  = Keyword::should_not,
    .severity = Severity::warning,
    .summary  = "No schema is applied that has a successor.",
    .why      = "New readers know the successor only.",
    .fix      = "None: the successor's properties are others.",
    .bad      = R"(
def Xform "box" (
    prepend apiSchemas = ["SemanticsAPI:Semantics"]
)
{
}
)",
    .good     = R"(
def Xform "box" (
    prepend apiSchemas = ["SemanticsLabelsAPI:category"]
)
{
    token[] semantics:labels:category = ["box"]
}
)",
};
constexpr Rule kTruth{
    .id      = "REP-4.2.4-a",
    .slug    = "ground-truth",
    .keyword = Keyword::must_not,
    .summary = "A sensor's schema says nothing of ground truth.",
    .why     = "Segmentation and bounding boxes are outputs of a simulator, not of a device.",
    .fix     = "None: ask the simulator for them.",
    .bad     = R"(
def Camera "eye" (
    prepend apiSchemas = ["SensorDepthCameraAPI"]
)
{
    custom bool sensor:camera:semanticSegmentation = 1
}
)",
    .good    = R"(
def Camera "eye" (
    prepend apiSchemas = ["SensorDepthCameraAPI"]
)
{
    custom double sensor:camera:noise = 0.01
}
)",
};
constexpr Rule kPlace{
    .id      = "REP-4.2.4-b",
    .slug    = "sensor-prim",
    .summary = "A sensor stands on an Xform or a Camera that is there without payloads.",
    .why     = "Tools that list the sensors of a robot do not load its meshes.",
    .fix     = "None: move the schema to an Xform.",
    .bad     = R"(
def Cube "lidar" (
    prepend apiSchemas = ["SensorLidarAPI"]
)
{
    token purpose = "guide"
}
)",
    .good    = R"(
def Xform "lidar" (
    prepend apiSchemas = ["SensorLidarAPI"]
)
{
}
)",
};
constexpr Rule kDegradation{
    .id      = "REP-4.2.4-c",
    .slug    = "degradation",
    .summary = "A sensor has a neutral description, and what one engine adds has the engine's prefix.",
    .why     = "Elsewhere the sensor shall do less, not nothing.",
    .fix     = "None: describe the sensor by a neutral schema first.",
    .bad     = R"(
def Xform "lidar" (
    prepend apiSchemas = ["SensorLidarAPI"]
)
{
    custom int beams = 64
}
)",
    .good    = R"(
def Xform "lidar" (
    prepend apiSchemas = ["SensorLidarAPI"]
)
{
    custom int isaac:beams = 64
}
)",
};

/// Schemas that were given up, and what is applied instead.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kSuccessors{
    {{"SemanticsAPI", "SemanticsLabelsAPI"}}};  // UsdSemantics of OpenUSD 24.11

std::string_view successor_of(std::string_view api)
{
    const std::string_view schema = api.substr(0, api.find(':'));
    for (const auto& [old, successor] : kSuccessors)
        if (schema == old) return successor;
    return {};
}

bool is_sensor_schema(const std::string& api) { return api.starts_with("Sensor") && api.ends_with("API"); }

/// Words of a property's name behind its namespace, part by part: of "sensor:imu:frameId" {"imu"} and {"frame", "id"}.
std::vector<std::vector<std::string>> words_of(const std::string& property)
{
    std::vector<std::vector<std::string>> parts;
    for (const char c : property.substr(property.find(':'))) {
        if (c == ':') {
            parts.push_back({""});
            continue;
        }
        auto&      words = parts.back();
        const bool upper = c >= 'A' && c <= 'Z';
        if ((c == '_' || upper) && !words.back().empty()) words.emplace_back();
        if (c != '_') words.back() += static_cast<char>(upper ? c + 32 : c);
    }
    return parts;
}

/// A property that says what a ROS schema says: a topic or its quality of service, the name of a frame, service or
/// action, a rate of publishing. "frame_rate" and "action_scale" are none.
bool repeats_transport(const std::string& property, bool is_text)
{
    static const std::set<std::string> kNamed{"frame", "frames", "service", "services", "action", "actions"},
        kNames{"id", "ids", "name", "names", "type", "types"}, kPolicies{"reliability", "durability"};
    for (const std::vector<std::string>& words : words_of(property))
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == "reset" || words[i] == "spawn") return false;  // REP-4.2.3-f's
            if (words[i] == "topic" || words[i] == "topics" || words[i] == "qos") return true;
            const bool last = i + 1 == words.size();
            if (words[i] == "publish" && !last && words[i + 1] == "rate") return true;
            if (is_text && !last && words[i] == "message" && words[i + 1] == "type") return true;
            if (is_text && !last && words[i] == "ros" && words[i + 1] == "namespace") return true;
            if (is_text && kPolicies.count(words[i]) != 0) return true;
            if (!is_text || kNamed.count(words[i]) == 0) continue;
            if (i + 1 == words.size() || kNames.count(words[i + 1]) != 0) return true;
        }
    return false;
}

/// A relationship that is there to lead to an interface.
bool leads_to_transport(const std::string& property)
{
    static const std::set<std::string> kWords{"transport", "topic",      "service",    "action",
                                              "frame",     "publisher",  "subscriber", "subscription",
                                              "interface", "interfaces", "output",     "outputs"};
    const auto                         parts = words_of(property);
    return std::any_of(parts.back().begin(), parts.back().end(),
                       [](const std::string& word) { return kWords.count(word) != 0; });
}

bool is_extension(const std::string& property)
{ return property.starts_with("sensor:") || property.starts_with("control:") || property.starts_with("ext_physics:"); }

class Sensors {
  public:
    Sensors(const Facts& facts, Sink& sink) : facts_(facts), sink_(sink) {}

    void run()
    {
        for (const PrimFacts& prim : facts_.prims) {
            std::string sensor;
            for (const usd::Token& api : prim.apis) {
                if (is_sensor_schema(api.text())) sensor = api.text();
                if (const std::string_view successor = successor_(api); !successor.empty())
                    deprecated(prim.prim, api.text(), std::string(successor));
            }
            if (!sensor.empty()) placed(prim, sensor);
            if (prim.is(kCamera)) native(prim.prim);
            vendors_only(prim, !sensor.empty());
            for (const usd::Token& name : prim.properties) {
                if (is_extension(name.text())) transport(prim.prim, name);
                if (!sensor.empty() || name.text().starts_with("sensor:")) truth(prim.prim, name);
            }
        }
    }

  private:
    const Facts&             facts_;
    Sink&                    sink_;
    ByName<std::string_view> successor_{successor_of};

    void deprecated(const usd::Prim& prim, const std::string& api, const std::string& successor)
    {
        say(kDeprecated, prim, nullptr, api + " has been given up", api, successor, "apply " + successor + " instead",
            api.c_str());
    }

    void say(const Rule& rule, const usd::Prim& prim, const char* property, std::string message, std::string observed,
             std::string expected, std::string hint, const char* variant = "", std::optional<Severity> severity = {})
    {
        sink_.report(rule, {.site     = property == nullptr ? prim.site() : site_of(prim, property),
                            .message  = std::move(message),
                            .observed = std::move(observed),
                            .expected = std::move(expected),
                            .hint     = std::move(hint),
                            .variant  = variant,
                            .severity = severity});
    }

    void placed(const PrimFacts& prim, const std::string& sensor)
    {
        sink_.applies(kNative);
        sink_.applies(kPlace);
        sink_.applies(kDegradation);
        const std::string type = prim.prim.type_name().text();
        if (sensor.find("Camera") != std::string::npos && !prim.is(kCamera))
            return say(kNative, prim.prim, nullptr, "a camera's schema stands on no Camera", type, "Camera",
                       "apply " + sensor + " to a Camera");
        if (!prim.is(kXformable))
            return say(kNative, prim.prim, nullptr, "a sensor's schema stands on what has no pose", type,
                       "Xform or Camera", "apply " + sensor + " to an Xform");
        if (!prim.is(kXform | kCamera))
            return say(kPlace, prim.prim, nullptr, "a sensor stands on a " + type, type, "Xform or Camera",
                       "give the sensor an Xform and apply " + sensor + " there");
        for (const usd::ArcPlace& place : usd::arc_places(prim.prim))
            if (place.payload && place.layer == prim.prim.site().layer)
                return say(kPlace, prim.prim, nullptr, "the sensor comes by payload", place.layer, "a reference",
                           "bring the sensor in by reference; leave payloads to geometry", "payload");
        for (const usd::Token& name : prim.properties)
            if (const usd::Attribute attribute = prim.prim.attribute(name);
                attribute && attribute.custom() && name.text().find(':') == std::string::npos &&
                !prim.is(kBody | kCollider))
                say(kDegradation, prim.prim, name.text().c_str(),
                    "the sensor's property " + name.text() + " has no prefix", name.text(), "<vendor>:" + name.text(),
                    "write it under the prefix of who reads it", name.text().c_str());
    }

    /// A camera's own properties under another prefix.
    void native(const usd::Prim& camera)
    {
        static const std::set<std::string> kOwn{"focalLength", "clippingRange", "horizontalAperture",
                                                "verticalAperture"};
        for (const usd::Token& name : camera.authored_property_names()) {
            const std::size_t colon = name.text().rfind(':');
            if (colon == std::string::npos || kOwn.count(name.text().substr(colon + 1)) == 0) continue;
            sink_.applies(kNative);
            say(kNative, camera, name.text().c_str(), name.text() + " repeats a property of the Camera", name.text(),
                name.text().substr(colon + 1), "write the camera's own " + name.text().substr(colon + 1), "duplicate",
                Severity::warning);
        }
    }

    /// A prim that only a vendor's schema makes a sensor.
    void vendors_only(const PrimFacts& prim, bool has_neutral)
    {
        if (has_neutral || prim.is(kCamera)) return;
        static constexpr std::array<std::string_view, 6> kDevices{"Sensor", "Lidar", "Radar", "Imu", "IMU", "Camera"};
        const auto                                       judge = [&](const std::string& name) {
            if (vendor_of_schema(name).empty() ||
                std::none_of(kDevices.begin(), kDevices.end(),
                             [&](std::string_view device) { return name.find(device) != std::string::npos; }))
                return;
            sink_.applies(kDegradation);
            say(kDegradation, prim.prim, nullptr, "only " + name + " says that this is a sensor", name,
                "a neutral schema", "apply the neutral schema of the sensor beside it", "vendor-only",
                Severity::warning);
        };
        judge(prim.prim.type_name().text());
        for (const usd::Token& api : prim.apis) judge(api.text());
    }

    void transport(const usd::Prim& prim, const usd::Token& name)
    {
        if (const usd::Relationship relation = prim.relationship(name)) {
            if (leads_to_transport(name.text())) transport_targets(prim, name.text(), relation);
            return;
        }
        const usd::Attribute attribute = prim.attribute(name);
        if (!attribute || !attribute.authored()) return;
        const std::string type = attribute.type_name();
        if (!repeats_transport(name.text(), type == "string" || type == "token" || type == "string[]")) return;
        sink_.applies(kTransport);
        say(kTransport, prim, name.text().c_str(), name.text() + " repeats what an interface says",
            attribute.value().to_text(), "a relationship to an interface",
            "declare it by a ROS schema and name that prim by a relationship", name.text().c_str());
    }

    void transport_targets(const usd::Prim& prim, const std::string& name, const usd::Relationship& relation)
    {
        sink_.applies(kTransport);
        for (const usd::Path& target : relation.forwarded())
            if (const PrimFacts* at = facts_.find(target); at == nullptr || !at->is(kInterface | kFrame))
                say(kTransport, prim, name.c_str(), name + " names no interface", target.text(),
                    "a prim with a ROS schema", "name a prim with a topic, service, action or frame",
                    target.text().c_str());
    }

    void truth(const usd::Prim& prim, const usd::Token& name)
    {
        std::string last = lower_case(name.text().substr(name.text().rfind(':') + 1));
        std::erase(last, '_');
        sink_.applies(kTruth);
        for (const char* word : {"segmentation", "boundingbox", "semantic", "groundtruth"})
            if (last.find(word) != std::string::npos)
                return say(kTruth, prim, name.text().c_str(), name.text() + " asks for ground truth", name.text(),
                           "a property of the device", "remove it; simulators give ground truth on demand",
                           name.text().c_str());
    }
};

void check(const Facts& facts, Sink& sink) { Sensors(facts, sink).run(); }

constexpr std::array<const Rule*, 6> kRules{&kNative, &kTransport, &kDeprecated, &kTruth, &kPlace, &kDegradation};

}  // namespace

constexpr Family kSensorRules{kRules, check};

}  // namespace mechane::conformance
