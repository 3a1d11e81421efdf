#pragma once
#include <cstddef>
#include <vector>

#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::run {

/// Values at times, in ascending order of time.
struct Track {
    std::vector<double> times, values;
    [[nodiscard]] bool  empty() const { return times.empty(); }
};

/// The drive of one joint's axis, in every copy of its world.
struct DrivenAxis {
    std::vector<std::size_t> q, qd;             ///< in joint_target_q, and in joint_target_qd and joint_f
    double                   effort_limit = 0;  ///< of the drive [N, N m]
};

/// The step for which commands are given, as a controller sees it.
struct ControlStep {
    double              begin   = 0;      ///< [s]
    double              step    = 0;      ///< its length [s]
    double              since   = 0;      ///< when the controller was switched on [s]; -infinity: it started enabled
    bool                goes_on = false;  ///< it was on in the step before, too
    const model::State& state;
    model::Control&     control;
};

/// What a trajectory controller asks of one joint: positions, velocities and efforts at points in time.
struct JointTrajectory {
    DrivenAxis axis;
    Track      position, velocity, effort;

    /// Straight lines from point to point; a cubic where both ends have velocities (Hermite). Before the first point
    /// that lies after `since`: towards it, from what the drive's target is. After the last: that one.
    void command(const ControlStep& step) const;
    /// Lets the drive hold the joint where it is.
    void hold(const ControlStep& step) const;
    void release(model::Control& control) const;
};

/// Two sides of wheels on one axle.
struct DifferentialDrive {
    std::vector<DrivenAxis> left, right;
    double                  separation = 0, radius = 0;  ///< [m], positive
    double                  timeout      = 0;            ///< [s] after which a message no longer counts; 0: never
    double                  linear_speed = 0, linear_acceleration = 0;    ///< largest [m/s, m/s^2]; 0: any
    double                  angular_speed = 0, angular_acceleration = 0;  ///< [rad/s, rad/s^2]
    std::vector<double>     times, linear, angular;  ///< messages: forward speed [m/s], turn to the left [rad/s]

    /// Wheel speeds (v -/+ w separation / 2) / radius, as REP-0158's draft takes them over from ros2_control.
    void command(const ControlStep& step) const;
    void release(model::Control& control) const;
};

}  // namespace mechane::run
