"""Environments for learning: tasks in many worlds, as NumPy arrays or as environments of Gymnasium.

    import gymnasium, mechane.gym                       # registers mechane/Cartpole-v0, mechane/Ant-v0, ...
    envs = gymnasium.make_vec("mechane/Ant-v0", num_envs=256, vectorization_mode="vector_entry_point")

`Worlds` and the tasks need NumPy alone. What needs Gymnasium says so when it is used without it.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.diagnostics import error
from .cartpole import Cartpole
from .go2 import Go2Walk
from .legged import Legged
from .panda import PandaReach
from .randomization import Randomization
from .table import TASKS
from .task import Task
from .terrain import Terrain
from .walkers import Ant, Humanoid
from .worlds import Worlds

if TYPE_CHECKING:
    from .single import TaskEnv
    from .vector import TaskVectorEnv

__all__ = ["TASKS", "Ant", "Cartpole", "Go2Walk", "Humanoid", "Legged", "PandaReach", "Randomization", "Task", "Terrain",
           "Worlds", "register"]

def _gymnasium() -> Any:
    try:
        import gymnasium
    except ImportError:
        raise error(ImportError, "PYTHON_OPTIONAL_PACKAGE", "environments need the package gymnasium: pip install 'mechane[gym]'; mechane.gym.Worlds "
                    "works without it") from None
    return gymnasium


def register() -> list[str]:
    """Makes the tasks known to Gymnasium, which importing this package does where Gymnasium is installed. Returns their ids."""
    gymnasium = _gymnasium()
    ids = []
    for name, task in TASKS.items():
        ids.append(f"mechane/{name}-v0")
        if ids[-1] not in gymnasium.registry:
            gymnasium.register(ids[-1], entry_point="mechane.gym.single:TaskEnv", vector_entry_point="mechane.gym.vector:TaskVectorEnv", kwargs={"task": name},
                               max_episode_steps=None)
    return ids


def __getattr__(name: str) -> Any:
    if name == "TaskEnv":
        _gymnasium()
        from .single import TaskEnv
        return TaskEnv
    if name == "TaskVectorEnv":
        _gymnasium()
        from .vector import TaskVectorEnv
        return TaskVectorEnv
    raise AttributeError(f"module 'mechane.gym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


try:
    register()
except ImportError:
    pass  # whoever wants an environment is told
