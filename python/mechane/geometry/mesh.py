"""Triangle meshes."""
from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import ignoring, name_arguments
from ..core.array import plain
from ..core.diagnostics import NotSupportedError, warn_unused
from ..core.enums import Axis
from ..core.files import reading
from ..core.values import as_vec3, mat33, vec3
from ..newton.reserved import LEFT_OUT, reserve
from .sdf import SDF
from .triangles import corners_of, points_of

__all__ = ["Mesh", "mesh_of_id"]

#: How a mesh looks, unless its maker or its prim says otherwise.
_OF_LOOKS = {"color": None, "opacity": None, "roughness": None, "metallic": None, "texture": None, "texture_transform": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))}


def _rows(points: Any, name: str) -> tuple[np.ndarray, tuple[int, ...]]:
    at = np.ascontiguousarray(plain(points), dtype=float)
    if at.shape[-1:] != (3,):
        raise ValueError(f"{name}: shape {at.shape}, expected (..., 3)")
    return at.reshape(-1, 3), at.shape[:-1]


#: Meshes by the ids of their Warp meshes.
_BY_ID: "weakref.WeakValueDictionary[int, Mesh]" = weakref.WeakValueDictionary()


def mesh_of_id(number: int) -> "Mesh | None":
    """The mesh whose `finalize` gave a number."""
    return _BY_ID.get(int(number))


