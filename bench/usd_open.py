#!/usr/bin/env python3
"""Opens the same stages with Mechane and with OpenUSD, in alternation, and prints the ratios of the medians and of the
fastest runs: on a shared machine the latter say more about the programs.

    python3 bench/usd_open.py --bench build/release/bin/bench_usd_open --python PYTHON-WITH-PXR [--bodies 20000] [--runs 5]

Mechane opens, visits every prim, and reads every transform and physics attribute; OpenUSD only opens. Each run is a
process of its own, so nothing is shared but the file cache. Times are of the opening alone on OpenUSD's side, and of
opening and reading together on ours; start-up counts for neither, as each process opens a robot of four
links first; with --cold it does not, and what the libraries set up on first use counts for both.
"""
import argparse
import pathlib
import statistics
import subprocess
import tempfile

OPEN_REFERENCE = """
import resource, sys, time
from pxr import Usd
if len(sys.argv) == 3:
    Usd.Stage.Open(sys.argv[2])
begin = time.perf_counter()
stage = Usd.Stage.Open(sys.argv[1])
print((time.perf_counter() - begin) * 1e3, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
CONVERT = "import sys; from pxr import Sdf; Sdf.Layer.FindOrOpen(sys.argv[1]).Export(sys.argv[2])"
HEADER = '#usda 1.0\n(\n    defaultPrim = "World"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'


def bodies(count):
    """A flat world: each body with its mass and pose, each with one collider below it."""
    yield HEADER + 'def Xform "World"\n{\n'
    for i in range(count):
        yield f'''    def Xform "body_{i}" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        float physics:mass = {1 + i % 7}
        point3f physics:centerOfMass = (0, 0, 0.{i % 10})
        vector3f physics:velocity = (0, 0, {i % 3})
        double3 xformOp:translate = ({i % 100}, {i // 100 % 100}, {i // 10000})
        quatf xformOp:orient = (1, 0, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        def Cube "collider" (
            prepend apiSchemas = ["PhysicsCollisionAPI"]
        )
        {{
            double size = 0.{1 + i % 9}
            bool physics:collisionEnabled = 1
        }}
    }}
'''
    yield "}\n"


def robot(folder, links):
    """A robot of 100 layers: each link a file of its own, referenced, with a variant set for its collider."""
    root = HEADER + 'def Xform "World"\n{\n'
    for i in range(links):
        name = folder / f"link_{i}.usda"
        variants = "\n".join(f'''        "{kind}" {{
            def {kind} "collider" (
                prepend apiSchemas = ["PhysicsCollisionAPI"]
            )
            {{
            }}
        }}''' for kind in ("Cube", "Sphere"))
        name.write_text(f'''#usda 1.0
(
    defaultPrim = "link"
)
def Xform "link" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    prepend variantSets = "collider"
    variants = {{
        string collider = "Cube"
    }}
)
{{
    float physics:mass = {1 + i % 5}
    double3 xformOp:translate = (0, 0, {i})
    uniform token[] xformOpOrder = ["xformOp:translate"]
    variantSet "collider" = {{
{variants}
    }}
}}
''')
        root += f'''    def "link_{i}" (
        prepend references = @./{name.name}@
        variants = {{
            string collider = "{("Cube", "Sphere")[i % 2]}"
        }}
    )
    {{
    }}
'''
    path = folder / "robot.usda"
    path.write_text(root + "}\n")
    return path


def measure(command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout.strip()


def compare(bench, python, stage, runs, cold=False):
    """Both programs in alternation, as rows of what they print; the first run of each warms the file cache and is left out."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        first = [] if cold else [robot(pathlib.Path(folder), 4)]
        for _ in range(runs + 1):
            ours.append([float(x) for x in measure([bench, stage, "0", *first]).split(",")])
            theirs.append([float(x) for x in measure([python, "-c", OPEN_REFERENCE, stage, *first]).split()])
    return ours[1:], theirs[1:]


def write_bodies(folder, python, count):
    usda, usdc = folder / "bodies.usda", folder / "bodies.usdc"
    usda.write_text("".join(bodies(count)))
    measure([python, "-c", CONVERT, usda, usdc])
    return usda, usdc


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bench", required=True)
    options.add_argument("--python", required=True)
    options.add_argument("--bodies", type=int, default=20000)
    options.add_argument("--links", type=int, default=99)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--cold", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        usda, usdc = write_bodies(folder, given.python, given.bodies)
        print("stage,prims,open_ms,read_ms,reference_open_ms,time_ratio,time_ratio_of_fastest,open_ratio_of_fastest,memory_MiB,reference_MiB,memory_ratio")
        for stage in (usda, usdc, robot(folder, given.links)):
            ours, theirs = compare(given.bench, given.python, stage, given.runs, given.cold)
            median = lambda rows, pick: statistics.median(pick(row) for row in rows)
            total = median(ours, lambda r: r[2] + r[3])
            reference = median(theirs, lambda r: r[0])
            fastest = min(r[2] + r[3] for r in ours) / min(r[0] for r in theirs)
            opening = min(r[2] for r in ours) / min(r[0] for r in theirs)
            memory, other = median(ours, lambda r: r[4]), median(theirs, lambda r: r[1])
            print(f"{stage.name},{ours[0][0]:.0f},{median(ours, lambda r: r[2]):.1f},{median(ours, lambda r: r[3]):.1f},"
                  f"{reference:.1f},{total / reference:.2f},{fastest:.2f},{opening:.2f},{memory:.0f},{other:.0f},{memory / other:.2f}", flush=True)


if __name__ == "__main__":
    main()
