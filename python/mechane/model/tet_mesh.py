"""Meshes of tetrahedra."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import kind_of
from .custom import AttributeFrequency as f

__all__ = ["TetMesh"]

_RESERVED = frozenset({"vertices", "tet_indices", "k_mu", "k_lambda", "k_damp", "density", "__custom_names__", "__custom_freqs__"})


class TetMesh:
    """Tetrahedra with a material: Lame parameters `k_mu`, `k_lambda` [Pa] and damping `k_damp` [Pa s] for each or for all, density [kg/m^3].

    `custom_attributes` are arrays of one value for each vertex, tetrahedron or surface triangle, or pairs of such an array and its frequency.

    @raises ValueError  the number of indices is no multiple of 4, one names no vertex, or an array has another length
    """

    def __init__(self, vertices: Any, tet_indices: Any, *, k_mu: Any = None, k_lambda: Any = None, k_damp: Any = None, density: float | None = None,
                 custom_attributes: dict[str, Any] | None = None):
        self._vertices = np.array(plain(vertices), np.float32).reshape(-1, 3)
        self._tets = np.array(plain(tet_indices), np.int32).reshape(-1)
        if len(self._tets) % 4:
            raise kind_of(ValueError)(f"tet_indices length must be a multiple of 4, got {len(self._tets)}.", "PYTHON_ARG_SHAPE")
        if len(self._tets) and self._tets.min() < 0:
            raise kind_of(ValueError)(f"tet_indices contains negative index {self._tets.min()}.", "PYTHON_ARG_INDEX")
        if len(self._tets) and self._tets.max() >= len(self._vertices):
            raise kind_of(ValueError)(f"tet_indices contains index {self._tets.max()} which exceeds vertex count {len(self._vertices)}.", "PYTHON_ARG_INDEX")
        self.k_mu, self.k_lambda, self.k_damp = (self._each(name, value) for name, value in (("k_mu", k_mu), ("k_lambda", k_lambda), ("k_damp", k_damp)))
        self.density = density
        self._surface = self.compute_surface_triangles(self._tets)
        self.custom_attributes: dict[str, tuple[np.ndarray, Any]] = {}
        for name, value in (custom_attributes or {}).items():
            if name in _RESERVED:
                raise kind_of(ValueError)(f"Custom attribute name '{name}' is reserved. Reserved names: {sorted(_RESERVED)}", "PYTHON_CUSTOM_RESERVED")
            self.custom_attributes[name] = (np.asarray(value[0]), value[1]) if isinstance(value, tuple) else (np.asarray(value), self._frequency(name, np.asarray(value)))

    def _each(self, name: str, value: Any) -> np.ndarray | None:
        if value is None:
            return None
        rows = np.asarray(plain(value), np.float32).reshape(-1)
        if len(rows) == 1:
            return np.full(self.tet_count, rows[0], np.float32)
        if len(rows) != self.tet_count:
            raise kind_of(ValueError)(f"{name} array length ({len(rows)}) does not match tet count ({self.tet_count}).", "PYTHON_ARG_SHAPE")
        return rows

    def _frequency(self, name: str, values: np.ndarray) -> Any:
        n = values.shape[0] if values.ndim else 1
        counts = {f.PARTICLE: self.vertex_count, f.TETRAHEDRON: self.tet_count, f.TRIANGLE: len(self._surface) // 3, f.ONCE: 1}
        found = [frequency for frequency, count in counts.items() if count == n]
        if len(found) != 1:
            what = "matches none of" if not found else "matches several of"
            raise kind_of(ValueError)(f"Cannot infer frequency for custom attribute '{name}': array length {n} {what} the counts. "
                                      "Pass an explicit (array, frequency) tuple instead.", "PYTHON_CUSTOM_FREQUENCY")
        return found[0]

    @staticmethod
    def compute_surface_triangles(tet_indices: Any) -> np.ndarray:
        """Faces that occur once, wound outwards, flat [3 n]."""
        tets = np.asarray(plain(tet_indices), np.int32).reshape(-1, 4)
        if not len(tets):
            return np.zeros(0, np.int32)
        faces = tets[:, [[0, 2, 1], [1, 2, 3], [0, 1, 3], [0, 3, 2]]].reshape(-1, 3)
        _, of, counts = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True)
        return faces[counts[of.reshape(-1)] == 1].astype(np.int32).reshape(-1)

    @property
    def vertices(self) -> np.ndarray:
        """[m], shape [vertex_count, 3]"""
        return self._vertices

    @property
    def tet_indices(self) -> np.ndarray:
        """Flat, [4 tet_count]"""
        return self._tets

    @property
    def surface_tri_indices(self) -> np.ndarray:
        """Flat, [3 n]"""
        return self._surface

    @property
    def vertex_count(self) -> int:
        return len(self._vertices)

    @property
    def tet_count(self) -> int:
        return len(self._tets) // 4

    def __repr__(self) -> str:
        return f"<TetMesh {self.vertex_count} vertices, {self.tet_count} tetrahedra>"


name_arguments(globals())
