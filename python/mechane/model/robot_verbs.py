"""add_urdf and add_mjcf: robots of other formats, read as OpenUSD and imported like any stage, or as Newton 1.8 reads them."""
from __future__ import annotations

import copy
import os
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Sequence

from .. import config
from ..core.diagnostics import Diagnostics, NotSupportedError, error
from ..core.files import reading, suffix_of

if TYPE_CHECKING:
    from .import_verbs import ImportResult

__all__ = ["RobotVerbs"]


_OF_URDF = ("xform", "floating", "base_joint", "parent_body", "scale", "hide_visuals", "parse_visuals_as_colliders", "up_axis", "force_show_colliders",
            "enable_self_collisions", "ignore_inertial_definitions", "joint_ordering", "bodies_follow_joint_ordering", "collapse_fixed_joints",
            "collapse_massless_fixed_root", "mesh_maxhullvert", "force_position_velocity_actuation", "override_root_xform", "joint_damping_mode", "package_dirs")
_OF_MJCF = ("xform", "floating", "base_joint", "parent_body", "armature_scale", "scale", "hide_visuals", "parse_visuals_as_colliders", "parse_meshes", "parse_sites",
            "parse_visuals", "parse_mujoco_options", "up_axis", "ignore_names", "ignore_classes", "visual_classes", "collider_classes", "no_class_as_colliders",
            "force_show_colliders", "enable_self_collisions", "ignore_inertial_definitions", "collapse_fixed_joints", "collapse_massless_fixed_root", "verbose",
            "skip_equality_constraints", "convert_mjc_equality_constraints", "convert_3d_hinge_to_ball_joints", "mesh_maxhullvert", "ctrl_direct", "path_resolver",
            "override_root_xform", "legacy_margin_gap")


def _refuse(verb: str, given: dict[str, tuple[Any, Any]]) -> None:
    """NotSupportedError for an argument that does nothing here, unless it has its default."""
    for name, (value, otherwise) in given.items():
        if value != otherwise:
            raise NotSupportedError(f"{verb}({name}={value!r}) is not supported; its default {otherwise!r} is", "PYTHON_ARG_OPTION")


