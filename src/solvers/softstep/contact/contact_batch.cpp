// Contact batches: which contacts of free bodies are solved in packets of eight pairs, their colours and places, and
// the substep of a batch. docs/softstep_method.md, "Batches", describes the whole.
// Input: the contact buffer and the groups of the system. Output: packets (contact_batch.h), velocities and
// displacements of their bodies.
// Invariants: no moving body is twice in a packet or in a colour; the packets of a world depend on that world alone;
// nothing depends on the number of threads.

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "mechane/core/disjoint_sets.h"
#include "solvers/softstep/contact/batch_kernels.h"
#include "solvers/softstep/contact/contact_batch.h"
#include "solvers/softstep/contact/contact_input.h"
#include "solvers/softstep/contact/rolling.h"
#include "solvers/softstep/contact/usable_contact.h"
#include "solvers/softstep/mechanism/predict.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/state/divergence.h"
#include "solvers/softstep/state/publish.h"
#include "solvers/softstep/state/sleep.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

using namespace simd;

namespace {

constexpr std::int32_t  kLeastRows = 512;    ///< and bodies of a world that are worth packets
constexpr std::int64_t  kOneBatch  = 4096;   ///< rows and bodies of a world that are not worth two batches
constexpr std::int64_t  kBatchRows = 12288;  ///< of a batch of small islands, at most
constexpr std::uint32_t kColours   = 4096;   ///< pairs that find none of so many are alone in a packet
constexpr std::uint32_t kWindow    = 64;     ///< colours that a body chooses from at a time
constexpr std::size_t   kKinds     = 64;     ///< of pairs of a colour: spinning, normals, carrying, one body, points
constexpr std::size_t kSweptPoints = std::size_t{1} << 24;  ///< by the sweeps of a substep: a tenth of a second or two
constexpr std::uint32_t kOneBody   = 4;
constexpr double        kIsotropic = 1e-9;

std::int32_t link_of(const System& system, std::int32_t body) { return body >= 0 ? system.forest.body_link[body] : -1; }

std::array<std::int32_t, 2> shapes_of(const model::Contacts& c, std::int32_t i)
{ return {c.rigid_contact_shape0[i], c.rigid_contact_shape1[i]}; }

/// Contacts with numbers of their own are rows.
bool has_own_law(const model::Contacts& c, const ContactRun& run)
{
    if (c.rigid_contact_stiffness.empty()) return false;
    for (std::int32_t i = run.first; i < run.first + run.count; ++i)
        if (c.rigid_contact_stiffness[i] > 0 || c.rigid_contact_friction[i] > 0) return true;
    return false;
}

/// How many rows a batch of a world takes before the next begins: there are one or an even number of one size, so that
/// threads get equal shares.
std::int64_t share_of(std::int64_t rows)
{
    const std::int64_t pairs = (rows + 2 * kBatchRows - 1) / (2 * kBatchRows);
    return rows <= kOneBatch ? rows : (rows + 2 * pairs - 1) / (2 * pairs);
}

/// Pairs that touch in one point or two resist turning there, whatever else of them hovers: a box on its corner has as
/// many contacts as one that lies.
Real turning_of(const model::Model& m, const model::Contacts& c, const ContactRun& run)
{
    if (run.count <= 2) return std::numeric_limits<Real>::max();
    const auto shapes = shapes_of(c, run.first);
    const Real near =
        static_cast<Real>(kTouching) * std::min(m.shape_collision_radius[static_cast<std::size_t>(shapes[0])],
                                                m.shape_collision_radius[static_cast<std::size_t>(shapes[1])]);
    const Real* const  first = c.rigid_contact_distance.data() + run.first;
    const std::int64_t count = std::count_if(first, first + run.count, [&](Real d) { return d <= near; });
    return count == 1 || count == 2 ? near : kNothingTurns;
}

/// Rows of one pair of shapes follow each other in the buffer: a run is a pair.
void find_runs(System& system, const model::Contacts& contacts)
{
    system.runs.clear();
    for (std::int32_t i = 0; i < contacts.rigid_contact_count;) {
        ContactRun run{.first = i};
        const auto shapes = shapes_of(contacts, i);
        while (i < contacts.rigid_contact_count && shapes_of(contacts, i) == shapes) ++i;
        run.count   = i - run.first;
        run.turning = turning_of(*system.model, contacts, run);
        for (std::size_t s = 0; s < 2; ++s) {
            const std::int32_t body = system.model->shape_body[shapes[s]];
            if (body >= 0) run.group[s] = system.body_group[body];
        }
        system.runs.push_back(run);
    }
}

/// Which batch each group is in (System::group_batch). Sets of touching groups that are fit are gathered, world by
/// world and in the order of their smallest groups, until a batch has its share of the rows: lanes that one set leaves
/// idle are filled by the next. What other worlds hold does not matter.
std::size_t find_batches(System& system, const model::Contacts& contacts)
{
    const std::size_t n      = system.groups.size();
    auto&             parent = system.set_parent;
    parent.resize(n);
    std::iota(parent.begin(), parent.end(), 0);
    auto& sets = system.sets;
    sets.assign(n, {});
    // Union of groups that touch; the smaller index is the root, so numbering is that of the groups.
    for (const ContactRun& run : system.runs) {
        if (run.group[0] >= 0 && run.group[1] >= 0) join_roots(parent, run.group[0], run.group[1]);
    }
    // The smaller of two is the root, so one pass leads all to theirs.
    for (std::int32_t& root : parent) root = parent[root];
    const auto set_of = [&](std::int32_t g) -> GroupSet& { return sets[parent[g]]; };
    for (const ContactRun& run : system.runs) {
        const auto g = std::max(run.group[0], run.group[1]);
        if (g < 0) continue;
        GroupSet& set = set_of(g);
        set.rows += 3 * run.count;
        ++set.runs;
        set.fit = set.fit && !has_own_law(contacts, run);
    }
    for (const GeneralRow& row : system.general)
        for (const std::int32_t g : row.at.group)
            if (g >= 0) set_of(g).fit = false;
    for (std::size_t g = 0; g < n; ++g) {
        const Group& group = system.groups[g];
        const Tree&  tree  = system.forest.trees[group.tree_begin];
        GroupSet&    set   = set_of(static_cast<std::int32_t>(g));
        set.fit            = set.fit && tree.single && group.whitened && !faulty(system, tree.world) &&
                             !(system.sleep.enabled && system.sleep.asleep[g]);
        set.lightest       = std::min(set.lightest, group.mass);
        set.heaviest       = std::max(set.heaviest, group.mass);
        ++set.groups;
    }
    auto& worlds = system.world_batches;
    worlds.assign(system.model->gravity.size(), {});
    const auto world_of = [&](std::size_t g) -> WorldBatches& {
        return worlds[static_cast<std::size_t>(system.forest.trees[system.groups[g].tree_begin].world + 1)];
    };
    for (std::size_t g = 0; g < n; ++g) {
        if (parent[g] != static_cast<std::int32_t>(g)) continue;
        // Small and hard ones are solved directly.
        // A small set of very different masses goes to the direct solve (direct_solve.cpp).
        GroupSet&  set    = sets[g];
        const bool direct = system.rigid == RigidIslands::always || set.heaviest > kDirectMassRatio * set.lightest;
        set.fit           = set.fit && (set.rows >= kLeastRows || !direct);
        if (set.fit) world_of(g).rows += set.rows + set.groups;
    }
    // Roots come before the rest of their sets.
    system.group_batch.assign(n, -1);
    std::size_t count = 0;
    for (std::size_t g = 0; g < n; ++g) {
        const auto root = static_cast<std::size_t>(parent[g]);
        if (root != g) {
            system.group_batch[g] = system.group_batch[root];
            continue;
        }
        WorldBatches& world = world_of(g);
        if (!sets[g].fit || world.rows < kLeastRows) continue;
        // A batch is closed when it has its share; sets are never cut.
        if (world.batch < 0 || system.batches[world.batch].rows >= share_of(world.rows)) {
            world.batch = static_cast<std::int32_t>(count++);
            if (system.batches.size() < count) system.batches.emplace_back();
            system.batches[world.batch].clear();
        }
        ContactBatch& batch = system.batches[world.batch];
        batch.rows += sets[g].rows + sets[g].groups;
        system.group_batch[g]   = world.batch;
        const std::size_t first = batch.runs.size();
        batch.runs.resize(first + static_cast<std::size_t>(sets[g].runs));
        sets[g].runs = static_cast<std::int32_t>(first);
    }
    // What touches lies together, so that few packets have much to do where some islands are hit and others rest.
    for (std::size_t i = 0; i < system.runs.size(); ++i) {
        ContactRun& run = system.runs[i];
        const auto  g   = std::max(run.group[0], run.group[1]);
        run.batch       = g >= 0 ? system.group_batch[g] : -1;
        if (run.batch >= 0) system.batches[run.batch].runs[set_of(g).runs++] = static_cast<std::int32_t>(i);
    }
    return count;
}

void make_room(ContactBatch& batch, std::size_t rows, std::size_t bodies)
{
    if (batch.pairs.capacity() < rows) {
        batch.runs.reserve(rows);
        batch.pairs.reserve(rows);
        batch.axes.reserve(rows / 2);
        batch.points.reserve(rows / 2);
        batch.starts.reserve(rows / 2);
        batch.packets.reserve(rows / 4);
        batch.slots.reserve(kWide * (rows / 4));
        batch.spins.reserve(rows / 4);
        batch.rollings.reserve(rows / 2);
    }
    if (batch.taken.capacity() >= bodies) return;
    for (auto* indices : {&batch.links, &batch.prescribed}) indices->reserve(bodies);
    batch.prescribed_turn.reserve(bodies);
    batch.body_slots.reserve(bodies);
    batch.set.reserve(bodies);
    batch.works.reserve(bodies);
    batch.taken.reserve(bodies);
    for (auto* numbers : {&batch.velocity, &batch.before, &batch.unconstrained, &batch.push, &batch.displacement})
        numbers->reserve(kWide * (bodies + kWide));
    batch.pose.reserve(kPoseStride * (bodies + kWide));
    batch.colours.reserve(kWindow + 2);
    batch.place.reserve(kWindow * kKinds);
    batch.parts.reserve(rows / 4);
}

/// A body of the batch that does not move; it is added when first met.
std::int32_t slot_of_prescribed(const System& system, ContactBatch& batch, std::int32_t body)
{
    const auto known = std::find(batch.prescribed.begin(), batch.prescribed.end(), body);
    const auto at    = known - batch.prescribed.begin();
    if (known == batch.prescribed.end()) {
        batch.prescribed.push_back(body);
        batch.body_slots.push_back({body >= 0 ? system.model->body_com[body] : Vec3{}, false});
    }
    return static_cast<std::int32_t>(batch.links.size()) + static_cast<std::int32_t>(at);
}

/// A colour that neither of two bodies has yet, kColours if there is none; what does not move has none. A body chooses
/// Greedy colouring with 64 colours at a time, as one word of bits.
/// from a window, which moves on when all of it is taken: where hundreds touch each other each pair is found a colour
/// in constant time, too.
std::uint32_t choose_colour(ContactBatch& batch, const std::array<std::int32_t, 2>& bodies)
{
    const auto    moving = static_cast<std::int32_t>(batch.links.size());
    std::uint32_t window = 0;
    for (const std::int32_t b : bodies)
        if (b < moving) window = std::max(window, batch.taken[b].window);
    for (; window < kColours; window += kWindow) {
        std::uint64_t taken = 0;
        for (const std::int32_t b : bodies)
            if (b < moving && batch.taken[b].window == window) taken |= batch.taken[b].colours;
        const int free = std::countr_one(taken);
        if (free == kWindow) continue;
        for (const std::int32_t b : bodies) {
            if (b >= moving) continue;
            TakenColours& own = batch.taken[b];
            if (own.window != window) own = {window, 0};
            own.colours |= std::uint64_t{1} << free;
        }
        return window + static_cast<std::uint32_t>(free);
    }
    return kColours;
}

/// Points of one run, at most four, and a colour that neither body that moves has yet.
void add_pairs(const System& system, const model::Contacts& contacts, const ContactRun& run, ContactBatch& batch)
{
    BatchPair base;
    base.turning       = run.turning;
    const auto moving  = static_cast<std::int32_t>(batch.links.size());
    const auto body_of = [&](std::size_t s) { return system.model->shape_body[shapes_of(contacts, run.first)[s]]; };
    for (std::size_t s = 0; s < 2; ++s)
        base.body[s] =
            run.group[s] >= 0 ? system.batch_body[run.group[s]] : slot_of_prescribed(system, batch, body_of(s));
    const auto still = [&](std::size_t s) { return base.body[s] >= moving && !carries_motion(system, body_of(s)); };
    base.turned      = still(1);
    const bool one   = base.turned || still(0);
    base.driven      = !one && (base.body[0] >= moving || base.body[1] >= moving);
    if (base.turned) std::swap(base.body[0], base.body[1]);
    for (std::size_t s = 0; s < 2 && system.rollers; ++s)
        base.rolls = base.rolls || can_roll(system.model->shape_type[shapes_of(contacts, run.first)[s]]);
    const auto end = run.first + run.count;
    for (std::int32_t i = run.first; i < end;) {
        if (!is_usable(contacts, static_cast<std::size_t>(i))) {
            ++i;
            continue;
        }
        BatchPair pair   = base;
        pair.contact     = i;
        bool       fresh = true;
        const auto n     = contacts.rigid_contact_normal[i];
        do {
            fresh = fresh && system.remembered[i] < 0;
            // At most four points a pair; longer runs become several pairs, which get different colours because they
            // share bodies.
            pair.distinct_normals = pair.distinct_normals || contacts.rigid_contact_normal[i] != n;
            ++i, ++pair.points;
        } while (i < end && pair.points < kPairPoints && is_usable(contacts, static_cast<std::size_t>(i)));
        // Colours follow the contacts' own order and nothing else: a packet then has the same pairs for any number of
        // threads, and pairs of one island stay near each other.
        const std::uint32_t colour = choose_colour(batch, pair.body);
        // Pairs of a kind stand side by side, so that few lanes are idle.
        const std::uint32_t kind = (run.turning > kNothingTurns ? 32U : 0U) | (pair.distinct_normals ? 16U : 0U) |
                                   (fresh ? 8U : 0U) | (one ? kOneBody : 0U) |
                                   static_cast<std::uint32_t>(pair.points - 1);
        // Sort key: colour first, then kind. place_pairs is a counting sort by it.
        pair.order = static_cast<std::uint32_t>(colour * kKinds) + kind;
        batch.pairs.push_back(pair);
    }
}

/// Packets of eight pairs of one colour, all of which turn or none does; pairs keep their order in those of one kind.
void place_pairs(ContactBatch& batch)
{
    std::uint32_t last = 0;
    for (const BatchPair& pair : batch.pairs) last = std::max(last, pair.order);
    auto& place = batch.place;
    place.assign((last / kKinds + 1) * kKinds, 0);
    for (const BatchPair& pair : batch.pairs) ++place[pair.order];
    batch.colours.assign(1, 0);
    std::int32_t packets = 0, spinning = 0;
    // Counts become the first places, of eight for each packet.
    constexpr std::size_t kHalf = kKinds / 2;
    for (std::size_t half = 0; half < place.size(); half += kHalf) {
        const bool   alone = half / kKinds >= kColours, turns = half % kKinds != 0;
        std::int32_t next = kWide * packets, count = 0;
        for (std::size_t k = half; k < half + kHalf; ++k) {
            const std::int32_t own = place[k];
            // Pairs without a colour are alone in a packet of eight lanes.
            place[k] = next + (alone ? kWide : 1) * count;
            count += own;
        }
        packets += alone ? count : (count + kWide - 1) / kWide;
        // Those of the last step are not cleared: all of each is written anew.
        batch.packets.resize(std::max(batch.packets.size(), static_cast<std::size_t>(packets)));
        for (std::int32_t b = next / kWide; b < packets; ++b) batch.packets[b].spin = turns ? 0 : -1;
        if (!alone && turns && packets > batch.colours.back()) batch.colours.push_back(packets);
    }
    batch.packets.resize(static_cast<std::size_t>(packets));
    while (batch.colours.back() < packets) batch.colours.push_back(batch.colours.back() + 1);
    batch.slots.assign(static_cast<std::size_t>(kWide * packets), -1);
    for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
        const std::uint32_t order = batch.pairs[i].order;
        batch.slots[place[order]] = static_cast<std::int32_t>(i);
        place[order] += order / kKinds >= kColours ? kWide : 1;
    }
    std::int32_t points = 0, axes = 0, rolling = 0;
    for (std::size_t i = 0; i < batch.packets.size(); ++i) {
        Packet& b   = batch.packets[i];
        b.point     = points;
        b.points    = 0;
        b.axes      = axes;
        b.turn_axes = 0;
        b.one       = true;
        b.rolling   = -1;
        for (std::size_t lane = 0; lane < kWide; ++lane) {
            const std::int32_t at = batch.slots[kWide * i + lane];
            if (at < 0) continue;
            b.points = std::max(b.points, batch.pairs[at].points);
            b.one    = b.one && (batch.pairs[at].order & kOneBody) != 0;
            if (batch.pairs[at].distinct_normals) b.turn_axes = 1;
            if (batch.pairs[at].rolls) b.rolling = rolling;
        }
        points += b.points;
        axes += b.turn_axes ? b.points : 1;
        if (b.rolling >= 0) rolling += b.points;
        if (b.spin < 0) continue;
        b.spin = spinning;
        spinning += b.points;
    }
    batch.axes.resize(static_cast<std::size_t>(axes));
    batch.points.resize(static_cast<std::size_t>(points));
    batch.starts.resize(static_cast<std::size_t>(points));
    batch.spins.resize(static_cast<std::size_t>(spinning));
    batch.rollings.resize(static_cast<std::size_t>(rolling));
}

