"""The builder's verb for actuators: dofs of one kind are put together into one actuator of the model."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arguments import name_arguments, whole
from ..core.array import fresh, plain
from ..core.diagnostics import kind_of, warn
from .actuators.actuator import Actuator
from .actuators.delay import Delay
from .actuators.prims import parse_actuator_prim

__all__ = ["ActuatorEntry", "ActuatorVerbs"]


@dataclass
class ActuatorEntry:
    """Dofs whose actuators have the same drive, the same limits, and a delay or none; parameters of one dof each."""

    drive_class: type
    clamping_classes: tuple[Any, ...]
    clamping_shared_kwargs: tuple[dict[str, Any], ...]
    drive_shared_kwargs: dict[str, Any]
    indices: list[int]
    pos_indices: list[int]
    drive_args: list[dict[str, Any]]
    delay_args: list[dict[str, Any]]
    clamping_args: list[list[dict[str, Any]]]

    def _empty(self) -> "ActuatorEntry":
        return ActuatorEntry(self.drive_class, self.clamping_classes, self.clamping_shared_kwargs, self.drive_shared_kwargs, [], [], [], [], [])

    def _actuator(self, requires_grad: bool) -> Actuator:
        drive = self.drive_class(**_columns(self.drive_args), **self.drive_shared_kwargs)
        delay = None
        if self.delay_args:
            steps = fresh(len(self.delay_args), np.int32)
            plain(steps)[...] = [d["delay_steps"] for d in self.delay_args]
            delay = Delay(steps, max(1, *(d["delay_steps"] for d in self.delay_args)))
        clamping = [kind(**_columns([row[k] for row in self.clamping_args]), **shared)
                    for k, (kind, shared) in enumerate(zip(self.clamping_classes, self.clamping_shared_kwargs))]
        return Actuator(_index_array(self.indices), drive, delay, clamping or None,
                        pos_indices=None if self.pos_indices == self.indices else _index_array(self.pos_indices), requires_grad=requires_grad)


def _index_array(indices: list[int]) -> Any:
    out = fresh(len(indices), np.uint32)
    plain(out)[...] = indices
    return out


def _columns(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One array for each parameter.

    @raises TypeError  a parameter is no number
    """
    out = {}
    for name in rows[0] if rows else ():
        for row in rows:
            if not isinstance(row[name], (int, float, np.number)):
                raise TypeError(f"add_actuator expects scalar per-DOF params, but parameter '{name}' got {type(row[name]).__name__}; pass one scalar per add_actuator call")
        out[name] = fresh(len(rows))
        plain(out[name])[...] = [row[name] for row in rows]
    return out


