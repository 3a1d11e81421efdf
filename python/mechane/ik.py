"""Inverse kinematics of goals; mechane.eval_ik inverts poses."""
from __future__ import annotations

from typing import Any

from .newton.modules import absent

__all__: list[str] = []


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.ik", name)
