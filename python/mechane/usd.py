"""Stages and prims, schema resolvers, helpers on live prims. `pxr` is never imported."""
from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass
from typing import Any, Iterator

from . import _core
from ._arguments import name_arguments
from ._diagnostics import Diagnostic, Diagnostics, MechaneDeprecationWarning, NotSupportedError, error, publish, warn
from ._import import is_live_stage, open_stage
from ._resolvers import PrimType, SchemaResolver, SchemaResolverManager, SchemaResolverMjc, SchemaResolverNewton, SchemaResolverPhysx
from ._reserved import _Later
from ._usd_helpers import (get_attribute, get_attributes_in_namespace, get_custom_attribute_declarations, get_custom_attribute_values, get_float,
                           get_gprim_axis, get_physics_scenes, get_quat, get_scale, get_transform, has_applied_api_schema, has_attribute, type_to_warp,
                           value_to_warp)
from ._usd_mesh import get_mesh
from ._usd_port import PortDefaults, port_physx_sdf_to_newton
from ._usd_view import AssetPath, Prim

__all__ = ["AssetPath", "Layer", "PortDefaults", "Prim", "PrimType", "SchemaResolver", "SchemaResolverManager", "SchemaResolverMjc", "SchemaResolverNewton",
           "SchemaResolverPhysx", "Stage", "explain", "get_attribute", "get_attributes_in_namespace", "get_custom_attribute_declarations",
           "get_custom_attribute_values", "get_float", "get_gprim_axis", "get_mesh", "get_physics_scenes", "get_quat", "get_scale", "get_transform",
           "has_applied_api_schema", "has_attribute", "ledger", "open", "port_physx_sdf_to_newton", "type_to_warp", "value_to_warp"]

_LATER = dict.fromkeys(("get_tetmesh", "find_tetmesh_prims", "find_deformable_visual_prims", "get_deformable_bind_pose", "DEFORMABLE_LEGACY_NAMESPACES"),
                       "deformables")


@dataclass(frozen=True)
class Layer:
    """One file that a stage is composed of."""

    identifier: str

    @property
    def is_anonymous(self) -> bool:
        """It lives in memory, or in bytes that were given."""
        return not pathlib.Path(self.identifier).exists()

    def text(self) -> str:
        """What a text file says.

        @raises ValueError  it is no text, or in no file
        """
        data = b"" if self.is_anonymous else pathlib.Path(self.identifier).read_bytes()
        if not data.startswith(b"#usda"):
            raise ValueError(f"{self.identifier}: not a layer of text in a file")
        return data.decode()


class Stage:
    """A composed stage, read-only; with the method names of `Usd.Stage` for reading."""

    def __init__(self, source: Any):
        self._stage, _ = open_stage(source)

    @property
    def source(self) -> str:
        return self._stage.source

    @property
    def prim_count(self) -> int:
        return self._stage.prim_count

    @property
    def used_layers(self) -> list[str]:
        """Identifiers, root layer first."""
        return self._stage.used_layers

    @property
    def layers(self) -> list[Layer]:
        """Root layer first."""
        return [Layer(identifier) for identifier in self.used_layers]

    @property
    def diagnostics(self) -> Diagnostics:
        return Diagnostics(Diagnostic(**d) for d in self._stage.diagnostics())

    def dump(self, limit: int = 64) -> dict[str, Any]:
        """Everything that the stage composes, as `mechane dump stage` prints it."""
        return json.loads(self._stage.dump(limit))

    def GetPrimAtPath(self, path: Any) -> Prim:
        """The prim at a path; false where there is none."""
        return Prim(_core.prim_at(self._stage, str(path)))

    def GetPseudoRoot(self) -> Prim:
        return Prim(_core.pseudo_root(self._stage))

    def GetDefaultPrim(self) -> Prim:
        return Prim(_core.default_prim(self._stage))

    def Traverse(self) -> list[Prim]:
        """Active, defined, loaded prims, depth first; instances are not entered."""
        return [Prim(p) for p in _core.traverse(self._stage, False)]

    def GetMetadata(self, key: str) -> Any:
        from ._usd_view import value_of

        return value_of(_core.root_metadata(self._stage, key))

    get_prim_at_path, get_pseudo_root, get_default_prim, traverse, get_metadata = GetPrimAtPath, GetPseudoRoot, GetDefaultPrim, Traverse, GetMetadata

    def __iter__(self) -> Iterator[Prim]:
        return iter(self.Traverse())

    def __repr__(self) -> str:
        return f"<Stage {self.source!r} {self.prim_count} prims>"


def open(source: Any) -> Stage:  # noqa: A001
    """A path, bytes of usda, or a live `Usd.Stage`."""
    return Stage(source)


def read_in_child(file: Any) -> None:
    """Reads a stage that is not trusted in a process of its own first, which may die of it instead of this one.

    @raises RuntimeError  STAGE_READER_DIED: that process did not survive the file, or the file cannot be read
    """
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-m", "mechane", "try-read", "--isolate=never", "--", str(file)], capture_output=True, check=False)
    if done.returncode != 0:
        why = f"a signal {-done.returncode}" if done.returncode < 0 else "more time or memory than its size allows" if done.returncode in (101, 102) else "an error"
        raise error(RuntimeError, "STAGE_READER_DIED", f"{file}: the process that read it ended with {why}")


def explain(source: Any, path: str, **options: Any) -> list[dict[str, Any]]:
    """Where numbers of the model come from: "/arm/elbow.armature", or "/arm/elbow" for all of them. Options are those of add_usd."""
    result, model = _imported(source, options)
    return result.explain(model, path)


def ledger(source: Any, **options: Any) -> list[dict[str, Any]]:
    """Every authored physics property and what became of it."""
    return _imported(source, options)[0].ledger


def _imported(source: Any, options: dict[str, Any]) -> Any:
    import warnings

    from ._builder import ModelBuilder

    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = builder.add_usd(source, **options)
        return result, builder.finalize()


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return _Later("mechane.usd", name, _LATER[name])
    raise AttributeError(f"module 'mechane.usd' has no attribute {name!r}")


name_arguments(globals())
