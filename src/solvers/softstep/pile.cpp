#include "pile.h"

#include <algorithm>
#include <bit>

#include "system.h"
#include "wide.h"

namespace mechane::solvers::softstep {

using namespace wide;

namespace {

constexpr std::int32_t  kLeastRows   = 512;  ///< of an island that is worth bundles
constexpr std::uint64_t kColours     = 64;   ///< pairs that find none of so many are alone in a bundle
constexpr std::size_t   kMovedStride = 3 * kWide;

bool is_pile(const System& system, const Island& island)
{
    if (!island.runs() || island.general_begin != island.general_end ||
        3 * (island.contact_end - island.contact_begin) < kLeastRows)
        return false;
    for (std::int32_t i = island.contact_begin; i < island.contact_end; ++i)
        if (!system.order[i]->free) return false;
    return true;
}

/// The bodies that an island's contacts touch: those that move first.
void number_bodies(System& system, const Island& island, Pile& pile)
{
    pile.links.clear();
    pile.prescribed.clear();
    for (std::int32_t g = island.group_begin; g < island.group_end; ++g) {
        const Group& group                                = system.groups[system.island_groups[g]];
        const auto   l                                    = system.forest.trees[group.tree_begin].link_begin;
        system.pile_body[1 + system.forest.links[l].body] = static_cast<std::int32_t>(pile.links.size());
        pile.links.push_back(l);
    }
    const auto moving   = static_cast<std::int32_t>(pile.links.size());
    system.pile_body[0] = -1;
    for (const std::int32_t b : system.forest.prescribed) system.pile_body[1 + b] = -1;
    const auto add = [&](std::int32_t body) {
        if (system.pile_body[1 + body] >= 0) return;
        system.pile_body[1 + body] = moving + static_cast<std::int32_t>(pile.prescribed.size());
        pile.prescribed.push_back(body);
    };
    add(-1);
    for (std::int32_t i = island.contact_begin; i < island.contact_end; ++i)
        for (std::size_t s = 0; s < 2; ++s)
            if (system.order[i]->link[s] < 0) add(system.order[i]->body[s]);
}

void make_room(Pile& pile, std::size_t rows, std::size_t bodies)
{
    if (pile.pairs.capacity() < rows) {
        pile.pairs.reserve(rows);
        pile.points.reserve(rows / 2);
        pile.starts.reserve(rows / 2);
        pile.bundles.reserve(rows / 4);
        pile.spins.reserve(rows / 4);
    }
    if (pile.start_centre.capacity() >= bodies) return;
    for (auto* indices : {&pile.links, &pile.prescribed}) indices->reserve(bodies);
    pile.start_centre.reserve(bodies);
    pile.start_turn.reserve(bodies);
    pile.taken.reserve(bodies);
    for (auto* numbers : {&pile.velocity, &pile.before, &pile.predicted}) numbers->reserve(kWide * bodies);
    pile.moved.reserve(kMovedStride * bodies);
}

void place_at_start(const System& system, Pile& pile)
{
    pile.start_centre.clear();
    pile.start_turn.clear();
    for (const std::int32_t l : pile.links) {
        pile.start_centre.push_back(system.motion.com_W[l]);
        pile.start_turn.push_back(system.motion.R_WB[l]);
    }
    for (const std::int32_t b : pile.prescribed) {
        pile.start_centre.push_back(b < 0 ? Vec3d{} : system.motion.base_com[b]);
        pile.start_turn.push_back(b < 0 ? Mat33d::identity() : to_matrix(system.motion.base_X[b].q));
    }
}

/// Points of one pair with one normal, at most four, and a colour that neither body that moves has yet.
void colour_pairs(const System& system, const Island& island, Pile& pile)
{
    pile.pairs.clear();
    pile.taken.assign(pile.links.size(), 0);
    const auto same = [](const ContactRow& a, const ContactRow& b) {
        return a.body == b.body && a.n == b.n && a.spins() == b.spins();
    };
    for (std::int32_t i = island.contact_begin; i < island.contact_end;) {
        const ContactRow& first = *system.order[i];
        Pile::Pair        pair{.row = i};
        bool              carries = false;
        for (; i < island.contact_end && pair.points < kPairPoints && same(first, *system.order[i]); ++i, ++pair.points)
            carries = carries || system.order[i]->lambda[0] > 0;
        std::uint64_t taken = 0;
        for (std::size_t s = 0; s < 2; ++s) {
            pair.body[s] = system.pile_body[1 + first.body[s]];
            if (first.link[s] >= 0) taken |= pile.taken[pair.body[s]];
        }
        const auto colour = static_cast<std::uint64_t>(std::countr_one(taken));
        for (std::size_t s = 0; s < 2; ++s)
            if (first.link[s] >= 0 && colour < kColours) pile.taken[pair.body[s]] |= std::uint64_t{1} << colour;
        // Pairs of a kind stand side by side, so that few lanes are idle.
        const std::uint64_t kind =
            (first.spins() ? 8U : 0U) | (carries ? 0U : 4U) | static_cast<std::uint64_t>(kPairPoints - pair.points);
        pair.order = colour << 36 | kind << 32 | pile.pairs.size();
        pile.pairs.push_back(pair);
    }
    std::sort(pile.pairs.begin(), pile.pairs.end(),
              [](const Pile::Pair& a, const Pile::Pair& b) { return a.order < b.order; });
}

void set(Wide3& to, int lane, const Vec3d& v)
{
    to[0][lane] = static_cast<Real>(v.x);
    to[1][lane] = static_cast<Real>(v.y);
    to[2][lane] = static_cast<Real>(v.z);
}

void load_pair(const System& system, const Pile& pile, const Pile::Pair& pair, int lane, Bundle& b, PilePoint* points,
               PileStart* starts, PileSpin* spins)
{
    const ContactRow& first   = *system.order[pair.row];
    double            lighter = 1e30;
    for (std::size_t s = 0; s < 2; ++s) {
        b.body[s][lane] = pair.body[s];
        if (first.link[s] < 0) continue;
        const double mass       = system.forest.links[first.link[s]].mass;
        lighter                 = std::min(lighter, mass);
        b.inverse_mass[s][lane] = static_cast<Real>(mass > 0 ? 1 / mass : 0);
    }
    b.lighter[lane] = static_cast<Real>(lighter);
    set(b.axes[0], lane, first.n);
    set(b.axes[1], lane, first.t1);
    set(b.axes[2], lane, first.t2);
    for (std::int32_t i = 0; i < pair.points; ++i) {
        ContactRow& row   = *system.order[pair.row + i];
        PilePoint&  point = points[i];
        PileStart&  start = starts[i];
        start.row[lane]   = &row;
        for (std::size_t s = 0; s < 2; ++s) {
            const std::size_t body = pair.body[s];
            const Vec3d       arm  = row.start_W[s] - pile.start_centre[body];
            set(start.arm[s], lane, arm);
            set(start.core[s], lane, transpose_times(pile.start_turn[body], arm));
            start.margin[s][lane] = static_cast<Real>(row.margin[s]);
        }
        start.distance[lane]    = static_cast<Real>(row.start_distance);
        start.mu_static[lane]   = static_cast<Real>(row.mu_static);
        start.mu_dynamic[lane]  = static_cast<Real>(row.mu_dynamic);
        start.restitution[lane] = static_cast<Real>(row.restitution);
        for (std::size_t k = 0; k < 3; ++k) point.lambda[k][lane] = static_cast<Real>(row.lambda[k]);
        for (std::size_t k = 0; k < 2; ++k) point.drift[k][lane] = static_cast<Real>(row.drift[k]);
        point.belt[0][lane] = static_cast<Real>(dot(row.t1, row.belt));
        point.belt[1][lane] = static_cast<Real>(dot(row.t2, row.belt));
        point.mu[lane]      = static_cast<Real>(row.mu);
        if (!spins) continue;
        for (std::size_t k = 0; k < 3; ++k) spins[i].lambda[k][lane] = static_cast<Real>(row.spin_lambda[k]);
        spins[i].torsional[lane] = static_cast<Real>(row.mu_torsional);
        spins[i].rolling[lane]   = static_cast<Real>(row.mu_rolling);
        spins[i].belt[lane]      = static_cast<Real>(row.belt_turn);
    }
}

void make_bundles(const System& system, Pile& pile)
{
    pile.bundles.clear();
    pile.points.clear();
    pile.starts.clear();
    pile.spins.clear();
    // Lanes without a pair are pairs of nobody.
    const auto nobody = static_cast<std::int32_t>(pile.links.size());
    const auto kind   = [&](const Pile::Pair& pair) {
        return std::pair(pair.order >> 36, system.order[pair.row]->spins());
    };
    for (std::size_t i = 0; i < pile.pairs.size();) {
        const auto  of     = kind(pile.pairs[i]);
        std::size_t end    = i + 1;
        const auto  widest = of.first < kColours ? std::size_t{kWide} : std::size_t{1};
        while (end < pile.pairs.size() && end - i < widest && kind(pile.pairs[end]) == of) ++end;
        Bundle& b = pile.bundles.emplace_back();
        b.body[0].fill(nobody);
        b.body[1].fill(nobody);
        b.lighter = all(1);
        b.point   = static_cast<std::int32_t>(pile.points.size());
        for (std::size_t k = i; k < end; ++k) b.points = std::max(b.points, pile.pairs[k].points);
        pile.points.resize(pile.points.size() + b.points);
        pile.starts.resize(pile.points.size());
        if (of.second) {
            b.spin = static_cast<std::int32_t>(pile.spins.size());
            pile.spins.resize(pile.spins.size() + b.points);
        }
        for (std::size_t k = i; k < end; ++k)
            load_pair(system, pile, pile.pairs[k], static_cast<int>(k - i), b, pile.points.data() + b.point,
                      pile.starts.data() + b.point, of.second ? pile.spins.data() + b.spin : nullptr);
        i = end;
    }
}

void put(Real* to, const Spatiald& v)
{
    const double from[6] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
    for (std::size_t k = 0; k < 6; ++k) to[k] = static_cast<Real>(from[k]);
}

/// Velocities of the bodies, and how far they have come.
void load_bodies(const System& system, Pile& pile)
{
    const std::size_t count = pile.links.size() + pile.prescribed.size();
    pile.velocity.assign(kWide * count, 0);
    pile.before.assign(kWide * count, 0);
    pile.moved.assign(kMovedStride * count, 0);
    const auto move = [&](std::size_t body, const Vec3d& centre, const Mat33d& turn) {
        Real*        to  = pile.moved.data() + kMovedStride * body;
        const Vec3d  way = centre - pile.start_centre[body];
        const Mat33d D   = turn - pile.start_turn[body];
        for (std::size_t k = 0; k < 3; ++k) to[k] = static_cast<Real>(way[k]);
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 3; ++c) to[3 + 3 * r + c] = static_cast<Real>(D(r, c));
    };
    for (std::size_t i = 0; i < pile.links.size(); ++i) {
        const std::int32_t l     = pile.links[i];
        const std::int32_t t     = system.forest.links[l].tree;
        const double*      u     = system.previous_u.data() + system.groups[system.forest.trees[t].group].u_begin;
        const Mat33d&      I_inv = system.inverse_inertia_W[t];
        for (std::size_t k = 0; k < 6; ++k) pile.before[kWide * i + k] = static_cast<Real>(u[k]);
        move(i, system.motion.com_W[l], system.motion.R_WB[l]);
        Real* inertia = pile.moved.data() + kMovedStride * i + 12;
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = r; c < 3; ++c) *inertia++ = static_cast<Real>(I_inv(r, c));
    }
    for (std::size_t i = 0; i < pile.prescribed.size(); ++i) {
        const std::int32_t b = pile.prescribed[i];
        if (b < 0) continue;
        const std::size_t body = pile.links.size() + i;
        put(pile.velocity.data() + kWide * body, system.motion.base_twist[b]);
        put(pile.before.data() + kWide * body, system.motion.base_twist[b]);
        move(body, system.motion.base_com[b], to_matrix(system.motion.base_X[b].q));
    }
    load_velocities(system, pile);
}

