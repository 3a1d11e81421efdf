#!/usr/bin/env python3
"""Steps a second of built-in scenes: MuJoCo's C library, Jolt and Bullet against ours, in alternation.

usage: step_peers.py --python PYTHON [--jolt PROGRAM] [--runs N] [--threads N] [--gate MM] [--build DIR] [--check FILE]
                     [--discrete] [--linear-cast] [SCENE:DT:SUBSTEPS:STEPS[:CONDIM] ...]
PYTHON has the package mujoco; PROGRAM is Jolt's own PerformanceTest, whose scenes two of ours repeat. Bullet steps these two where
bench_step_bullet is built.

Ours and Jolt on N threads (1), MuJoCo and Bullet, which step a scene on one, on one. All take external steps of DT seconds; ours divides each
into SUBSTEPS. MuJoCo and Bullet get the same bodies, joints and shapes. With CONDIM 6 (the default) the contacts of both resist spinning and
rolling as well as sliding, with 3 sliding only. Prints the best of the runs of each, ratios of ours to theirs, and the gates
that make the figures comparable: the deepest penetration over the run and the mean number of contacts (Jolt reports neither). A
contact of Bullet's lasts until its points are a margin apart.

--gate: MuJoCo's contacts are as soft as they may be to sink less than MM millimetres: its defaults, else the stiffest time constant
that it allows at DT with more and more impedance (CONTACTS). Its column says with which.

Ours follows fast bodies along their way and Jolt does not: with --discrete ours does not either, with --linear-cast both do.

--check compares the ratios with those of FILE (bench/step_ratios.json; rows without an argument are its rows), says how far each is
from its target, and fails where one is lower by more than a tenth (ALLOWED). Ratios, because absolute figures are a machine's own.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = ["humanoid:0.005:1:2000", "humanoid:0.005:1:2000:3", "humanoid:0.005:2:2000", "humanoid_100:0.005:1:100", "humanoid_100:0.005:1:100:3", "ant:0.01:1:2000", "chain_100:0.002:1:1000", "pyramid_5:0.0166667:4:120"]

JOLT_SCENES = {"pyramid:15": "Pyramid", "convex-vs-mesh": "ConvexVsMesh"}  # by our names

ALLOWED = 0.1  # by how much of itself a ratio may be lower than the stored one

# From MuJoCo's defaults on: solimp (impedance at no and at full depth), with a solref of two steps, the least that is not clamped.
CONTACTS = [None, (0.9, 0.95), (0.95, 0.99), (0.99, 0.999)]

PEER = """
import sys, time, json
import mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
impedance = json.loads(sys.argv[3])
if impedance:
    model.geom_solref[:] = (2 * model.opt.timestep, 1)
    model.geom_solimp[:, :2] = impedance
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


