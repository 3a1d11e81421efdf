"""How models, builders and what belongs to them are written to bytes and made again.

Importing it gives the classes their `__reduce__`.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..core.device_array import device_name
from ..geometry.mesh import Mesh
from .builder import ModelBuilder
from .configs import JointDofConfig, ShapeConfig
from .contacts import Contacts
from .lists import COLUMNS
from .model import Model
from .saved import checked, stamp
from .state import Control, State

__all__: list[str] = []

_SCALARS = frozenset(_core.model_scalar_names())

# -- builders


def _builder_fields(builder: Any) -> dict[str, Any]:
    core = builder._core
    columns = {name: [_core.column_get(core, number, i) for i in range(_core.column_size(core, number))]
               for name, (number, _, _) in COLUMNS.items()}
    kept = {k: v for k, v in vars(builder).items() if k not in ("_core", "_looks", "_inputs", "usd_results", "_filters", "_filters_seen")}
    return {"columns": columns, "up_axis": core.up_axis, "rigid_gap": core.rigid_gap, "gravity": tuple(core.gravity),
            "world_gravity": [tuple(g) for g in core.world_gravity], "open": core.current_world != -1,
            "joint_dims": [tuple(core.joint_dim(j)) for j in range(len(columns["joint_type"]))],
            "articulations": [list(core.articulation_joints(a)) for a in range(len(columns["articulation_label"]))],
            "sources": [Mesh._of(core.shape_source(s), builder._looks.get(s)) for s in range(len(columns["shape_type"]))],
            "sdf": [core.sdf_config(s) for s in range(len(columns["shape_type"]))],
            "surfaces": _core.soft_objects(core, False), "volumes": _core.soft_objects(core, True), "color_groups": _core.soft_color_groups(core),
            "curves": _core.curves(core), "rests": [_core.rest_rotation(core, j) for j in range(len(columns["joint_type"]))],
            "filters": list(builder.shape_collision_filter_pairs), "python": kept}


def _core_from(fields: dict[str, Any]) -> Any:
    core, c = _core.Builder(), fields["columns"]
    core.up_axis, core.rigid_gap, core.gravity = fields["up_axis"], fields["rigid_gap"], fields["gravity"]
    for i, q in enumerate(c["body_q"]):
        core.add_link(q, c["body_label"][i], 0.0, c["body_com"][i], c["body_inertia"][i], True, False)
    dof, sdf = JointDofConfig(), fields.get("sdf", [{}] * len(fields["sources"]))
    for j, (linear, angular) in enumerate(fields["joint_dims"]):
        core.add_joint(c["joint_type"][j], c["joint_parent"][j], c["joint_child"][j], c["joint_X_p"][j], c["joint_X_c"][j], [dof] * linear, [dof] * angular,
                       c["joint_label"][j], False, True)
    for a, joints in enumerate(fields["articulations"]):
        core.add_articulation(joints, c["articulation_label"][a])
    for s, source in enumerate(fields["sources"]):
        core.add_shape(c["shape_body"][s], c["shape_type"][s], c["shape_transform"][s], c["shape_scale"][s],
                       ShapeConfig(density=0.0, collision_filter_parent=False, **sdf[s]), None if source is None else source._core,
                       c["shape_color"][s], c["shape_opacity"][s], c["shape_label"][s])
    particles = len(c.get("particle_q", ()))  # since 1.2
    core.add_particles(np.zeros((particles, 3)), np.zeros((particles, 3)), np.zeros(particles), np.zeros(particles), np.zeros(particles, np.int32))
    _core.soft_resize(core, *(len(c.get(name, ())) for name in ("spring_stiffness", "tri_areas", "edge_rest_angle", "tet_materials", "attachment_particle_body_body")))
    for volumes, key in ((False, "surfaces"), (True, "volumes")):
        _core.soft_set_objects(core, volumes, [(label, world, list(ends)) for label, world, ends in fields.get(key, ())])
    _core.soft_set_color_groups(core, [list(g) for g in fields.get("color_groups", ())])
    earlier = fields["python"]  # where rods stood until 1.7
    _core.set_curves(core, fields.get("curves", list(zip(earlier.get("curve_label", ()), earlier.get("curve_world", ()), earlier.get("_curve_ranges", ())))))
    rests = dict(enumerate(fields["rests"])) if "rests" in fields else earlier.get("_rod_rests", {})
    for joint, rest in rests.items():
        if rest:
            _core.set_rest_rotation(core, joint, rest)
    for i, gravity in enumerate(fields["world_gravity"]):
        core.begin_world(gravity)
        if not fields["open"] or i + 1 < len(fields["world_gravity"]):
            core.end_world()
    for name, (number, _, writable) in COLUMNS.items():
        if writable:
            for i, value in enumerate(c.get(name, ())):
                _core.column_set(core, number, i, value)
    core.filter_pairs = [tuple(p) for p in fields["filters"]]
    return core


def builder_again(fields: dict[str, Any]) -> Any:
    fields = checked(fields)
    builder = ModelBuilder.__new__(ModelBuilder)
    builder._soft_defaults()  # which earlier builders do not have
    builder.actuator_entries = {}
    builder._gravity_given = True
    builder._without_muscles()
    vars(builder).update({k: v for k, v in fields["python"].items() if k not in ("curve_label", "curve_world", "_curve_ranges", "_rod_rests")})
    builder._core = _core_from(fields)
    builder.usd_results, builder._looks, builder._inputs = [], {}, []  # a file that is passed on names no files of its maker
    # What the meshes look like is with them now, so that they stay.
    builder._sources = {**{s: mesh for s, mesh in enumerate(fields["sources"]) if mesh is not None}, **builder._sources}
    builder._filters, builder._filters_seen = list(fields["filters"]), len(fields["filters"])
    return builder


def reduce_builder(builder: Any) -> tuple[Any, ...]:
    return builder_again, (stamp(_builder_fields(builder)),)


# -- models and what they make


def _arrays(owner: Any) -> dict[str, np.ndarray]:
    return {name: np.array(owner._np(name)) for name in type(owner)._names}


def _restore(owner: Any, arrays: dict[str, np.ndarray]) -> None:
    for name, values in arrays.items():
        target = owner._np(name)
        frozen = not target.flags.writeable
        if frozen:
            target.flags.writeable = True
        target[...] = values
        if frozen:
            target.flags.writeable = False


def reduce_model(model: Any) -> tuple[Any, ...]:
    custom = {key: np.array(a) if isinstance(a, np.ndarray) else a for key, a in model._custom_arrays().items()}
    kept = {name: getattr(model, name) for name in ("soft_contact_ke", "soft_contact_kd", "soft_contact_kf", "soft_contact_mu", "soft_contact_restitution", "particle_ke", "particle_kd", "particle_kf", "particle_mu",
                                                    "particle_cohesion", "particle_adhesion", "particle_max_velocity",
                                                    "ledger", "actuators", "diagnostics", "_requires_grad", "_state_attributes", "_contact_attributes", "_device")}
    return model_again, (stamp({"builder": model._builder, "arrays": _arrays(model), "custom": custom, "kept": kept}),)


def model_again(fields: dict[str, Any]) -> Any:
    fields = checked(fields)
    builder = fields["builder"]
    core, _ = builder._core.finalize(True, builder._inertia_rules())
    model = Model._from_builder(core, builder, fields["kept"]["diagnostics"], fields["kept"]["_requires_grad"])
    for name, value in fields["kept"].items():
        (setattr if name in _SCALARS else object.__setattr__)(model, name, value)
    _restore(model, fields["arrays"])
    for key, values in fields["custom"].items():
        if isinstance(values, np.ndarray):
            model._at(key)[...] = values
    if model._device != "cpu":
        device_name(model._device)  # says what is missing
    return model


def reduce_of_model(owner: Any, make: str) -> tuple[Any, ...]:
    """Of a State or Control."""
    custom = {key: a for key, a in owner._custom_arrays().items()}
    extended = {name: np.array(owner._at(name)) for name in getattr(type(owner), "EXTENDED_ATTRIBUTES", ()) if owner._at(name) is not None}
    return of_model_again, (stamp({"model": owner._model, "make": make, "arrays": _arrays(owner), "custom": custom, "extended": extended,
                                   "time": getattr(owner, "time", None)}),)


def of_model_again(fields: dict[str, Any]) -> Any:
    fields = checked(fields)
    owner = getattr(fields["model"], "_host_" + fields["make"])()
    _restore(owner, fields["arrays"])
    for key, values in {**fields["custom"], **fields["extended"]}.items():
        if isinstance(values, np.ndarray):
            owner._at(key)[...] = values
    if fields["time"] is not None:
        owner.time = fields["time"]
    return owner


def reduce_contacts(contacts: Any) -> tuple[Any, ...]:
    return contacts_again, (stamp({"model": contacts._model, "arrays": _arrays(contacts), "status": contacts._status}),)


def contacts_again(fields: dict[str, Any]) -> Any:
    fields = checked(fields)
    contacts = fields["model"].contacts()
    _restore(contacts, fields["arrays"])
    object.__setattr__(contacts, "_status", fields["status"])
    return contacts


def reduce_state(state: State) -> tuple[Any, ...]:
    return reduce_of_model(state, "state")


def reduce_control(control: Control) -> tuple[Any, ...]:
    return reduce_of_model(control, "control")


ModelBuilder.__reduce__ = reduce_builder  # type: ignore[method-assign]
Model.__reduce__ = reduce_model  # type: ignore[method-assign]
State.__reduce__ = reduce_state  # type: ignore[method-assign]
Control.__reduce__ = reduce_control  # type: ignore[method-assign]
Contacts.__reduce__ = reduce_contacts  # type: ignore[method-assign]
