#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace mechane::importer {

/// A node of the joint graph is a body, by its index in the caller's list; kGraphWorld stands for the world.
inline constexpr int kGraphWorld = -1;

/// One edge: a joint, or a group of joints that will become one, as authored from parent to child.
struct GraphEdge {
    int  parent    = kGraphWorld;
    int  child     = kGraphWorld;
    bool flippable = true;  ///< its coordinates survive an exchange of the ends (at most one degree of freedom)
};

enum class JointOrder { dfs, bfs, listed };

struct TreeEdge {
    std::size_t edge    = 0;
    bool        flipped = false;  ///< traversed from child to parent
};

/// One articulation: a tree that hangs on the world, or on a root body which the caller ties to the world.
struct JointTree {
    int                   root = kGraphWorld;  ///< kGraphWorld when the first edge already starts at the world
    std::vector<TreeEdge> edges;               ///< parents before children
    std::vector<int>      bodies;              ///< in the order in which root and edges mention them
};

struct JointForest {
    std::vector<JointTree>   trees;  ///< by the lowest body index of their connected component
    std::vector<std::size_t> loops;  ///< edges left outside the trees, in the order in which they close a loop
    std::vector<std::size_t> idle;   ///< edges between two bodies that cannot move
};

/// Cuts any joint graph into trees: breadth first from each root, edges in listed order, so the edge that closes a loop
/// last is the one left over. Roots: the world where a joint reaches it, then kinematic bodies, then the one body that
/// is nobody's child, else the centre of the graph (smallest eccentricity, lowest index).
///
/// @param body_count  bodies are 0 .. body_count-1; every body occurs in the result's trees if an edge names it
/// @param kinematic   [body_count]; a kinematic body is only ever a root: an edge into it is a loop
JointForest span_joint_graph(std::size_t body_count, std::span<const GraphEdge> edges,
                             const std::vector<bool>& kinematic, JointOrder order);

/// What makes a graph unacceptable to an importer that takes joints as authored.
struct StrictOrder {
    enum class Fault { none, cycle, several_roots, reversed };
    Fault                    fault = Fault::none;
    std::vector<std::size_t> edges;  ///< topological order; with a fault, the offending edges
};
/// Orders the edges without changing any: pre-order from the single root, the world first. `JointOrder::listed` checks
/// nothing.
StrictOrder order_as_authored(std::span<const GraphEdge> edges, JointOrder order);

}  // namespace mechane::importer
