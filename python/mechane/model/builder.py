"""ModelBuilder: the staging object that stages are imported into and entities are added to."""
from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np

from .. import _core, config
from ..core.arguments import name_arguments, whole
from ..core.device_array import device_name
from ..core.diagnostics import Diagnostic, Diagnostics, MechaneDeprecationWarning, error, kind_of, publish, warn
from ..core.enums import Axis, AxisType, ShapeFlags
from ..core.files import check, inputs_of, write
from ..core.values import as_transform, as_vec3, mat33, transform, vec3
from ..geometry.heightfield import Heightfield
from ..geometry.mesh import Mesh
from ..newton.names import BuilderNames
from ..newton.reserved import reserve
from .actuator_verbs import ActuatorVerbs
from .configs import JointDofConfig, MeshApproximationConfig, ShapeConfig
from .contacts import Contacts
from .custom import AttributeFrequency, CustomAttribute, CustomFrequency, CustomVerbs
from .custom_merge import CustomMerge
from .import_verbs import ImportVerbs
from .joint_verbs import JointVerbs
from .layout import world_grid
from .lists import COLUMNS, ColumnList
from .model import Model
from .muscle_verbs import MuscleVerbs
from .particle_verbs import ParticleVerbs
from .robot_verbs import RobotVerbs
from .rod_verbs import RodVerbs
from .saved import loaded, sealed
from .shape_verbs import ShapeVerbs
from .soft_verbs import SoftVerbs
from .observables import old_request
from .state import State

__all__ = ["ModelBuilder"]


def _column(name: str) -> property:
    def get(self: "ModelBuilder") -> ColumnList:
        return ColumnList(self, name)

    def put(self: "ModelBuilder", values: Any) -> None:
        ColumnList(self, name)[:] = list(values)

    return property(get, put, doc=f"List of the builder's {name}.")


_MATERIALS = tuple(f"shape_material_{name}" for name in ("ke", "kd", "kf", "ka", "mu", "restitution", "mu_torsional", "mu_rolling", "kh"))
_MIMIC_COLUMNS = tuple(f"constraint_mimic_{name}" for name in ("joint0", "joint1", "coef0", "coef1", "enabled", "label", "world"))


class BvhConfig:
    """Kept for Newton's programs; there is one kind of tree."""

    def __init__(self, **_: Any):
        pass


