"""Actuators: delay, drive and limits of several dofs, stepped together."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ...core.arguments import name_arguments
from ...core.array import fresh, plain
from ...core.diagnostics import kind_of
from .delay import Delay
from .drives import DriveBase
from .implicit import ExplicitEffort, ImplicitEffort, ImplicitOptions
from .response import JointSpaceResponse

__all__ = ["Actuator"]


def _read(source: Any, name: str, needed: bool = True) -> Any:
    """An array of a state or a control, which may be a mapping.

    @raises AttributeError  it is not there
    @raises ValueError  it is there and None
    """
    if isinstance(source, Mapping):
        found = name in source
        value = source.get(name)
    else:
        found = hasattr(source, name)
        value = getattr(source, name, None)
    if needed and not found:
        raise AttributeError(f"{type(source).__name__} object has no attribute '{name}'")
    if needed and value is None:
        raise kind_of(ValueError)(f"'{name}' is None; assign it before stepping the actuator", "PYTHON_ARG_ACTUATOR")
    return value


def _copy_fields(mine: Any, theirs: Any, name: str) -> None:
    """What one part of a state remembers, from another of the same kind."""
    if mine is None and theirs is None:
        return
    if mine is None or theirs is None:
        raise kind_of(ValueError)(f"Cannot assign '{name}': one state has it and the other does not", "PYTHON_ARG_ACTUATOR")
    if type(mine) is not type(theirs):
        raise kind_of(ValueError)(f"Cannot assign '{name}': state types differ ({type(mine).__name__} and {type(theirs).__name__})", "PYTHON_ARG_ACTUATOR")
    if hasattr(mine, "assign"):
        mine.assign(theirs)
        return
    if "__dataclass_fields__" not in type(mine).__dict__:
        raise NotImplementedError(f"{type(mine).__qualname__} must be decorated with @dataclass or implement assign")
    known = {f.name for f in fields(mine)}
    extra = (set(getattr(mine, "__dict__", ())) | set(getattr(theirs, "__dict__", ()))) - known
    if extra:
        raise kind_of(ValueError)(f"Cannot assign '{name}': undeclared state attributes: {', '.join(sorted(extra))}", "PYTHON_ARG_ACTUATOR")
    for field in sorted(known):
        target, source = getattr(mine, field), getattr(theirs, field)
        if target is None and source is None:
            continue
        if target is None or source is None:
            raise kind_of(ValueError)(f"Cannot assign '{name}.{field}': only one state has it", "PYTHON_ARG_ACTUATOR")
        if hasattr(target, "copy_") and type(target).__module__.startswith("torch"):
            target.copy_(source)
        elif plain(target).shape != plain(source).shape:
            raise kind_of(ValueError)(f"Cannot assign '{name}.{field}': shapes {plain(target).shape} and {plain(source).shape}", "PYTHON_ARG_ACTUATOR")
        else:
            plain(target)[...] = plain(source)


class _Inputs:
    """Arrays that an actuator reads or writes, None until they are assigned."""

    __slots__ = ("__dict__",)

    def __init__(self, names: tuple[str, ...]):
        self.__dict__.update(dict.fromkeys(names))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"no actuator input is called {name!r}; there are {sorted(self.__dict__)}")
        self.__dict__[name] = value


class Actuator:
    """Delayed commands -> the drive's effort -> limits -> added to `control.joint_f`, which the caller zeroes before.

    `indices` [n] are dofs. Positions lie at `pos_indices` of the state (coordinates), position targets at `target_pos_indices`, efforts go to
    `effort_indices`; each follows the one before where it is not given.
    """

    ImplicitOptions = ImplicitOptions

    @dataclass
    class State:
        """What the parts remember; None where a part remembers nothing."""

        delay_state: Any = None
        drive_state: Any = None

        def reset(self, mask: Any = None) -> None:
            """Back to the beginning: all dofs, or those where `mask` [n] is true."""
            for part in (self.delay_state, self.drive_state):
                if part is not None:
                    part.reset(mask)

        def assign(self, other: "Actuator.State") -> None:
            """Copies what another state holds; the arrays stay where they are.

            @raises ValueError  the two hold different parts or fields
            """
            _copy_fields(self.delay_state, other.delay_state, "delay_state")
            _copy_fields(self.drive_state, other.drive_state, "drive_state")

    def __init__(self, indices: Any, drive: Any = None, delay: Delay | None = None, clamping: list[Any] | None = None, pos_indices: Any = None,
                 target_pos_indices: Any = None, effort_indices: Any = None, state_pos_attr: str = "joint_q", state_vel_attr: str = "joint_qd",
                 control_target_pos_attr: str | None = "joint_target_q", control_target_vel_attr: str | None = "joint_target_qd",
                 control_feedforward_attr: str | None = "joint_act", control_output_attr: str = "joint_f",
                 control_computed_output_attr: str | None = None, requires_grad: bool = False):
        if drive is None:
            raise TypeError("Actuator() missing required argument: 'drive'")
        self.indices = indices
        self.pos_indices = indices if pos_indices is None else pos_indices
        self.target_pos_indices = self.pos_indices if target_pos_indices is None else target_pos_indices
        self.effort_indices = indices if effort_indices is None else effort_indices
        for name in ("pos_indices", "target_pos_indices", "effort_indices"):
            if tuple(getattr(self, name).shape) != tuple(indices.shape):
                raise kind_of(ValueError)(f"{name} shape {tuple(getattr(self, name).shape)} must match indices shape {tuple(indices.shape)}", "PYTHON_ARG_ACTUATOR")
        self.drive, self.delay, self.clamping = drive, delay, clamping or []
        self.num_actuators = len(indices)
        self.state_pos_attr, self.state_vel_attr = state_pos_attr, state_vel_attr
        self.control_target_pos_attr = control_target_pos_attr or "joint_target_q"
        self.control_target_vel_attr = control_target_vel_attr or "joint_target_qd"
        self.control_feedforward_attr, self.control_output_attr = control_feedforward_attr, control_output_attr
        self.control_computed_output_attr = control_computed_output_attr
        self.device = indices.device
        self.requires_grad = requires_grad
        self._in_turn = fresh(self.num_actuators, np.uint32)
        plain(self._in_turn)[...] = np.arange(self.num_actuators)
        self._computed_forces, self._applied_forces = fresh(self.num_actuators), fresh(self.num_actuators)
        drive.finalize(self.device, self.num_actuators)
        if delay is not None:
            delay.finalize(self.device, self.num_actuators, requires_grad=requires_grad)
        for clamp in self.clamping:
            clamp.finalize(self.device, self.num_actuators)
        self._effort_mode: Any = ExplicitEffort(drive, self.clamping, self.device)

    # -- what it reads
    def _state_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.state_pos_attr, self.state_vel_attr)))

    def _control_names(self) -> tuple[str, ...]:
        names = (self.control_target_pos_attr, self.control_target_vel_attr, self.control_feedforward_attr, self.control_output_attr,
                 self.control_computed_output_attr, *self.drive.custom_inputs)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    def sim_state(self) -> Any:
        """An empty object with what `step` reads from a state."""
        return _Inputs(self._state_names())

    def sim_control(self) -> Any:
        """An empty object with what `step` reads from a control and writes to it."""
        return _Inputs(self._control_names())

    def register_custom_attributes(self, builder: Any) -> None:
        """Declares what the drive reads besides as arrays of the control, one number for each dof. `ModelBuilder.finalize` calls it."""
        from ..custom import AttributeAssignment, AttributeFrequency, CustomAttribute

        for name in self.drive.custom_inputs:
            builder.add_custom_attribute(CustomAttribute(name=name, dtype=float, frequency=AttributeFrequency.JOINT_DOF, assignment=AttributeAssignment.CONTROL, default=0.0))

    # -- how it computes
    def set_effort_mode_implicit(self, response: JointSpaceResponse, options: ImplicitOptions | None = None) -> None:
        """Efforts from now on hold at the state that the step ends with, for joints that answer as `response` says; refresh it before each step.

        @raises NotImplementedError  the drive or a limit has no law for that, or gradients were asked for
        @raises ValueError  options out of range, a dof outside of articulations or without one coordinate
        """
        if self.requires_grad:
            raise NotImplementedError("Implicit actuation is not differentiable; build the Actuator with requires_grad=False")
        if self.drive.custom_inputs and type(self.drive).prepare_implicit is DriveBase.prepare_implicit:
            raise NotImplementedError(f"{type(self.drive).__name__} declares custom inputs but does not override prepare_implicit, so the implicit solve would ignore them")
        self._effort_mode = ImplicitEffort(self.drive, self.clamping, response, options, self.device, self.indices)

    def set_effort_mode_explicit(self) -> None:
        """Back to the law at the state that the step begins with."""
        self._effort_mode = ExplicitEffort(self.drive, self.clamping, self.device)

    def is_stateful(self) -> bool:
        return self.delay is not None or self.drive.is_stateful()

    def is_graphable(self) -> bool:
        return self._effort_mode.is_graphable()

    def state(self) -> "Actuator.State | None":
        """A new state, None for an actuator that remembers nothing."""
        if not self.is_stateful():
            return None
        return Actuator.State(delay_state=None if self.delay is None else self.delay.state(self.num_actuators, self.device),
                              drive_state=self.drive.state(self.num_actuators, self.device) if self.drive.is_stateful() else None)

    def step(self, sim_state: Any, sim_control: Any, current_act_state: Any = None, next_act_state: Any = None, dt: float | None = None, *,
             bias_force: Any = None) -> None:
        """Adds the efforts of one step to the control's output.

        `dt` [s] is for drives that integrate and for the implicit mode. `bias_force` [joint_dof_count] [N or N m] is the force C qd + g of the
        joints, which the implicit mode takes into its prediction. A state of the actuator's is read, another written.

        @raises ValueError  an actuator that remembers gets no states, or an array is missing
        """
        if self.is_stateful() and (current_act_state is None or next_act_state is None):
            raise kind_of(ValueError)("Stateful actuator requires both current_act_state and next_act_state; make them with actuator.state()", "PYTHON_ARG_ACTUATOR")
        positions, velocities = _read(sim_state, self.state_pos_attr), _read(sim_state, self.state_vel_attr)
        given = (_read(sim_control, self.control_target_pos_attr), _read(sim_control, self.control_target_vel_attr),
                 None if self.control_feedforward_attr is None else _read(sim_control, self.control_feedforward_attr, False))
        due, at = given, (self.target_pos_indices, self.indices)
        if self.delay is not None:
            due = self.delay.get_delayed_targets(*given, self.target_pos_indices, self.indices, current_act_state.delay_state)
            at = (self._in_turn, self._in_turn)
        inputs = {name: _read(sim_control, name, False) for name in self.drive.custom_inputs}
        efforts = self._effort_mode.compute_force(sim_state, positions, velocities, *due, self.pos_indices, self.indices, *at, self._computed_forces,
                                                  self._applied_forces, current_act_state.drive_state if current_act_state else None, dt, inputs, bias_force)
        rows = plain(self.effort_indices)
        np.add.at(plain(_read(sim_control, self.control_output_attr)), rows, plain(efforts))
        if self.control_computed_output_attr not in (None, self.control_output_attr):
            np.add.at(plain(_read(sim_control, self.control_computed_output_attr)), rows, plain(self._computed_forces))
        if self.drive.is_stateful():
            self.drive.update_state(current_act_state.drive_state, next_act_state.drive_state)
        if self.delay is not None:
            self.delay.update_state(*given, self.target_pos_indices, self.indices, current_act_state.delay_state, next_act_state.delay_state)


name_arguments(globals())
