"""Graph colouring: groups of nodes of which no two share an edge, so that what moves one of a group does not wait for another."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import plain
from ..core.arguments import name_arguments
from ..core.diagnostics import kind_of

__all__ = ["color_graph"]


def color_graph(num_nodes: int, graph_edge_indices: Any, balance_colors: bool = True, target_max_min_color_ratio: float = 1.1, algorithm: Any = "mcs") -> list[np.ndarray]:
    """Groups of nodes, [int32] each; every node is in one, and no edge joins two of one group.

    "mcs" takes the node with most coloured neighbours first (maximum cardinality search, Tarjan and Yannakakis 1984), which colours chordal graphs with the
    fewest colours (Pereira and Palsberg 2005); "greedy" takes nodes by their degree. Each node gets the first colour that none of its neighbours has.

    @param graph_edge_indices  [edges, 2]
    @param balance_colors      moves nodes from large groups to small ones, where no neighbour forbids it, until the largest has at most
                               `target_max_min_color_ratio` times the nodes of the smallest, or nothing can be moved
    @raises ValueError  edges of another shape, an end that is no node, an edge from a node to itself, or no such algorithm
    """
    edges = plain(graph_edge_indices)
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise kind_of(ValueError)(f"graph_edge_indices has shape {edges.shape}, expected (edges, 2)", "PYTHON_ARG_SHAPE")
    count = int(num_nodes)
    if edges.size and not 0 <= edges.min() <= edges.max() < count:
        raise kind_of(ValueError)(f"graph_edge_indices: an end is not one of the {count} nodes", "PYTHON_ARG_INDEX")
    if (edges[:, 0] == edges[:, 1]).any():
        raise kind_of(ValueError)("graph_edge_indices: a node cannot have another colour than itself", "PYTHON_ARGUMENT")
    word = str(getattr(algorithm, "name", algorithm)).lower()
    if word not in ("mcs", "greedy", "ordered_greedy"):
        raise kind_of(ValueError)(f"algorithm is {algorithm!r}, expected 'mcs' or 'greedy'", "PYTHON_ARGUMENT")
    near: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges.tolist():
        near[a].add(b)
        near[b].add(a)
    order = _by_cardinality(near) if word == "mcs" else sorted(range(count), key=lambda n: (-len(near[n]), n))
    colors = [-1] * count
    for node in order:
        taken = {colors[other] for other in near[node]}
        colors[node] = next(c for c in range(len(taken) + 1) if c not in taken)
    groups = [[n for n in range(count) if colors[n] == c] for c in range(max(colors, default=-1) + 1)]
    if balance_colors:
        _balance(groups, colors, near, float(target_max_min_color_ratio))
    return [np.array(sorted(group), np.int32) for group in groups]


def _by_cardinality(near: list[set[int]]) -> list[int]:
    """Nodes, each time one of those with most neighbours before it; the lowest number among equals, for the same groups everywhere."""
    weight, done, order = [0] * len(near), [False] * len(near), []
    buckets: list[list[int]] = [list(range(len(near) - 1, -1, -1))]
    top = 0
    while len(order) < len(near):
        while not buckets[top]:
            top -= 1
        node = buckets[top].pop()
        if done[node] or weight[node] != top:
            continue  # it has moved to a higher bucket since
        done[node] = True
        order.append(node)
        for other in sorted(near[node], reverse=True):
            if not done[other]:
                weight[other] += 1
                if weight[other] == len(buckets):
                    buckets.append([])
                buckets[weight[other]].append(other)
        top = min(top + 1, len(buckets) - 1)
    return order


def _balance(groups: list[list[int]], colors: list[int], near: list[set[int]], ratio: float) -> None:
    """Each move makes the sum of squared sizes smaller, so it ends."""
    moved = True
    while moved and groups and max(map(len, groups)) > ratio * min(map(len, groups)):
        moved = False
        for largest in sorted(range(len(groups)), key=lambda c: -len(groups[c])):
            for node in list(groups[largest]):
                free = [c for c in range(len(groups)) if len(groups[c]) + 1 < len(groups[largest]) and all(colors[other] != c for other in near[node])]
                if not free:
                    continue
                to = min(free, key=lambda c: len(groups[c]))
                groups[largest].remove(node)
                groups[to].append(node)
                colors[node], moved = to, True


name_arguments(globals())
