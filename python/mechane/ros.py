"""What a stage says about ROS: interfaces, frames, the description of the robot; and a live simulation that nodes connect to."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

from .core.arguments import name_arguments
from .core.diagnostics import error
from .io.commands import program
from .io.serve import LiveViewer

__all__ = ["Bridge", "bridge", "interfaces", "robot_description", "tf_tree"]


def _asked(what: str, file: Any) -> Any:
    return program("ros", what, os.fspath(file), "--json")


def interfaces(file: Any) -> dict[str, Any]:
    """Topics, services and actions of a stage with their resolved names (schema mechane.ros.interfaces/1)."""
    return _asked("interfaces", file)


def tf_tree(file: Any) -> dict[str, Any]:
    """Frames of a stage and how they hang together."""
    return _asked("tf", file)


def robot_description(file: Any) -> str:
    """The URDF of a stage's robot, as `mechane convert` writes it; meshes are named relative to it.

    @raises FileNotFoundError, MechaneError  the stage cannot be opened, or holds no robot
    """
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "robot.urdf")
        done = subprocess.run([sys.executable, "-m", "mechane", "convert", os.fspath(file), "-o", out, "--fail-on-loss", "never"], capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p)))
        if not os.path.exists(out):
            kind = FileNotFoundError if done.returncode == 3 and not os.path.exists(file) else RuntimeError
            raise error(kind, "PYTHON_COMMAND", done.stderr.strip() or f"mechane convert ended with status {done.returncode}")
        with open(out, encoding="utf-8") as text:
            return text.read()


class Bridge(LiveViewer):
    """A live simulation (`mechane view --ros`) that ROS nodes connect to; `websocket` is the address of rosbridge's protocol, `url` the live page."""

    def __init__(self, file: Any, port: int, dds: bool, options: tuple[str, ...]):
        super().__init__(os.fspath(file), 0, ("--ros", str(port), *(("--dds",) if dds else ()), *options))
        self.websocket = self._process.stdout.readline().strip()


def bridge(file: Any, port: int = 9090, dds: bool = False, options: Any = ()) -> Bridge:
    """Simulates a stage for nodes of ROS: topics, goals and services over rosbridge's protocol on this machine, and over DDS with `dds`.

    `port` 0 takes a free one; `options` are those of `mechane view`. It runs while somebody is connected, or a page looks on.

    @raises FileNotFoundError, MechaneError  the file cannot be opened, the port is taken, or the package cyclonedds is not there
    """
    return Bridge(file, port, dds, tuple(map(str, options)))


def __dir__() -> list[str]:
    return sorted(__all__)


name_arguments(globals())
