"""Pairs of primitives, distances to primitives, broad phases, inertia: on single values, or on any leading batch of them.

Arguments are in the world; axes unit, rotations matrices 3 by 3, sizes half extents [m]. Distances are those of the surfaces, negative in
penetration; a contact's position lies midway between the two surfaces; normals point from the first shape to the second. Slots without a
contact hold `mechane.MAXVAL`.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arguments import ignoring, name_arguments
from ._array import REAL, Array, plain, output
from ._contacts import create_soft_contacts
from ._diagnostics import warn, warn_unused
from ._enums import MAXVAL, GeoType
from ._mesh import Mesh
from ._narrow import HydroelasticSDF, NarrowPhase, Shape, contacts, distance, gjk
from ._reserved import left_out
from ._sdf import SDF
from ._values import mat33, transform, vec3

__all__ = ["BroadPhaseAllPairs", "BroadPhaseExplicit", "BroadPhaseSAP", "collide_box_box", "collide_capsule_box", "collide_capsule_capsule",
           "collide_plane_box", "collide_plane_capsule", "collide_plane_cylinder", "collide_plane_ellipsoid", "collide_plane_sphere",
           "collide_sphere_box", "collide_sphere_capsule", "collide_sphere_cylinder", "collide_sphere_sphere", "compute_aabb", "compute_inertia_box",
           "compute_inertia_capsule", "compute_inertia_cone", "compute_inertia_cylinder", "compute_inertia_ellipsoid", "compute_inertia_mesh",
           "compute_inertia_shape", "compute_inertia_sphere", "raycast", "HydroelasticSDF", "NarrowPhase", "SDF", "Shape", "compute_obb", "compute_offset_mesh", "contacts", "create_soft_contacts", "distance", "gjk", "sdf_mesh", "sdf_box", "sdf_capsule", "sdf_cone", "sdf_cylinder", "sdf_plane", "sdf_sphere",
           "remesh_convex_hull", "transform_inertia", "verify_and_correct_inertia"]

_KINDS: dict[str, int] = _core.shape_kinds
_ANY = 1.0e10  # farther than anything; a distance is wanted whatever it is

_LEFT_OUT = {**dict.fromkeys(("create_empty_sdf_data", "TriMeshCollisionInfo"), "they are structs of Warp kernels"),
             **dict.fromkeys(("DeformableVisualMesh", "DeformableVisuals", "ParticleSurface", "extract_particle_surface"), "they render deformables")}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name in _LEFT_OUT:
        return left_out("mechane.geometry", name, _LEFT_OUT[name])
    raise AttributeError(f"module 'mechane.geometry' has no attribute {name!r}")


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


# -- broad phases


class _BroadPhase:
    """Which boxes may touch, by world and group; pairs come sorted and once."""

    _mode = ""

    @ignoring("sweep_thread_count_multiplier sort_type tile_block_dim")
    def __init__(self, shape_world: Any = None, shape_flags: Any = None, geom_cutoff: Any = None, device: Any = None, **unused: Any):
        warn_unused(type(self), unused)
        self._world = None if shape_world is None else np.ascontiguousarray(plain(shape_world), dtype=np.int32)
        self._flags = None if shape_flags is None else np.asarray(plain(shape_flags))

    @ignoring("skip_count_zero shape_body body_flags include_static_kinematic_pairs shape_displacement sort_axis_displacement_limit")
    def launch(self, shape_lower: Any, shape_upper: Any, shape_gap: Any, shape_collision_group: Any, shape_world: Any, shape_count: int,
               candidate_pair: Any, candidate_pair_count: Any, device: Any = None, filter_pairs: Any = None, num_filter_pairs: int | None = None,
               **unused: Any) -> None:
        """Fills `candidate_pair` [capacity, 2] and `candidate_pair_count` [1]; the count is the demand, also when it does not fit."""
        warn_unused(_BroadPhase.launch, unused)
        n = int(shape_count)
        lower, upper = (np.ascontiguousarray(plain(x), dtype=float).reshape(-1, 3)[:n] for x in (shape_lower, shape_upper))
        if shape_gap is not None:
            gap = np.asarray(plain(shape_gap), dtype=float).reshape(-1)[:n, None]
            lower, upper = lower - gap, upper + gap
        groups = np.ascontiguousarray(plain(shape_collision_group), dtype=np.int32)[:n]
        worlds = np.ascontiguousarray(plain(shape_world) if shape_world is not None else self._world, dtype=np.int32)[:n]
        active = np.ones(n, np.uint8) if self._flags is None else ((self._flags[:n] & 2) != 0).astype(np.uint8)
        excluded = [] if filter_pairs is None else [tuple(sorted(map(int, p))) for p in np.asarray(plain(filter_pairs)).reshape(-1, 2)[:num_filter_pairs]]
        self._write(candidate_pair, candidate_pair_count, lambda limit: _core.broad_phase(
            self._mode, np.ascontiguousarray(lower), np.ascontiguousarray(upper), worlds, groups, active, excluded, limit))

    @staticmethod
    def _write(candidate_pair: Any, candidate_pair_count: Any, find: Any) -> None:
        pairs = output("candidate_pair", candidate_pair, None, np.int32).reshape(-1, 2)
        count = output("candidate_pair_count", candidate_pair_count, (1,), np.int32)
        demand, rows = find(len(pairs))
        pairs[: len(rows)] = rows
        count[0] = demand


class BroadPhaseAllPairs(_BroadPhase):
    """Every pair of every world."""

    _mode = "nxn"


class BroadPhaseSAP(_BroadPhase):
    """Sweep and prune along the axis of greatest spread."""

    _mode = "sap"


class BroadPhaseExplicit(_BroadPhase):
    """Tests a list of pairs."""

    @ignoring("skip_count_zero shape_body body_flags include_static_kinematic_pairs shape_displacement sort_axis_displacement_limit")
    def launch(self, shape_lower: Any, shape_upper: Any, shape_gap: Any, shape_pairs: Any, shape_pair_count: int, candidate_pair: Any,  # type: ignore[override]
               candidate_pair_count: Any, device: Any = None, **unused: Any) -> None:
        warn_unused(BroadPhaseExplicit.launch, unused)
        lower, upper = (np.asarray(plain(x), dtype=float).reshape(-1, 3) for x in (shape_lower, shape_upper))
        if shape_gap is not None:
            gap = np.asarray(plain(shape_gap), dtype=float).reshape(-1, 1)
            lower, upper = lower - gap, upper + gap

        def find(limit: int) -> tuple[int, np.ndarray]:
            listed = np.unique(np.sort(np.asarray(plain(shape_pairs), dtype=np.int32).reshape(-1, 2)[: int(shape_pair_count)], axis=1), axis=0)
            a, b = listed[:, 0], listed[:, 1]
            meet = listed[((lower[a] <= upper[b]) & (lower[b] <= upper[a])).all(axis=1)]
            return len(meet), meet[:limit]

        self._write(candidate_pair, candidate_pair_count, find)


# -- inertia


def _inertia(type: int, scale: tuple[float, float, float], mesh: Any, density: float, solid: bool = True, thickness: float = 0.001) -> tuple[float, vec3, mat33]:
    mass, com, inertia = _core.shape_mass(int(type), scale, None if mesh is None else mesh._core, float(density), bool(solid), float(thickness))
    return mass, vec3(*com), mat33(*inertia)


def compute_inertia_shape(type: int, scale: Any, src: Any, density: float, is_solid: bool = True, thickness: float = 0.001) -> tuple[float, vec3, mat33]:
    """(mass [kg], centre of mass [m], inertia about it [kg m^2]) of a shape; `is_solid` false: a shell of `thickness` [m]."""
    if not is_solid and int(type) in _HOLLOW:
        thickness = float(np.asarray(thickness).reshape(-1)[0])
        if not (np.isfinite(thickness) and thickness >= 0):
            raise ValueError(("thickness must be >= 0" if np.isfinite(thickness) else "thickness must be finite") + f", got {thickness}")
        inner = min(float(x) for x in tuple(scale)[: _HOLLOW[int(type)]])
        if thickness >= inner:
            raise ValueError(f"thickness {thickness} does not fit inside the shape, whose smallest half size is {inner}")
        if thickness == 0:
            warn("W_INERTIA_FIXED: a hollow shape of zero thickness has zero mass and inertia")
            return 0.0, vec3(), mat33()
    if int(type) == GeoType.CYLINDER and len(scale) > 2 and scale[2] > 0:
        radius, half_height, barrel_radius = (float(x) for x in scale)
        mass, com, inertia = compute_inertia_cylinder(density, radius, half_height, barrel_radius)
        if not is_solid:
            hole, _, of_hole = compute_inertia_cylinder(density, radius - thickness, half_height - thickness, barrel_radius - thickness)
            mass, inertia = mass - hole, inertia - of_hole
        return mass, com, inertia
    return _inertia(type, tuple(float(x) for x in scale), src if isinstance(src, Mesh) else None, density, is_solid, thickness)  # type: ignore[arg-type]


#: closed primitives, and how many of their sizes count
_HOLLOW = {int(GeoType.SPHERE): 1, int(GeoType.BOX): 3, int(GeoType.CAPSULE): 1, int(GeoType.CYLINDER): 2, int(GeoType.CONE): 2, int(GeoType.ELLIPSOID): 3}


def compute_inertia_sphere(density: float, radius: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.SPHERE, (radius, 0, 0), None, density)


def compute_inertia_box(density: float, hx: float, hy: float, hz: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.BOX, (hx, hy, hz), None, density)


def compute_inertia_capsule(density: float, radius: float, half_height: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.CAPSULE, (radius, half_height, 0), None, density)


def compute_inertia_cylinder(density: float, radius: float, half_height: float, barrel_radius: float = 0.0) -> tuple[float, vec3, mat33]:
    """About the middle; the axis is z. `barrel_radius` [m], where positive, is that of the arc that the wall bulges along: `radius` is then that of the ends.

    @raises ValueError  the arc is shorter than the cylinder is high
    """
    if not barrel_radius:
        return _inertia(GeoType.CYLINDER, (radius, half_height, 0), None, density)
    if barrel_radius < half_height:
        raise ValueError(f"barrel_radius is {barrel_radius}, expected at least half_height, {half_height}")
    # With z = R sin t the wall is at r(t) = radius + R (cos t - cos T), and the integrals over disks of r^2, r^4 and r^2 z^2 are those of
    # smooth functions of t, which 32 points of Gauss and Legendre give to the last bits.
    nodes, weights = np.polynomial.legendre.leggauss(32)
    end = np.arcsin(half_height / barrel_radius)
    t = end * nodes
    r, z = radius + barrel_radius * (np.cos(t) - np.cos(end)), barrel_radius * np.sin(t)
    dz = end * weights * barrel_radius * np.cos(t)
    mass, polar = density * np.pi * float(r**2 @ dz), density * np.pi / 2 * float(r**4 @ dz)
    across = polar / 2 + density * np.pi * float(r**2 * z**2 @ dz)
    return mass, vec3(), mat33(across, 0, 0, 0, across, 0, 0, 0, polar)


def compute_inertia_cone(density: float, radius: float, half_height: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.CONE, (radius, half_height, 0), None, density)


def compute_inertia_ellipsoid(density: float, a: float, b: float, c: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.ELLIPSOID, (a, b, c), None, density)


def compute_inertia_mesh(density: float, vertices: Any, indices: Any, is_solid: bool = True, thickness: float = 0.001) -> tuple[float, vec3, mat33, float]:
    """Also the volume [m^3], as the fourth."""
    mesh = Mesh(vertices, indices, compute_inertia=False)
    mass, com, inertia = _inertia(GeoType.MESH, (1, 1, 1), mesh, density, is_solid, thickness)
    return mass, com, inertia, mass / density if density else 0.0


def verify_and_correct_inertia(mass: float, inertia: Any, balance_inertia: bool = True, bound_mass: float | None = None, bound_inertia: float | None = None,
                               body_label: str | None = None) -> tuple[float, mat33, bool]:
    """(mass, inertia, whether they had to be corrected), as `ModelBuilder.finalize` would have them for a body."""
    from ._builder import ModelBuilder

    b = ModelBuilder()
    b.balance_inertia, b.bound_mass, b.bound_inertia, b.validate_inertia_detailed = balance_inertia, bound_mass, bound_inertia, True
    b.add_link(mass=float(mass), inertia=inertia, label=body_label)
    model = b.finalize()
    corrected = any(d.code == "W_INERTIA_FIXED" for d in model.diagnostics)
    return float(model._np("body_mass")[0]), mat33(*model._np("body_inertia")[0].reshape(-1).tolist()), corrected


def compute_aabb(vertices: Any) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of the box along the axes that holds points [n, 3]."""
    points = np.asarray(plain(vertices), dtype=float).reshape(-1, 3)
    if not len(points):
        raise ValueError("vertices: there are none")
    return points.min(axis=0), points.max(axis=0)


