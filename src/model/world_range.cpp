// Some worlds of a model as a model of their own, and comparison of worlds: the ground under WorldBlocks, where one
// machine steps many blocks. Indices are shifted to the part; static shapes (leading and trailing) belong to every
// part.
// A new array of Model goes into `each_array`, or into the lists of indices below it, or blocks would miss it.
//
// part      a range of entities in the model that belongs to the worlds in question
// leading   shapes of no world before the first world's; trailing: those after the last
// here      the number of an entity in the part, as against its number in the model
//
// Copies are made once for a block; numbers and states are copied before each turn (copy_world_*, put_world_*).

#include "mechane/model/world_range.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace mechane::model {

namespace {

using Part = WorldPlaces::Part;

// Starts have an entry for the end of the last world.
Part part_of(const std::vector<std::int32_t>& starts, WorldRange worlds)
{
    return {static_cast<std::size_t>(starts[static_cast<std::size_t>(worlds.first)]),
            static_cast<std::size_t>(starts[static_cast<std::size_t>(worlds.end())])};
}

/// What an array of a model holds one entry for.
enum class Of : std::uint8_t { body, joint, dof, coord, articulation, shape };

/// Who may differ between worlds that are alike.
/// Structure decides whether two blocks may share a solver; numbers and starts are copied before each turn.
enum class Kind : std::uint8_t {
    structure,  ///< nobody
    number,     ///< read anew at every step
    start,      ///< of the initial state
    label       ///< for people
};

/// Every array whose entries are not numbers of entities: visit(of, kind, member of Model).
/// One list for copying, comparing and renewing, so that none of them can forget an array.
template <class Visit>
void each_array(const Visit& visit)
{
    using M        = Model;
    const auto all = [&](Of of, Kind kind, auto... members) { (visit(of, kind, members), ...); };
    all(Of::body, Kind::label, &M::body_label);
    all(Of::body, Kind::start, &M::body_q, &M::body_qd);
    all(Of::body, Kind::structure, &M::body_com, &M::body_inertia, &M::body_inv_inertia, &M::body_mass,
        &M::body_inv_mass, &M::body_flags, &M::body_scene, &M::body_starts_asleep);
    all(Of::joint, Kind::label, &M::joint_label);
    all(Of::joint, Kind::structure, &M::joint_type, &M::joint_X_p, &M::joint_X_c, &M::joint_enabled, &M::joint_dof_dim,
        &M::joint_mimic_coeffs, &M::joint_break_force, &M::joint_break_torque, &M::joint_cone_limit,
        &M::joint_exclude_from_articulation);
    all(Of::coord, Kind::start, &M::joint_q);
    all(Of::coord, Kind::number, &M::joint_target_q, &M::joint_rest_q);
    all(Of::dof, Kind::start, &M::joint_qd);
    all(Of::dof, Kind::structure, &M::joint_axis);
    all(Of::dof, Kind::number, &M::joint_target_qd, &M::joint_f, &M::joint_act, &M::joint_armature, &M::joint_friction,
        &M::joint_damping, &M::joint_stiffness, &M::joint_target_ke, &M::joint_target_kd, &M::joint_target_mode,
        &M::joint_drive_type, &M::joint_limit_lower, &M::joint_limit_upper, &M::joint_limit_ke, &M::joint_limit_kd,
        &M::joint_limit_authored, &M::joint_effort_limit, &M::joint_velocity_limit);
    all(Of::shape, Kind::label, &M::shape_label, &M::shape_color, &M::shape_opacity);
    all(Of::shape, Kind::structure, &M::shape_type, &M::shape_transform, &M::shape_scale, &M::shape_source,
        &M::shape_flags, &M::shape_is_solid, &M::shape_margin, &M::shape_gap, &M::shape_material_kh,
        &M::shape_friction_combine, &M::shape_restitution_combine, &M::shape_surface_velocity, &M::shape_sdf_config,
        &M::shape_collision_group, &M::shape_collision_radius, &M::shape_collision_aabb_lower,
        &M::shape_collision_aabb_upper);
    all(Of::shape, Kind::number, &M::shape_material_ke, &M::shape_material_kd, &M::shape_material_kf,
        &M::shape_material_ka, &M::shape_material_mu, &M::shape_material_mu_static, &M::shape_material_restitution,
        &M::shape_material_mu_torsional, &M::shape_material_mu_rolling);
    all(Of::articulation, Kind::label, &M::articulation_label);
}

const Part& part_for(const WorldPlaces& places, Of of)
{
    switch (of) {
        case Of::body:
            return places.bodies;
        case Of::joint:
            return places.joints;
        case Of::dof:
            return places.dofs;
        case Of::coord:
            return places.coords;
        case Of::articulation:
            return places.articulations;
        case Of::shape:
            break;
    }
    return places.shapes;
}

std::size_t count_of(const Model& m, Of of)
{
    switch (of) {
        case Of::body:
            return m.body_count();
        case Of::joint:
            return m.joint_count();
        case Of::dof:
            return m.joint_dof_count();
        case Of::coord:
            return m.joint_coord_count();
        case Of::articulation:
            return m.articulation_count();
        case Of::shape:
            break;
    }
    return m.shape_count();
}

/// The entries of some worlds, of shapes with the static ones around them. An array that a model leaves empty stays so.
template <class T>
void copy_part(const std::vector<T>& from, const WorldPlaces& places, Of of, std::size_t count, std::vector<T>& to)
{
    // Arrays of another length are of the whole model.
    // An optional array of the model may be empty.
    if (from.size() != count) return void(to = from);
    const Part& part = part_for(places, of);
    const auto  at   = [&](std::size_t i) { return from.begin() + static_cast<std::ptrdiff_t>(i); };
    const bool  all  = of == Of::shape;
    // Static shapes lie on both sides of the worlds' own.
    to.assign(from.begin(), at(all ? places.leading : 0));
    to.insert(to.end(), at(part.begin), at(part.end));
    if (all) to.insert(to.end(), at(places.trailing.begin), at(places.trailing.end));
}

/// Bits where the type has no padding: not-a-number equals itself, 0 and -0 differ.
template <class T>
bool equal_values(const T& a, const T& b)
{
    if constexpr (std::is_floating_point_v<T> || (std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(Real) == 0 &&
                                                  !std::is_same_v<T, std::optional<SdfConfig>>))
        return std::memcmp(&a, &b, sizeof(T)) == 0;
    else
        return a == b;
}

/// Whether the entries of two ranges are the same.
template <class T>
bool equal_parts(const std::vector<T>& values, const Part& a, const Part& b, std::size_t count)
{
    // An array that does not count these entities says nothing about them.
    if (values.size() != count) return true;
    const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
    return std::equal(at(a.begin), at(a.end), at(b.begin), at(b.end),
                      [](const T& x, const T& y) { return equal_values(x, y); });
}

/// The same, of numbers of entities; those of others than the worlds' own are compared as they are.
bool equal_indices(const std::vector<std::int32_t>& values, const Part& a, const Part& b, const Part& own_a,
                   const Part& own_b)
{
    if (a.size() != b.size()) return false;
    const auto local = [](std::int32_t value, const Part& own) {
        // Compared as seen from the world: own entities by their place in it.
        const auto index = static_cast<std::size_t>(value);
        // Negative numbers for what is outside: -1 becomes -1, shape 3 of the shared world -5; they cannot be taken for
        // own indices.
        return value >= 0 && index >= own.begin && index < own.end ? value - static_cast<std::int32_t>(own.begin)
                                                                   : -2 - value;
    };
    for (std::size_t i = 0; i < a.size(); ++i)
        if (local(values[a.begin + i], own_a) != local(values[b.begin + i], own_b)) return false;
    return true;
}

// Starts relative to the world's first.
bool equal_starts(const std::vector<std::int32_t>& starts, const Part& a, const Part& b)
{
    for (std::size_t i = 0; i <= a.size(); ++i)
        if (starts[a.begin + i] - starts[a.begin] != starts[b.begin + i] - starts[b.begin]) return false;
    return true;
}

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Pairs are sorted by shape, so those of a range are found by bisection.
/// The pairs that are left out among the shapes of the worlds and the static ones, in the worlds' own numbers.
Pairs pairs_of(const Model& m, const WorldPlaces& places)
{
    Pairs      out;
    const auto take = [&](std::size_t begin, std::size_t end) {
        for (std::size_t first = begin; first < end; ++first) {
            const auto& all  = m.shape_collision_filter_pairs;
            const auto  a    = static_cast<std::int32_t>(first);
            const auto  from = std::lower_bound(all.begin(), all.end(), std::pair(a, std::int32_t{0}));
            // A static shape may be left out with every world's: only what is of these worlds is looked at.
            const auto within = [&](std::size_t low, std::size_t high) {
                auto       p  = std::lower_bound(from, all.end(), std::pair(a, static_cast<std::int32_t>(low)));
                const auto to = static_cast<std::int32_t>(high);
                for (; p != all.end() && p->first == a && p->second < to; ++p)
                    out.emplace_back(places.shape_here(a), places.shape_here(p->second));
            };
            within(0, places.leading);
            within(places.shapes.begin, places.shapes.end);
            within(places.trailing.begin, places.trailing.end);
        }
    };
    take(0, places.leading);
    take(places.shapes.begin, places.shapes.end);
    take(places.trailing.begin, places.trailing.end);
    return out;  // in order, as those of the model are
}

/// Numbers of entities as the worlds count them; -1 stays.
/// Worlds of entities shift like indices: the first world of the part becomes 0.
void shift(std::vector<std::int32_t>& values, std::size_t begin)
{
    for (std::int32_t& value : values)
        if (value >= 0) value -= static_cast<std::int32_t>(begin);
}

template <class T>
void copy_range(const std::vector<T>& from, const Part& part, std::vector<T>& to)
{
    const auto at = [&](std::size_t i) { return from.begin() + static_cast<std::ptrdiff_t>(i); };
    to.assign(at(part.begin), at(part.end));
}

/// An empty array stands for something and stays so.
template <class T>
void copy_if_any(const std::vector<T>& from, const Part& part, std::vector<T>& to)
{
    if (part.end > from.size())
        to.clear();
    else
        copy_range(from, part, to);
}

template <class T>
void put_range(const std::vector<T>& from, const Part& part, std::vector<T>& to)
{ std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(part.begin)); }

}  // namespace

