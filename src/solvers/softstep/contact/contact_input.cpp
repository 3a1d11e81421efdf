// Contacts from the caller's buffer into rows of trees and of single contacts, and back: matching with the memory of
// the last step, materials, storage, forces.
// Rows keep the order of the buffer (shape 0, shape 1, feature), so the memory that is written is sorted for the next
// match. Pieces of the buffer are counted, placed by a prefix sum, and then filled in parallel.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "mechane/tasks/by_place.h"
#include "mechane/tasks/parallel.h"
#include "solvers/softstep/contact/articulated_contacts.h"
#include "solvers/softstep/contact/contact_input.h"
#include "solvers/softstep/contact/contact_memory.h"
#include "solvers/softstep/contact/rolling.h"
#include "solvers/softstep/contact/usable_contact.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/parameters.h"
#include "solvers/softstep/state/divergence.h"
#include "solvers/softstep/state/sleep.h"

namespace mechane::solvers::softstep {

namespace {

/// Contacts are sorted by it: the shapes, which have no negative numbers, and the feature.
struct Key {
    std::uint64_t shapes = 0, feature = 0;

    Key(std::int32_t s0, std::int32_t s1, std::uint64_t f)
        : shapes(static_cast<std::uint64_t>(s0) << 32 | static_cast<std::uint32_t>(s1)), feature(f)
    {
    }
    explicit Key(const ContactMemory& m) : Key(m.shape0, m.shape1, m.feature) {}
    auto operator<=>(const Key&) const = default;
};

/// A contact that was there before is gone: what slept on it wakes. While awake, bodies may change the features they
/// touch with and still come to rest.
void lose(System& system, std::size_t i)
{
    for (const std::int32_t shape : {system.memory[i].shape0, system.memory[i].shape1}) {
        const std::int32_t body  = system.model->shape_body[shape];
        const std::int32_t group = body >= 0 ? system.body_group[body] : -1;
        if (group >= 0 && system.sleep.asleep[group]) wake_group(system, group);
    }
}

/// The first contact from i on that is not of the same two shapes as the one before it.
/// Pieces begin and end between pairs, so that one thread has all rows of a pair.
std::size_t next_pair(const model::Contacts& c, std::size_t i)
{
    const auto count = static_cast<std::size_t>(c.rigid_contact_count);
    while (i > 0 && i < count && c.rigid_contact_shape0[i] == c.rigid_contact_shape0[i - 1] &&
           c.rigid_contact_shape1[i] == c.rigid_contact_shape1[i - 1])
        ++i;
    return std::min(i, count);
}

/// Which contact of the step before each contact continues (System::remembered): both lists are sorted alike, so one
/// walk pairs them; contacts of one feature pair each other in order.
void match_memory(System& system, const model::Contacts& contacts)
{
    const auto& memory = system.memory;
    const auto  count  = static_cast<std::size_t>(contacts.rigid_contact_count);
    system.remembered.resize(count);
    // Each piece searches once for where it begins in the memory.
    tasks::for_chunks(system.pool, count, 8 * kContactsAtOnce, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::size_t i = next_pair(contacts, begin);
        end           = next_pair(contacts, end);
        if (i >= end) return;
        auto old = std::partition_point(memory.begin(), memory.end(), [&](const ContactMemory& m) {
            return Key(m) < Key(contacts.rigid_contact_shape0[i], contacts.rigid_contact_shape1[i], 0);
        });
        for (; i < end; ++i) {
            const Key key(contacts.rigid_contact_shape0[i], contacts.rigid_contact_shape1[i],
                          contacts.rigid_contact_feature[i]);
            // Most are the next that is remembered.
            const auto is_same = [&] { return old != memory.end() && Key(*old) == key; };
            bool       same    = is_same();
            if (!same) {
                while (old != memory.end() && Key(*old) < key) ++old;
                same = is_same();
            }
            system.remembered[i] = same ? static_cast<std::int32_t>(old++ - memory.begin()) : -1;
        }
    });
    // Contacts that are lost wake what slept on them; a walk in order finds the gaps.
    if (!system.sleep.enabled) return;
    std::size_t old = 0;
    for (const std::int32_t same : system.remembered) {
        if (same < 0) continue;
        while (old < static_cast<std::size_t>(same)) lose(system, old++);
        old = static_cast<std::size_t>(same) + 1;
    }
    while (old < memory.size()) lose(system, old++);
}

/// Calls work(items, piece) for pieces of a list in System::piece_order.
template <class Items, class Work>
void each_piece(const System& system, Items& items, const Work& work)
{
    const std::span all(items);
    tasks::for_chunks(
        system.pool, system.piece_order.size(), 1,
        [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t piece = system.piece_order[i], first = piece * kContactsAtOnce;
                work(all.subspan(first, std::min(kContactsAtOnce, all.size() - first)), piece);
            }
        },
        tasks::Chunks::by_thread);
}

