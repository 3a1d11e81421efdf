"""Solvers: one interface for every way of stepping."""
from __future__ import annotations

import importlib.util
import math
import os
import warnings
from typing import Any

import numpy as np

from . import _core, config
from .core.arguments import name_arguments
from .core.array import handed, plain
from .core.capture import captured, warn_in_capture
from .core.diagnostics import NotSupportedError, error, kind_of, publish, warn
from .core.enums import JointType, ModelFlags, StateFlags
from .model import mujoco_attributes
from .model.contacts import Contacts
from .model.device_steps import DeviceSteps
from .model.integrate import integrate
from .model.muscle_verbs import muscle_forces
from .model.mujoco_views import WorldsData, WorldsModel
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
        if model.device != "cpu" and not self._steps_on_devices:
            raise NotSupportedError(f"{type(self).__name__} does not step on {model.device}: SolverSoftStep does; model.to('cpu') gives the model for the others", "DEV_NOT_SUPPORTED")
        self.model = model

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = captured(vars(cls)["step"])  # type: ignore[method-assign]

    #: Whether models of devices are stepped where they are.
    _steps_on_devices = False

    @property
    def device(self) -> str:
        return self.model.device

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


class _Native(SolverBase):
    """What the solvers of the library share."""

    _name = ""
    _pulls = False  #: muscles act

    SUPPORTED_OBSERVABLES = frozenset({ObservableKind.BODY_QDD, ObservableKind.BODY_PARENT_F, ObservableKind.CONTACT_F})

    _on_device: DeviceSteps | None = None  #: in place of the extension's solver

    def _make(self, text: str, substeps: int, sleeping: bool, options: dict[str, Any]) -> None:
        if self.model.device != "cpu":
            if sleeping:
                raise NotSupportedError(f"sleeping: on {self.model.device} every world is computed", "DEV_NOT_SUPPORTED")
            self._on_device = DeviceSteps(self.model, substeps)
            self._found, self.options, self.report = publish([]), options, {}
            return
        self._core = _core.Solver(text, self.model._core, substeps, sleeping)
        self._found = publish(self._core.diagnostics())
        self.options = options
        self.report: dict[str, Any] = {}

    def step(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, *, observables: Any = None) -> None:
        if self._on_device is not None:
            return self._step_on_device(state_in, state_out, control, contacts, dt, observables)
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
        wrenches = observables is not None and observables.is_requested(ObservableKind.BODY_PARENT_F)
        if wrenches != self.__dict__.get("_observed", False):
            self._core.observe(wrenches)
            self._observed = wrenches
        pulls = muscle_forces(self.model, state_in, control) if self._pulls and self.model.muscle_count else None
        if pulls is not None:
            state_in._np("body_f")[...] += pulls
        try:
            self.report = self._core.step(state_in._core, state_out._core, None if control is None else control._core,
                                          None if contacts is None else contacts._core, float(dt))
        finally:
            if pulls is not None:
                state_in._np("body_f")[...] -= pulls
        if self.report["diverged"]:
            warn(f"SOLVER_DIVERGED: {self.report['culprit']}")
        if before is not None:
            plain(observables.body_qdd)[...] = (state_out._np("body_qd") - before) / float(dt)
        if wrenches:
            found = self._core.parent_wrenches()
            plain(observables.body_parent_f)[...] = found if len(found) else 0.0
        if observables is not None and observables.is_requested(ObservableKind.CONTACT_F):
            contacts._wrenches(state_out, plain(observables.contact_f))  # type: ignore[union-attr]
        if contacts is not None and contacts.__dict__["force"] is not None:
            contacts._wrenches(state_out, contacts.__dict__["force"])

    def _step_on_device(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, observables: Any) -> None:
        """Only asks for the step, where the device has a queue: `device_report()` and arrays wait for it."""
        if observables is not None:
            raise NotSupportedError(f"observables: a step on {self.device} keeps none", "DEV_NOT_SUPPORTED")
        if contacts is not None and not isinstance(contacts, Contacts):
            raise TypeError(f"contacts: expected Contacts or None, not {type(contacts).__name__}")
        if not 0 < float(dt) < float("inf"):
            raise kind_of(ValueError)(f"dt is {dt}, expected a positive time [s]", "PYTHON_ARG_DT")
        self._on_device.step(state_in, state_out, control, float(dt))  # type: ignore[union-attr]

    def device_report(self) -> dict[str, Any]:
        """Of a solver on a device, once its steps are done: where it steps, the memory of a world [bytes], and the worlds that diverged (and stay as they were), had
        more contacts than there is room for, or were slowed, since they were reset. Also `report`.

        @raises RuntimeError  the solver steps on the cpu, where `report` has it after every step
        """
        if self._on_device is None:
            raise kind_of(RuntimeError)("device_report(): the solver steps on the cpu; report says how the last step went", "PYTHON_DEVICE")
        self.report = self._on_device.report()
        return self.report

    def _graph_device(self, call: str, state_in: Any, state_out: Any, control: Any = None, *_: Any, **__: Any) -> str | None:
        on = self._on_device is not None and call == "step" and self.device.startswith("cuda")
        there = all(getattr(value, "device", "cpu") == self.device for value in (state_in, state_out, *([] if control is None else [control])))
        return self.device if on and there else None

    def _clock(self, state_in: Any, state_out: Any, control: Any, contacts: Any, dt: float, **_: Any) -> tuple[Any, Any, float]:
        return state_in, state_out, float(dt)

    def _before_launch(self) -> bool:
        return self._on_device is not None and self._on_device.before_launch()

    def rollout(self, state: State, frames: int, dt: float, substeps: int = 1, control: Control | None = None, record: bool | None = None) -> dict[str, Any]:
        """Collides and steps `frames` times in place, without the GIL; with `record` the answer holds "t", "body_q" and "joint_q" of every frame."""
        if frames < 0 or substeps < 1:
            raise kind_of(ValueError)(f"frames is {frames}, substeps {substeps}; expected at least 0 and 1", "PYTHON_ARG_FRAMES")
        if self._on_device is not None:
            return self._on_device.rollout(state, int(frames), float(dt), int(substeps), control, bool(record))
        return self._core.rollout(state._core, int(frames), float(dt), int(substeps), None if control is None else control._core, bool(record))

    def notify_model_changed(self, flags: int) -> None:
        """Takes over what of the model was written to and is not read at every step anyway; bits that `ModelFlags` does not name are ignored."""
        if self._on_device is not None:
            return self._on_device.notify()
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
        if self._on_device is not None:
            return self._on_device.reset(state, chosen, int(StateFlags.ALL if flags is None else flags))
        reset_rows(self.model, state, chosen, StateFlags.ALL if flags is None else int(flags))
        if chosen.all():
            self._core.reset()
        else:
            self._core.reset_worlds(chosen[:worlds].tobytes())

    def checkpoint(self) -> bytes:
        """What one step hands on to the next besides the state.

        @raises NotImplementedError  on a device, which keeps it
        """
        if self._on_device is not None:
            raise NotSupportedError(f"checkpoint(): what the solver remembers stays on {self.device}", "DEV_NOT_SUPPORTED")
        return self._core.save()

    def restore(self, blob: bytes) -> None:
        """@raises ValueError  the bytes are of another model, another version, or damaged"""
        if self._on_device is not None:
            raise NotSupportedError(f"restore(): what the solver remembers stays on {self.device}", "DEV_NOT_SUPPORTED")
        if not self._core.restore(blob):
            raise error(ValueError, "PYTHON_CHECKPOINT", "blob: not a checkpoint of this model, or damaged")

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """On the cpu nothing is left to do: `step` has put the forces into `rigid_contact_force`, and the wrenches into `force` where that was asked for. On a device:
        brings the contacts of the last step, with their forces, as many as there is room for."""
        if self._on_device is not None:
            self._on_device.read_contacts(contacts, state)

    def unsupported_features(self) -> list[str]:
        """What of the model is ignored or only approximated, and what happens instead: a sentence for each."""
        return [d.message for d in self._found if d.code in ("SOLVER_FEATURE", "SOLVER_APPROXIMATES")]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.model!r}>"


