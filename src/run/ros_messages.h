#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/math/pose.h"

/// Messages of ROS 2 as bytes: CDR, little-endian, with its header of four bytes (DDS-XTypes 7.4.1, plain CDR version
/// 1).
namespace mechane::run {

inline constexpr std::string_view kJointState = "sensor_msgs/msg/JointState";
inline constexpr std::string_view kPointCloud = "sensor_msgs/msg/PointCloud2";

/// Definition of the messages below, and of what they are made of, in the form "ros2msg"; empty for other types.
std::string message_definition(std::string_view type);

/// A geometry_msgs/TransformStamped.
struct TransformStamped {
    std::string parent, child;
    Posed       X_PC;  ///< [m]
};
/// A tf2_msgs/TFMessage.
/// @param time  [ns]
std::vector<std::byte> tf_message(std::uint64_t time, const std::vector<TransformStamped>& transforms);

struct JointStates {
    std::vector<std::string> names;
    std::vector<double>      position, velocity;  ///< [rad, m], [rad/s, m/s]
};
/// Points with their velocities, as a sensor_msgs/PointCloud2 of six fields x, y, z, vx, vy, vz [m], [m/s].
struct PointCloud {
    std::string        frame;
    std::vector<float> values;  ///< six a point
};
std::vector<std::byte> point_cloud(std::uint64_t time, const PointCloud& cloud);

/// A sensor_msgs/JointState without efforts.
std::vector<std::byte> joint_state(std::uint64_t time, const JointStates& states);

}  // namespace mechane::run