def compute_obb(vertices: Any) -> tuple[transform, vec3]:
    """(pose, half extents [m]) of a box of small volume around points [n, 3]."""
    points = np.ascontiguousarray(plain(vertices), dtype=float).reshape(-1, 3)
    pose, half = _core.bounding_box(points)
    return transform(*pose), vec3(*half)


def sdf_mesh(mesh: Mesh, point: Any, max_dist: float = 1.0e6) -> Any:
    """Signed distance of points (..., 3) to a mesh in its frame [m], `max_dist` where the surface is farther."""
    found = np.asarray(mesh.signed_distance(point))
    found = np.where(np.abs(found) > max_dist, max_dist, found)
    return found.astype(REAL) if found.ndim else float(found)


def compute_offset_mesh(shape_type: int, shape_geo: Mesh | None = None, shape_scale: Any = (1.0, 1.0, 1.0), offset: float = 0.0, max_resolution: int = 48,
                        device: Any = None) -> Mesh | None:
    """The surface of a shape moved outwards by `offset` [m], as a mesh; None for planes."""
    kind, scale = GeoType(int(shape_type)), vec3(shape_scale)
    made = {GeoType.SPHERE: lambda: Mesh.create_sphere(scale[0]), GeoType.BOX: lambda: Mesh.create_box(*scale, duplicate_vertices=False),
            GeoType.CAPSULE: lambda: Mesh.create_capsule(scale[0], scale[1], up_axis=2), GeoType.CYLINDER: lambda: Mesh.create_cylinder(scale[0], scale[1], up_axis=2),
            GeoType.CONE: lambda: Mesh.create_cone(scale[0], scale[1], up_axis=2), GeoType.ELLIPSOID: lambda: Mesh.create_ellipsoid(*scale)}
    if kind in (GeoType.MESH, GeoType.CONVEX_MESH):
        if not isinstance(shape_geo, Mesh):
            raise TypeError(f"shape_geo: expected a Mesh, not {shape_geo.__class__.__name__}")
        mesh = shape_geo.copy(vertices=shape_geo.vertices * np.asarray(scale, np.float32))
    elif kind in made:
        mesh = made[kind]()
    else:
        return None
    reach = abs(float(offset))
    field = SDF.create_from_mesh(mesh, max_resolution=max_resolution, margin=1.5 * reach + 0.01 * float(np.ptp(mesh.vertices, axis=0).max()),
                                 narrow_band_range=(-reach - 0.1, reach + 0.1))
    return field.extract_isomesh(float(offset))


