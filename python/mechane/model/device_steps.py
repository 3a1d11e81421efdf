"""Steps of a solver on a device."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import NotSupportedError, kind_of, warn
from .contacts import Contacts
from .device_state import CONTROL, STATE, DeviceControl, DeviceState
from .state import Control, State, belonging, reset_rows

__all__ = ["DeviceSteps"]

_DIVERGED, _CONTACTS_FULL, _SLOWED = 1, 2, 4  #: bits of faults


class DeviceSteps:
    """What steps the states of one model on its device; a plan is made for each time step that is asked for.

    States of the device are stepped where they are. States of the cpu travel there and back at every step.
    """

    def __init__(self, model: Any, substeps: int, contacts_per_world: int = 0):
        self.model, self.device, self.substeps = model, model.device, substeps
        self._contacts_per_world = contacts_per_world
        self._dt: float | None = None
        self._stepper: Any = None
        self._changed = False
        self._commands: DeviceControl | None = None
        self._travel: tuple[DeviceState, DeviceControl] | None = None
        self._told: set[int] = set()
        # What the kernels do not honour is said now, not at the first step.
        self.prepare(1 / 60)

    def prepare(self, dt: float) -> Any:
        """The plan for steps of `dt` [s].

        @raises NotImplementedError  DEV_NOT_SUPPORTED, DEV_NOT_ALIKE: what of the model is beyond the device
        """
        if self._stepper is None or dt != self._dt:
            self._stepper = _core.DeviceStepper(self.model._core, self.device, dt, self.substeps, self._contacts_per_world)
            self._dt, self._changed = dt, False
        elif self._changed:
            self._stepper.update()
            self._changed = False
        return self._stepper

    def defaults(self) -> DeviceControl:
        """What `control=None` stands for."""
        if self._commands is None:
            self._commands = DeviceControl._on(self.device, self.model._host_control(), self.model)
        return self._commands

    def check(self, state: Any, name: str) -> None:
        belonging(name, state, self.model, State)
        if isinstance(state, DeviceState) and state.device != self.device:
            raise kind_of(ValueError)(f"{name}: it is on {state.device}, the solver steps on {self.device}; state.to({self.device!r}) copies it", "PYTHON_ARG_STATE")

    def step(self, state_in: State, state_out: State, control: Control | None, dt: float) -> None:
        for name, state in (("state_in", state_in), ("state_out", state_out)):
            self.check(state, name)
        if control is not None:
            belonging("control", control, self.model, Control)
        stepper = self.prepare(float(dt))
        source = self._here(state_in)
        target = state_out if isinstance(state_out, DeviceState) else source
        stepper.step(*_memories(source, self._commanded(control), target))
        target.time = state_in.time + float(dt)
        if target is not state_out:
            _bring_back(target, state_out)

    def rollout(self, state: State, frames: int, dt: float, substeps: int, control: Control | None, record: bool) -> dict[str, Any]:
        """`frames` times `substeps` steps, in place; worlds that diverged stay as they were."""
        here = state if isinstance(state, DeviceState) else self._here(state)
        rows: dict[str, list[Any]] = {"t": [], "body_q": [], "joint_q": []}

        def keep() -> None:
            if record:
                for name, value in (("t", here.time), ("body_q", here._arrays["body_q"].numpy()), ("joint_q", here._arrays["joint_q"].numpy())):
                    rows[name].append(value)

        keep()
        for _ in range(frames):
            for _ in range(substeps):
                self.step(here, here, control, dt / substeps)
            keep()
        out: dict[str, Any] = {"frames": frames, "diverged": self.report()["diverged"]}
        if record:
            out.update({name: np.array(values) for name, values in rows.items()})
        if here is not state:
            _bring_back(here, state)
        return out

    def _here(self, state: State) -> DeviceState:
        if isinstance(state, DeviceState):
            return state
        self._ensure_travel()
        self._travel[0]._take(state)  # type: ignore[index]
        return self._travel[0]  # type: ignore[index]

    def _commanded(self, control: Control | None) -> DeviceControl:
        if control is None:
            return self.defaults()
        if isinstance(control, DeviceControl):
            if control.device != self.device:
                raise kind_of(ValueError)(f"control: it is on {control.device}, the solver steps on {self.device}", "PYTHON_ARG_CONTROL")
            return control
        if np.any(np.asarray(control._np("joint_act"))):
            raise NotSupportedError(f"Control.joint_act: a step on {self.device} takes no activations; use Control.joint_f", "DEV_NOT_SUPPORTED")
        self._ensure_travel()
        commands = self._travel[1]  # type: ignore[index]
        for name in CONTROL:
            commands._arrays[name]._put(np.asarray(control._np(name), dtype=np.float32))
        return commands

    def _ensure_travel(self) -> None:
        if self._travel is None:
            model = self.model
            self._travel = (DeviceState._on(self.device, model._host_state(), model), DeviceControl._on(self.device, model._host_control(), model))

    # -- what the solver's verbs need
    def notify(self) -> None:
        self._changed = True
        if self._commands is not None:
            self._commands.clear()
            self._commands._arrays["joint_target_qd"]._put(np.asarray(self.model._np("joint_target_qd"), dtype=np.float32))
            self._commands._arrays["joint_f"]._put(np.asarray(self.model._np("joint_f"), dtype=np.float32))

    def before_launch(self) -> bool:
        """What a graph of the driver does not do by itself. Returns whether the graph must be made again."""
        if self._changed and self._dt is not None:
            self.prepare(self._dt)
        return False

    def reset(self, state: State, chosen: np.ndarray, flags: int) -> None:
        """Worlds by a mask [world_count + 1]: they forget contacts and faults, and their rows are the model's initial ones."""
        worlds = np.ascontiguousarray(chosen[:max(self.model._core.world_count, 1)], dtype=np.uint8)
        self._stepper.reset(worlds.tobytes())
        self._told -= {int(w) for w in np.flatnonzero(worlds)}
        if isinstance(state, DeviceState):
            host = state.to("cpu")
            reset_rows(self.model, host, chosen, flags)
            state.assign(host)
        else:
            reset_rows(self.model, state, chosen, flags)

    def read_contacts(self, contacts: Contacts, state: State | None) -> None:
        self._stepper.read_contacts(contacts._core)
        object.__setattr__(contacts, "_model", self.model)
        if state is not None:
            object.__setattr__(contacts, "_state", state.to("cpu") if isinstance(state, DeviceState) else state)

    def report(self) -> dict[str, Any]:
        """What befell worlds since they were reset; waits for the device. Warns of each once."""
        faults = self._stepper.faults()
        report = {"device": self._stepper.where, "bytes_per_world": self._stepper.bytes_per_world,
                  "diverged_worlds": [w for w, bits in faults if bits & _DIVERGED], "contacts_full_worlds": [w for w, bits in faults if bits & _CONTACTS_FULL],
                  "slowed_worlds": [w for w, bits in faults if bits & _SLOWED]}
        report["diverged"] = bool(report["diverged_worlds"])
        report["culprit"] = f"world {report['diverged_worlds'][0]} has numbers that are not finite or beyond all bounds" if report["diverged"] else ""
        fresh = [w for w in report["diverged_worlds"] if w not in self._told]
        if fresh:
            self._told.update(fresh)
            warn(f"SOLVER_DIVERGED: {len(fresh)} worlds on {self.device} stay as they were, the first is {fresh[0]}")
        return report


def _memories(source: DeviceState, control: DeviceControl, target: DeviceState) -> tuple[list[Any], list[Any], list[Any]]:
    return ([source._arrays[n]._memory for n in STATE], [control._arrays[n]._memory for n in CONTROL], [target._arrays[n]._memory for n in STATE])


def _bring_back(source: DeviceState, target: State) -> None:
    for name in ("joint_q", "joint_qd", "body_q", "body_qd"):
        plain(target._np(name))[...] = source._arrays[name].numpy()
    target.time = source.time


name_arguments(globals())
