#!/usr/bin/env python3
"""Writes docs/conformance.md: how checking works, and every rule as the program prints it. usage: rules_page.py [--check] [PROGRAM]"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "conformance.md"

HEAD = """# Conformance

`mechane check ASSET...` judges assets by the rules of REP-0158. A rule is data (`src/conformance/rules/`): id, keyword, severity, what, why, how it is
repaired, and two examples, which are also its tests: the bad one gives findings of this rule alone, the good one none. Checks run over `Facts`, one traversal
of the active, defined, concrete prims with the physics parsed once. Each rule ends as *passed*, *finding*, *not checked* (with the reason) or *not applicable*.

- Selection: `--select 1.3,REP-2.4-d`, `--ignore`, `--profile` (distributed, core, export, source, scene, ros-only, tidy, usdphysics). `1.2` holds 1.2 and 1.2.5, never 1.20.
- Known findings: `--write-baseline FILE`, `--baseline FILE`; fingerprints are made of rule, prim, property and sub-case, so lines may move.
- In the asset: `customData = { dictionary mechane = { string[] suppress = ["REP-3.6-b"] } }` on a prim covers what is below; errors cannot be suppressed.
- Formats: text, json (`docs/schemas/check.schema.json`), sarif, junit, github, html. Exit status 1 from `--fail-on` on, 3 when something could not be opened.
- `--format html` is one page that loads nothing: the model from four sides (of more than six assets from one, of sixty at most), findings beside it, and on the
  picture a mark for every prim that a finding is about. A click on a finding lights up where it is, one on a mark leads to its findings. Without scripts the
  marks are links. What cannot be drawn or opened has a page all the same.
- `--manual` adds items that only people can judge (*review* in the table). `REP-1.2-m` names the rules that cover the ASWF guidelines, as of March 2026.
- A rule that goes wrong itself (a library throws, memory runs out) is *not checked*, MECH-001 names it, the findings of all others are printed, and the exit
  status is 70. In C++ `CheckOptions::own_rules` takes rules of the caller's own, which are judged beside these.
- Of folders every file is judged but the layers that another one brings in.
- A prototype's fault is one finding, with the number of instances, where the layer is text.

*Repairable* says that the edit follows from the asset alone.

`mechane fix` offers every finding to the repair of its rule, phase by phase (`src/conformance/fixes/`): P1 schemas, P2 transforms, P3 units and axis, P4 variants
and limits, P5 metadata, P6 paths, P7 words of vendors, P8 layers, arcs and encoding. It works on a copy of all files that the asset needs; layers without an edit
are copied byte by byte. `-o FOLDER`, `--in-place`, `--layer FILE` (opinions over the asset) or `--diff`.

- **Text keeps its text.** A usda layer is edited by spans (`usd/text_edit.h`): comments, licence headers, layout and the spelling of numbers stay where nothing
  changes. The result is read again and compared with what was meant; a layer of which that cannot be reached is written anew, and the report names it
  (`rewrittenFiles`). `--diff` compares the bytes that are there with the bytes that would be written.
- **Nothing moves.** After each pass world placements of geometry, bodies and joint frames are compared with those before: a pass that moved something is taken
  back and halved until the repair is alone that would move it, which is left out (*would-move*).
- **Nothing is recomposed.** A repair that moves what layers say, changes an arc or an encoding is taken back unless the stage composes the same, field by field; it may
  then try another way (*would-change* when there is none). Opinions go to the layer of their role that the asset has, or to a new one beside it, which every arc
  that brings the old one brings too.
- **No finding comes.** If a rule that was judged before has more findings at the end than at the beginning, the repairs that brought them are left out and the rest
  is done anew (*adds-finding*).
- **What stays is listed**: every finding of the repaired asset, with a reason.
- Repairs that choose a value for the author or change what is simulated run with `--unsafe` only. Those that make, rename or remove files need `-o FOLDER`; an asset of one
  layer is divided where large arrays have to leave the text, else only with `--phases P8`. An entry is never renamed.
- What a vendor adds is composed by a second entry (`robot_physx.usda`); what Newton's names say is read by default and leaves the entry with `--unsafe` or `--phases P7` only.

Rules of layer roles (1.2.1) judge assets that are files; 1.2.1-a to -h those of several layers.

| rule | keyword | level | repairable | an asset shall |
| --- | --- | --- | --- | --- |
"""


def page(program):
    listed = subprocess.run([program, "check", "--list-rules"], capture_output=True, text=True, check=True).stdout
    rows = []
    for line in listed.splitlines():
        found = re.match(r"(REP-\S+)\s+(MUST NOT|MUST|SHOULD NOT|SHOULD|MAY)\s+(\w+)\s+([*?]?)\s*(\S+)\s+(.*)$", line)
        if found:
            rule, keyword, level, fixable, slug, summary = found.groups()
            rows.append(f"| `{rule}` {slug} | {keyword} | {level} | { {'*': 'yes', '?': 'review'}.get(fixable, '') } | {summary} |")
    return HEAD + "\n".join(rows) + "\n"


def main():
    words = [a for a in sys.argv[1:] if a != "--check"]
    text = page(words[0] if words else str(ROOT / "build" / "release" / "bin" / "mechane"))
    if "--check" in sys.argv:
        return 0 if PAGE.read_text() == text else 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
