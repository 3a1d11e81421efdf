"""Inverse kinematics of goals; mechane.eval_ik inverts poses."""
from __future__ import annotations

from typing import Any

from ._reserved import _Later, left_out

__all__: list[str] = []

_LATER = ("IKSolver", "IKObjectivePosition", "IKObjectiveRotation", "IKObjectiveJointLimit", "IKOptimizer", "IKSampler")
_LEFT_OUT = ("IKJacobianType", "IKObjective", "IKOptimizerLM", "IKOptimizerLBFGS")


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return _Later("mechane.ik", name, "inverse kinematics of goals")
    if name in _LEFT_OUT:
        return left_out("mechane.ik", name, "it rests on Warp's tape")
    raise AttributeError(f"module 'mechane.ik' has no attribute {name!r}")
