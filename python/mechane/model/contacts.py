"""Contacts, and the pipeline that finds them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Iterable

import numpy as np

from .. import _core, config
from ..core.arguments import name_arguments
from ..core.array import REAL, Array, check_device, device_now, handed, plain
from ..core.capture import captured, warn_in_capture
from ..core.diagnostics import NotSupportedError, kind_of, publish, warn
from ..newton.names import PipelineNames
from ..newton.reserved import reserve
from .frames import placed
from .state import Arrays, State, belonging

__all__ = ["CollisionPipeline", "Contacts", "RestOverlaps", "chosen_worlds"]

_LATER = {"body_pair_reduction": None, "enable_rigid_soft_full_surface_contact": False, "speculative_contact_gap_max": None}
_PHASES = ("explicit", "nxn", "sap", "tree")
_OVERFLOW = ("report", "error")
_MATCHING = ("disabled", "latest", "sticky")


class Contacts(Arrays):
    """Contacts of one `collide`, structure of arrays; rows beyond `rigid_contact_count[0]` and `soft_contact_count[0]` are undefined.

    Custom attributes that are assigned to contacts have a row for each of `rigid_contact_max` (of frequency CONTACT_SOFT, of
    `soft_contact_max`) and get their default at each `collide`.

    Points and offsets are in body frames (world for static shapes) [m], normals in world axes from shape 0 to shape 1. Soft
    contacts are those of particles with shapes; their normals point from the shape to the particle.
    """

    _names = frozenset(_core.Contacts.array_names())
    EXTENDED_ATTRIBUTES = frozenset({"force"})

    def __init__(self, rigid_contact_max: int, soft_contact_max: int, *, soft_contact_tids_size: int | None = None, requires_grad: bool = False, device: Any = None,
                 per_contact_shape_properties: bool = False, clear_buffers: bool = False, requested_attributes: Any = None, contact_matching: bool = False,
                 contact_report: bool = False, rigid_contact_surface_velocity: bool = False, soft_self_contact: bool = False, particle_count: int = 0,
                 tri_count: int = 0, edge_count: int = 0, soft_self_contact_vertex_buffer_pre_alloc: int = 16,
                 soft_self_contact_edge_buffer_pre_alloc: int = 32, soft_self_contact_record_triangle_vertices: bool = False) -> None:
        """Room for so many contacts, to be filled by any pipeline of those capacities. `Model.contacts()` makes what fits a model."""
        for name, value in (("rigid_contact_max", rigid_contact_max), ("soft_contact_max", soft_contact_max)):
            if value < 0:
                raise kind_of(ValueError)(f"{name} is {value}, expected at least 0", "PYTHON_ARG_CAPACITY")
        if soft_self_contact or rigid_contact_surface_velocity:
            raise NotSupportedError("soft bodies that meet themselves and surface velocities belong to a later stage", "PYTHON_LATER_STAGE")
        check_device(device)
        core = _core.Contacts(int(rigid_contact_max), int(soft_contact_max), bool(contact_matching), bool(per_contact_shape_properties))
        self._fill(core, None, None, "force" in (requested_attributes or ()), bool(contact_report))

    @classmethod
    def _of(cls, core: Any, pipeline: "CollisionPipeline") -> "Contacts":
        self = cls.__new__(cls)
        self._fill(core, pipeline, pipeline.model, "force" in pipeline.model._contact_attributes, pipeline.contact_report)
        return self

    def _fill(self, core: Any, pipeline: "CollisionPipeline | None", model: Any, wanted: bool, reported: bool) -> None:
        for name, value in (("_core", core), ("_pipeline", pipeline), ("_model", model), ("_status", {})):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "force", handed(np.zeros((core.capacity + core.soft_capacity, 6), dtype=REAL), "spatial_vector") if wanted else None)
        for name in ("rigid_contact_stiffness", "rigid_contact_damping", "rigid_contact_friction", "rigid_contact_match_index"):
            if not core.array(name).size:
                object.__setattr__(self, name, None)  # the pipeline has no use for it
        object.__setattr__(self, "rigid_contact_surface_velocity", None)
        for kind in ("new", "broken"):
            object.__setattr__(self, f"rigid_contact_{kind}_indices", np.full(core.capacity, -1, np.int32).view(Array) if reported else None)
            object.__setattr__(self, f"rigid_contact_{kind}_count", np.zeros(1, np.int32).view(Array) if reported else None)
        self._attach_all({} if model is None else model._contact_arrays(core.capacity, core.soft_capacity))

    @classmethod
    def validate_extended_attributes(cls, attributes: Iterable[str]) -> None:
        unknown = sorted(set(attributes) - cls.EXTENDED_ATTRIBUTES)
        if unknown:
            raise ValueError(f"unknown contact attributes {unknown}; known are {sorted(cls.EXTENDED_ATTRIBUTES)}")

    @property
    def rigid_contact_max(self) -> int:
        return self._core.capacity

    @property
    def soft_contact_max(self) -> int:
        return self._core.soft_capacity

    @property
    def device(self) -> Any:
        """"cpu", or Warp's object of it where arrays are handed out as Warp's."""
        return device_now()

    requires_grad = False

    @property
    def contact_matching(self) -> bool:
        return self.contact_matching_mode != "disabled"

    @property
    def contact_matching_mode(self) -> str:
        return "disabled" if self._pipeline is None else self._pipeline.contact_matching

    @property
    def contact_report(self) -> bool:
        return self.__dict__["rigid_contact_new_count"] is not None

    def _take_report(self) -> None:
        """Rows of this call that continue none of the last one's, and rows of the last one's that nothing continues."""
        if self.contact_report:
            for kind, rows in zip(("new", "broken"), self._core.report()):
                indices = self.__dict__[f"rigid_contact_{kind}_indices"]
                indices[:] = -1
                indices[: len(rows)] = rows
                self.__dict__[f"rigid_contact_{kind}_count"][0] = len(rows)

    def _wrenches(self, state: State, out: np.ndarray) -> None:
        """The force of each contact on the body of shape 0 and its torque about that body's centre of mass (the origin for the world), in
        world axes [N, N m]; rows of no contact are zero."""
        wrenches = np.zeros((self.rigid_contact_max, 6), REAL)
        if len(self):
            _core.contact_wrenches(self._model._core, state._core, self._core, wrenches)
        plain(out)[...] = 0
        plain(out)[:len(self)] = wrenches[:len(self)]

    def _reset_custom(self) -> None:
        """Every row of the user's own attributes back to its default, in the arrays that are handed out."""
        if self._custom:
            fresh = self._model._contact_arrays(self.rigid_contact_max, self.soft_contact_max)
            for key, array in self._custom_arrays().items():
                array[...] = fresh[key]

    def clear(self, bump_generation: bool = True) -> None:
        self._core.clear()
        self._reset_custom()
        if bump_generation:
            self._np("contact_generation")[0] += 1

    @property
    def status(self) -> dict[str, Any]:
        """Of the last `collide`: contacts, candidate_pairs, overflow, needed, wall times [s]."""
        return dict(self._status)

    @property
    def _untouched(self) -> bool:
        """Whether no search, no `clear` and no writer has put anything here."""
        counts = (self._np(name)[0] for name in ("rigid_contact_count", "soft_contact_count", "contact_generation"))
        return not self._status and "_state" not in self.__dict__ and not any(counts)

    def __len__(self) -> int:
        return int(self._np("rigid_contact_count")[0])

    def rows(self) -> np.ndarray:
        """The valid rows as a structured array; points in the world [m]."""
        n = len(self)
        real = self._np("rigid_contact_normal").dtype
        out = np.empty(n, dtype=[("shape0", np.int32), ("shape1", np.int32), ("point", real, 3), ("normal", real, 3), ("distance", real), ("force", real, 3)])
        out["shape0"], out["shape1"] = self._np("rigid_contact_shape0")[:n], self._np("rigid_contact_shape1")[:n]
        out["normal"], out["distance"], out["force"] = self._np("rigid_contact_normal")[:n], self._np("rigid_contact_distance")[:n], self._np("rigid_contact_force")[:n]
        out["point"] = 0.5 * sum(self.points_world()) if n else 0
        return out

    def points_world(self, state: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """The points of each contact on the surfaces of shape 0 and of shape 1, margins included, in the world [m], for the state that
        was collided (or another). They differ by distance x normal."""
        n = len(self)
        body_q = np.asarray((state or self._state).body_q)
        ends = []
        for k in (0, 1):
            shape = np.asarray(getattr(self, f"rigid_contact_shape{k}")[:n])
            local = np.asarray(getattr(self, f"rigid_contact_point{k}")[:n]) + np.asarray(getattr(self, f"rigid_contact_offset{k}")[:n])
            ends.append(placed(body_q, np.asarray(self._model.shape_body)[shape], local))
        return ends[0], ends[1]

    def pairs(self) -> list[tuple[str, str]]:
        """Labels of the shapes that touch, each pair once."""
        n, label = len(self), self._model.shape_label
        both = {(int(a), int(b)) for a, b in zip(self._np("rigid_contact_shape0")[:n], self._np("rigid_contact_shape1")[:n])}
        return [(label[a], label[b]) for a, b in sorted(both)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows())

    def __repr__(self) -> str:
        soft = f", {int(self._np('soft_contact_count')[0])} of {self.soft_contact_max} soft" if self.soft_contact_max else ""
        return f"<Contacts {len(self)} of {self.rigid_contact_max} rows{soft}>"


def chosen_worlds(world_mask: Any, worlds: int) -> np.ndarray:
    """A mask of worlds, all of them where there is none; the last entry stands for what belongs to none.

    @raises TypeError   the mask is not of bools (under compat newton-1.8: no array)
    @raises ValueError  the mask has another shape
    """
    if world_mask is None:
        return np.ones(worlds + 1, bool)
    if config.compat == "newton-1.8" and not hasattr(world_mask, "dtype"):
        raise kind_of(TypeError)(f"world_mask: expected an array, not {type(world_mask).__name__}", "PYTHON_ARG_MASK")
    chosen = plain(world_mask)
    if chosen.dtype != bool:
        raise kind_of(TypeError)(f"world_mask: dtype {chosen.dtype}, expected bool", "PYTHON_ARG_MASK")
    if chosen.shape != (worlds + 1,):
        raise kind_of(ValueError)(f"world_mask: shape {chosen.shape}, expected (world_count + 1,) = ({worlds + 1},): a world each, and what belongs to none",
                                  "PYTHON_ARG_MASK")
    return chosen


class RestOverlaps:
    """Overlaps between parts of one mechanism in its start pose, which `simulate` takes as touching and a loop of one's own may too.

    Robots are drawn with links that reach into each other; contacts that push them apart would bend the robot::

        model.collide(state, contacts)
        rest = mechane.RestOverlaps(contacts)
        for _ in range(frames):
            model.collide(state, contacts)
            rest.apply(contacts)
            solver.step(state, state, control, contacts, dt)

    @param contacts  those of the start pose, collided
    """

    def __init__(self, contacts: Contacts):
        self._model = _collided(contacts)
        self._core = _core.RestOverlaps(self._model._core, contacts._core)

    def apply(self, contacts: Contacts) -> None:
        """Moves the surfaces of the pairs back by the depth that they start with; call it after each `collide`.

        @raises ValueError  the contacts are of another model, or nothing was collided into them yet
        """
        model = _collided(contacts)
        if model is not self._model:
            raise kind_of(ValueError)("contacts: of another model than the overlaps", "PYTHON_ARG_CONTACTS")
        self._core.apply(model._core, contacts._state._core, contacts._core)

    def pairs(self) -> list[tuple[str, str, float]]:
        """Labels of two shapes and how deep they start in each other [m]."""
        label = self._model.shape_label
        return [(label[a], label[b], depth) for a, b, depth in self._core.pairs()]

    def __repr__(self) -> str:
        return f"<RestOverlaps of {len(self._core.pairs())} pairs>"


def _collided(contacts: Any) -> Any:
    """The model of contacts that `collide` has filled."""
    if not isinstance(contacts, Contacts):
        raise kind_of(TypeError)(f"contacts: expected Contacts, not {type(contacts).__name__}", "PYTHON_ARG_CONTACTS")
    if getattr(contacts, "_state", None) is None or contacts._model is None:
        raise kind_of(ValueError)("contacts: nothing was collided into them yet", "PYTHON_ARG_CONTACTS")
    return contacts._model


def _phases(broad: Any, narrow: Any, hydroelastic: Any) -> str | None:
    """The name of the broad phase that the arguments ask for. Objects come in pairs: one says which boxes meet, the other which contacts are left
    out; both phases are the library's own in any case."""
    if broad is None or isinstance(broad, str):
        if broad is not None and broad.lower() not in _PHASES:
            raise kind_of(ValueError)(f"broad_phase is {broad!r}, expected one of {_PHASES}", "PYTHON_ARG_BROAD_PHASE")
        if narrow is not None:
            raise kind_of(ValueError)("narrow_phase goes with an object for broad_phase; give both or neither", "PYTHON_ARG_BROAD_PHASE")
        return None if broad is None else broad.lower()
    from ..geometry.broad_phase import BroadPhaseAllPairs, BroadPhaseExplicit, BroadPhaseSAP
    from ..geometry.narrow import NarrowPhase

    known = {BroadPhaseAllPairs: "nxn", BroadPhaseSAP: "sap", BroadPhaseExplicit: "explicit"}
    mode = next((name for kind, name in known.items() if isinstance(broad, kind)), None)
    if mode is None:
        raise kind_of(TypeError)(f"broad_phase: expected a name, BroadPhaseAllPairs, BroadPhaseSAP or BroadPhaseExplicit, not {type(broad).__name__}", "PYTHON_ARG_BROAD_PHASE")
    if narrow is None:
        raise kind_of(ValueError)("broad_phase is an object and narrow_phase is missing; give both or neither", "PYTHON_ARG_BROAD_PHASE")
    if not isinstance(narrow, NarrowPhase):
        raise kind_of(TypeError)(f"narrow_phase: expected NarrowPhase, not {type(narrow).__name__}", "PYTHON_ARG_BROAD_PHASE")
    if hydroelastic is not None:
        raise kind_of(ValueError)("sdf_hydroelastic_config is for the narrow phase that the pipeline makes; leave out narrow_phase", "PYTHON_ARG_BROAD_PHASE")
    return mode


def _pairs_of(given: Any, shape_count: int) -> list[tuple[int, int]]:
    """Rows of two shapes, each of another one."""
    try:
        rows = np.asarray(plain(given)).reshape(-1, 2)
    except ValueError:
        raise kind_of(ValueError)(f"shape_pairs_filtered: shape {np.shape(given)}, expected (n, 2)", "PYTHON_ARG_SHAPE") from None
    if rows.size and rows.dtype.kind not in "iu":
        raise kind_of(TypeError)(f"shape_pairs_filtered: dtype {rows.dtype}, expected integers", "PYTHON_ARG_SHAPE")
    if rows.size and not (0 <= rows.min() and rows.max() < shape_count and (rows[:, 0] != rows[:, 1]).all()):
        raise kind_of(ValueError)(f"shape_pairs_filtered: not each row is two of the {shape_count} shapes", "PYTHON_ARG_SHAPE")
    return [(int(a), int(b)) for a, b in rows]


def _soft_pairs(model: Any) -> int:
    """Pairs of a particle and a shape whose worlds meet: equal ones, and any with -1."""
    particles, shapes = (np.bincount(np.maximum(model._np(name) + 1, 0), minlength=model._core.world_count + 1) for name in ("particle_world", "shape_world"))
    return int(particles[0] * shapes.sum() + (particles[1:] * (shapes[0] + shapes[1:])).sum())


class CollisionPipeline(PipelineNames):
    """Finds the contacts of states of one model.

    All `broad_phase` names find the same contacts, each in its own time; objects of `geometry` may stand for both phases. Without a phase or with
    "explicit", `shape_pairs_filtered` [n, 2] are the only pairs that are looked at, whatever filters say of them. Sizes of GPU buffers are accepted and ignored.
    Of contacts that do not fit the deepest are kept, of soft ones those of the first particles (`overflow_policy` "report"), or none
    ("error"); both warn. Where the model has particles their contacts with shapes are found too: those nearer than `soft_contact_gap`
    [m] (`soft_contact_margin` in older programs), at most `soft_contact_max`, by default one for each pair whose worlds meet.
    `sdf_hydroelastic_config` is a `geometry.HydroelasticSDF.Config`; pairs of hydroelastic shapes make pressure contact with or without one.
    """

    def __init__(self, model: Any, *, reduce_contacts: bool = True, body_pair_reduction: Any = None, rigid_contact_max: int | None = None,
                 max_triangle_pairs: int | None = None, shape_pairs_filtered: Any = None, include_static_kinematic_pairs: bool = True,
                 soft_contact_max: int | None = None, soft_contact_gap: float | None = None, soft_contact_margin: float | None = None,
                 enable_rigid_soft_full_surface_contact: bool = False, requires_grad: bool | None = None, broad_phase: Any = None,
                 narrow_phase: Any = None, sdf_hydroelastic_config: Any = None, shape_pairs_max: int | None = None, deterministic: bool = False,
                 contact_matching: str = "disabled", contact_matching_pos_threshold: float = 0.0005,
                 contact_matching_normal_dot_threshold: float = 0.995, contact_report: bool = False, verify_buffers: bool = True,
                 contact_reduction_hashtable_size_factor: float = 0.25, speculative_contact_gap_max: float | None = None,
                 dynamic_shape_scale: bool = False, publish_capacity: bool = True, overflow_policy: str = "report"):
        given = {"body_pair_reduction": body_pair_reduction, "enable_rigid_soft_full_surface_contact": enable_rigid_soft_full_surface_contact,
                 "speculative_contact_gap_max": speculative_contact_gap_max}
        for name, default in _LATER.items():
            if given[name] != default:
                raise NotSupportedError(f"CollisionPipeline({name}=...) belongs to a later stage", "PYTHON_LATER_STAGE")
        if contact_matching not in _MATCHING:
            raise kind_of(ValueError)(f"contact_matching is {contact_matching!r}, expected one of {_MATCHING}", "PYTHON_ARG_CONTACT_MATCHING")
        if contact_report and contact_matching == "disabled":
            raise kind_of(ValueError)("contact_report needs contact_matching", "PYTHON_ARG_CONTACT_MATCHING")
        if overflow_policy not in _OVERFLOW:
            raise kind_of(ValueError)(f"overflow_policy is {overflow_policy!r}, expected one of {_OVERFLOW}; views of contacts have one size for ever", "PYTHON_ARG_OVERFLOW")
        said = model._capacities
        rigid_contact_max = (said["rigid_contact_max"] or None) if rigid_contact_max is None else rigid_contact_max
        if max_triangle_pairs is not None and max_triangle_pairs < 1:
            raise kind_of(ValueError)(f"max_triangle_pairs is {max_triangle_pairs}, expected at least 1", "PYTHON_ARG_CAPACITY")
        soft_contact_max = said["soft_contact_max"] if soft_contact_max is None else soft_contact_max
        mode = _phases(broad_phase, narrow_phase, sdf_hydroelastic_config)
        if rigid_contact_max is not None and rigid_contact_max < 0:
            raise kind_of(ValueError)(f"rigid_contact_max is {rigid_contact_max}, expected at least 0", "PYTHON_ARG_CAPACITY")
        self.model = model
        self.broad_phase, self.narrow_phase = broad_phase or "explicit", narrow_phase
        if soft_contact_gap is not None and soft_contact_margin is not None:
            raise kind_of(ValueError)("soft_contact_margin is soft_contact_gap by its old name; give one", "PYTHON_ARG_SOFT_GAP")
        if soft_contact_max is not None and soft_contact_max < 0:
            raise kind_of(ValueError)(f"soft_contact_max is {soft_contact_max}, expected at least 0", "PYTHON_ARG_CAPACITY")
        gap = soft_contact_margin if soft_contact_gap is None else soft_contact_gap
        self.soft_contact_gap = 0.01 if gap is None else gap
        self.soft_contact_pair_count = _soft_pairs(model)
        self.contact_matching, self.contact_report, self.overflow_policy = contact_matching, bool(contact_report), overflow_policy
        self.deterministic = True  #: equal states have equal contacts in equal order, whatever was asked for
        options: dict[str, Any] = {
            "rigid_contact_max": int(rigid_contact_max or 0), "no_rigid_contacts": rigid_contact_max == 0, "speculative_max": 0.0,
            "soft_contact_max": self.soft_contact_pair_count if soft_contact_max is None else int(soft_contact_max), "reduce_contacts": bool(reduce_contacts),
            "include_static_kinematic_pairs": bool(include_static_kinematic_pairs), "contact_matching": contact_matching, "contact_report": self.contact_report,
            "overflow_policy": overflow_policy, "contact_matching_pos_threshold": float(contact_matching_pos_threshold),
            "contact_matching_normal_dot_threshold": float(contact_matching_normal_dot_threshold)}
        if narrow_phase is not None:
            options["reduce_contacts"] = narrow_phase.reduce_contacts
        if mode is not None:
            options["broad_phase"] = mode
        if shape_pairs_filtered is not None and mode in (None, "explicit"):
            options["shape_pairs"] = _pairs_of(shape_pairs_filtered, model.shape_count)
        if shape_pairs_max is not None:
            options["shape_pairs_max"] = int(shape_pairs_max)
        if sdf_hydroelastic_config is not None:
            options["hydroelastic"] = sdf_hydroelastic_config._options()
        if config.compat == "newton-1.8":
            options.setdefault("hydroelastic", {})["series"] = True
        self._core = _core.Pipeline(model._core, options)
        publish(self._core.diagnostics())
        if publish_capacity:
            model._published.update({"rigid_contact_max": self.rigid_contact_max, "soft_contact_max": self.soft_contact_max})

    @property
    def rigid_contact_max(self) -> int:
        return self._core.capacity

    @property
    def soft_contact_max(self) -> int:
        return self._core.soft_capacity

    @property
    def soft_contact_gap(self) -> float:
        """How far beyond touching particles meet shapes [m]; may be set between calls."""
        return self._soft_contact_gap

    @soft_contact_gap.setter
    def soft_contact_gap(self, value: float) -> None:
        if not 0 <= float(value) < float("inf"):
            raise kind_of(ValueError)(f"soft_contact_gap must be >= 0, got {value}", "PYTHON_ARG_SOFT_GAP")
        self._soft_contact_gap = float(value)

    soft_contact_margin = soft_contact_gap

    @property
    def device(self) -> Any:
        """Where the model's states are."""
        return self.model.device

    def _graph_device(self, call: str, *args: Any) -> str | None:
        return getattr(args[0], "device", None) if self.model._device.startswith("cuda") else None

    def contacts(self) -> Contacts:
        """Empty contacts of the pipeline's capacity."""
        return Contacts._of(self._core.make_contacts(), self)

    @captured
    def collide(self, state: State, contacts: Contacts, *, soft_contact_margin: float | None = None, soft_self_contact: bool = False,
                dt: float | None = None) -> None:
        """Fills `contacts`; when there are more than fit, a warning says how many there were. `dt` [s] also finds contacts that the
        present velocities reach within it, `soft_contact_margin` [m] stands for the pipeline's `soft_contact_gap` this once."""
        belonging("state", state, self.model, State)
        if not isinstance(contacts, Contacts):
            raise kind_of(TypeError)(f"contacts: expected Contacts, not {type(contacts).__name__}", "PYTHON_ARG_CONTACTS")
        if soft_self_contact:
            raise NotSupportedError("soft bodies that meet themselves belong to a later stage", "PYTHON_LATER_STAGE")
        if self.model._device != "cpu" and getattr(state, "device", "cpu") != "cpu":
            return  # steps on a device find contacts themselves; SolverBase.update_contacts() brings those of the last one
        warn_in_capture("CollisionPipeline.collide()")
        gap = self.soft_contact_gap if soft_contact_margin is None else float(soft_contact_margin)
        status = self._core.collide(state._core, 0.0 if dt is None else float(dt), gap, contacts._core)
        object.__setattr__(contacts, "_status", status)
        for name, value in (("_state", state), ("_pipeline", self), ("_model", self.model)):
            object.__setattr__(contacts, name, value)
        contacts._take_report()
        contacts._reset_custom()
        if status["overflow"]:
            soft = status["soft_needed"] > contacts.soft_contact_max
            needed, room, kept = (status["soft_needed"], contacts.soft_contact_max, "those of the first particles") if soft else \
                (status["needed"], contacts.rigid_contact_max, "the deepest")
            warn(f"PYTHON_CONTACT_OVERFLOW: {needed} {'soft ' * soft}contacts, room for {room}; {kept if self.overflow_policy == 'report' else 'none'} were kept")

    def __reduce__(self) -> tuple[Any, ...]:
        raise kind_of(TypeError)("CollisionPipeline is not copied or pickled: pickle its model, and make the pipeline anew", "PYTHON_ARGUMENT")

    @property
    def status(self) -> str:
        return "ready"

    def reset_contact_matching(self, world_mask: Any = None) -> None:
        """Forgets the contacts that the next ones would be matched with: those of all worlds, or of those that a mask (world_count + 1,) marks."""
        mask = np.zeros(0, np.uint8) if world_mask is None else chosen_worlds(world_mask, self.model.world_count).astype(np.uint8)
        self._core.reset_contact_matching(mask[len(mask) - self.model._core.world_count - 1:] if len(mask) else mask)

    def contact_surface(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(corners [n, 3, 3] in the world [m], depths [n] [m], shapes [n, 2]) of the surfaces of pressure contact of the last call; empty
        unless the configuration asks for them (`output_contact_surface`)."""
        return self._core.contact_surface()

    @property
    def sdf_count(self) -> int:
        """How many fields of distances were built; shapes of one mesh, size and configuration share theirs."""
        return self._core.sdf_count

    def explain_pair(self, a: int | str, b: int | str) -> list[str]:
        """Why two shapes never collide; empty when they may."""
        m = self.model
        i, j = (m.shape_label.index(x) if isinstance(x, str) else int(x) for x in (a, b))
        why = []
        if m.shape_collision_filter_contains(i, j):
            why.append("the pair is filtered")
        for k in (i, j):
            if not int(m.shape_flags[k]) & 2:
                why.append(f"{m.shape_label[k]} does not collide with shapes")
            if int(m.shape_collision_group[k]) == 0:
                why.append(f"{m.shape_label[k]} is in collision group 0")
        if m.shape_body[i] == m.shape_body[j]:
            why.append("both belong to one body")
        if not why and not m._may_collide(i, j):
            why.append("their worlds or collision groups do not collide")
        return why


reserve(Contacts, "Contacts")
reserve(CollisionPipeline, "CollisionPipeline")


name_arguments(globals())
