"""add_usd: stages from files, text, or live in memory."""
from __future__ import annotations

import copy
import json
import os
from typing import Any, Callable

from .. import _core, config
from ..core.arguments import name_arguments
from ..core.diagnostics import Diagnostic, Diagnostics, NotSupportedError, error, kind_of, publish
from ..core.enums import JointType
from ..core.values import as_transform, transform, vec3
from ..stage.helpers import get_scale
from ..stage.opening import is_live_stage, note, open_stage
from ..stage.origin import MeshOrigin
from ..stage.resolvers import SchemaResolver, checked
from ..stage.view import Prim

__all__ = ["ImportResult", "ImportVerbs", "import_options"]


class ImportResult(dict):
    """What an import did: maps from prim paths to indices, units, scene, vendor attributes; see the keys."""

    def __init__(self, fields: dict[str, Any], diagnostics: Diagnostics, record: Any):
        super().__init__(fields)
        self.diagnostics = diagnostics
        self._record = record
        #: The layers that were read.
        self.files: list[str] = []

    @property
    def ledger(self) -> list[dict[str, Any]]:
        """Every authored physics property and what became of it."""
        return self._record.ledger()

    def explain(self, model: Any, path: str) -> list[dict[str, Any]]:
        """Where numbers of the model come from: "/arm/elbow.armature", or "/arm/elbow" for all of them."""
        return self._record.explain(model._core, path)

    def __reduce__(self):
        return (_result_again, (dict(self), self.diagnostics))

    def _repr_html_(self) -> str:
        import html

        rows = "".join(f"<tr><td>{html.escape(str(k))}</td><td>{html.escape(str(len(v)) if isinstance(v, dict) else str(v))}</td></tr>" for k, v in self.items())
        return f"<table><tbody>{rows}</tbody></table>"


def _result_again(fields: dict[str, Any], diagnostics: Diagnostics) -> ImportResult:
    return ImportResult(fields, diagnostics, None)


def _parsed(value: Any) -> Any:
    """Values arrive as JSON."""
    return json.loads(value) if isinstance(value, str) else value


