"""Solvers: one interface for every way of stepping."""
from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from . import _core
from .core.arguments import name_arguments
from .core.array import plain
from .core.capture import warn_in_capture
from .core.diagnostics import NotSupportedError, error, kind_of, publish, warn
from .core.enums import ModelFlags, StateFlags
from .model import mujoco_attributes
from .model.contacts import Contacts
from .model.integrate import integrate
from .model.observables import ObservableKind, Observables, requested
from .model.state import Control, State, reset_rows
from .newton.modules import absent
from .newton.names import SolverNames
from .newton.reserved import reserve

__all__ = ["SolverBase", "SolverFeatherstone", "SolverMuJoCo", "SolverSemiImplicit", "SolverSoftStep", "SolverVBD", "SolverXPBD", "available", "create", "register"]


class SolverBase(SolverNames):
    """What all solvers share. Subclasses in Python override `step`."""

    SUPPORTED_OBSERVABLES: frozenset[str] = frozenset()
    ObservableKind = ObservableKind
    Observables = Observables

    def __init__(self, model: Any, *, collision_pipeline: Any = None, collision_frequency: Any = None, collision_frequency_type: Any = None):
        if not (collision_pipeline is None and collision_frequency is None and collision_frequency_type is None):
            raise NotSupportedError("collisions inside of solvers belong to a later stage; call model.collide() between steps", "PYTHON_LATER_STAGE")
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
        """Forces of the last step are in `contacts.rigid_contact_force` already, and as wrenches in `contacts.force` where that was asked for."""

    @property
    def supported_observables(self) -> frozenset[str]:
        return self.SUPPORTED_OBSERVABLES

    def observables(self, kinds: Any, *, contacts: Contacts | None = None, requires_grad: bool | None = None) -> Observables:
        """Arrays for what is asked for, to be given to every `step` that shall fill them. Those with a row a contact need `contacts`.

        @raises ValueError  the solver does not support a kind, or a kind needs contacts
        """
        wanted = requested(kinds)
        if wanted - self.supported_observables:
            raise ValueError(f"kinds: {type(self).__name__} does not support {sorted(wanted - self.supported_observables)}; "
                             f"it supports {sorted(self.supported_observables)}")
        if ObservableKind.CONTACT_F in wanted and contacts is None:
            raise ValueError("contacts: contact_f has a row for each contact")
        return self.Observables()._allocate(self, wanted, contacts)

    def validate_observables(self, observables: Observables | None, contacts: Contacts | None = None) -> None:
        """@raises TypeError, ValueError  `step` cannot fill them: of another solver, or of contacts with another capacity"""
        if observables is None:
            return
        if not isinstance(observables, Observables):
            raise TypeError(f"observables: expected Observables, not {type(observables).__name__}")
        if observables.solver is not self:
            raise ValueError("observables: of another solver")
        if observables.is_requested(ObservableKind.CONTACT_F):
            if contacts is None:
                raise ValueError("observables: contact_f without contacts")
            if contacts.rigid_contact_max != len(observables.contact_f):
                raise ValueError(f"observables: contact_f has {len(observables.contact_f)} rows, the contacts {contacts.rigid_contact_max}")

    def integrate_bodies(self, model: Any, state_in: State, state_out: State, dt: float, angular_damping: float = 0.0) -> None:
        """Semi-implicit Euler of free bodies under gravity and `body_f`: rates first, then poses; for solvers of one's own."""
        integrate(model, state_in, state_out, float(dt), float(angular_damping))

    @classmethod
    def register_custom_attributes(cls, builder: Any) -> None:
        """Declares the attributes that the solver reads; most read none."""