/// `work(begin, end, chunk)` on batches.
template <class Work>
void each_batch(const System& system, const Work& work)
{
    tasks::for_chunks(system.batches_fill ? system.pool : nullptr, system.batch_count, 1, work,
                      tasks::Chunks::by_thread);
}

Spatiald velocity_of(const ContactBatch& batch, std::size_t body)
{
    const Real* v = batch.velocity.data() + kWide * body;
    return static_cast<Spatiald>(Spatial{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}});
}

Quatd turn_of(const ContactBatch& batch, std::size_t body)
{
    const Real* x = batch.displacement.data() + kWide * body;
    return normalized(Quatd{static_cast<double>(x[3]), static_cast<double>(x[4]), static_cast<double>(x[5]),
                            static_cast<double>(x[6])});
}

/// Rotation and inertia of a body for its rows; `R`: at present.
void pose_body(const System& system, ContactBatch& batch, std::size_t body, const Mat33d& R)
{
    pose_prescribed(batch, body, R);
    if (body >= batch.links.size()) return;
    Real*            to    = batch.pose.data() + kPoseStride * body + 9;
    const BatchLink& link  = system.batch_links[batch.links[body]];
    const Mat33d     I_inv = R * link.inverse_inertia * transpose(R);
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = r; c < 3; ++c) *to++ = static_cast<Real>(I_inv(r, c));
    *to = static_cast<Real>(link.inverse_mass);
}

