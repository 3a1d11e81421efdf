"""Custom attributes: values of the user's own for each body, shape, joint, dof, ... of a builder."""
from __future__ import annotations

import copy
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Callable

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import REAL, Array
from ..core.diagnostics import error
from ..core.enums import JointType
from ..newton.reserved import reserve

__all__ = ["AttributeAssignment", "AttributeFrequency", "AttributeNamespace", "AttributeSpec", "CustomAttribute", "CustomFrequency", "CustomVerbs"]


class AttributeAssignment(IntEnum):
    """Which object holds the array."""

    MODEL = 0
    STATE = 1
    CONTROL = 2
    CONTACT = 3


class AttributeFrequency(IntEnum):
    """What there is one value for."""

    ONCE = 0
    JOINT = 1
    JOINT_DOF = 2
    JOINT_COORD = 3
    JOINT_CONSTRAINT = 4
    BODY = 5
    SHAPE = 6
    ARTICULATION = 7
    PARTICLE = 9
    EDGE = 10
    TRIANGLE = 11
    TETRAHEDRON = 12
    SPRING = 13
    CONSTRAINT_MIMIC = 14
    WORLD = 15
    ATTACHMENT_PARTICLE_BODY = 16
    CONTACT = 17
    CONTACT_RIGID = 18
    CONTACT_SOFT = 19
    TENDON = 20
    TENDON_GUIDE = 21
    TENDON_SEGMENT = 22
    CURVE = 23
    SURFACE = 24
    VOLUME = 25


class AttributeNamespace:
    """Arrays of one namespace: `model.robot.stiffness`."""

    def __init__(self, name: str):
        self._name = name

    def __setattr__(self, name: str, value: Any) -> None:
        """An array gets the values, as many as it has, and stays the one that solvers read."""
        held = self.__dict__.get(name)
        if isinstance(held, Array) and value is not held:
            held.assign(value)
        else:
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<namespace {self._name}: {', '.join(k for k in vars(self) if not k.startswith('_'))}>"


reserve(AttributeNamespace, "AttributeNamespace")


@dataclass(frozen=True)
class AttributeSpec:
    """What is known of one attribute of a model; its key in `Model.attribute_specs` is its name."""

    frequency: Any
    assignment: AttributeAssignment | None = None
    references: Any = None  #: frequency whose entities its numbers name
    row_width: int = 1
    requires_empty_sentinel: bool = False
    deprecated: bool = False
    alias_of: str | None = None
    compaction_policy: str = "generic"
    default: Any = None


#: name of a type -> (components, NumPy kind); Warp's and ours are recognised by name, warp is not imported
_TYPES: dict[str, tuple[tuple[int, ...], str]] = {
    "float": ((), "real"), "float32": ((), "real"), "float64": ((), "real"), "int": ((), "int32"), "int32": ((), "int32"), "int64": ((), "int64"),
    "uint32": ((), "uint32"), "uint64": ((), "uint64"), "bool": ((), "bool"), "bool_": ((), "bool"), "int8": ((), "int32"), "uint8": ((), "int32"),
    "int16": ((), "int32"), "uint16": ((), "int32"), "vec2": ((2,), "real"), "vec2f": ((2,), "real"), "vec3": ((3,), "real"), "vec3f": ((3,), "real"),
    "vec4": ((4,), "real"), "vec4f": ((4,), "real"), "vec5": ((5,), "real"), "vec6": ((6,), "real"), "vec10": ((10,), "real"), "quat": ((4,), "real"), "quatf": ((4,), "real"), "transform": ((7,), "real"),
    "transformf": ((7,), "real"), "mat33": ((3, 3), "real"), "mat33f": ((3, 3), "real"), "mat22": ((2, 2), "real"), "mat22f": ((2, 2), "real"),
    "mat44": ((4, 4), "real"), "mat44f": ((4, 4), "real"), "spatial_vector": ((6,), "real"), "spatial_vectorf": ((6,), "real"),
    "vec2i": ((2,), "int32"), "vec3i": ((3,), "int32"), "vec4i": ((4,), "int32"), "str": ((), "str"),
}


