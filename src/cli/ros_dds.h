#pragma once
#include <memory>

#include "cli/ros_node.h"
#include "mechane/core/result.h"

namespace mechane::cli {

/// Topics over DDS, as nodes of ROS 2 see them (names "rt/joint_states", types "sensor_msgs::msg::dds_::JointState_",
/// plain CDR), by the Python package cyclonedds in a process of its own. Topics of types that it does not know stay
/// out.
/// @param domain  of topics whose stage names none; ROS_DOMAIN_ID in `mechane ros bridge`
/// @param found   gets VIEW_DDS_TYPE for each topic that stays out
/// @error VIEW_DDS  the package is not there
Result<std::unique_ptr<RosCarrier>> open_dds(RosNode& node, std::int64_t domain, Diagnostics& found);

}  // namespace mechane::cli