class ImportVerbs:
    """Mixed into ModelBuilder."""

    def add_usd(self, source: Any, *, xform: Any = None, floating: bool | None = None, base_joint: Any = None, parent_body: int = -1,
                only_load_enabled_rigid_bodies: bool = False, only_load_enabled_joints: bool = True, joint_drive_gains_scaling: float = 1.0,
                verbose: bool = False, ignore_paths: list[str] | None = None, collapse_fixed_joints: bool = False,
                enable_self_collisions: bool = True, apply_up_axis_from_stage: bool = False, root_path: str = "/",
                joint_ordering: str | None = "dfs", bodies_follow_joint_ordering: bool = True, skip_mesh_approximation: bool = False,
                load_sites: bool = True, load_visual_shapes: bool = True, load_static_visual_shapes: bool = True,
                hide_collision_shapes: bool = False, force_show_colliders: bool = False, parse_mujoco_options: bool = True,
                mesh_maxhullvert: int | None = None, schema_resolvers: list[Any] | None = None, force_position_velocity_actuation: bool = False,
                convert_mjc_equality_constraints: bool = True, override_root_xform: bool = False, legacy_margin_gap: bool = False,
                return_deformable_results: bool = False, allow_unsafe_torch_checkpoints: bool = False, compat: str | None = None,
                keep_orphan_joints: bool = False, on_diagnostic: Callable[[Diagnostic], None] | None = None,
                variants: dict[str, dict[str, str]] | None = None, resolver_paths: list[str] | None = None, **options: Any) -> ImportResult:
        """Adds a stage: a path, bytes of usda, a live `Usd.Stage`, or a `mechane.usd.Stage`.

        Numbers arrive in SI and radians. A fault of the asset costs the entity it concerns and is a warning; with
        `compat="newton-1.8"` the rules of that importer hold, refusals included.

        @param schema_resolvers  experimental: whose attributes are read, by priority; names, tables of `mechane.usd` or files of tables
        @param options  every other option of the program's `--option NAME=VALUE`, by its name: `nested_bodies="schema"`,
                        `allow_missing=True`, `units="stage"`; `import_options()` lists them with type, default and meaning
        @return  maps from prim paths to indices, units, scene, vendor attributes, `.diagnostics`, `.ledger`
        @raises FileNotFoundError, RuntimeError  the stage cannot be opened or composed
        @raises ValueError  an argument makes no sense; the builder is then as it was
        """
        from .custom_reader import CustomReader

        _check_names(options)
        if allow_unsafe_torch_checkpoints:
            raise NotSupportedError("allow_unsafe_torch_checkpoints is refused: checkpoints are never executed", "PYTHON_ARG_CHECKPOINTS")
        if base_joint is not None and floating is not None:
            raise error(ValueError, "IMPORT_ARG_BASE", "Cannot specify both floating and base_joint")
        base = None if base_joint is None else self._base_joint(base_joint)
        resolvers = checked(["newton"] if schema_resolvers is None else schema_resolvers)
        if joint_ordering not in ("dfs", "bfs", None):
            raise error(ValueError, "IMPORT_ARG_JOINT_ORDERING", f"joint_ordering is {joint_ordering!r}, expected 'dfs', 'bfs' or None")
        if not -1 <= parent_body < self.body_count:
            raise error(ValueError, "PYTHON_ARG_PARENT_BODY", f"parent_body: there is no body {parent_body}")
        if parent_body >= 0:
            self._check_parent_body(parent_body, floating)
        if not isinstance(root_path, str) and not hasattr(root_path, "pathString"):  # a path of OpenUSD is taken too
            raise error(TypeError, "PYTHON_ARGUMENT", f"root_path: expected a prim path as text, not {root_path!r}")
        options = {
            **options,
            "compat": compat if compat is not None else config.compat,
            "xform": None if xform is None else list(as_transform(xform)),
            "floating": floating,
            "parent_body": parent_body if parent_body >= 0 else None,
            "only_load_enabled_rigid_bodies": only_load_enabled_rigid_bodies,
            "only_load_enabled_joints": only_load_enabled_joints,
            "joint_drive_gains_scaling": float(joint_drive_gains_scaling),
            "ignore_paths": list(ignore_paths) if ignore_paths else None,
            "collapse_fixed_joints": collapse_fixed_joints,
            "enable_self_collisions": enable_self_collisions,
            "apply_up_axis_from_stage": apply_up_axis_from_stage,
            "root_path": str(root_path),
            "joint_ordering": joint_ordering or "none",
            "bodies_follow_joint_ordering": bodies_follow_joint_ordering,
            "skip_mesh_approximation": skip_mesh_approximation,
            "load_sites": load_sites,
            "load_visual_shapes": load_visual_shapes,
            "load_static_visual_shapes": load_static_visual_shapes,
            "hide_collision_shapes": hide_collision_shapes,
            "parse_mujoco_options": parse_mujoco_options,
            "force_show_colliders": force_show_colliders,
            "mesh_maxhullvert": mesh_maxhullvert,
            "schema_resolvers": None if schema_resolvers is None else [r if isinstance(r, str) else r.name for r in resolvers],
            "legacy": _legacy(options.get("legacy"), resolvers),
            "force_position_velocity_actuation": force_position_velocity_actuation,
            "convert_mjc_equality_constraints": convert_mjc_equality_constraints,
            "override_root_xform": override_root_xform,
            "legacy_margin_gap": legacy_margin_gap,
            "known_attributes": [*options.get("known_attributes", ()), *_declared_names(self)],
            "ledger": True,
        }
        for resolver in resolvers:
            if hasattr(resolver, "validate_custom_attributes"):
                resolver.validate_custom_attributes(self)
        chosen = _core.ImportOptions()
        for key, value in options.items():
            if value is not None:
                chosen.set(key, value)
        watch = _core.ReadWatch()  # meshes of a URDF are no layers, and yet read
        stage, notes = open_stage(source, variants=variants, resolver_paths=resolver_paths)
        broken = [note for note in notes if note["code"] == "IMPORT_STAGE_COMPOSITION"]
        if broken and options["compat"] == "newton-1.8":
            raise error(RuntimeError, "IMPORT_STAGE_COMPOSITION", f"the stage has composition errors: {broken[0]['message']}")
        before, kept, actuators = self._core.copy(), self._custom_copy(), copy.deepcopy(self.actuator_entries)
        self._core.set_defaults(self.default_shape_cfg, self.default_joint_cfg)
        first_articulation = self.articulation_count
        live = source if is_live_stage(source) else None
        tables, python = _tables(resolvers, live)
        try:
            record, found = _core.import_usd(stage, chosen, self._core, tables, base)
            fields = ImportResult(self._result_fields(record.result()), Diagnostics(), record)
            fields["_first_articulation"] = first_articulation
            if options["compat"] == "newton-1.8":
                # Signs as the operations have them, not as a decomposed matrix would.
                fields["path_shape_scale"] = {path: get_scale(Prim(_core.prim_at(stage, path)), local=False) for path in fields["path_shape_scale"]}
            reader = CustomReader(self, stage, source, fields, options)
            reader.read()
            self._take_actuators(fields["actuators"], reader.prim)
            del fields["_first_articulation"], fields["_path_joint_axis"]
            fields.pop("_tendon_paths", None)
            if return_deformable_results:
                fields.update(record.deformables())
            _collect_again(fields["schema_attrs"], resolvers, stage, live)
            outgoing = ("IMPORT_DEFORMABLE_DEPRECATED",) if options["compat"] == "newton-1.8" else ()
            diagnostics = publish([*notes, *python, *found], "mechane.usd", on_diagnostic, outgoing)
        except BaseException:
            self._core.assign(before)
            self._custom_restore(kept)
            self.actuator_entries = actuators
            raise
        result = fields
        result.diagnostics = diagnostics
        result.files = [layer for layer in stage.used_layers if os.path.exists(layer)]
        for path, shape in result["path_shape_map"].items():
            if self._core.shape_source(shape) is not None:
                self._looks[shape] = MeshOrigin(Prim(_core.prim_at(stage, path)), mesh_maxhullvert)
        # Joints outside articulations are loop joints here; the older importer refuses them at finalize.
        self._allow_orphans = self._allow_orphans or keep_orphan_joints or options["compat"] is None
        self.usd_results.append(result)
        read = [*map(os.path.abspath, result.files), *watch.files()]
        self._inputs = list(dict.fromkeys([*self._inputs, *read]))
        self.diagnostics = self.diagnostics + diagnostics
        return result

    def _base_joint(self, base_joint: dict[str, Any]) -> dict[str, Any]:
        """The joint that a dict describes, as the library takes it."""
        fixed = {"parent", "child", "parent_xform", "child_xform"} & set(base_joint)
        if fixed:
            raise error(ValueError, "IMPORT_ARG_BASE", f"base_joint dict cannot specify {fixed}; parent_body and xform place it")
        known = {"joint_type", "linear_axes", "angular_axes", "label", "collision_filter_parent", "enabled"}
        if set(base_joint) - known:
            raise error(ValueError, "IMPORT_ARG_BASE", f"base_joint: unknown keys {sorted(set(base_joint) - known)}")
        def axes(name: str) -> list[Any]:
            return list(base_joint.get(name) or ())
        return {"type": int(base_joint.get("joint_type", JointType.D6)), "linear_axes": axes("linear_axes"), "angular_axes": axes("angular_axes"),
                "label": base_joint.get("label") or "", "collision_filter_parent": base_joint.get("collision_filter_parent", True),
                "enabled": base_joint.get("enabled", True)}

    def _check_parent_body(self, body: int, floating: bool | None) -> None:
        """What is imported may hang on a body of the latest articulation."""
        if floating:
            raise error(ValueError, "IMPORT_ARG_BASE", f"floating: a FREE joint cannot hang on parent_body {body}; give base_joint with six axes instead")
        owners = {c: a for c, a in zip(self.joint_child, self.joint_articulation) if a >= 0}
        owners.update({p: a for p, a in zip(self.joint_parent, self.joint_articulation) if a >= 0 and p not in owners})
        if body not in owners:
            raise error(ValueError, "IMPORT_ARG_PARENT", f"parent_body {body} ('{self.body_label[body]}') is not part of any articulation")
        if owners[body] != self.articulation_count - 1:
            raise error(ValueError, "IMPORT_ARG_PARENT", f"parent_body {body} belongs to articulation {owners[body]}, not to the most recent one "
                        f"({self.articulation_count - 1}); import in the order in which things hang together")

    @staticmethod
    def _result_fields(raw: dict[str, Any]) -> dict[str, Any]:
        raw["path_shape_scale"] = {k: vec3(*v) for k, v in raw["path_shape_scale"].items()}
        raw["path_body_relative_transform"] = {k: transform(*v) for k, v in raw["path_body_relative_transform"].items()}
        raw["scene_attributes"] = {k: _parsed(v) for k, v in raw["scene_attributes"].items()}
        raw["schema_attrs"] = {resolver: {prim: {name: _parsed(v) for name, v in values.items()} for prim, values in prims.items()}
                               for resolver, prims in raw["schema_attrs"].items()}
        return raw


