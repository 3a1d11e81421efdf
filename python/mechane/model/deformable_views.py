"""Views of many curves, surfaces or volumes at once, chosen by label: Newton's `Deformable*View`."""
from __future__ import annotations

import logging
from typing import Any

import numpy as np

from ..core.array import Array, handed, plain
from ..core.arguments import name_arguments
from ..core.diagnostics import kind_of
from .custom import AttributeFrequency

__all__ = ["DeformableCurveView", "DeformableSurfaceView", "DeformableVolumeView"]


class _DeformableView:
    """Objects of one family whose labels match, world by world; what `get_*` returns has the shape [objects, elements of each, ...].

    Where the ranges of the objects follow each other at one distance, that is a view of the source's memory; else a copy.
    """

    _family = ""
    #: Kind of element -> part of the names of the model's ranges.
    _parts: dict[str, str] = {}

    def __init__(self, model: Any, pattern: Any, *, verbose: bool | None = None):
        """
        @param pattern  a glob over labels, a list of globs, a compiled expression, or indices, unique and ascending
        @raises KeyError    nothing matches
        @raises ValueError  objects of worlds and such that are in none match at once; indices are out of order or range
        """
        self.model, self.device, self.family = model, model.device, self._family
        labels, worlds = getattr(model, f"{self.family}_label"), plain(getattr(model, f"{self.family}_world")).tolist()
        chosen = self._matching(labels, pattern)
        by_world = [[i for i in chosen if worlds[i] == world] for world in range(model.world_count)]
        outside = [i for i in chosen if worlds[i] < 0]
        if outside and len(outside) < len(chosen):
            raise kind_of(ValueError)(f"the pattern {pattern!r} matches objects of worlds and such that are in none; choose one of both", "MODEL_LABEL")
        groups = [outside] if outside else by_world
        ids = [i for group in groups for i in group]
        if not ids:
            raise kind_of(KeyError)(f"{type(self).__name__}: no {self.family} matches {pattern!r}; there are {', '.join(labels[:5]) or 'none'}", "MODEL_LABEL")
        sizes = [len(group) for group in groups]
        self.count = len(ids)
        #: Objects a world; None where worlds differ.
        self.count_per_world = sizes[0] if len(set(sizes)) == 1 else None
        self.labels, self.worlds = [labels[i] for i in ids], [worlds[i] for i in ids]
        self.worlds_device = handed(np.array(self.worlds, np.int32).view(Array))
        self._boundaries = [0, *np.cumsum(sizes).tolist()]
        self.deformable_object_boundaries = handed(np.array(self._boundaries, np.int32).view(Array))
        self._ranges = {kind: list(zip(*(plain(getattr(model, f"{self.family}_{part}_{end}"))[ids].tolist() for end in ("start", "end")))) for kind, part in self._parts.items()}
        if verbose:
            logging.getLogger("mechane").info("%r: %s", self, ", ".join(f"{self.element_count(kind)} {kind}s" for kind in self._parts))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.count}: {', '.join(self.labels[:3])}{', ...' if self.count > 3 else ''}>"

    @staticmethod
    def _matching(labels: list[str], pattern: Any) -> list[int]:
        import fnmatch
        import re

        if isinstance(pattern, re.Pattern):
            return [i for i, label in enumerate(labels) if pattern.fullmatch(label)]
        items = [pattern] if isinstance(pattern, str) else list(pattern)
        if all(isinstance(one, str) for one in items):
            return [i for i, label in enumerate(labels) if any(fnmatch.fnmatchcase(label, one) for one in items)]
        if any(isinstance(one, (bool, np.bool_)) or not isinstance(one, (int, np.integer)) for one in items):
            raise kind_of(TypeError)("pattern: a list holds either globs or indices", "PYTHON_ARGUMENT")
        if any(b <= a for a, b in zip(items, items[1:])):
            raise kind_of(ValueError)("pattern: indices must be unique and in ascending order", "PYTHON_ARG_ORDER")
        if items and not 0 <= items[0] <= items[-1] < len(labels):
            raise kind_of(ValueError)(f"pattern: indices must be in range [0, {len(labels)})", "PYTHON_ARG_INDEX")
        return [int(one) for one in items]

    def _kind(self, kind: Any) -> str:
        if isinstance(kind, AttributeFrequency):
            kind = kind.name.lower()
        if not isinstance(kind, str):
            raise kind_of(TypeError)(f"kind: expected a Model.AttributeFrequency or its name, not {type(kind).__name__}", "PYTHON_ARGUMENT")
        if kind not in self._parts:
            raise kind_of(ValueError)(f"kind is {kind!r}; a {self.family} has {', '.join(self._parts)}", "PYTHON_ARGUMENT")
        return kind

    def element_count(self, kind: Any) -> int | None:
        """Elements of each object; None where objects differ."""
        sizes = {end - start for start, end in self._ranges[self._kind(kind)]}
        return sizes.pop() if len(sizes) == 1 else None

    def ranges(self, kind: Any) -> list[tuple[int, int]]:
        """First element and the one after the last, for each object."""
        return list(self._ranges[self._kind(kind)])

    def starts(self, kind: Any) -> Any:
        """The first element of each object, [count]."""
        return handed(np.array([start for start, _ in self._ranges[self._kind(kind)]], np.int32).view(Array))

    def deformable_object_ranges(self) -> list[tuple[int, int]]:
        """For each world the first of its objects in this view and the one after the last."""
        return list(zip(self._boundaries, self._boundaries[1:]))

    def set_mask_from_indices(self, mask: Any, deformable_object_indices: Any) -> None:
        """Makes `mask` [count] true for these objects of the view, and false for all others."""
        flags, chosen = plain(mask), list(deformable_object_indices)
        if flags.dtype != bool or flags.shape != (self.count,):
            raise kind_of(ValueError)(f"mask: expected {self.count} flags, not {flags.dtype} of shape {flags.shape}", "PYTHON_ARG_SHAPE")
        if any(isinstance(i, (bool, np.bool_)) or not isinstance(i, (int, np.integer)) for i in chosen):
            raise kind_of(TypeError)("deformable_object_indices: expected integers", "PYTHON_ARGUMENT")
        if any(not 0 <= i < self.count for i in chosen):
            raise kind_of(ValueError)(f"deformable_object_indices: expected numbers in [0, {self.count})", "PYTHON_ARG_INDEX")
        flags[:] = False
        flags[chosen] = True

    def _rows(self, kind: str, array: np.ndarray) -> tuple[np.ndarray, bool]:
        """[objects, elements, ...] of an array, and whether it is a view of it."""
        ranges, count = self._ranges[kind], self.element_count(kind)
        if count is None:
            raise kind_of(ValueError)(f"the objects have different numbers of {kind}s; use ranges({kind!r}) and slices", "PYTHON_ARG_SHAPE")
        if len(array) < max(end for _, end in ranges):
            raise kind_of(ValueError)(f"the source has {len(array)} {kind}s, the view needs {max(end for _, end in ranges)}", "PYTHON_ARG_SHAPE")
        start, step = ranges[0][0], ranges[1][0] - ranges[0][0] if self.count > 1 else count
        if step > 0 and all(one == start + i * step for i, (one, _) in enumerate(ranges)):
            stride = array.strides[0]
            return np.lib.stride_tricks.as_strided(array[start:], (self.count, count, *array.shape[1:]), (step * stride, stride, *array.strides[1:])), True
        return np.stack([array[a:b] for a, b in ranges]), False

    def _get(self, kind: str, name: str, source: Any) -> Any:
        held = getattr(source, name)
        if held is None:
            raise kind_of(ValueError)(f"source: a {type(source).__name__} without {name}", "PYTHON_ARG_SOURCE")
        return handed(self._rows(kind, plain(held))[0].view(Array))

    def _set(self, kind: str, name: str, target: Any, values: Any, mask: Any) -> None:
        array = plain(getattr(target, name))
        rows, _ = self._rows(kind, array)
        given = plain(values)
        if given.size != rows.size:
            raise kind_of(ValueError)(f"values: expected shape {rows.shape}, got {given.shape}", "PYTHON_ARG_SHAPE")
        given = given.reshape(rows.shape)
        if np.may_share_memory(given, array):
            given = given.copy()
        if mask is None:
            chosen = range(self.count)
        else:
            flags = plain(mask)
            if flags.dtype != bool or flags.shape != (self.count,):
                raise kind_of(ValueError)(f"mask: expected {self.count} flags, not {flags.dtype} of shape {flags.shape}", "PYTHON_ARG_SHAPE")
            chosen = np.flatnonzero(flags).tolist()
        for i in chosen:
            start, end = self._ranges[kind][i]
            array[start:end] = given[i]


