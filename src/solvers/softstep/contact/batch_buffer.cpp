// Contacts of batches from the caller's buffer into packets and back. Input: model::Contacts and what the last step
// remembers; output: forces [N] on shape 1 and the memory for the next step.
// A lane copies its contact as whole rows of eight numbers; one transpose turns eight rows into eight numbers of eight
// contacts. No bit depends on threads: packets are independent here.

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "solvers/softstep/contact/batch_kernels.h"
#include "solvers/softstep/contact/contact_input.h"
#include "solvers/softstep/contact/contact_memory.h"
#include "solvers/softstep/contact/rolling.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/state/divergence.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

using namespace simd;

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
void read_contact(const System& system, const model::Contacts& contacts, const ContactBatch& batch, const BatchPair& pair,
                  std::int32_t c, std::size_t lane, Read& to)
{
    const BodySlot &first = batch.body_slots[pair.body[0]], &second = batch.body_slots[pair.body[1]];
    Vec3            p = contacts.rigid_contact_point0[c], q = contacts.rigid_contact_point1[c];
    Real            margin0 = contacts.rigid_contact_margin0[c], margin1 = contacts.rigid_contact_margin1[c];
    // A turned pair has its moving body second; points, margins and the normal change their roles.
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
    // A body that was moved by hand has forgotten what it touched.
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
void read_belts(const System& system, const model::Contacts& contacts, const BatchPair& pair, ContactBatch& batch,
                const Packet& b, int lane)
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
        PacketPoint&     point = batch.points[static_cast<std::size_t>(b.point + i)];
        Wides<2>&      along = batch.starts[static_cast<std::size_t>(b.point + i)].belt;
        along[0][lane]       = static_cast<Real>(dot(t1, belt.linear));
        along[1][lane]       = static_cast<Real>(dot(t2, belt.linear));
        for (std::size_t k = 0; k < 2; ++k) point.base[1 + k][lane] = along[k][lane];
        if (b.spin >= 0)
            batch.spins[static_cast<std::size_t>(b.spin + i)].belt[lane] = static_cast<Real>(dot(n, belt.angular));
    }
}

/// The points of a pair at which a shape rolls: in place of the core points the centres, and what makes others of them.
void read_rolling(const System& system, const model::Contacts& contacts, const BatchPair& pair, ContactBatch& batch,
                  const Packet& b, int lane)
{
    const model::Model& m = *system.model;
    for (std::int32_t i = 0; i < pair.points; ++i) {
        const std::int32_t c       = pair.contact + i;
        PacketStart&         start   = batch.starts[static_cast<std::size_t>(b.point + i)];
        PacketRolling&       rolling = batch.rollings[static_cast<std::size_t>(b.rolling + i)];
        for (std::size_t s = 0; s < 2; ++s) {
            const bool         first = (s == 0) != pair.turned;
            const std::int32_t shape = (first ? contacts.rigid_contact_shape0 : contacts.rigid_contact_shape1)[c];
            const auto         p_B =
                static_cast<Vec3d>((first ? contacts.rigid_contact_point0 : contacts.rigid_contact_point1)[c]);
            const Vec3d n  = normalized(static_cast<Vec3d>(contacts.rigid_contact_normal[c]));
            const auto  at = rolling_at(m, shape, p_B, body_pose(system, m.shape_body[shape]).q, first ? n : -n);
            // Corners ride with the body; only points on a round surface, or on a round face, are found anew.
            if (!at) continue;
            const Vec3d centre = at->centre - static_cast<Vec3d>(batch.body_slots[pair.body[s]].centre);
            for (std::size_t k = 0; k < 3; ++k) start.core[s][k][lane] = static_cast<Real>(centre[k]);
            for (std::size_t k = 0; k < 3; ++k) rolling[s].toward[k][lane] = static_cast<Real>(at->toward[k]);
            for (std::size_t k = 0; k < 6; ++k) rolling[s].M[k][lane] = static_cast<Real>(at->M[k]);
        }
    }
}

}  // namespace

/// Points of a packet from what was read of their contacts. All else is made by build_packets.
MCH_CLONES_AVX512 static void fill_packet(ContactBatch& batch, const Packet& b, Read* read, Real h)
{
    ContactFrame<Wide> at;
    for (std::int32_t i = 0; i < b.points; ++i) {
        Read&      from  = read[i];
        PacketPoint& point = batch.points[static_cast<std::size_t>(b.point + i)];
        PacketStart& start = batch.starts[static_cast<std::size_t>(b.point + i)];
        transpose(from.place);
        transpose(from.more);
        transpose(from.memory);
        transpose(from.rest);
        const Rows &place = from.place, &old = from.memory, &rest = from.rest;
        if (i == 0 || b.turn_axes) {
            at             = frame_along<Wide>({place[0], place[1], place[2]});
            PacketAxes& axes = batch.axes[static_cast<std::size_t>(b.axes + i * b.turn_axes)];
            // Of a pair that is turned impulses and rates are the same along axes that are turned, too.
            axes = {from.sign * at.n, from.sign * at.t1, from.sign * at.t2};
        }
        start.core        = {Wide3{place[3], place[4], place[5]}, Wide3{place[6], place[7], from.more[0]}};
        start.margin      = {from.more[1], from.more[2]};
        start.distance    = from.more[3];
        start.bounce      = Wide{};
        start.impulse_sum = {};
        start.belt        = {};
        point.base        = {};
        // The memory counts if the normal turned by no more than the limit of contact_rows.h.
        const auto same = dot(Wide3{old[0], old[1], old[2]}, at.n) >= static_cast<Real>(kSameNormal);
        PacketSpin*  spin = b.spin >= 0 ? &batch.spins[static_cast<std::size_t>(b.spin + i)] : nullptr;
        recall<Wide>({old[3], {old[4], old[5], old[6]}, {old[7], rest[0], rest[1]}, {rest[2], rest[3], rest[4]}}, at, same,
                     static_cast<double>(h), point, spin);
        if (!spin) continue;
        spin->torsional = from.torsional;
        spin->rolling   = from.rolling;
        spin->belt      = Wide{};
        spin->impulse_sum = {};
    }
}

