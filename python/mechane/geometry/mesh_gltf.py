"""Reading the triangles of glTF 2.0 scenes (.gltf, .glb), placed as their nodes say. Nothing but geometry is read."""
from __future__ import annotations

import base64
import json
import os
import stat
import struct
from typing import Any

import numpy as np

from ..core.files import note_read

__all__ = ["read_gltf", "read_regular"]

_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_GLB, _JSON, _BIN = 0x46546C67, 0x4E4F534A, 0x004E4942
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
#: more triangles are taken for a mistake: a few bytes can place one mesh any number of times
_MOST_TRIANGLES = 50_000_000


def read_regular(path: str) -> bytes:
    """The bytes of a regular file; a pipe is not waited for.

    @raises ValueError  it is none
    """
    at = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(at, "rb") as source:
        if not stat.S_ISREG(os.fstat(at).st_mode):
            raise ValueError(f"{path} is not a regular file")
        note_read(path)
        return source.read()


def read_gltf(data: bytes, folder: str) -> tuple[np.ndarray, np.ndarray]:
    """Points [n, 3] and triangles [m, 3] of the default scene, in its coordinates (y up, metres); `folder` holds what it names.

    @raises ValueError  not glTF 2.0, damaged, or compressed in a way that is not read
    """
    document, chunk = _opened(data)
    file = _File(document, chunk, folder)
    scenes = document.get("scenes", [])
    roots = scenes[document.get("scene", 0)].get("nodes", []) if scenes else range(len(document.get("nodes", [])))
    points: list[np.ndarray] = []
    triangles: list[np.ndarray] = []
    todo = [(int(node), np.eye(4)) for node in reversed(list(roots))]
    seen: set[int] = set()
    so_far, faces = 0, 0
    while todo:
        index, placed = todo.pop()
        if index in seen or index < 0:
            raise ValueError("the nodes are no tree: one has two parents, or itself above it")
        seen.add(index)
        node = document["nodes"][index]
        placed = placed @ _local(node)
        todo += [(int(child), placed) for child in reversed(node.get("children", []))]
        for primitive in document["meshes"][node["mesh"]]["primitives"] if "mesh" in node else ():
            corners = file.triangles(primitive)
            if corners is None:
                continue
            at = file.array(primitive["attributes"]["POSITION"]).astype(float).reshape(-1, 3)
            if len(corners) and corners.max() >= len(at):
                raise ValueError("a triangle names a vertex that does not exist")
            # A mirror turns triangles inside out; their order puts that right.
            flipped = corners[:, ::-1] if np.linalg.det(placed[:3, :3]) < 0 else corners
            triangles.append(flipped + so_far)
            so_far, faces = so_far + len(at), faces + len(flipped)
            if max(so_far, faces) > _MOST_TRIANGLES:
                raise ValueError(f"it places more than {_MOST_TRIANGLES} points or triangles")
            points.append(at @ placed[:3, :3].T + placed[:3, 3])
    if not points:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int32)
    return np.concatenate(points), np.concatenate(triangles).astype(np.int32)


def _opened(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The document and, of a binary file, its chunk of data."""
    if data[:4] != b"glTF":
        return json.loads(data), b""
    magic, version, length = struct.unpack_from("<III", data)
    if magic != _GLB or version != 2 or length > len(data):
        raise ValueError(f"version {version} of glTF, or cut off; expected a whole file of version 2")
    document, chunk, at = None, b"", 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        content = data[at + 8:at + 8 + size]
        if kind == _JSON:
            document = json.loads(content)
        elif kind == _BIN:
            chunk = content
        at += 8 + size
    if document is None:
        raise ValueError("there is no JSON chunk")
    return document, chunk


def _local(node: dict[str, Any]) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=float).reshape(4, 4).T
    x, y, z, w = np.array(node.get("rotation", (0, 0, 0, 1)), dtype=float)
    turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    out = np.eye(4)
    out[:3, :3] = turn * np.array(node.get("scale", (1, 1, 1)), dtype=float)
    out[:3, 3] = node.get("translation", (0, 0, 0))
    return out


class _File:
    def __init__(self, document: dict[str, Any], chunk: bytes, folder: str):
        self.document, self.chunk, self.folder = document, chunk, folder
        self.buffers: dict[int, bytes] = {}

    def buffer(self, index: int) -> bytes:
        if index not in self.buffers:
            uri = self.document["buffers"][index].get("uri")
            if uri is None:
                self.buffers[index] = self.chunk
            elif uri.startswith("data:"):
                self.buffers[index] = base64.b64decode(uri.partition(",")[2])
            elif "://" in uri:
                raise ValueError(f"buffer {uri} is not a file beside this one")
            else:
                self.buffers[index] = read_regular(os.path.join(self.folder, uri))
        return self.buffers[index]

    def array(self, index: int) -> np.ndarray:
        accessor = self.document["accessors"][index]
        if "sparse" in accessor or "bufferView" not in accessor:
            raise ValueError("sparse and compressed arrays are not read")
        view, width = self.document["bufferViews"][accessor["bufferView"]], _WIDTHS[accessor["type"]]
        dtype, count = np.dtype(_COMPONENTS[accessor["componentType"]]), int(accessor["count"])
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        row, step = dtype.itemsize * width, view.get("byteStride") or dtype.itemsize * width
        data = self.buffer(view["buffer"])
        if count < 0 or start < 0 or step < row or (count and start + step * (count - 1) + row > len(data)):
            raise ValueError("an array lies outside its buffer")
        return np.ndarray((count, width), dtype, data, start, (step, dtype.itemsize)).copy()

    def triangles(self, primitive: dict[str, Any]) -> np.ndarray | None:
        """Corners [n, 3]; None for points and lines."""
        mode = primitive.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            return None
        if "indices" in primitive:
            corners = self.array(primitive["indices"]).reshape(-1).astype(np.int64)
        else:
            corners = np.arange(len(self.array(primitive["attributes"]["POSITION"])))
        if mode == _TRIANGLES:
            return corners[: len(corners) // 3 * 3].reshape(-1, 3)
        k = np.arange(max(len(corners) - 2, 0))
        if mode == _FAN:
            return np.stack([np.broadcast_to(corners[:1], k.shape), corners[k + 1], corners[k + 2]], axis=1)
        return np.where((k % 2 == 0)[:, None], np.stack([corners[k], corners[k + 1], corners[k + 2]], axis=1),
                        np.stack([corners[k + 1], corners[k], corners[k + 2]], axis=1))
