"""Points of bodies in the world."""
from __future__ import annotations

import numpy as np

__all__ = ["placed"]


def placed(body_q: np.ndarray, bodies: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points of body frames in the world; body -1 is the world."""
    out = points.astype(float)
    moving = bodies >= 0
    q = body_q[bodies[moving]].astype(float)
    u, w, v = q[:, 3:6], q[:, 6:7], out[moving]
    t = 2 * np.cross(u, v)
    out[moving] = q[:, :3] + v + w * t + np.cross(u, t)
    return out
