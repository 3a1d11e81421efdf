"""Worlds from what can be written down: names of tasks and terrains, dicts of settings."""
from __future__ import annotations

from typing import Any

from .randomization import Randomization
from .table import TASKS
from .task import Task
from .terrain import Terrain
from .worlds import Worlds

__all__ = ["task_of", "worlds_of"]


def task_of(task: Any, options: dict[str, Any] | None = None) -> Task:
    """@raises ValueError  there is no task of this name"""
    if isinstance(task, Task):
        return task
    made = task if isinstance(task, type) and issubclass(task, Task) else TASKS.get(task)
    if made is None:
        raise ValueError(f"task: {task!r}, expected a Task or one of {', '.join(TASKS)}")
    return made(**(options or {}))


def worlds_of(task: Any, count: int, *, terrain: Terrain | str | None = None, randomization: Randomization | dict[str, Any] | None = None,
              task_options: dict[str, Any] | None = None, first: int = 0, device: Any = None) -> Worlds:
    return Worlds(task_of(task, task_options), count, first=first, device=device, terrain=Terrain(terrain) if isinstance(terrain, str) else terrain,
                  randomization=Randomization(**randomization) if isinstance(randomization, dict) else randomization)
