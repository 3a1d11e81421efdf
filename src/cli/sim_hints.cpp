// One sentence of advice after a run in which nothing useful happened: a robot that falls for ever, or one that is
// fixed in the air. Called by sim.cpp.

#include "cli/sim_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "mechane/model/types.h"

namespace mechane::cli {
namespace {

/// The first body in free fall: its velocity is the one that gravity alone gives.
std::optional<std::size_t> falling(const model::Model& model, const record::Recording& recording)
{
    const record::Frame &first = recording.frames.front(), &last = recording.frames.back();
    const double         time = last.t - first.t;
    if (!(time >= 0.5) || recording.report.contacts_max > 0) return std::nullopt;
    for (std::size_t b = 0; b < model.body_count(); ++b) {
        const Vec3d  g       = static_cast<Vec3d>(model.gravity_of(model.body_world[b]));
        const double gravity = length(g);
        if (!(gravity > 0)) continue;
        const Vec3d change = static_cast<Vec3d>(last.body_qd[b].linear - first.body_qd[b].linear);
        // Drag and damping take some speed away; 90 % of free fall is still falling.
        if (dot(change, g) / gravity >= 0.9 * gravity * time) return b;
    }
    return std::nullopt;
}

/// The first fixed joint between a robot and the world.
std::optional<std::size_t> bolt(const model::Model& model)
{
    for (std::size_t j = 0; j < model.joint_count(); ++j)
        if (model.joint_type[j] == model::JointType::fixed && model.joint_parent[j] < 0 &&
            model.joint_enabled[j] != 0 && model.joint_articulation[j] >= 0)
            return j;
    return std::nullopt;
}

}  // namespace

std::string sim_hint(const run::Scene& scene, const record::Recording& recording, bool ground, bool switched_off)
{
    const model::Model& model = scene.model;
    if (recording.frames.empty()) return {};
    if (const auto body = falling(model, recording)) {
        bool touches = false;
        for (std::size_t i = 0; i < model.shape_count(); ++i)
            touches = touches ||
                      (model.shape_body[i] >= 0 && (model.shape_flags[i] & model::shape_flag::collide_shapes) != 0);
        if (!touches && switched_off)
            return fmt::format("{} falls: a flag of MuJoCo switches all contacts off", model.body_label[*body]);
        if (!touches)
            return fmt::format("{} falls: no body has a collider; apply PhysicsCollisionAPI to what should touch",
                               model.body_label[*body]);
        return fmt::format("{} falls: nothing is below it{}", model.body_label[*body],
                           ground ? "" : "; --ground adds a plane");
    }
    if (ground && recording.report.contacts_max == 0)
        if (const auto joint = bolt(model))
            return fmt::format("the robot is fixed to the world by {}; --floating frees it", model.joint_label[*joint]);
    return {};
}

}  // namespace mechane::cli
