"""A quadruped of the Go2's size that follows commanded velocities, driven by targets of its joints."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..model.configs import JointDofConfig, ShapeConfig
from .draws import uniforms
from .legged import Legged, capsule_between, facing
from .task import turned_back

__all__ = ["Go2Walk"]

_COMMAND = 32  # a stream of random numbers

#: Angles of standing [rad]: hip, thigh, calf of the front and of the hind legs.
_STAND = {"FL": (0.1, 0.8, -1.5), "FR": (-0.1, 0.8, -1.5), "RL": (0.1, 1.0, -1.5), "RR": (-0.1, 1.0, -1.5)}


class Go2Walk(Legged):
    """Walks and turns as it is told, up to 1 m/s forwards, 0.5 m/s sideways and 1 rad/s.

    Observations: velocity and angular velocity of the trunk in its axes, direction of gravity there, the command (vx, vy, turn), 12 angles from
    standing, 12 rates, the last action. Actions move the targets of the drives (25 N m/rad, 0.5 N m s/rad) by up to 0.5 rad from standing. Reward: how
    well the command is followed, less vertical motion, tilting, torque and haste. It ends when the trunk is below 0.15 m or tilts more than 60 degrees.
    Lengths, masses and torques are those that the maker of the Go2 states; boxes and capsules stand for its meshes.

    @param asset  a stage of the real robot to take instead, whose drives and twelve hinges are named in the same order
    """

    name = "Go2Walk"
    dt, frames, substeps = 0.005, 4, 2
    episode_steps, action_size, observation_size, draws = 1000, 12, 48, 2 * 12 + 6 + 1
    start_height = 0.32
    spread = 0.05
    reach = 0.5  #: of the targets at an action of 1 [rad]

    def __init__(self, asset: str | None = None):
        self.asset = asset

    def build(self, builder: Any) -> None:
        if self.asset is not None:
            builder.add_usd(self.asset)
            for i in range(len(builder.joint_target_ke)):
                if i >= 6:
                    builder.joint_target_ke[i], builder.joint_target_kd[i] = 25.0, 0.5
        else:
            self._robot(builder)
        for i, angle in enumerate(np.array(list(_STAND.values())).reshape(-1)):
            builder.joint_q[7 + i] = builder.joint_target_q[7 + i] = float(angle)

    def _robot(self, builder: Any) -> None:
        shell, foot = ShapeConfig(density=0.0, mu=1.0, collision_group=-1), ShapeConfig(density=0.0, mu=1.0, collision_group=-1)

        def link(label: str, mass: float, half: Any, com: Any) -> int:
            x, y, z = (2.0 * np.asarray(half)) ** 2
            inertia = mass / 12.0 * np.array([y + z, x + z, x + y])  # of a box
            return builder.add_link(mass=mass, inertia=tuple(map(float, np.diag(inertia).reshape(-1))), com=tuple(map(float, com)), label=label)

        trunk = link("base", 6.921, (0.19, 0.047, 0.057), (0.021, 0, -0.005))
        builder.add_shape_box(trunk, hx=0.19, hy=0.047, hz=0.057, cfg=shell)
        joints = [self.free_root(builder, trunk)]
        for leg, (sx, sy) in {"FL": (1, 1), "FR": (1, -1), "RL": (-1, 1), "RR": (-1, -1)}.items():
            hip = link(f"{leg}_hip", 0.678, (0.04, 0.04, 0.04), (-0.005 * sx, 0.002 * sy, 0))
            thigh = link(f"{leg}_thigh", 1.152, (0.02, 0.02, 0.107), (-0.004, -0.022 * sy, -0.027))
            calf = link(f"{leg}_calf", 0.154 + 0.04, (0.01, 0.01, 0.107), (0.005, 0, -0.13))
            capsule_between(builder, thigh, (0, 0, -0.03), (0, 0, -0.19), 0.022, shell)
            capsule_between(builder, calf, (0, 0, -0.02), (0, 0, -0.18), 0.012, shell)
            builder.add_shape_sphere(calf, xform=(0, 0, -0.213, 0, 0, 0, 1), radius=0.022, cfg=foot)
            for parent, child, place, axis, low, high, effort in (
                    (trunk, hip, (0.1934 * sx, 0.0465 * sy, 0), "X", -1.0472, 1.0472, 23.7),
                    (hip, thigh, (0, 0.0955 * sy, 0), "Y", *((-1.5708, 3.4907) if sx > 0 else (-0.5236, 4.5379)), 23.7),
                    (thigh, calf, (0, 0, -0.213), "Y", -2.7227, -0.83776, 45.43)):
                dof = JointDofConfig(axis=axis, limit_lower=low, limit_upper=high, effort_limit=effort, armature=0.01, damping=0.0,
                                     target_ke=25.0, target_kd=0.5)
                joints.append(builder.add_joint_d6(parent, child, parent_xform=(*place, 0, 0, 0, 1), angular_axes=[dof], label=f"{builder.body_label[child]}_joint"))
        builder.add_articulation(joints, label="go2")

    def bind(self, w: Any) -> None:
        super().bind(w)
        self._stand = np.array(list(_STAND.values())).reshape(-1)
        self.command = np.zeros((w.count, 3))

    def start(self, w: Any, rows: np.ndarray, spots: np.ndarray, draws: np.ndarray) -> None:
        super().start(w, rows, spots, draws)
        w.q[rows, 3:7] = facing(draws[:, -1])
        u = uniforms(w.seeds[rows], _COMMAND, w.streams[rows], w.episodes[rows], 3)
        self.command[rows] = (2.0 * u - 1.0) * [1.0, 0.5, 1.0]

    def act(self, w: Any, actions: np.ndarray) -> None:
        w.target[:, 7:] = self._stand + self.reach * actions

    def judge(self, w: Any, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        velocity, turning, down = self.root_motion(w)
        fell = (self.height(w) < 0.15) | (down[:, 2] > -0.5)
        follows = np.exp(-np.sum((velocity[:, :2] - self.command[:, :2]) ** 2, axis=1) / 0.25)
        turns = np.exp(-((turning[:, 2] - self.command[:, 2]) ** 2) / 0.25)
        haste = np.sum((actions - w.last_actions) ** 2, axis=1)
        torque = 25.0 * (w.target[:, 7:] - w.q[:, 7:]) - 0.5 * w.qd[:, 6:]
        reward = (1.5 * follows + 0.75 * turns - 2.0 * velocity[:, 2] ** 2 - 0.05 * np.sum(turning[:, :2] ** 2, axis=1)
                  - 2.5 * np.sum(down[:, :2] ** 2, axis=1) - 2e-4 * np.sum(torque**2, axis=1) - 0.01 * haste)
        return reward * (self.dt * self.frames), fell

    def observe(self, w: Any) -> np.ndarray:
        velocity, turning, down = self.root_motion(w)
        return np.concatenate([velocity, turning, down, self.command, w.q[:, 7:] - self._stand, w.qd[:, 6:], w.last_actions], axis=1)

    def pointing(self, w: Any) -> np.ndarray:
        """The command along the world's axes, for drawings. [worlds, 3]"""
        flat = np.concatenate([self.command[:, :2], np.zeros((w.count, 1))], axis=1)
        turn = w.body_q[:, 0, 3:].astype(float).copy()
        turn[:, :3] *= -1.0
        return turned_back(turn, flat)
