"""Light views: one body, joint, shape, articulation or world of a model under the names of its arrays' rows."""
from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Any

from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import error, kind_of

__all__ = ["ArticulationView", "BodyView", "JointView", "ShapeView", "Views", "WorldView"]


class View:
    """`view.mass` is the row of `model.body_mass`."""

    _prefix = ""
    __slots__ = ("_model", "index")
    index: int

    def __init__(self, model: Any, index: int):
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "index", index)

    def __getattr__(self, name: str) -> Any:
        full = f"{self._prefix}_{name}"
        of = type(self._model)
        rows = None if name.startswith("_") else self._model._np(full) if full in of._names else getattr(self._model, full, None)
        if rows is None or not hasattr(rows, "__len__") or len(rows) not in (self._count(), self._count() + 1):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return rows[self.index]

    def __dir__(self) -> list[str]:
        head = f"{self._prefix}_"
        rows = {name.removeprefix(head) for name in dir(self._model) if name.startswith(head)}
        return sorted({*object.__dir__(self), *(name for name in rows if hasattr(self, name))})

    def __setattr__(self, name: str, value: Any) -> None:
        """Writes a row. As many numbers as it has are expected: one number for all of them is more likely a slip."""
        rows = self._model._np(f"{self._prefix}_{name}")
        given = plain(value)
        if given.size != rows[self.index].size:
            raise kind_of(ValueError)(f"{name}: shape {given.shape}, expected {rows.shape[1:]}", "PYTHON_ARG_SHAPE")
        rows[self.index] = given.reshape(rows.shape[1:])

    def _count(self) -> int:
        return getattr(self._model, f"{self._prefix}_count")

    def __repr__(self) -> str:
        return f"<{self._prefix} {self.index} {self.label!r}>"


class BodyView(View):
    _prefix = "body"
    __slots__ = ()

    @property
    def shapes(self) -> list[int]:
        return self._model.body_shapes[self.index]


class JointView(View):
    _prefix = "joint"
    __slots__ = ()

    @property
    def coords(self) -> slice:
        """Where the joint's coordinates lie in joint_q."""
        return slice(int(self._model._np("joint_q_start")[self.index]), int(self._model._np("joint_q_start")[self.index + 1]))

    @property
    def dofs(self) -> slice:
        """Where the joint's rates lie in joint_qd."""
        return slice(int(self._model._np("joint_qd_start")[self.index]), int(self._model._np("joint_qd_start")[self.index + 1]))


class ShapeView(View):
    _prefix = "shape"
    __slots__ = ()


class ArticulationView(View):
    _prefix = "articulation"
    __slots__ = ()

    @property
    def joints(self) -> range:
        return range(int(self._model._np("articulation_start")[self.index]), int(self._model._np("articulation_end")[self.index]))


class WorldView:
    """One world."""

    __slots__ = ("_model", "index")

    def __init__(self, model: Any, index: int):
        self._model, self.index = model, index

    @property
    def label(self) -> str:
        return f"world_{self.index}"

    @property
    def gravity(self) -> Any:
        return self._model._np("gravity")[self.index]

    def _range(self, kind: str) -> range:
        start = self._model._np(f"{kind}_world_start")
        return range(int(start[self.index]), int(start[self.index + 1]))

    @property
    def bodies(self) -> range:
        return self._range("body")

    @property
    def joints(self) -> range:
        return self._range("joint")

    @property
    def shapes(self) -> range:
        return self._range("shape")

    def __repr__(self) -> str:
        return f"<world {self.index}>"


class Views(Sequence):
    """All of one kind: by number, slice, label, or glob over labels."""

    def __init__(self, model: Any, kind: type, labels: list[str]):
        self._model, self._kind, self._labels = model, kind, labels

    def __len__(self) -> int:
        return len(self._labels)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if any(c in key for c in "*?["):
                return [self._kind(self._model, i) for i, label in enumerate(self._labels) if fnmatch.fnmatchcase(label, key)]
            if key not in self._labels:
                raise error(KeyError, "MODEL_LABEL", f"there is no {key!r}; near: {near(key, self._labels)}")
            return self._kind(self._model, self._labels.index(key))
        if isinstance(key, slice):
            return [self._kind(self._model, i) for i in range(*key.indices(len(self)))]
        i = key.__index__()
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} out of range, there are {len(self)}")
        return self._kind(self._model, i % len(self))

    def __repr__(self) -> str:
        return f"<{len(self)} {self._kind.__name__}s>"


def near(word: str, labels: list[str], count: int = 3) -> list[str]:
    """The labels that are most like a word."""
    import difflib

    return difflib.get_close_matches(word, dict.fromkeys(labels), n=count, cutoff=0.0)


name_arguments(globals())
