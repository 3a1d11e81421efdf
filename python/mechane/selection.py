"""Views of many equal articulations at once, chosen by label."""
from __future__ import annotations

import fnmatch
import logging
import re
from typing import Any

import numpy as np

from .core.arguments import name_arguments
from .core.array import Array, handed, plain
from .core.diagnostics import MechaneDeprecationWarning, error, kind_of, warn
from .core.enums import JointType
from .model import dynamics
from .model.custom import AttributeFrequency
from .model.deformable_views import DeformableCurveView, DeformableSurfaceView, DeformableVolumeView
from .model.observables import Observables
from .model.view_layouts import FrequencyLayout, custom_layout, layout_of
from .model.views import near
from .newton.modules import absent

__all__ = ["ArticulationView", "DeformableCurveView", "DeformableSurfaceView", "DeformableVolumeView", "match_labels"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.selection", name)


def match_labels(labels: list[str], pattern: Any) -> list[int]:
    """Indices of the labels that match: a glob, a compiled expression (whole label), a list of globs, or indices.

    @raises ValueError  nothing matches; the message has the nearest labels
    """
    if isinstance(pattern, (list, tuple)) and not len(pattern):
        return []
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


class LabelError(KeyError, ValueError):
    """No label matches."""


def _chosen(what: str, names: list[str], include: Any, exclude: Any) -> list[int]:
    """Places among names; `include` None: all."""
    for word, pattern in (("include", include), ("exclude", exclude)):
        if not isinstance(pattern, (list, tuple)) or not all(isinstance(i, (int, np.integer)) for i in pattern):
            continue
        if word == "include" and any(b < a for a, b in zip(pattern, pattern[1:])):
            raise kind_of(ValueError)(f"ArticulationView(include_{what}=...) indices must be in ascending order", "PYTHON_ARG_ORDER")
        if any(not 0 <= i < len(names) for i in pattern):
            raise kind_of(ValueError)(f"{word}_{what} indices must be in range [0, {len(names)}), got {list(pattern)}", "PYTHON_ARG_INDEX")
    kept = range(len(names)) if include is None else match_labels(names, include)
    dropped = set() if exclude is None else set(match_labels(names, exclude))
    return [i for i in kept if i not in dropped]


class ArticulationView:
    """Articulations whose labels match, as arrays with the leading dimensions (world, articulation).

    All of them need the same joints, links and shapes, in every world. With `homogeneous=False` only what they have in common can be asked
    for, worlds without a match are passed over (`is_sparse`, `world_ids`), and what differs is None. Where the layout of the model allows, what
    `get_*` returns is a view of the source's memory; else a copy (`*_contiguous` and `frequency_layouts` tell).
    """

    def __init__(self, model: Any, pattern: Any, *, include_joints: Any = None, exclude_joints: Any = None, include_links: Any = None,
                 exclude_links: Any = None, include_joint_types: list[int] | None = None, exclude_joint_types: list[int] | None = None,
                 include_loop_closing_joints: bool = False, homogeneous: bool = True, verbose: bool | None = None, allow_partial_layouts: Any = None):
        if allow_partial_layouts is not None:
            warn("`allow_partial_layouts` is deprecated. Use `homogeneous` instead.", MechaneDeprecationWarning)
            if not homogeneous and not allow_partial_layouts:
                raise ValueError("`homogeneous=False` implies `allow_partial_layouts=True`.")
            homogeneous = not allow_partial_layouts
        self.model = model
        self.device = model.device
        self._homogeneous, self._with_loops = bool(homogeneous), bool(include_loop_closing_joints)
        self._choose_articulations(pattern)
        self._choose(include_joints, exclude_joints, include_links, exclude_links, include_joint_types, exclude_joint_types)
        self._choose_roots()
        self._choose_rows()
        for name, kind in (("joints", "JOINT"), ("joint_dofs", "JOINT_DOF"), ("joint_coords", "JOINT_COORD"), ("links", "BODY"), ("shapes", "SHAPE")):
            layout = self.frequency_layouts.get(AttributeFrequency[kind])
            setattr(self, f"{name}_contiguous", None if layout is None else layout.is_packed(self.world_count, self.count_per_world))
        used = [*self.frequency_layouts.values(), *(layout for layout in self._root_layouts if layout is not None)]
        self.uses_explicit_model_indices = any(layout.uses_explicit_model_indices for layout in used)
        if verbose:
            logging.getLogger("mechane").info("%r: links %s, joints %s, shapes %s", self, self.link_names, self.joint_names, self.shape_names)

    def _choose_articulations(self, pattern: Any) -> None:
        m, n = self.model, self.model.articulation_count
        if isinstance(pattern, (list, tuple)) and pattern and all(isinstance(i, (int, np.integer)) for i in pattern):
            if any(b <= a for a, b in zip(pattern, pattern[1:])):
                raise kind_of(ValueError)("Selection indices must be unique and in ascending order", "PYTHON_ARG_ORDER")
            if pattern[0] < 0 or pattern[-1] >= n:
                raise kind_of(ValueError)(f"Selection indices must be in range [0, {n})", "PYTHON_ARG_INDEX")
        try:
            ids = match_labels(m.articulation_label, pattern)
        except ValueError as none:
            raise error(LabelError, "MODEL_LABEL", f"No articulations matching pattern {pattern!r}: {none}") from None
        if not ids:
            raise error(LabelError, "MODEL_LABEL", f"No articulations matching pattern {pattern!r}: the model has none")
        by_world: dict[int, list[int]] = {}
        for i in ids:
            by_world.setdefault(int(m._np("articulation_world")[i]), []).append(i)
        worlds = sorted(by_world)
        if -1 in worlds and len(worlds) > 1:
            raise kind_of(ValueError)(f"Articulation pattern {pattern!r} matches global and per-world articulations", "MODEL_LABEL")
        self.is_sparse = worlds != [-1] and worlds != list(range(m.world_count))
        if self._homogeneous and self.is_sparse:
            raise kind_of(ValueError)(f"Articulation pattern {pattern!r} does not match articulations in every world", "MODEL_LABEL")
        if len({len(v) for v in by_world.values()}) != 1:
            raise kind_of(ValueError)("Varying articulation counts per selected world are not supported", "MODEL_LABEL")
        self._ids = np.array([by_world[w] for w in worlds], dtype=np.int64)
        self._worlds = np.array(worlds, dtype=np.int32)
        self.world_count, self.count_per_world = self._ids.shape
        self.count = self._ids.size

    def _joints_of(self, articulation: int) -> list[int]:
        m = self.model
        begin, end = (int(m._np(name)[articulation]) for name in ("articulation_start", "articulation_end"))
        if self._with_loops:
            after = m._np("articulation_start")
            end = int(after[articulation + 1]) if articulation + 1 < len(after) else m.joint_count
        return list(range(begin, end))

    def _links_of(self, articulation: int) -> list[int]:
        m = self.model
        owner, child = m._np("joint_articulation"), m._np("joint_child")
        return sorted({int(child[j]) for j in self._joints_of(articulation) if owner[j] == articulation and child[j] >= 0})

    def _choose(self, include_joints: Any, exclude_joints: Any, include_links: Any, exclude_links: Any, include_types: Any, exclude_types: Any) -> None:
        m, f = self.model, AttributeFrequency
        ids = self._ids.reshape(-1).tolist()
        all_joints, all_links = [self._joints_of(a) for a in ids], [self._links_of(a) for a in ids]
        names = [_leaf(m.joint_label[j]) for j in all_joints[0]]
        kinds = [int(m._np("joint_type")[j]) for j in all_joints[0]]
        joints = set(range(len(names))) if include_joints is None and include_types is None else set()
        if include_joints is not None:
            joints |= set(_chosen("joints", names, include_joints, None))
        joints |= {k for k, kind in enumerate(kinds) if kind in [int(t) for t in include_types or ()]}
        joints -= {k for k, kind in enumerate(kinds) if kind in [int(t) for t in exclude_types or ()]}
        joints &= set(_chosen("joints", names, None, exclude_joints))
        links = set(_chosen("links", [_leaf(m.body_label[b]) for b in all_links[0]], include_links, exclude_links))
        # Without a filter that does something every joint and link counts, also those that the first articulation has not.
        def places(chosen: set[int], found: list[list[int]]) -> list[list[int]]:
            every = len(chosen) == len(found[0])
            return [[k for k in range(len(row)) if every or k in chosen] for row in found]

        at_joints, at_links = places(joints, all_joints), places(links, all_links)
        of_joints = [[row[k] for k in at] for row, at in zip(all_joints, at_joints)]
        of_links = [[row[k] for k in at] for row, at in zip(all_links, at_links)]
        q, qd = m._np("joint_q_start"), m._np("joint_qd_start")
        body_of = m._np("shape_body")
        of_shapes = [sorted(s for b in row for s in m.body_shapes.get(b, ())) for row in of_links]
        shape_owners = [[row.index(int(body_of[s])) for s in shapes] for row, shapes in zip(of_links, of_shapes)]
        found = {f.JOINT: self._layout(of_joints, at_joints, [row[0] if row else 0 for row in all_joints]), f.BODY: self._layout(of_links, at_links),
                 f.SHAPE: self._layout(of_shapes, shape_owners, one_by_one=True)}
        for kind, starts in ((f.JOINT_DOF, qd), (f.JOINT_COORD, q)):
            rows = [[i for j in row for i in range(int(starts[j]), int(starts[j + 1]))] for row in of_joints]
            owners = [[k for j, k in zip(row, at) for _ in range(int(starts[j]), int(starts[j + 1]))] for row, at in zip(of_joints, at_joints)]
            found[kind] = self._layout(rows, owners, [r[0] if r else int(starts[j[0]]) if j else 0 for r, j in zip(rows, all_joints)])
        ids_of = {f.ARTICULATION: self._layout([[a] for a in ids], [[0] for _ in ids])}
        self.frequency_layouts: dict[Any, FrequencyLayout] = {k: v[0] for k, v in {**found, **ids_of}.items() if v[0] is not None}
        self._unavailable: dict[Any, str] = {k: v[1] for k, v in found.items() if v[1] is not None}
        if self._homogeneous:
            for kind in (f.JOINT, f.JOINT_DOF, f.JOINT_COORD, f.BODY, f.SHAPE):
                if kind in self._unavailable:
                    raise kind_of(ValueError)(f"Articulation {kind.name} layout is unavailable: {self._unavailable[kind]}", "PYTHON_VIEW_LAYOUT")
        self._name(found, of_joints[0], of_links[0], of_shapes[0], shape_owners[0])

    def _name(self, found: dict[Any, Any], joints: list[int], links: list[int], shapes: list[int], owners: list[int]) -> None:
        """Counts and names by the first articulation; None where articulations differ in them."""
        m, f = self.model, AttributeFrequency

        def spread(starts: Any) -> tuple[list[int], list[str]]:
            counts = [int(starts[j + 1] - starts[j]) for j in joints]
            leaves = [_leaf(m.joint_label[j]) for j in joints]
            return counts, [x if n == 1 else f"{x}:{i}" for x, n in zip(leaves, counts) for i in range(n)]

        def common(kind: Any, value: Any) -> Any:
            return value if found[kind][2] else None

        dofs, coords = spread(m._np("joint_qd_start")), spread(m._np("joint_q_start"))
        # Annotated for views whose articulations are alike.
        self.joint_count: int = common(f.JOINT, len(joints))
        self.joint_labels: list[str] = common(f.JOINT, [m.joint_label[j] for j in joints])
        self.joint_names: list[str] = common(f.JOINT, [_leaf(m.joint_label[j]) for j in joints])
        self.joint_dof_count: int = common(f.JOINT_DOF, len(dofs[1]))
        self.joint_dof_names: list[str] = common(f.JOINT_DOF, dofs[1])
        self.joint_coord_count: int = common(f.JOINT_COORD, len(coords[1]))
        self.joint_coord_names: list[str] = common(f.JOINT_COORD, coords[1])
        self.link_count: int = common(f.BODY, len(links))
        self.link_labels: list[str] = common(f.BODY, [m.body_label[b] for b in links])
        self.link_names: list[str] = common(f.BODY, [_leaf(m.body_label[b]) for b in links])
        self.shape_count: int = common(f.SHAPE, len(shapes))
        self.shape_labels: list[str] = common(f.SHAPE, [m.shape_label[s] for s in shapes])
        self.shape_names: list[str] = common(f.SHAPE, [_leaf(m.shape_label[s]) for s in shapes])
        have = self.frequency_layouts
        self.joint_dof_counts: list[int] | None = dofs[0] if f.JOINT in have and f.JOINT_DOF in have else None
        self.joint_coord_counts: list[int] | None = coords[0] if f.JOINT in have and f.JOINT_COORD in have else None
        self.link_shapes: list[list[int]] | None = None
        if f.BODY in have and f.SHAPE in have:
            self.link_shapes = [[i for i, owner in enumerate(owners) if owner == k] for k in range(len(links))]

    def _layout(self, rows: list[list[int]], owners: list[list[int]], starts: list[int] | None = None, one_by_one: bool = False) -> Any:
        return layout_of(rows, owners, [r[0] if r else 0 for r in rows] if starts is None else starts, self._ids.shape, self._homogeneous, one_by_one)

    def _choose_roots(self) -> None:
        """What the first joints are, and where their coordinates lie."""
        m = self.model
        roots = m._np("articulation_start")[self._ids].reshape(-1)
        starts = {"q": m._np("joint_q_start"), "qd": m._np("joint_qd_start")}
        kinds = m._np("joint_type")[roots]
        fixed, floating = starts["qd"][roots + 1] == starts["qd"][roots], np.isin(kinds, (JointType.FREE, JointType.DISTANCE))

        def same(values: Any) -> Any:
            return values[0].item() if (values == values[0]).all() else None

        self.is_fixed_base: bool | None = same(fixed)
        self.is_floating_base: bool | None = same(floating)
        kind = same(kinds)
        self.root_joint_type: JointType | None = None if kind is None else JointType(kind)
        spans = [[[int(r)] for r in roots]] if not self.is_floating_base else [[list(range(int(s[r]), int(s[r + 1]))) for r in roots] for s in starts.values()]
        found = [self._layout(rows, [[0] * len(r) for r in rows]) for rows in spans]
        self._root_layouts = [layout for layout, _, _ in found]
        why = "; ".join(reason for _, reason, _ in found if reason)
        self._no_root = "selected articulations use different root behavior" if self.is_floating_base is None else why
        if self._homogeneous and (self._no_root or self.root_joint_type is None or self.is_fixed_base is None):
            raise kind_of(ValueError)(f"Articulation root layout is unavailable: {self._no_root or 'root metadata differs'}", "PYTHON_VIEW_LAYOUT")

    def _choose_rows(self) -> None:
        """Rows of the user's own frequencies, where these say which articulation each row belongs to."""
        ids = self._ids.reshape(-1).tolist()
        self.custom_frequency_counts: dict[str, int | None] = {}
        self.custom_frequency_labels: dict[str, list[str] | None] = {}
        for key, owners in self.model.custom_frequency_articulation.items():
            of = plain(owners)
            rows = [np.flatnonzero(of == a).tolist() for a in ids]
            counts = [len(r) for r in rows]
            layout = why = None
            if len(set(counts)) != 1:
                shown = np.array(counts).reshape(self._ids.shape).tolist()
                why = f"Articulations have different row counts for custom frequency '{key}': {shown}"
            elif counts[0]:
                layout, why = custom_layout(key, rows, self._ids.shape, self._homogeneous)
            if why is not None and self._homogeneous:
                raise kind_of(ValueError)(why, "PYTHON_VIEW_LAYOUT")
            if why is not None:
                self._unavailable[key] = why
            if layout is not None:
                self.frequency_layouts[key] = layout
            labels = self.model._frequency_labels(key)
            differ = len(set(counts)) != 1
            self.custom_frequency_counts[key] = None if differ else counts[0]
            self.custom_frequency_labels[key] = None if differ else [] if labels is None else [_leaf(labels[r]) for r in rows[0]]

    @property
    def tendon_count(self) -> int | None:
        return self.custom_frequency_counts.get("mujoco:tendon", 0)

    @property
    def tendon_names(self) -> list[str] | None:
        return self.custom_frequency_labels.get("mujoco:tendon", [])

    @property
    def body_names(self) -> list[str] | None:
        return self.link_names

    @property
    def body_labels(self) -> list[str] | None:
        return self.link_labels

    @property
    def body_shapes(self) -> list[list[int]] | None:
        return self.link_shapes

    @property
    def articulation_ids(self) -> Any:
        return handed(self._ids.astype(np.int32), "float")

    @property
    def world_ids(self) -> Any:
        """World of the model that each world of the view is, -1: articulations of no world."""
        return handed(self._worlds)

    @property
    def is_contiguous(self) -> bool:
        """Whether dofs can be handed out without a copy."""
        layout = self.frequency_layouts.get(AttributeFrequency.JOINT_DOF)
        return layout is not None and _steps(layout.get_absolute_indices(*self._ids.shape)) is not None

    # -- attributes
    def _get_attribute_array(self, name: str, source: Any) -> tuple[np.ndarray, np.ndarray]:
        key = name.replace(".", ":")
        kinds = self.model
        if isinstance(source, Observables):
            if source.model is not self.model:
                raise ValueError("Solver observables and ArticulationView must use the same model.")
            array, kinds = getattr(source, name), source
            if array is None:
                raise ValueError(f"Observable '{name}' was not requested from the solver.")
        elif name in getattr(type(source), "_names", ()):
            array = source._np(name)
        else:
            array = source._at(key) if hasattr(source, "_at") else getattr(source, name, None)
            if array is None:
                raise AttributeError(f"{type(source).__name__} has no attribute {name!r}")
        try:
            kind = kinds.get_attribute_frequency(key)
        except KeyError:
            raise AttributeError(f"Unable to determine the layout of attribute '{name}': articulations have no rows of it") from None
        if kind in (AttributeFrequency.CONTACT, getattr(AttributeFrequency, "CONTACT_RIGID", None), getattr(AttributeFrequency, "CONTACT_SOFT", None)):
            raise AttributeError(f"Attribute '{name}' has dynamic contact frequency '{kind.name}': contacts belong to no articulation")
        return plain(array), self._rows_of(kind, name)

    def _rows_of(self, kind: Any, name: str) -> np.ndarray:
        layout = self.frequency_layouts.get(kind)
        if layout is not None:
            return layout.get_absolute_indices(*self._ids.shape)
        if kind in self._unavailable:
            raise AttributeError(f"Attribute '{name}' is unavailable: {self._unavailable[kind]}")
        if isinstance(kind, str):
            if kind in self.model.custom_frequency_articulation:
                raise AttributeError(f"Attribute '{name}' has frequency '{kind}' but no rows were found in the selected articulations")
            raise AttributeError(f"{name}: the rows of the custom frequency {kind!r} do not say which articulation they belong to")
        raise AttributeError(f"Unable to determine the layout of frequency '{getattr(kind, 'name', kind)}' for attribute '{name}': articulations have no rows of it")

    def get_attribute(self, name: str, source: Any) -> Any:
        """An array of a Model, State, Control or of observables, [world, articulation, entities, ...]; names of namespaces as "mujoco.gravcomp"."""
        array, rows = self._get_attribute_array(name, source)
        return handed(_taken(array, rows), _row_type(array))

    def set_attribute(self, name: str, target: Any, values: Any, mask: Any = None) -> None:
        """Writes an attribute; `mask` chooses worlds, or (world, articulation)."""
        array, indices = self._get_attribute_array(name, target)
        _put(array, indices, values, self._mask(mask))

    def _mask(self, mask: Any) -> np.ndarray:
        if mask is None:
            return np.ones((self.world_count, self.count_per_world), dtype=bool)
        given = plain(mask)
        if given.dtype != np.bool_ and hasattr(mask, "numpy") and not isinstance(mask, np.ndarray):
            raise kind_of(ValueError)(f"mask: expected a Boolean mask, not one of {given.dtype}", "PYTHON_ARG_MASK")
        given = given.astype(bool)
        if given.shape == (self.world_count,):
            return np.repeat(given[:, None], self.count_per_world, axis=1)
        if given.shape == (self.world_count, self.count_per_world):
            return given
        raise kind_of(ValueError)(f"mask: shape {given.shape}, expected a Boolean mask of shape ({self.world_count}, {self.count_per_world}) or "
                                  f"({self.world_count},)", "PYTHON_ARG_MASK")

    def get_model_articulation_mask(self, mask: Any = None) -> Any:
        """One flag for each articulation of the model."""
        out = np.zeros(self.model.articulation_count, dtype=bool)
        out[self._ids[self._mask(mask)]] = True
        return handed(out)

    @property
    def articulation_mask(self) -> Any:
        return self.get_model_articulation_mask()

    # -- roots
    def _root(self, position: bool) -> tuple[str, np.ndarray]:
        if self._no_root:
            raise AttributeError(f"The roots are unavailable: {self._no_root}")
        layout = self._root_layouts[0 if position else -1]
        assert layout is not None
        return ("joint_q" if position else "joint_qd"), layout.get_absolute_indices(*self._ids.shape)

    def get_root_transforms(self, source: Any) -> Any:
        """Poses of the roots, [world, articulation, 7]: of a floating base its coordinates, of a fixed one the anchor of its joint."""
        name, at = self._root(True)
        if self.is_floating_base:
            return handed(_taken(source._np(name), at), "transform")
        return handed(_taken(self.model._np("joint_X_p"), at)[:, :, 0], "transform")

    def set_root_transforms(self, target: Any, values: Any, mask: Any = None) -> None:
        name, at = self._root(True)
        if self.is_floating_base:
            _put(target._np(name), at, values, self._mask(mask))
        else:
            rows = np.asarray(plain(values), dtype=float)
            _put(self.model._np("joint_X_p"), at, rows[..., None, :] if rows.ndim > 1 else rows, self._mask(mask))

    def get_root_velocities(self, source: Any) -> Any:
        """Twists of the roots, [world, articulation, 6]; None for a fixed base."""
        name, at = self._root(False)
        return handed(_taken(source._np(name), at), "spatial_vector") if self.is_floating_base else None

    def set_root_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        name, at = self._root(False)
        if self.is_floating_base:
            _put(target._np(name), at, values, self._mask(mask))

    # -- links and dofs
    def get_link_transforms(self, source: Any) -> Any:
        return self.get_attribute("body_q", source)

    def get_link_velocities(self, source: Any) -> Any:
        return self.get_attribute("body_qd", source)

    def get_dof_positions(self, source: Any) -> Any:
        return self.get_attribute("joint_q", source)

    def set_dof_positions(self, target: Any, values: Any, mask: Any = None) -> None:
        self.set_attribute("joint_q", target, values, mask)

    def get_dof_velocities(self, source: Any) -> Any:
        return self.get_attribute("joint_qd", source)

    def set_dof_velocities(self, target: Any, values: Any, mask: Any = None) -> None:
        self.set_attribute("joint_qd", target, values, mask)

    def get_dof_forces(self, source: Any) -> Any:
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

    def get_actuator_parameter(self, actuator: Any, component: Any, name: str) -> Any:
        """A parameter of a part of an actuator (`actuator.drive`, "kp"), [world, dofs]; zero for dofs that it does not drive."""
        rows, values = _actuator_rows(self, actuator), plain(getattr(component, name))
        out = np.zeros(rows.shape + values.shape[1:], values.dtype)
        out[rows >= 0] = values[rows[rows >= 0]]
        return handed(out)

    def set_actuator_parameter(self, actuator: Any, component: Any, name: str, values: Any, mask: Any = None) -> None:
        """Writes a parameter of a part of an actuator, [world, dofs]; what it does not drive is passed over. `mask` chooses worlds.

        @raises ValueError  `values` or `mask` have another shape, or `mask` holds no flags
        """
        rows, target = _actuator_rows(self, actuator), plain(getattr(component, name))
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


def _actuator_rows(view: Any, actuator: Any) -> np.ndarray:
    """Place of each dof of a view among those of an actuator, -1: it does not drive that dof; [world, dofs of all articulations there]."""
    layout = view.frequency_layouts.get(AttributeFrequency.JOINT_DOF)
    if layout is None:
        why = getattr(view, "_unavailable", {}).get(AttributeFrequency.JOINT_DOF, "the view has no DOF layout")
        raise AttributeError(f"Actuator parameters are unavailable: {why}")
    rows, dofs = layout.get_absolute_indices(view.world_count, view.count_per_world), plain(actuator.indices)
    place = np.full(max(rows.max(initial=-1), dofs.max(initial=0)) + 1, -1)
    place[dofs] = np.arange(len(dofs))
    return place[rows].reshape(view.world_count, -1)


def _row_type(array: np.ndarray) -> str:
    """Warp's type of an element, by the axes that follow that of the rows."""
    return {(2,): "vec2", (3,): "vec3", (4,): "quat", (6,): "spatial_vector", (7,): "transform", (3, 3): "mat33"}.get(array.shape[1:], "float")


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
    """Writes rows. Fewer of them stand for all worlds and articulations; the numbers of one row are never repeated within it."""
    shape, row = indices.shape + array.shape[1:], array.shape[1:]
    given = np.asarray(plain(values), dtype=array.dtype)
    if given.size == int(np.prod(shape)):
        rows = given.reshape(shape)
    else:
        if given.shape[given.ndim - len(row):] != row or given.ndim > len(shape):
            raise ValueError(f"values: shape {given.shape}, expected {shape}")
        try:
            rows = np.broadcast_to(given, shape)
        except ValueError:
            raise ValueError(f"values: shape {given.shape}, expected {shape}") from None
    array.view(np.ndarray)[indices[mask]] = rows[mask]


name_arguments(globals())
