#include "pile.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "mechane/core/disjoint_sets.h"
#include "rolling.h"
#include "system.h"
#include "usable_contact.h"
#include "wide.h"

namespace mechane::solvers::softstep {

using namespace wide;

namespace {

constexpr std::int32_t  kLeastRows = 512;    ///< and bodies of a world that are worth bundles
constexpr std::int64_t  kOnePile   = 4096;   ///< rows and bodies of a world that are not worth two piles
constexpr std::int64_t  kPileRows  = 12288;  ///< of a pile of small islands, at most
constexpr std::uint32_t kColours   = 4096;   ///< pairs that find none of so many are alone in a bundle
constexpr std::uint32_t kWindow    = 64;     ///< colours that a body chooses from at a time
constexpr std::size_t   kKinds     = 64;     ///< of pairs of a colour: spinning, normals, carrying, one body, points
constexpr std::size_t kSweptPoints = std::size_t{1} << 24;  ///< by the sweeps of a sub-step: a tenth of a second or two
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

/// How many rows a pile of a world takes before the next begins: there are one or an even number of one size, so that
/// threads get equal shares.
std::int64_t share_of(std::int64_t rows)
{
    const std::int64_t pairs = (rows + 2 * kPileRows - 1) / (2 * kPileRows);
    return rows <= kOnePile ? rows : (rows + 2 * pairs - 1) / (2 * pairs);
}

/// Pairs that touch in one point or two resist turning there, whatever else of them hovers: a box on its corner has as
/// many contacts as one that lies.
Real turning_of(const model::Model& m, const model::Contacts& c, const ContactRun& run)
{
    if (run.count <= 2) return std::numeric_limits<Real>::max();
    const auto         shapes = shapes_of(c, run.first);
    const Real         near   = static_cast<Real>(kTouching) * std::min(m.shape_collision_radius[static_cast<std::size_t>(shapes[0])],
                                                     m.shape_collision_radius[static_cast<std::size_t>(shapes[1])]);
    const Real* const  first  = c.rigid_contact_distance.data() + run.first;
    const std::int64_t count  = std::count_if(first, first + run.count, [&](Real d) { return d <= near; });
    return count == 1 || count == 2 ? near : kNothingTurns;
}

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

/// Which pile each group is in (System::group_pile). Sets of touching groups that are fit are gathered, world by world
/// and in the order of their smallest groups, until a pile has its share of the rows: lanes that one set leaves idle
/// are filled by the next. What other worlds hold does not matter.
std::size_t find_piles(System& system, const model::Contacts& contacts)
{
    const std::size_t n      = system.groups.size();
    auto&             parent = system.set_parent;
    parent.resize(n);
    std::iota(parent.begin(), parent.end(), 0);
    auto& sets = system.sets;
    sets.assign(n, {});
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
    auto& worlds = system.world_piles;
    worlds.assign(system.model->gravity.size(), {});
    const auto world_of = [&](std::size_t g) -> WorldPiles& {
        return worlds[static_cast<std::size_t>(system.forest.trees[system.groups[g].tree_begin].world + 1)];
    };
    for (std::size_t g = 0; g < n; ++g) {
        if (parent[g] != static_cast<std::int32_t>(g)) continue;
        // Small and hard ones are solved directly.
        GroupSet& set = sets[g];
        set.fit       = set.fit && (set.rows >= kLeastRows || set.heaviest <= kDirectMassRatio * set.lightest);
        if (set.fit) world_of(g).rows += set.rows + set.groups;
    }
    // Roots come before the rest of their sets.
    system.group_pile.assign(n, -1);
    std::size_t count = 0;
    for (std::size_t g = 0; g < n; ++g) {
        const auto root = static_cast<std::size_t>(parent[g]);
        if (root != g) {
            system.group_pile[g] = system.group_pile[root];
            continue;
        }
        WorldPiles& world = world_of(g);
        if (!sets[g].fit || world.rows < kLeastRows) continue;
        if (world.pile < 0 || system.piles[world.pile].rows >= share_of(world.rows)) {
            world.pile = static_cast<std::int32_t>(count++);
            if (system.piles.size() < count) system.piles.emplace_back();
            system.piles[world.pile].clear();
        }
        Pile& pile = system.piles[world.pile];
        pile.rows += sets[g].rows + sets[g].groups;
        system.group_pile[g]    = world.pile;
        const std::size_t first = pile.runs.size();
        pile.runs.resize(first + static_cast<std::size_t>(sets[g].runs));
        sets[g].runs = static_cast<std::int32_t>(first);
    }
    // What touches lies together, so that few bundles have much to do where some islands are hit and others rest.
    for (std::size_t i = 0; i < system.runs.size(); ++i) {
        ContactRun& run = system.runs[i];
        const auto  g   = std::max(run.group[0], run.group[1]);
        run.pile        = g >= 0 ? system.group_pile[g] : -1;
        if (run.pile >= 0) system.piles[run.pile].runs[set_of(g).runs++] = static_cast<std::int32_t>(i);
    }
    return count;
}

void make_room(Pile& pile, std::size_t rows, std::size_t bodies)
{
    if (pile.pairs.capacity() < rows) {
        pile.runs.reserve(rows);
        pile.pairs.reserve(rows);
        pile.axes.reserve(rows / 2);
        pile.points.reserve(rows / 2);
        pile.starts.reserve(rows / 2);
        pile.bundles.reserve(rows / 4);
        pile.slots.reserve(kWide * (rows / 4));
        pile.spins.reserve(rows / 4);
        pile.rollings.reserve(rows / 2);
    }
    if (pile.taken.capacity() >= bodies) return;
    for (auto* indices : {&pile.links, &pile.prescribed}) indices->reserve(bodies);
    pile.prescribed_turn.reserve(bodies);
    pile.seats.reserve(bodies);
    pile.set.reserve(bodies);
    pile.works.reserve(bodies);
    pile.taken.reserve(bodies);
    for (auto* numbers : {&pile.velocity, &pile.before, &pile.lonely, &pile.push, &pile.way})
        numbers->reserve(kWide * (bodies + kWide));
    pile.pose.reserve(kPoseStride * (bodies + kWide));
    pile.colours.reserve(kWindow + 2);
    pile.place.reserve(kWindow * kKinds);
    pile.parts.reserve(rows / 4);
}

/// A body of the pile that does not move; it is added when first met.
std::int32_t seat_prescribed(const System& system, Pile& pile, std::int32_t body)
{
    const auto known = std::find(pile.prescribed.begin(), pile.prescribed.end(), body);
    const auto at    = known - pile.prescribed.begin();
    if (known == pile.prescribed.end()) {
        pile.prescribed.push_back(body);
        pile.seats.push_back({body >= 0 ? system.model->body_com[body] : Vec3{}, false});
    }
    return static_cast<std::int32_t>(pile.links.size()) + static_cast<std::int32_t>(at);
}

/// A colour that neither of two bodies has yet, kColours if there is none; what does not move has none. A body chooses
/// from a window, which moves on when all of it is taken: where hundreds touch each other each pair is found a colour
/// in constant time, too.
std::uint32_t choose_colour(Pile& pile, const std::array<std::int32_t, 2>& bodies)
{
    const auto    moving = static_cast<std::int32_t>(pile.links.size());
    std::uint32_t window = 0;
    for (const std::int32_t b : bodies)
        if (b < moving) window = std::max(window, pile.taken[b].window);
    for (; window < kColours; window += kWindow) {
        std::uint64_t taken = 0;
        for (const std::int32_t b : bodies)
            if (b < moving && pile.taken[b].window == window) taken |= pile.taken[b].colours;
        const int free = std::countr_one(taken);
        if (free == kWindow) continue;
        for (const std::int32_t b : bodies) {
            if (b >= moving) continue;
            TakenColours& own = pile.taken[b];
            if (own.window != window) own = {window, 0};
            own.colours |= std::uint64_t{1} << free;
        }
        return window + static_cast<std::uint32_t>(free);
    }
    return kColours;
}

/// Points of one run, at most four, and a colour that neither body that moves has yet.
void add_pairs(const System& system, const model::Contacts& contacts, const ContactRun& run, Pile& pile)
{
    PilePair   base;
    base.turning = run.turning;
    const auto moving  = static_cast<std::int32_t>(pile.links.size());
    const auto body_of = [&](std::size_t s) { return system.model->shape_body[shapes_of(contacts, run.first)[s]]; };
    for (std::size_t s = 0; s < 2; ++s)
        base.body[s] = run.group[s] >= 0 ? system.pile_body[run.group[s]] : seat_prescribed(system, pile, body_of(s));
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
        PilePair pair    = base;
        pair.contact     = i;
        bool       fresh = true;
        const auto n     = contacts.rigid_contact_normal[i];
        do {
            fresh    = fresh && system.remembered[i] < 0;
            pair.fan = pair.fan || contacts.rigid_contact_normal[i] != n;
            ++i, ++pair.points;
        } while (i < end && pair.points < kPairPoints && is_usable(contacts, static_cast<std::size_t>(i)));
        const std::uint32_t colour = choose_colour(pile, pair.body);
        // Pairs of a kind stand side by side, so that few lanes are idle.
        const std::uint32_t kind = (run.turning > kNothingTurns ? 32U : 0U) | (pair.fan ? 16U : 0U) | (fresh ? 8U : 0U) |
                                   (one ? kOneBody : 0U) | static_cast<std::uint32_t>(pair.points - 1);
        pair.order               = static_cast<std::uint32_t>(colour * kKinds) + kind;
        pile.pairs.push_back(pair);
    }
}

/// Bundles of eight pairs of one colour, all of which turn or none does; pairs keep their order in those of one kind.
void place_pairs(Pile& pile)
{
    std::uint32_t last = 0;
    for (const PilePair& pair : pile.pairs) last = std::max(last, pair.order);
    auto& place = pile.place;
    place.assign((last / kKinds + 1) * kKinds, 0);
    for (const PilePair& pair : pile.pairs) ++place[pair.order];
    pile.colours.assign(1, 0);
    std::int32_t bundles = 0, spinning = 0;
    // Counts become the first places, of eight for each bundle.
    constexpr std::size_t kHalf = kKinds / 2;
    for (std::size_t half = 0; half < place.size(); half += kHalf) {
        const bool   alone = half / kKinds >= kColours, turns = half % kKinds != 0;
        std::int32_t next = kWide * bundles, count = 0;
        for (std::size_t k = half; k < half + kHalf; ++k) {
            const std::int32_t own = place[k];
            place[k]               = next + (alone ? kWide : 1) * count;
            count += own;
        }
        bundles += alone ? count : (count + kWide - 1) / kWide;
        // Those of the last step are not cleared: all of each is written anew.
        pile.bundles.resize(std::max(pile.bundles.size(), static_cast<std::size_t>(bundles)));
        for (std::int32_t b = next / kWide; b < bundles; ++b) pile.bundles[b].spin = turns ? 0 : -1;
        if (!alone && turns && bundles > pile.colours.back()) pile.colours.push_back(bundles);
    }
    pile.bundles.resize(static_cast<std::size_t>(bundles));
    while (pile.colours.back() < bundles) pile.colours.push_back(pile.colours.back() + 1);
    pile.slots.assign(static_cast<std::size_t>(kWide * bundles), -1);
    for (std::size_t i = 0; i < pile.pairs.size(); ++i) {
        const std::uint32_t order = pile.pairs[i].order;
        pile.slots[place[order]]  = static_cast<std::int32_t>(i);
        place[order] += order / kKinds >= kColours ? kWide : 1;
    }
    std::int32_t points = 0, axes = 0, rolling = 0;
    for (std::size_t i = 0; i < pile.bundles.size(); ++i) {
        Bundle& b   = pile.bundles[i];
        b.point     = points;
        b.points    = 0;
        b.axes      = axes;
        b.turn_axes = 0;
        b.one       = true;
        b.rolling   = -1;
        for (std::size_t lane = 0; lane < kWide; ++lane) {
            const std::int32_t at = pile.slots[kWide * i + lane];
            if (at < 0) continue;
            b.points = std::max(b.points, pile.pairs[at].points);
            b.one    = b.one && (pile.pairs[at].order & kOneBody) != 0;
            if (pile.pairs[at].fan) b.turn_axes = 1;
            if (pile.pairs[at].rolls) b.rolling = rolling;
        }
        points += b.points;
        axes += b.turn_axes ? b.points : 1;
        if (b.rolling >= 0) rolling += b.points;
        if (b.spin < 0) continue;
        b.spin = spinning;
        spinning += b.points;
    }
    pile.axes.resize(static_cast<std::size_t>(axes));
    pile.points.resize(static_cast<std::size_t>(points));
    pile.starts.resize(static_cast<std::size_t>(points));
    pile.spins.resize(static_cast<std::size_t>(spinning));
    pile.rollings.resize(static_cast<std::size_t>(rolling));
}

/// `work(begin, end, chunk)` on piles.
template <class Work>
void each_pile(const System& system, const Work& work)
{ tasks::for_chunks(system.piles_fill ? system.pool : nullptr, system.pile_count, 1, work, tasks::Chunks::by_thread); }

Spatiald velocity_of(const Pile& pile, std::size_t body)
{
    const Real* v = pile.velocity.data() + kWide * body;
    return static_cast<Spatiald>(Spatial{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}});
}