/// Way and turn of the bodies of one side.
struct Moved {
    Wide3                way;
    std::array<Wide3, 3> turn;
    Wide6                inverse_inertia;
};
[[gnu::always_inline]] inline Moved moved(const Pile& pile, const Bundle& b, std::size_t s)
{
    Wides<kMovedStride> x;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto part = gather(pile.moved.data() + kWide * k, b.body[s], kMovedStride);
        for (std::size_t i = 0; i < kWide; ++i) x[kWide * k + i] = part[i];
    }
    return {{x[0], x[1], x[2]},
            {{{x[3], x[4], x[5]}, {x[6], x[7], x[8]}, {x[9], x[10], x[11]}}},
            {x[12], x[13], x[14], x[15], x[16], x[17]}};
}

/// The tangents' block inverted, and the step of a row that slips: one over its largest eigenvalue.
struct Block {
    Wides<3> inverse;
    Wide     step;
};
[[gnu::always_inline]] inline Block invert(const Wide& a, const Wide& b, const Wide& c, const Wide& least)
{
    const Wide det = a * c - b * b, half = Real(0.5) * (a - c);
    const auto good = det > least;
    const Wide safe = good ? det : all(1), most = Real(0.5) * (a + c) + root(half * half + b * b);
    return {{good ? c / safe : Wide{}, good ? -b / safe : Wide{}, good ? a / safe : Wide{}},
            most > 0 ? 1 / (most > 0 ? most : all(1)) : Wide{}};
}

