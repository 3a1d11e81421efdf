"""Meshes of a stage."""
from __future__ import annotations

from typing import Any

from ..core.arguments import name_arguments
from ..stage.meshes import read_mesh
from .mesh import Mesh

__all__ = ["get_mesh"]


def get_mesh(source: Any = None, *, load_normals: bool = False, load_uvs: bool = False, maxhullvert: int | None = None,
             face_varying_normal_conversion: str = "vertex_splitting", vertex_splitting_angle_threshold_deg: float = 25.0,
             preserve_facevarying_uvs: bool = False, return_uv_indices: bool = False, root_path: str | None = None, compute_inertia: bool = True,
             apply_stage_units: bool = True, prim: Any = None, load_visual_materials: bool = True,
             return_source_point_indices: bool = False) -> Any:
    """The triangles of a Mesh prim in its own coordinates; of a stage, file or other prim those of all meshes below, merged, in the
    frame of the root and in metres.

    @return  the mesh; with the flags a tuple of it, the triangles' indices into the UVs, and the source point of each vertex
    """
    return read_mesh(Mesh, source, load_normals=load_normals, load_uvs=load_uvs, maxhullvert=maxhullvert, face_varying_normal_conversion=face_varying_normal_conversion,
                     vertex_splitting_angle_threshold_deg=vertex_splitting_angle_threshold_deg, preserve_facevarying_uvs=preserve_facevarying_uvs,
                     return_uv_indices=return_uv_indices, root_path=root_path, compute_inertia=compute_inertia, apply_stage_units=apply_stage_units, prim=prim,
                     load_visual_materials=load_visual_materials, return_source_point_indices=return_source_point_indices)


name_arguments(globals())
