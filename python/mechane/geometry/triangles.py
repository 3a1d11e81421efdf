"""Triangles as the arguments of functions give them."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import plain

__all__ = ["corners_of", "points_of"]


def points_of(vertices: Any) -> np.ndarray:
    """Places [n, 3], double precision."""
    return np.ascontiguousarray(plain(vertices), dtype=np.float64).reshape(-1, 3)


def corners_of(indices: Any, count: int) -> np.ndarray:
    """Triangles' vertices as flat integers of 32 bits."""
    given = plain(indices).reshape(-1)
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"Mesh needs integer indices, not {given.dtype}")
    if given.size % 3:
        raise ValueError(f"Mesh: {given.size} indices, expected a multiple of 3")
    if given.size and int(given.min()) < 0:
        raise ValueError(f"Mesh: negative index {int(given.min())}")
    if given.size and int(given.max()) >= 2**31:
        raise ValueError(f"Mesh needs integer indices of 32 bits, got {int(given.max())}")
    if given.size and int(given.max()) >= count:
        raise ValueError(f"Mesh: index {int(given.max())} exceeds vertex count {count}")
    return np.ascontiguousarray(given, dtype=np.int32)
