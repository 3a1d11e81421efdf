// Particles under the explicit solvers: forces of elements, air, other particles, triangles and shapes, then a
// semi-implicit Euler step. Positions [m], velocities [m/s], forces [N] in the world and in double.

#include "solvers/shared/soft_particles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/soft/explicit_forces.h"

namespace mechane::solvers::shared {
namespace {

constexpr double kFastest = 1e5;  ///< the default of particle_max_velocity [m/s]

/// Weights of the point of a triangle that is nearest to p (Ericson 2005, 5.1.5).
/// Voronoi regions of corners, edges and face, in that order.
Vec3d nearest_weights(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& p)
{
    const Vec3d  ab = b - a, ac = c - a, ap = p - a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
    const Vec3d  bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return {1 - d1 / (d1 - d3), d1 / (d1 - d3), 0};
    const Vec3d  cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return {1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)};
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {0, 1 - w, w};
    }
    const double all = va + vb + vc;
    return {va / all, vb / all, vc / all};
}

}  // namespace

void SoftParticles::read(const model::Model& m, bool laws, bool tri_contact)
{
    using Leave  = soft::Neighbours::Leave;
    laws_        = laws;
    tri_contact_ = tri_contact;
    neighbours_  = soft::Neighbours(m, laws ? Leave::rings : Leave::nobody);
    if (laws) elements_ = soft::elements_of(m);
    // Two rings of neighbours are left out, or cloth would push itself apart at its own seams.
    near_.clear();
    if (!laws || m.tri_indices.empty()) return;
    // Particles beside a triangle, which it does not push.
    near_.resize(m.particle_count());
    std::vector<std::vector<std::int32_t>> ring(m.particle_count());
    for (const auto& t : m.tri_indices)
        for (const std::int32_t p : t)
            ring[static_cast<std::size_t>(p)].insert(ring[static_cast<std::size_t>(p)].end(), t.begin(), t.end());
    for (std::size_t p = 0; p < ring.size(); ++p) {
        for (const std::int32_t q : ring[p])
            near_[p].insert(near_[p].end(), ring[static_cast<std::size_t>(q)].begin(),
                            ring[static_cast<std::size_t>(q)].end());
        std::sort(near_[p].begin(), near_[p].end());
        near_[p].erase(std::unique(near_[p].begin(), near_[p].end()), near_[p].end());
    }
}

void SoftParticles::load(const model::Model& m, const model::State& in)
{
    const std::size_t n = m.particle_count();
    x_.resize(n), v_.resize(n), f_.resize(n);
    runaway_.assign(n, 0);
    for (std::size_t p = 0; p < n; ++p) {
        x_[p] = static_cast<Vec3d>(in.particle_q[p]);
        v_[p] = static_cast<Vec3d>(in.particle_qd[p]);
    }
}

void SoftParticles::find_forces(const model::Model& m, const model::State& in, const model::Control& control,
                                const model::Contacts* contacts, double h, Bodies& bodies)
{
    if (x_.empty()) return;
    for (std::size_t p = 0; p < f_.size(); ++p) {
        f_[p] = in.particle_f.empty() ? Vec3d{} : static_cast<Vec3d>(in.particle_f[p]);
        if (!is_finite(f_[p])) f_[p] = {};
    }
    if (laws_) {
        soft::activate(elements_, m, control);
        soft::add_law_forces(elements_, x_, v_, h, f_);
    } else {
        soft::add_newton_forces(m, control, x_, v_, f_);
    }
    soft::add_air_forces(m, x_, v_, !laws_, f_);
    neighbours_.find(m, x_, std::max(0.0, static_cast<double>(m.particle_contact.cohesion)));
    soft::add_ball_forces(m, neighbours_, x_, v_, f_);
    if (tri_contact_) add_triangle_contacts(m);
    if (contacts != nullptr) soft::add_shape_forces(m, *contacts, x_, v_, bodies, f_);
    // Newton 1.8 leaves attachments to its other solvers.
    if (laws_) add_attachments(m, h, bodies);
}

