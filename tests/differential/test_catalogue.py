"""Stages written from the catalogue of rules, in wrappings that are drawn: each fault is found, nothing else is, and what can be repaired is.

MECHANE_CATALOGUE=SEED[:EACH] draws other wrappings, EACH of them for a kernel; the counts are printed then.
"""
import collections
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from tests.cli.program import PROGRAM, mechane
from tests.differential import catalogue
from tests.differential.catalogue_kernels import KERNELS
from tests.differential.test_repair_rate import repairable

#: Findings of single stages that hold what an asset of several layers parts, of names of layers that a wrapping makes up, and of props beside the origin.
EVERYWHERE = {"REP-1.1-m", "REP-1.2.1-a", "REP-1.2.1-i", "REP-1.2.1-k", "REP-1.3.2-a"}
#: Wrappings in which a fault has a name of its own: what comes by payload, what instances hold, units that layers do not share, packages of binary layers.
GUILTY = {"payload": "1.2.3-c 1.2.3-d 1.2.3-e 2.1.1-g 2.2-d 4.2.4-b", "instance": "1.2.6-a", "crate": "1.2.1-b", "package": "1.2.1-b", "cm": "1.1-a 1.1-d", "yup": "1.1-e 1.1-d"}
#: Reasons that leave a finding to its author, because another answer would be as right.
AUTHORS = {"ambiguous", "missing-limit", "name", "namespace", "kind", "word", "lossy-cast", "shared-visual", "no-units", "no-up-axis", "reversed", "unsafe", "open", "property"}


def drawn(seed, each):
    draw = random.Random(seed)
    for rule, guilty, innocent, besides in KERNELS:
        for bad, stages in ((True, guilty), (False, innocent)):
            for stage in stages:
                wrappings = {("single", "plain")} | {(draw.choice(catalogue.LAYOUTS), draw.choice(catalogue.FORMS)) for _ in range(each)}
                for layout, form in sorted(wrappings):
                    if {form, layout} & {"cm", "yup"} and rule in ("1.1-a", "1.1-d", "1.1-e"):
                        continue  # the wrapping would be a second fault of the same name
                    yield "REP-" + rule, bad, stage, layout, form, {"REP-" + b for b in besides.split()}


def stored(folder, texts, form):
    """Path of the entry."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    entry = folder / "robot.usda"
    if form not in ("package", "crate"):
        return entry
    other = entry.with_suffix(".usdz" if form == "package" else ".usdc")
    done = mechane("cat", entry, "-o", other)
    if done.returncode != 0:
        return entry  # a package needs all its files
    if form == "crate":
        entry.unlink()
    return other


def checked(entries):
    """{path: findings} of all, by one process."""
    done = subprocess.run([PROGRAM, "check", *map(str, entries), "--format", "ndjson"], capture_output=True, text=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return {r["asset"]: r["findings"] for r in records if r["record"] == "asset"}


class Catalogue(unittest.TestCase):
    maxDiff = None

    def test_faults_of_the_catalogue_are_found_alone_and_repaired(self):
        seed, _, each = os.environ.get("MECHANE_CATALOGUE", "11:1").partition(":")
        with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(4) as pool:
            cases = list(drawn(int(seed), int(each or 1)))
            entries = list(pool.map(lambda case: stored(pathlib.Path(place) / str(case[0]), catalogue.written(*case[1][2:5]), case[1][4]), enumerate(cases)))
            found = checked(entries)
            missed, false, guilty, reported = [], [], [], 0
            for entry, (rule, bad, stage, layout, form, besides) in zip(entries, cases):
                name, here = f"{rule} {'bad' if bad else 'good'} {layout} {form}", found[str(entry)]
                allowed = EVERYWHERE | besides | {"REP-" + r for w in (layout, form) for r in GUILTY.get(w, "").split()}
                rules = {f["rule"] for f in here}
                if bad and rule not in rules:
                    missed.append(f"{name}: {sorted(rules)}")
                elif bad:
                    guilty.append((entry, rule, name))
                others = [f for f in here if f["severity"] != "info" and f["rule"] not in (allowed | {rule} if bad else allowed - {rule})]
                reported += sum(f["severity"] != "info" for f in here)
                false += [f"{name}: {f['rule']} {f['prim']}: {f['message']}" for f in others]
            rules = repairable()
            work = [(entry, rule, name) for entry, rule, name in guilty if rule in rules]
            reports = list(pool.map(lambda job: self.repaired(pathlib.Path(place) / "out" / str(job[0]), job[1][0]), enumerate(work)))
            after = checked([fixed for fixed, _ in reports])
        count, gone, left = 0, 0, collections.Counter()
        for (entry, rule, name), (fixed, reasons) in zip(work, reports):
            before = sum(f["rule"] == rule and f["severity"] != "info" for f in found[str(entry)])
            stays = [f for f in after[str(fixed)] if f["rule"] == rule and f["severity"] != "info"]
            count, gone = count + before, gone + max(0, before - len(stays))
            left.update((rule, reasons.get((rule, f["prim"] or ""), "not listed")) for f in stays)
        choice = sum(n for (_, reason), n in left.items() if reason in AUTHORS)
        if "MECHANE_CATALOGUE" in os.environ:
            print(f"{len(cases)} stages, {len(guilty) + len(missed)} with a fault: {len(missed)} missed; {reported} findings, {len(false)} unexpected; {gone} of {count} repaired, {choice} left to the author, {dict(left)}")
        self.assertGreater(len(guilty), 150)
        self.assertLessEqual(len(missed), 0.01 * (len(guilty) + len(missed)), missed)
        self.assertLessEqual(len(false), 0.01 * reported, false)
        self.assertGreaterEqual(gone, 0.95 * (count - choice), left)

    def repaired(self, out, entry):
        """Path of the result, and {(rule, prim): why a finding stays}."""
        done = mechane("fix", entry, "-o", out)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads((out / "fix-report.json").read_text())
        return out / report["entry"], {(u["rule"], u["prim"]): u["reason"] for u in report["unrepaired"]}


if __name__ == "__main__":
    unittest.main()
