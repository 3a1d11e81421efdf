#!/usr/bin/env python3
"""File to finalized model: Newton's add_usd + finalize on the CPU against ours, in alternation on one stage of free bodies.

usage: import_peers.py --python PYTHON [--bodies N] [--runs N] [--build DIR]      PYTHON has the package newton

Prints the median seconds of both and how many times as fast ours is. Newton's kernels are compiled and cached by a run that
does not count; start of the interpreter and imports of modules are left out on its side, start of the program on ours.
"""
import argparse
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

PEER = """
import sys, time, logging, warnings
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
import newton, warp
warp.config.quiet = True
start = time.perf_counter()
builder = newton.ModelBuilder()
builder.add_usd(sys.argv[1])
model = builder.finalize(device="cpu")
print("seconds", time.perf_counter() - start, model.body_count)
"""


def stage_of_free_bodies(count):
    """usda text: `count` bodies with a mass, each with one box collider, on a grid."""
    text = ['#usda 1.0\n(\n    defaultPrim = "World"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n\ndef Xform "World"\n{\n    def PhysicsScene "scene"\n    {\n    }\n']
    for i in range(count):
        x, y, z = i % 200 * 0.5, i // 200 % 200 * 0.5, i // 40000 * 0.5 + 0.2
        text.append(f"""
    def Xform "body_{i}" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        float physics:mass = {1 + i % 7 * 0.1:.1f}
        quatf xformOp:orient = (1, 0, 0, 0)
        double3 xformOp:translate = ({x}, {y}, {z})
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]

        def Cube "shape" (
            prepend apiSchemas = ["PhysicsCollisionAPI"]
        )
        {{
            double size = 0.2
        }}
    }}
""")
    return "".join(text) + "}\n"


def ours(program, stage):
    done = subprocess.run([program, "--once", stage], capture_output=True, text=True, check=True)
    fields = done.stdout.splitlines()[1].split(",")
    return float(fields[-1]) / 1000, int(fields[1])


def peer(python, stage):
    done = subprocess.run([python, "-c", PEER, stage], capture_output=True, text=True, check=True)
    fields = next(line for line in done.stdout.splitlines() if line.startswith("seconds")).split()
    return float(fields[1]), int(fields[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="interpreter that has the package newton")
    parser.add_argument("--bodies", type=int, default=20000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stage = f"{folder}/bodies.usda"
        pathlib.Path(stage).write_text(stage_of_free_bodies(args.bodies))
        small = f"{folder}/warm.usda"
        pathlib.Path(small).write_text(stage_of_free_bodies(2))
        peer(args.python, small)
        times = {"ours": [], "newton": []}
        for _ in range(args.runs):
            seconds, bodies = ours(args.build / "bin" / "bench_import", stage)
            times["ours"].append(seconds)
            seconds, theirs = peer(args.python, stage)
            times["newton"].append(seconds)
            assert bodies == theirs == args.bodies, (bodies, theirs)
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{args.bodies} free bodies: ours {medians['ours']:.2f} s, newton {medians['newton']:.2f} s, {medians['newton'] / medians['ours']:.1f} times as fast")


if __name__ == "__main__":
    main()
