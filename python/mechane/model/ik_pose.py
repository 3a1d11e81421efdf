"""Several configurations of one model at once: poses, Jacobians, and steps in the space of rates."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..core.array import REAL, fresh, plain
from ..core.diagnostics import kind_of
from ..core.enums import BodyFlags, JointType
from ..core.rotations import quat_multiply, quat_rotate

__all__ = ["Configurations"]

_BACK = np.array([-1.0, -1.0, -1.0, 1.0])
_FREE = (JointType.FREE, JointType.DISTANCE)


class Configurations:
    """Poses `body_q` [batch, bodies, 7] of coordinates [batch, coords]. Bodies outside of articulations stay where the model has them."""

    def __init__(self, model: Any, batch: int):
        """@raises ValueError  a body is the child of two joints of articulations, or a joint is a rod"""
        tree = model._np("joint_articulation") >= 0
        child = model._np("joint_child")
        counts = np.bincount(child[tree & (child >= 0)], minlength=model.body_count)
        if (counts > 1).any():
            raise kind_of(ValueError)(f"IK does not support bodies with multiple incoming articulation joints (body {int(np.flatnonzero(counts > 1)[0])})", "PYTHON_ARG_IK")
        if (model._np("joint_type") == JointType.ROD).any():
            raise kind_of(ValueError)("IK does not support JointType.ROD joints", "PYTHON_ARG_IK")
        self.model, self.batch = model, batch
        self._state = model.state()
        self._still = np.array(self._state._np("body_q"))
        self.body_q = fresh((batch, model.body_count, 7), row="transform")
        self.columns = fresh((batch, model.joint_dof_count, 6), row="spatial_vector")
        q, qd = model._np("joint_q_start"), model._np("joint_qd_start")
        self._scalar = [(int(q[j]), int(qd[j]), int(qd[j + 1] - qd[j])) for j in range(model.joint_count) if q[j + 1] - q[j] == qd[j + 1] - qd[j]]
        self._turning = [j for j in range(model.joint_count) if q[j + 1] - q[j] != qd[j + 1] - qd[j]]

    def place(self, joint_q: np.ndarray, jacobians: bool = False) -> np.ndarray:
        """Poses; with `jacobians` also `columns` [batch, dofs, 6], the twist of what hangs on each dof: velocity at the world's origin, rate."""
        m, out, rates = self.model, plain(self.body_q), np.zeros(self.model.joint_dof_count, REAL)
        columns = plain(self.columns)
        for b in range(len(joint_q)):
            self._state._np("body_q")[...] = self._still
            self._state._np("joint_q")[...] = joint_q[b]  # the Jacobian reads it
            _core.eval_fk(m._core, np.ascontiguousarray(joint_q[b], dtype=REAL), rates, self._state._core, None, None, int(BodyFlags.ALL), None)
            out[b] = self._state._np("body_q")
            if jacobians:
                columns[b] = self._columns(out[b].astype(float))
        return out

    def _columns(self, body_q: np.ndarray) -> np.ndarray:
        m, out = self.model, np.zeros((self.model.joint_dof_count, 6))
        if not m.articulation_count:
            return out
        jacobian = np.asarray(_core.eval_jacobian(m._core, self._state._core, None), dtype=float)
        com = body_q[:, :3] + quat_rotate(body_q[:, 3:], np.asarray(m._np("body_com"), dtype=float))
        for j in np.flatnonzero(m._np("joint_articulation") >= 0):
            a = int(m._np("joint_articulation")[j])
            first = int(m._np("articulation_start")[a])
            begin, end = int(m._np("joint_qd_start")[j]), int(m._np("joint_qd_start")[j + 1])
            at = begin - int(m._np("joint_qd_start")[first])
            rows = jacobian[a, 6 * (j - first):6 * (j - first) + 6, at:at + end - begin].T
            out[begin:end, 3:] = rows[:, 3:]
            out[begin:end, :3] = rows[:, :3] - np.cross(rows[:, 3:], com[int(m._np("joint_child")[j])])
        return out

    def stepped(self, joint_q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Coordinates after a step in the space of rates [batch, dofs]: quaternions turn, free joints about the child's centre of mass."""
        m, out = self.model, np.array(joint_q, dtype=float)
        for q, qd, n in self._scalar:
            out[:, q:q + n] += step[:, qd:qd + n]
        for j in self._turning:
            q, qd = int(m._np("joint_q_start")[j]), int(m._np("joint_qd_start")[j])
            if m._np("joint_type")[j] in _FREE:
                anchor = np.asarray(m._np("joint_X_c")[j], dtype=float)
                com = quat_rotate(anchor[None, 3:] * _BACK, (np.asarray(m._np("body_com")[int(m._np("joint_child")[j])], dtype=float) - anchor[:3])[None])
                turn = _turn(step[:, qd + 3:qd + 6])
                arm = quat_rotate(out[:, q + 3:q + 7], np.broadcast_to(com, (len(out), 3)))
                out[:, q:q + 3] += step[:, qd:qd + 3] + arm - quat_rotate(turn, arm)
                q += 3
            else:
                turn = _turn(step[:, qd:qd + 3])
            moved = np.any(turn[:, :3] != 0, axis=1)
            turned = np.asarray(quat_multiply(turn, out[:, q:q + 4]))
            out[moved, q:q + 4] = (turned / np.linalg.norm(turned, axis=1, keepdims=True))[moved]
        return out


def _turn(vectors: np.ndarray) -> np.ndarray:
    """Quaternions of rotation vectors."""
    angle = np.linalg.norm(vectors, axis=1, keepdims=True)
    half = np.where(angle > 1e-12, np.sin(angle / 2) / np.where(angle > 1e-12, angle, 1), 0.5)
    return np.concatenate([vectors * half, np.cos(angle / 2)], axis=1)
