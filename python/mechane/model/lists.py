"""The builder's columns as lists: `builder.body_mass[-1] = 2`."""
from __future__ import annotations

from collections.abc import Callable, Iterator, MutableSequence
from typing import Any

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import as_warp_value, backend
from ..core.values import BY_KIND, as_mat33, as_transform, as_vec3

__all__ = ["ColumnList", "COLUMNS"]

#: name -> (number of the column, kind of its elements, whether it can be written)
COLUMNS: dict[str, tuple[int, str, bool]] = _core.builder_columns()

_INTO: dict[str, Callable[[str, Any], Any]] = {
    "vec3": as_vec3,
    "transform": lambda name, v: as_transform(v, name),
    "mat33": as_mat33,
    "float": lambda name, v: float(v),
    "int": lambda name, v: int(v),
    "bool": lambda name, v: bool(v),
    "str": lambda name, v: str(v),
    "row": lambda name, v: tuple(v),
    "mat22": lambda name, v: tuple(tuple(float(x) for x in row) for row in v),
    "mat33rows": lambda name, v: tuple(tuple(float(x) for x in row) for row in v),
}


class ColumnList(MutableSequence):
    """One quantity of all entities of a builder. Elements can be read and replaced; entities are added by the verbs."""

    __slots__ = ("_builder", "_column", "_kind", "_name")

    def __init__(self, builder: Any, name: str):
        self._builder, self._name = builder, name
        self._column, self._kind, _ = COLUMNS[name]

    def _stored(self) -> int:
        return _core.column_size(self._builder._core, self._column)

    def _more(self) -> list[Any]:
        """What was appended beyond the entities that there are; `finalize` refuses it."""
        return self._builder._appended.get(self._name, [])

    def __len__(self) -> int:
        return self._stored() + len(self._more())

    def _index(self, index: Any) -> int:
        i = index.__index__()
        n = len(self)
        if i < -n or i >= n:
            raise IndexError(f"{self._name} index {i} out of range, there are {n}")
        return i + n if i < 0 else i

    def _get(self, i: int) -> Any:
        if i >= self._stored():
            return self._more()[i - self._stored()]
        raw = _core.column_get(self._builder._core, self._column, i)
        if self._kind not in BY_KIND:
            return raw
        value = tuple.__new__(BY_KIND[self._kind], raw)
        return value if backend.handed_out is None else as_warp_value(value)

    def _set(self, i: int, value: Any) -> None:
        if i >= self._stored():
            self._more()[i - self._stored()] = value
            return
        into = _INTO.get(self._kind)
        _core.column_set(self._builder._core, self._column, i, into(self._name, value) if into else BY_KIND[self._kind](value))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self._get(i) for i in range(*index.indices(len(self)))]
        return self._get(self._index(index))

    def __setitem__(self, index, value) -> None:
        if isinstance(index, slice):
            at = range(*index.indices(len(self)))
            values = list(value)
            if len(values) != len(at):
                raise ValueError(f"{self._name}: {len(values)} values for {len(at)} places; entities are added by the builder's verbs")
            for i, v in zip(at, values):
                self._set(i, v)
        else:
            self._set(self._index(index), value)

    def __iter__(self) -> Iterator[Any]:
        return iter([self._get(i) for i in range(len(self))])

    def __delitem__(self, index) -> None:
        raise TypeError(f"{self._name}: entities of a builder cannot be removed")

    def insert(self, index: int, value: Any) -> None:
        if index == len(self) and COLUMNS[self._name][2]:
            self._builder._appended.setdefault(self._name, []).append(value)
            return
        raise TypeError(f"{self._name}: entities are added by the builder's verbs, not one column at a time")

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if hasattr(other, "__iter__") and not isinstance(other, str) else NotImplemented

    def __add__(self, other) -> list:
        return [*self, *other]

    def __radd__(self, other) -> list:
        return [*other, *self]

    def copy(self) -> list:
        return list(self)

    def __repr__(self) -> str:
        return repr(list(self))


name_arguments(globals())
