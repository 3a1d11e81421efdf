#!/usr/bin/env python3
"""Writes the tables of import options and of conventions in docs/importer.md, of what `mechane schema options --json` and `mechane schema conventions --json` print.

usage: options_page.py [--check]

--check writes nothing and exits 1 when the table is out of date. The program is that of MECHANE, else of build/release.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "importer.md"


def known(what):
    """The rows that the program knows."""
    program = os.environ.get("MECHANE", str(ROOT / "build" / "release" / "bin" / "mechane"))
    return json.loads(subprocess.run([program, "schema", what, "--json"], check=True, capture_output=True, text=True).stdout)[what]


def table(rows):
    out = ["| option | type | default | meaning |", "| --- | --- | --- | --- |"]
    for row in rows:
        values = "" if not row["values"] or row["type"] == "flag" else f" ({', '.join(f'`{v}`' for v in row['values'])})"
        unit = f" [{row['unit']}]" if row["unit"] else ""
        out.append(f"| `{row['name']}` | {row['type']} | `{row['default']}` | {row['meaning'].replace('|', chr(92) + '|')}{unit}{values} |")
    return "\n".join(out) + "\n"


def conventions_table(rows):
    out, group = [], None
    for row in rows:
        if row["group"] != group:
            group = row["group"]
            out += ["", f"**{group}**", "", "| question | Mechane | `newton-1.8` |", "| --- | --- | --- |"]
        out.append(f"| {row['question']}{'*' if row['openusd'] else ''} | {row['mechane']} | {row['other']} |")
    return "\n".join(out[1:]) + "\n"


def page(text):
    """The page with the tables between their marks."""
    for what, made in (("options", table), ("conventions", conventions_table)):
        begin, end = f"<!-- {what}: made by `make docs` -->\n", f"<!-- end of {what} -->\n"
        head, rest = text.split(begin, 1)
        text = head + begin + made(known(what)) + end + rest.split(end, 1)[1]
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    old = PAGE.read_text(encoding="utf-8")
    new = page(old)
    if arguments.check:
        print("docs/importer.md is current" if old == new else "docs/importer.md is out of date: make docs")
        return 0 if old == new else 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
