// Rules of REP-0158 2.3 to 2.6 and 2.9 about what an interface says: type, name, role, rate, quality of service, clock.
// Topics, services and actions have the same rules under their own ids, held together by a table.

#include <array>
#include <cmath>
#include <set>

#include "conformance/family.h"
#include "mechane/ros/interfaces.h"
#include "mechane/ros/names.h"

/// REP-0158 2.3 to 2.6 and 2.9: what an interface says of itself.
namespace mechane::conformance {
namespace {

#define MECHANE_TOPIC(name, rate, role, type, more)                                                            \
    "def Xform \"t\" (\n    prepend apiSchemas = [\"RosTopicAPI\"]\n)\n{\n    string ros:topic:name = \"" name \
    "\"\n" rate "    token ros:topic:role = \"" role "\"\n    string ros:topic:type = \"" type "\"\n" more "}\n"
#define MECHANE_SERVER(schema, family, name, role, type)                                                           \
    "def Xform \"s\" (\n    prepend apiSchemas = [\"" schema "\"]\n)\n{\n    string ros:" family ":name = \"" name \
    "\"\n    token ros:" family ":role = \"" role "\"\n    string ros:" family ":type = \"" type "\"\n}\n"
#define MECHANE_RATE "    double ros:topic:publish_rate = 10\n"
#define MECHANE_SCAN "sensor_msgs/msg/LaserScan"
#define MECHANE_GOOD MECHANE_TOPIC("scan", MECHANE_RATE, "publisher", MECHANE_SCAN, "")

constexpr Rule kTypeFormat{.id      = "REP-2.3-a",
                           .slug    = "type-format",
                           .summary = "An interface type reads package/msg|srv|action/Name, of the schema's family.",
                           .why     = "Nothing else can be looked up.",
                           .fix     = "A missing family is inserted; a common type in another spelling, or without its package, is written out.",
                           .fixable = true,
                           .bad     = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", "std_msgs/Bool", ""),
                           .good    = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", "std_msgs/msg/Bool", "")};
constexpr Rule kTypeKnown{.id       = "REP-2.3-b",
                          .slug     = "type-known",
                          .keyword  = Keyword::should,
                          .severity = Severity::info,
                          .summary  = "The interface type exists in its package.",
                          .why      = "A simulator leaves the interface out.",
                          .fix      = "None: the author must decide which type is meant.",
                          .bad      = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", "std_msgs/msg/Boolean", ""),
                          .good     = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", "std_msgs/msg/Bool", "")};
constexpr Rule kName{.id      = "REP-2.3-c",
                     .slug    = "name-grammar",
                     .summary = "A name is made of tokens and slashes, relative to its context.",
                     .why     = "ROS refuses other names; an absolute one leaves its robot.",
                     .fix     = "Trailing and doubled slashes are removed.",
                     .fixable = true,
                     .bad     = MECHANE_TOPIC("2d/scan", MECHANE_RATE, "publisher", MECHANE_SCAN, ""),
                     .good    = MECHANE_TOPIC("scan_2d", MECHANE_RATE, "publisher", MECHANE_SCAN, "")};
constexpr Rule kTopicRole{
    .id      = "REP-2.4-a",
    .slug    = "topic-role",
    .summary = "A topic is a publisher or a subscription.",
    .why     = "A simulator cannot tell which end to make.",
    .fix     = "Another spelling of a role is corrected; the author must decide what it is otherwise.",
    .fixable = true,
    .bad     = MECHANE_TOPIC("t", MECHANE_RATE, "pub", MECHANE_SCAN, ""),
    .good    = MECHANE_GOOD};
constexpr Rule kTopicName{.id      = "REP-2.4-b",
                          .slug    = "topic-name",
                          .summary = "A topic has a name.",
                          .why     = "It cannot be created.",
                          .fix     = "None: the author must choose the name.",
                          .bad     = MECHANE_TOPIC("", MECHANE_RATE, "publisher", MECHANE_SCAN, ""),
                          .good    = MECHANE_GOOD};
constexpr Rule kTopicType{.id      = "REP-2.4-c",
                          .slug    = "topic-type",
                          .summary = "A topic has a type.",
                          .why     = "It cannot be created.",
                          .fix     = "None: the author must choose the type.",
                          .bad     = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", "", ""),
                          .good    = MECHANE_GOOD};
constexpr Rule kRate{.id      = "REP-2.4-d",
                     .slug    = "rate",
                     .summary = "A publisher has a positive, finite rate.",
                     .why     = "A simulator does not know when to publish.",
                     .fix     = "The rate of a subscription is removed; the author must decide how often to publish.",
                     .bad     = MECHANE_TOPIC("t", "", "publisher", MECHANE_SCAN, ""),
                     .good    = MECHANE_GOOD};
constexpr Rule kOverride{
    .id       = "REP-2.4-e",
    .slug     = "frame-override",
    .keyword  = Keyword::must,
    .severity = Severity::warning,
    .summary  = "override_frame_id names a frame outside the asset.",
    .why      = "A frame of the asset is found from the prim; naming it again makes two truths.",
    .fix      = "None: the author must decide which frame outside the asset is meant.",
    .bad      = "def Xform \"base_link\" (\n    prepend apiSchemas = [\"RosFrameAPI\"]\n)\n{\n}\n" MECHANE_TOPIC(
        "t", MECHANE_RATE, "publisher", MECHANE_SCAN, "    string ros:topic:override_frame_id = \"base_link\"\n"),
    .good = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", MECHANE_SCAN,
                          "    string ros:topic:override_frame_id = \"map\"\n")};
constexpr Rule kQosTokens{.id      = "REP-2.4-f",
                          .slug    = "qos-tokens",
                          .summary = "Quality-of-service values are those of the schema.",
                          .why     = "Middleware refuses others.",
                          .fix     = "Another spelling of a value is corrected; the author must correct the others.",
                          .fixable = true,
                          .bad     = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", MECHANE_SCAN,
                                                   "    token ros:topic:qos:reliability = \"BestEffort\"\n"),
                          .good    = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", MECHANE_SCAN,
                                                   "    token ros:topic:qos:reliability = \"best_effort\"\n")};
constexpr Rule kQosDepth{
    .id      = "REP-2.4-g",
    .slug    = "qos-depth",
    .summary = "keep_last has a depth of one or more.",
    .why     = "A queue of none keeps nothing.",
    .fix     = "None: the author must decide how many messages to keep.",
    .bad     = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", MECHANE_SCAN,
                             "    int ros:topic:qos:depth = 0\n    token ros:topic:qos:history = \"keep_last\"\n"),
    .good    = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", MECHANE_SCAN,
                             "    int ros:topic:qos:depth = 5\n    token ros:topic:qos:history = \"keep_last\"\n")};
