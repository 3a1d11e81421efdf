"""Sensors: what an IMU, a pose or a contact measurement reads from states, contacts and a solver's observables."""
from __future__ import annotations

import logging
from typing import Any

import numpy as np

from .core.arguments import name_arguments
from .core.array import fresh, plain
from .core.diagnostics import MechaneDeprecationWarning, kind_of, warn
from .core.enums import ShapeFlags
from .core.rotations import quat_multiply, quat_rotate
from .model.frames import placed
from .model.observables import ObservableKind
from .newton.modules import absent
from .selection import match_labels

__all__ = ["SensorContact", "SensorFrameTransform", "SensorIMU"]

_LOG = logging.getLogger("mechane")
_BACK = np.array([-1.0, -1.0, -1.0, 1.0])


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.sensors", name)


def _matched(labels: list[str], pattern: Any, name: str, what: str) -> list[int]:
    """Indices of what a pattern matches, or the indices that were given, which may be out of range.

    @raises ValueError  nothing matches
    @raises TypeError  it is no pattern
    """
    if isinstance(pattern, list) and pattern and all(isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in pattern):
        return [int(i) for i in pattern]
    if isinstance(pattern, list) and not pattern:
        raise kind_of(ValueError)(f"'{name}' must not be empty", "MODEL_LABEL")
    if not labels:
        raise kind_of(ValueError)(f"No {what} matched the given pattern {pattern!r}: the model has none", "MODEL_LABEL")
    try:
        return match_labels(labels, pattern)
    except ValueError as nothing:
        raise kind_of(ValueError)(f"No {what} matched the given pattern {pattern!r}; {nothing}", "MODEL_LABEL") from None


def _sites(model: Any, indices: list[int], name: str) -> list[int]:
    """@raises ValueError  one is no shape, or no site"""
    flags = model._np("shape_flags")
    for i in indices:
        if not 0 <= i < model.shape_count:
            raise kind_of(ValueError)(f"{name}: index {i} is out of range, there are {model.shape_count} shapes", "PYTHON_ARG_INDEX")
        if not flags[i] & ShapeFlags.SITE:
            raise kind_of(ValueError)(f"{name}: index {i} ({model.shape_label[i]}) is not a site", "PYTHON_ARG_SENSOR")
    return indices


def _shape_poses(model: Any, shapes: np.ndarray, body_q: np.ndarray) -> np.ndarray:
    """Poses of shapes in the world, [n, 7]."""
    local, body = np.asarray(model._np("shape_transform"), dtype=float)[shapes], model._np("shape_body")[shapes]
    turn = np.where((body >= 0)[:, None], body_q[np.maximum(body, 0), 3:] if len(body_q) else [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0])
    return np.concatenate([placed(body_q, body, local[:, :3]), np.asarray(quat_multiply(turn, local[:, 3:]))], axis=1)


def _same_model(sensor: Any, model: Any) -> None:
    if sensor is not model:
        raise kind_of(ValueError)("observables must belong to the sensor's model", "PYTHON_ARG_SENSOR")


