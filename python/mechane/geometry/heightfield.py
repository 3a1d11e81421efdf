"""Height fields."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.values import transform
from .mesh import Mesh

__all__ = ["Heightfield", "rasterized"]


class Heightfield:
    """A grid of heights over [-hx, hx] x [-hy, hy] [m], kept between 0 and 1 with the range beside it. Rows follow one another along y,
    columns along x."""

    def __init__(self, data: Any, nrow: int, ncol: int, hx: float = 1.0, hy: float = 1.0, min_z: float | None = None, max_z: float | None = None):
        heights = plain(data).astype(np.float32).reshape(-1)
        if nrow < 2 or ncol < 2:
            raise ValueError(f"Heightfield: nrow {nrow}, ncol {ncol}, expected at least 2 each")
        if heights.size != nrow * ncol:
            raise ValueError(f"Heightfield: {heights.size} heights, expected nrow * ncol = {nrow * ncol}")
        self.nrow, self.ncol, self.hx, self.hy = int(nrow), int(ncol), float(hx), float(hy)
        low, high = float(heights.min()), float(heights.max())
        self.min_z = low if min_z is None else float(min_z)
        self.max_z = high if max_z is None else float(max_z)
        self._data = ((heights - low) / (high - low) if high > low else np.zeros_like(heights)).reshape(self.nrow, self.ncol)

    @staticmethod
    def create_from_mesh(mesh: Mesh, resolution: float, *, max_cells_per_axis: int = 4096) -> "tuple[Heightfield, transform]":
        """(height field, pose of its middle) of a mesh seen from above, sampled every `resolution` [m]."""
        if not resolution > 0:
            raise ValueError(f"resolution is {resolution}, expected a length above zero [m]")
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        ncol, nrow = (int(min(max_cells_per_axis, np.ceil((b - a) / resolution))) + 1 for a, b in zip(low[:2], high[:2]))
        middle = (low + high) / 2
        return rasterized(mesh, max(nrow, 2), max(ncol, 2)), transform((float(middle[0]), float(middle[1]), 0.0), (0.0, 0.0, 0.0, 1.0))

    @property
    def data(self) -> np.ndarray:
        return self._data

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


def rasterized(mesh: Mesh, nrow: int, ncol: int) -> Heightfield:
    """Heights of a mesh over its bounds, seen from above; the lowest point where there is none."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    x, y = np.meshgrid(np.linspace(low[0], high[0], ncol), np.linspace(low[1], high[1], nrow))
    start = np.stack([x, y, np.full_like(x, high[2] + 1)], axis=-1)
    distance, _ = mesh.ray(start, np.broadcast_to([0.0, 0.0, -1.0], start.shape))
    heights = np.where(distance >= 0, high[2] + 1 - distance, low[2])
    half = (high - low) / 2
    return Heightfield(heights, nrow, ncol, float(half[0]), float(half[1]))


name_arguments(globals())
