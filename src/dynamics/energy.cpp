// Energies [J] and momenta [kg m/s, kg m^2/s] of a state, in world axes, summed body by body in double precision.
// Kinematic bodies and bodies without mass do not count.
//
//     kinetic   sum of m v.v / 2 + w.L / 2, L = R I R^T w (Koenig)        potential  -sum of m g.c
//     armature  sum of armature qd^2 / 2                                  elastic    sum of stiffness (q - rest)^2 / 2
//     linear momentum  sum of m v                 angular momentum about p  sum of L + m (c - p) x v
//
// m, I, R, c  mass, inertia about the centre of mass in body axes, rotation, centre of mass; v  its velocity
// w, L        angular velocity and spin in world axes; q, qd  coordinate and rate of a dof

#include "mechane/dynamics/energy.h"

#include "mechane/core/failure.h"
#include "mechane/model/belongs.h"
#include "mechane/model/types.h"

namespace mechane::dynamics {

namespace {

/// A dynamic body in double.
struct Moving {
    double mass;
    Vec3d  com, v, w, L;  ///< centre of mass, its velocity, angular velocity, spin angular momentum; world axes
};

template <class Visit>
void visit_moving(const model::Model& model, const model::State& state, Visit&& visit)
{
    for (std::size_t b = 0; b < model.body_count(); ++b) {
        if (!(model.body_mass[b] > 0) || (model.body_flags[b] & model::body_flag::kinematic)) continue;
        const Posed    X = static_cast<Posed>(state.body_q[b]);
        const Spatiald t = static_cast<Spatiald>(state.body_qd[b]);
        const Vec3d    L = rotate(X.q, static_cast<Mat33d>(model.body_inertia[b]) * rotate_inverse(X.q, t.angular));
        visit(b, Moving{static_cast<double>(model.body_mass[b]), X * static_cast<Vec3d>(model.body_com[b]), t.linear,
                        t.angular, L});
    }
}

}  // namespace

Energy energy(const model::Model& model, const model::State& state)
{
    MCH_REQUIRE(model::fits(model, state), "energy", "state", "a state of the model");
    Energy e;
    visit_moving(model, state, [&](std::size_t b, const Moving& m) {
        // Koenig: motion of the centre of mass plus rotation about it.
        e.kinetic += 0.5 * m.mass * dot(m.v, m.v) + 0.5 * dot(m.w, m.L);
        e.potential -= m.mass * dot(static_cast<Vec3d>(model.gravity_of(model.body_world[b])), m.com);
    });
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
        const std::int32_t nq = model.joint_q_start[j + 1] - model.joint_q_start[j],
                           nv = model.joint_qd_start[j + 1] - model.joint_qd_start[j];
        for (std::int32_t k = 0; k < nv; ++k) {
            const auto dof = static_cast<std::size_t>(model.joint_qd_start[j] + k);
            // Rotor inertia acts on the joint's rate and belongs to no body.
            e.armature +=
                0.5 * static_cast<double>(model.joint_armature[dof]) * square(static_cast<double>(state.joint_qd[dof]));
            if (nq != nv) continue;  // springs act on scalar coordinates
            const auto coord = static_cast<std::size_t>(model.joint_q_start[j] + k);
            e.elastic +=
                0.5 * static_cast<double>(model.joint_stiffness[dof]) *
                square(static_cast<double>(state.joint_q[coord]) - static_cast<double>(model.joint_rest_q[coord]));
        }
    }
    return e;
}

Vec3d linear_momentum(const model::Model& model, const model::State& state)
{
    MCH_REQUIRE(model::fits(model, state), "linear_momentum", "state", "a state of the model");
    Vec3d p;
    visit_moving(model, state, [&](std::size_t, const Moving& m) { p += m.mass * m.v; });
    return p;
}

Vec3d angular_momentum(const model::Model& model, const model::State& state, const Vec3d& point)
{
    MCH_REQUIRE(model::fits(model, state), "angular_momentum", "state", "a state of the model");
    Vec3d L;
    // About `point`: spin plus moment of the linear momentum.
    visit_moving(model, state, [&](std::size_t, const Moving& m) { L += m.L + m.mass * cross(m.com - point, m.v); });
    return L;
}

}  // namespace mechane::dynamics
