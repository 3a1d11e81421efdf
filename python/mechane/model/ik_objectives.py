"""What inverse kinematics brings to zero: rows of residuals with their Jacobians."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import kind_of
from ..core.rotations import quat_multiply, quat_rotate
from ..core.values import as_quat, as_vec3

__all__ = ["IKObjective", "IKObjectiveJointLimit", "IKObjectivePosition", "IKObjectiveRotation"]

_BACK = np.array([-1.0, -1.0, -1.0, 1.0])


class IKObjective:
    """Rows of residuals for all problems. Subclasses give `residual_dim` and `compute_residuals`; those that also give
    `compute_jacobian_analytic` say so with `supports_analytic`, the others are differentiated by differences.

    The arrays are `body_q` [batch, bodies] transforms, `joint_q` [batch, coords], `residuals` [batch, rows], `problem_idx` [batch], the problem of
    each row of the batch, `jacobian` [batch, rows, dofs] and `joint_S_s` [batch, dofs] twists about the world's origin, linear first.
    """

    device: Any = "cpu"

    def __init__(self) -> None:
        self.total_residuals: int | None = None
        self.residual_offset: int | None = None
        self.n_batch: int | None = None

    def set_batch_layout(self, total_residuals: int, residual_offset: int, n_batch: int) -> None:
        """Called by the optimizer: all rows, the first of this objective, and the size of the batch."""
        self.total_residuals, self.residual_offset, self.n_batch = total_residuals, residual_offset, n_batch

    def bind_device(self, device: Any) -> None:
        self.device = device

    def init_buffers(self, model: Any, jacobian_mode: Any) -> None:
        """Called by the optimizer before the first step."""

    def residual_dim(self) -> int:
        raise NotImplementedError

    def compute_residuals(self, body_q: Any, joint_q: Any, model: Any, residuals: Any, start_idx: int, problem_idx: Any) -> None:
        raise NotImplementedError

    def supports_analytic(self) -> bool:
        return False

    def compute_jacobian_analytic(self, body_q: Any, joint_q: Any, model: Any, jacobian: Any, joint_S_s: Any, start_idx: int) -> None:
        raise NotImplementedError


class _OfLink(IKObjective):
    """About the frame of one body, three rows."""

    link_index: int

    def init_buffers(self, model: Any, jacobian_mode: Any) -> None:
        """@raises ValueError  the link is no body, or not the child of exactly one joint of an articulation"""
        if not 0 <= self.link_index < model.body_count:
            raise kind_of(ValueError)(f"IK objective link index {self.link_index} is out of range [0, {model.body_count})", "PYTHON_ARG_IK")
        into = np.flatnonzero((model._np("joint_child") == self.link_index) & (model._np("joint_articulation") >= 0))
        if not len(into):
            raise kind_of(ValueError)(f"IK objective link {self.link_index} must have an incoming articulation joint; add its joints with ModelBuilder.add_articulation()", "PYTHON_ARG_IK")
        moves, j = np.zeros(model.joint_dof_count, bool), int(into[0])
        while j >= 0:
            moves[int(model._np("joint_qd_start")[j]):int(model._np("joint_qd_start")[j + 1])] = True
            j = int(model._np("joint_ancestor")[j])
        self._moves = moves

    def residual_dim(self) -> int:
        return 3

    def supports_analytic(self) -> bool:
        return True


def _put(target: Any, values: Any, what: str) -> None:
    if len(values) != len(target):
        raise kind_of(ValueError)(f"Expected {len(target)} target {what}, got {len(values)}", "PYTHON_ARG_IK")
    plain(target)[...] = plain(values)


class IKObjectivePosition(_OfLink):
    """A point of a link, `link_offset` in its frame [m], at `target_positions` [problems, 3] in the world [m]."""

    def __init__(self, link_index: int, link_offset: Any, target_positions: Any, weight: float = 1.0):
        super().__init__()
        self.link_index, self.link_offset, self.target_positions, self.weight = int(link_index), as_vec3("link_offset", link_offset), target_positions, weight

    def _targets(self) -> tuple[str, int, np.ndarray]:
        return "target_positions", 3, np.asarray(plain(self.target_positions), dtype=float)

    def _point(self, body_q: Any) -> np.ndarray:
        pose = np.asarray(plain(body_q)[:, self.link_index], dtype=float)
        return pose[:, :3] + quat_rotate(pose[:, 3:], np.broadcast_to(np.asarray(self.link_offset, float), (len(pose), 3)))

    def set_target_position(self, problem_idx: int, new_position: Any) -> None:
        plain(self.target_positions)[problem_idx] = as_vec3("new_position", new_position)

    def set_target_positions(self, new_positions: Any) -> None:
        """@raises ValueError  not one for each problem"""
        _put(self.target_positions, new_positions, "positions")

    def compute_residuals(self, body_q: Any, joint_q: Any, model: Any, residuals: Any, start_idx: int, problem_idx: Any) -> None:
        targets = np.asarray(plain(self.target_positions), dtype=float)[plain(problem_idx)]
        plain(residuals)[:, start_idx:start_idx + 3] = self.weight * (targets - self._point(body_q))

    def compute_jacobian_analytic(self, body_q: Any, joint_q: Any, model: Any, jacobian: Any, joint_S_s: Any, start_idx: int) -> None:
        twists = np.asarray(plain(joint_S_s), dtype=float)[:, self._moves]
        speed = twists[..., :3] + np.cross(twists[..., 3:], self._point(body_q)[:, None])
        plain(jacobian)[:, start_idx:start_idx + 3, self._moves] = -self.weight * np.swapaxes(speed, 1, 2)


class IKObjectiveRotation(_OfLink):
    """The frame of a link, turned by `link_offset_rotation`, along `target_rotations` [problems, 4], x y z w; rows are the rotation vector between
    them [rad], the short way with `canonicalize_quat_err`."""

    def __init__(self, link_index: int, link_offset_rotation: Any, target_rotations: Any, canonicalize_quat_err: bool = True, weight: float = 1.0):
        super().__init__()
        self.link_index, self.link_offset_rotation = int(link_index), as_quat("link_offset_rotation", link_offset_rotation)
        self.target_rotations, self.canonicalize_quat_err, self.weight = target_rotations, canonicalize_quat_err, weight

    def _targets(self) -> tuple[str, int, np.ndarray]:
        return "target_rotations", 4, np.asarray(plain(self.target_rotations), dtype=float)

    def set_target_rotation(self, problem_idx: int, new_rotation: Any) -> None:
        plain(self.target_rotations)[problem_idx] = [float(x) for x in new_rotation]

    def set_target_rotations(self, new_rotations: Any) -> None:
        """@raises ValueError  not one for each problem"""
        _put(self.target_rotations, new_rotations, "rotations")

    def compute_residuals(self, body_q: Any, joint_q: Any, model: Any, residuals: Any, start_idx: int, problem_idx: Any) -> None:
        turn = np.asarray(plain(body_q)[:, self.link_index, 3:], dtype=float)
        now = np.asarray(quat_multiply(turn, np.broadcast_to(np.asarray(self.link_offset_rotation, float), turn.shape)))
        target = np.asarray(plain(self.target_rotations), dtype=float)[plain(problem_idx)]
        miss = np.asarray(quat_multiply(now, target * _BACK))
        if self.canonicalize_quat_err:
            miss = np.where((now * target).sum(axis=1, keepdims=True) < 0, -miss, miss)
        length = np.linalg.norm(miss[:, :3], axis=1, keepdims=True)
        scale = np.where(length > 1e-8, 2 * np.arctan2(length, miss[:, 3:]) / np.where(length > 1e-8, length, 1), 2.0)
        plain(residuals)[:, start_idx:start_idx + 3] = self.weight * scale * miss[:, :3]

    def compute_jacobian_analytic(self, body_q: Any, joint_q: Any, model: Any, jacobian: Any, joint_S_s: Any, start_idx: int) -> None:
        rates = np.asarray(plain(joint_S_s), dtype=float)[:, self._moves, 3:]
        plain(jacobian)[:, start_idx:start_idx + 3, self._moves] = self.weight * np.swapaxes(rates, 1, 2)


class IKObjectiveJointLimit(IKObjective):
    """Dofs within their limits [m or rad]: a row for each, how far it is outside. Joints with a quaternion have no such rows."""

    def __init__(self, joint_limit_lower: Any, joint_limit_upper: Any, weight: float = 0.1):
        super().__init__()
        self.joint_limit_lower, self.joint_limit_upper, self.weight = joint_limit_lower, joint_limit_upper, weight
        self.n_dofs = len(joint_limit_lower)

    def init_buffers(self, model: Any, jacobian_mode: Any) -> None:
        self._coord = np.full(self.n_dofs, -1)
        for j in range(model.joint_count):
            q, qd = model._np("joint_q_start"), model._np("joint_qd_start")
            if q[j + 1] - q[j] == qd[j + 1] - qd[j]:
                self._coord[qd[j]:qd[j + 1]] = np.arange(q[j], q[j + 1])

    def residual_dim(self) -> int:
        return self.n_dofs

    def supports_analytic(self) -> bool:
        return True

    def _outside(self, joint_q: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The dofs that have limits, and how far each configuration is above and below."""
        low, high = (np.asarray(plain(a), dtype=float) for a in (self.joint_limit_lower, self.joint_limit_upper))
        dofs = np.flatnonzero((self._coord >= 0) & (high - low <= 9.9e5))
        q = np.asarray(plain(joint_q), dtype=float)[:, self._coord[dofs]]
        return dofs, q - high[dofs], low[dofs] - q

    def compute_residuals(self, body_q: Any, joint_q: Any, model: Any, residuals: Any, start_idx: int, problem_idx: Any) -> None:
        dofs, above, below = self._outside(joint_q)
        plain(residuals)[:, start_idx + dofs] = self.weight * (np.maximum(above, 0) + np.maximum(below, 0))

    def compute_jacobian_analytic(self, body_q: Any, joint_q: Any, model: Any, jacobian: Any, joint_S_s: Any, start_idx: int) -> None:
        dofs, above, below = self._outside(joint_q)
        plain(jacobian)[:, start_idx + dofs, dofs] = self.weight * np.where(above >= 0, 1.0, np.where(below >= 0, -1.0, 0.0))


name_arguments(globals())
