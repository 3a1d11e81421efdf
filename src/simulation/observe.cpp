// What is published of a state: frames of recordings (contacts in the world, energies [J]), and depths of penetration
// [m] for the report of a run.

#include "simulation/observe.h"

#include <algorithm>

#include "mechane/dynamics/energy.h"
#include "mechane/simulation/frame.h"
#include "mechane/solvers/soft_energy.h"

namespace mechane::run {

namespace {

Vec3 world_point(const model::State& state, std::int32_t body, const Vec3& p)
{ return body < 0 ? p : state.body_q[static_cast<std::size_t>(body)] * p; }

}  // namespace

record::Frame make_frame(const model::Model& model, const model::State& state, const model::Contacts& contacts)
{
    record::Frame frame;
    frame.t          = state.time;
    frame.body_q     = state.body_q;
    frame.body_qd    = state.body_qd;
    frame.joint_q    = state.joint_q;
    frame.joint_qd   = state.joint_qd;
    const auto count = static_cast<std::size_t>(contacts.rigid_contact_count);
    frame.contacts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t s0 = contacts.rigid_contact_shape0[i], s1 = contacts.rigid_contact_shape1[i];
        const Vec3         a = world_point(state, model.shape_body[static_cast<std::size_t>(s0)],
                                           contacts.rigid_contact_point0[i] + contacts.rigid_contact_offset0[i]);
        const Vec3         b = world_point(state, model.shape_body[static_cast<std::size_t>(s1)],
                                           contacts.rigid_contact_point1[i] + contacts.rigid_contact_offset1[i]);
        // Midway between both surfaces: contacts between solids of equal stiffness.
        frame.contacts.push_back({.point    = Real(0.5) * (a + b),
                                  .normal   = contacts.rigid_contact_normal[i],
                                  .force    = contacts.rigid_contact_force[i],
                                  .distance = dot(contacts.rigid_contact_normal[i], b - a),
                                  .shape0   = s0,
                                  .shape1   = s1});
    }
    const auto energy = dynamics::energy(model, state);
    frame.kinetic     = energy.kinetic;
    frame.potential   = energy.potential;
    if (model.particle_count() == 0) return frame;
    frame.particle_q  = state.particle_q;
    frame.particle_qd = state.particle_qd;
    const auto soft   = solvers::soft_energy(model, state);
    frame.kinetic += soft.kinetic;
    // Elastic energy of soft bodies counts as potential.
    frame.potential += soft.total() - soft.kinetic;
    return frame;
}

Depths deepest(const model::Model& model, const model::Contacts& contacts)
{
    Depths depths;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
        // Two numbers: into what cannot move, and between bodies.
        const auto is_static = [&](std::int32_t shape) {
            return model.shape_body[static_cast<std::size_t>(shape)] < 0;
        };
        double& depth = is_static(contacts.rigid_contact_shape0[i]) || is_static(contacts.rigid_contact_shape1[i])
                            ? depths.fixed
                            : depths.moving;
        depth         = std::max(depth, -static_cast<double>(contacts.rigid_contact_distance[i]));
    }
    return depths;
}

}  // namespace mechane::run
