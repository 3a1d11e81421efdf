"""Two ways of bringing residuals to zero: Levenberg-Marquardt, and a quasi-Newton method with a short memory."""
from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from ..core.arguments import name_arguments, whole
from ..core.array import REAL, fresh, plain
from ..core.diagnostics import kind_of
from ..core.enums import JointType
from .ik_pose import Configurations

__all__ = ["IKJacobianType", "IKOptimizerLBFGS", "IKOptimizerLM"]


class IKJacobianType(Enum):
    """Where Jacobians come from. Objectives that know theirs are asked in every mode; the others are differentiated by central differences, except
    in ANALYTIC, which refuses them."""

    AUTODIFF = "autodiff"
    ANALYTIC = "analytic"
    MIXED = "mixed"


class _Problems:
    """Residuals and Jacobians of a batch of configurations."""

    def __init__(self, model: Any, n_batch: int, objectives: Sequence[Any], problem_idx: Any, jacobian_mode: Any):
        self.model, self.n_batch, self.objectives = model, int(n_batch), list(objectives)
        self.jacobian_mode = IKJacobianType(jacobian_mode)
        self.device, self.n_dofs, self.n_coords = model.device, model.joint_dof_count, model.joint_coord_count
        sizes = [o.residual_dim() for o in self.objectives]
        self.residual_offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(int)[:-1].tolist()
        self.n_residuals = int(sum(sizes))
        self._poses = Configurations(model, self.n_batch)
        self.residuals, self.jacobian = fresh((self.n_batch, self.n_residuals), row="float"), fresh((self.n_batch, self.n_residuals, self.n_dofs), row="float")
        self.costs = fresh(self.n_batch)
        self._q = fresh((self.n_batch, self.n_coords), row="float")
        self.problem_idx = fresh(self.n_batch, np.int32)
        plain(self.problem_idx)[...] = np.arange(self.n_batch) if problem_idx is None else plain(problem_idx)
        for objective, offset in zip(self.objectives, self.residual_offsets):
            objective.set_batch_layout(self.n_residuals, offset, self.n_batch)
            objective.bind_device(self.device)
            if self.jacobian_mode is IKJacobianType.ANALYTIC and not objective.supports_analytic():
                raise kind_of(ValueError)(f"Objective {type(objective).__name__} does not support analytic Jacobian", "PYTHON_ARG_IK")
            objective.init_buffers(model, self.jacobian_mode)
        self._check_targets()

    def _check_targets(self) -> None:
        """Arrays of targets are the program's own, which may write to them or make them anew between two steps."""
        problems = int(plain(self.problem_idx).max()) + 1 if self.n_batch else 0
        for k, objective in enumerate(self.objectives):
            if (targets := getattr(objective, "_targets", None)) is None:
                continue
            name, width, values = targets()
            shape = np.shape(values)
            if len(shape) != 2 or shape[1] != width or shape[0] < problems:
                raise kind_of(ValueError)(f"objectives[{k}].{name}: shape {shape}, expected ({problems}, {width}), a row for each problem", "PYTHON_ARG_IK")
            if not np.isfinite(values).all():
                row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
                raise kind_of(ValueError)(f"objectives[{k}].{name}: that of problem {row} has a number that is not finite", "PYTHON_ARG_IK")

    def _checked(self, iterations: Any) -> int:
        """@raises TypeError, ValueError  it is no whole number from 0 on, or targets are no numbers"""
        self._check_targets()
        count = whole("iterations", iterations)
        if count < 0:
            raise kind_of(ValueError)(f"iterations is {count}, expected at least 0", "PYTHON_ARG_IK")
        return count

    def _residuals_at(self, joint_q: np.ndarray) -> np.ndarray:
        plain(self._q)[...] = joint_q
        self._poses.place(joint_q)
        plain(self.residuals)[...] = 0
        for objective, offset in zip(self.objectives, self.residual_offsets):
            objective.compute_residuals(self._poses.body_q, self._q, self.model, self.residuals, offset, self.problem_idx)
        return np.array(plain(self.residuals), dtype=float)

    def _jacobian_at(self, joint_q: np.ndarray) -> np.ndarray:
        plain(self._q)[...] = joint_q
        self._poses.place(joint_q, jacobians=True)
        plain(self.jacobian)[...] = 0
        unknown = []
        for objective, offset in zip(self.objectives, self.residual_offsets):
            if objective.supports_analytic():
                objective.compute_jacobian_analytic(self._poses.body_q, self._q, self.model, self.jacobian, self._poses.columns, offset)
            else:
                unknown += range(offset, offset + objective.residual_dim())
        out = np.array(plain(self.jacobian), dtype=float)
        if unknown:
            # central differences of the third root of the precision
            h = float(np.cbrt(np.finfo(REAL).eps))
            for dof in range(self.n_dofs):
                step = np.zeros((self.n_batch, self.n_dofs))
                step[:, dof] = h
                ahead, behind = (self._residuals_at(self._poses.stepped(joint_q, sign * step)) for sign in (1, -1))
                out[:, unknown, dof] = (ahead[:, unknown] - behind[:, unknown]) / (2 * h)
        return out

    def compute_costs(self, joint_q: Any) -> Any:
        """Sums of squares of the residuals, [batch]."""
        plain(self.costs)[...] = (self._residuals_at(np.asarray(plain(joint_q), dtype=float))**2).sum(axis=1)
        return self.costs

    def _taken(self, joint_q_in: Any, joint_q_out: Any) -> np.ndarray:
        for name, array in (("joint_q_in", joint_q_in), ("joint_q_out", joint_q_out)):
            if tuple(plain(array).shape) != (self.n_batch, self.n_coords):
                raise kind_of(ValueError)(f"{name} has incompatible shape {tuple(plain(array).shape)}, expected {(self.n_batch, self.n_coords)}", "PYTHON_ARG_IK")
        return np.array(plain(joint_q_in), dtype=float)


