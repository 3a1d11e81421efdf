"""The builder's verbs for rods: a capsule for each segment, a joint of four stiffnesses between neighbours."""
from __future__ import annotations

import bisect
import math
from collections import deque
from typing import Any

import numpy as np

from .. import _core, config
from ..core.arguments import name_arguments
from ..core.diagnostics import MechaneDeprecationWarning, kind_of, warn
from ..core.enums import Axis, JointTargetMode, JointType, ShapeFlags
from ..core.rotations import quat_multiply
from ..core.values import mat33, transform
from .configs import JointDofConfig
from .lists import ColumnList
from .rod import Rod, aligned, between

__all__ = ["RodVerbs"]

#: A blue (Paul Tol's bright scheme).
_COLOR = (68 / 255, 119 / 255, 170 / 255)
_BACK = np.array([-1.0, -1.0, -1.0, 1.0])
_TURNED = np.array([0.0, 1.0, 0.0, 0.0])  # half a turn about y: a tangent that runs the other way
_MODES = ("stretch", "shear", "bend", "twist")
#: How much of a rod's axes each mode is: shear x, shear y, stretch, bend x, bend y, twist.
_AXES = ("shear", "shear", "stretch", "bend", "bend", "twist")


class RestColumn(ColumnList):
    """Rest values of all coordinates; those of a rod's are a rotation, behind three zeros."""

    __slots__ = ("_starts",)

    def __init__(self, builder: Any):
        super().__init__(builder, "joint_rest_q")
        self._starts = list(builder.joint_q_start) if _core.rest_rotation_count(builder._core) else []

    def _place(self, i: int) -> tuple[int, int]:
        """The joint of a coordinate, and the coordinate's place in it."""
        joint = bisect.bisect_right(self._starts, i) - 1
        return joint, i - self._starts[joint] if joint >= 0 else i

    def _rest(self, i: int) -> tuple[int, int, list[float]]:
        joint, within = self._place(i) if self._starts and i < self._stored() else (-1, i)
        return joint, within, _core.rest_rotation(self._builder._core, joint) if joint >= 0 else []

    def _get(self, i: int) -> Any:
        _, within, rest = self._rest(i)
        return super()._get(i) if not rest else rest[within - 3] if within >= 3 else 0.0

    def _set(self, i: int, value: Any) -> None:
        joint, within, rest = self._rest(i)
        if not rest:
            super()._set(i, value)
        elif within >= 3:
            rest[within - 3] = float(value)
            _core.set_rest_rotation(self._builder._core, joint, rest)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(quat_multiply(a[None], b[None]))[0]


