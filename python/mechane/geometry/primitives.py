"""Contacts of pairs of primitives, and distances of points to primitives, on single values or on any leading batch of them."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import REAL, plain
from ..core.enums import MAXVAL

__all__ = ["collide_box_box", "collide_capsule_box", "collide_capsule_capsule", "collide_plane_box", "collide_plane_capsule",
           "collide_plane_cylinder", "collide_plane_ellipsoid", "collide_plane_sphere", "collide_sphere_box", "collide_sphere_capsule",
           "collide_sphere_cylinder", "collide_sphere_sphere", "sdf_box", "sdf_capsule", "sdf_cone", "sdf_cylinder", "sdf_plane", "sdf_sphere"]

_KINDS: dict[str, int] = _core.shape_kinds
_ANY = 1.0e10  # farther than anything; a distance is wanted whatever it is


class _Batch:
    """Arguments of one call with their common leading shape."""

    def __init__(self, **arguments: tuple[Any, tuple[int, ...]]):
        arrays = {name: np.asarray(plain(value), dtype=float) for name, (value, _) in arguments.items()}
        tails = {name: tail for name, (_, tail) in arguments.items()}
        for name, a in arrays.items():
            if a.shape[a.ndim - len(tails[name]):] != tails[name] and tails[name]:
                raise ValueError(f"{name}: shape {a.shape}, expected (..., {', '.join(map(str, tails[name]))})")
        self.shape = np.broadcast_shapes(*(a.shape[: a.ndim - len(tails[n])] for n, a in arrays.items()))
        self.n = int(np.prod(self.shape))
        self.values = {n: np.broadcast_to(a, self.shape + tails[n]).reshape(self.n, *tails[n]) for n, a in arrays.items()}

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]

    def rows(self, position: np.ndarray, rotation: np.ndarray, *size: np.ndarray) -> np.ndarray:
        out = np.zeros((self.n, 15))
        out[:, :3], out[:, 3:12] = position, rotation.reshape(self.n, 9)
        for k, s in enumerate(size):
            out[:, 12 + k] = s
        return np.ascontiguousarray(out)

    def upright(self) -> np.ndarray:
        return np.broadcast_to(np.eye(3), (self.n, 3, 3))

    def back(self, values: np.ndarray) -> Any:
        """In the caller's shape: a number or array without a batch, else an array."""
        values = values.reshape(self.shape + values.shape[1:]).astype(REAL)
        return values[()] if values.ndim else values.item()


