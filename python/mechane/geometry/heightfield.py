"""Height fields."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.values import mat33, transform, vec3
from .mesh import Mesh

__all__ = ["Heightfield", "rasterized"]


class Heightfield:
    """A grid of heights over [-hx, hx] x [-hy, hy] [m], kept between 0 and 1 with the range beside it. Rows follow one another along y,
    columns along x. Static: it has no mass. Uniform heights with a range of their own lie at its lower end."""

    is_solid, has_inertia, mass = True, False, 0.0

    def __init__(self, data: Any, nrow: int, ncol: int, hx: float = 1.0, hy: float = 1.0, min_z: float | None = None, max_z: float | None = None):
        if nrow < 2 or ncol < 2:
            raise ValueError(f"Heightfield: nrow {nrow}, ncol {ncol}, expected at least 2 each")
        if (min_z is None) != (max_z is None):
            raise ValueError("min_z and max_z must both be provided or both omitted")
        self.nrow, self.ncol, self.hx, self.hy = int(nrow), int(ncol), float(hx), float(hy)
        self.inertia, self.com = mat33(), vec3()
        self.data = data
        if min_z is not None:
            self.min_z, self.max_z = float(min_z), float(max_z)

    @staticmethod
    def create_from_mesh(mesh: Any, resolution: float, *, max_cells_per_axis: int = 4096) -> "tuple[Heightfield, transform]":
        """(height field, pose of its middle) of a mesh (a Mesh or a warp.Mesh) seen from above, sampled every `resolution` [m]."""
        heights, (x0, y0, x1, y1) = rasterized(mesh, resolution, max_cells_per_axis)
        field = Heightfield(heights, *heights.shape, (x1 - x0) / 2, (y1 - y0) / 2)
        return field, transform(((x0 + x1) / 2, (y0 + y1) / 2, 0.0), (0.0, 0.0, 0.0, 1.0))

    @property
    def data(self) -> np.ndarray:
        """Heights between 0 and 1, [nrow, ncol]."""
        return self._data

    @data.setter
    def data(self, heights: Any) -> None:
        """Other heights [m]; the range follows them."""
        given = plain(heights).astype(np.float32)
        if given.size != self.nrow * self.ncol:
            raise ValueError(f"Heightfield: {given.size} heights, expected nrow * ncol = {self.nrow * self.ncol}")
        if not np.isfinite(given).all():
            raise ValueError("Heightfield: heights are not finite")
        low, high = float(given.min()), float(given.max())
        self._data = ((given - low) / (high - low) if high > low else np.zeros_like(given)).reshape(self.nrow, self.ncol)
        self.min_z, self.max_z = low, high
        self._hash: int | None = None

    def __hash__(self) -> int:
        """Equal fields have equal hashes."""
        if self._hash is None:
            self._hash = hash((self._data.tobytes(), self.nrow, self.ncol, self.hx, self.hy, self.min_z, self.max_z))
        return self._hash

    def heights(self) -> np.ndarray:
        """Heights [m], [nrow, ncol]."""
        return self.min_z + self._data * (self.max_z - self.min_z)

    def mesh(self) -> Mesh:
        """The surface, normals upwards: cell by cell two triangles, cut from the corner of the lowest x and y to the opposite one."""
        x, y = np.meshgrid(np.linspace(-self.hx, self.hx, self.ncol), np.linspace(-self.hy, self.hy, self.nrow))
        points = np.stack([x, y, self.heights()], axis=-1).reshape(-1, 3)
        corner = (np.arange(self.nrow - 1)[:, None] * self.ncol + np.arange(self.ncol - 1)).reshape(-1)
        right, up = corner + 1, corner + self.ncol
        triangles = np.stack([corner, right, up + 1, corner, up + 1, up], axis=1)
        return Mesh(points, triangles.reshape(-1), compute_inertia=False, is_solid=False)

    def __repr__(self) -> str:
        return f"<Heightfield {self.nrow} by {self.ncol}>"


def rasterized(mesh: Any, resolution: float, max_cells_per_axis: int = 4096) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """(heights [nrow, ncol], (x_min, y_min, x_max, y_max)) of a mesh over its bounds, seen from above; its lowest height where there is none."""
    if not resolution > 0:
        raise ValueError(f"resolution must be positive, got {resolution}: a length [m]")
    if max_cells_per_axis < 2:
        raise ValueError(f"max_cells_per_axis must be at least 2, got {max_cells_per_axis}")
    surface = mesh if isinstance(mesh, Mesh) else _of_arrays(mesh)
    points = plain(mesh.points if hasattr(mesh, "points") else mesh.vertices).astype(float).reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    ncol, nrow = (int(np.clip(round((b - a) / resolution) + 1, 2, max_cells_per_axis)) for a, b in zip(low[:2], high[:2]))
    x, y = np.meshgrid(np.linspace(low[0], high[0], ncol), np.linspace(low[1], high[1], nrow))
    start = np.stack([x, y, np.full_like(x, high[2] + 1)], axis=-1)
    distance, _ = surface.ray(start, np.broadcast_to([0.0, 0.0, -1.0], start.shape))
    heights = np.where(distance >= 0, high[2] + 1 - distance, low[2]).astype(np.float32)
    return heights, (float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def _of_arrays(mesh: Any) -> Mesh:
    """A mesh of what has points and indices, as a warp.Mesh has."""
    if not (hasattr(mesh, "points") and hasattr(mesh, "indices")):
        raise TypeError(f"mesh: expected Mesh, not {mesh.__class__.__name__}")
    return Mesh(plain(mesh.points), plain(mesh.indices), compute_inertia=False, is_solid=False)


name_arguments(globals())