/// `work(i)` for the first `count` bodies, on the threads.
template <class Work>
void each_body(const System& system, std::size_t count, Work&& work)
{
    tasks::for_chunks(system.batch_pool(), (count + kWide - 1) / kWide, kPart,
                      [&](std::size_t begin, std::size_t end, std::size_t) {
                          for (std::size_t i = kWide * begin; i < std::min(count, kWide * end); ++i) work(i);
                      });
}

/// Rotation of a body at the start of the step.
const Mat33d& start_turn(const System& system, const ContactBatch& batch, std::size_t body)
{
    const std::size_t moving = batch.links.size();
    return body < moving ? system.motion.R_WB[batch.links[body]] : batch.prescribed_turn[body - moving];
}

/// What turning by itself does to the velocities, after the first substep.
void gyrate_bodies(const System& system, ContactBatch& batch, double h)
{
    constexpr double kSlow = 1e-7;  ///< [rad/s]: less than this in a substep is not worth its arithmetic
    each_body(system, batch.links.size(), [&](std::size_t i) {
        const BatchLink& link = system.batch_links[batch.links[i]];
        const Vec3d      w    = velocity_of(batch, i).angular;
        if (!link.gyrates || h * length_squared(w) < kSlow) return;
        const Mat33d R   = to_matrix(turn_of(batch, i)) * start_turn(system, batch, i);
        const Vec3d  now = R * gyrate(link.inertia, link.inverse_inertia, transpose_times(R, w), h);
        for (std::size_t k = 0; k < 3; ++k) batch.velocity[kWide * i + 3 + k] = static_cast<Real>(now[k]);
    });
}