WorldPlaces::WorldPlaces(const Model& m, WorldRange worlds)
    : bodies(part_of(m.body_world_start, worlds)),
      joints(part_of(m.joint_world_start, worlds)),
      dofs(part_of(m.joint_dof_world_start, worlds)),
      coords(part_of(m.joint_coord_world_start, worlds)),
      articulations(part_of(m.articulation_world_start, worlds)),
      shapes(part_of(m.shape_world_start, worlds)),
      leading(static_cast<std::size_t>(m.shape_world_start.front())),
      trailing{static_cast<std::size_t>(m.shape_world_start[static_cast<std::size_t>(m.world_count)]), m.shape_count()}
{
}

std::int32_t WorldPlaces::shape_here(std::int32_t shape) const
{
    const auto s = static_cast<std::size_t>(shape);
    if (s < leading) return shape;
    if (s >= shapes.begin && s < shapes.end) return static_cast<std::int32_t>(leading + (s - shapes.begin));
    if (s >= trailing.begin && s < trailing.end)
        return static_cast<std::int32_t>(leading + shapes.size() + (s - trailing.begin));
    return -1;
}

std::int32_t WorldPlaces::shape_in_model(std::int32_t shape) const
{
    const auto s = static_cast<std::size_t>(shape);
    if (s < leading) return shape;
    if (s < leading + shapes.size()) return static_cast<std::int32_t>(shapes.begin + (s - leading));
    return static_cast<std::int32_t>(trailing.begin + (s - leading - shapes.size()));
}

