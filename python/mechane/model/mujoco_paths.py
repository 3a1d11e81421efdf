"""What MuJoCo's tendons run over in a stage, and which articulation its tendons and actuators belong to."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..core.diagnostics import warn
from ..core.enums import GeoType, ShapeFlags

__all__ = ["PathOf", "actuator_owners", "dof_of", "fixed_rows", "tendon_joint_owners", "tendon_owners", "tendon_wrap_owners", "tendon_type", "wrap_rows"]

_JOINTS, _TENDON, _SITE, _BODY, _CRANK = (0, 1), 2, 3, 4, 5


def _rows(prim: Any, name: str) -> list[Any]:
    attribute = prim.GetAttribute(name)
    value = attribute.Get() if attribute else None
    return [] if value is None else list(value)


def _targets(prim: Any, name: str) -> list[str]:
    relationship = prim.GetRelationship(name)
    return [str(t) for t in relationship.GetTargets()] if relationship else []


def tendon_type(prim: Any, _: Any = None) -> int:
    """0: fixed, over joints; 1: spatial, over sites and geoms, which the schema has as its default; -1: another word."""
    attribute = prim.GetAttribute("mjc:type")
    word = attribute.Get() if attribute else None
    return {"fixed": 0, "spatial": 1}.get("spatial" if word is None else str(word).lower(), -1)


def fixed_rows(prim: Any, context: dict[str, Any]) -> list[dict[str, Any]]:
    """Joints of a fixed tendon with their coefficients, in the order of its path."""
    return _once(prim, "joint", context, _over_joints)


def wrap_rows(prim: Any, context: dict[str, Any]) -> list[dict[str, Any]]:
    """Sites, geoms and pulleys of a spatial tendon; none, with a warning, where its path makes no sense."""
    return _once(prim, "wrap", context, _over_shapes)


def _once(prim: Any, part: str, context: dict[str, Any], read: Any) -> list[dict[str, Any]]:
    """A path is asked for twice in an import, how long it is and what it has, and read once."""
    known, key = context["result"].setdefault("_tendon_paths", {}), (str(prim.GetPath()), part)
    if key not in known:
        known[key] = read(prim, context)
    return known[key]


def _over_joints(prim: Any, context: dict[str, Any]) -> list[dict[str, Any]]:
    if tendon_type(prim) != 0:
        return []
    targets, coefficients, out = _targets(prim, "mjc:path"), _rows(prim, "mjc:path:coef"), []
    labels = {label: j for j, label in reversed(list(enumerate(context["builder"].joint_label)))}
    axes, stage = _rows(prim, "mechane:source:dof"), prim.GetStage()
    for k, place in enumerate(_rows(prim, "mjc:path:indices") or range(len(targets))):
        if not 0 <= place < len(targets):
            warn(f"SOURCE_LOST: MjcTendon {prim.GetPath()} has out-of-range mjc:path:indices entry {place}. Skipping.")
        elif targets[place] not in labels:
            warn(f"SOURCE_LOST: MjcTendon {prim.GetPath()} references unknown joint path {targets[place]}. Skipping.")
        else:
            joint, coefficient = labels[targets[place]], float(coefficients[k]) if k < len(coefficients) else 1.0
            dof, sign = dof_of(context["builder"], joint, stage.GetPrimAtPath(targets[place]), axes[k] if k < len(axes) else "")
            out.append({"mujoco:tendon_joint": joint, "mujoco:tendon_joint_dof": dof, "mujoco:tendon_coef": sign * coefficient})
    return out


def dof_of(builder: Any, joint: int, prim: Any, name: str) -> tuple[int, float]:
    """The dof that an axis of a converted joint of several has in the model, and whether it is turned round; -1 where the joint has one axis or none of the name."""
    if not name:
        return -1, 1.0
    named = prim.GetCustomDataByKey("mechane:source:dofs") if prim else None
    first, (linear, angular) = builder.joint_qd_start[joint], builder.joint_dof_dim[joint]
    for text in named or ():
        what, _, own = str(text).lstrip("-").partition(":")  # "rotX:name", or "-rotX:name" about the opposite axis
        if own != name:
            continue
        rows = range(first + linear, first + linear + angular) if what[:3] == "rot" else range(first, first + linear)
        letter = "XYZ".find(what[-1])
        dof = next((d for d in rows if letter >= 0 and abs(builder.joint_axis[d][letter]) > 0.5), -1)
        return dof, -1.0 if str(text).startswith("-") else 1.0
    return -1, 1.0


def _over_shapes(prim: Any, context: dict[str, Any]) -> list[dict[str, Any]]:
    try:
        return _wrapped(prim, context) if tendon_type(prim) == 1 else []
    except ValueError as fault:
        warn(f"SOURCE_LOST: Skipping spatial MjcTendon {prim.GetPath()}: {fault}.")
        return []


def _wrapped(prim: Any, context: dict[str, Any]) -> list[dict[str, Any]]:
    builder, shapes = context["builder"], context["result"]["path_shape_map"]
    targets, sides = _targets(prim, "mjc:path"), _targets(prim, "mjc:sideSites")
    places = _rows(prim, "mjc:path:indices") or list(range(len(targets)))
    segments, divisors, side_places = (_rows(prim, name) for name in ("mjc:path:segments", "mjc:path:divisors", "mjc:sideSites:indices"))
    if not places:
        raise ValueError("mjc:path has no wrap targets")
    for name, rows in (("mjc:path:segments", segments), ("mjc:sideSites:indices", side_places)):
        if rows and len(rows) != len(places):
            raise ValueError(f"{name} must have one entry per path index")
    out: list[dict[str, Any]] = []
    before = 0
    for k, place in enumerate(places):
        if not 0 <= place < len(targets):
            raise ValueError(f"mjc:path:indices entry {place} is out of range")
        if segments:
            segment = segments[k]
            if segment < before:
                raise ValueError("mjc:path:segments must be non-negative and non-decreasing")
            if segment >= len(divisors):
                raise ValueError(f"mjc:path:divisors has no entry for segment {segment}")
            if not (math.isfinite(divisors[segment]) and divisors[segment] > 0):
                raise ValueError(f"mjc:path:divisors entry for segment {segment} must be finite and positive")
            if segment > before:
                out.append({"mujoco:tendon_wrap_type": 2, "mujoco:tendon_wrap_prm": float(divisors[segment])})
            before = segment
        shape = shapes.get(targets[place])
        if shape is None:
            raise ValueError(f"wrap target {targets[place]} is not an imported shape")
        site = bool(builder.shape_flags[shape] & ShapeFlags.SITE)
        if not site and builder.shape_type[shape] not in (GeoType.SPHERE, GeoType.CYLINDER):
            raise ValueError(f"wrap geometry {targets[place]} must be a sphere or cylinder")
        side = side_places[k] if side_places else -1
        if not -1 <= side < max(len(sides), 0):
            raise ValueError(f"mjc:sideSites:indices entry {side} is out of range")
        beside = -1
        if side >= 0 and not site:
            beside = shapes.get(sides[side], -1)
            if beside < 0 or not builder.shape_flags[beside] & ShapeFlags.SITE:
                raise ValueError(f"side site {sides[side]} is not an imported site")
        out.append({"mujoco:tendon_wrap_type": int(not site), "mujoco:tendon_wrap_shape": shape, "mujoco:tendon_wrap_sidesite": beside})
    return out


@dataclass(frozen=True)
class PathOf:
    """First row, or number of rows, of a tendon's path among those of `part` ("joint" or "wrap"); they are read right after the tendon."""

    part: str
    count: bool

    def __call__(self, _: Any, context: dict[str, Any]) -> int:
        expand = fixed_rows if self.part == "joint" else wrap_rows
        return len(expand(context["prim"], context)) if self.count else context["builder"]._custom_count(f"mujoco:tendon_{self.part}")