class ModelBuilder(JointVerbs, ShapeVerbs, ParticleVerbs, SoftVerbs, CustomVerbs, CustomMerge, ImportVerbs, RobotVerbs, ActuatorVerbs, RodVerbs, MuscleVerbs, BuilderNames):
    """Collects bodies, joints, shapes and particles; `finalize` freezes them into a Model.

    `up_axis` is an axis, its name or number; `gravity` a vector [m/s^2], or None for 9.81 against the up axis.
    """

    ShapeConfig = ShapeConfig
    JointDofConfig = JointDofConfig
    MeshApproximationConfig = MeshApproximationConfig
    CustomAttribute = CustomAttribute
    CustomFrequency = CustomFrequency
    BvhConfig = BvhConfig

    def __init__(self, up_axis: AxisType = Axis.Z, gravity: Any = None, sdf_texture_paired_samples: bool = True):
        self._core = _core.Builder()
        self._core.up_axis = int(Axis.from_any(up_axis))
        self._sources: dict[int, Any] = {}
        self._looks: dict[int, Any] = {}  # shape -> MeshOrigin
        self._inputs: list[str] = []  # files that it was made of
        self._custom_counts: dict[str, int] = {}
        self._owners_known: dict[str, int] = {}
        self._joint_between: dict[tuple[int, int], Any] = {}
        self._filters: list[tuple[int, int]] = []
        self._filters_seen = 0
        self._appended: dict[str, list[Any]] = {}
        for name in _MIMIC_COLUMNS:
            setattr(self, name, [])
        self._state_attributes: set[str] = set()
        self._contact_attributes: set[str] = set()
        self._allow_orphans = False
        self.custom_attributes = {}
        self.custom_frequencies = {}
        self.actuator_entries = {}
        self._without_muscles()
        self.default_shape_cfg = ShapeConfig()
        self.default_joint_cfg = JointDofConfig()
        self.default_mesh_approximation_cfg = MeshApproximationConfig()
        self.default_bvh_cfg = BvhConfig()
        self.default_particle_radius = 0.1
        self._soft_defaults()
        self.sdf_texture_paired_samples = sdf_texture_paired_samples
        self.bound_mass: float | None = None
        self.bound_inertia: float | None = None
        self.balance_inertia = True
        self.validate_inertia_detailed = False
        #: Floor of the principal moments, of the greatest one and in kg m^2, and how much further a repair goes [kg m^2].
        self.inertia_relative_tolerance = 1e-6
        self.inertia_absolute_tolerance = 1e-10
        self.inertia_correction = 1e-6
        self.num_rigid_contacts_per_world: int | None = None
        self.usd_results: list[Any] = []
        self.diagnostics = Diagnostics()
        self._gravity_given = gravity is not None
        self._core.gravity = -9.81 * self.up_vector if gravity is None else self._gravity_vector(gravity)

    # -- scene
    @property
    def up_axis(self) -> Axis:
        return Axis(self._core.up_axis)

    @up_axis.setter
    def up_axis(self, value: AxisType) -> None:
        """Gravity follows it as long as nobody set it."""
        self._core.up_axis = int(Axis.from_any(value))
        if not self._gravity_given:
            self._core.gravity = -9.81 * self.up_vector

    @property
    def up_vector(self) -> vec3:
        return self.up_axis.to_vec3()

    @property
    def gravity(self) -> vec3:
        """[m/s^2]"""
        return vec3(*self._core.gravity)

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._gravity_given = True
        self._core.gravity = self._gravity_vector(value)

    def _gravity_vector(self, value: Any) -> vec3:
        if isinstance(value, (int, float, np.floating, np.integer)):
            warn("a scalar gravity is deprecated; give a vector", MechaneDeprecationWarning)
            return float(value) * self.up_vector
        return as_vec3("gravity", value)

    @property
    def rigid_gap(self) -> float:
        """Gap of shapes that set none [m]."""
        return self._core.rigid_gap

    @rigid_gap.setter
    def rigid_gap(self, value: float) -> None:
        self._core.rigid_gap = float(value)

    @property
    def default_site_cfg(self) -> ShapeConfig:
        cfg = ShapeConfig()
        cfg.mark_as_site()
        return cfg

    # -- counts
    def _counts(self) -> tuple[int, ...]:
        return _core.builder_counts(self._core)

    @property
    def body_count(self) -> int:
        return self._counts()[0]

    @property
    def joint_count(self) -> int:
        return self._counts()[1]

    @property
    def shape_count(self) -> int:
        return self._counts()[2]

    @property
    def articulation_count(self) -> int:
        return self._counts()[3]

    @property
    def joint_dof_count(self) -> int:
        return self._counts()[4]

    @property
    def joint_coord_count(self) -> int:
        return self._counts()[5]

    @property
    def world_count(self) -> int:
        return self._counts()[6]

    @property
    def joint_constraint_count(self) -> int:
        return sum(_constraints(t, d) for t, d in zip(self.joint_type, self.joint_dof_dim))

    @property
    def constraint_mimic_count(self) -> int:
        return len(self.constraint_mimic_joint0)

    @property
    def particle_count(self) -> int:
        return self._counts()[7]

    # -- what follows from other columns
    @property
    def body_inv_mass(self) -> list[float]:
        return [1.0 / m if m > 0 else 0.0 for m in self.body_mass]

    @property
    def body_inv_inertia(self) -> list[mat33]:
        out = []
        for inertia in self.body_inertia:
            m = np.array([float(x) for x in np.asarray(inertia).reshape(-1)]).reshape(3, 3)
            out.append(mat33(*np.linalg.inv(m).reshape(-1)) if abs(np.linalg.det(m)) > 0 else mat33())
        return out

    @property
    def joint_dof_dim(self) -> list[tuple[int, int]]:
        return [self._core.joint_dim(j) for j in range(self.joint_count)]

    @property
    def joint_f(self) -> list[float]:
        return [0.0] * self.joint_dof_count

    joint_act = joint_f

    @property
    def joint_parents(self) -> dict[int, list[int]]:
        """Bodies above each body."""
        out: dict[int, list[int]] = {}
        for parent, child in zip(self.joint_parent, self.joint_child):
            out.setdefault(child, []).append(parent)
        return out

    @property
    def joint_children(self) -> dict[int, list[int]]:
        """Bodies below each body."""
        out: dict[int, list[int]] = {}
        for parent, child in zip(self.joint_parent, self.joint_child):
            out.setdefault(parent, []).append(child)
        return out

    @property
    def body_shapes(self) -> dict[int, list[int]]:
        """Shapes of each body; -1 has those of the world."""
        return {body: self._core.body_shapes(body) for body in range(-1, self.body_count)}

    @property
    def shape_source(self) -> list[Any]:
        """Mesh or Heightfield of each shape that has one."""
        return self._sources_of(self._core, self.shape_count)

    def _sources_of(self, core: Any, count: int) -> list[Any]:
        """Of a core's shapes. A height field is what the caller gave; its triangles are how it collides."""
        out = []
        for shape in range(count):
            own, made = self._sources.get(shape), core.shape_source(shape)
            out.append(own if made is None or isinstance(own, Heightfield) else Mesh._of(made, self._looks.get(shape)))
        return out

    def _sdf_field(self, name: str) -> list[Any]:
        return [self._core.sdf_config(i)[name] for i in range(self.shape_count)]

    @property
    def shape_sdf_narrow_band_range(self) -> list[Any]:
        return self._sdf_field("sdf_narrow_band_range")

    @property
    def shape_sdf_target_voxel_size(self) -> list[Any]:
        return self._sdf_field("sdf_target_voxel_size")

    @property
    def shape_sdf_max_resolution(self) -> list[Any]:
        return self._sdf_field("sdf_max_resolution")

    @property
    def shape_force_sdf(self) -> list[Any]:
        return self._sdf_field("force_sdf")

    @property
    def shape_sdf_texture_format(self) -> list[Any]:
        return self._sdf_field("sdf_texture_format")

    @property
    def shape_sdf_padding(self) -> list[Any]:
        return self._sdf_field("sdf_padding")

    @property
    def shape_collision_radius(self) -> list[float]:
        """Radius of a ball about the origin of each shape that holds it [m]."""
        return [_core.shape_radius(t, tuple(s), self._core.shape_source(i)) for i, (t, s) in enumerate(zip(self.shape_type, self.shape_scale))]

    @property
    def shape_collision_filter_pairs(self) -> list[tuple[int, int]]:
        """Pairs of shapes that never collide; a list that may be edited."""
        pairs = self._core.filter_pairs
        self._filters.extend(pairs[self._filters_seen:])
        self._filters_seen = len(pairs)
        return self._filters

    @shape_collision_filter_pairs.setter
    def shape_collision_filter_pairs(self, pairs: Any) -> None:
        self._filters = pairs if isinstance(pairs, list) else list(pairs)
        self._filters_seen = len(self._core.filter_pairs)
        self._push_filters()

    def _push_filters(self) -> None:
        """Takes over what the user did to the list."""
        pairs = []
        for pair in self.shape_collision_filter_pairs:
            a, b = (int(x) for x in pair)
            if not (0 <= a < self.shape_count and 0 <= b < self.shape_count):
                raise error(ValueError, "MODEL_STRUCTURE", f"shape_collision_filter_pairs contains invalid pair {(a, b)}; there are {self.shape_count} shapes")
            pairs.append((min(a, b), max(a, b)))
        self._core.filter_pairs = pairs
        self._filters_seen = len(pairs)

    # -- worlds
    @property
    def current_world(self) -> int:
        return self._core.current_world

    @property
    def world_gravity(self) -> list[vec3]:
        return [vec3(*g) for g in self._core.world_gravity]

    def begin_world(self, label: str | None = None, attributes: dict[str, Any] | None = None, gravity: Any = None) -> None:
        """Opens a world: what is added until `end_world` belongs to it."""
        if self.current_world != -1:
            raise error(RuntimeError, "MODEL_WORLD_OPEN", f"Cannot begin a new world: already in world context (world {self.current_world} is open); call end_world() first")
        self._core.begin_world(None if gravity is None else self._gravity_vector(gravity))

    def end_world(self) -> None:
        if self.current_world == -1:
            raise error(RuntimeError, "MODEL_WORLD_CLOSED", "Cannot end world: not currently in a world context (no world is open); call begin_world() first")
        self._core.end_world()

    def add_world(self, builder: "ModelBuilder", xform: Any = None, label_prefix: str | None = None) -> None:
        """A copy of another builder as a world of its own."""
        if self.current_world != -1:
            raise error(RuntimeError, "MODEL_WORLD_OPEN", f"already in world context: world {self.current_world} is open; call end_world() before add_world()")
        placed = self._mergeable(builder, xform, label_prefix)  # before the world begins: one that failed would stay, empty
        self.begin_world(gravity=builder.gravity)
        try:
            self.add_builder(builder, xform=placed, label_prefix=label_prefix)
        finally:
            self.end_world()

    def _mergeable(self, builder: Any, xform: Any, label_prefix: Any) -> transform | None:
        """The place of a copy of another builder, which can be added.

        @raises TypeError, ValueError  it is none, this one, or has worlds; its attributes do not fit; no place, or no text before labels
        """
        if not isinstance(builder, ModelBuilder):
            raise kind_of(TypeError)(f"builder: expected ModelBuilder, not {type(builder).__name__}", "PYTHON_ARGUMENT")
        if builder is self:
            raise error(ValueError, "MODEL_STRUCTURE", "builder: it is the one that it would be added to; add copy.deepcopy(builder), or add it to a new ModelBuilder")
        if builder.world_count or builder.current_world != -1:
            raise error(ValueError, "MODEL_STRUCTURE", "builder: it has worlds of its own, and worlds do not nest; add what is in one world")
        if label_prefix is not None and not isinstance(label_prefix, str):
            raise kind_of(TypeError)(f"label_prefix: expected text, not {type(label_prefix).__name__}", "PYTHON_ARGUMENT")
        self._check_merge(builder)
        return None if xform is None else as_transform(xform)

    def add_builder(self, builder: "ModelBuilder", xform: Any = None, label_prefix: str | None = None) -> None:
        """Appends a copy of another builder to the open world, or to the global one. Meshes are shared."""
        placed = self._mergeable(builder, xform, label_prefix)
        builder._resolve_owners()
        self._resolve_owners()
        before = self._offsets()
        shapes = self.shape_count
        builder._push_filters()
        self._core.add_builder(builder._core, placed, label_prefix or "")
        if config.compat == "newton-1.8" and self.current_world == -1 and builder._gravity_given and not self._gravity_given:
            self.gravity = builder.gravity
        self._sources.update({shapes + i: src for i, src in builder._sources.items()})
        self._looks.update({shapes + i: prim for i, prim in builder._looks.items()})
        self._inputs += [file for file in builder._inputs if file not in self._inputs]
        _ = self.shape_collision_filter_pairs
        for name in _MIMIC_COLUMNS:
            shift = before[AttributeFrequency.JOINT] if name.endswith(("joint0", "joint1")) else 0
            getattr(self, name).extend(self.current_world if name.endswith("world") else v + shift if shift else v for v in getattr(builder, name))
        self._merge_custom(builder, before, label_prefix)
        self._merge_muscles(builder, before[AttributeFrequency.BODY])
        self._merge_actuators(builder, before[AttributeFrequency.JOINT_DOF], before[AttributeFrequency.JOINT_COORD])

    def replicate(self, builder: "ModelBuilder", copy_count: int | None = None, spacing: Any = (0.0, 0.0, 0.0), *, separate_worlds: bool = True,
                  xforms: Any = None, label_prefixes: list[str] | None = None, world_count: int | None = None) -> None:
        """Appends copies of another builder, each a world of its own unless `separate_worlds` is false. `spacing` [m] lays them
        out in a grid; `xforms` places each one."""
        given = world_count if copy_count is None else copy_count
        if given is None:
            raise kind_of(TypeError)("replicate: copy_count is missing", "PYTHON_ARGUMENT")
        count = whole("copy_count", given)
        if count < 0:
            raise kind_of(ValueError)(f"copy_count is {count}, expected at least 0", "PYTHON_ARGUMENT")
        if separate_worlds and self.current_world != -1:
            raise error(RuntimeError, "MODEL_WORLD_OPEN", f"already in world context: world {self.current_world} is open; call end_world() before replicate()")
        for name, values in (("xforms", xforms), ("label_prefixes", label_prefixes)):
            if values is not None and len(values) != count:
                raise kind_of(ValueError)(f"{name} must contain {count} entries, got {len(values)}", "PYTHON_ARGUMENT")
        apart = as_vec3("spacing", spacing)
        if not np.isfinite(apart).all():
            raise kind_of(ValueError)(f"spacing: {apart} has a number that is not finite", "PYTHON_ARGUMENT")
        places = [transform(*at, 0, 0, 0, 1) for at in world_grid(count, apart, self.up_axis)]
        # All is looked at before the first copy is made, so that nothing of a call that fails stays.
        self._mergeable(builder, None, None)
        for k, prefix in enumerate(label_prefixes or ()):
            if prefix is not None and not isinstance(prefix, str):
                raise kind_of(TypeError)(f"label_prefixes[{k}]: expected text, not {type(prefix).__name__}", "PYTHON_ARGUMENT")
        if xforms is not None:
            places = [place * as_transform(own, f"xforms[{k}]") for k, (place, own) in enumerate(zip(places, xforms))]
        for k, placed in enumerate(places):
            prefix = None if label_prefixes is None else label_prefixes[k]
            (self.add_world if separate_worlds else self.add_builder)(builder, xform=None if placed == transform() else placed, label_prefix=prefix)

    # -- worlds and records
    def _world_start(self, worlds: Any) -> list[int]:
        """Where each world's entities begin, then the end of the last, then the end of all."""
        of = list(worlds)
        starts = [of.index(w) if w in of else None for w in range(self.world_count)]
        end = max((i + 1 for i, w in enumerate(of) if w >= 0), default=0)
        out = []
        for start in [*starts[::-1]]:
            end_or = start if start is not None else (out[-1] if out else end)
            out.append(end_or)
        return [*out[::-1], end, len(of)]

    @property
    def joint_q_start(self) -> ColumnList:
        return ColumnList(self, "joint_q_start")

    @property
    def joint_qd_start(self) -> ColumnList:
        return ColumnList(self, "joint_qd_start")

    @property
    def articulation_start(self) -> ColumnList:
        return ColumnList(self, "articulation_start")

    @property
    def articulation_end(self) -> ColumnList:
        return ColumnList(self, "articulation_end")

    @property
    def body_world_start(self) -> list[int]:
        return self._world_start(self.body_world)

    @property
    def joint_world_start(self) -> list[int]:
        return self._world_start(self.joint_world)

    @property
    def shape_world_start(self) -> list[int]:
        return self._world_start(self.shape_world)

    @property
    def articulation_world_start(self) -> list[int]:
        return self._world_start(self.articulation_world)

    @property
    def particle_world_start(self) -> list[int]:
        return self._world_start(self.particle_world)

    @property
    def ledger(self) -> list[dict[str, Any]]:
        """Every authored physics property of the last import, and what became of it."""
        return self.usd_results[-1].ledger if self.usd_results else []

    def save(self, file: Any) -> None:
        """Writes the builder to a file, for `load`.

        @raises ValueError  FILES_INPUT  the builder was made of this file: a stage, a robot, a mesh
        """
        inputs = inputs_of(self)
        check(file, inputs)
        write(file, sealed(pickle.dumps(self)), inputs)

    @staticmethod
    def load(file: Any, trusted: bool = False) -> "ModelBuilder":
        """A builder that `save` wrote. The file is Python's own format; what it may make is
        limited to numbers, arrays and the data of this package.

        @param trusted  lift that limit: for files with objects of your own, which may run any program
        @raises TypeError   the file holds something else
        @raises ValueError  it is no such file
        """
        return loaded(file, ModelBuilder, trusted)

    # -- the rest
    def _label(self, label: str | None, kind: str, number: int) -> str:
        if label is None:
            return f"{kind}_{number}"
        text = str(label)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError as wrong:
                raise kind_of(ValueError)(f"label: {text!r} is no text: {wrong.reason}", "PYTHON_ARGUMENT") from None
        return text

    def request_state_attributes(self, *attributes: str) -> None:
        """States of the model will hold these arrays too: "body_qdd", "body_parent_f"."""
        State.validate_extended_attributes(attributes)
        old_request("request_state_attributes")
        self._state_attributes.update(attributes)

    def request_contact_attributes(self, *attributes: str) -> None:
        """Contacts of the model will hold these arrays too: "force"."""
        Contacts.validate_extended_attributes(attributes)
        old_request("request_contact_attributes")
        self._contact_attributes.update(attributes)

    def validate_joint_ordering(self) -> bool:
        """Whether in every articulation parents come before their children."""
        for start, end in zip(self.articulation_start, self.articulation_end):
            seen = {-1}
            children = {self.joint_child[j] for j in range(start, end)}
            for j in range(start, end):
                if self.joint_parent[j] in children and self.joint_parent[j] not in seen:
                    warn(f"PYTHON_JOINT_ORDER: joints are not in DFS topological order: {self.joint_label[j]} comes before the joint of its parent")
                    return False
                seen.add(self.joint_child[j])
        return True

    def finalize(self, device: Any = None, *, requires_grad: bool = False, skip_all_validations: bool = False, skip_validation_worlds: bool = False,
                 skip_validation_joints: bool = False, skip_validation_shapes: bool = False, skip_validation_inertia: bool = False,
                 skip_validation_structure: bool = False, skip_validation_joint_ordering: bool = True) -> Any:
        """Checks and freezes into a Model. The builder stays usable.

        @param device  where states live and are stepped: None or "cpu"; "cuda", "cuda:N"; "host", the GPU's kernels on the CPU
        @raises NotImplementedError  DEV_UNAVAILABLE, DEV_KERNELS, DEV_DRIVER: the device is not there; the message says what is missing
        @raises ValueError  MODEL_STRUCTURE, MODEL_ORPHAN_JOINT, MODEL_SHAPE_MATERIAL
        @raises RuntimeError  while a world is open
        """
        name = device_name(device)
        if self.current_world != -1:
            raise error(RuntimeError, "MODEL_WORLD_OPEN", f"world {self.current_world} is open; call end_world() before finalize()")
        if not skip_all_validations and not skip_validation_joint_ordering:
            self.validate_joint_ordering()
        more = {name: rows for name, rows in self._appended.items() if rows}
        if more and not (skip_all_validations or skip_validation_structure):
            name, rows = next(iter(more.items()))
            raise error(ValueError, "MODEL_STRUCTURE", f"Array length mismatch: {name} has length {len(getattr(self, name))} and there are "
                        f"{len(getattr(self, name)) - len(rows)} entities; entities are added by the builder's verbs")
        if not (skip_all_validations or skip_validation_inertia):
            self._check_inertia_settings()
        if not (skip_all_validations or skip_validation_shapes):
            self._check_materials()
        self._check_actuators()
        actuators = [entry._actuator(requires_grad) for entry in self.actuator_entries.values()]
        for actuator in actuators:
            actuator.register_custom_attributes(self)
        self._resolve_owners()
        self._push_filters()
        self._check_custom()
        core, found = self._core.finalize(skip_all_validations or skip_validation_joints or self._allow_orphans, self._inertia_rules())
        model = Model._from_builder(core, self, self._published([] if skip_all_validations else [d for d in found if not (skip_validation_inertia and d["code"] == "MODEL_INERTIA_FIXED")]), requires_grad)
        model.actuators.extend(actuators)
        return model.to(name)

    def _inertia_rules(self) -> dict[str, Any]:
        return {"balance": bool(self.balance_inertia), "bound_mass": self.bound_mass, "bound_inertia": self.bound_inertia,
                "relative_tolerance": float(self.inertia_relative_tolerance), "absolute_tolerance": float(self.inertia_absolute_tolerance),
                "correction": float(self.inertia_correction), "one_by_one": bool(self.validate_inertia_detailed)}

    def _check_inertia_settings(self) -> None:
        for name in ("inertia_relative_tolerance", "inertia_absolute_tolerance", "inertia_correction"):
            value = float(getattr(self, name))
            least = float(np.finfo(np.float32).tiny) if name == "inertia_absolute_tolerance" else 0.0
            if not least <= value <= float(np.finfo(np.float32).max):
                raise error(ValueError, "PYTHON_ARG_INERTIA", f"{name} is {value}, expected a finite number that is {'positive' if least else 'not negative'}")

    def _check_materials(self) -> None:
        """What collides needs finite contact materials."""
        collides = [bool(f & (ShapeFlags.COLLIDE_SHAPES | ShapeFlags.COLLIDE_PARTICLES)) for f in self.shape_flags]
        for name in _MATERIALS:
            values = np.asarray(list(getattr(self, name)), dtype=float)
            for shape in np.flatnonzero(~np.isfinite(values)):
                if collides[shape]:
                    raise error(ValueError, "MODEL_SHAPE_MATERIAL", f"{name} is {values[shape]} for shape {shape} ({self.shape_label[shape]}), expected a finite number",
                                path=self.shape_label[shape], property=name)

    def _published(self, found: list[dict[str, Any]]) -> Diagnostics:
        """Corrections that many entities need alike are told in one warning, unless details are asked for."""
        said = []
        for code, summary in (("MODEL_INERTIA_FIXED", "Inertia validation corrected {n} bodies; set validate_inertia_detailed=True to see each"),
                              ("MODEL_NEG_GAP", "{n} shape(s) with gap < 0, which makes for missed collisions: {names}")):
            same = [d for d in found if d["code"] == code]
            if not same or (code == "MODEL_INERTIA_FIXED" and self.validate_inertia_detailed):
                continue
            said.append(code)
            warn(f"{code}: " + summary.format(n=len(same), names=", ".join(d["path"] for d in same[:5])))
        publish([d for d in found if d["code"] not in said])
        return Diagnostics(Diagnostic(**d) for d in found)

    def __copy__(self) -> "ModelBuilder":
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict) -> "ModelBuilder":
        other = ModelBuilder.__new__(ModelBuilder)
        memo[id(self)] = other
        for name, value in vars(self).items():
            if name == "_core":
                other._core = self._core.copy()
            elif name in ("_sources", "_looks", "usd_results", "diagnostics"):
                setattr(other, name, copy.copy(value))
            else:
                setattr(other, name, copy.deepcopy(value, memo))
        return other

    def __repr__(self) -> str:
        return (f"<ModelBuilder {self.world_count} worlds, {self.body_count} bodies, {self.joint_count} joints ({self.joint_dof_count} dof), "
                f"{self.shape_count} shapes>")


def _constraints(joint_type: int, dim: tuple[int, int]) -> int:
    return 1 if joint_type == 5 else 6 - sum(dim)


for _name in COLUMNS:
    if not hasattr(ModelBuilder, _name):
        setattr(ModelBuilder, _name, _column(_name))
reserve(ModelBuilder, "ModelBuilder")
Model._empty = lambda device: ModelBuilder().finalize(device)


name_arguments(globals())
