// Articulation roots to trees. Bodies are nodes, enabled joints are edges; a joint whose other
// side is no enabled body ties its body to the world.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <set>

#include "mechane/physics/codes.h"
#include "reader.h"
#include "reference_articulations.h"

namespace mechane::physics {

namespace {

struct Node {
    std::vector<Index> joints;  ///< all enabled joints that touch the body, by path
    std::vector<std::pair<Index, Index>>
                       neighbours;       ///< (joint, body) over joints that are not excluded, by joint path
    std::vector<Index> world;            ///< joints to the world that are not excluded, by path
    std::vector<Index> across_excluded;  ///< bodies over joints that are excluded
    long               weight = 0;
};

/// Order by path, which takes long to compare: the entries are sorted once, and then their ranks compare.
class PathOrder {
  public:
    template <class T>
    explicit PathOrder(const std::vector<T>& entries) : order_(entries.size()), rank_(entries.size())
    {
        for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<Index>(i);
        std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
            return entries[static_cast<std::size_t>(a)].path < entries[static_cast<std::size_t>(b)].path;
        });
        for (std::size_t i = 0; i < order_.size(); ++i) rank_[static_cast<std::size_t>(order_[i])] = i;
    }
    [[nodiscard]] const std::vector<Index>& all() const { return order_; }
    /// Sorts some of the entries; none is left in there twice.
    void sort(std::vector<Index>& some) const
    {
        std::sort(some.begin(), some.end(), [&](Index a, Index b) {
            return rank_[static_cast<std::size_t>(a)] < rank_[static_cast<std::size_t>(b)];
        });
        some.erase(std::unique(some.begin(), some.end()), some.end());
    }

  private:
    std::vector<Index>       order_;
    std::vector<std::size_t> rank_;
};

/// Bodies and joints of the whole stage as a graph, built once and used for every articulation root.
/// Every list of it is in the order of paths, so that no result depends on the order of traversal or of threads.
class Graph {
  public:
    explicit Graph(const PhysicsModel& model)
        : bodies_by_path(model.bodies),
          joints_by_path(model.joints),
          model_(model),
          nodes_(model.bodies.size()),
          distance_(model.bodies.size(), -1)
    {
        for (const Index j : joints_by_path.all()) {
            const Joint& edge = joint(j);
            if (!edge.enabled || (!edge.valid && edge.body0 != edge.body1)) continue;
            for (const Index body : {edge.body0, edge.body1}) {
                if (body == kNone) continue;
                Node& node = nodes_[static_cast<std::size_t>(body)];
                if (!node.joints.empty() && node.joints.back() == j) continue;  // a joint of a body with itself
                const Index other = edge.body0 == body ? edge.body1 : edge.body0;
                node.joints.push_back(j);
                // The weights are those of OpenUSD's parser: a joint to the world outweighs all others of a link, an
                // excluded joint counts ten times one that is followed.
                if (edge.excluded) {
                    node.weight += 1000;
                    if (other != kNone) node.across_excluded.push_back(other);
                } else if (other == kNone) {
                    node.world.push_back(j);
                    node.weight += 100000;
                } else {
                    node.neighbours.emplace_back(j, other);
                    node.weight += 100;
                }
            }
        }
    }

    const PathOrder bodies_by_path, joints_by_path;

    [[nodiscard]] const Node&  node(Index body) const { return nodes_[static_cast<std::size_t>(body)]; }
    [[nodiscard]] const Joint& joint(Index j) const { return model_.joints[static_cast<std::size_t>(j)]; }

    // Everything that joints reach from a body, in the order of a depth-first walk.
    [[nodiscard]] std::vector<Index> component(Index start, std::vector<char>& seen) const
    {
        std::vector<Index> order, stack{start};
        while (!stack.empty()) {
            const Index body = stack.back();
            stack.pop_back();
            if (seen[static_cast<std::size_t>(body)]) continue;
            seen[static_cast<std::size_t>(body)] = 1;
            order.push_back(body);
            const auto& next = node(body).neighbours;
            // Pushed backwards, so that the first neighbour is taken off the stack first.
            for (std::size_t i = next.size(); i-- > 0;)
                if (!seen[static_cast<std::size_t>(next[i].second)]) stack.push_back(next[i].second);
        }
        return order;
    }

