// Rows of xpbd between particles: elements by their energies (soft laws), or as Newton has them, and balls that push
// each other apart. XPBD: Macklin, Mueller, Chentanez 2016.
// Multipliers have the units of the error's force times h^2; corrections are inverse masses times them [m]. EnergyRows
// moves particles row after row (Gauss-Seidel), NewtonRows and balls collect (Jacobi).
//
//     dl = -(C + a l + g h C') / ((1 + g) w + a),      dx_i = dl grad_i C / m_i        (eq. 18 and 26 of that paper)
//
// C, C'  error of the row and its rate; of an element with the energy U it is C = sqrt(2 U)
// l      multiplier that the row has collected in this substep
// w      sum of |grad_i C|^2 / m_i over the particles i
// a, g   1 / (k h^2) and d / (k h) with stiffness k and damping d; of an energy 1 / h^2 and (damping / stiffness) / h

#include "solvers/xpbd/soft_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/soft/explicit_forces.h"
#include "solvers/xpbd/corrections.h"

namespace mechane::solvers::xpbd {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// One row of an energy: `energy` and `block` are of the element without damping; `ratio` is damping over stiffness
/// [s].
/// C = sqrt(2 U) has grad C = grad U / C, so with compliance 1 the row's force -lambda grad C is the element's at rest.
/// dl = -(C + a l + g C' h) / ((1 + g) w + a), with a = 1/h^2 and g = ratio/h.
template <std::size_t n, class Energy, class Force>
void solve_energy(const std::array<std::int32_t, n>& points, double ratio, const Energy& energy, const Force& force,
                  Moving& p, double& multiplier)
{
    const auto   x = soft::gather(points, p.x);
    const double U = energy(x);
    const double C = std::sqrt(std::max(0.0, 2 * U));
    // At rest the root has no gradient, and nothing pushes.
    if (!(C > 1e-12)) return;
    std::array<Vec3d, n> gradient;
    double               w = 0, rate = 0;
    for (std::size_t c = 0; c < n; ++c) {
        // `force` is -grad U.
        gradient[c] = (-1 / C) * force(c, x);
        if (!is_finite(gradient[c])) return;
        w += p.inv_mass[at(points[c])] * length_squared(gradient[c]);
        rate += dot(gradient[c], p.x[at(points[c])] - p.start[at(points[c])]);
    }
    if (!(w > 0)) return;
    // The rate is taken as the way since the start of the substep, which is what damping acts on at its end.
    const double alpha = 1 / (p.h * p.h), gamma = ratio / p.h;
    const double step = -(C + alpha * multiplier + gamma * rate) / ((1 + gamma) * w + alpha);
    multiplier += step;
    for (std::size_t c = 0; c < n; ++c) p.x[at(points[c])] += (p.inv_mass[at(points[c])] * step) * gradient[c];
}

double ratio_of(double damping, double stiffness) { return stiffness > 0 ? damping / stiffness : 0; }

}  // namespace

void EnergyRows::begin(const model::Model& model, const model::Control& control)
{
    soft::activate(elements_, model, control);
    springs_.assign(elements_.springs.size(), 0);
    triangles_.assign(elements_.triangles.size(), 0);
    edges_.assign(elements_.edges.size(), 0);
    tets_.assign(elements_.tets.size(), 0);
}

