"""Boxes around points, hulls, distances to meshes, surfaces moved outwards."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import REAL, plain
from ..core.enums import GeoType
from ..core.values import transform, vec3
from .mesh import Mesh
from .sdf import SDF

__all__ = ["compute_aabb", "compute_obb", "compute_offset_mesh", "remesh_convex_hull", "sdf_mesh"]


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


name_arguments(globals())
