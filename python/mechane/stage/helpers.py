"""Helpers on prims, live ones and ours: through the methods that both have, `pxr` is never imported."""
from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from ..core.arguments import listed, name_arguments
from ..core.enums import Axis
from ..core.values import quat, transform, vec2, vec3, vec4
from .view import AssetPath, Prim

__all__ = ["get_attribute", "get_attributes_in_namespace", "get_float",
           "get_gprim_axis", "get_physics_scenes", "get_quat", "get_scale", "get_transform", "has_applied_api_schema", "has_attribute", "plain_value",
           "type_to_warp", "value_to_warp", "world_matrix"]

_SMALL = {2: vec2, 3: vec3, 4: vec4}


def plain_value(value: Any) -> Any:
    """A value of a live prim as Python has it: numbers, text, small values, arrays; quaternions x y z w."""
    if isinstance(value, (bool, int, float, str, type(None))) or hasattr(value, "GetPath"):
        return value
    if hasattr(value, "real") and hasattr(value, "imaginary"):
        return quat(*(float(x) for x in value.imaginary), float(value.real))
    if hasattr(value, "resolvedPath") and not isinstance(value, str):
        out = AssetPath(value.path)
        out.resolvedPath = str(value.resolvedPath)
        return out
    kind = type(value).__name__
    if kind.startswith("Vec") and not kind.endswith("Array"):
        return tuple(int(x) for x in value) if kind.endswith("i") else _SMALL[len(value)](*(float(x) for x in value))
    if kind.startswith("Matrix") and not kind.endswith("Array"):
        return np.array(value, dtype=float)
    if kind.endswith("Array"):
        items = list(value)
        if items and isinstance(items[0], str):
            return items
        if items and hasattr(items[0], "imaginary"):
            return np.array([(*q.imaginary, q.real) for q in items], dtype=np.float32 if kind.startswith("Quatf") else float)
        return np.array(value)
    return value


def get_attribute(prim: Any, name: str, default: Any = None) -> Any:
    """The authored value of an attribute, or `default`."""
    attribute = prim.GetAttribute(name)
    if not attribute or not attribute.HasAuthoredValue():
        return default
    return plain_value(attribute.Get())


def has_attribute(prim: Any, name: str) -> bool:
    """Whether the attribute exists and is authored."""
    attribute = prim.GetAttribute(name)
    return bool(attribute and attribute.HasAuthoredValue())


def get_float(prim: Any, name: str, default: float | None = None) -> float | None:
    """A finite number, or `default`."""
    value = get_attribute(prim, name)
    return value if value is not None and math.isfinite(float(value)) else default


def get_quat(prim: Any, name: str, default: Any = None) -> Any:
    """A unit quaternion x y z w; `default` where there is none or it has no length."""
    numbers = get_attribute(prim, name)
    if numbers is None:
        return default
    norm = math.sqrt(sum(x * x for x in numbers))
    return quat(*(x / norm for x in numbers)) if norm > 0 and math.isfinite(norm) else default


def get_gprim_axis(prim: Any, name: str = "axis", default: Any = "Z") -> Axis:
    """The axis of a capsule, cylinder, cone or plane."""
    return Axis.from_any(get_attribute(prim, name, default))


def has_applied_api_schema(prim: Any, schema_name: str) -> bool:
    """Whether the schema is applied, also one that no plug-in defines."""
    if schema_name in [str(s) for s in prim.GetAppliedSchemas()]:
        return True
    listop = prim.GetMetadata("apiSchemas")
    return listop is not None and schema_name in [str(s) for s in listop.GetAddedOrExplicitItems()]


def get_attributes_in_namespace(prim: Any, namespace: str) -> dict[str, Any]:
    """Authored values of all attributes whose names begin with the namespace."""
    start = namespace.rstrip(":") + ":"
    return {a.GetName(): plain_value(a.Get()) for a in prim.GetAuthoredAttributes() if a.GetName().startswith(start) and a.HasAuthoredValue()}


# -- transforms. A matrix is USD's: points are rows, p' = p M.


