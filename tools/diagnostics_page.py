#!/usr/bin/env python3
"""Makes docs/diagnostics.md of the tables in include/mechane/*/codes.h.

usage: diagnostics_page.py [--check]

--check writes nothing and exits 1 when the page is out of date or a code is declared twice.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "diagnostics.md"
TEXT = r'((?:\s*"(?:[^"\\]|\\.)*")+)'
ROW = re.compile(r"constexpr\s+Code\s+(k\w+)\s*(?:=\s*)?\{" + TEXT + r"\s*,\s*Severity::(\w+)\s*,\s*" + TEXT + r"\s*,\s*" + TEXT + r"\s*,?\s*\}")
HEAD = """# Diagnostics

Every finding that Mechane prints has one of these ids. The severity is the default one. This page is made of the tables in
`include/mechane/*/codes.h` by `make docs`; a test holds them together.
"""


def joined(literals):
    """Adjacent C string literals as one text."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', literals)
    return "".join(parts).replace('\\"', '"').replace("\\\\", "\\")


def rows(root=ROOT):
    """(module, id, severity, meaning, remedy) of every declared code."""
    for header in sorted((root / "include" / "mechane").glob("*/codes.h")):
        text = header.read_text(encoding="utf-8")
        found = list(ROW.finditer(text))
        if len(found) != len(re.findall(r"constexpr\s+Code\s+k", text)):
            raise SystemExit(f"{header}: a code row is not of the form Code kName{{\"ID\", Severity::x, \"meaning\", \"remedy\"}}")
        for match in found:
            yield header.parent.name, joined(match[2]), match[3], joined(match[4]), joined(match[5])


def page(table):
    out, module = [HEAD], None
    for name, code, severity, meaning, remedy in table:
        if name != module:
            module = name
            out.append(f"\n## {module}\n\n| id | severity | meaning | remedy |\n| --- | --- | --- | --- |")
        cells = [f"`{code}`", severity, meaning, remedy]
        out.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    table = list(rows())
    ids = [row[1] for row in table]
    twice = sorted({code for code in ids if ids.count(code) > 1})
    if twice:
        print("declared twice: " + ", ".join(twice))
        return 1
    text = page(table)
    if arguments.check:
        current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        print("docs/diagnostics.md is current" if current else "docs/diagnostics.md is out of date: make docs")
        return 0 if current else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