/// Twice the kinetic energy of a body of the batch, at a velocity [J].
double motion_of(const System& system, const ContactBatch& batch, std::size_t body, const Real* v)
{
    const BatchLink& link   = system.batch_links[batch.links[body]];
    const Real*      R      = batch.pose.data() + kPoseStride * body;
    const auto       linear = static_cast<Vec3d>(Vec3{v[0], v[1], v[2]});
    Vec3d            turn;  // body axes
    for (std::size_t k = 0; k < 3; ++k)
        turn += static_cast<double>(v[3 + k]) * static_cast<Vec3d>(Vec3{R[3 * k], R[3 * k + 1], R[3 * k + 2]});
    return link.inverse_mass > 0 ? length_squared(linear) / link.inverse_mass + dot(turn, link.inertia * turn) : 0;
}

/// Of what moves.
double motion_of(const System& system, const ContactBatch& batch, const std::vector<Real>& velocity)
{
    double sum = 0;
    for (std::size_t i = 0; i < batch.links.size(); ++i)
        sum += motion_of(system, batch, i, velocity.data() + kWide * i);
    return sum;
}

/// `work(pair, packet, lane, i)`: point i of a pair; of packets [begin, end).
template <class Work>
void each_contact(const ContactBatch& batch, std::size_t begin, std::size_t end, Work&& work)
{
    for (std::size_t k = begin; k < end; ++k)
        for (int lane = 0; lane < kWide; ++lane) {
            const std::int32_t at = batch.slots[kWide * k + static_cast<std::size_t>(lane)];
            if (at < 0) continue;
            const BatchPair& pair = batch.pairs[at];
            for (std::int32_t i = 0; i < pair.points; ++i) work(pair, batch.packets[k], lane, i);
        }
}

