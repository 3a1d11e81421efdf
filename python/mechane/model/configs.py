"""What shapes, degrees of freedom and custom attributes are made of."""
from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

from ..core.arguments import name_arguments
from ..core.enums import MAXVAL, Axis, AxisType, GeoType, JointTargetMode, ShapeFlags
from ..core.values import as_vec3, vec3
from ..newton.renamed import renamed, renamed_number

__all__ = ["JointDofConfig", "MeshApproximationConfig", "ShapeConfig"]


@dataclass(kw_only=True)
class ShapeConfig:
    """How a shape collides and what it is made of. SI units."""

    density: float = 1000.0  #: [kg/m^3]; 0 adds no mass
    ke: float = 2500.0  #: contact stiffness [N/m]
    kd: float = 100.0  #: contact damping [N s/m]
    kf: float = 1000.0  #: friction gain [N s/m]
    ka: float = 0.0  #: adhesion distance [m]
    mu: float = 1.0  #: friction
    restitution: float = 0.0  #: 0..1
    mu_torsional: float = 0.005  #: [m]
    mu_rolling: float = 0.0001  #: [m]
    margin: float = 0.0  #: where the surface is offset [m]
    gap: float | None = None  #: how much earlier a contact is made [m]; the builder's rigid_gap when None
    is_solid: bool = True  #: False: a shell
    collision_group: int = 1  #: 0 collides with nothing
    collision_filter_parent: bool = True
    has_shape_collision: bool = True
    has_particle_collision: bool = True
    is_visible: bool = True
    is_site: bool = False
    sdf_narrow_band_range: tuple[float, float] = (-0.1, 0.1)  #: [m]
    sdf_target_voxel_size: float | None = None  #: [m]
    sdf_max_resolution: int | None = None
    force_sdf: bool = False
    sdf_texture_format: str = "uint16"
    is_hydroelastic: bool = False
    kh: float = 1.0e10  #: hydroelastic stiffness [N/m^3]
    sdf_padding: float | None = None  #: [m]
    mu_static: float | None = None  #: static friction; `mu` when None
    shell_thickness: float | None = None  #: wall of a shell [m]; `margin` when None
    surface_velocity: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  #: of the surface on top of the body's, as a belt's: linear [m/s], angular [rad/s]
    surface_in_world: bool = False  #: along world axes; else the shape's

    def configure_sdf(self, *, max_resolution: int | None = None, target_voxel_size: float | None = None, is_hydroelastic: bool = False,
                      kh: float = 1.0e10, texture_format: str | None = None, force_sdf: bool = False) -> None:
        """Chooses a signed distance field, by its longest side in voxels or by the size of a voxel [m]."""
        if max_resolution is not None and target_voxel_size is not None:
            raise ValueError("configure_sdf: give max_resolution or target_voxel_size, not both")
        self.sdf_max_resolution, self.sdf_target_voxel_size = max_resolution, target_voxel_size
        self.is_hydroelastic, self.kh = is_hydroelastic, kh
        self.force_sdf = self.force_sdf or force_sdf
        if texture_format is not None:
            self.sdf_texture_format = texture_format

    def validate(self, shape_type: int | None = None) -> None:
        """@raises ValueError  for values that make no sense, or do not for shapes of this type"""
        if not (isinstance(self.density, (int, float)) and math.isfinite(self.density) and self.density >= 0):
            raise ValueError(f"ShapeConfig.density must be finite and >= 0, got {self.density}")
        if self.sdf_max_resolution is not None and self.sdf_target_voxel_size is not None:
            raise ValueError("ShapeConfig: sdf_max_resolution and sdf_target_voxel_size exclude each other")
        if self.sdf_max_resolution is not None:
            if not 0 < self.sdf_max_resolution < 65536:
                raise ValueError(f"ShapeConfig.sdf_max_resolution is {self.sdf_max_resolution}, expected 1..65535")
            if self.sdf_max_resolution % 8:
                raise ValueError(f"ShapeConfig.sdf_max_resolution is {self.sdf_max_resolution}, expected a multiple of 8")
        if self.sdf_target_voxel_size is not None and not (self.sdf_target_voxel_size > 0 and math.isfinite(self.sdf_target_voxel_size)):
            raise ValueError(f"ShapeConfig.sdf_target_voxel_size must be finite and > 0, got {self.sdf_target_voxel_size}")
        if self.sdf_padding is not None and not (math.isfinite(self.sdf_padding) and self.sdf_padding >= 0):
            raise ValueError(f"ShapeConfig.sdf_padding must be finite and >= 0, got {self.sdf_padding}")
        if self.is_site:
            wrong = [("a site cannot have collision enabled", self.has_shape_collision or self.has_particle_collision),
                     ("a site must have zero density", self.density != 0), ("a site must have collision_group=0", self.collision_group != 0)]
            said = "; ".join(text for text, is_wrong in wrong if is_wrong)
            if said:
                raise ValueError(f"ShapeConfig.is_site: {said}; mark_as_site() sets them")
        try:
            inner, outer = (float(x) for x in self.sdf_narrow_band_range)
        except (TypeError, ValueError):
            raise ValueError(f"ShapeConfig.sdf_narrow_band_range is {self.sdf_narrow_band_range}, expected two numbers") from None
        if not (math.isfinite(inner) and math.isfinite(outer) and inner < 0 < outer):
            raise ValueError(f"ShapeConfig.sdf_narrow_band_range is {self.sdf_narrow_band_range}, expected a negative and a positive bound")
        if self.is_hydroelastic and shape_type in (GeoType.PLANE, GeoType.HFIELD):
            raise ValueError(f"ShapeConfig.is_hydroelastic: shapes of type {GeoType(shape_type).name} have no distance field")

    def mark_as_site(self) -> None:
        """A frame to measure at: no collision, no mass."""
        self.is_site = True
        self.has_shape_collision = self.has_particle_collision = False
        self.density = 0.0
        self.collision_group = 0

    @property
    def flags(self) -> int:
        """Bits of `ShapeFlags`."""
        bits = ShapeFlags.VISIBLE if self.is_visible else 0
        if self.is_site:
            return bits | ShapeFlags.SITE
        bits |= ShapeFlags.COLLIDE_SHAPES if self.has_shape_collision else 0
        bits |= ShapeFlags.COLLIDE_PARTICLES if self.has_particle_collision else 0
        bits |= ShapeFlags.HYDROELASTIC if self.is_hydroelastic else 0
        return int(bits)

    @flags.setter
    def flags(self, value: int) -> None:
        self.is_visible = bool(value & ShapeFlags.VISIBLE)
        self.is_hydroelastic = bool(value & ShapeFlags.HYDROELASTIC)
        if value & ShapeFlags.SITE:
            self.mark_as_site()
        else:
            self.is_site = False
            self.has_shape_collision = bool(value & ShapeFlags.COLLIDE_SHAPES)
            self.has_particle_collision = bool(value & ShapeFlags.COLLIDE_PARTICLES)

    def copy(self) -> "ShapeConfig":
        return copy.copy(self)


