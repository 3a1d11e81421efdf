// Step of import_usd that adds bodies: pose, mass properties, velocity and flags of each UsdPhysics rigid body.
// In: physics::Body (stage frame, stage units), masses that room resolve has computed (SI, about the centre of mass, in
// the body's axes), and X_WB in the builder's world. Out: builder bodies, in the order in which trees and orphans ask
// for them.
// Velocities: UsdPhysics authors them in local space, physics:angularVelocity in degrees per second.
// physics::world_velocity brings them to the stage's axes, and `stage_to_world` = q_WB q_SB^-1 turns them into the
// builder's.

#include <fmt/format.h>

#include <cmath>

#include "import.h"

namespace mechane::importer {

namespace {

/// A kinematic body is where its transform says: what it authors as its velocity moves nothing.
void dismiss_velocity(Import& run, const physics::Body& body)
{
    const bool moved = run.options.animation && moves(body.prim);
    if (run.log)
        for (const char* name : {"physics:velocity", "physics:angularVelocity"})
            run.log->dismiss(
                body.prim, name,
                moved ? "the body is kinematic: its animation moves it" : "the body is kinematic: it rests");
    if (moved || (body.velocity == Vec3d{} && body.angular_velocity == Vec3d{})) return;
    const auto text = [](const char* name, const Vec3d& v) {
        return v == Vec3d{} ? std::string() : fmt::format(", {} = ({:.6g}, {:.6g}, {:.6g})", name, v.x, v.y, v.z);
    };
    run.found.add(
        codes::kKinematicVelocity, body.prim.site(),
        fmt::format("{} is kinematic and not animated{}{}", body.path.text(), text("physics:velocity", body.velocity),
                    text("physics:angularVelocity", body.angular_velocity)));
}

}  // namespace

std::int32_t add_body(Import& run, physics::Index index)
{
    const physics::Body& body = run.body(index);
    const auto           slot = static_cast<std::size_t>(index);
    if (run.body_of[slot] >= 0) return run.body_of[slot];

    const resolve::BodyMassProperties& mass = run.masses.bodies[slot];
    const Posed&                       X_WB = run.X_WB[slot];
    Vec3d                              com  = mass.com;
    // Newton sums in single precision, where a centre of mass this close to an axis lies on it.
    for (std::size_t i = 0; i < 3 && run.conventions.tiny_com_is_zero; ++i)
        if (std::abs(com[i]) < 1e-8) com[i] = 0;
    const std::int32_t b = run.builder.add_link(X_WB, body.path.text(), mass.mass, com, mass.inertia);
    run.body_of[slot]    = b;

    model::BuilderBody& added = run.builder.bodies[static_cast<std::size_t>(b)];
    added.scene               = run.conventions.first_scene_only ? -1 : body.scene;
    added.lock_inertia        = true;  // the mass rules have accounted for every collider already
    if (body.kinematic) added.flags = model::body_flag::kinematic;
    added.starts_asleep = body.starts_asleep && !run.conventions.never_asleep;

    const auto frame =
        run.conventions.velocities_rotated_only ? physics::VelocityFrame::rotation_only : physics::VelocityFrame::local;
    const auto  velocity       = physics::world_velocity(body, frame);
    const Quatd stage_to_world = X_WB.q * conjugate(body.X_WB.q);
    if (run.log) {
        if (run.conventions.never_asleep)
            run.log->dismiss(body.prim, "physics:startsAsleep", "newton-1.8 has no sleep");
        for (const char* name : {"physics:velocity", "physics:angularVelocity"})
            if (added.starts_asleep) run.log->dismiss(body.prim, name, "the body starts asleep, at rest");
    }
    if (body.kinematic && run.kinematic_rests()) {
        dismiss_velocity(run, body);
    // A body that starts asleep rests by definition; what it authors as a velocity is told to the ledger, not used.
    } else if (!added.starts_asleep) {
        added.qd.linear  = run.length() * rotate(stage_to_world, velocity.linear);
        added.qd.angular = kDegrees * rotate(stage_to_world, velocity.angular);
    }
    run.result.mass_rules[added.label]             = mass.rule;
    run.result.path_body_map[added.label]          = b;
    run.result.path_original_body_map[added.label] = b;
    if (!run.conventions.body_attributes_by_articulation) run.collect(body.prim);
    add_visuals_of_body(run, index, b);
    return b;
}

void add_remaining_bodies(Import& run)
{
    for (std::size_t i = 0; i < run.physics.bodies.size(); ++i)
        if (run.imports(static_cast<physics::Index>(i))) add_body(run, static_cast<physics::Index>(i));
}

/// The one place that decides which bodies become bodies: valid, not ignored, of the scene and world in turn, and
/// enabled.
bool Import::imports(physics::Index i) const
{
    const physics::Body& b = body(i);
    if (!b.valid || ignored_bodies.count(i) != 0) return false;
    if (!in_turn(b.scene, world_of_body, static_cast<std::size_t>(i))) return false;
    // A disabled body is part of the world: its colliders already are, and a joint to it holds its other end in place.
    if (!b.enabled) return conventions.disabled_bodies_stay && !options.only_load_enabled_rigid_bodies;
    return true;
}

}  // namespace mechane::importer