def _rotation(axis: int, degrees: float) -> np.ndarray:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    m = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    m[i, i] = m[j, j] = c
    m[i, j], m[j, i] = s, -s
    return m


def _operation(kind: str, value: Any) -> np.ndarray:
    """The matrix of one transform operation."""
    m = np.eye(4)
    if kind.startswith("rotate") and len(kind) == 9:
        for letter in kind[6:]:
            m = m @ _rotation("XYZ".index(letter), float(value["XYZ".index(letter)]))
    elif kind.startswith("rotate"):
        m = _rotation("XYZ".index(kind[6]), float(value))
    elif kind == "translate":
        m[3, :3] = value
    elif kind.startswith("translate"):
        m[3, "XYZ".index(kind[9])] = float(value)
    elif kind == "scale":
        m[:3, :3] = np.diag(np.asarray(value, float))
    elif kind.startswith("scale"):
        m["XYZ".index(kind[5]), "XYZ".index(kind[5])] = float(value)
    elif kind == "orient":
        x, y, z, w = value
        n = x * x + y * y + z * z + w * w
        s = 2 / n if n > 0 else 0.0
        m[:3, :3] = np.array([[1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
                              [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
                              [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)]]).T
    elif kind == "transform":
        m = np.asarray(value, float).reshape(4, 4)
    return m


def _operations(prim: Any) -> tuple[list[tuple[str, Any, bool]], bool]:
    """(kind, value, inverted) of the prim's operations in order, and whether it ignores its parents."""
    order = prim.GetAttribute("xformOpOrder")
    names = [str(n) for n in (order.Get() if order and order.IsValid() else None) or ()]
    resets = "!resetXformStack!" in names
    out = []
    for name in names[names.index("!resetXformStack!") + 1:] if resets else names:
        inverted = name.startswith("!invert!")
        attribute = prim.GetAttribute(name.removeprefix("!invert!"))
        value = plain_value(attribute.Get()) if attribute and attribute.IsValid() else None
        if value is not None:
            out.append((name.removeprefix("!invert!").split(":")[1], value, inverted))
    return out, resets


def _local(prim: Any) -> np.ndarray:
    if isinstance(prim, Prim):
        return prim._core.local_matrix()
    m = np.eye(4)
    for kind, value, inverted in _operations(prim)[0]:
        step = _operation(kind, value)
        m = (np.linalg.inv(step) if inverted else step) @ m
    return m


def world_matrix(prim: Any, cache: Any) -> np.ndarray:
    if cache is not None:
        return np.array(cache.GetLocalToWorldTransform(prim), dtype=float)
    if isinstance(prim, Prim):
        return prim._core.world_matrix()
    m, at = np.eye(4), prim
    while at and at.IsValid() and not at.IsPseudoRoot():
        m = m @ _local(at)
        if _operations(at)[1]:
            break
        at = at.GetParent()
    return m


def _matrix(prim: Any, local: bool, cache: Any) -> np.ndarray:
    return _local(prim) if local else world_matrix(prim, cache)


def get_scale(prim: Any, local: bool = True, xform_cache: Any = None) -> vec3:
    """Lengths of the axes of the local or world transform, with the signs of the authored scale operations."""
    lengths = np.linalg.norm(_matrix(prim, local, xform_cache)[:3, :3], axis=1)
    chain, at = [], prim
    while at and at.IsValid() and not at.IsPseudoRoot():
        operations, resets = _operations(at)
        chain.append(operations)
        if local or resets:
            break
        at = at.GetParent()
    signs = np.ones(3)
    for operations in chain:
        for kind, value, _ in operations:
            if kind == "scale":
                signs *= np.where(np.asarray(value, float) < 0, -1.0, 1.0)
    return vec3(*(float(x) for x in np.float32(lengths * signs)))


def get_transform(prim: Any, local: bool = True, xform_cache: Any = None) -> transform:
    """Position and rotation of the local or world transform, without its scale."""
    m = _matrix(prim, local, xform_cache)
    rows = m[:3, :3].astype(float)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    # Of a transform that mirrors, all three axes are turned round: which one was meant cannot be told.
    mirrored = -1.0 if np.linalg.det(rows) < 0 else 1.0
    u, _, vt = np.linalg.svd(mirrored * rows / np.where(norms > 0, norms, 1))
    r = u @ vt
    return transform(vec3(*(float(x) for x in m[3, :3])), _quat_of(r.T))


def _quat_of(r: np.ndarray) -> quat:
    """Of a rotation that turns columns (Shepperd 1978): the largest component is computed first."""
    t = np.trace(r)
    candidates = [r[0, 0], r[1, 1], r[2, 2], t]
    k = int(np.argmax(candidates))
    if k == 3:
        q = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], 1 + t])
    else:
        i, j, l = k, (k + 1) % 3, (k + 2) % 3
        q = np.zeros(4)
        q[i], q[j], q[l] = 1 + 2 * r[i, i] - t, r[j, i] + r[i, j], r[l, i] + r[i, l]
        q[3] = r[l, j] - r[j, l]
    q /= np.linalg.norm(q)
    return quat(*(float(x) for x in q))