class RodVerbs:
    """Mixed into ModelBuilder."""

    @property
    def curve_label(self) -> list[str]:
        """Rods by name."""
        return [label for label, _, _ in _core.curves(self._core)]

    @curve_label.setter
    def curve_label(self, labels: Any) -> None:
        rows, given = _core.curves(self._core), list(labels)
        if len(given) != len(rows):
            raise kind_of(ValueError)(f"curve_label: {len(given)} labels, there are {len(rows)} rods", "PYTHON_ARG_SHAPE")
        _core.set_curves(self._core, [(str(label), world, ranges) for label, (_, world, ranges) in zip(given, rows)])

    @property
    def curve_world(self) -> list[int]:
        return [world for _, world, _ in _core.curves(self._core)]

    @property
    def curve_count(self) -> int:
        return len(_core.curves(self._core))

    @property
    def joint_rest_q(self) -> ColumnList:
        """List of the builder's joint_rest_q."""
        return RestColumn(self)

    @joint_rest_q.setter
    def joint_rest_q(self, values: Any) -> None:
        RestColumn(self)[:] = list(values)

    def add_joint_rod(self, parent: int, child: int, *, parent_xform: Any = None, child_xform: Any = None, rest_rotation: Any = None,
                      stretch_stiffness: float | None = None, stretch_damping: float | None = None, shear_stiffness: float | None = None,
                      shear_damping: float | None = None, bend_stiffness: float | None = None, bend_damping: float | None = None,
                      twist_stiffness: float | None = None, twist_damping: float | None = None, label: str | None = None,
                      collision_filter_parent: bool | None = None, enabled: bool = True, custom_attributes: dict[str, Any] | None = None) -> int:
        """An elastic joint between two segments, whose anchors' z lie along them: stretch and shear [N/m, N s/m], bend and twist
        [N m/rad, N m s/rad]. Without any number stretch is 1e5 N/m, shear as stretch, bend 0, twist as bend, damping 0. `rest_rotation` is
        the child's anchor as seen from the parent's at rest, without it as the bodies stand."""
        rest = None
        if rest_rotation is not None:
            rest = np.array([float(c) for c in rest_rotation])
            norm = float(np.linalg.norm(rest))
            if not math.isfinite(norm):
                raise kind_of(ValueError)("add_joint_rod: rest_rotation must contain finite values", "PYTHON_ARG_ROD")
            if norm == 0:
                raise kind_of(ValueError)("add_joint_rod: rest_rotation must be a nonzero quaternion", "PYTHON_ARG_ROD")
            rest = rest / norm
        given = locals()
        ke, kd = _gains({f"{m}_{k}": given[f"{m}_{k}"] for m in _MODES for k in ("stiffness", "damping")})
        if min(ke.values()) < 0:
            raise kind_of(ValueError)("add_joint_rod: stretch_stiffness, shear_stiffness, bend_stiffness, and twist_stiffness must be >= 0", "PYTHON_ARG_ROD")
        axes = [JointDofConfig(axis=axis, target_ke=ke[mode], target_kd=kd[mode], actuator_mode=JointTargetMode.NONE) for mode, axis in zip(_AXES, [*Axis, *Axis])]
        joint = self.add_joint(JointType.ROD, parent, child, parent_xform=parent_xform, child_xform=child_xform, linear_axes=axes[:3], angular_axes=axes[3:],
                               label=label, collision_filter_parent=collision_filter_parent, enabled=enabled, custom_attributes=custom_attributes)
        if rest is None:
            start = self.joint_q_start[joint]
            rest = np.array([float(x) for x in self.joint_q[start + 3:start + 7]])
        _core.set_rest_rotation(self._core, joint, rest.tolist())
        return joint

    def add_rod(self, *, rod: Rod, cfg: Any = None, stretch_stiffness: float | None = None, stretch_damping: float | None = None,
                shear_stiffness: float | None = None, shear_damping: float | None = None, bend_stiffness: float | None = None,
                bend_damping: float | None = None, twist_stiffness: float | None = None, twist_damping: float | None = None, label: str | None = None,
                wrap_in_articulation: bool = True, color: Any = None, body_frame_origin: str = "com", junction_collision_filter: bool = True) -> tuple[list[int], list[int]]:
        """A body with a capsule for each segment, an elastic joint between neighbours. Returns the bodies in the order of the segments, and the
        joints between them.

        A segment weighs what its cylinder does; under `config.compat` "newton-1.8" its capsule, as there. With `wrap_in_articulation` each connected part becomes a tree with a FREE root, which the returned joints do not contain; a joint that
        closes a chain stays outside of it, and cycles of graphs are not closed (with a warning). Stiffness of a rod with a material or rigidities
        R is R / L for each joint, L [m] the mean rest length of its two segments; stiffness that is given here replaces it, mode by mode.

        @raises TypeError   `rod` is no Rod
        @raises ValueError  the rod makes no sense, or rigidities are given for what branches
        """
        if not isinstance(rod, Rod):
            raise kind_of(TypeError)(f"add_rod: rod must be a Rod, got {type(rod).__name__}", "PYTHON_ARG_TYPE")
        if body_frame_origin not in ("start", "com"):
            raise kind_of(ValueError)(f"add_rod: body_frame_origin must be 'start' or 'com', got {body_frame_origin!r}", "PYTHON_ARG_ROD")
        given = locals()
        gains = {f"{m}_{k}": given[f"{m}_{k}"] for m in _MODES for k in ("stiffness", "damping")}
        for mode in _MODES:
            value = gains[f"{mode}_stiffness"]
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise kind_of(ValueError)(f"add_rod: {mode}_stiffness must be finite and >= 0", "PYTHON_ARG_ROD")
        points, edges, frames = rod._geometry()
        rest_points, rest_frames = rod._rest_geometry()
        section = rod._section()
        rigidity = {} if section is None else {m: r for m, r in zip(_MODES, section) if gains[f"{m}_stiffness"] is None}
        chain = len(edges) >= 2 and rod.is_chain
        if any(r > 0 for r in rigidity.values()) and not chain:
            _check_pairing(len(points), edges, wrap_in_articulation)
        cfg = self.default_shape_cfg if cfg is None else cfg
        if body_frame_origin == "start":
            warn('add_rod(body_frame_origin="start") is deprecated; use "com", and subtract the old body_com from anchors of your own', MechaneDeprecationWarning)
        bodies_before, joints_before = self.body_count, self.joint_count
        lay = _Lay(points, edges, frames, points if rest_points is None else rest_points, rest_frames, rest_points is not None, body_frame_origin == "com")
        bodies = self._rod_bodies(lay, 0.1 if rod.radius is None else float(rod.radius), cfg, label, _COLOR if color is None else color)
        between_segments = self._rod_tree(lay, bodies, gains, label) if wrap_in_articulation else self._rod_stars(lay, bodies, gains, label)
        if rod.closed:
            if not wrap_in_articulation:
                warn("PYTHON_ARG_ROD: wrap_in_articulation=False: put the joints into articulations with add_articulation() before finalize; the joint that "
                     "closes the loop stays outside of any")
            between_segments.append(self._rod_joint(lay, bodies, len(edges) - 1, 0, int(edges[-1, 1]), int(edges[0, 0]), False, False, gains, label, len(between_segments) + 1))
        if rod.rest_straight:
            for joint in between_segments:
                _core.set_rest_rotation(self._core, joint, [0.0, 0.0, 0.0, 1.0])
        if junction_collision_filter and not chain:
            self._filter_junctions(lay, bodies)
        length_of = dict(zip(bodies, lay.lengths.tolist()))
        for joint in between_segments:
            dual = 0.5 * (length_of[self.joint_parent[joint]] + length_of[self.joint_child[joint]])
            for offset, mode in enumerate(_AXES):
                if mode in rigidity:
                    self.joint_target_ke[self.joint_qd_start[joint] + offset] = rigidity[mode] / dual
        _core.add_curve(self._core, (label or f"curve_{self.curve_count}", self.current_world, (bodies_before, self.body_count, joints_before, self.joint_count)))
        return bodies, between_segments

    def _rod_bodies(self, lay: "_Lay", radius: float, cfg: Any, label: str | None, color: Any) -> list[int]:
        bodies = []
        for i, length in enumerate(lay.lengths.tolist()):
            middle = (0.0, 0.0, 0.0 if lay.centred else 0.5 * length)
            body = self.add_link(xform=lay.pose(i), com=middle, label=f"{label}_edge_body_{i}" if label else None)
            self.add_shape_capsule(body, xform=transform(*middle, 0, 0, 0, 1), radius=radius, half_height=0.5 * length, cfg=cfg,
                                   label=f"{label}_edge_capsule_{i}" if label else None, color=color)
            if config.compat != "newton-1.8" and cfg.density > 0 and cfg.is_solid:
                # the rounded ends of neighbours lie in one another: a rod weighs what its cylinders do
                mass = cfg.density * math.pi * radius**2 * length
                across = mass * (3 * radius**2 + length**2) / 12
                self.body_mass[body] = mass
                self.body_inertia[body] = mat33(across, 0, 0, 0, across, 0, 0, 0, 0.5 * mass * radius**2)
            bodies.append(body)
        return bodies

    def _rod_joint(self, lay: "_Lay", bodies: list[int], parent: int, child: int, parent_node: int, child_node: int, parent_turned: bool, child_turned: bool,
                   gains: dict[str, Any], label: str | None, number: int) -> int:
        turns = [_TURNED if turned else np.array([0.0, 0.0, 0.0, 1.0]) for turned in (parent_turned, child_turned)]
        rest = _product(_product(lay.rest[parent], turns[0]) * _BACK, _product(lay.rest[child], turns[1]))
        anchors = [transform(0, 0, lay.end(i, node), *turn) for i, node, turn in ((parent, parent_node, turns[0]), (child, child_node, turns[1]))]
        return self.add_joint_rod(bodies[parent], bodies[child], parent_xform=anchors[0], child_xform=anchors[1], rest_rotation=rest,
                                  label=f"{label}_cable_{number}" if label else None, collision_filter_parent=True, **gains)

    def _rod_stars(self, lay: "_Lay", bodies: list[int], gains: dict[str, Any], label: str | None) -> list[int]:
        """Joints at each point from its first segment to the others."""
        out: list[int] = []
        for node, there in enumerate(lay.at):
            for child in there[1:]:
                out.append(self._rod_joint(lay, bodies, there[0], child, node, node, False, False, gains, label, len(out) + 1))
        return out

    def _rod_tree(self, lay: "_Lay", bodies: list[int], gains: dict[str, Any], label: str | None) -> list[int]:
        """A tree for each connected part, breadth first, its root free."""
        out: list[int] = []
        seen, part = [False] * len(bodies), 0
        for start in range(len(bodies)):
            if seen[start]:
                continue
            suffix = f"_{part}" if part else ""
            joints = [self.add_joint_free(bodies[start], label=f"{label}_free_joint{suffix}" if label else None)]
            members, todo = [], deque([start])
            seen[start] = True
            while todo:
                parent = todo.popleft()
                members.append(parent)
                for node in lay.edges[parent].tolist():
                    for child in lay.at[node]:
                        if not seen[child]:
                            joints.append(self._rod_joint(lay, bodies, parent, child, node, node, node == lay.edges[parent, 0], node == lay.edges[child, 1], gains,
                                                          label, len(out) + 1))
                            out.append(joints[-1])
                            seen[child] = True
                            todo.append(child)
            nodes = set(lay.edges[members].reshape(-1).tolist())
            if len(members) > len(nodes) - 1:
                warn("PYTHON_ARG_ROD: the rod graph contains a cycle, which a tree does not close; wrap_in_articulation=False keeps every joint")
            self.add_articulation(joints, label=f"{label}_articulation{suffix}" if label else None)
            part += 1
        return out

    def _filter_junctions(self, lay: "_Lay", bodies: list[int]) -> None:
        """No contacts between segments that meet in one point without a joint."""
        joined = {frozenset(pair) for pair in zip(self.joint_parent, self.joint_child)}
        for there in lay.at:
            for i, a in enumerate(sorted(there)) if len(there) > 2 else ():
                for b in sorted(there)[i + 1:]:
                    if frozenset((bodies[a], bodies[b])) not in joined:
                        self._filter_bodies(bodies[a], bodies[b])

    def _filter_bodies(self, a: int, b: int) -> None:
        flags = self.shape_flags
        for s in self._core.body_shapes(a):
            for t in self._core.body_shapes(b):
                if flags[s] & ShapeFlags.COLLIDE_SHAPES and flags[t] & ShapeFlags.COLLIDE_SHAPES:
                    self.add_shape_collision_filter_pair(s, t)


