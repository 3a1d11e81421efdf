"""What may differ from world to world and from episode to episode."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arguments import whole
from ..core.array import reals
from ..core.enums import ModelFlags
from .draws import normals, uniforms

__all__ = ["Randomization"]

_MASS, _FRICTION, _GAIN, _DELAY, _PUSH, _NOISE = 16, 17, 18, 19, 20, 21  # streams of random numbers


@dataclass(frozen=True, kw_only=True)
class Randomization:
    """Ranges from which each world draws at each of its resets. What is left as it is does not vary.

    Masses, frictions and gains are factors of the model's own values. The inertia of a body grows with its mass.
    """

    mass: tuple[float, float] = (1.0, 1.0)  #: factor of each body's mass and inertia
    friction: tuple[float, float] = (1.0, 1.0)  #: factor of the friction of all shapes of a world
    gains: tuple[float, float] = (1.0, 1.0)  #: factor of each drive's stiffness and damping
    delay: tuple[int, int] = (0, 0)  #: steps by which actions come late
    push_every: int = 0  #: steps between two pushes of the root; 0: none
    push_speed: float = 0.0  #: standard deviation of the velocity that a push adds, along each horizontal axis [m/s]
    observation_noise: float = 0.0  #: standard deviation of what is added to each observation

    def __post_init__(self) -> None:
        for name in ("mass", "friction", "gains", "delay"):
            reals(name, getattr(self, name), 2)
            low, high = getattr(self, name)
            least = 0 if name in ("delay", "friction", "gains") else 1e-6
            if not least <= low <= high < float("inf"):
                raise ValueError(f"Randomization: {name} is ({low}, {high}), expected two rising numbers from {least} on")
        for name, numbers in (("delay", self.delay), ("push_every", (self.push_every,))):
            for number in numbers:
                whole(f"Randomization: {name}", number)  # steps are counted
        for name in ("push_every", "push_speed", "observation_noise"):
            reals(name, getattr(self, name), 1)
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"Randomization: {name} is {getattr(self, name)}, expected at least 0")
        if (self.push_every == 0) != (self.push_speed == 0):
            raise ValueError(f"Randomization: push_every is {self.push_every} and push_speed {self.push_speed}; a push needs both")


class Randomizer:
    """Writes the draws of a `Randomization` into the arrays of a model."""

    def __init__(self, chosen: Randomization, worlds: Any):
        self.chosen, self._worlds = chosen, worlds
        model, count = worlds.model, worlds.count
        bodies = worlds.bodies  # rows of each world's bodies, [worlds, bodies]
        self._bodies, self._dofs, self._shapes = bodies, worlds.dofs, worlds.shapes
        self._mass, self._inertia = np.array(model.body_mass)[bodies], np.array(model.body_inertia)[bodies]
        self._mu = np.array(model.shape_material_mu)[self._shapes]
        self._ke, self._kd = np.array(model.joint_target_ke)[self._dofs], np.array(model.joint_target_kd)[self._dofs]
        self.delay = np.zeros(count, np.int64)

    def _factors(self, stream: int, rows: np.ndarray, span: tuple[float, float], count: int) -> np.ndarray:
        w = self._worlds
        return span[0] + (span[1] - span[0]) * uniforms(w.seeds[rows], stream, w.streams[rows], w.episodes[rows], count)

    def reset(self, rows: np.ndarray) -> None:
        """New draws for these worlds."""
        c, model, flags = self.chosen, self._worlds.model, 0
        if c.mass != (1.0, 1.0):
            factor = self._factors(_MASS, rows, c.mass, self._bodies.shape[1])
            at = self._bodies[rows]
            model.body_mass[at] = self._mass[rows] * factor
            model.body_inertia[at] = self._inertia[rows] * factor[:, :, None, None]
            model.body_inv_mass[at] = np.divide(1.0, model.body_mass[at], out=np.zeros_like(factor), where=model.body_mass[at] > 0)
            model.body_inv_inertia[at] = np.linalg.pinv(np.asarray(model.body_inertia[at], np.float64))
            flags |= int(ModelFlags.BODY_INERTIAL_PROPERTIES)
        if c.friction != (1.0, 1.0):
            model.shape_material_mu[self._shapes[rows]] = self._mu[rows] * self._factors(_FRICTION, rows, c.friction, 1)
            flags |= int(ModelFlags.SHAPE_PROPERTIES)
        if c.gains != (1.0, 1.0):
            factor = self._factors(_GAIN, rows, c.gains, self._dofs.shape[1])
            model.joint_target_ke[self._dofs[rows]] = self._ke[rows] * factor
            model.joint_target_kd[self._dofs[rows]] = self._kd[rows] * factor
            flags |= int(ModelFlags.JOINT_DOF_PROPERTIES)
        if c.delay != (0, 0):
            self.delay[rows] = np.floor(self._factors(_DELAY, rows, (c.delay[0], c.delay[1] + 1), 1)[:, 0]).astype(np.int64)
        if flags:
            self._worlds.solver.notify_model_changed(flags)

    def push(self) -> None:
        """Velocity for the roots of the worlds whose time has come."""
        c, w = self.chosen, self._worlds
        if c.push_every == 0 or c.push_speed == 0:
            return
        rows = np.flatnonzero((w.ages > 0) & (w.ages % c.push_every == 0))
        if len(rows):
            # One stream a push: the age tells which one of the episode it is.
            kicks = np.stack([normals(w.seeds[r:r + 1], _PUSH + 64 * int(w.ages[r] // c.push_every), w.streams[r:r + 1], w.episodes[r:r + 1], 2)[0] for r in rows])
            w.task.push(w, rows, c.push_speed * kicks)

    def noise(self, observations: np.ndarray) -> np.ndarray:
        """Observations as sensors with noise would give them."""
        c, w = self.chosen, self._worlds
        if c.observation_noise == 0:
            return observations
        moments = w.episodes * np.int64(1_000_003) + w.ages
        return observations + c.observation_noise * normals(w.seeds, _NOISE, w.streams, moments, observations.shape[1])
