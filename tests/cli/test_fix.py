"""mechane fix and mechane ros tf as a user meets them; what fix does to real robots."""
import hashlib
import json
import math
import os
import pathlib
import tempfile
import unittest

from tests.cli.program import corpus, mechane

BAD = """#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)

def Xform "robot" (
    kind = "component"
)
{
    def Xform "link" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        float physics:mass = 2
        float3 xformOp:rotateXYZ = (10, 20, 30)
        double3 xformOp:translate = (1, 2, 3)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]

        def Cube "shape" (
            prepend apiSchemas = ["PhysicsCollisionAPI"]
        )
        {
            double size = 0.5
        }
    }
}
"""

# Robots whose physics is compared before and after; small ones, of several converters.
ROBOTS = (
    "newton/examples/assets/ant.usda",
    "newton/examples/assets/humanoid.usda",
    "newton/examples/assets/cartpole.usda",
    "newton/examples/assets/anymal.usda",
    "newton/tests/assets/ant.usda",
    "newton/tests/assets/humanoid.usda",
    "newton/tests/assets/four_link_chain_articulation.usda",
    "newton/tests/assets/revolute_articulation.usda",
    "robots-urdf/example-robot-data/panda/panda.usda",
    "robots-urdf/example-robot-data/ur5/ur5.usda",
    "robots-urdf/example-robot-data/solo12/solo12.usda",
    "robots-urdf/example-robot-data/kinova/kinova.usda",
    "robots-urdf/example-robot-data/double_pendulum/double_pendulum.usda",
    "robots-urdf/example-robot-data/tiago/tiago.usda",
)


def digests(folder):
    """SHA-256 of every file below a folder."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


def difference(a, b, where=""):
    """The first place where two documents differ by more than 1e-6 (relative to the larger number, at least 1), or None."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key in ("layer", "line", "site", "asset", "source", "file", "column", "diagnostics"):
                continue
            if key not in a or key not in b:
                return f"{where}.{key} is missing"
            found = difference(a[key], b[key], f"{where}.{key}")
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"{where}: {len(a)} and {len(b)} entries"
        # A quaternion and its negative are one rotation.
        if len(a) == 4 and all(isinstance(x, (int, float)) for x in a + b) and max(abs(x + y) for x, y in zip(a, b)) < 1e-6:
            return None
        for i, (x, y) in enumerate(zip(a, b)):
            found = difference(x, y, f"{where}[{i}]")
            if found:
                return found
        return None
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        if a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-6 * max(1.0, abs(a), abs(b)):
            return None
        return f"{where}: {a} and {b}"
    return None if a == b else f"{where}: {a!r} and {b!r}"


