// Commands of controllers within a step: joint trajectories and differential drives, from messages (tracks of times and
// values) to targets of drives. Semantics are those of ros2_control's joint_trajectory_controller and
// diff_drive_controller.
// Times [s], lengths [m], angles [rad]; called by controllers.cpp before each step with the state at its beginning. No
// state of its own: the previous target is read from the controls, so that a checkpoint holds all.

#include "run/controller_motions.h"

#include <algorithm>
#include <cmath>

namespace mechane::run {
namespace {

/// Times of steps accumulate rounding errors; a point within 1 ns of a step counts as at the step [s].
constexpr double kInstant = 1e-9;

void write(std::vector<Real>& array, const std::vector<std::size_t>& places, double value)
{
    for (const std::size_t place : places) array[place] = static_cast<Real>(value);
}

double read(const std::vector<Real>& array, const std::vector<std::size_t>& places)
{ return static_cast<double>(array[places.front()]); }

/// The position of a time among the valid points of a track.
struct Place {
    std::size_t next   = 0;      ///< first point after the time; the number of points if there is none
    bool        within = false;  ///< there is a point before it
};

/// Points from before the controller was switched on do not count.
Place place_of(const Track& track, const ControlStep& step)
{
    const auto first = std::lower_bound(track.times.begin(), track.times.end(), step.since - kInstant);
    const auto next  = std::upper_bound(first, track.times.end(), step.begin + kInstant);
    return {static_cast<std::size_t>(next - track.times.begin()), next != first};
}

/// The fraction of the way from a target to a point that has passed since the target was set, 0..1.
double share(const ControlStep& step, double point)
/// The fraction of what is left, step for step: a line from the target at the start to the point, without remembering
/// where it began.
{ return step.goes_on ? step.step / (point - (step.begin - step.step)) : 0; }

/// Linear interpolation of a track; `now` is the previous target.
double line(const Track& track, const Place& at, const ControlStep& step, double now)
{
    // After the last point its value holds.
    if (at.next == track.times.size()) return track.values.back();
    if (!at.within) return now + share(step, track.times[at.next]) * (track.values[at.next] - now);
    const double t0 = track.times[at.next - 1], t1 = track.times[at.next];
    return track.values[at.next - 1] +
           (step.begin - t0) / (t1 - t0) * (track.values[at.next] - track.values[at.next - 1]);
}

/// The velocity in the row of this time; nothing if its cell is empty.
const double* velocity_at(const Track& velocity, double time)
{
    const auto at = std::lower_bound(velocity.times.begin(), velocity.times.end(), time);
    return at != velocity.times.end() && *at == time
               ? &velocity.values[static_cast<std::size_t>(at - velocity.times.begin())]
               : nullptr;
}

/// As close to `wanted` as limits of speed and acceleration allow.
double limited(double wanted, double before, double speed, double acceleration, double step)
{
    if (speed > 0) wanted = std::clamp(wanted, -speed, speed);
    if (acceleration > 0) wanted = std::clamp(wanted, before - acceleration * step, before + acceleration * step);
    return wanted;
}

}  // namespace

void JointTrajectory::command(const ControlStep& step) const
{
    model::Control& control = step.control;
    if (!position.empty()) {
        const Place  at     = place_of(position, step);
        const double before = read(control.joint_target_q, axis.q);
        double       target = before, rate = 0;
        const bool   any = at.within || at.next < position.times.size();
        if (any) target = line(position, at, step, before);
        if (at.next < position.times.size()) {
            const double t1 = position.times[at.next], p1 = position.values[at.next];
            // The velocity target is the slope of the position.
            rate = (p1 - target) / (t1 - step.begin);
            if (at.within) {
                const double  t0 = position.times[at.next - 1], p0 = position.values[at.next - 1], h = t1 - t0;
                const double *v0 = velocity_at(velocity, t0), *v1 = velocity_at(velocity, t1);
                if (v0 != nullptr && v1 != nullptr) {
                    const double s = (step.begin - t0) / h;
                    // Cubic Hermite spline through both points with their velocities, as ros2_control interpolates;
                    // `rate` is its derivative.
                    target         = (1 + 2 * s) * (1 - s) * (1 - s) * p0 + s * (1 - s) * (1 - s) * h * *v0 +
                                     s * s * (3 - 2 * s) * p1 - s * s * (1 - s) * h * *v1;
                    rate = 6 * s * (1 - s) * (p1 - p0) / h + (1 - s) * (1 - 3 * s) * *v0 + s * (3 * s - 2) * *v1;
                }
            }
        }
        if (any) {
            write(control.joint_target_q, axis.q, target);
            write(control.joint_target_qd, axis.qd, rate);
        }
    } else if (!velocity.empty()) {
        const Place at = place_of(velocity, step);
        if (at.within || at.next < velocity.times.size())
            write(control.joint_target_qd, axis.qd, line(velocity, at, step, read(control.joint_target_qd, axis.qd)));
    }
    if (!effort.empty()) {
        const Place at = place_of(effort, step);
        if (at.within || at.next < effort.times.size())
            write(control.joint_f, axis.qd,
                  std::clamp(line(effort, at, step, read(control.joint_f, axis.qd)), -axis.effort_limit,
                             axis.effort_limit));
    }
}

/// When a controller takes over, its joints stay where they are until the first point.
void JointTrajectory::hold(const ControlStep& step) const
{
    for (const std::size_t q : axis.q) step.control.joint_target_q[q] = step.state.joint_q[q];
    write(step.control.joint_target_qd, axis.qd, 0);
}

void JointTrajectory::release(model::Control& control) const
{
    write(control.joint_target_qd, axis.qd, 0);
    if (!effort.empty()) write(control.joint_f, axis.qd, 0);
}

void DifferentialDrive::command(const ControlStep& step) const
{
    double     v = 0, w = 0;
    const auto after = std::upper_bound(times.begin(), times.end(), step.begin + kInstant);
    if (after != times.begin()) {
        const auto   last = static_cast<std::size_t>(after - times.begin()) - 1;
        const double age  = step.begin - times[last];
        // A message from before the controller was switched on is ignored.
        if (times[last] >= step.since - kInstant && (timeout == 0 || age <= timeout + kInstant))
            v = linear[last], w = angular[last];
    }
    std::vector<Real>& speeds = step.control.joint_target_qd;
    // Speeds of the step before, from the wheels' targets: limits of acceleration need them.
    const double was_left = radius * read(speeds, left.front().qd), was_right = radius * read(speeds, right.front().qd);
    v = limited(v, (was_left + was_right) / 2, linear_speed, linear_acceleration, step.step);
    w = limited(w, (was_right - was_left) / separation, angular_speed, angular_acceleration, step.step);
    // v_left = v - w b/2, v_right = v + w b/2; over the radius they are angular velocities.
    for (const DrivenAxis& wheel : left) write(speeds, wheel.qd, (v - w * separation / 2) / radius);
    for (const DrivenAxis& wheel : right) write(speeds, wheel.qd, (v + w * separation / 2) / radius);
}

void DifferentialDrive::release(model::Control& control) const
{
    for (const auto* side : {&left, &right})
        for (const DrivenAxis& wheel : *side) write(control.joint_target_qd, wheel.qd, 0);
}

}  // namespace mechane::run
