"""Meshes of tetrahedra read from prims of type TetMesh."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.diagnostics import MechaneDeprecationWarning, kind_of, warn
from ..stage.helpers import has_applied_api_schema
from .custom import AttributeFrequency as f
from .tet_mesh import TetMesh

__all__ = ["DEFORMABLE_LEGACY_NAMESPACES", "find_tetmesh_prims", "get_tetmesh"]

#: Namespaces of vendors in which materials of deformables were authored before `physics:` had the names.
DEFORMABLE_LEGACY_NAMESPACES: tuple[str, ...] = ("omniphysics", "physxDeformableBody")
_API = "PhysicsVolumeDeformableMaterialAPI"
_MATERIAL = ("youngsModulus", "poissonsRatio", "density")
#: What a material with the schema has where it authors nothing.
_YOUNG, _POISSON = 1.0e6, 0.3
_OWN = frozenset({"points", "velocities", "accelerations", "normals", "tetVertexIndices", "surfaceFaceVertexIndices", "orientation", "extent", "visibility", "purpose",
                  "doubleSided", "xformOpOrder", "proxyPrim"})
_SPREAD = {"vertex": f.PARTICLE, "varying": f.PARTICLE, "uniform": f.TETRAHEDRON, "constant": f.ONCE}


def find_tetmesh_prims(stage: Any) -> list[Any]:
    """All prims of type TetMesh, in the order of the stage."""
    return [prim for prim in stage.Traverse() if str(prim.GetTypeName()) == "TetMesh"]


def _value(prim: Any, name: str) -> Any:
    attribute = prim.GetAttribute(name)
    return attribute.Get() if attribute else None


def _authored(prim: Any, name: str) -> bool:
    attribute = prim.GetAttribute(name)
    return bool(attribute) and attribute.HasAuthoredValue()


def _material(prim: Any) -> Any:
    """The nearest bound material, one for physics before any other."""
    for name in ("material:binding:physics", "material:binding"):
        at = prim
        while at and str(at.GetPath()) != "/":
            bound = at.GetRelationship(name)
            targets = list(bound.GetTargets()) if bound else []
            if targets:
                found = at.GetStage().GetPrimAtPath(targets[0])
                return found if found else None
            at = at.GetParent()
    return None


def _number(material: Any, name: str, namespaces: Sequence[str]) -> float | None:
    for space in ("physics", *namespaces):
        if _authored(material, f"{space}:{name}"):
            value = _value(material, f"{space}:{name}")
            return float(value) if isinstance(value, (int, float)) else None
    return None


def _elasticity(material: Any, namespaces: Sequence[str], unit: float) -> tuple[float | None, float | None]:
    """Lame parameters."""
    scoped = has_applied_api_schema(material, _API)
    young, poisson = (_number(material, name, namespaces) for name in ("youngsModulus", "poissonsRatio"))
    if young is not None and not (math.isfinite(young) and young >= 0):
        if young != -math.inf:
            warn(f"IMPORT_DEFORMABLE_VALUE: {material.GetPath()}: physics:youngsModulus {young:g} is not a finite number, or negative")
        young = None
    if young is None:
        if not scoped:
            return None, None
        young = _YOUNG * unit
    if poisson is None or not -1 < poisson < 0.5:
        poisson = _POISSON
    return young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))


def get_tetmesh(prim: Any, *, compat_namespaces: Sequence[str] | None = None) -> TetMesh:
    """Tetrahedra of a TetMesh prim, with the elasticity and density of its physics material, in units of the stage; arrays of its own as custom attributes.

    @param compat_namespaces  of vendors, whose names count where `physics:` says nothing, on materials without the schema too. None: those of
        DEFORMABLE_LEGACY_NAMESPACES, with a warning where that makes a difference; (): none
    @raises ValueError  points or tetVertexIndices are missing, or do not fit together
    """
    points, tets = _value(prim, "points"), _value(prim, "tetVertexIndices")
    for name, value in (("points", points), ("tetVertexIndices", tets)):
        if value is None:
            raise kind_of(ValueError)(f"TetMesh prim '{prim.GetPath()}' has no {name} attribute.", "PYTHON_MESH")
    indices = np.array(tets, dtype=np.int32).reshape(-1)
    if str(_value(prim, "orientation") or "").lower() == "lefthanded" and indices.size % 4 == 0:
        indices = indices.reshape(-1, 4)[:, [0, 2, 1, 3]].reshape(-1)
    misplaced = [name for name in _MATERIAL[:2] if _authored(prim, f"physics:{name}")]
    if misplaced:
        warn(f"IMPORT_DEFORMABLE_VALUE: {prim.GetPath()}: {', '.join(f'physics:{m}' for m in misplaced)} authored on the geometry; it belongs to a bound material with {_API}")
    material = _material(prim)
    namespaces = DEFORMABLE_LEGACY_NAMESPACES if compat_namespaces is None else tuple(compat_namespaces)
    mu = lam = density = None
    if material is not None:
        scoped = has_applied_api_schema(material, _API)
        if compat_namespaces is None:
            vendors = [s for s in namespaces for name in _MATERIAL if _authored(material, f"{s}:{name}") and not _authored(material, f"physics:{name}")]
            unscoped = not scoped and any(_authored(material, f"physics:{name}") for name in _MATERIAL[:2])
            if vendors or unscoped:
                warn("get_tetmesh(): materials without PhysicsVolumeDeformableMaterialAPI, and the namespaces omniphysics: and physxDeformableBody:, are read by "
                     "default, which is deprecated; pass compat_namespaces=() to leave them, or DEFORMABLE_LEGACY_NAMESPACES to keep them", MechaneDeprecationWarning)
        if scoped or namespaces:
            stage = prim.GetStage()
            unit = stage.GetMetadata("metersPerUnit") if getattr(stage, "HasAuthoredMetadata", lambda _: True)("metersPerUnit") else None
            mu, lam = _elasticity(material, namespaces, 1.0 if unit is None else float(unit))
            density = _number(material, "density", namespaces)
            if density is not None and not (math.isfinite(density) and density > 0):
                if density != 0:
                    warn(f"IMPORT_DEFORMABLE_VALUE: {material.GetPath()}: density {density:g} is no positive number")
                density = None
        elif has_applied_api_schema(material, "PhysicsMaterialAPI"):
            density = _number(material, "density", ()) or None
    return TetMesh(np.array(points, np.float32), indices, k_mu=mu, k_lambda=lam, density=density, custom_attributes=_own_arrays(prim, len(points), len(indices) // 4))


def _own_arrays(prim: Any, vertices: int, tets: int) -> dict[str, Any]:
    """Primvars, and attributes that no schema of the prim has."""
    out: dict[str, Any] = {}
    for attribute in prim.GetAttributes():
        name = str(attribute.GetName())
        if not attribute.HasAuthoredValue() or name in _OWN or name.startswith(("xformOp:", "physics:", "omniphysics:", "physxDeformableBody:", "newton:", "material:")):
            continue
        short = name.removeprefix("primvars:")
        if name.startswith("primvars:"):
            if ":" in short or short in ("st", "normals", "displayColor", "displayOpacity"):
                continue
            values = np.asarray(attribute.Get())
            indices = _value(prim, f"{name}:indices")
            spread = str(attribute.GetMetadata("interpolation") or "constant")
            out[short] = (values if indices is None else values[np.asarray(indices)], _SPREAD.get(spread, f.ONCE))
            continue
        values = np.asarray(attribute.Get())
        if values.dtype.kind not in "fiub" or not values.ndim:
            continue
        fits = [kind for kind, n in ((f.PARTICLE, vertices), (f.TETRAHEDRON, tets)) if n == len(values)]
        if len(fits) == 1:
            out[name] = (values, fits[0])
        else:
            warn(f"IMPORT_DEFORMABLE_VALUE: {prim.GetPath()}: {name} has {len(values)} values, which fit "
                 f"{'several' if fits else 'none'} of the counts of the mesh; it is left out")
    return out


TetMesh._of_prim = staticmethod(get_tetmesh)


name_arguments(globals())
