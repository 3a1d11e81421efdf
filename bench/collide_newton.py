#!/usr/bin/env python3
"""Pairs of shapes through the collision pipelines of Newton (its CPU path) and Mechane, one thread each, in alternation.

usage: collide_newton.py --python PYTHON [--pairs N] [--rounds N] [--build DIR]      PYTHON has the package newton

Both are called through Newton's Python interface on one model: N pairs of bodies far from each other, named pair by pair, two thirds of them overlapping. A
call places the shapes, tests the pairs and makes their contacts; the table gives the least processor time of a call by pair, and how many contacts it made.
Newton's kernels are compiled and cached by a call that is not measured.
"""
import argparse
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

ONE = r"""
import importlib, math, sys, time
import numpy as np

name, count = sys.argv[1], int(sys.argv[2])
newton = importlib.import_module(name)
if name == "mechane":
    newton.set_num_threads(1)
rng = np.random.default_rng(2026)


def rotation():
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


POSES = []
for _ in range(count):
    way = rng.normal(size=3)
    POSES.append((rotation(), rng.uniform(0.3, 0.9) * way / np.linalg.norm(way), rotation()))
points = np.random.default_rng(7).normal(size=(32, 3))
points *= np.array([0.5, 0.4, 0.3]) / np.linalg.norm(points, axis=1)[:, None]


def hull():
    from itertools import combinations
    faces = []
    for i, j, k in combinations(range(len(points)), 3):  # few points: every plane is tried
        n = np.cross(points[j] - points[i], points[k] - points[i])
        side = (points - points[i]) @ n
        if (side < 1e-12).all():
            faces += [i, j, k]
        elif (side > -1e-12).all():
            faces += [i, k, j]
    return newton.Mesh(points.astype(np.float32), np.array(faces, np.int32))


HULL = hull()
SHAPES = {
    "sphere": lambda b, body: b.add_shape_sphere(body, radius=0.5),
    "box": lambda b, body: b.add_shape_box(body, hx=0.5, hy=0.4, hz=0.3),
    "capsule": lambda b, body: b.add_shape_capsule(body, radius=0.3, half_height=0.4),
    "cylinder": lambda b, body: b.add_shape_cylinder(body, radius=0.3, half_height=0.4),
    "cone": lambda b, body: b.add_shape_cone(body, radius=0.4, half_height=0.5),
    "ellipsoid": lambda b, body: b.add_shape_ellipsoid(body, rx=0.5, ry=0.4, rz=0.3),
    "hull": lambda b, body: b.add_shape_convex_hull(body, mesh=HULL),
}
PAIRS = ["sphere-sphere", "sphere-box", "capsule-capsule", "box-box", "capsule-box", "cylinder-box", "cylinder-cylinder", "cone-box", "ellipsoid-box", "hull-hull"]
side = math.ceil(math.sqrt(count))
listed = np.arange(2 * count, dtype=np.int32).reshape(-1, 2)
if name == "newton":
    import warp
    listed = warp.array(listed, dtype=warp.vec2i, device="cpu")
for pair in PAIRS:
    first, second = pair.split("-")
    b = newton.ModelBuilder()
    b.rigid_gap = 0.01
    for i, (q, p, r) in enumerate(POSES):
        origin = np.array([10.0 * (i % side), 10.0 * (i // side), 0])
        for shape, at, turn in ((first, origin, q), (second, origin + p, r)):
            body = b.add_body(xform=(*map(float, at), *map(float, turn)))
            SHAPES[shape](b, body)
    model = b.finalize(device="cpu")
    state = model.state()
    pipeline = newton.CollisionPipeline(model, broad_phase="explicit", shape_pairs_filtered=listed)
    contacts = pipeline.contacts()
    pipeline.collide(state, contacts)
    best = math.inf
    for _ in range(3):
        start = time.process_time()
        pipeline.collide(state, contacts)
        best = min(best, time.process_time() - start)
    made = contacts.rigid_contact_count
    print("pair", pair, 1e9 * best / count, int(np.asarray(made.numpy() if hasattr(made, "numpy") else made).reshape(-1)[0]), flush=True)
"""


def once(python, module, pairs, build):
    paths = [str(build / "python"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    done = subprocess.run([python, "-W", "ignore", "-c", ONE, module, str(pairs)], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))})
    rows = (line.split()[1:] for line in done.stdout.splitlines() if line.startswith("pair "))
    return {name: (float(ns), int(contacts)) for name, ns, contacts in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="interpreter that has the package newton, of the version that the module is built for")
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    args = parser.parse_args()
    runs = [(once(args.python, "mechane", args.pairs, args.build), once(args.python, "newton", args.pairs, args.build)) for _ in range(args.rounds)]
    print("| pair | ours, ns | newton, ns | ours / newton | contacts, ours | newton's |\n| --- | --- | --- | --- | --- | --- |")
    for pair in runs[0][0]:
        ours, theirs = (min(run[k][pair][0] for run in runs) for k in (0, 1))
        print(f"| {pair} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.3f} | {runs[0][0][pair][1]} | {runs[0][1][pair][1]} |")


if __name__ == "__main__":
    main()