def import_options() -> list[dict[str, Any]]:
    """Every option of an import, by which `add_usd` and the program's `--option` know it: name, type, default, unit, meaning, values."""
    return _core.import_options()


def _check_names(options: dict[str, Any]) -> None:
    """TypeError for a keyword that is no option, as Python says it of any other function, with the nearest ones."""
    import difflib

    known = [row["name"] for row in _core.import_options()]
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 3, 0.5)
            raise kind_of(TypeError)(f"add_usd() got an unexpected keyword argument {name!r}" + (f". Did you mean {', '.join(near)}?" if near else ""), "IMPORT_ARG_OPTION")


def _declared_names(builder: Any) -> list[str]:
    """Attributes that the builder's own custom attributes are read from."""
    frequencies = getattr(builder, "custom_frequencies", {})
    return sorted({a.usd_attribute_name for a in builder.custom_attributes.values() if a.usd_attribute_name not in (None, "*")} |
                  {f"newton:{name}" for name in frequencies})


def _legacy(given: Any, resolvers: list[Any]) -> list[str] | None:
    """Rules of older importers that were asked for, by name or by a resolver."""
    rules = given.split(",") if isinstance(given, str) else list(given or ())
    if any(getattr(r, "legacy_solref_limits", False) for r in resolvers) and "mjc-solref-limits" not in rules:
        rules.append("mjc-solref-limits")
    return rules or None


