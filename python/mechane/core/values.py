"""Small values: hashable tuples of floats with the arithmetic of vectors, quaternions (x y z w) and rigid transforms."""
from __future__ import annotations

import math
from typing import Any, Iterable, Self

import numpy as np

__all__ = ["mat33", "quat", "spatial_vector", "transform", "vec2", "vec3", "vec4"]


def _numbers(name: str, count: int, value: Any) -> tuple[float, ...]:
    """`count` floats out of anything that has as many, else ValueError or TypeError with the argument's name."""
    if isinstance(value, str) or not (isinstance(value, Iterable) or hasattr(value, "__array__") or hasattr(value, "__len__")):
        raise TypeError(f"{name}: expected {count} numbers, not {type(value).__name__}")
    try:
        flat = np.asarray(value.numpy() if hasattr(value, "numpy") else list(value), dtype=float).reshape(-1)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected {count} numbers, got {value!r}") from None
    if flat.size != count:
        raise ValueError(f"{name}: expected {count} numbers, got {flat.size}")
    return tuple(flat.tolist())


class _Value(tuple[float, ...]):
    """What all small values share."""

    __slots__ = ()
    _count = 0

    def __new__(cls, *args: Any) -> Self:
        if not args:
            return tuple.__new__(cls, (0.0,) * cls._count)
        if len(args) == 1 and cls._count > 1:
            if isinstance(args[0], (int, float)):
                return tuple.__new__(cls, (float(args[0]),) * cls._count)
            return tuple.__new__(cls, _numbers(cls.__name__, cls._count, args[0]))
        return tuple.__new__(cls, _numbers(cls.__name__, cls._count, args))

    def __getnewargs__(self) -> tuple[float, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self))})"

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array(tuple(self), dtype=dtype)

    def _like(self, values: Iterable[float]) -> Any:
        return tuple.__new__(type(self), tuple(values))

    def __add__(self, other: Any) -> Any:
        return self._like(a + b for a, b in zip(self, _numbers("operand", self._count, other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._like(a - b for a, b in zip(self, _numbers("operand", self._count, other)))

    def __rsub__(self, other: Any) -> Any:
        return self._like(b - a for a, b in zip(self, _numbers("operand", self._count, other)))

    def __neg__(self) -> Any:
        return self._like(-a for a in self)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (int, float, np.floating, np.integer)):
            return self._like(a * float(other) for a in self)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._like(a / float(other) for a in self)


class _XY(_Value):
    __slots__ = ()

    @property
    def x(self) -> float:
        return self[0]

    @property
    def y(self) -> float:
        return self[1]


class _XYZ(_XY):
    __slots__ = ()

    @property
    def z(self) -> float:
        return self[2]


class _XYZW(_XYZ):
    __slots__ = ()

    @property
    def w(self) -> float:
        return self[3]


class vec2(_XY):
    __slots__ = ()
    _count = 2


class vec3(_XYZ):
    __slots__ = ()
    _count = 3


class vec4(_XYZW):
    __slots__ = ()
    _count = 4


class quat(_XYZW):
    """A rotation, x y z w."""

    __slots__ = ()
    _count = 4

    @classmethod
    def identity(cls) -> "quat":
        return cls(0.0, 0.0, 0.0, 1.0)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (int, float, np.floating, np.integer)):
            return self._like(a * float(other) for a in self)
        ax, ay, az, aw = self
        bx, by, bz, bw = _numbers("operand", 4, other)
        return quat(aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                    aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)

    def __matmul__(self, other: Any) -> Any:
        """A rotation times a rotation, or the rotated vector."""
        other = tuple(other)
        return self * other if len(other) == 4 else self.rotate(other)

    def inverse(self) -> "quat":
        return quat(-self[0], -self[1], -self[2], self[3])

    def rotate(self, v: Any) -> vec3:
        x, y, z, w = self
        vx, vy, vz = _numbers("v", 3, v)
        tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
        return vec3(vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx)


class transform(_Value):
    """A rigid transform px py pz qx qy qz qw; also `transform(p, q)`."""

    __slots__ = ()
    _count = 7

    def __new__(cls, *args: Any, p: Any = None, q: Any = None) -> Self:
        if p is not None or q is not None:
            args = (p if p is not None else (0.0, 0.0, 0.0), q if q is not None else (0.0, 0.0, 0.0, 1.0))
        if not args:
            return tuple.__new__(cls, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
        if len(args) == 2:
            return tuple.__new__(cls, _numbers("p", 3, args[0]) + _numbers("q", 4, args[1]))
        if len(args) == 1:
            return as_transform(args[0])  # type: ignore[return-value]
        return tuple.__new__(cls, _numbers("transform", 7, args))

    @classmethod
    def identity(cls) -> "transform":
        return cls()

    @property
    def p(self) -> vec3:
        return vec3(*self[:3])

    @property
    def q(self) -> quat:
        return quat(*self[3:])

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (int, float)):
            return NotImplemented
        b = as_transform(other)
        return transform(self.p + self.q.rotate(b.p), self.q * b.q)

    def __matmul__(self, other: Any) -> Any:
        """A transform times a transform, or the transformed point."""
        values = tuple(other)
        return self * values if len(values) != 3 else self.p + self.q.rotate(values)

    def inverse(self) -> "transform":
        r = self.q.inverse()
        return transform(-r.rotate(self.p), r)


class mat33(_Value):
    """A 3x3 matrix, row by row; indexing with a pair gives an element, with one number a component."""

    __slots__ = ()
    _count = 9

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            row, column = key
            return tuple.__getitem__(self, 3 * row + column)
        return tuple.__getitem__(self, key)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array(tuple(self), dtype=dtype).reshape(3, 3)

    def __matmul__(self, other: Any) -> Any:
        a = np.asarray(self, dtype=float)
        b = np.asarray(other, dtype=float)
        return mat33(*(a @ b).reshape(-1)) if b.size == 9 else vec3(*(a @ b.reshape(3)))


class spatial_vector(_Value):
    """Linear part first."""

    __slots__ = ()
    _count = 6

    def __new__(cls, *args: Any) -> Self:
        if len(args) == 2:
            return tuple.__new__(cls, _numbers("linear", 3, args[0]) + _numbers("angular", 3, args[1]))
        return super().__new__(cls, *args)

    @property
    def linear(self) -> vec3:
        return vec3(*self[:3])

    @property
    def angular(self) -> vec3:
        return vec3(*self[3:])


# -- arguments ------------------------------------------------------------------------------------------------------


def as_vec3(name: str, value: Any) -> vec3:
    return value if type(value) is vec3 else tuple.__new__(vec3, _numbers(name, 3, value))


def as_quat(name: str, value: Any) -> quat:
    """A unit quaternion; one that is off by less than a tenth is normalised, any other refused."""
    x, y, z, w = _numbers(name, 4, value)
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if not 0.9 < norm < 1.1:
        raise ValueError(f"{name}: a quaternion of norm {norm:.6g}, expected 1")
    return tuple.__new__(quat, (x / norm, y / norm, z / norm, w / norm) if norm != 1.0 else (x, y, z, w))


def as_transform(value: Any, name: str = "xform") -> transform:
    """From 7 numbers, or a pair of position and quaternion, or None for the identity."""
    if value is None:
        return transform()
    if type(value) is not transform:
        if hasattr(value, "p") and hasattr(value, "q") and not isinstance(value, np.ndarray):
            value = (value.p, value.q)
        if not hasattr(value, "numpy") and hasattr(value, "__len__") and len(value) == 2:
            value = (*_numbers(name + ".p", 3, value[0]), *_numbers(name + ".q", 4, value[1]))
        value = _numbers(name, 7, value)
    return tuple.__new__(transform, (*value[:3], *as_quat(name + ".q", value[3:])))


def as_mat33(name: str, value: Any) -> mat33:
    return value if type(value) is mat33 else tuple.__new__(mat33, _numbers(name, 9, value))


BY_KIND = {"vec2": vec2, "vec3": vec3, "vec4": vec4, "quat": quat, "transform": transform, "mat33": mat33, "spatial_vector": spatial_vector}
