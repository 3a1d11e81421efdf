// Forces of soft elements in explicit form, by the laws of this library or by those of Newton 1.8 (soft_laws 0).
// Positions [m], velocities [m/s], forces added to f [N].
//
//   x, v            positions and velocities
//   a, b, d         edges from the first corner
//   D               inverse of the rest edges
//   F               deformation gradient, [a b] D or [a b d] D
//   mu, lambda, kd  stiffness and damping times the rest area or volume
//   g               gradient of the area or volume ratio to a corner
//
// Newton's triangle has the energy mu / 2 |F|^2 + lambda / 2 (A / A0 - 1 - mu / lambda + activation)^2, its
// tetrahedron mu / 2 (I1 - 3 - log(I1 + 1)) + lambda / 2 (J - alpha + activation)^2 with alpha = 1 + 3/4 mu / lambda,
// per rest area and volume. Forces are minus the gradients, and what a corner gets the first corner gets back:
// momentum is kept.

#include "solvers/soft/explicit_forces.h"

#include <algorithm>
#include <cmath>

namespace mechane::solvers::soft {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Smallest length and area that a bending edge needs [m], [m^2].
constexpr double kNoExtent = 1e-6;

void add_springs(const model::Model& m, const std::vector<Vec3d>& x, const std::vector<Vec3d>& v, std::vector<Vec3d>& f)
{
    for (std::size_t s = 0; s < m.spring_count(); ++s) {
        const std::size_t i = at(m.spring_indices[2 * s]), j = at(m.spring_indices[2 * s + 1]);
        const Vec3d       apart = x[i] - x[j];
        const double      l     = length(apart);
        if (!(l > 0)) continue;
        const Vec3d n = (1 / l) * apart;
        // Along the spring: stiffness times the stretch and damping times its rate.
        const Vec3d pull =
            (static_cast<double>(m.spring_stiffness[s]) * (l - static_cast<double>(m.spring_rest_length[s])) +
             static_cast<double>(m.spring_damping[s]) * dot(n, v[i] - v[j])) *
            n;
        f[i] -= pull;
        f[j] += pull;
    }
}

void add_triangles(const model::Model& m, const std::vector<Real>& activations, const std::vector<Vec3d>& x,
                   const std::vector<Vec3d>& v, std::vector<Vec3d>& f)
{
    for (std::size_t t = 0; t < m.tri_indices.size(); ++t) {
        const auto& D = m.tri_poses[t];
        // The rest shape's inverse edges; its determinant is 1 / (2 area).
        const double d0 = D[0], d1 = D[1], d2 = D[2], d3 = D[3], det = d0 * d3 - d1 * d2;
        if (!(det > 0)) continue;
        const double      area   = 1 / (2 * det);
        const double      mu     = area * static_cast<double>(m.tri_materials[t][0]),
                          lambda = area * static_cast<double>(m.tri_materials[t][1]),
                          kd     = area * static_cast<double>(m.tri_materials[t][2]);
        const std::size_t i = at(m.tri_indices[t][0]), j = at(m.tri_indices[t][1]), k = at(m.tri_indices[t][2]);
        const Vec3d       a = x[j] - x[i], b = x[k] - x[i], va = v[j] - v[i], vb = v[k] - v[i];
        // The columns of P = mu F + kd dF/dt. The forces of the corners j and k are the columns of P D^T.
        const Vec3d p1 = mu * (d0 * a + d2 * b) + kd * (d0 * va + d2 * vb);
        const Vec3d p2 = mu * (d1 * a + d3 * b) + kd * (d1 * va + d3 * vb);
        Vec3d       f1 = d0 * p1 + d1 * p2, f2 = d2 * p1 + d3 * p2;
        if (lambda > 0) {
            const Vec3d  n   = cross(a, b);
            const double now = 0.5 * length(n);
            const Vec3d  nn  = normalized(n, {});
            // Newton's neo-Hookean area term: preferred ratio 1 + mu / lambda, so that the rest shape is free of
            // stress.
            const double off = now / area - (1 + mu / lambda) + static_cast<double>(activations[t]);
            // The area is half the length of n = a x b, so its gradient to b's corner is half of nn x a.
            const Vec3d  g1 = (0.5 / area) * cross(b, nn), g2 = (0.5 / area) * cross(nn, a);
            const double rate = dot(g1, v[j]) + dot(g2, v[k]) - dot(g1 + g2, v[i]);
            f1 += (lambda * off + kd * rate) * g1;
            f2 += (lambda * off + kd * rate) * g2;
        }
        f[i] += f1 + f2;
        f[j] -= f1;
        f[k] -= f2;
    }
}

void add_bending(const model::Model& m, const std::vector<Vec3d>& x, const std::vector<Vec3d>& v, std::vector<Vec3d>& f)
{
    for (std::size_t e = 0; e < m.edge_indices.size(); ++e) {
        std::array<Vec3d, 4> gradient;
        double               angle = 0, long_edge = 0;
        if (!newton_bending(m.edge_indices[e], x, angle, long_edge, gradient)) continue;
        // The rate of the angle, by the same gradients.
        double rate = 0;
        for (std::size_t c = 0; c < 4; ++c) rate += dot(gradient[c], v[at(m.edge_indices[e][c])]);
        // The longer the edge, the stiffer its hinge.
        const double moment = -long_edge * (static_cast<double>(m.edge_bending_properties[e][0]) *
                                                (angle - static_cast<double>(m.edge_rest_angle[e])) +
                                            static_cast<double>(m.edge_bending_properties[e][1]) * rate);
        for (std::size_t c = 0; c < 4; ++c) f[at(m.edge_indices[e][c])] += moment * gradient[c];
    }
}

void add_tets(const model::Model& m, const std::vector<Real>& activations, const std::vector<Vec3d>& x,
              const std::vector<Vec3d>& v, std::vector<Vec3d>& f)
{
    for (std::size_t t = 0; t < m.tet_count(); ++t) {
        const auto   D   = static_cast<Mat33d>(m.tet_poses[t]);
        const double det = determinant(D);
        const double mu0 = m.tet_materials[t][0], lambda0 = m.tet_materials[t][1];
        if (!(det > 0) || !(lambda0 > 0)) continue;
        // Smith, De Goes, Kim 2018: 1 + 3/4 mu / lambda with the logarithmic term.
        const double volume = 1 / (6 * det), alpha = 1 + 0.75 * mu0 / lambda0;
        const double mu = volume * mu0, lambda = volume * lambda0,
                     kd = volume * static_cast<double>(m.tet_materials[t][2]);
        const auto&  c  = m.tet_indices[t];
        const Vec3d  a = x[at(c[1])] - x[at(c[0])], b = x[at(c[2])] - x[at(c[0])], d = x[at(c[3])] - x[at(c[0])];
        const Mat33d F = Mat33d::from_columns(a, b, d) * D;
        const Mat33d dF =
            Mat33d::from_columns(v[at(c[1])] - v[at(c[0])], v[at(c[2])] - v[at(c[0])], v[at(c[3])] - v[at(c[0])]) * D;
        const double I1 = trace(transpose(F) * F);
        // The first Piola-Kirchhoff stress of the mu term, times D^T.
        const Mat33d H = (mu * (1 - 1 / (I1 + 1)) * F + kd * dF) * transpose(D);
        const double J = determinant(F);
        // Columns of the cofactor matrix of F times D^T: the gradient of J to each corner.
        const std::array<Vec3d, 3> g{det * cross(b, d), det * cross(d, a), det * cross(a, b)};
        double                     rate = 0;
        for (std::size_t k = 0; k < 3; ++k) rate += dot(g[k], v[at(c[k + 1])]);
        const double push = lambda * (J - alpha + static_cast<double>(activations[t])) + kd * rate;
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3d column{H(0, static_cast<int>(k)), H(1, static_cast<int>(k)), H(2, static_cast<int>(k))};
            const Vec3d force = column + push * g[k];
            f[at(c[k + 1])] -= force;
            f[at(c[0])] += force;
        }
    }
}

}  // namespace