class SolverSoftStep(SolverBase):
    """The default: soft constraints in sub-steps over reduced coordinates.

    `substeps` 1..64 sub-steps a step; `sleeping` leaves islands at rest out. `report` says how the last step went.
    """

    _name = "softstep"

    SUPPORTED_OBSERVABLES = frozenset({ObservableKind.BODY_QDD, ObservableKind.CONTACT_F})

    def __init__(self, model: Any, *, substeps: int = 8, sleeping: bool = False, compat: str | None = None):
        super().__init__(model)
        if not 1 <= int(substeps) <= 64:
            raise kind_of(ValueError)(f"substeps is {substeps}, expected 1..64", "PYTHON_ARG_SUBSTEPS")
        self._core = _core.Solver(self._name, model._core, int(substeps), bool(sleeping))
        self._found = publish(self._core.diagnostics())
        self.options = {"substeps": int(substeps), "sleeping": bool(sleeping)}
        self.report: dict[str, Any] = {}

    def step(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, *, observables: Any = None) -> None:
        self.validate_observables(observables, contacts)
        for name, value in (("state_in", state_in), ("state_out", state_out)):
            if not isinstance(value, State):
                raise TypeError(f"{name}: expected State, not {type(value).__name__}")
        if control is not None and not isinstance(control, Control):
            raise TypeError(f"control: expected Control or None, not {type(control).__name__}")
        if contacts is not None and not isinstance(contacts, Contacts):
            raise TypeError(f"contacts: expected Contacts or None, not {type(contacts).__name__}")
        if not 0 < float(dt) < float("inf"):
            raise kind_of(ValueError)(f"dt is {dt}, expected a positive time [s]", "PYTHON_ARG_DT")
        warn_in_capture("SolverBase.step()")
        before = np.array(state_in._np("body_qd")) if observables is not None and observables.is_requested(ObservableKind.BODY_QDD) else None
        self.report = self._core.step(state_in._core, state_out._core, None if control is None else control._core,
                                      None if contacts is None else contacts._core, float(dt))
        if self.report["diverged"]:
            warn(f"SOLVER_DIVERGED: {self.report['culprit']}")
        if before is not None:
            observables.body_qdd[...] = (state_out._np("body_qd") - before) / float(dt)
        if observables is not None and observables.is_requested(ObservableKind.CONTACT_F):
            contacts._wrenches(state_out, observables.contact_f)  # type: ignore[union-attr]
        if contacts is not None and contacts.__dict__["force"] is not None:
            contacts._wrenches(state_out, contacts.__dict__["force"])

    def rollout(self, state: State, frames: int, dt: float, substeps: int = 1, control: Control | None = None, record: bool | None = None) -> dict[str, Any]:
        """Collides and steps `frames` times in place, without the GIL; with `record` the answer holds "t", "body_q" and "joint_q" of every frame."""
        if frames < 0 or substeps < 1:
            raise kind_of(ValueError)(f"frames is {frames}, substeps {substeps}; expected at least 0 and 1", "PYTHON_ARG_FRAMES")
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
            raise kind_of(TypeError)(f"state: expected State, not {type(state).__name__}", "PYTHON_ARG_STATE")
        worlds = self.model.world_count
        chosen = np.ones(worlds + 1, bool) if world_mask is None else plain(world_mask)
        if chosen.dtype != bool:
            raise kind_of(TypeError)(f"world_mask: dtype {chosen.dtype}, expected bool", "PYTHON_ARG_MASK")
        if chosen.shape != (worlds + 1,):
            raise kind_of(ValueError)(f"world_mask: shape {chosen.shape}, expected ({worlds + 1},): a world each, and what belongs to none", "PYTHON_ARG_MASK")
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
            raise error(ValueError, "PYTHON_CHECKPOINT", "blob: not a checkpoint of this model, or damaged")

    def unsupported_features(self) -> list[str]:
        """What of the model is ignored or only approximated, and what happens instead: a sentence for each."""
        return [d.message for d in self._found if d.code in ("SOLVER_FEATURE", "SOLVER_APPROXIMATES")]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.model!r}>"


def _not_built(name: str, text: str, **options: Any) -> type:
    """A solver that says what is missing. `options` are the keywords that it will take, with their defaults."""
    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotSupportedError(text, "PYTHON_NOT_BUILT")

    made = type(name, (SolverBase,), {"__init__": refuse, "__doc__": text, "__module__": __name__})
    made.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
        inspect.Parameter("model", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *(inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default) for option, default in options.items())])
    return made


SolverXPBD = _not_built("SolverXPBD", "SolverXPBD is not built: the extended position-based solver belongs to a later stage; use SolverSoftStep")
SolverSemiImplicit = _not_built("SolverSemiImplicit", "SolverSemiImplicit is not built: it belongs to a later stage; use SolverSoftStep",
                                  angular_damping=0.05, friction_smoothing=None, joint_attach_ke=10000.0, joint_attach_kd=100.0, joint_mimic_ke=100.0,
                                  joint_mimic_kd=1.0, enable_tri_contact=True, deterministic=None)
SolverFeatherstone = _not_built("SolverFeatherstone", "SolverFeatherstone is not built: it belongs to a later stage; use SolverSoftStep, which works in reduced coordinates too",
                                angular_damping=0.05, update_mass_matrix_interval=1, friction_smoothing=None, use_tile_gemm=False, fuse_cholesky=True,
                                deterministic=None)
SolverVBD = _not_built("SolverVBD", "SolverVBD is not built: vertex block descent belongs to a later stage; use SolverSoftStep")
SolverMuJoCo = _not_built("SolverMuJoCo", "SolverMuJoCo is not built: the back end over MuJoCo's C library belongs to a later stage; use SolverSoftStep")

for _name in ("CtrlSource", "CtrlType", "EqType", "TrnType"):
    setattr(SolverMuJoCo, _name, getattr(mujoco_attributes, _name))
reserve(SolverBase, "SolverBase")
reserve(SolverMuJoCo, "SolverMuJoCo")
reserve(SolverXPBD, "SolverXPBD")
SolverMuJoCo.register_custom_attributes = staticmethod(mujoco_attributes.register)

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


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.solvers", name)


name_arguments(globals())