/// Whether blocks of worlds can be stepped one by one: nothing of one world touches another's arrays.
bool worlds_are_apart(const Model& m)
{
    const auto worlds = static_cast<std::size_t>(m.world_count);
    // Particles are stepped by vbd, which has no blocks.
    if (worlds == 0 || m.particle_count() > 0) return false;
    const auto in_order = [&](const std::vector<std::int32_t>& starts, const std::vector<std::int32_t>& world) {
        // Joints or bodies in no world may connect worlds.
        for (std::size_t w = 0; w < worlds; ++w)
            for (auto i = starts[w]; i < starts[w + 1]; ++i)
                if (world[static_cast<std::size_t>(i)] != static_cast<std::int32_t>(w)) return false;
        return true;
    };
    // All entities lie in worlds, in ascending order, without any before or behind.
    const auto none_outside = [&](const std::vector<std::int32_t>& starts, std::size_t count) {
        return starts.size() == worlds + 2 && starts[0] == 0 && static_cast<std::size_t>(starts[worlds]) == count;
    };
    if (!none_outside(m.body_world_start, m.body_count()) || !none_outside(m.joint_world_start, m.joint_count()) ||
        !none_outside(m.joint_dof_world_start, m.joint_dof_count()) ||
        !none_outside(m.joint_coord_world_start, m.joint_coord_count()) ||
        !none_outside(m.articulation_world_start, m.articulation_count()))
        return false;
    if (!in_order(m.body_world_start, m.body_world) || !in_order(m.joint_world_start, m.joint_world) ||
        !in_order(m.articulation_world_start, m.articulation_world) || !in_order(m.shape_world_start, m.shape_world))
        return false;
    for (std::size_t s = 0; s < m.shape_count(); ++s)
        // A shared shape must not move.
        if (m.shape_world[s] < 0
                ? m.shape_body[s] >= 0
                : m.shape_body[s] >= 0 && m.body_world[static_cast<std::size_t>(m.shape_body[s])] != m.shape_world[s])
            return false;
    // Joints join bodies of their own world or of none.
    const auto of_world = [&](std::int32_t body, std::int32_t world) {
        return body < 0 || m.body_world[static_cast<std::size_t>(body)] == world;
    };
    for (std::size_t j = 0; j < m.joint_count(); ++j) {
        const std::int32_t leader = m.joint_mimic_joint[j];
        if (!of_world(m.joint_parent[j], m.joint_world[j]) || !of_world(m.joint_child[j], m.joint_world[j]) ||
            (leader >= 0 && m.joint_world[static_cast<std::size_t>(leader)] != m.joint_world[j]))
            return false;
    }
    return true;
}

