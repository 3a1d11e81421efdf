// Pairs of shapes that do not meet: self-collision of articulations, collision groups, filteredPairs, element filters,
// joints. Pairs of shape indices, each once; with a ledger the reasons are kept for `explain`.
// Only pairs of shapes that collide are listed.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "import.h"

namespace mechane::importer {
namespace {

bool collides(const Import& run, std::int32_t shape)
{ return (run.builder.shapes[static_cast<std::size_t>(shape)].flags & model::shape_flag::collide_shapes) != 0; }

/// A group's number in the order of the stage, from 1; merged groups share one.
std::int32_t number_of_group(const Import& run, physics::Index group)
{ return static_cast<std::int32_t>(run.physics.groups[static_cast<std::size_t>(group)].table_index) + 1; }

/// Numbers of the first group of each shape; by Newton's rule they decide who meets whom.
/// Newton has one number a shape; a shape in several groups keeps the first.
void number_groups(Import& run, const std::vector<physics::Index>& colliders)
{
    for (const physics::Index c : colliders) {
        if (run.collider(c).groups.empty()) continue;
        const std::int32_t number = number_of_group(run, run.collider(c).groups.front());
        for (const std::int32_t s : shapes_of_collider(run, c)) {
            std::vector<std::int32_t>& numbers = run.result.shape_usd_collision_group;
            numbers.resize(std::max(numbers.size(), static_cast<std::size_t>(s) + 1), 0);
            numbers[static_cast<std::size_t>(s)] = number;
            if (run.options.usd_group_mode == UsdGroupMode::newton_ids)
                run.builder.shapes[static_cast<std::size_t>(s)].config.collision_group = number;
        }
    }
    for (std::size_t g = 0; g < run.physics.groups.size(); ++g)
        run.result.path_collision_group_map[run.physics.groups[g].path.text()] =
            number_of_group(run, static_cast<physics::Index>(g));
}

/// Pairs, each once, in order.
class PairSet {
  public:
    explicit PairSet(Import& run) : run_(run)
    {
        for (const auto& pair : run.builder.shape_collision_filter_pairs) known_.insert(pair);
    }
    void add(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b, std::string_view reason)
    {
        for (const std::int32_t i : a)
            for (const std::int32_t j : b) {
                if (i == j || !collides(run_, i) || !collides(run_, j)) continue;
                if (run_.log) run_.result.filter_reasons[std::minmax(i, j)].emplace_back(reason);
                if (known_.insert(std::minmax(i, j)).second)
                    run_.builder.add_shape_collision_filter_pair(std::min(i, j), std::max(i, j));
            }
    }

