"""Real stages that must simulate well, with the options under which they do, and what is measured of a run."""
import json
import math
import pathlib

from tests.cli.program import corpus, document

GROUND = ["--ground"]
STAGES = [
    ("newton/examples/assets/ant.usda", GROUND),
    ("newton/examples/assets/humanoid.usda", GROUND),
    ("newton/examples/assets/cartpole.usda", GROUND),
    ("newton/examples/assets/boxes_fourbar.usda", GROUND),
    ("newton/tests/assets/four_link_chain_articulation.usda", GROUND),
    ("robots-urdf/example-robot-data/go2/go2_description.usda", GROUND + ["--floating", "--hold", "60,2"]),
    ("robots-urdf/example-robot-data/panda/panda.usda", GROUND + ["--hold", "400,40"]),
    ("robots-mjcf/gymnasium_robotics/shadow_hand_block/MuJoCo Model.usda", []),
]


def stages():
    """(path, options) of every stage of the list, and all of usdphysics-examples."""
    root = corpus()
    for name, options in STAGES:
        yield root / name, options
    for path in sorted((root / "usdphysics-examples").glob("*.usda")):
        yield path, []


def simulate(path, options, frames=120, threads=1, **more):
    arguments = ["sim", path, "--dt", "0.0166667", "--frames", frames, "--json", "-q", "--threads", threads, *options]
    return document(*arguments, timeout=300)


def model_of(path, options):
    """Joint frames of the model that `sim` ran, from `dump model` with the same import options."""
    wanted = []
    if "--floating" in options:
        wanted = ["--option", "floating=true"]
    return document("dump", "model", path, "--limit", 0, *wanted, timeout=300)["model"]


def rotate(q, v):
    x, y, z, w = q
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    return (v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx)


def compose(a, b):
    p = rotate(a[3:], b[:3])
    ax, ay, az, aw = a[3:]
    bx, by, bz, bw = b[3:]
    return [a[0] + p[0], a[1] + p[1], a[2] + p[2], aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def finite(value):
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list):
        return all(map(finite, value))
    return value not in ("nan", "inf", "-inf")


PRISMATIC, REVOLUTE, BALL, FIXED, D6 = 0, 1, 2, 3, 6


def anchor_gap(model, joint, body_q):
    """Distance [m] of a joint's anchors along the directions in which it does not slide."""
    parent, child = model["joint_parent"][joint], model["joint_child"][joint]
    identity = [0, 0, 0, 0, 0, 0, 1]
    a = compose(identity if parent < 0 else body_q[parent], model["joint_X_p"][joint])
    b = compose(identity if child < 0 else body_q[child], model["joint_X_c"][joint])
    gap = [b[i] - a[i] for i in range(3)]
    first = model["joint_qd_start"][joint]
    for k in range(model["joint_dof_dim"][joint][0]):
        axis = rotate(a[3:], model["joint_axis"][first + k])
        along = sum(g * x for g, x in zip(gap, axis))
        gap = [g - along * x for g, x in zip(gap, axis)]
    return math.sqrt(sum(g * g for g in gap))


def joint_gaps(model, body_q):
    """(worst gap in trees, worst gap of loop joints) over enabled joints with locked directions [m]."""
    tree, loop = 0.0, 0.0
    held = set()
    for joint, kind in enumerate(model["joint_type"]):
        if kind not in (PRISMATIC, REVOLUTE, BALL, FIXED, D6) or not model["joint_enabled"][joint]:
            continue
        gap = anchor_gap(model, joint, body_q)
        in_tree = model["joint_articulation"][joint] >= 0
        child = model["joint_child"][joint]
        if not in_tree and child >= 0 and child not in held and not any(
                model["joint_child"][j] == child for j in range(len(model["joint_type"])) if model["joint_articulation"][j] >= 0):
            in_tree = True
        held.add(child)
        if in_tree:
            tree = max(tree, gap)
        else:
            loop = max(loop, gap)
    return tree, loop
