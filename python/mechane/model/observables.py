"""Arrays that a solver fills in beside the state, for those who ask: accelerations, contact forces."""
from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import Field, dataclass, fields
from dataclasses import field as dataclass_field
from typing import Any

import numpy as np

from .. import config
from ..core.arguments import name_arguments
from ..core.array import REAL, handed
from ..core.diagnostics import MechaneDeprecationWarning, warn
from .custom import AttributeFrequency

__all__ = ["ObservableKind", "Observables", "old_request", "requested"]


def requested(kinds: Any) -> frozenset[str]:
    """A request as a set of names.

    @raises TypeError  it is no collection of names
    """
    if isinstance(kinds, (str, bytes)) or not isinstance(kinds, Iterable):
        raise TypeError(f"kinds: expected a collection of names, not {type(kinds).__name__}")
    names = list(kinds)
    if not all(isinstance(k, str) and k for k in names):
        raise TypeError(f"kinds: expected names that are not empty, got {names}")
    return frozenset(names)


def old_request(name: str) -> None:
    """Under compat newton-1.8 requests of arrays of states and contacts are on their way out, as there."""
    if config.compat == "newton-1.8":
        warn(f"{name} is deprecated; ask the solver for SolverBase.Observables and give them to step", MechaneDeprecationWarning)


class ObservableKind:
    """Names of observables. A solver may have a subclass with more; a name keeps its value, and values are unique."""

    BODY_QDD = "body_qdd"
    BODY_PARENT_F = "body_parent_f"
    CONTACT_F = "contact_f"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        values: dict[str, str] = {}
        owners: dict[str, str] = {}
        for base in reversed(cls.__mro__):
            for name, kind in vars(base).items():
                if name.startswith("_"):
                    continue
                if not isinstance(kind, str) or not kind:
                    raise TypeError(f"{cls.__qualname__}.{name} is {kind!r}, expected a name that is not empty")
                if values.setdefault(name, kind) != kind:
                    raise ValueError(f"{cls.__qualname__}.{name} is {values[name]!r} and {kind!r}")
                if owners.setdefault(kind, name) != name:
                    raise ValueError(f"{kind!r} is the value of {owners[kind]} and of {name} in {cls.__qualname__}")


@dataclass(frozen=True)
class _Declared:
    kind: str | None
    dtype: Any
    frequency: Any


@dataclass(eq=False)
class Observables:
    """Made once by `solver.observables(kinds)`, then given to `step`, which fills the arrays that were asked for."""

    #: [m/s^2, rad/s^2], gravity included; mean over the step
    body_qdd: Any = dataclass_field(default=None, init=False, repr=False, metadata={"observable": _Declared(None, "spatial_vector", AttributeFrequency.BODY)})
    #: [N, N m]
    body_parent_f: Any = dataclass_field(default=None, init=False, repr=False, metadata={"observable": _Declared(None, "spatial_vector", AttributeFrequency.BODY)})
    #: On shape 0's body, world axes [N, N m].
    contact_f: Any = dataclass_field(default=None, init=False, repr=False, metadata={"observable": _Declared(None, "spatial_vector", AttributeFrequency.CONTACT)})
    _kinds: frozenset[str] = dataclass_field(default_factory=frozenset, init=False, repr=False)
    _solver: Any = dataclass_field(default=None, init=False, repr=False)
    _layouts: dict[str, Any] = dataclass_field(default_factory=dict, init=False, repr=False)

    @staticmethod
    def field(*, dtype: Any, frequency: Any, kind: str | None = None) -> Any:
        """A field of a container of one's own: an array with a row for each entity of `frequency`, None until it is asked for."""
        if kind is not None and (not isinstance(kind, str) or not kind):
            raise TypeError(f"kind: expected a name that is not empty, got {kind!r}")
        if not isinstance(frequency, (AttributeFrequency, str)) or frequency == "":
            raise TypeError(f"frequency: {frequency!r} is none")
        return dataclass_field(default=None, init=False, repr=False, metadata={"observable": _Declared(kind, dtype, frequency)})

    @classmethod
    def _declared(cls) -> dict[str, tuple[str, _Declared]]:
        """Kind -> name of its field and what was declared."""
        if any(isinstance(value, Field) and "observable" in value.metadata for base in cls.__mro__ for value in vars(base).values()):
            raise TypeError(f"{cls.__name__} declares fields and is not decorated with @dataclass(eq=False)")
        out: dict[str, tuple[str, _Declared]] = {}
        for f in fields(cls):
            declared = f.metadata.get("observable")
            if declared is not None:
                kind = declared.kind or f.name
                if kind in out:
                    raise ValueError(f"{kind!r} is declared by {out[kind][0]} and by {f.name}")
                out[kind] = (f.name, declared)
        return out

    def _allocate(self, solver: Any, kinds: frozenset[str], contacts: Any) -> "Observables":
        self._kinds, self._solver = kinds, solver
        for kind in kinds:
            name, declared = self._declared()[kind]
            if declared.frequency is AttributeFrequency.CONTACT:
                rows = contacts.rigid_contact_max
                self._layouts[kind] = contacts
            else:
                rows = solver.model._count_of(declared.frequency)
            spatial = declared.dtype == "spatial_vector"
            setattr(self, name, handed(np.zeros((rows, 6) if spatial else rows, dtype=REAL), "spatial_vector" if spatial else None))
        return self

    @property
    def kinds(self) -> frozenset[str]:
        return self._kinds

    @property
    def solver(self) -> Any:
        return self._solver

    @property
    def model(self) -> Any:
        return None if self._solver is None else self._solver.model

    @property
    def contacts(self) -> Any:
        return self.contacts_for_kind(ObservableKind.CONTACT_F)

    def is_requested(self, kind: str) -> bool:
        return kind in self._kinds

    def select(self, kinds: Iterable[str]) -> "Observables":
        """A container with the same arrays for some of the kinds; nothing is copied.

        @raises ValueError  no solver made this one, or it does not have a kind
        """
        if self._solver is None:
            raise ValueError("observables are made by a solver before they are selected from")
        chosen = requested(kinds)
        if chosen - self._kinds:
            raise ValueError(f"{sorted(chosen - self._kinds)} were not asked for; there are {sorted(self._kinds)}")
        out = copy(self)
        out._kinds = chosen
        for kind in self._kinds - chosen:
            setattr(out, self._declared()[kind][0], None)
        return out

    def contacts_for_kind(self, kind: str) -> Any:
        """The contacts whose rows an array follows; None for other kinds.

        @raises KeyError  no such kind is declared
        """
        if kind not in self._declared():
            raise KeyError(f"no observable {kind!r} is declared")
        return self._layouts.get(kind) if kind in self._kinds else None

    def get_attribute_frequency(self, name: str) -> Any:
        """@raises KeyError  no such field is declared"""
        for known, declared in self._declared().values():
            if known == name:
                return declared.frequency
        raise KeyError(f"no observable field {name!r} is declared")


name_arguments(globals())
