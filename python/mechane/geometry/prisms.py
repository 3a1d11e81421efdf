"""Surfaces with a thickness."""
from __future__ import annotations

import numpy as np

from ..core.arguments import name_arguments

__all__ = ["prisms"]


def prisms(points: np.ndarray, faces: np.ndarray, depths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A closed prism for each triangle: (faces [8 n, 3], vertices [2 m, 3]); vertex k becomes 2 k, `depths[k]` before the surface, and 2 k + 1 behind it."""
    corners = points[faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(points)
    for corner in range(3):
        np.add.at(normals, faces[:, corner], areas)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    shift = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0) * depths[:, None]
    i, j, k = (2 * faces[:, corner] for corner in range(3))
    rows = [(i, j, k), (i + 1, k + 1, j + 1)]
    # A side goes down at one end of an edge and up at the other, so that it looks away from the triangle.
    for a, b in ((i, j), (j, k), (k, i)):
        rows += [(a, a + 1, b + 1), (a, b + 1, b)]
    sides = np.stack([np.stack(row, axis=1) for row in rows], axis=1).reshape(-1, 3)
    return sides.astype(np.int32), np.stack((points + shift, points - shift), axis=1).reshape(-1, 3).astype(np.float32)


name_arguments(globals())
