#pragma once
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/run/publish.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/simulate.h"

namespace mechane::run {

struct ControllerOptions {
    /// Of controllers by prim path, or its last elements if that is unambiguous; publishers are left to `write_mcap`.
    std::vector<Switch> switches{};
    std::string         table{};     ///< text of a file of commands: SimulateOptions::control
    std::string         table_name{};  ///< where it comes from, for diagnostics
    double              begin = 0;   ///< where the run begins [s]; later than 0 when it resumes a checkpoint
    double              metre = 1;   ///< metres in a unit of the stage
};

/// A controller that was switched.
struct ControllerEvent {
    double      time = 0;  ///< [s]
    std::string path;      ///< of its prim
    bool        on = true;
};

/// What a stage's controllers do in a run.
struct Controlled {
    Follow                       follow;   ///< for SimulateOptions::follow
    std::vector<std::string>     columns;  ///< of the table, that are theirs: for SimulateOptions::other_columns
    std::vector<ControllerEvent> events;   ///< by time; what starts enabled is switched on at 0
};

/// Prepares the controllers of REP-0158 4.2.3: which of them is on when, and the commands that those that are on give
/// to the drives of their joints.
///
/// A trajectory controller goes from point to point of its columns `PATH.position[JOINT]` (also `velocity`, `effort`):
/// a straight line, or a cubic where both ends have velocities; towards its first point it goes from the target that
/// the drive had, or from where the joint is when it is switched on later. A differential drive takes each row with
/// `PATH.linear` [m/s] or `PATH.angular` [rad/s] as a message, and turns its wheels within the limits that its prim
/// authors. Of no two controllers that are on do both command one joint or body: the later one is refused.
///
/// @param animation  what else is followed, before them; may be empty
/// @param found      gets RUN_CONTROLLER_REFUSED, RUN_CONTROLLER_CONFLICT, RUN_CONTROLLER_IDLE,
/// RUN_CONTROLLER_NO_RUNTIME
/// @error RUN_ARGUMENT for a switch that names no controller and no publisher; RUN_CONTROL_FILE
Result<Controlled> control(const Scene& scene, const ControllerOptions& options, Follow animation, Diagnostics& found);

}  // namespace mechane::run