Quatd turn_of(const Pile& pile, std::size_t body)
{
    const Real* x = pile.way.data() + kWide * body;
    return normalized(Quatd{static_cast<double>(x[3]), static_cast<double>(x[4]), static_cast<double>(x[5]),
                            static_cast<double>(x[6])});
}

/// Rotation and inertia of a body for its rows; `R`: at present.
void pose_body(const System& system, Pile& pile, std::size_t body, const Mat33d& R)
{
    pose_prescribed(pile, body, R);
    if (body >= pile.links.size()) return;
    Real*           to    = pile.pose.data() + kPoseStride * body + 9;
    const PileLink& link  = system.pile_links[pile.links[body]];
    const Mat33d    I_inv = R * link.inverse_inertia * transpose(R);
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = r; c < 3; ++c) *to++ = static_cast<Real>(I_inv(r, c));
    *to = static_cast<Real>(link.inverse_mass);
}

/// `work(i)` for the first `count` bodies, on the threads.
template <class Work>
void each_body(const System& system, std::size_t count, Work&& work)
{
    tasks::for_chunks(system.pile_pool(), (count + kWide - 1) / kWide, kPart,
                      [&](std::size_t begin, std::size_t end, std::size_t) {
                          for (std::size_t i = kWide * begin; i < std::min(count, kWide * end); ++i) work(i);
                      });
}

