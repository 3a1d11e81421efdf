"""Values of custom attributes that a stage authors, and the rows of custom frequencies."""
from __future__ import annotations

import re
import sys
from typing import Any, Callable

import numpy as np

from .. import _core
from ..core.enums import JointType
from ..core.values import quat, vec2, vec3, vec4
from ..stage.resolvers import SchemaResolverMjc
from ..stage.view import Prim
from .custom import AttributeAssignment, AttributeFrequency, CustomAttribute
from .custom_values import get_custom_attribute_values
from .mujoco_equalities import read_equalities

__all__ = ["CustomReader"]

#: types of declarations in stages -> (type here, how a value is made)
_DECLARED: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "bool": (bool, bool), "int32": (int, int), "float32": (float, float), "vec2": (vec2, lambda v: vec2(*v)), "vec3": (vec3, lambda v: vec3(*v)),
    "vec4": (vec4, lambda v: vec4(*v)), "quat": (quat, lambda v: quat(*v))}


class CustomReader:
    """Reads into a builder what the prims of an import say about its custom attributes."""

    def __init__(self, builder: Any, stage: Any, source: Any, result: dict[str, Any], options: dict[str, Any]):
        self._builder, self._stage, self._result, self._options = builder, stage, result, options
        self._live = source if hasattr(source, "GetPrimAtPath") and not hasattr(source, "_stage") else None
        self._strict = options.get("compat") == "newton-1.8"

    def prim(self, path: str) -> Any:
        return self._live.GetPrimAtPath(path) if self._live is not None else Prim(_core.prim_at(self._stage, path))

    def _values(self, path: str, attributes: list[CustomAttribute]) -> dict[str, Any]:
        prim = self.prim(path)
        return get_custom_attribute_values(prim, attributes, self._context()) if prim else {}

    def _context(self) -> dict[str, Any]:
        """What transformers get besides the prim and the attribute."""
        scene = self._result["physics_scene_path"]
        return {"result": self._result, "builder": self._builder, "physics_scene_prim": None if scene is None else self.prim(scene)}

    def read(self) -> None:
        ours = {key: a for key, a in self._builder.custom_attributes.items()}
        self._take_declared()
        by: dict[Any, list[CustomAttribute]] = {}
        for attribute in ours.values():
            by.setdefault(attribute.frequency, []).append(attribute)
        f = AttributeFrequency
        self._read_scene([*by.get(f.ONCE, ()), *by.get(f.WORLD, ())])
        self._read_entities(by.get(f.BODY, []), self._result["path_body_map"])
        self._read_entities(by.get(f.SHAPE, []), self._result["path_shape_map"])
        self._read_joints([a for k in (f.JOINT, f.JOINT_DOF, f.JOINT_COORD, f.JOINT_CONSTRAINT) for a in by.get(k, ())])
        if "mjc" not in self._result["schema_attrs"]:
            self._take_springs()
        self._read_articulations(by.get(f.ARTICULATION, []))
        self._read_frequencies()
        if "mujoco:equality_constraint" in self._builder.custom_frequencies:
            self._read_equalities()

    def _take_declared(self) -> None:
        """Attributes that the stage itself declares were read in the library."""
        for row in self._builder._core.take_custom("mujoco:actuator" not in self._builder.custom_frequencies):
            dtype, make = _DECLARED[row["type"]]
            key = f"{row['namespace']}:{row['name']}" if row["namespace"] else row["name"]
            values = {i: make(v) for i, v in row["values"].items()}
            there = self._builder.custom_attributes.get(key)
            if there is None:
                self._builder.add_custom_attribute(CustomAttribute(
                    name=row["name"], dtype=dtype, frequency=AttributeFrequency[row["frequency"].upper()],
                    assignment=AttributeAssignment[row["assignment"].upper()], namespace=row["namespace"] or None, default=make(row["default"]),
                    values=values))
            elif there.usd_value_transformer is None and not there.is_custom_frequency:
                there.values.update(values)

    def _read_scene(self, attributes: list[CustomAttribute]) -> None:
        if not self._options["parse_mujoco_options"]:
            attributes = [a for a in attributes if a.namespace != "mujoco"]
        path = self._result["physics_scene_path"]
        if not attributes or path is None:
            return
        worlds = {scene["path"]: scene["world"] for scene in self._result.get("scenes", ()) if scene["world"] >= 0}
        for scene in worlds if len(worlds) > 1 else (path,):
            for key, value in self._values(scene, attributes).items():
                attribute = self._builder.custom_attributes[key]
                of_world = attribute.frequency == AttributeFrequency.WORLD
                attribute.values[worlds.get(scene, max(self._builder.current_world, 0)) if of_world else 0] = value
                self._result["scene_attributes"][key] = value

    def _read_entities(self, attributes: list[CustomAttribute], indices: dict[str, int]) -> None:
        if attributes:
            for path, index in indices.items():
                for key, value in self._values(path, attributes).items():
                    self._builder.custom_attributes[key].values[index] = value

    def _read_joints(self, attributes: list[CustomAttribute]) -> None:
        if not attributes:
            return
        b = self._builder
        rows = [JointType(t).constraint_count(sum(d)) for t, d in zip(b.joint_type, b.joint_dof_dim)]
        spans = {AttributeFrequency.JOINT_DOF: [*b.joint_qd_start, b.joint_dof_count], AttributeFrequency.JOINT_COORD: [*b.joint_q_start, b.joint_coord_count],
                 AttributeFrequency.JOINT_CONSTRAINT: [0, *np.cumsum(rows).tolist()], AttributeFrequency.JOINT: list(range(b.joint_count + 1))}
        axes = self._result["_path_joint_axis"]
        for path, joint in self._result["path_joint_map"].items():
            for key, value in self._values(path, attributes).items():
                attribute = b.custom_attributes[key]
                start = spans[attribute.frequency]
                count = start[joint + 1] - start[joint]
                if path in axes and attribute.frequency in (AttributeFrequency.JOINT_DOF, AttributeFrequency.JOINT_COORD):
                    attribute.values[start[joint] + axes[path]] = value
                elif path in axes and path != b.joint_label[joint]:
                    continue  # of joints merged into one the first speaks
                elif attribute.frequency != AttributeFrequency.JOINT and isinstance(value, (list, dict)):
                    b._values_at(attribute, key, value, start[joint], count)
                else:
                    attribute.values.update({i: value for i in range(start[joint], start[joint + 1])})

    def _take_springs(self) -> None:
        """MuJoCo's springs of joints whose mjc: names no resolver of the library was asked for: stiffness, and a rest at springref, counted from ref."""
        b = self._builder
        attributes = [b.custom_attributes.get(f"mujoco:dof_{name}") for name in ("springref", "ref", "passive_stiffness")]
        if None in attributes:
            return
        springref, ref, stiffness = (a.values for a in attributes)
        rest, springs, starts, q_starts = list(b.joint_rest_q), list(b.joint_stiffness), [*b.joint_qd_start, b.joint_dof_count], list(b.joint_q_start)
        for path, joint in self._result["path_joint_map"].items():
            for dof in range(starts[joint], starts[joint + 1]):
                if dof in stiffness and springs[dof] == b.default_joint_cfg.stiffness:
                    springs[dof] = float(stiffness[dof])
            # A generic joint's reference would speak of no axis in particular.
            single = b.joint_type[joint] in (JointType.REVOLUTE, JointType.PRISMATIC)
            axis = self._result["_path_joint_axis"].get(path, 0 if single else None)
            if axis is not None and ((dof := starts[joint] + axis) in springref or dof in ref):
                rest[q_starts[joint] + axis] = float(springref.get(dof, 0.0)) - float(ref.get(dof, 0.0))
        b.joint_rest_q[:], b.joint_stiffness[:] = rest, springs

    def _read_articulations(self, attributes: list[CustomAttribute]) -> None:
        if not attributes:
            return
        for index in range(self._result["_first_articulation"], self._builder.articulation_count):
            path = self._builder.articulation_label[index].split("#")[0]
            values = self._values(path, attributes) or self._values(path.rpartition("/")[0] or "/", attributes)
            for key, value in values.items():
                self._builder.custom_attributes[key].values[index] = value

    # -- custom frequencies
    def _prims(self) -> Any:
        root = self._options["root_path"]
        if self._live is None:
            start = Prim(_core.prim_at(self._stage, root)) if root != "/" else Prim(_core.pseudo_root(self._stage))
            return iter(start)
        usd = sys.modules["pxr.Usd"]
        return iter(usd.PrimRange(self._live.GetPrimAtPath(root), usd.TraverseInstanceProxies()))

    def _read_equalities(self) -> None:
        ignored = [re.compile(p) for p in self._options["ignore_paths"] or ()]
        prims = (p for p in self._prims() if str(p.GetPath()) != "/" and not any(i.match(str(p.GetPath())) for i in ignored))
        found = read_equalities(self._builder, prims, self._result, self._context(), self._options["only_load_enabled_joints"])
        collected = self._result["schema_attrs"].get("mjc")
        for prim in found if collected is not None else ():
            collected.setdefault(str(prim.GetPath()), SchemaResolverMjc().collect_prim_attrs(prim))

    def _called(self, what: str, frequency: str, prim: Any, function: Callable, context: dict[str, Any]) -> Any:
        try:
            return function(prim, context)
        except Exception as error:
            where = f"{what} for frequency '{frequency}' raised an error on prim '{prim.GetPath()}': {error}"
            if self._strict:
                raise RuntimeError(where) from error
            error.add_note(where)
            raise

    def _read_frequencies(self) -> None:
        b = self._builder
        wanted = [(key, f, [a for a in b.custom_attributes.values() if a.frequency == key])
                  for key, f in b.custom_frequencies.items() if f.usd_prim_filter is not None]
        wanted = [w for w in wanted if w[2]]
        if not wanted:
            return
        ignored = [re.compile(p) for p in self._options["ignore_paths"] or ()]
        for prim in self._prims():
            path = str(prim.GetPath())
            if path == "/" or any(p.match(path) for p in ignored):
                continue
            for key, frequency, attributes in wanted:
                context = {"prim": prim, "result": self._result, "builder": b}
                if not self._called("usd_prim_filter", key, prim, frequency.usd_prim_filter, context):
                    continue
                if frequency.usd_entry_expander is not None:
                    rows = self._called("usd_entry_expander", key, prim, lambda p, c: list(frequency.usd_entry_expander(p, c)), context)
                    b.add_custom_values_batch([{a.key: row.get(a.key) for a in attributes} for row in rows])
                    continue
                values = get_custom_attribute_values(prim, attributes, self._context())
                b.add_custom_values(**{a.key: values.get(a.key) for a in attributes})