    // Number of joints from each body of a component to its farthest body. In a tree that is one end of a longest way
    // through it, so three walks do; else each body takes a walk, which is left out (all zero) beyond `largest` bodies:
    // the first body with most neighbours serves as a centre as well.
    [[nodiscard]] std::vector<int> eccentricities(const std::vector<Index>& component, std::size_t largest) const
    {
        std::vector<int> farthest(component.size(), 0);
        const auto       lengthen = [&] {
            for (std::size_t i = 0; i < component.size(); ++i)
                farthest[i] = std::max(farthest[i], distance_[static_cast<std::size_t>(component[i])]);
        };
        std::size_t sides = 0;
        for (const Index body : component) sides += node(body).neighbours.size();
        if (sides == 2 * (component.size() - 1)) {
            // The end of a longest way is the farthest body from any body of a tree; the other end is the farthest from
            // that.
            // Each body's farthest is one of the two ends, so the larger of its two distances is its eccentricity.
            const Index one = walk(component.front(), component), other = walk(one, component);
            lengthen();
            walk(other, component);
            lengthen();
        } else if (component.size() <= largest) {
            for (std::size_t i = 0; i < component.size(); ++i)
                farthest[i] = distance_[static_cast<std::size_t>(walk(component[i], component))];
        }
        return farthest;
    }

  private:
    // Leaves in `distance_` the numbers of joints from a body to each of its component, and returns the farthest.
    Index walk(Index start, const std::vector<Index>& component) const
    {
        for (const Index body : component) distance_[static_cast<std::size_t>(body)] = -1;
        std::vector<Index> reached{start};
        distance_[static_cast<std::size_t>(start)] = 0;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (const auto& [j, other] : node(reached[i]).neighbours) {
                int& far = distance_[static_cast<std::size_t>(other)];
                if (far >= 0) continue;
                far = distance_[static_cast<std::size_t>(reached[i])] + 1;
                reached.push_back(other);
            }
        return reached.back();
    }

    const PhysicsModel&      model_;
    std::vector<Node>        nodes_;
    mutable std::vector<int> distance_;  // of the last walk; as long as there are bodies, however small the component
};

// Which body or world joint a component hangs on.
struct Root {
    Index body = kNone, joint = kNone;
};

/// The root of a component that names none, by the rules of OpenUSD's parser.
/// First choice is the heaviest link that is held by the world, then the first body if all others lie below it, and at
/// last the body in the middle of the graph.
Root root_of(const PhysicsModel& model, const Graph& graph, const std::vector<Index>& component)
{
    Index heaviest = kNone;
    for (const Index body : component)
        if (!graph.node(body).world.empty() &&
            (heaviest == kNone || graph.node(body).weight > graph.node(heaviest).weight))
            heaviest = body;
    // The reference keeps the last world joint that it meets on a link; joints come by path.
    if (heaviest != kNone) return {heaviest, graph.node(heaviest).world.back()};

    const auto& first = model.bodies[static_cast<std::size_t>(component.front())].path;
    if (std::all_of(component.begin(), component.end(),
                    [&](Index b) { return model.bodies[static_cast<std::size_t>(b)].path.has_prefix(first); }))
        return {component.front(), kNone};

    Index                  center   = kNone;
    int                    least    = std::numeric_limits<int>::max();
    std::size_t            most     = 0;
    constexpr std::size_t  kLargest = 4096;  // for walks from each link
    const std::vector<int> all      = graph.eccentricities(component, kLargest);
    for (std::size_t i = 0; i < component.size(); ++i) {
        const Index       body  = component[i];
        const int         far   = all[i];
        const std::size_t links = graph.node(body).neighbours.size();
        if (far < least || (far == least && links > most)) {
            center = body;
            least  = far;
            most   = links;
        }
    }
    return {center, kNone};
}

