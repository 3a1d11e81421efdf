"""Drives: what effort a command asks for."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...core.arguments import name_arguments
from ...core.array import fresh, plain
from ...core.diagnostics import kind_of
from .delay import checked_mask

__all__ = ["DriveBase", "DrivePD", "DrivePID"]


def not_negative(args: dict[str, Any], name: str, default: float) -> float:
    """@raises ValueError  a gain is below 0"""
    value = args.get(name, default)
    if value < 0:
        raise kind_of(ValueError)(f"{name} must be non-negative, got {value}", "PYTHON_ARG_ACTUATOR")
    return value


def same_shape(first: str, arrays: dict[str, Any]) -> None:
    """@raises ValueError  a parameter has another shape than the first"""
    shape = plain(arrays[first]).shape
    for name, array in arrays.items():
        if array is not None and plain(array).shape != shape:
            raise kind_of(ValueError)(f"{first} shape {shape} must match {name} shape {plain(array).shape}", "PYTHON_ARG_ACTUATOR")


def law(effort: Any, q: Any, qd: Any, target_q: Any, target_qd: Any, kp: Any, kd: Any) -> Any:
    """effort + kp (target_q - q) + kd (target_qd - qd)"""
    return effort + kp * (target_q - q) + kd * (target_qd - qd)


class DriveBase:
    """What a drive has to say. `compute` writes the effort of n dofs; subclasses may read arrays with Warp's kernels.

    `resolve_arguments` checks the numbers of one dof and fills in defaults; `__init__` gets arrays of all dofs, and for the
    names in `SHARED_PARAMS` one value. `custom_inputs` names further arrays of the control that `compute` is given.
    A drive that gives its law as `evaluate_force(q, qd, target_q, target_qd, feedforward, params)`, for arrays [n] and the
    parameters of `bind_params` [n, p], can be solved implicitly.
    """

    @dataclass
    class State:
        """What a drive remembers."""

        def reset(self, mask: Any = None) -> None:
            """Back to the beginning: all dofs, or those where `mask` [n] is true."""

    SHARED_PARAMS: ClassVar[set[str]] = set()
    custom_inputs: tuple[str, ...] = ()
    evaluate_force: Any = None

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError(f"{cls.__name__} must implement resolve_arguments")

    def finalize(self, device: Any, num_actuators: int) -> None:
        """Called once by the actuator that gets this drive."""

    def compute(self, positions: Any, velocities: Any, target_pos: Any, target_vel: Any, feedforward: Any, pos_indices: Any, vel_indices: Any,
                target_pos_indices: Any, target_vel_indices: Any, forces: Any, state: Any, dt: Any, device: Any = None, *,
                custom_inputs: dict[str, Any] | None = None) -> None:
        """Writes efforts [N or N m] to `forces` [n]."""
        raise NotImplementedError(f"{type(self).__name__} must implement compute")

    def bind_params(self) -> Any:
        """Parameters of the law, [n, p]; None: it cannot be solved implicitly."""
        return None

    def prepare_implicit(self, positions: Any, velocities: Any, target_pos: Any, target_vel: Any, pos_indices: Any, vel_indices: Any,
                         target_pos_indices: Any, target_vel_indices: Any, drive_state: Any, dt: float, inv_mass: Any = None, device: Any = None, *,
                         custom_inputs: dict[str, Any] | None = None) -> None:
        """Called before each implicit solve."""

    def is_stateful(self) -> bool:
        raise NotImplementedError(f"{type(self).__name__} must implement is_stateful")

    def is_graphable(self) -> bool:
        raise NotImplementedError(f"{type(self).__name__} must implement is_graphable")

    def state(self, num_actuators: int, device: Any = None) -> Any:
        return None

    def update_state(self, current_state: Any, next_state: Any) -> None:
        """After each `compute`: what the next state is."""


class DrivePD(DriveBase):
    """effort = const_effort + feedforward + kp (target_pos - position) + kd (target_vel - velocity)."""

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        return {"kp": not_negative(args, "kp", 0.0), "kd": not_negative(args, "kd", 0.0), "const_effort": args.get("const_effort", 0.0)}

    def __init__(self, kp: Any, kd: Any, const_effort: Any = None):
        """Gains [N/m or N m/rad], [N s/m or N m s/rad], a constant effort [N or N m], [n] each."""
        same_shape("kp", {"kp": kp, "kd": kd, "const_effort": const_effort})
        self.kp, self.kd, self.const_effort = kp, kd, const_effort
        self._param_pack: Any = None

    def is_stateful(self) -> bool:
        return False

    def is_graphable(self) -> bool:
        return True

    def compute(self, positions: Any, velocities: Any, target_pos: Any, target_vel: Any, feedforward: Any, pos_indices: Any, vel_indices: Any,
                target_pos_indices: Any, target_vel_indices: Any, forces: Any, state: Any, dt: Any, device: Any = None, *,
                custom_inputs: dict[str, Any] | None = None) -> None:
        at = plain(target_vel_indices)
        effort = 0.0 if self.const_effort is None else plain(self.const_effort)
        if feedforward is not None:
            effort = effort + plain(feedforward)[at]
        plain(forces)[...] = law(effort, plain(positions)[plain(pos_indices)], plain(velocities)[plain(vel_indices)],
                                 plain(target_pos)[plain(target_pos_indices)], plain(target_vel)[at], plain(self.kp), plain(self.kd))

    @staticmethod
    def evaluate_force(q: Any, qd: Any, target_q: Any, target_qd: Any, feedforward: Any, params: Any) -> Any:
        return law(params[:, 2] + feedforward, q, qd, target_q, target_qd, params[:, 0], params[:, 1])

    def bind_params(self) -> Any:
        if self._param_pack is None:
            pack = fresh((len(plain(self.kp)), 3), row="float")
            for k, name in enumerate(("kp", "kd", "const_effort")):
                if getattr(self, name) is not None:
                    plain(pack)[:, k] = plain(getattr(self, name))
                setattr(self, name, pack[:, k])
            self._param_pack = pack
        return self._param_pack


class DrivePID(DriveBase):
    """As DrivePD, and ki times the integral of the position error, which stays within +-integral_max."""

    @dataclass
    class State(DriveBase.State):
        integral: Any = None  #: of the position error [m s or rad s], [n]

        def reset(self, mask: Any = None) -> None:
            integral = plain(self.integral)
            if mask is None:
                integral[...] = 0
            else:
                integral[checked_mask(mask, self.integral, "PID", "integral")] = 0

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        gains = {name: not_negative(args, name, default) for name, default in (("kp", 0.0), ("ki", 0.0), ("kd", 0.0), ("integral_max", math.inf))}
        return {**gains, "const_effort": args.get("const_effort", 0.0)}

    def __init__(self, kp: Any, ki: Any, kd: Any, integral_max: Any, const_effort: Any = None):
        """Gains [N/m], [N/(m s)], [N s/m] (or per radian), the bound of the integral [m s or rad s], a constant effort [N or N m], [n] each."""
        same_shape("kp", {"kp": kp, "ki": ki, "kd": kd, "integral_max": integral_max, "const_effort": const_effort})
        self.kp, self.ki, self.kd, self.integral_max, self.const_effort = kp, ki, kd, integral_max, const_effort
        self._next_integral: Any = None
        self._param_pack: Any = None

    def finalize(self, device: Any, num_actuators: int) -> None:
        self._next_integral = fresh(num_actuators)

    def is_stateful(self) -> bool:
        return True

    def is_graphable(self) -> bool:
        return True

    def state(self, num_actuators: int, device: Any = None) -> "DrivePID.State":
        return DrivePID.State(integral=fresh(num_actuators))

    def _integrate(self, state: Any, positions: Any, target_pos: Any, pos_indices: Any, target_pos_indices: Any, dt: float) -> np.ndarray:
        bound = plain(self.integral_max)
        miss = plain(target_pos)[plain(target_pos_indices)] - plain(positions)[plain(pos_indices)]
        plain(self._next_integral)[...] = np.clip(plain(state.integral) + miss * plain(self.kp).dtype.type(dt), -bound, bound)
        return plain(self._next_integral)

    def compute(self, positions: Any, velocities: Any, target_pos: Any, target_vel: Any, feedforward: Any, pos_indices: Any, vel_indices: Any,
                target_pos_indices: Any, target_vel_indices: Any, forces: Any, state: Any, dt: Any, device: Any = None, *,
                custom_inputs: dict[str, Any] | None = None) -> None:
        at = plain(target_vel_indices)
        effort = plain(self.ki) * self._integrate(state, positions, target_pos, pos_indices, target_pos_indices, dt)
        if self.const_effort is not None:
            effort = effort + plain(self.const_effort)
        if feedforward is not None:
            effort = effort + plain(feedforward)[at]
        plain(forces)[...] = law(effort, plain(positions)[plain(pos_indices)], plain(velocities)[plain(vel_indices)],
                                 plain(target_pos)[plain(target_pos_indices)], plain(target_vel)[at], plain(self.kp), plain(self.kd))

    evaluate_force = DrivePD.evaluate_force

    def bind_params(self) -> Any:
        if self._param_pack is None:
            pack = fresh((len(plain(self.kp)), 3), row="float")
            for k, name in enumerate(("kp", "kd")):
                plain(pack)[:, k] = plain(getattr(self, name))
                setattr(self, name, pack[:, k])
            self._param_pack = pack
        return self._param_pack

    def prepare_implicit(self, positions: Any, velocities: Any, target_pos: Any, target_vel: Any, pos_indices: Any, vel_indices: Any,
                         target_pos_indices: Any, target_vel_indices: Any, drive_state: Any, dt: float, inv_mass: Any = None, device: Any = None, *,
                         custom_inputs: dict[str, Any] | None = None) -> None:
        """Advances the integral with the error at the step's beginning; the solve holds what it contributes."""
        if drive_state is None:
            raise RuntimeError("an implicit DrivePID needs its state, which holds the integral")
        constant = 0.0 if self.const_effort is None else plain(self.const_effort)
        plain(self._param_pack)[:, 2] = constant + plain(self.ki) * self._integrate(drive_state, positions, target_pos, pos_indices, target_pos_indices, dt)

    def update_state(self, current_state: Any, next_state: Any) -> None:
        plain(next_state.integral)[...] = plain(self._next_integral)


name_arguments(globals())
