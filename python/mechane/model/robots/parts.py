"""What readers of robots share: the joint at the root, the articulation, looks, and which shapes are seen."""
from __future__ import annotations

import math
import os
import re
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import numpy as np

from ...core.diagnostics import kind_of, warn
from ...core.enums import JointType, ShapeFlags
from ...core.files import note_read
from ...core.values import as_transform, quat, transform, vec3

__all__ = ["add_base_joint", "attach", "check_base", "clean", "collapse_massless_roots", "filter_all", "local_file", "numbers", "opacity_of", "ordered", "read_xml", "shown"]


def numbers(text: str | None, default: tuple[float, ...]) -> tuple[float, ...]:
    """@raises ValueError  it is not of numbers"""
    return default if text is None else tuple(float(x) for x in text.split())


def clean(name: str) -> str:
    """A name as labels have it: the USD form has no hyphens."""
    return name.replace("-", "_")


def read_xml(source: Any) -> tuple[Any, str | None]:
    """The root of a file or of a text, and the file's folder."""
    text = source.decode("utf-8") if isinstance(source, bytes) else os.fspath(source)
    if not re.search("[<>]", text):
        if not os.path.isfile(text):
            raise kind_of(FileNotFoundError)(f"there is no file {text}", "SOURCE_READ_FAILED")
        try:
            return ElementTree.parse(note_read(text)).getroot(), os.path.dirname(os.path.abspath(text))
        except ElementTree.ParseError as what:
            raise kind_of(ValueError)(f"{text}: {what}", "SOURCE_READ_FAILED") from None
    try:
        return ElementTree.fromstring(text.strip().lstrip("\ufeff").strip()), None
    except ElementTree.ParseError as what:
        raise kind_of(ValueError)(f"the text is no XML: {what}", "SOURCE_READ_FAILED") from None


def local_file(uri: str) -> str:
    """The file of a file: URI.

    @raises ValueError  it names another machine, is relative, or has a query
    """
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.netloc.lower() not in ("", "localhost") or not path.startswith("/") or path.replace("\\", "/").startswith("//") or parts.query or parts.fragment:
        raise kind_of(ValueError)(f'Invalid local file URI "{uri}"; expected an absolute filesystem path', "PYTHON_ARG_SOURCE")
    return path


def check_base(floating: bool | None, base_joint: dict[str, Any] | None, parent: int) -> None:
    """@raises ValueError  the arguments contradict one another"""
    if floating is not None and base_joint is not None:
        raise kind_of(ValueError)("Cannot specify both 'floating' and 'base_joint': they are two ways of saying how the root is held", "IMPORT_ARG_BASE")
    if floating is True and parent != -1:
        raise kind_of(ValueError)(f"Cannot create FREE joint when parent_body={parent} (not world): FREE joints must connect to world frame. Give floating=False or a base_joint "
                                  "with six axes", "IMPORT_ARG_BASE")
    fixed = {"parent", "child", "parent_xform", "child_xform"} & set(base_joint or ())
    if fixed:
        raise kind_of(ValueError)(f"base_joint dict cannot specify {fixed}: parent_body and xform say it", "IMPORT_ARG_BASE")


def _tree_of(builder: Any, body: int) -> int | None:
    """The articulation of a body."""
    trees = builder.joint_articulation
    for ends in (builder.joint_child, builder.joint_parent):
        for joint, end in enumerate(ends):
            if end == body and trees[joint] >= 0:
                return trees[joint]
    return None


def _no_tree(builder: Any, body: int) -> Exception:
    return kind_of(ValueError)(f"Cannot attach to parent_body '{builder.body_label[body]}': body is not part of any articulation. parent_body=-1 makes one of its own", "IMPORT_ARG_PARENT")


def add_base_joint(builder: Any, child: int, *, floating: bool | None = None, base_joint: dict[str, Any] | None = None, label: str | None = None,
                   parent_xform: Any = None, child_xform: Any = None, parent: int = -1) -> int:
    """The joint that holds the root: one of the caller's, FREE, or FIXED.

    @raises ValueError  the arguments contradict one another, or the parent is in no articulation
    """
    check_base(floating, base_joint, parent)
    if not -1 <= parent < builder.body_count:
        raise kind_of(ValueError)(f"parent_body {parent} is out of range, there are {builder.body_count} bodies", "PYTHON_ARG_PARENT_BODY")
    if parent == child:
        raise kind_of(ValueError)(f"parent_body {parent} is the root itself", "PYTHON_ARG_PARENT_BODY")
    if parent != -1 and _tree_of(builder, parent) is None:
        raise _no_tree(builder, parent)
    if parent_xform is None:
        parent_xform = builder.body_q[child] if parent == -1 else transform()
    child_xform = transform() if child_xform is None else child_xform
    if base_joint is not None:
        given = {"label": label, **base_joint} if label is not None else dict(base_joint)
        return builder.add_joint(parent=parent, child=child, parent_xform=parent_xform, child_xform=child_xform, **given)
    if floating is True or (floating is None and parent == -1):
        return builder.add_joint_free(child, label=label)
    return builder.add_joint_fixed(parent, child, parent_xform=parent_xform, child_xform=child_xform, label=label)


