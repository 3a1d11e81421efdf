"""The builder's verbs for shapes."""
from __future__ import annotations

import math
from typing import Any

from .. import config
from ..core.arguments import name_arguments
from ..core.diagnostics import NotSupportedError, error, warn
from ..core.enums import GeoType, ShapeFlags
from ..core.values import as_transform, as_vec3, quat, transform, vec3
from ..geometry.heightfield import Heightfield
from ..geometry.mesh import Mesh
from ..geometry.sdf import SDF
from .configs import ShapeConfig
from .lists import COLUMNS

__all__ = ["ShapeVerbs"]

#: What the entries of `scale` are called by the verbs of each type.
_SIZES = {GeoType.PLANE: ("width", "length"), GeoType.SPHERE: ("radius",), GeoType.BOX: ("hx", "hy", "hz"), GeoType.ELLIPSOID: ("rx", "ry", "rz"),
          GeoType.CAPSULE: ("radius", "half_height"), GeoType.CYLINDER: ("radius", "half_height"), GeoType.CONE: ("radius", "half_height")}
_METHODS = frozenset(("convex_hull", "bounding_box", "bounding_sphere", "coacd", "vhacd", "quadratic", "alphashape", "poisson", "ftetwild"))


class ShapeVerbs:
    """Mixed into ModelBuilder. `body` -1 is the world; `xform` is the pose in the body; dimensions in metres."""

    def add_shape(self, *, body: int, type: int, xform: Any = None, cfg: ShapeConfig | None = None, scale: Any = None, src: Any = None,
                  is_static: bool = False, color: Any = None, opacity: float | None = None, label: str | None = None,
                  custom_attributes: dict[str, Any] | None = None) -> int:
        """A shape of any type. The meaning of `scale` depends on it: half extents of a box, radius of a sphere, radius and half
        height of a capsule, cylinder or cone, semi-axes of an ellipsoid, width and length of a plane, factors of a mesh."""
        kind = GeoType(type)
        cfg = (self.default_shape_cfg if cfg is None else cfg).copy()
        if not isinstance(cfg, ShapeConfig):
            raise TypeError(f"cfg: expected ShapeConfig, not {cfg.__class__.__name__}")
        cfg.validate(kind)
        if not -1 <= body < self.body_count:
            raise error(IndexError, "MODEL_SHAPE_BODY", f"body: there is no body {body}")
        if self._world_of_body(body) not in (-1, self.current_world):
            raise error(ValueError, "MODEL_STRUCTURE", f"body {body} belongs to world {self._world_of_body(body)}, the open one is {self.current_world}")
        if is_static:
            cfg.density = 0.0
        size = vec3(1.0, 1.0, 1.0) if scale is None else as_vec3("scale", scale)
        if not all(map(math.isfinite, size)):
            raise error(ValueError, "MODEL_SHAPE_SCALE", f"scale: {tuple(size)} is not finite")
        # Under compat newton-1.8 a size counts by its magnitude, as there, but for the height of a cone, which says where its tip is.
        refused = config.compat != "newton-1.8" or (kind is GeoType.CONE and size[1] < 0)
        if kind in _SIZES and min(size) < 0 and refused:
            names = _SIZES[kind]
            at = next(i for i in range(3) if size[i] < 0)
            raise error(ValueError, "MODEL_SHAPE_SCALE", f"{names[at] if at < len(names) else f'scale[{at}]'} is {size[at]}, expected a number from 0 on [m]")
        source = None
        if kind in (GeoType.MESH, GeoType.CONVEX_MESH):
            if not isinstance(src, Mesh):
                raise TypeError(f"src: expected a Mesh, not {src.__class__.__name__}")
            source = src._core
            if src.sdf is not None:
                self._take_field(src.sdf, cfg)
        elif kind is GeoType.HFIELD:
            if min(size) < 0:
                raise error(ValueError, "MODEL_SHAPE_SCALE", f"scale: {tuple(size)} has a negative component")
            if not isinstance(src, Heightfield):
                raise TypeError(f"src: expected a Heightfield, not {src.__class__.__name__}")
            source = src.mesh()._core
        elif kind is GeoType.GAUSSIAN:
            raise NotSupportedError("shapes of type GAUSSIAN belong to a later stage (rendering only)", "PYTHON_LATER_STAGE")
        if color is None and isinstance(src, Mesh) and src.color is not None:
            color = src.color
        if color is None:
            color = self._default_color(self.shape_count)
        shape = self._core.add_shape(int(body), int(kind), as_transform(xform), size, cfg, source, as_vec3("color", color),
                                     1.0 if opacity is None else float(opacity), self._label(label, "shape", self.shape_count))
        if src is not None:
            self._sources[shape] = src
        self._values_of("SHAPE", shape, custom_attributes)
        return shape

    @staticmethod
    def _take_field(field: SDF, cfg: ShapeConfig) -> None:
        """The settings of the field that a mesh brings; those of the shape must not say otherwise."""
        if not field.settings:
            raise error(ValueError, "MODEL_SHAPE_SDF", "the mesh has a field that was not made of a mesh, which a shape cannot take; use mesh.build_sdf()")
        unsaid = ShapeConfig()
        for name, value in field.settings.items():
            said = getattr(cfg, name)
            said = tuple(said) if isinstance(said, list) else said
            if said not in (getattr(unsaid, name), value):
                raise error(ValueError, "MODEL_SHAPE_SDF", f"cfg.{name} is {said}, and the mesh brings a field with {value}; leave it out, or clear_sdf()")
            setattr(cfg, name, value)

    @staticmethod
    def _default_color(index: int) -> tuple[float, float, float]:
        """A quiet colour of the index, so that neighbours differ."""
        hue = (0.61803398875 * index) % 1.0
        return tuple(0.55 + 0.25 * math.cos(2 * math.pi * (hue + k / 3)) for k in range(3))

    def _site_or(self, cfg: ShapeConfig | None, as_site: bool) -> ShapeConfig | None:
        if not as_site:
            return cfg
        out = (self.default_site_cfg if cfg is None else cfg).copy()
        out.mark_as_site()
        return out

    def add_shape_plane(self, plane: Any = (0.0, 0.0, 1.0, 0.0), *, xform: Any = None, width: float = 10.0, length: float = 10.0, body: int = -1,
                        cfg: ShapeConfig | None = None, color: Any = None, opacity: float | None = None, label: str | None = None,
                        custom_attributes: dict[str, Any] | None = None) -> int:
        """The plane a x + b y + c z + d = 0, solid below its normal; `xform` goes before `plane`. Width and length 0: infinite."""
        if xform is None:
            if plane is None:
                raise ValueError("add_shape_plane: give plane or xform")
            a, b, c, d = (float(x) for x in plane)
            n = math.sqrt(a * a + b * b + c * c)
            if not n > 0:
                raise ValueError(f"plane: ({a}, {b}, {c}) has no direction")
            normal = vec3(a / n, b / n, c / n)
            xform = transform(normal * (-d / n), _from_z(normal))
        return self.add_shape(body=body, type=GeoType.PLANE, xform=xform, cfg=cfg, scale=(width, length, 0.0), is_static=True, color=color,
                              opacity=opacity, label=label, custom_attributes=custom_attributes)

    def add_ground_plane(self, *, height: float = 0.0, cfg: ShapeConfig | None = None, color: Any = (0.125, 0.125, 0.15), opacity: float | None = None,
                         label: str | None = None) -> int:
        """An infinite static plane at `height` along the up axis [m]."""
        return self.add_shape_plane((*self.up_vector, -height), width=0.0, length=0.0, cfg=cfg, color=color, opacity=opacity,
                                    label="ground_plane" if label is None else label)

    def add_shape_sphere(self, body: int, *, xform: Any = None, radius: float = 1.0, cfg: ShapeConfig | None = None, as_site: bool = False,
                         color: Any = None, opacity: float | None = None, label: str | None = None,
                         custom_attributes: dict[str, Any] | None = None) -> int:
        return self.add_shape(body=body, type=GeoType.SPHERE, xform=xform, cfg=self._site_or(cfg, as_site), scale=(radius, 0.0, 0.0), color=color,
                              opacity=opacity, label=label, custom_attributes=custom_attributes)

    def add_shape_ellipsoid(self, body: int, *, xform: Any = None, rx: float = 1.0, ry: float = 0.75, rz: float = 0.5, cfg: ShapeConfig | None = None,
                            as_site: bool = False, color: Any = None, opacity: float | None = None, label: str | None = None,
                            custom_attributes: dict[str, Any] | None = None) -> int:
        return self.add_shape(body=body, type=GeoType.ELLIPSOID, xform=xform, cfg=self._site_or(cfg, as_site), scale=(rx, ry, rz), color=color,
                              opacity=opacity, label=label, custom_attributes=custom_attributes)

    def add_shape_box(self, body: int, *, xform: Any = None, hx: float = 0.5, hy: float = 0.5, hz: float = 0.5, cfg: ShapeConfig | None = None,
                      as_site: bool = False, color: Any = None, opacity: float | None = None, label: str | None = None,
                      custom_attributes: dict[str, Any] | None = None) -> int:
        return self.add_shape(body=body, type=GeoType.BOX, xform=xform, cfg=self._site_or(cfg, as_site), scale=(hx, hy, hz), color=color,
                              opacity=opacity, label=label, custom_attributes=custom_attributes)

    def add_shape_capsule(self, body: int, *, xform: Any = None, radius: float = 1.0, half_height: float = 0.5, cfg: ShapeConfig | None = None,
                          as_site: bool = False, color: Any = None, opacity: float | None = None, label: str | None = None,
                          custom_attributes: dict[str, Any] | None = None) -> int:
        """Along z; `half_height` is that of the cylinder between the caps."""
        return self.add_shape(body=body, type=GeoType.CAPSULE, xform=xform, cfg=self._site_or(cfg, as_site), scale=(radius, half_height, 0.0), color=color,
                              opacity=opacity, label=label, custom_attributes=custom_attributes)

    def add_shape_cylinder(self, body: int, *, xform: Any = None, radius: float = 1.0, half_height: float = 0.5, barrel_radius: float = 0.0,
                           cfg: ShapeConfig | None = None, as_site: bool = False, color: Any = None, opacity: float | None = None,
                           label: str | None = None, custom_attributes: dict[str, Any] | None = None) -> int:
        if barrel_radius and not barrel_radius >= abs(half_height):
            raise error(ValueError, "MODEL_SHAPE_SCALE", f"barrel_radius is {barrel_radius}, expected at least half_height, {abs(half_height)}")
        if barrel_radius:
            raise NotSupportedError("barrel_radius: cylinders with a curved wall belong to a later stage", "PYTHON_LATER_STAGE")
        return self.add_shape(body=body, type=GeoType.CYLINDER, xform=xform, cfg=self._site_or(cfg, as_site), scale=(radius, half_height, 0.0),
                              color=color, opacity=opacity, label=label, custom_attributes=custom_attributes)

    def add_shape_cone(self, body: int, *, xform: Any = None, radius: float = 1.0, half_height: float = 0.5, cfg: ShapeConfig | None = None,
                       as_site: bool = False, color: Any = None, opacity: float | None = None, label: str | None = None,
                       custom_attributes: dict[str, Any] | None = None) -> int:
        """Apex at +half_height along z, base at -half_height."""
        return self.add_shape(body=body, type=GeoType.CONE, xform=xform, cfg=self._site_or(cfg, as_site), scale=(radius, half_height, 0.0), color=color,
                              opacity=opacity, label=label, custom_attributes=custom_attributes)

    def add_shape_mesh(self, body: int, *, xform: Any = None, mesh: Mesh | None = None, scale: Any = None, cfg: ShapeConfig | None = None,
                       color: Any = None, opacity: float | None = None, label: str | None = None,
                       custom_attributes: dict[str, Any] | None = None) -> int:
        return self.add_shape(body=body, type=GeoType.MESH, xform=xform, cfg=cfg, scale=scale, src=mesh, color=color, opacity=opacity, label=label,
                              custom_attributes=custom_attributes)

    def add_shape_convex_hull(self, body: int, *, xform: Any = None, mesh: Mesh | None = None, scale: Any = None, cfg: ShapeConfig | None = None,
                              color: Any = None, opacity: float | None = None, label: str | None = None,
                              custom_attributes: dict[str, Any] | None = None) -> int:
        return self.add_shape(body=body, type=GeoType.CONVEX_MESH, xform=xform, cfg=cfg, scale=scale, src=mesh, color=color, opacity=opacity, label=label,
                              custom_attributes=custom_attributes)

    def add_shape_heightfield(self, *, xform: Any = None, heightfield: Heightfield | None = None, scale: Any = None, cfg: ShapeConfig | None = None,
                              color: Any = None, opacity: float | None = None, label: str | None = None,
                              custom_attributes: dict[str, Any] | None = None) -> int:
        """Static terrain."""
        if heightfield is None:
            raise ValueError("heightfield: expected a Heightfield")
        return self.add_shape(body=-1, type=GeoType.HFIELD, xform=xform, cfg=cfg, scale=scale, src=heightfield, is_static=True, color=color,
                              opacity=opacity, label=label, custom_attributes=custom_attributes)

    def add_site(self, body: int, *, xform: Any = None, type: int = GeoType.SPHERE, scale: Any = (0.01, 0.01, 0.01), label: str | None = None,
                 visible: bool = False, custom_attributes: dict[str, Any] | None = None) -> int:
        """A frame to measure at: no mass, no collision."""
        cfg = self.default_site_cfg
        cfg.is_visible = visible
        return self.add_shape(body=body, type=type, xform=xform, cfg=cfg, scale=scale, label=label, custom_attributes=custom_attributes)

    def add_shape_collision_filter_pair(self, shape_a: int, shape_b: int) -> None:
        """These two shapes never collide."""
        self._core.add_filter_pair(int(shape_a), int(shape_b))

    def approximate_meshes(self, method: str = "convex_hull", shape_indices: list[int] | None = None, raise_on_failure: bool = False,
                           keep_visual_shapes: bool = False, *, cache_dir: Any = None, **remeshing_kwargs: Any) -> set[int]:
        """Replaces meshes by simpler ones; returns the shapes that were replaced."""
        if method not in _METHODS:
            raise ValueError(f"method: {method!r} is none of {sorted(_METHODS)}")
        done = set()
        for shape in list(range(self.shape_count)) if shape_indices is None else shape_indices:
            mesh = self.shape_source[shape]
            if self.shape_type[shape] not in (GeoType.MESH, GeoType.CONVEX_MESH) or not isinstance(mesh, Mesh):
                continue
            visual = self._visual_twin(shape, mesh) if keep_visual_shapes and self.shape_flags[shape] & ShapeFlags.VISIBLE else None
            try:
                self._approximate(shape, mesh, method, remeshing_kwargs)
            except (ValueError, RuntimeError) as failure:
                if raise_on_failure:
                    raise RuntimeError(f"Remeshing with method '{method}' failed for shape {shape}: {failure}") from failure
                warn(f"IMPORT_APPROX_FALLBACK: {method} of shape {self.shape_label[shape]} failed, its convex hull stands in: {failure}")
                try:
                    self._approximate(shape, mesh, "convex_hull", {})
                except (ValueError, RuntimeError):
                    continue
            if visual is not None:
                self.shape_flags[shape] &= ~int(ShapeFlags.VISIBLE)
            done.add(shape)
        return done

    def _visual_twin(self, shape: int, mesh: Mesh) -> int:
        """A copy that is only seen."""
        cfg = ShapeConfig(density=0.0, has_shape_collision=False, has_particle_collision=False, collision_group=0)
        return self.add_shape_mesh(self.shape_body[shape], xform=self.shape_transform[shape], mesh=mesh, scale=self.shape_scale[shape], cfg=cfg,
                                   color=self.shape_color[shape], opacity=self.shape_opacity[shape], label=f"{self.shape_label[shape]}_visual")

    def _replace(self, shape: int, mesh: Mesh, kind: GeoType) -> None:
        self._core.set_shape_source(shape, mesh._core)
        self._sources[shape] = mesh
        self.shape_type[shape] = kind

    def _like(self, shape: int, mesh: Mesh, label: str) -> int:
        """One more shape with the settings and filters of another; it adds no mass."""
        twin = self.add_shape_convex_hull(self.shape_body[shape], xform=self.shape_transform[shape], mesh=mesh, scale=self.shape_scale[shape],
                                          cfg=ShapeConfig(density=0.0), color=self.shape_color[shape], opacity=self.shape_opacity[shape], label=label)
        for name, (_, _, writable) in COLUMNS.items():
            if name.startswith("shape_") and writable and name not in ("shape_label", "shape_type", "shape_body", "shape_transform", "shape_scale"):
                getattr(self, name)[twin] = getattr(self, name)[shape]
        self._core.copy_sdf_config(shape, twin)
        for a, b in list(self.shape_collision_filter_pairs):
            if shape in (a, b):
                self.add_shape_collision_filter_pair(twin, b if a == shape else a)
        return twin

    def _approximate(self, shape: int, mesh: Mesh, method: str, options: dict[str, Any]) -> None:
        if method in ("coacd", "vhacd"):
            concavity = options.get("threshold", self.default_mesh_approximation_cfg.coacd_threshold if method == "coacd" else 0.05)
            hulls = options.get("max_convex_hull", options.get("maxConvexHulls", 32))
            parts = mesh.decompose(concavity, max_hulls=32 if hulls is None or hulls < 1 else hulls)
            self._replace(shape, parts[0], GeoType.CONVEX_MESH)
            for number, part in enumerate(parts[1:], 1):
                self._like(shape, part, f"{self.shape_label[shape]}_convex_{number}")
            return
        if method in ("quadratic", "alphashape", "poisson", "ftetwild"):
            ratio = options.get("target_reduction")
            self._replace(shape, mesh.simplify(0.25 if ratio is None else 1.0 - float(ratio)), GeoType.MESH)
            return
        if method == "convex_hull":
            hull = mesh.compute_convex_hull()
            self._core.set_shape_source(shape, hull._core)
            self._sources[shape] = hull
            self.shape_type[shape] = GeoType.CONVEX_MESH
            return
        points = mesh.vertices * list(self.shape_scale[shape])
        low, high = points.min(axis=0), points.max(axis=0)
        middle = transform(*((low + high) / 2), 0, 0, 0, 1)
        self.shape_transform[shape] = as_transform(self.shape_transform[shape]) * middle
        half = (high - low) / 2
        self._core.set_shape_source(shape, None)
        self._sources.pop(shape, None)
        if method == "bounding_box":
            self.shape_type[shape], self.shape_scale[shape] = GeoType.BOX, half
        else:
            radius = max(math.sqrt(float(x)) for x in ((points - middle.p) ** 2).sum(axis=1))
            self.shape_type[shape], self.shape_scale[shape] = GeoType.SPHERE, (radius, 0.0, 0.0)


def _from_z(normal: vec3) -> quat:
    """The shortest rotation that takes z to a unit vector."""
    x, y, z = normal
    if z < -1 + 1e-12:
        return quat(1.0, 0.0, 0.0, 0.0)
    w = math.sqrt(2 * (1 + z)) / 2
    return quat(-y / (2 * w), x / (2 * w), 0.0, w)


name_arguments(globals())
