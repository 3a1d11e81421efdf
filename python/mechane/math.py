"""Rotations and transforms over any leading batch: quaternions x y z w, transforms px py pz qx qy qz qw, twists linear first."""
from __future__ import annotations

from typing import Any

from .core.arguments import name_arguments
from .core.enums import Axis
from .core.rotations import (normalize_with_norm, orthonormal_basis, quat_between_vectors_robust, quat_decompose, quat_from_axis_angle,
                             quat_from_matrix, quat_multiply, quat_rotate, quat_rpy, quat_slerp, quat_to_matrix, quat_to_rpy, quat_velocity, safe_div,
                             transform_inverse, transform_multiply, transform_point, transform_twist, transform_vector, transform_wrench, vec_abs,
                             vec_allclose, vec_inside_limits, vec_max, vec_min, velocity_at_point)
from .newton.modules import absent

__all__ = ["normalize_with_norm", "orthonormal_basis", "quat_between_axes", "quat_between_vectors_robust", "quat_decompose", "quat_from_axis_angle",
           "quat_from_matrix", "quat_multiply", "quat_rotate", "quat_rpy", "quat_slerp", "quat_to_matrix", "quat_to_rpy", "quat_velocity", "safe_div",
           "transform_inverse", "transform_multiply", "transform_point", "transform_twist", "transform_vector", "transform_wrench", "vec_abs",
           "vec_allclose", "vec_inside_limits", "vec_max", "vec_min", "velocity_at_point"]


def quat_between_axes(*axes: Any) -> Any:
    """The rotation that takes each axis to the next, composed."""
    out: Any = (0.0, 0.0, 0.0, 1.0)
    for a, b in zip(axes, axes[1:]):
        out = quat_multiply(quat_between_vectors_robust(Axis.from_any(a).to_vector(), Axis.from_any(b).to_vector()), out)
    return quat_multiply(out, (0.0, 0.0, 0.0, 1.0))


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.math", name)


name_arguments(globals())
