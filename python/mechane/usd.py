"""Stages: opening, dumping, explaining; the built-in resolvers. `pxr` is never imported."""
from __future__ import annotations

import json
from enum import IntEnum
from typing import Any

from ._diagnostics import Diagnostic, Diagnostics
from ._import import open_stage

__all__ = ["PrimType", "SchemaResolver", "SchemaResolverMjc", "SchemaResolverNewton", "SchemaResolverPhysx", "Stage", "get_attribute",
           "get_attributes_in_namespace", "get_float", "get_gprim_axis", "get_quat", "has_applied_api_schema", "has_attribute", "open"]


class PrimType(IntEnum):
    """What a resolver is asked about."""

    SCENE = 0
    JOINT = 1
    SHAPE = 2
    BODY = 3
    MATERIAL = 4
    ACTUATOR = 5
    ARTICULATION = 6


class Stage:
    """A composed stage, read-only."""

    def __init__(self, source: Any):
        self._stage, _ = open_stage(source)

    @property
    def source(self) -> str:
        return self._stage.source

    @property
    def prim_count(self) -> int:
        return self._stage.prim_count

    @property
    def used_layers(self) -> list[str]:
        """Identifiers, root layer first."""
        return self._stage.used_layers

    @property
    def diagnostics(self) -> Diagnostics:
        return Diagnostics(Diagnostic(**d) for d in self._stage.diagnostics())

    def dump(self, limit: int = 64) -> dict[str, Any]:
        """Everything that the stage composes, as `mechane dump stage` prints it."""
        return json.loads(self._stage.dump(limit))

    def __repr__(self) -> str:
        return f"<Stage {self.source!r} {self.prim_count} prims>"


def open(source: Any) -> Stage:  # noqa: A001
    """A path, bytes of usda, or a live `Usd.Stage`."""
    return Stage(source)


class SchemaResolver:
    """Reads a vendor's attributes. The built-in ones run inside the library."""

    name = ""
    _built_in = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class SchemaResolverNewton(SchemaResolver):
    name = "newton"
    _built_in = True


class SchemaResolverPhysx(SchemaResolver):
    name = "physx"
    _built_in = True


class SchemaResolverMjc(SchemaResolver):
    name = "mjc"
    _built_in = True


# -- helpers on live prims: their own methods only


def _read(value: Any) -> Any:
    """Quaternions become x y z w, other Gf values tuples."""
    if hasattr(value, "real") and hasattr(value, "imaginary"):
        return (*(float(x) for x in value.imaginary), float(value.real))
    return value


def get_attribute(prim: Any, name: str, default: Any = None) -> Any:
    """The value of an attribute, or `default` where there is none."""
    attribute = prim.GetAttribute(name)
    if not attribute or not attribute.IsValid():
        return default
    value = attribute.Get()
    return default if value is None else value


def has_attribute(prim: Any, name: str) -> bool:
    """Whether the attribute exists and is authored."""
    attribute = prim.GetAttribute(name)
    return bool(attribute and attribute.IsValid() and attribute.HasAuthoredValue())


def get_float(prim: Any, name: str, default: float | None = None) -> float | None:
    """A finite number, or `default`."""
    import math

    value = get_attribute(prim, name)
    return float(value) if value is not None and math.isfinite(float(value)) else default


def get_quat(prim: Any, name: str, default: Any = None) -> Any:
    """A unit quaternion x y z w; `default` where there is none or it has no length."""
    import math

    from ._values import quat

    value = get_attribute(prim, name)
    if value is None:
        return default
    numbers = _read(value)
    norm = math.sqrt(sum(x * x for x in numbers))
    return quat(*(x / norm for x in numbers)) if norm > 0 and math.isfinite(norm) else default


def get_gprim_axis(prim: Any, name: str = "axis", default: Any = "Z") -> Any:
    from ._enums import Axis

    return Axis.from_string(str(get_attribute(prim, name, default)))


def has_applied_api_schema(prim: Any, schema_name: str) -> bool:
    return schema_name in [str(s) for s in prim.GetAppliedSchemas()] or (hasattr(prim, "GetMetadata") and _listed(prim, schema_name))


def _listed(prim: Any, schema_name: str) -> bool:
    """Schemas that no plug-in defines stand in the metadata only."""
    listop = prim.GetMetadata("apiSchemas")
    return listop is not None and schema_name in [str(s) for s in listop.GetAddedOrExplicitItems()]


def get_attributes_in_namespace(prim: Any, namespace: str) -> dict[str, Any]:
    """Authored values of all attributes whose names begin with the namespace."""
    start = namespace.rstrip(":") + ":"
    return {a.GetName(): a.Get() for a in prim.GetAuthoredAttributes() if a.GetName().startswith(start)}
