// Particles for xpbd: prediction, contacts with shapes, limits of speed, impacts, publishing. Positions [m], velocities
// [m/s]; corrections are summed over a pass and applied at once. XPBD: Macklin, Mueller, Chentanez 2016.
//
//     predict    v := v + h (f / m + g),   x := x + h v
//     contact    d <= adhesion: moved by -d n + max(mu d, -h |slip|) slip / |slip|, shared by the inverse masses
//     velocity   v := (x - start) / h, at most particle_max_velocity
//     impact     v_n := -restitution v_n before, where that was faster than gravity makes in two substeps
//
// d  distance of the particle's ball from the surface [m]; n  normal; slip  tangential velocity [m/s]; h  substep [s]

#include "solvers/xpbd/particles.h"

#include <algorithm>

#include "mechane/model/types.h"
#include "solvers/soft/neighbours.h"

namespace mechane::solvers::xpbd {

namespace {

/// The default of particle_max_velocity: a lower limit is somebody's wish, at this one a step has left all bounds
/// [m/s].
constexpr double kFastest = 1e5;

bool plays(const model::Model& m, std::size_t i) { return (m.particle_flags[i] & model::particle_flag::active) != 0; }

}  // namespace

void Particles::load(const model::Model& m, const model::State& in)
{
    const std::size_t n = m.particle_count();
    x.resize(n), v.resize(n), start.resize(n), correction.resize(n), inv_mass.resize(n), arrival.resize(n);
    runaway.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        x[i]        = static_cast<Vec3d>(in.particle_q[i]);
        v[i]        = static_cast<Vec3d>(in.particle_qd[i]);
        inv_mass[i] = plays(m, i) ? static_cast<double>(m.particle_inv_mass[i]) : 0;
    }
}

void Particles::predict(const model::Model& m, const model::State& in, bool laws, double h)
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        start[i] = x[i];
        if (!plays(m, i)) continue;
        if (laws && !(inv_mass[i] > 0)) {
            v[i] = arrival[i] = {};
            continue;
        }
        Vec3d f = in.particle_f.empty() ? Vec3d{} : static_cast<Vec3d>(in.particle_f[i]);
        if (!is_finite(f)) f = {};
        const Vec3d g = inv_mass[i] > 0 ? static_cast<Vec3d>(m.gravity_of(m.particle_world[i])) : Vec3d{};
        // Symplectic Euler under forces and gravity; forces that are not finite count as none.
        v[i] += h * (inv_mass[i] * f + g);
        x[i] += h * v[i];
        // The speed before contacts, which restitution compares with.
        arrival[i] = v[i];
    }
}

void Particles::solve_contacts(const model::Model& m, const model::SoftContacts& contacts, const shared::Bodies& bodies,
                               double relaxation, bool laws, double h, Corrections& out)
{
    const double adhesion = m.particle_contact.adhesion;
    const auto   count =
        std::min(static_cast<std::size_t>(std::max(contacts.soft_contact_count, 0)), contacts.soft_capacity());
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t p = contacts.soft_contact_particle[i], s = contacts.soft_contact_shape[i];
        if (p < 0 || static_cast<std::size_t>(p) >= x.size() || s < 0 || static_cast<std::size_t>(s) >= m.shape_count())
            continue;
        if (!soft::meets(m, static_cast<std::size_t>(p))) continue;
        const std::int32_t b  = m.shape_body[s];
        const Posed        X  = bodies.pose(b);
        const Vec3d        at = X * static_cast<Vec3d>(contacts.soft_contact_body_pos[i]);
        const Vec3d n = static_cast<Vec3d>(contacts.soft_contact_normal[i]), r = b < 0 ? Vec3d{} : at - bodies.com_W(b);
        const double d = dot(n, x[p] - at) - static_cast<double>(m.particle_radius[p]);
        if (!(d <= adhesion) || !is_finite(n)) continue;
        const Vec3d surface =
            bodies.velocity_at(b, r) + rotate(X.q, static_cast<Vec3d>(contacts.soft_contact_body_vel[i]));
        const Vec3d  rel   = v[p] - surface;
        const Vec3d  slip  = rel - dot(n, rel) * n;
        const double speed = length(slip),
                     mu = 0.5 * (static_cast<double>(m.soft_contact.mu) + static_cast<double>(m.shape_material_mu[s]));
        // Friction takes back at most the way of the step, and at most mu times the depth.
        // n and slip are in the world; d is negative in contact, so mu d bounds from below.
        Vec3d        move = -d * n;
        const double most = mu * (laws ? std::min(d, 0.0) : d);
        if (speed > 0) move += (std::max(most, -h * speed) / speed) * slip;
        const Vec3d  a = cross(r, n);
        const double w = inv_mass[p] + bodies.inverse_mass(b) + dot(a, bodies.inverse_inertia_times(b, a));
        if (!(w > 0)) continue;
        const Vec3d l = (relaxation / w) * move;
        correction[p] += inv_mass[p] * l;
        // The multipliers here are lengths times masses; over h they are impulses.
        out.add(b, (-1 / h) * l, (-1 / h) * cross(r, l));
    }
}