class SolverSoftStep(_Native):
    """The default: soft constraints in sub-steps over reduced coordinates.

    `substeps` 1..64 sub-steps a step; `sleeping` leaves islands at rest out. `report` says how the last step went.

    A model on a device (`ModelBuilder.finalize(device="cuda")`) is stepped there, its worlds side by side: they must be alike, and the solver finds contacts itself.
    States and controls of that device stay there; those of the cpu travel at every step. What of a model the device does not honour is refused.

    @raises NotImplementedError  DEV_NOT_SUPPORTED, DEV_NOT_ALIKE: the model or an option goes beyond the device; the message names it
    """

    _name = "softstep"
    _steps_on_devices = True

    def __init__(self, model: Any, *, substeps: int = 8, sleeping: bool = False, compat: str | None = None):
        super().__init__(model)
        if not 1 <= int(substeps) <= 64:
            raise kind_of(ValueError)(f"substeps is {substeps}, expected 1..64", "PYTHON_ARG_SUBSTEPS")
        self._make(self._name, int(substeps), bool(sleeping), {"substeps": int(substeps), "sleeping": bool(sleeping)})


def _option(name: str, kind: type) -> property:
    """A parameter as an attribute: what is written holds from the next step on."""
    def read(self: Any) -> Any:
        return self.options[name]

    def write(self: Any, value: Any) -> None:
        if not self._core.configure(name, float(value)):
            raise kind_of(ValueError)(f"{name} is {value}, out of range for {type(self).__name__}", "SOLVER_PARAMETER")
        self.options[name] = kind(value)

    return property(read, write)