  private:
    Import&                                         run_;
    std::set<std::pair<std::int32_t, std::int32_t>> known_;
};

void filter_self_collisions(Import& run, PairSet& pairs)
{
    for (const auto& [articulation, allowed] : run.self_collision) {
        if (allowed) continue;
        std::set<std::int32_t> bodies;
        for (const std::int32_t j : run.builder.articulations[static_cast<std::size_t>(articulation)].joints) {
            const model::BuilderJoint& joint = run.builder.joints[static_cast<std::size_t>(j)];
            for (const std::int32_t b : {joint.parent, joint.child})
                if (b >= 0) bodies.insert(b);
        }
        for (auto a = bodies.begin(); a != bodies.end(); ++a)
            for (auto b = std::next(a); b != bodies.end(); ++b)
                pairs.add(run.builder.bodies[static_cast<std::size_t>(*a)].shapes,
                          run.builder.bodies[static_cast<std::size_t>(*b)].shapes,
                          "their articulation does not collide with itself");
    }
}

void filter_groups(Import& run, const physics::PairFilter& filter, PairSet& pairs)
{
    if (run.physics.groups.empty()) return;
    std::vector<physics::Index> imported;
    for (std::size_t i = 0; i < run.physics.colliders.size(); ++i)
        if (run.shape_of[i] >= 0) imported.push_back(static_cast<physics::Index>(i));
    // Newton also keeps a collider in no group from one whose group, or merged group, has its filter inverted.
    const auto inverted = [&](physics::Index c) {
        return std::any_of(run.collider(c).groups.begin(), run.collider(c).groups.end(), [&](physics::Index g) {
            const physics::Group& group = run.physics.groups[static_cast<std::size_t>(g)];
            return group.inverted || std::any_of(group.merged.begin(), group.merged.end(), [&](const usd::Path& m) {
                       const physics::Index i = run.physics.group_at(m);
                       return i != physics::kNone && run.physics.groups[static_cast<std::size_t>(i)].inverted;
                   });
        });
    };
    const auto names = [&](physics::Index c) {
        std::vector<std::string> paths;
        for (const physics::Index g : run.collider(c).groups)
            paths.push_back("<" + run.physics.groups[static_cast<std::size_t>(g)].path.text() + ">");
        return fmt::format("{}", fmt::join(paths, ", "));
    };
    const auto group_reason = [&](physics::Index i, physics::Index j) {
        if (!run.log) return std::string();
        const std::string a = names(i), b = names(j);
        return fmt::format("the collision groups {} and {} do not collide", a.empty() ? "(none)" : a,
                           b.empty() ? "(none)" : b);
    };
    for (const physics::Index i : imported)
        for (const physics::Index g : run.collider(i).groups)
            run.result.path_shape_groups[run.collider(i).path.text()].push_back(
                run.physics.groups[static_cast<std::size_t>(g)].path.text());
    for (std::size_t a = 0; a < imported.size(); ++a) {
        for (std::size_t b = a + 1; b < imported.size(); ++b) {
            const physics::Index i = imported[a], j = imported[b];
            // Two colliders without groups always meet (UsdPhysics).
            if (run.collider(i).groups.empty() && run.collider(j).groups.empty()) continue;
            const bool lonely = run.conventions.ungrouped_pairs_by_inversion &&
                                (run.collider(i).groups.empty() || run.collider(j).groups.empty());
            if (lonely ? inverted(i) || inverted(j) : filter.groups_filter(i, j))
                pairs.add(shapes_of_collider(run, i), shapes_of_collider(run, j), group_reason(i, j));
        }
    }
    number_groups(run, imported);
}

/// What joints that an animation switches keep apart, and nothing else does; called before the pairs of joints are
/// added.
void note_switched_filters(Import& run)
{
    static const usd::Token kEnabled("physics:jointEnabled");
    if (!run.options.animation || !run.physics.authored_names.contains(kEnabled)) return;
    using Pair = std::pair<std::int32_t, std::int32_t>;
    std::set<Pair>      others(run.builder.shape_collision_filter_pairs.begin(),
                               run.builder.shape_collision_filter_pairs.end());
    std::map<Pair, int> joints;  // that keep a pair apart
    const auto          each = [&](const physics::Joint& joint, const auto& visit) {
        for (const auto& [a, b] : physics::pairs_of_joint(run.physics, joint))
            for (const std::int32_t i : shapes_of_collider(run, a))
                for (const std::int32_t j : shapes_of_collider(run, b)) visit(Pair(std::minmax(i, j)));
    };
    for (const physics::Joint& joint : run.physics.joints) each(joint, [&](const Pair& pair) { ++joints[pair]; });
    for (std::size_t i = 0; i < run.physics.joints.size(); ++i)
        if (run.physics.joints[i].prim.attribute(kEnabled).varying())
            each(run.physics.joints[i], [&](const Pair& pair) {
                // A pair that something else keeps apart stays filtered when the joint is switched off.
                if (joints[pair] == 1 && others.count(pair) == 0)
                    run.filters_of_joint[static_cast<physics::Index>(i)].push_back(pair);
            });
}

/// Whether physics:filteredPairs may name it: a body, a collider, an articulation, or a deformable.
bool can_be_filtered(const Import& run, const usd::Path& target)
{
    const physics::PhysicsModel& model = run.physics;
    if (model.body_at(target) != physics::kNone || model.collider_at(target) != physics::kNone ||
        model.articulation_at(target) != physics::kNone)
        return true;
    return std::any_of(run.result.deformables.begin(), run.result.deformables.end(), [&](const auto& one) {
        const usd::Path path(one.path);
        return path == target || path.parent() == target;
    });
}

/// The ledger's word for pairs of which no target can be filtered; the reader has warned of each.
void note_idle_pairs(Import& run)
{
    if (run.log == nullptr) return;
    const auto note = [&](const auto& each) {
        for (const auto& one : each) {
            if (one.filtered.empty() || std::any_of(one.filtered.begin(), one.filtered.end(),
                                                    [&](const usd::Path& to) { return can_be_filtered(run, to); }))
                continue;
            run.log->correct(one.prim, usd::Token("physics:filteredPairs"), physics::Use::ignored,
                             fmt::format("<{}> is not a body, collider or articulation: name what collides",
                                         one.filtered.front().text()));
        }
    };
    note(run.physics.bodies);
    note(run.physics.colliders);
    note(run.physics.articulations);
}

}  // namespace

std::vector<std::int32_t> shapes_of_collider(const Import& run, physics::Index collider)
{
    std::vector<std::int32_t> shapes;
    if (collider == physics::kNone || run.shape_of[static_cast<std::size_t>(collider)] < 0) return shapes;
    shapes.push_back(run.shape_of[static_cast<std::size_t>(collider)]);
    if (const auto more = run.further_shapes.find(collider); more != run.further_shapes.end())
        shapes.insert(shapes.end(), more->second.begin(), more->second.end());
    return shapes;
}

void add_filters(Import& run)
{
    PairSet                   pairs(run);
    const physics::PairFilter filter(run.physics);
    filter_self_collisions(run, pairs);
    filter_groups(run, filter, pairs);
    for (const auto& [a, b] : filter.filtered_pairs())
        pairs.add(shapes_of_collider(run, a), shapes_of_collider(run, b), "physics:filteredPairs names them");
    if (run.deformables.any())
        add_element_filters(run, [&](const auto& a, const auto& b, std::string_view why) { pairs.add(a, b, why); });
    note_idle_pairs(run);
    if (run.conventions.joints_filter_bodies) return;
    note_switched_filters(run);
    for (const auto& [a, b] : filter.joint_pairs())
        pairs.add(shapes_of_collider(run, a), shapes_of_collider(run, b), kFilteredByJoint);
}

}  // namespace mechane::importer
