// The joint graph as trees: components, roots, breadth-first spanning, loops; and the strict order of Newton, which
// refuses what is no tree. Nodes are bodies and the world; order of edges is the caller's.

#include "joint_graph.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace mechane::importer {
namespace {

struct Half {
    std::size_t edge = 0;
    int         to   = kGraphWorld;
};

/// Edges at each node in listed order; slot 0 is the world, slot i + 1 body i.
using Adjacency = std::vector<std::vector<Half>>;

std::size_t slot(int node) { return static_cast<std::size_t>(node + 1); }

Adjacency adjacency_of(std::size_t body_count, std::span<const GraphEdge> edges)
{
    Adjacency at(body_count + 1);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        at[slot(edges[e].parent)].push_back({e, edges[e].child});
        at[slot(edges[e].child)].push_back({e, edges[e].parent});
    }
    return at;
}

/// Connected components over bodies only (the world connects nothing), each ascending, by their lowest body.
std::vector<std::vector<int>> components_of(const Adjacency& at)
{
    std::vector<std::vector<int>> components;
    std::vector<bool>             seen(at.size(), false);
    for (std::size_t s = 1; s < at.size(); ++s) {
        if (seen[s] || at[s].empty()) continue;
        std::vector<int> component{static_cast<int>(s) - 1};
        seen[s] = true;
        for (std::size_t i = 0; i < component.size(); ++i) {
            for (const Half& half : at[slot(component[i])]) {
                if (half.to == kGraphWorld || seen[slot(half.to)]) continue;
                seen[slot(half.to)] = true;
                component.push_back(half.to);
            }
        }
        std::sort(component.begin(), component.end());
        components.push_back(std::move(component));
    }
    return components;
}

/// Greatest distance in edges from a body to the others of its component.
/// Breadth-first search from one body.
std::size_t eccentricity(int from, const Adjacency& at)
{
    std::map<int, std::size_t> distance{{from, 0}};
    std::deque<int>            queue{from};
    std::size_t                far = 0;
    while (!queue.empty()) {
        const int node = queue.front();
        queue.pop_front();
        far = std::max(far, distance[node]);
        for (const Half& half : at[slot(node)])
            if (half.to != kGraphWorld && distance.try_emplace(half.to, distance[node] + 1).second)
                queue.push_back(half.to);
    }
    return far;
}

class Spanner {
  public:
    Spanner(std::span<const GraphEdge> edges, const Adjacency& at, const std::vector<bool>& kinematic, JointOrder order)
        : edges_(edges),
          at_(at),
          kinematic_(kinematic),
          order_(order),
          placed_(at.size(), false),
          used_(edges.size(), false)
    {
    }

    JointForest run(const std::vector<std::vector<int>>& components)
    {
        for (const std::vector<int>& component : components) {
            // A component that is tied to the world grows from there first.
            if (std::any_of(component.begin(), component.end(), [&](int b) { return touches_world(b); }))
                grow(kGraphWorld, component);
            while (const std::optional<int> root = next_root(component)) grow(*root, component);
        }
        return std::move(forest_);
    }

  private:
    [[nodiscard]] bool moves(int node) const
    { return node != kGraphWorld && !kinematic_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] bool touches_world(int body) const
    {
        return moves(body) && std::any_of(at_[slot(body)].begin(), at_[slot(body)].end(),
                                          [](const Half& h) { return h.to == kGraphWorld; });
    }

    [[nodiscard]] std::optional<int> next_root(const std::vector<int>& component) const
    {
        std::vector<int> left;
        for (const int b : component)
            if (!placed_[slot(b)]) left.push_back(b);
        if (left.empty()) return std::nullopt;
        for (const int b : left)
            // A kinematic body is the base of what hangs on it.
            if (!moves(b)) return b;
        std::vector<int> nobodys_child;
        for (const int b : left)
            if (std::none_of(at_[slot(b)].begin(), at_[slot(b)].end(),
                             [&](const Half& h) { return edges_[h.edge].child == b; }))
                nobodys_child.push_back(b);
        // Authored directions show the root if one body is nobody's child; otherwise the centre, so that trees are
        // shallow.
        if (nobodys_child.size() == 1) return nobodys_child.front();
        // The search is quadratic; beyond this size the first candidate serves as well.
        constexpr std::size_t kCentreLimit = 2000;
        if (left.size() > kCentreLimit) return nobodys_child.empty() ? left.front() : nobodys_child.front();
        std::size_t best = std::numeric_limits<std::size_t>::max();
        int         root = left.front();
        for (const int b : left)
            if (const std::size_t far = eccentricity(b, at_); far < best) best = far, root = b;
        return root;
    }

