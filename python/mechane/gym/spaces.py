"""Gymnasium's spaces of tasks."""
from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box

from .task import Task

__all__ = ["spaces"]


def spaces(task: Task) -> tuple[Box, Box]:
    """(observations, actions) of one world."""
    return (Box(-np.inf, np.inf, (task.observation_size,), np.float32), Box(-1.0, 1.0, (task.action_size,), np.float32))
