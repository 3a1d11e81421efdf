"""Efforts that hold at the end of the step: the drives of an articulation are solved together.

The impulses p of an articulation's actuators satisfy p = h g(q + h v, v) with v = qd + A (p - h b): g is the law of the drive with its
limits, A the response of the joints, h the step and b a force that acts besides (Coriolis and gravity, where it is given). Newton's method
on p with a slope by differences; each step is halved until the residual falls.
"""
from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from ...core.array import REAL, fresh, plain
from ...core.diagnostics import kind_of
from ...core.enums import JointType
from ...core.rotations import quat_multiply, quat_rotate
from .drives import DriveBase
from .response import JointSpaceResponse

__all__ = ["ExplicitEffort", "ImplicitEffort", "ImplicitOptions"]


@dataclass
class ImplicitOptions:
    """How `Actuator.set_effort_mode_implicit` solves."""

    class WarmStart(StrEnum):
        """Where the solve begins."""

        EXPLICIT = "explicit"
        ZERO = "zero"

    max_iters: int = 8
    residual_tol: float = 1.0e-5  #: [N s or N m s]
    update_tol: float = 1.0e-5  #: [N s or N m s]
    fd_epsilon: float = 1.0e-4  #: step of the differences, of 1 plus the velocity
    derivative_floor: float = 1.0e-8  #: smallest pivot
    warm_start: WarmStart = WarmStart.EXPLICIT
    ls_iterations: int = 8  #: lengths that are tried in each iteration; 0: always the whole step


class ExplicitEffort:
    """The law at the state that the step begins with, then the limits one after another."""

    def __init__(self, drive: Any, clamping: list[Any], device: Any):
        self._drive, self._clamping, self._device = drive, clamping, device

    def is_graphable(self) -> bool:
        return self._drive.is_graphable()

    def compute_force(self, sim_state: Any, positions: Any, velocities: Any, target_pos: Any, target_vel: Any, feedforward: Any, pos_indices: Any,
                      vel_indices: Any, target_pos_indices: Any, target_vel_indices: Any, computed_forces: Any, applied_forces: Any, drive_state: Any,
                      dt: Any, custom_inputs: Any = None, bias_force: Any = None) -> Any:
        more = {"custom_inputs": custom_inputs} if self._drive.custom_inputs else {}
        self._drive.compute(positions, velocities, target_pos, target_vel, feedforward, pos_indices, vel_indices, target_pos_indices, target_vel_indices,
                            computed_forces, drive_state, dt, device=self._device, **more)
        forces = computed_forces
        for clamp in self._clamping:
            clamp.modify_forces(forces, applied_forces, positions, velocities, pos_indices, vel_indices, device=self._device)
            forces = applied_forces
        return forces


