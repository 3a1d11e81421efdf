#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/ros_node.h"
#include "mechane/core/result.h"

namespace mechane::cli {

/// A server of rosbridge's protocol 2 (JSON over WebSocket), which roslibjs, roslibpy, Foxglove and others speak:
/// topics, the goals of trajectories, services of /rosapi, and those of simulation_interfaces.
///
/// It listens on the loopback address only. A client that names an origin, as browsers do, must be a page of this
/// machine or one of `origins`.
/// @param port  0: a free one
/// @error VIEW_PORT
struct RosWebSocket {
    std::unique_ptr<RosCarrier> carrier;
    int                         port = 0;
    static Result<RosWebSocket> open(RosNode& node, int port, std::vector<std::string> origins);
};

}  // namespace mechane::cli