# -- owners
def _values(builder: Any, name: str) -> list[Any]:
    """One value for each row."""
    attribute = builder.custom_attributes[f"mujoco:{name}"]
    given = attribute.values
    return [given[i] if i < len(given) and given[i] is not None else attribute.default for i in range(builder._custom_count(attribute.frequency))]


def _at(owners: list[int], index: Any) -> int:
    return owners[int(index)] if 0 <= int(index) < len(owners) else -1


def _only(owners: Any) -> int:
    """The articulation that all of them belong to; -1 where they are several, or none."""
    known = {o for o in owners if o >= 0}
    return known.pop() if len(known) == 1 else -1


def _of_joints(builder: Any) -> list[int]:
    return [int(a) for a in builder.joint_articulation]


def _of_bodies(builder: Any) -> list[int]:
    found: list[set[int]] = [set() for _ in range(builder.body_count)]
    for child, owner in zip(builder.joint_child, _of_joints(builder)):
        if owner >= 0 and child >= 0:
            found[child].add(owner)
    return [_only(owners) for owners in found]


def _of_shapes(builder: Any) -> list[int]:
    bodies = _of_bodies(builder)
    return [_at(bodies, b) for b in builder.shape_body]


def tendon_joint_owners(builder: Any) -> list[int]:
    joints = _of_joints(builder)
    return [_at(joints, j) for j in _values(builder, "tendon_joint")]


