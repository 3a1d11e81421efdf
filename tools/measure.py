#!/usr/bin/env python3
"""Measures what docs/performance.md and docs/notes/performance_log.md state: cold start, and how much faster than real time scenes run on one core.

usage: measure.py [--program build/release/bin/mechane] [--corpus FOLDER] [--runs 10] [--json]
       measure.py --house      prints how the code is built, in figures, beside other engines

Cold start is a whole process from exec to exit, files cached: `sim FILE --frames 1 -o /dev/null`. The real-time factor is simulated time
over the wall time of collide and solve, start-up excluded, with --threads 1. Medians over the runs; minimum and maximum say how noisy the machine was.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENES = [  # name, file below the corpus or the checkout, options of sim
    ("quadruped", "samples/quadruped/quadruped.usda", []),
    ("ant", "newton/examples/assets/ant.usda", ["--ground"]),
    ("humanoid", "newton/examples/assets/humanoid.usda", ["--ground"]),
    ("cartpole", "newton/examples/assets/cartpole.usda", ["--ground"]),
    ("go2", "robots-urdf/example-robot-data/go2/go2_description.usda", ["--ground", "--floating", "--hold", "60,2"]),
    ("panda", "robots-urdf/example-robot-data/panda/panda.usda", ["--ground", "--hold", "400,40"]),
]


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def cold_start(program, file, runs):
    command = [program, "sim", file, "--frames", "1", "-q", "-o", "/dev/null"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return spread(times)


def real_time_factor(program, file, options, runs):
    factors, contacts = [], 0
    for _ in range(runs):
        done = subprocess.run([program, "sim", file, *options, "--dt", "0.0166667", "--frames", "300", "--every", "300", "--threads", "1", "-q", "--json"],
                              check=True, capture_output=True, text=True)
        run = json.loads(done.stdout)
        wall = run["report"]["wall_s"]
        factors.append(run["steps"] * run["dt"] / (wall["collide"] + wall["solve"]))
        contacts = run["report"]["contacts_mean"]
    return {**spread(factors), "contacts_mean": contacts}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "mechane"))
    parser.add_argument("--corpus", default=os.environ.get("MECHANE_CORPUS", str(ROOT.parent / "shared" / "corpus")))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--house", action="store_true")
    arguments = parser.parse_args()
    if arguments.house:
        sys.path.insert(0, str(ROOT))
        from tools import house
        print(house.report(), end="")
        return 0
    out = {}
    for name, file, options in SCENES:
        path = next((p for p in (ROOT / file, pathlib.Path(arguments.corpus) / file) if p.exists()), None)
        if path is None:
            print(f"{name}: skipped: no corpus", file=sys.stderr)
            continue
        out[name] = {"cold_start_s": cold_start(arguments.program, str(path), arguments.runs),
                     "real_time_factor": real_time_factor(arguments.program, str(path), options, max(3, arguments.runs // 3))}
        if not arguments.json:
            start, factor = out[name]["cold_start_s"], out[name]["real_time_factor"]
            print(f"{name:10} cold start {1e3 * start['median']:6.1f} ms ({1e3 * start['min']:.1f}..{1e3 * start['max']:.1f})   "
                  f"{factor['median']:8.0f} x real time ({factor['min']:.0f}..{factor['max']:.0f}), {factor['contacts_mean']:.1f} contacts")
    if arguments.json:
        print(json.dumps(out, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
