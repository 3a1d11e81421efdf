"""Reads the pictures that the program draws: PNG of 8 bits a channel, not interlaced."""
import struct
import zlib


def pixels(data):
    """(width, height, rows), where a row is a list of (red, green, blue)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[at + 8:at + 18])
            assert depth == 8 and color in (2, 6)
        elif kind == b"IDAT":
            body += data[at + 8:at + 8 + size]
        at += 12 + size
    n = 3 if color == 2 else 4
    raw, rows, above, at = zlib.decompress(body), [], bytearray(width * n), 0
    for _ in range(height):
        kind, line = raw[at], bytearray(raw[at + 1:at + 1 + width * n])
        at += 1 + width * n
        for i in range(len(line)):
            a, b, c = line[i - n] if i >= n else 0, above[i], above[i - n] if i >= n else 0
            if kind == 4:
                p = a + b - c
                a = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, a)[kind]) & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, len(line), n)])
        above = line
    return width, height, rows


def share_of(data, like):
    """Part of the pixels whose colour `like(red, green, blue)` accepts."""
    width, height, rows = pixels(data)
    return sum(like(*pixel) for row in rows for pixel in row) / (width * height)


def yellow(red, green, blue):
    """The colour of what is soft in the samples, under any light."""
    return red > 60 and red > green > 1.3 * blue and red < 1.8 * green