/// What sweeps could not take back: where the contacts of an island have done work in this substep, all of its
/// impulses are made smaller by one factor, until they have not. With d the change of the velocities by them that work
/// is unconstrained . M d + d . M d / 2, so the factor is -2 unconstrained . M d / (d . M d). Islands that something
/// prescribed moves may gain. Islands of the batch are found anew: points of different sets may share a packet.
void clamp_energy(const System& system, ContactBatch& batch)
{
    const auto moving = static_cast<std::int32_t>(batch.links.size());
    auto&      set    = batch.set;
    set.resize(batch.links.size());
    std::iota(set.begin(), set.end(), 0);
    for (const BatchPair& pair : batch.pairs)
        if (pair.body[0] < moving && pair.body[1] < moving) join_roots(set, pair.body[0], pair.body[1]);
    const auto set_of = [&](const BatchPair& pair) { return find_root(set, pair.body[pair.body[1] < moving ? 1 : 0]); };
    auto&      works  = batch.works;
    works.assign(batch.links.size(), {});
    for (const BatchPair& pair : batch.pairs)
        if (pair.driven) works[set_of(pair)].driven = true;
    for (std::size_t i = 0; i < batch.links.size(); ++i) {
        BatchWork&  work = works[find_root(set, static_cast<std::int32_t>(i))];
        const Real *now = batch.velocity.data() + kWide * i, *unconstrained = batch.unconstrained.data() + kWide * i;
        Real        change[6];
        for (std::size_t k = 0; k < 6; ++k) change[k] = now[k] - unconstrained[k];
        work.before += motion_of(system, batch, i, unconstrained);
        work.after += motion_of(system, batch, i, now);
        work.change += motion_of(system, batch, i, change);
    }
    for (BatchWork& work : works)
        if (!work.driven && work.after > work.before)
            // The factor -2 v_without . M d / (d . M d), from the energies before and after.
            work.keep =
                static_cast<Real>(std::clamp((work.change - (work.after - work.before)) / work.change, 0.0, 1.0));
    for (std::size_t i = 0; i < batch.links.size(); ++i) {
        const Real keep = works[find_root(set, static_cast<std::int32_t>(i))].keep;
        for (std::size_t k = kWide * i; keep != 1 && k < kWide * i + 6; ++k)
            batch.velocity[k] = batch.unconstrained[k] + keep * (batch.velocity[k] - batch.unconstrained[k]);
    }
    for (std::size_t k = 0; k < batch.packets.size(); ++k)
        for (int lane = 0; lane < kWide; ++lane) {
            const Packet&      b    = batch.packets[k];
            const std::int32_t pair = batch.slots[kWide * k + static_cast<std::size_t>(lane)];
            const Real         keep = pair >= 0 ? works[set_of(batch.pairs[pair])].keep : 1;
            if (keep == 1) continue;
            for (std::int32_t i = 0; i < b.points; ++i)
                for (std::size_t d = 0; d < 3; ++d) {
                    batch.points[static_cast<std::size_t>(b.point + i)].lambda[d][lane] *= keep;
                    if (b.spin >= 0) batch.spins[static_cast<std::size_t>(b.spin + i)].lambda[d][lane] *= keep;
                }
        }
}

