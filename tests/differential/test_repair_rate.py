"""Robots drawn by chance, as exporters and hands write them, repaired: nearly all that has one right answer is repaired, the rest says why it is not, and what is simulated stays.

MECHANE_REPAIR_RATE=FIRST:LAST chooses the seeds; the counts are printed where MECHANE_REPAIR_RATE is set.
"""
import collections
import json
import os
import pathlib
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from tests.cli.program import ROOT, mechane
from tests.cli.test_fix import difference
from tests.differential.random_faults import Writer
from tests.differential.test_random_fixes import ANGLES, simulated

#: Why a finding whose rule has a repair is left to its author: another answer would be as right. A name that is legal and absolute, a limit that is missing, a namespace that is none,
#: the name of the file by which others know the asset, a vendor's words that take part in what is simulated, those that a second entry brings, and which body a joint moves whose frames do not meet.
AUTHORS = {"name", "missing-limit", "namespace", "entry-name", "unsafe", "second-entry", "reversed"}
SEVERITIES = ["info", "warning", "error"]
#: Repairs whose finding says that the asset does not simulate what it means: an inertia and a material that nobody reads, a base that is held by being kinematic.
MEANT = {"REP-1.3-s", "REP-1.3.4-b", "REP-1.3-o"}


def repairable():
    """Rules that the catalogue calls repairable."""
    rows = [line.split("|") for line in (ROOT / "docs" / "conformance.md").read_text().splitlines() if line.startswith("| [`REP-")]
    return {row[1].split("`")[1] for row in rows if row[4].strip() == "yes"}


def findings(path):
    done = mechane("check", path, "--format", "json", timeout=300)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)["findings"]


def judged(place, seed, rules):
    """(repairable findings, those repaired, those left by reason, what is wrong) of one robot."""
    folder, wrong = place / str(seed), []
    writer = Writer(seed)
    asset = writer.write(folder / "source")
    if writer.layout in ("package", "crate"):
        stored = asset.with_suffix(".usdz" if writer.layout == "package" else ".usdc")
        done = mechane("cat", asset, "-o", stored)
        assert done.returncode == 0, done.stderr
        if writer.layout == "crate":
            asset.unlink()
        asset = stored
    before = findings(asset)
    done = mechane("fix", asset, "-o", folder / "out", timeout=300)
    if done.returncode not in (0, 1):
        return 0, 0, {}, [f"seed {seed}: exit {done.returncode}: {done.stderr[-300:]}"]
    report = json.loads((folder / "out" / "fix-report.json").read_text())
    fixed = folder / "out" / report["entry"]
    after = findings(fixed)
    reasons = {(u["rule"], u["prim"]): u["reason"] for u in report["unrepaired"]}
    wrong += [f"seed {seed}: {f['rule']} at {f['prim']} stays and is not listed" for f in after if (f["rule"], f["prim"] or "") not in reasons]
    worst = max((SEVERITIES.index(f["severity"]) for f in before), default=0)
    more = collections.Counter(f["rule"] for f in after) - collections.Counter(f["rule"] for f in before)
    wrong += [f"seed {seed}: {rule} is new and as bad as what was there" for rule in more if any(f["rule"] == rule and SEVERITIES.index(f["severity"]) >= worst for f in after) and rule in {f["rule"] for f in before}]
    was, now = (json.loads(mechane("dump", "model", path, "-q", timeout=300).stdout)["model"] for path in (asset, fixed))
    if not MEANT & {edit["rule"] for edit in report["edits"]}:
        differs = difference(simulated(was), simulated(now), ANGLES)
        wrong += [f"seed {seed}: the model: {differs[:200]}"] if differs else []
    mechane("fix", fixed, "-o", folder / "twice", timeout=300)
    again = json.loads((folder / "twice" / "fix-report.json").read_text())["edits"]
    wrong += [f"seed {seed}: a second repair edits {again[0]}"] if again else []
    first = collections.Counter(f["rule"] for f in before if f["rule"] in rules)
    left = collections.Counter()
    kept = collections.Counter()
    for f in after:
        if f["rule"] in first and kept[f["rule"]] < first[f["rule"]]:
            kept[f["rule"]] += 1
            left[reasons[(f["rule"], f["prim"] or "")]] += 1
    return sum(first.values()), sum(first.values()) - sum(kept.values()), left, wrong


class RepairRate(unittest.TestCase):
    maxDiff = None

    def test_what_has_one_right_answer_is_repaired_in_95_of_100_findings(self):
        first, last = map(int, os.environ.get("MECHANE_REPAIR_RATE", "200:212").split(":"))
        rules = repairable()
        self.assertGreater(len(rules), 50)
        with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda seed: judged(pathlib.Path(place), seed, rules), range(first, last)))
        found, repaired = sum(a[0] for a in answers), sum(a[1] for a in answers)
        left = sum((collections.Counter(a[2]) for a in answers), collections.Counter())
        choice = sum(n for reason, n in left.items() if reason in AUTHORS)
        if "MECHANE_REPAIR_RATE" in os.environ:
            print(f"{last - first} robots: {repaired} of {found} findings repaired, {choice} left to the author, others: { {k: v for k, v in left.items() if k not in AUTHORS} }")
        self.assertEqual([w for a in answers for w in a[3]], [])
        self.assertGreater(found, 10 * (last - first), "the robots have faults")
        self.assertGreaterEqual(repaired, 0.95 * (found - choice), left)
        self.assertLess(choice, 0.15 * found, left)


if __name__ == "__main__":
    unittest.main()