def ours(args, scene, dt, substeps, steps, condim):
    command = [args.build / "bin" / "mechane", "bench", scene, "--json", "-q", "--threads", args.threads, "--dt", dt, "--substeps", substeps, "--nstep", steps]
    command += ["--slide-only"] if condim == "3" else []
    command += ["--discrete"] if args.discrete else []
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def mujoco(python, xml, steps, impedance):
    command = [python, "-c", PEER, xml, steps, json.dumps(impedance)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def within(gate, python, xml, steps):
    """The softest of CONTACTS with which MuJoCo sinks less than the gate [m], else the last."""
    for impedance in CONTACTS[:-1]:
        if gate is None or mujoco(python, xml, steps, impedance)["deepest_penetration"] <= gate:
            return impedance
    return CONTACTS[-1]


def jolt(program, scene, threads, quality):
    """Its table has a line "quality, threads, steps a second, hash" under a header; it needs its assets beside it."""
    done = subprocess.run([program, f"-s={scene}", f"-q={quality}", f"-t={threads}"], capture_output=True, text=True, check=True, cwd=pathlib.Path(program).parent)
    for line in done.stdout.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if cells[:2] == [quality, threads]:
            return {"steps_per_s": float(cells[2])}
    raise SystemExit(f"{program} printed no figure for {scene}")


def bullet(build, scene, dt, steps):
    done = subprocess.run([build / "bin" / "bench_step_bullet", scene, dt, steps], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def mjcf(build, scene, dt, condim):
    """The scene as MuJoCo reads it; None where a shape or joint has no counterpart there."""
    done = subprocess.run([build / "bin" / "bench_step_mjcf", scene, dt, condim], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def measure(args, row, peers):
    """Those peers of one row in alternation: name -> list of runs."""
    name, dt, substeps, steps, *condim = row.split(":")
    scene, condim = name.replace("_", ":"), condim[0] if condim else "6"
    runs = {"ours": [], "mujoco": [], "jolt": [], "bullet": []}
    with_bullet = scene in JOLT_SCENES and "bullet" in peers and (args.build / "bin" / "bench_step_bullet").exists()
    document, impedance = mjcf(args.build, scene, dt, condim) if "mujoco" in peers else None, None
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as xml:
        xml.write(document or "")
        xml.flush()
        if document:
            impedance = within(args.gate and 1e-3 * args.gate, args.python, xml.name, steps)
        for _ in range(args.runs):
            runs["ours"].append(ours(args, scene, dt, substeps, steps, condim))
            if document:
                runs["mujoco"].append(mujoco(args.python, xml.name, steps, impedance))
            if args.jolt and scene in JOLT_SCENES and "jolt" in peers:
                runs["jolt"].append(jolt(args.jolt, JOLT_SCENES[scene], args.threads, "LinearCast" if args.linear_cast else "Discrete"))
            if with_bullet:
                runs["bullet"].append(bullet(args.build, scene, dt, steps))
    return scene, dt, substeps, condim, impedance, runs


def cells(scene, dt, substeps, condim, impedance, runs):
    best = {peer: max((run["steps_per_s"] for run in of), default=None) for peer, of in runs.items()}
    gate = {peer: of[0] for peer, of in runs.items() if of and "contacts_mean" in of[0]}
    speed = lambda peer: "" if best[peer] is None else f"{best[peer]:.0f}"
    ratio = lambda peer: "" if best[peer] is None else f"{best['ours'] / best[peer]:.2f}"
    both = lambda field, scale, digits: " / ".join(f"{scale * gate[peer][field]:.{digits}f}" for peer in ("ours", "mujoco", "bullet") if peer in gate)
    return [scene, f"{1e3 * float(dt):.4g}", substeps, condim, speed("ours"), speed("mujoco"), ratio("mujoco"), speed("jolt"), ratio("jolt"),
            speed("bullet"), ratio("bullet"), both("deepest_penetration", 1e3, 2), both("contacts_mean", 1, 1), " to ".join(str(i) for i in impedance or [])]


def judge(stored, ratios):
    """Lines about the ratios of one row, and whether one has regressed. `stored`: peer -> {"ratio", "target"}."""
    lines, failed = [], False
    for peer, known in stored.items():
        if ratios.get(peer) is None:
            lines.append(f"{peer}: not measured")
            continue
        ratio, change = ratios[peer], ratios[peer] / known["ratio"] - 1
        regressed = change < -ALLOWED
        failed = failed or regressed
        target = f", target {known['target']} " + ("met" if ratio >= known["target"] else "not met") if "target" in known else ""
        lines.append(f"{peer}: {ratio:.2f}, stored {known['ratio']:.2f} ({change:+.0%}){target}" + (" REGRESSED" if regressed else ""))
    return lines, failed


HEADER = ["scene", "dt [ms]", "substeps", "condim", "ours [steps/s]", "MuJoCo [steps/s]", "ratio", "Jolt [steps/s]", "ratio",
          "Bullet [steps/s]", "ratio", "deepest, ours / MuJoCo / Bullet [mm]", "contacts, ours / MuJoCo / Bullet", "MuJoCo's impedance"]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="interpreter that has the package mujoco")
    parser.add_argument("--jolt", help="Jolt's PerformanceTest; left out where it is not built")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", default="1", help="of ours and Jolt's")
    parser.add_argument("--gate", type=float, help="deepest penetration that MuJoCo's contacts may have [mm]")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--discrete", action="store_true", help="ours does not follow fast bodies along their way")
    parser.add_argument("--linear-cast", action="store_true", help="Jolt follows fast bodies along their way")
    parser.add_argument("--check", type=pathlib.Path, help="stored ratios that these must not fall behind")
    parser.add_argument("rows", nargs="*", help="SCENE:DT:SUBSTEPS:STEPS[:CONDIM], the scene's size after an underscore")
    args = parser.parse_args(arguments)
    stored = json.loads(args.check.read_text(encoding="utf-8")) if args.check else {}
    rows, said, failed = args.rows or list(stored) or ROWS, [], False
    print("| " + " | ".join(HEADER) + " |")
    print("| " + " | ".join("---" for _ in HEADER) + " |")
    for row in rows:
        *what, runs = measure(args, row, stored.get(row, ("mujoco", "jolt", "bullet")))
        print("| " + " | ".join(cells(*what, runs)) + " |", flush=True)
        best = {peer: max((run["steps_per_s"] for run in of), default=None) for peer, of in runs.items()}
        lines, regressed = judge(stored.get(row, {}), {peer: best["ours"] / theirs for peer, theirs in best.items() if theirs})
        said += [f"{row}: {line}" for line in lines]
        failed = failed or regressed
    print("\n".join(said), end="\n" if said else "")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
