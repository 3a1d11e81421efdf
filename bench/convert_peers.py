#!/usr/bin/env python3
"""Conversion of a robot in every direction, and beside the Python converters urdf-usd-converter and mujoco-usd-converter, in alternation (EXP-078).

usage: convert_peers.py [--mechane PROGRAM] [--python PYTHON] [--links N] [--runs N] [--json]

PYTHON is an interpreter with both packages, in an environment of its own; without it only our own times are printed. The robot is a tree of N links
with boxes, cylinders and spheres, hinges and slides, limits and masses; it has no pictures. Each time is the least of the runs, wall and processor.
Beside the others like is measured with like: the command of one beside the command of the other, whole processes; and the call in Python of one beside
that of the other, without interpreter and imports.
"""
import argparse
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMATS = {"folder": "robot", "layer": "robot.usdc", "urdf": "back.urdf", "sdf": "back.sdf", "mjcf": "back.xml", "glb": "back.glb"}

PEER = """
import logging, sys, tempfile, time
logging.disable(logging.CRITICAL)
kind, source = sys.argv[1:]
if kind == "urdf":
    import urdf_usd_converter as package
else:
    import mujoco_usd_converter as package
with tempfile.TemporaryDirectory() as folder:
    start = time.perf_counter(), time.process_time()
    package.Converter().convert(source, folder)
    print("seconds", time.perf_counter() - start[0], time.process_time() - start[1])
"""

OURS = """
import sys, tempfile, time, mechane
kind, source = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    for run in range(2):  # the first one reads the schemas of OpenUSD, which the others have done at their import
        start = time.perf_counter(), time.process_time()
        getattr(mechane.convert, "from_" + kind)(source, folder + f"/robot{run}")
    print("seconds", time.perf_counter() - start[0], time.process_time() - start[1])
"""
COMMANDS = {"urdf": "urdf_usd_converter", "mjcf": "mujoco_usd_converter"}


def shapes(i, mjcf):
    """Text of one shape of link i."""
    kind = i % 3
    if mjcf:
        return ('<geom type="box" size="0.05 0.04 0.1" mass="1"/>', '<geom type="cylinder" size="0.05 0.1" mass="1"/>', '<geom type="sphere" size="0.06" mass="1"/>')[kind]
    form = ('<box size="0.1 0.08 0.2"/>', '<cylinder radius="0.05" length="0.2"/>', '<sphere radius="0.06"/>')[kind]
    return f'<visual><geometry>{form}</geometry></visual><collision><geometry>{form}</geometry></collision>'


def parent(i):
    """A tree of four branches from the base."""
    return max(0, i - 4)


def urdf(links):
    """A robot of so many links."""
    inertia = '<inertial><mass value="1"/><inertia ixx="0.004" iyy="0.004" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = ['<robot name="tree">']
    for i in range(links):
        text.append(f'<link name="link_{i}">{inertia}{shapes(i, False)}</link>')
    for i in range(1, links):
        kind = "prismatic" if i % 5 == 0 else "revolute"
        text.append(f'<joint name="joint_{i}" type="{kind}"><parent link="link_{parent(i)}"/><child link="link_{i}"/><origin xyz="0.1 {0.02 * (i % 4)} 0.05" rpy="0.1 0.2 {0.3 * (i % 4)}"/>'
                    f'<axis xyz="{("1 0 0", "0 1 0", "0 0 1", "0 0.6 0.8")[i % 4]}"/><limit lower="-1" upper="1" effort="20" velocity="3"/></joint>')
    return "".join(text) + "</robot>"


def mjcf(links):
    """The same tree."""
    below = {i: [k for k in range(1, links) if parent(k) == i] for i in range(links)}
    def body(i):
        kind = "slide" if i % 5 == 0 else "hinge"
        joint = f'<joint name="joint_{i}" type="{kind}" axis="{("1 0 0", "0 1 0", "0 0 1", "0 0.6 0.8")[i % 4]}" range="-1 1"/>' if i else "<freejoint/>"
        return f'<body name="link_{i}" pos="0.1 {0.02 * (i % 4)} 0.05" euler="0.1 0.2 {0.3 * (i % 4)}">{joint}{shapes(i, True)}{"".join(map(body, below[i]))}</body>'
    return f'<mujoco model="tree"><compiler angle="radian"/><worldbody>{body(0)}</worldbody></mujoco>'