PairPlace place_of(const System& system, const model::Contacts& contacts, const ContactRun& run)
{
    PairPlace at;
    at.shape   = {contacts.rigid_contact_shape0[run.first], contacts.rigid_contact_shape1[run.first]};
    at.turning = run.turning;
    for (std::size_t s = 0; s < 2; ++s) {
        at.body[s] = system.model->shape_body[at.shape[s]];
        if (at.body[s] < 0) continue;
        const BodyPlace& place = system.body_places[at.body[s]];
        if (place.link < 0) continue;
        at.link[s]    = place.link;
        at.group[s]   = place.group;
        at.free       = at.free && place.free;
        at.loops      = at.loops || place.loops;
        at.framed     = place.framed;
        at.teleported = at.teleported || system.teleported[place.group] != 0;
        at.blocks += place.blocks;
    }
    // Rows may be shared if exactly one side can move.
    at.framed = at.framed && (at.link[0] < 0) != (at.link[1] < 0);
    if (at.group[0] == at.group[1]) at.group[1] = -1;
    return at;
}

std::array<Vec3d, 2> core_points(const model::Contacts& contacts, std::size_t i)
{ return {static_cast<Vec3d>(contacts.rigid_contact_point0[i]), static_cast<Vec3d>(contacts.rigid_contact_point1[i])}; }

std::array<double, 2> margins(const model::Contacts& contacts, std::size_t i)
{
    return {static_cast<double>(contacts.rigid_contact_margin0[i]),
            static_cast<double>(contacts.rigid_contact_margin1[i])};
}

bool has_own_stiffness(const model::Contacts& contacts, std::size_t i)
{ return !contacts.rigid_contact_stiffness.empty() && contacts.rigid_contact_stiffness[i] > 0; }

bool makes_row(const System& system, const model::Contacts& contacts, const PairPlace& pair, std::size_t i, double h,
               int substeps)
{
    if ((pair.link[0] < 0 && pair.link[1] < 0) || !is_usable(contacts, i)) return false;
    // Where the step is one substep, what makes no row now never will. With more, an impact may still speed it up.
    const auto distance = static_cast<double>(contacts.rigid_contact_distance[i]);
    // See reach in articulated_contacts.cpp.
    if (substeps > 1 || pair.loops || distance <= std::max(kWakeReach, h)) return true;
    const auto           core   = core_points(contacts, i);
    const auto           margin = margins(contacts, i);
    const Vec3d          n      = normalized(static_cast<Vec3d>(contacts.rigid_contact_normal[i]));
    std::array<Vec3d, 2> p;
    for (std::size_t s = 0; s < 2; ++s)
        p[s] = place(system, pair.body[s], pair.link[s], core[s]) + (s == 0 ? margin[0] : -margin[1]) * n;
    return distance < reach(system, pair.body, pair.link, p, n, h);
}

/// A number, and what its rounding leaves of it.
/// Two floats keep the digits of a double: impulses of the memory must not be rounded, or what rests would creep.
void split(double x, Real& rounded, Real& rest)
{
    rounded = static_cast<Real>(x);
    rest    = static_cast<Real>(x - static_cast<double>(rounded));
}
void split(const Vec3d& x, Vec3& rounded, Vec3& rest)
{
    rounded = static_cast<Vec3>(x);
    rest    = static_cast<Vec3>(x - static_cast<Vec3d>(rounded));
}
Vec3d whole(const Vec3& rounded, const Vec3& rest) { return static_cast<Vec3d>(rounded) + static_cast<Vec3d>(rest); }

