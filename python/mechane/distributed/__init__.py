"""Work for many processes and machines, on Ray: rollouts, environments, sweeps of parameters, checks of asset folders.

Everything is cut into parts whose results do not depend on where or how often they are computed. A worker that is lost is replaced, its parts are
computed again, and the result has the same hash. `ray.init()` chooses the cluster; without it Ray starts one on this machine.
"""
from __future__ import annotations

from .assets import AssetReport, check, dataset
from .envs import DistributedWorlds
from .rollouts import Rollout, rollout
from .sweeps import Sweep, grid, sweep

__all__ = ["AssetReport", "DistributedWorlds", "Rollout", "Sweep", "check", "dataset", "grid", "rollout", "sweep"]