def process(*command):
    """Wall and processor seconds of a whole process; infinite where it fails."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    spent, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        print(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr}", file=sys.stderr)
        return math.inf, math.inf
    return spent, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(program, source, out):
    """Of one conversion by the program."""
    return process(program, "convert", source, "-o", out, "--fail-on-loss", "never")


def call(python, code, kind, source, path=None):
    """Wall and processor seconds that a call took, as `code` prints them; infinite where it fails."""
    done = subprocess.run([python, "-W", "ignore", "-c", code, kind, str(source)], capture_output=True, text=True, check=False,
                          env=dict(os.environ, **({"PYTHONPATH": path} if path else {})))
    return tuple(map(float, done.stdout.split()[-2:])) if done.returncode == 0 else (math.inf, math.inf)


def measure(program, python, links, runs):
    """(from, to) -> wall and processor seconds; and (format, "command" or "call", whose) -> the same."""
    times, peers = {}, {}
    path = os.pathsep.join(map(str, (pathlib.Path(program).resolve().parent.parent / "python", ROOT / ".deps" / "python")))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        sources = {"urdf": folder / "tree.urdf", "mjcf": folder / "tree.xml"}
        sources["urdf"].write_text(urdf(links))
        sources["mjcf"].write_text(mjcf(links))
        stages = {}
        for run in range(runs):
            for kind, source in sources.items():
                stages[kind] = folder / f"{kind}_{run}"
                times.setdefault((kind, "folder"), []).append(ours(program, source, stages[kind]))
                if python:
                    command = pathlib.Path(python).parent / COMMANDS[kind]
                    for way, whose, spent in (("command", "theirs", process(command, source, folder / f"theirs_{kind}_{run}")), ("command", "ours", times[kind, "folder"][-1]),
                                              ("call", "theirs", call(python, PEER, kind, source)), ("call", "ours", call("/usr/bin/python3", OURS, kind, source, path))):
                        peers.setdefault((kind, way, whose), []).append(spent)
            for form, name in FORMATS.items():
                if form != "folder":
                    times.setdefault(("folder", form), []).append(ours(program, stages["urdf"], folder / f"{run}_{name}"))
            for form in ("sdf", "glb"):
                times.setdefault((form, "folder"), []).append(ours(program, folder / f"{run}_{FORMATS[form]}", folder / f"from_{form}_{run}"))
    least = lambda rows: {k: tuple(map(min, zip(*v))) for k, v in rows.items()}
    return least(times), least(peers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mechane", default=os.environ.get("MECHANE", str(ROOT / "build" / "release" / "bin" / "mechane")))
    parser.add_argument("--python", help="interpreter that has urdf-usd-converter and mujoco-usd-converter")
    parser.add_argument("--links", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    times, peers = measure(args.mechane, args.python, args.links, args.runs)
    if args.json:
        print(json.dumps({"links": args.links, "times": {f"{a} to {b}": t for (a, b), t in times.items()}, "peers": {" ".join(of): t for of, t in peers.items()}}))
        return
    print(f"{args.links} links, least of {args.runs} runs, milliseconds of wall and of processors")
    for (a, b), (wall, cpu) in times.items():
        print(f"  {a:>6} to {b:<7} {1000 * wall:8.1f} {1000 * cpu:8.1f}")
    for kind, way in (of[:2] for of in peers if of[2] == "ours"):
        (wall, cpu), (their_wall, their_cpu) = peers[kind, way, "ours"], peers[kind, way, "theirs"]
        print(f"  {kind} by {way:<8} {1000 * wall:8.1f} {1000 * cpu:8.1f}   Python converter {1000 * their_wall:8.1f} {1000 * their_cpu:8.1f}: {their_wall / wall:.1f} and {their_cpu / cpu:.1f} times")


if __name__ == "__main__":
    main()