def _split(kind: Any, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments with their defaults: those that all dofs share, those of one dof."""
    for name, value in given.items():
        if isinstance(value, (float, np.floating)) and np.isnan(value):
            raise kind_of(ValueError)(f"add_actuator: {name} is {value}, expected a number", "PYTHON_ARG_ACTUATOR")
    resolved, shared = kind.resolve_arguments(given), getattr(kind, "SHARED_PARAMS", set())
    return {k: v for k, v in resolved.items() if k in shared}, {k: v for k, v in resolved.items() if k not in shared}


#: Commands that a delay may hold for each dof.
_MOST_DELAY = 1_000_000


def _place(name: str, value: Any) -> int:
    """A dof or a coordinate; which there are is known when the model is made."""
    number = whole(name, value)
    if not 0 <= number < 2**31:
        raise kind_of(ValueError)(f"{name} is {number}, expected at least 0", "PYTHON_ARG_ACTUATOR")
    return number


def _key(values: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(sorted((k, tuple(v) if isinstance(v, list) else v) for k, v in values.items()))


class ActuatorVerbs:
    """Mixed into ModelBuilder."""

    ActuatorEntry = ActuatorEntry
    actuator_entries: dict[tuple[Any, ...], ActuatorEntry]

    def add_actuator(self, drive_class: Any = None, index: int | None = None, clamping: list[tuple[Any, dict[str, Any]]] | None = None,
                     delay_steps: int | None = None, pos_index: int | None = None, **kwargs: Any) -> None:
        """Puts an actuator on a dof: `drive_class` of `mechane.actuators` with its parameters as keywords, limits as (class, parameters), and a
        delay in steps. `pos_index` is the dof's place among coordinates where it is another. Dofs with like parts share one `Actuator` in
        `model.actuators`, which the program steps before the solver.

        @raises ValueError  a parameter is out of range
        """
        if drive_class is None:
            raise TypeError("add_actuator() requires 'drive_class'")
        if index is None:
            raise TypeError("add_actuator() missing required argument: 'index'")
        index, pos_index = _place("index", index), None if pos_index is None else _place("pos_index", pos_index)
        shared, own = _split(drive_class, kwargs)
        strange = sorted(set(kwargs) - set(shared) - set(own))
        if strange:
            warn(f"PYTHON_ARG_ACTUATOR: add_actuator: {drive_class.__name__} ignoring unrecognized parameter(s): {', '.join(strange)}")
        if delay_steps is not None and not 0 <= whole("delay_steps", delay_steps) <= _MOST_DELAY:
            raise kind_of(ValueError)(f"delay_steps must be >= 0 and at most {_MOST_DELAY}, got {delay_steps}", "PYTHON_ARG_ACTUATOR")
        kinds = tuple(kind for kind, _ in clamping or ())
        limits = [_split(kind, given) for kind, given in clamping or ()]
        key = (drive_class, delay_steps is not None, tuple((kind, _key(s)) for kind, (s, _) in zip(kinds, limits)), _key(shared))
        entry = self.actuator_entries.setdefault(key, ActuatorEntry(drive_class, kinds, tuple(s for s, _ in limits), shared, [], [], [], [], []))
        entry.indices.append(index)
        entry.pos_indices.append(index if pos_index is None else pos_index)
        entry.drive_args.append(own)
        if delay_steps is not None:
            entry.delay_args.append({"delay_steps": int(delay_steps)})
        entry.clamping_args.append([o for _, o in limits])

    def _check_actuators(self) -> None:
        """@raises ValueError  an actuator is on a dof that there is not"""
        for entry in self.actuator_entries.values():
            for name, places, count in (("index", entry.indices, self.joint_dof_count), ("pos_index", entry.pos_indices, self.joint_coord_count)):
                if places and max(places) >= count:
                    raise kind_of(ValueError)(f"add_actuator: {name} is {max(places)}, and the builder has {count} of them, from 0 on", "PYTHON_ARG_ACTUATOR")

    def _merge_actuators(self, builder: Any, dofs: int, coords: int) -> None:
        """Another builder's actuators, behind so many dofs and coordinates."""
        for key, theirs in builder.actuator_entries.items():
            entry = self.actuator_entries.setdefault(key, theirs._empty())
            entry.indices += [i + dofs for i in theirs.indices]
            entry.pos_indices += [i + coords for i in theirs.pos_indices]
            entry.drive_args += theirs.drive_args
            entry.delay_args += theirs.delay_args
            entry.clamping_args += theirs.clamping_args

    def _take_actuators(self, rows: list[dict[str, Any]], prim_at: Any) -> None:
        """Actuators of an import that did not become drives of their joints."""
        for row in rows:
            if row["is_drive"]:
                continue
            parsed = parse_actuator_prim(prim_at(row["path"]))
            if parsed is None:
                continue
            delay = next((given.get("delay_steps") for kind, given in parsed.component_specs if kind is Delay), None)
            limits = [(kind, given) for kind, given in parsed.component_specs if kind is not Delay]
            self.add_actuator(parsed.drive_class, row["dof"], limits or None, delay, None if row["coord"] == row["dof"] else row["coord"], **parsed.drive_kwargs)


name_arguments(globals())
