#!/usr/bin/env python3
"""Checks the walls of the house: which module may include which, where OpenUSD's headers may appear, and which package of the Python
module may import which.

usage: layers.py [--list]

MAY_USE is the "may use" column of docs/architecture.md as data (transitive), PYTHON_MAY_USE the one of its section on Python. Prints each
offending line, and each circle of Python files, and exits 1 if there is one; --list prints the columns with what is in reach of each module.
"""
import argparse
import ast
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
    "exporter": ["resolve", "ros", "geometry", "sourceformats"],
    "reduction": ["usd"],
    # simulation wing: knows arrays, never prims
    "model": ["geometry"],
    "collision": ["model"],
    "dynamics": ["model"],
    "solvers": ["dynamics", "collision"],
    "device": ["solvers", "tasks", "files"],
    "simulation": ["solvers", "device", "files"],
    # doors: the only places where both wings meet
    "importer": ["resolve", "model"],
    "sourceformats": ["usd", "geometry"],
    "record": ["simulation", "usd"],
    "run": ["importer", "simulation", "record", "conformance"],
    "difference": ["exporter", "run", "conformance"],
    "conversion": ["difference"],
    "face": ["difference", "run", "ros"],
    # roof
    "viewer": ["exporter", "record"],
    "cli": ["run", "viewer", "importer", "record", "solvers", "sourceformats", "conformance", "exporter", "difference", "conversion", "reduction"],
    "python": ["cli", "run", "viewer", "importer", "record", "solvers", "sourceformats", "conformance", "exporter", "difference", "conversion"],
}
OPENUSD_ROOM = "usd"
# The headers that programs include, outside of the rooms: each belongs to one.
FACE = {
    **dict.fromkeys(("result.h", "math.h", "builder.h", "model.h", "state.h", "contacts.h", "simulation.h", "solver.h", "dynamics.h", "queries.h", "recording.h"), "simulation"),
    **dict.fromkeys(("asset.h", "load.h", "schema.h", "mechane.h"), "face"),
}
# Kernels take spans and plain structs: they must not see the model's arrays.
NARROWER = {"collision/narrow": ["core", "math", "geometry", "collision"], "device/driver": ["core", "files", "device"]}

# Only one room changes the file system, so that nothing is replaced but as a whole, and no input ever. Others may in folders of their own:
FILES_ROOM = "files"
MAY_WRITE = {
    "conformance/fixes/workspace.cpp": "its work folder",
    "conformance/fixes/other_assets.cpp": "a scratch folder below the work folder",
    "usd/package_writer.cpp": "a scratch folder that becomes the package",
    "usd/schemagen": "a program of the build",
    "cli/browser.cpp": "the streams of a child, /dev/null",
    "cli/isolate.cpp": "the streams of a child, /dev/null",
    "cli/reduce.cpp": "the streams of a child, /dev/null",
    "cli/program.cpp": "closed standard streams, /dev/null",
}
WRITES = re.compile(r'\b(ofstream|O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|copy_file|remove_all|(fs|filesystem|std)::(rename|remove)|mkstemp|mkdtemp)\b|fopen\([^;]*"[wa]|(?<!\w)::(unlink|rename|truncate)\(')

# The Python module: folders of python/mechane, and its public modules of one file. What is not listed here may not be there.
PYTHON_FACE = "mechane"
PYTHON_MAY_USE = {
    "_core": [],  # the extension
    "config": [],
    "core": ["_core"],
    "newton": ["core"],
    "stage": ["core"],
    "geometry": ["stage", "newton"],
    "model": ["geometry", "config"],
    "io": ["model"],
    # public modules
    "math": ["core", "newton"],
    "interop": ["core"],
    "convert": ["core", "stage"],
    "actuators": ["model"],
    "ik": ["model"],
    "sensors": ["model", "selection"],
    "conformance": ["stage"],
    "selection": ["model"],
    "solvers": ["model"],
    "testing": ["model"],
    "usd": ["model"],
    "utils": ["model"],
    "record": ["io"],
    "ros": ["io"],
    "viewer": ["io"],
    "gym": ["io", "solvers"],
    "distributed": ["gym", "conformance"],
    "__main__": ["_core"],
    PYTHON_FACE: ["io", "distributed", "gym", "math", "interop", "convert", "actuators", "ik", "sensors", "conformance", "selection", "solvers", "testing", "usd", "utils", "record", "ros", "viewer"],
}
# Files that import modules by names in strings, which no checker sees: faces that load their parts when somebody asks, and names of older files.
PYTHON_BY_NAME = {"__init__.py", "geometry/__init__.py", "model/earlier.py"}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def reach(module, may_use=None):
    """All modules that `module` may include, itself among them."""
    seen, todo = set(), [module]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += (MAY_USE if may_use is None else may_use)[name]
    return seen


#: Where the headers that a room shows lie: to everybody (installed), and to the other rooms alone.
SHOWN = ("include/mechane", "src/include/mechane")