/// Rotation of a body at the start of the step.
const Mat33d& start_turn(const System& system, const Pile& pile, std::size_t body)
{
    const std::size_t moving = pile.links.size();
    return body < moving ? system.motion.R_WB[pile.links[body]] : pile.prescribed_turn[body - moving];
}

/// What turning by itself does to the velocities, after the first sub-step.
void gyrate_bodies(const System& system, Pile& pile, double h)
{
    constexpr double kSlow = 1e-7;  ///< [rad/s]: less than this in a sub-step is not worth its arithmetic
    each_body(system, pile.links.size(), [&](std::size_t i) {
        const PileLink& link = system.pile_links[pile.links[i]];
        const Vec3d     w    = velocity_of(pile, i).angular;
        if (!link.gyrates || h * length_squared(w) < kSlow) return;
        const Mat33d R   = to_matrix(turn_of(pile, i)) * start_turn(system, pile, i);
        const Vec3d  now = R * gyrate(link.inertia, link.inverse_inertia, transpose_times(R, w), h);
        for (std::size_t k = 0; k < 3; ++k) pile.velocity[kWide * i + 3 + k] = static_cast<Real>(now[k]);
    });
}

/// Twice the kinetic energy of a body of the pile, at a velocity [J].
double motion_of(const System& system, const Pile& pile, std::size_t body, const Real* v)
{
    const PileLink& link   = system.pile_links[pile.links[body]];
    const Real*     R      = pile.pose.data() + kPoseStride * body;
    const auto      linear = static_cast<Vec3d>(Vec3{v[0], v[1], v[2]});
    Vec3d           turn;  // body axes
    for (std::size_t k = 0; k < 3; ++k)
        turn += static_cast<double>(v[3 + k]) * static_cast<Vec3d>(Vec3{R[3 * k], R[3 * k + 1], R[3 * k + 2]});
    return link.inverse_mass > 0 ? length_squared(linear) / link.inverse_mass + dot(turn, link.inertia * turn) : 0;
}