void EnergyRows::solve(Moving& p)
{
    for (std::size_t e = 0; e < elements_.springs.size(); ++e) {
        soft::SpringLaw law = elements_.springs[e];
        // The energy's own damping is switched off: it enters by the ratio instead.
        const double ratio = ratio_of(std::exchange(law.kd, 0), law.ke);
        solve_energy(
            elements_.spring_points[e], ratio, [&](const auto& x) { return soft::spring_energy(law, x); },
            [&](std::size_t c, const auto& x) { return soft::spring_block(law, c, x, x, 0).force; }, p, springs_[e]);
    }
    for (std::size_t e = 0; e < elements_.triangles.size(); ++e) {
        soft::TriangleLaw law   = elements_.triangles[e];
        const double      ratio = ratio_of(std::exchange(law.kd, 0), law.mu + law.lambda);
        solve_energy(
            elements_.triangle_points[e], ratio,
            [&, lowest = soft::triangle_lowest(law)](const auto& x) { return soft::triangle_energy(law, x) - lowest; },
            [&](std::size_t c, const auto& x) { return soft::triangle_block(law, c, x, x, 0).force; }, p,
            triangles_[e]);
    }
    for (std::size_t e = 0; e < elements_.edges.size(); ++e) {
        soft::BendingLaw law   = elements_.edges[e];
        const double     ratio = ratio_of(std::exchange(law.kd, 0), law.ke);
        solve_energy(
            elements_.edge_points[e], ratio, [&](const auto& x) { return soft::bending_energy(law, x); },
            [&](std::size_t c, const auto& x) { return soft::bending_block(law, c, x, x, 0).force; }, p, edges_[e]);
    }
    for (std::size_t e = 0; e < elements_.tets.size(); ++e) {
        soft::TetLaw law   = elements_.tets[e];
        const double ratio = ratio_of(std::exchange(law.k_damp, 0), law.mu + law.lambda);
        solve_energy(
            elements_.tet_points[e], ratio,
            [&, lowest = soft::tet_lowest(law)](const auto& x) { return soft::tet_energy(law, x) - lowest; },
            [&](std::size_t c, const auto& x) { return soft::tet_block(law, c, x, x, 0).force; }, p, tets_[e]);
    }
}

/// C = x - p of the particle and the body's point, both moved; dl = -(C + a l + g C')/((1 + g) W + a) with a = 1/(k
/// h^2), g = d/(k h) and the 3x3 matrix W = (1/m_p + 1/m_b) 1 - [r] I^-1 [r].
void AttachmentRows::solve(const model::Model& m, Moving& p, shared::Bodies& bodies, std::vector<Spatiald>* given)
{
    const double h = p.h;
    for (std::size_t i = 0; i < multipliers_.size(); ++i) {
        if (m.attachment_particle_body_enabled[i] == 0) continue;
        const std::size_t  q  = at(m.attachment_particle_body_particle[i]);
        const std::int32_t b  = m.attachment_particle_body_body[i];
        const auto         ke = static_cast<double>(m.attachment_particle_body_stiffness[i]);
        const auto         kd = static_cast<double>(m.attachment_particle_body_damping[i]);
        if (!(ke > 0)) continue;
        const Vec3d  point = bodies.pose(b) * static_cast<Vec3d>(m.attachment_particle_body_body_point[i]);
        const Vec3d  r     = b < 0 ? Vec3d{} : point - bodies.com_W(b);
        const double alpha = std::isfinite(ke) ? 1 / (ke * h * h) : 0, gamma = std::isfinite(ke) ? kd / (ke * h) : 0;
        const double w = p.inv_mass[q] + bodies.inverse_mass(b);
        Vec3d        column[3];
        for (int k = 0; k < 3; ++k) {
            // Column k of W: how far the two come apart along all axes by a unit along axis k.
            const Vec3d e = axis_vector<double>(k);
            column[k]     = (1 + gamma) * (w * e + cross(bodies.inverse_inertia_times(b, cross(r, e)), r)) + alpha * e;
        }
        const Mat33d W = Mat33d::from_columns(column[0], column[1], column[2]);
        if (!(w > 0)) continue;
        const Vec3d C = p.x[q] - point;
        // The rate as the way since the start of the substep, and of the body by its velocity.
        const Vec3d rate = (p.x[q] - p.start[q]) - h * bodies.velocity_at(b, r);
        const Vec3d step = inverse(W) * -(C + alpha * multipliers_[i] + gamma * rate);
        if (!is_finite(step)) continue;
        multipliers_[i] += step;
        p.x[q] += p.inv_mass[q] * step;
        // Lengths times masses; over h they are impulses.
        if (b < 0) continue;
        const Spatiald impulse{(-1 / h) * step, (-1 / h) * cross(r, step)};
        if (given != nullptr) (*given)[static_cast<std::size_t>(b)] += impulse;
        if (bodies.inverse_mass(b) > 0) push(bodies, static_cast<std::size_t>(b), impulse, h);
    }
}

