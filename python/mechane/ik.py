"""Inverse kinematics: coordinates that bring links to goals, for many problems at once; `mechane.eval_ik` inverts poses.

Objectives say what shall become zero, an optimizer brings it there, `IKSolver` begins at one or several seeds and keeps the best.
"""
from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from .core.arguments import name_arguments
from .core.array import fresh, plain
from .core.diagnostics import kind_of
from .model.ik_objectives import IKObjective, IKObjectiveJointLimit, IKObjectivePosition, IKObjectiveRotation
from .model.ik_optimizers import IKJacobianType, IKOptimizerLBFGS, IKOptimizerLM
from .newton.modules import absent

__all__ = ["IKJacobianType", "IKObjective", "IKObjectiveJointLimit", "IKObjectivePosition", "IKObjectiveRotation", "IKOptimizer", "IKOptimizerLBFGS",
           "IKOptimizerLM", "IKSampler", "IKSolver"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.ik", name)


class IKOptimizer(StrEnum):
    """How residuals are brought to zero."""

    LM = "lm"
    LBFGS = "lbfgs"


class IKSampler(StrEnum):
    """Where further seeds come from: none, noise about the given one, a sequence without gaps within the limits (Roberts), or chance within them."""

    NONE = "none"
    GAUSS = "gauss"
    ROBERTS = "roberts"
    UNIFORM = "uniform"


class IKSolver:
    """Solves `n_problems` problems that share objectives; each begins at `n_seeds` seeds. Joints outside of articulations do not move.

    `joint_dof_mask` [joint_dof_count] holds dofs where it is false (LM without a sampler only).
    """

    def __init__(self, model: Any, n_problems: int, objectives: Sequence[Any], *, optimizer: Any = IKOptimizer.LM, jacobian_mode: Any = IKJacobianType.AUTODIFF,
                 sampler: Any = IKSampler.NONE, n_seeds: int = 1, noise_std: float = 0.1, rng_seed: int = 12345, lambda_initial: float = 0.1,
                 lambda_factor: float = 2.0, lambda_min: float = 1e-5, lambda_max: float = 1e10, rho_min: float = 1e-3, joint_dof_mask: Any = None,
                 history_len: int = 10, h0_scale: float = 1.0, line_search_alphas: Sequence[float] | None = None, wolfe_c1: float = 1e-4, wolfe_c2: float = 0.9):
        self.optimizer_type, self.sampler = IKOptimizer(optimizer), IKSampler(sampler)
        if n_seeds < 1:
            raise kind_of(ValueError)(f"n_seeds must be >= 1, got {n_seeds}", "PYTHON_ARG_IK")
        if self.sampler is IKSampler.NONE and n_seeds != 1:
            raise kind_of(ValueError)("sampler='none' requires n_seeds == 1", "PYTHON_ARG_IK")
        if joint_dof_mask is not None and self.optimizer_type is not IKOptimizer.LM:
            raise kind_of(ValueError)("joint_dof_mask is only supported by the LM optimizer", "PYTHON_ARG_IK")
        if joint_dof_mask is not None and self.sampler is not IKSampler.NONE:
            raise kind_of(ValueError)("joint_dof_mask requires sampler='none'", "PYTHON_ARG_IK")
        self.model, self.device, self.objectives = model, model.device, objectives
        self.n_problems, self.n_seeds, self.n_expanded, self.n_coords = int(n_problems), int(n_seeds), int(n_problems) * int(n_seeds), model.joint_coord_count
        self.noise_std, self._rng_seed, self._draws = noise_std, int(rng_seed), 0
        self.joint_q = fresh((self.n_expanded, self.n_coords), row="float")
        self.best_indices = fresh(self.n_problems, np.int32)
        self._limits()
        of = np.repeat(np.arange(self.n_problems), self.n_seeds)
        self._impl: Any
        if self.optimizer_type is IKOptimizer.LM:
            self._impl = IKOptimizerLM(model, self.n_expanded, objectives, lambda_initial, jacobian_mode, lambda_factor, lambda_min, lambda_max, rho_min,
                                       problem_idx=of, joint_dof_mask=joint_dof_mask)
        else:
            self._impl = IKOptimizerLBFGS(model, self.n_expanded, objectives, jacobian_mode, history_len, h0_scale, line_search_alphas, wolfe_c1, wolfe_c2, problem_idx=of)

    def _limits(self) -> None:
        """Limits of each coordinate [m or rad]; those of quaternions and free positions have none."""
        m, n = self.model, self.n_coords
        self._low, self._high = np.full(n, -np.inf), np.full(n, np.inf)
        for j in range(m.joint_count):
            q, qd, end = int(m._np("joint_q_start")[j]), int(m._np("joint_qd_start")[j]), int(m._np("joint_qd_start")[j + 1])
            if int(m._np("joint_q_start")[j + 1]) - q == end - qd:
                self._low[q:q + end - qd], self._high[q:q + end - qd] = m._np("joint_limit_lower")[qd:end], m._np("joint_limit_upper")[qd:end]
        with np.errstate(invalid="ignore"):
            self._bounded = np.isfinite(self._low) & np.isfinite(self._high) & (self._high - self._low < 1e5)

    @property
    def joint_q_expanded(self) -> Any:
        """Configurations of all seeds, [n_problems * n_seeds, coords]."""
        return self.joint_q

    @property
    def costs(self) -> Any:
        """Sums of squares of all seeds, [n_problems * n_seeds]."""
        return self._impl.costs

    costs_expanded = costs

    def reset(self) -> None:
        """Samplers draw again what they drew at first."""
        self._draws = 0
        self._impl.reset()
        plain(self.best_indices)[...] = 0

    def _seeds(self, given: np.ndarray) -> np.ndarray:
        out = np.repeat(given, self.n_seeds, axis=0)
        at = np.tile(np.arange(self.n_seeds), self.n_problems)
        chance = np.random.default_rng([self._rng_seed, self._draws])
        self._draws += 1
        low, high, bounded = self._low, self._high, self._bounded
        span = np.where(bounded, high - np.where(bounded, low, 0), 0)
        if self.sampler is IKSampler.GAUSS:
            out = np.where(at[:, None] > 0, np.where(bounded, np.clip(out + self.noise_std * chance.standard_normal(out.shape), np.where(bounded, low, 0), np.where(bounded, high, 0)),
                                                     out + self.noise_std * chance.standard_normal(out.shape)), out)
            self._unit(out)
        elif self.sampler is not IKSampler.NONE:
            share = chance.random(out.shape) if self.sampler is IKSampler.UNIFORM else np.mod(at[:, None] * _roberts(self.n_coords), 1.0)
            out = np.where(bounded, np.where(bounded, low, 0) + share * span, out)
        return out

    def _unit(self, q: np.ndarray) -> None:
        """Quaternions to which noise was added are made unit again."""
        m = self.model
        for j in range(m.joint_count):
            begin, end = int(m._np("joint_q_start")[j]), int(m._np("joint_q_start")[j + 1])
            if end - begin != int(m._np("joint_qd_start")[j + 1] - m._np("joint_qd_start")[j]):
                q[:, end - 4:end] /= np.linalg.norm(q[:, end - 4:end], axis=1, keepdims=True)

    def step(self, joint_q_in: Any, joint_q_out: Any, iterations: int = 50, step_size: float = 1.0) -> None:
        """Solves all problems from `joint_q_in` [n_problems, coords] and writes the best of each to `joint_q_out`, which may be the same array.
        `step_size` is for LM.

        @raises ValueError  an array has another shape
        """
        for name, array in (("joint_q_in", joint_q_in), ("joint_q_out", joint_q_out)):
            if tuple(plain(array).shape) != (self.n_problems, self.n_coords):
                raise kind_of(ValueError)(f"{name} has incompatible shape {tuple(plain(array).shape)}, expected {(self.n_problems, self.n_coords)}", "PYTHON_ARG_IK")
        plain(self.joint_q)[...] = self._seeds(np.array(plain(joint_q_in), dtype=float))
        self._impl.reset()
        if self.optimizer_type is IKOptimizer.LM:
            self._impl.step(self.joint_q, self.joint_q, iterations=iterations, step_size=step_size)
        else:
            self._impl.step(self.joint_q, self.joint_q, iterations=iterations)
        costs = plain(self._impl.compute_costs(self.joint_q)).reshape(self.n_problems, self.n_seeds)
        best = np.argmin(costs, axis=1)
        plain(self.best_indices)[...] = best
        plain(joint_q_out)[...] = plain(self.joint_q).reshape(self.n_problems, self.n_seeds, -1)[np.arange(self.n_problems), best]


def _roberts(count: int) -> np.ndarray:
    """Steps of the sequence of Roberts in so many dimensions: 1 - x^-k, x the root of x^(n + 1) = x + 1."""
    x = 1.5
    for _ in range(30):
        x -= (x**(count + 1) - x - 1) / ((count + 1) * x**count - 1)
    return 1 - x ** -(1.0 + np.arange(count))


name_arguments(globals())