def check_mask(model: Any, mask: Any) -> np.ndarray:
    """@raises ValueError  no flags, not one for each dof, or a joint with a quaternion is held in part"""
    flags = plain(mask)
    if flags.dtype != np.bool_:
        raise kind_of(ValueError)(f"joint_dof_mask must have dtype wp.bool or bool, not {flags.dtype}", "PYTHON_ARG_IK")
    if flags.shape != (model.joint_dof_count,):
        raise kind_of(ValueError)(f"joint_dof_mask must have shape [joint_dof_count], ({model.joint_dof_count},), not {flags.shape}", "PYTHON_ARG_IK")
    for j, kind in enumerate(model._np("joint_type")):
        own = flags[model._np("joint_qd_start")[j]:model._np("joint_qd_start")[j + 1]]
        if kind in (JointType.BALL, JointType.FREE, JointType.DISTANCE) and own.any() and not own.all():
            raise kind_of(ValueError)(f"joint_dof_mask partially masks joint {j} ({JointType(int(kind)).name}): joints with a quaternion must have all of their DOFs masked together", "PYTHON_ARG_IK")
    return flags


class IKOptimizerLM(_Problems):
    """Levenberg-Marquardt: (J^t J + lambda) dq = -J^t r; lambda falls after a step that helped as predicted, else it rises."""

    def __init__(self, model: Any, n_batch: int, objectives: Sequence[Any], lambda_initial: float = 0.1, jacobian_mode: Any = IKJacobianType.AUTODIFF,
                 lambda_factor: float = 2.0, lambda_min: float = 1e-5, lambda_max: float = 1e10, rho_min: float = 1e-3, *, problem_idx: Any = None,
                 joint_dof_mask: Any = None):
        self._moves = None if joint_dof_mask is None else check_mask(model, joint_dof_mask)
        super().__init__(model, n_batch, objectives, problem_idx, jacobian_mode)
        self.lambda_initial, self.lambda_factor, self.lambda_min, self.lambda_max, self.rho_min = lambda_initial, lambda_factor, lambda_min, lambda_max, rho_min

    def reset(self) -> None:
        """Nothing is kept from one solve to the next."""

    def step(self, joint_q_in: Any, joint_q_out: Any, iterations: int = 10, step_size: float = 1.0) -> None:
        """`iterations` steps, each `step_size` of the whole; the arrays [batch, coords] may be the same."""
        count, q = self._checked(iterations), self._taken(joint_q_in, joint_q_out)
        damping = np.full(self.n_batch, float(self.lambda_initial))
        r = self._residuals_at(q)
        for _ in range(count):
            jacobian = self._jacobian_at(q)
            if self._moves is not None:
                jacobian[:, :, ~self._moves] = 0
            gradient = np.einsum("brd,br->bd", jacobian, r)
            normal = np.einsum("brd,bre->bde", jacobian, jacobian) + damping[:, None, None] * np.eye(self.n_dofs)
            dq = np.linalg.solve(normal, -gradient[..., None])[..., 0]
            proposed = self._poses.stepped(q, step_size * dq)
            trial = self._residuals_at(proposed)
            cost, new = (r**2).sum(axis=1), (trial**2).sum(axis=1)
            predicted = 0.5 * (dq * (damping[:, None] * dq - gradient)).sum(axis=1)
            better = (cost - new) / (predicted + 1e-8) >= self.rho_min
            q[better], r[better] = proposed[better], trial[better]
            damping = np.where(better, damping / self.lambda_factor, np.clip(damping * self.lambda_factor, self.lambda_min, self.lambda_max))
        plain(self.costs)[...] = (r**2).sum(axis=1)
        plain(joint_q_out)[...] = q


