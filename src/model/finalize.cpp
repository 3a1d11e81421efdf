// ModelBuilder::finalize: builder to Model. Structure is checked first, then each part narrows its numbers to Real and
// repairs them with a finding; pairs of shapes are sorted and unique at the end.
// Invariant of the model: entities lie world after world, indices are valid, numbers finite, quaternions of unit
// length.

#include "finalize.h"

#include <algorithm>
#include <utility>

#include "number_repair.h"

namespace mechane::model {

namespace {

/// Starts of the worlds among entities that are ordered: leading globals, world 0, 1, ..., trailing globals. Entry W is
/// the start of the trailing globals, entry W + 1 the total. Without any entity in a world all count as leading.
template <class Entities, class Size>
std::vector<std::int32_t> world_starts(const Entities& entities, std::size_t worlds, const Size& size_of)
{
    std::vector<std::int32_t> starts(worlds + 2, 0);
    std::int32_t              at   = 0;
    std::size_t               next = 0;  // worlds below `next` have their start
    for (std::size_t i = 0; i < entities.size(); ++i) {
        const std::int32_t world = entities[i].world;
        if (world >= 0) {
            for (; next <= static_cast<std::size_t>(world); ++next) starts[next] = at;
        } else if (next > 0 && next <= worlds) {
            for (; next <= worlds; ++next) starts[next] = at;
        }
        at += size_of(i);
    }
    for (; next <= worlds; ++next) starts[next] = at;
    starts[worlds + 1] = at;
    return starts;
}

}  // namespace

void fill_worlds(const ModelBuilder& b, Model& m, Diagnostics& out)
{
    const std::size_t worlds = b.world_gravity.size();
    m.world_count            = static_cast<std::int32_t>(worlds);
    NumberRepair repair(out, "world");
    for (const Vec3d& g : b.world_gravity) m.gravity.push_back(repair.vector(g, "gravity"));
    // The last entry is that of entities in no world.
    m.gravity.push_back(repair.vector(b.gravity, "gravity"));

    const auto one    = [](std::size_t) { return 1; };
    const auto extent = [](const std::vector<std::int32_t>& starts) {
        return [&starts](std::size_t i) { return starts[i + 1] - starts[i]; };
    };
    // Ranges by world, which readers use instead of searching.
    m.body_world_start         = world_starts(b.bodies, worlds, one);
    m.shape_world_start        = world_starts(b.shapes, worlds, one);
    m.joint_world_start        = world_starts(b.joints, worlds, one);
    m.articulation_world_start = world_starts(b.articulations, worlds, one);
    m.particle_world_start     = world_starts(b.particles, worlds, one);
    m.joint_dof_world_start    = world_starts(b.joints, worlds, extent(m.joint_qd_start));
    m.joint_coord_world_start  = world_starts(b.joints, worlds, extent(m.joint_q_start));
}

namespace {

/// Shapes of one body do not meet. Their pairs are listed as long as that is no matter: the broad phase asks for the
/// bodies first, and the pairs of a body of thousands of colliders would fill the memory.
constexpr std::size_t kMostListed = 512;

void pair_same_bodies(Model& m)
{
    for (const std::vector<std::int32_t>& shapes : m.body_shapes) {
        std::vector<std::int32_t> colliding;
        for (const std::int32_t s : shapes)
            if ((m.shape_flags[static_cast<std::size_t>(s)] & shape_flag::collide_shapes) != 0) colliding.push_back(s);
        if (colliding.size() > kMostListed) continue;
        // All pairs: n^2/2 of them.
        for (std::size_t i = 0; i < colliding.size(); ++i)
            for (std::size_t k = i + 1; k < colliding.size(); ++k)
                m.shape_collision_filter_pairs.emplace_back(colliding[i], colliding[k]);
    }
}

}  // namespace

Result<Model> ModelBuilder::finalize(const FinalizeOptions& options, Diagnostics& out) const
{
    if (auto misfit = check_structure(*this, options)) return std::move(*misfit);
    Model m;
    m.up_axis = up_axis;
    fill_bodies(*this, options, m, out);
    fill_joints(*this, m, out);
    fill_articulations(*this, m);
    if (auto error = fill_shapes(*this, m, out)) return std::move(*error);
    fill_particles(*this, m, out);
    fill_soft(*this, m, out);
    fill_worlds(*this, m, out);
    fill_custom(*this, m);

    m.shape_collision_filter_pairs = shape_collision_filter_pairs;
    auto& pairs                    = m.shape_collision_filter_pairs;
    pair_same_bodies(m);
    for (auto& [a, b] : pairs)
        if (a > b) std::swap(a, b);
    // Usually they are, and sorting many worlds' pairs takes long.
    if (!std::ranges::is_sorted(pairs)) std::ranges::sort(pairs);
    pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
    std::erase_if(pairs, [](const auto& p) { return p.first == p.second; });
    return m;
}

}  // namespace mechane::model