/// Damping of a contact with a stiffness of its own [N s/m]: the materials' kd belongs to their ke, and is to a patch
/// as many times as much as the patch is stiffer, in however many contacts it comes. As much in each of them would hold
/// a light body so that it sinks for minutes.
double damping_of(const model::Model& m, MaterialCombine rule, const std::array<std::int32_t, 2>& shape,
                  double stiffness)
{
    const auto mix = [&](const std::vector<Real>& of) {
        return combine(rule, static_cast<double>(of[static_cast<std::size_t>(shape[0])]),
                       static_cast<double>(of[static_cast<std::size_t>(shape[1])]));
    };
    const double ke = mix(m.shape_material_ke), kd = mix(m.shape_material_kd);
    return ke > 0 ? kd / ke * stiffness : kd;
}

Along<double>        components(const Vec3d& x) { return {x.x, x.y, x.z}; }
Vec3d                vector(const Along<double>& x) { return {x[0], x[1], x[2]}; }
ContactFrame<double> frame_of(const ContactRow& row)
{ return {components(row.n), components(row.t1), components(row.t2)}; }

/// Sets the impulses and drift that an older contact left.
void recall_row(ContactRow& row, const ContactMemory& old, double h)
{
    recall<double>({static_cast<double>(old.force) + static_cast<double>(old.force_rest),
                    components(whole(old.friction, old.friction_rest)), components(whole(old.drift, old.drift_rest)),
                    components(whole(old.torque, old.torque_rest))},
                   frame_of(row), continues(old, row.n), h, row, row.spins() ? &row.spin : nullptr);
}

/// What the pair before had: most pairs of a piece are of the same materials.
struct Mixing {
    std::array<std::int32_t, 2> shape{-1, -1};
    Materials                   materials;
};

bool same_material(const model::Model& m, std::int32_t a, std::int32_t b)
{
    const auto same  = [&](const auto& values) { return values[a] == values[b]; };
    const auto named = [&](const std::vector<std::int32_t>& rules) { return rules.empty() || same(rules); };
    return a == b ||
           (same(m.shape_material_mu) && same(m.shape_material_mu_static) && same(m.shape_material_restitution) &&
            same(m.shape_material_mu_torsional) && same(m.shape_material_mu_rolling) &&
            named(m.shape_friction_combine) && named(m.shape_restitution_combine));
}

const Materials& mixed(const model::Model& m, MaterialCombine rule, const std::array<std::int32_t, 2>& shape,
                       Mixing& last)
{
    if (last.shape[0] < 0 || !same_material(m, last.shape[0], shape[0]) || !same_material(m, last.shape[1], shape[1]))
        last.materials = materials_of(m, rule, shape);
    last.shape = shape;
    return last.materials;
}

