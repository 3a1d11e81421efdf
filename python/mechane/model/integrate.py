"""Bodies and particles under forces alone, for solvers that are written in Python."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["integrate", "integrate_particles"]


def integrate(model: Any, state_in: Any, state_out: Any, dt: float, angular_damping: float) -> None:
    """Semi-implicit Euler of free bodies: velocities of centres of mass, then poses; the gyroscopic term is explicit."""
    if not dt > 0:
        raise ValueError(f"dt is {dt}, expected a positive time [s]")
    q, qd, f = (np.array(state_in._np(name), dtype=float) for name in ("body_q", "body_qd", "body_f"))
    com, inv_mass = np.array(model._np("body_com"), dtype=float), np.array(model._np("body_inv_mass"), dtype=float)
    inertia, inverse = (np.array(model._np(name), dtype=float) for name in ("body_inertia", "body_inv_inertia"))
    gravity = np.array(model._np("gravity"), dtype=float).reshape(-1, 3)[np.array(model._np("body_world"))]  # the last is that of no world
    x, y, z, w = q[:, 3:].T
    turn = np.moveaxis(np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                                 [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]), 2, 0)
    moves = inv_mass > 0
    v = qd[:, :3] + dt * (f[:, :3] * inv_mass[:, None] + gravity * moves[:, None])
    centre = q[:, :3] + np.einsum("bij,bj->bi", turn, com) + dt * v
    rate = np.einsum("bji,bj->bi", turn, qd[:, 3:])  # in the body
    torque = np.einsum("bji,bj->bi", turn, f[:, 3:]) - np.cross(rate, np.einsum("bij,bj->bi", inertia, rate))
    omega = np.einsum("bij,bj->bi", turn, rate + dt * np.einsum("bij,bj->bi", inverse, torque))
    u = q[:, 3:6]
    turned = q[:, 3:] + 0.5 * dt * np.concatenate([omega * w[:, None] + np.cross(omega, u), -np.einsum("bi,bi->b", omega, u)[:, None]], axis=1)
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    x, y, z, w = turned.T
    arm = com + 2 * w[:, None] * np.cross(turned[:, :3], com) + 2 * np.cross(turned[:, :3], np.cross(turned[:, :3], com))
    state_out._np("body_q")[...] = np.where(moves[:, None], np.concatenate([centre - arm, turned], axis=1), q)
    state_out._np("body_qd")[...] = np.where(moves[:, None], np.concatenate([v, omega * (1 - angular_damping * dt)], axis=1), qd)


def integrate_particles(model: Any, state_in: Any, state_out: Any, dt: float) -> None:
    """Semi-implicit Euler of particles, no faster than `particle_max_velocity` [m/s]; those that are not active, or have no mass, stay as they are."""
    if not dt > 0:
        raise ValueError(f"dt is {dt}, expected a positive time [s]")
    q, qd, f = (np.array(state_in._np(name), dtype=float) for name in ("particle_q", "particle_qd", "particle_f"))
    inverse = np.array(model._np("particle_inv_mass"), dtype=float)[:, None]
    gravity = np.array(model._np("gravity"), dtype=float).reshape(-1, 3)[np.array(model._np("particle_world"))]
    v = qd + dt * (f * inverse + gravity * (inverse > 0))
    speed = np.linalg.norm(v, axis=1, keepdims=True)
    v *= np.minimum(1.0, model.particle_max_velocity / np.maximum(speed, 1e-30))
    active = (np.array(model._np("particle_flags")) & 1 != 0)[:, None]
    state_out._np("particle_q")[...] = np.where(active, q + dt * v, q)
    state_out._np("particle_qd")[...] = np.where(active, v, qd)