def sources(root):
    for top in (*SHOWN, "src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".hpp", ".cpp", ".inl") and not (top == "src" and path.is_relative_to(root / SHOWN[1])):
                yield path, path.relative_to(root / top).parts


def offences(root=ROOT):
    """(file, line number, text, reason) of every include that breaks a wall."""
    for path, parts in sources(root):
        module = FACE.get(parts[0]) if len(parts) == 1 else parts[0]
        if module is None:
            yield path, 0, "", "a source file outside every module"
            continue
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
                if module != OPENUSD_ROOM or any(path.is_relative_to(root / shown) for shown in SHOWN):
                    yield path, number, line.strip(), f"OpenUSD's headers belong in src/{OPENUSD_ROOM} only"
            elif target.startswith("mechane/"):
                used = target.split("/")[1]
                used = FACE.get(used, used)
                if used not in allowed:
                    yield path, number, line.strip(), f"{module} may not use {used}"
                if path.is_relative_to(root / SHOWN[0]) and (root / "src" / "include" / target).exists():
                    yield path, number, line.strip(), "an installed header needs one that is not"
            elif target.split("/")[0] in MAY_USE and target.split("/")[0] not in allowed:
                yield path, number, line.strip(), f"{module} may not use private headers of {target.split('/')[0]}"
            elif target.startswith("Eigen/") and path.suffix != ".cpp":
                yield path, number, line.strip(), "Eigen stays out of headers"


# -- Python


def python_files(root=ROOT):
    """{full name of a module: its file}"""
    home = root / "python" / PYTHON_FACE
    files = {}
    for path in sorted(home.rglob("*.py")):
        parts = (PYTHON_FACE, *path.relative_to(home).with_suffix("").parts)
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


def for_types_only(node):
    """Whether a node is `if TYPE_CHECKING:`, whose imports never happen."""
    return isinstance(node, ast.If) and any(getattr(part, "id", getattr(part, "attr", "")) == "TYPE_CHECKING" for part in ast.walk(node.test))


def python_imports(name, path, files):
    """(line number, full name of what is imported) of each import of the package's own, also those inside of functions."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    todo = [ast.parse(path.read_text(encoding="utf-8"))]
    while todo:
        node = todo.pop()
        if for_types_only(node):
            todo += node.orelse
            continue
        todo += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == PYTHON_FACE)
        elif isinstance(node, ast.ImportFrom):
            home = ".".join([*(package[:len(package) - node.level + 1] if node.level else ()), *(node.module or "").split(".")]).strip(".")
            if home.split(".")[0] == PYTHON_FACE:
                for alias in node.names:
                    below = f"{home}.{alias.name}"
                    yield node.lineno, below if below in files or below == f"{PYTHON_FACE}._core" else home


def python_room(name):
    """The row of a module: its folder, or itself where it lies in none."""
    return (name.split(".") + [PYTHON_FACE])[1] if "." in name else PYTHON_FACE


def python_offences(root=ROOT):
    """(file, line number, text, reason) of every import of the Python module that breaks a wall, and of every circle of files."""
    files, graph = python_files(root), {}
    for name, path in files.items():
        room, lines, graph[name] = python_room(name), path.read_text(encoding="utf-8").splitlines(), set()
        if room not in PYTHON_MAY_USE:
            yield path, 0, "", f"unknown package '{room}'"
            continue
        allowed = reach(room, PYTHON_MAY_USE)
        for number, target in python_imports(name, path, files):
            graph[name].add(target)
            if python_room(target) not in allowed:
                yield path, number, lines[number - 1].strip(), f"{room} may not import {python_room(target)}"
        for number, line in enumerate(lines, 1):
            if re.search(r"\bimport_module\(|\b__import__\(", line) and path.relative_to(root / "python" / PYTHON_FACE).as_posix() not in PYTHON_BY_NAME:
                yield path, number, line.strip(), "modules are imported by statements, which this checker sees"
    for circle in circles(graph):
        yield files[circle[0]], 0, " -> ".join([*circle, circle[0]]), "files import each other in a circle"


def circles(graph):
    """A shortest circle through the first file of each set of files that import each other."""
    below = {name: reach(name, {n: [t for t in targets if t in graph] for n, targets in graph.items()}) for name in graph}
    told = set()
    for name in graph:
        if name in told:
            continue
        paths, seen = [[name]], {name}
        while paths:
            path = paths.pop(0)
            if path[-1] != name and name in graph[path[-1]]:
                told |= {other for other in below[name] if name in below[other]}
                yield path
                break
            for target in sorted(graph[path[-1]]):
                if target in graph and target not in seen:
                    seen.add(target)
                    paths.append([*path, target])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    if parser.parse_args().list:
        for title, rows in (("C++", MAY_USE), ("Python", PYTHON_MAY_USE)):
            print(f"{title}:")
            for module in rows:
                print(f"{module:14} may use {', '.join(rows[module]) or '(the standard library)'}; in reach: {', '.join(sorted(reach(module, rows) - {module}))}")
        return 0
    found = [*offences(), *python_offences()]
    for path, number, line, reason in found:
        print(f"{path.relative_to(ROOT)}:{number}: {reason}: {line}")
    print(f"{'walls broken: ' + str(len(found)) if found else 'all walls hold'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
