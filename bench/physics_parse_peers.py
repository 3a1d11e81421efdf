#!/usr/bin/env python3
"""Physics parse of a stage that is open: OpenUSD's own parser against ours, in alternation on one machine.

usage: physics_parse_peers.py --python PYTHON [--bodies N] [--runs N] [--build DIR]   PYTHON has the package usd-core

Stages: `bodies` rigid bodies with one cube each, and one body with as many colliders. Prints both medians in milliseconds
and how many times as fast ours is.
"""
import argparse
import pathlib
import statistics
import subprocess
import tempfile

from import_peers import ROOT, stage_of_free_bodies

PEER = """
import sys, time
from pxr import Usd, UsdPhysics
stage = Usd.Stage.Open(sys.argv[1])
best = []
for _ in range(3):
    start = time.perf_counter()
    found = UsdPhysics.LoadUsdPhysicsFromRange(stage, [stage.GetPseudoRoot().GetPath()])
    best.append(time.perf_counter() - start)
print("ms", 1000 * min(best))
"""


def stage_of_one_body(count):
    """usda text: one body with `count` cube colliders."""
    text = ['#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n\ndef Xform "body" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n)\n{\n']
    for i in range(count):
        text.append(f"""
    def Cube "c_{i}" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {{
        double size = 0.2
        double3 xformOp:translate = ({i * 0.3}, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
""")
    return "".join(text) + "}\n"


def ours(program, stage):
    done = subprocess.run([program, stage, "3"], capture_output=True, text=True, check=True)
    return float(done.stdout.splitlines()[1].split(",")[4])


def peer(python, stage):
    done = subprocess.run([python, "-c", PEER, stage], capture_output=True, text=True, check=True)
    return float(next(line for line in done.stdout.splitlines() if line.startswith("ms")).split()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="interpreter that has the package usd-core")
    parser.add_argument("--bodies", type=int, default=20000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    args = parser.parse_args()
    program = args.build / "bin" / "bench_physics_parse"
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("free bodies", stage_of_free_bodies(args.bodies)), ("colliders on one body", stage_of_one_body(args.bodies))):
            stage = f"{folder}/stage.usda"
            pathlib.Path(stage).write_text(text)
            times = [(ours(program, stage), peer(args.python, stage)) for _ in range(args.runs)]
            mine, theirs = (statistics.median(values) for values in zip(*times))
            print(f"{args.bodies} {name}: ours {mine:.0f} ms, OpenUSD {theirs:.0f} ms, {theirs / mine:.1f} times as fast")


if __name__ == "__main__":
    main()