struct Law {
    Real h, bias_rate;
};

[[gnu::always_inline]] inline void build_point(const Law& law, const Bundle& b, const std::array<Moved, 2>& bodies,
                                               const Moving& before, const Moving& now, PilePoint& p, PileStart& start)
{
    std::array<Wide3, 2> way;
    for (std::size_t s = 0; s < 2; ++s) {
        Wide3 turned;
        for (std::size_t k = 0; k < 3; ++k) turned[k] = dot(bodies[s].turn[k], start.core[s]);
        way[s]   = bodies[s].way + turned;
        p.arm[s] = (start.arm[s] + turned) + (s == 0 ? start.margin[0] : -start.margin[1]) * b.axes[0];
    }
    p.distance = start.distance + dot(b.axes[0], way[1] - way[0]);

    const Wide3 old = rates(b, p, before);
    // Farther contacts make no row (contact_rows.cpp, `reach`).
    const Wide                          reach = law.h * (2 * largest(Wide{}, -old[0]) + 1);
    std::array<std::array<Wide3, 3>, 2> turning, response;
    for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t k = 0; k < 3; ++k) {
            turning[s][k]  = cross(p.arm[s], b.axes[k]);
            response[s][k] = b.inverse_inertia[s] * turning[s][k];
        }
    const Wide inverse_mass = b.inverse_mass[0] + b.inverse_mass[1];
    const auto between      = [&](std::size_t i, std::size_t k) __attribute__((always_inline)) {
        const Wide turn = dot(turning[0][i], response[0][k]) + dot(turning[1][i], response[1][k]);
        return i == k ? turn + inverse_mass : turn;
    };
    const Wide nn = between(0, 0), k11 = between(1, 1), k12 = between(1, 2), k22 = between(2, 2);
    const auto active = (p.distance < reach) & (nn > Real(1e-12));
    p.response        = {nn, between(0, 1), between(0, 2), k11, k22};
    // What is ill-conditioned in the arithmetic of a Real needs more of a ridge than in doubles.
    const Wide  ridge   = Real(1e-6) * (k11 + k22) + Real(1e-14);
    const Block tangent = invert(k11 + ridge, k12, k22 + ridge, Wide{});
    p.inverse           = tangent.inverse;
    p.slip_step         = tangent.step;
    const Wide K        = active ? nn : all(1);
    p.mass              = active ? 1 / K : Wide{};
    const Wide push     = Real(kPushVelocity) * root(smallest(all(1), K * b.lighter));
    const Wide inside   = largest(law.bias_rate * p.distance, -push);
    // What is not active has a gap that nothing closes.
    p.bias = active ? (p.distance > 0 ? p.distance / law.h : inside) : all(Real(1e30));
    for (std::size_t k = 0; k < 3; ++k) p.lambda[k] = active ? p.lambda[k] : Wide{};
    for (std::size_t k = 0; k < 2; ++k) p.drift[k] = active ? p.drift[k] : Wide{};

    // Which friction applies is decided once a step.
    const auto undecided = active & (p.mu < 0);
    if (any(undecided)) {
        const auto slow = old[1] * old[1] + old[2] * old[2] < Real(kStickSpeed * kStickSpeed);
        p.mu            = undecided ? (slow ? start.mu_static : start.mu_dynamic) : p.mu;
    }
    start.bounce       = Wide{};
    const auto elastic = active & (start.restitution > 0) & (old[0] < Real(-0.5 * kRestitutionThreshold));
    if (!any(elastic)) return;
    // As in contact_rows.cpp, `meet`.
    const Wide speed  = -rates(b, p, now)[0];
    const auto hits   = elastic & (speed > Real(kRestitutionThreshold));
    const Wide safe   = hits ? speed : all(1);
    const Wide gained = largest(Wide{}, smallest(safe + old[0], safe));
    const Wide share  = largest(Wide{}, smallest(p.distance / (law.h * safe), all(1)));
    const Wide hit    = (safe - gained) + (Real(0.5) + share) * gained;
    start.bounce      = hits ? start.restitution * hit + Real(0.5) * gained : Wide{};
}

