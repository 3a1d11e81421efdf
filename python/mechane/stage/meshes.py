"""Meshes of a stage: one prim's, or all below a root."""
from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from .helpers import plain_value, world_matrix
from .looks import Look
from .view import Stage

__all__ = ["corner_fields", "look_fields", "read_mesh"]

_CONVERSIONS = ("vertex_averaging", "angle_weighted", "vertex_splitting")


def read_mesh(make: Callable[..., Any], source: Any = None, *, load_normals: bool = False, load_uvs: bool = False, maxhullvert: int | None = None,
              face_varying_normal_conversion: str = "vertex_splitting", vertex_splitting_angle_threshold_deg: float = 25.0,
              preserve_facevarying_uvs: bool = False, return_uv_indices: bool = False, root_path: str | None = None, compute_inertia: bool = True,
              apply_stage_units: bool = True, prim: Any = None, load_visual_materials: bool = True,
              return_source_point_indices: bool = False) -> Any:
    """A mesh, as `mechane.usd.get_mesh` describes it, of what `make` makes of vertices, triangles and the fields of a mesh."""
    if source is not None and prim is not None:
        raise TypeError("get_mesh: received both 'source' and legacy 'prim', which are the same; give source only")
    source = prim if source is None else source
    if source is None:
        raise ValueError("get_mesh: source is missing")
    if isinstance(source, str) and source.lower().startswith("http://"):
        raise ValueError(f"get_mesh: HTTP USD URLs are not supported; fetch {source} yourself and give the file")
    if face_varying_normal_conversion not in _CONVERSIONS:
        raise ValueError(f"face_varying_normal_conversion: {face_varying_normal_conversion!r} is none of {_CONVERSIONS}")
    options = _Options(load_normals, load_uvs, face_varying_normal_conversion, vertex_splitting_angle_threshold_deg, preserve_facevarying_uvs)
    single = hasattr(source, "GetPath") and root_path is None and str(source.GetTypeName()) == "Mesh"
    if not single:
        for name, wanted in (("return_uv_indices", return_uv_indices), ("return_source_point_indices", return_source_point_indices)):
            if wanted:
                raise ValueError(f"{name} is only supported for a single Mesh prim")
        if preserve_facevarying_uvs:
            raise ValueError("preserve_facevarying_uvs is not supported for meshes that are merged; give a single Mesh prim")
        return _merged(make, source, root_path, options, maxhullvert, compute_inertia, apply_stage_units)
    look = Look(source) if load_visual_materials or load_uvs else None
    part = _Part(source, options, None if look is None else look.texcoord)
    mesh = part.mesh(make, maxhullvert, compute_inertia)
    if load_visual_materials and look is not None:
        vars(mesh).update(look.fields())
    extra = ([part.uv_indices if return_uv_indices else None, part.source_points] if return_source_point_indices
             else [part.uv_indices] if return_uv_indices else [])
    return (mesh, *extra) if extra else mesh


def look_fields(prim: Any) -> dict[str, Any]:
    """How the mesh of a prim looks: by its own material, of a subset of faces else by that of the mesh."""
    look = Look(prim)
    if look.is_plain and str(prim.GetTypeName()) == "GeomSubset":
        look = Look(prim.GetParent())
    return look.fields()


def corner_fields(prim: Any, points: np.ndarray, triangles: np.ndarray) -> tuple[Any, Any]:
    """Normals and UVs of the mesh of a prim, or of a subset of its faces, where its vertices need not be split for them."""
    subset = str(prim.GetTypeName()) == "GeomSubset"
    mesh = prim.GetParent() if subset else prim
    if str(mesh.GetTypeName()) != "Mesh":
        return None, None
    faces = np.asarray(_read(prim, "indices"), int) if subset else None
    try:
        of_normals = _Part(mesh, _Options(True, False, "vertex_splitting", 25.0, False), None, faces)
        of_uvs = _Part(mesh, _Options(False, True, "vertex_splitting", 25.0, False), Look(prim).texcoord, faces)
    except (ValueError, IndexError):  # the importer has said what is wrong with the mesh
        return None, None
    return _of_vertices(of_normals, of_normals.normals, points), _of_vertices(of_uvs, of_uvs.uvs, points)


