"""Rods: a line of points with a frame for each segment, and how stiff it is; `ModelBuilder.add_rod` makes bodies and joints of it."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import kind_of
from ..core.rotations import quat_from_axis_angle, quat_multiply, quat_rotate
from ..core.values import as_vec3

__all__ = ["Rod"]

_SHORTEST = 1e-9  # [m]
#: Share of a round section that resists transverse shear, as OpenUSD's deformables take it.
_SHEAR_CORRECTION = 0.9


def _refuse(text: str) -> Exception:
    return kind_of(ValueError)(text, "PYTHON_ARG_ROD")


def gain(name: str, value: Any) -> float:
    """@raises ValueError  not finite, or negative"""
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise _refuse(f"{name} must be finite and >= 0, got {value!r}")
    return number


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The shortest rotation from one unit vector to another; half a turn about x, else about y, where they are opposite."""
    cross, dot = np.cross(a, b), float(np.dot(a, b))
    if dot < -1 + 1e-12 or np.linalg.norm(cross) < 1e-12:
        if dot > 0:
            return np.array([0.0, 0.0, 0.0, 1.0])
        across = np.cross(a, [1.0, 0.0, 0.0])
        if np.linalg.norm(across) < 1e-6:
            across = np.cross(a, [0.0, 1.0, 0.0])
        return np.append(across / np.linalg.norm(across), 0.0)
    q = np.append(cross, 1 + dot)
    return q / np.linalg.norm(q)


def aligned(name: str, frame: Any, direction: np.ndarray) -> np.ndarray:
    """A frame whose z lies along a direction up to rounding, turned the little way that is missing.

    @raises ValueError  it lies elsewhere (cosine below 0.999), or is no rotation
    """
    q = np.asarray(frame, dtype=float)
    norm = float(np.linalg.norm(q))
    if not math.isfinite(norm) or norm == 0:
        raise _refuse(f"{name} must be a finite, nonzero quaternion")
    q = q / norm
    z = np.asarray(quat_rotate(q[None], np.array([[0.0, 0.0, 1.0]])))[0]
    if not float(z @ direction) >= 0.999:
        raise _refuse(f"{name} must align local +Z with the segment direction")
    return q if np.sum((z - direction)**2) <= 1e-8 else np.asarray(quat_multiply(between(z, direction)[None], q[None]))[0]


def transported(points: np.ndarray, twist: float = 0.0) -> np.ndarray:
    """Frames along a chain, each turned from the one before the shortest way, from the world's z; `twist` [rad] is spread evenly."""
    frames, before = [], np.array([0.0, 0.0, 1.0])
    step = twist / (len(points) - 1)
    for a, b in zip(points[:-1].astype(float), points[1:].astype(float)):
        along = (b - a) / np.linalg.norm(b - a)
        turn = between(before, along)
        q = turn if not frames else np.asarray(quat_multiply(turn[None], frames[-1][None]))[0]
        if twist:
            q = np.asarray(quat_multiply(np.asarray(quat_from_axis_angle(along[None], np.array([step]))), q[None]))[0]
        frames.append(q / np.linalg.norm(q))
        before = along
    return np.array(frames)


