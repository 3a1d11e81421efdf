"""`mechane dump model --compat newton-1.8` against Newton's own models of the same files."""
import gzip
import json
import unittest

from tests.cli.program import corpus, mechane
from tests.differential.compare_models import differences

# Files whose whole model must agree, with the options under which the golden was made.
EXACT = [
    "newton/examples/assets/ant.usda",
    "newton/examples/assets/humanoid.usda",
    "newton/examples/assets/cartpole.usda",
    "newton/examples/assets/boxes_fourbar.usda",
]


def golden(path):
    file = corpus().parent / "oracle" / "golden" / "model" / (path + ".json.gz")
    with gzip.open(file, "rt", encoding="ascii") as stream:
        return json.load(stream)


def dump(path, options):
    arguments = []
    for key, value in options.items():
        arguments += ["--option", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    done = mechane("dump", "model", corpus() / path, "--compat", "newton-1.8", *arguments, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@unittest.skipUnless(corpus(), "skipped: no corpus")
class Models(unittest.TestCase):
    maxDiff = None

    def test_models_agree_with_newton(self):
        for path in EXACT:
            with self.subTest(path):
                expected = golden(path)
                found = dump(path, expected.get("options", {}))
                self.assertEqual(expected["builder"]["counts"], found["builder"]["counts"])
                self.assertEqual(differences(expected["model"], found["model"]), {})

    def test_filter_pairs_agree_with_newton(self):
        for path in EXACT:
            with self.subTest(path):
                expected = golden(path)["builder"]["shape_collision_filter_pair_labels"]
                found = dump(path, golden(path).get("options", {}))["builder"]["shape_collision_filter_pair_labels"]
                self.assertEqual(sorted(map(tuple, expected)), sorted(map(tuple, found)))


if __name__ == "__main__":
    unittest.main()
