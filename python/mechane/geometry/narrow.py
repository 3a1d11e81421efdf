"""Single shapes without a model: the narrow phase on arrays, and questions to pairs."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import ignoring, name_arguments
from ..core.array import output, plain
from ..core.diagnostics import NotSupportedError, warn_unused
from ..core.enums import GeoType
from ..core.values import as_transform, as_vec3, transform, vec3
from ..newton.names import PressureNames
from ..newton.reserved import reserve
from .mesh import Mesh, mesh_of_id

__all__ = ["HydroelasticSDF", "NarrowPhase", "Shape", "contacts", "distance", "gjk"]

_KINDS: dict[str, int] = _core.shape_kinds
_HULL = 9
_OF_TYPE = {GeoType.SPHERE: "sphere", GeoType.CAPSULE: "capsule", GeoType.ELLIPSOID: "ellipsoid", GeoType.CYLINDER: "cylinder", GeoType.BOX: "box",
            GeoType.MESH: "mesh", GeoType.CONE: "cone"}
_FAR = 1.0e10  #: farther than anything [m]


def _kind(type: int, scale: Any) -> tuple[int, vec3]:
    """Number of the kind and its size, of a type of Newton's with its scale."""
    kind, size = GeoType(int(type)), as_vec3("scale", scale)
    if kind is GeoType.PLANE:
        return (_KINDS["rectangle"], vec3(0.5 * size[0], 0.5 * size[1], 0)) if size[0] > 0 and size[1] > 0 else (_KINDS["plane"], vec3())
    if kind is GeoType.CONVEX_MESH:
        return _HULL, vec3(1, 1, 1)
    if kind not in _OF_TYPE:
        raise NotSupportedError(f"the narrow phase on arrays takes no shapes of type {kind.name}", "PYTHON_LATER_STAGE")
    return _KINDS[_OF_TYPE[kind]], size


def _rotation(q: Any) -> np.ndarray:
    x, y, z, w = (float(v) for v in q)
    return np.array([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                     2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)])


def _launch(phase: Any, types: Any, scales: np.ndarray, transforms: np.ndarray, sources: Any, margins: Any, gaps: Any, pairs: Any) -> tuple[Any, ...]:
    n = len(types)
    kinds, rows = np.zeros(n, np.int32), np.zeros((n, 15))
    for i in range(n):
        kinds[i], size = _kind(types[i], scales[i])
        rows[i] = [*transforms[i][:3], *_rotation(transforms[i][3:7]), *size]
        if kinds[i] in (_KINDS["mesh"], _HULL) and not isinstance(sources[i], Mesh):
            raise TypeError(f"shape_source[{i}]: expected a Mesh, not {sources[i].__class__.__name__}")
    return phase.launch(kinds, rows, [s._core if isinstance(s, Mesh) else None for s in sources], np.ascontiguousarray(scales, dtype=float),
                        np.ascontiguousarray(margins, dtype=float), np.ascontiguousarray(gaps, dtype=float), np.ascontiguousarray(pairs, dtype=np.int32))


def _sources(given: Any) -> list[Any]:
    """Meshes of shapes. An array of numbers has what `Mesh.finalize` gave: 0 for none."""
    if not hasattr(given, "numpy"):
        return list(given)
    out = [mesh_of_id(number) if number else None for number in given.numpy()]
    if any(number and mesh is None for number, mesh in zip(given.numpy(), out)):
        raise NotSupportedError("shape_source: an id that no Mesh.finalize() of a mesh that is still there gave; give Mesh objects", "PYTHON_NOT_BUILT")
    return out