/// Of what moves.
double motion_of(const System& system, const Pile& pile, const std::vector<Real>& velocity)
{
    double sum = 0;
    for (std::size_t i = 0; i < pile.links.size(); ++i) sum += motion_of(system, pile, i, velocity.data() + kWide * i);
    return sum;
}

/// `work(pair, bundle, lane, i)`: point i of a pair; of bundles [begin, end).
template <class Work>
void each_contact(const Pile& pile, std::size_t begin, std::size_t end, Work&& work)
{
    for (std::size_t k = begin; k < end; ++k)
        for (int lane = 0; lane < kWide; ++lane) {
            const std::int32_t at = pile.slots[kWide * k + static_cast<std::size_t>(lane)];
            if (at < 0) continue;
            const PilePair& pair = pile.pairs[at];
            for (std::int32_t i = 0; i < pair.points; ++i) work(pair, pile.bundles[k], lane, i);
        }
}

/// What sweeps could not take back: where the contacts of an island have done work in this sub-step, all of its
/// impulses are made smaller by one factor, until they have not. With d the change of the velocities by them that work
/// is lonely . M d + d . M d / 2, so the factor is -2 lonely . M d / (d . M d). Islands that something prescribed moves
/// may gain.
void take_back(const System& system, Pile& pile)
{
    const auto moving = static_cast<std::int32_t>(pile.links.size());
    auto&      set    = pile.set;
    set.resize(pile.links.size());
    std::iota(set.begin(), set.end(), 0);
    for (const PilePair& pair : pile.pairs)
        if (pair.body[0] < moving && pair.body[1] < moving) join_roots(set, pair.body[0], pair.body[1]);
    const auto set_of = [&](const PilePair& pair) { return find_root(set, pair.body[pair.body[1] < moving ? 1 : 0]); };
    auto&      works  = pile.works;
    works.assign(pile.links.size(), {});
    for (const PilePair& pair : pile.pairs)
        if (pair.driven) works[set_of(pair)].driven = true;
    for (std::size_t i = 0; i < pile.links.size(); ++i) {
        PileWork&   work = works[find_root(set, static_cast<std::int32_t>(i))];
        const Real *now = pile.velocity.data() + kWide * i, *lonely = pile.lonely.data() + kWide * i;
        Real        change[6];
        for (std::size_t k = 0; k < 6; ++k) change[k] = now[k] - lonely[k];
        work.before += motion_of(system, pile, i, lonely);
        work.after += motion_of(system, pile, i, now);
        work.change += motion_of(system, pile, i, change);
    }
    for (PileWork& work : works)
        if (!work.driven && work.after > work.before)
            work.keep =
                static_cast<Real>(std::clamp((work.change - (work.after - work.before)) / work.change, 0.0, 1.0));
    for (std::size_t i = 0; i < pile.links.size(); ++i) {
        const Real keep = works[find_root(set, static_cast<std::int32_t>(i))].keep;
        for (std::size_t k = kWide * i; keep != 1 && k < kWide * i + 6; ++k)
            pile.velocity[k] = pile.lonely[k] + keep * (pile.velocity[k] - pile.lonely[k]);
    }
    for (std::size_t k = 0; k < pile.bundles.size(); ++k)
        for (int lane = 0; lane < kWide; ++lane) {
            const Bundle&      b    = pile.bundles[k];
            const std::int32_t pair = pile.slots[kWide * k + static_cast<std::size_t>(lane)];
            const Real         keep = pair >= 0 ? works[set_of(pile.pairs[pair])].keep : 1;
            if (keep == 1) continue;
            for (std::int32_t i = 0; i < b.points; ++i)
                for (std::size_t d = 0; d < 3; ++d) {
                    pile.points[static_cast<std::size_t>(b.point + i)].lambda[d][lane] *= keep;
                    if (b.spin >= 0) pile.spins[static_cast<std::size_t>(b.spin + i)].lambda[d][lane] *= keep;
                }
        }
}

