"""The builder's verbs for bodies, joints and articulations."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import config
from ..core.arguments import listed, name_arguments
from ..core.diagnostics import MechaneDeprecationWarning, error, kind_of, publish, warn
from ..core.enums import Axis, AxisType, BodyFlags, JointTargetMode, JointType
from ..core.values import as_mat33, as_transform, as_vec3, mat33, transform, vec3
from ..newton.renamed import renamed
from .configs import JointDofConfig, axis_vector

__all__ = ["JointVerbs"]

_FREE_AXES = tuple(JointDofConfig.create_unlimited(axis) for axis in Axis)


class JointVerbs:
    """Mixed into ModelBuilder."""

    def add_link(self, *, xform: Any = None, com: Any = None, inertia: Any = None, mass: float = 0.0, label: str | None = None,
                 lock_inertia: bool = False, is_kinematic: bool = False, custom_attributes: dict[str, Any] | None = None) -> int:
        """A body without a joint. `xform` is its pose in the world, `com` in the body's frame [m], `inertia` about the
        centre of mass [kg m^2], `mass` [kg]; shapes add theirs unless `lock_inertia`."""
        mass = float(mass)
        strict = config.compat != "newton-1.8"  # Newton takes any value, and `finalize` repairs it with a warning
        if strict and not (math.isfinite(mass) and mass >= 0):
            raise kind_of(ValueError)(f"mass is {mass}, expected a finite number from 0 on [kg]", "PYTHON_ARG_NUMBER")
        for name, value in (("com", com), ("inertia", inertia)):
            if strict and value is not None and not all(map(math.isfinite, as_vec3("com", value) if name == "com" else as_mat33("inertia", value))):
                raise kind_of(ValueError)(f"{name}: expected finite numbers, got {value!r}", "PYTHON_ARG_NUMBER")
        body = self._core.add_link(as_transform(xform), self._label(label, "body", self.body_count), mass, vec3() if com is None else as_vec3("com", com),
                                   mat33() if inertia is None else as_mat33("inertia", inertia), bool(lock_inertia), bool(is_kinematic))
        self._values_of("BODY", body, custom_attributes)
        return body

    def add_body(self, *, xform: Any = None, com: Any = None, inertia: Any = None, mass: float = 0.0, label: str | None = None,
                 lock_inertia: bool = False, is_kinematic: bool = False, custom_attributes: dict[str, Any] | None = None) -> int:
        """A body that moves freely: a link, its FREE joint to the world, and an articulation of that joint."""
        groups = self._grouped(custom_attributes)
        body = self.add_link(xform=xform, com=com, inertia=inertia, mass=mass, label=label, lock_inertia=lock_inertia, is_kinematic=is_kinematic,
                             custom_attributes=groups("BODY"))
        name = self.body_label[body]
        joint = self.add_joint_free(body, label=f"{name}_free_joint", custom_attributes=groups("JOINT", "JOINT_DOF", "JOINT_COORD", "JOINT_CONSTRAINT"))
        self.add_articulation([joint], label=f"{name}_articulation", custom_attributes=groups("ARTICULATION"))
        return body

    def add_joint(self, joint_type: JointType, parent: int, child: int, *, linear_axes: list[JointDofConfig] | None = None,
                  angular_axes: list[JointDofConfig] | None = None, label: str | None = None, parent_xform: Any = None, child_xform: Any = None,
                  collision_filter_parent: bool | None = None, enabled: bool = True, custom_attributes: dict[str, Any] | None = None) -> int:
        """A joint of any type between `parent` (-1: the world) and `child`; the anchors are frames in the two bodies."""
        joint_type = JointType(joint_type)
        if parent == child:
            raise error(ValueError, "IMPORT_JOINT_SELF", f"parent and child are the same body {child}")
        if child < 0:
            raise error(ValueError, "MODEL_JOINT_CHILD", f"child is {child}, expected a body; the world can only be the parent")
        if self._world_of_body(parent) not in (-1, self.current_world) or self._world_of_body(child) != self.current_world:
            raise error(ValueError, "MODEL_STRUCTURE", f"body {parent if self._world_of_body(child) == self.current_world else child} belongs to another world "
                        f"than the open one ({self.current_world})")
        linear, angular = list(linear_axes or ()), list(angular_axes or ())
        for name, axes in (("linear_axes", linear), ("angular_axes", angular)):
            for axis in axes:
                if not isinstance(axis, JointDofConfig):
                    raise TypeError(f"{name}: expected JointDofConfig, not {type(axis).__name__}")
        if joint_type is JointType.ROD:
            _check_rod(linear, angular)
        if collision_filter_parent is None:
            collision_filter_parent = parent >= 0 or joint_type is JointType.FIXED
        self._note_parallel(joint_type, parent, child)
        joint = self._core.add_joint(int(joint_type), int(parent), int(child), as_transform(parent_xform, "parent_xform"),
                                     as_transform(child_xform, "child_xform"), linear, angular, self._label(label, "joint", self.joint_count + 1),
                                     bool(collision_filter_parent), bool(enabled))
        if parent < 0 and collision_filter_parent and joint_type is not JointType.FIXED:
            static = self._core.body_shapes(-1)
            for shape in self._core.body_shapes(int(child)):
                for other in static:
                    self._core.add_filter_pair(int(shape), int(other))
        self._values_of_joint(joint, custom_attributes)
        return joint

    def _note_parallel(self, joint_type: JointType, parent: int, child: int) -> None:
        """Two joints between the same bodies are seldom meant."""
        pair = (min(parent, child), max(parent, child))
        other = self._joint_between.get(pair)
        if other is not None:
            names = " and ".join("the world" if b < 0 else f"'{self.body_label[b]}'" for b in pair)
            if JointType.FREE in (other, joint_type):
                warn(f"PYTHON_JOINT_PARALLEL: {names} are joined by a FREE joint and another one; their coordinates become inconsistent")
            else:
                warn(f"PYTHON_JOINT_PARALLEL: {names} are joined by a {other.name} joint already; parallel joints have undefined semantics in solvers")
        self._joint_between[pair] = joint_type

    def add_joint_revolute(self, parent: int, child: int, *, parent_xform: Any = None, child_xform: Any = None, axis: AxisType | Any = None,
                           target_q: float | None = None, target_qd: float | None = None, target_ke: float | None = None,
                           target_kd: float | None = None, damping: float | None = None, stiffness: float | None = None,
                           rest_q: float | None = None, limit_lower: float | None = None, limit_upper: float | None = None,
                           limit_ke: float | None = None, limit_kd: float | None = None, armature: float | None = None,
                           effort_limit: float | None = None, velocity_limit: float | None = None, friction: float | None = None,
                           actuator_mode: JointTargetMode | None = None, target_pos: float | None = None, target_vel: float | None = None,
                           label: str | None = None, collision_filter_parent: bool | None = None, enabled: bool = True,
                           custom_attributes: dict[str, Any] | None = None) -> int:
        """A hinge about `axis` (unit, in the parent anchor's frame); values per radian."""
        dof = self._dof(axis, locals())
        return self.add_joint(JointType.REVOLUTE, parent, child, angular_axes=[dof], label=label, parent_xform=parent_xform, child_xform=child_xform,
                              collision_filter_parent=collision_filter_parent, enabled=enabled, custom_attributes=custom_attributes)

    def add_joint_prismatic(self, parent: int, child: int, *, parent_xform: Any = None, child_xform: Any = None, axis: AxisType | Any = Axis.X,
                            target_q: float | None = None, target_qd: float | None = None, target_ke: float | None = None,
                            target_kd: float | None = None, damping: float | None = None, stiffness: float | None = None,
                            rest_q: float | None = None, limit_lower: float | None = None, limit_upper: float | None = None,
                            limit_ke: float | None = None, limit_kd: float | None = None, armature: float | None = None,
                            effort_limit: float | None = None, velocity_limit: float | None = None, friction: float | None = None,
                            actuator_mode: JointTargetMode | None = None, target_pos: float | None = None, target_vel: float | None = None,
                            label: str | None = None, collision_filter_parent: bool | None = None, enabled: bool = True,
                            custom_attributes: dict[str, Any] | None = None) -> int:
        """A slider along `axis` (unit, in the parent anchor's frame)."""
        dof = self._dof(axis, locals())
        return self.add_joint(JointType.PRISMATIC, parent, child, linear_axes=[dof], label=label, parent_xform=parent_xform, child_xform=child_xform,
                              collision_filter_parent=collision_filter_parent, enabled=enabled, custom_attributes=custom_attributes)

    def add_joint_ball(self, parent: int, child: int, *, parent_xform: Any = None, child_xform: Any = None, armature: float | None = None,
                       friction: float | None = None, damping: float | None = None, stiffness: float | None = None,
                       actuator_mode: JointTargetMode | None = None, label: str | None = None, collision_filter_parent: bool | None = None,
                       enabled: bool = True, custom_attributes: dict[str, Any] | None = None) -> int:
        """A ball: three rotations, coordinates a quaternion x y z w."""
        d = self.default_joint_cfg
        axes = [JointDofConfig(axis=axis, armature=d.armature if armature is None else armature, friction=d.friction if friction is None else friction,
                               damping=d.damping if damping is None else damping, stiffness=d.stiffness if stiffness is None else stiffness,
                               actuator_mode=actuator_mode) for axis in Axis]
        return self.add_joint(JointType.BALL, parent, child, angular_axes=axes, label=label, parent_xform=parent_xform, child_xform=child_xform,
                              collision_filter_parent=collision_filter_parent, enabled=enabled, custom_attributes=custom_attributes)

    def add_joint_fixed(self, parent: int, child: int, *, parent_xform: Any = None, child_xform: Any = None, label: str | None = None,
                        collision_filter_parent: bool | None = None, enabled: bool = True, custom_attributes: dict[str, Any] | None = None) -> int:
        """Holds the two anchors together."""
        return self.add_joint(JointType.FIXED, parent, child, label=label, parent_xform=parent_xform, child_xform=child_xform,
                              collision_filter_parent=collision_filter_parent, enabled=enabled, custom_attributes=custom_attributes)

    def add_joint_free(self, child: int, *, parent_xform: Any = None, child_xform: Any = None, parent: int = -1, label: str | None = None,
                       collision_filter_parent: bool | None = None, enabled: bool = True, custom_attributes: dict[str, Any] | None = None) -> int:
        """Coordinates without any constraint: a pose (7) and a velocity (6); they begin where the body stands."""
        return self.add_joint(JointType.FREE, parent, child, linear_axes=list(_FREE_AXES), angular_axes=list(_FREE_AXES), label=label,
                              parent_xform=parent_xform, child_xform=child_xform, collision_filter_parent=collision_filter_parent, enabled=enabled,
                              custom_attributes=custom_attributes)

    def add_joint_distance(self, parent: int, child: int, *, parent_xform: Any = None, child_xform: Any = None, min_distance: float = -1.0,
                           max_distance: float = 1.0, collision_filter_parent: bool | None = None, enabled: bool = True,
                           custom_attributes: dict[str, Any] | None = None, label: str | None = None) -> int:
        """Keeps the anchors `min_distance` to `max_distance` apart [m]; a negative bound is none."""
        first = JointDofConfig(axis=Axis.X, limit_lower=min_distance, limit_upper=max_distance)
        return self.add_joint(JointType.DISTANCE, parent, child, linear_axes=[first, *_FREE_AXES[1:]], angular_axes=list(_FREE_AXES), label=label,
                              parent_xform=parent_xform, child_xform=child_xform, collision_filter_parent=collision_filter_parent, enabled=enabled,
                              custom_attributes=custom_attributes)

    def add_joint_d6(self, parent: int, child: int, *, linear_axes: list[JointDofConfig] | None = None,
                     angular_axes: list[JointDofConfig] | None = None, label: str | None = None, parent_xform: Any = None, child_xform: Any = None,
                     collision_filter_parent: bool | None = None, enabled: bool = True, custom_attributes: dict[str, Any] | None = None) -> int:
        """Up to three sliding and three turning axes."""
        return self.add_joint(JointType.D6, parent, child, linear_axes=linear_axes, angular_axes=angular_axes, label=label, parent_xform=parent_xform,
                              child_xform=child_xform, collision_filter_parent=collision_filter_parent, enabled=enabled,
                              custom_attributes=custom_attributes)

    def add_articulation(self, joints: list[int], label: str | None = None, custom_attributes: dict[str, Any] | None = None) -> None:
        """Makes a tree of joints: contiguous, ascending indices, parents before children, one world."""
        wanted = [int(j) for j in joints]
        if not wanted:
            raise error(ValueError, "MODEL_ART_EMPTY", "joints: an articulation with no joints; give at least one")
        for j in wanted:
            if not 0 <= j < self.joint_count:
                raise error(ValueError, "MODEL_ART_JOINT", f"joints: there is no joint {j}")
        if wanted != sorted(wanted):
            raise error(ValueError, "MODEL_ART_ORDER", f"joints {wanted} must be in ascending (monotonically increasing) order")
        if wanted != list(range(wanted[0], wanted[0] + len(wanted))):
            raise error(ValueError, "MODEL_ART_CONTIGUOUS", f"joints {wanted} must be contiguous")
        worlds = self.joint_world
        for j in wanted:
            if self.joint_articulation[j] >= 0:
                raise error(ValueError, "MODEL_ART_TWICE", f"joint {j} ('{self.joint_label[j]}') already belongs to articulation {self.joint_articulation[j]}")
            if worlds[j] != self.current_world:
                raise error(ValueError, "MODEL_ART_WORLD", f"joint {j} belongs to world {worlds[j]}, the articulation to world {self.current_world}")
        above: dict[int, int] = {}
        for j in wanted:
            child, parent = self.joint_child[j], self.joint_parent[j]
            if child in above and above[child] != parent:
                raise error(ValueError, "MODEL_ART_PARENTS", f"body {child} has multiple parents in one articulation: {above[child]} and {parent}")
            above[child] = parent
            if config.compat == "newton-1.8" and parent >= 0 and self.body_flags[child] & BodyFlags.KINEMATIC:
                raise error(ValueError, "MODEL_STRUCTURE", f"body {child} ('{self.body_label[child]}') is kinematic and hangs on a body. Only root bodies of an articulation can be kinematic")
        index = self._core.add_articulation(wanted, self._label(label, "articulation", self.articulation_count))
        self._values_of("ARTICULATION", index, custom_attributes)

    def set_joint_mimic(self, joint: int, reference_joint: int | None, *, coeffs: tuple[float, float] = (0.0, 1.0)) -> None:
        """Lets `joint` follow another: q = coeffs[0] + coeffs[1] * q of `reference_joint`; None: it follows none."""
        if reference_joint is None:
            self._core.set_joint_mimic(int(joint), -1, 0.0, 1.0)
            return
        if not 0 <= joint < self.joint_count or not 0 <= reference_joint < self.joint_count:
            raise error(ValueError, "MODEL_MIMIC_JOINT", f"joint {joint} or reference_joint {reference_joint} does not exist")
        if joint == reference_joint:
            raise error(ValueError, "MODEL_MIMIC_SELF", f"joint {joint} cannot follow itself")
        leaders = self.joint_mimic_joint
        if leaders[reference_joint] >= 0:
            raise error(ValueError, "MODEL_MIMIC_CHAIN", f"Reference joint {reference_joint} is already a mimic joint of joint {leaders[reference_joint]}; chains are not followed")
        if joint in leaders:
            raise error(ValueError, "MODEL_MIMIC_CHAIN", f"Follower joint {joint} is already referenced by another mimic joint; chains are not followed")
        if sum(self.joint_dof_dim[joint]) != sum(self.joint_dof_dim[reference_joint]) or self.joint_type[joint] in (JointType.FREE, JointType.BALL, JointType.FIXED, JointType.DISTANCE):
            raise error(ValueError, "MODEL_MIMIC_DOF", f"mimic joints need matching position and velocity dimensions of scalar dofs: joint {joint} has "
                        f"{self.joint_dof_dim[joint]}, reference_joint {reference_joint} {self.joint_dof_dim[reference_joint]}")
        self._core.set_joint_mimic(int(joint), int(reference_joint), float(coeffs[0]), float(coeffs[1]))

    def _why_no_mimic(self, joint: int, leader: int) -> str:
        """Why the relation is none that `set_joint_mimic` takes, so that it stays a row which solvers of Mechane do not read; "" where it is one."""
        pair = (joint, leader)
        if not all(0 <= j < self.joint_count for j in pair):
            return "one of the joints does not exist"
        if joint == leader:
            return "the joint follows itself"
        if len({self.joint_articulation[j] for j in pair}) > 1:
            return "the joints belong to different articulations"
        scalar = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.D6)
        if not all(self.joint_type[j] in scalar for j in pair) or sum(self.joint_dof_dim[joint]) != sum(self.joint_dof_dim[leader]):
            return "the joints are of other kinds, or of different numbers of axes"
        leaders = self.joint_mimic_joint
        return "one of them follows or leads already: chains are not followed" if leaders[leader] >= 0 or joint in leaders else ""

    def add_constraint_mimic(self, joint0: int, joint1: int, coef0: float = 0.0, coef1: float = 1.0, enabled: bool = True, label: str | None = None,
                             custom_attributes: dict[str, Any] | None = None) -> int:
        """The older spelling of `set_joint_mimic`: joint0 follows joint1. Returns the number of the relation."""
        warn("add_constraint_mimic is called set_joint_mimic", MechaneDeprecationWarning)
        why = self._why_no_mimic(int(joint0), int(joint1))
        if enabled and why:
            warn(f"SOLVER_FEATURE: joint {joint0} does not follow joint {joint1} in a simulation: {why}")
        elif enabled:
            self.set_joint_mimic(joint0, joint1, coeffs=(coef0, coef1))
        for name, value in (("joint0", int(joint0)), ("joint1", int(joint1)), ("coef0", float(coef0)), ("coef1", float(coef1)), ("enabled", bool(enabled)),
                            ("label", label or ""), ("world", self.current_world)):
            getattr(self, f"constraint_mimic_{name}").append(value)
        index = len(self.constraint_mimic_joint0) - 1
        self._values_of("CONSTRAINT_MIMIC", index, custom_attributes)
        return index

    def collapse_fixed_joints(self, verbose: bool = False, joints_to_keep: Sequence[str | int] | None = None) -> dict[str, Any]:
        """Merges bodies that FIXED joints hold together; the joints in `joints_to_keep`, by label or index, stay."""
        self._push_filters()
        # joints that are told by their index get labels that no other has for the time being
        kept = {int(j): self.joint_label[int(j)] for j in listed(joints_to_keep) if not isinstance(j, str)}
        for joint in kept:
            self.joint_label[joint] = f"\x01{joint}"
        done = self._core.collapse_fixed_joints([*(j for j in listed(joints_to_keep) if isinstance(j, str)), *(f"\x01{joint}" for joint in kept)])
        for joint, label in kept.items():
            self.joint_label[done["joint_remap"][joint]] = label
        publish(done.pop("diagnostics"))
        done["body_merged_transform"] = {k: transform(*v) for k, v in done["body_merged_transform"].items()}
        done["body_remap"] = {i: to for i, to in enumerate(done["body_remap"]) if to >= 0 and i not in done["body_merged_parent"]}
        done["joint_remap"] = {i: to for i, to in enumerate(done["joint_remap"]) if to >= 0}
        self._remap_references({"body": done["body_remap"], "joint": done["joint_remap"]})
        self._muscles_remapped(done)
        self._joint_between.clear()
        self._filters = self._core.filter_pairs
        self._filters_seen = len(self._filters)
        return done

    # -- helpers
    def _world_of_body(self, body: int) -> int:
        if body == -1:
            return -1
        if not -1 <= body < self.body_count:
            raise error(IndexError, "MODEL_STRUCTURE", f"there is no body {body}")
        return self.body_world[body]

    def _dof(self, axis: Any, arguments: dict[str, Any]) -> JointDofConfig:
        """A dof from the arguments of a verb; what is None comes from `default_joint_cfg`."""
        if isinstance(axis, JointDofConfig):
            return axis
        default = self.default_joint_cfg
        arguments = dict(arguments)
        arguments["target_q"] = renamed("target_pos", "target_q", arguments["target_pos"], arguments["target_q"])
        arguments["target_qd"] = renamed("target_vel", "target_qd", arguments["target_vel"], arguments["target_qd"])
        fields = {name: arguments[name] if arguments[name] is not None else getattr(default, name)
                  for name in JointDofConfig.FIELDS if name not in ("axis", "actuator_mode")}
        mode = arguments["actuator_mode"]
        gains_given = arguments["target_ke"] is not None or arguments["target_kd"] is not None
        if mode is None and not gains_given:
            mode = default.actuator_mode
        return JointDofConfig(axis=default.axis if axis is None else axis_vector(axis), actuator_mode=mode, **fields)


