"""Mutations that keep a file's shape, so that they reach behind the first check: of crates by what their tables mean, of text by its words."""
import re
import struct
import xml.etree.ElementTree

import crate

WORDS = [b"", b".", b"..", b"/", b"{a=b}", b"{shape=}", b"[", b"]", b"a" * 4000, b"primChildren", b"properties", b"variantChildren", b"timeSamples",
         b"references", b"typeName", b"specifier", b"default", b"Mesh", b"\xff\xfe", b"x:y", b"1a"]
NUMBERS = ["0", "-1", "1e308", "-1e308", "nan", "inf", "-inf", "2147483647", "-2147483648", "9223372036854775807", "1e-320", "0.1"]


def number(random, near):
    return random.choice([0, 1, 2, 3, near, near - 1, near + 1, 255, 256, 1 << 16, (1 << 31) - 1, -1, -2, -(1 << 31), random.randrange(1 << 16)])


def change_rep(random, one):
    field = random.choice(one.fields)
    rep, other = field[1], random.choice(one.fields)[1]
    field[1] = random.choice([
        lambda: rep ^ random.choice([crate.ARRAY, crate.INLINED, crate.COMPRESSED, crate.EDIT]),
        lambda: rep & ~(0xff << 48) | random.randrange(64) << 48,
        lambda: rep & ~crate.PAYLOAD | other & crate.PAYLOAD,
        lambda: rep & ~crate.PAYLOAD | random.randrange(len(one.values) + 64),
        lambda: rep & ~crate.PAYLOAD | random.choice([0, 1, 87, 88, len(one.values) - 1, crate.PAYLOAD, 1 << 32]),
        lambda: other,
        lambda: rep ^ 1 << random.randrange(64)])()


def change_values(random, one):
    """A word of the values, where they say counts, indices, jumps and more values."""
    if len(one.values) < crate.BOOTSTRAP + 16:
        return
    at = random.randrange(crate.BOOTSTRAP, len(one.values) - 8)
    kind = random.randrange(5)
    if kind == 0:
        struct.pack_into("<Q", one.values, at, number(random, len(one.values)) & (1 << 64) - 1)
    elif kind == 1:
        struct.pack_into("<I", one.values, at, number(random, len(one.tokens)) & 0xffffffff)
    elif kind == 2:
        one.values[at] ^= 1 << random.randrange(8)
    elif kind == 3:
        struct.pack_into("<Q", one.values, at & ~7, random.choice(one.fields)[1])
    else:
        struct.pack_into("<d", one.values, at & ~7, random.choice([float("nan"), float("inf"), -1e308, 0.0, 1e308]))


def change_tokens(random, one):
    at = random.randrange(len(one.tokens))
    one.tokens[at] = random.choice([lambda: random.choice(WORDS), lambda: random.choice(one.tokens), lambda: one.tokens[at] + b"x"])().replace(b"\0", b"")


def change_list(random, one):
    values = random.choice([one.strings, one.fieldsets, one.indices, one.names, one.jumps, one.spec_paths, one.spec_sets, one.spec_types])
    if not values:
        return
    at = random.randrange(len(values))
    kind = random.randrange(6)
    if kind == 0:
        values[at] = number(random, len(values))
    elif kind == 1:
        values[at] = random.choice(values)
    elif kind == 2:
        other = random.randrange(len(values))
        values[at], values[other] = values[other], values[at]
    elif kind == 3:
        del values[at]
    elif kind == 4:
        values.insert(at, random.choice(values))
    else:
        values[at] += random.choice([-1, 1])


def drop_spec(random, one):
    at = random.randrange(len(one.spec_paths))
    for column in (one.spec_paths, one.spec_sets, one.spec_types):
        if random.random() < 0.5:
            del column[at]
        else:
            column.insert(at, column[at])
    shortest = min(len(c) for c in (one.spec_paths, one.spec_sets, one.spec_types))
    for column in (one.spec_paths, one.spec_sets, one.spec_types):
        del column[shortest:]


def change_field(random, one):
    random.choice(one.fields)[0] = random.choice([random.randrange(len(one.tokens)), random.choice(one.fields)[0]])


def change_count(random, one):
    one.sizes[random.choice(["tokens", "text", "strings", "fields", "fieldsets", "paths", "encoded", "specs"])] = number(random, len(one.tokens))


def change_version(random, one):
    one.values[9] = random.randrange(4, 16)


CHANGES = [change_rep] * 6 + [change_values] * 5 + [change_list] * 4 + [change_tokens] * 2 + [change_field] * 2 + [drop_spec, change_count, change_version]


def mutate_crate(random, data):
    one = crate.Crate(data)
    for _ in range(random.choice([1, 1, 2, 3, 6])):
        random.choice(CHANGES)(random, one)
    return one.bytes()


