#include "mechane/importer/animation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "import.h"
#include "mechane/model/model.h"

namespace mechane::importer {
namespace {

using physics::Dimension;

void add_target(Import& run, const physics::Joint& source, std::string_view drive, bool angular, std::size_t axis)
{
    const std::int32_t joint = run.joint_of[static_cast<std::size_t>(&source - run.physics.joints.data())];
    for (const bool velocity : {false, true}) {
        const usd::Token property(fmt::format("drive:{}:physics:target{}", drive, velocity ? "Velocity" : "Position"));
        if (!run.physics.authored_names.contains(property) || !source.prim.attribute(property).varying()) continue;
        run.took(source.prim, property.text(), physics::Use::converted, "followed: sampled at every step");
        run.result.animation.targets.push_back({.joint    = run.builder.joints[static_cast<std::size_t>(joint)].label,
                                                .angular  = angular,
                                                .axis     = axis,
                                                .velocity = velocity,
                                                .prim     = source.prim.path(),
                                                .property = property,
                                                .unit     = run.si(1, angular ? Dimension::angle : Dimension::length)});
    }
}

void add_targets(Import& run, physics::Index index)
{
    const physics::Joint& source = run.joint(index);
    const std::int32_t    built  = run.joint_of[static_cast<std::size_t>(index)];
    if (built < 0) return;
    const model::BuilderJoint& joint = run.builder.joints[static_cast<std::size_t>(built)];
    if (source.kind == physics::JointKind::revolute || source.kind == physics::JointKind::prismatic) {
        const bool turns  = source.kind == physics::JointKind::revolute;
        const auto merged = run.merged_axis.find(index);
        if (joint.type == model::JointType::fixed || !source.drive.enabled) return;
        add_target(run, source, turns ? "angular" : "linear", turns,
                   merged == run.merged_axis.end() ? 0 : merged->second.second);
    } else if (source.kind == physics::JointKind::d6 && joint.type == model::JointType::d6) {
        // The axes that are not locked, in the order in which the joint got them.
        std::size_t linear = 0, angular = 0;
        for (const auto dof : {physics::Dof::trans_x, physics::Dof::trans_y, physics::Dof::trans_z, physics::Dof::rot_x,
                               physics::Dof::rot_y, physics::Dof::rot_z}) {
            if (std::any_of(source.limits.begin(), source.limits.end(),
                            [&](const physics::Limit& l) { return l.dof == dof && l.locked; }))
                continue;
            const bool        turns = physics::is_rotation(dof);
            const std::size_t axis  = turns ? angular++ : linear++;
            add_target(run, source, physics::to_string(dof), turns, axis);
        }
    }
}

/// Whether something moves the prim over time: its own transform or that of a prim above.
bool moves(const usd::Prim& prim)
{
    static const usd::Token kOrder("xformOpOrder");
    for (usd::Prim at = prim; at && !at.path().is_root(); at = at.parent()) {
        for (const usd::Token& op : at.attribute(kOrder).get_or<std::vector<usd::Token>>({})) {
            std::string_view name = op.text();
            if (name.starts_with("!invert!")) name.remove_prefix(8);
            if (at.attribute(usd::Token(name)).varying()) return true;
        }
        if (at.stage().resets_transform(at)) return false;
    }
    return false;
}

}  // namespace

void find_animation(Import& run)
{
    if (run.newton() || !run.options.animation) return;
    for (std::size_t i = 0; i < run.physics.joints.size(); ++i) add_targets(run, static_cast<physics::Index>(i));
    for (std::size_t i = 0; i < run.physics.bodies.size(); ++i) {
        const physics::Body& body = run.physics.bodies[i];
        if (!body.kinematic || run.body_of[i] < 0 || !moves(body.prim)) continue;
        run.result.animation.bodies.push_back(
            {run.builder.bodies[static_cast<std::size_t>(run.body_of[i])].label, body.prim.path()});
    }
    run.result.animation.X_WS   = run.X_WS;
    run.result.animation.length = run.length();
}

Animation::Animation(const usd::Stage& stage, AnimationTracks tracks, const model::Model& model)
    : stage_(stage), tracks_(std::move(tracks))
{
    for (const AnimatedTarget& track : tracks_.targets) {
        Target target{stage.prim_at(track.prim).attribute(track.property), track.unit, track.velocity, {}};
        for (std::size_t j = 0; j < model.joint_count(); ++j) {
            if (model.joint_label[j] != track.joint) continue;
            const auto [linear, angular] = model.joint_dof_dim[j];
            const auto axis              = static_cast<std::int32_t>(track.axis) + (track.angular ? linear : 0);
            if (axis >= linear + angular) continue;
            target.places.push_back((track.velocity ? model.joint_qd_start[j] : model.joint_q_start[j]) + axis);
        }
        targets_.push_back(std::move(target));
    }
    for (const AnimatedBody& track : tracks_.bodies) {
        Body body{stage.prim_at(track.prim), {}};
        for (std::size_t b = 0; b < model.body_count(); ++b)
            if (model.body_label[b] == track.label) body.bodies.push_back(static_cast<std::int32_t>(b));
        bodies_.push_back(std::move(body));
    }
    body_count_ = model.body_count();
}

double Animation::time_code(double seconds) const
{
    const usd::StageMetadata& meta = stage_.metadata();
    return (meta.authored_time_range ? meta.start_time_code : 0) + seconds * meta.time_codes_per_second;
}

void Animation::apply(double begin, double end, model::Control& control) const
{
    for (const Target& target : targets_) {
        const auto value = target.attribute.get<double>(usd::TimeCode(time_code(begin)));
        if (!value || !std::isfinite(*value)) continue;
        std::vector<Real>& array = target.velocity ? control.joint_target_qd : control.joint_target_q;
        for (const std::int32_t i : target.places)
            array[static_cast<std::size_t>(i)] = static_cast<Real>(*value * target.unit);
    }
    if (bodies_.empty()) return;
    // Kinematic bodies without a track have no target: they go on with their velocity.
    control.body_target_q.assign(body_count_, Pose{{Real(kInfinity), 0, 0}, {}});
    for (const Body& body : bodies_) {
        const usd::Decomposition at   = usd::decompose(stage_.world_matrix(body.prim, usd::TimeCode(time_code(end))));
        const Posed              X_WB = tracks_.X_WS * Posed{tracks_.length * at.translation, at.rotation};
        if (!is_finite(X_WB)) continue;
        for (const std::int32_t b : body.bodies)
            control.body_target_q[static_cast<std::size_t>(b)] = static_cast<Pose>(X_WB);
    }
}

}  // namespace mechane::importer
