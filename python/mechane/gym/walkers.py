"""Walkers driven by torques, as in Gymnasium's MuJoCo tasks: the ant and the humanoid."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..model.configs import ShapeConfig
from .legged import Legged, capsule_between, hinge
from .task import up_of

__all__ = ["Ant", "Humanoid"]


class Ant(Legged):
    """Four legs of two hinges each; runs along x.

    Observations: height, orientation (x y z w), 8 joint angles, velocity and angular velocity of the root in the world, 8 rates. Reward: the speed
    along x [m/s], 1 while alive, less half the square of the actions. It ends below 0.2 m and above 1 m. Sizes, torques (150 N m) and rewards are
    those of Gymnasium's Ant-v5; contact forces are neither seen nor paid for.
    """

    name = "Ant"
    dt, frames, substeps = 0.01, 5, 2
    episode_steps, action_size, observation_size, draws = 1000, 8, 27, 2 * 8 + 6
    start_height = 0.75
    torque = 150.0  #: [N m]
    least_height, most_height = 0.2, 1.0

    def build(self, builder: Any) -> None:
        cfg = ShapeConfig(density=5.0, mu=1.0, collision_group=-1)
        torso = builder.add_link(xform=(0, 0, self.start_height, 0, 0, 0, 1), label="torso")
        builder.add_shape_sphere(torso, radius=0.25, cfg=cfg)
        joints = [self.free_root(builder, torso)]
        for i, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
            out = np.array([0.2 * sx, 0.2 * sy, 0.0])
            capsule_between(builder, torso, (0, 0, 0), out, 0.08, cfg)
            thigh = builder.add_link(label=f"thigh{i}", xform=(*out, 0, 0, 0, 1))
            shin = builder.add_link(label=f"shin{i}", xform=(*(2 * out), 0, 0, 0, 1))
            capsule_between(builder, thigh, (0, 0, 0), out, 0.08, cfg)
            capsule_between(builder, shin, (0, 0, 0), 2 * out, 0.08, cfg)
            soft = {"armature": 1.0, "damping": 1.0}
            joints.append(builder.add_joint_d6(torso, thigh, parent_xform=(*out, 0, 0, 0, 1), angular_axes=[hinge((0, 0, 1), np.radians(-30), np.radians(30), **soft)]))
            # The axis lies across the leg, so that a positive angle lowers the foot of every leg.
            joints.append(builder.add_joint_d6(thigh, shin, parent_xform=(*out, 0, 0, 0, 1),
                                               angular_axes=[hinge((-sy, sx, 0), np.radians(30), np.radians(70), **soft)]))
        builder.add_articulation(joints, label="ant")
        for i in range(4):
            builder.joint_q[7 + 2 * i + 1] = 1.0

    def act(self, w: Any, actions: np.ndarray) -> None:
        w.force[:, 6:] = self.torque * actions

    def judge(self, w: Any, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        height = self.height(w)
        fell = (height < self.least_height) | (height > self.most_height)
        moved = self.travelled(w)
        return self.weighed(w, 1.0 * ~fell, moved, reward_forward=moved[:, 0], reward_ctrl=-0.5 * np.sum(actions**2, axis=1)), fell

    def observe(self, w: Any) -> np.ndarray:
        return np.concatenate([self.height(w)[:, None], w.body_q[:, 0, 3:], w.q[:, 7:], w.body_qd[:, 0], w.qd[:, 6:]], axis=1)


#: body: (parent, place in the parent [m], [(axis, low, high) in degrees], [(from, to, radius) or (middle, None, radius)], torque [N m])
_HUMANOID: dict[str, Any] = {
    "torso": (None, (0, 0, 1.4), [], [((0, -0.07, 0), (0, 0.07, 0), 0.07), ((0, 0, 0.19), None, 0.09), ((-0.01, -0.06, -0.12), (-0.01, 0.06, -0.12), 0.06)], []),
    "waist": ("torso", (-0.01, 0, -0.26), [((0, 0, 1), -45, 45), ((0, 1, 0), -75, 30)], [((0, -0.06, 0), (0, 0.06, 0), 0.06)], [40, 40]),
    "pelvis": ("waist", (0, 0, -0.165), [((1, 0, 0), -35, 35)], [((-0.02, -0.07, 0), (-0.02, 0.07, 0), 0.09)], [40]),
    "right_thigh": ("pelvis", (0, -0.1, -0.04), [((1, 0, 0), -25, 5), ((0, 0, 1), -60, 35), ((0, 1, 0), -110, 20)], [((0, 0, 0), (0, 0.01, -0.34), 0.06)], [40, 40, 120]),
    "right_shin": ("right_thigh", (0, 0.01, -0.403), [((0, -1, 0), -160, -2)], [((0, 0, 0), (0, 0, -0.3), 0.049), ((0, 0, -0.35), None, 0.075)], [80]),
    "left_thigh": ("pelvis", (0, 0.1, -0.04), [((-1, 0, 0), -25, 5), ((0, 0, -1), -60, 35), ((0, 1, 0), -110, 20)], [((0, 0, 0), (0, -0.01, -0.34), 0.06)], [40, 40, 120]),
    "left_shin": ("left_thigh", (0, -0.01, -0.403), [((0, -1, 0), -160, -2)], [((0, 0, 0), (0, 0, -0.3), 0.049), ((0, 0, -0.35), None, 0.075)], [80]),
    "right_upper_arm": ("torso", (0, -0.17, 0.06), [((2, 1, 1), -85, 60), ((0, -1, 1), -85, 60)], [((0, 0, 0), (0.16, -0.16, -0.16), 0.04)], [25, 25]),
    "right_forearm": ("right_upper_arm", (0.18, -0.18, -0.18), [((0, -1, 1), -90, 50)], [((0.01, 0.01, 0.01), (0.17, 0.17, 0.17), 0.031), ((0.18, 0.18, 0.18), None, 0.04)], [25]),
    "left_upper_arm": ("torso", (0, 0.17, 0.06), [((2, -1, 1), -60, 85), ((0, 1, 1), -60, 85)], [((0, 0, 0), (0.16, 0.16, -0.16), 0.04)], [25, 25]),
    "left_forearm": ("left_upper_arm", (0.18, 0.18, -0.18), [((0, -1, -1), -90, 50)], [((0.01, -0.01, 0.01), (0.17, -0.17, 0.17), 0.031), ((0.18, -0.18, 0.18), None, 0.04)], [25]),
}


class Humanoid(Legged):
    """Eleven bodies, 17 hinges; runs along x without falling.

    Observations: height, orientation, 17 angles, velocity and angular velocity of the root, 17 rates, and of each body the height over the root and
    the velocity along x. Reward: 1.25 times the speed along x [m/s], 5 while alive, less 0.1 times the square of the actions. It ends when the torso
    is not between 1 and 2 m. Proportions are about those of Gymnasium's Humanoid-v5; torques reach 25 to 120 N m.
    """

    name = "Humanoid"
    dt, frames, substeps = 0.005, 3, 2
    episode_steps, action_size, observation_size, draws = 1000, 17, 1 + 4 + 17 + 6 + 17 + 2 * 11, 2 * 17 + 6
    start_height = 1.4
    spread = 0.01
    least_height, most_height = 1.0, 2.0

    def build(self, builder: Any) -> None:
        cfg = ShapeConfig(density=1000.0, mu=1.0, collision_group=-1)
        bodies: dict[str, int] = {}
        joints: list[int] = []
        torques: list[float] = []
        for name, (parent, place, axes, shapes, torque) in _HUMANOID.items():
            bodies[name] = builder.add_link(xform=(*map(float, place), 0, 0, 0, 1), label=name)
            for a, b, radius in shapes:
                if b is None:
                    builder.add_shape_sphere(bodies[name], xform=(*map(float, a), 0, 0, 0, 1), radius=radius, cfg=cfg)
                else:
                    capsule_between(builder, bodies[name], a, b, radius, cfg)
            if parent is None:
                joints.append(self.free_root(builder, bodies[name]))
                continue
            dofs = [hinge(axis, np.radians(low), np.radians(high), armature=0.02, damping=5.0) for axis, low, high in axes]
            joints.append(self._chain(builder, bodies[parent], bodies[name], place, dofs, name))
            torques += torque
        builder.add_articulation(joints, label="humanoid")
        # Angles of standing, within the limits: knees bent a little.
        self._torques = np.array(torques, float)

    def _chain(self, builder: Any, parent: int, child: int, place: Any, dofs: list[Any], name: str) -> int:
        return builder.add_joint_d6(parent, child, parent_xform=(*map(float, place), 0, 0, 0, 1), angular_axes=dofs, label=f"{name}_joint")

    def start(self, w: Any, rows: np.ndarray, spots: np.ndarray, draws: np.ndarray) -> None:
        super().start(w, rows, spots, draws)
        low, high = (np.asarray(a)[w.dofs[0, 6:]] for a in (w.model.joint_limit_lower, w.model.joint_limit_upper))
        w.q[rows, 7:] = np.clip(w.q[rows, 7:], low, high)

    def act(self, w: Any, actions: np.ndarray) -> None:
        w.force[:, 6:] = self._torques * actions

    def judge(self, w: Any, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        height = self.height(w)
        fell = (height < self.least_height) | (height > self.most_height) | (up_of(w.body_q[:, 0, 3:]) < 0)
        moved = self.travelled(w)
        return self.weighed(w, 5.0 * ~fell, moved, reward_forward=1.25 * moved[:, 0], reward_ctrl=-0.1 * np.sum(actions**2, axis=1)), fell

    def observe(self, w: Any) -> np.ndarray:
        above = w.body_q[:, :, 2] - w.body_q[:, :1, 2]
        return np.concatenate([self.height(w)[:, None], w.body_q[:, 0, 3:], w.q[:, 7:], w.body_qd[:, 0], w.qd[:, 6:], above, w.body_qd[:, :, 0]], axis=1)
