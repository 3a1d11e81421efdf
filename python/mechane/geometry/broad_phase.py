"""Broad phases: which boxes may touch."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import ignoring, name_arguments
from ..core.array import output, plain
from ..core.diagnostics import warn_unused

__all__ = ["BroadPhaseAllPairs", "BroadPhaseExplicit", "BroadPhaseSAP"]


class _BroadPhase:
    """Which boxes may touch, by world and group; pairs come sorted and once."""

    _mode = ""

    @ignoring("sweep_thread_count_multiplier sort_type tile_block_dim")
    def __init__(self, shape_world: Any = None, shape_flags: Any = None, geom_cutoff: Any = None, device: Any = None, **unused: Any):
        warn_unused(type(self), unused)
        self._world = None if shape_world is None else np.ascontiguousarray(plain(shape_world), dtype=np.int32)
        self._flags = None if shape_flags is None else np.asarray(plain(shape_flags))

    @ignoring("skip_count_zero shape_body body_flags include_static_kinematic_pairs shape_displacement sort_axis_displacement_limit")
    def launch(self, shape_lower: Any, shape_upper: Any, shape_gap: Any, shape_collision_group: Any, shape_world: Any, shape_count: int,
               candidate_pair: Any, candidate_pair_count: Any, device: Any = None, filter_pairs: Any = None, num_filter_pairs: int | None = None,
               **unused: Any) -> None:
        """Fills `candidate_pair` [capacity, 2] and `candidate_pair_count` [1]; the count is the demand, also when it does not fit."""
        warn_unused(_BroadPhase.launch, unused)
        n = int(shape_count)
        lower, upper = (np.ascontiguousarray(plain(x), dtype=float).reshape(-1, 3)[:n] for x in (shape_lower, shape_upper))
        if shape_gap is not None:
            gap = np.asarray(plain(shape_gap), dtype=float).reshape(-1)[:n, None]
            lower, upper = lower - gap, upper + gap
        groups = np.ascontiguousarray(plain(shape_collision_group), dtype=np.int32)[:n]
        worlds = np.ascontiguousarray(plain(shape_world) if shape_world is not None else self._world, dtype=np.int32)[:n]
        active = np.ones(n, np.uint8) if self._flags is None else ((self._flags[:n] & 2) != 0).astype(np.uint8)
        excluded = [] if filter_pairs is None else [tuple(sorted(map(int, p))) for p in np.asarray(plain(filter_pairs)).reshape(-1, 2)[:num_filter_pairs]]
        self._write(candidate_pair, candidate_pair_count, lambda limit: _core.broad_phase(
            self._mode, np.ascontiguousarray(lower), np.ascontiguousarray(upper), worlds, groups, active, excluded, limit))

    @property
    def num_regular_worlds(self) -> int:
        """Worlds that have a shape which collides; what belongs to none is not one."""
        if self._world is None:
            return 0
        worlds = self._world
        if self._flags is not None:
            worlds = worlds[(self._flags[:len(worlds)] & 2) != 0]
        return len(np.unique(worlds[worlds >= 0]))

    @property
    def world_count(self) -> int:
        """Groups of shapes that are looked at by themselves: worlds, and what belongs to none."""
        return self.num_regular_worlds + 1

    @staticmethod
    def _write(candidate_pair: Any, candidate_pair_count: Any, find: Any) -> None:
        pairs = output("candidate_pair", candidate_pair, None, np.int32).reshape(-1, 2)
        count = output("candidate_pair_count", candidate_pair_count, (1,), np.int32)
        demand, rows = find(len(pairs))
        pairs[: len(rows)] = rows
        count[0] = demand


class BroadPhaseAllPairs(_BroadPhase):
    """Every pair of every world."""

    _mode = "nxn"


class BroadPhaseSAP(_BroadPhase):
    """Sweep and prune along the axis of greatest spread."""

    _mode = "sap"


class BroadPhaseExplicit(_BroadPhase):
    """Tests a list of pairs."""

    @ignoring("skip_count_zero shape_body body_flags include_static_kinematic_pairs shape_displacement sort_axis_displacement_limit")
    def launch(self, shape_lower: Any, shape_upper: Any, shape_gap: Any, shape_pairs: Any, shape_pair_count: int, candidate_pair: Any,  # type: ignore[override]
               candidate_pair_count: Any, device: Any = None, **unused: Any) -> None:
        warn_unused(BroadPhaseExplicit.launch, unused)
        lower, upper = (np.asarray(plain(x), dtype=float).reshape(-1, 3) for x in (shape_lower, shape_upper))
        if shape_gap is not None:
            gap = np.asarray(plain(shape_gap), dtype=float).reshape(-1, 1)
            lower, upper = lower - gap, upper + gap

        def find(limit: int) -> tuple[int, np.ndarray]:
            listed = np.unique(np.sort(np.asarray(plain(shape_pairs), dtype=np.int32).reshape(-1, 2)[: int(shape_pair_count)], axis=1), axis=0)
            a, b = listed[:, 0], listed[:, 1]
            meet = listed[((lower[a] <= upper[b]) & (lower[b] <= upper[a])).all(axis=1)]
            return len(meet), meet[:limit]

        self._write(candidate_pair, candidate_pair_count, find)


name_arguments(globals())
