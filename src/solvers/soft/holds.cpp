// What holds particles at bodies in vertex block descent: contacts and attachments as springs with the mass of the body
// behind them. Motion is that of one step; stiffness [N/m], damping per step.
//
// A hold is a spring between a point of one to three particles and a point of a body. Its stiffness is that of the
// spring in series with the inertia of the body, since the particles move first and the body follows at the end of
// the step.

#include "solvers/soft/holds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mechane::solvers::soft {

namespace {

Vec3d held_point(const Hold& hold, const std::vector<Vec3d>& x)
{
    Vec3d out;
    for (std::size_t i = 0; i < 3 && hold.particles[i] >= 0; ++i)
        out += hold.weights[i] * x[static_cast<std::size_t>(hold.particles[i])];
    return out;
}

/// The stiffness that is left when what it acts on yields.
/// Springs in series: the contact and the body's inertia, 1 / (1 / k + dt^2 / m).
double yielding(double k, double yield) { return k > 0 ? 1 / (1 / k + yield) : 0; }

Mat33d in_world(const Quatd& q, const Mat33d& m)
{
    const Mat33d R =
        Mat33d::from_columns(rotate(q, Vec3d{1, 0, 0}), rotate(q, Vec3d{0, 1, 0}), rotate(q, Vec3d{0, 0, 1}));
    return R * m * transpose(R);
}

Quatd turned(const Vec3d& rotation)
{
    const double angle = length(rotation);
    const Vec3d  axis  = normalized(rotation);
    const double s     = std::sin(0.5 * angle);
    return {s * axis.x, s * axis.y, s * axis.z, std::cos(0.5 * angle)};
}

}  // namespace

std::vector<BodyMotion> body_motions(const model::Model& m, const model::State& state, std::span<const Pose> targets,
                                     double dt)
{
    std::vector<BodyMotion> out(m.body_count());
    for (std::size_t b = 0; b < out.size(); ++b) {
        BodyMotion& body     = out[b];
        body.before          = static_cast<Posed>(state.body_q[b]);
        const auto  com      = static_cast<Vec3d>(m.body_com[b]);
        const Vec3d from     = body.before * com;
        body.v               = static_cast<Vec3d>(state.body_qd[b].linear);
        body.w               = static_cast<Vec3d>(state.body_qd[b].angular);
        const bool kinematic = (m.body_flags[b] & model::body_flag::kinematic) != 0;
        if (kinematic && b < targets.size()) {
            body.after = static_cast<Posed>(targets[b]);
            body.com   = body.after * com;
            continue;
        }
        // A body is predicted by its velocity; contact forces of this step reach it afterwards.
        body.com     = from + dt * body.v;
        body.after.q = turned(dt * body.w) * body.before.q;
        body.after.p = body.com - rotate(body.after.q, com);
        if (kinematic) continue;
        body.inv_mass    = m.body_inv_mass[b];
        body.inv_inertia = in_world(body.after.q, static_cast<Mat33d>(m.body_inv_inertia[b]));
    }
    return out;
}

void add_contacts(const model::Model& m, const model::Contacts& contacts, const std::vector<BodyMotion>& bodies,
                  const HoldOptions& options, std::vector<Hold>& out)
{
    const auto count =
        std::min(static_cast<std::size_t>(std::max(contacts.soft_contact_count, 0)), contacts.soft_capacity());
    for (std::size_t row = 0; row < count; ++row) {
        const auto s = static_cast<std::size_t>(contacts.soft_contact_shape[row]);
        if (s >= m.shape_count()) continue;
        Hold hold{.particles = contacts.soft_contact_indices[row],
                  .weights   = static_cast<Vec3d>(contacts.soft_contact_barycentric[row]),
                  .body      = m.shape_body[s],
                  .normal    = static_cast<Vec3d>(contacts.soft_contact_normal[row])};
        bool usable = hold.particles[0] >= 0;
        for (std::size_t i = 0; i < 3 && hold.particles[i] >= 0; ++i) {
            const auto p = static_cast<std::size_t>(hold.particles[i]);
            usable       = usable && p < m.particle_count() && hold.weights[i] != 0;
            if (usable) hold.reach = std::max(hold.reach, static_cast<double>(m.particle_radius[p]));
        }
        if (!usable) continue;
        // Contact begins at the radius of the particle and the margin of the shape.
        hold.reach += m.shape_margin[s];
        const auto at = static_cast<Vec3d>(contacts.soft_contact_body_pos[row]);
        const auto by = static_cast<Vec3d>(contacts.soft_contact_body_vel[row]);
        if (hold.body < 0) {
            hold.point = at;
            hold.moved = options.dt * by;
        } else {
            const BodyMotion& body = bodies[static_cast<std::size_t>(hold.body)];
            hold.point             = body.after * at;
            hold.moved             = hold.point - body.before * at + options.dt * rotate(body.after.q, by);
        }
        hold.ke = 0.5 * (static_cast<double>(m.soft_contact.ke) + m.shape_material_ke[s]);
        hold.kd = 0.5 * (static_cast<double>(m.soft_contact.kd) + m.shape_material_kd[s]) / options.dt;
        // The geometric mean of both coefficients.
        hold.mu = std::sqrt(std::max(0.0, static_cast<double>(m.soft_contact.mu) * m.shape_material_mu[s]));
        // The length of slip in a step below which friction grows with slip.
        hold.slip = options.friction_epsilon * options.dt;
        out.push_back(hold);
    }
}