def mutate_text(random, data, others=()):
    """Of a text its words: numbers, names and brackets, lines taken out, doubled or taken from another file."""
    lines = data.decode("latin-1").split("\n")
    for _ in range(random.choice([1, 1, 2, 4])):
        at = random.randrange(len(lines))
        kind = random.randrange(8)
        if kind == 0:
            del lines[at:at + random.choice([1, 1, 3])]
            lines = lines or [""]
        elif kind == 1:
            lines.insert(at, random.choice(lines))
        elif kind == 2 and others:
            lines.insert(at, random.choice(random.choice(others).decode("latin-1").split("\n")))
        elif kind == 3:
            lines[at] = re.sub(r"-?\d+(\.\d+)?", lambda m: random.choice(NUMBERS) if random.random() < 0.5 else m[0], lines[at])
        elif kind == 4:
            words = re.findall(r"[A-Za-z:]+", "\n".join(lines[max(0, at - 20):at + 20])) or ["x"]
            lines[at] = re.sub(r"[A-Za-z:]+", lambda m: random.choice(words) if random.random() < 0.3 else m[0], lines[at])
        elif kind == 5:
            line = lines[at]
            place = random.randrange(len(line) + 1)
            lines[at] = line[:place] + random.choice(list("()[]{}<>\"'@=#.,$\x00\x1b\xff") + ['"""', "</", "${a}"]) * random.choice([1, 1, 1, 300]) + line[place:]
        elif kind == 6:
            other = random.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            line = lines[at]
            lines[at] = line[:random.randrange(len(line) + 1)]
    return "\n".join(lines).encode("latin-1")


EXPRESSIONS = ["${1/0}", "${x", "$(find nowhere)", "$(arg none)", "${[1] * 10 ** 9}", "${a}", "${'a' * 9 ** 9}", "../../../etc/passwd", "package://a/b", "1e", "0x1", "1,2", "1 2 3 4 5 6 7", ""]


def change_element(random, elements, parents):
    """One element: its attributes, its name or its place."""
    one, other = random.choice(elements), random.choice(elements)
    kind = random.randrange(8)
    if kind == 0 and one.attrib:
        del one.attrib[random.choice(list(one.attrib))]
    elif kind == 1 and one.attrib:
        key = random.choice(list(one.attrib))
        one.attrib[key] = re.sub(r"-?\d+(\.\d+)?", lambda m: random.choice(NUMBERS) if random.random() < 0.6 else m[0], one.attrib[key])
    elif kind == 2 and one.attrib:
        one.attrib[random.choice(list(one.attrib))] = random.choice(EXPRESSIONS + list(other.attrib.values()))
    elif kind == 3:
        one.attrib.update({key: value for key, value in other.attrib.items() if random.random() < 0.5})
    elif kind == 4:
        one.tag = other.tag
    elif kind == 5 and one in parents:
        parents[one].remove(one)
        if random.random() < 0.5:
            parents[one].insert(0, one)
    elif kind == 6 and not any(e is one for e in other.iter()):
        other.append(one)
    elif one.text and one.text.strip():
        words = one.text.split()
        words[random.randrange(len(words))] = random.choice(NUMBERS)
        one.text = " ".join(words)


def mutate_xml(random, data):
    """Elements and attributes, so that the text stays XML."""
    try:
        root = xml.etree.ElementTree.fromstring(data)
    except (xml.etree.ElementTree.ParseError, ValueError):
        return mutate_bytes(random, data)
    for _ in range(random.choice([1, 1, 2, 3, 6])):
        elements = list(root.iter())
        if len(elements) > 2000:
            break
        change_element(random, elements, {child: parent for parent in elements for child in parent})
    return xml.etree.ElementTree.tostring(root)


def mutate_bytes(random, data):
    """One to three wounds."""
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 3])):
        if len(data) < 16:
            return bytes(data)
        at = random.randrange(len(data) - 8)
        kind = random.randrange(6)
        if kind == 0:
            data[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            struct.pack_into("<I", data, at, number(random, len(data)) & 0xffffffff)
        elif kind == 2:
            struct.pack_into("<Q", data, at, number(random, len(data)) & (1 << 64) - 1)
        elif kind == 3:
            del data[at:at + random.choice([1, 4, 8, 64])]
        elif kind == 4:
            other = random.randrange(len(data) - 8)
            data[at:at + 8] = data[other:other + 8]
        else:
            del data[at:]
    return bytes(data)


def mutate(random, name, data, others=()):
    """By what the file is."""
    if data.startswith(b"PXR-USDC") and random.random() < 0.9:
        try:
            return mutate_crate(random, data)
        except (ValueError, IndexError, struct.error):
            return mutate_bytes(random, data)
    if name.endswith((".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".dae")) and random.random() < 0.8:
        return mutate_xml(random, data)
    if name.endswith((".usda", ".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".dae", ".ply", ".toml", ".csv", ".obj", ".gltf", ".json")) and random.random() < 0.9:
        return mutate_text(random, data, others)
    return mutate_bytes(random, data)