class _Adjustable(_Native):
    """Solvers with parameters of Newton's names. Most have no substeps of their own: the caller takes small steps."""

    _kinds: dict[str, type] = {}
    _steps_rods = False

    def _begin(self, values: dict[str, Any], substeps: int = 1) -> None:
        if not self._steps_rods and int(JointType.ROD) in np.asarray(self.model.joint_type):
            raise kind_of(ValueError)(f"{type(self).__name__} does not support JointType.ROD joints", "SOLVER_MODEL")
        chosen = {name: self._kinds[name](value) for name, value in values.items()}
        text = ",".join(f"{name}={float(value)!r}" for name, value in chosen.items())
        self._make(f"{self._name}:{text}", substeps, False, chosen)


def _warn_friction(value: float | None) -> None:
    if value is not None:
        warnings.warn("friction_smoothing is ignored: the materials' kf and mu say how contacts slide", DeprecationWarning, stacklevel=3)


class SolverSemiImplicit(_Adjustable):
    """Penalty forces in maximal coordinates and semi-implicit Euler: springs for joints, limits and contacts.

    Explicit: a step `dt` is stable while `dt * sqrt(k / m) < 2` and `dt * d / m < 2` over all springs and dampers at a body.
    The state is `body_q` and `body_qd`; `joint_q` and `joint_qd` are read off the bodies after each step.

    @param angular_damping   how fast the spin of bodies fades [1/s]
    @param friction_smoothing  ignored, as in Newton 1.8
    @param joint_attach_ke, joint_attach_kd  stiffness [N/m, N m/rad] and damping [N s/m] of what joints lock
    @param joint_mimic_ke, joint_mimic_kd    stiffness and damping that tie followers to leaders
    @param enable_tri_contact  triangles of cloth meet particles
    @param soft_laws  what is soft resists as under `SolverVBD`, or (False) by Newton's forces; None: False under `config.compat = "newton-1.8"`
    @param deterministic  results are the same bytes in any case
    @raises ValueError  a value is out of range, or the model has rods
    """

    _name = "semi-implicit"
    _pulls = True
    _kinds = {"angular_damping": float, "joint_attach_ke": float, "joint_attach_kd": float, "joint_mimic_ke": float, "joint_mimic_kd": float,
              "enable_tri_contact": bool, "soft_laws": bool}
    angular_damping = _option("angular_damping", float)
    joint_attach_ke = _option("joint_attach_ke", float)
    joint_attach_kd = _option("joint_attach_kd", float)
    joint_mimic_ke = _option("joint_mimic_ke", float)
    joint_mimic_kd = _option("joint_mimic_kd", float)
    enable_tri_contact = _option("enable_tri_contact", bool)
    soft_laws = _option("soft_laws", bool)

    def __init__(self, model: Any, *, angular_damping: float = 0.05, friction_smoothing: float | None = None, joint_attach_ke: float = 1.0e4,
                 joint_attach_kd: float = 1.0e2, joint_mimic_ke: float = 1.0e2, joint_mimic_kd: float = 1.0, enable_tri_contact: bool = True,
                 deterministic: Any = None, soft_laws: bool | None = None):
        super().__init__(model)
        _warn_friction(friction_smoothing)
        for name, value in (("joint_mimic_ke", joint_mimic_ke), ("joint_mimic_kd", joint_mimic_kd)):
            if not (math.isfinite(value) and value >= 0):
                raise kind_of(ValueError)(f"{name} must be finite and non-negative, got {value}", "SOLVER_PARAMETER")
        self._begin({"angular_damping": angular_damping, "joint_attach_ke": joint_attach_ke, "joint_attach_kd": joint_attach_kd,
                     "joint_mimic_ke": joint_mimic_ke, "joint_mimic_kd": joint_mimic_kd, "enable_tri_contact": enable_tri_contact,
                     "soft_laws": config.compat != "newton-1.8" if soft_laws is None else soft_laws})


class SolverFeatherstone(_Adjustable):
    """Reduced coordinates, contacts as springs, semi-implicit Euler. The state is `joint_q` and `joint_qd`.

    @param angular_damping  how fast the spin of free roots fades [1/s]. Newton 1.8 takes 0.05 by default and does not apply it; here the
        default does nothing either, and any other value is applied.
    @param update_mass_matrix_interval  steps that one mass matrix serves
    @param friction_smoothing, use_tile_gemm, fuse_cholesky, deterministic  taken, without effect
    @param soft_laws  as of `SolverSemiImplicit`
    @raises ValueError  a value is out of range, or the model has rods, loops, or followers of joints in other articulations
    """

    _name = "featherstone"
    _pulls = True
    _kinds = {"angular_damping": float, "update_mass_matrix_interval": int, "soft_laws": bool}
    angular_damping = _option("angular_damping", float)
    update_mass_matrix_interval = _option("update_mass_matrix_interval", int)
    soft_laws = _option("soft_laws", bool)

    def __init__(self, model: Any, *, angular_damping: float = 0.05, update_mass_matrix_interval: int = 1, friction_smoothing: float | None = None,
                 use_tile_gemm: bool = False, fuse_cholesky: bool = True, deterministic: Any = None, soft_laws: bool | None = None):
        super().__init__(model)
        _warn_friction(friction_smoothing)
        self.use_tile_gemm, self.fuse_cholesky = use_tile_gemm, fuse_cholesky
        self._begin({"angular_damping": 0.0 if angular_damping == 0.05 else angular_damping,
                     "update_mass_matrix_interval": update_mass_matrix_interval,
                     "soft_laws": config.compat != "newton-1.8" if soft_laws is None else soft_laws})
        self.options["angular_damping"] = angular_damping


