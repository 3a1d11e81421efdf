#!/usr/bin/env python3
"""Gathers what is given away in out/release: the wheel, the Debian packages, the container file with the package it copies, sources, and their SHA-256.

usage: release.py      after wheel.py and deb.py, as `make release` does
"""
import hashlib
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tools import bootstrap, wheel  # noqa: E402

ROOT = bootstrap.ROOT
OUT = ROOT / "out" / "release"


def newest(folder, pattern):
    found = sorted((ROOT / "out" / folder).glob(pattern), key=lambda p: p.stat().st_mtime)
    if not found:
        raise SystemExit(f"out/{folder} has no {pattern}: make release builds it")
    return found[-1]


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    files = [newest("wheel", "*.whl"), newest("deb", "mechane_*.deb"), newest("deb", "libmechane-dev_*.deb")]
    for file in files:
        shutil.copy2(file, OUT)
    image = OUT / "image" / "out" / "deb"
    image.mkdir(parents=True)
    shutil.copy2(files[1], image)
    shutil.copy2(ROOT / "Containerfile", OUT / "image")
    if (ROOT / ".git").exists():
        name = f"mechane-{wheel.version()}"
        subprocess.run(["git", "archive", f"--prefix={name}/", "-o", OUT / f"{name}.tar.gz", "HEAD"], check=True, cwd=ROOT)
    sums = [f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.relative_to(OUT)}\n" for f in sorted(OUT.rglob("*")) if f.is_file()]
    (OUT / "SHA256SUMS").write_text("".join(sums))
    print("".join(sums), end="")


if __name__ == "__main__":
    main()
