#include <algorithm>
#include <cstddef>
#include <cstring>

#include "rolling.h"
#include "system.h"
#include "wide.h"

// Contacts of piles from the caller's buffer into the bundles, and back. What lanes hold is copied number by number
// between the arrays of contacts and eight rows, one a lane; all else is done for eight at once.

namespace mechane::solvers::softstep {

using namespace wide;

namespace {

using Rows = Wides<kWide>;  ///< of a lane each; transposed, of one number each

// Numbers of a row of what a contact remembers (ContactMemory, from its normal on) are in two rows: the first eight,
// and the rest.
constexpr std::size_t kRemembered = 13, kRest = kRemembered - kWide;
static_assert(offsetof(ContactMemory, torque) + sizeof(Vec3) - offsetof(ContactMemory, normal) ==
              kRemembered * sizeof(Real));

/// What the contacts of point `i` in each lane say.
struct Read {
    Rows place, more;   ///< normal, core points from the centres of mass (z of the second in `more`), margins, distance
    Rows memory, rest;  ///< of the contact it continues, zero if there is none
    Wide sign, torsional, rolling;  ///< -1: the pair is turned, 0: there is no contact
    Wide turns;                     ///< 1: it resists turning
};

/// A contact of a pair into a lane.
void read_contact(const System& system, const model::Contacts& contacts, const Pile& pile, const PilePair& pair,
                  std::int32_t c, std::size_t lane, Read& to)
{
    const PileSeat &first = pile.seats[pair.body[0]], &second = pile.seats[pair.body[1]];
    Vec3            p = contacts.rigid_contact_point0[c], q = contacts.rigid_contact_point1[c];
    Real            margin0 = contacts.rigid_contact_margin0[c], margin1 = contacts.rigid_contact_margin1[c];
    if (pair.turned) {
        std::swap(p, q);
        std::swap(margin0, margin1);
    }
    const Vec3 n = contacts.rigid_contact_normal[c], a = p - first.centre, b = q - second.centre;
    to.place[lane]                  = Wide{n.x, n.y, n.z, a.x, a.y, a.z, b.x, b.y};
    to.more[lane]                   = Wide{b.z, margin0, margin1, contacts.rigid_contact_distance[c]};
    to.sign[static_cast<int>(lane)]  = pair.turned ? -1 : 1;
    to.turns[static_cast<int>(lane)] = contacts.rigid_contact_distance[c] <= pair.turning ? 1 : 0;
    to.memory[lane] = to.rest[lane] = Wide{};
    const std::int32_t at           = system.remembered[c];
    if (at < 0 || first.teleported || second.teleported) return;
    const auto* from = reinterpret_cast<const char*>(&system.memory[at].normal);
    std::memcpy(&to.memory[lane], from, sizeof(Wide));
    std::memcpy(&to.rest[lane], from + sizeof(Wide), kRest * sizeof(Real));
}

/// A lane without a contact has one far away along no normal.
void read_nothing(std::size_t lane, Read& to)
{
    to.place[lane] = to.memory[lane] = to.rest[lane] = Wide{};
    to.more[lane]                                    = Wide{0, 0, 0, kNoContact};
    to.sign[static_cast<int>(lane)] = to.turns[static_cast<int>(lane)] = 0;
}

/// Motion of the surfaces themselves, of a pair that has a belt.
void read_belts(const System& system, const model::Contacts& contacts, const PilePair& pair, Pile& pile,
                const Bundle& b, int lane)
{
    const model::Model&               m = *system.model;
    const std::array<std::int32_t, 2> shape{contacts.rigid_contact_shape0[pair.contact],
                                            contacts.rigid_contact_shape1[pair.contact]},
        body{m.shape_body[shape[0]], m.shape_body[shape[1]]};
    for (std::int32_t i = 0; i < pair.points; ++i) {
        const std::int32_t         c  = pair.contact + i;
        const Vec3d                n  = normalized(static_cast<Vec3d>(contacts.rigid_contact_normal[c]));
        const Vec3d                t1 = any_perpendicular(n), t2 = cross(n, t1);
        const std::array<Vec3d, 2> p_W{
            body_pose(system, body[0]) * static_cast<Vec3d>(contacts.rigid_contact_point0[c]),
            body_pose(system, body[1]) * static_cast<Vec3d>(contacts.rigid_contact_point1[c])};
        const Spatiald belt  = surface_motion(system, shape, body, p_W,
                                              {static_cast<double>(contacts.rigid_contact_margin0[c]),
                                               static_cast<double>(contacts.rigid_contact_margin1[c])},
                                              n);
        PilePoint&     point = pile.points[static_cast<std::size_t>(b.point + i)];
        point.belt[0][lane]  = static_cast<Real>(dot(t1, belt.linear));
        point.belt[1][lane]  = static_cast<Real>(dot(t2, belt.linear));
        if (b.spin >= 0)
            pile.spins[static_cast<std::size_t>(b.spin + i)].belt[lane] = static_cast<Real>(dot(n, belt.angular));
    }
}

/// The points of a pair at which a shape rolls: in place of the core points the centres, and what makes others of them.
void read_rolling(const System& system, const model::Contacts& contacts, const PilePair& pair, Pile& pile,
                  const Bundle& b, int lane)
{
    const model::Model& m = *system.model;
    for (std::int32_t i = 0; i < pair.points; ++i) {
        const std::int32_t c       = pair.contact + i;
        PileStart&         start   = pile.starts[static_cast<std::size_t>(b.point + i)];
        PileRolling&       rolling = pile.rollings[static_cast<std::size_t>(b.rolling + i)];
        for (std::size_t s = 0; s < 2; ++s) {
            const bool         first = (s == 0) != pair.turned;
            const std::int32_t shape = (first ? contacts.rigid_contact_shape0 : contacts.rigid_contact_shape1)[c];
            const auto         p_B =
                static_cast<Vec3d>((first ? contacts.rigid_contact_point0 : contacts.rigid_contact_point1)[c]);
            const Vec3d n  = normalized(static_cast<Vec3d>(contacts.rigid_contact_normal[c]));
            const auto  at = rolling_at(m, shape, p_B, body_pose(system, m.shape_body[shape]).q, first ? n : -n);
            if (!at) continue;
            const Vec3d centre = at->centre - static_cast<Vec3d>(pile.seats[pair.body[s]].centre);
            for (std::size_t k = 0; k < 3; ++k) start.core[s][k][lane] = static_cast<Real>(centre[k]);
            for (std::size_t k = 0; k < 6; ++k) rolling[s][k][lane] = static_cast<Real>(at->M[k]);
        }
    }
}

}  // namespace

/// Points of a bundle from what was read of their contacts. All else is made by build_bundles.
MCH_WIDER static void fill_bundle(Pile& pile, const Bundle& b, Read* read, Real h)
{
    Wide3 n, t1, t2;
    for (std::int32_t i = 0; i < b.points; ++i) {
        Read&      from  = read[i];
        PilePoint& point = pile.points[static_cast<std::size_t>(b.point + i)];
        PileStart& start = pile.starts[static_cast<std::size_t>(b.point + i)];
        transpose(from.place);
        transpose(from.more);
        transpose(from.memory);
        transpose(from.rest);
        const Rows &place = from.place, &old = from.memory, &rest = from.rest;
        if (i == 0 || b.turn_axes) {
            n               = {place[0], place[1], place[2]};
            const Wide size = root(dot(n, n)), safe = size > 0 ? size : all(1);
            n = {n[0] / safe, n[1] / safe, n[2] / safe};
            // As any_perpendicular.
            const Wide s = n[2] < 0 ? all(-1) : all(1), a = -1 / (s + n[2]);
            t1             = {1 + s * n[0] * n[0] * a, s * n[0] * n[1] * a, -s * n[0]};
            t2             = cross(n, t1);
            PileAxes& axes = pile.axes[static_cast<std::size_t>(b.axes + i * b.turn_axes)];
            // Of a pair that is turned impulses and rates are the same along axes that are turned, too.
            axes = {from.sign * n, from.sign * t1, from.sign * t2};
        }
        start.core        = {Wide3{place[3], place[4], place[5]}, Wide3{place[6], place[7], from.more[0]}};
        start.margin      = {from.more[1], from.more[2]};
        start.distance    = from.more[3];
        start.bounce      = Wide{};
        start.impulse_sum = {};
        point.belt        = {};
        const auto  same  = dot(Wide3{old[0], old[1], old[2]}, n) >= static_cast<Real>(kSameNormal);
        const Wide  hold = same ? all(1) : Wide{}, impulse = h * hold;
        const Wide3 friction{old[4], old[5], old[6]}, drift{old[7], rest[0], rest[1]};
        point.lambda = {impulse * old[3], impulse * dot(friction, t1), impulse * dot(friction, t2)};
        point.drift  = {hold * dot(drift, t1), hold * dot(drift, t2)};
        if (b.spin < 0) continue;
        PileSpin&   spin = pile.spins[static_cast<std::size_t>(b.spin + i)];
        const Wide3 torque{rest[2], rest[3], rest[4]};
        spin.lambda    = {impulse * dot(torque, n), impulse * dot(torque, t1), impulse * dot(torque, t2)};
        spin.torsional = from.torsional;
        spin.rolling   = from.rolling;
        spin.belt      = Wide{};
    }
}

std::optional<Materials> common_materials(const model::Model& m, MaterialCombine rule)
{
    for (const auto* of : {&m.shape_material_mu, &m.shape_material_mu_static, &m.shape_material_restitution,
                           &m.shape_material_mu_torsional, &m.shape_material_mu_rolling})
        if (of->empty() || std::memcmp(of->data(), of->data() + 1, sizeof(Real) * (of->size() - 1)) != 0) return {};
    for (const auto* of : {&m.shape_friction_combine, &m.shape_restitution_combine})
        if (std::adjacent_find(of->begin(), of->end(), std::not_equal_to<>{}) != of->end()) return {};
    return materials_of(m, rule, {0, 0});
}

bool load_bundles(const System& system, const model::Contacts& contacts, MaterialCombine rule,
                  const std::optional<Materials>& common, double h, Pile& pile, std::size_t begin, std::size_t end)
{
    const model::Model& m       = *system.model;
    const auto          nobody  = static_cast<std::int32_t>(pile.links.size());  // lanes without a pair are nobody's
    bool                elastic = false;
    // What a lane's next pair remembers is far from what this one does.
    const auto fetch = [&](std::int32_t slot) {
        if (slot < 0) return;
        const PilePair& pair = pile.pairs[slot];
        for (std::int32_t c = pair.contact; c < pair.contact + pair.points; ++c)
            if (const std::int32_t at = system.remembered[c]; at >= 0) {
                const auto* from = reinterpret_cast<const char*>(&system.memory[at]);
                __builtin_prefetch(from);
                __builtin_prefetch(from + sizeof(ContactMemory) - 1);
            }
    };
    std::array<Read, kPairPoints> read;
    for (std::size_t k = begin; k < end; ++k) {
        Bundle&                      b = pile.bundles[k];
        std::array<PilePair*, kWide> belts{};
        Wide                         torsional{}, rolling{};
        bool                         driven = false;
        b.mu_static = b.mu_dynamic = b.restitution = Wide{};
        b.idle                                     = false;
        for (std::size_t lane = 0; lane < kWide; ++lane) {
            const std::size_t slot = kWide * k + lane;
            if (slot + 1 < pile.slots.size()) fetch(pile.slots[slot + 1]);
            const auto         l    = static_cast<int>(lane);
            const std::int32_t at   = pile.slots[slot];
            PilePair*          pair = at >= 0 ? &pile.pairs[at] : nullptr;
            for (std::size_t s = 0; s < 2; ++s) b.body[s][lane] = pair ? pair->body[s] : nobody;
            for (std::int32_t i = 0; i < b.points; ++i)
                if (pair && i < pair->points)
                    read_contact(system, contacts, pile, *pair, pair->contact + i, lane, read[i]);
                else
                    read_nothing(lane, read[i]);
            if (!pair) continue;
            const std::array<std::int32_t, 2> shape{contacts.rigid_contact_shape0[pair->contact],
                                                    contacts.rigid_contact_shape1[pair->contact]};
            const Materials                   mix = common ? *common : materials_of(m, rule, shape);
            b.mu_static[l]                        = static_cast<Real>(mix.mu_static);
            b.mu_dynamic[l]                       = static_cast<Real>(mix.mu_dynamic);
            b.restitution[l]                      = static_cast<Real>(mix.restitution);
            torsional[l]                          = static_cast<Real>(mix.torsional);
            rolling[l]                            = static_cast<Real>(mix.rolling);
            elastic                               = elastic || b.restitution[l] > 0;
            if (m.shape_surface_velocity[shape[0]] == Spatial{} && m.shape_surface_velocity[shape[1]] == Spatial{})
                continue;
            belts[lane] = pair;
            driven = pair->driven = true;
        }
        for (std::int32_t i = 0; i < b.points && b.spin >= 0; ++i) {
            read[i].torsional = read[i].turns * torsional;
            read[i].rolling   = read[i].turns * rolling;
        }
        fill_bundle(pile, b, read.data(), static_cast<Real>(h));
        for (int lane = 0; driven && lane < kWide; ++lane)
            if (belts[lane]) read_belts(system, contacts, *belts[lane], pile, b, lane);
        if (b.rolling < 0) continue;
        std::fill_n(pile.rollings.begin() + b.rolling, b.points, PileRolling{});
        for (std::size_t lane = 0; lane < kWide; ++lane) {
            const std::int32_t at = pile.slots[kWide * k + lane];
            if (at >= 0 && pile.pairs[at].rolls)
                read_rolling(system, contacts, pile.pairs[at], pile, b, static_cast<int>(lane));
        }
    }
    return elastic;
}

namespace {

/// What is written of point `i` in each lane.
struct Written {
    Rows force;         ///< mean contact force of the step, and the normal impulse
    Rows memory, rest;  ///< as read
};

bool some_faulty(const System& system)
{ return std::find(system.faulty.begin(), system.faulty.end(), 1) != system.faulty.end(); }

bool of_faulty_world(const System& system, const Pile& pile, const PilePair& pair)
{
    return std::any_of(pair.body.begin(), pair.body.end(), [&](std::int32_t b) {
        return b < static_cast<std::int32_t>(pile.links.size()) &&
               faulty(system, system.model->body_world[system.forest.links[pile.links[b]].body]);
    });
}

}  // namespace

MCH_WIDER static void write_bundle(const Pile& pile, const Bundle& b, const Wide& sign, double h, int substeps,
                                   Written* out)
{
    const Wide rate = all(static_cast<Real>(1 / h)), mean = all(static_cast<Real>(1 / (h * substeps)));
    for (std::int32_t i = 0; i < b.points; ++i) {
        const PilePoint& point = pile.points[static_cast<std::size_t>(b.point + i)];
        const Wide3&     sum   = pile.starts[static_cast<std::size_t>(b.point + i)].impulse_sum;
        const PileAxes&  axes  = pile.axes_of(b, i);
        const Wide3      n = sign * axes[0], t1 = sign * axes[1], t2 = sign * axes[2];
        const Wide3      force    = mean * (sum[0] * n + (sum[1] * t1 + sum[2] * t2));
        const Wide3      friction = rate * (point.lambda[1] * t1 + point.lambda[2] * t2),
                         drift    = point.drift[0] * t1 + point.drift[1] * t2;
        Wide3            torque{};
        if (b.spin >= 0) {
            const Wide3& spin = pile.spins[static_cast<std::size_t>(b.spin + i)].lambda;
            torque            = rate * (spin[0] * n + (spin[1] * t1 + spin[2] * t2));
        }
        Written& to = out[i];
        // No zero is negative.
        to.force  = {force[0] + Wide{}, force[1] + Wide{}, force[2] + Wide{}, point.lambda[0]};
        to.memory = {n[0], n[1], n[2], rate * point.lambda[0], friction[0], friction[1], friction[2], drift[0]};
        to.rest   = {drift[1], drift[2], torque[0], torque[1], torque[2]};
        transpose(to.force);
        transpose(to.memory);
        transpose(to.rest);
    }
}

void mark_memory(const System& system, const Pile& pile, std::vector<std::int32_t>& marks)
{
    const bool faults = some_faulty(system);
    tasks::for_chunks(system.pool, pile.bundles.size(), kPart, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t k = begin; k < end; ++k) {
            const Bundle& b = pile.bundles[k];
            WideMask      pushes[kPairPoints];
            for (std::int32_t i = 0; i < b.points; ++i)
                pushes[i] = -(pile.points[static_cast<std::size_t>(b.point + i)].lambda[0] > 0);
            for (std::size_t lane = 0; lane < kWide; ++lane) {
                const std::int32_t at = pile.slots[kWide * k + lane];
                if (at < 0) continue;
                const PilePair& pair = pile.pairs[at];
                const bool      none = faults && of_faulty_world(system, pile, pair);
                for (std::int32_t i = 0; i < pair.points && !none; ++i)
                    marks[pair.contact + i] = pushes[i][static_cast<int>(lane)];
            }
        }
    });
}

