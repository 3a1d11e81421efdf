"""Rotations and transforms over any leading batch: quaternions x y z w, transforms px py pz qx qy qz qw, twists linear first."""
from __future__ import annotations

from typing import Any

import numpy as np

from .arguments import name_arguments
from .array import as_warp_value, backend, plain
from .values import quat, transform, vec3

__all__ = ["normalize_with_norm", "orthonormal_basis", "quat_between_vectors_robust", "quat_decompose", "quat_from_axis_angle",
           "quat_from_matrix", "quat_multiply", "quat_rotate", "quat_rpy", "quat_slerp", "quat_to_matrix", "quat_to_rpy", "quat_velocity", "safe_div",
           "transform_inverse", "transform_multiply", "transform_point", "transform_twist", "transform_vector", "transform_wrench", "vec_abs",
           "vec_allclose", "vec_inside_limits", "vec_max", "vec_min", "velocity_at_point"]


def _f(value: Any) -> np.ndarray:
    return np.asarray(plain(value), dtype=float)


def _small(kind: type, values: np.ndarray) -> Any:
    """A small value for one element, of Warp's where those are handed out; an array for a batch."""
    if values.ndim != 1:
        return values
    value = kind(*values.tolist())
    return value if backend.handed_out is None else as_warp_value(value)


def quat_multiply(a: Any, b: Any) -> Any:
    a, b = np.broadcast_arrays(_f(a), _f(b))
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    return _small(quat, np.concatenate([s * v + t * u + np.cross(u, v), s * t - np.sum(u * v, axis=-1, keepdims=True)], axis=-1))


def quat_rotate(q: Any, v: Any) -> Any:
    q, v = _f(q), _f(v)
    u, s = q[..., :3], q[..., 3:]
    t = 2 * np.cross(u, v)
    return _small(vec3, v + s * t + np.cross(u, t))


def _conjugate(q: np.ndarray) -> np.ndarray:
    return q * np.array([-1.0, -1.0, -1.0, 1.0])


def quat_from_axis_angle(axis: Any, angle: Any) -> Any:
    """Rotation by `angle` [rad] about `axis`, which need not be unit."""
    axis, angle = _f(axis), np.asarray(angle, float)[..., None]
    n = np.linalg.norm(axis, axis=-1, keepdims=True)
    unit = np.divide(axis, n, out=np.zeros_like(axis), where=n > 0)
    batch = np.broadcast_shapes(unit.shape[:-1], angle.shape[:-1])
    out = np.empty((*batch, 4))
    out[..., :3] = unit * np.sin(angle / 2)
    out[..., 3] = np.cos(angle / 2)[..., 0]
    return _small(quat, out)


def quat_to_matrix(q: Any) -> np.ndarray:
    q = _f(q)
    return np.stack([np.asarray(quat_rotate(q, np.broadcast_to(e, (*q.shape[:-1], 3)))) for e in np.eye(3)], axis=-1)


def quat_from_matrix(m: Any) -> Any:
    """From proper rotation matrices (Shepperd 1978)."""
    m = _f(m).reshape(*np.shape(plain(m))[:-2], 3, 3)
    flat = m.reshape(-1, 3, 3)
    out = np.empty((len(flat), 4))
    for i, r in enumerate(flat):
        t = np.trace(r)
        k = int(np.argmax([r[0, 0], r[1, 1], r[2, 2], t]))
        if k == 3:
            q = [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], 1 + t]
        else:
            a, b = (k + 1) % 3, (k + 2) % 3
            q = [0.0, 0.0, 0.0, r[b, a] - r[a, b]]
            q[k], q[a], q[b] = 1 + r[k, k] - r[a, a] - r[b, b], r[k, a] + r[a, k], r[k, b] + r[b, k]
        out[i] = np.array(q) / np.linalg.norm(q)
    return _small(quat, out.reshape(*m.shape[:-2], 4))


def quat_rpy(roll: Any, pitch: Any, yaw: Any) -> Any:
    """Roll about x, then pitch about y, then yaw about z, fixed axes [rad]."""
    return quat_multiply(quat_from_axis_angle((0, 0, 1), yaw), quat_multiply(quat_from_axis_angle((0, 1, 0), pitch), quat_from_axis_angle((1, 0, 0), roll)))


def quat_to_rpy(q: Any) -> Any:
    """Roll, pitch, yaw [rad]."""
    x, y, z, w = np.moveaxis(_f(q), -1, 0)
    return _small(vec3, np.stack([np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), np.arcsin(np.clip(2 * (w * y - z * x), -1, 1)),
                                  np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))], axis=-1))