class SolverXPBD(_Adjustable):
    """Compliant position projection in maximal coordinates.

    The state is `body_q` and `body_qd`. Limits and contacts are hard; drives keep their stiffness, and what is soft resists as under
    `SolverVBD`, however many iterations there are, unless `compat` is "newton-1.8".

    @param iterations  passes over all constraints in a step
    @param soft_body_relaxation, soft_contact_relaxation, joint_linear_relaxation, joint_angular_relaxation, rigid_contact_relaxation
        part of a correction that a pass applies
    @param joint_linear_compliance, joint_angular_compliance  softness of what joints lock [m/N], [rad/(N m)]
    @param rigid_contact_restitution_iterations  passes that couple impacts of different pairs of bodies
    @param rigid_contact_con_weighting  a body's correction is divided by its number of contacts
    @param angular_damping  how fast the spin of bodies fades [1/s]
    @param enable_restitution  bodies bounce as their materials say
    @param tendon_max_sweeps, tendon_settle_tol, tendon_activation_tol, deterministic  taken, without effect
    @param soft_laws  what is soft resists as under `SolverVBD`, or (False) by Newton's rows; None: False under compat "newton-1.8"
    @raises ValueError  a value is out of range, or the model has rods
    """

    _name = "xpbd"
    _kinds = {"iterations": int, "soft_body_relaxation": float, "soft_contact_relaxation": float, "joint_linear_relaxation": float,
              "joint_angular_relaxation": float, "joint_linear_compliance": float, "joint_angular_compliance": float,
              "rigid_contact_relaxation": float, "rigid_contact_restitution_iterations": int, "rigid_contact_con_weighting": bool,
              "angular_damping": float, "enable_restitution": bool, "accumulate": bool, "soft_laws": bool}
    iterations = _option("iterations", int)
    soft_body_relaxation = _option("soft_body_relaxation", float)
    soft_contact_relaxation = _option("soft_contact_relaxation", float)
    joint_linear_relaxation = _option("joint_linear_relaxation", float)
    joint_angular_relaxation = _option("joint_angular_relaxation", float)
    joint_linear_compliance = _option("joint_linear_compliance", float)
    joint_angular_compliance = _option("joint_angular_compliance", float)
    rigid_contact_relaxation = _option("rigid_contact_relaxation", float)
    rigid_contact_restitution_iterations = _option("rigid_contact_restitution_iterations", int)
    rigid_contact_con_weighting = _option("rigid_contact_con_weighting", bool)
    angular_damping = _option("angular_damping", float)
    enable_restitution = _option("enable_restitution", bool)
    accumulate = _option("accumulate", bool)
    soft_laws = _option("soft_laws", bool)

    def __init__(self, model: Any, *, iterations: int = 2, soft_body_relaxation: float = 0.9, soft_contact_relaxation: float = 0.9,
                 joint_linear_relaxation: float = 0.7, joint_angular_relaxation: float = 0.4, joint_linear_compliance: float = 0.0,
                 joint_angular_compliance: float = 0.0, rigid_contact_relaxation: float = 0.8, rigid_contact_restitution_iterations: int = 2,
                 rigid_contact_con_weighting: bool = True, angular_damping: float = 0.0, enable_restitution: bool = False, tendon_max_sweeps: int = 256,
                 tendon_settle_tol: float = 1.0e-3, tendon_activation_tol: float = 2.0e-3, deterministic: Any = None, compat: str | None = None, soft_laws: bool | None = None):
        super().__init__(model)
        if rigid_contact_restitution_iterations < 1:
            raise kind_of(ValueError)("rigid_contact_restitution_iterations must be at least 1", "SOLVER_PARAMETER")
        self.tendon_max_sweeps, self.tendon_settle_tol, self.tendon_activation_tol = tendon_max_sweeps, tendon_settle_tol, tendon_activation_tol
        self._begin({"iterations": iterations, "soft_body_relaxation": soft_body_relaxation, "soft_contact_relaxation": soft_contact_relaxation,
                     "joint_linear_relaxation": joint_linear_relaxation, "joint_angular_relaxation": joint_angular_relaxation,
                     "joint_linear_compliance": joint_linear_compliance, "joint_angular_compliance": joint_angular_compliance,
                     "rigid_contact_relaxation": rigid_contact_relaxation,
                     "rigid_contact_restitution_iterations": rigid_contact_restitution_iterations,
                     "rigid_contact_con_weighting": rigid_contact_con_weighting, "angular_damping": angular_damping,
                     "enable_restitution": enable_restitution, "accumulate": (compat or config.compat) != "newton-1.8",
                     "soft_laws": (compat or config.compat) != "newton-1.8" if soft_laws is None else soft_laws})


