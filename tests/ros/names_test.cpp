#include <doctest/doctest.h>

#include "mechane/ros/interfaces.h"
#include "mechane/ros/names.h"
#include "mechane/ros/type_table.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::ros;

TEST_CASE("names: each way to be wrong is told (REP-T-107)")
{
    struct Row {
        const char* name;
        NameFault   fault;
    };
    for (const Row& row : {Row{"scan", NameFault::none},
                           {"a/b_2", NameFault::none},
                           {"", NameFault::empty},
                           {"2d/scan", NameFault::leading_digit},
                           {"a/2", NameFault::leading_digit},
                           {"scan/", NameFault::trailing_slash},
                           {"a//b", NameFault::double_slash},
                           {"~x", NameFault::substitution},
                           {"a{b}", NameFault::substitution},
                           {"a b", NameFault::bad_character},
                           {"a-b", NameFault::bad_character},
                           {"/abs", NameFault::absolute},
                           {"a__b", NameFault::double_underscore},
                           {"/", NameFault::empty}})
        CHECK_MESSAGE(check_name(row.name) == row.fault, row.name);
    CHECK(check_namespace("") == NameFault::none);
    CHECK(check_namespace("/") == NameFault::absolute);
    CHECK(check_namespace("robot_1/") == NameFault::trailing_slash);
    CHECK(check_frame_id("/cam") == FrameFault::leading_slash);
    CHECK(check_frame_id("cam-1.left") == FrameFault::unusual);
    CHECK(check_frame_id("tool0") == FrameFault::none);
}

TEST_CASE("types have three parts of their own grammar (REP-T-105, REP-T-106)")
{
    CHECK(parse_type("sensor_msgs/msg/LaserScan"));
    for (const char* text : {"std_msgs/Bool", "std_msgs/msgs/Bool", "Std_msgs/msg/Bool", "std_msgs/msg/bool",
                             "std__msgs/msg/Bool", "std_msgs_/msg/Bool", "std_msgs/msg/Bo_ol", "", "//", "a/msg/"})
        CHECK_MESSAGE(!parse_type(text), text);
}

TEST_CASE("types are known by the packages of ROS 2 and by folders of further ones")
{
    const TypeTable own;
    CHECK(own.is_known(*parse_type("sensor_msgs/msg/LaserScan")) == true);
    CHECK(own.is_known(*parse_type("sensor_msgs/msg/LaserScanner")) == false);
    CHECK(own.is_known(*parse_type("my_msgs/msg/Thing")) == std::nullopt);
    CHECK(own.has_header(*parse_type("sensor_msgs/msg/Image")) == true);
    CHECK(own.has_header(*parse_type("std_msgs/msg/Bool")) == false);

    const test::TemporaryFolder folder;
    folder.write("src/my_msgs/msg/Thing.msg", "# what it is\n\nstd_msgs/Header header  # when\nfloat64 size\n");
    folder.write("src/my_msgs/msg/Bare.msg", "float64 size\n");
    folder.write("install/share/other_msgs/srv/Ask.srv", "---\n");
    folder.write("install/share/other_msgs/action/Go.idl", "");
    const TypeTable more({(folder.path() / "src").string(), (folder.path() / "install").string()});
    CHECK(more.is_known(*parse_type("my_msgs/msg/Thing")) == true);
    CHECK(more.has_header(*parse_type("my_msgs/msg/Thing")) == true);
    CHECK(more.has_header(*parse_type("my_msgs/msg/Bare")) == false);
    CHECK(more.is_known(*parse_type("other_msgs/srv/Ask")) == true);
    CHECK(more.is_known(*parse_type("other_msgs/action/Go")) == true);
    CHECK(more.has_header(*parse_type("other_msgs/action/Go")) == std::nullopt);
    CHECK(more.is_known(*parse_type("my_msgs/msg/Missing")) == false);
    CHECK(more.is_known(*parse_type("nobodys_msgs/msg/Thing")) == std::nullopt);
}

TEST_CASE("the ten examples of resolved names (REP-T-097)")
{
    struct Row {
        std::vector<const char*> spaces;  ///< outermost first; null: a prim without a context
        const char *             name, *resolved, *tf;
    };
    const Row rows[] = {
        {{"robot_1"}, "joint_states", "/robot_1/joint_states", "/robot_1/tf"},
        {{"robot_1", "left_camera"}, "image_raw", "/robot_1/left_camera/image_raw", "/robot_1/tf"},
        {{"robot_1", nullptr, "arm"}, "cmd", "/robot_1/arm/cmd", "/robot_1/tf"},
        {{"robot_1", "", "arm"}, "cmd", "/robot_1/arm/cmd", "/robot_1/tf"},
        {{"robot_1", "/shared", "cam"}, "image_raw", "/shared/cam/image_raw", "/robot_1/tf"},
        {{nullptr}, "clock_rate", "/clock_rate", "/tf"},
        {{"robot_1"}, "/estop", "/estop", "/robot_1/tf"},
        {{"fleet/robot_1"}, "scan", "/fleet/robot_1/scan", "/fleet/robot_1/tf"},
        {{"robot_1", "camera_left"}, "image_raw", "/robot_1/camera_left/image_raw", "/robot_1/tf"},
        {{"robot_1", "/"}, "x", "/x", "/robot_1/tf"},
    };
    for (const Row& row : rows) {
        std::string text = "#usda 1.0\n", path, close;
        for (std::size_t i = 0; i < row.spaces.size(); ++i) {
            text += "def Xform \"p" + std::to_string(i) + "\"" +
                    (row.spaces[i] == nullptr ? "" : " (\n    prepend apiSchemas = [\"RosContextAPI\"]\n)") + "\n{\n";
            if (row.spaces[i] != nullptr && *row.spaces[i] != '\0')
                text += "    string ros:context:namespace = \"" + std::string(row.spaces[i]) + "\"\n";
            path += "/p" + std::to_string(i);
            close += "}\n";
        }
        text += "def Xform \"i\" (\n    prepend apiSchemas = [\"RosTopicAPI\"]\n)\n{\n    string ros:topic:name = \"" +
                std::string(row.name) + "\"\n}\n" + close;
        const auto stage = usd::Stage::open_text(text);
        REQUIRE(stage);
        const std::vector<Interface> found = interfaces(**stage);
        REQUIRE(found.size() == 1);
        CHECK(found[0].resolved == row.resolved);
        CHECK(tf_topic(found[0].prim, false) == row.tf);
    }
}
