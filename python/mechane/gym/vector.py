"""Gymnasium's `VectorEnv` over worlds of one model."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..core.arguments import whole
from ..io.draw import render
from .making import worlds_of
from .randomization import Randomization
from .spaces import spaces
from .terrain import Terrain

__all__ = ["TaskVectorEnv", "handed_out"]


def handed_out(arrays: str) -> Callable[[np.ndarray], Any]:
    """The function that shows an array as one of another library, over the same memory (DLPack)."""
    if arrays == "numpy":
        return lambda array: array
    if arrays == "torch":
        import torch
        return torch.from_dlpack
    if arrays == "jax":
        import jax
        return jax.dlpack.from_dlpack
    raise ValueError(f"arrays: {arrays!r}, expected 'numpy', 'torch' or 'jax'")


class TaskVectorEnv(VectorEnv):
    """One task in `num_envs` worlds that are stepped together.

    Observations, rewards and flags are new arrays at every step: what was handed out before stays as it was. Actions may be arrays of NumPy, or
    of Torch or JAX in the processor's memory; they are read where they lie.

    @param task            name of a task (`mechane.gym.TASKS`), or a `Task` of one's own
    @param terrain         a `Terrain`, or the name of its kind; flat if None
    @param randomization   a `Randomization`, or a dict of its fields
    @param autoreset_mode  what happens to worlds whose episode ended: NEXT_STEP (the next step starts them again and ignores their actions), SAME_STEP
        (they start again at once; the last observations are in info["final_obs"]), DISABLED (`reset(options={"reset_mask": mask})` starts them)
    @param arrays          "numpy", "torch" or "jax"
    @param first           number of the first world of a larger run; numbers do not depend on how a run is divided
    @param device          what steps the worlds (`Worlds`): None or "cpu", "cuda", "cuda:N", "host"
    """

    def __init__(self, num_envs: int = 1, task: Any = "Cartpole", *, terrain: Terrain | str | None = None,
                 randomization: Randomization | dict[str, Any] | None = None, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
                 arrays: str = "numpy", render_mode: str | None = None, first: int = 0, task_options: dict[str, Any] | None = None, device: Any = None):
        self.num_envs = whole("num_envs", num_envs)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": ["rgb_array"], "autoreset_mode": self.autoreset_mode}
        self._shown = handed_out(arrays)
        self.arrays, self.render_mode = arrays, render_mode
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode: {render_mode!r}, expected None or 'rgb_array'")
        self.worlds = worlds_of(task, self.num_envs, terrain=terrain, randomization=randomization, task_options=task_options, first=first, device=device)
        chosen = self.worlds.task
        self.metadata["render_fps"] = round(1.0 / (chosen.dt * chosen.frames))
        self.single_observation_space, self.single_action_space = spaces(chosen)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._ended = np.ones(self.num_envs, bool)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As Gymnasium's: `seed` is a number for all, or one for each environment, None among them being one that chance chooses."""
        each = isinstance(seed, (list, tuple, np.ndarray))
        super().reset(seed=next((int(one) for one in seed if one is not None), None) if each else seed)
        if each:
            seed = [int(self.np_random.integers(2**63)) if one is None else one for one in seed]
        mask = (options or {}).get("reset_mask")
        if seed is None and mask is None and not (self.worlds.episodes >= 0).any():
            seed = int(self.np_random.integers(2**63))
        seen = self.worlds.reset(seed, mask)
        self._ended = np.zeros(self.num_envs, bool) if mask is None else self._ended & ~np.asarray(mask, bool)
        return self._shown(seen), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        if (self.worlds.episodes < 0).any():
            raise gymnasium.error.ResetNeeded("step(): some worlds were never started; call reset() first")
        again = self._ended
        if self.autoreset_mode is AutoresetMode.DISABLED and again.any():
            raise ValueError(f"episodes of worlds {np.flatnonzero(again)[:8].tolist()} have ended: reset(options={{'reset_mask': mask}}) starts them again")
        seen, rewards, terminated, truncated = self.worlds.step(actions)
        info: dict[str, Any] = {}
        for name, values in self.worlds.task.inform(self.worlds).items():  # as Gymnasium's vectors tell them: which worlds have a value
            info[name], info[f"_{name}"] = values, np.ones(self.num_envs, bool)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and again.any():
            seen = self.worlds.reset(mask=again)
            rewards[again], terminated[again], truncated[again] = 0.0, False, False
        self._ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            final = np.full(self.num_envs, None, object)
            for i in np.flatnonzero(self._ended):
                final[i] = seen[i].copy()
            info |= {"final_obs": final, "_final_obs": self._ended.copy(), "final_info": {}, "_final_info": self._ended.copy()}
            seen = self.worlds.reset(mask=self._ended)
            self._ended = np.zeros(self.num_envs, bool)
        return self._shown(seen), self._shown(rewards), self._shown(terminated), self._shown(truncated), info

    def render(self) -> tuple[np.ndarray, ...]:
        """A picture of all worlds, which stand in one place unless the terrain spreads them, [360, 640, 3]."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode: make the environment with render_mode='rgb_array'")
            return ()
        return (np.asarray(render(self.worlds.model, self.worlds.state, size=(640, 360))),)
