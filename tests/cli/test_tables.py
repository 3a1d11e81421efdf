"""`mechane schema`: tables that the program works by; `mechane doctor` on threads; when `mechane sim` looks for contacts."""
import json
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import ROOT, document, mechane

STACK = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" {
}
""" + "".join(f"""def Cube "box_{i}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {{
    double size = 0.2
    double3 xformOp:translate = (0, 0, {0.1 + 0.2 * i})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
""" for i in range(10))


class Columns(unittest.TestCase):
    def test_columns_of_several_worlds_are_told_apart(self):
        """Bodies, joints and sensors; those of one world keep their plain names."""
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder, "s.usda")
            stage.write_text(STACK)
            for worlds in (1, 3):
                done = mechane("sim", stage, "--worlds", worlds, "--frames", "2", "--ground", "--sense", "/box_0", "-o", "-.csv")
                names = done.stdout.splitlines()[0].split(",")
                self.assertEqual(len(names), len(set(names)))
                for world in range(worlds):
                    at = f"world {world}: " if worlds > 1 else ""
                    for name in ("/box_3.px [m]", "/box_0.fz [N]"):
                        self.assertIn(at + name, names)


class Pairs(unittest.TestCase):
    def test_every_pair_of_types_is_printed_once_with_its_route(self):
        """GAP-058; tests/collision/routes_test.cpp exercises each cell."""
        table = document("schema", "pairs", "--json")["pairs"]
        names = ["PLANE", "PLANE finite", "HFIELD", "SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX", "CONE", "CONVEX_MESH", "MESH", "SDF", "particle"]
        wanted = {(a, b) for i, a in enumerate(names) for b in names[i:]} - {("particle", "particle")}
        self.assertEqual({(row["a"], row["b"]) for row in table}, wanted)
        self.assertEqual(len(table), len(wanted))
        cell = {(row["a"], row["b"]): row for row in table}
        self.assertEqual([pair for pair, row in cell.items() if row["route"] == "static"],
                         [(a, b) for i, a in enumerate(names[:3]) for b in names[i:3]])
        self.assertEqual(cell["SDF", "SDF"]["route"], "field")
        slow = {pair for pair, row in cell.items() if row["slow"]}
        self.assertEqual(slow, {("MESH", "MESH"), ("HFIELD", "MESH"), ("HFIELD", "SDF"), ("MESH", "SDF"), ("MESH", "particle"), ("SDF", "particle")})

    def test_the_text_has_footnotes(self):
        text = mechane("schema", "pairs").stdout
        self.assertIn("[1] both belong to the world", text)
        self.assertIn("[2] particles among themselves", text)
        self.assertIn("(slow)", text)


class Materials(unittest.TestCase):
    def test_the_nine_coefficients_have_unit_default_array_and_users(self):
        """GAP-060; names and defaults are those of the collision document."""
        rows = {row["field"]: row for row in document("schema", "materials", "--json")["coefficients"]}
        defaults = {"mu": 1.0, "ke": 2500, "kd": 100, "kf": 1000, "ka": 0, "restitution": 0, "mu_torsional": 0.005, "mu_rolling": 1e-4, "kh": 1e10}
        self.assertEqual({name: row["default"] for name, row in rows.items()}, defaults)
        for name, row in rows.items():
            self.assertEqual(row["array"], f"shape_material_{name}")
            self.assertTrue(row["unit"] and row["meaning"])
            self.assertIn("softstep", row["solvers"])
        self.assertEqual(rows["ka"]["solvers"]["softstep"], "ignored")
        self.assertEqual(rows["mu"]["solvers"]["softstep"], "full")


class Threads(unittest.TestCase):
    def test_doctor_says_how_many_threads_openusd_has_and_why(self):
        """GAP-045: the environment variable is honoured, and named."""
        def line(**environment):
            return {check["name"]: check["value"] for check in document("doctor", "--json", **environment)["checks"]}["OpenUSD threads"]

        self.assertEqual(line(PXR_WORK_THREAD_LIMIT="1"), "1 (PXR_WORK_THREAD_LIMIT)")
        one = document("doctor", "--threads", "1", "--json")
        self.assertIn("1 (--threads)", [check["value"] for check in one["checks"]])
        self.assertRegex(line(PXR_WORK_THREAD_LIMIT="0"), r"^\d+ \(as many as the processor has\)$")


class Frequency(unittest.TestCase):
    def test_a_stack_stands_however_often_contacts_are_found(self):
        """GAP-057: three seconds of ten boxes, in every substep, in every second, fourth, and once a frame of eight."""
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "stack.usda"
            stage.write_text(STACK)
            for when, times in (("every-frame", 180), ("every-substep", 1440), ("every:2", 720), ("every:4", 360), ("every:8", 180)):
                with self.subTest(when):
                    done = mechane("sim", stage, "--ground", "0", "--duration", "3s", "--collide", when, "-o", "-.json")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(f"contacts  collision ran {times} times", done.stderr)
                    run = json.loads(done.stdout)
                    self.assertEqual(len(run["frames"]), 181)
                    top = run["bodies"].index("/box_9")
                    self.assertAlmostEqual(run["frames"][-1]["body_q"][top][2], 1.9, delta=0.005)

    def test_what_does_not_divide_the_substeps_is_refused(self):
        for when in ("every:3", "every:0", "sometimes", "every:"):
            done = mechane("sim", ROOT / "samples" / "gallery" / "cradle.usda", "--frames", "1", "--collide", when)
            self.assertEqual(done.returncode, 2, when)
            self.assertRegex(done.stderr, re.escape("--collide"))


if __name__ == "__main__":
    unittest.main()
