"""What all solvers share: the interface, observables, contacts that a solver finds by itself, and the solvers of the library."""
from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from .. import _core, config
from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.capture import captured, warn_in_capture
from ..core.diagnostics import NotSupportedError, error, kind_of, publish, warn
from ..core.enums import ModelFlags, StateFlags
from ..newton.names import SolverNames
from ..newton.reserved import reserve
from .contacts import CollisionPipeline, Contacts, chosen_worlds
from .device_steps import DeviceSteps
from .integrate import integrate, integrate_particles
from .muscle_verbs import muscle_forces
from .observables import ObservableKind, Observables, requested
from .state import Control, State, belonging, reset_rows

__all__ = ["Native", "SolverBase"]


class CollisionSlot(IntEnum):
    """What a solver looks for by itself."""

    RIGID = 0              #: contacts of shapes and of particles with shapes
    SOFT_SELF_CONTACT = 1  #: triangles of soft things with each other


class CollisionFrequencyType(IntEnum):
    """When in a step a solver looks for contacts by itself."""

    NONE = 0           #: never; who owns the solver may fill `solver.contacts`
    PRE_INIT = 1       #: once, at the beginning
    PRE_POST_INIT = 2  #: at the beginning, and again where the solver has moved something since
    ITERATIONS = 3     #: also before every k-th iteration
    AUTO = 4           #: as the solver likes it


