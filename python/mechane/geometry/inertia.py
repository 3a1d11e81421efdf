"""Mass, centre of mass and inertia of shapes, and what makes an inertia possible."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import plain
from ..core.diagnostics import publish, warn
from ..core.enums import GeoType
from ..core.values import as_mat33, as_quat, as_vec3, mat33, transform, vec3
from .mesh import Mesh

__all__ = ["compute_inertia_box", "compute_inertia_capsule", "compute_inertia_cone", "compute_inertia_cylinder", "compute_inertia_ellipsoid",
           "compute_inertia_mesh", "compute_inertia_shape", "compute_inertia_sphere", "transform_inertia", "verify_and_correct_inertia"]


def _inertia(type: int, scale: tuple[float, float, float], mesh: Any, density: float, solid: bool = True, thickness: float = 0.001) -> tuple[float, vec3, mat33]:
    mass, com, inertia = _core.shape_mass(int(type), scale, None if mesh is None else mesh._core, float(density), bool(solid), float(thickness))
    return mass, vec3(*com), mat33(*inertia)


def compute_inertia_shape(type: int, scale: Any, src: Any, density: float, is_solid: bool = True, thickness: float = 0.001) -> tuple[float, vec3, mat33]:
    """(mass [kg], centre of mass [m], inertia about it [kg m^2]) of a shape; `is_solid` false: a shell of `thickness` [m]."""
    if not is_solid and int(type) in _HOLLOW:
        thickness = float(np.asarray(thickness).reshape(-1)[0])
        if not (np.isfinite(thickness) and thickness >= 0):
            raise ValueError(("thickness must be >= 0" if np.isfinite(thickness) else "thickness must be finite") + f", got {thickness}")
        inner = min(float(x) for x in tuple(scale)[: _HOLLOW[int(type)]])
        if thickness >= inner:
            raise ValueError(f"thickness {thickness} does not fit inside the shape, whose smallest half size is {inner}")
        if thickness == 0:
            warn("MODEL_INERTIA_FIXED: a hollow shape of zero thickness has zero mass and inertia")
            return 0.0, vec3(), mat33()
    if int(type) == GeoType.CYLINDER and len(scale) > 2 and scale[2] > 0:
        radius, half_height, barrel_radius = (float(x) for x in scale)
        mass, com, inertia = compute_inertia_cylinder(density, radius, half_height, barrel_radius)
        if not is_solid:
            hole, _, of_hole = compute_inertia_cylinder(density, radius - thickness, half_height - thickness, barrel_radius - thickness)
            mass, inertia = mass - hole, inertia - of_hole
        return mass, com, inertia
    return _inertia(type, tuple(float(x) for x in scale), src if isinstance(src, Mesh) else None, density, is_solid, thickness)  # type: ignore[arg-type]


#: closed primitives, and how many of their sizes count
_HOLLOW = {int(GeoType.SPHERE): 1, int(GeoType.BOX): 3, int(GeoType.CAPSULE): 1, int(GeoType.CYLINDER): 2, int(GeoType.CONE): 2, int(GeoType.ELLIPSOID): 3}


def compute_inertia_sphere(density: float, radius: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.SPHERE, (radius, 0, 0), None, density)


def compute_inertia_box(density: float, hx: float, hy: float, hz: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.BOX, (hx, hy, hz), None, density)


def compute_inertia_capsule(density: float, radius: float, half_height: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.CAPSULE, (radius, half_height, 0), None, density)


def compute_inertia_cylinder(density: float, radius: float, half_height: float, barrel_radius: float = 0.0) -> tuple[float, vec3, mat33]:
    """About the middle; the axis is z. `barrel_radius` [m], where positive, is that of the arc that the wall bulges along: `radius` is then that of the ends.

    @raises ValueError  the arc is shorter than the cylinder is high
    """
    if not barrel_radius:
        return _inertia(GeoType.CYLINDER, (radius, half_height, 0), None, density)
    if barrel_radius < half_height:
        raise ValueError(f"barrel_radius is {barrel_radius}, expected at least half_height, {half_height}")
    # With z = R sin t the wall is at r(t) = radius + R (cos t - cos T), and the integrals over disks of r^2, r^4 and r^2 z^2 are those of
    # smooth functions of t, which 32 points of Gauss and Legendre give to the last bits.
    nodes, weights = np.polynomial.legendre.leggauss(32)
    end = np.arcsin(half_height / barrel_radius)
    t = end * nodes
    r, z = radius + barrel_radius * (np.cos(t) - np.cos(end)), barrel_radius * np.sin(t)
    dz = end * weights * barrel_radius * np.cos(t)
    mass, polar = density * np.pi * float(r**2 @ dz), density * np.pi / 2 * float(r**4 @ dz)
    across = polar / 2 + density * np.pi * float(r**2 * z**2 @ dz)
    return mass, vec3(), mat33(across, 0, 0, 0, across, 0, 0, 0, polar)


def compute_inertia_cone(density: float, radius: float, half_height: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.CONE, (radius, half_height, 0), None, density)


def compute_inertia_ellipsoid(density: float, a: float, b: float, c: float) -> tuple[float, vec3, mat33]:
    return _inertia(GeoType.ELLIPSOID, (a, b, c), None, density)


def compute_inertia_mesh(density: float, vertices: Any, indices: Any, is_solid: bool = True, thickness: float = 0.001) -> tuple[float, vec3, mat33, float]:
    """Also the volume [m^3], as the fourth."""
    mesh = Mesh(vertices, indices, compute_inertia=False)
    mass, com, inertia = _inertia(GeoType.MESH, (1, 1, 1), mesh, density, is_solid, thickness)
    return mass, com, inertia, mass / density if density else 0.0


def verify_and_correct_inertia(mass: float, inertia: Any, balance_inertia: bool = True, bound_mass: float | None = None, bound_inertia: float | None = None,
                               body_label: str | None = None) -> tuple[float, mat33, bool]:
    """(mass, inertia, whether they had to be corrected), as `ModelBuilder.finalize` would have them for a body."""
    core = _core.Builder()
    core.add_link(transform(), body_label or "body_0", float(mass), vec3(), as_mat33("inertia", inertia), False, False)
    model, found = core.finalize(True, {"balance": bool(balance_inertia), "bound_mass": bound_mass, "bound_inertia": bound_inertia, "relative_tolerance": 1e-6,
                                        "absolute_tolerance": 1e-10, "correction": 1e-6, "one_by_one": True})
    corrected = any(d.code == "MODEL_INERTIA_FIXED" for d in publish(found))
    return float(model.array("body_mass")[0]), mat33(*model.array("body_inertia")[0].reshape(-1).tolist()), corrected


def transform_inertia(mass: float, inertia: Any, offset: Any, quat: Any) -> mat33:
    """An inertia about the centre of mass, turned and about a point `offset` away from it (parallel axes)."""
    x, y, z, w = as_quat("quat", quat)
    r = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                  [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                  [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    p = np.asarray(as_vec3("offset", offset))
    turned = r @ np.asarray(plain(inertia), dtype=float).reshape(3, 3) @ r.T
    return mat33(*(turned + float(mass) * (p @ p * np.eye(3) - np.outer(p, p))).reshape(-1).tolist())


name_arguments(globals())