constexpr Rule kMatch{.id       = "REP-2.4-h",
                      .slug     = "match-publisher",
                      .severity = Severity::warning,
                      .summary  = "match_publisher is for subscriptions.",
                      .why      = "A publisher has nobody to match.",
                      .fix      = "Removed.",
                      .fixable  = true,
                      .bad      = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", MECHANE_SCAN,
                                                "    bool ros:topic:qos:match_publisher = true\n"),
                      .good     = MECHANE_GOOD};
constexpr Rule kSensorQos{.id       = "REP-2.4-i",
                          .slug     = "sensor-qos",
                          .keyword  = Keyword::should,
                          .severity = Severity::info,
                          .summary  = "Sensor data are sent best_effort, maps transient_local.",
                          .why      = "Reliable images stall the publisher; a late subscriber never sees the map.",
                          .fix      = "None: a profile other than the usual one may be meant.",
                          .bad      = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", MECHANE_SCAN,
                                                    "    token ros:topic:qos:reliability = \"reliable\"\n"),
                          .good     = MECHANE_TOPIC("t", MECHANE_RATE, "publisher", MECHANE_SCAN,
                                                    "    token ros:topic:qos:reliability = \"best_effort\"\n")};
constexpr Rule kServiceRole{
    .id      = "REP-2.5-a",
    .slug    = "service-role",
    .summary = "A service is a server or a client.",
    .why     = "A simulator cannot tell which end to make.",
    .fix     = "Another spelling of a role is corrected; the author must decide what it is otherwise.",
    .fixable = true,
    .bad     = MECHANE_SERVER("RosServiceAPI", "service", "s", "Server", "std_srvs/srv/Trigger"),
    .good    = MECHANE_SERVER("RosServiceAPI", "service", "s", "server", "std_srvs/srv/Trigger")};
