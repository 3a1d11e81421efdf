"""Model: the frozen scene, structure of arrays under Newton's names."""
from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core, config
from ..core.arguments import name_arguments
from ..core.array import REAL, Array, device_now
from ..core.device_array import device_name
from ..core.diagnostics import Diagnostics, error, kind_of
from ..core.enums import Axis, GeoType, JointType
from ..core.files import check, inputs_of, write
from ..core.values import as_vec3, vec3
from ..geometry.adjacency import MeshAdjacency
from ..newton.reserved import reserve
from .contacts import CollisionPipeline, Contacts
from .custom import AttributeAssignment, AttributeFrequency, AttributeNamespace, AttributeSpec
from .device_state import DeviceControl, DeviceState
from .saved import loaded, sealed
from .observables import old_request
from .state import Control, Counted, State
from .views import BodyView, JointView, ShapeView, ArticulationView, WorldView, Views

__all__ = ["Model"]

_TOPOLOGY = frozenset({"joint_type", "joint_parent", "joint_child", "joint_ancestor", "joint_q_start", "joint_qd_start", "articulation_start",
                       "articulation_end", "body_world_start", "shape_world_start", "joint_world_start", "articulation_world_start",
                       "joint_dof_world_start", "joint_coord_world_start", "particle_world_start", "spring_indices", "tri_indices", "edge_indices",
                       "tet_indices", "particle_colors", "attachment_particle_body_body", "attachment_particle_body_particle",
                       "attachment_particle_body_world"})


