"""Actuators that a stage describes: `NewtonActuator` prims and the schemas that are applied to them."""
from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...core.arguments import name_arguments
from ...core.diagnostics import kind_of, warn
from ...stage.helpers import plain_value
from .clamping import ClampingDCMotor, ClampingMaxEffort, ClampingPositionBased
from .delay import Delay
from .drives import DrivePD, DrivePID

__all__ = ["ActuatorParsed", "ComponentKind", "SchemaNames", "parse_actuator_prim", "register_actuator_component"]


class ComponentKind(enum.Enum):
    """What a schema adds to an actuator."""

    DRIVE = "drive"
    CLAMPING = "clamping"
    DELAY = "delay"


class SchemaNames:
    """Names of the schemas of newton-usd-schemas."""

    ACTUATOR = "NewtonActuator"
    PD_CONTROL = "NewtonPDControlAPI"
    PID_CONTROL = "NewtonPIDControlAPI"
    NEURAL_CONTROL = "NewtonNeuralControlAPI"
    MAX_EFFORT_CLAMPING = "NewtonMaxEffortClampingAPI"
    DC_MOTOR_CLAMPING = "NewtonDCMotorClampingAPI"
    POSITION_BASED_CLAMPING = "NewtonPositionBasedClampingAPI"
    DELAY = "NewtonActuatorDelayAPI"


@dataclass
class ActuatorParsed:
    """The parts of an actuator, each a class and its arguments."""

    drive_class: Any
    drive_kwargs: dict[str, Any] = field(default_factory=dict)
    component_specs: list[tuple[Any, dict[str, Any]]] = field(default_factory=list)
    target_path: str = ""  #: of the joint

    def __post_init__(self) -> None:
        if self.component_specs is None:
            self.component_specs = []


def _neural(_: dict[str, Any]) -> Any:
    raise kind_of(ValueError)("NewtonNeuralControlAPI asks for a network; those are not part of mechane", "PYTHON_LEFT_OUT")


#: Schema -> its class, or a function of the arguments that picks one; what it adds; its properties without the namespace, None: all there are.
_SCHEMAS: dict[str, tuple[Any, ComponentKind, tuple[str, ...] | None]] = {
    SchemaNames.PD_CONTROL: (DrivePD, ComponentKind.DRIVE, ("kp", "kd", "constEffort")),
    SchemaNames.PID_CONTROL: (DrivePID, ComponentKind.DRIVE, ("kp", "ki", "kd", "integralMax", "constEffort")),
    SchemaNames.NEURAL_CONTROL: (_neural, ComponentKind.DRIVE, ("modelPath",)),
    SchemaNames.MAX_EFFORT_CLAMPING: (ClampingMaxEffort, ComponentKind.CLAMPING, ("maxEffort",)),
    SchemaNames.DC_MOTOR_CLAMPING: (ClampingDCMotor, ComponentKind.CLAMPING, ("saturationEffort", "velocityLimit", "maxMotorEffort")),
    SchemaNames.POSITION_BASED_CLAMPING: (ClampingPositionBased, ComponentKind.CLAMPING, ("lookupPositions", "lookupEfforts")),
    SchemaNames.DELAY: (Delay, ComponentKind.DELAY, ("delaySteps",)),
}


def register_actuator_component(schema_name: str, component_class: type | Callable[[dict[str, Any]], type], kind: ComponentKind) -> None:
    """Lets a schema of one's own add a part: a class, or a function of its arguments that returns one. All `newton:` properties of the prim
    become arguments. A schema that is known gets the new part, with a warning."""
    if schema_name in _SCHEMAS:
        warn(f"PYTHON_ACTUATOR_SCHEMA: Actuator schema {schema_name!r} is already registered; overwriting")
    _SCHEMAS[schema_name] = (component_class, kind, None)


def _applied(prim: Any) -> list[str]:
    """Schemas that are applied, those of which no plug-in knows included."""
    names = [str(s) for s in prim.GetAppliedSchemas()]
    listed = prim.GetMetadata("apiSchemas")
    return names + [str(s) for s in (listed.GetAddedOrExplicitItems() if listed is not None else ()) if str(s) not in names]


def _arguments(prim: Any, properties: tuple[str, ...] | None) -> dict[str, Any]:
    """What is authored, by names in snake case."""
    out = {}
    for attribute in prim.GetAuthoredAttributes():
        name = str(attribute.GetName())
        short = name.removeprefix("newton:")
        if name != short and (properties is None or short in properties) and attribute.HasAuthoredValue():
            value = plain_value(attribute.Get())
            value = value.tolist() if hasattr(value, "tolist") else value
            out[re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", short).lower()] = value
    return out


def parse_actuator_prim(prim: Any, *, allow_unsafe_torch_checkpoints: bool = False) -> ActuatorParsed | None:
    """The parts of a `NewtonActuator` prim (of pxr or `usd.Prim`); None for another prim.

    @raises ValueError  it names no hinge or slider that exists, or has not one drive
    """
    if str(prim.GetTypeName()) != SchemaNames.ACTUATOR:
        return None
    if allow_unsafe_torch_checkpoints:
        raise NotImplementedError("allow_unsafe_torch_checkpoints is refused: checkpoints are never executed")
    where = f"Actuator prim '{prim.GetPath()}'"
    relation = prim.GetRelationship("newton:targets")
    targets = [str(t) for t in relation.GetTargets()] if relation else []
    if not targets:
        raise kind_of(ValueError)(f"{where} has no authored 'newton:targets' relationship; deactivate the prim instead of leaving the target empty", "IMPORT_ACT_TARGET")
    if len(targets) > 1:
        warn(f"IMPORT_ACT_MULTI_TARGET: {where} has {len(targets)} targets; only the first is used")
    stage = prim.GetStage()
    joint = stage.GetPrimAtPath(targets[0]) if stage else None
    if joint is None or not joint.IsValid():
        raise kind_of(ValueError)(f"{where} targets '{targets[0]}' which does not exist on the stage", "IMPORT_ACT_TARGET")
    kinds = ("PhysicsPrismaticJoint", "PhysicsRevoluteJoint")
    if str(joint.GetTypeName()) not in kinds:
        raise kind_of(ValueError)(f"{where} targets '{targets[0]}' of type '{joint.GetTypeName()}'; only {list(kinds)} are supported", "IMPORT_ACT_TARGET")
    drive: Any = None
    drive_arguments: dict[str, Any] = {}
    parts, seen = [], []
    for name in _applied(prim):
        if name not in _SCHEMAS:
            continue
        seen.append(name)
        component, kind, properties = _SCHEMAS[name]
        arguments = _arguments(prim, properties)
        if not isinstance(component, type):
            try:
                component = component(arguments)
            except ValueError as what:
                raise kind_of(ValueError)(f"{where}: {what}", "IMPORT_ACT_CONTROL") from None
        if kind is not ComponentKind.DRIVE:
            parts.append((component, arguments))
        elif drive is not None:
            raise kind_of(ValueError)(f"{where} has multiple drives: {drive.__name__} and {component.__name__}", "IMPORT_ACT_CONTROL")
        else:
            drive, drive_arguments = component, arguments
    if drive is None:
        raise kind_of(ValueError)(f"{where} has no drive schema (detected schemas: {seen})", "IMPORT_ACT_CONTROL")
    return ActuatorParsed(drive, drive_arguments, parts, targets[0])


name_arguments(globals())
