"""Schema resolvers: the tables of vendors' attributes, and those that users write."""
from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.diagnostics import MechaneDeprecationWarning, error, kind_of, warn
from .helpers import get_attribute, plain_value

__all__ = ["PrimType", "SchemaResolver", "SchemaResolverManager", "SchemaResolverMjc", "SchemaResolverNewton", "SchemaResolverPhysx"]


class PrimType(IntEnum):
    """What a resolver is asked about."""

    SCENE = 0
    JOINT = 1
    SHAPE = 2
    BODY = 3
    MATERIAL = 4
    ACTUATOR = 5
    ARTICULATION = 6


@dataclass
class SchemaAttribute:
    """Where a key is authored: an attribute and what its raw value means, or a function of the prim.

    A transformer or getter that returns None declines, and the next resolver is asked. `attribute_names` are those that a
    getter reads: they are collected.
    """

    name: str
    default: Any = None
    usd_value_transformer: Callable[[Any], Any] | None = None
    usd_value_getter: Callable[[Any], Any] | None = None
    attribute_names: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        return list(self.attribute_names) or [self.name]


class SchemaResolver:
    """Reads a vendor's attributes. Subclasses name themselves and say in `mapping` where each key is authored:
    {PrimType.JOINT: {"armature": SchemaResolver.SchemaAttribute("house:rotorInertia", 0.0, lambda v: v * 1e-4)}}.

    Answers are in SI and radians. The interface is experimental.
    """

    SchemaAttribute = SchemaAttribute
    mapping: ClassVar[dict[PrimType, dict[str, SchemaAttribute]]] = {}
    name: ClassVar[str] = ""
    extra_attr_namespaces: ClassVar[list[str]] = []
    deformable_attr_namespaces: ClassVar[list[str]] = []
    _built_in: ClassVar[bool] = False

    def get_value(self, prim: Any, prim_type: PrimType, key: str) -> Any:
        """The authored value of a key on a prim; None where there is none."""
        spec = self.mapping.get(prim_type, {}).get(key) if prim else None
        if spec is None:
            return None
        value = spec.usd_value_getter(prim) if spec.usd_value_getter is not None else get_attribute(prim, spec.name)
        if value is None or spec.usd_value_transformer is None:
            return value
        return spec.usd_value_transformer(value)

    def collect_prim_attrs(self, prim: Any) -> dict[str, Any]:
        """All authored attributes of the prim that belong to this resolver, by name."""
        if not prim:
            return {}
        spaces = tuple(f"{s.rstrip(':')}:" for s in (self.name, *self.extra_attr_namespaces) if s)
        named = {n for keys in self.mapping.values() for spec in keys.values() for n in spec.names}
        out = {}
        for attribute in prim.GetAuthoredAttributes():
            name = attribute.GetName()
            if not attribute.HasAuthoredValue():
                continue
            value = plain_value(attribute.Get())
            if name.startswith(spaces) or (name in named and value is not None):
                out[name] = value
        return out

    def validate_custom_attributes(self, builder: Any) -> None:
        """Called before an import: raise here when the builder lacks attributes that this resolver fills."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def _default(self, prim_type: PrimType, key: str) -> Any:
        """The mapping's own default, as an answer."""
        spec = self.mapping.get(prim_type, {}).get(key)
        if spec is None or spec.default is None:
            return None
        return spec.default if spec.usd_value_transformer is None else spec.usd_value_transformer(spec.default)

    # -- what the library gets
    def _answer(self, prim: Any, prim_type: PrimType, key: str) -> Any:
        try:
            return self.get_value(prim, prim_type, key)
        except Exception as failure:
            spec = self.mapping.get(prim_type, {}).get(key)
            failure.add_note(f"in resolver {self.name!r}, {prim_type.name.lower()} {key}" + (f" ({spec.name})" if spec else "") + f", prim {prim.GetPath()}")
            raise

    def _table(self, at: Callable[[Any], Any]) -> dict[str, Any]:
        """The mapping as the library takes it; `at` makes the prim that functions get."""
        overridden = type(self).get_value is not SchemaResolver.get_value

        def asking(prim_type: PrimType, key: str) -> Callable[[Any], Any]:
            known: dict[str, Any] = {}

            def ask(core: Any) -> Any:
                if core.path not in known:
                    known[core.path] = _answer_of(self._answer(at(core), prim_type, key))
                return known[core.path]
            return ask

        rows = []
        for kind, full in _core.resolver_keys():
            prim_type, key = PrimType[kind.upper()], _spelled(full.removeprefix(kind + "_"))
            spec = self.mapping.get(prim_type, {}).get(key)
            if spec is None and not overridden:
                continue
            default = None if spec is None or spec.default is None else _answer_of(spec.default if spec.usd_value_transformer is None
                                                                                   else spec.usd_value_transformer(spec.default))
            plain = not overridden and spec.usd_value_getter is None and spec.usd_value_transformer is None
            rows.append((full, [] if overridden else spec.names, default, None if plain else asking(prim_type, key)))
        return {"name": self.name, "namespaces": [s.rstrip(":") for s in self.extra_attr_namespaces], "rows": rows}


