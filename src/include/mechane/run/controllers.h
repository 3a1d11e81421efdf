#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/ros/controllers.h"
#include "mechane/run/publish.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/simulate.h"

namespace mechane::run {

/// What somebody tells the controllers while a run goes on: a page, a gamepad, a topic. The next step takes it.
struct LiveInbox {
    /// Where a joint is to be and when, as a trajectory_msgs/JointTrajectory says it.
    struct JointPoints {
        std::string         joint;                       ///< its name in messages
        std::vector<double> times;                       ///< after the message is taken, ascending [s]
        std::vector<double> position, velocity, effort;  ///< at the times; empty where the message has none
    };
    struct Message {
        std::size_t              controller = 0;           ///< index among `Controlled::controllers`
        double                   linear = 0, angular = 0;  ///< of a differential drive [m/s, rad/s]
        std::vector<JointPoints> points{};  ///< of a trajectory; they replace what was left of the last one
    };
    std::vector<Message> waiting;
};

/// A controller that can be told something while a run goes on.
struct LiveController {
    std::string              path;  ///< of its prim
    ros::ControllerKind      kind = ros::ControllerKind::other;
    std::vector<std::string> joints;             ///< that a trajectory may name
    double linear_speed = 0, angular_speed = 0;  ///< largest of a differential drive [m/s, rad/s]; 0: any
    std::vector<std::size_t> dofs;               ///< that it commands, in every copy of its world
    double                   wheel_speed =
        0;  ///< wheel radius times 10 rad/s: a moderate speed where the prim authors no largest one [m/s]
};

struct ControllerOptions {
    /// Of controllers by prim path, or its last elements if that is unambiguous; publishers are left to `write_mcap`.
    std::vector<Switch> switches{};
    std::string         table{};       ///< text of a file of commands: SimulateOptions::control
    std::string         table_name{};  ///< where it comes from, for diagnostics
    double              begin = 0;     ///< where the run begins [s]; later than 0 when it resumes a checkpoint
    double              metre = 1;     ///< metres in a unit of the stage
    /// Where messages wait that come while the run goes on; may be null.
    std::shared_ptr<LiveInbox> inbox{};
};

/// A controller that was switched.
struct ControllerEvent {
    double      time = 0;  ///< [s]
    std::string path;      ///< of its prim
    bool        on = true;
};

/// What a stage's controllers do in a run.
struct Controlled {
    Follow                       follow;       ///< for SimulateOptions::follow
    std::vector<std::string>     columns;      ///< of the table, that are theirs: for SimulateOptions::other_columns
    std::vector<ControllerEvent> events;       ///< by time; what starts enabled is switched on at 0
    std::vector<LiveController>  controllers;  ///< those that move something, as `LiveInbox` counts them
};

/// Prepares the controllers of REP-0158 4.2.3: which of them is on when, and the commands that those that are on give
/// to the drives of their joints.
///
/// A trajectory controller goes from point to point of its columns `PATH.position[JOINT]` (also `velocity`, `effort`):
/// a straight line, or a cubic where both ends have velocities; towards its first point it goes from the target that
/// the drive had, or from where the joint is when it is switched on later. A differential drive takes each row with
/// `PATH.linear` [m/s] or `PATH.angular` [rad/s] as a message, and turns its wheels within the limits that its prim
/// authors. Messages of the inbox count from the step that takes them. A run that begins again begins with what the
/// table says. Of no two controllers that are on do both command one joint or body: the later one is refused.
///
/// @param animation  what else is followed, before them; may be empty
/// @param found      gets RUN_CONTROLLER_REFUSED, RUN_CONTROLLER_CONFLICT, RUN_CONTROLLER_IDLE,
/// RUN_CONTROLLER_NO_RUNTIME
/// @error RUN_ARGUMENT for a switch that names no controller and no publisher; RUN_CONTROL_FILE
Result<Controlled> control(const Scene& scene, const ControllerOptions& options, Follow animation, Diagnostics& found);

}  // namespace mechane::run
