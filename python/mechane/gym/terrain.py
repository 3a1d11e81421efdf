"""Ground that is not flat: height fields with a spot for each start."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import reals
from ..geometry.heightfield import Heightfield
from ..model.configs import ShapeConfig

__all__ = ["KINDS", "Terrain"]


def _flat(x: np.ndarray, y: np.ndarray, height: float, random: np.random.Generator) -> np.ndarray:
    return np.zeros_like(x)


def _rough(x: np.ndarray, y: np.ndarray, height: float, random: np.random.Generator) -> np.ndarray:
    return random.uniform(0.0, height, x.shape)


def _waves(x: np.ndarray, y: np.ndarray, height: float, random: np.random.Generator) -> np.ndarray:
    return 0.25 * height * (2.0 + np.sin(2.0 * np.pi * x / 4.0) + np.sin(2.0 * np.pi * y / 4.0))


def _slope(x: np.ndarray, y: np.ndarray, height: float, random: np.random.Generator) -> np.ndarray:
    return height * x


def _stairs(x: np.ndarray, y: np.ndarray, height: float, random: np.random.Generator) -> np.ndarray:
    """Rings of steps 0.4 m wide that rise from the middle."""
    return height * np.floor(np.maximum(np.abs(x), np.abs(y)) / 0.4)


#: kind -> heights over a grid; what `height` means: an amplitude [m], a rise a metre for "slope", a step's height [m] for "stairs"
KINDS = {"flat": _flat, "rough": _rough, "waves": _waves, "slope": _slope, "stairs": _stairs}


class Terrain:
    """A square of ground that all worlds share; each starts somewhere on it.

    @param kind    of `KINDS`
    @param height  amplitude [m]; of "slope" the rise a metre, of "stairs" the height of a step [m]
    @param size    side of the square [m]
    @param cell    distance of two heights [m]
    @param seed    of "rough"
    """

    def __init__(self, kind: str = "rough", *, height: float = 0.05, size: float = 40.0, cell: float = 0.1, seed: int = 0):
        if kind not in KINDS:
            raise ValueError(f"kind: {kind!r}, expected one of {', '.join(KINDS)}")
        for name, value in (("height", height), ("size", size), ("cell", cell), ("seed", seed)):
            reals(name, value, 1)
        if not (0 <= height < size and 0 < cell <= size / 2 and size < float("inf")):
            raise ValueError(f"Terrain: height {height}, size {size}, cell {cell}; expected 0 <= height < size and 0 < cell <= size / 2")
        self.kind, self.height, self.size, self.cell, self.seed = kind, float(height), float(size), float(cell), int(seed)
        n = int(round(size / cell)) + 1
        at = np.linspace(-size / 2, size / 2, n)
        self._heights = KINDS[kind](*np.meshgrid(at, at, indexing="ij"), self.height, np.random.default_rng(self.seed))

    def add_to(self, builder: Any, mu: float = 1.0) -> None:
        """The ground as a static shape; a plane where it is flat."""
        cfg = ShapeConfig(mu=mu, density=0.0)
        if self.kind == "flat":
            builder.add_ground_plane(cfg=cfg)
            return
        n = len(self._heights)
        builder.add_shape_heightfield(heightfield=Heightfield(self._heights.T, n, n, self.size / 2, self.size / 2), cfg=cfg, label="terrain")

    def heights(self, x: Any, y: Any) -> np.ndarray:
        """Height of the ground at points, on the triangles that collide [m]."""
        n = len(self._heights)
        u, v = (np.clip((np.asarray(a, float) + self.size / 2) / self.size * (n - 1), 0, n - 1.000001) for a in (x, y))
        i, j = u.astype(int), v.astype(int)
        u, v = u - i, v - j
        h = self._heights
        low, high, far_x, far_y = h[i, j], h[i + 1, j + 1], h[i + 1, j], h[i, j + 1]
        # A cell is two triangles, cut from its lowest corner to its highest.
        return low + np.where(u >= v, u * (far_x - low) + v * (high - far_x), v * (far_y - low) + u * (high - far_y))

    def spots(self, draws: np.ndarray) -> np.ndarray:
        """Starts in the inner half of the square, for draws in [0, 1) [n, 2]; the origin where the ground is flat. [n, 2] [m]"""
        return np.zeros_like(draws) if self.kind == "flat" else (draws - 0.5) * 0.5 * self.size

    def __repr__(self) -> str:
        return f"Terrain({self.kind!r}, height={self.height}, size={self.size}, cell={self.cell}, seed={self.seed})"