class SolverVBD(_Adjustable):
    """Vertex block descent for particles: springs, cloth, soft bodies, their contacts with shapes and with themselves, and what holds them to bodies.

    Particles are moved group by group (`ModelBuilder.color`); a model without groups gets them here, or is refused under `config.compat`
    "newton-1.8". Bodies are stepped by the solver softstep in `substeps`, with the forces that particles put on them. What else Newton's solver
    takes is accepted where it is at its default, and refused where it is not.

    @param iterations        passes over all particles in a step
    @param friction_epsilon  below this speed friction grows with speed [m/s]
    @param particle_enable_self_contact  triangles keep away from each other
    @param particle_self_contact_margin, particle_self_contact_gap  the distance that they keep, and how much farther contacts are looked for [m]
    @param substeps          of softstep, 1..64
    @raises ValueError  an option is out of range, or the model's particles have no groups
    """

    _steps_rods = True
    _name = "vbd"
    _kinds = {"iterations": int, "friction_epsilon": float, "particle_enable_self_contact": bool, "particle_self_contact_margin": float,
              "particle_self_contact_gap": float}
    iterations = _option("iterations", int)
    friction_epsilon = _option("friction_epsilon", float)
    particle_enable_self_contact = _option("particle_enable_self_contact", bool)
    particle_self_contact_margin = _option("particle_self_contact_margin", float)
    particle_self_contact_gap = _option("particle_self_contact_gap", float)

    def __init__(self, model: Any, *, iterations: int | None = None, friction_epsilon: float = 1e-2, particle_enable_self_contact: bool = False,
                 particle_self_contact_margin: float | None = None, particle_self_contact_gap: float | None = None, substeps: int = 8, **others: Any):
        super().__init__(model)
        for name, value in others.items():
            if name in _VBD_FREE:
                continue
            if name not in _VBD_OTHERS:
                raise kind_of(TypeError)(f"SolverVBD has no argument {name!r}", "PYTHON_ARG_NAME")
            if value is not None and value != _VBD_OTHERS[name]:
                raise NotSupportedError(f"SolverVBD: {name} is {value!r}; here it is always {_VBD_OTHERS[name]!r}", "PYTHON_LATER_STAGE")
        if model.particle_count and not model.particle_color_groups and config.compat == "newton-1.8":
            raise kind_of(ValueError)("model.particle_color_groups is empty! When using the SolverVBD you must call ModelBuilder.color() or "
                                      "ModelBuilder.set_coloring() before calling ModelBuilder.finalize().", "MODEL_SOFT_COLORS")
        self._begin({"iterations": 10 if iterations is None else iterations, "friction_epsilon": friction_epsilon,
                     "particle_enable_self_contact": particle_enable_self_contact,
                     "particle_self_contact_margin": 0.2 if particle_self_contact_margin is None else particle_self_contact_margin,
                     "particle_self_contact_gap": 0.0 if particle_self_contact_gap is None else particle_self_contact_gap}, int(substeps))

    def rebuild_bvh(self, state: State) -> None:
        """Nothing to do: what is near is looked for at every step."""


#: Arguments of Newton's solver that have one value here.
_VBD_OTHERS: dict[str, Any] = {
    "dat_conservative_bound_relaxation": 0.85, "integrate_with_external_rigid_solver": False, "particle_self_contact_radius": None,
    "particle_conservative_bound_relaxation": None, "particle_vertex_contact_buffer_size": 32, "particle_edge_contact_buffer_size": 64,
    "particle_collision_detection_interval": None, "particle_edge_parallel_epsilon": 1e-5,
    "particle_topological_contact_filter_threshold": 2, "particle_rest_shape_contact_exclusion_radius": 0.0,
    "particle_external_vertex_contact_filtering_map": None, "particle_external_edge_contact_filtering_map": None, "deterministic": None,
    "enable_fast_math": True, "rigid_compliant_alm": True, "rigid_avbd_alpha": None, "rigid_avbd_joint_alpha": None, "rigid_avbd_contact_alpha": None, "rigid_avbd_beta": None,
    "rigid_avbd_linear_beta": None, "rigid_avbd_angular_beta": None, "rigid_avbd_gamma": 0.999, "rigid_contact_hard": None, "rigid_contact_k_start": None,
    "rigid_soft_contact_use_log_barrier": False, "rigid_joint_linear_ke": None, "rigid_joint_angular_ke": None, "rigid_joint_linear_k_start": None,
    "rigid_joint_angular_k_start": None, "rigid_joint_linear_kd": None, "rigid_joint_angular_kd": None, "tendon_max_sweeps": 256, "tendon_settle_tol": 1e-3,
    "tendon_activation_tol": 2e-3, "rigid_soft_enable_dat": False, "rigid_soft_dat_use_interval_arithmetic": False, "collision_pipeline": None, "collision_frequency": None,
    "collision_frequency_type": None,
}
#: Sizes of GPU buffers, how a GPU shares the work out, and a start of iterations that softstep does without: any value will do.
_VBD_FREE = ("particle_enable_tile_solve", "rigid_body_contact_buffer_size", "rigid_body_particle_contact_buffer_size", "rigid_contact_history")

