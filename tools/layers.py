#!/usr/bin/env python3
"""Checks the walls of the house: which module may include which, and where OpenUSD's headers may appear.

usage: layers.py [--list]

MAY_USE is the "may use" column of docs/architecture.md as data (transitive). Prints each offending line and exits 1 if there is one;
--list prints the column with what is in reach of each module.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

MAY_USE = {
    # ground floor: no USD
    "core": [],
    "math": ["core"],
    "tasks": ["core"],
    "files": ["core"],
    "geometry": ["math", "tasks", "files"],
    # asset wing: knows prims, never bodies in motion
    "usd": ["core", "math", "tasks", "files"],
    "physics": ["usd"],
    "resolve": ["physics", "geometry"],
    "ros": ["usd"],
    "conformance": ["physics", "resolve", "ros"],
    "exporter": ["resolve", "ros", "geometry"],
    # simulation wing: knows arrays, never prims
    "model": ["geometry"],
    "collision": ["model"],
    "dynamics": ["model"],
    "solvers": ["dynamics", "collision"],
    # doors: the only places where both wings meet
    "importer": ["resolve", "model"],
    "sourceformats": ["usd", "geometry"],
    "record": ["model", "usd"],
    "run": ["importer", "solvers", "record", "conformance"],
    # roof
    "viewer": ["exporter", "record"],
    "cli": ["run", "viewer", "importer", "record", "solvers", "sourceformats", "conformance", "exporter"],
    "python": ["cli", "run", "viewer", "importer", "record", "solvers", "sourceformats", "conformance", "exporter"],
}
OPENUSD_ROOM = "usd"
# Kernels take spans and plain structs: they must not see the model's arrays.
NARROWER = {"collision/narrow": ["core", "math", "geometry", "collision"]}

# Only one room changes the file system, so that nothing is replaced but as a whole, and no input ever. Others may in folders of their own:
FILES_ROOM = "files"
MAY_WRITE = {
    "conformance/fixes/workspace.cpp": "its work folder",
    "usd/package_writer.cpp": "a scratch folder that becomes the package",
    "usd/schemagen": "a program of the build",
    "cli/isolate.cpp": "the streams of a child, /dev/null",
    "cli/program.cpp": "closed standard streams, /dev/null",
}
WRITES = re.compile(r'\b(ofstream|O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|copy_file|remove_all|(fs|filesystem|std)::(rename|remove)|mkstemp|mkdtemp)\b|fopen\([^;]*"[wa]|(?<!\w)::(unlink|rename|truncate)\(')

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def reach(module):
    """All modules that `module` may include, itself among them."""
    seen, todo = set(), [module]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += MAY_USE[name]
    return seen


def sources(root):
    for top in ("include/mechane", "src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".hpp", ".cpp", ".inl"):
                yield path, path.relative_to(root / top).parts


def offences(root=ROOT):
    """(file, line number, text, reason) of every include that breaks a wall."""
    for path, parts in sources(root):
        if len(parts) < 2:
            yield path, 0, "", "a source file outside every module"
            continue
        module = parts[0]
        if module not in MAY_USE:
            yield path, 0, "", f"unknown module '{module}'"
            continue
        allowed = reach(module)
        for narrow, modules in NARROWER.items():
            if "/".join(parts).startswith(narrow + "/"):
                allowed = set(modules)
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if WRITES.search(line.split("//")[0]) and module != FILES_ROOM and not any("/".join(parts).startswith(name) for name in MAY_WRITE):
                yield path, number, line.strip(), f"files are changed in src/{FILES_ROOM} only"
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match[1]
            if target.startswith("pxr/"):
                if module != OPENUSD_ROOM or "include" in path.relative_to(root).parts[:1]:
                    yield path, number, line.strip(), f"OpenUSD's headers belong in src/{OPENUSD_ROOM} only"
            elif target.startswith("mechane/"):
                used = target.split("/")[1]
                if used not in allowed:
                    yield path, number, line.strip(), f"{module} may not use {used}"
            elif target.split("/")[0] in MAY_USE and target.split("/")[0] not in allowed:
                yield path, number, line.strip(), f"{module} may not use private headers of {target.split('/')[0]}"
            elif target.startswith("Eigen/") and path.suffix != ".cpp":
                yield path, number, line.strip(), "Eigen stays out of headers"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    if parser.parse_args().list:
        for module in MAY_USE:
            print(f"{module:14} may use {', '.join(MAY_USE[module]) or '(the standard library)'}; in reach: {', '.join(sorted(reach(module) - {module}))}")
        return 0
    found = list(offences())
    for path, number, line, reason in found:
        print(f"{path.relative_to(ROOT)}:{number}: {reason}: {line}")
    print(f"{'walls broken: ' + str(len(found)) if found else 'all walls hold'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
