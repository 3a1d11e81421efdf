"""Robots drawn by chance, imported by us and by Newton. Needs the oracles beside the corpus and a Python that has usd-core and Newton: MECHANE_USD_PYTHON."""
import collections
import json
import subprocess
import unittest

from tests.cli.program import corpus
from tests.differential import random_robots, random_soft, random_wild_robots
from tests.differential.drawn import PYTHON, answered, compared
from tests.differential.test_models import LOST_BODIES, LOST_WELDS, compare

# One defect is mended before Newton is asked, so that all else of these bodies is compared: OpenUSD's mass computer takes the angle of a collider's frame from the
# arc cosine of a number in single precision, so a frame that is only rounded away from the body's counts as turned by 7e-4.
ORACLE = """
import json, pathlib, sys
sys.path.insert(0, sys.argv[1])
import model_dump
from newton._src.usd import _mass_properties
from pxr import Gf

information = _mass_properties._UsdMassProperties.get_collision_mass_information
def unturned(self, prim):
    answer = information(self, prim)
    if Gf.Vec3f(answer.localRot.imaginary).GetLength() < 1e-6:
        answer.localRot = Gf.Quatf(1)
    return answer
_mass_properties._UsdMassProperties.get_collision_mass_information = unturned

for name in sys.argv[2:]:
    folder = pathlib.Path(name)
    (folder / "expected.json").write_text(json.dumps(model_dump.dump(str(folder / "root.usda"), json.loads((folder / "options.json").read_text()))))
"""
# Places that may differ in any stage, each with its reason.
DIFFERENCES = {
    LOST_BODIES: "Newton drops a body that only excluded or disabled joints tie to an articulation: it is listed as articulated, but no tree joint reaches it",
    LOST_WELDS: "a fixed joint that closes a loop is dropped when fixed joints are collapsed, of which Newton warns",
}


def has_newton():
    return subprocess.run([PYTHON, "-c", "import newton"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def differences(folder):
    """(is it a model to Newton, what differs)"""
    expected = json.loads((folder / "expected.json").read_text())
    return "builder" in expected, compare(expected, folder / "root.usda", record=True)


@unittest.skipUnless(PYTHON and corpus() and has_newton(), "needs MECHANE_USD_PYTHON with Newton and the oracles beside the corpus")
class RandomRobots(unittest.TestCase):
    maxDiff = None

    def test_robots_drawn_by_chance_become_newtons_models(self):
        self.campaign(random_robots.Writer)

    def test_robots_with_what_is_rare_become_newtons_models(self):
        self.campaign(random_wild_robots.Writer)

    def test_soft_things_drawn_by_chance_become_newtons_models(self):
        self.campaign(random_soft.Writer)

    def campaign(self, writer):
        with answered(ORACLE, writer, "0:30") as folders:
            answers = compared(differences, folders)
        decided = collections.Counter(where for _, (_, rows) in answers for where in rows if where in DIFFERENCES)
        found = [f"seed {folder.name}: {where}: {str(what)[:300]}" for folder, (_, rows) in answers for where, what in rows.items() if where not in DIFFERENCES]
        models = sum(is_model for _, (is_model, _) in answers)
        print(f"\n{len(answers)} stages, {models} models compared, {len(answers) - models} that both refuse, decided: {dict(decided)}")
        self.assertEqual(found[:20], [], f"{len(found)} differences")


if __name__ == "__main__":
    unittest.main()
