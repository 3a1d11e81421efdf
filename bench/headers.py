#!/usr/bin/env python3
"""Compiles each public header alone and prints how long that takes, the slowest first and the median last [s of processor time].

usage: headers.py [--check] [--compiler c++] [--jobs N] [--only TEXT]

With the warnings that strict programs ask for, as errors. --check says only what fails, and which members of options have no default:
a program that names some members of a structure (designated initialisers) is warned of the others under -Wextra. Exit code 1 if any.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wsign-conversion", "-Wshadow", "-Werror"]
FOLDERS = (ROOT / "include", ROOT / "include" / "all")
OPTIONS = re.compile(r"\bstruct (\w*(?:Options|Config|Settings|Edit))\b[^;{]*\{")
NO_DEFAULT = re.compile(r"^\s*(?!using|static|friend|struct|class|enum|template|\[\[)[\w:]+(?:<[^;]*>)?[\w\s,*]*\b\w+;")


def headers():
    for folder in FOLDERS:
        for path in sorted((folder / "mechane").rglob("*.h")):
            yield folder, path.relative_to(folder)


def compiled(compiler, folder, header):
    """Processor time and messages of one header, included twice."""
    text = f'#include "{header}"\n#include "{header}"\n'
    command = [compiler, *FLAGS, *(f"-I{f}" for f in FOLDERS), "-x", "c++", "-"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child.stdin.write(text)
    child.stdin.close()
    said = child.stderr.read()
    child.stderr.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return header, usage.ru_utime + usage.ru_stime, said if child.returncode else ""


def without_default(folder, header):
    """Lines of members of options that have no default."""
    structure, depth = None, 0
    for number, line in enumerate((folder / header).read_text().splitlines(), 1):
        code = line.split("//")[0]
        if structure is None and (match := OPTIONS.search(code)):
            structure, depth = match[1], 0
        elif structure and depth == 1 and NO_DEFAULT.match(code):
            yield f"{header}:{number}: a member of {structure} has no default: {code.strip()}"
        if structure:
            depth += code.count("{") - code.count("}")
            structure = structure if depth > 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="headers whose path contains this")
    arguments = parser.parse_args()
    chosen = [(folder, header) for folder, header in headers() if arguments.only in str(header)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(lambda one: compiled(arguments.compiler, *one), chosen))
    failed = [f"{header} does not compile alone:\n{said}" for header, _, said in found if said]
    failed += [line for folder, header in chosen for line in without_default(folder, header)]
    for line in failed:
        print(line)
    if not arguments.check:
        for header, seconds, _ in sorted(found, key=lambda one: -one[1]):
            print(f"{seconds:6.2f} {header}")
        print(f"{statistics.median(seconds for _, seconds, _ in found):6.2f} median of {len(found)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