bool newton_bending(const std::array<std::int32_t, 4>& points, const std::vector<Vec3d>& x, double& angle,
                    double& long_edge, std::array<Vec3d, 4>& gradient)
{
    if (std::any_of(points.begin(), points.end(), [](std::int32_t p) { return p < 0; })) return false;
    const Vec3d &x1 = x[at(points[0])], &x2 = x[at(points[1])], &x3 = x[at(points[2])], &x4 = x[at(points[3])];
    // Normals of both triangles, twice their areas long, and the edge between them.
    const Vec3d  n1 = cross(x3 - x1, x4 - x1), n2 = cross(x4 - x2, x3 - x2), e = x4 - x3;
    const double l1 = length(n1), l2 = length(n2);
    long_edge = length(e);
    if (!(l1 >= kNoExtent && l2 >= kNoExtent && long_edge >= kNoExtent)) return false;
    const Vec3d u1 = (1 / l1) * n1, u2 = (1 / l2) * n2, along = (1 / long_edge) * e;
    // Signed by the direction of the edge, from -pi to pi.
    angle    = std::atan2(dot(cross(u1, u2), along), dot(u1, u2));
    gradient = {-long_edge * u1, -long_edge * u2, -dot(x1 - x4, along) * u1 - dot(x2 - x4, along) * u2,
                -dot(x3 - x1, along) * u1 - dot(x3 - x2, along) * u2};
    return true;
}