/// A spanning tree, breadth first from the root: loops then close far from it and about half-way round.
/// Joints that are not in the tree become closures, those that are excluded among them.
Tree grow(const PhysicsModel& model, const Graph& graph, const Root& root)
{
    Tree tree;
    tree.root_body  = root.body;
    tree.root_joint = root.joint;
    tree.root       = root.joint != kNone ? model.joints[static_cast<std::size_t>(root.joint)].path
                                          : model.bodies[static_cast<std::size_t>(root.body)].path;
    std::set<Index>   bodies{root.body}, joints, closures;
    std::deque<Index> queue{root.body};
    while (!queue.empty()) {
        const Index body = queue.front();
        queue.pop_front();
        tree.links.push_back(body);
        for (const auto& [j, other] : graph.node(body).neighbours) {
            if (joints.contains(j) || !bodies.insert(other).second) continue;
            joints.insert(j);
            tree.joints.push_back(j);
            queue.push_back(other);
        }
    }
    for (const Index body : tree.links)
        for (const Index j : graph.node(body).joints)
            if (j != root.joint && !joints.contains(j) && graph.joint(j).valid) closures.insert(j);
    tree.closures.assign(closures.begin(), closures.end());
    graph.joints_by_path.sort(tree.closures);
    return tree;
}

/// What the parser of OpenUSD lists as articulated bodies: the other sides of all joints, the world as the empty path.
/// It is for `dump physics` only; the import goes by `links` and `trees`.
void list_reference_bodies(const PhysicsModel& model, const Graph& graph,
                           const std::vector<std::vector<Index>>& components, Articulation& out)
{
    bool               world = false;
    std::vector<Index> bodies;
    for (const auto& component : components)
        for (const Index body : component) {
            const Node& node = graph.node(body);
            world |= !node.world.empty();
            for (const auto& [j, other] : node.neighbours) bodies.push_back(other);
            bodies.insert(bodies.end(), node.across_excluded.begin(), node.across_excluded.end());
        }
    graph.bodies_by_path.sort(bodies);
    if (world) out.reference_bodies.emplace_back();  // the empty path comes first
    for (const Index body : bodies) out.reference_bodies.push_back(model.bodies[static_cast<std::size_t>(body)].path);
}

void report(const Reader& reader, const Articulation& articulation, const Tree& tree)
{
    const PhysicsModel& model = reader.model;
    if (const Body& body = model.bodies[static_cast<std::size_t>(tree.root_body)]; body.kinematic)
        reader.found.add(kArticKinematicRoot, body.prim.site(),
                         fmt::format("<{}>, root of <{}>, is kinematic", body.path.text(), articulation.path.text()));
    std::string loops;
    for (const Index j : tree.closures) {
        const Joint& joint = model.joints[static_cast<std::size_t>(j)];
        if (!joint.excluded) loops += (loops.empty() ? "<" : ", <") + joint.path.text() + ">";
    }
    if (!loops.empty())
        reader.found.add(kArticLoop, articulation.prim.site(),
                         fmt::format("<{}> is closed by {}", articulation.path.text(), loops));
}

class Roots {
  public:
    explicit Roots(Reader& reader) : r_(reader), graph_(reader.model), claimed_(reader.model.bodies.size(), 0)
    {
        if (reader.options.conventions.articulations_as_parsed) reference_.emplace(reader);
    }

    // One articulation root. It is a body, a joint that holds a body on the world, or a prim above several bodies.
    void read(std::size_t record_index)
    {
        const Record& record = r_.records[record_index];
        Articulation  out;
        out.path = record.prim.path();
        out.prim = record.prim;
        if (record.has_pairs) out.filtered = r_.targets(record.prim, "physics:filteredPairs");

        Root fixed;
        // A joint that names two bodies, or is off, roots nothing; neither does a body that is off or invalid.
        bool possible = true;
        if (record.joint) {
            const Joint& joint     = r_.model.joints[static_cast<std::size_t>(r_.model.joint_at(out.path))];
            const bool   one_world = (joint.body0 == kNone) != (joint.body1 == kNone);
            if (one_world && joint.enabled)
                fixed = {joint.body0 != kNone ? joint.body0 : joint.body1, r_.model.joint_at(out.path)};
            possible = fixed.body != kNone;
        } else if (record.body != kNone) {
            const Body& body = r_.model.bodies[static_cast<std::size_t>(record.body)];
            if (body.enabled && body.valid) fixed = {record.body, kNone};
            possible = fixed.body != kNone;
        }
        if (possible) collect(record_index, fixed, out);
        if (reference_) reference_->answer(record_index, out);
        finish(record, std::move(out));
    }