def layout_of(dtype: Any) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and NumPy type of one value."""
    name = getattr(dtype, "__name__", str(dtype))
    if name not in _TYPES:
        components = getattr(dtype, "_shape_", None)
        if components is None:
            raise TypeError(f"dtype: {dtype!r} is not a type of a custom attribute")
        kind = getattr(getattr(dtype, "_wp_scalar_type_", None), "__name__", "float32")
        shape, scalar = tuple(components), "int32" if kind.startswith("int") else "real"
    else:
        shape, scalar = _TYPES[name]
    return shape, np.dtype(object) if scalar == "str" else REAL if scalar == "real" else np.dtype(scalar)


@dataclass
class CustomAttribute:
    """A declared attribute: one value for each entity of its frequency, the default where nothing else was set."""

    name: str
    dtype: Any
    frequency: Any
    assignment: AttributeAssignment = AttributeAssignment.MODEL
    namespace: str | None = None
    references: Any = None
    default: Any = None
    values: Any = None
    usd_attribute_name: str | None = None
    mjcf_attribute_name: str | None = None
    urdf_attribute_name: str | None = None
    usd_value_transformer: Callable | None = None
    mjcf_value_transformer: Callable | None = None
    urdf_value_transformer: Callable | None = None
    reference_value_transformer: Callable | None = None

    def __post_init__(self) -> None:
        layout_of(self.dtype)
        if not self.name or ":" in self.name:
            raise ValueError(f"name: {self.name!r} is not a valid name of an attribute")
        if isinstance(self.frequency, str) and self.frequency.upper() in AttributeFrequency.__members__:
            self.frequency = AttributeFrequency[self.frequency.upper()]
        if self.default is None:
            shape, kind = layout_of(self.dtype)
            self.default = "" if kind == object else np.zeros(shape, kind)[()] if shape else kind.type(0)
            if getattr(self.dtype, "__name__", "").startswith("quat"):
                self.default = np.array([0, 0, 0, 1], kind)
        if self.references is not None and self.reference_value_transformer is not None:
            raise ValueError("references and reference_value_transformer cannot both be specified")
        if self.usd_attribute_name is None:
            self.usd_attribute_name = f"newton:{self.key}"
        if self.mjcf_attribute_name is None:
            self.mjcf_attribute_name = self.name
        if self.urdf_attribute_name is None:
            self.urdf_attribute_name = self.name
        if self.values is None:
            self.values = [] if self.is_custom_frequency else {}

    @property
    def key(self) -> str:
        return f"{self.namespace}:{self.name}" if self.namespace else self.name

    @property
    def is_custom_frequency(self) -> bool:
        return isinstance(self.frequency, str)

    def build_array(self, count: int, device: Any = None, requires_grad: bool = False) -> Any:
        """The values as an array of `count` rows; strings as a list."""
        shape, kind = layout_of(self.dtype)
        if kind != object and not shape and np.ndim(self.default) == 1:
            shape = np.shape(self.default)
        given = dict(enumerate(self.values)) if isinstance(self.values, (list, tuple)) else self.values
        if kind == object:
            return [given.get(i, self.default) for i in range(count)]
        out = np.empty((count, *shape), kind)
        out[...] = np.asarray(self.default, dtype=kind).reshape(shape)
        for i, value in given.items():
            if value is not None and 0 <= i < count:
                out[i] = np.asarray(value.numpy() if hasattr(value, "numpy") else value).astype(kind).reshape(shape)
        return out.view(Array)

    def same_kind(self, other: "CustomAttribute") -> bool:
        def named(references: Any) -> Any:
            return references.name.lower() if isinstance(references, AttributeFrequency) else references
        return (layout_of(self.dtype) == layout_of(other.dtype) and self.frequency == other.frequency and self.assignment == other.assignment
                and named(self.references) == named(other.references))


@dataclass
class CustomFrequency:
    """A kind of entity of the user's own, found in a stage by a filter."""

    name: str
    namespace: str | None = None
    usd_prim_filter: Callable | None = None
    usd_entry_expander: Callable | None = None
    articulation_owner_attribute: str | None = None
    articulation_owner_resolver: Callable | None = None
    label_attribute: str | None = None

    def __post_init__(self) -> None:
        if not self.name or ":" in self.name:
            raise ValueError(f"name: {self.name!r} is not a valid name of a frequency")
        for field, suffix in (("articulation_owner_attribute", "articulation"), ("label_attribute", "label")):
            given = getattr(self, field)
            if given is not None and given != f"{self.key}_{suffix}":
                raise ValueError(f"{field}: {given!r}, expected '{self.key}_{suffix}'")

    @property
    def key(self) -> str:
        return f"{self.namespace}:{self.name}" if self.namespace else self.name

    def same_kind(self, other: "CustomFrequency") -> bool:
        return all(getattr(self, f) == getattr(other, f) for f in ("usd_prim_filter", "usd_entry_expander", "articulation_owner_attribute", "label_attribute"))


