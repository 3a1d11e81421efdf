// Contacts of bodies for xpbd: one Jacobi pass over a contact, and impacts on velocities at the end of a step. Mueller
// et al., Detailed Rigid Body Simulation with Extended Position Based Dynamics (2020), with the multipliers as
// impulses.

#include "solvers/xpbd/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

// Normal: l_n = -relaxation d / (h w_n) where d < 0. Friction takes back what the surface points have slid since the
// contact was found, up to mu l_n of the same pass; a bound by the impulse of the whole step would let friction push
// after the normal row has let go. Torsion and rolling act on the relative spin in the same way.

namespace mechane::solvers::xpbd {

using namespace shared;

namespace {

constexpr int kSweeps = 8;  ///< over impacts, in each round

/// J of the rate along n of point 1 against point 0.
Row point_row(const ContactPoint& c, const Vec3d& r0, const Vec3d& r1, const Vec3d& n)
{ return {c.body[0], c.body[1], {-n, -cross(r0, n)}, {n, cross(r1, n)}}; }
Row turn_row(const ContactPoint& c, const Vec3d& n) { return {c.body[0], c.body[1], {{}, -n}, {{}, n}}; }

double pass(double error, const Row& row, const Bodies& bodies, double relaxation, double h)
{
    const double w = inverse_effective_mass(row, bodies);
    return w > 0 ? -relaxation * error / (h * w) : 0;
}

/// Motion that the positions of this step do not show: of moving surfaces, and of kinematic bodies that have a velocity
/// and no target, which stay where they are. Positions show where a body with a target is.
Vec3d hidden_motion(const ContactPoint& c, const Bodies& bodies, const Vec3d (&r)[2])
{
    Vec3d v = c.belt.linear;
    for (std::size_t s = 0; s < 2; ++s)
        if (c.body[s] >= 0 && bodies.kinematic[c.body[s]] && !bodies.led[c.body[s]]) {
            const Vec3d own = bodies.velocity_at(c.body[s], r[s]);
            v               = s == 0 ? v - own : v + own;
        }
    return v - dot(c.n, v) * c.n;
}

/// Where the two surfaces touch.
struct Touching {
    Vec3d p[2];  ///< world
    Vec3d r[2];  ///< from the centres of mass