void SoftParticles::add_attachments(const model::Model& m, double h, Bodies& bodies)
{
    const std::size_t n = m.attachment_particle_body_count();
    if (n == 0) return;
    held_.assign(m.body_count(), 0);
    for (std::size_t i = 0; i < n; ++i)
        if (const std::int32_t b = m.attachment_particle_body_body[i];
            b >= 0 && m.attachment_particle_body_enabled[i] != 0)
            ++held_[static_cast<std::size_t>(b)];
    for (std::size_t i = 0; i < n; ++i) {
        if (m.attachment_particle_body_enabled[i] == 0) continue;
        const std::int32_t b     = m.attachment_particle_body_body[i];
        const auto         p     = static_cast<std::size_t>(m.attachment_particle_body_particle[i]);
        const Vec3d        point = bodies.pose(b) * static_cast<Vec3d>(m.attachment_particle_body_body_point[i]);
        const Vec3d        r     = b < 0 ? Vec3d{} : point - bodies.com_W(b);
        double             ke    = static_cast<double>(m.attachment_particle_body_stiffness[i]),
                           kd    = static_cast<double>(m.attachment_particle_body_damping[i]);
        if (!std::isfinite(ke)) {
            // Half of what an explicit step bears (h^2 k w = 1, h c w = 1/2 of the sum 4), with the body's mass shared
            // among those that it holds.
            const bool   plays = (m.particle_flags[p] & model::particle_flag::active) != 0;
            double       w     = plays ? static_cast<double>(m.particle_inv_mass[p]) : 0;
            const double share = b < 0 ? 0 : static_cast<double>(held_[static_cast<std::size_t>(b)]);
            double       most  = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const Vec3d arm = cross(r, axis_vector<double>(axis));
                most = std::max(most, bodies.inverse_mass(b) + dot(arm, bodies.inverse_inertia_times(b, arm)));
            }
            w += share * most;
            if (!(w > 0)) continue;
            ke = 1 / (h * h * w);
            kd = std::max(kd, 0.5 / (h * w));
        }
        const Vec3d f = ke * (point - x_[p]) + kd * (bodies.velocity_at(b, r) - v_[p]);
        f_[p] += f;
        bodies.add_force(b, -f, -cross(r, f));
    }
}

std::int32_t SoftParticles::find_lost(const model::Model& m, std::vector<std::uint8_t>& faulty) const
{
    constexpr double kFarthest = 1e9;  // [m], as of bodies
    std::int32_t     first     = -1;
    for (std::size_t p = 0; p < x_.size(); ++p) {
        if ((m.particle_flags[p] & model::particle_flag::active) == 0) continue;
        const bool sound = is_finite(x_[p]) && is_finite(v_[p]) && length(x_[p]) < kFarthest;
        if (sound && !(laws_ && runaway_[p] != 0)) continue;
        faulty[static_cast<std::size_t>(m.particle_world[p] + 1)] = 1;
        if (first < 0) first = static_cast<std::int32_t>(p);
    }
    return first;
}

void SoftParticles::list_springs(const model::Model& m, const model::Contacts* contacts, const Bodies& bodies,
                                 StepBound& out) const
{
    if (m.particle_count() == 0) return;
    // Elements where they were built: a state that is about to be lost says little of the step that the model needs.
    std::vector<Vec3d> x(m.particle_count());
    for (std::size_t p = 0; p < x.size(); ++p) x[p] = static_cast<Vec3d>(m.particle_q[p]);
    add_element_rows(m, x, out);
    const auto first  = static_cast<std::int32_t>(x.size());
    const auto to_row = [&](std::size_t p, std::int32_t b, const Vec3d& r, const Vec3d& n, double ke, double kd) {
        std::array<StepBound::End, 4> ends{};
        const bool                    plays = (m.particle_flags[p] & model::particle_flag::active) != 0;
        const double                  w     = plays ? static_cast<double>(m.particle_inv_mass[p]) : 0;
        if (w > 0) ends[0] = {static_cast<std::int32_t>(p), ke * w, kd * w};
        const Vec3d  arm = cross(r, n);
        const double of  = bodies.inverse_mass(b) + dot(arm, bodies.inverse_inertia_times(b, arm));
        if (of > 0) ends[1] = {first + b, ke * of, kd * of};
        return ends;
    };
    for (std::size_t i = 0; i < m.attachment_particle_body_count(); ++i) {
        const auto ke = static_cast<double>(m.attachment_particle_body_stiffness[i]);
        const auto p  = static_cast<std::size_t>(m.attachment_particle_body_particle[i]);
        if (!laws_ || m.attachment_particle_body_enabled[i] == 0 || !std::isfinite(ke)) continue;
        const std::int32_t b     = m.attachment_particle_body_body[i];
        const Vec3d        point = bodies.pose(b) * static_cast<Vec3d>(m.attachment_particle_body_body_point[i]);
        const Vec3d        r     = b < 0 ? Vec3d{} : point - bodies.com_W(b);
        for (int axis = 0; axis < 3; ++axis)
            out.add(to_row(p, b, r, axis_vector<double>(axis), ke,
                           static_cast<double>(m.attachment_particle_body_damping[i])),
                    fmt::format("attachment {}", i));
    }
    if (contacts == nullptr) return;
    const auto count =
        std::min(static_cast<std::size_t>(std::max(contacts->soft_contact_count, 0)), contacts->soft_capacity());
    for (std::size_t row = 0; row < count; ++row) {
        const std::int32_t p = contacts->soft_contact_particle[row], s = contacts->soft_contact_shape[row];
        if (p < 0 || static_cast<std::size_t>(p) >= x.size() || s < 0 || static_cast<std::size_t>(s) >= m.shape_count())
            continue;
        const auto         shape = static_cast<std::size_t>(s);
        const std::int32_t b     = m.shape_body[shape];
        const Vec3d        point = bodies.pose(b) * static_cast<Vec3d>(contacts->soft_contact_body_pos[row]);
        const auto         mean  = [&](Real a, const std::vector<Real>& of) {
            return 0.5 * (static_cast<double>(a) + static_cast<double>(of[shape]));
        };
        out.add(to_row(static_cast<std::size_t>(p), b, b < 0 ? Vec3d{} : point - bodies.com_W(b),
                       static_cast<Vec3d>(contacts->soft_contact_normal[row]),
                       mean(m.soft_contact.ke, m.shape_material_ke), mean(m.soft_contact.kd, m.shape_material_kd)),
                fmt::format("contact of particle {} and '{}'", p, m.shape_label[shape]));
    }
}

