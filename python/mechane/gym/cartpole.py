"""A pole on a cart (Barto, Sutton, Anderson 1983), with a force instead of two pushes."""
from __future__ import annotations

from typing import Any

import numpy as np

from .task import Task

__all__ = ["Cartpole"]


class Cartpole(Task):
    """Keeps a pole of 1 m upright on a cart by pushing the cart with up to 10 N.

    Observations: place of the cart [m], its speed [m/s], angle of the pole from upright [rad], its rate [rad/s]. A reward of 1 a step; the
    episode ends when the pole leans more than 0.21 rad or the cart leaves 2.4 m.
    """

    name = "Cartpole"
    dt, frames, substeps = 0.02, 1, 2
    episode_steps, action_size, observation_size, draws = 500, 1, 4, 4
    on_ground = False
    force = 10.0  #: [N] at an action of 1
    most_angle, most_place = 12.0 * np.pi / 180.0, 2.4

    def build(self, builder: Any) -> None:
        cart = builder.add_link(mass=1.0, inertia=(0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01), label="cart")
        # A thin rod of 0.1 kg and 1 m: m l^2 / 12 about its middle.
        rod = 0.1 / 12.0
        pole = builder.add_link(mass=0.1, inertia=(rod, 0, 0, 0, rod, 0, 0, 0, 1e-5), label="pole", xform=(0, 0, 0.5, 0, 0, 0, 1))
        look = builder.ShapeConfig(density=0.0, has_shape_collision=False)
        builder.add_shape_box(cart, hx=0.2, hy=0.15, hz=0.1, cfg=look)
        builder.add_shape_capsule(pole, radius=0.025, half_height=0.475, cfg=look)
        slider = builder.add_joint_prismatic(-1, cart, axis="X", label="slider")
        hinge = builder.add_joint_revolute(cart, pole, axis="Y", child_xform=(0, 0, -0.5, 0, 0, 0, 1), label="hinge")
        builder.add_articulation([slider, hinge], label="cartpole")

    def start(self, w: Any, rows: np.ndarray, spots: np.ndarray, draws: np.ndarray) -> None:
        w.q[rows] = 0.1 * (draws[:, :2] - 0.5)
        w.qd[rows] = 0.1 * (draws[:, 2:] - 0.5)

    def act(self, w: Any, actions: np.ndarray) -> None:
        w.force[:, 0] = self.force * actions[:, 0]

    def judge(self, w: Any, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        fell = (np.abs(w.q[:, 0]) > self.most_place) | (np.abs(w.q[:, 1]) > self.most_angle)
        return np.ones(w.count), fell

    def observe(self, w: Any) -> np.ndarray:
        return np.stack([w.q[:, 0], w.qd[:, 0], w.q[:, 1], w.qd[:, 1]], axis=1)

    def push(self, w: Any, rows: np.ndarray, velocity: np.ndarray) -> None:
        w.qd[rows, 0] += velocity[:, 0]