[[gnu::always_inline]] inline void build_turning(Bundle& b)
{
    std::array<Wide3, 3> response;
    for (std::size_t k = 0; k < 3; ++k)
        response[k] = b.inverse_inertia[0] * b.axes[k] + b.inverse_inertia[1] * b.axes[k];
    const Wide  nn = dot(b.axes[0], response[0]), k11 = dot(b.axes[1], response[1]), k12 = dot(b.axes[1], response[2]),
                k22  = dot(b.axes[2], response[2]);
    const Block disk = invert(k11, k12, k22, Real(1e-6) * k11 * k22);
    b.spin_mass      = nn > 0 ? 1 / (nn > 0 ? nn : all(1)) : Wide{};
    b.spin_response  = {nn, k11, k22};
    b.spin_inverse   = disk.inverse;
    b.spin_step      = disk.step;
}

MCH_WIDE void build_bundles(Pile& pile, const Law& law)
{
    for (Bundle& b : pile.bundles) {
        const std::array<Moved, 2> bodies{moved(pile, b, 0), moved(pile, b, 1)};
        const Moving               before(pile.before, b), now(pile.velocity, b);
        for (std::size_t s = 0; s < 2; ++s) b.inverse_inertia[s] = bodies[s].inverse_inertia;
        for (std::int32_t i = 0; i < b.points; ++i)
            build_point(law, b, bodies, before, now, pile.points[static_cast<std::size_t>(b.point + i)],
                        pile.starts[static_cast<std::size_t>(b.point + i)]);
        if (b.spin < 0) continue;
        build_turning(b);
        for (std::int32_t i = 0; i < b.points; ++i) {
            const auto pressed = pile.points[static_cast<std::size_t>(b.point + i)].mass > 0;
            for (Wide& l : pile.spins[static_cast<std::size_t>(b.spin + i)].lambda.number) l = pressed ? l : Wide{};
        }
    }
}

}  // namespace