class SolverBase(SolverNames):
    """What all solvers share. Subclasses in Python override `step`.

    A solver whose class says `supports_collision_pipeline` may own a `CollisionPipeline`: it then finds contacts itself, as
    `collision_frequency_type` says, `step` takes none, and those of the last step are in `contacts`.

    @raises ValueError  the solver cannot own a pipeline, the pipeline is of another model, or a schedule cannot be
    """

    SUPPORTED_OBSERVABLES: ClassVar[frozenset[str]] = frozenset()
    supports_collision_pipeline: ClassVar[bool] = False
    ObservableKind = ObservableKind
    Observables = Observables
    CollisionSlot = CollisionSlot
    CollisionFrequencyType = CollisionFrequencyType

    def __init__(self, model: Any, *, collision_pipeline: CollisionPipeline | None = None, collision_frequency: Mapping[CollisionSlot, int] | None = None,
                 collision_frequency_type: Mapping[CollisionSlot, CollisionFrequencyType] | None = None):
        if model._device != "cpu" and not self._steps_on_devices:
            raise NotSupportedError(f"{type(self).__name__} does not step on {model.device}: SolverSoftStep does; model.to('cpu') gives the model for the others", "DEV_NOT_SUPPORTED")
        if model._device != "cpu" and collision_pipeline is not None:
            raise NotSupportedError(f"collision_pipeline: a step on {model.device} finds its contacts there", "DEV_NOT_SUPPORTED")
        self.model = model
        if collision_pipeline is not None:
            if not self.supports_collision_pipeline:
                raise kind_of(ValueError)(f"collision_pipeline: {type(self).__name__} cannot own a collision pipeline; call model.collide() between steps",
                                          "PYTHON_ARG_PIPELINE")
            if collision_pipeline.model is not model:
                raise kind_of(ValueError)("collision_pipeline and solver must use the same model", "PYTHON_ARG_PIPELINE")
        self.collision_pipeline = collision_pipeline
        if collision_pipeline is not None or not hasattr(self, "_contacts"):
            self._contacts = None if collision_pipeline is None else collision_pipeline.contacts()
        self._collision_frequency = dict.fromkeys(CollisionSlot, 1)
        self._collision_frequency_type = dict.fromkeys(CollisionSlot, CollisionFrequencyType.AUTO)
        self.set_collision_frequency(collision_frequency=collision_frequency, collision_frequency_type=collision_frequency_type)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = captured(vars(cls)["step"])  # type: ignore[method-assign]

    #: Whether models of devices are stepped where they are.
    _steps_on_devices = False

    @property
    def device(self) -> Any:
        """Where the solver steps; on the cpu Warp's object of it where arrays are handed out as Warp's."""
        return self.model.device

    # -- contacts of its own
    @property
    def contacts(self) -> Contacts | None:
        """Contacts that the solver finds by itself; None where it owns no pipeline."""
        return self._contacts

    @contacts.setter
    def contacts(self, value: Contacts | None) -> None:
        self._contacts = value

    @property
    def collision_frequency(self) -> dict[CollisionSlot, int]:
        """Iterations from one search to the next; a copy."""
        return dict(self._collision_frequency)

    @property
    def collision_frequency_type(self) -> dict[CollisionSlot, CollisionFrequencyType]:
        """When the solver looks for contacts; a copy."""
        return dict(self._collision_frequency_type)

    def set_collision_frequency(self, *, collision_frequency: Mapping[CollisionSlot, int] | None = None,
                                collision_frequency_type: Mapping[CollisionSlot, CollisionFrequencyType] | None = None) -> None:
        """Another schedule from the next step on; what is not named stays.

        @raises ValueError  a number below 1; shapes are to be looked at, but there is no pipeline, or none that matches contacts
        """
        numbers, types = dict(self._collision_frequency), dict(self._collision_frequency_type)
        for slot, number in (collision_frequency or {}).items():
            if int(number) < 1:
                raise kind_of(ValueError)(f"collision_frequency[{CollisionSlot(slot).name}] must be >= 1, got {number}", "PYTHON_ARG_SCHEDULE")
            numbers[CollisionSlot(slot)] = int(number)
        for slot, when in (collision_frequency_type or {}).items():
            types[CollisionSlot(slot)] = CollisionFrequencyType(when)
        rigid = types[CollisionSlot.RIGID]
        if collision_frequency_type is not None:
            if self.collision_pipeline is None and rigid not in (CollisionFrequencyType.NONE, CollisionFrequencyType.AUTO):
                raise kind_of(ValueError)("collision_frequency_type: an active rigid slot requires a solver-owned pipeline; give collision_pipeline, or call "
                                          "model.collide() between steps", "PYTHON_ARG_SCHEDULE")
            if rigid == CollisionFrequencyType.ITERATIONS and self.collision_pipeline is not None and self.collision_pipeline.contact_matching == "disabled":
                raise kind_of(ValueError)("collision_frequency_type: rigid ITERATIONS wants a pipeline with contact matching, which carries what belongs to a "
                                          "contact on to the next search", "PYTHON_ARG_SCHEDULE")
        self._collision_frequency, self._collision_frequency_type = numbers, types

    def _default_collision_frequency_type(self, slot: CollisionSlot) -> CollisionFrequencyType:
        """What AUTO stands for."""
        owns = slot == CollisionSlot.RIGID and self.collision_pipeline is not None
        return CollisionFrequencyType.PRE_INIT if owns else CollisionFrequencyType.NONE

    def _resolved_collision_frequency_type(self, slot: CollisionSlot) -> CollisionFrequencyType:
        when = self._collision_frequency_type[slot]
        return self._default_collision_frequency_type(slot) if when == CollisionFrequencyType.AUTO else when

    def _step_contacts(self, state: State, contacts: Contacts | None) -> Contacts | None:
        """Contacts of a step: those that are given, or, with a pipeline of its own, those of a search where one is due."""
        if self.collision_pipeline is None:
            return contacts
        if contacts is not None:
            raise kind_of(ValueError)("contacts must be None where the solver owns a collision pipeline; it fills solver.contacts", "PYTHON_ARG_CONTACTS")
        if self._resolved_collision_frequency_type(CollisionSlot.RIGID) != CollisionFrequencyType.NONE:
            self.collision_pipeline.collide(state, self._contacts)
        return self._contacts

    # -- stepping
    def step(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, *, observables: Any = None) -> None:
        """Advances `state_in` by `dt` [s] into `state_out`, which may be the same."""
        raise NotImplementedError(f"{type(self).__name__} does not override step")

    def notify_model_changed(self, flags: int) -> None:
        """To be called after arrays of the model were written to; `ModelFlags` say which."""

    def reset(self, state: State, world_mask: Any = None, flags: int | None = None) -> None:
        """Forgets what was kept from step to step, as after a teleport.

        @param world_mask  bool, shape (world_count + 1,): which worlds; the last entry stands for what belongs to none. None: all
        @raises TypeError   the mask is not of bools
        @raises ValueError  the mask has another shape
        """
        chosen_worlds(world_mask, self.model.world_count)

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Forces of the last step are in `contacts.rigid_contact_force` already, and as wrenches in `contacts.force` where that was asked for."""

    def integrate_bodies(self, model: Any, state_in: State, state_out: State, dt: float, angular_damping: float = 0.0) -> None:
        """Semi-implicit Euler of free bodies under gravity and `body_f`: rates first, then poses; for solvers of one's own."""
        integrate(model, state_in, state_out, float(dt), float(angular_damping))

    def integrate_particles(self, model: Any, state_in: State, state_out: State, dt: float) -> None:
        """Semi-implicit Euler of particles under gravity and `particle_f`, no faster than `particle_max_velocity`; for solvers of one's own."""
        integrate_particles(model, state_in, state_out, float(dt))

    def coupling_eval_gravity_acceleration(self, out_body_acceleration: Any, out_particle_acceleration: Any) -> None:
        """The gravity that `step` applies to each body and particle [m/s^2]; None: not wanted. Without a mass there is none."""
        m = self.model
        gravity = np.asarray(m._np("gravity")).reshape(-1, 3)
        for out, world, inverse in ((out_body_acceleration, "body_world", "body_inv_mass"), (out_particle_acceleration, "particle_world", "particle_inv_mass")):
            if out is not None and len(out):
                plain(out)[...] = gravity[np.asarray(m._np(world))] * (np.asarray(m._np(inverse)) > 0)[:, None]

    @classmethod
    def register_custom_attributes(cls, builder: Any) -> None:
        """Declares the attributes that the solver reads; most read none."""

    # -- observables
    @property
    def supported_observables(self) -> frozenset[str]:
        """Names that `observables` takes."""
        return self.SUPPORTED_OBSERVABLES

    def observables(self, kinds: Any, *, contacts: Contacts | None = None, requires_grad: bool | None = None) -> Observables:
        """Arrays for what is asked for, to be given to every `step` that shall fill them. Those with a row a contact have the capacity of
        `contacts`, by default of those that the solver finds by itself.

        @raises TypeError   no collection of names, or `contacts` is something else
        @raises ValueError  the solver does not support a kind, the container declares no array for it, or a kind needs contacts
        """
        wanted = requested(kinds)
        if unknown := sorted(wanted - self.supported_observables):
            raise ValueError(f"kinds: {type(self).__name__} does not support {unknown}; it supports {sorted(self.supported_observables)}")
        if not issubclass(self.Observables, Observables):
            raise TypeError("Observables must derive from SolverBase.Observables")
        if missing := sorted(wanted - set(self.Observables._declared())):
            raise ValueError(f"kinds: {self.Observables.__name__} declares no field for {missing}")
        made = self.Observables()
        made._kinds, made._solver = wanted, self
        if made._contact_fields():
            contacts = self._observable_contacts(contacts, "solver.observables()")
        grad = self.model.requires_grad if requires_grad is None else bool(requires_grad)
        made._allocate(self.model, contacts, grad)
        if made._contact_fields():
            self._validate_native_contacts(contacts)
        return made

    def _observable_contacts(self, contacts: Any, where: str) -> Contacts:
        contacts = self.contacts if contacts is None else contacts
        if contacts is None:
            raise ValueError(f"observables: {where} wants the Contacts, whose rows contact_f and others of their frequency follow")
        if not isinstance(contacts, Contacts):
            raise TypeError(f"contacts: expected Contacts, not {type(contacts).__name__}")
        return contacts

    def _validate_native_contacts(self, contacts: Any) -> None:
        """@raises ValueError  a solver that writes contacts of its own has more than there is room for"""

    def validate_observables(self, observables: Observables | None, contacts: Contacts | None = None) -> None:
        """@raises TypeError, ValueError  `step` cannot fill them: of another solver, or smaller than the contacts"""
        if observables is None:
            return
        if not isinstance(observables, self.Observables):
            raise TypeError(f"observables: expected {self.Observables.__name__}, not {type(observables).__name__}")
        if observables.solver is not self:
            raise ValueError("observables: they belong to the solver instance that made them, which is another")
        if not observables._contact_fields():
            return
        contacts = self._observable_contacts(contacts, "step()")
        observables._check_room(contacts)
        self._validate_native_contacts(contacts)
        observables._bind(contacts)


