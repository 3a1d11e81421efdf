"""Measuring in a simulation."""
from __future__ import annotations

from typing import Any

from ._reserved import _Later, left_out

__all__: list[str] = []

_LATER = ("SensorContact", "SensorIMU", "SensorFrameTransform")
_LEFT_OUT = ("SensorCamera", "SensorTiledCamera")


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return _Later("mechane.sensors", name, "sensors")
    if name in _LEFT_OUT:
        return left_out("mechane.sensors", name, "mechane.render draws a picture")
    raise AttributeError(f"module 'mechane.sensors' has no attribute {name!r}")
