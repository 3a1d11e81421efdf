"""Reading PNG files (ISO/IEC 15948) without help."""
from __future__ import annotations

import struct
import zlib

import numpy as np

from ._diagnostics import error

__all__ = ["read"]

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def read(data: bytes, name: str = "") -> np.ndarray:
    """Pixels of 8 bits, [height, width, 3 or 4].

    @raises ValueError  not a PNG file, damaged, or interlaced
    """
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise error(ValueError, "E_TEXTURE", f"{name} is not a PNG file")
    at, body, palette, alpha, head = 8, b"", None, None, None
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", chunk)
        elif kind == b"PLTE":
            palette = np.frombuffer(chunk, np.uint8).reshape(-1, 3)
        elif kind == b"tRNS":
            alpha = np.frombuffer(chunk, np.uint8)
        elif kind == b"IDAT":
            body += chunk
        at += 12 + length
    if head is None or head[6] != 0 or head[3] not in _CHANNELS or head[2] not in (1, 2, 4, 8, 16):
        raise error(ValueError, "E_TEXTURE", f"{name}: damaged or interlaced")
    width, height, depth, colour = head[:4]
    if width * height > 2**28:
        raise error(ValueError, "E_TEXTURE", f"{name}: {width} by {height} pixels are too many")
    try:
        rows = _unfiltered(zlib.decompress(body), height, (width * depth * _CHANNELS[colour] + 7) // 8, max(1, depth * _CHANNELS[colour] // 8))
    except (zlib.error, ValueError) as failure:
        raise error(ValueError, "E_TEXTURE", f"{name}: {failure}") from None
    if depth == 16:
        values = rows[:, ::2]
    elif depth == 8:
        values = rows
    else:
        values = np.unpackbits(rows, axis=1).reshape(height, -1, depth) @ (1 << np.arange(depth)[::-1])
        values = values[:, :width] * (1 if colour == 3 else 255 // (2**depth - 1))
    pixels = values[:, :width * _CHANNELS[colour]].astype(np.uint8).reshape(height, width, -1)
    if colour == 3 and palette is not None:
        index = np.minimum(pixels[:, :, 0], len(palette) - 1)
        pixels = palette[index]
        if alpha is not None:
            pixels = np.dstack([pixels, np.append(alpha, np.full(256, 255, np.uint8))[index]])
    elif colour in (0, 4):
        grey = np.repeat(pixels[:, :, :1], 3, axis=2)
        pixels = np.dstack([grey, pixels[:, :, 1]]) if colour == 4 else grey
    return np.ascontiguousarray(pixels)


def _unfiltered(raw: bytes, height: int, stride: int, step: int) -> np.ndarray:
    lines = np.frombuffer(raw, np.uint8)
    if lines.size != height * (stride + 1):
        raise ValueError(f"{lines.size} bytes of pixels, expected {height * (stride + 1)}")
    lines = lines.reshape(height, stride + 1)
    out = np.zeros((height, stride), np.uint8)
    before = np.zeros(stride, np.int64)
    for y in range(height):
        kind, line = int(lines[y, 0]), lines[y, 1:].astype(np.int64)
        if kind == 2:
            line = (line + before) & 255
        elif kind in (1, 3, 4):
            for x in range(stride):
                left = line[x - step] if x >= step else 0
                above, corner = before[x], before[x - step] if x >= step else 0
                if kind == 1:
                    guess = left
                elif kind == 3:
                    guess = (left + above) // 2
                else:
                    p = left + above - corner
                    a, b, c = abs(p - left), abs(p - above), abs(p - corner)
                    guess = left if a <= b and a <= c else above if b <= c else corner
                line[x] = (line[x] + guess) & 255
        elif kind != 0:
            raise ValueError(f"filter {kind} is unknown")
        out[y], before = line, line
    return out