/// What build_contact makes is left as it was. `belts`: some surface moves by itself.
void load_row(const System& system, const model::Contacts& contacts, MaterialCombine rule, double h,
              const PairPlace& pair, const Materials& materials, bool belts, std::size_t i, ContactRow& row)
{
    row.contact      = static_cast<std::int32_t>(i);
    row.body         = pair.body;
    row.link         = pair.link;
    const auto frame = frame_along(components(static_cast<Vec3d>(contacts.rigid_contact_normal[i])));
    row.n            = vector(frame.n);
    row.t1           = vector(frame.t1);
    row.t2           = vector(frame.t2);
    row.point_B      = core_points(contacts, i);
    row.margin       = margins(contacts, i);
    for (std::size_t s = 0; s < 2; ++s) {
        // Few can, and the pose is asked for those alone.
        row.roller[s] = -1;
        if (can_roll(system.model->shape_type[pair.shape[s]]))
            if (const auto at = rolling_at(*system.model, pair.shape[s], row.point_B[s],
                                           body_pose(system, pair.body[s]).q, s == 0 ? row.n : -row.n)) {
                row.roller[s] = pair.shape[s];
                row.toward[s] = at->toward;
            }
        row.start_W[s] = place_core(system, row, s);
    }
    row.start_distance = static_cast<double>(contacts.rigid_contact_distance[i]);
    row.mu             = -1;
    row.mu_dynamic     = materials.mu_dynamic;
    row.mu_static      = materials.mu_static;
    row.restitution    = materials.restitution;
    const bool turns   = contacts.rigid_contact_distance[i] <= pair.turning;
    row.spin.torsional = turns ? materials.torsional : 0;
    // A pressure patch resists rolling however many contacts it has; other pairs in one or two points.
    row.spin.rolling = turns || has_own_stiffness(contacts, i) ? materials.rolling : 0;
    row.stiffness = row.damping = 0;
    if (!contacts.rigid_contact_stiffness.empty()) {
        const auto   own    = [&](const std::vector<Real>& values) { return static_cast<double>(values[i]); };
        const double factor = own(contacts.rigid_contact_friction) > 0 ? own(contacts.rigid_contact_friction) : 1;
        row.mu_dynamic *= factor, row.mu_static *= factor;
        row.stiffness = std::max(0.0, own(contacts.rigid_contact_stiffness));
        row.damping   = own(contacts.rigid_contact_damping) > 0
                            ? own(contacts.rigid_contact_damping)
                            : damping_of(*system.model, rule, pair.shape, row.stiffness);
    }
    // A FreeContact has the stiff law only. A contact with a stiffness of its own is a row, whoever touches, and stays
    // soft in relaxation sweeps.
    row.free   = pair.free && row.stiffness == 0;
    row.active = false;
    row.frame  = nullptr;
    row.at = row.spin_at = {};
    row.at.group         = pair.group;
    row.spin_at.group    = pair.group;
    Spatiald belt;
    if (belts) belt = surface_motion(system, pair.shape, pair.body, row.start_W, row.margin, row.n);
    row.belt      = belt.linear - dot(row.n, belt.linear) * row.n;
    row.belt_turn = dot(row.n, belt.angular);
    row.lambda = row.spin.lambda = row.impulse_sum = row.spin.impulse_sum = {};
    row.drift                                                             = {};
    if (!pair.teleported && system.remembered[i] >= 0) recall_row(row, system.memory[system.remembered[i]], h);
}

/// Gives a row its storage, from `next` on.
void place_row(System& system, const PairPlace& pair, ContactRow& row, ContactPiece& next)
{
    if (row.free && !row.spins()) return;
    std::int32_t* blocks  = system.contact_blocks.data() + next.blocks;
    double*       numbers = system.contact_storage.data() + next.numbers;
    for (std::size_t s = 0; s < 2; ++s) {
        if (row.at.group[s] < 0) continue;
        const auto [a, b]     = pair.links(s);
        blocks                = place_blocks(system, row.at.group[s], a, b, blocks, row.at.blocks[s], row.at.count[s]);
        row.spin_at.blocks[s] = row.at.blocks[s];
        row.spin_at.count[s]  = row.at.count[s];
        // A whitened row needs no room for a response of its own.
        const auto size = 3 * kLanes * static_cast<std::ptrdiff_t>(row.at.count[s]);
        const auto both = system.groups[row.at.group[s]].whitened ? size : 2 * size;
        if (!row.free) {
            // Whitened rows: one array is Jacobian and response.
            row.at.J[s] = numbers;
            row.at.Y[s] = numbers + (both - size);
            numbers += both;
        }
        if (row.spins()) {
            row.spin_at.J[s] = numbers;
            row.spin_at.Y[s] = numbers + (both - size);
            numbers += both;
        }
        if (!pair.framed) continue;
        row.frame = numbers - (row.spins() ? size : 0);
        numbers   = row.frame + 2 * size;
    }
    next.blocks  = static_cast<std::size_t>(blocks - system.contact_blocks.data());
    next.numbers = static_cast<std::size_t>(numbers - system.contact_storage.data());
}

