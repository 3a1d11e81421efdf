"""Our own stages against what OpenUSD and Newton make of them. The answers lie in tests/golden (tools/sample_goldens.py), so this runs in a bare clone."""
import json
import pathlib
import unittest

from tests.cli.program import PROGRAM, ROOT, corpus, mechane
from tests.differential import test_models, test_physics
from tests.differential.compare_stages import Comparison, short

GOLDEN = ROOT / "tests" / "golden"

# What may differ, each with its reason: {kind: {stage: {where it begins: reason}}}.
DIFFERENCES = {
    "model": {"samples/usd/custom_collision.usda": {"shape_margin": "newton:margin is the name of newton:contactMargin in Newton's documents, which its program does not read"}},
}


def goldens(kind):
    for file in sorted((GOLDEN / kind).rglob("*.json.gz")):
        yield test_models.load(file), str(file.relative_to(GOLDEN / kind)).removesuffix(".json.gz")


@unittest.skipUnless(pathlib.Path(PROGRAM).is_file(), "needs the program")
class Samples(unittest.TestCase):
    maxDiff = None

    def hold(self, kind, stage, found):
        """`found` is [(where, expected, ours)]."""
        listed = DIFFERENCES.get(kind, {}).get(stage, {})
        others = [row for row in found if not any(str(row[0]).startswith(where) for where in listed)]
        idle = [where for where in listed if not any(str(row[0]).startswith(where) for row in found)]
        self.assertEqual((others[:5], idle), ([], []), f"{kind} of {stage}")

    def test_stages_are_composed_as_openusd_composes_them(self):
        values = 0
        for expected, stage in goldens("stage"):
            with self.subTest(stage=stage):
                done = mechane("dump", "stage", ROOT / stage, "--option", "schemas=openusd", "--threads", 1, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                comparison = Comparison(str(ROOT)).stage(expected, json.loads(done.stdout))
                values += comparison.values
                self.hold("stage", stage, [(where, short(a), short(b)) for where, a, b in comparison.found])
        self.assertGreater(values, 1000)

    def test_physics_is_parsed_as_openusd_parses_it(self):
        for expected, stage in goldens("physics"):
            with self.subTest(stage=stage):
                done = mechane("dump", "physics", ROOT / stage, "--compat", "openusd-26", "-q", timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                ours = json.loads(done.stdout)
                self.hold("physics", stage, [*test_physics.compare_objects(expected["objects"], ours["objects"]),
                                             *test_physics.compare_masses(expected.get("mass", {}), ours["mass"])])

    def test_models_are_those_of_newton(self):
        compared = 0
        for expected, stage in goldens("model"):
            with self.subTest(stage=stage):
                found = test_models.compare(expected, ROOT / stage, record=True)
                compared += found is not None
                self.hold("model", stage, [(where, "", what) for where, what in (found or {}).items()])
        self.assertGreater(compared, 20)

    def test_what_is_not_in_the_repository_is_counted(self):
        """Without the corpus the tests over it are skipped; this says how many files they would have held."""
        if corpus() is None:
            self.skipTest("skipped: no corpus; 2,269 golden answers about other people's assets are not compared")
        for kind in ("stage", "physics", "model"):
            self.assertTrue(any((GOLDEN / kind).rglob("*.json.gz")), kind)


if __name__ == "__main__":
    unittest.main()
