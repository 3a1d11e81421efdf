"""Files made to do harm, each by one idea, from the seed stage: what the readers must refuse, or read as if it were harmless.

`crates(seed)` takes the bytes of the seed as a crate, `texts()` needs nothing; both give {name: bytes}.
"""
import struct

import crate
from crate import ARRAY, COMPRESSED, EDIT, INLINED, Crate


def rep(kind, payload, flags=0):
    return flags | kind << 48 | payload


def changed(seed, change):
    one = Crate(seed)
    change(one)
    return one.bytes()


def set_default(name_of_value):
    """A change that gives the first field "default" this value."""
    def change(one):
        one.fields_named("default")[0][1] = name_of_value(one)
    return change


def self_dictionary(one):
    at = len(one.values) + 7 & ~7
    value = struct.pack("<QIqQ", 1, 0, 8, rep(31, at))
    assert one.append(value) == at
    one.fields_named("customLayerData")[0][1] = rep(31, at)


def laughing_dictionary(one):
    """Each dictionary holds the one before twice."""
    inner = rep(10, 0, INLINED)
    for _ in range(60):
        inner = rep(31, one.append(struct.pack("<QIqQIqQ", 2, 0, 8, inner, 1, 8, inner)))
    one.fields_named("customLayerData")[0][1] = inner


