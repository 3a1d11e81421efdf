#!/usr/bin/env python3
"""Lists the numbered statements of the specification that no test names.

usage: unproven.py [--spec FOLDER] [--family IMP] [--list]

A statement is a line "- IMP-001 text" of a specification file. A test proves it by naming its id in its name or its comment; "STG-014..016"
names a range. Without --list, prints the counts of each family only.
"""
import argparse
import collections
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATEMENT = re.compile(r"^\s*(?:[-*]\s+)?\**((?:IMP|COL|DYN|REP-T|STG|PHY|EXP|PYA|GAP)-\d+)\**[\s:.*]+(.*)")
NAMED = re.compile(r"((?:IMP|COL|DYN|REP-T|STG|PHY|EXP|PYA|GAP))-(\d+)(?:\.\.(\d+))?")


def statements(folder):
    """id -> text, in the order of the files."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.md")):
        for line in path.read_text(encoding="utf-8").splitlines():
            match = STATEMENT.match(line)
            if match:
                found.setdefault(match[1], match[2].strip("* "))
    return found


def named(folder):
    """Ids that the tests name."""
    found = set()
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.suffix in (".cpp", ".h", ".py", ".ts", ".usda") and "tools" not in path.relative_to(folder).parts[:1]:
            for match in NAMED.finditer(path.read_text(encoding="utf-8", errors="replace")):
                family, first, last = match.groups()
                for number in range(int(first), int(last or first) + 1):
                    found.add(f"{family}-{number:0{len(first)}d}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spec", default=os.environ.get("MECHANE_SPEC", ROOT.parent / "shared" / "spec"), help="folder of the specification (MECHANE_SPEC)")
    parser.add_argument("--family", help="one family only, e.g. IMP")
    parser.add_argument("--list", action="store_true", help="print every unproven statement")
    arguments = parser.parse_args()
    all_statements = statements(arguments.spec)
    if not all_statements:
        print(f"no statements found in {arguments.spec}: name the folder with --spec", file=sys.stderr)
        return 2
    proven = named(ROOT / "tests")
    families = collections.defaultdict(list)
    for name, text in all_statements.items():
        families[name.rsplit("-", 1)[0]].append((name, text))
    for family, items in families.items():
        if arguments.family and family != arguments.family:
            continue
        open_items = [(name, text) for name, text in items if name not in proven]
        print(f"{family:6} {len(items) - len(open_items):4} of {len(items):4} proven")
        if arguments.list:
            for name, text in open_items:
                print(f"  {name}  {text[:140]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
