#!/usr/bin/env python3
"""Mutates good files and runs the program on them, until the time is up; what ends badly is kept.

usage: run.py [--mechane PROGRAM] [--seconds N] [--seed N] [--keep FOLDER] [--only SUFFIX]

Exit status 1 when something ended badly. A stored file that crashes belongs in fuzz/crashers, where `make test` runs it.
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import crafted  # noqa: E402
import mutate  # noqa: E402
import sources  # noqa: E402
import trial  # noqa: E402

TOML = '[check]\nprofile = "core"\nfail_on = "error"\nignore = ["REP-1.1-i"]\n[check.severity]\n"REP-1.1-i" = "info"\n' \
       '[[suppress]]\nrule = "REP-1.1-i"\nprim = "/r/*"\nreason = "kept"\nexpires = 2030-01-31\n'
CSV = "t,/r/joint.target_q\n0,0\n0.01,5\n0.02,10\n"


def seeds(mechane, folder):
    """Good files of every kind, made from the seed stage and the samples. Returns {name: bytes}."""
    shutil.copy(HERE / "seed.usda", folder / "seed.usda")
    root = HERE.parent / "samples"
    out = {"seed.usda": (HERE / "seed.usda").read_bytes()}

    def make(name, *arguments):
        subprocess.run([mechane, *arguments], cwd=folder, capture_output=True, check=False)
        if (folder / name).is_file():
            out[name] = (folder / name).read_bytes()
    for name in ("seed.usdc", "seed.usdz"):
        make(name, "cat", "seed.usda", "-o", name)
    make("seed.mrec", "sim", "seed.usda", "--frames", "4", "-o", "seed.mrec", "--checkpoint", "seed.mchk")
    if (folder / "seed.mchk").is_file():
        out["seed.mchk"] = (folder / "seed.mchk").read_bytes()
    make("seed.png", "render", "seed.usda", "-o", "seed.png")
    for sample in sorted(root.glob("usd/*.usda"))[:8] + sorted(root.glob("rep0158/**/*.usda"))[:8] + sorted(root.glob("quadruped/*.usda")):
        if sample.stat().st_size < 20000:
            out["sample_" + sample.name] = sample.read_bytes()
            target = folder / ("sample_" + sample.stem + ".usdc")
            make(target.name, "cat", str(sample), "-o", target.name)
    for name, data in sources.seeds().items():
        (folder / name).write_bytes(data)
        out[name] = data
    out["mechane_fuzz.toml"], out["control.csv"] = TOML.encode(), CSV.encode()
    (folder / "textured.usda").write_text('#usda 1.0\n(\n    defaultPrim = "m"\n)\ndef Mesh "m"\n{\n    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n'
                                          '    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n    asset inputs:file = @./x.png@\n}\n')
    return out


def try_all(mechane, folder, name, verbs=None):
    """Runs every verb for this file. Returns [(verb, outcome)] of those that ended badly, and how many ran."""
    bad, ran = [], 0
    for verb, command in trial.commands(mechane, name).items():
        if verbs and verb not in verbs:
            continue
        outcome = trial.trial(command, folder)
        ran += 1
        if not outcome.good:
            bad.append((verb, outcome))
    return bad, ran


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mechane", default=os.environ.get("MECHANE", str(HERE.parent / "build" / "release" / "bin" / "mechane")))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", default="out/fuzz")
    parser.add_argument("--only", default="")
    parser.add_argument("--crafted", action="store_true", help="the crafted files too, first")
    options = parser.parse_args()
    mechane = str(pathlib.Path(options.mechane).resolve())
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 30)
    chance, keep = random.Random(seed), pathlib.Path(options.keep).resolve()
    print(f"seed {seed}", flush=True)
    begin, total, found = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        good = seeds(mechane, folder)

        def run(name, data):
            nonlocal total, found
            (folder / name).write_bytes(data)
            bad, ran = try_all(mechane, folder, name)
            total += ran
            for verb, outcome in bad:
                found += 1
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{verb}_{seed}_{total}_{name}").write_bytes(data)
                print(f"{verb} {name}: {outcome.why}\n    {outcome.output[-300:]!r}", flush=True)
            if name not in good:
                (folder / name).unlink()
            else:
                (folder / name).write_bytes(good[name])
        if options.crafted:
            files = {**crafted.texts(), **crafted.crates(good["seed.usdc"]), **crafted.every_kind(good["seed.usdc"])}
            for name, data in files.items():
                if name.endswith(options.only):
                    run(name, data)
        names = [n for n in good if n.endswith(options.only) and trial.commands(mechane, n)]
        while time.monotonic() - begin < options.seconds and names:
            name = chance.choice(names)
            data = mutate.mutate(chance, name, good[name], [d for n, d in good.items() if n.endswith(".usda")])
            # A mesh keeps its name, which a robot names.
            run(name if name.startswith("body.") else "x" + name[name.rindex("."):], data)
    print(f"{total} runs, {found} ended badly, {time.monotonic() - begin:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
