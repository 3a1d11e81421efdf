#include <algorithm>
#include <cmath>

#include "row_law.h"
#include "system.h"

namespace mechane::solvers::softstep {

namespace {

constexpr int kRow = kLanes, kThreeRows = 3 * kLanes;  ///< strides of a block

/// Impulses along n, t1, t2 into the velocities of both groups. What the loop needs is read before it: velocities are
/// written through a type that may be anything.
[[gnu::always_inline]] inline void apply(System& system, const Segments& at, double n, double t1, double t2)
{
    double* const u = system.u.data();
    for (int s = 0; s < 2; ++s) {
        const double*             Y      = at.Y[s];
        const std::int32_t*       blocks = at.blocks[s];
        const std::int32_t* const end    = blocks + at.count[s];
        for (; blocks != end; ++blocks, Y += kThreeRows)
            lanes(u + *blocks) += n * lanes(Y) + t1 * lanes(Y + kRow) + t2 * lanes(Y + 2 * kRow);
    }
}

/// Relative velocity of the contact point (or of the turning) along n, t1, t2, from System::u or previous_u.
[[gnu::always_inline]] inline std::array<double, 3> rates(const Segments& at, const std::array<double, 3>& base,
                                                          const std::vector<double>& velocities)
{
    const double* const u = velocities.data();
    Lanes               n{}, t1{}, t2{};
    for (int s = 0; s < 2; ++s) {
        const double*             J      = at.J[s];
        const std::int32_t*       blocks = at.blocks[s];
        const std::int32_t* const end    = blocks + at.count[s];
        for (; blocks != end; ++blocks, J += kThreeRows) {
            const Lanes v = lanes(u + *blocks);
            n += lanes(J) * v;
            t1 += lanes(J + kRow) * v;
            t2 += lanes(J + 2 * kRow) * v;
        }
    }
    double along_n, along_t1;
    sum_two(n, t1, along_n, along_t1);
    return {base[0] + along_n, base[1] + along_t1, base[2] + sum(t2)};
}

/// The first of them alone.
[[gnu::always_inline]] inline double normal_rate(const Segments& at, double base, const std::vector<double>& velocities)
{
    const double* const u = velocities.data();
    Lanes               n{};
    for (int s = 0; s < 2; ++s) {
        const double*             J      = at.J[s];
        const std::int32_t*       blocks = at.blocks[s];
        const std::int32_t* const end    = blocks + at.count[s];
        for (; blocks != end; ++blocks, J += kThreeRows) n += lanes(J) * lanes(u + *blocks);
    }
    return base + sum(n);
}

/// Responses of the three rows to each other: nn, n1, n2, 11, 12, 22.
MCH_WIDE void respond_to_each_other(const Segments& at, std::array<double, 6>& K)
{
    Lanes nn{}, n1{}, n2{}, k11{}, k12{}, k22{};
    for (int s = 0; s < 2; ++s) {
        const double *J = at.J[s], *Y = at.Y[s];
        for (std::int32_t k = 0; k < at.count[s]; ++k, J += kThreeRows, Y += kThreeRows) {
            nn += lanes(J) * lanes(Y);
            n1 += lanes(J) * lanes(Y + kRow);
            n2 += lanes(J) * lanes(Y + 2 * kRow);
            k11 += lanes(J + kRow) * lanes(Y + kRow);
            k12 += lanes(J + kRow) * lanes(Y + 2 * kRow);
            k22 += lanes(J + 2 * kRow) * lanes(Y + 2 * kRow);
        }
    }
    K = {sum(nn), sum(n1), sum(n2), sum(k11), sum(k12), sum(k22)};
}

/// Impulses are far from the ends of the range of a double, which std::hypot would take care of.
double norm(double x, double y) { return std::sqrt(x * x + y * y); }

/// Velocity of a surface point before the sub-step.
Vec3d velocity_before(const System& system, std::int32_t body, std::int32_t link, const Vec3d& p)
{
    if (link < 0) return prescribed_velocity(system, body, p);
    const Spatiald& twist = system.motion.twist[link];
    return twist.linear + cross(twist.angular, p - system.motion.com_W[link]);
}

using Rates = std::array<double, 3>;

/// A spring and a damper, integrated implicitly: the impulse is -h (k (C + h v) + d v), the same with and without bias.
[[gnu::always_inline]] inline void set_spring_law(ContactRow& row, double h)
{
    const double rate = row.damping + h * row.stiffness, gamma = 1 / (h * rate);
    row.normal = {row.stiffness * row.distance / rate, 1 / (row.K[0] + gamma), gamma / (row.K[0] + gamma)};
}

/// What the normal row asks for in the sweeps to come. Inlined: GCC 12 does not clear the upper halves of registers
/// before a call to a local function nor after it, and what is compiled for SSE then waits for them.
[[gnu::always_inline]] inline void set_normal_law(ContactRow& row, const Softness& soft, double h, bool relax)
{
    if (row.stiffness > 0) {
        if (!relax) set_spring_law(row, h);
        return;
    }
    const double mass = 1 / row.K[0];
    if (row.distance > 0)
        row.normal = {row.distance / h, mass, 0};  // not more than the gap in this substep
    else if (relax)
        row.normal = {0, mass, 0};
    else
        row.normal = {std::max(soft.bias_rate * row.distance, -row.push), soft.mass_scale * mass, soft.impulse_scale};
}

/// Normal row at the rates r; returns the rates after it.
[[gnu::always_inline]] inline Rates solve_normal(ContactRow& row, Rates r, bool relax)
{
    // A contact that this substep did not reach is the next one's business; stopping it now would bounce it above the
    // surface.
    if (relax && row.lambda[0] == 0 && row.distance > 0) return r;
    const double before = row.lambda[0];
    row.lambda[0]       = std::max(0.0, before - row.normal.mass * (r[0] + row.normal.bias) - row.normal.leak * before);
    const double d      = row.lambda[0] - before;
    return {r[0] + row.K[0] * d, r[1] + row.K[1] * d, r[2] + row.K[2] * d};
}

/// A contact slips, against the velocity. The step that would stop it is no guide to the direction: a corner's response
/// is anisotropic, and friction along K^-1 v instead of v would lose a tenth of its strength.
[[gnu::always_inline]] inline void slip(ContactRow& row, const Rates& r, double bound, double& l1, double& l2)
{
    l1                = row.lambda[1] - row.slip_step * r[1];
    l2                = row.lambda[2] - row.slip_step * r[2];
    const double size = norm(l1, l2);
    if (size > bound) {
        l1 *= bound / size;
        l2 *= bound / size;
    }
    row.drift = {};  // nothing to come back to
}

/// The pair of tangents as one block, held to the disk of the present normal force. What crept is taken back slowly.
[[gnu::always_inline]] inline void solve_friction(ContactRow& row, const Rates& r, double anchor)
{
    const double e1 = r[1] + anchor * row.drift[0], e2 = r[2] + anchor * row.drift[1];
    const double bound = row.mu * row.lambda[0];
    double       l1    = row.lambda[1] - (row.Kt_inv[0] * e1 + row.Kt_inv[1] * e2);
    double       l2    = row.lambda[2] - (row.Kt_inv[1] * e1 + row.Kt_inv[2] * e2);
    if (l1 * l1 + l2 * l2 > bound * bound) slip(row, r, bound, l1, l2);
    row.lambda[1] = l1;
    row.lambda[2] = l2;
}

/// Both of a contact that pushes already: friction, then the normal row, which wins. What of it does not wait for
/// friction comes first.
[[gnu::always_inline]] inline void solve_pressed(ContactRow& row, const Rates& r, double anchor)
{
    const double n = row.lambda[0], mass = row.normal.mass;
    const double alone = n - mass * (r[0] + row.normal.bias) - row.normal.leak * n;
    if (!(row.mu > 0)) {
        row.lambda[0] = std::max(0.0, alone);
        return;
    }
    const double e1 = r[1] + anchor * row.drift[0], e2 = r[2] + anchor * row.drift[1];
    double       d1 = -(row.Kt_inv[0] * e1 + row.Kt_inv[1] * e2), d2 = -(row.Kt_inv[1] * e1 + row.Kt_inv[2] * e2);
    double       l1 = row.lambda[1] + d1, l2 = row.lambda[2] + d2;
    const double bound = row.mu * n;
    if (l1 * l1 + l2 * l2 > bound * bound) {
        slip(row, r, bound, l1, l2);
        d1 = l1 - row.lambda[1];
        d2 = l2 - row.lambda[2];
    }
    row.lambda = {std::max(0.0, alone - ((mass * row.K[1]) * d1 + (mass * row.K[2]) * d2)), l1, l2};
}

// -- friction against turning

/// What the rows against turning do to each other, in the form that the sweeps use.
void set_spin_law(ContactRow& row)
{
    respond_to_each_other(row.spin_at, row.spin_K);
    const double a = row.spin_K[3], b = row.spin_K[4], c = row.spin_K[5], det = a * c - b * b;
    row.spin_mass        = row.spin_K[0] > 0 ? 1 / row.spin_K[0] : 0;
    row.spin_inverse     = det > 1e-12 * a * c ? std::array{c / det, -b / det, a / det} : std::array{0.0, 0.0, 0.0};
    const double largest = 0.5 * (a + c) + std::sqrt(0.25 * (a - c) * (a - c) + b * b);
    row.spin_step        = largest > 0 ? 1 / largest : 0;
}

/// The part of the rows against turning that does not depend on where the contact is on a link.
void set_spin_base(const System& system, ContactRow& row)
{
    row.spin_base = {row.belt_turn, 0, 0};
    const std::array<Vec3d, 3> directions{row.n, row.t1, row.t2};
    for (std::size_t s = 0; s < 2; ++s)
        if (row.link[s] < 0 || system.carried)
            for (std::size_t d = 0; d < 3; ++d)
                row.spin_base[d] += (s == 0 ? -1 : 1) * dot(directions[d], prescribed_spin(system, row.body[s]));
}

void build_spin(System& system, ContactRow& row)
{
    set_spin_base(system, row);
    for (int s = 0; s < 2; ++s)
        if (row.spin_at.group[s] >= 0) open_segment(row.spin_at, s, 3);
    for (std::size_t s = 0; s < 2; ++s) {
        const double sign = s == 0 ? -1 : 1;
        if (row.link[s] >= 0)
            add_rows(system, row.spin_at, row.link[s], system.motion.com_W[row.link[s]], {},
                     {sign * row.n, sign * row.t1, sign * row.t2});
    }
    for (int s = 0; s < 2; ++s)
        if (row.spin_at.group[s] >= 0) close_segment(system, row.spin_at, s, 3);
    set_spin_law(row);
}

/// Rows of a point at `arm` (along n, t1, t2) from the reference point of its tree, from those of the link, and their
/// responses to each other; `turns`: and to impulses against turning.
template <bool turns>
[[gnu::always_inline]] inline void move_six(const double* turning, const double* linear, std::int32_t count,
                                            const double (&arm)[3], double* J, double* K, double* cross)
{
    Lanes nn{}, n1{}, n2{}, k11{}, k12{}, k22{}, across[9] = {};
    for (std::int32_t k = 0; k < count; ++k, turning += kThreeRows, linear += kThreeRows, J += kThreeRows) {
        const Lanes w0 = lanes(turning), w1 = lanes(turning + kRow), w2 = lanes(turning + 2 * kRow);
        const Lanes n       = lanes(linear) + (arm[2] * w1 - arm[1] * w2),
                    t1      = lanes(linear + kRow) + (arm[0] * w2 - arm[2] * w0),
                    t2      = lanes(linear + 2 * kRow) + (arm[1] * w0 - arm[0] * w1);
        lanes(J)            = n;
        lanes(J + kRow)     = t1;
        lanes(J + 2 * kRow) = t2;
        nn += n * n;
        n1 += n * t1;
        n2 += n * t2;
        k11 += t1 * t1;
        k12 += t1 * t2;
        k22 += t2 * t2;
        if constexpr (turns) {
            across[0] += n * w0, across[1] += n * w1, across[2] += n * w2;
            across[3] += t1 * w0, across[4] += t1 * w1, across[5] += t1 * w2;
            across[6] += t2 * w0, across[7] += t2 * w1, across[8] += t2 * w2;
        }
    }
    sum_two(nn, n1, K[0], K[1]);
    sum_two(n2, k11, K[2], K[3]);
    sum_two(k12, k22, K[4], K[5]);
    if constexpr (turns) {
        for (int i = 0; i < 8; i += 2) sum_two(across[i], across[i + 1], cross[i], cross[i + 1]);
        cross[8] = sum(across[8]);
    }
}

MCH_WIDE void move_rows(const double* six, std::int32_t count, const double (&arm)[3], double* J, double* K)
{ move_six<false>(six, six + count * kThreeRows, count, arm, J, K, nullptr); }

MCH_WIDE void move_turning_rows(const double* six, std::int32_t count, const double (&arm)[3], double* J, double* K,
                                double* cross)
{ move_six<true>(six, six + count * kThreeRows, count, arm, J, K, cross); }

/// Rows of a contact of one link with what no impulse moves: contacts of the link along the same directions share those
/// against turning, and differ in where the link is touched. `p`: its surface point.
void build_framed(System& system, ContactRow& row, std::size_t s, const Vec3d& p)
{
    const std::int32_t link  = row.link[s];
    const double       sign  = s == 0 ? -1 : 1;
    const ContactRow*& last  = system.link_frame[link];
    const auto         count = row.at.count[s];
    const bool         turns = row.spins();
    if (last && last->link == row.link && last->n == row.n && (last->spins() || !turns)) {
        row.spin_at.J[s] = row.spin_at.Y[s] = last->spin_at.J[s];
        if (turns) {
            row.spin_K       = last->spin_K;
            row.spin_mass    = last->spin_mass;
            row.spin_inverse = last->spin_inverse;
            row.spin_step    = last->spin_step;
        }
    } else {
        row.spin_at.J[s] = row.spin_at.Y[s] = row.frame;
        frame_rows(system, link, {sign * row.n, sign * row.t1, sign * row.t2}, row.frame);
        if (turns) set_spin_law(row);
        last = &row;
    }
    const Vec3d  r      = p - system.motion.reference[system.forest.links[link].tree];
    const double arm[3] = {dot(r, row.n), dot(r, row.t1), dot(r, row.t2)};
    row.at.Y[s]         = row.at.J[s];
    if (!turns) return move_rows(row.spin_at.J[s], count, arm, row.at.J[s], row.K.data());
    set_spin_base(system, row);
    move_turning_rows(row.spin_at.J[s], count, arm, row.at.J[s], row.K.data(), row.spin_cross.data());
}

/// Under the normal impulse `normal`.
void hold_spin(ContactRow& row, double normal)
{
    const double torsion = row.mu_torsional * normal, rolling = row.mu_rolling * normal;
    row.spin_lambda[0] = std::clamp(row.spin_lambda[0], -torsion, torsion);
    const double size  = norm(row.spin_lambda[1], row.spin_lambda[2]);
    if (size > rolling) {
        row.spin_lambda[1] *= rolling / size;
        row.spin_lambda[2] *= rolling / size;
    }
}

[[gnu::always_inline]] inline void start_spin(System& system, ContactRow& row, double normal)
{
    hold_spin(row, normal);
    apply(system, row.spin_at, row.spin_lambda[0], row.spin_lambda[1], row.spin_lambda[2]);
}

/// Solves the rows against turning at their rates r; returns the impulses to add.
[[gnu::always_inline]] inline Rates solve_turning(ContactRow& row, const Rates& r, double normal)
{
    const std::array<double, 3> start   = row.spin_lambda;
    const double                torsion = row.mu_torsional * normal, rolling = row.mu_rolling * normal;
    const double                l0 = std::clamp(start[0] - row.spin_mass * r[0], -torsion, torsion);
    double                      l1 = start[1] - (row.spin_inverse[0] * r[1] + row.spin_inverse[1] * r[2]);
    double                      l2 = start[2] - (row.spin_inverse[1] * r[1] + row.spin_inverse[2] * r[2]);
    if (l1 * l1 + l2 * l2 > rolling * rolling) {
        // Rolling goes on: resisted against the rate, as slipping friction is.
        l1                = start[1] - row.spin_step * r[1];
        l2                = start[2] - row.spin_step * r[2];
        const double size = norm(l1, l2);
        if (size > rolling) {
            l1 *= rolling / size;
            l2 *= rolling / size;
        }
    }
    row.spin_lambda = {l0, l1, l2};
    return {l0 - start[0], l1 - start[1], l2 - start[2]};
}

[[gnu::always_inline]] inline double turn_back(System& system, ContactRow& row, double normal)
{
    const auto [d0, d1, d2] = solve_turning(row, rates(row.spin_at, row.spin_base, system.u), normal);
    if (d0 == 0 && d1 == 0 && d2 == 0) return 0;
    apply(system, row.spin_at, d0, d1, d2);
    return std::max({std::abs(d0) * row.spin_K[0], std::abs(d1) * row.spin_K[3], std::abs(d2) * row.spin_K[5]});
}

/// Rates of a contact that is not free before the sub-step; `p`: the surface points. Whitened velocities of a tree are
/// made of the present ones only, so there the links tell.
Rates rates_before(const System& system, const ContactRow& row, const std::array<Vec3d, 2>& p)
{
    Segments others = row.at;
    Rates    out    = row.base;
    for (std::size_t s = 0; s < 2; ++s) {
        if (row.at.group[s] >= 0 && system.groups[row.at.group[s]].whitened) others.count[s] = 0;
        const std::int32_t link = row.link[s];
        if (link < 0 || !system.groups[system.body_group[row.body[s]]].whitened) continue;
        const Vec3d  v    = velocity_before(system, row.body[s], link, p[s]);
        const double sign = s == 0 ? -1 : 1;
        out[0] += sign * dot(row.n, v);
        out[1] += sign * dot(row.t1, v);
        out[2] += sign * dot(row.t2, v);
    }
    return rates(others, out, system.previous_u);
}

/// Which friction applies, and how fast a contact that is hit rebounds.
void meet(System& system, ContactRow& row, const FreeContact* free, const std::array<Vec3d, 2>& p, double h)
{
    const Rates old = free ? free_rates(system.previous_u, *free) : rates_before(system, row, p);
    // Decided once a step: what the first substep lets slip before friction is found must not unstick a contact.
    if (row.mu < 0)
        row.mu = old[1] * old[1] + old[2] * old[2] < kStickSpeed * kStickSpeed ? row.mu_static : row.mu_dynamic;
    if (row.restitution > 0 && old[0] < -0.5 * kRestitutionThreshold) {
        const Rates  now    = free ? free_rates(system.u, *free) : rates(row.at, row.base, system.u);
        const double speed  = -now[0];
        const double gained = std::clamp(speed + old[0], 0.0, speed);  // by gravity during this substep
        if (speed > kRestitutionThreshold) {
            // Symplectic Euler keeps E - h g v / 2, not E: falling it is slow by half a substep of gravity, rising
            // again by another half. With both restored the rebound height follows the material and not the substep.
            const double share = std::clamp(row.distance / (h * speed), 0.0, 1.0);
            const double hit   = (speed - gained) + (0.5 + share) * gained;
            row.bounce         = row.restitution * hit + 0.5 * gained;
        }
    }
}

/// A contact that carries holds a point of a body, which goes on about it. A row of the beginning of a sub-step that asks
/// for no rate finds a rate at its end, and to take that away each time is a brake: (w h)^2 / 2 of the speed. So the
/// point moves as it does along its arc: half of what the turn of its body adds to its rate within the sub-step is taken
/// off beforehand. No more than what the rate was before, turned round: what contacts do for this takes no work. `core`:
/// the points that ride with the bodies.
void follow_arcs(System& system, ContactRow& row, FreeContact* free, const std::array<Vec3d, 2>& core,
                 const std::array<Vec3d, 2>& p, double h)
{
    Vec3d added;  // to the velocity of point 1 beside point 0, in half of the sub-step
    for (std::size_t s = 0; s < 2; ++s) {
        const std::int32_t link = row.link[s];
        if (link < 0 || row.roller[s] >= 0 || !system.forest.trees[system.forest.links[link].tree].single) continue;
        const Vec3d& w = system.motion.twist[link].angular;
        added += (s == 0 ? -0.5 * h : 0.5 * h) * cross(w, cross(w, core[s] - system.motion.com_W[link]));
    }
    if (!(length_squared(added) > kLeastArc * kLeastArc)) return;
    const std::array<double, 3> most{dot(row.n, added), dot(row.t1, added), dot(row.t2, added)};
    const Rates                 old = free ? free_rates(system.previous_u, *free) : rates_before(system, row, p);
    for (std::size_t d = 0; d < 3; ++d)
        row.base[d] += std::clamp(old[d], std::min(0.0, most[d]), std::max(0.0, most[d]));
}

}  // namespace

bool in_loops(const System& system, std::int32_t link)
{ return link >= 0 && system.groups[system.forest.trees[system.forest.links[link].tree].group].row_count > 0; }

double reach(const System& system, const std::array<std::int32_t, 2>& body, const std::array<std::int32_t, 2>& link,
             const std::array<Vec3d, 2>& p, const Vec3d& n, double h)
{
    Vec3d relative;
    for (std::size_t s = 0; s < 2; ++s)
        relative += (s == 0 ? -1.0 : 1.0) * velocity_before(system, body[s], link[s], p[s]);
    return h * (2 * std::max(0.0, -dot(n, relative)) + 1);
}

void build_contact(System& system, ContactRow& row, FreeContact* free, const Softness& soft, double h, bool first)
{
    std::array<Vec3d, 2> core = row.start_W;
    for (std::size_t s = 0; s < 2; ++s)
        if (!first || in_loops(system, row.link[s])) core[s] = place_core(system, row, s);
    // The difference of displacements, not of positions: exact also far from the origin, and for rolling round shapes
    // whose core point is a centre.
    row.distance = row.start_distance + dot(row.n, (core[1] - row.start_W[1]) - (core[0] - row.start_W[0]));
    // Each body is pushed at its own surface point: where they slide along each other, the middle of both would be
    // neither's.
    const std::array<Vec3d, 2> p{core[0] + row.margin[0] * row.n, core[1] - row.margin[1] * row.n};

    row.bounce = 0;
    row.active = row.distance < h || row.distance < reach(system, row.body, row.link, p, row.n, h);
    if (!row.active) {
        row.lambda      = {};
        row.spin_lambda = {};
        row.drift       = {};
        return;
    }
    row.base = {0, dot(row.t1, row.belt), dot(row.t2, row.belt)};
    const std::array<Vec3d, 3> directions{row.n, row.t1, row.t2};
    for (std::size_t s = 0; s < 2; ++s) {
        if (row.link[s] >= 0 && !system.carried) continue;
        const Vec3d v = prescribed_velocity(system, row.body[s], p[s]);
        for (std::size_t d = 0; d < 3; ++d) row.base[d] += (s == 0 ? -1 : 1) * dot(directions[d], v);
    }
    if (free) {
        build_free(system, row, p, *free);
    } else if (row.frame) {
        const std::size_t s = row.link[0] >= 0 ? 0 : 1;
        build_framed(system, row, s, p[s]);
    } else {
        for (int s = 0; s < 2; ++s)
            if (row.at.group[s] >= 0) open_segment(row.at, s, 3);
        for (std::size_t s = 0; s < 2; ++s) {
            const double sign = s == 0 ? -1 : 1;
            if (row.link[s] >= 0)
                add_rows(system, row.at, row.link[s], p[s], {sign * row.n, sign * row.t1, sign * row.t2}, {});
        }
        for (int s = 0; s < 2; ++s)
            if (row.at.group[s] >= 0) close_segment(system, row.at, s, 3);
        respond_to_each_other(row.at, row.K);
    }
    const std::array<double, 6>& K = row.K;
    // Nothing that could move can be pushed.
    if (!(K[0] > 1e-12)) {
        row.active      = false;
        row.lambda      = {};
        row.spin_lambda = {};
        return;
    }
    if (row.spins() && !row.frame) build_spin(system, row);
    // Pushing at the speed s costs s^2 / (2 K), which has no bound near a pivot that lies inside the other shape, and
    // is large where a geared finger is wedged in the palm. Recovery may spend the energy that the lighter body has at
    // the push velocity.
    double mass = 1e300;
    for (const std::int32_t l : row.link)
        if (l >= 0) mass = std::min(mass, system.forest.links[l].mass);
    row.push           = kPushVelocity * std::sqrt(std::min(1.0, K[0] * mass));
    const double ridge = 1e-9 * (K[3] + K[5]) + 1e-14;
    const double a = K[3] + ridge, c = K[5] + ridge, det = a * c - K[4] * K[4];
    row.Kt_inv = det > 0 ? std::array{c / det, -K[4] / det, a / det} : std::array{0.0, 0.0, 0.0};
    set_normal_law(row, soft, h, false);
    row.slip_step =
        1 / (0.5 * (a + c) + std::sqrt(0.25 * (a - c) * (a - c) + K[4] * K[4]));  // 1 / the largest eigenvalue

    if (row.mu < 0 || row.restitution > 0) meet(system, row, free, p, h);
    if (row.lambda[0] > 0) follow_arcs(system, row, free, core, p, h);
    if (free) load_free(row, *free);
}

MCH_WIDE void warm_start_contact(System& system, ContactRow& row)
{
    // Friction that an earlier step needed must fit this step's normal force.
    const double bound = row.mu * row.lambda[0], t = norm(row.lambda[1], row.lambda[2]);
    if (t > bound) {
        row.lambda[1] *= bound / t;
        row.lambda[2] *= bound / t;
    }
    if (row.lambda[0] != 0) apply(system, row.at, row.lambda[0], row.lambda[1], row.lambda[2]);
    if (row.spins()) start_spin(system, row, row.lambda[0]);
}

/// A contact of one link that pushes already, with its rows against turning: both read the velocities once and change
/// them once, which waits half as long as one after the other.
[[gnu::always_inline]] static inline double solve_framed(System& system, ContactRow& row, double anchor)
{
    const std::size_t   side = row.at.group[0] >= 0 ? 0 : 1;
    const double *const J = row.at.J[side], *const W = row.spin_at.J[side];
    const std::int32_t* blocks = row.at.blocks[side];
    const std::int32_t  count  = row.at.count[side];
    double* const       u      = system.u.data();
    Lanes               six[6] = {};
    for (std::int32_t k = 0; k < count; ++k) {
        const Lanes v = lanes(u + blocks[k]);
        for (int i = 0; i < 3; ++i) {
            six[i] += lanes(J + k * kThreeRows + i * kRow) * v;
            six[3 + i] += lanes(W + k * kThreeRows + i * kRow) * v;
        }
    }
    Rates r, w;
    sum_two(six[3], six[4], w[0], w[1]);
    sum_two(six[5], six[0], w[2], r[0]);
    sum_two(six[1], six[2], r[1], r[2]);
    const std::array<double, 3> start = row.lambda;
    for (std::size_t i = 0; i < 3; ++i) w[i] += row.spin_base[i];
    const Rates d = solve_turning(row, w, start[0]);
    const auto& C = row.spin_cross;
    for (std::size_t i = 0; i < 3; ++i)
        r[i] = (r[i] + row.base[i]) + (C[3 * i] * d[0] + C[3 * i + 1] * d[1] + C[3 * i + 2] * d[2]);
    solve_pressed(row, r, anchor);
    const double dn = row.lambda[0] - start[0], d1 = row.lambda[1] - start[1], d2 = row.lambda[2] - start[2];
    for (std::int32_t k = 0; k < count; ++k) {
        const double *j = J + k * kThreeRows, *w6 = W + k * kThreeRows;
        lanes(u + blocks[k]) +=
            ((d[0] * lanes(w6) + d[1] * lanes(w6 + kRow)) + (d[2] * lanes(w6 + 2 * kRow) + d1 * lanes(j + kRow))) +
            (d2 * lanes(j + 2 * kRow) + dn * lanes(j));
    }
    return std::max({std::abs(d[0]) * row.spin_K[0], std::abs(d[1]) * row.spin_K[3], std::abs(d[2]) * row.spin_K[5],
                     std::abs(dn) * row.K[0], std::abs(d1) * row.K[3], std::abs(d2) * row.K[5]});
}

MCH_WIDE double solve_contact(System& system, ContactRow& row, double anchor, bool relax)
{
    const std::array<double, 3> start = row.lambda;
    if (start[0] == 0 && start[1] == 0 && start[2] == 0) {
        // Most contacts that do not push yet will not in this sweep either: their normal rate says so.
        if (relax && row.distance > 0) return 0;
        if (normal_rate(row.at, row.base[0], system.u) + row.normal.bias >= 0) return 0;
    }
    // A contact without a normal force yet has no friction to offer, so there the normal comes first; else it comes
    // last and wins.
    const bool fresh = start[0] == 0;
    if (row.frame && !fresh && row.spins()) return solve_framed(system, row, anchor);
    const double turned = !fresh && row.spins() ? turn_back(system, row, start[0]) : 0;
    const Rates  r      = rates(row.at, row.base, system.u);
    if (!fresh)
        solve_pressed(row, r, anchor);
    else if (const Rates after = solve_normal(row, r, relax); row.mu > 0)
        solve_friction(row, after, anchor);
    const double dn = row.lambda[0] - start[0], d1 = row.lambda[1] - start[1], d2 = row.lambda[2] - start[2];
    if (dn != 0 || d1 != 0 || d2 != 0) apply(system, row.at, dn, d1, d2);
    return std::max({turned, std::abs(dn) * row.K[0], std::abs(d1) * row.K[3], std::abs(d2) * row.K[5]});
}

MCH_WIDE void warm_start_spin(System& system, ContactRow& row, double normal) { start_spin(system, row, normal); }

MCH_WIDE double solve_spin(System& system, ContactRow& row, double normal) { return turn_back(system, row, normal); }

MCH_WIDE void advance_contact(System& system, ContactRow& row, double h)
{
    const auto r = rates(row.at, row.base, system.u);
    row.distance += h * r[0];
    if (row.lambda[0] > 0) {
        row.drift[0] += h * r[1];
        row.drift[1] += h * r[2];
    } else {
        row.drift = {};
    }
    set_normal_law(row, {}, h, true);
}

MCH_WIDE void bounce_contact(System& system, ContactRow& row)
{
    if (row.bounce <= 0 || row.lambda[0] <= 0) return;
    const double rate   = rates(row.at, row.base, system.u)[0];
    const double normal = std::max(0.0, row.lambda[0] - (rate - row.bounce) / row.K[0]);
    const double delta  = normal - row.lambda[0];
    row.lambda[0]       = normal;
    apply(system, row.at, delta, 0, 0);
}

}  // namespace mechane::solvers::softstep