Vec3d lane_of(const Wide3& v, int lane)
{ return {static_cast<double>(v[0][lane]), static_cast<double>(v[1][lane]), static_cast<double>(v[2][lane])}; }

/// x[0] n + x[1] t1 + x[2] t2.
Vec3d along_axes(const PacketAxes& axes, int lane, const Wide3& x)
{
    const Vec3d c = lane_of(x, lane);
    return c.x * lane_of(axes[0], lane) + (c.y * lane_of(axes[1], lane) + c.z * lane_of(axes[2], lane));
}

/// What lies on something that moves does not sleep.
/// Sleep: whatever a moving prescribed body or a belt is about to touch is kept awake.
void disturb(System& system, const model::Contacts& contacts, const ContactRun& run, double dt)
{
    const auto  shape = shapes_of(contacts, run.first);
    const auto& m     = *system.model;
    for (std::size_t s = 0; s < 2; ++s) {
        const std::int32_t body = m.shape_body[shape[s]], other = m.shape_body[shape[1 - s]];
        if (link_of(system, body) < 0) continue;
        const bool belts =
            !(m.shape_surface_velocity[shape[0]] == Spatial{}) || !(m.shape_surface_velocity[shape[1]] == Spatial{});
        if (!belts && !carries_motion(system, other)) continue;
        for (std::int32_t i = run.first; i < run.first + run.count; ++i) {
            const std::array<Vec3d, 2> p{
                body_pose(system, m.shape_body[shape[0]]) * static_cast<Vec3d>(contacts.rigid_contact_point0[i]),
                body_pose(system, m.shape_body[shape[1]]) * static_cast<Vec3d>(contacts.rigid_contact_point1[i])};
            if (!(static_cast<double>(contacts.rigid_contact_distance[i]) <
                  wake_reach(system, {m.shape_body[shape[0]], m.shape_body[shape[1]]}, p, dt)))
                continue;
            wake_group(system, system.body_group[body]);
            system.sleep.disturbed[system.body_group[body]] = 1;
        }
    }
}

}  // namespace