  private:
    void collect(std::size_t record_index, const Root& fixed, Articulation& out)
    {
        const PhysicsModel&             model = r_.model;
        std::vector<char>               seen(model.bodies.size(), 0);
        std::vector<std::vector<Index>> components;
        if (fixed.body != kNone) components.push_back(graph_.component(fixed.body, seen));
        // Bodies of the subtree, each with what it hangs on, also outside the subtree.
        for (std::size_t i = record_index; i < r_.records.size() && r_.records[i].prim.path().has_prefix(out.path);
             ++i) {
            const Index body = r_.records[i].body;
            if (body == kNone || r_.records[i].owner != body || seen[static_cast<std::size_t>(body)]) continue;
            components.push_back(graph_.component(body, seen));
        }
        list_reference_bodies(model, graph_, components, out);
        for (std::size_t c = 0; c < components.size(); ++c) {
            for (const Index body : components[c]) {
                const auto& joints = graph_.node(body).joints;
                out.joints.insert(out.joints.end(), joints.begin(), joints.end());
                out.links.push_back(body);
            }
            // An authored root has one tree. What else lies below it still counts as its links.
            if (fixed.body != kNone && c > 0) continue;
            const Root root = fixed.body != kNone ? fixed : root_of(model, graph_, components[c]);
            out.trees.push_back(grow(model, graph_, with_world_joint(root)));
            out.roots.push_back(fixed.body != kNone && fixed.joint == kNone
                                    ? model.bodies[static_cast<std::size_t>(fixed.body)].path
                                    : out.trees.back().root);
        }
        graph_.bodies_by_path.sort(out.links);
        graph_.joints_by_path.sort(out.joints);
    }

    // A root body that a joint ties to the world is no floating base.
    [[nodiscard]] Root with_world_joint(Root root) const
    {
        if (root.joint == kNone && !graph_.node(root.body).world.empty())
            root.joint = graph_.node(root.body).world.front();
        return root;
    }

    // Checks the trees against what earlier roots have taken, and adds the articulation.
    void finish(const Record& record, Articulation out)
    {
        PhysicsModel& model = r_.model;
        const Index   index = static_cast<Index>(model.articulations.size());
        if (out.roots.empty())
            r_.invalidate(out, kArticNoRoot, record.prim.site(),
                          fmt::format("<{}> is an articulation root without a body", out.path.text()));
        // A body that an earlier root has taken keeps it: the later tree is dropped.
        const bool had_trees = !out.trees.empty();
        std::erase_if(out.trees, [&](const Tree& tree) {
            return std::any_of(tree.links.begin(), tree.links.end(),
                               [&](Index b) { return claimed_[static_cast<std::size_t>(b)] != 0; });
        });
        if (had_trees && out.trees.empty()) {
            r_.found.add(kArticNested, record.prim.site(),
                         fmt::format("the bodies of <{}> belong to another articulation", out.path.text()));
            if (!r_.options.conventions.articulations_as_parsed) {
                out.valid = false;
                out.reasons.emplace_back(kArticNested.id);
            }
        }
        for (const Tree& tree : out.trees) {
            report(r_, out, tree);
            for (const Index body : tree.links) {
                claimed_[static_cast<std::size_t>(body)]                  = 1;
                model.bodies[static_cast<std::size_t>(body)].articulation = index;
            }
        }
        model.lookup.articulations.emplace(out.path, index);
        model.articulations.push_back(std::move(out));
    }

    Reader&                               r_;
    Graph                                 graph_;
    std::vector<char>                     claimed_;
    std::optional<ReferenceArticulations> reference_;
};

}  // namespace

void read_articulations(Reader& reader)
{
    Roots roots(reader);
    for (std::size_t i = 0; i < reader.records.size(); ++i)
        if (reader.records[i].has_articulation) roots.read(i);
}

}  // namespace mechane::physics
