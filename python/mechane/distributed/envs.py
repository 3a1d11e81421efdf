"""Worlds of one task in several processes, stepped together."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..gym.making import worlds_of
from ..gym.worlds import digest_of
from .cluster import ask_ray, spans

__all__ = ["DistributedWorlds"]


class _Part:
    """What an actor of Ray holds."""

    def __init__(self, task: Any, count: int, first: int, options: dict[str, Any]):
        self.worlds = worlds_of(task, count, first=first, **options)

    def process(self) -> int:
        import os
        return os.getpid()

    def reset(self, seed: int | None, mask: Any) -> Any:
        return self.worlds.reset(seed, mask)

    def step(self, actions: np.ndarray) -> Any:
        return self.worlds.step(actions)

    def snapshot(self) -> bytes:
        return self.worlds.snapshot()

    def restore(self, snapshot: bytes) -> None:
        self.worlds.restore(snapshot)

    def digests(self) -> list[str]:
        return self.worlds.digests()

    def sizes(self) -> tuple[int, int]:
        return self.worlds.task.observation_size, self.worlds.task.action_size


class DistributedWorlds:
    """`Worlds` cut into actors. Observations, rewards and flags are those of one process, number for number.

    The driver keeps each part's last snapshot and the actions since then. When an actor is lost, another one takes the snapshot, goes through the same
    actions, and the step goes on.

    @param workers   actors
    @param keep      steps between two snapshots
    @param options   as those of `rollout`
    """

    def __init__(self, task: Any, count: int, *, workers: int = 2, keep: int = 50, **options: Any):
        if keep < 1:
            raise ValueError(f"keep is {keep}, expected at least 1")
        self._ray = ask_ray()
        self.count, self.keep, self.replaced = int(count), int(keep), 0
        self._make = self._ray.remote(num_cpus=1, max_restarts=0)(_Part)
        self._task, self._options, self._spans = task, options, spans(self.count, int(workers))
        self._actors = [self._new(k) for k in range(len(self._spans))]
        self._snapshots: list[bytes | None] = [None] * len(self._spans)
        self._since: list[list[tuple[str, tuple[Any, ...]]]] = [[] for _ in self._spans]
        self._steps = 0
        self.observation_size, self.action_size = self._all("sizes", [()] * len(self._spans))[0]

    def _new(self, k: int) -> Any:
        begin, end = self._spans[k]
        return self._make.remote(self._task, end - begin, begin, self._options)

    def _again(self, k: int) -> None:
        """A new actor that is where the lost one was."""
        self.replaced += 1
        self._actors[k] = self._new(k)
        if self._snapshots[k] is not None:
            self._ray.get(self._actors[k].restore.remote(self._snapshots[k]))
        for name, arguments in self._since[k]:
            self._ray.get(getattr(self._actors[k], name).remote(*arguments))

    def _all(self, name: str, arguments: list[tuple[Any, ...]], changes: bool = False) -> list[Any]:
        """A method of every actor at once; those that were lost are replaced and asked again."""
        lost = (self._ray.exceptions.RayActorError, self._ray.exceptions.WorkerCrashedError)
        pending = [getattr(actor, name).remote(*given) for actor, given in zip(self._actors, arguments)]
        out = []
        for k, answer in enumerate(pending):
            for attempt in range(6):
                try:
                    out.append(self._ray.get(answer))
                    break
                except lost:
                    if attempt == 5:
                        raise
                    try:
                        self._again(k)
                    except lost:
                        pass
                    answer = getattr(self._actors[k], name).remote(*arguments[k])
            if changes:
                self._since[k].append((name, arguments[k]))
        return out

    def reset(self, seed: int | None = None, mask: Any = None) -> np.ndarray:
        """As `Worlds.reset`."""
        chosen = None if mask is None else np.asarray(mask, bool)
        return np.concatenate(self._all("reset", [(seed, None if chosen is None else chosen[a:b]) for a, b in self._spans], changes=True))

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """As `Worlds.step`."""
        given = np.asarray(actions, np.float64)
        if given.shape != (self.count, self.action_size):
            raise ValueError(f"actions: shape {given.shape}, expected ({self.count}, {self.action_size})")
        parts = self._all("step", [(given[a:b],) for a, b in self._spans], changes=True)
        self._steps += 1
        if self._steps % self.keep == 0:
            self._snapshots = list(self._all("snapshot", [()] * len(self._spans)))
            self._since = [[] for _ in self._spans]
        return tuple(np.concatenate(column) for column in zip(*parts))  # type: ignore[return-value]

    def digest(self) -> str:
        """As `Worlds.digest`: of all worlds."""
        return digest_of([d for part in self._all("digests", [()] * len(self._spans)) for d in part])

    def processes(self) -> list[int]:
        """Process ids of the actors, on their machines."""
        return self._all("process", [()] * len(self._spans))

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors = []

    def __enter__(self) -> "DistributedWorlds":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
