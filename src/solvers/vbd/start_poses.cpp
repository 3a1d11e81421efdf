// Whether the poses of a model are those that its joint coordinates give; the solver `vbd` asks when it is made.

#include "solvers/vbd/start_poses.h"

#include <fmt/format.h>

#include <numbers>

#include "mechane/dynamics/kinematics.h"
#include "mechane/model/state.h"

namespace mechane::solvers::vbd {

std::string disagreeing_poses(const model::Model& model)
{
    // As far apart as frames of a joint may be at the start before that is told.
    constexpr double kApart = 1e-3, kTurned = 0.5;  // [m], [deg]
    model::State     state = model::make_state(model);
    const auto       moved = dynamics::project_to_joints(model, state);
    const double     turn  = moved.angular * 180 / std::numbers::pi;
    if (moved.body < 0 || !(moved.linear > kApart || turn > kTurned)) return {};
    return fmt::format(
        "body_q of the model is not where joint_q puts bodies, {:.3g} m and {:.3g} deg apart at most (first: {}): "
        "joints rest, and bodies start, where joint_q says",
        moved.linear, turn, model.body_label[static_cast<std::size_t>(moved.body)]);
}

}  // namespace mechane::solvers::vbd
