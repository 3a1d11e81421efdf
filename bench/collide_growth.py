#!/usr/bin/env python3
"""How the cost of a collide call grows with the size of its shapes: corners of hulls, triangles of a terrain, one thread.

usage: PYTHONPATH=build/release/python collide_growth.py

2000 overlapping pairs of equal hulls, and 441 boxes on terrains of the same extent; the least time of five calls, nanoseconds a pair.
"""
import math
import time

import mechane as mc
import numpy as np

mc.set_num_threads(1)
PAIRS = 2000


def rotation(rng):
    q = rng.normal(size=4)
    return tuple(map(float, q / np.linalg.norm(q)))


def ellipsoid(count):
    """A closed mesh of about `count` points on an ellipsoid: only its points matter for a hull."""
    i = np.arange(count) + 0.5
    polar, turn = np.arccos(1 - 2 * i / count), math.pi * (1 + 5**0.5) * i
    points = np.stack([0.5 * np.cos(turn) * np.sin(polar), 0.4 * np.sin(turn) * np.sin(polar), 0.3 * np.cos(polar)], axis=1)
    return mc.Mesh(points.astype(np.float32), np.arange(count - count % 3, dtype=np.int32))


def terrain(side):
    """2 side^2 triangles over 40 m by 40 m."""
    x, y = np.meshgrid(np.linspace(-20, 20, side + 1), np.linspace(-20, 20, side + 1), indexing="ij")
    points = np.stack([x, y, 0.5 * np.sin(0.7 * x) * np.cos(0.5 * y)], axis=-1).reshape(-1, 3).astype(np.float32)
    at = np.arange(side * side) // side * (side + 1) + np.arange(side * side) % side
    faces = np.stack([at, at + side + 1, at + side + 2, at, at + side + 2, at + 1], axis=1).reshape(-1).astype(np.int32)
    return mc.Mesh(points, faces)


def least(model, pairs):
    state = model.state()
    pipeline = mc.CollisionPipeline(model, broad_phase="sap")
    contacts = pipeline.contacts()
    pipeline.collide(state, contacts)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        pipeline.collide(state, contacts)
        times.append(time.perf_counter() - start)
    return 1e9 * min(times) / pairs


def hulls(corners):
    rng, mesh, b = np.random.default_rng(2026), ellipsoid(corners), mc.ModelBuilder()
    side = math.ceil(math.sqrt(PAIRS))
    for i in range(PAIRS):
        origin, way = np.array([10.0 * (i % side), 10.0 * (i // side), 0]), rng.normal(size=3)
        for at in (origin, origin + 0.5 * way / np.linalg.norm(way)):
            b.add_shape_convex_hull(b.add_body(xform=(*map(float, at), *rotation(rng))), mesh=mesh)
    return least(b.finalize(), PAIRS)


def boxes(side):
    rng, b = np.random.default_rng(2026), mc.ModelBuilder()
    b.add_shape_mesh(-1, mesh=terrain(side))
    for i in range(441):
        x, y = 1.8 * (i % 21) - 18, 1.8 * (i // 21) - 18
        z = 0.5 * math.sin(0.7 * x) * math.cos(0.5 * y) + 0.25
        b.add_shape_box(b.add_body(xform=(x, y, z, *rotation(rng))), hx=0.5, hy=0.4, hz=0.3)
    return least(b.finalize(), 441)


print("| corners of a hull | ns a pair |\n| --- | --- |")
for n in (8, 16, 32, 64, 128, 256):
    print(f"| {n} | {hulls(n):.0f} |")
print("\n| triangles of the terrain | ns a box |\n| --- | --- |")
for n in (16, 32, 64, 128, 256):
    print(f"| {2 * n * n} | {boxes(n):.0f} |")