class Model(Counted):
    """Bodies, joints, shapes, articulations and particles with their initial state; made by `ModelBuilder.finalize`.

    Arrays are views of memory that C++ owns. Writing into them is allowed: announce it to solvers with
    `notify_model_changed`. Topology is read-only.
    """

    AttributeAssignment = AttributeAssignment
    AttributeFrequency = AttributeFrequency
    AttributeNamespace = AttributeNamespace
    AttributeSpec = AttributeSpec

    _names = frozenset(_core.Model.array_names())
    _boolean = frozenset({"joint_enabled", "shape_is_solid", "attachment_particle_body_enabled"})
    _read_only = _TOPOLOGY

    soft_contact_ke: float
    soft_contact_kd: float
    soft_contact_kf: float
    soft_contact_mu: float
    soft_contact_restitution: float
    particle_ke: float
    particle_kd: float
    particle_kf: float
    particle_mu: float
    particle_cohesion: float
    particle_adhesion: float
    particle_max_velocity: float

    _empty: Callable[[Any], "Model"]  #: the builder makes it

    def __init__(self, device: Any = None):
        """A model of nothing. Others are made by `ModelBuilder.finalize`."""
        self.__dict__.update(Model._empty(device).__dict__)

    @classmethod
    def _from_builder(cls, core: Any, builder: Any, found: Diagnostics, requires_grad: bool) -> "Model":
        self = cls.__new__(cls)
        put = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731
        put("_core", core)
        put("diagnostics", found)
        put("_requires_grad", requires_grad)
        put("_device", "cpu")
        put("_state_attributes", set(builder._state_attributes))
        put("_contact_attributes", set(builder._contact_attributes))
        put("_builder", copy.deepcopy(builder))
        put("_pipeline", None)
        put("_capacities", {"rigid_contact_max": None, "soft_contact_max": None})
        put("_seen_mu", np.array(core.array("shape_material_mu")))
        put("_published", {"rigid_contact_max": None, "soft_contact_max": None})  # of the last pipeline, or what was set since
        put("_contacts", None)
        put("ledger", [row for result in builder.usd_results if result._record is not None for row in result.ledger])
        put("actuators", [])
        for name in ("body_label", "joint_label", "shape_label", "articulation_label"):
            put(name, list(getattr(core, name)))
        put("shape_source", builder._sources_of(core, len(core.shape_label)))
        put("body_shapes", {-1: list(core.static_shapes), **{i: list(s) for i, s in enumerate(core.body_shapes)}})
        for name in ("ke", "kd", "kf", "mu", "cohesion", "adhesion", "max_velocity"):
            setattr(self, f"particle_{name}", getattr(builder, f"particle_{name}"))
        for volumes, kind in ((False, "surface"), (True, "volume")):
            objects = _core.model_soft_objects(core, volumes)
            put(f"{kind}_label", [label for label, _, _ in objects])
            put(f"{kind}_world", np.array([world for _, world, _ in objects], np.int32).view(Array))
            for k, part in enumerate(("particle", "tri", "edge", "tet")):
                if (part == "tet") == volumes or part == "particle":
                    put(f"{kind}_{part}_start", np.array([ends[2 * k] for _, _, ends in objects], np.int32).view(Array))
                    put(f"{kind}_{part}_end", np.array([ends[2 * k + 1] for _, _, ends in objects], np.int32).view(Array))
        for name, values in builder._muscle_arrays().items():
            put(name, values.view(Array))
        curves = _core.model_curves(core)
        put("curve_label", [label for label, _, _ in curves])
        put("curve_world", np.array([world for _, world, _ in curves], np.int32).view(Array))
        for k, name in enumerate(("body_start", "body_end", "joint_start", "joint_end")):
            put(f"curve_{name}", np.array([ranges[k] for _, _, ranges in curves], np.int32).view(Array))
        put("particle_color_groups", [np.array(group, np.int32).view(Array) for group in _core.model_color_groups(core)])
        groups = builder.body_color_groups
        if groups and sum(map(len, groups)) != builder.body_count:
            groups = builder._body_groups()  # bodies came after `color`
        put("body_color_groups", [np.array(group, np.int32).view(Array) for group in groups])
        colors = np.zeros(builder.body_count, np.int32)
        for color, group in enumerate(groups):
            colors[group] = color
        put("body_colors", colors.view(Array) if groups else None)
        for name, kind in (("joint0", np.int32), ("joint1", np.int32), ("coef0", REAL), ("coef1", REAL), ("enabled", bool), ("world", np.int32)):
            put(f"constraint_mimic_{name}", np.array(getattr(builder, f"constraint_mimic_{name}"), dtype=kind).view(Array))
        put("constraint_mimic_label", list(builder.constraint_mimic_label))
        self._declare_custom(builder)
        return self

    # -- custom attributes
    def _declare_custom(self, builder: Any) -> None:
        object.__setattr__(self, "attribute_specs", {})
        object.__setattr__(self, "custom_frequency_counts", {key: builder._custom_count(key) for key in builder.custom_frequencies})
        object.__setattr__(self, "_frequencies", dict(builder.custom_frequencies))
        object.__setattr__(self, "_custom_defaults", {})
        object.__setattr__(self, "_of_contacts", {})
        arrays = {}
        for key, attribute in builder.custom_attributes.items():
            count = self._count_of(attribute.frequency)
            of_contacts = attribute.assignment == AttributeAssignment.CONTACT
            if attribute.is_custom_frequency and not count and not of_contacts:
                continue
            array = attribute.build_array(count)
            self.attribute_specs[key] = AttributeSpec(attribute.frequency, attribute.assignment, attribute.references, default=attribute.default)
            if of_contacts:
                self._of_contacts[key] = attribute
            elif attribute.assignment == AttributeAssignment.MODEL:
                arrays[key] = array
            else:
                self._custom_defaults[key] = array
        self._attach_all(arrays)
        for key, count in self.custom_frequency_counts.items():
            space, _, name = key.rpartition(":")
            if isinstance(self.__dict__.get(space), AttributeNamespace):
                setattr(self.__dict__[space], f"{name}_count", count)

    def _contact_arrays(self, rigid: int, soft: int) -> dict[str, Any]:
        """Fresh arrays of the attributes that contacts hold, for so many rows of both kinds."""
        return {key: a.build_array(soft if a.frequency == AttributeFrequency.CONTACT_SOFT else rigid) for key, a in self._of_contacts.items()}

    def _count_of(self, frequency: Any) -> int:
        f = AttributeFrequency
        if isinstance(frequency, str):
            return self.custom_frequency_counts.get(frequency, 0)
        counts = {f.ONCE: 1, f.WORLD: max(self.world_count, 1), f.BODY: self.body_count, f.SHAPE: self.shape_count, f.JOINT: self.joint_count,
                  f.JOINT_DOF: self.joint_dof_count, f.JOINT_COORD: self.joint_coord_count, f.JOINT_CONSTRAINT: self.joint_constraint_count,
                  f.ARTICULATION: self.articulation_count, f.PARTICLE: self.particle_count, f.SPRING: self.spring_count, f.TRIANGLE: self.tri_count, f.EDGE: self.edge_count,
                  f.TETRAHEDRON: self.tet_count, f.ATTACHMENT_PARTICLE_BODY: self.attachment_particle_body_count, f.CONSTRAINT_MIMIC: self.constraint_mimic_count}
        return counts.get(frequency, 0)

    @property
    def attribute_frequency(self) -> dict[str, Any]:
        return {**_FREQUENCIES, **{key: spec.frequency for key, spec in self.attribute_specs.items()}}

    @property
    def attribute_assignment(self) -> dict[str, AttributeAssignment]:
        return {key: spec.assignment for key, spec in self.attribute_specs.items()}

    def add_attribute(self, name: str, attrib: Any, frequency: Any, assignment: AttributeAssignment | None = None, namespace: str | None = None,
                      references: Any = None) -> None:
        """Adds an array of the user's own."""
        key = f"{namespace}:{name}" if namespace else name
        if key in self.attribute_specs or (namespace is None and name in type(self)._names):
            raise AttributeError(f"attribute {key!r} already exists")
        assignment = AttributeAssignment.MODEL if assignment is None else AttributeAssignment(assignment)
        self.attribute_specs[key] = AttributeSpec(frequency, assignment, references)
        if assignment == AttributeAssignment.MODEL:
            self._attach(key, attrib)
        else:
            self._custom_defaults[key] = attrib

    def get_attribute_frequency(self, name: str) -> Any:
        found = self.attribute_frequency.get(name)
        if found is None:
            raise error(KeyError, "PYTHON_CUSTOM_UNKNOWN", f"the frequency of attribute {name!r} is not known")
        return found

    @property
    def custom_frequency_articulation(self) -> dict[str, Any]:
        """Articulation of each row of the custom frequencies that say so; -1 for rows of none."""
        owners = {key: self._at(f.articulation_owner_attribute) for key, f in self._frequencies.items() if f.articulation_owner_attribute}
        return {key: rows for key, rows in owners.items() if rows is not None}

    def _frequency_labels(self, key: str) -> Any:
        """The rows' labels, where the frequency has them."""
        attribute = self._frequencies[key].label_attribute
        return None if attribute is None else self._at(attribute)

    def get_custom_frequency_count(self, frequency: str) -> int:
        if frequency not in self.custom_frequency_counts:
            raise error(KeyError, "PYTHON_CUSTOM_UNKNOWN", f"custom frequency {frequency!r} is not known")
        return self.custom_frequency_counts[frequency]

    def request_state_attributes(self, *attributes: str) -> None:
        State.validate_extended_attributes(attributes)
        old_request("request_state_attributes")
        self._state_attributes.update(attributes)

    def request_contact_attributes(self, *attributes: str) -> None:
        Contacts.validate_extended_attributes(attributes)
        old_request("request_contact_attributes")
        self._contact_attributes.update(attributes)

    def get_requested_state_attributes(self) -> list[str]:
        return sorted(self._state_attributes)

    def get_requested_contact_attributes(self) -> set[str]:
        return set(self._contact_attributes)

    # -- counts and what follows from arrays

    @property
    def joint_count(self) -> int:
        return len(self.joint_label)

    @property
    def shape_count(self) -> int:
        return len(self.shape_label)

    @property
    def articulation_count(self) -> int:
        return len(self.articulation_label)

    @property
    def heightfield_count(self) -> int:
        return int(np.count_nonzero(self._np("shape_type") == GeoType.HFIELD))

    @property
    def muscle_count(self) -> int:
        return len(self.muscle_activations)

    @property
    def spring_count(self) -> int:
        return len(self._np("spring_stiffness"))

    @property
    def tri_count(self) -> int:
        return len(self._np("tri_areas"))

    @property
    def edge_count(self) -> int:
        return len(self._np("edge_rest_angle"))

    @property
    def tet_count(self) -> int:
        return len(self._np("tet_activations"))

    @property
    def attachment_particle_body_count(self) -> int:
        return len(self._np("attachment_particle_body_body"))

    @property
    def soft_mesh_adjacency(self) -> MeshAdjacency:
        """Edges and triangles of cloth and surfaces, and what lies around each particle; made when it is first asked for."""
        def make() -> MeshAdjacency:
            return MeshAdjacency(*(self._np(name) for name in ("tri_indices", "edge_indices", "spring_indices", "tet_indices"))).init_vertex_adjacency(self.particle_count)
        return self._derived("_soft_mesh_adjacency", make)

    @property
    def curve_count(self) -> int:
        return len(self.curve_label)

    @property
    def surface_count(self) -> int:
        return len(self.surface_label)

    @property
    def volume_count(self) -> int:
        return len(self.volume_label)

    @property
    def particle_max_radius(self) -> float:
        """[m]"""
        return float(np.max(self._np("particle_radius"), initial=0.0))

    @property
    def max_joints_per_articulation(self) -> int:
        return self._core.max_joints_per_articulation

    @property
    def max_dofs_per_articulation(self) -> int:
        return self._core.max_dofs_per_articulation

    @property
    def world_count(self) -> int:
        """How many there are; under compat "newton-1.8" a model without worlds counts as one."""
        return self._core.world_count or int(config.compat == "newton-1.8")

    @property
    def up_axis(self) -> Axis:
        return Axis(self._core.up_axis)

    @property
    def device(self) -> Any:
        """Where states of the model live and are stepped: "cpu", "cuda:N", or "host". The model's own arrays are on the cpu. Warp's object of the cpu where arrays are
        handed out as Warp's."""
        return device_now() if self._device == "cpu" else self._device

    def to(self, device: Any = None) -> "Model":
        """The model for another device, with the same arrays: what is written to one of the two is written to both. The model itself if it is there already.

        @raises NotImplementedError  DEV_UNAVAILABLE, DEV_KERNELS, DEV_DRIVER: the message says what is missing
        @raises ValueError  DEV_NAME
        """
        name = self._device if device is None else device_name(device)
        if name == self._device:
            return self
        other = copy.copy(self.__dict__)
        model = type(self).__new__(type(self))
        model.__dict__.update(other)
        for own, value in (("_device", name), ("_pipeline", None), ("_contacts", None), ("_capacities", dict(self._capacities))):
            object.__setattr__(model, own, value)
        return model

    @property
    def requires_grad(self) -> bool:
        return self._requires_grad

    def _derived(self, name: str, make: Any) -> Any:
        if name not in self.__dict__:
            object.__setattr__(self, name, make())
        return self.__dict__[name]

    @property
    def joint_target_q_start(self) -> Array:
        """Targets lie in the layout of coordinates."""
        return self.joint_q_start

    def _constraint_counts(self) -> np.ndarray:
        free = np.asarray(self._np("joint_dof_dim")).sum(axis=1) if self.joint_count else np.zeros(0, int)
        return np.where(np.asarray(self._np("joint_type")) == 5, 1, 6 - free)

    @property
    def joint_constraint_count(self) -> int:
        """Directions in which joints hold their bodies together, all joints."""
        return int(self._constraint_counts().sum())

    @property
    def joint_constraint_world_start(self) -> Array:
        def make() -> Array:
            sums = np.concatenate([[0], np.cumsum(self._constraint_counts())]).astype(np.int32)
            out = sums[np.asarray(self._np("joint_world_start"))].view(Array)
            out.flags.writeable = False
            return out
        return self._derived("_joint_constraint_world_start", make)

    @property
    def shape_heightfield_index(self) -> Array:
        """Which height field a shape is, -1: none."""
        def make() -> Array:
            fields = np.asarray(self._np("shape_type")) == GeoType.HFIELD
            return np.where(fields, np.cumsum(fields) - 1, -1).astype(np.int32).view(Array)
        return self._derived("_shape_heightfield_index", make)

    @property
    def constraint_mimic_count(self) -> int:
        return len(self.constraint_mimic_joint0)

    # -- filters
    @property
    def shape_collision_filter_pairs(self) -> frozenset[tuple[int, int]]:
        """Pairs of shapes that never collide, smaller first."""
        return self._derived("_filter_pairs", lambda: frozenset(self._core.shape_collision_filter_pairs))

    def shape_collision_filter_contains(self, shape_a: int, shape_b: int) -> bool:
        shape_a, shape_b = operator.index(shape_a), operator.index(shape_b)
        return (min(shape_a, shape_b), max(shape_a, shape_b)) in self.shape_collision_filter_pairs

    def shape_collision_filter_pairs_array(self) -> np.ndarray:
        """The pairs in order, [pairs, 2]; read-only."""
        def make() -> np.ndarray:
            out = np.array(sorted(self.shape_collision_filter_pairs), dtype=np.int32).reshape(-1, 2)
            out.flags.writeable = False
            return out
        return self._derived("_filter_pairs_array", make)

    def shape_collision_filter_mask(self, pairs: Any) -> np.ndarray:
        """For each row of pairs whether it is filtered."""
        if np.asarray(pairs).dtype.kind not in "iu" and np.size(pairs):
            raise TypeError(f"pairs: dtype {np.asarray(pairs).dtype}, expected integers")
        return np.array([self.shape_collision_filter_contains(int(a), int(b)) for a, b in np.asarray(pairs).reshape(-1, 2)], dtype=bool)

    def _may_collide(self, a: int, b: int) -> bool:
        ga, gb = int(self._np("shape_collision_group")[a]), int(self._np("shape_collision_group")[b])
        wa, wb = int(self._np("shape_world")[a]), int(self._np("shape_world")[b])
        if ga == 0 or gb == 0 or (wa != wb and wa != -1 and wb != -1):
            return False
        # Positive groups meet their own, negative ones everything but their own.
        return (ga == gb if ga > 0 and gb > 0 else ga != gb) and self._np("shape_body")[a] != self._np("shape_body")[b]

    @property
    def shape_contact_pairs(self) -> Any:
        """Pairs that the explicit broad phase looks at, [pairs, 2]."""
        def make() -> Array:
            colliding = [i for i in range(self.shape_count) if int(self._np("shape_flags")[i]) & 2]
            pairs = [(a, b) for k, a in enumerate(colliding) for b in colliding[k + 1:]
                     if self._may_collide(a, b) and not self.shape_collision_filter_contains(a, b)]
            out = np.array(pairs, dtype=np.int32).reshape(-1, 2).view(Array)
            out.flags.writeable = False
            return out
        return self._derived("_contact_pairs", make)

    @shape_contact_pairs.setter
    def shape_contact_pairs(self, pairs: Any) -> None:
        self.__dict__["_contact_pairs"] = pairs

    @property
    def shape_contact_pair_count(self) -> int:
        return len(self.shape_contact_pairs)

    # -- files
    def save(self, file: Any) -> None:
        """Writes the model to a file, for `load`.

        @raises ValueError  FILES_INPUT  the model was made of this file: a stage, a robot, a mesh
        """
        inputs = inputs_of(self)
        check(file, inputs)
        write(file, sealed(pickle.dumps(self)), inputs)

    @staticmethod
    def load(file: Any, trusted: bool = False) -> "Model":
        """A model that `save` wrote. The file is Python's own format; what it may make is
        limited to numbers, arrays and the data of this package.

        @param trusted  lift that limit: for files with objects of your own, which may run any program
        @raises TypeError   the file holds something else
        @raises ValueError  it is no such file
        """
        return loaded(file, Model, trusted)

    # -- states
    def state(self, requires_grad: bool | None = None) -> State:
        """A state with the model's initial values, on the model's device."""
        state = self._host_state()
        return state if self._device == "cpu" else DeviceState._on(self._device, state, self)

    def _host_state(self) -> State:
        state = State._of(_core.State(self._core), self)
        state._attach_all(self._copies(AttributeAssignment.STATE))
        return state

    def control(self, requires_grad: bool | None = None, clone_variables: bool = True) -> Control:
        """A control with the model's targets, forces and activations, on the model's device."""
        control = self._host_control(clone_variables)
        return control if self._device == "cpu" else DeviceControl._on(self._device, control, self)

    def _host_control(self, clone_variables: bool = True) -> Control:
        control = Control._of(_core.Control(self._core), self)
        control._attach_all(self._copies(AttributeAssignment.CONTROL))
        if self.muscle_count:
            object.__setattr__(control, "muscle_activations", self.muscle_activations.copy() if clone_variables else self.muscle_activations)
        return control

    def _copies(self, assignment: AttributeAssignment) -> dict[str, Any]:
        return {key: copy.copy(self._custom_defaults[key]) for key, spec in self.attribute_specs.items() if spec.assignment == assignment}

    def set_gravity(self, gravity: Any, world: int | None = None) -> None:
        """Gravity of one world (-1: of what belongs to none), or of all [m/s^2]; a row for each world is taken too, and one more for what belongs to none."""
        rows = np.asarray(gravity.numpy() if hasattr(gravity, "numpy") else gravity, dtype=float)
        if world is not None:
            if not -1 <= world < self.world_count:
                raise error(IndexError, "MODEL_WORLD", f"world: there is no world {world}")
            self._np("gravity")[min(world, self._core.world_count - 1)] = as_vec3("gravity", gravity)
        elif rows.ndim == 2:
            count = self.world_count
            if rows.shape not in ((count, 3), (len(self._np("gravity")), 3)):
                raise kind_of(ValueError)(f"gravity: shape {rows.shape}, expected ({count}, 3)", "PYTHON_ARG_GRAVITY")
            self._np("gravity")[:len(rows)] = rows
        else:
            self._np("gravity")[...] = as_vec3("gravity", gravity)

    # -- contacts
    def contacts(self, collision_pipeline: Any = None) -> Any:
        """Contacts that fit the pipeline, or the model's own."""
        return (collision_pipeline or self._default_pipeline()).contacts()

    def _default_pipeline(self) -> Any:
        if self._pipeline is None:
            object.__setattr__(self, "_pipeline", CollisionPipeline(self))
        return self._pipeline

    def collide(self, state: State, contacts: Any = None, *, collision_pipeline: Any = None, enable_rigid_soft_full_surface_contact: bool = False) -> Any:
        """Finds the contacts of a state. Without `contacts` the model keeps one and returns it."""
        pipeline = collision_pipeline or (getattr(contacts, "_pipeline", None) or self._default_pipeline())
        if contacts is None:
            if self._contacts is None or self._contacts._pipeline is not pipeline:
                object.__setattr__(self, "_contacts", pipeline.contacts())
            contacts = self._contacts
        pipeline.collide(state, contacts)
        return contacts

    def _follow_friction(self) -> None:
        """Who writes `shape_material_mu` means friction at rest too, unless a shape has a static coefficient of its own (Newton has one coefficient)."""
        mu = self._np("shape_material_mu")
        if "_seen_mu" not in self.__dict__:
            object.__setattr__(self, "_seen_mu", mu.copy())
        if np.array_equal(mu, self._seen_mu):
            return
        static = self._np("shape_material_mu_static")
        follows = (mu != self._seen_mu) & (static == self._seen_mu)
        static[follows] = mu[follows]
        object.__setattr__(self, "_seen_mu", mu.copy())

    def _say_capacity(self, kind: str, value: Any) -> None:
        if value is not None and int(value) < 0:
            raise kind_of(ValueError)(f"{kind} is {value}: Contact capacities must be nonnegative or None.", "PYTHON_ARG_CAPACITY")
        self._capacities.update({kind: None if value is None else int(value)})
        self._published.update({kind: None if value is None else int(value)})
        object.__setattr__(self, "_pipeline", None)

    @property
    def rigid_contact_max(self) -> int | None:
        """Rows for contacts between rigid shapes that a pipeline has which is not told; may be set before one is made. Under compat newton-1.8
        those of the last pipeline, None before there is one."""
        return self._published["rigid_contact_max"] if config.compat == "newton-1.8" else self._default_pipeline().rigid_contact_max

    @rigid_contact_max.setter
    def rigid_contact_max(self, value: int | None) -> None:
        self._say_capacity("rigid_contact_max", value)

    @property
    def soft_contact_max(self) -> int | None:
        """Rows for contacts between particles and shapes, as `rigid_contact_max`."""
        return self._published["soft_contact_max"] if config.compat == "newton-1.8" else self._default_pipeline().soft_contact_max

    @soft_contact_max.setter
    def soft_contact_max(self, value: int | None) -> None:
        self._say_capacity("soft_contact_max", value)

    @property
    def contact_max(self) -> int | None:
        """Rows of both kinds."""
        rigid, soft = self.rigid_contact_max, self.soft_contact_max
        return None if rigid is None or soft is None else rigid + soft

    # -- views and diagnostics

    @property
    def bodies(self) -> Views:
        return Views(self, BodyView, self.body_label)

    @property
    def joints(self) -> Views:
        return Views(self, JointView, self.joint_label)

    @property
    def shapes(self) -> Views:
        return Views(self, ShapeView, self.shape_label)

    @property
    def articulations(self) -> Views:
        return Views(self, ArticulationView, self.articulation_label)

    @property
    def worlds(self) -> Views:
        return Views(self, WorldView, [f"world_{i}" for i in range(self._core.world_count)])

    def constraint_residual(self, state: State | None = None) -> np.ndarray:
        """How far bodies are from what their joints allow: distance [m] and angle [rad] of each joint, [joints, 2]."""
        from .residual import constraint_residual

        return constraint_residual(self, self.state() if state is None else state)

    def tree(self) -> str:
        """The trees of bodies as indented text, one line a body with its joint."""
        below: dict[int, list[int]] = {}
        children = set()
        for j in range(self.joint_count):
            below.setdefault(int(self._np("joint_parent")[j]), []).append(j)
            children.add(int(self._np("joint_child")[j]))
        lines: list[str] = []

        def walk(joint: int, depth: int, seen: frozenset) -> None:
            body = int(self._np("joint_child")[joint])
            lines.append("  " * depth + f"{self.body_label[body]}  [{self.joint_label[joint]}: {JointType(int(self._np('joint_type')[joint])).name}]")
            if body not in seen:
                for j in below.get(body, ()):
                    walk(j, depth + 1, seen | {body})

        for j in below.get(-1, ()):
            walk(j, 0, frozenset())
        lines += [f"{self.body_label[b]}  [no joint]" for b in range(self.body_count) if b not in children]
        return "\n".join(lines)

    def to_dot(self) -> str:
        """The graph of bodies and joints for Graphviz."""
        lines = ['digraph model {', '  node [shape=box];', '  "world";']
        for j in range(self.joint_count):
            parent = int(self._np("joint_parent")[j])
            lines.append(f'  "{"world" if parent < 0 else self.body_label[parent]}" -> "{self.body_label[int(self._np("joint_child")[j])]}" [label="{self.joint_label[j]}"];')
        return "\n".join([*lines, "}"])

    def total_energy(self, state: State) -> float:
        """Kinetic, rotors', gravitational and springs' energy [J]."""
        return _core.energy(self._core, state._core)["total"]

    def momentum(self, state: State) -> tuple[Any, Any]:
        """Linear [kg m/s] and angular momentum about the origin [kg m^2/s]."""
        linear, angular = _core.momentum(self._core, state._core)
        return vec3(*linear), vec3(*angular)

    def mass_table(self) -> list[dict[str, Any]]:
        """Label, mass [kg], centre of mass [m] and principal inertia [kg m^2] of each body."""
        return [{"label": self.body_label[i], "mass": float(self._np("body_mass")[i]), "com": tuple(map(float, self._np("body_com")[i])),
                 "inertia": tuple(np.linalg.eigvalsh(np.asarray(self._np("body_inertia")[i], float)).tolist())} for i in range(self.body_count)]

    def __repr__(self) -> str:
        return (f"<Model {self.world_count} worlds, {self.body_count} bodies, {self.joint_count} joints ({self.joint_dof_count} dof), "
                f"{self.shape_count} shapes>")