class CustomVerbs:
    """Mixed into ModelBuilder."""

    custom_attributes: dict[str, CustomAttribute]
    custom_frequencies: dict[str, CustomFrequency]

    def add_custom_attribute(self, attribute: CustomAttribute) -> None:
        """Declares an attribute; declaring the same again changes nothing."""
        if attribute.is_custom_frequency and attribute.frequency not in self.custom_frequencies:
            raise error(ValueError, "PYTHON_CUSTOM_FREQUENCY", f"custom frequency {attribute.frequency!r} is not registered; call add_custom_frequency first")
        if attribute.usd_attribute_name == "*" and attribute.usd_value_transformer is None:
            raise error(ValueError, "MODEL_CUSTOM_CONFLICT", f"custom attribute {attribute.key!r} has usd_attribute_name='*', every prim, and no usd_value_transformer")
        of_contacts = attribute.frequency in (AttributeFrequency.CONTACT, AttributeFrequency.CONTACT_RIGID, AttributeFrequency.CONTACT_SOFT)
        if of_contacts and attribute.assignment != AttributeAssignment.CONTACT:
            raise error(ValueError, "PYTHON_CUSTOM_FREQUENCY", f"custom attribute {attribute.key!r}: a row for each contact wants assignment CONTACT; what a solver fills is "
                        "declared by SolverBase.Observables.field")
        there = self.custom_attributes.get(attribute.key)
        if there is not None:
            if not there.same_kind(attribute):
                raise error(ValueError, "MODEL_CUSTOM_CONFLICT", f"custom attribute {attribute.key!r} already exists with an incompatible spec")
            return
        self.custom_attributes[attribute.key] = attribute

    def add_custom_frequency(self, frequency: CustomFrequency) -> None:
        there = self.custom_frequencies.get(frequency.key)
        if there is not None and not there.same_kind(frequency):
            raise error(ValueError, "MODEL_CUSTOM_CONFLICT", f"custom frequency {frequency.key!r} already exists with a different declaration")
        self.custom_frequencies[frequency.key] = frequency

    def has_custom_attribute(self, key: str) -> bool:
        return key in self.custom_attributes

    def get_custom_attributes_by_frequency(self, frequencies: Any) -> list[CustomAttribute]:
        return [a for a in self.custom_attributes.values() if a.frequency in frequencies]

    def get_custom_frequency_keys(self) -> set[str]:
        return set(self.custom_frequencies)

    def add_custom_values(self, **kwargs: Any) -> dict[str, int]:
        """Appends one entry to a custom frequency: keys of attributes to values. Returns the index of each."""
        frequencies = set()
        for key in kwargs:
            attribute = self._declared(key)
            if not attribute.is_custom_frequency:
                raise TypeError(f"{key}: has frequency {attribute.frequency.name}, not a custom frequency")
            frequencies.add(attribute.frequency)
        if len(frequencies) > 1:
            raise ValueError(f"all keys must have one frequency, got {sorted(frequencies)}")
        at = {}
        for frequency in frequencies:
            index = self._custom_count(frequency)
            for key, attribute in self.custom_attributes.items():
                if attribute.frequency == frequency and attribute.references == "world" and kwargs.get(key) is None:
                    kwargs[key] = self.current_world
            for key, value in kwargs.items():
                attribute = self.custom_attributes[key]
                attribute.values += [None] * (index - len(attribute.values))
                attribute.values.append(value)
                at[key] = index
            self._custom_counts[frequency] = index + 1
        return at

    def add_custom_values_batch(self, entries: list[dict[str, Any]]) -> list[dict[str, int]]:
        return [self.add_custom_values(**entry) for entry in entries]

    def _custom_copy(self) -> Any:
        """What an import may change here, to be put back when it fails."""
        return {key: (a, copy.copy(a.values)) for key, a in self.custom_attributes.items()}, dict(self.custom_frequencies), dict(self._custom_counts)

    def _custom_restore(self, kept: Any) -> None:
        attributes, frequencies, counts = kept
        self.custom_attributes.clear()
        for key, (attribute, values) in attributes.items():
            attribute.values = values
            self.custom_attributes[key] = attribute
        self.custom_frequencies.clear()
        self.custom_frequencies.update(frequencies)
        self._custom_counts.clear()
        self._custom_counts.update(counts)

    def _custom_count(self, frequency: str) -> int:
        return max([self._custom_counts.get(frequency, 0), *(len(a.values) for a in self.custom_attributes.values() if a.frequency == frequency)], default=0)

    def _declared(self, key: str) -> CustomAttribute:
        attribute = self.custom_attributes.get(key)
        if attribute is None:
            raise error(AttributeError, "PYTHON_CUSTOM_UNKNOWN", f"custom attribute {key!r} is not defined; declare it with add_custom_attribute")
        return attribute

    def _grouped(self, values: dict[str, Any] | None) -> Callable[..., dict[str, Any] | None]:
        """Values by the frequency of their attributes; the last call takes what no other took."""
        def group(*names: str) -> dict[str, Any] | None:
            return {k: v for k, v in (values or {}).items() if self._declared(k).frequency in [AttributeFrequency[n] for n in names]} or None
        for key in values or {}:
            if self._declared(key).frequency not in (AttributeFrequency.BODY, AttributeFrequency.JOINT, AttributeFrequency.JOINT_DOF,
                                                     AttributeFrequency.JOINT_COORD, AttributeFrequency.JOINT_CONSTRAINT, AttributeFrequency.ARTICULATION):
                raise ValueError(f"custom attribute {key!r} has frequency {self._declared(key).frequency!r}, not one of a body")
        return group

    def _values_of(self, frequency: str, index: int, values: dict[str, Any] | None) -> None:
        for key, value in (values or {}).items():
            attribute = self._declared(key)
            if attribute.frequency != AttributeFrequency[frequency]:
                name = getattr(attribute.frequency, "name", attribute.frequency)
                raise ValueError(f"custom attribute {key!r} has frequency {name}, expected {frequency}")
            attribute.values[index] = value

    def _values_of_joint(self, joint: int, values: dict[str, Any] | None) -> None:
        """Values for a joint, or lists (or dicts) for its dofs, coordinates or constraint rows."""
        for key, value in (values or {}).items():
            attribute = self._declared(key)
            if attribute.frequency == AttributeFrequency.JOINT:
                attribute.values[joint] = value
                continue
            if attribute.frequency == AttributeFrequency.JOINT_CONSTRAINT:
                rows = [JointType(t).constraint_count(sum(d)) for t, d in zip(self.joint_type, self.joint_dof_dim)]
                self._values_at(attribute, key, value, sum(rows[:joint]), rows[joint])
                continue
            spans = {AttributeFrequency.JOINT_DOF: ("joint_qd_start", self.joint_dof_count), AttributeFrequency.JOINT_COORD: ("joint_q_start", self.joint_coord_count)}
            if attribute.frequency not in spans:
                raise ValueError(f"custom attribute {key!r} has frequency {getattr(attribute.frequency, 'name', attribute.frequency)}, not one of a joint")
            column, end = spans[attribute.frequency]
            start = getattr(self, column)[joint]
            self._values_at(attribute, key, value, start, end - start)

    @staticmethod
    def _values_at(attribute: CustomAttribute, key: str, value: Any, start: int, count: int) -> None:
        """A list of all `count` values, a dict of some, or the only one."""
        if isinstance(value, dict):
            entries = {int(i): v for i, v in value.items()}
        elif isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            if len(value) != count:
                raise ValueError(f"custom attribute {key!r}: {len(value)} values, the joint has {count}")
            entries = dict(enumerate(value))
        elif count == 1:
            entries = {0: value}
        else:
            entries = dict.fromkeys(range(count), value)
        for i, v in entries.items():
            if not 0 <= i < count:
                raise ValueError(f"custom attribute {key!r}: index {i}, the joint has {count}")
            attribute.values[start + i] = v


name_arguments(globals())
