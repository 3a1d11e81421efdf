"""Rays into a model's shapes."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import REAL, Array, output, plain

__all__ = ["intersect_ray", "raycast"]


def intersect_ray(model: Any, *, ray_origins: Any, ray_directions: Any, ray_worlds: Any, enable_global_world: bool = True, out_dist: Any = None,
                  out_shape_id: Any = None, out_normal: Any = None, fast_math: bool = True, state: Any = None, visible: bool = False, cull_back: bool = False,
                  max_distance: float = math.inf) -> tuple[Array, Array, Array]:
    """The nearest shape that each ray meets.

    @param ray_origins, ray_directions  [rays, 3] or one row [m]; distances are in lengths of the direction
    @param ray_worlds  world of each ray, or one for all: it meets the shapes of that world, and of none if `enable_global_world`; -1 only
                       the latter
    @param state       where the bodies are; the model's initial poses when None
    @return            distances (-1: nothing), shapes (-1), unit normals (0); also written to the out arguments
    """
    del fast_math
    o = np.ascontiguousarray(plain(ray_origins), dtype=float).reshape(-1, 3)
    d = np.ascontiguousarray(plain(ray_directions), dtype=float).reshape(-1, 3)
    if len(o) != len(d):
        raise ValueError(f"ray_directions: {len(d)} for {len(o)} origins")
    w = np.ascontiguousarray(np.broadcast_to(np.asarray(plain(ray_worlds), dtype=np.int32), len(o)))
    queries = model.__dict__.get("_ray_queries")
    if queries is None:
        queries = _core.Queries(model._core)
        object.__setattr__(model, "_ray_queries", queries)
    queries.update((model.state() if state is None else state)._core)
    found = queries.cast(o, d, w, bool(visible), bool(cull_back), bool(enable_global_world), float(max_distance))
    for name, out, values, dtype in (("out_dist", out_dist, found[0], REAL), ("out_shape_id", out_shape_id, found[1], np.int32),
                                     ("out_normal", out_normal, found[2], REAL)):
        if out is not None:
            target = output(name, out, values.shape, dtype)
            target[...] = values.reshape(target.shape)
    return tuple(x.view(Array) for x in found)  # type: ignore[return-value]


def raycast(model: Any, state: Any, origins: Any, directions: Any, worlds: Any = None, **options: Any) -> tuple[Array, Array, Array]:
    """(distances, shapes, normals) of the nearest hits, in the only world or that of no world; see `mechane.intersect_ray`."""
    if worlds is None:
        worlds = 0 if model.world_count == 1 else -1
    return intersect_ray(model, ray_origins=origins, ray_directions=directions, ray_worlds=worlds, state=state, **options)


name_arguments(globals())
