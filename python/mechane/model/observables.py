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
from ..core.array import handed
from ..core.diagnostics import MechaneDeprecationWarning, warn
from .custom import AttributeFrequency, layout_of

__all__ = ["Declared", "ObservableKind", "Observables", "old_request", "requested"]


def requested(kinds: Any) -> frozenset[str]:
    """A request as a set of names.

    @raises TypeError  it is no collection of names
    """
    if isinstance(kinds, (str, bytes)) or not isinstance(kinds, Iterable):
        raise TypeError(f"kinds: expected a collection of strings, such as {{'body_qdd'}}, not {type(kinds).__name__}")
    names = list(kinds)
    if not all(isinstance(k, str) and k for k in names):
        raise TypeError(f"kinds: expected nonempty strings, got {names}")
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
                    raise TypeError(f"{cls.__qualname__}.{name} is {kind!r}, expected a nonempty string")
                if values.setdefault(name, kind) != kind:
                    raise ValueError(f"Conflicting values of {cls.__qualname__}.{name}: {values[name]!r} and {kind!r}")
                if owners.setdefault(kind, name) != name:
                    raise ValueError(f"Duplicate value {kind!r} of {owners[kind]} and {name} in {cls.__qualname__}")


@dataclass(frozen=True)
class Declared:
    """What an array of a container is: the kind that asks for it (by default its name), the type of a row, and what it has rows for."""

    kind: str | None
    dtype: Any
    frequency: Any


#: Row domains of contacts: an array has a row for each place that the contacts have, and those of both kinds the soft ones last.
_OF_CONTACTS = (AttributeFrequency.CONTACT, AttributeFrequency.CONTACT_RIGID, AttributeFrequency.CONTACT_SOFT)


def _contact_rows(frequency: Any, contacts: Any) -> int:
    if frequency == AttributeFrequency.CONTACT_RIGID:
        return contacts.rigid_contact_max
    if frequency == AttributeFrequency.CONTACT_SOFT:
        return contacts.soft_contact_max
    return contacts.rigid_contact_max + contacts.soft_contact_max


