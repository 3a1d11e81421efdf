"""Reading meshes from OBJ and STL files."""
from __future__ import annotations

import os
import struct
from typing import Any

import numpy as np

from ._diagnostics import error

__all__ = ["read"]


def read(file: Any) -> tuple[np.ndarray, np.ndarray]:
    """Points [n, 3] and triangles [m, 3]."""
    path = os.fspath(file)
    if not os.path.exists(path):
        raise error(FileNotFoundError, "E_MESH_FILE", f"there is no file {path}", layer=path)
    with open(path, "rb") as source:
        data = source.read()
    readers = {".obj": _obj, ".stl": _stl}
    extension = os.path.splitext(path)[1].lower()
    if extension not in readers:
        raise error(ValueError, "E_MESH_FILE", f"{path}: formats that are read are {', '.join(readers)}", layer=path)
    try:
        points, triangles = readers[extension](data)
    except (ValueError, IndexError, struct.error) as failure:
        raise error(ValueError, "E_MESH_FILE", f"{path}: {failure}", layer=path) from None
    if not len(triangles):
        raise error(ValueError, "E_MESH_FILE", f"{path} has no faces", layer=path)
    return points, triangles


def _obj(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            points.append([float(x) for x in words[1:4]])
        elif words[0] == "f":
            # Numbers count from 1; negative ones from the last point.
            corners = [int(w.split("/")[0]) for w in words[1:]]
            corners = [c - 1 if c > 0 else len(points) + c for c in corners]
            triangles += [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]
    return np.array(points, dtype=float).reshape(-1, 3), np.array(triangles, dtype=np.int32).reshape(-1, 3)


def _stl(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    count = struct.unpack("<I", data[80:84])[0] if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        rows = np.frombuffer(data, dtype=np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")]), offset=84, count=count)
        corners = rows["corners"].astype(float).reshape(-1, 3)
    else:
        corners = np.array([[float(x) for x in line.split()[1:4]] for line in data.decode("ascii", "replace").splitlines() if line.split()[:1] == ["vertex"]], dtype=float)
        if len(corners) % 3:
            raise ValueError(f"{len(corners)} vertices, expected three for each facet")
    points, where = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return points, where.reshape(-1, 3).astype(np.int32)