void add_newton_forces(const model::Model& m, const model::Control& control, const std::vector<Vec3d>& x,
                       const std::vector<Vec3d>& v, std::vector<Vec3d>& f)
{
    add_springs(m, x, v, f);
    add_triangles(m, control.tri_activations.empty() ? m.tri_activations : control.tri_activations, x, v, f);
    add_bending(m, x, v, f);
    add_tets(m, control.tet_activations.empty() ? m.tet_activations : control.tet_activations, x, v, f);
}

void add_law_forces(const Elements& elements, const std::vector<Vec3d>& x, const std::vector<Vec3d>& v, double h,
                    std::vector<Vec3d>& f)
{
    std::vector<Vec3d> before(x.size());
    // The laws take damping from the last positions; a step back along the velocity stands for them.
    for (std::size_t p = 0; p < x.size(); ++p) before[p] = x[p] - h * v[p];
    for (std::size_t p = 0; p < x.size(); ++p) {
        Block block;
        // Each particle sums its own elements, in their order; the second derivatives are not used.
        add_elements(elements, p, x, before, 1 / h, block);
        f[p] += block.force;
    }
}

void add_air_forces(const model::Model& m, const std::vector<Vec3d>& x, const std::vector<Vec3d>& v, bool newton,
                    std::vector<Vec3d>& f)
{
    for (std::size_t t = 0; t < m.tri_indices.size(); ++t) {
        const double drag = m.tri_materials[t][3], lift = m.tri_materials[t][4];
        if (drag == 0 && lift == 0) continue;
        const std::size_t i = at(m.tri_indices[t][0]), j = at(m.tri_indices[t][1]), k = at(m.tri_indices[t][2]);
        const Vec3d       normal = cross(x[j] - x[i], x[k] - x[i]);
        const double      area   = 0.5 * length(normal);
        const Vec3d       n      = normalized(normal, {});
        // Newton writes a third as 0.3333, and gives each corner the whole force.
        const Vec3d mean  = (newton ? 0.3333 : 1.0 / 3) * (v[i] + v[j] + v[k]);
        const Vec3d along = normalized(mean, {});
        const Vec3d whole =
            (drag * area * std::abs(dot(n, mean))) * mean +
            (lift * area * (0.5 * kPi - std::acos(std::clamp(dot(n, along), -1.0, 1.0))) * dot(mean, mean)) * n;
        if (newton) {
            f[i] -= whole;
            f[j] -= whole;
            f[k] -= whole;
        } else {
            for (const std::size_t p : {i, j, k}) f[p] -= (1.0 / 3) * whole;
        }
    }
}

