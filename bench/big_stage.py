"""Stages of many prims and of many bodies, and how long the program takes for them and how much memory.

    python3 bench/big_stage.py --program build/release/bin/mechane
    python3 bench/big_stage.py --program build/release/bin/mechane --sizes 25000 50000 100000 --only bodies

Four families, each at several sizes; time and memory that grow as fast as the size are linear:

- *references*: prims that come by references to one asset of a hundred prims
- *instances*: the same references, instanceable
- *instancer*: a PointInstancer of rigid bodies
- *bodies*: rigid bodies, each a prim with a collider, in layers of a grid over a floor
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HEAD = """#usda 1.0
(
    defaultPrim = "world"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

"""
FLOOR = """    def PhysicsScene "scene"
    {
    }

    def Plane "floor" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
        uniform token axis = "Z"
        double length = 10000
        double width = 10000
    }

"""
BODY = """    def Sphere "body_{number}" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {{
        double radius = 0.2
        double3 xformOp:translate = ({x}, {y}, {z})
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}

"""
#: Prims of the referenced asset, itself included.
ASSET_PRIMS = 100


def asset():
    children = "".join(f'    def Xform "part_{i}"\n    {{\n        double3 xformOp:translate = ({i}, 0, 0)\n'
                       '        uniform token[] xformOpOrder = ["xformOp:translate"]\n\n'
                       f'        def Cube "shape"\n        {{\n            double size = 0.5\n        }}\n    }}\n\n' for i in range(ASSET_PRIMS // 2 - 1))
    return HEAD.replace('"world"', '"asset"') + f'def Xform "asset"\n{{\n{children}    def Scope "notes"\n    {{\n    }}\n}}\n'


def places(count):
    side = max(1, round((count / 4) ** 0.5))
    for number in range(count):
        layer, rest = divmod(number, side * side)
        yield number, rest % side, rest // side, 0.5 + layer


def references(folder, prims, instanceable):
    (folder / "asset.usda").write_text(asset())
    with open(folder / "stage.usda", "w") as out:
        out.write(HEAD + 'def Xform "world"\n{\n')
        for number in range(prims // ASSET_PRIMS):
            out.write(f'    def "asset_{number}" (\n{"        instanceable = true" + chr(10) if instanceable else ""}        prepend references = @./asset.usda@\n    )\n    {{\n    }}\n\n')
        out.write("}\n")


def instancer(folder, bodies):
    points = ", ".join(f"({x}, {y}, {z})" for _, x, y, z in places(bodies))
    with open(folder / "stage.usda", "w") as out:
        out.write(HEAD + 'def Xform "world"\n{\n' + FLOOR)
        out.write('    def PointInstancer "balls"\n    {\n        rel prototypes = </world/balls/ball>\n'
                  f'        int[] protoIndices = [{", ".join("0" * bodies)}]\n        point3f[] positions = [{points}]\n\n'
                  '        def Sphere "ball" (\n            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n        )\n'
                  '        {\n            double radius = 0.2\n        }\n    }\n}\n')


def bodies(folder, count):
    with open(folder / "stage.usda", "w") as out:
        out.write(HEAD + 'def Xform "world"\n{\n' + FLOOR)
        for number, x, y, z in places(count):
            out.write(BODY.format(number=number, x=x, y=y, z=z))
        out.write("}\n")


FAMILIES = {
    "references": (lambda folder, n: references(folder, n, False), [250_000, 500_000, 1_000_000], ("info", "check")),
    "instances": (lambda folder, n: references(folder, n, True), [250_000, 500_000, 1_000_000], ("info", "check")),
    "instancer": (instancer, [25_000, 50_000, 100_000], ("info", "check", "sim")),
    "bodies": (bodies, [25_000, 50_000, 100_000], ("info", "check", "sim")),
}
VERBS = {
    "open": ["cat", "--mask", "/world/none", "-o", "/dev/null"],
    "info": ["info"],
    "check": ["check", "--severity", "error", "--max-per-rule", "1", "-o", "/dev/null"],
    "sim": ["sim", "--frames", "10", "--json"],
}


def run(command):
    """Seconds, processor seconds, peak MiB, the exit status and what was said."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, env={**os.environ, "MECHANE_CACHE": "off"})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        message = said.read().decode(errors="replace")
    seconds = time.perf_counter() - begin
    return round(seconds, 2), round(usage.ru_utime + usage.ru_stime, 2), round(usage.ru_maxrss / 1024), process.returncode, message


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="mechane")
    parser.add_argument("--sizes", type=int, nargs="*", help="instead of each family's own")
    parser.add_argument("--only", nargs="*", choices=list(FAMILIES))
    parser.add_argument("--verbs", nargs="*", choices=list(VERBS))
    args = parser.parse_args()
    for family, (make, sizes, verbs) in FAMILIES.items():
        if args.only and family not in args.only:
            continue
        for size in args.sizes or sizes:
            with tempfile.TemporaryDirectory() as folder:
                make(pathlib.Path(folder), size)
                stage = str(pathlib.Path(folder) / "stage.usda")
                for verb in args.verbs or verbs:
                    if verb not in verbs and verb != "open":
                        continue
                    seconds, busy, memory, status, message = run([args.program, VERBS[verb][0], stage, *VERBS[verb][1:]])
                    print(json.dumps({"family": family, "size": size, "verb": verb, "seconds": seconds, "cpu": busy, "MiB": memory, "exit": status}), flush=True)
                    if status not in (0, 1):
                        print(message[-500:], file=sys.stderr)


if __name__ == "__main__":
    main()