Vec3d lane_of(const Wide3& v, int lane)
{ return {static_cast<double>(v[0][lane]), static_cast<double>(v[1][lane]), static_cast<double>(v[2][lane])}; }

/// x[0] n + x[1] t1 + x[2] t2.
Vec3d along_axes(const PileAxes& axes, int lane, const Wide3& x)
{
    const Vec3d c = lane_of(x, lane);
    return c.x * lane_of(axes[0], lane) + (c.y * lane_of(axes[1], lane) + c.z * lane_of(axes[2], lane));
}

/// What lies on something that moves does not sleep.
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

void reserve_piles(System& system)
{
    // One pile of everything; only what is used of an address range costs memory. More piles, and larger ones, grow.
    constexpr std::size_t kMostRows = std::size_t{1} << 16;
    system.runs.reserve(system.contact_capacity);
    system.remembered.reserve(system.contact_capacity);
    system.memory_place.reserve(system.contact_capacity);
    system.group_pile.reserve(system.groups.size());
    system.sets.reserve(system.groups.size());
    system.world_piles.reserve(system.model->gravity.size());
    const auto free = std::count_if(system.forest.trees.begin(), system.forest.trees.end(),
                                    [](const Tree& tree) { return tree.single; });
    if (free < 2) return;
    system.rollers = std::any_of(system.model->shape_type.begin(), system.model->shape_type.end(), can_roll);
    if (system.piles.empty()) system.piles.emplace_back();
    make_room(system.piles[0], std::min(system.contact_capacity, kMostRows),
              static_cast<std::size_t>(free) + system.forest.prescribed.size() + 1);
    system.pile_body.resize(system.groups.size());
    system.pile_links.resize(system.forest.links.size());
    for (std::size_t t = 0; t < system.forest.trees.size(); ++t) {
        const Tree& tree = system.forest.trees[t];
        if (!tree.single) continue;
        const Link&   link = system.forest.links[tree.link_begin];
        const Mat33d& I    = link.inertia;
        const double  mean = trace(I) / 3, off = kIsotropic * mean;
        const auto    same = [&](double a, double b) { return std::abs(a - b) <= off; };
        PileLink&     at   = system.pile_links[tree.link_begin];
        at                 = {.tree            = link.tree,
                              .world           = tree.world,
                              .coord           = link.coord,
                              .dof             = link.dof,
                              .is_pose         = is_pose(system, tree),
                              .inverse_mass    = link.mass > 0 ? 1 / link.mass : 0,
                              .com             = link.com,
                              .inertia         = I,
                              .inverse_inertia = system.inverse_inertia[t]};
        at.gyrates         = !(same(I(0, 0), mean) && same(I(1, 1), mean) && same(I(2, 2), mean) && same(I(0, 1), 0) &&
                               same(I(0, 2), 0) && same(I(1, 2), 0));
        if (!at.is_pose) continue;
        at.joint_coord = system.model->joint_q_start[link.joint];
        at.joint_dof   = system.model->joint_qd_start[link.joint];
    }
}

