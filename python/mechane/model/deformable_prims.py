"""What belongs to a deformable body of a stage: the surfaces that are seen, and the points that they are bound at."""
from __future__ import annotations

import sys
from typing import Any, Iterator

import numpy as np

from ..core.arguments import name_arguments
from ..core.diagnostics import kind_of
from ..stage.helpers import get_attribute, has_applied_api_schema

__all__ = ["find_deformable_visual_prims", "get_deformable_bind_pose"]

_BODY = "PhysicsDeformableBodyAPI"
#: Schemas of prims whose points are simulated.
_SIMULATED = ("PhysicsVolumeDeformableSimAPI", "PhysicsSurfaceDeformableSimAPI", "PhysicsCurvesDeformableSimAPI")
_OTHERS = (_BODY, "PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI")
_POINT_BASED = {"Mesh", "Points", "BasisCurves", "NurbsCurves", "HermiteCurves", "NurbsPatch", "TetMesh", "PointBased"}


def _is_point_based(prim: Any) -> bool:
    return str(prim.GetTypeName()) in _POINT_BASED


def _children(prim: Any) -> list[Any]:
    """Those of instances too; prims of pxr show them only to whoever asks with its predicate."""
    usd = sys.modules.get(type(prim).__module__)
    if hasattr(usd, "TraverseInstanceProxies"):
        return list(prim.GetFilteredChildren(usd.TraverseInstanceProxies()))
    return list(prim.GetChildren())


def _below(prim: Any) -> Iterator[Any]:
    """The prim and what lies below it, without what belongs to another body."""
    yield prim
    for child in _children(prim):
        if not any(has_applied_api_schema(child, name) for name in _OTHERS):
            yield from _below(child)


def _is_simulated(prim: Any) -> bool:
    return any(has_applied_api_schema(prim, name) for name in _SIMULATED) or (
        str(prim.GetTypeName()) == "Points" and has_applied_api_schema(prim, "NewtonPointsDeformableSimAPI"))


def find_deformable_visual_prims(prim: Any) -> list[Any]:
    """The prims with points that belong to a deformable body and are only seen: neither simulated nor colliders, in the order of the stage.

    What lies below another body is that body's.

    @raises ValueError  the prim is not valid, or is no deformable body
    """
    if not prim:
        raise kind_of(ValueError)(f"prim: expected a prim with {_BODY}, and not one that is not there", "PYTHON_ARG_PRIM")
    if not has_applied_api_schema(prim, _BODY):
        raise kind_of(ValueError)(f"{prim.GetPath()}: expected a prim with {_BODY}", "PYTHON_ARG_PRIM")
    return [one for one in _below(prim) if _is_point_based(one) and not _is_simulated(one) and not has_applied_api_schema(one, "PhysicsCollisionAPI")]


def get_deformable_bind_pose(prim: Any) -> np.ndarray:
    """The points at which a shape is bound, [points, 3], in its own frame and the stage's units; a copy.

    That is the pose of `PhysicsDeformablePoseAPI` whose purposes hold "bindPose", else the `points` of the default time.

    @raises ValueError  a prim without points, several such poses, another number of points than the shape has, or numbers that are not finite
    """
    if not prim or not _is_point_based(prim):
        raise kind_of(ValueError)(f"{prim.GetPath() if prim else 'prim'}: expected a prim with points, such as a Mesh, BasisCurves or TetMesh", "PYTHON_ARG_PRIM")
    path, applied = prim.GetPath(), {str(name) for name in prim.GetAppliedSchemas()}
    listop = prim.GetMetadata("apiSchemas")
    applied |= {str(name) for name in listop.GetAddedOrExplicitItems()} if listop is not None else set()
    names = sorted(name.split(":", 1)[1] for name in applied if name.startswith("PhysicsDeformablePoseAPI:"))
    prefixes = [f"physics:deformablePose:{name}" for name in names]
    posed = [f"{prefix}:points" for prefix in prefixes if "bindPose" in [str(p) for p in get_attribute(prim, f"{prefix}:purposes", ())]]
    if len(posed) > 1:
        raise kind_of(ValueError)(f"{path}: {len(posed)} poses have the purpose bindPose, expected one", "PYTHON_ARG_PRIM")
    name = posed[0] if posed else "points"
    values = get_attribute(prim, name)
    if values is None:
        raise kind_of(ValueError)(f"{path}: {name} has no value at the default time", "PYTHON_ARG_PRIM")
    points = np.array(values, dtype=np.float64)
    points = points.reshape(0, 3) if points.size == 0 else points
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise kind_of(ValueError)(f"{path}: {name} must be finite points", "PYTHON_ARG_PRIM")
    if posed:
        shown = _first_points(prim)
        if shown is None or len(shown) != len(points):
            raise kind_of(ValueError)(f"{path}: {name} has {len(points)} points, the shape {'none' if shown is None else len(shown)}", "PYTHON_ARG_PRIM")
    return points


def _first_points(prim: Any) -> Any:
    """The points of the default time, or of the first sample where there are only samples."""
    attribute = prim.GetAttribute("points")
    if not attribute:
        return None
    value = attribute.Get()
    if value is None:
        times = attribute.GetTimeSamples()
        value = attribute.Get(times[0]) if times else None
    return value


name_arguments(globals())
