"""Custom attributes when builders are copied into each other, when bodies merge, and when a model is frozen."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import error, warn
from .custom import AttributeFrequency, CustomAttribute

__all__ = ["CustomMerge"]

#: what `references` may name -> the frequency whose entities are meant
_ENTITIES = {"body": AttributeFrequency.BODY, "joint": AttributeFrequency.JOINT, "shape": AttributeFrequency.SHAPE,
             "articulation": AttributeFrequency.ARTICULATION, "joint_dof": AttributeFrequency.JOINT_DOF, "joint_coord": AttributeFrequency.JOINT_COORD,
             "joint_constraint": AttributeFrequency.JOINT_CONSTRAINT, "constraint_mimic": AttributeFrequency.CONSTRAINT_MIMIC,
             "particle": AttributeFrequency.PARTICLE, "spring": AttributeFrequency.SPRING, "triangle": AttributeFrequency.TRIANGLE,
             "edge": AttributeFrequency.EDGE, "tetrahedron": AttributeFrequency.TETRAHEDRON,
             "attachment_particle_body": AttributeFrequency.ATTACHMENT_PARTICLE_BODY}
#: entities that this build has none of
_ABSENT = ("tendon", "tendon_guide", "tendon_segment")


def moved(value: Any, by: Any) -> Any:
    """An index, or several, through a function; negative ones and None stay."""
    if value is None:
        return None
    if isinstance(value, (int, np.integer)):
        return by(int(value)) if value >= 0 else value
    if hasattr(value, "__len__"):
        return type(value)([moved(v, by) for v in value]) if isinstance(value, (list, tuple)) and type(value) in (list, tuple) else \
            np.array([moved(int(v), by) for v in np.asarray(value).reshape(-1)]).reshape(np.shape(value))
    return value


def _same_value(a: Any, b: Any) -> bool:
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return a is b or a == b
    return np.array_equal(plain(a), plain(b), equal_nan=True)


def _of_worlds(references: Any) -> bool:
    return references in ("world", AttributeFrequency.WORLD)


class CustomMerge:
    """Mixed into ModelBuilder."""

    def _offsets(self) -> dict[Any, int]:
        """How many entities there are now, by frequency."""
        f = AttributeFrequency
        bodies, joints, shapes, trees, dofs, coords, _, particles = self._counts()
        out: dict[Any, int] = {f.BODY: bodies, f.JOINT: joints, f.SHAPE: shapes, f.ARTICULATION: trees, f.JOINT_DOF: dofs, f.JOINT_COORD: coords,
                               f.JOINT_CONSTRAINT: self.joint_constraint_count, f.CONSTRAINT_MIMIC: len(self.constraint_mimic_joint0), f.ONCE: 0, f.WORLD: max(self.current_world, 0),
                               f.PARTICLE: particles, f.SPRING: self.spring_count, f.TRIANGLE: self.tri_count, f.EDGE: self.edge_count,
                               f.TETRAHEDRON: self.tet_count, f.ATTACHMENT_PARTICLE_BODY: self.attachment_particle_body_count}
        out.update({key: self._custom_count(key) for key in self.custom_frequencies})
        return out

    def _check_merge(self, other: Any) -> None:
        """Whether another builder's declarations fit in, before anything is copied."""
        for key, frequency in other.custom_frequencies.items():
            mine = self.custom_frequencies.get(key)
            if mine is not None and not mine.same_kind(frequency):
                raise error(ValueError, "MODEL_CUSTOM_CONFLICT", f"custom frequency {key!r} has different callbacks in the two builders")
        for key, theirs in other.custom_attributes.items():
            mine_too = self.custom_attributes.get(key)
            if mine_too is not None and not mine_too.same_kind(theirs):
                raise error(ValueError, "MODEL_CUSTOM_CONFLICT", f"custom attribute {key!r} is declared with an incompatible spec in the two builders")
            if mine_too is not None and not _same_value(mine_too.default, theirs.default):
                raise error(ValueError, "MODEL_CUSTOM_CONFLICT", f"custom attribute {key!r}: default mismatch, {mine_too.default!r} here and {theirs.default!r} in the other builder")
            if other._custom_count(theirs.frequency) if theirs.is_custom_frequency else theirs.values:
                self._shifted(theirs, other, self._offsets())

    def _merge_custom(self, other: Any, before: dict[Any, int], label_prefix: str | None = None) -> None:
        """Takes over another builder's declarations and values, whose entities were appended behind `before`."""
        for key, frequency in other.custom_frequencies.items():
            self.custom_frequencies.setdefault(key, frequency)
            before.setdefault(key, 0)
        counts = {key: other._custom_count(key) for key in other.custom_frequencies}
        for key, theirs in other.custom_attributes.items():
            new = key not in self.custom_attributes
            if new:
                mine = copy.copy(theirs)
                mine.values = [] if theirs.is_custom_frequency else {}
                self.custom_attributes[key] = mine
            elif not self.custom_attributes[key].same_kind(theirs):
                raise error(ValueError, "MODEL_CUSTOM_CONFLICT", f"custom attribute {key!r} is declared with an incompatible spec in the two builders")
            self._merge_values(self.custom_attributes[key], theirs, other, before, counts, label_prefix, new)
        for key, count in counts.items():
            self._custom_counts[key] = before[key] + count
            if self.custom_frequencies[key].articulation_owner_resolver is not None:
                self._owners_known[key] = before[key] + count

    def _shifted(self, attribute: CustomAttribute, other: Any, before: dict[Any, int]) -> Any:
        """What becomes of an index that the attribute holds; None when it holds none."""
        to = attribute.references
        if to is None:
            return None
        if _of_worlds(to):
            return lambda index: self.current_world
        if isinstance(to, AttributeFrequency):
            return lambda index: index + before.get(to, 0)
        if to in _ENTITIES:
            return lambda index: index + before[_ENTITIES[to]]
        if to in other.custom_frequencies or to in self.custom_frequencies:
            return lambda index: index + before.get(to, 0)
        if to in _ABSENT:
            return lambda index: index
        raise error(ValueError, "PYTHON_CUSTOM_REFERENCE", f"Unknown references value '{to}' of custom attribute {attribute.key!r}; expected one of "
                    f"{sorted([*_ENTITIES, 'world', *other.custom_frequencies])}")

    def _merge_values(self, mine: CustomAttribute, theirs: CustomAttribute, other: Any, before: dict[Any, int], counts: dict[str, int],
                      label_prefix: str | None, new: bool) -> None:
        start = before.get(theirs.frequency, 0)
        if theirs.is_custom_frequency:
            count = counts.get(theirs.frequency, 0)
            if not count:
                return
            rows = list(theirs.values) + [None] * (count - len(theirs.values))
            indices = list(range(count))
        else:
            indices, rows = list(theirs.values), list(theirs.values.values())
        if label_prefix and theirs.is_custom_frequency and other.custom_frequencies[theirs.frequency].label_attribute == theirs.key:
            rows = [label if label is None else f"{label_prefix}/{label}" for label in rows]
        if theirs.reference_value_transformer is not None:
            if rows:
                rows = self._transformed(theirs, rows, indices, other, before, label_prefix)
        else:
            by = self._shifted(theirs, other, before)
            if by is not None:
                # A default that is an index means the source's own entity, so its copies need theirs.
                shifts = not _of_worlds(theirs.references) and isinstance(theirs.default, (int, np.integer)) and theirs.default >= 0 and by(int(theirs.default)) != theirs.default
                if shifts and theirs.frequency == AttributeFrequency.ONCE:
                    if new and not rows:
                        indices, rows = [0], [theirs.default]
                elif shifts and theirs.frequency == AttributeFrequency.WORLD:
                    if self.current_world >= 0 and not rows:
                        indices, rows = [0], [theirs.default]
                elif shifts and theirs.is_custom_frequency:
                    rows = [theirs.default if v is None else v for v in rows]
                elif shifts:
                    here = dict(zip(indices, rows))
                    indices = list(range(other._offsets().get(theirs.frequency, 0)))
                    rows = [here.get(i, theirs.default) for i in indices]
                rows = [self.current_world] * len(rows) if _of_worlds(theirs.references) else [moved(v, by) for v in rows]
        if theirs.is_custom_frequency:
            mine.values += [None] * (start - len(mine.values))
            mine.values += rows
        elif theirs.frequency == AttributeFrequency.ONCE:
            mine.values.update(zip(indices, rows))
        else:
            mine.values.update((start + i, v) for i, v in zip(indices, rows))

    def _transformed(self, attribute: CustomAttribute, rows: list[Any], indices: list[int], other: Any, before: dict[Any, int],
                     label_prefix: str | None) -> list[Any]:
        names = {**{name: before.get(f, 0) for name, f in _ENTITIES.items()}, **dict.fromkeys(_ABSENT, 0)}
        context = {"builder": other, "destination_builder": self, "entity_offsets": names,
                   "custom_frequency_offsets": {k: v for k, v in before.items() if isinstance(k, str)}, "row_indices": indices,
                   "world": self.current_world, "label_prefix": label_prefix}
        out = list(attribute.reference_value_transformer(rows, context))
        if len(out) != len(rows):
            raise error(ValueError, "PYTHON_CUSTOM_REFERENCE", f"reference_value_transformer of {attribute.key!r} returned {len(out)} values, expected {len(rows)}")
        return out

    def _remap_references(self, remaps: dict[str, dict[int, int]]) -> None:
        """After entities were renumbered: indices in values follow, those of entities that are gone become -1."""
        for attribute in self.custom_attributes.values():
            to = attribute.references.name.lower() if isinstance(attribute.references, AttributeFrequency) else attribute.references
            if to in remaps:
                def by(index: int, table: dict[int, int] = remaps[to]) -> int:
                    return table.get(index, -1)
                items = enumerate(attribute.values) if isinstance(attribute.values, list) else list(attribute.values.items())
                for i, value in items:
                    attribute.values[i] = moved(value, by)

    def _resolve_owners(self) -> None:
        """Lets frequencies say which articulation each of their rows belongs to; of rows that came with another builder it was said there."""
        for key, frequency in self.custom_frequencies.items():
            count = self._custom_count(key)
            attribute = self.custom_attributes.get(frequency.articulation_owner_attribute or "")
            if frequency.articulation_owner_resolver is None or attribute is None or not count or self._owners_known.get(key) == count:
                continue
            owners = list(frequency.articulation_owner_resolver(self))
            if len(owners) != count:
                raise error(ValueError, "PYTHON_CUSTOM_FREQUENCY", f"articulation_owner_resolver of {key!r} returned {len(owners)} values, expected {count}")
            known = self._owners_known.get(key, 0)
            attribute.values[:] = [*attribute.values[:known], *map(int, owners[known:])]
            self._owners_known[key] = count

    def _check_custom(self) -> None:
        """What a frozen model cannot hold."""
        for attribute in self.custom_attributes.values():
            if not isinstance(attribute.frequency, (str, AttributeFrequency)):
                raise error(ValueError, "PYTHON_CUSTOM_FREQUENCY", f"Unsupported attribute frequency: {attribute.frequency} of {attribute.key!r}")
            if attribute.is_custom_frequency and attribute.values and len(attribute.values) < self._custom_count(attribute.frequency):
                missing = self._custom_count(attribute.frequency) - len(attribute.values)
                warn(f"PYTHON_CUSTOM_MISSING: custom attribute {attribute.key!r} has {missing} missing values; the default stands in for them")


name_arguments(globals())