def remesh_convex_hull(vertices: Any, maxhullvert: int = 0) -> Mesh:
    """Convex hull of points [n, 3], with at most `maxhullvert` vertices where that is positive."""
    points = np.asarray(plain(vertices), dtype=float).reshape(-1, 3)
    corners = np.resize(np.arange(len(points)), -(-len(points) // 3) * 3)  # hulls look at points only
    return Mesh(points, corners, compute_inertia=False, maxhullvert=int(maxhullvert) if maxhullvert > 0 else len(points)).compute_convex_hull()


def transform_inertia(mass: float, inertia: Any, offset: Any, quat: Any) -> mat33:
    """An inertia about the centre of mass, turned and about a point `offset` away from it (parallel axes)."""
    from ._values import as_quat, as_vec3

    x, y, z, w = as_quat("quat", quat)
    r = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                  [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                  [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    p = np.asarray(as_vec3("offset", offset))
    turned = r @ np.asarray(plain(inertia), dtype=float).reshape(3, 3) @ r.T
    return mat33(*(turned + float(mass) * (p @ p * np.eye(3) - np.outer(p, p))).reshape(-1).tolist())


# -- rays


def raycast(model: Any, state: Any, origins: Any, directions: Any, worlds: Any = None, **options: Any) -> tuple[Array, Array, Array]:
    """(distances, shapes, normals) of the nearest hits, in the only world or that of no world; see `mechane.intersect_ray`."""
    from ._rays import intersect_ray

    if worlds is None:
        worlds = 0 if model.world_count == 1 else -1
    return intersect_ray(model, ray_origins=origins, ray_directions=directions, ray_worlds=worlds, state=state, **options)


name_arguments(globals())
