#!/usr/bin/env python3
"""Mutates mesh files and reads each in a process of its own, until the time is up; what ends badly is kept.

usage: meshes.py [--seconds N] [--seed N] [--keep FOLDER]   with the Python module on PYTHONPATH

A file ends well when it gives triangles or is refused by an Error, within ten seconds of processor time and 2 GiB. Exit status 1
when something ended badly.
"""
import argparse
import base64
import json
import os
import pathlib
import random
import resource
import struct
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import mutate  # noqa: E402

SECONDS, MEMORY = 10, 2 << 30
POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def gltf():
    """A tetrahedron as a document with its buffer inside, and as a binary one."""
    data = b"".join(struct.pack("<3f", *p) for p in POINTS) + b"".join(struct.pack("<3H", *f) for f in FACES)
    document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
                "nodes": [{"mesh": 0, "translation": [0, 0, 1], "children": [1]}, {"mesh": 0, "scale": [2, 2, 2]}],
                "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
                "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                              {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
                "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
                "buffers": [{"byteLength": len(data)}]}
    binary = json.dumps(document).encode()
    binary += b" " * (-len(binary) % 4)
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    chunks = struct.pack("<II", len(binary), 0x4E4F534A) + binary + struct.pack("<II", len(data), 0x004E4942) + data
    return json.dumps(document, indent=1).encode(), struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def seeds():
    """Good files of every format. Returns {name: bytes}."""
    corners = [[POINTS[i] for i in f] for f in FACES]
    text, binary = gltf()
    header = "ply\nformat {} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n" \
             "property list uchar int vertex_indices\nend_header\n"
    return {
        "a.obj": ("".join("v {} {} {}\n".format(*p) for p in POINTS) + "".join("f {} {} {}\n".format(*(i + 1 for i in f)) for f in FACES)).encode(),
        "text.stl": ("solid s\n" + "".join("facet normal 0 0 1\nouter loop\n" + "".join("vertex {} {} {}\n".format(*p) for p in c) +
                                           "endloop\nendfacet\n" for c in corners) + "endsolid s\n").encode(),
        "a.stl": b"\0" * 80 + struct.pack("<I", 4) + b"".join(struct.pack("<12fH", 0, 0, 1, *(x for p in c for x in p), 0) for c in corners),
        "text.ply": (header.format("ascii") + "".join("{} {} {}\n".format(*p) for p in POINTS) + "".join("3 {} {} {}\n".format(*f) for f in FACES)).encode(),
        "a.ply": header.format("binary_little_endian").encode() + b"".join(struct.pack("<3f", *p) for p in POINTS) +
        b"".join(struct.pack("<B3i", 3, *f) for f in FACES),
        "a.gltf": text, "a.glb": binary}


def outcome(path):
    """Why reading this file ended badly; nothing when it ended well."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        status = 1
        try:
            from mechane import _mesh_files
            from mechane._diagnostics import MechaneError
            try:
                points, triangles = _mesh_files.read(path)
                status = 0 if points.ndim == 2 and triangles.ndim == 2 and points.shape[1] == triangles.shape[1] == 3 else 2
            except MechaneError:
                status = 0
            except Exception as failure:
                status = 3
                print(f"{path}: {type(failure).__name__}: {failure}", file=sys.stderr)
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "", 1: "the interpreter did not get that far", 2: "arrays of another shape", 3: "an exception without a diagnostic"}.get(
        status, f"signal {-status}" if status < 0 else f"status {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", default="out/fuzz")
    options = parser.parse_args()
    from mechane import _mesh_files  # noqa: F401  once, before the children
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 30)
    chance, keep, good = random.Random(seed), pathlib.Path(options.keep).resolve(), seeds()
    print(f"seed {seed}", flush=True)
    begin, runs, bad = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as place:
        while time.monotonic() - begin < options.seconds:
            name = chance.choice(sorted(good))
            # The first round reads the seeds as they are, and they must give triangles.
            data = good[name] if runs < len(good) else mutate.mutate(chance, name, good[name])
            path = pathlib.Path(place) / name
            path.write_bytes(data)
            why = outcome(str(path))
            runs += 1
            if why:
                bad += 1
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"mesh_{seed}_{runs}_{name}").write_bytes(data)
                print(f"{name}: {why}", flush=True)
    print(f"{runs} files, {bad} ended badly, {time.monotonic() - begin:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
