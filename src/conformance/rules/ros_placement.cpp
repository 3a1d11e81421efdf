// Rules of REP-0158 2.2 about where interfaces stand: robot-wide ones at the root, sensors on a child of their link,
// one interface for each prim.

#include <array>
#include <set>

#include "conformance/family.h"
#include "mechane/ros/interfaces.h"

/// REP-0158 2.2: where interfaces stand.
namespace mechane::conformance {
namespace {

constexpr Rule kRobotWide{
    .id       = "REP-2.2-a",
    .slug     = "robot-wide",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Interfaces of the whole robot stand on a prim of their own, not on a link.",
    .why      = "Joint states and base commands belong to no single link.",
    .fix      = "None: moving a prim changes its path.",
    .bad      = R"(
<<placed a PhysicsRigidBodyAPI PhysicsMassAPI RosTopicAPI>>
    float physics:mass = 1
    string ros:topic:name = "joint_states"
    double ros:topic:publish_rate = 50
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/JointState"
}
)",
    .good     = R"(
<<body a>>

def Xform "joint_states" (
    prepend apiSchemas = ["RosTopicAPI"]
)
{
    string ros:topic:name = "joint_states"
    double ros:topic:publish_rate = 50
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/JointState"
}
)",
};
constexpr Rule kSensorChild{
    .id      = "REP-2.2-b",
    .slug    = "sensor-child",
    .summary = "A sensor's interface stands on an Xform of its own below the link that carries it.",
    .why     = "The pose of the sensor in its link, and its frame, need a prim.",
    .fix     = "None: the author must choose the pose.",
    .bad     = R"(
<<placed a PhysicsRigidBodyAPI PhysicsMassAPI RosTopicAPI>>
    float physics:mass = 1
    string ros:topic:name = "scan"
    double ros:topic:publish_rate = 10
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/LaserScan"
}
)",
    .good    = "<<topic scan>>",
};
constexpr Rule kOnePerPrim{
    .id      = "REP-2.2-c",
    .slug    = "one-per-prim",
    .summary = "A prim carries one interface at most.",
    .why     = "Schemas are applied once; the second interface has nowhere to say its name.",
    .fix     = "None: the second interface needs a prim.",
    .bad     = R"(
def Xform "scan" (
    prepend apiSchemas = ["RosTopicAPI", "RosServiceAPI"]
)
{
    string ros:service:name = "reset"
    token ros:service:role = "server"
    string ros:service:type = "std_srvs/srv/Trigger"
    string ros:topic:name = "scan"
    double ros:topic:publish_rate = 10
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/LaserScan"
}
)",
    .good    = "<<topic scan>>",
};

bool is_robot_wide(const std::string& type)
{
    static const std::set<std::string> kTypes{"sensor_msgs/msg/JointState", "trajectory_msgs/msg/JointTrajectory",
                                              "geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped",
                                              "nav_msgs/msg/Odometry"};
    return kTypes.count(type) != 0 || type.starts_with("control_msgs/");
}

/// A message that is measured at a place.
bool is_located(const std::string& type)
{
    static const std::set<std::string> kTypes{"sensor_msgs/msg/Image",
                                              "sensor_msgs/msg/CompressedImage",
                                              "sensor_msgs/msg/CameraInfo",
                                              "sensor_msgs/msg/LaserScan",
                                              "sensor_msgs/msg/PointCloud2",
                                              "sensor_msgs/msg/PointCloud",
                                              "sensor_msgs/msg/MultiEchoLaserScan",
                                              "sensor_msgs/msg/Imu",
                                              "sensor_msgs/msg/MagneticField",
                                              "sensor_msgs/msg/NavSatFix",
                                              "sensor_msgs/msg/Range",
                                              "sensor_msgs/msg/FluidPressure",
                                              "sensor_msgs/msg/Temperature",
                                              "sensor_msgs/msg/Illuminance",
                                              "sensor_msgs/msg/RelativeHumidity",
                                              "geometry_msgs/msg/WrenchStamped",
                                              "stereo_msgs/msg/DisparityImage"};
    return kTypes.count(type) != 0;
}

/// A sensor below no link: of a robot that has links it should be on one, elsewhere it stands still.
void check_mounting(const Facts& facts, const PrimFacts& prim, const ros::Interface& interface, Sink& sink)
{
    if (!is_located(interface.type) || !facts.has(kBody)) return;
    // Where a camera stands is said of the camera, not of what lies below it.
    if (facts.nearest(facts.index_of(prim), kBody | kCamera) != nullptr) return;
    const PrimFacts* robot = nullptr;
    for (const PrimFacts* at = &prim; at != nullptr; at = facts.nearest(at->parent, kContext))
        if (at->is(kContext)) robot = at;
    const bool mounted = robot != nullptr && robot->above_body;
    sink.report(kSensorChild, {.site     = prim.prim.site(),
                               .message  = mounted ? "a sensor's interface stands below no link of the robot"
                                                   : "a sensor's interface stands below no link",
                               .observed = interface.type,
                               .expected = "an Xform below the link that carries the sensor",
                               .hint     = "move it to an Xform below the link",
                               .variant  = mounted ? "no-link" : "static",
                               .severity = mounted ? Severity::error : Severity::info});
}

void check_interface(const Facts& facts, std::size_t at, const ros::Interface& interface, Sink& sink)
{
    const PrimFacts& prim = facts.prims[at];
    const auto       here = static_cast<std::int32_t>(at);
    if (is_robot_wide(interface.type)) {
        sink.applies(kRobotWide);
        if (facts.nearest(here, kBody) != nullptr || prim.is(kGprim))
            sink.report(kRobotWide, {.site     = prim.prim.site(),
                                     .message  = "an interface of the whole robot stands on or below a link",
                                     .observed = interface.type,
                                     .expected = "a prim of its own below the context",
                                     .hint     = "move it to an Xform directly below the robot's root"});
        return;
    }
    if (interface.kind != ros::Api::topic || interface.role != "publisher") return;
    sink.applies(kSensorChild);
    if (prim.is(kCamera)) return;  // REP-2.8-a says what is to be done
    const char* wrong = prim.is(kBody)     ? "a rigid body"
                        : prim.is(kGprim)  ? "geometry"
                        : !prim.is(kXform) ? "a prim that is no Xform"
                                           : nullptr;
    if (wrong != nullptr)
        sink.report(kSensorChild, {.site     = prim.prim.site(),
                                   .message  = std::string("a sensor's interface stands on ") + wrong,
                                   .observed = prim.prim.type_name().text(),
                                   .expected = "an Xform below the link",
                                   .hint     = "give the sensor an Xform below the link and apply the schema there"});
    else
        check_mounting(facts, prim, interface, sink);
}

void check(const Facts& facts, Sink& sink)
{
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        if (!prim.is(kInterface)) continue;
        sink.applies(kOnePerPrim);
        const int count = prim.is(kTopic) + prim.is(kService) + prim.is(kAction);
        if (count > 1)
            sink.report(kOnePerPrim, {.site     = prim.prim.site(),
                                      .message  = "the prim carries " + std::to_string(count) + " interfaces",
                                      .observed = std::to_string(count),
                                      .expected = "one",
                                      .hint     = "give each interface an Xform"});
        for (const ros::Interface& interface : ros::interfaces(prim.prim)) check_interface(facts, i, interface, sink);
    }
}

constexpr std::array<const Rule*, 3> kRules{&kRobotWide, &kSensorChild, &kOnePerPrim};

}  // namespace

constexpr Family kRosPlacementRules{kRules, check};

}  // namespace mechane::conformance