def _tables(resolvers: list[Any], live: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Tables of resolvers that are written in Python, and a note for each that answers look-ups itself."""
    own = [r for r in resolvers if not isinstance(r, str) and not getattr(r, "_built_in", False)]
    def at(core: Any) -> Any:
        return Prim(core) if live is None else live.GetPrimAtPath(core.path)
    notes = [note("PYTHON_RESOLVER_PYTHON", f"resolver {r.name!r} answers every look-up in Python") for r in own if type(r).get_value is not SchemaResolver.get_value]
    return [r._table(at) for r in own], notes


def _collect_again(attrs: dict[str, Any], resolvers: list[Any], stage: Any, live: Any) -> None:
    """Resolvers of the user's may collect by rules of their own."""
    for resolver in resolvers:
        if isinstance(resolver, str) or getattr(resolver, "_built_in", False):
            continue
        overridden = type(resolver).collect_prim_attrs is not SchemaResolver.collect_prim_attrs or type(resolver).get_value is not SchemaResolver.get_value
        if overridden:
            paths = {path for prims in attrs.values() for path in prims}
            attrs[resolver.name] = {path: resolver.collect_prim_attrs(Prim(_core.prim_at(stage, path)) if live is None else live.GetPrimAtPath(path))
                                    for path in sorted(paths)}


name_arguments(globals())