bool of_faulty_world(const System& s, const ContactRow& row)
{
    return std::any_of(row.body.begin(), row.body.end(),
                       [&](std::int32_t b) { return b >= 0 && faulty(s, s.model->body_world[b]); });
}

/// At the end of the step [m].
double depth(const System& system, const ContactRow& row)
{
    Vec3d moved;
    for (std::size_t side = 0; side < 2; ++side)
        moved += (side == 0 ? -1.0 : 1.0) * (place_core(system, row, side) - row.start_W[side]);
    return -(row.start_distance + dot(row.n, moved));
}

ContactMemory remembered_of(const model::Contacts& contacts, const ContactRow& row, double h)
{
    ContactMemory keep;
    keep.shape0     = contacts.rigid_contact_shape0[row.contact];
    keep.shape1     = contacts.rigid_contact_shape1[row.contact];
    keep.feature    = contacts.rigid_contact_feature[row.contact];
    keep.normal     = static_cast<Vec3>(row.n);
    const auto left = remember(row, row.spins() ? &row.spin : nullptr, frame_of(row), h);
    split(left.force, keep.force, keep.force_rest);
    split(vector(left.friction), keep.friction, keep.friction_rest);
    split(vector(left.drift), keep.drift, keep.drift_rest);
    split(vector(left.torque), keep.torque, keep.torque_rest);
    return keep;
}

}  // namespace

Materials materials_of(const model::Model& m, MaterialCombine rule, const std::array<std::int32_t, 2>& shape)
{
    const auto rule_in = [&](const std::vector<std::int32_t>& named) {
        return named.empty() ? rule : rule_of_pair(rule, named[shape[0]], named[shape[1]]);
    };
    const MaterialCombine rubbing = rule_in(m.shape_friction_combine), bouncing = rule_in(m.shape_restitution_combine);
    const auto            mix = [&](MaterialCombine by, const std::vector<Real>& values) {
        return combine(by, static_cast<double>(values[shape[0]]), static_cast<double>(values[shape[1]]));
    };
    const double mu = mix(rubbing, m.shape_material_mu);
    return {std::max(mu, mix(rubbing, m.shape_material_mu_static)), mu, mix(bouncing, m.shape_material_restitution),
            mix(rubbing, m.shape_material_mu_torsional), mix(rubbing, m.shape_material_mu_rolling)};
}

Spatiald surface_motion(const System& system, const std::array<std::int32_t, 2>& shapes,
                        const std::array<std::int32_t, 2>& body, const std::array<Vec3d, 2>& p_W,
                        const std::array<double, 2>& margin, const Vec3d& n)
{
    const model::Model& m = *system.model;
    Spatiald            sum;
    for (std::size_t s = 0; s < 2; ++s) {
        const Spatial& surface = m.shape_surface_velocity[shapes[s]];
        if (surface == Spatial{}) continue;
        const Posed  X_WB = body_pose(system, body[s]), X_WS = X_WB * static_cast<Posed>(m.shape_transform[shapes[s]]);
        const bool   world = (m.shape_flags[shapes[s]] & model::shape_flag::surface_in_world) != 0;
        const Quatd  turn  = world ? Quatd{} : X_WS.q;
        const Vec3d  w     = rotate(turn, static_cast<Vec3d>(surface.angular));
        const Vec3d  touch = p_W[s] + (s == 0 ? margin[0] : -margin[1]) * n;
        const Vec3d  v     = rotate(turn, static_cast<Vec3d>(surface.linear)) + cross(w, touch - X_WS.p);
        const double sign  = s == 0 ? -1 : 1;
        sum.linear += sign * v;
        sum.angular += sign * w;
    }
    return sum;
}