class NarrowPhase:
    """Contacts of candidate pairs, written into the caller's arrays; sizes of GPU buffers are accepted and ignored."""

    device = "cpu"

    @ignoring("max_triangle_pairs max_mesh_mesh_pairs max_mesh_plane_pairs device shape_aabb_lower shape_aabb_upper shape_voxel_resolution has_meshes has_heightfields "
              "use_lean_gjk_mpr convex_support_acceleration has_generic_convex_pairs sparse_gjk_pairs split_gjk_mpr candidate_pair_work_estimate "
              "mesh_sdf_texture_only mesh_sdf_identity_scale_only sdf_texture_paired_samples deterministic contact_max verify_buffers "
              "contact_reduction_hashtable_size_factor speculative contact_writer_supports_speculative")
    def __init__(self, *, max_candidate_pairs: int, reduce_contacts: bool = True, hydroelastic_sdf: Any = None, contact_writer_warp_func: Any = None, **unused: Any):
        if contact_writer_warp_func is not None:
            raise NotSupportedError("contact_writer_warp_func is a function of Warp; read what launch() fills in", "PYTHON_NOT_BUILT")
        warn_unused(NarrowPhase, {**unused, **({} if hydroelastic_sdf is None else {"hydroelastic_sdf": hydroelastic_sdf})})
        self.max_candidate_pairs, self.reduce_contacts = int(max_candidate_pairs), bool(reduce_contacts)
        self._core = _core.NarrowPhase(self.max_candidate_pairs, self.reduce_contacts)

    @ignoring("shape_support_data support_lut support_vertex_offsets support_neighbors shape_mesh_properties mesh_boundary_flags shape_mesh_boundary_start "
              "shape_sdf_index texture_sdf_data shape_base_gap shape_collision_radius shape_flags shape_collision_aabb_lower shape_collision_aabb_upper "
              "shape_voxel_resolution shape_interior_point shape_linear_velocity shape_angular_velocity collision_update_dt max_speculative_extension")
    def launch(self, *, candidate_pair: Any, candidate_pair_count: Any, shape_types: Any, shape_data: Any, shape_transform: Any, shape_source: Any,
               shape_gap: Any, contact_pair: Any, contact_position: Any, contact_normal: Any, contact_penetration: Any, contact_count: Any,
               contact_tangent: Any = None, device: Any = None, **unused: Any) -> None:
        """Fills contact_pair [n, 2], contact_position and contact_normal [n, 3], contact_penetration [n] (negative in overlap) and
        contact_count [1], which is the demand, also when it does not fit. Slots without a contact stay as they were.

        @param shape_data       scale and margin of each shape, [shapes, 4]
        @param shape_transform  in the world, [shapes, 7]
        @param shape_source     Mesh objects, or None for primitives
        """
        warn_unused(NarrowPhase.launch, unused)
        types = np.asarray(plain(shape_types)).reshape(-1)
        data = np.asarray(plain(shape_data), dtype=float).reshape(-1, 4)
        places = np.asarray(plain(shape_transform), dtype=float).reshape(-1, 7)
        gaps = np.asarray(plain(shape_gap), dtype=float).reshape(-1)
        sources = [None] * len(types) if shape_source is None else _sources(shape_source)
        if not len(types) == len(data) == len(places) == len(gaps) == len(sources):
            raise ValueError("shape_types, shape_data, shape_transform, shape_gap and shape_source differ in length")
        count = int(np.asarray(plain(candidate_pair_count)).reshape(-1)[0])
        pairs = np.asarray(plain(candidate_pair), dtype=np.int32).reshape(-1, 2)[:count]
        _, ids, position, normal, penetration = _launch(self._core, types, data[:, :3], places, sources, data[:, 3], gaps, pairs)
        out = output("contact_pair", contact_pair, None, np.int32).reshape(-1, 2)
        kept = min(len(out), len(ids))
        out[:kept] = ids[:kept]
        for name, target, values in (("contact_position", contact_position, position), ("contact_normal", contact_normal, normal)):
            output(name, target, None, None).reshape(-1, 3)[:kept] = values[:kept]
        output("contact_penetration", contact_penetration, None, None).reshape(-1)[:kept] = penetration[:kept]
        if contact_tangent is not None:
            output("contact_tangent", contact_tangent, None, None).reshape(-1, 3)[:kept] = _tangents(normal[:kept])
        output("contact_count", contact_count, (1,), np.int32)[0] = len(ids)


def _tangents(normals: np.ndarray) -> np.ndarray:
    """A unit vector across each normal: across the axis that it is least along."""
    axes = np.eye(3)[np.abs(normals).argmin(axis=1)]
    across = np.cross(normals, axes)
    return across / np.linalg.norm(across, axis=1, keepdims=True)