class RobotVerbs:
    """Mixed into ModelBuilder."""

    def add_urdf(self, source: Any, *, xform: Any = None, floating: bool | None = None, base_joint: dict[str, Any] | None = None, parent_body: int = -1,
                 scale: float = 1.0, hide_visuals: bool = False, parse_visuals_as_colliders: bool = False, up_axis: Any = 2,
                 force_show_colliders: bool = False, enable_self_collisions: bool = True, ignore_inertial_definitions: bool = False,
                 joint_ordering: str | None = "dfs", bodies_follow_joint_ordering: bool = True, collapse_fixed_joints: bool = False,
                 collapse_massless_fixed_root: bool = False, mesh_maxhullvert: int | None = None, force_position_velocity_actuation: bool = False,
                 override_root_xform: bool = False, joint_damping_mode: str = "passive", package_dirs: list[str] | None = None,
                 **options: Any) -> ImportResult:
        """Adds a robot of URDF, also with xacro: a path, or the XML itself.

        The base is fixed unless `floating` is true, as URDF's programs have it. Links without mass that fixed joints hold are frames, not bodies.
        What the file says wrong is among the result's `.diagnostics`, with file and line.

        @param package_dirs  folders that hold packages, or are packages, for package:// and $(find)
        @param hide_visuals  visual shapes are left out
        @param options  those of `add_usd`
        @raises FileNotFoundError, RuntimeError  the file cannot be read
        @raises NotSupportedError  an argument that does nothing here has another value than its default
        """
        if self._as_newton(source, options):
            given = dict(locals())
            return self._read_robot("urdf", source, {name: given[name] for name in _OF_URDF})
        _refuse("add_urdf", {"scale": (float(scale), 1.0), "parse_visuals_as_colliders": (parse_visuals_as_colliders, False), "up_axis": (_axis(up_axis), 2),
                             "ignore_inertial_definitions": (ignore_inertial_definitions, False), "collapse_massless_fixed_root": (collapse_massless_fixed_root, False),
                             "joint_damping_mode": (joint_damping_mode, "passive")})
        if floating is None and base_joint is None:
            floating = False
        return self._add_robot(source, ".urdf", package_dirs, xform=xform, floating=floating, base_joint=base_joint, parent_body=parent_body,
                               load_visual_shapes=not hide_visuals, load_static_visual_shapes=not hide_visuals, force_show_colliders=force_show_colliders,
                               enable_self_collisions=enable_self_collisions, joint_ordering=joint_ordering, bodies_follow_joint_ordering=bodies_follow_joint_ordering,
                               collapse_fixed_joints=collapse_fixed_joints, mesh_maxhullvert=mesh_maxhullvert,
                               force_position_velocity_actuation=force_position_velocity_actuation, override_root_xform=override_root_xform, **options)

    def add_mjcf(self, source: Any, *, xform: Any = None, floating: bool | None = None, base_joint: dict[str, Any] | None = None, parent_body: int = -1,
                 armature_scale: float = 1.0, scale: float = 1.0, hide_visuals: bool = False, parse_visuals_as_colliders: bool = False,
                 parse_meshes: bool = True, parse_sites: bool = True, parse_visuals: bool = True, parse_mujoco_options: bool = True, up_axis: Any = 2,
                 ignore_names: Sequence[str] = (), ignore_classes: Sequence[str] = (), visual_classes: Sequence[str] = ("visual",),
                 collider_classes: Sequence[str] = ("collision",), no_class_as_colliders: bool = True, force_show_colliders: bool = False,
                 enable_self_collisions: bool = True, ignore_inertial_definitions: bool = False, collapse_fixed_joints: bool = False,
                 collapse_massless_fixed_root: bool = False, verbose: bool = False, skip_equality_constraints: bool = False,
                 convert_mjc_equality_constraints: bool = True, convert_3d_hinge_to_ball_joints: bool = False, mesh_maxhullvert: int | None = None,
                 ctrl_direct: bool = False, path_resolver: Callable[[str | None, str], str] | None = None, override_root_xform: bool = False,
                 legacy_margin_gap: bool = False, **options: Any) -> ImportResult:
        """Adds a model of MJCF: a path, or the XML itself.

        Which geoms collide follows contype and conaffinity, as in MuJoCo, and not the names of classes. Attributes of MuJoCo are read by the resolver
        "mjc", which stands behind "newton" unless `schema_resolvers` says otherwise.

        @param hide_visuals  visual shapes are left out
        @param options  those of `add_usd`
        @raises FileNotFoundError, RuntimeError  the file cannot be read
        @raises NotSupportedError  an argument that does nothing here has another value than its default
        """
        if self._as_newton(source, options):
            given = dict(locals())
            return self._read_robot("mjcf", source, {name: given[name] for name in _OF_MJCF})
        _refuse("add_mjcf", {"armature_scale": (float(armature_scale), 1.0), "scale": (float(scale), 1.0), "parse_visuals_as_colliders": (parse_visuals_as_colliders, False),
                             "parse_meshes": (parse_meshes, True), "up_axis": (_axis(up_axis), 2), "ignore_names": (tuple(ignore_names), ()),
                             "ignore_classes": (tuple(ignore_classes), ()), "visual_classes": (tuple(visual_classes), ("visual",)),
                             "collider_classes": (tuple(collider_classes), ("collision",)), "no_class_as_colliders": (no_class_as_colliders, True),
                             "ignore_inertial_definitions": (ignore_inertial_definitions, False), "collapse_massless_fixed_root": (collapse_massless_fixed_root, False),
                             "skip_equality_constraints": (skip_equality_constraints, False), "convert_3d_hinge_to_ball_joints": (convert_3d_hinge_to_ball_joints, False),
                             "ctrl_direct": (ctrl_direct, False), "path_resolver": (path_resolver, None)})
        options.setdefault("schema_resolvers", ["newton", "mjc"])
        shown = parse_visuals and not hide_visuals
        return self._add_robot(source, ".xml", None, xform=xform, floating=floating, base_joint=base_joint, parent_body=parent_body, load_sites=parse_sites,
                               load_visual_shapes=shown, load_static_visual_shapes=shown, parse_mujoco_options=parse_mujoco_options,
                               force_show_colliders=force_show_colliders, enable_self_collisions=enable_self_collisions,
                               collapse_fixed_joints=collapse_fixed_joints, verbose=verbose, convert_mjc_equality_constraints=convert_mjc_equality_constraints,
                               mesh_maxhullvert=mesh_maxhullvert, override_root_xform=override_root_xform, legacy_margin_gap=legacy_margin_gap, **options)

    @staticmethod
    def _as_newton(source: Any, options: dict[str, Any]) -> bool:
        """Whether the file goes straight into the builder, by Newton's rules."""
        compat = options.get("compat") or config.compat
        if compat != "newton-1.8":
            return False
        strange = sorted(set(options) - {"compat"})
        if strange:
            raise error(TypeError, "IMPORT_ARG_OPTION", f"unexpected keyword arguments {strange}; with compat='newton-1.8' those of Newton are taken")
        return not str(source).lower().endswith(".xacro")

    def _read_robot(self, kind: str, source: Any, options: dict[str, Any]) -> ImportResult:
        """The builder is as it was when the reader fails."""
        from .import_verbs import ImportResult
        from .robots.mjcf import read_mjcf
        from .robots.urdf import read_urdf

        read = read_mjcf if kind == "mjcf" else read_urdf
        kept = copy.deepcopy(self)
        try:
            with reading() as files:
                read(self, source, options)
        except BaseException:
            self.__dict__.update(kept.__dict__)
            raise
        result = ImportResult({}, Diagnostics(), None)
        result.files = list(dict.fromkeys(files))
        self._inputs += result.files
        return result

    def _add_robot(self, source: Any, suffix: str, folders: list[str] | None, **options: Any) -> ImportResult:
        add: Callable[..., ImportResult] = self.add_usd  # type: ignore[attr-defined]
        text = source.decode() if isinstance(source, bytes) else os.fspath(source)
        if text.lstrip().startswith("<"):
            with tempfile.TemporaryDirectory() as place:
                file = os.path.join(place, "robot" + suffix)
                with open(file, "w", encoding="utf-8") as out:
                    out.write(text)
                return add(file, resolver_paths=[os.getcwd(), *(folders or [])], **options)
        if text.startswith("file://"):
            text = text[len("file://"):]
        if suffix_of(text) not in (".urdf", ".xacro", ".xml", ".mjcf"):
            raise error(ValueError, "PYTHON_ARG_SOURCE", f"{text}: expected .urdf, .xacro, .xml or .mjcf, or the XML itself")
        return add(text, resolver_paths=folders, **options)


def _axis(up: Any) -> int:
    """0, 1, 2 of an axis by its name or number."""
    return "XYZ".index(up.upper()) if isinstance(up, str) and up.upper() in "XYZ" and len(up) == 1 else int(up)
