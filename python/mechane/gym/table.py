"""The tasks by name."""
from __future__ import annotations

from .cartpole import Cartpole
from .go2 import Go2Walk
from .panda import PandaReach
from .task import Task
from .walkers import Ant, Humanoid

__all__ = ["TASKS"]

#: name -> task; `mechane/<name>-v0` is its environment
TASKS: dict[str, type[Task]] = {task.name: task for task in (Cartpole, Ant, Humanoid, Go2Walk, PandaReach)}