def _check_rod(linear: list[JointDofConfig], angular: list[JointDofConfig]) -> None:
    """@raises ValueError  not the axes of a rod: x, y, z along, and x, y, z about, without targets"""
    said = "use ModelBuilder.add_joint_rod() to construct the canonical layout"
    if len(linear) != 3 or len(angular) != 3:
        raise kind_of(ValueError)(f"JointType.ROD requires exactly three linear and three angular axes; {said}", "PYTHON_ARG_ROD")
    for config, axis in zip((*linear, *angular), (*Axis, *Axis)):
        if max(abs(a - b) for a, b in zip(config.axis, axis.to_vec3())) > 1e-6:
            raise kind_of(ValueError)(f"JointType.ROD requires canonical XYZ linear and XYZ angular axis ordering; {said}", "PYTHON_ARG_ROD")
        if config.target_q != 0:
            raise kind_of(ValueError)("JointType.ROD requires zero target_q values; use add_joint_rod(rest_rotation=...) or joint_rest_q for structural rest", "PYTHON_ARG_ROD")
        if config.actuator_mode not in (None, JointTargetMode.NONE):
            raise kind_of(ValueError)(f"JointType.ROD requires actuator_mode=JointTargetMode.NONE; got {config.actuator_mode!r}", "PYTHON_ARG_ROD")
    if any(config.rest_q not in (None, 0.0) for config in linear):
        raise kind_of(ValueError)("JointType.ROD requires zero linear rest_q values, because its anchors coincide at rest", "PYTHON_ARG_ROD")
    if any(config.rest_q not in (None, 0.0) for config in angular):
        raise kind_of(ValueError)("Quaternion joints require a joint-level rest orientation; scalar rest_q must be zero", "PYTHON_ARG_ROD")


name_arguments(globals())