void reserve_piles(System& system)
{
    // One pile of everything; only what is used of an address range costs memory. More piles, and larger ones, grow.
    constexpr std::size_t kMostRows = std::size_t{1} << 16;
    if (3 * system.contact_capacity < kLeastRows) return;
    const auto free = std::count_if(system.forest.trees.begin(), system.forest.trees.end(),
                                    [](const Tree& tree) { return tree.single; });
    if (free < 2) return;
    if (system.piles.empty()) system.piles.emplace_back();
    make_room(system.piles[0], std::min(system.contact_capacity, kMostRows),
              static_cast<std::size_t>(free) + system.forest.prescribed.size() + 1);
    system.pile_body.resize(system.model->body_count() + 1);
}

void choose_piles(System& system)
{
    std::size_t count = 0;
    system.pile_body.resize(system.model->body_count() + 1);
    for (Island& island : system.islands) {
        island.pile = -1;
        if (!is_pile(system, island)) continue;
        if (system.piles.size() == count) system.piles.emplace_back();
        island.pile = static_cast<std::int32_t>(count);
        Pile& pile  = system.piles[count++];
        number_bodies(system, island, pile);
        place_at_start(system, pile);
        colour_pairs(system, island, pile);
        make_bundles(system, pile);
    }
}

void build_pile(System& system, Pile& pile, const Softness& soft, double h)
{
    load_bodies(system, pile);
    build_bundles(pile, {static_cast<Real>(h), static_cast<Real>(soft.bias_rate)});
}