def _answer_of(value: Any) -> Any:
    """What the library understands: flags, numbers, text, sequences of numbers."""
    if isinstance(value, np.generic):
        return value.item()
    return value.tolist() if isinstance(value, np.ndarray) else value


#: Names that older files have, and what they turned into.
_RENAMED = {"newton:contact_ke": "newton:contactStiffness", "newton:contact_kd": "newton:contactDamping", "newton:contact_kf": "newton:contactFrictionGain",
            "newton:contact_ka": "newton:contactAdhesion"}
_LIMIT_OF_ONE_DOF = re.compile(r"newton:(?:angular|linear|trans[XYZ]|rot[XYZ]):limit(Stiffness|Damping)$")
_JOINT_STATE = re.compile(r"newton:(?:angular|linear|trans[XYZ]|rot[XYZ]):(?:position|velocity)$")
_OF_MATERIALS = {"ke": "newton:contactStiffness", "kd": "newton:contactDamping"}


def _warn_of_old_name(name: str, prim_type: PrimType, key: str, prim: Any) -> None:
    limit = _LIMIT_OF_ONE_DOF.match(name)
    new = _RENAMED.get(name) or (f"newton:limit{limit[1]}" if limit else None) or (_OF_MATERIALS.get(key) if (name, prim_type) == ("mjc:solref", PrimType.MATERIAL) else None)
    if new is not None:
        warn(f"USD_RENAMED: {name} is deprecated, author {new} [{prim.GetPath()}]", MechaneDeprecationWarning)
    elif _JOINT_STATE.match(name):
        warn(f"USD_NON_SCHEMA: {name} is a non-schema attribute; author state:*:physics:*, or file an issue if you need it [{prim.GetPath()}]")


def _spelled(key: str) -> str:
    """A key of the library as resolvers spell it: limit_transX_ke for limit_trans_x_ke."""
    return re.sub(r"(trans|rot)_([xyz])", lambda m: m[1] + m[2].upper(), key)


class _BuiltIn(SchemaResolver):
    """A table of the library. On live prims its converters get what the prim's own methods read."""

    _built_in = True

    def __init_subclass__(cls) -> None:
        mapping: dict[PrimType, dict[str, SchemaAttribute]] = {t: {} for t in PrimType}
        cls._rows: dict[str, list[tuple[int, list[str]]]] = {}
        for index, (full, attributes, fallback) in enumerate(_core.resolver_rows(cls.name)):
            kind = next(t for t in PrimType if full.startswith(t.name.lower() + "_"))
            key = _spelled(full.removeprefix(kind.name.lower() + "_"))
            cls._rows.setdefault(f"{kind.name.lower()}_{key}", []).append((index, attributes))
            mapping[kind].setdefault(key, SchemaAttribute(attributes[0], fallback, attribute_names=attributes if len(attributes) > 1 else ()))
        cls.mapping = mapping
        cls.extra_attr_namespaces = list(_core.resolver_namespaces(cls.name))

    def get_value(self, prim: Any, prim_type: PrimType, key: str) -> Any:
        if not prim:
            return None
        for index, attributes in type(self)._rows.get(f"{prim_type.name.lower()}_{key}", ()):
            values = [_number_or_text(get_attribute(prim, name)) for name in attributes]
            if any(v is not None for v in values):
                answer = _core.resolver_convert(self.name, index, values)
                if answer is not None:
                    _warn_of_old_name(attributes[0], prim_type, key, prim)
                    return answer
        return None

    def _default(self, prim_type: PrimType, key: str) -> Any:
        rows = type(self)._rows.get(f"{prim_type.name.lower()}_{key}")
        spec = self.mapping.get(prim_type, {}).get(key)
        if not rows or spec is None or spec.default is None or len(rows[0][1]) > 1:
            return None if spec is None else spec.default
        converted = _core.resolver_convert(self.name, rows[0][0], [spec.default])
        return spec.default if converted is None else converted


