"""An arm of the Panda's size whose hand goes to points in space."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..model.configs import JointDofConfig, ShapeConfig
from .draws import uniforms
from .legged import capsule_between
from .task import Task

__all__ = ["PandaReach"]

_GOAL = 33  # a stream of random numbers

#: Each joint's frame in the one before: place [m] and turn about x [quarter turns] (the maker's Denavit-Hartenberg table), limits [rad], torque [N m],
#: mass of the link [kg], and where its capsule ends.
_LINKS = (
    ((0, 0, 0.333), 0, (-2.8973, 2.8973), 87, 2.9, (0, 0, -0.15)),
    ((0, 0, 0), -1, (-1.7628, 1.7628), 87, 2.9, (0, -0.15, 0)),
    ((0, -0.316, 0), 1, (-2.8973, 2.8973), 87, 2.7, (0.08, 0, -0.05)),
    ((0.0825, 0, 0), 1, (-3.0718, -0.0698), 87, 2.6, (-0.08, 0.06, 0)),
    ((-0.0825, 0.384, 0), -1, (-2.8973, 2.8973), 12, 2.6, (0, 0, -0.2)),
    ((0, 0, 0), 1, (-0.0175, 3.7525), 12, 1.6, (0.08, 0, 0)),
    ((0.088, 0, 0), 1, (-2.8973, 2.8973), 12, 1.2, (0, 0, 0.1)),
)
_HOME = (0.0, -0.569, 0.0, -2.81, 0.0, 3.037, 0.741)


class PandaReach(Task):
    """Seven hinges with drives; the point between the fingers, 0.2104 m before the last joint, shall meet a goal.

    Observations: 7 angles, 7 rates, place of the hand [m], goal, goal less hand. Actions move the targets of the drives by up to 0.05 rad a step. Reward:
    the distance less than zero, 1 within 2 cm, less a little for haste. Episodes last 100 steps of 0.02 s. Lengths, limits and torques are those that the
    maker of the Panda states.
    """

    name = "PandaReach"
    dt, frames, substeps = 0.01, 2, 2
    episode_steps, action_size, observation_size, draws = 100, 7, 7 + 7 + 3 + 3 + 3, 7
    on_ground = False
    tip = (0.0, 0.0, 0.2104)

    def build(self, builder: Any) -> None:
        cfg = ShapeConfig(density=0.0, has_shape_collision=False)
        parent, joints = -1, []
        for i, (place, quarter, (low, high), effort, mass, end) in enumerate(_LINKS):
            middle = tuple(0.5 * e for e in end)
            body = builder.add_link(mass=mass, com=middle, inertia=(0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01), label=f"link{i + 1}")
            capsule_between(builder, body, (0, 0, 0), end, 0.05, cfg)
            turn = (float(np.sin(quarter * np.pi / 4)), 0.0, 0.0, float(np.cos(quarter * np.pi / 4)))
            dof = JointDofConfig(axis="Z", limit_lower=low, limit_upper=high, effort_limit=float(effort), armature=0.1, target_ke=600.0 if i < 4 else 250.0,
                                 target_kd=50.0 if i < 4 else 15.0)
            joints.append(builder.add_joint_d6(parent, body, parent_xform=(*map(float, place), *turn), angular_axes=[dof], label=f"joint{i + 1}"))
            parent = body
        builder.add_articulation(joints, label="panda")
        for i, angle in enumerate(_HOME):
            builder.joint_q[i] = builder.joint_target_q[i] = angle

    def bind(self, w: Any) -> None:
        self.goal = np.zeros((w.count, 3))
        self._low, self._high = (np.asarray(a)[w.dofs[0]] for a in (w.model.joint_limit_lower, w.model.joint_limit_upper))

    def start(self, w: Any, rows: np.ndarray, spots: np.ndarray, draws: np.ndarray) -> None:
        w.q[rows] = np.clip(w.q[rows] + 0.1 * (2.0 * draws - 1.0), self._low, self._high)
        w.target[rows] = w.q[rows]
        u = uniforms(w.seeds[rows], _GOAL, w.streams[rows], w.episodes[rows], 3)
        self.goal[rows] = np.array([0.3, -0.3, 0.2]) + u * [0.35, 0.6, 0.45]

    def hand(self, w: Any) -> np.ndarray:
        """Place of the tip in the world [m], [worlds, 3]."""
        at = w.body_q[:, -1].astype(float)
        v, s = at[:, 3:6], at[:, 6:]
        t = 2.0 * np.cross(v, self.tip)
        return at[:, :3] + self.tip + s * t + np.cross(v, t)

    def act(self, w: Any, actions: np.ndarray) -> None:
        w.target[...] = np.clip(w.target + 0.05 * actions, self._low, self._high)

    def judge(self, w: Any, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        distance = np.linalg.norm(self.goal - self.hand(w), axis=1)
        reward = -distance + 1.0 * (distance < 0.02) - 0.01 * np.sum(actions**2, axis=1)
        return reward, np.zeros(w.count, bool)

    def observe(self, w: Any) -> np.ndarray:
        hand = self.hand(w)
        return np.concatenate([w.q, w.qd, hand, self.goal, self.goal - hand], axis=1)
