"""Actuators between commands and joint forces: a delay, a drive, limits; `ModelBuilder.add_actuator` puts them into a model.

An actuator reads a state and a control and adds efforts to `control.joint_f`; it is stepped before the solver.
"""
from __future__ import annotations

from typing import Any

from .model.actuators.actuator import Actuator
from .model.actuators.clamping import ClampingBase, ClampingDCMotor, ClampingMaxEffort, ClampingPositionBased
from .model.actuators.delay import Delay
from .model.actuators.drives import DriveBase, DrivePD, DrivePID
from .model.actuators.prims import ActuatorParsed, ComponentKind, SchemaNames, parse_actuator_prim, register_actuator_component
from .model.actuators.response import JointSpaceResponse
from .newton.modules import absent

__all__ = ["Actuator", "ActuatorParsed", "ClampingBase", "ClampingDCMotor", "ClampingMaxEffort", "ClampingPositionBased", "ComponentKind", "Delay",
           "DriveBase", "DrivePD", "DrivePID", "JointSpaceResponse", "SchemaNames", "parse_actuator_prim", "register_actuator_component"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.actuators", name)
