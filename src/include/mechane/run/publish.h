#pragma once
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/simulation/recording.h"
#include "mechane/ros/channels.h"
#include "mechane/run/scene.h"

namespace mechane::run {

/// Switches a publisher or a controller on or off.
struct Switch {
    std::string name;      ///< of the topic, or the path of the prim
    double      time = 0;  ///< [s]
    bool        on   = true;
};
/// "NAME@T", or "NAME" for the beginning.
/// @error RUN_ARGUMENT
Result<Switch> parse_switch(const std::string& text, bool on);

/// How the stage lies in the world that was simulated.
struct StageInWorld {
    Posed  X_WS;  ///< [m]
    double meters_per_unit = 1;
};

/// Writes what a simulator would have published during a recording, as an MCAP file of the profile "ros2" that rosbag2
/// and its viewers play, without ROS installed: one channel for each publisher that is on at some time, with its
/// resolved name, type and offered quality of service.
///
/// Transforms and joint states carry messages (CDR); of other types, which need sensors, there is the channel alone.
/// Transforms are those of every kept step; static ones come once. Joint states come at their rate, with effective
/// names, of the revolute and prismatic joints below the robot's outermost context.
/// @param found  gets what `ros::channels` says, and RUN_ARGUMENT for a switch that names no publisher
/// @error RECORD_WRITE_FAILED
Result<void> write_mcap(const Scene& scene, const record::Recording& recording, const StageInWorld& stage,
                        const std::vector<Switch>& switches, const ros::TypeTable& types, const std::string& file,
                        Diagnostics& found);

}  // namespace mechane::run