class Rod:
    """Points [m] in the world, segments between them, a frame for each (z along the segment), and either a material with a radius or rigidities.

    Without `edges` the points are a chain; `closed` joins its ends, which coincide. Rest points, rest frames or `rest_straight` say
    how it lies when nothing acts on it; without them, as it is given. With `youngs_modulus` E [Pa] and either `poissons_ratio` or
    `shear_modulus` G [Pa] the section is round with `radius` r [m]: EA = E pi r^2, kGA = 0.9 G pi r^2, EI = E pi r^4 / 4, GJ = G pi r^4 / 2.
    """

    def __init__(self, points: Any, *, edges: Any = None, quaternions: Any = None, rest_points: Any = None, rest_quaternions: Any = None, rest_straight: bool = False,
                 closed: bool = False, radius: float | None = None, youngs_modulus: float | None = None, poissons_ratio: float | None = None,
                 shear_modulus: float | None = None, stretch_rigidity: float | None = None, shear_rigidity: float | None = None,
                 bend_rigidity: float | None = None, twist_rigidity: float | None = None):
        """@raises ValueError  geometry, frames or stiffness make no sense"""
        self._chained = edges is None
        self._points = _points(points)
        if edges is None:
            self._edges = _chain(len(self._points))
        elif closed:
            raise _refuse("closed is only valid when edges is omitted")
        else:
            self._edges = _pairs(edges, len(self._points))
        self.closed, self.rest_straight = bool(closed), bool(rest_straight)
        self.rest_points, self.rest_quaternions = rest_points, rest_quaternions
        number = lambda value: None if value is None else float(value)  # noqa: E731
        self.radius, self.youngs_modulus, self.poissons_ratio, self.shear_modulus = map(number, (radius, youngs_modulus, poissons_ratio, shear_modulus))
        for name, value in (("stretch_rigidity", stretch_rigidity), ("shear_rigidity", shear_rigidity), ("bend_rigidity", bend_rigidity), ("twist_rigidity", twist_rigidity)):
            setattr(self, name, None if value is None else gain(name, value))
        self._section()
        if quaternions is None:
            self.compute_frames()
        else:
            self.quaternions = quaternions
            self._geometry()
        self._rest_geometry()

    # -- what it is made of
    @property
    def points(self) -> np.ndarray:
        """[points, 3] [m]"""
        return self._points

    @points.setter
    def points(self, value: Any) -> None:
        points = _points(value)
        if self._chained and len(points) != len(self._points):
            self._edges = _chain(len(points))
        else:
            _pairs(self._edges, len(points))
        self._points = points

    @property
    def edges(self) -> np.ndarray:
        """Ends of each segment, [segments, 2]."""
        return self._edges

    @edges.setter
    def edges(self, value: Any) -> None:
        self._edges = _pairs(value, len(self._points))
        self._chained = False

    @property
    def quaternions(self) -> np.ndarray:
        """Frames, [segments, 4], x y z w."""
        return self._quaternions

    @quaternions.setter
    def quaternions(self, value: Any) -> None:
        self._quaternions = _frames(value, len(self._edges), "quaternions")

    @property
    def rest_points(self) -> np.ndarray | None:
        return self._rest_points

    @rest_points.setter
    def rest_points(self, value: Any) -> None:
        self._rest_points = None if value is None else _points(value, "rest_points")

    @property
    def rest_quaternions(self) -> np.ndarray | None:
        return self._rest_quaternions

    @rest_quaternions.setter
    def rest_quaternions(self, value: Any) -> None:
        self._rest_quaternions = None if value is None else _frames(value, len(self._edges), "rest_quaternions")

    @property
    def point_count(self) -> int:
        return len(self._points)

    @property
    def segment_count(self) -> int:
        return len(self._edges)

    @property
    def segment_lengths(self) -> np.ndarray:
        """[m]"""
        return np.linalg.norm(self._points[self._edges[:, 1]] - self._points[self._edges[:, 0]], axis=1)

    @property
    def is_chain(self) -> bool:
        """Whether the segments follow one another."""
        return np.array_equal(self._edges, _chain(len(self._points)))

    def compute_frames(self, *, twist_total: float = 0.0) -> None:
        """Frames along the segments as they are now: a chain's are carried along it, others turned from the world's z each.

        @raises ValueError  `twist_total` [rad] is given for what is no chain
        """
        if not math.isfinite(float(twist_total)):
            raise _refuse("twist_total must be finite")
        points, edges = self._centerline()
        if self.is_chain:
            frames = transported(points, float(twist_total))
        elif twist_total:
            raise _refuse("twist_total is only defined for an ordered chain")
        else:
            frames = np.array([between(np.array([0.0, 0.0, 1.0]), along) for along in _directions(points, edges)])
        self._quaternions = _frames(frames, len(edges), "quaternions")

    def copy(self) -> "Rod":
        """@raises ValueError  its arrays were edited into what makes no sense"""
        self._geometry()
        self._rest_geometry()
        out = Rod(self._points, edges=self._edges, quaternions=self._quaternions, rest_points=self._rest_points, rest_quaternions=self._rest_quaternions,
                  rest_straight=self.rest_straight, radius=self.radius, youngs_modulus=self.youngs_modulus, poissons_ratio=self.poissons_ratio,
                  shear_modulus=self.shear_modulus, stretch_rigidity=self.stretch_rigidity, shear_rigidity=self.shear_rigidity,
                  bend_rigidity=self.bend_rigidity, twist_rigidity=self.twist_rigidity)
        out.closed, out._chained = self.closed, self._chained
        return out

    @staticmethod
    def create_straight(start: Any, direction: Any, length: float, *, segment_count: int, twist_total: float = 0.0, rest_points: Any = None,
                        rest_quaternions: Any = None, rest_straight: bool = False, radius: float | None = None, youngs_modulus: float | None = None,
                        poissons_ratio: float | None = None, shear_modulus: float | None = None, stretch_rigidity: float | None = None,
                        shear_rigidity: float | None = None, bend_rigidity: float | None = None, twist_rigidity: float | None = None) -> "Rod":
        """Equal segments along a line, `length` [m] in all, twisted evenly by `twist_total` [rad] up to the last frame."""
        if segment_count < 1:
            raise _refuse("segment_count must be >= 1")
        if not math.isfinite(float(length)):
            raise _refuse("length must be finite")
        if not float(length) > 0:
            raise _refuse("length must be > 0")
        if not math.isfinite(float(twist_total)):
            raise _refuse("twist_total must be finite")
        along = np.asarray(as_vec3("direction", direction), dtype=float)
        norm = float(np.linalg.norm(along))
        if not math.isfinite(norm) or norm <= 0:
            raise _refuse("direction must be finite and non-zero")
        points = np.asarray(as_vec3("start", start), dtype=float) + np.arange(segment_count + 1)[:, None] * (float(length) / segment_count) * along / norm
        return Rod(points, quaternions=transported(points, float(twist_total)), rest_points=rest_points, rest_quaternions=rest_quaternions, rest_straight=rest_straight,
                   radius=radius, youngs_modulus=youngs_modulus, poissons_ratio=poissons_ratio, shear_modulus=shear_modulus, stretch_rigidity=stretch_rigidity,
                   shear_rigidity=shear_rigidity, bend_rigidity=bend_rigidity, twist_rigidity=twist_rigidity)

    # -- checks
    def _section(self) -> tuple[float, float, float, float] | None:
        """Rigidities EA, kGA [N], EI, GJ [N m^2]; None where the rod says nothing of them.

        @raises ValueError  they are given in part, twice, or out of range
        """
        r = self.radius
        if r is not None and not (math.isfinite(float(r)) and float(r) > 0):
            raise _refuse("radius must be finite and > 0")
        of_material = (self.youngs_modulus, self.poissons_ratio, self.shear_modulus)
        direct = (self.stretch_rigidity, self.shear_rigidity, self.bend_rigidity, self.twist_rigidity)
        material, rigid = any(v is not None for v in of_material), any(v is not None for v in direct)
        if material and rigid:
            raise _refuse("elastic material inputs and section rigidity inputs are mutually exclusive")
        if rigid and any(v is None for v in direct):
            raise _refuse("stretch_rigidity, shear_rigidity, bend_rigidity, and twist_rigidity must be supplied together")
        if rigid:
            names = ("stretch_rigidity", "shear_rigidity", "bend_rigidity", "twist_rigidity")
            ea, kga, ei, gj = (gain(name, v) for name, v in zip(names, direct))
            return ea, kga, ei, gj
        if not material:
            return None
        if r is None:
            raise _refuse("radius is required with elastic material inputs")
        if self.youngs_modulus is None:
            raise _refuse("youngs_modulus is required with elastic material inputs")
        e = gain("youngs_modulus", self.youngs_modulus)
        if (self.poissons_ratio is None) == (self.shear_modulus is None):
            raise _refuse("exactly one of poissons_ratio and shear_modulus must be supplied")
        if self.shear_modulus is not None:
            g = gain("shear_modulus", self.shear_modulus)
        else:
            nu = float(self.poissons_ratio)  # type: ignore[arg-type]
            if not math.isfinite(nu):
                raise _refuse("poissons_ratio must be finite")
            if not -1 < nu < 0.5:
                raise _refuse("poissons_ratio must satisfy -1 < nu < 0.5")
            g = e / (2 * (1 + nu))
        try:
            area, moment = math.pi * r**2, math.pi * r**4
            out = (e * area, _SHEAR_CORRECTION * g * area, e * moment / 4, g * moment / 2)
        except OverflowError:
            out = (math.inf,) * 4
        if not all(map(math.isfinite, out)):
            raise _refuse("elastic material inputs must produce finite section rigidities")
        return out

    def _centerline(self) -> tuple[np.ndarray, np.ndarray]:
        points = _points(self._points)
        edges = _pairs(self._edges, len(points))
        lengths = np.linalg.norm(points[edges[:, 1]].astype(float) - points[edges[:, 0]].astype(float), axis=1)
        if (lengths > np.finfo(np.float32).max).any():
            raise _refuse("all rod segments must have finite length")
        if (lengths <= _SHORTEST).any():
            raise _refuse("all rod segments must have length > 1e-9 m")
        if self.closed and not np.array_equal(edges, _chain(len(points))):
            raise _refuse("closed rods require ordered-chain edges")
        if self.closed and len(edges) < 2:
            raise _refuse("closed rods require at least 2 segments")
        if self.closed and self._rest_points is None and not np.allclose(points[0], points[-1], rtol=0, atol=1e-6):
            raise _refuse("closed rods require the first and last points to coincide")
        return points, edges

    def _geometry(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points, edges = self._centerline()
        frames = _frames(self._quaternions, len(edges), "quaternions")
        for i, along in enumerate(_directions(points, edges)):
            aligned(f"quaternion at segment index {i}", frames[i], along)
        return points, edges, frames

    def _rest_geometry(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Rest points and frames, checked; the ends of a closed rod made to coincide."""
        points, edges = self._points, self._edges
        if self.rest_straight and (self._rest_points is not None or self._rest_quaternions is not None):
            raise _refuse("rest_straight cannot be combined with explicit rest_points or rest_quaternions")
        if self.rest_straight and (len(edges) < 2 or not self.is_chain):
            raise _refuse("rest_straight requires an ordered chain with at least two segments")
        rest = None
        if self._rest_points is not None:
            rest = _points(self._rest_points, "rest_points")
            if len(rest) != len(points):
                raise _refuse(f"rest_points must contain {len(points)} points, got {len(rest)}")
            self._check_rest_lengths(rest)
            if self.closed:
                ends = np.linalg.norm(rest[edges[[0, -1], 1]].astype(float) - rest[edges[[0, -1], 0]].astype(float), axis=1)
                if float(np.linalg.norm(rest[-1].astype(float) - rest[0].astype(float))) > max(1e-9, 1e-3 * float(ends.min())):
                    raise _refuse("closed rods require the first and last rest_points to coincide")
                rest[-1] = rest[0]
                self._check_rest_lengths(rest)
        frames = None
        if self._rest_quaternions is not None:
            frames = _frames(self._rest_quaternions, len(edges), "rest_quaternions")
            for i, along in enumerate(_directions(points if rest is None else rest, edges)):
                aligned(f"rest quaternion at segment index {i}", frames[i], along)
        return rest, frames

    def _check_rest_lengths(self, rest: np.ndarray) -> None:
        lengths = np.linalg.norm(rest[self._edges[:, 1]].astype(float) - rest[self._edges[:, 0]].astype(float), axis=1)
        if (lengths <= _SHORTEST).any() or (lengths > np.finfo(np.float32).max).any():
            raise _refuse("all rest_points segments must have finite length > 1e-9 m")

    def __repr__(self) -> str:
        return f"<Rod {self.segment_count} segments, {float(self.segment_lengths.sum()):g} m>"


def _chain(count: int) -> np.ndarray:
    return np.stack([np.arange(count - 1), np.arange(1, count)], axis=1).astype(np.int32)


def _directions(points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    along = points[edges[:, 1]].astype(float) - points[edges[:, 0]].astype(float)
    return along / np.linalg.norm(along, axis=1, keepdims=True)


def _table(value: Any, columns: int) -> np.ndarray | None:
    try:
        rows = np.asarray(plain(value))
        with np.errstate(over="ignore", invalid="ignore"):
            return np.array(rows, dtype=np.float32) if rows.ndim == 2 and rows.shape[1] == columns and not np.iscomplexobj(rows) else None
    except (TypeError, ValueError):
        return None


def _points(value: Any, name: str = "points") -> np.ndarray:
    rows = _table(value, 3)
    if rows is None:
        raise _refuse(f"{name} must have shape (N, 3)")
    if len(rows) < 2:
        raise _refuse(f"{name} must contain at least 2 points")
    if not np.isfinite(rows).all():
        raise _refuse(f"{name} must be finite")
    return rows


def _pairs(value: Any, count: int) -> np.ndarray:
    try:
        rows = np.asarray(plain(value))
    except (TypeError, ValueError):
        rows = np.zeros(0)
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise _refuse("edges must have shape (E, 2) and contain integer indices")
    if len(rows) < 1:
        raise _refuse("edges must contain at least 1 edge")
    if rows.min() < 0 or rows.max() >= count:
        raise _refuse(f"edges must contain indices in [0, {count})")
    if (rows[:, 0] == rows[:, 1]).any():
        raise _refuse("edges must not connect a point to itself")
    if len({tuple(sorted(row)) for row in rows.tolist()}) != len(rows):
        raise _refuse("edges must not contain duplicates")
    return np.ascontiguousarray(rows, np.int32)


def _frames(value: Any, count: int, name: str) -> np.ndarray:
    rows = _table(value, 4)
    if rows is None:
        raise _refuse(f"{name} must have shape (E, 4)")
    if len(rows) != count:
        raise _refuse(f"{name} must contain {count} frames, got {len(rows)}")
    if not np.isfinite(rows).all():
        raise _refuse(f"{name} must be finite")
    norms = np.linalg.norm(rows.astype(float), axis=1, keepdims=True)
    if (norms <= 0).any():
        raise _refuse(f"{name} must be non-zero")
    return np.ascontiguousarray(rows / norms, np.float32)


name_arguments(globals())