class SensorIMU:
    """Accelerometer [m/s^2] and gyroscope [rad/s] at sites, in their frames, [n_sensors, 3]: `accelerometer` is what a mass in the sensor feels,
    at rest the reaction to gravity.

    The solver must give `body_qdd`: `observables = solver.observables(kinds=sensor.solver_observable_kinds)`.
    """

    solver_observable_kinds = frozenset({ObservableKind.BODY_QDD})

    def __init__(self, model: Any, sites: Any, *, verbose: bool | None = None, request_state_attributes: bool = True):
        """`sites` is a glob, a list of globs, a compiled expression or a list of indices. `request_state_attributes` asks for the older
        `state.body_qdd`; give False, and observables to `update`.

        @raises ValueError  nothing matches, or a shape is not a site
        """
        self.model = model
        self.verbose = _LOG.isEnabledFor(logging.DEBUG) if verbose is None else bool(verbose)
        chosen = _sites(model, _matched(model.shape_label, sites, "sites", "sites"), "sites")
        if request_state_attributes:
            warn("SensorIMU(request_state_attributes=True) is deprecated in Newton 1.7; give False, make SolverBase.Observables with "
                 "solver.observables(kinds=sensor.solver_observable_kinds) and pass them to solver.step(observables=...) and update(..., observables=...)",
                 MechaneDeprecationWarning)
            model._state_attributes.add("body_qdd")
        self._shapes = np.array(chosen, dtype=np.int64)
        self.n_sensors = len(chosen)
        self.accelerometer, self.gyroscope = fresh((self.n_sensors, 3), row="vec3"), fresh((self.n_sensors, 3), row="vec3")
        if self.verbose:
            _LOG.info("SensorIMU: %d sites", len(set(chosen)))

    def update(self, state: Any, *, observables: Any = None) -> None:
        """Reads poses and velocities of `state` and accelerations of `observables` (or of `state.body_qdd`).

        @raises ValueError  observables of another model, or without accelerations
        """
        if observables is not None:
            _same_model(self.model, observables.model)
        given = observables.body_qdd if observables is not None else state.body_qdd
        if given is None:
            raise kind_of(ValueError)("SensorIMU requires SolverBase.Observables with BODY_QDD: solver.observables(kinds=sensor.solver_observable_kinds), given to "
                                      "solver.step() and sensor.update()", "PYTHON_ARG_SENSOR")
        m, at = self.model, self._shapes
        body = m._np("shape_body")[at]
        moving, body0 = body >= 0, np.maximum(body, 0)
        local = np.asarray(m._np("shape_transform"), dtype=float)[at]
        world = np.where(moving, m._np("body_world")[body0] if m.body_count else -1, m._np("shape_world")[at])
        down = np.asarray(m._np("gravity"), dtype=float)[world]
        acceleration, spin, turn = -down, np.zeros((len(at), 3)), local[:, 3:]
        if moving.any():
            q, qd, qdd = (np.asarray(plain(a), dtype=float)[body0[moving]] for a in (state.body_q, state.body_qd, given))
            arm = quat_rotate(q[:, 3:], local[moving, :3] - np.asarray(m._np("body_com"), dtype=float)[body0[moving]])
            w = qd[:, 3:]
            acceleration[moving] += qdd[:, :3] + np.cross(qdd[:, 3:], arm) + np.cross(w, np.cross(w, arm))
            spin[moving] = w
            turn = np.array(turn)
            turn[moving] = quat_multiply(q[:, 3:], local[moving, 3:])
        plain(self.accelerometer)[...] = quat_rotate(turn * _BACK, acceleration)
        plain(self.gyroscope)[...] = quat_rotate(turn * _BACK, spin)


class SensorFrameTransform:
    """Poses of shapes or sites in the frames of reference sites: `transforms` [n, 7], px py pz [m] qx qy qz qw."""

    def __init__(self, model: Any, shapes: Any, reference_sites: Any, *, verbose: bool | None = None):
        """One reference site for all shapes, or one each.

        @raises ValueError  nothing matches, a reference is not a site, or their numbers do not fit
        """
        self.model = model
        self.verbose = _LOG.isEnabledFor(logging.DEBUG) if verbose is None else bool(verbose)
        chosen = _matched(model.shape_label, shapes, "shapes", "shapes")
        if any(not 0 <= i < model.shape_count for i in chosen):
            raise kind_of(ValueError)(f"Invalid shape indices {chosen}. Must be in range [0, {model.shape_count})", "PYTHON_ARG_INDEX")
        references = _matched(model.shape_label, reference_sites, "reference_sites", "reference sites")
        if any(not 0 <= i < model.shape_count for i in references):
            raise kind_of(ValueError)(f"Invalid reference site indices {references}. Must be in range [0, {model.shape_count})", "PYTHON_ARG_INDEX")
        _sites(model, references, "Reference")
        if len(references) not in (1, len(chosen)):
            raise kind_of(ValueError)(f"Number of reference sites ({len(references)}) must match number of shapes ({len(chosen)}) or be 1", "PYTHON_ARG_SENSOR")
        self._shapes, self._references = np.array(chosen, dtype=np.int64), np.resize(np.array(references, dtype=np.int64), len(chosen))
        self.transforms = fresh((len(chosen), 7), row="transform")
        if self.verbose:
            _LOG.info("SensorFrameTransform: %d shapes, %d reference sites", len(chosen), len(set(references)))

    def update(self, state: Any) -> None:
        body_q = np.asarray(plain(state.body_q), dtype=float)
        target, reference = _shape_poses(self.model, self._shapes, body_q), _shape_poses(self.model, self._references, body_q)
        back, out = reference[:, 3:] * _BACK, plain(self.transforms)
        out[:, :3] = quat_rotate(back, target[:, :3] - reference[:, :3])
        out[:, 3:] = quat_multiply(back, target[:, 3:])