class Mesh:
    """A triangle mesh in its own frame [m]. `indices` are flat, three for a triangle, wound outwards."""

    MAX_HULL_VERTICES = 64
    #: The files that it was made of.
    _inputs: tuple[str, ...] = ()

    def __init__(self, vertices: Any, indices: Any, *, normals: Any = None, uvs: Any = None, compute_inertia: bool = True, is_solid: bool = True,
                 maxhullvert: int | None = None, color: Any = None, roughness: float | None = None, metallic: float | None = None,
                 texture: Any = None, texture_transform: Any = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), sdf: Any = None, opacity: float | None = None,
                 enable_surface_velocity: bool = False):
        points = points_of(vertices)
        corners = corners_of(indices, len(points))
        self._core = _core.Mesh(points, corners, False)
        self._describe(points, corners, maxhullvert, is_solid)
        self._normals = None if normals is None else plain(normals).astype(np.float32).reshape(-1, 3)
        self._uvs = None if uvs is None else plain(uvs).astype(np.float32).reshape(-1, 2)
        self.color = None if color is None else as_vec3("color", color)
        self.opacity, self.roughness, self.metallic = opacity, roughness, metallic
        self.texture, self.texture_transform = texture, texture_transform
        self.sdf = sdf
        self.enable_surface_velocity = bool(enable_surface_velocity)
        if compute_inertia:
            self.mass, self.com, self.inertia, _ = self.compute_inertia()
            self.has_inertia = True

    def _describe(self, points: np.ndarray, corners: np.ndarray, maxhullvert: int | None, is_solid: bool) -> None:
        self._vertices = points.astype(np.float32)
        self._indices = corners.copy()
        self.maxhullvert = self.MAX_HULL_VERTICES if maxhullvert is None else int(maxhullvert)
        self.is_solid = is_solid
        self.has_inertia = self.enable_surface_velocity = False
        self.mass, self.com, self.inertia = 1.0, vec3(), mat33(1, 0, 0, 0, 1, 0, 0, 0, 1)
        self.sdf = None
        self._core.known_as = weakref.ref(self)

    def __getattr__(self, name: str) -> Any:
        """What a mesh of the library takes from the prim that it was imported from, when somebody asks."""
        origin = self.__dict__.get("_origin")
        if name in _OF_LOOKS:
            self.__dict__.update(_OF_LOOKS if origin is None else origin.looks())
        elif name in ("_normals", "_uvs"):
            self._normals, self._uvs = (None, None) if origin is None else origin.corners(self._vertices, self._indices)
        elif name in LEFT_OUT["Mesh"]:
            raise AttributeError(f"Mesh.{name} is left out; {LEFT_OUT['Mesh'][name]}")
        else:
            raise AttributeError(f"Mesh has no attribute {name!r}")
        return self.__dict__[name]

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *_OF_LOOKS} - set(LEFT_OUT["Mesh"]))

    @classmethod
    def _of(cls, core: Any, origin: "MeshOrigin | None" = None) -> "Mesh | None":
        """The Mesh that stands for a mesh of the library; one and the same for the same mesh. `origin` says how it looks."""
        if core is None:
            return None
        known = core.known_as() if hasattr(core, "known_as") else None
        if known is not None:
            if origin is not None and known.__dict__.get("_origin", origin) is None:
                known._origin = origin
            return known
        mesh = cls.__new__(cls)
        mesh._core, mesh._origin = core, origin
        mesh._describe(core.points(), core.triangles().reshape(-1), None if origin is None else origin.hull_limit(), True)
        mesh.mass, mesh.com, mesh.inertia, _ = mesh.compute_inertia()
        mesh.has_inertia = True
        return mesh

    def _changed(self) -> None:
        self._becomes(_core.Mesh(self._vertices.astype(np.float64), self._indices, False))

    def _becomes(self, core: Any) -> None:
        """Another mesh of the library from here on, which the old one no longer stands for; what was made of the old one goes."""
        self.__dict__.pop("_finalized", None)
        if hasattr(self._core, "known_as"):
            del self._core.known_as
        self._core = core
        core.known_as = weakref.ref(self)

    @property
    def vertices(self) -> np.ndarray:
        return self._vertices

    @vertices.setter
    def vertices(self, value: Any) -> None:
        points = plain(value).astype(np.float32).reshape(-1, 3)
        corners_of(self._indices, len(points))
        self._vertices = points
        self._changed()

    @property
    def indices(self) -> np.ndarray:
        return self._indices

    @indices.setter
    def indices(self, value: Any) -> None:
        self._indices = corners_of(value, len(self._vertices))
        self._changed()

    @property
    def normals(self) -> np.ndarray | None:
        return self._normals

    @property
    def uvs(self) -> np.ndarray | None:
        return self._uvs

    @property
    def is_watertight(self) -> bool:
        """Every edge has exactly two triangles, wound alike."""
        return self._core.is_closed

    @property
    def edges(self) -> np.ndarray:
        """Pairs of vertices, smaller first, each once; as when the mesh was told last of a change."""
        t = self._core.triangles().reshape(-1, 3)
        return np.unique(np.sort(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), axis=1), axis=0)

    def copy(self, vertices: Any = None, indices: Any = None, recompute_inertia: bool = False) -> "Mesh":
        out = Mesh(self._vertices if vertices is None else vertices, self._indices if indices is None else indices, normals=self._normals,
                   uvs=self._uvs, compute_inertia=recompute_inertia, is_solid=self.is_solid, maxhullvert=self.maxhullvert, color=self.color,
                   roughness=self.roughness, metallic=self.metallic, texture=self.texture, texture_transform=self.texture_transform,
                   sdf=self.sdf, opacity=self.opacity, enable_surface_velocity=self.enable_surface_velocity)
        if not recompute_inertia:
            out.mass, out.com, out.inertia, out.has_inertia = self.mass, self.com, self.inertia, self.has_inertia
        return out

    def compute_convex_hull(self, replace: bool = False) -> "Mesh":
        """Convex hull with at most `maxhullvert` vertices."""
        hull = self._core.hull(max(4, self.maxhullvert))
        if not replace:
            return Mesh._of(hull)
        self._becomes(hull)
        self._vertices = hull.points().astype(np.float32)
        self._indices = hull.triangles().reshape(-1).copy()
        self.mass, self.com, self.inertia, _ = self.compute_inertia()
        self.has_inertia = True
        return self

    def decompose(self, concavity: float = 0.05, *, max_hulls: int = 32) -> list["Mesh"]:
        """Convex hulls that together cover the mesh closely, each with at most `maxhullvert` vertices. `concavity` is the deepest hollow
        that may stay, relative to the extent."""
        return [Mesh._of(part) for part in self._core.decompose(float(concavity), int(max_hulls), max(4, self.maxhullvert))]

    def simplify(self, ratio: float = 0.25, *, max_error: float = 0.02) -> "Mesh":
        """A mesh with about `ratio` of the triangles; the surface moves by at most `max_error` of the extent."""
        return Mesh._of(self._core.simplified(float(ratio), float(max_error)))

    def repair(self, *, fill_holes: bool = True) -> "tuple[Mesh, dict[str, int]]":
        """The mesh as a surface that bounds a solid, and what was done: `joined_points`, `dropped_triangles` (without area, or there twice),
        `turned_triangles`, `filled_holes`, `open_holes`. Points at one place are joined, neighbours run alike, closed parts face outwards and hollows
        within them inwards, each hole gets the surface of least area over its rim. A flat part stays open. The mesh itself does not change.

        @raises ValueError  vertices that are not finite, indices of vertices that do not exist"""
        made, *counts = self._core.repaired(bool(fill_holes))
        return Mesh._of(made), dict(zip(("joined_points", "dropped_triangles", "turned_triangles", "filled_holes", "open_holes"), counts))

    def compute_inertia(self, density: float = 1.0) -> tuple[float, vec3, mat33, float]:
        """(mass [kg], centre of mass [m], inertia about it [kg m^2], volume [m^3]) at a density [kg/m^3]."""
        mass, com, inertia = self._core.mass((1.0, 1.0, 1.0), float(density))
        return mass, tuple.__new__(vec3, com), tuple.__new__(mat33, inertia), mass / density if density else 0.0

    def invalidate_cache(self) -> None:
        self._changed()

    def finalize(self, device: Any = None, *, requires_grad: bool = False, bvh_constructor: str | None = None) -> int:
        """The id of a `warp.Mesh` of these triangles, for kernels of one's own; the mesh itself is `mesh` and stays until vertices or indices are set
        anew. Imports warp; nothing of mechane needs it.

        @raises NotImplementedError  warp is not installed
        """
        try:
            import warp as wp
        except ImportError:
            raise NotSupportedError("Mesh.finalize makes a mesh of Warp, which is not installed; nothing of mechane needs one", "PYTHON_NOT_BUILT") from None
        where = wp.get_device(device)
        corners = corners_of(self._indices, len(self._vertices))
        known = self.__dict__.setdefault("_finalized", {})
        key = (where.alias, bool(requires_grad), bvh_constructor)
        if key not in known:
            points = wp.array(self._vertices, dtype=wp.vec3, device=where, requires_grad=requires_grad)
            known[key] = wp.Mesh(points=points, velocities=wp.zeros_like(points), indices=wp.array(corners, dtype=wp.int32, device=where),
                                 bvh_constructor=bvh_constructor)
        self.mesh = known[key]
        _BY_ID[int(self.mesh.id)] = self
        return int(self.mesh.id)

    @ignoring("edge_lower_angle_threshold_rad edge_upper_angle_threshold_rad edge_concave_filter edge_box_absorption edge_box_half_normal "
              "edge_box_half_normal_rel edge_box_half_lateral edge_box_half_lateral_rel")
    def build_sdf(self, *, device: Any = None, narrow_band_range: tuple[float, float] | None = None, target_voxel_size: float | None = None,
                  max_resolution: int | None = None, margin: float | None = None, shape_margin: float = 0.0, scale: Any = None,
                  texture_format: str = "uint16", sign_method: str = "auto", cache_dir: Any = None, paired_samples: bool = True, **unused: Any) -> "SDF":
        """Makes the field of the mesh and keeps it: shapes of the mesh that are added from now on collide by fields of these settings."""
        warn_unused(Mesh.build_sdf, unused)
        self.sdf = SDF.create_from_mesh(self, narrow_band_range=narrow_band_range or (-0.1, 0.1), target_voxel_size=target_voxel_size,
                                        max_resolution=max_resolution, margin=0.05 if margin is None else margin, shape_margin=shape_margin, scale=scale,
                                        texture_format=texture_format, sign_method=sign_method)
        return self.sdf

    def clear_sdf(self) -> None:
        self.sdf = None

    # -- questions to the surface
    def _queries(self) -> Any:
        """Made at the first question, anew after the mesh has changed."""
        made = self.__dict__.get("_asked")
        if made is None or made[0] is not self._core:
            made = self.__dict__["_asked"] = (self._core, _core.MeshQueries(self._core, "auto"))
        return made[1]

    def closest_point(self, points: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(places on the surface (..., 3), signed distances [m], triangles) nearest to points (..., 3)."""
        at, shape = _rows(points, "points")
        distance, place, triangle = self._queries().nearest(at)
        return place.reshape(*shape, 3), distance.reshape(shape), triangle.reshape(shape)

    def signed_distance(self, points: Any) -> Any:
        """Distances of points (..., 3) [m], negative inside."""
        distance = self.closest_point(points)[1]
        return distance if distance.ndim else float(distance)

    def ray(self, origins: Any, directions: Any) -> tuple[np.ndarray, np.ndarray]:
        """(t in lengths of the direction, -1 where the surface is missed; normals) of rays with origins and directions (..., 3)."""
        from_, shape = _rows(origins, "origins")
        along, other = _rows(directions, "directions")
        if shape != other:
            raise ValueError(f"directions: {other} rays, {shape} origins")
        t, normal = self._queries().rays(from_, along)
        return t.reshape(shape), normal.reshape(*shape, 3)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Mesh) and np.array_equal(self._vertices, other._vertices) and np.array_equal(self._indices, other._indices))

    def __hash__(self) -> int:
        return hash((self._core.points().tobytes(), self._core.triangles().tobytes()))

    def __reduce__(self):
        _ = self.color, self._normals
        kept = {k: v for k, v in vars(self).items() if k not in ("_core", "_origin", "_vertices", "_indices", "_asked", "_finalized", "_inputs", "mesh")}
        return (_mesh_again, (self._core.points().copy(), self._indices, kept, self._core.is_convex))

    def __repr__(self) -> str:
        return f"<Mesh {len(self._vertices)} vertices, {len(self._indices) // 3} triangles>"

    # -- files and stages
    @staticmethod
    def create_from_file(filename: Any, *, method: str | None = None, maxhullvert: int | None = None, compute_inertia: bool = True, is_solid: bool = True,
                         **looks: Any) -> "Mesh":
        """A mesh from an OBJ, STL, PLY or glTF file; faces become fans of triangles, parts of a glTF scene lie where its nodes put them.
        `looks` are further arguments of Mesh: color, roughness, ...

        @raises FileNotFoundError, ValueError  there is no such file, its format is unknown, or it is damaged
        """
        from .mesh_files import read

        with reading() as files:
            points, triangles = read(filename)
        mesh = Mesh(points, triangles, maxhullvert=maxhullvert, compute_inertia=compute_inertia, is_solid=is_solid, **looks)
        mesh._inputs = tuple(files)
        return mesh

    @staticmethod
    def create_from_usd(prim: Any, **options: Any) -> "Mesh":
        """The mesh of a prim; see `mechane.usd.get_mesh`."""
        from ..stage.meshes import read_mesh

        return read_mesh(Mesh, prim, **options)

    def check(self) -> dict[str, Any]:
        """Boundary, non-manifold edges, degenerate triangles, closedness, components and signed volume."""
        return {**self._faults(), "components": len(self.components()), "volume": self.compute_inertia(1.0)[3]}

    def _faults(self) -> dict[str, Any]:
        """Boundary edges (of one triangle), non-manifold edges (of more than two), degenerate triangles, and whether it is closed."""
        t = self.indices.reshape(-1, 3)
        edges, count = np.unique(np.sort(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), axis=1), axis=0, return_counts=True)
        p = self.vertices[t]
        area = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1)
        return {"boundary_edges": edges[count == 1], "non_manifold_edges": edges[count > 2], "degenerate_triangles": np.flatnonzero(area == 0),
                "is_closed": self.is_watertight}

    def components(self) -> list[np.ndarray]:
        """Triangles of each connected part, as rows of the triangle list."""
        t = self._indices.reshape(-1, 3)
        if not len(t):
            return []
        root = np.arange(len(self._vertices))

        def find(i: int) -> int:
            while root[i] != i:
                root[i] = root[root[i]]
                i = int(root[i])
            return i

        for a, b in self.edges:
            ra, rb = find(int(a)), find(int(b))
            root[max(ra, rb)] = min(ra, rb)
        of = np.array([find(int(c)) for c in t[:, 0]])
        return [np.flatnonzero(of == r) for r in np.unique(of)]

    # -- shapes as meshes
    @staticmethod
    def create_box(hx: float, hy: float | None = None, hz: float | None = None, *, duplicate_vertices: bool = True, compute_normals: bool = True,
                   compute_uvs: bool = True, compute_inertia: bool = True) -> "Mesh":
        """A box of half extents [m]; with `duplicate_vertices` each face has corners of its own."""
        h = np.array([hx, hx if hy is None else hy, hx if hz is None else hz], dtype=float)
        points, triangles, normals, uvs = [], [], [], []
        for axis in range(3):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            for sign in (-1.0, 1.0):
                base = len(points)
                for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                    p = np.zeros(3)
                    p[axis], p[u], p[v] = sign, a, b
                    points.append(p * h)
                    normals.append(np.eye(3)[axis] * sign)
                    uvs.append(((a + 1) / 2, (b + 1) / 2))
                quad = ((0, 1, 2), (0, 2, 3)) if sign > 0 else ((0, 2, 1), (0, 3, 2))
                triangles += [[base + i for i in t] for t in quad]
        if not duplicate_vertices:
            unique, inverse = np.unique(np.array(points), axis=0, return_inverse=True)
            return Mesh(unique, inverse.reshape(-1)[np.array(triangles).reshape(-1)], compute_inertia=compute_inertia)
        return Mesh(points, triangles, normals=normals if compute_normals else None, uvs=uvs if compute_uvs else None, compute_inertia=compute_inertia)

    @staticmethod
    def create_sphere(radius: float = 1.0, *, num_latitudes: int = 32, num_longitudes: int = 32, reverse_winding: bool = False,
                      compute_normals: bool = True, compute_uvs: bool = True, compute_inertia: bool = True) -> "Mesh":
        return Mesh.create_ellipsoid(radius, radius, radius, num_latitudes=num_latitudes, num_longitudes=num_longitudes, reverse_winding=reverse_winding,
                                     compute_normals=compute_normals, compute_uvs=compute_uvs, compute_inertia=compute_inertia)

    @staticmethod
    def create_ellipsoid(rx: float = 1.0, ry: float = 1.0, rz: float = 1.0, *, num_latitudes: int = 32, num_longitudes: int = 32,
                         reverse_winding: bool = False, compute_normals: bool = True, compute_uvs: bool = True, compute_inertia: bool = True) -> "Mesh":
        """Semi-axes [m]; a grid of latitudes and longitudes with the poles on z."""
        profile = [(np.sin(a), -np.cos(a)) for a in np.linspace(0, np.pi, num_latitudes + 1)]
        mesh = _revolved(profile, num_longitudes, 2, compute_inertia=False)
        unit = mesh._vertices.astype(float)
        triangles = mesh._indices.reshape(-1, 3)
        normals = unit / np.array([rx, ry, rz])
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return Mesh(unit * [rx, ry, rz], triangles[:, ::-1] if reverse_winding else triangles, normals=normals if compute_normals else None,
                    uvs=mesh._uvs if compute_uvs else None, compute_inertia=compute_inertia)

    @staticmethod
    def create_capsule(radius: float, half_height: float, *, up_axis: Any = Axis.Y, segments: int = 32, compute_normals: bool = True,
                       compute_uvs: bool = True, compute_inertia: bool = True) -> "Mesh":
        arc = np.linspace(0, np.pi / 2, max(2, segments // 2))
        profile = [(radius * np.sin(a), -half_height - radius * np.cos(a)) for a in arc]
        profile += [(radius * np.cos(a), half_height + radius * np.sin(a)) for a in arc]
        return _revolved(profile, segments, Axis.from_any(up_axis), compute_inertia=compute_inertia)

    @staticmethod
    def create_cylinder(radius: float, half_height: float, *, up_axis: Any = Axis.Y, segments: int = 32, top_radius: float | None = None,
                        barrel_radius: float = 0.0, compute_normals: bool = True, compute_uvs: bool = True, compute_inertia: bool = True) -> "Mesh":
        """`top_radius` makes a cone of it; with a positive `barrel_radius` [m] the wall bulges along an arc of that radius."""
        top = radius if top_radius is None else top_radius
        wall = [(radius, -half_height), (top, half_height)]
        if barrel_radius:
            if barrel_radius < half_height:
                raise ValueError(f"barrel_radius is {barrel_radius}, expected at least half_height, {half_height}")
            end = np.arcsin(half_height / barrel_radius)
            wall = [(radius + (top - radius) * (0.5 + 0.5 * np.sin(t) / np.sin(end)) + barrel_radius * (np.cos(t) - np.cos(end)), barrel_radius * np.sin(t))
                    for t in np.linspace(-end, end, max(3, segments // 2))]
        return _revolved([(0, -half_height), *wall, (0, half_height)], segments, Axis.from_any(up_axis), compute_inertia=compute_inertia)

    @staticmethod
    def create_cone(radius: float, half_height: float, *, up_axis: Any = Axis.Y, segments: int = 32, compute_normals: bool = True,
                    compute_uvs: bool = True, compute_inertia: bool = True) -> "Mesh":
        return Mesh.create_cylinder(radius, half_height, up_axis=up_axis, segments=segments, top_radius=0.0, compute_inertia=compute_inertia)

    @staticmethod
    def create_arrow(base_radius: float, base_height: float, *, cap_radius: float | None = None, cap_height: float | None = None,
                     up_axis: Any = Axis.Y, segments: int = 32, compute_normals: bool = True, compute_uvs: bool = True,
                     compute_inertia: bool = True) -> "Mesh":
        wide = 1.8 * base_radius if cap_radius is None else cap_radius
        high = 1.8 * base_height if cap_height is None else cap_height
        return _revolved([(0, 0), (base_radius, 0), (base_radius, base_height), (wide, base_height), (0, base_height + high)], segments,
                         Axis.from_any(up_axis), compute_inertia=compute_inertia)

    @staticmethod
    def create_plane(width: float, length: float, *, compute_normals: bool = True, compute_uvs: bool = True, compute_inertia: bool = True) -> "Mesh":
        x, y = 0.5 * width, 0.5 * length
        return Mesh([(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)], [0, 1, 2, 0, 2, 3], normals=[(0, 0, 1)] * 4 if compute_normals else None,
                    uvs=[(0, 0), (1, 0), (1, 1), (0, 1)] if compute_uvs else None, compute_inertia=compute_inertia)

    @staticmethod
    def create_terrain(grid_size: tuple[int, int] = (4, 4), block_size: tuple[float, float] = (5.0, 5.0), terrain_types: Any = None,
                       terrain_params: dict[str, Any] | None = None, seed: int | None = None, *, compute_normals: bool = False, compute_uvs: bool = False,
                       compute_inertia: bool = True) -> "Mesh":
        """Blocks of ground [m] side by side, centred on the origin: flat, wave, pyramid_stairs, random_grid, box, gap, or functions
        (x, y, random) of 0..1 that give heights. `terrain_params` has keywords by kind; without a `seed` each call differs."""
        from .terrain import terrain

        return Mesh(*terrain(grid_size, block_size, terrain_types, terrain_params, seed), compute_inertia=compute_inertia)

    @staticmethod
    def create_heightfield(heightfield: Any, extent_x: float, extent_y: float, center_x: float = 0.0, center_y: float = 0.0, ground_z: float = 0.0, *,
                           compute_normals: bool = False, compute_uvs: bool = False, compute_inertia: bool = True) -> "Mesh":
        """A closed block under a grid of heights [m], rows along x, columns along y."""
        z = plain(heightfield).astype(float)
        if z.ndim != 2:
            raise ValueError(f"heightfield: shape {z.shape}, it must be 2D array")
        if min(z.shape) < 2:
            raise ValueError(f"heightfield: shape {z.shape}, expected a grid of at least 2x2")
        if not (extent_x > 0 and extent_y > 0):
            raise ValueError(f"heightfield: extents {extent_x}, {extent_y}, which must be positive [m]")
        nx, ny = z.shape
        x, y = np.meshgrid(np.linspace(-0.5, 0.5, nx) * extent_x + center_x, np.linspace(-0.5, 0.5, ny) * extent_y + center_y, indexing="ij")
        top = np.stack([x, y, z], axis=-1).reshape(-1, 3)
        bottom = top * [1, 1, 0] + [0, 0, min(ground_z, z.min() - 1e-3)]
        at = np.arange(nx * ny).reshape(nx, ny)
        a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
        up = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
        rim = np.concatenate([at[:, 0], at[-1, 1:], at[-2::-1, -1], at[0, -2:0:-1]])
        after, n = np.roll(rim, -1), nx * ny
        side = np.concatenate([np.stack([rim, rim + n, after + n], 1), np.stack([rim, after + n, after], 1)])
        return Mesh(np.concatenate([top, bottom]), np.concatenate([up, up[:, ::-1] + n, side]), compute_inertia=compute_inertia)


def _mesh_again(points: np.ndarray, indices: np.ndarray, kept: dict[str, Any], convex: bool) -> Mesh:
    mesh = Mesh.__new__(Mesh)
    mesh._core = _core.Mesh(points, indices, convex)
    mesh._describe(points, indices, None, True)
    vars(mesh).update(kept)
    return mesh


def _revolved(profile: list, segments: int, axis: int, *, compute_inertia: bool) -> Mesh:
    """A closed surface by turning a profile of (radius, height) from bottom to top; points on the axis become poles."""
    points: list = []
    rings: list = []
    turn = np.arange(segments) * (2 * np.pi / segments)
    for r, h in profile:
        if r <= 1e-12:
            rings.append([len(points)])
            points.append((0.0, 0.0, h))
        else:
            rings.append(list(range(len(points), len(points) + segments)))
            points += [(r * np.cos(t), r * np.sin(t), h) for t in turn]
    triangles: list = []
    for low, high in zip(rings, rings[1:]):
        for i in range(segments):
            j = (i + 1) % segments
            if len(low) > 1:
                triangles.append((low[i], low[j], high[j % len(high)]))
            if len(high) > 1:
                triangles.append((low[i % len(low)], high[j], high[i]))
    p = np.array(points)
    order = {0: [2, 0, 1], 1: [1, 2, 0], 2: [0, 1, 2]}[int(axis)]
    return Mesh(p[:, order], triangles, compute_inertia=compute_inertia)


SDF._mesh_of = Mesh._of
reserve(Mesh, "Mesh")


name_arguments(globals())