class IKOptimizerLBFGS(_Problems):
    """Quasi-Newton with the last `history_len` pairs of steps and gradients (Liu, Nocedal 1989). All lengths of the line search are tried at once:
    the best that keeps both conditions of Wolfe, else the best that keeps the first, else the smallest."""

    def __init__(self, model: Any, n_batch: int, objectives: Sequence[Any], jacobian_mode: Any = IKJacobianType.AUTODIFF, history_len: int = 10,
                 h0_scale: float = 1.0, line_search_alphas: Sequence[float] | None = None, wolfe_c1: float = 1e-4, wolfe_c2: float = 0.9, *,
                 problem_idx: Any = None):
        super().__init__(model, n_batch, objectives, problem_idx, jacobian_mode)
        self.history_len, self.h0_scale, self.wolfe_c1, self.wolfe_c2 = int(history_len), h0_scale, wolfe_c1, wolfe_c2
        self.line_search_alphas = [0.1, 0.2, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0] if line_search_alphas is None else [float(a) for a in line_search_alphas]

    def reset(self) -> None:
        """Nothing is kept from one solve to the next."""

    def _cost_and_gradient(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        jacobian, r = self._jacobian_at(q), self._residuals_at(q)
        return (r**2).sum(axis=1), 2 * np.einsum("brd,br->bd", jacobian, r)

    def _direction(self, gradient: np.ndarray, steps: list[np.ndarray], changes: list[np.ndarray]) -> np.ndarray:
        """-H g by the two loops; pairs that bend the wrong way are passed over, problem by problem."""
        v, kept = gradient.copy(), []
        for s, y in zip(reversed(steps), reversed(changes)):
            bend = (s * y).sum(axis=1)
            rho = np.where(bend > 1e-12, 1 / np.where(bend > 1e-12, bend, 1), 0)
            alpha = rho * (s * v).sum(axis=1)
            v = v - alpha[:, None] * y
            kept.append((s, y, rho, alpha))
        v = self.h0_scale * v
        if steps:
            s, y = steps[-1], changes[-1]
            bend, size = (s * y).sum(axis=1), (y * y).sum(axis=1)
            good = (bend > 1e-12) & (size > 0)
            v = v * np.where(good, bend / np.where(size > 0, size, 1) / self.h0_scale, 1)[:, None]
        for s, y, rho, alpha in reversed(kept):
            v = v + (alpha - rho * (y * v).sum(axis=1))[:, None] * s
        return -v

    def step(self, joint_q_in: Any, joint_q_out: Any, iterations: int = 50) -> None:
        """`iterations` line searches; the arrays [batch, coords] may be the same."""
        count, q = self._checked(iterations), self._taken(joint_q_in, joint_q_out)
        cost, gradient = self._cost_and_gradient(q)
        steps: list[np.ndarray] = []
        changes: list[np.ndarray] = []
        for _ in range(count):
            direction = self._direction(gradient, steps, changes)
            slope = (direction * gradient).sum(axis=1)
            uphill = slope >= 0
            direction[uphill], slope[uphill] = -gradient[uphill], -(gradient[uphill]**2).sum(axis=1)
            length, best_cost, best_gradient, best_q, rank = np.zeros(self.n_batch), cost.copy(), gradient.copy(), q.copy(), np.zeros(self.n_batch)
            lengths = list(self.line_search_alphas)
            if not steps:  # nothing is known of the curvature: lengths in units of the gradient, down to small ones
                lengths += [a * min(self.line_search_alphas) for a in (1.0, 0.1, 0.01)]
            for a in lengths:
                trial = self._poses.stepped(q, a * direction)
                new, new_gradient = self._cost_and_gradient(trial)
                armijo = new <= cost + self.wolfe_c1 * a * slope
                curved = np.abs((direction * new_gradient).sum(axis=1)) <= self.wolfe_c2 * np.abs(slope)
                score = np.where(armijo & curved, 2, np.where(armijo, 1, 0))
                take = (score > rank) | ((score == rank) & (score > 0) & (new < best_cost))
                for target, source in ((length, np.full(self.n_batch, a)), (best_cost, new), (best_gradient, new_gradient), (best_q, trial), (rank, score)):
                    target[take] = source[take]
            if not (length > 0).any():
                if not steps:
                    break
                steps, changes = [], []  # begin again along the gradient
                continue
            steps, changes = [*steps, length[:, None] * direction][-self.history_len:], [*changes, best_gradient - gradient][-self.history_len:]
            q, cost, gradient = best_q, best_cost, best_gradient
        plain(self.costs)[...] = cost
        plain(joint_q_out)[...] = q


name_arguments(globals())