def _of_vertices(part: "_Part", values: Any, points: np.ndarray) -> Any:
    """A part's values at the vertices of the imported mesh, which are all points of the prim or those that its faces use."""
    if values is None:
        return None
    used = np.unique(part.source_points[part.triangles])
    origin = np.arange(part.point_count) if len(points) == part.point_count else used
    where = np.full(part.point_count, -1)
    where[part.source_points] = np.arange(len(part.source_points))
    if len(origin) != len(points) or len(np.unique(part.source_points)) != len(part.source_points) or (where[origin] < 0).any():
        return None
    return np.asarray(values, dtype=np.float32)[where[origin]]


class _Options:
    def __init__(self, normals: bool, uvs: bool, conversion: str, threshold: float, keep_uvs: bool):
        self.normals, self.uvs, self.conversion, self.threshold, self.keep_uvs = normals, uvs, conversion, threshold, keep_uvs


def _read(prim: Any, name: str) -> Any:
    attribute = prim.GetAttribute(name)
    return plain_value(attribute.Get()) if attribute and attribute.IsValid() else None


def _interpolation(prim: Any, name: str, otherwise: str) -> str:
    attribute = prim.GetAttribute(name)
    return str(attribute.GetMetadata("interpolation") or otherwise)


class _Part:
    """One prim's mesh: corners of its triangles with what belongs to them, split into vertices where normals or UVs ask for it."""

    def __init__(self, prim: Any, options: _Options, texcoord: str | None = None, faces: np.ndarray | None = None):
        """@param texcoord  name of the UVs that the material asks for, without "primvars:"; None: the usual ones
        @param faces     the faces that are taken; None: all
        """
        self.prim, self.options, self.texcoord = prim, options, texcoord
        points, counts, indices = (_read(prim, n) for n in ("points", "faceVertexCounts", "faceVertexIndices"))
        if points is None or counts is None or indices is None or not len(points):
            raise ValueError(f"{prim.GetPath()}: a mesh without points or faces")
        self.points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        counts, indices = np.asarray(counts, int), np.asarray(indices, int)
        if counts.sum() != len(indices) or (len(indices) and (indices.min() < 0 or indices.max() >= len(self.points))):
            raise ValueError(f"{prim.GetPath()}: faceVertexCounts and faceVertexIndices do not fit together")
        starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
        corners, of_faces = [], []
        for face, (start, n) in enumerate(zip(starts, counts)):
            for k in range(1, n - 1):
                corners.append((start, start + k, start + k + 1))
                of_faces.append(face)
        self.corners = np.array(corners, dtype=int).reshape(-1, 3)  # of the authored corner list
        self.faces = np.array(of_faces, dtype=int)
        if faces is not None:
            taken = np.isin(self.faces, faces)
            self.corners, self.faces = self.corners[taken], self.faces[taken]
        if str(_read(prim, "orientation") or "rightHanded") == "leftHanded":
            self.corners = self.corners[:, ::-1]
        self.at = indices
        self.point_count, self.face_count = len(self.points), len(counts)
        self.triangles = indices[self.corners] if len(self.corners) else np.zeros((0, 3), int)
        self.source_points = np.arange(len(self.points), dtype=np.int32)
        self.normals: Any = None
        self.uvs: Any = None
        self.uv_indices: Any = None
        if options.normals:
            self._load_normals()
        if options.uvs:
            self._load_uvs()

    def _expanded(self, values: Any, name: str, otherwise: str) -> tuple[Any, str]:
        """A primvar's values with its indices resolved, and its interpolation."""
        where = _read(self.prim, f"{name}:indices")
        values = np.asarray(values, dtype=float)
        return (values[np.asarray(where, int)] if where is not None and len(where) else values), _interpolation(self.prim, name, otherwise)

    def _of_corners(self, values: np.ndarray, interpolation: str) -> np.ndarray:
        """Values at the corners of triangles, [triangles, 3, components]."""
        if interpolation == "constant":
            return np.broadcast_to(values[0], (*self.triangles.shape, values.shape[1]))
        if interpolation == "uniform":
            return np.repeat(values[self.faces][:, None, :], 3, axis=1)
        return values[self.triangles] if interpolation in ("vertex", "varying") else values[self.corners]

    def _load_normals(self) -> None:
        name = "primvars:normals" if _read(self.prim, "primvars:normals") is not None else "normals"
        values = _read(self.prim, name)
        if values is not None and len(values):
            values, interpolation = self._expanded(values, name, "vertex")
        else:
            scheme = str(_read(self.prim, "subdivisionScheme") or "catmullClark")
            p = self.points[self.triangles]
            flat = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
            if scheme in ("none", "bilinear"):
                of_face = np.zeros((self.faces.max() + 1 if len(self.faces) else 0, 3))
                np.add.at(of_face, self.faces, flat)
                values, interpolation = _unit(of_face), "uniform"
            else:
                values, interpolation = np.zeros_like(self.points), "vertex"
                for k in range(3):
                    np.add.at(values, self.triangles[:, k], flat)
                values = _unit(values)
        if interpolation in ("vertex", "varying"):
            self.normals = _unit(values)
            return
        at_corners = _unit(self._of_corners(values, interpolation))
        if interpolation == "constant":
            self.normals = np.broadcast_to(_unit(values[:1]), self.points.shape).copy()
        elif self.options.conversion == "vertex_splitting":
            self._split_by_normals(at_corners)
        else:
            weights = self._corner_angles() if self.options.conversion == "angle_weighted" else np.ones(self.triangles.shape)
            total = np.zeros_like(self.points)
            for k in range(3):
                np.add.at(total, self.triangles[:, k], at_corners[:, k] * weights[:, k, None])
            self.normals = _unit(total)

    def _corner_angles(self) -> np.ndarray:
        p = self.points[self.triangles]
        out = np.empty(self.triangles.shape)
        for k in range(3):
            a, b = _unit(p[:, (k + 1) % 3] - p[:, k]), _unit(p[:, (k + 2) % 3] - p[:, k])
            out[:, k] = np.arccos(np.clip((a * b).sum(1), -1, 1))
        return out

    def _split_by_normals(self, at_corners: np.ndarray) -> None:
        """Corners of one point whose normals are near each other share a vertex."""
        near = np.cos(np.radians(self.options.threshold))
        clusters: dict[int, list[tuple[int, np.ndarray]]] = {}
        source, sums = [], []
        out = np.empty_like(self.triangles)
        for t, triangle in enumerate(self.triangles):
            for k, point in enumerate(triangle):
                normal = at_corners[t, k]
                for vertex, first in clusters.setdefault(int(point), []):
                    if normal @ first >= near:
                        sums[vertex] = sums[vertex] + normal
                        break
                else:
                    vertex = len(source)
                    clusters[int(point)].append((vertex, normal))
                    source.append(int(point))
                    sums.append(normal.copy())
                out[t, k] = vertex
        self.source_points = np.array(source, dtype=np.int32)
        self.points, self.triangles, self.normals = self.points[self.source_points], out, _unit(np.array(sums).reshape(-1, 3))

    def _uv_name(self) -> str | None:
        names = [n for n in self.prim.GetPropertyNames() if str(n).startswith("primvars:") and not str(n).endswith(":indices")]
        for name in (f"primvars:{self.texcoord}", "primvars:st", "primvars:st0", "primvars:UVMap", "primvars:uv", *names):
            attribute = self.prim.GetAttribute(name)
            if attribute and attribute.IsValid() and str(attribute.GetTypeName()) in ("texCoord2f[]", "texCoord2d[]", "float2[]", "texCoord2h[]") and attribute.Get() is not None:
                return name
        return None

    def _load_uvs(self) -> None:
        name = self._uv_name()
        if name is None:
            return
        values, interpolation = self._expanded(_read(self.prim, name), name, "constant")
        expected = {"vertex": self.point_count, "varying": self.point_count, "uniform": self.face_count, "faceVarying": len(self.at)}.get(interpolation, 1)
        if len(values) != expected:
            logging.getLogger("mechane.usd").info("%s has %d values for %s of %s, expected %d; they are left out", self.prim.GetPath(), len(values), interpolation, name, expected)
            return
        if interpolation in ("vertex", "varying"):
            self.uvs = values[self.source_points]
            self.uv_indices = self.triangles.reshape(-1).astype(np.int32)
            return
        if interpolation == "faceVarying" and self.options.keep_uvs:
            self.uvs, self.uv_indices = values, self.corners.reshape(-1).astype(np.int32)
            return
        if interpolation == "constant":
            self.uvs = np.broadcast_to(values[0], (len(self.points), 2)).copy()
        else:
            # Corners of one vertex with equal UVs share it; others get one of their own.
            at_corners = np.repeat(values[self.faces][:, None, :], 3, axis=1) if interpolation == "uniform" else values[self.corners]
            keys = np.concatenate([self.triangles.reshape(-1, 1).astype(float), at_corners.reshape(-1, 2)], axis=1)
            kept, where = np.unique(keys, axis=0, return_inverse=True)
            vertices = kept[:, 0].astype(int)
            self.points, self.source_points = self.points[vertices], self.source_points[vertices]
            if self.normals is not None:
                self.normals = self.normals[vertices]
            self.triangles, self.uvs = where.reshape(-1, 3), kept[:, 1:]
        self.uv_indices = self.triangles.reshape(-1).astype(np.int32)

    def mesh(self, make: Callable[..., Any], maxhullvert: int | None, compute_inertia: bool) -> Any:
        return make(self.points, self.triangles.reshape(-1), normals=self.normals, uvs=self.uvs, maxhullvert=maxhullvert, compute_inertia=compute_inertia)