    Touching(const ContactPoint& c, const Bodies& bodies)
    {
        for (std::size_t s = 0; s < 2; ++s) {
            p[s] = bodies.pose(c.body[s]) * (c.point[s] + c.offset[s]);
            r[s] = c.body[s] < 0 ? Vec3d{} : p[s] - bodies.com_W(c.body[s]);
        }
    }
    [[nodiscard]] Vec3d slide(const ContactPoint& c) const
    {
        const Vec3d apart = p[1] - p[0];
        return apart - dot(c.n, apart) * c.n;
    }
};

}  // namespace

Vec3d slide_at_start(const ContactPoint& c, const Bodies& bodies)
{
    const Touching at(c, bodies);
    return hidden_motion(c, bodies, at.r) == Vec3d{} ? Vec3d{} : at.slide(c);
}

ContactImpulse solve_contact(const ContactPoint& c, const Bodies& bodies, double relaxation, double h,
                             const Vec3d& start, double since, Spatiald& on_0, Spatiald& on_1)
{
    const ContactPlace at = place_contact(c, bodies);
    ContactImpulse     out;
    // Nothing to do for what does not overlap: contacts act on positions and only push.
    if (!(at.distance < 0)) return out;
    out.active      = true;
    const auto give = [&](const Row& row, double l) {
        on_0 += l * row.on_a;
        on_1 += l * row.on_b;
        // A row without a linear part gives a pure torque.
        if (row.on_b.linear == Vec3d{})
            out.turn_1 += l * row.on_b.angular;
        else
            out.on_1 += l * row.on_b.linear;
    };
    const Row    normal = point_row(c, at.r[0], at.r[1], c.n);
    const double l_n    = pass(at.distance, normal, bodies, relaxation, h);
    give(normal, l_n);
    const PairMaterial& m = c.material;
    if (m.mu > 0) {
        const Touching touching(c, bodies);
        // The way of the points since the step began, and that of what moves on without showing it.
        const Vec3d slid = touching.slide(c) - start + since * hidden_motion(c, bodies, touching.r);
        if (const double far = length(slid); far > 0) {
            const Row row = point_row(c, touching.r[0], touching.r[1], slid / far);
            // Impulses against the slide are negative; -mu l_n is the bound of the cone.
            give(row, std::max(pass(far, row, bodies, relaxation, h), -m.mu * l_n));
        }
    }
    const Vec3d  spin    = bodies.spin(c.body[1]) - bodies.spin(c.body[0]) + c.belt.angular;
    const double about_n = dot(c.n, spin);
    if (m.torsional > 0 && about_n != 0) {
        const Row row = turn_row(c, c.n);
        give(row, std::clamp(pass(h * about_n, row, bodies, relaxation, h), -m.torsional * l_n, m.torsional * l_n));
    }
    const Vec3d roll = spin - about_n * c.n;
    if (const double rate = length(roll); m.rolling > 0 && rate > 0) {
        const Row row = turn_row(c, roll / rate);
        give(row, std::max(pass(h * rate, row, bodies, relaxation, h), -m.rolling * l_n));
    }
    return out;
}

void Restitution::begin(const std::vector<ContactPoint>& contacts, const Bodies& bodies, double h)
{
    const std::size_t n = contacts.size();
    active_.assign(n, 0);
    r_.assign(2 * n, {});
    target_.assign(n, 0);
    slow_.assign(n, 0);
    const auto gravity = [&](std::int32_t b) {
        return b < 0 ? 0.0 : length(static_cast<Vec3d>(bodies.model->gravity_of(bodies.model->body_world[b])));
    };
    for (std::size_t i = 0; i < n; ++i) {
        const ContactPoint& c  = contacts[i];
        const ContactPlace  at = place_contact(c, bodies);
        r_[2 * i] = at.r[0], r_[2 * i + 1] = at.r[1];
        const double v = dot(c.n, bodies.velocity_at(c.body[1], at.r[1]) - bodies.velocity_at(c.body[0], at.r[0]));
        // At rest a body gains h g a step: an approach below 2 h g is no impact, and would bounce forever.
        slow_[i] = 2 * h * std::max(gravity(c.body[0]), gravity(c.body[1]));
        if (v < -slow_[i]) target_[i] = -c.material.restitution * v;
        if (v > slow_[i]) target_[i] = v;
    }
}

/// Projected Gauss-Seidel over all impacts: speeds along the normals are at least their targets, and impulses not below
/// their bounds, where the speeds are above. Both bodies get what a contact gives, so momentum is kept; with e = 1 and
/// impulses that only push, the work l (v- + v+)/2 of each contact is zero, and so energy is kept too.
void Restitution::sweep_all(const std::vector<ContactPoint>& contacts, int sweeps, Bodies& bodies) const
{
    std::vector<Impact> all = impacts_;
    const auto          row = [&](const Impact& at) {
        const ContactPoint& c = contacts[at.contact];
        return point_row(c, at.r[0], at.r[1], c.n);
    };
    for (Impact& at : all) at.least = std::min(0.0, (at.target - rate_of(row(at), bodies)) / at.mass);
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (Impact& at : all) {
            const Row    on = row(at);
            const double vn = rate_of(on, bodies);
            if (at.target == 0 && std::abs(vn) <= at.slow) continue;
            const double l = std::max((at.target - vn) / at.mass, at.least - at.given);
            if (l == 0) continue;
            at.given += l;
            for (const auto& [b, j] : {std::pair{on.a, on.on_a}, std::pair{on.b, on.on_b}}) {
                if (b < 0 || bodies.inv_mass[b] == 0) continue;
                bodies.twist[b].linear += (l * bodies.inv_mass[b]) * j.linear;
                bodies.twist[b].angular += l * bodies.inverse_inertia_times(b, j.angular);
            }
        }
}

void Restitution::solve(const std::vector<ContactPoint>& contacts, bool first, const Bodies& bodies, Pair& pair)
{
    const auto& body = contacts[impacts_[pair.begin].contact].body;
    Spatiald    v[2], start[2];
    for (std::size_t s = 0; s < 2; ++s) start[s] = v[s] = body[s] < 0 ? Spatiald{} : bodies.twist[body[s]];
    struct Place {
        Vec3d n, r0, r1;
    };
    // Contacts of a pair may name its bodies in either order.
    const auto place = [&](const Impact& at) {
        const ContactPoint& c    = contacts[at.contact];
        const bool          same = c.body[0] == body[0];
        return Place{(same ? 1.0 : -1.0) * c.n, same ? at.r[0] : at.r[1], same ? at.r[1] : at.r[0]};
    };
    const auto rate = [&](const Place& at) {
        return dot(at.n, v[1].linear + cross(v[1].angular, at.r1) - v[0].linear - cross(v[0].angular, at.r0));
    };
    for (std::size_t i = pair.begin; i < pair.end; ++i) {
        Impact& at = impacts_[i];
        at.given   = 0;
        // What goes apart faster than its target at first was made so by positions, and is taken back by as much. Later
        // it may be what another pair gave, which is not pulled back.
        at.least = first ? std::min(0.0, (at.target - rate(place(at))) / at.mass) : 0;
    }
    pair.fired = false;
    for (int sweep = 0; sweep < kSweeps; ++sweep)
        for (std::size_t i = pair.begin; i < pair.end; ++i) {
            Impact&      at = impacts_[i];
            const Place  on = place(at);
            const double vn = rate(on);
            if (at.target == 0 && std::abs(vn) <= at.slow) continue;
            const double l = std::max((at.target - vn) / at.mass, at.least - at.given);
            if (l == 0) continue;
            pair.fired = true;
            at.given += l;
            v[0].linear -= (l * bodies.inverse_mass(body[0])) * on.n;
            v[0].angular -= l * bodies.inverse_inertia_times(body[0], cross(on.r0, on.n));
            v[1].linear += (l * bodies.inverse_mass(body[1])) * on.n;
            v[1].angular += l * bodies.inverse_inertia_times(body[1], cross(on.r1, on.n));
        }
    for (std::size_t s = 0; s < 2; ++s) pair.change[s] = v[s] - start[s];
}

void Restitution::finish(const std::vector<ContactPoint>& contacts, int rounds, bool keeps, Bodies& bodies)
{
    impacts_.clear();
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        if (!active_[i]) continue;
        Impact at{i, {r_[2 * i], r_[2 * i + 1]}, target_[i], slow_[i], 0, 0, 0};
        at.mass = inverse_effective_mass(point_row(contacts[i], at.r[0], at.r[1], contacts[i].n), bodies);
        if (at.mass > 0) impacts_.push_back(at);
    }
    if (impacts_.empty()) return;
    // Sorted by pair of bodies and contact: the rounds below go over runs of one pair.
    const auto key = [&](const Impact& a) {
        const auto& b = contacts[a.contact].body;
        return std::tuple(std::min(b[0], b[1]), std::max(b[0], b[1]), a.contact);
    };
    std::sort(impacts_.begin(), impacts_.end(), [&](const Impact& a, const Impact& b) { return key(a) < key(b); });
    const auto same = [&](std::size_t a, std::size_t b) {
        const auto ka = key(impacts_[a]), kb = key(impacts_[b]);
        return std::get<0>(ka) == std::get<0>(kb) && std::get<1>(ka) == std::get<1>(kb);
    };
    if (keeps) {
        sweep_all(contacts, rounds * kSweeps, bodies);
        return;
    }
    pairs_.clear();
    for (std::size_t begin = 0, end = 0; begin < impacts_.size(); begin = end) {
        for (end = begin; end < impacts_.size() && same(begin, end);) ++end;
        pairs_.push_back({.begin = begin, .end = end});
    }
    // As in Newton 1.8: pairs are solved by sweeps from the same velocities, then averaged over the pairs of a body
    // that exchange something: Jacobi over pairs, which is symmetric and ends in nobody being preferred.
    for (int round = 0; round < rounds; ++round) {
        count_.assign(bodies.twist.size(), 0);
        for (Pair& pair : pairs_) {
            solve(contacts, round == 0, bodies, pair);
            for (const std::int32_t b : contacts[impacts_[pair.begin].contact].body)
                if (b >= 0 && pair.fired) ++count_[b];
        }
        change_.assign(bodies.twist.size(), {});
        for (const Pair& pair : pairs_) {
            const auto& body = contacts[impacts_[pair.begin].contact].body;
            for (std::size_t s = 0; s < 2 && pair.fired; ++s)
                if (body[s] >= 0) change_[body[s]] += pair.change[s];
        }
        for (std::size_t b = 0; b < change_.size(); ++b)
            if (count_[b] > 0 && bodies.inv_mass[b] > 0) bodies.twist[b] += (1.0 / count_[b]) * change_[b];
    }
}

}  // namespace mechane::solvers::xpbd
