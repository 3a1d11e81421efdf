"""States of one's own: arrays under the names of a State, without a model behind them."""
from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ._arguments import name_arguments
from ._array import Array, plain
from ._diagnostics import kind_of
from ._state import State

__all__ = ["OwnState"]


class OwnState(State):
    """What `State()` gives: every array is None until one is put there, which is then kept as it is. A place to remember poses, say those that contacts
    were found for; what collides and steps are the states of `Model.state()`."""

    def __init__(self) -> None:
        for name in (*self._names, *(n for n in self.EXTENDED_ATTRIBUTES if ":" not in n)):
            object.__setattr__(self, name, None)
        object.__setattr__(self, "_time", 0.0)

    def __getattr__(self, name: str) -> NoReturn:
        if name in ("_core", "_model"):
            raise kind_of(TypeError)("state: it was made by State() and has no model; expected one of Model.state()", "E_ARG_STATE")
        raise AttributeError(f"State has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _np(self, name: str) -> Array:
        value = self.__dict__[name]
        return np.zeros(0).view(Array) if value is None else plain(value).view(Array)

    @property
    def time(self) -> float:
        """[s]"""
        return float(self._time)

    @time.setter
    def time(self, value: float) -> None:
        object.__setattr__(self, "_time", float(value))

    def clear_forces(self) -> None:
        for name in ("body_f", "particle_f"):
            self._np(name)[...] = 0

    def assign(self, other: State) -> None:
        """Copies the arrays of a state that has the same ones.

        @raises ValueError  one of the two has an array that the other has not, or of another shape
        """
        assign_arrays(self, other)

    def copy(self) -> "OwnState":
        out = OwnState()
        for name, value in vars(self).items():
            object.__setattr__(out, name, value.copy() if isinstance(value, np.ndarray) else plain(value).copy() if hasattr(value, "numpy") else value)
        return out

    def hash(self) -> int:
        raise kind_of(TypeError)("state: it was made by State(); those of Model.state() have a hash", "E_ARG_STATE")

    def __reduce__(self) -> tuple[Any, ...]:
        return _own_again, (vars(self.copy()),)

    def __repr__(self) -> str:
        there = sorted(name for name in self._names if self.__dict__[name] is not None)
        return f"<State of one's own: {', '.join(there) or 'empty'}>"


def _own_again(fields: dict[str, Any]) -> OwnState:
    out = OwnState()
    vars(out).update(fields)
    return out


def assign_arrays(state: State, other: State) -> None:
    """Between two states of which one has no model: array by array."""
    if not isinstance(other, State):
        raise kind_of(TypeError)(f"other: expected State, not {type(other).__name__}", "E_ARG_STATE")
    pairs = []
    for name in sorted({*State._names, *(n for n in State.EXTENDED_ATTRIBUTES if ":" not in n)}):
        mine, theirs = getattr(state, name), getattr(other, name)
        if (mine is None) != (theirs is None):
            raise kind_of(ValueError)(f"other: only one of the two has {name}", "E_STATE_LAYOUT")
        if mine is not None:
            if plain(mine).shape != plain(theirs).shape:
                raise kind_of(ValueError)(f"other: {name} has shape {plain(theirs).shape}, here {plain(mine).shape}", "E_STATE_LAYOUT")
            pairs.append((plain(mine), plain(theirs)))
    for target, source in pairs:
        target[...] = source


name_arguments(globals())