def attach(builder: Any, joints: list[int], parent: int, label: str | None, custom_attributes: dict[str, Any] | None = None) -> None:
    """Joints of an import as an articulation, or as part of the one that the parent belongs to.

    @raises ValueError  the parent is in none, or not in the latest
    """
    if not joints:
        return
    if parent == -1:
        builder.add_articulation(joints, label=label, custom_attributes=custom_attributes)
        return
    tree = _tree_of(builder, parent)
    if tree is None:
        raise _no_tree(builder, parent)
    if tree != builder.articulation_count - 1:
        raise kind_of(ValueError)(f"Cannot attach to parent_body {builder.body_label[parent]} in articulation #{tree} (most recent is #{builder.articulation_count - 1}). "
                                  "Attach to the most recently added articulation or build in order", "IMPORT_ARG_PARENT")
    last = [j for j, t in enumerate(builder.joint_articulation) if t == tree][-1]
    between = sorted(set(range(last + 1, max(joints) + 1)) - set(joints))
    if between:
        raise kind_of(ValueError)(f"Cannot attach imported joints to articulation #{tree}: joint '{builder.joint_label[between[0]]}' at index {between[0]} lies between", "IMPORT_ARG_PARENT")
    builder._core.extend_articulation(tree, joints)


def ordered(edges: list[tuple[Any, Any]], depth_first: bool) -> list[int]:
    """Joints (parent, child) so that parents come before children; those of one parent as they were given.

    @raises ValueError  two joints lead to a body, a circle, or no root
    """
    into: dict[Any, int] = {}
    out: dict[Any, list[tuple[int, Any]]] = {}
    for i, (parent, child) in enumerate(edges):
        if child in into:
            raise kind_of(ValueError)(f"Multiple joints lead to body {child}", "MODEL_STRUCTURE")
        into[child] = i
        out.setdefault(parent, []).append((i, child))
    roots = sorted({parent for parent, _ in edges} - set(into))
    if not roots:
        raise kind_of(ValueError)("No root found in the joint graph", "MODEL_STRUCTURE")
    order: list[int] = []
    if depth_first:
        todo = [edge for root in reversed(roots) for edge in reversed(out.get(root, []))]
        while todo:
            joint, child = todo.pop()
            order.append(joint)
            todo += reversed(out.get(child, []))
    else:
        nodes = list(roots)
        for node in nodes:
            for joint, child in out.get(node, []):
                order.append(joint)
                nodes.append(child)
    if len(order) != len(edges):
        raise kind_of(ValueError)("Joint graph contains a cycle", "MODEL_STRUCTURE")
    return order


def opacity_of(value: float, what: str) -> float | None:
    """Between 0 and 1, with a warning where it is not; None for what is no number."""
    if not math.isfinite(value):
        warn(f"SOURCE_LOST: Ignoring non-finite opacity {value!r} from {what}")
        return None
    bounded = min(max(value, 0.0), 1.0)
    if bounded != value:
        warn(f"SOURCE_LOST: Clamping opacity {value!r} from {what} to {bounded!r}")
    return bounded


def shown(force: bool, has_visuals: bool, visuals_collide: bool = False) -> bool:
    """Whether colliders are seen: where nothing else is, or when asked for."""
    return force or visuals_collide or not has_visuals


def filter_all(builder: Any, begin: int, end: int) -> None:
    """No contacts among the shapes of an import."""
    flags = builder.shape_flags[begin:end]
    colliding = [begin + i for i, f in enumerate(flags) if f & ShapeFlags.COLLIDE_SHAPES]
    for k, a in enumerate(colliding):
        for b in colliding[k + 1:]:
            builder.add_shape_collision_filter_pair(a, b)


def collapse_massless_roots(builder: Any, joints: list[int], roots: list[int] | None = None) -> None:
    """Merges what FIXED joints hang below a FREE root without mass."""
    kinds, parents, children, masses = (list(getattr(builder, n)) for n in ("joint_type", "joint_parent", "joint_child", "body_mass"))
    if roots is None:
        roots = joints
    taken: set[int] = set()
    for root in roots:
        if root not in joints or kinds[root] != JointType.FREE or parents[root] != -1 or masses[children[root]] > 0:
            continue
        above = {children[root]}
        grown = True
        while grown:
            grown = False
            for joint in joints:
                if joint not in taken and kinds[joint] == JointType.FIXED and parents[joint] in above:
                    taken.add(joint)
                    grown = True
                    if masses[children[joint]] <= 0:
                        above.add(children[joint])
    if taken:
        builder.collapse_fixed_joints(joints_to_keep=[j for j, kind in enumerate(kinds) if kind == JointType.FIXED and j not in taken])


def up_turn(builder: Any, up_axis: Any) -> transform:
    """Turns a file's up axis into the builder's."""
    from ...core.enums import Axis

    return transform(vec3(), quat(*(float(x) for x in Axis.from_any(up_axis).quat_between_axes(builder.up_axis))))


def import_pose(builder: Any, xform: Any, up_axis: Any) -> transform:
    turn = up_turn(builder, up_axis)
    return turn if xform is None else as_transform(xform) * turn


def rotation_matrix(q: Any) -> np.ndarray:
    """Of a unit quaternion x y z w."""
    return np.stack([np.asarray(quat(*q).rotate(axis)) for axis in ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))], axis=1)