/// One material for all shapes is the common case: it is combined once a step.
std::optional<Materials> common_materials(const model::Model& m, MaterialCombine rule)
{
    for (const auto* of : {&m.shape_material_mu, &m.shape_material_mu_static, &m.shape_material_restitution,
                           &m.shape_material_mu_torsional, &m.shape_material_mu_rolling})
        if (of->empty() || std::memcmp(of->data(), of->data() + 1, sizeof(Real) * (of->size() - 1)) != 0) return {};
    for (const auto* of : {&m.shape_friction_combine, &m.shape_restitution_combine})
        if (std::adjacent_find(of->begin(), of->end(), std::not_equal_to<>{}) != of->end()) return {};
    return materials_of(m, rule, {0, 0});
}

bool load_packets(const System& system, const model::Contacts& contacts, MaterialCombine rule,
                  const std::optional<Materials>& common, double h, ContactBatch& batch, std::size_t begin, std::size_t end)
{
    const model::Model& m       = *system.model;
    const auto          nobody  = static_cast<std::int32_t>(batch.links.size());  // lanes without a pair are nobody's
    bool                elastic = false;
    // What a lane's next pair remembers is far from what this one does.
    const auto fetch = [&](std::int32_t slot) {
        if (slot < 0) return;
        const BatchPair& pair = batch.pairs[slot];
        for (std::int32_t c = pair.contact; c < pair.contact + pair.points; ++c)
            if (const std::int32_t at = system.remembered[c]; at >= 0) {
                const auto* from = reinterpret_cast<const char*>(&system.memory[at]);
                __builtin_prefetch(from);
                __builtin_prefetch(from + sizeof(ContactMemory) - 1);
            }
    };
    std::array<Read, kPairPoints> read;
    for (std::size_t k = begin; k < end; ++k) {
        Packet&                      b = batch.packets[k];
        std::array<BatchPair*, kWide> belts{};
        Wide                         torsional{}, rolling{};
        bool                         driven = false;
        b.mu_static = b.mu_dynamic = b.restitution = Wide{};
        b.idle                                     = false;
        for (std::size_t lane = 0; lane < kWide; ++lane) {
            const std::size_t slot = kWide * k + lane;
            if (slot + 1 < batch.slots.size()) fetch(batch.slots[slot + 1]);
            const auto         l    = static_cast<int>(lane);
            const std::int32_t at   = batch.slots[slot];
            BatchPair*          pair = at >= 0 ? &batch.pairs[at] : nullptr;
            for (std::size_t s = 0; s < 2; ++s) b.body[s][lane] = pair ? pair->body[s] : nobody;
            for (std::int32_t i = 0; i < b.points; ++i)
                if (pair && i < pair->points)
                    read_contact(system, contacts, batch, *pair, pair->contact + i, lane, read[i]);
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
        fill_packet(batch, b, read.data(), static_cast<Real>(h));
        for (int lane = 0; driven && lane < kWide; ++lane)
            if (belts[lane]) read_belts(system, contacts, *belts[lane], batch, b, lane);
        if (b.rolling < 0) continue;
        std::fill_n(batch.rollings.begin() + b.rolling, b.points, PacketRolling{});
        for (std::size_t lane = 0; lane < kWide; ++lane) {
            const std::int32_t at = batch.slots[kWide * k + lane];
            if (at >= 0 && batch.pairs[at].rolls)
                read_rolling(system, contacts, batch.pairs[at], batch, b, static_cast<int>(lane));
        }
    }
    return elastic;
}

namespace {

/// What is written of point `i` in each lane.
struct Written {
    Rows force;         ///< mean contact force of the step, and the normal impulse
    Rows torque;        ///< mean couple of the step, where the packet has rows against turning
    Rows memory, rest;  ///< as read
};

bool some_faulty(const System& system)
{ return std::find(system.faulty.begin(), system.faulty.end(), 1) != system.faulty.end(); }

bool of_faulty_world(const System& system, const ContactBatch& batch, const BatchPair& pair)
{
    return std::any_of(pair.body.begin(), pair.body.end(), [&](std::int32_t b) {
        return b < static_cast<std::int32_t>(batch.links.size()) &&
               faulty(system, system.model->body_world[system.forest.links[batch.links[b]].body]);
    });
}

}  // namespace

MCH_CLONES_AVX512 static void write_packet(const ContactBatch& batch, const Packet& b, const Wide& sign, double h, int substeps,
                                   Written* out)
{
    const Wide mean = broadcast<Wide>(static_cast<Real>(1 / (h * substeps)));
    for (std::int32_t i = 0; i < b.points; ++i) {
        const PacketPoint& point = batch.points[static_cast<std::size_t>(b.point + i)];
        const Wide3&     sum   = batch.starts[static_cast<std::size_t>(b.point + i)].impulse_sum;
        const PacketAxes&  axes  = batch.axes_of(b, i);
        const ContactFrame<Wide> at{sign * axes[0], sign * axes[1], sign * axes[2]};
        const Wide3     force = mean * (sum[0] * at.n + (sum[1] * at.t1 + sum[2] * at.t2));
        const PacketSpin* spin  = b.spin >= 0 ? &batch.spins[static_cast<std::size_t>(b.spin + i)] : nullptr;
        const auto      keep  = remember<Wide>(point, spin, at, h);
        Written& to = out[i];
        // No zero is negative.
        // Adding zero turns -0 into +0, as the storage for single contacts writes it.
        to.force  = {force[0] + Wide{}, force[1] + Wide{}, force[2] + Wide{}, point.lambda[0]};
        to.memory = {at.n[0],          at.n[1],          at.n[2],          keep.force,
                     keep.friction[0], keep.friction[1], keep.friction[2], keep.drift[0]};
        to.rest   = {keep.drift[1], keep.drift[2], keep.torque[0], keep.torque[1], keep.torque[2]};
        transpose(to.force);
        if (spin) {
            const Wide3& turn   = spin->impulse_sum;
            const Wide3  torque = mean * (turn[0] * at.n + (turn[1] * at.t1 + turn[2] * at.t2));
            to.torque           = {torque[0] + Wide{}, torque[1] + Wide{}, torque[2] + Wide{}};
            transpose(to.torque);
        }
        transpose(to.memory);
        transpose(to.rest);
    }
}

/// Which contacts pushed: a prefix sum over these marks gives each its place in the memory, in the order of the
/// contacts.
void mark_memory(const System& system, const ContactBatch& batch, std::vector<std::int32_t>& marks)
{
    const bool faults = some_faulty(system);
    tasks::for_chunks(system.pool, batch.packets.size(), kPart, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t k = begin; k < end; ++k) {
            const Packet& b = batch.packets[k];
            WideMask      pushes[kPairPoints];
            for (std::int32_t i = 0; i < b.points; ++i)
                pushes[i] = -(batch.points[static_cast<std::size_t>(b.point + i)].lambda[0] > 0);
            for (std::size_t lane = 0; lane < kWide; ++lane) {
                const std::int32_t at = batch.slots[kWide * k + lane];
                if (at < 0) continue;
                const BatchPair& pair = batch.pairs[at];
                const bool      none = faults && of_faulty_world(system, batch, pair);
                for (std::int32_t i = 0; i < pair.points && !none; ++i)
                    marks[pair.contact + i] = static_cast<std::int32_t>(pushes[i][static_cast<int>(lane)]);
            }
        }
    });
}

