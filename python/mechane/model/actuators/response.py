"""How joints answer to impulses: the inverse mass matrix of each articulation."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments import name_arguments
from ...core.array import fresh, plain
from ...core.diagnostics import kind_of
from ...core.enums import JointType
from ...core.rotations import quat_multiply, quat_rotate
from ..dynamics import eval_fk, eval_mass_matrix

__all__ = ["JointSpaceResponse"]


def _inverse(h: np.ndarray) -> np.ndarray:
    """By Cholesky, with pivots of at least 1.2e-7 of the diagonal (or of 1): a matrix that is singular in single precision stays bounded."""
    n = len(h)
    low, floor = np.zeros((n, n)), np.finfo(np.float32).eps
    for j in range(n):
        pivot = max(h[j, j] - low[j, :j] @ low[j, :j], floor * max(abs(h[j, j]), 1.0))
        low[j, j] = np.sqrt(pivot)
        low[j + 1:, j] = (h[j + 1:, j] - low[j + 1:, :j] @ low[j, :j]) / low[j, j]
    half = np.linalg.inv(low) if n else low
    return half.T @ half


class JointSpaceResponse:
    """`inverse_blocks` [articulation_count, max_dofs_per_articulation, max_dofs_per_articulation] [1/kg, 1/(kg m^2)]: M^-1 of each articulation,
    zero beyond its dofs. `refresh` computes it, `refresh_from_solve` takes it from a solver."""

    def __init__(self, model: Any):
        """@raises ValueError  the model has no articulations"""
        if model.articulation_count == 0:
            raise kind_of(ValueError)("JointSpaceResponse requires a model with articulations", "PYTHON_ARG_ACTUATOR")
        self.model = model
        starts = model._np("joint_qd_start")
        trees = model.articulation_count
        self._first = starts[model._np("articulation_start")[:trees]].astype(np.int64)
        self._count = starts[model._np("articulation_end")[:trees]].astype(np.int64) - self._first
        most = model.max_dofs_per_articulation
        self._blocks = fresh((model.articulation_count, most, most), row="float")
        self._poses = model.state()

    @property
    def inverse_blocks(self) -> Any:
        return self._blocks

    def refresh(self, state: Any) -> None:
        """From the joints' coordinates; armature counts, contacts, limits, damping and loops do not. The state stays as it is."""
        self._place(state)
        h = np.asarray(eval_mass_matrix(self.model, self._poses), dtype=float)
        out = plain(self._blocks)
        out[...] = 0
        for a, n in enumerate(self._count):
            out[a, :n, :n] = _inverse(h[a, :n, :n])

    def _place(self, state: Any) -> None:
        self._poses.joint_q.assign(state.joint_q)
        self._poses.joint_qd.assign(state.joint_qd)
        eval_fk(self.model, state.joint_q, state.joint_qd, self._poses)

    def refresh_from_solve(self, solve_inverse: Callable[[Any, Any], None], dof_map: Any = None, *, state: Any = None) -> None:
        """From a solver's own inertia: `solve_inverse(x, y)` writes x = M^-1 y, both [world_count, dofs of a world] in the solver's order.

        `dof_map` [world_count, dofs] has the model's dof of each of the solver's, negative for none; without it the orders are equal. With a
        `state`, what comes is in MuJoCo's coordinates (a free joint: velocity of the body's origin, rotation in body axes; a ball: rotation in
        body axes) and is turned into the model's.

        @raises ValueError  `dof_map` is missing and worlds differ in their dofs
        """
        m = self.model
        if dof_map is None:
            worlds, per_world = self._uniform()
            rows = np.arange(worlds * per_world).reshape(worlds, per_world)
        else:
            rows = plain(dof_map)
        tree, at = np.full(m.joint_dof_count, -1), np.zeros(m.joint_dof_count, int)
        for a, (first, n) in enumerate(zip(self._first, self._count)):
            tree[first:first + n], at[first:first + n] = a, np.arange(n)
        out, right, solution = plain(self._blocks), fresh(rows.shape, row="float"), fresh(rows.shape, row="float")
        out[...] = 0
        known = (rows >= 0) & (rows < m.joint_dof_count)
        for column in range(rows.shape[1]):
            plain(right)[...] = np.arange(rows.shape[1]) == column
            solve_inverse(solution, right)
            for w, i in zip(*np.nonzero(known & known[:, column:column + 1])):
                row, col = rows[w, i], rows[w, column]
                if tree[row] >= 0 and tree[row] == tree[col]:
                    out[tree[row], at[row], at[col]] = plain(solution)[w, i]
        if state is not None:
            self._place(state)
            self._turn()

    def _uniform(self) -> tuple[int, int]:
        """Worlds and their dofs.

        @raises ValueError  they differ, or joints belong to no world
        """
        m = self.model
        if m.world_count <= 1:
            return 1, m.joint_dof_count
        bounds = m._np("joint_dof_world_start")
        counts = set(np.diff(bounds[:m.world_count + 1]).tolist())
        if len(counts) != 1 or counts == {0} or next(iter(counts)) * m.world_count != m.joint_dof_count:
            raise kind_of(ValueError)("dof_map is required when worlds do not all have the same dofs, or when joints belong to no world", "PYTHON_ARG_ACTUATOR")
        return m.world_count, counts.pop()

    def _turn(self) -> None:
        """T M^-1 T^t, T from MuJoCo's rates to the model's."""
        m, body_q = self.model, np.asarray(self._poses._np("body_q"), dtype=float)
        q = np.asarray(self._poses._np("joint_q"), dtype=float)
        for a, (first, n) in enumerate(zip(self._first, self._count)):
            turn = np.eye(n)
            for j in range(m._np("articulation_start")[a], m._np("articulation_end")[a]):
                o = int(m._np("joint_qd_start")[j] - first)
                if m._np("joint_type")[j] == JointType.FREE:
                    parent, child = int(m._np("joint_parent")[j]), int(m._np("joint_child")[j])
                    anchor = np.asarray(m._np("joint_X_p")[j, 3:], dtype=float)
                    if parent >= 0:
                        anchor = np.asarray(quat_multiply(body_q[parent, 3:], anchor))
                    back = _matrix(anchor).T
                    body = _matrix(body_q[child, 3:])
                    x, y, z = body @ np.asarray(m._np("body_com")[child], dtype=float)
                    arm = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                    turn[o:o + 3, o:o + 3], turn[o:o + 3, o + 3:o + 6] = back, -back @ arm @ body
                    turn[o + 3:o + 6, o:o + 3], turn[o + 3:o + 6, o + 3:o + 6] = 0, back @ body
                elif m._np("joint_type")[j] == JointType.BALL:
                    s = int(m._np("joint_q_start")[j])
                    turn[o:o + 3, o:o + 3] = _matrix(q[s:s + 4]) @ _matrix(np.asarray(m._np("joint_X_c")[j, 3:], dtype=float)).T
            block = plain(self._blocks)[a, :n, :n]
            block[...] = turn @ block.astype(float) @ turn.T


def _matrix(turn: np.ndarray) -> np.ndarray:
    return np.stack([quat_rotate(turn, axis) for axis in np.eye(3)], axis=1)


name_arguments(globals())