Model model_of_worlds(const Model& m, WorldRange worlds)
{
    const WorldPlaces at(m, worlds);
    Model             out;
    // Everything that is an entry for an entity.
    out.up_axis = m.up_axis;
    each_array([&](Of of, Kind, auto member) { copy_part(m.*member, at, of, count_of(m, of), out.*member); });

    // Indices are copied and shifted to the part's own.
    const auto copied = [&](std::vector<std::int32_t> Model::* member, Of of, std::size_t begin) {
        copy_part(m.*member, at, of, count_of(m, of), out.*member);
        shift(out.*member, begin);
    };
    const auto first = static_cast<std::size_t>(worlds.first);
    copied(&Model::body_world, Of::body, first);
    copied(&Model::joint_parent, Of::joint, at.bodies.begin);
    copied(&Model::joint_child, Of::joint, at.bodies.begin);
    copied(&Model::joint_ancestor, Of::joint, at.joints.begin);
    copied(&Model::joint_articulation, Of::joint, at.articulations.begin);
    copied(&Model::joint_mimic_joint, Of::joint, at.joints.begin);
    copied(&Model::joint_world, Of::joint, first);
    copied(&Model::shape_body, Of::shape, at.bodies.begin);
    copied(&Model::shape_world, Of::shape, first);
    copied(&Model::articulation_world, Of::articulation, first);
    copied(&Model::articulation_end, Of::articulation, at.joints.begin);
    // Starts have one entry more than entities.
    const auto starts = [&](const std::vector<std::int32_t>& from, const Part& part, std::size_t begin) {
        std::vector<std::int32_t> list;
        copy_range(from, {part.begin, part.end + 1}, list);
        shift(list, begin);
        return list;
    };
    out.joint_q_start      = starts(m.joint_q_start, at.joints, at.coords.begin);
    out.joint_qd_start     = starts(m.joint_qd_start, at.joints, at.dofs.begin);
    out.articulation_start = starts(m.articulation_start, at.articulations, at.joints.begin);
    // It may count joints of no articulation that follow.
    // The last entry is the number of joints.
    if (!out.articulation_start.empty()) out.articulation_start.back() = static_cast<std::int32_t>(out.joint_count());
    out.max_joints_per_articulation = m.max_joints_per_articulation;
    out.max_dofs_per_articulation   = m.max_dofs_per_articulation;

    const auto renumbered = [&](const std::vector<std::int32_t>& shapes) {
        std::vector<std::int32_t> own;
        for (const std::int32_t s : shapes)
            if (const std::int32_t here = at.shape_here(s); here >= 0) own.push_back(here);
        return own;
    };
    // Shapes of the bodies of this part only.
    for (std::size_t b = at.bodies.begin; b < at.bodies.end; ++b)
        out.body_shapes.push_back(renumbered(m.body_shapes[b]));
    for (std::size_t s = 0; s < out.shape_count(); ++s)
        if (out.shape_body[s] < 0) out.static_shapes.push_back(static_cast<std::int32_t>(s));
    out.shape_collision_filter_pairs = pairs_of(m, at);

    out.particle_contact = m.particle_contact;
    out.soft_contact     = m.soft_contact;
    out.world_count      = worlds.count;
    out.gravity.assign(m.gravity.begin() + worlds.first, m.gravity.begin() + worlds.end());
    // The last entry is the gravity of the global world.
    out.gravity.push_back(m.gravity.back());
    // Entries for each world, the end of the last, and the total.
    const auto own_starts = [&](const std::vector<std::int32_t>& from, std::size_t begin, std::size_t before,
                                std::size_t total) {
        std::vector<std::int32_t> list;
        for (auto w = worlds.first; w <= worlds.end(); ++w)
            list.push_back(from[static_cast<std::size_t>(w)] - static_cast<std::int32_t>(begin) +
                           static_cast<std::int32_t>(before));
        list.push_back(static_cast<std::int32_t>(total));
        return list;
    };
    out.body_world_start  = own_starts(m.body_world_start, at.bodies.begin, 0, out.body_count());
    out.shape_world_start = own_starts(m.shape_world_start, at.shapes.begin, at.leading, out.shape_count());
    out.joint_world_start = own_starts(m.joint_world_start, at.joints.begin, 0, out.joint_count());
    out.articulation_world_start =
        own_starts(m.articulation_world_start, at.articulations.begin, 0, out.articulation_count());
    out.joint_dof_world_start   = own_starts(m.joint_dof_world_start, at.dofs.begin, 0, out.joint_dof_count());
    out.joint_coord_world_start = own_starts(m.joint_coord_world_start, at.coords.begin, 0, out.joint_coord_count());
    out.particle_world_start.assign(static_cast<std::size_t>(worlds.count) + 2, 0);
    return out;
}