void load_velocities(const System& system, Pile& pile)
{
    for (std::size_t i = 0; i < pile.links.size(); ++i) {
        const Tree& tree = system.forest.trees[system.forest.links[pile.links[i]].tree];
        for (std::size_t k = 0; k < 6; ++k)
            pile.velocity[kWide * i + k] = static_cast<Real>(system.motion.v[tree.dof_begin + k]);
    }
    pile.predicted = pile.velocity;
}

void publish_pile(System& system, Pile& pile)
{
    for (std::size_t i = 0; i < pile.links.size(); ++i) {
        const Tree& tree = system.forest.trees[system.forest.links[pile.links[i]].tree];
        double*     v    = system.motion.v.data() + tree.dof_begin;
        // What the sweeps did not touch keeps all its digits.
        for (std::size_t k = 0; k < 6; ++k)
            v[k] +=
                static_cast<double>(pile.velocity[kWide * i + k]) - static_cast<double>(pile.predicted[kWide * i + k]);
    }
    pile.predicted = pile.velocity;
}

void store_pile(Pile& pile)
{
    for (const Bundle& b : pile.bundles)
        for (std::int32_t i = 0; i < b.points; ++i) {
            const PilePoint& p     = pile.points[static_cast<std::size_t>(b.point + i)];
            const PileStart& start = pile.starts[static_cast<std::size_t>(b.point + i)];
            for (int lane = 0; lane < kWide; ++lane) {
                ContactRow* row = start.row[lane];
                if (!row) continue;
                row->active = p.mass[lane] > 0;
                row->mu     = static_cast<double>(p.mu[lane]);
                for (std::size_t k = 0; k < 3; ++k) {
                    row->lambda[k]      = static_cast<double>(p.lambda[k][lane]);
                    row->impulse_sum[k] = static_cast<double>(start.impulse_sum[k][lane]);
                    if (b.spin >= 0)
                        row->spin_lambda[k] =
                            static_cast<double>(pile.spins[static_cast<std::size_t>(b.spin + i)].lambda[k][lane]);
                }
                for (std::size_t k = 0; k < 2; ++k) row->drift[k] = static_cast<double>(p.drift[k][lane]);
            }
        }
}

}  // namespace mechane::solvers::softstep
