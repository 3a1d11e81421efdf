"""Crates (usdc, version 0.4 and later) taken apart into their tables and put together again, so that a mutation reaches what they mean.

A crate is values first, at offsets that other values name, and behind them six tables: tokens, strings, fields (a name and 64 bits of
value), sets of fields, a tree of paths, specs. The tables are compressed; here they are lists of numbers. Values stay where they are.
"""
import struct

BOOTSTRAP = 88
SECTIONS = ("TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS")
ARRAY, INLINED, COMPRESSED, EDIT = 1 << 63, 1 << 62, 1 << 61, 1 << 60
PAYLOAD = (1 << 48) - 1


def lz4(data):
    """One LZ4 block to bytes."""
    out, i = bytearray(), 0
    while i < len(data):
        token = data[i]
        i += 1
        count = token >> 4
        if count == 15:
            while True:
                count += data[i]
                i += 1
                if data[i - 1] != 255:
                    break
        out += data[i:i + count]
        i += count
        if i >= len(data):
            break
        back = data[i] | data[i + 1] << 8
        i += 2
        count = token & 15
        if count == 15:
            while True:
                count += data[i]
                i += 1
                if data[i - 1] != 255:
                    break
        for _ in range(count + 4):
            out.append(out[-back])
    return bytes(out)


def unpack(stream):
    """OpenUSD's framing: a byte with the number of chunks, 0 for a single one without a size."""
    chunks, at, out = stream[0], 1, b""
    if chunks == 0:
        return lz4(stream[1:])
    for _ in range(chunks):
        (size,) = struct.unpack_from("<i", stream, at)
        out += lz4(stream[at + 4:at + 4 + size])
        at += 4 + size
    return out


def pack(data):
    """The same in literals only: valid, and nothing has to be searched."""
    count = len(data)
    head = bytearray([0, min(count, 15) << 4])
    if count >= 15:
        count -= 15
        head += b"\xff" * (count // 255) + bytes([count % 255])
    return bytes(head) + data


def unpack_integers(stream, count):
    if count == 0:
        return []
    data = unpack(stream)
    (common,) = struct.unpack_from("<i", data)
    codes, at, out, total = data[4:], 4 + (2 * count + 7) // 8, [], 0
    for i in range(count):
        code = codes[i // 4] >> 2 * (i % 4) & 3
        step = common
        if code:
            kind, size = {1: ("<b", 1), 2: ("<h", 2), 3: ("<i", 4)}[code]
            (step,) = struct.unpack_from(kind, data, at)
            at += size
        total = (total + step) & 0xffffffff
        out.append(total - (total >> 31 << 32))
    return out


def pack_integers(values):
    if not values:
        return pack(b"")
    steps, last = [], 0
    for value in values:
        steps.append((value - last + (1 << 31)) % (1 << 32) - (1 << 31))
        last = value
    codes = bytearray((2 * len(steps) + 7) // 8)
    for i in range(len(steps)):
        codes[i // 4] |= 3 << 2 * (i % 4)
    return pack(struct.pack("<i", 0) + bytes(codes) + struct.pack(f"<{len(steps)}i", *steps))


class Crate:
    """`values` are the bytes before the first table, bootstrap included; `names`, `indices`, `jumps` are the tree of paths."""

    def __init__(self, data):
        if data[:8] != b"PXR-USDC" or data[9] < 4:
            raise ValueError("no crate of version 0.4 or later")
        (at,) = struct.unpack_from("<q", data, 16)
        (count,) = struct.unpack_from("<Q", data, at)
        found = {}
        for i in range(count):
            name, first, size = struct.unpack_from("<16sqq", data, at + 8 + 32 * i)
            found[name.rstrip(b"\0").decode()] = data[first:first + size], first
        self.values = bytearray(data[:min(first for _, first in found.values())])
        self.sizes = {}   # what a table says of its length, where it shall lie
        table = {name: found[name][0] for name in SECTIONS}
        number, size, packed = struct.unpack_from("<QQQ", table["TOKENS"])
        self.tokens = unpack(table["TOKENS"][24:24 + packed]).split(b"\0")[:number] if number else []
        (number,) = struct.unpack_from("<Q", table["STRINGS"])
        self.strings = list(struct.unpack_from(f"<{number}I", table["STRINGS"], 8))
        cursor = Cursor(table["FIELDS"])
        number = cursor.u64()
        names, reps = cursor.integers(number), cursor.block()
        self.fields = [list(pair) for pair in zip(names, struct.unpack(f"<{number}Q", unpack(reps)))] if number else []
        cursor = Cursor(table["FIELDSETS"])
        self.fieldsets = cursor.integers(cursor.u64())
        cursor = Cursor(table["PATHS"])
        self.paths = cursor.u64()
        number = cursor.u64()
        self.indices, self.names, self.jumps = (cursor.integers(number) for _ in range(3))
        cursor = Cursor(table["SPECS"])
        number = cursor.u64()
        self.spec_paths, self.spec_sets, self.spec_types = (cursor.integers(number) for _ in range(3))

    def token(self, text):
        """The number of a token, added where it is missing."""
        text = text if isinstance(text, bytes) else text.encode()
        if text not in self.tokens:
            self.tokens.append(text)
        return self.tokens.index(text)

    def append(self, data):
        """Puts a value behind the others.
        @return its offset"""
        at = len(self.values) + 7 & ~7
        self.values += bytes(at - len(self.values)) + data
        return at

    def fields_named(self, name):
        name = name.encode()
        return [field for field in self.fields if 0 <= field[0] < len(self.tokens) and self.tokens[field[0]] == name]

    def count(self, name, true):
        return struct.pack("<Q", self.sizes.get(name, true) & (1 << 64) - 1)

    def bytes(self):
        def integers(values):
            packed = pack_integers(values)
            return struct.pack("<Q", len(packed)) + packed

        text = b"".join(token + b"\0" for token in self.tokens)
        packed = pack(text)
        reps = pack(struct.pack(f"<{len(self.fields)}Q", *(rep & (1 << 64) - 1 for _, rep in self.fields)))
        tables = (
            self.count("tokens", len(self.tokens)) + self.count("text", len(text)) + struct.pack("<Q", len(packed)) + packed,
            self.count("strings", len(self.strings)) + struct.pack(f"<{len(self.strings)}I", *(s & 0xffffffff for s in self.strings)),
            self.count("fields", len(self.fields)) + integers([name for name, _ in self.fields]) + struct.pack("<Q", len(reps)) + reps,
            self.count("fieldsets", len(self.fieldsets)) + integers(self.fieldsets),
            self.count("paths", self.paths) + self.count("encoded", len(self.indices)) +
            b"".join(integers(values) for values in (self.indices, self.names, self.jumps)),
            self.count("specs", len(self.spec_paths)) + b"".join(integers(v) for v in (self.spec_paths, self.spec_sets, self.spec_types)))
        out, places = bytearray(self.values), []
        for name, table in zip(SECTIONS, tables):
            places.append((name.encode(), len(out), len(table)))
            out += table
        at = len(out)
        out += struct.pack("<Q", len(places)) + b"".join(struct.pack("<16sqq", *place) for place in places)
        out[16:24] = struct.pack("<q", at)
        return bytes(out)


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def u64(self):
        (value,) = struct.unpack_from("<Q", self.data, self.at)
        self.at += 8
        return value

    def block(self):
        size = self.u64()
        self.at += size
        return self.data[self.at - size:self.at]

    def integers(self, count):
        return unpack_integers(self.block(), count) if count else (self.block() and [])
