#include "solvers/xpbd/particles.h"

#include <algorithm>

#include "mechane/model/types.h"

namespace mechane::solvers::xpbd {

namespace {

constexpr double kParticleFriction = 0.5;  ///< Newton's `soft_contact_mu`, averaged with the shape's

bool plays(const model::Model& m, std::size_t i) { return (m.particle_flags[i] & model::particle_flag::active) != 0; }

}  // namespace

void Particles::load(const model::Model& m, const model::State& in)
{
    const std::size_t n = m.particle_count();
    x.resize(n), v.resize(n), start.resize(n), correction.resize(n), inv_mass.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i]        = static_cast<Vec3d>(in.particle_q[i]);
        v[i]        = static_cast<Vec3d>(in.particle_qd[i]);
        inv_mass[i] = plays(m, i) ? static_cast<double>(m.particle_inv_mass[i]) : 0;
    }
}

void Particles::predict(const model::Model& m, const model::State& in, double h)
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        start[i] = x[i];
        if (!plays(m, i)) continue;
        Vec3d f = in.particle_f.empty() ? Vec3d{} : static_cast<Vec3d>(in.particle_f[i]);
        if (!is_finite(f)) f = {};
        const Vec3d g = inv_mass[i] > 0 ? static_cast<Vec3d>(m.gravity_of(m.particle_world[i])) : Vec3d{};
        v[i] += h * (inv_mass[i] * f + g);
        x[i] += h * v[i];
    }
}

void Particles::solve_contacts(const model::Model& m, const model::SoftContacts& contacts, const shared::Bodies& bodies,
                               double relaxation, double h, Corrections& out)
{
    std::fill(correction.begin(), correction.end(), Vec3d{});
    const auto count =
        std::min(static_cast<std::size_t>(std::max(contacts.soft_contact_count, 0)), contacts.soft_capacity());
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t p = contacts.soft_contact_particle[i], s = contacts.soft_contact_shape[i];
        if (p < 0 || static_cast<std::size_t>(p) >= x.size() || s < 0 || static_cast<std::size_t>(s) >= m.shape_count())
            continue;
        if (!plays(m, static_cast<std::size_t>(p))) continue;
        const std::int32_t b  = m.shape_body[s];
        const Posed        X  = bodies.pose(b);
        const Vec3d        at = X * static_cast<Vec3d>(contacts.soft_contact_body_pos[i]);
        const Vec3d n = static_cast<Vec3d>(contacts.soft_contact_normal[i]), r = b < 0 ? Vec3d{} : at - bodies.com_W(b);
        const double d = dot(n, x[p] - at) - static_cast<double>(m.particle_radius[p]);
        if (!(d < 0) || !is_finite(n)) continue;
        const Vec3d surface =
            bodies.velocity_at(b, r) + rotate(X.q, static_cast<Vec3d>(contacts.soft_contact_body_vel[i]));
        const Vec3d  rel   = v[p] - surface;
        const Vec3d  slip  = rel - dot(n, rel) * n;
        const double speed = length(slip), mu = 0.5 * (kParticleFriction + static_cast<double>(m.shape_material_mu[s]));
        // Friction takes back at most the way of the step, and at most mu times the depth.
        Vec3d move = -d * n;
        if (speed > 0) move -= (std::min(h * speed, mu * -d) / speed) * slip;
        const Vec3d  a = cross(r, n);
        const double w = inv_mass[p] + bodies.inverse_mass(b) + dot(a, bodies.inverse_inertia_times(b, a));
        if (!(w > 0)) continue;
        const Vec3d l = (relaxation / w) * move;
        correction[p] += inv_mass[p] * l;
        out.add(b, (-1 / h) * l, (-1 / h) * cross(r, l));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (correction[i] == Vec3d{}) continue;
        x[i] += correction[i];
        v[i] = (1 / h) * (x[i] - start[i]);
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
