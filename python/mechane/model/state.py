"""State and Control: what changes from step to step, and what the user commands; states of one's own, without a model behind them."""
from __future__ import annotations

import weakref
from typing import Any, Iterable, NoReturn

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import REAL, Array, backend, plain, wrap
from ..core.capture import captured
from ..core.diagnostics import kind_of, warn
from ..core.enums import StateFlags
from ..newton.reserved import LEFT_OUT, hidden, reserve
from .custom import AttributeNamespace

__all__ = ["Control", "OwnState", "State", "belonging"]


#: By what a copy of a model is known: what states and controls are laid out for, and shapes, whose surfaces contacts are on.
_LAYOUT = ("joint_type", "joint_parent", "joint_child", "joint_q_start", "joint_qd_start", "body_q", "joint_q", "body_mass")
_SHAPES = ("shape_type", "shape_body", "shape_scale", "shape_transform")


#: Copies of each model, once they were found to be such: a loop asks at every step.
_COPIES: weakref.WeakKeyDictionary[Any, weakref.WeakSet[Any]] = weakref.WeakKeyDictionary()


def _interchangeable(a: Any, b: Any) -> bool:
    if a is b or b in _COPIES.get(a, ()):
        return True
    same = all(getattr(a, n) == getattr(b, n) for n in ("body_label", "joint_label", "shape_label")) and \
        all(np.array_equal(np.asarray(a._np(n)), np.asarray(b._np(n))) for n in _LAYOUT + _SHAPES)
    if same:
        _COPIES.setdefault(a, weakref.WeakSet()).add(b)
    return same


def belonging(name: str, value: Any, model: Any, kind: type) -> Any:
    """The argument `name`, if it is a State, Control or Contacts of this model, or of a copy of it (another process or device has one).

    Equal counts are not enough: a step with contacts of another scene would hold bodies up by what is not there.

    @raises TypeError   something else
    @raises ValueError  of another model
    """
    code = f"PYTHON_ARG_{kind.__name__.upper()}"
    if not isinstance(value, kind):
        raise kind_of(TypeError)(f"{name}: expected {kind.__name__}, not {type(value).__name__}", code)
    if value._model is not None and not _interchangeable(value._model, model):
        made = "model.collide() of this model finds them" if kind.__name__ == "Contacts" else f"model.{kind.__name__.lower()}() of this model makes one"
        raise kind_of(ValueError)(f"{name}: of another model; {made}", code)
    return value


