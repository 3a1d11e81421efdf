"""Colours, layouts of worlds, checks of meshes."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from .core.arguments import name_arguments
from .core.colors import ColorSpace, bourke_color_map, color_linear_to_srgb, color_srgb_to_linear
from .core.diagnostics import error
from .core.enums import Axis
from .core.values import as_vec3
from .geometry.adjacency import MeshAdjacency, MeshAdjacencyData
from .geometry.coloring import color_graph
from .geometry.heightfield import rasterized
from .geometry.mesh import Mesh
from .geometry.prisms import prisms
from .geometry.quality import tet_issues, told, triangle_issues
from .model.layout import world_grid
from .model.texts import string_to_warp
from .newton.modules import absent

__all__ = ["MeshAdjacency", "MeshAdjacencyData", "ColorSpace", "bourke_color_map", "color_graph", "color_linear_to_srgb", "color_srgb_to_linear", "compute_world_offsets", "load_texture", "normalize_texture",
           "rasterize_mesh_to_heightfield", "remesh_mesh", "solidify_mesh", "string_to_warp", "validate_tet_mesh", "validate_triangle_mesh"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.utils", name)


def compute_world_offsets(world_count: int, spacing: Any = (5.0, 5.0, 0.0), up_axis: Any = None) -> np.ndarray:
    """Places of worlds in a centred grid [m], [worlds, 3]."""
    if not 0 <= int(world_count) < 2**31:
        raise ValueError(f"world_count is {world_count}, expected 0 to 2^31 - 1")
    return np.array(world_grid(int(world_count), as_vec3("spacing", spacing), Axis.Z if up_axis is None else Axis.from_any(up_axis)), dtype=np.float32).reshape(-1, 3)


def validate_triangle_mesh(vertices: Any, indices: Any, *, min_area: float = 1e-6, max_aspect_ratio: float = 20.0, min_angle_deg: float = 5.0,
                           label: str | None = None, stacklevel: int = 2) -> dict[str, Any]:
    """Boundary edges (of one triangle), non-manifold edges (of more than two), degenerate triangles, and whether it is closed; warns of triangles that
    solvers of cloth dislike.

    @param min_area          [m^2]
    @param max_aspect_ratio  longest side over shortest height
    @param min_angle_deg     [degrees]
    @param label             names the mesh in the warning
    @param stacklevel        has no effect: warnings name the line that called
    """
    issues = told(triangle_issues(vertices, indices, min_area, max_aspect_ratio, min_angle_deg), "triangle mesh", vertices, label)
    return {**Mesh(vertices, indices, compute_inertia=False)._faults(), "issues": issues}


def validate_tet_mesh(vertices: Any, indices: Any, *, min_volume: float = 1e-9, min_eta: float = 0.01, label: str | None = None, stacklevel: int = 2) -> list[str]:
    """Warns of tetrahedra that solvers of soft bodies dislike, and gives back what it says: inverted, small, thin ones, and faces of more than two.

    @param min_volume  [m^3]
    @param min_eta     12 (3 V)^(2/3) / sum of the squared edges: 1 for a regular tetrahedron, 0 for a flat one
    @param label       names the mesh in the warning
    @param stacklevel  has no effect: warnings name the line that called
    """
    return told(tet_issues(vertices, indices, min_volume, min_eta), "mesh of tetrahedra", vertices, label)


def solidify_mesh(faces: Any, vertices: Any, thickness: Any) -> tuple[np.ndarray, np.ndarray]:
    """A closed prism for each triangle of a surface, whose two sides lie `thickness` before and behind it: (faces [8 n, 3], vertices [2 m, 3]).

    Vertex k becomes 2 k before the surface and 2 k + 1 behind it, along the mean of the normals of its faces by their areas. Newton 1.8 takes the
    normal of one of them, whichever comes last.

    @param thickness  [m], one number, or one for each vertex
    @raises ValueError  no triangles, an index that is no vertex, or another number of thicknesses than of vertices
    """
    points, rows = np.asarray(vertices, dtype=float).reshape(-1, 3), np.asarray(faces, dtype=np.int64).reshape(-1, 3)
    if rows.size and not 0 <= rows.min() <= rows.max() < len(points):
        raise error(ValueError, "PYTHON_ARG_INDEX", f"faces: an index is not one of the {len(points)} vertices")
    depths = np.asarray(thickness, dtype=float)
    if depths.ndim and depths.shape != (len(points),):
        raise error(ValueError, "PYTHON_ARG_SHAPE", f"thickness has shape {depths.shape}, expected one number or {len(points)}")
    return prisms(points, rows, np.broadcast_to(depths, (len(points),)))


def remesh_mesh(mesh: Mesh, method: str = "quadratic", **options: Any) -> Mesh:
    """"quadratic": fewer triangles; "convex_hull": its hull."""
    if method == "convex_hull":
        return mesh.compute_convex_hull()
    if method != "quadratic":
        raise ValueError(f"method: {method!r}, expected 'quadratic' or 'convex_hull'")
    return mesh.simplify(1.0 - float(options.get("target_reduction", 0.5)))


def rasterize_mesh_to_heightfield(mesh: Any, resolution: float, *, max_cells_per_axis: int = 4096) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """(heights [nrow, ncol], (x_min, y_min, x_max, y_max)) of a mesh (a Mesh or a warp.Mesh) seen from above, sampled every `resolution` [m]; rows
    follow one another along y. Where there is no surface the lowest height of the mesh stands."""
    return rasterized(mesh, resolution, max_cells_per_axis)


def load_texture(texture: Any) -> np.ndarray | None:
    """Pixels of a PNG or JPEG file, which may lie in a package ("robot.usdz[wood.png]"), or of an array, [height, width, channels] of
    8 bits: three channels, and the alpha where the picture has one.

    @raises ValueError  PYTHON_TEXTURE: no such file, another format, or damaged
    """
    if texture is None:
        return None
    if isinstance(texture, np.ndarray):
        return normalize_texture(texture)
    pixels = _core.read_picture(os.fspath(texture), False)
    if pixels is None:
        raise error(ValueError, "PYTHON_TEXTURE", f"{texture} is not a readable PNG or JPEG file")
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


name_arguments(globals())
