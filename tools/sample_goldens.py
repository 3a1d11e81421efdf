#!/usr/bin/env python3
"""Writes what OpenUSD and Newton make of our own sample stages: tests/golden/KIND/PATH.json.gz.

usage: sample_goldens.py ORACLES PYTHON

ORACLES is the folder of the programs stage_dump.py, physics_dump.py and model_dump.py, PYTHON an interpreter that has what they need
(usd-core 26.11, newton 1.8.0). Our own program has no part in it. Files larger than 1.5 MB are refused.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {"stage": "stage_dump.py", "physics": "physics_dump.py", "model": "model_dump.py"}
LARGEST = 1_500_000


def samples():
    """The stages that somebody opens: layers of others are left to them."""
    for folder in ("usd", "gallery", "quadruped"):
        yield from sorted(p for p in (ROOT / "samples" / folder).glob("*.usda") if p.name != "leg.usda")
    for asset in sorted((ROOT / "samples" / "rep0158").iterdir()):
        if asset.is_dir():
            entries = [p for p in sorted(asset.glob("*.usda")) if p.stem == asset.name or asset.name in ("dirty", "namespace")]
            yield from entries


def main(oracles, python):
    for kind, program in KINDS.items():
        for stage in samples():
            name = stage.relative_to(ROOT)
            done = subprocess.run([python, str(pathlib.Path(oracles) / program), str(name)], capture_output=True, cwd=ROOT, env={**os.environ, "CORPUS_ROOT": str(ROOT)})
            try:
                document = json.loads(done.stdout)
            except ValueError:
                print(f"{kind} {name}: no answer, {done.stderr[-200:].decode(errors='replace')}", file=sys.stderr)
                continue
            data = gzip.compress(json.dumps(document, sort_keys=True, separators=(",", ":")).encode(), 9, mtime=0)
            if len(data) > LARGEST or str(ROOT).encode() in json.dumps(document).encode():
                sys.exit(f"{kind} {name}: {len(data)} bytes, or the path of this folder is in it")
            out = ROOT / "tests" / "golden" / kind / f"{name}.json.gz"
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_bytes(data)
            print(f"{kind} {name}: {len(data)} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