void choose_piles(System& system, const model::Contacts& contacts, MaterialCombine rule, double h)
{
    system.pile_count = 0;
    find_runs(system, contacts);
    if (system.piles.empty()) return;  // there are no two free bodies
    if (3 * contacts.rigid_contact_count + static_cast<std::int32_t>(system.groups.size()) < kLeastRows) return;
    system.pile_count = find_piles(system, contacts);
    if (system.pile_count == 0) return;
    for (std::size_t g = 0; g < system.groups.size(); ++g) {
        if (system.group_pile[g] < 0) continue;
        Pile&      pile     = system.piles[system.group_pile[g]];
        const auto l        = system.forest.trees[system.groups[g].tree_begin].link_begin;
        system.pile_body[g] = static_cast<std::int32_t>(pile.links.size());
        pile.links.push_back(l);
        pile.seats.push_back({static_cast<Vec3>(system.pile_links[l].com), system.teleported[g] != 0});
    }
    // Piles side by side where that keeps all threads busy, else one after the other with threads that share each.
    std::int64_t all = 0, most = 0;
    for (std::size_t p = 0; p < system.pile_count; ++p) {
        all += system.piles[p].rows;
        most = std::max(most, system.piles[p].rows);
    }
    const auto common    = common_materials(*system.model, rule);
    const int  threads   = system.pool ? system.pool->threads() : 1;
    system.piles_fill    = threads > 1 && threads * most <= all + all / 4;
    const auto make_pile = [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t p = begin; p < end; ++p) {
            Pile& pile = system.piles[p];
            pile.seats.emplace_back();  // the world
            pile.taken.assign(pile.links.size(), {});
            for (const std::int32_t run : pile.runs) add_pairs(system, contacts, system.runs[run], pile);
            place_pairs(pile);
            pile.parts.assign(part_count(pile.bundles.size()), {});
            tasks::for_chunks(system.pile_pool(), pile.bundles.size(), kPart,
                              [&](std::size_t from, std::size_t to, std::size_t part) {
                                  pile.parts[part].solved =
                                      load_bundles(system, contacts, rule, common, h, pile, from, to) ? 1 : 0;
                              });
            pile.elastic = some_part(pile);
        }
    };
    each_pile(system, make_pile);
}

