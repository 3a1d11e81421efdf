"""Mechane's own read-only view of a stage: the method names of `Usd.Stage` and `Usd.Prim`, and twins in snake case."""
from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.diagnostics import Diagnostic, Diagnostics
from ..core.values import quat, vec2, vec3, vec4
from .opening import open_stage

__all__ = ["AssetPath", "Attribute", "Layer", "Prim", "Relationship", "Stage", "TokenList", "open", "prim_at", "value_of"]


class AssetPath(str):
    """An asset path as authored; `resolvedPath` is where it was found, or empty."""

    resolvedPath: str = ""

    @property
    def path(self) -> str:
        return str(self)


def _asset(authored: str, resolved: str) -> AssetPath:
    out = AssetPath(authored)
    out.resolvedPath = resolved
    return out


_SMALL = {2: vec2, 3: vec3, 4: vec4}


def value_of(raw: Any) -> Any:
    """What the extension reads, as a Python value: numbers, text, small values (quaternions x y z w), arrays, lists of text."""
    if raw is None:
        return None
    kind, value = raw
    if isinstance(value, np.ndarray):
        if kind.startswith(("half", "float", "color", "point", "normal", "vector", "texCoord", "quat")) and not kind.rstrip("[]").endswith("d"):
            return value.astype(np.float32)
        return value
    if isinstance(value, tuple):
        if kind == "asset":
            return _asset(*value)
        if kind.startswith("quat"):
            return quat(*value)
        if kind.startswith("int"):
            return tuple(int(x) for x in value)
        return _SMALL[len(value)](*value)
    return value


class TokenList:
    """What `GetMetadata("apiSchemas")` answers: a list operation."""

    def __init__(self, items: list[str]):
        self.explicitItems = self.prependedItems = items
        self.appendedItems: list[str] = []

    def GetAddedOrExplicitItems(self) -> list[str]:
        return self.explicitItems


class Attribute:
    """An attribute of a prim; false when it does not exist."""

    def __init__(self, prim: "Prim", name: str):
        self._prim, self._name = prim, name

    def IsValid(self) -> bool:
        return self._prim._core.valid and self._prim._core.has_attribute(self._name)

    __bool__ = IsValid

    def GetName(self) -> str:
        return self._name

    def GetPrim(self) -> "Prim":
        return self._prim

    def GetPath(self) -> str:
        return f"{self._prim.GetPath()}.{self._name}"

    def GetTypeName(self) -> str:
        return self._prim._core.attribute_type(self._name)

    def HasAuthoredValue(self) -> bool:
        return self._prim._core.attribute_authored(self._name)

    IsAuthored = HasAuthoredValue

    def HasValue(self) -> bool:
        return self.Get() is not None

    def Get(self, time: float | None = None) -> Any:
        """The value: authored, else the schema's fallback, else None."""
        if not self.IsValid():
            return None
        return value_of(self._prim._core.attribute_value(self._name, None if time is None else float(time)))

    def GetTimeSamples(self) -> list[float]:
        return self._prim._core.attribute_samples(self._name)

    def GetConnections(self) -> list[str]:
        return self._prim._core.attribute_connections(self._name)

    def GetMetadata(self, key: str) -> Any:
        return value_of(self._prim._core.attribute_metadata(self._name, key))

    def GetCustomDataByKey(self, key: str) -> Any:
        return self.GetMetadata(f"customData:{key}")

    is_valid, get_name, get_prim, get_path, get_type_name, has_authored_value, has_value, get, get_time_samples, get_metadata = (
        IsValid, GetName, GetPrim, GetPath, GetTypeName, HasAuthoredValue, HasValue, Get, GetTimeSamples, GetMetadata)

    def __repr__(self) -> str:
        return f"<Attribute {self.GetPath()}>"


class Relationship:
    """A relationship of a prim; false when it does not exist."""

    def __init__(self, prim: "Prim", name: str):
        self._prim, self._name = prim, name

    def IsValid(self) -> bool:
        return self._prim._core.valid and self._prim._core.has_relationship(self._name)

    __bool__ = IsValid

    def GetName(self) -> str:
        return self._name

    def GetPrim(self) -> "Prim":
        return self._prim

    def GetTargets(self) -> list[str]:
        return self._prim._core.relationship_targets(self._name)

    GetForwardedTargets = GetTargets
    is_valid, get_name, get_prim, get_targets = IsValid, GetName, GetPrim, GetTargets

    def __repr__(self) -> str:
        return f"<Relationship {self._prim.GetPath()}.{self._name}>"


