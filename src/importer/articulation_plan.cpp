// node     a body that is imported; kGraphWorld stands for the world and for what is not imported
// edge     one joint, or several one-axis joints between the same two bodies (a D6)
// flipped  the joint's own direction is from child to parent
// Which joints become trees, loops or constraints beside them. Two ways: plan_trees spans a forest over all joints and
// cuts loops; plan_as_authored takes PhysicsArticulationRootAPI as Newton does and refuses what is no tree.
// Result: JointPlan, in an order that depends on paths alone.

#include "articulation_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "import.h"
#include "joint_graph.h"
#include "joint_values.h"
#include "physics/beside_trees.h"

namespace mechane::importer {
namespace {

JointOrder order_of(const Import& run)
{
    switch (run.options.joint_ordering) {
        case JointOrdering::dfs:
            return JointOrder::dfs;
        case JointOrdering::bfs:
            return JointOrder::bfs;
        case JointOrdering::none:
            break;
    }
    return JointOrder::listed;
}

bool mergeable(const physics::Joint& joint)
{ return joint.kind == physics::JointKind::revolute || joint.kind == physics::JointKind::prismatic; }

/// Joints between the same bodies in the same direction, in order of their first member.
struct Edges {
    std::vector<GraphEdge>                   edges;
    std::vector<std::vector<physics::Index>> members;
};

/// @param node_of  graph node of a body, kGraphWorld for bodies that are not imported
template <class NodeOf>
Edges group_edges(const Import& run, const std::vector<physics::Index>& joints, const NodeOf& node_of,
                  bool only_mergeable)
{
    Edges out;
    // Several one-axis joints between two bodies are one joint of several axes (a D6).
    std::map<std::pair<int, int>, std::size_t> by_pair;
    for (const physics::Index i : joints) {
        const physics::Joint& joint  = run.joint(i);
        int                   parent = node_of(joint.body0), child = node_of(joint.body1);
        // Joints to the world have it as parent.
        if (child == kGraphWorld) std::swap(parent, child);
        const auto found = by_pair.find({parent, child});
        if (found != by_pair.end() &&
            (!only_mergeable || (mergeable(joint) && mergeable(run.joint(out.members[found->second].front()))))) {
            out.members[found->second].push_back(i);
            // The axes of all members would have to be turned alike.
            out.edges[found->second].flippable = false;
            continue;
        }
        if (found == by_pair.end()) by_pair[{parent, child}] = out.edges.size();
        out.edges.push_back({parent, child, has_one_dof(joint)});
        out.members.push_back({i});
    }
    return out;
}

std::vector<physics::Index> joints_by_path(const Import& run)
{
    std::vector<physics::Index> order(run.physics.joints.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<physics::Index>(i);
    // By path, so that the order of definition in layers does not matter.
    std::stable_sort(order.begin(), order.end(),
                     [&](physics::Index a, physics::Index b) { return run.joint(a).path < run.joint(b).path; });
    return order;
}

/// The authored articulation root at or above a path, the nearest one.
/// Roots may nest; the nearest says more.
const physics::Articulation* root_above(const Import& run, const usd::Path& path)
{
    const physics::Articulation* best = nullptr;
    for (const physics::Articulation& a : run.physics.articulations)
        if (path.has_prefix(a.path) && (best == nullptr || a.path.has_prefix(best->path))) best = &a;
    return best;
}

std::string join_paths(const Import& run, const std::vector<std::size_t>& edges, const Edges& graph)
{
    std::string text;
    for (const std::size_t e : edges)
        text += (text.empty() ? "" : ", ") + run.joint(graph.members[e].front()).path.text();
    return text;
}

/// Who else claims the children of joints that point the wrong way: a tree gives each body one parent.
std::string rivals(const Import& run, const std::vector<std::size_t>& reversed, const Edges& graph)
{
    std::vector<std::size_t> others;
    for (std::size_t o = 0; o < graph.edges.size(); ++o)
        if (std::ranges::find(reversed, o) == reversed.end() &&
            std::ranges::any_of(reversed, [&](std::size_t e) { return graph.edges[e].child == graph.edges[o].child; }))
            others.push_back(o);
    return others.empty() ? "" : "; the bodies at their ends are already children of " + join_paths(run, others, graph);
}

Site site_of(const Import& run, const std::vector<std::size_t>& edges, const Edges& graph,
             const physics::Articulation& articulation)
{ return edges.empty() ? articulation.prim.site() : run.joint(graph.members[edges.front()].front()).prim.site(); }

void tell_coupling(Import& run, const physics::Joint& joint)
{
    run.found.add(codes::kJointSkipped, joint.prim.site(),
                  fmt::format("{} is a {}, which is not simulated: the joints that it couples move independently",
                              joint.path.text(), joint.prim.type_name().text()),
                  "Let one of the two joints follow the other with NewtonMimicAPI or PhysxMimicJointAPI.");
}

}  // namespace

/// Joints that are left out are told here, so that both plans agree on them.
bool usable_joint(Import& run, physics::Index index)
{
    const physics::Joint& joint = run.joint(index);
    if (!joint.enabled && run.options.only_load_enabled_joints) return false;
    // The parser's finding says why.
    if (run.ignored(joint.path) || !joint.valid) return false;
    const auto dropped = [&](physics::Index b) { return b != physics::kNone && run.ignored_bodies.count(b) != 0; };
    if (dropped(joint.body0) || dropped(joint.body1)) return false;
    if (joint.body0 != physics::kNone && joint.body0 == joint.body1) {
        run.refuse(codes::kJointSelf, joint.prim.site(),
                   fmt::format("both ends of {} resolve to {}", joint.path.text(), run.body(joint.body0).path.text()));
        return false;
    }
    if (!run.conventions.first_scene_only && joint.body0 != physics::kNone && joint.body1 != physics::kNone) {
        const physics::Index scene = run.body(joint.body0).scene, other = run.body(joint.body1).scene;
        // In the scope of one scene only its own joints are told.
        if (scene != other) {
            if (run.scope == physics::kNone || run.scope == scene)
                run.found.add(codes::kJointScenes, joint.prim.site(),
                              fmt::format("{} and {}, the ends of {}, belong to different scenes",
                                          run.body(joint.body0).path.text(), run.body(joint.body1).path.text(),
                                          joint.path.text()));
            return false;
        }
    }
    const auto there = [&](physics::Index b) { return b != physics::kNone && run.imports(b); };
    const bool any   = there(joint.body0) || there(joint.body1);
    // A joint of another world is that world's business.
    const bool others = (run.scope != physics::kNone || !run.world_of_body.empty()) && !any &&
                        (joint.body0 != physics::kNone || joint.body1 != physics::kNone);
    if (others) return false;  // belongs to another world
    if (!any) {
        run.found.add(codes::kJointSkipped, joint.prim.site(),
                      fmt::format("{} connects no imported rigid body", joint.path.text()));
        return false;
    }
    return true;
}

JointPlan plan_trees(Import& run)
{
    JointPlan                   plan;
    std::vector<physics::Index> listed;
    for (const physics::Index i : joints_by_path(run)) {
        const physics::Joint& joint = run.joint(i);
        if (physics::is_equality(joint) || !usable_joint(run, i)) continue;
        if (physics::couples_joints(joint)) {
            tell_coupling(run, joint);
            continue;
        }
        if (joint.excluded || joint.kind == physics::JointKind::distance || keeps_distance_only(joint) ||
            !joint.enabled) {
            // A distance joint holds no frame in place: it is a constraint beside the tree by nature.
            plan.excluded.push_back(i);
            plan.excluded_roots.emplace_back();
            continue;
        }
        listed.push_back(i);
    }
    const auto node_of = [&](physics::Index b) { return b != physics::kNone && run.imports(b) ? b : kGraphWorld; };
    Edges      graph   = group_edges(run, listed, node_of, true);
    // Turns do not commute: the axes of a joint have the order in which the stage lists its members, since that is the
    // order of the source from which such joints come (MJCF). Newton goes by path.
    for (std::vector<physics::Index>& members : graph.members) std::ranges::sort(members);
    // A kinematic body moves by itself: it is a place to hang from, like the world.
    std::vector<bool> kinematic(run.physics.bodies.size());
    for (std::size_t b = 0; b < kinematic.size(); ++b) kinematic[b] = run.physics.bodies[b].kinematic;
    const JointForest forest = span_joint_graph(run.physics.bodies.size(), graph.edges, kinematic, order_of(run));

    std::map<std::string, int> used;
    // A tree is called after the articulation root that lists one of its bodies, or lies above it, else after its
    // first body.
    const auto label_tree = [&](PlannedTree& tree) {
        const physics::Articulation* authored = nullptr;
        for (const physics::Articulation& a : run.physics.articulations) {
            const bool lists = std::any_of(tree.bodies.begin(), tree.bodies.end(), [&](physics::Index b) {
                return std::find(a.links.begin(), a.links.end(), b) != a.links.end();
            });
            if (lists && authored == nullptr) authored = &a;
        }
        tree.has_authored_root = authored != nullptr;
        if (authored == nullptr) authored = root_above(run, run.body(tree.bodies.front()).path);
        if (authored != nullptr) tree.prim = authored->prim;
        const std::string base =
            authored != nullptr ? authored->path.text() : run.body(tree.bodies.front()).path.text();
        // Two trees of one root get numbers.
        const int n = used[base]++;
        tree.label  = n == 0 ? base : fmt::format("{}#{}", base, n);
    };
    for (const JointTree& grown : forest.trees) {
        PlannedTree tree;
        tree.root_body = grown.root;
        tree.bodies.assign(grown.bodies.begin(), grown.bodies.end());
        for (const TreeEdge& e : grown.edges) {
            tree.joints.push_back({graph.members[e.edge], e.flipped});
            // A joint to the world has no direction that a user would miss.
            if (e.flipped && graph.edges[e.edge].parent != kGraphWorld) {
                const physics::Joint& joint = run.joint(graph.members[e.edge].front());
                run.found.add(codes::kJointReversed, joint.prim.site(),
                              fmt::format("the ends of {} were exchanged", joint.path.text()));
            }
        }
        label_tree(tree);
        plan.trees.push_back(std::move(tree));
    }
    // Authored articulations come first, in the order of their root prims.
    const auto rank = [&](const PlannedTree& tree) {
        if (!tree.has_authored_root) return run.physics.articulations.size();
        std::size_t i = 0;
        while (run.physics.articulations[i].prim != tree.prim) ++i;
        return i;
    };
    std::stable_sort(plan.trees.begin(), plan.trees.end(),
                     [&](const PlannedTree& a, const PlannedTree& b) { return rank(a) < rank(b); });

    for (const std::size_t e : forest.loops) {
        const physics::Joint& joint = run.joint(graph.members[e].front());
        run.found.add(codes::kLoopCut, joint.prim.site(),
                      fmt::format("{} closes a loop and is simulated as a loop constraint", joint.path.text()));
        plan.loops.push_back({graph.members[e], false});
    }
    for (const std::size_t e : forest.idle) {
        const physics::Joint& joint = run.joint(graph.members[e].front());
        run.found.add(codes::kJointSkipped, joint.prim.site(),
                      fmt::format("{} connects two bodies that do not move freely", joint.path.text()));
    }
    return plan;
}

/// As Newton builds articulations: authored roots only, links in the parser's order, loops refused.
JointPlan plan_as_authored(Import& run)
{
    JointPlan         plan;
    std::vector<bool> taken_body(run.physics.bodies.size(), false), taken_joint(run.physics.joints.size(), false);
    for (const physics::Articulation& articulation : run.physics.articulations) {
        // OpenUSD's parser lists the neighbours of bodies: none for a lone one, nothing but the world (an empty path)
        // for one that is only tied to it. Newton then sees no articulation.
        const auto& listed_bodies = articulation.reference_bodies;
        const bool  has_neighbours =
            std::any_of(listed_bodies.begin(), listed_bodies.end(), [](const usd::Path& p) { return !p.empty(); });
        if (!articulation.valid || run.ignored(articulation.path) || !has_neighbours) continue;
        PlannedTree tree;
        tree.label             = articulation.path.text();
        tree.prim              = articulation.prim;
        tree.has_authored_root = true;
        std::map<physics::Index, int> local;
        std::vector<physics::Index>   links;
        // A body belongs to the first articulation that lists it.
        for (const physics::Index b : articulation.links) {
            if (!run.imports(b) || taken_body[static_cast<std::size_t>(b)]) continue;
            taken_body[static_cast<std::size_t>(b)] = true;
            local[b]                                = static_cast<int>(links.size());
            links.push_back(b);
        }
        if (links.empty()) continue;
        std::vector<physics::Index> listed;
        for (const physics::Index i : articulation.joints) {
            const physics::Joint& joint = run.joint(i);
            if (!joint.enabled || physics::is_equality(joint) || !usable_joint(run, i)) continue;
            taken_joint[static_cast<std::size_t>(i)] = true;
            if (joint.excluded) {
                plan.excluded.push_back(i);
                plan.excluded_roots.push_back(articulation.prim);
                continue;
            }
            const bool known = local.count(joint.body0) != 0 || local.count(joint.body1) != 0;
            if (!known) {
                run.refuse(codes::kJointUnresolved, joint.prim.site(),
                           fmt::format("neither end of {} is imported", joint.path.text()));
                return plan;
            }
            listed.push_back(i);
        }
        const Edges graph = group_edges(
            run, listed, [&](physics::Index b) { return local.count(b) != 0 ? local.at(b) : kGraphWorld; }, false);
        for (const auto& members : graph.members)
            for (const physics::Index i : members)
                if (members.size() > 1 && !mergeable(run.joint(i))) {
                    run.refuse(codes::kMergeType, run.joint(i).prim.site(),
                               fmt::format("{} shares its two bodies with another joint", run.joint(i).path.text()));
                    return plan;
                }
        // An articulation without usable joints: each body stands alone.
        if (graph.edges.empty()) {
            for (const physics::Index b : links) {
                PlannedTree lone;
                lone.label = run.body(b).path.text();
                lone.prim = articulation.prim, lone.has_authored_root = true, lone.root_body = b;
                lone.bodies = {b};
                plan.trees.push_back(std::move(lone));
            }
            continue;
        }
        const StrictOrder order = order_as_authored(graph.edges, order_of(run));
        switch (order.fault) {
            case StrictOrder::Fault::cycle:
                run.refuse(
                    codes::kArtCycle, site_of(run, order.edges, graph, articulation),
                    fmt::format("the joints of {} form a loop at {}", tree.label, join_paths(run, order.edges, graph)));
                return plan;
            case StrictOrder::Fault::several_roots:
                run.refuse(codes::kArtMultiRoot, articulation.prim.site(),
                           fmt::format("the joints of {} do not form one tree", tree.label));
                return plan;
            case StrictOrder::Fault::reversed:
                run.refuse(codes::kArtReversed, site_of(run, order.edges, graph, articulation),
                           fmt::format("joints of {} point towards the root: {}{}", tree.label,
                                       join_paths(run, order.edges, graph), rivals(run, order.edges, graph)));
                return plan;
            case StrictOrder::Fault::none:
                break;
        }
        std::vector<bool> seen(links.size(), false);
        // Bodies in the order in which the joints reach them.
        const auto mention = [&](int node) {
            if (node == kGraphWorld || seen[static_cast<std::size_t>(node)]) return;
            seen[static_cast<std::size_t>(node)] = true;
            tree.bodies.push_back(links[static_cast<std::size_t>(node)]);
        };
        if (!run.options.bodies_follow_joint_ordering)
            for (int n = 0; n < static_cast<int>(links.size()); ++n) mention(n);
        for (const std::size_t e : order.edges) {
            mention(graph.edges[e].parent);
            mention(graph.edges[e].child);
            tree.joints.push_back({graph.members[e], false});
        }
        const int first = graph.edges[order.edges.front()].parent;
        if (first != kGraphWorld) tree.root_body = links[static_cast<std::size_t>(first)];
        plan.trees.push_back(std::move(tree));
    }

    // Joints outside articulations, in the order of the parser: by kind, then traversal; pairs that can merge do.
    std::vector<physics::Index> orphans;
    for (const physics::Index i : run.physics.joints_by_kind())
        if (!taken_joint[static_cast<std::size_t>(i)] && !physics::is_equality(run.joint(i)) && usable_joint(run, i))
            orphans.push_back(i);
    std::map<std::pair<physics::Index, physics::Index>, std::vector<physics::Index>> by_pair;
    for (const physics::Index i : orphans) by_pair[{run.joint(i).body0, run.joint(i).body1}].push_back(i);
    std::vector<std::vector<physics::Index>> groups;
    for (const physics::Index i : orphans) {
        const auto& group = by_pair[{run.joint(i).body0, run.joint(i).body1}];
        // Each group is made once, at its first member.
        if (group.front() != i) continue;
        if (std::all_of(group.begin(), group.end(), [&](physics::Index j) { return mergeable(run.joint(j)); }))
            groups.push_back(group);
        else
            for (const physics::Index j : group) groups.push_back({j});
    }
    // Newton keeps joints outside articulations as constraints.
    for (auto& group : groups) plan.loops.push_back({std::move(group), false});
    return plan;
}

}  // namespace mechane::importer