void disturb_piles(System& system, const model::Contacts& contacts, double dt)
{
    if (!system.sleep.enabled) return;
    for (const ContactRun& run : system.runs)
        if (run.pile >= 0) disturb(system, contacts, run, dt);
}

void run_pile_substep(System& system, Island& island, double h, int substep, IslandReport& report)
{
    const Softness soft = softness(kContactHertzTimesStep / h, kContactDampingRatio, h);
    Pile&          pile = system.piles[island.pile];
    const auto*    pool = system.pile_pool();
    PileSweep      plan{
        .h = h, .mass_scale = soft.mass_scale, .leak = soft.impulse_scale, .bias_rate = soft.bias_rate, .number = 0};
    // Where a great many bodies are at one place, a sub-step has fewer sweeps.
    const int affordable = static_cast<int>(kSweptPoints / std::max<std::size_t>(1, kWide * pile.points.size()));
    // Sweeps until nothing changes.
    const auto sweep = [&](bool relax) {
        plan.relax  = relax;
        plan.anchor = relax ? 0 : kAnchorRate / h;
        // What an impact pushes out is not worth more sweeps than what rests.
        const int most = std::clamp(affordable / 2, 1, relax ? kSweeps : kImpactSweeps);
        for (int i = 0; i < most; ++i) {
            ++island.sweeps;
            ++plan.number;
            plan.first     = i == 0;
            plan.backwards = is_backwards(substep, i);
            // After so many sweeps only what an impact still changes is worth another, bundle by bundle.
            plan.still = i + 1 >= kSweeps ? kImpactChange : kSweepChange;
            if (sweep_pile(pile, plan, pool) < plan.still) return true;
        }
        return false;
    };
    const bool first = substep == 0, build = first || pile.turns;
    if (first) start_bodies(system, pile, h);
    if (build) {
        if (!first)
            each_body(system, pile.links.size() + pile.prescribed.size(), [&](std::size_t i) {
                pose_body(system, pile, i, to_matrix(turn_of(pile, i)) * start_turn(system, pile, i));
                pile.way[kWide * i + 7] = 0;
            });
        build_bundles(pile, first, pool);
    }
    if (pile.elastic) pile.before = first ? pile.lonely : pile.velocity;
    // The impulses of the sub-step before change the bodies by what they did then, where rows are the same.
    if (!first) {
        for (std::size_t i = 0; i < pile.lonely.size(); ++i) pile.lonely[i] = pile.velocity[i] - pile.lonely[i];
        gyrate_bodies(system, pile, h);
    }
    predict_bodies(pile, h, !build);
    if (build)
        warm_start_pile(pile, pool);
    else
        hold_spins(pile, pool);
    if (pile.elastic) meet_pile(pile, h, pool);
    sweep(false);
    report.clamped += move_bodies(pile, h);
    const bool bounces = advance_pile(pile, h, pool);
    bool       gained  = !sweep(true);
    // Contacts only push apart and hold back: what a pile has more than without them is left of pushing out.
    const double alone = gained ? motion_of(system, pile, pile.lonely) : 0;
    gained             = gained && motion_of(system, pile, pile.velocity) > alone;
    for (int i = 0; gained && i < kCalmingRounds && plan.number < affordable; ++i)
        gained = !sweep(true) && motion_of(system, pile, pile.velocity) > alone;
    if (gained) take_back(system, pile);
    for (int i = 0; bounces && i < kRestitutionSweeps; ++i) bounce_pile(pile, (i & 1) != 0, pool);
    sum_pile(pile, pool);
}

