"""Many worlds simulated in parts."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..gym.making import worlds_of
from ..gym.worlds import digest_of
from .cluster import ask_ray, gather, spans

__all__ = ["Rollout", "rollout"]


@dataclass(frozen=True)
class Rollout:
    """What came out, a row for each world."""

    digest: str  #: of all worlds' final coordinates and rates; does not depend on how the run was divided
    returns: np.ndarray  #: sum of rewards until the end of the first episode [worlds]
    lengths: np.ndarray  #: steps until then [worlds]
    joint_q: np.ndarray  #: final coordinates [worlds, coords]
    joint_qd: np.ndarray  #: final rates [worlds, dofs]


def _part(task: Any, options: dict[str, Any], first: int, count: int, steps: int, seed: int, policy: Callable[[np.ndarray], np.ndarray] | None) -> tuple[Any, ...]:
    worlds = worlds_of(task, count, first=first, **options)
    seen = worlds.reset(seed)
    returns, lengths, running = np.zeros(count), np.zeros(count, np.int64), np.ones(count, bool)
    idle = np.zeros((count, worlds.task.action_size))
    for _ in range(steps):
        seen, rewards, terminated, truncated = worlds.step(idle if policy is None else policy(seen))
        returns[running] += rewards[running]
        lengths[running] += 1
        running &= ~(terminated | truncated)
    return worlds.digests(), returns, lengths, worlds.q.copy(), worlds.qd.copy()


def rollout(task: Any, count: int, steps: int, *, policy: Callable[[np.ndarray], np.ndarray] | None = None, parts: int | None = None, seed: int = 0,
            progress: Callable[[int, int], None] | None = None, **options: Any) -> Rollout:
    """Runs `count` worlds of a task for `steps` steps.

    @param task     name of a task of `mechane.gym`, or a `Task`
    @param policy   observations [n, observation_size] to actions [n, action_size], row by row; no actions if None
    @param parts    tasks of Ray that the worlds are cut into; one a processor if None
    @param options  `terrain`, `randomization`, `task_options` as those of `TaskVectorEnv`
    """
    parts = max(1, int(ask_ray().cluster_resources().get("CPU", 1))) if parts is None else parts
    cut = spans(int(count), int(parts))
    done = gather(_part, [(task, options, begin, end - begin, int(steps), int(seed), policy) for begin, end in cut], progress=progress)
    digests, returns, lengths, q, qd = zip(*done)
    return Rollout(digest_of([d for part in digests for d in part]), *(np.concatenate(part) for part in (returns, lengths, q, qd)))
