"""What Newton's SolverMuJoCo asks of worlds that are stepped apart: there they are copies of one mjModel. Here each may have its own."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.array import plain
from ..core.diagnostics import kind_of, warn
from ..core.enums import GeoType

__all__ = ["check_alike", "check_roots"]

_ONE = "SolverMuJoCo(separate_worlds=True) under compat newton-1.8 steps worlds that are alike"


def _refuse(text: str) -> None:
    raise kind_of(ValueError)(f"{_ONE}: {text}", "SOLVER_MODEL")


def _worlds(model: Any, key: str) -> np.ndarray:
    values = model._at(key) if key in model.attribute_specs else None
    return np.zeros(0, np.int64) if values is None else np.asarray(plain(values)).astype(np.int64)


def _alike(what: str, values: np.ndarray, worlds: int) -> None:
    """Rows of the model, as many in each world."""
    by_world = values.reshape(worlds, -1, *values.shape[1:])
    differs = (by_world != by_world[0]).any(axis=(0, *range(2, by_world.ndim)))
    if differs.any():
        at = int(np.argmax(differs))
        _refuse(f"{what} mismatch at position {at}: world 0 has {by_world[0, at].tolist()}, the others {by_world[1:, at].tolist()}")


def check_alike(model: Any) -> None:
    """@raises ValueError  something that moves belongs to no world, or two worlds differ in what they consist of"""
    worlds = model.world_count
    owners = {"bodies": model._np("body_world").astype(np.int64), "joints": model._np("joint_world").astype(np.int64),
              "equality constraints": _worlds(model, "mujoco:equality_constraint_world"),
              "mimic constraints": np.asarray(plain(model.constraint_mimic_world)).astype(np.int64)}
    for what, of in owners.items():
        if (of < 0).any():
            _refuse(f"the global world (-1) cannot contain {what}, and has {int((of < 0).sum())}")
    if worlds <= 1:
        return
    for what, of in owners.items():
        counts = np.bincount(of, minlength=worlds)
        if len(of) and (counts != counts[0]).any():
            other = int(np.argmax(counts != counts[0]))
            _refuse(f"world 0 has {counts[0]} {what}, but world {other} has {counts[other]}")
    if model.joint_count:
        _alike("joint types", model._np("joint_type"), worlds)
        _alike("joint DOF counts", np.asarray(plain(model.joint_dof_dim)), worlds)
        bodies, joints = model.body_count // worlds, model.joint_count // worlds
        for name, count in (("joint_parent", bodies), ("joint_child", bodies), ("joint_mimic_joint", joints)):
            values = model._np(name).astype(np.int64)
            _alike(name, np.where(values >= 0, values % max(count, 1), -1), worlds)
    _check_equalities(model, owners["equality constraints"], worlds)
    _check_shapes(model, worlds)
    _check_actuators(model, worlds)


def _check_equalities(model: Any, of: np.ndarray, worlds: int) -> None:
    if not len(of):
        return
    _alike("equality constraint types", _worlds(model, "mujoco:equality_constraint_type"), worlds)
    world = np.repeat(np.arange(worlds), len(of) // worlds)
    for name, count in (("joint1", model.joint_count), ("joint2", model.joint_count), ("joint1_dof", model.joint_dof_count), ("joint2_dof", model.joint_dof_count)):
        refs, each = _worlds(model, f"mujoco:equality_constraint_{name}"), max(count // worlds, 1)
        if not len(refs):
            continue
        if ((refs >= 0) & (refs // each != world)).any():
            _refuse(f"equality constraint {name} references a joint of another world")
        _alike(f"equality constraint {name}", np.where(refs >= 0, refs % each, -1), worlds)


def _check_shapes(model: Any, worlds: int) -> None:
    """Shapes of one body may differ in number and kind only where they are meshes."""
    kinds, of, flags = (model._np(name).astype(np.int64) for name in ("shape_type", "shape_world", "shape_flags"))
    meshes = (int(GeoType.MESH), int(GeoType.CONVEX_MESH))
    collides, body = flags & 2 != 0, model._np("shape_body").astype(np.int64)
    bodies = max(model.body_count // worlds, 1)
    lists: list[dict[int, list[int]]] = [{} for _ in range(worlds)]
    for kind, world, on, at in zip(kinds, of, collides, body):
        if world >= 0 and on:
            lists[world].setdefault(int(at) % bodies if at >= 0 else -1, []).append(int(kind))
    for world, other in enumerate(lists[1:], 1):
        for at in sorted(set(lists[0]) | set(other)):
            a, b = lists[0].get(at, []), other.get(at, [])
            plain_a, plain_b = ([k for k in one if k not in meshes] for one in (a, b))
            if len(plain_a) != len(plain_b):
                _refuse(f"only mesh geoms support differing counts, but body {at} has {len(plain_a)} other shapes in world 0 and {len(plain_b)} in world {world}")
            if plain_a != plain_b:
                position = next(i for i, (x, y) in enumerate(zip(plain_a, plain_b)) if x != y)
                _refuse(f"shape types mismatch at position {position} of body {at}: world 0 has {plain_a[position]}, world {world} {plain_b[position]}")


def _check_actuators(model: Any, worlds: int) -> None:
    of = _worlds(model, "mujoco:actuator_world")
    rows = np.flatnonzero((of >= 0) & (of < worlds))
    counts = np.bincount(of[rows], minlength=worlds)
    if (counts != counts[0]).any():
        _refuse("matching actuator layouts are wanted, and the numbers of actuators differ")
    rows = rows[np.argsort(of[rows], kind="stable")]
    for name in ("actuator_damping", "actuator_dampingpoly", "actuator_armature", "actuator_ctrlspec"):
        key = f"mujoco:{name}"
        if len(rows) and key in model.attribute_specs:
            values = np.asarray(plain(model._at(key)))[rows].reshape(worlds, counts[0], -1)
            if (values != values[0]).any():
                _refuse(f"identical actuator template parameters ({key}) are wanted")


def check_roots(model: Any) -> None:
    """Bodies outside of articulations: Newton's solver wants a joint to the world of each, and says that it takes such joints as roots.

    @raises ValueError  a body outside of articulations has no joint to the world
    """
    owner, parent, child = (model._np(name).astype(np.int64) for name in ("joint_articulation", "joint_parent", "joint_child"))
    owned = owner >= 0
    inside = {int(b) for b in (*child[owned], *parent[owned]) if b >= 0}
    loops = {int(j) for j, kind in zip(_worlds(model, "mujoco:equality_constraint_target"), _worlds(model, "mujoco:equality_constraint_target_kind")) if kind == 1}
    roots: dict[int, int] = {}
    for joint in np.flatnonzero(~owned):
        if parent[joint] == -1 and int(child[joint]) not in inside and int(joint) not in loops:
            roots.setdefault(int(child[joint]), int(joint))
    missing = [body for body in range(model.body_count) if body not in inside and body not in roots]
    if missing:
        raise kind_of(ValueError)("SolverMuJoCo under compat newton-1.8: bodies are outside articulations and have no joint to the world: "
                                  f"{_some([model.body_label[b] for b in missing])}", "SOLVER_MODEL")
    if roots:
        warn(f"SOLVER_APPROXIMATES: mujoco: {len(roots)} joints outside articulations are standalone world roots: "
             f"{_some([model.joint_label[j] for j in sorted(roots.values())])}")


def _some(labels: list[str]) -> str:
    return ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")