class Fix(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = os.path.join(self.folder.name, "source")
        os.mkdir(self.source)
        self.robot = os.path.join(self.source, "robot.usda")
        with open(self.robot, "w") as file:
            file.write(BAD)

    def out(self, name="out"):
        return os.path.join(self.folder.name, name)

    def test_a_folder_gets_the_repaired_asset_and_the_source_stays(self):
        """(REP-T-146)"""
        before = digests(self.source)
        done = mechane("fix", self.robot, "-o", self.out(), "--select", "1.1")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(digests(self.source), before)
        report = json.loads(pathlib.Path(self.out(), "fix-report.json").read_text())
        self.assertEqual(report["entry"], "robot.usda")
        self.assertEqual({edit["rule"] for edit in report["edits"]}, {"REP-1.1-i"})
        self.assertIn("xformOp:orient", pathlib.Path(self.out(), "robot.usda").read_text())
        for inside in (self.source, os.path.join(self.source, "fixed")):
            self.assertEqual(mechane("fix", self.robot, "-o", inside).returncode, 2)
        self.assertEqual(digests(self.source), before)

    def test_a_second_fix_changes_nothing(self):
        """(REP-T-147)"""
        mechane("fix", self.robot, "-o", self.out("one"))
        mechane("fix", os.path.join(self.out("one"), "robot.usda"), "-o", self.out("two"))
        one, two = digests(self.out("one")), digests(self.out("two"))
        self.assertEqual(one.pop("fix-report.json") and one, two.pop("fix-report.json") and two)
        self.assertEqual(json.loads(pathlib.Path(self.out("two"), "fix-report.json").read_text())["edits"], [])

    def test_a_diff_writes_nothing(self):
        """(REP-T-148)"""
        before = digests(self.folder.name)
        done = mechane("fix", self.robot, "--diff", "--select", "1.1")
        self.assertEqual(digests(self.folder.name), before)
        self.assertIn("-        float3 xformOp:rotateXYZ = (10, 20, 30)\n", done.stdout)
        self.assertIn("+        quatf xformOp:orient = ", done.stdout)
        self.assertTrue(done.stdout.startswith("--- a/robot.usda\n+++ b/robot.usda\n@@ "), done.stdout[:80])

    def test_in_place_and_as_a_layer(self):
        layer = self.out("fixes.usda")
        mechane("fix", self.robot, "--layer", layer, "--select", "1.1")
        self.assertIn("@./source/robot.usda@", pathlib.Path(layer).read_text())
        self.assertEqual(mechane("check", layer, "--select", "1.1").returncode, 0)
        self.assertEqual(mechane("check", self.robot, "--select", "1.1").returncode, 1)
        mechane("fix", self.robot, "--in-place", "--select", "1.1")
        self.assertEqual(mechane("check", self.robot, "--select", "1.1").returncode, 0)

    def test_one_place_to_write_to_has_to_be_named(self):
        self.assertEqual(mechane("fix", self.robot).returncode, 2)
        self.assertEqual(mechane("fix", self.robot, "--diff", "--in-place").returncode, 2)
        self.assertEqual(mechane("fix", self.robot, "--diff", "--select", "9.9").returncode, 2)
        self.assertEqual(mechane("fix", self.robot, "--diff", "--phases", "P9").returncode, 2)
        self.assertEqual(mechane("fix", "/nowhere.usda", "--diff").returncode, 3)

    def test_meaning_stays_on_real_robots(self):
        """The model that is simulated is the same before and after, within 1e-6 in SI units."""
        assets = corpus()
        if assets is None:
            self.skipTest("skipped: no corpus")
        compared = 0
        for name in ROBOTS:
            if not (assets / name).exists():
                continue
            with self.subTest(name):
                before = mechane("dump", "model", assets / name)
                if before.returncode != 0:
                    continue
                out = self.out(name.replace("/", "_"))
                done = mechane("fix", assets / name, "-o", out)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                after = mechane("dump", "model", os.path.join(out, os.path.basename(name)))
                self.assertEqual(after.returncode, 0, after.stderr)
                self.assertIsNone(difference(json.loads(before.stdout), json.loads(after.stdout)), name)
                compared += 1
        self.assertGreaterEqual(compared, 10)


class Configuration(unittest.TestCase):
    def test_suppressions_need_reasons_and_expire(self):
        """(REP-T-142)"""
        with tempfile.TemporaryDirectory() as folder:
            robot, config = os.path.join(folder, "robot.usda"), os.path.join(folder, "mechane.toml")
            pathlib.Path(robot).write_text(BAD)

            def check(text, *more):
                pathlib.Path(config).write_text(text)
                return mechane("check", robot, "--config", config, "--select", "1.1", *more)

            good = '[[suppress]]\nrule = "REP-1.1-i"\nprim = "/robot/*"\nreason = "kept for the old viewer"\n'
            self.assertEqual(check(good).returncode, 0)
            self.assertEqual(check(good.replace("kept for the old viewer", "")).returncode, 2)
            self.assertEqual(check(good.replace('reason = "kept for the old viewer"', "")).returncode, 2)
            expired = check(good + 'expires = 2020-01-31\n')
            self.assertEqual(expired.returncode, 1)
            self.assertIn("MECH-002", expired.stderr)
            self.assertEqual(check("[check]\nfail_on = \"never\"\n").returncode, 2)
            self.assertEqual(check("[check.severity]\n\"REP-1.1-i\" = \"info\"\n").returncode, 0)

    def test_variants_are_judged_when_asked_for(self):
        """(REP-T-051)"""
        with tempfile.TemporaryDirectory() as folder:
            robot = os.path.join(folder, "robot.usda")
            pathlib.Path(robot).write_text(BAD.replace("    def Xform \"link\" (", """    def Xform "tool" (
        prepend variantSets = "tool"
        variants = {
            string tool = "none"
        }
    )
    {
        variantSet "tool" = {
            "lamp" {
                def RectLight "l"
                {
                }
            }
            "none" {
            }
        }
    }

    def Xform "link" ("""))
            self.assertNotIn("REP-3.6-b", mechane("check", robot).stdout)
            found = json.loads(mechane("check", robot, "--variants", "each", "--format", "json").stdout)["findings"]
            lamp = [f for f in found if f["rule"] == "REP-3.6-b"]
            self.assertEqual([f["state"] for f in lamp], ["/robot/tool{tool=lamp}"])

    def test_a_page_and_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.usda", "b.usda", "c.usda"):
                pathlib.Path(folder, name).write_text(BAD)
            page = mechane("check", folder, "--format", "html")
            self.assertEqual(page.returncode, 1)
            self.assertEqual(page.stdout.count("<h2>"), 3)
            one = mechane("check", folder, "--format", "json", "--threads", "1").stdout
            self.assertEqual(mechane("check", folder, "--format", "json", "--threads", "4").stdout, one)


if __name__ == "__main__":
    unittest.main()