class Prim:
    """A prim of an open stage; false when there is none at its path."""

    def __init__(self, core: Any):
        self._core = core

    def IsValid(self) -> bool:
        return self._core.valid

    __bool__ = IsValid

    def GetPath(self) -> str:
        return self._core.path

    def GetName(self) -> str:
        return self._core.name

    def GetTypeName(self) -> str:
        return self._core.type_name

    def IsActive(self) -> bool:
        return self._core.active

    def IsDefined(self) -> bool:
        return self._core.defined

    def IsAbstract(self) -> bool:
        return self._core.abstract

    def IsInstance(self) -> bool:
        return self._core.instance

    def IsInstanceProxy(self) -> bool:
        return self._core.instance_proxy

    def IsPseudoRoot(self) -> bool:
        return self._core.path == "/"

    def IsA(self, schema: Any) -> bool:
        return self._core.is_a(str(schema))

    def HasAPI(self, schema: Any) -> bool:
        return self._core.has_api(str(schema))

    def GetAppliedSchemas(self) -> list[str]:
        return self._core.applied_apis()

    def GetParent(self) -> "Prim":
        return Prim(self._core.parent)

    def GetChildren(self) -> list["Prim"]:
        return [Prim(p) for p in self._core.children()]

    def GetStage(self) -> Any:
        return Stage(self._core.stage)

    def GetMetadata(self, key: str) -> Any:
        if key == "apiSchemas":
            authored = self._core.authored_apis()
            return TokenList(authored) if authored else None
        return value_of(self._core.metadata(key))

    def GetCustomDataByKey(self, key: str) -> Any:
        return self.GetMetadata(f"customData:{key}")

    def GetAttribute(self, name: str) -> Attribute:
        return Attribute(self, str(name))

    def HasAttribute(self, name: str) -> bool:
        return bool(self.GetAttribute(name))

    def GetAttributes(self) -> list[Attribute]:
        return [a for a in map(self.GetAttribute, self._core.property_names()) if a]

    def GetAuthoredAttributes(self) -> list[Attribute]:
        return [a for a in map(self.GetAttribute, self._core.authored_property_names()) if a]

    def GetRelationship(self, name: str) -> Relationship:
        return Relationship(self, str(name))

    def HasRelationship(self, name: str) -> bool:
        return bool(self.GetRelationship(name))

    def GetPropertyNames(self) -> list[str]:
        return self._core.property_names()

    def GetAuthoredPropertiesInNamespace(self, namespace: str) -> list[Any]:
        start = namespace.rstrip(":") + ":"
        return [self.GetAttribute(n) if self._core.has_attribute(n) else self.GetRelationship(n)
                for n in self._core.authored_property_names() if n.startswith(start)]

    is_valid, get_path, get_name, get_type_name, is_active, is_a, has_api, get_applied_schemas = (
        IsValid, GetPath, GetName, GetTypeName, IsActive, IsA, HasAPI, GetAppliedSchemas)
    get_parent, get_children, get_stage, get_metadata, get_attribute, has_attribute, get_attributes, get_relationship = (
        GetParent, GetChildren, GetStage, GetMetadata, GetAttribute, HasAttribute, GetAttributes, GetRelationship)

    def __iter__(self) -> Iterator["Prim"]:
        return iter([Prim(p) for p in self._core.subtree()])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Prim) and (self._core.same(other._core) if self and other else bool(self) == bool(other))

    def __hash__(self) -> int:
        return hash(self._core.path)

    def __repr__(self) -> str:
        return f"<Prim {self.GetPath()} {self.GetTypeName()}>" if self else "<no prim>"


@dataclass(frozen=True)
class Layer:
    """One file that a stage is composed of."""

    identifier: str

    @property
    def is_anonymous(self) -> bool:
        """It lives in memory, or in bytes that were given."""
        return not pathlib.Path(self.identifier).exists()

    def text(self) -> str:
        """What a text file says.

        @raises ValueError  it is no text, or in no file
        """
        data = b"" if self.is_anonymous else pathlib.Path(self.identifier).read_bytes()
        if not data.startswith(b"#usda"):
            raise ValueError(f"{self.identifier}: not a layer of text in a file")
        return data.decode()


class Stage:
    """A composed stage, read-only; with the method names of `Usd.Stage` for reading."""

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
    def layers(self) -> list[Layer]:
        """Root layer first."""
        return [Layer(identifier) for identifier in self.used_layers]

    @property
    def diagnostics(self) -> Diagnostics:
        return Diagnostics(Diagnostic(**d) for d in self._stage.diagnostics())

    def dump(self, limit: int = 64) -> dict[str, Any]:
        """Everything that the stage composes, as `mechane dump stage` prints it."""
        return json.loads(self._stage.dump(limit))

    def GetPrimAtPath(self, path: Any) -> Prim:
        """The prim at a path; false where there is none."""
        return Prim(_core.prim_at(self._stage, str(path)))

    def GetPseudoRoot(self) -> Prim:
        return Prim(_core.pseudo_root(self._stage))

    def GetDefaultPrim(self) -> Prim:
        return Prim(_core.default_prim(self._stage))

    def Traverse(self) -> list[Prim]:
        """Active, defined, loaded prims, depth first; instances are not entered."""
        return [Prim(p) for p in _core.traverse(self._stage, False)]

    def GetMetadata(self, key: str) -> Any:
        return value_of(_core.root_metadata(self._stage, key))

    get_prim_at_path, get_pseudo_root, get_default_prim, traverse, get_metadata = GetPrimAtPath, GetPseudoRoot, GetDefaultPrim, Traverse, GetMetadata

    def __iter__(self) -> Iterator[Prim]:
        return iter(self.Traverse())

    def __repr__(self) -> str:
        return f"<Stage {self.source!r} {self.prim_count} prims>"


def open(source: Any) -> Stage:  # noqa: A001
    """A path, bytes of usda, or a live `Usd.Stage`."""
    return Stage(source)


def prim_at(stage: Any, path: str) -> Prim:
    return Prim(_core.prim_at(stage, str(path)))


name_arguments(globals())
