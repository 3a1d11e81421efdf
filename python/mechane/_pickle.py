"""How models, builders and what belongs to them are written to bytes and read again."""
from __future__ import annotations

import enum
import pickle
from typing import Any

import numpy as np

from . import _core
from ._diagnostics import error
from ._lists import COLUMNS
from ._mesh import Mesh

__all__ = ["FORMAT", "checked", "reduce_builder", "reduce_contacts", "reduce_model", "reduce_of_model", "stamp"]

#: Major and minor version of the format. Bytes of another major version are refused.
FORMAT = (1, 2)


def stamp(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with the format's version beside them."""
    return {"format": FORMAT, **fields}


def checked(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a stamped dict.

    @raises ValueError  E_PICKLE_VERSION
    """
    major = fields.get("format", (0, 0))[0]
    if major != FORMAT[0]:
        raise error(ValueError, "E_PICKLE_VERSION", f"the bytes are of format {major}, this version reads {FORMAT[0]}")
    return {k: v for k, v in fields.items() if k != "format"}


def _member(owner: Any, name: Any) -> Any:
    """A member of an enumeration by its name: what some versions of Python write as a call of getattr."""
    if isinstance(owner, type) and issubclass(owner, enum.Enum) and isinstance(name, str) and name in owner.__members__:
        return owner.__members__[name]
    raise pickle.UnpicklingError(f"it asks for an attribute of {owner!r}, which is no member of an enumeration")


class _Restricted(pickle.Unpickler):
    """Makes numbers, texts, lists, arrays, and the plain data of this package, and nothing that could run a program."""

    _BUILTINS = {"complex", "set", "frozenset", "bytearray", "slice", "range", "object"}
    _FUNCTIONS = {"builder_again", "model_again", "of_model_again", "contacts_again"}
    _ARRAYS = {("numpy", "ndarray"), ("numpy", "dtype"), ("numpy._core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "scalar"),
               ("numpy._core.numeric", "_frombuffer"), ("numpy.core.multiarray", "_reconstruct"), ("numpy.core.multiarray", "scalar"),
               ("numpy.core.numeric", "_frombuffer"), ("collections", "OrderedDict"), ("collections", "defaultdict"), ("collections", "deque"),
               ("copyreg", "_reconstructor")}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("builtins", "getattr"):
            return _member
        if (module, name) in self._ARRAYS or (module == "builtins" and name in self._BUILTINS):
            return super().find_class(module, name)
        if module.startswith("numpy") and name in ("float32", "float64", "int32", "int64", "bool_", "uint8", "uint32", "uint64"):
            return super().find_class(module, name)
        if module == __name__ and name in self._FUNCTIONS:
            return super().find_class(module, name)
        if module.startswith(__name__.split(".")[0] + ".") and module not in _DOING:
            found = super().find_class(module, name)
            if isinstance(found, type):  # data: making one reads no file and starts nothing
                return found
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is no part of a saved model; "
                                     "where the file is trusted, load(file, trusted=True) makes it")


#: Modules whose classes read, write or serve something when they are made.
_DOING = {f"mechane.{name}" for name in ("_core", "_commands", "_serve", "_capture", "__main__", "convert", "record", "testing", "utils", "viewer")}


def loaded(file: Any, kind: type, trusted: bool = False) -> Any:
    """What `save` of a builder or model wrote.

    @param trusted  make whatever the file asks for; a file may then run any program
    @raises TypeError   the file holds something else
    @raises ValueError  E_PICKLE_VERSION: it is no such file, or asks for more than data
    """
    with open(file, "rb") as source:
        try:
            thing = (pickle.Unpickler if trusted else _Restricted)(source).load()
        except (pickle.UnpicklingError, EOFError, UnicodeDecodeError, ImportError, AttributeError, IndexError) as wrong:
            raise error(ValueError, "E_PICKLE_VERSION", f"file: {file} is not what {kind.__name__}.save() writes: {wrong}") from None
    if not isinstance(thing, kind):
        raise TypeError(f"file: {file} holds a {type(thing).__name__}, no {kind.__name__}")
    return thing


# -- builders


def _builder_fields(builder: Any) -> dict[str, Any]:
    core = builder._core
    columns = {name: [_core.column_get(core, number, i) for i in range(_core.column_size(core, number))]
               for name, (number, _, _) in COLUMNS.items()}
    kept = {k: v for k, v in vars(builder).items() if k not in ("_core", "_looks", "usd_results", "_filters", "_filters_seen")}
    return {"columns": columns, "up_axis": core.up_axis, "rigid_gap": core.rigid_gap, "gravity": tuple(core.gravity),
            "world_gravity": [tuple(g) for g in core.world_gravity], "open": core.current_world != -1,
            "joint_dims": [tuple(core.joint_dim(j)) for j in range(len(columns["joint_type"]))],
            "articulations": [list(core.articulation_joints(a)) for a in range(len(columns["articulation_label"]))],
            "sources": [Mesh._of(core.shape_source(s), builder._looks.get(s)) for s in range(len(columns["shape_type"]))],
            "sdf": [core.sdf_config(s) for s in range(len(columns["shape_type"]))],
            "filters": list(builder.shape_collision_filter_pairs), "python": kept}


def _core_from(fields: dict[str, Any]) -> Any:
    from ._configs import JointDofConfig, ShapeConfig

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
    from ._builder import ModelBuilder

    fields = checked(fields)
    builder = ModelBuilder.__new__(ModelBuilder)
    vars(builder).update(fields["python"])
    builder._core = _core_from(fields)
    builder.usd_results, builder._looks = [], {}
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
    kept = {name: getattr(model, name) for name in ("soft_contact_ke", "soft_contact_kd", "soft_contact_kf", "soft_contact_mu", "soft_contact_restitution",
                                                    "ledger", "actuators", "diagnostics", "_requires_grad", "_state_attributes", "_contact_attributes")}
    return model_again, (stamp({"builder": model._builder, "arrays": _arrays(model), "custom": custom, "kept": kept}),)


def model_again(fields: dict[str, Any]) -> Any:
    from ._model import Model

    fields = checked(fields)
    builder = fields["builder"]
    core, _ = builder._core.finalize(True, builder._inertia_rules())
    model = Model._from_builder(core, builder, fields["kept"]["diagnostics"], fields["kept"]["_requires_grad"])
    for name, value in fields["kept"].items():
        object.__setattr__(model, name, value)
    _restore(model, fields["arrays"])
    for key, values in fields["custom"].items():
        if isinstance(values, np.ndarray):
            model._at(key)[...] = values
    return model


def reduce_of_model(owner: Any, make: str) -> tuple[Any, ...]:
    """Of a State or Control."""
    custom = {key: a for key, a in owner._custom_arrays().items()}
    extended = {name: np.array(owner._at(name)) for name in getattr(type(owner), "EXTENDED_ATTRIBUTES", ()) if owner._at(name) is not None}
    return of_model_again, (stamp({"model": owner._model, "make": make, "arrays": _arrays(owner), "custom": custom, "extended": extended,
                                   "time": getattr(owner, "time", None)}),)


def of_model_again(fields: dict[str, Any]) -> Any:
    fields = checked(fields)
    owner = getattr(fields["model"], fields["make"])()
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
