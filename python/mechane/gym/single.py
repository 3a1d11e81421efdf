"""Gymnasium's `Env` of one world, for `gymnasium.make`."""
from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from ..io.draw import render
from .making import worlds_of
from .randomization import Randomization
from .spaces import spaces
from .terrain import Terrain

__all__ = ["TaskEnv"]


class TaskEnv(gymnasium.Env):
    """One task in one world; parameters as those of `TaskVectorEnv`."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self, task: Any = "Cartpole", *, terrain: Terrain | str | None = None, randomization: Randomization | dict[str, Any] | None = None,
                 render_mode: str | None = None, task_options: dict[str, Any] | None = None, device: Any = None):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode: {render_mode!r}, expected None or 'rgb_array'")
        self.render_mode = render_mode
        self.worlds = worlds_of(task, 1, terrain=terrain, randomization=randomization, task_options=task_options, device=device)
        chosen = self.worlds.task
        self.metadata = {**self.metadata, "render_fps": round(1.0 / (chosen.dt * chosen.frames))}
        self.observation_space, self.action_space = spaces(chosen)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is None and self.worlds.episodes[0] < 0:
            seed = int(self.np_random.integers(2**63))
        return self.worlds.reset(seed)[0], {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        if self.worlds.episodes[0] < 0:
            raise gymnasium.error.ResetNeeded("step(): the episode was never started; call reset() first")
        seen, rewards, terminated, truncated = self.worlds.step(np.asarray(action, float).reshape(1, -1))
        info = {name: float(values[0]) for name, values in self.worlds.task.inform(self.worlds).items()}
        return seen[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> np.ndarray | None:
        """A picture, [360, 640, 3]."""
        if self.render_mode is None:
            return None
        return np.asarray(render(self.worlds.model, self.worlds.state, size=(640, 360)))