void store_pile(const System& system, const Pile& pile, model::Contacts& contacts, double h, int substeps,
                const std::vector<std::int32_t>& place, std::vector<ContactMemory>& memory)
{
    const bool faults = some_faulty(system);
    const auto store  = [&](std::size_t begin, std::size_t end, std::size_t) {
        std::array<Written, kPairPoints> written;
        for (std::size_t k = begin; k < end; ++k) {
            const Bundle& b       = pile.bundles[k];
            const auto    pair_of = [&](std::size_t lane) -> const PilePair* {
                const std::int32_t at = pile.slots[kWide * k + lane];
                return at >= 0 ? &pile.pairs[at] : nullptr;
            };
            Wide sign{};
            for (std::size_t lane = 0; lane < kWide; ++lane)
                if (const PilePair* pair = pair_of(lane)) sign[static_cast<int>(lane)] = pair->turned ? -1 : 1;
            write_bundle(pile, b, sign, h, substeps, written.data());
            for (std::size_t lane = 0; lane < kWide; ++lane) {
                const PilePair* pair = pair_of(lane);
                if (!pair || (faults && of_faulty_world(system, pile, *pair))) continue;
                for (std::int32_t i = 0; i < pair->points; ++i) {
                    const Written&     from         = written[i];
                    const std::int32_t c            = pair->contact + i;
                    const Wide&        force        = from.force[lane];
                    contacts.rigid_contact_force[c] = {force[0], force[1], force[2]};
                    if (!(force[3] > 0)) continue;
                    ContactMemory& keep = memory[place[c]];
                    keep                = {};
                    keep.shape0         = contacts.rigid_contact_shape0[c];
                    keep.shape1         = contacts.rigid_contact_shape1[c];
                    keep.feature        = contacts.rigid_contact_feature[c];
                    auto* to            = reinterpret_cast<char*>(&keep.normal);
                    std::memcpy(to, &from.memory[lane], sizeof(Wide));
                    std::memcpy(to + sizeof(Wide), &from.rest[lane], kRest * sizeof(Real));
                }
            }
        }
    };
    tasks::for_chunks(system.pool, pile.bundles.size(), kPart, store);
}

}  // namespace mechane::solvers::softstep