class Arrays:
    """An object of the extension whose arrays are attributes: made at first access, then always the same object."""

    _names: frozenset[str] = frozenset()
    _boolean: frozenset[str] = frozenset()
    _read_only: frozenset[str] = frozenset()
    #: Of these there is no none: a pose of zeros is no pose.
    _measures = frozenset({"body_q", "body_qd", "joint_q", "joint_qd", "particle_q", "particle_qd", "joint_target_q", "joint_target_qd"})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in type(self)._names:
            instead = LEFT_OUT.get(type(self).__name__, {}).get(name)
            if instead is not None:
                raise AttributeError(f"{type(self).__name__}.{name} is left out; {instead}")
            elsewhere = self._held_elsewhere(name)
            if elsewhere is not None:
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r}; {elsewhere} it")
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        if backend.handed_out is None:
            return self._np(name)
        known = self.__dict__.setdefault("_warp_arrays", {})
        if name not in known:
            known[name] = backend.handed_out(self._np(name))
        return known[name]

    def _held_elsewhere(self, name: str) -> str | None:
        """Who has a custom attribute, or one of a namespace, of this name."""
        model = self.__dict__.get("_model") or self
        for key, spec in model.__dict__.get("attribute_specs", {}).items():
            if name in (key, key.rpartition(":")[0]) and spec.assignment is not None:
                return {0: "the model holds", 1: "states hold", 2: "controls hold", 3: "contacts hold"}.get(int(spec.assignment))
        return None

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *type(self)._names} - hidden(type(self)))

    def _np(self, name: str) -> Array:
        """The array as NumPy has it, whatever is handed out; always the same object."""
        known = self.__dict__.setdefault("_numpy_arrays", {})
        if name not in known:
            known[name] = wrap(self._core.array(name), boolean=name in self._boolean, writable=name not in self._read_only)
        return known[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self)._names and value is None:
            if name in self._measures:
                raise kind_of(TypeError)(f"{name}: expected {self._np(name).shape} numbers, not None; only forces and activations can be none", "PYTHON_ARGUMENT")
            self._np(name).zero_()
        elif name in type(self)._names:
            self._np(name).assign(value)
        elif name in self.__dict__.get("_custom", ()) and isinstance(self.__dict__.get(name), Array):
            self.__dict__[name].assign(value)
        else:
            if not name.startswith("_") and name not in self.__dict__ and not hasattr(type(self), name):
                self._warn_of_slip(name)
            object.__setattr__(self, name, value)

    def _warn_of_slip(self, name: str) -> None:
        """A program may keep what it likes at these objects; what is nearly the name of an array was meant to be it."""
        import difflib

        known = {*type(self)._names, *(key.rpartition(":")[2] for key in self.__dict__.get("_custom", ()))}
        near = difflib.get_close_matches(name, sorted(known), 1, 0.85)
        if near:
            warn(f"{type(self).__name__}.{name} is no array of it and has no effect; did you mean {near[0]}?")

    def _attach(self, key: str, array: Any) -> None:
        """A custom array under its name, or its namespace's."""
        space, _, name = key.rpartition(":")
        if not space:
            object.__setattr__(self, name, array)
            return
        if not isinstance(self.__dict__.get(space), AttributeNamespace):
            object.__setattr__(self, space, AttributeNamespace(space))
        vars(self.__dict__[space])[name] = array

    def _at(self, key: str) -> Any:
        """A custom array by its key; None where there is none."""
        home: Any = self
        for part in key.split(":"):
            home = getattr(home, part, None) if home is not self else self.__dict__.get(part)
        return home

    def _custom_arrays(self) -> dict[str, Any]:
        out = {}
        for key in self.__dict__.get("_custom", ()):
            space, _, name = key.rpartition(":")
            out[key] = getattr(self.__dict__.get(space), name, None) if space else self.__dict__.get(name)
        return out

    def _attach_all(self, arrays: dict[str, Any]) -> None:
        object.__setattr__(self, "_custom", tuple(arrays))
        for key, array in arrays.items():
            self._attach(key, array)


class Counted(Arrays):
    """What models and states have equally many of."""

    @property
    def body_count(self) -> int:
        return len(self._np("body_q"))

    @property
    def joint_coord_count(self) -> int:
        return len(self._np("joint_q"))

    @property
    def joint_dof_count(self) -> int:
        return len(self._np("joint_qd"))

    @property
    def particle_count(self) -> int:
        return len(self._np("particle_q"))


