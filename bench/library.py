"""Makes a library of assets, and measures how long `mechane check` takes with and without its verdicts.

    python3 bench/library.py make FOLDER --assets 100000
    python3 bench/library.py measure FOLDER --program build/release/bin/mechane

An asset is a folder of four layers: the entry, which takes in the physics as a sublayer and the geometry as a payload,
and brings a look from one of the shared layers by reference; each look has a texture. Every seventh asset has a fault.
"""
import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ASSETS_A_FOLDER = 500
ASSETS_A_LOOK = 200

ENTRY = """#usda 1.0
(
    defaultPrim = "{name}"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    subLayers = [
        @./physics.usda@
    ]
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def Xform "{name}" (
    assetInfo = {{
        asset identifier = @./{name}.usda@
        string name = "{name}"
        string version = "1.0.0"
    }}
    kind = "component"
    payload = @./geometries.usda@</{name}>
)
{{
    def "Looks" (
        prepend references = @{look}@</Looks>
    )
    {{
    }}

    def Xform "link"
    {{
        quatf xformOp:orient = (1, 0, 0, 0)
        double3 xformOp:translate = (0, 0, {height})
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
    }}
}}
"""
PHYSICS = """#usda 1.0
(
    defaultPrim = "{name}"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

over "{name}"
{{
    over "link" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        point3f physics:centerOfMass = (0, 0, 0)
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
        float physics:mass = {mass}
        quatf physics:principalAxes = (1, 0, 0, 0)
    }}
}}
"""
GEOMETRIES = """#usda 1.0
(
    defaultPrim = "{name}"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def Xform "{name}"
{{
    over "link"
    {{
        def Mesh "visual" (
            prepend apiSchemas = ["MaterialBindingAPI"]
        )
        {{
            rel material:binding = </{name}/Looks/paint>
            float3[] extent = [(-1, -1, 0), (1, 1, {height})]
            int[] faceVertexCounts = [3, 3, 3, 3]
            int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]
            point3f[] points = [(-1, -1, 0), (1, -1, 0), (0, 1, 0), (0, 0, {height})]
            uniform token subdivisionScheme = "none"
        }}
    }}
}}
"""
LOOK = """#usda 1.0
(
    defaultPrim = "Looks"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def Scope "Looks"
{{
    def Material "paint"
    {{
        token outputs:surface.connect = </Looks/paint/surface.outputs:surface>

        def Shader "surface"
        {{
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </Looks/paint/colour.outputs:rgb>
            token outputs:surface
        }}

        def Shader "colour"
        {{
            uniform token info:id = "UsdUVTexture"
            asset inputs:file = @./{texture}@
            float3 outputs:rgb
        }}
    }}
}}
"""


def png(size=8, bits=8, shade=128):
    """A grey picture as the bytes of a PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    row = b"\0" + bytes([shade]) * (size * 3 * bits // 8)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, bits, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(row * size)) + chunk(b"IEND", b""))


def folder_of(root, number):
    return pathlib.Path(root) / f"shelf_{number // ASSETS_A_FOLDER:04d}" / f"prop_{number:06d}"


def make(root, assets):
    """Writes the library; the same number gives the same bytes."""
    root = pathlib.Path(root)
    shared = root / "shared"
    shared.mkdir(parents=True, exist_ok=True)
    for look in range(-(-assets // ASSETS_A_LOOK)):
        (shared / f"paint_{look:04d}.png").write_bytes(png(shade=look % 256))
        (shared / f"paint_{look:04d}.usda").write_text(LOOK.format(texture=f"paint_{look:04d}.png"))
    for number in range(assets):
        folder = folder_of(root, number)
        folder.mkdir(parents=True, exist_ok=True)
        name = folder.name
        words = {"name": name, "height": 0.5 + number % 100 / 100, "mass": 0 if number % 7 == 3 else 1 + number % 50,
                 "look": f"../../shared/paint_{number // ASSETS_A_LOOK:04d}.usda"}
        (folder / f"{name}.usda").write_text(ENTRY.format(**words))
        (folder / "physics.usda").write_text(PHYSICS.format(**words))
        (folder / "geometries.usda").write_text(GEOMETRIES.format(**words))


def timed(command):
    """Seconds, processor seconds with those of its children, peak memory of the process in MiB, and the last line of
    stderr, of a command that may have findings."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}\n{message}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, message.strip().splitlines()[-1] if message else ""


def measure(root, program):
    cache = tempfile.mkdtemp(prefix="mechane-library-")
    try:
        check = [program, "check", root, "--format", "ndjson", "-v", "--cache", cache]
        rows = {}
        for what, command in {
            "first": check, "second": check, "second, every file read": [*check, "--reread"],
        }.items():
            seconds, busy, memory, message = timed(command)
            rows[what] = {"seconds": round(seconds, 3), "cpu": round(busy, 3), "MiB": round(memory, 1), "said": message}
        for row in rows.values():
            for time_of in ("seconds", "cpu"):
                row[f"{time_of} of the first"] = round(row[time_of] / rows["first"][time_of], 4)
        rows["cache MiB"] = round(sum(f.stat().st_size for f in pathlib.Path(cache).rglob("*") if f.is_file()) / 2**20, 1)
        print(json.dumps(rows, indent=1))
    finally:
        shutil.rmtree(cache)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "measure"])
    parser.add_argument("folder")
    parser.add_argument("--assets", type=int, default=100_000)
    parser.add_argument("--program", default="mechane")
    args = parser.parse_args()
    if args.what == "make":
        make(args.folder, args.assets)
    else:
        measure(args.folder, args.program)