def _unit(v: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > 0, length, 1)


def _merged(make: Callable[..., Any], source: Any, root_path: str | None, options: _Options, maxhullvert: int | None, compute_inertia: bool, units: bool) -> Any:
    stage = source.GetStage() if hasattr(source, "GetPath") else source if hasattr(source, "Traverse") else Stage(os.fspath(source))
    root = root_path or (str(source.GetPath()) if hasattr(source, "GetPath") else "/")
    start = stage.GetPrimAtPath(root) if root != "/" else stage.GetPseudoRoot()
    if not start:
        raise ValueError(f"root_path: there is no prim {root}")
    into = np.linalg.inv(world_matrix(start, None)) if root != "/" else np.eye(4)
    below = root.rstrip("/") + "/"
    points, triangles, normals, uvs, count = [], [], [], [], 0
    for prim in stage.Traverse():
        path = str(prim.GetPath())
        if str(prim.GetTypeName()) != "Mesh" or not (path == root or path.startswith(below)):
            continue
        part = _Part(prim, options)
        m = world_matrix(prim, None) @ into
        points.append(part.points @ m[:3, :3] + m[3, :3])
        flip = np.linalg.det(m[:3, :3]) < 0
        triangles.append((part.triangles[:, [0, 2, 1]] if flip else part.triangles) + count)
        count += len(part.points)
        normals.append(None if part.normals is None else _unit(part.normals @ np.linalg.inv(m[:3, :3]).T))
        uvs.append(part.uvs)
    if not points:
        raise ValueError(f"there is no mesh below {root}")
    # OpenUSD's stages have a fallback, which nobody meant.
    metres = stage.GetMetadata("metersPerUnit") if units and getattr(stage, "HasAuthoredMetadata", lambda _: True)("metersPerUnit") else None
    joined = np.concatenate(points) * (1.0 if metres is None else float(metres))
    return make(joined, np.concatenate(triangles).reshape(-1), normals=np.concatenate(normals) if all(n is not None for n in normals) else None,
                uvs=np.concatenate(uvs) if all(u is not None for u in uvs) else None, maxhullvert=maxhullvert, compute_inertia=compute_inertia)


name_arguments(globals())