constexpr Rule kServiceName{.id      = "REP-2.5-b",
                            .slug    = "service-name",
                            .summary = "A service has a name.",
                            .why     = "It cannot be created.",
                            .fix     = "None: the author must choose the name.",
                            .bad     = MECHANE_SERVER("RosServiceAPI", "service", "", "server", "std_srvs/srv/Trigger"),
                            .good = MECHANE_SERVER("RosServiceAPI", "service", "s", "server", "std_srvs/srv/Trigger")};
constexpr Rule kServiceType{.id      = "REP-2.5-c",
                            .slug    = "service-type",
                            .summary = "A service has a type.",
                            .why     = "It cannot be created.",
                            .fix     = "None: the author must choose the type.",
                            .bad     = MECHANE_SERVER("RosServiceAPI", "service", "s", "server", ""),
                            .good = MECHANE_SERVER("RosServiceAPI", "service", "s", "server", "std_srvs/srv/Trigger")};
constexpr Rule kActionRole{
    .id      = "REP-2.6-a",
    .slug    = "action-role",
    .summary = "An action is a server or a client.",
    .why     = "A simulator cannot tell which end to make.",
    .fix     = "Another spelling of a role is corrected; the author must decide what it is otherwise.",
    .fixable = true,
    .bad     = MECHANE_SERVER("RosActionAPI", "action", "s", "Server", "control_msgs/action/FollowJointTrajectory"),
    .good    = MECHANE_SERVER("RosActionAPI", "action", "s", "server", "control_msgs/action/FollowJointTrajectory")};
constexpr Rule kActionName{
    .id      = "REP-2.6-b",
    .slug    = "action-name",
    .summary = "An action has a name.",
    .why     = "It cannot be created.",
    .fix     = "None: the author must choose the name.",
    .bad     = MECHANE_SERVER("RosActionAPI", "action", "", "server", "control_msgs/action/FollowJointTrajectory"),
    .good    = MECHANE_SERVER("RosActionAPI", "action", "s", "server", "control_msgs/action/FollowJointTrajectory")};
constexpr Rule kActionType{
    .id      = "REP-2.6-c",
    .slug    = "action-type",
    .summary = "An action has a type.",
    .why     = "It cannot be created.",
    .fix     = "None: the author must choose the type.",
    .bad     = MECHANE_SERVER("RosActionAPI", "action", "s", "server", ""),
    .good    = MECHANE_SERVER("RosActionAPI", "action", "s", "server", "control_msgs/action/FollowJointTrajectory")};
constexpr Rule kClock{.id      = "REP-2.9-a",
                      .slug    = "clock",
                      .keyword = Keyword::must_not,
                      .summary = "No asset publishes the clock.",
                      .why     = "The simulator owns time.",
                      .fix     = "The interface is deleted.",
                      .fixable = true,
                      .bad     = MECHANE_TOPIC("/clock", MECHANE_RATE, "publisher", "rosgraph_msgs/msg/Clock", ""),
                      .good    = MECHANE_TOPIC("sensors/clock", MECHANE_RATE, "publisher", "std_msgs/msg/Float64", "")};
constexpr Rule kSimulation{
    .id      = "REP-2.9-b",
    .slug    = "sim-interfaces",
    .keyword = Keyword::must_not,
    .summary = "No asset offers simulation_interfaces.",
    .why     = "They steer the simulator and belong to it.",
    .fix     = "The interface is deleted.",
    .fixable = true,
    .bad     = MECHANE_SERVER("RosActionAPI", "action", "step", "server", "simulation_interfaces/action/SimulateSteps"),
    .good    = MECHANE_SERVER("RosActionAPI", "action", "s", "server", "control_msgs/action/FollowJointTrajectory")};