# -- values and their types


def _is_quat(value: Any) -> bool:
    return isinstance(value, quat) or (hasattr(value, "imaginary") and hasattr(value, "real") and not isinstance(value, (int, float)))


def _types() -> Any:
    """The namespace of small types: Warp's where a program has imported it, else ours."""
    warp = sys.modules.get("warp")
    return warp if warp is not None and hasattr(warp, "vec3") else None


def type_to_warp(v: Any) -> Any:
    """The type of a value: a quaternion, a vector of two to four, bool, int, else float."""
    warp = _types()
    if _is_quat(v):
        return warp.quat if warp else quat
    if hasattr(v, "__len__") and len(v) in _SMALL and not isinstance(v, str):
        return getattr(warp, f"vec{len(v)}") if warp else _SMALL[len(v)]
    for kind, name in ((bool, "bool"), (int, "int32")):
        if isinstance(v, kind):
            return getattr(warp, name) if warp else kind
    return warp.float32 if warp else float


def value_to_warp(v: Any, warp_dtype: Any = None) -> Any:
    """The value as `warp_dtype`, or as the type that fits it; quaternions are normalised."""
    name = getattr(warp_dtype, "__name__", "")
    if _is_quat(v) or name.startswith("quat"):
        numbers = (*v.imaginary, v.real) if hasattr(v, "imaginary") else tuple(v)
        norm = math.sqrt(sum(float(x) ** 2 for x in numbers)) or 1.0
        return (warp_dtype or type_to_warp(v))(*(float(x) / norm for x in numbers))
    if warp_dtype is not None:
        return warp_dtype(*v) if hasattr(v, "__len__") and not isinstance(v, str) else warp_dtype(v)
    if hasattr(v, "__len__") and len(v) in _SMALL and not isinstance(v, str):
        return type_to_warp(v)(*(float(x) for x in v))
    return v


def get_physics_scenes(stage: Any, root_path: str = "/", exclude_paths: Any = None) -> list[Any]:
    """Prims of type PhysicsScene below a path, in traversal order; of a live stage `UsdPhysics.Scene` objects, where that is loaded."""
    out = []
    if hasattr(stage, "GetUsedLayers") and "pxr.Usd" in sys.modules:  # a live stage: instances are entered, and scenes are of its own type
        usd, physics = sys.modules["pxr.Usd"], sys.modules.get("pxr.UsdPhysics")
        prims = usd.PrimRange(stage.GetPrimAtPath(str(root_path)), usd.TraverseInstanceProxies())
    else:
        physics, prims = None, stage.Traverse()
    skipped = [str(p).rstrip("/") for p in listed(exclude_paths)]
    start = str(root_path).rstrip("/")
    for prim in prims:
        path = str(prim.GetPath())
        if any(path == s or path.startswith(s + "/") for s in skipped) or not (path == start or path.startswith(start + "/")):
            continue
        if prim.GetTypeName() == "PhysicsScene":
            out.append(prim if physics is None else physics.Scene(prim))
    return out


name_arguments(globals())