class _ParticleView(_DeformableView):
    """Objects that consist of particles."""

    @property
    def particle_count(self) -> int | None:
        """Particles of each object; None where objects differ."""
        return self.element_count("particle")

    def get_particle_inv_masses(self, source: Any) -> Any:
        """Inverse masses [1/kg], [count, particles], of a model."""
        return self._get("particle", "particle_inv_mass", source)

    def get_particle_flags(self, source: Any) -> Any:
        """`ParticleFlags`, [count, particles], of a model."""
        return self._get("particle", "particle_flags", source)

    def get_particle_positions(self, source: Any) -> Any:
        """Positions [m], [count, particles, 3], of a model or state."""
        return self._get("particle", "particle_q", source)

    def set_particle_positions(self, target: Any, values: Any, *, mask: Any = None) -> None:
        """Writes positions [m], [count, particles, 3], of the objects that `mask` [count] chooses; None: of all."""
        self._set("particle", "particle_q", target, values, mask)

    def get_particle_velocities(self, source: Any) -> Any:
        """Velocities [m/s], [count, particles, 3], of a model or state."""
        return self._get("particle", "particle_qd", source)

    def set_particle_velocities(self, target: Any, values: Any, *, mask: Any = None) -> None:
        """Writes velocities [m/s], [count, particles, 3], of the objects that `mask` [count] chooses; None: of all."""
        self._set("particle", "particle_qd", target, values, mask)


