"""What joints leave open, and how a step depends on where it starts."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.enums import JointType
from ..core.values import as_transform, quat
from .dynamics import eval_fk, eval_ik

__all__ = ["constraint_residual", "step_jacobians"]


def _turn(axis: Any, angle: float) -> quat:
    s = float(np.sin(0.5 * angle))
    return quat(axis[0] * s, axis[1] * s, axis[2] * s, float(np.cos(0.5 * angle)))


def constraint_residual(model: Any, state: Any) -> np.ndarray:
    """How far the bodies of a state are from what their joints allow: distance [m] and angle [rad] of each joint, [joints, 2]."""
    q, qd = np.zeros_like(model._np("joint_q")), np.zeros_like(model._np("joint_qd"))
    eval_ik(model, state, q, qd)
    body_q, out = state._np("body_q"), np.zeros((model.joint_count, 2))
    for j in range(model.joint_count):
        kind = JointType(int(model._np("joint_type")[j]))
        if kind in (JointType.FREE, JointType.DISTANCE) or not model._np("joint_enabled")[j]:
            continue
        ends = []
        for body, frame in (("joint_parent", "joint_X_p"), ("joint_child", "joint_X_c")):
            b, anchor = int(model._np(body)[j]), as_transform(model._np(frame)[j])
            ends.append(anchor if b < 0 else as_transform(body_q[b]) * anchor)
        apart = ends[0].inverse() * ends[1]
        start, first = int(model._np("joint_q_start")[j]), int(model._np("joint_qd_start")[j])
        linear, angular = (int(n) for n in model._np("joint_dof_dim")[j])
        axes = model._np("joint_axis")[first:first + linear + angular].astype(float)
        p = np.asarray(apart.p)
        for k in range(linear):
            p = p - axes[k] * float(q[start + k])
        out[j, 0] = np.linalg.norm(p)
        if kind is JointType.BALL:
            continue
        left = apart.q
        for k in range(linear, linear + angular):
            left = _turn(axes[k], -float(q[start + k])) * left
        out[j, 1] = 2 * np.arctan2(np.linalg.norm(left[:3]), abs(left[3]))
    return out


def step_jacobians(solver: Any, state: Any, dt: float, control: Any = None, contacts: Any = None, eps: float = 1e-3) -> tuple[np.ndarray, np.ndarray]:
    """(A, B) of x' = A x + B u about a state, x = (joint_q, joint_qd), u = joint_f, by central differences of whole steps.

    Each step starts with what the solver remembers now, so the answer does not depend on the order; contacts stay as they are. Components of
    quaternions are moved one by one.
    """
    model = solver.model
    control = model.control() if control is None else control
    memory = solver.checkpoint() if hasattr(solver, "checkpoint") else None
    n, m = model.joint_coord_count, model.joint_dof_count
    base = [np.array(state._np("joint_q"), dtype=float), np.array(state._np("joint_qd"), dtype=float), np.array(control._np("joint_f"), dtype=float)]
    kept = np.array(control._np("joint_f"))

    def stepped(part: int, index: int, by: float) -> np.ndarray:
        q, qd, f = (x.copy() for x in base)
        (q, qd, f)[part][index] += by
        start, end = state.copy(), model.state()
        start._np("joint_q").assign(q)
        start._np("joint_qd").assign(qd)
        eval_fk(model, start._np("joint_q"), start._np("joint_qd"), start)
        control._np("joint_f").assign(f)
        if memory is not None:
            solver.restore(memory)
        solver.step(start, end, control, contacts, dt)
        eval_ik(model, end, end._np("joint_q"), end._np("joint_qd"))
        return np.concatenate([np.array(end._np("joint_q"), dtype=float), np.array(end._np("joint_qd"), dtype=float)])

    try:
        columns = [(stepped(part, i, eps) - stepped(part, i, -eps)) / (2 * eps) for part, count in ((0, n), (1, m), (2, m)) for i in range(count)]
    finally:
        control._np("joint_f")[...] = kept
        if memory is not None:
            solver.restore(memory)
    all_of_them = np.array(columns).reshape(n + 2 * m, n + m).T
    return all_of_them[:, : n + m], all_of_them[:, n + m:]


name_arguments(globals())
