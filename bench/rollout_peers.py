#!/usr/bin/env python3
"""Copies of a robot in worlds of their own: world steps a second of ours and of MuJoCo's batch, `mujoco.rollout`, in alternation.

usage: rollout_peers.py --python PYTHON [--worlds N,N,...] [--threads N] [--runs N] [--gate MM] [--warm N] [--steps N] [--build DIR]
                        [--processor]
                        [SCENE:DT[:CONDIM] | STAGE.usda:DT[:CONDIM] ...]
PYTHON has the package mujoco. A scene is one of `mechane bench`, written for MuJoCo by bench_step_mjcf; a stage is converted by
`mechane convert`, on a ground plane, and floats. Both take steps of DT seconds, one substep, on the same number of threads.

MuJoCo runs twice: `whole` gives it all the steps of a world in one call, `lockstep` one step of all worlds a call, as a policy
that acts in every step does. Ours is in lockstep always. Each run begins at the start pose and lets the robots fall for --warm steps; rates are of the
--steps after these, the same for any number of worlds. Prints medians of the runs, their ratios, and the deepest penetration of one robot in
both as the gate that makes the figures comparable.

--processor: rates are of the time that the processors worked, divided by the threads, for a machine that others use as well.

--gate: MuJoCo's contacts are as soft as they may be to sink less than MM millimetres (step_peers.py).
"""
import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import step_peers

ROOT = step_peers.ROOT
ROWS = ["ant:0.01:3", "humanoid:0.005:3"]

PEER = """
import json, resource, sys, time
import mujoco, numpy
from mujoco import rollout
xml, worlds, warm, steps, threads, impedance, lockstep, processor = sys.argv[1], *(json.loads(a) for a in sys.argv[2:])
now = (lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime / threads) if processor else time.perf_counter
model = mujoco.MjModel.from_xml_path(xml)
if impedance:
    model.geom_solref[:] = (2 * model.opt.timestep, 1)
    model.geom_solimp[:, :2] = impedance
data = [mujoco.MjData(model) for _ in range(threads)]
mujoco.mj_forward(model, data[0])
size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
state = numpy.zeros(size)
mujoco.mj_getState(model, data[0], state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
state = numpy.tile(state, (worlds, 1))
with rollout.Rollout(nthread=threads) as pool:
    def run(state, count):
        control = numpy.zeros((worlds, count, model.nu)) if model.nu else None
        out, _ = pool.rollout(model, data, state, control, nstep=count)
        return numpy.ascontiguousarray(out[:, -1, :])
    state = run(state, warm)
    start = now()
    if lockstep:
        for _ in range(steps):
            state = run(state, 1)
    else:
        run(state, steps)
    spent = now() - start
print(json.dumps({"world_steps_per_s": worlds * steps / spent}))
"""


def theirs(args, xml, worlds, impedance, lockstep):
    command = [args.python, "-c", PEER, xml, json.dumps(worlds), str(args.warm), str(args.steps), args.threads, json.dumps(impedance), json.dumps(lockstep),
               json.dumps(args.processor)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["world_steps_per_s"]


def ours(args, scene, dt, condim, worlds, steps):
    command = [args.build / "bin" / "mechane", "bench", *scene, "--json", "-q", "--threads", args.threads, "--dt", dt, "--substeps", "1"]
    command += ["--worlds", str(worlds), "--nstep", str(steps)] + (["--slide-only"] if condim == "3" else [])
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"mechane bench said: {done.stderr}")
    return {**json.loads(done.stdout), "processor_s": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before}


def rate(args, scene, dt, condim, worlds):
    """Of the steps after the first ones: a run of all less one of these."""
    early, whole = (ours(args, scene, dt, condim, worlds, count) for count in (args.warm, args.warm + args.steps))
    spent = lambda run: run["processor_s"] / int(args.threads) if args.processor else 1e-6 * run["steps"] * run["us_per_step"]
    return worlds * args.steps / (spent(whole) - spent(early))


def documents(args, name, dt, condim, folder):
    """What ours is told to load, and MuJoCo's file of the same."""
    if not pathlib.Path(name).exists():
        text = step_peers.mjcf(args.build, name.replace("_", ":"), dt, condim)
        if text is None:
            raise SystemExit(f"{name} has no counterpart in MuJoCo")
        xml = folder / "scene.xml"
        xml.write_text(text, encoding="utf-8")
        return [name.replace("_", ":")], str(xml)
    xml = folder / "robot.xml"
    subprocess.run([args.build / "bin" / "mechane", "convert", name, "-o", xml, "-q"], check=True)
    text = xml.read_text(encoding="utf-8")
    ground = f'<worldbody><geom name="ground_of_bench" type="plane" size="0 0 1" condim="{condim}"/>'
    text = text.replace("<worldbody>", f'<option timestep="{dt}"/>{ground}', 1)
    xml.write_text(text, encoding="utf-8")
    return [name, "--ground", "--floating"], str(xml)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="interpreter that has the package mujoco")
    parser.add_argument("--worlds", default="64,256,1024,4096")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--gate", type=float, default=5, help="deepest penetration that MuJoCo's contacts may have [mm]")
    parser.add_argument("--warm", type=int, default=100)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--processor", action="store_true", help="rates of processor time instead of wall time")
    parser.add_argument("rows", nargs="*", help="SCENE:DT[:CONDIM] or STAGE:DT[:CONDIM]")
    args = parser.parse_args(arguments)
    print("| robot | dt [ms] | worlds | ours [steps/s] | MuJoCo, whole | ratio | MuJoCo, lockstep | ratio | deepest, ours / MuJoCo [mm] |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in args.rows or ROWS:
        name, dt, *condim = row.split(":")
        condim = condim[0] if condim else "3"
        with tempfile.TemporaryDirectory() as folder:
            scene, xml = documents(args, name, dt, condim, pathlib.Path(folder))
            impedance = step_peers.within(1e-3 * args.gate, args.python, xml, "500")
            gate = [1e3 * run["deepest_penetration"] for run in (ours(args, scene, dt, condim, 1, 500), step_peers.mujoco(args.python, xml, "500", impedance))]
            for worlds in (int(w) for w in args.worlds.split(",")):
                runs = {"ours": [], "whole": [], "lockstep": []}
                for _ in range(args.runs):
                    runs["ours"].append(rate(args, scene, dt, condim, worlds))
                    for kind in ("whole", "lockstep"):
                        runs[kind].append(theirs(args, xml, worlds, impedance, kind == "lockstep"))
                mine, whole, lockstep = (statistics.median(runs[kind]) for kind in ("ours", "whole", "lockstep"))
                print(f"| {pathlib.Path(name).stem} | {1e3 * float(dt):.4g} | {worlds} | {mine:.0f} | {whole:.0f} | {mine / whole:.2f} | {lockstep:.0f} | "
                      f"{mine / lockstep:.2f} | {gate[0]:.1f} / {gate[1]:.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