class DeformableCurveView(_DeformableView):
    """Curves made of bodies and joints: rods and cables."""

    _family, _parts = "curve", {"body": "body", "joint": "joint"}

    @property
    def body_count(self) -> int | None:
        """Bodies of each curve; None where curves differ."""
        return self.element_count("body")

    def get_body_transforms(self, source: Any) -> Any:
        """Poses in the world [m, unit quaternion x y z w], [count, bodies, 7], of a model or state."""
        return self._get("body", "body_q", source)

    def set_body_transforms(self, target: Any, values: Any, *, mask: Any = None) -> None:
        """Writes poses, [count, bodies, 7], of the curves that `mask` [count] chooses; None: of all."""
        self._set("body", "body_q", target, values, mask)

    def get_body_velocities(self, source: Any) -> Any:
        """Velocity of the centre of mass [m/s] and angular velocity [rad/s] in the world, [count, bodies, 6], of a model or state."""
        return self._get("body", "body_qd", source)

    def set_body_velocities(self, target: Any, values: Any, *, mask: Any = None) -> None:
        """Writes velocities, [count, bodies, 6], of the curves that `mask` [count] chooses; None: of all."""
        self._set("body", "body_qd", target, values, mask)


class DeformableSurfaceView(_ParticleView):
    """Surfaces of triangles: cloth."""

    _family, _parts = "surface", {"particle": "particle", "triangle": "tri", "edge": "edge"}


class DeformableVolumeView(_ParticleView):
    """Volumes of tetrahedra: soft bodies."""

    _family, _parts = "volume", {"particle": "particle", "tetrahedron": "tet"}


name_arguments(globals())