#undef MECHANE_TOPIC
#undef MECHANE_SERVER
#undef MECHANE_RATE
#undef MECHANE_SCAN
#undef MECHANE_GOOD

/// The rules of one kind of interface.
struct Kind {
    std::string_view family;  ///< of its properties
    std::string_view type;    ///< middle of its type
    const Rule &     role, &name, &type_rule;
    std::string_view roles;
};

Kind kind_of(ros::Api api)
{
    if (api == ros::Api::service)
        return {"service", "srv", kServiceRole, kServiceName, kServiceType, "server or client"};
    if (api == ros::Api::action) return {"action", "action", kActionRole, kActionName, kActionType, "server or client"};
    return {"topic", "msg", kTopicRole, kTopicName, kTopicType, "publisher or subscription"};
}

struct At {
    const ros::Interface& interface;
    Kind                  kind;
    Sink&                 sink;
    const ros::TypeTable& types;

    [[nodiscard]] Site site(std::string_view property) const
    { return site_of(interface.prim, ("ros:" + std::string(kind.family) + ":" + std::string(property)).c_str()); }
    void report(const Rule& rule, std::string_view property, std::string message, std::string observed,
                std::string expected, std::string hint, std::string variant = {},
                std::optional<Severity> severity = {}) const
    {
        sink.report(rule, {.site     = site(property),
                           .message  = std::move(message),
                           .observed = std::move(observed),
                           .expected = std::move(expected),
                           .hint     = std::move(hint),
                           .variant  = std::move(variant),
                           .severity = severity});
    }
    /// Authored, but not as text: REP-2-c says so already.
    [[nodiscard]] bool mistyped(std::string_view property) const
    {
        const usd::Value value =
            interface.prim.attribute("ros:" + std::string(kind.family) + ":" + std::string(property)).authored_value();
        return !value.empty() && value.type_name() != "string" && value.type_name() != "token";
    }
};

void check_identity(const At& at)
{
    const ros::Interface& i = at.interface;
    at.sink.applies(at.kind.role);
    at.sink.applies(at.kind.name);
    at.sink.applies(at.kind.type_rule);
    const bool topic = i.kind == ros::Api::topic;
    const bool known =
        topic ? i.role == "publisher" || i.role == "subscription" : i.role == "server" || i.role == "client";
    if (!known && !at.mistyped("role"))
        at.report(at.kind.role, "role", i.role.empty() ? "the role is missing" : "\"" + i.role + "\" is no role",
                  i.role, std::string(at.kind.roles), "write one of the two", i.role.empty() ? "absent" : "value");
    else if (!topic && i.role == "client")
        at.report(at.kind.role, "role", "the asset is a client; assets are typically servers", i.role, "server",
                  "check that the simulator shall call", "client", Severity::info);
    if (i.name.empty()) {
        if (!at.mistyped("name"))
            at.report(at.kind.name, "name", "the interface has no name", "empty", "a name", "write it");
    } else {
        at.sink.applies(kName);
        const ros::NameFault fault = ros::check_name(i.name);
        const std::string    word(ros::to_string(fault));
        if (fault == ros::NameFault::absolute && i.resolved == "/clock") {  // REP-2.9-a
        } else if (ros::is_tolerable(fault))
            at.report(kName, "name",
                      fault == ros::NameFault::absolute ? "the name is absolute and leaves its robot's namespace"
                                                        : "the name holds two underscores in a row",
                      i.name, fault == ros::NameFault::absolute ? "a relative name" : "no `__`, which ROS reserves",
                      fault == ros::NameFault::absolute ? "remove the leading slash" : "use single underscores", word,
                      Severity::warning);
        else if (fault != ros::NameFault::none)
            at.report(kName, "name", "\"" + i.name + "\" is no name (" + word + ")", i.name, "token/token",
                      "use letters, digits and underscores, tokens not beginning with a digit", word);
        else if (i.resolved.size() > 247)
            at.report(kName, "name", "the resolved name has " + std::to_string(i.resolved.size()) + " characters",
                      i.resolved, "at most 247", "shorten it", "too-long");
    }
    if (i.type.empty()) {
        if (!at.mistyped("type"))
            at.report(at.kind.type_rule, "type", "the interface has no type", "empty",
                      "package/" + std::string(at.kind.type) + "/Name", "write it");
        return;
    }
    at.sink.applies(kTypeFormat);
    const auto type = ros::parse_type(i.type);
    if (!type)
        return at.report(kTypeFormat, "type", "\"" + i.type + "\" is no interface type", i.type,
                         "package/" + std::string(at.kind.type) + "/Name", "write the three parts", "form");
    if (type->family != at.kind.type)
        return at.report(kTypeFormat, "type", "the type belongs to another kind of interface", i.type,
                         "/" + std::string(at.kind.type) + "/", "use a type of the right family", "family");
    at.sink.applies(kTypeKnown);
    // simulation_interfaces is the subject of a rule of its own.
    if (at.types.is_known(*type) != true && type->package != "simulation_interfaces")
        at.report(kTypeKnown, "type",
                  at.types.is_known(*type).has_value()
                      ? type->package + " has no such type"
                      : "the package " + type->package + " is not among the known ones",
                  i.type, "a type of a known package",
                  "correct the name, or make sure that the package is installed where the asset is used");
}

