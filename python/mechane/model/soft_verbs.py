"""The builder's verbs for springs, cloth, soft bodies and what holds them to bodies."""
from __future__ import annotations

import math
from typing import Any, Iterable

import numpy as np

from .. import _core, config
from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import error, kind_of, warn
from ..core.values import as_quat, as_vec3
from ..geometry.coloring import color_graph
from .custom import AttributeFrequency
from .soft_mesh_checks import check_tets, check_triangles
from .tet_mesh import TetMesh

__all__ = ["SoftVerbs"]

_COLOR = (0.7, 0.5, 0.3)


def _gain(name: str, value: Any) -> float:
    """A stiffness or a damping: finite, not negative."""
    number = float(value)
    if not (math.isfinite(number) and number >= 0):
        raise kind_of(ValueError)(f"{name} is {number}, expected a finite number that is not negative", "PYTHON_ARG_GAIN")
    return number


def _finite(name: str, value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise kind_of(ValueError)(f"{name} is {number}, expected a finite number", "PYTHON_ARG_NUMBER")
    return number


def _indices(name: str, values: Any, group: int) -> np.ndarray:
    rows = np.ascontiguousarray(plain(values), np.int32).reshape(-1) if len(values) else np.zeros(0, np.int32)
    if len(rows) % group:
        raise kind_of(ValueError)(f"{name}: {len(rows)} indices, expected a multiple of {group}", "PYTHON_ARG_SHAPE")
    return rows


def _vertices(values: Any, scale: float) -> np.ndarray:
    rows = np.ascontiguousarray(plain(values), float).reshape(-1, 3) * _finite("scale", scale) if len(values) else np.zeros((0, 3))
    if not np.isfinite(rows).all():
        bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise kind_of(ValueError)(f"vertices[{bad}] is {tuple(rows[bad])}, expected finite numbers", "PYTHON_ARG_NUMBER")
    return np.ascontiguousarray(rows)


def _within(name: str, rows: np.ndarray, count: int) -> np.ndarray:
    if len(rows) and not 0 <= rows.min() <= rows.max() < count:
        at = int(np.flatnonzero((rows < 0) | (rows >= count))[0])
        raise kind_of(IndexError)(f"{name}[{at}] is {rows[at]}, there are {count} vertices", "PYTHON_ARG_INDEX")
    return rows


def _each(values: Any, count: int, name: str = "parameter") -> np.ndarray:
    """One number for each element, of one for all or one each."""
    rows = np.asarray(plain(values), float).reshape(-1) if np.ndim(values) else np.full(1, float(values))
    if len(rows) == 1:
        rows = np.repeat(rows, count)
    if len(rows) != count:
        raise kind_of(ValueError)(f"{name}: Expected {count} parameter values, got {len(rows)}", "PYTHON_ARG_SHAPE")
    return rows


class SoftVerbs:
    """Mixed into ModelBuilder. Elements are at rest where their particles are when they are added."""

    def _soft_defaults(self) -> None:
        self.default_tri_ke, self.default_tri_ka, self.default_tri_kd, self.default_tri_drag, self.default_tri_lift = 100.0, 100.0, 10.0, 0.0, 0.0
        self.default_spring_ke, self.default_spring_kd, self.default_edge_ke, self.default_edge_kd = 100.0, 0.0, 100.0, 0.0
        self.default_tet_k_mu, self.default_tet_k_lambda, self.default_tet_k_damp, self.default_tet_density = 1.0e3, 1.0e3, 0.0, 1.0
        for name, value in (("ke", 1.0e3), ("kd", 100.0), ("kf", 100.0), ("mu", 0.5), ("cohesion", 0.0), ("adhesion", 0.0), ("max_velocity", 1.0e5)):
            setattr(self, f"particle_{name}", value)

    # -- counts
    @property
    def spring_count(self) -> int:
        return _core.soft_counts(self._core)[0]

    @property
    def tri_count(self) -> int:
        return _core.soft_counts(self._core)[1]

    @property
    def edge_count(self) -> int:
        return _core.soft_counts(self._core)[2]

    @property
    def tet_count(self) -> int:
        return _core.soft_counts(self._core)[3]

    @property
    def attachment_particle_body_count(self) -> int:
        return _core.soft_counts(self._core)[4]

    @property
    def surface_count(self) -> int:
        return len(self.surface_label)

    @property
    def volume_count(self) -> int:
        return len(self.volume_label)

    #: Bodies by colour, once `color` has been called
    body_color_groups: list[np.ndarray] = []

    @property
    def surface_label(self) -> list[str]:
        return [label for label, _, _ in _core.soft_objects(self._core, False)]

    @property
    def surface_world(self) -> list[int]:
        return [world for _, world, _ in _core.soft_objects(self._core, False)]

    @property
    def volume_label(self) -> list[str]:
        return [label for label, _, _ in _core.soft_objects(self._core, True)]

    @property
    def volume_world(self) -> list[int]:
        return [world for _, world, _ in _core.soft_objects(self._core, True)]

    @property
    def particle_color_groups(self) -> list[np.ndarray]:
        """Particles by colour: no element has two of one."""
        return [np.array(group, int) for group in _core.soft_color_groups(self._core)]

    @particle_color_groups.setter
    def particle_color_groups(self, groups: Iterable[Any]) -> None:
        self.set_coloring(groups)

    # -- one by one
    def _particle(self, name: str, index: Any, none: bool = False) -> int:
        i = int(index)
        count = self.particle_count
        if -count <= i < 0 and not none:
            i += count
        if not (0 <= i < count or (none and i == -1)):
            raise kind_of(IndexError)(f"{name}: particle {i} is out of range, there are {count}", "PYTHON_ARG_INDEX")
        return i

    def add_spring(self, i: int, j: int, ke: float, kd: float, control: float, custom_attributes: dict[str, Any] | None = None) -> None:
        """A spring as long as the particles are apart: stiffness [N/m], damping [N s/m]."""
        i, j = self._particle("i", i), self._particle("j", j)
        if i == j and config.compat != "newton-1.8":
            raise kind_of(ValueError)(f"a spring from particle {i} to itself", "PYTHON_ARG_SPRING")
        index = self.spring_count
        self._values_of("SPRING", index, custom_attributes)
        _core.soft_add_spring(self._core, i, j, _gain("ke", ke), _gain("kd", kd), _finite("control", control))

    def _tri_material(self, ke: Any, ka: Any, kd: Any, drag: Any, lift: Any) -> list[float]:
        given = (("tri_ke", ke), ("tri_ka", ka), ("tri_kd", kd), ("tri_drag", drag), ("tri_lift", lift))
        return [_gain(name, getattr(self, f"default_{name}") if value is None else value) for name, value in given]

    def add_triangle(self, i: int, j: int, k: int, *, tri_ke: float | None = None, tri_ka: float | None = None, tri_kd: float | None = None,
                     tri_drag: float | None = None, tri_lift: float | None = None, color: Any = None, opacity: float | None = None,
                     custom_attributes: dict[str, Any] | None = None) -> float:
        """A triangle of cloth; returns its area [m^2]. One without an area is left out, with a warning."""
        corners = [self._particle(name, p) for name, p in (("i", i), ("j", j), ("k", k))]
        index = self.tri_count
        area = _core.soft_add_triangle(self._core, *corners, self._tri_material(tri_ke, tri_ka, tri_kd, tri_drag, tri_lift),
                                       tuple(as_vec3("color", _COLOR if color is None else color)), _finite("opacity", 1.0 if opacity is None else opacity))
        if area > 0:
            self._values_of("TRIANGLE", index, custom_attributes)
        else:
            warn(f"MODEL_SOFT_DEGENERATE: inverted or degenerate triangle element {tuple(corners)} was left out")
        return area

    def add_triangles(self, i: Any, j: Any, k: Any, *, tri_ke: Any = None, tri_ka: Any = None, tri_kd: Any = None, tri_drag: Any = None, tri_lift: Any = None,
                      color: Any = None, opacity: Any = None, custom_attributes: dict[str, Any] | None = None) -> list[float]:
        """Several triangles: lists of as many corners, and of parameters where they are given. Returns all areas; those of 0 were left out."""
        corners = list(zip(plain(i).tolist(), plain(j).tolist(), plain(k).tolist()))
        n, first = len(corners), self.tri_count
        rows = [[getattr(self, f"default_{name}")] * n if v is None else _each(v, n, name) for name, v in
                (("tri_ke", tri_ke), ("tri_ka", tri_ka), ("tri_kd", tri_kd), ("tri_drag", tri_drag), ("tri_lift", tri_lift))]
        paint, clear = _colors(color, n), _opacities(opacity, n)
        areas, kept = [], []
        for t, c in enumerate(corners):
            corner = [self._particle("ijk"[m], p) for m, p in enumerate(c)]
            areas.append(_core.soft_add_triangle(self._core, *corner, [_gain("tri", row[t]) for row in rows], tuple(paint[t]), float(clear[t])))
            if areas[-1] > 0:
                kept.append(t)
        self._said_degenerate(n - len(kept), "triangle")
        self._spread("TRIANGLE", first, kept, n, custom_attributes)
        return areas

    def add_edge(self, i: int, j: int, k: int, l: int, *, rest: float | None = None, edge_ke: float | None = None, edge_kd: float | None = None,  # noqa: E741
                 custom_attributes: dict[str, Any] | None = None) -> int:
        """The edge from k to l between the triangles (i, k, l) and (j, l, k), which resists bending; -1 for i or j: there is none. Returns its index."""
        index = self.edge_count
        corners = [self._particle("i", i, True), self._particle("j", j, True), self._particle("k", k), self._particle("l", l)]
        self._values_of("EDGE", index, custom_attributes)
        return _core.soft_add_edge(self._core, *corners, None if rest is None else _finite("rest", rest),
                                   _gain("edge_ke", self.default_edge_ke if edge_ke is None else edge_ke),
                                   _gain("edge_kd", self.default_edge_kd if edge_kd is None else edge_kd))

    def add_edges(self, i: Any, j: Any, k: Any, l: Any, *, rest: Any = None, edge_ke: Any = None, edge_kd: Any = None,  # noqa: E741
                  custom_attributes: dict[str, Any] | None = None) -> None:
        """Several edges: lists of as many corners, and of parameters where they are given."""
        corners = list(zip(*(plain(c).tolist() for c in (i, j, k, l))))
        n, first = len(corners), self.edge_count
        given = {"rest": rest, "edge_ke": edge_ke, "edge_kd": edge_kd}
        rows = {name: _each(v, n, name) for name, v in given.items() if v is not None}
        for e, c in enumerate(corners):
            self.add_edge(*c, **{name: row[e] for name, row in rows.items()})
        self._spread("EDGE", first, list(range(n)), n, custom_attributes)

    def add_tetrahedron(self, i: int, j: int, k: int, l: int, k_mu: float = 1.0e3, k_lambda: float = 1.0e3, k_damp: float = 0.0,  # noqa: E741
                        custom_attributes: dict[str, Any] | None = None) -> float:
        """A tetrahedron with Lame parameters [Pa]; returns its volume [m^3]. One that is flat or inverted is left out, with a warning."""
        corners = [self._particle(name, p) for name, p in (("i", i), ("j", j), ("k", k), ("l", l))]
        index = self.tet_count
        volume = _core.soft_add_tetrahedron(self._core, corners, _gain("k_mu", k_mu), _gain("k_lambda", k_lambda), _gain("k_damp", k_damp))
        if volume > 0:
            self._values_of("TETRAHEDRON", index, custom_attributes)
        else:
            warn(f"MODEL_SOFT_DEGENERATE: inverted tetrahedral element {tuple(corners)} was left out")
        return volume

    def add_attachment_particle_body(self, particle: int, body: int, *, body_point: Any = None, stiffness: float = 1.0e4, damping: float = 0.0,
                                     enabled: bool = True, custom_attributes: dict[str, Any] | None = None) -> int:
        """Holds a particle at a point of a body (body frame [m]); an infinite stiffness [N/m] does not give way. Returns the attachment's index.

        @raises IndexError  there is no such body or particle
        @raises ValueError  a gain is negative or not a number, the point is not finite, or the two are in different worlds
        """
        if not 0 <= int(body) < self.body_count:
            raise kind_of(IndexError)(f"Body index {body} is out of range for {self.body_count} bodies", "PYTHON_ARG_INDEX")
        if not 0 <= int(particle) < self.particle_count:
            raise kind_of(IndexError)(f"Particle index {particle} is out of range for {self.particle_count} particles", "PYTHON_ARG_INDEX")
        largest = float(np.finfo(np.float32).max)
        if math.isnan(stiffness) or stiffness < 0 or (math.isfinite(stiffness) and stiffness > largest):
            raise kind_of(ValueError)(f"Attachment stiffness is {stiffness}, expected a number that is nonnegative or positive infinity, and representable in float32", "PYTHON_ARG_GAIN")
        if not math.isfinite(damping) or damping < 0 or damping > largest:
            raise kind_of(ValueError)(f"Attachment damping is {damping}, expected one that is finite and nonnegative, and representable in float32", "PYTHON_ARG_GAIN")
        point = as_vec3("body_point", (0, 0, 0) if body_point is None else body_point)
        if not all(math.isfinite(c) for c in point):
            raise kind_of(ValueError)(f"Attachment body_point must be finite, got {tuple(point)}", "PYTHON_ARG_NUMBER")
        of_body, of_particle = self.body_world[body], self.particle_world[particle]
        if of_body >= 0 and of_particle >= 0 and of_body != of_particle:
            raise kind_of(ValueError)(f"Attachment endpoints belong to different worlds: body {of_body}, particle {of_particle}", "MODEL_STRUCTURE")
        self._values_of("ATTACHMENT_PARTICLE_BODY", self.attachment_particle_body_count, custom_attributes)
        return _core.soft_add_attachment(self._core, int(particle), int(body), tuple(point), float(stiffness), float(damping), bool(enabled))

    # -- whole objects
    def _placed(self, pos: Any, rot: Any) -> tuple[float, ...]:
        p, q = as_vec3("pos", pos), as_quat("rot", rot)
        return (*(_finite("pos", c) for c in p), *(_finite("rot", c) for c in q))

    def _cloth(self, tri: tuple[Any, ...], edge_ke: Any, edge_kd: Any, add_springs: bool, spring_ke: Any, spring_kd: Any, radius: Any, label: str | None) -> dict[str, Any]:
        pick = lambda name, value: _gain(name, getattr(self, f"default_{name}") if value is None else value)  # noqa: E731
        return {"tri": self._tri_material(*tri), "edge_ke": pick("edge_ke", edge_ke), "edge_kd": pick("edge_kd", edge_kd), "add_springs": bool(add_springs),
                "spring_ke": pick("spring_ke", spring_ke), "spring_kd": pick("spring_kd", spring_kd), "radius": pick("particle_radius", radius), "label": label or ""}

    def _starts(self) -> tuple[int, int, int, int, int]:
        return (self.particle_count, *_core.soft_counts(self._core)[:4])

    def _dress(self, starts: tuple[int, ...], areas: list[float], color: Any, opacity: Any, particles: Any = None, edges: Any = None, triangles: Any = None,
               springs: Any = None) -> None:
        """Looks and custom values of what was added since `starts`."""
        n, kept = len(areas), [t for t, area in enumerate(areas) if area > 0]
        paint, clear = _colors(color, n), _opacities(opacity, n)
        if color is not None or opacity is not None:
            for row, t in enumerate(kept):
                self.tri_color[starts[2] + row] = tuple(paint[t])
                self.tri_opacity[starts[2] + row] = float(clear[t])
        self._said_degenerate(n - len(kept), "triangle")
        for frequency, start, count, values in (("PARTICLE", starts[0], self.particle_count, particles), ("SPRING", starts[1], self.spring_count, springs),
                                                ("EDGE", starts[3], self.edge_count, edges)):
            self._spread(frequency, start, list(range(count - start)), count - start, values)
        self._spread("TRIANGLE", starts[2], kept, n, triangles)

    def _said_degenerate(self, count: int, kind: str) -> None:
        if count:
            warn(f"MODEL_SOFT_DEGENERATE: inverted or degenerate {kind} elements: {count} were left out")

    def _spread(self, frequency: str, first: int, kept: list[int], count: int, values: dict[str, Any] | None) -> None:
        """Custom values, one for all or one each, to the elements that were kept."""
        for key, value in (values or {}).items():
            several = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim)
            if several and len(value) != count:
                raise kind_of(ValueError)(f"custom attribute {key!r}: Expected {count} values, got {len(value)}", "PYTHON_ARG_SHAPE")
            for row, t in enumerate(kept):
                self._values_of(frequency, first + row, {key: value[t] if several else value})

    def add_cloth_grid(self, *, pos: Any, rot: Any, vel: Any, dim_x: int, dim_y: int, cell_x: float, cell_y: float, mass: float, reverse_winding: bool = False,
                       fix_left: bool = False, fix_right: bool = False, fix_top: bool = False, fix_bottom: bool = False, tri_ke: float | None = None,
                       tri_ka: float | None = None, tri_kd: float | None = None, tri_drag: float | None = None, tri_lift: float | None = None,
                       edge_ke: float | None = None, edge_kd: float | None = None, add_springs: bool = False, spring_ke: float | None = None,
                       spring_kd: float | None = None, particle_radius: float | None = None, color: Any = None, opacity: Any = None,
                       custom_attributes_particles: dict[str, Any] | None = None, custom_attributes_edges: dict[str, Any] | None = None,
                       custom_attributes_triangles: dict[str, Any] | None = None, label: str | None = None) -> None:
        """A rectangle of dim_x * dim_y cells [m] in the plane z = 0 of the frame at `pos`, `rot`. Every particle weighs `mass` [kg]; on sides that are
        fixed it weighs nothing and is not active."""
        starts = self._starts()
        options = self._cloth((tri_ke, tri_ka, tri_kd, tri_drag, tri_lift), edge_ke, edge_kd, add_springs, spring_ke, spring_kd, particle_radius, label)
        options |= {"fix_left": bool(fix_left), "fix_right": bool(fix_right), "fix_top": bool(fix_top), "fix_bottom": bool(fix_bottom)}
        nx, ny = _cells("dim_x", dim_x), _cells("dim_y", dim_y)
        _core.soft_add_cloth_grid(self._core, self._placed(pos, rot), tuple(as_vec3("vel", vel)), nx, ny, _finite("cell_x", cell_x),
                                  _finite("cell_y", cell_y), _gain("mass", mass), bool(reverse_winding), options)
        made = self.tri_count - starts[2]
        self._said_degenerate(2 * nx * ny - made, "triangle")
        self._dress(starts, [1.0] * made, color, opacity, custom_attributes_particles, custom_attributes_edges, custom_attributes_triangles)

    def add_cloth_mesh(self, *, pos: Any, rot: Any, scale: float, vel: Any, vertices: Any, indices: Any, density: float, tri_ke: float | None = None,
                       tri_ka: float | None = None, tri_kd: float | None = None, tri_drag: float | None = None, tri_lift: float | None = None,
                       edge_ke: Any = None, edge_kd: Any = None, add_springs: bool = False, spring_ke: float | None = None,
                       spring_kd: float | None = None, particle_radius: float | None = None, color: Any = None, opacity: Any = None,
                       custom_attributes_particles: dict[str, Any] | None = None, custom_attributes_edges: dict[str, Any] | None = None,
                       custom_attributes_triangles: dict[str, Any] | None = None, custom_attributes_springs: dict[str, Any] | None = None,
                       validate_mesh: bool = False, label: str | None = None) -> None:
        """A cloth from a mesh of triangles; its particles weigh `density` [kg/m^2] times a third of each triangle's area."""
        points = _vertices(vertices, scale)
        if validate_mesh and not check_triangles(points, np.asarray(plain(indices)).reshape(-1), label):
            return
        rows = _within("indices", _indices("indices", indices, 3), len(points))
        starts, several = self._starts(), [v for v in (edge_ke, edge_kd) if v is not None and np.ndim(v)]
        options = self._cloth((tri_ke, tri_ka, tri_kd, tri_drag, tri_lift), None if several else edge_ke, None if several else edge_kd, add_springs, spring_ke,
                              spring_kd, particle_radius, label)
        areas = _core.soft_add_cloth_mesh(self._core, self._placed(pos, rot), tuple(as_vec3("vel", vel)), points, rows, _gain("density", density), options)
        if several:
            n = self.edge_count - starts[3]
            ke, kd = (_each(getattr(self, f"default_{name}") if v is None else v, n, name) for name, v in (("edge_ke", edge_ke), ("edge_kd", edge_kd)))
            self.edge_bending_properties[starts[3]:] = list(zip(ke.tolist(), kd.tolist()))
        self._dress(starts, areas, color, opacity, custom_attributes_particles, custom_attributes_edges, custom_attributes_triangles, custom_attributes_springs)

    def _soft(self, tri: tuple[Any, ...], add_edges: bool, edge_ke: Any, edge_kd: Any, radius: Any, label: str | None, density: Any, k_mu: Any, k_lambda: Any,
              k_damp: Any) -> dict[str, Any]:
        return {"tri": self._tri_material(*tri), "edges": bool(add_edges), "edge_ke": _gain("edge_ke", edge_ke), "edge_kd": _gain("edge_kd", edge_kd),
                "radius": _gain("particle_radius", self.default_particle_radius if radius is None else radius), "label": label or "",
                "density": _gain("density", density), "k_mu": _gain("k_mu", k_mu), "k_lambda": _gain("k_lambda", k_lambda), "k_damp": _gain("k_damp", k_damp),
                "newton_masses": config.compat == "newton-1.8"}

    def add_soft_grid(self, *, pos: Any, rot: Any, vel: Any, dim_x: int, dim_y: int, dim_z: int, cell_x: float, cell_y: float, cell_z: float, density: float,
                      k_mu: float, k_lambda: float, k_damp: float, fix_left: bool = False, fix_right: bool = False, fix_top: bool = False,
                      fix_bottom: bool = False, tri_ke: float = 0.0, tri_ka: float = 0.0, tri_kd: float = 0.0, tri_drag: float = 0.0, tri_lift: float = 0.0,
                      add_surface_mesh_edges: bool = True, edge_ke: float = 0.0, edge_kd: float = 0.0, particle_radius: float | None = None, color: Any = None,
                      opacity: Any = None, label: str | None = None) -> None:
        """A block of cells of five tetrahedra each, with a skin of triangles. Its particles share the mass of the tetrahedra [kg/m^3]; under
        `config.compat` "newton-1.8" each weighs a whole cell, as there. On sides that are fixed they weigh nothing."""
        starts = self._starts()
        options = self._soft((tri_ke, tri_ka, tri_kd, tri_drag, tri_lift), add_surface_mesh_edges, edge_ke, edge_kd, particle_radius, label, density, k_mu, k_lambda, k_damp)
        options |= {"fix_left": bool(fix_left), "fix_right": bool(fix_right), "fix_top": bool(fix_top), "fix_bottom": bool(fix_bottom)}
        dims = [_cells(name, n) for name, n in (("dim_x", dim_x), ("dim_y", dim_y), ("dim_z", dim_z))]
        cell = tuple(_finite(name, c) for name, c in (("cell_x", cell_x), ("cell_y", cell_y), ("cell_z", cell_z)))
        _core.soft_add_soft_grid(self._core, self._placed(pos, rot), tuple(as_vec3("vel", vel)), dims, cell, options)
        self._said_degenerate(5 * dims[0] * dims[1] * dims[2] - (self.tet_count - starts[4]), "tetrahedral")
        self._dress(starts, [1.0] * (self.tri_count - starts[2]), color, opacity)

    def add_soft_mesh(self, *, pos: Any, rot: Any, scale: float, vel: Any, mesh: TetMesh | None = None, vertices: Any = None, indices: Any = None,
                      density: float | None = None, k_mu: Any = None, k_lambda: Any = None, k_damp: Any = None, tri_ke: float = 0.0, tri_ka: float = 0.0,
                      tri_kd: float = 0.0, tri_drag: float = 0.0, tri_lift: float = 0.0, add_surface_mesh_edges: bool = True, edge_ke: float = 0.0,
                      edge_kd: float = 0.0, particle_radius: float | None = None, color: Any = None, opacity: Any = None, validate_mesh: bool = False,
                      label: str | None = None) -> None:
        """A soft body from tetrahedra. A parameter that is not given is the mesh's, then the builder's default.

        @raises ValueError  neither a mesh nor vertices and indices are given, or a custom attribute of the mesh is not declared here
        """
        if mesh is not None and not isinstance(mesh, TetMesh):
            raise kind_of(TypeError)(f"mesh must be a TetMesh, got {type(mesh).__name__}", "PYTHON_ARG_TYPE")
        own = mesh is not None and indices is None
        given = {"vertices": vertices, "indices": indices, "density": density, "k_mu": k_mu, "k_lambda": k_lambda, "k_damp": k_damp}
        for name, of_mesh in (("vertices", "vertices"), ("indices", "tet_indices"), ("density", "density"), ("k_mu", "k_mu"), ("k_lambda", "k_lambda"), ("k_damp", "k_damp")):
            if given[name] is None and mesh is not None:
                given[name] = getattr(mesh, of_mesh)
        if given["vertices"] is None or given["indices"] is None:
            raise kind_of(ValueError)("Either 'mesh' or both 'vertices' and 'indices' must be provided.", "PYTHON_ARG_MISSING")
        for name in ("density", "k_mu", "k_lambda", "k_damp"):
            given[name] = getattr(self, f"default_tet_{name}") if given[name] is None else given[name]
        custom = self._of_tet_mesh(mesh)
        points = _vertices(given["vertices"], scale)
        if validate_mesh and not check_tets(points, np.asarray(plain(given["indices"])).reshape(-1), label):
            return
        tets = _within("indices", _indices("indices", given["indices"], 4), len(points))
        n, starts = len(tets) // 4, self._starts()
        materials = np.stack([_each(given[name], n, name) for name in ("k_mu", "k_lambda", "k_damp")], axis=1) if n else np.zeros((0, 3))
        if not (np.isfinite(materials) & (materials >= 0)).all():
            raise kind_of(ValueError)("k_mu, k_lambda or k_damp of a tetrahedron is negative or not a number", "PYTHON_ARG_GAIN")
        options = self._soft((tri_ke, tri_ka, tri_kd, tri_drag, tri_lift), add_surface_mesh_edges, edge_ke, edge_kd, particle_radius, label, given["density"], 0, 0, 0)
        skin = mesh.surface_tri_indices if own and mesh is not None else TetMesh.compute_surface_triangles(tets)
        volumes = _core.soft_add_soft_mesh(self._core, self._placed(pos, rot), tuple(as_vec3("vel", vel)), points, tets, np.ascontiguousarray(materials),
                                           np.ascontiguousarray(skin, np.int32), options)
        kept = [t for t, volume in enumerate(volumes) if volume > 0]
        self._said_degenerate(n - len(kept), "tetrahedral")
        self._dress(starts, [1.0] * (self.tri_count - starts[2]), color, opacity, custom[AttributeFrequency.PARTICLE], None, custom[AttributeFrequency.TRIANGLE])
        self._spread("TETRAHEDRON", starts[4], kept, n, custom[AttributeFrequency.TETRAHEDRON])

    def _of_tet_mesh(self, mesh: TetMesh | None) -> dict[Any, dict[str, Any]]:
        """A mesh's custom values by frequency."""
        f = AttributeFrequency
        out: dict[Any, dict[str, Any]] = {f.PARTICLE: {}, f.TRIANGLE: {}, f.TETRAHEDRON: {}}
        for name, (values, frequency) in (mesh.custom_attributes if mesh is not None else {}).items():
            declared = self.custom_attributes.get(name)
            if declared is None:
                raise error(ValueError, "PYTHON_CUSTOM_UNKNOWN", f"TetMesh custom attribute '{name}' is not registered in ModelBuilder. "
                            "Register it first via add_custom_attribute().")
            if declared.frequency != frequency:
                raise error(ValueError, "PYTHON_CUSTOM_FREQUENCY", f"Frequency mismatch for custom attribute '{name}': TetMesh has {f(frequency).name} but "
                            f"ModelBuilder expects {getattr(declared.frequency, 'name', declared.frequency)}.")
            if frequency in out:
                out[f(frequency)][name] = values
        return out

    # -- colours
    def color(self, include_bending: bool = False, balance_colors: bool = True, target_max_min_color_ratio: float = 1.1, coloring_algorithm: Any = None) -> None:
        """Groups the particles so that no element that resists has two of one group. Springs and bending edges count as elements, unless
        `config.compat` is "newton-1.8", where springs do not and bending edges on request. `coloring_algorithm` is Newton's; there is one here.
        Bodies are grouped too (`body_color_groups`), so that no joint ties two of one group; no solver here needs that."""
        compat = config.compat == "newton-1.8"
        _core.soft_color(self._core, bool(include_bending) or not compat, not compat, bool(balance_colors), _finite("target_max_min_color_ratio", target_max_min_color_ratio))
        self.body_color_groups = self._body_groups(bool(balance_colors), float(target_max_min_color_ratio))

    def _body_groups(self, balance: bool = True, ratio: float = 1.1) -> list[np.ndarray]:
        """Bodies by colour: no joint ties two of one."""
        ends = np.stack([np.asarray(plain(rows), int).reshape(-1) for rows in (self.joint_parent, self.joint_child)], 1)
        tied = ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])]
        return color_graph(self.body_count, tied, balance, ratio) if self.body_count else []

    def set_coloring(self, particle_color_groups: Iterable[Any]) -> None:
        """Groups of particles of one's own. `finalize` refuses those that overlap, or leave some out."""
        _core.soft_set_color_groups(self._core, [[int(p) for p in plain(group).reshape(-1)] for group in particle_color_groups])


def _cells(name: str, value: Any) -> int:
    n = int(value)
    if not 0 <= n <= 10000:
        raise kind_of(ValueError)(f"{name} is {n}, expected 0 to 10000", "PYTHON_ARG_NUMBER")
    return n


def _colors(color: Any, count: int) -> list[Any]:
    if color is None:
        return [_COLOR] * count
    rows = np.asarray(plain(color), float)
    if rows.ndim == 1:
        return [tuple(as_vec3("color", color))] * count
    if rows.shape != (count, 3):
        raise kind_of(ValueError)(f"color: shape {rows.shape}, expected ({count}, 3)", "PYTHON_ARG_SHAPE")
    return rows.tolist()


def _opacities(opacity: Any, count: int) -> list[float]:
    rows = np.ones(count) if opacity is None else _each(opacity, count, "opacity")
    if not ((rows >= 0) & (rows <= 1)).all():
        raise kind_of(ValueError)("opacity: expected numbers from 0 to 1", "PYTHON_ARG_NUMBER")
    return rows.tolist()


name_arguments(globals())