void reserve_batches(System& system)
{
    // One batch of everything; only what is used of an address range costs memory. More batches, and larger ones, grow.
    constexpr std::size_t kMostRows = std::size_t{1} << 16;
    system.runs.reserve(system.contact_capacity);
    system.remembered.reserve(system.contact_capacity);
    system.memory_place.reserve(system.contact_capacity);
    system.group_batch.reserve(system.groups.size());
    system.sets.reserve(system.groups.size());
    system.world_batches.reserve(system.model->gravity.size());
    const auto free = std::count_if(system.forest.trees.begin(), system.forest.trees.end(),
                                    [](const Tree& tree) { return tree.single; });
    if (free < 2) return;
    system.rollers = std::any_of(system.model->shape_type.begin(), system.model->shape_type.end(), can_roll);
    if (system.batches.empty()) system.batches.emplace_back();
    make_room(system.batches[0], std::min(system.contact_capacity, kMostRows),
              static_cast<std::size_t>(free) + system.forest.prescribed.size() + 1);
    system.batch_body.resize(system.groups.size());
    system.batch_links.resize(system.forest.links.size());
    for (std::size_t t = 0; t < system.forest.trees.size(); ++t) {
        const Tree& tree = system.forest.trees[t];
        if (!tree.single) continue;
        const Link&   link = system.forest.links[tree.link_begin];
        const Mat33d& I    = link.inertia;
        const double  mean = trace(I) / 3, off = kIsotropic * mean;
        const auto    same = [&](double a, double b) { return std::abs(a - b) <= off; };
        BatchLink&    at   = system.batch_links[tree.link_begin];
        at                 = {.tree            = link.tree,
                              .world           = tree.world,
                              .coord           = link.coord,
                              .dof             = link.dof,
                              .is_pose         = is_pose(system, tree),
                              .inverse_mass    = link.mass > 0 ? 1 / link.mass : 0,
                              .com             = link.com,
                              .inertia         = I,
                              .inverse_inertia = system.inverse_inertia[t]};
        // A body with three equal moments never changes its angular velocity by itself.
        at.gyrates = !(same(I(0, 0), mean) && same(I(1, 1), mean) && same(I(2, 2), mean) && same(I(0, 1), 0) &&
                       same(I(0, 2), 0) && same(I(1, 2), 0));
        if (!at.is_pose) continue;
        at.joint_coord = system.model->joint_q_start[link.joint];
        at.joint_dof   = system.model->joint_qd_start[link.joint];
    }
}

void choose_batches(System& system, const model::Contacts& contacts, MaterialCombine rule, double h)
{
    system.batch_count = 0;
    find_runs(system, contacts);
    if (system.batches.empty()) return;  // there are no two free bodies
    if (3 * contacts.rigid_contact_count + static_cast<std::int32_t>(system.groups.size()) < kLeastRows) return;
    system.batch_count = find_batches(system, contacts);
    if (system.batch_count == 0) return;
    for (std::size_t g = 0; g < system.groups.size(); ++g) {
        if (system.group_batch[g] < 0) continue;
        ContactBatch& batch  = system.batches[system.group_batch[g]];
        const auto    l      = system.forest.trees[system.groups[g].tree_begin].link_begin;
        system.batch_body[g] = static_cast<std::int32_t>(batch.links.size());
        batch.links.push_back(l);
        batch.body_slots.push_back({static_cast<Vec3>(system.batch_links[l].com), system.teleported[g] != 0});
    }
    // Batches side by side where that keeps all threads busy, else one after the other with threads that share each.
    std::int64_t all = 0, most = 0;
    for (std::size_t p = 0; p < system.batch_count; ++p) {
        all += system.batches[p].rows;
        most = std::max(most, system.batches[p].rows);
    }
    const auto common  = common_materials(*system.model, rule);
    const int  threads = system.pool ? system.pool->threads() : 1;
    // One thread a batch if the largest is no more than five quarters of an equal share.
    system.batches_fill   = threads > 1 && threads * most <= all + all / 4;
    const auto make_batch = [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t p = begin; p < end; ++p) {
            ContactBatch& batch = system.batches[p];
            batch.body_slots.emplace_back();  // the world
            batch.taken.assign(batch.links.size(), {});
            for (const std::int32_t run : batch.runs) add_pairs(system, contacts, system.runs[run], batch);
            place_pairs(batch);
            batch.parts.assign(part_count(batch.packets.size()), {});
            tasks::for_chunks(system.batch_pool(), batch.packets.size(), kPart,
                              [&](std::size_t from, std::size_t to, std::size_t part) {
                                  batch.parts[part].solved =
                                      load_packets(system, contacts, rule, common, h, batch, from, to) ? 1 : 0;
                              });
            batch.elastic = some_part(batch);
        }
    };
    each_batch(system, make_batch);
}

void disturb_batches(System& system, const model::Contacts& contacts, double dt)
{
    if (!system.sleep.enabled) return;
    for (const ContactRun& run : system.runs)
        if (run.batch >= 0) disturb(system, contacts, run, dt);
}

