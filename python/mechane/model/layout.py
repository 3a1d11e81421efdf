"""Where copies of a world lie."""
from __future__ import annotations

import numpy as np

from ..core.enums import Axis
from ..core.values import vec3

__all__ = ["world_grid"]


def world_grid(count: int, spacing: vec3, up: Axis) -> list[tuple[float, float, float]]:
    """Places of copies: a line along one spaced axis, a square or a cube over several, centred except along up."""
    used = [i for i in range(3) if spacing[i] > 0]
    if not used or count == 0:
        return [(0.0, 0.0, 0.0)] * count
    side = int(np.ceil(round(count ** (1.0 / len(used)), 9)))
    sizes = [1, 1, 1]
    for i in used:
        sizes[i] = side
    if len(used) == 1:
        sizes[used[0]] = count
    places = []
    for k in range(count):
        at, left = [0.0, 0.0, 0.0], k
        for i in used:
            at[i], left = (left % sizes[i]) * spacing[i], left // sizes[i]
        places.append(at)
    low, high = np.min(places, axis=0), np.max(places, axis=0)
    middle = (low + high) / 2
    middle[int(up)] = 0.0
    return [tuple(float(x) for x in np.array(p) - middle) for p in places]
