"""Signed distance fields: made of meshes or of arrays, sampled, turned back into meshes."""
from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.files import write
from ..core.values import as_vec3, vec3
from ..newton.reserved import reserve
from .triangles import corners_of, points_of

if TYPE_CHECKING:
    from .mesh import Mesh

__all__ = ["SDF"]


class SDF:
    """Distances [m] on a grid with fine cells near the surface, negative inside; in the frame of the mesh it was made of."""

    #: Makes a Mesh of one of the library; meshes build on fields, and their module puts it here.
    _mesh_of: "ClassVar[Callable[[Any], Mesh]]"
    #: The files that it was made of.
    _inputs: tuple[str, ...] = ()

    def __init__(self, core: Any, shape_margin: float = 0.0, settings: dict[str, Any] | None = None):
        if not isinstance(core, _core.Sdf):
            raise TypeError("fields are made by SDF.create_from_mesh(), create_from_points(), from_array() or load()")
        self._core, self.shape_margin = core, float(shape_margin)
        #: What a shape needs to have such a field of its own, by the names of ShapeConfig.
        self.settings = dict(settings or {})

    @staticmethod
    def create_from_mesh(mesh: "Mesh", *, device: Any = None, narrow_band_range: tuple[float, float] = (-0.1, 0.1), target_voxel_size: float | None = None,
                         max_resolution: int | None = None, margin: float = 0.05, shape_margin: float = 0.0, scale: Any = None,
                         texture_format: str = "uint16", sign_method: str = "auto", cache_dir: Any = None, paired_samples: bool = True) -> "SDF":
        """The field of a mesh, with cells of `target_voxel_size` [m] or `max_resolution` cells along the longest side.

        @param margin        of the box around the mesh on each side [m]
        @param shape_margin  by how much the surface moves inwards [m]
        @param sign_method   how inside is told from outside: auto, parity, winding, normal
        @raises ValueError   an option makes no sense, or the field would need too much memory
        """
        made = SDF._of(mesh._core, narrow_band_range=narrow_band_range, target_voxel_size=target_voxel_size, max_resolution=max_resolution, margin=margin,
                       shape_margin=shape_margin, scale=scale, texture_format=texture_format, sign_method=sign_method)
        made._inputs = mesh._inputs
        return made

    @staticmethod
    def _of(mesh: Any, *, narrow_band_range: tuple[float, float], target_voxel_size: float | None, max_resolution: int | None, margin: float, shape_margin: float,
            scale: Any, texture_format: str = "uint16", sign_method: str = "auto") -> "SDF":
        """The field of a mesh of the library."""
        band = (float(narrow_band_range[0]), float(narrow_band_range[1]))
        core = _core.Sdf(mesh, None if max_resolution is None else int(max_resolution), None if target_voxel_size is None else float(target_voxel_size),
                         *band, float(margin), texture_format, sign_method, vec3(1, 1, 1) if scale is None else as_vec3("scale", scale))
        return SDF(core, shape_margin, {"force_sdf": True, "sdf_max_resolution": max_resolution, "sdf_target_voxel_size": target_voxel_size,
                                        "sdf_narrow_band_range": band, "sdf_texture_format": texture_format, "sdf_padding": float(margin)})

    @staticmethod
    def create_from_points(points: Any, indices: Any, *, device: Any = None, narrow_band_range: tuple[float, float] = (-0.1, 0.1),
                           target_voxel_size: float | None = None, max_resolution: int | None = None, margin: float = 0.05, shape_margin: float = 0.0,
                           scale: Any = None) -> "SDF":
        """As `create_from_mesh`, of vertices [n, 3] and triangles."""
        at = points_of(points)
        return SDF._of(_core.Mesh(at, corners_of(indices, len(at)), False), narrow_band_range=narrow_band_range, target_voxel_size=target_voxel_size,
                       max_resolution=max_resolution, margin=margin, shape_margin=shape_margin, scale=scale)

    @staticmethod
    def from_array(values: Any, voxel_size: float, lower: Any = (0, 0, 0), *, narrow_band_range: tuple[float, float] = (-0.1, 0.1),
                   texture_format: str = "float32") -> "SDF":
        """The field that interpolates distances [m] at the corners of a grid, [nx, ny, nz]; `lower` is the place of the first."""
        grid = np.ascontiguousarray(plain(values), dtype=float)
        if grid.ndim != 3:
            raise ValueError(f"values: shape {grid.shape}, expected 3 dimensions")
        if not np.isfinite(grid).all():
            raise ValueError("values: not all finite")
        return SDF(_core.Sdf.of_grid(grid, as_vec3("lower", lower), float(voxel_size), float(narrow_band_range[0]), float(narrow_band_range[1]), texture_format))

    def _at(self, points: Any) -> tuple[np.ndarray, tuple[int, ...]]:
        at = np.ascontiguousarray(plain(points), dtype=float)
        if at.shape[-1:] != (3,):
            raise ValueError(f"points: shape {at.shape}, expected (..., 3)")
        return at.reshape(-1, 3), at.shape[:-1]

    def sample(self, points: Any) -> Any:
        """Distances [m] of points (..., 3)."""
        at, shape = self._at(points)
        out = self._core.sample(at).reshape(shape) - self.shape_margin
        return out if shape else float(out)

    def gradient(self, points: Any) -> np.ndarray:
        """Gradients of the interpolated field, (..., 3): unit length away from ridges."""
        at, shape = self._at(points)
        return self._core.gradient(at).reshape(*shape, 3)

    @property
    def resolution(self) -> tuple[int, int, int]:
        """Fine cells each way."""
        x, y, z = self._core.blocks
        return 8 * x, 8 * y, 8 * z

    @property
    def voxel_size(self) -> float:
        return self._core.voxel

    @property
    def lower(self) -> vec3:
        return vec3(*self._core.lower)

    @property
    def upper(self) -> vec3:
        return vec3(*self._core.upper)

    @property
    def memory(self) -> int:
        """[bytes]"""
        return self._core.memory

    def is_empty(self) -> bool:
        return self._core.bricks == 0

    def validate(self) -> None:
        """A field that was made is sound; nothing to find."""

    def extract_isomesh(self, isovalue: float = 0.0, device: Any = None) -> "Mesh | None":
        """The surface at a distance [m], or None where there is none."""
        core = self._core.isomesh(float(isovalue) + self.shape_margin)
        return type(self)._mesh_of(core) if len(core.triangles()) else None

    def save(self, file: Any) -> None:
        """Writes the field to a file, for `load`.

        @raises ValueError  FILES_INPUT  the field is of the mesh of this file
        """
        write(file, self._core.to_bytes(), self._inputs)

    @staticmethod
    def load(file: Any) -> "SDF":
        """@raises ValueError  the file is of another version, or no field"""
        return SDF(_core.Sdf.from_bytes(pathlib.Path(file).read_bytes()))

    def __copy__(self) -> "SDF":
        twin = SDF(self._core, self.shape_margin, self.settings)
        twin._inputs = self._inputs
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> "SDF":
        return self.__copy__()  # fields never change

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._core.to_bytes(), self.shape_margin, self.settings)

    def __repr__(self) -> str:
        return f"<SDF {' x '.join(map(str, self.resolution))} cells of {self.voxel_size:.4g} m, {self.memory} bytes>"


reserve(SDF, "SDF")


def _again(data: bytes, shape_margin: float, settings: dict[str, Any]) -> SDF:
    return SDF(_core.Sdf.from_bytes(data), shape_margin, settings)


name_arguments(globals())
