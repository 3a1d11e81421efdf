"""Limits of what an actuator can give."""
from __future__ import annotations

import math
import os
from typing import Any, ClassVar

import numpy as np

from ...core.arguments import name_arguments
from ...core.array import fresh, plain
from ...core.diagnostics import MechaneDeprecationWarning, kind_of, warn
from .drives import not_negative, same_shape

__all__ = ["ClampingBase", "ClampingDCMotor", "ClampingMaxEffort", "ClampingPositionBased"]


class ClampingBase:
    """What a limit has to say. `modify_forces` reads efforts [n] and writes bounded ones; both may be the same array.

    A limit that gives `evaluate_clamp(value, q, qd, params)`, for arrays [n] and its `param_width()` columns of parameters,
    also holds inside of an implicit solve, at the state that the step ends with.
    """

    SHARED_PARAMS: ClassVar[set[str]] = set()
    evaluate_clamp: Any = None

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError(f"{cls.__name__} must implement resolve_arguments")

    def finalize(self, device: Any, num_actuators: int) -> None:
        """Called once by the actuator that gets this limit."""

    def param_width(self) -> int:
        return 0

    def bind_params(self, block: Any) -> None:
        """Puts the parameters into the limit's columns [n, param_width()]."""
        raise NotImplementedError(f"{type(self).__name__} does not support implicit actuation")

    def modify_forces(self, src_forces: Any, dst_forces: Any, positions: Any, velocities: Any, pos_indices: Any, vel_indices: Any, device: Any = None) -> None:
        raise NotImplementedError(f"{type(self).__name__} must implement modify_forces")

    def _bind(self, block: Any, names: tuple[str, ...]) -> None:
        for k, name in enumerate(names):
            plain(block)[:, k] = plain(getattr(self, name))
            setattr(self, name, block[:, k])


class ClampingMaxEffort(ClampingBase):
    """Between -max_effort and max_effort [N or N m]."""

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        return {"max_effort": not_negative(args, "max_effort", math.inf)}

    def __init__(self, max_effort: Any):
        self.max_effort = max_effort

    @staticmethod
    def evaluate_clamp(value: Any, q: Any, qd: Any, params: Any) -> Any:
        return np.clip(value, -params[:, 0], params[:, 0])

    def param_width(self) -> int:
        return 1

    def bind_params(self, block: Any) -> None:
        self._bind(block, ("max_effort",))

    def modify_forces(self, src_forces: Any, dst_forces: Any, positions: Any, velocities: Any, pos_indices: Any, vel_indices: Any, device: Any = None) -> None:
        limit = plain(self.max_effort)
        plain(dst_forces)[...] = np.clip(plain(src_forces), -limit, limit)