def integers(count, kind=3):
    """A packed array that says it has more numbers than the file could hold by any measure of sense: all differences the same."""
    def value(one):
        # One LZ4 sequence: a few literals, then one match of the rest.
        size = 4 + (2 * count + 7) // 8
        match = size - 4 - 8 - 5
        head = bytes([0, 0x8f]) + struct.pack("<ii", 1, 0) + b"\1\0"
        rest = match - 19
        packed = head + b"\xff" * (rest // 255) + bytes([rest % 255]) + bytes([0x50]) + bytes(5)
        return rep(kind, one.append(struct.pack("<QQ", count, len(packed)) + packed), ARRAY | COMPRESSED)
    return value


def edit(values, words):
    def value(one):
        literals = rep(8, one.append(struct.pack(f"<Q{len(values)}f", len(values), *values)), ARRAY)
        instructions = rep(5, one.append(struct.pack(f"<Q{len(words)}q", len(words), *words)), ARRAY)
        return rep(8, one.append(struct.pack("<QQB", literals, instructions, 1)), EDIT)
    return value


def spline(blob, customs=0):
    return lambda one: rep(59, one.append(struct.pack("<Q", len(blob)) + blob + struct.pack("<Q", customs)))


def with_minor(minor, change):
    def both(one):
        one.values[9] = minor
        change(one)
    return both


def miss_child(one):
    """A child is listed that has no spec."""
    at = [i for i, kind in enumerate(one.spec_types) if kind == 6][-1]
    for column in (one.spec_paths, one.spec_sets, one.spec_types):
        del column[at]


def child_twice(one):
    field = one.fields_named("primChildren")[0]
    at = field[1] & crate.PAYLOAD
    (count,) = struct.unpack_from("<Q", one.values, at)
    names = struct.unpack_from(f"<{count}I", one.values, at + 8)
    field[1] = rep(41, one.append(struct.pack(f"<Q{2 * count}I", 2 * count, *names, *names)))


def samples_unsorted(one):
    field = one.fields_named("timeSamples")[0]
    at = field[1] & crate.PAYLOAD
    (jump,) = struct.unpack_from("<q", one.values, at)
    (times,) = struct.unpack_from("<Q", one.values, at + jump)
    struct.pack_into("<2d", one.values, (times & crate.PAYLOAD) + 8, float("nan"), -3.0)


def every_kind(seed):
    """Each type of value in each form, with an offset that lies in the file and means something else."""
    out = {}
    for kind in range(1, 64):
        for name, flags in (("plain", 0), ("array", ARRAY), ("inlined", INLINED), ("both", ARRAY | INLINED), ("packed", ARRAY | COMPRESSED),
                            ("edit", EDIT)):
            out[f"kind_{kind}_{name}.usdc"] = changed(seed, with_minor(13, set_default(lambda one: rep(kind, 200, flags))))
    return out


def crates(seed):
    changes = {
        "token_bomb": set_default(lambda one: rep(11, one.append(struct.pack("<Q", 1 << 31)), ARRAY | INLINED)),
        "array_longer_than_file": set_default(lambda one: rep(8, one.append(struct.pack("<Q", 1 << 40)), ARRAY)),
        "path_expression_outside": set_default(lambda one: rep(57, one.append(struct.pack("<I", 1 << 30)))),
        "path_expression_array": set_default(lambda one: rep(57, one.append(struct.pack("<QI", 1, 1 << 30)), ARRAY)),
        "spline_cut": with_minor(13, set_default(spline(b"\x11"))),
        "spline_long": with_minor(13, set_default(lambda one: rep(59, one.append(struct.pack("<Q", 1 << 40))))),
        "spline_loops": with_minor(13, set_default(spline(struct.pack("<BBddiidI", 0x11, 0x49, 0, 1, 1 << 30, 1 << 30, 0, 0)))),
        "edit_of_200": with_minor(13, set_default(edit([1.0], [200 << 56 | 3 if 200 << 56 < 1 << 63 else -(56 << 56) | 3, 0, 0]))),
        "edit_too_few_words": with_minor(13, set_default(edit([1.0], [0xffff, 0]))),
        "edit_literal_outside": with_minor(13, set_default(edit([1.0], [1, 1 << 40, 0]))),
        "edit_resizes": with_minor(13, set_default(edit([1.0], [7 << 56 | 1, 1 << 40]))),
        "self_dictionary": self_dictionary,
        "laughing_dictionary": laughing_dictionary,
        "integers": set_default(integers(1 << 26)),
        "long_integers": set_default(integers(1 << 26, 5)),
        "missing_child": miss_child,
        "child_twice": child_twice,
        "samples_unsorted": samples_unsorted,
        "spec_twice": lambda one: [column.append(column[-1]) for column in (one.spec_paths, one.spec_sets, one.spec_types)],
        "spec_of_other_kind": lambda one: one.spec_types.__setitem__(1, 1),
        "many_paths": lambda one: setattr(one, "paths", 1 << 30),
        "many_specs": lambda one: one.sizes.__setitem__("specs", 1 << 40),
        "many_fields": lambda one: one.sizes.__setitem__("fields", 1 << 30),
        "many_tokens": lambda one: one.sizes.__setitem__("tokens", 1 << 40),
        "children_of_another_type": lambda one: one.fields_named("primChildren")[0].__setitem__(1, rep(3, 7, INLINED)),
        "references_of_another_type": lambda one: one.fields_named("references")[0].__setitem__(1, one.fields_named("payload")[0][1]),
        "path_circle": lambda one: one.jumps.__setitem__(2, 1 << 20),
        "negative_version": lambda one: one.values.__setitem__(9, 255),
    }
    return {name + ".usdc": changed(seed, change) for name, change in changes.items()}


def texts():
    links = "".join(f'def Xform "a{i}" (\n    prepend references = </a{i + 1}>\n)\n{{\n}}\n' for i in range(3000))
    laughs = "".join(f'        string V{i} = "`\\"{f"${{V{i + 1}}}" * 4}\\"`"\n' for i in range(30))
    head = '#usda 1.0\n'
    return {
        "laughing_variables.usda": (head + "(\n    expressionVariables = {\n" + laughs + '        string V30 = "x"\n    }\n    subLayers = [\n        @`"${V0}.usda"`@\n'
                                    "    ]\n)\n").encode(),
        "long_chain.usda": (head + links + 'def Xform "a3000"\n{\n}\n').encode(),
        "nested_braces.usda": (head + 'def "a"\n{\n' * 200000).encode(),
        "nested_brackets.usda": (head + 'def "a"\n{\n    float[] x = ' + "[" * 200000 + "\n}\n").encode(),
        "nested_dictionaries.usda": (head + "(\n    customLayerData = {\n" + "dictionary a = {\n" * 50000).encode(),
        "nested_expression.usda": (head + 'def "a"\n{\n    pathExpression x = "' + "(" * 200000 + '"\n}\n').encode(),
        "zeros.usda": head.encode() + bytes(1 << 20),
        "only_head.usda": head.encode(),
        "no_end.usda": (head + 'def Xform "a" {\n    string x = "').encode(),
        "self_sublayer.usda": (head + "(\n    subLayers = [@./self_sublayer.usda@]\n)\n").encode(),
        "self_reference.usda": (head + '(\n    defaultPrim = "a"\n)\ndef "a" (\n    references = @./self_reference.usda@\n)\n{\n}\n').encode(),
        "large_numbers.usda": (head + '(\n    defaultPrim = "a"\n    metersPerUnit = 1e308\n    timeCodesPerSecond = 1e-308\n)\ndef Cube "a" (\n'
                               '    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n)\n{\n    double size = 1e308\n}\n').encode(),
        "mesh_indices.usda": (head + '(\n    defaultPrim = "a"\n)\ndef Mesh "a" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n)\n{\n'
                              "    int[] faceVertexCounts = [3, 2147483647, -5]\n    int[] faceVertexIndices = [0, 1, 2147483647, -1]\n"
                              "    point3f[] points = [(0, 0, 0), (nan, inf, -inf)]\n}\n").encode(),
        "control_characters.usda": (head + '(\n    defaultPrim = "a"\n    doc = "\x1b]0;title\x07\x1b[2J\u202e"\n)\ndef "a" (\n'
                                    '    prepend apiSchemas = ["x\\n::error::y\x1b[31m"]\n)\n{\n}\n').encode(),
        "empty.usdc": b"", "head.usdc": b"PXR-USDC", "zeros.usdc": b"PXR-USDC" + bytes(200), "cut.usdz": b"PK\3\4" + bytes(30),
        "stored_twice.usdz": b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0, 0, 1 << 31, 1 << 31, 6, 0) + b"a.usda",
    }
