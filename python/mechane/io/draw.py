"""Pictures and small pages for notebooks."""
from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.values import as_vec3

__all__ = ["picture", "png", "render"]


def png(pixels: np.ndarray) -> bytes:
    """8-bit RGB rows as a PNG file."""
    height, width, _ = pixels.shape
    raw = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1).tobytes()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw, 6)) + chunk(b"IEND", b"")


def picture(pixels: np.ndarray) -> str:
    """An image element that holds its own data."""
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(png(np.asarray(pixels))).decode()}"/>'


def render(model: Any, state: Any = None, camera: Any = None, size: tuple[int, int] = (960, 540), *, colliders: bool = False) -> np.ndarray:
    """A picture of a state, [height, width, 3] of 8 bits; no display is needed. `camera` is an eye position, or (eye, target) [m]."""
    eye = target = None
    if camera is not None:
        parts = tuple(camera)
        eye, target = (parts[0], parts[1]) if len(parts) == 2 else (parts, None)
    frame = _core.snapshot((model.state() if state is None else state)._core)
    return frame.render(model._core, 0, int(size[0]), int(size[1]), None if eye is None else as_vec3("camera", eye),
                        None if target is None else as_vec3("camera", target), bool(colliders), False)


name_arguments(globals())