class State(Counted):
    """Poses, velocities and external wrenches of bodies, coordinates and rates of joints, positions, velocities and external forces of
    particles (None where there are none); made by `Model.state()`. `State()` is an empty one for arrays of one's own."""

    _names = frozenset(_core.State.array_names())
    #: Arrays that a state holds on request: rows of the layout of bodies (6 numbers) or of dofs (1).
    EXTENDED_ATTRIBUTES = frozenset({"body_parent_f", "body_qdd", "mujoco:qfrc_actuator"})

    def __new__(cls) -> "State":
        return object.__new__(OwnState if cls is State else cls)

    @classmethod
    def _of(cls, core: Any, model: Any) -> "State":
        self = object.__new__(cls)
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_model", model)
        for name in sorted(cls.EXTENDED_ATTRIBUTES):
            shape = (model.joint_dof_count,) if ":" in name else (model.body_count, 6)
            if name in model._state_attributes:
                self._attach(name, np.zeros(shape, dtype=REAL).view(Array))
            elif ":" not in name:
                object.__setattr__(self, name, None)
        for name in () if model.particle_count else ("particle_q", "particle_qd", "particle_f"):
            object.__setattr__(self, name, None)
        return self

    @classmethod
    def validate_extended_attributes(cls, attributes: Iterable[str]) -> None:
        unknown = sorted(set(attributes) - cls.EXTENDED_ATTRIBUTES)
        if unknown:
            raise ValueError(f"unknown state attributes {unknown}; known are {sorted(cls.EXTENDED_ATTRIBUTES)}")

    requires_grad = False

    @property
    def time(self) -> float:
        """[s]"""
        return self._core.time

    @time.setter
    def time(self, value: float) -> None:
        self._core.time = float(value)

    @captured
    def clear_forces(self) -> None:
        """Zero external wrenches and forces."""
        self._core.clear_forces()

    @captured
    def assign(self, other: "State") -> None:
        """Copies all arrays of another state of the same layout."""
        if not isinstance(other, State):
            raise TypeError(f"other: expected State, not {type(other).__name__}")
        if "_core" not in vars(other):
            return _assign_arrays(self, other)
        mine, theirs = ({k: a for k, a in s._custom_arrays().items() if a is not None} for s in (self, other))
        if set(mine) != set(theirs):
            raise kind_of(ValueError)(f"other: holds the custom attributes {sorted(theirs)}, this one {sorted(mine)}", "MODEL_STATE_LAYOUT")
        for name in sorted(self.EXTENDED_ATTRIBUTES):
            if (self._at(name) is None) != (other._at(name) is None):
                raise kind_of(ValueError)(f"other: only one of the two has {name}", "MODEL_STATE_LAYOUT")
        self._core.assign(other._core)
        for key, array in mine.items():
            array[...] = theirs[key]
        for name in self.EXTENDED_ATTRIBUTES:
            if self._at(name) is not None:
                self._at(name)[...] = other._at(name)

    def copy(self) -> "State":
        out = State._of(self._core.copy(), self._model)
        out._attach_all({k: a.copy() for k, a in self._custom_arrays().items()})
        for name in self.EXTENDED_ATTRIBUTES:
            if self._at(name) is not None:
                out._attach(name, self._at(name).copy())
        return out

    def __copy__(self) -> "State":
        return self.copy()

    def __deepcopy__(self, memo: dict) -> "State":
        return self.copy()

    def hash(self) -> int:
        """64 bits over the bits of poses, velocities, coordinates and rates."""
        return self._core.hash()

    def to_dict(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name).numpy().copy() for name in _core.State.array_names() if getattr(self, name) is not None}

    def __repr__(self) -> str:
        return f"<State t={self.time:g} s, {self.body_count} bodies, {self.joint_coord_count} coordinates, {self.joint_dof_count} dof>"


class OwnTime:
    """The time of a state that has no state of the core behind it, which would hold it: `_time`."""

    _time: float

    @property
    def time(self) -> float:
        """[s]"""
        return float(self._time)

    @time.setter
    def time(self, value: float) -> None:
        object.__setattr__(self, "_time", float(value))