def tendon_wrap_owners(builder: Any) -> list[int]:
    """Pulleys, which have no shape, belong where the rest of their tendon does."""
    shapes, given = _of_shapes(builder), _values(builder, "tendon_wrap_shape")
    owners = [_at(shapes, s) for s in given]
    for first, n in zip(_values(builder, "tendon_wrap_adr"), _values(builder, "tendon_wrap_num")):
        if first < 0 or first + n > len(owners):
            continue
        whole = _only(owners[first:first + n])
        for k in range(first, first + n):
            if owners[k] < 0 and given[k] < 0:
                owners[k] = whole
    return owners


def tendon_owners(builder: Any) -> list[int]:
    joints, wraps = tendon_joint_owners(builder), tendon_wrap_owners(builder)
    spans = zip(*(_values(builder, f"tendon_{name}") for name in ("joint_adr", "joint_num", "wrap_adr", "wrap_num")))
    return [_only([*joints[j:j + nj], *wraps[w:w + nw]]) if min(j, nj, w, nw) >= 0 and j + nj <= len(joints) and w + nw <= len(wraps) else -1
            for j, nj, w, nw in spans]


def actuator_owners(builder: Any) -> list[int]:
    """By what they act on; a label, as stages have it, comes before an index."""
    tendons, joints, bodies, shapes = tendon_owners(builder), _of_joints(builder), _of_bodies(builder), _of_shapes(builder)
    starts = [*builder.joint_qd_start, builder.joint_dof_count]
    dofs = [joints[j] for j in range(builder.joint_count) for _ in range(starts[j], starts[j + 1])]
    named = builder.custom_attributes["mujoco:joint_dof_label"]
    dof_labels = [named.values.get(i, named.default) for i in range(len(dofs))]
    by_label: dict[str, int] = {}
    for labels, owners in ((dof_labels, dofs), (builder.joint_label, joints), (_values(builder, "tendon_label"), tendons), (builder.shape_label, shapes),
                           (builder.body_label, bodies)):
        for label, owner in zip(labels, owners):
            by_label.setdefault(label, owner)
    out = []
    for ends, kind, label in zip(*(_values(builder, f"actuator_{name}") for name in ("trnid", "trntype", "target_label"))):
        owner = by_label.get(str(label), -1) if label else -1
        if owner < 0 and kind in _JOINTS:
            owner = _at(dofs, ends[0])
        elif owner < 0 and kind in (_TENDON, _BODY):
            owner = _at(tendons if kind == _TENDON else bodies, ends[0])
        elif owner < 0 and kind == _SITE and not label:
            owner = _at(shapes, ends[0])
        elif owner < 0 and kind == _CRANK:
            owner = _only(_at(shapes, s) for s in ends)
        out.append(owner)
    return out
