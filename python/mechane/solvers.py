"""Solvers: one interface for every way of stepping."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _mujoco_attributes
from ._array import plain
from ._contacts import Contacts
from ._diagnostics import NotSupportedError, error, kind_of, warn
from ._enums import ModelFlags, StateFlags
from ._names import SolverNames
from ._reserved import reserve
from ._state import Control, State, reset_rows

__all__ = ["SolverBase", "SolverFeatherstone", "SolverMuJoCo", "SolverSemiImplicit", "SolverSoftStep", "SolverVBD", "SolverXPBD", "available", "create"]


class SolverBase(SolverNames):
    """What all solvers share. Subclasses in Python override `step`."""

    SUPPORTED_OBSERVABLES: frozenset = frozenset()

    def __init__(self, model: Any):
        self.model = model

    @property
    def device(self) -> str:
        return "cpu"

    def step(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, *, observables: Any = None) -> None:
        """Advances `state_in` by `dt` [s] into `state_out`, which may be the same."""
        raise NotImplementedError(f"{type(self).__name__} does not override step")

    def notify_model_changed(self, flags: int) -> None:
        """To be called after arrays of the model were written to; `ModelFlags` say which."""

    def reset(self, state: State, world_mask: Any = None, flags: int | None = None) -> None:
        """Forgets what was kept from step to step, as after a teleport."""

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Forces of the last step are in `contacts.rigid_contact_force` already."""

    @property
    def supported_observables(self) -> frozenset:
        return self.SUPPORTED_OBSERVABLES

    @classmethod
    def register_custom_attributes(cls, builder: Any) -> None:
        """Declares the attributes that the solver reads; most read none."""


class SolverSoftStep(SolverBase):
    """The default: soft constraints in sub-steps over reduced coordinates.

    `substeps` 1..64 sub-steps a step; `sleeping` leaves islands at rest out. `report` says how the last step went.
    """

    _name = "softstep"

    def __init__(self, model: Any, *, substeps: int = 8, sleeping: bool = False, compat: str | None = None):
        super().__init__(model)
        if not 1 <= int(substeps) <= 64:
            raise kind_of(ValueError)(f"substeps is {substeps}, expected 1..64", "E_ARG_SUBSTEPS")
        self._core = _core.Solver(self._name, model._core, int(substeps), bool(sleeping))
        self.options = {"substeps": int(substeps), "sleeping": bool(sleeping)}
        self.report: dict[str, Any] = {}

    def step(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, *, observables: Any = None) -> None:
        if observables is not None:
            raise NotSupportedError("observables belong to a later stage", "E_LATER_STAGE")
        for name, value in (("state_in", state_in), ("state_out", state_out)):
            if not isinstance(value, State):
                raise TypeError(f"{name}: expected State, not {type(value).__name__}")
        if control is not None and not isinstance(control, Control):
            raise TypeError(f"control: expected Control or None, not {type(control).__name__}")
        if contacts is not None and not isinstance(contacts, Contacts):
            raise TypeError(f"contacts: expected Contacts or None, not {type(contacts).__name__}")
        if not 0 < float(dt) < float("inf"):
            raise kind_of(ValueError)(f"dt is {dt}, expected a positive time [s]", "E_ARG_DT")
        self.report = self._core.step(state_in._core, state_out._core, None if control is None else control._core,
                                      None if contacts is None else contacts._core, float(dt))
        if self.report["diverged"]:
            warn(f"SOLVER_DIVERGED: {self.report['culprit']}")

    def rollout(self, state: State, frames: int, dt: float, substeps: int = 1, control: Control | None = None, record: bool | None = None) -> dict[str, Any]:
        """Collides and steps `frames` times in place, without the GIL; with `record` the answer holds "t", "body_q" and "joint_q" of every frame."""
        if frames < 0 or substeps < 1:
            raise kind_of(ValueError)(f"frames is {frames}, substeps {substeps}; expected at least 0 and 1", "E_ARG_FRAMES")
        return self._core.rollout(state._core, int(frames), float(dt), int(substeps), None if control is None else control._core, bool(record))

    def notify_model_changed(self, flags: int) -> None:
        """Takes over what of the model was written to and is not read at every step anyway; bits that `ModelFlags` does not name are ignored."""
        self._core.notify(int(flags) & int(ModelFlags.ALL))

    def reset(self, state: State, world_mask: Any = None, flags: int | None = None) -> None:
        """Puts the initial values back into `state` and forgets what steps left behind: warm starts, sleep, broken joints.

        The worlds that are not chosen go on with the same bits.

        @param world_mask  bool, shape (world_count + 1,): which worlds; the last entry stands for what belongs to none. None: all
        @param flags       which arrays of the state (`StateFlags`); None: all. What steps left behind is forgotten in any case. With the last entry
            alone, what the solver remembers of bodies in no world stays.
        @raises TypeError   `state` is no state, the mask is not of bools
        @raises ValueError  the mask has another shape
        """
        if not isinstance(state, State):
            raise kind_of(TypeError)(f"state: expected State, not {type(state).__name__}", "E_ARG_STATE")
        worlds = self.model.world_count
        chosen = np.ones(worlds + 1, bool) if world_mask is None else plain(world_mask)
        if chosen.dtype != bool:
            raise kind_of(TypeError)(f"world_mask: dtype {chosen.dtype}, expected bool", "E_ARG_MASK")
        if chosen.shape != (worlds + 1,):
            raise kind_of(ValueError)(f"world_mask: shape {chosen.shape}, expected ({worlds + 1},): a world each, and what belongs to none", "E_ARG_MASK")
        reset_rows(self.model, state, chosen, StateFlags.ALL if flags is None else int(flags))
        if chosen.all():
            self._core.reset()
        else:
            self._core.reset_worlds(chosen[:worlds].tobytes())

    def checkpoint(self) -> bytes:
        """What one step hands on to the next besides the state."""
        return self._core.save()

    def restore(self, blob: bytes) -> None:
        """@raises ValueError  the bytes are of another model, another version, or damaged"""
        if not self._core.restore(blob):
            raise error(ValueError, "E_CHECKPOINT", "blob: not a checkpoint of this model, or damaged")

    def unsupported_features(self) -> list[str]:
        return []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.model!r}>"