def _mujoco_problem() -> str:
    """Why MuJoCo cannot step; empty: it can. The library of the package `mujoco` comes first, unless MECHANE_MUJOCO names one."""
    if not os.environ.get("MECHANE_MUJOCO") and not _core.mujoco_library()["version"]:
        found = importlib.util.find_spec("mujoco")
        for folder in (found.submodule_search_locations or [] if found is not None else []):
            _core.set_mujoco_library(str(folder))
            if not _core.mujoco_library()["problem"]:
                return ""
        _core.set_mujoco_library("")
    return str(_core.mujoco_library()["problem"])


#: Words of options, by their numbers.
_MUJOCO_WORDS = {"integrator": ("euler", "rk4", "implicit", "implicitfast", "discrete"), "solver": ("pgs", "cg", "newton"),
                 "cone": ("pyramidal", "elliptic"), "jacobian": ("dense", "sparse", "auto")}


def _contact(package: Any, row: np.ndarray) -> Any:
    """An mjContact of a row of `mujoco_contacts`."""
    contact, n = package.MjContact(), row[7:10]
    side = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    side /= np.linalg.norm(side)
    contact.geom[:] = contact.geom1, contact.geom2 = int(row[0]), int(row[1])
    contact.dim, contact.dist, contact.pos[:], contact.frame[:] = int(row[2]), row[3], row[4:7], np.concatenate([n, side, np.cross(n, side)])
    contact.friction[:], contact.solref[:], contact.solreffriction[:], contact.solimp[:] = row[10:15], row[15:17], row[17:19], row[19:24]
    contact.flex[:] = contact.elem[:] = contact.vert[:] = -1
    contact.efc_address = -1
    return contact


