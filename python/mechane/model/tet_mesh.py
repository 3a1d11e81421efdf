"""Meshes of tetrahedra."""
from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import NotSupportedError, kind_of
from ..core.files import write
from .custom import AttributeFrequency as f

__all__ = ["TetMesh"]

_RESERVED = frozenset({"vertices", "tet_indices", "k_mu", "k_lambda", "k_damp", "density", "__custom_names__", "__custom_freqs__"})


class TetMesh:
    """Tetrahedra with a material: Lame parameters `k_mu`, `k_lambda` [Pa] and damping `k_damp` [Pa s] for each or for all, density [kg/m^3].

    `custom_attributes` are arrays of one value for each vertex, tetrahedron or surface triangle, or pairs of such an array and its frequency.

    @raises ValueError  the number of indices is no multiple of 4, one names no vertex, or an array has another length
    """

    _of_prim: Callable[..., "TetMesh"]  #: `tet_prims` reads prims

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

    @staticmethod
    def create_from_usd(prim: Any, *, compat_namespaces: Any = None) -> "TetMesh":
        """Tetrahedra of a TetMesh prim, with the elasticity and density of its physics material, in units of the stage; arrays of its own as custom attributes.

        @param compat_namespaces  of vendors, whose names count where `physics:` says nothing, on materials without the schema too. None: those of
            DEFORMABLE_LEGACY_NAMESPACES, with a warning where that makes a difference; (): none
        @raises ValueError  points or tetVertexIndices are missing, or do not fit together
        """
        return TetMesh._of_prim(prim, compat_namespaces=compat_namespaces)

    @staticmethod
    def create_from_file(filename: Any) -> "TetMesh":
        """From a file that `save` wrote (.npz), or, with the package meshio, from .vtk, .vtu, .msh and what else it reads.

        @raises FileNotFoundError  there is no such file
        @raises ValueError  it has no tetrahedra, or a density for each
        """
        path = os.fspath(filename)
        if not os.path.exists(path):
            raise kind_of(FileNotFoundError)(f"File not found: {path}", "FILES_INPUT")
        if not path.lower().endswith(".npz"):
            return _of_meshio(path)
        with np.load(path, allow_pickle=False) as data:
            kinds = dict(zip(map(str, data["__custom_names__"]), data["__custom_freqs__"])) if "__custom_names__" in data else {}
            own = {k: (data[k], f(int(kinds[k]))) if k in kinds else data[k] for k in data.files if k not in _RESERVED}
            return TetMesh(data["vertices"], data["tet_indices"], custom_attributes=own, density=float(data["density"]) if "density" in data else None,
                           **{k: data[k] for k in ("k_mu", "k_lambda", "k_damp") if k in data})

    def save(self, filename: Any) -> None:
        """Writes .npz, or, with the package meshio, .vtk, .vtu, .msh and what else it writes."""
        path = os.fspath(filename)
        materials = {k: v for k, v in (("k_mu", self.k_mu), ("k_lambda", self.k_lambda), ("k_damp", self.k_damp)) if v is not None}
        if path.lower().endswith(".npz"):
            arrays: dict[str, Any] = {"vertices": self._vertices, "tet_indices": self._tets, **materials, **{k: v for k, (v, _) in self.custom_attributes.items()}}
            if self.density is not None:
                arrays["density"] = np.array(self.density)
            if self.custom_attributes:
                arrays["__custom_names__"] = np.array(list(self.custom_attributes))
                arrays["__custom_freqs__"] = np.array([int(kind) for _, kind in self.custom_attributes.values()], np.int32)
            packed = io.BytesIO()
            np.savez(packed, **arrays)
            write(path, packed.getvalue())
            return
        meshio = _meshio()
        cells = {k: [v] for k, v in materials.items()}
        if self.density is not None:
            cells["density"] = [np.full(self.tet_count, self.density, np.float32)]
        cells.update({k: [v] for k, (v, kind) in self.custom_attributes.items() if kind == f.TETRAHEDRON})
        points = {k: v for k, (v, kind) in self.custom_attributes.items() if kind == f.PARTICLE}
        meshio.Mesh(self._vertices, [("tetra", self._tets.reshape(-1, 4))], point_data=points, cell_data=cells).write(path)

    def __repr__(self) -> str:
        return f"<TetMesh {self.vertex_count} vertices, {self.tet_count} tetrahedra>"


def _meshio() -> Any:
    try:
        import meshio
    except ImportError:
        raise NotSupportedError("files of tetrahedra other than .npz need the package meshio: pip install meshio", "PYTHON_NOT_BUILT") from None
    return meshio


def _of_meshio(path: str) -> TetMesh:
    found = _meshio().read(path)
    block = next((i for i, cells in enumerate(found.cells) if cells.type == "tetra"), None)
    if block is None:
        raise kind_of(ValueError)(f"No tetrahedral cells found in '{path}'.", "PYTHON_MESH")
    cells = {name: np.asarray(arrays[block]) for name, arrays in (found.cell_data or {}).items()}
    density = cells.pop("density", None)
    if density is not None and density.size > 1 and not np.allclose(density, density.reshape(-1)[0]):
        raise kind_of(ValueError)(f"'{path}': a density for each tetrahedron; a TetMesh has one", "PYTHON_MESH")
    own: dict[str, Any] = {name: (np.asarray(rows), f.PARTICLE) for name, rows in (found.point_data or {}).items()}
    own.update({name: (rows, f.TETRAHEDRON) for name, rows in cells.items() if name not in ("k_mu", "k_lambda", "k_damp")})
    return TetMesh(found.points, found.cells[block].data, density=None if density is None else float(density.reshape(-1)[0]), custom_attributes=own,
                   **{k: cells[k] for k in ("k_mu", "k_lambda", "k_damp") if k in cells})


name_arguments(globals())
