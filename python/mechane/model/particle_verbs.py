"""The builder's verbs for particles."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import kind_of
from ..core.enums import ParticleFlags
from ..core.rotations import quat_to_matrix
from ..core.values import as_quat, as_vec3

__all__ = ["ParticleVerbs"]


def _rows(name: str, values: Any, count: int, shape: tuple[int, ...] = ()) -> np.ndarray:
    """One value for each particle, as the extension takes them."""
    if values is None or len(values) != count:
        given = "None" if values is None else len(values)
        raise kind_of(ValueError)(f"{name} length mismatch: expected {count} values to match pos, got {given}", "PYTHON_ARG_SHAPE")
    rows = np.ascontiguousarray(plain(values), float) if count else np.zeros((0, *shape))
    if rows.shape != (count, *shape):
        raise kind_of(ValueError)(f"{name}: shape {rows.shape}, expected {(count, *shape)}", "PYTHON_ARG_SHAPE")
    return rows


class ParticleVerbs:
    """Mixed into ModelBuilder. Particles belong to the open world; positions [m] and velocities [m/s] are in its axes.

    A particle of mass 0 [kg] is moved by nothing but the caller; one without the flag ACTIVE is out of play.
    """

    def add_particle(self, pos: Any, vel: Any, mass: float, radius: float | None = None, flags: int = ParticleFlags.ACTIVE,
                     custom_attributes: dict[str, Any] | None = None) -> int:
        """A particle, with `default_particle_radius` [m] where no radius is given. Returns its index."""
        index = self.particle_count
        self.add_particles([as_vec3("pos", pos)], [as_vec3("vel", vel)], [mass], None if radius is None else [radius], [flags],
                           {key: [value] for key, value in (custom_attributes or {}).items()})
        return index

    def add_particles(self, pos: Any, vel: Any, mass: Any, radius: Any = None, flags: Any = None, custom_attributes: dict[str, Any] | None = None) -> None:
        """Several at once: lists of as many positions, velocities, masses, and, where they are given, radii, flags and custom values.

        @raises ValueError  a list has another length than `pos`
        """
        n, first = len(pos), self.particle_count
        rows = (_rows("pos", pos, n, (3,)), _rows("vel", vel, n, (3,)), _rows("mass", mass, n),
                np.full(n, float(self.default_particle_radius)) if radius is None else _rows("radius", radius, n),
                np.full(n, int(ParticleFlags.ACTIVE), np.int32) if flags is None else _rows("flags", flags, n).astype(np.int32))
        for name, row in (("mass", rows[2]), ("radius", rows[3])):
            bad = np.flatnonzero(~(np.isfinite(row) & (row >= 0)))
            if len(bad):
                raise kind_of(ValueError)(f"{name}[{bad[0]}] is {row[bad[0]]}, expected a finite number from 0 on", "PYTHON_ARG_NUMBER")
        for name, row in (("pos", rows[0]), ("vel", rows[1])):
            bad = np.flatnonzero(~np.isfinite(row).all(axis=1))
            if len(bad):
                raise kind_of(ValueError)(f"{name}[{bad[0]}] is {tuple(row[bad[0]])}, expected finite numbers", "PYTHON_ARG_NUMBER")
        for key, values in (custom_attributes or {}).items():
            if len(values) != n:
                raise kind_of(ValueError)(f"custom attribute {key!r}: {len(values)} values for {n} particles", "PYTHON_ARG_SHAPE")
        for i in range(n):
            self._values_of("PARTICLE", first + i, {key: values[i] for key, values in (custom_attributes or {}).items()})
        self._core.add_particles(*rows)

    def add_particle_grid(self, *, pos: Any, rot: Any, vel: Any, dim_x: int, dim_y: int, dim_z: int, cell_x: float, cell_y: float, cell_z: float,
                          mass: float, jitter: float, radius_mean: float | None = None, radius_std: float = 0.0, flags: Any = None,
                          custom_attributes: dict[str, Any] | None = None) -> None:
        """A lattice of dim_x * dim_y * dim_z particles that are `cell_*` [m] apart, turned by `rot` about its first one at `pos`.

        `jitter` [m] is the width of an even distribution that each coordinate is moved by, `radius_std` [m] the deviation of normally
        distributed radii; both come from a generator whose seed depends on the number of particles before, so that the same calls give
        the same particles. `flags` and custom values are of all of them alike, or lists.
        """
        axes = (np.arange(n) * cell for n, cell in ((dim_x, cell_x), (dim_y, cell_y), (dim_z, cell_z)))
        points = np.stack(np.meshgrid(*axes)).reshape(3, -1).T
        n = len(points)
        turn = quat_to_matrix(np.array(as_quat("rot", rot)))
        random = np.random.default_rng(42 + self.particle_count)
        points = points @ turn.T + np.array(as_vec3("pos", pos)) + (random.random((n, 3)) - 0.5) * jitter
        radii = np.full(n, self.default_particle_radius if radius_mean is None else radius_mean, float)
        if radius_std > 0:
            radii += random.standard_normal(n) * radius_std

        def each(value: Any) -> Any:
            several = isinstance(value, (np.ndarray, Sequence)) and not isinstance(value, (str, bytes))
            return value if several else [value] * n

        self.add_particles(points, [tuple(as_vec3("vel", vel))] * n, [mass] * n, radii, None if flags is None else each(flags),
                           {key: each(value) for key, value in (custom_attributes or {}).items()})


name_arguments(globals())
