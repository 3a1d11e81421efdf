"""Where the rows of many articulations lie in the arrays of a model."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.array import handed

__all__ = ["FrequencyLayout", "custom_layout", "layout_of"]


class FrequencyLayout:
    """Rows of one kind of entity, [world, articulation, value] of a view. Regular: one start and two strides reach them all; else the rows are
    listed (`uses_explicit_model_indices`), by the first row of each articulation (`starts`) or one by one (`each`)."""

    def __init__(self, offset: int, stride_between_worlds: int, stride_within_worlds: int, value_count: int, indices: Sequence[int], device: Any = "cpu", *,
                 model_starts: Any = None, model_indices: Any = None):
        self.offset, self.stride_between_worlds, self.stride_within_worlds = int(offset), int(stride_between_worlds), int(stride_within_worlds)
        self.value_count = int(value_count)
        self._selected = [int(i) for i in indices]
        self._starts = None if model_starts is None else np.asarray(model_starts, dtype=np.int64)
        self._each = None if model_indices is None else np.asarray(model_indices, dtype=np.int64)
        together = all(b == a + 1 for a, b in zip(self._selected, self._selected[1:]))
        first = self._selected[0] if self._selected else 0
        self.slice = slice(first, first + len(self._selected)) if together else None
        self.indices = None if together else handed(np.array(self._selected, np.int32))

    @property
    def is_contiguous(self) -> bool:
        """Whether the values of one articulation follow one another."""
        return self.slice is not None and not self.uses_explicit_model_indices

    @property
    def uses_explicit_model_indices(self) -> bool:
        return self._starts is not None or self._each is not None

    @property
    def selected_value_count(self) -> int:
        return len(self._selected)

    def get_absolute_indices(self, world_count: int, count_per_world: int) -> np.ndarray:
        """Rows in the model, [world, articulation, value]."""
        selected = np.array(self._selected, dtype=np.int64)
        if self._each is not None:
            return self._each.copy()
        if self._starts is not None:
            return self._starts[..., None] + selected
        worlds, inside = np.arange(world_count) * self.stride_between_worlds, np.arange(count_per_world) * self.stride_within_worlds
        return self.offset + worlds[:, None, None] + inside[None, :, None] + selected

    def get_model_indices(self) -> Any:
        """Rows in the model, [world, articulation, value], where they are listed.

        @raises RuntimeError  the layout is regular: `get_absolute_indices` has them
        """
        if not self.uses_explicit_model_indices:
            raise RuntimeError("Explicit model indices are unavailable for this regular layout")
        return handed(self.get_absolute_indices(0, 0).astype(np.int32), "float")

    def max_model_index(self, world_count: int, count_per_world: int) -> int:
        """The largest row, -1: there is none."""
        return int(self.get_absolute_indices(world_count, count_per_world).max(initial=-1))

    def is_packed(self, world_count: int, count_per_world: int) -> bool:
        """Whether all rows of the view follow one another without a gap."""
        if not self.is_contiguous:
            return False
        rows = self.get_absolute_indices(world_count, count_per_world).reshape(-1)
        return bool((np.diff(rows) == 1).all())

    def __str__(self) -> str:
        if self._each is not None:
            return f"FrequencyLayout(\n    model_indices: shape {self._each.shape}\n)"
        if self._starts is not None:
            return f"FrequencyLayout(\n    model_starts: shape {self._starts.shape}\n    indices: {self._selected}\n)"
        return (f"FrequencyLayout(\n    offset: {self.offset}\n    stride_between_worlds: {self.stride_between_worlds}\n"
                f"    stride_within_worlds: {self.stride_within_worlds}\n    indices: {self._selected}\n)")


def _even(starts: np.ndarray) -> tuple[int, int, np.ndarray]:
    """(stride between worlds, stride within, which starts do not lie on that grid)."""
    between = int(starts[1, 0] - starts[0, 0]) if starts.shape[0] > 1 else 0
    within = int(starts[0, 1] - starts[0, 0]) if starts.shape[1] > 1 else 0
    worlds, inside = np.arange(starts.shape[0])[:, None], np.arange(starts.shape[1])
    return between, within, starts != starts[0, 0] + between * worlds + within * inside


def _made(starts: np.ndarray, between: int, within: int, offsets: list[int], **listed: Any) -> FrequencyLayout:
    extent = offsets[-1] + 1 if offsets else 0
    within = within if starts.shape[1] > 1 else extent
    return FrequencyLayout(int(starts[0, 0]), between if starts.shape[0] > 1 else within * starts.shape[1], within, extent, offsets, **listed)


def layout_of(rows: list[list[int]], owners: list[list[int]], starts: list[int], shape: tuple[int, int], homogeneous: bool,
              one_by_one: bool = False) -> tuple[FrequencyLayout | None, str | None, bool]:
    """(layout or None, why there is none, whether all articulations have equally many rows).

    @param rows        of each articulation, ascending
    @param owners      what each row belongs to, as a place among the chosen joints or links; the same in every articulation
    @param starts      from where each articulation's rows are counted
    @param one_by_one  rows may lie differently in each articulation, as those of shapes do
    """
    def lost(where: np.ndarray, *why: str) -> tuple[None, str, bool]:
        world, articulation = divmod(int(np.argmax(where)), shape[1])
        return None, f"{'; '.join(why)} (first at world {world}, articulation {articulation})", not unequal.any()

    unequal = np.array([len(r) != len(rows[0]) for r in rows])
    if unequal.any():
        return lost(unequal, "selected count differs between articulations")
    at, count = np.array(starts, dtype=np.int64), len(rows[0])
    offsets = np.array(rows, dtype=np.int64).reshape(len(rows), count) - at[:, None]
    other_owner = np.array([o != owners[0] for o in owners])
    other_place = (offsets != offsets[0]).any(axis=1)
    wrong = other_owner if one_by_one else other_owner | other_place
    if wrong.any():
        return lost(wrong, "selected values or their owners differ between articulations")
    grid = at.reshape(shape)
    between, within, misplaced = _even(grid)
    listed: dict[str, Any] = {}
    if count:
        inside = bool((grid - grid[:, :1] == within * np.arange(shape[1])).all())
        if one_by_one and (other_place.any() or not inside):
            each = (at[:, None] + offsets).reshape(*shape, count)
            odd = (each != each[0] + between * np.arange(shape[0])[:, None, None]).any(axis=(1, 2))
            if homogeneous and odd.any():
                return lost(np.repeat(odd, shape[1]), "selected rows differ between worlds")
            listed["model_indices"] = each
        elif misplaced.any():
            if homogeneous or not inside:
                return lost(misplaced.reshape(-1), "start indices are not uniformly strided")
            listed["model_starts"] = grid
    return _made(grid, between, within, offsets[0].tolist(), **listed), None, True


def custom_layout(name: str, rows: list[list[int]], shape: tuple[int, int], homogeneous: bool) -> tuple[FrequencyLayout | None, str | None]:
    """(layout, why there is none) of the rows of a custom frequency, equally many and at least one in each articulation."""
    starts = np.array([r[0] for r in rows], dtype=np.int64)
    offsets = [r - starts[0] for r in rows[0]]
    if any([r - s for r in row] != offsets for row, s in zip(rows, starts)):
        return None, f"Custom frequency '{name}' has inconsistent row ordering between articulations"
    grid = starts.reshape(shape)
    between, within, misplaced = _even(grid)
    if (grid - grid[:, :1] != within * np.arange(shape[1])).any():
        return None, f"Non-uniform strides within worlds for custom frequency '{name}' are not supported"
    if misplaced.any() and homogeneous:
        return None, f"Custom frequency '{name}' has non-uniform strides between worlds, which requires `homogeneous=False`"
    return _made(grid, between, within, [int(o) for o in offsets], **({"model_starts": grid} if misplaced.any() else {})), None