class Native(SolverBase):
    """What the solvers of the library share."""

    _name = ""
    _pulls = False  #: muscles act

    SUPPORTED_OBSERVABLES = frozenset({ObservableKind.BODY_QDD, ObservableKind.BODY_PARENT_F, ObservableKind.CONTACT_F})

    _on_device: DeviceSteps | None = None  #: in place of the extension's solver

    def _make(self, text: str, substeps: int, sleeping: bool, options: dict[str, Any]) -> None:
        if self.model._device != "cpu":
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
        belonging("state_in", state_in, self.model, State)
        belonging("state_out", state_out, self.model, State)
        if control is not None:
            belonging("control", control, self.model, Control)
        if contacts is not None:
            self._check_contacts(contacts)
        if not 0 < float(dt) < float("inf"):
            raise kind_of(ValueError)(f"dt is {dt}, expected a positive time [s]", "PYTHON_ARG_DT")
        self.validate_observables(observables, contacts)
        warn_in_capture("SolverBase.step()")
        contacts = self._step_contacts(state_in, contacts)
        self._advance(state_in, state_out, control, contacts, float(dt), observables)
        self._fill_contacts(state_out, contacts, observables)

    def _check_contacts(self, contacts: Contacts) -> None:
        """@raises ValueError  they are of another model, or nothing was put into them: a step with them would be one without contacts"""
        belonging("contacts", contacts, self.model, Contacts)
        if config.compat != "newton-1.8" and self.collision_pipeline is None and contacts._untouched:
            raise kind_of(ValueError)("contacts: nothing was collided into them yet; model.collide(state, contacts) does, and None steps without contacts",
                                      "PYTHON_ARG_CONTACTS")

    def _fill_contacts(self, state: State, contacts: Contacts | None, observables: Any) -> None:
        """Forces of the step's contacts as wrenches, where they were asked for."""
        wanted = observables.contact_f if observables is not None and observables.is_requested(ObservableKind.CONTACT_F) else None
        for out in (wanted, None if contacts is None else contacts.__dict__["force"]):
            if out is not None:
                contacts._wrenches(state, plain(out))  # type: ignore[union-attr]

    def _advance(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, observables: Any) -> None:
        self.model._follow_friction()
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
                                          None if contacts is None else contacts._core, dt)
        finally:
            if pulls is not None:
                state_in._np("body_f")[...] -= pulls
        if self.report["diverged"] or self.report["diverged_worlds"]:
            warn(f"SOLVER_DIVERGED: {self.report['culprit']}")
        # Once, until no body is too fast any more: a robot that spins would be told at each step.
        slowed = self.report["clamped_velocities"]
        if slowed and not self.__dict__.get("_slowed", False):
            warn(f"RUN_VELOCITY_CLAMPED: bodies exceeded the speed limit of the solver and were slowed down, {slowed} times in this step")
        self._slowed = bool(slowed)
        if before is not None:
            plain(observables.body_qdd)[...] = (state_out._np("body_qd") - before) / dt
        if wrenches:
            found = self._core.parent_wrenches()
            plain(observables.body_parent_f)[...] = found if len(found) else 0.0

    def _step_on_device(self, state_in: State, state_out: State, control: Control | None, contacts: Contacts | None, dt: float, observables: Any) -> None:
        """Only asks for the step, where the device has a queue: `device_report()` and arrays wait for it."""
        if observables is not None:
            raise NotSupportedError(f"observables: a step on {self.device} keeps none", "DEV_NOT_SUPPORTED")
        if contacts is not None:
            belonging("contacts", contacts, self.model, Contacts)
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
        belonging("state", state, self.model, State)
        if control is not None:
            belonging("control", control, self.model, Control)
        self.model._follow_friction()
        if self._on_device is not None:
            return self._on_device.rollout(state, int(frames), float(dt), int(substeps), control, bool(record))
        return self._core.rollout(state._core, int(frames), float(dt), int(substeps), None if control is None else control._core, bool(record))

    def notify_model_changed(self, flags: int) -> None:
        """Takes over what of the model was written to and is not read at every step anyway; bits that `ModelFlags` does not name are ignored."""
        self.model._follow_friction()
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
        belonging("state", state, self.model, State)
        chosen = chosen_worlds(world_mask, self.model.world_count)
        if self._on_device is not None:
            return self._on_device.reset(state, chosen, int(StateFlags.ALL if flags is None else flags))
        reset_rows(self.model, state, chosen, StateFlags.ALL if flags is None else int(flags))
        if chosen.all():
            self._core.reset()
        else:
            self._core.reset_worlds(chosen[:-1].tobytes())

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
        belonging("contacts", contacts, self.model, Contacts)
        if state is not None:
            belonging("state", state, self.model, State)
        if self._on_device is not None:
            self._on_device.read_contacts(contacts, state)

    def unsupported_features(self) -> list[str]:
        """What of the model is ignored or only approximated, and what happens instead: a sentence for each."""
        return [d.message for d in self._found if d.code in ("SOLVER_FEATURE", "SOLVER_APPROXIMATES")]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__dict__.get('model')!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise kind_of(TypeError)(f"{type(self).__name__} is not copied or pickled: pickle its model, make the solver anew, and hand on checkpoint()", "PYTHON_ARGUMENT")



reserve(SolverBase, "SolverBase")


name_arguments(globals())