void run_batch_substep(System& system, Island& island, double h, int substep, IslandReport& report)
{
    const Softness soft  = softness(kContactHertzTimesStep / h, kContactDampingRatio, h);
    ContactBatch&  batch = system.batches[island.batch];
    const auto*    pool  = system.batch_pool();
    BatchSweep     plan{.h = h, .soft = soft, .number = 0};
    // Where a great many bodies are at one place, a substep has fewer sweeps.
    const int affordable = static_cast<int>(kSweptPoints / std::max<std::size_t>(1, kWide * batch.points.size()));
    // Sweeps until nothing changes.
    const auto sweep = [&](bool relax) {
        plan.relax     = relax;
        plan.anchor    = relax ? 0 : kAnchorRate / h;
        const int most = std::clamp(affordable / 2, 1, kImpactSweeps);
        for (int i = 0; i < most; ++i) {
            ++island.sweeps;
            ++plan.number;
            plan.first     = i == 0;
            plan.backwards = is_backwards(substep, i);
            // After so many sweeps only what an impact still changes is worth another, packet by packet.
            plan.still = i + 1 >= kSweeps ? kImpactChange : kSweepChange;
            if (sweep_batch(batch, plan, pool) < plan.still) return true;
        }
        return false;
    };
    // Rows are rebuilt if some body has turned by kRebuildTurn since they were made.
    const bool first = substep == 0, build = first || batch.turns;
    if (first) start_bodies(system, batch, h);
    if (build) {
        if (!first)
            each_body(system, batch.links.size() + batch.prescribed.size(), [&](std::size_t i) {
                pose_body(system, batch, i, to_matrix(turn_of(batch, i)) * start_turn(system, batch, i));
                batch.displacement[kWide * i + 7] = 0;
            });
        build_packets(batch, first, pool);
    }
    follow_turns(batch, first ? batch.unconstrained : batch.velocity, h, pool);
    if (batch.elastic) batch.before = first ? batch.unconstrained : batch.velocity;
    // The impulses of the substep before change the bodies by what they did then, where rows are the same.
    // From here `unconstrained` is the change of the velocities by the last substep's impulses.
    if (!first) {
        for (std::size_t i = 0; i < batch.unconstrained.size(); ++i)
            batch.unconstrained[i] = batch.velocity[i] - batch.unconstrained[i];
        gyrate_bodies(system, batch, h);
    }
    predict_bodies(batch, h, !build);
    if (build)
        warm_start_batch(batch, pool);
    else
        hold_spins(batch, pool);
    if (batch.elastic) meet_batch(batch, h, pool);
    sweep(false);
    report.clamped += move_bodies(batch, h);
    const bool bounces = advance_batch(batch, h, pool);
    bool       gained  = !sweep(true);
    // Contacts only push apart and hold back: what a batch has more than without them is left of pushing out.
    // Only computed if sweeps did not settle.
    const double alone = gained ? motion_of(system, batch, batch.unconstrained) : 0;
    gained             = gained && motion_of(system, batch, batch.velocity) > alone;
    for (int i = 0; gained && i < kExtraRelaxations && plan.number < affordable; ++i)
        gained = !sweep(true) && motion_of(system, batch, batch.velocity) > alone;
    if (gained) clamp_energy(system, batch);
    for (int i = 0; bounces && i < kRestitutionSweeps; ++i) bounce_batch(batch, (i & 1) != 0, pool);
    sum_batch(batch, pool);
}

void finish_batch(System& system, ContactBatch& batch, IslandReport& report)
{
    finish_bodies(system, batch);
    // What is no row lies kNoContact away.
    Wide     least = broadcast<Wide>(kNoContact);
    WideMask rows{};
    for (const PacketPoint& p : batch.points) {
        least = min(least, p.distance);
        rows -= p.distance < kNoContact / 2;
    }
    batch.least = least[0];
    for (int i = 0; i < kWide; ++i) {
        batch.least = std::min(batch.least, least[i]);
        report.contact_rows += rows[i];
    }
}

void add_batch_loads(System& system, const ContactBatch& batch, double h, double dt)
{
    each_contact(batch, 0, batch.packets.size(), [&](const BatchPair& pair, const Packet& b, int lane, std::int32_t i) {
        const auto        at    = static_cast<std::size_t>(b.point + i);
        const PacketAxes& axes  = batch.axes_of(b, i);
        const Vec3d       force = (1 / dt) * along_axes(axes, lane, batch.starts[at].impulse_sum);
        Vec3d             torque;
        if (b.spin >= 0)
            torque = (1 / h) * along_axes(axes, lane, batch.spins[static_cast<std::size_t>(b.spin + i)].lambda);
        for (std::size_t s = 0; s < 2; ++s) {
            if (pair.body[s] >= static_cast<std::int32_t>(batch.links.size())) continue;
            const double sign = s == 0 ? -1 : 1;
            const Vec3d  arm  = lane_of(batch.points[at].arm[s], lane);
            system.load[batch.links[pair.body[s]]] += sign * Spatiald{force, torque + cross(arm, force)};
        }
    });
}

}  // namespace mechane::solvers::softstep
