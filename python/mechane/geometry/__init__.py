"""Pairs of primitives, distances to primitives, broad phases, inertia: on single values, or on any leading batch of them.

Arguments are in the world; axes unit, rotations matrices 3 by 3, sizes half extents [m]. Distances are those of the surfaces, negative in
penetration; a contact's position lies midway between the two surfaces; normals point from the first shape to the second. Slots without a
contact hold `mechane.MAXVAL`.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..newton.modules import absent

if TYPE_CHECKING:
    from .broad_phase import BroadPhaseAllPairs, BroadPhaseExplicit, BroadPhaseSAP
    from .inertia import (compute_inertia_box, compute_inertia_capsule, compute_inertia_cone, compute_inertia_cylinder, compute_inertia_ellipsoid,
                          compute_inertia_mesh, compute_inertia_shape, compute_inertia_sphere, transform_inertia, verify_and_correct_inertia)
    from .narrow import HydroelasticSDF, NarrowPhase, Shape, contacts, distance, gjk
    from .primitives import (collide_box_box, collide_capsule_box, collide_capsule_capsule, collide_plane_box, collide_plane_capsule,
                             collide_plane_cylinder, collide_plane_ellipsoid, collide_plane_sphere, collide_sphere_box, collide_sphere_capsule,
                             collide_sphere_cylinder, collide_sphere_sphere, sdf_box, sdf_capsule, sdf_cone, sdf_cylinder, sdf_plane, sdf_sphere)
    from .rays import raycast
    from .sdf import SDF
    from .soft_contacts import create_soft_contacts
    from .surfaces import compute_aabb, compute_obb, compute_offset_mesh, remesh_convex_hull, sdf_mesh

__all__ = ["BroadPhaseAllPairs", "BroadPhaseExplicit", "BroadPhaseSAP", "HydroelasticSDF", "NarrowPhase", "SDF", "Shape", "collide_box_box",
           "collide_capsule_box", "collide_capsule_capsule", "collide_plane_box", "collide_plane_capsule", "collide_plane_cylinder",
           "collide_plane_ellipsoid", "collide_plane_sphere", "collide_sphere_box", "collide_sphere_capsule", "collide_sphere_cylinder",
           "collide_sphere_sphere", "compute_aabb", "compute_inertia_box", "compute_inertia_capsule", "compute_inertia_cone",
           "compute_inertia_cylinder", "compute_inertia_ellipsoid", "compute_inertia_mesh", "compute_inertia_shape", "compute_inertia_sphere",
           "compute_obb", "compute_offset_mesh", "contacts", "create_soft_contacts", "distance", "gjk", "raycast", "remesh_convex_hull", "sdf_box",
           "sdf_capsule", "sdf_cone", "sdf_cylinder", "sdf_mesh", "sdf_plane", "sdf_sphere", "transform_inertia", "verify_and_correct_inertia"]

#: Name -> the file that has it, which is imported when somebody asks.
_HOMES = {**dict.fromkeys(("BroadPhaseAllPairs", "BroadPhaseExplicit", "BroadPhaseSAP"), "broad_phase"),
          **dict.fromkeys(("compute_inertia_box", "compute_inertia_capsule", "compute_inertia_cone", "compute_inertia_cylinder",
                           "compute_inertia_ellipsoid", "compute_inertia_mesh", "compute_inertia_shape", "compute_inertia_sphere", "transform_inertia",
                           "verify_and_correct_inertia"), "inertia"),
          **dict.fromkeys(("HydroelasticSDF", "NarrowPhase", "Shape", "contacts", "distance", "gjk"), "narrow"),
          **dict.fromkeys(("collide_box_box", "collide_capsule_box", "collide_capsule_capsule", "collide_plane_box", "collide_plane_capsule",
                           "collide_plane_cylinder", "collide_plane_ellipsoid", "collide_plane_sphere", "collide_sphere_box", "collide_sphere_capsule",
                           "collide_sphere_cylinder", "collide_sphere_sphere", "sdf_box", "sdf_capsule", "sdf_cone", "sdf_cylinder", "sdf_plane",
                           "sdf_sphere"), "primitives"),
          **dict.fromkeys(("raycast",), "rays"),
          **dict.fromkeys(("SDF",), "sdf"),
          **dict.fromkeys(("create_soft_contacts",), "soft_contacts"),
          **dict.fromkeys(("compute_aabb", "compute_obb", "compute_offset_mesh", "remesh_convex_hull", "sdf_mesh"), "surfaces")}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        return absent("mechane.geometry", name)
    globals()[name] = value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value
