"""States and controls in the memory of a device."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import Array
from ..core.capture import captured
from ..core.device_array import DeviceArray, device_name
from ..core.diagnostics import NotSupportedError, kind_of
from .state import Control, OwnTime, State

__all__ = ["DeviceControl", "DeviceState"]

#: Arrays of each, with the numbers of a row; in the order in which steps take them.
STATE = {"joint_q": 1, "joint_qd": 1, "body_q": 7, "body_qd": 6, "body_f": 6}
CONTROL = {"joint_target_q": 1, "joint_target_qd": 1, "joint_f": 1}


def _uploaded(device: str, names: dict[str, int], source: Any) -> dict[str, DeviceArray]:
    out = {}
    for name in names:
        values = np.asarray(source._np(name), dtype=np.float32)
        out[name] = DeviceArray.zeros(device, values.shape)._put(values)
    return out


class _OnDevice:
    """What states and controls of a device share. Reading them as a whole goes by a copy on the host; writing goes by their arrays."""

    _arrays: dict[str, DeviceArray]

    def __getattr__(self, name: str) -> Any:
        arrays = self.__dict__.get("_arrays", {})
        if name in arrays:
            return arrays[name]
        if name in type(self)._names:
            raise NotSupportedError(f"{type(self).__mro__[1].__name__}.{name} is not there on {self.device}: a step there takes {', '.join(arrays)} alone", "DEV_NOT_SUPPORTED")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("_arrays", {}):
            array = self._arrays[name]
            array.zero_() if value is None else array.assign(value)
        elif name in type(self)._names:
            getattr(self, name)  # says why not
        else:
            object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._arrays} - (type(self)._names - set(self._arrays)))

    @property
    def device(self) -> str:
        return str(self._device)

    @property
    def _core(self) -> Any:
        """A copy on the host, which only readers may use."""
        return self.to("cpu")._core

    def _np(self, name: str) -> Array:
        if name in self._arrays:
            out = self._arrays[name].numpy()
        else:
            out = np.array(self._zero()._np(name))
        out.flags.writeable = False
        return out.view(Array)

    def _zero(self) -> Any:
        """One of the model on the host, as it starts."""
        raise NotImplementedError


class DeviceState(_OnDevice, OwnTime, State):
    """A state whose arrays live on a device (`mechane.DeviceArray`): `joint_q`, `joint_qd`, `body_q`, `body_qd`, `body_f`. Coordinates and rates are what a step
    goes from; poses and velocities of bodies follow from them."""

    @classmethod
    def _on(cls, device: str, host: State, model: Any) -> "DeviceState":
        self = object.__new__(cls)
        for name, value in (("_model", model), ("_device", device), ("_time", host.time), ("_arrays", _uploaded(device, STATE, host))):
            object.__setattr__(self, name, value)
        return self

    def _zero(self) -> State:
        return self._model._host_state()

    @property
    def body_count(self) -> int:
        return len(self._arrays["body_q"])

    @property
    def joint_coord_count(self) -> int:
        return len(self._arrays["joint_q"])

    @property
    def joint_dof_count(self) -> int:
        return len(self._arrays["joint_qd"])

    def _graph_device(self, call: str, *args: Any) -> str | None:
        there = args[0].device if call == "assign" and args and isinstance(args[0], DeviceState) else self.device if call == "clear_forces" else None
        return self.device if there == self.device and str(self.device).startswith("cuda") else None

    def _clock(self, *args: Any) -> tuple[State, State, float] | None:
        return (args[0], self, 0.0) if args and isinstance(args[0], State) else None

    @property
    def particle_count(self) -> int:
        return 0

    body_qdd = body_parent_f = particle_q = particle_qd = particle_f = None

    @captured
    def clear_forces(self) -> None:
        self._arrays["body_f"]._fill(0)

    @captured
    def assign(self, other: State) -> None:
        """Copies another state of the same model, from wherever it is."""
        self._take(other)

    def _take(self, other: State) -> None:
        if not isinstance(other, State):
            raise kind_of(TypeError)(f"other: expected State, not {type(other).__name__}", "PYTHON_ARG_STATE")
        for name, array in self._arrays.items():
            source = other._arrays[name] if isinstance(other, DeviceState) else np.asarray(other._np(name), dtype=np.float32)
            if tuple(source.shape) != array.shape:
                raise kind_of(ValueError)(f"other: {name} has shape {tuple(source.shape)}, here {array.shape}", "MODEL_STATE_LAYOUT")
            array._put(source)
        self.time = other.time

    def copy(self) -> "DeviceState":
        out = object.__new__(DeviceState)
        for name, value in (("_model", self._model), ("_device", self._device), ("_time", self.time), ("_arrays", {k: a.clone() for k, a in self._arrays.items()})):
            object.__setattr__(out, name, value)
        return out

    def to(self, device: Any = None) -> State:
        """The state itself where it is there already, else a copy."""
        name = self.device if device is None else device_name(device)
        if name == self.device:
            return self
        host = self._model._host_state()
        for key, array in self._arrays.items():
            host._np(key).assign(array.numpy())
        host.time = self.time
        return host if name == "cpu" else DeviceState._on(name, host, self._model)

    def hash(self) -> int:
        """That of the same numbers on the cpu."""
        return self.to("cpu").hash()

    def to_dict(self) -> dict[str, np.ndarray]:
        return {name: array.numpy() for name, array in self._arrays.items()}

    def __reduce__(self) -> Any:
        return _state_again, (self.device, self.to("cpu"), self._model)

    def __repr__(self) -> str:
        return f"<State t={self.time:g} s, {self.body_count} bodies, {self.joint_coord_count} coordinates, {self.joint_dof_count} dof, on {self.device}>"


def _state_again(device: str, host: State, model: Any) -> DeviceState:
    return DeviceState._on(device, host, model)


class DeviceControl(_OnDevice, Control):
    """Commands whose arrays live on a device: `joint_target_q`, `joint_target_qd`, `joint_f`."""

    tri_activations = tet_activations = muscle_activations = None

    @classmethod
    def _on(cls, device: str, host: Control, model: Any) -> "DeviceControl":
        self = object.__new__(cls)
        for name, value in (("_model", model), ("_device", device), ("_arrays", _uploaded(device, CONTROL, host))):
            object.__setattr__(self, name, value)
        return self

    def _zero(self) -> Control:
        return self._model._host_control()

    @captured
    def clear(self, model: Any = None) -> None:
        """Zero forces and velocity targets; position targets come back from the model."""
        of = self._model if model is None else model
        self._arrays["joint_target_qd"]._fill(0)
        self._arrays["joint_f"]._fill(0)
        self._arrays["joint_target_q"]._put(np.asarray(of._np("joint_target_q"), dtype=np.float32))

    def to(self, device: Any = None) -> Control:
        """The object itself where it is there already, else a copy."""
        name = self.device if device is None else device_name(device)
        if name == self.device:
            return self
        host = self._model._host_control()
        for key, array in self._arrays.items():
            host._np(key).assign(array.numpy())
        return host if name == "cpu" else DeviceControl._on(name, host, self._model)

    def __reduce__(self) -> Any:
        return _control_again, (self.device, self.to("cpu"), self._model)

    def __repr__(self) -> str:
        return f"<Control {len(self._arrays['joint_f'])} dof, on {self.device}>"


def _control_again(device: str, host: Control, model: Any) -> DeviceControl:
    return DeviceControl._on(device, host, model)


name_arguments(globals())