class SolverMuJoCo(_Native):
    """MuJoCo's own step: its library is loaded when the first of these is made, from the package `mujoco`, from MECHANE_MUJOCO, or from .deps.

    Options that are None are those of `model.mujoco`, else MuJoCo's defaults (the integrator is implicitfast). Each world is a model of its own
    unless `separate_worlds` is false. The state is `joint_q` and `joint_qd`.

    @param use_mujoco_contacts  MuJoCo finds contacts, and `step` takes none; else `step` wants those of a `collide`
    @param compat  "newton-1.8": the model is converted as Newton does it, and contacts that `step` does not want are ignored
    @param njmax, nconmax, njmax_nnz, nvmax, sleep_tolerance, disable_sensors, update_data_interval, strict_capacity, deterministic, kinematic_switchable_roots  without effect:
        MuJoCo's buffers grow
    @raises NotImplementedError  the library is not there, or of a version that this build does not know
    @raises ValueError  an option is out of range, or the model has what MuJoCo cannot step
    """

    _name = "mujoco"
    CtrlSource = mujoco_attributes.CtrlSource
    CtrlType = mujoco_attributes.CtrlType
    EqType = mujoco_attributes.EqType
    TrnType = mujoco_attributes.TrnType

    def __init__(self, model: Any, *, separate_worlds: bool | None = None, njmax: int | None = None, njmax_nnz: int | None = None, nconmax: int | None = None,
                 iterations: int | None = None, ls_iterations: int | None = None, ccd_iterations: int | None = None, sdf_iterations: int | None = None,
                 sdf_initpoints: int | None = None, solver: int | str | None = None, integrator: int | str | None = None, cone: int | str | None = None,
                 jacobian: int | str | None = None, impratio: float | None = None, tolerance: float | None = None, ls_tolerance: float | None = None,
                 ccd_tolerance: float | None = None, density: float | None = None, viscosity: float | None = None, wind: tuple[float, ...] | None = None,
                 magnetic: tuple[float, ...] | None = None, use_mujoco_cpu: bool = True, enable_multiccd: bool | None = None, enable_sleeping: bool | None = None,
                 nvmax: int | None = None, sleep_tolerance: float | None = None, disable_contacts: bool | None = None, disable_sensors: bool | None = None,
                 update_data_interval: int | None = None, save_to_mjcf: str | None = None, use_mujoco_contacts: bool = True,
                 use_speculative_contacts: bool = False, include_sites: bool = True, skip_visual_only_geoms: bool = True, deterministic: Any = None, strict_capacity: bool = False, kinematic_switchable_roots: bool = True,
                 compat: str | None = None, substeps: int = 1):
        super().__init__(model)
        for name, value, only in (("save_to_mjcf", save_to_mjcf, None), ("skip_visual_only_geoms", skip_visual_only_geoms, True),
                                  ("enable_sleeping", enable_sleeping or None, None), ("use_speculative_contacts", use_speculative_contacts, False)):
            if value != only:
                raise NotSupportedError(f"SolverMuJoCo: {name} is {value!r}; here it is always {only!r}", "PYTHON_LATER_STAGE")
        if problem := _mujoco_problem():
            raise NotSupportedError(f"SolverMuJoCo is not available: {problem}", "SOLVER_UNAVAILABLE")
        self._compat = (compat or config.compat) == "newton-1.8"
        self.use_mujoco_cpu = bool(use_mujoco_cpu)
        self._overrides = {"wind": wind, "magnetic": magnetic}
        self._room = {"contacts": 100 if nconmax is None else int(nconmax), "rows": 500 if njmax is None else int(njmax)}
        given: dict[str, Any] = {
            "iterations": iterations, "ls_iterations": ls_iterations, "ccd_iterations": ccd_iterations, "sdf_iterations": sdf_iterations,
            "sdf_initpoints": sdf_initpoints, "impratio": impratio, "tolerance": tolerance, "ls_tolerance": ls_tolerance, "ccd_tolerance": ccd_tolerance,
            "density": density, "viscosity": viscosity, "separate_worlds": separate_worlds, "disable_contacts": disable_contacts,
            "enable_multiccd": enable_multiccd, "use_mujoco_contacts": use_mujoco_contacts, "include_sites": include_sites, "newton_compat": self._compat,
            **{name: self._word(name, value) for name, value in (("solver", solver), ("integrator", integrator), ("cone", cone), ("jacobian", jacobian))}}
        options = {name: value for name, value in given.items() if value is not None}
        text = ",".join(f"{name}={float(value)!r}" for name, value in options.items())
        self._core = _core.Solver(f"{self._name}:{text}", model._core, int(substeps), self._tables())
        self._found = publish(self._core.diagnostics())
        self.options = options
        self.report: dict[str, Any] = {}

    @staticmethod
    def _word(name: str, value: int | str | None) -> int | None:
        if not isinstance(value, str):
            return None if value is None else int(value)
        if value.lower() not in _MUJOCO_WORDS[name]:
            raise kind_of(ValueError)(f"{name} is {value!r}, expected one of {', '.join(_MUJOCO_WORDS[name])}", "SOLVER_PARAMETER")
        return _MUJOCO_WORDS[name].index(value.lower())

    def _tables(self) -> dict[str, tuple[int, list[float], list[str]]]:
        """What the model has in the namespace mujoco: name -> (columns, numbers, texts)."""
        out: dict[str, tuple[int, list[float], list[str]]] = {}
        for key in self.model.attribute_specs:
            values = self.model._at(key) if key.startswith("mujoco:") else None
            if values is None or not len(values):
                continue
            if isinstance(values[0], str):
                out[key.removeprefix("mujoco:")] = (1, [], [str(v) for v in values])
                continue
            rows = np.asarray(plain(values), dtype=float).reshape(len(values), -1)
            out[key.removeprefix("mujoco:")] = (rows.shape[1], rows.ravel().tolist(), [])
        out.update({name: (3, [float(x) for x in value], []) for name, value in self._overrides.items() if value is not None})
        return out

    def step(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, *, observables: Any = None) -> None:
        direct = getattr(getattr(control, "mujoco", None), "ctrl", None)
        if direct is not None:
            self._core.mujoco_control(np.asarray(plain(direct), dtype=float).ravel().tolist())
        if self._compat and self.options["use_mujoco_contacts"]:
            contacts = None
        super().step(state_in, state_out, control, contacts, dt, observables=observables)
        if self.report.get("refused"):
            raise kind_of(ValueError)(self.report["refused"], "SOLVER_CONTACTS")

    def notify_model_changed(self, flags: int) -> None:
        self._core.mujoco_tables(self._tables())
        super().notify_model_changed(flags)

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Puts MuJoCo's contacts of the last step into `contacts`, with their forces, as many as there is room for."""
        if self.options["use_mujoco_contacts"]:
            if state is None:
                raise kind_of(ValueError)("state: the state after the step is wanted, to say where on bodies the contacts are", "PYTHON_ARG_STATE")
            self._core.found_contacts(state._core, contacts._core)

    @property
    def mjw_model(self) -> WorldsModel:
        """The mjModels of all worlds as one: copies, arrays of floats with a row a world."""
        self._core.mujoco_refresh()
        return WorldsModel([self._mujoco_model(w) for w in range(self._core.mujoco_world_count)])

    @property
    def mjw_data(self) -> WorldsData:
        """mjData of all worlds after the last step, with what follows from positions and velocities; copies."""
        return WorldsData([self._mujoco_data(w) for w in range(self._core.mujoco_world_count)], self._room["contacts"], self._room["rows"])

    def get_max_contact_count(self) -> int:
        """How many contacts `update_contacts` may find in a world; MuJoCo's own buffers grow."""
        return self._room["contacts"]

    def _origins(self, kind: str) -> Any:
        rows = [self._core.mujoco_origins(w, kind) for w in range(self._core.mujoco_world_count)]
        longest = max(map(len, rows))
        return handed(np.array([[*row, *[-1] * (longest - len(row))] for row in rows], np.int32).reshape(len(rows), longest), "float")

    @property
    def mjc_body_to_newton(self) -> Any:
        """Body of the model for each body of MuJoCo's, [world, id]; -1: the world."""
        return self._origins("body")

    @property
    def mjc_geom_to_newton_shape(self) -> Any:
        """Shape for each geom, [world, id]."""
        return self._origins("geom")

    @property
    def mjc_jnt_to_newton_jnt(self) -> Any:
        """Joint for each joint of MuJoCo's, of which a joint of several axes has several, [world, id]."""
        return self._origins("joint")

    @property
    def mjc_jnt_to_newton_dof(self) -> Any:
        """First dof for each joint of MuJoCo's, [world, id]."""
        dofs, model = plain(self._origins("dof")), self.mj_model
        return handed(dofs[:, model.jnt_dofadr].astype(np.int32) if dofs.size else np.zeros((len(dofs), 0), np.int32), "float")

    @property
    def mjc_dof_to_newton_dof(self) -> Any:
        """Dof for each dof of MuJoCo's, [world, id]."""
        return self._origins("dof")

    @property
    def newton_shape_to_mjc_geom(self) -> Any:
        """Geom for each shape of the first world; -1: none."""
        out = np.full(self.model.shape_count, -1, np.int32)
        for geom, shape in enumerate(self._core.mujoco_origins(0, "geom")):
            if shape >= 0:
                out[shape] = geom
        return handed(out)

    @property
    def mj_model(self) -> Any:
        """The mjModel of the first world as the package `mujoco` has it: a copy, so that writing to it changes nothing here.

        @raises NotImplementedError  the package is missing, or of another version than the library that was loaded
        """
        self._core.mujoco_refresh()
        return self._mujoco_model(0)

    @property
    def mj_data(self) -> Any:
        """An mjData of `mj_model` at the positions and velocities of the last step, with what follows from them; a copy."""
        return self._mujoco_data(0)

    def _mujoco_data(self, world: int) -> Any:
        model = self._mujoco_model(world)
        data = self._mujoco_package().MjData(model)
        numbers = np.asarray(self._core.mujoco_numbers(world))
        data.qpos[:], data.qvel[:] = numbers[:model.nq], numbers[model.nq:]
        package, given = self._mujoco_package(), np.asarray(self._core.mujoco_contacts(world)).reshape(-1, 24)
        package.mj_forward(model, data)
        if len(given):
            package.mj_fwdPosition(model, data)
            for row in given:
                package.mj_addContact(model, data, _contact(package, row))
            for stage in (package.mj_makeConstraint, package.mj_island, package.mj_projectConstraint, package.mj_transmission):
                stage(model, data)
            package.mj_forwardSkip(model, data, package.mjtStage.mjSTAGE_POS, 1)
        return data

    @classmethod
    def register_custom_attributes(cls, builder: Any) -> None:
        """Declares the attributes of the namespace `mujoco` on a builder; what has been declared stays."""
        mujoco_attributes.register(builder)

    @staticmethod
    def _mujoco_package() -> Any:
        version = _core.mujoco_library()["version"]
        try:
            import mujoco as package
        except ImportError:
            raise NotSupportedError(f"mj_model: the Python package mujoco {version} is not installed", "SOLVER_UNAVAILABLE") from None
        if package.mj_versionString() != version:
            raise NotSupportedError(f"mj_model: the package mujoco is {package.mj_versionString()}, the library that steps is {version}", "SOLVER_UNAVAILABLE")
        return package

    def _mujoco_model(self, world: int) -> Any:
        return self._mujoco_package().MjModel.from_binary_path("model.mjb", {"model.mjb": self._core.mujoco_binary(world)})


reserve(SolverBase, "SolverBase")
reserve(SolverMuJoCo, "SolverMuJoCo")
reserve(SolverXPBD, "SolverXPBD")

_MADE: dict[str, type] = {"softstep": SolverSoftStep, "xpbd": SolverXPBD, "semi-implicit": SolverSemiImplicit, "featherstone": SolverFeatherstone, "vbd": SolverVBD,
                          "mujoco": SolverMuJoCo}


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