class ClampingDCMotor(ClampingBase):
    """The four quadrants of a DC motor: at rest `saturation_effort`, falling linearly to nothing at `velocity_limit` in the direction of
    motion, and never more than `max_motor_effort`. Beyond the velocity where the line meets the other bound, that bound holds."""

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        saturation = not_negative(args, "saturation_effort", math.inf)
        limit = args.get("velocity_limit", math.inf)
        if limit <= 0:
            raise kind_of(ValueError)(f"velocity_limit must be positive, got {limit}", "PYTHON_ARG_ACTUATOR")
        most = not_negative(args, "max_motor_effort", math.inf)
        if math.isinf(saturation) and not math.isinf(limit):
            raise kind_of(ValueError)("saturation_effort must be finite when velocity_limit is finite", "PYTHON_ARG_ACTUATOR")
        return {"saturation_effort": saturation, "velocity_limit": limit, "max_motor_effort": most}

    def __init__(self, saturation_effort: Any, velocity_limit: Any, max_motor_effort: Any):
        """Efforts [N or N m] and a velocity [m/s or rad/s], [n] each."""
        same_shape("saturation_effort", {"saturation_effort": saturation_effort, "velocity_limit": velocity_limit, "max_motor_effort": max_motor_effort})
        self.saturation_effort, self.velocity_limit, self.max_motor_effort = saturation_effort, velocity_limit, max_motor_effort

    @staticmethod
    def _corner(saturation: Any, limit: Any, most: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = most / saturation
        return np.where((saturation > 0) & ~np.isnan(ratio), limit * (1 + np.where(np.isnan(ratio), 0, ratio)), limit)

    @classmethod
    def _bounded(cls, value: Any, qd: Any, saturation: Any, limit: Any, most: Any) -> Any:
        corner = cls._corner(saturation, limit, most)
        with np.errstate(invalid="ignore"):
            share = np.clip(qd, -corner, corner) / limit
            highest, lowest = np.minimum(saturation * (1 - share), most), np.maximum(saturation * (-1 - share), -most)
        return np.minimum(np.maximum(value, lowest), highest)

    @property
    def corner_velocity(self) -> Any:
        """Where the line reaches `max_motor_effort` [m/s or rad/s]; of the present parameters."""
        warn("ClampingDCMotor.corner_velocity is deprecated; it is velocity_limit * (1 + max_motor_effort / saturation_effort)", MechaneDeprecationWarning)
        out = fresh(len(plain(self.velocity_limit)))
        plain(out)[...] = self._corner(plain(self.saturation_effort), plain(self.velocity_limit), plain(self.max_motor_effort))
        return out

    @staticmethod
    def evaluate_clamp(value: Any, q: Any, qd: Any, params: Any) -> Any:
        return ClampingDCMotor._bounded(value, qd, params[:, 0], params[:, 1], params[:, 2])

    def param_width(self) -> int:
        return 3

    def bind_params(self, block: Any) -> None:
        self._bind(block, ("saturation_effort", "velocity_limit", "max_motor_effort"))

    def modify_forces(self, src_forces: Any, dst_forces: Any, positions: Any, velocities: Any, pos_indices: Any, vel_indices: Any, device: Any = None) -> None:
        plain(dst_forces)[...] = self._bounded(plain(src_forces), plain(velocities)[plain(vel_indices)], plain(self.saturation_effort),
                                               plain(self.velocity_limit), plain(self.max_motor_effort))


class ClampingPositionBased(ClampingBase):
    """A limit that depends on the position: linear between the rows of a table, its ends beyond them. All dofs of an actuator share one table,
    given as two sequences or as a text file of two columns (position [m or rad], effort [N or N m]; lines with # are comments)."""

    SHARED_PARAMS: ClassVar[set[str]] = {"lookup_table_path", "lookup_positions", "lookup_efforts"}

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        of_file, direct = "lookup_table_path" in args, "lookup_positions" in args or "lookup_efforts" in args
        if of_file == direct:
            raise kind_of(ValueError)("give either 'lookup_table_path' or 'lookup_positions'+'lookup_efforts'" + (", not both" if direct else ""), "PYTHON_ARG_ACTUATOR")
        if of_file:
            return {"lookup_table_path": args["lookup_table_path"]}
        if "lookup_positions" not in args or "lookup_efforts" not in args:
            raise kind_of(ValueError)("Both 'lookup_positions' and 'lookup_efforts' are required", "PYTHON_ARG_ACTUATOR")
        table = {"lookup_positions": tuple(args["lookup_positions"]), "lookup_efforts": tuple(args["lookup_efforts"])}
        cls._check("lookup_positions/lookup_efforts", *table.values())
        return table

    @staticmethod
    def _check(source: str, positions: tuple[float, ...], efforts: tuple[float, ...]) -> None:
        wrong = ("must not be empty" if not positions else f"have lengths {len(positions)} and {len(efforts)}, which must match" if len(positions) != len(efforts)
                 else "must have non-negative efforts" if any(e < 0 for e in efforts)
                 else "must have monotonically non-decreasing positions" if any(a > b for a, b in zip(positions, positions[1:])) else None)
        if wrong is not None:
            raise kind_of(ValueError)(f"{source} {wrong}", "PYTHON_ARG_ACTUATOR")

    def __init__(self, lookup_table_path: str | None = None, lookup_positions: Any = None, lookup_efforts: Any = None):
        if lookup_table_path is None and (lookup_positions is None or lookup_efforts is None):
            raise kind_of(ValueError)("give either 'lookup_table_path' or both 'lookup_positions' and 'lookup_efforts'", "PYTHON_ARG_ACTUATOR")
        if lookup_positions is not None and lookup_efforts is not None and len(lookup_positions) != len(lookup_efforts):
            raise kind_of(ValueError)(f"lookup_positions length ({len(lookup_positions)}) must match lookup_efforts length ({len(lookup_efforts)})", "PYTHON_ARG_ACTUATOR")
        self._given = (lookup_table_path, lookup_positions, lookup_efforts)
        self.lookup_size = 0
        self.lookup_positions: Any = None
        self.lookup_efforts: Any = None

    @classmethod
    def _read(cls, path: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        if not os.path.isfile(path):
            raise kind_of(ValueError)(f"Lookup table file not found: {path}", "PYTHON_ARG_ACTUATOR")
        with open(path, encoding="utf-8") as file:
            lines = [line.strip() for line in file]
        try:
            rows = [tuple(map(float, line.replace(",", " ").split()[:2])) for line in lines if line and not line.startswith("#")]
        except ValueError as what:
            raise kind_of(ValueError)(f"Lookup table {path}: {what}", "PYTHON_ARG_ACTUATOR") from None
        if any(len(row) != 2 for row in rows):
            raise kind_of(ValueError)(f"Lookup table {path}: a line does not have two columns", "PYTHON_ARG_ACTUATOR")
        positions, efforts = tuple(row[0] for row in rows), tuple(row[1] for row in rows)
        cls._check(f"Lookup table file {path}: its rows", positions, efforts)
        return positions, efforts

    def finalize(self, device: Any, num_actuators: int) -> None:
        """Reads the table."""
        path, positions, efforts = self._given
        if path is not None:
            positions, efforts = self._read(path)
        self.lookup_size = len(positions)
        self.lookup_positions, self.lookup_efforts = fresh(self.lookup_size), fresh(self.lookup_size)
        plain(self.lookup_positions)[...] = positions
        plain(self.lookup_efforts)[...] = efforts

    @staticmethod
    def evaluate_clamp(value: Any, q: Any, qd: Any, params: Any) -> Any:
        count = int(params[0, 0]) if len(params) else 0
        limit = _interpolated(q, params[0, 1:1 + count], params[0, 1 + count:1 + 2 * count]) if count else 0.0 * np.asarray(q)
        return np.clip(value, -limit, limit)

    def param_width(self) -> int:
        return 1 + 2 * self.lookup_size

    def bind_params(self, block: Any) -> None:
        """Copies the table: later edits of it hold after the mode is set again."""
        if self.lookup_positions is None:
            raise RuntimeError("ClampingPositionBased.bind_params() needs finalize() first")
        plain(block)[...] = np.concatenate([[self.lookup_size], plain(self.lookup_positions), plain(self.lookup_efforts)])

    def modify_forces(self, src_forces: Any, dst_forces: Any, positions: Any, velocities: Any, pos_indices: Any, vel_indices: Any, device: Any = None) -> None:
        limit = _interpolated(plain(positions)[plain(pos_indices)], plain(self.lookup_positions), plain(self.lookup_efforts))
        plain(dst_forces)[...] = np.clip(plain(src_forces), -limit, limit)


def _interpolated(x: np.ndarray, xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    """Linear between rows; of equal positions the row that comes first counts, as at its left."""
    k = np.clip(np.searchsorted(xs, x, side="left"), 1, max(len(xs) - 1, 1))
    if len(xs) == 1:
        return np.full(np.shape(x), ys[0])
    width = xs[k] - xs[k - 1]
    share = np.clip(np.where(width > 0, (x - xs[k - 1]) / np.where(width > 0, width, 1), 0.0), 0.0, 1.0)
    inner = ys[k - 1] + share * (ys[k] - ys[k - 1])
    return np.where(x <= xs[0], ys[0], np.where(x >= xs[-1], ys[-1], inner))


name_arguments(globals())
