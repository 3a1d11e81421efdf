// Prescribed (kinematic) bodies: their velocity over the step, the change of it at the step's beginning, and their pose
// at a time within the step. Poses in the world [m], twists at the centre of mass.
//
// Over a step each body moves with one velocity V, the one that takes it to its target, and changes it when the next
// step begins. Everything that a joint ties to the body feels this acceleration. Rows of loop joints see the new
// velocity. A tree, whose rates v are relative to the body, gets the impulse that its joint transmits (kick_tree):
//
//     v := v - M^-1 S^T I (V_new - V_old)        M  mass matrix of the tree, S^T I  momentum of the tree as one body
//
// Impulses of a dt at the ends of steps and straight ways between them are second order accurate in dt.

#include <cstring>

#include "solvers/softstep/mechanism/predict.h"
#include "solvers/softstep/state/prescribed.h"

namespace mechane::solvers::softstep {

namespace {

/// The velocity that takes a body to a pose within dt.
Spatiald rate_towards(const Posed& goal, const Posed& start, const Vec3d& com, double dt)
{
    const Quatd q    = normalized(goal.q);
    const Quatd turn = normalized(q * conjugate(start.q));
    return {(1 / dt) * ((goal.p + rotate(q, com)) - start * com), (1 / dt) * to_rotation_vector(turn)};
}

}  // namespace

void load_prescribed(Mechanism& system, std::int32_t body, const model::State& in, const model::Control& control,
                     double dt, const PublishedBody& before)
{
    const model::Model& m             = *system.model;
    Posed&              start         = system.base_start[body];
    Spatiald &          comes         = system.motion.base_twist[body], &goes = system.base_rate[body];
    start                             = static_cast<Posed>(in.body_q[body]);
    start.q                           = normalized(start.q);
    system.base_commanded[body]       = 0;
    // A body that is immovable for want of mass stands still; only a kinematic one has a prescribed motion.
    if (!(m.body_flags[body] & model::body_flag::kinematic)) {
        comes = goes = {};
    } else {
        comes = goes = static_cast<Spatiald>(in.body_qd[body]);
        if (control.body_target_q.size() == m.body_count() && is_finite(control.body_target_q[body])) {
            goes = rate_towards(static_cast<Posed>(control.body_target_q[body]), start,
                                static_cast<Vec3d>(m.body_com[body]), dt);
        // Same pose as published: the body was not placed, so its velocity is a command or goes on.
        } else if (before.pose != nullptr && std::memcmp(before.pose, &in.body_q[body], sizeof(Pose)) == 0) {
            // It goes on from where it was: a velocity that is not the published one is a command.
            comes                       = static_cast<Spatiald>(*before.twist);
            system.base_commanded[body] = 1;
        }
    }
    place_prescribed(system, body, 0);
}

void start_prescribed(Mechanism& system, const std::vector<std::uint8_t>& untouched)
{
    const Forest& f = system.forest;
    for (std::size_t t = 0; t < f.trees.size(); ++t) {
        const Tree&        tree = f.trees[t];
        const std::int32_t base = f.links[tree.link_begin].base;
        if (base < 0 || faulty(system, tree.world)) continue;
        const Spatiald before = system.motion.base_twist[base], change = system.base_rate[base] - before;
        if (change == Spatiald{}) continue;
        system.motion.base_twist[base] = system.base_rate[base];
        // Rates that the caller wrote together with the base's hold for what is now.
        // Rates written together with the base's are relative to the new velocity already.
        if (system.base_commanded[base] && !untouched[t])
            dynamics::update_velocities(f, tree, system.motion);
        else
            kick_tree(system, tree, change);
        system.motion.base_twist[base] = before;  // other trees may hang there
    }
    for (const std::int32_t b : f.prescribed) system.motion.base_twist[b] = system.base_rate[b];
}

void place_prescribed(Mechanism& system, std::int32_t body, double time)
{
    const Posed&    start        = system.base_start[body];
    const Spatiald& twist        = system.base_rate[body];
    const Vec3d     com          = static_cast<Vec3d>(system.model->body_com[body]);
    Posed&          X            = system.motion.base_X[body];
    X.q                          = normalized(from_rotation_vector(time * twist.angular) * start.q);
    const Vec3d com_W            = start * com + time * twist.linear;
    X.p                          = com_W - rotate(X.q, com);
    system.motion.base_com[body] = com_W;
}

}  // namespace mechane::solvers::softstep