class SensorContact:
    """Forces of contacts on bodies or shapes, world axes [N].

    `total_force` and `total_force_friction` (its tangential part) have a row for each of `sensing_indices`. With counterparts, `force_matrix`,
    `force_matrix_friction` and `position_matrix` (where the two meet, weighted by force [m]) have a column for each of
    `counterpart_indices[row]`; further columns are zero. Counterparts are those of the row's world and those of no world. Without worlds
    the whole model is one.
    """

    solver_observable_kinds = frozenset({ObservableKind.CONTACT_F})

    def __init__(self, model: Any, *, sensing_bodies: Any = None, sensing_shapes: Any = None, counterpart_bodies: Any = None, counterpart_shapes: Any = None,
                 measure_total: bool = True, verbose: bool | None = None, request_contact_attributes: bool = True):
        """Each argument is a glob, a list of globs, a compiled expression or a list of indices. `request_contact_attributes` asks for the older
        `contacts.force`; give False, and observables to `update`.

        @raises ValueError  not exactly one kind senses, nothing matches, an index is given twice, or what senses belongs to no world
        @raises IndexError  an index is out of range
        """
        if (sensing_bodies is None) == (sensing_shapes is None):
            raise kind_of(ValueError)("Exactly one of `sensing_bodies` and `sensing_shapes` must be specified", "PYTHON_ARG_SENSOR")
        if counterpart_bodies is not None and counterpart_shapes is not None:
            raise kind_of(ValueError)("At most one of `counterpart_bodies` and `counterpart_shapes` may be specified", "PYTHON_ARG_SENSOR")
        self.device = model.device
        self.verbose = _LOG.isEnabledFor(logging.DEBUG) if verbose is None else bool(verbose)
        self._model = model
        if request_contact_attributes:
            warn("SensorContact(request_contact_attributes=True) is deprecated in Newton 1.7; give False, make SolverBase.Observables with "
                 "solver.observables(kinds=sensor.solver_observable_kinds, contacts=contacts) and pass them to update(..., observables=...)", MechaneDeprecationWarning)
            model._contact_attributes.add("force")
        by_body = sensing_bodies is not None
        rows = self._chosen("sensing_bodies" if by_body else "sensing_shapes", sensing_bodies if by_body else sensing_shapes, by_body, "sensing object")
        of_bodies, counterpart = counterpart_bodies is not None, counterpart_shapes if counterpart_bodies is None else counterpart_bodies
        columns = [] if counterpart is None else sorted(self._chosen("counterpart_bodies" if of_bodies else "counterpart_shapes", counterpart, of_bodies, "counterpart"))
        row_world, column_world = self._worlds(by_body), self._worlds(of_bodies)
        lost = [i for i in rows if row_world[i] < 0]
        if lost:
            raise kind_of(ValueError)(f"Global bodies/shapes (world=-1) cannot be sensing objects. Global indices: {lost}", "PYTHON_ARG_SENSOR")
        everywhere = [i for i in columns if column_world[i] < 0]
        in_world = {w: everywhere + [i for i in columns if column_world[i] == w] for w in {int(row_world[i]) for i in rows} | {int(column_world[i]) for i in columns if column_world[i] >= 0}}
        width = max([len(everywhere), *map(len, in_world.values())], default=0)
        if not measure_total and not width:
            raise kind_of(ValueError)("Sensor configured with measure_total=False and no counterparts: at least one output (total_force or force_matrix) must be enabled", "PYTHON_ARG_SENSOR")
        self.sensing_type = "body" if by_body else "shape"
        self.counterpart_type = None if not columns else "body" if of_bodies else "shape"
        self.sensing_indices = list(rows)
        self.counterpart_indices = [list(in_world[int(row_world[i])]) for i in rows]
        row_of, column_of = np.full(len(row_world), -1), np.full(len(column_world), -1)
        row_of[rows] = np.arange(len(rows))
        for members in in_world.values():
            column_of[members] = np.arange(len(members))
        self._row, self._column = self._of_shapes(row_of, by_body), self._of_shapes(column_of, of_bodies)
        vectors = lambda *shape: fresh((*shape, 3), row="vec3")  # noqa: E731
        self.total_force, self.total_force_friction = (vectors(len(rows)), vectors(len(rows))) if measure_total else (None, None)
        self.force_matrix, self.force_matrix_friction, self.position_matrix = (vectors(len(rows), width) for _ in range(3)) if width else (None, None, None)
        self.sensing_transforms = fresh((len(rows), 7), row="transform")
        if self.verbose:
            _LOG.info("SensorContact: %d sensing objects (%s), %d columns", len(rows), self.sensing_type, width)

    def _chosen(self, name: str, pattern: Any, bodies: bool, what: str) -> list[int]:
        kind, labels = "bodies" if bodies else "shapes", self._model.body_label if bodies else self._model.shape_label
        try:
            found = _matched(labels, pattern, name, kind)
        except ValueError as nothing:
            raise kind_of(ValueError)(f"No {kind} matched the {what} pattern(s); {nothing}", "MODEL_LABEL") from None
        for i in found:
            if not 0 <= i < len(labels):
                raise kind_of(IndexError)(f"{name} contains index {i}, but model only has {len(labels)} {kind}", "PYTHON_ARG_INDEX")
        if len(set(found)) != len(found):
            raise kind_of(ValueError)(f"{name} contains duplicate index {next(i for i in found if found.count(i) > 1)}", "PYTHON_ARG_SENSOR")
        return found

    def _worlds(self, bodies: bool) -> np.ndarray:
        """World of each body or shape; where none is in a world, all are in one."""
        of = np.array(self._model._np("body_world" if bodies else "shape_world"))
        return np.zeros_like(of) if (of < 0).all() else of

    def _of_shapes(self, places: np.ndarray, bodies: bool) -> np.ndarray:
        if not bodies:
            return places
        body = self._model._np("shape_body")
        return np.where(body >= 0, places[np.maximum(body, 0)] if len(places) else -1, -1)

    def update(self, state: Any, contacts: Any, *, observables: Any = None) -> None:
        """Adds up the forces of the contacts. Without a state poses stay as they are, and positions are zero.

        @raises ValueError  observables of another model or of other contacts, or without forces of contacts
        """
        if observables is not None:
            _same_model(self._model, observables.model)
        wrenches = observables.contact_f if observables is not None else contacts.force
        if wrenches is None:
            raise kind_of(ValueError)("SensorContact requires contact-force solver observables: ask for SolverBase.ObservableKind.CONTACT_F and pass the "
                                      "SolverBase.Observables to update()", "PYTHON_ARG_SENSOR")
        if observables is not None and observables.contacts is not contacts:
            raise kind_of(ValueError)("the observables were produced with a different Contacts instance; pass the one that the step got", "PYTHON_ARG_SENSOR")
        body_q = None if state is None or state.body_q is None else np.asarray(plain(state.body_q), dtype=float)
        if body_q is not None:
            at = np.array(self.sensing_indices)
            plain(self.sensing_transforms)[...] = body_q[at] if self.sensing_type == "body" else _shape_poses(self._model, at, body_q)
        self._add_up(contacts, np.asarray(plain(wrenches), dtype=float), body_q)

    def _add_up(self, contacts: Any, wrenches: np.ndarray, body_q: np.ndarray | None) -> None:
        n = min(int(plain(contacts.rigid_contact_count)[0]), contacts.rigid_contact_max)
        shapes = [plain(contacts.rigid_contact_shape0)[:n].astype(np.int64), plain(contacts.rigid_contact_shape1)[:n].astype(np.int64)]
        force, normal = wrenches[:n, :3], np.asarray(plain(contacts.rigid_contact_normal)[:n], dtype=float)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal = np.where(np.abs(length**2 - 1) > 1e-4, normal / np.where(length > 0, length, 1), normal)
        friction = force - (force * normal).sum(axis=1, keepdims=True) * normal
        rows, columns = [self._row[s] for s in shapes], [self._column[s] for s in shapes]
        middle = None
        if body_q is not None and self.position_matrix is not None and n:
            body = self._model._np("shape_body")
            middle = 0.5 * sum(placed(body_q, body[s], np.asarray(plain(getattr(contacts, f"rigid_contact_point{k}"))[:n] + plain(getattr(contacts, f"rigid_contact_offset{k}"))[:n], dtype=float))
                               for k, s in enumerate(shapes))
        strength = np.linalg.norm(force, axis=1)
        for out, values in ((self.total_force, force), (self.total_force_friction, friction)):
            if out is not None:
                total = np.zeros(plain(out).shape)
                for side, sign in ((0, 1.0), (1, -1.0)):
                    ours = rows[side] >= 0
                    np.add.at(total, rows[side][ours], sign * values[ours])
                plain(out)[...] = total
        if self.force_matrix is None:
            return
        tables = np.zeros((3, *plain(self.force_matrix).shape))
        weight = np.zeros(tables.shape[1:3])
        for side, sign in ((0, 1.0), (1, -1.0)):
            both = (rows[side] >= 0) & (columns[1 - side] >= 0)
            at = (rows[side][both], columns[1 - side][both])
            np.add.at(tables[0], at, sign * force[both])
            np.add.at(tables[1], at, sign * friction[both])
            if middle is not None:
                np.add.at(tables[2], at, strength[both, None] * middle[both])
                np.add.at(weight, at, strength[both])
        plain(self.force_matrix)[...], plain(self.force_matrix_friction)[...] = tables[0], tables[1]
        plain(self.position_matrix)[...] = np.where(weight[..., None] > 0, tables[2] / np.where(weight > 0, weight, 1)[..., None], 0)


name_arguments(globals())
