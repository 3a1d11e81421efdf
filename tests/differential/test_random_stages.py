"""Stages drawn by chance, composed by us and by usd-core. Needs the oracles beside the corpus and a Python that has usd-core: MECHANE_USD_PYTHON.

A stage that OpenUSD itself gives up on, with a failed verification of its own or by not ending, only has to be answered by us.
Below an instance a prim has to be what OpenUSD makes of it, or of its like below another instance, when it opens that instance alone (docs/usd.md says why).
"""
import json
import pathlib
import subprocess
import unittest

from tests.cli.program import corpus, mechane
from tests.differential.compare_stages import Comparison, short
from tests.differential.drawn import PYTHON, answered
from tests.differential import random_wild_stages
from tests.differential.random_stages import Writer
from tests.differential.random_values import ValueWriter

# OpenUSD lists clips once it has opened them, and manifests that it made up; we list every clip.
LISTED_LATER = ("clip.", "manifest.", "anon")
NOT_FINITE = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
SECONDS = 10  # for one stage; arcs upon arcs multiply some beyond any use
SHOWN = 20
ORACLE = """
import json, multiprocessing, pathlib, sys
sys.path.insert(0, sys.argv[1])
import stage_dump
from pxr import Sdf
def one(folder):
    for text in folder.glob("*.crate.usda"):
        Sdf.Layer.FindOrOpen(str(text)).Export(str(text).replace(".crate.usda", ".usdc"))
    (folder / "expected.json").write_text(json.dumps(stage_dump.dump(str(folder / "root.usda"))))
for name in sys.argv[3:]:
    process = multiprocessing.get_context("fork").Process(target=one, args=(pathlib.Path(name),))
    process.start()
    process.join(float(sys.argv[2]))
    if process.is_alive():
        process.kill()
"""
ALONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import stage_dump
print(json.dumps({path: stage_dump.dump(sys.argv[2], mask=[path])["prims"] for path in sys.argv[3:]}))
"""


def ancestors(path):
    """The path and those of the prims above it, nearest first."""
    while path:
        yield path
        path = path.rpartition("/")[0]


class Instances:
    """The instances of a stage, each as OpenUSD composes it when nothing else is on the stage to share a prototype with."""

    def __init__(self, folder, prims):
        self.paths = [path for path, prim in prims.items() if prim.get("instance") and not prim.get("instanceProxy")]
        done = subprocess.run([PYTHON, "-c", ALONE, str(corpus().parent / "oracle"), folder / "root.usda", *self.paths], check=True, capture_output=True)
        self.alone = json.loads(done.stdout)

    def explain(self, where, expected, ours):
        """True when the prim of this address lies below an instance and is what one of the instances has there, if anything."""
        address = where.removeprefix("prims ")
        path = next((path for path in ancestors(address) if path in expected or path in ours), "")
        instance = next((above for above in ancestors(path) if above in self.paths), None)
        if instance is None or instance == path:
            return False
        alike = [(one, one + path.removeprefix(instance)) for one in self.paths]
        return any(not differences(self.alone[one].get(like), ours.get(like)) for one, like in alike)


def differences(expected, found):
    comparison = Comparison("")
    comparison.walk("", expected, found)
    return comparison.found


@unittest.skipUnless(PYTHON and corpus(), "needs MECHANE_USD_PYTHON and the oracles beside the corpus")
class RandomStages(unittest.TestCase):
    maxDiff = None

    def test_stages_drawn_by_chance_are_composed_as_openusd_composes_them(self):
        self.compare(Writer, "0:100")

    def test_stages_with_what_is_rare_are_composed_as_openusd_composes_them(self):
        self.compare(random_wild_stages.Writer, "0:60")

    def test_values_drawn_by_chance_are_resolved_as_openusd_resolves_them(self):
        self.compare(ValueWriter, "0:25")

    def compare(self, writer, seeds):
        compared, given_up, values, found = 0, 0, 0, []
        # One thread: which of equal instances OpenUSD composes first is else a matter of chance.
        with answered(ORACLE, writer, seeds, str(SECONDS), PXR_WORK_THREAD_LIMIT="1") as folders:
            for folder in folders:
                answer = folder / "expected.json"
                expected = json.loads(answer.read_text(), parse_constant=NOT_FINITE.get) if answer.exists() else {"error": "no end"}
                try:
                    done = mechane("dump", "stage", folder / "root.usda", "--option", "schemas=openusd", timeout=30 * SECONDS)
                except subprocess.TimeoutExpired:
                    self.assertFalse(answer.exists(), f"seed {folder.name}: no answer")
                    given_up += 1
                    continue
                # The library that we link is older than the one of the oracle and dies of some stages.
                given_up_on = "error" in expected or ("STAGE_READER_DIED" in done.stderr and
                                                      mechane("tree", folder / "root.usda", "--isolate", "never", timeout=30 * SECONDS).returncode != 0)
                # 3: files or targets that a stage names are missing, and what is there is printed all the same.
                self.assertIn(done.returncode, (0, 3), f"seed {folder.name}: {done.stderr}")
                # Arcs upon arcs: what one prim is composed of has a bound, whatever time there is.
                if given_up_on or not done.stdout and (not answer.exists() or "STAGE_LIMIT" in done.stderr):
                    given_up += 1
                    continue
                self.assertTrue(done.stdout, f"seed {folder.name}: nothing is printed: {done.stderr[-500:]}")
                ours = json.loads(done.stdout)
                for side in (expected, ours):
                    side["stage"]["layers"] = [name for name in side["stage"]["layers"] if not pathlib.Path(name).name.startswith(LISTED_LATER)]
                comparison = Comparison(str(folder)).stage(expected, ours)
                compared += 1
                values += comparison.values
                if comparison.found:
                    instances = Instances(folder, expected["prims"])
                    comparison.found = [one for one in comparison.found if not instances.explain(one[0], expected["prims"], ours["prims"])]
                found += [f"seed {folder.name}: {where}\n    expected {short(a)}\n    found    {short(b)}" for where, a, b in comparison.found]
        print(f"\n{compared} stages, {values} values compared, {given_up} that OpenUSD gives up on")
        self.assertGreater(compared, 0)
        self.assertEqual(found[:SHOWN], [], f"{len(found)} differences")


if __name__ == "__main__":
    unittest.main()
