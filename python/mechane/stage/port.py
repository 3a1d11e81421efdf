"""Porting PhysX's distance-field attributes to Newton's."""
from __future__ import annotations

import os
import sys
from enum import Enum
from typing import Any

from .. import _core
from ..core.arguments import name_arguments
from ..core.diagnostics import publish
from ..core.files import write
from .opening import is_live_stage, open_stage
from .view import value_of

__all__ = ["PortDefaults", "port_physx_sdf_to_newton"]


class PortDefaults(Enum):
    """What stands for a PhysX attribute that is not authored: nothing, so that Newton's defaults hold, or PhysX's own."""

    NEWTON = "newton"
    PHYSX = "physx"


def port_physx_sdf_to_newton(stage: Any, defaults: PortDefaults = PortDefaults.NEWTON, *, out: Any = None) -> int:
    """Writes what PhysxSDFMeshCollisionAPI says of colliders in Newton's words and applies NewtonSDFCollisionAPI. Fractions of the
    size become lengths by the diagonal of the collider's bounds in the world. PhysX's attributes stay.

    @param stage  a live stage, which is edited at its edit target; or a file, and `out` names the layer to write over it
    @return       how many prims were ported
    """
    source, _ = open_stage(stage)
    count, values, schemas, found, text = _core.port_sdf(source, PortDefaults(defaults) is PortDefaults.PHYSX)
    publish(found, "mechane.usd")
    if is_live_stage(stage):
        names = sys.modules["pxr.Sdf"].ValueTypeNames
        for path, schema in schemas:
            stage.GetPrimAtPath(path).AddAppliedSchema(schema)
        for path, name, raw in values:
            stage.GetPrimAtPath(path).CreateAttribute(name, names.Find(raw[0]), False).Set(value_of(raw))
    elif out is not None:
        below = os.path.relpath(os.fspath(stage), os.path.dirname(os.path.abspath(os.fspath(out))))
        head, _, rest = text.partition("\n")
        write(out, f"{head}\n(\n    subLayers = [@{below}@]\n)\n{rest}", source.used_layers)
    else:
        raise TypeError("port_physx_sdf_to_newton: a file needs `out`, a layer to write over it")
    return count


name_arguments(globals())