def _along(axis: np.ndarray) -> np.ndarray:
    """Rotations whose third column is the axis."""
    z = axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-300)
    helper = np.where(np.abs(z[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    x = np.cross(helper, z)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=2)


def _collide(kind_a: str, a: np.ndarray, kind_b: str, b: np.ndarray, slots: int, reach: float = _ANY) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return _core.collide_rows(_KINDS[kind_a], a, _KINDS[kind_b], b, float(reach), slots, MAXVAL)


def _first_of(batch: _Batch, found: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[Any, Any, Any]:
    d, p, n = found
    return batch.back(d[:, 0]), batch.back(p[:, 0]), batch.back(n[:, 0])


def collide_plane_sphere(plane_normal: Any, plane_pos: Any, sphere_pos: Any, sphere_radius: Any) -> tuple[Any, Any]:
    """(distance, position); the normal is the plane's."""
    b = _Batch(n=(plane_normal, (3,)), p=(plane_pos, (3,)), c=(sphere_pos, (3,)), r=(sphere_radius, ()))
    d = ((b["c"] - b["p"]) * b["n"]).sum(1) - b["r"]
    return b.back(d), b.back(b["c"] - b["n"] * (b["r"] + 0.5 * d)[:, None])


def collide_plane_capsule(plane_normal: Any, plane_pos: Any, capsule_pos: Any, capsule_axis: Any, capsule_radius: Any,
                          capsule_half_length: Any) -> tuple[Any, Any, Any]:
    """(distances [2], positions [2, 3], frame [3, 3]): the two end spheres, + axis first; rows of the frame are the normal, the capsule's
    direction along the plane, and their product."""
    b = _Batch(n=(plane_normal, (3,)), p=(plane_pos, (3,)), c=(capsule_pos, (3,)), a=(capsule_axis, (3,)), r=(capsule_radius, ()), h=(capsule_half_length, ()))
    n, axis = b["n"], b["a"]
    along = axis - n * (axis * n).sum(1, keepdims=True)
    length = np.linalg.norm(along, axis=1, keepdims=True)
    fallback = np.where(np.abs(n[:, 1:2]) < 0.5, [[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]])
    along = np.where(length < 0.5, fallback, along / np.where(length > 0, length, 1))
    ends = b["c"][:, None, :] + np.array([1.0, -1.0])[None, :, None] * (axis * b["h"][:, None])[:, None, :]
    d = ((ends - b["p"][:, None]) * n[:, None]).sum(2) - b["r"][:, None]
    positions = ends - n[:, None] * (b["r"][:, None] + 0.5 * d)[:, :, None]
    return b.back(d), b.back(positions), b.back(np.stack([n, along, np.cross(n, along)], axis=1))


def collide_plane_ellipsoid(plane_normal: Any, plane_pos: Any, ellipsoid_pos: Any, ellipsoid_rot: Any, ellipsoid_size: Any) -> tuple[Any, Any, Any]:
    """(distance, position, normal)"""
    b = _Batch(n=(plane_normal, (3,)), p=(plane_pos, (3,)), c=(ellipsoid_pos, (3,)), R=(ellipsoid_rot, (3, 3)), s=(ellipsoid_size, (3,)))
    local = b["s"] * np.einsum("nij,ni->nj", b["R"], b["n"])
    reach = np.linalg.norm(local, axis=1)
    support = b["c"] - np.einsum("nij,nj->ni", b["R"], b["s"] * local) / np.maximum(reach, 1e-300)[:, None]
    d = ((support - b["p"]) * b["n"]).sum(1)
    return b.back(d), b.back(support - 0.5 * d[:, None] * b["n"]), b.back(b["n"])


def collide_plane_box(plane_normal: Any, plane_pos: Any, box_pos: Any, box_rot: Any, box_size: Any, margin: float = 0.0) -> tuple[Any, Any, Any]:
    """(distances [4], positions [4, 3], normal): the deepest corners among those with distance <= margin."""
    b = _Batch(n=(plane_normal, (3,)), p=(plane_pos, (3,)), c=(box_pos, (3,)), R=(box_rot, (3, 3)), s=(box_size, (3,)))
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    corners = b["c"][:, None] + np.einsum("nij,nkj->nki", b["R"], signs[None] * b["s"][:, None])
    d = ((corners - b["p"][:, None]) * b["n"][:, None]).sum(2)
    order = np.argsort(d, axis=1, kind="stable")[:, :4]
    d4 = np.take_along_axis(d, order, axis=1)
    p4 = np.take_along_axis(corners, order[:, :, None], axis=1) - 0.5 * d4[:, :, None] * b["n"][:, None]
    out = d4 > margin
    return b.back(np.where(out, MAXVAL, d4)), b.back(np.where(out[:, :, None], 0.0, p4)), b.back(b["n"])


def _plane_rows(b: _Batch) -> np.ndarray:
    return b.rows(b["p"], _along(b["n"]))


def collide_plane_cylinder(plane_normal: Any, plane_pos: Any, cylinder_pos: Any, cylinder_axis: Any, cylinder_radius: Any,
                           cylinder_half_height: Any) -> tuple[Any, Any, Any]:
    """(distances [4], positions [4, 3], normal)"""
    b = _Batch(n=(plane_normal, (3,)), p=(plane_pos, (3,)), c=(cylinder_pos, (3,)), a=(cylinder_axis, (3,)), r=(cylinder_radius, ()), h=(cylinder_half_height, ()))
    d, p, _ = _collide("plane", _plane_rows(b), "cylinder", b.rows(b["c"], _along(b["a"]), b["r"], b["h"]), 4)
    return b.back(d), b.back(p), b.back(b["n"])


def collide_sphere_sphere(pos1: Any, radius1: Any, pos2: Any, radius2: Any) -> tuple[Any, Any, Any]:
    """(distance, position, normal); concentric spheres have the normal (1, 0, 0)."""
    b = _Batch(p=(pos1, (3,)), r=(radius1, ()), q=(pos2, (3,)), s=(radius2, ()))
    between = b["q"] - b["p"]
    length = np.linalg.norm(between, axis=1)
    normal = np.where(length[:, None] > 0, between / np.where(length > 0, length, 1)[:, None], [1.0, 0.0, 0.0])
    d = length - b["r"] - b["s"]
    return b.back(d), b.back(b["p"] + normal * (b["r"] + 0.5 * d)[:, None]), b.back(normal)


def collide_sphere_capsule(sphere_pos: Any, sphere_radius: Any, capsule_pos: Any, capsule_axis: Any, capsule_radius: Any,
                           capsule_half_length: Any) -> tuple[Any, Any, Any]:
    """(distance, position, normal)"""
    b = _Batch(p=(sphere_pos, (3,)), r=(sphere_radius, ()), c=(capsule_pos, (3,)), a=(capsule_axis, (3,)), s=(capsule_radius, ()), h=(capsule_half_length, ()))
    return _first_of(b, _collide("sphere", b.rows(b["p"], b.upright(), b["r"]), "capsule", b.rows(b["c"], _along(b["a"]), b["s"], b["h"]), 1))


def collide_sphere_cylinder(sphere_pos: Any, sphere_radius: Any, cylinder_pos: Any, cylinder_axis: Any, cylinder_radius: Any,
                            cylinder_half_height: Any) -> tuple[Any, Any, Any]:
    """(distance, position, normal)"""
    b = _Batch(p=(sphere_pos, (3,)), r=(sphere_radius, ()), c=(cylinder_pos, (3,)), a=(cylinder_axis, (3,)), s=(cylinder_radius, ()), h=(cylinder_half_height, ()))
    return _first_of(b, _collide("sphere", b.rows(b["p"], b.upright(), b["r"]), "cylinder", b.rows(b["c"], _along(b["a"]), b["s"], b["h"]), 1))


def collide_sphere_box(sphere_pos: Any, sphere_radius: Any, box_pos: Any, box_rot: Any, box_size: Any) -> tuple[Any, Any, Any]:
    """(distance, position, normal)"""
    b = _Batch(p=(sphere_pos, (3,)), r=(sphere_radius, ()), c=(box_pos, (3,)), R=(box_rot, (3, 3)), s=(box_size, (3,)))
    return _first_of(b, _collide("sphere", b.rows(b["p"], b.upright(), b["r"]), "box", b.rows(b["c"], b["R"], *b["s"].T), 1))


def collide_capsule_capsule(cap1_pos: Any, cap1_axis: Any, cap1_radius: Any, cap1_half_length: Any, cap2_pos: Any, cap2_axis: Any, cap2_radius: Any,
                            cap2_half_length: Any) -> tuple[Any, Any, Any]:
    """(distances [2], positions [2, 3], normal): two contacts when the axes are parallel."""
    b = _Batch(p=(cap1_pos, (3,)), a=(cap1_axis, (3,)), r=(cap1_radius, ()), h=(cap1_half_length, ()), q=(cap2_pos, (3,)), c=(cap2_axis, (3,)), s=(cap2_radius, ()),
               k=(cap2_half_length, ()))
    d, p, n = _collide("capsule", b.rows(b["p"], _along(b["a"]), b["r"], b["h"]), "capsule", b.rows(b["q"], _along(b["c"]), b["s"], b["k"]), 2)
    return b.back(d), b.back(p), b.back(n[:, 0])


def collide_capsule_box(capsule_pos: Any, capsule_axis: Any, capsule_radius: Any, capsule_half_length: Any, box_pos: Any, box_rot: Any,
                        box_size: Any) -> tuple[Any, Any, Any]:
    """(distances [2], positions [2, 3], normals [2, 3])"""
    b = _Batch(p=(capsule_pos, (3,)), a=(capsule_axis, (3,)), r=(capsule_radius, ()), h=(capsule_half_length, ()), c=(box_pos, (3,)), R=(box_rot, (3, 3)), s=(box_size, (3,)))
    return tuple(map(b.back, _collide("capsule", b.rows(b["p"], _along(b["a"]), b["r"], b["h"]), "box", b.rows(b["c"], b["R"], *b["s"].T), 2)))  # type: ignore[return-value]


def collide_box_box(box1_pos: Any, box1_rot: Any, box1_size: Any, box2_pos: Any, box2_rot: Any, box2_size: Any, margin: float = 0.0) -> tuple[Any, Any, Any]:
    """(distances [8], positions [8, 3], normals [8, 3])"""
    b = _Batch(p=(box1_pos, (3,)), R=(box1_rot, (3, 3)), s=(box1_size, (3,)), q=(box2_pos, (3,)), Q=(box2_rot, (3, 3)), t=(box2_size, (3,)))
    return tuple(map(b.back, _collide("box", b.rows(b["p"], b["R"], *b["s"].T), "box", b.rows(b["q"], b["Q"], *b["t"].T), 8, margin)))  # type: ignore[return-value]


# -- distances of points to primitives, in the primitive's frame


def _distance(kind: str, size: tuple[float, float, float], points: Any) -> Any:
    at = np.ascontiguousarray(plain(points), dtype=float)
    out = _core.primitive_distances(_KINDS[kind], tuple(float(x) for x in size), at.reshape(-1, 3)).reshape(at.shape[:-1])
    return out.astype(REAL) if out.ndim else float(out)


def sdf_sphere(point: Any, radius: float) -> Any:
    return _distance("sphere", (radius, 0, 0), point)


def sdf_box(point: Any, hx: float, hy: float, hz: float) -> Any:
    return _distance("box", (hx, hy, hz), point)


def sdf_capsule(point: Any, radius: float, half_height: float, up_axis: int = 1) -> Any:
    return _distance("capsule", (radius, half_height, 0), _upright(point, up_axis))


def sdf_cylinder(point: Any, radius: float, half_height: float, up_axis: int = 1) -> Any:
    return _distance("cylinder", (radius, half_height, 0), _upright(point, up_axis))


def sdf_cone(point: Any, radius: float, half_height: float, up_axis: int = 1) -> Any:
    return _distance("cone", (radius, half_height, 0), _upright(point, up_axis))


def sdf_plane(point: Any, width: float, length: float) -> Any:
    """Distance to an infinite plane z = 0, or to the rectangle of these full extents."""
    at = plain(point).astype(float)
    if width <= 0 and length <= 0:
        return at[..., 2].astype(REAL) if at.ndim > 1 else float(at[2])
    outside = np.maximum(np.abs(at[..., :2]) - 0.5 * np.array([width, length]), 0)
    out = np.sqrt((outside**2).sum(-1) + at[..., 2] ** 2)
    return out.astype(REAL) if out.ndim else float(out)


def _upright(point: Any, up_axis: int) -> np.ndarray:
    """The point with the shape's axis turned onto z; only the distance from the axis and the height matter."""
    return np.roll(plain(point).astype(float), 2 - int(up_axis), axis=-1)


name_arguments(globals())
