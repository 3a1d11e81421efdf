"""Stages and prims, schema resolvers, helpers on live prims. `pxr` is never imported."""
from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

from .core.arguments import name_arguments
from .core.diagnostics import error
from .geometry.usd_mesh import get_mesh
from .model.builder import ModelBuilder
from .model.custom_values import get_custom_attribute_declarations, get_custom_attribute_values
from .model.deformable_prims import find_deformable_visual_prims, get_deformable_bind_pose
from .model.tet_prims import DEFORMABLE_LEGACY_NAMESPACES, find_tetmesh_prims, get_tetmesh
from .newton.modules import absent
from .stage.edits import LayerEdits
from .stage.helpers import (get_attribute, get_attributes_in_namespace, get_float, get_gprim_axis, get_physics_scenes, get_quat, get_scale, get_transform, has_applied_api_schema, has_attribute, type_to_warp,
                           value_to_warp)
from .stage.port import PortDefaults, port_physx_sdf_to_newton
from .stage.resolvers import PrimType, SchemaResolver, SchemaResolverManager, SchemaResolverMjc, SchemaResolverNewton, SchemaResolverPhysx
from .stage.view import AssetPath, Layer, Prim, Stage, open  # noqa: A004

__all__ = ["DEFORMABLE_LEGACY_NAMESPACES", "AssetPath", "Layer", "LayerEdits", "PortDefaults", "Prim", "PrimType", "SchemaResolver", "SchemaResolverManager", "SchemaResolverMjc", "SchemaResolverNewton",
           "SchemaResolverPhysx", "Stage", "explain", "find_deformable_visual_prims", "find_tetmesh_prims", "get_attribute", "get_attributes_in_namespace", "get_custom_attribute_declarations",
           "get_custom_attribute_values", "get_deformable_bind_pose", "get_float", "get_gprim_axis", "get_mesh", "get_physics_scenes", "get_quat", "get_scale", "get_tetmesh", "get_transform",
           "has_applied_api_schema", "has_attribute", "ledger", "open", "port_physx_sdf_to_newton", "type_to_warp", "value_to_warp"]


def read_in_child(file: Any) -> None:
    """Reads a stage that is not trusted in a process of its own first, which may die of it instead of this one.

    @raises RuntimeError  STAGE_READER_DIED: that process did not survive the file, or the file cannot be read
    """
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
    builder = ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = builder.add_usd(source, **options)
        return result, builder.finalize()


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.usd", name)


name_arguments(globals())