void NewtonRows::begin(const model::Model& m)
{
    springs_.assign(m.spring_count(), 0);
    edges_.assign(m.edge_indices.size(), 0);
    tets_.assign(2 * m.tet_count(), 0);
}

/// Row by row as in Newton 1.8, from one set of positions and velocities; relaxation applies to tetrahedra alone, as
/// there.
void NewtonRows::collect(const model::Model& m, const model::Control& control, double relaxation, const Moving& p,
                         std::vector<Vec3d>& correction)
{
    const double h = p.h;
    for (std::size_t s = 0; s < m.spring_count(); ++s) {
        const std::size_t i = at(m.spring_indices[2 * s]), j = at(m.spring_indices[2 * s + 1]);
        const double      ke = m.spring_stiffness[s], kd = m.spring_damping[s], w = p.inv_mass[i] + p.inv_mass[j];
        const Vec3d       apart = p.x[i] - p.x[j];
        const double      l     = length(apart);
        if (!(l > 0) || !(w > 0) || !(ke > 0) || kd < 0) continue;
        const Vec3d  n     = (1 / l) * apart;
        const double alpha = 1 / (ke * h * h), gamma = kd / (ke * h);
        const double step = -(l - static_cast<double>(m.spring_rest_length[s]) + alpha * springs_[s] +
                              gamma * h * dot(n, p.v[i] - p.v[j])) /
                            ((1 + gamma) * w + alpha);
        springs_[s] += step;
        correction[i] += (p.inv_mass[i] * step) * n;
        correction[j] -= (p.inv_mass[j] * step) * n;
    }
    for (std::size_t e = 0; e < m.edge_indices.size(); ++e) {
        const double         ke = m.edge_bending_properties[e][0], kd = m.edge_bending_properties[e][1];
        std::array<Vec3d, 4> gradient;
        double               angle = 0, long_edge = 0, w = 0, rate = 0;
        if (!(ke > 0) || kd < 0 || !soft::newton_bending(m.edge_indices[e], p.x, angle, long_edge, gradient)) continue;
        for (std::size_t c = 0; c < 4; ++c) {
            const std::size_t i = at(m.edge_indices[e][c]);
            w += p.inv_mass[i] * length_squared(gradient[c]);
            rate += dot(gradient[c], p.v[i]);
        }
        if (!(w > 0)) continue;
        const double alpha = 1 / (ke * h * h), gamma = kd / (ke * h);
        const double step =
            -(angle - static_cast<double>(m.edge_rest_angle[e]) + alpha * edges_[e] + gamma * h * rate) /
            ((1 + gamma) * w + alpha);
        edges_[e] += step;
        for (std::size_t c = 0; c < 4; ++c) {
            const std::size_t i = at(m.edge_indices[e][c]);
            correction[i] += (p.inv_mass[i] * step) * gradient[c];
        }
    }
    const auto& activations = control.tet_activations.empty() ? m.tet_activations : control.tet_activations;
    for (std::size_t t = 0; t < m.tet_count(); ++t) {
        const auto&  c = m.tet_indices[t];
        const Mat33d D = static_cast<Mat33d>(m.tet_poses[t]);
        // det D = 1/(6 V) for the inverse rest shape D, so 6 det D = 1/V.
        const double inv_V = 6 * determinant(D);
        const double k[2] = {m.tet_materials[t][0], m.tet_materials[t][1]}, damp = m.tet_materials[t][2];
        if (!(inv_V > 0) || !(k[0] > 0) || !(k[1] > 0)) continue;
        const Vec3d  a = p.x[at(c[1])] - p.x[at(c[0])], b = p.x[at(c[2])] - p.x[at(c[0])],
                     d      = p.x[at(c[3])] - p.x[at(c[0])];
        const Mat33d F      = Mat33d::from_columns(a, b, d) * D;
        const auto   column = [](const Mat33d& m3, int i) { return Vec3d{m3(0, i), m3(1, i), m3(2, i)}; };
        const Vec3d  f1 = column(F, 0), f2 = column(F, 1), f3 = column(F, 2);
        // Two rows a tetrahedron: the trace of F^T F, and the volume ratio det F with its activation.
        for (std::size_t term = 0; term < 2; ++term) {
            const double C = term == 0 ? length_squared(f1) + length_squared(f2) + length_squared(f3) - 3
                                       : determinant(F) - 1 + static_cast<double>(activations[t]);
            // Derivative of det F is its cofactor matrix; of tr F^T F it is 2 F. Chain rule through F = E D: dC/dE =
            // dC/dF D^T.
            const Mat33d dC = term == 0 ? 2.0 * F : Mat33d::from_columns(cross(f2, f3), cross(f3, f1), cross(f1, f2));
            const Mat33d G  = dC * transpose(D);
            std::array<Vec3d, 4> gradient{Vec3d{}, column(G, 0), column(G, 1), column(G, 2)};
            gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
            double w = 0, rate = 0;
            for (std::size_t i = 0; i < 4; ++i) {
                w += p.inv_mass[at(c[i])] * length_squared(gradient[i]);
                rate += dot(gradient[i], p.v[at(c[i])]);
            }
            if (!(w > 0)) continue;
            const double alpha = inv_V / (k[term] * h * h), gamma = damp > 0 ? damp / (k[term] * h) : 0;
            const double step = relaxation * -(C + alpha * tets_[2 * t + term] + (gamma > 0 ? gamma * h * rate : 0)) /
                                ((1 + gamma) * w + alpha);
            tets_[2 * t + term] += step;
            for (std::size_t i = 0; i < 4; ++i) correction[at(c[i])] += (p.inv_mass[at(c[i])] * step) * gradient[i];
        }
    }
}