class _Lay:
    """Where the segments of a rod lie: edges, frames now and at rest, rest lengths, and which segments meet at each point."""

    def __init__(self, points: np.ndarray, edges: np.ndarray, frames: np.ndarray, rest: np.ndarray, rest_frames: np.ndarray | None, moved: bool, centred: bool):
        self.edges, self.centred = edges, centred
        ends = points[edges].astype(float)
        along = ends[:, 1] - ends[:, 0]
        self._along = along / np.linalg.norm(along, axis=1, keepdims=True)
        self._middle = ends.mean(axis=1)
        resting = rest[edges].astype(float)
        resting = resting[:, 1] - resting[:, 0]
        self.lengths = np.linalg.norm(resting, axis=1)
        resting = resting / self.lengths[:, None]
        self._frames = [aligned(f"add_rod: quaternions[{i}]", q, d) for i, (q, d) in enumerate(zip(frames, self._along))]
        if rest_frames is not None:
            self.rest = [aligned(f"add_rod: rest_quaternions[{i}]", q, d) for i, (q, d) in enumerate(zip(rest_frames, resting))]
        elif moved:
            self.rest = [aligned(f"add_rod: derived rest quaternion at edge {i}", _product(between(a, b), q), b)
                         for i, (q, a, b) in enumerate(zip(self._frames, self._along, resting))]
        else:
            self.rest = self._frames
        self.at: list[list[int]] = [[] for _ in range(len(points))]
        for i, (a, b) in enumerate(edges.tolist()):
            self.at[a].append(i)
            self.at[b].append(i)

    def pose(self, i: int) -> transform:
        origin = self._middle[i] if self.centred else self._middle[i] - 0.5 * self.lengths[i] * self._along[i]
        return transform(*origin.tolist(), *self._frames[i].tolist())

    def end(self, i: int, node: int) -> float:
        """Where a point lies along a segment, in its body [m]."""
        length, first = float(self.lengths[i]), node == int(self.edges[i, 0])
        return (-0.5 if first else 0.5) * length if self.centred else (0.0 if first else length)