void finish_pile(System& system, Pile& pile, IslandReport& report)
{
    finish_bodies(system, pile);
    // What is no row lies kNoContact away.
    Wide     least = all(kNoContact);
    WideMask rows{};
    for (const PilePoint& p : pile.points) {
        least = smallest(least, p.distance);
        rows -= p.distance < kNoContact / 2;
    }
    pile.least = least[0];
    for (int i = 0; i < kWide; ++i) {
        pile.least = std::min(pile.least, least[i]);
        report.contact_rows += rows[i];
    }
}

void add_pile_loads(System& system, const Pile& pile, double h, double dt)
{
    each_contact(pile, 0, pile.bundles.size(), [&](const PilePair& pair, const Bundle& b, int lane, std::int32_t i) {
        const auto      at    = static_cast<std::size_t>(b.point + i);
        const PileAxes& axes  = pile.axes_of(b, i);
        const Vec3d     force = (1 / dt) * along_axes(axes, lane, pile.starts[at].impulse_sum);
        Vec3d           torque;
        if (b.spin >= 0)
            torque = (1 / h) * along_axes(axes, lane, pile.spins[static_cast<std::size_t>(b.spin + i)].lambda);
        for (std::size_t s = 0; s < 2; ++s) {
            if (pair.body[s] >= static_cast<std::int32_t>(pile.links.size())) continue;
            const double sign = s == 0 ? -1 : 1;
            const Vec3d  arm  = lane_of(pile.points[at].arm[s], lane);
            system.load[pile.links[pair.body[s]]] += sign * Spatiald{force, torque + cross(arm, force)};
        }
    });
}

}  // namespace mechane::solvers::softstep
