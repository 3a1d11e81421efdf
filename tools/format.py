#!/usr/bin/env python3
"""Formats the C++ sources with the clang-format that deps/requirements-dev.txt pins. usage: format.py [--check] [FILE...]"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def tool(name):
    """Path of a developer's tool from its wheel; installs it on first use."""
    from tools import bootstrap
    target = bootstrap.DEPS / "dev"
    requirements = ROOT / "deps" / "requirements-dev.txt"
    stamp = bootstrap.Stamp("dev", bootstrap.fingerprint(requirements))
    if not stamp.fresh():
        bootstrap.pip_target(requirements, target, "installing clang-format and clang-tidy")
        stamp.write()
    package = name.replace("-", "_")
    return next(p for p in (target / package / "data" / "bin" / name, target / "bin" / name) if p.exists())


def sources():
    for top in ("include", "src", "tests", "bench", "fuzz"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield str(path)


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    files = [a for a in arguments if a != "--check"] or list(sources())
    command = [tool("clang-format"), "--dry-run", "-Werror"] if check else [tool("clang-format"), "-i"]
    return subprocess.run([*command, *files], env=dict(os.environ)).returncode


if __name__ == "__main__":
    sys.exit(main())