void add_attachments(const model::Model& m, const std::vector<BodyMotion>& bodies, const std::vector<Vec3d>& preloads,
                     const HoldOptions& options, std::vector<Hold>& out)
{
    for (std::size_t i = 0; i < m.attachment_particle_body_count(); ++i) {
        if (m.attachment_particle_body_enabled[i] == 0) continue;
        const std::int32_t b = m.attachment_particle_body_body[i];
        const BodyMotion   rest{};  // of the world
        const BodyMotion&  body = b < 0 ? rest : bodies[static_cast<std::size_t>(b)];
        const auto         at   = static_cast<Vec3d>(m.attachment_particle_body_body_point[i]);
        Hold               hold{.particles  = {m.attachment_particle_body_particle[i], -1, -1},
                                .weights    = {1, 0, 0},
                                .body       = m.attachment_particle_body_body[i],
                                .point      = body.after * at,
                                .moved      = body.after * at - body.before * at,
                                .ke         = m.attachment_particle_body_stiffness[i],
                                .kd         = m.attachment_particle_body_damping[i] / options.dt,
                                .preload    = preloads[i],
                                .attachment = true};
        // What does not give way: as stiff as the particle's inertia can bear, and the preload does the rest.
        const double mass = m.particle_mass[static_cast<std::size_t>(hold.particles[0])];
        if (b < 0) hold.moved = {};
        // 1e4 m / dt^2 is ten thousand times the particle's inertia; the preload takes what is left of the sag.
        if (!std::isfinite(hold.ke)) hold.ke = 1e4 * mass / (options.dt * options.dt);
        out.push_back(hold);
    }
}

Mat33d free_response(const BodyMotion& body, const Vec3d& p_W)
{
    // 1/m - [r] I^-1 [r], column by column.
    const Vec3d r   = p_W - body.com;
    const auto  one = [&](const Vec3d& e) { return body.inv_mass * e + cross(body.inv_inertia * cross(r, e), r); };
    return Mat33d::from_columns(one({1, 0, 0}), one({0, 1, 0}), one({0, 0, 1}));
}

/// All holds of a body share its mass, or the sum of their stiffness would exceed what it can bear.
void share_masses(const std::vector<BodyMotion>& bodies, const PointResponse& response, const std::vector<Vec3d>& x,
                  double dt, std::vector<Hold>& holds)
{
    const auto acts = [&](const Hold& hold) {
        return hold.body >= 0 && (hold.attachment || dot(hold.normal, held_point(hold, x) - hold.point) < hold.reach);
    };
    std::vector<int> shares(bodies.size(), 0);
    for (const Hold& hold : holds)
        if (acts(hold)) ++shares[static_cast<std::size_t>(hold.body)];
    for (Hold& hold : holds) {
        if (hold.body < 0) continue;
        const auto        b    = static_cast<std::size_t>(hold.body);
        const BodyMotion& body = bodies[b];
        if (body.inv_mass == 0) continue;
        const Mat33d W = response(hold.body, hold.point);
        const double w = hold.attachment ? std::max({W(0, 0), W(1, 1), W(2, 2)}) : dot(hold.normal, W * hold.normal);
        // A body with n holds has an n-th of its mass for each.
        hold.yield = dt * dt * w * std::max(1, shares[b]);
        hold.ke    = yielding(hold.ke, hold.yield);
        hold.kd    = yielding(hold.kd, hold.yield);
    }
}

Block hold_block(const Hold& hold, const std::vector<Vec3d>& x, const std::vector<Vec3d>& before)
{
    const Vec3d at = held_point(hold, x);
    const Vec3d u  = at - held_point(hold, before) - hold.moved;  // way against the body
    Block       out;
    if (hold.attachment) {
        out.force   = hold.preload + hold.ke * (hold.point - at) - hold.kd * u;
        out.hessian = (hold.ke + hold.kd) * Mat33d::identity();
        return out;
    }
    const Vec3d& n     = hold.normal;
    const double depth = hold.reach - dot(n, at - hold.point);
    if (!(depth > 0)) return out;
    const double load = hold.ke * depth, along = dot(n, u);
    out.force   = load * n;
    out.hessian = hold.ke * Mat33d::outer(n, n);
    // Damping takes the way that they came together while in contact. The whole way would be a force that jumps as they
    // meet, at which no place is in balance: what one gets the other would not.
    if (along < 0) {
        out.force += hold.kd * std::min(-along, depth) * n;
        out.hessian += hold.kd * Mat33d::outer(n, n);
    }
    // Coulomb friction, smooth at rest (Li et al. 2020, "Incremental potential contact", eq. 13); the normal is held.
    const Vec3d  slide = u - along * n;
    const double way   = length(slide);
    if (way > 0 && hold.mu > 0) {
        const double over  = way > hold.slip ? 1 / way : (2 - way / hold.slip) / hold.slip;
        const double slope = yielding(hold.mu * load * over, hold.yield);
        out.force -= slope * slide;
        out.hessian += slope * (Mat33d::identity() - Mat33d::outer(n, n));
    }
    return out;
}

}  // namespace mechane::solvers::soft
