"""Views of many equal articulations at once, chosen by label."""
from __future__ import annotations

import fnmatch
import re
from typing import Any

import numpy as np

from .core.arguments import name_arguments
from .core.array import Array, handed, plain
from .core.diagnostics import NotSupportedError, error, kind_of
from .core.enums import JointType
from .model import dynamics
from .model.custom import AttributeFrequency
from .model.views import near
from .newton.modules import absent

__all__ = ["ArticulationView", "match_labels"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.selection", name)


def match_labels(labels: list[str], pattern: Any) -> list[int]:
    """Indices of the labels that match: a glob, a compiled expression (whole label), a list of globs, or indices.

    @raises ValueError  nothing matches; the message has the nearest labels
    """
    if isinstance(pattern, str):
        found = [i for i, label in enumerate(labels) if fnmatch.fnmatchcase(label, pattern)]
    elif isinstance(pattern, re.Pattern):
        found = [i for i, label in enumerate(labels) if pattern.fullmatch(label)]
    else:
        items = list(pattern)
        if all(isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in items):
            found = [int(i) for i in items]
            if any(not 0 <= i < len(labels) for i in found):
                raise IndexError(f"pattern: an index of {found} is out of range, there are {len(labels)}")
        elif all(isinstance(i, str) for i in items):
            found = [i for i, label in enumerate(labels) if any(fnmatch.fnmatchcase(label, p) for p in items)]
        else:
            raise TypeError("pattern: a list holds either globs or indices")
    if not found and labels:
        word = pattern if isinstance(pattern, str) else getattr(pattern, "pattern", str(pattern))
        raise error(ValueError, "MODEL_LABEL", f"no label matches {word!r}; near: {near(word, labels)}")
    return found


def _leaf(label: str) -> str:
    return label.rsplit("/", maxsplit=1)[-1]


def _chosen(names: list[str], include: Any, exclude: Any) -> list[int]:
    kept = list(range(len(names))) if include is None else match_labels(names, include)
    dropped = set() if exclude is None else set(match_labels(names, exclude))
    return [i for i in kept if i not in dropped]


class ArticulationView:
    """Articulations whose labels match, as arrays with the leading dimensions (world, articulation).

    All of them need the same joints, links and shapes. Where the layout of the model allows, what `get_*` returns is a view of the
    source's memory; else a copy (`is_contiguous` tells).
    """

    def __init__(self, model: Any, pattern: Any, *, include_joints: Any = None, exclude_joints: Any = None, include_links: Any = None,
                 exclude_links: Any = None, include_joint_types: list[int] | None = None, exclude_joint_types: list[int] | None = None,
                 include_loop_closing_joints: bool = False, homogeneous: bool = True, verbose: bool | None = None, allow_partial_layouts: Any = None):
        if include_loop_closing_joints or not homogeneous or allow_partial_layouts is not None:
            raise NotSupportedError("views of articulations that differ, and of joints that close loops, belong to a later stage", "PYTHON_LATER_STAGE")
        self.model = model
        self.device = model.device
        ids = match_labels(model.articulation_label, pattern)
        if not ids:
            raise error(ValueError, "MODEL_LABEL", f"no articulation matches {pattern!r}: the model has none")
        worlds = model._np("articulation_world")
        by_world: dict[int, list[int]] = {}
        for i in ids:
            by_world.setdefault(int(worlds[i]), []).append(i)
        counts = {len(v) for v in by_world.values()}
        if len(counts) != 1:
            raise ValueError(f"pattern: worlds hold different numbers of matching articulations ({sorted(counts)})")
        self._ids = np.array([by_world[w] for w in sorted(by_world)], dtype=np.int64)
        self.world_count, self.count_per_world = self._ids.shape
        self.count = self._ids.size
        self._choose(include_joints, exclude_joints, include_links, exclude_links, include_joint_types, exclude_joint_types)

    def _choose(self, include_joints: Any, exclude_joints: Any, include_links: Any, exclude_links: Any, include_types: Any, exclude_types: Any) -> None:
        m = self.model
        rows = [self._members(int(a)) for a in self._ids.reshape(-1)]
        first = rows[0]
        for row in rows[1:]:
            if [len(x) for x in row[:3]] != [len(x) for x in first[:3]] or row[3] != first[3]:
                raise ValueError("pattern: the matching articulations differ in joints, links or shapes")
        joint_names = [_leaf(m.joint_label[j]) for j in first[0]]
        link_names = [_leaf(m.body_label[b]) for b in first[1]]
        types = [int(m._np("joint_type")[j]) for j in first[0]]
        joints = [k for k in _chosen(joint_names, include_joints, exclude_joints)
                  if (include_types is None or types[k] in [int(t) for t in include_types]) and types[k] not in [int(t) for t in exclude_types or ()]]
        links = _chosen(link_names, include_links, exclude_links)
        self.joint_names = [joint_names[k] for k in joints]
        self.link_names = [link_names[k] for k in links]
        q, qd = m._np("joint_q_start"), m._np("joint_qd_start")

        def spans(starts: np.ndarray, row: Any) -> list[int]:
            return [i for k in joints for i in range(int(starts[row[0][k]]), int(starts[row[0][k] + 1]))]

        def names(starts: np.ndarray) -> list[str]:
            out = []
            for k in joints:
                n = int(starts[first[0][k] + 1] - starts[first[0][k]])
                out += [joint_names[k]] if n == 1 else [f"{joint_names[k]}:{i}" for i in range(n)]
            return out

        body_shapes = m.body_shapes
        bodies = [[row[1][k] for k in links] for row in rows]
        self.joint_dof_names, self.joint_coord_names = names(qd), names(q)
        shapes = [[s for b in row for s in body_shapes.get(b, ())] for row in bodies]
        self.shape_names = [_leaf(m.shape_label[s]) for s in shapes[0]]
        at = {s: i for i, s in enumerate(shapes[0])}
        self.body_shapes = [[at[s] for s in body_shapes.get(b, ())] for b in bodies[0]]
        f = AttributeFrequency
        lists = {f.JOINT: [[row[0][k] for k in joints] for row in rows], f.JOINT_DOF: [spans(qd, row) for row in rows],
                 f.JOINT_COORD: [spans(q, row) for row in rows], f.BODY: bodies, f.SHAPE: shapes,
                 f.ARTICULATION: [[int(a)] for a in self._ids.reshape(-1)]}
        self._indices = {kind: np.array(rows_, dtype=np.int64).reshape(self.world_count, self.count_per_world, -1) for kind, rows_ in lists.items()}
        self._choose_rows()
        root = first[0][0]
        self._roots = np.array([row[0][0] for row in rows], dtype=np.int64).reshape(self.world_count, self.count_per_world)
        self.root_joint_type = JointType(int(m._np("joint_type")[root]))
        self._type_of_roots = {int(m._np("joint_type")[row[0][0]]) for row in rows}

    def _choose_rows(self) -> None:
        """Rows of the user's own frequencies, where these say which articulation each row belongs to."""
        ids = self._ids.reshape(-1).tolist()
        self.custom_frequency_counts: dict[str, int] = {}
        self.custom_frequency_labels: dict[str, list[str]] = {}
        for key, owners in self.model.custom_frequency_articulation.items():
            of = plain(owners)
            rows = [np.flatnonzero(of == a).tolist() for a in ids]
            if len({len(r) for r in rows}) != 1:
                raise ValueError(f"pattern: the matching articulations differ in the rows of {key}")
            self.custom_frequency_counts[key] = len(rows[0])
            labels = self.model._frequency_labels(key)
            self.custom_frequency_labels[key] = [] if labels is None else [_leaf(labels[r]) for r in rows[0]]
            self._indices[key] = np.array(rows, dtype=np.int64).reshape(self.world_count, self.count_per_world, -1)

    def _members(self, articulation: int) -> tuple[list[int], list[int], list[int], list[int]]:
        """Joints, links in the order of the joints, shapes, types."""
        m = self.model
        joints = list(range(int(m._np("articulation_start")[articulation]), int(m._np("articulation_end")[articulation])))
        bodies = sorted({int(m._np("joint_child")[j]) for j in joints})
        return joints, bodies, [s for b in bodies for s in m.body_shapes.get(b, ())], [int(m._np("joint_type")[j]) for j in joints]

    @property
    def joint_count(self) -> int:
        return len(self.joint_names)

    @property
    def joint_dof_count(self) -> int:
        return len(self.joint_dof_names)

    @property
    def joint_coord_count(self) -> int:
        return len(self.joint_coord_names)

    @property
    def link_count(self) -> int:
        return len(self.link_names)

    @property
    def shape_count(self) -> int:
        return len(self.shape_names)

    @property
    def body_names(self) -> list[str]:
        return self.link_names

    @property
    def is_fixed_base(self) -> bool:
        return self.root_joint_type is JointType.FIXED

    @property
    def is_floating_base(self) -> bool:
        return self.root_joint_type in (JointType.FREE, JointType.DISTANCE)

    @property
    def articulation_ids(self) -> Any:
        return self._ids.astype(np.int32).view(Array)

    @property
    def body_labels(self) -> list[str]:
        """Labels of the links of the first articulation."""
        return [self.model.body_label[b] for b in self._indices[AttributeFrequency.BODY][0, 0]]

    @property
    def is_contiguous(self) -> bool:
        """Whether dofs can be handed out without a copy."""
        return _steps(self._indices[AttributeFrequency.JOINT_DOF]) is not None

    # -- attributes
    def _get_attribute_array(self, name: str, source: Any) -> tuple[np.ndarray, Any]:
        if name in type(source)._names:
            array: Any = source._np(name)
        else:
            array = source._at(name.replace(".", ":"))
            if array is None:
                raise AttributeError(f"{type(source).__name__} has no attribute {name!r}")
        kind = self.model.get_attribute_frequency(name.replace(".", ":"))
        if isinstance(kind, str) and kind not in self._indices:
            raise AttributeError(f"{name}: the rows of the custom frequency {kind!r} do not say which articulation they belong to")
        if kind not in self._indices:
            raise ValueError(f"{name}: one value for each {getattr(kind, 'name', kind)}, which articulations do not have")
        return plain(array), self._indices[kind]

    def get_attribute(self, name: str, source: Any) -> Array:
        """An array of a Model, State or Control, [world, articulation, entities, ...]; names of namespaces as "mujoco.gravcomp"."""
        return _taken(*self._get_attribute_array(name, source))

    def set_attribute(self, name: str, target: Any, values: Any, mask: Any = None) -> None:
        """Writes an attribute; `mask` chooses worlds, or (world, articulation)."""
        array, indices = self._get_attribute_array(name, target)
        _put(array, indices, values, self._mask(mask))

    def _mask(self, mask: Any) -> np.ndarray:
        if mask is None:
            return np.ones((self.world_count, self.count_per_world), dtype=bool)
        given = plain(mask).astype(bool)
        if given.shape == (self.world_count,):
            return np.repeat(given[:, None], self.count_per_world, axis=1)
        if given.shape == (self.world_count, self.count_per_world):
            return given
        raise ValueError(f"mask: shape {given.shape}, expected ({self.world_count},) or ({self.world_count}, {self.count_per_world})")

    def get_model_articulation_mask(self, mask: Any = None) -> Array:
        """One flag for each articulation of the model."""
        out = np.zeros(self.model.articulation_count, dtype=bool)
        out[self._ids[self._mask(mask)]] = True
        return out.view(Array)

    @property
    def articulation_mask(self) -> Any:
        return self.get_model_articulation_mask()

    # -- roots
    def _root(self, position: bool) -> tuple[str, np.ndarray]:
        m = self.model
        starts = m._np("joint_q_start" if position else "joint_qd_start")[self._roots]
        return ("joint_q" if position else "joint_qd"), starts[:, :, None] + np.arange(7 if position else 6)

    def get_root_transforms(self, source: Any) -> Array:
        """Poses of the roots, [world, articulation, 7]: of a floating base its coordinates, of a fixed one the anchor of its joint."""
        if self.is_floating_base:
            name, at = self._root(True)
            return _taken(source._np(name), at)
        return _taken(self.model._np("joint_X_p"), self._roots[:, :, None])[:, :, 0]

    def set_root_transforms(self, target: Any, values: Any, mask: Any = None) -> None:
        if self.is_floating_base:
            name, at = self._root(True)
            _put(target._np(name), at, values, self._mask(mask))
        else:
            rows = np.asarray(plain(values), dtype=float)
            _put(self.model._np("joint_X_p"), self._roots[:, :, None], rows[..., None, :] if rows.ndim > 1 else rows, self._mask(mask))

    def get_root_velocities(self, source: Any) -> Array | None:
        """Twists of the roots, [world, articulation, 6]; None for a fixed base."""
        if not self.is_floating_base:
            return None
        name, at = self._root(False)
        return _taken(source._np(name), at)

    def set_root_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        if self.is_floating_base:
            name, at = self._root(False)
            _put(target._np(name), at, values, self._mask(mask))

    # -- links and dofs
    def get_link_transforms(self, source: Any) -> Array:
        return self.get_attribute("body_q", source)

    def get_link_velocities(self, source: Any) -> Array:
        return self.get_attribute("body_qd", source)

    def get_dof_positions(self, source: Any) -> Array:
        return self.get_attribute("joint_q", source)

    def set_dof_positions(self, target: Any, values: Any, mask: Any = None) -> None:
        self.set_attribute("joint_q", target, values, mask)

    def get_dof_velocities(self, source: Any) -> Array:
        return self.get_attribute("joint_qd", source)

    def set_dof_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        self.set_attribute("joint_qd", target, values, mask)

    def get_dof_forces(self, source: Any) -> Array:
        return self.get_attribute("joint_f", source)

    def set_dof_forces(self, target: Any, values: Any, mask: Any = None) -> None:
        self.set_attribute("joint_f", target, values, mask)

    # -- functions of the model on these articulations only
    def eval_fk(self, target: Any, mask: Any = None, *, joint_mask: Any = None) -> None:
        """Body poses and velocities from the target's own joint coordinates."""
        dynamics.eval_fk(self.model, target._np("joint_q"), target._np("joint_qd"), target, mask=self.get_model_articulation_mask(mask), joint_mask=joint_mask)

    def eval_jacobian(self, state: Any, J: Any = None, joint_S_s: Any = None, mask: Any = None) -> Any:
        return dynamics.eval_jacobian(self.model, state, J, joint_S_s=joint_S_s, mask=self.get_model_articulation_mask(mask))

    def eval_mass_matrix(self, state: Any, H: Any = None, J: Any = None, body_I_s: Any = None, joint_S_s: Any = None, mask: Any = None, *,
                         include_armature: bool = True) -> Any:
        return dynamics.eval_mass_matrix(self.model, state, H, J, body_I_s, joint_S_s, self.get_model_articulation_mask(mask), include_armature=include_armature)

    def eval_inverse_dynamics_passive(self, state: Any, *, mass_matrix: Any = None, gravity_force: Any = None, coriolis_force: Any = None, mask: Any = None) -> Any:
        return dynamics.eval_inverse_dynamics_passive(self.model, state, mass_matrix=mass_matrix, gravity_force=gravity_force, coriolis_force=coriolis_force,
                                                       mask=self.get_model_articulation_mask(mask))

    def eval_inverse_dynamics_force(self, state: Any, *, mass_matrix: Any, joint_qdd: Any, coriolis_force: Any, gravity_force: Any, joint_f: Any,
                                    mask: Any = None) -> Any:
        return dynamics.eval_inverse_dynamics_force(self.model, state, mass_matrix=mass_matrix, joint_qdd=joint_qdd, coriolis_force=coriolis_force,
                                                     gravity_force=gravity_force, joint_f=joint_f, mask=self.get_model_articulation_mask(mask))

    def _actuator_rows(self, actuator: Any) -> np.ndarray:
        """Place of each dof of the view among those of an actuator, -1: it does not drive that dof; [world, dofs of all articulations there]."""
        place = np.full(self.model.joint_dof_count, -1)
        dofs = plain(actuator.indices)
        place[dofs] = np.arange(len(dofs))
        return place[self._indices[AttributeFrequency.JOINT_DOF]].reshape(self.world_count, -1)

    def get_actuator_parameter(self, actuator: Any, component: Any, name: str) -> Any:
        """A parameter of a part of an actuator (`actuator.drive`, "kp"), [world, dofs]; zero for dofs that it does not drive."""
        rows, values = self._actuator_rows(actuator), plain(getattr(component, name))
        out = np.zeros(rows.shape + values.shape[1:], values.dtype)
        out[rows >= 0] = values[rows[rows >= 0]]
        return handed(out)

    def set_actuator_parameter(self, actuator: Any, component: Any, name: str, values: Any, mask: Any = None) -> None:
        """Writes a parameter of a part of an actuator, [world, dofs]; what it does not drive is passed over. `mask` chooses worlds.

        @raises ValueError  `values` or `mask` have another shape, or `mask` holds no flags
        """
        rows, target = self._actuator_rows(actuator), plain(getattr(component, name))
        given = plain(values)
        chosen = np.ones(self.world_count, bool) if mask is None else plain(mask)
        if chosen.shape != (self.world_count,):
            raise kind_of(ValueError)(f"mask shape {chosen.shape}, expected ({self.world_count},)", "PYTHON_ARG_MASK")
        if chosen.dtype != np.bool_ and not isinstance(mask, (list, tuple)):
            raise kind_of(ValueError)(f"mask: expected a Boolean mask, not one of {chosen.dtype}", "PYTHON_ARG_MASK")
        if given.shape[:2] != rows.shape:
            raise kind_of(ValueError)(f"Expected values shape {rows.shape}, got {given.shape}", "PYTHON_ARG_SHAPE")
        put = (rows >= 0) & chosen.astype(bool)[:, None]
        target[rows[put]] = given[put]

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<ArticulationView {self.world_count} worlds x {self.count_per_world}, {self.link_count} links, {self.joint_count} joints ({self.joint_dof_count} dof)>"


def _steps(indices: np.ndarray) -> tuple[int, int, int, int] | None:
    """(start, steps of the three dimensions) when the indices are evenly spaced."""
    if indices.size == 0:
        return None
    start, steps = int(indices[0, 0, 0]), []
    for axis in range(3):
        n = indices.shape[axis]
        steps.append(int(np.take(indices, 1, axis).flat[0] - start) if n > 1 else 1)
    w, a, k = (np.arange(n) * s for n, s in zip(indices.shape, steps))
    even = np.array_equal(indices, start + w[:, None, None] + a[None, :, None] + k[None, None, :])
    return (start, *steps) if even and min(steps) > 0 else None


def _taken(array: np.ndarray, indices: np.ndarray) -> Array:
    """The rows as a view of the array's memory where they are evenly spaced, else as a copy."""
    steps = _steps(indices)
    array = array.view(np.ndarray)
    if steps is None:
        return array[indices].view(Array)
    start, *by = steps
    row = array.strides[0]
    return np.lib.stride_tricks.as_strided(array[start:], shape=indices.shape + array.shape[1:], strides=(*(s * row for s in by), *array.strides[1:]),
                                           writeable=array.flags.writeable).view(Array)


def _put(array: np.ndarray, indices: np.ndarray, values: Any, mask: np.ndarray) -> None:
    shape = indices.shape + array.shape[1:]
    given = np.asarray(plain(values), dtype=array.dtype)
    if given.size == int(np.prod(shape)):
        rows = given.reshape(shape)
    else:
        try:
            rows = np.broadcast_to(given, shape)
        except ValueError:
            raise ValueError(f"values: shape {given.shape}, expected {shape}") from None
    array.view(np.ndarray)[indices[mask]] = rows[mask]


name_arguments(globals())
