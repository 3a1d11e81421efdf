"""What robots on legs share: a free root over ground, whose height and heading count."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..model.configs import JointDofConfig, ShapeConfig
from .task import Task, turn_about_z, turned_back

__all__ = ["Legged", "capsule_between", "hinge"]


def capsule_between(builder: Any, body: int, a: Any, b: Any, radius: float, cfg: ShapeConfig) -> int:
    """A capsule whose half spheres are about two points of a body [m]."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    along = b - a
    length = float(np.linalg.norm(along))
    z = along / length
    # The shortest turn from z to the capsule's direction.
    s = np.sqrt(max(0.0, 2.0 * (1.0 + z[2])))
    turn = (1.0, 0.0, 0.0, 0.0) if s < 1e-6 else (-z[1] / s, z[0] / s, 0.0, s / 2.0)
    middle = 0.5 * (a + b)
    return builder.add_shape_capsule(body, xform=(*map(float, middle), *map(float, turn)), radius=radius, half_height=0.5 * length, cfg=cfg)


def hinge(axis: Any, low: float, high: float, **more: float) -> JointDofConfig:
    """A degree of freedom about a unit axis, with limits [rad]."""
    a = np.asarray(axis, float)
    return JointDofConfig(axis=tuple(map(float, a / np.linalg.norm(a))), limit_lower=low, limit_upper=high, **more)


class Legged(Task):
    """Legs below a root with six degrees of freedom, which comes first in `q` and `qd`."""

    start_height: float = 1.0  #: of the root over the ground [m]
    spread: float = 0.1  #: of joint angles and rates at the start

    def free_root(self, builder: Any, root: int) -> int:
        return builder.add_joint_free(root, label="root")

    def bind(self, w: Any) -> None:
        self.joints = slice(7, w.q.shape[1])
        self.rates = slice(6, w.qd.shape[1])
        self._before = np.zeros((w.count, 2))

    def start(self, w: Any, rows: np.ndarray, spots: np.ndarray, draws: np.ndarray) -> None:
        n = w.q.shape[1] - 7
        w.q[rows, :2] += spots
        w.q[rows, 2] = self.start_height + w.terrain.heights(w.q[rows, 0], w.q[rows, 1])
        w.q[rows, 7:] += self.spread * (2.0 * draws[:, :n] - 1.0)
        w.qd[rows] = self.spread * (2.0 * draws[:, n:2 * n + 6] - 1.0)

    def started(self, w: Any, rows: np.ndarray) -> None:
        self._before[rows] = w.body_q[rows, 0, :2]

    def weighed(self, w: Any, alive: np.ndarray, moved: np.ndarray, **rewards: np.ndarray) -> np.ndarray:
        """The sum of the terms of the reward, which `inform` names."""
        self._terms = {"x_position": w.body_q[:, 0, 0].astype(float), "y_position": w.body_q[:, 0, 1].astype(float), "x_velocity": moved[:, 0].astype(float),
                       "y_velocity": moved[:, 1].astype(float), "reward_survive": alive.astype(float), **rewards}
        return alive + sum(rewards.values())

    def inform(self, w: Any) -> dict[str, np.ndarray]:
        return getattr(self, "_terms", {})

    def height(self, w: Any) -> np.ndarray:
        """Of the root over the ground below it [m]."""
        at = w.body_q[:, 0]
        return at[:, 2] - w.terrain.heights(at[:, 0], at[:, 1])

    def travelled(self, w: Any) -> np.ndarray:
        """Mean velocity of the root over the last step [m/s], [worlds, 2]."""
        now = w.body_q[:, 0, :2].copy()
        moved = (now - self._before) / (self.dt * self.frames)
        self._before[...] = now
        return moved

    def root_motion(self, w: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(velocity, angular velocity, direction of gravity) in the root's axes."""
        turn = w.body_q[:, 0, 3:].astype(float)
        down = np.broadcast_to([0.0, 0.0, -1.0], (w.count, 3))
        return turned_back(turn, w.body_qd[:, 0, :3]), turned_back(turn, w.body_qd[:, 0, 3:]), turned_back(turn, down)

    def push(self, w: Any, rows: np.ndarray, velocity: np.ndarray) -> None:
        # The rates of a free joint begin with the velocity of the root's centre of mass along the world's axes.
        w.qd[rows, :2] += velocity
        w.body_qd[rows[:, None], np.arange(w.body_qd.shape[1])[None, :], :2] += velocity[:, None, :]


def facing(draws: np.ndarray) -> np.ndarray:
    """Orientations with a heading drawn from all, for draws in [0, 1)."""
    return turn_about_z(2.0 * np.pi * draws)