void collect_balls(const model::Model& m, const soft::Neighbours& neighbours, double relaxation, bool laws,
                   const Moving& p, std::vector<Vec3d>& correction)
{
    const double mu = m.particle_contact.mu, cohesion = m.particle_contact.cohesion;
    for (const auto& [a, b] : neighbours.pairs()) {
        const std::size_t i = at(a), j = at(b);
        const double      w     = p.inv_mass[i] + p.inv_mass[j];
        const Vec3d       apart = p.x[i] - p.x[j];
        const double      d     = length(apart);
        const double off = d - static_cast<double>(m.particle_radius[i]) - static_cast<double>(m.particle_radius[j]);
        if (!(w > 0) || !(d > 0) || off > cohesion) continue;
        const Vec3d  n = (1 / d) * apart, rel = p.v[i] - p.v[j], slip = rel - dot(n, rel) * n;
        const double speed = length(slip);
        Vec3d        move  = -off * n;
        // Depth bounds friction as in particles.cpp.
        // What cohesion pulls together rubs not; in Newton 1.8 it is pushed on there.
        const double most = mu * (laws ? std::min(off, 0.0) : off);
        if (speed > 0) move += (std::max(most, -speed * p.h) / speed) * slip;
        move *= relaxation / w;
        correction[i] += p.inv_mass[i] * move;
        correction[j] -= p.inv_mass[j] * move;
    }
}

/// Balls that overlap at the start are moved apart with their start, so that the way of the step, and the velocity, is
/// none of it.
void separate_balls(const model::Model& m, const soft::Neighbours& neighbours, Moving& p)
{
    for (const auto& [a, b] : neighbours.pairs()) {
        const std::size_t i = at(a), j = at(b);
        const double      w     = p.inv_mass[i] + p.inv_mass[j];
        const Vec3d       apart = p.start[i] - p.start[j];
        const double      d     = length(apart);
        const double off = d - static_cast<double>(m.particle_radius[i]) - static_cast<double>(m.particle_radius[j]);
        if (!(w > 0) || !(d > 0) || !(off < 0)) continue;
        const Vec3d move = (-off / (w * d)) * apart;
        for (auto* positions : {&p.start, &p.x}) {
            (*positions)[i] += p.inv_mass[i] * move;
            (*positions)[j] -= p.inv_mass[j] * move;
        }
    }
}

}  // namespace mechane::solvers::xpbd
