#!/usr/bin/env python3
"""Steps a second of built-in scenes: MuJoCo's C library against ours, in alternation on the same bodies, joints and shapes.

usage: step_peers.py --python PYTHON [--runs N] [--build DIR] [SCENE:DT:SUBSTEPS:STEPS ...]      PYTHON has the package mujoco

One thread each. Both take external steps of DT seconds; ours divides each into SUBSTEPS. Prints the best of the runs of both, their
ratio, and the gates that make the figures comparable: the deepest penetration over the run and the mean number of contacts.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = ["humanoid:0.005:1:2000", "humanoid:0.005:2:2000", "humanoid_100:0.005:1:100", "ant:0.01:1:2000", "chain_100:0.002:1:1000", "pyramid_5:0.0166667:4:120"]

PEER = """
import sys, time, json
import mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
steps, deepest, contacts, spent = int(sys.argv[2]), 0.0, 0, 0.0
mujoco.mj_step(model, data)
for _ in range(steps):
    start = time.perf_counter()
    mujoco.mj_step(model, data)
    spent += time.perf_counter() - start
    contacts += data.ncon
    if data.ncon:
        deepest = max(deepest, -float(data.contact.dist.min()))
print(json.dumps({"steps_per_s": steps / spent, "contacts_mean": contacts / steps, "deepest_penetration": deepest}))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="interpreter that has the package mujoco")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("rows", nargs="*", default=ROWS, help="SCENE:DT:SUBSTEPS:STEPS, the scene's size after an underscore")
    args = parser.parse_args()
    print("| scene | dt [ms] | sub-steps | ours [steps/s] | MuJoCo [steps/s] | ratio | deepest, ours / MuJoCo [mm] | contacts, ours / MuJoCo |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in args.rows:
        name, dt, substeps, steps = row.split(":")
        scene = name.replace("_", ":")
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as xml:
            xml.write(subprocess.run([args.build / "bin" / "bench_step_mjcf", scene, dt], capture_output=True, text=True, check=True).stdout)
            xml.flush()
            ours, peer = [], []
            for _ in range(args.runs):
                done = subprocess.run([args.build / "bin" / "mechane", "bench", scene, "--json", "-q", "--threads", "1", "--dt", dt, "--substeps", substeps, "--nstep", steps], capture_output=True, text=True, check=True)
                ours.append(json.loads(done.stdout))
                done = subprocess.run([args.python, "-c", PEER, xml.name, steps], capture_output=True, text=True, check=True)
                peer.append(json.loads(done.stdout))
        best = [max(run["steps_per_s"] for run in runs) for runs in (ours, peer)]
        depth = [1e3 * runs[0]["deepest_penetration"] for runs in (ours, peer)]
        contacts = [runs[0]["contacts_mean"] for runs in (ours, peer)]
        print(f"| {scene} | {1e3 * float(dt):.4g} | {substeps} | {best[0]:.0f} | {best[1]:.0f} | {best[0] / best[1]:.2f} | {depth[0]:.2f} / {depth[1]:.2f} | {contacts[0]:.1f} / {contacts[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
