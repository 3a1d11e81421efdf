#!/usr/bin/env python3
"""Measures `mechane check` on a generated robot, and another checker beside it. usage: check_speed.py [PROGRAM] [--prims N] [--peer 'COMMAND'] [--runs N] [--growth] [--most S] [--folder N]

The stage is a chain of bodies, each with a guide collider and a revolute joint: three prims a body. Prints user and system CPU seconds of the fastest run and
wall seconds; COMMAND gets the file as its last argument, for example "python3 -m compliance_checker". --growth adds a stage ten times as large, whose time
shall be at most 12 times as long. --most bounds the seconds by the clock of the first stage. --folder judges a folder of N small assets.
"""
import argparse
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

HEAD = """#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def Xform "robot" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI", "RosContextAPI"]
    assetInfo = {
        string identifier = "urn:example:chain"
        string version = "1.0.0"
    }
    kind = "component"
)
{
    string ros:context:namespace = "robot"

    def Material "rubber" (
        prepend apiSchemas = ["PhysicsMaterialAPI"]
    )
    {
        float physics:dynamicFriction = 0.5
        float physics:restitution = 0
        float physics:staticFriction = 0.6
    }

"""
BODY = """    def Xform "b{i}" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        kind = "subcomponent"
    )
    {{
        float physics:mass = 1
        quatf xformOp:orient = (1, 0, 0, 0)
        double3 xformOp:translate = ({i}, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]

        def Cube "collision" (
            prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
        )
        {{
            rel material:binding:physics = </robot/rubber>
            token purpose = "guide"
            double size = 0.1
        }}
    }}

"""
JOINT = """    def PhysicsRevoluteJoint "j{i}"
    {{
        uniform token physics:axis = "X"
        rel physics:body0 = </robot/b{before}>
        rel physics:body1 = </robot/b{i}>
        float physics:lowerLimit = -90
        float physics:upperLimit = 90
    }}

"""


def stage(prims):
    """usda text of a chain with about so many prims."""
    text = [HEAD]
    for i in range(prims // 3):
        text.append(BODY.format(i=i))
        if i:
            text.append(JOINT.format(i=i, before=i - 1))
    return "".join(text) + "}\n"


def fastest(command, runs):
    """(CPU seconds, wall seconds) of the run with the least CPU time."""
    best = (1e9, 1e9)
    for _ in range(runs):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, (cpu, wall))
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=str(ROOT / "build" / "release" / "bin" / "mechane"))
    parser.add_argument("--prims", type=int, default=10000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peer")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--most", type=float, default=float("inf"))
    parser.add_argument("--folder", type=int, default=0)
    args = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "chain.usda")
        file.write_text(stage(args.prims))
        ours = fastest([args.program, "check", str(file), "--isolate", "never"], args.runs)
        print(f"mechane   {args.prims:8} prims   {ours[0]:7.3f} s CPU   {ours[1]:7.3f} s wall")
        failed = ours[1] > args.most
        if args.growth:
            large = pathlib.Path(folder, "large.usda")
            large.write_text(stage(10 * args.prims))
            ten = fastest([args.program, "check", str(large), "--isolate", "never"], args.runs)
            print(f"mechane   {10 * args.prims:8} prims   {ten[0]:7.3f} s CPU   {ten[1]:7.3f} s wall   {ten[0] / ours[0]:.1f} times")
            failed = failed or ten[0] > 12 * ours[0]
        if args.folder:
            small = pathlib.Path(folder, "small")
            small.mkdir()
            for i in range(args.folder):
                (small / f"robot_{i:04}.usda").write_text(stage(30))
            whole = fastest([args.program, "check", str(small), "--isolate", "never"], args.runs)
            print(f"mechane   {args.folder:8} files   {whole[0]:7.3f} s CPU   {whole[1]:7.3f} s wall   {1e3 * whole[0] / args.folder:.2f} ms CPU a file")
        if args.peer:
            theirs = fastest(shlex.split(args.peer) + [str(file)], min(args.runs, 3))
            print(f"peer      {args.prims:8} prims   {theirs[0]:7.3f} s CPU   {theirs[1]:7.3f} s wall   {theirs[0] / ours[0]:.1f} times")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
