"""Meshes that solvers of soft things dislike: triangles and tetrahedra that are flat, thin or turned inside out."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.diagnostics import warn

__all__ = ["told", "tet_issues", "triangle_issues"]

_FACES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
_EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def _rows(indices: Any, width: int, count: int, what: str) -> tuple[np.ndarray, str]:
    """Elements as rows, and what is wrong with the list itself; empty when nothing is."""
    raw = np.asarray(indices, dtype=np.int64)
    if raw.size == 0:
        return raw.reshape(0, width), f"there are no {what}s"
    if raw.size % width or (raw.ndim > 1 and raw.shape[-1] != width):
        return raw.reshape(-1)[:0].reshape(0, width), f"the indices of {what}s have shape {raw.shape}, expected (n, {width})"
    rows = raw.reshape(-1, width)
    if rows.min() < 0 or rows.max() >= count:
        return rows[:0], f"an index of a {what} is not one of the {count} vertices"
    return rows, ""


def triangle_issues(vertices: Any, indices: Any, min_area: float, max_aspect_ratio: float, min_angle_deg: float) -> list[str]:
    """What is wrong with triangles: areas [m^2] below `min_area`, longest side over shortest height above `max_aspect_ratio`, angles below `min_angle_deg`."""
    points = np.asarray(vertices, dtype=float).reshape(-1, 3)
    rows, fault = _rows(indices, 3, len(points), "triangle")
    if fault:
        return [fault]
    corners = points[rows]
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.linalg.norm(sides, axis=2)
    area = 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    longest = lengths.max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        aspect = np.where(area > 0, longest**2 / (2 * area), math.inf)
        cosine = -np.einsum("nij,nij->ni", sides, np.roll(sides, 1, axis=1)) / (lengths * np.roll(lengths, 1, axis=1))
        angle = np.degrees(np.arccos(np.clip(np.nan_to_num(cosine, nan=1.0), -1, 1))).min(axis=1)
    out = []
    if flat := int((area < min_area).sum()):
        out.append(f"{flat} of {len(rows)} triangles have an area below {min_area:g} m^2")
    if thin := int((aspect > max_aspect_ratio).sum()):
        out.append(f"{thin} of {len(rows)} triangles are slivers: longest side over shortest height above {max_aspect_ratio:g}, at most {aspect.max():.1f}")
    if sharp := int((angle < min_angle_deg).sum()):
        out.append(f"{sharp} of {len(rows)} triangles have an angle below {min_angle_deg:g} degrees, at least {angle.min():.1f}")
    return out


def tet_issues(vertices: Any, indices: Any, min_volume: float, min_eta: float) -> list[str]:
    """What is wrong with tetrahedra: negative volumes, volumes [m^3] below `min_volume`, shapes below `min_eta`, faces of more than two.

    The shape is eta = 12 (3 V)^(2/3) / sum of the squared lengths of the six edges, 1 for a regular tetrahedron and 0 for a flat one
    (Liu and Joe, "Relationship between tetrahedron shape measures", BIT 34, 1994, mean ratio).
    """
    points = np.asarray(vertices, dtype=float).reshape(-1, 3)
    rows, fault = _rows(indices, 4, len(points), "tetrahedron")
    if fault:
        return [fault]
    corners = points[rows]
    from_first = corners[:, 1:] - corners[:, :1]
    volume = np.einsum("ni,ni->n", from_first[:, 0], np.cross(from_first[:, 1], from_first[:, 2])) / 6
    squares = sum(((corners[:, a] - corners[:, b]) ** 2).sum(axis=1) for a, b in _EDGES)
    with np.errstate(divide="ignore", invalid="ignore"):
        eta = np.where(squares > 0, 12 * np.cbrt(3 * np.abs(volume)) ** 2 / squares, 0.0)
    out = []
    if turned := int((volume < 0).sum()):
        out.append(f"{turned} of {len(rows)} tetrahedra are inverted")
    if flat := int((np.abs(volume) < min_volume).sum()):
        out.append(f"{flat} of {len(rows)} tetrahedra have a volume below {min_volume:g} m^3")
    if thin := int((eta < min_eta).sum()):
        out.append(f"{thin} of {len(rows)} tetrahedra are slivers: eta below {min_eta:g}, at least {eta.min():.4f}")
    faces, uses = np.unique(np.concatenate([np.sort(rows[:, face], axis=1) for face in _FACES]), axis=0, return_counts=True)
    if shared := int((uses > 2).sum()):
        out.append(f"{shared} faces belong to more than two tetrahedra")
    return out


def told(issues: list[str], kind: str, vertices: Any, label: str | None) -> list[str]:
    """Warns of them in one warning, and gives them back."""
    if issues:
        warn(f"{kind}{f' {label}' if label else ''} of {len(np.asarray(vertices).reshape(-1, 3))} vertices: {'; '.join(issues)}")
    return issues


name_arguments(globals())