def _number_or_text(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


class SchemaResolverNewton(_BuiltIn):
    """`newton:` attributes."""

    name = "newton"


class SchemaResolverPhysx(_BuiltIn):
    """`physx*:` attributes."""

    name = "physx"


class SchemaResolverMjc(_BuiltIn):
    """`mjc:` attributes. `legacy_solref_limits`: a joint's mjc:solref (t, d) gives limit gains 1/t^2 and 2 d/t."""

    name = "mjc"

    def __init__(self, legacy_solref_limits: bool = False):
        self.legacy_solref_limits = legacy_solref_limits


class SchemaResolverManager:
    """Resolvers in order of priority: the first authored value, else the caller's default, else the first of the mappings."""

    def __init__(self, resolvers: Sequence[SchemaResolver]):
        self.resolvers = list(resolvers)
        self._schema_attrs: dict[str, dict[str, dict[str, Any]]] = {r.name: {} for r in self.resolvers}

    @property
    def schema_attrs(self) -> dict[str, dict[str, dict[str, Any]]]:
        """What was collected so far: resolver, prim path, attribute, value."""
        return self._schema_attrs

    def get_value(self, prim: Any, prim_type: PrimType, key: str, default: Any = None, verbose: bool = False) -> Any:
        return self.get_value_with_resolver(prim, prim_type, key, default, verbose)[0]

    def get_value_with_resolver(self, prim: Any, prim_type: PrimType, key: str, default: Any = None,
                                verbose: bool = False) -> tuple[Any, SchemaResolver | None]:
        """The value, and the resolver that read it; no resolver for defaults."""
        for resolver in self.resolvers:
            value = resolver.get_value(prim, prim_type, key)
            if value is not None:
                self._schema_attrs[resolver.name].setdefault(str(prim.GetPath()), resolver.collect_prim_attrs(prim))
                return value, resolver
        if default is not None:
            return default, None
        for resolver in self.resolvers:
            fallback = resolver._default(prim_type, key)
            if fallback is not None:
                return fallback, None
        if verbose:
            logging.getLogger("mechane.usd").info("nobody has a value for %s %s of %s", PrimType(prim_type).name.lower(), key, prim.GetPath() if prim else None)
        return None, None

    def collect_prim_attrs(self, prim: Any) -> None:
        """Collects the prim's attributes for every resolver, once."""
        if prim:
            for resolver in self.resolvers:
                self._schema_attrs[resolver.name].setdefault(str(prim.GetPath()), resolver.collect_prim_attrs(prim))


def checked(resolvers: Sequence[Any]) -> list[Any]:
    """Names and objects as given; TypeError for what is no resolver, ValueError for a name that comes twice."""
    seen: set[str] = set()
    for resolver in resolvers:
        name = resolver if isinstance(resolver, str) else getattr(resolver, "name", None)
        if not isinstance(name, str) or not name:
            raise kind_of(TypeError)(f"schema_resolvers: {type(resolver).__name__} has no name", "PYTHON_ARG_RESOLVER")
        if name in seen:
            raise error(ValueError, "PYTHON_ARG_RESOLVER", f"schema_resolvers: {name!r} comes twice")
        seen.add(name)
        mapping = {} if isinstance(resolver, str) else getattr(resolver, "mapping", {})
        if not isinstance(mapping, dict) or not all(isinstance(keys, dict) and all(isinstance(s, SchemaAttribute) for s in keys.values())
                                                    for keys in mapping.values()):
            raise kind_of(TypeError)(f"schema_resolvers: the mapping of {name!r} is not {{PrimType: {{key: SchemaAttribute}}}}", "PYTHON_ARG_RESOLVER")
    return list(resolvers)


name_arguments(globals())
