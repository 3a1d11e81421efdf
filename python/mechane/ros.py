"""What a stage says about ROS: interfaces, frames, the description of the robot."""
from __future__ import annotations

import os
from typing import Any

from .core.arguments import name_arguments
from .io.commands import program
from .newton.reserved import later

__all__ = ["interfaces", "robot_description", "tf_tree"]


def _asked(what: str, file: Any) -> Any:
    return program("ros", what, os.fspath(file), "--json")


def interfaces(file: Any) -> dict[str, Any]:
    """Topics, services and actions of a stage with their resolved names (schema mechane.ros.interfaces/1)."""
    return _asked("interfaces", file)


def tf_tree(file: Any) -> dict[str, Any]:
    """Frames of a stage and how they hang together."""
    return _asked("tf", file)


def robot_description(file: Any) -> str:
    """The stage's URDF; needs the exporters."""
    later("mechane.ros.robot_description", "the exporters and readers of other formats")


def __dir__() -> list[str]:
    return sorted(__all__)


name_arguments(globals())