class ImplicitEffort:
    """Installed by `Actuator.set_effort_mode_implicit`."""

    def __init__(self, drive: Any, clamping: list[Any], response: Any, options: ImplicitOptions | None, device: Any, vel_indices: Any):
        self._options = options or ImplicitOptions()
        try:
            self._options.warm_start = ImplicitOptions.WarmStart(self._options.warm_start)
        except ValueError:
            known = ", ".join(repr(w.value) for w in ImplicitOptions.WarmStart)
            raise kind_of(ValueError)(f"warm_start must be one of {known}, got {self._options.warm_start!r}", "PYTHON_ARG_ACTUATOR") from None
        if self._options.fd_epsilon <= 0:
            raise kind_of(ValueError)(f"fd_epsilon must be positive, got {self._options.fd_epsilon}", "PYTHON_ARG_ACTUATOR")
        if self._options.ls_iterations < 0:
            raise kind_of(ValueError)(f"ls_iterations must be non-negative, got {self._options.ls_iterations}", "PYTHON_ARG_ACTUATOR")
        if not isinstance(response, JointSpaceResponse):
            raise kind_of(ValueError)("response must be a JointSpaceResponse, made by mechane.actuators.JointSpaceResponse(model)", "PYTHON_ARG_ACTUATOR")
        self._response, self._drive, self._clamping, self._device = response, drive, clamping, device
        self._dofs = plain(vel_indices).astype(np.int64)
        self._tree = self._trees()
        self._bind()

    def _bind(self) -> None:
        """Lets drive and limits read their parameters where the solve does."""
        drive = self._drive
        if drive.evaluate_force is None:
            raise NotImplementedError(f"{type(drive).__name__} does not support implicit actuation (it has no evaluate_force)")
        self._params = drive.bind_params()
        if self._params is None:
            raise NotImplementedError(f"{type(drive).__name__} does not support implicit actuation in this configuration (bind_params() returned None)")
        missing = [type(c).__name__ for c in self._clamping if c.evaluate_clamp is None]
        if missing:
            raise NotImplementedError(f"{missing[0]} does not support implicit actuation (it has no evaluate_clamp)")
        self._columns = np.concatenate([[0], np.cumsum([c.param_width() for c in self._clamping])]).astype(int)
        self._limits = fresh((len(self._dofs), max(int(self._columns[-1]), 1)), row="float")
        for k, clamp in enumerate(self._clamping):
            owner = getattr(clamp, "_bound_owner", None)
            if owner is not None and owner is not self._clamping:
                raise kind_of(ValueError)(f"{type(clamp).__name__} is already bound to another actuator, which would lose its parameters; give each its own", "PYTHON_ARG_ACTUATOR")
            clamp.bind_params(self._limits[:, int(self._columns[k]):int(self._columns[k + 1])])
            clamp._bound_owner = self._clamping

    def _trees(self) -> np.ndarray:
        """Articulation of each actuator.

        @raises ValueError  a dof is in none, or its joint has another number of coordinates than of dofs
        """
        m, response = self._response.model, self._response
        tree = np.full(len(self._dofs), -1)
        for a, (first, n) in enumerate(zip(response._first, response._count)):
            tree[(self._dofs >= first) & (self._dofs < first + n)] = a
        if (tree < 0).any():
            raise kind_of(ValueError)(f"Implicit actuation: DOF {self._dofs[tree < 0][0]} is not in an articulation", "PYTHON_ARG_ACTUATOR")
        for dof in self._dofs:
            j = int(np.searchsorted(m._np("joint_qd_start"), dof, side="right")) - 1
            if np.diff(m._np("joint_q_start"))[j] != np.diff(m._np("joint_qd_start"))[j]:
                kind = JointType(int(m._np("joint_type")[j])).name
                raise kind_of(ValueError)(f"Implicit actuation requires one position coordinate per DOF; DOF {dof} belongs to a {kind} joint", "PYTHON_ARG_ACTUATOR")
        return tree

    def is_graphable(self) -> bool:
        return self._drive.is_graphable()

    def _bias(self, sim_state: Any, bias_force: Any, dt: float) -> np.ndarray:
        """-h A b of each actuator; what free joints have along the world's axes is turned into their anchors', in which A is."""
        m, response = self._response.model, self._response
        if not hasattr(bias_force, "numpy"):
            raise kind_of(TypeError)(f"bias_force must be an array, got {type(bias_force).__name__}", "PYTHON_ARG_ACTUATOR")
        b = plain(bias_force)
        if b.shape != (m.joint_dof_count,) or b.dtype != REAL:
            raise kind_of(ValueError)(f"bias_force must be a 1-D {REAL} array with joint_dof_count = {m.joint_dof_count} entries; got shape {b.shape} and dtype {b.dtype}", "PYTHON_ARG_ACTUATOR")
        b = b.astype(float)
        body_q = np.asarray(plain(sim_state.body_q), dtype=float) if hasattr(sim_state, "body_q") else None
        for j in np.flatnonzero(np.isin(m._np("joint_type"), (JointType.FREE, JointType.DISTANCE))):
            anchor, parent = np.asarray(m._np("joint_X_p")[j, 3:], dtype=float), int(m._np("joint_parent")[j])
            if parent >= 0 and body_q is not None:
                anchor = np.asarray(quat_multiply(body_q[parent, 3:], anchor))
            back = anchor * [-1, -1, -1, 1]
            s = int(m._np("joint_qd_start")[j])
            b[s:s + 3], b[s + 3:s + 6] = quat_rotate(back, b[s:s + 3]), quat_rotate(back, b[s + 3:s + 6])
        out = np.zeros(len(self._dofs))
        for i, (dof, a) in enumerate(zip(self._dofs, self._tree)):
            first, n = response._first[a], response._count[a]
            out[i] = -dt * plain(response.inverse_blocks)[a, dof - first, :n].astype(float) @ b[first:first + n]
        return out

    def compute_force(self, sim_state: Any, positions: Any, velocities: Any, target_pos: Any, target_vel: Any, feedforward: Any, pos_indices: Any,
                      vel_indices: Any, target_pos_indices: Any, target_vel_indices: Any, computed_forces: Any, applied_forces: Any, drive_state: Any,
                      dt: Any, custom_inputs: Any = None, bias_force: Any = None) -> Any:
        if dt is None:
            raise kind_of(ValueError)("Implicit actuation requires dt", "PYTHON_ARG_ACTUATOR")
        if dt <= 0:
            raise kind_of(ValueError)(f"Implicit actuation requires dt > 0, got {dt}", "PYTHON_ARG_ACTUATOR")
        blocks, first = plain(self._response.inverse_blocks), self._response._first
        local = self._dofs - first[self._tree]
        if type(self._drive).prepare_implicit is not DriveBase.prepare_implicit:
            alone = fresh(len(self._dofs))
            plain(alone)[...] = blocks[self._tree, local, local]
            more = {"custom_inputs": custom_inputs} if self._drive.custom_inputs else {}
            self._drive.prepare_implicit(positions, velocities, target_pos, target_vel, pos_indices, vel_indices, target_pos_indices, target_vel_indices, drive_state,
                                         float(dt), inv_mass=alone, device=self._device, **more)
        at = plain(target_vel_indices)
        zero = np.zeros(len(self._dofs))
        given = {"q": plain(positions)[plain(pos_indices)], "qd": plain(velocities)[plain(vel_indices)], "tq": plain(target_pos)[plain(target_pos_indices)],
                 "tqd": plain(target_vel)[at], "ff": zero if feedforward is None else plain(feedforward)[at],
                 "bias": zero if bias_force is None else self._bias(sim_state, bias_force, dt)}
        given = {name: np.asarray(values, dtype=float) for name, values in given.items()}
        for a in np.unique(self._tree):
            rows = np.flatnonzero(self._tree == a)
            response = blocks[a][np.ix_(local[rows], local[rows])].astype(float)
            raw, bounded = self._solve(rows, response, {name: values[rows] for name, values in given.items()}, float(dt))
            plain(computed_forces)[rows], plain(applied_forces)[rows] = raw, bounded
        return applied_forces

    def _solve(self, rows: np.ndarray, response: np.ndarray, given: dict[str, np.ndarray], h: float) -> tuple[np.ndarray, np.ndarray]:
        """Efforts of the law and within the limits, for the actuators of one articulation."""
        o = self._options
        params, limits = np.asarray(plain(self._params)[rows], dtype=float), np.asarray(plain(self._limits)[rows], dtype=float)

        def within(value: Any, q: Any, qd: Any) -> Any:
            for k, clamp in enumerate(self._clamping):
                value = type(clamp).evaluate_clamp(value, q, qd, limits[:, self._columns[k]:self._columns[k + 1]])
            return value

        def force(q: Any, qd: Any) -> Any:
            return type(self._drive).evaluate_force(q, qd, given["tq"], given["tqd"], given["ff"], params)

        def ending(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            qd = given["qd"] + given["bias"] + response @ p
            return given["q"] + h * qd, qd

        def residual(p: np.ndarray) -> np.ndarray:
            q, qd = ending(p)
            return p - h * within(force(q, qd), q, qd)

        p = np.zeros(len(rows))
        if o.warm_start is not ImplicitOptions.WarmStart.ZERO:
            p = h * within(force(given["q"], given["qd"]), given["q"], given["qd"])
        for iteration in range(o.max_iters):
            q, qd = ending(p)
            f = within(force(q, qd), q, qd)
            r = p - h * f
            # the first step is always taken: small efforts are within the tolerance before anything is solved
            if iteration and r @ r < o.residual_tol**2:
                break
            eps = o.fd_epsilon * (1 + np.abs(qd))
            slope = (within(force(q + h * eps, qd + eps), q + h * eps, qd + eps) - f) / eps
            step = _eliminated(np.eye(len(rows)) - h * slope[:, None] * response, -r, o.derivative_floor)
            length, kept = 1.0, None
            for _ in range(max(o.ls_iterations, 1)):
                tried = residual(p + length * step)
                if iteration == 0 or o.ls_iterations == 0 or tried @ tried <= (1 - 1e-4 * length) * (r @ r):
                    kept = p + length * step
                    break
                length *= 0.5
            if kept is None:
                break
            p = kept
            if step @ step < o.update_tol**2:
                break
        q, qd = ending(p)
        return force(q, qd), within(p / h, q, qd)


def _eliminated(matrix: np.ndarray, right: np.ndarray, floor: float) -> np.ndarray:
    """Gauss without exchange of rows, pivots of at least `floor`."""
    a, b, n = matrix.copy(), right.copy(), len(right)
    for k in range(n):
        if abs(a[k, k]) < floor:
            a[k, k] = -floor if a[k, k] < 0 else floor
        factor = a[k + 1:, k] / a[k, k]
        a[k + 1:, k:] -= factor[:, None] * a[k, k:]
        b[k + 1:] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - a[i, i + 1:] @ b[i + 1:]) / a[i, i]
    return b
