"""What a task must say: its robot, its actions, what is seen, what is good."""
from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

__all__ = ["Task", "turn_about_z", "turned_back", "up_of"]


class Task:
    """Base of tasks. All methods work on the rows of many worlds at once (`Worlds`); numbers are SI units and radians.

    `w.q` and `w.qd` are the joint coordinates and rates of each world, `w.body_q` and `w.body_qd` poses (position, quaternion x y z w) and
    twists (linear, then angular) of its bodies; `w.force` and `w.target` are what drives the joints. All are views of the library's memory.
    """

    name: ClassVar[str] = ""
    dt: float = 0.01  #: of a step of the simulation [s]
    frames: int = 1  #: steps of the simulation for one of the task
    substeps: int = 2  #: of the solver in each
    episode_steps: int = 1000  #: steps of the task after which an episode is cut off
    action_size: int = 1
    observation_size: int = 1
    draws: int = 1  #: random numbers that a start needs
    on_ground: bool = True
    ground_friction: float = 1.0

    def build(self, builder: Any) -> None:
        """Adds the robot of one world to a builder."""
        raise NotImplementedError

    def bind(self, w: Any) -> None:
        """Called once, when the worlds are there."""

    def start(self, w: Any, rows: np.ndarray, spots: np.ndarray, draws: np.ndarray) -> None:
        """Writes `w.q` and `w.qd` of worlds that begin, which are the model's initial ones; draws in [0, 1), [rows, self.draws]."""

    def started(self, w: Any, rows: np.ndarray) -> None:
        """The bodies of these worlds are where their joints put them."""

    def act(self, w: Any, actions: np.ndarray) -> None:
        """Turns actions in -1..1 [worlds, action_size] into forces or targets."""
        raise NotImplementedError

    def judge(self, w: Any, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rewards, whether the episode failed or succeeded), [worlds]."""
        raise NotImplementedError

    def inform(self, w: Any) -> dict[str, np.ndarray]:
        """What `info` says of the last step, by Gymnasium's names: terms of the reward, places, [worlds] each."""
        return {}

    def observe(self, w: Any) -> np.ndarray:
        """[worlds, observation_size]"""
        raise NotImplementedError

    def push(self, w: Any, rows: np.ndarray, velocity: np.ndarray) -> None:
        """Adds a horizontal velocity [rows, 2] to what the task calls its root; tasks with a fixed base have none."""


def turned_back(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors of the world in axes of bodies whose orientations are `quaternions` (x y z w), row by row."""
    v, s = quaternions[..., :3], quaternions[..., 3:]
    t = 2.0 * np.cross(v, vectors)
    return vectors - s * t + np.cross(v, t)


def up_of(quaternions: np.ndarray) -> np.ndarray:
    """How much the z axis of each body points up, -1..1."""
    return 1.0 - 2.0 * (quaternions[..., 0] ** 2 + quaternions[..., 1] ** 2)


def turn_about_z(angle: np.ndarray) -> np.ndarray:
    """Quaternions of turns about z, [n, 4]."""
    out = np.zeros((len(angle), 4))
    out[:, 2], out[:, 3] = np.sin(0.5 * angle), np.cos(0.5 * angle)
    return out