def quat_slerp(a: Any, b: Any, t: Any) -> Any:
    """On the shorter arc; t in 0..1."""
    a, b, t = _f(a), _f(b), np.asarray(t, float)[..., None]
    d = np.sum(a * b, axis=-1, keepdims=True)
    b, d = np.where(d < 0, -b, b), np.abs(d)
    angle = np.arccos(np.clip(d, -1, 1))
    s = np.sin(angle)
    near = s < 1e-6
    safe = np.where(near, 1, s)
    out = np.where(near, (1 - t) * a + t * b, (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / safe)
    return _small(quat, out / np.linalg.norm(out, axis=-1, keepdims=True))


def quat_between_vectors_robust(a: Any, b: Any, eps: float = 1e-8) -> Any:
    """The shortest rotation from the direction of a to that of b; opposite ones turn about some perpendicular."""
    a, b = _f(a), _f(b)
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    d = float(a @ b)
    if d < -1 + eps:
        p = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        return quat(*(p / np.linalg.norm(p)), 0.0)
    q = np.array([*np.cross(a, b), 1 + d])
    return quat(*(q / np.linalg.norm(q)))


def quat_decompose(q: Any) -> Any:
    """Angles about x, y and z, each carried by the ones before [rad]."""
    r = quat_to_matrix(q)
    return _small(vec3, np.stack([np.arctan2(r[..., 1, 2], r[..., 2, 2]), np.arcsin(-np.clip(r[..., 0, 2], -1, 1)), np.arctan2(r[..., 0, 1], r[..., 0, 0])], axis=-1))


def quat_velocity(q_now: Any, q_prev: Any, dt: float) -> Any:
    """Angular velocity, world axes [rad/s], that takes q_prev to q_now in dt [s]."""
    d = np.asarray(quat_multiply(_f(q_now), _conjugate(_f(q_prev))))
    d = np.where(d[..., 3:] < 0, -d, d)
    n = np.linalg.norm(d[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(n, d[..., 3:])
    return _small(vec3, np.where(n < 1e-12, 2 * d[..., :3], d[..., :3] / np.where(n < 1e-12, 1, n) * angle) / dt)


def transform_multiply(a: Any, b: Any) -> Any:
    a, b = _f(a), _f(b)
    p = a[..., :3] + np.asarray(quat_rotate(a[..., 3:], b[..., :3]))
    return _small(transform, np.concatenate([p, np.asarray(quat_multiply(a[..., 3:], b[..., 3:]))], axis=-1))


def transform_inverse(a: Any) -> Any:
    a = _f(a)
    q = _conjugate(a[..., 3:])
    return _small(transform, np.concatenate([-np.asarray(quat_rotate(q, a[..., :3])), q], axis=-1))


def transform_point(a: Any, p: Any) -> Any:
    a = _f(a)
    return _small(vec3, a[..., :3] + np.asarray(quat_rotate(a[..., 3:], p)))


def transform_vector(a: Any, v: Any) -> Any:
    return quat_rotate(_f(a)[..., 3:], v)


def transform_twist(t: Any, x: Any) -> Any:
    """A twist (v, w) of B's origin in B as the twist of A's origin in A, for the pose t of B in A."""
    t, x = _f(t), _f(x)
    w = np.asarray(quat_rotate(t[..., 3:], x[..., 3:]))
    v = np.asarray(quat_rotate(t[..., 3:], x[..., :3])) + np.cross(t[..., :3], w)
    return np.concatenate([v, w], axis=-1)


def transform_wrench(t: Any, x: Any) -> Any:
    """A wrench (f, tau) at B's origin in B as the wrench at A's origin in A."""
    t, x = _f(t), _f(x)
    f = np.asarray(quat_rotate(t[..., 3:], x[..., :3]))
    tau = np.asarray(quat_rotate(t[..., 3:], x[..., 3:])) + np.cross(t[..., :3], f)
    return np.concatenate([f, tau], axis=-1)


def velocity_at_point(qd: Any, r: Any) -> Any:
    """Velocity of a point at r from the reference point of the twist qd."""
    qd = _f(qd)
    return _small(vec3, qd[..., :3] + np.cross(qd[..., 3:], _f(r)))


def orthonormal_basis(n: Any) -> tuple[Any, Any]:
    """Two unit vectors perpendicular to the unit vector n and to each other (Duff et al. 2017)."""
    x, y, z = np.moveaxis(_f(n), -1, 0)
    s = np.where(z < 0, -1.0, 1.0)
    a = -1.0 / (s + z)
    b = x * y * a
    return _small(vec3, np.stack([1 + s * x * x * a, s * b, -s * x], axis=-1)), _small(vec3, np.stack([b, s + y * y * a, -y], axis=-1))


def normalize_with_norm(x: Any) -> tuple[Any, Any]:
    v = _f(x)
    n = np.linalg.norm(v, axis=-1)
    return np.divide(v, n[..., None], out=np.zeros_like(v), where=n[..., None] > 0), n if v.ndim > 1 else float(n)


def safe_div(x: Any, y: Any, eps: float = 1e-9) -> Any:
    """x / y, with eps in place of a zero."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    return x / np.where(y == 0, eps, y)


def vec_allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    return bool(np.allclose(_f(a), _f(b), rtol, atol))


def vec_abs(a: Any) -> np.ndarray:
    return np.abs(_f(a))


def vec_min(a: Any, b: Any) -> np.ndarray:
    return np.minimum(_f(a), _f(b))


def vec_max(a: Any, b: Any) -> np.ndarray:
    return np.maximum(_f(a), _f(b))


def vec_inside_limits(a: Any, lower: Any, upper: Any) -> bool:
    return bool(np.all((_f(a) >= _f(lower)) & (_f(a) <= _f(upper))))


name_arguments(globals())
