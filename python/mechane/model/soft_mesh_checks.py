"""What is questionable about a mesh before it becomes cloth or a soft body; warnings only."""
from __future__ import annotations

import numpy as np

from ..core.arguments import name_arguments
from ..core.diagnostics import warn

__all__ = ["check_tets", "check_triangles"]

_LEAST_AREA, _LARGEST_ASPECT, _LEAST_ANGLE = 1e-6, 20.0, 5.0  # [m^2], [-], [deg]
_LEAST_VOLUME, _LEAST_QUALITY = 1e-9, 0.01  # [m^3], [-]


def _say(label: str | None, text: str) -> None:
    warn(f"MODEL_SOFT_MESH: {'mesh' if label is None else label}: {text}")


def check_triangles(points: np.ndarray, indices: np.ndarray, label: str | None) -> bool:
    """Small, thin and sharp triangles. False: the number of indices is wrong, and nothing can be made of them."""
    if len(indices) % 3:
        _say(label, f"the number of indices {len(indices)} is not divisible by 3")
        return False
    if not len(indices) or indices.min() < 0 or indices.max() >= len(points):
        return True
    a, b, c = (points[indices.reshape(-1, 3)[:, k]] for k in range(3))
    sides = np.stack([np.linalg.norm(b - a, axis=1), np.linalg.norm(c - b, axis=1), np.linalg.norm(a - c, axis=1)], axis=1)
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        aspect = sides.max(axis=1) ** 2 / (2 * area)  # of the longest side to its height
        least = np.degrees(np.arcsin(np.clip(2 * area / np.sort(sides, axis=1)[:, 1:].prod(axis=1), 0, 1)))
    for bad, what in ((area < _LEAST_AREA, f"an area below {_LEAST_AREA} m^2"), (aspect > _LARGEST_ASPECT, f"an aspect ratio above {_LARGEST_ASPECT:g}"),
                      (least < _LEAST_ANGLE, f"an angle below {_LEAST_ANGLE:g} degrees")):
        if bad.any():
            _say(label, f"{int(bad.sum())} triangles have {what}, the first is {int(np.flatnonzero(bad)[0])}")
    return True


def check_tets(points: np.ndarray, indices: np.ndarray, label: str | None) -> bool:
    """Inverted, small and thin tetrahedra, and faces that more than two share. False: the number of indices is wrong."""
    if len(indices) % 4:
        _say(label, f"the number of indices {len(indices)} is not divisible by 4")
        return False
    if not len(indices) or indices.min() < 0 or indices.max() >= len(points):
        return True
    tets = indices.reshape(-1, 4)
    a, b, c, d = (points[tets[:, k]] for k in range(4))
    volume = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) / 6
    squares = sum(((q - p) ** 2).sum(axis=1) for p, q in ((a, b), (a, c), (a, d), (b, c), (b, d), (c, d)))
    with np.errstate(divide="ignore", invalid="ignore"):
        quality = 12 * np.cbrt(3 * np.abs(volume)) ** 2 / squares  # 1: regular (Liu and Joe 1994)
    faces = np.sort(tets[:, [[0, 2, 1], [1, 2, 3], [0, 1, 3], [0, 3, 2]]].reshape(-1, 3), axis=1)
    shared = np.unique(faces, axis=0, return_counts=True)[1]
    for bad, what in ((volume < 0, "are inverted"), (np.abs(volume) < _LEAST_VOLUME, f"have a volume below {_LEAST_VOLUME} m^3"),
                      (quality < _LEAST_QUALITY, f"have a quality below {_LEAST_QUALITY}")):
        if bad.any():
            _say(label, f"{int(bad.sum())} tetrahedra {what}, the first is {int(np.flatnonzero(bad)[0])}")
    if (shared > 2).any():
        _say(label, f"{int((shared > 2).sum())} faces are shared by more than two tetrahedra")
    return True


name_arguments(globals())