void store_batch(const System& system, const ContactBatch& batch, model::Contacts& contacts, double h, int substeps,
                const std::vector<std::int32_t>& place, std::vector<ContactMemory>& memory)
{
    const bool faults = some_faulty(system);
    const auto store  = [&](std::size_t begin, std::size_t end, std::size_t) {
        std::array<Written, kPairPoints> written;
        for (std::size_t k = begin; k < end; ++k) {
            const Packet& b       = batch.packets[k];
            const auto    pair_of = [&](std::size_t lane) -> const BatchPair* {
                const std::int32_t at = batch.slots[kWide * k + lane];
                return at >= 0 ? &batch.pairs[at] : nullptr;
            };
            Wide sign{};
            for (std::size_t lane = 0; lane < kWide; ++lane)
                if (const BatchPair* pair = pair_of(lane)) sign[static_cast<int>(lane)] = pair->turned ? -1 : 1;
            write_packet(batch, b, sign, h, substeps, written.data());
            for (std::size_t lane = 0; lane < kWide; ++lane) {
                const BatchPair* pair = pair_of(lane);
                if (!pair || (faults && of_faulty_world(system, batch, *pair))) continue;
                for (std::int32_t i = 0; i < pair->points; ++i) {
                    const Written&     from         = written[i];
                    const std::int32_t c            = pair->contact + i;
                    const Wide&        force        = from.force[lane];
                    contacts.rigid_contact_force[c] = {force[0], force[1], force[2]};
                    if (b.spin >= 0)
                        contacts.rigid_contact_torque[c] = {from.torque[lane][0], from.torque[lane][1],
                                                            from.torque[lane][2]};
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
    tasks::for_chunks(system.pool, batch.packets.size(), kPart, store);
}

}  // namespace mechane::solvers::softstep
