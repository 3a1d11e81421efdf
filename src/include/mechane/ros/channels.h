#pragma once
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/ros/frames.h"
#include "mechane/ros/interfaces.h"
#include "mechane/ros/type_table.h"

namespace mechane::ros {

/// A topic that a simulator of the stage publishes (REP-0158 2.1.1, 2.3, 2.4 and 2.7).
struct Channel {
    std::string topic;     ///< resolved: "/robot_1/scan"
    std::string type;      ///< "sensor_msgs/msg/LaserScan"
    Qos         qos;       ///< as offered, see `offered_qos`
    double      rate = 0;  ///< [Hz]; 0 for transforms: each step, or once where `qos` is transient local
    std::optional<std::int64_t> domain;
    usd::Prim                   prim;  ///< that declares it; of transforms the robot's outermost context
    bool                        starts_enabled = true;  ///< false: nothing is published until it is switched on
    std::vector<std::size_t>    frames;                 ///< of transforms: indices among `Published::frames`
};

/// Everything that is published, and the frames of its transforms.
struct Published {
    /// Interfaces in traversal order, then the transforms of each robot; where the stage declares no publisher at all,
    /// then the joint states of each robot with a context (`joint_states` in its namespace, 50 Hz).
    std::vector<Channel> channels;
    std::vector<Frame>   frames;
};

/// The quality of service that a publisher offers. What is left to the system stays so, with one exception: sensors at
/// their defaults are best effort, as their drivers are, but joint states and what later subscribers are to get.
Qos offered_qos(const Interface& interface);

/// Name of a joint in messages: `ros:joint:name` where it is authored, else the prim's.
std::string joint_name(const usd::Prim& joint);

/// @param found  gets ROS_TYPE_UNKNOWN for each publisher whose type nobody knows; it is left out, the others are
/// there.
///               Also what `frames` says.
Published channels(const usd::Stage& stage, const TypeTable& types, Diagnostics& found);

}  // namespace mechane::ros
