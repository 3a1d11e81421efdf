"""MuJoCo's equality constraints of a stage, as rows of `mujoco:equality_constraint`.

Joints of USD carry them: MjcEqualityConnectAPI holds a point of two bodies together, MjcEqualityWeldAPI two bodies, MjcEqualityJointAPI two
joints' coordinates. Bodies may be named by a site below them.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.rotations import quat_from_matrix
from ..core.values import as_quat, as_vec3, quat, transform, vec3
from ..stage.helpers import has_applied_api_schema, plain_value, world_matrix
from .custom_values import get_custom_attribute_values

__all__ = ["read_equalities"]

_FREQUENCY = "mujoco:equality_constraint"
_CONNECT, _WELD, _JOINT = 0, 1, 2
_APIS = {"MjcEqualityConnectAPI": _CONNECT, "MjcEqualityWeldAPI": _WELD, "MjcEqualityJointAPI": _JOINT}


def read_equalities(builder: Any, prims: Any, result: dict[str, Any], context: dict[str, Any], only_enabled: bool) -> list[Any]:
    """Appends a row for each equality constraint; returns their prims, in the order of the rows."""
    attributes = [a for a in builder.custom_attributes.values() if a.frequency == _FREQUENCY]
    found = []
    for prim in prims:
        kind = next((k for api, k in _APIS.items() if has_applied_api_schema(prim, api)), None)
        if kind is None:
            continue
        row = _joints(builder, prim, result) if kind == _JOINT else _bodies(prim, kind, result)
        if row is None or (only_enabled and not _value(prim, "physics:jointEnabled", True)):
            continue
        own = {"type": kind, "label": str(prim.GetPath()), "world": builder.current_world, **row}
        values = get_custom_attribute_values(prim, attributes, context)
        values.update({f"mujoco:equality_constraint_{name}": value for name, value in own.items()})
        builder.add_custom_values(**{a.key: values.get(a.key) for a in attributes})
        found.append(prim)
    return found


def _value(prim: Any, name: str, otherwise: Any) -> Any:
    attribute = prim.GetAttribute(name)
    value = plain_value(attribute.Get()) if attribute and attribute.IsValid() else None
    return otherwise if value is None else value


def _authored(prim: Any, name: str) -> bool:
    attribute = prim.GetAttribute(name)
    return bool(attribute and attribute.IsValid() and attribute.HasAuthoredValue())


def _target(prim: Any, *names: str) -> str | None:
    """What the first of the relationships that has a target names."""
    for name in names:
        relationship = prim.GetRelationship(name)
        targets = list(relationship.GetTargets()) if relationship else []
        if targets:
            return str(targets[0])
    return None


def _joints(builder: Any, prim: Any, result: dict[str, Any]) -> dict[str, Any] | None:
    """The follower is the prim itself; names of NewtonMimicAPI come before the older ones of mjc, then what the import made of a neutral mimic."""
    joints, leader = result["path_joint_map"], _target(prim, "newton:mimicJoint", "mjc:target")
    follower = joints.get(str(prim.GetPath()))
    if follower is not None and leader is None and builder.joint_mimic_joint[follower] >= 0:
        curve = [*(float(c) for c in builder.joint_mimic_coeffs[follower]), *(float(_value(prim, f"mjc:coef{k}", 0.0)) for k in (2, 3, 4))]
        return {"joint1": follower, "joint2": int(builder.joint_mimic_joint[follower]), "polycoef": curve, "target_kind": 2, "target": follower,
                "enabled": bool(_value(prim, "physics:jointEnabled", True))}
    if follower is None or leader not in joints:
        return None
    offset = float(_value(prim, "mjc:coef0", 0.0))
    if _authored(prim, "newton:mimicCoef0"):
        offset = float(_value(prim, "newton:mimicCoef0", 0.0))
        if str(prim.GetTypeName()) == "PhysicsRevoluteJoint":
            offset = math.radians(offset)
    slope = _value(prim, "newton:mimicCoef1" if _authored(prim, "newton:mimicCoef1") else "mjc:coef1", 1.0)
    higher = [float(_value(prim, f"mjc:coef{k}", 0.0)) for k in (2, 3, 4)]
    return {"joint1": follower, "joint2": joints[leader], "polycoef": [offset, float(slope), *higher],
            "enabled": bool(_value(prim, "physics:jointEnabled", True)) and bool(_value(prim, "newton:mimicEnabled", True))}


def _bodies(prim: Any, kind: int, result: dict[str, Any]) -> dict[str, Any]:
    (body1, site1), (body2, site2) = (_end(prim, f"physics:body{k}", result) for k in (0, 1))
    unit = float(result.get("linear_unit") or 1.0)
    frames = [transform(as_vec3(f"localPos{k}", _value(prim, f"physics:localPos{k}", (0.0, 0.0, 0.0))) * unit,
                        as_quat(f"localRot{k}", _value(prim, f"physics:localRot{k}", (0.0, 0.0, 0.0, 1.0)))) for k in (0, 1)]
    of_body1, of_body2 = ((site or transform()) * frame for site, frame in ((site1, frames[0]), (site2, frames[1])))
    row: dict[str, Any] = {"body1": body1, "body2": body2, "enabled": bool(_value(prim, "physics:jointEnabled", True))}
    if kind == _CONNECT:
        return {**row, "anchor": site1.p if site1 else of_body1.p}
    # MuJoCo's anchor lies in the second body; relpose is that body's frame, moved there, seen from the first one.
    anchor = site2.p if site2 else of_body2.p
    turn = of_body1.q * of_body2.q.inverse()
    return {**row, "anchor": anchor, "relpose": transform(of_body1.p + turn.rotate(anchor - of_body2.p), turn),
            "torquescale": float(_value(prim, "mjc:torqueScale", 1.0))}


def _end(prim: Any, name: str, result: dict[str, Any]) -> tuple[int, transform | None]:
    """The body that a relationship names, -1 for none, and where a site below it lies in it."""
    path = _target(prim, name)
    if path is None:
        return -1, None
    stage, bodies = prim.GetStage(), result["path_body_map"]
    at = owner = stage.GetPrimAtPath(path)
    while owner and str(owner.GetPath()) != "/" and str(owner.GetPath()) not in bodies:
        owner = owner.GetParent()
    if not owner or str(owner.GetPath()) not in bodies:
        return -1, None
    body = str(owner.GetPath())
    merged = result["path_body_relative_transform"].get(body)
    if at.GetPath() == owner.GetPath():
        return bodies[body], merged
    inside = world_matrix(at, None) @ np.linalg.inv(world_matrix(owner, None))
    placed = transform(vec3(*(inside[3, :3] * float(result.get("linear_unit") or 1.0)).tolist()), _rotation(inside[:3, :3]))
    return bodies[body], placed if merged is None else merged * placed


def _rotation(rows: np.ndarray) -> quat:
    """Of a matrix whose rows are the axes, scales left out."""
    return quat(*np.asarray(quat_from_matrix((rows / np.linalg.norm(rows, axis=1, keepdims=True)).T)).tolist())
