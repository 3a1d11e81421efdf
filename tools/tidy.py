#!/usr/bin/env python3
"""Runs the pinned clang-tidy over the sources of the release build. usage: tidy.py [FILE...]"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.format import tool  # noqa: E402


def main():
    build = ROOT / "build" / "release"
    commands = build / "compile_commands.json"
    if not commands.exists():
        print("tidy: no compile commands: make build", file=sys.stderr)
        return 2
    known = sorted({entry["file"] for entry in json.loads(commands.read_text()) if entry["file"].startswith(str(ROOT / "src"))})
    files = [str(pathlib.Path(a).resolve()) for a in sys.argv[1:]] or known
    return subprocess.run([tool("clang-tidy"), "--quiet", "-p", build, *files]).returncode


if __name__ == "__main__":
    sys.exit(main())