/// Equal structure: a solver that was made for one part serves for the other.
bool worlds_are_alike(const Model& m, WorldRange first, WorldRange second)
{
    if (first.count != second.count) return false;
    const WorldPlaces a(m, first), b(m, second);
    bool              same = true;
    each_array([&](Of of, Kind kind, auto member) {
        if (kind == Kind::structure && same)
            same = equal_parts(m.*member, part_for(a, of), part_for(b, of), count_of(m, of));
    });
    const auto indices = [&](const std::vector<std::int32_t>& values, Part WorldPlaces::* of, Part WorldPlaces::* own) {
        return equal_indices(values, a.*of, b.*of, a.*own, b.*own);
    };
    using P = WorldPlaces;
    if (!same || a.bodies.size() != b.bodies.size() || a.dofs.size() != b.dofs.size() ||
        a.coords.size() != b.coords.size() || a.articulations.size() != b.articulations.size() ||
        !indices(m.joint_parent, &P::joints, &P::bodies) || !indices(m.joint_child, &P::joints, &P::bodies) ||
        !indices(m.joint_ancestor, &P::joints, &P::joints) || !indices(m.joint_mimic_joint, &P::joints, &P::joints) ||
        !indices(m.joint_articulation, &P::joints, &P::articulations) ||
        !indices(m.shape_body, &P::shapes, &P::bodies) || !equal_starts(m.joint_q_start, a.joints, b.joints) ||
        !equal_starts(m.joint_qd_start, a.joints, b.joints) ||
        !equal_starts(m.articulation_start, a.articulations, b.articulations))
        return false;
    // Two worlds of 2 and 4 bodies are not two of 3 and 3.
    // Blocks of equal sums may still be divided otherwise.
    for (std::int32_t w = 0; w < first.count; ++w) {
        const WorldRange  one{first.first + w, 1}, other{second.first + w, 1};
        const WorldPlaces x(m, one), y(m, other);
        if (x.bodies.size() != y.bodies.size() || x.joints.size() != y.joints.size() ||
            x.shapes.size() != y.shapes.size())
            return false;
    }
    return pairs_of(m, a) == pairs_of(m, b);
}

