"""Colours, layouts of worlds, checks of meshes."""
from __future__ import annotations

import os
from enum import IntEnum
from typing import Any

import numpy as np

from ._arguments import name_arguments
from ._array import plain
from ._mesh import Heightfield, Mesh
from ._reserved import _Later, left_out

__all__ = ["ColorSpace", "bourke_color_map", "color_linear_to_srgb", "color_srgb_to_linear", "compute_world_offsets", "load_texture", "normalize_texture",
           "rasterize_mesh_to_heightfield", "remesh_mesh", "string_to_warp", "validate_triangle_mesh"]

_LATER = {**dict.fromkeys(("MeshAdjacency", "MeshAdjacencyData", "color_graph", "validate_tet_mesh"), "deformables"),
          "solidify_mesh": "distance fields", "download_asset": "assets from the network"}
_LEFT_OUT = dict.fromkeys(("plot_graph", "EventTracer", "event_scope", "run_benchmark"), "`mechane bench` measures")


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return _Later("mechane.utils", name, _LATER[name])
    if name in _LEFT_OUT:
        return left_out("mechane.utils", name, _LEFT_OUT[name])
    raise AttributeError(f"module 'mechane.utils' has no attribute {name!r}")


class ColorSpace(IntEnum):
    """How numbers of a colour are meant."""

    SRGB = 0
    LINEAR = 1


def color_linear_to_srgb(color: Any) -> tuple[float, ...]:
    """IEC 61966-2-1, each component of 0 to 1."""
    c = np.clip(np.asarray(plain(color), dtype=float), 0, 1)
    return tuple(np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055).tolist())


def color_srgb_to_linear(color: Any) -> tuple[float, ...]:
    """IEC 61966-2-1, each component of 0 to 1."""
    c = np.clip(np.asarray(plain(color), dtype=float), 0, 1)
    return tuple(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).tolist())


def bourke_color_map(low: float, high: float, v: float) -> list[float]:
    """From blue through cyan, green and yellow to red."""
    x = 4 * ((min(max(v, low), high) - low) / (high - low) if high > low else 0.0)
    return [min(max(x - 2, 0), 1), min(x, 1) if x < 3 else 4 - x, min(max(2 - x, 0), 1)]


def compute_world_offsets(world_count: int, spacing: Any = (5.0, 5.0, 0.0), up_axis: Any = None) -> np.ndarray:
    """Places of worlds in a centred grid [m], [worlds, 3]."""
    from ._builder import _grid
    from ._enums import Axis
    from ._values import as_vec3

    if not 0 <= int(world_count) < 2**31:
        raise ValueError(f"world_count is {world_count}, expected 0 to 2^31 - 1")
    return np.array(_grid(int(world_count), as_vec3("spacing", spacing), Axis.Z if up_axis is None else Axis.from_any(up_axis)), dtype=np.float32).reshape(-1, 3)


def validate_triangle_mesh(vertices: Any, indices: Any) -> dict[str, Any]:
    """Boundary edges (of one triangle), non-manifold edges (of more than two), degenerate triangles, and whether it is closed."""
    mesh = Mesh(vertices, indices, compute_inertia=False)
    t = mesh.indices.reshape(-1, 3)
    edges, count = np.unique(np.sort(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), axis=1), axis=0, return_counts=True)
    p = mesh.vertices[t]
    area = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1)
    return {"boundary_edges": edges[count == 1], "non_manifold_edges": edges[count > 2], "degenerate_triangles": np.flatnonzero(area == 0), "is_closed": mesh.is_watertight}


def remesh_mesh(mesh: Mesh, method: str = "quadratic", **options: Any) -> Mesh:
    """"quadratic": fewer triangles; "convex_hull": its hull."""
    if method == "convex_hull":
        return mesh.compute_convex_hull()
    if method != "quadratic":
        raise ValueError(f"method: {method!r}, expected 'quadratic' or 'convex_hull'")
    return mesh.simplify(1.0 - float(options.get("target_reduction", 0.5)))


def rasterize_mesh_to_heightfield(mesh: Mesh, nrow: int, ncol: int) -> Heightfield:
    """Heights of a mesh over its bounds, seen from above; the lowest point where there is none."""
    from . import ModelBuilder
    from ._rays import intersect_ray

    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    b = ModelBuilder()
    b.add_shape_mesh(-1, mesh=mesh)
    x, y = np.meshgrid(np.linspace(low[0], high[0], nrow), np.linspace(low[1], high[1], ncol), indexing="ij")
    start = np.stack([x, y, np.full_like(x, high[2] + 1)], axis=-1).reshape(-1, 3)
    distance, _, _ = intersect_ray(b.finalize(), ray_origins=start, ray_directions=np.broadcast_to([0.0, 0.0, -1.0], start.shape), ray_worlds=-1)
    heights = np.where(distance >= 0, high[2] + 1 - np.asarray(distance), low[2])
    half = (high - low) / 2
    return Heightfield(heights, nrow, ncol, float(half[0]), float(half[1]))


def load_texture(texture: Any) -> np.ndarray | None:
    """Pixels of a PNG or JPEG file, which may lie in a package ("robot.usdz[wood.png]"), or of an array, [height, width, channels] of
    8 bits: three channels, and the alpha where the picture has one.

    @raises ValueError  E_TEXTURE: no such file, another format, or damaged
    """
    if texture is None:
        return None
    if isinstance(texture, np.ndarray):
        return normalize_texture(texture)
    from . import _core
    from ._diagnostics import error

    pixels = _core.read_picture(os.fspath(texture), False)
    if pixels is None:
        raise error(ValueError, "E_TEXTURE", f"{texture} is no PNG or JPEG file that can be read")
    return np.ascontiguousarray(pixels[:, :, :3]) if (pixels[:, :, 3] == 255).all() else pixels


def normalize_texture(texture: Any) -> np.ndarray:
    """8 bits, three or four channels, contiguous."""
    pixels = np.asarray(texture)
    if pixels.dtype.kind == "f":
        pixels = np.clip(np.round(pixels * 255), 0, 255)
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[:, :, None], 3, axis=2)
    if pixels.ndim != 3 or pixels.shape[2] not in (3, 4):
        raise ValueError(f"texture: shape {pixels.shape}, expected (height, width, 3 or 4)")
    return np.ascontiguousarray(pixels, dtype=np.uint8)


def string_to_warp(value: str, warp_dtype: Any, default: Any = None) -> Any:
    """Numbers in a text ("1 2 3") as a value of the type."""
    parts = value.replace(",", " ").split()
    name = getattr(warp_dtype, "__name__", "")
    if not parts:
        return default
    if name in ("bool", "bool_"):
        return parts[0].lower() in ("1", "true", "enable")
    if hasattr(warp_dtype, "_length_") or hasattr(warp_dtype, "_shape_") or issubclass(warp_dtype, tuple):
        return warp_dtype(*map(float, parts))
    return warp_dtype(float(parts[0])) if "int" not in name else warp_dtype(int(parts[0]))


name_arguments(globals())