void check_topic(const At& at, const std::set<std::string>& frames)
{
    const ros::Interface& i = at.interface;
    at.sink.applies(kRate);
    if (i.role == "publisher" && !(i.publish_rate && std::isfinite(*i.publish_rate) && *i.publish_rate > 0)) {
        const usd::Value authored = i.prim.attribute("ros:topic:publish_rate").authored_value();
        at.report(kRate, "publish_rate", "the publisher has no usable rate",
                  authored.empty() ? "not authored" : authored.to_text(), "> 0 Hz",
                  "write `double ros:topic:publish_rate`");
    } else if (i.role == "subscription" && i.publish_rate) {
        at.report(kRate, "publish_rate", "a subscription has a publish rate", number(*i.publish_rate), "no rate",
                  "remove it", "subscription", Severity::info);
    }
    if (i.override_frame) {
        at.sink.applies(kOverride);
        // REP-105 names map, odom and earth; world is common usage.
        static const std::set<std::string> kGlobal{"map", "odom", "earth", "world"};
        const auto                         type = ros::parse_type(i.type);
        if (frames.count(*i.override_frame) != 0)
            at.report(kOverride, "override_frame_id", "override_frame_id names a frame of this asset",
                      *i.override_frame, "an external frame", "remove it: the frame follows from the prim", "own-frame",
                      Severity::error);
        else if (type && at.types.has_header(*type) == false)
            at.report(kOverride, "override_frame_id", "the message has no header to carry a frame", i.type,
                      "a stamped message", "remove it", "no-header");
        else if (kGlobal.count(*i.override_frame) == 0)
            at.report(kOverride, "override_frame_id", "override_frame_id is none of the usual global frames",
                      *i.override_frame, "map, odom, earth or world",
                      "check that the frame exists where the asset is used", "unusual", Severity::info);
    }
    at.sink.applies(kQosTokens);
    for (const auto& [property, value] :
         {std::pair<const char*, const std::string*>{"qos:reliability", &i.qos.reliability},
          {"qos:durability", &i.qos.durability},
          {"qos:history", &i.qos.history}}) {
        const std::string allowed =
            // The allowed tokens come from the schema's table, as a list with blanks between them; blanks around both
            // keep a part of a word from matching.
            " " + std::string(ros::find_property("ros:topic:" + std::string(property))->allowed) + " ";
        if (allowed.find(" " + *value + " ") == std::string::npos)
            at.report(kQosTokens, property, "\"" + *value + "\" is no value of " + property, *value,
                      allowed.substr(1, allowed.size() - 2), "use one of them");
    }
    if (i.prim.attribute("ros:topic:qos:depth").authored()) {
        at.sink.applies(kQosDepth);
        if (i.qos.depth < 0 || (i.qos.history == "keep_last" && i.qos.depth < 1))
            at.report(kQosDepth, "qos:depth", "the queue holds nothing", std::to_string(i.qos.depth), ">= 1",
                      "write at least 1");
        else if (i.qos.history != "keep_last")
            at.report(kQosDepth, "qos:depth", "the depth is ignored without keep_last", i.qos.history, "keep_last",
                      "write history keep_last, or remove the depth", "ignored", Severity::info);
    }
    if (i.qos.match_publisher) {
        at.sink.applies(kMatch);
        if (i.role == "publisher")
            at.report(kMatch, "qos:match_publisher", "a publisher shall match a publisher", "true", "false",
                      "remove it");
        else if (i.prim.attribute("ros:topic:qos:reliability").authored() ||
                 i.prim.attribute("ros:topic:qos:durability").authored())
            at.report(kMatch, "qos:match_publisher", "reliability and durability are ignored under match_publisher",
                      "authored", "not authored", "remove them", "ignored", Severity::info);
    }
    // Profiles of rmw: sensor data best effort, maps kept for late subscribers (nav2 and map_server). Joint states are
    // usually reliable, since controllers need each of them.
    if (i.role == "publisher" && (i.type.starts_with("sensor_msgs/") || i.type == "nav_msgs/msg/OccupancyGrid")) {
        at.sink.applies(kSensorQos);
        if (i.type == "nav_msgs/msg/OccupancyGrid" && i.qos.durability != "transient_local")
            at.report(kSensorQos, "qos:durability", "a map is published without transient_local", i.qos.durability,
                      "transient_local", "write durability transient_local", "map", Severity::warning);
        else if (i.type.starts_with("sensor_msgs/") && i.type != "sensor_msgs/msg/JointState" &&
                 i.qos.reliability == "reliable")
            at.report(kSensorQos, "qos:reliability", "sensor data are sent reliably", "reliable", "best_effort",
                      "write reliability best_effort");
    }
}