void Particles::begin_pass() { std::fill(correction.begin(), correction.end(), Vec3d{}); }

void Particles::finish_pass(const model::Model& m, double h)
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (correction[i] == Vec3d{}) continue;
        x[i] += correction[i];
        set_velocity(m, i, h);
    }
}

void Particles::take_velocities(const model::Model& m, double h)
{
    for (std::size_t i = 0; i < x.size(); ++i)
        if (inv_mass[i] > 0) set_velocity(m, i, h);
}

void Particles::set_velocity(const model::Model& m, std::size_t i, double h)
{
    v[i]              = (1 / h) * (x[i] - start[i]);
    const double most = m.particle_contact.max_velocity, speed = length(v[i]);
    // Newton's max_velocity: the way is shortened with it.
    if (!(speed > most)) return;
    v[i] *= most / speed;
    x[i] = start[i] + h * v[i];
    if (most >= kFastest) runaway[i] = 1;
}

std::int32_t Particles::find_lost(const model::Model& m, bool laws, std::vector<std::uint8_t>& faulty) const
{
    constexpr double kFarthest = 1e9;  // [m], as of bodies
    std::int32_t     first     = -1;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!plays(m, i)) continue;
        if (is_finite(x[i]) && is_finite(v[i]) && length(x[i]) < kFarthest && !(laws && runaway[i] != 0)) continue;
        faulty[static_cast<std::size_t>(m.particle_world[i] + 1)] = 1;
        if (first < 0) first = static_cast<std::int32_t>(i);
    }
    return first;
}

void Particles::bounce(const model::Model& m, const model::SoftContacts& contacts, const shared::Bodies& bodies,
                       double h)
{
    const double e = m.soft_contact.restitution;
    if (!(e > 0)) return;
    const auto count =
        std::min(static_cast<std::size_t>(std::max(contacts.soft_contact_count, 0)), contacts.soft_capacity());
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t p = contacts.soft_contact_particle[i], s = contacts.soft_contact_shape[i];
        if (p < 0 || static_cast<std::size_t>(p) >= x.size() || s < 0 ||
            static_cast<std::size_t>(s) >= m.shape_count() || !soft::meets(m, static_cast<std::size_t>(p)) ||
            inv_mass[p] == 0)
            continue;
        const std::int32_t b  = m.shape_body[s];
        const Posed        X  = bodies.pose(b);
        const Vec3d        at = X * static_cast<Vec3d>(contacts.soft_contact_body_pos[i]);
        const Vec3d n = static_cast<Vec3d>(contacts.soft_contact_normal[i]), r = b < 0 ? Vec3d{} : at - bodies.com_W(b);
        const double d = dot(n, x[p] - at) - static_cast<double>(m.particle_radius[p]);
        const Vec3d  surface =
            bodies.velocity_at(b, r) + rotate(X.q, static_cast<Vec3d>(contacts.soft_contact_body_vel[i]));
        const double before = dot(n, arrival[p] - surface), after = dot(n, v[p] - surface);
        // As for bodies: slower than gravity makes in two steps is no impact.
        const double slow = 2 * h * length(static_cast<Vec3d>(m.gravity_of(m.particle_world[p])));
        if (d > 1e-6 + 0.01 * static_cast<double>(m.particle_radius[p]) || before > -slow || after >= -e * before)
            continue;
        v[p] += (-e * before - after) * n;
    }
}

void Particles::publish(const model::Model& m, const std::vector<std::uint8_t>& faulty, model::State& out) const
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!plays(m, i) || faulty[static_cast<std::size_t>(m.particle_world[i] + 1)] || !is_finite(x[i]) ||
            !is_finite(v[i]))
            continue;
        out.particle_q[i]  = static_cast<Vec3>(x[i]);
        out.particle_qd[i] = static_cast<Vec3>(v[i]);
    }
}

}  // namespace mechane::solvers::xpbd