class HydroelasticSDF(PressureNames):
    """Contact as a pressure field over a patch; `CollisionPipeline(sdf_hydroelastic_config=HydroelasticSDF.Config(...))`."""

    @dataclass
    class Config:
        """Names and defaults are Newton's; sizes of GPU buffers without an effect here are kept and ignored."""

        reduce_contacts: bool = True
        pre_prune_contacts: bool = True
        buffer_fraction: float = 1.0
        buffer_mult_broad: int = 1
        buffer_mult_iso: int = 1
        buffer_mult_contact: int = 1
        contact_buffer_fraction: float = 0.5
        contact_reduction_hashtable_size_factor: float = 0.25
        grid_size: int = 256 * 8 * 128
        output_contact_surface: bool = False
        normal_matching: bool = True
        anchor_contact: bool = False
        moment_matching: bool = False
        margin_contact_area: float = 0.01  #: [m^2]
        pressure_func: Any = None
        pressure_data: Any = None
        mc_edge_clamp_min: float = 0.02

        def _options(self) -> dict[str, Any]:
            if self.pressure_func is not None:
                raise NotSupportedError("pressure laws of one's own are functions of C++ (HydroelasticOptions::pressure)", "PYTHON_LATER_STAGE")
            ignored = {"buffer_mult_broad", "buffer_mult_iso", "contact_buffer_fraction", "contact_reduction_hashtable_size_factor", "grid_size",
                       "pressure_func", "pressure_data"}
            own = type(self)()
            warn_unused(HydroelasticSDF.Config, {name: None for name in sorted(ignored) if getattr(self, name) != getattr(own, name)})
            kinds = {"bool": bool, "float": float, "int": float}
            return {f.name: kinds[str(f.type)](getattr(self, f.name)) for f in fields(self) if f.name not in ignored}

    def __init__(self, *_: Any, **__: Any):
        raise TypeError("made by CollisionPipeline(sdf_hydroelastic_config=...)")


reserve(NarrowPhase, "NarrowPhase")
reserve(HydroelasticSDF, "HydroelasticSDF")


# -- pairs


@dataclass
class Shape:
    """A shape in the world: type and scale as in `ModelBuilder.add_shape`, a Mesh where the type needs one, a margin [m]."""

    type: int
    scale: Any = (1.0, 1.0, 1.0)
    xform: Any = None
    mesh: Mesh | None = None
    margin: float = 0.0

    @property
    def transform(self) -> transform:
        return as_transform(self.xform)


def contacts(a: Shape, b: Shape, reach: float = 0.0) -> list[dict[str, Any]]:
    """Contacts of two shapes no farther apart than `reach` [m]: position midway between the surfaces, normal from a to b, distance [m]."""
    _, ids, position, normal, separation = _launch(
        _core.NarrowPhase(1, False), [a.type, b.type], np.array([a.scale, b.scale], dtype=float), np.array([a.transform, b.transform], dtype=float),
        [a.mesh, b.mesh], [a.margin, b.margin], [0.5 * float(reach)] * 2, [[0, 1]])
    turned = [1.0 if first == 0 else -1.0 for first, _ in ids]
    return [{"position": vec3(*p), "normal": vec3(*(s * n)), "distance": float(d)} for p, n, d, s in zip(position, normal, separation, turned)]


def gjk(a: Shape, b: Shape) -> tuple[float, vec3, vec3, vec3]:
    """(distance [m], negative in overlap, nearest point of a, nearest point of b, normal from a to b)."""
    found = contacts(a, b, _FAR)
    if not found:
        raise ValueError("the two shapes have no nearest points: both are unbounded or empty")
    nearest = min(found, key=lambda c: c["distance"])
    half = 0.5 * nearest["distance"] * np.asarray(nearest["normal"])
    middle = np.asarray(nearest["position"])
    return nearest["distance"], vec3(*(middle - half)), vec3(*(middle + half)), nearest["normal"]


def distance(a: Shape, b: Shape) -> float:
    """[m], negative in overlap; margins are part of the shapes."""
    return gjk(a, b)[0]


name_arguments(globals())