void reserve_contacts(System& system, std::size_t capacity)
{
    if (capacity <= system.contact_capacity) return;
    system.contact_capacity = capacity;
    system.contact_rows.reserve(capacity);
    system.contact_pieces.reserve(tasks::chunk_count(capacity, kContactsAtOnce));
    system.pair_places.reserve(capacity);
    system.makes_row.reserve(capacity);
    system.piece_order.reserve(tasks::chunk_count(capacity, kContactsAtOnce));
    system.order.reserve(capacity);
    system.active.reserve(capacity);
    system.free_contacts.reserve(capacity);
    system.memory.reserve(capacity);
    system.next_memory.reserve(capacity);
    // No row has more blocks than two of the link that has most. Only what is used of an address range costs memory,
    // but contacts of one huge closed mechanism could ask for more than there is.
    // 32 million numbers: 256 MiB of addresses.
    constexpr std::size_t kMostNumbers = std::size_t{1} << 25;
    std::size_t           most         = 0;
    for (const BodyPlace& at : system.body_places) most = std::max(most, static_cast<std::size_t>(at.blocks));
    system.contact_blocks.reserve(std::min(kMostNumbers, capacity * 2 * most));
    system.contact_storage.reserve(std::min(kMostNumbers, capacity * 2 * most * 2 * 6 * kLanes));
    reserve_batches(system);
}

[[gnu::flatten]] MCH_CLONES_AVX2 void load_contacts(System& system, const model::Contacts& contacts,
                                                    MaterialCombine rule, double h, int substeps)
{
    reserve_contacts(system, contacts.capacity());
    match_memory(system, contacts);
    choose_batches(system, contacts, rule, h);

    system.pair_places.resize(system.runs.size());
    system.makes_row.resize(static_cast<std::size_t>(contacts.rigid_contact_count));
    // Calls visit(pair, piece), and what that returns with each contact that becomes a row. The first call finds out
    // where they act and which become rows, the second knows.
    const auto each_row = [&](bool known, const auto& visit) {
        each_piece(system, system.runs, [&](std::span<ContactRun> runs, std::size_t piece) {
            // Pieces lie side by side: a copy is in no cache line that others write to.
            ContactPiece own   = system.contact_pieces[piece];
            PairPlace*   place = system.pair_places.data() + piece * kContactsAtOnce;
            Mixing       mixing;
            for (const ContactRun& run : runs) {
                PairPlace& pair = *place++;
                if (run.batch >= 0) continue;
                if (!known) pair = place_of(system, contacts, run);
                const auto row = visit(pair, own, mixing);
                for (auto i = static_cast<std::size_t>(run.first); i < static_cast<std::size_t>(run.first + run.count);
                     ++i) {
                    std::uint8_t& makes = system.makes_row[i];
                    if (!known) makes = makes_row(system, contacts, pair, i, h, substeps) ? 1 : 0;
                    if (makes) row(i);
                }
            }
            system.contact_pieces[piece] = own;
        });
    };
    system.contact_pieces.assign(tasks::chunk_count(system.runs.size(), kContactsAtOnce), {});
    // What a tree touches goes to who works on the tree.
    tasks::order_by_place(system.contact_pieces.size(), system.model->shape_count(), system.piece_order,
                          [&](std::size_t piece) {
                              const auto i = static_cast<std::size_t>(system.runs[piece * kContactsAtOnce].first);
                              return static_cast<std::size_t>(
                                  std::max(contacts.rigid_contact_shape0[i], contacts.rigid_contact_shape1[i]));
                          });
    each_row(false, [&](const PairPlace& pair, ContactPiece& need, Mixing&) {
        const auto blocks = static_cast<std::size_t>(pair.blocks);
        return [&need, &contacts, &pair, blocks](std::size_t i) {
            const bool own = has_own_stiffness(contacts, i), free = pair.free && !own,
                       spins = contacts.rigid_contact_distance[i] <= pair.turning || own;
            ++need.rows;
            need.free = need.free || free;
            if (free && !spins) return;
            need.blocks += blocks;
            // Three rows of point and, with turning, three more; twice as much where J and Y differ; a frame has six
            // rows besides.
            need.numbers += (spins ? 12U : pair.framed ? 9U : 6U) * kLanes * blocks;
        };
    });
    ContactPiece total;
    for (ContactPiece& piece : system.contact_pieces) {
        const ContactPiece need = std::exchange(piece, total);
        total                   = {total.rows + need.rows, total.blocks + need.blocks, total.numbers + need.numbers,
                                   total.free || need.free};
    }
    const auto grow = [](auto& storage, std::size_t size) {
        if (storage.size() < size) storage.resize(size);
    };
    grow(system.contact_rows, total.rows);
    grow(system.contact_blocks, total.blocks);
    grow(system.contact_storage, total.numbers);
    if (total.free) grow(system.free_contacts, total.rows);
    system.contacts  = std::span(system.contact_rows).first(total.rows);
    const bool belts = !all_zero(system.model->shape_surface_velocity);
    each_row(true, [&](const PairPlace& pair, ContactPiece& next, Mixing& mixing) {
        return [&, mix = mixed(*system.model, rule, pair.shape, mixing)](std::size_t i) {
            ContactRow& row = system.contact_rows[next.rows++];
            load_row(system, contacts, rule, h, pair, mix, belts, i, row);
            place_row(system, pair, row, next);
        };
    });
}

