"""What of a soft mesh lies beside what: edges and triangles, and the elements around each point."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import handed, plain
from ..core.diagnostics import warn

__all__ = ["MeshAdjacency", "MeshAdjacencyData"]

_AROUND = ("edges", "tris", "springs", "tets")


@dataclass
class MeshAdjacencyData:
    """The tables of a MeshAdjacency as arrays are handed out at present; None where they have not been made."""

    edge_tri_indices: Any = None
    tri_edge_indices: Any = None
    v_adj_tris: Any = None
    v_adj_tris_offsets: Any = None
    v_adj_edges: Any = None
    v_adj_edges_offsets: Any = None
    v_adj_springs: Any = None
    v_adj_springs_offsets: Any = None
    v_adj_tets: Any = None
    v_adj_tets_offsets: Any = None


def _rows(values: Any, columns: int) -> np.ndarray | None:
    return None if values is None else np.array(plain(values), dtype=np.int32).reshape(-1, columns)


class MeshAdjacency:
    """Edges of triangles and triangles of edges.

    `edge_indices` has rows (o0, o1, v0, v1): an edge from v0 to v1 and the points opposite in its triangles, -1 for none; `edge_tri_indices` these
    triangles; `tri_edge_indices` the edges of each triangle, from its corner k to the next, -1: none. `init_vertex_adjacency` makes `v_adj_*`:
    for each point i the rows from `v_adj_X_offsets[i]` on, an element and the point's place in it (of springs the element alone).
    """

    v_adj_tris: Any
    v_adj_edges: Any
    v_adj_springs: Any
    v_adj_tets: Any

    def __init__(self, tri_indices: Any = None, edge_indices: Any = None, spring_indices: Any = None, tet_indices: Any = None):
        self.indices = _rows(tri_indices, 3)
        self.tet_indices = _rows(tet_indices, 4)
        self.spring_indices = None if spring_indices is None else np.array(plain(spring_indices), dtype=np.int32).reshape(-1)
        triangles = np.zeros((0, 3), np.int32) if self.indices is None else self.indices
        if edge_indices is None:
            self._derive(triangles)
        else:
            self.edge_indices = np.array(plain(edge_indices), dtype=np.int32).reshape(-1, 4)
            self._link(triangles)
        for name in _AROUND:
            setattr(self, f"v_adj_{name}", None)
            setattr(self, f"v_adj_{name}_offsets", None)
        self.vertex_adjacency_initialized = False

    def _derive(self, triangles: np.ndarray) -> None:
        """Edges in the order in which the triangles come to them."""
        known: dict[tuple[int, int], int] = {}
        edges: list[list[int]] = []
        sides: list[list[int]] = []
        crowded: set[int] = set()
        slots = np.full((len(triangles), 3), -1, np.int32)
        for t, corners in enumerate(triangles.tolist()):
            for k in range(3):
                a, b, opposite = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
                e = known.setdefault((min(a, b), max(a, b)), len(edges))
                slots[t, k] = e
                if e == len(edges):
                    edges.append([opposite, -1, a, b])
                    sides.append([t, -1])
                elif sides[e][1] < 0:
                    edges[e][1], sides[e][1] = opposite, t
                else:
                    crowded.add(e)
        if crowded:
            warn(f"GEOMETRY_NON_MANIFOLD: {len(crowded)} non-manifold edges have more than two triangles; the first two count")
        self.edge_indices = np.array(edges, np.int32).reshape(-1, 4)
        self.edge_tri_indices = np.array(sides, np.int32).reshape(-1, 2)
        self.tri_edge_indices = slots

    def _link(self, triangles: np.ndarray) -> None:
        """Triangles and the given edges: a triangle belongs to an edge that has its third point opposite."""
        by_ends: dict[tuple[int, int], list[int]] = {}
        for e, (_, _, a, b) in enumerate(self.edge_indices.tolist()):
            by_ends.setdefault((min(a, b), max(a, b)), []).append(e)
        self.edge_tri_indices = np.full((len(self.edge_indices), 2), -1, np.int32)
        self.tri_edge_indices = np.full((len(triangles), 3), -1, np.int32)
        for t, corners in enumerate(triangles.tolist()):
            for k in range(3):
                a, b, opposite = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
                for e in by_ends.get((min(a, b), max(a, b)), ()):
                    ends = self.edge_indices[e, :2]
                    if opposite not in ends:
                        continue
                    self.tri_edge_indices[t, k] = e
                    for side in (0, 1):
                        if ends[side] == opposite and self.edge_tri_indices[e, side] < 0:
                            self.edge_tri_indices[e, side] = t
                            break
                    break

    def init_vertex_adjacency(self, particle_count: int) -> "MeshAdjacency":
        """Makes `v_adj_*`, once; returns the object."""
        if self.vertex_adjacency_initialized:
            return self
        springs = None if self.spring_indices is None else self.spring_indices.reshape(-1, 2)
        for name, rows in zip(_AROUND, (self.edge_indices, self.indices, springs, self.tet_indices)):
            around, offsets = _around(np.zeros((0, 2), np.int32) if rows is None else rows, int(particle_count), name != "springs")
            setattr(self, f"v_adj_{name}", around)
            setattr(self, f"v_adj_{name}_offsets", offsets)
        self.vertex_adjacency_initialized = True
        return self

    def to(self, device: Any) -> MeshAdjacencyData:
        """The tables as arrays are handed out at present."""
        if not self.vertex_adjacency_initialized:
            warn("MeshAdjacency.to(): vertex adjacency is not initialized, so that v_adj_* are None; call init_vertex_adjacency(particle_count) first")
        names = [name for name in MeshAdjacencyData.__dataclass_fields__]
        return MeshAdjacencyData(**{name: None if getattr(self, name) is None else handed(np.ascontiguousarray(getattr(self, name)), "float") for name in names})


def _around(rows: np.ndarray, count: int, places: bool) -> tuple[np.ndarray, np.ndarray]:
    """(elements around each point with the point's place in them, where each point's begin)."""
    elements, slots = np.indices(rows.shape)
    points = rows.reshape(-1)
    there = points >= 0
    order = np.argsort(points[there], kind="stable")
    pairs = np.stack([elements.reshape(-1)[there][order], slots.reshape(-1)[there][order]], axis=1).astype(np.int32)
    width = 2 if places else 1
    counts = np.bincount(points[there], minlength=count)[:count]
    offsets = np.concatenate([[0], np.cumsum(counts) * width]).astype(np.int32)
    return (pairs.reshape(-1) if places else pairs[:, 0].copy()), offsets


name_arguments(globals())