    /// Breadth-first tree from a root; leaves every edge that closes a loop in `loops`.
    void grow(int root, const std::vector<int>& component)
    {
        std::map<int, std::vector<TreeEdge>> below;  // tree edges by the node nearer to the root
        std::deque<int>                      queue;
        const auto                           belongs = [&](int node) {
            return node == kGraphWorld || std::binary_search(component.begin(), component.end(), node);
        };
        if (root != kGraphWorld) placed_[slot(root)] = true;
        queue.push_back(root);
        while (!queue.empty()) {
            const int node = queue.front();
            queue.pop_front();
            for (const Half& half : at_[slot(node)]) {
                if (used_[half.edge] || !belongs(half.to)) continue;
                const bool flipped = edges_[half.edge].child == node;
                const bool settled = half.to == kGraphWorld || placed_[slot(half.to)];
                // A joint with several axes cannot be turned round: its inverse has another order of turns.
                if (settled || !moves(half.to) || (flipped && node != kGraphWorld && !edges_[half.edge].flippable)) {
                    used_[half.edge] = true;
                    (moves(node) || moves(half.to) ? forest_.loops : forest_.idle).push_back(half.edge);
                    continue;
                }
                used_[half.edge]       = true;
                placed_[slot(half.to)] = true;
                below[node].push_back({half.edge, flipped});
                queue.push_back(half.to);
            }
        }
        emit(root, below);
    }

    void emit(int root, const std::map<int, std::vector<TreeEdge>>& below)
    {
        // Spanned breadth first, listed depth first or breadth first.
        JointTree tree;
        tree.root = root;
        if (root != kGraphWorld) tree.bodies.push_back(root);
        const auto far_end = [&](const TreeEdge& e) {
            return e.flipped ? edges_[e.edge].parent : edges_[e.edge].child;
        };
        // One list serves as stack (depth first) or as queue (breadth first).
        std::deque<TreeEdge> open;
        const auto           push_children = [&](int node) {
            const auto found = below.find(node);
            if (found == below.end()) return;
            if (order_ == JointOrder::dfs)
                open.insert(open.begin(), found->second.begin(), found->second.end());
            else
                open.insert(open.end(), found->second.begin(), found->second.end());
        };
        push_children(root);
        while (!open.empty()) {
            const TreeEdge edge = open.front();
            open.pop_front();
            tree.edges.push_back(edge);
            tree.bodies.push_back(far_end(edge));
            push_children(far_end(edge));
        }
        if (!tree.bodies.empty()) forest_.trees.push_back(std::move(tree));
    }

    std::span<const GraphEdge> edges_;
    const Adjacency&           at_;
    const std::vector<bool>&   kinematic_;
    JointOrder                 order_;
    std::vector<bool>          placed_, used_;
    JointForest                forest_;
};

}  // namespace

JointForest span_joint_graph(std::size_t body_count, std::span<const GraphEdge> edges,
                             const std::vector<bool>& kinematic, JointOrder order)
{
    const Adjacency at = adjacency_of(body_count, edges);
    return Spanner(edges, at, kinematic, order).run(components_of(at));
}

StrictOrder order_as_authored(std::span<const GraphEdge> edges, JointOrder order)
{
    StrictOrder out;
    if (order == JointOrder::listed) {
        out.edges.resize(edges.size());
        std::iota(out.edges.begin(), out.edges.end(), std::size_t{0});
        return out;
    }
    // Newton's walk: by adjacency, not back along the edge it came by.
    int highest = kGraphWorld;
    for (const GraphEdge& e : edges) highest = std::max({highest, e.parent, e.child});
    const Adjacency at = adjacency_of(slot(highest), edges);

    std::set<int> nodes, children;
    for (const GraphEdge& e : edges) nodes.insert({e.parent, e.child}), children.insert(e.child);
    std::vector<int> roots;
    std::set_difference(nodes.begin(), nodes.end(), children.begin(), children.end(), std::back_inserter(roots));
    // The world comes first in the set, then bodies by index; a graph without any source is walked from its lowest
    // node.
    const int root = nodes.count(kGraphWorld) != 0 ? kGraphWorld : (roots.empty() ? *nodes.begin() : roots.front());

    struct Visit {
        int         node = kGraphWorld;
        std::size_t via  = std::numeric_limits<std::size_t>::max();
    };
    std::set<int>            visited{root};
    std::vector<std::size_t> reversed;
    std::deque<Visit>        open;
    const auto               expand = [&](int node, std::size_t via) {
        std::vector<Visit> next;
        for (const Half& half : at[slot(node)])
            if (half.edge != via) next.push_back({half.to, half.edge});
        open.insert(order == JointOrder::dfs ? open.begin() : open.end(), next.begin(), next.end());
    };
    expand(root, std::numeric_limits<std::size_t>::max());
    while (!open.empty()) {
        const Visit visit = open.front();
        open.pop_front();
        if (!visited.insert(visit.node).second) return {StrictOrder::Fault::cycle, {visit.via}};
        if (edges[visit.via].child != visit.node) reversed.push_back(visit.via);
        out.edges.push_back(visit.via);
        expand(visit.node, visit.via);
    }
    if (visited.size() != nodes.size()) return {StrictOrder::Fault::several_roots, {}};
    if (!reversed.empty()) return {StrictOrder::Fault::reversed, std::move(reversed)};
    return out;
}

}  // namespace mechane::importer