[[gnu::flatten]] MCH_CLONES_AVX2 double store_contacts(System& system, model::Contacts& contacts, double h,
                                                       int substeps)
{
    // Every row below gets a force, from trees and from batches; a caller's own arrays may be shorter.
    const auto count = static_cast<std::size_t>(contacts.rigid_contact_count);
    for (auto* of : {&contacts.rigid_contact_force, &contacts.rigid_contact_torque}) {
        if (of->size() < count) of->resize(count);
        std::fill_n(of->begin(), count, Vec3{});
    }
    // Where each contact's memory goes: in the order of the contacts.
    auto& place = system.memory_place;
    place.assign(count, 0);
    const bool          all_go_on = std::find(system.faulty.begin(), system.faulty.end(), 1) == system.faulty.end();
    std::atomic<double> deepest   = 0;
    tasks::order_by_place(tasks::chunk_count(system.contacts.size(), kContactsAtOnce), system.forest.links.size(),
                          system.piece_order, [&](std::size_t piece) {
                              const auto& link = system.contacts[piece * kContactsAtOnce].link;
                              return static_cast<std::size_t>(std::max({0, link[0], link[1]}));
                          });
    each_piece(system, system.contacts, [&](std::span<ContactRow> rows, std::size_t) {
        double own = 0;
        for (ContactRow& row : rows) {
            if (!all_go_on && of_faulty_world(system, row)) {
                row.lambda = row.impulse_sum = row.spin.impulse_sum = {};
                continue;
            }
            const double scale                        = 1 / (h * substeps);
            contacts.rigid_contact_force[row.contact] = static_cast<Vec3>(
                scale * (row.impulse_sum[0] * row.n + row.impulse_sum[1] * row.t1 + row.impulse_sum[2] * row.t2));
            if (const auto& turn = row.spin.impulse_sum; row.spins())
                contacts.rigid_contact_torque[row.contact] =
                    static_cast<Vec3>(scale * (turn[0] * row.n + turn[1] * row.t1 + turn[2] * row.t2));
            place[row.contact] = row.lambda[0] > 0 ? 1 : 0;
            own                = std::max(own, depth(system, row));
        }
        // A maximum over doubles does not depend on the order in which threads offer theirs.
        double known = deepest;
        while (known < own && !deepest.compare_exchange_weak(known, own)) {}
    });
    for (std::size_t p = 0; p < system.batch_count; ++p) mark_memory(system, system.batches[p], place);
    // Exclusive prefix sum: marks become places.
    std::int32_t kept = 0;
    for (std::int32_t& at : place) kept += std::exchange(at, kept);
    system.next_memory.resize(static_cast<std::size_t>(kept));
    for (std::size_t p = 0; p < system.batch_count; ++p)
        store_batch(system, system.batches[p], contacts, h, substeps, place, system.next_memory);
    each_piece(system, system.contacts, [&](std::span<ContactRow> rows, std::size_t) {
        for (const ContactRow& row : rows)
            if (row.lambda[0] > 0) system.next_memory[place[row.contact]] = remembered_of(contacts, row, h);
    });
    system.memory.swap(system.next_memory);
    return deepest;
}

}  // namespace mechane::solvers::softstep