void add_ball_forces(const model::Model& m, const Neighbours& neighbours, const std::vector<Vec3d>& x,
                     const std::vector<Vec3d>& v, std::vector<Vec3d>& f)
{
    const double ke = m.particle_contact.ke, kd = m.particle_contact.kd, kf = m.particle_contact.kf,
                 mu = m.particle_contact.mu;
    for (const auto& [a, b] : neighbours.pairs()) {
        const std::size_t i = at(a), j = at(b);
        const Vec3d       apart = x[i] - x[j];
        const double      d     = length(apart);
        if (!(d > 0)) continue;
        // Negative where balls overlap; up to the cohesion they pull.
        const double off = d - static_cast<double>(m.particle_radius[i]) - static_cast<double>(m.particle_radius[j]);
        if (off > static_cast<double>(m.particle_contact.cohesion)) continue;
        const Vec3d  n = (1 / d) * apart, rel = v[i] - v[j];
        const double rate = dot(n, rel), normal = ke * off + kd * std::min(rate, 0.0);
        const Vec3d  slip  = rel - rate * n;
        const double speed = length(slip);
        Vec3d        force = -normal * n;
        // Friction grows with kf and ends at the cone; at rest there is no direction.
        if (speed > 0) force -= (std::min(kf * speed, mu * std::abs(normal)) / speed) * slip;
        f[i] += force;
        f[j] -= force;
    }
}

void add_shape_forces(const model::Model& m, const model::SoftContacts& contacts, const std::vector<Vec3d>& x,
                      const std::vector<Vec3d>& v, shared::Bodies& bodies, std::vector<Vec3d>& f)
{
    const auto count = std::min(at(std::max(contacts.soft_contact_count, 0)), contacts.soft_capacity());
    for (std::size_t row = 0; row < count; ++row) {
        const std::int32_t particle = contacts.soft_contact_particle[row], s = contacts.soft_contact_shape[row];
        if (particle < 0 || at(particle) >= x.size() || s < 0 || at(s) >= m.shape_count() || !meets(m, at(particle)))
            continue;
        const std::size_t  p = at(particle), shape = at(s);
        const std::int32_t b = m.shape_body[shape];
        const Posed        X = bodies.pose(b);
        // The point on the shape in the world.
        const Vec3d  on = X * static_cast<Vec3d>(contacts.soft_contact_body_pos[row]);
        const Vec3d  n  = static_cast<Vec3d>(contacts.soft_contact_normal[row]),
                     r  = b < 0 ? Vec3d{} : on - bodies.com_W(b);
        const double c  = dot(n, x[p] - on) - static_cast<double>(m.particle_radius[p]);
        if (!(c <= static_cast<double>(m.particle_contact.adhesion))) continue;
        const auto mean = [&](Real a, const std::vector<Real>& of) {
            return 0.5 * (static_cast<double>(a) + static_cast<double>(of[shape]));
        };
        const double ke = mean(m.soft_contact.ke, m.shape_material_ke),
                     kd = mean(m.soft_contact.kd, m.shape_material_kd),
                     kf = mean(m.soft_contact.kf, m.shape_material_kf),
                     mu = mean(m.soft_contact.mu, m.shape_material_mu);
        const Vec3d  rel =
            v[p] - bodies.velocity_at(b, r) - rotate(X.q, static_cast<Vec3d>(contacts.soft_contact_body_vel[row]));
        // Negative where they approach; only then there is damping.
        const double rate  = dot(n, rel);
        const Vec3d  slip  = rel - rate * n;
        const double speed = length(slip);
        Vec3d        push  = (c * ke + std::min(rate, 0.0) * kd) * n;
        if (speed > 0) push += (std::min(kf * speed, std::abs(mu * c * ke)) / speed) * slip;
        f[p] -= push;
        // The body gets the opposite force at the contact's point.
        bodies.add_force(b, push, cross(r, push));
    }
}

}  // namespace mechane::solvers::soft