def _frequencies() -> dict[str, AttributeFrequency]:
    """Of the model's own arrays, by their names."""
    f = AttributeFrequency
    out = {}
    coords = {"joint_q", "joint_target_q", "joint_rest_q"}
    dofs = {"joint_qd", "joint_target_qd", "joint_f", "joint_act", "joint_axis", "joint_armature", "joint_friction", "joint_damping", "joint_stiffness",
            "joint_target_ke", "joint_target_kd", "joint_target_mode", "joint_limit_lower", "joint_limit_upper", "joint_limit_ke", "joint_limit_kd",
            "joint_effort_limit", "joint_velocity_limit"}
    for name in _core.Model.array_names():
        if name.endswith("_start") or name == "articulation_end":
            continue
        kind = f.JOINT_COORD if name in coords else f.JOINT_DOF if name in dofs else \
            {"body": f.BODY, "joint": f.JOINT, "shape": f.SHAPE, "articulation": f.ARTICULATION, "particle": f.PARTICLE, "gravity": f.WORLD,
             "spring": f.SPRING, "tri": f.TRIANGLE, "edge": f.EDGE, "tet": f.TETRAHEDRON, "attachment": f.ATTACHMENT_PARTICLE_BODY}.get(name.split("_")[0])
        if kind is not None:
            out[name] = kind
    out.update(particle_f=f.PARTICLE, body_f=f.BODY, body_qdd=f.BODY, body_parent_f=f.BODY, body_label=f.BODY, joint_label=f.JOINT, shape_label=f.SHAPE)
    return out


_FREQUENCIES = _frequencies()


def _scalar(name: str) -> property:
    """A number that the extension holds for all particles."""
    return property(lambda self: _core.model_scalar(self._core, name), lambda self, value: _core.set_model_scalar(self._core, name, float(value)),
                    doc=f"{name}, of all particles.")


for _name in _core.model_scalar_names():
    setattr(Model, _name, _scalar(_name))
reserve(Model, "Model")


name_arguments(globals())