/// Numbers need not be copied again where they are equal.
bool world_numbers_are_equal(const Model& m, WorldRange first, WorldRange second)
{
    const WorldPlaces a(m, first), b(m, second);
    bool              same = true;
    each_array([&](Of of, Kind kind, auto member) {
        if (kind == Kind::number && same)
            same = equal_parts(m.*member, part_for(a, of), part_for(b, of), count_of(m, of));
    });
    // Gravity is by world and not in each_array.
    return same && std::equal(m.gravity.begin() + first.first, m.gravity.begin() + first.end(),
                              m.gravity.begin() + second.first, m.gravity.begin() + second.end());
}

bool world_starts_are_equal(const Model& m, WorldRange first, WorldRange second)
{
    const WorldPlaces a(m, first), b(m, second);
    bool              same = true;
    each_array([&](Of of, Kind kind, auto member) {
        if (kind == Kind::start && same)
            same = equal_parts(m.*member, part_for(a, of), part_for(b, of), count_of(m, of));
    });
    return same;
}

void copy_world_numbers(const Model& m, WorldRange worlds, Model& to)
{
    const WorldPlaces at(m, worlds);
    each_array([&](Of of, Kind kind, auto member) {
        if (kind == Kind::number) copy_part(m.*member, at, of, count_of(m, of), to.*member);
    });
    std::copy(m.gravity.begin() + worlds.first, m.gravity.begin() + worlds.end(), to.gravity.begin());
    to.gravity.back() = m.gravity.back();
}

void copy_world_start(const Model& m, WorldRange worlds, Model& to)
{
    const WorldPlaces at(m, worlds);
    each_array([&](Of of, Kind kind, auto member) {
        if (kind == Kind::start) copy_part(m.*member, at, of, count_of(m, of), to.*member);
    });
}

// Only what a step reads; time is one for all.
void copy_world_state(const State& from, const WorldPlaces& at, State& to)
{
    copy_range(from.body_q, at.bodies, to.body_q);
    copy_range(from.body_qd, at.bodies, to.body_qd);
    copy_if_any(from.body_f, at.bodies, to.body_f);
    copy_range(from.joint_q, at.coords, to.joint_q);
    copy_range(from.joint_qd, at.dofs, to.joint_qd);
    to.time = from.time;
}

void copy_world_control(const Control& from, const WorldPlaces& at, Control& to)
{
    copy_if_any(from.joint_target_q, at.coords, to.joint_target_q);
    copy_if_any(from.joint_target_qd, at.dofs, to.joint_target_qd);
    copy_if_any(from.joint_f, at.dofs, to.joint_f);
    copy_if_any(from.joint_act, at.dofs, to.joint_act);
    copy_if_any(from.body_target_q, at.bodies, to.body_target_q);
}

void put_world_state(const State& from, const WorldPlaces& at, State& to)
{
    put_range(from.body_q, at.bodies, to.body_q);
    put_range(from.body_qd, at.bodies, to.body_qd);
    put_range(from.joint_q, at.coords, to.joint_q);
    put_range(from.joint_qd, at.dofs, to.joint_qd);
}

}  // namespace mechane::model
