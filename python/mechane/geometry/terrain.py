"""Ground to walk on: blocks of heights, side by side."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["terrain"]

_CELLS = 32  #: of one block each way


def _flat(x: np.ndarray, y: np.ndarray, random: np.random.Generator, height: float = 0.0) -> np.ndarray:
    return np.full_like(x, height)


def _wave(x: np.ndarray, y: np.ndarray, random: np.random.Generator, amplitude: float = 0.3, frequency: float = 2.0) -> np.ndarray:
    return amplitude * np.sin(2 * np.pi * frequency * x) * np.sin(2 * np.pi * frequency * y)


def _stairs(x: np.ndarray, y: np.ndarray, random: np.random.Generator, step_height: float = 0.1, step_count: int = 5) -> np.ndarray:
    """Steps towards the middle, of equal width."""
    inwards = 1 - 2 * np.maximum(np.abs(x - 0.5), np.abs(y - 0.5))
    return step_height * np.minimum(np.floor(inwards * (step_count + 1)), step_count)


def _grid(x: np.ndarray, y: np.ndarray, random: np.random.Generator, cells: int = 8, height_range: tuple[float, float] = (0.0, 0.15)) -> np.ndarray:
    heights = random.uniform(*height_range, size=(cells, cells))
    return heights[np.minimum((x * cells).astype(int), cells - 1), np.minimum((y * cells).astype(int), cells - 1)]


def _box(x: np.ndarray, y: np.ndarray, random: np.random.Generator, height: float = 0.3, size: float = 0.5) -> np.ndarray:
    return np.where(np.maximum(np.abs(x - 0.5), np.abs(y - 0.5)) <= size / 2, height, 0.0)


def _gap(x: np.ndarray, y: np.ndarray, random: np.random.Generator, depth: float = 0.5, width: float = 0.1) -> np.ndarray:
    return np.where(np.abs(x - 0.5) <= width / 2, -depth, 0.0)


_KINDS: dict[str, Callable[..., np.ndarray]] = {"flat": _flat, "wave": _wave, "pyramid_stairs": _stairs, "random_grid": _grid, "box": _box, "gap": _gap}


def terrain(grid_size: tuple[int, int], block_size: tuple[float, float], terrain_types: Any, terrain_params: dict[str, dict[str, Any]] | None,
            seed: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [n, 3] and triangles of rows x columns of blocks, centred on the origin; one kind for all, or a list that repeats."""
    rows, columns = int(grid_size[0]), int(grid_size[1])
    if rows < 1 or columns < 1 or not (block_size[0] > 0 and block_size[1] > 0):
        raise ValueError(f"grid_size {grid_size}, block_size {block_size}: expected numbers above zero")
    given = ["flat"] if terrain_types is None else [terrain_types] if isinstance(terrain_types, str) or callable(terrain_types) else list(terrain_types)
    unknown = [k for k in given if not callable(k) and k not in _KINDS]
    if unknown or not given:
        raise ValueError(f"terrain_types: {unknown} are none of {sorted(_KINDS)}")
    random = np.random.default_rng(seed)
    heights = np.zeros((rows * _CELLS + 1, columns * _CELLS + 1))
    at = np.linspace(0.0, 1.0, _CELLS + 1)
    x, y = np.meshgrid(at, at, indexing="ij")
    for block in range(rows * columns):
        kind = given[block % len(given)]
        make = kind if callable(kind) else _KINDS[kind]
        r, c = divmod(block, columns)
        heights[r * _CELLS:(r + 1) * _CELLS + 1, c * _CELLS:(c + 1) * _CELLS + 1] = make(x, y, random, **(terrain_params or {}).get(kind, {}))
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, heights.shape[0]) * rows * block_size[0], np.linspace(-0.5, 0.5, heights.shape[1]) * columns * block_size[1], indexing="ij")
    corner = np.arange(heights.size).reshape(heights.shape)
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    return np.stack([u, v, heights], axis=-1).reshape(-1, 3), np.stack([a, b, c, a, c, d], axis=-1).reshape(-1)