class JointDofConfig:
    """One degree of freedom of a joint; rotary values per radian."""

    FIELDS = ("axis", "limit_lower", "limit_upper", "limit_ke", "limit_kd", "target_q", "target_qd", "target_ke", "target_kd", "damping",
              "stiffness", "rest_q", "armature", "effort_limit", "velocity_limit", "friction", "actuator_mode")

    def __init__(self, *, axis: AxisType | Any = Axis.X, limit_lower: float = -MAXVAL, limit_upper: float = MAXVAL, limit_ke: float = 1.0e4,
                 limit_kd: float = 10.0, target_q: float | None = None, target_qd: float | None = None, target_ke: float = 0.0,
                 target_kd: float = 0.0, damping: float = 0.0, stiffness: float = 0.0, rest_q: float | None = None, armature: float = 0.0,
                 effort_limit: float = 1.0e6, velocity_limit: float = 1.0e6, friction: float = 0.0,
                 actuator_mode: JointTargetMode | None = None, target_pos: float | None = None, target_vel: float | None = None,
                 limit_authored: bool = False):
        target_q = renamed("target_pos", "target_q", target_pos, target_q)
        target_qd = renamed("target_vel", "target_qd", target_vel, target_qd)
        self.axis = axis_vector(axis)
        self.limit_lower, self.limit_upper = limit_lower, limit_upper
        self.limit_ke, self.limit_kd = limit_ke, limit_kd
        #: The two were chosen: a spring of them, also where they are the defaults, which leave a limit's stiffness to the solver.
        self.limit_authored = bool(limit_authored)
        self.target_q = 0.0 if target_q is None else target_q
        self.target_qd = 0.0 if target_qd is None else target_qd
        self.target_ke, self.target_kd = target_ke, target_kd
        self.damping, self.stiffness, self.rest_q = damping, stiffness, rest_q
        self.armature, self.friction = armature, friction
        self.effort_limit, self.velocity_limit = effort_limit, velocity_limit
        for name in self.FIELDS[1:-1]:
            value = getattr(self, name)
            if name == "rest_q" and value is None:
                continue
            try:
                setattr(self, name, float(value))
            except (TypeError, ValueError):
                raise TypeError(f"{name}: expected a number, got {value!r}") from None
        if lower_within(self.limit_lower, self.limit_upper) and not self.limit_lower <= self.target_q <= self.limit_upper:
            self.target_q = 0.5 * (self.limit_lower + self.limit_upper)
        self.actuator_mode = JointTargetMode.from_gains(self.target_ke, self.target_kd) if actuator_mode is None else JointTargetMode(actuator_mode)

    @classmethod
    def create_unlimited(cls, axis: AxisType | Any) -> "JointDofConfig":
        """An axis without limits and without springs at them."""
        return cls(axis=axis, limit_lower=-MAXVAL, limit_upper=MAXVAL, target_ke=0.0, target_kd=0.0, armature=0.0, limit_ke=0.0, limit_kd=0.0)

    target_pos = renamed_number("JointDofConfig", "target_pos", "target_q")
    target_vel = renamed_number("JointDofConfig", "target_vel", "target_qd")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JointDofConfig) and all(getattr(self, n) == getattr(other, n) for n in self.FIELDS)

    def __repr__(self) -> str:
        return f"JointDofConfig({', '.join(f'{n}={getattr(self, n)!r}' for n in self.FIELDS)})"


@dataclass
class MeshApproximationConfig:
    """How meshes are replaced by simpler ones."""

    coacd_threshold: float = 0.05  #: concavity that a part may keep, relative to its size


def lower_within(lower: float, upper: float) -> bool:
    return math.isfinite(lower) and math.isfinite(upper) and lower <= upper


def axis_vector(axis: Any) -> vec3:
    """A unit vector from an axis, its name, its number, or three numbers."""
    if isinstance(axis, (str, Axis)) or hasattr(axis, "__index__"):
        return Axis.from_any(axis).to_vec3()
    v = as_vec3("axis", axis)
    norm = math.sqrt(sum(x * x for x in v))
    if not (norm > 0 and math.isfinite(norm)):
        raise ValueError(f"axis: {tuple(v)} has no direction")
    return v / norm


name_arguments(globals())