class OwnState(OwnTime, State):
    """What `State()` gives: every array is None until one is put there, which is then kept as it is. A place to remember poses, say those that contacts
    were found for; what collides and steps are the states of `Model.state()`."""

    def __init__(self) -> None:
        for name in (*self._names, *(n for n in self.EXTENDED_ATTRIBUTES if ":" not in n)):
            object.__setattr__(self, name, None)
        object.__setattr__(self, "_time", 0.0)

    def __getattr__(self, name: str) -> NoReturn:
        if name in ("_core", "_model"):
            raise kind_of(TypeError)("state: it was made by State() and has no model; expected one of Model.state()", "PYTHON_ARG_STATE")
        raise AttributeError(f"State has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _np(self, name: str) -> Array:
        value = self.__dict__[name]
        return np.zeros(0).view(Array) if value is None else plain(value).view(Array)

    def clear_forces(self) -> None:
        for name in ("body_f", "particle_f"):
            self._np(name)[...] = 0

    def assign(self, other: State) -> None:
        """Copies the arrays of a state that has the same ones.

        @raises ValueError  one of the two has an array that the other has not, or of another shape
        """
        _assign_arrays(self, other)

    def copy(self) -> "OwnState":
        out = OwnState()
        for name, value in vars(self).items():
            object.__setattr__(out, name, value.copy() if isinstance(value, np.ndarray) else plain(value).copy() if hasattr(value, "numpy") else value)
        return out

    def hash(self) -> int:
        raise kind_of(TypeError)("state: it was made by State(); those of Model.state() have a hash", "PYTHON_ARG_STATE")

    def __reduce__(self) -> tuple[Any, ...]:
        return _own_again, (vars(self.copy()),)

    def __repr__(self) -> str:
        there = sorted(name for name in self._names if self.__dict__[name] is not None)
        return f"<State of one's own: {', '.join(there) or 'empty'}>"


def _own_again(fields: dict[str, Any]) -> OwnState:
    out = OwnState()
    vars(out).update(fields)
    return out


def _assign_arrays(state: State, other: State) -> None:
    """Between two states of which one has no model: array by array."""
    if not isinstance(other, State):
        raise kind_of(TypeError)(f"other: expected State, not {type(other).__name__}", "PYTHON_ARG_STATE")
    pairs = []
    for name in sorted({*State._names, *(n for n in State.EXTENDED_ATTRIBUTES if ":" not in n)}):
        mine, theirs = getattr(state, name), getattr(other, name)
        if (mine is None) != (theirs is None):
            raise kind_of(ValueError)(f"other: only one of the two has {name}", "MODEL_STATE_LAYOUT")
        if mine is not None:
            if plain(mine).shape != plain(theirs).shape:
                raise kind_of(ValueError)(f"other: {name} has shape {plain(theirs).shape}, here {plain(mine).shape}", "MODEL_STATE_LAYOUT")
            pairs.append((plain(mine), plain(theirs)))
    for target, source in pairs:
        target[...] = source


#: Which array a flag stands for, and how its rows are laid out.
_RESET = ((StateFlags.BODY_Q, "body_q", "body"), (StateFlags.BODY_QD, "body_qd", "body"), (StateFlags.BODY_F, "body_f", "body"),
          (StateFlags.JOINT_Q, "joint_q", "coord"), (StateFlags.JOINT_QD, "joint_qd", "dof"), (StateFlags.PARTICLE_Q, "particle_q", "particle"),
          (StateFlags.PARTICLE_QD, "particle_qd", "particle"), (StateFlags.PARTICLE_F, "particle_f", "particle"))


def reset_rows(model: Any, state: State, chosen: np.ndarray, flags: int) -> None:
    """The initial values again in the chosen worlds [world_count + 1]; of what belongs to no world (-1) the last entry decides."""
    fresh, joint_world = model.state(), model._np("joint_world")
    worlds = {"body": model._np("body_world"), "coord": np.repeat(joint_world, np.diff(model._np("joint_q_start"))),
              "dof": np.repeat(joint_world, np.diff(model._np("joint_qd_start"))), "particle": model._np("particle_world")}
    for flag, name, layout in _RESET:
        if flags & flag:
            rows = chosen[worlds[layout]]
            state._np(name)[rows] = fresh._np(name)[rows]


class Control(Arrays):
    """Targets, forces and activations; made by `Model.control()`."""

    _names = frozenset(_core.Control.array_names())

    def __init__(self) -> None:
        raise TypeError("controls are made by Model.control()")

    @classmethod
    def _of(cls, core: Any, model: Any) -> "Control":
        self = cls.__new__(cls)
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "muscle_activations", None)
        for name, count in (("tri_activations", model.tri_count), ("tet_activations", model.tet_count)):
            if not count:
                object.__setattr__(self, name, None)
        return self

    requires_grad = False

    @captured
    def clear(self, model: Any = None) -> None:
        """Zero forces, activations and velocity targets; position targets come back from the model."""
        of = self._model if model is None else model
        for name in ("joint_target_qd", "joint_f", "joint_act"):
            getattr(self, name).zero_()
        self._np("joint_target_q").assign(of._np("joint_target_q"))
        for name in ("tri_activations", "tet_activations", "muscle_activations"):
            if (pulls := getattr(self, name)) is not None:
                pulls[...] = 0
        for key, array in self._custom_arrays().items():
            array[...] = of._custom_defaults[key]

    def __repr__(self) -> str:
        return f"<Control {len(self._np('joint_f'))} dof>"


reserve(Control, "Control")


name_arguments(globals())
