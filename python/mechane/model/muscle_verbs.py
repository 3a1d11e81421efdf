"""Muscles: paths over points of bodies that pull along themselves with a force that the control says."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.array import REAL
from ..core.diagnostics import error
from ..core.rotations import quat_rotate
from ..core.values import as_vec3, vec3

__all__ = ["MuscleVerbs", "muscle_forces"]


class MuscleVerbs:
    """The builder's columns of muscles."""

    def _without_muscles(self) -> None:
        self.muscle_start: list[int] = []
        self.muscle_params: list[tuple[float, ...]] = []
        self.muscle_activations: list[float] = []
        self.muscle_bodies: list[int] = []
        self.muscle_points: list[vec3] = []

    @property
    def muscle_count(self) -> int:
        return len(self.muscle_start)

    def add_muscle(self, bodies: Sequence[int], positions: Sequence[Any], f0: float, lm: float, lt: float, lmax: float, pen: float) -> int:
        """A muscle over points of bodies, each in its body's frame [m]. Its pull along the path is `Control.muscle_activations` [N], as in Newton 1.8, whose
        model of a muscle is not complete: the other numbers are kept (`Model.muscle_params`) and change no force. SolverSemiImplicit and SolverFeatherstone
        apply it.

        @param f0    scale of the force [N]
        @param lm    length of the fibre [m]
        @param lt    slack length of the tendon [m]
        @param lmax  length at which the muscle is strongest [m]
        @param pen   pennation angle [rad]
        @raises ValueError  there are less than two points, or not one for each body
        """
        if len(bodies) != len(positions) or len(bodies) < 2:
            raise error(ValueError, "PYTHON_ARG_MUSCLE", f"add_muscle: {len(bodies)} bodies and {len(positions)} positions; there must be one for each, and two at least")
        for body in bodies:
            if not 0 <= int(body) < self.body_count:
                raise error(IndexError, "PYTHON_ARG_MUSCLE", f"add_muscle: there is no body {body}")
        points = [as_vec3("positions", p) for p in positions]
        self.muscle_start.append(len(self.muscle_bodies))
        self.muscle_params.append((float(f0), float(lm), float(lt), float(lmax), float(pen)))
        self.muscle_activations.append(0.0)
        self.muscle_bodies += [int(b) for b in bodies]
        self.muscle_points += points
        return len(self.muscle_start) - 1

    def _merge_muscles(self, builder: Any, bodies: int) -> None:
        """Another builder's muscles, behind so many bodies."""
        first = len(self.muscle_bodies)
        self.muscle_start += [first + at for at in builder.muscle_start]
        self.muscle_params += builder.muscle_params
        self.muscle_activations += builder.muscle_activations
        self.muscle_bodies += [bodies + b for b in builder.muscle_bodies]
        self.muscle_points += builder.muscle_points

    def _muscle_arrays(self) -> dict[str, np.ndarray]:
        """What the model has of them; the starts closed by their end."""
        return {"muscle_start": np.array([*self.muscle_start, len(self.muscle_bodies)], np.int32), "muscle_params": np.array(self.muscle_params, REAL).reshape(-1, 5),
                "muscle_bodies": np.array(self.muscle_bodies, np.int32), "muscle_points": np.array([tuple(p) for p in self.muscle_points], REAL).reshape(-1, 3),
                "muscle_activations": np.array(self.muscle_activations, REAL)}

    def _muscles_remapped(self, done: dict[str, Any]) -> None:
        """After bodies were merged: points move into the body that stayed. A point that went to the world keeps no body to pull at."""
        for i, body in enumerate(self.muscle_bodies):
            if body in done["body_merged_parent"]:
                self.muscle_points[i] = done["body_merged_transform"][body] @ self.muscle_points[i]
                body = done["body_merged_parent"][body]
            self.muscle_bodies[i] = -1 if body < 0 else done["body_remap"][body]


def muscle_forces(model: Any, state: Any, control: Any) -> np.ndarray:
    """Wrenches at the centres of mass, [bodies, 6], of all muscles: each point is pulled towards its neighbours on other bodies."""
    out = np.zeros((model.body_count, 6))
    pulls = None if control is None else control.muscle_activations
    starts, bodies = np.asarray(model.muscle_start), np.asarray(model.muscle_bodies)
    pulls = np.asarray(model.muscle_activations if pulls is None else pulls.numpy() if hasattr(pulls, "numpy") else pulls, float)
    poses = np.asarray(state._np("body_q"), float)
    points, centres = np.asarray(model.muscle_points, float), np.asarray(model._np("body_com"), float)

    def at(k: int) -> tuple[np.ndarray, np.ndarray]:
        """Where a point is, and from the centre of mass of its body."""
        body = bodies[k]
        if body < 0:
            return points[k], np.zeros(3)
        turned = np.asarray(quat_rotate(poses[body, 3:], points[k]), float)
        return poses[body, :3] + turned, turned - np.asarray(quat_rotate(poses[body, 3:], centres[body]), float)

    for muscle, pull in enumerate(pulls):
        for k in range(starts[muscle], starts[muscle + 1] - 1):
            if bodies[k] == bodies[k + 1]:
                continue
            (a, arm_a), (b, arm_b) = at(k), at(k + 1)
            length = float(np.linalg.norm(b - a))
            if not length > 0:
                continue
            force = (b - a) / length * pull
            for body, arm, f in ((bodies[k], arm_a, force), (bodies[k + 1], arm_b, -force)):
                if body >= 0:
                    out[body] += [*f, *np.cross(arm, f)]
    return out