/// Spawning, deleting and controlling worlds was a simulator's own service before there was simulation_interfaces.
bool is_of_a_simulator(const ros::Interface& interface)
{
    return interface.kind == ros::Api::service &&
           (interface.type.starts_with("gazebo_msgs/") || interface.type.starts_with("ros_gz_interfaces/"));
}

void check(const Facts& facts, Sink& sink)
{
    // Every body and every context is a frame under its prim's name, unless a frame id is authored.
    std::set<std::string> frames;
    for (const PrimFacts& prim : facts.prims) {
        if (prim.is(kFrame))
            frames.insert(ros::text(prim.prim, "ros:frame:id").value_or(prim.prim.name().text()));
        else if (prim.is(kBody | kContext))
            frames.insert(prim.prim.name().text());
    }
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kInterface)) continue;
        for (const ros::Interface& interface : ros::interfaces(prim.prim)) {
            const At at{interface, kind_of(interface.kind), sink, facts.types};
            check_identity(at);
            if (interface.kind == ros::Api::topic) check_topic(at, frames);
            sink.applies(kClock);
            sink.applies(kSimulation);
            if (interface.kind == ros::Api::topic &&
                (interface.resolved == "/clock" || interface.type == "rosgraph_msgs/msg/Clock"))
                at.report(kClock, "name", "the asset declares the clock", interface.resolved, "no such topic",
                          "remove the interface");
            if (interface.type.starts_with("simulation_interfaces/") || is_of_a_simulator(interface))
                at.report(kSimulation, "type", "the asset offers an interface of the simulator", interface.type,
                          "no such interface", "remove the interface");
        }
    }
}

constexpr std::array<const Rule*, 20> kRules{&kTypeFormat, &kTypeKnown,  &kName,        &kTopicRole,   &kTopicName,
                                             &kTopicType,  &kRate,       &kOverride,    &kQosTokens,   &kQosDepth,
                                             &kMatch,      &kSensorQos,  &kServiceRole, &kServiceName, &kServiceType,
                                             &kActionRole, &kActionName, &kActionType,  &kClock,       &kSimulation};

}  // namespace

constexpr Family kRosTopicRules{kRules, check};

}  // namespace mechane::conformance
