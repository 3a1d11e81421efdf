"""Custom attributes of a stage: what a scene declares, and what prims author."""
from __future__ import annotations

from typing import Any, Iterable

from ..core.arguments import name_arguments
from ..core.diagnostics import warn
from ..stage.helpers import plain_value, type_to_warp, value_to_warp
from .custom import AttributeAssignment, AttributeFrequency, CustomAttribute

__all__ = ["get_custom_attribute_declarations", "get_custom_attribute_values"]


def get_custom_attribute_declarations(prim: Any) -> dict[str, CustomAttribute]:
    """Attributes "newton:NAME" or "newton:SPACE:NAME" of a scene whose customData names `assignment` and `frequency`."""
    out: dict[str, CustomAttribute] = {}
    for attribute in prim.GetAuthoredPropertiesInNamespace("newton"):
        if hasattr(attribute, "GetTargets"):
            continue
        parts = attribute.GetName().split(":")[1:]
        if len(parts) not in (1, 2):
            continue
        assignment, frequency = attribute.GetCustomDataByKey("assignment"), attribute.GetCustomDataByKey("frequency")
        if not assignment and not frequency and hasattr(attribute, "IsCustom") and not attribute.IsCustom():
            continue  # of a schema
        if not assignment or not frequency:
            warn(f"IMPORT_CUSTOM_META: {attribute.GetName()} declares no assignment or frequency [{prim.GetPath()}]")
            continue
        if str(assignment).upper() not in AttributeAssignment.__members__ or str(frequency).upper() not in AttributeFrequency.__members__:
            warn(f"IMPORT_CUSTOM_ENUM: {attribute.GetName()} has assignment {assignment!r}, frequency {frequency!r} [{prim.GetPath()}]")
            continue
        value = plain_value(attribute.Get())
        declared = CustomAttribute(name=parts[-1], dtype=type_to_warp(value), frequency=AttributeFrequency[str(frequency).upper()],
                                   assignment=AttributeAssignment[str(assignment).upper()], namespace=parts[0] if len(parts) == 2 else None,
                                   default=value_to_warp(value))
        out[declared.key] = declared
    return out


def get_custom_attribute_values(prim: Any, custom_attributes: Iterable[CustomAttribute], context: dict[str, Any] | None = None) -> dict[str, Any]:
    """Values that a prim authors for attributes, by their keys. A transformer gets the raw value and a dict with `prim`, `attr`
    and what `context` has; its None means not authored. An attribute named "*" asks its transformer about every prim."""
    out: dict[str, Any] = {}
    for attribute in custom_attributes:
        transformer = attribute.usd_value_transformer
        if attribute.usd_attribute_name == "*":
            raw, authored = None, transformer is not None
        else:
            found = prim.GetAttribute(attribute.usd_attribute_name)
            authored = bool(found and found.HasAuthoredValue())
            raw = found.Get() if authored else None
        if not authored:
            continue
        if transformer is None:
            out[attribute.key] = value_to_warp(raw, attribute.dtype)
            continue
        try:
            value = transformer(raw, {**(context or {}), "prim": prim, "attr": attribute})
        except Exception as error:
            error.add_note(f"in the transformer of custom attribute {attribute.key}, prim {prim.GetPath()}")
            raise
        if value is not None:
            out[attribute.key] = value
    return out


name_arguments(globals())
