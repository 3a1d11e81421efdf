"""Reading meshes from OBJ, STL, PLY and glTF files."""
from __future__ import annotations

import os
import struct
from typing import Any

import numpy as np

from ..core.diagnostics import error
from .mesh_gltf import read_gltf, read_regular

__all__ = ["read"]


def read(file: Any) -> tuple[np.ndarray, np.ndarray]:
    """Points [n, 3] and triangles [m, 3]."""
    path = os.fspath(file)
    if not os.path.exists(path):
        raise error(FileNotFoundError, "PYTHON_MESH_FILE", f"there is no file {path}", layer=path)
    data = read_regular(path) if os.path.isfile(path) else None
    if data is None:
        raise error(ValueError, "PYTHON_MESH_FILE", f"{path} is not a regular file", layer=path)
    folder = os.path.dirname(path)
    readers = {".obj": _obj, ".stl": _stl, ".ply": _ply, ".gltf": lambda d: read_gltf(d, folder), ".glb": lambda d: read_gltf(d, folder)}
    extension = os.path.splitext(path)[1].lower()
    if extension not in readers:
        raise error(ValueError, "PYTHON_MESH_FILE", f"{path}: formats that are read are {', '.join(readers)}", layer=path)
    try:
        points, triangles = readers[extension](data)
    except (ValueError, LookupError, TypeError, AttributeError, OSError, OverflowError, MemoryError, RecursionError, struct.error) as failure:
        raise error(ValueError, "PYTHON_MESH_FILE", f"{path}: {failure}", layer=path) from None
    if not len(triangles):
        raise error(ValueError, "PYTHON_MESH_FILE", f"{path} has no faces", layer=path)
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


_PLY_TYPES = {"char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4",
              "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4", "double": "f8", "float64": "f8"}


def _ply(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Points and faces of a PLY file, text or binary; other elements are passed over."""
    head, mark, body = data.partition(b"end_header")
    if not head.startswith(b"ply") or not mark:
        raise ValueError("no header of a PLY file")
    body = body[body.index(b"\n") + 1:]
    order, elements = "", []
    for line in head.decode("ascii", "replace").splitlines():
        words = line.split()
        if words[:1] == ["format"]:
            order = {"ascii": "text", "binary_little_endian": "<", "binary_big_endian": ">"}[words[1]]
        elif words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append((words[-1], [_PLY_TYPES[w] for w in words[1:-1] if w != "list"]))
    for name, count, properties in elements:  # a row is a byte at the least, whatever the header says
        if not 0 <= count * max(1, len(properties)) <= len(body):
            raise ValueError(f"{count} elements {name} do not fit into {len(body)} bytes")
    rows = _ply_text(body, elements) if order == "text" else _ply_binary(body, elements, order)
    points, faces = [], []
    for (name, _, properties), values in zip(elements, rows):
        names = [p for p, _ in properties]
        if name == "vertex":
            points = [[row[names.index(axis)] for axis in "xyz"] for row in values]
        elif name == "face":
            at = [i for i, n in enumerate(names) if n in ("vertex_indices", "vertex_index")]
            if not at:
                raise ValueError("its faces have no property vertex_indices")
            faces = [row[at[0]] for row in values]
    triangles = [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]
    return np.array(points, dtype=float).reshape(-1, 3), np.array(triangles, dtype=np.int32).reshape(-1, 3)


def _ply_text(body: bytes, elements: list) -> list[list[list]]:
    words = iter(body.split())
    def number(kind: str) -> float | int:
        word = next(words, None)
        if word is None:
            raise ValueError("the file ends before its elements do")
        return float(word) if kind.startswith("f") else int(word)
    return [[[[number(kinds[1]) for _ in range(int(number(kinds[0])))] if len(kinds) == 2 else number(kinds[0]) for _, kinds in properties]
             for _ in range(count)] for _, count, properties in elements]


def _ply_binary(body: bytes, elements: list, order: str) -> list[list[list]]:
    at, out = 0, []
    def take(kind: str, count: int) -> list:
        nonlocal at
        if count < 0:  # NumPy would take everything
            raise ValueError(f"a list has {count} entries")
        values = np.frombuffer(body, order + kind, count, at)
        at += values.nbytes
        return values.tolist()
    for _, count, properties in elements:
        if not properties:
            out.append([])
        elif all(len(kinds) == 1 for _, kinds in properties):
            dtype = np.dtype([(name, order + kinds[0]) for name, kinds in properties])
            out.append([list(row) for row in np.frombuffer(body, dtype, count, at).tolist()])
            at += dtype.itemsize * count
        else:
            out.append([[take(kinds[1], int(take(kinds[0], 1)[0])) if len(kinds) == 2 else take(kinds[0], 1)[0] for _, kinds in properties] for _ in range(count)])
    return out