/// Every particle against every triangle that it is no part of: a penalty without damping and friction.
void SoftParticles::add_triangle_contacts(const model::Model& m)
{
    if (m.tri_indices.empty()) return;
    double most = 0;
    for (const Real r : m.particle_radius) most = std::max(most, static_cast<double>(r));
    if (!(most > 0)) return;
    const double ke = m.soft_contact.ke;
    // Particles along one axis, so that a triangle looks at those within its reach only.
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t p = 0; p < x_.size(); ++p)
        if (soft::meets(m, p) && m.particle_radius[p] > 0 && is_finite(x_[p])) order.emplace_back(x_[p].x, p);
    std::sort(order.begin(), order.end());
    for (const auto& t : m.tri_indices) {
        const std::size_t i = static_cast<std::size_t>(t[0]), j = static_cast<std::size_t>(t[1]),
                          k    = static_cast<std::size_t>(t[2]);
        const double      low  = std::min({x_[i].x, x_[j].x, x_[k].x}) - most,
                          high = std::max({x_[i].x, x_[j].x, x_[k].x}) + most;
        for (auto at = std::lower_bound(order.begin(), order.end(), std::pair{low, std::size_t{0}});
             at != order.end() && at->first <= high; ++at) {
            const std::size_t p = at->second;
            if (p == i || p == j || p == k) continue;
            if (!near_.empty() && std::any_of(t.begin(), t.end(), [&](std::int32_t c) {
                    return std::binary_search(near_[p].begin(), near_[p].end(), c);
                }))
                continue;
            const std::int32_t wp = m.particle_world[p], wt = m.particle_world[i];
            if (wp >= 0 && wt >= 0 && wp != wt) continue;
            const double r     = m.particle_radius[p];
            const Vec3d  w     = nearest_weights(x_[i], x_[j], x_[k], x_[p]);
            const Vec3d  apart = x_[p] - (w.x * x_[i] + w.y * x_[j] + w.z * x_[k]);
            const double d     = length(apart);
            if (!(d < r) || d < 1e-6) continue;
            const Vec3d f = (ke * (r - d) / d) * apart;
            f_[p] += f;
            f_[i] -= w.x * f;
            f_[j] -= w.y * f;
            f_[k] -= w.z * f;
        }
    }
}

void SoftParticles::integrate(const model::Model& m, double h)
{
    // Newton's cap of speeds, which keeps an explosion within bounds.
    const double most = m.particle_contact.max_velocity;
    for (std::size_t p = 0; p < x_.size(); ++p) {
        if (!(m.particle_flags[p] & model::particle_flag::active)) continue;
        const double inv = m.particle_inv_mass[p];
        // Gravity accelerates only what has mass.
        const Vec3d g = inv > 0 ? static_cast<Vec3d>(m.gravity_of(m.particle_world[p])) : Vec3d{};
        if (inv > 0) v_[p] += h * (inv * f_[p] + g);
        // What weighs nothing is held; under Newton's laws it goes on as it is.
        else if (laws_)
            v_[p] = {};
        if (const double speed = length(v_[p]); speed > most) {
            v_[p] *= most / speed;
            // A lower limit is somebody's wish; at this one a step has left all bounds.
            if (most >= kFastest) runaway_[p] = 1;
        }
        x_[p] += h * v_[p];
    }
}

void SoftParticles::publish(const model::Model& m, const std::vector<std::uint8_t>& faulty, model::State& out) const
{
    for (std::size_t p = 0; p < x_.size(); ++p) {
        if (!(m.particle_flags[p] & model::particle_flag::active) ||
            faulty[static_cast<std::size_t>(m.particle_world[p] + 1)] || !is_finite(x_[p]) || !is_finite(v_[p]))
            continue;
        out.particle_q[p]  = static_cast<Vec3>(x_[p]);
        out.particle_qd[p] = static_cast<Vec3>(v_[p]);
    }
}

}  // namespace mechane::solvers::shared
