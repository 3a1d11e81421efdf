#!/usr/bin/env python3
"""Makes docs/diagnostics.md and src/cli/diagnostic_table.cpp of the tables in mechane/*/codes.h.

usage: diagnostics_page.py [--check]

--check writes nothing and exits 1 when one of them is out of date or a code is declared twice.
"""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))  # also when run as a program
from tools import layers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "diagnostics.md"
TABLE = ROOT / "src" / "cli" / "diagnostic_table.cpp"
TEXT = r'((?:\s*"(?:[^"\\]|\\.)*")+)'
ROW = re.compile(r"constexpr\s+Code\s+(k\w+)\s*(?:=\s*)?\{" + TEXT + r"\s*,\s*Severity::(\w+)\s*,\s*" + TEXT + r"\s*,\s*" + TEXT + r"\s*(?:," + TEXT + r")?\s*,?\s*\}")
NAMESPACE = re.compile(r"^namespace\s+([\w:]+)\s*\{", re.M)
HEAD = """# Diagnostics

Every finding that Mechane prints has one of these ids. The severity is the default one. This page is made of the tables in
`mechane/*/codes.h` by `make docs`; a test holds them together. `mechane explain ID` prints the row of an id. An id that
had another name before is understood under that name too, and JSON carries the former name as `"alias"`.
"""


def joined(literals):
    """Adjacent C string literals as one text."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', literals)
    return "".join(parts).replace('\\"', '"').replace("\\\\", "\\")


def rows(root=ROOT):
    """(module, id, severity, meaning, remedy, former id, qualified constant) of every declared code."""
    for header in sorted((path for shown in layers.SHOWN for path in (root / shown).glob("*/codes.h")), key=lambda path: path.parent.name):
        text = header.read_text(encoding="utf-8")
        found = list(ROW.finditer(text))
        if len(found) != len(re.findall(r"constexpr\s+Code\s+k", text)):
            raise SystemExit(f"{header}: a code row is not of the form Code kName{{\"ID\", Severity::x, \"meaning\", \"remedy\"}}")
        for match in found:
            yield header.parent.name, joined(match[2]), match[3], joined(match[4]), joined(match[5]), joined(match[6] or ""), "::".join([*NAMESPACE.findall(text, 0, match.start())[-1:], match[1]])


def page(table):
    out, module = [HEAD], None
    for name, code, severity, meaning, remedy, alias, _ in table:
        if name != module:
            module = name
            out.append(f"\n## {module}\n\n| id | severity | meaning | remedy |\n| --- | --- | --- | --- |")
        cells = [f"`{code}`" + (f" (was `{alias}`)" if alias else ""), severity, meaning, remedy]
        out.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(out) + "\n"


def source(table):
    """The table of all codes as a source file of the command line."""
    lines = ["// Made by tools/diagnostics_page.py of the tables in mechane/*/codes.h; `make docs` makes it again.", '#include "cli/diagnostic_table.h"', ""]
    lines += [f'#include "mechane/{name}/codes.h"' for name in dict.fromkeys(row[0] for row in table)]
    lines += ["", "namespace mechane::cli {", "namespace {", "", "constexpr DiagnosticRow kDiagnosticRows[] = {"]
    lines += [f'    {{"{row[0]}", &{row[6]}}},' for row in table]
    lines += ["};", "", "}  // namespace", "", "std::span<const DiagnosticRow> diagnostic_table() { return kDiagnosticRows; }", "", "}  // namespace mechane::cli", ""]
    return "\n".join(lines)


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
    stale = False
    for file, text in ((PAGE, page(table)), (TABLE, source(table))):
        current = file.exists() and file.read_text(encoding="utf-8") == text
        stale |= not current
        if arguments.check:
            print(f"{file.relative_to(ROOT)} is " + ("current" if current else "out of date: make docs"))
        elif not current:
            file.write_text(text, encoding="utf-8")
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
