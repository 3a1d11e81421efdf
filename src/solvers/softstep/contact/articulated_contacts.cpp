// Contacts of articulated bodies: rows over the coordinates of trees, in the storage of ContactRow. The law of a point
// is contact_law.h; this file builds the rows, applies impulses and runs the law for one contact.
// Rates are J u along (n, t1, t2) [m/s], impulses [N s], K = J M^-1 J^T [1/kg]. Coordinates u are whitened where the
// group allows it, so that J and M^-1 J^T are one array (docs/softstep_method.md, "Rows over the coordinates of a
// tree").
// All numbers are double. Called by island/islands.cpp for each contact of an island, in its order.

#include <algorithm>
#include <cmath>

#include "solvers/softstep/contact/articulated_contacts.h"
#include "solvers/softstep/contact/body_contacts.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/mechanism/row_law.h"
#include "solvers/softstep/parameters.h"

namespace mechane::solvers::softstep {

namespace {

/// What a contact's normal does with its links, relative to their masses and to how they turn: below it the normal has
/// no lever (`lacks_lever`). A walker without gravity whose thighs turn about their own round ends gains no energy from
/// 3e-4 on (120 runs); without the bound it gains 10,000 times what it had.
constexpr double kLeastResponse = 1e-3;
constexpr int    kRow = kLanes, kThreeRows = 3 * kLanes;  ///< strides of a block

/// Impulses along n, t1, t2 into the velocities of both groups. What the loop needs is read before it: velocities are
/// written through a type that may be anything.
[[gnu::always_inline]] inline void apply(Mechanism& system, const Segments& at, double n, double t1, double t2)
{
    double* const u = system.u.data();
    for (int s = 0; s < 2; ++s) {
        const double*             Y      = at.Y[s];
        const std::int32_t*       blocks = at.blocks[s];
        const std::int32_t* const end    = blocks + at.count[s];
        // Blocks of four dofs on the way to the root; others are zero and not stored.
        for (; blocks != end; ++blocks, Y += kThreeRows)
            lanes(u + *blocks) += n * lanes(Y) + t1 * lanes(Y + kRow) + t2 * lanes(Y + 2 * kRow);
    }
}

/// Relative velocity of the contact point (or of the turning) along n, t1, t2, from Mechanism::u or previous_u.
MCH_INLINE Along<double> rates(const Segments& at, const auto& base, const std::vector<double>& velocities)
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
/// The symmetric 3x3 matrix K of the point: K_ij = J_i M^-1 J_j^T.
MCH_CLONES_AVX2 void respond_to_each_other(const Segments& at, std::array<double, 6>& K)
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

/// Velocity of a surface point before the substep.
Vec3d velocity_before(const Mechanism& system, std::int32_t body, std::int32_t link, const Vec3d& p)
{
    if (link < 0) return prescribed_velocity(system, body, p);
    const Spatiald& twist = system.motion.twist[link];
    return twist.linear + cross(twist.angular, p - system.motion.com_W[link]);
}

using Rates = Along<double>;

/// What the normal row asks for in the sweeps to come. Inlined: GCC 12 does not clear the upper halves of registers
/// before a call to a local function nor after it, and what is compiled for SSE then waits for them.
MCH_INLINE void set_normal_row(ContactRow& row, const Softness& soft, double h, bool relax)
{
    if (row.stiffness == 0)
        row.normal = stiff_normal(row.distance, 1 / row.K[0], row.push, soft, 1 / h, relax);
    else if (!relax)
        row.normal = spring_normal(row.distance, row.K[0], row.stiffness, row.damping, h);
}

// -- friction against turning

/// What the rows against turning do to each other, in the form that the sweeps use.
void set_spin_law(ContactRow& row)
{
    respond_to_each_other(row.spin_at, row.spin.K);
    const double a = row.spin.K[3], b = row.spin.K[4], c = row.spin.K[5];
    // The tangents' block is inverted only where its determinant is clearly not rounding.
    const auto block = invert_tangents(a, b, c, 1e-12 * a * c);
    row.spin.mass    = row.spin.K[0] > 0 ? 1 / row.spin.K[0] : 0;
    row.spin.inverse = {block.inverse[0], block.inverse[1], block.inverse[2]};
    row.spin.step    = block.step;
}

/// The part of the rows against turning that does not depend on where the contact is on a link.
void set_spin_base(const Mechanism& system, ContactRow& row)
{
    row.spin.base = {row.belt_turn, 0, 0};
    const std::array<Vec3d, 3> directions{row.n, row.t1, row.t2};
    for (std::size_t s = 0; s < 2; ++s)
        if (row.link[s] < 0 || system.carried)
            for (std::size_t d = 0; d < 3; ++d)
                row.spin.base[d] += (s == 0 ? -1 : 1) * dot(directions[d], prescribed_spin(system, row.body[s]));
}

/// Rows against turning have no point: torques about n, t1, t2.
void build_spin(Mechanism& system, ContactRow& row)
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
        // v(p) = v(O) + w x r, with r, v and w along n, t1, t2.
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

MCH_CLONES_AVX2 void move_rows(const double* six, std::int32_t count, const double (&arm)[3], double* J, double* K)
{ move_six<false>(six, six + count * kThreeRows, count, arm, J, K, nullptr); }

MCH_CLONES_AVX2 void move_turning_rows(const double* six, std::int32_t count, const double (&arm)[3], double* J,
                                       double* K, double* cross)
{ move_six<true>(six, six + count * kThreeRows, count, arm, J, K, cross); }

/// Rows of a contact of one link with what no impulse moves: contacts of the link along the same directions share those
/// against turning, and differ in where the link is touched. `p`: its surface point.
/// A foot with four points on the floor makes the rows against turning once; each point adds its arm.
void build_framed(Mechanism& system, ContactRow& row, std::size_t s, const Vec3d& p)
{
    const std::int32_t link  = row.link[s];
    const double       sign  = s == 0 ? -1 : 1;
    const ContactRow*& last  = system.link_frame[link];
    const auto         count = row.at.count[s];
    const bool         turns = row.spins();
    if (last && last->link == row.link && last->n == row.n && (last->spins() || !turns)) {
        row.spin_at.J[s] = row.spin_at.Y[s] = last->spin_at.J[s];
        if (turns) {
            row.spin.K       = last->spin.K;
            row.spin.mass    = last->spin.mass;
            row.spin.inverse = last->spin.inverse;
            row.spin.step    = last->spin.step;
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

MCH_INLINE void start_spin(Mechanism& system, ContactRow& row, double normal)
{
    hold_spin(row.spin, normal);
    apply(system, row.spin_at, row.spin.lambda[0], row.spin.lambda[1], row.spin.lambda[2]);
}

[[gnu::always_inline]] inline double turn_back(Mechanism& system, ContactRow& row, double normal)
{
    const Rates d = solve_spin(row.spin, rates(row.spin_at, row.spin.base, system.u), normal);
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) return 0;
    apply(system, row.spin_at, d[0], d[1], d[2]);
    return std::max({std::abs(d[0]) * row.spin.K[0], std::abs(d[1]) * row.spin.K[3], std::abs(d[2]) * row.spin.K[5]});
}

/// Rates of a contact that is not free before the substep; `p`: the surface points. Whitened velocities of a tree are
/// made of the present ones only, so there the links tell.
Rates rates_before(const Mechanism& system, const ContactRow& row, const std::array<Vec3d, 2>& p)
{
    Segments others = row.at;
    Rates    out{row.base[0], row.base[1], row.base[2]};
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

/// Rates along n, t1, t2 before the substep.
Rates rates_before(Mechanism& system, const ContactRow& row, const FreeContact* free, const std::array<Vec3d, 2>& p)
{ return free ? free_rates(system.previous_u, *free) : rates_before(system, row, p); }

/// Which friction applies, and how fast a contact that is hit rebounds.
void meet(Mechanism& system, ContactRow& row, const FreeContact* free, const std::array<Vec3d, 2>& p, double h)
{
    const Rates old = rates_before(system, row, free, p);
    if (row.mu < 0) row.mu = friction_at(old, row.mu_static, row.mu_dynamic);
    if (row.restitution > 0) {
        const Rates now = free ? free_rates(system.u, *free) : rates(row.at, row.base, system.u);
        row.bounce      = rebound_speed(old[0], now[0], row.distance, row.restitution, h);
    }
}

/// A contact that carries lets its bodies go on about it (arc_rate). `core`: the points that ride with the bodies.
/// docs/softstep_method.md, "Arcs": without it a body that goes round a contact is braked by (w h)^2 / 2 a substep.
void follow_arcs(Mechanism& system, ContactRow& row, const FreeContact* free, const std::array<Vec3d, 2>& core,
                 const std::array<Vec3d, 2>& p, double h)
{
    Vec3d added;  // to the velocity of point 1 beside point 0, in half of the substep
    for (std::size_t s = 0; s < 2; ++s) {
        const std::int32_t link = row.link[s];
        if (link < 0 || row.roller[s] >= 0 || !system.forest.trees[system.forest.links[link].tree].single) continue;
        const Vec3d& w = system.motion.twist[link].angular;
        added += (s == 0 ? -0.5 * h : 0.5 * h) * cross(w, cross(w, core[s] - system.motion.com_W[link]));
    }
    if (!(length_squared(added) > kLeastArc * kLeastArc)) return;
    const std::array<double, 3> most{dot(row.n, added), dot(row.t1, added), dot(row.t2, added)};
    const Rates                 old = rates_before(system, row, free, p);
    for (std::size_t d = 0; d < 3; ++d) row.base[d] += arc_rate(most[d], old[d]);
}

/// Velocity of surface point 1 less that of 0 before the substep.
Vec3d relative_before(const Mechanism& system, const std::array<std::int32_t, 2>& body,
                      const std::array<std::int32_t, 2>& link, const std::array<Vec3d, 2>& p)
{ return velocity_before(system, body[1], link[1], p[1]) - velocity_before(system, body[0], link[0], p[0]); }

void build_linear(Mechanism& system, ContactRow& row, const std::array<Vec3d, 2>& p)
{
    for (int s = 0; s < 2; ++s)
        if (row.at.group[s] >= 0) open_segment(row.at, s, 3);
    for (std::size_t s = 0; s < 2; ++s) {
        const double sign = s == 0 ? -1 : 1;
        if (row.link[s] >= 0)
            add_rows(system, row.at, row.link[s], p[s], {sign * row.n, sign * row.t1, sign * row.t2}, {});
    }
    for (int s = 0; s < 2; ++s)
        if (row.at.group[s] >= 0) close_segment(system, row.at, s, 3);
}

/// Of all links of the tree of a link [kg].
double tree_mass(const Mechanism& system, std::int32_t link)
{
    const Tree& tree = system.forest.trees[system.forest.links[link].tree];
    double      mass = 0;
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) mass += system.forest.links[l].mass;
    return mass;
}

/// How impulses against turning change the relative turn of the links of a contact, the sum over n, t1, t2
/// [1 / (kg m^2)]. The rows of `row.at` are lost where the contact has no frame.
double turning_response(Mechanism& system, ContactRow& row)
{
    if (row.frame) {
        const std::size_t   s    = row.link[0] >= 0 ? 0 : 1;
        const double* const from = row.spin_at.J[s];
        Lanes               squares{};
        for (std::int32_t k = 0; k < 3 * row.at.count[s]; ++k)
            squares += lanes(from + k * kRow) * lanes(from + k * kRow);
        return sum(squares);
    }
    for (int s = 0; s < 2; ++s)
        if (row.at.group[s] >= 0) open_segment(row.at, s, 3);
    for (std::size_t s = 0; s < 2; ++s) {
        const double sign = s == 0 ? -1 : 1;
        if (row.link[s] >= 0)
            add_rows(system, row.at, row.link[s], system.motion.com_W[row.link[s]], {},
                     {sign * row.n, sign * row.t1, sign * row.t2});
    }
    for (int s = 0; s < 2; ++s)
        if (row.at.group[s] >= 0) close_segment(system, row.at, s, 3);
    std::array<double, 6> K{};
    respond_to_each_other(row.at, K);
    return K[0] + K[3] + K[5];
}

/// Whether the normal goes through what the links turn about, as that of a round end about its own joint does: the
/// distance hardly changes by any motion, so no impulse has a sound size. Rounding and the turn of the rows within a
/// substep would make it as large as 1 / K, and a little later it would do work.
/// Both must hold: the response is small for the whole tree, which leaves what pushes a heavy robot; and it is small
/// for how easily the links turn, which leaves what stiff drives hold. `p`: the surface points; `turning`: asked for
/// last.
bool lever_is_short(const Mechanism& system, const ContactRow& row, const std::array<Vec3d, 2>& p, double K,
                    const auto& turning)
{
    double mass = 0, size = 0;
    for (std::size_t s = 0; s < 2; ++s) {
        const std::int32_t l = row.link[s];
        if (l < 0) continue;
        mass = std::max(mass, tree_mass(system, l));
        size = std::max(size, length_squared(p[s] - system.motion.com_W[l]));
    }
    return K * mass < kLeastResponse && K < kLeastResponse * size * turning();
}

bool lacks_lever(Mechanism& system, ContactRow& row, const std::array<Vec3d, 2>& p)
{
    bool       asked = false;
    const bool lacks = lever_is_short(system, row, p, row.K[0], [&] {
        asked = true;
        return turning_response(system, row);
    });
    if (asked && !lacks && !row.frame) build_linear(system, row, p);
    return lacks;
}

/// Twice the approach within the substep, and a metre a second for what impacts may add.
double reach_at(const Vec3d& relative, const Vec3d& n, double h)
{ return h * (2 * std::max(0.0, -dot(n, relative)) + 1); }

}  // namespace

bool in_loops(const Mechanism& system, std::int32_t link)
{ return link >= 0 && system.groups[system.forest.trees[system.forest.links[link].tree].group].row_count > 0; }

double reach(const Mechanism& system, const std::array<std::int32_t, 2>& body, const std::array<std::int32_t, 2>& link,
             const std::array<Vec3d, 2>& p, const Vec3d& n, double h)
{ return reach_at(relative_before(system, body, link, p), n, h); }

void leave_out(ContactRow& row)
{
    row.active      = false;
    row.lambda      = {};
    row.spin.lambda = {};
    row.drift       = {};
}

namespace {

MCH_INLINE bool find_place(Mechanism& system, ContactRow& row, double h, bool first, std::array<Vec3d, 2>& core,
                           std::array<Vec3d, 2>& p)
{
    core = row.start_W;
    for (std::size_t s = 0; s < 2; ++s)
        if (!first || in_loops(system, row.link[s])) core[s] = place_core(system, row, s);
    // The difference of displacements, not of positions: exact also far from the origin, and for rolling round shapes
    // whose core point is a centre.
    row.distance = row.start_distance + dot(row.n, (core[1] - row.start_W[1]) - (core[0] - row.start_W[0]));
    // Each body is pushed at its own surface point: where they slide along each other, the middle of both would be
    // neither's.
    p = {core[0] + row.margin[0] * row.n, core[1] - row.margin[1] * row.n};

    row.bounce = 0;
    row.active = true;
    row.base   = {0, dot(row.t1, row.belt), dot(row.t2, row.belt)};
    // What is nearer than a metre a second times h always makes a row (reach): only farther points need the velocities.
    // A contact that is left out decides about its static friction all the same, which is done once a step.
    // The friction of a far contact is decided all the same: static friction is a decision of the step and not of the
    // substep.
    if (!(row.distance < h)) {
        const Vec3d v = relative_before(system, row.body, row.link, p);
        if (row.mu < 0)
            row.mu = friction_at<double>({0, row.base[1] + dot(row.t1, v), row.base[2] + dot(row.t2, v)}, row.mu_static,
                                         row.mu_dynamic);
        if (!(row.distance < reach_at(v, row.n, h))) {
            leave_out(row);
            return false;
        }
    }
    const std::array<Vec3d, 3> directions{row.n, row.t1, row.t2};
    for (std::size_t s = 0; s < 2; ++s) {
        // The world stands still, and rates of a tree on it are its own.
        if (row.body[s] < 0 || (row.link[s] >= 0 && !system.carried)) continue;
        const Vec3d v = prescribed_velocity(system, row.body[s], p[s]);
        for (std::size_t d = 0; d < 3; ++d) row.base[d] += (s == 0 ? -1 : 1) * dot(directions[d], v);
    }
    return true;
}

}  // namespace

MCH_CLONES_AVX2 bool place_contact(Mechanism& system, ContactRow& row, double h, bool first,
                                   std::array<Vec3d, 2>& core, std::array<Vec3d, 2>& p)
{ return find_place(system, row, h, first, core, p); }

void choose_friction(const Mechanism& system, ContactRow& row, const std::array<Vec3d, 2>& p)
{
    row.mu = row.mu_static == row.mu_dynamic
                 ? row.mu_dynamic
                 : friction_at(rates_before(system, row, p), row.mu_static, row.mu_dynamic);
}

bool is_response_small(double K, double mass) { return K * mass < kLeastResponse; }

bool lacks_lever(const Mechanism& system, const ContactRow& row, const std::array<Vec3d, 2>& p, double K,
                 double turning)
{
    return lever_is_short(system, row, p, K, [&] { return turning; });
}

[[gnu::flatten]] MCH_CLONES_AVX2 void build_contact(Mechanism& system, ContactRow& row, FreeContact* free,
                                                    const Softness& soft, double h, bool first)
{
    std::array<Vec3d, 2> core, p;
    if (!find_place(system, row, h, first, core, p)) return;
    if (free) {
        build_free(system, row, p, *free);
    } else if (row.frame) {
        const std::size_t s = row.link[0] >= 0 ? 0 : 1;
        build_framed(system, row, s, p[s]);
    } else {
        build_linear(system, row, p);
        respond_to_each_other(row.at, row.K);
    }
    const std::array<double, 6>& K = row.K;
    // Nothing that could move can be pushed.
    // Both bodies are immovable along the normal.
    if (!(K[0] > 1e-12)) return leave_out(row);
    if (row.spins() && !row.frame) build_spin(system, row);
    double mass = 1e300;
    for (const std::int32_t l : row.link)
        // The lighter of both bodies bounds the speed of recovery (push_speed).
        if (l >= 0) mass = std::min(mass, system.forest.links[l].mass);
    if (K[0] * mass < kLeastResponse && !free && lacks_lever(system, row, p)) return leave_out(row);
    row.push = push_speed(K[0], mass);
    // A body that can move along one tangent only, as a link on a rail, has a singular block: a little is added to its
    // diagonal, so that friction along that tangent works.
    const double ridge = 1e-9 * (K[3] + K[5]) + 1e-14;
    const auto   block = invert_tangents(K[3] + ridge, K[4], K[5] + ridge, 0.0);
    row.inverse        = {block.inverse[0], block.inverse[1], block.inverse[2]};
    row.slip_step      = block.step;
    set_normal_row(row, soft, h, false);

    if (row.mu < 0 && row.mu_static == row.mu_dynamic) row.mu = row.mu_dynamic;
    if (row.mu < 0 || row.restitution > 0) meet(system, row, free, p, h);
    // Bodies go round a contact that pushed in the last substep already; one that they just meet is no pivot.
    if (row.lambda[0] > 0) follow_arcs(system, row, free, core, p, h);
    if (free) load_free(row, *free);
}

MCH_CLONES_AVX2 void warm_start_contact(Mechanism& system, ContactRow& row)
{
    hold_friction<double>(row);
    if (row.lambda[0] != 0) apply(system, row.at, row.lambda[0], row.lambda[1], row.lambda[2]);
    if (row.spins()) start_spin(system, row, row.lambda[0]);
}

/// A contact of one link that pushes already, with its rows against turning: both read the velocities once and change
/// them once, which waits half as long as one after the other.
/// The change of the rates by the impulses against turning is known from spin_cross, so the velocities need not be read
/// again.
[[gnu::always_inline]] static inline double solve_framed(Mechanism& system, ContactRow& row, double anchor, bool relax)
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
    for (std::size_t i = 0; i < 3; ++i) w[i] += row.spin.base[i];
    const Rates d = solve_spin(row.spin, w, row.lambda[0]);
    const auto& C = row.spin_cross;
    for (std::size_t i = 0; i < 3; ++i)
        r[i] = (r[i] + row.base[i]) + (C[3 * i] * d[0] + C[3 * i + 1] * d[1] + C[3 * i + 2] * d[2]);
    const auto [dn, d1, d2] = solve_point(row, row.normal, r, anchor, relax).number;
    for (std::int32_t k = 0; k < count; ++k) {
        const double *j = J + k * kThreeRows, *w6 = W + k * kThreeRows;
        lanes(u + blocks[k]) +=
            ((d[0] * lanes(w6) + d[1] * lanes(w6 + kRow)) + (d[2] * lanes(w6 + 2 * kRow) + d1 * lanes(j + kRow))) +
            (d2 * lanes(j + 2 * kRow) + dn * lanes(j));
    }
    // The largest change of a rate is the measure by which sweeps end.
    return std::max({std::abs(d[0]) * row.spin.K[0], std::abs(d[1]) * row.spin.K[3], std::abs(d[2]) * row.spin.K[5],
                     std::abs(dn) * row.K[0], std::abs(d1) * row.K[3], std::abs(d2) * row.K[5]});
}

MCH_CLONES_AVX2 double solve_contact(Mechanism& system, ContactRow& row, double anchor, bool relax)
{
    if (is_untouched(row)) {
        // Most contacts that do not push yet will not in this sweep either: their normal rate says so.
        if (relax && row.distance > 0) return 0;
        if (normal_rate(row.at, row.base[0], system.u) + row.normal.bias >= 0) return 0;
    }
    const bool turns = row.lambda[0] != 0 && row.spins();
    if (row.frame && turns) return solve_framed(system, row, anchor, relax);
    const double turned = turns ? turn_back(system, row, row.lambda[0]) : 0;
    const Rates  d      = solve_point(row, row.normal, rates(row.at, row.base, system.u), anchor, relax);
    if (d[0] != 0 || d[1] != 0 || d[2] != 0) apply(system, row.at, d[0], d[1], d[2]);
    return std::max({turned, std::abs(d[0]) * row.K[0], std::abs(d[1]) * row.K[3], std::abs(d[2]) * row.K[5]});
}

MCH_CLONES_AVX2 void warm_start_spin(Mechanism& system, ContactRow& row, double normal)
{ start_spin(system, row, normal); }

MCH_CLONES_AVX2 double solve_spin(Mechanism& system, ContactRow& row, double normal)
{ return turn_back(system, row, normal); }

MCH_CLONES_AVX2 void advance_contact(Mechanism& system, ContactRow& row, double h)
{
    advance_point(row, rates(row.at, row.base, system.u), h);
    set_normal_row(row, {}, h, true);
}

/// Rebound only where the contact pushed in this substep.
MCH_CLONES_AVX2 void bounce_contact(Mechanism& system, ContactRow& row)
{
    if (row.bounce <= 0 || row.lambda[0] <= 0) return;
    const double rate = rates(row.at, row.base, system.u)[0];
    apply(system, row.at, bounce_point(row, 1 / row.K[0], rate, row.bounce), 0, 0);
}

}  // namespace mechane::solvers::softstep
