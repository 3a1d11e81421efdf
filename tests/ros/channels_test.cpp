#include <doctest/doctest.h>

#include "mechane/ros/channels.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::ros;

namespace {

std::string topic(const std::string& name, const std::string& type, const std::string& more = "")
{
    return "    def Xform \"" + name +
           "\" (\n        prepend apiSchemas = [\"RosTopicAPI\"]\n    )\n    {\n        string ros:topic:name = \"" +
           name + "\"\n        string ros:topic:type = \"" + type +
           "\"\n        token ros:topic:role = \"publisher\"\n        double ros:topic:publish_rate = 10\n" + more +
           "    }\n";
}

std::shared_ptr<const usd::Stage> robot(const std::string& inside)
{
    auto stage = usd::Stage::open_text(
        "#usda 1.0\n(\n    defaultPrim = \"robot\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\ndef Xform \"robot\" "
        "(\n    prepend apiSchemas = [\"RosContextAPI\"]\n)\n{\n    string ros:context:namespace = \"r\"\n" +
        inside + "}\n");
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *stage;
}

std::vector<std::string> topics(const Published& all)
{
    std::vector<std::string> names;
    for (const Channel& channel : all.channels) names.push_back(channel.topic);
    return names;
}

}  // namespace

TEST_CASE("sensors at their defaults are best effort; joint states, and what later subscribers get, are not (GAP-089)")
{
    struct {
        const char *type, *more, *reliability;
    } table[] = {
        {"sensor_msgs/msg/LaserScan", "", "best_effort"},
        {"sensor_msgs/msg/JointState", "", "system_default"},
        {"nav_msgs/msg/Odometry", "", "system_default"},
        {"sensor_msgs/msg/LaserScan", "        token ros:topic:qos:durability = \"transient_local\"\n",
         "system_default"},
        {"sensor_msgs/msg/LaserScan", "        token ros:topic:qos:reliability = \"reliable\"\n", "reliable"},
    };
    for (const auto& row : table) {
        CAPTURE(row.type);
        const auto                   stage = robot(topic("t", row.type, row.more));
        const std::vector<Interface> all   = interfaces(*stage);
        REQUIRE(all.size() == 1);
        CHECK(offered_qos(all[0]).reliability == row.reliability);
        CHECK(all[0].qos.depth == offered_qos(all[0]).depth);
    }
}

TEST_CASE("a publisher of an unknown type is left out and said once, the others are published (GAP-067)")
{
    Diagnostics     found;
    const auto      stage = robot(topic("scan", "sensor_msgs/msg/LaserScan") + topic("odd", "nosuch_msgs/msg/X") +
                                  topic("late", "std_msgs/msg/Bool", "        bool ros:topic:starts_enabled = 0\n"));
    const Published all   = channels(*stage, TypeTable{}, found);
    CHECK(topics(all) == std::vector<std::string>{"/r/scan", "/r/late", "/r/tf_static"});
    CHECK(all.channels[0].starts_enabled);
    CHECK_FALSE(all.channels[1].starts_enabled);
    CHECK(all.channels[0].rate == 10);
    REQUIRE(found.size() == 1);
    CHECK(found.begin()->id == "ROS_TYPE_UNKNOWN");
    CHECK(found.begin()->site.prim == "/robot/odd");
}

TEST_CASE("a joint is called what it says in messages, else as its prim")
{
    const auto stage = robot(
        "    def PhysicsFixedJoint \"a\" { custom string ros:joint:name = \"elbow\"\n }\n    def "
        "PhysicsFixedJoint \"b\" {}\n");
    CHECK(joint_name(stage->prim_at(usd::Path("/robot/a"))) == "elbow");
    CHECK(joint_name(stage->prim_at(usd::Path("/robot/b"))) == "b");
}
