"""Enumerations of the model, with Newton's names and values."""
from __future__ import annotations

from enum import IntEnum
from typing import Any

from .rotations import quat_between_vectors_robust, quat_multiply
from .values import quat, vec3

__all__ = ["MAXVAL", "Axis", "AxisType", "BodyFlags", "GeoType", "JointTargetMode", "JointType", "ModelFlags", "ParticleFlags", "ShapeFlags", "StateFlags"]

#: "No limit" in limit arrays, and the distance of an unused contact slot.
MAXVAL = 1e10


class Axis(IntEnum):
    """A coordinate axis. Wherever one is asked for, 0 to 2 and "x", "Y", ... are taken too."""

    X = 0
    Y = 1
    Z = 2

    @classmethod
    def from_string(cls, axis_str: str) -> "Axis":
        name = axis_str.strip().upper()
        if name not in cls.__members__:
            raise ValueError(f"axis {axis_str!r} is none of X, Y, Z")
        return cls[name]

    @classmethod
    def from_any(cls, value: Any) -> "Axis":
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls.from_string(value)
        if isinstance(value, (int,)) or hasattr(value, "__index__"):
            return cls(int(value))
        raise TypeError(f"axis: expected an Axis, 0..2 or a name, not {type(value).__name__}")

    @classmethod
    def _missing_(cls, value: object) -> "Axis | None":
        return cls.__members__.get(value.strip().upper()) if isinstance(value, str) else None

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Axis.{self.name}"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.name == other.strip().upper()
        return int(self) == other if isinstance(other, int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def to_vector(self) -> tuple[float, float, float]:
        return (float(self == 0), float(self == 1), float(self == 2))

    def to_vec3(self) -> vec3:
        return vec3(*self.to_vector())

    def quat_between_axes(self, other: "AxisType") -> quat:
        """The rotation that takes this axis to another."""
        return quat_multiply(quat_between_vectors_robust(self.to_vector(), Axis.from_any(other).to_vector()), (0.0, 0.0, 0.0, 1.0))


AxisType = Axis | str | int


class Kind(IntEnum):
    """Kinds that tables are made for: a number that is none is refused with those that are, in the words of the compiled part."""

    @classmethod
    def _missing_(cls, value: object) -> "Kind | None":
        raise ValueError(f"{value} is no {cls.__name__}: {', '.join(f'{one.name} ({one.value})' for one in cls)}")


class GeoType(Kind):
    """Kinds of shapes; the meaning of `shape_scale` depends on it."""

    NONE = 0
    PLANE = 1
    HFIELD = 2
    SPHERE = 3
    CAPSULE = 4
    ELLIPSOID = 5
    CYLINDER = 6
    BOX = 7
    MESH = 8
    CONE = 9
    CONVEX_MESH = 10
    GAUSSIAN = 11


class ShapeFlags(IntEnum):
    VISIBLE = 1
    COLLIDE_SHAPES = 2
    COLLIDE_PARTICLES = 4
    SITE = 8
    HYDROELASTIC = 16


class ParticleFlags(IntEnum):
    ACTIVE = 1
    PROXY = 2


class BodyFlags(IntEnum):
    DYNAMIC = 1
    KINEMATIC = 2
    PROXY = 4
    ALL = 7


class JointType(Kind):
    PRISMATIC = 0
    REVOLUTE = 1
    BALL = 2
    FIXED = 3
    FREE = 4
    DISTANCE = 5
    D6 = 6
    ROD = 7

    def dof_count(self, num_axes: int) -> tuple[int, int]:
        """(velocities, coordinates) of a joint of this type with so many axes."""
        fixed = {0: (1, 1), 1: (1, 1), 2: (3, 4), 3: (0, 0), 4: (6, 7), 5: (6, 7)}
        return fixed.get(int(self), (num_axes, num_axes))

    def constraint_count(self, num_axes: int) -> int:
        """Directions in which the joint holds its bodies together."""
        return 1 if self is JointType.DISTANCE else 6 - self.dof_count(num_axes)[0]


class JointTargetMode(Kind):
    """What the drive of a dof follows."""

    NONE = 0
    POSITION = 1
    VELOCITY = 2
    POSITION_VELOCITY = 3
    EFFORT = 4

    @staticmethod
    def from_gains(target_ke: float, target_kd: float, force_position_velocity: bool = False, has_drive: bool = False) -> "JointTargetMode":
        """The mode that the gains show."""
        if force_position_velocity and (target_ke or target_kd):
            return JointTargetMode.POSITION_VELOCITY
        if target_ke:
            return JointTargetMode.POSITION
        if target_kd:
            return JointTargetMode.VELOCITY
        return JointTargetMode.EFFORT if has_drive else JointTargetMode.NONE


class ModelFlags(IntEnum):
    """What of a model was written to; see `SolverBase.notify_model_changed`."""

    JOINT_PROPERTIES = 1
    JOINT_DOF_PROPERTIES = 2
    BODY_PROPERTIES = 4
    BODY_INERTIAL_PROPERTIES = 8
    SHAPE_PROPERTIES = 16
    MODEL_PROPERTIES = 32
    CONSTRAINT_PROPERTIES = 64
    TENDON_PROPERTIES = 128
    ACTUATOR_PROPERTIES = 256
    JOINT_DOF_FORCE_PROPERTIES = 512
    JOINT_DOF_INERTIAL_PROPERTIES = 1024
    JOINT_REFERENCE_POSE_PROPERTIES = 2048
    SHAPE_TYPE_AND_SOURCE = 4096
    ALL = 8191


class StateFlags(IntEnum):
    NONE = 0
    JOINT_Q = 1
    JOINT_QD = 2
    BODY_Q = 4
    BODY_QD = 8
    PARTICLE_Q = 16
    PARTICLE_QD = 32
    BODY_F = 64
    PARTICLE_F = 128
    JOINT_F = 256
    BODY = 12
    PARTICLE = 48
    JOINT = 3
    FORCE = 448
    ALL = 511