@dataclass(eq=False)
class Observables:
    """Made once by `solver.observables(kinds)`, then given to `step`, which fills the arrays that were asked for."""

    #: [m/s^2, rad/s^2], gravity included; mean over the step
    body_qdd: Any = dataclass_field(default=None, init=False, repr=False, metadata={"observable": Declared(None, "spatial_vector", AttributeFrequency.BODY)})
    #: [N, N m]
    body_parent_f: Any = dataclass_field(default=None, init=False, repr=False, metadata={"observable": Declared(None, "spatial_vector", AttributeFrequency.BODY)})
    #: On shape 0's body, world axes [N, N m]; rows of soft contacts come after `rigid_contact_max` and are zero.
    contact_f: Any = dataclass_field(default=None, init=False, repr=False, metadata={"observable": Declared(None, "spatial_vector", AttributeFrequency.CONTACT)})
    _kinds: frozenset[str] = dataclass_field(default_factory=frozenset, init=False, repr=False)
    _solver: Any = dataclass_field(default=None, init=False, repr=False)
    #: kind -> contacts whose rows the array follows; selections share it
    _layouts: dict[str, Any] = dataclass_field(default_factory=dict, init=False, repr=False)

    @staticmethod
    def field(*, dtype: Any, frequency: Any, kind: str | None = None) -> Any:
        """A field of a container of one's own: an array with a row for each entity of `frequency`, None until it is asked for.

        @raises TypeError  the kind is not a name, or the frequency none
        """
        if kind is not None and (not isinstance(kind, str) or not kind):
            raise TypeError(f"kind: kinds are nonempty strings, not {kind!r}")
        if not isinstance(frequency, (AttributeFrequency, str)) or frequency == "":
            raise TypeError(f"Invalid observable frequency: {frequency!r}")
        return dataclass_field(default=None, init=False, repr=False, metadata={"observable": Declared(kind, dtype, frequency)})

    @classmethod
    def _declared(cls) -> dict[str, tuple[str, Declared]]:
        """Kind -> name of its field and what was declared.

        @raises TypeError   the container compares by values, or declares fields that no dataclass knows
        @raises ValueError  two fields have one kind, or a field has a name of the container's own
        """
        if "_declared_fields" in cls.__dict__:
            return cls.__dict__["_declared_fields"]
        if cls.__eq__ is not object.__eq__ or cls.__hash__ is not object.__hash__:
            raise TypeError(f"{cls.__name__}: containers of observables are compared by identity; decorate it with @dataclass(eq=False)")
        if any(isinstance(value, Field) and "observable" in value.metadata for base in cls.__mro__ for value in vars(base).values()):
            raise TypeError(f"{cls.__name__} declares fields and is not decorated with @dataclass(eq=False)")
        out: dict[str, tuple[str, Declared]] = {}
        for f in fields(cls):
            declared = f.metadata.get("observable")
            if declared is None:
                continue
            own = getattr(Observables, f.name, None)
            if f.name.startswith("_") or callable(own) or isinstance(own, property):
                raise ValueError(f"{cls.__name__}.{f.name} conflicts with a name of the container's own")
            kind = declared.kind or f.name
            if kind in out:
                raise ValueError(f"Duplicate observable kind {kind!r}: of {out[kind][0]} and of {f.name}")
            out[kind] = (f.name, declared)
        cls._declared_fields = out  # type: ignore[attr-defined]
        return out

    def _contact_fields(self) -> dict[str, tuple[str, Declared]]:
        """Of what was asked for, the arrays with a row a contact."""
        declared = self._declared()
        return {kind: declared[kind] for kind in self._kinds if declared[kind][1].frequency in _OF_CONTACTS}

    def _allocate(self, model: Any, contacts: Any, grad: bool) -> None:
        for kind, (name, declared) in self._declared().items():
            if kind not in self._kinds:
                continue
            rows = _contact_rows(declared.frequency, contacts) if declared.frequency in _OF_CONTACTS else model._count_of(declared.frequency)
            shape, dtype = layout_of(declared.dtype)
            word = declared.dtype if isinstance(declared.dtype, str) else getattr(declared.dtype, "__name__", "")
            array = handed(np.zeros((rows, *shape), dtype), "vec4" if word.startswith("vec4") else None)
            if grad and not isinstance(array, np.ndarray):
                array.requires_grad = True
            setattr(self, name, array)
        self._layouts.update(dict.fromkeys(self._contact_fields(), contacts))

    def _check_room(self, contacts: Any) -> None:
        """@raises ValueError  an array is too short for the contacts"""
        for name, declared in self._contact_fields().values():
            rows, room = _contact_rows(declared.frequency, contacts), len(getattr(self, name))
            if rows > room:
                raise ValueError(f"observables: contacts of the capacities {contacts.rigid_contact_max} and {contacts.soft_contact_max} want {rows} rows of "
                                 f"{name}, which has {room}; make observables for the largest Contacts that they shall serve")

    def _bind(self, contacts: Any) -> None:
        self._layouts.update(dict.fromkeys(self._contact_fields(), contacts))

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
        """Contacts that `contact_f` follows; None where it was not asked for."""
        return self.contacts_for_kind(ObservableKind.CONTACT_F)

    def is_requested(self, kind: str) -> bool:
        return kind in self._kinds

    def select(self, kinds: Iterable[str]) -> "Observables":
        """A container with the same arrays for some of the kinds; nothing is copied.

        @raises ValueError  no solver made this one, or it does not have a kind
        """
        if self._solver is None:
            raise ValueError("observables are allocated by a solver before they are selected from")
        chosen = requested(kinds)
        if chosen - self._kinds:
            raise ValueError(f"kinds: {sorted(chosen - self._kinds)} were not requested; there are {sorted(self._kinds)}")
        out = copy(self)
        out._kinds = chosen
        for kind in self._kinds - chosen:
            setattr(out, self._declared()[kind][0], None)
        return out

    def contacts_for_kind(self, kind: str) -> Any:
        """The contacts whose rows an array follows: of the last step that filled it, before the first those it was made for; None for other kinds.

        @raises KeyError  no such kind is declared
        """
        if kind not in self._declared():
            raise KeyError(f"No observable declared for {kind!r}")
        return self._layouts.get(kind) if kind in self._kinds else None

    def get_attribute_frequency(self, name: str) -> Any:
        """@raises KeyError  no such field is declared"""
        for known, declared in self._declared().values():
            if known == name:
                return declared.frequency
        raise KeyError(f"no observable field {name!r} is declared")


name_arguments(globals())