def _gains(given: dict[str, Any]) -> tuple[dict[str, float], dict[str, float]]:
    """Stiffness and damping by mode."""
    ke = {"stretch": 1.0e5 if given["stretch_stiffness"] is None else float(given["stretch_stiffness"]),
          "bend": 0.0 if given["bend_stiffness"] is None else float(given["bend_stiffness"])}
    kd = {mode: 0.0 if given[f"{mode}_damping"] is None else float(given[f"{mode}_damping"]) for mode in ("stretch", "bend")}
    for mode, like in (("shear", "stretch"), ("twist", "bend")):
        stiffness, damping = given[f"{mode}_stiffness"], given[f"{mode}_damping"]
        ke[mode] = ke[like] if stiffness is None else float(stiffness)
        kd[mode] = kd[like] if stiffness is None and damping is None else 0.0 if damping is None else float(damping)
    return ke, kd


def _check_pairing(count: int, edges: np.ndarray, wrapped: bool) -> None:
    """@raises ValueError  a rigidity cannot be shared out among joints"""
    if (np.bincount(edges.reshape(-1), minlength=count) > 2).any():
        raise kind_of(ValueError)("add_rod: automatic section-rigidity discretization requires at most 2 incident segments per point; give stiffnesses for a branched graph", "PYTHON_ARG_ROD")
    if not wrapped:
        return
    above = list(range(count))

    def root(node: int) -> int:
        while above[node] != node:
            node = above[node]
        return node

    for a, b in edges.tolist():
        if root(a) == root(b):
            raise kind_of(ValueError)("add_rod: automatic section-rigidity discretization for a cyclic graph requires wrap_in_articulation=False, so that every joint is kept; "
                                      "otherwise give stiffnesses", "PYTHON_ARG_ROD")
        above[root(b)] = root(a)


name_arguments(globals())