def _not_built(name: str, text: str) -> type:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotSupportedError(text, "E_NOT_BUILT")

    return type(name, (SolverBase,), {"__init__": refuse, "__doc__": text, "__module__": __name__})


SolverXPBD = _not_built("SolverXPBD", "SolverXPBD is not built: the extended position-based solver belongs to a later stage; use SolverSoftStep")
SolverSemiImplicit = _not_built("SolverSemiImplicit", "SolverSemiImplicit is not built: it belongs to a later stage; use SolverSoftStep")
SolverFeatherstone = _not_built("SolverFeatherstone", "SolverFeatherstone is not built: it belongs to a later stage; use SolverSoftStep, which works in reduced coordinates too")
SolverVBD = _not_built("SolverVBD", "SolverVBD is not built: vertex block descent belongs to a later stage; use SolverSoftStep")
SolverMuJoCo = _not_built("SolverMuJoCo", "SolverMuJoCo is not built: the back end over MuJoCo's C library belongs to a later stage; use SolverSoftStep")

for _name in ("CtrlSource", "CtrlType", "EqType", "TrnType"):
    setattr(SolverMuJoCo, _name, getattr(_mujoco_attributes, _name))
reserve(SolverBase, "SolverBase")
reserve(SolverMuJoCo, "SolverMuJoCo")
reserve(SolverXPBD, "SolverXPBD")
SolverMuJoCo.register_custom_attributes = staticmethod(_mujoco_attributes.register)

_MADE: dict[str, type] = {"softstep": SolverSoftStep}


def available() -> list[str]:
    """Names that `create` takes, the default first."""
    return [*_core.solver_names(), *(n for n in _MADE if n not in _core.solver_names())]


def register(name: str, solver: type) -> None:
    """Lets `create` find a solver written in Python."""
    if not (isinstance(solver, type) and issubclass(solver, SolverBase)):
        raise TypeError(f"solver: expected a subclass of SolverBase, not {solver!r}")
    _MADE[name] = solver


def create(name: str, model: Any, **options: Any) -> SolverBase:
    """A solver by name."""
    if name not in _MADE:
        raise error(KeyError, "SOLVER_UNKNOWN", f"there is no solver {name!r}; known are {available()}")
    return _MADE[name](model, **options)


_LEFT_OUT = {"SolverKamino": "SolverSoftStep", "SolverSteel": "SolverSoftStep", "SolverImplicitMPM": "nothing of this kind", "SolverStyle3D": "nothing of this kind",
             "experimental": "SolverSoftStep", "style3d": "nothing of this kind", "mujoco": "SolverMuJoCo"}


def __getattr__(name: str) -> Any:
    if name in _LEFT_OUT:
        raise AttributeError(f"mechane.solvers.{name} is left out (a GPU solver); use {_LEFT_OUT[name]}")
    raise AttributeError(f"module 'mechane.solvers' has no attribute {name!r}")
